//! Channels that are shown to grow for ever: a run, and steps behind it that can be repeated without end and leave messages behind in each round.
//!
//! States are visited breadth first by the interpreter. A state shows it together with one before it on its way, if both are equal but for the
//! channel, which holds what it held before and more. The steps between can then be taken again and again, whatever the capacity
//! is, under conditions that are checked here and are stricter than they had to be: no channel is full before any step of the whole run, so that
//! greater capacities change nothing; what the channel held stays in it all the time; and nothing on the ways from the places of
//! these steps asks for the channel's length, or tries something else first that a longer channel could allow.

use crate::front::Front;
use crate::run::{Runnable, Texts};
use ferrospin_interp::Interp;
use ferrospin_interp::describe::Describer;
use ferrospin_model::ir::{Action, EdgeId, Expr, Model};
use ferrospin_model::passes::walk::{self, Item};
use ferrospin_search::expand::{Expander, Sink};
use ferrospin_system::{Failure, Machine, Move, NO_EDGE};
use rustc_hash::FxHashSet;

/// A channel that grows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// Its position among the global channels.
    pub channel: usize,
    /// Steps from the beginning to where the round begins.
    pub before: usize,
    /// The steps of a round, as they are told.
    pub round: Vec<String>,
    /// Messages that a round leaves behind.
    pub more: u32,
}

/// The longest way that is looked back on.
const DEPTH_MAX: usize = 300;

struct Node {
    state: Vec<u8>,
    parent: usize,
    path: Vec<Move>,
    depth: usize,
    /// No channel was full before any step that leads here.
    roomy: bool,
}

struct Found<'a> {
    seen: &'a mut FxHashSet<Vec<u8>>,
    arrived: Vec<(Vec<u8>, Vec<Move>)>,
}

impl Sink for Found<'_> {
    fn arrive(&mut self, state: &[u8], path: &[Move]) {
        if self.seen.insert(state.to_vec()) {
            self.arrived.push((state.to_vec(), path.to_vec()));
        }
    }

    fn fail(&mut self, _: Failure, _: &[Move]) {}

    fn inner_step(&mut self) {}
}

/// Which of these global channels grow, as far as a search up to a number of states shows it.
pub fn grows(
    front: &Front,
    runnable: &Runnable,
    channels: &[usize],
    states_max: usize,
    go_on: &dyn Fn() -> bool,
) -> Vec<Growth> {
    let model = &runnable.model;
    let own = model.processes.iter().any(|p| p.channels.iter().any(|c| c.capacity > 0));
    let large = model.channels.iter().any(|c| c.capacity > 255);
    let uses = model.uses;
    // What depends on all processes, on time or on numbers of states would have to be looked at, too.
    if own || large || uses.timeout || uses.enabled || uses.provided || uses.priority || uses.last || uses.foreign {
        return Vec::new();
    }
    let mut machine = Interp::new(model.clone());
    let mut state = Vec::new();
    if machine.initial(&mut state).is_err() {
        return Vec::new();
    }
    let mut seen = FxHashSet::from_iter([state.clone()]);
    let mut nodes = vec![Node { state, parent: 0, path: Vec::new(), depth: 0, roomy: true }];
    let (mut left, mut growths, mut expander, mut next) = (channels.to_vec(), Vec::new(), Expander::default(), 0);
    while next < nodes.len() && !left.is_empty() && (next % 256 != 0 || go_on()) {
        let now = nodes[next].state.clone();
        let mut found = Found { seen: &mut seen, arrived: Vec::new() };
        expander.expand(&mut machine, &now, &mut found);
        for (state, path) in found.arrived {
            if nodes.len() >= states_max {
                return growths;
            }
            let roomy = nodes[next].roomy && has_room(model, &mut machine, &now, &path);
            nodes.push(Node { state, parent: next, path, depth: nodes[next].depth + 1, roomy });
            if roomy {
                let last = nodes.len() - 1;
                left.retain(|channel| match round(front, runnable, &mut machine, &nodes, last, *channel) {
                    Some(growth) => {
                        growths.push(growth);
                        false
                    }
                    None => true,
                });
            }
        }
        next += 1;
    }
    growths
}

/// The messages of a channel as bytes.
fn contents<'a>(model: &Model, state: &'a [u8], channel: usize) -> &'a [u8] {
    let c = &model.channels[channel];
    let at = c.offset as usize;
    &state[at + 1..at + 1 + usize::from(state[at]) * c.message_size() as usize]
}

/// Whether no channel is full before any of these steps.
fn has_room(model: &Model, machine: &mut Interp, state: &[u8], path: &[Move]) -> bool {
    let kept = || model.channels.iter().filter(|c| c.capacity > 0);
    let (mut now, mut after) = (state.to_vec(), Vec::new());
    for mv in path {
        if kept().any(|c| u32::from(now[c.offset as usize]) >= c.capacity) {
            return false;
        }
        machine.apply(&now, mv, &mut after);
        std::mem::swap(&mut now, &mut after);
    }
    true
}

/// A round from an earlier state on the way to the last one, which leaves messages in the channel and changes nothing else.
fn round(
    front: &Front,
    runnable: &Runnable,
    machine: &mut Interp,
    nodes: &[Node],
    last: usize,
    channel: usize,
) -> Option<Growth> {
    let model = &runnable.model;
    let c = &model.channels[channel];
    let region = c.offset as usize..(c.offset + c.size()) as usize;
    let end = &nodes[last].state;
    let mut way = vec![last];
    for _ in 0..DEPTH_MAX {
        let here = way[way.len() - 1];
        if nodes[here].depth == 0 {
            return None;
        }
        let before = nodes[here].parent;
        let start = &nodes[before].state;
        let (old, new) = (contents(model, start, channel), contents(model, end, channel));
        let others = start.len() == end.len()
            && start[..region.start] == end[..region.start]
            && start[region.end..] == end[region.end..];
        if others && end[region.start] > start[region.start] && new.starts_with(old) {
            let moves: Vec<Move> = way.iter().rev().flat_map(|n| nodes[*n].path.iter().copied()).collect();
            let round = told(front, runnable, machine, start, &moves, channel)?;
            let more = u32::from(end[region.start] - start[region.start]);
            return Some(Growth { channel, before: nodes[before].depth, round, more });
        }
        way.push(before);
    }
    None
}

/// The steps of a round as they are told, if they can be repeated for ever.
fn told(
    front: &Front,
    runnable: &Runnable,
    machine: &mut Interp,
    start: &[u8],
    moves: &[Move],
    channel: usize,
) -> Option<Vec<String>> {
    let model = &runnable.model;
    let texts = Texts { front, runnable };
    let (mut now, mut after, mut lines) = (start.to_vec(), Vec::new(), Vec::new());
    for mv in moves {
        if mv.timeout || mv.edge == NO_EDGE || mv.property != NO_EDGE {
            return None;
        }
        for (process, edge) in [(mv.process, mv.edge), (mv.partner, mv.partner_edge)] {
            if edge == NO_EDGE {
                continue;
            }
            if !is_blind(model, EdgeId(edge)) {
                return None;
            }
            let edge = model.edge(EdgeId(edge));
            let place = texts.place(edge.span).map_or(String::new(), |p| format!("  line {}", p.line));
            let name = Describer::new(model, &now).process_name(usize::from(process));
            lines.push(format!("{name}[{process}]{place}  {}", texts.statement(edge)));
        }
        let step = machine.apply(&now, mv, &mut after);
        let stays = contents(model, &after, channel).starts_with(contents(model, &now, channel));
        if !step.proceeds || step.failure.is_some() || !stays {
            return None;
        }
        std::mem::swap(&mut now, &mut after);
    }
    Some(lines)
}

/// Whether that an edge can be taken, and what it does, is the same when some channel holds more.
fn is_blind(model: &Model, edge: EdgeId) -> bool {
    let location = model.location(model.edge(edge).from);
    let edges = || location.edges.iter().map(|e| model.edge(*e));
    let chooses =
        edges().any(|e| e.escape != 0 || e.action == Action::Else) || model.process(location.process).deterministic;
    edges().all(|e| {
        let mut looks = matches!(e.action, Action::DStep(_) | Action::Run { .. });
        looks |= chooses && matches!(e.action, Action::Receive(_) | Action::DStep(_));
        for action in std::iter::once(&e.action).chain(&e.then) {
            walk::action(action, &mut |item| {
                looks |= matches!(
                    item,
                    Item::Expr(
                        Expr::Channel(..)
                            | Expr::Poll(_)
                            | Expr::Timeout
                            | Expr::NonProgress
                            | Expr::Enabled(_)
                            | Expr::ProcessCount
                            | Expr::ChannelCount
                    )
                );
            });
        }
        !looks
    })
}
