//! States that differ only in what is not observed.
//!
//! A reduction up to births (`ferrospin_model::facts::creation`) keeps one of several states that differ in the numbers of
//! processes and channels, and in processes that have only their end before them. What is left of a state when all that
//! is taken away is the same for states that are alike.

use ferrospin_model::facts::creation::CreationSymmetry;
use ferrospin_model::ir::{Action, Area, Leaf, LocationId, Model, Show};

/// What is left of a state.
pub fn rest(model: &Model, births: CreationSymmetry, state: &[u8]) -> Vec<u8> {
    if !births.processes_unseen {
        return state.to_vec();
    }
    let fixed = model.layout.fixed_size as usize;
    let size = model.layout.location_size as usize;
    let mut out = state[..fixed].to_vec();
    for (area, place) in targets(model) {
        if area == Area::Global {
            out[place.0 as usize..place.1 as usize].fill(0);
        }
    }
    let (mut at, mut frames) = (fixed, Vec::new());
    while at < state.len() {
        let mut number = [0; 4];
        number[..size].copy_from_slice(&state[at..at + size]);
        let location = model.location(LocationId(u32::from_le_bytes(number)));
        let process = model.process(location.process);
        let mut frame = state[at..at + process.frame_size as usize].to_vec();
        at += process.frame_size as usize;
        let ends = location.edges.iter().all(|e| matches!(model.edge(*e).action, Action::End));
        if ends && !location.edges.is_empty() {
            continue;
        }
        for leaf in process.locals.iter().filter(|l| births.channels_unseen && l.show == Show::Channel) {
            let (start, end) = extent(leaf);
            frame[start..end].fill(0);
        }
        for (area, (start, end)) in targets(model) {
            if area == Area::Local && end as usize <= frame.len() {
                frame[start as usize..end as usize].fill(0);
            }
        }
        frames.push(frame);
    }
    frames.sort();
    frames.into_iter().for_each(|f| out.extend(f));
    out
}

/// Where results of `run` go: they differ, and are never read.
fn targets(model: &Model) -> Vec<(Area, (u32, u32))> {
    let actions = model.edges.iter().flat_map(|e| std::iter::once(&e.action).chain(&e.then));
    actions
        .filter_map(|a| match a {
            Action::Run { target: Some(p), .. } => {
                let more: u32 = p.indices.iter().map(|i| (i.len - 1) * i.stride).sum();
                Some((p.area, (p.offset, p.offset + more + p.scalar.size())))
            }
            _ => None,
        })
        .collect()
}

fn extent(leaf: &Leaf) -> (usize, usize) {
    let more: u32 = leaf.dims.iter().map(|(len, stride)| (len - 1) * stride).sum();
    (leaf.offset as usize, (leaf.offset + more + leaf.scalar.size()) as usize)
}
