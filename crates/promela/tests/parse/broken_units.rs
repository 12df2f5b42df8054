//! Units that are refused.

use super::*;

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
