//! Statement merging: a step that no other process can observe is done together with the step before it.
//!
//! Where an edge leads to a location with a single edge that only works on the process's own variables, both become one
//! step, and so on along the run. The location between is left out: it is not observable whether the process rests there,
//! because it always can go on, touches nothing others see, carries no label, and nothing asks where the process stands.
//! SPIN does the same unless `-o3` is given (Holzmann, "The Model Checker SPIN", IEEE TSE 23(5), 1997; the option is of
//! 1999). An assertion about the process's own variables may be merged: it fails sooner or later, whatever the others do.
//! What only prints does nothing at all, and is passed over. Inside an `atomic` a step that does not block is not observable,
//! whatever it touches.
//!
//! Cost: linear in the number of edges, times the length of runs.
//!
//! What keeps a step from being merged:
//! - it can block; or, unless the process is inside an `atomic` in front of it, it can break off, or reads or writes anything
//!   but scalars of its own process, or one of those is read from outside (`P:x`, `xr`, `xs`);
//! - the location in front of it has a label, another edge, or is asked for (`P@label`); the location behind it is asked for, where
//!   others can see that the process is not yet there;
//! - it opens an `atomic`: then others must be able to move in front of it, unless all of the `atomic` only prints;
//! - the process has a `provided` clause, or is a claim or trace;
//! - the step before it may be a handshake, which ends two steps at once: behind its receive, only what prints is passed
//!   over, and behind its send nothing, because the receiver may go on first;
//! - the model has priorities, and the step before it may enable a process of higher priority; behind one of which no other process
//!   takes notice, only what prints is passed over;
//! - the model asks `enabled`, `pc_value` or `_last`: then it is left as it is.

use super::{GoOn, STEPS_BETWEEN, everything, runs, walk};
use crate::ir::{Action, Area, Binary, EdgeId, Expr, LocationId, Model, Place, ProcessId};
use crate::mutant::{Guard, Mutant};
use std::collections::HashSet;
use walk::Item;

/// Merges steps, in place. For each edge, the answer lists the edges that are now taken behind it in the same step.
pub fn merge(model: &mut Model) -> Vec<Vec<EdgeId>> {
    mutated(model, Mutant::NONE, &|| true)
}

pub(super) fn mutated(model: &mut Model, mutant: Mutant, go_on: GoOn<'_>) -> Vec<Vec<EdgeId>> {
    let mut merged = vec![Vec::new(); model.edges.len()];
    let mut watched = Watched { mutant, ..Watched::default() };
    everything(model, &mut |item| watched.see(item));
    for (id, p) in (0..).map(ProcessId).zip(&model.processes) {
        p.asked().for_each(|e| walk::expr(e, &mut |item| watched.see_asked(id, item)));
    }
    let standing = watched.standing || model.uses.enabled || model.uses.last;
    if standing && !mutant.lacks(Guard::MergeStanding) {
        return merged;
    }
    let plain = model.clone();
    for (i, found) in merged.iter_mut().enumerate() {
        if i.is_multiple_of(STEPS_BETWEEN) && !go_on() {
            break;
        }
        let run = run(&plain, EdgeId(i as u32), &watched);
        let edge = &mut model.edges[i];
        for &id in &run {
            let next = plain.edge(id);
            let actions = std::iter::once(&next.action).chain(&next.then);
            edge.then.extend(actions.filter(|a| !is_idle(a, mutant)).cloned());
            edge.to = next.to;
            edge.atomic = next.atomic;
        }
        *found = run;
    }
    merged
}

/// What others can notice.
#[derive(Default)]
struct Watched {
    mutant: Mutant,
    /// Variables that other processes read: type and offset.
    places: HashSet<(ProcessId, u32)>,
    /// Types whose variables are read with an index.
    arrays: HashSet<ProcessId>,
    /// Locations that are asked for.
    locations: HashSet<LocationId>,
    /// Something asks where a process stands, or whether it can move.
    standing: bool,
}

impl Watched {
    fn see(&mut self, item: Item<'_>) {
        match item {
            Item::Remote(_, place) if place.indices.is_empty() && self.mutant.lacks(Guard::MergeRemote) => {}
            Item::Remote(_, place) if !place.indices.is_empty() && self.mutant.lacks(Guard::MergeRemoteArray) => {}
            Item::Remote(process, place) if place.indices.is_empty() => {
                self.places.insert((process, place.offset));
            }
            Item::Remote(process, _) => {
                self.arrays.insert(process);
            }
            Item::Expr(Expr::AtLocation(_, _, at)) => {
                self.locations.insert(*at);
            }
            Item::Expr(Expr::PcValue(_) | Expr::Enabled(_) | Expr::Last) => self.standing = true,
            _ => {}
        }
    }

    /// What others ask of a process is read wherever it stands.
    fn see_asked(&mut self, process: ProcessId, item: Item<'_>) {
        if let Item::Read(place) = item
            && place.area == Area::Local
        {
            self.see(Item::Remote(process, place));
        }
    }
}

/// The edges that can be taken together with an edge, behind it.
fn run(model: &Model, first: EdgeId, watched: &Watched) -> Vec<EdgeId> {
    let edge = model.edge(first);
    let process = model.location(edge.from).process;
    let p = model.process(process);
    let provided = p.provided.is_some() && !watched.mutant.lacks(Guard::MergeProvided);
    let left_out = !runs(p.kind) || provided || model.location(edge.from).inside_d_step;
    let mutant = watched.mutant;
    let may_shake =
        |a: &Action| model.uses.rendezvous && matches!(a, Action::Send { .. }) && !mutant.lacks(Guard::MergeSend);
    if left_out || may_shake(&edge.action) || edge.to == LocationId::EXIT {
        return Vec::new();
    }
    if model.uses.priority && !is_unnoticed(model, first, watched) {
        return Vec::new();
    }
    let received =
        model.uses.rendezvous && matches!(edge.action, Action::Receive(_)) && !mutant.lacks(Guard::MergeReceive);
    let only_idle = received || model.uses.priority;
    let (mut at, mut atomic) = (edge.to, edge.atomic);
    let mut passed = vec![edge.from];
    let mut list = Vec::new();
    // How much of the list stands in front of an `atomic` that was opened.
    let mut opened = None;
    while let Some(id) =
        silent_edge(model, at, process, watched, (atomic || mutant.lacks(Guard::MergeAlone)) && !model.uses.priority)
    {
        let next = model.edge(id);
        let idle = std::iter::once(&next.action).chain(&next.then).all(|a| is_idle(a, mutant));
        let opens = next.atomic && !atomic;
        if passed.contains(&at)
            || !idle && (only_idle || (opens || opened.is_some()) && !mutant.lacks(Guard::MergeOpens))
        {
            break;
        }
        if opens {
            opened = Some(list.len());
        }
        passed.push(at);
        list.push(id);
        (at, atomic) = (next.to, next.atomic);
        if !atomic {
            opened = None;
        }
    }
    if !mutant.lacks(Guard::MergeTruncate) {
        list.truncate(opened.unwrap_or(list.len()));
    }
    list
}

/// Whether an edge changes nothing but variables of its own process, so that it enables no other process.
fn is_unnoticed(model: &Model, id: EdgeId, watched: &Watched) -> bool {
    let edge = model.edge(id);
    let process = model.location(edge.from).process;
    let own = |p: &Place| is_own(p, process, watched);
    let quiet = |a: &Action| {
        matches!(a, Action::Skip | Action::Print { .. } | Action::Assert(_)) || is_silent(a, &own, watched.mutant)
    };
    !watched.locations.contains(&edge.from) && std::iter::once(&edge.action).chain(&edge.then).all(quiet)
}

/// Whether a variable is a scalar of the process's own that no other process reads.
fn is_own(p: &Place, process: ProcessId, watched: &Watched) -> bool {
    let m = watched.mutant;
    (p.area == Area::Local || m.lacks(Guard::MergeGlobal))
        && (p.indices.is_empty() || m.lacks(Guard::MergeIndex))
        && !watched.places.contains(&(process, p.offset))
        && !watched.arrays.contains(&process)
}

/// The only edge of a location, if it does nothing that others can notice; they notice less where the process is `alone`,
/// inside an `atomic`.
fn silent_edge(model: &Model, at: LocationId, process: ProcessId, watched: &Watched, alone: bool) -> Option<EdgeId> {
    let location = model.location(at);
    let marked = location.end || location.accept || location.progress || !location.labels.is_empty();
    let id = *location.edges.first()?;
    if location.edges.len() > 1 && !watched.mutant.lacks(Guard::MergeChoice) {
        return None;
    }
    let edge = model.edge(id);
    let marked = (marked || watched.locations.contains(&at)) && !watched.mutant.lacks(Guard::MergeMarked);
    let arrives = watched.locations.contains(&edge.to) && !alone && !watched.mutant.lacks(Guard::MergeTarget);
    if marked || arrives || edge.escape != 0 || edge.to == LocationId::EXIT {
        return None;
    }
    let m = watched.mutant;
    let own = |p: &Place| alone || is_own(p, process, watched);
    std::iter::once(&edge.action).chain(&edge.then).all(|a| is_idle(a, m) || is_silent(a, &own, m)).then_some(id)
}

/// Whether an action changes nothing, and cannot fail either.
fn is_idle(a: &Action, m: Mutant) -> bool {
    let mut idle = matches!(a, Action::Skip | Action::Print { .. }) || m.lacks(Guard::IdleKind);
    walk::action(a, &mut |item| {
        idle &= match item {
            Item::Read(p) => p.indices.is_empty() || m.lacks(Guard::IdleIndex),
            Item::Write(_) | Item::Remote(..) => false,
            Item::Expr(e) => {
                cannot_fail(e) || matches!(e, Expr::Priority(_) | Expr::ProcessCount) || m.lacks(Guard::IdleFails)
            }
        }
    });
    idle
}

fn cannot_fail(e: &Expr) -> bool {
    match e {
        Expr::Binary(op, ..) => !matches!(op, Binary::Div | Binary::Rem),
        Expr::Const(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Cond(_) | Expr::Pid => true,
        _ => false,
    }
}

/// Whether an action does not block and touches only places that are the process's own business; it breaks off only where
/// one of these has an index.
fn is_silent(a: &Action, own: &dyn Fn(&Place) -> bool, m: Mutant) -> bool {
    let mut silent = matches!(a, Action::Skip | Action::Assign(..) | Action::Assert(_)) || m.lacks(Guard::SilentKind);
    walk::action(a, &mut |item| {
        silent &= match item {
            Item::Read(p) | Item::Write(p) => own(p),
            Item::Remote(..) => false,
            Item::Expr(e) => cannot_fail(e) || m.lacks(Guard::SilentFails),
        }
    });
    silent
}
