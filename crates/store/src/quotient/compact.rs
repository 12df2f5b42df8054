//! The compact store: tree compression whose roots take 5 to 6 bytes, or 6 to 7 where the table has more room.
//!
//! States become roots ([`crate::tree::nodes`]). TreeShape, left and right number of a root, as narrow as they are at present, are
//! one number of some 40 bits, kept in quotiented lines ([`crate::quotient::table`]). When a part outgrows its width, all are keyed
//! anew at a safe point. A state's number is its root; it never changes, but numbers are not dense.
//!
//! Shared between threads: what [`crate::quotient::table`] and [`crate::tree::nodes`] say.

use crate::Options;
use crate::memory::budget::Account;
use crate::memory::refusal::granted;
use crate::quotient::table::{GrowthPolicy, Home, Put, QuotientTable};
use crate::safepoint::gate::{Gate, Maintenance, Standing};
use crate::safepoint::registration::Registration;
use crate::table::load::Counts;
use crate::tree::nodes::{Failure, SHAPES_MAX, Table, TreeNodes};
use crate::tree::pairs::Pair;
use crate::tree::root_handle::{RootHandle, Roots};
use crate::tree::shape::Scratch;
use ferrospin_system::{Found, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

/// What an empty store takes, roughly.
const EMPTY_BYTES: usize = 300 << 10;

/// Bits of a half of a root in a number of a state.
const HALF_BITS: u32 = 28;
/// Marks the number of a state of a sample, which is kept as it is.
const PLAIN: u64 = 1 << 63;

/// How many bits of a key the shape and the left half have, and all together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Widths {
    shape: u32,
    left: u32,
    right: u32,
}

impl Widths {
    fn bits(self) -> u32 {
        self.shape + self.left + self.right
    }

    fn fits(self, root: Pair) -> bool {
        let high = u64::from(root.shape) >> self.shape | u64::from(root.left) >> self.left;
        high | u64::from(root.right) >> self.right == 0
    }

    fn key(self, root: Pair) -> u64 {
        let left = u64::from(root.shape) << self.left | u64::from(root.left);
        left << self.right | u64::from(root.right)
    }

    fn root(self, key: u64) -> Pair {
        let part = |key: u64, bits: u32| (key & ((1 << bits) - 1)) as u32;
        Pair {
            right: part(key, self.right),
            left: part(key >> self.right, self.left),
            shape: part(key >> (self.right + self.left), self.shape),
        }
    }

    fn pack(self) -> u32 {
        self.shape << 16 | self.left << 8 | self.right
    }

    fn unpack(packed: u32) -> Widths {
        Widths { shape: packed >> 16, left: packed >> 8 & 0xff, right: packed & 0xff }
    }
}

fn number(root: Pair) -> u64 {
    (u64::from(root.shape) << HALF_BITS | u64::from(root.left)) << HALF_BITS | u64::from(root.right)
}

fn root_of(number: u64) -> Pair {
    let half = (1 << HALF_BITS) - 1;
    Pair {
        right: (number & half) as u32,
        left: (number >> HALF_BITS & half) as u32,
        shape: (number >> (2 * HALF_BITS)) as u32,
    }
}

/// Keeps states as trees whose roots are packed as tightly as their numbers allow.
pub struct Compact {
    nodes: TreeNodes,
    lines: QuotientTable,
    /// Changed at safe points only.
    widths: AtomicU32,
    /// A root does not fit the widths.
    outgrown: AtomicBool,
    gate: Gate,
    account: Arc<Account>,
}

impl Compact {
    /// An empty store.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one ([`crate::memory::refusal`]).
    pub fn new(options: &Options) -> Compact {
        Compact::with_growth(options, GrowthPolicy::Tight)
    }

    /// An empty store whose table grows by more at a time: faster, with a third more memory for the roots.
    ///
    /// # Panics
    /// As for [`Compact::new`].
    pub fn roomy(options: &Options) -> Compact {
        Compact::with_growth(options, GrowthPolicy::Roomy)
    }

    fn with_growth(options: &Options, growth: GrowthPolicy) -> Compact {
        let account = Arc::new(Account::new(options.budget()));
        // Enough for most models, so that the table is not keyed anew.
        let widths = Widths { shape: 3, left: 18, right: 18 };
        Compact {
            nodes: granted(TreeNodes::new(&account, &options.sample), EMPTY_BYTES),
            lines: granted(QuotientTable::new(widths.bits(), growth, &account), EMPTY_BYTES),
            widths: AtomicU32::new(widths.pack()),
            outgrown: AtomicBool::new(false),
            gate: Gate::new(),
            account,
        }
    }

    #[inline(always)]
    fn widths(&self) -> Widths {
        Widths::unpack(self.widths.load(Relaxed))
    }

    /// The key of a root; `None` when it does not fit the widths.
    #[inline(always)]
    fn key(&self, root: Pair) -> Option<u64> {
        let widths = self.widths();
        widths.fits(root).then(|| widths.key(root))
    }

    /// How many states are stored, by walking over the table. What other workers store meanwhile may be left out.
    pub fn states(&self) -> u64 {
        self.visit(|| self.lines.len() + self.nodes.arena.states())
    }

    /// How many nodes there are below the roots.
    pub fn nodes(&self) -> u64 {
        self.nodes.node_counts().iter().sum()
    }

    /// Where the memory goes, in bytes, but for what is of fixed size.
    pub fn parts(&self) -> Vec<(&'static str, u64)> {
        let roots = [("sample", self.nodes.arena.bytes()), ("roots", self.lines.bytes())];
        roots.into_iter().chain(self.nodes.parts()).collect()
    }

    /// Walks all states with their numbers, in no order. What is stored meanwhile may be left out.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8])) {
        self.nodes.arena.each(&mut |id, _, state| f(PLAIN | id, state));
        let (mut scratch, mut state) = (Scratch::default(), Vec::new());
        self.visit(|| {
            self.lines.each(&mut |key| {
                let root = self.widths().root(key);
                let shape = self.nodes.shape(root.shape).expect("a root has a shape");
                state.clear();
                self.nodes.restore(&shape, root, &mut scratch, &mut state);
                f(number(root), &state);
            });
        });
    }

    /// Looks at the lines while no stop can happen.
    fn visit<T>(&self, look: impl FnOnce() -> T) -> T {
        let _seat = Registration::enter(&self.gate);
        look()
    }

    /// Number of times all workers stopped, for growth above all.
    pub fn stops(&self) -> u64 {
        self.gate.generation()
    }
}

impl Store for Compact {
    type Handle<'s> = CompactHandle<'s>;
    const EXACT: bool = true;
    const RESTORES: bool = true;

    fn handle(&self) -> CompactHandle<'_> {
        RootHandle::new(self, &self.gate, Counts::new())
    }

    fn memory_bytes(&self) -> u64 {
        let fixed = size_of::<Compact>() + self.nodes.uncharged_bytes() + self.lines.uncharged_bytes();
        self.account.held_bytes() + fixed as u64
    }
}

impl Maintenance for Compact {
    fn prepare(&self) {
        self.nodes.prepare();
        self.lines.prepare();
        if !self.outgrown.swap(false, Relaxed) {
            return;
        }
        // TableMapping for four times as many of each, so that it happens a few times only.
        let old = self.widths();
        let wide = |bound: u64, before: u32, bits_max: u32| {
            let needed = 64 - bound.leading_zeros();
            if needed <= before { before } else { (needed + 2).min(bits_max) }
        };
        let [left, right] = self.nodes.half_bounds();
        let new = Widths {
            shape: wide(self.nodes.shapes(), old.shape, SHAPES_MAX.ilog2() + 1),
            left: wide(left, old.left, HALF_BITS),
            right: wide(right, old.right, HALF_BITS),
        };
        // SAFETY: the gate calls it while every worker is parked, absent or gone, and by one worker only.
        if new != old && unsafe { self.lines.rekey(new.bits(), |key| new.key(old.root(key))) } {
            self.widths.store(new.pack(), Relaxed);
        }
    }

    fn work(&self) {
        // SAFETY: the gate calls it only while every worker is parked, absent or gone.
        unsafe {
            self.nodes.work();
            self.lines.work();
        }
    }

    fn finish(&self) {}
}

/// A worker's access to a [`Compact`] store.
pub type CompactHandle<'s> = RootHandle<'s, Compact>;

impl Roots for Compact {
    type Own = Counts;
    type Near = (u64, Home);

    fn nodes(&self) -> &TreeNodes {
        &self.nodes
    }

    #[inline(always)]
    fn approach(&self, root: Pair) -> Option<Self::Near> {
        let key = self.key(root)?;
        let home = self.lines.home(key);
        self.lines.prefetch(home);
        Some((key, home))
    }

    fn outgrow(&self) {
        self.outgrown.store(true, Relaxed);
    }

    #[inline(always)]
    unsafe fn put(
        &self,
        own: &mut Counts,
        standing: Standing,
        root: Pair,
        (key, home): Self::Near,
    ) -> Result<(Found, bool), Failure> {
        match self.lines.put(home, standing, own) {
            Put::Seen => Ok((Found::Seen(number(root)), false)),
            Put::New(grow) => Ok((Found::New(number(root)), grow)),
            Put::NoSlot => Err(Failure::NoSlot(Table::Roots, key)),
            Put::NotSynchronized => Err(Failure::NotSynchronized),
        }
    }

    fn find(&self, root: Pair) -> Option<u64> {
        self.key(root).filter(|&key| self.lines.contains(key)).map(|_| number(root))
    }

    #[inline]
    fn root(&self, number: u64) -> Result<Pair, u64> {
        if number & PLAIN == 0 { Ok(root_of(number)) } else { Err(number & !PLAIN) }
    }

    fn plain(&self, id: u32) -> u64 {
        PLAIN | u64::from(id)
    }

    fn overflow(&self, key: u64) {
        self.lines.overflow(key);
    }

    fn size_for(&self, key: u64) -> (u32, u32) {
        self.lines.size_for(key)
    }
}
