//! Declarators: pointers, arrays and functions around a name.

use super::attribute::Attributes;
use super::scope::Binding;
use super::{Parser, Res};
use crate::tree::{Linkage, Object, Storage};
use crate::types::{ATOMIC, CONST, Length, Qual, RESTRICT, Signature, Type, TypeId, VOLATILE};
use crate::word::Word;
use ferrospin_cpp::Symbol;
use ferrospin_source::Span;

/// A name with its type.
#[derive(Clone, Debug)]
pub(super) struct Declarator {
    pub(super) name: Option<Symbol>,
    pub(super) span: Span,
    pub(super) ty: Qual,
    /// Parameters, if the outermost part that touches the name is a function.
    pub(super) params: Option<Params>,
    pub(super) attributes: Attributes,
}

/// Parameters of a function declarator.
#[derive(Clone, Debug)]
pub(super) struct Params {
    pub(super) list: Vec<Param>,
    /// Names only; declarations follow the declarator.
    pub(super) old_style: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub(super) name: Option<Symbol>,
    pub(super) ty: Qual,
    pub(super) span: Span,
}

/// A part of a declarator; the first in a list is nearest to the name.
enum Part {
    Pointer(u8),
    Array(Length),
    Function(Params, bool, bool),
}

impl Parser<'_> {
    /// Reads a declarator over `base`; without a name if `is_abstract` allows it.
    pub(super) fn declarator(&mut self, base: Qual, is_abstract: bool) -> Res<Declarator> {
        let mut parts = Vec::new();
        let mut name = None;
        let mut attributes = Attributes::default();
        let start = self.span();
        self.declarator_parts(&mut parts, &mut name, &mut attributes, is_abstract)?;
        let span = name.map_or(start, |(_, span)| span);
        let base = self.apply_attributes(base, &attributes);
        let mut params = None;
        let mut ty = base;
        let count = parts.len();
        for (index, part) in parts.into_iter().rev().enumerate() {
            ty = match part {
                Part::Pointer(quals) => Qual { ty: self.unit.types.pointer(ty), quals, align: 0 },
                Part::Array(length) => {
                    if matches!(self.unit.types.get(ty.ty), Type::Function(_)) {
                        return Err(self.error(span, "c-type", "an array cannot have functions as elements"));
                    }
                    if let Type::Array(_, Length::Unknown) = self.unit.types.get(ty.ty) {
                        return Err(self.error(span, "c-type", "only the first dimension of an array may be left out"));
                    }
                    let ty = self.unit.types.intern(Type::Array(ty, length));
                    if self.unit.types.size(ty).is_some_and(|size| size >= crate::layout::SIZE_MAX / 16) {
                        return Err(self.error(span, "c-type", "this array is too large"));
                    }
                    ty.into()
                }
                Part::Function(list, variadic, prototyped) => {
                    if matches!(self.unit.types.get(ty.ty), Type::Function(_) | Type::Array(..)) {
                        let what = self.show(ty);
                        return Err(self.error(span, "c-type", format!("a function cannot return `{what}`")));
                    }
                    let types = list.list.iter().map(|p| Qual { quals: 0, align: 0, ..p.ty }).collect();
                    let signature = Signature { result: ty, params: types, variadic, prototyped };
                    if index + 1 == count {
                        params = Some(list);
                    }
                    self.unit.types.intern(Type::Function(signature)).into()
                }
            };
        }
        Ok(Declarator { name: name.map(|n| n.0), span, ty, params, attributes })
    }

    fn pointer_quals(&mut self, attributes: &mut Attributes) -> Res<u8> {
        let mut quals = 0;
        loop {
            match self.word() {
                Word::Const => quals |= CONST,
                Word::Volatile => quals |= VOLATILE,
                Word::Restrict => quals |= RESTRICT,
                Word::Atomic => quals |= ATOMIC,
                Word::Attribute => {
                    let more = self.attributes()?;
                    // Alignment of a pointer's target or of a pointer is not that of the object.
                    attributes.merge(Attributes { align: 0, ..more });
                    continue;
                }
                _ => return Ok(quals),
            }
            self.at += 1;
        }
    }

    fn declarator_parts(
        &mut self,
        parts: &mut Vec<Part>,
        name: &mut Option<(Symbol, Span)>,
        attributes: &mut Attributes,
        is_abstract: bool,
    ) -> Res<()> {
        let mut pointers = Vec::new();
        let more = self.attributes()?;
        attributes.merge(more);
        while self.eat(Word::Star) {
            let quals = self.pointer_quals(attributes)?;
            pointers.push(quals);
            if pointers.len() > super::NEST_MAX as usize {
                return Err(self.error(self.span(), "c-limit", "too many pointers"));
            }
        }
        let nested_attributes = self.attributes()?;
        attributes.merge(nested_attributes);
        match self.word() {
            Word::Ident => {
                *name = Some((self.symbol(), self.span()));
                self.at += 1;
            }
            // In an abstract declarator a parenthesis may begin parameters instead.
            Word::LParen if !is_abstract || !self.starts_parameters() => {
                self.at += 1;
                self.nested(|p| p.declarator_parts(parts, name, attributes, is_abstract))?;
                self.expect(Word::RParen, "`)`")?;
            }
            _ if is_abstract => {}
            _ => return Err(self.expected("a name")),
        }
        loop {
            match self.word() {
                Word::LBracket if self.peek() == Word::LBracket => {
                    let more = self.attributes()?;
                    attributes.merge(more);
                }
                Word::LBracket => {
                    self.at += 1;
                    let part = self.nested(Self::array_part)?;
                    parts.push(part);
                }
                Word::LParen => {
                    self.at += 1;
                    let part = self.nested(Self::function_part)?;
                    parts.push(part);
                }
                _ => break,
            }
            if parts.len() > super::NEST_MAX as usize {
                return Err(self.error(self.span(), "c-limit", "this declarator has too many parts"));
            }
        }
        let more = self.attributes_and_asm()?;
        attributes.merge(more);
        parts.extend(pointers.into_iter().rev().map(Part::Pointer));
        Ok(())
    }

    /// Whether the parenthesis here begins parameters rather than a nested declarator.
    fn starts_parameters(&self) -> bool {
        self.word_at(self.at + 1) == Word::RParen
            || (self.starts_type_at(self.at + 1) && self.word_at(self.at + 1) != Word::Attribute)
    }

    fn array_part(&mut self) -> Res<Part> {
        // Qualifiers here are those of the pointer that a parameter becomes.
        while matches!(self.word(), Word::Const | Word::Volatile | Word::Restrict | Word::Static) {
            self.at += 1;
        }
        if self.eat(Word::RBracket) {
            return Ok(Part::Array(Length::Unknown));
        }
        if self.word() == Word::Star && self.peek() == Word::RBracket {
            self.at += 2;
            return Ok(Part::Array(Length::Variable));
        }
        let span = self.span();
        let e = self.assignment()?;
        let e = self.rvalue(e)?;
        self.expect(Word::RBracket, "`]`")?;
        let length = match self.int_value(e) {
            Some(n) if n < 0 => {
                return Err(self.error(span, "c-type", "an array has a negative number of elements"));
            }
            Some(n) => Length::Known(n.min(i128::from(u64::MAX)) as u64),
            None if self.function.is_some() || self.scopes.depth() > 0 => Length::Variable,
            None => {
                return Err(self.error(span, "c-constant", "the number of elements is not a constant"));
            }
        };
        Ok(Part::Array(length))
    }

    fn function_part(&mut self) -> Res<Part> {
        if self.eat(Word::RParen) {
            return Ok(Part::Function(Params { list: Vec::new(), old_style: false }, false, false));
        }
        // `(a, b)`: names of an old-style definition.
        if self.word() == Word::Ident && !self.starts_type() {
            let mut list = Vec::new();
            loop {
                if self.word() != Word::Ident {
                    return Err(self.expected("a parameter name"));
                }
                list.push(Param { name: Some(self.symbol()), ty: TypeId::INT.into(), span: self.span() });
                self.at += 1;
                if !self.eat(Word::Comma) {
                    break;
                }
            }
            self.expect(Word::RParen, "`)`")?;
            return Ok(Part::Function(Params { list, old_style: true }, false, false));
        }
        let depth = self.scopes.depth();
        self.scopes.open();
        let result = self.parameters();
        self.scopes.close_to(depth);
        let (list, variadic) = result?;
        Ok(Part::Function(Params { list, old_style: false }, variadic, true))
    }

    fn parameters(&mut self) -> Res<(Vec<Param>, bool)> {
        let mut list = Vec::new();
        loop {
            if self.eat(Word::Ellipsis) {
                self.expect(Word::RParen, "`)`")?;
                return Ok((list, true));
            }
            if !self.starts_declaration_word() {
                return Err(self.expected("a parameter"));
            }
            let s = self.specifiers()?;
            let d = self.declarator(s.ty, true)?;
            let is_void = list.is_empty() && d.ty.ty == TypeId::VOID && d.name.is_none();
            if is_void && self.eat(Word::RParen) {
                return Ok((list, false));
            }
            let ty = self.adjusted(d.ty);
            if let Some(name) = d.name {
                // Later parameters may name it, as in `int n, int a[n]`.
                let object = self.plain_object(Some(name), ty, Storage::Parameter, d.span);
                self.scopes.bind(name, Binding::Object(object));
            }
            list.push(Param { name: d.name, ty, span: d.span });
            if !self.eat(Word::Comma) {
                break;
            }
        }
        self.expect(Word::RParen, "`)`")?;
        Ok((list, false))
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub(super) fn adjusted(&mut self, q: Qual) -> Qual {
        match *self.unit.types.get(q.ty) {
            Type::Array(element, _) => self.unit.types.pointer(element).into(),
            Type::Function(_) => self.unit.types.pointer(q).into(),
            _ => q,
        }
    }

    /// Adds an object without linkage and initial value.
    pub(super) fn plain_object(
        &mut self,
        name: Option<Symbol>,
        ty: Qual,
        storage: Storage,
        span: Span,
    ) -> crate::tree::ObjectId {
        self.add_object(Object {
            name,
            ty,
            storage,
            linkage: Linkage::None,
            defined: true,
            weak: false,
            align: 0,
            init: None,
            span,
        })
    }
}
