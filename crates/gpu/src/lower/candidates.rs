//! Which processes may be enough, by where all stand.

use super::{Lower, Reg};
use crate::ample::Ample;
use crate::code::{Cond, Math, Type};

impl Lower<'_, '_> {
    /// A set of slots, a bit each: those whose process is alone in the state in [`Lower::source`].
    pub(crate) fn candidates(&mut self, ample: &Ample) -> Reg {
        self.on_target = false;
        let found = self.b.copy(Type::Word, 0);
        for (slot, rules) in ample.slots.iter().enumerate() {
            for rule in rules {
                let next = self.b.label();
                let here = self.stands_in(slot, &rule.codes);
                self.b.jump_if(!here, next);
                for (other, codes) in &rule.unless {
                    let disturbs = self.stands_in(*other, codes);
                    self.b.jump_if(disturbs, next);
                }
                let sum = self.b.word(Math::Or, found, 1 << slot);
                self.b.set(found, sum);
                self.b.place(next);
                if here == Cond::Known(true) {
                    break;
                }
            }
        }
        found
    }
}
