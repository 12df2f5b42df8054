//! Whether an encoding keeps its one duty, tried on states that a model reaches.
//!
//! For each state `s` that is looked at: decoding its bytes gives a state equal to `s`, and encoding that one gives the
//! same bytes. A hash table that is decoded anew has another order, so an encoding by hand that depends on this order
//! gives other bytes.

use crate::{Decoder, Encode, Encoder, Model};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;

/// What is wrong with an encoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The field, as a path from the state: `network[2].sender`; `None` for a flaw that is in no field alone.
    pub field: Option<String>,
    /// What was seen.
    pub kind: FlawKind,
    /// The state, in its `Debug` form.
    pub state: String,
}

/// The kinds of flaws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlawKind {
    /// Encoding the same state twice gave different bytes.
    Unstable,
    /// The decoded state is not equal to the encoded one.
    Lossy,
    /// Decoding did not read all bytes.
    Rest,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field.as_ref().map_or_else(|| "the state".into(), |path| format!("field `{path}`"));
        let what = match self.kind {
            FlawKind::Unstable => {
                "has more than one encoding: the bytes depend on something that is no part of the state, such as the order of \
                 a hash table"
            }
            FlawKind::Lossy => "does not come back from its encoding as it was",
            FlawKind::Rest => "is encoded in more bytes than are read back",
        };
        write!(f, "{field} {what}; in state {}", self.state)
    }
}

impl std::error::Error for Flaw {}

/// Visits states of a model breadth first, up to a limit, and returns the first flaw of their encoding.
pub fn self_check<M: Model>(model: &M, states_max: usize) -> Result<usize, Flaw> {
    let mut queue = VecDeque::from([model.initial()]);
    let mut seen = BTreeSet::new();
    let mut actions = Vec::new();
    while let Some(state) = queue.pop_front() {
        if !seen.insert(check(&state)?) {
            continue;
        }
        if seen.len() >= states_max {
            break;
        }
        actions.clear();
        model.actions(&state, &mut actions);
        for action in &actions {
            let mut next = state.clone();
            if model.take(&mut next, action) {
                queue.push_back(next);
            }
        }
    }
    Ok(seen.len())
}

/// Looks at one state; its bytes.
pub(crate) fn check<S: Encode + PartialEq + fmt::Debug>(state: &S) -> Result<Vec<u8>, Flaw> {
    let encode = |state: &S| {
        let mut out = Encoder::tracing();
        state.encode(&mut out);
        out
    };
    let flaw = |kind, field: Option<&str>| Flaw { field: field.map(String::from), kind, state: format!("{state:?}") };
    let first = encode(state);
    let mut input = Decoder::new(first.bytes());
    let decoded = S::decode(&mut input);
    if !input.is_at_end() {
        return Err(flaw(FlawKind::Rest, None));
    }
    let second = encode(&decoded);
    let pairs = first.bytes().iter().zip(second.bytes());
    let differs = pairs.clone().position(|(a, b)| a != b);
    let shorter = first.bytes().len().min(second.bytes().len());
    if differs.is_some() || first.bytes().len() != second.bytes().len() {
        let kind = if decoded == *state { FlawKind::Unstable } else { FlawKind::Lossy };
        return Err(flaw(kind, first.field_at(differs.unwrap_or(shorter.saturating_sub(1)))));
    }
    if decoded != *state {
        return Err(flaw(FlawKind::Lossy, None));
    }
    Ok(first.into_bytes())
}

/// Looks at a state by its bytes, as a search has them; the state.
pub(crate) fn check_encoded<S: Encode + PartialEq + fmt::Debug>(bytes: &[u8]) -> Result<S, Flaw> {
    let mut input = Decoder::new(bytes);
    let state = S::decode(&mut input);
    let flaw = |kind, field: Option<&str>| Flaw { field: field.map(String::from), kind, state: format!("{state:?}") };
    if !input.is_at_end() {
        return Err(flaw(FlawKind::Rest, None));
    }
    let mut again = Encoder::tracing();
    state.encode(&mut again);
    let differs = again.bytes().iter().zip(bytes).position(|(a, b)| a != b);
    if let Some(byte) = differs.or((again.bytes().len() != bytes.len()).then(|| again.bytes().len().saturating_sub(1)))
    {
        return Err(flaw(FlawKind::Unstable, again.field_at(byte)));
    }
    check(&state)?;
    Ok(state)
}
