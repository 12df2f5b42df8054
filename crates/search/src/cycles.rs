//! The naive search for cycles: the whole graph in memory, strongly connected components by Tarjan's algorithm (1972).
//!
//! A run violates a property when it passes accepting states again and again (or, for progress, never passes a progress
//! state again). Such a run exists if and only if a component with at least one edge has an accepting state (or is
//! found among the states without progress). Weak fairness asks more of the component: every process is, somewhere in
//! it, either unable to move or moving. All conditions are of the kind "again and again", so that looking at maximal
//! components is enough.
//!
//! Who is unable to move is asked where everybody may: a process is not unable because another one is inside an
//! `atomic`. A run that never leaves an `atomic` again is looked for apart, among the states inside only; there a
//! process is unable to move when it would be even if control were given up.
//!
//! States inside `atomic`, and those in which a claim is in the middle of going on alone, are nodes of this graph too, so
//! that nothing that happens there is missed. It is the oracle for every other search for cycles.

use ferrospin_system::{Control, Machine, Move, Moves};
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
    /// A claim runs beside; it says what a run that stops is worth.
    pub has_claim: bool,
}

/// What the search found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Nodes of the graph at which everybody may move.
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
    /// Which processes can move here, or could if control were given up, one bit each.
    enabled: [u64; 4],
    /// Whether `enabled` says who is unable to move in the ordinary sense.
    asked: bool,
    /// Inside `atomic`.
    inner: bool,
    processes: u16,
}

/// Searches for a cycle; `go_on` is asked now and then.
pub fn search(
    machine: &mut dyn Machine,
    wanted: Wanted,
    options: Options,
    go_on: &mut dyn FnMut(&Outcome) -> bool,
) -> Outcome {
    let fair = options.fair;
    let mut outcome = Outcome::default();
    let stays = wanted == Wanted::Accepting && !options.has_claim;
    let Some(nodes) = build(machine, stays, &mut outcome, go_on) else { return outcome };
    outcome.complete = true;
    let inside = |n: usize| wanted == Wanted::Accepting || !nodes[n].progress;
    let mut all = components(&nodes, &inside);
    let ordinary = all.len();
    if fair {
        all.extend(components(&nodes, &|n| inside(n) && nodes[n].inner));
    }
    for (i, component) in all.into_iter().enumerate() {
        let inner = i >= ordinary;
        let mut of = vec![false; nodes.len()];
        component.iter().for_each(|&n| of[n as usize] = true);
        let has_edge = component.iter().any(|&n| nodes[n as usize].edges.iter().any(|(_, t)| of[*t as usize]));
        let goal = component.iter().copied().find(|&n| wanted == Wanted::NonProgress || nodes[n as usize].accepting);
        if let (true, Some(goal)) = (has_edge, goal)
            && (!fair || is_fair(&nodes, &component, &of, inner))
        {
            outcome.lasso = Some(lasso(&nodes, &component, &of, goal, fair.then_some(inner)));
            return outcome;
        }
    }
    outcome
}

/// Builds the graph, breadth first; `None` when it was stopped. With `stays`, a run that stops stays there for ever.
fn build(
    machine: &mut dyn Machine,
    stays: bool,
    outcome: &mut Outcome,
    go_on: &mut dyn FnMut(&Outcome) -> bool,
) -> Option<Vec<Node>> {
    let mut ids: FxHashMap<(Box<[u8]>, Control), u32> = FxHashMap::default();
    let mut queue: Vec<(Box<[u8]>, Control)> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut state = Vec::new();
    if machine.initial(&mut state).is_err() {
        return Some(nodes);
    }
    let mut moves = Moves::default();
    let mut next = Vec::new();
    let mut enter = |state: &[u8],
                     control: Control,
                     parent,
                     nodes: &mut Vec<Node>,
                     queue: &mut Vec<_>,
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
        queue.push((state.into(), control));
        let marks = machine.marks(state);
        nodes.push(Node {
            accepting: marks.accepting,
            progress: marks.progress,
            edges: Vec::new(),
            parent,
            enabled: [0; 4],
            asked: false,
            inner: matches!(control, Control::Exclusive(_)),
            processes: 0,
        });
        outcome.states += u64::from(control == Control::Free);
        outcome.state_bytes = outcome.state_bytes.max(state.len());
        outcome.stored_bytes += state.len() as u64;
        id
    };
    enter(&state, Control::Free, (0, 0), &mut nodes, &mut queue, machine, outcome);
    let mut at = 0;
    while at < queue.len() {
        let (state, control) = std::mem::take(&mut queue[at].0).pair(queue[at].1);
        machine.moves(&state, control, &mut moves);
        let blocked = moves.list.is_empty() && matches!(control, Control::Exclusive(_));
        if blocked {
            // A process that cannot go on inside its `atomic` loses control: the same state, everybody may move.
            machine.moves(&state, Control::Free, &mut moves);
            nodes[at].inner = false;
        }
        nodes[at].processes = machine.process_count(&state) as u16;
        let list = std::mem::take(&mut moves.list);
        if nodes[at].inner {
            machine.moves(&state, Control::Free, &mut moves);
        } else {
            moves.list.extend_from_slice(&list);
            // When only the claim moves because its edge is `atomic`, the processes have not been asked.
            nodes[at].asked =
                list.is_empty() || list.iter().any(|m| m.stutter || m.process != ferrospin_system::NO_PROCESS);
        }
        for mv in &moves.list {
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
                let to = enter(&next, step.control, parent, &mut nodes, &mut queue, machine, outcome);
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
    Some(nodes)
}

/// Puts a value beside another.
trait Pair: Sized {
    fn pair<T>(self, other: T) -> (Self, T) {
        (self, other)
    }
}

impl Pair for Box<[u8]> {}

/// Strongly connected components of the nodes for which `inside` holds.
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
fn is_fair(nodes: &[Node], component: &[u32], of: &[bool], inner: bool) -> bool {
    let most = component.iter().map(|&n| nodes[n as usize].processes).max().unwrap_or(0);
    (0..most).all(|p| component.iter().any(|&n| served(nodes, n, of, p, inner)))
}

/// Whether a process is unable to move at a node.
fn is_blocked(node: &Node, p: u16, inner: bool) -> bool {
    (node.asked || inner) && !can_move(node, p)
}

fn can_move(node: &Node, p: u16) -> bool {
    node.enabled[usize::from(p) / 64] >> (p % 64) & 1 == 1
}

/// Whether a node serves a process: it cannot move there, or an edge of the component moves it.
fn served(nodes: &[Node], n: u32, of: &[bool], p: u16, inner: bool) -> bool {
    let node = &nodes[n as usize];
    is_blocked(node, p, inner) || node.edges.iter().any(|(m, t)| of[*t as usize] && moves_process(m, p))
}

fn moves_process(m: &Move, p: u16) -> bool {
    u16::from(m.process) == p || u16::from(m.partner) == p
}

/// A stem to `goal` and a cycle through it that, under fairness, serves every process; `fair` says whether that is
/// judged inside `atomic`.
fn lasso(nodes: &[Node], component: &[u32], of: &[bool], goal: u32, fair: Option<bool>) -> Lasso {
    let mut stem = Vec::new();
    let mut at = goal;
    while at != 0 {
        let (from, edge) = nodes[at as usize].parent;
        stem.push(nodes[from as usize].edges[edge as usize].0);
        at = from;
    }
    stem.reverse();
    let mut cycle = Vec::new();
    let mut at = goal;
    if let Some(inner) = fair {
        let most = component.iter().map(|&n| nodes[n as usize].processes).max().unwrap_or(0);
        for p in 0..most {
            at = walk(nodes, of, at, &mut cycle, &|n| served(nodes, n, of, p, inner));
            if !is_blocked(&nodes[at as usize], p, inner) {
                let step = nodes[at as usize].edges.iter().find(|(m, t)| of[*t as usize] && moves_process(m, p));
                let (m, t) = step.expect("the node serves the process");
                cycle.push(*m);
                at = *t;
            }
        }
    }
    if cycle.is_empty() {
        let (m, t) = nodes[at as usize].edges.iter().find(|(_, t)| of[*t as usize]).expect("a component with an edge");
        cycle.push(*m);
        at = *t;
    }
    walk(nodes, of, at, &mut cycle, &|n| n == goal);
    cycle.retain(|m| m.process != ferrospin_system::NO_PROCESS || m.claim != ferrospin_system::NO_EDGE);
    Lasso { stem, cycle }
}

/// Goes the shortest way inside the component to a node that `is_there`, and adds its moves to `path`.
fn walk(nodes: &[Node], of: &[bool], from: u32, path: &mut Vec<Move>, is_there: &dyn Fn(u32) -> bool) -> u32 {
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
            if of[*t as usize] && *t != from && !came.contains_key(t) {
                came.insert(*t, (n, *m));
                queue.push(*t);
            }
        }
    }
    unreachable!("a component is connected")
}
