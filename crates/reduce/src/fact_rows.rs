//! Answers of the facts, computed once.
//!
//! A *goal* is something that processes may do; its *row* for a process holds the edges that do it. Rows are computed when
//! they are first needed, because most pairs of edges never meet.

use crate::facts::{EdgeKind, Facts, Layout, Target, Test};
use ferrospin_system::members;
use std::sync::Arc;

/// Number of a goal.
pub(crate) type Goal = u32;

/// Goals that belong to no edge.
pub(crate) const OBSERVED: Goal = 0;
pub(crate) const VISIBLE: Goal = 1;
pub(crate) const ENDS: Goal = 2;
/// A deliberate mistake: what no process does.
pub(crate) const NOTHING: Goal = 3;
const FIRST: Goal = 4;

/// A row that was not computed yet, and one without any edge.
const UNKNOWN: u32 = 0;
const EMPTY: u32 = 1;

/// An edge of a process, with its goals.
pub(crate) struct Edge {
    pub(crate) kind: EdgeKind,
    pub(crate) visible: bool,
    pub(crate) private: bool,
    pub(crate) conflicts: Goal,
    pub(crate) guard: Goal,
    pub(crate) partners: Goal,
    /// Test of each conjunct, and what may make it true.
    pub(crate) conjuncts: Vec<(Test, Goal)>,
}

/// A process instance.
pub(crate) struct KnownProcess<I> {
    data: I,
    process: u32,
    frozen: Vec<u8>,
    /// Its edges, in the order of its type.
    pub(crate) edges: Vec<Edge>,
}

#[derive(Clone, Copy)]
enum Asked {
    Conflicts,
    Guard,
    Partners,
    Enables(u32),
}

/// All process instances and goals so far.
pub(crate) struct FactRows<F: Facts> {
    facts: Arc<F>,
    pub(crate) instances: Vec<KnownProcess<F::Instance>>,
    /// Numbers of instances by process type and pid.
    slots: Vec<Vec<u32>>,
    /// What a goal is: process, edge, question.
    goals: Vec<(u32, u32, Asked)>,
    rows: Vec<Vec<u32>>,
    pub(crate) words: Vec<u64>,
    places: Vec<Vec<u32>>,
    pub(crate) place_words: Vec<u64>,
}

impl<F: Facts> FactRows<F> {
    pub(crate) fn new(facts: Arc<F>) -> Self {
        let slots = facts.layout().processes.len() * 256;
        let mut me = FactRows {
            facts,
            instances: Vec::new(),
            slots: Vec::new(),
            goals: Vec::new(),
            rows: vec![Vec::new(); FIRST as usize],
            // The first two places are taken by the marks for unknown and empty rows.
            words: vec![0; 2],
            places: vec![Vec::new(); FIRST as usize],
            place_words: vec![0; 2],
        };
        me.slots.resize_with(slots, Vec::new);
        me
    }

    pub(crate) fn facts(&self) -> &Arc<F> {
        &self.facts
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.facts.layout()
    }

    /// The number of a process.
    #[inline]
    pub(crate) fn find(&mut self, process: u32, pid: u8, frame: &[u8]) -> u32 {
        let slot = process as usize * 256 + usize::from(pid);
        let frozen = &self.facts.layout().processes[process as usize].frozen;
        for &k in &self.slots[slot] {
            let mut at = 0;
            let same = frozen.iter().all(|&(start, end)| {
                let size = (end - start) as usize;
                at += size;
                self.instances[k as usize].frozen[at - size..at] == frame[start as usize..end as usize]
            });
            if same {
                return k;
            }
        }
        self.meet(process, pid, frame)
    }

    #[cold]
    fn meet(&mut self, process: u32, pid: u8, frame: &[u8]) -> u32 {
        let facts = self.facts.clone();
        let shape = &facts.layout().processes[process as usize];
        let data = facts.instance(process, pid, frame);
        let number = self.instances.len() as u32;
        let mut edges = Vec::with_capacity(shape.edges.len());
        for (place, &e) in shape.edges.iter().enumerate() {
            let f = facts.edge(&data, e);
            let mut goal = |asked| self.goal(number, place as u32, asked);
            edges.push(Edge {
                kind: f.kind,
                visible: f.visible,
                private: f.private,
                conflicts: goal(Asked::Conflicts),
                guard: goal(Asked::Guard),
                partners: goal(Asked::Partners),
                conjuncts: (0..).zip(&f.conjuncts).map(|(i, t)| (*t, goal(Asked::Enables(i)))).collect(),
            });
        }
        let frozen = shape.frozen.iter().flat_map(|&(a, b)| &frame[a as usize..b as usize]).copied().collect();
        self.instances.push(KnownProcess { data, process, frozen, edges });
        self.slots[process as usize * 256 + usize::from(pid)].push(number);
        number
    }

    /// Whether all edges of a process at a location are private.
    pub(crate) fn is_private(&self, layout: &Layout, instance: u32, location: u32) -> bool {
        let edges = &self.instances[instance as usize].edges;
        members(&layout.locations[location as usize].leaving).all(|place| edges[place as usize].private)
    }

    /// The locations of a process from which it may still do something of a goal, as words; where they begin, unless
    /// there are none.
    pub(crate) fn places(&mut self, goal: Goal, instance: u32) -> Option<usize> {
        let known = self.places[goal as usize].get(instance as usize).copied().unwrap_or(UNKNOWN);
        let start = if known == UNKNOWN { self.find_places(goal, instance) } else { known };
        (start != EMPTY).then_some(start as usize)
    }

    #[cold]
    fn find_places(&mut self, goal: Goal, instance: u32) -> u32 {
        let facts = self.facts.clone();
        let process = self.instances[instance as usize].process;
        let mut start = EMPTY;
        if let Some(row) = self.row(goal, instance) {
            start = self.place_words.len() as u32;
            let count = facts.layout().processes[process as usize].locations;
            self.place_words.resize(start as usize + count.div_ceil(64) as usize, 0);
            for l in facts.layout().locations.iter().filter(|l| l.process == process) {
                if l.reachable.iter().zip(&self.words[row..]).any(|(a, b)| a & b != 0) {
                    self.place_words[start as usize + l.place as usize / 64] |= 1 << (l.place % 64);
                }
            }
        }
        let list = &mut self.places[goal as usize];
        list.resize(list.len().max(instance as usize + 1), UNKNOWN);
        list[instance as usize] = start;
        start
    }

    fn goal(&mut self, instance: u32, place: u32, asked: Asked) -> Goal {
        self.goals.push((instance, place, asked));
        self.rows.push(Vec::new());
        self.places.push(Vec::new());
        FIRST + self.goals.len() as u32 - 1
    }

    /// Where the row of a process begins among the words, unless it is empty.
    #[inline]
    pub(crate) fn row(&mut self, goal: Goal, instance: u32) -> Option<usize> {
        let row = self.rows[goal as usize].get(instance as usize).copied().unwrap_or(UNKNOWN);
        let row = if row == UNKNOWN { self.ask(goal, instance) } else { row };
        (row != EMPTY).then_some(row as usize)
    }

    #[cold]
    fn ask(&mut self, goal: Goal, instance: u32) -> u32 {
        let asker = &self.instances[instance as usize].data;
        let target = match goal {
            NOTHING => return EMPTY,
            OBSERVED => Target::Observed,
            VISIBLE => Target::Visible,
            ENDS => Target::Ends,
            _ => {
                let (of, place, asked) = self.goals[(goal - FIRST) as usize];
                let KnownProcess { data, process, .. } = &self.instances[of as usize];
                let edge = self.layout().processes[*process as usize].edges[place as usize];
                match asked {
                    Asked::Conflicts => Target::Conflicts(data, edge),
                    Asked::Guard => Target::Guard(data, edge),
                    Asked::Partners => Target::Partners(data, edge),
                    Asked::Enables(i) => Target::Enables(data, edge, i as usize),
                }
            }
        };
        let words = self.facts.hits(target, asker);
        let row = if words.iter().all(|w| *w == 0) { EMPTY } else { self.words.len() as u32 };
        if row != EMPTY {
            self.words.extend(words);
        }
        let list = &mut self.rows[goal as usize];
        list.resize(list.len().max(instance as usize + 1), UNKNOWN);
        list[instance as usize] = row;
        row
    }
}
