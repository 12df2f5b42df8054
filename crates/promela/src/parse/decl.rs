//! Declarations of variables, channels, constants and types.

use super::tokens::{Base, Tok};
use super::{Parsed, Parser};
use crate::ast::*;
use ferrospin_source::{Diagnostic, Span};
use std::sync::Arc;

/// A declaration: of variables, or of `mtype` constants.
pub(super) enum Declared {
    Vars(VarDecl),
    Mtype(MtypeDecl),
}

impl<'a> Parser<'a> {
    /// `hidden`, `show` or `local`, if it is there, with its place.
    fn visibility(&mut self) -> Option<(Visibility, Span)> {
        let v = match self.peek() {
            Tok::Hidden => Visibility::Hidden,
            Tok::Show => Visibility::Show,
            Tok::Local => Visibility::Local,
            _ => return None,
        };
        Some((v, self.bump().span))
    }

    /// One declaration, without separator.
    pub(super) fn one_decl(&mut self) -> Parsed<Declared> {
        let from = self.peek_token().span;
        let visibility = self.visibility();
        let ty = match self.peek() {
            Tok::TypeName => {
                let t = self.bump();
                Type::Named(self.ident_of(t))
            }
            Tok::Type(base) => {
                let word = self.bump();
                match self.peek() {
                    Tok::LBrace | Tok::Assign => return self.mtype_list(base, word.span, None, visibility, from),
                    Tok::Colon => {
                        self.bump();
                        let name = self.name("the name of an `mtype` list")?;
                        if self.at(Tok::Assign) {
                            return self.mtype_list(base, word.span, Some(name), visibility, from);
                        }
                        self.subtype(base, name)
                    }
                    _ => base_type(base),
                }
            }
            _ => return Err(self.unexpected("a type", "of a declaration")),
        };
        let vars = self.var_list(&ty)?;
        Ok(Declared::Vars(VarDecl { visibility: visibility.map(|v| v.0), ty, vars, at: self.since(from) }))
    }

    /// The type `base : name`, which makes sense for `mtype` alone.
    fn subtype(&mut self, base: Base, name: Ident) -> Type {
        if base == Base::Mtype {
            return Type::Mtype(Some(name));
        }
        let message = format!("only `mtype` has named lists: `:{}` cannot follow this type", name.name);
        let d = Diagnostic::error("type", name.at.0, message);
        self.say(d.note("a width stands behind the variable: `unsigned x : 5`"));
        base_type(base)
    }

    /// `{ a, b }` of an `mtype` declaration, with the `=` before it.
    fn mtype_list(
        &mut self,
        base: Base,
        word: Span,
        name: Option<Ident>,
        visibility: Option<(Visibility, Span)>,
        from: Span,
    ) -> Parsed<Declared> {
        self.eat(Tok::Assign);
        if base != Base::Mtype {
            return Err(self.not_mtype(word));
        }
        let open = self.expect(Tok::LBrace, "to begin the list of `mtype` constants")?;
        let mut constants = vec![self.name("the name of an `mtype` constant")?];
        loop {
            match self.peek() {
                Tok::Name => {
                    let t = self.bump();
                    constants.push(self.ident_of(t));
                }
                Tok::Comma => {
                    self.bump();
                }
                Tok::RBrace => break,
                Tok::Eof => return Err(self.missing_brace(open.span)),
                _ => return Err(self.not_a_name("the name of an `mtype` constant")),
            }
        }
        self.bump();
        if let Some((_, span)) = visibility {
            let word = self.lx.map.snippet(span).to_string();
            let message = format!("`{word}` does not apply to `mtype` constants");
            let d = Diagnostic::error("mtype", span, message);
            self.say(d.suggest(span, "", "remove it"));
        }
        if self.in_body {
            let d = Diagnostic::error("mtype", self.since(from).0, "`mtype` constants are declared at top level");
            self.say(d.note("move the declaration out of the process"));
        }
        self.declare_mtypes(name.as_ref(), &constants);
        Ok(Declared::Mtype(MtypeDecl { name, constants, at: self.since(from) }))
    }

    /// Makes names `mtype` constants: each list counts from 1, each declaration from its end.
    pub(super) fn declare_mtypes(&mut self, list: Option<&Ident>, constants: &[Ident]) {
        let list: Arc<str> = list.map_or_else(|| "".into(), |i| i.name.clone());
        let count = self.mtype_lists.entry(list).or_insert(0);
        for name in constants.iter().rev() {
            *count += 1;
            self.lx.known.mtypes.entry(name.name.clone()).or_insert(*count);
        }
    }

    fn var_list(&mut self, ty: &Type) -> Parsed<Vec<Declarator>> {
        let mut vars = vec![self.declarator(ty)?];
        while self.eat(Tok::Comma) {
            if self.in_params && self.peek().is_decl_start() {
                let d = Diagnostic::error(
                    "parameter",
                    self.prev.span,
                    "parameters of different types are separated by `;`",
                );
                let span = self.prev.span;
                return Err(self.fail(d.suggest(span, ";", "write `;`")));
            }
            vars.push(self.declarator(ty)?);
        }
        Ok(vars)
    }

    fn declarator(&mut self, ty: &Type) -> Parsed<Declarator> {
        let name = self.name("the name of a variable")?;
        let from = name.at.0;
        if !self.in_body && &*name.name == "not" {
            self.lx.known.not_is_variable = true;
        }
        let shape = match self.peek() {
            Tok::Colon => {
                self.bump();
                if !self.peek().is_const() {
                    return Err(self.unexpected("a number", "of bits behind `:`"));
                }
                let t = self.peek_token();
                let value = match t.tok {
                    Tok::MtypeName => self.lx.known.mtypes.get(self.lx.token_text(&t)).copied().unwrap_or(0),
                    Tok::True | Tok::Skip => 1,
                    _ => t.value,
                };
                self.bump();
                Shape::Width(value.max(0) as u32)
            }
            Tok::LBracket => {
                self.bump();
                let bound = self.bound()?;
                self.expect(Tok::RBracket, "to close the array bound")?;
                Shape::Array(Box::new(bound))
            }
            _ => Shape::Scalar,
        };
        let init = if self.at(Tok::Assign) { Some(self.initializer(ty)?) } else { None };
        Ok(Declarator { name, shape, init, at: self.since(from) })
    }

    fn initializer(&mut self, ty: &Type) -> Parsed<Initializer> {
        let sign = self.bump();
        let init = match self.peek() {
            Tok::LBrace => {
                let open = self.bump();
                let mut list = Vec::new();
                loop {
                    if !self.peek().is_const() {
                        return Err(self.not_list_element());
                    }
                    list.push(self.constant());
                    if !self.eat(Tok::Comma) {
                        break;
                    }
                }
                self.expect(Tok::RBrace, "to close the list of values")?;
                Initializer::List(list, self.since(open.span))
            }
            Tok::LBracket => Initializer::Chan(self.chan_init()?),
            _ => {
                let e = self.expr()?;
                if self.in_body
                    && let Some(span) = find_run(&e)
                {
                    let d = Diagnostic::error("run", span, "`run` cannot be used to initialise a variable");
                    self.say(d.note("declare the variable first and assign to it in a statement of its own"));
                }
                if self.at(Tok::LBrace) && *ty == Type::Chan {
                    return Err(self.unexpected("`[n] of { ... }`", "to initialise a channel"));
                }
                Initializer::Expr(e)
            }
        };
        if self.in_params {
            let d = Diagnostic::error("parameter", self.since(sign.span).0, "a parameter cannot have an initialiser");
            self.say(d.note("parameters get their values from `run`; with `active` they are zero"));
        }
        Ok(init)
    }

    fn chan_init(&mut self) -> Parsed<ChanInit> {
        let open = self.bump();
        let capacity = self.const_expr()?;
        self.expect(Tok::RBracket, "to close the capacity")?;
        self.expect(Tok::Of, "between the capacity and the message type")?;
        self.expect(Tok::LBrace, "to begin the message type")?;
        let mut fields = vec![self.field_type()?];
        while self.eat(Tok::Comma) {
            fields.push(self.field_type()?);
        }
        self.expect(Tok::RBrace, "to close the message type")?;
        Ok(ChanInit { capacity, fields, at: self.since(open.span) })
    }

    fn field_type(&mut self) -> Parsed<(Type, At)> {
        let from = self.peek_token().span;
        let ty = match self.peek() {
            Tok::TypeName => {
                let t = self.bump();
                Type::Named(self.ident_of(t))
            }
            Tok::Type(base) => {
                self.bump();
                let ty = if self.eat(Tok::Colon) {
                    if base == Base::Unsigned && self.peek().is_const() {
                        self.bump();
                        base_type(base)
                    } else {
                        let name = self.name("the name of an `mtype` list")?;
                        self.subtype(base, name)
                    }
                } else {
                    base_type(base)
                };
                if base == Base::Unsigned {
                    let at = self.since(from).0;
                    let d = Diagnostic::error("type", at, "a message field cannot be `unsigned`");
                    self.say(d.note("use `byte`, `short` or `int`"));
                }
                ty
            }
            _ => return Err(self.not_field_type()),
        };
        Ok((ty, self.since(from)))
    }

    /// Declarations separated by `;` up to the closing token, which stays.
    pub(super) fn decl_list(&mut self, what: &str) -> Parsed<Vec<VarDecl>> {
        let mut list = Vec::new();
        loop {
            if !self.peek().is_decl_start() {
                return Err(self.unexpected(what, ""));
            }
            match self.one_decl()? {
                Declared::Vars(d) => list.push(d),
                Declared::Mtype(m) => {
                    if !self.in_body {
                        let d = Diagnostic::error("mtype", m.at.0, "`mtype` constants are declared at top level");
                        self.say(d);
                    }
                }
            }
            if !self.eat(Tok::Semi) {
                return Ok(list);
            }
        }
    }
}

pub(super) fn base_type(base: Base) -> Type {
    match base {
        Base::Bit => Type::Bit,
        Base::Bool => Type::Bool,
        Base::Byte => Type::Byte,
        Base::Pid => Type::Pid,
        Base::Short => Type::Short,
        Base::Int => Type::Int,
        Base::Unsigned => Type::Unsigned,
        Base::Mtype => Type::Mtype(None),
        Base::Chan => Type::Chan,
    }
}

/// The first `run` in an expression.
fn find_run(e: &Expr) -> Option<Span> {
    match &e.kind {
        ExprKind::Run { .. } => Some(e.at.0),
        ExprKind::Unary(_, a) => find_run(a),
        ExprKind::Binary(_, a, b) => find_run(a).or_else(|| find_run(b)),
        ExprKind::Cond(a, b, c) => find_run(a).or_else(|| find_run(b)).or_else(|| find_run(c)),
        _ => None,
    }
}
