//! Expansion with a reduction: all moves of a state are taken at once, by the fast way of [`crate::plain`], and only then is
//! chosen which of them count.
//!
//! Taking a move is so cheap that leaving it out costs nothing more than looking for it; hashing, storing and what comes
//! behind is what a reduction saves. States inside `atomic` are walked only for moves that were chosen.
//!
//! A proviso is answered by storing: where a set turns out not to be enough, nothing of it was new (what is new is enough),
//! so that nothing is left behind, and what the store has said is kept for the sets that follow. Only a proviso that asks
//! for the path must look before.
//!
//! Where the search asks only for what is new, the store *sifts* a batch in loops of its own, and tells no more; the few
//! successors whose number decides about a set are looked up again.

use crate::expand::{Expander, Sink};
use crate::safety::{Fault, Options, Outcome};
use crate::successors::{Code, Taken};
use crate::tags::Tags;
use crate::worker::{Extent, Full, Receiver};
use crate::worth::Samples;
use ferrospin_system::{
    Arrival, Batch, Control, Failure, Found, Fresh, Handle, Machine, Move, Moves, Offer, Query, Reduction, Run, Span,
    StateHash, holds, members,
};
use std::ops::Range;

/// How many states are expanded together. They have few successors that count, and the misses of the table should overlap.
pub(crate) const BATCH: usize = 32;

/// For so many expansions one effort is allowed, as long as it is not known whether it is worth it.
const EXPANSIONS_AN_EFFORT: u64 = 128;

/// How a reduced set of moves proves that it is enough.
pub(crate) enum Proviso<'a> {
    /// One of its successors belongs to the level that is being made, whose number stands beside.
    Level(&'a Tags, u64),
    /// The same, but what waits in the level that is being expanded counts as well.
    Queue(&'a Tags, u64),
    /// One of its successors is new: it will be expanded later.
    New,
    /// One of its successors, or all of them, are new or done with; by number, which states are done with.
    Path { done: &'a [bool], all: bool },
    /// The search sees to it later that some state behind takes all moves.
    Later,
}

/// A state in the middle of its expansion.
#[derive(Default)]
struct Slot {
    /// Its moves, among those of the batch.
    moves: Range<usize>,
    /// What went wrong while looking for moves.
    looking: Vec<Failure>,
    offer: Offer,
    /// The state, where there may be more to ask about it.
    state: Vec<u8>,
    /// What of the batch belongs to it: bytes that stand so far apart from there on, or arrivals.
    bytes: (u32, u32),
    len: u32,
    arrivals: (u32, u32),
    failures: (u32, u32),
    /// Its first set of successors, and what became of it.
    first: Range<usize>,
    /// Which of what is new in the batch comes from it.
    fresh: Range<usize>,
    verdict: Verdict,
    bad_end: bool,
}

impl Slot {
    /// Where the successor by a move stands, where nothing is out of the ordinary at the state.
    #[inline]
    fn span(&self, top: u32) -> Option<Span> {
        let (first, stride) = self.bytes;
        (stride > 0).then(|| Span { start: first + top * stride, len: self.len })
    }
}

/// What became of the first set of a state.
#[derive(Clone, Copy, Default)]
struct Verdict {
    /// The store was asked.
    asked: bool,
    enough: bool,
}

/// Where the successors by one move stand among those that wait.
#[derive(Clone)]
struct Tried {
    top: u32,
    range: Range<usize>,
    /// Whether the store was asked about them.
    asked: bool,
}

/// What went wrong behind a move, inside an `atomic`.
struct Inside {
    slot: usize,
    top: u32,
    failure: Failure,
    path: Vec<Move>,
}

/// See the module.
pub(crate) struct Reduced {
    hash: StateHash,
    reduction: Box<dyn Reduction>,
    batch: Batch,
    run: Run,
    found: Moves,
    /// What of all states of the batch must be kept until they are settled.
    moves: Vec<Move>,
    arrivals: Vec<Arrival>,
    failures: Vec<(u32, Failure)>,
    waiting: Vec<Span>,
    /// Hashes of what waits, where the search wants to know what it meets.
    hashes: Vec<u64>,
    codes: Vec<Code>,
    /// What the store said, as far as somebody asks for it.
    answers: Vec<Found>,
    queries: Vec<Query>,
    fresh: Vec<Fresh>,
    /// The search wants to know what it meets, not only what is new.
    meets: bool,
    slots: Vec<Slot>,
    count: usize,
    inside: Vec<Inside>,
    tried: Vec<Tried>,
    /// Scratch memory: the set that was offered first, one that is tried, and where its successors stand.
    best: Vec<u64>,
    members: Vec<u64>,
    ranges: Vec<Range<usize>>,
    expander: Expander,
    inner: Vec<u8>,
    taken: Taken,
    atomic_steps: u64,
    pub(crate) states: u64,
    pub(crate) matched: u64,
    state_bytes: usize,
    stored_bytes: u64,
    /// Expansions with fewer than all moves.
    reduced: u64,
    samples: Samples,
}

impl Reduced {
    pub(crate) fn new(reduction: Box<dyn Reduction>, hash: StateHash, edges: usize) -> Self {
        Reduced {
            hash,
            reduction,
            batch: Batch::default(),
            run: Run::default(),
            found: Moves::default(),
            moves: Vec::new(),
            arrivals: Vec::new(),
            failures: Vec::new(),
            waiting: Vec::new(),
            hashes: Vec::new(),
            codes: Vec::new(),
            answers: Vec::new(),
            queries: Vec::new(),
            fresh: Vec::new(),
            meets: false,
            slots: (0..BATCH).map(|_| Slot::default()).collect(),
            count: 0,
            inside: Vec::new(),
            tried: Vec::new(),
            best: Vec::new(),
            members: Vec::new(),
            ranges: Vec::new(),
            expander: Expander::default(),
            inner: Vec::new(),
            taken: Taken(vec![false; edges]),
            atomic_steps: 0,
            states: 0,
            matched: 0,
            state_bytes: 0,
            stored_bytes: 0,
            reduced: 0,
            samples: Samples::default(),
        }
    }

    /// Takes all moves of states of `len` bytes that stand one behind the other, chooses among them, and prefetches where
    /// the chosen ones lead.
    pub(crate) fn expand(
        &mut self,
        machine: &mut dyn Machine,
        options: &Options,
        handle: &impl Handle,
        states: &[u8],
        len: usize,
        extent: Extent,
    ) {
        if self.count == 0 {
            self.batch.clear();
            self.moves.clear();
            self.arrivals.clear();
            self.failures.clear();
            self.waiting.clear();
            self.hashes.clear();
            self.codes.clear();
            self.inside.clear();
        }
        let mut states = states;
        loop {
            let mut start = self.batch.bytes.len();
            let more = machine.expand_run(states, len, &mut self.run, &mut self.found, &mut self.batch);
            let (before, stride) = (self.moves.len(), self.run.stride);
            self.moves.extend_from_slice(&self.run.moves);
            let mut first = before;
            for i in 0..self.run.ends.len() {
                let end = before + self.run.ends[i] as usize;
                let slot = &mut self.slots[self.count];
                slot.moves = first..end;
                slot.bytes = (start as u32, stride as u32);
                slot.len = len as u32;
                slot.bad_end = false;
                slot.failures = (0, 0);
                slot.looking.clear();
                self.choose(machine, handle, &states[i * len..][..len], extent);
                start += (end - first) * stride;
                first = end;
            }
            states = states.get(self.run.ends.len() * len..).unwrap_or_default();
            if states.is_empty() && len > 0 {
                return;
            }
            let state = &states[..len];
            self.expand_oddly(machine, options, state, more);
            self.choose(machine, handle, state, extent);
            states = &states[len..];
            if states.is_empty() {
                return;
            }
        }
    }

    /// Expands a state at which something is out of the ordinary, unless that `is_done`.
    fn expand_oddly(&mut self, machine: &mut dyn Machine, options: &Options, state: &[u8], is_done: bool) {
        // Arrivals and failures of states before stay where they are.
        let (arrivals, failures) = (self.arrivals.len(), self.failures.len());
        if !is_done {
            machine.expand(state, &mut self.found, &mut self.batch);
        }
        self.arrivals.append(&mut self.batch.arrivals);
        self.failures.append(&mut self.batch.failures);
        let slot = &mut self.slots[self.count];
        slot.moves = self.moves.len()..self.moves.len() + self.found.list.len();
        self.moves.extend_from_slice(&self.found.list);
        slot.bytes = (0, 0);
        slot.len = state.len() as u32;
        slot.arrivals = (arrivals as u32, self.arrivals.len() as u32);
        slot.failures = (failures as u32, self.failures.len() as u32);
        slot.looking.clear();
        slot.looking.extend_from_slice(&self.found.failures);
        slot.bad_end = self.found.list.is_empty() && options.is_bad_end(machine.marks(state));
    }

    /// Chooses among the moves of the state that was expanded, and goes on to the next one.
    #[inline]
    fn choose(&mut self, machine: &mut dyn Machine, handle: &impl Handle, state: &[u8], extent: Extent) {
        let slot = &mut self.slots[self.count];
        let moves = &self.moves[slot.moves.clone()];
        let count = moves.len();
        // Also where there is nothing to choose: a reduction may have to see every state.
        self.reduction.offer(state, moves, &mut slot.offer);
        let mut chosen = !slot.offer.is_empty();
        if extent == Extent::Completed {
            chosen = chosen && self.reduction.complete(state, moves, slot.offer.words(0), &mut self.members);
            self.reduced += u64::from(chosen);
            // Whatever is taken is enough.
            slot.offer.start(count);
        } else if chosen && !slot.offer.is_free(0) {
            slot.state.clear();
            slot.state.extend_from_slice(state);
        }
        let start = self.waiting.len();
        let set = match (chosen, extent) {
            (false, _) => None,
            (true, Extent::Completed) => Some(&*self.members),
            (true, Extent::Offered) => Some(slot.offer.words(0)),
        };
        let (bytes, stride) = slot.bytes;
        if stride > 0 {
            let len = slot.len;
            let mut add = |top: u32| {
                self.taken.note(&moves[top as usize]);
                let span = Span { start: bytes + top * stride, len };
                if self.meets {
                    let hash = self.hash.of(span.state(&self.batch.bytes));
                    handle.prefetch(hash);
                    self.hashes.push(hash);
                }
                self.waiting.push(span);
                self.codes.push(Code { top, inner: 0 });
            };
            match set {
                None => (0..count as u32).for_each(add),
                Some(&[mut bits]) => {
                    while bits != 0 {
                        add(bits.trailing_zeros());
                        bits &= bits - 1;
                    }
                }
                Some(set) => members(set).for_each(add),
            }
        } else {
            let set = set.map(<[u64]>::to_vec);
            let slot = self.count;
            match set {
                None => (0..count as u32).for_each(|top| self.arrive_oddly(machine, slot, top)),
                Some(set) => members(&set).for_each(|top| self.arrive_oddly(machine, slot, top)),
            }
            self.hashes.get(start..).unwrap_or_default().iter().for_each(|hash| handle.prefetch(*hash));
        }
        self.slots[self.count].first = start..self.waiting.len();
        self.count += 1;
    }

    /// Adds where a move leads to what waits.
    #[inline]
    fn arrive_by(&mut self, machine: &mut dyn Machine, slot: usize, top: u32) {
        let s = &self.slots[slot];
        if let Some(span) = s.span(top) {
            self.taken.note(&self.moves[s.moves.start + top as usize]);
            self.add(span, Code { top, inner: 0 });
        } else {
            self.arrive_oddly(machine, slot, top);
        }
    }

    #[inline]
    fn add(&mut self, span: Span, code: Code) {
        if self.meets {
            self.hashes.push(self.hash.of(span.state(&self.batch.bytes)));
        }
        self.waiting.push(span);
        self.codes.push(code);
    }

    /// The same where something is out of the ordinary at the state.
    fn arrive_oddly(&mut self, machine: &mut dyn Machine, slot: usize, top: u32) {
        struct Inner<'a> {
            to: &'a mut Reduced,
            slot: usize,
            code: Code,
        }
        impl Sink for Inner<'_> {
            fn arrive(&mut self, state: &[u8], path: &[Move]) {
                path.iter().for_each(|m| self.to.taken.note(m));
                let start = u32::try_from(self.to.batch.bytes.len()).expect("a batch stays below 4 GiB");
                self.to.batch.bytes.extend_from_slice(state);
                self.to.add(Span { start, len: state.len() as u32 }, self.code);
                self.code.inner += 1;
            }
            fn fail(&mut self, failure: Failure, path: &[Move]) {
                let (slot, top) = (self.slot, self.code.top);
                self.to.inside.push(Inside { slot, top, failure, path: path.to_vec() });
            }
            fn inner_step(&mut self) {
                self.to.atomic_steps += 1;
            }
        }
        let mv = self.moves[self.slots[slot].moves.start + top as usize];
        self.taken.note(&mv);
        let (from, to) = self.slots[slot].arrivals;
        for i in from..to {
            let arrival = self.arrivals[i as usize];
            if arrival.top != top {
                continue;
            }
            if arrival.control == Control::Free {
                self.add(arrival.span(), Code { top, inner: 0 });
                continue;
            }
            let mut start = std::mem::take(&mut self.inner);
            start.clear();
            start.extend_from_slice(self.batch.state(&arrival));
            let mut expander = std::mem::take(&mut self.expander);
            let mut sink = Inner { to: self, slot, code: Code { top, inner: 0 } };
            expander.walk(machine, &start, arrival.control, mv, &mut sink);
            (self.expander, self.inner) = (expander, start);
        }
    }

    /// Asks the store about the successors of the batch.
    #[inline]
    pub(crate) fn settle<H: Handle>(
        &mut self,
        machine: &mut dyn Machine,
        options: &Options,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
    ) -> Result<(), Full> {
        self.answers.clear();
        if !self.meets {
            return self.settle_new(machine, options, handle, proviso, receiver);
        }
        let looks_before = matches!(proviso, Proviso::Path { .. });
        if looks_before {
            self.answers.resize(self.waiting.len(), Found::Full);
        } else {
            self.queries.clear();
            let queries = self.hashes.iter().zip(&self.waiting).map(|(&hash, &span)| Query { hash, span });
            self.queries.extend(queries);
            handle.put_all(&self.batch.bytes, &self.queries, &mut self.answers);
        }
        if self.answers.len() < self.waiting.len() || self.answers.last() == Some(&Found::Full) && !looks_before {
            return Err(Full);
        }
        self.note_all(proviso);
        let count = std::mem::take(&mut self.count);
        for slot in 0..count {
            let s = &self.slots[slot];
            let range = s.first.clone();
            let is_free = s.offer.is_empty() || s.offer.is_free(0) || matches!(proviso, Proviso::Later);
            let mut asked = !looks_before;
            if looks_before && (is_free || self.leaves_path(handle, proviso, std::slice::from_ref(&range))) {
                self.put(handle, proviso, range.clone())?;
                asked = true;
            }
            let enough = is_free || asked && self.is_enough(proviso, range);
            self.slots[slot].verdict = Verdict { asked, enough };
            if !enough {
                self.prefetch_others(handle, slot);
            }
        }
        for slot in 0..count {
            let Verdict { asked, enough } = self.slots[slot].verdict;
            if !enough {
                self.try_others(machine, slot, asked, options, handle, proviso, receiver)?;
                receiver.pass(1);
                continue;
            }
            self.note_first(slot);
            self.hand_over(receiver, self.slots[slot].first.clone());
            self.tell_first(slot, options, receiver);
            receiver.pass(1);
        }
        Ok(())
    }

    /// The same where only what is new matters to the search.
    #[inline]
    fn settle_new<H: Handle>(
        &mut self,
        machine: &mut dyn Machine,
        options: &Options,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
    ) -> Result<(), Full> {
        self.fresh.clear();
        if handle.sift(&self.batch.bytes, &self.waiting, &self.hash, &mut self.fresh) < self.waiting.len() {
            return Err(Full);
        }
        let fresh = std::mem::take(&mut self.fresh);
        if let Proviso::Level(tags, level) | Proviso::Queue(tags, level) = proviso {
            fresh.iter().for_each(|f| tags.note(f.number, *level));
        }
        let count = std::mem::take(&mut self.count);
        let mut next = 0;
        for slot in 0..count {
            let s = &mut self.slots[slot];
            let start = next;
            while fresh.get(next).is_some_and(|f| (f.index as usize) < s.first.end) {
                next += 1;
            }
            s.fresh = start..next;
            let is_free = s.offer.is_empty() || s.offer.is_free(0) || matches!(proviso, Proviso::Later);
            let enough = is_free || next > start || self.leads_on(handle, proviso, slot);
            self.slots[slot].verdict = Verdict { asked: true, enough };
            if !enough {
                self.prefetch_others(handle, slot);
            }
        }
        for slot in 0..count {
            if !self.slots[slot].verdict.enough {
                self.try_others(machine, slot, true, options, handle, proviso, receiver)?;
                receiver.pass(1);
                continue;
            }
            self.note_first(slot);
            let s = &self.slots[slot];
            for Fresh { index, number } in &fresh[s.fresh.clone()] {
                let span = self.waiting[*index as usize];
                self.state_bytes = self.state_bytes.max(span.len as usize);
                self.stored_bytes += u64::from(span.len);
                receiver.arrive(*number, span.state(&self.batch.bytes), self.codes[*index as usize]);
            }
            self.states += s.fresh.len() as u64;
            self.matched += (s.first.len() - s.fresh.len()) as u64;
            self.tell_first(slot, options, receiver);
            receiver.pass(1);
        }
        // The memory is used again.
        self.fresh = fresh;
        Ok(())
    }

    /// Whether the proviso holds for the first set of a state, of which nothing was new. Notes what the store says.
    fn leads_on<H: Handle>(&mut self, handle: &H, proviso: &Proviso<'_>, slot: usize) -> bool {
        let range = self.slots[slot].first.clone();
        self.answers.resize(self.waiting.len().max(self.answers.len()), Found::Full);
        for i in range.clone() {
            let number = match proviso {
                // Nobody asks for numbers, and not every store has them.
                Proviso::New => 0,
                _ => {
                    let state = self.waiting[i].state(&self.batch.bytes);
                    handle.find(state, self.hash.of(state)).expect("it was there a moment ago")
                }
            };
            self.answers[i] = Found::Seen(number);
        }
        self.is_enough(proviso, range)
    }

    /// Counts a state whose first set is enough.
    #[inline]
    fn note_first(&mut self, slot: usize) {
        let offer = &self.slots[slot].offer;
        let is_reduced = !offer.is_empty();
        self.reduced += u64::from(is_reduced);
        if offer.is_dear() {
            self.samples.efforts += 1;
            if is_reduced {
                self.sample(slot, self.slots[slot].offer.words(0)[0]);
            }
        }
    }

    /// Tells what went wrong at a state whose first set is enough.
    #[inline]
    fn tell_first(&mut self, slot: usize, options: &Options, receiver: &mut impl Receiver) {
        if self.is_odd(slot) {
            let offer = std::mem::take(&mut self.slots[slot].offer);
            self.tell(slot, (!offer.is_empty()).then(|| offer.words(0)), options, receiver);
            self.slots[slot].offer = offer;
        }
    }

    /// The hash of something that waits.
    #[inline]
    fn hash_of(&self, i: usize) -> u64 {
        self.hashes.get(i).copied().unwrap_or_else(|| self.hash.of(self.waiting[i].state(&self.batch.bytes)))
    }

    /// Tells the tags of all that was new.
    #[inline]
    fn note_all(&self, proviso: &Proviso<'_>) {
        if let Proviso::Level(tags, level) | Proviso::Queue(tags, level) = proviso {
            for found in &self.answers {
                if let Found::New(number) = found {
                    tags.note(*number, *level);
                }
            }
        }
    }

    /// Brings near what may be asked for next, because a set was not enough.
    fn prefetch_others(&self, handle: &impl Handle, slot: usize) {
        let s = &self.slots[slot];
        let others = (0..s.moves.len() as u32).filter(|top| !holds(s.offer.words(0), *top));
        for span in others.map_while(|top| s.span(top)) {
            handle.prefetch(self.hash.of(span.state(&self.batch.bytes)));
        }
    }

    /// Asks the store for a stretch of what waits.
    fn put<H: Handle>(&mut self, handle: &mut H, proviso: &Proviso<'_>, range: Range<usize>) -> Result<(), Full> {
        self.answers.resize(self.waiting.len(), Found::Full);
        for i in range {
            let found = handle.put(self.waiting[i].state(&self.batch.bytes), self.hash_of(i));
            self.answers[i] = found;
            match (proviso, found) {
                (_, Found::Full) => return Err(Full),
                (Proviso::Level(tags, level) | Proviso::Queue(tags, level), Found::New(n)) => tags.note(n, *level),
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a proviso that looks at the path holds for what waits there, before it is stored: a set that is refused
    /// must not leave states behind. One that leads nowhere (round and round inside an `atomic`) puts the others off for
    /// ever.
    fn leaves_path<H: Handle>(&self, handle: &H, proviso: &Proviso<'_>, ranges: &[Range<usize>]) -> bool {
        let Proviso::Path { done, all } = proviso else { return true };
        let mut leaves = ranges.iter().flat_map(Range::clone).map(|i| {
            let number = handle.find(self.waiting[i].state(&self.batch.bytes), self.hash_of(i));
            number.is_none_or(|n| done.get(n as usize).copied().unwrap_or(false))
        });
        if *all { leaves.next() == Some(true) && leaves.all(|l| l) } else { leaves.any(|l| l) }
    }

    /// Whether the proviso holds for a stretch of what waits, by the store's answers.
    #[inline]
    fn is_enough(&self, proviso: &Proviso<'_>, range: Range<usize>) -> bool {
        let answers = &self.answers[range];
        answers.iter().any(|found| match (proviso, found) {
            (Proviso::Path { .. } | Proviso::Later, _) | (_, Found::New(_)) => true,
            (Proviso::Level(tags, level), Found::Seen(n)) => tags.is_next(*n, *level),
            (Proviso::Queue(tags, level), Found::Seen(n)) => tags.waits(*n, *level),
            (Proviso::New, Found::Seen(_)) | (_, Found::Full) => false,
        })
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
                Found::Seen(number) => {
                    self.matched += 1;
                    receiver.meet(number);
                }
                Found::Full => unreachable!("a full store ends the search before"),
            }
        }
    }

    fn is_odd(&self, slot: usize) -> bool {
        let s = &self.slots[slot];
        s.bad_end || s.failures.0 < s.failures.1 || !s.looking.is_empty() || !self.inside.is_empty()
    }

    /// Tells what went wrong at a state, as far as it belongs to the set that is taken; all moves without one.
    #[cold]
    fn tell(&mut self, slot: usize, set: Option<&[u64]>, options: &Options, receiver: &mut impl Receiver) {
        let is_taken = |top: u32| set.is_none_or(|set| holds(set, top));
        let s = &self.slots[slot];
        let mut tell = |failure: Failure, path: Vec<Move>| {
            if options.counts(&failure) {
                receiver.violate(Fault::Failure(failure), path);
            }
        };
        s.looking.iter().for_each(|f| tell(*f, Vec::new()));
        for (top, f) in &self.failures[s.failures.0 as usize..s.failures.1 as usize] {
            if is_taken(*top) {
                tell(*f, vec![self.moves[s.moves.start + *top as usize]]);
            }
        }
        for inside in self.inside.extract_if(.., |i| i.slot == slot) {
            if is_taken(inside.top) {
                tell(inside.failure, inside.path);
            }
        }
        if s.bad_end {
            receiver.violate(Fault::InvalidEndState, Vec::new());
        }
    }

    /// The first set that was offered is not enough: tries the others, and in the end one that needs no proviso.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn try_others<H: Handle>(
        &mut self,
        machine: &mut dyn Machine,
        slot: usize,
        asked: bool,
        options: &Options,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
    ) -> Result<(), Full> {
        let mut offer = std::mem::take(&mut self.slots[slot].offer);
        let (mut best, mut set) = (std::mem::take(&mut self.best), std::mem::take(&mut self.members));
        let mut ranges = std::mem::take(&mut self.ranges);
        best.clear();
        best.extend_from_slice(offer.words(0));
        self.start_trying(slot, &best, asked);
        let mut next = 1;
        loop {
            while next >= offer.len() && offer.is_partial() {
                let s = &self.slots[slot];
                self.reduction.offer_more(&s.state, &self.moves[s.moves.clone()], &mut offer);
                next = 0;
            }
            let is_last = next >= offer.len();
            let is_free = is_last || offer.is_free(next);
            let mut whole = false;
            if is_last {
                let s = &self.slots[slot];
                whole = !self.reduction.complete(&s.state, &self.moves[s.moves.clone()], &best, &mut set);
                if whole {
                    set.clear();
                    set.resize(best.len(), u64::MAX);
                }
            } else {
                set.clear();
                set.extend_from_slice(offer.words(next));
            }
            next += 1;
            let count = self.slots[slot].moves.len() as u32;
            self.gather(machine, slot, members(&set).take_while(|top| *top < count), &mut ranges);
            if !is_free && !self.leaves_path(handle, proviso, &ranges) {
                continue;
            }
            self.ask_tried(handle, proviso, &set)?;
            if is_free || ranges.iter().any(|range| self.is_enough(proviso, range.clone())) {
                self.reduced += u64::from(!whole);
                if offer.is_dear() {
                    self.samples.efforts += 1;
                    if !whole {
                        self.sample(slot, set[0]);
                    }
                }
                ranges.drain(..).for_each(|range| self.hand_over(receiver, range));
                if self.is_odd(slot) {
                    self.tell(slot, Some(&set), options, receiver);
                }
                break;
            }
        }
        self.slots[slot].offer = offer;
        (self.best, self.members, self.ranges) = (best, set, ranges);
        Ok(())
    }

    /// Notes where the successors of the first set stand.
    fn start_trying(&mut self, slot: usize, set: &[u64], asked: bool) {
        self.tried.clear();
        let mut at = self.slots[slot].first.start;
        let end = self.slots[slot].first.end;
        for top in members(set) {
            let start = at;
            while at < end && self.codes[at].top == top {
                at += 1;
            }
            self.tried.push(Tried { top, range: start..at, asked });
        }
    }

    /// Where the successors by some moves stand; moves that were not tried before are.
    fn gather(
        &mut self,
        machine: &mut dyn Machine,
        slot: usize,
        set: impl Iterator<Item = u32>,
        ranges: &mut Vec<Range<usize>>,
    ) {
        ranges.clear();
        for top in set {
            if let Some(tried) = self.tried.iter().find(|t| t.top == top) {
                ranges.push(tried.range.clone());
                continue;
            }
            let start = self.waiting.len();
            self.arrive_by(machine, slot, top);
            let range = start..self.waiting.len();
            ranges.push(range.clone());
            self.tried.push(Tried { top, range, asked: false });
        }
    }

    /// Asks the store about those of a set that it was not asked about yet.
    fn ask_tried<H: Handle>(&mut self, handle: &mut H, proviso: &Proviso<'_>, set: &[u64]) -> Result<(), Full> {
        for i in 0..self.tried.len() {
            let Tried { top, ref range, asked } = self.tried[i];
            if !asked && holds(set, top) {
                let range = range.clone();
                self.tried[i].asked = true;
                self.put(handle, proviso, range)?;
            }
        }
        Ok(())
    }

    /// Keeps a successor that was left out, of the set that begins with these bits, to see what becomes of it. Which one
    /// that is must not depend on the way in which the state was expanded.
    fn sample(&mut self, slot: usize, set: u64) {
        self.samples.sets += 1;
        let s = &self.slots[slot];
        let top = set.trailing_ones();
        if top as usize >= s.moves.len().min(64) {
            return;
        }
        let listed = || {
            let mut arrivals = self.arrivals[s.arrivals.0 as usize..s.arrivals.1 as usize].iter();
            arrivals.find(|a| a.top == top && a.control == Control::Free).map(Arrival::span)
        };
        let Some(span) = s.span(top).or_else(listed) else { return };
        let state = span.state(&self.batch.bytes);
        self.samples.offer(self.hash.of(state), state);
    }

    /// The search wants to know what it meets, not only what is new.
    pub(crate) fn meet_all(&mut self) {
        self.meets = true;
    }

    /// A level of so many states is expanded next.
    pub(crate) fn begin_level(&mut self, states: u64) {
        self.samples.thin(states);
    }

    /// Takes what was kept of what was left out.
    pub(crate) fn take_samples(&mut self) -> Samples {
        std::mem::take(&mut self.samples)
    }

    /// Sees what has become of what was left out long ago, after so many more expansions, and allows as much effort as
    /// that is worth: without bounds, a little, or none.
    pub(crate) fn weigh(&mut self, handle: &impl Handle, expansions: u64) {
        let tally = self.samples.judge(handle, self.samples.len() / 2);
        if tally.is_in_vain() {
            self.reduction.be_thrifty();
        } else if tally.is_worth_it() {
            self.reduction.allow(u64::MAX);
        } else {
            self.reduction.allow(expansions / EXPANSIONS_AN_EFFORT);
        }
    }

    /// Allows so much effort to begin with.
    pub(crate) fn allow(&mut self, efforts: u64) {
        self.reduction.allow(efforts);
    }

    /// From now on only sets that are found without effort are wanted.
    pub(crate) fn be_thrifty(&mut self) {
        self.reduction.be_thrifty();
    }

    /// Whether the state expanded last left moves out, though the set it took is not known to be enough by itself.
    pub(crate) fn owes(&self) -> bool {
        let offer = &self.slots[0].offer;
        !offer.is_empty() && !offer.is_free(0)
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
