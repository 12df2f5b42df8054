//! Remembers offers.
//!
//! What is offered depends on where the processes stand, on the moves, and on the conjuncts that were tested on the way.
//! The first two are the key of an entry; the tests form a decision tree below it, so that a state is asked only what
//! was needed for others with the same key. Entries are overwritten when another key comes to the same place.

use crate::closure::Context;
use crate::facts::Test;
use ferrospin_system::{Move, Offer};

/// Places for keys.
const PLACES: usize = 1 << 16;
/// Words of keys, nodes and members above which everything is forgotten.
const SIZE_MAX: usize = 1 << 22;
/// More tests than this are not remembered.
const TESTS_MAX: usize = 64;

/// Tests that were asked for one state, with the answers.
#[derive(Default)]
pub(crate) struct Answers {
    list: Vec<(Test, u8, bool)>,
    too_many: bool,
}

impl Answers {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.too_many = false;
    }

    /// Whether a conjunct of a process is surely false.
    pub(crate) fn is_false(&mut self, c: Context<'_>, test: Test, process: usize) -> bool {
        // These two are known from the key.
        if matches!(test, Test::Unknown | Test::Youngest) {
            return c.scene.is_false(test, process, c.state);
        }
        if let Some((.., answer)) = self.list.iter().find(|(t, p, _)| *t == test && usize::from(*p) == process) {
            return *answer;
        }
        let answer = c.scene.is_false(test, process, c.state);
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
    /// Nothing is known yet.
    Open,
    /// Where to go on when the test is true, and when it is false.
    Ask(Test, u8, [u32; 2]),
    /// Sets, from the first to behind the last.
    Offer(u32, u32),
}

#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u64,
    key: (u32, u32),
    root: u32,
}

/// The memory.
pub(crate) struct Memo {
    entries: Vec<Entry>,
    keys: Vec<u64>,
    nodes: Vec<Node>,
    sets: Vec<(u32, u32, bool)>,
    members: Vec<u32>,
    key: Vec<u64>,
    hash: u64,
}

impl Default for Memo {
    fn default() -> Self {
        let (keys, nodes, sets, members) = Default::default();
        Memo { entries: vec![Entry::default(); PLACES], keys, nodes, sets, members, key: Vec::new(), hash: 0 }
    }
}

impl Memo {
    /// Makes the key of a state: where everybody stands, and the moves.
    pub(crate) fn start(&mut self, scene: &crate::state::Scene, moves: &[Move]) {
        self.key.clear();
        self.key.extend(scene.standing.iter().map(|s| u64::from(s.who) << 32 | u64::from(s.location)));
        for m in moves {
            self.key.push(u64::from(m.edge) << 32 | u64::from(m.process) << 8 | u64::from(m.partner));
            self.key.push(u64::from(m.partner_edge) << 32 | u64::from(m.claim));
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

    /// What is remembered for the state, if anything is.
    pub(crate) fn recall(&self, scene: &crate::state::Scene, state: &[u8], out: &mut Offer) -> bool {
        let entry = &self.entries[self.place()];
        if !self.is_here(entry) {
            return false;
        }
        let mut node = entry.root;
        loop {
            match self.nodes[node as usize] {
                Node::Open => return false,
                Node::Ask(test, process, next) => {
                    node = next[usize::from(scene.is_false(test, usize::from(process), state))];
                }
                Node::Offer(from, to) => {
                    for &(start, end, free) in &self.sets[from as usize..to as usize] {
                        out.push(self.members[start as usize..end as usize].iter().copied(), free);
                    }
                    return true;
                }
            }
        }
    }

    /// Remembers what was offered after these answers.
    pub(crate) fn remember(&mut self, answers: &Answers, offer: &Offer) {
        if answers.too_many {
            return;
        }
        if self.keys.len().max(self.nodes.len()).max(self.members.len()) > SIZE_MAX {
            *self = Memo { key: std::mem::take(&mut self.key), hash: self.hash, ..Memo::default() };
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
            let start = self.members.len() as u32;
            self.members.extend_from_slice(offer.set(i));
            self.sets.push((start, self.members.len() as u32, offer.is_free(i)));
        }
        self.nodes[node as usize] = Node::Offer(first, self.sets.len() as u32);
    }
}
