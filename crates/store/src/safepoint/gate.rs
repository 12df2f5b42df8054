//! Safe points: all workers stop so that one of them, or all together, may change what is otherwise constant.
//!
//! A worker *enters* when it gets its handle, looks at one flag between two batches, and *parks* when the flag is set. When
//! every live worker has parked, *maintenance* begins: all of them take pieces of the work (segments that must grow), and
//! continue when the last piece is done. A worker that waits for another one is *absent* meanwhile: a stop does not wait for it,
//! and it returns only when no maintenance is under way. A worker that ends *leaves*.
//!
//! Invariants: maintenance runs only while every live worker is parked; a stop never waits for a worker that left or is absent;
//! what is written during maintenance happens before whatever a worker does afterwards (the mutex orders it).
//!
//! *Exclusive.* The only worker may publish with plain stores instead of compare-and-swap: its standing is
//! [`Standing::Exclusive`]. A second worker is [`Standing::Joining`] until the first has passed a safe point, and must call
//! [`Gate::synchronize`] before it publishes anything.
//!
//! Shared between threads: one flag, read (relaxed) once per batch and written twice per stop; all else behind a mutex
//! that is touched only by stops and by absences.

use super::sync::{AtomicBool, Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Work that is done while all workers are parked.
pub trait Maintenance {
    /// Prepares the pieces of the work; called by one worker while all others wait.
    fn prepare(&self);

    /// Does pieces of the work until there are none left; called by every parked worker at the same time.
    fn work(&self);

    /// Called by one worker while all others wait, when every piece is done.
    fn finish(&self);
}

/// What a worker may assume of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// There is no other worker, or the others publish nothing before this one has passed a safe point.
    Exclusive,
    /// Another worker may still be exclusive: see [`Gate::synchronize`].
    Joining,
    /// There are others, and none is exclusive.
    Shared,
}

#[derive(Debug, Default)]
struct Inside {
    /// Handles that exist.
    members: usize,
    /// Members that are not absent.
    live: usize,
    /// Live members that wait at the gate.
    parked: usize,
    /// Parked members that have not finished their part of the maintenance.
    working: usize,
    /// Maintenance is under way.
    open: bool,
    /// Some member is exclusive.
    exclusive: bool,
    /// Number of stops so far.
    generation: u64,
}

/// The safe points of one store.
#[derive(Debug)]
pub struct Gate {
    wanted: AtomicBool,
    inside: Mutex<Inside>,
    changed: Condvar,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate::new()
    }
}

impl Gate {
    /// A gate without members.
    pub fn new() -> Gate {
        Gate { wanted: AtomicBool::new(false), inside: Mutex::new(Inside::default()), changed: Condvar::new() }
    }

    /// Whether a stop was requested: the only thing that is read between batches.
    #[inline]
    pub fn wanted(&self) -> bool {
        self.wanted.load(Relaxed)
    }

    /// Requests a stop of all workers. Returns at once.
    #[cold]
    pub fn request(&self) {
        self.wanted.store(true, Relaxed);
    }

    /// Registers a new worker. Waits while maintenance is under way.
    pub fn enter(&self) -> Standing {
        let mut inside = self.lock();
        while inside.open {
            inside = self.wait(inside);
        }
        inside.members += 1;
        inside.live += 1;
        if inside.members == 1 {
            inside.exclusive = true;
            Standing::Exclusive
        } else if inside.exclusive {
            Standing::Joining
        } else {
            Standing::Shared
        }
    }

    /// Ends the registration of a worker.
    pub fn leave(&self, standing: Standing) {
        let mut inside = self.lock();
        inside.members -= 1;
        inside.live -= 1;
        if standing == Standing::Exclusive {
            inside.exclusive = false;
        }
        // The others may have waited only for this one.
        self.changed.notify_all();
    }

    /// Parks until all live workers have, does the maintenance with them, and returns this worker's new standing.
    #[cold]
    pub fn park(&self, maintenance: &dyn Maintenance) -> Standing {
        let mut inside = self.lock();
        inside.parked += 1;
        let generation = inside.generation;
        while !inside.open {
            if inside.parked == inside.live {
                maintenance.prepare();
                inside.open = true;
                inside.working = inside.parked;
                self.changed.notify_all();
            } else {
                inside = self.wait(inside);
            }
        }
        drop(inside);
        maintenance.work();
        let mut inside = self.lock();
        inside.working -= 1;
        if inside.working == 0 {
            maintenance.finish();
            inside.open = false;
            inside.parked = 0;
            inside.exclusive = inside.members == 1;
            inside.generation += 1;
            self.wanted.store(false, Relaxed);
            self.changed.notify_all();
        } else {
            while inside.generation == generation {
                inside = self.wait(inside);
            }
        }
        if inside.exclusive { Standing::Exclusive } else { Standing::Shared }
    }

    /// Ends the exclusive standing of another worker: that worker must pass a safe point first.
    #[cold]
    pub fn synchronize(&self, maintenance: &dyn Maintenance) -> Standing {
        if !self.lock().exclusive {
            return Standing::Shared;
        }
        self.request();
        self.park(maintenance)
    }

    /// Runs `wait` while no stop waits for this worker; returns its standing afterwards.
    pub fn absent(&self, standing: Standing, wait: &mut dyn FnMut()) -> Standing {
        /// Returns even when `wait` panics, because the handle leaves when it is dropped.
        struct Return<'g>(&'g Gate);
        impl Drop for Return<'_> {
            fn drop(&mut self) {
                let mut inside = self.0.lock();
                while inside.open {
                    inside = self.0.wait(inside);
                }
                inside.live += 1;
            }
        }

        {
            let mut inside = self.lock();
            inside.live -= 1;
            if inside.parked > 0 {
                self.changed.notify_all();
            }
        }
        let back = Return(self);
        wait();
        drop(back);

        let mut inside = self.lock();
        match standing {
            // An exclusive worker is at a safe point here: if others have come, all are equal from now on.
            Standing::Exclusive => {
                inside.exclusive &= inside.members == 1;
                if inside.exclusive { Standing::Exclusive } else { Standing::Shared }
            }
            Standing::Joining if !inside.exclusive => Standing::Shared,
            other => other,
        }
    }

    /// Number of handles that exist.
    pub fn members(&self) -> usize {
        self.lock().members
    }

    /// Number of stops so far.
    pub fn generation(&self) -> u64 {
        self.lock().generation
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        // A worker that panicked leaves counts that are still right: each change of them is complete.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, inside: MutexGuard<'g, Inside>) -> MutexGuard<'g, Inside> {
        self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner)
    }
}
