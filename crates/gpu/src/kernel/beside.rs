//! The automaton of a formula in the kernels: a field of the state, and the set of states it may go to.

use crate::automaton::Automaton;
use crate::code::{Arg, Builder, Cond, Math, Op, Reg, Relation, Type};
use crate::layout::Layout;

/// See the module.
#[derive(Clone)]
pub(super) struct Beside {
    /// The states that the automaton goes to with this step, a bit each.
    pub(super) next: Reg,
    /// Word, shift and bits of its field.
    word: usize,
    shift: u32,
    mask: u32,
    pub(super) automaton: Automaton,
}

impl Beside {
    pub(super) fn new(b: &mut Builder, layout: &Layout<'_>, automaton: Option<&Automaton>) -> Option<Beside> {
        let field = &layout.fields[layout.claim?];
        let (word, shift) = if field.bits == 0 { (0, 0) } else { field.place(0) };
        let mask = if field.bits == 0 { 0 } else { field.mask() };
        Some(Beside { next: b.copy(Type::Word, 0), word, shift, mask, automaton: automaton?.clone() })
    }

    /// The state of the automaton in a packed state.
    pub(super) fn at(&self, b: &mut Builder, state: &[Reg]) -> Arg {
        let down = b.word(Math::Shr, state[self.word], self.shift);
        b.word(Math::And, down, self.mask)
    }

    /// The automaton has moved already: it goes nowhere else.
    pub(super) fn stay(&self, b: &mut Builder, state: &[Reg]) {
        let at = self.at(b, state);
        let bit = b.word(Math::Shl, 1, at);
        b.set(self.next, bit);
    }

    /// Takes the final states out of those it goes to: whether there were some.
    pub(super) fn take_finals(&self, b: &mut Builder) -> Cond {
        let finals = self.automaton.finals();
        if finals == 0 {
            return Cond::Known(false);
        }
        let found = b.word(Math::And, self.next, finals);
        let some = b.compare(Relation::Ne, false, found, 0);
        let rest = b.word(Math::And, self.next, !finals);
        b.set(self.next, rest);
        some
    }

    /// Code for a successor of the processes with each state that the automaton goes to.
    pub(super) fn each(&self, b: &mut Builder, state: &[Reg], code: &mut dyn FnMut(&mut Builder, &[Reg])) {
        let (again, end) = (b.label(), b.label());
        let left = b.copy(Type::Word, self.next);
        b.place(again);
        let none = b.compare(Relation::Eq, false, left, 0);
        b.jump_if(none, end);
        let lowest = b.reg(Type::Word);
        b.op(Op::Lowest { to: lowest, from: left.into() });
        let less = b.word(Math::Sub, left, 1);
        let rest = b.word(Math::And, left, less);
        b.set(left, rest);
        let keep = b.word(Math::And, state[self.word], !(self.mask << self.shift));
        let there = b.word(Math::And, lowest, self.mask);
        let there = b.word(Math::Shl, there, self.shift);
        let word = b.word(Math::Or, keep, there);
        let mut with = state.to_vec();
        with[self.word] = b.copy(Type::Word, word);
        code(b, &with);
        b.jump(again);
        b.place(end);
    }
}

/// Code for each form of a successor: one where there is no automaton.
pub(super) fn each(
    beside: Option<&Beside>,
    b: &mut Builder,
    state: &[Reg],
    code: &mut dyn FnMut(&mut Builder, &[Reg]),
) {
    match beside {
        None => code(b, state),
        Some(beside) => beside.each(b, state, code),
    }
}
