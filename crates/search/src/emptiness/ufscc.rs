//! Strongly connected components by many workers: UFSCC (Bloemen, Laarman and van de Pol, PPoPP 2016) with marks.
//!
//! Workers search depth first, each in an order of its own, and share a union-find structure: sets of states that are
//! known to lie in one component. A set knows which workers have been in it, the marks of arcs inside it, and a ring of
//! members that are not done. A worker that comes back to a set on its own path unites all sets on the way; one that is
//! done with a state helps with another member of its set, and when none is left the set is dead for all.
//!
//! When two sets are united by somebody else while a worker is inside the second, the marks of the arc that led it there
//! would be lost with the entry on its stack: they are added when the worker comes back. A state leaves the ring only
//! after the marks of all its arcs inside its set have been added.
//!
//! Everything that changes a set is done under a lock of its root, the lower root first; a worker that holds one waits
//! for nothing else. Beside the store: 32 bytes a state; marks fit in 64 bits, workers too.

use super::explorer::{End, Explorer};
use super::shared::{Cells, Ended, Signal, Team, run, shuffle};
use super::{GoOn, Graph, Lasso, Outcome, lasso};
use ferrospin_system::{Handle, StateHash, Store};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};

/// Most workers.
pub const WORKERS_MAX: usize = 64;

/// A state in the union-find structure. Numbers are kept plus one, so that 0 stands for the state itself.
#[derive(Default)]
struct Node {
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

enum Claim {
    Dead,
    Seen,
    New,
}

struct Ufscc {
    nodes: Cells<Node>,
    wanted: u64,
    one_is_enough: bool,
    own_bytes: AtomicUsize,
}

/// Searches for a cycle that carries all wanted marks, with `threads` workers.
pub fn search<G: Graph<Marks = u64>, S: Store>(
    make: &(dyn Fn() -> G + Sync),
    store: &S,
    hash: StateHash,
    threads: usize,
    go_on: GoOn<'_>,
) -> Outcome<G::Label> {
    let graph = make();
    let team = Ufscc {
        nodes: Cells::new(),
        wanted: graph.wanted(),
        one_is_enough: !graph.restricts(),
        own_bytes: AtomicUsize::new(0),
    };
    drop(graph);
    run(make, store, hash, threads.min(WORKERS_MAX), &team, go_on)
}

impl Ufscc {
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
    fn find(&self, mut state: u32) -> u32 {
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

    fn same(&self, a: u32, b: u32) -> bool {
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
            std::hint::spin_loop();
            std::thread::yield_now();
        }
    }

    fn unlock(&self, root: u32) {
        self.nodes.at(root).lock.store(0, SeqCst);
    }

    /// A worker comes to a state.
    fn claim(&self, state: u32, worker: u64) -> Claim {
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

    /// Adds marks to a state's set; whether it carries all of them now.
    fn add(&self, state: u32, marks: u64) -> bool {
        loop {
            let root = self.find(state);
            let now = self.nodes.at(root).marks.fetch_or(marks, SeqCst) | marks;
            if self.is_root(root) {
                return now & self.wanted == self.wanted;
            }
        }
    }

    /// Unites the sets of two states; whether the united set carries all marks.
    fn unite(&self, a: u32, b: u32) -> bool {
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
            // sees the new parent and adds it again, or did so before it is read here.
            self.nodes.at(other).parent.store(root + 1, SeqCst);
            let workers = self.nodes.at(other).workers.load(SeqCst);
            self.nodes.at(root).workers.fetch_or(workers, SeqCst);
            let marks = self.nodes.at(other).marks.load(SeqCst);
            let now = self.nodes.at(root).marks.fetch_or(marks, SeqCst) | marks;
            self.unlock(root);
            self.unlock(other);
            return now & self.wanted == self.wanted;
        }
    }

    /// All arcs of a state are explored; whether this worker was the first to say so.
    fn done(&self, state: u32) -> bool {
        self.nodes.at(state).flags.fetch_or(DONE, SeqCst) & DONE == 0
    }

    fn is_done(&self, state: u32) -> bool {
        self.nodes.at(state).flags.load(SeqCst) & DONE != 0
    }

    /// A member of a state's set that is not done; when there is none the set is dead.
    fn pick(&self, state: u32) -> Option<u32> {
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

impl<G: Graph<Marks = u64>> Team<G> for Ufscc {
    fn work<H: Handle>(
        &self,
        worker: usize,
        x: &mut Explorer<G, H>,
        first: u32,
        signal: &Signal,
        go_on: GoOn<'_>,
    ) -> Ended {
        let mut w = Worker {
            team: self,
            worker,
            signal,
            frames: Vec::new(),
            roots: Vec::new(),
            waiting: Vec::new(),
            pending: vec![first],
        };
        let result = w.run(x, go_on);
        self.own_bytes.fetch_add(
            size_of::<Frame>() * w.frames.capacity() + 16 * (w.roots.capacity() + w.waiting.capacity()),
            SeqCst,
        );
        match result {
            Ok(None) => Ended::Done,
            Ok(Some(member)) => Ended::Found(member),
            Err(end) => Ended::Early(end),
        }
    }

    fn one_is_enough(&self) -> bool {
        self.one_is_enough
    }

    fn lasso<H: Handle>(&self, x: &mut Explorer<G, H>, first: u32, found: u32) -> Lasso<G::Label> {
        let root = self.find(found);
        lasso::in_component(x, first, &|id| self.find(id) == root)
    }

    fn memory_bytes(&self) -> usize {
        self.nodes.memory_bytes() + self.own_bytes.load(SeqCst)
    }
}

struct Frame {
    /// Where the worker came in, and by an arc with which marks from which state.
    start: u32,
    entry: u64,
    parent: Option<u32>,
    /// The member that is being explored.
    now: u32,
    waiting: u32,
    arcs: u32,
}

struct Worker<'a> {
    team: &'a Ufscc,
    worker: usize,
    signal: &'a Signal,
    frames: Vec<Frame>,
    /// Sets on the way, by a member, with the marks of the arc into each.
    roots: Vec<(u32, u64)>,
    waiting: Vec<(u32, u64)>,
    /// Targets of arcs that lie outside.
    pending: Vec<u32>,
}

impl Worker<'_> {
    /// A member of a set that carries all marks.
    fn run<G: Graph<Marks = u64>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        let bit = 1u64 << self.worker;
        while let Some(start) = self.pending.pop() {
            if !matches!(self.team.claim(start, bit), Claim::New) {
                continue;
            }
            self.enter(x, start, 0, None, go_on)?;
            while let Some(frame) = self.frames.last() {
                let now = frame.now;
                if self.waiting.len() > frame.waiting as usize {
                    let (target, marks) = self.waiting.pop().expect("an arc waits");
                    if target == now || self.team.same(now, target) {
                        if self.team.add(now, marks) {
                            return Ok(Some(now));
                        }
                        continue;
                    }
                    match self.team.claim(target, bit) {
                        Claim::Dead => {}
                        Claim::New => self.enter(x, target, marks, Some(now), go_on)?,
                        Claim::Seen => {
                            if self.close(now, target, marks) {
                                return Ok(Some(now));
                            }
                        }
                    }
                    continue;
                }
                if self.leave(x, go_on)? {
                    return Ok(Some(now));
                }
            }
        }
        Ok(None)
    }

    fn enter<G: Graph<Marks = u64>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        entry: u64,
        parent: Option<u32>,
        go_on: GoOn<'_>,
    ) -> Result<(), End> {
        self.roots.push((state, entry));
        let waiting = self.waiting.len() as u32;
        self.frames.push(Frame { start: state, entry, parent, now: state, waiting, arcs: 0 });
        x.figures.depth = x.figures.depth.max(self.frames.len() as u64);
        self.look(x, state, go_on)
    }

    /// Expands a member of the set on top; its arcs wait.
    fn look<G: Graph<Marks = u64>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        go_on: GoOn<'_>,
    ) -> Result<(), End> {
        x.expand(state)?;
        x.visited_again(go_on)?;
        let frame = self.frames.last_mut().expect("a frame");
        frame.now = state;
        frame.arcs = x.targets.len() as u32;
        let from = self.waiting.len();
        for t in x.targets.iter().rev() {
            if t.inside {
                self.waiting.push((t.id, t.marks));
            } else {
                self.pending.push(t.id);
            }
        }
        shuffle(&mut self.waiting[from..], self.worker, state);
        Ok(())
    }

    /// An arc leads to a set on the worker's own way: all sets from there on are one.
    fn close(&mut self, now: u32, target: u32, marks: u64) -> bool {
        let (mut marks, mut found) = (marks, false);
        loop {
            // A set that died meanwhile was complete, so that its members are united. What is found is told only when
            // all are, so that the whole cycle lies in one set.
            let Some((root, entry)) = self.roots.pop() else { return found };
            found |= self.team.add(root, marks);
            found |= self.team.unite(root, now);
            marks = entry;
            if self.team.same(now, target) {
                self.roots.push((root, entry));
                return found;
            }
        }
    }

    /// All arcs of the member on top are taken; whether its set carries all marks.
    fn leave<G: Graph<Marks = u64>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        go_on: GoOn<'_>,
    ) -> Result<bool, End> {
        let &Frame { start, entry, parent, now, arcs, .. } = self.frames.last().expect("a frame");
        if self.team.done(now) {
            self.signal.states.fetch_add(1, SeqCst);
            self.signal.transitions.fetch_add(u64::from(arcs), SeqCst);
        }
        let with_parent = |team: &Ufscc| parent.is_some_and(|p| team.same(p, now));
        if !with_parent(self.team) {
            if let Some(other) = self.team.pick(now) {
                self.roots.push((other, 0));
                self.look(x, other, go_on)?;
                return Ok(false);
            }
            if !with_parent(self.team) {
                while self.roots.last().is_some_and(|(r, _)| self.team.same(*r, now)) {
                    self.roots.pop();
                }
                self.frames.pop();
                return Ok(false);
            }
        }
        self.frames.pop();
        Ok(self.team.add(start, entry))
    }
}
