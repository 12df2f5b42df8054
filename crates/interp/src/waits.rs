//! What processes wait for in a state in which none can move, and which others could help.
//!
//! Each statement that a process could execute next is looked at: whether a channel is full or empty, whether the message at its head
//! fits, what the parts of a guard are worth. A process helps if a statement that it could come to might make the missing condition
//! true; that is asked of the facts that partial-order reduction rests on ([`ferrospin_model::facts`]), which never leave one out.

use crate::describe::Describer;
use crate::eval::Who;
use crate::statement::Statements;
use crate::view::{View, frames, read};
use ferrospin_model::facts::condition::{Kind, compare};
use ferrospin_model::facts::object::Object;
use ferrospin_model::facts::{Facts, Instance, Target};
use ferrospin_model::ir::{Action, Area, Edge, EdgeId, Expr, Index, Model, Place, Receive, Show, leaf_at};
use std::sync::Arc;

/// What a statement needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// Its edge.
    pub edge: EdgeId,
    /// Why it cannot be executed.
    pub why: String,
    /// Processes that could change that, if they could go on.
    pub freed_by: Vec<usize>,
}

/// Values that a statement reads, by name.
pub fn values_read(model: &Model, state: &[u8], pid: usize, edge: EdgeId) -> Vec<(String, String)> {
    let mut list = Vec::new();
    frames(model, state, &mut list);
    let view = View { model, bytes: state, frames: &list, timeout: true };
    if pid >= view.process_count() {
        return Vec::new();
    }
    let reader = Reader { view, described: Describer::new(model, state), pid };
    let mut out = Vec::new();
    reader.action(&model.edge(edge).action, &mut out);
    out
}

/// What each process waits for, by number; nothing of those that have come to their end.
pub fn waits(model: &Arc<Model>, state: &[u8]) -> Vec<Vec<Need>> {
    let mut list = Vec::new();
    frames(model, state, &mut list);
    let view = View { model, bytes: state, frames: &list, timeout: true };
    let facts = Facts::new(model.clone());
    let instances: Vec<Instance> = (0..view.process_count())
        .map(|pid| {
            let (process, from) = (view.process(pid), list[pid] as usize);
            let frame = &state[from..from + model.process(process).frame_size as usize];
            facts.instance(process, pid as u8, frame)
        })
        .collect();
    let needs = |pid: usize| {
        let edges = &model.location(view.location(pid)).edges;
        let reader = Reader { view, described: Describer::new(model, state), pid };
        let need = |&edge: &EdgeId| {
            let why = reader.why(model.edge(edge))?;
            Some(Need { edge, why, freed_by: freed_by(&facts, &instances, &view, pid, edge) })
        };
        edges.iter().filter_map(need).collect()
    };
    (0..view.process_count()).map(needs).collect()
}

/// Processes that may come to a statement that makes an edge executable.
fn freed_by(facts: &Facts, instances: &[Instance], view: &View<'_>, pid: usize, edge: EdgeId) -> Vec<usize> {
    let who = &instances[pid];
    let footprint = facts.footprint(who, edge);
    if matches!(view.model.edge(edge).action, Action::End) {
        return (pid + 1..instances.len()).collect();
    }
    let missing: Vec<usize> = (0..footprint.conjuncts.len()).filter(|i| is_missing(view, pid, footprint, *i)).collect();
    let mut targets: Vec<Target<'_>> = missing.into_iter().map(|i| Target::Enables(who, edge, i)).collect();
    if footprint.rendezvous.is_some() {
        targets = vec![Target::Partners(who, edge)];
    }
    let helps = |other: &usize| {
        let instance = &instances[*other];
        let ahead = facts.reachable(view.location(*other));
        let is_ahead = |hits: &[u64]| hits.iter().zip(ahead).any(|(hit, ahead)| hit & ahead != 0);
        *other != pid && targets.iter().any(|t| is_ahead(&facts.hits(*t, instance)))
    };
    (0..instances.len()).filter(helps).collect()
}

/// Whether a part of a guard may be what keeps an edge from being executed: not where its value is known to be true.
fn is_missing(
    view: &View<'_>,
    pid: usize,
    footprint: &ferrospin_model::facts::footprint::Footprint,
    part: usize,
) -> bool {
    let lengths = |channels: &ferrospin_model::facts::object::Channels| {
        let number = channels.only()?;
        let (channel, at) = view.channel(number).ok()?;
        Some((view.len(channel, at), channel.capacity))
    };
    let known = match &footprint.conjuncts[part].kind {
        Kind::Compare(Object::Global(from, _), scalar, op, value) => {
            Some(compare(*op, read(view.bytes, *from, *scalar), *value))
        }
        Kind::Compare(Object::Local(from, _), scalar, op, value) => {
            Some(compare(*op, read(view.bytes, view.frames[pid] + from, *scalar), *value))
        }
        Kind::HasRoom(c) => lengths(c).map(|(len, capacity)| len < capacity),
        Kind::HasMessage(c) | Kind::Matches(c, true) if matches!(lengths(c), Some((0, _))) => Some(false),
        Kind::HasMessage(c) => lengths(c).map(|(len, _)| len > 0),
        // What keeps an empty channel from being received from is that it is empty.
        Kind::Matches(c, false) => lengths(c).filter(|(len, _)| *len == 0).map(|_| true),
        Kind::IsFull(c) => lengths(c).map(|(len, capacity)| len == capacity),
        Kind::IsEmpty(c) => lengths(c).map(|(len, _)| len == 0),
        _ => None,
    };
    known != Some(true)
}

/// Reads a state as one process does.
struct Reader<'a> {
    view: View<'a>,
    described: Describer<'a>,
    pid: usize,
}

impl Reader<'_> {
    fn who(&self) -> Who {
        self.view.who(self.pid)
    }

    fn words(&self) -> Statements<'_> {
        Statements { model: self.view.model, process: self.view.process(self.pid) }
    }

    /// Why an edge cannot be executed; nothing where it is the end of a process that only has to wait for its children.
    fn why(&self, edge: &Edge) -> Option<String> {
        let process = self.view.model.process(self.view.process(self.pid));
        if let Some(provided) = &process.provided
            && self.view.eval(self.who(), provided) == Ok(0)
        {
            return Some(format!("its `provided` clause is false: {}", self.values(provided)));
        }
        self.why_action(&edge.action)
    }

    fn why_action(&self, action: &Action) -> Option<String> {
        Some(match action {
            Action::Guard(Expr::Timeout) => "something else can still be done".into(),
            Action::Guard(e) => match self.values(e) {
                values if values.is_empty() => "it is false".into(),
                values => format!("it is false: {values}"),
            },
            Action::Send { channel, .. } => self.channel(channel, None)?,
            Action::Receive(r) => self.channel(&r.channel, Some(r))?,
            Action::Else => "another statement beside it can be executed".into(),
            Action::End => "it can end only behind the processes that were started after it".into(),
            Action::DStep(entry) => {
                let edges = &self.view.model.location(*entry).edges;
                let all: Vec<String> =
                    edges.iter().filter_map(|e| self.why_action(&self.view.model.edge(*e).action)).collect();
                all.join("; ")
            }
            _ => return None,
        })
    }

    /// Why nothing can be sent to a channel, or received from it.
    fn channel(&self, e: &Expr, receive: Option<&Receive>) -> Option<String> {
        let Ok(number) = self.view.eval(self.who(), e) else { return Some("its channel cannot be evaluated".into()) };
        let Ok((channel, at)) = self.view.channel(number) else { return Some("there is no such channel".into()) };
        let name = self.described.channel_name(number);
        let len = self.view.len(channel, at);
        let messages = |n: u32| if n == 1 { "1 message".to_owned() } else { format!("{n} messages") };
        Some(match receive {
            None if channel.capacity == 0 => format!("no process is ready to receive from `{name}`"),
            None => format!("channel `{name}` is full, with {}", messages(len)),
            Some(_) if channel.capacity == 0 => format!("no process is ready to send to `{name}` what it would take"),
            Some(_) if len == 0 => format!("channel `{name}` is empty"),
            Some(r) => {
                let fields: Vec<(i32, Show)> = (0..channel.fields.len())
                    .map(|i| (self.view.field(channel, at, 0, i), channel.fields[i].1))
                    .collect();
                let head = self.described.fields_text(&fields);
                match r.random {
                    true => format!("none of the {} in `{name}` matches", messages(len)),
                    false => format!("the first message in `{name}` is [{head}], which does not match"),
                }
            }
        })
    }

    /// The values an expression reads, as text.
    fn values(&self, e: &Expr) -> String {
        let mut out = Vec::new();
        self.expr(e, &mut out);
        out.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    }

    fn action(&self, action: &Action, out: &mut Vec<(String, String)>) {
        match action {
            Action::Guard(e) | Action::Assert(e) => self.expr(e, out),
            Action::Assign(place, e) => {
                place.indices.iter().for_each(|i| self.expr(&i.value, out));
                self.expr(e, out);
            }
            Action::Send { channel, fields, .. } => {
                self.indices(channel, out);
                fields.iter().for_each(|e| self.expr(e, out));
            }
            Action::Receive(r) => self.indices(&r.channel, out),
            Action::Run { args, .. } => args.iter().for_each(|e| self.expr(e, out)),
            _ => {}
        }
    }

    /// Of the variable that holds a channel only what its indices read.
    fn indices(&self, e: &Expr, out: &mut Vec<(String, String)>) {
        if let Expr::Load(place) = e {
            place.indices.iter().for_each(|i| self.expr(&i.value, out));
        }
    }

    fn expr(&self, e: &Expr, out: &mut Vec<(String, String)>) {
        let mut add = |name: String, value: String| {
            if !out.iter().any(|(n, _)| *n == name) {
                out.push((name, value));
            }
        };
        match e {
            Expr::Const(_) => {}
            Expr::Load(place) => {
                let (name, value) = self.load(place, e);
                add(name, value);
                place.indices.iter().for_each(|i| self.expr(&i.value, out));
            }
            Expr::Unary(_, a) => self.expr(a, out),
            Expr::Binary(_, a, b) => {
                self.expr(a, out);
                self.expr(b, out);
            }
            Expr::Cond(parts) => parts.iter().for_each(|e| self.expr(e, out)),
            _ => {
                let value = self.view.eval(self.who(), e);
                let truth = matches!(
                    e,
                    Expr::Poll(_) | Expr::AtLocation(..) | Expr::Timeout | Expr::NonProgress | Expr::Enabled(_)
                ) || matches!(e, Expr::Channel(test, _) if *test != ferrospin_model::ir::ChannelTest::Len);
                let show = if truth { Show::Bool } else { Show::Number };
                let value = value.map_or("?".into(), |v| self.described.text(v, show));
                add(self.words().action(&Action::Guard(e.clone())), value);
            }
        }
    }

    /// A variable, its indices evaluated, and its value.
    fn load(&self, place: &Place, e: &Expr) -> (String, String) {
        let model = self.view.model;
        let leaves = match place.area {
            Area::Global => &model.globals,
            Area::Local => &model.process(self.view.process(self.pid)).locals,
        };
        let show = leaf_at(leaves, place).map_or(Show::Number, |i| leaves[i].show);
        let value = self.view.eval(self.who(), e);
        let index = |i: &Index| Index {
            value: self.view.eval(self.who(), &i.value).map_or_else(|_| i.value.clone(), Expr::Const),
            ..i.clone()
        };
        let named = Place { indices: place.indices.iter().map(index).collect(), ..place.clone() };
        let name = self.words().action(&Action::Guard(Expr::Load(Box::new(named))));
        (name, value.map_or("?".into(), |v| self.described.text(v, show)))
    }
}
