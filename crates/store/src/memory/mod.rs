//! Memory of the stores: accounted for, aligned to cache lines, and an orderly end when there is none left.
//!
//! - [`budget`]: how many bytes may be used and are; every large block is taken from a [`budget::Budget`] first.
//! - [`block`]: fixed mappings, and a pool of blocks that live as long as the pool.
//! - [`table_mapping`]: memory of one table segment, which grows in place or is replaced.
//! - [`zeroed_lines`]: zeroed cache lines of the lossy stores; pages are provided at the first touch.
//! - [`arena`]: states and keys by number, in chunks that never move.
//! - [`bytes`]: comparing and copying short byte strings without a call.
//! - [`refusal`]: how the program ends when the system refuses memory.
//!
//! `bytes` and `refusal` stand alone. The `unsafe` code of every store relies on `arena` and `block`.

pub(crate) mod arena;
pub(crate) mod block;
pub mod budget;
pub(crate) mod bytes;
pub mod refusal;
pub(crate) mod table_mapping;
pub(crate) mod zeroed_lines;
