//! Signals from outside, caught before anything else is done.
//!
//! The first SIGINT, SIGTERM or SIGHUP sets a flag, on which a check ends with a partial report; the second one ends the
//! program at once, as without us. Subcommands that look at no flag [`Signals::release`] the signals. What was ignored
//! when the program started stays ignored, so that `nohup` keeps its meaning. A write beyond the greatest size of a file
//! (SIGXFSZ) fails with a sentence instead of ending the program.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flags that signals set.
pub(crate) struct Signals {
    /// A signal asks to end with what was found so far.
    pub(crate) interrupt: Arc<AtomicBool>,
    /// The next signal does what it does in programs that catch none.
    is_deadly: Arc<AtomicBool>,
}

impl Signals {
    /// Catches the signals from now on.
    pub(crate) fn catch() -> Signals {
        let signals = Signals { interrupt: Arc::default(), is_deadly: Arc::default() };
        let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| ignored >> (s - 1) & 1 == 0) {
            // A handler that cannot be installed leaves the signal as it is, which is what a program without one has. The
            // order matters: a signal that comes in between is not lost, and the first one does not see what it sets itself.
            let _ = flag::register(signal, signals.interrupt.clone());
            let _ = flag::register_conditional_default(signal, signals.is_deadly.clone());
            let _ = flag::register(signal, signals.is_deadly.clone());
        }
        let _ = flag::register(SIGXFSZ, Arc::default());
        signals
    }

    /// From now on signals do what they do in programs that catch none; so does one that has come already.
    pub(crate) fn release(&self) {
        self.is_deadly.store(true, Ordering::SeqCst);
        if self.interrupt.load(Ordering::SeqCst) {
            let _ = signal_hook::low_level::emulate_default_handler(SIGTERM);
        }
    }
}

/// The signals that are ignored, as bits from 0 for signal 1, by what the system says of a process; none where it does not.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_read() {
        assert_eq!(ignored("SigBlk:\t0000000000000007\nSigIgn:\t0000000000001001\n"), 0x1001);
        assert_eq!(ignored("nothing here"), 0);
        assert_eq!(ignored("SigIgn:\tmany"), 0);
    }
}
