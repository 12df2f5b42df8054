//! A set of words as a minimal automaton, and how a word is added to it.
//!
//! Minimal means: no two nodes have equal edges, and from every node a word can be completed. A new word leaves the
//! automaton at some node; from there on it needs a tail, and the nodes of its path up to there change bottom-up, since
//! each leads to another node than before. A node that is reached by this word's path alone is taken out and made anew;
//! any other one must stay for the others, and a changed copy takes its place on the path.
//!
//! *Alone* is more than one reference: a node with one reference below a shared node is on the paths of all that share
//! it; and one edge stands for many words when its range has many bytes. So a node may be changed only when the root and
//! all nodes between have one reference each, and all ranges between have one byte.
//!
//! Whether a node is changed or copied, the result is looked up first, and an equal node is used instead: this keeps the
//! automaton minimal, whatever the order of the words.

use super::Size;
use super::nodes::{ACCEPT, Edge, NONE, Nodes, words};
use ferrospin_system::Found;
use std::collections::BTreeMap;

/// A set of words.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) nodes: Nodes,
    /// By length.
    pub(super) roots: BTreeMap<usize, u32>,
    states: u64,
    /// The path of the word that is looked at.
    path: Vec<Visit>,
    /// Edges of the node that is being made.
    edges: Vec<Edge>,
}

/// A node on the path of a word.
#[derive(Clone, Copy, Debug)]
struct Visit {
    node: u32,
    /// The edge the word takes; the last node of the path has none for it.
    edge: Option<Edge>,
    /// Whether only this path leads to the node.
    alone: bool,
}

/// What is checked before a node counts as being on one path only. Leaving out either check is wrong, as tests show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caution {
    pub(super) ancestors: bool,
    pub(super) ranges: bool,
}

const ALL: Caution = Caution { ancestors: true, ranges: true };

impl Language {
    pub(super) fn new(memory_limit_bytes: u64) -> Language {
        Language {
            nodes: Nodes::new(memory_limit_bytes),
            roots: BTreeMap::new(),
            states: 0,
            path: Vec::new(),
            // The longest list there can be, so that it never grows.
            edges: Vec::with_capacity(258),
        }
    }

    pub(super) fn size(&self) -> Size {
        Size { states: self.states, nodes: self.nodes.count, edges: self.nodes.edges }
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.nodes.memory_bytes() + self.beside_bytes()
    }

    /// Memory of all but the nodes.
    fn beside_bytes(&self) -> u64 {
        let scratch = self.path.capacity() * size_of::<Visit>() + self.edges.capacity() * size_of::<Edge>();
        // An entry of the map takes 12 bytes, and its nodes are half full at least.
        (scratch + 24 * (self.roots.len() + 1)) as u64
    }

    pub(super) fn contains(&self, word: &[u8]) -> bool {
        let Some(root) = self.roots.get(&word.len()) else { return false };
        word.iter().try_fold(*root, |node, byte| Some(self.nodes.step(node, *byte)?.child)).is_some()
    }

    pub(super) fn insert(&mut self, word: &[u8]) -> Found {
        self.insert_with(word, ALL)
    }

    pub(super) fn insert_with(&mut self, word: &[u8], caution: Caution) -> Found {
        if self.walk(word, caution) {
            return Found::Seen(0);
        }
        let on_path = self.path.len();
        let changed: usize = self.path.iter().map(|visit| words(self.nodes.edge_count(visit.node) + 2)).sum();
        if !self.nodes.has_room(changed + (word.len() - on_path) * words(1), self.beside_bytes()) {
            return Found::Full;
        }
        let mut child = ACCEPT;
        for byte in word[on_path..].iter().rev() {
            self.edges.clear();
            self.edges.push(Edge { low: *byte, high: *byte, child });
            child = self.intern_copy(child, false);
        }
        for i in (0..on_path).rev() {
            let alone_below = self.path.get(i + 1).is_some_and(|visit| visit.alone);
            child = self.lead(self.path[i], word[i], child, alone_below);
        }
        if self.path.first().is_some_and(|root| !root.alone) {
            self.nodes.lose(self.path[0].node);
        }
        self.roots.insert(word.len(), child);
        self.states += 1;
        Found::New(0)
    }

    /// Follows a word as far as it goes; whether it is there.
    fn walk(&mut self, word: &[u8], caution: Caution) -> bool {
        self.path.clear();
        let Some(root) = self.roots.get(&word.len()) else { return false };
        let mut node = *root;
        let mut alone_above = true;
        for byte in word {
            let edge = self.nodes.step(node, *byte);
            let alone = self.nodes.references(node) == 1 && (alone_above || !caution.ancestors);
            self.path.push(Visit { node, edge, alone });
            let Some(edge) = edge else { return false };
            alone_above = alone && (edge.low == edge.high || !caution.ranges);
            node = edge.child;
        }
        true
    }

    /// The node of a visit, with `byte` leading to `child`; takes over the caller's reference to `child` and gives one to
    /// the result.
    fn lead(&mut self, visit: Visit, byte: u8, child: u32, alone_below: bool) -> u32 {
        self.edges.clear();
        self.edges.extend(self.nodes.edges_of(visit.node));
        let merged = redirect(&mut self.edges, byte, child);
        if !visit.alone {
            return self.intern_copy(child, true);
        }
        // The references of the old node's edges become those of the new one's, but for what has changed.
        self.nodes.remove(visit.node);
        if let Some(old) = visit.edge {
            match (old.low < byte, old.high > byte) {
                // The range is gone; a node below that was on this path alone is gone with it.
                (false, false) if alone_below => {}
                (false, false) => self.nodes.lose(old.child),
                (true, true) => self.nodes.gain(old.child),
                _ => {}
            }
        }
        for _ in 0..merged {
            self.nodes.lose(child);
        }
        if let Some(equal) = self.nodes.find(&self.edges) {
            for edge in &self.edges {
                self.nodes.lose(edge.child);
            }
            self.nodes.gain(equal);
            return equal;
        }
        self.nodes.add(&self.edges)
    }

    /// The node with the present edges. The caller's reference to `child` goes to it; where it is a `copy`, its other
    /// edges get references of their own.
    fn intern_copy(&mut self, child: u32, copy: bool) -> u32 {
        if let Some(equal) = self.nodes.find(&self.edges) {
            self.nodes.gain(equal);
            self.nodes.lose(child);
            return equal;
        }
        if copy {
            for edge in &self.edges {
                self.nodes.gain(edge.child);
            }
            self.nodes.lose(child);
        }
        self.nodes.add(&self.edges)
    }
}

/// Makes `byte` lead to `child` in a sorted list of edges; how many neighbours the new edge has been merged with.
fn redirect(edges: &mut Vec<Edge>, byte: u8, child: u32) -> usize {
    debug_assert!(child != NONE);
    let mut at = edges.partition_point(|edge| edge.high < byte);
    if let Some(&old) = edges.get(at).filter(|edge| edge.low <= byte) {
        let before = (old.low < byte).then(|| Edge { high: byte - 1, ..old });
        let after = (byte < old.high).then(|| Edge { low: byte + 1, ..old });
        edges.splice(at..=at, before.into_iter().chain(after));
        at += usize::from(before.is_some());
    }
    let mut edge = Edge { low: byte, high: byte, child };
    let mut merged = 0;
    if let Some(next) = edges.get(at).filter(|next| next.child == child && next.low.checked_sub(1) == Some(byte)) {
        edge.high = next.high;
        edges.remove(at);
        merged += 1;
    }
    let before = at.checked_sub(1).map(|i| edges[i]);
    if let Some(before) = before.filter(|before| before.child == child && before.high.checked_add(1) == Some(byte)) {
        edge.low = before.low;
        at -= 1;
        edges.remove(at);
        merged += 1;
    }
    edges.insert(at, edge);
    merged
}
