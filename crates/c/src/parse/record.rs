//! Structures, unions and enumerations.

use super::attribute::Attributes;
use super::scope::{Binding, Tag};
use super::{Lost, Parser, Res};
use crate::layout::{Member, Wish, lay_out};
use crate::types::{Enum, EnumId, Field, IntKind, Length, Record, RecordId, Type, TypeId};
use crate::word::Word;
use ferrospin_cpp::Symbol;
use ferrospin_source::{Diagnostic, Span};

/// Members of one record, and constants of one enumeration.
const MEMBERS_MAX: usize = 1 << 20;

impl Parser<'_> {
    /// `struct` or `union`, from the word on.
    pub(super) fn record(&mut self) -> Res<TypeId> {
        let is_union = self.word() == Word::Union;
        self.at += 1;
        let mut attributes = self.attributes()?;
        let span = self.span();
        let tag = (self.word() == Word::Ident).then(|| self.symbol());
        if tag.is_some() {
            self.at += 1;
        }
        let more = self.attributes()?;
        attributes.merge(more);
        if self.word() != Word::LBrace {
            let Some(tag) = tag else { return Err(self.expected("a tag or `{`")) };
            // `struct T;` alone declares a new type in this block.
            let known = if self.word() == Word::Semi { self.scopes.own_tag(tag) } else { self.scopes.tag(tag) };
            let id = match known {
                Some(Tag::Record(id)) if self.unit.types.record(id).is_union == is_union => id,
                Some(_) => return Err(self.wrong_tag(tag, span)),
                None => self.new_record(Some(tag), is_union, span),
            };
            return Ok(self.unit.types.intern(Type::Record(id)));
        }
        let id = match tag.and_then(|t| self.scopes.own_tag(t)) {
            Some(Tag::Record(id)) if self.unit.types.record(id).is_union == is_union => {
                if self.unit.types.record(id).complete {
                    let name = self.name(tag.expect("it was found by its tag")).to_string();
                    let before = self.unit.types.record(id).span;
                    return Err(self.say(
                        Diagnostic::error("c-redefined", span, format!("`{name}` is defined again"))
                            .also(before, "the first definition is here"),
                    ));
                }
                id
            }
            Some(_) => return Err(self.wrong_tag(tag.expect("it was found by its tag"), span)),
            None => self.new_record(tag, is_union, span),
        };
        self.at += 1;
        let pack = self.pack;
        let members = self.nested(Self::members)?;
        self.expect(Word::RBrace, "`}`")?;
        let more = self.attributes()?;
        attributes.merge(more);
        let wish = Wish { is_union, packed: attributes.packed, align: attributes.align, pack };
        let Some((fields, size, align)) = lay_out(&self.unit.types, wish, members) else {
            return Err(self.error(span, "c-type", "this type is too large"));
        };
        let record = &mut self.unit.types.records[id.0 as usize];
        (record.fields, record.size, record.align) = (fields, size, align);
        record.complete = true;
        record.transparent = attributes.transparent;
        record.span = span;
        Ok(self.unit.types.intern(Type::Record(id)))
    }

    fn wrong_tag(&mut self, tag: Symbol, span: Span) -> Lost {
        let name = self.name(tag).to_string();
        self.error(span, "c-redefined", format!("`{name}` is a tag of another kind"))
    }

    fn new_record(&mut self, tag: Option<Symbol>, is_union: bool, span: Span) -> RecordId {
        let id = RecordId(self.unit.types.records.len() as u32);
        self.unit.types.records.push(Record {
            is_union,
            tag,
            complete: false,
            fields: Vec::new(),
            size: 0,
            align: 1,
            transparent: false,
            span,
        });
        if let Some(tag) = tag {
            self.scopes.bind_tag(tag, Tag::Record(id));
        }
        id
    }

    /// Members up to the closing brace.
    fn members(&mut self) -> Res<Vec<Member>> {
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.pragmas();
            match self.word() {
                Word::RBrace | Word::End => return Ok(members),
                Word::Semi => {
                    self.at += 1;
                    continue;
                }
                Word::StaticAssert => {
                    self.static_assert()?;
                    continue;
                }
                _ => {}
            }
            if !self.starts_declaration_word() {
                return Err(self.expected("a member"));
            }
            let s = self.specifiers()?;
            if self.word() == Word::Semi {
                // An anonymous structure or union, as C11 has it; with a tag it is Microsoft's and declares nothing.
                if let Some(id) = self.unit.types.record_of(s.ty.ty)
                    && self.unit.types.record(id).tag.is_none()
                {
                    let field = Field { name: None, ty: s.ty, offset: 0, bits: None, span: s.span };
                    members.push(Member { field, packed: s.attributes.packed, align: s.align });
                }
                continue;
            }
            loop {
                let member = self.record_member(&s)?;
                members.push(member);
                if members.len() > MEMBERS_MAX {
                    return Err(self.error(s.span, "c-limit", "too many members"));
                }
                if !self.eat(Word::Comma) {
                    break;
                }
            }
            if self.word() != Word::RBrace {
                self.expect(Word::Semi, "`;`")?;
            }
        }
    }

    fn record_member(&mut self, s: &super::specifier::Specifiers) -> Res<Member> {
        let (mut name, mut ty, mut span) = (None, s.ty, self.span());
        let mut attributes = s.attributes;
        if self.word() != Word::Colon {
            let d = self.declarator(s.ty, false)?;
            (name, ty, span) = (d.name, d.ty, d.span);
            attributes.merge(d.attributes);
        }
        let mut bits = None;
        if self.eat(Word::Colon) {
            let at = self.span();
            let width = self.constant_expression()?;
            let Some(kind) = self.unit.types.int_kind(ty.ty) else {
                let shown = self.show(ty);
                return Err(self.error(span, "c-type", format!("a bit-field cannot have the type `{shown}`")));
            };
            let widest = if kind == IntKind::Bool { 1 } else { i128::from(self.unit.types.int_size(kind)) * 8 };
            if width < 0 || width > widest || (width == 0 && name.is_some()) {
                let message = format!("a bit-field of this type has 1 to {widest} bits, not {width}");
                return Err(self.error(at, "c-type", message));
            }
            bits = Some((0, width as u32));
            let more = self.attributes()?;
            attributes.merge(more);
        } else {
            match self.unit.types.get(ty.ty) {
                Type::Function(_) => return Err(self.error(span, "c-type", "a member cannot be a function")),
                Type::Array(element, Length::Unknown) if self.unit.types.is_complete(element.ty) => {}
                _ => self.check_complete(ty, span, "the member")?,
            }
        }
        let align = s.align.max(attributes.align);
        Ok(Member { field: Field { name, ty, offset: 0, bits, span }, packed: attributes.packed, align })
    }

    /// `enum`, from the word on.
    pub(super) fn enumeration(&mut self) -> Res<TypeId> {
        self.at += 1;
        let mut attributes = self.attributes()?;
        let span = self.span();
        let tag = (self.word() == Word::Ident).then(|| self.symbol());
        if tag.is_some() {
            self.at += 1;
        }
        let mut fixed = None;
        if self.word() == Word::Colon && self.starts_type_at(self.at + 1) {
            self.at += 1;
            let s = self.specifiers()?;
            fixed = self.unit.types.int_kind(s.ty.ty);
        }
        if self.word() != Word::LBrace {
            let Some(tag) = tag else { return Err(self.expected("a tag or `{`")) };
            let id = match self.scopes.tag(tag) {
                Some(Tag::Enum(id)) => id,
                Some(Tag::Record(_)) => return Err(self.wrong_tag(tag, span)),
                None => self.new_enum(Some(tag), fixed),
            };
            return Ok(self.unit.types.intern(Type::Enum(id)));
        }
        let id = match tag.and_then(|t| self.scopes.own_tag(t)) {
            Some(Tag::Enum(id)) if !self.unit.types.enums[id.0 as usize].complete => id,
            Some(_) => {
                let name = self.name(tag.expect("it was found by its tag")).to_string();
                return Err(self.error(span, "c-redefined", format!("`{name}` is defined again")));
            }
            None => self.new_enum(tag, fixed),
        };
        self.at += 1;
        let constants = self.nested(|p| p.enumerators(fixed))?;
        self.expect(Word::RBrace, "`}`")?;
        let more = self.attributes()?;
        attributes.merge(more);
        let low = constants.iter().map(|c| c.1).min().unwrap_or(0);
        let high = constants.iter().map(|c| c.1).max().unwrap_or(0);
        let kind = fixed.unwrap_or_else(|| self.enum_kind(low, high, &attributes));
        let e = &mut self.unit.types.enums[id.0 as usize];
        (e.underlying, e.complete) = (kind, true);
        let ty = self.unit.types.intern(Type::Enum(id));
        // Constants have type `int`; if one does not fit, all have the type of the enumeration.
        let fits = |v: i128| i128::from(i32::MIN) <= v && v <= i128::from(i32::MAX);
        if fixed.is_some() || !(fits(low) && fits(high)) {
            let constant = if fixed.is_some() { ty } else { self.unit.types.intern(Type::Int(kind)) };
            for (name, value) in constants {
                self.scopes.bind(name, Binding::Constant(value, constant));
            }
        }
        Ok(ty)
    }

    fn new_enum(&mut self, tag: Option<Symbol>, fixed: Option<IntKind>) -> EnumId {
        let id = EnumId(self.unit.types.enums.len() as u32);
        let underlying = fixed.unwrap_or(IntKind::UInt);
        self.unit.types.enums.push(Enum { tag, underlying, complete: fixed.is_some() });
        if let Some(tag) = tag {
            self.scopes.bind_tag(tag, Tag::Enum(id));
        }
        id
    }

    fn enum_kind(&self, low: i128, high: i128, attributes: &Attributes) -> IntKind {
        use IntKind::*;
        let (signed, unsigned): (&[IntKind], &[IntKind]) = if attributes.packed {
            (&[SChar, Short, Int, Long, LongLong], &[UChar, UShort, UInt, ULong, ULongLong])
        } else {
            (&[Int, Long, LongLong], &[UInt, ULong, ULongLong])
        };
        let candidates = if low < 0 { signed } else { unsigned };
        let fits = |kind: &&IntKind| {
            crate::fold::wrap(&self.unit.types, **kind, low) == low
                && crate::fold::wrap(&self.unit.types, **kind, high) == high
        };
        candidates.iter().find(fits).copied().unwrap_or(LongLong)
    }

    fn enumerators(&mut self, fixed: Option<IntKind>) -> Res<Vec<(Symbol, i128)>> {
        let mut list = Vec::new();
        let mut next = 0i128;
        while self.word() == Word::Ident {
            let (name, span) = (self.symbol(), self.span());
            self.at += 1;
            self.attributes()?;
            if self.eat(Word::Assign) {
                next = self.constant_expression()?;
            }
            if self.scopes.own_name(name).is_some() {
                let text = self.name(name).to_string();
                return Err(self.error(span, "c-redefined", format!("`{text}` is declared again")));
            }
            let ty = match fixed {
                Some(kind) => self.unit.types.intern(Type::Int(kind)),
                None if i128::from(i32::MIN) <= next && next <= i128::from(i32::MAX) => TypeId::INT,
                None if i128::from(i64::MIN) <= next && next <= i128::from(i64::MAX) => TypeId::LONGLONG,
                None => TypeId::ULONGLONG,
            };
            self.scopes.bind(name, Binding::Constant(next, ty));
            list.push((name, next));
            if list.len() > MEMBERS_MAX {
                return Err(self.error(span, "c-limit", "too many constants"));
            }
            next = next.wrapping_add(1);
            if !self.eat(Word::Comma) {
                break;
            }
        }
        if list.is_empty() {
            return Err(self.expected("a constant's name"));
        }
        Ok(list)
    }

    /// `_Static_assert(...);`
    pub(super) fn static_assert(&mut self) -> Res<()> {
        let span = self.bump();
        self.expect(Word::LParen, "`(`")?;
        let value = self.constant_expression()?;
        let mut text = String::new();
        if self.eat(Word::Comma) {
            while self.word() == Word::Str {
                text.push_str(self.text().trim_matches('"'));
                self.at += 1;
            }
        }
        self.expect(Word::RParen, "`)`")?;
        if self.word() == Word::Semi {
            self.at += 1;
        }
        if value == 0 {
            return Err(self.error(span, "c-static-assert", format!("static assertion failed: {text}")));
        }
        Ok(())
    }
}
