//! From statements to elements: the linked structure in which control flow is decided.
//!
//! An element is a statement or a construct, linked to what follows it. The structure follows the one that SPIN builds,
//! because what counts as a step, a control point or an inner step of an `atomic` is decided there: a `goto` behind a
//! statement costs nothing, a block that opens an option is entered for free, the joint behind a selection that ends an
//! `atomic` is a step of its own. [`crate::graph`] turns elements into locations and edges.

use crate::Lowering;
use crate::mutant::{Guard, Mutant};
use crate::target::Target as Stored;
use ferrospin_model::ir::{Action, Exclusive, Expr};
use ferrospin_promela::ast::{self, Stmt, StmtKind};
use ferrospin_promela::names::{Def, Init, LabelId};
use ferrospin_source::Span;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Inside an `atomic` or `d_step`, not its last step.
pub(super) const ATOM: u8 = 1;
/// Last step of an `atomic`.
pub(super) const LAST_ATOM: u8 = 2;
/// Inside a `d_step`.
pub(super) const D_ATOM: u8 = 4;

/// Where a jump goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Target {
    Label(LabelId),
    /// Behind the n-th loop.
    Break(u32),
}

impl Target {
    fn label(self) -> Option<LabelId> {
        if let Target::Label(label) = self { Some(label) } else { None }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Basic(Action),
    /// A statement that takes more than one action: what is done behind the first one in the same step.
    Several(Action, Vec<Action>),
    Goto(Target),
    /// The joint behind a selection, or in front of a repetition.
    Joint,
    /// The joint behind a repetition, where `break` leads.
    Break,
    Choice(Vec<usize>),
    /// Body and escape.
    Unless(usize, usize),
    Atomic(usize),
    DStep(usize),
    Block(usize),
    /// The closing brace of a process.
    Stop,
}

impl Kind {
    /// A statement of an action and what is done behind it in the same step.
    pub(super) fn several(action: Action, then: Vec<Action>) -> Kind {
        if then.is_empty() { Kind::Basic(action) } else { Kind::Several(action, then) }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) kind: Kind,
    pub(super) next: Option<usize>,
    pub(super) status: u8,
    /// Escapes around it, outermost first.
    pub(super) escapes: Vec<usize>,
    pub(super) labels: Vec<Arc<str>>,
    pub(super) span: Span,
    /// No escape leads away from here.
    sealed: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Seq {
    pub(super) first: Option<usize>,
    pub(super) last: Option<usize>,
    /// The last element before a joint was appended.
    pub(super) extent: Option<usize>,
}

/// A statement that is not yet in a sequence.
enum Node {
    Single(Kind),
    If(Vec<usize>),
    Do(Vec<usize>, u32),
    Unless(usize, usize),
    Nothing,
}

#[derive(Default)]
pub(super) struct Elements {
    pub(super) elements: Vec<Element>,
    pub(super) seqs: Vec<Seq>,
    pub(super) targets: HashMap<Target, usize>,
    open: Vec<usize>,
    loops: Vec<u32>,
    loop_count: u32,
    is_claim: bool,
    /// Sends to full channels lose their message.
    pub(super) lossy: bool,
    pub(super) mutant: Mutant,
    scopes: Vec<u32>,
    scope_count: u32,
    /// Labels that remote references name.
    remote: HashSet<LabelId>,
    /// Labels of jumps that are no control points.
    pub(super) passed: HashSet<LabelId>,
}

impl Elements {
    fn open(&mut self) {
        self.seqs.push(Seq::default());
        self.open.push(self.seqs.len() - 1);
    }

    fn close(&mut self) -> usize {
        let s = self.open.pop().expect("a sequence is open");
        self.seqs[s].extent = self.seqs[s].last;
        s
    }

    fn element(&mut self, kind: Kind, span: Span) -> usize {
        let (escapes, labels) = (Vec::new(), Vec::new());
        self.elements.push(Element { kind, next: None, status: 0, escapes, labels, span, sealed: false });
        self.elements.len() - 1
    }

    fn append(&mut self, e: usize, seq: usize) {
        match self.seqs[seq].last {
            None => self.seqs[seq].first = Some(e),
            Some(l) => self.elements[l].next = Some(e),
        }
        self.seqs[seq].last = Some(e);
    }

    /// Appends to the open sequence. A jump that carries a label with a meaning, or one that a remote reference names,
    /// gets a `skip` in front, which takes the label, because the jump itself will not be a control point.
    fn add(&mut self, e: usize) {
        let seq = *self.open.last().expect("a sequence is open");
        let remote = |(t, at): (&Target, &usize)| *at == e && matches!(t, Target::Label(l) if self.remote.contains(l));
        if matches!(self.elements[e].kind, Kind::Goto(_))
            && (self.elements[e].labels.iter().any(|l| special(l)) && !self.mutant.lacks(Guard::JumpSpecial)
                || self.targets.iter().any(remote) && !self.mutant.lacks(Guard::JumpRemote))
        {
            let skip = self.element(Kind::Basic(Action::Skip), self.elements[e].span);
            self.elements[skip].labels = std::mem::take(&mut self.elements[e].labels);
            for t in self.targets.values_mut() {
                if *t == e {
                    *t = skip;
                }
            }
            self.append(skip, seq);
        } else if matches!(self.elements[e].kind, Kind::Goto(_)) {
            self.passed.extend(self.targets.iter().filter(|(_, at)| **at == e).filter_map(|(t, _)| t.label()));
        }
        self.append(e, seq);
    }

    fn label(&mut self, e: usize, labels: &[(Option<LabelId>, Arc<str>)]) {
        for (id, name) in labels {
            self.elements[e].labels.push(name.clone());
            if let Some(id) = id {
                self.targets.insert(Target::Label(*id), e);
            }
        }
    }

    fn insert(&mut self, node: Node, labels: &[(Option<LabelId>, Arc<str>)], span: Span) {
        match node {
            Node::Nothing => {}
            Node::Single(kind) => {
                let e = self.element(kind, span);
                self.label(e, labels);
                self.add(e);
            }
            Node::If(options) => {
                let e = self.element(Kind::Choice(Vec::new()), span);
                let joint = self.element(Kind::Joint, span);
                let options = self.else_last(options);
                for &o in &options {
                    self.append(joint, o);
                }
                self.elements[e].kind = Kind::Choice(options);
                self.label(e, labels);
                self.add(e);
                self.add(joint);
            }
            Node::Do(options, id) => {
                let e = self.element(Kind::Choice(Vec::new()), span);
                let joint = self.element(Kind::Joint, span);
                let options = self.else_last(options);
                for &o in &options {
                    self.append(joint, o);
                }
                self.elements[e].kind = Kind::Choice(options);
                self.add(joint);
                let behind = self.element(Kind::Break, span);
                self.targets.insert(Target::Break(id), behind);
                self.label(e, labels);
                self.add(e);
                self.add(behind);
            }
            Node::Unless(body, escape) => {
                let e = self.element(Kind::Unless(body, escape), span);
                let joint = self.element(Kind::Joint, span);
                self.append(joint, body);
                self.append(joint, escape);
                self.guard_sequence(body, escape);
                self.label(e, labels);
                self.add(e);
                self.add(joint);
            }
        }
    }

    fn else_last(&self, mut options: Vec<usize>) -> Vec<usize> {
        let is_else =
            |&s: &usize| self.seqs[s].first.is_some_and(|f| matches!(self.elements[f].kind, Kind::Basic(Action::Else)));
        if let Some(i) = options.iter().position(is_else)
            && !self.mutant.lacks(Guard::ElseLast)
        {
            let e = options.remove(i);
            options.push(e);
        }
        options
    }

    /// Puts every element of a sequence under an escape.
    fn guard_sequence(&mut self, seq: usize, escape: usize) {
        let Seq { first, extent, .. } = self.seqs[seq];
        let mut e = first;
        while let Some(i) = e {
            self.guard_element(i, escape);
            if Some(i) == extent {
                break;
            }
            e = self.elements[i].next;
        }
    }

    fn guard_element(&mut self, e: usize, escape: usize) {
        if self.elements[e].sealed && !self.mutant.lacks(Guard::EscapeSealed)
            || self.elements[e].escapes.contains(&escape)
        {
            return;
        }
        if !self.mutant.lacks(Guard::EscapeInner) {
            for inner in self.elements[e].escapes.clone() {
                self.guard_sequence(inner, escape);
            }
        }
        let at = if self.mutant.lacks(Guard::EscapeOrder) { self.elements[e].escapes.len() } else { 0 };
        self.elements[e].escapes.insert(at, escape);
        match self.elements[e].kind.clone() {
            Kind::Unless(..) if self.mutant.lacks(Guard::EscapeUnless) => {}
            Kind::Choice(_) if self.mutant.lacks(Guard::EscapeChoice) => {}
            Kind::Atomic(_) | Kind::Block(_) if self.mutant.lacks(Guard::EscapeBlock) => {}
            Kind::Unless(body, _) => self.guard_sequence(body, escape),
            Kind::Choice(options) => options.iter().for_each(|&o| self.guard_sequence(o, escape)),
            Kind::DStep(s) => {
                if let Some(f) = self.seqs[s].first {
                    self.guard_element(f, escape);
                }
            }
            Kind::Atomic(s) | Kind::Block(s) => self.guard_sequence(s, escape),
            _ => {}
        }
    }

    /// Marks a sequence as atomic: all but its last step keep control.
    fn make_atomic(&mut self, seq: usize, added: u8) {
        let Seq { first, last, .. } = self.seqs[seq];
        self.walk_atomic(first, last, added);
        let Some(l) = last else { return };
        match self.elements[l].kind {
            Kind::Block(s) | Kind::Atomic(s) | Kind::Unless(s, _) if !self.mutant.lacks(Guard::AtomicLastInner) => {
                self.make_atomic(s, added);
            }
            _ => {
                if !self.mutant.lacks(Guard::AtomicLast) {
                    self.elements[l].status &= !ATOM;
                }
                self.elements[l].status |= LAST_ATOM;
            }
        }
    }

    fn walk_atomic(&mut self, first: Option<usize>, last: Option<usize>, added: u8) {
        let mut e = first;
        while let Some(i) = e {
            self.elements[i].status |= ATOM | added;
            match self.elements[i].kind.clone() {
                Kind::Atomic(s) | Kind::Block(s) => {
                    self.elements[i].kind = Kind::Block(s);
                    let Seq { first, last, .. } = self.seqs[s];
                    self.walk_atomic(first, last, added);
                }
                Kind::DStep(s) if added != 0 && !self.mutant.lacks(Guard::DStepInner) => {
                    self.elements[i].kind = Kind::Block(s);
                    let Seq { first, last, .. } = self.seqs[s];
                    self.walk_atomic(first, last, added);
                }
                Kind::Choice(_) if self.mutant.lacks(Guard::AtomicChoice) => {}
                Kind::Unless(..) if self.mutant.lacks(Guard::AtomicUnless) => {}
                Kind::Choice(options) => {
                    for o in options {
                        let Seq { first, last, .. } = self.seqs[o];
                        self.walk_atomic(first, last, added);
                    }
                }
                Kind::Unless(a, b) => {
                    for s in [a, b] {
                        let Seq { first, last, .. } = self.seqs[s];
                        self.walk_atomic(first, last, added);
                    }
                }
                _ => {}
            }
            if Some(i) == last {
                break;
            }
            e = self.elements[i].next;
        }
    }

    /// In an option, the second and further of neighbouring `skip`s do not count as steps.
    fn drop_repeated_skips(&mut self, seq: usize) {
        let Seq { first, last, extent } = self.seqs[seq];
        let (mut e, mut before, mut run) = (first, None::<usize>, 0);
        while let Some(i) = e {
            let (skip, print) = match &self.elements[i].kind {
                Kind::Basic(Action::Skip) => (true, false),
                Kind::Basic(Action::Print { .. }) => (true, true),
                _ => (false, false),
            };
            let unlabelled = self.elements[i].labels.is_empty() || self.mutant.lacks(Guard::SkipLabel);
            run = if skip && unlabelled { run + 1 } else { 0 };
            let removable = e != first && e != last && e != extent;
            let print = print && !self.mutant.lacks(Guard::SkipPrint);
            let removable = removable || self.mutant.lacks(Guard::SkipLast) && before.is_some();
            if run > 1 && !print && removable {
                let b = before.expect("not the first");
                self.elements[b].next = self.elements[i].next;
            } else {
                before = e;
            }
            e = self.elements[i].next;
        }
    }
}

/// Whether a label has a meaning of its own.
fn special(label: &str) -> bool {
    ["end", "accept", "progress"].iter().any(|p| label.starts_with(p))
}

impl Lowering<'_> {
    /// Builds the elements of a process body and returns them with its sequence.
    pub(super) fn elements(&mut self, body: &ast::Sequence, is_claim: bool) -> (Elements, usize) {
        let remote = self.remote.clone();
        let mut b = Elements { is_claim, mutant: self.mutant, scopes: vec![0], remote, ..Elements::default() };
        b.open();
        for s in &body.steps {
            self.statement(&mut b, s);
        }
        let stop = b.element(Kind::Stop, body.end.0);
        b.add(stop);
        let s = b.close();
        (b, s)
    }

    fn statement(&mut self, b: &mut Elements, s: &Stmt) {
        let labels = self.labels(s);
        if let Some((node, labels)) = self.lifted_unless(b, s) {
            b.insert(node, &labels, s.at.0);
            return;
        }
        let node = self.node(b, s);
        b.insert(node, &labels, s.at.0);
    }

    fn labels(&self, s: &Stmt) -> Vec<(Option<LabelId>, Arc<str>)> {
        let id = |l: &ast::Ident| match self.names.def(l) {
            Some(Def::Label(id)) => Some(id),
            _ => None,
        };
        s.labels.iter().map(|l| (id(l), l.name.clone())).collect()
    }

    /// `L: { body } unless escape` means `L: { { body } unless escape }`, and the same with `atomic` and `d_step`.
    #[allow(clippy::type_complexity)]
    fn lifted_unless(&mut self, b: &mut Elements, s: &Stmt) -> Option<(Node, Vec<(Option<LabelId>, Arc<str>)>)> {
        let StmtKind::Unless(body, escape) = &s.kind else { return None };
        if body.labels.is_empty() {
            return None;
        }
        let wrap: fn(usize) -> Kind = match body.kind {
            StmtKind::Block(_) | StmtKind::InlineCall { .. } => Kind::Block,
            StmtKind::Atomic(_) => Kind::Atomic,
            StmtKind::DStep(_) => Kind::DStep,
            _ => return None,
        };
        let labels = self.labels(body);
        let inner = match self.node(b, body) {
            Node::Single(Kind::Block(q) | Kind::Atomic(q) | Kind::DStep(q)) => q,
            _ => unreachable!("the kinds named above"),
        };
        let escape = self.as_sequence(b, escape);
        b.open();
        b.insert(Node::Unless(inner, escape), &[], s.at.0);
        let outer = b.close();
        Some((Node::Single(wrap(outer)), labels))
    }

    /// The sequence of a block, or a new sequence of one statement.
    fn as_sequence(&mut self, b: &mut Elements, s: &Stmt) -> usize {
        let node = self.node(b, s);
        if let (Node::Single(Kind::Block(q)), true) = (&node, s.labels.is_empty()) {
            return *q;
        }
        let labels = self.labels(s);
        b.open();
        b.insert(node, &labels, s.at.0);
        b.close()
    }

    fn sequence(&mut self, b: &mut Elements, s: &ast::Sequence) -> usize {
        b.open();
        for s in &s.steps {
            self.statement(b, s);
        }
        b.close()
    }

    /// A sequence in braces, which is a scope.
    fn scope(&mut self, b: &mut Elements, s: &ast::Sequence) -> usize {
        b.scope_count += 1;
        b.scopes.push(b.scope_count);
        let q = self.sequence(b, s);
        b.scopes.pop();
        q
    }

    /// Whether a statement takes a message from a rendezvous channel, as far as the declarations tell.
    fn is_handshake(&self, s: &Stmt) -> bool {
        let StmtKind::Receive { channel, copy: false, .. } = &s.kind else { return false };
        let buffers = |init: &Init| matches!(init, Init::Chan { capacity, .. } if *capacity > 0);
        match self.var_of(channel).map(|v| &v.init) {
            Some(Init::Chan { capacity, .. }) => *capacity == 0,
            // A parameter: any channel, unless there is none with a buffer.
            Some(_) => !self.names.vars.iter().any(|v| buffers(&v.init)),
            None => false,
        }
    }

    /// A `d_step` that opens with a handshake or with an `else`, which depend on what other edges can do: the receive or the
    /// `else`, and the rest as a `d_step` that follows at once. Blocking in the rest is an error from its first statement
    /// on, and nothing can lead away from between the two.
    fn guard_first(&mut self, b: &mut Elements, first: &Stmt, rest: &[Stmt], span: Span) -> Node {
        b.scope_count += 1;
        b.scopes.push(b.scope_count);
        b.open();
        self.statement(b, first);
        if !rest.is_empty() {
            b.open();
            self.basic(b, Action::NOTHING, span);
            rest.iter().for_each(|s| self.statement(b, s));
            let inner = b.close();
            b.make_atomic(inner, D_ATOM);
            let e = b.element(Kind::DStep(inner), span);
            b.elements[e].sealed = true;
            b.add(e);
        }
        let whole = b.close();
        b.scopes.pop();
        if !self.mutant.lacks(Guard::DStepGuardAtomic) {
            b.make_atomic(whole, 0);
        }
        Node::Single(Kind::Atomic(whole))
    }

    fn options(&mut self, b: &mut Elements, options: &[ast::Sequence]) -> Vec<usize> {
        let seqs: Vec<usize> = options.iter().map(|o| self.sequence(b, o)).collect();
        if !b.is_claim || self.mutant.lacks(Guard::SkipClaim) {
            seqs.iter().for_each(|&s| b.drop_repeated_skips(s));
        }
        seqs
    }

    fn enter_loop(b: &mut Elements) -> u32 {
        b.loop_count += 1;
        b.loops.push(b.loop_count);
        b.loop_count
    }

    fn basic(&mut self, b: &mut Elements, action: Action, span: Span) {
        b.insert(Node::Single(Kind::Basic(action)), &[], span);
    }

    fn node(&mut self, b: &mut Elements, s: &Stmt) -> Node {
        let span = s.at.0;
        let kind = match &s.kind {
            StmtKind::Decl(d) => {
                for v in &d.vars {
                    if let Some(a) = self.declaration_step(v) {
                        self.basic(b, a, v.at.0);
                    }
                }
                return Node::Nothing;
            }
            StmtKind::Exclusive { end, channels } => {
                for c in channels {
                    let place = self.place(c);
                    // Elements of arrays cannot be claimed; the front end has said so.
                    if place.indices.is_empty() {
                        let receives = *end == ast::ChannelEnd::Receive;
                        self.exclusive.push(Exclusive { channel: Expr::Load(Box::new(place)), receives });
                    }
                }
                return Node::Nothing;
            }
            StmtKind::If(options) => {
                return Node::If(self.options(b, options));
            }
            StmtKind::Do(options) => {
                let id = Self::enter_loop(b);
                let options = self.options(b, options);
                b.loops.pop();
                return Node::Do(options, id);
            }
            StmtKind::ForRange { var, from, to, body } => {
                let (v, from, to) = (self.target(var), self.expr(from), self.expr(to));
                return self.counting_loop(b, v, from, ferrospin_model::ir::Binary::Le, to, Some((&[], body)), span);
            }
            StmtKind::ForIn { var, container, body } => return self.for_in(b, var, container, body, span),
            StmtKind::Select { var, from, to, options } => {
                let v = self.target(var);
                let (from, to) = (self.expr(from), self.expr(to));
                if let (true, Expr::Const(lo), Expr::Const(hi)) =
                    (*options || self.mutant.lacks(Guard::SelectSpelled), &from, &to)
                {
                    let seqs = (*lo..=*hi)
                        .map(|x| {
                            b.open();
                            self.basic(b, v.assign(Expr::Const(x)), span);
                            b.close()
                        })
                        .collect();
                    return Node::If(seqs);
                }
                return self.counting_loop(b, v, from, ferrospin_model::ir::Binary::Lt, to, None, span);
            }
            StmtKind::Atomic(q) => {
                let q = self.scope(b, q);
                if !self.mutant.lacks(Guard::AtomicAtAll) {
                    b.make_atomic(q, 0);
                }
                return Node::Single(Kind::Atomic(q));
            }
            StmtKind::DStep(q) => {
                if let [first, rest @ ..] = &q.steps[..]
                    && (self.is_handshake(first) && !self.mutant.lacks(Guard::DStepHandshake)
                        || matches!(first.kind, StmtKind::Else) && !self.mutant.lacks(Guard::DStepElse))
                {
                    return self.guard_first(b, first, rest, span);
                }
                let q = self.scope(b, q);
                b.make_atomic(q, D_ATOM);
                return Node::Single(Kind::DStep(q));
            }
            StmtKind::Block(q) => return Node::Single(Kind::Block(self.scope(b, q))),
            StmtKind::InlineCall { body, .. } => return self.node(b, body),
            StmtKind::Unless(body, escape) => {
                let body = self.as_sequence(b, body);
                let escape = self.as_sequence(b, escape);
                return Node::Unless(body, escape);
            }
            StmtKind::Goto(label) => {
                return match self.names.def(label) {
                    Some(Def::Label(id)) => Node::Single(Kind::Goto(Target::Label(id))),
                    _ => Node::Single(Kind::Basic(Action::Skip)),
                };
            }
            StmtKind::Break => {
                return match b.loops.last() {
                    Some(&id) => Node::Single(Kind::Goto(Target::Break(id))),
                    None => Node::Single(Kind::Basic(Action::Skip)),
                };
            }
            simple => self.simple(simple),
        };
        Node::Single(kind)
    }

    /// `x = from; do :: x < to -> head; body; x++ :: else -> break od`; without body the way out is a free choice, as
    /// in `select`.
    #[allow(clippy::too_many_arguments)]
    fn counting_loop(
        &mut self,
        b: &mut Elements,
        var: Stored,
        from: Expr,
        test: ferrospin_model::ir::Binary,
        to: Expr,
        body: Option<(&[Action], &ast::Sequence)>,
        span: Span,
    ) -> Node {
        let value = var.value();
        let id = Self::enter_loop(b);
        self.basic(b, var.assign(from), span);
        b.open();
        let test = Expr::Binary(test, Box::new(value.clone()), Box::new(to));
        self.basic(b, Action::Guard(test), span);
        let endless = body.is_none();
        if let Some((head, body)) = body {
            head.iter().for_each(|a| self.basic(b, a.clone(), span));
            b.scope_count += 1;
            b.scopes.push(b.scope_count);
            body.steps.iter().for_each(|s| self.statement(b, s));
            b.scopes.pop();
        }
        let next = Expr::Binary(ferrospin_model::ir::Binary::Add, Box::new(value), Box::new(Expr::Const(1)));
        self.basic(b, var.assign(next), span);
        let turn = b.close();
        b.open();
        if !endless {
            self.basic(b, Action::Else, span);
        }
        b.insert(Node::Single(Kind::Goto(Target::Break(id))), &[], span);
        let way_out = b.close();
        b.loops.pop();
        Node::Do(vec![way_out, turn], id)
    }

    fn for_in(
        &mut self,
        b: &mut Elements,
        var: &ast::VarRef,
        container: &ast::VarRef,
        body: &ast::Sequence,
        span: Span,
    ) -> Node {
        if let Some(len) = self.array_len(container) {
            let v = self.target(var);
            let last = Expr::Const(len as i32 - 1);
            return self.counting_loop(
                b,
                v,
                Expr::Const(0),
                ferrospin_model::ir::Binary::Le,
                last,
                Some((&[], body)),
                span,
            );
        }
        let scope = *b.scopes.last().expect("a body is a scope");
        let counter = self.hidden_counter(scope, container);
        let channel = self.load(container);
        let receive = Action::Receive(ferrospin_model::ir::Receive {
            channel: channel.clone(),
            random: false,
            copy: false,
            fields: self.leaf_places(var).into_iter().map(ferrospin_model::ir::Pattern::Bind).collect(),
        });
        let send = Action::Send {
            channel: channel.clone(),
            sorted: false,
            fields: self.leaf_places(var).into_iter().map(|p| Expr::Load(Box::new(p))).collect(),
        };
        let len = Expr::Channel(ferrospin_model::ir::ChannelTest::Len, Box::new(channel));
        let head = [receive, send];
        let counter = Stored::Place(counter);
        self.counting_loop(b, counter, Expr::Const(0), ferrospin_model::ir::Binary::Lt, len, Some((&head, body)), span)
    }
}
