//! The signatures of one block's states, each kept once.
//!
//! A signature is a sorted list of words. Equal ones get the same number; they are compared word by word, never by their hash alone.

/// The distinct signatures that were seen.
#[derive(Default)]
pub(crate) struct Signatures {
    words: Vec<u64>,
    /// Where each ends.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Numbers plus one under their hashes, once there are more than a few.
    table: Vec<u32>,
}

/// Up to this many are compared one by one.
const FEW: usize = 8;

impl Signatures {
    pub(crate) fn clear(&mut self) {
        if self.hashes.len() > FEW {
            if self.table.len() / 16 > self.hashes.len() {
                let mask = self.table.len() - 1;
                for hash in &self.hashes {
                    // Entries lie in unbroken runs from where their hashes point to.
                    let mut slot = *hash as usize & mask;
                    while self.table[slot] != 0 {
                        self.table[slot] = 0;
                        slot = (slot + 1) & mask;
                    }
                }
            } else {
                self.table.fill(0);
            }
        }
        self.words.clear();
        self.ends.clear();
        self.hashes.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[u64] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.words[start..self.ends[number as usize]]
    }

    /// The number of a signature.
    pub(crate) fn number(&mut self, signature: &[u64]) -> u32 {
        let hash = hash(signature);
        if self.hashes.len() <= FEW {
            if let Some(i) =
                (0..self.hashes.len()).find(|i| self.hashes[*i] == hash && self.get(*i as u32) == signature)
            {
                return i as u32;
            }
            self.push(signature, hash);
            if self.hashes.len() > FEW {
                self.grow();
            }
            return self.hashes.len() as u32 - 1;
        }
        if self.hashes.len() * 2 > self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            let number = self.table[slot] - 1;
            if self.hashes[number as usize] == hash && self.get(number) == signature {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        self.push(signature, hash);
        self.table[slot] = self.hashes.len() as u32;
        self.hashes.len() as u32 - 1
    }

    fn push(&mut self, signature: &[u64], hash: u64) {
        self.words.extend_from_slice(signature);
        self.ends.push(self.words.len());
        self.hashes.push(hash);
    }

    /// Makes the table large enough, and puts everything in.
    fn grow(&mut self) {
        let wanted = (self.hashes.len() * 4).next_power_of_two().max(64);
        if self.table.len() < wanted {
            self.table.clear();
            self.table.resize(wanted, 0);
        } else {
            self.table.fill(0);
        }
        let mask = self.table.len() - 1;
        for (i, hash) in self.hashes.iter().enumerate() {
            let mut slot = *hash as usize & mask;
            while self.table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = i as u32 + 1;
        }
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash ^ hash >> 32
}
