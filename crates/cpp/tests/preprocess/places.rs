//! Where the text came from.

use super::*;

#[test]
fn spans_lead_back_to_the_source() {
    let none = Options::default();
    check_spans(
        "a  b\n\tc /* x */ d\n",
        &none,
        expect![[r#"
        a at m:1:1
        b at m:1:4
        c at m:2:2
        d at m:2:12
    "#]],
    );
    check_spans(
        "#define N x + y\nz N ;\n",
        &none,
        expect![[r#"
        z at m:2:1
        x at m:2:3, `x` at m:1:11 in N
        + at m:2:3, `+` at m:1:13 in N
        y at m:2:3, `y` at m:1:15 in N
        ; at m:2:5
    "#]],
    );
    check_spans(
        "#define INC(v) v = v + 1\n#define TWICE(w) INC(w) ; INC(w)\nTWICE(  turn )\n",
        &none,
        expect![[r#"
        turn at m:3:9
        = at m:3:1, `=` at m:1:18 in INC < TWICE
        turn at m:3:9
        + at m:3:1, `+` at m:1:22 in INC < TWICE
        1 at m:3:1, `1` at m:1:24 in INC < TWICE
        ; at m:3:1, `;` at m:2:25 in TWICE
        turn at m:3:9
        = at m:3:1, `=` at m:1:18 in INC < TWICE
        turn at m:3:9
        + at m:3:1, `+` at m:1:22 in INC < TWICE
        1 at m:3:1, `1` at m:1:24 in INC < TWICE
    "#]],
    );
    check_spans(
        "#define A B B\n#define B c\nA\n",
        &none,
        expect![[r#"
        c at m:3:1, `c` at m:2:11 in B < A
        c at m:3:1, `c` at m:2:11 in B < A
    "#]],
    );
    check_spans(
        "#define ID(x) x\n#define N 5\nID(ID(N) q)\n",
        &none,
        expect![[r#"
        5 at m:3:7, `5` at m:2:11 in N
        q at m:3:10
    "#]],
    );
    check_spans(
        "#define P(a, b) a ## b #a\nP(x, y) __LINE__ de\\\nf\n",
        &none,
        expect![[r#"
        xy at m:2:3
        "x" at m:2:1, `a` at m:1:25 in P
        2 at m:2:9
        def at m:2:18
    "#]],
    );
    check_spans(
        "#line 9 \"g\"\nx\n",
        &none,
        expect![[r#"
        x at g:9:1
    "#]],
    );
}

#[test]
fn a_call_covers_its_arguments() {
    let (map, expanded, _) = run("#define F(a) a + b\nx = F(\n 1) ;\n", &Options::default(), Vec::new());
    let at = |text: &str| {
        let lo = expanded.text.find(text).expect("it is printed");
        expanded.span(lo, lo + text.len())
    };
    assert_eq!(map.snippet(map.primary(at("b"))), "F(\n 1)");
    assert_eq!(map.snippet(map.primary(at("1"))), "1");
    assert_eq!(map.snippet(map.join(at("1"), at("b"))), "F(\n 1)");
    assert_eq!(map.snippet(map.join(at("x"), at("b"))), "x = F(\n 1)");
}

#[test]
fn the_end_has_a_place() {
    let (map, expanded, _) = run("x\n", &Options::default(), Vec::new());
    let end = expanded.span(expanded.text.len(), expanded.text.len());
    assert_eq!(map.position(end).map(|p| (p.line, p.column)), Some((2, 1)));
    let (_, expanded, diagnostics) = run("", &Options::default(), Vec::new());
    assert!(expanded.text.is_empty() && diagnostics.is_empty() && expanded.span(0, 0) != Span::NONE);
}
