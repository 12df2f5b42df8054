//! AUT texts: what is read, and what is said about texts that are wrong.

mod support;

use expect_test::{Expect, expect};
use ferrospin_lts::{Graph, aut, dot};
use support::Random;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&match aut::read(text.as_bytes()) {
        Ok(graph) => aut::write(&graph),
        Err(error) => error.to_string(),
    });
}

#[test]
fn well_formed() {
    check(
        "des (0, 3, 2)\n(0, \"coin\", 1)\n(1, tau, 0)\n( 1 , \"i\" ,1 )\n",
        expect![[r#"
            des (0, 3, 2)
            (0, "coin", 1)
            (1, "tau", 0)
            (1, "tau", 1)
        "#]],
    );
    // Line ends of other systems, blank lines, no line end at the end, labels with quotes, commas and brackets.
    check(
        "\r\ndes(1,3,2)\r\n\r\n(1, put !1, 0)\r\n(0, \"say (\"a, b\", 1)\", 1)\r\n(0,\"\",0)",
        expect![[r#"
            des (1, 3, 2)
            (0, "say ("a, b", 1)", 1)
            (0, "", 0)
            (1, "put !1", 0)
        "#]],
    );
}

#[test]
fn headers_that_lie() {
    check("", expect!["1:1: the file is empty; an AUT file begins with `des (INITIAL, TRANSITIONS, STATES)`"]);
    check("(0, a, 1)", expect!["1:1: expected the header `des (INITIAL, TRANSITIONS, STATES)`"]);
    check("des (0, 2, 2)\n(0, a, 1)\n", expect!["3:1: the header announces 2 transitions, but there are only 1"]);
    check(
        "des (0, 1, 2)\n(0, a, 1)\n(1, a, 0)\n",
        expect!["3:1: the header announces 1 transitions, and this is one more"],
    );
    check(
        "des (0, 1, 2)\n(0, a, 2)\n",
        expect!["2:8: there is no state 2: the header announces 2 states, numbered from 0"],
    );
    check(
        "des (2, 1, 2)\n(0, a, 1)\n",
        expect!["1:6: there is no state 2: the header announces 2 states, numbered from 0"],
    );
    check("des (0, 0, 0)\n", expect!["1:6: there is no state 0: the header announces 0 states, numbered from 0"]);
    check("des (0, 1, 4294967296)\n", expect!["1:12: the number is too large: at most 2147483647 is possible here"]);
    check(
        "des (0, 99999999999999999999999, 1)\n",
        expect!["1:9: the number is too large: at most 4294967295 is possible here"],
    );
    check(
        "des (0, 1, 2147483647)\n(0, a, 1)\n",
        expect!["1:12: the header announces 2147483647 states, but 1 transitions can name only 3 of them"],
    );
    check(
        "des (0, 4000000000, 2000000000)\n(0, a, 1)\n",
        expect!["3:1: the header announces 4000000000 transitions, but there are only 1"],
    );
}

#[test]
fn lines_that_are_wrong() {
    let with = |line: &str| format!("des (0, 2, 2)\n(0, a, 1)\n{line}\n");
    check(&with("(0, \"a, 1)"), expect!["3:5: the label has no closing quote"]);
    check(&with("(0, a\", 1)"), expect!["3:6: the label has no closing quote"]);
    check(&with("(0, \"a\" 1)"), expect!["3:9: expected `,` and the number of a state"]);
    check(&with("(0, \"a\", )"), expect!["3:10: expected the number of the state that the transition enters"]);
    check(
        &with("(0, a\0b, 1)"),
        expect!["3:6: a label is text in UTF-8 without control characters; this byte is 0x00"],
    );
    check(&with("\0"), expect![[r#"3:1: expected a transition `(FROM, "LABEL", TO)`"#]]);
    check(&with("(0, , 1)"), expect!["3:5: expected a label"]);
    check(&with("(0 a, 1)"), expect!["3:4: expected `,` and a label"]);
    check(&with("(-1, a, 1)"), expect!["3:2: expected the number of the state that the transition leaves"]);
    check(&with("(0, a, 1"), expect!["3:9: expected `)` at the end of the transition"]);
    check(&with("(0, a, 1) x"), expect!["3:11: expected the end of the line"]);
    check(&with("(0, \"a\", 1) x"), expect!["3:13: expected the end of the line"]);
    check(
        &with("(0, a, 18446744073709551616)"),
        expect!["3:8: the number is too large: at most 18446744073709551614 is possible here"],
    );
    let bad = aut::read(b"des (0, 1, 1)\n(0, \"a\xff\", 0)\n").expect_err("no UTF-8");
    assert_eq!((bad.line, bad.column), (2, 7), "{bad}");
}

/// A small text cut off at every byte is read or refused, with a place inside it.
#[test]
fn truncated_everywhere() {
    let text = "des (0, 4, 3)\n(0, \"a b\", 1)\n(1, tau, 2)\n(2, \"c \"quoted\"\", 0)\r\n(2, d, 2)\n";
    let whole = aut::read(text.as_bytes()).expect("it is well formed");
    for end in 0..text.len() {
        match aut::read(&text.as_bytes()[..end]) {
            Ok(graph) => assert!(graph == whole && end + 1 == text.len(), "{end}"),
            Err(error) => {
                assert!(error.range.end <= end, "{end}: {error}");
                let before = &text[..error.range.start];
                let column = before.len() - before.rfind('\n').map_or(0, |i| i + 1) + 1;
                let line = before.matches('\n').count() + 1;
                assert_eq!((error.line, error.column), (line as u64, column as u64), "{end}: {error}");
            }
        }
    }
}

/// What is written is read as the same graph: the same lines, whose order may differ as labels get other numbers.
fn check_rereading(graph: &Graph) {
    let lines = |graph: &Graph| {
        let text = aut::write(graph);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let read = aut::read(aut::write(graph).as_bytes()).expect("what is written can be read");
    assert_eq!(lines(&read), lines(graph));
}

/// Texts with random changes never make the reader panic, and what it reads it reads again from what it writes.
#[test]
fn five_thousand_mutations() {
    let mut random = Random::new(5);
    let text = b"des (0, 4, 3)\n(0, \"a b\", 1)\n(1, tau, 2)\n(2, \"c\", 0)\n(2, d, 2)\n";
    let pool = b"\"\"(),,  \n\r\t\x00\x3019des\xff";
    let mut read = 0;
    for _ in 0..5000 {
        let mut bytes = text.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            let byte = pool[random.below(pool.len())];
            match random.below(3) {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => _ = bytes.remove(at),
            }
        }
        if let Ok(graph) = aut::read(&bytes) {
            read += 1;
            check_rereading(&graph);
        }
    }
    assert!(read > 50, "{read}");
}

#[test]
fn random_graphs_survive_writing() {
    let mut random = Random::new(6);
    for _ in 0..200 {
        let graph = support::graph(&mut random, 20, false);
        check_rereading(&graph);
    }
}

#[test]
fn pictures() {
    let graph = aut::read(b"des (0, 2, 2)\n(0, \"say \"hi\"\", 1)\n(1, tau, 0)\n").expect("it is well formed");
    expect![[r#"
        digraph lts {
          node [shape=circle, fontname="monospace"];
          edge [fontname="monospace"];
          start [shape=point];
          start -> 0;
          0;
          1;
          0 -> 1 [label="say \"hi\""];
          1 -> 0 [label="tau", style=dashed];
        }
    "#]]
    .assert_eq(&dot::write(&graph));
}
