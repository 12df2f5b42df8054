//! Jumps that land on a `d_step`.
//!
//! SPIN follows a `goto` or `break` to the first thing that is a step and refuses it when that is a `d_step`, even one
//! that merely follows the loop: `do ... od; d_step { ... }` needs a statement in between. The hunt passes through
//! further jumps, the ends of blocks and options and the head of an `unless`, and it never leaves an `atomic` that both
//! the jump and its target stand in. A `d_step` that holds another one is none to this rule, so that jumps may land on it.

use super::labels::has_meaning;
use super::resolver::Resolver;
use super::{Def, LabelId};
use crate::ast::{Ident, Sequence, Stmt, StmtKind};
use ferrospin_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// A statement by sequence and index.
type Place = (usize, usize);

/// How many jumps SPIN follows.
const HOPS_MAX: usize = 500;

/// A sequence of statements of the body.
struct Steps<'a> {
    steps: &'a [Stmt],
    /// The statement whose end is the end of this sequence; `None` where control goes elsewhere (a loop).
    up: Option<Place>,
    /// Whether the sequence is inside an `atomic`.
    atomic: bool,
    /// Whether its last statement is the last of the sequence around it, as that of an option or before an escape is not.
    tail: bool,
}

/// Where the hunt is.
#[derive(Clone, Copy)]
enum At {
    Before(Place),
    After(Place),
}

#[derive(Default)]
struct Map<'a> {
    all: Vec<Steps<'a>>,
    /// Where the labels stand.
    labels: FxHashMap<LabelId, Place>,
    /// The loop that a `break` leaves.
    breaks: FxHashMap<Place, Place>,
    /// The sequence a statement begins with, for `unless`.
    bodies: FxHashMap<Place, usize>,
    /// The jumps outside any `d_step`.
    jumps: Vec<(Place, Span)>,
}

impl Resolver<'_> {
    /// Reports jumps that land on a `d_step`.
    pub(super) fn landings(&mut self, body: &Sequence) {
        if self.open.as_ref().is_none_or(|o| o.zones == 0) {
            return;
        }
        let mut map = Map::default();
        self.map_steps(&mut map, &body.steps, None, false, true, None);
        let jumps = std::mem::take(&mut map.jumps);
        for (place, at) in jumps {
            let Some((start, target)) = self.start(&map, place) else { continue };
            // A jump onto the label of the `d_step` itself is reported with the labels.
            let named = matches!(start, At::Before((s, i)) if matches!(map.all[s].steps[i].kind, StmtKind::DStep(_)));
            let held = map.all[place.0].atomic && map.all[target.0].atomic;
            if !named && self.hunt(&map, start, held) {
                self.error(
                    Diagnostic::error("d-step-jump", at, "control jumps from here straight into a `d_step`")
                        .label("lands on a `d_step`")
                        .note("put a statement before the `d_step`, such as `skip`"),
                );
            }
        }
    }

    fn map_steps<'a>(
        &self,
        map: &mut Map<'a>,
        steps: &'a [Stmt],
        up: Option<Place>,
        atomic: bool,
        tail: bool,
        within: Option<Place>,
    ) -> usize {
        let id = map.all.len();
        map.all.push(Steps { steps, up, atomic, tail });
        for (i, s) in steps.iter().enumerate() {
            self.map_stmt(map, s, (id, i), within);
        }
        id
    }

    fn map_stmt<'a>(&self, map: &mut Map<'a>, s: &'a Stmt, here: Place, within: Option<Place>) {
        for l in &s.labels {
            if let Some(Def::Label(id)) = self.names.def(l) {
                map.labels.insert(id, here);
            }
        }
        let atomic = map.all[here.0].atomic;
        match &s.kind {
            StmtKind::Goto(_) => map.jumps.push((here, s.at.0)),
            StmtKind::Break => {
                map.jumps.push((here, s.at.0));
                if let Some(around) = within {
                    map.breaks.insert(here, around);
                }
            }
            StmtKind::If(options) => {
                for o in options {
                    self.map_steps(map, &o.steps, Some(here), atomic, false, within);
                }
            }
            StmtKind::Do(options) => {
                for o in options {
                    self.map_steps(map, &o.steps, None, atomic, false, Some(here));
                }
            }
            StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => {
                map.jumps.push((here, s.at.0));
                self.map_steps(map, &body.steps, None, atomic, false, Some(here));
            }
            StmtKind::Select { options: false, .. } => map.jumps.push((here, s.at.0)),
            StmtKind::Block(b) => {
                self.map_steps(map, &b.steps, Some(here), atomic, true, within);
            }
            StmtKind::Atomic(b) => {
                self.map_steps(map, &b.steps, Some(here), true, true, within);
            }
            StmtKind::InlineCall { body, .. } => {
                if let StmtKind::Block(b) = &body.kind {
                    self.map_steps(map, &b.steps, Some(here), atomic, true, within);
                }
            }
            StmtKind::Unless(body, escape) => {
                let first = match &body.kind {
                    // The braces of an `unless` are no block of their own.
                    StmtKind::Block(b) if body.labels.is_empty() => {
                        self.map_steps(map, &b.steps, Some(here), atomic, false, within)
                    }
                    _ => self.map_steps(map, std::slice::from_ref(body), Some(here), atomic, false, within),
                };
                map.bodies.insert(here, first);
                match &escape.kind {
                    StmtKind::Block(b) => self.map_steps(map, &b.steps, Some(here), atomic, false, within),
                    _ => self.map_steps(map, std::slice::from_ref(escape), Some(here), atomic, false, within),
                };
            }
            _ => {}
        }
    }

    fn label(&self, map: &Map<'_>, label: &Ident) -> Option<Place> {
        match self.names.def(label)? {
            Def::Label(id) => map.labels.get(&id).copied(),
            _ => None,
        }
    }

    /// Where a jump leads at first, and the statement that stands for its target.
    fn start(&self, map: &Map<'_>, jump: Place) -> Option<(At, Place)> {
        match &map.all[jump.0].steps[jump.1].kind {
            // Loops that count leave with a `break` of their own.
            StmtKind::ForRange { .. } | StmtKind::ForIn { .. } | StmtKind::Select { .. } => {
                Some((At::After(jump), jump))
            }
            StmtKind::Goto(l) => self.label(map, l).map(|p| (At::Before(p), p)),
            StmtKind::Break => map.breaks.get(&jump).map(|p| (At::After(*p), *p)),
            _ => None,
        }
    }

    /// Whether control that arrives at `at` meets a `d_step` before any other step.
    fn hunt(&self, map: &Map<'_>, mut at: At, held: bool) -> bool {
        for _ in 0..HOPS_MAX {
            let next = match at {
                At::After(p) => successor(map, p).map(At::Before),
                At::Before((s, i)) => {
                    let stmt = &map.all[s].steps[i];
                    match &stmt.kind {
                        StmtKind::DStep(body) => return !holds_d_step(body),
                        StmtKind::Goto(_) | StmtKind::Break => {
                            if stmt.labels.iter().any(|l| has_meaning(&l.name)) {
                                return false;
                            }
                            self.start(map, (s, i)).map(|(to, _)| to)
                        }
                        StmtKind::Unless(..) => map.bodies.get(&(s, i)).map(|b| At::Before((*b, 0))),
                        StmtKind::Exclusive { .. } => Some(At::After((s, i))),
                        _ => return false,
                    }
                }
            };
            let Some(next) = next else { return false };
            let (At::Before(p) | At::After(p)) = next;
            // An `unless` is no step; what it begins with is.
            if held && !map.bodies.contains_key(&p) && !stays(map, p) {
                return false;
            }
            at = next;
        }
        false
    }
}

/// Whether a sequence has a `d_step` in it.
pub(super) fn holds_d_step(s: &Sequence) -> bool {
    fn is_or_holds(s: &Stmt) -> bool {
        match &s.kind {
            StmtKind::DStep(_) => true,
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(holds_d_step),
            StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => holds_d_step(body),
            StmtKind::Atomic(b) | StmtKind::Block(b) => holds_d_step(b),
            StmtKind::Unless(body, escape) => is_or_holds(body) || is_or_holds(escape),
            StmtKind::InlineCall { body, .. } => is_or_holds(body),
            _ => false,
        }
    }
    s.steps.iter().any(is_or_holds)
}

/// The statement behind another one.
fn successor(map: &Map<'_>, mut at: Place) -> Option<Place> {
    loop {
        let seq = &map.all[at.0];
        if at.1 + 1 < seq.steps.len() {
            return Some((at.0, at.1 + 1));
        }
        at = seq.up?;
    }
}

/// Whether a statement is inside an `atomic` and not its last one.
fn stays(map: &Map<'_>, (mut s, mut i): Place) -> bool {
    if !map.all[s].atomic {
        return false;
    }
    loop {
        let seq = &map.all[s];
        if i + 1 < seq.steps.len() || !seq.tail {
            return seq.atomic;
        }
        match seq.up {
            Some((outer, index)) if map.all[outer].atomic => (s, i) = (outer, index),
            _ => return false,
        }
    }
}
