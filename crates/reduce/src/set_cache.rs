//! A cache of the sets that were grown.
//!
//! What is offered depends on where the processes stand, on the moves, and on the conjuncts that were tested on the way.
//! The first two are the key of an entry; the tests form a decision tree below it, so that of a state only those tests are
//! evaluated that were needed for others with the same key. The growing of a set reads the key and the answers, and nothing
//! else of the state, so that nothing can be missing in the key. An entry is overwritten when another key has the same place.

use crate::facts::Test;
use crate::fast::configuration::Configurations;
use ferrospin_system::{Move, NO_PROCESS, Offer};

/// Places for keys.
const PLACES: usize = 1 << 16;
/// Words of keys, nodes and sets above which the cache is cleared.
const SIZE_MAX: usize = 1 << 22;
/// Sets that depend on more tests than this are not kept.
const TESTS_MAX: usize = 64;

/// Tests of one state, with their answers.
#[derive(Default)]
pub(crate) struct Answers {
    state: Vec<u8>,
    frames: Vec<u32>,
    list: Vec<(Test, u8, bool)>,
    too_many: bool,
}

impl Answers {
    /// Begins with another state.
    pub(crate) fn start(&mut self, configurations: &Configurations, state: &[u8]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.frames.clear();
        self.frames.extend(configurations.members().iter().map(|m| m.frame));
        self.list.clear();
        self.too_many = false;
    }

    /// Whether a conjunct of a process is surely false.
    pub(crate) fn is_false(&mut self, test: Test, process: usize) -> bool {
        let is_youngest = process + 1 == self.frames.len();
        let answer = |me: &Self| test.is_false(&me.state, me.frames[process], is_youngest);
        // These two follow from the key.
        if matches!(test, Test::Unknown | Test::Youngest) {
            return answer(self);
        }
        if let Some((.., answer)) = self.list.iter().find(|(t, p, _)| *t == test && usize::from(*p) == process) {
            return *answer;
        }
        let answer = answer(self);
        if self.list.len() < TESTS_MAX {
            self.list.push((test, process as u8, answer));
        } else {
            self.too_many = true;
        }
        answer
    }
}

#[derive(Clone, Copy)]
enum Node {
    /// Not computed yet.
    Open,
    /// Where to go on when the test is true, and when it is false.
    Ask(Test, u8, [u32; 2]),
    /// The number of sets, and where they begin: the words of each, and behind them one that is not 0 for those that need no
    /// proviso.
    Offer(u32, u32),
}

#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u64,
    key: (u32, u32),
    root: u32,
}

/// The cache.
pub(crate) struct SetCache {
    entries: Vec<Entry>,
    keys: Vec<u64>,
    nodes: Vec<Node>,
    sets: Vec<u64>,
    key: Vec<u64>,
    hash: u64,
    /// How many entries were added.
    pub(crate) misses: u64,
}

impl Default for SetCache {
    fn default() -> Self {
        let (keys, nodes, sets, key) = Default::default();
        SetCache { entries: vec![Entry::default(); PLACES], keys, nodes, sets, key, hash: 0, misses: 0 }
    }
}

impl SetCache {
    /// Makes the key of a query: the placement, the moves, and the set that is to be completed
    /// if there is one.
    #[inline]
    pub(crate) fn start(&mut self, configurations: &mut Configurations, moves: &[Move], set: &[u64]) {
        self.key.clear();
        let (configuration, presence) = configurations.placement_key();
        self.key.push(configuration << 16 | set.len() as u64);
        self.key.extend_from_slice(set);
        self.key.extend_from_slice(presence);
        for m in moves {
            self.key.push(u64::from(m.edge) << 32 | u64::from(m.process) << 8 | u64::from(m.partner));
            if m.partner != NO_PROCESS {
                self.key.push(u64::from(m.partner_edge));
            }
        }
        let mix = |h: u64, w: &u64| (h.rotate_left(5) ^ w).wrapping_mul(0x517c_c1b7_2722_0a95);
        self.hash = self.key.iter().fold(self.key.len() as u64, mix);
    }

    fn place(&self) -> usize {
        (self.hash >> 40) as usize % PLACES
    }

    fn is_here(&self, e: &Entry) -> bool {
        e.hash == self.hash && self.keys[e.key.0 as usize..e.key.1 as usize] == self.key[..] && e.key.1 > 0
    }

    /// Adds the sets that are cached for the state; false where there is no entry.
    #[inline]
    pub(crate) fn recall(&self, configurations: &Configurations, state: &[u8], moves: usize, out: &mut Offer) -> bool {
        let entry = &self.entries[self.place()];
        if !self.is_here(entry) {
            return false;
        }
        let mut node = entry.root;
        let members = configurations.members();
        loop {
            match self.nodes[node as usize] {
                Node::Open => return false,
                Node::Ask(test, process, next) => {
                    let process = usize::from(process);
                    let is_false = test.is_false(state, members[process].frame, process + 1 == members.len());
                    node = next[usize::from(is_false)];
                }
                Node::Offer(count, start) => {
                    let width = moves.div_ceil(64);
                    for set in self.sets[start as usize..].chunks(width + 1).take(count as usize) {
                        out.push(&set[..width], set[width] != 0);
                    }
                    return true;
                }
            }
        }
    }

    /// Keeps what was offered after these answers.
    pub(crate) fn remember(&mut self, answers: &Answers, offer: &Offer) {
        self.misses += 1;
        if answers.too_many {
            return;
        }
        if self.keys.len().max(self.nodes.len()).max(self.sets.len()) > SIZE_MAX {
            let key = std::mem::take(&mut self.key);
            *self = SetCache { key, hash: self.hash, misses: self.misses, ..SetCache::default() };
        }
        let place = self.place();
        if !self.is_here(&self.entries[place]) {
            let start = self.keys.len() as u32;
            self.keys.extend_from_slice(&self.key);
            let root = self.nodes.len() as u32;
            self.nodes.push(Node::Open);
            self.entries[place] = Entry { hash: self.hash, key: (start, self.keys.len() as u32), root };
        }
        let mut node = self.entries[place].root;
        for &(test, process, answer) in &answers.list {
            if let Node::Open = self.nodes[node as usize] {
                let next = self.nodes.len() as u32;
                self.nodes.extend([Node::Open; 2]);
                self.nodes[node as usize] = Node::Ask(test, process, [next, next + 1]);
            }
            let Node::Ask(asked, of, next) = self.nodes[node as usize] else { return };
            debug_assert!(asked == test && of == process, "the same answers lead to the same questions");
            node = next[usize::from(answer)];
        }
        let first = self.sets.len() as u32;
        for i in 0..offer.len() {
            self.sets.extend_from_slice(offer.words(i));
            self.sets.push(u64::from(offer.is_free(i)));
        }
        self.nodes[node as usize] = Node::Offer(offer.len() as u32, first);
    }
}
