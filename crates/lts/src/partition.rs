//! Partitions of states into numbered blocks, refined block by block.
//!
//! The states of a block stand together, marked ones in front. When a block splits, its largest part keeps the number and the others
//! get new ones, so that a state gets a new number at most log n times. Numbers only grow; from which number each was parted, and in
//! which step, is kept, so that the partition of any earlier moment can be looked at again: that is what formulas are made from.

use std::ops::Range;

/// No block.
pub(crate) const NONE: u32 = u32::MAX;

/// One block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    start: u32,
    marked: u32,
    end: u32,
    /// Block numbers from here on were not there when the signature of the block was last looked at.
    pub(crate) stamp: u32,
    /// How many elements that signature had.
    pub(crate) width: u32,
    /// The block it was parted from, until it is looked at for the first time.
    pub(crate) parent: u32,
    /// Looking at its states is dear.
    pub(crate) heavy: bool,
    /// It waits in a queue.
    pub(crate) waiting: bool,
}

/// Where a block came from.
#[derive(Clone, Copy, Debug)]
struct Birth {
    parent: u32,
    step: u32,
}

/// How numbers came to be.
#[derive(Clone, Debug)]
pub(crate) struct History {
    births: Vec<Birth>,
    block_of: Vec<u32>,
}

/// A partition that is refined.
pub(crate) struct Partition {
    elements: Vec<u32>,
    place: Vec<u32>,
    block_of: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    births: Vec<Birth>,
    steps: u32,
    sorted: Vec<u32>,
}

impl Partition {
    /// States of one class are in one block. All are marked.
    pub(crate) fn new(classes: impl ExactSizeIterator<Item = u32>, class_count: usize) -> Self {
        let block_of: Vec<u32> = classes.collect();
        let n = block_of.len();
        let mut start = vec![0u32; class_count + 1];
        for class in &block_of {
            start[*class as usize + 1] += 1;
        }
        for i in 0..class_count {
            start[i + 1] += start[i];
        }
        let blocks = (0..class_count).map(|i| Block {
            start: start[i],
            marked: start[i + 1],
            end: start[i + 1],
            stamp: 0,
            width: 0,
            parent: NONE,
            heavy: false,
            waiting: false,
        });
        let blocks: Vec<Block> = blocks.collect();
        let mut next = start;
        let (mut elements, mut place) = (vec![0u32; n], vec![0u32; n]);
        for (state, class) in block_of.iter().enumerate() {
            let slot = &mut next[*class as usize];
            elements[*slot as usize] = state as u32;
            place[state] = *slot;
            *slot += 1;
        }
        let births = vec![Birth { parent: NONE, step: 0 }; class_count];
        Partition { elements, place, block_of, blocks, births, steps: 0, sorted: Vec::new() }
    }

    pub(crate) fn block_of(&self, state: u32) -> u32 {
        self.block_of[state as usize]
    }

    /// Where a state stands among all.
    pub(crate) fn place(&self, state: u32) -> u32 {
        self.place[state as usize]
    }

    pub(crate) fn is_marked(&self, state: u32) -> bool {
        self.place[state as usize] < self.blocks[self.block_of[state as usize] as usize].marked
    }

    /// Marks a state; false when it was.
    pub(crate) fn mark(&mut self, state: u32) -> bool {
        let place = self.place[state as usize];
        let block = &mut self.blocks[self.block_of[state as usize] as usize];
        if place < block.marked {
            return false;
        }
        let other_place = block.marked;
        block.marked += 1;
        let other = self.elements[other_place as usize];
        self.elements.swap(place as usize, other_place as usize);
        self.place[state as usize] = other_place;
        self.place[other as usize] = place;
        true
    }

    /// Takes the mark of a state away: the last marked state of its block comes to its place.
    pub(crate) fn unmark(&mut self, state: u32) {
        let place = self.place[state as usize];
        let block = &mut self.blocks[self.block_of[state as usize] as usize];
        assert!((block.start..block.marked).contains(&place), "the state is marked");
        block.marked -= 1;
        let other = self.elements[block.marked as usize];
        self.elements.swap(place as usize, block.marked as usize);
        self.place[state as usize] = block.marked;
        self.place[other as usize] = place;
    }

    /// The marked states of a block.
    pub(crate) fn marked(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[block.start as usize..block.marked as usize]
    }

    /// Where they stand.
    pub(crate) fn marked_places(&self, block: u32) -> Range<u32> {
        let block = &self.blocks[block as usize];
        block.start..block.marked
    }

    pub(crate) fn states(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[block.start as usize..block.end as usize]
    }

    /// Some state of a block that is not marked.
    pub(crate) fn unmarked(&self, block: u32) -> Option<u32> {
        let block = &self.blocks[block as usize];
        (block.marked < block.end).then(|| self.elements[block.marked as usize])
    }

    /// Splits a block: the marked states by their parts, one number for each place, and the others, which stay together. Nothing is
    /// marked afterwards. Returns the new blocks; `widths` and `heavy` are those of the parts.
    pub(crate) fn split(&mut self, block: u32, parts: &[u32], widths: &[u32], heavy: &[bool]) -> Range<u32> {
        let count = widths.len();
        let whole = self.blocks[block as usize];
        let new = self.blocks.len() as u32;
        let mut ends = vec![0u32; count + 1];
        for part in parts {
            ends[*part as usize + 1] += 1;
        }
        let rest = whole.end - whole.marked;
        let largest = (0..count).max_by_key(|i| ends[i + 1]).filter(|i| ends[i + 1] > rest);
        for i in 0..count {
            ends[i + 1] += ends[i];
        }
        if count > 1 {
            self.sorted.clear();
            self.sorted.resize(parts.len(), 0);
            let mut next = ends.clone();
            for (i, part) in parts.iter().enumerate() {
                let slot = &mut next[*part as usize];
                self.sorted[*slot as usize] = self.elements[whole.start as usize + i];
                *slot += 1;
            }
            for (i, state) in self.sorted.iter().enumerate() {
                self.elements[whole.start as usize + i] = *state;
                self.place[*state as usize] = whole.start + i as u32;
            }
        }
        let splits = count + usize::from(rest > 0) > 1;
        if splits {
            self.steps += 1;
        }
        for i in 0..=count {
            let (range, width, heavy) = if i < count {
                (whole.start + ends[i]..whole.start + ends[i + 1], widths[i], heavy[i])
            } else if rest > 0 {
                (whole.marked..whole.end, whole.width, whole.heavy)
            } else {
                continue;
            };
            let keeps = largest.unwrap_or(count) == i;
            let part = Block {
                start: range.start,
                marked: range.start,
                end: range.end,
                stamp: new,
                width,
                parent: if keeps { NONE } else { block },
                heavy,
                waiting: false,
            };
            if keeps {
                self.blocks[block as usize] = part;
            } else {
                let number = self.blocks.len() as u32;
                self.blocks.push(part);
                self.births.push(Birth { parent: block, step: self.steps });
                for place in range {
                    self.block_of[self.elements[place as usize] as usize] = number;
                }
            }
        }
        new..self.blocks.len() as u32
    }

    /// What remains when no block splits any more.
    pub(crate) fn into_history(self) -> History {
        History { births: self.births, block_of: self.block_of }
    }
}

impl History {
    pub(crate) fn block_of(&self, state: u32) -> u32 {
        self.block_of[state as usize]
    }

    pub(crate) fn block_count(&self) -> usize {
        self.births.len()
    }

    /// The block of a state when `step` was over.
    pub(crate) fn block_at(&self, state: u32, step: u32) -> u32 {
        let mut block = self.block_of[state as usize];
        while self.births[block as usize].step > step {
            block = self.births[block as usize].parent;
        }
        block
    }

    /// The step in which two states were parted; `None` when they were not.
    pub(crate) fn parted(&self, s: u32, t: u32) -> Option<u32> {
        let (mut a, mut b) = (self.block_of[s as usize], self.block_of[t as usize]);
        let mut step = None;
        while a != b {
            let (birth_a, birth_b) = (self.births[a as usize], self.births[b as usize]);
            if birth_a.step == 0 && birth_b.step == 0 {
                return Some(0);
            }
            // Of two different numbers the one that came last was not there before.
            if birth_a.step > birth_b.step || birth_a.step == birth_b.step && a > b {
                step = Some(birth_a.step);
                a = birth_a.parent;
            } else {
                step = Some(birth_b.step);
                b = birth_b.parent;
            }
        }
        step
    }
}
