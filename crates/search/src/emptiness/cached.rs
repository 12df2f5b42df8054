//! A property beside a system whose graph is kept.
//!
//! A property that only looks at the system decides nothing about it: the successors of a system state are the same whatever
//! the property does. So they are made once for all states of the property, stored once, and kept as a list of numbers together
//! with the *letter*, the set of the property's edges whose guards hold there. A state of the product is the number of its
//! system state and that of the property's location; its arcs are read off both, without touching the bytes of any state.
//!
//! System states are expanded when the search comes to them, several at a time, so that the misses of the store overlap:
//! beside the one that is needed now, others of which it is known that the product reaches them. So a search that ends
//! early has expanded at most [`BATCH`] times what it needed.
//!
//! Cost: each system state is stored and expanded once; four bytes for each of its arcs (eight under fairness) and sixteen
//! beside. States of the product take no memory but in the arrays of a search, which have room for all pairs.

use super::explorer::{BATCH, Explorer};
use super::marks::MarkSet;
use super::product::Product;
use super::{Arcs, Cut, Graph, Halt, Target};
use crate::automaton::PropertyAutomaton;
use ferrospin_system::{Found, Handle, Move, StateHash};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// A property that only looks: its guards depend on nothing but the system's state, and its edges lead to other locations
/// and do nothing else.
#[derive(Clone, Debug)]
pub struct SmallAutomaton {
    /// Where its location stands in a state, and how many bytes it takes.
    pub at: usize,
    /// See `at`.
    pub size: usize,
    /// Its locations; the first is where it starts.
    pub locations: Vec<SmallState>,
}

/// A location of a [`SmallAutomaton`].
#[derive(Clone, Debug)]
pub struct SmallState {
    /// Its number in a state.
    pub number: u32,
    /// Where its edges lead, as indices into the locations.
    pub targets: Vec<usize>,
    /// Whether it accepts.
    pub accepts: bool,
    /// The part of the property, as in [`super::product::Parts`].
    pub part: u16,
    /// Whether the property ends here, which is a violation. Its one edge, which it never takes, leads to itself.
    pub ends: bool,
}

impl SmallAutomaton {
    /// The most edges.
    pub const EDGES_MAX: usize = 64;
    /// The most locations: the arrays of a search have room for each at each system state.
    pub const LOCATIONS_MAX: usize = 16;

    fn write(&self, state: &mut [u8], location: usize) {
        let bytes = self.locations[location].number.to_le_bytes();
        state[self.at..][..self.size].copy_from_slice(&bytes[..self.size]);
    }
}

/// What the hot path needs of a location.
#[derive(Clone, Copy)]
struct Corner<M> {
    /// Its edges in a letter.
    edges: u64,
    /// The marks of arcs that leave it.
    worth: M,
    part: u16,
}

/// A system state that was never met.
const UNKNOWN: u32 = u32::MAX;
/// One that waits to be expanded.
const QUEUED: u32 = u32::MAX - 1;
/// Beside the number of arcs: some guard cannot be evaluated; no process can move.
const FAILS: u32 = 1 << 31;
const STILL: u32 = 1 << 30;
/// Words before the arcs: the letter, and the number of arcs.
const HEAD: usize = 3;

/// The product of an automaton with a system.
pub struct CachedProduct<'s, M: MarkSet, H> {
    system: Explorer<Product<'s, M>, H>,
    /// The same product in the ordinary way, for names of arcs.
    whole: Product<'s, M>,
    small: SmallAutomaton,
    corners: Vec<Corner<M>>,
    /// Where each edge of a letter leads.
    targets: Vec<u32>,
    /// The edges of a letter that lead to an end of the property.
    ending: u64,
    fair: bool,
    splits: bool,
    /// By number of a system state, where its words are.
    spots: Vec<u32>,
    words: Vec<u32>,
    /// States of the product whose system states wait, in the order in which a search is likely to want them: the youngest
    /// first, but loose ones last and oldest first.
    queue: VecDeque<u32>,
    /// Sets of marks that arcs carry, by number.
    marks: Vec<M>,
    mark_numbers: FxHashMap<M, u32>,
    scratch: Vec<u8>,
}

impl<'s, M: MarkSet, H: Handle> CachedProduct<'s, M, H> {
    /// The product of a system with an automaton: `system` is the graph of the system alone, `whole` that of the product
    /// ([`crate::automaton::WithAutomaton`]), made alike, and the handle leads to a store that holds nothing else. With
    /// `splits`, arcs from part to part lie outside.
    ///
    /// # Panics
    /// Panics when the automaton has no [`PropertyAutomaton::small`].
    pub fn new(
        system: Product<'s, M>,
        whole: Product<'s, M>,
        handle: H,
        hash: StateHash,
        automaton: &Arc<PropertyAutomaton>,
        splits: bool,
    ) -> Self {
        let small = automaton.small().expect("an automaton that is small enough");
        let targets: Vec<u32> = small.locations.iter().flat_map(|l| &l.targets).map(|t| *t as u32).collect();
        let ending = (0..).zip(&targets).filter(|(_, to)| small.locations[**to as usize].ends);
        let ending = ending.fold(0, |all, (i, _)| all | 1 << i);
        let mut first = 0;
        let corners = small.locations.iter().map(|l| {
            let edges = (first..first + l.targets.len()).fold(0, |all, i| all | 1 << i);
            first += l.targets.len();
            let worth = if l.accepts { Product::<M>::acceptance() } else { M::NONE };
            Corner { edges, worth, part: l.part }
        });
        let corners = corners.collect();
        let system = system.observed_by(automaton.clone());
        CachedProduct {
            fair: system.is_fair(),
            system: Explorer::new(system, handle, hash),
            whole,
            small,
            corners,
            targets,
            ending,
            splits,
            spots: Vec::new(),
            words: Vec::new(),
            queue: VecDeque::new(),
            marks: Vec::new(),
            mark_numbers: FxHashMap::default(),
            scratch: Vec::new(),
        }
    }

    fn width(&self) -> u32 {
        self.corners.len() as u32
    }

    fn cover(&mut self) {
        let bound = self.system.bound;
        if bound > self.spots.len() {
            self.spots.resize((bound + bound / 2).max(1024), UNKNOWN);
        }
    }

    /// Expands the system state of a product state, and some others that wait.
    #[cold]
    #[inline(never)]
    fn expand_some(&mut self, number: u32) -> Option<Halt> {
        let width = self.width();
        let mut some = [0; BATCH];
        some[0] = number;
        self.spots[(number / width) as usize] = UNKNOWN;
        let mut count = 1;
        while count < BATCH
            && let Some(next) = self.queue.pop_front()
        {
            if self.spots[(next / width) as usize] == QUEUED {
                self.spots[(next / width) as usize] = UNKNOWN;
                some[count] = next;
                count += 1;
            }
        }
        let systems = some.map(|n| n / width);
        match self.system.expand_all(&systems[..count], &mut |_| true) {
            Ok(()) => {}
            Err(end) => return Some(end.halt()),
        }
        // The search counts the pairs of states and locations with 32 bits, too.
        if self.words.len() > (QUEUED - (1 << 24)) as usize || self.bound() > u32::MAX as usize {
            return Some(Halt::Full);
        }
        self.cover();
        let mut first = 0;
        for (slot, number) in some[..count].iter().enumerate() {
            first = self.keep(slot, first, *number);
        }
        None
    }

    /// Keeps the arcs of a system state, which stand from `first` on; where they end.
    fn keep(&mut self, slot: usize, first: usize, number: u32) -> usize {
        let width = self.width();
        let head = &self.system.heads[slot];
        let (end, len) = (head.end, head.end - first);
        let letter = head.letter.unwrap_or(0);
        let fails = if head.letter.is_none() { FAILS } else { 0 };
        let still = if head.still { STILL } else { 0 };
        self.spots[(number / width) as usize] = self.words.len() as u32;
        self.words.extend([letter as u32, (letter >> 32) as u32, len as u32 | fails | still]);
        // Where the property goes on from here, the product reaches what follows.
        let next = letter & self.corners[(number % width) as usize].edges;
        let on = (next != 0).then(|| self.targets[next.trailing_zeros() as usize]);
        let loose = on.is_some_and(|on| self.lies(0, self.corners[on as usize].part).1);
        for t in &self.system.targets[first..end] {
            self.words.push(t.id);
            if self.fair {
                let mark = *self.mark_numbers.entry(t.marks).or_insert_with(|| {
                    self.marks.push(t.marks);
                    self.marks.len() as u32 - 1
                });
                self.words.push(mark);
            }
        }
        if let Some(on) = on {
            // The first arc is followed first.
            for t in self.system.targets[first..end].iter().rev() {
                let spot = &mut self.spots[t.id as usize];
                if *spot == UNKNOWN {
                    *spot = QUEUED;
                    if loose {
                        self.queue.push_back(t.id * width + on);
                    } else {
                        self.queue.push_front(t.id * width + on);
                    }
                }
            }
        }
        end
    }

    /// The letter of a product state, whose words stand there; `None` where a guard of its location cannot be evaluated.
    #[inline]
    fn letter(&mut self, number: u32, at: usize) -> Option<u64> {
        if self.words[at + 2] & FAILS != 0 {
            return self.letter_again(number, self.words[at + 2] & STILL != 0);
        }
        Some(u64::from(self.words[at]) | u64::from(self.words[at + 1]) << 32)
    }

    /// The same where the guards of some location, not of all, can be evaluated. A property that goes on alone looks twice.
    #[cold]
    fn letter_again(&mut self, number: u32, still: bool) -> Option<u64> {
        let (system, location) = (number / self.width(), (number % self.width()) as usize);
        let mut letter = self.letter_at(system, location)?;
        if still {
            let next: Vec<u32> = bits(letter).map(|i| self.targets[i]).collect();
            for via in next {
                letter |= self.letter_at(system, via as usize)?;
            }
        }
        Some(letter)
    }

    fn letter_at(&mut self, system: u32, location: usize) -> Option<u64> {
        let state = self.system.handle.read(u64::from(system), &mut self.scratch);
        self.system.graph.letter_at(state, location)
    }

    /// Adds the arcs of a product state whose system state has been expanded, where `letter` is its own.
    #[inline]
    fn read_off(&self, number: u32, at: usize, letter: u64, out: &mut Vec<Target<M>>) {
        let width = self.width();
        let (system, location) = (number / width, (number % width) as usize);
        let head = self.words[at + 2];
        if head & STILL != 0 {
            return self.go_on_alone(system, location, letter, out);
        }
        let stride = if self.fair { 2 } else { 1 };
        let arcs = &self.words[at + HEAD..][..(head & !FAILS) as usize * stride];
        let here = self.corners[location];
        let mut edges = letter & here.edges;
        out.reserve(edges.count_ones() as usize * arcs.len());
        while edges != 0 {
            let to = self.targets[edges.trailing_zeros() as usize];
            edges &= edges - 1;
            let (inside, loose) = self.lies(here.part, self.corners[to as usize].part);
            if self.fair {
                out.extend(arcs.as_chunks::<2>().0.iter().map(|[target, marks]| {
                    let marks = here.worth.union(self.marks[*marks as usize]);
                    Target { id: target * width + to, marks, inside, loose }
                }));
            } else {
                let marks = here.worth;
                out.extend(arcs.iter().map(|t| Target { id: t * width + to, marks, inside, loose }));
            }
        }
    }

    /// Whether arcs from part to part lie inside, and whether their targets are loose.
    #[inline]
    fn lies(&self, here: u16, there: u16) -> (bool, bool) {
        if self.splits { (here != 0 && here == there, there == 0) } else { (true, false) }
    }

    /// No process can move: the property goes on alone, twice for each stored state.
    #[cold]
    fn go_on_alone(&self, system: u32, location: usize, letter: u64, out: &mut Vec<Target<M>>) {
        let here = self.corners[location];
        let fairness = if self.fair { self.system.graph.wanted().minus(Product::<M>::acceptance()) } else { M::NONE };
        for via in bits(letter & here.edges).map(|i| self.targets[i]) {
            let between = self.corners[via as usize];
            for to in bits(letter & between.edges).map(|i| self.targets[i]) {
                let there = self.corners[to as usize];
                let late = if there.worth.is_none() { between.worth } else { M::NONE };
                let marks = here.worth.union(fairness).union(late);
                let (inside, loose) = self.lies(here.part, there.part);
                out.push(Target { id: system * self.width() + to, marks, inside, loose });
            }
        }
    }

    /// Whether the property can reach its end by an arc of a product state.
    #[inline]
    fn can_end(&self, number: u32, at: usize, letter: u64) -> bool {
        let edges = letter & self.corners[(number % self.width()) as usize].edges;
        let ends = |edges: u64| edges & self.ending != 0;
        // Alone it goes on twice.
        let alone = self.words[at + 2] & STILL != 0;
        ends(edges) || (alone && bits(edges).any(|i| ends(letter & self.corners[self.targets[i] as usize].edges)))
    }

    /// Whether the property reaches its end with a step from a product state that has no arcs: with one into an `atomic` that
    /// is never left.
    #[cold]
    fn ends_as_a_whole(&mut self, number: u32) -> bool {
        let source = self.state(number);
        let mut arcs = Arcs::default();
        self.whole.expand(&source, &mut arcs);
        arcs.halt == Some(Halt::End)
    }

    /// The bytes of a product state.
    fn state(&self, number: u32) -> Vec<u8> {
        let mut scratch = Vec::new();
        let mut state = self.system.handle.read(u64::from(number / self.width()), &mut scratch).to_vec();
        self.small.write(&mut state, (number % self.width()) as usize);
        state
    }
}

/// The bits of a set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

impl<M: MarkSet, H: Handle> Graph for CachedProduct<'_, M, H> {
    type Marks = M;
    type Label = Vec<Move>;
    const NUMBERED: bool = true;

    fn wanted(&self) -> M {
        self.whole.wanted()
    }

    fn restricts(&self) -> bool {
        self.splits
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        // The property stands where it starts, in every state that is stored.
        let Ok(Some(first)) = self.system.start() else { return false };
        self.cover();
        out.clear();
        out.extend_from_slice(&(first * self.width()).to_le_bytes());
        true
    }

    fn expand(&mut self, state: &[u8], out: &mut Arcs<M>) {
        let mut targets = Vec::new();
        out.halt = self.follow(number_of(state), &mut targets);
        targets.iter().for_each(|t| out.push(&t.id.to_le_bytes(), t.marks, t.inside));
    }

    #[inline]
    fn follow(&mut self, number: u32, out: &mut Vec<Target<M>>) -> Option<Halt> {
        let system = number / self.width();
        if self.spots[system as usize] >= QUEUED
            && let Some(halt) = self.expand_some(number)
        {
            return Some(halt);
        }
        let at = self.spots[system as usize] as usize;
        let Some(letter) = self.letter(number, at) else { return Some(Halt::End) };
        if self.ending != 0 && self.can_end(number, at, letter) {
            // A property moves with a step, and a step that fails is none.
            let is_dead = self.words[at + 2] & !FAILS == 0;
            if !is_dead || self.ends_as_a_whole(number) {
                return Some(Halt::End);
            }
        }
        self.read_off(number, at, letter, out);
        None
    }

    fn recall(&mut self, number: u32, out: &mut Vec<Target<M>>) {
        let at = self.spots[(number / self.width()) as usize];
        if at < QUEUED
            && let Some(letter) = self.letter(number, at as usize)
        {
            self.read_off(number, at as usize, letter, out);
        }
    }

    fn bound(&self) -> usize {
        self.system.bound * self.corners.len()
    }

    fn cut(&self) -> Cut {
        self.system.cut()
    }

    fn state_bytes(&self) -> u64 {
        self.system.figures.state_bytes
    }

    fn memory_bytes(&self) -> usize {
        4 * (self.spots.capacity() + self.words.capacity() + self.queue.capacity())
    }

    fn label(&mut self, state: &[u8], arc: usize) -> Vec<Move> {
        let number = number_of(state);
        let mut targets = Vec::new();
        self.recall(number, &mut targets);
        let (source, wanted) = (self.state(number), targets[arc]);
        let target = self.state(wanted.id);
        let mut arcs = Arcs::default();
        self.whole.expand(&source, &mut arcs);
        let is_it = |i: &usize| arcs.target(*i) == target && arcs.list[*i].marks == wanted.marks;
        let at = (0..arcs.list.len()).find(is_it).expect("both products are the same");
        self.whole.label(&source, at)
    }

    fn end_label(&mut self, state: &[u8]) -> Vec<Move> {
        let source = self.state(number_of(state));
        self.whole.end_label(&source)
    }
}

/// The handle to states that are their numbers: there is nothing to store.
pub struct Numbers;

impl Handle for Numbers {
    fn prefetch(&self, _: u64) {}

    fn put(&mut self, state: &[u8], _: u64) -> Found {
        Found::Seen(u64::from(number_of(state)))
    }

    fn find(&self, state: &[u8], _: u64) -> Option<u64> {
        Some(u64::from(number_of(state)))
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        scratch.clear();
        scratch.extend_from_slice(&(number as u32).to_le_bytes());
        scratch
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}

fn number_of(state: &[u8]) -> u32 {
    u32::from_le_bytes(state.try_into().expect("a state is its number"))
}
