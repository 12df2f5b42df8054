//! Any subject of a check as a labelled transition system: its plain executor is explored, and tells what happens.
//!
//! Labels are what trails say of steps: messages, or the acts of processes. What states carry is asked of the subject: values by the
//! names under which it tells them, propositions by its own texts.
//! Nothing is reduced or merged: the graph is what the subject means.

use super::{Labelling, Missing, Teller, Timer, View, explore, is_element, visible};
use crate::verify::{Hooks, Limits};
use ferrospin_check::subject::{Fault, Reference, Subject, Violation};
use ferrospin_lts::{Graph, Stopped};
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, Step, one_by_one};
use ferrospin_trace::trail::{self, Event};

/// The graph of a subject.
pub fn of_subject(subject: &dyn Subject, view: &View, limits: &Limits, hooks: &Hooks) -> Result<Graph, Missing> {
    let mut teller = SubjectTeller::new(subject, view)?;
    let mut machine = Plain(subject.reference(None));
    let timer = Timer::start(limits, hooks);
    let graph = explore(&mut machine, &mut teller, &timer).map_err(|Stopped| Missing::Limit(timer.why()))?;
    Ok(visible(&graph, &view.observed))
}

/// A plain executor where a machine is asked for.
struct Plain<'a>(Box<dyn Reference + 'a>);

impl Machine for Plain<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.0.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.0.moves(state, control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        self.0.take(state, mv, None, out).0
    }

    one_by_one!();

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        Labels::END.when(asked.has(Labels::END) && self.0.may_end(state))
    }
}

/// What states carry.
enum Carried {
    /// The value of what has this name.
    Value(String),
    /// Whether the proposition with this text holds; its number is at this place of the list.
    Proposition(String, usize),
}

struct SubjectTeller<'a> {
    reference: Box<dyn Reference + 'a>,
    labels: Labelling,
    ends: bool,
    carried: Vec<Carried>,
    propositions: Vec<u32>,
    next: Vec<u8>,
}

impl<'a> SubjectTeller<'a> {
    fn new(subject: &'a dyn Subject, view: &View) -> Result<Self, Missing> {
        let mut reference = subject.reference(None);
        let mut initial = Vec::new();
        let values = match reference.initial(&mut initial) {
            Ok(()) => reference.values(&initial),
            Err(_) => Vec::new(),
        };
        let (mut carried, mut propositions) = (Vec::new(), Vec::new());
        for text in &view.propositions {
            let shown = values.iter().filter(|v| v.name == *text || is_element(&v.name, text));
            let names: Vec<String> = shown.map(|v| v.name.clone()).collect();
            if names.is_empty() {
                let number = subject.proposition(text).map_err(|why| Missing::Refused(why.to_string()))?;
                carried.push(Carried::Proposition(text.clone(), propositions.len()));
                propositions.push(number);
            }
            carried.extend(names.into_iter().map(Carried::Value));
        }
        if propositions.len() > Labels::PROPOSITIONS_MAX {
            let why = format!(
                "there are {} propositions; at most {} can be told",
                propositions.len(),
                Labels::PROPOSITIONS_MAX
            );
            return Err(Missing::Refused(why));
        }
        let labels = view.labels;
        Ok(SubjectTeller { reference, labels, ends: view.ends, carried, propositions, next: Vec::new() })
    }
}

/// The messages of a step.
fn messages(step: trail::Step) -> Vec<String> {
    let tell = |event| match event {
        Event::Sent(m) => Some(format!("{}!{}", m.channel, m.message)),
        Event::Received(m) => Some(format!("{}?{}", m.channel, m.message)),
        Event::Handshake { channel, message, .. } => Some(format!("{channel}.{message}")),
        _ => None,
    };
    step.events.into_iter().filter_map(tell).collect()
}

/// Who does what in a step.
fn statements(step: trail::Step) -> Vec<String> {
    let tell = |act: trail::Act| match act.process {
        Some(process) => format!("{process}: {}", act.statement),
        None => act.statement,
    };
    let acts: Vec<String> = step.act.into_iter().chain(step.partner).map(tell).collect();
    if acts.is_empty() { Vec::new() } else { vec![acts.join(", ")] }
}

impl Teller for SubjectTeller<'_> {
    fn label(&mut self, state: &[u8], path: &[Move]) -> Option<String> {
        if self.labels == Labelling::Nothing {
            return None;
        }
        let (mut told, mut now) = (Vec::new(), state.to_vec());
        for mv in path {
            let (_, step) = self.reference.take(&now, mv, None, &mut self.next);
            told.extend(if self.labels == Labelling::Messages { messages(step) } else { statements(step) });
            now.clone_from(&self.next);
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn failure(&mut self, failure: &Failure) -> String {
        let violation = Violation { fault: Fault::Failure(*failure), trail: Vec::new() };
        format!("error: {}", self.reference.tell(&violation).detail)
    }

    fn propositions(&mut self, state: &[u8]) -> Option<Vec<String>> {
        if self.carried.is_empty() {
            return None;
        }
        let wants_values = self.carried.iter().any(|c| matches!(c, Carried::Value(_)));
        let values = if wants_values { self.reference.values(state) } else { Vec::new() };
        let held = self.reference.labels(state, &self.propositions);
        let tell = |carried: &Carried| match carried {
            Carried::Value(name) => values.iter().find(|v| v.name == *name).map(|v| format!("{name}={}", v.value)),
            Carried::Proposition(text, place) => (held >> place & 1 == 1).then(|| text.clone()),
        };
        Some(self.carried.iter().filter_map(tell).collect())
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.ends && self.reference.may_end(state)
    }
}
