//! From elements to locations and edges.
//!
//! Every element that control can rest at becomes a location; its edges are the basic statements that can be executed
//! there, selections and blocks flattened, escapes in front. Jumps and joints are followed for free, except across the
//! end of an `atomic`: there they are a step, the one that gives up control.

use crate::elements::{ATOM, Elements, Kind, LAST_ATOM, Target};
use crate::marks::Marks;
use crate::mutant::Guard;
use ferrospin_model::ir::{
    Action, ChannelTest, Edge, EdgeId, Expr, Location, LocationId, Model, ProcessId, ProcessKind,
};
use ferrospin_source::Span;
use std::collections::{HashMap, HashSet};

/// An executable statement seen from a location.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// The element it belongs to, which is also its identity.
    pub(super) element: usize,
    pub(super) to: Option<usize>,
    /// First elements of the escapes around it, outermost first.
    escapes: Vec<usize>,
}

/// Why a body has no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A jump that leads to itself.
    JumpLoop(Span),
    /// More than one `else` at one control point.
    TwoElse(Span),
}

pub(super) struct Grapher<'a> {
    pub(super) b: Elements,
    model: &'a mut Model,
    process: ProcessId,
    locations: HashMap<usize, LocationId>,
    queue: Vec<usize>,
    /// What labels say, by element.
    pub(super) marks: Vec<Marks>,
    pub(super) faults: Vec<Fault>,
    /// Number of the first element of this body among those of all bodies.
    elements_before: u32,
    numbers: &'a mut Numbers,
}

/// The numbers SPIN gives to statements: elements are counted in the order in which SPIN makes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// For each edge, what SPIN's trails call its transition: its element, counted through the whole model from 0.
    pub edges: Vec<u32>,
    /// For each location, what SPIN calls its state: its element, counted inside its process type from 1.
    pub locations: Vec<u32>,
    /// Elements of the bodies so far.
    pub(super) elements: u32,
}

impl<'a> Grapher<'a> {
    /// Builds the graph of a body into `model`; returns the entry and the locations of labels.
    pub(super) fn build(
        b: Elements,
        body: usize,
        model: &'a mut Model,
        process: ProcessId,
        kind: ProcessKind,
        numbers: &'a mut Numbers,
    ) -> (LocationId, HashMap<Target, LocationId>, Vec<Fault>) {
        let elements_before = numbers.elements;
        numbers.elements += b.elements.len() as u32;
        let mut g = Grapher {
            b,
            model,
            process,
            locations: HashMap::new(),
            queue: Vec::new(),
            marks: Vec::new(),
            faults: Vec::new(),
            elements_before,
            numbers,
        };
        g.link_blocks(body);
        g.settle_jumps(body);
        g.mark();
        let first = g.b.seqs[body].first.expect("a body has a closing brace");
        let start = g.settle(first, g.b.elements[first].status);
        let entry = g.location(start);
        // A `notrace` that does not match any more waits at its closing brace, even if nothing falls into it.
        if kind == ProcessKind::NoTrace
            && let Some(stop) = g.b.elements.iter().position(|e| matches!(e.kind, Kind::Stop))
        {
            g.location(stop);
        }
        // Labels that jumps or remote references name are control points even if nothing falls into them.
        let mut labels: Vec<(Target, usize)> = g.b.targets.iter().map(|(t, e)| (*t, *e)).collect();
        labels.sort_by_key(|l| l.1);
        while let Some(e) = g.queue.pop() {
            g.expand(e);
        }
        let mut map = HashMap::new();
        for (t, e) in labels {
            if let Some(&l) = g.locations.get(&e) {
                map.insert(t, l);
            }
        }
        (entry, map, g.faults)
    }

    /// What follows the last element of a block is what follows the block.
    fn link_blocks(&mut self, seq: usize) {
        let mut pending = vec![seq];
        let mut seen = HashSet::new();
        while let Some(s) = pending.pop() {
            let mut e = self.b.seqs[s].first;
            while let Some(i) = e {
                if !seen.insert(i) {
                    break;
                }
                match self.b.elements[i].kind.clone() {
                    Kind::Atomic(q) | Kind::Block(q) | Kind::DStep(q) => {
                        let last = self.b.seqs[q].last.expect("blocks are not empty");
                        self.b.elements[last].next = self.b.elements[i].next;
                        pending.push(q);
                    }
                    Kind::Choice(options) => pending.extend(options),
                    Kind::Unless(a, b) => pending.extend([a, b]),
                    _ => {}
                }
                e = self.b.elements[i].next;
            }
        }
    }

    /// A jump out of an `atomic` gives up control; one that ends an `atomic` and leads into another keeps it.
    fn settle_jumps(&mut self, seq: usize) {
        let mut pending = vec![(seq, false)];
        while let Some((s, inside)) = pending.pop() {
            let extent = self.b.seqs[s].extent;
            let mut e = self.b.seqs[s].first;
            while let Some(i) = e {
                match self.b.elements[i].kind.clone() {
                    Kind::Goto(t) if inside => {
                        let Some(&g) = self.b.targets.get(&t) else { break };
                        let target = self.b.elements[g].status & (ATOM | LAST_ATOM) != 0;
                        let status = &mut self.b.elements[i].status;
                        let m = self.b.mutant;
                        if *status & (ATOM | LAST_ATOM) != 0 && !target && !m.lacks(Guard::JumpOut) {
                            *status = *status & !ATOM | LAST_ATOM;
                        }
                        if *status & LAST_ATOM != 0 && target && !m.lacks(Guard::JumpBridge) {
                            *status = *status & !LAST_ATOM | ATOM;
                        }
                    }
                    Kind::Atomic(q) | Kind::Block(q) | Kind::DStep(q) => pending.push((q, true)),
                    Kind::Choice(options) => pending.extend(options.into_iter().map(|o| (o, inside))),
                    Kind::Unless(a, b) => pending.extend([(a, inside), (b, inside)]),
                    _ => {}
                }
                if Some(i) == extent {
                    break;
                }
                e = self.b.elements[i].next;
            }
        }
    }

    /// The element control comes to rest at, starting from `e` after a statement of the given status.
    fn settle(&mut self, e: usize, status: u8) -> usize {
        let mut at = e;
        for _ in 0..self.b.elements.len() + 1 {
            let next = match self.b.elements[at].kind {
                Kind::Goto(t) => self.b.targets.get(&t).copied(),
                Kind::Joint | Kind::Break => self.b.elements[at].next,
                Kind::Unless(body, _) => self.b.seqs[body].first.map(|f| self.settle(f, status)),
                _ => None,
            };
            let Some(next) = next else { return at };
            let leaves = self.b.elements[next].status & ATOM == 0 && !self.b.mutant.lacks(Guard::SettleLeaves);
            if status & ATOM != 0 && leaves {
                return at;
            }
            at = next;
        }
        self.faults.push(Fault::JumpLoop(self.b.elements[e].span));
        at
    }

    /// The first element of an option or block: joints and `unless` are entered, jumps are not followed.
    pub(super) fn start(&self, e: usize) -> usize {
        let mut at = e;
        loop {
            at = match self.b.elements[at].kind {
                Kind::Joint => match self.b.elements[at].next {
                    Some(n) => n,
                    None => return at,
                },
                Kind::Unless(body, _) => self.b.seqs[body].first.expect("bodies are not empty"),
                _ => return at,
            }
        }
    }

    /// The statements that can be executed at an element, selections and blocks flattened.
    pub(super) fn transitions(&mut self, e: usize, out: &mut Vec<Transition>) {
        let element = self.b.elements[e].clone();
        match element.kind {
            Kind::Choice(options) => {
                for o in options {
                    let first = self.b.seqs[o].first.expect("options are not empty");
                    let s = self.start(first);
                    self.transitions(s, out);
                }
            }
            Kind::Atomic(q) | Kind::Block(q) | Kind::Unless(q, _) => {
                let first = self.b.seqs[q].first.expect("blocks are not empty");
                let s = self.start(first);
                self.transitions(s, out);
            }
            _ => {
                let to = match element.kind {
                    Kind::Goto(t) => match self.b.targets.get(&t).copied() {
                        Some(g) => Some(self.settle(g, element.status)),
                        None => None,
                    },
                    _ => match element.next {
                        Some(n) => Some(self.settle(n, element.status)),
                        None => None,
                    },
                };
                let escapes = if matches!(element.kind, Kind::Joint) && !self.b.mutant.lacks(Guard::EscapeJoint) {
                    Vec::new()
                } else {
                    element.escapes
                };
                let firsts: Vec<usize> = escapes.iter().filter_map(|&s| self.b.seqs[s].first).collect();
                let escapes = firsts.into_iter().map(|f| self.settle(f, element.status)).collect();
                out.push(Transition { element: e, to, escapes });
            }
        }
    }

    fn location(&mut self, e: usize) -> LocationId {
        if let Some(&l) = self.locations.get(&e) {
            return l;
        }
        let element = &self.b.elements[e];
        let marks = self.marks[e];
        let location = Location {
            process: self.process,
            edges: Vec::new(),
            end: marks.end || matches!(element.kind, Kind::Stop),
            accept: marks.accept,
            progress: marks.progress,
            inside_d_step: false,
            labels: element.labels.clone(),
            span: element.span,
        };
        let id = LocationId(self.model.locations.len() as u32);
        self.model.locations.push(location);
        self.numbers.locations.push(e as u32 + 1);
        self.locations.insert(e, id);
        self.queue.push(e);
        id
    }

    fn push_edge(&mut self, edge: Edge, element: usize) {
        let id = EdgeId(self.model.edges.len() as u32);
        self.numbers.edges.push(self.elements_before + element as u32);
        self.model.locations[edge.from.index()].edges.push(id);
        self.model.edges.push(edge);
    }

    /// Makes the edges of a location.
    fn expand(&mut self, e: usize) {
        let from = self.locations[&e];
        let mut own = Vec::new();
        self.transitions(e, &mut own);
        // Escapes are put in front one by one, innermost first, so that the outermost ends up first.
        let mut all: Vec<(Transition, u16)> = own.iter().map(|t| (t.clone(), 0)).collect();
        let mut numbers: HashMap<usize, u16> = HashMap::new();
        for t in &own {
            for &escape in t.escapes.iter().rev() {
                let mut guards = Vec::new();
                self.transitions(escape, &mut guards);
                let next = numbers.len() as u16 + 1;
                let number = *numbers.entry(escape).or_insert(next);
                for g in guards {
                    let lacks = self.b.mutant.lacks(Guard::EscapeOnce);
                    if all.iter().all(|(t, _)| t.element != g.element) || lacks {
                        all.insert(0, (g, number));
                    }
                }
            }
        }
        let elses = all.iter().filter(|(t, _)| matches!(self.b.elements[t.element].kind, Kind::Basic(Action::Else)));
        if elses.count() > 1 && !self.b.mutant.lacks(Guard::TwoElse) {
            self.faults.push(Fault::TwoElse(self.b.elements[e].span));
        }
        for (t, escape) in all {
            let element = self.b.elements[t.element].clone();
            let mut then = Vec::new();
            let (action, to) = match element.kind {
                Kind::Basic(a) => (a, t.to),
                Kind::Several(a, behind) => {
                    then = behind;
                    (a, t.to)
                }
                Kind::Goto(_) | Kind::Joint | Kind::Break => (Action::Skip, t.to),
                Kind::Stop => (Action::End, None),
                Kind::DStep(q) => (Action::DStep(self.d_step(q)), t.to),
                Kind::Choice(_) | Kind::Unless(..) | Kind::Atomic(_) | Kind::Block(_) => {
                    unreachable!("flattened before")
                }
            };
            let to = to.map_or(LocationId::EXIT, |to| self.location(to));
            let atomic = element.status & ATOM != 0;
            let lost = self.loss(&action);
            self.push_edge(Edge { from, to, action, then, atomic, escape, span: element.span }, t.element);
            if let Some(action) = lost {
                self.push_edge(
                    Edge { from, to, action, then: Vec::new(), atomic, escape, span: element.span },
                    t.element,
                );
            }
        }
    }

    /// Where channels are lossy, what a send becomes when its channel is full: a step without effect.
    fn loss(&self, action: &Action) -> Option<Action> {
        let Action::Send { channel, .. } = action else { return None };
        // A channel without a buffer is never full.
        let full = Expr::Channel(ChannelTest::Full, Box::new(channel.clone()));
        self.b.lossy.then_some(Action::Guard(full))
    }

    /// The graph inside a `d_step`: every jump is free, leaving its elements leads to the exit.
    fn d_step(&mut self, seq: usize) -> LocationId {
        let first = self.b.seqs[seq].first.expect("blocks are not empty");
        let mut inside = HashSet::new();
        self.collect(seq, &mut inside);
        let mut map: HashMap<usize, LocationId> = HashMap::new();
        let start = self.settle(first, 0);
        let entry = self.inner_location(start, &mut map);
        let mut queue = vec![start];
        let mut done = HashSet::new();
        while let Some(e) = queue.pop() {
            if !done.insert(e) {
                continue;
            }
            let from = map[&e];
            let mut list = Vec::new();
            self.transitions(e, &mut list);
            for t in list {
                let element = self.b.elements[t.element].clone();
                let (action, then) = match &element.kind {
                    Kind::Basic(a) => (a.clone(), Vec::new()),
                    Kind::Several(a, then) => (a.clone(), then.clone()),
                    _ => (Action::Skip, Vec::new()),
                };
                let next = match element.kind {
                    Kind::Goto(target) => self.b.targets.get(&target).copied(),
                    _ => element.next,
                };
                let to = match next.map(|n| self.settle_inside(n, &inside)) {
                    Some(Some(n)) => {
                        queue.push(n);
                        self.inner_location(n, &mut map)
                    }
                    _ => LocationId::EXIT,
                };
                let span = element.span;
                let lost = self.loss(&action);
                let edge = Edge { from, to, action, then, atomic: false, escape: 0, span };
                self.push_edge(edge, t.element);
                if let Some(action) = lost {
                    let edge = Edge { from, to, action, then: Vec::new(), atomic: false, escape: 0, span };
                    self.push_edge(edge, t.element);
                }
            }
        }
        entry
    }

    /// Like [`Self::settle`], but stops with `None` where control leaves the `d_step`.
    fn settle_inside(&mut self, e: usize, inside: &HashSet<usize>) -> Option<usize> {
        let mut at = e;
        for _ in 0..self.b.elements.len() + 1 {
            if !inside.contains(&at) && !self.b.mutant.lacks(Guard::DStepLeaves) {
                return None;
            }
            at = match self.b.elements[at].kind {
                Kind::Goto(t) => self.b.targets.get(&t).copied()?,
                Kind::Joint | Kind::Break => self.b.elements[at].next?,
                Kind::Unless(body, _) => self.b.seqs[body].first?,
                _ => return Some(at),
            };
        }
        self.faults.push(Fault::JumpLoop(self.b.elements[e].span));
        None
    }

    fn inner_location(&mut self, e: usize, map: &mut HashMap<usize, LocationId>) -> LocationId {
        if let Some(&l) = map.get(&e) {
            return l;
        }
        let element = &self.b.elements[e];
        let id = LocationId(self.model.locations.len() as u32);
        self.model.locations.push(Location {
            process: self.process,
            edges: Vec::new(),
            end: false,
            accept: false,
            progress: false,
            inside_d_step: true,
            labels: element.labels.clone(),
            span: element.span,
        });
        self.numbers.locations.push(e as u32 + 1);
        map.insert(e, id);
        id
    }

    fn collect(&self, seq: usize, out: &mut HashSet<usize>) {
        let last = self.b.seqs[seq].last;
        let mut e = self.b.seqs[seq].first;
        while let Some(i) = e {
            out.insert(i);
            match &self.b.elements[i].kind {
                Kind::Atomic(q) | Kind::Block(q) | Kind::DStep(q) => self.collect(*q, out),
                Kind::Choice(options) => options.iter().for_each(|&o| self.collect(o, out)),
                Kind::Unless(a, b) => [*a, *b].iter().for_each(|&s| self.collect(s, out)),
                _ => {}
            }
            if e == last {
                return;
            }
            e = self.b.elements[i].next;
        }
    }
}
