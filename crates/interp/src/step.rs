//! Doing a move.

use crate::describe;
use crate::eval::Who;
use crate::failure::failure_code;
use crate::log::Entry;
use crate::monitor;
use crate::moves::{Executable, executable};
use crate::trace;
use crate::view::{View, frames, read, write, write_location};
use ferrospin_model::code::{Done, Site};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{
    Action, Call, Channel, Edge, EdgeId, Exclusive, Expr, Init, LocationId, Model, Pattern, Place, ProcessId,
};
use ferrospin_model::passes::walk::channel_uses;
use ferrospin_system::{Control, Failure, FailureCode, MonitorStep, Move, NO_EDGE, NO_PROCESS, Step};

/// How many statements a `d_step` may take before it counts as endless.
const D_STEP_MAX: u32 = 1_000_000;
/// Processes are numbered with a byte, and one number means none.
const PROCESS_MAX: usize = 255;

/// A state that is being changed.
pub(crate) struct Change<'a> {
    pub(crate) model: &'a Model,
    pub(crate) bytes: &'a mut Vec<u8>,
    pub(crate) frames: Vec<u32>,
    timeout: bool,
    /// The first failure that does not stop the step.
    pub(crate) soft: Option<FailureKind>,
    log: Option<&'a mut Vec<Entry>>,
}

/// The initial state.
pub(crate) fn initial(model: &Model, out: &mut Vec<u8>) -> Result<(), Failure> {
    out.clear();
    out.resize(model.layout.fixed_size as usize, 0);
    if let Some(code) = &model.code {
        code.begin();
    }
    let mut c = Change { model, bytes: out, frames: Vec::new(), timeout: false, soft: None, log: None };
    c.start().map_err(|kind| Failure { code: failure_code(kind), edge: NO_EDGE, process: NO_PROCESS })
}

/// Takes a move: see [`ferrospin_system::Machine::apply`].
pub(crate) fn apply(model: &Model, state: &[u8], mv: &Move, out: &mut Vec<u8>, log: Option<&mut Vec<Entry>>) -> Step {
    assert!(mv.property == NO_EDGE && mv.process != NO_PROCESS, "a monitor is taken by itself");
    out.clear();
    out.extend_from_slice(state);
    let mut list = Vec::new();
    frames(model, state, &mut list);
    let mut c = Change { model, bytes: out, frames: list, timeout: mv.timeout, soft: None, log };
    let result = c.take(mv);
    let failure = |kind| Failure { code: failure_code(kind), edge: mv.edge, process: mv.process };
    match result {
        Ok(control) => Step { control, failure: c.soft.map(failure), proceeds: true },
        Err(kind) => Step { control: Control::Free, failure: Some(failure(kind)), proceeds: false },
    }
}

/// Takes an edge of the monitor: see [`ferrospin_system::Monitored::monitor_apply`].
pub(crate) fn apply_monitor(
    model: &Model,
    state: &[u8],
    (edge, timeout): (EdgeId, bool),
    out: &mut Vec<u8>,
    log: Option<&mut Vec<Entry>>,
) -> Result<MonitorStep, FailureCode> {
    out.clear();
    out.extend_from_slice(state);
    let mut list = Vec::new();
    frames(model, state, &mut list);
    let mut c = Change { model, bytes: out, frames: list, timeout, soft: None, log };
    let (_, frame) = model.moving_claim().expect("there is a monitor");
    let edge = model.edge(edge);
    c.execute(Who { pid: usize::from(NO_PROCESS), frame }, edge).map_err(failure_code)?;
    c.set_location(frame, edge.to);
    if monitor::ends(model, edge.to) {
        c.note(FailureKind::ClaimEnd);
    }
    Ok(MonitorStep { failure: c.soft.map(failure_code), is_atomic: edge.atomic })
}

/// Takes a receive from `STDIN`: every field gets the value.
pub(crate) fn apply_input(
    model: &Model,
    state: &[u8],
    mv: &Move,
    value: i32,
    out: &mut Vec<u8>,
    log: Option<&mut Vec<Entry>>,
) -> Step {
    out.clear();
    out.extend_from_slice(state);
    let mut list = Vec::new();
    frames(model, state, &mut list);
    let mut c = Change { model, bytes: out, frames: list, timeout: false, soft: None, log };
    let edge = model.edge(EdgeId(mv.edge));
    let Action::Receive(r) = &edge.action else { unreachable!("only receives read input") };
    let who = c.view().who(usize::from(mv.process));
    match c.bind(who, &r.fields, &vec![value; r.fields.len()]) {
        Ok(()) => {
            c.set_last(who.pid);
            c.set_location(who.frame, edge.to);
            let control = if edge.atomic { Control::Exclusive(mv.process) } else { Control::Free };
            Step { control, failure: None, proceeds: true }
        }
        Err(kind) => {
            let failure = Failure { code: failure_code(kind), edge: mv.edge, process: mv.process };
            Step { control: Control::Free, failure: Some(failure), proceeds: false }
        }
    }
}

impl Change<'_> {
    pub(crate) fn view(&self) -> View<'_> {
        View { model: self.model, bytes: self.bytes, frames: &self.frames, timeout: self.timeout }
    }

    fn eval(&self, who: Who, e: &Expr) -> Result<i32, FailureKind> {
        self.view().eval(who, e)
    }

    fn store(&mut self, who: Who, place: &Place, value: i32) -> Result<(), FailureKind> {
        let at = self.view().address(who, place)?;
        write(self.bytes, at, place.scalar, value);
        if place.scalar.cut(value) != value {
            self.tell(|| Entry::Cut { value, scalar: place.scalar });
        }
        Ok(())
    }

    /// Puts something on record, if a record is kept.
    pub(crate) fn tell(&mut self, what: impl FnOnce() -> Entry) {
        if let Some(log) = self.log.as_deref_mut() {
            log.push(what());
        }
    }

    pub(crate) fn note(&mut self, kind: FailureKind) {
        self.soft.get_or_insert(kind);
    }

    fn start(&mut self) -> Result<(), FailureKind> {
        let no_process = Who { pid: usize::from(NO_PROCESS), frame: 0 };
        for (place, init) in &self.model.init {
            let value = match init {
                Init::Value(e) => self.eval(no_process, e)?,
                Init::Channel(n) => *n as i32 + 1,
            };
            self.store(no_process, place, value)?;
        }
        if self.model.channels.len() > 255 {
            return Err(FailureKind::TooManyChannels);
        }
        let size = self.model.layout.location_size;
        if let Some(at) = self.model.layout.trace {
            write_location(self.bytes, at, size, trace::entry(self.model));
        }
        if let Some((claim, at)) = self.model.layout.claim {
            let p = self.model.process(claim);
            write_location(self.bytes, at, size, p.entry);
            let who = Who { pid: usize::from(NO_PROCESS), frame: at };
            for (place, init) in &p.init {
                if let Init::Value(e) = init {
                    let value = self.eval(who, e)?;
                    self.store(who, place, value)?;
                }
            }
        }
        for &p in &self.model.start {
            self.birth(p, &[], self.model.process(p).priority)?;
        }
        Ok(())
    }

    /// Starts a process and returns its number.
    fn birth(&mut self, id: ProcessId, args: &[i32], priority: u8) -> Result<usize, FailureKind> {
        let p = self.model.process(id);
        let pid = self.frames.len();
        if pid >= PROCESS_MAX {
            return Err(FailureKind::TooManyProcesses);
        }
        let channels_before = self.view().channel_count();
        if channels_before + p.channels.len() > 255 {
            return Err(FailureKind::TooManyChannels);
        }
        let frame = self.bytes.len() as u32;
        self.bytes.resize(self.bytes.len() + p.frame_size as usize, 0);
        self.frames.push(frame);
        let size = self.model.layout.location_size;
        write_location(self.bytes, frame, size, p.entry);
        if self.model.uses.priority {
            self.bytes[(frame + size) as usize] = priority;
        }
        let who = Who { pid, frame };
        for (place, value) in p.params.iter().zip(args) {
            self.store(who, place, *value)?;
        }
        for (place, init) in &p.init {
            let value = match init {
                Init::Value(e) => self.eval(who, e)?,
                Init::Channel(n) => (channels_before + *n as usize + 1) as i32,
            };
            self.store(who, place, value)?;
        }
        self.tell(|| Entry::Started(pid));
        Ok(pid)
    }

    fn set_location(&mut self, frame: u32, to: LocationId) {
        write_location(self.bytes, frame, self.model.layout.location_size, to);
    }

    fn set_last(&mut self, pid: usize) {
        if let Some(at) = self.model.layout.last {
            self.bytes[at as usize] = pid as u8;
        }
    }

    fn take(&mut self, mv: &Move) -> Result<Control, FailureKind> {
        let edge = self.model.edge(EdgeId(mv.edge));
        let pid = usize::from(mv.process);
        if mv.partner != NO_PROCESS {
            return self.handshake(pid, edge, usize::from(mv.partner), self.model.edge(EdgeId(mv.partner_edge)));
        }
        let who = self.view().who(pid);
        self.execute(who, edge)?;
        self.set_last(pid);
        if matches!(edge.action, Action::End) {
            return Ok(Control::Free);
        }
        self.set_location(who.frame, edge.to);
        Ok(if edge.atomic { Control::Exclusive(mv.process) } else { Control::Free })
    }

    fn handshake(&mut self, pid: usize, send: &Edge, partner: usize, receive: &Edge) -> Result<Control, FailureKind> {
        let (Action::Send { channel, fields, .. }, Action::Receive(r)) = (&send.action, &receive.action) else {
            unreachable!("a handshake is a send and a receive");
        };
        let who = self.view().who(pid);
        self.watch(who, &send.action);
        self.watch(self.view().who(partner), &receive.action);
        let number = self.eval(who, channel)?;
        let (channel, _) = self.view().channel(number)?;
        let channel: Channel = channel.clone();
        let message = self.message(who, &channel, fields)?;
        self.set_location(who.frame, send.to);
        self.arity(r.fields.len(), &channel);
        let other = self.view().who(partner);
        self.bind(other, &r.fields, &message)?;
        self.set_location(other.frame, receive.to);
        self.set_last(partner);
        trace::event(self, number, true, &message);
        trace::event(self, number, false, &message);
        Ok(if receive.atomic { Control::Exclusive(partner as u8) } else { Control::Free })
    }

    /// The values of a message, cut to the fields of the channel.
    fn message(&mut self, who: Who, channel: &Channel, fields: &[Expr]) -> Result<Vec<i32>, FailureKind> {
        self.arity(fields.len(), channel);
        let mut message = Vec::with_capacity(channel.fields.len());
        for (i, (scalar, _)) in channel.fields.iter().enumerate() {
            message.push(scalar.cut(fields.get(i).map_or(Ok(0), |e| self.eval(who, e))?));
        }
        Ok(message)
    }

    fn arity(&mut self, given: usize, channel: &Channel) {
        if given != channel.fields.len() {
            let expected = channel.fields.len().min(255) as u8;
            self.note(FailureKind::MessageArity { given: given.min(255) as u8, expected });
        }
    }

    fn bind(&mut self, who: Who, fields: &[Pattern], message: &[i32]) -> Result<(), FailureKind> {
        for (f, value) in fields.iter().zip(message) {
            if let Pattern::Bind(place) = f {
                self.store(who, place, *value)?;
            }
        }
        Ok(())
    }

    fn execute(&mut self, who: Who, edge: &Edge) -> Result<(), FailureKind> {
        self.act(who, &edge.action)?;
        edge.then.iter().try_for_each(|a| self.act(who, a))
    }

    /// Takes note of a use of what another process has claimed.
    fn watch(&mut self, who: Who, action: &Action) {
        if !self.model.uses.exclusive {
            return;
        }
        let view = self.view();
        let mut broken = None;
        channel_uses(action, &mut |channel, ends| {
            // What cannot be evaluated fails without our help.
            let Ok(number) = view.eval(who, channel) else { return };
            for pid in (0..view.process_count()).filter(|pid| *pid != who.pid) {
                let claims = &view.model.process(view.process(pid)).exclusive;
                let is_claim = |c: &&Exclusive| {
                    ends.are_claimed_by(c) && number > 0 && view.eval(view.who(pid), &c.channel) == Ok(number)
                };
                broken = broken.or(claims.iter().find(is_claim).map(|c| c.receives));
            }
        });
        if let Some(receives) = broken {
            self.note(FailureKind::Exclusive { receives });
        }
    }

    fn act(&mut self, who: Who, action: &Action) -> Result<(), FailureKind> {
        self.watch(who, action);
        match action {
            Action::Guard(_) | Action::Skip | Action::Else => {}
            Action::Assign(place, e) => {
                let value = self.eval(who, e)?;
                self.store(who, place, value)?;
            }
            Action::Send { channel, sorted, fields } => {
                let number = self.eval(who, channel)?;
                self.send(who, number, *sorted, fields)?;
            }
            Action::Receive(r) => {
                let number = self.eval(who, &r.channel)?;
                self.receive(who, number, r)?;
            }
            Action::Assert(e) => {
                if self.eval(who, e)? == 0 {
                    self.note(FailureKind::Assertion);
                }
            }
            Action::Print { format, args, mtype } => {
                let mut values = Vec::with_capacity(args.len());
                for a in args {
                    values.push(self.eval(who, a)?);
                }
                if self.log.is_some() {
                    let list = |a: &Expr| mtype.or_else(|| describe::mtype_list(&self.view(), who, a));
                    let values: Vec<_> = values.into_iter().zip(args.iter().map(list)).collect();
                    let text = crate::print(self.model, format, &values);
                    self.tell(|| Entry::Printed(text));
                }
            }
            Action::Run { process, args, priority, target } => {
                let mut values = Vec::with_capacity(args.len());
                for a in args {
                    values.push(self.eval(who, a)?);
                }
                let priority = if *priority == 0 { 1 } else { *priority };
                let pid = self.birth(*process, &values, priority)?;
                if let Some(place) = target {
                    self.store(who, place, pid as i32)?;
                }
            }
            Action::SetPriority(p, n) => {
                let (p, n) = (self.eval(who, p)?, self.eval(who, n)?);
                if let Some(&frame) = usize::try_from(p).ok().and_then(|p| self.frames.get(p)) {
                    self.bytes[(frame + self.model.layout.location_size) as usize] = n as u8;
                }
            }
            Action::End => {
                self.bytes.truncate(who.frame as usize);
                self.frames.pop();
                self.tell(|| Entry::Ended(who.pid));
            }
            Action::DStep(entry) => self.d_step(who, *entry)?,
            Action::Call(c) => self.call(who, c)?,
            Action::Foreign => return Err(FailureKind::Foreign),
        }
        Ok(())
    }

    /// Runs foreign code.
    fn call(&mut self, who: Who, c: &Call) -> Result<(), FailureKind> {
        let code = self.model.code.as_ref().ok_or(FailureKind::Foreign)?;
        let args = self.view().values(who, &c.args)?;
        let mut text = Vec::new();
        let (fixed, frame) = self.bytes.split_at_mut(who.frame as usize);
        let printed = self.log.is_some().then_some(&mut text);
        let done = code.execute(c.code, &mut Site { fixed, frame, args: &args, printed });
        if !text.is_empty() {
            self.tell(|| Entry::Printed(String::from_utf8_lossy(&text).into_owned()));
        }
        match done {
            Done::Fine => Ok(()),
            Done::Noted(number) => {
                self.note(FailureKind::Called(number));
                Ok(())
            }
            Done::Failed(number) => Err(FailureKind::Called(number)),
        }
    }

    fn d_step(&mut self, who: Who, entry: LocationId) -> Result<(), FailureKind> {
        let mut at = entry;
        for _ in 0..D_STEP_MAX {
            let mut taken = None;
            for &id in &self.model.location(at).edges {
                let edge = self.model.edge(id);
                let can = match &edge.action {
                    Action::Else => Executable::Alone,
                    action => executable(&self.view(), who, action)?,
                };
                match can {
                    Executable::No => {}
                    Executable::Alone => {
                        taken = Some(edge);
                        break;
                    }
                    Executable::WithPartner => return Err(FailureKind::RendezvousInDStep),
                }
            }
            let edge = taken.ok_or(FailureKind::BlockedDStep)?;
            self.execute(who, edge)?;
            if edge.to == LocationId::EXIT {
                return Ok(());
            }
            at = edge.to;
        }
        Err(FailureKind::EndlessDStep)
    }

    fn send(&mut self, who: Who, number: i32, sorted: bool, fields: &[Expr]) -> Result<(), FailureKind> {
        let (channel, at) = self.view().channel(number)?;
        let channel = channel.clone();
        // The place in a sorted channel is found with the values before they are cut, as SPIN does it.
        let mut key = Vec::with_capacity(channel.fields.len());
        for i in 0..channel.fields.len() {
            key.push(fields.get(i).map_or(Ok(0), |e| self.eval(who, e))?);
        }
        let message = self.message(who, &channel, fields)?;
        let len = self.view().len(&channel, at);
        let mut slot = len;
        if sorted {
            let greater = |m: &u32| {
                let stored = (0..channel.fields.len()).map(|f| self.view().field(&channel, at, *m, f));
                stored.gt(key.iter().copied())
            };
            slot = (0..len).find(greater).unwrap_or(len);
        }
        let size = channel.message_size();
        let first = at + channel.length_scalar().size();
        let (from, to) = ((first + slot * size) as usize, (first + len * size) as usize);
        self.bytes.copy_within(from..to, from + size as usize);
        let mut field_at = first + slot * size;
        for ((scalar, _), value) in channel.fields.iter().zip(&message) {
            write(self.bytes, field_at, *scalar, *value);
            field_at += scalar.size();
        }
        write(self.bytes, at, channel.length_scalar(), len as i32 + 1);
        trace::event(self, number, true, &message);
        Ok(())
    }

    fn receive(&mut self, who: Who, number: i32, r: &ferrospin_model::ir::Receive) -> Result<(), FailureKind> {
        let (channel, at) = self.view().channel(number)?;
        let channel = channel.clone();
        let slot = self.view().matching(who, r, &channel, at)?.expect("executable");
        let message: Vec<i32> = (0..channel.fields.len()).map(|f| self.view().field(&channel, at, slot, f)).collect();
        self.arity(r.fields.len(), &channel);
        if !r.copy {
            let size = channel.message_size();
            let len = read(self.bytes, at, channel.length_scalar()) as u32;
            let first = at + channel.length_scalar().size();
            let (from, to) = ((first + (slot + 1) * size) as usize, (first + len * size) as usize);
            self.bytes.copy_within(from..to, from - size as usize);
            // Free slots are zero, so that equal contents are equal bytes.
            self.bytes[to - size as usize..to].fill(0);
            write(self.bytes, at, channel.length_scalar(), len as i32 - 1);
        }
        self.bind(who, &r.fields, &message)?;
        trace::event(self, number, false, &message);
        Ok(())
    }
}
