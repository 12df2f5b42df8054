//! Properties that need a search for cycles: `ltl` blocks and formulas, never claims, acceptance, progress.
//!
//! A formula is turned into a claim that accepts the runs on which it fails; a violation is a cycle through an accepting
//! state, or, for a hand-written claim, also its end. [`choice`] says which search looks for it; [`confirm`] checks
//! what was found. A run that never leaves an `atomic` is no cycle of stored states: where one is met, the naive search
//! with the whole product in memory has the last word.

mod choice;
mod confirm;
mod hoa;
mod testing;

use crate::files::DiskLoader;
use crate::front::{self, Front};
use crate::memory;
use crate::prepare::{Notices, Prepared, prepare};
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport, Verdict, Violation};
use crate::verify::{Emptiness, Engine, Options, Refusal, Store as StoreChoice};
use crate::watch::Watch;
use choice::{ClaimGraph, Facts, choose};
use confirm::{Claimed, confirm};
use ferrospin_interp::Interp;
use ferrospin_ltl::Flags;
use ferrospin_model::claim::{self, Property};
use ferrospin_model::ir::{Model, ProcessId, ProcessKind};
use ferrospin_model::lower::lower_all;
use ferrospin_native::Native;
use ferrospin_search::cycles::{self, Lasso, Wanted};
use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::marks::{MarkSet, Wide};
use ferrospin_search::emptiness::product::{self, Goal, Product};
use ferrospin_search::emptiness::{
    Explorer, Figures, Outcome, Stopped, Verdict as Found, cndfs, couvreur, ndfs, tau03, ufscc, weak,
};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_source::Span;
use ferrospin_store::Exact;
use ferrospin_system::{Machine, Move, NO_PROCESS, StateHash, Store};
use std::sync::{Arc, Mutex};

/// What is known about a property, and the run that violates it.
pub(crate) struct Answer {
    pub(crate) report: PropertyReport,
    pub(crate) lasso: Option<Lasso>,
}

/// Checks one property.
pub(crate) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    kind: PropertyKind,
) -> Result<Answer, Refusal> {
    let question = |goal| Question { name, kind, goal, claim: None, property: None };
    let is_claim = |p: &ferrospin_model::ir::Process| p.kind == ProcessKind::Never && &*p.name == name;
    let named = |front: &Front| properties(front).iter().any(|p| &*p.name == name);
    match kind {
        PropertyKind::Ltl if name.ends_with(".hoa") => hoa::check(front, model, options, name),
        PropertyKind::Ltl if model.processes.iter().any(is_claim) && !named(front) => {
            check(front, model, options, name, PropertyKind::Never)
        }
        PropertyKind::Ltl => formula(front, model, options, name),
        PropertyKind::Never => {
            let claim = model.processes.iter().position(is_claim).expect("the claim is in the model");
            let claim = ProcessId(claim as u32);
            let question = Question { claim: Some(claim), ..question(Goal::Accepting) };
            answer(front, &Arc::new(model.with_claim(claim)), options, &question)
        }
        PropertyKind::Acceptance => answer(front, model, options, &question(Goal::Accepting)),
        PropertyKind::Progress => answer(front, model, options, &question(Goal::NonProgress)),
        PropertyKind::Safety => unreachable!("safety needs no cycles"),
    }
}

/// An `ltl` block by its name, or a formula as typed.
fn formula(front: &Front, model: &Arc<Model>, options: &Options, name: &str) -> Result<Answer, Refusal> {
    if let Some(property) = properties(front).iter().find(|p| &*p.name == name) {
        return claimed(front, model, options, name, property);
    }
    let again = with_formula(front, name)?;
    claimed(&again, model, options, name, properties(&again).last().expect("the formula was added"))
}

/// The `ltl` blocks of a model.
fn properties(front: &Front) -> Vec<Property> {
    lower_all(&front.map, &front.reading.program, &front.reading.names).0.properties
}

/// The model read once more with a formula behind it, so that the model's macros can be used in it.
fn with_formula(front: &Front, formula: &str) -> Result<Front, Refusal> {
    let file = ferrospin_source::FileId(0);
    let text = format!("{}\nltl formula_of_the_command_line {{ {formula} }}\n", front.map.text(file));
    let options = front::Options { defines: front.defines.clone(), ..front::Options::default() };
    let again = front::read_text(&front.name, text, &options, &mut DiskLoader::default());
    if again.unreadable {
        let first = again.diagnostics.iter().find(|d| !d.lint).map_or(String::new(), |d| d.message.clone());
        return Err(Refusal::Refused(format!(
            "`{formula}` is neither the name of an ltl block nor a formula: {first}"
        )));
    }
    Ok(again)
}

fn claimed(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    property: &Property,
) -> Result<Answer, Refusal> {
    if options.emptiness == Emptiness::Testing {
        return testing::check(front, model, options, name, property);
    }
    let (model, claim) = claim::add(model, property)
        .map_err(|why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}")))?;
    let question =
        Question { name, kind: PropertyKind::Ltl, goal: Goal::Accepting, claim: Some(claim), property: Some(property) };
    answer(front, &Arc::new(model.with_claim(claim)), options, &question)
}

/// What is asked of a model, whose claim runs beside if there is one.
struct Question<'a> {
    name: &'a str,
    kind: PropertyKind,
    goal: Goal,
    claim: Option<ProcessId>,
    property: Option<&'a Property>,
}

impl Question<'_> {
    /// What the property can tell apart: a claim as written may count steps, and so may a formula with `X`.
    fn notices(&self) -> Notices {
        let blind = self.property.is_some_and(|p| p.formulas.is(p.formula, Flags::X_FREE));
        let labels = matches!(self.kind, PropertyKind::Acceptance | PropertyKind::Progress);
        if blind || labels { Notices::Changes } else { Notices::Steps }
    }

    fn product(&self, options: &Options) -> product::Options {
        product::Options {
            goal: self.goal,
            fair: options.fair,
            has_claim: self.claim.is_some(),
            end_counts: self.kind == PropertyKind::Never,
        }
    }
}

/// Makes an executor for each worker.
enum Maker {
    Native(Mutex<Native>),
    Interp(Arc<Model>),
}

impl Maker {
    fn new(model: &Arc<Model>, options: &Options) -> Maker {
        let native = (options.engine == Engine::Native).then(|| Native::compile(model).ok()).flatten();
        native.map_or_else(|| Maker::Interp(model.clone()), |n| Maker::Native(Mutex::new(n)))
    }

    fn name(&self) -> &'static str {
        match self {
            Maker::Native(_) => "native",
            Maker::Interp(_) => "interp",
        }
    }

    fn machine(&self) -> Box<dyn Machine> {
        match self {
            Maker::Native(native) => Box::new(native.lock().expect("cloning does not panic").clone()),
            Maker::Interp(model) => Box::new(Interp::new(model.clone())),
        }
    }
}

/// What a search gave, and what the store took.
struct Searched {
    outcome: Outcome<Vec<Move>>,
    algorithm: Emptiness,
    threads: usize,
    store_bytes: u64,
}

/// A search that can be run again with other marks or another algorithm.
struct Searching<'a> {
    maker: &'a Maker,
    product: product::Options,
    parts: Option<Arc<product::Parts>>,
    watch: &'a Watch,
    threads: usize,
}

impl Searching<'_> {
    fn run(&self, algorithm: Emptiness) -> Searched {
        let searched = match (algorithm, self.product.fair) {
            (Emptiness::Ufscc, _) => self.with_marks::<u64>(algorithm),
            (_, false) => self.with_marks::<u8>(algorithm),
            (_, true) => self.with_marks::<u64>(algorithm),
        };
        match searched.outcome.verdict {
            // A state with arcs of both kinds.
            Found::Stopped(Stopped::Unfit) => self.run(Emptiness::Ufscc),
            // More processes than there are marks.
            Found::Stopped(Stopped::Narrow) => self.with_wide_marks(),
            _ => searched,
        }
    }

    /// A store for one search. The arrays beside it grow with it; a quarter of the memory is theirs.
    fn store(&self) -> Exact {
        Exact::new(&ferrospin_store::Options::limited(self.watch.memory_max_bytes() / 4 * 3))
    }

    /// Tells the watch what a search has done; whether it may go on.
    fn goes_on(&self, store: &Exact, figures: &Figures) -> bool {
        self.watch.go_on(&Progress {
            states: figures.states,
            matched: figures.transitions.saturating_sub(figures.states),
            depth: figures.depth,
            waiting: 0,
            memory_bytes: store.memory_bytes() + 16 * figures.states,
        })
    }

    /// For more processes than 63 there is one search.
    fn with_wide_marks(&self) -> Searched {
        let store = self.store();
        let graph = Product::<Wide>::new(self.maker.machine(), self.product).with_parts(self.parts.clone());
        let mut x = Explorer::new(graph, store.handle(), StateHash::new(0));
        let outcome = couvreur::search(&mut x, &mut |figures| self.goes_on(&store, figures));
        drop(x);
        Searched { outcome, algorithm: Emptiness::Couvreur, threads: 1, store_bytes: store.memory_bytes() }
    }

    fn with_marks<M: MarkSet>(&self, algorithm: Emptiness) -> Searched {
        let store = self.store();
        let go_on = &mut |figures: &Figures| self.goes_on(&store, figures);
        let hash = StateHash::new(0);
        let graph = || Product::<M>::new(self.maker.machine(), self.product);
        let copies = self.product.fair || self.product.goal == Goal::NonProgress;
        let mut threads = 1;
        let outcome = match algorithm {
            Emptiness::Weak => weak::search(&mut Explorer::new(graph(), store.handle(), hash), go_on),
            Emptiness::Ndfs if copies => {
                ndfs::search(&mut Explorer::new(Copies::new(graph()), store.handle(), hash), go_on)
            }
            Emptiness::Ndfs => ndfs::search(&mut Explorer::new(graph(), store.handle(), hash), go_on),
            Emptiness::Tau03 if self.product.goal == Goal::NonProgress => {
                tau03::search(&mut Explorer::new(Copies::new(graph()), store.handle(), hash), go_on)
            }
            Emptiness::Tau03 => tau03::search(&mut Explorer::new(graph(), store.handle(), hash), go_on),
            Emptiness::Cndfs => {
                threads = self.threads;
                cndfs::search(&graph, &store, hash, threads, go_on)
            }
            Emptiness::Ufscc => {
                threads = self.threads.min(ufscc::WORKERS_MAX);
                let graph = || Product::<u64>::new(self.maker.machine(), self.product);
                ufscc::search(&graph, &store, hash, threads, go_on)
            }
            Emptiness::Testing => {
                let mut x = Explorer::new(graph(), store.handle(), hash);
                livelock::search(&mut x, Order::BreadthFirst, go_on)
            }
            Emptiness::Auto | Emptiness::Couvreur => {
                let graph = graph().with_parts(self.parts.clone());
                couvreur::search(&mut Explorer::new(graph, store.handle(), hash), go_on)
            }
        };
        Searched { outcome, algorithm, threads, store_bytes: store.memory_bytes() }
    }
}

/// Searches, checks what was found, and reports.
fn answer(front: &Front, model: &Arc<Model>, options: &Options, question: &Question<'_>) -> Result<Answer, Refusal> {
    let watch = Watch::start(options);
    let prepared = prepare(model, options.optimize, question.notices());
    let model = &prepared.model;
    let graph = question.claim.and_then(|c| ClaimGraph::new(model, c));
    let weak = graph.as_ref().is_some_and(|g| g.is_weak(model));
    let parts = graph.as_ref().and_then(|g| g.parts(model)).map(Arc::new);
    let threads = options.threads.get();
    let facts = Facts { goal: question.goal, fair: options.fair, weak, threads };
    let algorithm = choose(options.emptiness, &facts)?;
    let maker = Maker::new(&prepared.model, options);
    let searching = Searching { maker: &maker, product: question.product(options), parts, watch: &watch, threads };
    let searched = searching.run(algorithm);
    finish(front, &prepared, options, question, searched, &maker, &watch)
}

/// Checks what a search has found, and reports.
fn finish(
    front: &Front,
    prepared: &Prepared,
    options: &Options,
    question: &Question<'_>,
    searched: Searched,
    maker: &Maker,
    watch: &Watch,
) -> Result<Answer, Refusal> {
    let mut report = PropertyReport::undecided(question.name, question.kind);
    report.engine = maker.name().into();
    report.search = searched.algorithm.name().into();
    report.threads = searched.threads as u64;
    if let Some(store) = options.store.filter(|s| *s != StoreChoice::Exact) {
        report.notes.push(format!("a search for cycles needs the exact store, so `{}` was not used", store.name()));
    }
    let figures = searched.outcome.figures;
    report.states = Some(figures.states);
    report.states_matched = Some(figures.transitions.saturating_sub(figures.states));
    report.transitions = Some(figures.transitions);
    report.depth = Some(figures.depth);
    report.state_bytes = Some(figures.state_bytes);
    report.store_bytes_per_state = Some(searched.store_bytes as f64 / figures.states.max(1) as f64);
    report.omission_probability = Some(0.0);
    let (lasso, ends) = match searched.outcome.verdict {
        Found::Cycle(l) => (Some(Lasso { stem: l.stem.concat(), cycle: l.cycle.concat() }), false),
        Found::End(path) => (Some(Lasso { stem: path.concat(), cycle: Vec::new() }), true),
        Found::Empty if searched.outcome.cut => (beyond_atomic(options, question, maker, watch, &mut report), false),
        Found::Empty => {
            report.complete = true;
            report.verdict = Verdict::Holds;
            (None, false)
        }
        Found::Stopped(Stopped::Full) => {
            report.stopped = Some("the memory limit was reached".into());
            (None, false)
        }
        Found::Stopped(_) => {
            report.stopped = Some(watch.why().unwrap_or("interrupted").into());
            (None, false)
        }
    };
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.memory_bytes = memory::peak_bytes().or(Some(searched.store_bytes + figures.beside_bytes));
    let mut plain = None;
    if let Some(lasso) = &lasso {
        if !ends {
            let has_claim = question.claim.is_some();
            let model = &prepared.model;
            let of = Claimed { model, goal: question.goal, fair: options.fair, property: question.property, has_claim };
            confirm(lasso, &of).map_err(|why| {
                let name = question.name;
                Refusal::Refused(format!("internal error: the counterexample of `{name}` is none: {why}"))
            })?;
        }
        report.verdict = Verdict::Violated;
        report.errors = 1;
        let lasso = plain.insert(prepared.plain_lasso(lasso));
        report.error = Some(violation(front, &prepared.plain, question, lasso, ends));
    }
    Ok(Answer { report, lasso: plain })
}

/// The naive search, which knows runs that never leave an `atomic`.
fn beyond_atomic(
    options: &Options,
    question: &Question<'_>,
    maker: &Maker,
    watch: &Watch,
    report: &mut PropertyReport,
) -> Option<Lasso> {
    report
        .notes
        .push("some runs may never leave an `atomic`: the whole product was searched once more for them".into());
    let wanted = match question.goal {
        Goal::Accepting => Wanted::Accepting,
        Goal::NonProgress => Wanted::NonProgress,
    };
    let how = cycles::Options { fair: options.fair, has_claim: question.claim.is_some() };
    let outcome = cycles::search(&mut *maker.machine(), wanted, how, &mut |so_far| {
        // The graph keeps its edges: a rough 200 bytes a state beside the state itself.
        watch.go_on(&Progress {
            states: so_far.states,
            matched: so_far.transitions - so_far.states,
            depth: 0,
            waiting: 0,
            memory_bytes: 2 * so_far.stored_bytes + 200 * so_far.states,
        })
    });
    report.complete = outcome.complete;
    match (&outcome.lasso, outcome.complete) {
        (None, true) => report.verdict = Verdict::Holds,
        (None, false) => report.stopped = Some(watch.why().unwrap_or("interrupted").into()),
        _ => {}
    }
    outcome.lasso
}

fn violation(front: &Front, model: &Model, question: &Question<'_>, lasso: &Lasso, ends: bool) -> Violation {
    let place = |span: Span| {
        front.map.position(span).map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column })
    };
    let location = question.claim.and_then(|c| place(model.process(c).span));
    let depth = Some(lasso.stem.len() as u64);
    if ends {
        let message = ferrospin_system::FailureKind::ClaimEnd.to_string();
        return Violation { kind: ErrorKind::Runtime, message, location, depth };
    }
    let (kind, what) = match question.goal {
        Goal::NonProgress => (ErrorKind::NonProgressCycle, "non-progress cycle"),
        Goal::Accepting if question.kind == PropertyKind::Ltl => {
            (ErrorKind::AcceptanceCycle, "the formula fails on a run")
        }
        Goal::Accepting => (ErrorKind::AcceptanceCycle, "acceptance cycle"),
    };
    let message = match lasso.cycle.iter().filter(|m| m.process != NO_PROCESS).count() {
        0 => format!("{what} that stops"),
        n => format!("{what}: a cycle of {n} {}", if n == 1 { "step" } else { "steps" }),
    };
    Violation { kind, message, location, depth }
}
