//! States that wait to be expanded: their numbers where the store can restore them, else the states themselves.

/// A list of states.
#[derive(Default, Debug)]
pub(crate) struct Segment {
    numbers: Vec<u64>,
    bytes: Vec<u8>,
    /// How many states there are in `bytes`.
    states: usize,
    /// Their lengths; empty when there are numbers.
    stretches: Vec<Stretch>,
}

/// States of one length, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    len: usize,
    /// How many states stand before, and how many bytes they take.
    states_before: usize,
    bytes_before: usize,
}

impl Stretch {
    /// Where a state starts.
    #[inline(always)]
    fn start(&self, i: usize) -> usize {
        self.bytes_before + (i - self.states_before) * self.len
    }
}

impl Segment {
    /// Adds a state by its number, or as a whole.
    #[inline(always)]
    pub(crate) fn push(&mut self, number: u64, state: &[u8], restores: bool) {
        if restores {
            self.numbers.push(number);
        } else {
            self.push_state(state);
        }
    }

    /// Adds a state as a whole.
    #[inline(always)]
    pub(crate) fn push_state(&mut self, state: &[u8]) {
        if self.stretches.last().is_none_or(|last| last.len != state.len()) {
            let (states_before, bytes_before) = (self.states, self.bytes.len());
            self.stretches.push(Stretch { len: state.len(), states_before, bytes_before });
        }
        self.bytes.extend_from_slice(state);
        self.states += 1;
    }

    /// Adds states by their numbers.
    #[inline]
    pub(crate) fn push_all(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.numbers.extend(numbers);
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len() + self.states
    }

    /// Whether states are kept by their numbers.
    pub(crate) fn has_numbers(&self) -> bool {
        self.states == 0
    }

    /// The number of a state, in a segment that has numbers.
    pub(crate) fn number(&self, i: usize) -> u64 {
        self.numbers[i]
    }

    /// The numbers of all states, in a segment that has numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.numbers.iter().copied()
    }

    /// A state, in a segment that has states.
    pub(crate) fn state(&self, i: usize) -> &[u8] {
        self.run_of_states(i, 1).0
    }

    /// The numbers of the states from this one on, `most` at most.
    #[inline]
    pub(crate) fn some_numbers(&self, i: usize, most: usize) -> &[u64] {
        &self.numbers[i..self.numbers.len().min(i + most)]
    }

    /// States from this one on that have one length, `most` at most, in a segment that has states.
    pub(crate) fn run_of_states(&self, i: usize, most: usize) -> (&[u8], usize) {
        let at = self.stretches.partition_point(|s| s.states_before <= i) - 1;
        let stretch = self.stretches[at];
        let end = self.stretches.get(at + 1).map_or(self.states, |next| next.states_before);
        (&self.bytes[stretch.start(i)..stretch.start(end.min(i + most))], stretch.len)
    }

    /// Removes the last state; its number, or with its bytes written to `out`.
    pub(crate) fn pop(&mut self, out: &mut Vec<u8>) -> u64 {
        if let Some(number) = self.numbers.pop() {
            return number;
        }
        out.clear();
        let last = self.states.checked_sub(1).expect("the segment is not empty");
        out.extend_from_slice(self.state(last));
        self.truncate(last);
        0
    }

    /// Keeps the first `count` states.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
        if len >= self.states {
            return;
        }
        while let Some(last) = self.stretches.pop_if(|last| last.states_before >= len) {
            self.bytes.truncate(last.bytes_before);
        }
        if let Some(last) = self.stretches.last() {
            self.bytes.truncate(last.start(len));
        }
        self.states = len;
    }

    /// Copies a stretch of the states.
    pub(crate) fn copy(&self, range: std::ops::Range<usize>) -> Segment {
        let mut copy = Segment::default();
        for i in range {
            if self.has_numbers() {
                copy.push(self.numbers[i], &[], true);
            } else {
                copy.push_state(self.state(i));
            }
        }
        copy
    }

    /// Memory in use.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let stretches = self.stretches.capacity() * size_of::<Stretch>();
        (8 * self.numbers.capacity() + self.bytes.capacity() + stretches) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a segment does with states is what a list of them does, whatever their lengths are.
    #[test]
    fn states_of_all_lengths_come_back() {
        let mut seed = 3u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let (mut segment, mut list, mut out) = (Segment::default(), Vec::new(), Vec::new());
        for round in 0..3000 {
            match random(if round < 2000 { 9 } else { 3 }) {
                0 if !list.is_empty() => {
                    assert_eq!(segment.pop(&mut out), 0);
                    assert_eq!(Some(&out), list.last());
                    list.pop();
                }
                1 => {
                    let len = list.len() - random(list.len().min(4) + 1);
                    segment.truncate(len);
                    list.truncate(len);
                }
                _ => {
                    let state = vec![round as u8; random(3) * random(4)];
                    segment.push(7, &state, false);
                    list.push(state);
                }
            }
            assert_eq!(segment.len(), list.len());
            if list.is_empty() {
                continue;
            }
            let i = random(list.len());
            assert_eq!(segment.state(i), list[i]);
            let (run, len) = segment.run_of_states(i, 5);
            let even: Vec<_> = list[i..].iter().take(5).take_while(|state| state.len() == list[i].len()).collect();
            assert_eq!((run, len), (&even.into_iter().flatten().copied().collect::<Vec<_>>()[..], list[i].len()));
        }
        let copy = segment.copy(0..segment.len());
        assert!((0..list.len()).all(|i| copy.state(i) == list[i]) && copy.len() == list.len());
    }
}
