//! Printing that survives a reader who stops reading.
//!
//! `ferrospin lint m.pml | head -1` closes the pipe early. That is no failure of ours: what is left is dropped and the
//! exit code stays what it was. A full disk, however, is reported.

use anyhow::Context;
use std::io::{self, ErrorKind, Write};

/// Writes to standard output.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to standard output"),
        _ => Ok(()),
    }
}

/// Writes a value to standard output as JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print(&text)
}

/// Writes to standard error. There is nowhere to report a failure of that.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Says on standard error why nothing came of it, in the form that usage errors have.
pub(crate) fn complain(sentence: &str) {
    say(&format!("error: {sentence}\n"));
}
