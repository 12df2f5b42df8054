//! What can be assigned to: variables, the own priority, and `_`.
//!
//! Whatever stores a value, be it an assignment, `++`, a `for`, a `select`, a receive or a `run`, asks here what the place is and
//! how a value gets there.

use crate::Lowering;
use crate::elements::Kind;
use crate::formula::may_fail;
use crate::mutant::Guard;
use ferrospin_model::ir::{Action, Binary, Expr, Place, Scalar};
use ferrospin_promela::ast::{self, ExprKind};
use ferrospin_promela::names::{Builtin, Def};
use ferrospin_source::Span;

/// What can be assigned to.
#[derive(Clone)]
pub(super) enum Target {
    /// A scalar variable.
    Place(Place),
    /// `_priority`.
    Priority,
    /// `_`: the value is dropped.
    Nothing,
}

impl Target {
    /// What it holds.
    pub(super) fn value(&self) -> Expr {
        match self {
            Target::Place(place) => Expr::Load(Box::new(place.clone())),
            Target::Priority => Expr::Priority(Box::new(Expr::Pid)),
            Target::Nothing => unreachable!("`_` has no value to read"),
        }
    }

    /// The step that gives it a value.
    pub(super) fn assign(&self, value: Expr) -> Action {
        match self {
            Target::Place(place) => Action::Assign(place.clone(), value),
            Target::Priority => Action::SetPriority(Expr::Pid, value),
            // The value is dropped, what goes wrong on the way to it is not.
            Target::Nothing if may_fail(&value) => {
                Action::Guard(Expr::Binary(Binary::Or, Box::new(value), Box::new(Expr::Const(1))))
            }
            Target::Nothing => Action::NOTHING,
        }
    }
}

impl Lowering<'_> {
    /// What a reference means where it is stored to.
    pub(super) fn target(&mut self, r: &ast::VarRef) -> Target {
        match self.builtin(r) {
            None => Target::Place(self.place(r)),
            Some(Builtin::Underscore) => Target::Nothing,
            Some(Builtin::Priority) => {
                self.model.uses.priority = true;
                Target::Priority
            }
            Some(kept) => unreachable!("{kept:?} is kept by the system and cannot be stored to"),
        }
    }

    /// The predefined variable that a reference means, if it means one.
    pub(super) fn builtin(&self, r: &ast::VarRef) -> Option<Builtin> {
        match r.path.first().and_then(|s| self.names.def(&s.name)) {
            Some(Def::Builtin(b)) => Some(b),
            _ => None,
        }
    }

    /// An assignment of an expression, which may be a `run`.
    pub(super) fn assignment(&mut self, target: &ast::VarRef, value: &ast::Expr) -> Kind {
        let target = self.target(target);
        if !matches!(value.kind, ExprKind::Run { .. }) {
            let value = self.expr(value);
            if matches!(target, Target::Nothing) && self.mutant.lacks(Guard::DroppedFails) {
                return Kind::Basic(Action::NOTHING);
            }
            return Kind::Basic(target.assign(value));
        }
        let (number, then) = match target {
            Target::Place(place) => (Some(place), Vec::new()),
            Target::Priority => {
                let (place, then) = self.by_way(value.at.0, &Target::Priority);
                (Some(place), then)
            }
            Target::Nothing => (None, Vec::new()),
        };
        let run = self.run(value, number).expect("it is a `run`");
        Kind::several(run, then)
    }

    /// A variable to take a value for a target that only an action of its own can set, and what is to be done behind it in the
    /// same step: the variable is 0 again when the step is over.
    pub(super) fn by_way(&mut self, span: Span, target: &Target) -> (Place, Vec<Action>) {
        let place = self.spare(span);
        let value = Expr::Load(Box::new(place.clone()));
        let mut then = vec![target.assign(value)];
        if !self.mutant.lacks(Guard::SpareZero) {
            then.push(Action::Assign(place.clone(), Expr::Const(0)));
        }
        (place, then)
    }

    /// A local byte that is 0 between steps, one for each process type that needs it.
    fn spare(&mut self, span: Span) -> Place {
        if let Some(place) = &self.spare {
            return place.clone();
        }
        let place = self.frame.hidden("spare".into(), Scalar::BYTE, span);
        self.spare = Some(place.clone());
        place
    }
}
