//! The trail format.
//!
//! One JSON object. `move` holds the indices that replay needs; everything else repeats in words what the move did, so
//! that the file can be read, searched and drawn without the model. A trail fits a model when the fingerprints are
//! equal: then the indices mean the same.

use crate::explanation::Explanation;
use ferrospin_system::{Move, NO_EDGE, NO_PROCESS};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The version of the format. A reader refuses others.
pub const SCHEMA: u32 = 1;

/// Why a text is no trail.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotATrail {
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// It does not say in which version of the format it is.
    #[error("it is not a trail: there is no `schema` in it")]
    NoSchema,
    /// It is in a version that this program does not read.
    #[error("it has version {0} of the trail format, this program reads version {SCHEMA}")]
    OtherSchema(u64),
    /// Something in it is missing, or of another kind.
    #[error("it is not a trail: {0}")]
    Malformed(String),
}

/// One run of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trail {
    /// Version of the program that wrote it.
    pub ferrospin: String,
    /// Version of the format: [`SCHEMA`].
    pub schema: u32,
    /// The model, as it was named.
    pub model: String,
    /// What the indices in moves refer to: equal for equal process graphs.
    pub fingerprint: String,
    /// The options the model was read with: `-DN=3`, `-UX`.
    pub options: Vec<String>,
    /// The property that is violated; `None` for a simulation.
    pub property: Option<Property>,
    /// What went wrong; `None` for a run in which nothing did.
    pub violation: Option<Violation>,
    /// Why that is a violation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// The step with which the part begins that repeats for ever (from 0); `None` for a finite run.
    pub loop_start: Option<usize>,
    /// The processes of the initial state.
    pub start: Vec<Actor>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Where the processes stand in the end.
    pub standing: Vec<Standing>,
    /// The values in the end.
    pub values: Vec<Binding>,
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Property {
    /// `safety`, the name of a claim, or a formula.
    pub name: String,
    /// `safety`, `ltl`, `never`, `acceptance`, `progress`.
    pub kind: String,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// `assertion`, `invalid-end-state`, ...
    pub kind: String,
    /// One sentence.
    pub message: String,
    /// Where.
    pub location: Option<Place>,
}

/// A place in the text of the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Actor {
    pub number: u8,
    pub name: String,
}

impl std::fmt::Display for Actor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.name, self.number)
    }
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// What replay needs.
    #[serde(rename = "move")]
    pub mv: MoveRecord,
    /// Who moves; `None` when only the claim does.
    pub act: Option<Act>,
    /// The receiver of a handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<Act>,
    /// What the claim does beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Act>,
    /// Whether the process keeps control, inside `atomic`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// Values that are others than before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What happened on the way, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// What went wrong in this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Step {
    /// A step of one process, of which nothing else is to be told.
    pub fn of(mv: MoveRecord, act: Option<Act>) -> Step {
        Step {
            mv,
            act,
            partner: None,
            claim: None,
            atomic: false,
            changes: Vec::new(),
            events: Vec::new(),
            failure: None,
        }
    }
}

/// A statement that a process executes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Act {
    /// Who; `None` for the claim.
    pub process: Option<Actor>,
    /// Where the statement stands.
    pub location: Option<Place>,
    /// Its text.
    pub statement: String,
    /// The number SPIN gives it; `None` where that is not known.
    pub spin: Option<u32>,
}

/// A value that a step has changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The process the variable belongs to; `None` for globals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<u8>,
    /// Its name, with the process: `turn`, `P[1].x`.
    pub name: String,
    /// The value before; `None` for a variable of a new process.
    pub before: Option<String>,
    /// The value behind.
    pub after: String,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.before {
            Some(before) => write!(f, "{}: {before} -> {}", self.name, self.after),
            None => write!(f, "{} = {}", self.name, self.after),
        }
    }
}

/// A name and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Binding {
    pub name: String,
    pub value: String,
}

/// Where a process stands in the end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Who.
    pub process: Actor,
    /// Where.
    pub location: Option<Place>,
    /// The statement it would execute next.
    pub statement: String,
    /// Whether it may stop there.
    pub may_stop: bool,
}

/// Something that happens in a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// `printf`
    Printed {
        /// Who.
        process: Actor,
        /// What.
        text: String,
    },
    /// A process acts, and there is nothing else to tell of it.
    Acted {
        /// Which.
        process: Actor,
        /// What it does.
        text: String,
    },
    /// A message goes into a channel.
    Sent(Message),
    /// A message comes out of a channel.
    Received(Message),
    /// A message goes from hand to hand.
    Handshake {
        /// From whom.
        sender: Actor,
        /// To whom.
        receiver: Actor,
        /// On which channel.
        channel: String,
        /// The fields.
        message: String,
    },
    /// A process starts.
    Started {
        /// Who.
        process: Actor,
    },
    /// A process ends.
    Ended {
        /// Who.
        process: Actor,
    },
    /// A proposition of the formula changes its value.
    Becomes {
        /// The proposition.
        proposition: String,
        /// Whether it holds now.
        holds: bool,
    },
    /// A value was too large for its variable.
    Cut {
        /// What should have been stored.
        value: i32,
        /// What was stored.
        stored: i32,
    },
}

/// A message and who handles it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// Who sends or receives.
    pub process: Actor,
    /// On which channel.
    pub channel: String,
    /// The fields, with names of constants.
    pub message: String,
}

/// A move as data. What is absent is `null`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MoveRecord {
    pub process: Option<u8>,
    pub edge: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner_edge: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timeout: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stutter: bool,
    /// The byte that was read from standard input, in a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<i32>,
}

impl From<Move> for MoveRecord {
    fn from(m: Move) -> Self {
        let process = |p| (p != NO_PROCESS).then_some(p);
        let edge = |e| (e != NO_EDGE).then_some(e);
        MoveRecord {
            process: process(m.process),
            edge: edge(m.edge),
            partner: process(m.partner),
            partner_edge: edge(m.partner_edge),
            claim: edge(m.property),
            timeout: m.timeout,
            stutter: m.stutter,
            input: None,
        }
    }
}

impl From<MoveRecord> for Move {
    fn from(m: MoveRecord) -> Self {
        Move {
            process: m.process.unwrap_or(NO_PROCESS),
            edge: m.edge.unwrap_or(NO_EDGE),
            partner: m.partner.unwrap_or(NO_PROCESS),
            partner_edge: m.partner_edge.unwrap_or(NO_EDGE),
            property: m.claim.unwrap_or(NO_EDGE),
            timeout: m.timeout,
            stutter: m.stutter,
        }
    }
}

impl Trail {
    /// The trail as text: one line for each step, so that long trails stay small and can be compared line by line.
    pub fn to_json(&self) -> String {
        const SAYABLE: &str = "a trail has nothing that JSON cannot say";
        let mut text = serde_json::to_string_pretty(&self.without_steps()).expect(SAYABLE);
        if !self.steps.is_empty() {
            let steps: Vec<String> =
                self.steps.iter().map(|s| format!("    {}", serde_json::to_string(s).expect(SAYABLE))).collect();
            let list = format!("\"steps\": [\n{}\n  ]", steps.join(",\n"));
            text = text.replacen("\"steps\": []", &list, 1);
        }
        text.push('\n');
        text
    }

    fn without_steps(&self) -> Trail {
        Trail {
            ferrospin: self.ferrospin.clone(),
            schema: self.schema,
            model: self.model.clone(),
            fingerprint: self.fingerprint.clone(),
            options: self.options.clone(),
            property: self.property.clone(),
            violation: self.violation.clone(),
            explanation: self.explanation.clone(),
            loop_start: self.loop_start,
            start: self.start.clone(),
            steps: Vec::new(),
            standing: self.standing.clone(),
            values: self.values.clone(),
        }
    }

    /// Reads a trail.
    pub fn from_json(text: &str) -> Result<Self, NotATrail> {
        let not_json = |e: serde_json::Error| NotATrail::NotJson(e.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(not_json)?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            None => return Err(NotATrail::NoSchema),
            Some(n) if n != u64::from(SCHEMA) => {
                return Err(NotATrail::OtherSchema(n));
            }
            Some(_) => {}
        }
        serde_json::from_value(value).map_err(|e| NotATrail::Malformed(e.to_string()))
    }
}
