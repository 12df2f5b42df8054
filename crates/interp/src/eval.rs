//! The value of an expression in a state.

use crate::moves::executable_somehow;
use crate::view::{View, read};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Area, Binary, Call, Channel, ChannelTest, Expr, Pattern, Place, ProcessId, Receive};

/// The process that evaluates: its number and the offset of its frame. The claim has a frame but no number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    pub(crate) pid: usize,
    pub(crate) frame: u32,
}

impl View<'_> {
    /// The process with a number as an evaluator.
    pub(crate) fn who(&self, pid: usize) -> Who {
        Who { pid, frame: self.frames[pid] }
    }

    /// Offset of a place in the state.
    pub(crate) fn address(&self, who: Who, place: &Place) -> Result<u32, FailureKind> {
        let mut at = place.offset
            + match place.area {
                Area::Global => 0,
                Area::Local => who.frame,
            };
        for i in &place.indices {
            let index = self.eval(who, &i.value)?;
            if index < 0 || index as u32 >= i.len {
                return Err(FailureKind::Index { index, len: i.len });
            }
            at += index as u32 * i.stride;
        }
        Ok(at)
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, who: Who, e: &Expr) -> Result<i32, FailureKind> {
        Ok(match e {
            Expr::Const(v) => *v,
            Expr::Load(place) => read(self.bytes, self.address(who, place)?, place.scalar),
            Expr::Unary(op, a) => op.apply(self.eval(who, a)?),
            Expr::Binary(Binary::And, a, b) => i32::from(self.eval(who, a)? != 0 && self.eval(who, b)? != 0),
            Expr::Binary(Binary::Or, a, b) => i32::from(self.eval(who, a)? != 0 || self.eval(who, b)? != 0),
            Expr::Binary(op, a, b) => {
                op.apply(self.eval(who, a)?, self.eval(who, b)?).ok_or(FailureKind::DivisionByZero)?
            }
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                if self.eval(who, c)? != 0 { self.eval(who, a)? } else { self.eval(who, b)? }
            }
            Expr::Channel(test, c) => {
                let (channel, at) = self.channel(self.eval(who, c)?)?;
                let len = self.len(channel, at);
                // A rendezvous channel is never full and always empty.
                let full = channel.capacity > 0 && len >= channel.capacity;
                match test {
                    ChannelTest::Len => len as i32,
                    ChannelTest::Full => i32::from(full),
                    ChannelTest::NotFull => i32::from(!full),
                    ChannelTest::Empty => i32::from(len == 0),
                    ChannelTest::NotEmpty => i32::from(len != 0),
                }
            }
            Expr::Poll(r) => {
                let (channel, at) = self.channel(self.eval(who, &r.channel)?)?;
                if channel.capacity == 0 {
                    return Err(FailureKind::PollRendezvous);
                }
                i32::from(self.matching(who, r, channel, at)?.is_some())
            }
            Expr::Pid => who.pid as i32,
            Expr::Last => self.model.layout.last.map_or(0, |at| i32::from(self.bytes[at as usize])),
            Expr::ProcessCount => self.process_count() as i32,
            Expr::ChannelCount => self.channel_count() as i32,
            Expr::Timeout => i32::from(self.timeout),
            Expr::NonProgress => i32::from(!self.progress()),
            Expr::Enabled(p) => match usize::try_from(self.eval(who, p)?) {
                Ok(p) if p < self.process_count() => i32::from(executable_somehow(self, p)?),
                _ => 0,
            },
            Expr::PcValue(p) => match usize::try_from(self.eval(who, p)?) {
                Ok(p) if p < self.process_count() => self.location(p).0 as i32,
                _ => 0,
            },
            Expr::Priority(p) => match usize::try_from(self.eval(who, p)?) {
                Ok(p) if p < self.process_count() => self.priority(p),
                _ => 0,
            },
            Expr::AtLocation(process, pid, location) => match self.instance(who, *process, pid.as_deref())? {
                Some(p) => i32::from(self.location(p) == *location),
                None => 0,
            },
            Expr::Remote(process, pid, place) => match self.instance(who, *process, pid.as_deref())? {
                Some(p) => {
                    // Indices belong to the process that refers, the variable to the one that is referred to.
                    let mut at = place.offset + self.frames[p];
                    for i in &place.indices {
                        let index = self.eval(who, &i.value)?;
                        if index < 0 || index as u32 >= i.len {
                            return Err(FailureKind::Index { index, len: i.len });
                        }
                        at += index as u32 * i.stride;
                    }
                    read(self.bytes, at, place.scalar)
                }
                None => 0,
            },
            Expr::Call(c) => return self.call(who, c),
            Expr::Foreign => return Err(FailureKind::Foreign),
        })
    }

    /// The value of foreign code.
    fn call(&self, who: Who, c: &Call) -> Result<i32, FailureKind> {
        let code = self.model.code.as_ref().ok_or(FailureKind::Foreign)?;
        let args = self.values(who, &c.args)?;
        code.evaluate(c.code, self.bytes, &self.bytes[who.frame as usize..], &args).map_err(FailureKind::Called)
    }

    /// The values of some expressions.
    pub(crate) fn values(&self, who: Who, list: &[Expr]) -> Result<Vec<i32>, FailureKind> {
        list.iter().map(|e| self.eval(who, e)).collect()
    }

    /// The process a remote reference means, if it exists and is of that type.
    fn instance(&self, who: Who, process: ProcessId, pid: Option<&Expr>) -> Result<Option<usize>, FailureKind> {
        let is = |p: &usize| self.process(*p) == process;
        Ok(match pid {
            None => (0..self.process_count()).find(is),
            Some(e) => usize::try_from(self.eval(who, e)?).ok().filter(|p| *p < self.process_count() && is(p)),
        })
    }

    /// The message of a channel that a receive takes.
    pub(crate) fn matching(
        &self,
        who: Who,
        r: &Receive,
        channel: &Channel,
        at: u32,
    ) -> Result<Option<u32>, FailureKind> {
        let len = self.len(channel, at);
        let tried = if r.random { len } else { len.min(1) };
        for message in 0..tried {
            let mut all = true;
            for (i, f) in r.fields.iter().enumerate().take(channel.fields.len()) {
                if let Pattern::Match(e) = f
                    && self.eval(who, e)? != self.field(channel, at, message, i)
                {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
}
