//! The lock-free parts under loom, which tries every order of memory accesses two threads can have.
//!
//! The text that is tried is the text that runs: slots by [`crate::table::probe`], which is generic over words, and the gate by
//! compiling its file a second time over loom's primitives. Every model has mutants that must fail, so that it is known to
//! look at the right thing.

mod sync {
    pub(crate) use loom::sync::atomic::AtomicBool;
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

#[path = "gate.rs"]
// Twice on purpose: see above.
#[allow(dead_code, unreachable_pub, clippy::duplicate_mod)]
mod gate;

use crate::table::probe::{self, Outcome};
use crate::table::slot::Slot;
use gate::{Gate, Maintenance, Standing};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// A deliberate mistake in a slot.
trait Fault: Send + Sync + 'static {
    /// All accesses are relaxed.
    const RELAXED: bool = false;
    /// A worker that loses a slot does not see the winner.
    const BLIND: bool = false;
}

struct Sound;
impl Fault for Sound {}

struct Unordered;
impl Fault for Unordered {
    const RELAXED: bool = true;
}

struct Blind;
impl Fault for Blind {
    const BLIND: bool = true;
}

struct Word<F>(AtomicU64, std::marker::PhantomData<F>);

impl<F> Word<F> {
    fn new() -> Word<F> {
        Word(AtomicU64::new(0), std::marker::PhantomData)
    }
}

impl<F: Fault> Slot for Word<F> {
    const BITS: u32 = 64;
    const KEEPS_TAG: bool = true;
    const LOAD_MAX: f64 = 1.0;
    const GROWTH: f64 = 2.0;
    const SEGMENT_BITS: u32 = 1;
    const LINE: usize = 1;

    fn load(&self, order: Ordering) -> u64 {
        self.0.load(if F::RELAXED { Relaxed } else { order })
    }

    fn store(&self, value: u64, order: Ordering) {
        self.0.store(value, order);
    }

    fn fill(&self, value: u64) -> Result<(), u64> {
        let (success, failure) = if F::RELAXED { (Relaxed, Relaxed) } else { (Release, Acquire) };
        match self.0.compare_exchange(0, value, success, failure) {
            Ok(_) => Ok(()),
            Err(_) if F::BLIND => Err(u64::MAX),
            Err(winner) => Err(winner),
        }
    }

    fn number_bits(_numbers: u64) -> u32 {
        32
    }
}

/// Four slots, and room for the data of four numbers: two for each of two workers.
struct Table<F> {
    slots: [Word<F>; 4],
    data: [UnsafeCell<u64>; 5],
}

impl<F: Fault> Table<F> {
    fn new() -> Arc<Table<F>> {
        Arc::new(Table {
            slots: std::array::from_fn(|_| Word::new()),
            data: std::array::from_fn(|_| UnsafeCell::new(0)),
        })
    }

    /// All keys have the same tag, so that only the data distinguish them.
    fn insert(&self, key: u64, worker: u32, used: &mut u32) -> Outcome<()> {
        let number = 1 + worker * 2 + *used;
        let outcome = probe::insert(
            &self.slots,
            7 << 32,
            32,
            false,
            // SAFETY: loom checks that no thread writes meanwhile.
            |number| self.data[number as usize].with(|data| unsafe { *data } == key),
            || {
                // SAFETY: loom checks that no thread reads meanwhile.
                self.data[number as usize].with_mut(|data| unsafe { *data = key });
                Ok(number)
            },
        );
        *used += u32::from(matches!(outcome, Outcome::New(_)));
        outcome
    }
}

/// Two workers put two keys each, one of them the same: each key is new once, and found by both afterwards.
fn publish<F: Fault>() {
    loom::model(|| {
        let table = Table::<F>::new();
        let other = table.clone();
        let put = |table: &Table<F>, keys: [u64; 2], worker| {
            let mut used = 0;
            keys.map(|key| matches!(table.insert(key, worker, &mut used), Outcome::New(_)))
                .into_iter()
                .filter(|&new| new)
                .count()
        };
        let thread = loom::thread::spawn(move || put(&other, [10, 11], 1));
        let new = put(&table, [11, 12], 0) + thread.join().expect("no panic");
        assert_eq!(new, 3);
        for key in [10, 11, 12] {
            // SAFETY: as above.
            let same = |number: u32| table.data[number as usize].with(|data| unsafe { *data } == key);
            assert!(probe::find(&table.slots, 7 << 32, 32, same).is_some());
        }
    });
}

#[test]
fn keys_are_published_with_their_data() {
    publish::<Sound>();
}

#[test]
#[should_panic(expected = "Causality violation")]
fn relaxed_slots_race_on_the_data() {
    publish::<Unordered>();
}

#[test]
#[should_panic(expected = "left: 4")]
fn ignoring_the_winner_stores_a_key_twice() {
    publish::<Blind>();
}

/// Two workers put the same two words into a line: each is new once.
fn same_line<F: Fault>() {
    loom::model(|| {
        let line = Arc::new([Word::<F>::new(), Word::new(), Word::new(), Word::new()]);
        let other = line.clone();
        let put = |line: &[Word<F>; 4], words: [u64; 2]| {
            words
                .map(|word| probe::insert_word(&line[..], word, false, || Ok::<(), ()>(())))
                .into_iter()
                .filter(|&outcome| outcome == Outcome::New(0))
                .count()
        };
        let thread = loom::thread::spawn(move || put(&other, [5, 6]));
        let new = put(&line, [6, 5]) + thread.join().expect("no panic");
        assert_eq!(new, 2);
    });
}

#[test]
fn a_line_takes_every_word_once() {
    same_line::<Sound>();
}

#[test]
#[should_panic(expected = "left: ")]
fn a_line_whose_losers_are_blind_takes_words_twice() {
    same_line::<Blind>();
}

/// A table that is replaced at safe points; loom detects a read meanwhile.
struct Growing {
    gate: Gate,
    table: UnsafeCell<usize>,
}

// SAFETY: loom checks what is done with the cell.
unsafe impl Sync for Growing {}
// SAFETY: as above.
unsafe impl Send for Growing {}

impl Growing {
    fn look(&self) -> usize {
        // SAFETY: loom checks that no thread writes meanwhile.
        self.table.with(|table| unsafe { *table })
    }
}

impl Maintenance for Growing {
    fn prepare(&self) {
        // SAFETY: loom checks that no thread reads meanwhile.
        self.table.with_mut(|table| unsafe { *table += 1 });
    }

    fn work(&self) {}

    fn finish(&self) {}
}

/// One worker makes the table grow; the other reads it, passes a safe point if it must, and ends.
fn grow(parks: bool, leaves: bool) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let growing = Arc::new(Growing { gate: Gate::new(), table: UnsafeCell::new(0) });
        let other = growing.clone();
        let (first, second) = (growing.gate.enter(), growing.gate.enter());
        assert_eq!((first, second), (Standing::Exclusive, Standing::Joining));
        let thread = loom::thread::spawn(move || {
            other.look();
            let mut standing = second;
            if other.gate.wanted() {
                standing = other.gate.park(&*other);
            }
            other.look();
            if leaves {
                other.gate.leave(standing);
            }
        });
        growing.look();
        growing.gate.request();
        if parks {
            growing.gate.park(&*growing);
        } else {
            growing.prepare();
        }
        assert_eq!(growing.look(), 1);
        thread.join().expect("no panic");
    });
}

#[test]
fn no_worker_reads_while_the_table_grows() {
    grow(true, true);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn growth_outside_of_the_gate_is_seen() {
    grow(false, true);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_worker_that_ends_without_leaving_blocks_the_gate() {
    grow(true, false);
}

/// A worker that waits for another is absent: growth does not wait for it.
#[test]
fn an_absent_worker_is_not_waited_for() {
    loom::model(|| {
        let growing = Arc::new(Growing { gate: Gate::new(), table: UnsafeCell::new(0) });
        let other = growing.clone();
        let (first, second) = (growing.gate.enter(), growing.gate.enter());
        let thread = loom::thread::spawn(move || {
            other.gate.request();
            let standing = other.gate.park(&*other);
            other.gate.leave(standing);
        });
        let mut thread = Some(thread);
        let standing = growing.gate.absent(first, &mut || {
            if let Some(thread) = thread.take() {
                thread.join().expect("no panic");
            }
        });
        assert_eq!(growing.look(), 1);
        growing.gate.leave(standing);
        let _ = second;
    });
}
