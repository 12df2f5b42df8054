//! The packed store.
//!
//! A state is packed ([`crate::packed::layout`]), its bits are a number ([`crate::packed::layouts`]), and the number is kept in a
//! quotient table: one line of the cache a lookup, 4 to 8 bytes a slot, nothing to compare or follow. A state without a number
//! is kept as it is, *beside* the table, in an arena with an index; when there are many, the next stop makes layouts
//! for them. The search does not start anew for that, and no number changes.
//!
//! A state that has a number now, and had none when it was met, stays beside: states of later layouts are looked up there
//! first. None of them comes there any more, because layouts are made at safe points, so that a state has one place.
//!
//! States of a batch are packed, and their lines prefetched, some time before they are looked up, one of each in turn: prefetches
//! that come all at once wait for one another.
//!
//! Shared between threads: what [`crate::quotient::table`], [`crate::table::index`] and [`crate::memory::arena`] say; the
//! layouts, which each worker has a pointer to, renewed at safe points; the count of states beside, touched when there is one more.

use crate::Options;
use crate::memory::arena::{Arena, OpenChunks};
use crate::memory::budget::Account;
use crate::memory::refusal::granted;
use crate::packed::layouts::{Layouts, Placed};
use crate::quotient::table::{Aim, GrowthPolicy, Home, Put, QuotientTable};
use crate::safepoint::gate::{Gate, Maintenance};
use crate::safepoint::registration::Registration;
use crate::table::index::{Index, Inserted, NoKeys};
use crate::table::load::Counts;
use ferrospin_system::{Found, Fresh, Handle, Query, Span, StateHash, Store};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What an empty store takes, roughly.
const EMPTY_BYTES: usize = 128 << 10;
/// Marks the number of a state that is kept beside.
const BESIDE: u64 = 1 << 63;
/// How many states beside the table ask for layouts, at first, and by how much it is more the next time.
const BESIDE_FIRST: u64 = 32;
const BESIDE_FACTOR: u64 = 4;
/// How many states are packed, and their lines prefetched, before the first of them is looked up, and from then on ahead of
/// the others.
const AHEAD: usize = 32;
/// How far ahead home lines are looked at: where one is full, the next is needed, too.
const NEAR: usize = 12;
const RING: usize = 64;
/// A sample of which this part has numbers is packed.
const PACKED_SHARE: f64 = 0.9;

/// Keeps states as numbers, where they take few bits.
pub struct Packed {
    layouts: Mutex<Arc<Layouts>>,
    table: QuotientTable,
    index: Index<AtomicU64>,
    arena: Arena,
    /// States beside the table that may get numbers, and at how many of them layouts are made.
    beside: AtomicU64,
    beside_max: AtomicU64,
    /// Layouts are to be made.
    widens: AtomicBool,
    gate: Gate,
    account: Arc<Account>,
}

impl Packed {
    /// An empty store.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one ([`crate::memory::refusal`]).
    pub fn new(options: &Options) -> Packed {
        let account = Arc::new(Account::new(options.budget()));
        let layouts = Layouts::of_sample(&options.sample);
        Packed {
            table: granted(QuotientTable::new(layouts.bits(), GrowthPolicy::Roomy, &account), EMPTY_BYTES),
            layouts: Mutex::new(Arc::new(layouts)),
            index: granted(Index::new(&account), EMPTY_BYTES),
            arena: granted(Arena::new(&account), EMPTY_BYTES),
            beside: AtomicU64::new(0),
            beside_max: AtomicU64::new(BESIDE_FIRST),
            widens: AtomicBool::new(false),
            gate: Gate::new(),
            account,
        }
    }

    /// Whether nearly all states of a sample can be packed.
    pub fn packs(sample: &[Vec<u8>]) -> bool {
        let layouts = Layouts::of_sample(sample);
        let packed = sample.iter().filter(|state| layouts.number(state).is_some()).count();
        packed > 0 && packed as f64 >= sample.len() as f64 * PACKED_SHARE
    }

    /// Bits of the longest packed state, as far as is known now.
    pub fn bits(&self) -> u32 {
        self.layouts().widest_bits()
    }

    /// How many states are stored, by walking over the table. What other workers store meanwhile may be left out.
    pub fn states(&self) -> u64 {
        self.visit(|| self.table.len() + self.arena.states())
    }

    /// How many states are kept as they are, beside the table.
    pub fn states_beside(&self) -> u64 {
        self.arena.states()
    }

    /// Walks all states with their numbers, in no order. What is stored meanwhile may be left out.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8])) {
        self.arena.each(&mut |id, _, state| f(BESIDE | id, state));
        let mut state = Vec::new();
        self.visit(|| {
            let layouts = self.layouts();
            self.table.each(&mut |number| {
                state.clear();
                unpack(&layouts, number, &mut state);
                f(number, &state);
            });
        });
    }

    /// Looks at the table while no stop can happen.
    fn visit<T>(&self, look: impl FnOnce() -> T) -> T {
        let _seat = Registration::enter(&self.gate);
        look()
    }

    /// Number of times all workers stopped, for growth above all.
    pub fn stops(&self) -> u64 {
        self.gate.generation()
    }

    fn layouts(&self) -> Arc<Layouts> {
        self.layouts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes layouts for the states beside the table; nothing changes where there is no memory for it.
    fn widen(&self) {
        let old = self.layouts();
        let mut beside = Vec::new();
        self.arena.each(&mut |_, _, state| {
            if !old.is_too_wide(state.len()) && old.number(state).is_none() {
                beside.push(state.to_vec());
            }
        });
        let new = old.widened(&mut beside.iter().map(|state| &state[..]));
        // SAFETY: the gate calls this while every worker is parked, absent or gone, and by one worker only.
        let keyed = new.bits() == self.table.bits() || unsafe { self.table.rekey(new.bits(), |number| number) };
        if keyed {
            *self.layouts.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        }
        self.beside_max.store(self.beside.load(Relaxed) * BESIDE_FACTOR, Relaxed);
    }
}

/// The state of a number, behind what is in `out`.
fn unpack(layouts: &Layouts, number: u64, out: &mut Vec<u8>) {
    let placed = layouts.layout(number).expect("a state has this number");
    placed.layout.unpack(number - placed.numbers.start, out);
}

impl Store for Packed {
    type Handle<'s> = PackedHandle<'s>;
    const EXACT: bool = true;
    const RESTORES: bool = true;

    fn handle(&self) -> PackedHandle<'_> {
        PackedHandle {
            store: self,
            registration: Registration::enter(&self.gate),
            layouts: self.layouts(),
            counts: Counts::new(),
            beside_counts: Counts::new(),
            chunks: OpenChunks::default(),
            safe_points: 0,
        }
    }

    fn memory_bytes(&self) -> u64 {
        let fixed = size_of::<Packed>() + self.table.uncharged_bytes() + self.index.uncharged_bytes();
        self.account.held_bytes() + fixed as u64
    }
}

impl Maintenance for Packed {
    fn prepare(&self) {
        self.index.prepare();
        self.table.prepare();
        if self.widens.swap(false, Relaxed) {
            self.widen();
        }
    }

    fn work(&self) {
        // SAFETY: the gate calls it only while every worker is parked, absent or gone.
        unsafe {
            self.index.work(&NoKeys);
            self.table.work();
        }
    }

    fn finish(&self) {}
}

/// A state on its way to the table.
#[derive(Clone, Copy)]
struct Pending {
    number: u64,
    aim: Aim,
}

/// A worker's access to a [`Packed`] store.
pub struct PackedHandle<'s> {
    store: &'s Packed,
    registration: Registration<'s>,
    layouts: Arc<Layouts>,
    counts: Counts,
    beside_counts: Counts,
    chunks: OpenChunks,
    /// How many safe points were passed: homes are right until the next one.
    safe_points: u64,
}

/// Calls the instance for this number of words.
macro_rules! for_words {
    ($words:expr, [$($object:tt)*] $call:ident[$($turns:literal)?]($($argument:expr),*)) => {
        match $words {
            1 => $($object)* $call::<1 $(, $turns)?>($($argument),*),
            2 => $($object)* $call::<2 $(, $turns)?>($($argument),*),
            3 => $($object)* $call::<3 $(, $turns)?>($($argument),*),
            4 => $($object)* $call::<4 $(, $turns)?>($($argument),*),
            5 => $($object)* $call::<5 $(, $turns)?>($($argument),*),
            6 => $($object)* $call::<6 $(, $turns)?>($($argument),*),
            7 => $($object)* $call::<7 $(, $turns)?>($($argument),*),
            8 => $($object)* $call::<8 $(, $turns)?>($($argument),*),
            9 => $($object)* $call::<9 $(, $turns)?>($($argument),*),
            10 => $($object)* $call::<10 $(, $turns)?>($($argument),*),
            _ => $($object)* $call::<0 $(, $turns)?>($($argument),*),
        }
    };
}

/// The states of these numbers, as many from the first on as have one layout.
///
/// # Safety
/// `WORDS` is that of the layout, or 0.
#[inline(never)]
unsafe fn unpack_some<const WORDS: usize>(placed: &Placed, numbers: &[u64], out: &mut Vec<u8>) {
    let Placed { layout, numbers: range, .. } = placed;
    let packed = numbers.iter().take_while(|number| range.contains(number)).map(|number| number - range.start);
    // SAFETY: by the caller.
    unsafe { layout.unpack_words::<WORDS>(packed, numbers.len(), out) }
}

impl PackedHandle<'_> {
    fn renew(&mut self) {
        self.layouts = self.store.layouts();
        self.safe_points += 1;
    }

    #[cold]
    fn park(&mut self) {
        self.registration.park(self.store);
        self.renew();
    }

    #[cold]
    fn synchronize(&mut self) {
        self.registration.synchronize(self.store);
        self.renew();
    }

    /// A number found no slot. `None`: try again.
    #[cold]
    fn grow(&mut self, number: u64) -> Option<Found> {
        let table = &self.store.table;
        let size = table.size_for(number);
        table.overflow(number);
        self.registration.request();
        self.park();
        (self.store.table.size_for(number) == size).then_some(Found::Full)
    }

    /// Puts a number. `None`: there was a safe point, and the state must be looked at anew.
    #[inline(always)]
    fn put_number(&mut self, number: u64, home: Home) -> Option<Found> {
        match self.store.table.put(home, self.registration.standing(), &mut self.counts) {
            Put::Seen => Some(Found::Seen(number)),
            Put::New(grow) => {
                if grow {
                    self.registration.request();
                }
                Some(Found::New(number))
            }
            Put::NoSlot => self.grow(number),
            Put::NotSynchronized => {
                self.synchronize();
                None
            }
        }
    }

    /// Puts a state that has no number. `None`: there was a safe point, and the state must be looked at anew.
    #[cold]
    fn put_beside(&mut self, state: &[u8], hash: u64) -> Option<Found> {
        let store = self.store;
        let chunks = &mut self.chunks;
        let inserted = store.index.insert(
            hash,
            self.registration.standing(),
            &mut self.beside_counts,
            |id| store.arena.holds(id, state),
            || chunks.write(state, &store.arena),
        );
        match inserted {
            Inserted::Seen(id) => Some(Found::Seen(BESIDE | u64::from(id))),
            Inserted::New(id, grow) => {
                self.chunks.publish(&store.arena);
                if !self.layouts.is_too_wide(state.len())
                    && store.beside.fetch_add(1, Relaxed) + 1 >= store.beside_max.load(Relaxed)
                {
                    store.widens.store(true, Relaxed);
                    self.registration.request();
                }
                if grow {
                    self.registration.request();
                }
                Some(Found::New(BESIDE | u64::from(id)))
            }
            Inserted::NotSynchronized => {
                self.synchronize();
                None
            }
            Inserted::NoSlot => {
                let size = store.index.size_for(hash);
                store.index.overflow(hash);
                self.registration.request();
                self.park();
                (store.index.size_for(hash) == size).then_some(Found::Full)
            }
            Inserted::NoMemory => Some(Found::Full),
        }
    }

    fn find_beside(&self, state: &[u8], hash: u64) -> Option<u64> {
        let store = self.store;
        store.index.find(hash, |id| store.arena.holds(id, state)).map(|id| BESIDE | u64::from(id))
    }

    /// Puts states of one length, which begin at `first` among those of a batch; how many, until there is no room.
    ///
    /// # Safety
    /// `WORDS` and `TURNS` are those of the layout, the first of their length, or 0 and true.
    #[inline(never)]
    unsafe fn put_alike<const WORDS: usize, const TURNS: bool>(
        &mut self,
        placed: &Placed,
        (bytes, spans): (&[u8], &[Span]),
        hash: &impl Fn(usize) -> u64,
        answer: &mut impl FnMut(usize, Found),
    ) -> usize {
        let store = self.store;
        let mut ring = [None; RING];
        let prepare = |span: &Span, pending: &mut Option<Pending>| {
            let state = &bytes[span.start as usize..][..placed.layout.len()];
            // SAFETY: by the caller.
            let (packed, fits) = unsafe { placed.layout.pack_words::<WORDS, TURNS>(state) };
            *pending = if fits && !placed.may_be_beside {
                let number = placed.numbers.start + packed;
                Some(Pending { number, aim: store.table.aim(number) })
            } else {
                None
            };
        };
        // Whether a state stands in its home line, which has been brought near.
        let mut seen = [false; RING];
        let look = |pending: &Option<Pending>| match pending {
            // SAFETY: there was no safe point since.
            Some(Pending { aim, .. }) => unsafe { store.table.is_home(*aim) },
            None => false,
        };
        spans.iter().take(AHEAD).zip(&mut ring).for_each(|(span, pending)| prepare(span, pending));
        (0..spans.len().min(NEAR)).for_each(|i| seen[i] = look(&ring[i]));
        // What was aimed at before a safe point is not right any more: that of the states before this one.
        let mut stale = 0;
        for (i, span) in spans.iter().enumerate() {
            if let Some(later) = spans.get(i + AHEAD) {
                prepare(later, &mut ring[(i + AHEAD) % RING]);
            }
            let near = i + NEAR;
            seen[near % RING] = near < spans.len() && near >= stale && look(&ring[near % RING]);
            let before = self.safe_points;
            let found = match ring[i % RING] {
                Some(Pending { number, .. }) if seen[i % RING] => {
                    answer(i, Found::Seen(number));
                    continue;
                }
                // SAFETY: there was no safe point since.
                Some(Pending { number, aim }) if i >= stale => unsafe {
                    self.put_number(number, store.table.home_of(aim))
                },
                Some(Pending { number, .. }) => self.put_number(number, store.table.home(number)),
                None => None,
            };
            let found = found.unwrap_or_else(|| self.put(span.state(bytes), hash(i)));
            if self.safe_points != before {
                stale = i + AHEAD + 1;
            }
            answer(i, found);
            if found == Found::Full {
                return i;
            }
        }
        spans.len()
    }

    /// Puts all states of a batch; how many, until there is no room.
    #[inline(always)]
    fn put_batch(
        &mut self,
        bytes: &[u8],
        spans: &[Span],
        hash: impl Fn(usize) -> u64,
        mut answer: impl FnMut(usize, Found),
    ) -> usize {
        let mut first = 0;
        while let Some(span) = spans.get(first) {
            let alike = spans[first..].iter().take_while(|other| other.len == span.len).count();
            let some = (bytes, &spans[first..][..alike]);
            let (hash, mut answer) = (|i: usize| hash(first + i), |i: usize, found| answer(first + i, found));
            let layouts = self.layouts.clone();
            let put = match layouts.first(span.len as usize) {
                // SAFETY: the states have the length of the layout.
                Some(placed) if placed.layout.turns() => unsafe {
                    for_words!(placed.layout.few_words(), [self.] put_alike[true](placed, some, &hash, &mut answer))
                },
                // SAFETY: as above.
                Some(placed) => unsafe {
                    for_words!(placed.layout.few_words(), [self.] put_alike[false](placed, some, &hash, &mut answer))
                },
                None => self.put_unpacked(some, &hash, &mut answer),
            };
            first += put;
            if put < alike {
                break;
            }
        }
        first
    }

    /// Puts states of one length, for which there is no layout.
    #[cold]
    fn put_unpacked(
        &mut self,
        (bytes, spans): (&[u8], &[Span]),
        hash: &impl Fn(usize) -> u64,
        answer: &mut impl FnMut(usize, Found),
    ) -> usize {
        for (i, span) in spans.iter().enumerate() {
            let found = self.put(span.state(bytes), hash(i));
            answer(i, found);
            if found == Found::Full {
                return i;
            }
        }
        spans.len()
    }
}

impl Handle for PackedHandle<'_> {
    /// The place follows from the state, not from its hash.
    #[inline]
    fn prefetch(&self, _hash: u64) {}

    fn put(&mut self, state: &[u8], hash: u64) -> Found {
        loop {
            let found = match self.layouts.number(state) {
                Some((number, may_be_beside)) => {
                    let beside = if may_be_beside { self.find_beside(state, hash) } else { None };
                    match beside {
                        Some(beside) => Some(Found::Seen(beside)),
                        None => self.put_number(number, self.store.table.home(number)),
                    }
                }
                None => self.put_beside(state, hash),
            };
            if let Some(found) = found {
                return found;
            }
        }
    }

    fn put_all(&mut self, bytes: &[u8], queries: &[Query], answers: &mut Vec<Found>) {
        let spans: Vec<Span> = queries.iter().map(|q| q.span).collect();
        self.put_batch(bytes, &spans, |i| queries[i].hash, |_, found| answers.push(found));
    }

    fn insert_batch(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        self.put_batch(
            bytes,
            spans,
            |i| hash.of(spans[i].state(bytes)),
            |i, found| {
                if let Found::New(number) = found {
                    fresh.push(Fresh { index: i as u32, number });
                }
            },
        )
    }

    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        match self.layouts.number(state) {
            Some((number, may_be_beside)) => {
                let beside = if may_be_beside { self.find_beside(state, hash) } else { None };
                beside.or_else(|| self.store.table.contains(number).then_some(number))
            }
            None => self.find_beside(state, hash),
        }
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if number & BESIDE != 0 {
            return self.store.arena.read(number & !BESIDE);
        }
        scratch.clear();
        unpack(&self.layouts, number, scratch);
        scratch
    }

    fn read_run<'a>(&'a self, numbers: &[u64], scratch: &'a mut Vec<u8>) -> (&'a [u8], usize) {
        if numbers[0] & BESIDE != 0 {
            let state = self.store.arena.read(numbers[0] & !BESIDE);
            return (state, state.len());
        }
        let placed = self.layouts.layout(numbers[0]).expect("a state has this number");
        scratch.clear();
        // SAFETY: the layout says so.
        unsafe { for_words!(placed.layout.few_words(), [] unpack_some[](placed, numbers, scratch)) }
        (scratch, placed.layout.len())
    }

    #[inline]
    fn pause(&mut self) {
        if self.registration.wanted() {
            self.park();
        }
    }

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.registration.absent(wait);
        self.renew();
    }
}
