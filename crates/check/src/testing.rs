//! Formulas by testing automata: [`ferrospin_search::emptiness::testing`] beside a system, without a product.
//!
//! Whatever executes the system tells which propositions hold in a state. Runs that fail or never leave an indivisible sequence are not
//! covered: where there are such runs and no other is a violation, there is no answer, and the product with a Büchi automaton decides.

use crate::cycles::{Answer, CycleCheck, CycleSystem, Sought, unreduced};
use crate::options::{Emptiness, Options};
use crate::refusal::Refusal;
use crate::searching::Searched;
use crate::watch::Watch;
use ferrospin_ltl::{
    AtomId, Formula, Formulas, Labels as Diagrams, Stuttering, Target, Testing as Table, stuttering, translate,
};
use ferrospin_search::BoxMachine;
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::product::{self, Product};
use ferrospin_search::emptiness::testing::{Automaton, Testing as Graph};
use ferrospin_search::emptiness::{Explorer, Figures, Verdict as Found, couvreur};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_store::Exact;
use ferrospin_system::{Labels, StateHash, Store};
use std::sync::Arc;

/// The testing automaton of a formula.
pub struct Testing {
    table: Table,
}

impl Testing {
    /// The automaton of the runs on which a formula fails, or why there is none.
    pub fn new(name: &str, formulas: &Formulas, formula: Formula, options: &Options) -> Result<Testing, Refusal> {
        let refuse = |why: String| Refusal::Refused(format!("`--emptiness testing`: {why}"));
        if options.fair {
            return Err(refuse("testing automata know no fairness; `couvreur` does".into()));
        }
        let (mut formulas, mut diagrams) = (formulas.clone(), Diagrams::new());
        let no = formulas.not(formula);
        let error = |why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}"));
        if let Stuttering::Sensitive { .. } = stuttering(&mut formulas, no, &mut diagrams).map_err(error)? {
            return Err(refuse(format!("`{name}` depends on stuttering; `ferrospin ltl --check-stutter` shows words")));
        }
        let buchi = translate(&mut formulas, no, Target::Buchi, &mut diagrams).map_err(error)?;
        match Table::new(&buchi, &diagrams) {
            Some(table) => Ok(Testing { table }),
            None => Err(refuse(format!("the testing automaton of `{name}` would be too large"))),
        }
    }

    /// The propositions that it reads.
    pub fn atoms(&self) -> &[AtomId] {
        &self.table.atoms
    }

    /// Searches a system without any property beside it; `letters` tells by its labels which of [`Self::atoms`] hold, the first as the
    /// lowest bit. `None` where runs were met that it says nothing about.
    pub fn check(
        &self,
        sought: Sought<'_>,
        system: &dyn CycleSystem,
        letters: BoxMachine,
        options: &Options,
        watch: &Watch,
    ) -> Result<Option<Answer>, Refusal> {
        let one_pass = self.table.only_livelocks();
        let (single, rest) = self.table.single_pass();
        let chosen = if one_pass { &self.table } else { &single };
        let automaton = Arc::new(Automaton {
            initial: chosen.initial.clone(),
            edges: chosen.edges.clone(),
            recurrent: chosen.recurrent.clone(),
            livelock: chosen.livelock.clone(),
            rest: (!one_pass).then_some(rest),
        });
        let mut letters = Letters { machine: letters, asked: propositions(self.atoms().len()) };
        let product = product::Options { goal: sought.goal, fair: false, has_property: false, property_end: None };
        let graph = Product::<u8>::new(system.machine(), product);
        let graph = Graph::new(graph, automaton, move |state: &[u8]| letters.of(state));
        let store = Exact::new(&ferrospin_store::Options::limited(watch.memory_max_bytes() / 4 * 3));
        let go_on = &mut |figures: &Figures| {
            watch.go_on(&Progress {
                states: figures.states,
                matched: figures.transitions.saturating_sub(figures.states),
                depth: figures.depth,
                memory_bytes: store.memory_bytes() + 16 * figures.states,
                ..Progress::default()
            })
        };
        let mut x = Explorer::new(graph, store.handle(), StateHash::new(0));
        let outcome = if one_pass {
            livelock::search(&mut x, Order::BreadthFirst, go_on)
        } else {
            couvreur::search(&mut x, go_on)
        };
        drop(x);
        if matches!(outcome.verdict, Found::Empty) && outcome.cut.any() {
            return Ok(None);
        }
        let searched =
            Searched { outcome, algorithm: Emptiness::Testing, threads: 1, store_bytes: store.memory_bytes() };
        let mut found = CycleCheck::fixed(sought, system, options, watch).finish(searched)?;
        let form = if one_pass { "one pass for livelocks" } else { "the single-pass form" };
        let size = format!("{} states", chosen.edges.len());
        found.report.notes.push(format!("testing automaton of {size}, {form}"));
        found.report.notes.extend(unreduced(options, Emptiness::Testing));
        Ok(Some(found))
    }
}

/// The labels of that many propositions.
fn propositions(count: usize) -> Labels {
    (0..count).map(Labels::proposition).fold(Labels::NONE, |all, label| all | label)
}

/// Tells which propositions hold in a state.
struct Letters {
    machine: BoxMachine,
    asked: Labels,
}

impl Letters {
    fn of(&mut self, state: &[u8]) -> u16 {
        let labels = self.machine.labels(state, self.asked);
        if !labels.has(Labels::UNKNOWN) {
            return labels.0 as u16;
        }
        // One that cannot be evaluated does not hold.
        let each = (0..u16::BITS as usize).map(Labels::proposition).filter(|label| self.asked.has(*label));
        each.map(|label| self.machine.labels(state, label) & label).fold(0, |letter, label| letter | label.0 as u16)
    }
}
