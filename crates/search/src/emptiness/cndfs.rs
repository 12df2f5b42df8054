//! Nested depth-first search by many workers: CNDFS (Evangelista, Laarman, Petrucci and van de Pol, ATVA 2012).
//!
//! Every worker runs a nested search of its own, in an order of its own, and shares two colours: a state is *blue* when
//! some worker is done with it, *red* when no accepting cycle can be reached from it through a red search. Before a
//! worker makes the states of its red search red it waits until the accepting ones among them are red already: another
//! worker is at them, and its red search must not be cut short.
//!
//! Acceptance belongs to states here: all arcs of a state carry the wanted mark, or none. A graph in which they differ
//! is refused ([`super::Stopped::Unfit`]).
//!
//! Beside the store: a shared byte a state, and a byte for each worker.

use super::explorer::{End, Explorer};
use super::marks::MarkSet;
use super::shared::{Cells, Ended, Signal, Team, run, shuffle};
use super::{GoOn, Graph, Lasso, Outcome, Stopped, lasso};
use ferrospin_system::{Handle, StateHash, Store};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// Shared colours.
const BLUE: u8 = 1;
const RED: u8 = 2;

/// A worker's own colours: on its blue stack, accepting beside it, in its red search.
const CYAN: u8 = 1;
const ACCEPTING: u8 = 2;
const PINK: u8 = 4;

struct Cndfs {
    colours: Cells<AtomicU8>,
    own_bytes: AtomicUsize,
}

/// Searches for a cycle through an accepting state, with `threads` workers.
///
/// # Panics
/// Panics when the graph has arcs outside.
pub fn search<G: Graph, S: Store>(
    make: &(dyn Fn() -> G + Sync),
    store: &S,
    hash: StateHash,
    threads: usize,
    go_on: GoOn<'_>,
) -> Outcome<G::Label> {
    let team = Cndfs { colours: Cells::new(), own_bytes: AtomicUsize::new(0) };
    run(make, store, hash, threads, &team, go_on)
}

impl Cndfs {
    fn has(&self, state: u32, colour: u8) -> bool {
        self.colours.at(state).load(Ordering::SeqCst) & colour != 0
    }
}

impl<G: Graph> Team<G> for Cndfs {
    fn work<H: Handle>(
        &self,
        worker: usize,
        x: &mut Explorer<G, H>,
        first: u32,
        signal: &Signal,
        go_on: GoOn<'_>,
    ) -> Ended {
        assert!(!x.graph.restricts(), "nested search knows no arcs outside");
        let mut w = Worker { team: self, worker, signal, own: Vec::new(), frames: Vec::new(), waiting: Vec::new() };
        let result = w.blue(x, first, go_on);
        self.own_bytes.fetch_add(
            w.own.capacity() + size_of::<Frame>() * w.frames.capacity() + 4 * w.waiting.capacity(),
            Ordering::SeqCst,
        );
        match result {
            Ok(None) => Ended::Done,
            Ok(Some(source)) => Ended::Found(source),
            Err(end) => Ended::Early(end),
        }
    }

    fn one_is_enough(&self) -> bool {
        true
    }

    fn lasso<H: Handle>(&self, x: &mut Explorer<G, H>, first: u32, found: u32) -> Lasso<G::Label> {
        lasso::through(x, first, found)
    }

    fn memory_bytes(&self) -> usize {
        self.colours.memory_bytes() + self.own_bytes.load(Ordering::SeqCst)
    }
}

struct Frame {
    state: u32,
    waiting: u32,
    arcs: u32,
    accepting: bool,
}

struct Worker<'a> {
    team: &'a Cndfs,
    worker: usize,
    signal: &'a Signal,
    /// By number of the state.
    own: Vec<u8>,
    frames: Vec<Frame>,
    waiting: Vec<u32>,
}

/// Whether all arcs are accepting or none is: which, or `None` when they differ.
fn acceptance<G: Graph, H: Handle>(x: &Explorer<G, H>) -> Option<bool> {
    let wanted = x.graph.wanted();
    let accepting = x.targets.first().is_some_and(|t| t.marks.covers(wanted));
    x.targets.iter().all(|t| t.marks.covers(wanted) == accepting).then_some(accepting)
}

impl Worker<'_> {
    fn cover<G: Graph, H: Handle>(&mut self, x: &Explorer<G, H>) {
        if x.bound > self.own.len() {
            self.own.resize((x.bound + x.bound / 2).max(1024), 0);
        }
    }

    /// An accepting state on a cycle.
    fn blue<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        first: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        self.waiting.push(first);
        self.cover(x);
        loop {
            let floor = self.frames.last().map_or(0, |f| f.waiting as usize);
            if self.waiting.len() > floor {
                let state = self.waiting.pop().expect("a target waits");
                if self.own[state as usize] & CYAN != 0 || self.team.has(state, BLUE) {
                    continue;
                }
                if let Some(source) = self.enter(x, state, go_on)? {
                    return Ok(Some(source));
                }
                continue;
            }
            let Some(frame) = self.frames.pop() else { return Ok(None) };
            if self.team.colours.at(frame.state).fetch_or(BLUE, Ordering::SeqCst) & BLUE == 0 {
                self.signal.states.fetch_add(1, Ordering::Relaxed);
                self.signal.transitions.fetch_add(u64::from(frame.arcs), Ordering::Relaxed);
            }
            if frame.accepting && self.red(x, frame.state, go_on)? {
                return Ok(Some(frame.state));
            }
            self.own[frame.state as usize] &= !(CYAN | ACCEPTING);
        }
    }

    fn enter<G: Graph, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        x.expand(state)?;
        x.visited_again(go_on)?;
        self.cover(x);
        let accepting = acceptance(x).ok_or(Stopped::Unfit)?;
        self.own[state as usize] |= if accepting { CYAN | ACCEPTING } else { CYAN };
        let from = self.waiting.len();
        self.frames.push(Frame { state, waiting: from as u32, arcs: x.targets.len() as u32, accepting });
        x.figures.depth = x.figures.depth.max(self.frames.len() as u64);
        for t in x.targets.iter().rev() {
            let own = self.own[t.id as usize];
            if own & CYAN != 0 {
                // The cycle closes on the stack, and one of its ends is accepting.
                if accepting {
                    return Ok(Some(state));
                }
                if own & ACCEPTING != 0 {
                    return Ok(Some(t.id));
                }
            } else if !self.team.has(t.id, BLUE) {
                self.waiting.push(t.id);
            }
        }
        shuffle(&mut self.waiting[from..], self.worker, state);
        Ok(None)
    }

    /// The red search from an accepting state; whether it meets the blue stack.
    fn red<G: Graph, H: Handle>(&mut self, x: &mut Explorer<G, H>, seed: u32, go_on: GoOn<'_>) -> Result<bool, End> {
        // State, and whether it is accepting.
        let mut pink: Vec<(u32, bool)> = Vec::new();
        let mut work = vec![seed];
        self.own[seed as usize] |= PINK;
        while let Some(at) = work.pop() {
            x.expand(at)?;
            x.visited_again(go_on)?;
            self.cover(x);
            pink.push((at, acceptance(x).ok_or(Stopped::Unfit)?));
            for t in &x.targets {
                let own = &mut self.own[t.id as usize];
                if *own & CYAN != 0 {
                    return Ok(true);
                }
                if *own & PINK == 0 && !self.team.has(t.id, RED) {
                    *own |= PINK;
                    work.push(t.id);
                }
            }
        }
        for &(state, accepting) in &pink {
            if accepting && state != seed && !self.team.has(state, RED) {
                self.wait(x, state, go_on)?;
            }
        }
        for (state, _) in pink {
            self.own[state as usize] &= !PINK;
            self.team.colours.at(state).fetch_or(RED, Ordering::SeqCst);
        }
        Ok(false)
    }

    /// Waits until another worker has made a state red.
    fn wait<G: Graph, H: Handle>(&self, x: &mut Explorer<G, H>, state: u32, go_on: GoOn<'_>) -> Result<(), End> {
        let mut on = true;
        let figures = x.figures;
        x.handle.absent(&mut || {
            let mut turns = 0u64;
            while on && !self.team.has(state, RED) {
                std::thread::yield_now();
                turns += 1;
                if turns.is_multiple_of(1024) || self.signal.is_stopped() {
                    on = go_on(&figures);
                }
            }
        });
        if on { Ok(()) } else { Err(Stopped::Caller.into()) }
    }
}
