//! Runs C: an interpreter of control-flow automata over checked memory.
//!
//! Memory is regions, one for each object; an address is the number of a region and an offset in it, 16 and 48 bits of a
//! 64-bit number, so that states do not depend on where things lie and every access is checked. The interpreter is the
//! definition of what C means here: integers wrap, variables without an initial value are zero, and what C leaves undefined
//! otherwise (a bad address, division by zero, a shift out of range) is a [`Trouble`] with its place. Nothing outside is
//! touched: of the library only functions on memory and text are there, and text goes to a buffer.

mod effects;
mod eval;
mod format;
mod library;
mod link;
mod machine;
mod memory;

pub use effects::{Effects, Use, effects};
pub use link::{Link, LinkError, Program};
pub use machine::{Limits, Machine, Returned};
pub use memory::{Access, Memory, RegionId};

use ferrospin_source::Span;

/// What ends a run.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Trouble {
    /// An access outside of an object.
    #[error("{bytes} bytes at offset {offset} of `{what}`, which has {size}")]
    OutOfBounds {
        /// The object.
        what: String,
        /// Where the access begins.
        offset: i64,
        /// How much it takes.
        bytes: u64,
        /// How large the object is.
        size: u64,
    },
    /// An access at address 0.
    #[error("access through a null pointer")]
    Null,
    /// An access at a number that is no address.
    #[error("access at {0:#x}, which is no address of an object")]
    Wild(u64),
    /// An access to an object that is gone.
    #[error("access to `{0}`, which does not live any more")]
    Dead(String),
    /// A store to a string or function.
    #[error("store to `{0}`, which cannot be changed")]
    Constant(String),
    /// `free` of something that `malloc` did not give, or twice.
    #[error("`free` of something that was not allocated, or twice")]
    BadFree,
    /// Division by zero, or of the least integer by -1.
    #[error("division by zero, or its result does not fit")]
    Division,
    /// A shift by a count that the type does not have.
    #[error("shift by {0} of a value of {1} bits")]
    Shift(i128, u32),
    /// Subtraction of addresses of different objects.
    #[error("difference of pointers to different objects")]
    Difference,
    /// A call of something that is no function, or of one that is not there.
    #[error("call of `{0}`, which is not defined here")]
    Undefined(String),
    /// Something that is not run.
    #[error("not run here: {0}")]
    Refused(String),
    /// `abort`.
    #[error("`abort` is called")]
    Abort,
    /// `exit`.
    #[error("`exit({0})` is called")]
    Exit(i32),
    /// `assert`.
    #[error("assertion violated: {0}")]
    Assertion(String),
    /// `uerror`.
    #[error("{0}")]
    Told(String),
    /// Too many steps.
    #[error("more than {0} steps")]
    Steps(u64),
    /// Too many calls inside of one another.
    #[error("more than {0} calls inside of one another")]
    Frames(usize),
    /// `malloc` has no room left.
    #[error("the heap of {0} bytes is full")]
    Heap(u64),
    /// Too much memory.
    #[error("more than {0} bytes of memory")]
    Memory(u64),
}

/// What ended a run, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// What.
    pub trouble: Trouble,
    /// The unit.
    pub unit: u32,
    /// The place.
    pub span: Span,
}
