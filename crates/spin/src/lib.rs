//! SPIN's command line, so that scripts, interfaces and tools that call `spin`, `cc pan.c` and `./pan` run unchanged on Ferrospin.
//!
//! The forms are those of SPIN 6.5.2. Files, streams and the clock are reached through [`world::World`], so that all of it runs in
//! memory too.
//!
//! - [`program`] is `spin`, [`engine`] is `pan`; [`command`] and [`pan`] are what was typed behind them.
//! - [`elements`] numbers statements as SPIN does, [`text`] writes them, [`table`] tells what follows them.
//! - [`product`] is the product of claims, [`symbols`] are tables of names.
//! - [`report`] is the report of `pan`, [`steps`] are the lines of a simulation, [`trail`] is the format of trails.
//! - [`follow`] runs along trails, [`wander`] at random or by hand; [`show`] prints what happens, `replay` as the
//!   verifier does.
//! - [`stub`] is the `pan.c` that hands over to the engine.

pub mod command;
pub mod elements;
pub mod engine;
pub mod follow;
pub mod formula;
mod inner;
mod merge;
pub mod pan;
pub mod product;
pub mod program;
pub mod reading;
mod replay;
pub mod report;
pub mod show;
pub mod steps;
pub mod stub;
pub mod symbols;
pub mod table;
pub mod text;
pub mod trail;
pub mod wander;
pub mod world;

/// What `spin -V` prints.
pub const VERSION: &str = "Spin Version 6.5.2 -- 6 December 2019";

/// The file of the claims that `ltl` blocks are turned into.
pub const CLAIM_FILE: &str = "_spin_nvr.tmp";

/// A number as C reads one with `atoi`: digits behind an optional sign, 0 where there are none.
pub(crate) fn atoi(text: &str) -> i64 {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut n: i64 = 0;
    for d in digits.bytes().take_while(u8::is_ascii_digit) {
        n = (n * 10 + i64::from(d - b'0')).min(i64::from(i32::MAX));
    }
    if negative { -n } else { n }
}
