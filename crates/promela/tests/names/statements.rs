//! Statements that do not fit where they stand.

use super::*;

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
    // A `d_step` that holds another one is none to this rule.
    assert_eq!(messages("int x;\nactive proctype P() { L: d_step { x = 1; d_step { x = 2 } }; goto L }"), "");
    assert_eq!(
        messages("int x;\nactive proctype P() { do :: x > 0 -> break od; d_step { x = 1; d_step { x = 2 } } }"),
        ""
    );
    check(
        "int x;\nactive proctype P() { goto L; d_step { d_step { x = 2 }; L: x = 1 } }",
        expect![[r#"
            2:28: error[d-step-jump]: `goto L` jumps into a `d_step`
              2:58: the label is here
        "#]],
    );
    check(
        "int x;\nactive proctype P() { goto L; d_step { x = 1; L: d_step { x = 2; d_step { x = 3 } } } }",
        expect![[r#"
            2:28: error[d-step-jump]: `goto L` jumps into a `d_step`
              2:47: the label is here
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
        2:23: error[message-size]: 2 fields are sent to `c`, but no channel has that many
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

/// Nothing can be computed with a formula.
#[test]
fn formulas_as_operands() {
    check(
        "byte x;\nactive proctype P() { skip }\nltl p { ([] x) == 1 || [] (x -> !<> (x == 1)) }",
        expect![[r#"
        3:10: error[formula-operand]: a formula has no value that could be computed with
    "#]],
    );
    check(
        "byte x, a[2];\nactive proctype P() { skip }\nltl p { a[x U x] == 0 && ((x -> x) == 1) }",
        expect![[r#"
        3:11: error[formula-operand]: a formula has no value that could be computed with
        3:28: error[formula-operand]: a formula has no value that could be computed with
    "#]],
    );
}
