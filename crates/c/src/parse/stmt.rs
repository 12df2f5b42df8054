//! Statements.

use super::{Parser, Res};
use crate::tree::{Asm, ExprId, ObjectId, Stmt, StmtId};
use crate::types::{IntKind, TypeId};
use crate::word::Word;

impl Parser<'_> {
    /// `{ ... }` with a scope of its own.
    pub(super) fn block(&mut self) -> Res<StmtId> {
        self.scopes.open();
        let depth = self.scopes.depth();
        let result = self.nested(Self::block_without_scope);
        self.scopes.close_to(depth - 1);
        result
    }

    /// `{ ... }` in the current scope.
    pub(super) fn block_without_scope(&mut self) -> Res<StmtId> {
        self.expect(Word::LBrace, "`{`")?;
        let saved = self.local_labels()?;
        let mut list = Vec::new();
        loop {
            self.pragmas();
            match self.word() {
                Word::RBrace => break,
                Word::End => return Err(self.expected("`}`")),
                _ => {}
            }
            self.block_item(&mut list)?;
        }
        self.at += 1;
        if let Some(names) = saved {
            self.function.as_mut().expect("blocks are in functions").label_names = names;
        }
        Ok(self.add_stmt(Stmt::Block(list.into())))
    }

    /// `__label__ a, b;` at the start of a block: those labels are new. Gives the labels to put back.
    fn local_labels(&mut self) -> Res<Option<rustc_hash::FxHashMap<ferrospin_cpp::Symbol, crate::tree::LabelId>>> {
        let mut saved = None;
        while self.eat(Word::Label_) {
            let Some(frame) = self.function.as_mut() else { return Err(self.expected("a statement")) };
            saved.get_or_insert_with(|| frame.label_names.clone());
            loop {
                let (name, span) = (self.symbol(), self.span());
                self.expect(Word::Ident, "a label")?;
                self.function.as_mut().expect("looked above").label_names.remove(&name);
                self.label(name, span)?;
                if !self.eat(Word::Comma) {
                    break;
                }
            }
            self.expect(Word::Semi, "`;`")?;
        }
        Ok(saved)
    }

    fn block_item(&mut self, list: &mut Vec<StmtId>) -> Res<()> {
        if self.starts_declaration() {
            let mut made = Vec::new();
            self.nested(|p| p.block_declaration(&mut made))?;
            self.declare_made(made, list);
            return Ok(());
        }
        let stmt = self.statement()?;
        list.push(stmt);
        Ok(())
    }

    fn declare_made(&mut self, made: Vec<ObjectId>, list: &mut Vec<StmtId>) {
        if !made.is_empty() {
            let stmt = self.add_stmt(Stmt::Declare(made.into()));
            list.push(stmt);
        }
    }

    pub(super) fn statement(&mut self) -> Res<StmtId> {
        self.nested(Self::statement_inner)
    }

    fn statement_inner(&mut self) -> Res<StmtId> {
        self.pragmas();
        let span = self.span();
        match self.word() {
            Word::LBrace => self.block(),
            Word::Semi => {
                self.at += 1;
                Ok(self.add_stmt(Stmt::Empty))
            }
            Word::If => self.if_chain(),
            Word::While => {
                self.at += 1;
                let c = self.parenthesised_condition()?;
                let body = self.loop_body()?;
                Ok(self.add_stmt(Stmt::While(c, body)))
            }
            Word::Do => {
                self.at += 1;
                let body = self.loop_body()?;
                self.expect(Word::While, "`while`")?;
                let c = self.parenthesised_condition()?;
                self.expect(Word::Semi, "`;`")?;
                Ok(self.add_stmt(Stmt::DoWhile(body, c)))
            }
            Word::For => self.for_statement(),
            Word::Switch => {
                self.at += 1;
                self.expect(Word::LParen, "`(`")?;
                let e = self.expression()?;
                let e = self.rvalue(e)?;
                self.expect(Word::RParen, "`)`")?;
                if !self.unit.types.is_integer(self.ty(e)) && self.ty(e) != TypeId::UNKNOWN {
                    let shown = self.show(self.ty(e));
                    let message = format!("`switch` looks at an integer, not at `{shown}`");
                    return Err(self.error(span, "c-type", message));
                }
                let e = self.promote(e)?;
                let ty = self.ty(e);
                self.frame().switches.push(ty);
                let body = self.statement();
                self.frame().switches.pop();
                let body = body?;
                Ok(self.add_stmt(Stmt::Switch(e, body)))
            }
            Word::Case | Word::Default => self.cases(),
            Word::Ident if self.peek() == Word::Colon => {
                let name = self.symbol();
                self.at += 2;
                let label = self.set_label(name, span)?;
                self.attributes()?;
                let body = self.labelled()?;
                Ok(self.add_stmt(Stmt::Label(label, body)))
            }
            Word::Goto => {
                self.at += 1;
                let stmt = if self.eat(Word::Star) {
                    let e = self.expression()?;
                    let e = self.rvalue(e)?;
                    Stmt::GotoAddress(e)
                } else {
                    let (name, at) = (self.symbol(), self.span());
                    self.expect(Word::Ident, "a label")?;
                    Stmt::Goto(self.label(name, at)?)
                };
                self.expect(Word::Semi, "`;`")?;
                Ok(self.add_stmt(stmt))
            }
            Word::Break | Word::Continue => {
                let is_break = self.word() == Word::Break;
                self.at += 1;
                self.expect(Word::Semi, "`;`")?;
                let frame = self.frame();
                if frame.loops == 0 && (!is_break || frame.switches.is_empty()) {
                    let word = if is_break { "break" } else { "continue" };
                    return Err(self.error(span, "c-syntax", format!("`{word}` has nothing around it to leave")));
                }
                Ok(self.add_stmt(if is_break { Stmt::Break } else { Stmt::Continue }))
            }
            Word::Return => self.return_statement(),
            Word::Asm => self.asm_statement(),
            Word::Attribute => {
                self.attributes()?;
                self.statement()
            }
            Word::LBracket if self.peek() == Word::LBracket => {
                self.attributes()?;
                self.statement()
            }
            _ => {
                let e = self.expression()?;
                let e = self.discarded(e)?;
                self.expect(Word::Semi, "`;`")?;
                Ok(self.add_stmt(Stmt::Expr(e)))
            }
        }
    }

    /// `case` and `default` and the statement behind them. Long runs of labels are read without recursion.
    fn cases(&mut self) -> Res<StmtId> {
        let mut labels = Vec::new();
        loop {
            let span = self.span();
            match self.word() {
                Word::Case => {
                    self.at += 1;
                    let Some(&ty) = self.frame().switches.last() else {
                        return Err(self.error(span, "c-syntax", "`case` outside of `switch`"));
                    };
                    let kind = self.unit.types.int_kind(ty).unwrap_or(IntKind::Int);
                    let low = self.constant_expression()?;
                    let high = if self.eat(Word::Ellipsis) { self.constant_expression()? } else { low };
                    let low = crate::fold::wrap(&self.unit.types, kind, low);
                    labels.push(Some((low, crate::fold::wrap(&self.unit.types, kind, high))));
                }
                Word::Default => {
                    self.at += 1;
                    if self.frame().switches.is_empty() {
                        return Err(self.error(span, "c-syntax", "`default` outside of `switch`"));
                    }
                    labels.push(None);
                }
                _ => break,
            }
            self.expect(Word::Colon, "`:`")?;
            self.pragmas();
        }
        let mut body = self.labelled()?;
        for label in labels.into_iter().rev() {
            body = self.add_stmt(match label {
                Some((low, high)) => Stmt::Case(low, high, body),
                None => Stmt::Default(body),
            });
        }
        Ok(body)
    }

    fn frame(&mut self) -> &mut super::function::Frame {
        self.function.as_mut().expect("statements are in functions")
    }

    /// The statement behind a label; at the end of a block there need not be one, and a declaration may stand there.
    fn labelled(&mut self) -> Res<StmtId> {
        self.pragmas();
        if self.word() == Word::RBrace {
            return Ok(self.add_stmt(Stmt::Empty));
        }
        if self.starts_declaration() {
            let mut list = Vec::new();
            self.block_item(&mut list)?;
            return Ok(match list.first() {
                Some(&stmt) => stmt,
                None => self.add_stmt(Stmt::Empty),
            });
        }
        self.statement()
    }

    fn loop_body(&mut self) -> Res<StmtId> {
        self.frame().loops += 1;
        let body = self.statement();
        self.frame().loops -= 1;
        body
    }

    fn parenthesised_condition(&mut self) -> Res<ExprId> {
        self.expect(Word::LParen, "`(`")?;
        let e = self.expression()?;
        let e = self.condition(e)?;
        self.expect(Word::RParen, "`)`")?;
        Ok(e)
    }

    /// `if (a) ... else if (b) ... else ...`: chains of any length, without recursion.
    fn if_chain(&mut self) -> Res<StmtId> {
        let mut links = Vec::new();
        let mut last = None;
        while self.word() == Word::If {
            self.at += 1;
            let c = self.parenthesised_condition()?;
            let then = self.statement()?;
            links.push((c, then));
            self.pragmas();
            if !self.eat(Word::Else) {
                break;
            }
            if self.word() != Word::If {
                last = Some(self.statement()?);
                break;
            }
        }
        for (c, then) in links.into_iter().rev() {
            last = Some(self.add_stmt(Stmt::If(c, then, last)));
        }
        Ok(last.expect("the chain has a link"))
    }

    fn for_statement(&mut self) -> Res<StmtId> {
        self.at += 1;
        self.expect(Word::LParen, "`(`")?;
        self.scopes.open();
        let depth = self.scopes.depth();
        let result = self.for_parts();
        self.scopes.close_to(depth - 1);
        result
    }

    fn for_parts(&mut self) -> Res<StmtId> {
        let mut first = None;
        if self.starts_declaration() {
            let mut made = Vec::new();
            self.block_declaration(&mut made)?;
            if !made.is_empty() {
                first = Some(self.add_stmt(Stmt::Declare(made.into())));
            }
        } else if !self.eat(Word::Semi) {
            let e = self.expression()?;
            let e = self.discarded(e)?;
            self.expect(Word::Semi, "`;`")?;
            first = Some(self.add_stmt(Stmt::Expr(e)));
        }
        let mut condition = None;
        if self.word() != Word::Semi {
            let e = self.expression()?;
            condition = Some(self.condition(e)?);
        }
        self.expect(Word::Semi, "`;`")?;
        let mut step = None;
        if self.word() != Word::RParen {
            let e = self.expression()?;
            step = Some(self.discarded(e)?);
        }
        self.expect(Word::RParen, "`)`")?;
        let body = self.loop_body()?;
        Ok(self.add_stmt(Stmt::For(first, condition, step, body)))
    }

    fn return_statement(&mut self) -> Res<StmtId> {
        let span = self.bump();
        if self.eat(Word::Semi) {
            return Ok(self.add_stmt(Stmt::Return(None)));
        }
        let e = self.expression()?;
        let result = self.frame().result;
        let e = if result.ty == TypeId::VOID {
            self.discarded(e)?
        } else {
            let e = self.rvalue(e)?;
            self.assignable(e, result, span, "returned")?
        };
        self.expect(Word::Semi, "`;`")?;
        Ok(self.add_stmt(Stmt::Return(Some(e))))
    }

    fn asm_statement(&mut self) -> Res<StmtId> {
        self.at += 1;
        while matches!(self.word(), Word::Volatile | Word::Inline | Word::Goto | Word::Const) {
            self.at += 1;
        }
        self.expect(Word::LParen, "`(`")?;
        let mut asm = Asm { template: String::new(), operands: false, memory: false, labels: Vec::new() };
        let mut section = 0;
        loop {
            match self.word() {
                Word::RParen => break,
                Word::End => return Err(self.expected("`)`")),
                Word::Colon | Word::Scope => {
                    section += if self.word() == Word::Scope { 2 } else { 1 };
                    self.at += 1;
                }
                Word::Str => {
                    let text = self.text();
                    match section {
                        0 => asm.template.push_str(text.trim_matches('"')),
                        1 | 2 => asm.operands = true,
                        3 => asm.memory |= text == "\"memory\"",
                        _ => {}
                    }
                    self.at += 1;
                }
                Word::LParen if section > 0 => {
                    self.at += 1;
                    self.nested(Self::expression)?;
                    self.expect(Word::RParen, "`)`")?;
                }
                Word::Ident if section == 4 => {
                    let (name, span) = (self.symbol(), self.span());
                    let label = self.label(name, span)?;
                    asm.labels.push(label);
                    self.at += 1;
                }
                Word::LBracket => self.skip_balanced(),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.expect(Word::Semi, "`;`")?;
        Ok(self.add_stmt(Stmt::Asm(asm.into())))
    }
}
