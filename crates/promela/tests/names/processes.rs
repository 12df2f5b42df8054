//! Processes, their arguments and labels.

use super::*;

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
