//! The trail log: how every state of a breadth-first search was reached, in about two bytes a state.
//!
//! No store needs to give numbers or keep links for it. For each level and each worker there is a [`Part`]: in the order
//! of expansion, for each new state its [`Code`], and between these by how many states the search went on. The states of the next level are the new states of all parts, in the order of the workers. The log is only appended to
//! during a search, and read when a violation needs its trail: the parent of a state is the one whose entry covers it.

use crate::pipeline::Origins;
use crate::successors::Code;
use ferrospin_system::Fresh;

/// What one worker did in one level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    bytes: Vec<u8>,
    blocks: Vec<Block>,
    /// Number of new states.
    new: u64,
    /// Place in the level of the state that gave the last new one.
    place: u64,
}

/// A stretch of consecutive states of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    /// Place in the level of the first state expanded.
    start: u64,
    /// How many new states the part had before.
    new_before: u64,
    /// Where its entries start.
    offset: u64,
}

/// Bytes below are codes by themselves: the index of a move.
const STEP: u8 = 128;
/// Bytes from [`STEP`] up to here say by how many states, less one, the search went on. This one comes before a whole code.
const WHOLE: u8 = 255;
/// New states whose entries are put together before they are written.
const SOME: usize = 32;
/// Steps that one byte can say.
const STEPS_MAX: u64 = (WHOLE - STEP) as u64;

impl Part {
    /// A stretch of states begins, the first of which stands at `start` in its level.
    pub(crate) fn block(&mut self, start: u64) {
        self.place = start;
        self.blocks.push(Block { start, new_before: self.new, offset: self.bytes.len() as u64 });
    }

    /// A state of the block gave a new state; it stands behind those that gave others, or is the same as the last of them.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, place: u64, code: Code) {
        self.new += 1;
        let steps = place - self.place;
        self.place = place;
        if steps > STEPS_MAX || code.inner != 0 || code.top >= u32::from(STEP) {
            return self.write(steps, code);
        }
        if steps > 0 {
            self.bytes.push(STEP + (steps - 1) as u8);
        }
        self.bytes.push(code.top as u8);
    }

    /// Some states, the first of which stands at `first`, gave these new ones.
    #[inline]
    pub(crate) fn arrive_all(&mut self, first: u64, fresh: &[Fresh], origins: Origins<'_>) {
        let mut slot = 0;
        for some in fresh.chunks(SOME) {
            let (mut bytes, mut len) = ([0u8; 2 * SOME], 0);
            for &Fresh { index, .. } in some {
                slot = origins.state(index, slot);
                let (place, top) = (first + slot as u64, index.wrapping_sub(origins.bases[slot]));
                let steps = place - self.place;
                if steps > STEPS_MAX || top >= u32::from(STEP) {
                    self.bytes.extend_from_slice(&bytes[..len]);
                    len = 0;
                    self.arrive(place, Code { top, inner: 0 });
                    continue;
                }
                // Whether the search went on or not cannot be foreseen: without a branch, nothing is mispredicted.
                self.place = place;
                self.new += 1;
                bytes[len % (2 * SOME)] = STEP.wrapping_sub(1).wrapping_add(steps as u8);
                len += usize::from(steps > 0);
                bytes[len % (2 * SOME)] = top as u8;
                len += 1;
            }
            self.bytes.extend_from_slice(&bytes[..len]);
        }
    }

    /// Writes steps and a code that take more than two bytes.
    #[cold]
    fn write(&mut self, mut steps: u64, code: Code) {
        while steps > 0 {
            let some = steps.min(STEPS_MAX);
            self.bytes.push(STEP + (some - 1) as u8);
            steps -= some;
        }
        self.bytes.push(WHOLE);
        self.bytes.extend_from_slice(&code.top.to_le_bytes());
        self.bytes.extend_from_slice(&code.inner.to_le_bytes());
    }

    fn word(&self, at: &mut usize) -> u32 {
        let word = u32::from_le_bytes(self.bytes[*at..*at + 4].try_into().expect("four bytes"));
        *at += 4;
        word
    }

    /// The place in the level of the state that gave the new state number `new`, and the code.
    fn parent(&self, new: u64) -> (u64, Code) {
        let i = self.blocks.partition_point(|b| b.new_before <= new) - 1;
        // Blocks without new states stand before the next one at the same count: the last of them has the state.
        let block = self.blocks[i];
        let (mut at, mut before, mut place) = (block.offset as usize, block.new_before, block.start);
        loop {
            let byte = self.bytes[at];
            at += 1;
            let code = match byte {
                WHOLE => Code { top: self.word(&mut at), inner: self.word(&mut at) },
                STEP.. => {
                    place += u64::from(byte - STEP) + 1;
                    continue;
                }
                top => Code { top: u32::from(top), inner: 0 },
            };
            if before == new {
                return (place, code);
            }
            before += 1;
        }
    }

    /// Place of the parent and code of each new state, in order, of a part that may be anything; `None` when it is none that
    /// a search writes: [`Part::parent`] must be asked about no such part.
    pub(crate) fn entries(&self) -> Option<Vec<(u64, Code)>> {
        let word = |at: usize| Some(u32::from_le_bytes(self.bytes.get(at..at + 4)?.try_into().ok()?));
        let mut entries = Vec::new();
        let mut at = 0;
        for (i, block) in self.blocks.iter().enumerate() {
            if (block.offset, block.new_before) != (at as u64, entries.len() as u64) {
                return None;
            }
            let end = self.blocks.get(i + 1).map_or(self.bytes.len() as u64, |next| next.offset);
            let end = usize::try_from(end).ok().filter(|end| *end <= self.bytes.len())?;
            let mut place = block.start;
            while at < end {
                let byte = self.bytes[at];
                at += 1;
                let code = match byte {
                    WHOLE => {
                        let code = Code { top: word(at)?, inner: word(at + 4)? };
                        at += 8;
                        code
                    }
                    STEP.. => {
                        place = place.checked_add(u64::from(byte - STEP) + 1)?;
                        continue;
                    }
                    top => Code { top: u32::from(top), inner: 0 },
                };
                entries.push((place, code));
            }
            if at != end {
                return None;
            }
        }
        (at == self.bytes.len() && entries.len() as u64 == self.new).then_some(entries)
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.blocks.capacity() * size_of::<Block>()) as u64
    }

    /// The part as bytes, for a checkpoint.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let word = |out: &mut Vec<u8>, n: u64| out.extend_from_slice(&n.to_le_bytes());
        word(out, self.new);
        word(out, self.blocks.len() as u64);
        for b in &self.blocks {
            word(out, b.start);
            word(out, b.new_before);
            word(out, b.offset);
        }
        word(out, self.bytes.len() as u64);
        out.extend_from_slice(&self.bytes);
    }

    /// Reads what [`Part::encode`] wrote; `None` when it is not that.
    pub(crate) fn decode(input: &mut &[u8]) -> Option<Part> {
        fn word(input: &mut &[u8]) -> Option<u64> {
            let (head, rest) = input.split_first_chunk::<8>()?;
            *input = rest;
            Some(u64::from_le_bytes(*head))
        }
        let new = word(input)?;
        let count = word(input)?;
        let mut blocks = Vec::new();
        for _ in 0..count {
            blocks.push(Block { start: word(input)?, new_before: word(input)?, offset: word(input)? });
        }
        let len = usize::try_from(word(input)?).ok()?;
        let bytes = input.get(..len)?.to_vec();
        *input = &input[len..];
        Some(Part { bytes, blocks, new, place: 0 })
    }
}

/// The log of a whole search.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrailLog {
    /// By level: what the workers did while expanding it.
    pub(crate) levels: Vec<Vec<Part>>,
}

impl TrailLog {
    /// The codes from the initial state to the state at `place` of a level.
    pub(crate) fn codes(&self, level: u64, place: u64) -> Vec<Code> {
        let mut codes = Vec::new();
        let mut place = place;
        for parts in self.levels[..level as usize].iter().rev() {
            let mut rest = place;
            let part = parts.iter().find(|p| {
                let here = rest < p.new;
                if !here {
                    rest -= p.new;
                }
                here
            });
            let (parent, code) = part.expect("every state of a level is in a part").parent(rest);
            codes.push(code);
            place = parent;
        }
        assert_eq!(place, 0, "the first level has one state");
        codes.reverse();
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_found_across_blocks_and_escapes() {
        let code = |top, inner| Code { top, inner };
        let mut part = Part::default();
        let expanded = |part: &mut Part, place, codes: &[Code]| codes.iter().for_each(|c| part.arrive(place, *c));
        part.block(10);
        expanded(&mut part, 11, &[code(3, 0), code(300, 0)]);
        part.block(40);
        part.block(50);
        expanded(&mut part, 50, &[code(1, 2)]);
        let many: Vec<_> = (0..400).map(|i| code(i, 0)).collect();
        expanded(&mut part, 51, &many);
        part.block(100);
        expanded(&mut part, 100 + 127, &[code(127, 0)]);
        expanded(&mut part, 100 + 127 + 128, &[code(128, 0)]);
        expanded(&mut part, 100 + 127 + 128 + 1000, &[code(5, 0)]);
        let entries = part.entries().expect("what a search writes");
        assert!((0..part.new).all(|new| entries[new as usize] == part.parent(new)));
        assert_eq!(part.parent(0), (11, code(3, 0)));
        assert_eq!(part.parent(1), (11, code(300, 0)));
        assert_eq!(part.parent(2), (50, code(1, 2)));
        assert_eq!(part.parent(3), (51, code(0, 0)));
        assert_eq!(part.parent(402), (51, code(399, 0)));
        assert_eq!(part.parent(403), (227, code(127, 0)));
        assert_eq!(part.parent(404), (355, code(128, 0)));
        assert_eq!(part.parent(405), (1355, code(5, 0)));
        part.place = 0;
        let mut bytes = Vec::new();
        part.encode(&mut bytes);
        assert_eq!(Part::decode(&mut &bytes[..]), Some(part));
        assert_eq!(Part::decode(&mut &bytes[..bytes.len() - 1]), None);
    }
}
