//! The preprocessor: what it prints, what it complains about, and where the text came from.

use expect_test::{Expect, expect};
use ferrospin_promela::preprocess::{Define, Expanded, Loader, Options, preprocess};
use ferrospin_source::{Diagnostics, Severity, SourceMap, Span};
use std::fmt::Write as _;
use std::sync::Arc;

/// Files by name; the folder of the includer and the directories are tried as prefixes.
struct Files(Vec<(&'static str, String)>);

impl Loader for Files {
    fn load(&mut self, includer: &str, name: &str, dirs: &[String]) -> Result<(Arc<str>, String), String> {
        let folder = includer.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let places = std::iter::once(folder).chain(dirs.iter().map(|d| format!("{d}/")));
        for place in places {
            let path = format!("{place}{name}");
            if let Some((_, text)) = self.0.iter().find(|(n, _)| *n == path) {
                return Ok((text.as_str().into(), path));
            }
        }
        Err("no such file".to_string())
    }
}

fn run(input: &str, options: &Options, files: Vec<(&'static str, String)>) -> (SourceMap, Expanded, Diagnostics) {
    let mut map = SourceMap::new();
    let file = map.add_file("m", input);
    let (expanded, diagnostics) = preprocess(&mut map, file, options, &mut Files(files));
    well_formed(&map, &expanded);
    (map, expanded, diagnostics)
}

/// Segments are sorted and lie in the text, and linear ones spell what stands there.
fn well_formed(map: &SourceMap, expanded: &Expanded) {
    for pair in expanded.segments.windows(2) {
        assert!(pair[0].start <= pair[1].start, "segments are sorted");
    }
    for (i, s) in expanded.segments.iter().enumerate() {
        let end = expanded.segments.get(i + 1).map_or(expanded.text.len(), |n| n.start as usize);
        let part = &expanded.text[s.start as usize..end];
        if s.linear {
            let word = part.split_ascii_whitespace().next().unwrap_or("");
            let span = expanded.span(s.start as usize, s.start as usize + word.len());
            assert_eq!(map.snippet(span), word, "a linear segment spells its text");
        }
    }
}

fn show(map: &SourceMap, expanded: &Expanded, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for line in expanded.text.lines() {
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    for d in diagnostics.iter() {
        let place = map.position(d.span).map_or("-".to_string(), |p| format!("{}:{}:{}", p.file, p.line, p.column));
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        writeln!(out, "{severity}[{}] {place}: {}", d.code, d.message).unwrap();
        for l in &d.labels {
            let p = map.position(l.span).expect("labels have places");
            writeln!(out, "  {}:{}:{}: {}", p.file, p.line, p.column, l.text).unwrap();
        }
        for s in &d.suggestions {
            writeln!(out, "  {} -> {}", s.text, s.replacement).unwrap();
        }
    }
    out
}

fn check(input: &str, expected: Expect) {
    check_files(input, &[], expected);
}

fn check_files(input: &str, files: &[(&'static str, &str)], expected: Expect) {
    let files = files.iter().map(|(n, t)| (*n, t.to_string())).collect();
    let options = Options { include_dirs: vec!["lib".to_string()], ..Options::default() };
    let (map, expanded, diagnostics) = run(input, &options, files);
    expected.assert_eq(&show(&map, &expanded, &diagnostics));
}

/// Only the messages, for input whose text is of no interest.
fn check_messages(input: &str, expected: Expect) {
    let (map, _, diagnostics) = run(input, &Options::default(), Vec::new());
    expected.assert_eq(&show(&map, &Expanded::default(), &diagnostics));
}

/// The words of the expansion, each with the place a message points at, where it is spelled, and its macros.
fn check_spans(input: &str, options: &Options, expected: Expect) {
    let (map, expanded, _) = run(input, options, Vec::new());
    let mut out = String::new();
    let at = |pos: u32| map.position_of(pos).map_or("-".into(), |p| format!("{}:{}:{}", p.file, p.line, p.column));
    let mut lo = 0;
    for word in expanded.text.split_inclusive(char::is_whitespace) {
        let text = word.trim_end();
        if !text.is_empty() {
            let span = expanded.span(lo, lo + text.len());
            let chain: Vec<&str> = map.backtrace(span).map(|e| &*e.name).collect();
            write!(out, "{text} at {}", at(map.primary(span).lo)).unwrap();
            if !chain.is_empty() {
                write!(out, ", `{}` at {} in {}", map.snippet(span), at(span.lo), chain.join(" < ")).unwrap();
            }
            out.push('\n');
        }
        lo += word.len();
    }
    expected.assert_eq(&out);
}

#[test]
fn object_like_macros() {
    check(
        "#define N 3\n#define M N + 1\nbyte a[M]; N.N\n",
        expect![[r#"


        byte a[3 + 1]; 3 . 3
    "#]],
    );
    check(
        "#define EMPTY\nx EMPTY y EMPTY;\nEMPTY\nz\n",
        expect![[r#"

        x       y      ;

        z
    "#]],
    );
    check(
        "#define A B\n#define B A\nA B\n#undef A\nA B\n",
        expect![[r#"


        A B

        A A
    "#]],
    );
    check(
        "#define ready (x == 1)\nready -> ready_2; /* ready */ \"ready\" 'r' // ready\n",
        expect![[r#"

        (x == 1) -> ready_2;             "ready" 'r'
    "#]],
    );
}

#[test]
fn function_like_macros() {
    check(
        "#define MAX(a, b) ((a) > (b) -> (a) : (b))\nx = MAX(MAX(1, 2), f(3, 4));\n",
        expect![[r#"

        x = ((((1) > (2) -> (1) : (2))) > (f(3, 4)) -> (((1) > (2) -> (1) : (2))) : (f(3, 4)));
    "#]],
    );
    check(
        "#define f(x) x\nf f (1) f\n(2) f[3]\nf\n",
        expect![[r#"

        f 1 2
            f[3]
        f
    "#]],
    );
    check(
        "#define g() y\ng() g( ) g\n#define h(x) [x]\nh() h( ) h((,))\n",
        expect![[r#"

        y y g

        [] [] [(,)]
    "#]],
    );
    check(
        "#define f(x) x*g\n#define g(x) f(x)\nf(2)(9)\n#define ME(x) ME(x) y\nME(ME(3))\n",
        expect![[r#"


        2*9*g

        ME(ME(3) y) y
    "#]],
    );
    check(
        "#define id(x) x\n#define LP (\n#define RP )\nid(id LP 1 RP)\nid LP 2 RP\n",
        expect![[r#"



        id ( 1 )
        id ( 2 )
    "#]],
    );
}

#[test]
fn examples_of_the_c_standard() {
    check(
        "#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
",
        expect![[r#"














            f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
            f(2 * (2 +(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))
               ^m(0,1);
            int i[] = { 1, 23, 4, 5,      };
            char c[2][6] = { "hello", "" };
        "#]],
    );
    check(
        "#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW \"hello\"
#define LOW LOW \", world\"
debug(1, 2);
fputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
#define t(x,y,z) x ## y ## z
t(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,)|
",
        expect![[r#"








            printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
            fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s);
            "vers2.h"
            "hello";
            "hello" ", world"

            123 45 67 89 10 11 12 |
        "#]],
    );
}

#[test]
fn stringify_and_paste() {
    check(
        "#define S(x) #x\nS( a  \"b\\n\" 'c'\n d ) S() S(1 + /* c */ 2) S(\\)\n",
        expect![[r#"

        "a \"b\\n\" 'c' d"
         "" "1 + 2" ""
    "#]],
    );
    check(
        "#define P(a, b) a ## b\nP(x, y) P(, z) P(z, )| P(1, N) P(-, >) P(x, P(y, z))\n",
        expect![[r#"

        xy z z| 1N -> xP(y, z)
    "#]],
    );
    check(
        "#define CAT a ## b ## c\nCAT # x ## y\n",
        expect![[r#"

        abc # x ## y
    "#]],
    );
    check(
        "#define P(a, b) a ## b\nP(+, x) P(/, /)\n",
        expect![[r#"

        + x / /
        error[macro-paste] m:2:3: pasting `+` and `x` does not give a valid token
        error[macro-paste] m:2:11: pasting `/` and `/` does not give a valid token
    "#]],
    );
}

#[test]
fn variadic_macros() {
    check(
        "#define log(f, ...) printf(f, __VA_ARGS__)
#define gnu(f, a...) printf(f, ## a)
#define sole(...) f(x, ## __VA_ARGS__)
#define all(a...) [a]
log(\"a\", 1, 2)
gnu(\"b\") gnu(\"b\",) gnu(\"b\", (1, 2), 3)
sole() sole(1) all() all(1, 2)
",
        expect![[r#"




            printf("a", 1, 2)
            printf("b") printf("b",) printf("b", (1, 2), 3)
            f(x) f(x,1) [] [1, 2]
        "#]],
    );
}

#[test]
fn newlines_are_those_of_gcc() {
    check(
        "a\n\n\nb /* x\n\n */ c\nd \\\n e\nf\\\ng\n",
        expect![[r#"
        a


        b

            c
        d
         e
        fg
    "#]],
    );
    check(
        "#define F(a, b) a + b\nx F(1,\n  2) y z\nF(1,\n2)y\nF(\n\n1,2)\nF(1,2)F(3,\n4)F(5,6)\n",
        expect![[r#"

        x 1 + 2
             y z
        1 + 2
          y
        1 + 2


        1 + 2 3 + 4
         5 + 6
    "#]],
    );
    check(
        "#define F(a, b) a + b\nF(\n#define Q 3\nQ,\n#ifdef Q\n4\n#endif\n) w\n",
        expect![[r#"

        3 + 4





          w
    "#]],
    );
    check(
        "a\r\n#define N 1\r\nN\r\n\tb \\\r\n c\r\n",
        expect![[r#"
        a

        1
        	b
         c
    "#]],
    );
}

#[test]
fn spaces_keep_tokens_apart() {
    check(
        "#define M -x\n#define E\n-M M-M +M -E- x E=E= <E< 1E. N E. :E: !E= !M\n",
        expect![[r#"


        - -x -x- -x +-x - - x  = = < < 1E. N  . : : ! = !-x
    "#]],
    );
    check(
        "#define I(x) x\nI(x)I(5) I(x)5 I(1)I(x) I(.)I(.) I(&)& I(->)* I(/)/ x\n#define M !x\nc!M c!!x\n",
        expect![[r#"

            x 5 x 5 1 x . . & & -> * / / x

            c!!x c!!x
        "#]],
    );
}

#[test]
fn preprocessing_numbers() {
    check(
        "#define N 4\nfor (i : 1..N) for (i : 1 .. N) a[0..N2] 1..N-1 x..N 0x1N 1.5 .5N 1e+N\n",
        expect![[r#"

        for (i : 1..N) for (i : 1 .. 4) a[0..N2] 1..N-1 x.. 4 0x1N 1.5 .5N 1e+N
        warning[macro-in-number] m:2:10: macro `N` is not expanded here
          put spaces around the dots -> 1 .. N
        warning[macro-in-number] m:2:42: macro `N` is not expanded here
          put spaces around the dots -> 1 .. N
    "#]],
    );
    check(
        "#define N 4\n#define R 0..N\nfor (i : R) R\n",
        expect![[r#"


        for (i : 0..N) 0..N
        warning[macro-in-number] m:3:10: macro `N` is not expanded here
          put spaces around the dots -> 0 .. N
    "#]],
    );
}

#[test]
fn conditionals() {
    check(
        "#ifdef A\n1\n#else\n2\n#endif\n#define A\n#ifdef A\n3\n#else\n4\n#endif\n#ifndef A\n5\n#endif\n",
        expect![[r#"



            2



            3
        "#]],
    );
    check(
        "#if 0\n1\n#elif 1\n2\n#elif 1 / 0\n3\n#else\n4\n#endif\n",
        expect![[r#"



        2
    "#]],
    );
    check(
        "#if 0\n#if 1\n1\n#else\n2\n#endif\n#elif !defined X\n3\n#endif\n",
        expect![[r#"







        3
    "#]],
    );
    check(
        "#if 0\n don't \"x /* \n#bogus\n#endif x\n */\n#endif\nok\n",
        expect![[r#"




         */

        ok
        warning[extra-tokens] m:4:8: extra tokens at the end of `#endif`
        error[conditional-order] m:6:2: `#endif` without `#if`
    "#]],
    );
    check(
        " # if 1 // yes\n/* c */ # define X /* two\nlines */ 7\n#\n# // null\nX\n\t#endif /* 1 */\n",
        expect![[r#"





        7
    "#]],
    );
}

/// Evaluates conditions and tells which hold.
fn check_conditions(conditions: &[&str], expected: Expect) {
    let mut out = String::new();
    for c in conditions {
        let input = format!("#define ONE 1\n#define F(x) (x + ONE)\n#define NONE\n#if {c}\nyes\n#else\nno\n#endif\n");
        let (_, expanded, diagnostics) = run(&input, &Options::default(), Vec::new());
        let said: Vec<&str> = diagnostics.iter().map(|d| &*d.message).collect();
        writeln!(out, "{c} => {}", format!("{} {}", expanded.text.trim(), said.join(", ")).trim_end()).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn condition_values() {
    check_conditions(
        &[
            "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9",
            "2 - 1 - 1 == 0 && 100 / 10 / 5 == 2 && 7 % 4 == 3",
            "1 << 3 == 8 && -16 >> 2 == -4 && 1 << -1 == 0",
            "1 | 2 ^ 3 & 2",
            "~0 == -1 && !0 && - -1 == +1",
            "1 ? 0 ? 5 : 0 : 7",
            "0 ? 1 : 0 ? 1 : 3",
            "(1, 2) == 2",
            "-1 > 0u",
            "-1 < 0",
            "0x1F == 31 && 010 == 8 && 0b11 == 3 && 10UL == 10llu",
            "'a' == 97 && '\\n' == 10 && '\\x41' == 'A' && '\\101' == 65 && '\\0' == 0 && 'ab' == 24930",
            "18446744073709551615 == -1",
            "-9223372036854775807 - 1 < 0",
            "defined ONE && defined(F) && !defined TWO && !defined(two)",
            "F(2) == 3 && F (ONE) == 2",
            "undefined_name == 0 && true == 0",
            "0 && 1 / 0 || 1 || 2 % 0",
            "1 ? 2 : 3 / 0",
            "__LINE__ == 4",
            "F",
        ],
        expect![[r#"
            1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 => yes
            2 - 1 - 1 == 0 && 100 / 10 / 5 == 2 && 7 % 4 == 3 => yes
            1 << 3 == 8 && -16 >> 2 == -4 && 1 << -1 == 0 => yes
            1 | 2 ^ 3 & 2 => yes
            ~0 == -1 && !0 && - -1 == +1 => yes
            1 ? 0 ? 5 : 0 : 7 => no
            0 ? 1 : 0 ? 1 : 3 => yes
            (1, 2) == 2 => yes
            -1 > 0u => yes
            -1 < 0 => yes
            0x1F == 31 && 010 == 8 && 0b11 == 3 && 10UL == 10llu => yes
            'a' == 97 && '\n' == 10 && '\x41' == 'A' && '\101' == 65 && '\0' == 0 && 'ab' == 24930 => yes
            18446744073709551615 == -1 => yes
            -9223372036854775807 - 1 < 0 => yes
            defined ONE && defined(F) && !defined TWO && !defined(two) => yes
            F(2) == 3 && F (ONE) == 2 => yes
            undefined_name == 0 && true == 0 => yes
            0 && 1 / 0 || 1 || 2 % 0 => yes
            1 ? 2 : 3 / 0 => yes
            __LINE__ == 4 => yes
            F => no
        "#]],
    );
}

#[test]
fn condition_errors() {
    check_conditions(
        &[
            "",
            "NONE",
            "1 +",
            "1 2",
            "(1",
            "1)",
            "1 ? 2",
            "(1 ? 2)",
            "1 : 2",
            "1 / 0",
            "1 % NONE 0",
            "\"s\"",
            "x = 1",
            "1.5",
            "08",
            "12ab",
            "''",
            "99999999999999999999",
            "defined",
            "defined 3",
            "defined (X",
            "ONE(2)",
            "* 2",
            "1 + #",
            "@",
            "1..N",
            "()",
            "F(1",
            "__has_include",
        ],
        expect![[r#"
             => no `#if` with no expression
            NONE => no `#if` with no expression
            1 + => no the expression ends where a value is expected
            1 2 => no missing binary operator before `2`
            (1 => no missing `)` in the expression
            1) => no missing `(` in the expression
            1 ? 2 => no `?` without following `:`
            (1 ? 2) => no `?` without following `:`
            1 : 2 => no `:` without preceding `?`
            1 / 0 => no division by zero in the expression
            1 % NONE 0 => no division by zero in the expression
            "s" => no `"s"` is not valid in a preprocessor expression
            x = 1 => no missing binary operator before `=`
            1.5 => no `1.5` is not an integer
            08 => no invalid digit `8` in octal constant
            12ab => no `12ab` is not a valid integer constant
            '' => no empty character constant
            99999999999999999999 => no the integer constant `99999999999999999999` is too large
            defined => no `defined` must be followed by a name
            defined 3 => no `defined` must be followed by a name
            defined (X => no `defined` must be followed by a name
            ONE(2) => no missing binary operator before `(`
            * 2 => no operator `*` has no left operand
            1 + # => no operator `#` has no left operand
            @ => no `@` is not valid in a preprocessor expression
            1..N => no `1..N` is not an integer
            () => no operator `)` has no left operand
            F(1 => no the argument list of macro `F` is never closed
            __has_include => no `__has_include` must be followed by a file name
        "#]],
    );
}

#[test]
fn conditional_errors() {
    check(
        "#endif\n#else\n#elif 1\nx\n",
        expect![[r#"



        x
        error[conditional-order] m:1:2: `#endif` without `#if`
        error[conditional-order] m:2:2: `#else` without `#if`
        error[conditional-order] m:3:2: `#elif` without `#if`
    "#]],
    );
    check(
        "#if 1\n#else\n#else\n#elif 1\n#endif\nx\n",
        expect![[r#"





        x
        error[conditional-order] m:3:2: `#else` after `#else`
          m:2:2: the first `#else` is here
          m:1:2: the conditional began here
        error[conditional-order] m:4:2: `#elif` after `#else`
          m:3:2: the `#else` is here
          m:1:2: the conditional began here
    "#]],
    );
    check(
        "#if 1\n#ifdef\n#ifndef 3\n#endif\n",
        expect![[r#"
        error[condition-syntax] m:2:2: no macro name given in `#ifdef`
        error[unterminated-conditional] m:2:2: this conditional is never closed
        error[unterminated-conditional] m:1:2: this conditional is never closed
    "#]],
    );
    check(
        "#ifdef A B\n#else x\n#endif y\n#undef A B\n",
        expect![[r#"
        warning[extra-tokens] m:1:10: extra tokens at the end of `#ifdef`
        warning[extra-tokens] m:2:7: extra tokens at the end of `#else`
        warning[extra-tokens] m:3:8: extra tokens at the end of `#endif`
        warning[extra-tokens] m:4:10: extra tokens at the end of `#undef`
    "#]],
    );
}

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

/// The first message of error level.
fn first_error(input: &str, files: Vec<(&'static str, String)>) -> String {
    let (_, _, diagnostics) = run(input, &Options::default(), files);
    diagnostics.iter().find(|d| d.severity == Severity::Error).map_or("none".to_string(), |d| d.message.clone())
}

/// A chain of macros, each of which uses the one before as `body` does with `?`; the last one is used.
fn chain(body: &str, length: usize, first: &str) -> String {
    let mut text = format!("#define A0 {first}\n");
    for i in 1..=length {
        writeln!(text, "#define A{i} {}", body.replace('?', &format!("A{}", i - 1))).unwrap();
    }
    text + &format!("A{length}\n")
}

#[test]
fn endless_expansion_is_an_error() {
    expect!["macro expansion does not seem to end"].assert_eq(&first_error(&chain("? ?", 60, ""), Vec::new()));
    let long = "some_quite_long_name_here ".repeat(40);
    expect!["the expanded text is too long"].assert_eq(&first_error(&chain("? ?", 60, &long), Vec::new()));
    let calls = "#define F(x) x x\n".to_string() + &"F(".repeat(60) + "y" + &")".repeat(60) + "\n";
    expect!["macro calls are nested too deeply"].assert_eq(&first_error(&calls, Vec::new()));
    let strings =
        "#define S(x) #x\n#define T(x) S(x)\n".to_string() + &"T(".repeat(60) + "\"y\"" + &")".repeat(60) + "\n";
    expect!["the string made by `#` is too long"].assert_eq(&first_error(&strings, Vec::new()));
    let mut paste = "#define P(a, b) a ## b\n".to_string();
    for i in 1..60 {
        writeln!(paste, "#define Q{i}(x) P(x, x)").unwrap();
    }
    paste += &((1..60).map(|i| format!("Q{i}(")).collect::<String>() + "x" + &")".repeat(59) + "\n");
    expect!["the token made by `##` is too long"].assert_eq(&first_error(&paste, Vec::new()));
}

#[test]
fn endless_inclusion_is_an_error() {
    let itself = vec![("f", "#include \"f\"\n".to_string())];
    expect!["`f` includes itself without end"].assert_eq(&first_error("#include \"f\"\n", itself));
    let fork = "#if __INCLUDE_LEVEL__ < 150\n#include \"f\"\n#include \"f\"\n#endif\n".to_string();
    expect!["too many files are included"].assert_eq(&first_error("#include \"f\"\n", vec![("f", fork)]));
}

#[test]
fn deep_input_does_not_overflow() {
    let n = 100_000;
    let (open, close) = ("(".repeat(n), ")".repeat(n));
    let fine = |input: String| assert_eq!(first_error(&input, Vec::new()), "none");
    fine(format!("#define F(x) x\nF({open}{close})\n"));
    fine(format!("#if {open}1{close}\n#endif\n"));
    fine(format!("#if {}1\n#endif\n", "!-~".repeat(n)));
    fine(format!("#if {}1{}\n#endif\n", "1 ? ".repeat(n), " : 0".repeat(n)));
    fine("#if 0\n".repeat(n) + &"#endif\n".repeat(n));
    fine(format!("#define F(x) x\n{}{}\n", "F(".repeat(1000), ")".repeat(1000)));
    fine(chain("?", n, "x"));
    let calls = format!("#define F(x) x\n{}{close}\n", "F(".repeat(n));
    expect!["macro calls are nested too deeply"].assert_eq(&first_error(&calls, Vec::new()));
}

#[test]
fn too_many_expansions_lose_only_detail() {
    let input = format!("#define N n\n{}", "N N N N N N N N N N N N N N N N\n".repeat(70_000));
    let (map, expanded, diagnostics) = run(&input, &Options::default(), Vec::new());
    assert!(diagnostics.is_empty());
    let last = expanded.text.rfind('n').expect("printed");
    let span = expanded.span(last, last + 1);
    assert_eq!(map.position(span).map(|p| (p.line, p.column)), Some((70_001, 31)));
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "#",
        "##",
        "define ",
        "include ",
        "if ",
        "endif",
        "elif ",
        "else",
        "F(",
        "(",
        ")",
        ",",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "\n",
        "\\\n",
        "\\",
        " ",
        "x",
        "F",
        "A",
        "#define F(a,...) a ## #a ",
        "#define A F",
        "__VA_ARGS__",
        "\0",
        "é",
        "\u{feff}",
        "\r\n",
        "1..",
        "0x",
        "'\\",
        "defined ",
        "?",
        ":",
        "%:",
        "<",
        "line 3",
        "\u{2028}",
    ];
    let mut seed = 1u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..30 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += pieces[(seed >> 33) as usize % pieces.len()];
        }
        let _ = run(&text, &Options::default(), vec![("x", "F(\n#if\n".to_string())]);
    }
}
