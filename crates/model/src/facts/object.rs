//! What footprints are made of: objects that can be read and written, channels and what is done to them.
//!
//! An object is a range of bytes of the globals or of a frame, the contents of some channels, the table of processes, or
//! a location of another process. Ranges are those of single scalars wherever indices are known, so that two processes
//! that use different elements of one array do not meet.

use crate::ir::{LocationId, ProcessId};

/// A set of channel numbers; there are at most 255 channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Channels([u64; 4]);

impl Channels {
    /// Every channel there may be.
    pub const ALL: Channels = Channels([u64::MAX; 4]);

    /// Adds a channel; numbers that no channel has are left out.
    pub fn insert(&mut self, number: i32) {
        if (1..256).contains(&number) {
            self.0[number as usize / 64] |= 1 << (number % 64);
        }
    }

    /// Adds all of another set.
    pub fn add(&mut self, other: &Channels) {
        self.0.iter_mut().zip(other.0).for_each(|(to, from)| *to |= from);
    }

    /// Whether a channel is in the set.
    pub fn contains(&self, number: i32) -> bool {
        (0..256).contains(&number) && self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Whether two sets have a channel in common.
    pub fn meets(&self, other: &Channels) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// The only channel of the set, if it is only one.
    pub fn only(&self) -> Option<i32> {
        let count: u32 = self.0.iter().map(|w| w.count_ones()).sum();
        if count != 1 {
            return None;
        }
        let word = self.0.iter().position(|w| *w != 0)?;
        Some(word as i32 * 64 + self.0[word].trailing_zeros() as i32)
    }
}

/// Something that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Object {
    /// Bytes of the fixed part of the state, the end excluded.
    Global(u32, u32),
    /// Bytes of the frame of the process whose footprint it is.
    Local(u32, u32),
    /// Everything about some channels.
    Channel(Channels),
    /// Which processes there are.
    Table,
    /// Which channels of processes there are.
    OwnedChannels,
    /// Which of the channels of processes there are no more: what ends writes both, what begins only the other.
    DeadChannels,
    /// Whether a process of a type, with this number if it is known, stands at a location.
    At(ProcessId, Option<u8>, LocationId),
    /// The location of some process.
    AnyLocation,
    /// Bytes of the frame of another process.
    Remote(ProcessId, Option<u8>, u32, u32),
    /// The state of the `trace` automaton.
    Trace,
    /// Whether a process stands at a `progress` label.
    Progress,
    /// Whether a process stands at an `accept` label.
    Accept,
}

/// Something that is written, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Write {
    /// One of [`Object::Global`], [`Object::Local`], [`Object::Table`], [`Object::OwnedChannels`], [`Object::DeadChannels`],
    /// [`Object::Trace`].
    pub object: Object,
    /// How.
    pub shape: WriteShape,
}

/// How something is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum WriteShape {
    /// It becomes this value.
    Constant(i32),
    /// A value that depends on no other object is added to it, modulo its size.
    Added,
    /// It becomes something.
    Any,
}

/// What is done to a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Operation {
    /// A message is put behind the others.
    Send,
    /// A message is put in order.
    SendSorted,
    /// A message is taken, the first or the first that matches.
    Receive,
    /// A message is looked at.
    Copy,
}

impl Operation {
    /// Whether two operations on one channel, both executable, can be done in either order with the same result.
    pub fn commutes(self, other: Operation) -> bool {
        use Operation::{Copy, Receive, Send};
        matches!((self, other), (Send, Receive | Copy) | (Receive | Copy, Send) | (Copy, Copy))
    }

    /// Whether it leaves the channel as it is.
    pub fn only_looks(self) -> bool {
        self == Operation::Copy
    }
}

/// Whether two ranges share a byte.
pub fn overlaps(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 < b.1 && b.0 < a.1
}
