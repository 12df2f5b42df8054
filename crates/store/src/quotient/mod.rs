//! The quotient table, and the compact store: roots of tree compression in such a table.
//!
//! - [`mix`]: a bijection on numbers of a given width, and its inverse. Tested for all small widths.
//! - [`table`]: the quotient table: the place of a slot holds part of its number, so that 40 bits take 4 to 6 bytes.
//! - [`compact`]: the store, which turns roots ([`crate::tree`]) into such numbers.
//!
//! The table's slots hold no data of their own, so that relaxed memory order suffices; what a slot's number leads to is
//! published by the nodes. Growth factors and loads may be changed without fear, the order of lines in a sequence may not:
//! two insertions of one key must meet in the same slot.

pub(crate) mod compact;
mod mix;
pub(crate) mod table;
