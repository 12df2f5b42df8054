//! A worker's cache of node numbers, in front of the shared tables.
//!
//! Direct-mapped by the hash of the key; it becomes larger while misses are frequent. It only saves time.

use crate::memory::budget::Account;
use crate::tree::key::Key;
use crate::tree::shape::Class;
use std::sync::Arc;

/// Entries of the node cache at first and at most: 32 KiB and 1 MiB.
const NODE_CACHE_ENTRIES: usize = 1 << 10;
const NODE_CACHE_ENTRIES_MAX: usize = 1 << 15;
/// Misses for each entry after which the cache is too small.
const NODE_CACHE_MISSES: usize = 4;

/// A key, its class and length, and its number. No key has kind 0.
#[derive(Clone, Copy, Default)]
pub(crate) struct CachedNode {
    pub(crate) key: Key,
    pub(crate) kind: u32,
    pub(crate) number: u32,
}

/// Keys a worker has looked up before. Numbers never change, so that entries never become stale.
pub(crate) struct NodeCache {
    entries: Box<[CachedNode]>,
    misses: usize,
    account: Arc<Account>,
}

impl NodeCache {
    pub(crate) fn new(account: &Arc<Account>) -> NodeCache {
        NodeCache {
            entries: vec![CachedNode::default(); NODE_CACHE_ENTRIES].into(),
            misses: 0,
            account: account.clone(),
        }
    }

    #[inline(always)]
    pub(crate) fn entry(&mut self, kind: u32, hash: u64) -> &mut CachedNode {
        // A power of two of entries: the rest of the hash, whose top bits choose places in tables.
        let at = (hash as usize ^ kind as usize) & (self.entries.len() - 1);
        &mut self.entries[at]
    }

    /// Adds a key that was missing; enlarges the cache where misses are frequent.
    pub(crate) fn add(&mut self, known: CachedNode, hash: u64) {
        self.misses += 1;
        let len = self.entries.len();
        if self.misses > NODE_CACHE_MISSES * len && len < NODE_CACHE_ENTRIES_MAX {
            self.misses = 0;
            if self.account.take(len * size_of::<CachedNode>()) {
                self.entries = vec![CachedNode::default(); len * 2].into();
            }
        }
        *self.entry(known.kind, hash) = known;
    }
}

impl Drop for NodeCache {
    fn drop(&mut self) {
        self.account.give_back((self.entries.len() - NODE_CACHE_ENTRIES) * size_of::<CachedNode>());
    }
}

/// Class and length of a key, for the node cache.
#[inline(always)]
pub(crate) fn kind(class: Class, bytes: usize) -> u32 {
    (bytes as u32) << 2 | class as u32
}
