//! Statements that are refused.

use super::*;

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
        2:22 error[unless] `unless` cannot follow a `select` over that many values
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
            note: assignments, `++`, `--` and `;` belong into `c_code`
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
