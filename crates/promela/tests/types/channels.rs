//! What channels carry, as it is inferred and as it is printed.

use super::*;

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
