//! What is read, how it is printed again, and what is said about mistakes.

use expect_test::{Expect, expect};
use ferrospin_ltl::{Atoms, Dialect, Flags, Formulas, Op, parse, print};
use std::fmt::Write;

/// Reads in one dialect and shows the formula, its propositions if they are not plain names, and all messages with
/// the text they point at. Whatever is read must survive printing and reading again.
fn show(input: &str, dialect: Dialect) -> String {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let (formula, diagnostics) = parse(input, 1, dialect, &mut formulas, &mut atoms);
    let mut out = String::new();
    if let Some(f) = formula {
        let text = print(&formulas, f, &atoms, dialect);
        // `spin -f` has no W, so that one is spelled with V.
        let spelled =
            dialect != Dialect::SpinF || !formulas.subformulas(f).iter().any(|&g| formulas.op(g) == Op::WeakUntil);
        let (again, _) = parse(&text, 1, dialect, &mut formulas, &mut atoms);
        assert!(!spelled || again == Some(f), "`{text}` is not read as it was printed");
        writeln!(out, "{text}").unwrap();
    }
    for d in diagnostics.iter() {
        let at = |s: ferrospin_source::Span| &input[s.lo as usize - 1..s.hi as usize - 1];
        writeln!(out, "{:?} {} at `{}`: {}", d.severity, d.code, at(d.span), d.message).unwrap();
        d.labels.iter().for_each(|l| writeln!(out, "  `{}`: {}", at(l.span), l.text).unwrap());
        d.notes.iter().for_each(|n| writeln!(out, "  {n}").unwrap());
        d.suggestions.iter().for_each(|s| writeln!(out, "  {}: `{}`", s.text, s.replacement).unwrap());
    }
    out
}

fn check_in(dialect: Dialect, inputs: &[&str], expected: Expect) {
    let mut out = String::new();
    for input in inputs {
        let shown = show(input, dialect);
        let mut lines = shown.lines();
        writeln!(out, "{input}  =>  {}", lines.next().unwrap_or("")).unwrap();
        lines.for_each(|l| writeln!(out, "    {l}").unwrap());
    }
    expected.assert_eq(&out);
}

fn check(inputs: &[&str], expected: Expect) {
    check_in(Dialect::Project, inputs, expected);
}

#[test]
fn spellings() {
    check(
        &[
            "[]p",
            "<> p",
            "always p",
            "eventually p",
            "G p",
            "F p",
            "X p",
            "next p",
            "() p",
            "!p",
            "~p",
            "not p",
            "p && q",
            "p /\\ q",
            "p & q",
            "p * q",
            "p and q",
            "p || q",
            "p \\/ q",
            "p | q",
            "p + q",
            "p or q",
            "p ^ q",
            "p xor q",
            "p -> q",
            "p => q",
            "p --> q",
            "p implies q",
            "p <-> q",
            "p <=> q",
            "p <--> q",
            "p equivalent q",
            "p U q",
            "p until q",
            "p stronguntil q",
            "p W q",
            "p weakuntil q",
            "p V q",
            "p R q",
            "p release q",
            "p M q",
            "true U 1",
            "false V 0",
            "[]<>p",
            "G F p && F G q",
        ],
        expect![[r#"
            []p  =>  []p
            <> p  =>  <>p
            always p  =>  []p
            eventually p  =>  <>p
            G p  =>  []p
            F p  =>  <>p
            X p  =>  X p
            next p  =>  X p
            () p  =>  X p
            !p  =>  !p
            ~p  =>  !p
            not p  =>  !p
            p && q  =>  p && q
            p /\ q  =>  p && q
            p & q  =>  p && q
            p * q  =>  p && q
            p and q  =>  p && q
            p || q  =>  p || q
            p \/ q  =>  p || q
            p | q  =>  p || q
            p + q  =>  p || q
            p or q  =>  p || q
            p ^ q  =>  p xor q
            p xor q  =>  p xor q
            p -> q  =>  p -> q
            p => q  =>  p -> q
            p --> q  =>  p -> q
            p implies q  =>  p -> q
            p <-> q  =>  p <-> q
            p <=> q  =>  p <-> q
            p <--> q  =>  p <-> q
            p equivalent q  =>  p <-> q
            p U q  =>  p U q
            p until q  =>  p U q
            p stronguntil q  =>  p U q
            p W q  =>  p W q
            p weakuntil q  =>  p W q
            p V q  =>  p V q
            p R q  =>  p V q
            p release q  =>  p V q
            p M q  =>  p M q
            true U 1  =>  true U true
            false V 0  =>  false V false
            []<>p  =>  []<>p
            G F p && F G q  =>  []<>p && <>[]q
        "#]],
    );
}

#[test]
fn binding() {
    check(
        &[
            "[] p U q",
            "!p U q",
            "p U q && r",
            "p && q || r",
            "p || q -> r",
            "p -> (q -> r)",
            "p && (q && r) && p",
            "(p)",
            "((p U q))",
            "X[3] p",
            "F[1:3] p",
            "G[0:1] p",
            "X X p",
            "p xor q || r",
        ],
        expect![[r#"
            [] p U q  =>  []p U q
            !p U q  =>  !p U q
            p U q && r  =>  (p U q) && r
            p && q || r  =>  r || (p && q)
            p || q -> r  =>  (p || q) -> r
            p -> (q -> r)  =>  p -> (q -> r)
            p && (q && r) && p  =>  p && q && r
            (p)  =>  p
            ((p U q))  =>  p U q
            X[3] p  =>  X X X p
            F[1:3] p  =>  X (p || X (p || X p))
            G[0:1] p  =>  p && X p
            X X p  =>  X X p
            p xor q || r  =>  p xor (q || r)
        "#]],
    );
}

#[test]
fn dialects() {
    let inputs = [
        "p U q U r",
        "p -> q -> r",
        "p || q && <>r",
        "p <-> q -> r",
        "p W q W r",
        "F U q",
        "p R q",
        "[] x > 3",
        "[] (x > 3)",
    ];
    check(
        &inputs,
        expect![[r#"
        p U q U r  =>  p U (q U r)
            Warning ltl-reading at `p U q U r`: an `ltl` block of SPIN reads this formula differently
              read here as `p U (q U r)`
              an `ltl` block of SPIN reads `(p U q) U r`
              parentheses make the meaning certain
            Warning ltl-reading at `p U q U r`: `spin -f` reads this formula differently
              read here as `p U (q U r)`
              `spin -f` reads `(p U q) U r`
              parentheses make the meaning certain
        p -> q -> r  =>  p -> (q -> r)
            Warning ltl-reading at `p -> q -> r`: an `ltl` block of SPIN reads this formula differently
              read here as `p -> (q -> r)`
              an `ltl` block of SPIN reads `(p -> q) -> r`
              parentheses make the meaning certain
            Warning ltl-reading at `p -> q -> r`: `spin -f` reads this formula differently
              read here as `p -> (q -> r)`
              `spin -f` reads `(p -> q) -> r`
              parentheses make the meaning certain
        p || q && <>r  =>  p || (q && <>r)
            Warning ltl-reading at `p || q && <>r`: `spin -f` reads this formula differently
              read here as `p || (q && <>r)`
              `spin -f` reads `<>r && (p || q)`
              parentheses make the meaning certain
        p <-> q -> r  =>  p <-> (q -> r)
            Warning ltl-reading at `p <-> q -> r`: an `ltl` block of SPIN reads this formula differently
              read here as `p <-> (q -> r)`
              an `ltl` block of SPIN reads `(p <-> q) -> r`
              parentheses make the meaning certain
            Warning ltl-reading at `p <-> q -> r`: `spin -f` reads this formula differently
              read here as `p <-> (q -> r)`
              `spin -f` reads `(p <-> q) -> r`
              parentheses make the meaning certain
        p W q W r  =>  p W (q W r)
            Warning ltl-reading at `p W q W r`: an `ltl` block of SPIN reads this formula differently
              read here as `p W (q W r)`
              an `ltl` block of SPIN reads `(p W q) W r`
              parentheses make the meaning certain
            Warning ltl-reading at `p W q W r`: `spin -f` reads this formula differently
              read here as `p W (q W r)`
              `spin -f` reads `(p W q) W r`
              parentheses make the meaning certain
        F U q  =>  Error ltl-syntax at `U`: expected an operand after `F`, found `U`
              `F`: this needs an operand
        p R q  =>  p V q
        [] x > 3  =>  [](x > 3)
        [] (x > 3)  =>  [](x > 3)
    "#]],
    );
    check_in(
        Dialect::SpinLtl,
        &inputs,
        expect![[r#"
        p U q U r  =>  (p U q) U r
            Warning ltl-reading at `p U q U r`: the literature reads this formula differently
              read here as `(p U q) U r`
              the literature reads `p U (q U r)`
              parentheses make the meaning certain
        p -> q -> r  =>  (p -> q) -> r
            Warning ltl-reading at `p -> q -> r`: the literature reads this formula differently
              read here as `(p -> q) -> r`
              the literature reads `p -> (q -> r)`
              parentheses make the meaning certain
        p || q && <>r  =>  p || (q && <>r)
            Warning ltl-reading at `p || q && <>r`: `spin -f` reads this formula differently
              read here as `p || (q && <>r)`
              `spin -f` reads `<>r && (p || q)`
              parentheses make the meaning certain
        p <-> q -> r  =>  (p <-> q) -> r
            Warning ltl-reading at `p <-> q -> r`: the literature reads this formula differently
              read here as `(p <-> q) -> r`
              the literature reads `p <-> (q -> r)`
              parentheses make the meaning certain
        p W q W r  =>  (p W q) W r
            Warning ltl-reading at `p W q W r`: the literature reads this formula differently
              read here as `(p W q) W r`
              the literature reads `p W (q W r)`
              parentheses make the meaning certain
        F U q  =>  F U q
        p R q  =>  Error ltl-syntax at `R`: expected an operator before `R`
              `R` is an operator only in the project dialect
        [] x > 3  =>  [](x > 3)
            Warning ltl-reading at `x > 3`: SPIN applies the operator before this expression to its first operand only
              parentheses make the meaning certain: `(x > 3)`
        [] (x > 3)  =>  [](x > 3)
    "#]],
    );
    check_in(
        Dialect::SpinF,
        &inputs,
        expect![[r#"
        p U q U r  =>  (p U q) U r
            Warning ltl-reading at `p U q U r`: the literature reads this formula differently
              read here as `(p U q) U r`
              the literature reads `p U (q U r)`
              parentheses make the meaning certain
        p -> q -> r  =>  (p -> q) -> r
            Warning ltl-reading at `p -> q -> r`: the literature reads this formula differently
              read here as `(p -> q) -> r`
              the literature reads `p -> (q -> r)`
              parentheses make the meaning certain
        p || q && <>r  =>  <>r && (p || q)
            Warning ltl-reading at `p || q && <>r`: the literature reads this formula differently
              read here as `<>r && (p || q)`
              the literature reads `p || (q && <>r)`
              parentheses make the meaning certain
            Warning ltl-reading at `p || q && <>r`: an `ltl` block of SPIN reads this formula differently
              read here as `<>r && (p || q)`
              an `ltl` block of SPIN reads `p || (q && <>r)`
              parentheses make the meaning certain
        p <-> q -> r  =>  (p <-> q) -> r
            Warning ltl-reading at `p <-> q -> r`: the literature reads this formula differently
              read here as `(p <-> q) -> r`
              the literature reads `p <-> (q -> r)`
              parentheses make the meaning certain
        p W q W r  =>  r V ((q V (p || q)) || r)
            Warning ltl-reading at `p W q W r`: the literature reads this formula differently
              read here as `r V ((q V (p || q)) || r)`
              the literature reads `(r V (q || r)) V (p || (r V (q || r)))`
              parentheses make the meaning certain
        F U q  =>  F U q
        p R q  =>  Error ltl-syntax at `R`: expected an operator before `R`
              `R` is an operator only in the project dialect
        [] x > 3  =>  [](x > 3)
        [] (x > 3)  =>  [](x > 3)
    "#]],
    );
}

#[test]
fn propositions() {
    check(
        &[
            "[] (x>3)",
            "[] x > 3",
            "x+1 == y U q",
            "P[0]@cs",
            "<> P@cs",
            "len(q) > 2 U full(q)",
            "a[i+1] && b[2].f",
            "\"any text; at all\" U \"p\"",
            "{p && q} U r",
            "(p && !q) U r",
            "(x == 1 && y > 2 || z) -> q",
            "(c -> a : b) U p",
            "!x == 3",
            "[] -x < 4",
            "q?[msg] && q??[1, 2]",
            "P[1]:x > 2",
            "(flags & 4) != 0 U p",
            "p & q | r",
            "x & 1 == 1",
            "_last == 1",
            "np_",
            "enabled(0)",
            "~x == 1",
            "'a' == c",
            "5",
            "\"say \\\"hi\\\"\"",
            "a.X U b",
            "(x) > 3",
            "\"true\"",
            "{x}",
            "\"F\"",
        ],
        expect![[r#"
            [] (x>3)  =>  [](x > 3)
            [] x > 3  =>  [](x > 3)
            x+1 == y U q  =>  (x + 1 == y) U q
            P[0]@cs  =>  P[0]@cs
            <> P@cs  =>  <>P@cs
            len(q) > 2 U full(q)  =>  (len(q) > 2) U full(q)
            a[i+1] && b[2].f  =>  a[i + 1] && b[2].f
            "any text; at all" U "p"  =>  "any text; at all" U p
            {p && q} U r  =>  {p && q} U r
            (p && !q) U r  =>  (p && !q) U r
            (x == 1 && y > 2 || z) -> q  =>  (z || ((x == 1) && (y > 2))) -> q
            (c -> a : b) U p  =>  {(c -> a:b)} U p
            !x == 3  =>  (!x == 3)
                Warning ltl-negation at `!x == 3`: `!` binds tighter than comparisons and arithmetic
                  to negate all of it, add parentheses: `!(x == 3)`
            [] -x < 4  =>  [](-x < 4)
            q?[msg] && q??[1, 2]  =>  q?[msg] && q??[1, 2]
            P[1]:x > 2  =>  (P[1]:x > 2)
            (flags & 4) != 0 U p  =>  ((flags & 4) != 0) U p
            p & q | r  =>  r || (p && q)
            x & 1 == 1  =>  (x & 1 == 1)
            _last == 1  =>  (_last == 1)
            np_  =>  np_
            enabled(0)  =>  enabled(0)
            ~x == 1  =>  (~x == 1)
            'a' == c  =>  ('a' == c)
            5  =>  true
            "say \"hi\""  =>  "say \"hi\""
            a.X U b  =>  a.X U b
            (x) > 3  =>  ((x) > 3)
            "true"  =>  {true}
            {x}  =>  x
            "F"  =>  {F}
        "#]],
    );
}

#[test]
fn mistakes() {
    check(
        &[
            "",
            "   ",
            "p &&",
            "&& p",
            "p q",
            "(p",
            "p)",
            "(p]",
            "[] ",
            "p U",
            "p U && q",
            "()",
            "p ()",
            "(p U)",
            "{}",
            "p = 3",
            "p # q",
            "\"open",
            "{a;b}",
            "{a[*]}|->b",
            "a ##1 b",
            "p[*3]",
            "([]p) > 3",
            "x + <>p == 2",
            "X[9999] p",
            "F[5:2] p",
            "F[x] p",
            "G[1] p",
            "p é",
            "\"\"",
            "p -> ",
            "! ",
            "p U (q V)",
            "é",
        ],
        expect![[r#"
              =>  Error ltl-syntax at ``: the formula is empty
                 =>  Error ltl-syntax at ``: the formula is empty
            p &&  =>  Error ltl-syntax at ``: expected an operand after `&&`, found the end
                  `&&`: this needs an operand
            && p  =>  Error ltl-syntax at `&&`: expected an operand, found `&&`
            p q  =>  Error ltl-syntax at `q`: expected an operator before `q`
            (p  =>  Error ltl-unbalanced at `(`: this `(` is never closed
            p)  =>  Error ltl-unbalanced at `)`: this `)` closes nothing
            (p]  =>  Error ltl-unbalanced at `]`: `(` is closed by `]`
                  `(`: opened here
            []   =>  Error ltl-syntax at ``: expected an operand after `[]`, found the end
                  `[]`: this needs an operand
            p U  =>  Error ltl-syntax at ``: expected an operand after `U`, found the end
                  `U`: this needs an operand
            p U && q  =>  Error ltl-syntax at `&&`: expected an operand after `U`, found `&&`
                  `U`: this needs an operand
            ()  =>  Error ltl-syntax at ``: expected an operand after `)`, found the end
                  `)`: this needs an operand
            p ()  =>  p()
            (p U)  =>  Error ltl-syntax at `)`: expected an operand after `U`, found `)`
                  `U`: this needs an operand
            {}  =>  Error ltl-syntax at `{`: there is no expression between these braces
            p = 3  =>  Error ltl-syntax at `=`: a formula cannot assign
                  to compare, write `==`: `==`
            p # q  =>  Error ltl-syntax at `#`: unknown character `#`
            "open  =>  Error ltl-syntax at `"open`: this quotation mark is never closed
            {a;b}  =>  Error ltl-sere at `;`: regular expressions over words (SERE, PSL) are not supported
                  formulas are built with `[] <> X U V W M` and Boolean connectives
            {a[*]}|->b  =>  Error ltl-sere at `[*`: regular expressions over words (SERE, PSL) are not supported
                  formulas are built with `[] <> X U V W M` and Boolean connectives
            a ##1 b  =>  Error ltl-sere at `##`: regular expressions over words (SERE, PSL) are not supported
                  formulas are built with `[] <> X U V W M` and Boolean connectives
            p[*3]  =>  Error ltl-sere at `[*`: regular expressions over words (SERE, PSL) are not supported
                  formulas are built with `[] <> X U V W M` and Boolean connectives
            ([]p) > 3  =>  Error ltl-syntax at `([]p) > 3`: a temporal operator inside a Promela expression
                  comparisons and arithmetic bind tighter than temporal operators; a formula has no number
            x + <>p == 2  =>  x || <>(p == 2)
            X[9999] p  =>  Error ltl-depth at `9999`: expected a number up to 500
            F[5:2] p  =>  Error ltl-syntax at `5`: the first bound is greater than the second
            F[x] p  =>  Error ltl-syntax at `[`: expected two bounds, as in `F[2:5] p`
            G[1] p  =>  Error ltl-syntax at `[`: expected two bounds, as in `F[2:5] p`
            p é  =>  Error ltl-syntax at `é`: unknown character `é`
            ""  =>  Error ltl-syntax at `""`: a proposition cannot be empty
            p ->   =>  Error ltl-syntax at ``: expected an operand after `->`, found the end
                  `->`: this needs an operand
            !   =>  Error ltl-syntax at ``: expected an operand after `!`, found the end
                  `!`: this needs an operand
            p U (q V)  =>  Error ltl-syntax at `)`: expected an operand after `V`, found `)`
                  `V`: this needs an operand
            é  =>  Error ltl-syntax at `é`: unknown character `é`
        "#]],
    );
    check_in(
        Dialect::SpinLtl,
        &["p R q", "p M q", "F p", "p xor q", "p & <>q"],
        expect![[r#"
        p R q  =>  Error ltl-syntax at `R`: expected an operator before `R`
              `R` is an operator only in the project dialect
        p M q  =>  Error ltl-syntax at `M`: expected an operator before `M`
              `M` is an operator only in the project dialect
        F p  =>  Error ltl-syntax at `p`: expected an operator before `p`
        p xor q  =>  Error ltl-syntax at `xor`: expected an operator before `xor`
              `xor` is an operator only in the project dialect
        p & <>q  =>  Error ltl-syntax at `&`: expected an operator before `&`
    "#]],
    );
}

#[test]
fn hostile_input_ends() {
    let n = 100_000;
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let mut read = |text: String| parse(&text, 1, Dialect::Project, &mut formulas, &mut atoms);
    assert!(read("(".repeat(n) + "p" + &")".repeat(n)).0.is_some());
    assert!(read("(".repeat(n)).0.is_none());
    for prefix in ["!", "[]", "X ", "(p U ", "p -> ", "(p || (q && "] {
        let (formula, diagnostics) = read(prefix.repeat(n) + "p" + &")".repeat(prefix.matches('(').count() * n));
        assert!(formula.is_none(), "{prefix}");
        assert_eq!(diagnostics.iter().next().map(|d| d.code), Some("ltl-depth"), "{prefix}");
    }
    for prefix in ["p + ", "p && ", "(p && ", "x - ", "p && q || "] {
        assert!(read(prefix.repeat(n) + "p" + &")".repeat(prefix.matches('(').count() * n)).0.is_some(), "{prefix}");
    }
    let chain: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
    assert!(read(chain.join(" && ")).0.is_some());
    assert!(read(chain.join(" && (") + &")".repeat(n - 1)).0.is_some());
}

#[test]
fn arbitrary_bytes_do_not_panic() {
    let pieces = [
        "[]", "<>", "(", ")", "{", "}", "[", "]", "\"", "'", "\\", "p", "U", "!", "&", "&&", "->", "<-", ">", "=", "3",
        ":", "?", "@", ".", ",", ";", "é", " ", "X", "F", "-", "~", "/*", "*/", "#", "*",
    ];
    let mut state = 7u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..(state >> 40) % 12 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        for dialect in [Dialect::Project, Dialect::SpinLtl, Dialect::SpinF] {
            show(&text, dialect);
        }
    }
}

#[test]
fn flags_and_normal_form() {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let names = [
        (Flags::BOOLEAN, "boolean"),
        (Flags::EVENTUAL, "eventual"),
        (Flags::UNIVERSAL, "universal"),
        (Flags::X_FREE, "x-free"),
        (Flags::SAFETY, "safety"),
        (Flags::GUARANTEE, "guarantee"),
        (Flags::OBLIGATION, "obligation"),
        (Flags::RECURRENCE, "recurrence"),
        (Flags::PERSISTENCE, "persistence"),
    ];
    let mut out = String::new();
    for text in
        ["p && !q", "[](p -> <>q)", "<>[]p", "p U q", "p W q", "X p", "!(p <-> <>q)", "[]p || <>q", "p M (q xor r)"]
    {
        let f = parse(text, 1, Dialect::Project, &mut formulas, &mut atoms).0.unwrap();
        let (yes, no) = formulas.nnf(f);
        let show = |g| print(&formulas, g, &atoms, Dialect::Project);
        let flags: Vec<&str> = names.iter().filter(|(flag, _)| formulas.is(f, *flag)).map(|n| n.1).collect();
        writeln!(out, "{text}: {}\n    {}\n    {}", flags.join(" "), show(yes), show(no)).unwrap();
    }
    expect![[r#"
        p && !q: boolean x-free safety guarantee obligation recurrence persistence
            p && !q
            q || !p
        [](p -> <>q): universal x-free recurrence
            [](!p || <>q)
            <>(p && []!q)
        <>[]p: eventual universal x-free persistence
            <>[]p
            []<>!p
        p U q: x-free guarantee obligation recurrence persistence
            p U q
            !p V !q
        p W q: x-free safety obligation recurrence persistence
            p W q
            !p M !q
        X p: safety guarantee obligation recurrence persistence
            X p
            X !p
        !(p <-> <>q): x-free obligation recurrence persistence
            (p && []!q) || (!p && <>q)
            (p && <>q) || (!p && []!q)
        []p || <>q: x-free obligation recurrence persistence
            <>q || []p
            []!q && <>!p
        p M (q xor r): x-free guarantee obligation recurrence persistence
            p M ((q && !r) || (!q && r))
            !p W ((q && r) || (!q && !r))
    "#]]
    .assert_eq(&out);
}
