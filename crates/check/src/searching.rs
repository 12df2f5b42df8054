//! The axes of a search for cycles: marks, store, algorithm, reduction.

use crate::options::{Emptiness, Store as StoreChoice};
use crate::watch::Watch;
use ferrospin_search::BoxMachine;
use ferrospin_search::automaton::{PropertyAutomaton, WithAutomaton};
use ferrospin_search::emptiness::cached::{CachedProduct, Numbers};
use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::marks::{MarkSet, Wide};
use ferrospin_search::emptiness::product::{self, Goal, Product};
use ferrospin_search::emptiness::reducing::Reducing;
use ferrospin_search::emptiness::shortest::{self, Budget};
use ferrospin_search::emptiness::{
    Explorer, Figures, GoOn, Lasso, Outcome, Stopped, Verdict as Found, cndfs, couvreur, ndfs, tau03, ufscc, weak,
};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_store::{Collapse, Exact, Tree};
use ferrospin_system::{Found as Answer, Handle, Move, NO_PROCESS, Query, Reduction, StateHash, Store};
use std::ops::Range;
use std::sync::Arc;

/// What part of the states of a search may be visited again to make its lasso shorter, but that many in any case.
const SHORTENING_PART: u64 = 8;
const SHORTENING_MIN: u64 = 1 << 13;
/// How many arcs may be followed for each of them.
const SHORTENING_STEPS: usize = 64;

/// What a search gave.
pub struct Searched {
    /// What it found.
    pub outcome: Outcome<Vec<Move>>,
    /// The algorithm that has found it.
    pub algorithm: Emptiness,
    /// Number of workers.
    pub threads: usize,
    /// What the store took.
    pub store_bytes: u64,
}

/// A reduction, and where the part of a state stands that it does not see.
pub type Sets = (Box<dyn Reduction>, Range<usize>);

/// A search that can be run again with other marks or another algorithm.
pub struct Searching<'a> {
    /// Makes an executor for one more worker, of the system alone where there is an automaton.
    pub machine: &'a (dyn Fn() -> BoxMachine + Sync),
    /// What kind of cycle is looked for.
    pub product: product::Options,
    /// The components of the property that have accepting cycles, where they are known.
    pub parts: Option<Arc<product::Parts>>,
    /// The automaton of the property; without one, the machines run a monitor or none.
    pub property: Option<Arc<PropertyAutomaton>>,
    /// Only for searches that can have one.
    pub reduction: Option<Sets>,
    /// The weak proviso is enough.
    pub weak: bool,
    /// A store that gives small numbers.
    pub store: StoreChoice,
    /// Keeps the limits.
    pub watch: &'a Watch,
    /// It ends when it has visited this many states, or a few more.
    pub states_max: u64,
    /// Number of workers, where an algorithm can have several.
    pub threads: usize,
}

/// A system's machine, multiplied with the automaton of a property where there is one.
pub fn multiplied(machine: BoxMachine, property: Option<&Arc<PropertyAutomaton>>) -> BoxMachine {
    match property {
        Some(property) => Box::new(WithAutomaton::new(machine, property.clone())),
        None => machine,
    }
}

impl Searching<'_> {
    /// Searches; where the algorithm turns out not to be able to decide, with another one.
    pub fn run(&self, algorithm: Emptiness) -> Searched {
        let many = self.product.fair || algorithm == Emptiness::Ufscc;
        let searched = self.with_store(algorithm, if many { Width::Many } else { Width::One });
        match searched.outcome.verdict {
            // A state with arcs of both kinds.
            Found::Stopped(Stopped::Unfit) => self.run(Emptiness::Ufscc),
            // More processes than there are marks.
            Found::Stopped(Stopped::Narrow) => self.with_store(Emptiness::Couvreur, Width::Wide),
            _ => searched,
        }
    }

    /// The arrays beside the store grow with it; a quarter of the memory is theirs, and one more that of a reduction.
    fn with_store(&self, algorithm: Emptiness, width: Width) -> Searched {
        let quarters = if self.reduction.is_some() { 2 } else { 3 };
        let options = ferrospin_store::Options::limited(self.watch.memory_max_bytes() / 4 * quarters);
        match self.store {
            StoreChoice::Tree => self.search(algorithm, width, &Tree::new(&options), |s| Erased(Box::new(s.handle()))),
            StoreChoice::Collapse => {
                self.search(algorithm, width, &Collapse::new(&options), |s| Erased(Box::new(s.handle())))
            }
            _ => self.search(algorithm, width, &Exact::new(&options), |s| s.handle()),
        }
    }

    /// Tells the watch what a search has done; whether it may go on.
    fn goes_on(&self, store: &impl Store, figures: &Figures) -> bool {
        figures.states < self.states_max
            && self.watch.go_on(&Progress {
                states: figures.states,
                matched: figures.transitions.saturating_sub(figures.states),
                depth: figures.depth,
                memory_bytes: store.memory_bytes() + figures.beside_bytes + 16 * figures.states,
                ..Progress::default()
            })
    }

    fn search<'s, S: Store, H: Handle>(
        &self,
        algorithm: Emptiness,
        width: Width,
        store: &'s S,
        handle: impl FnOnce(&'s S) -> H,
    ) -> Searched {
        let systems = Exact::new(&ferrospin_store::Options::limited(self.watch.memory_max_bytes() / 4));
        let go_on = &mut |figures: &Figures| self.goes_on(store, figures);
        let hash = StateHash::new(0);
        let (alone, property, product) = (self.machine, self.property.as_ref(), self.product);
        let machine = || multiplied(alone(), property);
        let mut threads = 1;
        let outcome = match (algorithm, width) {
            (Emptiness::Cndfs, _) => {
                threads = self.threads;
                cndfs::search(&|| Product::<u8>::new(machine(), product), store, hash, threads, go_on)
            }
            (Emptiness::Ufscc, _) => {
                threads = self.threads.min(ufscc::WORKERS_MAX);
                ufscc::search(&|| Product::<u64>::new(machine(), product), store, hash, threads, go_on)
            }
            (_, Width::Wide) => {
                let graph = Product::<Wide>::new(machine(), product).with_parts(self.parts.clone(), true);
                couvreur::search(&mut Explorer::new(graph, Erased(Box::new(store.handle())), hash), go_on)
            }
            (_, Width::One) => self.alone::<u8>(algorithm, handle(store), &systems, go_on),
            (_, Width::Many) => self.alone::<u64>(algorithm, handle(store), &systems, go_on),
        };
        let outcome = self.shortened(outcome, width);
        let beside = if self.reduction.is_some() { systems.memory_bytes() } else { 0 };
        Searched { outcome, algorithm, threads, store_bytes: store.memory_bytes() + beside }
    }

    /// Makes a lasso shorter where that takes a small part of what the search took.
    fn shortened(&self, mut outcome: Outcome<Vec<Move>>, width: Width) -> Outcome<Vec<Move>> {
        let Found::Cycle(lasso) = &outcome.verdict else { return outcome };
        let moves = |lasso: &Lasso<Vec<Move>>| {
            let all = lasso.stem.iter().chain(&lasso.cycle).flatten();
            all.filter(|mv| mv.process != NO_PROCESS).count()
        };
        let shorter = self.shortest_of(lasso.stem.len() + lasso.cycle.len(), outcome.figures.states, width);
        if let Some(shorter) = shorter.filter(|shorter| moves(shorter) < moves(lasso)) {
            outcome.verdict = Found::Cycle(shorter);
        }
        outcome
    }

    /// A lasso of fewer steps than were needed before, by a search that has visited `states`.
    pub fn shorter(&self, steps: usize, states: u64) -> Option<Lasso<Vec<Move>>> {
        // One arc more for a property that moves on alone where a run stops.
        self.shortest_of(steps + 2, states, if self.product.fair { Width::Wide } else { Width::One })
    }

    fn shortest_of(&self, arcs: usize, states: u64, width: Width) -> Option<Lasso<Vec<Move>>> {
        let states_max = (states / SHORTENING_PART).max(SHORTENING_MIN) as usize;
        let budget = Budget { states_max, steps_max: SHORTENING_STEPS * states_max };
        match width {
            Width::One => self.shortest::<u8>(arcs, budget),
            Width::Many => self.shortest::<u64>(arcs, budget),
            Width::Wide => self.shortest::<Wide>(arcs, budget),
        }
    }

    /// A lasso with fewer arcs, among all moves.
    fn shortest<M: MarkSet>(&self, arcs: usize, budget: Budget) -> Option<Lasso<Vec<Move>>> {
        let store = Exact::new(&ferrospin_store::Options::limited(self.watch.memory_max_bytes() / 8));
        let graph = Product::<M>::new(multiplied((self.machine)(), self.property.as_ref()), self.product);
        shortest::lasso(&mut Explorer::new(graph, store.handle(), StateHash::new(0)), arcs, budget)
    }

    /// A search by one worker.
    fn alone<M: MarkSet>(
        &self,
        algorithm: Emptiness,
        handle: impl Handle,
        systems: &Exact,
        go_on: GoOn<'_>,
    ) -> Outcome<Vec<Move>> {
        let hash = StateHash::new(0);
        let reducing = self.reduction.as_ref().map(|(reduction, property)| {
            Reducing::new(reduction.another(), Box::new(systems.handle()), hash, property.clone()).weak(self.weak)
        });
        let reduces = reducing.is_some();
        let is_progress = self.product.goal == Goal::NonProgress;
        // A reduction needs a true depth-first search, without arcs outside.
        let splits = matches!(algorithm, Emptiness::Auto | Emptiness::Couvreur) && !reduces;
        let product = || Product::<M>::new(multiplied((self.machine)(), self.property.as_ref()), self.product);
        // With one state the product is no larger than the system, and keeping its graph gains nothing.
        let keeps = |p: &&Arc<PropertyAutomaton>| splits && p.states().len() > 1 && p.small().is_some();
        if let Some(property) = self.property.as_ref().filter(keeps) {
            let whole = product().with_parts(self.parts.clone(), splits);
            let system = Product::<M>::new((self.machine)(), self.product);
            let cached = CachedProduct::new(system, whole, handle, hash, property, splits);
            return couvreur::search(&mut Explorer::new(cached, Numbers, hash), go_on);
        }
        let graph = product().with_parts(self.parts.clone(), splits).with_reduction(reducing);
        match algorithm {
            Emptiness::Weak => weak::search(&mut Explorer::new(graph, handle, hash), go_on),
            Emptiness::Ndfs if self.product.fair || is_progress => {
                ndfs::search(&mut Explorer::new(Copies::new(graph), handle, hash), go_on)
            }
            Emptiness::Ndfs => ndfs::search(&mut Explorer::new(graph, handle, hash), go_on),
            Emptiness::Tau03 if is_progress => {
                tau03::search(&mut Explorer::new(Copies::new(graph), handle, hash), go_on)
            }
            Emptiness::Tau03 => tau03::search(&mut Explorer::new(graph, handle, hash), go_on),
            Emptiness::Testing => livelock::search(&mut Explorer::new(graph, handle, hash), Order::BreadthFirst, go_on),
            _ if reduces && is_progress => {
                couvreur::search(&mut Explorer::new(Copies::new(graph), handle, hash), go_on)
            }
            _ => couvreur::search(&mut Explorer::new(graph, handle, hash), go_on),
        }
    }
}

/// Marks of a search, as a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    One,
    Many,
    /// For more processes than 63 there is one search.
    Wide,
}

/// A handle whose type does not show: stores that save memory are asked through it, so that each search is compiled for two
/// kinds of handles instead of one for each store.
struct Erased<'s>(Box<dyn Handle + 's>);

impl Handle for Erased<'_> {
    fn prefetch(&self, hash: u64) {
        self.0.prefetch(hash);
    }

    fn put(&mut self, state: &[u8], hash: u64) -> Answer {
        self.0.put(state, hash)
    }

    fn put_all(&mut self, bytes: &[u8], queries: &[Query], answers: &mut Vec<Answer>) {
        self.0.put_all(bytes, queries, answers);
    }

    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        self.0.find(state, hash)
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        self.0.read(number, scratch)
    }

    fn pause(&mut self) {
        self.0.pause();
    }

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.0.absent(wait);
    }
}
