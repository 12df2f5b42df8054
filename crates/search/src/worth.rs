//! Whether the effort for larger sets of moves is worth it.
//!
//! Some sets are dear to find. What they leave out is worth it if the search never comes there by other ways; so some of the
//! successors that were left out are kept, and looked for later. Where nearly all of them turn up all the same, or where
//! efforts hardly ever find a set, sets that are found without effort are enough.
//!
//! Which ones are kept follows from their hashes, and a search by levels looks for them between two levels: the answer
//! does not depend on the number of workers.

use ferrospin_system::Handle;

/// One successor in so many is kept.
const RATE: u64 = 4;
/// No more than so many are kept by a worker at a time.
const SAMPLES_MAX: usize = 1 << 16;
/// So many must have been looked for.
const JUDGED_MIN: usize = 32;
/// So many efforts must have been made, and one in so many must have found a set.
const EFFORTS_MIN: u64 = 4096;
const EFFORTS_A_SET: u64 = 32;
/// Behind so many there is nothing more to learn.
const JUDGED_MAX: usize = 1 << 12;

/// Successors that were left out.
#[derive(Default)]
pub(crate) struct Samples {
    list: Vec<Sample>,
    bytes: Vec<u8>,
    /// States at which efforts were made, and at which a set was taken that was found so.
    pub(crate) efforts: u64,
    pub(crate) sets: u64,
}

struct Sample {
    hash: u64,
    start: usize,
    len: usize,
}

/// What became of successors that were left out.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    judged: usize,
    found: usize,
    efforts: u64,
    sets: u64,
}

impl Samples {
    /// Keeps a successor that was left out, or not.
    #[inline]
    pub(crate) fn offer(&mut self, hash: u64, state: &[u8]) {
        if hash.is_multiple_of(RATE) && self.list.len() < SAMPLES_MAX {
            self.list.push(Sample { hash, start: self.bytes.len(), len: state.len() });
            self.bytes.extend_from_slice(state);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Looks for the first so many.
    pub(crate) fn judge(&self, handle: &impl Handle, count: usize) -> Tally {
        let is_found = |s: &&Sample| handle.find(&self.bytes[s.start..s.start + s.len], s.hash).is_some();
        let found = self.list[..count].iter().filter(is_found).count();
        Tally { judged: count, found, efforts: self.efforts, sets: self.sets }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.judged += other.judged;
        self.found += other.found;
        self.efforts += other.efforts;
        self.sets += other.sets;
    }

    /// Whether enough is known.
    pub(crate) fn is_settled(&self) -> bool {
        self.judged >= JUDGED_MAX
    }

    /// Whether hardly anything of what was left out was found.
    pub(crate) fn is_worth_it(&self) -> bool {
        self.judged >= JUDGED_MIN && self.found * 5 < self.judged
    }

    /// Whether hardly ever anything was left out, or nearly all of it was found all the same.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.efforts >= EFFORTS_MIN && self.sets * EFFORTS_A_SET < self.efforts
            || self.judged >= JUDGED_MIN && self.found * 10 >= self.judged * 8
    }
}
