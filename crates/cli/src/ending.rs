//! How a check ends that cannot go on: by its guard, or for want of memory.
//!
//! What was found so far is told in the form that was asked for. Where not even that is possible, there is a sentence. The
//! exit code is that of an undecided check, unless a violation was found before.

use crate::commands::progress::Watcher;
use crate::output;
use ferrospin::guard::{Guard, Ledger, Why};
use ferrospin::report::{Message, Report, Verdict, message};
use std::cell::Cell;
use std::io::{Write, stderr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What a report that is not complete is made of.
pub(crate) struct Ending {
    pub(crate) as_json: bool,
    pub(crate) quiet: bool,
    pub(crate) watcher: Watcher,
    pub(crate) ledger: Arc<Ledger>,
    /// The model's name.
    pub(crate) model: String,
    /// What the front end has said.
    pub(crate) messages: Mutex<Vec<Message>>,
}

impl Ending {
    /// Prints what is known, and ends the program.
    pub(crate) fn end(&self, why: Why) -> ! {
        self.watcher.clear();
        let found = self.ledger.so_far(why);
        let mut messages = self.messages.try_lock().map(|m| m.clone()).unwrap_or_default();
        let report = match found {
            Some(found) => Report::new(&self.model, found, messages),
            None => {
                let said = format!("{} before it was known what to check", why.words());
                if !self.as_json {
                    output::complain(&said);
                }
                messages.push(message("stopped", &said));
                Report { verdict: Verdict::Undecided, ..Report::error(&self.model, messages) }
            }
        };
        // Nothing more can be done where printing fails.
        let _ = if self.as_json { output::print_json(&report) } else { output::print(&report.text(self.quiet)) };
        std::process::exit(report.verdict.exit_code().into())
    }

    /// What the front end has said.
    pub(crate) fn set_messages(&self, messages: Vec<Message>) {
        *self.messages.lock().unwrap_or_else(PoisonError::into_inner) = messages;
    }
}

/// The check that is running; set once.
static RUNNING: OnceLock<(Guard, Arc<Ending>)> = OnceLock::new();

thread_local! {
    /// Whether this thread is ending the program for want of memory.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// From now on this is what ends when memory runs out.
pub(crate) fn set_running(guard: Guard, ending: Arc<Ending>) {
    // There is one check in a run of the program.
    let _ = RUNNING.set((guard, ending));
}

/// The system has refused so much memory to code that cannot do without it.
pub(crate) fn refused(bytes: usize) -> ! {
    let again = ENDS.try_with(|ends| ends.replace(true)).unwrap_or(true);
    if !again && let Some((guard, ending)) = RUNNING.get() {
        if guard.takes_turn() {
            ending.end(Why::Refused);
        }
        // Another thread is at it.
        std::thread::sleep(Duration::from_millis(300));
    }
    let _ = writeln!(stderr(), "error: the system gives no more memory: {bytes} bytes were refused");
    std::process::exit(Verdict::Undecided.exit_code().into())
}
