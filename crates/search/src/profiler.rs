//! The reduction profiler: whether a reduction, and the search for larger sets of moves, pays off.
//!
//! A reduction pays off if the search never reaches by other paths what it leaves out; so some of the successors that were
//! left out are sampled, and looked for later. Some sets are costly to find: where nearly all of what these leave out is
//! reached all the same, or where attempts hardly ever find a set, the search uses only sets of a single process. Where that
//! is so of all sets the search takes all moves from then on, which is cheaper.
//!
//! Samples are chosen by their hashes, and a search by levels looks for them between two levels: the answer
//! does not depend on the number of workers.

use ferrospin_system::Handle;
use std::collections::VecDeque;

/// One successor of this many is kept, in levels of few states.
const RATE: u64 = 4;
/// From this many states on fewer are kept of a level, in proportion.
const STATES_FEW: u64 = 1 << 12;
/// Levels after which what was left out is looked for.
const LEVELS_LATER: u64 = 2;
/// Most samples that a worker keeps at a time, and that are looked for together.
const SAMPLES_MAX: usize = 1 << 16;
const TOGETHER: usize = 16;
/// The patience of a search is the number of states before a reduction may be given up. Costly sets are judged sooner, by
/// these factors: when that many were made, or when that many successors were looked for.
const ATTEMPTS_SOONER: u64 = 16;
const JUDGED_SOONER: u64 = 512;
/// One of this many costly searches must find a set; where one of the smaller number does, more of them are worth it.
const ATTEMPTS_A_SET: u64 = 16;
const ATTEMPTS_A_SET_WELCOME: u64 = 4;
/// After this many samples there is nothing more to learn about costly sets.
const JUDGED_MAX: usize = 1 << 12;
/// Before a whole reduction is given up, either fewer than one state of this many had a set that was enough, or enough
/// successors were looked for (by this factor fewer than states), of which all but one of this many were found.
const TRIED_A_SET: u64 = 128;
const TRIED_A_TRIAL: u64 = 32;
const TRIAL_A_LOSS: usize = 64;
/// A search without levels judges by its latest samples, no more than this many: at first it has seen little of what it
/// will come to.
const WINDOW: usize = 1 << 10;
/// After this many samples there is nothing more to learn about the reduction.
const TRIAL_MAX: usize = 1 << 15;

/// Successors that were left out.
#[derive(Default)]
pub(crate) struct Samples {
    list: Vec<Sample>,
    bytes: Vec<u8>,
    /// Samples at the front of the list that were looked for.
    gone: usize,
    /// The factor by which fewer are kept, less one.
    thinned: u64,
    /// States at which attempts at costly sets were made, or all expanded ones; and those of them at which a set was taken.
    pub(crate) attempts: u64,
    pub(crate) sets: u64,
    /// The tally of the latest samples, where a search has no levels, and the number of all samples.
    before: Tally,
    judged: usize,
}

struct Sample {
    /// How many states were counted before it.
    at: u64,
    hash: u64,
    start: usize,
    len: usize,
}

/// How many of the sampled successors were found.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    judged: usize,
    found: usize,
    attempts: u64,
    sets: u64,
}

impl Samples {
    /// Keeps fewer, because there will be many: a level of this many states is expanded next.
    pub(crate) fn thin(&mut self, states: u64) {
        self.thinned = states / STATES_FEW;
    }

    /// Samples a successor that was left out, or not, by its hash.
    #[inline]
    pub(crate) fn offer(&mut self, hash: u64, state: &[u8]) {
        if hash.is_multiple_of(RATE * (1 + self.thinned)) && self.len() < SAMPLES_MAX {
            self.list.push(Sample { at: self.attempts, hash, start: self.bytes.len(), len: state.len() });
            self.bytes.extend_from_slice(state);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len() - self.gone
    }

    /// Looks for the first `count` of them.
    pub(crate) fn judge(&self, handle: &impl Handle, count: usize) -> Tally {
        let mut found = 0;
        for some in self.list[self.gone..][..count].chunks(TOGETHER) {
            some.iter().for_each(|s| handle.prefetch(s.hash));
            let is_found = |s: &&Sample| handle.find(&self.bytes[s.start..s.start + s.len], s.hash).is_some();
            found += some.iter().filter(is_found).count();
        }
        Tally { judged: count, found, attempts: self.attempts, sets: self.sets }
    }

    /// Looks for the samples that are at least as old as the search was long before them, by the factor `times`, and drops them;
    /// the tally of these and of those before them.
    pub(crate) fn judge_older(&mut self, handle: &impl Handle, times: u64) -> Tally {
        let count = self.list[self.gone..].partition_point(|s| s.at * times <= self.attempts);
        let Tally { judged, found, .. } = self.judge(handle, count);
        self.judged += judged;
        if self.before.judged + judged > WINDOW {
            self.before.judged /= 2;
            self.before.found /= 2;
        }
        self.before.judged += judged;
        self.before.found += found;
        self.gone += count;
        // The rest is moved only when it is the smaller part.
        if self.gone > self.list.len() / 2 {
            let kept = self.list[self.gone..].first().map_or(self.bytes.len(), |s| s.start);
            self.bytes.drain(..kept);
            self.list.drain(..self.gone);
            self.list.iter_mut().for_each(|s| s.start -= kept);
            self.gone = 0;
        }
        Tally { attempts: self.attempts, sets: self.sets, ..self.before }
    }

    /// Whether enough were looked for, where a search has no levels.
    pub(crate) fn is_settled(&self) -> bool {
        self.judged >= TRIAL_MAX
    }
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.judged += other.judged;
        self.found += other.found;
        self.attempts += other.attempts;
        self.sets += other.sets;
    }

    /// Whether enough successors were looked for to decide about costly sets.
    fn is_judged(&self, patience: u64) -> bool {
        self.judged as u64 >= (patience / JUDGED_SOONER).max(1)
    }

    /// Whether attempts often find a set, and hardly anything of what was left out was found.
    pub(crate) fn pays_off(&self, patience: u64) -> bool {
        self.is_judged(patience) && self.found * 5 < self.judged && self.sets * ATTEMPTS_A_SET_WELCOME >= self.attempts
    }

    /// Whether hardly ever anything was left out, or nearly all of it was found all the same.
    pub(crate) fn is_useless(&self, patience: u64) -> bool {
        self.attempts >= (patience / ATTEMPTS_SOONER).max(1) && self.sets * ATTEMPTS_A_SET < self.attempts
            || self.is_judged(patience) && self.found * 10 >= self.judged * 8
    }

    /// Whether a whole reduction has been judged often enough.
    fn is_settled(&self) -> bool {
        self.judged >= TRIAL_MAX
    }

    /// The same for a whole reduction, with a higher threshold: it costs less than costly sets do.
    pub(crate) fn reduction_is_useless(&self, patience: u64) -> bool {
        let is_judged = self.judged as u64 >= (patience / TRIED_A_TRIAL).max(1);
        let all_found = is_judged && (self.judged - self.found) * TRIAL_A_LOSS <= self.judged;
        self.attempts >= patience && (self.sets * TRIED_A_SET <= self.attempts || all_found)
    }
}

/// The samples of a search by levels that were not looked for yet, with the tally of the others.
#[derive(Default)]
struct PendingSamples {
    tally: Tally,
    /// What was left out, by level and worker, and not looked for yet.
    waiting: VecDeque<(u64, Samples)>,
}

impl PendingSamples {
    /// Adds the counts and samples of a level.
    fn take(&mut self, depth: u64, mut samples: Samples) {
        let (attempts, sets) = (std::mem::take(&mut samples.attempts), std::mem::take(&mut samples.sets));
        self.tally.add(Tally { attempts, sets, ..Tally::default() });
        self.waiting.push_back((depth, samples));
    }

    /// Looks for what was left out long enough before a level that is about to begin.
    fn judge(&mut self, depth: u64, handle: &impl Handle) {
        while self.waiting.front().is_some_and(|(before, _)| *before + LEVELS_LATER <= depth) {
            let Some((_, samples)) = self.waiting.pop_front() else { break };
            self.tally.add(samples.judge(handle, samples.len()));
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let Tally { judged, found, attempts, sets } = self.tally;
        words(out, &[judged as u64, found as u64, attempts, sets, self.waiting.len() as u64]);
        for (depth, samples) in &self.waiting {
            words(out, &[*depth, samples.attempts, samples.sets, samples.list.len() as u64]);
            for Sample { hash, start, len, .. } in &samples.list {
                words(out, &[*hash, *len as u64]);
                out.extend_from_slice(&samples.bytes[*start..*start + *len]);
            }
        }
    }

    fn decode(input: &mut &[u8]) -> Option<PendingSamples> {
        // Real counts stay far below, so that sums and products of them fit.
        let count = |input: &mut &[u8]| word(input).filter(|n| *n <= COUNT_MAX);
        let (judged, found) = (count(input)? as usize, count(input)? as usize);
        let tally = Tally { judged, found, attempts: count(input)?, sets: count(input)? };
        if found > judged || tally.sets > tally.attempts {
            return None;
        }
        let mut waiting = VecDeque::new();
        for _ in 0..word(input)? {
            let depth = word(input)?;
            let mut samples = Samples { attempts: count(input)?, sets: count(input)?, ..Samples::default() };
            for _ in 0..word(input)? {
                let (hash, len) = (word(input)?, usize::try_from(word(input)?).ok()?);
                let state = input.get(..len)?;
                *input = &input[len..];
                samples.list.push(Sample { at: 0, hash, start: samples.bytes.len(), len });
                samples.bytes.extend_from_slice(state);
            }
            waiting.push_back((depth, samples));
        }
        Some(PendingSamples { tally, waiting })
    }
}

/// No count that is read is larger.
const COUNT_MAX: u64 = 1 << 48;

/// Which sets a reduction computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Effort {
    /// All sets.
    #[default]
    Full,
    /// Sets of a single process: nothing that is costly.
    SinglesOnly,
    /// None: the search takes all moves.
    None,
}

/// The profile of the reduction of a search by levels.
#[derive(Default)]
pub(crate) struct ReductionProfile {
    effort: Effort,
    costly: PendingSamples,
    all: PendingSamples,
}

impl ReductionProfile {
    /// Adds the samples of a worker from a level: of what costly sets left out, and of what all sets left out.
    pub(crate) fn take(&mut self, depth: u64, [costly, all]: [Samples; 2]) {
        if costly.attempts > 0 && self.costly.tally.judged < JUDGED_MAX {
            self.costly.take(depth, costly);
        }
        if all.attempts > 0 && !self.all.tally.is_settled() {
            self.all.take(depth, all);
        }
    }

    /// Looks for old samples before a level begins; the effort for that level.
    pub(crate) fn judge(&mut self, depth: u64, handle: &impl Handle, patience: u64) -> Effort {
        self.costly.judge(depth, handle);
        self.all.judge(depth, handle);
        if self.costly.tally.is_useless(patience) {
            self.effort = self.effort.max(Effort::SinglesOnly);
        }
        if self.all.tally.reduction_is_useless(patience) {
            self.effort = Effort::None;
        }
        self.effort
    }

    /// The present effort.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// Whether the whole reduction has been judged for good, so that no more samples are needed.
    pub(crate) fn is_judged(&self) -> bool {
        self.all.tally.is_settled()
    }

    /// All of it as bytes, for a checkpoint.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        words(out, &[self.effort as u64]);
        self.costly.encode(out);
        self.all.encode(out);
    }

    /// Reads what [`ReductionProfile::encode`] wrote; `None` when it is not that.
    pub(crate) fn decode(input: &mut &[u8]) -> Option<ReductionProfile> {
        let effort = match word(input)? {
            0 => Effort::Full,
            1 => Effort::SinglesOnly,
            2 => Effort::None,
            _ => return None,
        };
        Some(ReductionProfile { effort, costly: PendingSamples::decode(input)?, all: PendingSamples::decode(input)? })
    }
}

fn words(out: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
}

fn word(input: &mut &[u8]) -> Option<u64> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    *input = rest;
    Some(u64::from_le_bytes(*head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::PATIENCE;

    #[test]
    fn efforts_are_read_as_they_were_written() {
        let mut samples = Samples { attempts: 3, sets: 2, ..Samples::default() };
        samples.offer(8, b"state");
        samples.offer(9, b"not this one");
        samples.thin(STATES_FEW * 2);
        samples.offer(4, b"nor this one");
        samples.offer(24, b"another");
        let tally = Tally { judged: 40, found: 11, attempts: 100, sets: 50 };
        let costly = PendingSamples { tally, waiting: VecDeque::from([(7, samples)]) };
        let profile = ReductionProfile {
            effort: Effort::SinglesOnly,
            costly,
            all: PendingSamples { tally: Tally { sets: 3, ..tally }, ..PendingSamples::default() },
        };
        let mut bytes = Vec::new();
        profile.encode(&mut bytes);
        let read = ReductionProfile::decode(&mut &bytes[..]).expect("what was written");
        assert_eq!((read.effort, read.costly.tally, read.costly.waiting.len()), (Effort::SinglesOnly, tally, 1));
        assert_eq!((read.all.tally.sets, read.all.waiting.len()), (3, 0));
        let (depth, samples) = &read.costly.waiting[0];
        assert_eq!((*depth, samples.attempts, samples.sets, samples.len()), (7, 3, 2, 2));
        assert_eq!(&samples.bytes[samples.list[1].start..], b"another");
        assert!((0..bytes.len()).all(|cut| ReductionProfile::decode(&mut &bytes[..cut]).is_none()));
    }

    #[test]
    fn a_reduction_is_given_up_only_where_it_leaves_nothing_out() {
        let trials = (PATIENCE / TRIED_A_TRIAL) as usize;
        let enough = Tally { judged: trials, found: trials, attempts: PATIENCE, sets: PATIENCE / 2 };
        assert!(enough.reduction_is_useless(PATIENCE));
        assert!(!Tally { found: trials * 19 / 20, ..enough }.reduction_is_useless(PATIENCE));
        assert!(!Tally { attempts: PATIENCE - 1, ..enough }.reduction_is_useless(PATIENCE));
        assert!(!Tally { judged: trials - 1, found: trials - 1, ..enough }.reduction_is_useless(PATIENCE));
        assert!(Tally { judged: 0, found: 0, sets: 5, ..enough }.reduction_is_useless(PATIENCE));
    }

    #[test]
    fn who_is_impatient_gives_up_soon() {
        let few = Tally { judged: 1, found: 1, attempts: 4, sets: 2 };
        assert!(few.reduction_is_useless(4) && few.is_useless(4));
        assert!(!few.reduction_is_useless(PATIENCE) && !few.is_useless(PATIENCE));
        assert!(!Tally { judged: 0, found: 0, ..few }.reduction_is_useless(4));
    }

    #[test]
    fn what_was_left_out_long_ago_is_judged_once() {
        struct None;
        impl Handle for None {
            fn prefetch(&self, _: u64) {}
            fn put(&mut self, _: &[u8], _: u64) -> ferrospin_system::Found {
                unreachable!("nothing is stored")
            }
            fn find(&self, state: &[u8], _: u64) -> Option<u64> {
                (state == b"found").then_some(1)
            }
            fn read<'a>(&'a self, _: u64, _: &'a mut Vec<u8>) -> &'a [u8] {
                unreachable!("nothing is stored")
            }
            fn pause(&mut self) {}
            fn absent(&mut self, _: &mut dyn FnMut()) {}
        }
        let mut samples = Samples::default();
        for (at, state) in [(1, &b"lost"[..]), (2, b"found"), (9, b"found")] {
            samples.attempts = at;
            samples.offer(0, state);
        }
        let seen = |t: Tally| (t.judged, t.found);
        assert_eq!(seen(samples.judge_older(&None, 4)), (2, 1));
        assert_eq!(seen(samples.judge_older(&None, 4)), (2, 1));
        samples.attempts = 40;
        assert_eq!((seen(samples.judge_older(&None, 4)), samples.len()), ((3, 2), 0));
        // What was looked for long ago counts less and less.
        for _ in 0..6 {
            (0..WINDOW / 2).for_each(|_| samples.offer(0, b"lost"));
            samples.judge_older(&None, 1);
        }
        for _ in 0..6 {
            (0..WINDOW / 2).for_each(|_| samples.offer(0, b"found"));
            samples.judge_older(&None, 1);
        }
        let (judged, found) = seen(samples.judge_older(&None, 1));
        assert!(judged <= WINDOW && (judged - found) * TRIAL_A_LOSS < judged, "{judged} {found}");
        assert_eq!(samples.judged, 3 + 6 * WINDOW);
    }
}
