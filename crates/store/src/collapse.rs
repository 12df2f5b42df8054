//! The collapse store: states as lists of numbers of their components.
//!
//! A state is cut into components, stretches of 8 to 16 bytes or as the caller says; each component is interned in the
//! table of its position, and the numbers, as bytes of varying count, are what is stored (Holzmann, "State compression in
//! SPIN: recursive indexing and compression training runs", 1997). It is a tree of height one: worth it where components are
//! large and few. A number's bytes never change, so that nothing is ever encoded anew.
//!
//! Shared between threads: tables of components and of states, as in [`crate::table::index`] and [`crate::memory::arena`].

use crate::Options;
use crate::memory::arena::{Arena, OpenChunks};
use crate::memory::budget::Account;
use crate::memory::refusal::granted;
use crate::safepoint::gate::{Gate, Maintenance, Standing};
use crate::safepoint::registration::Registration;
use crate::table::index::{Index, Inserted, NoKeys};
use crate::table::load::Counts;
use ferrospin_system::{Found, Handle, Indexed, StateHash, Store};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What an empty store takes, roughly.
const EMPTY_BYTES: usize = 64 << 10;

/// Tables of components; positions beyond share the last one.
const TABLES: usize = 8;
/// Bytes of a component where nothing else is said.
const COMPONENT_BYTES: usize = 12;

/// Says where states of a length are cut: ascending positions, without the two ends.
pub type Cuts = dyn Fn(usize) -> Vec<usize> + Send + Sync;

/// Byte strings with numbers.
struct Strings {
    index: Index<AtomicU64>,
    arena: Arena,
}

/// What a worker keeps of a table of strings.
struct StringsHandle {
    chunks: OpenChunks,
    counts: Counts,
}

impl StringsHandle {
    fn new() -> StringsHandle {
        StringsHandle { chunks: OpenChunks::default(), counts: Counts::new() }
    }
}

impl Strings {
    fn new(account: &Arc<Account>) -> Option<Strings> {
        Some(Strings { index: Index::new(account)?, arena: Arena::new(account)? })
    }

    #[inline(always)]
    fn intern(&self, handle: &mut StringsHandle, standing: Standing, bytes: &[u8], hash: u64) -> Inserted {
        let StringsHandle { chunks, counts } = handle;
        let inserted = self.index.insert(
            hash,
            standing,
            counts,
            |number| self.arena.holds(number, bytes),
            || chunks.write(bytes, &self.arena),
        );
        if let Inserted::New(..) = inserted {
            chunks.publish(&self.arena);
        }
        inserted
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        self.index.find(hash, |number| self.arena.holds(number, bytes))
    }
}

/// Keeps states as lists of numbers of their components.
pub struct Collapse {
    components: Vec<Strings>,
    states: Strings,
    cuts: Box<Cuts>,
    /// The hash of components; states come with theirs.
    hash: StateHash,
    gate: Gate,
    account: Arc<Account>,
}

impl Collapse {
    /// An empty store that cuts states into stretches of at most twelve bytes.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one ([`crate::memory::refusal`]).
    pub fn new(options: &Options) -> Collapse {
        Collapse::with_cuts(
            options,
            Box::new(|len| {
                let parts = len.div_ceil(COMPONENT_BYTES).max(1);
                (1..parts).map(|part| part * len / parts).collect()
            }),
        )
    }

    /// An empty store that cuts states where the caller says.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one ([`crate::memory::refusal`]).
    pub fn with_cuts(options: &Options, cuts: Box<Cuts>) -> Collapse {
        let account = Arc::new(Account::new(options.budget()));
        let strings = || granted(Strings::new(&account), EMPTY_BYTES);
        Collapse {
            components: (0..TABLES).map(|_| strings()).collect(),
            states: strings(),
            cuts,
            hash: StateHash::new(0),
            gate: Gate::new(),
            account,
        }
    }

    /// How many states are stored. What other workers store meanwhile may be left out.
    pub fn states(&self) -> u64 {
        self.states.arena.states()
    }

    /// How many components are stored.
    pub fn components(&self) -> u64 {
        self.components.iter().map(|table| table.arena.states()).sum()
    }

    /// Walks all states with their numbers, in the order of the numbers. What is stored meanwhile may be left out.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8])) {
        let mut state = Vec::new();
        self.states.arena.each(&mut |number, _, encoded| {
            self.decode(encoded, &mut state);
            f(number, &state);
        });
    }

    /// Number of times all workers stopped, for growth above all.
    pub fn stops(&self) -> u64 {
        self.gate.generation()
    }

    fn decode(&self, encoded: &[u8], out: &mut Vec<u8>) {
        out.clear();
        let mut rest = encoded;
        let len = read_number(&mut rest) as usize;
        let mut position = 0;
        while !rest.is_empty() {
            let number = read_number(&mut rest);
            out.extend_from_slice(self.components[position.min(TABLES - 1)].arena.read(u64::from(number)));
            position += 1;
        }
        assert_eq!(out.len(), len, "components make up the state");
    }

    fn table(&self, position: usize) -> &Strings {
        &self.components[position.min(TABLES - 1)]
    }
}

/// Seven bits a byte, the lowest first; all bytes but the last have the eighth bit.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> u32 {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let Some((&byte, rest)) = bytes.split_first() else { break };
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

impl Store for Collapse {
    type Handle<'s> = CollapseHandle<'s>;
    const EXACT: bool = true;
    const RESTORES: bool = true;
    const SMALL_NUMBERS: bool = true;

    fn handle(&self) -> CollapseHandle<'_> {
        CollapseHandle {
            store: self,
            registration: Registration::enter(&self.gate),
            components: (0..TABLES).map(|_| StringsHandle::new()).collect(),
            states: StringsHandle::new(),
            lengths: RefCell::default(),
            encoded: Vec::new(),
        }
    }

    fn memory_bytes(&self) -> u64 {
        let fixed: usize = self.components.iter().map(|table| table.index.uncharged_bytes()).sum();
        self.account.held_bytes() + (size_of::<Collapse>() + fixed + self.states.index.uncharged_bytes()) as u64
    }
}

impl Indexed for Collapse {
    fn bound(&self) -> u64 {
        self.states.arena.bound()
    }
}

impl Maintenance for Collapse {
    fn prepare(&self) {
        for table in self.components.iter().chain([&self.states]) {
            table.index.prepare();
        }
    }

    fn work(&self) {
        for table in self.components.iter().chain([&self.states]) {
            // SAFETY: the gate calls it only while every worker is parked, absent or gone.
            unsafe { table.index.work(&NoKeys) };
        }
    }

    fn finish(&self) {}
}

/// What a worker keeps for states of one length.
struct Length {
    /// Where components end.
    ends: Vec<usize>,
    /// The last state, and the numbers of its components; empty before the first.
    last: Vec<u8>,
    numbers: Vec<u32>,
}

/// A worker's access to a [`Collapse`] store.
pub struct CollapseHandle<'s> {
    store: &'s Collapse,
    registration: Registration<'s>,
    components: Vec<StringsHandle>,
    states: StringsHandle,
    lengths: RefCell<HashMap<usize, Length>>,
    encoded: Vec<u8>,
}

impl CollapseHandle<'_> {
    /// Cuts for a length, computed once by each worker.
    fn length(store: &Collapse, len: usize) -> Length {
        let mut ends = (store.cuts)(len);
        ends.push(len);
        assert!(ends.is_sorted(), "cuts ascend and lie inside the state");
        Length { numbers: vec![0; ends.len()], ends, last: Vec::new() }
    }

    /// Interns the components of a state and writes their numbers to `encoded`.
    fn encode(&mut self, state: &[u8]) -> Result<(), (usize, u64, Inserted)> {
        let store = self.store;
        let lengths = self.lengths.get_mut();
        let length = lengths.entry(state.len()).or_insert_with(|| Self::length(store, state.len()));
        let known = !length.last.is_empty();
        self.encoded.clear();
        write_number(state.len() as u32, &mut self.encoded);
        let mut start = 0;
        for (position, &end) in length.ends.iter().enumerate() {
            let component = &state[start..end];
            if !known || length.last[start..end] != *component {
                let table = position.min(TABLES - 1);
                let hash = store.hash.of(component);
                match store.components[table].intern(
                    &mut self.components[table],
                    self.registration.standing(),
                    component,
                    hash,
                ) {
                    Inserted::Seen(number) => length.numbers[position] = number,
                    Inserted::New(number, grow) => {
                        length.numbers[position] = number;
                        if grow {
                            self.registration.request();
                        }
                    }
                    failed => {
                        length.last.clear();
                        return Err((table, hash, failed));
                    }
                }
            }
            write_number(length.numbers[position], &mut self.encoded);
            start = end;
        }
        length.last.clear();
        length.last.extend_from_slice(state);
        Ok(())
    }

    /// What cannot be done between two safe points. `None`: try again.
    #[cold]
    fn slow(&mut self, strings: &Strings, hash: u64, inserted: Inserted) -> Option<Found> {
        let store = self.store;
        match inserted {
            Inserted::NotSynchronized => {
                self.registration.synchronize(store);
                None
            }
            Inserted::NoSlot => {
                let size = strings.index.size_for(hash);
                strings.index.overflow(hash);
                self.registration.request();
                self.registration.park(store);
                (strings.index.size_for(hash) == size).then_some(Found::Full)
            }
            _ => Some(Found::Full),
        }
    }
}

impl Handle for CollapseHandle<'_> {
    #[inline]
    fn prefetch(&self, hash: u64) {
        self.store.states.index.prefetch(hash);
    }

    fn put(&mut self, state: &[u8], hash: u64) -> Found {
        let store = self.store;
        loop {
            if let Err((table, component_hash, failed)) = self.encode(state) {
                match self.slow(&store.components[table], component_hash, failed) {
                    Some(found) => return found,
                    None => continue,
                }
            }
            match store.states.intern(&mut self.states, self.registration.standing(), &self.encoded, hash) {
                Inserted::Seen(number) => return Found::Seen(number.into()),
                Inserted::New(number, grow) => {
                    if grow {
                        self.registration.request();
                    }
                    return Found::New(number.into());
                }
                failed => {
                    if let Some(found) = self.slow(&store.states, hash, failed) {
                        return found;
                    }
                }
            }
        }
    }

    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        let store = self.store;
        let mut lengths = self.lengths.borrow_mut();
        let length = lengths.entry(state.len()).or_insert_with(|| Self::length(store, state.len()));
        let mut encoded = Vec::new();
        write_number(state.len() as u32, &mut encoded);
        let mut start = 0;
        for (position, &end) in length.ends.iter().enumerate() {
            let component = &state[start..end];
            write_number(store.table(position).find(component, store.hash.of(component))?, &mut encoded);
            start = end;
        }
        store.states.find(&encoded, hash).map(u64::from)
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        self.store.decode(self.store.states.arena.read(number), scratch);
        scratch
    }

    #[inline]
    fn pause(&mut self) {
        if self.registration.wanted() {
            self.registration.park(self.store);
        }
    }

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.registration.absent(wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 21, u32::MAX];
        for number in numbers {
            write_number(number, &mut bytes);
        }
        let mut rest = &bytes[..];
        assert_eq!(numbers.map(|_| read_number(&mut rest)), numbers);
        assert!(rest.is_empty());
    }

    #[test]
    fn components_are_shared_where_cuts_say_so() {
        let store = Collapse::with_cuts(&Options::new(), Box::new(|len| vec![len / 2]));
        let hash = StateHash::new(4);
        let mut handle = store.handle();
        for (left, right) in (0..100u8).flat_map(|left| (0..100u8).map(move |right| (left, right))) {
            let state = [left, left, left, 9, right, right, 1, right];
            assert!(matches!(handle.put(&state, hash.of(&state)), Found::New(_)));
            handle.pause();
        }
        assert_eq!((store.states(), store.components()), (10_000, 200));
    }
}
