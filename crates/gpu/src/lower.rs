//! Process graphs as code over packed states.
//!
//! [`Lower::expand`] makes the code that finds all successors of one state. The k-th edges of all locations of a process are
//! looked at together: a switch over the location makes the successor, and the threads meet behind it, where *one* piece of code
//! hands it on. A rendezvous is such a round for each partner and each of the partner's receives. What happens to a successor,
//! a failure, a value that does not fit, is said by a [`Sink`]. Guards are evaluated on the state, statements change a copy.
//!
//! [`value`] evaluates, [`channel`] deals with messages, [`action`] with statements, [`round`] puts edges together.

mod action;
mod automaton;
mod candidates;
mod channel;
mod round;
mod value;

use crate::Reason;
use crate::Spot;
use crate::code::{Arg, Builder, Cond, Label, Reg, Type};
use crate::intervals::Interval;
use crate::layout::{FieldId, Frame, Layout, Slot};
use ferrospin_model::ir::{EdgeId, ProcessId};

/// From this number on an expansion is by all processes but one.
pub(crate) const OTHERS: u32 = 1 << 16;

/// What becomes of what an expansion finds.
pub(crate) trait Sink {
    /// A successor, in which every process may move.
    fn emit(&mut self, b: &mut Builder, state: &[Reg]);

    /// A successor in which only the process of a slot may move.
    fn hold(&mut self, b: &mut Builder, state: &[Reg], slot: usize);

    /// Something went wrong in a step, or while looking for one.
    fn fail(&mut self, b: &mut Builder);

    /// A value does not fit its field, whose number is in a word.
    fn overflow(&mut self, b: &mut Builder, field: Arg);
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Checks {
    pub(crate) assertions: bool,
    pub(crate) end_states: bool,
    /// At an end, channels must be empty.
    pub(crate) empty_channels: bool,
}

/// A value of a process graph: 32 bits, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Val {
    pub(crate) arg: Arg,
    pub(crate) range: Interval,
}

impl Val {
    pub(crate) fn constant(v: i32) -> Val {
        Val { arg: Arg::Const(u64::from(v as u32)), range: (i64::from(v), i64::from(v)) }
    }

    pub(crate) fn known(self) -> Option<i32> {
        match self.arg {
            Arg::Const(v) => Some(v as u32 as i32),
            Arg::Reg(_) if self.range.0 == self.range.1 => Some(self.range.0 as i32),
            Arg::Reg(_) => None,
        }
    }
}

/// What evaluates: the process of a slot, as one of its types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    pub(crate) slot: usize,
    pub(crate) frame: usize,
}

/// Makes code.
pub(crate) struct Lower<'l, 'm> {
    pub(crate) b: Builder,
    pub(crate) layout: &'l Layout<'m>,
    pub(crate) checks: Checks,
    /// The state, and the successor in the making.
    pub(crate) source: Vec<Reg>,
    target: Vec<Reg>,
    /// Which of the two is looked at.
    on_target: bool,
    /// Expansions may be asked for all processes but one.
    pub(crate) reduced: bool,
    /// Set once some move was found.
    pub(crate) moved: Reg,
    /// The value of `timeout`.
    pub(crate) timeout: Cond,
    /// Where evaluation goes that fails.
    fail: Label,
    /// Where values go that do not fit their field, by the field.
    misfits: Vec<(FieldId, Label)>,
    /// Set when something went wrong that does not end the step.
    soft: Reg,
    /// The edge at hand, to say where a reason lies.
    spot: Spot,
}

type Made<T> = Result<T, Reason>;

impl<'l, 'm> Lower<'l, 'm> {
    pub(crate) fn new(mut b: Builder, layout: &'l Layout<'m>, checks: Checks) -> Self {
        let source = (0..layout.words).map(|_| b.reg(Type::Word)).collect();
        let target = (0..layout.words).map(|_| b.reg(Type::Word)).collect();
        let (moved, soft) = (b.reg(Type::Flag), b.reg(Type::Flag));
        let nowhere = Label(u32::MAX);
        Lower {
            b,
            layout,
            checks,
            source,
            target,
            on_target: false,
            reduced: false,
            moved,
            timeout: Cond::Known(false),
            fail: nowhere,
            misfits: Vec::new(),
            soft,
            spot: Spot::Edge(EdgeId(0)),
        }
    }

    fn slot(&self, slot: usize) -> &'l Slot {
        &self.layout.slots[slot]
    }

    fn frame(&self, who: Who) -> &'l Frame {
        &self.layout.slots[who.slot].frames[who.frame]
    }

    fn process(&self, who: Who) -> ProcessId {
        self.frame(who).process
    }

    fn refuse<T>(&self, what: &str) -> Made<T> {
        Err(Reason { what: what.into(), spot: self.spot })
    }

    fn state(&self) -> &[Reg] {
        if self.on_target { &self.target } else { &self.source }
    }

    /// Goes where failures go, whatever else.
    fn fail_now(&mut self) {
        self.b.jump(self.fail);
    }

    /// A value does not fit a field.
    fn overflow(&mut self, when: Cond, field: FieldId) {
        if when == Cond::Known(false) {
            return;
        }
        let known = self.misfits.iter().find(|m| m.0 == field).map(|m| m.1);
        let to = known.unwrap_or_else(|| {
            let label = self.b.label();
            self.misfits.push((field, label));
            label
        });
        self.b.jump_if(when, to);
    }

    /// Evaluates the second condition only where the first holds, if that can be noticed: whether both hold.
    fn and_then(&mut self, first: Cond, second: impl FnOnce(&mut Self) -> Made<Cond>) -> Made<Cond> {
        if first == Cond::Known(false) {
            return Ok(first);
        }
        let mark = self.b.mark();
        let then = second(self)?;
        if !self.b.branches_since(mark) {
            return Ok(self.b.both(first, then));
        }
        if first == Cond::Known(true) {
            return Ok(then);
        }
        let (result, skip) = (self.b.reg(Type::Flag), self.b.label());
        let rest = self.b.cut(mark);
        self.b.set(result, 0);
        self.b.jump_if(!first, skip);
        self.b.append(rest);
        let flag = self.b.flag(then);
        self.b.set(result, flag);
        self.b.place(skip);
        Ok(Cond::When(result, true))
    }
}
