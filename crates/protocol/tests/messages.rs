//! What is said of mistakes in `.proto` files, and how attacks are told.

mod support;

use expect_test::{Expect, expect};
use support::{check, plain, said, text_of};

#[test]
fn mistakes() {
    let check = |text: &str, expected: Expect| expected.assert_eq(&said("x.proto", text));
    check(
        "protocol P {\n  role A, B;\n  fresh A: nonce x;\n  fresh B: nonce k;\n  A -> B : {x}pk(B);\n  B -> A : x;\n  A -> B : {x, k}pk(B);\n}\n",
        expect![[r#"
            error[cannot-build]: A cannot build message 3: it does not know `k`
             --> x.proto:7:16
              |
            7 |   A -> B : {x, k}pk(B);
              |                ^
              |
              = note: `k` is made by B; A has received no message in which it can read it

        "#]],
    );
    check(
        "protocol P {\n  role A, B;\n  A -> B : {A}shared(A,C);\n}\n",
        expect![[r#"
        error[arguments]: `shared` is about agents: its arguments are roles
         --> x.proto:3:24
          |
        3 |   A -> B : {A}shared(A,C);
          |                        ^

    "#]],
    );
    check(
        "protocol P {\n  role A, B;\n  fresh A: nonce n;\n  A -> B : n\n  B -> A : m;\n}\n",
        expect![[r#"
        error[syntax]: expected `;` at the end, found `B`
         --> x.proto:5:3
          |
        5 |   B -> A : m;
          |   ^

    "#]],
    );
    check(
        "protocol P {\n  role A, B;\n  fresh A: nonce n;\n  A -> B : n;\n  agree B with A on z;\n}\n",
        expect![[r#"
        error[unknown-name]: there is no fresh value `z`
         --> x.proto:5:21
          |
        5 |   agree B with A on z;
          |                     ^

    "#]],
    );
    check(
        "protocol P {\n  role A, B;\n  A -> B : pk(B), f(A);\n}\n",
        expect![[r#"
        error[unknown-name]: there is no function `f`
         --> x.proto:3:19
          |
        3 |   A -> B : pk(B), f(A);
          |                   ^
          |
          = note: one-way functions are declared by `hash NAME;`

    "#]],
    );
    check(
        "protocol P {\n  role A;\n}\n",
        expect![[r#"
        error[no-messages]: the protocol has no messages
         --> x.proto:1:10
          |
        1 | protocol P {
          |          ^

    "#]],
    );
    check(
        "role A;",
        expect![[r#"
        error[syntax]: expected `protocol` at the beginning, found `role`
         --> x.proto:1:1
          |
        1 | role A;
          | ^^^^

    "#]],
    );
}

/// The attack as the report shows it.
#[test]
fn attacks_are_told() {
    let answers = check("nspk.proto", &text_of("nspk.proto"), "--secrecy=generic", &plain()).expect("a report");
    let report = &answers[0];
    let told =
        format!("{}\n{}", report.error.as_ref().expect("an attack").message, report.story.as_ref().expect("told"));
    expect![[r#"
        `no leak` is violated: I learns y.beta, which was a secret before
              1  alpha A(a)[0]  line 8   alpha.1  a -> I : {x.alpha, a}pk(I)       known to I = x.alpha
              2  beta B(b)[1]   line 8   beta.1  I(a) -> b : {x.alpha, a}pk(b)     beta.A = a, beta.x = x.alpha
              3  beta B(b)[1]   line 9   beta.2  b -> I(a) : {x.alpha, y.beta}pk(a)
              4  alpha A(a)[0]  line 9   alpha.2  I -> a : {x.alpha, y.beta}pk(a)  alpha.y = y.beta
              5  alpha A(a)[0]  line 10  alpha.3  a -> I : {y.beta}pk(I)           known to I = y.beta
                 ! `no leak` is violated: I learns y.beta, which was a secret before
    "#]]
    .assert_eq(&told);
}
