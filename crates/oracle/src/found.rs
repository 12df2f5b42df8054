//! Files of programs on which two answers once differed.
//!
//! Each file is a model with a comment in front that says what differed, and what the right answers are: data, so that
//! the naive searches themselves are held fast, too.

use crate::base::{Base, Without, ask};
use std::fmt::Write;

/// What a file holds.
pub const MARK: &str = "expected:";
/// States up to which a model of a file is compared.
pub const STATES_MAX: u64 = 5_000;

/// The answers of the naive searches, a line each.
pub fn answers(base: &Base) -> Vec<String> {
    let word = |violated: bool| if violated { "violated" } else { "holds" };
    let (states, transitions) = base.counts;
    let mut out = vec![format!("safety {}, {states} states, {transitions} transitions", word(base.unsafe_))];
    for c in &base.cycles {
        out.push(format!("{} {}, fair {}", c.name, word(c.violated(false)), word(c.violated(true))));
    }
    out
}

/// The text of a file: what differed, what is expected, and the model.
pub fn file(text: &str, what: &str, seed: u64) -> String {
    // What an answer quotes must not end the comment.
    let what = what.lines().next().unwrap_or_default().replace("*/", "* /");
    let mut out = format!("/* Seed {seed}: {what}\n");
    match ask(text, STATES_MAX) {
        Ok(base) => answers(&base).iter().for_each(|a| writeln!(out, " * {MARK} {a}").expect("a string grows")),
        Err(Without::Refused(code)) => writeln!(out, " * {MARK} refused {code}").expect("a string grows"),
        Err(Without::Large) => writeln!(out, " * {MARK} too large").expect("a string grows"),
    }
    out + " */\n" + text
}

/// What a file expects.
pub fn expected(text: &str) -> Vec<&str> {
    let mark = format!("* {MARK} ");
    text.lines().take_while(|l| !l.contains("*/")).filter_map(|l| l.trim().strip_prefix(mark.as_str())).collect()
}
