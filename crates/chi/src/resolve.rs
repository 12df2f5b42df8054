//! From trees to programs: names get their meaning, named processes are put in, every scope gets variables of its own.
//!
//! Because each use of a scope or of a named process has its own variables, no variable is ever in scope twice, and scopes can be
//! moved outwards without renaming.

use crate::step;
use crate::syntax::{Declaration, Expr, ExprKind, File, Name, Proc};
use crate::term::{Binary, Channel, Declared, Expression, Process, Program, Term, Type, Variable, make};
use ferrospin_source::suggest::did_you_mean;
use ferrospin_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Operators that a model may have when all named processes are put in.
const OPERATORS_MAX: usize = 100_000;
/// Operators that may stand inside one another; those of a list do.
const DEPTH_MAX: u32 = 1000;
/// Named processes that may stand inside one another.
const CALLS_MAX: usize = 50;

/// What a name stands for.
#[derive(Clone, Debug)]
enum Meaning {
    Variable(Variable),
    Channel(Channel),
    Value(Arc<Expression>, Type),
}

type Names = FxHashMap<String, Meaning>;

/// The meaning of a file; `None` where something was wrong, which was said.
pub(crate) fn resolve(file: &File, said: &mut Diagnostics) -> Option<Program> {
    let mut resolver = Resolver {
        file,
        said,
        program: Program { variables: Vec::new(), globals: Vec::new(), channels: Vec::new(), process: make::delta() },
        global: Names::default(),
        taken: FxHashSet::default(),
        told: FxHashSet::default(),
        calls: Vec::new(),
        made: 0,
    };
    resolver.declarations();
    let (model, span) = file.model.as_ref()?;
    let names = resolver.global.clone();
    let process = resolver.process(model, &names);
    if process.is_some() && resolver.made > OPERATORS_MAX {
        resolver.too_large(*span);
    }
    let process = process?;
    if resolver.said.has_errors() {
        return None;
    }
    resolver.program.process = process;
    Some(resolver.program)
}

struct Resolver<'a> {
    file: &'a File,
    said: &'a mut Diagnostics,
    program: Program,
    global: Names,
    /// Names of variables in the program.
    taken: FxHashSet<String>,
    /// What was said already; a named process is read as often as it is used.
    told: FxHashSet<(u32, &'static str)>,
    /// The named processes that are being read.
    calls: Vec<usize>,
    made: usize,
}

impl Resolver<'_> {
    fn say(&mut self, diagnostic: Diagnostic) {
        if self.told.insert((diagnostic.span.lo, diagnostic.code)) {
            self.said.push(diagnostic);
        }
    }

    fn too_large(&mut self, span: Span) {
        let what = format!("the model has more than {OPERATORS_MAX} operators when all named processes are put in");
        self.say(Diagnostic::error("too-large", span, what));
    }

    fn declarations(&mut self) {
        let file = self.file;
        let mut places: FxHashMap<&str, Span> = FxHashMap::default();
        for (declared, is_channel) in
            file.variables.iter().map(|d| (d, false)).chain(file.channels.iter().map(|d| (d, true)))
        {
            let name = &declared.name;
            if let Some(first) = places.insert(&name.text, name.span) {
                let twice =
                    Diagnostic::error("declared-twice", name.span, format!("`{}` is declared already", name.text));
                self.say(twice.also(first, "here"));
                continue;
            }
            let meaning = if is_channel {
                if let Some(value) = &declared.value {
                    self.say(Diagnostic::error("value", value.span, "a channel has no value"));
                }
                let (ty, range) = declared.ty.unwrap_or((Type::Int, None));
                self.program.channels.push(Declared { name: name.text.clone(), ty, range });
                Meaning::Channel(Channel(self.program.channels.len() as u32 - 1))
            } else {
                let Some((variable, value)) = self.declare(declared, &Names::default()) else { continue };
                self.program.globals.push(value);
                Meaning::Variable(variable)
            };
            self.global.insert(name.text.clone(), meaning);
        }
        let mut places: FxHashMap<&str, Span> = FxHashMap::default();
        for definition in &file.definitions {
            let name = &definition.name;
            if let Some(first) = places.insert(&name.text, name.span) {
                let what = format!("there is a process `{}` already", name.text);
                self.say(Diagnostic::error("declared-twice", name.span, what).also(first, "here"));
            }
        }
    }

    /// Makes a variable; its value is constant.
    fn declare(&mut self, declared: &Declaration, names: &Names) -> Option<(Variable, i32)> {
        let name = &declared.name;
        let (value, told) = match &declared.value {
            None => (0, None),
            Some(text) => {
                let (e, ty) = self.expression(text, names)?;
                let none = vec![0; self.program.variables.len()];
                match step::value(&e, &none) {
                    _ if reads(&e) => {
                        let what = "the first value of a variable is a constant: assign what is not";
                        self.say(Diagnostic::error("constant", text.span, what));
                        return None;
                    }
                    Err(fault) => {
                        self.say(Diagnostic::error("constant", text.span, fault.to_string()));
                        return None;
                    }
                    Ok(value) => (value, Some((ty, text.span))),
                }
            }
        };
        let (ty, range) = match (declared.ty, told) {
            (Some(ty), _) => ty,
            (None, Some((ty, _))) => (ty, None),
            (None, None) => {
                let note = format!("write `{0}: int`, or `{0} = 0`", name.text);
                self.say(Diagnostic::error("type", name.span, format!("`{}` has no type", name.text)).note(note));
                return None;
            }
        };
        if let Some((told, span)) = told
            && told != ty
        {
            self.mismatch(ty, told, span);
            return None;
        }
        // Names of all variables differ, so that texts and translations can use them.
        let mut own = name.text.clone();
        let mut number = 1;
        while !self.taken.insert(own.clone()) {
            number += 1;
            own = format!("{}_{number}", name.text);
        }
        let variable = Variable(self.program.variables.len() as u32);
        let default = range.map_or(0, |(low, high): (i32, i32)| 0.clamp(low, high));
        self.program.variables.push(Declared { name: own, ty, range });
        Some((variable, if told.is_some() { value } else { default }))
    }

    fn find(&mut self, name: &Name, names: &Names) -> Option<Meaning> {
        if let Some(meaning) = names.get(&name.text) {
            return Some(meaning.clone());
        }
        let mut error = Diagnostic::error("unknown", name.span, format!("`{}` is not declared", name.text));
        let mut known: Vec<&str> = names.keys().map(String::as_str).collect();
        known.sort_unstable();
        if let Some(hint) = did_you_mean(&name.text, known) {
            error = error.note(hint);
        }
        self.say(error);
        None
    }

    fn channel(&mut self, name: &Name, names: &Names) -> Option<Channel> {
        match self.find(name, names)? {
            Meaning::Channel(m) => Some(m),
            _ => {
                self.say(Diagnostic::error("channel", name.span, format!("`{}` is no channel", name.text)));
                None
            }
        }
    }

    fn variable(&mut self, name: &Name, names: &Names) -> Option<Variable> {
        match self.find(name, names)? {
            Meaning::Variable(x) => Some(x),
            _ => {
                self.say(Diagnostic::error("variable", name.span, format!("`{}` is no variable", name.text)));
                None
            }
        }
    }

    fn mismatch(&mut self, wanted: Type, found: Type, span: Span) {
        let text = |ty| if ty == Type::Bool { "a truth value" } else { "a number" };
        self.say(Diagnostic::error("type", span, format!("expected {}, found {}", text(wanted), text(found))));
    }

    fn typed(&mut self, e: &Expr, wanted: Type, names: &Names) -> Option<Arc<Expression>> {
        let (found, ty) = self.expression(e, names)?;
        if ty != wanted {
            self.mismatch(wanted, ty, e.span);
            return None;
        }
        Some(found)
    }

    fn expression(&mut self, e: &Expr, names: &Names) -> Option<(Arc<Expression>, Type)> {
        Some(match &e.kind {
            ExprKind::Number(number) => match i32::try_from(*number) {
                Ok(number) => (make::int(number), Type::Int),
                Err(_) => {
                    self.say(Diagnostic::error("too-large", e.span, "this number does not fit into 32 bits"));
                    return None;
                }
            },
            ExprKind::Truth(value) => (make::truth(*value), Type::Bool),
            ExprKind::Name(text) => match self.find(&Name { text: text.clone(), span: e.span }, names)? {
                Meaning::Variable(x) => (make::variable(x), self.program.variables[x.index()].ty),
                Meaning::Value(e, ty) => (e, ty),
                Meaning::Channel(_) => {
                    self.say(Diagnostic::error("variable", e.span, format!("`{text}` is a channel and has no value")));
                    return None;
                }
            },
            ExprKind::Not(inner) => (Arc::new(Expression::Not(self.typed(inner, Type::Bool, names)?)), Type::Bool),
            ExprKind::Negative(inner) => {
                (Arc::new(Expression::Negative(self.typed(inner, Type::Int, names)?)), Type::Int)
            }
            ExprKind::Binary(op, a, b) => {
                let (operands, ty) = match op {
                    Binary::Or | Binary::And => (Some(Type::Bool), Type::Bool),
                    Binary::Equal | Binary::Different => (None, Type::Bool),
                    Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                        (Some(Type::Int), Type::Bool)
                    }
                    _ => (Some(Type::Int), Type::Int),
                };
                let (left, left_ty) = match operands {
                    Some(ty) => (self.typed(a, ty, names)?, ty),
                    None => self.expression(a, names)?,
                };
                let right = self.typed(b, left_ty, names)?;
                (make::binary(*op, left, right), ty)
            }
        })
    }

    /// A process; `None` where something was wrong.
    fn process(&mut self, p: &Proc, names: &Names) -> Option<Process> {
        self.made += 1;
        if self.made > OPERATORS_MAX {
            return Some(make::delta());
        }
        Some(match p {
            Proc::Delta => make::delta(),
            Proc::Epsilon => make::eps(),
            Proc::Skip => make::skip(),
            Proc::Assign(name, e) => {
                let x = self.variable(name, names);
                let ty = x.map(|x| self.program.variables[x.index()].ty);
                make::assign(x?, self.typed(e, ty?, names)?)
            }
            Proc::Send(name, e) => {
                let m = self.channel(name, names)?;
                make::send(m, self.typed(e, self.program.channels[m.index()].ty, names)?)
            }
            Proc::Receive(name, target) => {
                let (m, x) = (self.channel(name, names), self.variable(target, names));
                let (m, x) = (m?, x?);
                let (carried, held) = (self.program.channels[m.index()].ty, self.program.variables[x.index()].ty);
                if carried != held {
                    self.mismatch(carried, held, target.span);
                    return None;
                }
                make::receive(m, x)
            }
            Proc::Call(name, arguments) => return self.call(name, arguments, names),
            Proc::Guard(b, inner) => {
                let b = self.typed(b, Type::Bool, names);
                let inner = self.process(inner, names);
                make::guard(b?, inner?)
            }
            Proc::Sequence(list) => return self.list(list, names, make::sequence),
            Proc::Choice(list) => return self.list(list, names, make::choice),
            Proc::Parallel(list) => return self.list(list, names, make::parallel),
            Proc::Repeat(inner) => make::repeat(self.process(inner, names)?),
            Proc::Encapsulate(inner) => make::enc(self.process(inner, names)?),
            Proc::Scope(declared, inner) => {
                let mut own = names.clone();
                let mut values = Vec::new();
                let mut here: FxHashMap<&str, Span> = FxHashMap::default();
                for declaration in declared {
                    let name = &declaration.name;
                    if let Some(first) = here.insert(&name.text, name.span) {
                        let what = format!("`{}` is declared already", name.text);
                        self.say(Diagnostic::error("declared-twice", name.span, what).also(first, "here"));
                    }
                    let (variable, value) = self.declare(declaration, names)?;
                    values.push((variable, value));
                    own.insert(name.text.clone(), Meaning::Variable(variable));
                }
                make::scope(values, self.process(inner, &own)?)
            }
        })
        .and_then(|p| self.bounded(p))
    }

    /// Refuses what nests too deeply.
    fn bounded(&mut self, p: Process) -> Option<Process> {
        if p.depth() <= DEPTH_MAX {
            return Some(p);
        }
        let span = self.file.model.as_ref().map_or(Span::NONE, |(_, span)| *span);
        let what = format!("more than {DEPTH_MAX} operators stand inside one another, those of a list among them");
        self.say(Diagnostic::error("nesting", span, what));
        None
    }

    /// Operators group to the right.
    fn list(&mut self, list: &[Proc], names: &Names, make: fn(Process, Process) -> Process) -> Option<Process> {
        let parts: Vec<Option<Process>> = list.iter().map(|p| self.process(p, names)).collect();
        let mut parts = parts.into_iter().rev();
        let mut whole = parts.next()??;
        for part in parts {
            let joined = make(part?, whole);
            whole = self.bounded(joined)?;
        }
        Some(whole)
    }

    fn call(&mut self, name: &Name, arguments: &[Expr], names: &Names) -> Option<Process> {
        let file = self.file;
        let Some(number) = file.definitions.iter().position(|d| d.name.text == name.text) else {
            let what = match names.get(&name.text) {
                Some(_) => format!("`{}` alone is no process", name.text),
                None => format!("there is no process `{}`", name.text),
            };
            let mut error = Diagnostic::error("unknown", name.span, what);
            if let Some(hint) = did_you_mean(&name.text, file.definitions.iter().map(|d| d.name.text.as_str())) {
                error = error.note(hint);
            }
            self.say(error);
            return None;
        };
        let definition = &file.definitions[number];
        if self.calls.contains(&number) || self.calls.len() == CALLS_MAX {
            let what =
                format!("`{}` would contain itself, or named processes stand too deep inside one another", name.text);
            self.say(Diagnostic::error("recursion", name.span, what).note("what is done again is written `( ... )*`"));
            return None;
        }
        if arguments.len() != definition.parameters.len() {
            let what = format!(
                "`{}` has {} parameters, and gets {} here",
                name.text,
                definition.parameters.len(),
                arguments.len()
            );
            self.say(Diagnostic::error("arguments", name.span, what).also(definition.name.span, "it stands here"));
            return None;
        }
        let mut own = self.global.clone();
        for (parameter, argument) in definition.parameters.iter().zip(arguments) {
            let meaning = match &argument.kind {
                ExprKind::Name(text) => self.find(&Name { text: text.clone(), span: argument.span }, names)?,
                _ => {
                    let (e, ty) = self.expression(argument, names)?;
                    Meaning::Value(e, ty)
                }
            };
            own.insert(parameter.text.clone(), meaning);
        }
        self.calls.push(number);
        let body = self.process(&definition.body, &own);
        self.calls.pop();
        body
    }
}

/// Whether an expression reads a variable.
fn reads(e: &Expression) -> bool {
    match e {
        Expression::Value(..) => false,
        Expression::Variable(_) => true,
        Expression::Not(e) | Expression::Negative(e) => reads(e),
        Expression::Binary(_, a, b) => reads(a) || reads(b),
    }
}

/// The terms of a program with other variables and channels.
pub(crate) fn renamed(
    p: &Process,
    variable: &impl Fn(Variable) -> Variable,
    channel: &impl Fn(Channel) -> Channel,
) -> Process {
    let again = |p: &Process| renamed(p, variable, channel);
    let e = |e: &Arc<Expression>| renamed_expression(e, variable);
    match p.term() {
        Term::Delta | Term::Epsilon | Term::Skip => p.clone(),
        Term::Assign(x, value) => make::assign(variable(*x), e(value)),
        Term::Send(m, value) => make::send(channel(*m), e(value)),
        Term::Receive(m, x) => make::receive(channel(*m), variable(*x)),
        Term::Guard(b, p) => make::guard(e(b), again(p)),
        Term::Sequence(p, q) => make::sequence(again(p), again(q)),
        Term::Choice(p, q) => make::choice(again(p), again(q)),
        Term::Parallel(p, q) => make::parallel(again(p), again(q)),
        Term::Repeat(p) => make::repeat(again(p)),
        Term::Encapsulate(p) => make::enc(again(p)),
        Term::Scope(s, p) => make::scope(s.iter().map(|(x, value)| (variable(*x), *value)).collect(), again(p)),
    }
}

fn renamed_expression(e: &Arc<Expression>, variable: &impl Fn(Variable) -> Variable) -> Arc<Expression> {
    let again = |e| renamed_expression(e, variable);
    match &**e {
        Expression::Value(..) => e.clone(),
        Expression::Variable(x) => make::variable(variable(*x)),
        Expression::Not(inner) => Arc::new(Expression::Not(again(inner))),
        Expression::Negative(inner) => Arc::new(Expression::Negative(again(inner))),
        Expression::Binary(op, a, b) => make::binary(*op, again(a), again(b)),
    }
}
