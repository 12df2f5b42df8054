//! Deliberate mistakes that the self-check must find, each blamed on what has made it.

use super::*;
use crate::files::DiskLoader;
use crate::front::{self, Front};
use expect_test::{Expect, expect};
use ferrospin_interp::Interp;
use ferrospin_model::ir::{Action, Area, Edge, Expr, Model, Place, Scalar};
use ferrospin_model::passes::forgotten::Tally;
use ferrospin_model::passes::{Optimized, run};
use ferrospin_search::naive;
use ferrospin_search::safety::Options;
use ferrospin_system::{Control, Failure, Labels, Moves, Step};

/// A pass with a mistake, or all passes without one.
type Passing = fn(&Model, Passes) -> Optimized;

fn read(text: &str) -> (Front, Arc<Model>) {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    let model = crate::run::prepare(&front).expect("it can be run").model;
    (front, model)
}

/// Searches behind passes, with an executor around the interpreter.
fn searched<M: Machine>(text: &str, passes: Passing, executor: fn(Interp) -> M) -> String {
    let (front, plain) = read(text);
    let prepare = move |passed: Passes| Prepared::of(&plain, passed, passes(&plain, passed));
    let prepared = prepare(Passes::ALL);
    let (model, edges) = (prepared.model.clone(), prepared.plain.edges.len());
    let check = SelfCheck::new(NonZeroU64::MIN, prepared, prepare);
    let mut machine = Checked::new(executor(Interp::new(model)), check.clone());
    naive::search(&mut machine, &Options { errors_max: 0, ..Options::default() }, edges, &mut |_| !check.is_over());
    match check.result(&front.map) {
        Ok(note) => note,
        // What every difference is told with is left out.
        Err(refusal) => {
            let why = refusal.why();
            let why = why.strip_prefix("internal error: the self-check found a difference").expect("it is one");
            why.trim_start_matches(", at m.pml:1").trim_start_matches(": ").replace("; ", "\n")
        }
    }
}

fn check(text: &str, passes: Passing, expected: &Expect) {
    expected.assert_eq(&searched(text, passes, |interp| interp));
}

fn place(offset: u32) -> Place {
    Place { area: Area::Local, offset, indices: Vec::new(), scalar: Scalar::BYTE }
}

/// Where the first variable of the first process stands.
fn first_local(model: &Model) -> u32 {
    model.processes[0].locals[0].offset
}

/// Edges that store to the first variable.
fn stores(model: &Model) -> Vec<EdgeId> {
    let at = first_local(model);
    let is_store =
        |e: &EdgeId| matches!(&model.edge(*e).action, Action::Assign(p, _) if p.offset == at && p.area == Area::Local);
    (0..model.edges.len() as u32).map(EdgeId).filter(is_store).collect()
}

/// Merges more than is sound: what stands alone at its location is done together with the edge that leads there.
fn merge(plain: &Model, passes: Passes, goes: fn(&Model, &Edge) -> bool) -> Optimized {
    let mut optimized = run(plain, Passes { merge: false, ..passes });
    if passes.merge {
        optimized.merged = vec![Vec::new(); plain.edges.len()];
        for (i, edge) in optimized.model.edges.iter_mut().enumerate() {
            let alone =
                |edge: &Edge| plain.locations.get(edge.to.index()).filter(|l| l.edges.len() == 1).map(|l| l.edges[0]);
            let Some(id) = alone(edge).filter(|id| goes(plain, plain.edge(*id))) else { continue };
            let next = plain.edge(id);
            edge.then.push(next.action.clone());
            (edge.to, edge.atomic) = (next.to, next.atomic);
            optimized.merged[i].push(id);
        }
    }
    optimized
}

const COUNTS: &str = "byte g; active proctype P() { byte x; x = 3; g = 1; assert(x == 3); g = 2 }";

#[test]
fn passes_without_mistakes_agree() {
    let two = "byte g; active [2] proctype P() { byte x; x = _pid; g = x + 1; x = g; printf(\"%d\", x); g++ }";
    check(two, run, &expect!["self-check: 52 states and 261 steps compared with the plain model, no difference"]);
}

#[test]
fn a_value_that_dies_too_soon() {
    let passes: Passing = |plain, passes| {
        let mut optimized = run(plain, passes);
        if passes.dead_values {
            let at = first_local(plain);
            for id in stores(plain) {
                let edge = &mut optimized.model.edges[id.index()];
                edge.then.push(Action::Assign(place(at), Expr::Const(0)));
                optimized.forgotten.dead.entry(edge.to).or_default().push((at, Scalar::BYTE));
            }
        }
        optimized
    };
    check(
        COUNTS,
        passes,
        &expect![[r#"
        a step succeeds in the plain model, and fails (assertion violated) when optimised
        without the pass `dead values` there is none, `--no-optimize` avoids it"#]],
    );
}

#[test]
fn a_value_that_is_lost() {
    let passes: Passing = |plain, passes| {
        let mut optimized = run(plain, passes);
        if passes.dead_values {
            for id in stores(plain) {
                optimized.model.edges[id.index()].then.push(Action::Assign(place(first_local(plain)), Expr::Const(0)));
            }
        }
        optimized
    };
    check(
        COUNTS,
        passes,
        &expect![[r#"
        byte 2 of the state is 3 in the plain model and 0 in the optimised one
        without the pass `dead values` there is none, `--no-optimize` avoids it"#]],
    );
}

#[test]
fn a_value_that_is_said_to_be_reset() {
    let passes: Passing = |plain, passes| {
        let mut optimized = run(plain, passes);
        if passes.dead_values {
            for id in stores(plain) {
                let to = optimized.model.edge(id).to;
                optimized.forgotten.dead.entry(to).or_default().push((first_local(plain), Scalar::BYTE));
            }
        }
        optimized
    };
    check(
        COUNTS,
        passes,
        &expect![[r#"
        byte 2 of the state is 0 in the plain model and 3 in the optimised one
        without the pass `dead values` there is none, `--no-optimize` avoids it"#]],
    );
}

#[test]
fn a_counter_that_is_read() {
    let passes: Passing = |plain, passes| {
        let mut stopped = plain.clone();
        for id in stores(plain).into_iter().filter(|_| passes.tallies) {
            stopped.edges[id.index()].action = Action::Assign(place(first_local(plain)), Expr::Const(0));
        }
        let mut optimized = run(&stopped, passes);
        if passes.tallies {
            let owner = Some(plain.location(plain.edge(stores(plain)[0]).from).process);
            let tally = Tally { owner, offset: first_local(plain), dims: Vec::new(), scalar: Scalar::BYTE };
            optimized.forgotten.tallies.push(tally);
        }
        optimized
    };
    check(
        "byte g; active proctype P() { byte n; do :: n < 5 -> n++; g = 1 - g od }",
        passes,
        &expect![[r#"
        the moves of a state (1) are not those of the plain model (0)
        without the pass `tallies` there is none, `--no-optimize` avoids it"#]],
    );
}

#[test]
fn steps_that_must_not_be_one() {
    let others = "byte g, h; active proctype P() { byte x; x = 1; g = 1; x = 2 } active proctype Q() { h = g }";
    let visible: Passing = |plain, passes| merge(plain, passes, |_, next| matches!(next.action, Action::Assign(..)));
    check(
        others,
        visible,
        &expect![[r#"
        a step that was merged with the one before it is noticed by others
        without the pass `statement merging` there is none, `--no-optimize` avoids it"#]],
    );
    let guards = "byte g; active proctype P() { byte x; x = 1; g == 1; x = 2 } active proctype Q() { g = 1 }";
    let blocking: Passing = |plain, passes| merge(plain, passes, |_, next| matches!(next.action, Action::Guard(_)));
    check(
        guards,
        blocking,
        &expect![[r#"
        a step that was merged with the one before it blocks
        without the pass `statement merging` there is none, `--no-optimize` avoids it"#]],
    );
    let labels = "byte g; active proctype P() { byte x; do :: g = 1; progress: x = 2; g = 0 od }";
    let own: Passing = |plain, passes| {
        merge(plain, passes, |_, next| matches!(&next.action, Action::Assign(p, _) if p.area == Area::Local))
    };
    check(
        labels,
        own,
        &expect![[r#"
        a step was merged with the one before it, and there is a label between
        without the pass `statement merging` there is none, `--no-optimize` avoids it"#]],
    );
}

#[test]
fn a_merged_step_that_does_nothing() {
    let passes: Passing = |plain, passes| {
        let mut optimized = run(plain, passes);
        optimized.model.edges.iter_mut().filter(|_| passes.merge).for_each(|edge| edge.then.clear());
        optimized
    };
    let text = "byte g; active proctype P() { byte x, y; x = 1; y = 2; g = x + y; g = y }";
    check(
        text,
        passes,
        &expect![[r#"
        byte 3 of the state is 2 in the plain model and 0 in the optimised one
        without the pass `statement merging` there is none, `--no-optimize` avoids it"#]],
    );
}

/// An executor that does not store to the last byte of a state.
struct Broken(Interp);

impl Machine for Broken {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.0.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.0.moves(state, control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let step = self.0.apply(state, mv, out);
        if let (true, Some(last)) = (out.len() == state.len(), out.last_mut()) {
            *last = *state.last().expect("it is as long");
        }
        step
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        self.0.labels(state, asked)
    }
}

#[test]
fn an_executor_that_forgets() {
    expect![[r#"
        the executor and the interpreter differ in the result of a step
        the executor is wrong, `--engine interp` avoids it"#]]
    .assert_eq(&searched(COUNTS, run, Broken));
}

#[test]
fn a_share_is_looked_at() {
    let (_front, plain) = read(COUNTS);
    let prepared = |passes| Prepared::by(&plain, passes);
    let check = SelfCheck::new(crate::verify::SHARE, prepared(Passes::ALL), |_| unreachable!("nothing is found"));
    let sampled = (0..100_000u32).filter(|n| check.samples(&n.to_le_bytes())).count();
    assert!((50..200).contains(&sampled), "{sampled} of 100,000");
}
