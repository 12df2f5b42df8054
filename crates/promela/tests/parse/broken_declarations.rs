//! Declarations that are refused.

use super::*;

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
