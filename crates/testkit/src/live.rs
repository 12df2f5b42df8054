//! Cycles under partial-order reduction: random programs with random formulas, `accept` and `progress` labels, searched with
//! and without it.
//!
//! The oracle is the naive search over the whole product without any reduction. Who calls gives the reduction.

use crate::FolderLoader;
use crate::generate::generate;
use ferrospin_interp::Interp;
use ferrospin_lower::claim::{self, Property};
use ferrospin_lower::lower_all;
use ferrospin_ltl::random::Random;
use ferrospin_ltl::{Flags, Formulas};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::Model;
use ferrospin_model::passes::optimize;
use ferrospin_promela::preprocess::Options;
use ferrospin_search::cycles::{self, Wanted};
use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::product::{self, Product};
use ferrospin_search::emptiness::reducing::Reducing;
use ferrospin_search::emptiness::{Explorer, Graph, Outcome, Verdict, couvreur, ndfs, tau03};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_source::SourceMap;
use ferrospin_store::Exact;
use ferrospin_system::{Handle, Reduction, StateHash, Store};
use std::sync::Arc;

pub use ferrospin_search::emptiness::product::Goal;
pub use ferrospin_search::emptiness::reducing::Weakening;

/// A model and what to ask of it.
#[derive(Clone)]
pub struct Case {
    /// For messages.
    pub text: String,
    /// With its claim beside, if there is one.
    pub model: Arc<Model>,
    /// What kind of cycle is looked for.
    pub goal: Goal,
}

/// Makes a reduction.
pub type Make<'a> = dyn Fn(&Case) -> Option<Box<dyn Reduction>> + 'a;

/// States beyond which a case is left out.
const STATES_MAX: u64 = 3_000;

/// A model with the claim of its first formula beside it.
pub fn with_formula(text: &str) -> Option<Case> {
    let (model, properties) = read(text)?;
    with_property(text.into(), &model, properties.first()?)
}

fn with_property(text: String, model: &Model, property: &Property) -> Option<Case> {
    let (model, claim) = claim::add(model, property).ok()?;
    Some(Case { text, model: Arc::new(model.with_claim(claim)), goal: Goal::Accepting })
}

fn read(text: &str) -> Option<(Model, Vec<Property>)> {
    let mut map = SourceMap::new();
    let file = map.add_file("random.pml", text);
    let options = Options { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    if reading.diagnostics.has_errors() {
        return None;
    }
    let (lowered, said) = lower_all(&map, &reading.program, &reading.names);
    (!said.has_errors() && !lowered.model.uses.foreign).then_some((lowered.model, lowered.properties))
}

/// Random cases of a seed: a formula without `X`, `accept` labels, `progress` labels.
pub fn cases(seed: u64) -> Vec<Case> {
    let text = generate(seed).text();
    let mut r = Random::new(seed.wrapping_mul(131) + 7);
    let mut out: Vec<Case> = formula_case(&text, &mut r).into_iter().collect();
    for goal in [Goal::Accepting, Goal::NonProgress] {
        let Some((mut model, _)) = read(&text) else { break };
        for l in &mut model.locations {
            // No process ever stands inside a `d_step`.
            l.accept = r.chance(12) && !l.inside_d_step;
            l.progress = r.chance(50) && !l.inside_d_step;
        }
        out.push(Case { text: format!("{text}\n/* random labels: {goal:?} */"), model: Arc::new(model), goal });
    }
    out
}

/// A random formula without `X` over globals and labels of a program.
fn formula_case(text: &str, r: &mut Random) -> Option<Case> {
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let global = |n: usize| words.iter().find(|w| **w == format!("g{n}")).copied();
    let first = global(0)?;
    let second = global(1).unwrap_or(first);
    let atoms = [format!("{first} == 1"), format!("{second} > 0"), format!("{first} == {second}"), "_nr_pr > 1".into()];
    // The propositions come from blocks of their own, so that a random formula can be put together of them.
    let blocks: String = atoms.iter().enumerate().map(|(i, a)| format!("ltl atom_{i} {{ ({a}) }}\n")).collect();
    let (model, properties) = read(&format!("{text}\n{blocks}"))?;
    let mut formulas = Formulas::new();
    let formula = (0..50).find_map(|_| {
        let size = 2 + r.below(7);
        let f = r.formula(&mut formulas, size, atoms.len() as u32);
        formulas.is(f, Flags::X_FREE).then_some(f)
    })?;
    let atoms = properties.iter().map(|p| p.atoms[0].clone()).collect();
    let property = Property { name: "p".into(), formulas, formula, atoms, texts: Vec::new(), span: properties[0].span };
    with_property(text.into(), &model, &property)
}

/// States of a case without reduction and, summed over the searches, with it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Whether there is a violation.
    pub violated: bool,
    /// Couvreur's search over everything.
    pub full: u64,
    /// Couvreur's search, reduced.
    pub reduced: u64,
}

/// Compares every reduced search with the oracle, at plain grain and behind the passes; what went wrong where they
/// disagree, nothing for what is too large or cannot be reduced.
pub fn judge(case: &Case, weakening: Weakening, make: &Make<'_>) -> Result<Option<Sizes>, String> {
    let mut sizes = None;
    for optimized in [false, true] {
        // Between merged statements a run may stay without progress.
        if optimized && case.goal == Goal::NonProgress {
            break;
        }
        let model = if optimized { Arc::new(optimize(&case.model).model) } else { case.model.clone() };
        let case = Case { model, ..case.clone() };
        let Some(found) = judge_model(&case, weakening, make)? else { return Ok(None) };
        if sizes.get_or_insert(found).violated != found.violated {
            return Err("the passes change the verdict".into());
        }
    }
    Ok(sizes)
}

fn judge_model(case: &Case, weakening: Weakening, make: &Make<'_>) -> Result<Option<Sizes>, String> {
    let has_property = case.model.layout.claim.is_some();
    let wanted = match case.goal {
        Goal::Accepting => Wanted::Accepting,
        Goal::NonProgress => Wanted::NonProgress,
    };
    let how = cycles::Options { fair: false, has_property };
    let mut machine = WithMonitor::new(Interp::new(case.model.clone()));
    let oracle = cycles::search(&mut machine, wanted, how, &mut |o| o.states < STATES_MAX);
    if !oracle.complete || make(case).is_none() {
        return Ok(None);
    }
    let violated = oracle.lasso.is_some();
    let mut sizes = Sizes { violated, ..Sizes::default() };
    for search in [Search::Full, Search::Couvreur, Search::Early, Search::Ndfs, Search::Tau03] {
        let outcome = run(case, search, weakening, make);
        match outcome.verdict {
            // What never leaves an `atomic` is left to the oracle.
            Verdict::Empty if outcome.cut.endless => return Ok(None),
            Verdict::Empty if violated => return Err(format!("{search:?} misses a violation")),
            Verdict::Cycle(_) | Verdict::End(_) if !violated => {
                return Err(format!("{search:?} finds what is not there"));
            }
            Verdict::Stopped(why) => return Err(format!("{search:?} stops: {why:?}")),
            _ => {}
        }
        match search {
            Search::Full => sizes.full = outcome.figures.states,
            Search::Couvreur => sizes.reduced = outcome.figures.states,
            _ => {}
        }
    }
    Ok(Some(sizes))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Search {
    Full,
    Couvreur,
    /// The same, with a claim that ends where it accepts whatever follows.
    Early,
    Ndfs,
    Tau03,
}

fn run(case: &Case, search: Search, weakening: Weakening, make: &Make<'_>) -> Outcome<Vec<ferrospin_system::Move>> {
    let has_property = case.model.layout.claim.is_some();
    let early = case.model.layout.claim.filter(|_| search == Search::Early);
    let early = early.and_then(|(claim, _)| claim::ending_early(&case.model, claim));
    let options = product::Options {
        goal: case.goal,
        fair: false,
        has_property,
        property_end: early.is_some().then(|| FailureKind::ClaimEnd.number()),
    };
    let model = early.map_or_else(|| case.model.clone(), Arc::new);
    let (store, systems) = (exact(), exact());
    let hash = StateHash::new(0);
    let claim = case.model.layout.claim.map_or(0..0, |(claim, at)| {
        let at = at as usize;
        at..at + case.model.process(claim).frame_size as usize
    });
    let reducing = make(case).filter(|_| search != Search::Full);
    let reducing = reducing.map(|r| Reducing::new(r, Box::new(systems.handle()), hash, claim).weakened(weakening));
    let graph = Product::<u8>::new(Box::new(WithMonitor::new(Interp::new(model))), options).with_reduction(reducing);
    match case.goal {
        Goal::Accepting => with_graph(graph, store.handle(), search),
        Goal::NonProgress => with_graph(Copies::new(graph), store.handle(), search),
    }
}

fn exact() -> Exact {
    Exact::new(&ferrospin_store::Options::new())
}

fn with_graph<G: Graph, H: Handle>(graph: G, handle: H, search: Search) -> Outcome<G::Label> {
    let mut x = Explorer::new(graph, handle, StateHash::new(0));
    let go_on = &mut |_: &_| true;
    match search {
        Search::Full | Search::Couvreur | Search::Early => couvreur::search(&mut x, go_on),
        Search::Ndfs => ndfs::search(&mut x, go_on),
        Search::Tau03 => tau03::search(&mut x, go_on),
    }
}
