//! Names states for people.
//!
//! A state is turned into a list of named values: globals, locals of each process, and the messages in channels. Two
//! such lists compared give what a step has changed. Nothing here knows source text: for lines and columns the caller takes
//! the spans of edges and locations to a source map.

use crate::eval::Who;
use crate::mtype_name;
use crate::view::{View, frames, read};
use ferrospin_model::ir::{Area, Channel, Expr, Leaf, LocationId, Model, ProcessKind, Show, leaf_at};
use std::collections::HashMap;

/// A named value of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The process it belongs to; `None` for globals.
    pub process: Option<usize>,
    /// Name inside its process or among the globals, with indices: `a[2]`, `r.x`.
    pub name: String,
    /// What it is.
    pub content: Content,
    /// The name with its process: `turn`, `P[1].x`.
    pub full_name: String,
    /// The value for people: names of `mtype` constants, `true` and `false`, names of channels.
    pub text: String,
}

/// What a named value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A scalar and how it is shown.
    Scalar(i32, Show),
    /// The messages in a channel: number of the channel, then field by field.
    Messages(i32, Vec<Vec<(i32, Show)>>),
}

/// A value that a step has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The process it belongs to; `None` for globals.
    pub process: Option<usize>,
    /// The name with its process.
    pub name: String,
    /// The value before; `None` where there was no such variable.
    pub before: Option<String>,
    /// The value behind.
    pub after: String,
}

/// A process in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Its number.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its priority.
    pub priority: i32,
    /// Where it stands.
    pub location: LocationId,
    /// Whether it may stop there.
    pub may_stop: bool,
}

/// Reads one state for people.
pub struct Describer<'a> {
    model: &'a Model,
    bytes: &'a [u8],
    frames: Vec<u32>,
    /// Another state; values that are the same there are left out.
    other: Option<&'a [u8]>,
}

impl<'a> Describer<'a> {
    /// A state of a model.
    pub fn new(model: &'a Model, state: &'a [u8]) -> Self {
        let mut list = Vec::new();
        frames(model, state, &mut list);
        Describer { model, bytes: state, frames: list, other: None }
    }

    /// Whether some bytes are to be left out because they are the same in the other state. Frames of processes that are
    /// in both states stand at the same offset, because processes come and go at the end.
    fn is_same(&self, from: u32, size: u32) -> bool {
        let range = from as usize..(from + size) as usize;
        self.other.is_some_and(|o| o.get(range.clone()) == Some(&self.bytes[range]))
    }

    fn view(&self) -> View<'_> {
        View { model: self.model, bytes: self.bytes, frames: &self.frames, timeout: false }
    }

    /// The processes, oldest first.
    pub fn processes(&self) -> Vec<Standing> {
        let view = self.view();
        let standing = |number| {
            let location = view.location(number);
            Standing {
                number,
                name: self.model.process(view.process(number)).name.to_string(),
                priority: view.priority(number),
                location,
                may_stop: self.model.location(location).end,
            }
        };
        (0..view.process_count()).map(standing).collect()
    }

    /// Name of a process; empty when there is none of that number.
    pub fn process_name(&self, number: usize) -> String {
        let view = self.view();
        if number < view.process_count() {
            self.model.process(view.process(number)).name.to_string()
        } else {
            String::new()
        }
    }

    /// All named values: globals first, then process by process, oldest first.
    pub fn values(&self) -> Vec<Value> {
        let mut out = Vec::new();
        self.area(None, &self.model.globals, 0, &self.model.channels, 0, &mut out);
        let mut number = self.model.channels.len();
        let view = self.view();
        for (pid, &frame) in self.frames.iter().enumerate() {
            let process = self.model.process(view.process(pid));
            self.area(Some(pid), &process.locals, frame, &process.channels, number, &mut out);
            number += process.channels.len();
        }
        if let Some((claim, frame)) = self.model.layout.claim {
            let process = self.model.process(claim);
            debug_assert_eq!(process.kind, ProcessKind::Never, "a claim is a never claim");
            for leaf in &process.locals {
                self.leaf(None, leaf, frame, &format!("{}.", process.name), &mut out);
            }
        }
        out
    }

    fn area(
        &self,
        process: Option<usize>,
        leaves: &[Leaf],
        base: u32,
        channels: &[Channel],
        channels_before: usize,
        out: &mut Vec<Value>,
    ) {
        let prefix = self.prefix(process);
        let before = out.len();
        for leaf in leaves {
            self.leaf(process, leaf, base, &prefix, out);
        }
        if leaves.iter().any(|l| l.name.contains("[].")) {
            out[before..].sort_by_cached_key(|v| record_order(leaves, &v.name));
        }
        for (i, channel) in channels.iter().enumerate() {
            if channel.capacity == 0 {
                continue;
            }
            let at = base + channel.offset;
            if self.is_same(at, channel.size()) {
                continue;
            }
            let view = self.view();
            let message = |m| -> Vec<(i32, Show)> {
                let field = |(f, (_, show)): (usize, &(_, Show))| (view.field(channel, at, m, f), *show);
                channel.fields.iter().enumerate().map(field).collect()
            };
            let messages: Vec<Vec<(i32, Show)>> = (0..view.len(channel, at)).map(message).collect();
            let text = if messages.is_empty() {
                "empty".to_string()
            } else {
                messages.iter().map(|m| format!("[{}]", self.fields_text(m))).collect::<Vec<_>>().join(" ")
            };
            out.push(Value {
                process,
                name: channel.name.to_string(),
                content: Content::Messages((channels_before + i + 1) as i32, messages),
                full_name: format!("{prefix}{}", channel.name),
                text,
            });
        }
    }

    fn prefix(&self, process: Option<usize>) -> String {
        process.map_or(String::new(), |p| format!("{}[{p}].", self.process_name(p)))
    }

    /// A scalar, or all elements of an array.
    fn leaf(&self, process: Option<usize>, leaf: &Leaf, base: u32, prefix: &str, out: &mut Vec<Value>) {
        let start = base + leaf.offset;
        if self.is_same(start, extent(leaf)) {
            return;
        }
        let mut indices = vec![0; leaf.dims.len()];
        loop {
            let at = start + indices.iter().zip(&leaf.dims).map(|(i, (_, stride))| i * stride).sum::<u32>();
            if !self.is_same(at, leaf.scalar.size()) {
                let value = read(self.bytes, at, leaf.scalar);
                let name = indexed(&leaf.name, &indices);
                out.push(Value {
                    process,
                    full_name: format!("{prefix}{name}"),
                    name,
                    content: Content::Scalar(value, leaf.show),
                    text: self.text(value, leaf.show),
                });
            }
            // The last index runs fastest, as in the declaration.
            let Some(next) = (0..indices.len()).rev().find(|&d| indices[d] + 1 < leaf.dims[d].0) else { return };
            indices[next] += 1;
            indices[next + 1..].fill(0);
        }
    }

    /// A value for people.
    pub fn text(&self, value: i32, show: Show) -> String {
        match show {
            Show::Number => value.to_string(),
            Show::Bool if value == 0 => "false".into(),
            Show::Bool if value == 1 => "true".into(),
            Show::Bool => value.to_string(),
            // No constant has the value 0: nothing was stored yet.
            Show::Mtype(_) if value == 0 => "0".into(),
            Show::Mtype(list) => mtype_name(self.model, Some(list), value),
            Show::Channel => self.channel_name(value),
        }
    }

    /// The fields of a message.
    pub fn fields_text(&self, fields: &[(i32, Show)]) -> String {
        fields.iter().map(|(v, show)| self.text(*v, *show)).collect::<Vec<_>>().join(",")
    }

    /// The fields of a message on a channel.
    pub fn message_text(&self, channel: i32, message: &[i32]) -> String {
        let shows = self.view().channel(channel).map(|(c, _)| c.fields.as_slice()).unwrap_or_default();
        let show = |i: usize| shows.get(i).map_or(Show::Number, |f| f.1);
        let fields: Vec<_> = message.iter().enumerate().map(|(i, v)| (*v, show(i))).collect();
        self.fields_text(&fields)
    }

    /// Name of a channel with the process that created it.
    pub fn channel_name(&self, number: i32) -> String {
        let Ok(mut i) = usize::try_from(number - 1) else { return "none".into() };
        if let Some(c) = self.model.channels.get(i) {
            return c.name.to_string();
        }
        i -= self.model.channels.len();
        let view = self.view();
        for pid in 0..view.process_count() {
            let channels = &self.model.process(view.process(pid)).channels;
            if let Some(c) = channels.get(i) {
                return format!("{}{}", self.prefix(Some(pid)), c.name);
            }
            i -= channels.len();
        }
        format!("channel {number}")
    }

    /// Whether a channel passes messages from hand to hand.
    pub fn is_rendezvous(&self, number: i32) -> bool {
        self.view().channel(number).is_ok_and(|(c, _)| c.capacity == 0)
    }
}

/// Bytes from the first element of a leaf to the end of its last one; between them may stand other fields of a record.
pub(crate) fn extent(leaf: &Leaf) -> u32 {
    leaf.scalar.size() + leaf.dims.iter().map(|(len, stride)| (len - 1) * stride).sum::<u32>()
}

/// Sorts the elements of arrays of records one after the other, each with all its fields: for each part of a name the
/// position of the first leaf that starts with it, and the index.
fn record_order(leaves: &[Leaf], name: &str) -> Vec<(usize, u32)> {
    let mut order = Vec::new();
    let mut prefix = String::new();
    for part in name.split('.') {
        let (field, index) =
            part.split_once('[').map_or((part, 0), |(f, i)| (f, i.trim_end_matches(']').parse().unwrap_or(0)));
        prefix += field;
        let starts = |l: &Leaf| {
            l.name
                .strip_prefix(prefix.as_str())
                .is_some_and(|r| r.is_empty() || r.starts_with('.') || r.starts_with('['))
        };
        order.push((leaves.iter().position(starts).unwrap_or(usize::MAX), index));
        if leaves.iter().any(|l| l.name.starts_with(&format!("{prefix}[]"))) {
            prefix += "[]";
        }
        prefix.push('.');
    }
    order
}

/// A name with its indices: those of records stand where the name has `[]`, those of the variable itself behind it.
fn indexed(name: &str, indices: &[u32]) -> String {
    let mut out = String::new();
    let mut rest = indices.iter();
    let mut parts = name.split("[]").peekable();
    while let Some(part) = parts.next() {
        out += part;
        if parts.peek().is_some()
            && let Some(i) = rest.next()
        {
            out += &format!("[{i}]");
        }
    }
    for i in rest {
        out += &format!("[{i}]");
    }
    out
}

/// What has changed between two states. Variables that are gone are not named; those of a new process are, where they
/// hold something.
pub fn changes(model: &Model, before: &[u8], after: &[u8]) -> Vec<Change> {
    let old = Describer { other: Some(after), ..Describer::new(model, before) }.values();
    // A channel and the variable that holds it share their name.
    fn key(v: &Value) -> (&str, bool) {
        (v.full_name.as_str(), matches!(v.content, Content::Scalar(..)))
    }
    let old: HashMap<(&str, bool), &Value> = old.iter().map(|v| (key(v), v)).collect();
    let is_news = |v: &Value| match old.get(&key(v)) {
        Some(was) => was.content != v.content,
        None => match &v.content {
            Content::Scalar(value, _) => *value != 0 && !holds_own_channel(v),
            Content::Messages(_, messages) => !messages.is_empty(),
        },
    };
    let new = Describer { other: Some(before), ..Describer::new(model, after) }.values();
    let change = |v: Value| Change {
        process: v.process,
        before: old.get(&key(&v)).map(|was| was.text.clone()),
        name: v.full_name,
        after: v.text,
    };
    new.into_iter().filter(is_news).map(change).collect()
}

/// The `mtype` list of the variable that an expression reads.
pub(crate) fn mtype_list(view: &View<'_>, who: Who, e: &Expr) -> Option<u32> {
    let Expr::Load(place) = e else { return None };
    let leaves = match place.area {
        Area::Global => &view.model.globals,
        Area::Local if who.pid < view.process_count() => &view.model.process(view.process(who.pid)).locals,
        Area::Local => return None,
    };
    match leaves[leaf_at(leaves, place)?].show {
        Show::Mtype(list) => Some(list),
        _ => None,
    }
}

/// Whether a channel variable holds the channel that was declared with it, which is not worth telling.
pub fn holds_own_channel(value: &Value) -> bool {
    matches!(value.content, Content::Scalar(_, Show::Channel)) && value.text == value.full_name
}
