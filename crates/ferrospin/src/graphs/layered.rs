//! A layered layout of a graph (Sugiyama, Tagawa, Toda: "Methods for visual understanding of hierarchical system
//! structures", IEEE Trans. SMC 11(2), 1981).
//!
//! Arrows that close a cycle are turned round; layers follow from longest paths; arrows that pass layers get a bend on
//! each, and every arrow gets a box for its label on a layer of its own, so that labels never overlap. Boxes of a layer are
//! ordered by the mean position of their neighbours, then moved towards them as far as their order allows.

/// What is to be laid out: sizes of nodes, and arrows with the sizes of their labels.
pub(super) struct Task {
    pub(super) nodes: Vec<(f64, f64)>,
    pub(super) arrows: Vec<(usize, usize, (f64, f64))>,
}

/// A box: its middle and its size.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Box {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where things stand.
pub(super) struct Layout {
    pub(super) nodes: Vec<Box>,
    /// For each arrow the boxes it passes, from source to target, without those; and which of them is the label.
    pub(super) routes: Vec<(Vec<Box>, usize)>,
    /// Whether an arrow leads upwards.
    pub(super) upwards: Vec<bool>,
    pub(super) width: f64,
    pub(super) height: f64,
}

const GAP_X: f64 = 18.0;
const GAP_Y: f64 = 14.0;
const ROUNDS: usize = 12;

struct Slot {
    layer: usize,
    size: (f64, f64),
    x: f64,
    up: Vec<usize>,
    down: Vec<usize>,
}

/// Lays a graph out; the first node is the top one.
pub(super) fn lay_out(task: &Task) -> Layout {
    let upwards = back_arrows(task);
    let layers = node_layers(task, &upwards);
    let mut slots: Vec<Slot> = task
        .nodes
        .iter()
        .zip(&layers)
        .map(|(&size, &layer)| Slot { layer, size, x: 0.0, up: Vec::new(), down: Vec::new() })
        .collect();
    let mut chains: Vec<(Vec<usize>, usize)> = Vec::new();
    for (i, &(from, to, size)) in task.arrows.iter().enumerate() {
        chains.push(chain(&mut slots, from, to, size, upwards[i]));
    }
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); slots.iter().map(|s| s.layer + 1).max().unwrap_or(0)];
    (0..slots.len()).for_each(|i| rows[slots[i].layer].push(i));
    order(&slots, &mut rows);
    place(&mut slots, &rows);
    boxes(&slots, &rows, chains, upwards, task.nodes.len())
}

/// Arrows that close a cycle, found depth first; loops at one node count as well.
fn back_arrows(task: &Task) -> Vec<bool> {
    let mut out = vec![Vec::new(); task.nodes.len()];
    task.arrows.iter().enumerate().for_each(|(i, a)| out[a.0].push(i));
    let mut back = vec![false; task.arrows.len()];
    let mut state = vec![0_u8; task.nodes.len()];
    for root in 0..task.nodes.len() {
        if state[root] != 0 {
            continue;
        }
        let mut stack = vec![(root, 0)];
        state[root] = 1;
        while let Some(top) = stack.last_mut() {
            let (node, next) = *top;
            top.1 += 1;
            match out[node].get(next) {
                None => {
                    state[node] = 2;
                    stack.pop();
                }
                Some(&i) => match state[task.arrows[i].1] {
                    0 => {
                        state[task.arrows[i].1] = 1;
                        stack.push((task.arrows[i].1, 0));
                    }
                    1 => back[i] = true,
                    _ => {}
                },
            }
        }
    }
    back
}

/// Layers by longest path; nodes stand on every second layer, labels between. A loop needs no layer.
fn node_layers(task: &Task, upwards: &[bool]) -> Vec<usize> {
    let mut layers = vec![0; task.nodes.len()];
    // Without the turned arrows there is no cycle: as many rounds as nodes are enough.
    for _ in 0..task.nodes.len() {
        let mut changed = false;
        for (&(from, to, _), &back) in task.arrows.iter().zip(upwards) {
            let (a, b) = if back { (to, from) } else { (from, to) };
            if a != b && layers[b] < layers[a] + 2 {
                layers[b] = layers[a] + 2;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    layers
}

/// The bends of an arrow and its label, from top to bottom.
fn chain(slots: &mut Vec<Slot>, from: usize, to: usize, size: (f64, f64), back: bool) -> (Vec<usize>, usize) {
    let (top, bottom) = if back { (to, from) } else { (from, to) };
    if top == bottom {
        // A loop has its label on the layer below, joined to the node only.
        let layer = slots[top].layer + 1;
        slots.push(Slot { layer, size, x: 0.0, up: vec![top], down: Vec::new() });
        let new = slots.len() - 1;
        slots[top].down.push(new);
        return (vec![new], 0);
    }
    let count = slots[bottom].layer - slots[top].layer - 1;
    // The label stands next to the source, or the target when that is above.
    let label = if back { count - 1 } else { 0 };
    let mut list = Vec::new();
    let mut above = top;
    for i in 0..count {
        let size = if i == label { size } else { (4.0, 0.0) };
        slots.push(Slot { layer: slots[top].layer + 1 + i, size, x: 0.0, up: vec![above], down: Vec::new() });
        let new = slots.len() - 1;
        slots[above].down.push(new);
        list.push(new);
        above = new;
    }
    slots[above].down.push(bottom);
    slots[bottom].up.push(above);
    (list, label)
}

/// Orders each layer by the mean position of neighbours above, then below, and so on.
fn order(slots: &[Slot], rows: &mut [Vec<usize>]) {
    let mut rank = vec![0.0; slots.len()];
    let number = |rank: &mut Vec<f64>, row: &[usize]| {
        let middle = (row.len() as f64 - 1.0) / 2.0;
        row.iter().enumerate().for_each(|(i, s)| rank[*s] = i as f64 - middle);
    };
    rows.iter().for_each(|row| number(&mut rank, row));
    for round in 0..ROUNDS {
        let down = round % 2 == 0;
        for k in 0..rows.len() {
            let k = if down { k } else { rows.len() - 1 - k };
            let mean = |s: &usize| {
                let near = if down { &slots[*s].up } else { &slots[*s].down };
                let sum: f64 = near.iter().map(|n| rank[*n]).sum();
                if near.is_empty() { rank[*s] } else { sum / near.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> = rows[k].iter().map(|s| (mean(s), *s)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[k] = keyed.into_iter().map(|p| p.1).collect();
            number(&mut rank, &rows[k]);
        }
    }
}

/// Moves the boxes of each layer towards their neighbours, order and gaps kept: least squares by pooling adjacent
/// violators (Ayer and others, 1955).
fn place(slots: &mut [Slot], rows: &[Vec<usize>]) {
    for round in 0..2 * ROUNDS {
        let down = round % 2 == 0;
        for k in 0..rows.len() {
            let row = &rows[if down { k } else { rows.len() - 1 - k }];
            let mut shift = 0.0;
            let mut shifts = Vec::new();
            for (i, s) in row.iter().enumerate() {
                if i > 0 {
                    shift += (slots[row[i - 1]].size.0 + slots[*s].size.0) / 2.0 + GAP_X;
                }
                shifts.push(shift);
            }
            let mut pools: Vec<(f64, usize)> = Vec::new();
            for (i, s) in row.iter().enumerate() {
                let slot = &slots[*s];
                let near: Vec<f64> = match round {
                    0 => slot.up.iter().map(|n| slots[*n].x).collect(),
                    _ => slot.up.iter().chain(&slot.down).map(|n| slots[*n].x).collect(),
                };
                let wanted = if near.is_empty() { slot.x } else { near.iter().sum::<f64>() / near.len() as f64 };
                pools.push((wanted - shifts[i], 1));
                while let [.., a, b] = pools.as_slice()
                    && a.0 > b.0
                {
                    let count = a.1 + b.1;
                    let mean = (a.0 * a.1 as f64 + b.0 * b.1 as f64) / count as f64;
                    pools.truncate(pools.len() - 2);
                    pools.push((mean, count));
                }
            }
            let settled = pools.iter().flat_map(|p| std::iter::repeat_n(p.0, p.1));
            row.iter().zip(shifts.iter().zip(settled)).for_each(|(s, (shift, x))| slots[*s].x = x + shift);
        }
    }
}

fn boxes(
    slots: &[Slot],
    rows: &[Vec<usize>],
    chains: Vec<(Vec<usize>, usize)>,
    upwards: Vec<bool>,
    nodes: usize,
) -> Layout {
    let left = slots.iter().map(|s| s.x - s.size.0 / 2.0).fold(f64::INFINITY, f64::min);
    let right = slots.iter().map(|s| s.x + s.size.0 / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let mut middles = Vec::new();
    let mut y = 0.0;
    for row in rows {
        let height = row.iter().map(|s| slots[*s].size.1).fold(0.0, f64::max);
        middles.push(y + height / 2.0);
        y += height + GAP_Y;
    }
    let as_box = |s: usize| {
        let slot: &Slot = &slots[s];
        Box { x: slot.x - left, y: middles[slot.layer], width: slot.size.0, height: slot.size.1 }
    };
    let route = |(chain, label): (Vec<usize>, usize), up: bool| {
        let mut list: Vec<Box> = chain.iter().map(|s| as_box(*s)).collect();
        let last = list.len() - 1;
        if up {
            list.reverse();
        }
        (list, if up { last - label } else { label })
    };
    Layout {
        nodes: (0..nodes).map(as_box).collect(),
        routes: chains.into_iter().zip(&upwards).map(|(c, up)| route(c, *up)).collect(),
        upwards,
        width: right - left,
        height: y - GAP_Y,
    }
}
