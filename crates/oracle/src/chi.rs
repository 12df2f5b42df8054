//! Models in chi against their translations: the graphs are stuttering equivalent, deadlocks agree, and so do formulas of LTL without
//! next, which are decided on the graph of the chi model by an automaton and the components of the product.

use ferrospin::behaviour::{self, Labelling, View};
use ferrospin::chi as face;
use ferrospin::report::Verdict;
use ferrospin::verify::{Engine, Goal, Goals, Hooks, Limits, Options, verify};
use ferrospin_chi::normal::Refused;
use ferrospin_chi::term::Program;
use ferrospin_ltl::{AtomId, Formula, Formulas, Labels, StateId, Target, translate};
use ferrospin_lts::compare::compare;
use ferrospin_lts::{Graph, Notion, State, Unwatched};
use ferrospin_testkit::random::Random;
use std::collections::HashMap;
use std::sync::Arc;

/// What was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Judged {
    /// States of the chi model.
    pub states: usize,
    /// Formulas that hold.
    pub holds: usize,
    /// Formulas that do not.
    pub violated: usize,
    /// Whether it has a deadlock.
    pub deadlocks: bool,
}

/// Compares a model with its translation; `Ok(None)` where it has none, `Err` where something differs. The model is printed and read
/// first, which gives every scope variables of its own.
pub fn judge(program: &Program, formulas: usize, seed: u64) -> Result<Option<Judged>, String> {
    let text: Arc<str> = ferrospin_chi::print::program(program).into();
    let Some(program) = face::read_text("random.chi".into(), text.clone()).program else {
        return Err(format!("a printed model does not read:\n{text}"));
    };
    let program = &program;
    let translation = match face::promela(program) {
        Ok(translation) => translation,
        Err(Refused::Open | Refused::TooLarge) => {
            return Err("a small closed model has a translation or a reason".into());
        }
        Err(_) => return Ok(None),
    };
    let told = |what: &str| format!("{what}\n{text}\n{}", translation.text);
    let observed: Vec<String> = program.variables[..program.globals.len()].iter().map(|d| d.name.clone()).collect();
    let view = View { labels: Labelling::Nothing, propositions: observed, ends: true, ..View::default() };
    let own = face::graph(program, &view, &Unwatched, || "stopped").map_err(|e| told(&e.to_string()))?;
    let front =
        ferrospin::front::read_text("translated.pml", translation.text.as_str(), &Default::default(), &mut none());
    if front.unreadable {
        return Err(told(&front.text(false)));
    }
    let theirs =
        behaviour::of_model(&front, &view, &Limits::default(), &Hooks::default()).map_err(|e| told(&e.to_string()))?;
    let found = compare(&own, &theirs, Notion::Stuttering, &Unwatched).expect("unwatched");
    if let Some(formula) = found.formula {
        return Err(told(&format!("the graphs differ: {formula}")));
    }
    let mut judged = Judged { states: own.state_count(), deadlocks: deadlocks(&own), ..Judged::default() };
    let mut random = Random::new(seed);
    let mut made: Vec<(String, Formulas, Formula)> = Vec::new();
    for _ in 0..formulas {
        let mut arena = Formulas::new();
        let (f, text) = formula(&mut arena, &mut random, 3);
        made.push((text, arena, f));
    }
    let goals = made.iter().map(|(text, ..)| Goal::Ltl(text.clone())).chain([Goal::Safety]).collect();
    let options = Options { goals: Goals::Only(goals), engine: Engine::Interp, ..Options::default() };
    let answers = verify(&front, &options).map_err(|e| told(&e.why()))?;
    let (safety, answers) = match answers.properties.split_last() {
        Some((last, rest)) if rest.len() == made.len() => (last, rest),
        _ => return Err(told("an answer is missing")),
    };
    if (safety.verdict == Verdict::Violated) != judged.deadlocks {
        return Err(told(&format!("deadlock: {} in chi, {:?} in Promela", judged.deadlocks, safety.verdict)));
    }
    for ((text, arena, f), answer) in made.iter_mut().zip(answers) {
        let holds = holds(&own, arena, *f);
        let expected = if holds { Verdict::Holds } else { Verdict::Violated };
        if answer.verdict != expected {
            return Err(told(&format!("{text}: {expected:?} in chi, {:?} in Promela", answer.verdict)));
        }
        judged.holds += usize::from(holds);
        judged.violated += usize::from(!holds);
    }
    Ok(Some(judged))
}

fn none() -> ferrospin::files::DiskLoader {
    ferrospin::files::DiskLoader::default()
}

/// Whether some state neither terminates nor goes on.
fn deadlocks(graph: &Graph) -> bool {
    let sink = |s: State| holds_in(graph, s, ferrospin_chi::graph::TERMINATED);
    graph.states().any(|s| graph.edges(s).is_empty() && !sink(s))
}

fn holds_in(graph: &Graph, state: State, text: &str) -> bool {
    let valuation = graph.valuation().expect("states carry values");
    let place = valuation.propositions.iter().position(|p| **p == *text);
    place.is_some_and(|p| valuation.holds(ferrospin_lts::Proposition(p as u32), state))
}

/// The atoms: `x = 0`, ..., `y = 2`.
const ATOMS: [(&str, i32); 6] = [("x", 0), ("x", 1), ("x", 2), ("y", 0), ("y", 1), ("y", 2)];

/// A random formula without next, and its text in Promela.
fn formula(arena: &mut Formulas, random: &mut Random, depth: usize) -> (Formula, String) {
    if depth == 0 || random.chance(20) {
        let atom = random.below(ATOMS.len());
        let (name, value) = ATOMS[atom];
        return (arena.atom(AtomId(atom as u32)), format!("({name} == {value})"));
    }
    let (f, of_f) = formula(arena, random, depth - 1);
    match random.below(7) {
        0 => (arena.not(f), format!("!({of_f})")),
        1 => (arena.always(f), format!("[] ({of_f})")),
        2 => (arena.eventually(f), format!("<> ({of_f})")),
        n => {
            let (g, of_g) = formula(arena, random, depth - 1);
            let (sign, made) = match n {
                3 => ("&&", arena.and(&[f, g])),
                4 => ("||", arena.or(&[f, g])),
                5 => ("->", arena.implies(f, g)),
                _ => ("U", arena.until(f, g)),
            };
            (made, format!("(({of_f}) {sign} ({of_g}))"))
        }
    }
}

/// Whether all maximal runs satisfy a formula, the last state of a finite one repeated. Edges to the state behind termination count for
/// nothing: that a run may end is no step.
fn holds(graph: &Graph, arena: &mut Formulas, f: Formula) -> bool {
    let mut labels = Labels::new();
    let negated = arena.not(f);
    let claim = translate(arena, negated, Target::Buchi, &mut labels).expect("the formula is small");
    let states: Vec<[bool; 6]> =
        graph.states().map(|s| ATOMS.map(|(name, value)| holds_in(graph, s, &format!("{name}={value}")))).collect();
    let next = |s: State| {
        let real = |e: &&ferrospin_lts::Edge| !holds_in(graph, e.target, ferrospin_chi::graph::TERMINATED);
        let found: Vec<State> = graph.edges(s).iter().filter(real).map(|e| e.target).collect();
        if found.is_empty() { vec![s] } else { found }
    };
    let mut ids: HashMap<(State, StateId), usize> = HashMap::new();
    let mut nodes: Vec<(State, StateId)> = Vec::new();
    ids.insert((graph.initial(), claim.initial), 0);
    nodes.push((graph.initial(), claim.initial));
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        let (s, q) = nodes[at];
        let mut own = Vec::new();
        for edge in claim.out(q) {
            if !labels.contains(edge.label, |atom| states[s.index()][atom.0 as usize]) {
                continue;
            }
            for t in next(s) {
                let count = nodes.len();
                let id = *ids.entry((t, edge.target)).or_insert(count);
                if id == count {
                    nodes.push((t, edge.target));
                }
                own.push(id);
            }
        }
        edges.push(own);
        at += 1;
    }
    // An accepting node that reaches itself: the products are small.
    let reaches = |from: usize| {
        let mut seen = vec![false; nodes.len()];
        let mut list = edges[from].clone();
        while let Some(n) = list.pop() {
            if n == from {
                return true;
            }
            if !std::mem::replace(&mut seen[n], true) {
                list.extend(&edges[n]);
            }
        }
        false
    };
    !(0..nodes.len()).any(|n| claim.accepting(nodes[n].1) && reaches(n))
}
