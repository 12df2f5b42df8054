//! From the lines of a protocol to what each role does.
//!
//! A role sees of a message what it can open: what it cannot is a variable that it can only forward. Leaving such a part as it is written
//! would let the role test what it cannot see, and hide attacks. What a role sends must be made of what it knows at that time. What is
//! received closed and can be opened later is compared then.

use crate::names::{Meaning, Names};
use crate::protocol::{Event, Kind, Origin, Pattern, Role, Variable};
use crate::syntax::{Expr, ExprKind, File};
use ferrospin_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

/// What a party knows of messages, as patterns over the variables of the whole protocol.
pub(crate) struct Knowing<'a> {
    names: &'a Names,
    /// The role; `None` for a listener who plays none.
    role: Option<usize>,
    known: Vec<Pattern>,
}

impl<'a> Knowing<'a> {
    pub(crate) fn new(names: &'a Names, role: Option<usize>) -> Self {
        Knowing { names, role, known: Vec::new() }
    }

    /// Adds a message and all that can be read in it.
    pub(crate) fn learn(&mut self, message: &Pattern) {
        let mut open = vec![message.clone()];
        loop {
            while let Some(part) = open.pop() {
                if let Pattern::Pair(left, right) = &part {
                    open.extend([(**left).clone(), (**right).clone()]);
                }
                if !self.known.contains(&part) {
                    self.known.push(part);
                }
            }
            for known in &self.known {
                if let Pattern::Encrypted(body, key) = known
                    && !self.known.contains(body)
                    && self.makes(&inverse(key))
                {
                    open.push((**body).clone());
                }
            }
            if open.is_empty() {
                return;
            }
        }
    }

    fn is_own(&self, agent: &Pattern) -> bool {
        self.role.is_some_and(|role| self.names.agent(role) == *agent)
    }

    /// Whether a term can be made.
    pub(crate) fn makes(&self, pattern: &Pattern) -> bool {
        if self.known.contains(pattern) {
            return true;
        }
        match pattern {
            Pattern::Variable(v) => match self.names.value_of(*v) {
                None => true,
                Some(value) => Some(self.names.values[value].role) == self.role,
            },
            Pattern::Constant(_) | Pattern::Server(_) | Pattern::Public(_) => true,
            Pattern::Private(of) => self.is_own(of),
            Pattern::Shared(_, first, second) => self.is_own(first) || self.is_own(second),
            Pattern::Pair(..) | Pattern::Encrypted(..) | Pattern::Applied(..) => self.makes_parts(pattern),
        }
    }

    fn makes_parts(&self, pattern: &Pattern) -> bool {
        pattern.parts().iter().all(|part| self.makes(part))
    }

    /// Whether what is inside of a term can be seen, or compared.
    fn opens(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Encrypted(_, key) => self.makes(&inverse(key)) || self.makes_parts(pattern),
            Pattern::Applied(..) => self.makes_parts(pattern),
            Pattern::Private(of) => self.is_own(of),
            Pattern::Shared(_, first, second) => self.is_own(first) || self.is_own(second),
            _ => true,
        }
    }
}

/// The key that opens what another closes.
fn inverse(key: &Pattern) -> Pattern {
    match key {
        Pattern::Public(of) => Pattern::Private(of.clone()),
        Pattern::Private(of) => Pattern::Public(of.clone()),
        other => other.clone(),
    }
}

/// A role in the making.
struct Projection<'a> {
    names: &'a Names,
    number: usize,
    knowing: Knowing<'a>,
    variables: Vec<Variable>,
    /// The variable of the role for one of the protocol.
    own: FxHashMap<usize, usize>,
    /// What could not be opened: its variable, and whether it was opened since.
    closed: Vec<(Pattern, usize, bool)>,
    events: Vec<Event>,
    /// What cannot be opened at an event.
    shapes: Vec<(usize, usize, Pattern)>,
}

impl Projection<'_> {
    /// The variable of the role that stands for one of the protocol.
    fn variable(&mut self, global: usize) -> usize {
        if let Some(own) = self.own.get(&global) {
            return *own;
        }
        let variable = match self.names.value_of(global) {
            None => {
                let name = self.names.roles[global].0.clone();
                Variable { name, origin: Origin::Agent(global), kind: Kind::Agent }
            }
            Some(value) => {
                let value = &self.names.values[value];
                let is_own = value.role == self.number;
                let origin = if is_own { Origin::Fresh(self.events.len()) } else { Origin::Received };
                Variable { name: value.name.clone(), origin, kind: value.kind }
            }
        };
        self.variables.push(variable);
        self.own.insert(global, self.variables.len() - 1);
        self.variables.len() - 1
    }

    /// A term as the role sees it: over its own variables, what is closed as one of them.
    fn view(&mut self, pattern: &Pattern) -> Pattern {
        if !self.knowing.opens(pattern) {
            return Pattern::Variable(self.closed(pattern));
        }
        let mut part = |p: &Pattern| Box::new(self.view(p));
        match pattern {
            Pattern::Variable(v) => Pattern::Variable(self.variable(*v)),
            Pattern::Constant(_) | Pattern::Server(_) => pattern.clone(),
            Pattern::Pair(a, b) => Pattern::Pair(part(a), part(b)),
            Pattern::Encrypted(body, key) => {
                let body = part(body);
                Pattern::Encrypted(body, Box::new(self.key(key)))
            }
            Pattern::Public(of) => Pattern::Public(part(of)),
            Pattern::Private(of) => Pattern::Private(part(of)),
            Pattern::Shared(f, a, b) => Pattern::Shared(*f, part(a), part(b)),
            Pattern::Applied(f, a) => Pattern::Applied(*f, part(a)),
        }
    }

    /// A key as the role sees it: the key of a signature is seen by its inverse.
    fn key(&mut self, key: &Pattern) -> Pattern {
        match key {
            Pattern::Private(of) => Pattern::Private(Box::new(self.view(of))),
            other => self.view(other),
        }
    }

    /// The variable for what cannot be opened.
    fn closed(&mut self, pattern: &Pattern) -> usize {
        if let Some((_, variable, _)) = self.closed.iter().find(|(p, ..)| p == pattern) {
            return *variable;
        }
        let name = format!("sealed{}", self.closed.len() + 1);
        self.variables.push(Variable { name, origin: Origin::Received, kind: Kind::Opaque });
        let variable = self.variables.len() - 1;
        self.closed.push((pattern.clone(), variable, false));
        self.shapes.push((self.events.len(), variable, pattern.clone()));
        variable
    }

    fn receive(&mut self, message: &Pattern, peer: usize, label: usize, span: Span) {
        self.knowing.learn(message);
        let message = self.view(message);
        let mut opens = Vec::new();
        for i in 0..self.closed.len() {
            let (pattern, variable, is_open) = self.closed[i].clone();
            if !is_open && self.knowing.opens(&pattern) {
                self.closed[i].2 = true;
                let view = self.view(&pattern);
                opens.push((variable, view));
            }
        }
        let label = label.to_string();
        self.events.push(Event { is_send: false, peer, label, message, opens, shapes: Vec::new(), span });
    }

    fn send(&mut self, message: &Pattern, peer: usize, label: usize, span: Span) {
        let message = self.made(message);
        let label = label.to_string();
        let (opens, shapes) = (Vec::new(), Vec::new());
        self.events.push(Event { is_send: true, peer, label, message, opens, shapes, span });
    }

    /// A term that is sent, over the variables of the role.
    fn made(&mut self, pattern: &Pattern) -> Pattern {
        if let Some((_, variable, _)) = self.closed.iter().find(|(p, _, is_open)| p == pattern && !is_open) {
            return Pattern::Variable(*variable);
        }
        let mut part = |p: &Pattern| Box::new(self.made(p));
        match pattern {
            Pattern::Variable(v) => Pattern::Variable(self.variable(*v)),
            Pattern::Constant(_) | Pattern::Server(_) => pattern.clone(),
            Pattern::Pair(a, b) => Pattern::Pair(part(a), part(b)),
            Pattern::Encrypted(a, b) => Pattern::Encrypted(part(a), part(b)),
            Pattern::Public(of) => Pattern::Public(part(of)),
            Pattern::Private(of) => Pattern::Private(part(of)),
            Pattern::Shared(f, a, b) => Pattern::Shared(*f, part(a), part(b)),
            Pattern::Applied(f, a) => Pattern::Applied(*f, part(a)),
        }
    }

    fn finish(mut self) -> Role {
        let kept = self.variables.len();
        for (event, variable, pattern) in std::mem::take(&mut self.shapes) {
            let mut unseen = FxHashMap::default();
            let shape = self.shape(&pattern, &mut unseen);
            self.events[event].shapes.push((variable, shape));
        }
        let (name, is_server) = self.names.roles[self.number].clone();
        Role { name, is_server, variables: self.variables, kept, events: self.events }
    }

    /// The form of what cannot be opened, with any values of the right types: the role cannot tell them from those that it has.
    fn shape(&mut self, pattern: &Pattern, unseen: &mut FxHashMap<usize, usize>) -> Pattern {
        let mut part = |p: &Pattern| Box::new(self.shape(p, unseen));
        match pattern {
            Pattern::Variable(v) => {
                let kind = self.names.value_of(*v).map_or(Kind::Agent, |value| self.names.values[value].kind);
                let next = self.variables.len();
                let own = *unseen.entry(*v).or_insert(next);
                if own == next {
                    self.variables.push(Variable { name: format!("form{next}"), origin: Origin::Received, kind });
                }
                Pattern::Variable(own)
            }
            Pattern::Constant(_) | Pattern::Server(_) => pattern.clone(),
            Pattern::Pair(a, b) => Pattern::Pair(part(a), part(b)),
            Pattern::Encrypted(a, b) => Pattern::Encrypted(part(a), part(b)),
            Pattern::Public(of) => Pattern::Public(part(of)),
            Pattern::Private(of) => Pattern::Private(part(of)),
            Pattern::Shared(f, a, b) => Pattern::Shared(*f, part(a), part(b)),
            Pattern::Applied(f, a) => Pattern::Applied(*f, part(a)),
        }
    }
}

/// A line of the protocol, resolved.
pub(crate) struct Line<'a> {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) expr: &'a Expr,
    pub(crate) term: Pattern,
}

/// The lines of a file; says what is wrong with them.
pub(crate) fn lines<'a>(file: &'a File, names: &Names, said: &mut Diagnostics) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for message in &file.messages {
        let (from, to) = (names.role(&message.from, said), names.role(&message.to, said));
        let term = names.term(&message.term, said);
        let (Some(from), Some(to), Some(term)) = (from, to, term) else { continue };
        if from == to {
            let text = format!("`{}` sends to itself", message.from.text);
            said.push(Diagnostic::error("self", message.to.span, text));
            continue;
        }
        lines.push(Line { from, to, expr: &message.term, term });
    }
    lines
}

/// What a role does; says what it cannot do.
pub(crate) fn project(
    names: &Names,
    number: usize,
    lines: &[Line<'_>],
    first: &[(usize, Pattern)],
    said: &mut Diagnostics,
) -> Role {
    let mut p = Projection {
        names,
        number,
        knowing: Knowing::new(names, Some(number)),
        variables: Vec::new(),
        own: FxHashMap::default(),
        closed: Vec::new(),
        events: Vec::new(),
        shapes: Vec::new(),
    };
    let name = names.roles[number].0.clone();
    p.variables.push(Variable { name, origin: Origin::Agent(number), kind: Kind::Agent });
    p.own.insert(number, 0);
    first.iter().filter(|(role, _)| *role == number).for_each(|(_, term)| p.knowing.learn(term));
    for (label, line) in lines.iter().enumerate() {
        let span = line.expr.span;
        for other in [line.from, line.to] {
            if (line.from == number || line.to == number) && !names.roles[other].1 {
                p.variable(other);
            }
        }
        if line.to == number {
            p.receive(&line.term, line.from, label + 1, span);
        } else if line.from == number {
            if p.knowing.makes(&line.term) {
                p.send(&line.term, line.to, label + 1, span);
                // What was sent is known: own fresh values need not be told from received ones.
                p.knowing.learn(&line.term);
            } else {
                said.push(cannot_build(&p, line.expr, label + 1));
            }
        }
    }
    p.finish()
}

/// Says what a role lacks to build a message, at the smallest term that it lacks.
fn cannot_build(p: &Projection<'_>, expr: &Expr, label: usize) -> Diagnostic {
    let mut quiet = Diagnostics::default();
    let mut lacks = |expr: &Expr| p.names.term(expr, &mut quiet).is_some_and(|term| !p.knowing.makes(&term));
    let mut at = expr;
    loop {
        let next = match &at.kind {
            ExprKind::Name(_) => None,
            ExprKind::List(list) => list.iter().find(|e| lacks(e)),
            ExprKind::Encrypted(body, key) => [&**body, &**key].into_iter().find(|e| lacks(e)),
            ExprKind::Call(_, arguments) => arguments.iter().find(|e| lacks(e)),
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    let role = &p.names.roles[p.number].0;
    let what = match &at.kind {
        ExprKind::Name(name) => format!("`{name}`"),
        ExprKind::Call(function, arguments) => {
            let arguments = arguments.iter().map(|a| match &a.kind {
                ExprKind::Name(name) => name.as_str(),
                _ => "...",
            });
            format!("`{}({})`", function.text, arguments.collect::<Vec<_>>().join(","))
        }
        _ => "this term".into(),
    };
    let message = format!("{role} cannot build message {label}: it does not know {what}");
    let mut said = Diagnostic::error("cannot-build", at.span, message);
    if let ExprKind::Name(name) = &at.kind
        && let Some(Meaning::Value(value)) = p.names.meaning(name)
    {
        let maker = &p.names.roles[p.names.values[value].role].0;
        said =
            said.note(format!("`{name}` is made by {maker}; {role} has received no message in which it can read it"));
    }
    said
}
