//! The sets of [`super::components`] under loom, which tries the orders of memory accesses that two threads can have.
//!
//! The text that is tried is the text that runs: the file is compiled again over loom's primitives. Without any order of
//! accesses the same model must fail, so that it is known to look at the right thing.

mod sync {
    pub(super) use super::Few as Cells;
    pub(super) use loom::thread::yield_now;
    use std::sync::atomic::Ordering::{self, Relaxed};

    std::thread_local! {
        /// Whether accesses keep no order; loom runs all threads of a model on one thread of the system.
        pub(super) static UNORDERED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }

    fn order(asked: Ordering) -> Ordering {
        if UNORDERED.get() { Relaxed } else { asked }
    }

    macro_rules! word {
        ($name:ident, $type:ty) => {
            #[derive(Default)]
            pub(super) struct $name(loom::sync::atomic::$name);

            #[allow(dead_code)]
            impl $name {
                pub(super) fn load(&self, asked: Ordering) -> $type {
                    self.0.load(order(asked))
                }

                pub(super) fn store(&self, value: $type, asked: Ordering) {
                    self.0.store(value, order(asked));
                }

                pub(super) fn fetch_or(&self, value: $type, asked: Ordering) -> $type {
                    self.0.fetch_or(value, order(asked))
                }

                pub(super) fn compare_exchange(
                    &self,
                    old: $type,
                    new: $type,
                    asked: Ordering,
                    failed: Ordering,
                ) -> Result<$type, $type> {
                    self.0.compare_exchange(old, new, order(asked), order(failed))
                }
            }
        };
    }

    word!(AtomicU8, u8);
    word!(AtomicU32, u32);
    word!(AtomicU64, u64);
}

#[path = "components.rs"]
// Twice on purpose: see above.
#[allow(dead_code, clippy::duplicate_mod)]
mod components;

use components::{Claim, Components};
use loom::sync::Arc;
use loom::thread::spawn;

/// Cells for the few states of a model.
struct Few<T>(Vec<T>);

impl<T: Default> Few<T> {
    fn new() -> Self {
        Few((0..3).map(|_| T::default()).collect())
    }

    fn at(&self, id: u32) -> &T {
        &self.0[id as usize]
    }

    fn memory_bytes(&self) -> usize {
        size_of::<T>() * self.0.len()
    }
}

/// Two workers in every order with few switches where there is no need for one.
fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(model);
}

/// Bits of workers and marks that are added while sets are united are not lost.
fn bits() {
    check(|| {
        let sets = Arc::new(Components::new(0b11));
        let other = sets.clone();
        let thread = spawn(move || other.unite(0, 1));
        assert!(matches!(sets.claim(0, 2), Claim::New));
        assert!(!sets.add(0, 0b01));
        thread.join().expect("the other worker ends");
        assert!(sets.same(0, 1));
        assert!(matches!(sets.claim(1, 2), Claim::Seen), "a worker is forgotten");
        assert!(sets.add(1, 0b10), "a mark is forgotten");
    });
}

#[test]
fn bits_reach_the_root() {
    bits();
}

#[test]
#[should_panic(expected = "is forgotten")]
fn without_order_bits_are_lost() {
    sync::UNORDERED.set(true);
    bits();
}

/// Two unions make one set of three, whose ring has all members, each until it is done.
#[test]
fn rings_are_joined() {
    check(|| {
        let sets = Arc::new(Components::new(1));
        let other = sets.clone();
        let thread = spawn(move || other.unite(1, 2));
        sets.unite(0, 1);
        thread.join().expect("the other worker ends");
        assert!(sets.same(0, 2));
        let mut left = vec![0, 1, 2];
        while let Some(member) = sets.pick(0) {
            assert!(left.contains(&member), "{member} comes back");
            left.retain(|m| *m != member);
            assert!(sets.done(member));
        }
        assert!(left.is_empty(), "{left:?} are lost");
        assert!(matches!(sets.claim(2, 1), Claim::Dead));
    });
}

/// A member that another worker finishes is handed out no more, and the set dies.
#[test]
fn members_are_finished_together() {
    check(|| {
        let work = |sets: &Components| {
            let mut own = 0;
            while let Some(member) = sets.pick(0) {
                own += u32::from(sets.done(member));
            }
            own
        };
        let sets = Arc::new(Components::new(1));
        sets.unite(0, 1);
        let other = sets.clone();
        let thread = spawn(move || work(&other));
        let own = work(&sets);
        assert_eq!(own + thread.join().expect("the other worker ends"), 2, "each is done once");
        assert!(matches!(sets.claim(1, 1), Claim::Dead));
    });
}
