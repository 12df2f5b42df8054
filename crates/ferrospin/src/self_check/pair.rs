//! The optimised model and the plain one side by side, both run by the interpreter.
//!
//! A state of the plain model *stands for* the state of the optimised one in which all that the passes forget is 0
//! ([`Forgotten`](ferrospin_model::passes::forgotten::Forgotten)). Of two such states is asked:
//! - They are worth the same to properties, and have the same moves and failures: the passes keep the numbers of edges, and
//!   whether the first action of a step can be done.
//! - A step of the optimised model is the steps of the plain one that its edges stand for, none of which blocks. Both fail in the
//!   same way or not at all, and lead to two such states again, with the same process in control.
//! - In front of every step that was merged with the one before it, whatever others can do there they can do behind it as well, with
//!   the same result, and no label is there: so the state between can be left out.
//!
//! What is forgotten has arbitrary values where the comparison begins: no step may depend on them. From there it goes on for
//! some steps, with both models, so that a value shows which was forgotten too soon.

use crate::prepare::Prepared;
use ferrospin_interp::Interp;
use ferrospin_interp::failure_kind;
use ferrospin_model::ir::{EdgeId, Model};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::random::Random;
use ferrospin_system::{Control, FailureCode, Labels, Machine, Move, Moves, NO_EDGE, StateHash};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// How many steps are compared one behind the other.
const STEPS: usize = 16;

/// Two states, of which the plain one stands for the other.
struct Point {
    optimized: Vec<u8>,
    plain: Vec<u8>,
    control: Control,
}

/// What the optimised model and the plain one differ in, as half a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum Disagreement {
    #[error("the initial state is {0}, and {1} when optimised")]
    Initial(String, String),
    #[error("byte {at} of the state is {plain} in the plain model and {optimized} in the optimised one{lengths}")]
    State { at: usize, plain: String, optimized: String, lengths: String },
    #[error("the labels of a state are {0:?}, and {1:?} when optimised")]
    Labels(Labels, Labels),
    #[error("the moves of a state ({optimized}) are not those of the plain model ({plain})")]
    Moves { plain: usize, optimized: usize },
    #[error("what fails while looking for moves is not the same")]
    Failures,
    #[error("a step {plain} in the plain model, and {optimized} when optimised")]
    Step { plain: Fate, optimized: Fate },
    #[error("behind a step control is {plain:?}, and {optimized:?} when optimised")]
    Control { plain: Control, optimized: Control },
    #[error("a step that was merged with the one before it blocks")]
    Blocks,
    #[error("a step was merged with the one before it, and there is a label between")]
    Label,
    #[error("a step that was merged with the one before it stops others")]
    StopsOthers,
    #[error("a step that was merged with the one before it is noticed by others")]
    Noticed,
}

/// What becomes of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fate(Option<FailureCode>);

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("succeeds"),
            Some(code) => write!(f, "fails ({})", failure_kind(code)),
        }
    }
}

/// A difference, and the steps on the plain graphs that lead to it.
pub(super) struct Mismatch {
    pub(super) what: String,
    pub(super) path: Vec<Move>,
}

/// See the module.
pub(super) struct Pair {
    prepared: Arc<Prepared>,
    pub(super) optimized: WithMonitor<Interp>,
    plain: WithMonitor<Interp>,
}

/// What a step of the optimised model gives on the plain graphs.
struct PlainStep {
    state: Vec<u8>,
    control: Control,
    failure: Option<FailureCode>,
    proceeds: bool,
}

impl Pair {
    pub(super) fn new(prepared: Arc<Prepared>) -> Pair {
        let beside = |model: &Arc<Model>| WithMonitor::new(Interp::new(model.clone()));
        let (optimized, plain) = (beside(&prepared.model), beside(&prepared.plain));
        Pair { prepared, optimized, plain }
    }

    /// Compares all moves of a state of the optimised model, and goes on for some steps. Says how many steps were compared.
    pub(super) fn examine(&mut self, start: Option<&[u8]>) -> Result<u64, Mismatch> {
        let mut path = Vec::new();
        let mut compared = 0;
        let examined = self.examine_along(start, &mut path, &mut compared);
        examined
            .map(|()| compared)
            .map_err(|what| Mismatch { what: what.to_string(), path: self.prepared.plain_moves(&path) })
    }

    fn examine_along(
        &mut self,
        start: Option<&[u8]>,
        path: &mut Vec<Move>,
        compared: &mut u64,
    ) -> Result<(), Disagreement> {
        let Some(mut here) = self.begin(start)? else { return Ok(()) };
        let mut random = Random::new(StateHash::new(0).of(&here.optimized));
        for step in 0..STEPS {
            let list = self.same_moves(&mut here)?;
            if list.is_empty() {
                return Ok(());
            }
            let chosen = random.below(list.len() as u64) as usize;
            let mut next = None;
            for (i, mv) in list.iter().enumerate().filter(|(i, _)| step == 0 || *i == chosen) {
                *compared += 1;
                path.push(*mv);
                let to = self.same_step(&here, mv)?;
                path.pop();
                if i == chosen {
                    next = to;
                }
            }
            path.push(list[chosen]);
            let Some(next) = next else { return Ok(()) };
            here = next;
        }
        Ok(())
    }

    /// Compares all moves of the states along a path on the plain graphs, as far as it can be followed.
    pub(super) fn follow(&mut self, start: Option<&[u8]>, path: &[Move]) -> Result<(), Disagreement> {
        let Some(mut here) = self.begin(start)? else { return Ok(()) };
        let mut path = path;
        loop {
            let mut next = None;
            for mv in self.same_moves(&mut here)? {
                let to = self.same_step(&here, &mv)?;
                if path.first() == Some(&mv) {
                    next = to.zip(Some(self.prepared.plain_moves(&[mv]).len()));
                }
            }
            let Some((to, count)) = next else { return Ok(()) };
            here = to;
            path = path.get(count..).unwrap_or_default();
        }
    }

    /// The states to begin with: what the passes forget has any value in the plain one. Nothing, when no state is the first.
    fn begin(&mut self, start: Option<&[u8]>) -> Result<Option<Point>, Disagreement> {
        let Some(start) = start else { return self.initial() };
        let mut random = Random::new(StateHash::new(1).of(start));
        let mut plain = start.to_vec();
        self.prepared.forgotten.write(&self.prepared.plain, &mut plain, &mut || random.below(1 << 32) as i32);
        let here = Point { optimized: start.to_vec(), plain, control: Control::Free };
        self.stands_for(&here)?;
        Ok(Some(here))
    }

    fn initial(&mut self) -> Result<Option<Point>, Disagreement> {
        let mut here = Point { optimized: Vec::new(), plain: Vec::new(), control: Control::Free };
        let optimized = self.optimized.initial(&mut here.optimized);
        let plain = self.plain.initial(&mut here.plain);
        if optimized != plain {
            return Err(Disagreement::Initial(format!("{plain:?}"), format!("{optimized:?}")));
        }
        if optimized.is_err() {
            return Ok(None);
        }
        self.stands_for(&here)?;
        Ok(Some(here))
    }

    /// Whether the plain state stands for the other.
    fn stands_for(&self, point: &Point) -> Result<(), Disagreement> {
        let mut state = point.plain.clone();
        self.prepared.forgotten.write(&self.prepared.plain, &mut state, &mut || 0);
        if state == point.optimized { Ok(()) } else { Err(self.tell_states(&state, &point.optimized)) }
    }

    /// What is different in two states.
    fn tell_states(&self, plain: &[u8], optimized: &[u8]) -> Disagreement {
        let at = plain.iter().zip(optimized).position(|(a, b)| a != b).unwrap_or(plain.len().min(optimized.len()));
        let (lens, byte) = ((plain.len(), optimized.len()), |state: &[u8]| state.get(at).copied());
        let (a, b) = (byte(plain), byte(optimized));
        let show = |byte: Option<u8>| byte.map_or("nothing".into(), |b| b.to_string());
        let lengths = if lens.0 == lens.1 { String::new() } else { format!(" (of {} and {} bytes)", lens.0, lens.1) };
        Disagreement::State { at, plain: show(a), optimized: show(b), lengths }
    }

    /// The moves of both states, which must be the same. A process that is blocked inside an `atomic` loses control.
    fn same_moves(&mut self, here: &mut Point) -> Result<Vec<Move>, Disagreement> {
        loop {
            if here.control == Control::Free {
                let asked = Labels(u64::MAX);
                let (plain, optimized) =
                    (self.plain.labels(&here.plain, asked), self.optimized.labels(&here.optimized, asked));
                if plain != optimized {
                    return Err(Disagreement::Labels(plain, optimized));
                }
            }
            let (mut plain, mut optimized) = (Moves::default(), Moves::default());
            self.plain.moves(&here.plain, here.control, &mut plain);
            self.optimized.moves(&here.optimized, here.control, &mut optimized);
            if plain.list != optimized.list {
                return Err(Disagreement::Moves { plain: plain.list.len(), optimized: optimized.list.len() });
            }
            if plain.failures != optimized.failures {
                return Err(Disagreement::Failures);
            }
            if plain.list.is_empty() && matches!(here.control, Control::Exclusive(_)) {
                here.control = Control::Free;
                continue;
            }
            return Ok(plain.list);
        }
    }

    /// Takes a move in both models; where it leads, unless it fails for good.
    fn same_step(&mut self, here: &Point, mv: &Move) -> Result<Option<Point>, Disagreement> {
        let mut optimized = Vec::new();
        let step = self.optimized.apply(&here.optimized, mv, &mut optimized);
        let plain = self.plain_step(&here.plain, mv)?;
        let failure = step.failure.map(|f| f.code);
        if failure != plain.failure || step.proceeds != plain.proceeds {
            return Err(Disagreement::Step { plain: Fate(plain.failure), optimized: Fate(failure) });
        }
        if !step.proceeds {
            return Ok(None);
        }
        if step.control != plain.control {
            return Err(Disagreement::Control { plain: plain.control, optimized: step.control });
        }
        let to = Point { optimized, plain: plain.state, control: step.control };
        self.stands_for(&to)?;
        Ok(Some(to))
    }

    /// Takes the steps of the plain graphs that a move stands for.
    fn plain_step(&mut self, from: &[u8], mv: &Move) -> Result<PlainStep, Disagreement> {
        let mut at = PlainStep { state: from.to_vec(), control: Control::Free, failure: None, proceeds: true };
        let mut next = Vec::new();
        for (i, mv) in self.prepared.plain_moves(&[*mv]).iter().enumerate() {
            if i > 0 {
                self.can_follow(&at, mv)?;
            }
            let step = self.plain.apply(&at.state, mv, &mut next);
            at.failure = at.failure.or(step.failure.map(|f| f.code));
            if !step.proceeds {
                return Ok(PlainStep { proceeds: false, ..at });
            }
            if i > 0 && at.control == Control::Free {
                self.is_unnoticed(&at.state, mv, &next)?;
            }
            std::mem::swap(&mut at.state, &mut next);
            at.control = step.control;
        }
        Ok(at)
    }

    /// Whether a step that was merged with those before it can be taken behind them. A claim has moved with the first one.
    fn can_follow(&mut self, at: &PlainStep, mv: &Move) -> Result<(), Disagreement> {
        let has_claim = self.prepared.plain.moving_claim().is_some();
        let mut moves = Moves::default();
        self.plain.moves(&at.state, at.control, &mut moves);
        let is_there = moves.list.contains(mv);
        if is_there || has_claim { Ok(()) } else { Err(Disagreement::Blocks) }
    }

    /// Whether others can do behind a step what they can do in front of it, with the same result.
    fn is_unnoticed(&mut self, before: &[u8], mv: &Move, behind: &[u8]) -> Result<(), Disagreement> {
        let model = &self.prepared.plain;
        let location = model.location(model.edge(EdgeId(mv.edge)).from);
        if location.end || location.accept || location.progress {
            return Err(Disagreement::Label);
        }
        let (mut first, mut last) = (Moves::default(), Moves::default());
        self.plain.moves(before, Control::Free, &mut first);
        self.plain.moves(behind, Control::Free, &mut last);
        let is_other = |m: &&Move| m.process != mv.process && m.partner != mv.process;
        let fails_alike = first.failures.iter().all(|f| f.process == mv.process || last.failures.contains(f));
        if !fails_alike || !first.list.iter().filter(is_other).all(|m| last.list.contains(m)) {
            return Err(Disagreement::StopsOthers);
        }
        let (mut around, mut there, mut here) = (Vec::new(), Vec::new(), Vec::new());
        for other in first.list.iter().filter(is_other) {
            let step = self.plain.apply(before, other, &mut around);
            let again = self.plain.apply(behind, other, &mut here);
            let kind = |step: &ferrospin_system::Step| step.failure.map(|f| f.code);
            let mut is_same = kind(&step) == kind(&again) && step.proceeds == again.proceeds;
            if is_same && step.proceeds {
                self.plain.apply(&around, &Move { property: NO_EDGE, ..*mv }, &mut there);
                is_same = there == here;
            }
            if !is_same {
                return Err(Disagreement::Noticed);
            }
        }
        Ok(())
    }
}
