//! What all searches share: a graph, a worker's handle to the store, and the arcs of one state with their targets stored.
//!
//! All targets of a state are hashed and prefetched before the first of them is looked up, so that the misses of the
//! table overlap. Each is stored when it is met, visited or not; the arrays of a search tell visited states apart.

use super::{Arcs, EXPANSIONS_PER_QUESTION, Figures, GoOn, Graph, Halt, Lasso, Outcome, Stopped, Verdict};
use ferrospin_system::{Found, Handle, Query, StateHash};

/// A target of the state that was expanded last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<M> {
    pub(crate) id: u32,
    pub(crate) marks: M,
    pub(crate) inside: bool,
    pub(crate) loose: bool,
}

/// How many loose states are expanded together.
pub(crate) const BATCH: usize = 8;

/// A graph and a handle to the store of its states.
pub struct Explorer<G: Graph, H> {
    pub(crate) graph: G,
    pub(crate) handle: H,
    hash: StateHash,
    arcs: Arcs<G::Marks>,
    batch: Vec<Arcs<G::Marks>>,
    hashes: Vec<u64>,
    queries: Vec<Query>,
    answers: Vec<Found>,
    scratch: Vec<u8>,
    pub(crate) targets: Vec<Target<G::Marks>>,
    pub(crate) figures: Figures,
    /// An upper bound of all numbers seen, plus one.
    pub(crate) bound: usize,
    until_question: u64,
}

/// A sequential search as [`conduct`] needs it.
pub(crate) trait Algorithm<G: Graph, H: Handle> {
    /// What tells where a cycle is.
    type Found;

    /// Searches from the first state.
    fn run(&mut self, x: &mut Explorer<G, H>, first: u32, go_on: GoOn<'_>) -> Result<Option<Self::Found>, End>;

    /// Memory it holds beside the store.
    fn memory_bytes(&self) -> usize;

    /// A lasso for what was found.
    fn lasso(&mut self, x: &mut Explorer<G, H>, first: u32, found: Self::Found) -> Lasso<G::Label>;
}

/// The frame of every sequential search: from the initial state to the outcome.
pub(crate) fn conduct<G: Graph, H: Handle>(
    x: &mut Explorer<G, H>,
    algorithm: &mut impl Algorithm<G, H>,
    go_on: GoOn<'_>,
) -> Outcome<G::Label> {
    let first = match x.start() {
        Ok(Some(first)) => first,
        Ok(None) => return Outcome { verdict: Verdict::Empty, figures: x.final_figures(0), cut: false },
        Err(why) => return Outcome { verdict: Verdict::Stopped(why), figures: x.final_figures(0), cut: false },
    };
    let result = algorithm.run(x, first, go_on);
    let figures = x.final_figures(algorithm.memory_bytes());
    let verdict = match result {
        Ok(None) => Verdict::Empty,
        Ok(Some(found)) => Verdict::Cycle(algorithm.lasso(x, first, found)),
        Err(end) => x.ended(end, first),
    };
    Outcome { verdict, figures, cut: x.cut() }
}

/// A search that ended before it decided.
pub(crate) enum End {
    /// The state at which the run is a violation.
    Violation(u32),
    Stopped(Stopped),
}

impl From<Stopped> for End {
    fn from(why: Stopped) -> End {
        End::Stopped(why)
    }
}

impl<G: Graph, H: Handle> Explorer<G, H> {
    /// An explorer over a store that holds nothing else; the hash is the one of the store.
    pub fn new(graph: G, handle: H, hash: StateHash) -> Self {
        Explorer {
            graph,
            handle,
            hash,
            arcs: Arcs::default(),
            batch: Vec::new(),
            hashes: Vec::new(),
            queries: Vec::new(),
            answers: Vec::new(),
            scratch: Vec::new(),
            targets: Vec::new(),
            figures: Figures::default(),
            bound: 0,
            until_question: EXPANSIONS_PER_QUESTION,
        }
    }

    /// Stores the initial state and gives its number; `None` when there is none.
    pub(crate) fn start(&mut self) -> Result<Option<u32>, Stopped> {
        let mut state = Vec::new();
        if !self.graph.initial(&mut state) {
            return Ok(None);
        }
        self.figures.transitions = 1;
        self.figures.state_bytes = state.len() as u64;
        let id = self.put(&state, self.hash.of(&state))?;
        Ok(Some(id))
    }

    #[inline]
    fn put(&mut self, state: &[u8], hash: u64) -> Result<u32, Stopped> {
        match self.handle.put(state, hash) {
            Found::New(n) | Found::Seen(n) => Ok(self.known(n)),
            Found::Full => Err(Stopped::Full),
        }
    }

    #[inline]
    fn known(&mut self, number: u64) -> u32 {
        let id = u32::try_from(number).expect("a search for cycles has room for 2^32 states");
        self.bound = self.bound.max(id as usize + 1);
        id
    }

    /// Makes the arcs of a state and stores their targets; what is found stands in `targets`.
    #[inline]
    pub(crate) fn expand(&mut self, id: u32) -> Result<(), End> {
        self.handle.pause();
        self.arcs.clear();
        self.graph.expand(self.handle.read(u64::from(id), &mut self.scratch), &mut self.arcs);
        match self.arcs.halt {
            None => {}
            Some(Halt::End) => return Err(End::Violation(id)),
            Some(Halt::Full) => return Err(Stopped::Full.into()),
            Some(Halt::Narrow) => return Err(Stopped::Narrow.into()),
            Some(Halt::Unfit) => return Err(Stopped::Unfit.into()),
        }
        self.queries.clear();
        for arc in &self.arcs.list {
            let hash = self.hash.of(&self.arcs.bytes[arc.start as usize..][..arc.len as usize]);
            self.handle.prefetch(hash);
            self.queries.push(Query { hash, start: arc.start, len: arc.len });
            self.figures.state_bytes = self.figures.state_bytes.max(u64::from(arc.len));
        }
        self.answers.clear();
        self.handle.put_all(&self.arcs.bytes, &self.queries, &mut self.answers);
        self.targets.clear();
        for (arc, answer) in self.arcs.list.iter().zip(&self.answers) {
            let number = match *answer {
                Found::New(number) | Found::Seen(number) => number,
                Found::Full => return Err(Stopped::Full.into()),
            };
            let id = u32::try_from(number).expect("a search for cycles has room for 2^32 states");
            self.bound = self.bound.max(id as usize + 1);
            self.targets.push(Target { id, marks: arc.marks, inside: arc.inside, loose: arc.loose });
        }
        Ok(())
    }

    /// Expands several states at once, so that the misses of all overlap; the targets of all stand in `targets`. Each
    /// counts as visited.
    pub(crate) fn expand_all(&mut self, ids: &[u32], go_on: GoOn<'_>) -> Result<(), End> {
        assert!(!self.graph.follows_path(), "several states at once are on no path");
        self.handle.pause();
        self.targets.clear();
        self.hashes.clear();
        let mut batch = std::mem::take(&mut self.batch);
        batch.resize_with(batch.len().max(ids.len()), Arcs::default);
        let cut = self.arcs.cut;
        let mut failed = None;
        for (id, arcs) in ids.iter().zip(&mut batch) {
            arcs.clear();
            (arcs.cut, arcs.inner_steps) = (cut, 0);
            self.graph.expand(self.handle.read(u64::from(*id), &mut self.scratch), arcs);
            match arcs.halt {
                None => {}
                Some(Halt::End) => failed = Some(End::Violation(*id)),
                Some(Halt::Full) => failed = Some(Stopped::Full.into()),
                Some(Halt::Narrow) => failed = Some(Stopped::Narrow.into()),
                Some(Halt::Unfit) => failed = Some(Stopped::Unfit.into()),
            }
            self.arcs.cut |= arcs.cut;
            self.arcs.inner_steps += arcs.inner_steps;
            for i in 0..arcs.list.len() {
                let hash = self.hash.of(arcs.target(i));
                self.handle.prefetch(hash);
                self.hashes.push(hash);
                self.figures.state_bytes = self.figures.state_bytes.max(u64::from(arcs.list[i].len));
            }
        }
        let result = match failed {
            Some(end) => Err(end),
            None => self.put_all(&batch[..ids.len()]),
        };
        self.batch = batch;
        result?;
        self.figures.states += ids.len() as u64;
        self.figures.transitions += self.targets.len() as u64;
        ids.iter().try_for_each(|_| self.tick(go_on))
    }

    fn put_all(&mut self, batch: &[Arcs<G::Marks>]) -> Result<(), End> {
        let mut next = 0;
        for arcs in batch {
            for i in 0..arcs.list.len() {
                self.handle.approach(arcs.target(i), self.hashes[next]);
                next += 1;
            }
        }
        next = 0;
        for arcs in batch {
            for (i, arc) in arcs.list.iter().enumerate() {
                let number = match self.handle.put(arcs.target(i), self.hashes[next]) {
                    Found::New(number) | Found::Seen(number) => number,
                    Found::Full => return Err(Stopped::Full.into()),
                };
                next += 1;
                let id = self.known(number);
                self.targets.push(Target { id, marks: arc.marks, inside: arc.inside, loose: arc.loose });
            }
        }
        Ok(())
    }

    /// Counts the first expansion of a state, whose arcs are in `targets`, and asks now and then whether to go on. The
    /// state goes onto the path; where it is left, the search calls [`Graph::left`].
    #[inline]
    pub(crate) fn visited(&mut self, go_on: GoOn<'_>) -> Result<(), End> {
        self.graph.entered();
        self.figures.states += 1;
        self.figures.transitions += self.targets.len() as u64;
        self.tick(go_on)
    }

    /// The same for a further expansion.
    #[inline]
    pub(crate) fn visited_again(&mut self, go_on: GoOn<'_>) -> Result<(), End> {
        self.figures.repeated += 1;
        self.tick(go_on)
    }

    #[inline]
    fn tick(&mut self, go_on: GoOn<'_>) -> Result<(), End> {
        self.until_question -= 1;
        if self.until_question == 0 {
            self.until_question = EXPANSIONS_PER_QUESTION;
            self.figures.inner_steps = self.arcs.inner_steps;
            if !go_on(&self.figures) {
                return Err(Stopped::Caller.into());
            }
        }
        Ok(())
    }

    /// The arcs of a state whose targets are stored: index of the arc and target. Nothing is stored or counted.
    pub(crate) fn stored_arcs(&mut self, id: u32, out: &mut Vec<(usize, Target<G::Marks>)>) {
        out.clear();
        self.arcs.clear();
        self.graph.expand(self.handle.read(u64::from(id), &mut self.scratch), &mut self.arcs);
        for i in 0..self.arcs.list.len() {
            let target = self.arcs.target(i);
            if let Some(n) = self.handle.find(target, self.hash.of(target)) {
                let arc = &self.arcs.list[i];
                out.push((i, Target { id: n as u32, marks: arc.marks, inside: arc.inside, loose: arc.loose }));
            }
        }
    }

    /// What an arc is called.
    pub(crate) fn label(&mut self, id: u32, arc: usize) -> G::Label {
        self.graph.label(self.handle.read(u64::from(id), &mut self.scratch), arc)
    }

    /// Whether some cycle was cut.
    pub(crate) fn cut(&self) -> bool {
        self.arcs.cut
    }

    /// The figures at the end; `beside` bytes were held beside the store.
    pub(crate) fn final_figures(&mut self, beside: usize) -> Figures {
        self.figures.inner_steps = self.arcs.inner_steps;
        self.figures.beside_bytes = beside as u64;
        self.figures
    }

    /// The verdict of a search that ended early.
    pub(crate) fn ended(&mut self, end: End, first: u32) -> Verdict<G::Label> {
        match end {
            End::Stopped(why) => Verdict::Stopped(why),
            End::Violation(id) => {
                let mut path = super::lasso::path(self, first, &mut |_, at| at == id).expect("the state was reached").1;
                path.push(self.graph.end_label(self.handle.read(u64::from(id), &mut self.scratch)));
                Verdict::End(path)
            }
        }
    }
}
