//! Each condition of the passes and of lowering is needed: without it some small model gets a wrong answer.
//!
//! *Lowering* is judged by verdicts, states and transitions of plain searches, which are those of SPIN on the same models
//! (`crates/testkit/tests`), and by the cycles that labels and formulas have. *Passes* are judged by what they promise: the same
//! sorts of failures, the same cycles, no more states.

use ferrospin_interp::Interp;
use ferrospin_lower::{Lowered, claim, lower_mutated, mutant as lowering};
use ferrospin_model::ir::{Model, ProcessKind};
use ferrospin_model::mutant as pass;
use ferrospin_model::passes::{Passes, run_mutated};
use ferrospin_model::verify::verify;
use ferrospin_promela::preprocess::Options as Preprocessing;
use ferrospin_promela::{Reading, read};
use ferrospin_search::cycles::{self, Wanted};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::naive::{Fault, Options, Outcome};
use ferrospin_source::SourceMap;
use std::fmt::Debug;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

/// States beyond which a model is left out.
const STATES_MAX: u64 = 1_000;

struct Text {
    name: String,
    map: SourceMap,
    reading: Reading,
}

fn text(name: &str, text: &str) -> Option<Text> {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let options = Preprocessing { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = read(&mut map, file, &options, &mut ferrospin_testkit::FolderLoader);
    (!reading.diagnostics.has_errors()).then(|| Text { name: name.into(), map, reading })
}

/// Models for mistakes that the recorded ones do not show.
const TRAPS: &[(&str, &str)] = &[
    ("tally of a parameter", "proctype P(byte n) { do :: n = n od } init { run P(5) }"),
    ("tally that `provided` reads", "byte n; active proctype A() provided (n < 2) { do :: n++ od }"),
    ("tally in an index", "byte n; byte a[2]; active proctype A() { n++; n++; a[n] = 1 }"),
    ("tally and an index that fails", "byte n, k = 5; byte a[2]; active proctype A() { n = n + a[k] }"),
    ("tally and a division", "byte n, z; active proctype A() { n = n + 1 / z }"),
    ("tally and a channel", "byte n; chan c = [1] of { byte }; chan d; active proctype A() { n = n + len(d) }"),
    ("tally that is received", "byte n; chan c = [1] of { byte }; init { c!5; c?n; do :: n = n od }"),
    ("tally that begins with something", "byte n = 5; active proctype A() { do :: n = n od }"),
    (
        "where a process stands",
        "active proctype A() { byte x; x = 1; x = 2; x = 3 } active proctype B() { pc_value(0) == 1 -> assert(false) }",
    ),
    (
        "a variable of another process",
        "active proctype A() { byte x; x = 1; x = 2; x = 3 } active proctype B() { A[0]:x == 2 -> assert(false) }",
    ),
    (
        "an element of another process",
        "active proctype A() { byte x[3]; x[1] = 1; x[1] = 2; x[1] = 3 } active proctype B() { byte i = 1; A[0]:x[i] == 2 -> assert(false) }",
    ),
    (
        "global steps",
        "byte g; active proctype A() { byte x; x = 1; g = 1; g = 2 } active proctype B() { g == 1 -> assert(false) }",
    ),
    (
        "a step in front of an atomic",
        "byte g; active proctype A() { byte x; g = 1; atomic { x = 1; g = 2 } } active proctype B() { g == 1 -> assert(false) }",
    ),
    (
        "an atomic that prints first",
        "byte g; active proctype A() { g = 1; atomic { printf(\"a\"); g = 2 } } active proctype B() { g == 1 -> assert(false) }",
    ),
    (
        "an index that fails behind a step",
        "byte g; active proctype A() { byte x[2]; byte i = 5; g = 1; x[i] = 2 } active proctype B() { g == 1 -> assert(false) }",
    ),
    (
        "a division that fails behind a step",
        "byte g; active proctype A() { byte x, z; g = 1; x = 1 / z } active proctype B() { g == 1 -> assert(false) }",
    ),
    (
        "a choice behind a step",
        "byte g; active proctype A() { byte x; g = 1; if :: x = 1 :: x = 2 fi; assert(x == 1) }",
    ),
    (
        "an index that is printed",
        "byte g; byte a[2]; active proctype A() { byte i = 5; g = 1; printf(\"%d\", a[i]); g = 2 }",
    ),
    ("a division that is printed", "byte g; active proctype A() { byte z; g = 1; printf(\"%d\", 1 / z); g = 2 }"),
    ("an array of its own", "active proctype A() { byte a[2]; byte i; a[0] = 1; i = 0; assert(a[i] == 1) }"),
    (
        "a label that is left for a step",
        "active proctype A() { L: true; skip; goto L } init { assert(false) unless { A@L } }",
    ),
    (
        "a claim of a channel",
        "chan q = [2] of { byte }; byte x; proctype A(chan c) { xr c; x = 1; x == 2 } init { q!1; run A(q); x == 1; q?1; x = 2 }",
    ),
    (
        "read in a d_step",
        "byte g; active proctype A() { byte x; x = 5; g = 1; d_step { g = x; x = 0 }; assert(g == 5) }",
    ),
    ("a label on a jump", "bit x; active proctype P() { L: x = 1 - x; accept1: goto L }"),
    (
        "a label on a skip",
        "byte x; active proctype A() { do :: x == 0 -> skip; L: skip; x = 1 :: x == 1 -> break od; if :: x == 5 -> goto L :: else fi }",
    ),
    (
        "what prints in an option",
        "byte x; active proctype A() { do :: x == 0 -> skip; printf(\"a\"); x = 1 :: x == 1 -> break od }",
    ),
    (
        "skips of a claim",
        "byte x; active proctype A() { do :: x = 1 - x od } never { do :: x == 0; skip; skip; skip; x == 1 od }",
    ),
    (
        "from atomic to atomic",
        "byte x; active proctype A() { do :: x < 2 -> x++ :: x == 2 -> break :: atomic { goto M } od; atomic { x = 5; M: x = 6; x = 7 } } active proctype B() { x == 1; x = 0 }",
    ),
    (
        "the end of an atomic in a body",
        "byte y, z; active proctype A() { { skip; atomic { if :: y = 1 :: y = 2 fi }; z = 1 } unless { y == 1; z = 2 } }",
    ),
    (
        "a label that is handed on",
        "bit x; active proctype P() { do :: accept1: if :: x == 0 -> x = 1 :: x == 1 -> x = 0 fi od }",
    ),
    ("a label of an option", "bit x; active proctype P() { do :: accept1: x = 1 - x od }"),
    (
        "a value on its way",
        "chan c = [1] of { byte }; active proctype A() { do :: c!1; c?_priority; _priority = 1 :: c!2; c?_priority; _priority = 1 od }",
    ),
    ("a constant index outside", "byte a[2]; byte b = 1; active proctype A() { a[5] = 3; assert(b == 1) }"),
    (
        "a formula that may fail",
        "byte i; byte a[2]; active proctype A() { do :: i < 3 -> i++ :: else -> break od } ltl p { (i < 2 -> a[i] == 0) U (i >= 2) }",
    ),
    ("a label beside a formula", "byte x; active proctype A() { accept: do :: x = 1 - x od } ltl p { []<> (x == 1) }"),
    ("two steps of a formula", "byte x; active proctype A() { x = 1; x = 2 } ltl p { X X (x == 0) }"),
    ("a formula that never holds", "byte x; active proctype A() { x = 1 } ltl p { false }"),
    ("two else", "byte x; active proctype A() { do :: if :: x == 1 :: else fi :: else od }"),
];

/// All texts that can be read.
fn texts() -> Vec<Text> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut out: Vec<Text> = TRAPS.iter().map(|(name, t)| text(name, t).expect("a good model")).collect();
    for part in ["corners", "random", "semantics"] {
        let files = std::fs::read_dir(folder.join(part)).expect("a folder").flatten().map(|e| e.path());
        let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "pml")).collect();
        files.sort();
        let read = |path: &std::path::PathBuf| {
            let bytes = std::fs::read(path).expect("a model");
            text(&path.display().to_string(), &String::from_utf8_lossy(&bytes))
        };
        out.extend(files.iter().filter_map(read));
    }
    out
}

fn lowered(t: &Text, mutant: lowering::Mutant) -> Option<Lowered> {
    let (lowered, said) = lower_mutated(&t.map, &t.reading.program, &t.reading.names, mutant);
    (!said.has_errors() && !lowered.model.uses.foreign).then_some(lowered)
}

fn never(model: &Model) -> bool {
    model.processes.iter().any(|p| p.kind == ProcessKind::Never)
}

fn search(model: &Model, claim: bool) -> Outcome {
    let options = Options { errors_max: 0, states_max: STATES_MAX, ..Options::default() };
    ferrospin_testkit::plain(model, claim, &options)
}

/// What went wrong, each sort once.
fn faults(o: &Outcome) -> Vec<String> {
    let sort = |f: &Fault| match f {
        Fault::InvalidEndState => "invalid end state".to_string(),
        Fault::Failure(f) => format!("{:?}", f.code),
    };
    let mut list: Vec<String> = o.violations.iter().map(|v| sort(&v.fault)).collect();
    list.sort();
    list.dedup();
    list
}

/// Whether there is a cycle of a sort; nothing where there are too many states.
fn cycle(model: &Model, wanted: Wanted, has_property: bool) -> Option<bool> {
    let mut machine = WithMonitor::new(Interp::new(Arc::new(model.clone())));
    let how = cycles::Options { fair: false, has_property };
    let found = cycles::search(&mut machine, wanted, how, &mut |o| o.states < STATES_MAX);
    (found.complete || found.lasso.is_some()).then_some(found.lasso.is_some())
}

/// The cycles that the labels of a model tell of.
fn label_cycles(model: &Model) -> [Option<bool>; 2] {
    let has = |of: fn(&ferrospin_model::ir::Location) -> bool| model.locations.iter().any(of);
    [
        has(|l| l.accept).then(|| cycle(model, Wanted::Accepting, false)).flatten(),
        has(|l| l.progress).then(|| cycle(model, Wanted::NonProgress, false)).flatten(),
    ]
}

/// All that is said of a text.
fn judged(t: &Text, mutant: lowering::Mutant) -> String {
    let Some(lowered) = lowered(t, mutant) else { return "refused".into() };
    if let Err(why) = verify(&lowered.model) {
        return format!("broken: {why:?}");
    }
    let model = &lowered.model;
    let o = search(model, never(model));
    let mut said = format!("{:?} {} {} {}", faults(&o), o.states, o.transitions(), o.atomic_steps);
    if !never(model) {
        said += &format!(" {:?}", label_cycles(model));
    }
    for property in &lowered.properties {
        let Ok((added, claim)) = claim::add_mutated(model, property, mutant) else { continue };
        let beside = added.with_claim(claim);
        said += &format!(" {:?}", cycle(&beside, Wanted::Accepting, true));
        if let Some(ending) = claim::ending_mutated(&added, claim, mutant) {
            let o = search(&ending, true);
            let ends = o.errors > 0 || cycle(&ending.with_claim(claim), Wanted::Accepting, true) == Some(true);
            said += &format!(" {ends}");
        }
    }
    said
}

/// What passes have broken.
fn broken(plain: &Model, mutant: pass::Mutant) -> Option<String> {
    if never(plain) {
        return None;
    }
    let before = search(plain, false);
    if before.stopped.is_some() {
        return None;
    }
    let tallies = Passes { tallies: true, ..Passes::default() };
    for passes in [tallies, Passes::ALL, Passes::CYCLES, Passes::STEPS] {
        let model = run_mutated(plain, passes, mutant).model;
        if let Err(why) = verify(&model) {
            return Some(format!("{why:?}"));
        }
        let after = search(&model, false);
        if faults(&before) != faults(&after) || after.states > before.states {
            return Some(format!(
                "{passes:?}: {:?} {}, not {:?} {}",
                faults(&after),
                after.states,
                faults(&before),
                before.states
            ));
        }
        // Whether ends of channels are used that others claim is asked without merging.
        if passes == Passes::STEPS && plain.has_claimed_ends() {
            let [before, after] = [plain, &model].map(|m| faults(&search(&m.with_claimed_ends(), false)));
            if before != after {
                return Some(format!("{passes:?}: {after:?}, not {before:?}"));
            }
        }
        if passes == Passes::CYCLES && label_cycles(plain) != label_cycles(&model) {
            return Some(format!("{passes:?}: cycles"));
        }
    }
    None
}

/// A model that can be read, what is said of it, and its plain graphs.
type Case = (Text, String, Option<Model>);

/// The conditions that can be missing without a wrong answer about any model.
fn survivors<G: Debug + Copy>(guards: &[G], cases: &[Case], wrong: impl Fn(G, &Case) -> bool) -> Vec<String> {
    // A mutant may also come to a broken invariant.
    let found = |guard: G, case| std::panic::catch_unwind(AssertUnwindSafe(|| wrong(guard, case))).unwrap_or(true);
    guards.iter().filter(|g| !cases.iter().any(|case| found(**g, case))).map(|guard| format!("{guard:?}")).collect()
}

#[test]
fn no_mutant_survives() {
    let cases: Vec<Case> = texts()
        .into_iter()
        .map(|t| {
            let right = judged(&t, lowering::Mutant::NONE);
            let plain = lowered(&t, lowering::Mutant::NONE).map(|l| l.model);
            (t, right, plain)
        })
        .collect();
    for (t, _, plain) in &cases {
        let wrong = plain.as_ref().and_then(|plain| broken(plain, pass::Mutant::NONE));
        assert_eq!(wrong, None, "{}", t.name);
    }
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let of_lowering = survivors(lowering::Guard::ALL, &cases, |guard, (t, right, _)| {
        judged(t, lowering::Mutant::without(guard)) != *right
    });
    let of_passes = survivors(pass::Guard::ALL, &cases, |guard, (_, _, plain)| {
        plain.as_ref().is_some_and(|plain| broken(plain, pass::Mutant::without(guard)).is_some())
    });
    std::panic::set_hook(say);
    assert!(lowering::Guard::ALL.len() >= 40, "only {} mutants of lowering", lowering::Guard::ALL.len());
    assert!(pass::Guard::ALL.len() >= 40, "only {} mutants of passes", pass::Guard::ALL.len());
    let survivors = [of_lowering, of_passes].concat();
    assert!(survivors.is_empty(), "{} survive: {}", survivors.len(), survivors.join(" "));
}
