//! Livelocks in one pass (Valmari 1993; Hansen, Penczek and Valmari, "Stuttering-insensitive automata for on-the-fly
//! detection of livelock properties", 2002): cycles made of inside arcs only, whatever marks they carry.
//!
//! The outer search goes breadth first over everything; wherever an arc inside leaves a state, an inner depth-first
//! search follows inside arcs only, and the states it has left are free of livelocks for good. So every state is expanded
//! once, and short ways are tried first. A testing automaton makes "for ever in this place" such a cycle
//! ([`super::testing`]), and a cycle without progress is one by itself.
//!
//! One byte a state.

use super::explorer::{Algorithm, End, Explorer, conduct};
use super::marks::MarkSet;
use super::{GoOn, Graph, Lasso, Outcome, lasso};
use ferrospin_system::Handle;
use std::collections::VecDeque;

/// Stored, but not met by this search.
const NEW: u8 = 0;
/// Waits in the outer search.
const WHITE: u8 = 1;
/// On the inner stack.
const GRAY: u8 = 2;
const BLACK: u8 = 3;

/// The order of the outer search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Finds short ways to a livelock first.
    BreadthFirst,
    /// Goes deep first.
    DepthFirst,
}

struct Livelock {
    order: Order,
    colours: Vec<u8>,
    outer: VecDeque<u32>,
    /// State, and where its waiting targets start.
    frames: Vec<(u32, u32)>,
    waiting: Vec<u32>,
}

/// Searches for a cycle of inside arcs.
///
/// # Panics
/// Panics when marks are wanted, or when the graph follows the path.
pub fn search<G: Graph, H: Handle>(x: &mut Explorer<G, H>, order: Order, go_on: GoOn<'_>) -> Outcome<G::Label> {
    assert!(x.graph.wanted().is_none(), "a livelock needs no marks");
    assert!(!x.graph.follows_path(), "the outer search goes breadth first");
    let outer = VecDeque::new();
    let mut l = Livelock { order, colours: Vec::new(), outer, frames: Vec::new(), waiting: Vec::new() };
    conduct(x, &mut l, go_on)
}

impl<G: Graph, H: Handle> Algorithm<G, H> for Livelock {
    type Found = u32;

    fn run(&mut self, x: &mut Explorer<G, H>, first: u32, go_on: GoOn<'_>) -> Result<Option<u32>, End> {
        self.outer.push_back(first);
        self.explore(x, go_on)
    }

    fn memory_bytes(&self) -> usize {
        self.colours.capacity() + 4 * (self.outer.capacity() + self.waiting.capacity()) + 8 * self.frames.capacity()
    }

    fn lasso(&mut self, x: &mut Explorer<G, H>, first: u32, found: u32) -> Lasso<G::Label> {
        lasso::through(x, first, found)
    }
}

impl Livelock {
    /// The source of the arc that closes a cycle.
    fn explore<G: Graph, H: Handle>(&mut self, x: &mut Explorer<G, H>, go_on: GoOn<'_>) -> Result<Option<u32>, End> {
        self.cover(x);
        loop {
            let start = match self.order {
                Order::BreadthFirst => self.outer.pop_front(),
                Order::DepthFirst => self.outer.pop_back(),
            };
            let Some(start) = start else { return Ok(None) };
            if self.colours[start as usize] >= GRAY {
                continue;
            }
            if let Some(source) = self.enter(x, start, go_on)? {
                return Ok(Some(source));
            }
            while let Some(&(state, floor)) = self.frames.last() {
                if self.waiting.len() == floor as usize {
                    self.frames.pop();
                    self.colours[state as usize] = BLACK;
                    continue;
                }
                // What turned gray and black while it waited is done: a cycle through it was closed below.
                let next = self.waiting.pop().expect("a target waits");
                if self.colours[next as usize] < GRAY
                    && let Some(source) = self.enter(x, next, go_on)?
                {
                    return Ok(Some(source));
                }
            }
        }
    }

    fn cover<G: Graph, H: Handle>(&mut self, x: &Explorer<G, H>) {
        if x.bound > self.colours.len() {
            self.colours.resize((x.bound + x.bound / 2).max(1024), NEW);
        }
    }

    fn enter<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        self.colours[state as usize] = GRAY;
        self.frames.push((state, self.waiting.len() as u32));
        x.expand(state)?;
        x.visited(go_on)?;
        x.figures.depth = x.figures.depth.max(self.frames.len() as u64);
        self.cover(x);
        for t in &x.targets {
            let colour = &mut self.colours[t.id as usize];
            if t.inside && *colour == GRAY {
                return Ok(Some(state));
            }
            if t.inside && *colour < GRAY {
                self.waiting.push(t.id);
            } else if *colour == NEW {
                *colour = WHITE;
                self.outer.push_back(t.id);
            }
        }
        let floor = self.frames.last().expect("just pushed").1 as usize;
        self.waiting[floor..].reverse();
        Ok(None)
    }
}
