//! Where the automaton of a formula goes.

use super::{Lower, Made, Who};
use crate::automaton::Automaton;
use crate::code::{Arg, Cond, Label, Math, Reg, Relation, Type};

impl Lower<'_, '_> {
    /// Puts the states to which the automaton may go from its state `at` into `next`, a bit each, by the state in
    /// [`Lower::source`]. Goes to `failed` where a proposition has no value.
    pub(crate) fn automaton_moves(&mut self, a: &Automaton, at: Arg, next: Reg, failed: Label) -> Made<()> {
        // Propositions are about globals and about processes by their number: no process asks.
        let who = Who { slot: 0, frame: 0 };
        let end = self.b.label();
        (self.on_target, self.fail) = (false, failed);
        self.b.set(next, 0);
        for (number, state) in a.states.iter().enumerate() {
            let other = self.b.label();
            let is = self.b.compare(Relation::Eq, false, at, number as u32);
            if a.states.len() > 1 {
                self.b.jump_if(!is, other);
            }
            for (guard, to) in &state.edges {
                let holds = self.cond(who, guard)?;
                if holds == Cond::Known(false) {
                    continue;
                }
                let bit = self.b.select(Type::Word, holds, 1 << to, 0);
                let sum = self.b.word(Math::Or, next, bit);
                self.b.set(next, sum);
            }
            self.b.jump(end);
            self.b.place(other);
        }
        self.b.place(end);
        Ok(())
    }
}
