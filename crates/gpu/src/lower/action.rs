//! Statements: what they need to be executed, and what they do.

use super::value::Element;
use super::{Lower, Made, Val, Who};
use crate::code::{Arg, Cond, Label, Math, Relation, Type};
use crate::layout::{FieldId, Home};
use crate::places;
use ferrospin_model::ir::{Action, ChannelTest, Expr, Init, LocationId, Place, ProcessId};
use rustc_hash::FxHashMap;

/// How many statements a `d_step` may take before it counts as endless; the interpreter's number.
const D_STEP_MAX: u32 = 1_000_000;

impl Lower<'_, '_> {
    /// Whether an action can be executed by its process alone; `else`, ends and `d_step`s are tested by the caller.
    pub(crate) fn executable(&mut self, who: Who, action: &Action) -> Made<Cond> {
        match action {
            Action::Guard(e) => self.cond(who, e),
            Action::Send { channel, .. } => self.one_of_channels(who, channel, &mut |me, c| {
                // A rendezvous needs a partner; that is another round.
                let buffered = me.layout.channels[c].decl.capacity > 0;
                Ok(if buffered { me.test_length(ChannelTest::NotFull, c) } else { Cond::Known(false) })
            }),
            Action::Receive(r) => self.one_of_channels(who, &r.channel, &mut |me, c| {
                let buffered = me.layout.channels[c].decl.capacity > 0;
                if buffered { me.matching(who, r, c).map(|m| m.0) } else { Ok(Cond::Known(false)) }
            }),
            _ => Ok(Cond::Known(true)),
        }
    }

    /// Whether a process is the youngest, which alone may end.
    pub(crate) fn may_end(&mut self, who: Who) -> Cond {
        !self.is_present(who.slot + 1)
    }

    /// Puts a process at a location.
    pub(crate) fn set_location(&mut self, slot: usize, to: LocationId) {
        let s = self.slot(slot);
        match s.codes.get(&to) {
            Some(code) => self.put(s.location, &Element::At(0), (*code).into()),
            None => self.overflow(Cond::Known(true), s.location),
        }
    }

    /// Does an action, on the successor.
    pub(crate) fn act(&mut self, who: Who, action: &Action) -> Made<()> {
        match action {
            Action::Guard(_) | Action::Skip | Action::Else => Ok(()),
            Action::Assign(place, e) => {
                let value = self.eval(who, e)?;
                let (id, element) = self.target_of(who, place)?;
                let value = self.cut(place.scalar, value);
                self.store(id, &element, value);
                Ok(())
            }
            Action::Send { channel, sorted, fields } => self.with_channel(who, channel, &mut |me, c| {
                if me.layout.channels[c].decl.capacity == 0 {
                    // Not executable: this is never reached.
                    me.fail_now();
                    return Ok(());
                }
                me.send(who, c, *sorted, fields)
            }),
            Action::Receive(r) => self.with_channel(who, &r.channel, &mut |me, c| {
                if me.layout.channels[c].decl.capacity == 0 {
                    me.fail_now();
                    return Ok(());
                }
                me.receive(who, r, c)
            }),
            Action::Assert(e) => {
                let holds = self.cond(who, e)?;
                if self.checks.assertions && holds != Cond::Known(true) {
                    let failed = self.b.either(!holds, Cond::When(self.soft, true));
                    let failed = self.b.flag(failed);
                    self.b.set(self.soft, failed);
                }
                Ok(())
            }
            Action::Print { args, .. } => args.iter().try_for_each(|e| self.eval(who, e).map(|_| ())),
            Action::Run { process, args, target, .. } => self.birth(who, *process, args, target.as_ref()),
            Action::End => {
                self.end(who);
                Ok(())
            }
            Action::DStep(_) => self.refuse("a `d_step` inside another step"),
            Action::SetPriority(..) => self.refuse("`set_priority`"),
            Action::Call(_) | Action::Foreign => self.refuse("embedded C"),
        }
    }

    /// The process is gone: its fields are 0.
    fn end(&mut self, who: Who) {
        let slot = self.slot(who.slot);
        if !slot.absent {
            self.overflow(Cond::Known(true), slot.location);
            return;
        }
        let mut clear: FxHashMap<usize, u32> = FxHashMap::default();
        for id in slot.fields.clone() {
            let f = &self.layout.fields[id];
            for element in 0..if f.bits == 0 { 0 } else { f.count } {
                let (word, shift) = f.place(element);
                *clear.entry(word).or_default() |= f.mask() << shift;
            }
        }
        let mut words: Vec<_> = clear.into_iter().collect();
        words.sort_unstable();
        for (word, mask) in words {
            let to = self.target[word];
            let rest = self.b.word(Math::And, to, !mask);
            self.b.set(to, rest);
        }
    }

    /// Starts a process.
    fn birth(&mut self, who: Who, process: ProcessId, args: &[Expr], target: Option<&Place>) -> Made<()> {
        let mut values = Vec::new();
        for e in args {
            let v = self.eval(who, e)?;
            // The registers of the state change below.
            let v = match v.arg {
                Arg::Const(_) => v,
                Arg::Reg(_) => Val { arg: self.b.copy(Type::Word, v.arg).into(), ..v },
            };
            values.push(v);
        }
        let count = self.process_count();
        let count = Val { arg: self.b.copy(Type::Word, count.arg).into(), ..count };
        let number = count.known();
        let end = self.b.label();
        let mut missing = who.slot;
        for slot in 0..self.layout.slots.len() {
            if !self.slot(slot).absent || number.is_some_and(|n| n != slot as i32) {
                continue;
            }
            missing = slot;
            let Some(frame) = self.slot(slot).frames.iter().position(|f| f.process == process) else { continue };
            let next = self.b.label();
            let other = self.b.compare(Relation::Ne, false, count.arg, slot as u32);
            self.b.jump_if(other, next);
            self.born(Who { slot, frame }, &values)?;
            self.b.jump(end);
            self.b.place(next);
        }
        // There is no place for it: the layout must learn of a process more.
        let field = self.slot(missing).location;
        self.overflow(Cond::Known(true), field);
        self.b.place(end);
        if let Some(place) = target {
            let (id, element) = self.target_of(who, place)?;
            let value = self.cut(place.scalar, count);
            self.store(id, &element, value);
        }
        Ok(())
    }

    /// Gives a new process its values. Initial values may read what was set before them.
    fn born(&mut self, child: Who, args: &[Val]) -> Made<()> {
        let layout = self.layout;
        let p = layout.model.process(self.process(child));
        self.set_location(child.slot, p.entry);
        let homes = &self.frame(child).locals;
        let mut set: Vec<(FieldId, u32)> = Vec::new();
        let put = |me: &mut Self, place: &Place, value: Val, set: &mut Vec<(FieldId, u32)>| -> Made<()> {
            let (id, element) = me.target_of(child, place)?;
            let value = me.cut(place.scalar, value);
            me.store(id, &element, value);
            match element {
                Element::At(i) => set.push((id, i)),
                Element::Computed(_) => return me.refuse("an initial value at a computed index"),
            }
            Ok(())
        };
        for (place, value) in p.params.iter().zip(args) {
            put(self, place, *value, &mut set)?;
        }
        // What nothing sets is 0, whatever its field makes of no bits.
        let zero = |me: &mut Self, set: &[(FieldId, u32)]| {
            for home in homes {
                let all: Vec<(FieldId, u32)> = match home {
                    Home::Constant(_) => Vec::new(),
                    Home::Split(ids) => ids.iter().map(|id| (*id, 0)).collect(),
                    Home::Array(id) => (0..layout.fields[*id].count).map(|i| (*id, i)).collect(),
                };
                for (id, i) in all.into_iter().filter(|e| !set.contains(e)) {
                    let f = &layout.fields[id];
                    match f.raw(0) {
                        Some(0) => {}
                        Some(raw) => me.put(id, &Element::At(i), raw.into()),
                        None => me.overflow(Cond::Known(true), id),
                    }
                }
            }
        };
        let mut later = set.clone();
        for (place, _) in &p.init {
            if let Some(e) = places::element(layout.model, self.process(child), place) {
                match &homes[e.var.leaf] {
                    Home::Array(id) => later.push((*id, e.first)),
                    Home::Split(ids) => later.push((ids[e.first as usize], 0)),
                    Home::Constant(_) => {}
                }
            }
        }
        zero(self, &later);
        for (place, init) in &p.init {
            let value = match init {
                Init::Value(e) => self.eval(child, e)?,
                Init::Channel(n) => Val::constant(self.slot(child.slot).first_channel + *n as i32),
            };
            put(self, place, value, &mut set)?;
        }
        Ok(())
    }

    /// A `d_step`: from its entry to its exit on the successor. What is found wrong before the first statement counts as
    /// found while looking; `began` is told when that is over. Goes to `blocked` if the first statement cannot be executed.
    pub(crate) fn d_step(
        &mut self,
        who: Who,
        entry: LocationId,
        blocked: Label,
        failing: Label,
        began: &mut dyn FnMut(&mut Self),
    ) -> Made<()> {
        let model = self.layout.model;
        let exit = self.b.label();
        let mut labels: FxHashMap<LocationId, Label> = FxHashMap::default();
        let mut list = vec![entry];
        // Only what can be come back to can go on for ever.
        let steps = self.loops(entry).then(|| self.b.copy(Type::Word, 0));
        let looking = self.fail;
        let mut first = true;
        let mut made = 0;
        while made < list.len() {
            let at = list[made];
            made += 1;
            if !first {
                let label = *labels.entry(at).or_insert_with(|| self.b.label());
                self.b.place(label);
                if let Some(steps) = steps {
                    let more = self.b.word(Math::Add, steps, 1);
                    self.b.set(steps, more);
                    let endless = self.b.compare(Relation::Ge, false, steps, D_STEP_MAX);
                    self.b.jump_if(endless, failing);
                }
            }
            self.fail = if first { looking } else { failing };
            let mut open = true;
            for id in &model.location(at).edges {
                let edge = model.edge(*id);
                let next = self.b.label();
                self.fail = if first { looking } else { failing };
                if let Action::Send { channel, .. } = &edge.action {
                    // A handshake inside is an error.
                    self.with_channel(who, channel, &mut |me, c| {
                        if me.layout.channels[c].decl.capacity == 0 {
                            me.fail_now();
                        }
                        Ok(())
                    })?;
                }
                let can = match edge.action {
                    Action::Else => Cond::Known(true),
                    _ => self.executable(who, &edge.action)?,
                };
                self.b.jump_if(!can, next);
                if first {
                    began(self);
                }
                self.fail = failing;
                std::iter::once(&edge.action).chain(&edge.then).try_for_each(|a| self.act(who, a))?;
                if edge.to == LocationId::EXIT {
                    self.b.jump(exit);
                } else {
                    let label = *labels.entry(edge.to).or_insert_with(|| self.b.label());
                    self.b.jump(label);
                    if !list[1..].contains(&edge.to) {
                        list.push(edge.to);
                    }
                }
                self.b.place(next);
                if can == Cond::Known(true) {
                    open = false;
                    break;
                }
            }
            if open {
                self.b.jump(if first { blocked } else { failing });
            } else {
                // The label in front is not reached; something must stand behind it.
                self.b.jump(failing);
            }
            first = false;
        }
        self.b.place(exit);
        self.fail = failing;
        Ok(())
    }

    /// Whether a `d_step` can come back to a location.
    fn loops(&self, entry: LocationId) -> bool {
        fn visit(
            model: &ferrospin_model::ir::Model,
            at: LocationId,
            path: &mut Vec<LocationId>,
            done: &mut Vec<LocationId>,
        ) -> bool {
            if at == LocationId::EXIT || done.contains(&at) {
                return false;
            }
            if path.contains(&at) {
                return true;
            }
            path.push(at);
            let found = model.location(at).edges.iter().any(|e| visit(model, model.edge(*e).to, path, done));
            path.pop();
            done.push(at);
            found
        }
        visit(self.layout.model, entry, &mut Vec::new(), &mut Vec::new())
    }
}
