//! The naive search for cycles: the whole graph in memory, strongly connected components by Tarjan's algorithm (1972).
//!
//! A run violates a property when it passes accepting states again and again (or, for progress, never passes a progress
//! state again). Such a run exists if and only if a component with at least one edge has an accepting state (or is
//! found among the states without progress). Weak fairness asks more of the component: every process is, somewhere in
//! it, either unable to move or moving. All conditions are of the kind "again and again", so that looking at maximal
//! components is enough.
//!
//! Which process is unable to move is asked where all may: a process is not unable because another one is inside an
//! `atomic`. A run that never leaves an `atomic` again is looked for apart, among the states inside only: it is fair, because no
//! scheduler can end it. To a property it is a step that is never done ([`hangs`]).
//!
//! States inside `atomic`, and those in which a property is in the middle of going on alone, are nodes of this graph too, so
//! that nothing that happens there is missed. It is the oracle for every other search for cycles.

use crate::hangs;
use ferrospin_system::{Control, Labels, Machine, Move, Moves};
use rustc_hash::FxHashMap;

/// What kind of cycle is a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// One with an accepting state.
    Accepting,
    /// One without a progress state.
    NonProgress,
}

/// How to look for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Weak fairness: a process that can move for ever does move.
    pub fair: bool,
    /// A property runs beside; it says what a run that stops is worth.
    pub has_property: bool,
}

/// What the search found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Nodes of the graph at which every process may move.
    pub states: u64,
    /// Edges that lead to such nodes, and one for the initial state.
    pub transitions: u64,
    /// A cycle, if there is one.
    pub lasso: Option<Lasso>,
    /// Whether the whole graph was built.
    pub complete: bool,
    /// Bytes of the longest state.
    pub state_bytes: usize,
    /// Bytes of all states.
    pub stored_bytes: u64,
}

/// A run that ends in a cycle.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// To the cycle.
    pub stem: Vec<Move>,
    /// The cycle. Empty when the run just stops at an accepting state for ever.
    pub cycle: Vec<Move>,
}

struct Node {
    accepting: bool,
    progress: bool,
    /// Move and target.
    edges: Vec<(Move, u32)>,
    /// First node and edge that led here.
    parent: (u32, u32),
    /// Which processes can move here, one bit each.
    enabled: [u64; 4],
    /// Whether `enabled` says which processes are unable to move.
    asked: bool,
    /// Inside `atomic`.
    inner: bool,
}

/// The states of the nodes.
type States = Vec<Box<[u8]>>;

/// Searches for a cycle; `go_on` is asked now and then.
pub fn search(
    machine: &mut dyn Machine,
    wanted: Wanted,
    options: Options,
    go_on: &mut dyn FnMut(&Outcome) -> bool,
) -> Outcome {
    let fair = options.fair;
    let mut outcome = Outcome::default();
    let stays = wanted == Wanted::Accepting && !options.has_property;
    let Some((nodes, states)) = build(machine, stays, &mut outcome, go_on) else { return outcome };
    outcome.complete = true;
    let inside = |n: usize| wanted == Wanted::Accepting || !nodes[n].progress;
    let wants = |n: u32| wanted == Wanted::NonProgress || nodes[n as usize].accepting;
    let all = Components::new(&nodes, &inside);
    for part in all.parts() {
        // A property stands still inside an `atomic`, and where it stands says nothing there.
        let moves_property = !options.has_property || part.list.iter().any(|&n| !nodes[n as usize].inner);
        if let (true, true, Some(goal)) = (moves_property, part.is_cycle(&nodes), part.list.iter().find(|n| wants(**n)))
            && (!fair || is_fair(&nodes, part))
        {
            outcome.lasso = Some(lasso(&nodes, part, *goal, fair));
            return outcome;
        }
    }
    let inner = Components::new(&nodes, &|n| inside(n) && nodes[n].inner);
    let endless = || inner.parts().filter(|part| part.is_cycle(&nodes));
    outcome.lasso = if options.has_property {
        let ends: Vec<u32> = endless().flat_map(|part| part.list.iter().copied()).collect();
        hanging(machine, &nodes, &states, &inner, ends)
    } else {
        endless().find_map(|part| part.list.iter().find(|n| wants(**n)).map(|n| lasso(&nodes, part, *n, false)))
    };
    outcome
}

/// A run that never leaves an `atomic` and that the property accepts; `ends` are the states inside to which runs can come back
/// without leaving it.
fn hanging(
    machine: &mut dyn Machine,
    nodes: &[Node],
    states: &[Box<[u8]>],
    inner: &Components,
    ends: Vec<u32>,
) -> Option<Lasso> {
    if ends.is_empty() {
        return None;
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (n, node) in (0..).zip(nodes) {
        node.edges.iter().filter(|(_, t)| nodes[*t as usize].inner).for_each(|(_, t)| before[*t as usize].push(n));
    }
    // For each state inside that leads to one of `ends`, and each that leads into such, the next one on the way.
    let mut onwards: Vec<Option<u32>> = vec![None; nodes.len()];
    let mut queue = ends;
    queue.iter().for_each(|n| onwards[*n as usize] = Some(*n));
    let mut at = 0;
    while at < queue.len() {
        let to = queue[at];
        at += 1;
        for &n in &before[to as usize] {
            if onwards[n as usize].is_some() {
                continue;
            }
            onwards[n as usize] = Some(to);
            if nodes[n as usize].inner {
                queue.push(n);
            } else if hangs::accepts(machine, &states[n as usize]) {
                let (mut stem, mut here) = (stem(nodes, n), n);
                loop {
                    let next = onwards[here as usize].expect("the way goes on");
                    if next == here {
                        let part = inner.part_of(here);
                        return Some(Lasso { stem, ..lasso(nodes, part, here, false) });
                    }
                    let edge = nodes[here as usize].edges.iter().find(|(_, t)| *t == next);
                    stem.push(edge.expect("an edge leads to the next").0);
                    here = next;
                }
            }
        }
    }
    None
}

/// Builds the graph, breadth first; `None` when it was stopped. With `stays`, a run that stops stays there for ever.
fn build(
    machine: &mut dyn Machine,
    stays: bool,
    outcome: &mut Outcome,
    go_on: &mut dyn FnMut(&Outcome) -> bool,
) -> Option<(Vec<Node>, States)> {
    let mut ids: FxHashMap<(Box<[u8]>, Control), u32> = FxHashMap::default();
    let mut queue = States::new();
    let mut controls: Vec<Control> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut state = Vec::new();
    if machine.initial(&mut state).is_err() {
        return Some((nodes, queue));
    }
    let mut moves = Moves::default();
    let mut next = Vec::new();
    let mut enter = |state: &[u8],
                     control: Control,
                     parent,
                     nodes: &mut Vec<Node>,
                     (queue, controls): (&mut States, &mut Vec<Control>),
                     machine: &mut dyn Machine,
                     outcome: &mut Outcome| {
        if control == Control::Free {
            outcome.transitions += 1;
        }
        if let Some(&id) = ids.get(&(Box::from(state), control)) {
            return id;
        }
        let id = nodes.len() as u32;
        ids.insert((state.into(), control), id);
        queue.push(state.into());
        controls.push(control);
        let labels = machine.labels(state, Labels::ACCEPT | Labels::PROGRESS);
        nodes.push(Node {
            accepting: labels.has(Labels::ACCEPT),
            progress: labels.has(Labels::PROGRESS),
            edges: Vec::new(),
            parent,
            enabled: [0; 4],
            asked: false,
            inner: matches!(control, Control::Exclusive(_)),
        });
        outcome.states += u64::from(control == Control::Free);
        outcome.state_bytes = outcome.state_bytes.max(state.len());
        outcome.stored_bytes += state.len() as u64;
        id
    };
    enter(&state, Control::Free, (0, 0), &mut nodes, (&mut queue, &mut controls), machine, outcome);
    let mut at = 0;
    while at < queue.len() {
        let (state, control) = (queue[at].clone(), controls[at]);
        machine.moves(&state, control, &mut moves);
        let blocked = moves.list.is_empty() && matches!(control, Control::Exclusive(_));
        if blocked {
            // A process that cannot go on inside its `atomic` loses control: the same state, every process may move.
            machine.moves(&state, Control::Free, &mut moves);
            nodes[at].inner = false;
        }
        let list = std::mem::take(&mut moves.list);
        // When only the property moves because its edge is `atomic`, the processes have not been asked.
        nodes[at].asked = !nodes[at].inner
            && (list.is_empty() || list.iter().any(|m| m.stutter || m.process != ferrospin_system::NO_PROCESS));
        for mv in &list {
            for p in [mv.process, mv.partner] {
                if p != ferrospin_system::NO_PROCESS {
                    nodes[at].enabled[usize::from(p) / 64] |= 1 << (p % 64);
                }
            }
        }
        for mv in list.iter().copied() {
            let step = machine.apply(&state, &mv, &mut next);
            if step.proceeds {
                let parent = (at as u32, nodes[at].edges.len() as u32);
                let to = enter(&next, step.control, parent, &mut nodes, (&mut queue, &mut controls), machine, outcome);
                nodes[at].edges.push((mv, to));
            }
        }
        if list.is_empty() && stays {
            let mv = Move { stutter: true, ..Move::single(ferrospin_system::NO_PROCESS, ferrospin_system::NO_EDGE) };
            nodes[at].edges.push((mv, at as u32));
        }
        at += 1;
        if at % 1024 == 0 && !go_on(outcome) {
            return None;
        }
    }
    Some((nodes, queue))
}

/// Strongly connected components.
struct Components {
    lists: Vec<Vec<u32>>,
    /// For each node the number of its component.
    of: Vec<u32>,
}

/// One of them.
#[derive(Clone, Copy)]
struct Part<'a> {
    list: &'a [u32],
    of: &'a [u32],
    number: u32,
}

impl Components {
    /// Of the nodes for which `inside` holds.
    fn new(nodes: &[Node], inside: &dyn Fn(usize) -> bool) -> Components {
        let lists = components(nodes, inside);
        let mut of = vec![u32::MAX; nodes.len()];
        (0..).zip(&lists).for_each(|(i, list)| list.iter().for_each(|n| of[*n as usize] = i));
        Components { lists, of }
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        (0..).zip(&self.lists).map(|(number, list)| Part { list, of: &self.of, number })
    }

    fn part_of(&self, node: u32) -> Part<'_> {
        let number = self.of[node as usize];
        Part { list: &self.lists[number as usize], of: &self.of, number }
    }
}

impl Part<'_> {
    fn has(self, node: u32) -> bool {
        self.of[node as usize] == self.number
    }

    /// Whether a run can stay in it for ever.
    fn is_cycle(self, nodes: &[Node]) -> bool {
        self.list.iter().any(|&n| nodes[n as usize].edges.iter().any(|(_, t)| self.has(*t)))
    }
}

fn components(nodes: &[Node], inside: &dyn Fn(usize) -> bool) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let mut index = vec![NEW; nodes.len()];
    let mut low = vec![0u32; nodes.len()];
    let mut on_stack = vec![false; nodes.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in (0..nodes.len()).filter(|&n| inside(n)) {
        if index[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0usize)];
        while let Some((n, edge)) = work.pop() {
            if edge == 0 {
                index[n] = count;
                low[n] = count;
                count += 1;
                stack.push(n as u32);
                on_stack[n] = true;
            }
            let mut descended = false;
            for i in edge..nodes[n].edges.len() {
                let t = nodes[n].edges[i].1 as usize;
                if !inside(t) {
                    continue;
                }
                if index[t] == NEW {
                    work.push((n, i + 1));
                    work.push((t, 0));
                    descended = true;
                    break;
                }
                if on_stack[t] {
                    low[n] = low[n].min(index[t]);
                }
            }
            if descended {
                continue;
            }
            if low[n] == index[n] {
                let mut component = Vec::new();
                loop {
                    let t = stack.pop().expect("the root is on the stack");
                    on_stack[t as usize] = false;
                    component.push(t);
                    if t as usize == n {
                        break;
                    }
                }
                found.push(component);
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[n]);
            }
        }
    }
    found
}

/// Whether every process is, somewhere in the component, unable to move or moving.
fn is_fair(nodes: &[Node], part: Part<'_>) -> bool {
    (0..numbers(nodes)).all(|p| part.list.iter().any(|&n| served(nodes, n, part, p)))
}

/// How many process numbers need to be looked at: those that move somewhere, and one that never does, for all others.
fn numbers(nodes: &[Node]) -> u16 {
    let last = |n: &Node| (0..255).rev().find(|p| can_move(n, *p));
    nodes.iter().filter_map(last).max().map_or(1, |p| p + 2).min(255)
}

/// Whether a process is unable to move at a node.
fn is_blocked(node: &Node, p: u16) -> bool {
    node.asked && !can_move(node, p)
}

fn can_move(node: &Node, p: u16) -> bool {
    node.enabled[usize::from(p) / 64] >> (p % 64) & 1 == 1
}

/// Whether a node serves a process: it cannot move there, or an edge of the component moves it.
fn served(nodes: &[Node], n: u32, part: Part<'_>, p: u16) -> bool {
    let node = &nodes[n as usize];
    is_blocked(node, p) || node.edges.iter().any(|(m, t)| part.has(*t) && moves_process(m, p))
}

fn moves_process(m: &Move, p: u16) -> bool {
    u16::from(m.process) == p || u16::from(m.partner) == p
}

/// The moves by which a node was first reached.
fn stem(nodes: &[Node], to: u32) -> Vec<Move> {
    let mut stem = Vec::new();
    let mut at = to;
    while at != 0 {
        let (from, edge) = nodes[at as usize].parent;
        stem.push(nodes[from as usize].edges[edge as usize].0);
        at = from;
    }
    stem.reverse();
    stem
}

/// A stem to `goal` and a cycle through it that, under fairness, serves every process.
fn lasso(nodes: &[Node], part: Part<'_>, goal: u32, fair: bool) -> Lasso {
    let stem = stem(nodes, goal);
    let mut cycle = Vec::new();
    let mut at = goal;
    if fair {
        for p in 0..numbers(nodes) {
            at = walk(nodes, part, at, &mut cycle, &|n| served(nodes, n, part, p));
            if !is_blocked(&nodes[at as usize], p) {
                let step = nodes[at as usize].edges.iter().find(|(m, t)| part.has(*t) && moves_process(m, p));
                let (m, t) = step.expect("the node serves the process");
                cycle.push(*m);
                at = *t;
            }
        }
    }
    if cycle.is_empty() {
        let (m, t) = nodes[at as usize].edges.iter().find(|(_, t)| part.has(*t)).expect("a component with an edge");
        cycle.push(*m);
        at = *t;
    }
    walk(nodes, part, at, &mut cycle, &|n| n == goal);
    cycle.retain(|m| m.process != ferrospin_system::NO_PROCESS || m.property != ferrospin_system::NO_EDGE);
    Lasso { stem, cycle }
}

/// Goes the shortest way inside the component to a node that `is_there`, and adds its moves to `path`.
fn walk(nodes: &[Node], part: Part<'_>, from: u32, path: &mut Vec<Move>, is_there: &dyn Fn(u32) -> bool) -> u32 {
    let mut came: FxHashMap<u32, (u32, Move)> = FxHashMap::default();
    let mut queue = vec![from];
    let mut next = 0;
    while next < queue.len() {
        let n = queue[next];
        next += 1;
        if is_there(n) {
            let mut back = Vec::new();
            let mut at = n;
            while at != from {
                let (before, m) = came[&at];
                back.push(m);
                at = before;
            }
            path.extend(back.into_iter().rev());
            return n;
        }
        for (m, t) in &nodes[n as usize].edges {
            if part.has(*t) && *t != from && !came.contains_key(t) {
                came.insert(*t, (n, *m));
                queue.push(*t);
            }
        }
    }
    unreachable!("a component is connected")
}
