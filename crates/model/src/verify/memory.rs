//! The rules of memory: see [`super`].

use super::Verifier;
use crate::ir::{Area, Channel, Init, Leaf, Place, ProcessId, ProcessKind, Scalar};
use crate::passes::walk::{self, Item};

pub(super) fn check(v: &mut Verifier<'_>) {
    let m = v.model;
    let l = m.layout;
    let size_fits = m.locations.len() as u64 <= 1 << (8 * l.location_size.min(4));
    v.check(19, matches!(l.location_size, 1 | 2 | 4) && size_fits, || "location numbers do not fit".into());
    // Trace and `_last` stand in front of the globals, the frame of the claim behind them.
    let head = u32::from(l.trace.is_some()) * l.location_size + u32::from(l.last.is_some());
    v.check(19, l.trace.is_none_or(|at| at + l.location_size <= head), || "the trace's location".into());
    v.check(19, l.last.is_none_or(|at| at < head), || "the place of `_last`".into());
    let mut fixed = l.fixed_size;
    if let Some((p, at)) = l.claim {
        let p = m.process(p);
        let fits = p.kind == ProcessKind::Never && at.checked_add(p.frame_size) == Some(l.fixed_size);
        v.check(19, fits, || "the frame of the claim".into());
        fixed = at;
    }
    area(v, "the globals", head, fixed, &m.globals, &m.channels);
    inits(v, "the globals", &m.init, m.channels.len());
    let mut found = Vec::new();
    walk::init(&m.init, &mut |item| found.extend(place_of(item)));
    found.into_iter().for_each(|p| place(v, None, p));
    let frame_head = l.location_size + u32::from(m.uses.priority);
    for (i, p) in m.processes.iter().enumerate() {
        let id = ProcessId(i as u32);
        let name = format!("P{i}");
        area(v, &name, frame_head, p.frame_size, &p.locals, &p.channels);
        inits(v, &name, &p.init, p.channels.len());
        let mut next = frame_head;
        for param in &p.params {
            let first = param.area == Area::Local && param.indices.is_empty() && param.offset == next;
            v.check(17, first, || format!("{name}: the parameter at {}", param.offset));
            next += param.scalar.size();
        }
        let mut found = Vec::new();
        v.mentioned(id, &mut |item| found.push(item));
        for item in found {
            match item {
                Item::Remote(process, p) => place(v, Some(process), p),
                item => place_of(item).into_iter().for_each(|p| place(v, Some(id), p)),
            }
        }
    }
}

fn place_of(item: Item<'_>) -> Option<&Place> {
    match item {
        Item::Read(p) | Item::Write(p) => Some(p),
        _ => None,
    }
}

fn inits(v: &mut Verifier<'_>, name: &str, list: &[(Place, Init)], channels: usize) {
    for (_, init) in list {
        if let Init::Channel(n) = init {
            v.check(18, (*n as usize) < channels, || format!("{name}: there is no channel {n}"));
        }
    }
}

fn is_scalar(s: Scalar) -> bool {
    !matches!(s, Scalar::Unsigned(0 | 32..))
}

/// Lays variables and channels out on a sheet and looks for overlaps.
fn area(v: &mut Verifier<'_>, name: &str, head: u32, size: u32, leaves: &[Leaf], channels: &[Channel]) {
    let mut taken = vec![false; size as usize];
    taken.iter_mut().take(head as usize).for_each(|b| *b = true);
    let mut take = |at: u64, len: u64| {
        let Some(bytes) = taken.get_mut(at as usize..(at + len) as usize) else { return false };
        let free = bytes.iter().all(|b| !*b);
        bytes.fill(true);
        free
    };
    for leaf in leaves {
        let sound = is_scalar(leaf.scalar);
        v.check(13, sound, || format!("{name}: {}", leaf.name));
        let mut inner = u64::from(leaf.scalar.size());
        for &(len, stride) in leaf.dims.iter().rev() {
            let fits = len > 0 && u64::from(stride) >= inner;
            v.check(15, fits, || format!("{name}: the dimension {len} * {stride} of {}", leaf.name));
            inner = u64::from(len) * u64::from(stride);
        }
        let fits = elements(leaf).all(|at| take(at, u64::from(leaf.scalar.size())));
        v.check(14, fits, || format!("{name}: {} overlaps something or lies outside", leaf.name));
    }
    for c in channels {
        v.check(13, c.fields.iter().all(|f| is_scalar(f.0)), || format!("{name}: fields of {}", c.name));
        let bytes = c.bytes();
        let fits = u64::from(c.offset) + bytes <= u64::from(size) && take(u64::from(c.offset), bytes);
        v.check(14, fits, || format!("{name}: channel {} overlaps something or lies outside", c.name));
    }
}

/// Offsets of the elements of a variable.
fn elements(leaf: &Leaf) -> impl Iterator<Item = u64> {
    let count: u64 = leaf.dims.iter().map(|d| u64::from(d.0)).product();
    (0..count).map(|mut n| {
        let mut at = u64::from(leaf.offset);
        for &(len, stride) in leaf.dims.iter().rev() {
            at += n % u64::from(len) * u64::from(stride);
            n /= u64::from(len);
        }
        at
    })
}

/// A place of a process type, or one that no process evaluates.
fn place(v: &mut Verifier<'_>, process: Option<ProcessId>, p: &Place) {
    let m = v.model;
    let leaves: &[Leaf] = match (p.area, process) {
        (Area::Global, _) => &m.globals,
        (Area::Local, Some(id)) => &m.process(id).locals,
        (Area::Local, None) => &[],
    };
    let found = leaves.iter().any(|l| {
        let Some(rest) = p.offset.checked_sub(l.offset) else { return false };
        let indices: Vec<(u32, u32)> = p.indices.iter().map(|i| (i.len, i.stride)).collect();
        l.scalar == p.scalar && reaches(&l.dims, &indices, rest)
    });
    v.check(16, found, || format!("there is no variable at {} of {:?} in {process:?}", p.offset, p.area));
}

/// Whether indices and a constant rest lead to an element: each dimension is either one of the indices or has its share
/// of the rest.
fn reaches(dims: &[(u32, u32)], indices: &[(u32, u32)], rest: u32) -> bool {
    let Some((&(len, stride), inner)) = dims.split_first() else { return indices.is_empty() && rest == 0 };
    if indices.first() == Some(&(len, stride)) && reaches(inner, &indices[1..], rest) {
        return true;
    }
    let share = rest.checked_div(stride).unwrap_or(0);
    share < len && reaches(inner, indices, rest - share * stride)
}
