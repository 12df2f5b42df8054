//! Counterexamples are as short as can be: against plain breadth-first searches by the interpreter, and against the shortest
//! lasso of the whole product.

use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::verify::{Goal, Goals, Options, verify};
use ferrospin_interp::Interp;
use ferrospin_lower::{claim, lower_all};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::Model;
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::naive;
use ferrospin_system::{Control, Labels, Machine, Move, Moves, NO_PROCESS};
use ferrospin_testkit::bounded::is_small;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// States of a model that is looked at.
const STATES_MAX: u64 = 1200;

/// Formulas over two variables; some are violated.
const SAFE: [&str; 11] = [
    "[] (A == 0)",
    "[] (B == 0)",
    "[] (A != 1)",
    "[] (A == B)",
    "[] (A <= 1)",
    "[] (B <= 1)",
    "[] (A <= 1 || B == 0)",
    "(A == 0) W (B == 1)",
    "(B == 0) W (A > 1)",
    "[] (A == 1 -> (A == 1 W B == 0))",
    "[] (A == 0 -> (A == 0 W B > 0))",
];
const LIVE: [&str; 5] =
    ["<> [] (A == 0)", "[] (A == 1 -> <> (A == 0))", "<> (A == 3)", "[] <> (A == 1)", "[] (B == 0 -> <> (A == 2))"];

/// A model with formulas.
struct Case {
    name: String,
    text: String,
    model: Arc<Model>,
    /// The model with the claim of each formula.
    claimed: Vec<(String, Arc<Model>)>,
}

/// Small models whose steps are single ones, with formulas over the first variables of each.
fn cases(formulas: &[&str]) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("models").flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "pml"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let plain = std::fs::read_to_string(&file).expect("a model");
        // Steps inside `atomic` are no levels of a search, and claims on channels get searches of their own.
        if ["atomic", "xr ", "xs "].iter().any(|word| plain.contains(word)) {
            continue;
        }
        let read = |text: &str| front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
        let front = read(&plain);
        let (lowered, said) = lower_all(&front.map, &front.reading.program, &front.reading.names);
        let unread = front.unreadable || said.iter().next().is_some();
        let model = Arc::new(lowered.model);
        if unread || !is_small(&model, STATES_MAX) {
            continue;
        }
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let names: BTreeSet<&str> = model.globals.iter().map(|leaf| &*leaf.name).filter(is_name).collect();
        let mut names = names.into_iter();
        let Some(a) = names.next() else { continue };
        let b = names.next().unwrap_or(a);
        let mut text = plain.clone();
        for (i, formula) in formulas.iter().enumerate() {
            text += &format!("\nltl zz{i} {{ {} }}\n", formula.replace('A', a).replace('B', b));
        }
        let front = read(&text);
        let (lowered, said) = lower_all(&front.map, &front.reading.program, &front.reading.names);
        if front.unreadable || said.iter().next().is_some() {
            continue;
        }
        let model = Arc::new(lowered.model);
        let mut claimed = Vec::new();
        for property in lowered.properties.iter().filter(|p| p.name.starts_with("zz")) {
            let (added, claim) = claim::add(&model, property).expect("an automaton");
            claimed.push((property.name.to_string(), Arc::new(added.with_claim(claim))));
        }
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        cases.push(Case { name, text, model, claimed });
    }
    cases
}

fn check(text: &str, goals: Vec<Goal>, threads: usize) -> Vec<PropertyReport> {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    let threads = NonZeroUsize::new(threads).expect("not zero");
    verify(&front, &Options { goals: Goals::Only(goals), threads, ..Options::default() }).expect("an answer").properties
}

/// The fewest steps to a violation of safety.
fn nearest_failure(model: &Arc<Model>) -> Option<u64> {
    let found =
        naive::search(&mut Interp::new(model.clone()), &naive::Options::default(), model.edges.len(), &mut |_| true);
    found.violations.first().map(|v| v.trail.len() as u64)
}

/// The fewest steps to a state behind which a formula fails, whatever follows.
fn nearest_prefix(claimed: &Arc<Model>) -> Option<u64> {
    let early = Arc::new(claim::ending_early(claimed, claimed.layout.claim?.0)?);
    let options = naive::Options {
        errors_max: 500,
        has_property: true,
        only_property: Some(FailureKind::ClaimEnd.number()),
        ..naive::Options::default()
    };
    let edges = early.edges.len();
    let found = naive::search(&mut WithMonitor::new(Interp::new(early)), &options, edges, &mut |_| true);
    let steps = |trail: &[Move]| {
        let all = trail.iter().filter(|mv| mv.process != NO_PROCESS).count() as u64;
        // The claim has seen the state before the last step.
        all - u64::from(trail.last().is_some_and(|mv| mv.process != NO_PROCESS))
    };
    found.violations.iter().map(|v| steps(&v.trail)).min()
}

#[test]
fn safety_and_safety_formulas_are_violated_by_the_shortest_way() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (i, case) in cases(&SAFE).into_iter().enumerate() {
        let mut expected = vec![("safety".to_owned(), nearest_failure(&case.model))];
        expected.extend(case.claimed.iter().map(|(name, claimed)| (name.clone(), nearest_prefix(claimed))));
        let goals = [Goal::Safety].into_iter().chain(case.claimed.iter().map(|(name, _)| Goal::Ltl(name.clone())));
        let goals: Vec<Goal> = goals.collect();
        let all = check(&case.text, goals.clone(), 1 + i % 2);
        for (j, (name, steps)) in expected.into_iter().enumerate() {
            let alone = check(&case.text, vec![goals[j].clone()], 1);
            for report in [&all[j], &alone[0]] {
                let depth = report.error.as_ref().and_then(|e| e.depth);
                if depth != steps || (report.verdict == Verdict::Violated) != steps.is_some() {
                    let found = (report.verdict, depth, &report.notes);
                    wrong.push(format!("{} {name}: {found:?}, expected {steps:?}", case.name));
                }
            }
            assert!(all[j].shared_search.len() == all.len() - 1, "{} {name} shares its search", case.name);
            compared += usize::from(steps.is_some());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 40, "{compared} violations were compared");
}

/// The product with a claim, as a graph: each arc with the number of steps that it is, and which nodes accept.
struct Product {
    arcs: Vec<Vec<(usize, u64)>>,
    accepts: Vec<bool>,
}

impl Product {
    fn new(claimed: &Arc<Model>) -> Product {
        let mut machine = WithMonitor::new(Interp::new(claimed.clone()));
        let (mut first, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
        machine.initial(&mut first).expect("an initial state");
        let mut nodes = vec![(first, Control::Free)];
        let mut index = HashMap::from([(nodes[0].clone(), 0)]);
        let mut product = Product { arcs: Vec::new(), accepts: Vec::new() };
        while product.arcs.len() < nodes.len() {
            let (state, control) = nodes[product.arcs.len()].clone();
            product.accepts.push(machine.labels(&state, Labels::ACCEPT).has(Labels::ACCEPT));
            machine.moves(&state, control, &mut moves);
            let mut arcs = Vec::new();
            for mv in std::mem::take(&mut moves.list) {
                let step = machine.apply(&state, &mv, &mut next);
                if step.proceeds {
                    let node = (next.clone(), step.control);
                    let to = *index.entry(node.clone()).or_insert_with(|| {
                        nodes.push(node);
                        nodes.len() - 1
                    });
                    arcs.push((to, u64::from(mv.process != NO_PROCESS)));
                }
            }
            product.arcs.push(arcs);
        }
        product
    }

    /// The fewest steps from a node, and whether an accepting one was passed, to all others: arcs weigh 0 or 1.
    fn distances(&self, from: usize) -> Vec<[Option<u64>; 2]> {
        let mut at_least = vec![[None; 2]; self.arcs.len()];
        let mut queue = std::collections::VecDeque::from([(from, false, 0_u64)]);
        let mut out = vec![[None; 2]; self.arcs.len()];
        while let Some((at, passed, length)) = queue.pop_front() {
            let passed = passed || self.accepts[at];
            let known: &mut Option<u64> = &mut at_least[at][usize::from(passed)];
            if known.is_some_and(|k| k <= length) {
                continue;
            }
            *known = Some(length);
            for (to, weight) in &self.arcs[at] {
                let seen: &mut Option<u64> = &mut out[*to][usize::from(passed)];
                if seen.is_none_or(|s| s > length + weight) {
                    *seen = Some(length + weight);
                }
                match weight {
                    0 => queue.push_front((*to, passed, length)),
                    _ => queue.push_back((*to, passed, length + weight)),
                }
            }
        }
        out
    }

    /// The fewest steps of a stem and an accepting cycle.
    fn shortest_lasso(&self) -> Option<u64> {
        let stems = self.distances(0);
        let stem = |at: usize| if at == 0 { Some(0) } else { stems[at].iter().flatten().min().copied() };
        (0..self.arcs.len()).filter_map(|at| Some(stem(at)? + self.distances(at)[at][1]?)).min()
    }
}

#[test]
fn lassos_are_short() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for case in cases(&LIVE) {
        for (name, claimed) in &case.claimed {
            let product = Product::new(claimed);
            if product.arcs.len() > 2 * STATES_MAX as usize {
                continue;
            }
            let Some(shortest) = product.shortest_lasso() else { continue };
            let report = check(&case.text, vec![Goal::Ltl(name.clone())], 1).remove(0);
            let error = report.error.expect("it is violated");
            let cycle = error.message.split("a cycle of ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
            let found = error.depth.unwrap_or(0) + cycle.unwrap_or(0);
            if found * 10 > shortest * 11 {
                wrong.push(format!("{} {name}: {found} steps, {shortest} are enough: {}", case.name, error.message));
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 20, "{compared} lassos were compared");
}
