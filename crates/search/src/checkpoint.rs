//! A level of a breadth-first search as a record that can be written to a file and read back.
//!
//! A search is the sequence of its levels: which states are new in each, and how they were reached. Whoever has the
//! records of all levels so far can go on from there with any exact store and any number of workers, and ends with the
//! same counts. Records are plain bytes; writing them, and telling a whole record from a torn one, is the caller's part.

use crate::trail_log::Part;

/// All that a level adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelRecord {
    /// How far the initial state is.
    pub depth: u64,
    /// How its states were reached: what each worker did in the level before. Empty for the first level.
    pub(crate) parts: Vec<Part>,
    /// Its states, in order.
    pub(crate) states: Vec<Vec<u8>>,
    /// Counters of the search up to now.
    pub(crate) matched: u64,
    pub(crate) atomic_steps: u64,
    /// Edges taken up to now.
    pub(crate) taken: Vec<bool>,
    /// What is known of the efforts of a reduction, see [`crate::worth`]; empty where there is none.
    pub(crate) efforts: Vec<u8>,
    /// Which states of the level before are complete, see [`crate::tags`], as bits; empty where nobody asks.
    pub(crate) completed: Vec<u64>,
}

impl LevelRecord {
    /// How many states the level has.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The record as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let word = |out: &mut Vec<u8>, n: u64| out.extend_from_slice(&n.to_le_bytes());
        for n in [self.depth, self.matched, self.atomic_steps, self.taken.len() as u64] {
            word(&mut out, n);
        }
        out.extend(self.taken.iter().map(|t| u8::from(*t)));
        word(&mut out, self.parts.len() as u64);
        self.parts.iter().for_each(|p| p.encode(&mut out));
        word(&mut out, self.states.len() as u64);
        for state in &self.states {
            out.extend_from_slice(&(state.len() as u32).to_le_bytes());
            out.extend_from_slice(state);
        }
        word(&mut out, self.efforts.len() as u64);
        out.extend_from_slice(&self.efforts);
        word(&mut out, self.completed.len() as u64);
        self.completed.iter().for_each(|bits| word(&mut out, *bits));
        out
    }

    /// Reads what [`LevelRecord::encode`] wrote; `None` when it is not that.
    pub fn decode(input: &[u8]) -> Option<LevelRecord> {
        fn take<'a>(input: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
            let head = input.get(..n)?;
            *input = &input[n..];
            Some(head)
        }
        fn word(input: &mut &[u8]) -> Option<u64> {
            Some(u64::from_le_bytes(take(input, 8)?.try_into().ok()?))
        }
        let mut input = input;
        let (depth, matched, atomic_steps) = (word(&mut input)?, word(&mut input)?, word(&mut input)?);
        let edges = usize::try_from(word(&mut input)?).ok()?;
        let taken = take(&mut input, edges)?.iter().map(|b| *b != 0).collect();
        let mut parts = Vec::new();
        for _ in 0..word(&mut input)? {
            parts.push(Part::decode(&mut input)?);
        }
        let mut states = Vec::new();
        for _ in 0..word(&mut input)? {
            let len = u32::from_le_bytes(take(&mut input, 4)?.try_into().ok()?);
            states.push(take(&mut input, len as usize)?.to_vec());
        }
        let efforts = usize::try_from(word(&mut input)?).ok()?;
        let efforts = take(&mut input, efforts)?.to_vec();
        let mut completed = Vec::new();
        for _ in 0..word(&mut input)? {
            completed.push(word(&mut input)?);
        }
        let record = LevelRecord { depth, parts, states, matched, atomic_steps, taken, efforts, completed };
        input.is_empty().then_some(record)
    }
}
