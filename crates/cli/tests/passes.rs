//! Statement merging and dead-value resetting change no answer: verdicts, kinds of errors and unreached code are those of
//! the plain graphs, counterexamples can be replayed on them, and there are never more states.

use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::prepare::{Notices, prepare};
use ferrospin::report::Verdict;
use ferrospin::verify::{Goal, Goals, Options, verify};
use ferrospin_interp::Interp;
use ferrospin_lower::claim;
use ferrospin_lower::lower_all;
use ferrospin_ltl::Flags;
use ferrospin_model::ir::Model;
use ferrospin_native::Native;
use ferrospin_search::cycles::{self, Lasso};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_system::{Control, Machine, Move, Moves, NO_EDGE, NO_PROCESS};
use ferrospin_testkit::expectations::{self, Expectation};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

/// Largest plain state space that is checked here.
const STATES_MAX: u64 = 5_000;

fn run(row: &Expectation, args: &[&str], trail: Option<&str>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(args)
        .args(&row.defines)
        .arg(&row.model)
        .args(trail)
        .output()
        .expect("the program runs")
}

fn check(row: &Expectation, trail: &str, more: &[&str]) -> Value {
    let mut args = vec!["check", "--safety", "--quiet", "--format", "json", "--threads", "1", "--trail", trail];
    args.extend(more);
    let output = run(row, &args, None);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}: {}", row.name(), String::from_utf8_lossy(&output.stderr)))
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

#[test]
fn answers_are_those_of_the_plain_graphs() {
    let trail = std::env::temp_dir().join(format!("ferrospin-passes-{}.trail.json", std::process::id()));
    let trail = trail.to_string_lossy();
    let (mut smaller, mut replayed) = (0, 0);
    for row in expectations::all(&models()).expect("models") {
        if row.plain_counts().is_none_or(|(states, _)| states > STATES_MAX) {
            continue;
        }
        let what = row.name();
        let plain = check(&row, &trail, &["--plain"]);
        let passed = check(&row, &trail, &["--por", "off", "--self-check=3"]);
        assert_eq!(passed["verdict"], plain["verdict"], "{what}");
        assert_eq!(passed["unreached"], plain["unreached"], "{what}");
        let (a, b) = (&passed["properties"][0], &plain["properties"][0]);
        assert_eq!(a["error"]["kind"], b["error"]["kind"], "{what}");
        let states = |p: &Value| p["states"].as_u64().expect("counted");
        if a["verdict"] == "holds" {
            assert!(states(a) <= states(b), "{what}: {} states, {} plain", states(a), states(b));
            smaller += u32::from(states(a) < states(b));
        } else {
            let output = run(&row, &["replay"], Some(&trail));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{what}: {said}");
            replayed += 1;
        }
    }
    let _ = std::fs::remove_file(trail.as_ref());
    assert!(smaller >= 10, "only {smaller} models have become smaller");
    assert!(replayed >= 10, "only {replayed} counterexamples were replayed");
}

/// Runs a cycle on the plain graphs; says in a sentence what is wrong with it.
fn replay(model: &Arc<Model>, lasso: &Lasso) -> Result<(), String> {
    let mut machine = Interp::new(model.clone());
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    let mut control = Control::Free;
    machine.initial(&mut state).map_err(|f| ferrospin_interp::failure_kind(f.code).to_string())?;
    let mut at_cycle = state.clone();
    for (i, mv) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        if i == lasso.stem.len() {
            at_cycle.clone_from(&state);
        }
        if mv.process == NO_PROCESS {
            continue;
        }
        let mv = Move { property: NO_EDGE, stutter: false, ..*mv };
        machine.moves(&state, control, &mut moves);
        if moves.list.is_empty() {
            machine.moves(&state, Control::Free, &mut moves);
        }
        if !moves.list.contains(&mv) {
            return Err(format!("step {} cannot be taken", i + 1));
        }
        control = machine.apply(&state, &mv, &mut next).control;
        std::mem::swap(&mut state, &mut next);
    }
    if lasso.cycle.is_empty() || state == at_cycle { Ok(()) } else { Err("the cycle does not close".into()) }
}

#[test]
fn formulas_hold_behind_the_passes_where_they_held_before() {
    let (mut held, mut violated, mut merged) = (0, 0, 0);
    for path in expectations::models(&models()).expect("models") {
        let rows = expectations::beside(&path);
        let size = rows.iter().filter(|r| r.defines.is_empty() && r.property == "safety").find_map(|r| r.states);
        let front = front::read_path(&path, &front::Options::default()).expect("the model can be read");
        if front.unreadable || size.is_none_or(|states| states > STATES_MAX / 2) {
            continue;
        }
        let (lowered, _) = lower_all(&front.map, &front.reading.program, &front.reading.names);
        if lowered.model.uses.foreign {
            continue;
        }
        let base = Arc::new(lowered.model);
        for property in lowered.properties.iter().filter(|p| p.formulas.is(p.formula, Flags::X_FREE)) {
            let (model, claim) = claim::add(&base, property).expect("small formulas");
            let plain = Arc::new(model.with_claim(claim));
            let prepared = prepare(&plain, &Options::default(), Notices::Changes);
            for fair in [false, true] {
                let what = format!("{} {} fair {fair}", path.display(), property.name);
                let search = |model: &Arc<Model>| {
                    let native = Native::compile(model).map(|n| Box::new(WithMonitor::new(n)) as Box<dyn Machine>);
                    let mut machine = native.unwrap_or_else(|_| Box::new(WithMonitor::new(Interp::new(model.clone()))));
                    let options = cycles::Options { fair, has_property: true };
                    cycles::search(&mut *machine, cycles::Wanted::Accepting, options, &mut |_| true)
                };
                let (before, behind) = (search(&plain), search(&prepared.model));
                assert_eq!(behind.lasso.is_some(), before.lasso.is_some(), "{what}");
                assert!(behind.states <= before.states, "{what}: {} states, {} plain", behind.states, before.states);
                merged += u32::from(behind.states < before.states);
                match behind.lasso {
                    None => held += 1,
                    Some(lasso) => {
                        violated += 1;
                        replay(&base, &prepared.plain_lasso(&lasso)).unwrap_or_else(|why| panic!("{what}: {why}"));
                    }
                }
            }
        }
    }
    assert!(held >= 20 && violated >= 20 && merged >= 20, "{held} held, {violated} violated, {merged} smaller");
}

/// A variable that only counts is no part of the state where safety is asked for; every search for cycles sees it.
#[test]
fn tallies_are_for_safety() {
    let folder = std::env::temp_dir().join(format!("ferrospin-tallies-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("n.pml");
    let text = "byte n, m; active proctype A() { do :: n++; m++ od } ltl p { <> (n == 200) } ltl q { [] (n < 201) }";
    std::fs::write(&path, text).expect("a file");
    for emptiness in ["auto", "couvreur", "ndfs", "tau03", "weak", "cndfs", "ufscc"] {
        let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
            .args(["check", "--quiet", "--no-trail", "--format", "json", "--emptiness", emptiness])
            .arg(&path)
            .output()
            .expect("the program runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let verdicts: Vec<_> = (0..3).map(|i| report["properties"][i]["verdict"].as_str()).collect();
        assert_eq!(verdicts, [Some("holds"), Some("holds"), Some("violated")], "{emptiness}: {report}");
        // For safety nothing is counted, unless the same search answers a formula that sees it.
        assert!(emptiness == "auto" || report["properties"][0]["states"].as_u64() < Some(5), "{report}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made above");
}

/// What was sent enables a process with precedence over the step behind the send, so that the two are not one step.
#[test]
fn a_step_waits_for_those_with_a_higher_priority() {
    let text = "chan c = [1] of { byte };\n\
        active proctype Low() priority 1 { c!1; printf(\"sent\") }\n\
        active proctype High() priority 2 { c?1; assert(false) }";
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    let report = verify(&front, &Options { goals: Goals::Only(vec![Goal::Safety]), ..Options::default() })
        .expect("the counterexample can be replayed");
    assert_eq!(report.properties[0].verdict, Verdict::Violated);
    let story = report.properties[0].story.as_ref().expect("steps");
    assert!(story.contains("c?1") && !story.contains("printf"), "{story}");
}
