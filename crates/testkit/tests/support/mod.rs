//! Random cases for searches for cycles, the oracle's answer, and what a counterexample must be.

use ferrospin_interp::Interp;
use ferrospin_lower::claim::{self, Property};
use ferrospin_lower::lower_all;
use ferrospin_ltl::random::Random;
use ferrospin_ltl::{AtomId, Formula, Formulas, Lasso};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Edge, Expr, Model, ProcessId, ProcessKind};
use ferrospin_model::observer::{ClaimObserver, ObserverLocation};
use ferrospin_native::{Effort, Native};
use ferrospin_promela::preprocess::Options;
use ferrospin_search::BoxMachine;
use ferrospin_search::automaton::{AutomatonEdge, AutomatonState, Cube, PropertyAutomaton, Slot, WithAutomaton};
use ferrospin_search::cycles::{self, Wanted};
use ferrospin_search::emptiness::cached::{CachedProduct, Numbers};
use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::marks::{MarkSet, Wide};
use ferrospin_search::emptiness::product::{self, Goal, Product};
use ferrospin_search::emptiness::{Explorer, Stopped, Verdict, cndfs, couvreur, ndfs, tau03, ufscc, weak};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::naive;
use ferrospin_source::SourceMap;
use ferrospin_store::Exact;
use ferrospin_system::{Control, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS, StateHash, Store};
use ferrospin_testkit::FolderLoader;
use std::fmt;
use std::sync::Arc;

/// A model and what to ask of it.
#[derive(Clone)]
pub(crate) struct Case {
    name: String,
    text: String,
    model: Arc<Model>,
    goal: Goal,
    fair: bool,
    has_property: bool,
    end_counts: bool,
    /// What must be false on a counterexample.
    formula: Option<(Formulas, Formula, Vec<Expr>)>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:\n{}", self.name, self.text)
    }
}

// Not every file of tests uses all of them.
#[allow(dead_code)]
impl Case {
    /// Whether fairness is asked for.
    pub(crate) fn is_fair(&self) -> bool {
        self.fair
    }

    /// The same case with a claim that ends where it accepts whatever follows, if it is about a formula whose claim does.
    #[allow(dead_code)]
    pub(crate) fn ending_early(&self) -> Option<Case> {
        self.formula.as_ref()?;
        let model = claim::ending_early(&self.model, self.model.layout.claim?.0)?;
        Some(Case { model: Arc::new(model), end_counts: true, ..self.clone() })
    }

    /// The same without fairness.
    pub(crate) fn unfair(&self) -> Case {
        Case { fair: false, ..self.clone() }
    }
}

/// States beyond which a case is left out.
const STATES_MAX: u64 = 3_000;

/// Reads a model; its properties are those of its `ltl` blocks.
fn read(text: &str) -> Option<(Model, Vec<Property>)> {
    let mut map = SourceMap::new();
    let file = map.add_file("random", text);
    let options = Options { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    if reading.diagnostics.has_errors() {
        return None;
    }
    let (lowered, said) = lower_all(&map, &reading.program, &reading.names);
    (!said.has_errors()).then_some((lowered.model, lowered.properties))
}

/// A model with one `ltl` block.
pub(crate) fn ltl_case(text: &str, fair: bool) -> Case {
    let (model, properties) = read(text).expect("a model");
    with_property("by hand".into(), text.into(), &model, &properties[0], fair).expect("an automaton")
}

fn with_property(name: String, text: String, model: &Model, property: &Property, fair: bool) -> Option<Case> {
    let (added, claim) = claim::add(model, property).ok()?;
    Some(Case {
        name,
        text,
        model: Arc::new(added.with_claim(claim)),
        goal: Goal::Accepting,
        fair,
        has_property: true,
        end_counts: false,
        formula: Some((property.formulas.clone(), property.formula, property.atoms.clone())),
    })
}

/// The random cases of a seed.
pub(crate) fn cases(seed: u64, kind: &str) -> Vec<Case> {
    let text = ferrospin_testkit::generate::generate(seed).text();
    let mut r = Random::new(seed.wrapping_mul(77) + kind.len() as u64);
    let name = format!("{kind} {seed}");
    let fair = r.chance(50);
    match kind {
        "ltl" => {
            // The propositions come from blocks of their own, so that a random formula can be put together of them.
            let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
            let global = |n: usize| words.iter().find(|w| **w == format!("g{n}")).copied();
            let Some(g0) = global(0) else { return Vec::new() };
            let g1 = global(1).unwrap_or(g0);
            let atoms = [format!("{g0} == 1"), format!("{g1} > 0"), format!("{g0} == {g1}")];
            let blocks: String = atoms.iter().enumerate().map(|(i, a)| format!("ltl atom_{i} {{ ({a}) }}\n")).collect();
            let Some((model, properties)) = read(&format!("{text}\n{blocks}")) else { return Vec::new() };
            let mut formulas = Formulas::new();
            let size = 2 + r.below(6);
            let formula = r.formula(&mut formulas, size, 3);
            let atoms = properties.iter().map(|p| p.atoms[0].clone()).collect();
            let property =
                Property { name: "p".into(), formulas, formula, atoms, texts: Vec::new(), span: properties[0].span };
            with_property(name, text, &model, &property, fair).into_iter().collect()
        }
        "never" => {
            let Some((model, _)) = read(&text) else { return Vec::new() };
            let Some(claim) = model.processes.iter().position(|p| p.kind == ProcessKind::Never) else {
                return Vec::new();
            };
            let claim = ProcessId(claim as u32);
            let mut model = model.with_claim(claim);
            for l in model.locations.iter_mut().filter(|l| l.process == claim) {
                l.accept = r.chance(30);
            }
            let model = Arc::new(model);
            vec![Case {
                name,
                text,
                model,
                goal: Goal::Accepting,
                fair,
                has_property: true,
                end_counts: true,
                formula: None,
            }]
        }
        _ => {
            let Some((mut model, _)) = read(&text) else { return Vec::new() };
            let goal = if kind == "progress" { Goal::NonProgress } else { Goal::Accepting };
            for l in &mut model.locations {
                l.accept = r.chance(12);
                l.progress = r.chance(50);
            }
            let model = Arc::new(model);
            vec![Case { name, text, model, goal, fair, has_property: false, end_counts: false, formula: None }]
        }
    }
}

/// The oracle's answer, whether there is a violation; `None` for cases that are too large.
pub(crate) fn oracle(case: &Case) -> Option<bool> {
    let mut machine = WithMonitor::new(Interp::new(case.model.clone()));
    if case.end_counts {
        let options = naive::Options {
            has_property: true,
            only_property: Some(FailureKind::ClaimEnd.number()),
            states_max: STATES_MAX,
            ..naive::Options::default()
        };
        let found = naive::search(&mut machine, &options, case.model.edges.len(), &mut |_| true);
        if found.errors > 0 {
            return Some(true);
        }
    }
    let wanted = match case.goal {
        Goal::Accepting => Wanted::Accepting,
        Goal::NonProgress => Wanted::NonProgress,
    };
    let how = cycles::Options { fair: case.fair, has_property: case.has_property };
    let found = cycles::search(&mut machine, wanted, how, &mut |o| o.states < STATES_MAX);
    found.complete.then_some(found.lasso.is_some())
}

/// A search.
// Not every file of tests uses all of them.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Engine {
    Couvreur,
    /// With what is known of the claim's components.
    CouvreurParts,
    CouvreurWide,
    /// With the system's graph kept, by the interpreter and by machine code.
    Kept,
    KeptNative,
    Ndfs,
    Tau03,
    /// Where the claim's cycles that share a location all accept, or none does.
    Weak,
    Cndfs,
    Ufscc,
}

impl Engine {
    pub(crate) const ALL: [Engine; 10] = [
        Engine::Couvreur,
        Engine::CouvreurParts,
        Engine::CouvreurWide,
        Engine::Kept,
        Engine::KeptNative,
        Engine::Ndfs,
        Engine::Tau03,
        Engine::Weak,
        Engine::Cndfs,
        Engine::Ufscc,
    ];

    /// Whether fairness can be asked for.
    #[allow(dead_code)]
    pub(crate) fn knows_fairness(self) -> bool {
        !matches!(self, Engine::Weak | Engine::Cndfs)
    }
}

/// Whether a search finds a violation, which is then checked; `None` when it leaves the case to the oracle.
pub(crate) fn run(case: &Case, engine: Engine) -> Option<bool> {
    let store = Exact::new(&ferrospin_store::Options::new());
    let hash = StateHash::new(0);
    let go_on = &mut |_: &_| true;
    let outcome = match engine {
        Engine::Couvreur if !case.fair => {
            couvreur::search(&mut Explorer::new(graph::<u8>(case), store.handle(), hash), go_on)
        }
        Engine::Couvreur => couvreur::search(&mut Explorer::new(graph::<u64>(case), store.handle(), hash), go_on),
        Engine::CouvreurParts => {
            let parts = Some(Arc::new(parts(case)?));
            let graph = graph::<u64>(case).with_parts(parts, true);
            couvreur::search(&mut Explorer::new(graph, store.handle(), hash), go_on)
        }
        // Machine code takes time to make.
        Engine::KeptNative if !case.name.ends_with(['0', '3', '7']) => return None,
        Engine::Kept | Engine::KeptNative => {
            let (model, automaton) = observed(case)?;
            automaton.small()?;
            let make = || Native::compile_with(&model, Effort::Thorough).expect("machine code");
            let native = (engine == Engine::KeptNative).then(make);
            let machine = || -> BoxMachine {
                match &native {
                    Some(native) => Box::new(native.clone()),
                    None => Box::new(Interp::new(model.clone())),
                }
            };
            let whole = Box::new(WithAutomaton::new(machine(), automaton.clone()));
            let whole = Product::new(whole, options(case)).with_parts(Some(Arc::new(automaton.parts())), true);
            let system = Product::<u64>::new(machine(), options(case));
            let kept = CachedProduct::new(system, whole, store.handle(), hash, &automaton, true);
            couvreur::search(&mut Explorer::new(kept, Numbers, hash), go_on)
        }
        Engine::CouvreurWide => couvreur::search(&mut Explorer::new(graph::<Wide>(case), store.handle(), hash), go_on),
        Engine::Ndfs if !case.fair && case.goal == Goal::Accepting => {
            ndfs::search(&mut Explorer::new(graph::<u8>(case), store.handle(), hash), go_on)
        }
        Engine::Ndfs => ndfs::search(&mut Explorer::new(Copies::new(graph::<u64>(case)), store.handle(), hash), go_on),
        Engine::Weak if case.fair || !is_weak(case) => return None,
        Engine::Weak => weak::search(&mut Explorer::new(graph::<u8>(case), store.handle(), hash), go_on),
        Engine::Cndfs if case.fair || case.goal == Goal::NonProgress => return None,
        Engine::Cndfs => cndfs::search(&|| graph::<u8>(case), &store, hash, 2, go_on),
        Engine::Ufscc => ufscc::search(&|| graph::<u64>(case), &store, hash, 2, go_on),
        Engine::Tau03 if case.goal == Goal::Accepting => {
            tau03::search(&mut Explorer::new(graph::<u64>(case), store.handle(), hash), go_on)
        }
        Engine::Tau03 => {
            tau03::search(&mut Explorer::new(Copies::new(graph::<u64>(case)), store.handle(), hash), go_on)
        }
    };
    match outcome.verdict {
        Verdict::Empty if outcome.cut.endless => None,
        Verdict::Empty => {
            let counts = [Engine::Couvreur, Engine::CouvreurParts, Engine::Kept, Engine::KeptNative];
            if counts.contains(&engine) && case.has_property {
                check_counts(case, outcome.figures.states, outcome.figures.transitions);
            }
            Some(false)
        }
        Verdict::Cycle(lasso) => {
            check_lasso(case, &lasso.stem.concat(), &lasso.cycle.concat());
            Some(true)
        }
        Verdict::End(path) => {
            check_end(case, &path.concat());
            Some(true)
        }
        Verdict::Stopped(Stopped::Narrow | Stopped::Unfit) => None,
        Verdict::Stopped(why) => panic!("{why:?} on {case}"),
    }
}

/// The components of the claim that have an accepting cycle; `None` without a claim, or when processes accept too.
fn parts(case: &Case) -> Option<product::Parts> {
    let (claim, at) = case.model.layout.claim?;
    let locations = &case.model.locations;
    if locations.iter().any(|l| l.process != claim && l.accept) {
        return None;
    }
    let n = locations.len();
    let mut reach = vec![vec![false; n]; n];
    let own = |e: &&Edge| locations[e.from.index()].process == claim && e.to.index() < n;
    for e in case.model.edges.iter().filter(own) {
        reach[e.from.index()][e.to.index()] = true;
    }
    for via in 0..n {
        let row = reach[via].clone();
        reach.iter_mut().filter(|r| r[via]).for_each(|r| r.iter_mut().zip(&row).for_each(|(a, b)| *a |= b));
    }
    let together = |a: usize, b: usize| reach[a][b] && reach[b][a];
    let part = |a: usize| {
        let accepting = (0..n).any(|b| together(a, b) && locations[b].accept);
        let first = (0..n).find(|b| together(a, *b));
        if accepting { first.map_or(0, |f| f as u16 + 1) } else { 0 }
    };
    let size = case.model.layout.location_size as usize;
    let accepts = locations.iter().map(|l| l.accept).collect();
    Some(product::Parts { at: at as usize, size, of: (0..n).map(part).collect(), accepts })
}

/// Whether the claim, and nothing else, accepts, on all cycles through a location or on none, and takes every step by itself.
fn is_weak(case: &Case) -> bool {
    let Some(parts) = parts(case) else { return false };
    let (claim, _) = case.model.layout.claim.expect("there are parts");
    let own = |e: &&Edge| case.model.location(e.from).process == claim;
    let locations = (0..parts.of.len()).filter(|l| case.model.locations[*l].process == claim);
    !case.model.edges.iter().filter(own).any(|e| e.atomic)
        && locations.into_iter().all(|l| parts.of[l] == 0 || parts.accepts[l])
}

/// The claim as an automaton, if it only looks at the system, and the model that tells its propositions.
fn observed(case: &Case) -> Option<(Arc<Model>, Arc<PropertyAutomaton>)> {
    parts(case)?;
    let (model, (_, at)) = (&case.model, case.model.layout.claim?);
    let observer = ClaimObserver::new(model)?;
    let state = |l: &ObserverLocation| AutomatonState {
        accepts: l.accepts,
        ends: l.ends,
        component: 0,
        edges: (l.edges.iter())
            .map(|e| AutomatonEdge {
                guard: e.guard.map(|(holding, failing)| Cube { holding, failing }).into_iter().collect(),
                target: e.target as u32,
            })
            .collect(),
    };
    let slot = Slot {
        at: at as usize,
        size: model.layout.location_size as usize,
        numbers: observer.locations.iter().map(|l| l.id.0).collect(),
        edges: observer.locations.iter().flat_map(|l| &l.edges).map(|e| e.id.0).collect(),
    };
    let automaton = PropertyAutomaton::placed(observer.locations.iter().map(state).collect(), slot);
    Some((Arc::new(observer.observed(model)), Arc::new(automaton)))
}

/// A product has the counts of the naive search, which are SPIN's.
fn check_counts(case: &Case, states: u64, transitions: u64) {
    let mut machine = WithMonitor::new(Interp::new(case.model.clone()));
    let options = naive::Options { errors_max: 0, has_property: true, ..naive::Options::default() };
    let all = naive::search(&mut machine, &options, case.model.edges.len(), &mut |_| true);
    assert_eq!((states, transitions), (all.states, all.transitions()), "counts of {case}");
}

fn options(case: &Case) -> product::Options {
    product::Options {
        goal: case.goal,
        fair: case.fair,
        has_property: case.has_property,
        property_end: case.end_counts.then(|| FailureKind::ClaimEnd.number()),
    }
}

/// The product as it is searched; the oracle runs the claim.
fn graph<S: MarkSet>(case: &Case) -> Product<'static, S> {
    match observed(case) {
        Some((model, automaton)) => {
            Product::new(Box::new(WithAutomaton::new(Interp::new(model), automaton)), options(case))
        }
        None => Product::new(Box::new(WithMonitor::new(Interp::new(case.model.clone()))), options(case)),
    }
}

/// A run of the interpreter along given moves.
struct CaseRun<'a> {
    case: &'a Case,
    machine: WithMonitor<Interp>,
    state: Vec<u8>,
    control: Control,
    moves: Moves,
}

impl<'a> CaseRun<'a> {
    fn start(case: &'a Case) -> Self {
        let mut machine = WithMonitor::new(Interp::new(case.model.clone()));
        let mut state = Vec::new();
        machine.initial(&mut state).expect("an initial state");
        let mut run = CaseRun { case, machine, state, control: Control::Free, moves: Moves::default() };
        run.look();
        run
    }

    fn look(&mut self) {
        self.machine.moves(&self.state, self.control, &mut self.moves);
        if self.moves.list.is_empty() && matches!(self.control, Control::Exclusive(_)) {
            self.control = Control::Free;
            self.machine.moves(&self.state, self.control, &mut self.moves);
        }
    }

    fn take(&mut self, mv: &Move) -> ferrospin_system::Step {
        assert!(self.moves.list.contains(mv), "{mv:?} cannot be taken, {}", self.case);
        let mut next = Vec::new();
        let step = self.machine.apply(&self.state, mv, &mut next);
        if step.proceeds {
            self.state = next;
            self.control = step.control;
            self.look();
        }
        step
    }

    /// The propositions that hold now, if a claim reads them with this move.
    fn letter(&mut self, mv: Option<&Move>) -> Option<Vec<AtomId>> {
        let (_, _, atoms) = self.case.formula.as_ref()?;
        if mv.is_some_and(|m| m.property == NO_EDGE) {
            return None;
        }
        let mut letter = Vec::new();
        for (i, e) in atoms.iter().enumerate() {
            if self.machine.system_mut().holds(&self.state, e, false) == Ok(true) {
                letter.push(AtomId(i as u32));
            }
        }
        Some(letter)
    }
}

fn check_end(case: &Case, path: &[Move]) {
    let mut run = CaseRun::start(case);
    let mut failed = false;
    for mv in path {
        failed |= run.take(mv).failure.is_some();
    }
    assert!(failed || !run.moves.failures.is_empty(), "the claim does not end, {case}");
}

fn check_lasso(case: &Case, stem: &[Move], cycle: &[Move]) {
    let mut run = CaseRun::start(case);
    let mut word = Lasso { stem: Vec::new(), cycle: Vec::new() };
    for mv in stem {
        word.stem.extend(run.letter(Some(mv)));
        run.take(mv);
    }
    assert_eq!(run.control, Control::Free, "the cycle starts at a stored state, {case}");
    let start = run.state.clone();
    let (mut accepting, mut progress) = (false, false);
    let mut served = [false; 255];
    if cycle.is_empty() {
        // The run stops, and stays where it is.
        assert!(run.moves.list.is_empty() && !case.has_property && case.goal == Goal::Accepting, "{case}");
        accepting = run.machine.labels(&run.state, Labels::ACCEPT).has(Labels::ACCEPT);
        served = [true; 255];
    }
    for mv in cycle {
        let labels = run.machine.labels(&run.state, Labels::ACCEPT | Labels::PROGRESS);
        accepting |= labels.has(Labels::ACCEPT);
        progress |= labels.has(Labels::PROGRESS);
        let can_move = run.moves.list.iter().any(|m| m.process != NO_PROCESS);
        let inner = matches!(run.control, Control::Exclusive(_));
        if !inner && (can_move || mv.stutter) {
            let can = |p: u8| run.moves.list.iter().any(|m| m.process == p || m.partner == p);
            (0..255u8).filter(|p| !can(*p)).for_each(|p| served[usize::from(p)] = true);
        }
        for p in [mv.process, mv.partner] {
            if p != NO_PROCESS {
                served[usize::from(p)] = true;
            }
        }
        word.cycle.extend(run.letter(Some(mv)));
        run.take(mv);
    }
    assert_eq!((&run.state, run.control), (&start, Control::Free), "the cycle does not close, {case}");
    match case.goal {
        Goal::Accepting => assert!(accepting, "no accepting state on the cycle, {case}"),
        Goal::NonProgress => assert!(!progress, "progress on the cycle, {case}"),
    }
    assert!(!case.fair || served.iter().all(|s| *s), "the cycle is not fair, {case}");
    if let Some((formulas, formula, _)) = &case.formula {
        assert!(!word.satisfies(formulas, *formula), "the formula holds on the run, {case}");
    }
}
