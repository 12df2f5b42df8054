//! What the names of a `.proto` file mean.
//!
//! Terms are resolved to patterns over variables of the whole protocol: a variable for each role, its agent, and behind these one for each
//! value that a role makes.

use crate::protocol::{Kind, Pattern, SharedKeys};
use crate::syntax::{Expr, ExprKind, File, Name};
use ferrospin_source::suggest::did_you_mean;
use ferrospin_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

/// A value that a role makes.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) role: usize,
    pub(crate) kind: Kind,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Role(usize),
    Value(usize),
    Constant(usize),
    Function(usize),
}

/// The names of a file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Roles, and whether each is a server.
    pub(crate) roles: Vec<(String, bool)>,
    pub(crate) values: Vec<Value>,
    pub(crate) constants: Vec<String>,
    pub(crate) functions: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) shared: Vec<SharedKeys>,
    meanings: FxHashMap<String, (Meaning, Span)>,
}

/// Functions that every protocol has.
const BUILT_IN: [&str; 3] = ["pk", "sk", "shared"];

/// Names of one sort that a file may have: the encoding of terms has room for these.
const NAMES_MAX: usize = 200;

impl Names {
    /// The names of a file; says what is wrong with them.
    pub(crate) fn of(file: &File, said: &mut Diagnostics) -> Names {
        let shared = vec![SharedKeys { name: "shared".into(), is_symmetric: true }];
        let mut names = Names { shared, ..Names::default() };
        for (role, is_server) in &file.roles {
            names.define(role, Meaning::Role(names.roles.len()), said);
            names.roles.push((role.text.clone(), *is_server));
        }
        for constant in &file.constants {
            names.define(constant, Meaning::Constant(names.constants.len()), said);
            names.constants.push(constant.text.clone());
        }
        for function in &file.functions {
            names.define(function, Meaning::Function(names.functions.len()), said);
            names.functions.push(function.text.clone());
        }
        for fresh in &file.fresh {
            let Some(role) = names.role(&fresh.role, said) else { continue };
            let kind = match fresh.kind.text.as_str() {
                "nonce" => Kind::Nonce,
                "key" => Kind::Key,
                other => {
                    let known = names.types.iter().position(|t| t == other);
                    let number = known.unwrap_or_else(|| {
                        names.types.push(other.into());
                        names.types.len() - 1
                    });
                    Kind::Other(number.min(NAMES_MAX) as u8)
                }
            };
            names.define(&fresh.name, Meaning::Value(names.values.len()), said);
            names.values.push(Value { name: fresh.name.text.clone(), role, kind });
        }
        let counts = [names.roles.len(), names.values.len(), names.constants.len(), names.functions.len()];
        if let (true, Some(name)) = (counts.iter().any(|n| *n > NAMES_MAX), &file.name) {
            let message = format!("more than {NAMES_MAX} roles, values, constants or functions");
            said.push(Diagnostic::error("too-large", name.span, message));
        }
        names
    }

    fn define(&mut self, name: &Name, meaning: Meaning, said: &mut Diagnostics) {
        if BUILT_IN.contains(&name.text.as_str()) {
            let message = format!("`{}` is a function of every protocol", name.text);
            said.push(Diagnostic::error("twice", name.span, message));
        } else if let Some((_, first)) = self.meanings.get(&name.text) {
            let message = format!("`{}` is declared already", name.text);
            said.push(Diagnostic::error("twice", name.span, message).also(*first, "here"));
        } else {
            self.meanings.insert(name.text.clone(), (meaning, name.span));
        }
    }

    /// What a name stands for, if it is declared.
    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.meanings.get(name).map(|(meaning, _)| *meaning)
    }

    fn unknown(&self, what: &str, name: &Name, is_fit: impl Fn(Meaning) -> bool, said: &mut Diagnostics) {
        let known = self.meanings.iter().filter(|(_, (m, _))| is_fit(*m)).map(|(n, _)| n.as_str());
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let mut message = Diagnostic::error("unknown-name", name.span, format!("there is no {what} `{}`", name.text));
        if let Some(hint) = did_you_mean(&name.text, known.iter().copied()) {
            message = message.note(hint);
        }
        said.push(message);
    }

    /// The role of this name; says so where there is none.
    pub(crate) fn role(&self, name: &Name, said: &mut Diagnostics) -> Option<usize> {
        match self.meaning(&name.text) {
            Some(Meaning::Role(role)) => Some(role),
            _ => {
                self.unknown("role", name, |m| matches!(m, Meaning::Role(_)), said);
                None
            }
        }
    }

    /// The value of this name; says so where there is none.
    pub(crate) fn value(&self, name: &Name, said: &mut Diagnostics) -> Option<usize> {
        match self.meaning(&name.text) {
            Some(Meaning::Value(value)) => Some(value),
            _ => {
                self.unknown("fresh value", name, |m| matches!(m, Meaning::Value(_)), said);
                None
            }
        }
    }

    /// The variable that stands for a value.
    pub(crate) fn variable(&self, value: usize) -> usize {
        self.roles.len() + value
    }

    /// The value that a variable stands for.
    pub(crate) fn value_of(&self, variable: usize) -> Option<usize> {
        variable.checked_sub(self.roles.len())
    }

    /// The agent of a role.
    pub(crate) fn agent(&self, role: usize) -> Pattern {
        if self.roles[role].1 { Pattern::Server(role) } else { Pattern::Variable(role) }
    }

    /// What a term means; says what is wrong with it.
    pub(crate) fn term(&self, expr: &Expr, said: &mut Diagnostics) -> Option<Pattern> {
        match &expr.kind {
            ExprKind::Name(name) => match self.meaning(name) {
                Some(Meaning::Role(role)) => Some(self.agent(role)),
                Some(Meaning::Value(value)) => Some(Pattern::Variable(self.variable(value))),
                Some(Meaning::Constant(constant)) => Some(Pattern::Constant(constant)),
                Some(Meaning::Function(_)) => {
                    let message = format!("`{name}` is a function: give it arguments");
                    said.push(Diagnostic::error("arguments", expr.span, message));
                    None
                }
                None => {
                    let name = Name { text: name.clone(), span: expr.span };
                    self.unknown("role, value or constant", &name, |m| !matches!(m, Meaning::Function(_)), said);
                    None
                }
            },
            ExprKind::List(list) => {
                let parts: Vec<Option<Pattern>> = list.iter().map(|e| self.term(e, said)).collect();
                joined(parts.into_iter().collect::<Option<Vec<_>>>()?)
            }
            ExprKind::Encrypted(body, key) => {
                let (body, key) = (self.term(body, said), self.term(key, said));
                Some(Pattern::Encrypted(Box::new(body?), Box::new(key?)))
            }
            ExprKind::Call(function, arguments) => self.call(expr, function, arguments, said),
        }
    }

    fn call(&self, expr: &Expr, function: &Name, arguments: &[Expr], said: &mut Diagnostics) -> Option<Pattern> {
        let name = function.text.as_str();
        let wanted = match name {
            "pk" | "sk" => 1,
            "shared" => 2,
            _ => match self.meaning(name) {
                Some(Meaning::Function(number)) => {
                    let parts: Vec<Option<Pattern>> = arguments.iter().map(|e| self.term(e, said)).collect();
                    let Some(argument) = joined(parts.into_iter().collect::<Option<Vec<_>>>()?) else {
                        said.push(Diagnostic::error("arguments", expr.span, format!("`{name}` needs an argument")));
                        return None;
                    };
                    return Some(Pattern::Applied(number, Box::new(argument)));
                }
                _ => {
                    let mut message =
                        Diagnostic::error("unknown-name", function.span, format!("there is no function `{name}`"));
                    let known = self.functions.iter().map(String::as_str).chain(BUILT_IN);
                    if let Some(hint) = did_you_mean(name, known) {
                        message = message.note(hint);
                    }
                    said.push(message.note("one-way functions are declared by `hash NAME;`"));
                    return None;
                }
            },
        };
        if arguments.len() != wanted {
            let message = format!("`{name}` takes {wanted} {}", if wanted == 1 { "agent" } else { "agents" });
            said.push(Diagnostic::error("arguments", expr.span, message));
            return None;
        }
        let mut agents = Vec::new();
        for argument in arguments {
            let role = match &argument.kind {
                ExprKind::Name(name) => self.meaning(name),
                _ => None,
            };
            let Some(Meaning::Role(role)) = role else {
                let message = format!("`{name}` is about agents: its arguments are roles");
                said.push(Diagnostic::error("arguments", argument.span, message));
                return None;
            };
            agents.push(Box::new(self.agent(role)));
        }
        let first = agents.remove(0);
        Some(match name {
            "pk" => Pattern::Public(first),
            "sk" => Pattern::Private(first),
            _ => {
                let second = agents.remove(0);
                let (first, second) = if second < first { (second, first) } else { (first, second) };
                Pattern::Shared(0, first, second)
            }
        })
    }
}

/// Terms one behind the other: a pair of the first and the rest.
fn joined(parts: Vec<Pattern>) -> Option<Pattern> {
    parts.into_iter().rev().reduce(|rest, first| Pattern::pair(first, rest))
}
