//! Names: what is refused, with the exact message, and what the tables hold of correct models.
//!
//! Every input that is refused here is refused by `spin -a` 6.5.2 too (or crashes it), except those of
//! `stricter_than_spin`.

use expect_test::{Expect, expect};
use ferrospin_promela::names::{Def, Init, Names, Ty, Var};
use ferrospin_promela::preprocess::{Loader, Options};
use ferrospin_promela::{Reading, read};
use ferrospin_source::{SourceMap, Span};
use std::fmt::Write;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("{name} cannot be read in a test"))
    }
}

fn reading(input: &str) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml", input);
    let reading = read(&mut map, file, &Options::default(), &mut NoFiles);
    (map, reading)
}

/// All messages in short form.
fn messages(input: &str) -> String {
    let (map, reading) = reading(input);
    let place = |span: Span| map.position(span).map_or("-".into(), |p| format!("{}:{}", p.line, p.column));
    let mut out = String::new();
    for d in reading.diagnostics.iter() {
        writeln!(out, "{}: error[{}]: {}", place(d.span), d.code, d.message).unwrap();
        for l in &d.labels {
            writeln!(out, "  {}: {}", place(l.span), l.text).unwrap();
        }
        for s in &d.suggestions {
            writeln!(out, "  help: {}", s.text).unwrap();
        }
    }
    out
}

fn check(input: &str, expected: Expect) {
    let said = messages(input);
    assert!(!said.is_empty(), "accepted: {input}");
    expected.assert_eq(&said);
}

/// Names nobody declared: once per body, with a guess.
#[test]
fn undeclared() {
    check(
        "byte turn;\nactive proctype P() { trun = 1; trun = 2; x = trun }",
        expect![[r#"
        2:23: error[undeclared]: variable `trun` is not declared
          help: did you mean `turn`?
        2:43: error[undeclared]: variable `x` is not declared
    "#]],
    );
    check(
        "active proctype P() { y = 1 }\nint y;",
        expect![[r#"
        1:23: error[undeclared]: variable `y` is not declared
    "#]],
    );
    check(
        "active proctype P() { { int x; x = 1 }; x = 2 }",
        expect![[r#"
        1:41: error[undeclared]: variable `x` is not declared
    "#]],
    );
    check(
        "active proctype P() { int y = 1, z = y; z = 2 }",
        expect![[r#"
        1:38: error[undeclared]: variable `y` is not declared
    "#]],
    );
    check(
        "int x;\nactive proctype P() { STDIN?x }",
        expect![[r#"
        2:23: error[undeclared]: variable `STDIN` is not declared
    "#]],
    );
    check(
        "active proctype P() { _nr_qs > 0 }",
        expect![[r#"
        1:23: error[undeclared]: variable `_nr_qs` is not declared
    "#]],
    );
    check(
        "inline f(a) { a = 1 }\nactive proctype P() { f(y) }",
        expect![[r#"
        2:25: error[undeclared]: variable `y` is not declared
    "#]],
    );
    check(
        "inline f(a) { goto a }\nactive proctype P() { f(L); L: skip }",
        expect![[r#"
        2:25: error[undeclared]: variable `L` is not declared
    "#]],
    );
    check(
        "int x;\nactive proctype P() { skip }\nltl p { [] (xx == 0) }",
        expect![[r#"
        3:13: error[undeclared]: variable `xx` is not declared
          help: did you mean `x`?
    "#]],
    );
    check(
        "active [M] proctype P() { skip }",
        expect![[r#"
        1:9: error[undeclared]: constant `M` is not declared
    "#]],
    );
}

/// One name, one meaning along a chain of blocks.
#[test]
fn redeclared() {
    check(
        "int x;\nactive proctype P() { int x; skip }",
        expect![[r#"
        2:27: error[redeclared]: `x` is declared already, as a variable
          1:5: first declared here
    "#]],
    );
    check(
        "active proctype P() { int x; { byte x; skip } }",
        expect![[r#"
        1:37: error[redeclared]: `x` is declared already, as a variable
          1:27: first declared here
    "#]],
    );
    check(
        "active proctype P(int x) { int x; skip }",
        expect![[r#"
        1:32: error[redeclared]: `x` is declared already, as a variable
          1:23: first declared here
    "#]],
    );
    check(
        "active proctype P(int x; byte x) { skip }",
        expect![[r#"
        1:31: error[redeclared]: `x` is declared already, as a variable
          1:23: first declared here
    "#]],
    );
    check(
        "inline f(a) { int z; z = a }\nactive proctype P() { int z; f(1) }",
        expect![[r#"
        1:19: error[redeclared]: `z` is declared already, as a variable
          2:27: first declared here
    "#]],
    );
    check(
        "int P;\nactive proctype P() { skip }",
        expect![[r#"
        2:17: error[redeclared]: process type `P`: the name is taken
          1:5: first declared here
    "#]],
    );
    check(
        "typedef T { int x; byte x }\nactive proctype P() { skip }",
        expect![[r#"
        1:25: error[redeclared]: field `x` is declared already
          1:17: first declared here
    "#]],
    );
    check(
        "active proctype P() { x: skip; int x; x = 1 }",
        expect![[r#"
            1:36: error[redeclared]: `x` is declared already, as a label
        "#]],
    );
    check(
        "active proctype P() { goto x; int x; x: skip }",
        expect![[r#"
        1:35: error[redeclared]: `x` is declared already, as a label
    "#]],
    );
    check(
        "mtype = { a, b, a };\nactive proctype P() { skip }",
        expect![[r#"
        1:17: error[redeclared]: `a` is declared already
          1:11: first declared here
    "#]],
    );
    check(
        "active proctype P() { skip }\nnever c { skip }\nnever c { skip }",
        expect![[r#"
        3:7: error[redeclared]: claim `c`: the name is taken
          2:7: first declared here
    "#]],
    );
    check(
        "active proctype P() { skip }\nltl p { [] true }\nltl p { <> true }",
        expect![[r#"
        3:5: error[redeclared]: claim `p`: the name is taken
          2:5: first declared here
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c!1 }\ntrace { c!1 }\nnotrace { c!1 }",
        expect![[r#"
        4:1: error[redeclared]: a model can have one `trace` or `notrace`
          3:1: the first is here
    "#]],
    );
}

/// Lists of constants.
#[test]
fn mtypes() {
    let names: Vec<String> = (0..256).map(|i| format!("m{i}")).collect();
    let many = format!("mtype = {{ {} }};\nactive proctype P() {{ skip }}", names.join(", "));
    check(
        &many,
        expect![[r#"
        1:1: error[mtype-size]: an `mtype` can have 255 names, not 256
    "#]],
    );
    check(
        "mtype = { a, b };\nmtype:k = { c };\nactive proctype P() { mtype x; x = a; x = c }",
        expect![[r#"
        3:43: error[mtype-mix]: `x` holds constants of `mtype`, this one is of `mtype:k`
    "#]],
    );
    check(
        "mtype = { a, b };\nmtype:k = { c };\nactive proctype P() { mtype:k x = a; skip }",
        expect![[r#"
        3:35: error[mtype-mix]: `x` holds constants of `mtype:k`, this one is of `mtype`
    "#]],
    );
    check(
        "mtype = { a };\nproctype P(mtype t) { skip }\ninit { mtype m; run P(m) }",
        expect![[r#"
            3:23: error[mtype-argument]: an `mtype` parameter takes a constant, not a variable
              2:18: the parameter is declared here
        "#]],
    );
    check(
        "mtype = { a };\nmtype:k = { b };\nproctype P(mtype t) { skip }\ninit { run P(b) }",
        expect![[r#"
        4:14: error[mtype-argument]: a constant of `mtype:k` is given for a parameter of `mtype`
          3:18: the parameter is declared here
    "#]],
    );
    check(
        "active proctype P() { printm(3) }",
        expect![[r#"
        1:30: error[printm]: `printm` prints the name of an `mtype` value, not a number
    "#]],
    );
    check(
        "mtype = { a };\nactive proctype P() { a = 1 }",
        expect![[r#"
        2:25: error[syntax]: only a variable can be assigned to
          help: to compare, write `==`
    "#]],
    );
}

/// Fields and whole structures.
#[test]
fn structures() {
    check(
        "typedef T { int count }\nT t;\nactive proctype P() { t.cuont = 1 }",
        expect![[r#"
        3:25: error[unknown-field]: structure `T` has no field `cuont`
          1:9: `T` is defined here
          help: did you mean `count`?
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x.y = 1 }",
        expect![[r#"
        2:25: error[unknown-field]: `x` has no field `y`: it is no structure
          1:5: `x` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { t.x.y = 1 }",
        expect![[r#"
        3:27: error[unknown-field]: `x` has no field `y`: it is no structure
          1:17: `x` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT a, b;\nactive proctype P() { a = b }",
        expect![[r#"
        3:23: error[whole-structure]: the whole structure `a` cannot be used as a value
        3:27: error[whole-structure]: the whole structure `b` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { t == 1 }",
        expect![[r#"
        3:23: error[whole-structure]: the whole structure `t` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nchan c = [1] of { T };\nactive proctype P() { c!t+1 }",
        expect![[r#"
        4:25: error[whole-structure]: the whole structure `t` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nchan c = [1] of { T };\nactive proctype P() { c?eval(t) }",
        expect![[r#"
        4:30: error[whole-structure]: the whole structure `t` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t[2];\nactive proctype P() { t.x = 1 }",
        expect![[r#"
        3:23: error[array-index]: the array `t` needs an index
          2:3: `t` is declared here with 2 elements
          help: name an element, for example the first
    "#]],
    );
}

/// Arrays want an index, scalars do not.
#[test]
fn indices() {
    check(
        "int a[3];\nactive proctype P() { a = 1 }",
        expect![[r#"
        2:23: error[array-index]: the array `a` needs an index
          1:5: `a` is declared here with 3 elements
          help: name an element, for example the first
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x[1] = 1 }",
        expect![[r#"
        2:25: error[array-index]: `x` is no array
          1:5: `x` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { t.x[2] = 1 }",
        expect![[r#"
        3:27: error[array-index]: `x` is no array
          1:17: `x` is declared here
    "#]],
    );
    check(
        "int a[3];\nactive proctype P() { a[a[1]] = 1 }",
        expect![[r#"
        2:25: error[self-index]: the array `a` cannot be indexed with its own element
    "#]],
    );
    check(
        "typedef T { int a[2] }\nT t;\nactive proctype P() { t.a[t.a[0]]++ }",
        expect![[r#"
        3:27: error[self-index]: the array `t` cannot be indexed with its own element
    "#]],
    );
    check(
        "int a[3];\ninline f(b) { skip }\nactive proctype P() { f(a) }",
        expect![[r#"
        3:25: error[array-index]: the array `a` needs an index
          1:5: `a` is declared here with 3 elements
          help: name an element, for example the first
    "#]],
    );
    check(
        "int x;\nactive proctype P() { skip }\nltl p { [] (x[2] > 0) }",
        expect![[r#"
        3:15: error[array-index]: `x` is no array
          1:5: `x` is declared here
    "#]],
    );
}

/// Array lengths and widths.
#[test]
fn shapes() {
    check(
        "byte x[0];\nactive proctype P() { skip }",
        expect![[r#"
        1:8: error[array-size]: `x` cannot have 0 elements
    "#]],
    );
    check(
        "byte x[2 - 3];\nactive proctype P() { skip }",
        expect![[r#"
        1:8: error[array-size]: `x` cannot have -1 elements
    "#]],
    );
    check(
        "byte x[1 / 0];\nactive proctype P() { skip }",
        expect![[r#"
        1:12: error[divide-by-zero]: division by zero in an array length
    "#]],
    );
    check(
        "int a[N];\nactive proctype P() { skip }",
        expect![[r#"
        1:7: error[undeclared]: constant `N` is not declared
    "#]],
    );
    check(
        "byte x : 3;\nactive proctype P() { skip }",
        expect![[r#"
        1:6: error[width]: only an `unsigned` can have a width, `x` is none
    "#]],
    );
    check(
        "unsigned x : 32;\nactive proctype P() { skip }",
        expect![[r#"
        1:10: error[width]: `x` cannot have 32 bits
    "#]],
    );
    check(
        "unsigned x : 0;\nactive proctype P() { skip }",
        expect![[r#"
        1:10: error[width]: `x` cannot have 0 bits
    "#]],
    );
    check(
        "unsigned x;\nactive proctype P() { skip }",
        expect![[r#"
        1:10: error[width]: the `unsigned` variable `x` needs a width
          help: give a number of bits, 1 to 31
    "#]],
    );
    check(
        "active [256] proctype P() { skip }",
        expect![[r#"
        1:9: error[process-count]: 256 processes are too many
    "#]],
    );
    check(
        "int N = 1 + 2;\nactive [N] proctype P() { skip }",
        expect![[r#"
        2:9: error[not-constant]: `N` has no constant initialiser
          1:5: `N` is declared here
    "#]],
    );
    check(
        "int n = 3;\ntypedef T { byte b[n] }\nactive proctype P() { skip }",
        expect![[r#"
        2:20: error[undeclared]: constant `n` is not declared
    "#]],
    );
}

/// What may stand behind `=`.
#[test]
fn initialisers() {
    check(
        "int x = [1] of { int };\nactive proctype P() { skip }",
        expect![[r#"
        1:9: error[chan-initialiser]: `x` is no channel
          1:5: declared with another type
    "#]],
    );
    check(
        "active proctype P() { skip; chan c = [1] of { int }; c!1 }",
        expect![[r#"
        1:38: error[chan-initialiser]: the channel `c` must be created at the head of the process body
    "#]],
    );
    check(
        "active proctype P() { skip; int a[2] = { 1, 2 }; a[0] = 1 }",
        expect![[r#"
        1:40: error[list-initialiser]: a list initialiser may stand only at the head of a process body
    "#]],
    );
    check(
        "int x = { 1, 2 };\nactive proctype P() { skip }",
        expect![[r#"
        1:9: error[list-initialiser]: `x` is no array, a list cannot initialise it
    "#]],
    );
    check(
        "int a[3];\nactive proctype P() { int x = a[5]; skip }",
        expect![[r#"
        2:33: error[array-bound]: `a` has no element 5
          1:5: `a` is declared here
    "#]],
    );
    check(
        "active proctype P() { int x = 1 / 0; skip }",
        expect![[r#"
        1:35: error[divide-by-zero]: division by zero in an initialiser
    "#]],
    );
}

/// What cannot be outside the state.
#[test]
fn hidden() {
    check(
        "hidden bit b;\nactive proctype P() { skip }",
        expect![[r#"
        1:12: error[hidden]: `b` cannot be hidden
    "#]],
    );
    check(
        "hidden chan c = [1] of { int };\nactive proctype P() { skip }",
        expect![[r#"
        1:13: error[hidden]: `c` cannot be hidden
    "#]],
    );
    check(
        "active proctype P() { hidden byte y; skip }",
        expect![[r#"
        1:35: error[hidden]: `y` cannot be hidden
    "#]],
    );
    check(
        "typedef T { hidden int x }\nT t;\nactive proctype P() { skip }",
        expect![[r#"
        1:24: error[hidden]: `x` cannot be hidden
    "#]],
    );
}

/// Parameters and arguments of processes.
#[test]
fn parameters() {
    check(
        "proctype P(int a[2]) { skip }\ninit { run P(1) }",
        expect![[r#"
        1:16: error[parameter]: the parameter `a` cannot be an array
    "#]],
    );
    check(
        "typedef T { int a[2] }\nproctype P(T t) { skip }\ninit { T t; run P(t) }",
        expect![[r#"
        2:14: error[parameter]: the parameter `t` cannot hold an array
    "#]],
    );
    check(
        "proctype P(int a) { skip }\ninit { run P() }",
        expect![[r#"
        2:12: error[run-arity]: `P` takes 1 argument, not 0
          1:10: `P` is defined here
    "#]],
    );
    check(
        "proctype P(int a; byte b) { skip }\ninit { run P(1) }",
        expect![[r#"
        2:12: error[run-arity]: `P` takes 2 arguments, not 1
          1:10: `P` is defined here
    "#]],
    );
    check(
        "proctype P(int a) { skip }\ninit { run P(1, 2) }",
        expect![[r#"
        2:12: error[run-arity]: `P` takes 1 argument, not 2
          1:10: `P` is defined here
    "#]],
    );
    check(
        "typedef T { int a; int b }\nproctype P(T t) { skip }\ninit { run P(1) }",
        expect![[r#"
        3:12: error[run-arity]: `P` takes 2 arguments, not 1
          2:10: `P` is defined here
    "#]],
    );
    check(
        "proctype Client() { skip }\ninit { run Cleint() }",
        expect![[r#"
        2:12: error[unknown-proctype]: there is no process type `Cleint`
          help: did you mean `Client`?
    "#]],
    );
    check(
        "byte n[3];\ninline f(n) { skip }\nactive proctype P() { f(1) }",
        expect![[r#"
        2:10: error[inline-parameter]: the parameter `n` has the name of a global array or structure
          1:6: the global `n` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT n;\ninline f(n) { skip }\nactive proctype P() { f(1) }",
        expect![[r#"
        3:10: error[inline-parameter]: the parameter `n` has the name of a global array or structure
          2:3: the global `n` is declared here
    "#]],
    );
}

/// `run` stands alone.
#[test]
fn run_places() {
    check(
        "proctype Q() { skip }\ninit { run Q() + 1 > 0 }",
        expect![[r#"
        2:8: error[run-place]: `run` cannot be part of a larger expression
    "#]],
    );
    check(
        "proctype Q(int x) { skip }\ninit { run Q(run Q(1)) }",
        expect![[r#"
        2:14: error[run-place]: `run` cannot be part of a larger expression
    "#]],
    );
    check(
        "proctype Q() { skip }\nchan c = [1] of { int };\ninit { c!run Q() }",
        expect![[r#"
        3:10: error[run-place]: `run` cannot be part of a larger expression
    "#]],
    );
    check(
        "proctype Q() { skip }\ninit { d_step { run Q(); skip } }",
        expect![[r#"
        2:17: error[d-step-run]: `run` cannot stand in a `d_step`
    "#]],
    );
    check(
        "proctype Q() { skip }\ninit { int x; d_step { skip; x = run Q() } }",
        expect![[r#"
        2:34: error[d-step-run]: `run` cannot stand in a `d_step`
    "#]],
    );
}

/// A model needs a process that runs.
#[test]
fn processes() {
    check(
        "int x;",
        expect![[r#"
        -: error[no-process]: the model has no process
    "#]],
    );
    check(
        "proctype P() { skip }",
        expect![[r#"
        1:10: error[no-process]: no process starts: nothing would run
    "#]],
    );
    check(
        "active [0] proctype P() { skip }",
        expect![[r#"
        1:21: error[no-process]: no process starts: nothing would run
    "#]],
    );
    check(
        "active proctype P() priority 0 { skip }",
        expect![[r#"
        1:30: error[priority]: 0 is no priority
    "#]],
    );
    check(
        "active proctype P() priority 256 { skip }",
        expect![[r#"
        1:30: error[priority]: 256 is no priority
    "#]],
    );
    check(
        "proctype P() { skip }\ninit { run P() priority 300 }",
        expect![[r#"
        2:25: error[priority]: 300 is no priority
    "#]],
    );
    check(
        "chan c = [0] of { int };\nactive proctype P() { enabled(0) }",
        expect![[r#"
        2:23: error[enabled-rendezvous]: `enabled` cannot be used in a model with rendezvous channels
          1:10: a rendezvous channel
    "#]],
    );
    check(
        "active proctype P(int y) provided (y == 0) { skip }",
        expect![[r#"
        1:36: error[provided]: a `provided` clause cannot use a parameter
    "#]],
    );
    check(
        "proctype Q() { L: skip }\nactive proctype P() provided (Q@L) { skip }",
        expect![[r#"
        2:31: error[provided]: a `provided` clause cannot use a reference to another process
    "#]],
    );
}

/// Labels and jumps.
#[test]
fn labels() {
    check(
        "active proctype P() { goto Lop; Loop: skip }",
        expect![[r#"
        1:28: error[unknown-label]: there is no label `Lop`
          help: did you mean `Loop`?
    "#]],
    );
    check(
        "active proctype P() { L: skip; L: skip }",
        expect![[r#"
        1:32: error[redeclared]: label `L` is defined twice
          1:23: first defined here
    "#]],
    );
    check(
        "active proctype P() { L: skip; { skip; L: skip } }",
        expect![[r#"
        1:40: error[redeclared]: label `L` is defined twice
          1:23: first defined here
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x: skip }",
        expect![[r#"
        2:23: error[bad-label]: `x` cannot be a label: the name is taken
          1:5: `x` is declared here
    "#]],
    );
    check(
        "inline f(a) { skip; L: skip }\nactive proctype P() { goto L; f(1); f(2) }",
        expect![[r#"
        1:21: error[redeclared]: label `L` is defined twice
          1:21: first defined here
    "#]],
    );
    // An inline may have the name of a variable that stands before it, and of nothing else.
    assert_eq!(messages("int f;\ninline f() { skip }\ninit { f() }"), "");
    check(
        "inline f() { skip }\ninline f() { skip }\ninit { f() }",
        expect![[r#"
            2:8: error[redefinition]: the inline `f` is defined twice
              1:8: first defined here
        "#]],
    );
    // The same name in a body and in inlines: SPIN tells them apart.
    for body in ["L: skip; f(1)", "f(1); f(2); L: skip", "goto L; f(1); g(2)", "L: skip; f(1); g(1)"] {
        let inlines = "inline f(a) { skip; L: skip }\ninline g(a) { skip; L: skip }\n";
        assert_eq!(messages(&format!("{inlines}active proctype P() {{ {body} }}")), "", "{body}");
    }
    check(
        "active proctype P() { L: goto L }",
        expect![[r#"
        1:31: error[goto-loop]: this `goto` leads back to itself without doing anything
    "#]],
    );
    check(
        "active proctype P() { A: goto B; skip; B: goto A }",
        expect![[r#"
        1:31: error[goto-loop]: this `goto` leads back to itself without doing anything
    "#]],
    );
    check(
        "int x;\nactive proctype P() { atomic { L: x = 1 }; goto L }",
        expect![[r#"
        2:32: error[label-place]: a label cannot open an `atomic`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { { L: x = 1 }; goto L }",
        expect![[r#"
        2:25: error[label-place]: a label cannot open a block
    "#]],
    );
    check(
        "int x;\nactive proctype P() { d_step { L: x = 1 } }",
        expect![[r#"
        2:32: error[label-place]: a label cannot open a `d_step`
    "#]],
    );
    check(
        "inline f(a) { L: skip }\nactive proctype P() { f(1) }",
        expect![[r#"
        1:15: error[label-place]: a label cannot open a block
    "#]],
    );
    check(
        "int x;\nactive proctype P() { L: x = 1 unless { x == 2 } }",
        expect![[r#"
        2:23: error[label-place]: this label does not cover the `unless`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { L: M: { x = 1 } unless { x == 2 } }",
        expect![[r#"
        2:26: error[label-place]: this label does not cover the `unless`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x = 1 unless L: x == 2 }",
        expect![[r#"
        2:36: error[label-place]: the guard of an escape cannot have a label
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { atomic { xr c } }",
        expect![[r#"
        2:30: error[empty-sequence]: a sequence needs at least one statement
    "#]],
    );
}

/// A `d_step` is one step.
#[test]
fn d_steps() {
    check(
        "active proctype P() { d_step { skip; goto L }; skip; L: skip }",
        expect![[r#"
        1:43: error[d-step-jump]: `goto L` jumps out of a `d_step`
          1:54: the label is here
    "#]],
    );
    check(
        "active proctype P() { d_step { skip; goto L }; L: skip }",
        expect![[r#"
        1:43: error[d-step-jump]: `goto L` jumps out of a `d_step`
          1:48: the label is here
    "#]],
    );
    check(
        "active proctype P() { L: skip; d_step { skip; goto L } }",
        expect![[r#"
        1:52: error[d-step-jump]: `goto L` jumps out of a `d_step`
          1:23: the label is here
    "#]],
    );
    check(
        "active proctype P() { goto L; d_step { skip; L: skip } }",
        expect![[r#"
        1:28: error[d-step-jump]: `goto L` jumps into a `d_step`
          1:46: the label is here
    "#]],
    );
    check(
        "int x;\nactive proctype P() { L: d_step { x = 1; x = 2 }; goto L }",
        expect![[r#"
        2:56: error[d-step-jump]: `goto L` jumps into a `d_step`
          2:23: the label is here
    "#]],
    );
    check(
        "int x;\nactive proctype P() { do :: d_step { x = 1; break } od }",
        expect![[r#"
        2:45: error[d-step-jump]: `break` jumps out of a `d_step`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { do :: d_step { x = 1; { break } } od }",
        expect![[r#"
        2:47: error[d-step-jump]: `break` jumps out of a `d_step`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { d_step { { x = 1 } unless { x == 2 } } }",
        expect![[r#"
        2:32: error[d-step-unless]: a `d_step` cannot begin with `unless`
    "#]],
    );
    check(
        "int x;\nproctype Q() { R: skip }\nactive proctype P() { d_step { x = 3; Q@R } }",
        expect![[r#"
        3:39: error[d-step-remote]: a `d_step` cannot refer to another process
    "#]],
    );
    check(
        "int x;\nproctype Q() { int y; skip }\nactive proctype P() { d_step { x == Q:y; x = 3 } }",
        expect![[r#"
        3:37: error[d-step-remote]: a `d_step` cannot refer to another process
    "#]],
    );
    check(
        "int x;\nactive proctype P() { do :: x > 0 -> break od; d_step { x = 1; x = 2 } }",
        expect![[r#"
        2:38: error[d-step-jump]: control jumps from here straight into a `d_step`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { for (x : 1 .. 3) { skip } d_step { x = 1; x = 2 } }",
        expect![[r#"
        2:23: error[d-step-jump]: control jumps from here straight into a `d_step`
    "#]],
    );
    check(
        "int x;\nactive proctype P() { atomic { do :: break od; { d_step { x == 1 } } unless { x == 2 } } }",
        expect![[r#"
            2:38: error[d-step-jump]: control jumps from here straight into a `d_step`
        "#]],
    );
    check(
        "int x;\nactive proctype P() { do :: goto L od; L: goto M; skip; M: { do :: break od }; d_step { x = 1; x = 2 } }",
        expect![[r#"
            2:68: error[d-step-jump]: control jumps from here straight into a `d_step`
        "#]],
    );
}

/// `else`, and channels with one owner.
#[test]
fn selections() {
    check(
        "int x;\nactive proctype P() { if :: x == 1 :: else :: else fi }",
        expect![[r#"
        2:47: error[two-elses]: a selection can have only one `else`
          2:39: the first is here
    "#]],
    );
    check(
        "int x;\nchan c = [1] of { int };\nactive proctype P() { xr c; if :: c?x :: else fi }",
        expect![[r#"
        3:42: error[else-exclusive]: `else` cannot stand beside a channel operation in a model with `xr` or `xs`
          3:35: channel operation
          3:23: a channel is claimed here
    "#]],
    );
    check(
        "int x;\nactive proctype P() { xr x; skip }",
        expect![[r#"
        2:26: error[not-a-channel]: `x` is no channel
          1:5: declared here
    "#]],
    );
    check(
        "chan c[2] = [1] of { int };\nactive proctype P() { xr c[0]; skip }",
        expect![[r#"
        2:26: error[exclusive-array]: an element of an array cannot be claimed
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { xs c; skip }\nactive proctype Q() { xs c; skip }",
        expect![[r#"
        3:26: error[exclusive-conflict]: `P` claims this end of the channel already
          2:26: claimed here
    "#]],
    );
}

/// Channels and messages.
#[test]
fn channels() {
    check(
        "int x;\nchan c = [1] of { int };\nactive proctype P() { x!1 }",
        expect![[r#"
        3:23: error[not-a-channel]: `x` is no channel
          1:5: `x` is declared here
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x?1 }",
        expect![[r#"
        2:23: error[not-a-channel]: `x` is no channel
          1:5: `x` is declared here
    "#]],
    );
    check(
        "int x;\nactive proctype P() { full(x) }",
        expect![[r#"
        2:28: error[not-a-channel]: `x` is no channel
          1:5: `x` is declared here
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c!1,2 }",
        expect![[r#"
        2:23: error[message-size]: 2 fields are sent to `c`, but no channel has so many
    "#]],
    );
    check(
        "int x;\nchan c = [1] of { int, int };\nactive proctype P() { c?x,x }",
        expect![[r#"
        3:27: error[receive-twice]: `x` cannot take two fields of one message
          3:25: the first field goes here
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c++ }",
        expect![[r#"
        2:23: error[channel-arithmetic]: a channel cannot be counted up or down
          1:6: declared here
    "#]],
    );
    check(
        "int x;\nchan c = [1] of { int };\nactive proctype P() { x = c + 1 }",
        expect![[r#"
        3:27: error[channel-arithmetic]: a channel cannot be part of an assigned expression
          2:6: declared here
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c = 2 }",
        expect![[r#"
        2:27: error[channel-assignment]: a number cannot be assigned to the channel `c`
    "#]],
    );
    check(
        "typedef U { int q }\ntypedef T { U x[2] }\nchan c = [1] of { T };\nactive proctype P() { skip }",
        expect![[r#"
        3:19: error[message-type]: an array of structures, `x`, cannot be part of a message
          2:15: `x` is declared here
    "#]],
    );
    check(
        "typedef T { unsigned x : 3 }\nchan c = [1] of { T };\nactive proctype P() { skip }",
        expect![[r#"
            2:19: error[message-type]: an `unsigned` field, `x`, cannot be part of a message
              1:22: `x` is declared here
        "#]],
    );
}

/// Predefined variables.
#[test]
fn predefined() {
    check(
        "active proctype P() { _pid = 1 }",
        expect![[r#"
        1:23: error[read-only]: `_pid` cannot be changed
    "#]],
    );
    check(
        "active proctype P() { _last = 1 }",
        expect![[r#"
        1:23: error[read-only]: `_last` cannot be changed
    "#]],
    );
    check(
        "active proctype P() { _nr_pr++ }",
        expect![[r#"
        1:23: error[read-only]: `_nr_pr` cannot be changed
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x = _ }",
        expect![[r#"
        2:27: error[read-underscore]: `_` is write-only and has no value to read
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c!_ }",
        expect![[r#"
        2:25: error[read-underscore]: `_` is write-only and has no value to read
    "#]],
    );
    check(
        "active proctype P() { np_ }",
        expect![[r#"
        1:23: error[np-outside-claim]: `np_` may stand only in a never claim or an `ltl` formula
    "#]],
    );
    check(
        "active proctype P() { for (_pid : 0 .. 3) { skip } }",
        expect![[r#"
        1:28: error[read-only]: `_pid` cannot be changed
    "#]],
    );
    check(
        "active proctype P() { int _pid; skip }",
        expect![[r#"
        1:27: error[redeclared]: `_pid` is declared already, as a predefined variable
    "#]],
    );
}

/// `for` and `select`.
#[test]
fn loops() {
    check(
        "int a[3];\nactive proctype P() { for (a[0] : 1 .. 3) { skip } }",
        expect![[r#"
        2:28: error[counter]: `for` cannot count in an array
          1:5: declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { for (t.x : 1 .. 3) { skip } }",
        expect![[r#"
        3:28: error[counter]: `for` cannot count in a structure
          2:3: declared here
    "#]],
    );
    check(
        "int i, a;\nactive proctype P() { for (i in a) { skip } }",
        expect![[r#"
        2:33: error[for-in]: `a` is no array
          1:8: `a` is declared here
    "#]],
    );
    check(
        "int i;\nchan c = [2] of { int };\nactive proctype P() { for (i in c) { skip } }",
        expect![[r#"
        3:33: error[for-in]: `c` is no array
          2:6: `c` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nchan c = [0] of { T };\nactive proctype P() { for (t in c) { skip } }",
        expect![[r#"
        4:33: error[for-in]: `c` is not declared as a buffered channel of `T`
          3:6: `c` is declared here
          4:28: the variable is of type `T`
    "#]],
    );
    check(
        "typedef T { int x }\ntypedef U { int x }\nU t;\nchan c = [2] of { T };\nactive proctype P() { for (t in c) { skip } }",
        expect![[r#"
        5:33: error[for-in]: `c` is not declared as a buffered channel of `U`
          4:6: `c` is declared here
          5:28: the variable is of type `U`
    "#]],
    );
    check(
        "chan c;\nactive proctype P() { select (c : 1 .. 3) }",
        expect![[r#"
        2:35: error[channel-assignment]: a number cannot be assigned to the channel `c`
    "#]],
    );
    check(
        "int a[2];\nactive proctype P() { select (a[0] : 1 .. 3) }",
        expect![[r#"
        2:31: error[counter]: `select` cannot count in an array
          1:5: declared here
    "#]],
    );
    check(
        "mtype = { a, b };\nint i;\nactive proctype P() { for (i : a .. b) { skip } }",
        expect![[r#"
        3:32: error[empty-range]: the range of `i` is empty: 2 is more than 1
    "#]],
    );
}

/// Claims look at processes from outside.
#[test]
fn claims_and_remote_references() {
    check(
        "active proctype P() { skip }\nnever { int x; true }",
        expect![[r#"
        2:13: error[claim-local]: a never claim cannot have a variable, `x`
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { skip }\nnever { c!1 }",
        expect![[r#"
        3:9: error[claim-io]: a never claim cannot send or receive
    "#]],
    );
    check(
        "active proctype P() { Lab: skip }\nnever { P@Lob }",
        expect![[r#"
        2:11: error[unknown-label]: process type `P` has no label `Lob`
          1:17: `P` is defined here
          help: did you mean `Lab`?
    "#]],
    );
    check(
        "active proctype P() { M: P@M }",
        expect![[r#"
        1:28: error[unknown-label]: process type `P` has no label `M`
          1:17: `P` is defined here
    "#]],
    );
    check(
        "active proctype Q() { P[0]@M }\nactive proctype P() { M: skip }",
        expect![[r#"
        1:23: error[undeclared]: variable `P` is not declared
        1:27: error[syntax]: unexpected `@` after a statement
    "#]],
    );
    check(
        "active proctype P() { skip }\nltl p { [] (P@L) }",
        expect![[r#"
        2:15: error[unknown-label]: process type `P` has no label `L`
          1:17: `P` is defined here
    "#]],
    );
}

/// Models that `spin -a` lets pass, though they cannot mean anything, or fail when the verifier is compiled.
#[test]
fn stricter_than_spin() {
    check(
        "proctype Q() { skip }\ninit { int x; x = run Q() + 1 }",
        expect![[r#"
        2:19: error[run-place]: `run` cannot be part of a larger expression
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c?[_pid]; c?_pid }",
        expect![[r#"
        2:35: error[read-only]: `_pid` cannot be changed
    "#]],
    );
    check(
        "int a[3];\nactive proctype P() { a[_] = 1 }",
        expect![[r#"
        2:25: error[read-underscore]: `_` is write-only and has no value to read
    "#]],
    );
    check(
        "active proctype P() { int count; skip }\nnever { P:cuont > 0 }",
        expect![[r#"
        2:11: error[undeclared]: process type `P` has no variable `cuont`
          1:17: `P` is defined here
          help: did you mean `count`?
    "#]],
    );
    check(
        "active proctype P() { { int y; y = 1 } }\nnever { P:y > 0 }",
        expect![[r#"
        2:11: error[undeclared]: process type `P` has no variable `y`
          1:17: `P` is defined here
    "#]],
    );
    check(
        "active proctype P() { skip }\nnever a { skip }\nnever b { skip }\nnever a { skip }",
        expect![[r#"
        4:7: error[redeclared]: claim `a`: the name is taken
          2:7: first declared here
    "#]],
    );
    check(
        "int a;\nmtype = { a };\nactive proctype P() { skip }",
        expect![[r#"
        2:11: error[redeclared]: `a` is declared already
          1:5: first declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t = [1] of { int };\nactive proctype P() { skip }",
        expect![[r#"
        2:7: error[chan-initialiser]: `t` is no channel
          2:3: declared with another type
    "#]],
    );
    check(
        "chan c = [0] of { int };\nactive proctype P() priority 3 { c!1 }\nactive proctype Q() { c?1 }",
        expect![[r#"
        2:21: error[priority-rendezvous]: priorities cannot be combined with rendezvous channels
          1:10: a rendezvous channel
    "#]],
    );
}

/// What is accepted, though it looks doubtful.
#[test]
fn accepted() {
    for input in [
        // A variable of one option is known in the next, and behind the selection.
        "active proctype P() { if :: int x; skip :: x = 1 fi; x = 2 }",
        // Sibling blocks may use one name; a block before the declaration may too.
        "active proctype P() { { int x; x = 1 }; { byte x; x = 2 }; int x; x = 3 }",
        // A label may have the name of a variable of another block.
        "active proctype P() { { int x; skip }; x: skip }",
        "active proctype P() { { skip; x: skip }; int x; x = 1 }",
        // Equal labels in different blocks.
        "active proctype P() { { skip; L: skip }; L: skip; goto L }",
        "inline f(a) { skip; L: skip; goto L }\nactive proctype P() { f(1); f(2) }",
        "inline f(a) { goto a }\nactive proctype P() { L: skip; f(L) }",
        // Labels that open an option, a loop, or a loop inside an atomic.
        "int x;\nactive proctype P() { if :: L: x = 1; x = 2 fi; goto L }",
        "int x;\nactive proctype P() { atomic { L: do :: x = 1 :: break od }; goto L }",
        "int x;\nactive proctype P() { L: { x = 1 } unless { x == 2 }; goto L }",
        "int x;\nactive proctype P() { x = 1; end: goto end }",
        // Jumps inside a `d_step`.
        "int x;\nactive proctype P() { d_step { x = 1; if :: x == 1 -> goto N :: else fi; x = 2; N: x = 3 } }",
        "int x;\nactive proctype P() { d_step { x = 1; do :: x = 2; break :: x = 3 od } }",
        "int x;\nproctype Q() { int y; skip }\nactive proctype P() { d_step { x = Q:y; x = 3 } }",
        // The end of a loop inside an atomic, a block, or one step before a `d_step`.
        "int x;\nactive proctype P() { atomic { do :: x -> break od; d_step { x = 1; x = 2 } } }",
        "int x;\nactive proctype P() { do :: x -> break od; { d_step { x = 1; x = 2 } } }",
        "int x;\nactive proctype P() { do :: x -> break od; skip; d_step { x = 1; x = 2 } }",
        // In a `typedef` a bound may name an earlier field.
        "typedef T { int n = 3; byte b[n] }\nactive proctype P() { skip }",
        // `else` beside a receive, and away from any selection.
        "int x;\nchan c = [1] of { int };\nactive proctype P() { if :: c?x :: else fi; else }",
        // A scalar is its own first element; an array may stand in the head of a `for`.
        "int x;\nactive proctype P() { x[0] = 1; x = x[0] }",
        "int i, a[3];\nactive proctype P() { for (i : 0 .. a) { skip } }",
        "int a[3];\nactive proctype P() { a[a[1] + 0] = 1 }",
        // Channels: aliases, comparisons, fewer and more fields than declared.
        "int x;\nchan c = [1] of { int };\nactive proctype P() { x = c; c == 2; c = x }",
        "int x;\nchan c = [1] of { int };\nactive proctype P() { c?1,2,3; c?[1,2,3] }",
        "int x;\nactive proctype P() { len(x) > 0; x?[1] }",
        "int x;\nchan c = [1] of { int, int };\nactive proctype P() { c?_,_; c?eval(x),x; d_step { c?x,x } }",
        // Structures in messages and parameters.
        "typedef T { int a; int b }\nproctype P(T t) { skip }\ninit { T q; run P(q); run P(1, 2) }",
        "typedef T { int x }\nT x;\nchan c = [1] of { T };\nactive proctype P() { c!x; c?x; c?[x] }",
        // Lists of initial values may be shorter or longer than the array.
        "int a[3] = { 1, 2 };\nint b[2] = { 1, 2, 3 };\nactive proctype P() { skip }",
        // A global that gives its name to a parameter of an inline may be declared again.
        "int i;\ninline f(i) { i++ }\nactive proctype P() { int i; byte k; f(k); i = 2 }",
        // A local may have the name of a later process type.
        "active proctype P() { int Q; Q = 1 }\nactive proctype Q() { skip }",
        "active proctype P() { Q: skip; goto Q }\nactive proctype Q() { skip }",
        // Numbers and expressions fit any `mtype` parameter.
        "mtype = { a };\nproctype P(mtype t) { skip }\ninit { run P(a); run P(1); run P(a + 1) }",
        "mtype:k x;\nactive proctype P() { skip }",
        "mtype = { a };\nmtype:k = { c };\nactive proctype P() { mtype x = c; x = a }",
        // Claims may wait, poll and even assign.
        "int x;\nactive proctype P() { skip }\nnever { x = 1; do :: timeout :: np_ od }",
        "chan c = [1] of { int };\nactive proctype P() { skip }\nnever { c?[1]; len(c) > 0; full(c) }",
        "int a;\nactive proctype P() { skip }\nltl a { [] (a == 0) }",
        "chan c = [1] of { int };\nint x;\nactive proctype P() { c!1 }\ntrace { c?_; c!_; c?x; c!2,3 }",
        // Two `init`s are two processes.
        "init { skip }\ninit { skip }",
        "active [0] proctype P() { skip }\ninit { skip }",
        "proctype P() priority 300 { skip }\ninit { run P() priority 0 }",
        "active proctype P() { _ = 1; _priority = 3 }",
        "chan c = [1] of { int };\nactive [2] proctype P() { xr c; xs c; skip }",
    ] {
        assert_eq!(messages(input), "", "{input}");
    }
}

fn ty(names: &Names, ty: Ty) -> String {
    match ty {
        Ty::Unsigned(n) => format!("unsigned:{n}"),
        Ty::Mtype(m) => format!("mtype:{}", names.mtypes[m.index()].name),
        Ty::Record(r) => names.records[r.index()].name.to_string(),
        _ => format!("{ty:?}").to_lowercase(),
    }
}

fn var(names: &Names, v: &Var) -> String {
    let mut s = format!("{} {}", ty(names, v.ty), v.name);
    if let Some(n) = v.array {
        write!(s, "[{n}]").unwrap();
    }
    match &v.init {
        Init::Zero => {}
        Init::Expr(_) => s.push_str(" = expression"),
        Init::List(l) => write!(s, " = {l:?}").unwrap(),
        Init::Chan { capacity, fields } => {
            let fields: Vec<_> = fields.iter().map(|f| ty(names, *f)).collect();
            write!(s, " = [{capacity}] of {{ {} }}", fields.join(", ")).unwrap();
        }
    }
    if let Some(p) = v.param {
        write!(s, ", parameter {p}").unwrap();
    }
    if v.block > 0 {
        write!(s, ", block {} at depth {}", v.block, v.depth).unwrap();
    }
    if !v.at_head {
        s.push_str(", a step");
    }
    s
}

fn tables(input: &str, expected: Expect) {
    assert_eq!(messages(input), "");
    let (_, reading) = reading(input);
    let names = &reading.names;
    let mut out = String::new();
    for m in names.mtypes.iter().filter(|m| !m.constants.is_empty()) {
        let constants: Vec<_> = m.constants.iter().map(|(n, v)| format!("{n}={v}")).collect();
        writeln!(out, "mtype:{} {}", m.name, constants.join(" ")).unwrap();
    }
    for r in &names.records {
        let fields: Vec<_> = r.fields.iter().map(|f| var(names, f)).collect();
        writeln!(out, "typedef {}: {}", r.name, fields.join("; ")).unwrap();
    }
    for v in names.vars.iter().filter(|v| v.body.is_none()) {
        writeln!(out, "{}", var(names, v)).unwrap();
    }
    for (i, b) in names.bodies.iter().enumerate() {
        writeln!(out, "{:?} {} active {} parameters {}", b.kind, b.name, b.active, b.param_count).unwrap();
        for v in &b.vars {
            writeln!(out, "  {}", var(names, &names.vars[v.index()])).unwrap();
        }
        let labels: Vec<_> = names.labels.iter().filter(|l| l.body.index() == i).map(|l| &*l.name).collect();
        if !labels.is_empty() {
            writeln!(out, "  labels {}", labels.join(" ")).unwrap();
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn table_of_types() {
    tables(
        "mtype = { a, b, c };\nmtype = { d };\nmtype:k = { e, f };\n\
         typedef In { short w; mtype:k m }\ntypedef Out { In i[2]; unsigned u : 5; chan q }\n\
         byte n = 4;\nint z;\nbool flags[n];\nshort eights[z];\npid ps[2 * 3 - 1] = { 1, 2 };\nOut o;\n\
         chan cs[3] = [7] of { mtype, byte, In };\n\
         active [2] proctype P() { skip }",
        expect![[r#"
            mtype: c=1 b=2 a=3 d=4
            mtype:k f=1 e=2
            typedef In: short w; mtype:k m
            typedef Out: In i[2]; unsigned:5 u; chan q
            byte n = expression
            int z
            bool flags[4]
            short eights[8]
            pid ps[5] = [1, 2]
            Out o
            chan cs[3] = [7] of { mtype:, byte, In }
            Proctype P active 2 parameters 0
        "#]],
    );
}

#[test]
fn table_of_locals() {
    tables(
        "int g;\ninline f(x) { byte t = x; g = t }\n\
         active proctype P(byte a, b; chan c) {\n  int top = a;\n  chan q = [0] of { int };\n  xr q;\n  bit later;\n\
         L: g = 1;\n  int middle;\n  if :: int inoption = 2; skip :: else fi;\n  { short inner; f(inner) }\n  f(3);\n\
         M: { { byte deep; deep = 1 } }\n}\ninit { run P(1, 2, 0) }\nnever { accept: true }",
        expect![[r#"
            int g
            Proctype P active 1 parameters 3
              byte a, parameter 0
              byte b, parameter 1
              chan c, parameter 2
              int top = expression
              chan q = [0] of { int }
              bit later
              int middle, a step
              int inoption = expression, a step
              short inner, block 1 at depth 1, a step
              byte t = expression, block 2 at depth 2, a step
              byte t = expression, block 3 at depth 1, a step
              byte deep, block 5 at depth 2, a step
              labels L M
            Init init active 1 parameters 0
            Never never_0 active 0 parameters 0
              labels accept
        "#]],
    );
}

/// What the names of a line mean, for those that are resolved.
#[test]
fn meanings() {
    let input = "mtype = { red };\ntypedef T { int f }\nT t;\nint x;\n\
                 proctype Q() { L: int1: skip }\n\
                 active proctype P() { goto E; t.f = red; x = _pid; run Q(); Q@L; E: skip }";
    let (_, reading) = reading(input);
    assert_eq!(reading.diagnostics.len(), 0, "{}", messages(input));
    let mut kinds = std::collections::BTreeMap::new();
    for id in 0..reading.program.ident_count {
        let kind = match reading.names.def_of(ferrospin_promela::ast::IdentId(id)) {
            Some(Def::Var(_)) => "variable",
            Some(Def::Field(..)) => "field",
            Some(Def::MtypeConst(..)) => "constant",
            Some(Def::Mtype(_)) => "list",
            Some(Def::Record(_)) => "type",
            Some(Def::Body(_)) => "body",
            Some(Def::Inline) => "inline",
            Some(Def::Label(_)) => "label",
            Some(Def::Builtin(_)) => "builtin",
            None => "nothing",
        };
        *kinds.entry(kind).or_insert(0) += 1;
    }
    expect![[r#"
        {
            "body": 4,
            "builtin": 1,
            "constant": 2,
            "field": 2,
            "label": 5,
            "type": 2,
            "variable": 4,
        }
    "#]]
    .assert_debug_eq(&kinds);
}

/// The deepest nesting that the parser lets pass fits, whatever the stack of the caller.
#[test]
fn deep_nesting() {
    let deepest = |make: &dyn Fn(usize) -> String| {
        let mut depths = (1..=40).rev().map(|n| reading(&make(50 * n)).1);
        depths.find(|r| r.diagnostics.is_empty()).expect("some nesting is accepted").names
    };
    let blocks = |n| format!("active proctype P() {{ {} skip {} }}", "{ skip; ".repeat(n), "}".repeat(n));
    assert_eq!(deepest(&blocks).bodies.len(), 1);
    let parens = |n| format!("int x;\nactive proctype P() {{ x = {}x{} }}", "-(".repeat(n), ")".repeat(n));
    assert_eq!(deepest(&parens).vars.len(), 1);
}
