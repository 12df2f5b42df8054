//! What states carry, told state by state.

use crate::graph::{Proposition, Valuation};
use rustc_hash::FxHashMap;

/// Collects what holds in state after state, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Valuing {
    valuation: Valuation,
    known: FxHashMap<String, Proposition>,
    classes: FxHashMap<Vec<Proposition>, u32>,
}

impl Valuing {
    /// What holds in the next state, in any order. New propositions may come at any time.
    pub fn add(&mut self, held: impl IntoIterator<Item = String>) {
        let mut set = Vec::new();
        for text in held {
            let next = Proposition(self.valuation.propositions.len() as u32);
            set.push(*self.known.entry(text).or_insert_with_key(|text| {
                self.valuation.propositions.push(text.as_str().into());
                next
            }));
        }
        set.sort_unstable();
        let next = self.valuation.classes.len() as u32;
        let class = *self.classes.entry(set).or_insert_with_key(|set| {
            self.valuation.classes.push(set.clone());
            next
        });
        self.valuation.class_of.push(class);
    }

    /// How many states were told of.
    pub fn state_count(&self) -> usize {
        self.valuation.class_of.len()
    }

    /// All that was told.
    pub fn finish(self) -> Valuation {
        self.valuation
    }
}
