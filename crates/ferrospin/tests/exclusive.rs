//! `xr` and `xs`: claims that are kept cost nothing and change no count; one that is broken is found, with a trail.

use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::verify::{Engine, Goal, Goals, Options, Search, Selector, verify};
use ferrospin_interp::Interp;
use ferrospin_interp::failure_kind;
use ferrospin_model::failure::FailureKind;
use ferrospin_search::naive;
use ferrospin_testkit::bounded::is_small;
use ferrospin_testkit::generate::generate;
use std::num::NonZeroUsize;
use std::sync::Arc;

fn check(text: &str, options: &Options) -> PropertyReport {
    let front = front::read_text("claims.pml", text, &front::Options::default(), &mut DiskLoader::default());
    let options = Options { goals: Goals::Only(vec![Goal::Safety]), ..options.clone() };
    verify(&front, &options).unwrap_or_else(|why| panic!("{why:?}\n{text}")).properties.remove(0)
}

/// The searches with a reduction; SPIN looks at claims with a reduction only, too.
fn searches() -> Vec<Options> {
    let mut all = Vec::new();
    for selector in [Selector::Ample, Selector::Stubborn] {
        for search in [Search::BreadthFirst, Search::DepthFirst] {
            for (threads, engine) in [(1, Engine::Native), (2, Engine::Interp)] {
                let threads = NonZeroUsize::new(threads).expect("not zero");
                let search = Some(search);
                all.push(Options { selector, search, threads, engine, ..Options::default() });
            }
        }
    }
    all
}

const LOOKED: &str = "all moves were taken once more";

/// Claims that another process breaks, with the line where that happens and the claim.
const BROKEN: &[(&str, u32, &str)] = &[
    // Another sender.
    (
        "chan q = [2] of { byte };
active proctype S() { xs q; q!1; q!2 }
active proctype R() { xr q; byte x; end: do :: q?x od }
active proctype T() {
    q!3
}",
        5,
        "xs",
    ),
    // Whoever asks for the number of messages stands at both ends.
    (
        "chan q = [2] of { byte };
active proctype S() { xs q; q!1; q!2 }
active proctype R() { byte x; q?x; q?x }
active proctype T() { end:
    len(q) == 1
}",
        5,
        "xs",
    ),
    // So does a receiver who asks whether there is nothing.
    (
        "chan q = [2] of { byte };
active proctype S() { xs q; q!1 }
active proctype R() { xr q; byte x; q?x;
    empty(q)
}",
        4,
        "xs",
    ),
    // Two processes of one type.
    (
        "chan q = [2] of { byte };
active [2] proctype S() { xs q;
    q!1 }
active proctype R() { xr q; byte x; q?x; q?x }",
        3,
        "xs",
    ),
    // A channel that was handed over, behind a loop that can be gone round for ever.
    (
        "chan q = [2] of { byte };
proctype Thief(chan c) { byte x;
    c?x }
active proctype S() { q!1; q!2; end: q!3 }
active proctype R() { xr q; byte x; do :: x = 1 - x :: q?x od }
init { run Thief(q) }",
        3,
        "xr",
    ),
    // An element of an array, under a name of its own.
    (
        "chan q[2] = [2] of { byte };
active proctype S() { chan c = q[1]; xs c; c!1 }
active proctype R() { byte x; end: do :: q[0]?x :: q[1]?x od }
active proctype T() { q[0]!3;
    q[1]!3
}",
        5,
        "xs",
    ),
    // A claim lasts, though the variable that names the channel is never read again.
    (
        "chan q = [2] of { byte }; byte x;
proctype A(chan c) { xr c; x = 1; x == 2 }
init { q!1; run A(q); x == 1;
    q?1; x = 2 }",
        4,
        "xr",
    ),
    // Inside a `d_step`, through a message.
    (
        "chan q = [2] of { byte }; chan post = [1] of { chan };
active proctype S() { xs q; q!1; post!q }
active proctype T() { chan c; post?c;
    d_step { printf(\"got it\"); c!2 } }
active proctype R() { byte x; end: do :: q?x od }",
        4,
        "xs",
    ),
];

#[test]
fn broken_claims_are_found() {
    for (text, line, claim) in BROKEN {
        for options in searches() {
            let found = check(text, &options);
            assert_eq!(found.verdict, Verdict::Violated, "{text}\n{options:?}\n{found:?}");
            let error = found.error.expect("an error");
            assert!(error.message.contains(&format!("`{claim}`")), "{error:?}\n{text}");
            assert_eq!(error.location.map(|l| l.line), Some(*line), "{text}");
            assert!(error.depth > Some(0), "{text}");
        }
        // Without the claim nothing is wrong, and without a reduction it is not checked.
        let without =
            ["xr q;", "xs q;", "xr c;", "xs c;"].iter().fold(text.to_string(), |text, claim| text.replace(claim, ""));
        assert_eq!(check(&without, &Options::default()).verdict, Verdict::Holds, "{without}");
        let plain = Options { partial_order: false, ..Options::default() };
        assert_eq!(check(text, &plain).verdict, Verdict::Holds, "{text}");
    }
}

/// Claims that are kept, and whether all moves must be looked at to see it.
const KEPT: &[(&str, bool)] = &[
    // Each process has channels of its own.
    (
        "chan q[4] = [2] of { byte }; byte n;
         proctype P(chan in, out) { xr in; xs out; byte x; out!1; do :: in?x -> if :: x < 3 -> out!x + 1 :: else -> n++; break fi od }
         init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[3]); run P(q[3], q[0]) } }",
        false,
    ),
    (
        "chan q[3] = [1] of { byte };
         active [3] proctype P() { chan in = q[_pid]; chan out = q[(_pid + 1) % 3]; xr in; xs out; byte x;
             if :: _pid == 0 -> out!1 :: else fi; end: do :: in?x -> out!x od }",
        false,
    ),
    // Each end may ask whether it can go on.
    (
        "chan q = [1] of { byte };
         active proctype S() { xs q; byte n; do :: n < 3 && nfull(q) -> n++; q!n :: n == 3 -> break od }
         active proctype R() { xr q; byte x; do :: nempty(q) -> q?x :: x == 3 -> break od }",
        false,
    ),
    // What is not done breaks nothing.
    (
        "chan q = [1] of { byte }; byte x;
         active proctype S() { xs q; q!1 } active proctype R() { byte y; q?y }
         active proctype T() { if :: x == 1 -> q!2 :: x == 0 fi }",
        true,
    ),
    // A claim ends with its process.
    (
        "chan q = [2] of { byte };
         init { run S(); _nr_pr == 1; q!2 } proctype S() { xs q; q!1 }",
        true,
    ),
];

#[test]
fn claims_that_are_kept_change_nothing() {
    for (text, looks) in KEPT {
        let without: String = text.replace("xr in; xs out;", "").replace("xs q;", "").replace("xr q;", "");
        assert_ne!(&without, text);
        for options in searches() {
            let found = check(text, &options);
            assert_eq!(found.verdict, Verdict::Holds, "{text}\n{found:?}");
            assert_eq!(found.notes.iter().any(|n| n.contains(LOOKED)), *looks, "{text}\n{:?}", found.notes);
            let bare = check(&without, &options);
            assert!(found.states <= bare.states, "{text}: {:?} states, {:?} without claims", found.states, bare.states);
        }
    }
}

#[test]
fn claims_stand_in_the_graphs_and_are_looked_at_on_request() {
    let (text, _, _) = BROKEN[4];
    let model = ferrospin_testkit::model("claims.pml", text, &[]).expect("a model");
    assert!(model.has_claimed_ends() && !model.uses.exclusive);
    let watched = model.with_claimed_ends();
    let printed = ferrospin_model::text::print(&watched);
    let read = ferrospin_model::text::parse(&printed).expect("what was printed");
    assert!(read.has_claimed_ends() && read.uses.exclusive);
    assert_eq!(ferrospin_model::text::print(&read), printed);
    assert!(ferrospin_native::Native::compile(&model).is_ok());
    assert!(ferrospin_native::Native::compile(&watched).is_err());
}

/// A random program in which a process claims an end of a channel, beside another one that may look at an end of it.
fn claiming(seed: u64) -> Option<String> {
    let text = generate(seed).text();
    let declared = text.lines().find_map(|l| l.strip_prefix("chan ")?.split_once(" = ["))?;
    let (name, rest) = declared;
    if name.contains('[') || rest.starts_with('0') {
        return None;
    }
    let bodies: Vec<usize> = text.match_indices("proctype ").map(|(at, _)| at).collect();
    let body = *bodies.get(seed as usize % bodies.len().max(1))?;
    let at = body + text[body..].find(") {")? + 3;
    let end = if seed.is_multiple_of(2) { "xr" } else { "xs" };
    let test = ["nfull", "nempty", "len", "empty", "full"][seed as usize / 2 % 5];
    let other = format!("active proctype Other() {{ if :: {test}({name}) || true -> skip :: true fi }}");
    Some(format!("{} {end} {name}; {}{other}", &text[..at], &text[at..]))
}

#[test]
fn random_programs_agree_with_a_search_of_all_moves() {
    let (mut kept, mut broken, mut looked) = (0, 0, 0);
    for (seed, text) in (1..=400).filter_map(|seed| Some((seed, claiming(seed)?))) {
        let Ok(model) = ferrospin_testkit::model("claims.pml", &text, &[]) else { continue };
        let model = Arc::new(model.with_claimed_ends());
        if !is_small(&model, 1000) {
            continue;
        }
        let options = naive::Options {
            errors_max: 0,
            ignored: Some(FailureKind::Assertion.number()),
            ignore_end_states: true,
            ..naive::Options::default()
        };
        let all = naive::search(&mut Interp::new(model.clone()), &options, model.edges.len(), &mut |_| true);
        let is_broken = |v: &naive::Violation| matches!(v.fault, naive::Fault::Failure(f) if matches!(failure_kind(f.code), FailureKind::Exclusive { .. }));
        let turn = searches().swap_remove(seed as usize % 8);
        let turn = Options { ignore_assert: true, ignore_end_states: true, ..turn };
        let found = check(&text, &turn);
        if found.notes.iter().any(|n| n.contains("reduction is off")) {
            continue;
        }
        let expected = if all.errors > 0 { Verdict::Violated } else { Verdict::Holds };
        assert_eq!(found.verdict, expected, "seed {seed}, {turn:?}\n{text}");
        kept += usize::from(all.errors == 0);
        broken += usize::from(all.violations.iter().any(is_broken));
        looked += usize::from(found.notes.iter().any(|n| n.contains(LOOKED)));
    }
    assert!(kept > 10 && broken > 10 && looked > 0, "{kept} kept, {broken} broken, {looked} looked for");
}
