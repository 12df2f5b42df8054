//! A machine, with or without a property, as a graph with marks.
//!
//! States of the graph are the stored states; an arc is a step from one to the next, through the states inside `atomic`
//! that are never stored, and through the property's second step where it goes on alone. What those states are worth
//! becomes part of the arc:
//!
//! - *acceptance*: the arc carries its mark when its source, or a state on its way, is accepting;
//! - *weak fairness*: one mark for each process. The arc carries it when the process moves on the arc or cannot move at
//!   its source. Processes that do not exist cannot move. Inside `atomic` no process is checked, as if the arc were one step;
//! - *progress*: the arc lies outside when its source, or a state on its way, makes progress.
//!
//! A run that stops stays where it is for ever (there is an arc without moves), unless a property says what it is worth.
//!
//! A way that comes back to a state it passed never leaves the `atomic`; it is cut and noted ([`Arcs::cut`]), and the
//! caller falls back to a search that knows such states. A step that fails and leads nowhere is noted there, too.
//!
//! With a reduction ([`super::reducing`]) a state shows only as many arcs as are enough.

use super::marks::MarkSet;
use super::reducing::{Choice, Reducing};
use super::{Arcs, Graph, Halt};
use crate::automaton::PropertyAutomaton;
use ferrospin_system::{
    Arrival, Batch, Control, Failure, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS, StateHash, StateRun,
};
use std::sync::Arc;

/// What kind of cycle is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One with an accepting state.
    Accepting,
    /// One without a progress state.
    NonProgress,
}

/// What makes the graph of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What kind of cycle is looked for.
    pub goal: Goal,
    /// Only runs count in which a process that can move for ever does move.
    pub fair: bool,
    /// A property runs beside; it says what a run that stops is worth.
    pub has_property: bool,
    /// A failure with this number is a violation at once: the property has reached its end.
    pub property_end: Option<u16>,
}

/// Parts of a property: cycles of the product that accept stay in one part.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Where the property's location stands in a state, and how many bytes it takes.
    pub at: usize,
    /// See `at`.
    pub size: usize,
    /// For each location its part; 0 is for locations that no accepting cycle passes.
    pub of: Vec<u16>,
    /// For each location whether it accepts; nothing but the property does.
    pub accepts: Vec<bool>,
}

impl Parts {
    #[inline]
    fn part(&self, state: &[u8]) -> u16 {
        self.of[self.location(state)]
    }

    #[inline]
    fn location(&self, state: &[u8]) -> usize {
        let byte = |i: usize| usize::from(state[self.at + i]);
        match self.size {
            1 => byte(0),
            2 => byte(0) | byte(1) << 8,
            _ => byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24,
        }
    }
}

/// The graph of a machine; `S` has room for the mark of acceptance and, with fairness, one for each process.
pub struct Product<'s, S> {
    machine: Box<dyn Machine>,
    options: Options,
    /// Of the property, where nothing else accepts.
    parts: Option<Arc<Parts>>,
    /// Arcs from part to part lie outside.
    splits: bool,
    reducing: Option<Reducing<'s>>,
    /// The system stands alone, and nothing is worth anything; what this automaton could do is told beside.
    observer: Option<Arc<PropertyAutomaton>>,
    /// The marks of all processes, where fairness asks for them.
    fairness: S,
    moves: Moves,
    run: StateRun,
    batch: Batch,
    /// Moves of states inside `atomic`.
    inner: Moves,
    /// The first state inside an `atomic`, and one in the making.
    first: Vec<u8>,
    next: Vec<u8>,
    /// Whether a step inside an `atomic` failed and led nowhere.
    lost: bool,
    walk: Walk<S>,
    hash: StateHash,
    /// Which arc's moves are wanted, if any.
    recorded: Option<usize>,
    path: Vec<Move>,
}

/// States inside `atomic` on the way from one stored state to the next.
struct Walk<S> {
    levels: Vec<Level<S>>,
    depth: usize,
    /// The moves that led to the last of them.
    path: Vec<Move>,
}

/// What the way to a state inside `atomic` is worth.
#[derive(Clone, Copy)]
struct Way<S> {
    marks: S,
    /// Some state on it accepts.
    accepted: bool,
    inside: bool,
}

struct Level<S> {
    state: Vec<u8>,
    hash: u64,
    control: Control,
    moves: Vec<Move>,
    taken: usize,
    /// How many moves of the path led here.
    moves_before: usize,
    marks: S,
    /// Some state on the way to here, or this one, accepts.
    accepted: bool,
    inside: bool,
}

impl<'s, S: MarkSet> Product<'s, S> {
    /// The graph of a machine.
    pub fn new(machine: Box<dyn Machine>, options: Options) -> Self {
        let processes = if options.fair { 0..S::BITS - 1 } else { 0..0 };
        Product {
            machine,
            options,
            parts: None,
            splits: false,
            reducing: None,
            observer: None,
            fairness: processes.fold(S::NONE, |all, p| all.union(S::one(p))),
            moves: Moves::default(),
            run: StateRun::default(),
            batch: Batch::default(),
            inner: Moves::default(),
            first: Vec::new(),
            lost: false,
            next: Vec::new(),
            walk: Walk { levels: Vec::new(), depth: 0, path: Vec::new() },
            hash: StateHash::new(0),
            recorded: None,
            path: Vec::new(),
        }
    }

    /// The same graph, for which it is known that nothing but the property accepts, and that accepting cycles stay in one part
    /// of it; with `splits`, arcs from part to part lie outside.
    #[must_use]
    pub fn with_parts(mut self, parts: Option<Arc<Parts>>, splits: bool) -> Self {
        self.splits = splits && parts.is_some();
        self.parts = parts;
        self
    }

    /// The same graph, of which only so much is shown as is enough. The property must not see stuttering.
    ///
    /// # Panics
    /// Panics under fairness, which asks about every move.
    #[must_use]
    pub fn with_reduction(mut self, reducing: Option<Reducing<'s>>) -> Self {
        assert!(reducing.is_none() || !self.options.fair, "fairness and reduction do not go together");
        self.reducing = reducing;
        self
    }

    /// The graph of a system alone; what an automaton could do beside it is told as [`Arcs::letter`]. No arc is accepting,
    /// and a state that no move leaves has none.
    pub(super) fn observed_by(mut self, automaton: Arc<PropertyAutomaton>) -> Self {
        self.observer = Some(automaton);
        self
    }

    /// See [`PropertyAutomaton::letter`]: at one state of the automaton.
    pub(super) fn letter_at(&mut self, state: &[u8], at: usize) -> Option<u64> {
        self.observer.clone()?.letter(&mut *self.machine, state, at..at + 1)
    }

    /// Whether fairness is asked for.
    pub(super) fn is_fair(&self) -> bool {
        self.options.fair
    }

    /// The mark of acceptance.
    pub(super) fn acceptance() -> S {
        S::one(S::BITS - 1)
    }

    /// The marks of the processes that a move moves; `None` where there is no room for them.
    #[inline]
    fn movers(&self, mv: &Move) -> Option<S> {
        let mut marks = S::NONE;
        if self.options.fair {
            for p in [mv.process, mv.partner] {
                if p != NO_PROCESS {
                    if usize::from(p) >= S::BITS - 1 {
                        return None;
                    }
                    marks = marks.union(S::one(usize::from(p)));
                }
            }
        }
        Some(marks)
    }

    /// The marks of the processes that cannot move, as the moves of a state tell; `None` where there is no room.
    fn blocked(&self, moves: &Moves) -> Option<S> {
        if !self.options.fair {
            return Some(S::NONE);
        }
        let mut enabled = S::NONE;
        let (mut some_process, mut alone) = (false, moves.list.is_empty());
        for mv in &moves.list {
            some_process |= mv.process != NO_PROCESS;
            alone |= mv.stutter;
            enabled = enabled.union(self.movers(mv)?);
        }
        // When only the property moves because its edge is `atomic`, the processes have not been asked.
        Some(if some_process || alone { self.fairness.minus(enabled) } else { S::NONE })
    }

    /// What a state adds to the arcs that leave it or pass it: marks, and whether they lie inside.
    #[inline]
    fn worth(&mut self, state: &[u8]) -> (S, bool) {
        if self.observer.is_some() {
            return (S::NONE, true);
        }
        if let (Some(parts), Goal::Accepting) = (&self.parts, self.options.goal) {
            let accepts = parts.accepts[parts.location(state)];
            return (if accepts { Self::acceptance() } else { S::NONE }, true);
        }
        let labels = self.machine.labels(state, Labels::ACCEPT | Labels::PROGRESS);
        match self.options.goal {
            Goal::Accepting => (if labels.has(Labels::ACCEPT) { Self::acceptance() } else { S::NONE }, true),
            Goal::NonProgress => (S::NONE, !labels.has(Labels::PROGRESS)),
        }
    }

    /// Whether a failure is a violation at once: the end of a property where it counts, and whatever a property cannot evaluate.
    fn ends(&self, failure: &Failure) -> bool {
        let of_property = self.options.has_property && failure.process == NO_PROCESS;
        of_property || self.options.property_end == Some(failure.code.number)
    }

    #[inline]
    fn put(&mut self, target: &[u8], marks: S, inside: bool, last: Option<&Move>, out: &mut Arcs<S>) {
        if self.recorded == Some(out.list.len()) {
            self.record(last);
        }
        out.push(target, marks, inside);
    }

    /// Keeps the way to here and one more move.
    fn record(&mut self, last: Option<&Move>) {
        self.path.clear();
        self.path.extend_from_slice(&self.walk.path);
        self.path.extend(last);
    }

    fn halt(&mut self, why: Halt, last: Option<&Move>, out: &mut Arcs<S>) {
        if out.halt.is_none() {
            out.halt = Some(why);
            if self.recorded.is_some() {
                self.record(last);
            }
        }
    }

    fn make(&mut self, state: &[u8], out: &mut Arcs<S>) {
        self.walk.depth = 0;
        self.walk.path.clear();
        let (worth, inside) = self.worth(state);
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        // Successors are written where the arcs want them.
        std::mem::swap(&mut batch.bytes, &mut out.bytes);
        let (first, first_arc) = (batch.bytes.len(), out.list.len());
        let stride = self.take_all(state, &mut batch);
        std::mem::swap(&mut batch.bytes, &mut out.bytes);
        let is_plain = !self.options.fair && self.reducing.is_none() && self.recorded.is_none();
        match stride {
            Some(stride) if is_plain => {
                let starts = (first..).step_by(stride).take(self.moves.list.len());
                starts.for_each(|start| out.push_known(start, state.len(), worth, inside));
            }
            stride => {
                let (len, control) = (state.len() as u32, Control::Free);
                let starts =
                    (first as u32..).step_by(stride.unwrap_or(1)).take(stride.map_or(0, |_| self.moves.list.len()));
                let arrivals = (0..).zip(starts).map(|(top, start)| Arrival { top, start, len, control });
                batch.arrivals.extend(arrivals);
                self.choose(state, worth, inside, &batch, out);
            }
        }
        self.batch = batch;
        if let Some(automaton) = &self.observer {
            out.letter = automaton.letter(&mut *self.machine, state, 0..automaton.states().len());
            out.still = self.moves.list.is_empty();
        }
        if let Some(parts) = self.parts.as_ref().filter(|_| self.splits) {
            let here = parts.part(state);
            for arc in &mut out.list[first_arc..] {
                let there = parts.part(&out.bytes[arc.start as usize..][..arc.len as usize]);
                arc.inside &= here != 0 && here == there;
                arc.loose = there == 0;
            }
        }
    }

    /// Takes all moves of a state. Where nothing is out of the ordinary, the successors stand at a fixed distance, and no
    /// arrivals are listed.
    #[inline]
    fn take_all(&mut self, state: &[u8], batch: &mut Batch) -> Option<usize> {
        if self.machine.expand_run(state, state.len(), &mut self.run, &mut self.moves, batch) {
            return None;
        }
        if self.run.ends.is_empty() {
            self.machine.expand(state, &mut self.moves, batch);
            return None;
        }
        self.moves.clear();
        std::mem::swap(&mut self.moves.list, &mut self.run.moves);
        Some(self.run.stride)
    }

    /// Makes arcs of what the moves of a state gave, or of as many of them as are enough.
    #[inline]
    fn choose(&mut self, state: &[u8], worth: S, inside: bool, batch: &Batch, out: &mut Arcs<S>) {
        let Some(mut reducing) = self.reducing.take() else {
            return self.arrive(state, worth, inside, batch, None, out);
        };
        let (arcs, inner_steps) = (out.list.len(), out.inner_steps);
        let mut choice = reducing.choose(state, &self.moves.list);
        loop {
            match choice {
                Choice::All => self.arrive(state, worth, inside, batch, None, out),
                Choice::Known | Choice::Try(_) => {
                    self.lost = false;
                    self.arrive(state, worth, inside, batch, Some(&reducing.taken), out);
                }
                Choice::NoRoom => self.halt(Halt::Full, None, out),
            }
            let Choice::Try(set) = choice else { break };
            let mut steps = arcs..out.list.len();
            // A step that fails leads nowhere: behind it, what others can do for ever would be lost.
            let is_lost = |i: usize| reducing.taken[i] && fails(batch, i);
            let lost = self.lost || batch.failures.iter().any(|(top, _)| is_lost(*top as usize));
            let is_refused = if lost {
                true
            } else if reducing.is_weak() {
                !steps.is_empty() && steps.all(|i| reducing.refuses(out.target(i)))
            } else {
                steps.any(|i| reducing.refuses(out.target(i)))
            };
            if !is_refused {
                reducing.accept();
                break;
            }
            out.list.truncate(arcs);
            out.inner_steps = inner_steps;
            choice = reducing.go_on(state, &self.moves.list, set);
        }
        self.reducing = Some(reducing);
    }

    /// Makes arcs of what the moves of a state gave, or those that are `taken`.
    #[inline]
    fn arrive(
        &mut self,
        state: &[u8],
        worth: S,
        inside: bool,
        batch: &Batch,
        taken: Option<&[bool]>,
        out: &mut Arcs<S>,
    ) {
        if self.options.has_property {
            if self.moves.failures.iter().any(|f| self.ends(f)) {
                return self.halt(Halt::End, None, out);
            }
            if let Some((top, _)) = batch.failures.iter().find(|(_, f)| self.ends(f)) {
                let mv = self.moves.list[*top as usize];
                return self.halt(Halt::End, Some(&mv), out);
            }
        }
        out.cut.failed |= batch.failures.iter().any(|(top, _)| fails(batch, *top as usize));
        let Some(blocked) = self.blocked(&self.moves) else { return self.halt(Halt::Narrow, None, out) };
        let base = worth.union(blocked);
        let stays = self.options.goal == Goal::Accepting && !self.options.has_property;
        if self.moves.list.is_empty() && stays {
            self.put(state, base, true, None, out);
        }
        for arrival in &batch.arrivals {
            if taken.is_some_and(|t| !t[arrival.top as usize]) {
                continue;
            }
            let mv = self.moves.list[arrival.top as usize];
            let marks = base.union(self.movers(&mv).expect("there was room"));
            let (start, len) = (arrival.start as usize, arrival.len as usize);
            if arrival.control == Control::Free {
                if self.recorded == Some(out.list.len()) {
                    self.record(Some(&mv));
                }
                out.push_known(start, len, marks, inside);
            } else {
                let mut first = std::mem::take(&mut self.first);
                first.clear();
                first.extend_from_slice(&out.bytes[start..][..len]);
                self.pass(&mut first, arrival.control, mv, marks, inside, out);
                self.first = first;
                if out.halt.is_some() {
                    return;
                }
            }
        }
    }

    /// Walks from a state inside `atomic` to all stored states behind it.
    #[cold]
    fn pass(&mut self, state: &mut [u8], control: Control, by: Move, marks: S, inside: bool, out: &mut Arcs<S>) {
        let mut next = std::mem::take(&mut self.next);
        self.walk.path.push(by);
        self.open(state, control, Way { marks, accepted: false, inside }, out);
        while self.walk.depth > 0 && out.halt.is_none() {
            let level = &mut self.walk.levels[self.walk.depth - 1];
            self.walk.path.truncate(level.moves_before);
            let Some(&mv) = level.moves.get(level.taken) else {
                self.walk.depth -= 1;
                continue;
            };
            level.taken += 1;
            let (marks, way) =
                (level.marks, Way { marks: level.marks, accepted: level.accepted, inside: level.inside });
            let step = self.machine.apply(&level.state, &mv, &mut next);
            if step.failure.is_some_and(|f| self.ends(&f)) {
                self.halt(Halt::End, Some(&mv), out);
            }
            if !step.proceeds {
                (self.lost, out.cut.failed) = (true, true);
                continue;
            }
            let Some(movers) = self.movers(&mv) else {
                self.halt(Halt::Narrow, Some(&mv), out);
                break;
            };
            let way = Way { marks: marks.union(movers), ..way };
            if step.control == Control::Free {
                self.come_out(&next, way, Some(&mv), out);
            } else {
                self.walk.path.push(mv);
                self.open(&mut next, step.control, way, out);
            }
        }
        self.walk.path.clear();
        self.next = next;
    }

    /// Arrives at a stored state behind an `atomic`, by one more move if there is one.
    fn come_out(&mut self, state: &[u8], way: Way<S>, last: Option<&Move>, out: &mut Arcs<S>) {
        // What a state inside accepts is left to the arcs that leave the target, where that accepts too: so acceptance
        // belongs to states wherever it can.
        let late = way.accepted && self.worth(state).0.is_none();
        let marks = if late { way.marks.union(Self::acceptance()) } else { way.marks };
        self.put(state, marks, way.inside, last, out);
    }

    /// Goes into a state inside `atomic`, to which the path has led; a process that cannot go on there loses control, and
    /// the state is a stored one after all. A property that cannot go on ends the run instead.
    fn open(&mut self, state: &mut [u8], control: Control, way: Way<S>, out: &mut Arcs<S>) {
        let mut control = control;
        // Where only the property accepts, nothing can be missed on the way as far as there is no choice.
        if (self.parts.is_some() || self.observer.is_some()) && matches!(control, Control::Exclusive(_)) {
            let before = self.walk.path.len();
            control = self.machine.run_on(state, control, &mut self.walk.path);
            out.inner_steps += (self.walk.path.len() - before) as u64;
            if control == Control::Free {
                return self.come_out(state, way, None, out);
            }
        }
        let by = *self.walk.path.last().expect("a move has led here");
        let Way { marks, accepted, inside } = way;
        // A property inside its own `atomic` counts, one that goes on alone does not.
        out.inner_steps += u64::from(matches!(control, Control::Exclusive(_)) || !by.stutter);
        let hash = self.hash.of(state);
        let passed = &self.walk.levels[..self.walk.depth];
        if passed.iter().any(|l| l.hash == hash && l.control == control && l.state == state) {
            out.cut.endless = true;
            return;
        }
        self.machine.moves(state, control, &mut self.inner);
        if self.inner.failures.iter().any(|f| self.ends(f)) {
            return self.halt(Halt::End, None, out);
        }
        if self.inner.list.is_empty() {
            if matches!(control, Control::Exclusive(_)) {
                self.come_out(state, way, None, out);
            }
            return;
        }
        let (worth, progresses_not) = self.worth(state);
        let mut all = marks;
        if control == Control::Property {
            let Some(blocked) = self.blocked(&self.inner) else { return self.halt(Halt::Narrow, None, out) };
            all = all.union(blocked);
        }
        let accepted = accepted || !worth.is_none();
        let (depth, moves_before) = (self.walk.depth, self.walk.path.len());
        if self.walk.levels.len() == depth {
            let (state, moves) = (Vec::new(), Vec::new());
            let level = Level { state, hash, control, moves, taken: 0, moves_before, marks: all, accepted, inside };
            self.walk.levels.push(level);
        }
        let level = &mut self.walk.levels[depth];
        level.state.clear();
        level.state.extend_from_slice(state);
        level.moves.clear();
        level.moves.extend_from_slice(&self.inner.list);
        (level.hash, level.control, level.moves_before, level.taken) = (hash, control, moves_before, 0);
        (level.marks, level.accepted, level.inside) = (all, accepted, inside && progresses_not);
        self.walk.depth += 1;
    }

    fn recording(&mut self, state: &[u8], arc: usize) -> Vec<Move> {
        self.recorded = Some(arc);
        self.path.clear();
        self.make(state, &mut Arcs::default());
        self.recorded = None;
        self.path.iter().copied().filter(|m| m.process != NO_PROCESS || m.property != NO_EDGE).collect()
    }
}

/// Whether a move led nowhere.
fn fails(batch: &Batch, top: usize) -> bool {
    batch.arrivals.iter().all(|a| a.top as usize != top)
}

impl<S: MarkSet> Graph for Product<'_, S> {
    type Marks = S;
    type Label = Vec<Move>;

    fn wanted(&self) -> S {
        match self.options.goal {
            Goal::Accepting => self.fairness.union(Self::acceptance()),
            Goal::NonProgress => self.fairness,
        }
    }

    fn restricts(&self) -> bool {
        self.options.goal == Goal::NonProgress || self.splits
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        self.machine.initial(out).is_ok()
    }

    fn expand(&mut self, state: &[u8], out: &mut Arcs<S>) {
        self.make(state, out);
    }

    fn label(&mut self, state: &[u8], arc: usize) -> Vec<Move> {
        self.recording(state, arc)
    }

    fn end_label(&mut self, state: &[u8]) -> Vec<Move> {
        self.recording(state, usize::MAX)
    }

    fn follows_path(&self) -> bool {
        self.reducing.is_some()
    }

    #[inline]
    fn entered(&mut self) {
        if let Some(reducing) = &mut self.reducing {
            reducing.entered();
        }
    }

    #[inline]
    fn left(&mut self) {
        if let Some(reducing) = &mut self.reducing {
            reducing.left();
        }
    }
}
