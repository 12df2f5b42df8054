//! One plain depth-first search for weak automata (Bloem, Ravi and Somenzi 1999; Černá and Pelánek 2003).
//!
//! When on every cycle either all arcs carry the wanted mark or none does, the arc that closes a cycle on the stack
//! tells all about it: no second search, and no components. The caller knows that the automaton is weak.
//!
//! One byte a state; every state is expanded once.

use super::explorer::{Algorithm, End, Explorer, conduct};
use super::marks::MarkSet;
use super::{GoOn, Graph, Lasso, Outcome, lasso};
use ferrospin_system::Handle;

const WHITE: u8 = 0;
/// On the stack.
const CYAN: u8 = 1;
const BLUE: u8 = 2;

#[derive(Default)]
struct Weak {
    colours: Vec<u8>,
    /// State, and where its waiting targets start.
    frames: Vec<(u32, u32)>,
    waiting: Vec<u32>,
}

/// Searches for a cycle of arcs that carry the wanted mark, given that cycles do so everywhere or nowhere.
///
/// # Panics
/// Panics when the graph has arcs outside.
pub fn search<G: Graph, H: Handle>(x: &mut Explorer<G, H>, go_on: GoOn<'_>) -> Outcome<G::Label> {
    assert!(!x.graph.restricts(), "the search of weak automata knows no arcs outside");
    conduct(x, &mut Weak::default(), go_on)
}

impl<G: Graph, H: Handle> Algorithm<G, H> for Weak {
    type Found = u32;

    fn run(&mut self, x: &mut Explorer<G, H>, first: u32, go_on: GoOn<'_>) -> Result<Option<u32>, End> {
        self.explore(x, first, go_on)
    }

    fn memory_bytes(&self) -> usize {
        self.colours.capacity() + 8 * self.frames.capacity() + 4 * self.waiting.capacity()
    }

    fn lasso(&mut self, x: &mut Explorer<G, H>, first: u32, found: u32) -> Lasso<G::Label> {
        lasso::through(x, first, found)
    }
}

impl Weak {
    /// The source of a wanted arc that closes a cycle.
    fn explore<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        first: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        let wanted = x.graph.wanted();
        self.waiting.push(first);
        self.cover(x);
        loop {
            let floor = self.frames.last().map_or(0, |f| f.1 as usize);
            if self.waiting.len() > floor {
                let state = self.waiting.pop().expect("a target waits");
                // A target that waited may have been visited, but not be on the stack: its cycle would have gone
                // through the state it waits at, and was seen when that one was met.
                if self.colours[state as usize] != WHITE {
                    continue;
                }
                self.colours[state as usize] = CYAN;
                self.frames.push((state, self.waiting.len() as u32));
                x.expand(state)?;
                x.visited(go_on)?;
                x.figures.depth = x.figures.depth.max(self.frames.len() as u64);
                self.cover(x);
                for t in x.targets.iter().rev() {
                    match self.colours[t.id as usize] {
                        WHITE => self.waiting.push(t.id),
                        CYAN if t.marks.covers(wanted) => return Ok(Some(state)),
                        _ => {}
                    }
                }
                continue;
            }
            match self.frames.pop() {
                None => return Ok(None),
                Some((state, _)) => {
                    x.graph.left();
                    self.colours[state as usize] = BLUE;
                }
            }
        }
    }

    fn cover<G: Graph, H: Handle>(&mut self, x: &Explorer<G, H>) {
        if x.bound > self.colours.len() {
            self.colours.resize((x.bound + x.bound / 2).max(1024), WHITE);
        }
    }
}
