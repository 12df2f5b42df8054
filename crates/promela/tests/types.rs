//! Type inference: what is inferred, what is reported and where, and why.

use expect_test::{Expect, expect};
use ferrospin_promela::preprocess::{self, Loader};
use ferrospin_promela::types::{self, Options};
use ferrospin_promela::{Reading, read};
use ferrospin_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use std::fmt::Write;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("no file `{name}`"))
    }
}

fn reading(text: &str) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml", text);
    let reading = read(&mut map, file, &preprocess::Options::default(), &mut NoFiles);
    (map, reading)
}

fn line(map: &SourceMap, span: ferrospin_source::Span) -> String {
    map.position(span).map_or("-".into(), |p| p.line.to_string())
}

fn shown(map: &SourceMap, d: &Diagnostic) -> String {
    let level = if d.severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{}: {level}[{}]: {}\n", line(map, d.span), d.code, d.message);
    if !d.label.is_empty() {
        let _ = writeln!(text, "    ^ {}", d.label);
    }
    for label in &d.labels {
        let _ = writeln!(text, "    {}: {}", line(map, label.span), label.text);
    }
    text
}

fn all(text: &str, options: Options) -> (SourceMap, String, Diagnostics) {
    let (map, reading) = reading(text);
    if reading.diagnostics.has_errors() {
        return (map, String::new(), reading.diagnostics);
    }
    let (types, mut diagnostics) = types::infer(&map, &reading.program, &reading.names, &options);
    diagnostics.sort(&map);
    (map, types.show(), diagnostics)
}

fn check_with(options: Options, text: &str, expected: &Expect) {
    let (map, _, diagnostics) = all(text, options);
    let lines: String = diagnostics.iter().filter(|d| d.code != "numeric-guard").map(|d| shown(&map, d)).collect();
    expected.assert_eq(&lines);
}

/// Checks what is said of a model.
fn check(text: &str, expected: Expect) {
    check_with(Options::default(), text, &expected);
}

/// Checks what is said of the statements of one process.
fn check_body(globals: &str, body: &str, expected: Expect) {
    check(&format!("{globals}\ninit {{\n{body}\n}}\n"), expected);
}

/// Checks the layouts of all channels.
fn check_show(text: &str, expected: Expect) {
    let (map, show, diagnostics) = all(text, Options::default());
    let errors: String = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| shown(&map, d)).collect();
    expected.assert_eq(&format!("{errors}{show}"));
}

/// Clients ask a server for a session; the server hands each to an agent from its pool.
const AGENTS: &str = "\
mtype = { ask, refuse, wait, give, done };
chan server = [0] of { mtype, chan };
chan null;

active [2] proctype Client() {
    chan me = [0] of { mtype, chan };
    chan helper;
    do
    :: server!ask(me) ->
       do
       :: me?wait(helper)
       :: me?refuse(helper) -> break
       :: me?give(helper) -> helper!done(null); break
       od
    od
}

proctype Agent(chan listen, talk) {
    do
    :: talk!wait(listen)
    :: talk!refuse(listen) -> break
    :: talk!give(listen) -> listen?done(_); break
    od;
    server!done(listen)
}

active proctype Server() {
    chan agents[2] = [0] of { mtype, chan };
    chan pool = [2] of { chan };
    chan client, agent;
    byte i;
    for (i in agents) {
        pool!agents[i]
    }
    do
    :: server?ask(client) ->
       if
       :: empty(pool) -> client!refuse(null)
       :: nempty(pool) -> pool?agent; run Agent(agent, client)
       fi
    :: server?done(agent) -> pool!agent
    od
}
";

#[test]
fn client_and_server_are_right() {
    check(AGENTS, expect![[r#""#]]);
    check_show(
        AGENTS,
        expect![[r#"
        server        : rec a. chan{mtype,a}
        null          : rec a. chan{mtype,a}
        Client.me     : rec a. chan{mtype,a}
        Client.helper : rec a. chan{mtype,a}
        Agent.listen  : rec a. chan{mtype,a}
        Agent.talk    : rec a. chan{mtype,a}
        Server.agents : rec a. chan{mtype,a}
        Server.pool   : chan{rec a. chan{mtype,a}}
        Server.client : rec a. chan{mtype,a}
        Server.agent  : rec a. chan{mtype,a}
    "#]],
    );
}

#[test]
fn a_missing_argument_of_run() {
    check(
        &AGENTS.replace("run Agent(agent, client)", "run Agent(agent)"),
        expect![[r#"
        39: error[run-arity]: `Agent` takes 2 arguments, not 1
            ^ wrong number of arguments
            18: `Agent` is defined here
    "#]],
    );
}

#[test]
fn swapped_fields_of_a_message() {
    check(
        &AGENTS.replace("talk!wait(listen)", "talk!listen(wait)"),
        expect![[r#"
        20: error[chan-type]: `talk` is used with {rec a. chan{mtype,a},mtype} here, but its type is rec a. chan{mtype,a}
            ^ field 1 is `rec a. chan{mtype,a}`, not `mtype`; field 2 is `mtype`, not `rec a. chan{mtype,a}`
            39: `client` is passed as `talk`
            36: `client` is received from `server`
            9: `me` is sent over `server`
            6: the layout is declared here
    "#]],
    );
}

#[test]
fn a_missing_field_of_a_message() {
    check(
        &AGENTS.replace("talk!give(listen)", "talk!give"),
        expect![[r#"
        22: error[chan-arity]: `talk` is used with 1 field {mtype} here, but its messages have 2 fields: rec a. chan{mtype,a}
            ^ 1 field, not 2 fields
            39: `client` is passed as `talk`
            36: `client` is received from `server`
            9: `me` is sent over `server`
            6: the layout is declared here
    "#]],
    );
}

#[test]
fn recursive_types_print_minimally() {
    check_show(
        "chan A = [1] of { chan, bit };\ninit { A!A,0 }",
        expect![[r#"
        A : rec a. chan{a,bit}
    "#]],
    );
    check_show(
        "chan A = [1] of { chan, bit }; chan B = [1] of { chan, bit };\ninit { A!B,0; B!A,1 }",
        expect![[r#"
            A : rec a. chan{a,bit}
            B : rec a. chan{a,bit}
        "#]],
    );
    check_show(
        "chan A = [1] of { chan, bit }; chan B = [1] of { chan, bit };\ninit { A!B,0; B!B,1 }",
        expect![[r#"
            A : rec a. chan{a,bit}
            B : rec a. chan{a,bit}
        "#]],
    );
}

#[test]
fn a_cycle_through_three_processes() {
    check_show(
        "chan a = [1] of { chan }; chan b = [1] of { chan }; chan c = [1] of { chan };
         proctype P(chan x, y) { x!y }
         proctype Q(chan x, y) { x!y }
         proctype R(chan x, y) { chan z; x!y; y?z; z?z }
         init { run P(a, b); run Q(b, c); run R(c, a) }",
        expect![[r#"
            a   : rec a. chan{a}
            b   : rec a. chan{a}
            c   : rec a. chan{a}
            P.x : rec a. chan{a}
            P.y : rec a. chan{a}
            Q.x : rec a. chan{a}
            Q.y : rec a. chan{a}
            R.x : rec a. chan{a}
            R.y : rec a. chan{a}
            R.z : rec a. chan{a}
        "#]],
    );
}

#[test]
fn types_with_two_binders() {
    check_show(
        "chan a = [1] of { chan, chan }; chan b = [1] of { chan };
         init { b!b; a!a,b }",
        expect![[r#"
            a : rec a. chan{a,rec b. chan{b}}
            b : rec a. chan{a}
        "#]],
    );
}

#[test]
fn layouts_without_declaration() {
    check_show(
        "chan unrelated = [1] of { byte, byte };
         proctype P(chan c) { int x; c?x,_; c!300,true }
         init { chan c; run P(c) }",
        expect![[r#"
            unrelated : chan{byte,byte}
            P.c       : chan{short,bool}
            init.c    : chan{short,bool}
        "#]],
    );
}

#[test]
fn four_lines_that_spin_takes() {
    check(
        "mtype = { a, b };
         mtype x = a; byte y;
         chan q = [1] of { mtype, byte };
         init {
             x = a + b;
             y = a;
             q!3,1;
             q?y,x
         }",
        expect![[r#"
            5: error[mtype-arith]: `mtype` values are no numbers
                5: `a` is `mtype`
            6: error[assign]: `y` is `byte`, but the value is `mtype`
                2: if `y` is meant to hold names, declare it `mtype`
            7: error[chan-type]: `q` is used with {byte,byte} here, but its type is chan{mtype,byte}
                ^ field 1 is `byte`, not `mtype`
                3: the layout is declared here
            8: error[chan-type]: `q` is used with {byte,mtype} here, but its type is chan{mtype,byte}
                ^ field 1 is `byte`, not `mtype`; field 2 is `mtype`, not `byte`
                3: the layout is declared here
        "#]],
    );
}

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
fn channels_that_do_not_fit() {
    let globals =
        "chan q = [1] of { byte }; chan r = [1] of { byte, byte }; chan s = [1] of { chan }; chan v;\nbyte b;";
    check_body(
        globals,
        "v = q;\nv = r",
        expect![[r#"
        5: error[chan-arity]: `r` is chan{byte,byte}, but `v` is chan{byte}
            4: `q` is assigned to `v`
            1: the layout is declared here
            1: the layout is declared here
    "#]],
    );
    check_body(
        globals,
        "s!q;\ns!r",
        expect![[r#"
        5: error[chan-arity]: `s` is used with {chan{byte,byte}} here, but its type is chan{chan{byte}}
            ^ field 1 is `chan{byte,byte}`, not `chan{byte}`
            4: `q` is sent over `s`
            1: the layout is declared here
            1: the layout is declared here
    "#]],
    );
    check(
        "chan q = [1] of { byte }; chan r = [1] of { mtype };
         proctype P(chan c) { c!1 }
         init {
             run P(q);
             run P(r)
         }",
        expect![[r#"
            5: error[chan-type]: `r` is chan{mtype}, but parameter `c` is chan{byte}
                4: `q` is passed as `c`
                1: the layout is declared here
                1: the layout is declared here
        "#]],
    );
    check_body(
        globals,
        "(len(b) > 0)",
        expect![[r#"
        4: error[chan-type]: `b` is used as a channel, but it is `byte`
    "#]],
    );
}

#[test]
fn the_odd_one_out_gets_the_blame() {
    check(
        "mtype = { go, stop };
         chan unrelated = [1] of { byte, byte };
         proctype P(chan c) {
             c!1,go;
             c!go,1;
             c!stop,2;
             c?go,_
         }
         init { chan c; run P(c) }",
        expect![[r#"
            4: error[chan-type]: `c` is used with {bit,mtype} here, but its type is chan{mtype,byte}
                ^ field 1 is `bit`, not `mtype`; field 2 is `mtype`, not `byte`
                5: the layout is that of this use
        "#]],
    );
}

#[test]
fn one_cause_is_reported_once() {
    check(
        "mtype = { go, stop };
         chan q = [1] of { byte };
         byte state;
         init {
             q!go;
             q!stop;
             q?go;
             state = go;
             state == stop;
             q?stop;
             q!stop;
             q!go
         }",
        expect![[r#"
            5: error[chan-type]: `q` is used with {mtype} here, but its type is chan{byte}
                ^ field 1 is `mtype`, not `byte`
                2: the layout is declared here
                6: the same here
                7: the same here
                10: the same here
            8: error[assign]: `state` is `byte`, but the value is `mtype`
                3: if `state` is meant to hold names, declare it `mtype`
                9: the same here
        "#]],
    );
}

#[test]
fn inlines_are_looked_through() {
    check(
        "mtype = { go };
         chan q = [1] of { byte };
         chan r = [1] of { mtype };
         inline put(c, v) {
             c!v
         }
         init {
             put(q, 1);
             put(r, go);
             put(q, go)
         }",
        expect![[r#"
            10: error[chan-type]: `q` is used with {mtype} here, but its type is chan{byte}
                ^ field 1 is `mtype`, not `byte`
                2: the layout is declared here
        "#]],
    );
}

#[test]
fn polymorphic_processes() {
    let text = "mtype = { go };
         chan q = [1] of { byte }; chan r = [1] of { mtype }; chan s = [1] of { byte };
         proctype Copy(chan from, to) { chan x; skip; to = from }
         proctype Twice(chan c) { run Copy(c, c) }
         init {
             run Twice(q);
             run Twice(r);
             run Copy(q, s)
         }";
    check(
        text,
        expect![[r#"
        7: error[chan-type]: `r` is chan{mtype}, but parameter `c` is chan{byte}
            6: `q` is passed as `c`
            2: the layout is declared here
            2: the layout is declared here
    "#]],
    );
    check_with(Options { poly: true, ..Options::default() }, text, &expect![[r#""#]]);
    check_with(
        Options { poly: true, ..Options::default() },
        "mtype = { go };
         chan q = [1] of { byte }; chan r = [1] of { mtype };
         proctype P(chan c) { c!1 }
         init {
             run P(q);
             run P(r)
         }",
        &expect![[r#"
            6: error[chan-type]: `r` is chan{mtype}, but parameter `c` is chan{bit}
                3: the layout is that of this use
                2: the layout is declared here
        "#]],
    );
}

#[test]
fn strict_pids() {
    check_with(
        Options { strict_pid: true, ..Options::default() },
        "pid p; byte b; bool flag[3]; chan q = [1] of { pid };
         init {
             p = _pid;
             p == _pid;
             flag[p] = true;
             q!p; q?p;
             b = p;
             p = p + 1;
             p == 1;
             q!b
         }",
        &expect![[r#"
            7: error[strict-pid]: `b` is `byte`, but the value is `pid`
            8: error[strict-pid]: arithmetic or order on process numbers
                8: `p` is `pid`
            9: error[strict-pid]: a process number is compared with something else: `pid` and `bit`
            10: error[chan-type]: `q` is used with {byte} here, but its type is chan{pid}
                ^ field 1 is `byte`, not `pid`
                1: the layout is declared here
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
fn uninitialised_channels() {
    check(
        "chan c;\ninit { c!1 }\nchan d = [1] of { byte };",
        expect![[r#"
        2: error[uninit-chan]: `c` is used as a channel, but it is never set to one
            ^ 0 here, which is no channel
            1: `c` is declared without a channel
    "#]],
    );
    check(
        "chan d = [1] of { chan };\ninit { chan c; c?_; d?c }",
        expect![[r#"
        2: error[uninit-chan]: `c` is used as a channel before it is set to one
            ^ 0 here, which is no channel
            2: `c` is declared without a channel
    "#]],
    );
    check("chan d = [1] of { chan };\ninit { chan c; do\n:: c!c\n:: d?c\nod }", expect![[r#""#]]);
    check("chan d = [1] of { chan };\ninit { chan c; d?c; c!c }", expect![[r#""#]]);
    check("chan d = [1] of { chan };\ninit { chan c; goto on; back: c!c; on: d?c; goto back }", expect![[r#""#]]);
    check(
        "active proctype P(chan c) { c!1 }\nchan d = [1] of { byte };",
        expect![[r#"
        1: error[uninit-chan]: parameter `c` of the active process `P` is an uninitialised channel
            1: parameters of active processes are 0
    "#]],
    );
    check("chan STDIN; int c;\ninit { STDIN?c }", expect![[r#""#]]);
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

#[test]
fn loops_with_syntax_of_their_own() {
    let globals = "mtype = { a, b }; mtype m; byte i; bool t; byte x[3]; chan q = [2] of { byte };";
    check_body(globals, "for (i : 0 .. 3) { skip }; for (i in x) { skip }; select (t : 0 .. 1)", expect![[r#""#]]);
    check_body(
        globals,
        "select (m : 1 .. 2)",
        expect![[r#"
        3: error[mtype-arith]: `mtype` values are no numbers
    "#]],
    );
}

#[test]
fn claims_and_formulas_are_checked() {
    check(
        "mtype = { a, b }; mtype m = a; chan q = [1] of { byte };
         active proctype P() { q!1; m = b }
         ltl p { [] (m != 1) }
         never {
             do
             :: q?[a] -> break
             :: else
             od
         }
         trace {
             do
             :: q!a
             od
         }",
        expect![[r#"
            3: error[mtype-arith]: `mtype` is compared with `bit`
                3: `mtype`
                3: `bit`
            6: error[chan-type]: `q` is used with {mtype} here, but its type is chan{byte}
                ^ field 1 is `mtype`, not `byte`
                1: the layout is declared here
                12: the same here
        "#]],
    );
}

#[test]
fn aliases_are_known() {
    let (map, reading) = reading(
        "chan a = [1] of { byte }; chan b = [1] of { byte }; proctype P(chan c) { c!1 }
         init { run P(a); b!1 }",
    );
    let (types, _) = types::infer(&map, &reading.program, &reading.names, &Options::default());
    let var = |name: &str| {
        let i = reading.names.vars.iter().position(|v| &*v.name == name).expect("declared");
        ferrospin_promela::names::VarId(i as u32)
    };
    assert!(types.may_alias(var("a"), var("c")));
    assert!(!types.may_alias(var("a"), var("b")));
    assert_eq!(types.layout(var("c")), Some("chan{byte}"));
}

#[test]
fn ten_thousand_operations() {
    let mut text = String::from("mtype = { m };\nchan c0 = [1] of { mtype, chan, byte };\n");
    for i in 1..100 {
        let _ = writeln!(text, "chan c{i};");
    }
    text.push_str("proctype P(chan a, b) { byte x; chan y;\n");
    for i in 0..5000 {
        let _ = writeln!(text, "c{}!m,c{},{}; c{}?m,y,x;", i % 100, (i * 7) % 100, i % 200, (i * 13) % 100);
    }
    text.push_str("}\ninit { run P(c0, c1) }\n");
    let (map, reading) = reading(&text);
    assert!(!reading.diagnostics.has_errors());
    let before = std::time::Instant::now();
    let (types, _) = types::infer(&map, &reading.program, &reading.names, &Options::default());
    let elapsed = before.elapsed();
    assert_eq!(types.channels().filter(|c| c.layout == "rec a. chan{mtype,a,byte}").count(), 103);
    // Far above the fifth of a second that it takes without optimisation on a busy machine.
    assert!(elapsed.as_secs() < 3, "{elapsed:?}");
}
