//! Small systems and stores that need no front end: explicit graphs as machines, hash maps as stores.

use ferrospin_system::{Control, Failure, FailureCode, Found, Handle, Labels, Machine, Move, Moves, Step, Store};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A graph: for each node its edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) edges: Vec<Vec<u32>>,
    /// Nodes at which it is fine to stop.
    pub(crate) ends: Vec<bool>,
    /// Nodes inside `atomic`: not stored.
    pub(crate) inner: Vec<bool>,
    /// Nodes at the arrival of which an assertion fails.
    pub(crate) failing: Vec<bool>,
}

/// Random numbers: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

impl Graph {
    pub(crate) fn random(seed: u64, nodes: u64, degree: u64, inner: bool, faults: bool) -> Graph {
        let mut r = Random(seed);
        let mut g = Graph::default();
        for n in 0..nodes {
            let count = r.below(degree + 1);
            g.edges.push((0..count).map(|_| r.below(nodes) as u32).collect());
            g.ends.push(!faults || r.below(4) > 0);
            g.inner.push(inner && n > 0 && r.below(3) == 0);
            g.failing.push(faults && r.below(nodes) < 2);
        }
        g
    }

    /// A graph without faults.
    pub(crate) fn plain(edges: Vec<Vec<u32>>) -> Graph {
        let n = edges.len();
        Graph { edges, ends: vec![true; n], inner: vec![false; n], failing: vec![false; n] }
    }
}

/// A graph as a system of one process.
#[derive(Clone)]
pub(crate) struct Toy(pub(crate) Arc<Graph>);

fn node(state: &[u8]) -> usize {
    u32::from_le_bytes(state[..4].try_into().expect("four bytes")) as usize
}

fn write(n: u32, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&n.to_le_bytes());
    // States of different lengths.
    out.extend(std::iter::repeat_n(7, n as usize % 3));
}

impl Machine for Toy {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        write(0, out);
        Ok(())
    }

    fn moves(&mut self, state: &[u8], _: Control, out: &mut Moves) {
        out.clear();
        out.list.extend((0..self.0.edges[node(state)].len() as u32).map(|e| Move::single(0, e)));
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let to = self.0.edges[node(state)][mv.edge as usize];
        write(to, out);
        let failing = self.0.failing[to as usize];
        let failure = failing.then_some(Failure { code: FailureCode::new(0), edge: mv.edge, process: 0 });
        let control = if self.0.inner[to as usize] { Control::Exclusive(0) } else { Control::Free };
        Step { control, failure, proceeds: true }
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], _: Labels) -> Labels {
        Labels::END.when(self.0.ends[node(state)])
    }
}

/// Numbers by states, and states by numbers.
type Inside = (HashMap<Vec<u8>, u64>, Vec<Vec<u8>>);

/// A hash map as a store. With `NUMBERS` it restores states by small numbers.
#[derive(Default)]
pub(crate) struct Map<const NUMBERS: bool> {
    pub(crate) inside: Mutex<Inside>,
    pub(crate) full_at: Option<usize>,
}

pub(crate) struct MapHandle<'a, const NUMBERS: bool>(&'a Map<NUMBERS>);

impl<const NUMBERS: bool> Store for Map<NUMBERS> {
    type Handle<'s> = MapHandle<'s, NUMBERS>;
    const EXACT: bool = true;
    const RESTORES: bool = NUMBERS;
    const SMALL_NUMBERS: bool = NUMBERS;

    fn handle(&self) -> MapHandle<'_, NUMBERS> {
        MapHandle(self)
    }

    fn memory_bytes(&self) -> u64 {
        self.inside.lock().unwrap().1.len() as u64
    }
}

impl<const NUMBERS: bool> Handle for MapHandle<'_, NUMBERS> {
    fn prefetch(&self, _: u64) {}

    fn put(&mut self, state: &[u8], _: u64) -> Found {
        let mut inside = self.0.inside.lock().unwrap();
        if let Some(n) = inside.0.get(state) {
            return Found::Seen(if NUMBERS { *n } else { 0 });
        }
        if self.0.full_at.is_some_and(|n| inside.1.len() >= n) {
            return Found::Full;
        }
        let n = inside.1.len() as u64 + 1;
        inside.0.insert(state.to_vec(), n);
        inside.1.push(state.to_vec());
        Found::New(if NUMBERS { n } else { 0 })
    }

    fn find(&self, state: &[u8], _: u64) -> Option<u64> {
        self.0.inside.lock().unwrap().0.get(state).copied()
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        assert!(NUMBERS);
        scratch.clear();
        scratch.extend_from_slice(&self.0.inside.lock().unwrap().1[number as usize - 1]);
        scratch
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}
