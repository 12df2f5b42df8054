//! `ferrospin ltl` as users meet it.

use expect_test::expect;
use std::process::Command;

fn ltl(args: &[&str]) -> (String, Option<i32>) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ferrospin")).arg("ltl").args(args).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (text, output.status.code())
}

#[test]
fn a_never_claim() {
    let (text, code) = ltl(&["! [] (p -> <> q)"]);
    expect![[r#"
        never {    /* ! [] (p -> <> q) */
        T0_init:
        	do
        	:: (1) -> goto T0_init
        	:: (p && !q) -> goto accept_S1
        	od;
        accept_S1:
        	do
        	:: (!q) -> goto accept_S1
        	od;
        }
    "#]]
    .assert_eq(&text);
    assert_eq!(code, Some(0));
}

#[test]
fn a_broken_formula() {
    let (text, code) = ltl(&["p && ("]);
    assert!(text.starts_with("error[ltl-unbalanced]: this `(` is never closed"), "{text}");
    assert_eq!(code, Some(2));
}
