//! Lints: for each one models that it speaks of, and models that it must not speak of.

use expect_test::{Expect, expect};
use ferrospin_promela::lints::{self, CODES, Level};
use ferrospin_promela::preprocess::{self, Loader};
use ferrospin_promela::{Reading, read, types};
use ferrospin_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use std::fmt::Write;
use std::sync::Arc;

/// Included files: one that declares more than any model needs.
struct Headers;

impl Loader for Headers {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        match name {
            "all.h" => Ok(("mtype = { one, two }; byte spare; chan left = [1] of { byte };\n".into(), name.into())),
            _ => Err(format!("no file `{name}`")),
        }
    }
}

fn reading(text: &str) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml", text);
    let reading = read(&mut map, file, &preprocess::Options::default(), &mut Headers);
    (map, reading)
}

fn line(map: &SourceMap, span: ferrospin_source::Span) -> String {
    map.position(span).map_or("-".into(), |p| format!("{}:{}", p.line, p.column))
}

fn shown(map: &SourceMap, d: &Diagnostic) -> String {
    let level = match (d.lint, d.severity) {
        (false, _) => "hard error",
        (true, Severity::Error) => "error",
        (true, Severity::Warning) => "warning",
    };
    let mut text = format!("{}: {level}[{}]: {}\n", line(map, d.span), d.code, d.message);
    for label in &d.labels {
        let _ = writeln!(text, "    {}: {}", line(map, label.span), label.text);
    }
    for note in &d.notes {
        let _ = writeln!(text, "    = {note}");
    }
    for s in &d.suggestions {
        let _ = writeln!(text, "    ? {} `{}`", s.text, s.replacement);
    }
    text
}

/// Everything that is said, lints that are off included.
fn everything(text: &str) -> (SourceMap, Diagnostics, Reading) {
    let (map, reading) = reading(text);
    let mut said = Diagnostics::default();
    for d in reading.diagnostics.iter().filter(|d| !d.lint) {
        said.push(d.clone());
    }
    if !said.has_errors() {
        let (_, found) = types::infer(&map, &reading.program, &reading.names, &types::Options::default());
        said.extend(found);
        said.extend(lints::check(&map, &reading.program, &reading.names));
    }
    said.sort(&map);
    (map, said, reading)
}

/// Checks what one lint (or several, by a common beginning) says of a model.
fn check(code: &str, text: &str, expected: Expect) {
    let (map, said, _) = everything(text);
    let lines: String = said.iter().filter(|d| !d.lint || d.code.starts_with(code)).map(|d| shown(&map, d)).collect();
    expected.assert_eq(&lines);
}

/// Checks that a lint says nothing of a model.
fn silent(code: &str, text: &str) {
    let (map, said, _) = everything(text);
    let lines: String = said.iter().filter(|d| !d.lint || d.code.starts_with(code)).map(|d| shown(&map, d)).collect();
    assert!(lines.is_empty(), "{text}\n{lines}");
}

/// Checks what a lint says of the statements of one process.
fn check_body(code: &str, globals: &str, body: &str, expected: Expect) {
    check(code, &format!("{globals}\ninit {{\n{body}\n}}\n"), expected);
}

fn silent_body(code: &str, globals: &str, body: &str) {
    silent(code, &format!("{globals}\ninit {{\n{body}\n}}\n"));
}

#[test]
fn unused_variables() {
    check(
        "unused-",
        "byte x; chan q = [1] of { byte }; bool b;\nactive proctype P(byte a; byte c) { int i; b = c }",
        expect![[r#"
        1:6: warning[unused-variable]: variable `x` is never used
            = if it is there on purpose, let its name start with an underscore
        1:14: warning[unused-channel]: channel `q` is never used
            = if it is there on purpose, let its name start with an underscore
        2:24: warning[unused-parameter]: parameter `a` is never used
        2:41: warning[unused-variable]: variable `i` is never used
            = if it is there on purpose, let its name start with an underscore
    "#]],
    );
    silent("unused-", "byte _x; byte y; active proctype P() { y++ }");
    silent("unused-", "byte y; active proctype P() { y++; assert(y > 0) }");
    silent("unused-", "byte n = 3; byte y[n]; active proctype P() { y[0]++ }");
    // What C or an inline that is not called mentions may be used there.
    silent("unused-variable", "byte x; active proctype P() { c_code { now.x = 1; } }");
    silent("unused-variable", "byte x; inline f() { x = 1 } active proctype P() { skip }");
    silent("unused-variable", "active proctype P() { byte x; skip } ltl p { <> (P:x == 1) }");
    silent("unused-", "#include \"all.h\"\nactive proctype P() { skip }");
}

#[test]
fn promises_about_channels() {
    const CODE: &str = "exclusive-shared";
    let with = |a: &str, b: &str| {
        format!(
            "chan c = [2] of {{ byte }};\nactive proctype A() {{ byte x; {a} }}\nactive proctype B() {{ byte y; {b} }}"
        )
    };
    check(
        CODE,
        &with("xr c; c?x", "c?y"),
        expect![[r#"
        2:34: warning[exclusive-shared]: `xr` promises that no other process will receive from the channel, but one does
            3:31: by another process here
            = SPIN's reduction relies on the promise; this one does not, and loses no error
    "#]],
    );
    check(
        CODE,
        &with("xs c; c!1", "c!2; c?y"),
        expect![[r#"
        2:34: warning[exclusive-shared]: `xs` promises that no other process will send to the channel, but one does
            3:31: by another process here
            = SPIN's reduction relies on the promise; this one does not, and loses no error
    "#]],
    );
    check(
        CODE,
        &with("xr c; c?x", "c?[y] -> c!1"),
        expect![[r#"
        2:34: warning[exclusive-shared]: `xr` promises that no other process will receive from the channel, but one does
            3:31: by another process here
            = SPIN's reduction relies on the promise; this one does not, and loses no error
    "#]],
    );
    check(
        CODE,
        "chan c = [2] of { byte }; active [2] proctype A() { byte x; xr c; c?x; c!x }",
        expect![[r#"
        1:64: warning[exclusive-shared]: `xr` promises that no other process will receive from the channel, but one does
            = 2 processes of this type start with the system
            = SPIN's reduction relies on the promise; this one does not, and loses no error
    "#]],
    );
    silent(CODE, &with("xr c; c?x", "xs c; c!1"));
    silent(CODE, &with("xr c; xs c; c?x; c!x", "y = len(c)"));
}

#[test]
fn variables_that_are_not_read() {
    check(
        "never-read",
        "byte x; active proctype P() { x = 1; x++ }",
        expect![[r#"
        1:6: warning[never-read]: `x` is written, but never read
    "#]],
    );
    silent("never-read", "hidden byte x; active proctype P() { x = 1 }");
    silent("never-read", "byte x; active proctype P() { x = 1; printf(\"%d\", x) }");
    silent("never-read", "byte x; active proctype P() { x = 1 } ltl p { [] (x < 2) }");
    silent("never-read", "typedef R { byte a }; R r; active proctype P() { r.a = 1 }");
    silent("never-read", "byte i, y; active proctype P() { for (i : 0 .. 3) { y++ } assert(y < 9) }");
    check(
        "unread-",
        "chan q = [1] of { byte }; active proctype P() { byte x; q?x }",
        expect![[r#"
        1:54: warning[unread-receive]: `x` only receives and is never read
            = `_` takes a field that is not wanted, and is not part of the state
    "#]],
    );
    silent("unread-", "chan q = [1] of { byte }; active proctype P() { q?_ }");
}

#[test]
fn variables_that_are_not_written() {
    check(
        "never-written",
        "byte x; active proctype P(byte a) { x == 1; a == 2 }",
        expect![[r#"
        1:6: warning[never-written]: `x` is read, but never written: it stays 0
        1:32: warning[never-written]: parameter `a` is read, but never written: it stays 0
            = nothing is passed to an active process
    "#]],
    );
    silent("never-written", "byte x = 1; active proctype P() { x == 1 }");
    silent("never-written", "chan q = [1] of { byte }; byte x; active proctype P() { q?x; x == 1 }");
    silent("never-written", "byte x; active proctype P() { select (x : 1 .. 3); x == 1 }");
    silent("never-written", "active proctype P(byte a) { a == 2; run P(3) }");
}

#[test]
fn unused_names() {
    check(
        "unused-",
        "mtype = { red, green, blue }; mtype:fruit = { fig, kiwi };
         typedef R { byte a }; typedef S { R r };
         inline f() { skip }
         proctype Never() { run Other() }
         proctype Other() { skip }
         init { byte x = red; lonely: x++ }",
        expect![[r#"
            1:16: warning[unused-mtype]: mtype constants `green`, `blue` are never used
                1:23: nor this one
            1:31: warning[unused-mtype]: no constant of this mtype list is ever used
            2:40: warning[unused-typedef]: typedef `S` is never used
            3:17: warning[unused-inline]: inline `f` is never called
            4:19: warning[unused-process]: process type `Never` never runs
                = start it with `run Never(...)` or make it `active`
            5:19: warning[unused-process]: process type `Other` never runs
                = it is run only by processes that never run themselves
            6:31: warning[unused-label]: nothing refers to label `lonely`
        "#]],
    );
    silent(
        "unused-",
        "mtype = { red, green }; typedef R { byte a }; typedef S { R r };
         inline f(c) { assert(c != red) }
         proctype P(mtype m) { S s; s.r.a = 1; again: f(m); goto again }
         init { run P(green) }",
    );
    silent(
        "unused-label",
        "active proctype P() { end_ok: skip; accept: skip; progress_1: skip; here: skip } ltl p { <> P@here }",
    );
    check(
        "label-case",
        "active proctype P() { End: skip; ACCEPT_all: skip }",
        expect![[r#"
        1:23: warning[label-case]: label `End` means nothing: only `end...` in lower case does
        1:34: warning[label-case]: label `ACCEPT_all` means nothing: only `accept...` in lower case does
    "#]],
    );
    silent("unused-mtype", "mtype = { a, b }; chan q = [1] of { mtype }; active proctype P() { q!a; q?b }");
    silent("unused-typedef", "typedef M { byte a }; chan q = [1] of { M }; active proctype P() { M m; q?m }");
}

#[test]
fn unreachable_statements() {
    check_body(
        "unreachable",
        "byte x;",
        "do\n:: x++\nod;\nassert(x > 0)",
        expect![[r#"
        6:1: warning[unreachable]: this statement is never reached
            3:1: no `break` ends this loop
    "#]],
    );
    check_body(
        "unreachable",
        "byte x;",
        "L: x++;\ngoto L;\nx--;\nx++",
        expect![[r#"
        5:1: warning[unreachable]: this statement is never reached
            4:1: control jumps away here
    "#]],
    );
    check_body(
        "unreachable",
        "byte x;",
        "do\n:: x > 3 -> break; x = 0\n:: else -> x++\nod",
        expect![[r#"
        4:20: warning[unreachable]: this statement is never reached
            4:13: control leaves the loop here
    "#]],
    );
    check_body(
        "unreachable",
        "byte x;",
        "L: if\n:: x > 3 -> goto L\n:: else -> goto M\nfi;\nx++;\nM: skip",
        expect![[r#"
        7:1: warning[unreachable]: this statement is never reached
            3:4: every option leads elsewhere
    "#]],
    );
    check_body(
        "unreachable",
        "byte x;",
        "x++; false; x--",
        expect![[r#"
        3:13: warning[unreachable]: this statement is never reached
            3:6: this condition is always false
    "#]],
    );
    silent_body("unreachable", "byte x;", "do :: x > 3 -> break :: else -> x++ od; x = 0");
    silent_body("unreachable", "byte x;", "goto M; L: x++; M: x--; goto L");
    silent_body("unreachable", "byte x;", "goto M; do :: x++; M: break :: else od");
    silent_body("unreachable", "byte x;", "do :: atomic { x > 3 -> break } :: else -> x++ od; x = 0");
    silent_body("unreachable", "byte x;", "{ do :: x++ od } unless { x > 5 }; x = 0");
    silent_body("unreachable", "byte x;\n#define OFF 0\n", "if :: OFF -> x++; x-- :: else fi; x = 0");
    silent_body("unreachable", "byte x; inline stop() { goto M }", "x > 1; stop(); M: x--");
}

#[test]
fn options_that_are_never_taken() {
    check_body(
        "dead-",
        "byte x;",
        "if\n:: x > 1\n:: skip\n:: else -> x++\nfi",
        expect![[r#"
        6:4: warning[dead-else]: this `else` is never taken
            5:4: this option is always executable
    "#]],
    );
    check_body(
        "dead-",
        "byte x;",
        "do\n:: x++\n:: else -> break\nod",
        expect![[r#"
        5:4: warning[dead-else]: this `else` is never taken
            4:4: this option is always executable
    "#]],
    );
    check_body(
        "dead-",
        "byte x;",
        "do\n:: atomic { printf(\"a\"); x++ }\n:: else -> break\nod",
        expect![[r#"
        5:4: warning[dead-else]: this `else` is never taken
            4:13: this option is always executable
    "#]],
    );
    check_body(
        "dead-",
        "byte x;",
        "if\n:: x > 1\n:: 0 -> x++\nfi",
        expect![[r#"
        5:4: warning[dead-option]: this option is never taken: its guard is always false
    "#]],
    );
    silent_body(
        "dead-",
        "byte x; chan q = [1] of { byte };",
        "if :: x > 1 :: q!x :: atomic { x == 3; x++ } :: else -> x++ fi",
    );
    silent_body("dead-", "#define N 2\nbyte x;", "if :: N == 2 -> x++ :: N == 3 -> x-- :: else fi");
    silent_body("dead-", "byte x;", "if :: true -> x++ :: x > 2 -> skip fi");
}

#[test]
fn timeouts_that_are_never_taken() {
    check_body(
        "dead-",
        "byte x;",
        "do\n:: x > 1 -> break\n:: timeout -> x++\n:: else -> x--\nod",
        expect![[r#"
        5:4: warning[dead-timeout]: this `timeout` is never executable
            6:4: this `else` is taken first
            = `timeout` waits until no process can move, and an `else` is a move
    "#]],
    );
    check_body(
        "dead-",
        "byte x;",
        "do\n:: x++\n:: timeout && x > 3 -> break\nod",
        expect![[r#"
        5:4: warning[dead-timeout]: this `timeout` is never executable
            4:4: this option is always executable
    "#]],
    );
    silent_body("dead-", "byte x;", "do :: x > 1 -> break :: timeout -> x++ od; timeout");
}

#[test]
fn assignments_as_conditions() {
    check_body(
        "assign-in-guard",
        "byte x;",
        "if\n:: x = 1 -> x++\n:: else -> x--\nfi",
        expect![[r#"
        4:4: warning[assign-in-guard]: `x = 1` assigns; it does not compare
            5:4: so that this `else` is never taken
            ? did you mean `==`? ` == `
    "#]],
    );
    check_body(
        "assign-in-guard",
        "byte x;",
        "if\n:: x == 0 -> x++\n:: x = 1 -> x--\nfi",
        expect![[r#"
        5:4: warning[assign-in-guard]: `x = 1` assigns; it does not compare
            ? did you mean `==`? ` == `
    "#]],
    );
    silent_body("assign-in-guard", "byte x, y;", "if :: x = 1; y++ :: x = 2; y-- fi");
    silent_body("assign-in-guard", "byte x, y;", "do :: x = 1 -> y++ :: x = 2 -> y-- :: y > 3 -> break od");
    // The slip is said once, not as a dead `else` too.
    check_body("dead-else", "byte x;", "if\n:: x = 1 -> x++\n:: else -> x--\nfi", expect![[r#""#]]);
}

#[test]
fn equal_options() {
    check_body(
        "duplicate-option",
        "byte x;",
        "if\n:: x > 1 -> x++\n:: x > 2 -> x++\n:: x > 1 -> x++\nfi",
        expect![[r#"
        6:4: warning[duplicate-option]: this option says the same as an earlier one
            4:4: the same option
    "#]],
    );
    silent_body("duplicate-option", "byte x;", "if :: x > 1 -> x++ :: x > 1 -> x-- fi");
}

#[test]
fn places_of_labels() {
    check_body(
        "misplaced",
        "bit x;",
        "accept: do\n:: progress_1: x = 1 - x\n:: L: x == 1\nod",
        expect![[r#"
        4:4: warning[misplaced-label]: label `progress_1` marks where the process is behind this statement, not in front of it
            = in front of an option the process stands at the `do`
            = put it in front of the `do` to mark the selection
    "#]],
    );
    check_body(
        "misplaced",
        "bit x;",
        "if\n:: end_1: { x = 1 } unless { x == 0 }\nfi",
        expect![[r#"
        4:4: warning[misplaced-label]: label `end_1` marks where the process is behind this statement, not in front of it
            = in front of an option the process stands at the `if`
            = put it in front of the `if` to mark the selection
    "#]],
    );
    check_body(
        "misplaced",
        "bit x;",
        "x = 1; accept: d_step { x = 0; progress: x = 1; end_x: x = 0 }",
        expect![[r#"
        3:32: warning[misplaced-label]: label `progress` means nothing: a process never rests inside a `d_step`
        3:49: warning[misplaced-label]: label `end_x` means nothing: a process never rests inside a `d_step`
    "#]],
    );
    check_body(
        "misplaced",
        "bit x;",
        "L: d_step { x = 0 } unless { x == 1 }",
        expect![[r#"
        3:28: warning[misplaced-label]: this escape has no effect, because the `d_step` in front of it has a label
            = SPIN takes it for a part of the `d_step`; put the label in front of a `skip` before the `d_step`
    "#]],
    );
    check(
        "misplaced",
        "bit x;\nactive proctype Q() {\ndo\n:: L: x = 1 - x\n:: x == 1 -> M: x = 0\nod\n}\nactive proctype P() { Q@L; Q@M }",
        expect![[r#"
            4:4: warning[misplaced-label]: no process ever stands at `L`: it is the first statement of an option
                = put it in front of the `do` to mark the selection
        "#]],
    );
}

#[test]
fn deterministic_steps() {
    check_body(
        "d-step",
        "byte x;",
        "d_step {\nif\n:: x = 1\n:: x = 2\nfi\n}",
        expect![[r#"
        6:4: warning[d-step-choice]: inside a `d_step`, this option is never taken
            5:4: this one comes first and is always executable
            = a d_step is deterministic; use `atomic` for a real choice
    "#]],
    );
    check_body(
        "d-step",
        "byte x;",
        "d_step { x = 1; select (x : 0 .. 3) }",
        expect![[r#"
        3:17: warning[d-step-choice]: inside a `d_step`, `select` always gives the same value
            = a d_step is deterministic; use `atomic` for a real choice
    "#]],
    );
    check_body(
        "d-step",
        "byte x, y;",
        "d_step { x == 1; y = 2; x == 3; y = 1 }",
        expect![[r#"
        3:25: warning[d-step-block]: this condition waits, which is an error inside a `d_step`
            = if it is meant as an assignment write `=`, as a check `assert(...)`
    "#]],
    );
    silent_body("d-step", "byte x, y;", "d_step { x == 1; y = 2; if :: x == 3 -> y = 1 :: else fi }");
    silent_body("d-step", "byte x;", "atomic { if :: x = 1 :: x = 2 fi }");
}

#[test]
fn impossible_values() {
    let globals = "bit b; bool t; byte y; unsigned u : 3; short s; chan q = [2] of { byte };";
    check_body(
        "impossible",
        globals,
        "b == 2;\nt != 3;\ny == 256;\ny == -1;\nu == 8;\n300 == y;\nlen(q) == 3",
        expect![[r#"
        3:1: warning[impossible-value]: `b` is `bit` and never equal to 2
        4:1: warning[impossible-value]: `t` is `bool` and never equal to 3
        5:1: warning[impossible-value]: `y` is `byte` and never equal to 256
        6:1: warning[impossible-value]: `y` is `byte` and never equal to -1
            = a negative number that is stored there becomes a positive one; use `short` or `int`
        7:1: warning[impossible-value]: `u` is `unsigned:3` and never equal to 8
        8:1: warning[impossible-value]: `y` is `byte` and never equal to 300
        9:1: warning[impossible-value]: `len(q)` is at most 2 and never equal to 3
    "#]],
    );
    silent_body("impossible", globals, "b == 1; t == false; y == 255; u == 7; s == -1; len(q) == 2; y + 1 == 256");
    check_body(
        "constant-comparison",
        globals,
        "y < 0;\ny >= 0;\n0 > y;\nb <= 1;\nu > 7;\ny < 256",
        expect![[r#"
        3:1: warning[constant-comparison]: this comparison is always false: `y` is `byte`
        4:1: warning[constant-comparison]: this comparison is always true: `y` is `byte`
        5:1: warning[constant-comparison]: this comparison is always false: `y` is `byte`
        6:1: warning[constant-comparison]: this comparison is always true: `b` is `bit`
        7:1: warning[constant-comparison]: this comparison is always false: `u` is `unsigned:3`
        8:1: warning[constant-comparison]: this comparison is always true: `y` is `byte`
    "#]],
    );
    silent_body("constant-comparison", globals, "y > 0; y < 255; s < 0; s >= 0; b < 1; u >= 7");
    silent_body("constant-comparison", &format!("#define NONE 0\n{globals}"), "y >= NONE");
    silent_body("impossible", "bit a[3];", "a[1] == 2");
}

#[test]
fn constants_that_do_not_fit() {
    let globals = "bit b; bool t = 2; byte y = 256; unsigned u : 3; short s; byte a[2] = { 1, 300 };\n\
                   proctype P(byte p) { p++ }";
    check_body(
        "const-range",
        globals,
        "b = 2;\ny = -1;\nu = 8;\ns = 40000;\nrun P(1000)",
        expect![[r#"
        1:17: warning[const-range]: 2 does not fit `t`, which is `bool`
            = a `bool` holds 0 to 1
        1:29: warning[const-range]: 256 does not fit `y`, which is `byte`
            = a `byte` holds 0 to 255; 0 is stored
        1:76: warning[const-range]: 300 does not fit `a`, which is `byte`
            = a `byte` holds 0 to 255; 44 is stored
        4:5: warning[const-range]: 2 does not fit `b`, which is `bit`
            = a `bit` holds 0 to 1
        5:5: warning[const-range]: -1 does not fit `y`, which is `byte`
            = a `byte` holds 0 to 255; 255 is stored
        6:5: warning[const-range]: 8 does not fit `u`, which is `unsigned:3`
            = a `unsigned:3` holds 0 to 7; 0 is stored
        7:5: warning[const-range]: 40000 does not fit `s`, which is `short`
            = a `short` holds -32768 to 32767; -25536 is stored
        8:7: warning[const-range]: 1000 does not fit parameter `p`, which is `byte`
            = a `byte` holds 0 to 255; 232 is stored
    "#]],
    );
    silent_body(
        "const-range",
        "byte y = 255; short s = -1; bool t = true; int i = 70000;",
        "y = 0; s = 32767; t = 1; i = -1",
    );
}

#[test]
fn assignments_without_effect() {
    check_body(
        "self-assign",
        "byte x; byte a[2];",
        "x = x;\na[1] = a[1]",
        expect![[r#"
        3:1: warning[self-assign]: `x` is assigned to itself
        4:1: warning[self-assign]: `a[1]` is assigned to itself
    "#]],
    );
    silent_body("self-assign", "byte x; byte a[2];", "x = x + 0; a[1] = a[0]");
}

#[test]
fn assertions_that_cannot_fail() {
    check_body(
        "constant-assert",
        "",
        "assert(true);\nassert(1 < 2)",
        expect![[r#"
        3:1: warning[constant-assert]: this assertion cannot fail: it is always true
        4:1: warning[constant-assert]: this assertion cannot fail: it is always true
    "#]],
    );
    silent_body("constant-assert", "#define OK 1\nbyte x;", "assert(false); assert(0); assert(x); assert(OK)");
}

#[test]
fn loops_that_never_end() {
    check_body(
        "endless-for",
        "byte i; bit b;",
        "for (i : 0 .. 255) { skip };\nfor (b : 0 .. 1) { skip }",
        expect![[r#"
        3:15: warning[endless-for]: this loop never ends: `i` is `byte` and never exceeds 255
            1:6: declare it with a larger type
        4:15: warning[endless-for]: this loop never ends: `b` is `bit` and never exceeds 1
            1:13: declare it with a larger type
    "#]],
    );
    silent_body("endless-for", "byte i; short s;", "for (i : 0 .. 254) { skip }; for (s : 0 .. 300) { skip }");
}

#[test]
fn servers_without_an_end_label() {
    let globals = "chan q = [1] of { byte };";
    let server = |body: &str| format!("{globals}\nactive proctype P() {{ byte x;\n{body}\n}}\ninit {{ q!1 }}");
    check(
        "missing-end-label",
        &server("do\n:: q?x -> x++\n:: q?3\nod"),
        expect![[r#"
        3:1: warning[missing-end-label]: `P` waits here for ever once no more messages come
            = without an `end` label that counts as an invalid end state (a deadlock)
            ? mark the loop as a valid end `end: `
    "#]],
    );
    silent("missing-end-label", &server("end: do :: q?x -> x++ od"));
    silent("missing-end-label", &server("do :: q?x -> if :: x > 3 -> break :: else fi od"));
    silent("missing-end-label", &server("do :: q?x :: timeout -> break od"));
    // Messages go round, and where those who send go on for ever, messages never cease.
    silent("missing-end-label", &server("do :: q?x -> q!x od"));
    silent("missing-end-label", &server("do :: q?x -> x++ od").replace("init { q!1 }", "init { do :: q!1 od }"));
}

#[test]
fn process_numbers() {
    check(
        "pid-index",
        "bool flag[2]; init { skip } active [2] proctype P() { flag[_pid] = true; assert(flag[0] || flag[1]) }",
        expect![[r#"
            1:60: warning[pid-index]: `_pid` of `P` goes up to 2, but `flag` has 2 elements
                = pids are given to active processes and `init` in the order of the text, from 0
        "#]],
    );
    silent("pid-index", "bool flag[2]; active [2] proctype P() { flag[_pid] = true; assert(flag[0]) }");
    check(
        "nr-pr-claim",
        "active proctype P() { _nr_pr == 1 }\nltl p { <> (_nr_pr == 0) }",
        expect![[r#"
        1:23: warning[nr-pr-claim]: `_nr_pr` counts the claim as a process
            2:5: the model has a claim
            = while a claim is checked, `_nr_pr` is one more than the number of processes
        2:13: warning[nr-pr-claim]: `_nr_pr` counts the claim as a process
            2:5: the model has a claim
            = while a claim is checked, `_nr_pr` is one more than the number of processes
    "#]],
    );
    silent("nr-pr-claim", "active proctype P() { _nr_pr == 1 }");
}

#[test]
fn formulas() {
    let with =
        |formula: &str| format!("bool p, q, r; active proctype P() {{ p = 1; q = 1; r = 1 }}\nltl f {{ {formula} }}");
    check(
        "ltl-",
        &with("p -> q -> r"),
        expect![[r#"
        2:16: warning[ltl-precedence]: arrows in a row group to the left: `(p -> q) -> r`
            2:11: this one binds first
            = most people read `p -> q -> r` as `p -> (q -> r)`; write parentheses
    "#]],
    );
    check(
        "ltl-",
        &with("p U q U r"),
        expect![[r#"
        2:15: warning[ltl-precedence]: untils in a row group to the left: `(p U q) U r`
            2:11: this one binds first
            = most people read `p U q U r` as `p U (q U r)`; write parentheses
    "#]],
    );
    check(
        "ltl-",
        &with("[] p -> <> q"),
        expect![[r#"
        2:9: warning[ltl-precedence]: this `[]` reaches only up to the arrow: `([] p) -> <> q`
            2:14: the arrow binds weaker
            = write `[] (p -> <> q)` if every `p` is to be followed by a `q`
    "#]],
    );
    check(
        "ltl-",
        &with("always p implies eventually q"),
        expect![[r#"
        2:9: warning[ltl-precedence]: this `[]` reaches only up to the arrow: `([] p) -> <> q`
            2:18: the arrow binds weaker
            = write `[] (p -> <> q)` if every `p` is to be followed by a `q`
    "#]],
    );
    check(
        "ltl-",
        &with("[] p == q && <> (q == r) && [] (p && q)"),
        expect![[r#"
        2:12: warning[ltl-precedence]: SPIN applies `[]` to the first operand of this only
            = here it reaches over all of it; write `[] (...)`
    "#]],
    );
    check(
        "ltl-",
        &with("[] true"),
        expect![[r#"
        2:9: warning[ltl-trivial]: this formula looks at nothing in the model: its truth is fixed
    "#]],
    );
    check(
        "ltl-",
        &with("[] (p -> X q)"),
        expect![[r#"
        2:18: warning[ltl-next]: `X` counts steps, so that partial-order reduction cannot be used
            = what the next step is depends on unrelated processes too
    "#]],
    );
    for fine in [
        "[] (p -> <> q)",
        "([] p) -> <> q",
        "[] <> p -> [] <> q",
        "[] (p -> (q -> r))",
        "(p -> q) && (q -> r)",
        "p U (q U r)",
        "(p U q) && (q U r)",
        "[] (p U q)",
        "<> p && (q U r)",
        "[] p U q",
        "[] (p /* -> */ -> q)",
    ] {
        silent("ltl-", &with(fine));
    }
}

fn level_lines(text: &str, allow: &[&str], deny: &[&str]) -> String {
    let (map, said, reading) = everything(text);
    let owned = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
    let judged = lints::apply_levels(&map, &said, &owned(allow), &owned(deny), &reading.pragmas);
    judged.iter().map(|d| shown(&map, d)).collect()
}

#[test]
fn levels() {
    let text = "byte x, y;\nactive proctype P() { x = 1; y = y; here: skip }\n";
    expect![[r#"
        1:6: warning[never-read]: `x` is written, but never read
        2:30: warning[self-assign]: `y` is assigned to itself
    "#]]
    .assert_eq(&level_lines(text, &[], &[]));
    expect![[r#"
        2:30: hard error[self-assign]: `y` is assigned to itself
        2:37: hard error[unused-label]: nothing refers to label `here`
    "#]]
    .assert_eq(&level_lines(text, &["never-read"], &["self-assign", "unused-label"]));
    expect![[r#""#]].assert_eq(&level_lines(text, &["all"], &[]));
    expect![[r#"
        -: hard error[unknown-lint]: there is no lint `never-raed`
            = did you mean `never-read`?
        -: hard error[unknown-lint]: there is no lint `nonsense`
    "#]]
    .assert_eq(&level_lines(text, &["never-raed", "all"], &["nonsense"]));
}

#[test]
fn levels_in_comments() {
    expect![[r#"
        4:39: hard error[self-assign]: `y` is assigned to itself
    "#]]
    .assert_eq(&level_lines(
        "/* ferrospin: allow(never-read) */
         /* ferrospin: deny(self-assign) */
         byte x, y;
         active proctype P() { x = 1; y = y }",
        &[],
        &[],
    ));
    // Behind a statement a comment speaks of its line only; options win over comments.
    let text = "byte x, y;
         active proctype P() {
             y = y; // ferrospin: allow(self-assign)
             x = x
         }";
    expect![[r#"
        4:14: warning[self-assign]: `x` is assigned to itself
    "#]]
    .assert_eq(&level_lines(text, &[], &[]));
    expect![[r#"
        3:14: hard error[self-assign]: `y` is assigned to itself
        4:14: hard error[self-assign]: `x` is assigned to itself
    "#]]
    .assert_eq(&level_lines(text, &[], &["self-assign"]));
    expect![[r#"
        1:21: warning[unknown-lint]: there is no lint `self-asign`
            = did you mean `self-assign`?
    "#]]
    .assert_eq(&level_lines("// ferrospin: allow(self-asign)\nactive proctype P() { skip }", &[], &[]));
}

#[test]
fn every_lint_is_documented() {
    let page = include_str!("../../../docs/lints.md");
    for info in CODES {
        let heading = format!("### `{}`", info.code);
        let level = match info.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Off => "off",
        };
        assert!(page.contains(&format!("{heading} ({level})")), "`{heading} ({level})` is missing in docs/lints.md");
    }
}

#[test]
fn a_thousand_lines_take_little_time() {
    let mut text = String::from("mtype = { a, b }; byte x[10]; chan q = [3] of { mtype, byte };\n");
    for i in 0..50 {
        let _ = writeln!(text, "active proctype P{i}() {{\n byte v, w;\n do");
        for j in 0..8 {
            let _ = writeln!(text, " :: x[{j}] > {j} && v == w ->\n   x[{j}] = x[{j}] - 1;\n   q!a,v");
        }
        text.push_str(" :: q?b,w -> v = w\n :: else -> break\n od\n}\n");
    }
    let (map, reading) = reading(&text);
    let before = std::time::Instant::now();
    let said = lints::check(&map, &reading.program, &reading.names);
    let elapsed = before.elapsed();
    assert!(said.iter().all(|d| find_level(d) != Level::Error));
    assert!(elapsed.as_millis() < 1000, "{elapsed:?}");
}

fn find_level(d: &Diagnostic) -> Level {
    lints::find(d.code).expect("in the table").level
}

/// Every lint that some stage of the front end reports is in the table, so that it can be allowed and denied.
#[test]
fn every_reported_lint_is_in_the_table() {
    fn visit(dir: &std::path::Path, missing: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).expect("readable").flatten() {
            let path = entry.path();
            if path.is_dir() {
                visit(&path, missing);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                for (at, _) in text.match_indices("Diagnostic::lint(") {
                    // The code is the first string literal of the call; a call with a variable code has none near by.
                    let call: String = text[at..].chars().take(160).collect();
                    let Some(code) = call.split('"').nth(1) else { continue };
                    let is_code = code.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_');
                    if is_code && lints::find(code).is_none() {
                        missing.push(format!("{code} in {}", path.display()));
                    }
                }
            }
        }
    }
    let mut missing = Vec::new();
    visit(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut missing);
    assert!(missing.is_empty(), "not in the table of lints: {missing:?}");
}
