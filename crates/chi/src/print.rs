//! Programs, processes and expressions as text, which reads as the same again.

use crate::graph::value_text;
use crate::term::{Binary, Declared, Expression, Process, Program, Term, Type};
use std::fmt::Write;

/// How tightly operators bind: alone, behind a guard, `;`, `[]`, `||`.
const ATOM: u8 = 4;
const GUARD: u8 = 3;
const SEQUENCE: u8 = 2;
const CHOICE: u8 = 1;
const PARALLEL: u8 = 0;

/// The signs of operators and how tightly they bind.
pub(crate) fn operator(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Or => ("or", 0),
        Binary::And => ("and", 1),
        Binary::Equal => ("=", 2),
        Binary::Different => ("!=", 2),
        Binary::Less => ("<", 2),
        Binary::LessEqual => ("<=", 2),
        Binary::Greater => (">", 2),
        Binary::GreaterEqual => (">=", 2),
        Binary::Plus => ("+", 3),
        Binary::Minus => ("-", 3),
        Binary::Times => ("*", 4),
        Binary::Divide => ("/", 4),
        Binary::Modulo => ("%", 4),
    }
}

/// An expression.
pub fn expression(program: &Program, e: &Expression) -> String {
    let mut out = String::new();
    write_expression(program, e, 0, &mut out);
    out
}

fn write_expression(program: &Program, e: &Expression, around: u8, out: &mut String) {
    match e {
        Expression::Value(value, ty) => out.push_str(&value_text(*ty, *value)),
        Expression::Variable(x) => out.push_str(&program.variables[x.index()].name),
        Expression::Not(e) => {
            out.push_str("not ");
            write_expression(program, e, 5, out);
        }
        Expression::Negative(e) => {
            out.push_str("-(");
            write_expression(program, e, 0, out);
            out.push(')');
        }
        Expression::Binary(op, a, b) => {
            let (sign, own) = operator(*op);
            let (open, close) = if own < around { ("(", ")") } else { ("", "") };
            out.push_str(open);
            // Comparisons stand alone; others group to the left.
            write_expression(program, a, if own == 2 { 3 } else { own }, out);
            write!(out, " {sign} ").expect("texts can be written");
            write_expression(program, b, own + 1, out);
            out.push_str(close);
        }
    }
}

/// A process.
pub fn process(program: &Program, p: &Process) -> String {
    let mut out = String::new();
    write_process(program, p, PARALLEL, &mut out);
    out
}

fn write_process(program: &Program, p: &Process, around: u8, out: &mut String) {
    let variable = |x: &crate::term::Variable| &program.variables[x.index()].name;
    let channel = |m: &crate::term::Channel| &program.channels[m.index()].name;
    let own = match p.term() {
        Term::Guard(..) => GUARD,
        Term::Sequence(..) => SEQUENCE,
        Term::Choice(..) => CHOICE,
        Term::Parallel(..) => PARALLEL,
        _ => ATOM,
    };
    let (open, close) = if own < around { ("(", ")") } else { ("", "") };
    out.push_str(open);
    match p.term() {
        Term::Delta => out.push_str("delta"),
        Term::Epsilon => out.push_str("eps"),
        Term::Skip => out.push_str("skip"),
        Term::Assign(x, e) => *out += &format!("{} := {}", variable(x), expression(program, e)),
        Term::Send(m, e) => *out += &format!("{}!{}", channel(m), expression(program, e)),
        Term::Receive(m, x) => *out += &format!("{}?{}", channel(m), variable(x)),
        Term::Guard(b, p) => {
            *out += &format!("{} :-> ", expression(program, b));
            write_process(program, p, GUARD, out);
        }
        Term::Sequence(p, q) => list(program, [p, q], SEQUENCE, "; ", out),
        Term::Choice(p, q) => list(program, [p, q], CHOICE, " [] ", out),
        Term::Parallel(p, q) => list(program, [p, q], PARALLEL, " || ", out),
        Term::Repeat(p) => {
            out.push('(');
            write_process(program, p, PARALLEL, out);
            out.push_str(")*");
        }
        Term::Scope(s, p) => {
            let declared = s.iter().map(|(x, value)| {
                let own = &program.variables[x.index()];
                declaration(own) + " = " + &value_text(own.ty, *value)
            });
            *out += &format!("|[ {} | ", declared.collect::<Vec<_>>().join(", "));
            write_process(program, p, PARALLEL, out);
            out.push_str(" ]|");
        }
        Term::Encapsulate(p) => {
            out.push_str("enc(");
            write_process(program, p, PARALLEL, out);
            out.push(')');
        }
    }
    out.push_str(close);
}

/// Operators group to the right.
fn list(program: &Program, [p, q]: [&Process; 2], own: u8, sign: &str, out: &mut String) {
    write_process(program, p, own + 1, out);
    out.push_str(sign);
    write_process(program, q, own, out);
}

fn declaration(declared: &Declared) -> String {
    let ty = match (declared.ty, declared.range) {
        (Type::Bool, _) => "bool".to_owned(),
        (Type::Int, None) => "int".to_owned(),
        (Type::Int, Some((low, high))) => format!("{low}..{high}"),
    };
    format!("{}: {ty}", declared.name)
}

/// A whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (variable, value) in program.variables.iter().zip(&program.globals) {
        out += &format!("var {} = {};\n", declaration(variable), value_text(variable.ty, *value));
    }
    for channel in &program.channels {
        out += &format!("chan {};\n", declaration(channel));
    }
    out + &format!("model {{\n  {}\n}}\n", process(program, &program.process))
}
