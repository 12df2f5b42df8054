//! Nodes of the automaton: where they live, and how equal ones are made one.
//!
//! A node is a list of edges, sorted by byte: ranges of bytes with the node they lead to. Two ranges that touch lead
//! to different nodes, so that equal nodes have equal lists. A hash table over all nodes finds the equal one. Nodes of
//! different layers are never equal, because their edges lead to different layers.
//!
//! A node is a stretch of words in a chunk, and its number is the place of the first: references (edges and roots that
//! lead to it), the next node in its bucket, the number of edges, the nodes they lead to, and their ranges, two to a
//! word. Stretches that are given back are kept by size and used again.

/// No node: the edge is not there.
pub(super) const NONE: u32 = 0;
/// The one accepting node, at the end of all words. It has no memory and no references.
pub(super) const ACCEPT: u32 = 1;

/// Words of a chunk, 64 KiB; the largest node takes 387.
const CHUNK_WORDS: u32 = 1 << CHUNK_SHIFT;
const CHUNK_SHIFT: u32 = 14;
const CHUNKS_MAX: usize = 1 << (32 - CHUNK_SHIFT);
/// Words before the edges.
const HEAD: usize = 3;
const REFERENCES: usize = 0;
const NEXT: usize = 1;
const COUNT: usize = 2;
const EDGES_MAX: usize = 256;

/// Bytes from `low` to `high` lead to `child`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) low: u8,
    pub(super) high: u8,
    pub(super) child: u32,
}

/// All nodes.
#[derive(Debug)]
pub(super) struct Nodes {
    chunks: Vec<Box<[u32]>>,
    /// Words used of the last chunk.
    used: u32,
    /// By number of edges: the first free stretch of this size; the others follow by `NEXT`.
    free: Vec<u32>,
    /// First node of each bucket; their number is a power of two.
    buckets: Vec<u32>,
    pub(super) count: u64,
    pub(super) edges: u64,
    memory_limit_bytes: u64,
}

/// Words of a node with this number of edges.
pub(super) fn words(edges: usize) -> usize {
    HEAD + edges + edges.div_ceil(2)
}

impl Nodes {
    pub(super) fn new(memory_limit_bytes: u64) -> Nodes {
        Nodes {
            chunks: Vec::new(),
            used: CHUNK_WORDS,
            free: vec![NONE; EDGES_MAX + 1],
            buckets: vec![NONE; 1 << 10],
            count: 0,
            edges: 0,
            memory_limit_bytes,
        }
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        let chunks = self.chunks.len() as u64 * u64::from(CHUNK_WORDS) * 4;
        chunks + 16 * self.chunks.capacity() as u64 + 4 * (self.free.len() + self.buckets.capacity()) as u64
    }

    /// Whether this many more words are allowed, in nodes of any size, when the owner holds `beside_bytes` of other memory.
    pub(super) fn has_room(&self, words_more: usize, beside_bytes: u64) -> bool {
        let left = (CHUNK_WORDS - self.used) as usize;
        // The end of a chunk may be too short for the next node.
        let chunk = CHUNK_WORDS as usize - words(EDGES_MAX);
        let chunks = if words_more + words(EDGES_MAX) <= left { 0 } else { words_more.div_ceil(chunk) };
        // The list of chunks may double.
        let list_bytes = if chunks > 0 { 32 * (self.chunks.capacity() as u64 + 4) } else { 0 };
        let bytes = chunks as u64 * u64::from(CHUNK_WORDS) * 4 + list_bytes;
        self.chunks.len() + chunks <= CHUNKS_MAX
            && self.memory_bytes() + beside_bytes + bytes <= self.memory_limit_bytes
    }

    #[inline]
    fn node(&self, id: u32) -> &[u32] {
        &self.chunks[(id >> CHUNK_SHIFT) as usize][(id % CHUNK_WORDS) as usize..]
    }

    #[inline]
    fn node_mut(&mut self, id: u32) -> &mut [u32] {
        &mut self.chunks[(id >> CHUNK_SHIFT) as usize][(id % CHUNK_WORDS) as usize..]
    }

    pub(super) fn edge_count(&self, id: u32) -> usize {
        self.node(id)[COUNT] as usize
    }

    pub(super) fn references(&self, id: u32) -> u32 {
        self.node(id)[REFERENCES]
    }

    /// The edge that a byte takes.
    #[inline]
    pub(super) fn step(&self, id: u32, byte: u8) -> Option<Edge> {
        let node = self.node(id);
        let count = node[COUNT] as usize;
        // The first range that does not end before the byte.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            if edge(node, count, middle).high < byte {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < count).then(|| edge(node, count, low)).filter(|edge| edge.low <= byte)
    }

    /// All edges of a node, in order.
    pub(super) fn edges_of(&self, id: u32) -> impl Iterator<Item = Edge> {
        let node = self.node(id);
        let count = node[COUNT] as usize;
        (0..count).map(move |i| edge(node, count, i))
    }

    /// One more edge or root leads to the node.
    pub(super) fn gain(&mut self, id: u32) {
        if id != ACCEPT {
            self.node_mut(id)[REFERENCES] += 1;
        }
    }

    /// One less does; never the last one, since nodes without references are taken out by [`Nodes::remove`].
    pub(super) fn lose(&mut self, id: u32) {
        if id != ACCEPT {
            let references = &mut self.node_mut(id)[REFERENCES];
            assert!(*references > 1, "the node is still referenced");
            *references -= 1;
        }
    }

    /// The node with these edges, if there is one.
    pub(super) fn find(&self, edges: &[Edge]) -> Option<u32> {
        let mut id = self.buckets[self.bucket(edges.iter().copied())];
        while id != NONE {
            if self.edge_count(id) == edges.len() && self.edges_of(id).eq(edges.iter().copied()) {
                return Some(id);
            }
            id = self.node(id)[NEXT];
        }
        None
    }

    /// Makes a node with one reference. There must be none with these edges yet; their references are counted already.
    pub(super) fn add(&mut self, edges: &[Edge]) -> u32 {
        let id = self.allocate(edges.len());
        let bucket = self.bucket(edges.iter().copied());
        let next = std::mem::replace(&mut self.buckets[bucket], id);
        let node = self.node_mut(id);
        node[REFERENCES] = 1;
        node[NEXT] = next;
        node[COUNT] = edges.len() as u32;
        for (word, edge) in node[HEAD..].iter_mut().zip(edges) {
            *word = edge.child;
        }
        for (word, pair) in node[HEAD + edges.len()..].iter_mut().zip(edges.chunks(2)) {
            let range = |edge: &Edge| u32::from(edge.low) | u32::from(edge.high) << 8;
            *word = range(&pair[0]) | pair.get(1).map_or(0, range) << 16;
        }
        self.count += 1;
        self.edges += edges.len() as u64;
        if self.count > self.buckets.len() as u64 {
            self.grow_buckets();
        }
        id
    }

    /// Takes a node out of the table and gives its memory back. References of its edges are the caller's from now on.
    pub(super) fn remove(&mut self, id: u32) {
        let bucket = self.bucket(self.edges_of(id));
        let next = self.node(id)[NEXT];
        if self.buckets[bucket] == id {
            self.buckets[bucket] = next;
        } else {
            let mut before = self.buckets[bucket];
            while self.node(before)[NEXT] != id {
                before = self.node(before)[NEXT];
                assert!(before != NONE, "every node is in its bucket");
            }
            self.node_mut(before)[NEXT] = next;
        }
        let count = self.edge_count(id);
        self.count -= 1;
        self.edges -= count as u64;
        let next_free = std::mem::replace(&mut self.free[count], id);
        let node = self.node_mut(id);
        node[REFERENCES] = 0;
        node[NEXT] = next_free;
    }

    fn allocate(&mut self, edges: usize) -> u32 {
        let free = self.free[edges];
        if free != NONE {
            self.free[edges] = self.node(free)[NEXT];
            return free;
        }
        let size = words(edges) as u32;
        if self.used + size > CHUNK_WORDS {
            self.chunks.push(vec![0; CHUNK_WORDS as usize].into_boxed_slice());
            // The first numbers of all mean something else.
            self.used = if self.chunks.len() == 1 { 2 } else { 0 };
        }
        let id = ((self.chunks.len() as u32 - 1) << CHUNK_SHIFT) + self.used;
        self.used += size;
        id
    }

    fn bucket(&self, edges: impl Iterator<Item = Edge>) -> usize {
        let hash = edges.fold(0u64, |hash, edge| {
            let bits = u64::from(edge.child) << 16 | u64::from(edge.low) << 8 | u64::from(edge.high);
            (hash.rotate_left(23) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (crate::memory::zeroed_lines::mix(hash) % self.buckets.len() as u64) as usize
    }

    /// Doubles the table, unless memory is short: then chains grow longer, and nothing else happens.
    fn grow_buckets(&mut self) {
        let len = 2 * self.buckets.len();
        // While nodes move, both tables are there.
        if self.memory_bytes() + 4 * len as u64 > self.memory_limit_bytes {
            return;
        }
        let old = std::mem::replace(&mut self.buckets, vec![NONE; len]);
        for mut id in old {
            while id != NONE {
                let bucket = self.bucket(self.edges_of(id));
                let first = std::mem::replace(&mut self.buckets[bucket], id);
                id = std::mem::replace(&mut self.node_mut(id)[NEXT], first);
            }
        }
    }

    /// All nodes, for tests.
    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<u32> {
        let mut all = Vec::new();
        for first in &self.buckets {
            let mut id = *first;
            while id != NONE {
                all.push(id);
                id = self.node(id)[NEXT];
            }
        }
        all
    }
}

/// Edge `i` of a node with `count` edges.
#[inline]
fn edge(node: &[u32], count: usize, i: usize) -> Edge {
    let range = node[HEAD + count + i / 2] >> (16 * (i % 2));
    Edge { low: range as u8, high: (range >> 8) as u8, child: node[HEAD + i] }
}
