//! Sets of states that many workers unite: the structure behind [`super::ufscc`].
//!
//! A union-find structure whose sets know which workers have been in them, the marks of arcs inside, and a ring of members
//! that are not done (Bloemen, Laarman and van de Pol, PPoPP 2016). Everything that changes a set is done under a lock of
//! its root, the lower root first; a worker that holds one waits for nothing else. Bits of workers and marks are added
//! without a lock.
//!
//! This file is compiled a second time over loom's primitives (`under_loom.rs`).

use super::sync::{AtomicU8, AtomicU32, AtomicU64, Cells, yield_now};
use std::sync::atomic::Ordering::SeqCst;

/// A state in the union-find structure. Numbers are kept plus one, so that 0 stands for the state itself.
#[derive(Default)]
pub(super) struct Node {
    parent: AtomicU32,
    /// The next member of the ring; of a root's set the ring is entered at `entry`.
    next: AtomicU32,
    entry: AtomicU32,
    flags: AtomicU8,
    lock: AtomicU8,
    workers: AtomicU64,
    marks: AtomicU64,
}

/// All arcs of the state are explored.
const DONE: u8 = 1;
/// Of a root: the set is a whole component without accepting cycle.
const DEAD: u8 = 2;

/// What a worker learns of a state that it comes to.
pub(super) enum Claim {
    /// Its set is a whole component without accepting cycle.
    Dead,
    /// The worker has been in its set.
    Seen,
    /// It has not.
    New,
}

/// The sets.
pub(super) struct Components {
    nodes: Cells<Node>,
    wanted: u64,
}

impl Components {
    /// Every state alone; a set that carries the wanted marks has an accepting cycle.
    pub(super) fn new(wanted: u64) -> Self {
        Components { nodes: Cells::new(), wanted }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.nodes.memory_bytes()
    }

    fn parent(&self, state: u32) -> u32 {
        match self.nodes.at(state).parent.load(SeqCst) {
            0 => state,
            p => p - 1,
        }
    }

    fn next(&self, state: u32) -> u32 {
        match self.nodes.at(state).next.load(SeqCst) {
            0 => state,
            n => n - 1,
        }
    }

    fn entry(&self, root: u32) -> u32 {
        match self.nodes.at(root).entry.load(SeqCst) {
            0 => root,
            e => e - 1,
        }
    }

    /// The root of a state's set; ways get shorter on the way.
    pub(super) fn find(&self, mut state: u32) -> u32 {
        loop {
            let parent = self.parent(state);
            if parent == state {
                return state;
            }
            let above = self.parent(parent);
            if above == parent {
                return parent;
            }
            let _ = self.nodes.at(state).parent.compare_exchange(parent + 1, above + 1, SeqCst, SeqCst);
            state = above;
        }
    }

    fn is_root(&self, state: u32) -> bool {
        self.nodes.at(state).parent.load(SeqCst) == 0
    }

    pub(super) fn same(&self, a: u32, b: u32) -> bool {
        loop {
            let (ra, rb) = (self.find(a), self.find(b));
            if ra == rb {
                return true;
            }
            if self.is_root(ra) {
                return false;
            }
        }
    }

    fn lock(&self, root: u32) {
        while self.nodes.at(root).lock.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
            yield_now();
        }
    }

    fn unlock(&self, root: u32) {
        self.nodes.at(root).lock.store(0, SeqCst);
    }

    /// A worker comes to a state.
    pub(super) fn claim(&self, state: u32, worker: u64) -> Claim {
        let mut root = self.find(state);
        if self.nodes.at(root).flags.load(SeqCst) & DEAD != 0 {
            return Claim::Dead;
        }
        if self.nodes.at(root).workers.fetch_or(worker, SeqCst) & worker != 0 {
            return Claim::Seen;
        }
        // The bit must reach the root, wherever that is now. That it may be there already means nothing any more.
        while !self.is_root(root) {
            root = self.find(root);
            self.nodes.at(root).workers.fetch_or(worker, SeqCst);
        }
        Claim::New
    }

    /// Whether a state's set is known to be a whole component.
    pub(super) fn is_dead(&self, state: u32) -> bool {
        self.nodes.at(self.find(state)).flags.load(SeqCst) & DEAD != 0
    }

    /// Adds marks to a state's set; whether it carries all of them now.
    pub(super) fn add(&self, state: u32, marks: u64) -> bool {
        loop {
            let root = self.find(state);
            let now = self.nodes.at(root).marks.fetch_or(marks, SeqCst) | marks;
            if self.is_root(root) {
                return now & self.wanted == self.wanted;
            }
        }
    }

    /// Unites the sets of two states; whether the united set carries all marks.
    pub(super) fn unite(&self, a: u32, b: u32) -> bool {
        loop {
            let (ra, rb) = (self.find(a), self.find(b));
            if ra == rb {
                return false;
            }
            let (root, other) = (ra.max(rb), ra.min(rb));
            self.lock(other);
            self.lock(root);
            if !self.is_root(other) || !self.is_root(root) {
                self.unlock(root);
                self.unlock(other);
                continue;
            }
            let (e, f) = (self.entry(root), self.entry(other));
            let (after_e, after_f) = (self.next(e), self.next(f));
            self.nodes.at(e).next.store(after_f + 1, SeqCst);
            self.nodes.at(f).next.store(after_e + 1, SeqCst);
            // First the parent, then what belongs to the set: whoever added something to `other` meanwhile either
            // sees the new parent and adds it again, or did so before it is read here. It is read by an operation that
            // writes, too, so that this holds whatever is reordered otherwise.
            self.nodes.at(other).parent.store(root + 1, SeqCst);
            let workers = self.nodes.at(other).workers.fetch_or(0, SeqCst);
            self.nodes.at(root).workers.fetch_or(workers, SeqCst);
            let marks = self.nodes.at(other).marks.fetch_or(0, SeqCst);
            let now = self.nodes.at(root).marks.fetch_or(marks, SeqCst) | marks;
            self.unlock(root);
            self.unlock(other);
            return now & self.wanted == self.wanted;
        }
    }

    /// All arcs of a state are explored; whether this worker was the first to say so.
    pub(super) fn done(&self, state: u32) -> bool {
        self.nodes.at(state).flags.fetch_or(DONE, SeqCst) & DONE == 0
    }

    fn is_done(&self, state: u32) -> bool {
        self.nodes.at(state).flags.load(SeqCst) & DONE != 0
    }

    /// A member of a state's set that is not done; when there is none the set is dead.
    pub(super) fn pick(&self, state: u32) -> Option<u32> {
        loop {
            let root = self.find(state);
            self.lock(root);
            if !self.is_root(root) {
                self.unlock(root);
                continue;
            }
            let found = self.pick_locked(root);
            self.unlock(root);
            return found;
        }
    }

    fn pick_locked(&self, root: u32) -> Option<u32> {
        let mut at = self.entry(root);
        loop {
            if !self.is_done(at) {
                self.nodes.at(root).entry.store(at + 1, SeqCst);
                return Some(at);
            }
            let next = self.next(at);
            if next == at {
                self.nodes.at(root).entry.store(at + 1, SeqCst);
                self.nodes.at(root).flags.fetch_or(DEAD, SeqCst);
                return None;
            }
            if !self.is_done(next) {
                self.nodes.at(root).entry.store(next + 1, SeqCst);
                return Some(next);
            }
            // Two that are done: the second leaves the ring.
            let after = self.next(next);
            self.nodes.at(at).next.store(after + 1, SeqCst);
            self.nodes.at(root).entry.store(at + 1, SeqCst);
            at = after;
        }
    }
}
