//! Conditions: what an expression reads, and the conjuncts that a guard is split into.

use super::footprint::{Builder, Footprint};
use super::object::{Channels, Object};
use crate::ir::{Area, Binary, ChannelTest, Expr, Pattern, Place, Scalar, Unary};

/// A part of a guard.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// What it asks.
    pub kind: Kind,
    /// What it depends on beside what `kind` names.
    pub reads: Vec<Object>,
}

/// What a conjunct asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// How a scalar, global or of the own frame, compares with a constant.
    Compare(Object, Scalar, Binary, i32),
    /// One of the channels has room.
    HasRoom(Channels),
    /// One of the channels holds a message.
    HasMessage(Channels),
    /// The first message of one of the channels matches; with `true` any message.
    Matches(Channels, bool),
    /// One of the channels is full.
    IsFull(Channels),
    /// One of the channels is empty.
    IsEmpty(Channels),
    /// The process is the youngest.
    Youngest,
    /// Something that only the reads tell about.
    Other,
}

/// Compares as the operators do.
pub fn compare(op: Binary, a: i32, b: i32) -> bool {
    match op {
        Binary::Lt => a < b,
        Binary::Le => a <= b,
        Binary::Gt => a > b,
        Binary::Ge => a >= b,
        Binary::Eq => a == b,
        Binary::Ne => a != b,
        _ => unreachable!("only comparisons are asked for"),
    }
}

pub(super) fn negated(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Ge,
        Binary::Le => Binary::Gt,
        Binary::Gt => Binary::Le,
        Binary::Ge => Binary::Lt,
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        other => other,
    }
}

fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        other => other,
    }
}

impl Builder<'_> {
    /// A condition, split into conjuncts. `provided` may fail too, but belongs to every edge.
    pub(super) fn condition(&self, e: &Expr, provided: bool, f: &mut Footprint) {
        let mut reads = Vec::new();
        self.reads(e, &mut reads);
        f.guard.extend(reads.iter().copied());
        let foreign = mentions_timeout(e);
        if let Some(rest) = behind_timeout(e) {
            // Nothing behind a leading `timeout` is evaluated as long as something can be done.
            f.timeout = true;
            f.unknown |= provided || rest.iter().any(|e| mentions_timeout(e));
            f.observed |= rest.iter().any(|e| self.may_fail(e));
            f.reads.extend(reads);
            return;
        }
        if self.constants.may_fail(self.model, self.known, e) {
            f.observed = true;
            f.reads.extend(reads.iter().copied());
            f.unknown |= foreign && *e != Expr::Timeout;
            f.conjuncts.push(Conjunct { kind: Kind::Other, reads });
            return;
        }
        self.split(e, true, f);
        if provided && f.timeout {
            f.unknown = true;
        }
    }

    fn split(&self, e: &Expr, wanted: bool, f: &mut Footprint) {
        if let Some(v) = self.constants.value(self.known, e) {
            if (v != 0) != wanted {
                f.conjuncts.push(Conjunct { kind: Kind::Other, reads: Vec::new() });
            }
            return;
        }
        match (e, wanted) {
            (Expr::Binary(Binary::And, a, b), true) | (Expr::Binary(Binary::Or, a, b), false) => {
                self.split(a, wanted, f);
                self.split(b, wanted, f);
            }
            (Expr::Unary(Unary::Not, a), _) => self.split(a, !wanted, f),
            (Expr::Timeout, true) => f.timeout = true,
            _ => {
                f.unknown |= mentions_timeout(e);
                f.conjuncts.push(self.atom(e, wanted));
            }
        }
    }

    fn atom(&self, e: &Expr, wanted: bool) -> Conjunct {
        let place = |p: &Place, op: Binary, v: i32| {
            let (start, end) = self.constants.range(self.known, p);
            let exact = end - start == p.scalar.size();
            let object = match p.area {
                Area::Global => Object::Global(start, end),
                Area::Local => Object::Local(start, end),
            };
            let op = if wanted { op } else { negated(op) };
            exact.then_some(Conjunct { kind: Kind::Compare(object, p.scalar, op, v), reads: Vec::new() })
        };
        let value = |e: &Expr| self.constants.value(self.known, e);
        let found = match e {
            Expr::Load(p) => place(p, Binary::Ne, 0),
            Expr::Binary(op @ (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne), a, b) => {
                match (&**a, &**b) {
                    (Expr::Load(p), b) if value(b).is_some() => place(p, *op, value(b).expect("just asked")),
                    (a, Expr::Load(p)) if value(a).is_some() => place(p, mirrored(*op), value(a).expect("just asked")),
                    _ => None,
                }
            }
            Expr::Channel(test, c) if *test != ChannelTest::Len => {
                let (channels, _) = self.constants.channels(self.model, self.known, c);
                let test = match (test, wanted) {
                    (ChannelTest::Full, true) | (ChannelTest::NotFull, false) => Kind::IsFull(channels),
                    (ChannelTest::NotFull, true) | (ChannelTest::Full, false) => Kind::HasRoom(channels),
                    (ChannelTest::Empty, true) | (ChannelTest::NotEmpty, false) => Kind::IsEmpty(channels),
                    _ => Kind::HasMessage(channels),
                };
                let buffered = self.is_rendezvous(c) == Some(false);
                (buffered && channels.only().is_some()).then_some(Conjunct { kind: test, reads: Vec::new() })
            }
            _ => None,
        };
        found.unwrap_or_else(|| {
            let mut reads = Vec::new();
            self.reads(e, &mut reads);
            Conjunct { kind: Kind::Other, reads }
        })
    }

    /// What an expression reads.
    pub(super) fn reads(&self, e: &Expr, out: &mut Vec<Object>) {
        if self.constants.value(self.known, e).is_some() {
            return;
        }
        match e {
            Expr::Load(p) => self.reads_place(p, out),
            Expr::Unary(_, a) => self.reads(a, out),
            Expr::Binary(_, a, b) => {
                self.reads(a, out);
                self.reads(b, out);
            }
            Expr::Cond(parts) => parts.iter().for_each(|e| self.reads(e, out)),
            Expr::Channel(_, c) => self.looks_at(c, out),
            Expr::Poll(r) => {
                self.looks_at(&r.channel, out);
                for p in &r.fields {
                    if let Pattern::Match(e) = p {
                        self.reads(e, out);
                    }
                }
            }
            Expr::Pid => {}
            Expr::ProcessCount => out.push(Object::Table),
            Expr::ChannelCount => out.extend([Object::Table, Object::OwnedChannels]),
            Expr::NonProgress => out.push(Object::Progress),
            Expr::AtLocation(process, pid, location) => {
                let number = self.number(pid.as_deref(), out);
                out.push(Object::At(*process, number, *location));
            }
            Expr::Remote(process, pid, place) => {
                let number = self.number(pid.as_deref(), out);
                let (start, end) = self.constants.range(self.known, place);
                if !self.weakening.no_remote {
                    out.push(Object::Remote(*process, number, start, end));
                }
                place.indices.iter().for_each(|i| self.reads(&i.value, out));
            }
            Expr::PcValue(p) | Expr::Enabled(p) | Expr::Priority(p) => {
                self.reads(p, out);
                out.extend([Object::Table, Object::AnyLocation]);
            }
            Expr::Call(c) => {
                c.args.iter().for_each(|e| self.reads(e, out));
                c.reads.iter().for_each(|p| self.reads_place(p, out));
            }
            Expr::Const(_) | Expr::Last | Expr::Timeout | Expr::Foreign => {}
        }
    }

    /// What is read with the value of a place.
    pub(super) fn reads_place(&self, p: &Place, out: &mut Vec<Object>) {
        let (start, end) = self.constants.range(self.known, p);
        out.push(match p.area {
            Area::Global => Object::Global(start, end),
            Area::Local => Object::Local(start, end),
        });
        if !self.weakening.no_index_reads {
            p.indices.iter().for_each(|i| self.reads(&i.value, out));
        }
    }

    /// The number of a process that is asked about; which process it is depends on those that exist.
    fn number(&self, pid: Option<&Expr>, out: &mut Vec<Object>) -> Option<u8> {
        out.push(Object::Table);
        let e = pid?;
        self.reads(e, out);
        self.constants.value(self.known, e).and_then(|v| u8::try_from(v).ok())
    }

    fn looks_at(&self, channel: &Expr, out: &mut Vec<Object>) {
        self.reads(channel, out);
        let (channels, _) = self.constants.channels(self.model, self.known, channel);
        out.push(Object::Channel(channels));
        if !self.creation.processes_unseen && self.constants.is_owned(self.model, self.known, channel) {
            out.push(Object::OwnedChannels);
        }
    }
}

/// The other conjuncts of a condition that begins with `timeout`.
fn behind_timeout(e: &Expr) -> Option<Vec<&Expr>> {
    match e {
        Expr::Timeout => Some(Vec::new()),
        Expr::Binary(Binary::And, a, b) => {
            let mut rest = behind_timeout(a)?;
            rest.push(b);
            Some(rest)
        }
        _ => None,
    }
}

fn mentions_timeout(e: &Expr) -> bool {
    let mut yes = false;
    crate::passes::walk::expr(e, &mut |item| {
        yes |= matches!(item, crate::passes::walk::Item::Expr(Expr::Timeout));
    });
    yes
}
