//! Limits that hold at any moment, whatever the program is doing.
//!
//! Searches, and what comes before them, look at their limits themselves and end with all that they have found. Some work
//! cannot look: a pass over a huge model, a function that is being compiled, a printer. A [`Guard`] is a thread that looks
//! instead. When a limit has passed, or a signal has come, and the work does not end by itself within [`GRACE`], it ends the
//! program with what the [`Ledger`] says has been found so far.
//!
//! Cost: a hundred looks at a clock and a flag each second; where a limit on memory was given, also at a line that the
//! system keeps.

use crate::memory;
pub use ferrospin_check::ledger::{Ledger, Why};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long work may take to end by itself when the time is over: this, or a part of the time it had.
const GRACE: Duration = Duration::from_millis(350);
const GRACE_PART: u32 = 16;
/// How long it may take after a signal: the memory of a large search is not given back in a moment.
const GRACE_SIGNAL: Duration = Duration::from_secs(1);
/// How much time passes between two looks.
const PAUSE: Duration = Duration::from_millis(5);
/// So much of memory is always granted beside what the program takes before it has read anything.
const LEAST_BYTES: u64 = 16 << 20;

/// What is guarded.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the time is over.
    pub deadline: Option<Instant>,
    /// The most memory the process may hold.
    pub memory_max_bytes: Option<u64>,
    /// Set when a signal has come.
    pub interrupt: Arc<AtomicBool>,
}

impl Limits {
    /// Why to end now, if there is a reason. A little more memory is allowed here than where work looks itself.
    fn look(&self, held_max_bytes: Option<u64>) -> Option<Why> {
        if self.interrupt.load(SeqCst) {
            return Some(Why::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Why::Time);
        }
        holds_too_much(held_max_bytes).then_some(Why::Memory)
    }

    /// Lets work that is to end do so by itself for a while, unless it takes too much memory meanwhile; why to end then.
    fn outlast(why: Why, patience: Instant, held_max_bytes: Option<u64>, turn: &Turn) -> Why {
        while Instant::now() < patience && !turn.is_taken() {
            std::thread::sleep(PAUSE);
            if holds_too_much(held_max_bytes) {
                return Why::Memory;
            }
        }
        why
    }

    /// What the process may hold at most before it is ended.
    fn held_max_bytes(&self) -> Option<u64> {
        let least = memory::held_bytes().unwrap_or(0) + LEAST_BYTES;
        self.memory_max_bytes.map(|limit| (limit + limit / 20).max(least))
    }
}

/// Whether the process holds more than that.
fn holds_too_much(held_max_bytes: Option<u64>) -> bool {
    held_max_bytes.is_some_and(|max| memory::held_bytes().is_some_and(|held| held > max))
}

/// What ends the check: the work itself, or the guard.
#[derive(Debug, Default)]
struct Turn(AtomicU8);

impl Turn {
    /// Whether the caller is first; all others come too late.
    fn take(&self) -> bool {
        self.0.compare_exchange(0, 1, SeqCst, SeqCst).is_ok()
    }

    fn is_taken(&self) -> bool {
        self.0.load(SeqCst) != 0
    }
}

/// See the module. A clone guards the same check.
#[derive(Clone, Debug)]
pub struct Guard {
    turn: Arc<Turn>,
}

impl Guard {
    /// Guards what comes next. `end` is called at most once, on a thread of its own, and must end the program. Where the system
    /// gives no thread there is no guard, and limits are those that work looks at itself.
    pub fn start(limits: Limits, end: impl FnOnce(Why) + Send + 'static) -> Guard {
        let guard = Guard { turn: Arc::default() };
        let held_max_bytes = limits.held_max_bytes();
        let (turn, started) = (guard.turn.clone(), Instant::now());
        let watch = move || {
            while !turn.is_taken() {
                std::thread::sleep(PAUSE);
                let Some(why) = limits.look(held_max_bytes) else { continue };
                let patience = Instant::now()
                    + match why {
                        Why::Interrupted => GRACE_SIGNAL,
                        Why::Time => GRACE.max(started.elapsed() / GRACE_PART),
                        Why::Memory | Why::Refused => Duration::ZERO,
                    };
                let why = Limits::outlast(why, patience, held_max_bytes, &turn);
                if turn.take() {
                    end(why);
                }
                return;
            }
        };
        // A small stack: what is called at the end prints a report.
        let _ = Builder::new().name("guard".into()).stack_size(1 << 20).spawn(watch);
        guard
    }

    /// The work ends by itself, and prints its report; waits for ever where the guard was faster.
    pub fn dismiss(&self) {
        while !self.turn.take() {
            std::thread::park_timeout(Duration::from_secs(1));
        }
    }

    /// Whether the caller has to end the program, because no other part does.
    pub fn takes_turn(&self) -> bool {
        self.turn.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn limits() -> Limits {
        Limits { deadline: None, memory_max_bytes: None, interrupt: Arc::default() }
    }

    /// Why a guard with such limits ends work that does not end by itself.
    fn ended(limits: Limits) -> Why {
        let (tell, told) = mpsc::channel();
        Guard::start(limits, move |why| tell.send(why).expect("the test waits"));
        told.recv().expect("the guard ends it")
    }

    #[test]
    fn work_that_does_not_end_is_ended() {
        assert_eq!(ended(Limits { deadline: Some(Instant::now()), ..limits() }), Why::Time);
        assert_eq!(ended(Limits { interrupt: Arc::new(AtomicBool::new(true)), ..limits() }), Why::Interrupted);
    }

    /// Work that is over its time may still grow while it is waited for.
    #[test]
    fn memory_is_watched_to_the_end() {
        let hour = Instant::now() + Duration::from_secs(3600);
        assert_eq!(Limits::outlast(Why::Time, hour, Some(0), &Turn::default()), Why::Memory);
        assert_eq!(Limits::outlast(Why::Time, Instant::now(), Some(0), &Turn::default()), Why::Time);
    }

    #[test]
    fn only_one_ends_it() {
        let guard = Guard::start(limits(), |_| unreachable!("there is no limit"));
        let other = guard.clone();
        assert!(guard.takes_turn());
        assert!(!other.takes_turn());
    }
}
