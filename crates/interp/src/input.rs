//! `STDIN`: a channel without sender, from which a simulation reads characters.
//!
//! It is a channel variable of that name that never gets a channel. To a search a receive from it is a mistake, as from
//! any variable that holds no channel. A simulation may take it as a move and say which character comes.

use crate::Interp;
use crate::failure_code;
use crate::step;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, Area, EdgeId, Expr, Model};
use ferrospin_system::{Move, Moves, Step};

/// Whether an edge receives from `STDIN`.
pub fn reads_input(model: &Model, edge: EdgeId) -> bool {
    let edge = model.edge(edge);
    let Action::Receive(r) = &edge.action else { return false };
    let Expr::Load(place) = &r.channel else { return false };
    let leaves = match place.area {
        Area::Global => &model.globals,
        Area::Local => &model.process(model.location(edge.from).process).locals,
    };
    leaves.iter().any(|l| l.offset == place.offset && &*l.name == "STDIN")
}

impl Interp {
    /// Turns the mistakes among `moves` that are receives from `STDIN` into moves.
    pub fn allow_input(&self, moves: &mut Moves) {
        let Moves { list, failures } = moves;
        failures.retain(|f| {
            let reads = f.code == failure_code(FailureKind::NoChannel) && reads_input(self.model(), EdgeId(f.edge));
            if reads {
                list.push(Move::single(f.process, f.edge));
            }
            !reads
        });
    }

    /// Takes a receive from `STDIN` that gets this value.
    pub fn apply_input(&mut self, state: &[u8], mv: &Move, value: i32, out: &mut Vec<u8>) -> Step {
        step::apply_input(&self.model, state, mv, value, out, self.log.as_mut())
    }
}
