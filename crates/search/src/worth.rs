//! Whether a reduction, and the effort for larger sets of moves, is worth it.
//!
//! What a reduction leaves out is worth it if the search never comes there by other ways; so some of the successors that
//! were left out are kept, and looked for later. Some sets are dear to find: where nearly all of what these leave out turns
//! up all the same, or where efforts hardly ever find a set, sets that are found without effort are enough. Where that is
//! so of all sets the search takes all moves from then on, which is cheaper.
//!
//! Which ones are kept follows from their hashes, and a search by levels looks for them between two levels: the answer
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
/// How patient a search is says before how many states a reduction is not given up. About efforts it is decided sooner, by
/// these factors: when that many were made, or when that many successors were looked for.
const EFFORTS_SOONER: u64 = 16;
const JUDGED_SOONER: u64 = 512;
/// One of this many costly searches must find a set; where one of the smaller number does, more of them are worth it.
const EFFORTS_A_SET: u64 = 16;
const EFFORTS_A_SET_WELCOME: u64 = 4;
/// After this many samples there is nothing more to learn about costly sets.
const JUDGED_MAX: usize = 1 << 12;
/// Before a whole reduction is given up, either fewer than one state of this many had a set that was enough, or enough
/// successors were looked for (by this factor fewer than states), of which all but one of this many were found.
const TRIED_A_SET: u64 = 128;
const TRIED_A_TRIAL: u64 = 32;
const TRIAL_A_LOSS: usize = 64;
/// A search without levels judges by its latest samples, no more than this many: at first it has seen little of what it
/// will come to.
const LATELY: usize = 1 << 10;
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
    /// States at which efforts were made, or that were expanded at all; and those of them at which a set was taken.
    pub(crate) efforts: u64,
    pub(crate) sets: u64,
    /// What is known of those that were looked for lately, where a search has no levels, and how many there were at all.
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

/// What became of successors that were left out.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    judged: usize,
    found: usize,
    efforts: u64,
    sets: u64,
}

impl Samples {
    /// Keeps fewer, because there will be many: a level of this many states is expanded next.
    pub(crate) fn thin(&mut self, states: u64) {
        self.thinned = states / STATES_FEW;
    }

    /// Keeps a successor that was left out, or not.
    #[inline]
    pub(crate) fn offer(&mut self, hash: u64, state: &[u8]) {
        if hash.is_multiple_of(RATE * (1 + self.thinned)) && self.len() < SAMPLES_MAX {
            self.list.push(Sample { at: self.efforts, hash, start: self.bytes.len(), len: state.len() });
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
        Tally { judged: count, found, efforts: self.efforts, sets: self.sets }
    }

    /// Looks for those that were kept when `times` fewer states were counted, and forgets them; what is known of these and of
    /// those before them.
    pub(crate) fn judge_older(&mut self, handle: &impl Handle, times: u64) -> Tally {
        let count = self.list[self.gone..].partition_point(|s| s.at * times <= self.efforts);
        let Tally { judged, found, .. } = self.judge(handle, count);
        self.judged += judged;
        if self.before.judged + judged > LATELY {
            self.before.judged /= 2;
            self.before.found /= 2;
        }
        self.before.judged += judged;
        self.before.found += found;
        self.gone += count;
        // What is kept is moved only when that is the smaller part.
        if self.gone > self.list.len() / 2 {
            let kept = self.list[self.gone..].first().map_or(self.bytes.len(), |s| s.start);
            self.bytes.drain(..kept);
            self.list.drain(..self.gone);
            self.list.iter_mut().for_each(|s| s.start -= kept);
            self.gone = 0;
        }
        Tally { efforts: self.efforts, sets: self.sets, ..self.before }
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
        self.efforts += other.efforts;
        self.sets += other.sets;
    }

    /// Whether enough successors were looked for to decide about efforts.
    fn is_judged(&self, patience: u64) -> bool {
        self.judged as u64 >= (patience / JUDGED_SOONER).max(1)
    }

    /// Whether efforts find sets often, and hardly anything of what was left out was found.
    pub(crate) fn is_worth_it(&self, patience: u64) -> bool {
        self.is_judged(patience) && self.found * 5 < self.judged && self.sets * EFFORTS_A_SET_WELCOME >= self.efforts
    }

    /// Whether hardly ever anything was left out, or nearly all of it was found all the same.
    pub(crate) fn is_in_vain(&self, patience: u64) -> bool {
        self.efforts >= (patience / EFFORTS_SOONER).max(1) && self.sets * EFFORTS_A_SET < self.efforts
            || self.is_judged(patience) && self.found * 10 >= self.judged * 8
    }

    /// Whether a whole reduction has been judged often enough.
    fn is_settled(&self) -> bool {
        self.judged >= TRIAL_MAX
    }

    /// The same for a whole reduction, which is given up with more hesitation: it costs less than efforts do.
    pub(crate) fn is_for_nothing(&self, patience: u64) -> bool {
        let is_judged = self.judged as u64 >= (patience / TRIED_A_TRIAL).max(1);
        let all_found = is_judged && (self.judged - self.found) * TRIAL_A_LOSS <= self.judged;
        self.efforts >= patience && (self.sets * TRIED_A_SET <= self.efforts || all_found)
    }
}

/// What a search by levels knows of what was left out.
#[derive(Default)]
struct Inquiry {
    tally: Tally,
    /// What was left out, by level and worker, and not looked for yet.
    waiting: VecDeque<(u64, Samples)>,
}

impl Inquiry {
    /// Counts what was done in a level, and lets what was left out wait.
    fn take(&mut self, depth: u64, mut samples: Samples) {
        let (efforts, sets) = (std::mem::take(&mut samples.efforts), std::mem::take(&mut samples.sets));
        self.tally.add(Tally { efforts, sets, ..Tally::default() });
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
        let Tally { judged, found, efforts, sets } = self.tally;
        words(out, &[judged as u64, found as u64, efforts, sets, self.waiting.len() as u64]);
        for (depth, samples) in &self.waiting {
            words(out, &[*depth, samples.efforts, samples.sets, samples.list.len() as u64]);
            for Sample { hash, start, len, .. } in &samples.list {
                words(out, &[*hash, *len as u64]);
                out.extend_from_slice(&samples.bytes[*start..*start + *len]);
            }
        }
    }

    fn decode(input: &mut &[u8]) -> Option<Inquiry> {
        // What is counted stays far below, so that sums and products of it fit.
        let count = |input: &mut &[u8]| word(input).filter(|n| *n <= COUNT_MAX);
        let (judged, found) = (count(input)? as usize, count(input)? as usize);
        let tally = Tally { judged, found, efforts: count(input)?, sets: count(input)? };
        if found > judged || tally.sets > tally.efforts {
            return None;
        }
        let mut waiting = VecDeque::new();
        for _ in 0..word(input)? {
            let depth = word(input)?;
            let mut samples = Samples { efforts: count(input)?, sets: count(input)?, ..Samples::default() };
            for _ in 0..word(input)? {
                let (hash, len) = (word(input)?, usize::try_from(word(input)?).ok()?);
                let state = input.get(..len)?;
                *input = &input[len..];
                samples.list.push(Sample { at: 0, hash, start: samples.bytes.len(), len });
                samples.bytes.extend_from_slice(state);
            }
            waiting.push_back((depth, samples));
        }
        Some(Inquiry { tally, waiting })
    }
}

/// No count that is read is larger.
const COUNT_MAX: u64 = 1 << 48;

/// How much a reduction should do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Effort {
    /// Whatever it can.
    #[default]
    Any,
    /// Nothing that is dear.
    Little,
    /// Nothing: the search takes all moves.
    None,
}

/// What a search by levels knows of the worth of its reduction.
#[derive(Default)]
pub(crate) struct Worth {
    effort: Effort,
    dear: Inquiry,
    all: Inquiry,
}

impl Worth {
    /// Takes what a worker has kept in a level: of what was left out with an effort, and at all.
    pub(crate) fn take(&mut self, depth: u64, [dear, all]: [Samples; 2]) {
        if dear.efforts > 0 && self.dear.tally.judged < JUDGED_MAX {
            self.dear.take(depth, dear);
        }
        if all.efforts > 0 && !self.all.tally.is_settled() {
            self.all.take(depth, all);
        }
    }

    /// Looks for what was left out long enough before a level that is about to begin; how much to do in that.
    pub(crate) fn judge(&mut self, depth: u64, handle: &impl Handle, patience: u64) -> Effort {
        self.dear.judge(depth, handle);
        self.all.judge(depth, handle);
        if self.dear.tally.is_in_vain(patience) {
            self.effort = self.effort.max(Effort::Little);
        }
        if self.all.tally.is_for_nothing(patience) {
            self.effort = Effort::None;
        }
        self.effort
    }

    /// How much to do.
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
        self.dear.encode(out);
        self.all.encode(out);
    }

    /// Reads what [`Worth::encode`] wrote; `None` when it is not that.
    pub(crate) fn decode(input: &mut &[u8]) -> Option<Worth> {
        let effort = match word(input)? {
            0 => Effort::Any,
            1 => Effort::Little,
            2 => Effort::None,
            _ => return None,
        };
        Some(Worth { effort, dear: Inquiry::decode(input)?, all: Inquiry::decode(input)? })
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
        let mut samples = Samples { efforts: 3, sets: 2, ..Samples::default() };
        samples.offer(8, b"state");
        samples.offer(9, b"not this one");
        samples.thin(STATES_FEW * 2);
        samples.offer(4, b"nor this one");
        samples.offer(24, b"another");
        let tally = Tally { judged: 40, found: 11, efforts: 100, sets: 50 };
        let dear = Inquiry { tally, waiting: VecDeque::from([(7, samples)]) };
        let worth = Worth {
            effort: Effort::Little,
            dear,
            all: Inquiry { tally: Tally { sets: 3, ..tally }, ..Inquiry::default() },
        };
        let mut bytes = Vec::new();
        worth.encode(&mut bytes);
        let read = Worth::decode(&mut &bytes[..]).expect("what was written");
        assert_eq!((read.effort, read.dear.tally, read.dear.waiting.len()), (Effort::Little, tally, 1));
        assert_eq!((read.all.tally.sets, read.all.waiting.len()), (3, 0));
        let (depth, samples) = &read.dear.waiting[0];
        assert_eq!((*depth, samples.efforts, samples.sets, samples.len()), (7, 3, 2, 2));
        assert_eq!(&samples.bytes[samples.list[1].start..], b"another");
        assert!((0..bytes.len()).all(|cut| Worth::decode(&mut &bytes[..cut]).is_none()));
    }

    #[test]
    fn a_reduction_is_given_up_only_where_it_leaves_nothing_out() {
        let trials = (PATIENCE / TRIED_A_TRIAL) as usize;
        let enough = Tally { judged: trials, found: trials, efforts: PATIENCE, sets: PATIENCE / 2 };
        assert!(enough.is_for_nothing(PATIENCE));
        assert!(!Tally { found: trials * 19 / 20, ..enough }.is_for_nothing(PATIENCE));
        assert!(!Tally { efforts: PATIENCE - 1, ..enough }.is_for_nothing(PATIENCE));
        assert!(!Tally { judged: trials - 1, found: trials - 1, ..enough }.is_for_nothing(PATIENCE));
        assert!(Tally { judged: 0, found: 0, sets: 5, ..enough }.is_for_nothing(PATIENCE));
    }

    #[test]
    fn who_is_impatient_gives_up_soon() {
        let few = Tally { judged: 1, found: 1, efforts: 4, sets: 2 };
        assert!(few.is_for_nothing(4) && few.is_in_vain(4));
        assert!(!few.is_for_nothing(PATIENCE) && !few.is_in_vain(PATIENCE));
        assert!(!Tally { judged: 0, found: 0, ..few }.is_for_nothing(4));
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
            samples.efforts = at;
            samples.offer(0, state);
        }
        let seen = |t: Tally| (t.judged, t.found);
        assert_eq!(seen(samples.judge_older(&None, 4)), (2, 1));
        assert_eq!(seen(samples.judge_older(&None, 4)), (2, 1));
        samples.efforts = 40;
        assert_eq!((seen(samples.judge_older(&None, 4)), samples.len()), ((3, 2), 0));
        // What was looked for long ago counts less and less.
        for _ in 0..6 {
            (0..LATELY / 2).for_each(|_| samples.offer(0, b"lost"));
            samples.judge_older(&None, 1);
        }
        for _ in 0..6 {
            (0..LATELY / 2).for_each(|_| samples.offer(0, b"found"));
            samples.judge_older(&None, 1);
        }
        let (judged, found) = seen(samples.judge_older(&None, 1));
        assert!(judged <= LATELY && (judged - found) * TRIAL_A_LOSS < judged, "{judged} {found}");
        assert_eq!(samples.judged, 3 + 6 * LATELY);
    }
}
