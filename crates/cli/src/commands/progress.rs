//! The progress of a search on a terminal: one line on standard error that is written again and again, and is gone when
//! the report comes. On a pipe there is nothing.

use crate::signals::Signals;
use ferrospin::verify::Hooks;
use ferrospin_search::observe::Progress;
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How much time passes between two lines.
const PAUSE_MS: u64 = 200;
/// Short searches end without a word.
const SILENT_MS: u64 = 500;

/// The line, and the flag by which signals interrupt a search.
#[derive(Clone)]
pub(crate) struct Watcher {
    shown: Arc<AtomicBool>,
    /// Hands them on to the check.
    pub(crate) hooks: Hooks,
}

impl Watcher {
    /// Hands interrupts on; shows progress if `wanted` and standard error is a terminal.
    pub(crate) fn new(signals: &Signals, wanted: bool) -> Watcher {
        let interrupt = signals.interrupt.clone();
        let shown = Arc::new(AtomicBool::new(false));
        let mut hooks = Hooks { interrupt, ..Hooks::default() };
        if wanted && stderr().is_terminal() {
            let (was_shown, last_ms) = (shown.clone(), AtomicU64::new(0));
            let before = Mutex::new((0u64, Duration::ZERO));
            hooks.progress = Some(Arc::new(move |progress: &Progress, elapsed: Duration| {
                let now = elapsed.as_millis() as u64;
                let last = last_ms.load(Ordering::Relaxed);
                let due = now >= SILENT_MS && (now >= last + PAUSE_MS || now < last);
                if !due || last_ms.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                    return;
                }
                let mut before = before.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let seconds = elapsed.saturating_sub(before.1).as_secs_f64().max(1e-3);
                let rate = progress.states.saturating_sub(before.0) as f64 / seconds;
                *before = (progress.states, elapsed);
                was_shown.store(true, Ordering::Relaxed);
                let _ = write!(stderr(), "\r{}\x1b[K", line(progress, elapsed, rate));
                let _ = stderr().flush();
            }));
        }
        Watcher { shown, hooks }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if self.shown.swap(false, Ordering::Relaxed) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn line(progress: &Progress, elapsed: Duration, rate: f64) -> String {
    let rest = match progress.rest_estimated {
        Some(rest) if rate > 0.0 => {
            format!(", perhaps {:.2} M and {:.0} s to come", rest as f64 / 1e6, rest as f64 / rate)
        }
        _ => String::new(),
    };
    format!(
        "{:6.1} s  {:.2} M states, {:.2} M a second, depth {}, {} waiting, {} MiB{rest}",
        elapsed.as_secs_f64(),
        progress.states as f64 / 1e6,
        rate / 1e6,
        progress.depth,
        progress.waiting,
        progress.memory_bytes >> 20,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_all_figures() {
        let progress = Progress {
            states: 2_500_000,
            matched: 7,
            depth: 31,
            waiting: 1000,
            memory_bytes: 64 << 20,
            rest_estimated: None,
        };
        assert_eq!(
            line(&progress, Duration::from_millis(1500), 1_250_000.0),
            "   1.5 s  2.50 M states, 1.25 M a second, depth 31, 1000 waiting, 64 MiB"
        );
        let shrinking = Progress { rest_estimated: Some(5_000_000), ..progress };
        assert_eq!(
            line(&shrinking, Duration::from_millis(1500), 1_250_000.0),
            "   1.5 s  2.50 M states, 1.25 M a second, depth 31, 1000 waiting, 64 MiB, perhaps 5.00 M and 4 s to come"
        );
    }
}
