//! Runs as data and as pictures.
//!
//! A [`Trail`] is one run of a model: the moves, so that it can be replayed exactly, and beside each move what people
//! want to know of it, so that it can be read without the model. It may end in a violation.
//!
//! - [`trail`] is the format, JSON;
//! - [`explanation`] says why it is one;
//! - [`story`] tells a trail step by step as text;
//! - [`spin`] writes SPIN's own trail format;
//! - [`chart`] draws a trail as a message sequence chart, as text ([`chart_text`]) or SVG ([`chart_svg`]).
//!
//! No I/O happens here, and nothing is known of models: who makes a trail fills in names and places.

pub mod chart;
pub mod chart_svg;
pub mod chart_text;
pub mod explanation;
pub mod spin;
pub mod story;
pub mod trail;

#[cfg(test)]
mod tests;

pub use explanation::Explanation;
pub use trail::Trail;
