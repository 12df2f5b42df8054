//! Emptiness: is there a reachable cycle that carries every wanted mark?
//!
//! A [`Graph`] gives states and *arcs*; an arc carries marks. Acceptance of a Büchi automaton is one mark, weak fairness
//! one more for each process ([`product`]). A run is a violation when every wanted mark occurs on it again and again;
//! such a run exists if and only if some reachable cycle carries all wanted marks. One file holds one algorithm; all of
//! them see states by their number in the store and make successors anew whenever they need them, so that a state costs
//! its bytes in the store and a few more in arrays beside it.
//!
//! | algorithm | passes | marks | beside a state | threads |
//! |---|---|---|---|---|
//! | [`couvreur`] | one | any | 4 bytes | 1 |
//! | [`ndfs`] | two | one | 1 byte | 1 |
//! | [`tau03`] | one per mark and more | any | 4 bytes and a set | 1 |
//! | [`weak`] | one | one, on all edges of a cycle or none | 1 byte | 1 |
//! | [`livelock`] | one | none: cycles of inside arcs | 1 byte | 1 |
//! | [`cndfs`] | two | one, by states | 1 byte and 1 for each worker | many |
//! | [`ufscc`] | one | up to 64 | 32 bytes | many |
//!
//! An algorithm for one mark decides more with the help of [`copies`]. Where a property only looks at the system, [`cached`] makes
//! the successors of each state of the system once for all states of the property, and keeps them. [`shortest`] makes what was found
//! shorter.

pub mod cached;
pub mod cndfs;
mod components;
pub mod copies;
pub mod couvreur;
mod explorer;
pub mod lasso;
pub mod livelock;
pub mod marks;
pub mod ndfs;
pub mod product;
pub mod reducing;
mod shared;
pub mod shortest;
pub mod tau03;
pub mod testing;
pub mod ufscc;
pub mod weak;

#[cfg(test)]
mod under_loom;

/// What shared structures are made of: under loom they are compiled over other primitives.
mod sync {
    pub(super) use super::shared::Cells;
    pub(super) use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};
    pub(super) use std::thread::yield_now;
}

pub use explorer::Explorer;
use marks::MarkSet;

/// A graph whose states are byte slices and whose arcs carry marks.
pub trait Graph {
    /// Sets of marks.
    type Marks: MarkSet;
    /// What an arc is called in a counterexample.
    type Label: Clone;

    /// The marks that a cycle must carry; with none of them, every cycle of arcs inside counts.
    fn wanted(&self) -> Self::Marks;

    /// Whether there may be arcs that lie on no wanted cycle: see [`Arc::inside`].
    fn restricts(&self) -> bool;

    /// The initial state; false when there is none.
    fn initial(&mut self, out: &mut Vec<u8>) -> bool;

    /// Adds all arcs of a state, always in the same order.
    fn expand(&mut self, state: &[u8], out: &mut Arcs<Self::Marks>);

    /// What the arc of this index is called.
    fn label(&mut self, state: &[u8], arc: usize) -> Self::Label;

    /// What led to [`Halt::End`] at this state.
    fn end_label(&mut self, state: &[u8]) -> Self::Label;

    /// Whether the arcs depend on the path of the search. Then it must be a true depth-first search, which says when it
    /// enters and leaves a state.
    fn follows_path(&self) -> bool {
        false
    }

    /// The state that was expanded last goes onto the path.
    fn entered(&mut self) {}

    /// The last state of the path is left: all states that its arcs lead to have been entered.
    fn left(&mut self) {}

    /// Whether the graph numbers its states itself. The bytes of a state are its number then, and what follows is used
    /// instead of [`Graph::expand`].
    const NUMBERED: bool = false;

    /// The arcs of a state by its number.
    fn follow(&mut self, number: u32, out: &mut Vec<Target<Self::Marks>>) -> Option<Halt> {
        let _ = (number, out);
        Some(Halt::Unfit)
    }

    /// The same as far as it is known already.
    fn recall(&mut self, number: u32, out: &mut Vec<Target<Self::Marks>>) {
        let _ = (number, out);
    }

    /// An upper bound (exclusive) of all numbers given so far.
    fn bound(&self) -> usize {
        0
    }

    /// See [`Arcs::cut`].
    fn cut(&self) -> Cut {
        Cut::default()
    }

    /// Bytes of the longest state.
    fn state_bytes(&self) -> u64 {
        0
    }

    /// Memory it holds, but for what is in a store.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// Where an arc leads, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target<M> {
    /// The number of the target.
    pub id: u32,
    /// See [`Arc`].
    pub marks: M,
    /// See [`Arc`].
    pub inside: bool,
    /// See [`Arc`].
    pub loose: bool,
}

/// One arc.
#[derive(Clone, Copy, Debug)]
pub struct Arc<M> {
    /// Where the target starts in [`Arcs::bytes`].
    pub start: u32,
    /// How long it is.
    pub len: u32,
    /// The marks it carries.
    pub marks: M,
    /// Whether it may lie on a wanted cycle.
    pub inside: bool,
    /// Whether the target is *loose*: no arc of it lies inside, so that it lies on no wanted cycle at all.
    pub loose: bool,
}

/// Why a search must not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The run is a violation here and now, whatever follows: a property reached its end.
    End,
    /// There is no memory for what the graph must remember.
    Full,
    /// There are more marks than the sets have room for.
    Narrow,
    /// The graph is not what the algorithm can decide.
    Unfit,
}

/// Runs that a graph does not show, because they do not come back to a state of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// Some run may never leave an `atomic`.
    pub endless: bool,
    /// Some run ends in a failure.
    pub failed: bool,
}

impl Cut {
    /// What was cut here or there.
    #[must_use]
    pub fn or(self, other: Cut) -> Cut {
        Cut { endless: self.endless || other.endless, failed: self.failed || other.failed }
    }

    /// Whether anything was cut.
    pub fn any(self) -> bool {
        self.endless || self.failed
    }
}

/// The arcs of one state, in buffers that are used again and again.
#[derive(Debug)]
pub struct Arcs<M> {
    /// The targets, with gaps between them.
    pub bytes: Vec<u8>,
    /// The arcs.
    pub list: Vec<Arc<M>>,
    /// Set when the search must stop.
    pub halt: Option<Halt>,
    /// What was cut so far; it stays set.
    pub cut: Cut,
    /// Steps through states that are not states of the graph; they add up.
    pub inner_steps: u64,
    /// Which edges a property that is not part of the graph could take: see [`cached`].
    pub(crate) letter: Option<u64>,
    /// Beside it: no process can move.
    pub(crate) still: bool,
}

impl<M> Default for Arcs<M> {
    fn default() -> Self {
        let (cut, inner_steps) = (Cut::default(), 0);
        Arcs { bytes: Vec::new(), list: Vec::new(), halt: None, cut, inner_steps, letter: None, still: false }
    }
}

impl<M> Arcs<M> {
    /// Forgets the arcs, keeps the memory and what adds up.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.halt = None;
    }

    /// Adds an arc.
    #[inline]
    pub fn push(&mut self, target: &[u8], marks: M, inside: bool) {
        self.push_parts(target, &[], marks, inside);
    }

    /// Adds an arc to a target that is given in two parts.
    #[inline]
    pub fn push_parts(&mut self, target: &[u8], rest: &[u8], marks: M, inside: bool) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(target);
        self.bytes.extend_from_slice(rest);
        self.push_known(start, self.bytes.len() - start, marks, inside);
    }

    /// Adds an arc to a target that is in the bytes already.
    #[inline]
    pub fn push_known(&mut self, start: usize, len: usize, marks: M, inside: bool) {
        self.list.push(Arc { start: start as u32, len: len as u32, marks, inside, loose: false });
    }

    /// The target of an arc.
    #[inline]
    pub fn target(&self, i: usize) -> &[u8] {
        let arc = &self.list[i];
        &self.bytes[arc.start as usize..][..arc.len as usize]
    }
}

/// What a search has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Distinct states that were visited.
    pub states: u64,
    /// Arcs of visited states, each once, and one for the initial state.
    pub transitions: u64,
    /// Expansions beyond the first of each state.
    pub repeated: u64,
    /// Steps through states that are not stored.
    pub inner_steps: u64,
    /// The longest path on the stack.
    pub depth: u64,
    /// Strongly connected components that were left, where the search knows them.
    pub components: Option<u64>,
    /// Bytes of the longest state.
    pub state_bytes: u64,
    /// Bytes that the search holds beside the store.
    pub beside_bytes: u64,
}

/// Why nothing was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The caller asked for it.
    Caller,
    /// The store is full.
    Full,
    /// The system gives no thread for a worker.
    Threads,
    /// See [`Halt::Narrow`].
    Narrow,
    /// See [`Halt::Unfit`].
    Unfit,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<L> {
    /// No cycle carries all wanted marks.
    Empty,
    /// One does.
    Cycle(Lasso<L>),
    /// The graph said [`Halt::End`] at the end of this path.
    End(Vec<L>),
    /// Nothing was decided.
    Stopped(Stopped),
}

/// A path from the initial state, and a cycle at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso<L> {
    /// To the cycle.
    pub stem: Vec<L>,
    /// The cycle; at least one arc.
    pub cycle: Vec<L>,
}

/// A verdict with what it took.
#[derive(Clone, Debug)]
pub struct Outcome<L> {
    /// What was found.
    pub verdict: Verdict<L>,
    /// What was done.
    pub figures: Figures,
    /// See [`Arcs::cut`].
    pub cut: Cut,
}

/// Is asked now and then whether the search may go on.
pub type GoOn<'a> = &'a mut dyn FnMut(&Figures) -> bool;

/// How many expansions pass between two questions.
pub(crate) const EXPANSIONS_PER_QUESTION: u64 = 1024;
