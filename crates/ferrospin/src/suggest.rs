//! Which statements in a row could be one step: suggestions of `atomic` and `d_step`.
//!
//! A row of statements of a process may be taken in one step when all but one of them are *movers* (R. Lipton 1975; the
//! transactions of Levin, Palmer, Qadeer and Rajamani 2005): a mover commutes with whatever the others may do, opens
//! nothing to them and closes nothing. Whatever others did in between, they can have done before or behind the row. One
//! statement may be something else: what is written and read by several, or what a formula sees. Only the first may
//! wait, so that no deadlock hides inside; no jump leads into the middle, and it is not observable whether the process stands
//! there. Then every verdict is the same, with fewer states.
//!
//! The facts are those of partial-order reduction. They are asked for every process that starts with the system, and for
//! those that may be started later. Whatever is not understood is not suggested.

use crate::front::Front;
use crate::report::Location as Place;
use crate::sensitive::Population;
use ferrospin_interp::Interp;
use ferrospin_lower::claim;
use ferrospin_lower::lower_with;
use ferrospin_ltl::Flags;
use ferrospin_model::facts::object::Object;
use ferrospin_model::facts::{Facts, Instance, Target};
use ferrospin_model::ir::{Action, Edge, EdgeId, LocationId, Model, ProcessKind};
use ferrospin_promela::ast::{Program, Stmt, StmtKind, Unit};
use ferrospin_source::{ExpansionId, SourceMap, Span};
use ferrospin_system::Machine;
use serde::Serialize;
use std::collections::HashSet;
use std::sync::Arc;
use thiserror::Error;

/// A row of statements that could be one step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Suggestion {
    /// What to write around it: `atomic` or `d_step`.
    pub keyword: &'static str,
    /// How many statements it has.
    pub statements: usize,
    /// Where it begins.
    pub location: Option<Place>,
    /// The line it ends on.
    pub last_line: Option<u32>,
    /// All of its text.
    #[serde(skip)]
    pub span: Span,
}

impl Suggestion {
    /// The suggestion as a line for people.
    pub fn text(&self) -> String {
        let at = self.location.as_ref().map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
        let to = match (&self.location, self.last_line) {
            (Some(p), Some(last)) if last != p.line => format!(", up to line {last},"),
            _ => String::new(),
        };
        format!("{at}{} statements{to} could be `{} {{ ... }}`: no verdict changes\n", self.statements, self.keyword)
    }
}

/// Why there are no suggestions at all for a model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum NoSuggestions {
    #[error("the model cannot be run")]
    CannotRun,
    /// What steps depend on is not known.
    #[error("{0}")]
    NoFacts(String),
    #[error("the model has a never claim, which may count steps")]
    NeverClaim,
    /// The formula of this name does.
    #[error("the formula `{0}` uses `X`, which counts steps")]
    CountsSteps(String),
    /// The formula has no automaton.
    #[error("{0}")]
    NoAutomaton(String),
    #[error("the model has no initial state")]
    NoStart,
}

/// The suggestions for a model that can be read.
pub fn suggestions(front: &Front) -> Result<Vec<Suggestion>, NoSuggestions> {
    let (lowered, said) = lower_with(&front.map, &front.reading.program, &front.reading.names, front.semantics());
    if said.iter().next().is_some() {
        return Err(NoSuggestions::CannotRun);
    }
    let model = Arc::new(lowered.model);
    let facts = Facts::new(model.clone());
    if let Some(reason) = facts.off() {
        return Err(NoSuggestions::NoFacts(reason.to_string()));
    }
    if model.processes.iter().any(|p| p.kind == ProcessKind::Never) {
        return Err(NoSuggestions::NeverClaim);
    }
    let mut seen = Vec::new();
    for property in &lowered.properties {
        if !property.formulas.is(property.formula, Flags::X_FREE) {
            return Err(NoSuggestions::CountsSteps(property.name.to_string()));
        }
        let claimed = claim::add(&model, property).map(|(model, claim)| model.with_claim(claim));
        let claimed = claimed.map_err(|why| NoSuggestions::NoAutomaton(why.to_string()))?;
        seen.push(Facts::new(Arc::new(claimed)));
    }
    let mut first = Vec::new();
    if Interp::new(model.clone()).initial(&mut first).is_err() {
        return Err(NoSuggestions::NoStart);
    }
    let finder = Finder {
        map: &front.map,
        model: &model,
        facts: &facts,
        seen: &seen,
        population: Population::new(&facts, &first),
        entered: entered(&model),
        simple: simple(&front.map, &front.reading.program),
    };
    let mut out: Vec<Suggestion> = finder.rows().iter().map(|row| finder.suggestion(row)).collect();
    out.sort_by_key(|s| s.span.lo);
    Ok(out)
}

struct Finder<'a> {
    map: &'a SourceMap,
    model: &'a Model,
    facts: &'a Facts,
    /// The facts with the claim of each formula beside the model.
    seen: &'a [Facts],
    population: Population,
    /// How many edges enter a location.
    entered: Vec<usize>,
    /// Where simple statements stand.
    simple: HashSet<Span>,
}

/// How many edges enter each location; the start of a process counts as one.
fn entered(model: &Model) -> Vec<usize> {
    let mut entered = vec![0; model.locations.len()];
    let targets = model.edges.iter().map(|e| e.to).chain(model.processes.iter().map(|p| p.entry));
    for to in targets.filter(|to| *to != LocationId::EXIT) {
        entered[to.index()] += 1;
    }
    entered
}

/// Where simple statements stand: those that are one step each, and whose text is theirs alone. What a macro stands for may
/// be several statements.
fn simple(map: &SourceMap, program: &Program) -> HashSet<Span> {
    let (mut found, mut all) = (Vec::new(), Vec::new());
    let mut work: Vec<&Stmt> = Vec::new();
    for unit in &program.units {
        match unit {
            Unit::Proctype(p) => work.extend(&p.body.steps),
            Unit::Init(i) => work.extend(&i.body.steps),
            _ => {}
        }
    }
    while let Some(stmt) = work.pop() {
        all.push(map.primary(stmt.at.0));
        match &stmt.kind {
            StmtKind::Expr(_)
            | StmtKind::Assign(..)
            | StmtKind::Increment(_)
            | StmtKind::Decrement(_)
            | StmtKind::Send { .. }
            | StmtKind::Receive { .. }
            | StmtKind::Assert(_)
            | StmtKind::Printf { .. }
            | StmtKind::Printm(_) => found.push(stmt.at.0),
            StmtKind::If(options) | StmtKind::Do(options) => work.extend(options.iter().flat_map(|o| &o.steps)),
            StmtKind::ForRange { body, .. }
            | StmtKind::ForIn { body, .. }
            | StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body) => work.extend(&body.steps),
            StmtKind::Unless(body, escape) => work.extend([&**body, &**escape]),
            StmtKind::InlineCall { body, .. } => work.push(body),
            _ => {}
        }
    }
    all.sort_unstable_by_key(|s| s.lo);
    let inside = |s: &Span| {
        let first = all.partition_point(|o| o.lo < s.lo);
        all[first..].iter().take_while(|o| o.lo < s.hi).filter(|o| o.hi <= s.hi).count()
    };
    found.into_iter().filter(|s| s.expansion == ExpansionId::NONE && inside(s) == 1).collect()
}

impl Finder<'_> {
    /// The rows, as long as they get, none shorter than two statements.
    fn rows(&self) -> Vec<Vec<EdgeId>> {
        let mut out = Vec::new();
        let mut used = HashSet::new();
        for start in (0..self.model.edges.len() as u32).map(EdgeId) {
            if used.contains(&start) || !self.is_plain(start) {
                continue;
            }
            let (mut row, mut special) = (vec![start], usize::from(self.is_special(start)));
            while let Some(next) = self.follower(*row.last().expect("not empty")) {
                special += usize::from(self.is_special(next));
                if special > 1 || row.contains(&next) || used.contains(&next) {
                    break;
                }
                row.push(next);
            }
            if row.len() > 1 {
                used.extend(row.iter().copied());
                out.push(row);
            }
        }
        out
    }

    /// The processes that an edge may be taken by.
    fn owners(&self, edge: EdgeId) -> impl Iterator<Item = (usize, &Instance)> {
        let process = self.model.location(self.model.edge(edge).from).process;
        self.population.instances().iter().enumerate().filter(move |(_, i)| i.process == process)
    }

    /// Whether an edge is one simple statement, written where it stands, of a process that there may be.
    fn is_plain(&self, edge: EdgeId) -> bool {
        let e = self.model.edge(edge);
        let from = self.model.location(e.from);
        let process = self.model.process(from.process);
        // A `run` is an expression in the text.
        let simple = self.simple.contains(&e.span) && !matches!(e.action, Action::Run { .. });
        let escapes = from.edges.iter().any(|o| self.model.edge(*o).escape != 0);
        let understood = |(_, who): (usize, &Instance)| {
            let f = self.facts.footprint(who, edge);
            !f.unknown && !f.timeout && !f.either && f.rendezvous.is_none()
        };
        simple
            && matches!(process.kind, ProcessKind::Proctype | ProcessKind::Init)
            && !(e.atomic || from.inside_d_step || escapes)
            && self.owners(edge).next().is_some()
            && self.owners(edge).all(understood)
    }

    /// The statement behind an edge, if it may join the row: it never waits, and only the edge leads there.
    fn follower(&self, edge: EdgeId) -> Option<EdgeId> {
        let e = self.model.edge(edge);
        if e.to == LocationId::EXIT {
            return None;
        }
        let middle = self.model.location(e.to);
        let [next] = middle.edges[..] else { return None };
        let hidden = !(middle.end || middle.accept || middle.progress) && middle.labels.is_empty();
        let alone = self.entered[e.to.index()] == 1 && e.to != e.from;
        let waits = |(_, who): (usize, &Instance)| {
            let f = self.facts.footprint(who, next);
            !f.conjuncts.is_empty() || !f.guard.is_empty()
        };
        let joins = hidden && alone && self.is_plain(next) && !self.owners(next).any(waits);
        (joins && self.is_adjacent(e.span, self.model.edge(next).span)).then_some(next)
    }

    /// Whether nothing but a separator stands between two statements.
    fn is_adjacent(&self, a: Span, b: Span) -> bool {
        let (Some((file, one)), Some((other, two))) = (self.map.spelling(a), self.map.spelling(b)) else {
            return false;
        };
        let text = self.map.text(file);
        file == other && one.end <= two.start && is_separator(&text[one.end..two.start])
    }

    /// Whether a formula sees a statement, or it may disturb others or be disturbed by them.
    fn is_special(&self, edge: EdgeId) -> bool {
        let is_seen = self.owners(edge).any(|(_, who)| self.seen.iter().any(|f| f.is_visible(who, edge)));
        is_seen || !self.owners(edge).all(|(i, who)| self.is_mover(i, who, edge))
    }

    fn is_mover(&self, index: usize, who: &Instance, edge: EdgeId) -> bool {
        // What may be started later may be started twice.
        let others = self.population.instances().iter().enumerate().filter(|(i, o)| *i != index || o.pid.is_none());
        others.flat_map(|(_, o)| self.facts.edges(o.process).iter().map(move |f| (o, *f))).all(|(other, f)| {
            !self.facts.is_hit(Target::Conflicts(who, edge), other, f)
                && !self.facts.is_hit(Target::Guard(other, f), who, edge)
        })
    }

    /// Whether control may come to an edge by a jump, which must not lead to a `d_step`. An option of several is chosen; a
    /// statement behind another one, or the first one of all, is come to without.
    fn is_jumped_to(&self, edge: &Edge) -> bool {
        let from = self.model.location(edge.from);
        let follows = |before: &Edge| {
            before.to == edge.from && self.simple.contains(&before.span) && self.is_adjacent(before.span, edge.span)
        };
        let is_first = self.model.process(from.process).entry == edge.from;
        let alone = self.entered[edge.from.index()] == 1;
        !from.labels.is_empty()
            || from.edges.len() == 1 && !(alone && (is_first || self.model.edges.iter().any(follows)))
    }

    fn suggestion(&self, row: &[EdgeId]) -> Suggestion {
        let edges: Vec<_> = row.iter().map(|e| self.model.edge(*e)).collect();
        let span = self.map.join(edges[0].span, edges[edges.len() - 1].span);
        let talks = edges.iter().any(|e| matches!(e.action, Action::Send { .. } | Action::Receive(_)));
        let is_remote = |o: &Object| matches!(o, Object::Remote(..) | Object::At(..));
        // A `d_step` must not look into other processes.
        let looks = row.iter().any(|e| {
            self.owners(*e).any(|(_, who)| {
                let f = self.facts.footprint(who, *e);
                f.guard.iter().chain(&f.reads).any(is_remote)
            })
        });
        let position = |pos| self.map.position_of(pos);
        Suggestion {
            keyword: if talks || looks || self.is_jumped_to(edges[0]) { "atomic" } else { "d_step" },
            statements: row.len(),
            location: position(span.lo).map(|p| Place { file: p.file.to_string(), line: p.line, column: p.column }),
            last_line: position(span.hi).map(|p| p.line),
            span,
        }
    }
}

/// Whether a text holds nothing but `;`, `->`, white space and comments.
fn is_separator(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return true;
        }
        let skipped = if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map(|end| &comment[end + 2..])
        } else if let Some(comment) = rest.strip_prefix("//") {
            Some(comment.find('\n').map_or("", |end| &comment[end..]))
        } else {
            rest.strip_prefix(';').or_else(|| rest.strip_prefix("->"))
        };
        let Some(skipped) = skipped else { return false };
        rest = skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::is_separator;

    #[test]
    fn separators() {
        for text in ["; ", "->", " ;\n\t", "; /* then } */ ", "; // so\n", "", ";;"] {
            assert!(is_separator(text), "{text}");
        }
        for text in [" }; ", "; l: ", "; byte x; ", ") -> ", "/* open"] {
            assert!(!is_separator(text), "{text}");
        }
    }
}
