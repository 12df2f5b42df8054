//! The coarsest partition that keeps signatures, for strong and branching notions.
//!
//! The signature of a state is the set of its labels with the blocks they lead to; two states stay in one block only if their
//! signatures are equal. For branching notions an internal edge inside a block is *inert*: it adds the signature of its target
//! instead (Blom and Orzan 2003; Blom and van de Pol 2009). States on a cycle of inert edges are one from the beginning, so that
//! inert edges go down; those that can go round for ever carry a word of their own where divergence counts.
//!
//! When a block splits, the largest part keeps its number, and only states with an edge into another part are signed again. The
//! states of a block that need not be signed have the signature that all of them had before; where an inert edge leads to one of
//! them, a single word [`OLD`] stands for it. That word also replaces all of the old signature wherever it is found whole, so that
//! equal sets are equal lists. Blocks whose states are dear to sign wait until the others are stable.
//!
//! A state is signed again O(log n) times for each of its edges.

use crate::components::components;
use crate::graph::{Builder, Edge, Graph, Label, Reverse, State};
use crate::partition::{History, NONE, Partition};
use crate::signatures::Signatures;
use crate::watch::{Pace, Stopped, Watch};
use std::collections::VecDeque;

/// All that the block's signature was when it was last looked at.
const OLD: u64 = u64::MAX;
/// The state can take inert edges for ever.
const DIVERGES: u64 = u64::MAX - 1;
/// States with this many edges are dear to sign.
const MANY_EDGES: usize = 1024;

/// A refined partition of a graph, or of a smaller graph that stands for it.
pub(crate) struct Refined {
    /// The states of the smaller graph that stand for those of the graph; `None` when it is the graph itself.
    pub(crate) node_of: Option<Vec<u32>>,
    /// Their blocks.
    pub(crate) history: History,
}

impl Refined {
    /// What stands for a state.
    pub(crate) fn node(&self, state: State) -> u32 {
        self.node_of.as_ref().map_or(state.0, |nodes| nodes[state.index()])
    }

    pub(crate) fn block_of(&self, state: State) -> u32 {
        self.history.block_of(self.node(state))
    }
}

/// Where a partition begins: one block for each class that has states.
pub(crate) fn classes(graph: &Graph) -> Partition {
    let mut block_of = vec![NONE; graph.valuation().map_or(1, |v| v.classes.len())];
    let mut count = 0;
    for state in graph.states() {
        let block = &mut block_of[graph.class(state) as usize];
        if *block == NONE {
            *block = count;
            count += 1;
        }
    }
    Partition::new(graph.states().map(|s| block_of[graph.class(s) as usize]), count as usize)
}

/// Strong bisimilarity.
pub(crate) fn strong(graph: &Graph, watch: &dyn Watch) -> Result<Refined, Stopped> {
    let history = Refinement::new(graph, None, None, watch).run::<false>()?;
    Ok(Refined { node_of: None, history })
}

/// Branching bisimilarity; with `divergence` the one that preserves divergence.
pub(crate) fn branching(graph: &Graph, divergence: bool, watch: &dyn Watch) -> Result<Refined, Stopped> {
    let (component_of, count) = components(graph, watch)?;
    let mut diverges = vec![false; if divergence { count as usize } else { 0 }];
    if divergence {
        for state in graph.states() {
            let component = component_of[state.index()];
            let stays = |e: &Edge| e.label == Label::TAU && component_of[e.target.index()] == component;
            if graph.edges(state).iter().take_while(|e| e.label == Label::TAU).any(stays) {
                diverges[component as usize] = true;
            }
        }
    }
    if count as usize == graph.state_count() {
        // A state alone is its own component: only the order of the numbers is of use.
        let diverges = divergence.then(|| component_of.iter().map(|c| diverges[*c as usize]).collect());
        let history = Refinement::new(graph, Some(component_of), diverges, watch).run::<true>()?;
        return Ok(Refined { node_of: None, history });
    }
    let collapsed = collapse(graph, &component_of, count);
    let history = Refinement::new(&collapsed, None, divergence.then_some(diverges), watch).run::<true>()?;
    Ok(Refined { node_of: Some(component_of), history })
}

/// The graph of the components, without the internal edges inside them.
fn collapse(graph: &Graph, component_of: &[u32], count: u32) -> Graph {
    let mut builder = Builder::with_labels(graph.labels().clone());
    builder.reserve(graph.edge_count());
    for (source, edge) in graph.all_edges() {
        let (s, t) = (component_of[source.index()], component_of[edge.target.index()]);
        if edge.label != Label::TAU || s != t {
            builder.push(State(s), Edge { label: edge.label, target: State(t) });
        }
    }
    if let Some(valuation) = graph.valuation() {
        let mut class_of = vec![0; count as usize];
        for state in graph.states() {
            class_of[component_of[state.index()] as usize] = valuation.class_of[state.index()];
        }
        let (propositions, classes) = (valuation.propositions.clone(), valuation.classes.clone());
        builder.set_valuation(crate::graph::Valuation { propositions, classes, class_of });
    }
    builder.finish(count as usize, State(component_of[graph.initial().index()]))
}

/// The work.
struct Refinement<'a> {
    graph: &'a Graph,
    reverse: Reverse,
    partition: Partition,
    /// Inert edges lead to states of a smaller rank; without it, to states of a smaller number.
    rank: Option<Vec<u32>>,
    diverges: Option<Vec<bool>>,
    signatures: Signatures,
    /// Blocks that have marked states: cheap ones, dear ones.
    waiting: [VecDeque<u32>; 2],
    pace: Pace<'a>,
    // Scratch memory.
    order: Vec<u32>,
    parts: Vec<u32>,
    words: Vec<u64>,
    widths: Vec<u32>,
    heavy: Vec<bool>,
}

impl<'a> Refinement<'a> {
    fn new(graph: &'a Graph, rank: Option<Vec<u32>>, diverges: Option<Vec<bool>>, watch: &'a dyn Watch) -> Self {
        let partition = classes(graph);
        let waiting = [(0..partition.blocks.len() as u32).collect(), VecDeque::new()];
        Refinement {
            graph,
            reverse: graph.reverse(),
            partition,
            rank,
            diverges,
            signatures: Signatures::default(),
            waiting,
            pace: Pace::new(watch),
            order: Vec::new(),
            parts: Vec::new(),
            words: Vec::new(),
            widths: Vec::new(),
            heavy: Vec::new(),
        }
    }

    fn run<const INERT: bool>(mut self) -> Result<History, Stopped> {
        while let Some(block) = self.waiting[0].pop_front().or_else(|| self.waiting[1].pop_front()) {
            self.partition.blocks[block as usize].waiting = false;
            if self.partition.marked(block).is_empty() {
                continue;
            }
            self.sign::<INERT>(block)?;
            let new = self.partition.split(block, &self.parts, &self.widths, &self.heavy);
            for part in new {
                self.mark_around::<INERT>(block, part);
            }
        }
        Ok(self.partition.into_history())
    }

    /// Gives the marked states of a block their parts.
    fn sign<const INERT: bool>(&mut self, block: u32) -> Result<(), Stopped> {
        if INERT {
            self.mark_above(block);
        }
        let Refinement { graph, partition, signatures, order, parts, words, widths, heavy, .. } = self;
        let places = partition.marked_places(block);
        self.pace.add(places.len())?;
        signatures.clear();
        widths.clear();
        heavy.clear();
        parts.clear();
        parts.resize(places.len(), NONE);
        order.clear();
        order.extend_from_slice(partition.marked(block));
        if INERT {
            match &self.rank {
                Some(rank) => order.sort_unstable_by_key(|s| rank[*s as usize]),
                None => order.sort_unstable(),
            }
        }
        let this = partition.blocks[block as usize];
        let is_first = this.stamp == 0;
        // An edge to the block it was parted from was inert before.
        let parted = u64::from(Label::TAU.0) << 32 | u64::from(this.parent);
        let is_new = |w: u64| w != DIVERGES && (w as u32 >= this.stamp || this.parent != NONE && w == parted);
        for state in &*order {
            words.clear();
            let (mut from_old, mut is_heavy) = (false, false);
            let edges = graph.edges(State(*state));
            for edge in edges {
                let target = edge.target.0;
                let target_block = partition.block_of(target);
                if !(INERT && edge.label == Label::TAU && target_block == block) {
                    words.push(u64::from(edge.label.0) << 32 | u64::from(target_block));
                } else if target != *state {
                    is_heavy = true;
                    if partition.is_marked(target) {
                        let part = parts[(partition.place(target) - places.start) as usize];
                        let inherited = signatures.get(part);
                        let (rest, is_old) = match inherited.split_last() {
                            Some((&OLD, rest)) => (rest, true),
                            _ => (inherited, false),
                        };
                        from_old |= is_old;
                        words.extend_from_slice(rest);
                    } else {
                        from_old = true;
                    }
                }
            }
            if INERT && self.diverges.as_ref().is_some_and(|d| d[*state as usize]) {
                words.push(DIVERGES);
            }
            words.sort_unstable();
            words.dedup();
            let mut width = words.len();
            if INERT && !is_first {
                let old = words.iter().filter(|w| !is_new(**w)).count();
                debug_assert!(old <= this.width as usize, "what is not new was there before");
                if from_old || old == this.width as usize {
                    words.retain(|w| is_new(*w));
                    width = this.width as usize + words.len();
                    words.push(OLD);
                }
            }
            is_heavy |= edges.len() >= MANY_EDGES;
            let part = signatures.number(words);
            if part as usize == widths.len() {
                widths.push(width as u32);
                heavy.push(is_heavy);
            } else {
                heavy[part as usize] |= is_heavy;
            }
            parts[(partition.place(*state) - places.start) as usize] = part;
        }
        Ok(())
    }

    /// Marks what leads to marked states by inert edges.
    fn mark_above(&mut self, block: u32) {
        let mut i = 0;
        while let Some(state) = self.partition.marked(block).get(i).copied() {
            i += 1;
            for edge in self.reverse.edges(state) {
                if edge.label == Label::TAU && self.partition.block_of(edge.target.0) == block {
                    self.partition.mark(edge.target.0);
                }
            }
        }
    }

    /// The states of a part have a new number: marks those whose signatures that changes.
    fn mark_around<const INERT: bool>(&mut self, old: u32, part: u32) {
        self.order.clear();
        self.order.extend_from_slice(self.partition.states(part));
        for i in 0..self.order.len() {
            let state = self.order[i];
            for edge in self.reverse.edges(state) {
                let source = edge.target.0;
                let moved_along = INERT && edge.label == Label::TAU && self.partition.block_of(source) == part;
                if !moved_along && self.partition.mark(source) {
                    enqueue(&mut self.partition, &mut self.waiting, source);
                }
            }
            if INERT {
                let mut internal = self.graph.edges(State(state)).iter().take_while(|e| e.label == Label::TAU);
                if internal.any(|e| self.partition.block_of(e.target.0) == old) && self.partition.mark(state) {
                    enqueue(&mut self.partition, &mut self.waiting, state);
                }
            }
        }
    }
}

/// The block of a marked state waits.
fn enqueue(partition: &mut Partition, waiting: &mut [VecDeque<u32>; 2], state: u32) {
    let number = partition.block_of(state);
    let block = &mut partition.blocks[number as usize];
    if !block.waiting {
        block.waiting = true;
        waiting[usize::from(block.heavy)].push_back(number);
    }
}
