//! The text form: what is printed is read back as the same model.

mod corpus;

use expect_test::{Expect, expect};
use ferrospin_model::ir::Model;
use ferrospin_model::passes;
use ferrospin_model::text::{parse, print};
use ferrospin_source::Span;

/// A model without its spans, as text that shows everything.
fn bare(model: &Model) -> String {
    let mut m = model.clone();
    m.globals.iter_mut().chain(m.processes.iter_mut().flat_map(|p| &mut p.locals)).for_each(|l| l.span = Span::NONE);
    m.processes.iter_mut().for_each(|p| p.span = Span::NONE);
    m.locations.iter_mut().for_each(|l| l.span = Span::NONE);
    m.edges.iter_mut().for_each(|e| e.span = Span::NONE);
    format!("{m:#?}")
}

#[test]
fn all_models_come_back() {
    for (name, plain) in corpus::models() {
        for model in [&plain, &passes::optimize(&plain).model] {
            let text = print(model);
            let back = parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
            assert_eq!(print(&back), text, "{name}");
            assert!(bare(&back) == bare(model), "{name} comes back different:\n{text}");
        }
    }
}

#[test]
fn a_small_model() {
    let model = corpus::model(
        "mtype { ping, pong } chan c = [2] of { mtype, byte }; bool flag[2]; \
         active proctype A() { byte i; end: do :: atomic { c?ping,i -> flag[i] = true } :: c!pong(_pid) od }",
    );
    expect![[r#"
        layout location 1 fixed 8
        mtype 1 "pong" 2 "ping"
        var @0.u8 channel "c"
        var @1.u1 [2 * 1] bool "flag"
        channel "c" capacity 2 at 3 of (u8 mtype 0, u8 number)
        init @0.u8<c> = channel 0
        start P0
        process P0 "A" proctype entry L0 priority 1 frame 2
          var %1.u8 number "i"
        location L0 P0 end "end"
          E0 -> L1 atomic: receive @0.u8<c> ? (= 2, -> %1.u8<i>)
          E1 -> L0: send @0.u8<c> ! (1, _pid)
        location L1 P0
          E2 -> L0: assign @1.u1<flag>[%1.u8<i> : 2 * 1] = 1
    "#]]
    .assert_eq(&print(&model));
}

fn refuse(text: &str, expected: Expect) {
    expected.assert_eq(&parse(text).unwrap_err().to_string());
}

#[test]
fn errors_have_a_place() {
    refuse("layout location 1 fixed x", expect!["1:25: expected a number"]);
    refuse("# a comment\n  var @0.u40 number \"x\"", expect!["2:10: expected `u1` to `u31`, `i16` or `i32`"]);
    refuse("process P1 \"A\" proctype", expect!["1:9: expected `P0`"]);
    refuse("location L0 P0\n  E0 -> L0: assign @0.u8 = (1 + )", expect!["2:33: expected an expression"]);
    refuse("location L0 P0\n  E0 -> L0: jump", expect!["2:13: expected an action"]);
    refuse("location L0 P0\n  E1 -> L0: skip", expect!["2:1: E0 is missing: there are 2 edges"]);
    refuse("location L0 P0\n  E0 -> L0: skip\n  E0 -> L0: skip", expect!["3:6: there already is an edge E0"]);
    refuse("mtype 1 \"a", expect!["1:9: this text is not closed"]);
    refuse("mtype 300 \"a\"", expect!["1:7: this number is out of range"]);
}

#[test]
fn no_text_is_too_deep() {
    let text = format!("init @0.u8 = {}", "not(".repeat(100_000));
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || refuse(&text, expect!["1:10014: nested too deeply"]))
        .unwrap()
        .join()
        .unwrap();
}
