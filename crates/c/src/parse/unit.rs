//! Declarations: of files, blocks and headers of `for`.

use super::attribute::align_log;
use super::declarator::Declarator;
use super::scope::Binding;
use super::specifier::Specifiers;
use super::{Parser, Res};
use crate::tree::{Linkage, Object, ObjectId, Storage};
use crate::types::{Length, Qual, Type, TypeId};
use crate::word::Word;
use ferrospin_source::{Diagnostic, Span};

impl Parser<'_> {
    /// Reads a whole unit.
    pub(crate) fn read_unit(&mut self) {
        self.predeclare();
        loop {
            self.pragmas();
            if self.word() == Word::End {
                return;
            }
            if self.eat(Word::Semi) {
                continue;
            }
            let start = self.at;
            if self.external_declaration().is_err() {
                self.nest = 0;
                self.scopes.close_to(0);
                self.function = None;
                self.recover(start);
            }
        }
    }

    /// Goes behind a declaration that could not be read, which began at `start`.
    fn recover(&mut self, start: usize) {
        let reached = self.at;
        let mut at = start;
        let mut depth = 0u32;
        let mut is_function = false;
        loop {
            match self.word_at(at) {
                Word::End => break,
                Word::LBrace => {
                    if depth == 0 {
                        is_function = at > start && self.word_at(at - 1) == Word::RParen;
                    }
                    depth += 1;
                }
                Word::LParen | Word::LBracket => depth += 1,
                Word::RParen | Word::RBracket => depth = depth.saturating_sub(1),
                Word::RBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && (is_function || at == start) {
                        at += 1;
                        break;
                    }
                }
                Word::Semi if depth == 0 => {
                    at += 1;
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        // What was understood before the mistake is not read again.
        self.at = if at > start { at } else { start + 1 };
        debug_assert!(self.at > start && reached <= self.pieces.list.len() + 1);
    }

    fn external_declaration(&mut self) -> Res<()> {
        match self.word() {
            Word::StaticAssert => return self.static_assert(),
            Word::Asm => {
                let span = self.bump();
                while matches!(self.word(), Word::Volatile | Word::Inline) {
                    self.at += 1;
                }
                let from = self.at;
                if self.word() == Word::LParen {
                    self.skip_balanced();
                }
                let strings = (from..self.at).filter(|&i| self.word_at(i) == Word::Str);
                let text: String =
                    strings.map(|i| self.pieces.text(self.piece_at(i).text).trim_matches('"').to_string()).collect();
                self.unit.assembly.push((text, span));
                return Ok(());
            }
            _ => {}
        }
        let start = self.span();
        let is_old_function = self.word() == Word::Ident && !self.starts_type() && self.peek() == Word::LParen;
        let is_implicit_int =
            self.word() == Word::Ident && matches!(self.peek(), Word::Assign | Word::Semi | Word::LBracket);
        if !(self.starts_declaration_word() || is_old_function || is_implicit_int || self.word() == Word::Star) {
            if self.word() == Word::Ident {
                let text = self.text().to_string();
                let diagnostic = Diagnostic::error("c-unknown-type", start, format!("unknown type name `{text}`"));
                return Err(self.say(diagnostic.label("no typedef of this name is known here")));
            }
            return Err(self.expected("a declaration"));
        }
        let s = self.specifiers()?;
        if self.eat(Word::Semi) {
            return Ok(());
        }
        let d = self.declarator(s.ty, false)?;
        let is_function = matches!(self.unit.types.get(d.ty.ty), Type::Function(_));
        let old_style = d.params.as_ref().is_some_and(|p| p.old_style);
        if is_function
            && !s.typedef
            && d.params.is_some()
            && (self.word() == Word::LBrace || (self.starts_type() && (old_style || self.word() != Word::Attribute)))
        {
            return self.function_definition(&s, d, start);
        }
        let mut made = Vec::new();
        self.declarators(&s, d, &mut made)
    }

    /// A declaration in a block, up to its `;`. The objects with a life in the block come to `made`.
    pub(super) fn block_declaration(&mut self, made: &mut Vec<ObjectId>) -> Res<()> {
        if self.word() == Word::StaticAssert {
            return self.static_assert();
        }
        let start = self.span();
        let s = self.specifiers()?;
        if self.eat(Word::Semi) {
            return Ok(());
        }
        let d = self.declarator(s.ty, false)?;
        if self.word() == Word::LBrace && d.params.is_some() {
            let message = "functions inside of functions are not read";
            return Err(self.error(start, "c-unsupported", message));
        }
        self.declarators(&s, d, made)
    }

    fn declarators(&mut self, s: &Specifiers, first: Declarator, made: &mut Vec<ObjectId>) -> Res<()> {
        let mut d = first;
        loop {
            self.declare(s, d, made)?;
            if !self.eat(Word::Comma) {
                break;
            }
            d = self.declarator(s.ty, false)?;
        }
        self.pragmas();
        self.expect(Word::Semi, "`;`")?;
        Ok(())
    }

    fn declare(&mut self, s: &Specifiers, d: Declarator, made: &mut Vec<ObjectId>) -> Res<()> {
        let name = d.name.expect("only abstract declarators have no name");
        let align = s.align.max(d.attributes.align);
        let mut ty = d.ty;
        if s.typedef {
            if align > 0 {
                ty.align = align_log(align);
            }
            if let Some(Binding::Typedef(before)) = self.scopes.own_name(name)
                && !self.unit.types.compatible(before.ty, ty.ty)
            {
                let (text, was, is) = (self.name(name).to_string(), self.show(before), self.show(ty));
                let message = format!("`{text}` is declared as `{is}`, before it was `{was}`");
                return Err(self.error(d.span, "c-redefined", message));
            }
            if (d.attributes.transparent || s.attributes.transparent)
                && let Some(id) = self.unit.types.record_of(ty.ty)
            {
                self.unit.types.records[id.0 as usize].transparent = true;
            }
            self.scopes.bind(name, Binding::Typedef(ty));
            return Ok(());
        }
        let is_function = matches!(self.unit.types.get(ty.ty), Type::Function(_));
        let at_file = self.scopes.depth() == 0;
        let has_value = self.word() == Word::Assign;
        let weak = d.attributes.weak || s.attributes.weak;
        if is_function || at_file || s.external {
            let linkage = if s.internal { Linkage::Internal } else { Linkage::External };
            let storage = if s.thread { Storage::Thread } else { Storage::Static };
            let defined = !is_function && (!s.external || has_value);
            let id = self.declare_linked(Object {
                name: Some(name),
                ty,
                storage,
                linkage,
                defined,
                weak,
                align,
                init: None,
                span: d.span,
            })?;
            self.scopes.bind(name, Binding::Object(id));
            if self.eat(Word::Assign) {
                self.initialise(id, s.auto)?;
            }
            let ty = self.unit.object(id).ty;
            if defined && !is_function && !has_value && !matches!(self.unit.types.get(ty.ty), Type::Array(..)) {
                // A tentative definition of a structure may be completed later in the file.
                if self.unit.types.record_of(ty.ty).is_none() && !matches!(self.unit.types.get(ty.ty), Type::Enum(_)) {
                    self.check_complete(ty, d.span, "the variable")?;
                }
            }
            return Ok(());
        }
        let storage = match (s.internal, s.thread) {
            (_, true) => Storage::Thread,
            (true, _) => Storage::Static,
            _ => Storage::Automatic,
        };
        if let Some(Binding::Object(before)) = self.scopes.own_name(name)
            && self.unit.object(before).linkage == Linkage::None
        {
            let text = self.name(name).to_string();
            let before = self.unit.object(before).span;
            return Err(self.say(
                Diagnostic::error("c-redefined", d.span, format!("`{text}` is declared again"))
                    .also(before, "the first declaration is here"),
            ));
        }
        let id = self.plain_object(Some(name), ty, storage, d.span);
        self.unit.objects[id.0 as usize].align = align;
        // The name is known in its own initialiser.
        self.scopes.bind(name, Binding::Object(id));
        if self.eat(Word::Assign) {
            self.initialise(id, s.auto)?;
        }
        let ty = self.unit.object(id).ty;
        self.check_complete(ty, d.span, "the variable")?;
        made.push(id);
        Ok(())
    }

    /// Makes an object with linkage known, or finds the one it is.
    pub(super) fn declare_linked(&mut self, new: Object) -> Res<ObjectId> {
        let name = new.name.expect("linked objects have names");
        let Some(&id) = self.linked.get(&name) else {
            let id = self.add_object(new);
            self.linked.insert(name, id);
            return Ok(id);
        };
        let old = self.unit.object(id);
        let (old_ty, old_span) = (old.ty, old.span);
        if !self.unit.types.compatible(old_ty.ty, new.ty.ty) && !self.alike(old_ty.ty, new.ty.ty) {
            let (text, was, is) = (self.name(name).to_string(), self.show(old_ty), self.show(new.ty));
            return Err(self.say(
                Diagnostic::error("c-redefined", new.span, format!("`{text}` is declared with another type"))
                    .label(format!("here it is `{is}`"))
                    .also(old_span, format!("here it was `{was}`")),
            ));
        }
        let better = self.composite(old_ty, new.ty);
        let old = &mut self.unit.objects[id.0 as usize];
        old.ty = better;
        old.defined |= new.defined;
        old.weak |= new.weak;
        old.align = old.align.max(new.align);
        if new.linkage == Linkage::Internal {
            old.linkage = Linkage::Internal;
        }
        Ok(id)
    }

    /// Whether types that are not compatible are still taken, as GCC takes them: an old-style declaration against one
    /// with narrow parameters.
    fn alike(&self, a: TypeId, b: TypeId) -> bool {
        match (self.unit.types.signature(a), self.unit.types.signature(b)) {
            (Some(f), Some(g)) => {
                self.unit.types.compatible(f.result.ty, g.result.ty)
                    && f.params.len() == g.params.len()
                    && f.params.iter().zip(g.params.iter()).all(|(p, q)| {
                        self.unit.types.compatible(p.ty, q.ty)
                            || self.is_transparent(p.ty)
                            || self.is_transparent(q.ty)
                            || (self.unit.types.is_integer(p.ty) && self.unit.types.is_integer(q.ty))
                    })
            }
            _ => false,
        }
    }

    pub(super) fn is_transparent(&self, ty: TypeId) -> bool {
        self.unit.types.record_of(ty).is_some_and(|r| {
            let record = self.unit.types.record(r);
            record.is_union && record.transparent
        })
    }

    /// Of two compatible types the one that tells more.
    fn composite(&self, a: Qual, b: Qual) -> Qual {
        let align = a.align.max(b.align);
        let better = match (self.unit.types.get(a.ty), self.unit.types.get(b.ty)) {
            (Type::Array(_, Length::Unknown), Type::Array(..)) => b,
            (Type::Function(f), Type::Function(g)) if !f.prototyped && g.prototyped => b,
            _ => a,
        };
        Qual { align, ..better }
    }

    /// Where an expression statement or a declaration begins: whether it is a declaration.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.word() {
            Word::StaticAssert => true,
            // A typedef's name followed by `:` is a label.
            Word::Ident => self.peek() != Word::Colon && self.starts_type(),
            Word::Attribute => self.attribute_declares(),
            Word::LBracket if self.peek() == Word::LBracket => self.attribute_declares(),
            _ => self.starts_type(),
        }
    }

    /// Whether what stands behind attributes is a declaration.
    fn attribute_declares(&self) -> bool {
        let mut at = self.at;
        loop {
            match self.word_at(at) {
                Word::Attribute => at = self.behind_brackets(at + 1),
                Word::LBracket if self.word_at(at + 1) == Word::LBracket => at = self.behind_brackets(at),
                Word::Semi | Word::End => return false,
                _ => return self.starts_type_at(at),
            }
        }
    }

    fn behind_brackets(&self, from: usize) -> usize {
        let mut depth = 0u32;
        let mut at = from;
        loop {
            match self.word_at(at) {
                Word::LParen | Word::LBracket | Word::LBrace => depth += 1,
                Word::RParen | Word::RBracket | Word::RBrace => depth = depth.saturating_sub(1),
                Word::End => return at,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return at;
            }
        }
    }

    /// The place of a whole declaration.
    pub(super) fn whole(&self, start: Span) -> Span {
        self.from(start)
    }
}
