//! The parser: what is accepted, as what, and what is said about the rest.

use expect_test::{Expect, expect};
use ferrospin_promela::ast::Program;
use ferrospin_promela::preprocess::{Expanded, Segment};
use ferrospin_promela::{parse, print};
use ferrospin_source::{Diagnostics, SourceMap};
use std::fmt::Write;

/// Text as the preprocessor would give it when there is nothing to do.
fn expanded(map: &mut SourceMap, text: &str) -> Expanded {
    let file = map.add_file("m.pml", text);
    let span = map.span(file, 0, text.len());
    Expanded { text: text.into(), segments: vec![Segment { start: 0, span, linear: true }], ..Expanded::default() }
}

fn read(text: &str) -> (SourceMap, Program, Diagnostics) {
    let mut map = SourceMap::new();
    let expanded = expanded(&mut map, text);
    let (program, mut said) = parse::parse(&mut map, &expanded);
    said.sort(&map);
    (map, program, said)
}

/// One line per message, its notes, places and suggestions below it.
fn listing(map: &SourceMap, said: &Diagnostics) -> String {
    let place = |span| map.position(span).map_or("-".to_string(), |p| format!("{}:{}", p.line, p.column));
    let mut out = String::new();
    for d in said.iter() {
        let kind = if d.lint { "lint" } else { "error" };
        let _ = writeln!(out, "{} {kind}[{}] {}", place(d.span), d.code, d.message);
        for l in &d.labels {
            let _ = writeln!(out, "    at {}: {}", place(l.span), l.text);
        }
        for n in &d.notes {
            let _ = writeln!(out, "    note: {n}");
        }
        for s in &d.suggestions {
            let _ = writeln!(out, "    {}: `{}`", s.text, s.replacement);
        }
    }
    out
}

/// The canonical text of what was read.
fn accept(text: &str, expected: Expect) {
    let (map, program, said) = read(text);
    assert!(!said.has_errors(), "{text}\n{}", listing(&map, &said));
    expected.assert_eq(&print::program(&program));
}

/// The messages; there must be an error among them.
fn reject(text: &str, expected: Expect) {
    let (map, _, said) = read(text);
    assert!(said.has_errors(), "accepted: {text}");
    expected.assert_eq(&listing(&map, &said));
}

fn accept_body(body: &str, expected: Expect) {
    accept(&format!("init {{ {body} }}\n"), expected);
}

fn reject_body(body: &str, expected: Expect) {
    reject(&format!("init {{\n{body}\n}}\n"), expected);
}

#[test]
fn declarations() {
    accept(
        "byte x, y[3], z = 2; hidden int h = -1 + 2; unsigned u : 5; show bool s; local short l int more",
        expect![[r#"
        byte x, y[3], z = 2;
        hidden int h = -1 + 2;
        unsigned u : 5;
        show bool s;
        local short l;
        int more;
    "#]],
    );
    accept(
        "chan a; chan b[2] = [3] of { byte, mtype, mtype:color, chan }; chan c = [0] of { bit };",
        expect![[r#"
        chan a;
        chan b[2] = [3] of { byte, mtype, mtype:color, chan };
        chan c = [0] of { bit };
    "#]],
    );
    accept(
        "mtype = { a, b c,, d } mtype:color = { red } mtype { e } mtype v = a; mtype:color w",
        expect![[r#"
        mtype = { a, b, c, d };

        mtype:color = { red };

        mtype = { e };

        mtype v = a;
        mtype:color w;
    "#]],
    );
    accept(
        "typedef P { byte x\n int y; bool z[2] }\ntypedef Q { P p[2]; unsigned w : 3; };\nQ q; int a[4] = { 1, 'x', true }",
        expect![[r#"
        typedef P {
        	byte x;
        	int y;
        	bool z[2];
        }

        typedef Q {
        	P p[2];
        	unsigned w : 3;
        }

        Q q;
        int a[4] = { 1, 'x', true };
    "#]],
    );
    accept(
        "c_decl { struct { int k; } s; } c_state \"int k\" \"Global\" \"1\" c_track \"&k\" \"sizeof(int)\" c_code { \"}\" }",
        expect![[r#"
        c_decl { struct { int k; } s; }

        c_state "int k" "Global" "1"
        c_track "&k" "sizeof(int)"

        c_code { "}" }
    "#]],
    );
    accept(
        "byte n = 3; int a[n], b[(2 + 1) * -2 % 4]; active [n] proctype P() { skip }",
        expect![[r#"
        byte n = 3;
        int a[n], b[(2 + 1) * -2 % 4];

        active [n] proctype P() {
        	skip
        }
    "#]],
    );
}

#[test]
fn units() {
    accept(
        "active [2] proctype P(byte a, b; chan c) priority 5 provided (full(c) && a > 1) { skip }\nD_proctype D() { skip } init priority 2 { skip }",
        expect![[r#"
        active [2] proctype P(byte a, b; chan c) priority 5 provided (full(c) && a > 1) {
        	skip
        }

        D_proctype D() {
        	skip
        }

        init priority 2 {
        	skip
        }
    "#]],
    );
    accept(
        "byte x; never { do :: x -> break od } never n { skip } trace { L: q!1; if :: q?_ fi } notrace { do :: q?1,2 od } chan q = [1] of { byte }",
        expect![[r#"
        byte x;

        never {
        	do
        	:: x ->
        		break
        	od
        }

        never n {
        	skip
        }

        trace {
        	L: q!1;
        	if
        	:: q?_
        	fi
        }

        notrace {
        	do
        	:: q?1, 2
        	od
        }

        chan q = [1] of { byte };
    "#]],
    );
    accept(
        "ltl p { [] (x -> <> y) } byte x, y; ltl { x U y && !x || y W x V x <-> X y }\ninit { skip }",
        expect![[r#"
        byte x, y;

        init {
        	skip
        }

        ltl p { [] (x -> <> y) }
        ltl { x U y && !x || y W x V x <-> X y }
    "#]],
    );
    accept(
        "init { skip } ltl { always (x implies eventually y) } ltl { not x /\\ y \\/ x until y weakuntil x release y stronguntil next x equivalent y }",
        expect![[r#"
        init {
        	skip
        }

        ltl { [] (x -> <> y) }
        ltl { !x && y || x U y W x V y U X x <-> y }
    "#]],
    );
    accept(
        "proctype P() { ltl inside { [] true } skip }",
        expect![[r#"
        proctype P() {
        	skip
        }

        ltl inside { [] true }
    "#]],
    );
}

#[test]
fn statements() {
    accept_body(
        "x = 1; x++; y[x]--; s.f[1].g = x + 1 -> skip",
        expect![[r#"
        init {
        	x = 1;
        	x++;
        	y[x]--;
        	s.f[1].g = x + 1;
        	skip
        }
    "#]],
    );
    accept_body(
        "q!1,x; q!!1,x; q!a(b,c); q?x,_; q??x,y; q?<x,1>; q??<x,-1>; q?a(b,c); q?(a,b); q?eval(x+1),'c'",
        expect![[r#"
        init {
        	q!1, x;
        	q!!1, x;
        	q!a(b, c);
        	q?x, _;
        	q??x, y;
        	q?<x, 1>;
        	q??<x, -1>;
        	q?a(b, c);
        	q?a, b;
        	q?eval(x + 1), 'c'
        }
    "#]],
    );
    accept_body(
        "if :: x -> y = 1 :: else -> skip; skip :: { x = 1 } fi; do :: break :: else od",
        expect![[r#"
        init {
        	if
        	:: x ->
        		y = 1
        	:: else ->
        		skip;
        		skip
        	:: {
        			x = 1
        		}
        	fi;
        	do
        	:: break
        	:: else
        	od
        }
    "#]],
    );
    accept_body(
        "do\n:: x == 1\n   y = 2\n:: x == 2 -> y = 3\n:: else\n   break\nod\nx = 1\nx++\nskip",
        expect![[r#"
        init {
        	do
        	:: x == 1 ->
        		y = 2
        	:: x == 2 ->
        		y = 3
        	:: else ->
        		break
        	od;
        	x = 1;
        	x++;
        	skip
        }
    "#]],
    );
    accept_body(
        "for (i : 1 .. 3) { skip }; for (i in a)\n{ x = a[i] }\nfor (s.i : x + 1 .. len(q)) { skip }",
        expect![[r#"
        init {
        	for (i : 1 .. 3) {
        		skip
        	};
        	for (i in a) {
        		x = a[i]
        	};
        	for (s.i : x + 1 .. len(q)) {
        		skip
        	}
        }
    "#]],
    );
    accept_body(
        "select (i : 1 .. 3); select (i : 1 .. 34); select (i : x .. 3); select (my_i : 1 .. 3); select (i :\n1 .. 3)",
        expect![[r#"
        init {
        	select (i : 1 .. 3);
        	select (i : (1) .. 34);
        	select (i : x .. 3);
        	select (my_i : (1) .. 3);
        	select (i : (1) .. 3)
        }
    "#]],
    );
    accept_body(
        "atomic { x = 1; y = 2 } d_step\n{ skip }; { skip; { skip } }",
        expect![[r#"
        init {
        	atomic {
        		x = 1;
        		y = 2
        	};
        	d_step {
        		skip
        	};
        	{
        		skip;
        		{
        			skip
        		}
        	}
        }
    "#]],
    );
    accept_body(
        "L1: x = 1; L2: L3: skip; goto L1; L4: ; end:",
        expect![[r#"
        init {
        	L1: x = 1;
        	L2: L3: skip;
        	goto L1;
        	L4:;
        	end:
        }
    "#]],
    );
    accept_body(
        "{ x = 1 } unless { y }; L: x = 1 unless M: do :: y od; do :: x od unless skip",
        expect![[r#"
        init {
        	{
        		x = 1
        	} unless {
        		y
        	};
        	L: x = 1 unless M: do
        	:: y
        	od;
        	do
        	:: x
        	od unless skip
        }
    "#]],
    );
    accept_body(
        "atomic { skip }\nunless { x }",
        expect![[r#"
        init {
        	atomic {
        		skip
        	} unless {
        		x
        	}
        }
    "#]],
    );
    accept_body(
        "assert x > 1 && y; assert(full(q) || x); printf(\"%d\\n\", x, y + 1); printm(x); printf($text$)",
        expect![[r#"
        init {
        	assert(x > 1 && y);
        	assert(full(q) || x);
        	printf("%d\n", x, y + 1);
        	printm(x);
        	printf("text")
        }
    "#]],
    );
    accept_body(
        "int a = 1, b; byte c[2]; x = 2; hidden int d; xr q, r; xs s.q",
        expect![[r#"
        init {
        	int a = 1, b;
        	byte c[2];
        	x = 2;
        	hidden int d;
        	xr q, r;
        	xs s.q
        }
    "#]],
    );
    accept_body(
        "c_code { if (x) { y = '}'; } }; c_expr [p > 0] { now.x == 1 }; c_code [x[0]] { \"}\" }\nskip",
        expect![[r#"
        init {
        	c_code { if (x) { y = '}'; } };
        	c_expr [p > 0] { now.x == 1 };
        	c_code [x[0]] { "}" };
        	skip
        }
    "#]],
    );
    accept_body(
        "run P(); x = run P(1, y) priority 3; set_priority(_pid, 2); get_priority(x) == 1",
        expect![[r#"
        init {
        	run P();
        	x = run P(1, y) priority 3;
        	set_priority(_pid, 2);
        	get_priority(x) == 1
        }
    "#]],
    );
    accept_body(
        "timeout -> x = 1; (timeout && x); x = timeout",
        expect![[r#"
        init {
        	timeout;
        	x = 1;
        	timeout && x;
        	x = timeout
        }
    "#]],
    );
    accept_body(
        "else -> skip; break_ = 1",
        expect![[r#"
        init {
        	else;
        	skip;
        	break_ = 1
        }
    "#]],
    );
}

#[test]
fn expressions() {
    accept_body(
        "x = a + b * c - d / e % f; x = a << 1 + 2 >> b; x = a < b == c > d; x = a & b ^ c | d && e || f",
        expect![[r#"
        init {
        	x = a + b * c - d / e % f;
        	x = a << 1 + 2 >> b;
        	x = a < b == c > d;
        	x = a & b ^ c | d && e || f
        }
    "#]],
    );
    accept_body(
        "x = !a == b; x = -a + ~b; x = - -a; x = ! !a; x = !(a && b); x = -(a + b); x = a - (b - c)",
        expect![[r#"
        init {
        	x = !a == b;
        	x = -a + ~b;
        	x = -(-a);
        	x = !(!a);
        	x = !(a && b);
        	x = -(a + b);
        	x = a - (b - c)
        }
    "#]],
    );
    accept_body(
        "x = (a -> b : c) + ((a -> b : c) -> (d) : e)",
        expect![[r#"
        init {
        	x = (a -> b : c) + ((a -> b : c) -> d : e)
        }
    "#]],
    );
    accept_body(
        "(full(q) && x || nempty(q)); empty(q) && (nfull(r)) ; x = full(q)",
        expect![[r#"
        init {
        	full(q) && x || nempty(q);
        	empty(q) && nfull(r);
        	x = full(q)
        }
    "#]],
    );
    accept_body(
        "q?[x, _] && !q??[1] || len(q) > 2; enabled(x) && pc_value(1) == 2 && np_",
        expect![[r#"
        init {
        	q?[x, _] && !q??[1] || len(q) > 2;
        	enabled(x) && pc_value(1) == 2 && np_
        }
    "#]],
    );
    accept_body(
        "x = 'a' + '\\n' + '\\'' + ''' + true + skip + 4294967295",
        expect![[r#"
        init {
        	x = 'a' + '\n' + '\'' + '\'' + true + skip + 4294967295
        }
    "#]],
    );
    accept_body(
        "x = _pid + _last + _nr_pr; a[b[c[1]].d].e = 1",
        expect![[r#"
        init {
        	x = _pid + _last + _nr_pr;
        	a[b[c[1]].d].e = 1
        }
    "#]],
    );
}

/// A `select` over many digits becomes text that ends with a semicolon.
#[test]
fn select_ends_itself() {
    accept_body(
        "select (i : 1 .. 60) x = 1; if :: select (i : 1 .. 60) :: skip fi",
        expect![[r#"
            init {
            	select (i : (1) .. 60);
            	x = 1;
            	if
            	:: select (i : (1) .. 60)
            	:: skip
            	fi
            }
        "#]],
    );
    reject_body(
        "select (i : 1 .. 3) x = 1",
        expect![[r#"
        2:21 error[missing-semicolon] a `;` is missing before the name `x`
            end the statement with `;`: `;`
    "#]],
    );
    reject_body(
        "if :: select (i : 1 .. 60);; :: skip fi",
        expect![[r#"
        2:28 error[semicolons] too many semicolons at the end of the sequence
            note: one is enough, and even that may be left out
    "#]],
    );
}

#[test]
fn remote() {
    accept(
        "proctype P() { L: skip } never { do :: P@L || P[1]@L || P[x + 1]:v == 2 || P:a[2] > 1 od }",
        expect![[r#"
        proctype P() {
        	L: skip
        }

        never {
        	do
        	:: P@L || P[1]@L || P[x + 1]:v == 2 || P:a[2] > 1
        	od
        }
    "#]],
    );
}

#[test]
fn inlines() {
    accept(
        "inline f(a, b) {\n  a = b;\n\n\tif   :: a -> skip :: else fi }\ninit { f(x, y + 1); atomic { f(x, (y)) } }",
        expect![[r#"
        inline f(a, b) {
        a = b;
        if :: a -> skip :: else fi }

        init {
        	f(x, y + 1);
        	atomic {
        		f(x, (y))
        	}
        }
    "#]],
    );
    accept(
        "inline next(n) { return n + 1 }\ninit { byte x; x = next(x); s.f = next( x  * 2 ) }",
        expect![[r#"
        inline next(n) { return n + 1 }

        init {
        	byte x;
        	x = next(x);
        	s.f = next(x * 2)
        }
    "#]],
    );
    accept(
        "inline one(v) { v = 1 }\ninline two(v) { one(v); one(v) }\ninit { L: two(x); two(x) unless { two(y) } }",
        expect![[r#"
        inline one(v) { v = 1 }

        inline two(v) { one(v); one(v) }

        init {
        	L: two(x);
        	two(x) unless {
        		two(y)
        	}
        }
    "#]],
    );
}

#[test]
fn separators() {
    accept(
        ";; byte x ;; -> init { x = 1;; x = 2 -> ; x = 3; };",
        expect![[r#"
        byte x;

        init {
        	x = 1;
        	x = 2;
        	x = 3
        }
    "#]],
    );
    accept(
        "init { x = 1\nx = 2\n\n  ;\nx = 3\n}\nbyte x",
        expect![[r#"
        init {
        	x = 1;
        	x = 2;
        	x = 3
        }

        byte x;
    "#]],
    );
    accept(
        "init { x-->y; x <=< 1; y !!= 2 }",
        expect![[r#"
        init {
        	x;
        	y;
        	x << 1;
        	y != 2
        }
    "#]],
    );
}

#[test]
fn broken_units() {
    reject(
        "",
        expect![[r#"
        1:1 error[empty-model] the model is empty
            note: a model needs at least one process: `active proctype P() { skip }`
    "#]],
    );
    reject(
        "   \n",
        expect![[r#"
        1:1 error[empty-model] the model is empty
            note: a model needs at least one process: `active proctype P() { skip }`
    "#]],
    );
    reject(
        "x = 1;",
        expect![[r#"
        1:1 error[syntax] `x` cannot stand at top level
            note: at top level there are declarations, process types, `init`, `never`, `ltl`, `inline`
    "#]],
    );
    reject(
        "proctpye P() { skip }",
        expect![[r#"
        1:1 error[syntax] `proctpye` is not a keyword
            did you mean `proctype`?: `proctype`
    "#]],
    );
    reject(
        "proctype P { skip }",
        expect![[r#"
        1:12 error[syntax] expected `(` before the parameters, found `{`
    "#]],
    );
    reject(
        "proctype P() skip",
        expect![[r#"
        1:14 error[syntax] expected `{` before the body of `proctype P`, found `skip`
    "#]],
    );
    reject(
        "proctype () { skip }",
        expect![[r#"
        1:10 error[syntax] expected the name of a process type, found `(`
    "#]],
    );
    reject(
        "proctype P(byte a = 1) { skip }",
        expect![[r#"
        1:19 error[parameter] a parameter cannot have an initialiser
            note: parameters get their values from `run`; with `active` they are zero
    "#]],
    );
    reject(
        "proctype P(byte a, int b) { skip }",
        expect![[r#"
        1:18 error[parameter] parameters of different types are separated by `;`
            write `;`: `;`
    "#]],
    );
    reject(
        "proctype P(byte a;) { skip }",
        expect![[r#"
        1:19 error[syntax] expected a parameter, found `)`
    "#]],
    );
    reject(
        "proctype P(a) { skip }",
        expect![[r#"
        1:12 error[syntax] expected a parameter, found the name `a`
    "#]],
    );
    reject(
        "proctype P() { skip } proctype P() { skip }",
        expect![[r#"
        1:32 error[redefinition] expected the name of a process type, but `P` is a process type
    "#]],
    );
    reject(
        "active init { skip }",
        expect![[r#"
        1:8 error[syntax] expected `proctype` after `active`, found `init`
    "#]],
    );
    reject(
        "active [x + 1] proctype P() { skip }",
        expect![[r#"
        1:11 error[constant] expected a constant, found `+`
            note: only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here, or one variable name in an array bound
    "#]],
    );
    reject(
        "init { skip",
        expect![[r#"
        1:11 error[missing-brace] a closing `}` is missing
            at 1:6: this `{` is not closed
    "#]],
    );
    reject(
        "init { skip } }",
        expect![[r#"
        1:15 error[unmatched] this `}` closes nothing
    "#]],
    );
    reject(
        "init { if :: skip fi",
        expect![[r#"
        1:20 error[missing-brace] a closing `}` is missing
            at 1:6: this `{` is not closed
    "#]],
    );
    reject(
        "init { skip\nproctype P() { skip }\nnever { skip }",
        expect![[r#"
        2:1 error[missing-brace] a closing `}` is missing
            at 1:6: this `{` is not closed
    "#]],
    );
    reject(
        "init { }",
        expect![[r#"
        1:6 error[empty] a block needs at least one statement
            note: write `skip` for a block that does nothing
    "#]],
    );
    reject(
        "init { ; }",
        expect![[r#"
        1:6 error[empty] a block needs at least one statement
            note: write `skip` for a block that does nothing
    "#]],
    );
    reject(
        "never len { skip }",
        expect![[r#"
        1:7 error[keyword] expected a name or `{`, but `len` is a keyword
    "#]],
    );
    reject(
        "proctype P() provided x { skip }",
        expect![[r#"
        1:23 error[syntax] expected `(` after `provided`, found the name `x`
    "#]],
    );
    reject(
        "init priority x { skip }",
        expect![[r#"
        1:15 error[syntax] expected a constant after `priority`, found the name `x`
    "#]],
    );
    reject(
        "ltl p { [] }\ninit { skip }",
        expect![[r#"
        1:12 error[syntax] expected an expression, found `}`
    "#]],
    );
    reject(
        "ltl { x -> y : z } init { skip }",
        expect![[r#"
        1:14 error[syntax] in a formula `->` means implication, so `(c -> a : b)` cannot be used
    "#]],
    );
    reject(
        "ltl { (x -> y : z) } init { skip }",
        expect![[r#"
        1:15 error[syntax] in a formula `->` means implication, so `(c -> a : b)` cannot be used
    "#]],
    );
    reject(
        "ltl { !!x } init { skip }",
        expect![[r#"
        1:7 error[syntax] `!!` is the sorted send, not a double negation
            put a blank between the two: `! !`
    "#]],
    );
    reject(
        "ltl { [] full(q) } init { skip }",
        expect![[r#"
        1:10 error[channel-probe] `full` cannot be used in a formula
            note: compare the length instead: `len(c) == 0`
    "#]],
    );
    reject(
        "ltl [] x init { skip }",
        expect![[r#"
        1:5 error[syntax] expected a name or `{`, found `[`
    "#]],
    );
    reject(
        "trace { x = 1 } init { skip }",
        expect![[r#"
        1:11 error[trace-event] a trace may only hold sends and receives and their control flow
            note: `if`, `do`, `goto`, `break` and labels may stand around them
    "#]],
    );
    reject(
        "inline f(byte a) { skip } init { skip }",
        expect![[r#"
        1:10 error[inline-parameter] the parameters of an inline have no types
            note: write `inline f(a, b) { ... }`: the arguments are put in as text
    "#]],
    );
    reject(
        "inline f(a) skip\ninit { skip }",
        expect![[r#"
        1:13 error[missing-brace] the body of an `inline` stands in braces
            note: expected `{`
    "#]],
    );
    reject(
        "inline f(a, 1) { skip }\ninit { skip }",
        expect![[r#"
        1:13 error[syntax] expected the name of a parameter, found `1`
    "#]],
    );
    reject(
        "inline f(a) { skip ",
        expect![[r#"
        1:13 error[missing-brace] the body of an `inline` stands in braces
            note: the closing `}` is missing: braces in the text must balance
    "#]],
    );
    reject(
        "inline f() { skip }\ninline f() { skip }\ninit { f() }",
        expect![[r#"
        2:8 error[redefinition] the inline `f` is defined twice
            at 1:8: first defined here
    "#]],
    );
    reject(
        "c_code init { skip }",
        expect![[r#"
        1:1 error[c-code] `c_code` needs C text in braces
            note: expected `{`
    "#]],
    );
    reject(
        "c_code { init { skip }",
        expect![[r#"
        1:1 error[c-code] `c_code` needs C text in braces
            note: the closing `}` is missing: braces in the text must balance
    "#]],
    );
    reject(
        "c_state \"int x\"\ninit { skip }",
        expect![[r#"
        2:1 error[syntax] expected a string of `c_state`, which takes two or three, found `init`
    "#]],
    );
    reject(
        "c_track \"x\" \"4\" \"Maybe\"\ninit { skip }",
        expect![[r#"
        1:17 error[c-code] `c_track` takes "Matched", "UnMatched" or "StackOnly", not "Maybe"
    "#]],
    );
    reject(
        "c_code [x { y }",
        expect![[r#"
        1:1 error[c-code] `c_code` needs C text in braces
            note: expected `{`
    "#]],
    );
    reject(
        "/* open",
        expect![[r#"
        1:1 error[comment] this comment is not closed
    "#]],
    );
    reject(
        "#pragma x\ninit { skip }",
        expect![[r#"
        1:1 error[character] '#' is not a character of Promela
            note: a preprocessor line begins with `#` and stands on a line of its own
    "#]],
    );
    reject(
        "if :: skip fi",
        expect![[r#"
        1:1 error[syntax] `if` cannot stand at top level
            note: statements belong into a `proctype` or `init`
    "#]],
    );
    reject(
        "init { skip } café",
        expect![[r#"
        1:15 error[syntax] `caf` cannot stand at top level
            note: at top level there are declarations, process types, `init`, `never`, `ltl`, `inline`
        1:18 error[character] 'é' is not a character of Promela
    "#]],
    );
}

#[test]
fn broken_declarations() {
    reject(
        "int",
        expect![[r#"
        1:3 error[syntax] expected the name of a variable, found the end of the file
    "#]],
    );
    reject(
        "int 5x;",
        expect![[r#"
        1:5 error[syntax] expected the name of a variable, found `5`
    "#]],
    );
    reject(
        "int x y;",
        expect![[r#"
        1:7 error[syntax] `y` cannot stand at top level
            note: at top level there are declarations, process types, `init`, `never`, `ltl`, `inline`
    "#]],
    );
    reject(
        "int x,;",
        expect![[r#"
        1:7 error[syntax] expected the name of a variable, found `;`
    "#]],
    );
    reject(
        "int len;",
        expect![[r#"
        1:5 error[keyword] expected the name of a variable, but `len` is a keyword
    "#]],
    );
    reject(
        "int x = ;",
        expect![[r#"
        1:9 error[syntax] expected an expression, found `;`
    "#]],
    );
    reject(
        "int x[];",
        expect![[r#"
        1:7 error[constant] expected a constant, found `]`
            note: only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here, or one variable name in an array bound
    "#]],
    );
    reject(
        "int x[y + 1];",
        expect![[r#"
        1:9 error[constant] expected a constant, found `+`
            note: only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here, or one variable name in an array bound
    "#]],
    );
    reject(
        "int x[1 << 2];",
        expect![[r#"
        1:9 error[constant] `<<` cannot be used in a constant expression
            note: only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here
    "#]],
    );
    reject(
        "int x[2;",
        expect![[r#"
        1:8 error[syntax] expected `]` to close the array bound, found `;`
    "#]],
    );
    reject(
        "int x : y;",
        expect![[r#"
        1:9 error[syntax] expected a number of bits behind `:`, found the name `y`
    "#]],
    );
    reject(
        "int:foo x;",
        expect![[r#"
        1:5 error[type] only `mtype` has named lists: `:foo` cannot follow this type
            note: a width stands behind the variable: `unsigned x : 5`
    "#]],
    );
    reject(
        "int = { a, b };",
        expect![[r#"
        1:1 error[syntax] a list of names can only be declared as `mtype`, not as `int`
            write `mtype`: `mtype`
    "#]],
    );
    reject(
        "mtype = { };",
        expect![[r#"
        1:11 error[syntax] expected the name of an `mtype` constant, found `}`
    "#]],
    );
    reject(
        "mtype = { a, b",
        expect![[r#"
        1:14 error[missing-brace] a closing `}` is missing
            at 1:9: this `{` is not closed
    "#]],
    );
    reject(
        "mtype = { a, 1 };",
        expect![[r#"
        1:14 error[syntax] expected the name of an `mtype` constant, found `1`
    "#]],
    );
    reject(
        "mtype = { a }; int a;",
        expect![[r#"
        1:20 error[redefinition] expected the name of a variable, but `a` is an `mtype` constant
    "#]],
    );
    reject(
        "hidden mtype = { a };",
        expect![[r#"
        1:1 error[mtype] `hidden` does not apply to `mtype` constants
            remove it: ``
    "#]],
    );
    reject(
        "mtype = { a }; mtype = { a };",
        expect![[r#"
        1:26 error[redefinition] expected the name of an `mtype` constant, but `a` is an `mtype` constant
    "#]],
    );
    reject(
        "chan c = [2] of { byte, };",
        expect![[r#"
        1:25 error[syntax] expected the type of a message field, found `}`
    "#]],
    );
    reject(
        "chan c = [2] { byte };",
        expect![[r#"
        1:14 error[syntax] expected `of` between the capacity and the message type, found `{`
    "#]],
    );
    reject(
        "chan c = [x] of { byte };",
        expect![[r#"
        1:11 error[constant] expected a constant, found the name `x`
            note: only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here, or one variable name in an array bound
    "#]],
    );
    reject(
        "chan c = [2] of { unsigned };",
        expect![[r#"
        1:19 error[type] a message field cannot be `unsigned`
            note: use `byte`, `short` or `int`
    "#]],
    );
    reject(
        "chan c = [2] of { unsigned : 3 };",
        expect![[r#"
        1:19 error[type] a message field cannot be `unsigned`
            note: use `byte`, `short` or `int`
    "#]],
    );
    reject(
        "chan c = [1] of { bite };",
        expect![[r#"
        1:19 error[unknown-type] there is no type called `bite`
            did you mean `bit`?: `bit`
    "#]],
    );
    reject(
        "chan c = [1] of { byte:x };",
        expect![[r#"
        1:24 error[type] only `mtype` has named lists: `:x` cannot follow this type
            note: a width stands behind the variable: `unsigned x : 5`
    "#]],
    );
    reject(
        "chan c = [1] of { byte }, d;",
        expect![[r#"
        1:25 error[comma-after-brace] `}` ends the declaration here
            note: after a list in braces SPIN expects a new declaration: repeat the type
    "#]],
    );
    reject(
        "int a[2] = { 1, 2 }, b;",
        expect![[r#"
        1:20 error[comma-after-brace] `}` ends the declaration here
            note: after a list in braces SPIN expects a new declaration: repeat the type
    "#]],
    );
    reject(
        "int a[2] = { -1 };",
        expect![[r#"
        1:14 error[constant] expected a constant in the list, found `-`
            note: a list initialiser holds plain constants only, without sign or operator
    "#]],
    );
    reject(
        "int a[2] = { };",
        expect![[r#"
        1:14 error[constant] expected a constant in the list, found `}`
            note: a list initialiser holds plain constants only, without sign or operator
    "#]],
    );
    reject(
        "bool b = full(q);",
        expect![[r#"
        1:10 error[channel-probe] `full` cannot stand here
            note: `full`, `empty`, `nfull` and `nempty` may only be joined by `&&` and `||`; `len(c)` has no such limit
    "#]],
    );
    reject(
        "byte x = run P();",
        expect![[r#"
        1:10 error[run] `run` can only be used inside a process
    "#]],
    );
    reject(
        "typedef T { };",
        expect![[r#"
        1:13 error[syntax] expected a field: its type and its name, found `}`
    "#]],
    );
    reject(
        "typedef T { byte x -> int y }",
        expect![[r#"
        1:20 error[syntax] expected `;` between fields, found `->`
    "#]],
    );
    reject(
        "typedef T { byte x byte y }",
        expect![[r#"
        1:18 error[missing-semicolon] a `;` is missing between the fields
    "#]],
    );
    reject(
        "typedef T { byte x }; int T;",
        expect![[r#"
        1:27 error[redefinition] expected the name of a variable, but `T` is a type
    "#]],
    );
    reject(
        "typedef T { x }",
        expect![[r#"
        1:13 error[syntax] expected a field: its type and its name, found the name `x`
    "#]],
    );
    reject(
        "typedef { byte x }",
        expect![[r#"
        1:9 error[syntax] expected the name of a type, found `{`
    "#]],
    );
    reject(
        "typedef T byte x;",
        expect![[r#"
        1:11 error[syntax] expected `{` before the fields of a type, found `byte`
    "#]],
    );
    reject(
        "bytee x;",
        expect![[r#"
        1:1 error[unknown-type] there is no type called `bytee`
            did you mean `byte`?: `byte`
    "#]],
    );
    reject(
        "Foo x;",
        expect![[r#"
        1:1 error[unknown-type] there is no type called `Foo`
            note: a `typedef` must stand before its first use
    "#]],
    );
    reject(
        "hidden x;",
        expect![[r#"
        1:8 error[syntax] expected a type of a declaration, found the name `x`
    "#]],
    );
    reject(
        "unsigned x : 3 : 4;",
        expect![[r#"
        1:16 error[syntax] `:` cannot stand at top level
            note: statements belong into a `proctype` or `init`
    "#]],
    );
}

#[test]
fn broken_statements() {
    reject_body(
        "x = ",
        expect![[r#"
        3:1 error[syntax] expected an expression, found `}`
    "#]],
    );
    reject_body(
        "x = 1 y = 2",
        expect![[r#"
        2:7 error[missing-semicolon] a `;` is missing before the name `y`
            end the statement with `;`: `;`
    "#]],
    );
    reject_body(
        "x == 1\n&& y == 2",
        expect![[r#"
        3:1 error[line-break] a statement cannot begin with `&&`
            at 2:7: SPIN ends the statement at this line break
            note: put the operator at the end of the line before, or parentheses around the expression
    "#]],
    );
    reject_body(
        "do :: x od\nunless { y }",
        expect![[r#"
        3:1 error[line-break] `unless` cannot begin a line here
            at 2:11: SPIN ends the statement at this line break
            note: put `unless` on the line where the statement before it ends, or wrap that in braces
    "#]],
    );
    reject_body(
        "x = 1\n+ 2",
        expect![[r#"
        3:1 error[line-break] a statement cannot begin with `+`
            at 2:6: SPIN ends the statement at this line break
            note: put the operator at the end of the line before, or parentheses around the expression
    "#]],
    );
    reject_body(
        "if (x == 1) { y = 2 } else { y = 3 }\nskip",
        expect![[r#"
        2:4 error[c-syntax] the choices of an `if` are options that begin with `::`
            note: write `if :: (condition) -> ... :: else -> ... fi`
    "#]],
    );
    reject_body(
        "while (x < 3) { x++ }",
        expect![[r#"
        2:1 error[c-syntax] Promela has no `while`
            note: write `do :: (condition) -> ... :: else -> break od`
    "#]],
    );
    reject_body(
        "if\nx = 1\nfi",
        expect![[r#"
        3:1 error[missing-option] expected `::` after `if`, found the name `x`
            note: each choice of `if` begins with `::`
    "#]],
    );
    reject_body(
        "if :: x = 1\nod",
        expect![[r#"
        3:1 error[missing-fi] `if` is closed by `fi`, not by `od`
            at 2:1: opened here
            write `fi`: `fi`
    "#]],
    );
    reject_body(
        "if :: x = 1 -> do :: y fi",
        expect![[r#"
        2:24 error[missing-od] `od` is missing before `fi`
            at 2:16: this `do` is not closed
    "#]],
    );
    reject_body(
        "if :: x -> skip\nx = 1",
        expect![[r#"
        4:1 error[missing-fi] `fi` is missing before `}`
            at 2:1: this `if` is not closed
    "#]],
    );
    reject_body(
        "do { skip } od",
        expect![[r#"
        2:4 error[c-syntax] the body of a `do` is made of options that begin with `::`
            note: write `do :: (condition) -> ... :: else -> break od`
    "#]],
    );
    reject_body(
        "do od",
        expect![[r#"
        2:4 error[missing-option] expected `::` after `do`, found `od`
            note: each choice of `do` begins with `::`
    "#]],
    );
    reject_body(
        "if :: fi",
        expect![[r#"
        2:4 error[empty] this option has no statement
            note: write `:: skip` for an option that does nothing
    "#]],
    );
    reject_body(
        "if :: x :: fi",
        expect![[r#"
        2:9 error[empty] this option has no statement
            note: write `:: skip` for an option that does nothing
    "#]],
    );
    reject_body(
        "fi",
        expect![[r#"
        2:1 error[unmatched] `fi` without `if`
    "#]],
    );
    reject_body(
        "od; skip",
        expect![[r#"
        2:1 error[unmatched] `od` without `do`
    "#]],
    );
    reject_body(
        ":: x = 1",
        expect![[r#"
        2:1 error[unmatched] `::` stands outside `if` and `do`
            note: options begin with `::` between `if` and `fi` or `do` and `od`
    "#]],
    );
    reject_body(
        "(x = 1) -> skip",
        expect![[r#"
        2:4 error[assignment-in-condition] an assignment is not an expression
            to compare, write `==`: `==`
    "#]],
    );
    reject_body(
        "if :: (x = 1) -> skip fi",
        expect![[r#"
        2:10 error[assignment-in-condition] an assignment is not an expression
            to compare, write `==`: `==`
    "#]],
    );
    reject_body(
        "x += 1",
        expect![[r#"
        2:3 error[c-syntax] Promela has no `+=`
            note: write `x = x + ...`
    "#]],
    );
    reject_body(
        "++x",
        expect![[r#"
        2:1 error[increment] `++` stands behind the variable
            note: write `x++`
    "#]],
    );
    reject_body(
        "x =< 1",
        expect![[r#"
        2:3 error[syntax] this is no operator of Promela
            did you mean `<=`?: `<=`
    "#]],
    );
    reject_body(
        "x => 1",
        expect![[r#"
        2:3 error[syntax] this is no operator of Promela
            did you mean `>=`?: `>=`
    "#]],
    );
    reject_body(
        "x == = 1",
        expect![[r#"
        2:6 error[syntax] this `=` is one too many
            remove it: ``
    "#]],
    );
    reject_body(
        "x === 1",
        expect![[r#"
        2:5 error[syntax] this `=` is one too many
            remove it: ``
    "#]],
    );
    reject_body(
        "x = y = 1",
        expect![[r#"
        2:7 error[syntax] only a variable can be assigned to
            to compare, write `==`: `==`
    "#]],
    );
    reject_body(
        "x++ + 1",
        expect![[r#"
        2:5 error[syntax] `+` cannot follow here
    "#]],
    );
    reject_body(
        "(x++)",
        expect![[r#"
        2:3 error[increment] `++` is a statement of its own, not part of an expression
    "#]],
    );
    reject_body(
        "!full(q)",
        expect![[r#"
        2:1 error[channel-probe] use `nfull` instead of `!full`
            write `nfull(q)`: `nfull(q)`
    "#]],
    );
    reject_body(
        "full(q) == 1",
        expect![[r#"
        2:1 error[channel-probe] `full` cannot stand as an operand of `==`
            note: `full`, `empty`, `nfull` and `nempty` may only be joined by `&&` and `||`; `len(c)` has no such limit
    "#]],
    );
    reject_body(
        "full(q) + 1",
        expect![[r#"
        2:1 error[channel-probe] `full` cannot stand as an operand of `+`
            note: `full`, `empty`, `nfull` and `nempty` may only be joined by `&&` and `||`; `len(c)` has no such limit
    "#]],
    );
    reject_body(
        "x = !nempty(q)",
        expect![[r#"
        2:5 error[channel-probe] use `empty` instead of `!nempty`
            write `empty(q)`: `empty(q)`
    "#]],
    );
    reject_body(
        "q!(1,2)",
        expect![[r#"
        2:5 error[syntax] a message is not put in parentheses as a whole
            note: write `c!a,b` or `c!a(b)`
    "#]],
    );
    reject_body(
        "q!",
        expect![[r#"
        3:1 error[syntax] expected an expression, found `}`
    "#]],
    );
    reject_body(
        "q!1,",
        expect![[r#"
        3:1 error[syntax] expected an expression, found `}`
    "#]],
    );
    reject_body(
        "q?",
        expect![[r#"
        3:1 error[receive-pattern] `}` cannot stand in a receive
            note: a receive takes variables, constants, `_` and `eval(expression)`
    "#]],
    );
    reject_body(
        "q?x+1",
        expect![[r#"
        2:4 error[syntax] `+` cannot follow here
    "#]],
    );
    reject_body(
        "q?run",
        expect![[r#"
        2:3 error[receive-pattern] `run` cannot stand in a receive
            note: a receive takes variables, constants, `_` and `eval(expression)`
    "#]],
    );
    reject_body(
        "q?[x",
        expect![[r#"
        3:1 error[syntax] expected `]` to close the pattern of a poll, found `}`
    "#]],
    );
    reject_body(
        "q?<x",
        expect![[r#"
        3:1 error[syntax] expected `>` to close the pattern of `?<...>`, found `}`
    "#]],
    );
    reject_body(
        "x = q?y",
        expect![[r#"
        2:7 error[syntax] a receive is a statement, not an expression
            note: to ask whether it is possible, write `c?[...]`; a conditional is written `(c -> a : b)`
    "#]],
    );
    reject_body(
        "q!1,2(3)",
        expect![[r#"
        2:6 error[missing-semicolon] a `;` is missing before `(`
            end the statement with `;`: `;`
    "#]],
    );
    reject_body(
        "q?eval x",
        expect![[r#"
        2:8 error[syntax] expected `(` after `eval`, found the name `x`
    "#]],
    );
    reject_body(
        "goto",
        expect![[r#"
        3:1 error[syntax] expected a label, found `}`
    "#]],
    );
    reject_body(
        "goto 1",
        expect![[r#"
        2:6 error[syntax] expected a label, found `1`
    "#]],
    );
    reject_body(
        "L: int x",
        expect![[r#"
        2:1 error[label] the label `L` stands before a declaration
            note: a label names a statement; write `skip` behind it, or move it down
    "#]],
    );
    reject_body(
        "L: xr q",
        expect![[r#"
        2:1 error[label] the label `L` stands before `xr` or `xs`
            note: a label names a statement; write `skip` behind it, or move it down
    "#]],
    );
    reject_body(
        "break",
        expect![[r#"
        2:1 error[break] `break` stands outside any loop
            note: `break` leaves the innermost `do` or `for`
    "#]],
    );
    reject_body(
        "else if",
        expect![[r#"
        3:1 error[missing-option] expected `::` after `if`, found `}`
            note: each choice of `if` begins with `::`
    "#]],
    );
    reject_body(
        "for (i = 0; i < 3; i++) { skip }",
        expect![[r#"
        2:8 error[c-syntax] this is not how Promela writes a `for` loop
            note: write `for (i : 1 .. n) { ... }` or `for (i in array) { ... }`
    "#]],
    );
    reject_body(
        "for (i : 1 .. 3) skip",
        expect![[r#"
        2:18 error[syntax] expected `{` before the body of `for`, found `skip`
    "#]],
    );
    reject_body(
        "for (i : 1 to 3) { skip }",
        expect![[r#"
        2:12 error[syntax] expected `..` between the bounds of the loop, found the name `to`
    "#]],
    );
    reject_body(
        "for i : 1 .. 3 { skip }",
        expect![[r#"
        2:5 error[syntax] expected `(` after `for`, found the name `i`
    "#]],
    );
    reject_body(
        "for (i : 1) { skip }",
        expect![[r#"
        2:11 error[syntax] expected `..` between the bounds of the loop, found `)`
    "#]],
    );
    reject_body(
        "select (i : 1)",
        expect![[r#"
        2:14 error[syntax] expected `..` between the bounds of `select`, found `)`
    "#]],
    );
    reject_body(
        "select i",
        expect![[r#"
        2:8 error[syntax] expected `(` after `select`, found the name `i`
    "#]],
    );
    reject_body(
        "select (i : 1 .. 60) unless x",
        expect![[r#"
        2:22 error[unless] `unless` cannot follow a `select` over so many values
            note: SPIN makes two statements of it; put braces around the `select`
    "#]],
    );
    reject_body(
        "for (in : 1 .. 2) { skip }",
        expect![[r#"
        2:6 error[keyword] expected the variable of the loop, but `in` is a keyword
    "#]],
    );
    reject_body(
        "x unless y unless z",
        expect![[r#"
        2:12 error[unless] a statement takes one `unless`
            note: put braces around the inner one: `{ a unless b } unless c`
    "#]],
    );
    reject_body(
        "x unless",
        expect![[r#"
        3:1 error[syntax] expected a statement, found `}`
    "#]],
    );
    reject_body(
        "unless x",
        expect![[r#"
        2:1 error[syntax] expected a statement, found `unless`
    "#]],
    );
    reject_body(
        "atomic x = 1",
        expect![[r#"
        2:8 error[syntax] expected `{` after `atomic`, found the name `x`
    "#]],
    );
    reject_body(
        "atomic { }",
        expect![[r#"
        2:8 error[empty] a block needs at least one statement
            note: write `skip` for a block that does nothing
    "#]],
    );
    reject_body(
        "atomic { x = 1",
        expect![[r#"
        3:1 error[missing-brace] a closing `}` is missing
            at 1:6: this `{` is not closed
    "#]],
    );
    reject_body(
        "{ x = 1 ;;;; }",
        expect![[r#"
        2:12 error[semicolons] too many semicolons at the end of the sequence
            note: one is enough, and even that may be left out
    "#]],
    );
    reject_body(
        "x;;;;",
        expect![[r#"
        2:5 error[semicolons] too many semicolons at the end of the sequence
            note: one is enough, and even that may be left out
    "#]],
    );
    reject_body(
        "assert",
        expect![[r#"
        3:1 error[syntax] expected an expression, found `}`
    "#]],
    );
    reject_body(
        "assert(x",
        expect![[r#"
        3:1 error[missing-paren] expected `)`, found `}`
            at 2:7: this `(` is not closed
    "#]],
    );
    reject_body(
        "printf(x)",
        expect![[r#"
        2:8 error[syntax] expected a string as the first argument of `printf`, found the name `x`
    "#]],
    );
    reject_body(
        "printf(\"a)",
        expect![[r#"
        2:8 error[unterminated-string] the string does not end on this line
            note: a string ends at the next quote on the same line; write `\n` for a line break
        3:1 error[syntax] expected `)` after the arguments of `printf`, found `}`
    "#]],
    );
    reject_body(
        "printf('a')",
        expect![[r#"
        2:8 error[syntax] expected a string as the first argument of `printf`, found `'a'`
    "#]],
    );
    reject_body(
        "printf \"a\"",
        expect![[r#"
        2:8 error[syntax] expected `(` after `printf`, found a string
    "#]],
    );
    reject_body(
        "printm(x + 1)",
        expect![[r#"
        2:10 error[syntax] expected `)` after the argument of `printm`, found `+`
    "#]],
    );
    reject_body(
        "set_priority(1)",
        expect![[r#"
        2:15 error[syntax] expected `,` between the two arguments of `set_priority`, found `)`
    "#]],
    );
    reject_body(
        "mtype = { a }",
        expect![[r#"
        2:1 error[mtype] `mtype` constants are declared at top level
            note: move the declaration out of the process
    "#]],
    );
    reject_body(
        "int x = 1, ",
        expect![[r#"
        3:1 error[syntax] expected the name of a variable, found `}`
    "#]],
    );
    reject_body(
        "run P",
        expect![[r#"
        3:1 error[syntax] expected `(` before the arguments of `run`, found `}`
    "#]],
    );
    reject_body(
        "run (1)",
        expect![[r#"
        2:5 error[syntax] expected the name of a process type after `run`, found `(`
    "#]],
    );
    reject_body(
        "run P(1",
        expect![[r#"
        3:1 error[syntax] expected `)` after the arguments, found `}`
    "#]],
    );
    reject_body(
        "foo(1)",
        expect![[r#"
        2:1 error[unknown-inline] there is no inline called `foo`
    "#]],
    );
    reject_body(
        "prinft(\"x\")",
        expect![[r#"
        2:1 error[unknown-inline] there is no inline called `prinft`
            did you mean `printf`?: `printf`
    "#]],
    );
    reject_body(
        "atomc { skip }",
        expect![[r#"
        2:1 error[syntax] `atomc` is not a keyword that a block may follow
            did you mean `atomic`?: `atomic`
    "#]],
    );
    reject_body(
        "bool_t x",
        expect![[r#"
        2:1 error[syntax] `bool_t` is neither a type nor a keyword, but the name `x` follows
            did you mean `bool`?: `bool`
    "#]],
    );
    reject_body(
        "return 1",
        expect![[r#"
        2:1 error[return] `return` stands outside an inline
            note: a process ends when it reaches its closing brace
    "#]],
    );
    reject_body(
        "x = (a -> b)",
        expect![[r#"
        2:12 error[syntax] expected `:` between the two values of `(c -> a : b)`, found `)`
    "#]],
    );
    reject_body(
        "x = (a -> b : )",
        expect![[r#"
        2:15 error[syntax] expected an expression, found `)`
    "#]],
    );
    reject_body(
        "x = a ? b : c",
        expect![[r#"
        2:9 error[syntax] a receive is a statement, not an expression
            note: to ask whether it is possible, write `c?[...]`; a conditional is written `(c -> a : b)`
    "#]],
    );
    reject_body(
        "x = a[1",
        expect![[r#"
        3:1 error[syntax] expected `]` to close the index, found `}`
    "#]],
    );
    reject_body(
        "x = a.1",
        expect![[r#"
        2:7 error[syntax] expected the name of a field, found `1`
    "#]],
    );
    reject_body(
        "x = 5 5",
        expect![[r#"
        2:7 error[missing-semicolon] a `;` is missing before `5`
            end the statement with `;`: `;`
    "#]],
    );
    reject_body(
        "x = 'ab'",
        expect![[r#"
        2:5 error[character] a character constant is one character in single quotes
            note: write `'a'` or `'\n'`; text of any length belongs in double quotes, and only in `printf`
    "#]],
    );
    reject_body(
        "x = '",
        expect![[r#"
        2:5 error[character] a character constant is one character in single quotes
            note: write `'a'` or `'\n'`; text of any length belongs in double quotes, and only in `printf`
    "#]],
    );
    reject_body(
        "x := 1",
        expect![[r#"
        2:3 error[c-syntax] Promela has no `:=`
            assign with `=`: `=`
    "#]],
    );
    reject_body(
        "x <> y",
        expect![[r#"
        2:3 error[syntax] `<>` means "eventually" and stands only in formulas
            to compare, write `!=`: `!=`
    "#]],
    );
    reject_body(
        "x = 1 }",
        expect![[r#"
        3:1 error[unmatched] this `}` closes nothing
    "#]],
    );
    reject_body(
        "(x",
        expect![[r#"
        3:1 error[missing-paren] expected `)`, found `}`
            at 2:1: this `(` is not closed
    "#]],
    );
    reject_body(
        "x)",
        expect![[r#"
        2:2 error[missing-paren] this `)` closes nothing
    "#]],
    );
    reject_body(
        "x = y !! z",
        expect![[r#"
        2:7 error[syntax] `!!` cannot follow here
    "#]],
    );
    reject_body(
        "x@L",
        expect![[r#"
        2:1 error[remote-reference] `x` is not a process type that is defined before this place
            note: put the proctype first: SPIN reads from top to bottom
    "#]],
    );
    reject_body(
        "P@L",
        expect![[r#"
        2:1 error[remote-reference] `P` is not a process type that is defined before this place
            note: put the proctype first: SPIN reads from top to bottom
    "#]],
    );
    reject_body(
        "proctype",
        expect![[r#"
        2:1 error[missing-brace] a closing `}` is missing
            at 1:6: this `{` is not closed
        3:1 error[syntax] expected the name of a process type, found `}`
    "#]],
    );
    reject_body(
        "x = @",
        expect![[r#"
        2:5 error[syntax] expected an expression, found `@`
    "#]],
    );
    reject_body(
        "x = “a”",
        expect![[r#"
        2:5 error[character] '“' is not a character of Promela
            use a plain double quote: `"`
        2:7 error[character] '”' is not a character of Promela
            use a plain double quote: `"`
    "#]],
    );
    reject_body(
        "a → b",
        expect![[r#"
        2:3 error[character] '→' is not a character of Promela
            write `->`: `->`
    "#]],
    );
    reject_body(
        "x = a ≤ b",
        expect![[r#"
        2:7 error[character] '≤' is not a character of Promela
            write `<=`: `<=`
    "#]],
    );
    reject_body(
        "case x",
        expect![[r#"
        2:1 error[c-syntax] Promela has no `case`
            note: write `if :: (a) -> ... :: (b) -> ... :: else -> ... fi`
    "#]],
    );
    reject_body(
        "c_expr { x = 1 }",
        expect![[r#"
        2:1 error[c-expr] a `c_expr` must not have side effects
            note: calls, assignments, `++`, `--` and `;` belong into `c_code`
    "#]],
    );
    reject_body(
        "c_expr { f(x) }",
        expect![[r#"
        2:1 error[c-expr] a `c_expr` must not have side effects
            note: calls, assignments, `++`, `--` and `;` belong into `c_code`
    "#]],
    );
    reject_body(
        "skip,",
        expect![[r#"
        2:5 error[syntax] unexpected `,` after a statement
    "#]],
    );
    reject_body(
        "\"text\"",
        expect![[r#"
        2:1 error[syntax] expected a statement, found a string
    "#]],
    );
    reject_body(
        "in = 1; x = of",
        expect![[r#"
        2:13 error[syntax] expected an expression, found `of`
    "#]],
    );
}

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

/// A formula of the command line knows the names of the program.
#[test]
fn lone_formula() {
    let mut map = SourceMap::new();
    let text = expanded(&mut map, "byte x; proctype P() { L: skip }");
    let (mut program, _) = parse::parse(&mut map, &text);
    let before = program.ident_count;
    let text = expanded(&mut map, "[] (P[0]@L -> <> x == 1)");
    let (formula, said) = parse::parse_formula(&mut map, &text, &mut program);
    assert!(said.is_empty());
    expect![[r#"[] (P[0]@L -> <> x == 1)"#]].assert_eq(&print::expr(&formula.expect("a formula")));
    assert!(program.ident_count > before);
    let text = expanded(&mut map, "[] (x -> ) ");
    let (_, said) = parse::parse_formula(&mut map, &text, &mut program);
    assert!(said.has_errors());
}
