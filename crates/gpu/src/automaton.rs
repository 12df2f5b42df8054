//! The automaton of a formula, which runs beside the processes.
//!
//! It reads the state that the processes are about to leave, and moves before they do; inside `atomic` it stands still. A run on
//! which it passes accepting states again and again violates the formula. A state from which it accepts whatever follows is
//! *final*: the violation is certain as soon as it is entered, and no cycle needs to be found.

use crate::{Reason, Spot};
use ferrospin_model::ir::{Action, Expr, LocationId, Model, ProcessId};
use ferrospin_model::passes::walk::{self, Item};

/// States that fit the word in which the kernels keep a set of them.
const STATES_MAX: usize = 32;

/// See the module.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The first is where it begins.
    pub(crate) states: Vec<State>,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) accepting: bool,
    /// Whatever follows is accepted.
    pub(crate) is_final: bool,
    /// On a cycle through an accepting state.
    pub(crate) recurrent: bool,
    pub(crate) edges: Vec<(Expr, usize)>,
}

impl Automaton {
    /// Reads the automaton that a formula became in a model: its locations and guards.
    pub fn of(model: &Model, claim: ProcessId) -> Result<Automaton, Reason> {
        let refuse = |what: &str| Err(Reason { what: what.into(), spot: Spot::Process(claim) });
        let mut met: Vec<LocationId> = vec![model.process(claim).entry];
        let mut states = Vec::new();
        while let Some(at) = met.get(states.len()).copied() {
            let mut edges = Vec::new();
            for id in &model.location(at).edges {
                let edge = model.edge(*id);
                let guard = match &edge.action {
                    Action::Guard(e) if edge.then.is_empty() && !edge.atomic => e.clone(),
                    Action::Skip if edge.then.is_empty() && !edge.atomic => Expr::Const(1),
                    _ => return refuse("a claim that does more than look"),
                };
                if asks_more(&edge.action) {
                    return refuse("a formula that asks who could move");
                }
                if edge.to == LocationId::EXIT {
                    return refuse("a claim that ends");
                }
                let to = met.iter().position(|l| *l == edge.to).unwrap_or_else(|| {
                    met.push(edge.to);
                    met.len() - 1
                });
                edges.push((guard, to));
            }
            let accepting = model.location(at).accept;
            let here = states.len();
            let stays = |(guard, to): &(Expr, usize)| *to == here && matches!(guard, Expr::Const(v) if *v != 0);
            let is_final = accepting && edges.iter().any(stays);
            states.push(State { accepting, is_final, recurrent: false, edges });
        }
        if states.len() > STATES_MAX {
            return refuse("a formula whose automaton has more than 32 states");
        }
        let mut automaton = Automaton { states };
        automaton.find_cycles();
        Ok(automaton)
    }

    fn find_cycles(&mut self) {
        let count = self.states.len();
        let mut reach = vec![vec![false; count]; count];
        for (from, state) in self.states.iter().enumerate() {
            state.edges.iter().for_each(|(_, to)| reach[from][*to] = true);
        }
        for via in 0..count {
            let row = reach[via].clone();
            for from in reach.iter_mut().filter(|r| r[via]) {
                from.iter_mut().zip(&row).for_each(|(to, also)| *to |= also);
            }
        }
        let accepting: Vec<bool> = self.states.iter().map(|s| s.accepting).collect();
        for (at, state) in self.states.iter_mut().enumerate() {
            let with = |other: usize| reach[at][other] && reach[other][at] && accepting[other];
            state.recurrent = (0..count).any(with);
        }
    }

    /// A bit for each state of which something holds.
    fn bits(&self, of: impl Fn(&State) -> bool) -> u32 {
        self.states.iter().enumerate().fold(0, |bits, (i, s)| bits | u32::from(of(s)) << i)
    }

    pub(crate) fn finals(&self) -> u32 {
        self.bits(|s| s.is_final)
    }

    /// States that accept and lie on a cycle; the final ones need none.
    pub(crate) fn accepting(&self) -> u32 {
        self.bits(|s| s.accepting && s.recurrent && !s.is_final)
    }

    /// Whether no cycle needs to be looked for: violations are found when a final state is entered.
    pub fn is_safety(&self) -> bool {
        self.accepting() == 0
    }
}

/// Whether an action asks for more than values and places.
fn asks_more(action: &Action) -> bool {
    let mut more = false;
    walk::action(action, &mut |item| {
        more |= matches!(
            item,
            Item::Expr(
                Expr::Timeout
                    | Expr::NonProgress
                    | Expr::Last
                    | Expr::Enabled(_)
                    | Expr::PcValue(_)
                    | Expr::Priority(_)
                    | Expr::Foreign
            )
        );
    });
    more
}
