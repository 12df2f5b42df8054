//! Why a run is a violation, in parts that a person can act on.
//!
//! The parts are data: whoever makes a trail fills them in, and whoever reads it needs no model. Of a formula they say which part failed
//! where, and what never happens in the part that repeats; of a deadlock what each process waits for and who could free it; of a failure
//! the values that it has read.

use crate::trail::{Actor, Binding, Place};
use serde::{Deserialize, Serialize};

/// See the module. What is not known, or has no meaning for the violation, is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Explanation {
    /// The formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<FormulaText>,
    /// Its propositions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub propositions: Vec<Proposition>,
    /// Which part failed where, the whole formula first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Because>,
    /// Values that the statement has read which failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Binding>,
    /// What each process waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Waiting>,
    /// Processes that wait for one another, each for the next, the last for the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<Actor>,
    /// Processes that could move in every state of the part that repeats, and never do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<Actor>,
    /// What becomes of the violation under weak fairness, where that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
}

/// A formula as it is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FormulaText {
    /// Its name; the text again where it has none.
    pub name: String,
    /// With the texts of its propositions.
    pub text: String,
    /// Where it is written.
    pub location: Option<Place>,
}

/// A proposition along a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proposition {
    /// As it is written.
    pub text: String,
    /// Whether it holds in the first state.
    pub at_start: bool,
    /// When it holds in the part that repeats; `None` for a finite run.
    pub in_loop: Option<Often>,
}

/// When something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Often {
    Never,
    Sometimes,
    Always,
}

/// A part of a formula, and what is said of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Because {
    /// How far it is from the formula itself.
    pub depth: usize,
    /// The part.
    pub part: String,
    /// Whether it holds there.
    pub holds: bool,
    /// Behind which step it was looked at; 0 for the first state.
    pub step: usize,
    /// A sentence.
    pub text: String,
}

/// What a process waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiting {
    /// Which.
    pub process: Actor,
    /// Where it stands.
    pub location: Option<Place>,
    /// Whether it may stop there.
    pub may_stop: bool,
    /// What each of the statements needs that it could execute next.
    pub needs: Vec<Need>,
}

/// What a statement needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Need {
    /// The statement.
    pub statement: String,
    /// Where it stands.
    pub location: Option<Place>,
    /// Why it cannot be executed.
    pub why: String,
    /// Processes that could change that, if they could go on.
    pub freed_by: Vec<Actor>,
}

/// What becomes of a violation under weak fairness.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// It disappears.
    Holds,
    /// There is another one, or this one is fair.
    Violated,
    /// It was not found out within the small time that was given to it.
    Unknown,
}

/// The shortest cycle of processes that wait for one another: each could be freed by the next only if that went on. Processes that
/// may stop where they are and that some other could free wait for no other in particular, but may still be part of one.
pub fn cycle_of(waiting: &[Waiting]) -> Vec<Actor> {
    let successors = |w: &Waiting| -> Vec<usize> {
        let freed: Vec<&Actor> = w.needs.iter().flat_map(|n| &n.freed_by).collect();
        (0..waiting.len()).filter(|i| freed.contains(&&waiting[*i].process)).collect()
    };
    let next: Vec<Vec<usize>> = waiting.iter().map(successors).collect();
    let mut best: Vec<usize> = Vec::new();
    for start in 0..waiting.len() {
        // Breadth first from each process back to itself.
        let mut from = vec![usize::MAX; waiting.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        'search: while let Some(at) = queue.pop_front() {
            for &to in &next[at] {
                if to == start {
                    let mut path = vec![at];
                    while path[path.len() - 1] != start {
                        path.push(from[path[path.len() - 1]]);
                    }
                    path.reverse();
                    if best.is_empty() || path.len() < best.len() {
                        best = path;
                    }
                    break 'search;
                }
                if from[to] == usize::MAX {
                    from[to] = at;
                    queue.push_back(to);
                }
            }
        }
    }
    // A process that waits for what only it could do is told of by its own line.
    if best.len() < 2 { Vec::new() } else { best.into_iter().map(|i| waiting[i].process.clone()).collect() }
}

/// Deepest indentation: a file may claim any depth.
const DEPTH_MAX: usize = 40;

impl Explanation {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Explanation::default()
    }

    /// The explanation as text, each line behind `indent`.
    pub fn text(&self, indent: &str) -> String {
        let mut out = String::new();
        let mut line =
            |depth: usize, text: &str| out += &format!("{indent}{:w$}{text}\n", "", w = 2 * depth.min(DEPTH_MAX));
        if let Some(f) = &self.formula {
            let place = f.location.as_ref().map_or(String::new(), |p| format!("{}:{}: ", p.file, p.line));
            let name = if f.name == f.text { String::new() } else { format!("{}: ", f.name) };
            line(0, &format!("why: {place}{name}{}", f.text));
        }
        for because in &self.reasons {
            line(because.depth.saturating_add(1), &because.text);
        }
        let list = |p: &Proposition| format!("`{}` {}", p.text, p.at_start);
        if !self.propositions.is_empty() {
            let all: Vec<String> = self.propositions.iter().map(list).collect();
            line(1, &format!("at the start: {}", all.join(", ")));
        }
        let in_loop = |p: &Proposition| {
            let often = match p.in_loop? {
                Often::Never => "never holds",
                Often::Sometimes => "holds now and then",
                Often::Always => "always holds",
            };
            Some(format!("`{}` {often}", p.text))
        };
        let all: Vec<String> = self.propositions.iter().filter_map(in_loop).collect();
        if !all.is_empty() {
            line(1, &format!("in the part that repeats: {}", all.join(", ")));
        }
        if !self.values.is_empty() {
            let all: Vec<String> = self.values.iter().map(|v| format!("{} = {}", v.name, v.value)).collect();
            line(0, &format!("why: {}", all.join(", ")));
        }
        if !self.waiting.is_empty() {
            line(0, "why nothing can move:");
        }
        for w in &self.waiting {
            w.lines(&mut line);
        }
        if let Some(first) = self.cycle.first() {
            let all: Vec<String> = self.cycle.iter().chain([first]).map(ToString::to_string).collect();
            line(0, &format!("they wait for one another: {}", all.join(" -> ")));
        }
        if !self.passed_over.is_empty() {
            let all: Vec<String> = self.passed_over.iter().map(ToString::to_string).collect();
            let (verb, whole) = if all.len() == 1 { ("does", "it") } else { ("do", "they") };
            let all = all.join(", ");
            line(
                0,
                &format!(
                    "{all} could move in every state of the part that repeats, and never {verb} ({whole} would under `--fair`)"
                ),
            );
        }
        match self.fairness {
            None => {}
            Some(Fairness::Holds) => line(0, "under weak fairness (`--fair`) the property holds"),
            Some(Fairness::Violated) if self.passed_over.is_empty() => {
                line(0, "this run is fair: weak fairness (`--fair`) does not help");
            }
            Some(Fairness::Violated) => line(0, "under weak fairness (`--fair`) there is another violation"),
            Some(Fairness::Unknown) => {
                line(0, "whether `--fair` helps was not found out in the little time given to that")
            }
        }
        out
    }
}

impl Waiting {
    fn lines(&self, line: &mut impl FnMut(usize, &str)) {
        let place = |p: &Option<Place>| p.as_ref().map_or(String::new(), |p| format!(" at {}:{}", p.file, p.line));
        let stop = if self.may_stop { " (it may stop here)" } else { "" };
        let by = |n: &Need| match n.freed_by.as_slice() {
            [] => "; no process can change that".to_string(),
            some => format!("; freed by {}", some.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        };
        match self.needs.as_slice() {
            [] => line(1, &format!("{}{}{stop}", self.process, place(&self.location))),
            [n] => {
                line(1, &format!("{}{}{stop}: {}: {}{}", self.process, place(&n.location), n.statement, n.why, by(n)))
            }
            several => {
                line(1, &format!("{}{}{stop}:", self.process, place(&self.location)));
                for n in several {
                    line(2, &format!("{}: {}{}", n.statement, n.why, by(n)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn actor(number: u8) -> Actor {
        Actor { number, name: "P".into() }
    }

    fn waiting(number: u8, freed_by: &[u8]) -> Waiting {
        let need = Need {
            statement: "c?_".into(),
            location: None,
            why: "channel `c` is empty".into(),
            freed_by: freed_by.iter().map(|n| actor(*n)).collect(),
        };
        Waiting { process: actor(number), location: None, may_stop: false, needs: vec![need] }
    }

    fn cycle(list: &[(u8, &[u8])]) -> String {
        let waiting: Vec<Waiting> = list.iter().map(|(n, by)| waiting(*n, by)).collect();
        cycle_of(&waiting).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn cycles_are_the_shortest() {
        assert_eq!(cycle(&[(0, &[1]), (1, &[2]), (2, &[0])]), "P[0] P[1] P[2]");
        assert_eq!(cycle(&[(0, &[1, 2]), (1, &[2]), (2, &[0])]), "P[0] P[2]");
        assert_eq!(cycle(&[(0, &[1]), (1, &[2]), (2, &[])]), "");
        assert_eq!(cycle(&[(0, &[0])]), "", "a process alone is no cycle");
        assert_eq!(cycle(&[(3, &[4]), (4, &[5]), (5, &[4])]), "P[4] P[5]");
        assert_eq!(cycle(&[]), "");
    }

    #[test]
    fn text() {
        let explanation = Explanation {
            waiting: vec![waiting(0, &[1]), waiting(1, &[])],
            cycle: vec![actor(0), actor(1)],
            passed_over: vec![actor(2)],
            fairness: Some(Fairness::Holds),
            ..Explanation::default()
        };
        expect![[r#"
            > why nothing can move:
            >   P[0]: c?_: channel `c` is empty; freed by P[1]
            >   P[1]: c?_: channel `c` is empty; no process can change that
            > they wait for one another: P[0] -> P[1] -> P[0]
            > P[2] could move in every state of the part that repeats, and never does (it would under `--fair`)
            > under weak fairness (`--fair`) the property holds
        "#]]
        .assert_eq(&explanation.text("> "));
    }
}
