//! Grows a set of edges until it is stubborn.
//!
//! An executable member brings all edges of its process that leave the same location, and whatever does not accord with
//! it. A member that is not executable has a false conjunct, and brings whatever may make that conjunct true: that its
//! process stands at its location is a conjunct like others, which the edges that enter the location make true. Among
//! several false conjuncts the one is taken that adds the fewest executable edges. A half of a handshake brings
//! everything that may become its other half. A member that waits for `timeout` brings nothing: as long as something
//! can be done it stays as it is. Edges that a process can no longer reach are left out.
//!
//! Growing is given up where taking all moves is cheaper: in programs of many thousands of edges a set
//! may cost a thousand times what a state does.

use crate::control_state::ControlState;
use crate::fact_rows::{ENDS, FactRows, Goal};
use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::set_cache::Answers;
use crate::stubborn::Weakening;
use ferrospin_system::{Move, NO_PROCESS};

/// Words of edges that may be visited while the sets of one state are grown: some tenths of a millisecond.
const WORDS_MAX: u64 = 1 << 17;

/// Scratch memory and the set that grows.
#[derive(Default)]
pub(crate) struct Closure {
    /// Members, process by process.
    pub(crate) members: Vec<u64>,
    /// Members that are executable and were not visited yet, as process and place.
    enabled: Vec<(u8, u32)>,
    /// Members that are not.
    disabled: Vec<(u8, u32)>,
    /// Executable edges that are no members.
    left: u32,
    /// Of edges at other locations only the control flow counts as missing, not their guards.
    control_only: bool,
    /// Whether a guard of one of them was taken as the cause: where none was, the result does not depend on `control_only`.
    pub(crate) guards_count: bool,
    /// Edges visited so far: the cost of growing.
    pub(crate) looked: u64,
    /// Words of edges visited in this state.
    words: u64,
    /// Scratch memory for costs: edges passed, and edges to be passed.
    passed: Vec<u64>,
    ways: Vec<u32>,
    /// Scratch memory for the false conjuncts of an edge.
    causes: Vec<Cause>,
}

/// What a closure reads: the key of the cache, and the tests that it makes through the answers.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) moves: &'a [Move],
    pub(crate) control: &'a ControlState,
    pub(crate) layout: &'a Layout,
    pub(crate) weakening: Weakening,
}

/// Why a member is not executable.
#[derive(Clone, Copy)]
enum Cause {
    /// Its process stands elsewhere.
    Elsewhere,
    /// A younger process exists.
    NotYoungest,
    /// Something that a goal may change.
    False(Goal),
}

impl Closure {
    /// Begins with another state.
    pub(crate) fn start(&mut self) {
        self.words = 0;
    }

    /// Starts with no members.
    pub(crate) fn clear(&mut self, c: Context<'_>, control_only: bool) {
        (self.control_only, self.guards_count) = (control_only, false);
        self.members.clear();
        self.members.resize(c.control.enabled.len(), 0);
        self.enabled.clear();
        self.disabled.clear();
        self.left = c.control.enabled.iter().map(|w| w.count_ones()).sum();
    }

    /// Whether every executable edge is a member.
    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Executable edges that are no members.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    fn give_up(&mut self) {
        self.left = 0;
    }

    /// Adds edges of a process: the given word.
    #[inline]
    fn add(&mut self, c: Context<'_>, process: usize, word: u32, bits: u64) {
        let at = (c.control.processes[process].base + word) as usize;
        let new = bits & !self.members[at];
        if new == 0 {
            return;
        }
        self.members[at] |= new;
        let mut can = new & c.control.enabled[at];
        self.left -= can.count_ones();
        let mut cannot = new & !can;
        while can != 0 {
            self.enabled.push((process as u8, word * 64 + can.trailing_zeros()));
            can &= can - 1;
        }
        while cannot != 0 {
            self.disabled.push((process as u8, word * 64 + cannot.trailing_zeros()));
            cannot &= cannot - 1;
        }
    }

    /// Adds all edges at the location of a process.
    pub(crate) fn add_location(&mut self, c: Context<'_>, process: usize) {
        let l = &c.layout.locations[c.control.processes[process].location as usize];
        for (w, bits) in (0..).zip(&l.leaving) {
            self.add(c, process, w, *bits);
        }
    }

    /// Adds what does a goal in one process.
    fn add_goal_of<F: Facts>(&mut self, rows: &mut FactRows<F>, c: Context<'_>, goal: Goal, process: usize) {
        let s = c.control.processes[process];
        if let Some(row) = rows.row(goal, s.instance) {
            let l = &c.layout.locations[s.location as usize];
            for (w, reach) in (0..).zip(&l.reachable) {
                self.add(c, process, w, rows.words[row + w as usize] & reach);
            }
        }
    }

    /// Adds what does a goal, in every process.
    pub(crate) fn add_goal<F: Facts>(&mut self, rows: &mut FactRows<F>, c: Context<'_>, goal: Goal) {
        for p in 0..c.control.processes.len() {
            self.add_goal_of(rows, c, goal, p);
        }
    }

    /// Grows until nothing is missing, or until everything executable is a member.
    pub(crate) fn close<F: Facts>(&mut self, rows: &mut FactRows<F>, answers: &mut Answers, c: Context<'_>) {
        while self.left > 0 {
            self.looked += 1;
            self.words += c.control.enabled.len() as u64;
            if self.words > WORDS_MAX {
                return self.give_up();
            }
            if let Some((process, place)) = self.enabled.pop() {
                self.visit_enabled(rows, c, usize::from(process), place);
            } else if let Some((process, place)) = self.disabled.pop() {
                self.visit_disabled(rows, answers, c, usize::from(process), place);
            } else {
                return;
            }
        }
    }

    fn visit_enabled<F: Facts>(&mut self, rows: &mut FactRows<F>, c: Context<'_>, process: usize, place: u32) {
        let s = c.control.processes[process];
        let edge = &rows.instances[s.instance as usize].edges[place as usize];
        let (kind, conflicts) = (edge.kind, edge.conflicts);
        if kind == EdgeKind::Unknown {
            return self.give_up();
        }
        self.add_location(c, process);
        if !c.weakening.no_conflicts {
            self.add_goal(rows, c, conflicts);
        }
        if matches!(kind, EdgeKind::Handshake | EdgeKind::Either) {
            for m in c.moves.iter().filter(|m| m.partner != NO_PROCESS) {
                let (p, q) = (usize::from(m.process), usize::from(m.partner));
                if p == process && c.layout.places[m.edge as usize] == place {
                    self.add_location(c, q);
                }
                if q == process && c.layout.places[m.partner_edge as usize] == place {
                    self.add_location(c, p);
                }
            }
            self.await_partners(rows, c, process, place);
        }
    }

    fn visit_disabled<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        answers: &mut Answers,
        c: Context<'_>,
        process: usize,
        place: u32,
    ) {
        if c.weakening.no_enabling {
            return;
        }
        let s = c.control.processes[process];
        let kind = rows.instances[s.instance as usize].edges[place as usize].kind;
        let here = c.layout.locations[s.location as usize].leaving[place as usize / 64] >> (place % 64) & 1 == 1;
        match kind {
            EdgeKind::Timeout => {}
            EdgeKind::Unknown if here => self.give_up(),
            EdgeKind::Handshake if here => self.await_partners(rows, c, process, place),
            EdgeKind::Either if here => {
                self.await_partners(rows, c, process, place);
                let guard = rows.instances[s.instance as usize].edges[place as usize].guard;
                self.add_goal(rows, c, guard);
            }
            EdgeKind::Unknown | EdgeKind::Handshake | EdgeKind::Either => {
                self.add_cause(rows, c, process, place, Cause::Elsewhere);
            }
            EdgeKind::Plain => self.enable(rows, answers, c, process, place, here),
        }
    }

    /// Everything that may become the other half of a handshake. Where another process already stands before such a half
    /// and yet there is no handshake, something that either of them reads must change.
    fn await_partners<F: Facts>(&mut self, rows: &mut FactRows<F>, c: Context<'_>, process: usize, place: u32) {
        let edge = &rows.instances[c.control.processes[process].instance as usize].edges[place as usize];
        let (partners, guard) = (edge.partners, edge.guard);
        let mut stands = false;
        for (q, t) in c.control.processes.iter().enumerate().filter(|(q, _)| *q != process) {
            let Some(row) = rows.row(partners, t.instance) else { continue };
            let leaving = &c.layout.locations[t.location as usize].leaving;
            if leaving.iter().zip(&rows.words[row..]).any(|(a, b)| a & b != 0) {
                stands = true;
                self.add_location(c, q);
            }
            self.add_goal_of(rows, c, partners, q);
        }
        if stands {
            self.add_location(c, process);
            self.add_goal(rows, c, guard);
        }
    }

    /// What may make an edge executable that is not.
    fn enable<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        answers: &mut Answers,
        c: Context<'_>,
        process: usize,
        place: u32,
        here: bool,
    ) {
        let instance = c.control.processes[process].instance as usize;
        let count = rows.instances[instance].edges[place as usize].conjuncts.len();
        self.causes.clear();
        if !here {
            self.causes.push(Cause::Elsewhere);
        }
        let mut unknown = false;
        let tested = if !here && self.control_only { 0 } else { count };
        for i in 0..tested {
            let (test, goal) = rows.instances[instance].edges[place as usize].conjuncts[i];
            unknown |= test == Test::Unknown;
            if answers.is_false(test, process) {
                self.causes.push(if test == Test::Youngest { Cause::NotYoungest } else { Cause::False(goal) });
            }
        }
        match self.cheapest(rows, c, process, place) {
            Some(cause) => {
                self.guards_count |= !here && !matches!(cause, Cause::Elsewhere);
                self.add_cause(rows, c, process, place, cause);
            }
            // The false conjunct is among those that cannot be tested.
            None if unknown => {
                for i in 0..count {
                    let (test, goal) = rows.instances[instance].edges[place as usize].conjuncts[i];
                    if test == Test::Unknown {
                        self.add_goal(rows, c, goal);
                    }
                }
            }
            // By the facts it is executable, by the moves it is not: the facts are incomplete.
            None => self.give_up(),
        }
    }

    /// Adds whatever may remove a cause.
    fn add_cause<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        c: Context<'_>,
        process: usize,
        place: u32,
        cause: Cause,
    ) {
        match cause {
            Cause::Elsewhere => {
                let (entering, reachable) = ways(c, process, place);
                for (w, (a, b)) in (0..).zip(entering.iter().zip(reachable)) {
                    self.add(c, process, w, a & b);
                }
            }
            Cause::NotYoungest => self.add_goal_of(rows, c, ENDS, c.control.processes.len() - 1),
            Cause::False(goal) => self.add_goal(rows, c, goal),
        }
    }

    /// The cause that costs least to remove. Computing costs is by far the most work, so that it is left out where there
    /// is no choice, and ends where a cause turns out to be no better.
    fn cheapest<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        c: Context<'_>,
        process: usize,
        place: u32,
    ) -> Option<Cause> {
        let mut best = *self.causes.first()?;
        if self.causes.len() > 1 {
            let mut least = u32::MAX;
            for i in 0..self.causes.len() {
                let cause = self.causes[i];
                let cost = self.cost(rows, c, process, place, cause, least);
                if cost < least {
                    (best, least) = (cause, cost);
                }
            }
        }
        Some(best)
    }

    /// What it costs to remove a cause: executable edges above all. Whatever reaches `enough` costs too much.
    fn cost<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        c: Context<'_>,
        process: usize,
        place: u32,
        cause: Cause,
        enough: u32,
    ) -> u32 {
        match cause {
            Cause::Elsewhere => {
                let (entering, reachable) = ways(c, process, place);
                self.weigh(c, process, entering.iter().zip(reachable).map(|(a, b)| a & b), enough)
            }
            Cause::NotYoungest => self.cost_of(rows, c, ENDS, c.control.processes.len() - 1, enough),
            Cause::False(goal) => {
                let mut cost = 0;
                for p in 0..c.control.processes.len() {
                    if cost < enough {
                        cost += self.cost_of(rows, c, goal, p, enough - cost);
                    }
                }
                cost
            }
        }
    }

    fn cost_of<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        c: Context<'_>,
        goal: Goal,
        process: usize,
        enough: u32,
    ) -> u32 {
        let s = c.control.processes[process];
        let Some(row) = rows.row(goal, s.instance) else { return 0 };
        let reachable = &c.layout.locations[s.location as usize].reachable;
        self.weigh(c, process, reachable.iter().zip(&rows.words[row..]).map(|(a, b)| a & b), enough)
    }

    /// What new members of a process cost: the executable edges over which it may come to them without passing over a
    /// member, and a little for every edge on the way.
    fn weigh(&mut self, c: Context<'_>, process: usize, words: impl Iterator<Item = u64>, enough: u32) -> u32 {
        let s = c.control.processes[process];
        let members = &self.members[s.base as usize..(s.base + s.words) as usize];
        let enabled = &c.control.enabled[s.base as usize..(s.base + s.words) as usize];
        let now = &c.layout.locations[s.location as usize];
        self.passed.clear();
        self.passed.extend(words.zip(members).map(|(new, old)| new & !old));
        self.ways.clear();
        for (w, bits) in (0..).zip(&self.passed) {
            push_bits(&mut self.ways, w, *bits);
        }
        let mut cost = 0;
        while cost < enough
            && self.words <= WORDS_MAX
            && let Some(place) = self.ways.pop()
        {
            self.looked += 1;
            self.words += members.len() as u64;
            let (word, bit) = (place as usize / 64, 1 << (place % 64));
            cost += if enabled[word] & bit != 0 { 1000 } else { 1 };
            if now.leaving[word] & bit != 0 {
                continue;
            }
            let (entering, reachable) = ways(c, process, place);
            for w in 0..members.len() {
                let new = entering[w] & reachable[w] & !members[w] & !self.passed[w];
                self.passed[w] |= new;
                push_bits(&mut self.ways, w as u32, new);
            }
        }
        cost
    }
}

fn push_bits(list: &mut Vec<u32>, word: u32, mut bits: u64) {
    while bits != 0 {
        list.push(word * 64 + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// The edges over which a process may come to where an edge starts, and those that it may still take.
fn ways(c: Context<'_>, process: usize, place: u32) -> (&[u64], &[u64]) {
    let now = &c.layout.locations[c.control.processes[process].location as usize];
    let from = c.layout.processes[now.process as usize].from[place as usize];
    (&c.layout.locations[from as usize].entering, &now.reachable)
}
