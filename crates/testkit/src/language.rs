//! Random Promela programs over the whole language, for comparisons of our searches with one another.
//!
//! Where [`crate::generate`] keeps to what SPIN is known to get right, so that counts can be trusted, this one writes
//! whatever can be written: `tests/language.rs` lists every construct of the language, says which are written, and counts
//! that they are. Variables carry their types, so that most programs are accepted; bad indices, blocked `d_step`s and
//! dangling channels occur, but seldom. Values are small (most assignments are modulo 2 to 4), so that state spaces are.
//! [`comparable`] leaves out what `docs/spin-differences.md` lists, for comparisons with SPIN.
//!
//! A program is a tree of [`Item`]s, which [`crate::program::shrink`] makes smaller.

mod declarations;
mod expressions;
mod messages;
mod statements;
mod units;
mod watchers;

pub use crate::program::{Item, Sample};
use crate::random::Random;

/// The type of a variable or of a field of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// With its width.
    Unsigned(usize),
    Mtype,
    /// `mtype:fruit`
    Fruit,
    /// A channel with the messages of the first one.
    Chan,
    /// By its place in [`Writer::records`].
    Record(usize),
}

/// A variable, parameter or field.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    /// Number of elements; 0 for what is no array.
    len: usize,
}

/// A `typedef`.
#[derive(Clone, Debug)]
struct Record {
    name: String,
    fields: Vec<Variable>,
}

/// A channel with a name of its own.
#[derive(Clone, Debug)]
struct Channel {
    name: String,
    capacity: usize,
    fields: Vec<Type>,
    /// Number of elements; 0 for what is no array.
    len: usize,
}

/// A process type that is run.
#[derive(Clone, Debug)]
struct Child {
    name: String,
    params: Vec<Type>,
}

/// An `inline`, or a macro that is a statement.
#[derive(Clone, Debug)]
struct Inline {
    name: String,
    /// Whether the argument must be a variable.
    by_name: Vec<bool>,
    /// Whether it gives a value.
    returns: bool,
    /// Whether it may stand where nothing may block.
    prompt: bool,
}

/// What may be used where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    in_atomic: bool,
    in_d_step: bool,
    /// Whether labels and jumps may stand here: not in an `inline`.
    labels: bool,
    /// Whether an `unless` stands around this, at whose head this may be.
    at_escape: bool,
}

/// What a program may hold.
#[derive(Clone, Copy, Default)]
struct Features {
    priority: bool,
    enabled: bool,
    last: bool,
    never: bool,
    ltl: bool,
    trace: bool,
}

struct Writer {
    r: Random,
    /// Whether SPIN's known defects are kept clear of.
    comparable: bool,
    features: Features,
    records: Vec<Record>,
    globals: Vec<Variable>,
    locals: Vec<Variable>,
    /// Global channels, and behind them those of the process at hand.
    channels: Vec<Channel>,
    global_channels: usize,
    children: Vec<Child>,
    inlines: Vec<Inline>,
    /// Whether the list `fruit` is declared.
    has_fruit: bool,
    /// Macros that are values: name and number of parameters.
    macros: Vec<(&'static str, usize)>,
    /// Labels of the process at hand that have no place yet, and all of them.
    labels_open: Vec<String>,
    labels: Vec<String>,
    names: usize,
    index_depth: usize,
    deterministic: bool,
    /// Whether processes are run outside `init`, so that numbers of processes may change their type.
    runs_anywhere: bool,
    /// Labels and variables of active processes: type, number, what.
    remote_labels: Vec<(String, usize, String)>,
    remote_variables: Vec<(String, usize, String)>,
}

impl Writer {
    fn new(seed: u64, comparable: bool) -> Writer {
        Writer {
            r: Random::new(seed ^ 0x6c61_6e67),
            comparable,
            features: Features::default(),
            records: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            channels: Vec::new(),
            global_channels: 0,
            children: Vec::new(),
            inlines: Vec::new(),
            has_fruit: false,
            macros: Vec::new(),
            labels_open: Vec::new(),
            labels: Vec::new(),
            names: 0,
            index_depth: 0,
            deterministic: false,
            runs_anywhere: false,
            remote_labels: Vec::new(),
            remote_variables: Vec::new(),
        }
    }

    /// What may go wrong at run time does so now and then, but not where SPIN's answer means nothing then.
    fn wild(&mut self, percent: usize) -> bool {
        !self.comparable && self.r.chance(percent)
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn one(&mut self, list: &[&str]) -> String {
        (*self.r.pick(list)).to_string()
    }
}

/// The program of a seed.
pub fn generate(seed: u64) -> Sample {
    Sample { items: Writer::new(seed, false).program() }
}

/// The program of a seed that keeps clear of what SPIN is known to get wrong.
pub fn comparable(seed: u64) -> Sample {
    Sample { items: Writer::new(seed, true).program() }
}

fn group(open: &str, mark: &str, parts: Vec<Vec<Item>>, close: &str, least: usize) -> Item {
    Item::Group { open: open.into(), mark: mark.into(), parts, close: close.into(), least }
}

fn block(open: &str, body: Vec<Item>) -> Item {
    group(open, "", vec![body], "}", 1)
}

fn line(text: impl Into<String>) -> Item {
    Item::Line(text.into())
}
