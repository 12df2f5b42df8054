//! Channels: which one is meant, tests, messages in and out.

use super::value::Element;
use super::{Lower, Made, Val, Who};
use crate::code::{Arg, Cond, Math, Relation, Type};
use ferrospin_model::ir::{ChannelTest, Expr, Pattern, Receive};

impl Lower<'_, '_> {
    /// Makes code for every channel that a number may mean; goes to the failures where it means none. The code says its
    /// results in registers.
    pub(crate) fn with_channel(
        &mut self,
        who: Who,
        number: &Expr,
        code: &mut dyn FnMut(&mut Self, usize) -> Made<()>,
    ) -> Made<()> {
        let number = self.eval(who, number)?;
        let count = self.layout.channels.len() as i64;
        let candidates: Vec<i64> = (number.range.0.max(1)..=number.range.1.min(count)).collect();
        if let Some(v) = number.known() {
            if candidates.is_empty() {
                // The code behind is never reached, but it reads registers that nothing has set: so it is not made.
                let _ = v;
                self.fail_now();
                return Ok(());
            }
            return self.alive(candidates[0] as usize - 1, code);
        }
        let end = self.b.label();
        for v in &candidates {
            let next = self.b.label();
            let is = self.b.compare(Relation::Ne, false, number.arg, *v as u32);
            self.b.jump_if(is, next);
            self.alive(*v as usize - 1, code)?;
            self.b.jump(end);
            self.b.place(next);
        }
        self.fail_now();
        self.b.place(end);
        Ok(())
    }

    /// The same for one channel, which may live with a process.
    fn alive(&mut self, channel: usize, code: &mut dyn FnMut(&mut Self, usize) -> Made<()>) -> Made<()> {
        if let Some(slot) = self.layout.channels[channel].slot {
            let is = self.is_present(slot);
            self.b.jump_if(!is, self.fail);
            if is == Cond::Known(false) {
                return Ok(());
            }
        }
        code(self, channel)
    }

    fn capacity(&self, channel: usize) -> u32 {
        self.layout.channels[channel].decl.capacity
    }

    /// How many messages a channel holds.
    pub(crate) fn length(&mut self, channel: usize) -> Val {
        if self.capacity(channel) == 0 {
            return Val::constant(0);
        }
        self.get(self.layout.channels[channel].length, 0)
    }

    pub(crate) fn length_of(&mut self, who: Who, number: &Expr) -> Made<Val> {
        let result = self.b.reg(Type::Word);
        let mut high = 0;
        self.with_channel(who, number, &mut |me, channel| {
            high = high.max(i64::from(me.capacity(channel)));
            let len = me.length(channel);
            me.b.set(result, len.arg);
            Ok(())
        })?;
        Ok(Val { arg: result.into(), range: (0, high) })
    }

    /// A test of the number of messages of a channel.
    pub(crate) fn test_length(&mut self, test: ChannelTest, channel: usize) -> Cond {
        let capacity = self.capacity(channel);
        if capacity == 0 {
            return Cond::Known(matches!(test, ChannelTest::NotFull | ChannelTest::Empty));
        }
        let len = self.length(channel);
        match test {
            ChannelTest::Full => self.b.compare(Relation::Ge, false, len.arg, capacity),
            ChannelTest::NotFull => self.b.compare(Relation::Lt, false, len.arg, capacity),
            ChannelTest::Empty => self.b.compare(Relation::Eq, false, len.arg, 0),
            ChannelTest::NotEmpty | ChannelTest::Len => self.b.compare(Relation::Ne, false, len.arg, 0),
        }
    }

    pub(crate) fn test_channel(&mut self, who: Who, test: ChannelTest, number: &Expr) -> Made<Cond> {
        self.one_of_channels(who, number, &mut |me, channel| Ok(me.test_length(test, channel)))
    }

    /// A condition that depends on which channel is meant.
    pub(crate) fn one_of_channels(
        &mut self,
        who: Who,
        number: &Expr,
        test: &mut dyn FnMut(&mut Self, usize) -> Made<Cond>,
    ) -> Made<Cond> {
        let mut all = Vec::new();
        let result = self.b.reg(Type::Flag);
        let mark = self.b.mark();
        self.with_channel(who, number, &mut |me, channel| {
            let c = test(me, channel)?;
            all.push(c);
            let flag = me.b.flag(c);
            me.b.set(result, flag);
            Ok(())
        })?;
        match all[..] {
            // Where there was no choice the condition itself can be told.
            [only] if !self.b.branches_since(mark) => Ok(only),
            [] => Ok(Cond::Known(false)),
            _ => Ok(Cond::When(result, true)),
        }
    }

    pub(crate) fn poll(&mut self, who: Who, r: &Receive) -> Made<Cond> {
        self.one_of_channels(who, &r.channel, &mut |me, channel| {
            if me.capacity(channel) == 0 {
                me.fail_now();
                return Ok(Cond::Known(false));
            }
            me.matching(who, r, channel).map(|m| m.0)
        })
    }

    /// Whether a message of a channel matches, and which.
    pub(crate) fn matching(&mut self, who: Who, r: &Receive, channel: usize) -> Made<(Cond, Val)> {
        let fields = self.layout.channels[channel].fields.clone();
        let filled = self.test_length(ChannelTest::NotEmpty, channel);
        if !r.random {
            let mut all = filled;
            for (pattern, field) in r.fields.iter().zip(fields) {
                if let Pattern::Match(e) = pattern {
                    all = self.and_then(all, |me| {
                        let wanted = me.eval(who, e)?;
                        let there = me.get(field, 0);
                        Ok(me.b.compare(Relation::Eq, false, wanted.arg, there.arg))
                    })?;
                }
            }
            return Ok((all, Val::constant(0)));
        }
        let wanted: Vec<_> = r
            .fields
            .iter()
            .zip(fields)
            .filter_map(|(p, f)| if let Pattern::Match(e) = p { Some((e, f)) } else { None })
            .collect();
        let (found, which) = (self.b.reg(Type::Flag), self.b.reg(Type::Word));
        self.b.set(found, 0);
        self.b.set(which, 0);
        let end = self.b.label();
        // Nothing is evaluated where there is no message.
        self.b.jump_if(!filled, end);
        let mut values = Vec::new();
        let mark = self.b.mark();
        for (e, f) in &wanted {
            values.push((self.eval(who, e)?, *f));
        }
        if wanted.len() > 1 && self.b.branches_since(mark) {
            return self.refuse("a random receive with several fields of which one may fail");
        }
        let len = self.length(channel);
        for message in (0..self.capacity(channel)).rev() {
            let mut all = self.b.compare(Relation::Gt, false, len.arg, message);
            for (value, field) in &values {
                let there = self.get(*field, message);
                let same = self.b.compare(Relation::Eq, false, value.arg, there.arg);
                all = self.b.both(all, same);
            }
            let all = self.b.flag(all);
            let new = self.b.select(Type::Word, Cond::When(all, true), message, which);
            self.b.set(which, new);
            let flag = self.b.either(Cond::When(found, true), Cond::When(all, true));
            let flag = self.b.flag(flag);
            self.b.set(found, flag);
        }
        self.b.place(end);
        let range = (0, i64::from(self.capacity(channel)) - 1);
        Ok((Cond::When(found, true), Val { arg: which.into(), range }))
    }

    /// The values of a message, before and after they are cut to the fields of the channel.
    pub(crate) fn message(&mut self, who: Who, fields: &[Expr], channel: usize) -> Made<Vec<(Val, Val)>> {
        let decl = self.layout.channels[channel].decl;
        let mut list = Vec::new();
        for (i, (scalar, _)) in decl.fields.iter().enumerate() {
            let value = match fields.get(i) {
                Some(e) => self.eval(who, e)?,
                None => Val::constant(0),
            };
            let cut = self.cut(*scalar, value);
            list.push((value, cut));
        }
        Ok(list)
    }

    /// Puts a message into a channel that has room.
    pub(crate) fn send(&mut self, who: Who, channel: usize, sorted: bool, fields: &[Expr]) -> Made<()> {
        let chan = self.layout.channels[channel].clone();
        if fields.len() != chan.decl.fields.len() {
            self.b.set(self.soft, 1);
        }
        let values = self.message(who, fields, channel)?;
        let len = self.length(channel);
        let capacity = chan.decl.capacity;
        let mut slot = len;
        if sorted {
            let at = self.b.copy(Type::Word, len.arg);
            for message in (0..capacity).rev() {
                // Lexicographically greater, with the values before they are cut, as SPIN does it.
                let mut greater = Cond::Known(false);
                for ((value, _), field) in values.iter().zip(&chan.fields).rev() {
                    let there = self.get(*field, message);
                    let more = self.b.compare(Relation::Gt, true, there.arg, value.arg);
                    let same = self.b.compare(Relation::Eq, false, there.arg, value.arg);
                    let rest = self.b.both(same, greater);
                    greater = self.b.either(more, rest);
                }
                let is = self.b.compare(Relation::Gt, false, len.arg, message);
                let is = self.b.both(is, greater);
                let new = self.b.select(Type::Word, is, message, at);
                self.b.set(at, new);
            }
            slot.arg = at.into();
            for message in (1..capacity).rev() {
                // What stands behind makes room.
                let behind = self.b.compare(Relation::Lt, false, at, message);
                let filled = self.b.compare(Relation::Ge, false, len.arg, message);
                let moves = self.b.both(behind, filled);
                for field in &chan.fields {
                    let before = self.raw(*field, &Element::At(message - 1));
                    let here = self.raw(*field, &Element::At(message));
                    let new = self.b.select(Type::Word, moves, before, here);
                    self.put(*field, &Element::At(message), new);
                }
            }
        }
        let at = if capacity == 1 { Element::At(0) } else { self.element(slot) };
        for ((_, value), field) in values.iter().zip(&chan.fields) {
            self.store(*field, &at, *value);
        }
        let more = self.b.word(Math::Add, len.arg, 1);
        let more = Val { arg: more, range: (1, i64::from(capacity)) };
        self.store(chan.length, &Element::At(0), more);
        Ok(())
    }

    fn element(&self, at: Val) -> Element {
        match at.known() {
            Some(i) => Element::At(i as u32),
            None => Element::Computed(at),
        }
    }

    /// Takes a message out of a channel that has one that matches.
    pub(crate) fn receive(&mut self, who: Who, r: &Receive, channel: usize) -> Made<()> {
        let chan = self.layout.channels[channel].clone();
        let (_, which) = if r.random { self.matching(who, r, channel)? } else { (Cond::Known(true), Val::constant(0)) };
        let which = if chan.decl.capacity == 1 { Val::constant(0) } else { which };
        let at = self.element(which);
        let mut values = Vec::new();
        for (i, field) in chan.fields.iter().enumerate() {
            let binds = matches!(r.fields.get(i), Some(Pattern::Bind(_)));
            values.push(if binds { self.get_at(*field, &at) } else { Val::constant(0) });
        }
        if r.fields.len() != chan.decl.fields.len() {
            self.b.set(self.soft, 1);
        }
        if !r.copy {
            for field in &chan.fields {
                self.shift(*field, which);
            }
            let len = self.length(channel);
            let less = self.b.word(Math::Sub, len.arg, 1);
            let less = Val { arg: less, range: (0, i64::from(chan.decl.capacity) - 1) };
            self.store(chan.length, &Element::At(0), less);
        }
        self.bind(who, r, &values)
    }

    fn get_at(&mut self, field: usize, at: &Element) -> Val {
        match at {
            Element::At(i) => self.get(field, *i),
            Element::Computed(v) => self.get(field, Element::Computed(*v)),
        }
    }

    /// Stores the values of a message.
    pub(crate) fn bind(&mut self, who: Who, r: &Receive, values: &[Val]) -> Made<()> {
        for (pattern, value) in r.fields.iter().zip(values) {
            if let Pattern::Bind(place) = pattern {
                let (id, element) = self.target_of(who, place)?;
                let value = self.cut(place.scalar, *value);
                self.store(id, &element, value);
            }
        }
        Ok(())
    }

    /// Takes an element out of a field: those behind it move up, and the last is 0.
    fn shift(&mut self, id: usize, which: Val) {
        let f = self.layout.fields[id].clone();
        if f.bits == 0 {
            return;
        }
        if which.known() == Some(0) && f.words() == 1 && f.bits < 32 {
            // All elements of a word move at once.
            let total = f.bits * f.count;
            let mask = if total == 32 { u32::MAX } else { (1 << total) - 1 };
            let word = self.state()[f.word];
            let all = self.b.word(Math::Shr, word, f.shift);
            let all = self.b.word(Math::And, all, mask);
            let rest = self.b.word(Math::Shr, all, f.bits);
            let rest = self.b.word(Math::Shl, rest, f.shift);
            let keep = if total == 32 { Arg::Const(0) } else { self.b.word(Math::And, word, !(mask << f.shift)) };
            let new = self.b.word(Math::Or, keep, rest);
            self.b.set(word, new);
            return;
        }
        for element in 0..f.count {
            let next: Arg = if element + 1 < f.count { self.raw(id, &Element::At(element + 1)) } else { 0.into() };
            let here = self.raw(id, &Element::At(element));
            let behind = self.b.compare(Relation::Ge, false, element, which.arg);
            let new = self.b.select(Type::Word, behind, next, here);
            self.put(id, &Element::At(element), new);
        }
    }
}
