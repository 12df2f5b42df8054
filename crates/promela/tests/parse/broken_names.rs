//! Names and inlines that are refused, and limits.

use super::*;

#[test]
fn broken_names() {
    reject(
        "mtype = { a }; init { a = 1 }",
        expect![[r#"
        1:25 error[syntax] only a variable can be assigned to
            to compare, write `==`: `==`
    "#]],
    );
    reject(
        "proctype P() { skip } init { P = 1 }",
        expect![[r#"
        1:30 error[syntax] the process type `P` cannot stand alone in an expression
            note: write `P@label`, `P[pid]@label`, `P:variable` or `run P(...)`
    "#]],
    );
    reject(
        "proctype P() { skip } init { P() }",
        expect![[r#"
        1:30 error[syntax] the process `P` is called like an inline
            a process is started with `run`: `run P`
    "#]],
    );
    reject(
        "typedef T { byte x } init { T = 1 }",
        expect![[r#"
        1:31 error[syntax] expected the name of a variable, found `=`
    "#]],
    );
    reject(
        "inline f() { skip } init { x = f + 1 }",
        expect![[r#"
        1:34 error[syntax] expected `(` after the name of an inline, found `+`
    "#]],
    );
    reject(
        "inline f() { skip } init { f = 1 }",
        expect![[r#"
        1:30 error[syntax] expected `(` after the name of an inline, found `=`
    "#]],
    );
    reject(
        "proctype P() { skip } init { x = P[1] }",
        expect![[r#"
        1:34 error[syntax] the process type `P` cannot stand alone in an expression
            note: write `P@label`, `P[pid]@label`, `P:variable` or `run P(...)`
    "#]],
    );
    reject(
        "never { P@L } proctype P() { L: skip }",
        expect![[r#"
        1:9 error[remote-reference] `P` is not a process type that is defined before this place
            note: put the proctype first: SPIN reads from top to bottom
    "#]],
    );
    reject(
        "byte x; init { goto x2 ; if : x fi }",
        expect![[r#"
        1:29 error[missing-option] expected `::` after `if`, found `:`
            note: each choice of `if` begins with `::`
    "#]],
    );
}

#[test]
fn broken_inlines() {
    reject(
        "inline f(a) { a = 1 } init { f() }",
        expect![[r#"
        1:30 error[inline-arity] `f` takes 1 argument, but 0 were given
            at 1:8: defined here
    "#]],
    );
    reject(
        "inline f() { skip } init { f(1, 2) }",
        expect![[r#"
        1:28 error[inline-arity] `f` takes 0 arguments, but 2 were given
            at 1:8: defined here
    "#]],
    );
    reject(
        "inline f(a) { g(a) } init { f(x) }",
        expect![[r#"
        1:15 error[unknown-inline] there is no inline called `g`
    "#]],
    );
    reject(
        "inline f(a) { f(a) } init { f(x) }",
        expect![[r#"
        1:15 error[inline-cyclic] the inline `f` calls itself
            at 1:8: defined here
            note: an inline is replaced by its text; use a `proctype` for recursion
    "#]],
    );
    reject(
        "inline f(a) { skip } inline g(a) { f(a); h(a) } inline h(a) { g(a) } init { h(x) }",
        expect![[r#"
        1:42 error[inline-cyclic] the inline `h` calls itself
            at 1:56: defined here
            note: an inline is replaced by its text; use a `proctype` for recursion
    "#]],
    );
    reject(
        "inline f(a) { a = ; skip }\ninit { f(x); f(y) }",
        expect![[r#"
        1:19 error[syntax] expected an expression, found `;`
    "#]],
    );
    reject(
        "inline f(a) { }\ninit { f(x) }",
        expect![[r#"
        1:13 error[empty] a block needs at least one statement
            note: write `skip` for a block that does nothing
    "#]],
    );
    reject(
        "inline f(a) { return a }\ninit { f(x) }",
        expect![[r#"
        1:15 error[return] this call has no variable to receive the value
            note: an inline with `return` is called as `x = f(...)`
    "#]],
    );
    reject(
        "inline f(a, b) { a = b }\ninit { f(b, x) }",
        expect![[r#"
        2:10 error[inline-capture] the argument `b` of `f` contains the name of one of its parameters
            note: SPIN substitutes text and refuses this; rename the parameter
    "#]],
    );
    reject(
        "inline f(a) { a = 1 }\ninit { f(s.a) }",
        expect![[r#"
        2:10 error[inline-capture] the argument `s.a` of `f` contains the name of one of its parameters
            note: SPIN substitutes text and refuses this; rename the parameter
    "#]],
    );
    reject(
        "inline f(a) { a = 1 }\ninit { f(x }",
        expect![[r#"
        2:12 error[syntax] expected `)` after the arguments of an inline, found `}`
    "#]],
    );
    reject(
        "inline f(a) { a = 1 }\ninit { f }",
        expect![[r#"
        2:10 error[syntax] expected `(` after the name of an inline, found `}`
    "#]],
    );
    reject(
        "inline f(a) { a = 1 }\ninit { x = f }",
        expect![[r#"
        2:14 error[syntax] expected `(` after the name of an inline, found `}`
    "#]],
    );
    reject(
        "inline f(a) { a = 1 }\ninit { f(if) }",
        expect![[r#"
        2:10 error[syntax] expected an expression, found `if`
        2:14 error[missing-brace] a closing `}` is missing
            at 2:6: this `{` is not closed
    "#]],
    );
    reject(
        "inline f(a) { a = 1 }\ninit { f(2) }",
        expect![[r#"
        1:17 error[syntax] only a variable can be assigned to
            to compare, write `==`: `==`
    "#]],
    );
}

/// Limits: nesting and inlines that multiply end in an error, soon and without overflowing a small stack.
#[test]
fn bounded() {
    let deep = |open: &str, middle: &str, close: &str, n: usize| {
        format!("init {{ {}{middle}{} }}", open.repeat(n), close.repeat(n))
    };
    for (open, middle, close) in [("(", "1", ")"), ("{ ", "skip", " }"), ("if :: ", "skip", " fi"), ("x[", "1", "]")] {
        let (map, _, said) = read(&deep(open, middle, close, 100_000));
        assert!(listing(&map, &said).contains("nested too deeply"), "{open}");
        let (map, program, said) = read(&deep(open, middle, close, 400));
        assert!(!said.has_errors(), "{open} {}", listing(&map, &said));
        drop(program.clone());
    }
    let (map, _, said) = read(&format!("init {{ x = {}1 }}", "1 + ".repeat(100_000)));
    assert!(listing(&map, &said).contains("nested too deeply"));

    let mut bomb = String::from("inline f0(a) { a = a + 1 }\n");
    for i in 1..40 {
        let _ = writeln!(bomb, "inline f{i}(a) {{ f{j}(a); f{j}(a) }}", j = i - 1);
    }
    bomb.push_str("init { f39(x) }\n");
    let (map, _, said) = read(&bomb);
    assert!(listing(&map, &said).contains("expand to too much text"));
}

/// Places lead through inlines to the call.
#[test]
fn spans_of_inlines() {
    let (map, _, said) = read("inline f(a) {\n  a = * 1\n}\ninit {\n  f(x)\n}\n");
    let d = said.iter().next().expect("an error");
    let chain: Vec<_> = map.backtrace(d.span).map(|e| (e.name.to_string(), map.snippet(e.call_site))).collect();
    assert_eq!(map.snippet(d.span), "*");
    assert_eq!(chain, [("f".to_string(), "f(x)")]);
}
