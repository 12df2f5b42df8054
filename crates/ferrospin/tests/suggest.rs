//! What `lint --suggest` proposes is done, and both versions are searched without any reduction: verdicts are equal, and
//! states are fewer. Where a suggestion would be wrong there is none.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::report::Verdict;
use ferrospin::suggest::{Suggestion, suggestions};
use ferrospin::verify::{Goal, Goals, Options, verify};
use ferrospin_source::FileId;
use ferrospin_testkit::generate::generate;

fn read(text: &str) -> Front {
    front::read_text("model.pml", text, &front::Options::default(), &mut DiskLoader::default())
}

/// The text with suggestions followed.
fn follow(front: &Front, list: &[Suggestion]) -> String {
    let mut text = front.map.text(FileId(0)).to_string();
    for s in list.iter().rev() {
        let (_, range) = front.map.spelling(s.span).expect("text");
        text.insert_str(range.end, " }");
        text.insert_str(range.start, &format!("{} {{ ", s.keyword));
    }
    text
}

/// Verdicts and states of all properties, all moves taken; nothing when there are too many states.
fn answers(front: &Front) -> Option<Vec<(Verdict, u64)>> {
    let options = Options { partial_order: false, optimize: false, ..Options::default() };
    let found = verify(front, &options).ok()?;
    found.properties.iter().map(|p| Some((p.verdict, p.states.filter(|n| *n < 20_000)?))).collect()
}

/// Follows all suggestions at once; how many there were.
fn agree(text: &str) -> Option<usize> {
    let front = read(text);
    if front.unreadable {
        return None;
    }
    let list = suggestions(&front).ok()?;
    if list.is_empty() {
        return Some(0);
    }
    // What is large is left out before it takes long.
    let small = Options { goals: Goals::Only(vec![Goal::Safety]), ..Options::default() };
    verify(&front, &small).ok()?.properties[0].states.filter(|n| *n < 700)?;
    let before = answers(&front)?;
    let changed = follow(&front, &list);
    let again = read(&changed);
    assert!(!again.unreadable, "{changed}\n{}", again.text(false));
    let after = answers(&again)?;
    for (b, a) in before.iter().zip(&after) {
        assert_eq!(b.0, a.0, "{changed}");
        assert!(b.0 == Verdict::Violated || a.1 <= b.1, "{changed}: {} states became {}", b.1, a.1);
    }
    Some(list.len())
}

/// What is suggested, as text.
fn suggested(text: &str) -> Vec<String> {
    let front = read(text);
    let list = suggestions(&front).expect("suggestions");
    list.iter().map(|s| format!("{} {{ {} }}", s.keyword, front.map.snippet(s.span))).collect()
}

#[test]
fn what_is_suggested_changes_no_verdict() {
    let cases = [
        // Locals beside one thing that is shared.
        (
            "byte g; active [2] proctype P() { byte x; x = 1; x = x + 1; g = g + x; x = 0; assert(g > 0) }",
            vec!["d_step { x = 1; x = x + 1; g = g + x; x = 0 }"],
        ),
        // The first may wait.
        (
            "byte g; active [2] proctype P() { byte x; do :: g < 3 -> x = 1; x = 2 :: g++; x = 5 od }",
            vec!["d_step { g < 3 -> x = 1; x = 2 }", "d_step { g++; x = 5 }"],
        ),
        (
            "chan c = [2] of { byte }; active proctype A() { byte i; do :: i < 3 -> c!i; i++ :: else -> break od }
             active proctype B() { byte x, y; end: do :: c?x; y = x; assert(y < 4) od }",
            vec!["atomic { c!i; i++ }", "atomic { c?x; y = x; assert(y < 4) }"],
        ),
        // An element of its own.
        (
            "byte a[3]; active [3] proctype P() { a[_pid] = 1; a[_pid] = 2; a[_pid] = 3 }",
            vec!["d_step { a[_pid] = 1; a[_pid] = 2; a[_pid] = 3 }"],
        ),
        // A label that is jumped to stands before it.
        (
            "active [2] proctype P() { byte x; l: x = 1; x = 2; if :: goto l :: skip fi }",
            vec!["atomic { x = 1; x = 2 }"],
        ),
        // A formula sees one of them.
        (
            "byte v; active [2] proctype P() { byte x; x = 1; v = 1; x = 2 } ltl p { <> (v == 1) }",
            vec!["d_step { x = 1; v = 1; x = 2 }"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(suggested(text), expected, "{text}");
        let before = answers(&read(text)).expect("small");
        let front = read(text);
        let after = answers(&read(&follow(&front, &suggestions(&front).expect("some")))).expect("small");
        for (b, a) in before.iter().zip(&after) {
            assert_eq!(b.0, a.0, "{text}");
            assert!(a.1 < b.1, "{text}: {} states became {}", b.1, a.1);
        }
    }
}

#[test]
fn what_would_be_wrong_is_not_suggested() {
    let cases = [
        ("two that are shared", "byte g; active [2] proctype P() { g = 1; g = 2 }"),
        (
            "a global is read in between",
            "byte g; active proctype P() { byte x, y; x = g; y = g + x } active proctype Q() { g = 1 }",
        ),
        ("one that waits", "byte g; active proctype P() { byte x; x = 1; g == 1 } active proctype Q() { g = 1 }"),
        (
            "a send that waits",
            "chan c = [1] of { byte }; active proctype P() { byte x; x = 1; c!x } active proctype Q() { end: c?_ }",
        ),
        ("a label that is jumped to", "active proctype P() { byte x; x = 1; l: x = 2; if :: goto l :: skip fi }"),
        (
            "a label that is looked at",
            "active proctype P() { byte x; x = 1; l: x = 2 } active proctype Q() { end: P@l }",
        ),
        (
            "a variable that is looked at",
            "active proctype P() { byte x; x = 1; x = 2 } active proctype Q() { P:x == 1 }",
        ),
        ("a label that counts", "active proctype P() { byte x; do :: x = 1; progress: x = 0 od }"),
        ("two that a formula sees", "byte v, w; active proctype P() { v = 1; w = 1 } ltl p { [] (v == w) }"),
        ("what stands in an atomic", "active proctype P() { byte x; atomic { x = 1; x = 2 } }"),
        ("an escape", "byte g; active proctype P() { byte x; { x = 1; x = 2 } unless { g == 1 } } init { g = 1 }"),
        ("a condition", "byte g; active proctype P() provided (g == 0) { byte x; x = 1; x = 2 } init { g = 1 }"),
        ("two of a process that is run", "byte g; proctype P() { g = 1; g = 2 } init { run P(); run P() }"),
        (
            "a handshake",
            "chan c = [0] of { byte }; active proctype P() { byte x; c!1; x = 1 } active proctype Q() { c?_ }",
        ),
    ];
    for (name, text) in cases {
        let front = read(text);
        assert!(!front.unreadable, "{name}");
        let list = suggestions(&front).expect("suggestions");
        let found: Vec<&str> = list.iter().map(|s| front.map.snippet(s.span)).collect();
        assert_eq!(found, Vec::<&str>::new(), "{name}: {text}");
    }
}

#[test]
fn where_nothing_can_be_said_it_says_why() {
    let why = |text: &str| suggestions(&read(text)).expect_err("no suggestions").to_string();
    let p = "active proctype P() { byte x; x = 1; x = 2 }";
    assert_eq!(why(&format!("{p} never {{ do :: true od }}")), "the model has a never claim, which may count steps");
    assert_eq!(why(&format!("byte v; {p} ltl q {{ X (v == 0) }}")), "the formula `q` uses `X`, which counts steps");
    assert_eq!(why("active proctype P() { byte x; x = _last; x = 2 }"), "the model uses `_last`");
    assert_eq!(
        why("active proctype P() priority 3 { byte x; x = 1; x = 2 } init { skip }"),
        "the model uses priorities"
    );
}

#[test]
fn models_of_the_project() {
    let mut found = 0;
    for entry in std::fs::read_dir("../../models").expect("models").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "pml") {
            found += agree(&std::fs::read_to_string(&path).expect("a model")).unwrap_or(0);
        }
    }
    assert!(found > 8, "{found} suggestions");
}

#[test]
fn random_programs() {
    let found: usize = (1..=120).filter_map(|seed| agree(&generate(seed).text())).sum();
    assert!(found > 8, "{found} suggestions");
}
