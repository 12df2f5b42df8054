//! Scyther's language: claims with the verdicts that Scyther has for such protocols, and what is refused.

mod support;

use expect_test::{Expect, expect};
use ferrospin_check::Options;
use support::{SCYTHER, check, said};

/// Verdicts on all claims of a text, by name.
fn verdicts(name: &str, text: &str, settings: &str) -> String {
    let answers = check(&format!("{name}.spdl"), text, settings, &Options::default()).expect("it can be searched");
    let line = |p: &ferrospin_check::report::PropertyReport| {
        let depth = p.error.as_ref().and_then(|e| e.depth).map_or(String::new(), |d| format!(" after {d} events"));
        format!("{}: {}{depth}\n", p.name, format!("{:?}", p.verdict).to_lowercase())
    };
    answers.iter().map(line).collect()
}

/// As Scyther answers for `ns3.spdl`: the initiator is right, the responder is not.
#[test]
fn claims() {
    let check = |number: usize, settings: &str, expected: Expect| {
        let (name, text) = SCYTHER[number];
        expected.assert_eq(&verdicts(name, text, settings));
    };
    check(
        0,
        "",
        expect![[r#"
        Secret_i1: holds
        Niagree_i2: holds
        Nisynch_i3: holds
        Alive_i4 of R: holds
        Weakagree_i5: holds
        Secret_r1: violated after 6 events
        Niagree_r2: violated after 6 events
        Nisynch_r3: violated after 6 events
        Weakagree_r4: violated after 6 events
        Commit_R5: violated after 6 events
    "#]],
    );
    check(
        1,
        "",
        expect![[r#"
        Secret_I1: violated after 5 events
        Niagree_I2: violated after 5 events
        Secret_R1: holds
        Niagree_R2: violated after 6 events
        Nisynch_R3: violated after 6 events
        Alive_R4 of I: holds
        Alive_R4 of S: holds
    "#]],
    );
    check(
        2,
        "",
        expect![[r#"
        Alive_I1 of R: holds
        Weakagree_I2: violated after 4 events
        Nisynch_I3: violated after 4 events
        Niagree_R1: violated after 2 events
    "#]],
    );
    check(
        3,
        "",
        expect![[r#"
        Nisynch_i: violated after 3 events
        Nisynch_r1: violated after 6 events
        Niagree_r2: violated after 6 events
    "#]],
    );
}

/// The intruder answers early what it could have waited for: agreement holds and synchronisation does not.
#[test]
fn order_of_messages() {
    let text = "protocol order(I,R) {
  role I { fresh n: Nonce; send_1(I,R, I); send_2(I,R, {n}sk(I)); send_3(I,R, {n,R}sk(I)); }
  role R { var n: Nonce; var t: Ticket; recv_1(I,R, I); recv_2(I,R, {n}sk(I)); recv_3(I,R, {n,R}sk(I));
           claim_1(R,Niagree); claim_2(R,Nisynch); }
}";
    expect![[r#"
        Niagree_1: holds
        Nisynch_2: violated after 6 events
    "#]]
    .assert_eq(&verdicts("order", text, ""));
}

#[test]
fn what_is_refused_is_named() {
    let check = |text: &str, expected: Expect| expected.assert_eq(&said("x.spdl", text));
    check(
        "const inc,dec: Function;\ninversekeys (inc,dec);\nprotocol p(I,R) {}\n",
        expect![[r#"
        error[unsupported]: `inversekeys` is outside of the fragment that is read
         --> x.spdl:2:1
          |
        2 | inversekeys (inc,dec);
          | ^^^^^^^^^^^

    "#]],
    );
    check(
        "protocol a(I,R) { role I { send_1(I,R,I); } role R { recv_1(I,R,I); } }\nprotocol b(I,R) {}\n",
        expect![[r#"
            error[unsupported]: a second protocol is outside of the fragment that is read
             --> x.spdl:2:1
              |
            2 | protocol b(I,R) {}
              | ^^^^^^^^

        "#]],
    );
    check(
        "protocol @oracle(I,R) { role I {} }\n",
        expect![[r#"
        error[unsupported]: the helper protocol `@oracle` is outside of the fragment that is read
         --> x.spdl:1:1
          |
        1 | protocol @oracle(I,R) { role I {} }
          | ^^^^^^^^

    "#]],
    );
    check(
        "protocol p(I,R) {\n  role I { send_1(I,R, {n}pk(R)); }\n}\n",
        expect![[r#"
        error[unsupported]: there is no `n` in this role
         --> x.spdl:2:25
          |
        2 |   role I { send_1(I,R, {n}pk(R)); }
          |                         ^

    "#]],
    );
    check(
        "protocol p(I,R) {\n  role I { send_1(I,R, I); claim_1(I,Injagree); }\n}\n",
        expect![[r#"
        error[unsupported]: the claim `Injagree` is outside of the fragment that is read
         --> x.spdl:2:28
          |
        2 |   role I { send_1(I,R, I); claim_1(I,Injagree); }
          |                            ^^^^^^^

    "#]],
    );
}
