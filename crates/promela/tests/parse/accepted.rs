//! What is accepted, and as what.

use super::*;

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

/// A formula of the command line knows the names of the program.
#[test]
fn lone_formula() {
    let mut map = SourceMap::new();
    let text = expanded(&mut map, "byte x; proctype P() { L: skip }");
    let (program, _) = parse::parse(&mut map, &text);
    let before = program.ident_count;
    let text = expanded(&mut map, "[] (P[0]@L -> <> x == 1)");
    let (formula, said) = parse::parse_formula(&mut map, &text, &program);
    assert!(said.is_empty());
    let formula = formula.expect("a formula");
    expect![[r#"[] (P[0]@L -> <> (x == 1))"#]].assert_eq(&print::expr(&formula.expr));
    assert!(formula.ident_count > before);
    let text = expanded(&mut map, "[] (x -> ) ");
    let (_, said) = parse::parse_formula(&mut map, &text, &program);
    assert!(said.has_errors());
}
