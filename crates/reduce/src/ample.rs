//! A reduction by ample sets alone, without the search for larger sets: weaker, and cheaper. See `alone`.

use crate::alone::Alone;
use crate::cast::Stage;
use crate::facts::{Facts, Layout};
use crate::rows::Rows;
use crate::stubborn::{Keep, Weakening, has_choice};
use ferrospin_system::{Glance, Move, Offer, Reduction, states_of_run};
use std::sync::Arc;

/// The reduction.
pub struct Ample<F: Facts> {
    /// Its own, because many workers that count users of one would wait for one another.
    layout: Layout,
    rows: Rows<F>,
    stage: Stage,
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
        Ample { stage: Stage::new(&layout), rows: Rows::new(facts), layout, keep, weakening }
    }

    /// Looks for sets of one process, in the state that is on the stage.
    #[inline]
    fn alone<'a>(&'a mut self, state: &'a [u8]) -> Alone<'a, F> {
        let Ample { layout, rows, stage, keep, weakening, .. } = self;
        Alone { layout, rows, stage, keep: *keep, weakening: *weakening, state, asks: false }
    }
}

impl<F: Facts> Reduction for Ample<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        let has_choice = has_choice(moves);
        if has_choice || self.layout.sees_all() {
            self.stage.read(&self.layout, &mut self.rows, state);
        }
        if has_choice && let Some((range, free)) = self.alone(state).first(moves) {
            out.push_range(range, free);
            out.set_partial(u8::from(!free));
        }
    }

    fn glance(&mut self, states: &[u8], len: usize, moves: &[Move], ends: &[u32], out: &mut Vec<Glance>) {
        for (state, moves) in states_of_run(states, len, moves, ends) {
            let has_choice = has_choice(moves);
            if has_choice || self.layout.sees_all() {
                self.stage.read(&self.layout, &mut self.rows, state);
            }
            let found = if has_choice { self.alone(state).first(moves) } else { None };
            out.push(found.map_or(Glance::all(moves.len()), |(range, free)| Glance::set(range, free)));
        }
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        self.stage.read(&self.layout, &mut self.rows, state);
        self.alone(state).offer(moves, out);
    }

    fn is_dispensable(&self) -> bool {
        !self.layout.sees_all()
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Ample::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
