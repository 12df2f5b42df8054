//! Counterexamples, made short: stem and cycle are found breadth first among the stored states.
//!
//! The stem leads to the nearest state from which a wanted arc goes on inside the component. The cycle takes that arc,
//! goes the shortest way to the nearest arc with a mark that is still missing, and so on, and then home (Couvreur,
//! Duret-Lutz and Poitrenaud 2005, section 4). Arcs are not kept anywhere: they are made again.

use super::explorer::Explorer;
use super::marks::MarkSet;
use super::{Graph, Lasso, Target};
use ferrospin_system::Handle;
use rustc_hash::{FxHashMap, FxHashSet};

/// A way from state to state: source and index of each arc.
type Way = Vec<(u32, usize)>;

/// Goes breadth first from `from` along arcs that may be `taken` until an arc is there that is `wanted`, or a state
/// that is one; gives the way and where it ends.
fn walk<G: Graph, H: Handle>(
    x: &mut Explorer<G, H>,
    from: u32,
    taken: &mut dyn FnMut(&Target<G::Marks>) -> bool,
    is_there: &mut dyn FnMut(&mut Explorer<G, H>, u32) -> bool,
    wanted: &mut dyn FnMut(&Target<G::Marks>) -> bool,
) -> Option<(Way, u32)> {
    let mut came: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
    let mut queue = vec![from];
    let mut arcs = Vec::new();
    let back = |came: &FxHashMap<u32, (u32, usize)>, mut at: u32, last: Option<(u32, usize)>| {
        let mut way: Way = last.into_iter().collect();
        while at != from {
            let (before, arc) = came[&at];
            way.push((before, arc));
            at = before;
        }
        way.reverse();
        way
    };
    let mut next = 0;
    while let Some(&at) = queue.get(next) {
        next += 1;
        if is_there(x, at) {
            return Some((back(&came, at, None), at));
        }
        x.stored_arcs(at, &mut arcs);
        for (i, target) in &arcs {
            if !taken(target) {
                continue;
            }
            if wanted(target) {
                return Some((back(&came, at, Some((at, *i))), target.id));
            }
            if target.id != from && !came.contains_key(&target.id) {
                came.insert(target.id, (at, *i));
                queue.push(target.id);
            }
        }
    }
    None
}

fn labels<G: Graph, H: Handle>(x: &mut Explorer<G, H>, way: &Way) -> Vec<G::Label> {
    way.iter().map(|&(id, arc)| x.label(id, arc)).collect()
}

/// The shortest path among stored states to one that `is_there`, and that state.
pub(crate) fn path<G: Graph, H: Handle>(
    x: &mut Explorer<G, H>,
    from: u32,
    is_there: &mut dyn FnMut(&mut Explorer<G, H>, u32) -> bool,
) -> Option<(u32, Vec<G::Label>)> {
    let (way, at) = walk(x, from, &mut |_| true, is_there, &mut |_| false)?;
    Some((at, labels(x, &way)))
}

/// The strongly connected component of a state along inside arcs, among the stored states that do not lie `elsewhere`.
pub(crate) fn component<G: Graph, H: Handle>(
    x: &mut Explorer<G, H>,
    of: u32,
    elsewhere: &dyn Fn(u32) -> bool,
) -> FxHashSet<u32> {
    let mut sources: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    sources.insert(of, Vec::new());
    let mut ahead = vec![of];
    let mut arcs = Vec::new();
    while let Some(at) = ahead.pop() {
        x.stored_arcs(at, &mut arcs);
        for (_, target) in arcs.iter().filter(|(_, t)| t.inside && !elsewhere(t.id)) {
            let known = sources.entry(target.id).or_insert_with(|| {
                ahead.push(target.id);
                Vec::new()
            });
            known.push(at);
        }
    }
    let mut members = FxHashSet::from_iter([of]);
    let mut back = vec![of];
    while let Some(at) = back.pop() {
        back.extend(sources[&at].iter().filter(|s| members.insert(**s)));
    }
    members
}

/// A lasso whose cycle lies among the states that are `member`: a strongly connected set that carries all wanted marks
/// on arcs inside it.
pub(crate) fn in_component<G: Graph, H: Handle>(
    x: &mut Explorer<G, H>,
    first: u32,
    member: &dyn Fn(u32) -> bool,
) -> Lasso<G::Label> {
    let wanted = x.graph.wanted();
    // The mark of acceptance stands behind those of fairness and is the rarest.
    let rarest = (0..G::Marks::BITS).rev().find(|m| wanted.has(*m)).map_or(G::Marks::NONE, G::Marks::one);
    let mut begins = Vec::new();
    let goal = &mut |x: &mut Explorer<G, H>, at: u32| {
        if !member(at) {
            return false;
        }
        x.stored_arcs(at, &mut begins);
        begins.iter().any(|(_, t)| t.inside && member(t.id) && t.marks.covers(rarest))
    };
    let (stem, start) = walk(x, first, &mut |_| true, goal, &mut |_| false).expect("the component is reachable");
    let mut way = Way::new();
    let mut missing = wanted;
    let mut at = start;
    let mut looked_for = rarest;
    let mut arcs = Vec::new();
    loop {
        let inside = &mut |t: &Target<G::Marks>| t.inside && member(t.id);
        let fits = &mut |t: &Target<G::Marks>| {
            if looked_for.is_none() {
                t.marks.minus(t.marks.minus(missing)) != G::Marks::NONE
            } else {
                t.marks.covers(looked_for)
            }
        };
        let any = way.is_empty() && missing.is_none();
        let fits: &mut dyn FnMut(&Target<G::Marks>) -> bool = if any { &mut |_| true } else { fits };
        let (part, to) = walk(x, at, inside, &mut |_, _| false, fits).expect("the component carries all wanted marks");
        for &(id, arc) in &part {
            x.stored_arcs(id, &mut arcs);
            let (_, t) = arcs.iter().find(|(i, _)| *i == arc).expect("the same arcs again");
            missing = missing.minus(t.marks);
        }
        way.extend(part);
        at = to;
        looked_for = G::Marks::NONE;
        if missing.is_none() {
            break;
        }
    }
    let inside = &mut |t: &Target<G::Marks>| t.inside && member(t.id);
    let (home, _) = walk(x, at, inside, &mut |_, at| at == start, &mut |_| false).expect("a component is connected");
    way.extend(home);
    Lasso { stem: labels(x, &stem), cycle: labels(x, &way) }
}

/// A lasso whose cycle takes an arc of `source` that carries all wanted marks: the shortest one.
///
/// # Panics
/// Panics when there is none among the stored states.
pub(crate) fn through<G: Graph, H: Handle>(x: &mut Explorer<G, H>, first: u32, source: u32) -> Lasso<G::Label> {
    let wanted = x.graph.wanted();
    let mut arcs = Vec::new();
    x.stored_arcs(source, &mut arcs);
    let mut best: Option<Way> = None;
    for (i, t) in arcs.iter().filter(|(_, t)| t.inside && t.marks.covers(wanted)) {
        let home = walk(x, t.id, &mut |t| t.inside, &mut |_, at| at == source, &mut |_| false);
        if let Some((home, _)) = home
            && best.as_ref().is_none_or(|b| home.len() + 1 < b.len())
        {
            best = Some(std::iter::once((source, *i)).chain(home).collect());
        }
    }
    let cycle = best.expect("a wanted arc of the state lies on a cycle");
    let (_, stem) = path(x, first, &mut |_, at| at == source).expect("the state is reachable");
    Lasso { stem, cycle: labels(x, &cycle) }
}
