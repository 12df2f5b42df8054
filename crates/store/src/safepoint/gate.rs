//! Safe points: where workers meet so that one of them, or all together, may change what otherwise stays as it is.
//!
//! A worker *enters* when it gets its handle, looks at one flag between two batches, and *parks* when the flag is set. When
//! every worker that is inside has parked, the gate opens its *maintenance*: all of them take pieces of the work that is to be
//! done (segments that must grow), and go on when the last piece is done. A worker that waits for another one is *absent*
//! meanwhile: it is not waited for, and comes back in only when no maintenance are open. A worker that ends *leaves*.
//!
//! Invariants: maintenance run only while every worker inside is parked; a worker that left or is absent is never waited for;
//! what is written during maintenance happens before whatever a worker does after them (the mutex orders it).
//!
//! *Alone.* When only one worker exists it may publish with plain stores instead of compare-and-swap. The gate knows
//! which: [`Standing::Exclusive`] is given to a worker that is the only one, and a newcomer stands as
//! [`Standing::Joining`] until the first has passed a safe point; he must call [`Gate::synchronize`] before he publishes
//! anything.
//!
//! Shared between threads: one flag, read (relaxed) once per batch and written twice per stop; all else behind a mutex
//! that is touched only by stops and by absences.

use super::sync::{AtomicBool, Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// What is to be done while all workers are parked.
pub trait Maintenance {
    /// Makes the list of what is to be done; called by one worker while all others wait.
    fn prepare(&self);

    /// Takes pieces off the list until there are none left; called by every parked worker at the same time.
    fn work(&self);

    /// Called by one worker while all others wait, when every piece is done.
    fn finish(&self);
}

/// What a worker may assume of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// There is no other worker, or the others publish nothing before this one has passed a safe point.
    Exclusive,
    /// There may be one who believes to be exclusive: see [`Gate::synchronize`].
    Joining,
    /// There are others, and all know it.
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
    /// Maintenance are being done.
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
    /// A gate with nobody inside.
    pub fn new() -> Gate {
        Gate { wanted: AtomicBool::new(false), inside: Mutex::new(Inside::default()), changed: Condvar::new() }
    }

    /// Whether somebody wants all workers at the gate: the only thing that is looked at between batches.
    #[inline]
    pub fn wanted(&self) -> bool {
        self.wanted.load(Relaxed)
    }

    /// Asks all workers to come to the gate. Returns at once.
    #[cold]
    pub fn request(&self) {
        self.wanted.store(true, Relaxed);
    }

    /// A new worker. Waits while maintenance are open.
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

    /// A worker is gone for good.
    pub fn leave(&self, standing: Standing) {
        let mut inside = self.lock();
        inside.members -= 1;
        inside.live -= 1;
        if standing == Standing::Exclusive {
            inside.exclusive = false;
        }
        // Those who wait may have waited only for this one.
        self.changed.notify_all();
    }

    /// Parks until all live workers have, does the maintenance with them, and says how this worker stands from now on.
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

    /// Makes a newcomer an equal: whoever believes to be alone is made to pass a safe point first.
    #[cold]
    pub fn synchronize(&self, maintenance: &dyn Maintenance) -> Standing {
        if !self.lock().exclusive {
            return Standing::Shared;
        }
        self.request();
        self.park(maintenance)
    }

    /// Runs `wait` while this worker is not waited for; says how it stands afterwards.
    pub fn absent(&self, standing: Standing, wait: &mut dyn FnMut()) -> Standing {
        /// Comes back in even when `wait` panics, because the handle will leave when it is dropped.
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
            // The one who stood alone is at a safe point here: if others have come, all are equal from now on.
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
