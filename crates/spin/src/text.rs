//! Statements and expressions as SPIN writes them: `((i<3))`, `i = (i+1)`, `c!ping,i`.
//!
//! SPIN prints the tree it has parsed: each operator with parentheses of its own, none of the written ones, constants of
//! an `mtype` by name, other constants as numbers. This is `comment` of its sources.

use ferrospin_promela::ast::{BinaryOp, Expr, ExprKind, Probe, RecvArg, Segment, Spelling, StmtKind, UnaryOp, VarRef};

/// An expression.
pub fn expr(e: &Expr) -> String {
    let mut out = String::new();
    push_expr(e, &mut out);
    out
}

/// A reference to a variable.
pub fn var(v: &VarRef) -> String {
    let mut out = String::new();
    push_var(v, &mut out);
    out
}

/// A statement without inner control; `None` for one that has some.
pub fn statement(s: &StmtKind) -> Option<String> {
    Some(match s {
        StmtKind::Empty => "(1)".into(),
        StmtKind::Expr(e) => format!("({})", expr(e)),
        StmtKind::Assign(target, value) | StmtKind::Return { target, value } => assignment(target, &expr(value)),
        StmtKind::Increment(v) => assignment(v, &format!("({}+1)", var(v))),
        StmtKind::Decrement(v) => assignment(v, &format!("({}-1)", var(v))),
        StmtKind::Send { channel, sorted, args, .. } => {
            format!("{}{}{}", var(channel), if *sorted { "!!" } else { "!" }, list(args, expr))
        }
        StmtKind::Receive { channel, random, copy, args, .. } => {
            let (open, close) = if *copy { ("<", ">") } else { ("", "") };
            let sign = if *random { "??" } else { "?" };
            format!("{}{sign}{open}{}{close}", var(channel), list(args, pattern))
        }
        StmtKind::Else => "else".into(),
        StmtKind::Assert(e) => format!("assert({})", expr(e)),
        StmtKind::Printf { format, args } => {
            // SPIN keeps the quotes with the text, and turns them and backslashes into what C strings can hold.
            let mut out = String::from("printf('");
            for c in format.chars().take(508) {
                match c {
                    '\\' => out.push_str("\\\\"),
                    '"' => out.push('\''),
                    c => out.push(c),
                }
            }
            out.push('\'');
            for a in args {
                out.push(',');
                push_expr(a, &mut out);
            }
            out + ")"
        }
        StmtKind::Printm(e) => format!("printm({}, 0)", expr(e)),
        StmtKind::SetPriority(p, n) => format!("set_priority({}, {})", expr(p), expr(n)),
        StmtKind::CCode(_) => "{c_code}".into(),
        _ => return None,
    })
}

/// `x = e`, with the value as text.
pub(crate) fn assignment(target: &VarRef, value: &str) -> String {
    format!("{} = {value}", var(target))
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(",")
}

/// A field of a receive.
fn pattern(p: &RecvArg) -> String {
    match p {
        RecvArg::Ref(v) => var(v),
        RecvArg::Eval(e) => format!("eval({})", expr(e)),
        RecvArg::Const(e) => match &e.kind {
            // The sign of a constant belongs to it here.
            ExprKind::Unary(UnaryOp::Minus, inner) => format!("-{}", expr(inner)),
            _ => expr(e),
        },
    }
}

fn push_var(v: &VarRef, out: &mut String) {
    for (i, s) in v.path.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        push_segment(s, out);
    }
}

fn push_segment(s: &Segment, out: &mut String) {
    out.push_str(&s.name.name);
    if let Some(index) = &s.index {
        out.push('[');
        push_expr(index, out);
        out.push(']');
    }
}

fn push_expr(e: &Expr, out: &mut String) {
    let wrapped = |word: &str, inner: &Expr, out: &mut String| {
        out.push_str(word);
        out.push('(');
        push_expr(inner, out);
        out.push(')');
    };
    match &e.kind {
        ExprKind::Const(n, _) => out.push_str(&n.to_string()),
        ExprKind::Ref(v) => push_var(v, out),
        ExprKind::Unary(op, a) => {
            let sign = match op {
                UnaryOp::Minus => "-",
                UnaryOp::Complement => "~",
                UnaryOp::Not => "!",
            };
            wrapped(sign, a, out);
        }
        ExprKind::Binary(op, a, b) => {
            out.push('(');
            push_expr(a, out);
            out.push_str(sign(*op));
            push_expr(b, out);
            out.push(')');
        }
        ExprKind::Cond(c, a, b) => {
            out.push_str(&format!("( ({}) -> ({}) : ({}) )", expr(c), expr(a), expr(b)));
        }
        ExprKind::Run { name, args, .. } => out.push_str(&format!("run {}({})", name.name, list(args, expr))),
        ExprKind::Len(c) => out.push_str(&format!("len({})", var(c))),
        ExprKind::Probe(probe, c) => {
            let word = match probe {
                Probe::Full => "full",
                Probe::Empty => "empty",
                Probe::NotFull => "nfull",
                Probe::NotEmpty => "nempty",
            };
            out.push_str(&format!("{word}({})", var(c)));
        }
        ExprKind::Poll { channel, random, args } => {
            let sign = if *random { "??" } else { "?" };
            out.push_str(&format!("{}{sign}[{}]", var(channel), list(args, pattern)));
        }
        ExprKind::Enabled(p) => wrapped("enabled", p, out),
        ExprKind::PcValue(p) => wrapped("pc_value", p, out),
        ExprKind::GetPriority(p) => wrapped("get_priority", p, out),
        ExprKind::Timeout => out.push_str("timeout"),
        ExprKind::NonProgress => out.push_str("np_"),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            let pid = pid.as_ref().map_or(String::new(), |p| format!("[{}]", expr(p)));
            out.push_str(&format!("({}{pid}._p=={})", proctype.name, label.name));
        }
        ExprKind::RemoteVar { proctype, pid, var } => {
            let pid = pid.as_ref().map_or(String::new(), |p| format!("[{}]", expr(p)));
            out.push_str(&format!("{}{pid}.", proctype.name));
            push_segment(var, out);
        }
        ExprKind::CExpr(c) => out.push_str(&format!("{{{}}}", c.text)),
        ExprKind::TemporalUnary(..) | ExprKind::TemporalBinary(..) => {
            out.push_str(&ferrospin_promela::print::expr(e));
        }
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

/// A formula as SPIN tells it: `[] (<> (b))`.
pub fn formula(e: &Expr) -> String {
    use ferrospin_promela::ast::{TemporalBinary, TemporalUnary};
    let unary = |word: &str, a: &Expr| format!("{word} ({})", formula(a));
    let binary = |a: &Expr, word: &str, b: &Expr| format!("({}) {word} ({})", formula(a), formula(b));
    match &e.kind {
        ExprKind::TemporalUnary(op, a) => match op {
            TemporalUnary::Always => unary("[]", a),
            TemporalUnary::Eventually => unary("<>", a),
            TemporalUnary::Next => unary("X", a),
        },
        ExprKind::TemporalBinary(op, a, b) => match op {
            TemporalBinary::Until => binary(a, "U", b),
            TemporalBinary::Release => binary(a, "V", b),
            // SPIN writes these by others while it parses.
            TemporalBinary::WeakUntil => format!("({}) || ({})", unary("[]", a), binary(a, "U", b)),
            TemporalBinary::Implies => format!("({}) || ({})", unary("!", a), formula(b)),
            TemporalBinary::Equivalent => binary(a, "<->", b),
        },
        ExprKind::Unary(UnaryOp::Not, a) => unary("!", a),
        ExprKind::Binary(BinaryOp::And, a, b) => binary(a, "&&", b),
        ExprKind::Binary(BinaryOp::Or, a, b) => binary(a, "||", b),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            let pid = pid.as_ref().map_or(String::new(), |p| format!("[{}]", expr(p)));
            format!("({}{pid}@{})", proctype.name, label.name)
        }
        _ => expr(e),
    }
}

/// The expression with constants of an `mtype` as numbers, as SPIN tells formulas.
pub fn numbered(e: &Expr, constant: &dyn Fn(&VarRef) -> Option<i32>) -> Expr {
    let mut out = e.clone();
    let inner = |e: &mut Expr| *e = numbered(e, constant);
    match &mut out.kind {
        ExprKind::Ref(v) => {
            if let Some(n) = constant(v) {
                out.kind = ExprKind::Const(n, Spelling::Number);
            }
        }
        ExprKind::Unary(_, a) | ExprKind::TemporalUnary(_, a) => inner(a),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| inner(e)),
        ExprKind::TemporalBinary(_, a, b) => [a, b].into_iter().for_each(|e| inner(e)),
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| inner(e)),
        _ => {}
    }
    out
}

/// An expression as SPIN's verifier tells a failed assertion: constants of an `mtype` are numbers, and a blank stands in front
/// of `!` and `-`.
pub fn condition(e: &Expr, constant: &dyn Fn(&VarRef) -> Option<i32>) -> String {
    let text = |e: &Expr| condition(e, constant);
    match &e.kind {
        ExprKind::Ref(v) => constant(v).map_or_else(|| var(v), |n| n.to_string()),
        ExprKind::Unary(op, a) => match op {
            UnaryOp::Minus => format!(" -({})", text(a)),
            UnaryOp::Complement => format!(" ~({})", text(a)),
            UnaryOp::Not => format!(" !({})", text(a)),
        },
        ExprKind::Binary(op, a, b) => format!("({}{}{})", text(a), sign(*op), text(b)),
        ExprKind::Len(c) => format!("q_len({})", var(c)),
        ExprKind::Probe(probe, c) => match probe {
            Probe::Full => format!("q_full({})", var(c)),
            Probe::Empty => format!("(q_len({})==0)", var(c)),
            Probe::NotFull => format!("(!q_full({}))", var(c)),
            Probe::NotEmpty => format!("(q_len({})>0)", var(c)),
        },
        ExprKind::TemporalBinary(ferrospin_promela::ast::TemporalBinary::Implies, a, b) => {
            format!("( !({})||{})", text(a), text(b))
        }
        _ => expr(e),
    }
}
