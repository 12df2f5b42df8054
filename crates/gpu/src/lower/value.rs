//! Fields and expressions.

use super::{Lower, Made, Val, Who};
use crate::code::{Arg, Cond, Math, Relation, Type};
use crate::intervals::{self, within};
use crate::layout::{FieldId, Home};
use crate::places;
use ferrospin_model::ir::{Binary, ChannelTest, Expr, Index, LocationId, Place, ProcessId, Scalar, Unary};

/// An element of a field.
pub(crate) enum Element {
    At(u32),
    Computed(Val),
}

impl From<u32> for Element {
    fn from(at: u32) -> Self {
        Element::At(at)
    }
}

impl Lower<'_, '_> {
    /// The bits of an element.
    pub(crate) fn raw(&mut self, id: FieldId, element: &Element) -> Arg {
        let f = self.layout.fields[id].clone();
        if f.bits == 0 {
            return 0.into();
        }
        match element {
            Element::At(i) => {
                let (word, shift) = f.place_inside(*i);
                let w = self.state()[word];
                let found = self.cut_out(w.into(), shift.into(), f.mask(), shift + f.bits == 32);
                // The register of the word may change while the value is still needed.
                if found == Arg::Reg(w) && self.on_target { self.b.copy(Type::Word, w).into() } else { found }
            }
            Element::Computed(i) => {
                let (which, at) = self.split(i.arg, f.per_word, f.words());
                let mut w: Arg = self.state()[f.word].into();
                for k in 1..f.words() {
                    let here = self.b.compare(Relation::Eq, false, which, k as u32);
                    let other = self.state()[f.word + k];
                    w = self.b.select(Type::Word, here, other, w);
                }
                let shift = self.b.word(Math::Mul, at, f.bits);
                let shift = self.b.word(Math::Add, shift, f.shift);
                self.cut_out(w, shift, f.mask(), false)
            }
        }
    }

    fn cut_out(&mut self, word: Arg, shift: Arg, mask: u32, is_top: bool) -> Arg {
        let low = self.b.word(Math::Shr, word, shift);
        if is_top { low } else { self.b.word(Math::And, low, mask) }
    }

    /// Word and place in it of a computed element.
    fn split(&mut self, i: Arg, per_word: u32, words: usize) -> (Arg, Arg) {
        if words == 1 {
            return (0.into(), i);
        }
        let which = self.b.word(Math::Div, i, per_word);
        let before = self.b.word(Math::Mul, which, per_word);
        (which, self.b.word(Math::Sub, i, before))
    }

    /// The value of an element.
    pub(crate) fn get(&mut self, id: FieldId, element: impl Into<Element>) -> Val {
        let f = self.layout.fields[id].clone();
        if f.bits == 0 {
            return Val::constant(if f.circle { f.low & 255 } else { f.low } as i32);
        }
        let raw = self.raw(id, &element.into());
        let mut arg = self.b.word(Math::Add, raw, f.low as u32);
        if f.circle {
            arg = self.b.word(Math::And, arg, 255);
        }
        Val { arg, range: f.values }
    }

    /// Puts bits into an element of the successor.
    pub(crate) fn put(&mut self, id: FieldId, element: &Element, raw: Arg) {
        let f = self.layout.fields[id].clone();
        if f.bits == 0 {
            return;
        }
        match element {
            Element::At(i) => {
                let (word, shift) = f.place_inside(*i);
                let to = self.target[word];
                let keep = !(f.mask() << shift);
                let rest = if f.bits == 32 { 0.into() } else { self.b.word(Math::And, to, keep) };
                let bits = self.b.word(Math::Shl, raw, shift);
                let new = self.b.word(Math::Or, rest, bits);
                self.b.set(to, new);
            }
            Element::Computed(i) => {
                let (which, at) = self.split(i.arg, f.per_word, f.words());
                let shift = self.b.word(Math::Mul, at, f.bits);
                let shift = self.b.word(Math::Add, shift, f.shift);
                let mask = self.b.word(Math::Shl, f.mask(), shift);
                let keep = self.b.word(Math::Xor, mask, u32::MAX);
                let bits = self.b.word(Math::Shl, raw, shift);
                for k in 0..f.words() {
                    let to = self.target[f.word + k];
                    let rest = self.b.word(Math::And, to, keep);
                    let new = self.b.word(Math::Or, rest, bits);
                    let here = self.b.compare(Relation::Eq, false, which, k as u32);
                    let new = if f.words() == 1 { new } else { self.b.select(Type::Word, here, new, to) };
                    self.b.set(to, new);
                }
            }
        }
    }

    /// Stores a value, which must fit, into an element of the successor.
    pub(crate) fn store(&mut self, id: FieldId, element: &Element, value: Val) {
        let f = self.layout.fields[id].clone();
        if let Some(v) = value.known() {
            match f.raw(v) {
                Some(raw) => self.put(id, element, raw.into()),
                None => self.overflow(Cond::Known(true), id),
            }
            return;
        }
        let mut raw = self.b.word(Math::Sub, value.arg, f.low as u32);
        if f.circle {
            raw = self.b.word(Math::And, raw, 255);
        }
        let fits = !f.circle && within(value.range, (f.low, f.low + i64::from(f.mask())));
        if !fits && f.bits < 32 {
            let over = self.b.compare(Relation::Gt, false, raw, f.mask());
            self.overflow(over, id);
        }
        self.put(id, element, raw);
    }

    /// What is left of a value when it is kept as a scalar.
    pub(crate) fn cut(&mut self, scalar: Scalar, value: Val) -> Val {
        if let Some(v) = value.known() {
            return Val::constant(scalar.cut(v));
        }
        let range = intervals::cut(scalar, value.range);
        if within(value.range, intervals::declared(scalar)) {
            return value;
        }
        let arg = match scalar {
            Scalar::Unsigned(n) => self.b.word(Math::And, value.arg, (1_u32 << n) - 1),
            Scalar::Short => {
                let up = self.b.word(Math::Shl, value.arg, 16);
                self.b.word(Math::Sar, up, 16)
            }
            Scalar::Int => value.arg,
        };
        Val { arg, range }
    }

    /// The element that indices lead to; goes to the failures where one is outside.
    pub(crate) fn indexed(&mut self, who: Who, first: u32, indices: &[(&Index, u32)]) -> Made<Element> {
        let mut at = Val::constant(first as i32);
        for (index, stride) in indices {
            let value = self.eval(who, &index.value)?;
            if !within(value.range, (0, i64::from(index.len) - 1)) {
                let outside = self.b.compare(Relation::Ge, false, value.arg, index.len);
                self.b.jump_if(outside, self.fail);
            }
            let step = self.b.word(Math::Mul, value.arg, *stride);
            at.arg = self.b.word(Math::Add, at.arg, step);
            at.range = (0, i64::from(i32::MAX));
        }
        Ok(match at.arg {
            Arg::Const(i) => Element::At(i as u32),
            Arg::Reg(_) => Element::Computed(at),
        })
    }

    /// Field and element of a place to be stored to.
    pub(crate) fn target_of(&mut self, who: Who, place: &Place) -> Made<(FieldId, Element)> {
        let Some(e) = places::element(self.layout.model, self.process(who), place) else {
            return self.refuse("a variable that is not in its area");
        };
        let element = self.indexed(who, e.first, &e.indices)?;
        let home = match e.var.owner {
            None => &self.layout.globals[e.var.leaf],
            Some(_) => &self.frame(who).locals[e.var.leaf],
        };
        match (home, element) {
            (Home::Array(id), element) => Ok((*id, element)),
            (Home::Split(ids), Element::At(i)) if (i as usize) < ids.len() => Ok((ids[i as usize], 0.into())),
            // A constant index outside has failed already; this is never reached.
            (Home::Split(ids), Element::At(_)) => Ok((ids[0], 0.into())),
            _ => self.refuse("a store to what is taken for constant"),
        }
    }

    /// The value of a variable.
    fn load(&mut self, home: &Home, element: Element) -> Made<Val> {
        match (home, element) {
            (Home::Array(id), element) => Ok(self.get(*id, element)),
            (Home::Split(ids), Element::At(i)) => Ok(self.get(ids[(i as usize).min(ids.len() - 1)], 0)),
            (Home::Constant(values), Element::At(i)) => Ok(Val::constant(values[(i as usize).min(values.len() - 1)])),
            (Home::Constant(values), Element::Computed(i)) => Ok(self.table(values, i.arg)),
            (Home::Split(_), Element::Computed(_)) => {
                self.refuse("a computed index of a variable that was taken apart")
            }
        }
    }

    /// One of some constants.
    fn table(&mut self, values: &[i32], i: Arg) -> Val {
        let (low, high) = (*values.iter().min().expect("not empty"), *values.iter().max().expect("not empty"));
        if low == high {
            return Val::constant(low);
        }
        let range = (i64::from(low), i64::from(high));
        // Small ones are packed into words.
        let bits = 64 - ((range.1 - range.0) as u64).leading_zeros();
        let per_word = 32 / bits;
        let words: Vec<u32> = values
            .chunks(per_word as usize)
            .map(|c| c.iter().rev().fold(0, |w, v| (u64::from(w) << bits) as u32 | (v.wrapping_sub(low)) as u32))
            .collect();
        let (which, at) = self.split(i, per_word, words.len());
        let mut w: Arg = words[0].into();
        for (k, word) in words.iter().enumerate().skip(1) {
            let here = self.b.compare(Relation::Eq, false, which, k as u32);
            w = self.b.select(Type::Word, here, *word, w);
        }
        let shift = self.b.word(Math::Mul, at, bits);
        let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
        let raw = self.cut_out(w, shift, mask, false);
        Val { arg: self.b.word(Math::Add, raw, low as u32), range }
    }

    /// The value of an expression; goes to the failures where there is none.
    pub(crate) fn eval(&mut self, who: Who, e: &Expr) -> Made<Val> {
        Ok(match e {
            Expr::Const(v) => Val::constant(*v),
            Expr::Load(place) => {
                let Some(e) = places::element(self.layout.model, self.process(who), place) else {
                    return self.refuse("a variable that is not in its area");
                };
                let element = self.indexed(who, e.first, &e.indices)?;
                let layout = self.layout;
                match e.var.owner {
                    None => self.load(&layout.globals[e.var.leaf], element)?,
                    Some(_) => {
                        let home = &self.frame(who).locals[e.var.leaf];
                        self.load(home, element)?
                    }
                }
            }
            Expr::Unary(Unary::Not, _) | Expr::Binary(Binary::And | Binary::Or, ..) | Expr::Poll(_) => {
                let c = self.cond(who, e)?;
                self.bool(c)
            }
            Expr::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne, ..) => {
                let c = self.cond(who, e)?;
                self.bool(c)
            }
            Expr::Unary(op, a) => {
                let a = self.eval(who, a)?;
                if let Some(v) = a.known() {
                    return Ok(Val::constant(op.apply(v)));
                }
                let arg = match op {
                    Unary::Minus => self.b.word(Math::Sub, 0, a.arg),
                    _ => self.b.word(Math::Xor, a.arg, u32::MAX),
                };
                Val { arg, range: intervals::unary(*op, a.range) }
            }
            Expr::Binary(op, a, b) => {
                let a = self.eval(who, a)?;
                let b = self.eval(who, b)?;
                self.binary(*op, a, b)
            }
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                self.choice(who, c, a, b)?
            }
            Expr::Channel(ChannelTest::Len, channel) => self.length_of(who, channel)?,
            Expr::Channel(..) => {
                let c = self.cond(who, e)?;
                self.bool(c)
            }
            Expr::Pid => Val::constant(who.slot as i32),
            Expr::ProcessCount => self.process_count(),
            Expr::ChannelCount => self.channel_count(),
            Expr::Timeout => self.bool(self.timeout),
            Expr::NonProgress => {
                let c = self.is_progress();
                self.bool(!c)
            }
            Expr::AtLocation(process, pid, location) => {
                let c = self.at_location(who, *process, pid.as_deref(), *location)?;
                self.bool(c)
            }
            Expr::Remote(process, pid, place) => self.remote(who, *process, pid.as_deref(), place)?,
            Expr::Last => return self.refuse("`_last`"),
            Expr::Enabled(_) => return self.refuse("`enabled`"),
            Expr::PcValue(_) => return self.refuse("`pc_value`"),
            Expr::Priority(_) => return self.refuse("`_priority`"),
            Expr::Call(_) | Expr::Foreign => return self.refuse("embedded C"),
        })
    }

    pub(crate) fn bool(&mut self, c: Cond) -> Val {
        match c {
            Cond::Known(is) => Val::constant(i32::from(is)),
            c => Val { arg: self.b.select(Type::Word, c, 1, 0), range: (0, 1) },
        }
    }

    fn binary(&mut self, op: Binary, a: Val, b: Val) -> Val {
        if let (Some(x), Some(y)) = (a.known(), b.known())
            && let Some(v) = op.apply(x, y)
        {
            return Val::constant(v);
        }
        let range = intervals::binary(op, a.range, b.range);
        let arg = match op {
            Binary::Add => self.b.word(Math::Add, a.arg, b.arg),
            Binary::Sub => self.b.word(Math::Sub, a.arg, b.arg),
            Binary::Mul => self.b.word(Math::Mul, a.arg, b.arg),
            Binary::BitAnd => self.b.word(Math::And, a.arg, b.arg),
            Binary::BitOr => self.b.word(Math::Or, a.arg, b.arg),
            Binary::BitXor => self.b.word(Math::Xor, a.arg, b.arg),
            Binary::Shl | Binary::Shr => {
                let by = if within(b.range, (0, 31)) { b.arg } else { self.b.word(Math::And, b.arg, 31) };
                self.b.word(if op == Binary::Shl { Math::Shl } else { Math::Sar }, a.arg, by)
            }
            Binary::Div | Binary::Rem => return self.divide(op, a, b, range),
            _ => unreachable!("comparisons are conditions"),
        };
        Val { arg, range }
    }

    fn divide(&mut self, op: Binary, a: Val, b: Val, range: intervals::Interval) -> Val {
        let math = if op == Binary::Div { Math::Div } else { Math::Rem };
        if b.range.0 <= 0 && b.range.1 >= 0 {
            let zero = self.b.compare(Relation::Eq, false, b.arg, 0);
            self.b.jump_if(zero, self.fail);
            if zero == Cond::Known(true) {
                return Val::constant(0);
            }
        }
        if a.range.0 >= 0
            && let Some(power @ 1..) = b.known()
            && power.count_ones() == 1
        {
            let arg = match op {
                Binary::Div => self.b.word(Math::Shr, a.arg, power.trailing_zeros()),
                _ => self.b.word(Math::And, a.arg, power as u32 - 1),
            };
            return Val { arg, range };
        }
        if b.range.0 <= -1 && b.range.1 >= -1 {
            // The least number has no counterpart: the device is not asked.
            let is = self.b.compare(Relation::Eq, false, b.arg, u32::MAX);
            let by = self.b.select(Type::Word, is, 1, b.arg);
            let found = self.b.word(math, a.arg, by);
            let other = if op == Binary::Div { self.b.word(Math::Sub, 0, a.arg) } else { 0.into() };
            return Val { arg: self.b.select(Type::Word, is, other, found), range: intervals::ALL };
        }
        Val { arg: self.b.word(math, a.arg, b.arg), range }
    }

    fn choice(&mut self, who: Who, c: &Expr, a: &Expr, b: &Expr) -> Made<Val> {
        let c = self.cond(who, c)?;
        if let Cond::Known(is) = c {
            return self.eval(who, if is { a } else { b });
        }
        let mark = self.b.mark();
        let yes = self.eval(who, a)?;
        let middle = self.b.mark();
        let no = self.eval(who, b)?;
        let range = (yes.range.0.min(no.range.0), yes.range.1.max(no.range.1));
        if !self.b.branches_since(mark) {
            return Ok(Val { arg: self.b.select(Type::Word, c, yes.arg, no.arg), range });
        }
        let second = self.b.cut(middle);
        let first = self.b.cut(mark);
        let (result, other, end) = (self.b.reg(Type::Word), self.b.label(), self.b.label());
        self.b.jump_if(!c, other);
        self.b.append(first);
        self.b.set(result, yes.arg);
        self.b.jump(end);
        self.b.place(other);
        self.b.append(second);
        self.b.set(result, no.arg);
        self.b.place(end);
        Ok(Val { arg: result.into(), range })
    }

    /// Whether an expression is not zero.
    pub(crate) fn cond(&mut self, who: Who, e: &Expr) -> Made<Cond> {
        match e {
            Expr::Unary(Unary::Not, a) => Ok(!self.cond(who, a)?),
            Expr::Binary(Binary::And, a, b) => {
                let a = self.cond(who, a)?;
                self.and_then(a, |me| me.cond(who, b))
            }
            Expr::Binary(Binary::Or, a, b) => {
                let a = self.cond(who, a)?;
                Ok(!self.and_then(!a, |me| Ok(!me.cond(who, b)?))?)
            }
            Expr::Binary(op, a, b) => {
                let relation = match op {
                    Binary::Lt => Relation::Lt,
                    Binary::Le => Relation::Le,
                    Binary::Gt => Relation::Gt,
                    Binary::Ge => Relation::Ge,
                    Binary::Eq => Relation::Eq,
                    Binary::Ne => Relation::Ne,
                    _ => return self.cond_of_value(who, e),
                };
                let a = self.eval(who, a)?;
                let b = self.eval(who, b)?;
                // Ranges may settle it.
                let known = match op {
                    Binary::Eq | Binary::Ne if a.range.1 < b.range.0 || b.range.1 < a.range.0 => {
                        Some(*op == Binary::Ne)
                    }
                    Binary::Lt if a.range.1 < b.range.0 => Some(true),
                    Binary::Lt if a.range.0 >= b.range.1 => Some(false),
                    Binary::Ge if a.range.0 >= b.range.1 => Some(true),
                    Binary::Ge if a.range.1 < b.range.0 => Some(false),
                    Binary::Gt if a.range.0 > b.range.1 => Some(true),
                    Binary::Gt if a.range.1 <= b.range.0 => Some(false),
                    Binary::Le if a.range.1 <= b.range.0 => Some(true),
                    Binary::Le if a.range.0 > b.range.1 => Some(false),
                    _ => None,
                };
                Ok(match known {
                    Some(is) => Cond::Known(is),
                    None => self.b.compare(relation, true, a.arg, b.arg),
                })
            }
            Expr::Channel(test, channel) if *test != ChannelTest::Len => self.test_channel(who, *test, channel),
            Expr::Poll(r) => self.poll(who, r),
            Expr::Timeout => Ok(self.timeout),
            Expr::NonProgress => Ok(!self.is_progress()),
            Expr::AtLocation(process, pid, location) => self.at_location(who, *process, pid.as_deref(), *location),
            e => self.cond_of_value(who, e),
        }
    }

    fn cond_of_value(&mut self, who: Who, e: &Expr) -> Made<Cond> {
        let v = self.eval(who, e)?;
        if let Some(v) = v.known() {
            return Ok(Cond::Known(v != 0));
        }
        if v.range.0 > 0 || v.range.1 < 0 {
            return Ok(Cond::Known(true));
        }
        Ok(self.b.compare(Relation::Ne, false, v.arg, 0))
    }

    /// Whether there is a process in a slot.
    pub(crate) fn is_present(&mut self, slot: usize) -> Cond {
        match self.layout.slots.get(slot) {
            None => Cond::Known(false),
            Some(s) if !s.absent => Cond::Known(true),
            Some(s) => {
                let at = self.raw(s.location, &Element::At(0));
                self.b.compare(Relation::Ne, false, at, 0)
            }
        }
    }

    /// Whether the code of the location of a slot is one of these.
    pub(crate) fn stands_in(&mut self, slot: usize, codes: &[u32]) -> Cond {
        let s = self.slot(slot);
        if codes.is_empty() || codes.len() == s.count as usize {
            return Cond::Known(!codes.is_empty());
        }
        let at = self.raw(s.location, &Element::At(0));
        if let [only] = codes {
            return self.b.compare(Relation::Eq, false, at, *only);
        }
        let first = *codes.iter().min().expect("not empty");
        if *codes.iter().max().expect("not empty") - first + 1 == codes.len() as u32 {
            let above = self.b.word(Math::Sub, at, first);
            return self.b.compare(Relation::Lt, false, above, codes.len() as u32);
        }
        let mut masks = vec![0_u32; s.count.div_ceil(32) as usize];
        codes.iter().for_each(|c| masks[(c / 32) as usize] |= 1 << (c % 32));
        let which = self.b.word(Math::Shr, at, 5);
        let mut mask: Arg = masks[0].into();
        for (k, m) in masks.iter().enumerate().skip(1) {
            let here = self.b.compare(Relation::Eq, false, which, k as u32);
            mask = self.b.select(Type::Word, here, *m, mask);
        }
        let bit = if masks.len() == 1 { at } else { self.b.word(Math::And, at, 31) };
        let down = self.b.word(Math::Shr, mask, bit);
        let is = self.b.word(Math::And, down, 1);
        self.b.compare(Relation::Ne, false, is, 0)
    }

    /// Codes of the locations of a slot of which something holds.
    pub(crate) fn codes(&self, slot: usize, holds: impl Fn(LocationId) -> bool) -> Vec<u32> {
        let mut list: Vec<u32> = self.slot(slot).codes.iter().filter(|(l, _)| holds(**l)).map(|(_, c)| *c).collect();
        list.sort_unstable();
        list
    }

    /// Whether a slot holds a process of a type.
    fn is_type(&mut self, slot: usize, process: ProcessId) -> Cond {
        let codes = self.codes(slot, |l| self.layout.model.location(l).process == process);
        self.stands_in(slot, &codes)
    }

    fn is_progress(&mut self) -> Cond {
        let mut any = Cond::Known(false);
        for slot in 0..self.layout.slots.len() {
            let codes = self.codes(slot, |l| self.layout.model.location(l).progress);
            let here = self.stands_in(slot, &codes);
            any = self.b.either(any, here);
        }
        any
    }

    pub(crate) fn process_count(&mut self) -> Val {
        let mut sum = Val::constant(0);
        for slot in 0..self.layout.slots.len() {
            let is = self.is_present(slot);
            let one = self.bool(is);
            sum.arg = self.b.word(Math::Add, sum.arg, one.arg);
            sum.range = (sum.range.0 + one.range.0, sum.range.1 + one.range.1);
        }
        sum
    }

    fn channel_count(&mut self) -> Val {
        let mut sum = Val::constant(self.layout.model.channels.len() as i32);
        for slot in 0..self.layout.slots.len() {
            let is = self.is_present(slot);
            let count = self.slot(slot).channels as u32;
            let more = self.b.select(Type::Word, is, count, 0);
            sum.arg = self.b.word(Math::Add, sum.arg, more);
            sum.range.1 += i64::from(count);
        }
        if let Arg::Const(v) = sum.arg { Val::constant(v as i32) } else { sum }
    }

    /// For every slot whether it is the process that a remote reference means.
    fn instances(&mut self, who: Who, process: ProcessId, pid: Option<&Expr>) -> Made<Vec<Cond>> {
        let count = self.layout.slots.len();
        let mut list = Vec::new();
        match pid {
            Some(e) => {
                let number = self.eval(who, e)?;
                for slot in 0..count {
                    let is = self.b.compare(Relation::Eq, false, number.arg, slot as u32);
                    let here = if is == Cond::Known(false) { is } else { self.is_type(slot, process) };
                    list.push(self.b.both(is, here));
                }
            }
            None => {
                let mut before = Cond::Known(false);
                for slot in 0..count {
                    let here = self.is_type(slot, process);
                    list.push(self.b.both(!before, here));
                    before = self.b.either(before, here);
                }
            }
        }
        Ok(list)
    }

    fn at_location(&mut self, who: Who, process: ProcessId, pid: Option<&Expr>, to: LocationId) -> Made<Cond> {
        let instances = self.instances(who, process, pid)?;
        let mut any = Cond::Known(false);
        for (slot, is) in instances.into_iter().enumerate() {
            if let Some(code) = self.slot(slot).codes.get(&to) {
                let here = self.stands_in(slot, &[*code]);
                let here = self.b.both(is, here);
                any = self.b.either(any, here);
            }
        }
        Ok(any)
    }

    fn remote(&mut self, who: Who, process: ProcessId, pid: Option<&Expr>, place: &Place) -> Made<Val> {
        let instances = self.instances(who, process, pid)?;
        let Some(e) = places::element(self.layout.model, process, place) else {
            return self.refuse("a variable that is not in its area");
        };
        // Indices are looked at only where there is such a process.
        let (result, end) = (self.b.reg(Type::Word), self.b.label());
        let mut range = (0, 0);
        self.b.set(result, 0);
        for (slot, is) in instances.into_iter().enumerate() {
            let Some(frame) = self.slot(slot).frames.iter().position(|f| f.process == process) else { continue };
            if is == Cond::Known(false) {
                continue;
            }
            let next = self.b.label();
            self.b.jump_if(!is, next);
            let element = self.indexed(who, e.first, &e.indices)?;
            let home = &self.frame(Who { slot, frame }).locals[e.var.leaf];
            let v = self.load(home, element)?;
            range = (range.0.min(v.range.0), range.1.max(v.range.1));
            self.b.set(result, v.arg);
            self.b.jump(end);
            self.b.place(next);
        }
        self.b.place(end);
        Ok(Val { arg: result.into(), range })
    }
}
