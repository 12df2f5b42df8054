//! What all searches share: a graph, a worker's handle to the store, and the arcs of one state with their targets stored.
//!
//! All targets of a state are hashed and prefetched before the first of them is looked up, so that the misses of the
//! table overlap. Each is stored when it is met, visited or not; the arrays of a search tell visited states apart.

use super::{Arcs, Cut, EXPANSIONS_PER_QUESTION, Figures, GoOn, Graph, Halt, Lasso, Outcome, Stopped, Target, Verdict};
use ferrospin_system::{Found, Handle, Query, Span, StateHash};

/// How many loose states are expanded together.
pub(crate) const BATCH: usize = 8;

/// What is known of a state that was expanded together with others, beside its targets.
pub(crate) struct Head {
    /// Where its targets end.
    pub(crate) end: usize,
    /// See [`Arcs`].
    pub(crate) letter: Option<u64>,
    /// See [`Arcs`].
    pub(crate) still: bool,
}

/// A graph and a handle to the store of its states.
pub struct Explorer<G: Graph, H> {
    pub(crate) graph: G,
    pub(crate) handle: H,
    hash: StateHash,
    arcs: Arcs<G::Marks>,
    /// Of the states that were expanded together last.
    pub(crate) heads: Vec<Head>,
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
        Ok(None) => return Outcome { verdict: Verdict::Empty, figures: x.final_figures(0), cut: Cut::default() },
        Err(why) => {
            return Outcome { verdict: Verdict::Stopped(why), figures: x.final_figures(0), cut: Cut::default() };
        }
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

impl End {
    /// The end that a state brings.
    fn of(halt: Halt, id: u32) -> End {
        match halt {
            Halt::End => End::Violation(id),
            Halt::Full => End::Stopped(Stopped::Full),
            Halt::Narrow => End::Stopped(Stopped::Narrow),
            Halt::Unfit => End::Stopped(Stopped::Unfit),
        }
    }
}

impl End {
    /// Why, as the state has said it.
    pub(super) fn halt(&self) -> Halt {
        match self {
            End::Violation(_) => Halt::End,
            End::Stopped(Stopped::Narrow) => Halt::Narrow,
            End::Stopped(Stopped::Unfit) => Halt::Unfit,
            End::Stopped(Stopped::Full | Stopped::Caller | Stopped::Threads) => Halt::Full,
        }
    }
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
            heads: Vec::new(),
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
        if G::NUMBERED {
            self.targets.clear();
            return self.follow(id);
        }
        self.handle.pause();
        self.begin();
        self.make(id)?;
        self.settle()
    }

    /// Forgets what was expanded.
    fn begin(&mut self) {
        self.arcs.clear();
        self.queries.clear();
        self.answers.clear();
        self.targets.clear();
    }

    /// Makes the arcs of one more state, and prefetches where they lead.
    #[inline]
    fn make(&mut self, id: u32) -> Result<(), End> {
        let first = self.arcs.list.len();
        self.graph.expand(self.handle.read(u64::from(id), &mut self.scratch), &mut self.arcs);
        if let Some(halt) = self.arcs.halt {
            return Err(End::of(halt, id));
        }
        for arc in &self.arcs.list[first..] {
            let hash = self.hash.of(&self.arcs.bytes[arc.start as usize..][..arc.len as usize]);
            self.handle.prefetch(hash);
            self.queries.push(Query { hash, span: Span { start: arc.start, len: arc.len } });
            self.figures.state_bytes = self.figures.state_bytes.max(u64::from(arc.len));
        }
        Ok(())
    }

    /// Stores the targets of all arcs that have been made.
    #[inline]
    fn settle(&mut self) -> Result<(), End> {
        self.handle.put_all(&self.arcs.bytes, &self.queries, &mut self.answers);
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

    /// Adds the targets of a state that the graph numbers itself.
    #[inline]
    fn follow(&mut self, id: u32) -> Result<(), End> {
        let halt = self.graph.follow(id, &mut self.targets);
        self.bound = self.graph.bound();
        halt.map_or(Ok(()), |halt| Err(End::of(halt, id)))
    }

    /// Expands several states at once, so that the misses of all overlap; the targets of all stand in `targets`. Each
    /// counts as visited.
    pub(crate) fn expand_all(&mut self, ids: &[u32], go_on: GoOn<'_>) -> Result<(), End> {
        assert!(!self.graph.follows_path(), "several states at once are on no path");
        self.targets.clear();
        if G::NUMBERED {
            ids.iter().try_for_each(|id| self.follow(*id))?;
            return self.count(ids.len(), go_on);
        }
        self.handle.pause();
        self.begin();
        self.heads.clear();
        for id in ids {
            self.make(*id)?;
            self.heads.push(Head { end: self.arcs.list.len(), letter: self.arcs.letter, still: self.arcs.still });
        }
        self.settle()?;
        self.count(ids.len(), go_on)
    }

    fn count(&mut self, states: usize, go_on: GoOn<'_>) -> Result<(), End> {
        self.figures.states += states as u64;
        self.figures.transitions += self.targets.len() as u64;
        (0..states).try_for_each(|_| self.tick(go_on))
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
            self.figures.beside_bytes = self.graph.memory_bytes() as u64;
            if !go_on(&self.figures) {
                return Err(Stopped::Caller.into());
            }
        }
        Ok(())
    }

    /// The arcs of a state whose targets are stored: index of the arc and target. Nothing is stored or counted.
    pub(crate) fn stored_arcs(&mut self, id: u32, out: &mut Vec<(usize, Target<G::Marks>)>) {
        out.clear();
        if G::NUMBERED {
            self.targets.clear();
            self.graph.recall(id, &mut self.targets);
            out.extend(self.targets.iter().copied().enumerate());
            return;
        }
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

    /// See [`super::Arcs::cut`].
    pub(crate) fn cut(&self) -> Cut {
        self.arcs.cut.or(self.graph.cut())
    }

    /// The figures at the end; `beside` bytes were held beside the store.
    pub(crate) fn final_figures(&mut self, beside: usize) -> Figures {
        self.figures.inner_steps = self.arcs.inner_steps;
        self.figures.beside_bytes = (beside + self.graph.memory_bytes()) as u64;
        self.figures.state_bytes = self.figures.state_bytes.max(self.graph.state_bytes());
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
