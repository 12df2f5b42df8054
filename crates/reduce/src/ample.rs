//! A reduction by ample sets alone, without the search for larger sets: weaker, and cheaper. See `alone`.

use crate::alone::Alone;
use crate::cast::Stage;
use crate::facts::Facts;
use crate::rows::Rows;
use crate::stubborn::{Keep, Weakening, has_choice};
use ferrospin_system::{Move, Offer, Reduction};
use std::sync::Arc;

/// The reduction.
pub struct Ample<F: Facts> {
    facts: Arc<F>,
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
        let stage = Stage::new(facts.layout());
        Ample { rows: Rows::new(facts.clone()), facts, stage, keep, weakening }
    }

    fn offer_alone(&mut self, state: &[u8], moves: &[Move], first: bool, out: &mut Offer) {
        let Ample { facts, rows, stage, keep, weakening } = self;
        stage.read(facts.layout(), rows, state);
        Alone { layout: facts.layout(), rows, stage, keep: *keep, weakening: *weakening, state }
            .offer(moves, first, out);
    }
}

impl<F: Facts> Reduction for Ample<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        self.stage.count(self.facts.layout(), &mut self.rows, state);
        if !has_choice(moves) {
            return;
        }
        self.offer_alone(state, moves, true, out);
        if !out.is_empty() && !out.is_free(0) {
            out.set_partial(1);
        }
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        self.offer_alone(state, moves, false, out);
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Ample::weakened(self.facts.clone(), self.keep, self.weakening))
    }
}
