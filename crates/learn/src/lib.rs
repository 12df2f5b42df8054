//! Proofs part by part, with assumptions that are learned.
//!
//! A safety property of parts that run together is proved without composing them: Angluin's algorithm learns an automaton that says what
//! one part needs of the others, and the others are shown to keep it (Giannakopoulou and Pasareanu, "Learning-Based
//! Assume-Guarantee Verification", SPIN 2005). Two rules: [`Rule::Asymmetric`] learns one assumption for each part but the last,
//! [`Rule::Symmetric`] one for each part.
//!
//! Parts are graphs that move together on the labels that they share; the alphabet of a part is its table of labels. A property is a
//! deterministic graph without internal steps: a label of its alphabet that it has no edge for is an error. Deadlocks are not covered.
//! Assumptions are handed out as the smallest automata of their languages.
//!
//! "Proved" is judged by [`judge`], which composes with `lts` and knows nothing of learning; a counterexample is run on the whole
//! system before it is handed out.

mod asym;
pub mod judge;
mod parts;
mod sym;
mod table;

use ferrospin_lts::equivalence::minimise;
use ferrospin_lts::{Graph, Notion, Stopped, Watch};
use parts::{Found, Letter, Letters, Monitor, Part, violation};
use table::{Conjecture, Table};
use thiserror::Error;

/// How assumptions make a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// `<A> M1 <P>` and `<true> M2 <A>`; with more parts, the rest proves A likewise.
    Asymmetric,
    /// `<Ai> Mi <P>` for all parts, and no word outside all assumptions breaks P.
    Symmetric,
}

/// What a proof may cost, and how it begins.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The rule.
    pub rule: Rule,
    /// The assumption speaks of the letters of the property at first, and of others as they turn out to be needed.
    pub refine: bool,
    /// Limit of the number of questions.
    pub queries_max: Option<usize>,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds, by these assumptions: with the asymmetric rule the one of the first part first, with the symmetric rule one
    /// for each part.
    Proved(Vec<Graph>),
    /// It does not: a trace of the whole system, internal steps left out.
    Violated(Vec<String>),
}

/// One conjecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// States of the assumption.
    pub states: usize,
    /// States of the part with the assumption and the property beside it.
    pub checked_states: usize,
    /// Transitions of these.
    pub checked_transitions: usize,
    /// Questions asked for it.
    pub queries: usize,
}

impl Round {
    fn new(states: usize, found: &Found, queries: usize) -> Self {
        Round { states, checked_states: found.states, checked_transitions: found.transitions, queries }
    }
}

/// What a proof found, and what it took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Every conjecture.
    pub rounds: Vec<Round>,
    /// Questions asked in all.
    pub queries: usize,
    /// States of the largest composition that was made.
    pub states_max: usize,
    /// How often letters were added to an alphabet.
    pub refinements: usize,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// The property cannot be one.
    #[error("the property must be deterministic and without internal steps")]
    Property,
    /// A letter of the property is in no part.
    #[error("the property speaks of `{0}`, which no part does")]
    Letter(String),
    /// More letters than are possible.
    #[error("more than 65,000 labels")]
    Letters,
    /// The watch, or the limit on questions.
    #[error("{0}")]
    Stopped(&'static str),
}

pub(crate) enum Limit {
    Watch,
    Queries,
}

impl From<Stopped> for Limit {
    fn from(_: Stopped) -> Self {
        Limit::Watch
    }
}

/// What runs along a proof: counters and limits.
pub(crate) struct Proof<'a> {
    letters: &'a Letters,
    refine: bool,
    watch: &'a dyn Watch,
    queries: usize,
    queries_max: usize,
    rounds: Vec<Round>,
    states_max: usize,
    refinements: usize,
}

impl Proof<'_> {
    fn check(&mut self, parts: &[&Part], monitor: &Monitor) -> Result<Found, Limit> {
        let found = violation(parts, monitor, self.watch)?;
        self.see(found.states);
        Ok(found)
    }

    fn see(&mut self, states: usize) {
        self.states_max = self.states_max.max(states);
    }

    fn pace(&mut self, states: usize) -> Result<(), Limit> {
        if states % 4096 != 4095 || self.watch.go_on(states as u64) { Ok(()) } else { Err(Limit::Watch) }
    }

    fn note(&mut self, round: Round) {
        self.rounds.push(round);
    }

    fn ask(&mut self, table: &Table, before: usize) -> Result<(), Limit> {
        self.queries += table.queries - before;
        if self.queries > self.queries_max { Err(Limit::Queries) } else { Ok(()) }
    }

    fn conjecture(&mut self, table: &mut Table, part: &Part, monitor: &Monitor) -> Result<Option<Conjecture>, Limit> {
        let (before, watch, alphabet) = (table.queries, self.watch, table.alphabet.clone());
        let found = table.conjecture(&mut |word| survives(word, &alphabet, part, monitor, watch))?;
        self.ask(table, before)?;
        Ok(found)
    }

    fn member(&mut self, table: &mut Table, word: &[Letter], part: &Part, monitor: &Monitor) -> Result<bool, Limit> {
        let (before, watch, alphabet) = (table.queries, self.watch, table.alphabet.clone());
        let found = table.member(word, &mut |word| survives(word, &alphabet, part, monitor, watch))?;
        self.ask(table, before)?;
        Ok(found)
    }

    fn learn(
        &mut self,
        table: &mut Table,
        conjecture: &Conjecture,
        word: &[Letter],
        part: &Part,
        monitor: &Monitor,
    ) -> Result<(), Limit> {
        let (before, watch, alphabet) = (table.queries, self.watch, table.alphabet.clone());
        table.learn(conjecture, word, &mut |word| survives(word, &alphabet, part, monitor, watch))?;
        self.ask(table, before)
    }
}

/// Whether a part keeps the property when its surroundings do this word.
fn survives(
    word: &[Letter],
    alphabet: &parts::Alphabet,
    part: &Part,
    monitor: &Monitor,
    watch: &dyn Watch,
) -> Result<bool, Stopped> {
    let chain = Part::chain(word, alphabet);
    Ok(violation(&[&chain, part], monitor, watch)?.word.is_none())
}

/// Proves that parts together keep a property, or finds a trace on which they do not.
pub fn prove(parts: &[&Graph], property: &Graph, options: &Options, watch: &dyn Watch) -> Result<Report, Error> {
    let letters = Letters::of(parts.iter().copied().chain([property])).ok_or(Error::Letters)?;
    let monitor = Monitor::of(property, &letters).ok_or(Error::Property)?;
    let own: Vec<Part> = parts.iter().map(|g| Part::of(g, &letters)).collect();
    if let Some(lone) = monitor.alphabet.letters().find(|l| !own.iter().any(|p| p.alphabet.has(*l))) {
        return Err(Error::Letter(letters.text(lone).to_owned()));
    }
    let own: Vec<&Part> = own.iter().collect();
    let mut run = Proof {
        letters: &letters,
        refine: options.refine,
        watch,
        queries: 0,
        queries_max: options.queries_max.unwrap_or(usize::MAX),
        rounds: Vec::new(),
        states_max: 0,
        refinements: 0,
    };
    let (proved, word) = match options.rule {
        Rule::Asymmetric => match asym::prove(&mut run, &own, &monitor).map_err(stopped_by)? {
            asym::Outcome::Proved(assumptions) => (assumptions, None),
            asym::Outcome::Violated(word) => (Vec::new(), Some(word)),
        },
        Rule::Symmetric => match sym::prove(&mut run, &own, &monitor).map_err(stopped_by)? {
            sym::Outcome::Proved(assumptions) => (assumptions, None),
            sym::Outcome::Violated(word) => (Vec::new(), Some(word)),
        },
    };
    let verdict = match word {
        Some(word) => Verdict::Violated(word.iter().map(|l| letters.text(*l).to_owned()).collect()),
        // A proof may be found while the table tells states apart that the conjecture does not.
        None => {
            let small = |a: &Monitor| minimise(&a.as_graph(&letters), Notion::Strong, watch);
            let small: Result<Vec<Graph>, Stopped> = proved.iter().map(small).collect();
            Verdict::Proved(small.map_err(|stopped| stopped_by(stopped.into()))?)
        }
    };
    let Proof { rounds, queries, states_max, refinements, .. } = run;
    Ok(Report { verdict, rounds, queries, states_max, refinements })
}

fn stopped_by(limit: Limit) -> Error {
    match limit {
        Limit::Watch => Error::Stopped("stopped before the end"),
        Limit::Queries => Error::Stopped("the limit on questions was reached"),
    }
}

/// What the whole system does, without learning: a trace that breaks the property, and the size of the composition.
pub fn monolithic(
    parts: &[&Graph],
    property: &Graph,
    watch: &dyn Watch,
) -> Result<(Option<Vec<String>>, usize, usize), Error> {
    let letters = Letters::of(parts.iter().copied().chain([property])).ok_or(Error::Letters)?;
    let monitor = Monitor::of(property, &letters).ok_or(Error::Property)?;
    let own: Vec<Part> = parts.iter().map(|g| Part::of(g, &letters)).collect();
    let own: Vec<&Part> = own.iter().collect();
    let found = violation(&own, &monitor, watch).map_err(|_| Error::Stopped("stopped before the end"))?;
    let word = found.word.map(|word| word.iter().map(|l| letters.text(*l).to_owned()).collect());
    Ok((word, found.states, found.transitions))
}
