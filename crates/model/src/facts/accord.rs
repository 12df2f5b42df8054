//! Which edges accord, which can enable which.
//!
//! Two edges of different processes *accord* if, wherever both are executable, each stays executable behind the other and
//! both orders lead to the same state (Valmari, "Stubborn sets for reduced state space generation", 1989; Godefroid, LNCS
//! 1032, 1996). What enables a conjunct is sharpened where constants are written: `x = 2` does not make `x == 1` true.

use super::Instance;
use super::condition::{Conjunct, Kind, compare};
use super::footprint::{Footprint, Half};
use super::object::{Channels, Object, Operation, WriteShape, overlaps};
use crate::ir::Model;

/// A footprint and the process it belongs to.
#[derive(Clone, Copy)]
pub struct Party<'a> {
    /// The process.
    pub who: &'a Instance,
    /// What it would do.
    pub footprint: &'a Footprint,
}

/// Whether something in `objects`, as seen by `reader`, may be changed by `writer`.
pub fn affects(model: &Model, objects: &[Object], reader: &Instance, writer: Party<'_>) -> bool {
    objects.iter().any(|o| affects_one(model, *o, reader, writer))
}

fn affects_one(model: &Model, object: Object, reader: &Instance, writer: Party<'_>) -> bool {
    let f = writer.footprint;
    let same_number = |pid: Option<u8>| pid.is_none() || writer.who.pid.is_none() || pid == writer.who.pid;
    match object {
        Object::Global(a, b) => {
            f.writes.iter().any(|w| matches!(w.object, Object::Global(c, d) if overlaps((a, b), (c, d))))
        }
        Object::Local(a, b) => {
            reader.is(writer.who)
                && f.writes.iter().any(|w| matches!(w.object, Object::Local(c, d) if overlaps((a, b), (c, d))))
        }
        Object::Remote(process, pid, a, b) => {
            process == writer.who.process
                && same_number(pid)
                && f.writes.iter().any(|w| matches!(w.object, Object::Local(c, d) if overlaps((a, b), (c, d))))
        }
        Object::Channel(c) => changes(f, &c, |op| !op.only_looks()),
        Object::Table | Object::OwnedChannels | Object::DeadChannels | Object::Trace => {
            f.writes.iter().any(|w| w.object == object)
        }
        Object::At(process, pid, l) => process == writer.who.process && same_number(pid) && f.locations.contains(&l),
        Object::AnyLocation => true,
        Object::Progress => f.locations.iter().any(|l| model.location(*l).progress) || !f.runs.is_empty(),
        Object::Accept => f.locations.iter().any(|l| model.location(*l).accept) || !f.runs.is_empty(),
    }
}

fn changes(f: &Footprint, channels: &Channels, how: impl Fn(Operation) -> bool) -> bool {
    f.operations.iter().any(|(c, op)| how(*op) && c.meets(channels))
}

/// Whether a step of `writer` may make a conjunct of `reader` true (`wanted`) or false.
pub fn can_make(model: &Model, c: &Conjunct, wanted: bool, reader: &Instance, writer: Party<'_>) -> bool {
    let f = writer.footprint;
    if f.unknown || affects(model, &c.reads, reader, writer) {
        return true;
    }
    use Operation::{Receive, Send, SendSorted};
    let sends = |op| matches!(op, Send | SendSorted);
    match (c.kind, wanted) {
        (Kind::Compare(object, scalar, op, v), _) => {
            let own = matches!(object, Object::Global(..)) || reader.is(writer.who);
            let (Object::Global(a, b) | Object::Local(a, b)) = object else { unreachable!("a scalar") };
            own && f.writes.iter().any(|w| {
                let (c, d) = match (object, w.object) {
                    (Object::Global(..), Object::Global(c, d)) | (Object::Local(..), Object::Local(c, d)) => (c, d),
                    _ => return false,
                };
                match w.shape {
                    WriteShape::Constant(k) if (a, b) == (c, d) => compare(op, scalar.cut(k), v) == wanted,
                    _ => overlaps((a, b), (c, d)),
                }
            })
        }
        (Kind::HasRoom(c), true) | (Kind::IsFull(c), false) => changes(f, &c, |op| op == Receive),
        (Kind::HasRoom(c), false) | (Kind::IsFull(c), true) => changes(f, &c, sends),
        (Kind::HasMessage(c), true) | (Kind::IsEmpty(c), false) => changes(f, &c, sends),
        (Kind::HasMessage(c), false) | (Kind::IsEmpty(c), true) => changes(f, &c, |op| op == Receive),
        (Kind::Matches(c, true), true) => changes(f, &c, sends),
        (Kind::Matches(c, true), false) => changes(f, &c, |op| op == Receive),
        (Kind::Matches(c, false), _) => changes(f, &c, |op| matches!(op, Receive | SendSorted)),
        (Kind::Youngest, _) => affects_one(model, Object::Table, reader, writer),
        (Kind::Other, _) => false,
    }
}

/// Whether two edges of different processes accord.
pub fn accords(model: &Model, a: Party<'_>, b: Party<'_>) -> bool {
    let (f, g) = (a.footprint, b.footprint);
    if f.unknown || g.unknown {
        return false;
    }
    // Only the youngest process can end, and `timeout` needs that nothing else can be done.
    if f.end && g.end || f.timeout || g.timeout {
        return true;
    }
    let disturbed = |x: Party<'_>, y: Party<'_>| {
        affects(model, &x.footprint.reads, x.who, y)
            || x.footprint.conjuncts.iter().any(|c| can_make(model, c, false, x.who, y))
    };
    !disturbed(a, b) && !disturbed(b, a) && writes_commute(f, g) && operations_commute(f, g)
}

fn writes_commute(f: &Footprint, g: &Footprint) -> bool {
    f.writes.iter().all(|v| {
        g.writes.iter().all(|w| match (v.object, w.object) {
            (Object::Global(a, b), Object::Global(c, d)) => {
                !overlaps((a, b), (c, d))
                    || (a, b) == (c, d)
                        && match (v.shape, w.shape) {
                            (WriteShape::Constant(x), WriteShape::Constant(y)) => x == y,
                            (WriteShape::Added, WriteShape::Added) => true,
                            _ => false,
                        }
            }
            // Frames of different processes.
            (Object::Local(..), _) | (_, Object::Local(..)) => true,
            (x, y) => x != y,
        })
    })
}

fn operations_commute(f: &Footprint, g: &Footprint) -> bool {
    f.operations.iter().all(|(c, x)| g.operations.iter().all(|(d, y)| !c.meets(d) || x.commutes(*y)))
}

/// Whether two edges can be the halves of one handshake.
pub fn partners(a: &Footprint, b: &Footprint) -> bool {
    match (a.rendezvous, b.rendezvous) {
        (Some(Half::Send(c)), Some(Half::Receive(d))) | (Some(Half::Receive(c)), Some(Half::Send(d))) => c.meets(&d),
        _ => false,
    }
}
