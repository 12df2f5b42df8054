//! Statements as text.

use super::Printer;
use crate::ast::*;
use std::fmt::Write;

impl Printer {
    /// `{`, statements, `}`
    pub(super) fn block(&mut self, body: &Sequence) {
        self.push("{");
        self.indent += 1;
        for (i, s) in body.steps.iter().enumerate() {
            self.line();
            self.stmt(s);
            if i + 1 < body.steps.len() {
                self.push(";");
            }
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    pub(super) fn options(&mut self, open: &str, close: &str, options: &[Sequence]) {
        self.push(open);
        for option in options {
            self.line();
            self.push(":: ");
            self.indent += 1;
            for (i, s) in option.steps.iter().enumerate() {
                if i > 0 {
                    self.line();
                }
                self.stmt(s);
                if i + 1 < option.steps.len() {
                    let guard =
                        i == 0 && matches!(s.kind, StmtKind::Expr(_) | StmtKind::Else | StmtKind::Receive { .. });
                    self.push(if guard { " ->" } else { ";" });
                }
            }
            self.indent -= 1;
        }
        self.line();
        self.push(close);
    }

    pub(super) fn stmt(&mut self, s: &Stmt) {
        for (i, label) in s.labels.iter().enumerate() {
            if i > 0 {
                self.push(" ");
            }
            let _ = write!(self.out, "{}:", label.name);
        }
        if !s.labels.is_empty() && s.kind != StmtKind::Empty {
            self.push(" ");
        }
        match &s.kind {
            StmtKind::Decl(d) => self.decl(d),
            StmtKind::Exclusive { end, channels } => {
                self.push(if *end == ChannelEnd::Receive { "xr " } else { "xs " });
                self.list(channels, |p, c| p.var(c));
            }
            StmtKind::Empty => {}
            StmtKind::Expr(e) => self.expr(e, 0),
            StmtKind::Assign(v, e) | StmtKind::Return { target: v, value: e } => {
                if matches!(s.kind, StmtKind::Return { .. }) {
                    self.push("return ");
                } else {
                    self.var(v);
                    self.push(" = ");
                }
                self.expr(e, 0);
            }
            StmtKind::Increment(v) => {
                self.var(v);
                self.push("++");
            }
            StmtKind::Decrement(v) => {
                self.var(v);
                self.push("--");
            }
            StmtKind::Send { channel, sorted, args, call_form } => self.send(channel, *sorted, args, *call_form),
            StmtKind::Receive { channel, random, copy, args, call_form } => {
                self.var(channel);
                self.push(if *random { "??" } else { "?" });
                self.push(if *copy { "<" } else { "" });
                self.pattern(args, *call_form);
                self.push(if *copy { ">" } else { "" });
            }
            StmtKind::If(options) => self.options("if", "fi", options),
            StmtKind::Do(options) => self.options("do", "od", options),
            StmtKind::ForRange { var, from, to, body } => {
                self.push("for (");
                self.range(var, from, to);
                self.push(") ");
                self.block(body);
            }
            StmtKind::ForIn { var, container, body } => {
                self.push("for (");
                self.var(var);
                self.push(" in ");
                self.var(container);
                self.push(") ");
                self.block(body);
            }
            StmtKind::Select { var, from, to, options } => self.select(var, from, to, *options),
            StmtKind::Atomic(body) => {
                self.push("atomic ");
                self.block(body);
            }
            StmtKind::DStep(body) => {
                self.push("d_step ");
                self.block(body);
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Unless(body, escape) => {
                self.stmt(body);
                self.push(" unless ");
                self.stmt(escape);
            }
            StmtKind::Goto(label) => {
                let _ = write!(self.out, "goto {}", label.name);
            }
            StmtKind::Break => self.push("break"),
            StmtKind::Else => self.push("else"),
            StmtKind::Assert(e) => {
                self.push("assert(");
                self.expr(e, 0);
                self.push(")");
            }
            StmtKind::Printf { format, args } => {
                self.push("printf(");
                self.string(format);
                for a in args {
                    self.push(", ");
                    self.expr(a, 0);
                }
                self.push(")");
            }
            StmtKind::Printm(e) => {
                self.push("printm(");
                self.expr(e, 0);
                self.push(")");
            }
            StmtKind::SetPriority(a, b) => {
                self.push("set_priority(");
                self.expr(a, 0);
                self.push(", ");
                self.expr(b, 0);
                self.push(")");
            }
            StmtKind::CCode(c) => self.fragment("c_code", c),
            StmtKind::InlineCall { name, written, target, .. } => {
                if let Some(target) = target {
                    self.var(target);
                    self.push(" = ");
                }
                let _ = write!(self.out, "{}(", name.name);
                self.list(written, |p, arg| p.push(arg));
                self.push(")");
            }
        }
    }

    pub(super) fn send(&mut self, channel: &VarRef, sorted: bool, args: &[Expr], call_form: bool) {
        self.var(channel);
        self.push(if sorted { "!!" } else { "!" });
        let before = self.out.len();
        match args {
            [first, rest @ ..] if call_form => {
                self.expr(first, 0);
                self.push("(");
                self.list(rest, |p, e| p.expr(e, 0));
                self.push(")");
            }
            _ => self.list(args, |p, e| p.expr(e, 0)),
        }
        // `c!!x` would be another statement.
        if self.out[before..].starts_with('!') {
            self.out.insert(before, ' ');
        }
    }

    pub(super) fn pattern(&mut self, args: &[RecvArg], call_form: bool) {
        match args {
            [first, rest @ ..] if call_form && !rest.is_empty() => {
                self.recv_arg(first);
                self.push("(");
                self.list(rest, Self::recv_arg);
                self.push(")");
            }
            _ => self.list(args, Self::recv_arg),
        }
    }

    pub(super) fn recv_arg(&mut self, a: &RecvArg) {
        match a {
            RecvArg::Ref(v) => self.var(v),
            RecvArg::Const(e) => self.expr(e, 0),
            RecvArg::Eval(e) => {
                self.push("eval(");
                self.expr(e, 0);
                self.push(")");
            }
        }
    }

    pub(super) fn range(&mut self, var: &VarRef, from: &Expr, to: &Expr) {
        self.var(var);
        self.push(" : ");
        self.expr(from, 0);
        self.push(" .. ");
        self.expr(to, 0);
    }

    /// Parentheses around a bound keep SPIN's lexer from spelling the values out.
    pub(super) fn select(&mut self, var: &VarRef, from: &Expr, to: &Expr, options: bool) {
        let digits = |e: &Expr| matches!(e.kind, ExprKind::Const(n, Spelling::Number) if n >= 0);
        self.push("select (");
        if options || !digits(from) || !digits(to) {
            self.range(var, from, to);
        } else {
            self.var(var);
            self.push(" : (");
            self.expr(from, 0);
            self.push(") .. ");
            self.expr(to, 0);
        }
        self.push(")");
    }
}
