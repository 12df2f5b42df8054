//! What can be done in a state.

use crate::eval::Who;
use crate::failure::failure_code;
use crate::view::View;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, Edge, EdgeId, LocationId, Receive};
use ferrospin_model::passes::walk::asks_enabled;
use ferrospin_system::{Control, Failure, Labels, Move, Moves, NO_EDGE, NO_PROCESS};

/// All moves from a state: see [`ferrospin_system::Machine::moves`].
pub(crate) fn moves(view: &View<'_>, control: Control, out: &mut Moves) {
    out.clear();
    match control {
        Control::Exclusive(pid) => system_moves(view, Some(usize::from(pid)), out),
        Control::Free | Control::Property => {
            system_moves(view, None, out);
            if out.list.is_empty() && view.model.uses.timeout {
                system_moves(&View { timeout: true, ..*view }, None, out);
                out.list.iter_mut().for_each(|m| m.timeout = true);
            }
        }
    }
}

/// Whether no process can move as long as `timeout` is false: then it is true to propositions.
pub(crate) fn is_timeout(view: &View<'_>) -> bool {
    let mut found = Moves::default();
    system_moves(view, None, &mut found);
    found.list.is_empty()
}

/// Which of the propositions asked for hold; [`Labels::UNKNOWN`] where one cannot be evaluated.
pub(crate) fn propositions(view: &View<'_>, asked: Labels) -> Labels {
    let Some(at) = view.model.propositions.filter(|_| asked != Labels::NONE) else { return Labels::NONE };
    let who = Who { pid: usize::from(NO_PROCESS), frame: 0 };
    let mut found = Labels::NONE;
    for (i, id) in view.model.location(at).edges.iter().enumerate() {
        let label = Labels::proposition(i);
        if asked.has(label) {
            match executable(view, who, &view.model.edge(*id).action) {
                Ok(holds) => found = found | label.when(holds == Executable::Alone),
                Err(_) => return Labels::UNKNOWN,
            }
        }
    }
    found
}

/// Moves of the processes, youngest first; only of one process if it is named.
fn system_moves(view: &View<'_>, only: Option<usize>, out: &mut Moves) {
    let n = view.process_count();
    if view.model.uses.priority {
        // Which processes can move decides which may: all are tried, then those below the highest priority are dropped.
        (0..n).rev().for_each(|p| process_moves(view, p, out));
        let top = out.list.iter().map(|m| view.priority(usize::from(m.process))).max();
        out.list.retain(|m| {
            Some(view.priority(usize::from(m.process))) == top && only.is_none_or(|p| p == usize::from(m.process))
        });
        return;
    }
    match only {
        Some(p) if p < n => process_moves(view, p, out),
        Some(_) => {}
        None => (0..n).rev().for_each(|p| process_moves(view, p, out)),
    }
}

/// Whether `provided` lets a process move.
fn is_provided(view: &View<'_>, pid: usize, out: &mut Moves) -> bool {
    match &view.model.process(view.process(pid)).provided {
        None => true,
        Some(e) => match view.eval(view.who(pid), e) {
            Ok(v) => v != 0,
            Err(kind) => {
                let edge = view.model.location(view.location(pid)).edges.first().map_or(NO_EDGE, |e| e.0);
                out.failures.push(Failure { code: failure_code(kind), edge, process: pid as u8 });
                false
            }
        },
    }
}

fn process_moves(view: &View<'_>, pid: usize, out: &mut Moves) {
    if !is_provided(view, pid, out) {
        return;
    }
    let deterministic = view.model.process(view.process(pid)).deterministic;
    let mut escape = 0;
    let mut moved = false;
    for &id in &view.model.location(view.location(pid)).edges {
        let edge = view.model.edge(id);
        if escape != 0 && edge.escape != escape {
            break;
        }
        let before = out.list.len();
        edge_moves(view, pid, id, edge, moved, out);
        if out.list.len() > before {
            if moved && deterministic {
                let kind = FailureKind::Nondeterminism;
                out.failures.push(Failure { code: failure_code(kind), edge: id.0, process: pid as u8 });
            }
            moved = true;
            escape = edge.escape;
        }
    }
}

fn edge_moves(view: &View<'_>, pid: usize, id: EdgeId, edge: &Edge, moved: bool, out: &mut Moves) {
    let who = view.who(pid);
    let executable = match &edge.action {
        Action::Else => Ok(if moved { Executable::No } else { Executable::Alone }),
        Action::End => Ok(if pid + 1 == view.process_count() { Executable::Alone } else { Executable::No }),
        action => executable(view, who, action),
    };
    match executable {
        Ok(Executable::No) => {}
        Ok(Executable::Alone) => out.list.push(Move::single(pid as u8, id.0)),
        Ok(Executable::WithPartner) => {
            if let Err(kind) = handshakes(view, pid, id, edge, out) {
                out.failures.push(Failure { code: failure_code(kind), edge: id.0, process: pid as u8 });
            }
        }
        Err(kind) => out.failures.push(Failure { code: failure_code(kind), edge: id.0, process: pid as u8 }),
    }
}

/// Whether an action can be executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Executable {
    No,
    Alone,
    /// A rendezvous send: if a partner takes the message.
    WithPartner,
}

/// Tests an action other than `else` and the end of a process, which depend on more than the state.
pub(crate) fn executable(view: &View<'_>, who: Who, action: &Action) -> Result<Executable, FailureKind> {
    let when = |b: bool| Ok(if b { Executable::Alone } else { Executable::No });
    match action {
        Action::Guard(e) => when(view.eval(who, e)? != 0),
        Action::Send { channel, .. } => {
            let (channel, at) = view.channel(view.eval(who, channel)?)?;
            if channel.capacity == 0 {
                return Ok(Executable::WithPartner);
            }
            when(view.len(channel, at) < channel.capacity)
        }
        Action::Receive(r) => {
            let (channel, at) = view.channel(view.eval(who, &r.channel)?)?;
            when(channel.capacity > 0 && view.matching(who, r, channel, at)?.is_some())
        }
        Action::DStep(entry) => when(d_step_starts(view, who, *entry)?),
        Action::Else | Action::End => unreachable!("tested by the caller"),
        _ => Ok(Executable::Alone),
    }
}

/// Whether the first statement of a `d_step` can be executed.
fn d_step_starts(view: &View<'_>, who: Who, entry: LocationId) -> Result<bool, FailureKind> {
    for &id in &view.model.location(entry).edges {
        let starts = match &view.model.edge(id).action {
            Action::Else => true,
            action => match executable(view, who, action)? {
                Executable::No => false,
                Executable::Alone => true,
                Executable::WithPartner => return Err(FailureKind::RendezvousInDStep),
            },
        };
        if starts {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All ways in which another process takes the message of a rendezvous send, youngest first.
fn handshakes(view: &View<'_>, pid: usize, id: EdgeId, edge: &Edge, out: &mut Moves) -> Result<(), FailureKind> {
    let Action::Send { channel, fields, .. } = &edge.action else { unreachable!("only sends offer") };
    let who = view.who(pid);
    let number = view.eval(who, channel)?;
    let (channel, _) = view.channel(number)?;
    let mut message = Vec::with_capacity(channel.fields.len());
    for (i, (scalar, _)) in channel.fields.iter().enumerate() {
        let value = fields.get(i).map_or(Ok(0), |e| view.eval(who, e))?;
        message.push(scalar.cut(value));
    }
    for partner in (0..view.process_count()).rev().filter(|p| *p != pid) {
        if !is_provided(view, partner, out) {
            continue;
        }
        let mut escape = 0;
        for &other in &view.model.location(view.location(partner)).edges {
            let e = view.model.edge(other);
            if escape != 0 && e.escape != escape {
                break;
            }
            if let Action::DStep(entry) = &e.action {
                let first = view.model.location(*entry).edges.iter().map(|e| &view.model.edge(*e).action);
                for a in first {
                    if let Action::Receive(r) = a
                        && view.eval(view.who(partner), &r.channel) == Ok(number)
                    {
                        return Err(FailureKind::RendezvousInDStep);
                    }
                }
            }
            let Action::Receive(r) = &e.action else { continue };
            if accepts(view, view.who(partner), r, number, &message)? {
                out.list.push(Move {
                    process: pid as u8,
                    edge: id.0,
                    partner: partner as u8,
                    partner_edge: other.0,
                    property: NO_EDGE,
                    timeout: view.timeout,
                    stutter: false,
                });
                escape = e.escape;
            }
        }
    }
    Ok(())
}

/// Whether a receive takes a message that is on offer.
fn accepts(view: &View<'_>, who: Who, r: &Receive, number: i32, message: &[i32]) -> Result<bool, FailureKind> {
    use ferrospin_model::ir::Pattern;
    if view.eval(who, &r.channel)? != number {
        return Ok(false);
    }
    for (f, value) in r.fields.iter().zip(message) {
        if let Pattern::Match(e) = f
            && view.eval(who, e)? != *value
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a process has an executable edge, `provided` left aside: `enabled(p)`.
pub(crate) fn executable_somehow(view: &View<'_>, pid: usize) -> Result<bool, FailureKind> {
    let who = view.who(pid);
    for &id in &view.model.location(view.location(pid)).edges {
        let yes = match &view.model.edge(id).action {
            Action::Else => true,
            Action::End => pid + 1 == view.process_count(),
            // A process that asks about itself, or about one that asks back, would ask for ever.
            action if asks_enabled(view.model, action) => false,
            action => executable(view, who, action)? == Executable::Alone,
        };
        if yes {
            return Ok(true);
        }
    }
    Ok(false)
}
