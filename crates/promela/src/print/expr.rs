//! Expressions as text.

use super::Printer;
use crate::ast::*;
use std::fmt::Write;

/// How tightly an expression binds; larger is tighter. The numbers are those of the parser's table.
const UNTIL: u8 = 4;
const UNARY: u8 = 13;
const ATOM: u8 = 14;

fn strength(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Binary(op, ..) => binary(*op).1,
        ExprKind::TemporalBinary(op, ..) => temporal_binary(*op).1,
        ExprKind::Unary(..) | ExprKind::TemporalUnary(..) => UNARY,
        _ => ATOM,
    }
}

/// Whether an expression would reach over an operator behind it that binds tighter than `U`.
fn reaches(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::TemporalUnary(..) => true,
        ExprKind::Unary(_, inner) => reaches(inner),
        _ => false,
    }
}

fn binary(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 2),
        BinaryOp::And => ("&&", 3),
        BinaryOp::BitOr => ("|", 5),
        BinaryOp::BitXor => ("^", 6),
        BinaryOp::BitAnd => ("&", 7),
        BinaryOp::Eq => ("==", 8),
        BinaryOp::Ne => ("!=", 8),
        BinaryOp::Gt => (">", 9),
        BinaryOp::Lt => ("<", 9),
        BinaryOp::Ge => (">=", 9),
        BinaryOp::Le => ("<=", 9),
        BinaryOp::Shl => ("<<", 10),
        BinaryOp::Shr => (">>", 10),
        BinaryOp::Add => ("+", 11),
        BinaryOp::Sub => ("-", 11),
        BinaryOp::Mul => ("*", 12),
        BinaryOp::Div => ("/", 12),
        BinaryOp::Rem => ("%", 12),
    }
}

fn temporal_binary(op: TemporalBinary) -> (&'static str, u8) {
    match op {
        TemporalBinary::Implies => ("->", 1),
        TemporalBinary::Equivalent => ("<->", 1),
        TemporalBinary::Until => ("U", UNTIL),
        TemporalBinary::Release => ("V", UNTIL),
        TemporalBinary::WeakUntil => ("W", UNTIL),
    }
}

impl Printer {
    pub(super) fn var(&mut self, v: &VarRef) {
        for (i, segment) in v.path.iter().enumerate() {
            if i > 0 {
                self.push(".");
            }
            self.segment(segment);
        }
    }

    pub(super) fn segment(&mut self, s: &Segment) {
        self.push(&s.name.name);
        if let Some(index) = &s.index {
            self.push("[");
            self.expr(index, 0);
            self.push("]");
        }
    }

    /// An expression in a place that asks for at least the given strength.
    pub(super) fn expr(&mut self, e: &Expr, min: u8) {
        let parens = strength(e) < min;
        if parens {
            self.push("(");
        }
        self.bare(e);
        if parens {
            self.push(")");
        }
    }

    pub(super) fn bare(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(n, spelling) => self.constant(*n, *spelling),
            ExprKind::Ref(v) => self.var(v),
            ExprKind::Unary(op, inner) => {
                let sign = match op {
                    UnaryOp::Minus => '-',
                    UnaryOp::Complement => '~',
                    UnaryOp::Not => '!',
                };
                self.out.push(sign);
                // Two equal signs would become another token.
                let again = matches!(&inner.kind, ExprKind::Unary(o, _) if o == op && *op != UnaryOp::Complement);
                self.expr(inner, if again { ATOM } else { UNARY });
            }
            ExprKind::Binary(op, a, b) => {
                let (sign, s) = binary(*op);
                self.infix(sign, s, a, b);
            }
            ExprKind::TemporalBinary(op, a, b) => {
                let (sign, s) = temporal_binary(*op);
                self.infix(sign, s, a, b);
            }
            ExprKind::TemporalUnary(op, inner) => {
                self.push(match op {
                    TemporalUnary::Always => "[] ",
                    TemporalUnary::Eventually => "<> ",
                    TemporalUnary::Next => "X ",
                });
                self.expr(inner, UNARY);
            }
            ExprKind::Cond(c, a, b) => {
                self.push("(");
                self.expr(c, 0);
                self.push(" -> ");
                self.expr(a, 0);
                self.push(" : ");
                self.expr(b, 0);
                self.push(")");
            }
            ExprKind::Run { name, args, priority } => {
                let _ = write!(self.out, "run {}(", name.name);
                self.list(args, |p, e| p.expr(e, 0));
                self.push(")");
                if let Some(p) = priority {
                    self.push(" priority ");
                    self.expr(&p.value, 0);
                }
            }
            ExprKind::Len(v) => self.call("len", v),
            ExprKind::Probe(Probe::Full, v) => self.call("full", v),
            ExprKind::Probe(Probe::Empty, v) => self.call("empty", v),
            ExprKind::Probe(Probe::NotFull, v) => self.call("nfull", v),
            ExprKind::Probe(Probe::NotEmpty, v) => self.call("nempty", v),
            ExprKind::Poll { channel, random, args } => {
                self.var(channel);
                self.push(if *random { "??[" } else { "?[" });
                self.list(args, Self::recv_arg);
                self.push("]");
            }
            ExprKind::Enabled(e) => self.function("enabled", e),
            ExprKind::PcValue(e) => self.function("pc_value", e),
            ExprKind::GetPriority(e) => self.function("get_priority", e),
            ExprKind::Timeout => self.push("timeout"),
            ExprKind::NonProgress => self.push("np_"),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote(proctype, pid.as_deref());
                let _ = write!(self.out, "@{}", label.name);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                self.remote(proctype, pid.as_deref());
                self.push(":");
                self.segment(var);
            }
            ExprKind::CExpr(c) => self.fragment("c_expr", c),
        }
    }

    pub(super) fn infix(&mut self, sign: &str, strength: u8, a: &Expr, b: &Expr) {
        let least = |e: &Expr, min| if strength > UNTIL && reaches(e) { ATOM } else { min };
        // A chain of the same strength leans to the left.
        self.expr(a, least(a, strength));
        let _ = write!(self.out, " {sign} ");
        self.expr(b, least(b, strength + 1));
    }

    pub(super) fn remote(&mut self, proctype: &Ident, pid: Option<&Expr>) {
        self.push(&proctype.name);
        if let Some(e) = pid {
            self.push("[");
            self.expr(e, 0);
            self.push("]");
        }
    }

    pub(super) fn call(&mut self, word: &str, v: &VarRef) {
        let _ = write!(self.out, "{word}(");
        self.var(v);
        self.push(")");
    }

    pub(super) fn function(&mut self, word: &str, e: &Expr) {
        let _ = write!(self.out, "{word}(");
        self.expr(e, 0);
        self.push(")");
    }

    pub(super) fn constant(&mut self, n: i32, spelling: Spelling) {
        match spelling {
            Spelling::Skip => self.push("skip"),
            Spelling::Word => self.push(if n == 0 { "false" } else { "true" }),
            Spelling::Character => {
                let c = n as u8;
                match c {
                    b'\n' => self.push("'\\n'"),
                    b'\r' => self.push("'\\r'"),
                    b'\t' => self.push("'\\t'"),
                    0x0c => self.push("'\\f'"),
                    b'\\' | b'\'' => {
                        let _ = write!(self.out, "'\\{}'", c as char);
                    }
                    _ => {
                        let _ = write!(self.out, "'{}'", c as char);
                    }
                }
            }
            // A negative literal was a number beyond 31 bits; written so, it is read back as the same.
            Spelling::Number => {
                let _ = write!(self.out, "{}", n as u32);
            }
        }
    }
}
