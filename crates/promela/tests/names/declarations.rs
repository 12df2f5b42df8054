//! What declarations may say.

use super::*;

/// Undeclared names: once per body, with a guess.
#[test]
fn undeclared() {
    check(
        "byte turn;\nactive proctype P() { trun = 1; trun = 2; x = trun }",
        expect![[r#"
        2:23: error[undeclared]: variable `trun` is not declared
          help: did you mean `turn`?
        2:43: error[undeclared]: variable `x` is not declared
    "#]],
    );
    check(
        "active proctype P() { y = 1 }\nint y;",
        expect![[r#"
        1:23: error[undeclared]: variable `y` is not declared
    "#]],
    );
    check(
        "active proctype P() { { int x; x = 1 }; x = 2 }",
        expect![[r#"
        1:41: error[undeclared]: variable `x` is not declared
    "#]],
    );
    check(
        "active proctype P() { int y = 1, z = y; z = 2 }",
        expect![[r#"
        1:38: error[undeclared]: variable `y` is not declared
    "#]],
    );
    check(
        "int x;\nactive proctype P() { STDIN?x }",
        expect![[r#"
        2:23: error[undeclared]: variable `STDIN` is not declared
    "#]],
    );
    check(
        "active proctype P() { _nr_qs > 0 }",
        expect![[r#"
        1:23: error[undeclared]: variable `_nr_qs` is not declared
    "#]],
    );
    check(
        "inline f(a) { a = 1 }\nactive proctype P() { f(y) }",
        expect![[r#"
        2:25: error[undeclared]: variable `y` is not declared
    "#]],
    );
    check(
        "inline f(a) { goto a }\nactive proctype P() { f(L); L: skip }",
        expect![[r#"
        2:25: error[undeclared]: variable `L` is not declared
    "#]],
    );
    check(
        "int x;\nactive proctype P() { skip }\nltl p { [] (xx == 0) }",
        expect![[r#"
        3:13: error[undeclared]: variable `xx` is not declared
          help: did you mean `x`?
    "#]],
    );
    check(
        "active [M] proctype P() { skip }",
        expect![[r#"
        1:9: error[undeclared]: constant `M` is not declared
    "#]],
    );
}

/// One name, one meaning along a chain of blocks.
#[test]
fn redeclared() {
    check(
        "int x;\nactive proctype P() { int x; skip }",
        expect![[r#"
        2:27: error[redeclared]: `x` is declared already, as a variable
          1:5: first declared here
    "#]],
    );
    check(
        "active proctype P() { int x; { byte x; skip } }",
        expect![[r#"
        1:37: error[redeclared]: `x` is declared already, as a variable
          1:27: first declared here
    "#]],
    );
    check(
        "active proctype P(int x) { int x; skip }",
        expect![[r#"
        1:32: error[redeclared]: `x` is declared already, as a variable
          1:23: first declared here
    "#]],
    );
    check(
        "active proctype P(int x; byte x) { skip }",
        expect![[r#"
        1:31: error[redeclared]: `x` is declared already, as a variable
          1:23: first declared here
    "#]],
    );
    check(
        "inline f(a) { int z; z = a }\nactive proctype P() { int z; f(1) }",
        expect![[r#"
        1:19: error[redeclared]: `z` is declared already, as a variable
          2:27: first declared here
    "#]],
    );
    check(
        "int P;\nactive proctype P() { skip }",
        expect![[r#"
        2:17: error[redeclared]: process type `P`: the name is taken
          1:5: first declared here
    "#]],
    );
    check(
        "typedef T { int x; byte x }\nactive proctype P() { skip }",
        expect![[r#"
        1:25: error[redeclared]: field `x` is declared already
          1:17: first declared here
    "#]],
    );
    check(
        "active proctype P() { x: skip; int x; x = 1 }",
        expect![[r#"
            1:36: error[redeclared]: `x` is declared already, as a label
        "#]],
    );
    check(
        "active proctype P() { goto x; int x; x: skip }",
        expect![[r#"
        1:35: error[redeclared]: `x` is declared already, as a label
    "#]],
    );
    check(
        "mtype = { a, b, a };\nactive proctype P() { skip }",
        expect![[r#"
        1:17: error[redeclared]: `a` is declared already
          1:11: first declared here
    "#]],
    );
    check(
        "active proctype P() { skip }\nnever c { skip }\nnever c { skip }",
        expect![[r#"
        3:7: error[redeclared]: claim `c`: the name is taken
          2:7: first declared here
    "#]],
    );
    check(
        "active proctype P() { skip }\nltl p { [] true }\nltl p { <> true }",
        expect![[r#"
        3:5: error[redeclared]: claim `p`: the name is taken
          2:5: first declared here
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c!1 }\ntrace { c!1 }\nnotrace { c!1 }",
        expect![[r#"
        4:1: error[redeclared]: a model can have one `trace` or `notrace`
          3:1: the first is here
    "#]],
    );
}

/// Lists of constants.
#[test]
fn mtypes() {
    let names: Vec<String> = (0..256).map(|i| format!("m{i}")).collect();
    let many = format!("mtype = {{ {} }};\nactive proctype P() {{ skip }}", names.join(", "));
    check(
        &many,
        expect![[r#"
        1:1: error[mtype-size]: an `mtype` can have 255 names, not 256
    "#]],
    );
    check(
        "mtype = { a, b };\nmtype:k = { c };\nactive proctype P() { mtype x; x = a; x = c }",
        expect![[r#"
        3:43: error[mtype-mix]: `x` holds constants of `mtype`, this one is of `mtype:k`
    "#]],
    );
    check(
        "mtype = { a, b };\nmtype:k = { c };\nactive proctype P() { mtype:k x = a; skip }",
        expect![[r#"
        3:35: error[mtype-mix]: `x` holds constants of `mtype:k`, this one is of `mtype`
    "#]],
    );
    check(
        "mtype = { a };\nproctype P(mtype t) { skip }\ninit { mtype m; run P(m) }",
        expect![[r#"
            3:23: error[mtype-argument]: an `mtype` parameter takes a constant, not a variable
              2:18: the parameter is declared here
        "#]],
    );
    check(
        "mtype = { a };\nmtype:k = { b };\nproctype P(mtype t) { skip }\ninit { run P(b) }",
        expect![[r#"
        4:14: error[mtype-argument]: a constant of `mtype:k` is given for a parameter of `mtype`
          3:18: the parameter is declared here
    "#]],
    );
    check(
        "active proctype P() { printm(3) }",
        expect![[r#"
        1:30: error[printm]: `printm` prints the name of an `mtype` value, not a number
    "#]],
    );
    check(
        "mtype = { a };\nactive proctype P() { a = 1 }",
        expect![[r#"
        2:25: error[syntax]: only a variable can be assigned to
          help: to compare, write `==`
    "#]],
    );
}

/// Fields and whole structures.
#[test]
fn structures() {
    check(
        "typedef T { int count }\nT t;\nactive proctype P() { t.cuont = 1 }",
        expect![[r#"
        3:25: error[unknown-field]: structure `T` has no field `cuont`
          1:9: `T` is defined here
          help: did you mean `count`?
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x.y = 1 }",
        expect![[r#"
        2:25: error[unknown-field]: `x` has no field `y`: it is no structure
          1:5: `x` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { t.x.y = 1 }",
        expect![[r#"
        3:27: error[unknown-field]: `x` has no field `y`: it is no structure
          1:17: `x` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT a, b;\nactive proctype P() { a = b }",
        expect![[r#"
        3:23: error[whole-structure]: the whole structure `a` cannot be used as a value
        3:27: error[whole-structure]: the whole structure `b` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { t == 1 }",
        expect![[r#"
        3:23: error[whole-structure]: the whole structure `t` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nchan c = [1] of { T };\nactive proctype P() { c!t+1 }",
        expect![[r#"
        4:25: error[whole-structure]: the whole structure `t` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nchan c = [1] of { T };\nactive proctype P() { c?eval(t) }",
        expect![[r#"
        4:30: error[whole-structure]: the whole structure `t` cannot be used as a value
    "#]],
    );
    check(
        "typedef T { int x }\nT t[2];\nactive proctype P() { t.x = 1 }",
        expect![[r#"
        3:23: error[array-index]: the array `t` needs an index
          2:3: `t` is declared here with 2 elements
          help: name an element, for example the first
    "#]],
    );
}

/// Arrays want an index, scalars do not.
#[test]
fn indices() {
    check(
        "int a[3];\nactive proctype P() { a = 1 }",
        expect![[r#"
        2:23: error[array-index]: the array `a` needs an index
          1:5: `a` is declared here with 3 elements
          help: name an element, for example the first
    "#]],
    );
    check(
        "int x;\nactive proctype P() { x[1] = 1 }",
        expect![[r#"
        2:25: error[array-index]: `x` is no array
          1:5: `x` is declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t;\nactive proctype P() { t.x[2] = 1 }",
        expect![[r#"
        3:27: error[array-index]: `x` is no array
          1:17: `x` is declared here
    "#]],
    );
    check(
        "int a[3];\nactive proctype P() { a[a[1]] = 1 }",
        expect![[r#"
        2:25: error[self-index]: the array `a` cannot be indexed with its own element
    "#]],
    );
    check(
        "typedef T { int a[2] }\nT t;\nactive proctype P() { t.a[t.a[0]]++ }",
        expect![[r#"
        3:27: error[self-index]: the array `t` cannot be indexed with its own element
    "#]],
    );
    check(
        "int a[3];\ninline f(b) { skip }\nactive proctype P() { f(a) }",
        expect![[r#"
        3:25: error[array-index]: the array `a` needs an index
          1:5: `a` is declared here with 3 elements
          help: name an element, for example the first
    "#]],
    );
    check(
        "int x;\nactive proctype P() { skip }\nltl p { [] (x[2] > 0) }",
        expect![[r#"
        3:15: error[array-index]: `x` is no array
          1:5: `x` is declared here
    "#]],
    );
}

/// Array lengths and widths.
#[test]
fn shapes() {
    check(
        "byte x[0];\nactive proctype P() { skip }",
        expect![[r#"
        1:8: error[array-size]: `x` cannot have 0 elements
    "#]],
    );
    check(
        "byte x[2 - 3];\nactive proctype P() { skip }",
        expect![[r#"
        1:8: error[array-size]: `x` cannot have -1 elements
    "#]],
    );
    check(
        "byte x[1 / 0];\nactive proctype P() { skip }",
        expect![[r#"
        1:12: error[divide-by-zero]: division by zero in an array length
    "#]],
    );
    check(
        "int a[N];\nactive proctype P() { skip }",
        expect![[r#"
        1:7: error[undeclared]: constant `N` is not declared
    "#]],
    );
    check(
        "byte x : 3;\nactive proctype P() { skip }",
        expect![[r#"
        1:6: error[width]: only an `unsigned` can have a width, `x` is none
    "#]],
    );
    check(
        "unsigned x : 32;\nactive proctype P() { skip }",
        expect![[r#"
        1:10: error[width]: `x` cannot have 32 bits
    "#]],
    );
    check(
        "unsigned x : 0;\nactive proctype P() { skip }",
        expect![[r#"
        1:10: error[width]: `x` cannot have 0 bits
    "#]],
    );
    check(
        "unsigned x;\nactive proctype P() { skip }",
        expect![[r#"
        1:10: error[width]: the `unsigned` variable `x` needs a width
          help: give a number of bits, 1 to 31
    "#]],
    );
    check(
        "active [256] proctype P() { skip }",
        expect![[r#"
        1:9: error[process-count]: 256 processes are too many
    "#]],
    );
    check(
        "int N = 1 + 2;\nactive [N] proctype P() { skip }",
        expect![[r#"
        2:9: error[not-constant]: `N` has no constant initialiser
          1:5: `N` is declared here
    "#]],
    );
    check(
        "active proctype P() { skip; int n = 3, a[n]; a[0] = n }",
        expect![[r#"
        1:42: error[not-constant]: `n` has no constant initialiser
          1:33: `n` is declared here
    "#]],
    );
    check(
        "int a[n], n = 3;\nactive proctype P() { skip }",
        expect![[r#"
        1:7: error[undeclared]: constant `n` is not declared
    "#]],
    );
    check(
        "int n = 3;\ntypedef T { byte b[n] }\nactive proctype P() { skip }",
        expect![[r#"
        2:20: error[undeclared]: constant `n` is not declared
    "#]],
    );
}

/// What may stand behind `=`.
#[test]
fn initialisers() {
    check(
        "int x = [1] of { int };\nactive proctype P() { skip }",
        expect![[r#"
        1:9: error[chan-initialiser]: `x` is no channel
          1:5: declared with another type
    "#]],
    );
    check(
        "active proctype P() { skip; chan c = [1] of { int }; c!1 }",
        expect![[r#"
        1:38: error[chan-initialiser]: the channel `c` must be created at the head of the process body
    "#]],
    );
    check(
        "active proctype P() { skip; int a[2] = { 1, 2 }; a[0] = 1 }",
        expect![[r#"
        1:40: error[list-initialiser]: a list initialiser may stand only at the head of a process body
    "#]],
    );
    check(
        "int x = { 1, 2 };\nactive proctype P() { skip }",
        expect![[r#"
        1:9: error[list-initialiser]: `x` is no array, a list cannot initialise it
    "#]],
    );
    check(
        "int a[3];\nactive proctype P() { int x = a[5]; skip }",
        expect![[r#"
        2:33: error[array-bound]: `a` has no element 5
          1:5: `a` is declared here
    "#]],
    );
    check(
        "active proctype P() { int x = 1 / 0; skip }",
        expect![[r#"
        1:35: error[divide-by-zero]: division by zero in an initialiser
    "#]],
    );
}

/// What cannot be outside the state.
#[test]
fn hidden() {
    check(
        "hidden bit b;\nactive proctype P() { skip }",
        expect![[r#"
        1:12: error[hidden]: `b` cannot be hidden
    "#]],
    );
    check(
        "hidden chan c = [1] of { int };\nactive proctype P() { skip }",
        expect![[r#"
        1:13: error[hidden]: `c` cannot be hidden
    "#]],
    );
    check(
        "active proctype P() { hidden byte y; skip }",
        expect![[r#"
        1:35: error[hidden]: `y` cannot be hidden
    "#]],
    );
    check(
        "typedef T { hidden int x }\nT t;\nactive proctype P() { skip }",
        expect![[r#"
        1:24: error[hidden]: `x` cannot be hidden
    "#]],
    );
}

/// Sizes are counted in 64 bits, and what cannot be part of a state is refused where it is declared.
#[test]
fn too_large() {
    check(
        "chan c = [1073741823] of { int };\ninit { c!1; c!3; assert(len(c) == 2) }",
        expect![[r#"
        1:6: error[too-large]: `c` would take 4294967297 bytes of every state
    "#]],
    );
    check(
        "int a[1073741824]; byte d[10];\ninit { d[5] = 1; a[5] = 1; assert(a[5] == 0) }",
        expect![[r#"
        1:5: error[too-large]: `a` would take 4294967296 bytes of every state
    "#]],
    );
    check(
        "chan c = [2147483647] of { byte };\ninit { c!1 }",
        expect![[r#"
        1:6: error[too-large]: `c` would take 2147483652 bytes of every state
    "#]],
    );
    check(
        "int a[1000000000];\ninit { a[5] = 1 }",
        expect![[r#"
        1:5: error[too-large]: `a` would take 4000000000 bytes of every state
    "#]],
    );
    check(
        "typedef T { int a[250] };\nchan c[255] = [255] of { T, T, T };\nT t;\ninit { do :: c[0]!t, t, t od }",
        expect![[r#"
            2:6: error[too-large]: `c` would take 195075510 bytes of every state
        "#]],
    );
    // Sums do not wrap either, in types that nest, in arrays of them, in processes that start together.
    check(
        "typedef A { int a[2000000000] };\ntypedef B { A a[2000000000] };\ntypedef C { B a[2000000000] };\nC c[2000000000];\ninit { c[1].a[1].a[1].a[1] = 1 }",
        expect![[r#"
            4:3: error[too-large]: `c` would take more than 2^64 bytes of every state
        "#]],
    );
    check(
        "byte a[3000000];\nbyte b[3000000];\ninit { a[0] = b[0] }",
        expect![[r#"
        2:6: error[too-large]: with `b`, the globals would take 6000000 bytes of every state
    "#]],
    );
    check(
        "byte g;\nactive [200] proctype P() { byte a[30000]; a[g] = 1 }",
        expect![[r#"
        2:23: error[too-large]: the state that the model starts with would take 6000001 bytes
    "#]],
    );
    check(
        "active proctype P() { chan c[200] = [30000] of { byte, int }; c[3]!1, 1 }",
        expect![[r#"
        1:28: error[too-large]: `c` would take 30001000 bytes of every state
    "#]],
    );
    check(
        "typedef T { byte a[2000] };\nchan c = [0] of { T };\nT t;\ninit { c!t }",
        expect![[r#"
        2:10: error[too-large]: a message cannot have 2000 fields
    "#]],
    );
    // What is unusual but possible, and what is never part of a state.
    let possible = "int a[1000000];\ntypedef T { int a[2000000000] };\ninit { a[5] = 1 }";
    assert_eq!(messages(possible), "");
}
