//! Initialisers: values for all parts of an object, with designators, left-out braces and GNU's ranges.
//!
//! The result is a flat list of stores; what is not in it is zero (C11 6.7.9).

use super::{Parser, Res};
use crate::tree::{ExprId, ExprKind, InitPart, ObjectId};
use crate::types::{IntKind, Length, Qual, RecordId, Type, TypeId};
use crate::word::Word;

/// Parts of one initialiser; ranges make many.
const PARTS_MAX: usize = 4 << 20;

/// A part of an aggregate: its type, its place, its bits and its number.
type Place = (Qual, u64, Option<(u32, u32)>, u64);

/// An initialiser being read.
struct Reading {
    parts: Vec<InitPart>,
    /// How many elements the outermost array without length has.
    length: u64,
    /// An expression that was read before it was clear which part it belongs to.
    pending: Option<ExprId>,
}

impl Parser<'_> {
    /// The initial value of an object, behind `=`.
    pub(super) fn initialise(&mut self, id: ObjectId, auto: bool) -> Res<()> {
        let mut q = self.unit.object(id).ty;
        if auto {
            let e = self.assignment()?;
            let e = self.rvalue(e)?;
            let ty = Qual::from(self.ty(e));
            self.unit.objects[id.0 as usize].ty = ty;
            self.unit.objects[id.0 as usize].init = Some(vec![InitPart { offset: 0, ty, bits: None, value: e }].into());
            return Ok(());
        }
        let span = self.span();
        let is_open_array = matches!(self.unit.types.get(q.ty), Type::Array(_, Length::Unknown));
        if matches!(self.unit.types.get(q.ty), Type::Function(_)) {
            return Err(self.error(span, "c-type", "a function has no initial value"));
        }
        if !is_open_array {
            self.check_complete(q, span, "the variable")?;
        }
        let mut r = Reading { parts: Vec::new(), length: 0, pending: None };
        self.nested(|p| p.initialiser(q, 0, None, &mut r))?;
        if let Type::Array(element, Length::Unknown) = *self.unit.types.get(q.ty) {
            q.ty = self.unit.types.intern(Type::Array(element, Length::Known(r.length)));
            self.unit.objects[id.0 as usize].ty = q;
        }
        self.unit.objects[id.0 as usize].init = Some(r.parts.into());
        Ok(())
    }

    /// The value of a part of type `q` at `offset`.
    fn initialiser(&mut self, q: Qual, offset: u64, bits: Option<(u32, u32)>, r: &mut Reading) -> Res<()> {
        let ty = self.unit.types.get(q.ty).clone();
        if let Type::Array(element, length) = &ty
            && r.pending.is_none()
            && self.initial_string(q, *element, *length, offset, r)?
        {
            return Ok(());
        }
        if r.pending.is_none() && self.word() == Word::LBrace {
            // `({ ... })` begins with a parenthesis, so this is a list.
            return self.nested(|p| p.braced(q, offset, bits, r));
        }
        let is_aggregate = matches!(ty, Type::Array(..) | Type::Record(_));
        let e = match r.pending.take() {
            Some(e) => e,
            None => self.assignment()?,
        };
        if is_aggregate {
            let same = self.unit.types.compatible(self.ty(e), q.ty);
            let is_record = matches!(ty, Type::Record(_));
            if same && is_record {
                let value = self.rvalue(e)?;
                return self.part(r, InitPart { offset, ty: q, bits: None, value });
            }
            // GNU C lets a compound literal or a string in parentheses stand for an array.
            let literal = matches!(self.expr(e).kind, ExprKind::Compound(_) | ExprKind::Str(_));
            if matches!(ty, Type::Array(..)) && literal && self.same_elements(self.ty(e), q.ty) {
                if let Type::Array(_, Length::Known(n)) = *self.unit.types.get(self.ty(e)) {
                    r.length = r.length.max(n);
                }
                let known = matches!(self.unit.types.get(q.ty), Type::Array(_, Length::Known(_)));
                let ty = if known { q } else { self.expr(e).ty };
                return self.part(r, InitPart { offset, ty, bits: None, value: e });
            }
            r.pending = Some(e);
            return self.nested(|p| p.elided(q, offset, 0, r));
        }
        let span = self.expr(e).span;
        let value = self.rvalue(e)?;
        let value = self.assignable(value, q, span, "stored here")?;
        self.part(r, InitPart { offset, ty: q, bits, value })
    }

    fn same_elements(&self, a: TypeId, b: TypeId) -> bool {
        match (self.unit.types.get(a), self.unit.types.get(b)) {
            (Type::Array(x, _), Type::Array(y, _)) => {
                let size = |ty| self.unit.types.int_kind(ty).map(|k| self.unit.types.int_size(k));
                self.unit.types.compatible(x.ty, y.ty) || (size(x.ty) == Some(1) && size(y.ty) == Some(1))
            }
            _ => false,
        }
    }

    fn part(&mut self, r: &mut Reading, part: InitPart) -> Res<()> {
        if r.parts.len() >= PARTS_MAX {
            let span = self.expr(part.value).span;
            return Err(self.error(span, "c-limit", "this initialiser has too many parts"));
        }
        r.parts.push(part);
        Ok(())
    }

    /// A string for an array of characters, perhaps in braces; whether there was one.
    fn initial_string(&mut self, q: Qual, element: Qual, length: Length, offset: u64, r: &mut Reading) -> Res<bool> {
        let Some(kind) = self.unit.types.int_kind(element.ty) else { return Ok(false) };
        let braced = self.word() == Word::LBrace && self.peek() == Word::Str;
        if self.word() != Word::Str && !braced {
            return Ok(false);
        }
        let start = self.at;
        if braced {
            self.at += 1;
        }
        // A string in a larger expression, such as `"abc"[0]`, is none.
        let mut behind = self.at;
        while self.word_at(behind) == Word::Str {
            behind += 1;
        }
        let ends = match self.word_at(behind) {
            Word::Comma if braced => self.word_at(behind + 1) == Word::RBrace,
            Word::Comma | Word::Semi => !braced,
            Word::RBrace => true,
            _ => false,
        };
        let size = self.unit.types.int_size(kind);
        if !ends || kind == IntKind::Bool {
            self.at = start;
            return Ok(false);
        }
        let e = self.assignment()?;
        let ExprKind::Str(id) = self.expr(e).kind else {
            self.at = start;
            return Ok(false);
        };
        let string = &self.unit.strings[id.0 as usize];
        if u64::from(string.width) != size {
            self.at = start;
            return Ok(false);
        }
        let with_zero = string.units.len() as u64 + 1;
        if braced {
            self.eat(Word::Comma);
            self.expect(Word::RBrace, "`}`")?;
        }
        let stored = match length {
            Length::Known(n) => n,
            _ => {
                if offset == 0 {
                    r.length = with_zero;
                }
                with_zero
            }
        };
        // What does not fit is left out, as C has it for the zero and GNU C for the rest.
        let ty = self.unit.types.intern(Type::Array(element, Length::Known(stored)));
        self.part(r, InitPart { offset, ty: Qual { ty, ..q }, bits: None, value: e })?;
        Ok(true)
    }

    /// `{ ... }` for a part of type `q`.
    fn braced(&mut self, q: Qual, offset: u64, bits: Option<(u32, u32)>, r: &mut Reading) -> Res<()> {
        self.at += 1;
        let ty = self.unit.types.get(q.ty).clone();
        match ty {
            Type::Array(..) | Type::Record(_) | Type::Vector(..) => {
                let mut index = 0u64;
                while !matches!(self.word(), Word::RBrace | Word::End) {
                    index = self.item(q, offset, index, r)?;
                    if !self.eat(Word::Comma) {
                        break;
                    }
                }
            }
            _ => {
                if self.word() != Word::RBrace {
                    self.initialiser(q, offset, bits, r)?;
                    while self.eat(Word::Comma) && self.word() != Word::RBrace {
                        // More than the object holds: read and left out.
                        self.excess()?;
                    }
                }
            }
        }
        self.expect(Word::RBrace, "`}`")?;
        Ok(())
    }

    /// A value for which there is no room.
    fn excess(&mut self) -> Res<()> {
        if self.word() == Word::LBrace {
            self.skip_balanced();
            return Ok(());
        }
        self.assignment().map(|_| ())
    }

    /// One item of a braced list over `q`, `index` the part that is next; gives the one behind it.
    fn item(&mut self, q: Qual, offset: u64, index: u64, r: &mut Reading) -> Res<u64> {
        if let Some(next) = self.designated(q, offset, r, true)? {
            return Ok(next);
        }
        let Some((part, at, bits, index)) = self.part_at(q, offset, index) else {
            self.excess()?;
            return Ok(index);
        };
        if matches!(self.unit.types.get(q.ty), Type::Array(_, Length::Unknown)) && offset == 0 {
            r.length = r.length.max(index + 1);
        }
        self.initialiser(part, at, bits, r)?;
        Ok(self.behind(q, index))
    }

    /// The number of the part behind `index`; a union has but one.
    fn behind(&self, q: Qual, index: u64) -> u64 {
        match self.unit.types.record_of(q.ty) {
            Some(id) if self.unit.types.record(id).is_union => u64::MAX,
            _ => index + 1,
        }
    }

    /// The `index`th part of an aggregate, or the next one that takes values: type, place, bits and number.
    fn part_at(&self, q: Qual, offset: u64, index: u64) -> Option<Place> {
        match *self.unit.types.get(q.ty) {
            Type::Array(element, length) => {
                if matches!(length, Length::Known(n) if index >= n) {
                    return None;
                }
                let size = self.unit.types.size(element.ty)?;
                Some((element, offset + size.checked_mul(index)?, None, index))
            }
            Type::Vector(element, n) => {
                let size = self.unit.types.size(element)?;
                (index < n).then(|| (element.into(), offset + size * index, None, index))
            }
            Type::Record(id) => {
                let record = self.unit.types.record(id);
                let start = usize::try_from(index).ok()?;
                let found = record
                    .fields
                    .iter()
                    .enumerate()
                    .skip(start)
                    .find(|(_, f)| f.name.is_some() || self.unit.types.record_of(f.ty.ty).is_some());
                found.map(|(i, f)| (f.ty, offset + f.offset, f.bits, i as u64))
            }
            _ => None,
        }
    }

    /// A designator and the value behind it, if one stands here; gives the number of the part behind it. If `outermost`,
    /// the caller goes on with the parts that follow; otherwise they are taken from the list here.
    fn designated(&mut self, q: Qual, offset: u64, r: &mut Reading, outermost: bool) -> Res<Option<u64>> {
        let span = self.span();
        match self.word() {
            Word::LBracket => {
                let Type::Array(element, length) = *self.unit.types.get(q.ty) else {
                    return Err(self.error(span, "c-type", "only arrays have elements by number"));
                };
                self.at += 1;
                let low = self.constant_expression()?;
                let high = if self.eat(Word::Ellipsis) { self.constant_expression()? } else { low };
                self.expect(Word::RBracket, "`]`")?;
                let limit = match length {
                    Length::Known(n) => i128::from(n),
                    _ => i128::from(u32::MAX),
                };
                if low < 0 || high < low || high >= limit {
                    return Err(self.error(span, "c-type", format!("the array has no element {}", high.max(low))));
                }
                let (low, high) = (low as u64, high as u64);
                if length == Length::Unknown && offset == 0 {
                    r.length = r.length.max(high + 1);
                }
                let size = self.unit.types.size(element.ty).unwrap_or(0);
                let from = r.parts.len();
                self.designated_value(element, offset + size * low, None, r)?;
                let made: Vec<InitPart> = r.parts[from..].to_vec();
                for index in low + 1..=high {
                    for part in &made {
                        let offset = part.offset + size * (index - low);
                        self.part(r, InitPart { offset, ..part.clone() })?;
                    }
                }
                if !outermost {
                    self.elided_rest(q, offset, high + 1, r)?;
                }
                Ok(Some(high + 1))
            }
            Word::Dot => {
                self.at += 1;
                self.member_value(q, offset, r, outermost, span).map(Some)
            }
            // GNU's old form, `name: value`.
            Word::Ident if self.peek() == Word::Colon && matches!(self.unit.types.get(q.ty), Type::Record(_)) => {
                self.member_value(q, offset, r, outermost, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn member_value(
        &mut self,
        q: Qual,
        offset: u64,
        r: &mut Reading,
        outermost: bool,
        span: ferrospin_source::Span,
    ) -> Res<u64> {
        let name = self.symbol();
        self.expect(Word::Ident, "a member's name")?;
        let id: Option<RecordId> = self.unit.types.record_of(q.ty);
        let path = id.and_then(|id| self.unit.types.find_field(id, name));
        let (Some(id), Some(path)) = (id, path) else {
            let (shown, text) = (self.show(q), self.name(name).to_string());
            return Err(self.error(span, "c-type", format!("`{shown}` has no member `{text}`")));
        };
        self.eat(Word::Colon);
        let (mut at, mut record) = (offset, id);
        let mut steps = Vec::new();
        for (depth, &index) in path.iter().enumerate() {
            let field = self.unit.types.record(record).fields[index as usize].clone();
            steps.push((record, at, u64::from(index)));
            at += field.offset;
            if depth + 1 == path.len() {
                self.designated_value(field.ty, at, field.bits, r)?;
            } else {
                record = self.unit.types.record_of(field.ty.ty).expect("the way leads through records");
            }
        }
        // Behind a member of an anonymous record come the other members of that record.
        for (depth, &(record, at, index)) in steps.iter().enumerate().rev() {
            if depth > 0 || !outermost {
                let ty = self.unit.types.intern(Type::Record(record));
                let next = self.behind(ty.into(), index);
                self.elided_rest(ty.into(), at, next, r)?;
            }
        }
        Ok(self.behind(q, u64::from(path[0])))
    }

    /// What stands behind a designator: a further one, or the value.
    fn designated_value(&mut self, q: Qual, offset: u64, bits: Option<(u32, u32)>, r: &mut Reading) -> Res<()> {
        if matches!(self.word(), Word::Dot | Word::LBracket) {
            return self.nested(|p| p.designated(q, offset, r, false)).map(|_| ());
        }
        self.eat(Word::Assign);
        self.initialiser(q, offset, bits, r)
    }

    /// Values for the parts of `q` from `index` on, taken from the list around it.
    fn elided(&mut self, q: Qual, offset: u64, index: u64, r: &mut Reading) -> Res<()> {
        let mut index = index;
        let mut first = true;
        while let Some((part, at, bits, found)) = self.part_at(q, offset, index) {
            if !first && !self.another_follows() {
                return Ok(());
            }
            if !first {
                self.at += 1;
            }
            first = false;
            self.initialiser(part, at, bits, r)?;
            index = self.behind(q, found);
        }
        if first {
            // An empty structure takes no value.
            r.pending = None;
        }
        Ok(())
    }

    /// As [`Self::elided`], behind a value that was read.
    fn elided_rest(&mut self, q: Qual, offset: u64, index: u64, r: &mut Reading) -> Res<()> {
        let mut index = index;
        while let Some((part, at, bits, found)) = self.part_at(q, offset, index) {
            if !self.another_follows() {
                return Ok(());
            }
            self.at += 1;
            self.initialiser(part, at, bits, r)?;
            index = self.behind(q, found);
        }
        Ok(())
    }

    /// Whether a comma and a value without designator follow.
    fn another_follows(&self) -> bool {
        self.word() == Word::Comma
            && !matches!(self.peek(), Word::RBrace | Word::Dot | Word::LBracket | Word::End)
            && !(self.peek() == Word::Ident && self.word_at(self.at + 2) == Word::Colon)
    }

    /// `(type){ ... }`, behind the parenthesis.
    pub(super) fn compound_literal(&mut self, q: Qual, span: ferrospin_source::Span) -> Res<ExprId> {
        let storage =
            if self.function.is_some() { crate::tree::Storage::Automatic } else { crate::tree::Storage::Static };
        let object = self.plain_object(None, q, storage, span);
        self.initialise(object, false)?;
        let ty = self.unit.object(object).ty;
        let e = self.add(ExprKind::Compound(object), ty, self.from(span), &[])?;
        self.unit.exprs[e.0 as usize].lvalue = true;
        Ok(e)
    }
}
