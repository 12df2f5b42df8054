//! What the operations of sets and queues are in plain Promela.
//!
//! A set over `k` values is an unsigned number of `k` bits, one for each value. A queue with room for `n` is an array of `n` values, with 0
//! behind the last, so that equal contents are equal bytes and no length is kept beside. Terms are arithmetic, without conditions, because
//! `->` means something else in formulas.

use ferrospin_source::suggest::did_you_mean;

/// An enumeration.
#[derive(Clone, Debug)]
pub(super) struct Enumeration {
    pub(super) name: String,
    pub(super) members: Vec<String>,
}

/// A set or a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Container {
    pub(super) kind: Kind,
    /// The most values that it holds.
    pub(super) room: usize,
    /// The number of the enumeration of its values.
    pub(super) of: usize,
}

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Set,
    Queue,
}

impl Kind {
    /// As it is written.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Set => "set",
            Kind::Queue => "queue",
        }
    }

    /// Its operations: name, number of arguments, whether it is a statement.
    pub(super) fn operations(self) -> &'static [(&'static str, usize, bool)] {
        match self {
            Kind::Set => &[
                ("insert", 1, true),
                ("erase", 1, true),
                ("clear", 0, true),
                ("find", 1, false),
                ("empty", 0, false),
                ("size", 0, false),
            ],
            Kind::Queue => &[
                ("push", 1, true),
                ("pop", 0, true),
                ("front", 0, false),
                ("find", 1, false),
                ("empty", 0, false),
                ("size", 0, false),
            ],
        }
    }

    /// What is said of an operation that there is not.
    pub(super) fn unknown(self, name: &str) -> String {
        let names = self.operations().iter().map(|o| o.0);
        let hint = did_you_mean(name, names.clone()).map_or(String::new(), |hint| format!("; {hint}"));
        let known: Vec<String> = names.map(|n| format!("`{n}`")).collect();
        format!("a {} has no operation `{name}`: there are {}{hint}", self.word(), known.join(", "))
    }
}

impl Container {
    /// Its declaration.
    pub(super) fn declaration(&self, name: &str, of: &Enumeration) -> String {
        match self.kind {
            Kind::Set => format!("unsigned {name} : {}", of.members.len()),
            Kind::Queue => format!("mtype:{} {name}[{}]", of.name, self.room),
        }
    }

    /// An operation on what is called `s`. A single statement that is more than an assignment is put into a `d_step`, unless it is in one.
    pub(super) fn operation(&self, s: &str, operation: &str, v: &str, of: &Enumeration, is_inside: bool) -> String {
        let step = |guard: &str, then: &str| {
            let (open, close) = if is_inside { ("{", "}") } else { ("d_step {", "}") };
            format!("{open} ({guard}) -> {then} {close}")
        };
        match (self.kind, operation) {
            (Kind::Set, "insert") => {
                let put = format!("{s} = ({s} | {})", mask(v, of));
                if self.room >= of.members.len() {
                    return put;
                }
                step(&format!("{} || {} < {}", self.has(s, v, of), self.size(s, of), self.room), &put)
            }
            (Kind::Set, "erase") => format!("{s} = ({s} & ~{})", mask(v, of)),
            (Kind::Set, "clear") => format!("{s} = 0"),
            (Kind::Set, "find") => self.has(s, v, of),
            (Kind::Set, "empty") => format!("({s} == 0)"),
            (Kind::Queue, "push") => {
                let there = self.has(s, v, of);
                let put = format!("if :: {there} -> skip :: else -> {s}[{}] = {v} fi", self.size(s, of));
                step(&format!("{there} || {s}[{}] == 0", self.room - 1), &put)
            }
            (Kind::Queue, "pop") => {
                let mut moved: Vec<String> = (1..self.room).map(|i| format!("{s}[{}] = {s}[{i}]", i - 1)).collect();
                moved.push(format!("{s}[{}] = 0", self.room - 1));
                step(&format!("{s}[0] != 0"), &moved.join("; "))
            }
            // Of an empty queue it is an index out of bounds.
            (Kind::Queue, "front") => format!("{s}[({s}[0] == 0) * {}]", self.room),
            (Kind::Queue, "find") => {
                let places = (0..self.room).map(|i| format!("({s}[{i}] == {v}) * {}", i + 1));
                format!("(({}) - 1)", places.collect::<Vec<_>>().join(" + "))
            }
            (Kind::Queue, "empty") => format!("({s}[0] == 0)"),
            (_, "size") => self.size(s, of),
            _ => unreachable!("only known operations come here"),
        }
    }

    fn size(&self, s: &str, of: &Enumeration) -> String {
        let terms: Vec<String> = match self.kind {
            Kind::Set => (0..of.members.len()).map(|i| format!("(({s} & {}) != 0)", 1u32 << i)).collect(),
            Kind::Queue => (0..self.room).map(|i| format!("({s}[{i}] != 0)")).collect(),
        };
        format!("({})", terms.join(" + "))
    }

    /// Whether a value is in it.
    fn has(&self, s: &str, v: &str, of: &Enumeration) -> String {
        match self.kind {
            Kind::Set => format!("(({s} & {}) != 0)", mask(v, of)),
            Kind::Queue => {
                let places: Vec<String> = (0..self.room).map(|i| format!("{s}[{i}] == {v}")).collect();
                format!("({})", places.join(" || "))
            }
        }
    }
}

/// The bit of a value: a number for a member, else a sum that is one of them, or 0 for what is no value.
fn mask(v: &str, of: &Enumeration) -> String {
    if let Some(i) = of.members.iter().position(|m| m == v) {
        return (1u32 << i).to_string();
    }
    let terms = of.members.iter().enumerate().map(|(i, m)| format!("({v} == {m}) * {}", 1u32 << i));
    format!("({})", terms.collect::<Vec<_>>().join(" + "))
}

/// The least member of set `s` behind the `from` first ones, or 0.
fn least(s: &str, from: usize, of: &Enumeration) -> String {
    let all = of.members.iter().enumerate().skip(from).rev();
    all.fold("0".into(), |rest, (i, m)| format!("(({s} & {}) != 0 -> {m} : {rest})", 1u32 << i))
}

/// What stands in front of the body and behind it, where `v` goes through set `s` in the order of the enumeration. In the end `v` has a
/// value of the enumeration again.
pub(super) fn iteration(v: &str, s: &str, of: &Enumeration) -> (String, String) {
    let head = format!("{{ {v} = {}; do :: ({v} != 0) -> {{", least(s, 0, of));
    let members = of.members.iter().enumerate().rev();
    let next = members.fold("0".into(), |rest, (i, m)| format!("({v} == {m} -> {} : {rest})", least(s, i + 1, of)));
    (head, format!("}}; {v} = {next} :: else -> {v} = {}; break od }}", of.members[0]))
}
