//! Statements.

use super::decl::Declared;
use super::select::Spelled;
use super::tokens::{Tok, Token};
use super::{Parsed, Parser};
use crate::ast::*;
use ferrospin_source::{Diagnostic, Span};

impl<'a> Parser<'a> {
    /// Statements up to a token that closes the sequence, which stays. At least one is needed.
    pub(super) fn steps(&mut self, open: Token) -> Parsed<Vec<Stmt>> {
        let mut steps = Vec::new();
        let mut stray = false;
        while self.stray_closer() || (stray && self.peek().is_semi()) {
            stray = true;
            if self.peek().is_semi() {
                self.bump();
            }
        }
        if self.peek().is_closer() {
            return if stray { Ok(steps) } else { Err(self.empty_sequence(open)) };
        }
        loop {
            let parens = self.lx.parens;
            let frames = self.lx.frames.len();
            match self.step() {
                Ok(stmt) => steps.extend(stmt),
                Err(_) => {
                    self.lx.parens = parens;
                    self.recover_statement(frames);
                }
            }
            let mut separators = 0;
            while self.peek().is_semi() || self.stray_closer() {
                if self.peek().is_semi() {
                    self.bump();
                }
                separators += 1;
            }
            if self.peek().is_closer() {
                if separators > 1 {
                    self.too_many_semicolons();
                }
                return Ok(steps);
            }
            if separators == 0 {
                self.missing_separator();
                self.lx.parens = parens;
                let before = self.peek_token().lo;
                self.recover_statement(frames);
                if self.peek_token().lo == before && !self.peek().is_semi() {
                    return Ok(steps);
                }
                while self.peek().is_semi() {
                    self.bump();
                }
                if self.peek().is_closer() {
                    return Ok(steps);
                }
            }
        }
    }

    /// A declaration, or a statement with `unless` behind it.
    fn step(&mut self) -> Parsed<Option<Stmt>> {
        let tok = self.peek();
        if tok.is_decl_start() {
            return Ok(match self.one_decl()? {
                Declared::Vars(d) => {
                    let at = d.at;
                    Some(Stmt { labels: Vec::new(), kind: StmtKind::Decl(d), at })
                }
                Declared::Mtype(_) => None,
            });
        }
        if matches!(tok, Tok::Xr | Tok::Xs) {
            let word = self.bump();
            let mut channels = vec![self.varref("the name of a channel")?];
            while self.eat(Tok::Comma) {
                channels.push(self.varref("the name of a channel")?);
            }
            let end = if tok == Tok::Xr { ChannelEnd::Receive } else { ChannelEnd::Send };
            let at = self.since(word.span);
            return Ok(Some(Stmt { labels: Vec::new(), kind: StmtKind::Exclusive { end, channels }, at }));
        }
        let from = self.peek_token().span;
        let stmt = self.stmnt()?;
        if !self.eat(Tok::Unless) {
            return Ok(Some(stmt));
        }
        // A `break` in the escape leaves the loop around, which is where the body's own loop has ended already.
        let escape = self.deeper_statement(|p| p.stmnt())?;
        if self.at(Tok::Unless) {
            return Err(self.second_unless());
        }
        let at = self.since(from);
        Ok(Some(Stmt { labels: Vec::new(), kind: StmtKind::Unless(Box::new(stmt), Box::new(escape)), at }))
    }

    /// A statement with its labels.
    fn stmnt(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while self.at(Tok::Name) {
            let t = self.bump();
            let name = self.ident_of(t);
            if !self.at(Tok::Colon) {
                let kind = self.after_name(name, t)?;
                return Ok(Stmt { labels, kind, at: self.since(t.span) });
            }
            self.bump();
            labels.push(name);
            let tok = self.peek();
            if tok.is_decl_start() || matches!(tok, Tok::Xr | Tok::Xs) {
                return Err(self.label_before_declaration(t));
            }
            if tok.is_semi() || tok.is_closer() || tok == Tok::Unless {
                return Ok(Stmt { labels, kind: StmtKind::Empty, at: self.since(t.span) });
            }
        }
        let first = self.peek_token();
        let kind = self.deeper_statement(|p| p.unlabelled())?;
        Ok(Stmt { labels, kind, at: self.since(first.span) })
    }

    /// A statement that does not begin with a plain name.
    fn unlabelled(&mut self) -> Parsed<StmtKind> {
        let tok = self.peek();
        let first = self.peek_token();
        if self.in_trace && !matches!(tok, Tok::For | Tok::Select | Tok::If | Tok::Do | Tok::Break | Tok::Goto) {
            self.not_an_event();
        }
        match tok {
            Tok::If | Tok::Do => {
                let word = self.bump();
                self.open.push(tok);
                self.loops += u32::from(tok == Tok::Do);
                let options = self.options(word);
                self.loops -= u32::from(tok == Tok::Do);
                self.open.pop();
                let options = options?;
                Ok(if tok == Tok::If { StmtKind::If(options) } else { StmtKind::Do(options) })
            }
            Tok::For => {
                self.bump();
                let result = self.for_loop();
                self.lx.in_for = false;
                result
            }
            Tok::Select => self.select(),
            Tok::Break => {
                let t = self.bump();
                if self.loops == 0 {
                    let d = Diagnostic::error("break", t.span, "`break` stands outside any loop");
                    self.say(d.note("`break` leaves the innermost `do` or `for`"));
                }
                Ok(StmtKind::Break)
            }
            Tok::Goto => {
                self.bump();
                Ok(StmtKind::Goto(self.name("a label")?))
            }
            Tok::Else => {
                self.bump();
                Ok(StmtKind::Else)
            }
            Tok::Atomic | Tok::DStep => {
                let word = self.bump();
                let text = self.lx.token_text(&word);
                if !self.at(Tok::LBrace) {
                    return Err(self.unexpected("`{`", &format!("after `{text}`")));
                }
                let body = self.block()?;
                Ok(if tok == Tok::Atomic { StmtKind::Atomic(body) } else { StmtKind::DStep(body) })
            }
            Tok::LBrace => Ok(StmtKind::Block(self.block()?)),
            Tok::Assert => {
                self.bump();
                Ok(StmtKind::Assert(self.full_expr()?))
            }
            Tok::Printf => self.printf(),
            Tok::Printm => {
                self.bump();
                self.l_paren("after `printm`")?;
                let e = if self.peek().is_const() {
                    self.constant()
                } else {
                    let var = self.varref("an `mtype` variable or constant")?;
                    let at = var.at;
                    Expr { kind: ExprKind::Ref(var), at }
                };
                self.r_paren("after the argument of `printm`")?;
                Ok(StmtKind::Printm(e))
            }
            Tok::SetPriority => {
                self.bump();
                self.l_paren("after `set_priority`")?;
                let p = self.expr()?;
                self.expect(Tok::Comma, "between the two arguments of `set_priority`")?;
                let n = self.expr()?;
                self.r_paren("after the arguments of `set_priority`")?;
                Ok(StmtKind::SetPriority(p, n))
            }
            Tok::CCode | Tok::CDecl => {
                let word = self.bump();
                Ok(StmtKind::CCode(self.c_fragment(word)))
            }
            Tok::InlineName => {
                let t = self.bump();
                self.inline_call(t, None)
            }
            Tok::Return => self.return_statement(),
            _ if self.wrong_start(first) => Err(self.not_a_statement()),
            _ => Ok(StmtKind::Expr(self.full_expr()?)),
        }
    }

    /// A statement that begins with a name, which has been read.
    fn after_name(&mut self, name: Ident, t: Token) -> Parsed<StmtKind> {
        if matches!(self.peek(), Tok::LParen | Tok::Name | Tok::LBrace | Tok::At) {
            return Err(self.after_unknown_word(&name));
        }
        let var = self.var_from(name, t)?;
        let event = matches!(self.peek(), Tok::Bang | Tok::Query);
        if self.in_trace && !event {
            self.not_an_event();
        }
        match self.peek() {
            Tok::Assign => {
                self.bump();
                if self.at(Tok::InlineName) {
                    let call = self.bump();
                    return self.deeper_statement(|p| p.inline_call(call, Some(var)));
                }
                if let Some(e) = self.wrong_assignment() {
                    return Err(e);
                }
                Ok(StmtKind::Assign(var, self.full_expr()?))
            }
            Tok::Incr => {
                self.bump();
                Ok(StmtKind::Increment(var))
            }
            Tok::Decr => {
                self.bump();
                Ok(StmtKind::Decrement(var))
            }
            Tok::Bang | Tok::BangBang => {
                let sorted = self.bump().tok == Tok::BangBang;
                let (args, call_form) = self.send_args()?;
                Ok(StmtKind::Send { channel: var, sorted, args, call_form })
            }
            Tok::Query | Tok::QueryQuery => {
                let random = self.bump().tok == Tok::QueryQuery;
                if self.at(Tok::LBracket) {
                    if self.in_trace {
                        self.not_an_event();
                    }
                    let poll = self.poll(var, random)?;
                    return Ok(StmtKind::Expr(self.continue_expr(poll)?));
                }
                let copy = self.eat(Tok::Lt);
                if copy && self.in_trace {
                    self.not_an_event();
                }
                let (args, call_form) = self.recv_args()?;
                if copy {
                    self.expect(Tok::Gt, "to close the pattern of `?<...>`")?;
                }
                Ok(StmtKind::Receive { channel: var, random, copy, args, call_form })
            }
            _ => Ok(StmtKind::Expr(self.full_expr_from(var)?)),
        }
    }

    /// `{ statements }`
    pub(super) fn block(&mut self) -> Parsed<Sequence> {
        let open = self.expect(Tok::LBrace, "")?;
        self.open.push(Tok::LBrace);
        let steps = self.steps(open);
        self.open.pop();
        let steps = steps?;
        self.close_block(open, steps)
    }

    /// `:: ... :: ... fi`, with the word at the beginning taken.
    fn options(&mut self, word: Token) -> Parsed<Vec<Sequence>> {
        let close = if word.tok == Tok::If { Tok::Fi } else { Tok::Od };
        if !self.at(Tok::Sep) {
            return Err(self.no_option(word));
        }
        let mut options = Vec::new();
        while self.at(Tok::Sep) {
            let sep = self.bump();
            let steps = self.steps(sep)?;
            let at = self.since(sep.span);
            options.push(Sequence { steps, at, end: At(self.prev.span) });
        }
        if !self.at(close) {
            self.wrong_end(word, close)?;
        } else {
            self.bump();
        }
        Ok(options)
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.l_paren("after `for`")?;
        self.lx.in_for = true;
        let var = self.varref("the variable of the loop")?;
        match self.peek() {
            Tok::Colon => {
                self.bump();
                let from = self.expr()?;
                self.expect(Tok::DotDot, "between the bounds of the loop")?;
                let to = self.expr()?;
                self.r_paren("after the bounds of the loop")?;
                self.lx.in_for = false;
                let body = self.for_body()?;
                Ok(StmtKind::ForRange { var, from, to, body })
            }
            Tok::In => {
                self.bump();
                let container = self.varref("an array or a channel")?;
                self.r_paren("after the head of the loop")?;
                self.lx.in_for = false;
                let body = self.for_body()?;
                Ok(StmtKind::ForIn { var, container, body })
            }
            _ => Err(self.wrong_for()),
        }
    }

    /// `{ statements }`, with a semicolon before it that a line break may have put there.
    fn for_body(&mut self) -> Parsed<Sequence> {
        if self.at(Tok::Semi) {
            self.bump();
        }
        if !self.at(Tok::LBrace) {
            return Err(self.unexpected("`{`", "before the body of `for`"));
        }
        self.loops += 1;
        let body = self.block();
        self.loops -= 1;
        body
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        let word = self.bump();
        self.l_paren("after `select`")?;
        let var = self.varref("the variable of `select`")?;
        self.expect(Tok::Colon, "between the variable and the bounds of `select`")?;
        let from = self.expr()?;
        self.expect(Tok::DotDot, "between the bounds of `select`")?;
        let to = self.expr()?;
        self.r_paren("after the bounds of `select`")?;
        if word.value == Spelled::Loop as i32 {
            // What SPIN puts in its place ends with a semicolon of its own, marked by the value.
            self.lx.pending.push(Token { tok: Tok::Semi, value: 1, implied: true, ..self.prev });
        }
        Ok(StmtKind::Select { var, from, to, options: word.value == Spelled::Options as i32 })
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.l_paren("after `printf`")?;
        if !self.at(Tok::Str) {
            return Err(self.unexpected("a string", "as the first argument of `printf`"));
        }
        let t = self.bump();
        let format = self.string_text(t);
        let mut args = Vec::new();
        if self.eat(Tok::Comma) {
            args = self.arg_list()?;
        }
        self.r_paren("after the arguments of `printf`")?;
        Ok(StmtKind::Printf { format, args })
    }

    /// Where a message about the whole statement points.
    pub(super) fn here(&mut self) -> Span {
        self.peek_token().span
    }
}
