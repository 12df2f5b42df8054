//! States that wait to be expanded: their numbers where the store can restore them, else the states themselves.

/// A list of states.
#[derive(Default, Debug)]
pub(crate) struct Segment {
    numbers: Vec<u64>,
    bytes: Vec<u8>,
    /// Where each state ends in `bytes`; empty when there are numbers.
    ends: Vec<u64>,
}

impl Segment {
    /// Adds a state by its number, or as a whole.
    #[inline(always)]
    pub(crate) fn push(&mut self, number: u64, state: &[u8], restores: bool) {
        if restores {
            self.numbers.push(number);
        } else {
            self.bytes.extend_from_slice(state);
            self.ends.push(self.bytes.len() as u64);
        }
    }

    /// Adds states by their numbers.
    #[inline]
    pub(crate) fn push_all(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.numbers.extend(numbers);
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len() + self.ends.len()
    }

    /// Whether states are kept by their numbers.
    pub(crate) fn has_numbers(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of a state, in a segment that has numbers.
    pub(crate) fn number(&self, i: usize) -> u64 {
        self.numbers[i]
    }

    /// A state, in a segment that has states.
    pub(crate) fn state(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }

    /// The numbers of the states from this one on, `most` at most.
    #[inline]
    pub(crate) fn some_numbers(&self, i: usize, most: usize) -> &[u64] {
        &self.numbers[i..self.numbers.len().min(i + most)]
    }

    /// States from this one on that have one length, `most` at most, in a segment that has states.
    pub(crate) fn run_of_states(&self, i: usize, most: usize) -> (&[u8], usize) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        let len = self.ends[i] as usize - start;
        let ends = &self.ends[i..self.ends.len().min(i + most)];
        let even = ends.iter().zip(1..).take_while(|(end, count)| **end as usize == start + count * len).count();
        (&self.bytes[start..start + even * len], len)
    }

    /// Removes the last state; its number, or with its bytes written to `out`.
    pub(crate) fn pop(&mut self, out: &mut Vec<u8>) -> u64 {
        if let Some(number) = self.numbers.pop() {
            return number;
        }
        out.clear();
        let end = self.ends.pop().expect("the segment is not empty") as usize;
        let start = self.ends.last().map_or(0, |e| *e as usize);
        out.extend_from_slice(&self.bytes[start..end]);
        self.bytes.truncate(start);
        0
    }

    /// Keeps the first so many states.
    pub(crate) fn truncate(&mut self, len: usize) {
        if self.ends.is_empty() {
            self.numbers.truncate(len);
        } else {
            self.ends.truncate(len);
            self.bytes.truncate(self.ends.last().map_or(0, |e| *e as usize));
        }
    }

    /// Copies a stretch of the states.
    pub(crate) fn copy(&self, range: std::ops::Range<usize>) -> Segment {
        let mut copy = Segment::default();
        for i in range {
            if self.ends.is_empty() {
                copy.push(self.numbers[i], &[], true);
            } else {
                copy.push(0, self.state(i), false);
            }
        }
        copy
    }

    /// Memory in use.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (8 * self.numbers.capacity() + self.bytes.capacity() + 8 * self.ends.capacity()) as u64
    }
}
