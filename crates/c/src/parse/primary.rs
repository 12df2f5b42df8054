//! Names, constants, strings, parentheses, `_Generic`, statement expressions.

use super::scope::Binding;
use super::{Parser, Res};
use crate::literal::{self, Number};
use crate::tree::{Const, ExprId, ExprKind, Linkage, Object, Stmt, Storage, Str};
use crate::types::{Length, Qual, Signature, Type, TypeId};
use crate::word::Word;
use ferrospin_source::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn postfix_expression(&mut self) -> Res<ExprId> {
        let e = self.primary()?;
        self.postfix(e)
    }

    fn primary(&mut self) -> Res<ExprId> {
        let span = self.span();
        match self.word() {
            Word::Ident => self.identifier(),
            Word::Number => {
                let text = self.text();
                self.at += 1;
                match literal::number(text, &self.unit.types) {
                    Ok(Number::Int(value, kind)) => self.int_const(value as i128, super::typing::int_type(kind), span),
                    Ok(Number::Float(value, kind, imaginary)) => {
                        let ty =
                            self.unit.types.intern(if imaginary { Type::Complex(kind) } else { Type::Float(kind) });
                        let e = self.add(ExprKind::Const, ty, span, &[])?;
                        Ok(self.with_value(e, (!imaginary).then_some(Const::Float(value))))
                    }
                    Err(message) => Err(self.error(span, "c-constant", message)),
                }
            }
            Word::Char => {
                let text = self.text();
                self.at += 1;
                match literal::quoted(text, &self.unit.types) {
                    Ok((units, width, element)) if !units.is_empty() => {
                        let ty = if width == 1 { TypeId::INT } else { element };
                        self.int_const(literal::character(&units, width, element), ty, span)
                    }
                    Ok(_) => Err(self.error(span, "c-constant", "a character constant holds a character")),
                    Err(message) => Err(self.error(span, "c-constant", message)),
                }
            }
            Word::Str => self.string(),
            Word::LParen => {
                self.at += 1;
                if self.word() == Word::LBrace {
                    return self.statement_expression(span);
                }
                let e = self.nested(Self::expression)?;
                self.expect(Word::RParen, "`)`")?;
                Ok(e)
            }
            Word::Generic => self.generic(),
            Word::Function => self.own_name(),
            _ => Err(self.expected("an expression")),
        }
    }

    fn identifier(&mut self) -> Res<ExprId> {
        let (name, span) = (self.symbol(), self.span());
        match self.scopes.name(name) {
            Some(Binding::Constant(value, ty)) => {
                self.at += 1;
                self.int_const(value, ty, span)
            }
            Some(Binding::Object(id)) => {
                self.at += 1;
                let q = self.unit.object(id).ty;
                let is_function = matches!(self.unit.types.get(q.ty), Type::Function(_));
                if is_function && self.word() == Word::LParen && self.name(name).starts_with("__builtin_") {
                    return self.builtin_or_function(name, span, Some(id));
                }
                let e = self.add(ExprKind::Object(id), q, span, &[])?;
                self.unit.exprs[e.0 as usize].lvalue = !is_function;
                Ok(e)
            }
            Some(Binding::Typedef(_)) => {
                let text = self.name(name).to_string();
                Err(self.error(span, "c-syntax", format!("`{text}` is a type; a value is expected here")))
            }
            None => {
                self.at += 1;
                if self.word() == Word::LParen {
                    return self.builtin_or_function(name, span, None);
                }
                let text = self.name(name).to_string();
                let first = self.unknown.insert(name);
                let mut d = Diagnostic::error("c-unknown-name", span, format!("`{text}` is not declared"));
                if first {
                    d = d.note("each name is reported once in a file");
                    self.say(d);
                }
                Err(super::Lost)
            }
        }
    }

    /// A function that is called without a declaration: `int name()`.
    pub(super) fn implicit_function(&mut self, name: ferrospin_cpp::Symbol, span: Span) -> Res<ExprId> {
        let signature = Signature { result: TypeId::INT.into(), params: [].into(), variadic: false, prototyped: false };
        let ty = self.unit.types.intern(Type::Function(signature));
        let id = self.declare_linked(Object {
            name: Some(name),
            ty: ty.into(),
            storage: Storage::Static,
            linkage: Linkage::External,
            defined: false,
            weak: false,
            align: 0,
            init: None,
            span,
        })?;
        let ty = self.unit.object(id).ty;
        if self.unknown.insert(name) {
            let text = self.name(name).to_string();
            let message = format!("`{text}` is called without a declaration");
            let lint = Diagnostic::lint(ferrospin_source::Severity::Warning, "c-implicit-function", span, message);
            self.say(lint.note("it is taken to return `int`"));
        }
        self.add(ExprKind::Object(id), ty, span, &[])
    }

    /// Strings side by side are one.
    fn string(&mut self) -> Res<ExprId> {
        let span = self.span();
        let mut units: Vec<u32> = Vec::new();
        let (mut width, mut element) = (1u8, TypeId::CHAR);
        let first = self.at;
        let mut at = first;
        // The widest prefix decides for all.
        while self.word_at(at) == Word::Str {
            let text = self.pieces.text(self.piece_at(at).text);
            if !text.starts_with('"')
                && let Ok((_, w, e)) =
                    literal::quoted(&text[..text.find('"').unwrap_or(0)].to_string().add_quotes(), &self.unit.types)
                && w > width
            {
                (width, element) = (w, e);
            }
            at += 1;
        }
        while self.word() == Word::Str {
            let text = self.text();
            let at = self.bump();
            let widened;
            let text = if width > 1 && text.starts_with('"') {
                let prefix = match width {
                    2 => "u",
                    _ if element == TypeId::UINT => "U",
                    _ => "L",
                };
                widened = format!("{prefix}{text}");
                &widened
            } else {
                text
            };
            match literal::quoted(text, &self.unit.types) {
                Ok((more, _, _)) => units.extend(more),
                Err(message) => return Err(self.error(at, "c-constant", message)),
            }
        }
        let length = units.len() as u64 + 1;
        let id = self.add_string(Str { units: units.into(), width });
        let ty = self.unit.types.intern(Type::Array(element.into(), Length::Known(length)));
        self.lvalue(ExprKind::Str(id), ty.into(), self.from(span), &[])
    }

    /// `__func__`.
    fn own_name(&mut self) -> Res<ExprId> {
        let span = self.bump();
        let Some(frame) = self.function.as_ref() else {
            let id = self.add_string(Str { units: [].into(), width: 1 });
            let ty = self.unit.types.intern(Type::Array(TypeId::CHAR.into(), Length::Known(1)));
            return self.lvalue(ExprKind::Str(id), ty.into(), span, &[]);
        };
        let units: Vec<u32> = self.name(frame.name).bytes().map(u32::from).collect();
        let length = units.len() as u64 + 1;
        let id = self.add_string(Str { units: units.into(), width: 1 });
        let element = Qual { ty: TypeId::CHAR, quals: crate::types::CONST, align: 0 };
        let ty = self.unit.types.intern(Type::Array(element, Length::Known(length)));
        self.lvalue(ExprKind::Str(id), ty.into(), span, &[])
    }

    /// `({ ... })`, at the brace.
    fn statement_expression(&mut self, span: Span) -> Res<ExprId> {
        if self.function.is_none() {
            return Err(self.error(span, "c-syntax", "`({ ... })` belongs into a function"));
        }
        let block = self.block()?;
        self.expect(Word::RParen, "`)`")?;
        // The value is that of the last expression, if there is one.
        let last = match self.unit.stmt(block) {
            Stmt::Block(list) => list.last().copied(),
            _ => None,
        };
        let mut ty: Qual = TypeId::VOID.into();
        if let Some(last) = last {
            let mut at = last;
            loop {
                match *self.unit.stmt(at) {
                    Stmt::Label(_, inner) | Stmt::Case(_, _, inner) | Stmt::Default(inner) => at = inner,
                    Stmt::Expr(e) => {
                        // As a value: arrays become pointers.
                        let value = self.rvalue_or_void(e)?;
                        self.unit.stmts[at.0 as usize] = Stmt::Expr(value);
                        ty = self.ty(value).into();
                        break;
                    }
                    _ => break,
                }
            }
        }
        self.add(ExprKind::Statement(block), ty, self.from(span), &[])
    }

    /// `_Generic(e, type: value, default: value)`.
    fn generic(&mut self) -> Res<ExprId> {
        let span = self.bump();
        self.expect(Word::LParen, "`(`")?;
        let q = if self.starts_type() {
            self.type_name()?
        } else {
            let e = self.assignment()?;
            let e = self.rvalue_or_void(e)?;
            Qual::from(self.ty(e))
        };
        let (mut chosen, mut other) = (None, None);
        while self.eat(Word::Comma) {
            let fits = if self.eat(Word::Default) {
                None
            } else {
                let candidate = self.type_name()?;
                Some(candidate.quals == q.quals && self.same_type(candidate.ty, q.ty))
            };
            self.expect(Word::Colon, "`:`")?;
            let e = self.assignment()?;
            match fits {
                None => other = Some(e),
                Some(true) if chosen.is_none() => chosen = Some(e),
                _ => {}
            }
        }
        self.expect(Word::RParen, "`)`")?;
        match chosen.or(other) {
            Some(e) => Ok(e),
            None => {
                let shown = self.show(q);
                Err(self.error(self.from(span), "c-type", format!("no part of this `_Generic` is for `{shown}`")))
            }
        }
    }

    fn same_type(&self, a: TypeId, b: TypeId) -> bool {
        self.unit.types.compatible(a, b)
    }
}

trait AddQuotes {
    fn add_quotes(self) -> String;
}

impl AddQuotes for String {
    /// A string constant with this prefix and nothing in it.
    fn add_quotes(self) -> String {
        self + "\"\""
    }
}
