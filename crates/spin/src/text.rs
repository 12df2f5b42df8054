//! Statements and expressions as SPIN writes them: `((i<3))`, `i = (i+1)`, `c!ping,i`.
//!
//! SPIN prints the tree it has parsed: each operator with parentheses of its own, none of the written ones, constants as numbers,
//! but for those of an `mtype`: these have the name that their number has in the list without a name, whatever list they are
//! of. This is `comment` of its sources.

use ferrospin_promela::ast::{BinaryOp, Expr, ExprKind, Probe, RecvArg, Segment, StmtKind, UnaryOp, VarRef};
use ferrospin_promela::names::{Def, Names};

/// What a name stands for that is a constant and no variable.
pub type Constants<'a> = &'a dyn Fn(&VarRef) -> Option<String>;

/// Every name stands for itself.
pub fn as_written(_: &VarRef) -> Option<String> {
    None
}

/// Constants of an `mtype` as SPIN tells them.
pub fn told(names: &Names) -> impl Fn(&VarRef) -> Option<String> + '_ {
    |v| match (v.path.len(), names.def(&v.path[0].name)) {
        (1, Some(Def::MtypeConst(list, n))) if list.index() > 0 => {
            let known = names.mtypes[0].constants.iter().find(|(_, value)| *value == n);
            Some(known.map_or_else(|| n.to_string(), |(name, _)| name.to_string()))
        }
        _ => None,
    }
}

/// An expression.
pub fn expr(e: &Expr, k: Constants<'_>) -> String {
    let mut out = String::new();
    push_expr(e, k, &mut out);
    out
}

/// A reference to a variable.
pub fn var(v: &VarRef, k: Constants<'_>) -> String {
    let mut out = String::new();
    push_var(v, k, &mut out);
    out
}

/// A statement without inner control; `None` for one that has some.
pub fn statement(s: &StmtKind, k: Constants<'_>) -> Option<String> {
    Some(match s {
        StmtKind::Empty => "(1)".into(),
        StmtKind::Expr(e) => format!("({})", expr(e, k)),
        StmtKind::Assign(target, value) | StmtKind::Return { target, value } => assignment(target, &expr(value, k), k),
        StmtKind::Increment(v) => assignment(v, &format!("({}+1)", var(v, k)), k),
        StmtKind::Decrement(v) => assignment(v, &format!("({}-1)", var(v, k)), k),
        StmtKind::Send { channel, sorted, args, .. } => {
            format!("{}{}{}", var(channel, k), if *sorted { "!!" } else { "!" }, list(args, |a| expr(a, k)))
        }
        StmtKind::Receive { channel, random, copy, args, .. } => {
            let (open, close) = if *copy { ("<", ">") } else { ("", "") };
            let sign = if *random { "??" } else { "?" };
            format!("{}{sign}{open}{}{close}", var(channel, k), list(args, |a| pattern(a, k)))
        }
        StmtKind::Else => "else".into(),
        StmtKind::Assert(e) => format!("assert({})", expr(e, k)),
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
                push_expr(a, k, &mut out);
            }
            out + ")"
        }
        StmtKind::Printm(e) => format!("printm({}, 0)", expr(e, k)),
        StmtKind::SetPriority(p, n) => format!("set_priority({}, {})", expr(p, k), expr(n, k)),
        StmtKind::CCode(c) => fragment(&c.text),
        _ => return None,
    })
}

/// Embedded C, between marks that no text of a model has.
fn fragment(c: &str) -> String {
    format!("{OPEN}{c}{CLOSE}")
}

const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// A text with each fragment of C as SPIN tells it, by its number; `count` of them came before. The second text has the C itself.
pub(crate) fn with_fragments(text: String, count: &mut u32) -> (String, Option<String>) {
    if !text.contains(OPEN) {
        return (text, None);
    }
    let mut told = String::new();
    for (i, part) in text.split(OPEN).enumerate() {
        match part.split_once(CLOSE) {
            Some((_, behind)) if i > 0 => {
                *count += 1;
                told += &format!("{{c_code{count}}}{behind}");
            }
            _ => told += part,
        }
    }
    (told, Some(text.replace([OPEN, CLOSE], "")))
}

/// `x = e`, with the value as text.
pub(crate) fn assignment(target: &VarRef, value: &str, k: Constants<'_>) -> String {
    format!("{} = {value}", var(target, k))
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(",")
}

/// A field of a receive.
fn pattern(p: &RecvArg, k: Constants<'_>) -> String {
    match p {
        RecvArg::Ref(v) => k(v).unwrap_or_else(|| var(v, k)),
        RecvArg::Eval(e) => format!("eval({})", expr(e, k)),
        RecvArg::Const(e) => match &e.kind {
            // The sign of a constant belongs to it here.
            ExprKind::Unary(UnaryOp::Minus, inner) => format!("-{}", expr(inner, k)),
            _ => expr(e, k),
        },
    }
}

fn push_var(v: &VarRef, k: Constants<'_>, out: &mut String) {
    for (i, s) in v.path.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        push_segment(s, k, out);
    }
}

fn push_segment(s: &Segment, k: Constants<'_>, out: &mut String) {
    out.push_str(&s.name.name);
    if let Some(index) = &s.index {
        out.push('[');
        push_expr(index, k, out);
        out.push(']');
    }
}

fn push_expr(e: &Expr, k: Constants<'_>, out: &mut String) {
    let wrapped = |word: &str, inner: &Expr, out: &mut String| {
        out.push_str(word);
        out.push('(');
        push_expr(inner, k, out);
        out.push(')');
    };
    match &e.kind {
        ExprKind::Const(n, _) => out.push_str(&n.to_string()),
        ExprKind::Ref(v) => match k(v) {
            Some(text) => out.push_str(&text),
            None => push_var(v, k, out),
        },
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
            push_expr(a, k, out);
            out.push_str(sign(*op));
            push_expr(b, k, out);
            out.push(')');
        }
        ExprKind::Cond(c, a, b) => {
            out.push_str(&format!("( ({}) -> ({}) : ({}) )", expr(c, k), expr(a, k), expr(b, k)));
        }
        ExprKind::Run { name, args, .. } => out.push_str(&format!("run {}({})", name.name, list(args, |a| expr(a, k)))),
        ExprKind::Len(c) => out.push_str(&format!("len({})", var(c, k))),
        ExprKind::Probe(probe, c) => {
            let word = match probe {
                Probe::Full => "full",
                Probe::Empty => "empty",
                Probe::NotFull => "nfull",
                Probe::NotEmpty => "nempty",
            };
            out.push_str(&format!("{word}({})", var(c, k)));
        }
        ExprKind::Poll { channel, random, args } => {
            let sign = if *random { "??" } else { "?" };
            out.push_str(&format!("{}{sign}[{}]", var(channel, k), list(args, |a| pattern(a, k))));
        }
        ExprKind::Enabled(p) => wrapped("enabled", p, out),
        ExprKind::PcValue(p) => wrapped("pc_value", p, out),
        ExprKind::GetPriority(p) => wrapped("get_priority", p, out),
        ExprKind::Timeout => out.push_str("timeout"),
        ExprKind::NonProgress => out.push_str("np_"),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            let pid = pid.as_ref().map_or(String::new(), |p| format!("[{}]", expr(p, k)));
            out.push_str(&format!("({}{pid}._p=={})", proctype.name, label.name));
        }
        ExprKind::RemoteVar { proctype, pid, var } => {
            let pid = pid.as_ref().map_or(String::new(), |p| format!("[{}]", expr(p, k)));
            out.push_str(&format!("{}{pid}.", proctype.name));
            push_segment(var, k, out);
        }
        ExprKind::CExpr(c) => out.push_str(&fragment(&c.text)),
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
pub fn formula(e: &Expr, k: Constants<'_>) -> String {
    use ferrospin_promela::ast::{TemporalBinary, TemporalUnary};
    let unary = |word: &str, a: &Expr| format!("{word} ({})", formula(a, k));
    let binary = |a: &Expr, word: &str, b: &Expr| format!("({}) {word} ({})", formula(a, k), formula(b, k));
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
            TemporalBinary::Implies => format!("({}) || ({})", unary("!", a), formula(b, k)),
            TemporalBinary::Equivalent => binary(a, "<->", b),
        },
        ExprKind::Unary(UnaryOp::Not, a) => unary("!", a),
        ExprKind::Binary(BinaryOp::And, a, b) => binary(a, "&&", b),
        ExprKind::Binary(BinaryOp::Or, a, b) => binary(a, "||", b),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            let pid = pid.as_ref().map_or(String::new(), |p| format!("[{}]", expr(p, k)));
            format!("({}{pid}@{})", proctype.name, label.name)
        }
        _ => expr(e, k),
    }
}

/// An expression as SPIN's verifier tells a failed assertion: constants of an `mtype` are numbers, and a blank stands in front
/// of `!` and `-`.
pub fn condition(e: &Expr, constant: &dyn Fn(&VarRef) -> Option<i32>) -> String {
    let text = |e: &Expr| condition(e, constant);
    match &e.kind {
        ExprKind::Ref(v) => constant(v).map_or_else(|| var(v, &as_written), |n| n.to_string()),
        ExprKind::Unary(op, a) => match op {
            UnaryOp::Minus => format!(" -({})", text(a)),
            UnaryOp::Complement => format!(" ~({})", text(a)),
            UnaryOp::Not => format!(" !({})", text(a)),
        },
        ExprKind::Binary(op, a, b) => format!("({}{}{})", text(a), sign(*op), text(b)),
        ExprKind::Len(c) => format!("q_len({})", var(c, &as_written)),
        ExprKind::Probe(probe, c) => match probe {
            Probe::Full => format!("q_full({})", var(c, &as_written)),
            Probe::Empty => format!("(q_len({})==0)", var(c, &as_written)),
            Probe::NotFull => format!("(!q_full({}))", var(c, &as_written)),
            Probe::NotEmpty => format!("(q_len({})>0)", var(c, &as_written)),
        },
        ExprKind::TemporalBinary(ferrospin_promela::ast::TemporalBinary::Implies, a, b) => {
            format!("( !({})||{})", text(a), text(b))
        }
        _ => expr(e, &as_written),
    }
}
