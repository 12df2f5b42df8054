//! The front end on input without any sense: it may complain, but never panics and never hangs.
//!
//! A bounded, repeatable version of the fuzz target in `fuzz/`. Three sorts of input: arbitrary bytes, soups of Promela
//! tokens, and models of `models/` with a few edits. Everything that a user would see is made (text, JSON, types). An
//! input that panics is made smaller before it is shown.

use ferrospin::front::{self, Front, Loader, Options};
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::mutate::{models_in, mutate, tokens};
use ferrospin_testkit::random::Random;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Arc;

/// Nothing can be included.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("there is no `{name}`"))
    }
}

fn read(text: &str) -> Front {
    front::read_text("fuzz.pml", text, &Options::default(), &mut NoFiles)
}

/// Reads a text and prints all that would be printed about it; must be called where the stack is big.
fn exercise(text: &str) {
    let front = read(text);
    let shown = front.text(true).len() + front.types_text().len() + front.summary().len();
    let data = serde_json::to_string(&front.messages()).expect("messages are data").len();
    std::hint::black_box((shown, data));
}

fn panics(text: &str) -> bool {
    catch_unwind(|| exercise(text)).is_err()
}

/// Runs all inputs; fails with the smallest form of the first that panics.
fn check(inputs: impl Iterator<Item = String> + Send) {
    with_big_stack(|| {
        for (number, text) in inputs.enumerate() {
            if panics(&text) {
                let small = shrink(text);
                panic!("input {number} panics; smallest form: {small:?}");
            }
        }
    });
}

/// Takes out ever smaller pieces as long as the rest still panics.
fn shrink(text: String) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut piece = chars.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < chars.len() {
            let mut fewer = chars.clone();
            fewer.drain(at..(at + piece).min(chars.len()));
            if panics(&fewer.iter().collect::<String>()) {
                chars = fewer;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    chars.into_iter().collect()
}

#[test]
fn arbitrary_bytes() {
    let random = &mut Random::new(1);
    check((0..2000).map(|_| {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }));
}

#[test]
fn token_soup() {
    let tokens = tokens();
    let random = &mut Random::new(2);
    check((0..4000).map(|_| {
        let length = random.below(80);
        let mut text = String::new();
        // Most soups begin like a model: the parser gets deeper before it gives up.
        text += *random.pick(&[
            "",
            "init { ",
            "active proctype P() { ",
            "chan c = [2] of { byte }; init { ",
            "ltl { ",
            "#if ",
        ]);
        for _ in 0..length {
            text += *random.pick(&tokens);
            text += *random.pick(&[" ", " ", " ", "", "\n"]);
        }
        text
    }));
}

#[test]
fn mutated_models() {
    let models = models_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
    assert!(models.len() > 30, "the models of the project are missing");
    let tokens = tokens();
    let random = &mut Random::new(3);
    check((0..3000).map(|_| mutate(random, &models, &tokens)));
}

/// The first message about a text that cannot be read; `None` when it can.
fn first_error(text: &str) -> Option<String> {
    with_big_stack(|| {
        let front = read(text);
        // Printing must survive it, too.
        std::hint::black_box(front.text(false).len());
        let first = front.messages().into_iter().find(|m| m.severity == "error");
        front.unreadable.then(|| first.expect("what cannot be read has an error").message)
    })
}

#[test]
fn deep_nesting_ends_with_an_answer() {
    let deep = 100_000;
    let around = |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(deep), close.repeat(deep));
    let cases = [
        format!("byte x; init {{ x = {} }}", around("(", "1", ")")),
        format!("byte x; init {{ x = {} }}", around("(1 -> ", "1", " : 0)")),
        format!("byte a[2]; init {{ a[0] = {} }}", around("a[", "0", "]")),
        format!("byte x; init {{ x = {}1 }}", "-".repeat(deep)),
        format!("byte x; init {{ x = {}1 }}", "! ".repeat(deep)),
        format!("byte x; init {{ x = 1{} }}", " + 1".repeat(deep)),
        format!("init {}", around("{ ", "skip", " }")),
        format!("init {{ {} }}", around("atomic { ", "skip", " }")),
        format!("init {{ {} }}", around("if :: ", "skip", " fi")),
        format!("init {{ {} }}", around("do :: ", "break", " od")),
        format!("init {{ {{ skip }} {} }}", "unless { skip }".repeat(deep)),
        format!("init {{ skip }} ltl {{ {} }}", around("(", "true", ")")),
        format!("init {{ skip }} ltl {{ {}true }}", "[] ".repeat(deep)),
        format!("init {{ skip }} ltl {{ true {} }}", "U true ".repeat(deep)),
        format!("#if {}\n#endif\ninit {{ skip }}", around("(", "1", ")")),
        format!("#if {}1\n#endif\ninit {{ skip }}", "!".repeat(deep)),
        format!("{}\ninit {{ skip }}\n{}", "#if 1\n".repeat(deep), "#endif\n".repeat(deep)),
        format!("#define F(x) x\nbyte y; init {{ y = {} }}", around("F(", "1", ")")),
        format!("c_code {} init {{ skip }}", around("{ ", "", " }")),
    ];
    for text in cases {
        let start: String = text.chars().take(60).collect();
        if let Some(message) = first_error(&text) {
            assert!(!message.is_empty(), "{start}");
        }
    }
}

#[test]
fn unbalanced_nesting_is_an_error() {
    let text = format!("byte x; init {{ x = {}", "(".repeat(100_000));
    assert!(first_error(&text).is_some());
}

#[test]
fn bombs_are_defused() {
    let mut bomb = String::from("#define A0 x x\n");
    for i in 1..64 {
        bomb += &format!("#define A{i} A{} A{}\n", i - 1, i - 1);
    }
    bomb += "byte x; init { A63 }\n";
    assert!(first_error(&bomb).is_some(), "an exponential macro must be refused");

    let mut inlines = String::from("inline f0() { skip; skip }\n");
    for i in 1..64 {
        inlines += &format!("inline f{i}() {{ f{}(); f{}() }}\n", i - 1, i - 1);
    }
    inlines += "init { f63() }\n";
    assert!(first_error(&inlines).is_some(), "an exponential inline must be refused");
}

#[test]
fn five_megabytes() {
    let process =
        |i: usize| format!("active proctype P{i}() {{ byte x = {}; do :: x < 9 -> x++ :: else -> break od }}\n", i % 9);
    let mut text = String::new();
    for i in 0.. {
        if text.len() > 5_000_000 {
            break;
        }
        text += &process(i);
    }
    // More than 255 active processes cannot run, but they can be read or refused: both are answers.
    if let Some(message) = first_error(&text) {
        assert!(!message.is_empty());
    }
    let noise: String = {
        let random = &mut Random::new(4);
        (0..5_000_000).map(|_| char::from(b' ' + random.below(95) as u8)).collect()
    };
    assert!(first_error(&noise).is_some());
}
