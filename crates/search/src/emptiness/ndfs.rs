//! Nested depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis 1992) with the improvements of Schwoon and
//! Esparza (2005), for one mark on arcs.
//!
//! The blue search visits every state once. When it goes back over an accepting arc, the red search looks from the
//! arc's target for a state on the blue stack: such a state closes a cycle through the arc. States that were red once
//! need not be red again, because the accepting arcs are left in post-order. A cycle whose closing arc, or whose first
//! arc on the stack, is accepting is seen by the blue search already.
//!
//! One byte a state; every state is expanded at most twice. Several marks, and arcs that lie on no wanted cycle, need
//! [`super::copies`].

use super::explorer::{Algorithm, End, Explorer, conduct};
use super::marks::MarkSet;
use super::{GoOn, Graph, Lasso, Outcome, lasso};
use ferrospin_system::Handle;

const WHITE: u8 = 0;
/// On the blue stack.
const CYAN: u8 = 1;
const BLUE: u8 = 2;
/// Beside a colour: a red search has been here.
const RED: u8 = 4;
/// Beside cyan: the blue search has gone on from here over an accepting arc.
const WENT: u8 = 8;

struct Frame {
    state: u32,
    /// Where its waiting arcs start.
    waiting: u32,
    /// Whether the arc that led here is accepting.
    entered: bool,
}

#[derive(Default)]
struct Ndfs {
    colours: Vec<u8>,
    frames: Vec<Frame>,
    /// Arcs to states that were white: target, and whether the arc is accepting.
    waiting: Vec<(u32, bool)>,
    /// Targets that wait in the red search.
    red: Vec<u32>,
    /// Accepting arcs to blue states of the state that is being entered.
    again: Vec<u32>,
}

/// Searches for a cycle with an arc that carries the one wanted mark.
///
/// # Panics
/// Panics when more than one mark is wanted, or when the graph has arcs outside.
pub fn search<G: Graph, H: Handle>(x: &mut Explorer<G, H>, go_on: GoOn<'_>) -> Outcome<G::Label> {
    assert!(!x.graph.restricts(), "nested search needs copies where arcs may lie outside");
    conduct(x, &mut Ndfs::default(), go_on)
}

impl<G: Graph, H: Handle> Algorithm<G, H> for Ndfs {
    type Found = u32;

    fn run(&mut self, x: &mut Explorer<G, H>, first: u32, go_on: GoOn<'_>) -> Result<Option<u32>, End> {
        self.explore(x, first, go_on)
    }

    fn memory_bytes(&self) -> usize {
        self.colours.capacity() + 12 * self.frames.capacity() + 8 * self.waiting.capacity() + 4 * self.red.capacity()
    }

    fn lasso(&mut self, x: &mut Explorer<G, H>, first: u32, found: u32) -> Lasso<G::Label> {
        lasso::through(x, first, found)
    }
}

impl Ndfs {
    /// The source of an accepting arc that lies on a cycle.
    fn explore<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        first: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        self.cover(x);
        if let Some(source) = self.enter(x, first, false, go_on)? {
            return Ok(Some(source));
        }
        while let Some(frame) = self.frames.last() {
            let state = frame.state;
            if self.waiting.len() > frame.waiting as usize {
                let (target, accepting) = self.waiting.pop().expect("an arc waits");
                let found = match self.colours[target as usize] {
                    WHITE => {
                        if accepting {
                            self.colours[state as usize] |= WENT;
                        } else {
                            self.colours[state as usize] &= !WENT;
                        }
                        self.enter(x, target, accepting, go_on)?
                    }
                    _ => self.meet(x, state, target, accepting, go_on)?,
                };
                if found.is_some() {
                    return Ok(found);
                }
                continue;
            }
            let frame = self.frames.pop().expect("not empty");
            x.graph.left();
            let colour = &mut self.colours[state as usize];
            *colour = *colour & RED | BLUE;
            if frame.entered && self.turn_red(x, state, go_on)? {
                return Ok(Some(self.frames.last().expect("the source of the arc").state));
            }
        }
        Ok(None)
    }

    fn cover<G: Graph, H: Handle>(&mut self, x: &Explorer<G, H>) {
        if x.bound > self.colours.len() {
            self.colours.resize((x.bound + x.bound / 2).max(1024), WHITE);
        }
    }

    fn enter<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        entered: bool,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        self.colours[state as usize] = CYAN;
        self.frames.push(Frame { state, waiting: self.waiting.len() as u32, entered });
        x.expand(state)?;
        x.visited(go_on)?;
        x.figures.depth = x.figures.depth.max(self.frames.len() as u64);
        self.cover(x);
        let wanted = x.graph.wanted();
        self.again.clear();
        for t in x.targets.iter().rev() {
            let accepting = t.marks.covers(wanted);
            let colour = self.colours[t.id as usize];
            if colour == WHITE {
                self.waiting.push((t.id, accepting));
            } else if colour & CYAN != 0 {
                if let Some(source) = closes(colour, accepting, state, t.id) {
                    return Ok(Some(source));
                }
            } else if accepting {
                self.again.push(t.id);
            }
        }
        while let Some(target) = self.again.pop() {
            if self.turn_red(x, target, go_on)? {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    /// An arc leads to a state that is not white.
    fn meet<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        target: u32,
        accepting: bool,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        let colour = self.colours[target as usize];
        if colour & CYAN != 0 {
            return Ok(closes(colour, accepting, state, target));
        }
        Ok(if accepting && self.turn_red(x, target, go_on)? { Some(state) } else { None })
    }

    /// The red search from a blue state; whether it meets the blue stack.
    fn turn_red<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        go_on: GoOn<'_>,
    ) -> Result<bool, End> {
        if self.colours[state as usize] & RED != 0 {
            return Ok(false);
        }
        self.colours[state as usize] |= RED;
        self.red.clear();
        self.red.push(state);
        while let Some(at) = self.red.pop() {
            x.expand(at)?;
            x.visited_again(go_on)?;
            for t in &x.targets {
                let colour = &mut self.colours[t.id as usize];
                if *colour & CYAN != 0 {
                    return Ok(true);
                }
                if *colour & RED == 0 {
                    *colour |= RED;
                    self.red.push(t.id);
                }
            }
        }
        Ok(false)
    }
}

/// An arc leads to a state on the blue stack: the source of an accepting arc on the cycle, if one is known at once.
fn closes(colour: u8, accepting: bool, state: u32, target: u32) -> Option<u32> {
    if accepting {
        Some(state)
    } else if colour & WENT != 0 {
        Some(target)
    } else {
        None
    }
}
