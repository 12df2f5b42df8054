//! Whether the effort for larger sets of moves is worth it.
//!
//! Some sets are dear to find. What they leave out is worth it if the search never comes there by other ways; so some of the
//! successors that were left out are kept, and looked for later. Where nearly all of them turn up all the same, or where
//! efforts hardly ever find a set, sets that are found without effort are enough.
//!
//! Which ones are kept follows from their hashes, and a search by levels looks for them between two levels: the answer
//! does not depend on the number of workers.

use ferrospin_system::Handle;
use std::collections::VecDeque;

/// One successor in so many is kept, in levels of few states.
const RATE: u64 = 4;
/// From so many states on fewer are kept of a level, in proportion.
const STATES_FEW: u64 = 1 << 12;
/// So many levels later what was left out is looked for.
const LEVELS_LATER: u64 = 2;
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
    /// So many times fewer are kept, less one.
    thinned: u64,
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
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    judged: usize,
    found: usize,
    efforts: u64,
    sets: u64,
}

impl Samples {
    /// Keeps fewer, because there will be many: a level of so many states is expanded next.
    pub(crate) fn thin(&mut self, states: u64) {
        self.thinned = states / STATES_FEW;
    }

    /// Keeps a successor that was left out, or not.
    #[inline]
    pub(crate) fn offer(&mut self, hash: u64, state: &[u8]) {
        if hash.is_multiple_of(RATE * (1 + self.thinned)) && self.list.len() < SAMPLES_MAX {
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

/// What a search by levels knows of the efforts so far.
#[derive(Default)]
pub(crate) struct Efforts {
    /// They are no longer made.
    pub(crate) ended: bool,
    tally: Tally,
    /// What was left out, by level and worker, and not looked for yet.
    waiting: VecDeque<(u64, Samples)>,
}

impl Efforts {
    /// Takes what a worker has kept in a level.
    pub(crate) fn take(&mut self, depth: u64, samples: Samples) {
        if samples.efforts > 0 && self.tally.judged < JUDGED_MAX {
            self.waiting.push_back((depth, samples));
        }
    }

    /// Looks for what was left out long enough before a level that is about to begin.
    pub(crate) fn judge(&mut self, depth: u64, handle: &impl Handle) {
        while self.waiting.front().is_some_and(|(before, _)| *before + LEVELS_LATER <= depth) {
            let Some((_, samples)) = self.waiting.pop_front() else { break };
            self.tally.add(samples.judge(handle, samples.len()));
        }
        self.ended |= self.tally.is_in_vain();
    }

    /// All of it as bytes, for a checkpoint.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        fn words(out: &mut Vec<u8>, words: &[u64]) {
            words.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
        }
        let Tally { judged, found, efforts, sets } = self.tally;
        words(out, &[u64::from(self.ended), judged as u64, found as u64, efforts, sets, self.waiting.len() as u64]);
        for (depth, samples) in &self.waiting {
            words(out, &[*depth, samples.efforts, samples.sets, samples.list.len() as u64]);
            for Sample { hash, start, len } in &samples.list {
                words(out, &[*hash, *len as u64]);
                out.extend_from_slice(&samples.bytes[*start..*start + *len]);
            }
        }
    }

    /// Reads what [`Efforts::encode`] wrote; `None` when it is not that.
    pub(crate) fn decode(input: &mut &[u8]) -> Option<Efforts> {
        fn word(input: &mut &[u8]) -> Option<u64> {
            let (head, rest) = input.split_first_chunk::<8>()?;
            *input = rest;
            Some(u64::from_le_bytes(*head))
        }
        let ended = word(input)? != 0;
        let (judged, found) = (word(input)? as usize, word(input)? as usize);
        let tally = Tally { judged, found, efforts: word(input)?, sets: word(input)? };
        let mut waiting = VecDeque::new();
        for _ in 0..word(input)? {
            let depth = word(input)?;
            let mut samples = Samples { efforts: word(input)?, sets: word(input)?, ..Samples::default() };
            for _ in 0..word(input)? {
                let (hash, len) = (word(input)?, usize::try_from(word(input)?).ok()?);
                let state = input.get(..len)?;
                *input = &input[len..];
                samples.list.push(Sample { hash, start: samples.bytes.len(), len });
                samples.bytes.extend_from_slice(state);
            }
            waiting.push_back((depth, samples));
        }
        Some(Efforts { ended, tally, waiting })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_are_read_as_they_were_written() {
        let mut samples = Samples { efforts: 3, sets: 2, ..Samples::default() };
        samples.offer(8, b"state");
        samples.offer(9, b"not this one");
        samples.thin(STATES_FEW * 2);
        samples.offer(4, b"nor this one");
        samples.offer(24, b"another");
        let tally = Tally { judged: 40, found: 11, efforts: 100, sets: 50 };
        let efforts = Efforts { ended: true, tally, waiting: VecDeque::from([(7, samples)]) };
        let mut bytes = Vec::new();
        efforts.encode(&mut bytes);
        let read = Efforts::decode(&mut &bytes[..]).expect("what was written");
        assert_eq!((read.ended, read.tally, read.waiting.len()), (true, tally, 1));
        let (depth, samples) = &read.waiting[0];
        assert_eq!((*depth, samples.efforts, samples.sets, samples.len()), (7, 3, 2, 2));
        assert_eq!(&samples.bytes[samples.list[1].start..], b"another");
        assert!((0..bytes.len()).all(|cut| Efforts::decode(&mut &bytes[..cut]).is_none()));
    }
}
