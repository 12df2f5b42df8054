//! Under-approximation: violations of a formula looked for with a reduction that is too strong on purpose (Brim, Černá,
//! Moravec and Šimša 2005).
//!
//! A reduced graph is a part of the full one, whatever was left out: a violation that is found is real. Two things can be
//! made too strong: which moves count as visible (the *sensitive* ones, S), and the proviso. When nothing is found the
//! reduction is weakened, round by round, until it is exact; only then is it said that the formula holds.
//!
//! | mode | rounds |
//! |---|---|
//! | `schedule` | weak proviso with nothing sensitive; weak with all that is visible; strict with all that is visible, which is exact |
//! | `A` | strict proviso; more and more of the visible moves become sensitive, at last all of them, which is exact |
//! | `B` | weak proviso; as `A`, then moves join that lie on cycles of a process without sensitive moves. Without such cycles every endless run has sensitive moves again and again; those runs the weak proviso keeps, which is exact |
//!
//! `B` needs sets without sensitive moves, which ample sets are and stubborn ones need not be: so it takes ample sets.
//! [`Plan`] says what each round is; running it is the business of the search for cycles.

pub use ferrospin_check::options::{Mode, Order, Start, Step, Under};

use crate::sensitive::{Key, Population, Sensitive, distances};
use ferrospin_model::facts::Facts;
use ferrospin_search::random::Random;

/// One search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// What counts as visible.
    pub sensitive: Sensitive,
    /// Whether the weak proviso is enough.
    pub weak: bool,
    /// Whether a search that finds nothing is a proof.
    pub exact: bool,
}

/// Says what each round is.
pub struct Plan<'a> {
    under: Under,
    facts: &'a Facts,
    population: &'a Population,
    visible: Vec<Key>,
    sensitive: Sensitive,
    random: Random,
    distances: Vec<u32>,
    round: u64,
    is_over: bool,
}

impl<'a> Plan<'a> {
    /// The rounds for a model whose claim is laid out beside it.
    pub fn new(under: Under, facts: &'a Facts, population: &'a Population) -> Self {
        let visible = population.visible(facts);
        let all = || visible.iter().copied().collect();
        let sensitive = if under.start == Start::Visible { all() } else { Sensitive::default() };
        let seed = if let Order::Random(seed) = under.order { seed } else { 0 };
        Plan {
            under,
            facts,
            population,
            sensitive,
            visible,
            random: Random::new(seed),
            distances: distances(facts.model()),
            round: 0,
            is_over: false,
        }
    }

    /// How many moves the property sees.
    pub fn visible_count(&self) -> usize {
        self.visible.len()
    }

    /// How many rounds there will be, where that is known; what is found may end them sooner.
    pub fn rounds(&self) -> Option<u64> {
        let left = |sensitive: &Sensitive| self.visible.iter().filter(|k| !sensitive.contains(k)).count();
        match (self.under.mode, self.under.step, self.under.start) {
            (Mode::Schedule, ..) => Some(3),
            (Mode::A, _, Start::Visible) => Some(1),
            (Mode::A, Step::Count(n), Start::Empty) => Some(left(&Sensitive::default()).div_ceil(n.max(1)) as u64 + 1),
            (Mode::A, Step::Half, _) | (Mode::B, ..) => None,
        }
    }

    fn all_visible(&self) -> bool {
        self.visible.iter().all(|k| self.sensitive.contains(k))
    }

    /// Makes some of these sensitive, which are not yet.
    fn grow(&mut self, mut candidates: Vec<Key>) {
        candidates.retain(|k| !self.sensitive.contains(k));
        let count = match self.under.step {
            Step::Count(n) => n.max(1),
            Step::Half => candidates.len().div_ceil(2),
        };
        let distance = |k: &Key| self.distances[self.facts.model().edge(k.1).from.index()];
        match self.under.order {
            Order::File => {}
            Order::Distance => candidates.sort_by_key(distance),
            Order::Random(_) => {
                for i in (1..candidates.len()).rev() {
                    candidates.swap(i, self.random.below(i as u64 + 1) as usize);
                }
            }
        }
        for key in candidates.into_iter().take(count) {
            self.sensitive.insert(key);
        }
    }

    fn schedule(&mut self) -> Option<Round> {
        let all: Sensitive = self.visible.iter().copied().collect();
        match self.round {
            1 => Some(Round { sensitive: Sensitive::default(), weak: true, exact: false }),
            2 => Some(Round { sensitive: all, weak: true, exact: false }),
            3 => Some(Round { sensitive: all, weak: false, exact: true }),
            _ => None,
        }
    }

    fn a(&mut self) -> Round {
        if self.round > 1 {
            self.grow(self.visible.clone());
        }
        let exact = self.all_visible();
        Round { sensitive: self.sensitive.clone(), weak: false, exact }
    }

    fn b(&mut self) -> Round {
        if self.round > 1 {
            if self.all_visible() {
                self.grow(self.population.on_cycles(self.facts, &self.sensitive));
            } else {
                self.grow(self.visible.clone());
            }
        }
        let exact = self.all_visible() && self.population.on_cycles(self.facts, &self.sensitive).is_empty();
        Round { sensitive: self.sensitive.clone(), weak: true, exact }
    }
}

impl Iterator for Plan<'_> {
    type Item = Round;

    fn next(&mut self) -> Option<Round> {
        if self.is_over || self.under.rounds_max.is_some_and(|max| self.round >= max) {
            return None;
        }
        self.round += 1;
        let round = match self.under.mode {
            Mode::Schedule => self.schedule()?,
            Mode::A => self.a(),
            Mode::B => self.b(),
        };
        self.is_over = round.exact;
        Some(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrospin_interp::Interp;
    use ferrospin_model::ir::{ProcessId, ProcessKind};
    use ferrospin_system::Machine;
    use std::sync::Arc;

    fn rounds(under: Under) -> Vec<(usize, bool, bool)> {
        let text = "byte v, w; active proctype P() { byte x; do :: x = 1; x = 2 :: v = 1; w = 1 :: break od }
                    active proctype Q() { byte x; do :: x = 1 od } never { do :: v == 0 && w == 0 od }";
        let model = ferrospin_testkit::model("m.pml", text, &[]).expect("a model");
        let never = model.processes.iter().position(|p| p.kind == ProcessKind::Never).expect("a claim");
        let model = Arc::new(model.with_claim(ProcessId(never as u32)));
        let mut state = Vec::new();
        Interp::new(model.clone()).initial(&mut state).expect("a state");
        let facts = Facts::new(model);
        let population = Population::new(&facts, &state);
        let plan = Plan::new(under, &facts, &population);
        assert_eq!(plan.visible_count(), 2);
        let told = plan.rounds();
        let list: Vec<_> = plan.take(50).map(|r| (r.sensitive.len(), r.weak, r.exact)).collect();
        assert!(told.is_none_or(|n| n == list.len() as u64), "{told:?}, {list:?}");
        list
    }

    #[test]
    fn three_rounds() {
        let expected = [(0, true, false), (2, true, false), (2, false, true)];
        assert_eq!(rounds(Under::new(Mode::Schedule)), expected);
    }

    #[test]
    fn visible_moves_join_until_all_have() {
        for order in [Order::File, Order::Distance, Order::Random(1), Order::Random(2)] {
            let list = rounds(Under { order, ..Under::new(Mode::A) });
            assert_eq!(list, [(0, false, false), (1, false, false), (2, false, true)], "{order:?}");
        }
        assert_eq!(rounds(Under { start: Start::Visible, ..Under::new(Mode::A) }), [(2, false, true)]);
        let half = rounds(Under { step: Step::Half, ..Under::new(Mode::A) });
        assert_eq!(half, [(0, false, false), (1, false, false), (2, false, true)]);
    }

    #[test]
    fn cycles_are_cut_until_none_is_left() {
        let list = rounds(Under::new(Mode::B));
        // Two are visible; the loop `x = 1; x = 2` and that of the other process have to be cut.
        let expected = [(0, true, false), (1, true, false), (2, true, false), (3, true, false), (4, true, true)];
        assert_eq!(list, expected);
        let started = rounds(Under { start: Start::Visible, ..Under::new(Mode::B) });
        assert_eq!(started, expected[2..]);
    }

    #[test]
    fn rounds_have_a_limit() {
        let list = rounds(Under { rounds_max: Some(2), ..Under::new(Mode::B) });
        assert_eq!(list.len(), 2);
        assert!(list.iter().all(|r| !r.2), "no proof within the limit");
    }
}
