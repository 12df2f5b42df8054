//! Values that are cut: assignments of what the variable has no room for.
//!
//! In the model that is searched for them each such assignment asserts first that the value fits, and nothing else is asserted. Both
//! executors do the rest. Messages and arguments of processes are no assignments.

use ferrospin_model::ir::{Action, Binary, Expr, Model, Place, ProcessKind, Scalar};

/// The first operand of a failed assertion that was put in front of an assignment.
pub(crate) const MARK: i32 = 1;

/// The model whose assertions are those in front of assignments.
pub(crate) fn checked(model: &Model) -> Model {
    let mut model = model.clone();
    for process in &mut model.processes {
        process.exclusive.clear();
    }
    for at in 0..model.edges.len() {
        let process = model.location(model.edges[at].from).process;
        if !matches!(model.process(process).kind, ProcessKind::Proctype | ProcessKind::Init) {
            continue;
        }
        let edge = &mut model.edges[at];
        let before = std::iter::once(std::mem::replace(&mut edge.action, Action::Skip)).chain(edge.then.drain(..));
        let mut actions: Vec<Action> = before.flat_map(expanded).collect();
        edge.then = actions.split_off(1);
        edge.action = actions.pop().unwrap_or(Action::Skip);
    }
    model
}

/// An action with what is asserted before it.
fn expanded(action: Action) -> Vec<Action> {
    match action {
        Action::Assert(_) => vec![Action::Skip],
        Action::Assign(place, value) => match fits(&place, &value) {
            Some(condition) => vec![Action::Assert(condition), Action::Assign(place, value)],
            None => vec![Action::Assign(place, value)],
        },
        other => vec![other],
    }
}

/// When a value fits a variable; `None` where it always does.
fn fits(place: &Place, value: &Expr) -> Option<Expr> {
    let (least, most) = match place.scalar {
        Scalar::Unsigned(bits) => (0, ((1_i64 << bits) - 1) as i32),
        Scalar::Short => (i32::from(i16::MIN), i32::from(i16::MAX)),
        Scalar::Int => return None,
    };
    let always = match value {
        Expr::Const(value) => (least..=most).contains(value),
        Expr::Load(from) => from.scalar == place.scalar,
        _ => false,
    };
    let compare = |op, bound| Expr::Binary(op, Box::new(value.clone()), Box::new(Expr::Const(bound)));
    let both = Expr::Binary(Binary::And, Box::new(compare(Binary::Ge, least)), Box::new(compare(Binary::Le, most)));
    (!always).then_some(both)
}
