//! Random Promela programs, small enough to be explored whole.
//!
//! How often a statement is chosen, and how often a program has some feature, stands in [`weights`]. Values
//! are kept small (counting is modulo 2 to 4), so that state spaces are. Left out is only what SPIN is known to get
//! wrong (`docs/spin-differences.md`), so that its counts can be trusted on what is here:
//!
//! - a receive into a variable narrower than the field, after which SPIN puts back another message, and into one that
//!   the index of the channel depends on, after which SPIN puts it back into another channel;
//! - inside a `d_step`, anything behind the first statement that may block, except as a guard beside an `else`;
//! - arrays of bits and channels of one bit, which hold bytes in SPIN; `hidden` variables;
//! - `_nr_pr` beside a claim, which SPIN counts as a process;
//! - references `P[i]` where process i might be of another type than `P`;
//! - priorities of processes that do not exist;
//! - `eval` of a variable that the same receive changes, traces over rendezvous channels, `enabled` outside claims;
//! - `active D_proctype`, which SPIN takes for an ordinary one, and options of others that open with `skip`, `break` or
//!   `goto`, which it does not look at;
//! - messages of a wrong number of fields, and claims over runs that end;
//! - an `unless` that opens an option, a block or an `atomic` where there is another one around it or inside it, and
//!   commas in arguments of an `inline`;
//! - `np_`, which SPIN knows only in searches for cycles.
//!
//! And what cannot be compared: `pc_value`, because its numbers are SPIN's own, `STDIN`, which only a simulation reads,
//! embedded C, and `ltl` blocks, whose automata have other sizes ([`crate::formula`] makes formulas).

mod expression;
mod message;
mod statement;
mod units;
mod watchers;
mod weights;

pub use crate::program::{Item, Sample, shrink};
use crate::random::Random;

/// What may be used where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    in_d_step: bool,
    in_unless: bool,
    /// Whether a label may stand here: not in front of what opens an `atomic`, an option or an escape.
    label: bool,
}

#[derive(Clone, Debug)]
struct Channel {
    name: String,
    capacity: usize,
    fields: usize,
    /// Whether the name is an array of two.
    array: bool,
}

struct Generator {
    r: Random,
    /// Scalar globals that may be read and written.
    scalars: Vec<String>,
    /// Locals of the process at hand.
    locals: Vec<String>,
    /// Variables that hold a byte: only they receive.
    wide: Vec<String>,
    arrays: Vec<(String, usize)>,
    channels: Vec<Channel>,
    /// Process types, and whether they have the parameters `byte arg; chan via`.
    children: Vec<(String, bool)>,
    /// Name, and whether it returns a value.
    inlines: Vec<(String, bool)>,
    /// Labels of the process at hand that are not placed yet, and all of them.
    labels_open: Vec<String>,
    labels: Vec<String>,
    names: usize,
    uses_priority: bool,
    has_claim: bool,
    has_rendezvous: bool,
    has_records: bool,
    /// Whether there is the type `T`.
    has_record_type: bool,
    has_channel_channel: bool,
    uses_enabled: bool,
    uses_last: bool,
    /// The channel variable of the process at hand.
    handle: Option<&'static str>,
    /// How many `atomic` are open. Every way through them is walked, so that counters stay small there.
    atomic_depth: usize,
    /// Whether the process at hand is a `D_proctype`.
    deterministic: bool,
    /// Whether `run` stands outside `init`, so that numbers of processes may change their type.
    runs_anywhere: bool,
    /// Labels and variables of active processes: type, number, what.
    remote_labels: Vec<(String, String)>,
    remote_variables: Vec<(String, usize, String)>,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Sample {
    let mut g = Generator {
        r: Random::new(seed),
        scalars: Vec::new(),
        locals: Vec::new(),
        wide: Vec::new(),
        arrays: Vec::new(),
        channels: Vec::new(),
        children: Vec::new(),
        inlines: Vec::new(),
        labels_open: Vec::new(),
        labels: Vec::new(),
        names: 0,
        uses_priority: false,
        has_claim: false,
        has_rendezvous: false,
        has_records: false,
        has_record_type: false,
        has_channel_channel: false,
        uses_enabled: false,
        uses_last: false,
        handle: None,
        atomic_depth: 0,
        deterministic: false,
        runs_anywhere: false,
        remote_labels: Vec::new(),
        remote_variables: Vec::new(),
    };
    Sample { items: g.program() }
}

fn group(open: &str, mark: &str, parts: Vec<Vec<Item>>, close: &str, least: usize) -> Item {
    Item::Group { open: open.into(), mark: mark.into(), parts, close: close.into(), least }
}

fn line(text: impl Into<String>) -> Item {
    Item::Line(text.into())
}
