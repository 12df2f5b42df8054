//! `spin -d` and `spin -C`: tables of names and of channels.

use crate::reading::Model;
use ferrospin_promela::names::{Init, Ty, Var};

/// The symbol table.
pub fn table(model: &Model) -> String {
    let names = &model.front.reading.names;
    let mut out = String::new();
    for var in &names.vars {
        let scope = match var.body {
            None => ":global:".to_string(),
            Some(b) => names.bodies[b.index()].name.to_string(),
        };
        let kind = match var.param {
            Some(n) => format!("<parameter {}>", n + 1),
            None => "<variable>".into(),
        };
        let size = match (&var.init, var.array) {
            (_, Some(n)) => n,
            (Init::Chan { capacity, .. }, _) => *capacity,
            (Init::Expr(e), None) => match &e.kind {
                ferrospin_promela::ast::ExprKind::Const(n, _) => *n as u32,
                _ => 0,
            },
            _ => 0,
        };
        let name = match var.array {
            Some(n) => format!("{}[{n}]", var.name),
            None => var.name.to_string(),
        };
        out += &format!("{:<8}\t{name}\t{size}\t<{scope}>\t{kind}\t{{scope _}}\n", word(model, var));
    }
    for body in &model.elements.bodies {
        for e in &body.elements {
            for l in &e.labels {
                out += &format!("label\t{l}\t{}\t<{}>\t{{scope _}}\n", e.state, body.name);
            }
        }
    }
    out
}

/// A type as the table has it.
fn word(model: &Model, var: &Var) -> String {
    match var.ty {
        Ty::Bit | Ty::Bool => "bit".into(),
        Ty::Byte | Ty::Pid => "byte".into(),
        Ty::Short => "short".into(),
        Ty::Int => "int".into(),
        Ty::Unsigned(_) => "unsigned".into(),
        Ty::Mtype(_) => "mtype".into(),
        Ty::Chan => "chan".into(),
        Ty::Record(r) => format!("struct {}", model.front.reading.names.records[r.index()].name),
    }
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
