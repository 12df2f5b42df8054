//! `trace` and `notrace`: an automaton over the sends and receives of the channels it names.
//!
//! Kinds of event it does not name are free. An event it names must match an edge at its location; if none does, a
//! `trace` has failed and stays where it is, a `notrace` is switched off. A `notrace` fails when it reaches its end.

use crate::eval::Who;
use crate::log::Entry;
use crate::step::Change;
use crate::view::{read_location, write_location};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, EdgeId, Expr, LocationId, Model, Pattern, ProcessKind};
use ferrospin_system::NO_PROCESS;

/// Where the automaton starts.
pub(crate) fn entry(model: &Model) -> LocationId {
    automaton(model).map_or(LocationId(0), |(_, entry)| entry)
}

fn automaton(model: &Model) -> Option<(ProcessKind, LocationId)> {
    let p = model.processes.iter().find(|p| matches!(p.kind, ProcessKind::Trace | ProcessKind::NoTrace))?;
    Some((p.kind, p.entry))
}

/// Tells the automaton, and the record if there is one, of an event.
pub(crate) fn event(c: &mut Change<'_>, channel: i32, send: bool, message: &[i32]) {
    c.tell(|| {
        let message = message.to_vec();
        if send { Entry::Sent { channel, message } } else { Entry::Received { channel, message } }
    });
    let Some(at) = c.model.layout.trace else { return };
    let Some((kind, _)) = automaton(c.model) else { return };
    if !named(c, channel, send) {
        return;
    }
    let size = c.model.layout.location_size;
    let here = read_location(c.bytes, at, size);
    let fits = |id: &EdgeId| {
        let edge = c.model.edge(*id);
        event_of(c, &edge.action).is_some_and(|(ch, s, fields)| ch == channel && s == send && fields(message))
    };
    let mut fitting = c.model.location(here).edges.iter().filter(|e| fits(e)).map(|e| c.model.edge(*e).to);
    let next = fitting.next();
    let choice = fitting.next().is_some();
    drop(fitting);
    if choice {
        c.note(FailureKind::TraceChoice);
    }
    match (next, kind) {
        (Some(to), _) => {
            write_location(c.bytes, at, size, to);
            let ended = c.model.location(to).edges.iter().any(|e| matches!(c.model.edge(*e).action, Action::End));
            if kind == ProcessKind::NoTrace && ended {
                c.note(FailureKind::NoTraceMatched);
            }
        }
        (None, ProcessKind::NoTrace) => {
            // A location without edges of its own kind: nothing matches any more. The closing brace serves.
            let off = c.model.location(here).process;
            let stop = c
                .model
                .edges
                .iter()
                .find(|e| matches!(e.action, Action::End) && c.model.location(e.from).process == off);
            if let Some(e) = stop {
                write_location(c.bytes, at, size, e.from);
            }
        }
        (None, _) => c.note(FailureKind::TraceMismatch),
    }
}

/// Whether the automaton names this channel for this kind of event.
fn named(c: &Change<'_>, channel: i32, send: bool) -> bool {
    let of_trace = |from: LocationId| {
        matches!(c.model.process(c.model.location(from).process).kind, ProcessKind::Trace | ProcessKind::NoTrace)
    };
    c.model
        .edges
        .iter()
        .filter(|e| of_trace(e.from))
        .any(|e| event_of(c, &e.action).is_some_and(|(ch, s, _)| ch == channel && s == send))
}

type Fits<'a> = Box<dyn Fn(&[i32]) -> bool + 'a>;

/// Channel, kind and field test of an event in the automaton.
fn event_of<'a>(c: &'a Change<'_>, action: &'a Action) -> Option<(i32, bool, Fits<'a>)> {
    let no_process = Who { pid: usize::from(NO_PROCESS), frame: 0 };
    let equal = move |e: &Expr, v: i32| c.view().eval(no_process, e) == Ok(v);
    match action {
        Action::Send { channel, fields, .. } => {
            let number = c.view().eval(no_process, channel).ok()?;
            // A field that is not looked at stands as one that cannot be evaluated.
            let fits = move |m: &[i32]| fields.iter().zip(m).all(|(e, v)| *e == Expr::Foreign || equal(e, *v));
            Some((number, true, Box::new(fits)))
        }
        Action::Receive(r) => {
            let number = c.view().eval(no_process, &r.channel).ok()?;
            let fits = move |m: &[i32]| {
                r.fields.iter().zip(m).all(|(f, v)| match f {
                    Pattern::Match(e) => equal(e, *v),
                    Pattern::Bind(_) | Pattern::Any => true,
                })
            };
            Some((number, false, Box::new(fits)))
        }
        _ => None,
    }
}
