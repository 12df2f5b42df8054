//! The coarsest partition for weak bisimilarity, of a graph without internal cycles.
//!
//! The signature of a state is the set of its labels with the blocks that they lead to when internal steps before and behind do not
//! count, and of the blocks that internal steps alone lead to, its own among them. The saturated edges are never made: signing a
//! state walks them. To be called with a graph that was minimised for branching bisimilarity, which is finer and cheap.

use crate::graph::{Edge, Graph, Label, Reverse, State};
use crate::partition::{History, Partition};
use crate::refine;
use crate::signatures::Signatures;
use crate::watch::{Pace, Stopped, Watch};
use std::collections::VecDeque;

/// Marks of visited states that are forgotten at once.
pub(crate) struct Visited {
    seen: Vec<u32>,
    now: u32,
}

impl Visited {
    pub(crate) fn new(states: usize) -> Self {
        Visited { seen: vec![0; states], now: 0 }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        if self.now == u32::MAX {
            self.seen.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// True the first time.
    pub(crate) fn add(&mut self, state: u32) -> bool {
        let slot = &mut self.seen[state as usize];
        let is_new = *slot != self.now;
        *slot = self.now;
        is_new
    }
}

/// Adds to a list of states all that internal steps lead to from them.
pub(crate) fn close(graph: &Graph, states: &mut Vec<u32>, visited: &mut Visited) {
    visited.clear();
    states.retain(|s| visited.add(*s));
    let mut i = 0;
    while let Some(state) = states.get(i).copied() {
        i += 1;
        for edge in graph.edges(State(state)).iter().take_while(|e| e.label == Label::TAU) {
            if visited.add(edge.target.0) {
                states.push(edge.target.0);
            }
        }
    }
}

/// The partition.
pub(crate) fn weak(graph: &Graph, watch: &dyn Watch) -> Result<History, Stopped> {
    let mut partition = refine::classes(graph);
    let mut waiting: VecDeque<u32> = (0..partition.blocks.len() as u32).collect();
    for block in &mut partition.blocks {
        block.waiting = true;
    }
    let mut signer = Signer::new(graph);
    let reverse = graph.reverse();
    let mut signatures = Signatures::default();
    let (mut parts, mut words, mut widths, mut heavy) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut pace = Pace::new(watch);
    let mut affected = Affected::new(graph.state_count());
    while let Some(block) = waiting.pop_front() {
        partition.blocks[block as usize].waiting = false;
        signatures.clear();
        parts.clear();
        // Marked states may be signed as before, like those that are not marked: then they stay with these.
        let rest = partition.unmarked(block);
        if let Some(state) = rest {
            pace.add(signer.sign(state, &partition, &mut words))?;
            signatures.number(&words);
        }
        while let Some(state) = partition.marked(block).get(parts.len()).copied() {
            pace.add(signer.sign(state, &partition, &mut words))?;
            let number = signatures.number(&words);
            match rest {
                Some(_) if number == 0 => partition.unmark(state),
                Some(_) => parts.push(number - 1),
                None => parts.push(number),
            }
        }
        let count = signatures.len() - usize::from(rest.is_some());
        widths.resize(count, 0);
        heavy.resize(count, false);
        for part in partition.split(block, &parts, &widths, &heavy) {
            affected.find(&reverse, partition.states(part));
            for state in &affected.states {
                pace.add(1)?;
                if partition.mark(*state) {
                    let number = partition.block_of(*state);
                    let block = &mut partition.blocks[number as usize];
                    if !block.waiting {
                        block.waiting = true;
                        waiting.push_back(number);
                    }
                }
            }
        }
    }
    Ok(partition.into_history())
}

/// Signs states, or tells what their signatures are made of.
pub(crate) struct Signer<'a> {
    graph: &'a Graph,
    visited: Visited,
    inner: Visited,
    before: Vec<u32>,
    steps: Vec<Edge>,
    behind: Vec<u32>,
}

impl<'a> Signer<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        let n = graph.state_count();
        Signer {
            graph,
            visited: Visited::new(n),
            inner: Visited::new(n),
            before: Vec::new(),
            steps: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// Calls `see` with every label and state that are reached: the state itself with the internal action among them.
    pub(crate) fn walk(&mut self, state: u32, mut see: impl FnMut(Label, u32)) -> usize {
        let Signer { graph, visited, inner, before, steps, behind } = self;
        before.clear();
        before.push(state);
        close(graph, before, visited);
        let mut work = before.len();
        steps.clear();
        for state in &*before {
            see(Label::TAU, *state);
            steps.extend(graph.edges(State(*state)).iter().filter(|e| e.label != Label::TAU));
        }
        steps.sort_unstable();
        steps.dedup();
        for group in steps.chunk_by(|a, b| a.label == b.label) {
            behind.clear();
            behind.extend(group.iter().map(|e| e.target.0));
            close(graph, behind, inner);
            work += behind.len();
            for state in &*behind {
                see(group[0].label, *state);
            }
        }
        work
    }

    fn sign(&mut self, state: u32, partition: &Partition, words: &mut Vec<u64>) -> usize {
        words.clear();
        let work = self.walk(state, |label, target| {
            words.push(u64::from(label.0) << 32 | u64::from(partition.block_of(target)));
        });
        words.sort_unstable();
        words.dedup();
        work
    }
}

/// Which signatures change when states get a new number.
struct Affected {
    before: Visited,
    states: Vec<u32>,
    reached: Visited,
}

impl Affected {
    fn new(states: usize) -> Self {
        Affected { before: Visited::new(states), states: Vec::new(), reached: Visited::new(states) }
    }

    fn find(&mut self, reverse: &Reverse, moved: &[u32]) {
        self.states.clear();
        self.before.clear();
        self.reached.clear();
        // Internal steps to the moved states, then one step, then internal steps again.
        let mut behind: Vec<u32> = moved.to_vec();
        behind.iter().for_each(|s| _ = self.reached.add(*s));
        let mut i = 0;
        while let Some(state) = behind.get(i).copied() {
            i += 1;
            if self.before.add(state) {
                self.states.push(state);
            }
            for edge in reverse.edges(state) {
                if edge.label == Label::TAU {
                    if self.reached.add(edge.target.0) {
                        behind.push(edge.target.0);
                    }
                } else if self.before.add(edge.target.0) {
                    self.states.push(edge.target.0);
                }
            }
        }
        let mut i = 0;
        while let Some(state) = self.states.get(i).copied() {
            i += 1;
            for edge in reverse.edges(state) {
                if edge.label == Label::TAU && self.before.add(edge.target.0) {
                    self.states.push(edge.target.0);
                }
            }
        }
    }
}
