//! An executor whose answers are compared with the interpreter's, at a share of the states it is asked about.
//!
//! Whatever way an executor was asked, the interpreter is asked in the simplest one: state by state, move by move. Where a
//! process has gone on inside an `atomic` by itself, the interpreter goes on as well, as long as there is no choice.

use super::pair::{Mismatch, Pair};
use super::{Difference, SelfCheck};
use ferrospin_search::expand::{Expander, Sink};
use ferrospin_system::{AtomicExits, Batch, Control, Failure, Labels, Machine, Move, Moves, StateRun, Step};
use std::sync::Arc;

/// Steps of one process inside an `atomic`, after which it is not followed any more.
const STRAIGHT_MAX: usize = 10_000;

/// See the module.
pub(crate) struct Checked<M> {
    inside: M,
    check: Arc<SelfCheck>,
    pair: Pair,
    /// Successors as the interpreter gives them.
    moves: Moves,
    batch: Batch,
}

/// The successors of a state as the executor gave them.
struct Given<'a> {
    moves: &'a [Move],
    failures: &'a [Failure],
    failed: &'a [(u32, Failure)],
    /// Index of the move, state and control of each.
    arrivals: Vec<(u32, &'a [u8], Control)>,
    /// Processes may have gone on inside an `atomic`.
    runs_on: bool,
}

impl<M: Machine> Checked<M> {
    pub(super) fn new(inside: M, check: Arc<SelfCheck>) -> Checked<M> {
        let pair = Pair::new(check.prepared.clone());
        Checked { inside, check, pair, moves: Moves::default(), batch: Batch::default() }
    }

    /// Notes what the executor and the interpreter differ in.
    fn compare(&self, state: Option<&[u8]>, is_same: bool, what: impl FnOnce() -> String) {
        if !is_same {
            self.check.find(Difference {
                what: format!("the executor and the interpreter differ in {}", what()),
                is_engine: true,
                start: state.map(<[u8]>::to_vec),
                path: Vec::new(),
            });
        }
    }

    /// Compares the passes at a state, or at the first one.
    fn examine(&mut self, state: Option<&[u8]>) {
        match self.pair.examine(state) {
            Ok(steps) => self.check.count(1, steps),
            Err(Mismatch { what, path }) => {
                let start = state.map(<[u8]>::to_vec);
                self.check.find(Difference { what, is_engine: false, start, path });
            }
        }
    }

    /// Compares the successors of a state, one by one.
    fn same_successors(&mut self, state: &[u8], given: &Given<'_>) {
        let (mut moves, mut batch) = (std::mem::take(&mut self.moves), std::mem::take(&mut self.batch));
        batch.clear();
        self.pair.optimized.expand(state, &mut moves, &mut batch);
        self.compare(Some(state), moves.list == given.moves, || "the moves of a state".into());
        let fails_alike = moves.failures == given.failures && batch.failures == given.failed;
        self.compare(Some(state), fails_alike, || "what fails at a state".into());
        let count = (batch.arrivals.len(), given.arrivals.len());
        self.compare(Some(state), count.0 == count.1, || format!("successors: there are {}, not {}", count.0, count.1));
        for (a, (top, there, control)) in batch.arrivals.iter().zip(&given.arrivals) {
            let expected = batch.state(a);
            let stays = a.top == *top && a.control == *control && expected == *there;
            let may_go_on = given.runs_on && *control == Control::Free;
            let is_same = stays || may_go_on && self.straight_on(expected, a.control, there);
            self.compare(Some(state), is_same, || "the result of a step".into());
        }
        (self.moves, self.batch) = (moves, batch);
    }

    /// Whether a process in control comes to a state where every process may move, by the only moves that there are.
    fn straight_on(&mut self, from: &[u8], control: Control, there: &[u8]) -> bool {
        let (mut at, mut who, mut next, mut moves) = (from.to_vec(), control, Vec::new(), Moves::default());
        for _ in 0..STRAIGHT_MAX {
            if who == Control::Free {
                return at == there;
            }
            self.pair.optimized.moves(&at, who, &mut moves);
            match moves.list[..] {
                _ if !moves.failures.is_empty() => return false,
                // A process that is blocked loses control.
                [] => return at == there,
                [mv] => {
                    let step = self.pair.optimized.apply(&at, &mv, &mut next);
                    if step.failure.is_some() || !step.proceeds {
                        return false;
                    }
                    who = step.control;
                    std::mem::swap(&mut at, &mut next);
                }
                _ => return false,
            }
        }
        true
    }
}

/// Takes in where the ways through an `atomic` lead.
#[derive(Default)]
struct Ends {
    states: Vec<Vec<u8>>,
    failed: bool,
}

impl Sink for Ends {
    fn arrive(&mut self, state: &[u8], _: &[Move]) {
        self.states.push(state.to_vec());
    }

    fn fail(&mut self, _: Failure, _: &[Move]) {
        self.failed = true;
    }

    fn inner_step(&mut self) {}
}

impl<M: Machine> Machine for Checked<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let given = self.inside.initial(out);
        let mut expected = Vec::new();
        let result = self.pair.optimized.initial(&mut expected);
        let is_same = result == given && (result.is_err() || expected == *out);
        self.compare(None, is_same, || "the initial state".into());
        self.examine(None);
        given
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.inside.moves(state, control, out);
        if self.check.samples(state) {
            self.pair.optimized.moves(state, control, &mut self.moves);
            let is_same = self.moves.list == out.list && self.moves.failures == out.failures;
            self.compare(Some(state), is_same, || "the moves of a state".into());
            if control == Control::Free {
                self.examine(Some(state));
            }
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let given = self.inside.apply(state, mv, out);
        if self.check.samples(state) {
            let mut expected = Vec::new();
            let step = self.pair.optimized.apply(state, mv, &mut expected);
            let is_same = step == given && (!step.proceeds || expected == *out);
            self.compare(Some(state), is_same, || "the result of a step".into());
        }
        given
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        let (arrived, failed) = (out.arrivals.len(), out.failures.len());
        self.inside.expand(state, moves, out);
        if self.check.samples(state) {
            self.same_successors(state, &Given::listed(moves, out, (arrived, failed), false));
            self.examine(Some(state));
        }
    }

    fn expand_run(
        &mut self,
        states: &[u8],
        len: usize,
        run: &mut StateRun,
        moves: &mut Moves,
        out: &mut Batch,
    ) -> bool {
        let (first, arrived, failed) = (out.bytes.len(), out.arrivals.len(), out.failures.len());
        let more = self.inside.expand_run(states, len, run, moves, out);
        if len == 0 {
            return more;
        }
        let mut from = 0;
        for (state, to) in states.chunks_exact(len).zip(&run.ends) {
            let of = from..*to as usize;
            from = of.end;
            if !self.check.samples(state) {
                continue;
            }
            let end =
                |i: usize| run.ended.iter().find(|(at, _)| *at as usize == i).map_or(len, |(_, len)| *len as usize);
            let successor = |i: usize| &out.bytes[first + i * run.stride..][..end(i)];
            let given = Given {
                moves: &run.moves[of.clone()],
                failures: &[],
                failed: &[],
                arrivals: of.zip(0..).map(|(i, top)| (top, successor(i), Control::Free)).collect(),
                runs_on: run.runs_on,
            };
            self.same_successors(state, &given);
            self.examine(Some(state));
        }
        let state = states.chunks_exact(len).nth(run.ends.len());
        if let Some(state) = state.filter(|state| more && self.check.samples(state)) {
            self.same_successors(state, &Given::listed(moves, out, (arrived, failed), run.runs_on));
            self.examine(Some(state));
        }
        more
    }

    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control {
        if !self.check.samples(state) {
            return self.inside.run_on(state, control, path);
        }
        let (from, before) = (state.to_vec(), path.len());
        let given = self.inside.run_on(state, control, path);
        let (mut at, mut who, mut next, mut moves) = (from.clone(), control, Vec::new(), Moves::default());
        for mv in &path[before..] {
            self.pair.optimized.moves(&at, who, &mut moves);
            let step = self.pair.optimized.apply(&at, mv, &mut next);
            let is_only = moves.list == [*mv] && moves.failures.is_empty();
            let is_same = is_only && step.failure.is_none() && step.proceeds;
            self.compare(Some(&from), is_same, || "a step inside an `atomic`".into());
            std::mem::swap(&mut at, &mut next);
            who = step.control;
        }
        self.compare(Some(&from), at == *state && who == given, || "where an `atomic` leads".into());
        given
    }

    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        let before = out.len();
        let is_done = self.inside.walk(state, control, out, ways);
        if is_done && self.check.samples(state) {
            let mut ends = Ends::default();
            let mv = Move::single(0, 0);
            Expander::default().walk(&mut self.pair.optimized, state, control, mv, &mut ends);
            let given = out[before..].chunks(ways.stride.max(1)).map(|end| &end[..state.len()]);
            let is_same = !ends.failed && ends.states.iter().map(Vec::as_slice).eq(given);
            self.compare(Some(state), is_same, || "the ways through an `atomic`".into());
        }
        is_done
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        let given = self.inside.labels(state, asked);
        if self.check.samples(state) {
            let is_same = self.pair.optimized.labels(state, asked) == given;
            self.compare(Some(state), is_same, || "the labels of a state".into());
        }
        given
    }
}

impl<'a> Given<'a> {
    /// The successors that were added to a batch with these numbers of arrivals and failures before.
    fn listed(moves: &'a Moves, out: &'a Batch, (arrived, failed): (usize, usize), runs_on: bool) -> Given<'a> {
        Given {
            moves: &moves.list,
            failures: &moves.failures,
            failed: &out.failures[failed..],
            arrivals: out.arrivals[arrived..].iter().map(|a| (a.top, out.state(a), a.control)).collect(),
            runs_on,
        }
    }
}
