//! Conditional text.

use super::*;

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
