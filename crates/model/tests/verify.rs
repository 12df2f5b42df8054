//! The verifier: all models keep the rules, and each broken rule is found.

mod corpus;

use expect_test::{Expect, expect};
use ferrospin_model::ir::{Action, EdgeId, Expr, LocationId, Model, Place, ProcessId, Scalar};
use ferrospin_model::verify::verify;

#[test]
fn all_models_keep_the_rules() {
    for (name, model) in corpus::models() {
        assert_eq!(verify(&model), Ok(()), "{name}");
    }
}

#[test]
fn random_models_keep_the_rules() {
    for seed in 0..300 {
        let text = ferrospin_testkit::generate::generate(seed).text();
        if let Ok(model) = ferrospin_testkit::model("m.pml", &text, &[]) {
            assert_eq!(verify(&model), Ok(()), "seed {seed}:\n{text}");
            assert_eq!(verify(&ferrospin_model::passes::optimize(&model).model), Ok(()), "seed {seed}:\n{text}");
        }
    }
}

/// Breaks a model that has a bit of everything, and looks at the first complaint.
fn check(break_it: impl FnOnce(&mut Model), expected: Expect) {
    let mut model = corpus::model(
        "chan c = [1] of { byte }; byte g[3]; \
         proctype B(byte n) { g[n] = n } \
         active proctype A() { byte x; if :: g[0] == 1 -> x = 1 :: else fi; d_step { x = 2; g[1] = x } run B(1); c!x }",
    );
    assert_eq!(verify(&model), Ok(()));
    break_it(&mut model);
    let wrong = verify(&model).expect_err("a rule is broken");
    expected.assert_eq(&wrong[0]);
}

fn edge(m: &Model, is: impl Fn(&Action) -> bool) -> EdgeId {
    EdgeId(m.edges.iter().position(|e| is(&e.action)).unwrap() as u32)
}

#[test]
fn broken_graphs_are_found() {
    let d_step = |m: &Model| edge(m, |a| matches!(a, Action::DStep(_)));
    check(|m| m.processes[0].entry = m.processes[1].entry, expect!["rule 1: P0 starts at L2, which is not its own"]);
    check(|m| m.processes[0].entry = LocationId(99), expect!["rule 1: P0 has no entry"]);
    check(
        |m| {
            let e = m.locations[0].edges[0];
            m.locations[1].edges.push(e);
        },
        expect!["rule 2: L1 lists E0, which does not start there"],
    );
    check(|m| m.edges[0].to = m.processes[1].entry, expect!["rule 3: E0 leaves its process"]);
    check(|m| m.edges[0].to = LocationId::EXIT, expect!["rule 4: E0 leads to the exit"]);
    check(
        |m| {
            let inner = m.locations.iter().position(|l| l.inside_d_step).unwrap();
            let e = d_step(m);
            m.edges[e.index()].to = LocationId(inner as u32);
        },
        expect!["rule 5: E6 crosses the border of a d_step"],
    );
    check(
        |m| {
            let e = d_step(m);
            m.edges[e.index()].action = Action::DStep(m.edges[e.index()].to);
        },
        expect!["rule 6: E6 starts a d_step at L7"],
    );
    check(|m| m.locations.iter_mut().find(|l| l.inside_d_step).unwrap().end = true, expect!["rule 7: L5 has a mark"]);
    check(
        |m| {
            let e = edge(m, |a| matches!(a, Action::Guard(_)));
            m.edges[e.index()].action = Action::Else;
        },
        expect!["rule 8: L2 has 2 `else`"],
    );
    check(
        |m| {
            let e = edge(m, |a| *a == Action::Else);
            m.edges[e.index()].escape = 1;
        },
        expect!["rule 9: L2 has escapes in the order [0, 1]"],
    );
    check(|m| m.edges[0].then.push(Action::Else), expect!["rule 10: E0 has further actions that it cannot have"]);
    check(|m| m.start.push(ProcessId(7)), expect!["rule 11: there is no P7"]);
    check(
        |m| {
            let e = edge(m, |a| matches!(a, Action::Run { .. }));
            if let Action::Run { args, .. } = &mut m.edges[e.index()].action {
                args.clear();
            }
        },
        expect!["rule 12: E7 runs B with 0 arguments"],
    );
}

#[test]
fn broken_memory_is_found() {
    check(|m| m.globals[0].scalar = Scalar::Unsigned(0), expect!["rule 13: the globals: c"]);
    check(|m| m.globals[0].offset = 1, expect!["rule 14: the globals: g overlaps something or lies outside"]);
    check(|m| m.channels[0].offset = 99, expect!["rule 14: the globals: channel c overlaps something or lies outside"]);
    check(|m| m.processes[1].locals[0].offset = 0, expect!["rule 14: P1: x overlaps something or lies outside"]);
    check(|m| m.globals[1].dims[0].1 = 0, expect!["rule 15: the globals: the dimension 3 * 0 of g"]);
    check(
        |m| {
            if let Action::Assign(Place { indices, .. }, _) = &mut m.edges[0].action {
                indices[0].len = 4;
            }
        },
        expect!["rule 16: there is no variable at 1 of Global in Some(ProcessId(0))"],
    );
    check(|m| m.processes[0].params[0].offset += 1, expect!["rule 17: P0: the parameter at 2"]);
    check(|m| m.channels.clear(), expect!["rule 18: the globals: there is no channel 0"]);
    check(|m| m.layout.location_size = 3, expect!["rule 19: location numbers do not fit"]);
    check(|m| m.edges[0].action = Action::Guard(Expr::Timeout), expect!["rule 20: timeout"]);
}
