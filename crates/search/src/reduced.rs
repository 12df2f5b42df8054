//! Expansion with a reduction: all moves of a state are taken at once, by the fast path of [`crate::plain`], and only then
//! the reduction chooses which of them count.
//!
//! Taking a move costs hardly more than computing it; a reduction saves hashing, storing and everything behind that. States inside `atomic` are walked only for moves that were chosen, unless there is no
//! choice on the way.
//!
//! Most states are *preselected*, a run of them at once: all moves, or a range of them. The other choices are made
//! by the [`slow_path`], and so is whatever follows where a set turns out not to be enough ([`attempts`]).
//!
//! A proviso is answered by storing: where a set turns out not to be enough, nothing of it was new (what is new is enough),
//! so that nothing is left behind, and the store's answers are kept for the sets that follow. Only a proviso that reads
//! the search path must be tested before.
//!
//! The store inserts a batch in loops of its own, and returns only what is new; the few successors whose number decides about a
//! set are looked up again.

mod attempts;
mod bits;
mod proviso;
mod slow_path;

use crate::expand::Expander;
use crate::pipeline::{Extent, Full, Origins, Receiver};
use crate::profiler::Samples;
use crate::safety::{Options, Outcome};
use crate::successors::{Code, Taken};
use attempts::Attempt;
pub(crate) use bits::Bits;
use ferrospin_system::{
    Arrival, AtomicExits, Batch, Failure, Found, Fresh, Handle, Machine, Move, Moves, Preselection, Reduction, Span,
    StateHash, StateRun,
};
use proviso::Enough;
pub(crate) use proviso::Proviso;
use slow_path::{Inside, SlowState};
use std::ops::Range;

/// How many states are expanded together. They have few successors that count, and the misses of the table should overlap.
pub(crate) const BATCH: usize = 128;

/// Budget for costly sets, in edges visited, for each expansion as long as it is undecided whether they pay off.
const BUDGET_AN_EXPANSION: u64 = 1;

/// One of this many levels, or of this many intervals between two checks, is a trial of whether the reduction leaves anything out.
const LEVELS_A_TRIAL: u64 = 4;

/// A preselected choice.
const PRESELECTED: u32 = u32::MAX;

/// Successors that are written at once, even if there are fewer.
const FEW: usize = 4;

/// A state in the middle of its expansion. Where it was preselected, most of it follows from the [`Stretch`], and is
/// only written down when it is needed ([`Reduced::unfold`]).
#[derive(Clone, Copy, Default)]
struct Slot {
    /// Where its first set of successors begins and ends, among what waits.
    first: u32,
    end: u32,
    /// Its index among the states of the slow path, unless it was preselected.
    slow: u32,
    /// Its moves, among those of the batch, and the first that was chosen, among its own.
    moves: (u32, u32),
    top: u32,
    /// Where the successors by all its moves stand: the first of them, and how far they are apart.
    bytes: u32,
    stride: u32,
    /// Where the state stands among those that are kept, and its length.
    state: u32,
    len: u32,
    /// Whether the store has answered, and whether the set is enough.
    asked: bool,
    enough: Enough,
    /// No set is: all moves are taken. The others stand where the first set stood; this is the number of all.
    is_whole: bool,
    whole: u32,
}

/// A run of states that were expanded together: the slot of the first, where its moves and their successors begin, how far these
/// are apart, where it stands among the states that are kept, and the length of all of them.
#[derive(Clone, Copy)]
struct Stretch {
    slot: usize,
    moves: u32,
    bytes: u32,
    stride: u32,
    state: u32,
    len: u32,
}

impl Slot {
    fn range(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// How many of these are below a place among what waits.
#[inline]
fn count_below(fresh: &[Fresh], end: u32) -> usize {
    fresh.iter().take_while(|f| f.index < end).count()
}

/// What committing a batch works on.
pub(crate) struct CommitContext<'a, H, R> {
    pub(crate) machine: &'a mut dyn Machine,
    pub(crate) options: &'a Options,
    pub(crate) handle: &'a mut H,
    pub(crate) proviso: &'a Proviso<'a>,
    pub(crate) receiver: &'a mut R,
}

/// See the module.
pub(crate) struct Reduced {
    hash: StateHash,
    reduction: Box<dyn Reduction>,
    batch: Batch,
    run: StateRun,
    found: Moves,
    preselections: Vec<Preselection>,
    /// What of all states of the batch must be kept until they are committed: the states themselves, where choices were made
    /// in advance, and moves, arrivals and failures.
    kept: Vec<u8>,
    moves: Vec<Move>,
    arrivals: Vec<Arrival>,
    failures: Vec<(u32, Failure)>,
    /// Successors by the moves that were chosen, and how they were reached.
    waiting: Vec<Span>,
    codes: Vec<Code>,
    /// By successor that waits, the slot that it belongs to. How successors of preselected moves were reached follows from
    /// their places; their codes are written when they are needed.
    owners: Vec<u8>,
    /// The answers of the store, as far as they are needed.
    answers: Vec<Found>,
    fresh: Vec<Fresh>,
    /// The same of moves that were added because no set was enough.
    more: Vec<Fresh>,
    slots: [Slot; BATCH],
    stretches: Vec<Stretch>,
    /// By slot: where its successors end among what waits, and where they would begin if all its moves were taken; where
    /// its moves end, among those of the batch.
    ends: [u32; BATCH],
    bases: [u32; BATCH],
    move_ends: [u32; BATCH],
    count: usize,
    /// The slots at which fewer than all moves were chosen, at which what was chosen is enough whatever the store
    /// says, and at which it was not preselected.
    chosen: Bits,
    free: Bits,
    on_slow_path: Bits,
    /// The slots at which nothing that matters was postponed.
    pub(crate) completed: Bits,
    slow: Vec<SlowState>,
    slow_count: usize,
    inside: Vec<Inside>,
    attempts: Vec<Attempt>,
    /// Scratch memory: the set that was offered first, one that is attempts, and where its successors stand.
    best: Vec<u64>,
    members: Vec<u64>,
    ranges: Vec<Range<usize>>,
    expander: Expander,
    ways: AtomicExits,
    inner: Vec<u8>,
    taken: Taken,
    atomic_steps: u64,
    pub(crate) states: u64,
    pub(crate) matched: u64,
    state_bytes: usize,
    stored_bytes: u64,
    /// Expansions with fewer than all moves.
    reduced: u64,
    /// Samples of what costly sets left out, and of what all sets left out.
    costly: Samples,
    trial: Samples,
    /// Whether what is left out is looked for later.
    is_on_trial: bool,
    weighed: u64,
}

impl Reduced {
    pub(crate) fn new(reduction: Box<dyn Reduction>, hash: StateHash, edges: usize) -> Self {
        Reduced {
            hash,
            reduction,
            batch: Batch::default(),
            run: StateRun { runs_on: true, ..StateRun::default() },
            found: Moves::default(),
            preselections: Vec::new(),
            kept: Vec::new(),
            moves: Vec::new(),
            arrivals: Vec::new(),
            failures: Vec::new(),
            waiting: Vec::new(),
            codes: Vec::new(),
            owners: Vec::new(),
            answers: Vec::new(),
            fresh: Vec::new(),
            more: Vec::new(),
            slots: [Slot::default(); BATCH],
            stretches: Vec::new(),
            ends: [0; BATCH],
            bases: [0; BATCH],
            move_ends: [0; BATCH],
            count: 0,
            chosen: Bits::default(),
            free: Bits::default(),
            on_slow_path: Bits::default(),
            completed: Bits::default(),
            slow: Vec::new(),
            slow_count: 0,
            inside: Vec::new(),
            attempts: Vec::new(),
            best: Vec::new(),
            members: Vec::new(),
            ranges: Vec::new(),
            expander: Expander::default(),
            ways: AtomicExits::default(),
            inner: Vec::new(),
            taken: Taken(vec![false; edges]),
            atomic_steps: 0,
            states: 0,
            matched: 0,
            state_bytes: 0,
            stored_bytes: 0,
            reduced: 0,
            costly: Samples::default(),
            trial: Samples::default(),
            is_on_trial: true,
            weighed: 0,
        }
    }

    /// Takes all moves of states of `len` bytes that stand one behind the other, and chooses among them.
    pub(crate) fn expand(
        &mut self,
        machine: &mut dyn Machine,
        options: &Options,
        states: &[u8],
        len: usize,
        extent: Extent,
    ) {
        if self.count == 0 {
            self.batch.clear();
            self.kept.clear();
            self.moves.clear();
            self.arrivals.clear();
            self.failures.clear();
            self.waiting.clear();
            self.codes.clear();
            self.owners.clear();
            self.stretches.clear();
            (self.chosen, self.free, self.on_slow_path) = Default::default();
            self.inside.clear();
            self.slow_count = 0;
        }
        let mut states = states;
        loop {
            let start = self.batch.bytes.len();
            let more = machine.expand_run(states, len, &mut self.run, &mut self.found, &mut self.batch);
            let (run, rest) = states.split_at_checked(self.run.ends.len() * len).unwrap_or_default();
            if !run.is_empty() {
                self.choose_run(machine, run, len, start as u32, extent);
            }
            states = rest;
            if states.is_empty() && len > 0 {
                return;
            }
            let state = &states[..len];
            self.expand_slow(machine, options, state, more);
            self.choose(machine, state, extent);
            states = &states[len..];
            if states.is_empty() {
                return;
            }
        }
    }

    /// Chooses among the moves of the states of a run; their successors begin at `start`.
    #[inline]
    fn choose_run(&mut self, machine: &mut dyn Machine, states: &[u8], len: usize, start: u32, extent: Extent) {
        let mut preselections = std::mem::take(&mut self.preselections);
        preselections.clear();
        if extent == Extent::Offered {
            self.reduction.preselect(states, len, &self.run.moves, &self.run.ends, &mut preselections);
        } else {
            preselections.resize(self.run.ends.len(), Preselection::OPEN);
        }
        // Whatever can be done in a state counts as taken, whether it was chosen or not.
        self.run.moves.iter().for_each(|mv| self.taken.mark(mv.edge));
        self.run.further.iter().for_each(|edge| self.taken.mark(*edge));
        self.atomic_steps += self.run.inner_steps;
        let (moves, stride) = (self.moves.len() as u32, self.run.stride as u32);
        let (slot, state) = (self.count, self.kept.len() as u32);
        self.stretches.push(Stretch { slot, moves, bytes: start, stride, state, len: len as u32 });
        self.move_ends[slot..].iter_mut().zip(&self.run.ends).for_each(|(to, end)| *to = moves + end);
        if moves == 0 {
            std::mem::swap(&mut self.moves, &mut self.run.moves);
        } else {
            self.moves.extend_from_slice(&self.run.moves);
        }
        self.kept.extend_from_slice(states);
        let mut done = 0;
        while done < preselections.len() {
            done += self.choose_ranges(&preselections[done..]);
            if done < preselections.len() {
                self.unfold(self.count);
                self.begin_slow(self.slots[self.count]);
                self.choose(machine, &states[done * len..][..len], extent);
                done += 1;
            }
        }
        self.preselections = preselections;
    }

    /// Lets the successors by the moves that were preselected wait, up to a state at which that is open; for how many
    /// states it was done.
    #[inline]
    fn choose_ranges(&mut self, preselections: &[Preselection]) -> usize {
        let Some(&Stretch { slot: first, moves, bytes, stride, len, .. }) = self.stretches.last() else { return 0 };
        let (start, mut at) = (self.count, self.waiting.len());
        // Room for all moves, and for more than one has.
        let from = if start > first { self.move_ends[start - 1] } else { moves };
        let room = at + (self.move_ends[start + preselections.len() - 1] - from) as usize;
        self.waiting.resize(room + FEW, Span { start: 0, len });
        self.owners.resize(room + FEW, 0);
        let (mut slot, mut from) = (start, from);
        for preselected in preselections {
            if preselected.is_open {
                break;
            }
            let Preselection { first, count, is_set, is_free, .. } = *preselected;
            let first = u32::from(first);
            let base = bytes + (from - moves + first) * stride;
            // Mostly there are one or two: to write some more is cheaper than to count.
            let spans: [Span; FEW] = std::array::from_fn(|k| Span { start: base + k as u32 * stride, len });
            self.waiting[at..at + FEW].copy_from_slice(&spans);
            self.owners[at..at + FEW].copy_from_slice(&[slot as u8; FEW]);
            for k in FEW..usize::from(count) {
                self.waiting[at + k].start = base + k as u32 * stride;
                self.waiting[at + k].len = len;
                self.owners[at + k] = slot as u8;
            }
            self.bases[slot] = (at as u32).wrapping_sub(first);
            at += usize::from(count);
            self.ends[slot] = at as u32;
            self.chosen.add(slot, is_set);
            self.free.add(slot, is_free);
            from = self.move_ends[slot];
            slot += 1;
        }
        self.waiting.truncate(at);
        self.owners.truncate(at);
        self.count = slot;
        slot - start
    }

    /// What is known of a state of a run, as far as it is written down nowhere else.
    fn folded(&self, slot: usize) -> Slot {
        let own = self.stretches.iter().rev().find(|run| run.slot <= slot).expect("a run that it belongs to");
        let from = if slot > own.slot { self.move_ends[slot - 1] } else { own.moves };
        let first = self.start_of(slot);
        Slot {
            first,
            end: self.ends[slot],
            slow: PRESELECTED,
            moves: (from, self.move_ends[slot]),
            top: first.wrapping_sub(self.bases[slot]),
            bytes: own.bytes + (from - own.moves) * own.stride,
            stride: own.stride,
            state: own.state + (slot - own.slot) as u32 * own.len,
            len: own.len,
            ..Slot::default()
        }
    }

    /// Writes down what is known of a state of a run.
    fn unfold(&mut self, slot: usize) {
        self.slots[slot] = self.folded(slot);
    }

    /// Writes the codes of successors that were preselected.
    fn write_codes(&mut self, slot: usize) {
        let s = &self.slots[slot];
        self.codes.resize(self.waiting.len(), Code::default());
        self.codes[s.range()].iter_mut().zip(s.top..).for_each(|(code, top)| *code = Code { top, inner: 0 });
    }

    /// Asks the store about the successors of the batch.
    #[inline]
    pub(crate) fn commit(&mut self, mut with: CommitContext<'_, impl Handle, impl Receiver>) -> Result<(), Full> {
        self.answers.clear();
        self.completed = Bits::default();
        let count = std::mem::take(&mut self.count);
        if matches!(with.proviso, Proviso::Path { .. }) && !Bits::of(0..count).without(self.free).is_empty() {
            self.commit_looking(count, &mut with)
        } else {
            self.commit_new(count, &mut with)
        }
    }

    /// The same where the proviso must look before anything is stored.
    fn commit_looking(
        &mut self,
        count: usize,
        with: &mut CommitContext<'_, impl Handle, impl Receiver>,
    ) -> Result<(), Full> {
        self.answers.resize(self.waiting.len(), Found::Full);
        for slot in Bits::of(0..count).without(self.on_slow_path).slots() {
            self.unfold(slot);
        }
        for slot in 0..count {
            let (s, is_free) = (self.slots[slot], self.is_free(slot));
            if s.slow == PRESELECTED {
                self.write_codes(slot);
            }
            let asked = is_free || self.leaves_path(with.handle, with.proviso, &[s.range()]);
            if asked {
                self.put(with.handle, with.proviso, s.range())?;
            }
            let enough = match (is_free, asked) {
                (true, _) => Enough::Complete,
                (false, true) => self.is_enough(with.proviso, s.range()),
                (false, false) => Enough::No,
            };
            self.slots[slot] = Slot { asked, enough, ..s };
            if enough == Enough::No {
                self.prefetch_others(with.handle, slot);
            }
        }
        for slot in 0..count {
            let s = self.slots[slot];
            if s.enough != Enough::No {
                self.note_first(slot);
                self.hand_over(with.receiver, s.range());
                self.tell_first(slot, with.options, with.receiver);
            } else {
                self.try_others(slot, with)?;
            }
            with.receiver.pass(1);
        }
        Ok(())
    }

    /// The same where only what is new matters to the search.
    #[inline]
    fn commit_new(
        &mut self,
        count: usize,
        with: &mut CommitContext<'_, impl Handle, impl Receiver>,
    ) -> Result<(), Full> {
        self.fresh.clear();
        if with.handle.insert_batch(&self.batch.bytes, &self.waiting, &self.hash, &mut self.fresh) < self.waiting.len()
        {
            return Err(Full);
        }
        let fresh = std::mem::take(&mut self.fresh);
        if let Proviso::Level(tags, level) | Proviso::Queue(tags, level) = with.proviso {
            tags.note_all(&fresh, *level);
        }
        let mut new = Bits::default();
        for f in &fresh {
            new.add(self.owners[f.index as usize].into(), true);
        }
        self.completed = self.free;
        let mut wanting = Bits::default();
        for slot in Bits::of(0..count).without(self.free.or(new)).slots() {
            let enough = self.leads_on(with.handle, with.proviso, slot);
            wanting.add(slot, enough == Enough::No);
            self.completed.add(slot, enough == Enough::Complete);
        }
        let done = self.tell_new(count, wanting, &fresh, with);
        // The memory is used again.
        self.fresh = fresh;
        done
    }

    /// Hands what is new to the search, state by state; those for which that was not enough are `wanting`.
    #[inline]
    fn tell_new(
        &mut self,
        count: usize,
        wanting: Bits,
        fresh: &[Fresh],
        with: &mut CommitContext<'_, impl Handle, impl Receiver>,
    ) -> Result<(), Full> {
        let first = self.waiting.len();
        if !wanting.is_empty() {
            self.take_whole(with.machine, with.handle, with.proviso, wanting)?;
        }
        let (more, mut rest) = (std::mem::take(&mut self.more), 0);
        // Where nothing is out of the ordinary since then.
        let (mut plainly, mut next) = (0, 0);
        for slot in self.on_slow_path.or(wanting).slots() {
            let start = next;
            next += count_below(&fresh[start..], self.start_of(slot));
            self.arrive_plainly(plainly..slot, &fresh[start..next], with.receiver);
            plainly = slot + 1;
            let s = self.slots[slot];
            if s.is_whole {
                // Nothing of the first set was new.
                let start = rest;
                rest += count_below(&more[start..], s.end - first as u32);
                self.matched += u64::from(s.whole - (rest - start) as u32);
                self.completed.add(slot, true);
                self.arrive_all(&more[start..rest], first, with.receiver);
                self.tell_whole(slot, with.options, with.receiver);
            } else if wanting.has(slot) {
                self.slots[slot].asked = true;
                self.try_others(slot, with)?;
            } else {
                let start = next;
                next += count_below(&fresh[start..], s.end);
                self.note_first(slot);
                self.matched += u64::from(s.end - s.first - (next - start) as u32);
                self.arrive_all(&fresh[start..next], 0, with.receiver);
                self.tell_first(slot, with.options, with.receiver);
            }
            with.receiver.pass(1);
        }
        self.arrive_plainly(plainly..count, &fresh[next..], with.receiver);
        // The memory is used again.
        self.more = more;
        Ok(())
    }

    /// Where the successors of a slot begin among what waits.
    #[inline]
    fn start_of(&self, slot: usize) -> u32 {
        slot.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Whether what was chosen is enough, whatever the store says.
    #[inline]
    fn is_free(&self, slot: usize) -> bool {
        self.free.has(slot)
    }

    /// Whether fewer than all moves were chosen.
    #[inline]
    fn is_reduced(&self, slot: usize) -> bool {
        self.chosen.has(slot)
    }

    /// Hands what is new of some slots to the search, all of which were preselected and are enough.
    #[inline]
    fn arrive_plainly(&mut self, slots: Range<usize>, fresh: &[Fresh], receiver: &mut impl Receiver) {
        if slots.is_empty() {
            return;
        }
        self.reduced += self.chosen.and(Bits::of(slots.clone())).count();
        if self.is_on_trial {
            slots.clone().for_each(|slot| self.try_glance(slot));
        }
        self.matched += u64::from(self.ends[slots.end - 1] - self.start_of(slots.start)) - fresh.len() as u64;
        self.states += fresh.len() as u64;
        for len in fresh.iter().map(|f| self.waiting[f.index as usize].len) {
            self.state_bytes = self.state_bytes.max(len as usize);
            self.stored_bytes += u64::from(len);
        }
        let (first, ends, bases) = (slots.start, &self.ends[slots.clone()], &self.bases[slots]);
        let origins = Origins { ends, bases, owners: &self.owners, first };
        receiver.arrive_all(fresh, origins, &self.waiting, &self.batch.bytes);
    }

    /// Hands new successors to the search, which are counted from `first` on among what waits.
    #[inline]
    fn arrive_all(&mut self, fresh: &[Fresh], first: usize, receiver: &mut impl Receiver) {
        for Fresh { index, number } in fresh {
            let i = first + *index as usize;
            let span = self.waiting[i];
            self.state_bytes = self.state_bytes.max(span.len as usize);
            self.stored_bytes += u64::from(span.len);
            receiver.arrive(*number, span.state(&self.batch.bytes), self.codes[i]);
        }
        self.states += fresh.len() as u64;
    }

    /// Counts a state whose first set is enough.
    fn note_first(&mut self, slot: usize) {
        let (slow, is_reduced) = (self.slots[slot].slow, self.is_reduced(slot));
        self.reduced += u64::from(is_reduced);
        if slow != PRESELECTED {
            self.note_careful(slow as usize, is_reduced);
        } else if self.is_on_trial {
            self.try_glance(slot);
        }
    }

    /// Counts a state on trial; keeps a successor that preselection left out, to check whether it is found later.
    fn try_glance(&mut self, slot: usize) {
        self.trial.attempts += 1;
        if self.is_reduced(slot) {
            let s = self.folded(slot);
            // The first move that was left out.
            let top = if s.top > 0 { 0 } else { s.end - s.first };
            let state = &self.batch.bytes[(s.bytes + top * s.stride) as usize..][..s.len as usize];
            self.trial.sets += 1;
            self.trial.offer(self.hash.of(state), state);
        }
    }

    /// Tells what went wrong at a state whose first set is enough.
    #[inline]
    fn tell_first(&mut self, slot: usize, options: &Options, receiver: &mut impl Receiver) {
        let slow = self.slots[slot].slow;
        if slow != PRESELECTED && self.is_odd(slow as usize) {
            let offer = std::mem::take(&mut self.slow[slow as usize].offer);
            self.tell(slow as usize, (!offer.is_empty()).then(|| offer.words(0)), options, receiver);
            self.slow[slow as usize].offer = offer;
        }
    }

    /// Hands a stretch of the successors to the search.
    #[inline]
    fn hand_over(&mut self, receiver: &mut impl Receiver, range: Range<usize>) {
        for i in range {
            match self.answers[i] {
                Found::New(number) => {
                    let state = self.waiting[i].state(&self.batch.bytes);
                    self.states += 1;
                    self.state_bytes = self.state_bytes.max(state.len());
                    self.stored_bytes += state.len() as u64;
                    receiver.arrive(number, state, self.codes[i]);
                }
                Found::Seen(_) => self.matched += 1,
                Found::Full => unreachable!("a full store ends the search before"),
            }
        }
    }

    /// Begins a level of this many states; the whole reduction may have been judged already.
    pub(crate) fn begin_level(&mut self, depth: u64, states: u64, is_judged: bool) {
        self.costly.thin(states);
        self.trial.thin(states);
        self.is_on_trial = depth.is_multiple_of(LEVELS_A_TRIAL) && !is_judged;
    }

    /// Takes the samples of what was left out: by costly sets, and by all sets.
    pub(crate) fn take_samples(&mut self) -> [Samples; 2] {
        [std::mem::take(&mut self.costly), std::mem::take(&mut self.trial)]
    }

    /// Checks what has become of what was left out long ago, after `expansions` more expansions, and sets the budget that
    /// pays off: without bounds, a little, or none. True when the whole reduction is useless.
    pub(crate) fn weigh(&mut self, handle: &impl Handle, expansions: u64, patience: u64) -> bool {
        let tally = self.costly.judge_older(handle, 2);
        if tally.is_useless(patience) {
            self.reduction.restrict_to_singles();
        } else if tally.pays_off(patience) {
            self.reduction.set_budget(u64::MAX);
        } else {
            self.reduction.set_budget(expansions * BUDGET_AN_EXPANSION);
        }
        let trial = self.trial.judge_older(handle, 4);
        self.weighed += 1;
        self.is_on_trial = self.weighed.is_multiple_of(LEVELS_A_TRIAL) && !self.trial.is_settled();
        trial.reduction_is_useless(patience)
    }

    /// Whether the search can do without it from now on.
    pub(crate) fn is_dispensable(&self) -> bool {
        self.reduction.is_dispensable()
    }

    /// Sets the first budget.
    pub(crate) fn set_budget(&mut self, edges: u64) {
        self.reduction.set_budget(edges);
    }

    /// From now on only sets of a single process are offered.
    pub(crate) fn restrict_to_singles(&mut self) {
        self.reduction.restrict_to_singles();
    }

    /// Adds what was done to the outcome of the search.
    pub(crate) fn sum_up(&self, outcome: &mut Outcome) {
        outcome.states += self.states;
        outcome.matched += self.matched;
        outcome.reduced += self.reduced;
        outcome.state_bytes = outcome.state_bytes.max(self.state_bytes);
        outcome.stored_bytes += self.stored_bytes;
        outcome.atomic_steps += self.traces(&mut outcome.taken);
    }

    /// Marks the edges taken; the number of steps inside `atomic`.
    pub(crate) fn traces(&self, taken: &mut [bool]) -> u64 {
        taken.iter_mut().zip(&self.taken.0).for_each(|(to, from)| *to |= from);
        self.atomic_steps
    }
}
