//! Values in assignments, expressions and messages.

use super::*;

#[test]
fn assignments() {
    let globals = "mtype = { a }; mtype:fruit = { fig, kiwi };\nmtype m; mtype:fruit f; byte y; int i; short s; bool t;\n\
                   unsigned u : 12; bit b; chan q = [1] of { byte };";
    check_body(globals, "m = a; m = 0; f = fig; f = 0", expect![[r#""#]]);
    check_body(
        globals,
        "m = fig",
        expect![[r#"
        5: error[assign]: `m` is `mtype`, but the value is `mtype:fruit`
    "#]],
    );
    check_body(
        globals,
        "f = 2",
        expect![[r#"
        5: error[assign]: `f` is `mtype:fruit`, but the value is `byte`
    "#]],
    );
    check_body(
        globals,
        "y = q",
        expect![[r#"
        5: error[chan-type]: `y` is `byte`, but the value is `chan{byte}`
    "#]],
    );
    check_body(
        globals,
        "q = y",
        expect![[r#"
        5: error[chan-type]: `q` is `chan`, but the value is `byte`
    "#]],
    );
    check_body(globals, "y = b; u = y; s = u; i = s; i = u; t = b; b = t; t = 1", expect![[r#""#]]);
    check_body(
        globals,
        "y = i;\nu = s;\ny = u;\ns = i;\nt = y",
        expect![[r#"
        5: warning[narrowing]: `y` is `byte`, but the value is `int`
        6: warning[narrowing]: `u` is `unsigned:12`, but the value is `short`
        7: warning[narrowing]: `y` is `byte`, but the value is `short`
        8: warning[narrowing]: `s` is `short`, but the value is `int`
        9: warning[narrowing]: `t` is `bool`, but the value is `byte`
    "#]],
    );
    check_body(
        globals,
        "y = t",
        expect![[r#"
        5: warning[bool-number]: `y` is `byte`, but the value is a truth value
    "#]],
    );
    check_body(
        globals,
        "y = i % 10; y = i & 15; y = len(q); y = _pid; y = y - 1; y = y + 1; y = 1 << y",
        expect![[r#""#]],
    );
    check_body(
        globals,
        "y = y + 1000",
        expect![[r#"
        5: warning[narrowing]: `y` is `byte`, but the value is `short`
    "#]],
    );
}

#[test]
fn arithmetic_and_comparison() {
    let globals = "mtype = { a, b }; mtype:fruit = { fig, kiwi };\nmtype m; mtype:fruit f; byte y; bool t;\n\
                   chan q = [1] of { byte }; chan r = [1] of { mtype };";
    check_body(
        globals,
        "m++",
        expect![[r#"
        5: error[mtype-arith]: `mtype` values are no numbers
            5: `m` is `mtype`
    "#]],
    );
    check_body(
        globals,
        "m < b",
        expect![[r#"
        5: error[mtype-arith]: `mtype` values are no numbers
            5: `m` is `mtype`
    "#]],
    );
    check_body(
        globals,
        "m == 2",
        expect![[r#"
        5: error[mtype-arith]: `mtype` is compared with `byte`
            5: `mtype`
            5: `byte`
    "#]],
    );
    check_body(
        globals,
        "m == fig",
        expect![[r#"
        5: error[compare]: `mtype` and `mtype:fruit` are different lists of constants
            5: `mtype`
            5: `mtype:fruit`
    "#]],
    );
    check_body(globals, "m == 0; m == a; f != kiwi; q == 0; t == 1; t == true", expect![[r#""#]]);
    check_body(
        globals,
        "q == m",
        expect![[r#"
        5: error[compare]: `chan{byte}` is compared with `mtype`
            5: `chan{byte}`
            5: `mtype`
    "#]],
    );
    check_body(
        globals,
        "q == r",
        expect![[r#"
        5: error[chan-type]: `q` is chan{byte}, but `r` is chan{mtype}
            3: the layout is declared here
            3: the layout is declared here
    "#]],
    );
    check_body(
        globals,
        "q + 1 > 0",
        expect![[r#"
        5: error[chan-type]: a channel is no number
            5: `q` is `chan{byte}`
    "#]],
    );
    check_body(
        globals,
        "t == y",
        expect![[r#"
        5: warning[bool-number]: a truth value is compared with a number: `bool` and `byte`
    "#]],
    );
    check_body(
        globals,
        "y = y * t;\nt < 1",
        expect![[r#"
        5: warning[bool-number]: a truth value is used as a number
            5: `t` is `bool`
        6: warning[bool-number]: a truth value is used as a number
            6: `t` is `bool`
    "#]],
    );
    check_body(globals, "y = t + t + (y > 1); t = 1 - t; t = t & t", expect![[r#""#]]);
    check_with(
        Options { lax_bool: true, ..Options::default() },
        &format!("{globals}\ninit {{ y = y * t; t < 1; t == y; y = t }}"),
        &expect![[r#""#]],
    );
}

#[test]
fn conditions() {
    let globals = "mtype = { a, b }; mtype m = a; byte y; chan q = [1] of { byte };";
    check_body(
        globals,
        "if\n:: m -> skip\n:: q -> skip\n:: y -> skip\nfi",
        expect![[r#"
        4: warning[cond]: a condition should be a truth value or a number, not `mtype`
        5: warning[cond]: a condition should be a truth value or a number, not `chan{byte}`
    "#]],
    );
    check_body(globals, "m = (y -> a : b); m = (y -> a : 0)", expect![""]);
    check_body(
        globals,
        "m = (y -> a : 3)",
        expect![[r#"
        3: warning[cond]: the two values of a conditional expression differ: `mtype` and `byte`
            3: `mtype`
    "#]],
    );
}

#[test]
fn numbers_in_messages() {
    let globals = "int i; byte y; short s; bit b; bool t; chan q = [1] of { byte };";
    check_body(globals, "q!y; q!b; q!200; q?y; q?i; q?s; q?eval(y); q?7", expect![[r#""#]]);
    check_body(
        globals,
        "q!i",
        expect![[r#"
        3: warning[narrowing]: `i` is `int`, but the field is `byte`
            1: the field is declared here
    "#]],
    );
    check_body(
        globals,
        "q!300",
        expect![[r#"
        3: warning[const-range]: 300 does not fit the `byte` field
            1: the field is declared here
    "#]],
    );
    check_body(
        globals,
        "q?b",
        expect![[r#"
        3: warning[narrowing]: `b` is `bit`, but the field it receives is `byte`
            1: the field is declared here
    "#]],
    );
    check_body(
        globals,
        "q?300",
        expect![[r#"
        3: warning[impossible-value]: a `byte` field is never 300, so this receive waits for ever
            1: the field is declared here
    "#]],
    );
    check_body(
        globals,
        "q!t",
        expect![[r#"
        3: warning[bool-number]: a truth value is sent, but the field is `byte`
            1: the field is declared here
    "#]],
    );
}

#[test]
fn an_alias_of_two_widths_is_lenient() {
    check(
        "chan q = [1] of { byte }; chan r = [1] of { int };
         proctype P(chan c) { int x; c?x }
         init { run P(q); run P(r); r!70000; q!3 }",
        expect![[r#""#]],
    );
}

#[test]
fn records_in_messages() {
    let globals = "typedef M { byte a; mtype k; chan back }; typedef N { byte a; mtype k; chan back };\n\
                   mtype = { x, y }; M m; N n; byte b; mtype k; chan c;\n\
                   chan q = [2] of { M }; chan flat = [2] of { byte, mtype, chan };";
    check_body(globals, "q!m; q?m; flat!m; flat?b,k,c; q?b,k,c", expect![[r#""#]]);
    check_body(
        globals,
        "q!n",
        expect![[r#"
        5: error[chan-type]: `q` carries records of type `M`, but here it is used with `N`
            3: the layout is declared here
    "#]],
    );
    check_body(
        &format!("{globals} chan wide = [1] of {{ int, int, int, int }};"),
        "q!m,b",
        expect![[r#"
        5: error[chan-arity]: `q` is used with 4 fields {byte,mtype,chan,byte} here, but its messages have 3 fields: chan{M{byte,mtype,chan}}
            ^ 4 fields, not 3 fields
            3: the layout is declared here
    "#]],
    );
    check_body(
        globals,
        "flat!k,b,c",
        expect![[r#"
        5: error[chan-type]: `flat` is used with {mtype,byte,chan} here, but its type is chan{byte,mtype,chan}
            ^ field 1 is `mtype`, not `byte`; field 2 is `byte`, not `mtype`
            3: the layout is declared here
    "#]],
    );
    check_show(
        &format!("{globals}\ninit {{ m.back = q; q!m }}"),
        expect![[r#"
        m.back : rec a. chan{M{byte,mtype,a}}
        n.back : chan
        c      : chan
        q      : rec a. chan{M{byte,mtype,a}}
        flat   : chan{byte,mtype,chan}
    "#]],
    );
}

#[test]
fn indices() {
    let globals =
        "mtype = { a }; typedef R { byte v[2] }; byte x[3]; R r[2]; chan q[2] = [1] of { byte }; bool t; byte i;";
    check_body(globals, "x[0] = x[2]; x[i] = x[t]; r[1].v[1] = 0; q[1]!1", expect![[r#""#]]);
    check_body(
        globals,
        "x[3] = 1;\nx[i] = x[1 - 2];\nr[0].v[2] = 1;\nq[2]!1;\nx[a] = 0",
        expect![[r#"
        3: error[index]: index 3 is outside the array `x`
            ^ `x` has 3 elements, 0 to 2
        4: error[index]: index -1 is outside the array `x`
            ^ `x` has 3 elements, 0 to 2
        5: error[index]: index 2 is outside the array `v`
            ^ `v` has 2 elements, 0 to 1
        6: error[index]: index 2 is outside the array `q`
            ^ `q` has 2 elements, 0 to 1
        7: warning[index]: an index should be a number, not `mtype`
            ^ `mtype`
    "#]],
    );
}

#[test]
fn printing() {
    let globals = "mtype = { a }; mtype m = a; byte y; chan q = [1] of { byte };";
    check_body(globals, "printf(\"%d %e 100%% %-3d\\n\", y, m, q); printm(m)", expect![[r#""#]]);
    check_body(
        globals,
        "printf(\"%d\\n\", m);\nprintf(\"%e\\n\", y);\nprintm(y)",
        expect![[r#"
        3: warning[printf]: `%d` prints the number behind the mtype value `m`
        4: warning[printf]: `%e` prints the name of an mtype value, but `y` is a number
        5: warning[printf]: `printm` prints the name of an mtype value, but this is `byte`
    "#]],
    );
    check_body(
        globals,
        "printf(\"%d %d\\n\", y);\nprintf(\"none\\n\", y)",
        expect![[r#"
        3: error[printf]: the format asks for 2 values, but 1 is given
        4: warning[printf]: the format asks for 0 values, but 1 is given
    "#]],
    );
}
