//! A reduction by ample sets of single processes, without the search for larger sets: weaker, and cheaper. See
//! [`crate::fast::single_process`].

use crate::fact_rows::FactRows;
use crate::facts::{Facts, Layout};
use crate::fast::configuration::Configurations;
use crate::fast::single_process::SingleProcess;
use crate::stubborn::{Keep, Weakening, has_choice};
use ferrospin_system::{Move, Offer, Preselection, Reduction, states_of_run};
use std::sync::Arc;

/// The reduction.
pub struct Ample<F: Facts> {
    /// A copy, because the reference count of a shared one would be contended by the workers.
    layout: Layout,
    rows: FactRows<F>,
    configurations: Configurations,
    keep: Keep,
    weakening: Weakening,
}

impl<F: Facts> Ample<F> {
    /// A reduction of a program.
    pub fn new(facts: Arc<F>, keep: Keep) -> Self {
        Ample::weakened(facts, keep, Weakening::default())
    }

    /// A reduction with deliberate mistakes.
    pub fn weakened(facts: Arc<F>, keep: Keep, weakening: Weakening) -> Self {
        let layout = facts.layout().clone();
        Ample { configurations: Configurations::new(&layout), rows: FactRows::new(facts), layout, keep, weakening }
    }

    /// Looks for sets of one process, in the state that was read last.
    #[inline]
    fn single_process<'a>(&'a mut self, state: &'a [u8]) -> SingleProcess<'a, F> {
        let Ample { layout, rows, configurations, keep, weakening, .. } = self;
        SingleProcess { layout, rows, configurations, keep: *keep, weakening: *weakening, state, tests_values: false }
    }
}

impl<F: Facts> Reduction for Ample<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        let has_choice = has_choice(moves);
        if has_choice || self.layout.sees_all() {
            self.configurations.read(&self.layout, &mut self.rows, state);
        }
        if has_choice && let Some((range, free)) = self.single_process(state).first(moves) {
            out.push_range(range, free);
            out.set_partial(u8::from(!free));
        }
    }

    fn preselect(&mut self, states: &[u8], len: usize, moves: &[Move], ends: &[u32], out: &mut Vec<Preselection>) {
        for (state, moves) in states_of_run(states, len, moves, ends) {
            let has_choice = has_choice(moves);
            if has_choice || self.layout.sees_all() {
                self.configurations.read(&self.layout, &mut self.rows, state);
            }
            let found = if has_choice { self.single_process(state).first(moves) } else { None };
            out.push(found.map_or(Preselection::all(moves.len()), |(range, free)| Preselection::set(range, free)));
        }
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        self.configurations.read(&self.layout, &mut self.rows, state);
        self.single_process(state).offer(moves, out);
    }

    fn is_dispensable(&self) -> bool {
        !self.layout.sees_all()
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Ample::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
