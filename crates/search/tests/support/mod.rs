//! Random graphs with marks, a small store for them, and the brute-force answer.

use ferrospin_search::emptiness::{Arcs, Graph};
use ferrospin_system::{Found, Handle, Store};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Numbers from a seed (xorshift with a multiplication, Vigna 2016).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % n as u64) as usize
    }
}

/// An arc: source, target, marks, whether it lies inside.
pub(crate) type Edge = (usize, usize, u64, bool);

/// A graph given by its arcs; state 0 is the initial one.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    pub(crate) nodes: usize,
    pub(crate) edges: Vec<Edge>,
    pub(crate) wanted: u64,
    pub(crate) restricts: bool,
    /// Gives way to other threads now and then.
    pub(crate) yields: bool,
}

impl Toy {
    /// Two to twelve states, up to `marks_max` wanted marks, parallel arcs and loops included.
    pub(crate) fn random(seed: u64, marks_max: usize, restricts: bool) -> Toy {
        let mut r = Random::new(seed);
        let nodes = 2 + r.below(11);
        let marks = r.below(marks_max + 1);
        let degree = 1 + r.below(3);
        let mut edges = Vec::new();
        for _ in 0..nodes * degree {
            let mut set = 0;
            for m in 0..marks {
                set |= u64::from(r.below(4) == 0) << m;
            }
            edges.push((r.below(nodes), r.below(nodes), set, !restricts || r.below(4) > 0));
        }
        Toy { nodes, edges, wanted: (1 << marks) - 1, restricts, yields: false }
    }

    /// The same with acceptance by states: all arcs of a state carry the mark, or none.
    pub(crate) fn by_states(mut self, seed: u64) -> Toy {
        let mut r = Random::new(seed ^ 0x5555);
        let accepting: Vec<bool> = (0..self.nodes).map(|_| r.below(4) == 0).collect();
        self.wanted = 1;
        self.edges.iter_mut().for_each(|e| e.2 = u64::from(accepting[e.0]));
        self
    }

    /// Whether acceptance is weak: inside a component all arcs carry the mark, or none.
    pub(crate) fn is_weak(&self) -> bool {
        let reach = self.reach(&|_| true);
        self.edges.iter().all(|a| {
            self.edges.iter().all(|b| {
                let on_cycle = |e: &Edge| reach[e.1][e.0];
                let together = reach[a.0][b.0] && reach[b.0][a.0];
                !(on_cycle(a) && on_cycle(b) && together) || (a.2 & self.wanted) == (b.2 & self.wanted)
            })
        })
    }

    /// Whether there is a way, possibly of no arc, along arcs that are `taken`.
    fn reach(&self, taken: &dyn Fn(&Edge) -> bool) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; self.nodes]; self.nodes];
        for (from, row) in reach.iter_mut().enumerate() {
            row[from] = true;
            loop {
                let more: Vec<usize> =
                    self.edges.iter().filter(|e| taken(e) && row[e.0] && !row[e.1]).map(|e| e.1).collect();
                if more.is_empty() {
                    break;
                }
                more.into_iter().for_each(|t| row[t] = true);
            }
        }
        reach
    }

    /// The brute-force answer: some reachable state whose component of inside arcs carries all wanted marks.
    pub(crate) fn has_cycle(&self) -> bool {
        let all = self.reach(&|_| true);
        let inside = self.reach(&|e| e.3);
        (0..self.nodes).filter(|n| all[0][*n]).any(|n| {
            let of: Vec<&Edge> = self.edges.iter().filter(|e| e.3 && inside[n][e.0] && inside[e.1][n]).collect();
            !of.is_empty() && of.iter().fold(0, |m, e| m | e.2) & self.wanted == self.wanted
        })
    }

    /// Whether arcs, named by their index among all, are a lasso that carries all wanted marks.
    pub(crate) fn is_lasso(&self, stem: &[usize], cycle: &[usize]) -> bool {
        let mut at = 0;
        let mut go = |i: &usize| {
            let fits = self.edges[*i].0 == at;
            at = self.edges[*i].1;
            fits
        };
        if !stem.iter().all(&mut go) || cycle.is_empty() {
            return false;
        }
        let start = self.edges[cycle[0]].0;
        let closed = cycle.iter().all(&mut go) && at == start;
        let marks = cycle.iter().fold(0, |m, i| m | self.edges[*i].2);
        closed && cycle.iter().all(|i| self.edges[*i].3) && marks & self.wanted == self.wanted
    }

    fn of(&self, state: &[u8]) -> impl Iterator<Item = (usize, &Edge)> {
        let node = usize::from(state[0]);
        self.edges.iter().enumerate().filter(move |(_, e)| e.0 == node)
    }
}

impl Graph for Toy {
    type Marks = u64;
    type Label = usize;

    fn wanted(&self) -> u64 {
        self.wanted
    }

    fn restricts(&self) -> bool {
        self.restricts
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.push(0);
        true
    }

    fn expand(&mut self, state: &[u8], out: &mut Arcs<u64>) {
        if self.yields {
            std::thread::yield_now();
        }
        for (_, e) in self.of(state) {
            out.push(&[e.1 as u8], e.2, e.3);
        }
    }

    fn label(&mut self, state: &[u8], arc: usize) -> usize {
        self.of(state).nth(arc).expect("an arc").0
    }

    fn end_label(&mut self, _: &[u8]) -> usize {
        unreachable!("a toy graph does not end")
    }
}

/// A store of few states.
#[derive(Default)]
pub(crate) struct Small(Arc<RwLock<States>>);

#[derive(Default)]
struct States {
    numbers: HashMap<Vec<u8>, u64>,
    list: Vec<Vec<u8>>,
}

pub(crate) struct SmallHandle(Arc<RwLock<States>>);

impl Store for Small {
    type Handle<'s> = SmallHandle;
    const EXACT: bool = true;
    const RESTORES: bool = true;

    fn handle(&self) -> SmallHandle {
        SmallHandle(self.0.clone())
    }

    fn memory_bytes(&self) -> u64 {
        0
    }
}

impl Handle for SmallHandle {
    fn prefetch(&self, _: u64) {}

    fn put(&mut self, state: &[u8], _: u64) -> Found {
        let States { numbers, list } = &mut *self.0.write().expect("no panic");
        if let Some(&n) = numbers.get(state) {
            return Found::Seen(n);
        }
        let n = list.len() as u64;
        numbers.insert(state.to_vec(), n);
        list.push(state.to_vec());
        Found::New(n)
    }

    fn find(&self, state: &[u8], _: u64) -> Option<u64> {
        self.0.read().expect("no panic").numbers.get(state).copied()
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        scratch.clear();
        scratch.extend_from_slice(&self.0.read().expect("no panic").list[number as usize]);
        scratch
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}
