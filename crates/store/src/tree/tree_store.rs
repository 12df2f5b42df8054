//! The tree store: states as trees of interned pairs, with numbers.
//!
//! States become roots ([`crate::tree::nodes`]); a root is a pair of node numbers, packed into 4 to 8 bytes, under a dense number
//! of its own, and is found by an index of narrow slots. Neighbouring states share all nodes but a few, so that a state
//! costs little more than its root: 9 to 12 bytes, whatever its length.
//!
//! Shared between threads: roots as in [`crate::tree::pairs`]; nodes as in [`crate::tree::nodes`].

use crate::Options;
use crate::memory::budget::Account;
use crate::memory::refusal::granted;
use crate::safepoint::gate::{Gate, Maintenance, Standing};
use crate::table::index::{Inserted, ProbeStart};
use crate::tree::nodes::{Failure, Table, TreeNodes};
use crate::tree::pairs::{Pair, PairReader, Pairs, PairsHandle};
use crate::tree::root_handle::{RootHandle, Roots};
use crate::tree::shape::Scratch;
use ferrospin_system::{Found, Indexed, Store};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// What an empty store takes, roughly.
const EMPTY_BYTES: usize = 300 << 10;

/// Keeps states as trees whose parts are shared.
pub struct Tree {
    nodes: TreeNodes,
    roots: Pairs,
    gate: Gate,
    account: Arc<Account>,
}

impl Tree {
    /// An empty store.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one ([`crate::memory::refusal`]).
    pub fn new(options: &Options) -> Tree {
        let account = Arc::new(Account::new(options.budget()));
        Tree {
            nodes: granted(TreeNodes::new(&account, &options.sample), EMPTY_BYTES),
            roots: granted(Pairs::new(&account), EMPTY_BYTES),
            gate: Gate::new(),
            account,
        }
    }

    /// How many states are stored. What other workers store meanwhile may be left out.
    pub fn states(&self) -> u64 {
        self.nodes.arena.states()
    }

    /// How many nodes there are below the roots.
    pub fn nodes(&self) -> u64 {
        self.nodes.node_counts().iter().sum()
    }

    /// Where the memory goes, in bytes, but for what is of fixed size.
    pub fn parts(&self) -> Vec<(&'static str, u64)> {
        let roots = [("roots and sample", self.nodes.arena.bytes()), ("root index", self.roots.index.bytes())];
        roots.into_iter().chain(self.nodes.parts()).collect()
    }

    /// Walks all states with their numbers, in the order of the numbers. What is stored meanwhile may be left out.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8])) {
        let (mut scratch, mut state) = (Scratch::default(), Vec::new());
        self.nodes.arena.each(&mut |number, meaning, bytes| {
            if meaning == 0 {
                return f(number, bytes);
            }
            let root = self.root(number).expect("what is no state is a root");
            let shape = self.nodes.shape(root.shape).expect("a root has a shape");
            state.clear();
            self.nodes.restore(&shape, root, &mut scratch, &mut state);
            f(number, &state);
        });
    }

    /// Number of times all workers stopped, for growth above all.
    pub fn stops(&self) -> u64 {
        self.gate.generation()
    }
}

impl Store for Tree {
    type Handle<'s> = TreeHandle<'s>;
    const EXACT: bool = true;
    const RESTORES: bool = true;
    const SMALL_NUMBERS: bool = true;

    fn handle(&self) -> TreeHandle<'_> {
        RootHandle::new(self, &self.gate, PairsHandle::new())
    }

    fn memory_bytes(&self) -> u64 {
        let fixed = size_of::<Tree>() + self.nodes.uncharged_bytes() + self.roots.index.uncharged_bytes();
        self.account.held_bytes() + fixed as u64
    }
}

impl Indexed for Tree {
    fn bound(&self) -> u64 {
        self.nodes.arena.bound()
    }
}

impl Maintenance for Tree {
    fn prepare(&self) {
        self.nodes.prepare();
        self.roots.index.prepare();
    }

    fn work(&self) {
        // SAFETY: the gate calls it only while every worker is parked, absent or gone.
        unsafe {
            self.nodes.work();
            self.roots.work(&self.nodes.arena);
        }
    }

    fn finish(&self) {}
}

/// A worker's access to a [`Tree`].
pub type TreeHandle<'s> = RootHandle<'s, Tree>;

impl Roots for Tree {
    type Own = PairsHandle;
    type Near = (u64, ProbeStart<AtomicU32>);

    fn nodes(&self) -> &TreeNodes {
        &self.nodes
    }

    #[inline(always)]
    fn approach(&self, root: Pair) -> Option<Self::Near> {
        let hash = root.hash();
        Some((hash, self.roots.index.probe_start(hash)))
    }

    fn outgrow(&self) {}

    #[inline(always)]
    unsafe fn put(
        &self,
        own: &mut PairsHandle,
        standing: Standing,
        root: Pair,
        near: Self::Near,
    ) -> Result<(Found, bool), Failure> {
        // SAFETY: by the caller.
        match unsafe { self.roots.intern(&self.nodes.arena, own, standing, root, near) } {
            Inserted::Seen(number) => Ok((Found::Seen(number.into()), false)),
            Inserted::New(number, grow) => Ok((Found::New(number.into()), grow)),
            Inserted::NotSynchronized => Err(Failure::NotSynchronized),
            Inserted::NoSlot => Err(Failure::NoSlot(Table::Roots, near.0)),
            Inserted::NoMemory => Err(Failure::NoMemory),
        }
    }

    fn find(&self, root: Pair) -> Option<u64> {
        self.roots.find(&self.nodes.arena, root).map(u64::from)
    }

    #[inline]
    fn root(&self, number: u64) -> Result<Pair, u64> {
        PairReader(&self.nodes.arena).get_checked(number).ok_or(number)
    }

    fn plain(&self, id: u32) -> u64 {
        id.into()
    }

    fn overflow(&self, key: u64) {
        self.roots.index.overflow(key);
    }

    fn size_for(&self, key: u64) -> (u32, u32) {
        self.roots.index.size_for(key)
    }
}
