//! `spin -d`, `spin -C` and `spin -A`: tables of names and of channels, and what a model does not need.

use crate::reading::Model;
use ferrospin_promela::ast::{self, Unit};
use ferrospin_promela::names::{BodyKind, Def, Init, Names, Ty, Var};

/// The symbol table, in the order of the text; then the labels, the last one first.
pub fn table(model: &Model) -> String {
    let program = &model.front.reading.program;
    let names = &model.front.reading.names;
    // SPIN numbers the blocks of the text; those inside of one body are numbered anew.
    let (mut out, mut block, mut labels) = (String::new(), 0, Vec::new());
    for (i, unit) in program.units.iter().enumerate() {
        match unit {
            Unit::Decl(d) => {
                for var in d.vars.iter().filter_map(|v| declared(names, &v.name)) {
                    out += &row(names, var, var.name.to_string(), "<:global:>", "{scope _}");
                }
                block += d.vars.iter().filter(|v| has_braces(v)).count();
            }
            Unit::Mtype(m) => {
                for c in &m.constants {
                    if let Some(Def::MtypeConst(_, n)) = names.def(c) {
                        out += &format!("mtype \t{}\t{n}\t<:global:>\t<constant>\t{{scope _}}\n", c.name);
                    }
                }
                block += 1;
            }
            Unit::Typedef(t) => {
                block += 1;
                for record in names.records.iter().filter(|r| r.name == t.name.name) {
                    for f in &record.fields {
                        let name = format!("{}.{}", record.name, f.name);
                        out += &row(names, f, name, "<:struct-field:>", "{scope _}");
                    }
                }
                block += t.fields.iter().flat_map(|f| &f.vars).filter(|v| has_braces(v)).count();
            }
            Unit::Ltl(_) => block += 1,
            Unit::Proctype(_) | Unit::Init(_) | Unit::Never(_) | Unit::Trace(_) => {
                block += 1;
                let Some(id) = names.body_of_unit(i) else { continue };
                let body = &names.bodies[id.index()];
                let elements = &model.elements.bodies[id.index()];
                if body.kind == BodyKind::Proctype {
                    let (name, count) = (&body.name, body.active);
                    out += &format!("proctype\t{name}\t{count}\t<:global:>\t<variable>\t{{scope _}}\n");
                }
                let is_claim = matches!(body.kind, BodyKind::Never | BodyKind::Trace | BodyKind::NoTrace);
                let scope = if is_claim { "_".to_string() } else { format!("_{block}_") };
                let owner = format!("<{}>", elements.name);
                for v in &body.vars {
                    let var = &names.vars[v.index()];
                    let own = match (var.param, var.block) {
                        (Some(_), _) => "{scope _}".to_string(),
                        (None, 0) => format!("{{scope {scope}}}"),
                        (None, inner) => format!("{{scope {scope}{inner}_}}"),
                    };
                    out += &row(names, var, var.name.to_string(), &owner, &own);
                }
                for e in &elements.elements {
                    labels.extend(
                        e.labels.iter().map(|l| format!("label\t{l}\t{}\t{owner}\t{{scope {scope}}}\n", e.state)),
                    );
                }
            }
            _ => {}
        }
    }
    labels.reverse();
    out + &labels.concat()
}

fn declared<'a>(names: &'a Names, name: &ast::Ident) -> Option<&'a Var> {
    match names.def(name) {
        Some(Def::Var(v)) => Some(&names.vars[v.index()]),
        _ => None,
    }
}

fn has_braces(d: &ast::Declarator) -> bool {
    matches!(d.init, Some(ast::Initializer::Chan(_) | ast::Initializer::List(..)))
}

/// The line of a variable or field.
fn row(names: &Names, var: &Var, name: String, owner: &str, scope: &str) -> String {
    let value = match (&var.init, var.ty) {
        (_, Ty::Record(r)) => names.records[r.index()].name.to_string(),
        (Init::Chan { capacity, .. }, _) => capacity.to_string(),
        (Init::Expr(e), _) => value(names, e).unwrap_or(0).to_string(),
        _ => "0".into(),
    };
    let kind = match (var.param, var.ty, var.array) {
        (Some(n), ..) => format!("<parameter {}>", n + 1),
        (None, Ty::Mtype(_), _) => "<constant>".into(),
        (None, _, Some(_)) => "<array>".into(),
        _ => "<variable>".into(),
    };
    let fields = match (&var.init, var.ty) {
        (Init::Chan { fields, .. }, _) => {
            let words: Vec<String> = fields.iter().map(|f| word(names, *f, true)).collect();
            format!("\t{}\t{}", words.len(), words.join("\t"))
        }
        (_, Ty::Chan) => "\t0\t".into(),
        _ => String::new(),
    };
    let bound = var.array.map_or(String::new(), |n| format!("[{n}]"));
    format!("{}\t{name}{bound}\t{value}\t{owner}\t{kind}{fields}\t{scope}\n", word(names, var.ty, false))
}

/// The value of an expression without variables.
fn value(names: &Names, e: &ast::Expr) -> Option<i32> {
    use ast::{BinaryOp, ExprKind, UnaryOp};
    Some(match &e.kind {
        ExprKind::Const(n, _) => *n,
        ExprKind::Ref(v) => match names.def(&v.path.first()?.name)? {
            Def::MtypeConst(_, n) => i32::from(n),
            _ => return None,
        },
        ExprKind::Unary(UnaryOp::Minus, a) => value(names, a)?.wrapping_neg(),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (value(names, a)?, value(names, b)?);
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::Div => a.checked_div(b)?,
                BinaryOp::Rem => a.checked_rem(b)?,
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// A type as the table has it.
fn word(names: &Names, ty: Ty, is_field: bool) -> String {
    match ty {
        Ty::Bit | Ty::Bool => "bit   ".into(),
        Ty::Byte | Ty::Pid => "byte  ".into(),
        Ty::Short => "short ".into(),
        Ty::Int => "int   ".into(),
        Ty::Unsigned(_) => "unsigned ".into(),
        Ty::Mtype(_) => "mtype ".into(),
        Ty::Chan => "chan  ".into(),
        Ty::Record(r) if is_field => format!("struct {}", names.records[r.index()].name),
        Ty::Record(_) => "struct".into(),
    }
}

/// What a model does not need, as far as lints find it.
pub fn redundancies(model: &Model) -> String {
    let found = |code: &str| {
        code.starts_with("unused-") || code.starts_with("dead-") || matches!(code, "never-read" | "unreachable")
    };
    let mut out = String::new();
    for d in model.front.diagnostics.iter().filter(|d| found(d.code)) {
        let (file, line) = crate::reading::place(&model.front, d.span);
        out += &format!("spin: {file}:{line}, redundant: {}\n", d.message.replace('\n', " "));
    }
    if out.is_empty() { "spin: no redundancies found (for given property)\n".into() } else { out }
}

/// What processes do with channels: those that are only sent to, or only received from.
pub fn channels(model: &Model, all: bool) -> String {
    let names = &model.front.reading.names;
    let mut out = String::new();
    for var in names.vars.iter().filter(|v| matches!(v.init, Init::Chan { .. })) {
        let users = |sign: char| -> Vec<String> {
            let uses = |text: &str| {
                let rest = text.trim_start_matches('(').strip_prefix(&*var.name);
                rest.map(|r| r.trim_start_matches(|c: char| c != '!' && c != '?')).is_some_and(|r| r.starts_with(sign))
            };
            let bodies = model.elements.bodies.iter();
            bodies.filter(|b| b.elements.iter().any(|e| uses(&e.text))).map(|b| b.name.to_string()).collect()
        };
        let (sent, received) = (users('!'), users('?'));
        if !all && !sent.is_empty() && !received.is_empty() {
            continue;
        }
        let owner = var.body.map_or(String::new(), |b| format!("{}-", names.bodies[b.index()].name));
        out += &format!("chan {owner}{}\t", var.name);
        if !received.is_empty() {
            out += &format!("\n\treceived from by: {}", received.join(", "));
        }
        if !sent.is_empty() {
            out += &format!("\n\tsent to by: {}", sent.join(", "));
        }
        if sent.is_empty() && received.is_empty() {
            out += "\n\tnever used under this name";
        }
        out.push('\n');
    }
    out
}
