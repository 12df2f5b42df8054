//! Strongly connected components by many workers: UFSCC (Bloemen, Laarman and van de Pol, PPoPP 2016) with marks.
//!
//! Workers search depth first, each in an order of its own, and share a union-find structure: sets of states that are
//! known to lie in one component. A set knows which workers have been in it, the marks of arcs inside it, and a ring of
//! members that are not done. A worker that comes back to a set on its own path unites all sets on the way; one that is
//! done with a state helps with another member of its set, and when none is left the set is dead for all.
//!
//! When another worker unites two sets while a worker is inside the second, the marks of the arc that led it there
//! would be lost with the entry on its stack: they are added when the worker comes back. A state leaves the ring only
//! after the marks of all its arcs inside its set have been added.
//!
//! The sets are in [`super::components`]. Beside the store: 32 bytes a state; marks fit in 64 bits, workers too.

use super::components::{Claim, Components};
use super::explorer::{End, Explorer};
use super::shared::{Ended, Signal, Team, run, shuffle};
use super::{GoOn, Graph, Lasso, Outcome, lasso};
use ferrospin_system::{Handle, StateHash, Store};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Most workers.
pub const WORKERS_MAX: usize = 64;

struct Ufscc {
    sets: Components,
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
        sets: Components::new(graph.wanted()),
        one_is_enough: !graph.restricts(),
        own_bytes: AtomicUsize::new(0),
    };
    drop(graph);
    run(make, store, hash, threads.min(WORKERS_MAX), &team, go_on)
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
        // The set lies in one component, but need not be connected in itself yet: two workers that unite sets on their
        // ways may each end early because of what the other has united, and leave out states between.
        let elsewhere = |id| self.sets.is_dead(id) && !self.sets.same(id, found);
        let members = lasso::component(x, found, &elsewhere);
        lasso::in_component(x, first, &|id| members.contains(&id))
    }

    fn memory_bytes(&self) -> usize {
        self.sets.memory_bytes() + self.own_bytes.load(SeqCst)
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
            if !matches!(self.team.sets.claim(start, bit), Claim::New) {
                continue;
            }
            self.enter(x, start, 0, None, go_on)?;
            while let Some(frame) = self.frames.last() {
                let now = frame.now;
                if self.waiting.len() > frame.waiting as usize {
                    let (target, marks) = self.waiting.pop().expect("an arc waits");
                    if target == now || self.team.sets.same(now, target) {
                        if self.team.sets.add(now, marks) {
                            return Ok(Some(now));
                        }
                        continue;
                    }
                    match self.team.sets.claim(target, bit) {
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
            // A set that died meanwhile was complete, so that its members are united.
            let Some((root, entry)) = self.roots.pop() else { return found };
            found |= self.team.sets.add(root, marks);
            found |= self.team.sets.unite(root, now);
            marks = entry;
            if self.team.sets.same(now, target) {
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
        if self.team.sets.done(now) {
            self.signal.states.fetch_add(1, SeqCst);
            self.signal.transitions.fetch_add(u64::from(arcs), SeqCst);
        }
        let with_parent = |team: &Ufscc| parent.is_some_and(|p| team.sets.same(p, now));
        if !with_parent(self.team) {
            if let Some(other) = self.team.sets.pick(now) {
                self.roots.push((other, 0));
                self.look(x, other, go_on)?;
                return Ok(false);
            }
            if !with_parent(self.team) {
                while self.roots.last().is_some_and(|(r, _)| self.team.sets.same(*r, now)) {
                    self.roots.pop();
                }
                self.frames.pop();
                return Ok(false);
            }
        }
        self.frames.pop();
        Ok(self.team.sets.add(start, entry))
    }
}

#[cfg(test)]
// Only a part of it is used here.
#[allow(dead_code)]
#[path = "../../tests/support/mod.rs"]
mod support;

#[cfg(test)]
mod tests {
    use super::support::{Small, Toy};
    use super::*;

    /// Two workers are on opposite ways through a ring; each has united two states that do not touch.
    #[test]
    fn a_set_with_gaps_has_a_lasso() {
        let edges = (0..4).map(|n| (n, (n + 1) % 4, u64::from(n == 1), true)).collect();
        let toy = Toy { nodes: 4, edges, wanted: 1, restricts: false, yields: false };
        let store = Small::default();
        let mut x = Explorer::new(toy.clone(), store.handle(), StateHash::new(0));
        let first = x.start().ok().flatten().expect("a first state");
        (0..4).for_each(|id| assert!(x.expand(id).is_ok()));
        let sets = Components::new(1);
        sets.unite(0, 2);
        assert!(sets.add(0, 1));
        let team = Ufscc { sets, one_is_enough: true, own_bytes: AtomicUsize::new(0) };
        let lasso = team.lasso(&mut x, first, 2);
        assert!(toy.is_lasso(&lasso.stem, &lasso.cycle), "{:?} {:?}", lasso.stem, lasso.cycle);
    }
}
