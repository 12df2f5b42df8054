//! Other directives, mistakes in them, included files, the command line.

use super::*;

#[test]
fn definition_errors() {
    check_messages(
        "#define\n#define 3\n#define defined\n#undef\n#undef +\n",
        expect![[r#"
        error[macro-definition] m:1:2: no macro name given in `#define`
        error[macro-definition] m:2:9: a macro name must be an identifier
        error[macro-definition] m:3:9: `defined` cannot be the name of a macro
        error[macro-definition] m:4:2: no macro name given in `#undef`
        error[macro-definition] m:5:8: a macro name must be an identifier
    "#]],
    );
    check_messages(
        "#define F(\n#define F(a\n#define F(a,)\n#define F(a a)\n#define F(a, a)\n#define F(... a)\n",
        expect![[r#"
            error[macro-definition] m:1:11: expected a parameter name
            error[macro-definition] m:2:12: expected `,` or `)` in the parameter list
            error[macro-definition] m:3:13: expected a parameter name
            error[macro-definition] m:4:13: expected `,` or `)` in the parameter list
            error[macro-definition] m:5:14: duplicate macro parameter `a`
            error[macro-definition] m:6:15: expected `)` after `...`
        "#]],
    );
    check_messages(
        "#define F(a) #b\n#define F(a) a #\n#define A ## b\n#define A b ##\n#define A+1\n",
        expect![[r#"
        error[macro-definition] m:1:14: `#` is not followed by a macro parameter
        error[macro-definition] m:2:16: `#` is not followed by a macro parameter
        error[macro-definition] m:3:11: `##` cannot stand at either end of a macro's text
        error[macro-definition] m:4:13: `##` cannot stand at either end of a macro's text
        warning[macro-definition] m:5:10: no white space between the name of the macro and its text
    "#]],
    );
    check_messages(
        "#define A 1\n#define A 1\n#define A  1 /* same */\n#define A 2\n#undef A\n#define A 3\n",
        expect![[r#"
            warning[macro-redefined] m:4:9: `A` redefined
              m:3:9: the previous definition is here
        "#]],
    );
    check_messages(
        "#define F(a) a\n#define F(b) b\n#define __LINE__ 3\n",
        expect![[r#"
        warning[macro-redefined] m:2:9: `F` redefined
          m:1:9: the previous definition is here
        warning[macro-redefined] m:3:9: built-in macro `__LINE__` redefined
    "#]],
    );
}

#[test]
fn call_errors() {
    check(
        "#define F(a, b) a b\nF(1) F(1, 2, 3) F() x\n#define G() 1\nG(1)\n",
        expect![[r#"

        F    F          F   x

        G
        error[macro-arguments] m:2:1: macro `F` requires 2 arguments, but only 1 given
          m:1:9: the macro is defined here
        error[macro-arguments] m:2:6: macro `F` takes 2 arguments, but 3 are given
          m:1:9: the macro is defined here
        error[macro-arguments] m:2:17: macro `F` requires 2 arguments, but only 1 given
          m:1:9: the macro is defined here
        error[macro-arguments] m:4:1: macro `G` takes 0 arguments, but 1 is given
          m:3:9: the macro is defined here
    "#]],
    );
    check(
        "#define F(a, b) a b\nx F(1, (2,\n3)\n\n",
        expect![[r#"

        x


          F
        error[unterminated-macro-call] m:2:3: the argument list of macro `F` is never closed
          m:1:9: the macro is defined here
    "#]],
    );
    check(
        "#define V(a, b, ...) x\nV(1)\n",
        expect![[r#"

        V
        error[macro-arguments] m:2:1: macro `V` requires 2 arguments, but only 1 given
          m:1:9: the macro is defined here
    "#]],
    );
}

#[test]
fn other_errors() {
    check(
        "#error  no \\\n way  \nx\n#warning careful\n#if 0\n#error unseen\n#endif\n",
        expect![[r#"


        x
        error[error-directive] m:1:2: #error no  way
        warning[warning-directive] m:4:2: #warning careful
    "#]],
    );
    check(
        "#defin X\n#inclde \"f\"\n#!x\n#if 0\n#defin\n#endif\n",
        expect![[r#"
        error[unknown-directive] m:1:1: invalid preprocessing directive `#defin`
          did you mean `#define`? -> define
        error[unknown-directive] m:2:1: invalid preprocessing directive `#inclde`
          did you mean `#include`? -> include
        error[unknown-directive] m:3:1: invalid preprocessing directive `#!`
    "#]],
    );
    check(
        "x /* no end\ny\n",
        expect![[r#"
        x
        error[unterminated-comment] m:1:3: this comment is never closed
    "#]],
    );
    check(
        "x \"no end\ny 'z\nz\n#define A don't\n",
        expect![[r#"
        x "no end
        y 'z
        z
        error[unterminated-string] m:1:3: missing terminating " character
        error[unterminated-string] m:2:3: missing terminating ' character
        warning[unterminated-string] m:4:14: missing terminating ' character
    "#]],
    );
    check(
        "#if 1\n#if 0\nx\n",
        expect![[r#"
        error[unterminated-conditional] m:2:2: this conditional is never closed
        error[unterminated-conditional] m:1:2: this conditional is never closed
    "#]],
    );
}

#[test]
fn lines() {
    check(
        "__LINE__ __FILE__\n#line 70\n__LINE__\n#line 80 \"g\\\\h\"\n__LINE__ __FILE__\n# 5 \"k\" 1 3\n__LINE__ __FILE__\n",
        expect![[r#"
            1 "m"

            70

            80 "g\\h"

            5 "k"
        "#]],
    );
    check(
        "#define L __LINE__\n#define ID(x) x\nID(\n__LINE__\nL\n) L ID(__LINE__\n)\n",
        expect![[r#"


        4 5


         6 6
    "#]],
    );
    check(
        "#define N 9\n#line N\n__LINE__\n#line x\n#line 3 4\n#line 99999999999\n",
        expect![[r#"


        9
        error[line-directive] m:10:7: expected a line number
        error[line-directive] m:11:9: expected a file name in quotes
        error[line-directive] m:12:7: expected a line number
    "#]],
    );
    check(
        "#line 40 \"g\"\n#error here\n",
        expect![[r#"
        error[error-directive] g:40:2: #error here
    "#]],
    );
}

#[test]
fn pragmas_and_built_in_macros() {
    check(
        "#pragma anything goes\n#ident \"x\"\n#sccs \"y\"\nz\n",
        expect![[r#"



        z
    "#]],
    );
    check(
        "__COUNTER__ __COUNTER__ __INCLUDE_LEVEL__ __STDC__ __BASE_FILE__ __DATE__\n",
        expect![[r#"
        0 1 0 1 "m" "??? ?? ????"
    "#]],
    );
}

#[test]
fn includes() {
    check_files(
        "a\n#include \"sub/one\"\nb __INCLUDE_LEVEL__\n#include <two>\nc\n",
        &[
            ("sub/one", "one __FILE__ __LINE__ __INCLUDE_LEVEL__\n#include \"near\"\n#define IN 5"),
            ("sub/near", "near"),
            ("lib/two", "two IN\n"),
        ],
        expect![[r#"
            a
            one "sub/one" 1 1
            near

            b 0
            two 5

            c
        "#]],
    );
    check_files(
        "#define H \"one\"\n#define L <two>\n#include H\n#include L\n",
        &[("one", "1"), ("lib/two", "2")],
        expect![[r#"
            1
            2
        "#]],
    );
    check_files(
        "#include \"gone\"\nx\n#include\n#include one\n#include <one\n#include \"one\" x\n",
        &[("one", "1")],
        expect![[r#"

            x
            1
            error[include-not-found] m:1:10: cannot include `gone`
            error[include-syntax] m:3:2: `#include` expects "file" or <file>
            error[include-syntax] m:4:10: `#include` expects "file" or <file>
            error[include-syntax] m:5:10: `#include` expects "file" or <file>
            warning[extra-tokens] m:6:16: extra tokens at the end of `#include`
        "#]],
    );
    check_files(
        "#include \"once\"\n#include \"once\"\n#import \"one\"\n#import \"one\"\n",
        &[("once", "#pragma once\nx"), ("one", "y")],
        expect![[r#"

            x
            y
        "#]],
    );
    check_files(
        "#if __has_include(\"one\") && !__has_include(<gone>)\nyes\n#endif\n",
        &[("one", "1")],
        expect![[r#"

        yes
    "#]],
    );
    check_files(
        "#include \"bad\"\nx\n",
        &[("bad", "#if 1\n\"open\nF")],
        expect![[r#"

        "open
        F

        x
        error[unterminated-string] bad:2:1: missing terminating " character
        error[unterminated-conditional] bad:1:2: this conditional is never closed
    "#]],
    );
    check_files(
        "#define F(x) x\n#include \"f\"\n(1)\nF(\n#include \"f\"\n2)\n",
        &[("f", "F")],
        expect![[r#"
        F

        (1)

        F

        2)
        error[unterminated-macro-call] m:4:1: the argument list of macro `F` is never closed
          m:1:9: the macro is defined here
    "#]],
    );
}

#[test]
fn comments_that_speak_to_us() {
    let input = "/* ferrospin: allow(a-b, c) */ x // ferrospin: deny(d) allow( e )
/* about ferrospin: no */
#define F(x) x
F /* ferrospin: allow(f) */
y
#if 0
// ferrospin: allow(g)
#endif
//ferrospin:permit(h)
";
    let (map, expanded, diagnostics) = run(input, &Options::default(), Vec::new());
    let mut out = show(&map, &Expanded::default(), &diagnostics);
    for p in &expanded.pragmas {
        assert_eq!(map.snippet(p.span), p.code);
        writeln!(out, "{} {}", if p.deny { "deny" } else { "allow" }, p.code).unwrap();
    }
    expect![[r#"
        warning[bad-pragma] m:9:13: this comment is not understood
        allow a-b
        allow c
        deny d
        allow e
        allow f
    "#]]
    .assert_eq(&out);
}

#[test]
fn command_line() {
    let set = |n: &str, v: Option<&str>| Define::Set(n.to_string(), v.map(str::to_string));
    let options = Options {
        defines: vec![
            set("N", None),
            set("M", Some("a + b")),
            set("F(x)", Some("x+1")),
            set("G=7", None),
            set("E", Some("")),
            set("U", None),
            Define::Unset("U".to_string()),
            set("two words", Some("1\n#define HIDDEN 1")),
            set("3", None),
        ],
        ..Options::default()
    };
    let input = "N M F(2) G [E] U two HIDDEN __LINE__\n#define N 2\nN\n";
    let (map, expanded, diagnostics) = run(input, &options, Vec::new());
    expect![[r#"
        1 a + b 2 +1 7 [] U words 1 HIDDEN 1

        2
        error[macro-definition] <command line>:9:9: a macro name must be an identifier
        warning[macro-redefined] m:2:9: `N` redefined
          <command line>:1:9: the previous definition is here
    "#]]
    .assert_eq(&show(&map, &expanded, &diagnostics));
    check_spans(
        "N M\n",
        &options,
        expect![[r#"
        1 at m:1:1, `1` at <command line>:1:11 in N
        a at m:1:3, `a` at <command line>:2:11 in M
        + at m:1:3, `+` at <command line>:2:13 in M
        b at m:1:3, `b` at <command line>:2:15 in M
    "#]],
    );
}
