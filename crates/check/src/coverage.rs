//! What the runs of a model execute, statement by statement, and what none of them does.
//!
//! A search counts the edges it takes. A complete search with all moves has seen every statement that any run executes; a reduced one may
//! put a statement off for ever where that changes no verdict, and one that was stopped has seen a part. Then a list of what was not
//! executed says so, and a second search with all moves is made where that takes no more than a small time, or where coverage was asked
//! for.

use crate::explain::beside;
use crate::options::Options;
use crate::report::Verdict;
use crate::storage::Nowhere;
use crate::subject::{Answer, EdgePlace, Stated, Subject, Task};
use ferrospin_source::report::Location;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The edges that a search has taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// By number.
    pub edges: Vec<bool>,
    /// Why an edge that was not taken may be taken in some run; `None` where none is.
    pub open: Option<String>,
}

/// What was executed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Coverage {
    /// Whether what was not executed is executed in no run.
    pub exact: bool,
    /// Why not.
    pub open: Option<String>,
    /// Statements that there are.
    pub statements: u64,
    /// Statements that were executed.
    pub executed: u64,
    /// What was not executed, by what it is.
    pub never: Vec<Never>,
    /// Every edge.
    pub edges: Vec<EdgeCoverage>,
}

/// Something that was not executed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Never {
    /// What it is.
    pub kind: NeverKind,
    /// The process type it belongs to; empty for what is shared.
    pub process: String,
    /// Its text or name.
    pub text: String,
    /// Where it begins.
    pub location: Option<Location>,
    /// Where it ends.
    pub end: Option<Location>,
}

/// What was not executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeverKind {
    /// No process of this type executes anything.
    Process,
    /// An assertion that checks nothing.
    Assertion,
    /// A label that is never reached.
    Label,
    /// One of several ways to go on that is never taken.
    Branch,
    /// A channel that nothing is sent to or received from.
    Channel,
    /// Any other statement.
    Statement,
}

/// An edge, and whether it was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EdgeCoverage {
    /// The process type it belongs to.
    pub process: String,
    /// What it executes.
    pub statement: String,
    /// Where that begins.
    pub location: Option<Location>,
    /// Where it ends.
    pub end: Option<Location>,
    /// Whether it was taken.
    pub executed: bool,
}

/// The edges that a search for safety has taken; where the search left something open, those of a second one with all moves.
pub(crate) fn taken<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    answer: &Answer,
    task: &Task<'_>,
    edges: &[EdgePlace],
) -> Option<Taken> {
    let first = answer.taken.clone().filter(|t| t.edges.len() == edges.len())?;
    let asked = task.options.telling.coverage;
    let missing = || first.edges.iter().zip(edges).any(|(taken, e)| !taken && !e.is_inner && e.group.is_some());
    let small = task.options.telling.beside.time(answer.report.elapsed_s);
    let again = answer.report.verdict == Verdict::Holds && first.open.is_some() && (asked || small.is_some());
    if !again || !missing() {
        return Some(first);
    }
    let all_moves = |options: Options| Options { partial_order: false, search: None, store: None, ..options };
    let options = all_moves(match small {
        Some(small) if !asked => beside(task.options, small),
        _ => task.options.clone(),
    });
    let second = subject.answer(property, &Task { options: &options, storage: &Nowhere });
    let second = second.ok().and_then(|a| a.taken).filter(|t| t.open.is_none() && t.edges.len() == edges.len());
    Some(second.unwrap_or(first))
}

/// A place that can be compared.
type Key<'a> = (&'a str, u32, u32);

fn key(place: &Location) -> Key<'_> {
    (&place.file, place.line, place.column)
}

/// The order in which things are listed: by what they are, then by place and name.
fn order(n: &Never) -> (NeverKind, &str, Option<Key<'_>>, &str) {
    (n.kind, &n.process, n.location.as_ref().map(key), &n.text)
}

/// What was executed, given the edges that were taken.
pub(crate) fn of(edges: &[EdgePlace], taken: &Taken) -> Coverage {
    let own = || edges.iter().zip(&taken.edges).filter(|(e, _)| e.group.is_some());
    let process = |e: &EdgePlace| e.group.as_ref().map_or(String::new(), |g| g.1.to_string());
    // Several edges may be one statement; inner ones count with the step that they are part of.
    let mut statements: BTreeMap<(u32, Key<'_>, Key<'_>), (bool, &EdgePlace)> = BTreeMap::new();
    let mut list = Vec::new();
    for (e, is_taken) in own() {
        let executed = *is_taken;
        let Some(s) = &e.statement else { continue };
        if !e.is_inner {
            list.push(EdgeCoverage {
                process: process(e),
                statement: s.text.clone(),
                location: Some(s.from.clone()),
                end: Some(s.to.clone()),
                executed,
            });
            let group = e.group.as_ref().map_or(0, |g| g.0);
            statements.entry((group, key(&s.from), key(&s.to))).or_insert((false, e)).0 |= executed;
        }
    }
    let mut never = Vec::new();
    let silent: BTreeSet<u32> = {
        let groups =
            |wanted: bool| own().filter(move |(_, t)| !wanted || **t).filter_map(|(e, _)| Some(e.group.as_ref()?.0));
        let seen: BTreeSet<u32> = groups(true).collect();
        groups(false).filter(|g| !seen.contains(g)).collect()
    };
    let is_silent = |e: &EdgePlace| e.group.as_ref().is_some_and(|g| silent.contains(&g.0));
    let mut add = |kind, e: &EdgePlace, text: String, whole: bool| {
        let at = e.statement.as_ref();
        let location = at.map(|s| s.from.clone());
        let end = at.filter(|_| whole).map(|s| s.to.clone());
        never.push(Never { kind, process: process(e), text, location, end });
    };
    let mut told = BTreeSet::new();
    for (e, _) in own().filter(|(e, _)| is_silent(e)) {
        if told.insert(e.group.as_ref().map(|g| g.0)) {
            add(NeverKind::Process, e, process(e), false);
        }
    }
    for (executed, e) in statements.values() {
        let Some(s) = e.statement.as_ref().filter(|_| !executed && !is_silent(e)) else { continue };
        let kind = match () {
            () if s.is_assertion => NeverKind::Assertion,
            () if s.is_branch => NeverKind::Branch,
            () => NeverKind::Statement,
        };
        add(kind, e, s.text.clone(), true);
    }
    // A label is reached by every edge that leads to it.
    let mut labels: BTreeMap<(u32, &str), (bool, &EdgePlace)> = BTreeMap::new();
    for (e, taken) in own().filter(|(e, _)| !is_silent(e)) {
        for label in e.statement.iter().flat_map(|s| &s.leads_to) {
            let group = e.group.as_ref().map_or(0, |g| g.0);
            labels.entry((group, label)).or_insert((false, e)).0 |= *taken || e.is_inner;
        }
    }
    for ((_, label), (_, e)) in labels.iter().filter(|(_, (reached, _))| !reached) {
        never.push(Never {
            kind: NeverKind::Label,
            process: process(e),
            text: (*label).to_owned(),
            location: None,
            end: None,
        });
    }
    // Where a channel is not named, it may be any.
    let uses = |e: &EdgePlace| e.statement.as_ref().and_then(|s| s.channel.clone());
    let used: BTreeSet<Option<String>> =
        own().filter(|(_, t)| **t).filter_map(|(e, _)| uses(e)).map(|c| (!c.is_empty()).then_some(c)).collect();
    if !used.contains(&None) {
        let known: BTreeSet<String> = own().filter_map(|(e, _)| uses(e)).filter(|c| !c.is_empty()).collect();
        for channel in known.into_iter().filter(|c| !used.contains(&Some(c.clone()))) {
            let (kind, process) = (NeverKind::Channel, String::new());
            never.push(Never { kind, process, text: channel, location: None, end: None });
        }
    }
    never.sort_by(|a, b| order(a).cmp(&order(b)));
    Coverage {
        exact: taken.open.is_none(),
        open: taken.open.clone(),
        statements: statements.len() as u64,
        executed: statements.values().filter(|(executed, _)| *executed).count() as u64,
        never,
        edges: list,
    }
}

impl Never {
    /// One sentence, without the place.
    pub fn sentence(&self) -> String {
        let Never { text, process, .. } = self;
        match self.kind {
            NeverKind::Process => format!("no process `{text}` executes anything"),
            NeverKind::Label => format!("label `{text}` of {process} is never reached"),
            NeverKind::Branch => format!("branch never taken in {process}: {text}"),
            NeverKind::Channel => format!("channel `{text}` is never used"),
            NeverKind::Assertion | NeverKind::Statement => format!("never executed in {process}: {text}"),
        }
    }
}

impl Coverage {
    /// The section of a report: what no run executes; `whole` also tells what may only not have been executed yet, and that everything
    /// was.
    pub fn text(&self, whole: bool) -> String {
        let mut out = String::new();
        if !whole && (!self.exact || self.never.is_empty()) {
            return out;
        }
        out += &format!("coverage: {} of {} statements executed\n", self.executed, self.statements);
        if let Some(open) = &self.open {
            out += &format!("    not every run was looked at: {open}\n");
        }
        for n in &self.never {
            let place = match (&n.location, &n.end) {
                (Some(from), Some(to)) if from.line == to.line => {
                    format!("{}:{}:{}-{}: ", from.file, from.line, from.column, to.column)
                }
                (Some(from), Some(to)) => {
                    format!("{}:{}:{}-{}:{}: ", from.file, from.line, from.column, to.line, to.column)
                }
                (Some(from), None) => format!("{}:{}: ", from.file, from.line),
                _ => String::new(),
            };
            let Never { text, process, .. } = n;
            let yet = if self.exact { "" } else { " so far" };
            out += &match n.kind {
                NeverKind::Process => format!("    {place}no process `{text}` executes anything{yet}\n"),
                NeverKind::Assertion => {
                    format!("    {place}never executed in {process}{yet}: {text} (it checks nothing)\n")
                }
                NeverKind::Label => format!("    label `{text}` of {process} is never reached{yet}\n"),
                NeverKind::Branch => format!("    {place}branch never taken in {process}{yet}: {text}\n"),
                NeverKind::Channel => format!("    channel `{text}` is never used{yet}\n"),
                NeverKind::Statement => format!("    {place}never executed in {process}{yet}: {text}\n"),
            };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::StatementPlace;
    use expect_test::expect;
    use std::sync::Arc;

    fn edge(group: &str, line: u32, text: &str) -> EdgePlace {
        let at = |column| Location { file: "m".into(), line, column };
        let statement = StatementPlace { text: text.into(), ..StatementPlace::at(at(3), at(9)) };
        let number = group.bytes().map(u32::from).sum();
        EdgePlace {
            group: Some((number, Arc::from(group))),
            line: Some(line),
            is_inner: false,
            statement: Some(statement),
        }
    }

    fn with(mut e: EdgePlace, change: impl FnOnce(&mut StatementPlace)) -> EdgePlace {
        e.statement.as_mut().map(change);
        e
    }

    fn edges() -> Vec<EdgePlace> {
        vec![
            edge("A", 1, "x = 1"),
            with(edge("A", 2, "assert(x)"), |s| s.is_assertion = true),
            with(edge("A", 3, "x == 2"), |s| s.is_branch = true),
            with(edge("A", 4, "goto far"), |s| s.leads_to.push("far".into())),
            with(edge("A", 5, "c!1"), |s| s.channel = Some("c".into())),
            edge("B", 9, "y = 1"),
            edge("A", 1, "x = 1"),
        ]
    }

    #[test]
    fn what_is_never_executed() {
        let taken = |open: Option<&str>| Taken {
            edges: vec![false, false, false, false, false, false, true],
            open: open.map(str::to_owned),
        };
        expect![[r#"
            coverage: 1 of 6 statements executed
                m:9: no process `B` executes anything
                m:2:3-9: never executed in A: assert(x) (it checks nothing)
                label `far` of A is never reached
                m:3:3-9: branch never taken in A: x == 2
                channel `c` is never used
                m:4:3-9: never executed in A: goto far
                m:5:3-9: never executed in A: c!1
        "#]]
        .assert_eq(&of(&edges(), &taken(None)).text(false));
        let open = of(&edges(), &taken(Some("it was stopped")));
        assert_eq!(open.text(false), "", "what is open is told only to those who ask");
        assert!(
            open.text(true)
                .starts_with("coverage: 1 of 6 statements executed\n    not every run was looked at: it was")
        );
        let all = of(&edges(), &Taken { edges: vec![true; 7], open: None });
        assert_eq!((all.text(false), all.text(true)), (String::new(), "coverage: 6 of 6 statements executed\n".into()));
    }

    #[test]
    fn a_channel_without_a_name_may_be_any() {
        let mut edges = edges();
        edges.push(with(edge("A", 7, "d?x"), |s| s.channel = Some(String::new())));
        let taken = Taken { edges: vec![true, true, true, true, false, true, true, true], open: None };
        assert!(of(&edges, &taken).never.iter().all(|n| n.kind != NeverKind::Channel));
    }
}
