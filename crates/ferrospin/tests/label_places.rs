//! Labels with a meaning in all places that a label can have, as SPIN judges them.
//!
//! Each body runs with an `accept`, a `progress` and an `end` label in the place of `@`: the answers of `pan -a -E`, `pan -l -E`
//! and `pan` (SPIN 6.5.2) were recorded. Every engine agrees, with passes and without them.

use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::report::Verdict;
use ferrospin::verify::{Engine, Goal, Goals, Options, verify};

/// What SPIN says of acceptance cycles, non-progress cycles and invalid end states: `v` violated, `h` holds, `r` refused.
const PLACES: &[(&str, &str)] = &[
    ("vhh", "do :: @: x = 1 - x od"),
    ("vhh", "do :: @: x == 0 -> x = 1 :: x == 1 -> x = 0 od"),
    ("vhh", "do :: x == 0 -> x = 1 :: @: x == 1 -> x = 0 od"),
    ("hvh", "do :: @: x == 5 -> x = 1 - x :: x = 1 - x od"),
    ("vhh", "@: do :: x = 1 - x od"),
    ("vhh", "do :: x = 1 - x; if :: @: skip fi od"),
    ("vhh", "do :: x = 1 - x; if :: @: x == 0 -> skip :: x == 1 -> skip fi od"),
    ("vhh", "L: x = 1 - x; if :: @: x == 0 :: x == 1 fi; goto L"),
    ("vhh", "L: x = 1 - x; if :: @: goto L :: x == 5 fi"),
    ("vhh", "L: x = 1 - x; if :: @: goto M :: x == 5 fi; M: x = 1 - x; goto L"),
    ("vhh", "L: do :: @: break :: x == 5 od; x = 1 - x; goto L"),
    ("vhh", "do :: x == 5 -> skip :: @: else -> x = 1 - x od"),
    ("vhh", "do :: x == 0 -> x = 1 :: @: else -> x = 0 od"),
    ("vhh", "do :: @: if :: x == 0 -> x = 1 :: x == 1 -> x = 0 fi od"),
    ("vhh", "do :: if :: @: x == 0 -> x = 1 :: x == 1 -> x = 0 fi od"),
    ("vhh", "do :: @: do :: x == 0 -> x = 1 :: x == 1 -> break od; x = 0 od"),
    ("vhh", "do :: @: if :: if :: x == 0 -> x = 1 :: x == 1 -> x = 0 fi :: x == 5 -> skip fi od"),
    ("vhh", "do :: @: { x == 0; x = 1 } :: x == 1 -> x = 0 od"),
    ("rrr", "do :: { @: x == 0; x = 1 } :: x == 1 -> x = 0 od"),
    ("hvh", "do :: @: atomic { x == 0; x = 1 } :: x == 1 -> x = 0 od"),
    ("vhh", "do :: @: d_step { x == 0; x = 1 } :: x == 1 -> x = 0 od"),
    ("vhh", "do :: @: { x == 0; x = 1 } unless { x == 5 } :: x == 1 -> x = 0 od"),
    ("rrr", "do :: { @: x == 0; x = 1 } unless { x == 5 } :: x == 1 -> x = 0 od"),
    ("rrr", "do :: x = 1 - x; { @: x == 0 -> x = 0 } unless { x == 1 } od"),
    ("rrr", "do :: x = 1 - x; @: x == 0 unless { x == 1 } od"),
    ("rrr", "do :: x = 1 - x; { x == 0 -> x = 0 } unless { @: x == 1 } od"),
    ("vhh", "do :: x = 1 - x; { x == 0 -> x = 0 } unless { x == 1; @: skip } od"),
    ("vhh", "do :: x = 1 - x; @: { x == 0 -> x = 0 } unless { x == 1 } od"),
    ("rrr", "do :: x = 1 - x; { x == 0 -> x = 0 } unless @: { x == 1 -> skip } od"),
    ("vhh", "do :: x = 1 - x; @: atomic { x = 1 - x; x = 1 - x } od"),
    ("rrr", "do :: x = 1 - x; atomic { @: x = 1 - x; x = 1 - x } od"),
    ("vvh", "do :: x = 1 - x; atomic { x = 1 - x; @: x = 1 - x } od"),
    ("hvh", "do :: x = 1 - x; atomic { x = 1 - x; @: y == 0; x = 1 - x } od"),
    ("vvh", "do :: x = 1 - x; atomic { x = 1 - x; @: } od"),
    ("vhh", "do :: x = 1 - x; @: d_step { x = 1 - x; x = 1 - x } od"),
    ("rrr", "do :: x = 1 - x; d_step { @: x = 1 - x; x = 1 - x } od"),
    ("hvh", "do :: x = 1 - x; d_step { x = 1 - x; @: x = 1 - x } od"),
    ("vhh", "do :: x = 1 - x; @: { x = 1 - x; x = 1 - x } od"),
    ("rrr", "do :: x = 1 - x; { @: x = 1 - x; x = 1 - x } od"),
    ("vhh", "do :: x = 1 - x; { x = 1 - x; @: x = 1 - x } od"),
    ("vhh", "do :: x = 1 - x; { x = 1 - x; @: } od"),
    ("vhh", "do :: x = 1 - x; @: x = 1 - x od"),
    ("vhh", "do :: x = 1 - x; @: od"),
    ("vhh", "do :: x = 1 - x; if :: x == 0; @: :: x == 1 fi od"),
    ("vhh", "L: x = 1 - x; @: goto L"),
    ("vhh", "L: do :: x = 1 - x; @: break od; goto L"),
    ("vhh", "do :: x = 1 - x; @: if :: x == 0 -> skip :: x == 1 -> skip fi od"),
    ("vhh", "L: x = 1 - x; @: do :: x == 0 -> break :: x == 1 -> break od; goto L"),
    ("vhh", "do :: x = 1 - x; M: @: x = 1 - x od"),
    ("vhh", "do :: x = 1 - x; @: M: x = 1 - x od"),
    ("vhh", "do :: M: @: x == 0 -> x = 1 :: x == 1 -> x = 0 od"),
    ("vhh", "do :: x == 0 -> @: x = 1 :: x == 1 -> x = 0 od"),
    ("vhh", "L: @: for (i : 1 .. 2) { x = 1 - x }; goto L"),
    ("hvh", "L: for (i : 1 .. 2) { @: x = 1 - x }; goto L"),
    ("hvh", "L: for (i : 1 .. 2) { x = 1 - x; @: }; goto L"),
    ("vhh", "L: @: select (i : 1 .. 2); x = 1 - x; goto L"),
    ("vhh", "L: @: select (i : 1 .. y + 1); x = 1 - x; goto L"),
    ("vhh", "do :: @: x == 0 -> x = 1 :: x == 1 -> x = 0; if :: goto @ :: skip fi od"),
    ("vhh", "x = 0; if :: @: x = 1 - x; goto @ :: x == 5 fi"),
    ("hvh", "goto @; do :: x == 5 -> @: x = 1 - x :: x = 1 - x od"),
    ("vhh", "do :: @: printf(\"a\") -> x = 1 - x od"),
    ("vhh", "do :: @: assert(x < 2) -> x = 1 - x od"),
    ("vhh", "do :: x = 1 - x; @: skip; byte z = 1; od"),
    ("vhh", "do :: @: c?[1] -> skip :: c!1 -> @2: c?1 od"),
    ("vhh", "do :: @: c!1 :: c?1 od"),
    ("vhh", "do :: c!1 :: @: c?1 od"),
    ("rrr", "do :: f() od"),
    ("vhh", "do :: x = 1 - x; @: f2() od"),
    ("vhh", "do :: @: f2() od"),
    ("hhh", "x = 1; @:"),
    ("vhh", "@: y == 1"),
    ("hhv", "if :: @: y == 1 fi"),
    ("vhh", "if :: @: x == 0 :: x == 1 fi; y == 1"),
    ("hhv", "do :: x == 1 -> y == 1 :: @: x == 0 -> x = 1 od"),
    ("vhh", "do :: if :: @: if :: x == 0 -> y == 1 :: x == 1 -> skip fi fi od"),
];

/// What is said here where it is not what SPIN says: a label inside an `atomic` was passed by whoever went through it.
const DIFFERENT: &[(&str, &str)] = &[
    ("vhh", "do :: @: atomic { x == 0; x = 1 } :: x == 1 -> x = 0 od"),
    ("vhh", "do :: x = 1 - x; atomic { x = 1 - x; @: x = 1 - x } od"),
    ("vhh", "do :: x = 1 - x; atomic { x = 1 - x; @: y == 0; x = 1 - x } od"),
    ("vhh", "do :: x = 1 - x; atomic { x = 1 - x; @: } od"),
];

fn text(body: &str, label: &str) -> String {
    let inlines = format!(
        "inline f() {{ {label}1: x == 0; x = 1 - x; x == 1; x = 0 }}\n\
         inline f2() {{ x == 0; x = 1 - x; x == 1; x = 0 }}\n"
    );
    let body = body.replace("@2", &format!("{label}2")).replace('@', &format!("{label}1"));
    format!("bit x; byte y; byte i; chan c = [1] of {{ byte }};\n{inlines}active proctype P() {{ {body} }}")
}

/// The one answer of all modes.
fn answer(body: &str, label: &str, goal: Goal) -> char {
    let front = front::read_text("m.pml", text(body, label), &front::Options::default(), &mut DiskLoader::default());
    if front.unreadable {
        return 'r';
    }
    let ask = |plain: bool, engine: Engine| {
        let options = Options {
            goals: Goals::Only(vec![goal.clone()]),
            ignore_end_states: label != "end",
            partial_order: !plain,
            optimize: !plain,
            engine,
            ..Options::default()
        };
        match verify(&front, &options).expect("an answer").properties[0].verdict {
            Verdict::Violated => 'v',
            Verdict::Holds => 'h',
            other => panic!("{other:?}: {body}"),
        }
    };
    let native = ask(false, Engine::Native);
    for (plain, engine) in [(true, Engine::Native), (false, Engine::Interp), (true, Engine::Interp)] {
        assert_eq!(ask(plain, engine), native, "{label}, plain {plain}, {engine:?}: {body}");
    }
    native
}

#[test]
fn labels_mean_what_they_mean_to_spin() {
    let mut wrong = Vec::new();
    let mut used = 0;
    for (spin, body) in PLACES {
        let ours = DIFFERENT.iter().find(|(_, b)| b == body).map(|(ours, _)| *ours);
        used += usize::from(ours.is_some());
        let goals = [("accept", Goal::Acceptance), ("progress", Goal::Progress), ("end", Goal::Safety)];
        let got: String = goals.map(|(label, goal)| answer(body, label, goal)).iter().collect();
        if got != ours.unwrap_or(spin) {
            wrong.push(format!("{body}: {got}, not {}", ours.unwrap_or(spin)));
        }
    }
    assert_eq!(used, DIFFERENT.len(), "every difference is about a place");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
