//! The simulation preorder: whether one graph can answer every step of another, for ever.
//!
//! Pairs of states are struck out as soon as some step of the first has no answer left (Henzinger, Henzinger and Kopke 1995, with the
//! pairs that can be reached only). A pair that was struck out gives a formula without negation that holds in the first state and
//! not in the second; it is made of those of pairs struck out before.

use crate::formula::{Formula, Node, NodeId, TextId};
use crate::graph::{Graph, Label, State};
use crate::watch::{Pace, Stopped, Watch};
use crate::weak::Signer;
use rustc_hash::FxHashMap;

/// Whether internal steps count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// Like all others.
    Strong,
    /// An internal step may be answered by none, and internal steps may come before and behind any other.
    Weak,
}

/// `None` when `b` simulates `a`; otherwise a formula that holds in `a`, not in `b`, and in whatever simulates `a`.
pub fn not_simulated(a: &Graph, b: &Graph, steps: Steps, watch: &dyn Watch) -> Result<Option<Formula>, Stopped> {
    let mut search = Search {
        a,
        b,
        steps,
        labels: a.labels().iter().map(|(_, text)| b.labels().find(text)).collect(),
        signer: Signer::new(b),
        answers: FxHashMap::default(),
        ids: FxHashMap::default(),
        pairs: Vec::new(),
        questions: Vec::new(),
        askers: Vec::new(),
    };
    let start = search.visit(a.initial(), b.initial());
    let mut pace = Pace::new(watch);
    let mut next = 0;
    while next < search.pairs.len() {
        let work = search.expand(next);
        pace.add(work)?;
        next += 1;
    }
    // Struck out in which order, and for which question.
    let mut struck: Vec<Option<(u32, u32)>> = vec![None; search.pairs.len()];
    let mut order = 0;
    let mut list: Vec<u32> = (0..search.pairs.len() as u32).collect();
    while let Some(pair) = list.pop() {
        pace.add(1)?;
        if struck[pair as usize].is_some() {
            continue;
        }
        let unanswered = |q: &Question| q.answers.iter().all(|p| struck[*p as usize].is_some());
        if let Some(question) = search.questions[pair as usize].iter().position(unanswered) {
            struck[pair as usize] = Some((order, question as u32));
            order += 1;
            list.extend(&search.askers[pair as usize]);
        }
    }
    Ok(struck[start as usize].map(|_| search.formula(start, &struck)))
}

/// A step of the first state of a pair, and the pairs that answers lead to.
struct Question {
    label: Label,
    answers: Vec<u32>,
}

struct Search<'a> {
    a: &'a Graph,
    b: &'a Graph,
    steps: Steps,
    labels: Vec<Option<Label>>,
    signer: Signer<'a>,
    /// Where a state of `b` gets with a label.
    answers: FxHashMap<(State, Label), Vec<State>>,
    ids: FxHashMap<(State, State), u32>,
    pairs: Vec<(State, State)>,
    questions: Vec<Vec<Question>>,
    askers: Vec<Vec<u32>>,
}

impl Search<'_> {
    fn visit(&mut self, s: State, t: State) -> u32 {
        let next = self.pairs.len() as u32;
        let id = *self.ids.entry((s, t)).or_insert(next);
        if id == next {
            self.pairs.push((s, t));
            self.askers.push(Vec::new());
        }
        id
    }

    fn expand(&mut self, pair: usize) -> usize {
        let (s, t) = self.pairs[pair];
        let mut questions = Vec::new();
        let mut work = 1;
        for edge in self.a.edges(s) {
            let targets = match self.labels[edge.label.index()] {
                None => Vec::new(),
                Some(label) => self.answer(t, label),
            };
            work += targets.len();
            let answers: Vec<u32> = targets.into_iter().map(|t| self.visit(edge.target, t)).collect();
            for answer in &answers {
                self.askers[*answer as usize].push(pair as u32);
            }
            questions.push(Question { label: edge.label, answers });
        }
        self.questions.push(questions);
        work
    }

    fn answer(&mut self, t: State, label: Label) -> Vec<State> {
        if self.steps == Steps::Strong {
            return self.b.targets(t, label).collect();
        }
        if let Some(known) = self.answers.get(&(t, label)) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.signer.walk(t.0, |l, target| {
            if l == label {
                found.push(State(target));
            }
        });
        self.answers.insert((t, label), found.clone());
        found
    }

    fn formula(&self, start: u32, struck: &[Option<(u32, u32)>]) -> Formula {
        // All pairs that are needed, in the order in which they were struck out.
        let mut needed = vec![start];
        let mut seen = vec![false; self.pairs.len()];
        seen[start as usize] = true;
        let mut i = 0;
        let question = |pair: u32| {
            let (_, question) = struck[pair as usize].expect("only pairs that were struck out are needed");
            &self.questions[pair as usize][question as usize]
        };
        while let Some(pair) = needed.get(i).copied() {
            i += 1;
            needed.extend(question(pair).answers.iter().filter(|p| !std::mem::replace(&mut seen[**p as usize], true)));
        }
        needed.sort_unstable_by_key(|p| struck[*p as usize]);
        let mut formula = Formula { nodes: vec![Node::True], texts: Vec::new() };
        let mut texts: FxHashMap<Label, TextId> = FxHashMap::default();
        let mut nodes: FxHashMap<u32, NodeId> = FxHashMap::default();
        for pair in needed {
            let question = question(pair);
            let mut list: Vec<NodeId> = question.answers.iter().map(|p| nodes[p]).collect();
            list.sort_unstable();
            list.dedup();
            let after = match list[..] {
                [] => NodeId(0),
                [one] => one,
                _ => {
                    formula.nodes.push(Node::And(list));
                    formula.root()
                }
            };
            let label = (question.label != Label::TAU).then(|| {
                *texts.entry(question.label).or_insert_with(|| {
                    formula.texts.push(self.a.labels().text(question.label).into());
                    TextId(formula.texts.len() as u32 - 1)
                })
            });
            formula.nodes.push(match self.steps {
                Steps::Strong => Node::Diamond(label, after),
                Steps::Weak => Node::WeakDiamond(label, after),
            });
            nodes.insert(pair, formula.root());
        }
        formula
    }
}
