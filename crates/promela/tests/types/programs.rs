//! Whole constructs: inlines, processes with many uses, loops, claims, large models.

use super::*;

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
