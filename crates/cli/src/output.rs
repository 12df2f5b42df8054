//! Printing that survives a reader who stops reading, and a model that tries to steer the terminal.
//!
//! `ferrospin lint m.pml | head -1` closes the pipe early. That is no failure of ours: what is left is dropped and the
//! exit code stays what it was. A full disk, however, is reported. Escape characters and their like in what a model prints or is
//! named are shown, not sent ([`ferrospin_source::printable`]): all text goes through [`print`] and [`say`], but for what was drawn
//! with colours of our own, and for what `--raw-output` lets through.

use anyhow::Context;
use ferrospin_source::printable::{printable, printable_json};
use std::io::{self, ErrorKind, Write};

/// Writes text to standard output; what it has from a model cannot steer a terminal.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    print_as_is(&printable(text))
}

/// The same for JSON.
pub(crate) fn print_json_text(json: &str) -> anyhow::Result<()> {
    print_as_is(&printable_json(json))
}

/// Writes a value to standard output as JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print_json_text(&text)
}

/// Writes to standard output what may steer a terminal: our own colours, or what was requested.
pub(crate) fn print_as_is(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to standard output"),
        _ => Ok(()),
    }
}

/// Writes text to standard error; what it has from a model cannot steer a terminal. There is nowhere to report a failure.
pub(crate) fn say(text: &str) {
    say_as_is(&printable(text));
}

/// Writes to standard error what may steer a terminal.
pub(crate) fn say_as_is(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Says on standard error why nothing came of it, in the form that usage errors have.
pub(crate) fn complain(sentence: &str) {
    say(&format!("error: {sentence}\n"));
}
