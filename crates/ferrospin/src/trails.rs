//! Trails of Promela models as files; what a trail is, and its confirmation, is in [`ferrospin_check::trails`].

pub use ferrospin_check::trails::{ReplayError, check_fit, replay, system_moves};

use crate::files;
use crate::front::{self, Define, Setting};
use crate::outputs::{CannotWrite, Kind, Outputs};
use ferrospin_model::ir::EdgeId;
use ferrospin_source::printable::printable_json;
use ferrospin_system::{Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::Trail;
use std::path::Path;
use thiserror::Error;

/// Why a file gives no trail.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoTrail {
    /// The system's reason.
    #[error("cannot read `{0}`: {1}")]
    System(String, String),
    /// What is wrong with the text.
    #[error("cannot read `{0}` as a trail: {1}")]
    Text(String, String),
}

/// Writes a trail.
pub fn save(outputs: &Outputs<'_>, trail: &Trail, path: &Path) -> Result<(), CannotWrite> {
    outputs.write(path, Kind::Trail, &printable_json(&trail.to_json()))
}

/// Reads a trail.
pub fn load(path: &Path) -> Result<Trail, NoTrail> {
    let bytes = std::fs::read(path).map_err(|e| NoTrail::System(files::shown(path), files::why(&e)))?;
    let text = String::from_utf8_lossy(&bytes);
    Trail::from_json(&text).map_err(|why| NoTrail::Text(files::shown(path), why.to_string()))
}

/// How a trail says that sends to full channels lost their messages.
pub(crate) const LOSSY: &str = "--lossy-channels";

/// Whether sends to full channels lost their messages when a trail was made.
pub fn lossy_channels(trail: &Trail) -> bool {
    trail.options.iter().any(|o| o == LOSSY)
}

/// Reads a model as it was read when the trail was made, where nothing else was asked for.
pub fn adopt(trail: &Trail, options: &mut front::Options) {
    // A trail carries how its model was read; other macros that were given are meant.
    if options.defines.is_empty() {
        options.defines = defines(trail);
    }
    options.lossy_channels |= lossy_channels(trail);
    if options.settings.is_empty() {
        options.settings = trail.options.iter().filter_map(|o| Setting::read(o)).collect();
    }
}

/// The macro definitions a trail was made with.
pub fn defines(trail: &Trail) -> Vec<Define> {
    let define = |option: &String| {
        if let Some(name) = option.strip_prefix("-U") {
            return Some(Define::Unset(name.into()));
        }
        let text = option.strip_prefix("-D")?;
        Some(match text.split_once('=') {
            Some((name, value)) => Define::Set(name.into(), Some(value.into())),
            None => Define::Set(text.into(), None),
        })
    };
    trail.options.iter().filter_map(define).collect()
}

/// What moves of graphs behind statement merging are on the plain graphs; `behind` lists the edges that were merged
/// behind an edge, in order.
pub fn plain_moves(moves: &[Move], behind: impl Fn(EdgeId) -> Vec<EdgeId>) -> Vec<Move> {
    let mut plain = Vec::with_capacity(moves.len());
    for mv in moves {
        plain.push(*mv);
        if mv.edge != NO_EDGE {
            plain.extend(behind(EdgeId(mv.edge)).into_iter().map(|e| Move::single(mv.process, e.0)));
        }
        if mv.partner != NO_PROCESS {
            plain.extend(behind(EdgeId(mv.partner_edge)).into_iter().map(|e| Move::single(mv.partner, e.0)));
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::DiskLoader;
    use crate::report::Verdict;
    use crate::run;
    use crate::subject::Promela;
    use crate::verify::{Hooks, Options};
    use ferrospin_check::storage::Nowhere;
    use ferrospin_check::subject::Task;
    use ferrospin_check::{Subject, trails};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Time may be over when a violation has been found, and not confirmed.
    #[test]
    fn what_is_not_confirmed_in_time_is_no_violation() {
        let text = "int n; active proctype P() { do :: n < 900 -> n++ :: else -> break od; assert(false) } ltl f { [] (n < 900) }";
        let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
        let runnable = run::prepare(&front).expect("a model");
        let in_time = Options::default();
        let subject = Promela::asked(&front, &runnable, &in_time).expect("it can be checked");
        let hooks = Hooks { interrupt: Arc::new(AtomicBool::new(true)), ..Hooks::default() };
        let late = Options { hooks, ..in_time.clone() };
        let properties = subject.properties();
        assert_eq!(properties.len(), 2);
        for property in &properties {
            let of = |options| Task { options, storage: &Nowhere };
            let answer = subject.answer(property, &of(&in_time)).expect("an answer");
            let found = answer.finding.as_ref().expect("a violation");
            let told = |options| {
                let mut report = answer.report.clone();
                trails::attach(&subject, &of(options), found, &mut report, true).expect("it is confirmed, or not");
                report
            };
            let report = told(&in_time);
            assert!(report.verdict == Verdict::Violated && report.story.is_some(), "{}", report.name);
            let report = told(&late);
            assert_eq!((report.verdict, report.errors, &report.error), (Verdict::Undecided, 0, &None));
            assert_eq!((report.stopped.as_deref(), &report.story), (Some("interrupted"), &None));
            assert!(report.notes.iter().any(|n| n.contains("could not be confirmed in time")), "{:?}", report.notes);
        }
    }

    #[test]
    fn merged_moves_are_told_apart() {
        let behind = |e: EdgeId| if e == EdgeId(4) { vec![EdgeId(5), EdgeId(7)] } else { Vec::new() };
        let moves = [Move::single(1, 4), Move::single(0, 2)];
        let plain: Vec<_> = plain_moves(&moves, behind).iter().map(|m| (m.process, m.edge)).collect();
        assert_eq!(plain, [(1, 4), (1, 5), (1, 7), (0, 2)]);
    }
}
