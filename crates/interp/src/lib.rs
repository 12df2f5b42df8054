//! The reference executor of process graphs: short, obvious, slow.
//!
//! It follows the process graphs literally and thereby *defines* the semantics; every other executor is checked against
//! it. [`view`] reads states, [`eval`] evaluates expressions, [`moves`] finds what can be done, [`step`] does it, [`monitor`] does both for a claim; [`log`],
//! [`describe`] and [`statement`] tell people about it; [`input`] reads what a simulation types in, [`waits`] says what a process waits for.
//!
//! What may be changed without fear: whatever only tells (`describe`, `statement`, `log`, `waits`). A change to `eval`, `moves`, `step` or
//! `monitor` changes the language: the recorded runs of SPIN (`testkit/tests/recorded.rs`, `semantics.rs`) decide whether it is right.

pub mod describe;
mod eval;
mod failure;
pub mod input;
pub mod log;
mod monitor;
mod moves;
pub mod statement;
mod step;
mod trace;
mod view;
pub mod waits;

use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Expr, LocationId, Model};
use ferrospin_model::passes::walk;
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, NO_PROCESS, Step};
use log::Entry;
use std::sync::Arc;

pub use failure::{failure_code, failure_kind};
pub use view::View;

/// An interpreter of one model.
pub struct Interp {
    model: Arc<Model>,
    frames: Vec<u32>,
    /// Some proposition asks for `timeout`.
    asks_timeout: bool,
    /// What happened inside steps; not kept in a search.
    log: Option<Vec<Entry>>,
}

impl Interp {
    /// An interpreter that keeps no record.
    pub fn new(model: Arc<Model>) -> Self {
        let asks_timeout = walk::propositions_ask_timeout(&model);
        Interp { model, frames: Vec::new(), asks_timeout, log: None }
    }

    /// Keeps a record of what happens inside steps, to be fetched with [`Interp::take_log`].
    pub fn keep_log(&mut self) {
        self.log = Some(Vec::new());
    }

    /// What happened since the last call.
    pub fn take_log(&mut self) -> Vec<Entry> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Where the youngest process stands that may not stop in a state.
    pub fn stuck(&mut self, state: &[u8]) -> Option<LocationId> {
        view::frames(&self.model, state, &mut self.frames);
        let view = View { model: &self.model, bytes: state, frames: &self.frames, timeout: false };
        (0..view.process_count()).rev().map(|p| view.location(p)).find(|l| !self.model.location(*l).end)
    }

    /// Whether an expression holds in a state, as a claim sees it; `timeout` is what `timeout` is worth.
    pub fn holds(&mut self, state: &[u8], e: &Expr, timeout: bool) -> Result<bool, FailureKind> {
        view::frames(&self.model, state, &mut self.frames);
        let view = View { model: &self.model, bytes: state, frames: &self.frames, timeout };
        let frame = self.model.layout.claim.map_or(0, |(_, at)| at);
        view.eval(eval::Who { pid: usize::from(NO_PROCESS), frame }, e).map(|value| value != 0)
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
}

impl Machine for Interp {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        step::initial(&self.model, out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        view::frames(&self.model, state, &mut self.frames);
        let view = View { model: &self.model, bytes: state, frames: &self.frames, timeout: false };
        moves::moves(&view, control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        step::apply(&self.model, state, mv, out, self.log.as_mut())
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        view::frames(&self.model, state, &mut self.frames);
        let view = View { model: &self.model, bytes: state, frames: &self.frames, timeout: false };
        let propositions = asked & Labels::PROPOSITIONS;
        let timeout = self.asks_timeout && propositions != Labels::NONE && moves::is_timeout(&view);
        view.labels(asked) | moves::propositions(&View { timeout, ..view }, propositions)
    }
}

/// The text a `printf` or `printm` prints, as SPIN formats it; with each value the `mtype` list it is from, if any.
pub(crate) fn print(model: &Model, format: &str, args: &[(i32, Option<u32>)]) -> String {
    let mut out = String::new();
    let mut args = args.iter().copied();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            '%' => {
                let conversion = chars.next();
                if conversion == Some('%') {
                    out.push('%');
                    continue;
                }
                let Some((value, mtype)) = args.next() else { continue };
                match conversion {
                    Some('c') => out.push(char::from(value as u8)),
                    Some('u') => out.push_str(&(value as u32).to_string()),
                    Some('x') => out.push_str(&format!("{value:x}")),
                    Some('o') => out.push_str(&format!("{value:o}")),
                    Some('e') => out.push_str(&mtype_name(model, mtype, value)),
                    _ => out.push_str(&value.to_string()),
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Name of an `mtype` constant: of the given list, or of the first list that has the value.
fn mtype_name(model: &Model, list: Option<u32>, value: i32) -> String {
    let find = |l: &Vec<(u8, Arc<str>)>| l.iter().find(|(v, _)| i32::from(*v) == value).map(|(_, n)| n.to_string());
    let named = list.and_then(|l| model.mtypes.get(l as usize)).and_then(find);
    named.or_else(|| model.mtypes.iter().find_map(find)).unwrap_or_else(|| value.to_string())
}
