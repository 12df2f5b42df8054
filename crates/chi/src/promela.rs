//! Models in normal form as Promela.
//!
//! Every sequential process becomes an `active proctype`, variables of scopes become globals, channels rendezvous channels. A guarded
//! message must not be decided before the partner is there: such channels are arrays, in which the guard chooses the element; the
//! receiver takes element 0 where its guard is false and the sender element 2, which nothing meets. A repetition at the end of a
//! process may stay where it is for ever: it gets an `end` label, so that waiting there is a valid end.
//!
//! The translation is not trusted: the caller can compare both graphs, with [`OBSERVED`] in mind.

use crate::graph::may_end;
use crate::normal::{Normal, Refused, normal};
use crate::print;
use crate::rules::never_ends_at_once;
use crate::step::value;
use crate::term::{Binary, Channel, Expression, Process, Program, Term, Type, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is compared: the global variables of the chi model, which keep their names unless [`Translation::names`] says otherwise.
pub const OBSERVED: &str = "globals";

/// Processes that Promela has.
const PROCESSES_MAX: usize = 250;

/// Lines that a translation may have: what comes behind some choices is written in each of their options.
const LINES_MAX: u32 = 200_000;

/// A translated model.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The text.
    pub text: String,
    /// The names of variables and channels in chi and in Promela, where these differ.
    pub names: Vec<(String, String)>,
    /// What stands on lines of the text, in chi: line from 1, atom.
    pub lines: Vec<(u32, String)>,
    /// The model in normal form, and the way there.
    pub normal: Normal,
}

/// Translates a model.
pub fn translate(program: &Program) -> Result<Translation, Refused> {
    let normal = normal(program)?;
    let mut writer = Writer::new(&normal);
    writer.declarations();
    if normal.parts.len() > PROCESSES_MAX {
        return Err(Refused::TooLarge);
    }
    for (i, part) in normal.parts.iter().enumerate() {
        writer.line(&format!("active proctype P{}() {{", i + 1));
        writer.depth = 1;
        writer.sequence(std::slice::from_ref(part), None)?;
        writer.depth = 0;
        writer.line("}");
    }
    if normal.parts.is_empty() {
        writer.line("active proctype P1() {\n  skip\n}");
    }
    let Writer { text, lines, names, .. } = writer;
    let chi = normal.program.variables.iter().chain(&normal.program.channels).map(|d| d.name.clone());
    let renamed = chi.filter_map(|name| names.get(&name).filter(|n| **n != name).map(|n| (name, n.clone()))).collect();
    Ok(Translation { text, names: renamed, lines, normal })
}

struct Writer<'a> {
    normal: &'a Normal,
    text: String,
    line_count: u32,
    lines: Vec<(u32, String)>,
    depth: usize,
    ends: u32,
    names: FxHashMap<String, String>,
    /// Channels that are guarded somewhere.
    guarded: FxHashSet<Channel>,
}

/// What stands before the next statement: `:: ` where an option begins.
type Lead = Option<&'static str>;

impl<'a> Writer<'a> {
    fn new(normal: &'a Normal) -> Self {
        let mut guarded = FxHashSet::default();
        normal.parts.iter().for_each(|p| guarded_channels(p, &mut guarded));
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut names = FxHashMap::default();
        for declared in normal.program.variables.iter().chain(&normal.program.channels) {
            let mut name = declared.name.clone();
            let is_own = |name: &str| name.starts_with('P') && name[1..].bytes().all(|b| b.is_ascii_digit());
            if KEYWORDS.contains(&name.as_str()) || name.starts_with('_') || is_own(&name) {
                name = format!("chi_{name}");
            }
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            names.insert(declared.name.clone(), name);
        }
        Writer { normal, text: String::new(), line_count: 0, lines: Vec::new(), depth: 0, ends: 0, names, guarded }
    }

    fn line(&mut self, text: &str) {
        self.text += &"  ".repeat(self.depth);
        self.text += text;
        self.text.push('\n');
        self.line_count += 1 + text.matches('\n').count() as u32;
    }

    fn program(&self) -> &'a Program {
        &self.normal.program
    }

    fn variable(&self, x: Variable) -> String {
        self.names[&self.program().variables[x.index()].name].clone()
    }

    fn declarations(&mut self) {
        let program = self.program();
        self.line("/* Translated from chi. */");
        let globals = program.globals.iter().enumerate().map(|(i, value)| (Variable(i as u32), *value));
        let all: Vec<(Variable, i32)> = globals.chain(self.normal.scope.iter().copied()).collect();
        for (x, value) in all {
            let ty = type_name(program.variables[x.index()].ty);
            let name = self.variable(x);
            self.line(&format!("{ty} {name} = {};", number(value)));
        }
        let mut used = FxHashSet::default();
        self.normal.parts.iter().for_each(|p| used_channels(p, &mut used));
        let mut used: Vec<Channel> = used.into_iter().collect();
        used.sort_unstable();
        for m in used {
            let declared = &program.channels[m.index()];
            let size = if self.guarded.contains(&m) { "[3]" } else { "" };
            let (name, ty) = (self.names[&declared.name].clone(), type_name(declared.ty));
            self.line(&format!("chan {name}{size} = [0] of {{ {ty} }};"));
        }
    }

    /// A statement, with what it is in chi.
    fn statement(&mut self, lead: Lead, text: &str, atom: &Process) {
        self.lines.push((self.line_count + 1, print::process(self.program(), atom)));
        match lead {
            Some(lead) => self.line(&format!("{lead}{text};")),
            None => self.line(&format!("{text};")),
        }
    }

    /// Processes one after another; the last is the last thing that the proctype does, or leaves the loop.
    fn sequence(&mut self, list: &[Process], lead: Lead) -> Result<(), Refused> {
        if self.line_count > LINES_MAX {
            return Err(Refused::TooLarge);
        }
        let Some((first, rest)) = list.split_first() else { return Ok(()) };
        match first.term() {
            Term::Sequence(p, q) => {
                let mut longer = vec![p.clone(), q.clone()];
                longer.extend_from_slice(rest);
                self.sequence(&longer, lead)
            }
            Term::Epsilon => self.sequence(rest, lead),
            Term::Choice(..) => {
                self.open(lead, "if");
                let mut options = Vec::new();
                alternatives(first, &mut options);
                // A repetition at the end of an option must see what comes behind, which then stands in every option.
                let is_split = !options.iter().all(never_ends_at_once);
                for option in options {
                    if may_end(&option) {
                        return Err(Refused::OptionalEnd(print::process(self.program(), &option)));
                    }
                    let mut list = vec![option];
                    list.extend_from_slice(if is_split { rest } else { &[] });
                    self.option(&list, false)?;
                }
                self.line("fi;");
                self.close(lead);
                if is_split { Ok(()) } else { self.sequence(rest, None) }
            }
            Term::Repeat(body) => {
                self.looped(body)?;
                if rest.iter().all(may_end) {
                    return self.last_repetition(list, lead);
                }
                self.open(lead, "do");
                self.option(std::slice::from_ref(body), false)?;
                self.option(rest, true)?;
                self.line("od;");
                self.close(lead);
                Ok(())
            }
            _ => {
                let text = self.atom(first)?;
                self.statement(lead, &text, first);
                let deeper = lead.is_some();
                self.depth += usize::from(deeper);
                self.sequence(rest, None)?;
                self.depth -= usize::from(deeper);
                Ok(())
            }
        }
    }

    /// Repetitions behind which nothing must come: waiting in each is an end; each may be left for a later one.
    fn last_repetition(&mut self, list: &[Process], lead: Lead) -> Result<(), Refused> {
        let mut bodies = Vec::new();
        let mut rest: Vec<Process> = list.to_vec();
        rest.reverse();
        while let Some(p) = rest.pop() {
            match p.term() {
                Term::Repeat(body) => bodies.push(body.clone()),
                Term::Sequence(a, b) => rest.extend([b.clone(), a.clone()]),
                Term::Epsilon => {}
                _ => return Err(Refused::OptionalEnd(print::process(self.program(), &p))),
            }
        }
        let Some((first, later)) = bodies.split_first() else { return Ok(()) };
        self.ends += 1;
        let label = format!("end{}: do", self.ends);
        self.open(lead, &label);
        self.option(std::slice::from_ref(first), false)?;
        for (i, body) in later.iter().enumerate() {
            self.looped(body)?;
            let mut way = vec![body.clone()];
            way.extend(later[i..].iter().map(|b| Term::Repeat(b.clone()).into()));
            self.option(&way, true)?;
        }
        self.line("od;");
        self.close(lead);
        Ok(())
    }

    /// Refuses what cannot stand in a loop: at the end of each round it must be clear that the round is over.
    fn looped(&self, body: &Process) -> Result<(), Refused> {
        match never_ends_at_once(body) {
            true => Ok(()),
            false => Err(Refused::RoundEnd(print::process(self.program(), body))),
        }
    }

    /// `if` or `do`; as the first thing of an option it stands behind the mark of the option.
    fn open(&mut self, lead: Lead, word: &str) {
        match lead {
            Some(lead) => {
                self.line(&format!("{lead}{word}"));
                self.depth += 1;
            }
            None => self.line(word),
        }
    }

    fn close(&mut self, lead: Lead) {
        self.depth -= usize::from(lead.is_some());
    }

    fn option(&mut self, list: &[Process], leaves: bool) -> Result<(), Refused> {
        self.sequence(list, Some(":: "))?;
        if leaves {
            self.depth += 1;
            self.line("break;");
            self.depth -= 1;
        }
        Ok(())
    }

    fn atom(&self, p: &Process) -> Result<String, Refused> {
        let (guard, inner) = match p.term() {
            Term::Guard(b, inner) => (Some(self.expression(b, 0)), inner),
            _ => (None, p),
        };
        let channel = |m: &Channel, other: u8| {
            let name = &self.names[&self.program().channels[m.index()].name];
            match &guard {
                Some(b) => format!("{name}[({b} -> 1 : {other})]"),
                None if self.guarded.contains(m) => format!("{name}[1]"),
                None => name.clone(),
            }
        };
        Ok(match (inner.term(), &guard) {
            (Term::Skip, None) => "skip".into(),
            (Term::Skip, Some(b)) => format!("({b})"),
            (Term::Delta, _) => "(false)".into(),
            (Term::Assign(x, e), None) => format!("{} = {}", self.variable(*x), self.expression(e, 0)),
            (Term::Assign(x, e), Some(b)) => {
                format!("d_step {{ ({b}) -> {} = {} }}", self.variable(*x), self.expression(e, 0))
            }
            (Term::Send(m, e), _) => format!("{}!{}", channel(m, 2), self.argument(e)),
            (Term::Receive(m, x), _) => format!("{}?{}", channel(m, 0), self.variable(*x)),
            (Term::Epsilon | Term::Repeat(_), _) => {
                return Err(Refused::OptionalEnd(print::process(self.program(), p)));
            }
            _ => return Err(Refused::Parallel("a guard")),
        })
    }

    /// An expression as an argument of a message.
    fn argument(&self, e: &Expression) -> String {
        match e {
            Expression::Value(..) | Expression::Variable(_) => self.expression(e, 0),
            _ => format!("({})", self.expression(e, 0)),
        }
    }

    fn expression(&self, e: &Expression, around: u8) -> String {
        match e {
            Expression::Value(value, _) => number(*value),
            Expression::Variable(x) => self.variable(*x),
            Expression::Not(e) => format!("!({})", self.expression(e, 0)),
            Expression::Negative(e) => match value(e, &[]) {
                Ok(constant) if matches!(**e, Expression::Value(..)) => number(constant.wrapping_neg()),
                _ => format!("(0 - ({}))", self.expression(e, 0)),
            },
            Expression::Binary(op, a, b) => {
                let (sign, own) = operator(*op);
                let text = format!("{} {sign} {}", self.expression(a, own), self.expression(b, own + 1));
                if own < around { format!("({text})") } else { text }
            }
        }
    }
}

/// Signs of Promela and how tightly they bind.
fn operator(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Or => ("||", 0),
        Binary::And => ("&&", 1),
        Binary::Equal => ("==", 2),
        Binary::Different => ("!=", 2),
        Binary::Less => ("<", 3),
        Binary::LessEqual => ("<=", 3),
        Binary::Greater => (">", 3),
        Binary::GreaterEqual => (">=", 3),
        Binary::Plus => ("+", 4),
        Binary::Minus => ("-", 4),
        Binary::Times => ("*", 5),
        Binary::Divide => ("/", 5),
        Binary::Modulo => ("%", 5),
    }
}

fn number(value: i32) -> String {
    match value {
        // The negative of a number is written, and this one has no positive.
        i32::MIN => "(-2147483647 - 1)".into(),
        _ if value < 0 => format!("(0 - {})", value.unsigned_abs()),
        _ => value.to_string(),
    }
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Int => "int",
    }
}

fn alternatives(p: &Process, found: &mut Vec<Process>) {
    match p.term() {
        Term::Choice(a, b) => {
            alternatives(a, found);
            alternatives(b, found);
        }
        _ => found.push(p.clone()),
    }
}

fn used_channels(p: &Process, found: &mut FxHashSet<Channel>) {
    if let Term::Send(m, _) | Term::Receive(m, _) = p.term() {
        found.insert(*m);
    }
    p.parts().for_each(|q| used_channels(q, found));
}

fn guarded_channels(p: &Process, found: &mut FxHashSet<Channel>) {
    if let Term::Guard(_, inner) = p.term()
        && let Term::Send(m, _) | Term::Receive(m, _) = inner.term()
    {
        found.insert(*m);
    }
    p.parts().for_each(|q| guarded_channels(q, found));
}

/// Words that Promela keeps for itself.
const KEYWORDS: [&str; 67] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_proctype",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "pml",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "until",
    "xr",
    "xs",
    "false",
];
