//! Security protocols: known counts, known attacks, and which intruder is used.

mod support;

use expect_test::{Expect, expect};
use ferrospin_check::Options;
use ferrospin_check::options::Search;
use ferrospin_check::report::{PropertyReport, Verdict};
use support::{plain, text_of};

/// A text and the options it is run with.
struct File {
    text: String,
    settings: String,
}

fn open(_: &str, text: &str, settings: &str) -> File {
    File { text: text.into(), settings: settings.into() }
}

fn from_library(name: &str, settings: &str) -> File {
    open(name, &text_of(name), settings)
}

fn answers(file: &File, options: &Options) -> Vec<PropertyReport> {
    support::check("x.proto", &file.text, &file.settings, options).expect("it can be searched")
}

/// Verdict, states, events and depth of one search for all claims of a kind.
fn figures(file: &File, options: &Options) -> String {
    let mut out = String::new();
    for p in answers(file, options) {
        let verdict = if p.verdict == Verdict::Holds { "holds" } else { "violated" };
        let depth = p.error.as_ref().and_then(|e| e.depth).map_or(String::new(), |d| format!(" after {d} events"));
        // The initial state is no event.
        let (states, events) = (p.states.unwrap_or(0), p.transitions.unwrap_or(1) - 1);
        out += &format!("{}: {verdict}{depth}, {states} states, {events} events\n", p.name);
    }
    out
}

const TMN: &str = "protocol TMN { role A, B; server S; fresh A: key ka; fresh B: key kb;
    A -> S : B, {ka}pk(S);  S -> B : A;  B -> S : A, {kb}pk(S);  S -> A : B, {kb}ka; }";
const SIGNED: &str = "protocol Signed { role A, B; fresh A: key k; fresh B: nonce s;
    A -> B : A, {{k}sk(A)}pk(B);  B -> A : {s}k; }";
const SIGNED_FIXED: &str = "protocol Signed { role A, B; fresh A: key k; fresh B: nonce s;
    A -> B : A, {{A, B, k}sk(A)}pk(B);  B -> A : {s}k; }";
const LATE: &str = "protocol Late { role A, B; fresh A: key k, nonce n;
    A -> B : {k}pk(B);  A -> B : {n}k;  A -> B : k; }";

/// The counts of runs that end are those of a second implementation.
#[test]
fn exhaustive_counts() {
    let check = |file: &File, expected: Expect| expected.assert_eq(&figures(file, &plain()));
    let generic = "--secrecy=generic";
    for intruder in ["simple", "full"] {
        let nsl = |run: &str| from_library("nsl.proto", &format!("{generic} --intruder={intruder} --run={run}"));
        check(&nsl("A=1,B=1"), expect!["no leak: holds, 80 states, 133 events\n"]);
        check(&nsl("A=2,B=1"), expect!["no leak: holds, 1322 states, 3409 events\n"]);
        check(&nsl("A=1,B=2"), expect!["no leak: holds, 1281 states, 3166 events\n"]);
        check(&nsl("A=2,B=2"), expect!["no leak: holds, 31166 states, 105862 events\n"]);
        check(&nsl("A(a),A(b),B(a),B(b)"), expect!["no leak: holds, 30167 states, 103142 events\n"]);
        let file = |text| open("x.proto", text, &format!("{generic} --intruder={intruder}"));
        check(&file(SIGNED), expect!["no leak: holds, 26 states, 35 events\n"]);
        check(&file(SIGNED_FIXED), expect!["no leak: holds, 21 states, 28 events\n"]);
        let two = open("x.proto", SIGNED_FIXED, &format!("{generic} --intruder={intruder} --run=A=2,B=2"));
        check(&two, expect!["no leak: holds, 1038 states, 2776 events\n"]);
        let nspk = from_library("nspk.proto", &format!("{generic} --intruder={intruder}"));
        let all = Options { errors_max: None, ..plain() };
        let report = &answers(&nspk, &all)[0];
        assert_eq!((report.verdict, report.states, report.transitions), (Verdict::Violated, Some(83), Some(137)));
    }
    let claims = open("x.proto", SIGNED_FIXED, "--run=A=2,B=2 --secrecy=claim");
    check(
        &claims,
        expect![[r#"
        secret k: holds, 1038 states, 2776 events
        secret s: holds, 1038 states, 2776 events
    "#]],
    );
}

/// The shortest attacks are as long as the literature has them.
#[test]
fn shortest_attacks() {
    let check = |file: &File, expected: Expect| {
        let mut said = String::new();
        for p in answers(file, &plain()) {
            let depth = p.error.as_ref().and_then(|e| e.depth);
            said += &format!("{}: {}\n", p.name, depth.map_or("none".into(), |d| d.to_string()));
        }
        expected.assert_eq(&said);
    };
    check(
        &from_library("nspk.proto", ""),
        expect![[r#"
            secret x: none
            secret y: 5
            agree B with A on x, y: 6
            agree A with B on x, y: none
        "#]],
    );
    check(&from_library("nspk.proto", "--run=A=3,B=3 --secrecy=generic"), expect!["no leak: 5\n"]);
    check(
        &from_library("nsl.proto", "--run=A=2,B=2"),
        expect![[r#"
            secret x: none
            secret y: none
            agree B with A on x, y: none
            agree A with B on x, y: none
        "#]],
    );
    check(
        &open("tmn.proto", TMN, ""),
        expect![[r#"
        no leak: 5
        secret ka: 5
        secret kb: 6
    "#]],
    );
    check(
        &open("signed.proto", SIGNED, ""),
        expect![[r#"
        no leak: none
        secret k: none
        secret s: 3
    "#]],
    );
    check(&open("late.proto", LATE, "--watch=nonces --secrecy=generic"), expect!["no leak: 3\n"]);
}

/// One initiator and one responder make the attack, whoever else is there.
#[test]
fn the_attack_needs_two_sessions() {
    let file = from_library("nspk.proto", "--run=A=3,B=3 --secrecy=generic");
    let story = answers(&file, &plain())[0].story.clone().expect("an attack is told");
    let mut sessions: Vec<&str> =
        story.lines().filter_map(|l| l.split_whitespace().nth(1)).filter(|w| w.len() > 3).collect();
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.iter().filter(|s| !s.starts_with('`')).count(), 2, "{story}");
}

#[test]
fn the_simple_intruder_is_refused_where_it_is_not_sound() {
    let check = |text: &str, settings: &str, expected: Expect| {
        let file = open("x.proto", text, settings);
        let said = match support::check("x.proto", &file.text, &file.settings, &plain()) {
            Ok(properties) => properties[0].notes.join("\n"),
            Err(why) => why,
        };
        expected.assert_eq(&said);
    };
    check(
        LATE,
        "--watch=nonces --secrecy=generic",
        expect![[r#"
        sessions: 1 A(a), 1 B(b); typed
        the full intruder is used, because keys are not watched"#]],
    );
    check(
        LATE,
        "--watch=nonces --secrecy=generic --intruder=simple",
        expect![
            "`--intruder simple` is not sound here: it needs all atoms watched, keys too, and some are not; leave it out"
        ],
    );
    check(
        SIGNED,
        "--intruder=simple",
        expect![
            "`--intruder simple` is not sound here: claims ask for what the intruder has, and it keeps only whether there is a leak; leave it out"
        ],
    );
    check(SIGNED, "--run=C=2", expect!["`--run`: the protocol has no role `C`; its roles are `A`, `B`"]);
    check(SIGNED, "--run=A(z)", expect!["`--run`: there is no honest agent `z`; there are `a`, `b`"]);
}

/// With three sessions of each role the shortest attack needs one of each; the one that is found depth first is longer, and is one.
#[test]
fn attacks_among_many_sessions() {
    let file = from_library("nspk.proto", "--run=A=3,B=3 --secrecy=generic");
    let of = |search| {
        let found = answers(&file, &Options { search: Some(search), ..Options::default() }).remove(0);
        let story = found.story.expect("an attack is told");
        let letters = ["alpha.", "beta.", "gamma.", "delta.", "epsilon.", "zeta."];
        let sessions = letters.iter().filter(|l| story.contains(&format!("  {l}1  ")));
        (found.error.and_then(|e| e.depth).unwrap_or(0), sessions.map(|l| l.to_string()).collect::<Vec<_>>())
    };
    let (depth, sessions) = of(Search::BreadthFirst);
    assert!(depth == 5 && sessions.len() == 2, "{depth} {sessions:?}");
    assert!(
        ["alpha.", "beta.", "gamma."].contains(&sessions[0].as_str()) && sessions[1].as_str() >= "delta.",
        "{sessions:?}"
    );
    // The checker has gone through it before it is told.
    assert!(of(Search::DepthFirst).0 > 5);
}

/// Equal sessions begin in order: fewer states, the same answers.
#[test]
fn equal_sessions_are_merged() {
    for (name, run) in [("nspk.proto", "A=2,B=2"), ("nsl.proto", "A=2,B=2"), ("nspk.proto", "A=1,B=3")] {
        let file = from_library(name, &format!("--run={run}"));
        let (all, merged) = (answers(&file, &plain()), answers(&file, &Options::default()));
        for (a, m) in all.iter().zip(&merged) {
            assert_eq!((a.verdict, a.error.as_ref().map(|e| e.depth)), (m.verdict, m.error.as_ref().map(|e| e.depth)));
            assert!(m.states <= a.states);
        }
        assert_eq!(merged[0].reduction, "symmetry");
    }
}
