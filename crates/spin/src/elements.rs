//! The elements that SPIN makes of statements, with its numbers.
//!
//! SPIN counts elements while it parses: `number` runs through the whole model from 0 and is what trails hold; `state`
//! runs through one process type from 1 and is what reports and step lines hold. An element is a statement or a construct;
//! a selection has a joint behind it, a loop a joint in front of it and a `break` behind. The order in which they are made is
//! the order here, so that both counts agree. A `d_step` that opens with a handshake or with `else` is two elements more for
//! the process graphs; [`Body::of_lowered`] tells elements by the count of those.

use crate::text;
use ferrospin_promela::ast::{self, Program, Stmt, StmtKind, Unit};
use ferrospin_promela::names::{BodyKind, Def, Init, LabelId, Names};
use ferrospin_source::{SourceMap, Span};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Inside an `atomic` or `d_step`, not its last step.
pub(crate) const ATOM: u8 = 1;
/// Last step of an `atomic`.
pub(crate) const LAST_ATOM: u8 = 2;
/// Inside a `d_step`.
pub(crate) const D_ATOM: u8 = 4;

/// What an element is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statement without inner control.
    Basic,
    /// `skip` or another constant condition that is 1.
    Skip,
    /// `printf` and the like.
    Print,
    /// `else`
    Else,
    /// A jump to a label, or behind a loop.
    Goto(Target),
    /// The joint behind a selection, or in front of a loop.
    Joint,
    /// Behind a loop.
    Break,
    /// `if` or `do`: its options, as sequences.
    Choice(Vec<usize>),
    /// Body and escape.
    Unless(usize, usize),
    /// `atomic`
    Atomic(usize),
    /// `d_step`
    DStep(usize),
    /// Braces.
    Block(usize),
    /// The closing brace of a process.
    Stop,
}

/// Where a jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Target {
    Label(LabelId),
    /// Behind the n-th loop.
    Loop(u32),
    /// Nowhere: the name is no label.
    Nowhere,
}

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// The same with the C in it as the verifier prints it.
    pub(crate) code: Option<String>,
    /// The line SPIN gives it.
    pub line: u32,
    /// The file of that line.
    pub file: Arc<str>,
    /// Its number in trails.
    pub number: u32,
    /// Its number in its process type.
    pub state: u32,
    /// What follows.
    pub next: Option<usize>,
    /// Labels in front of it.
    pub labels: Vec<Arc<str>>,
    /// Escapes around it, outermost first.
    pub escapes: Vec<usize>,
    /// It looks at or changes what other processes see.
    pub(crate) global: bool,
    pub(crate) status: u8,
    /// SPIN has taken it out of its sequence.
    pub(crate) dropped: bool,
}

/// A sequence of elements, linked by [`Element::next`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    /// Its first element.
    pub first: Option<usize>,
    /// Its last element.
    pub last: Option<usize>,
    /// Its last element before a joint was appended.
    pub(crate) extent: Option<usize>,
}

/// The elements of a process type, claim or trace.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name; `:init:` for `init`.
    pub name: Arc<str>,
    /// What it is.
    pub kind: BodyKind,
    /// Its elements, in the order of their states.
    pub elements: Vec<Element>,
    /// The sequences.
    pub sequences: Vec<Sequence>,
    /// The sequence of the whole body.
    pub whole: usize,
    /// The elements at which jumps arrive.
    pub targets: HashMap<Target, usize>,
    /// For each element of the process graphs, the one it belongs to.
    lowered: Vec<usize>,
}

impl Body {
    /// The element of a state.
    pub fn of_state(&self, state: u32) -> Option<&Element> {
        self.elements.get(state.checked_sub(1)? as usize)
    }

    /// The element that the process graphs count as this state.
    pub fn of_lowered(&self, state: u32) -> Option<&Element> {
        self.elements.get(*self.lowered.get(state.checked_sub(1)? as usize)?)
    }

    /// Whether a process may end at an element.
    pub fn is_end(&self, e: &Element) -> bool {
        e.kind == Kind::Stop || e.labels.iter().any(|l| l.starts_with("end"))
    }
}

/// The elements of a model.
#[derive(Clone, Debug)]
pub struct Elements {
    /// In the order of the text, which is the order of SPIN's numbers for process types.
    pub bodies: Vec<Body>,
    /// For each element of the process graphs: body and element.
    lowered: Vec<(u32, u32)>,
}

impl Elements {
    /// The elements of a model that was read without errors.
    pub fn new(map: &SourceMap, program: &Program, names: &Names) -> Elements {
        let remote = remote::labels(program, names);
        let mut all = Elements { bodies: Vec::new(), lowered: Vec::new() };
        let (mut number, mut loops, mut fragments, mut unit) = (0, 0, 0, 0);
        for (i, info) in names.bodies.iter().enumerate() {
            let sequence = match &program.units[info.unit] {
                Unit::Proctype(p) => &p.body,
                Unit::Init(p) => &p.body,
                Unit::Never(p) => &p.body,
                Unit::Trace(p) => &p.body,
                _ => unreachable!("bodies belong to these units"),
            };
            let name = if info.kind == BodyKind::Init { Arc::from(":init:") } else { info.name.clone() };
            let mut b = Builder::new(map, names, info.kind == BodyKind::Never, number, loops, &remote);
            let outside = program.units.get(unit..info.unit).into_iter().flatten();
            let c = outside.filter(|u| matches!(u, Unit::CDecl(_) | Unit::CCode(_))).count();
            (b.fragments, unit) = (fragments + c as u32, info.unit);
            let (elements, lowered) = b.body(sequence);
            fragments = b.fragments;
            (number, loops) = (number + elements.len() as u32, b.loop_count);
            all.lowered.extend(lowered.iter().map(|e| (i as u32, *e as u32)));
            let (sequences, targets) = (std::mem::take(&mut b.sequences), std::mem::take(&mut b.targets));
            all.bodies.push(Body { name, kind: info.kind, elements, sequences, whole: 0, targets, lowered });
        }
        all
    }

    /// The element of a number as trails hold it.
    pub fn of_number(&self, number: u32) -> Option<(&Body, &Element)> {
        let body = self.bodies.partition_point(|b| b.elements.first().is_none_or(|e| e.number <= number));
        let body = &self.bodies[body.checked_sub(1)?];
        Some((body, body.elements.get((number - body.elements[0].number) as usize)?))
    }

    /// The element of an edge of the process graphs, by the number that goes with it.
    pub fn of_edge(&self, number: u32) -> Option<(&Body, &Element)> {
        let (body, element) = *self.lowered.get(number as usize)?;
        let body = &self.bodies[body as usize];
        Some((body, &body.elements[element as usize]))
    }

    /// How many elements the process graphs count.
    pub fn lowered_count(&self) -> usize {
        self.lowered.len()
    }
}

mod globals;
mod remote;

/// A statement that is not yet in a sequence.
enum Node {
    Single(Kind, String),
    If(Vec<usize>),
    Do(Vec<usize>, u32),
    Unless(usize, usize),
    Nothing,
}

type Labels = Vec<(Option<LabelId>, Arc<str>)>;

struct Builder<'a> {
    map: &'a SourceMap,
    names: &'a Names,
    is_claim: bool,
    elements: Vec<Element>,
    lowered: Vec<usize>,
    sequences: Vec<Sequence>,
    targets: HashMap<Target, usize>,
    open: Vec<usize>,
    loops: Vec<u32>,
    loop_count: u32,
    first_number: u32,
    /// Where labels stand that remote references name.
    remote: &'a HashSet<LabelId>,
    last_place: (u32, Arc<str>),
    /// What the next element is said to be.
    is_global: bool,
    /// What the next element is, with its C.
    code: Option<String>,
    /// Fragments of C so far.
    fragments: u32,
}

impl<'a> Builder<'a> {
    fn new(
        map: &'a SourceMap,
        names: &'a Names,
        is_claim: bool,
        first_number: u32,
        loop_count: u32,
        remote: &'a HashSet<LabelId>,
    ) -> Self {
        Builder {
            map,
            names,
            is_claim,
            elements: Vec::new(),
            lowered: Vec::new(),
            sequences: Vec::new(),
            targets: HashMap::new(),
            open: Vec::new(),
            loops: Vec::new(),
            loop_count,
            first_number,
            remote,
            last_place: (1, Arc::from("-")),
            is_global: false,
            code: None,
            fragments: 0,
        }
    }

    fn body(&mut self, body: &ast::Sequence) -> (Vec<Element>, Vec<usize>) {
        self.begin();
        body.steps.iter().for_each(|s| self.statement(s));
        let stop = self.element(Kind::Stop, "-end-".into(), body.end.0);
        self.add(stop);
        self.end();
        self.link_blocks();
        self.mark_globals();
        (std::mem::take(&mut self.elements), std::mem::take(&mut self.lowered))
    }

    fn begin(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(self.sequences.len() - 1);
    }

    fn end(&mut self) -> usize {
        let s = self.open.pop().expect("a sequence is open");
        self.sequences[s].extent = self.sequences[s].last;
        s
    }

    /// File and line of a span; what has none stands where the last one stood.
    fn place(&mut self, span: Span) -> (u32, Arc<str>) {
        if let Some((file, line)) = self.map.presumed(self.map.primary(span).lo).filter(|_| span != Span::NONE) {
            self.last_place = (line, file.clone());
        }
        self.last_place.clone()
    }

    fn element(&mut self, kind: Kind, text: String, span: Span) -> usize {
        let (line, file) = self.place(span);
        let at = self.elements.len();
        self.elements.push(Element {
            kind,
            text,
            code: std::mem::take(&mut self.code),
            line,
            file,
            number: self.first_number + at as u32,
            state: at as u32 + 1,
            next: None,
            labels: Vec::new(),
            escapes: Vec::new(),
            global: std::mem::take(&mut self.is_global),
            status: 0,
            dropped: false,
        });
        self.lowered.push(at);
        at
    }

    fn append(&mut self, e: usize, seq: usize) {
        match self.sequences[seq].last {
            None => self.sequences[seq].first = Some(e),
            Some(l) => self.elements[l].next = Some(e),
        }
        self.sequences[seq].last = Some(e);
    }

    /// Appends to the open sequence. A jump that carries a label with a meaning gets a `skip` in front, which takes the label.
    fn add(&mut self, e: usize) {
        let seq = *self.open.last().expect("a sequence is open");
        let remote = |(t, at): (&Target, &usize)| *at == e && matches!(t, Target::Label(l) if self.remote.contains(l));
        let special = |l: &Arc<str>| ["end", "accept", "progress"].iter().any(|p| l.starts_with(p));
        if matches!(self.elements[e].kind, Kind::Goto(_))
            && (self.elements[e].labels.iter().any(special) || self.targets.iter().any(remote))
        {
            let skip = self.element(Kind::Skip, "(1)".into(), Span::NONE);
            (self.elements[skip].line, self.elements[skip].file) =
                (self.elements[e].line, self.elements[e].file.clone());
            self.elements[skip].labels = std::mem::take(&mut self.elements[e].labels);
            self.targets.values_mut().filter(|t| **t == e).for_each(|t| *t = skip);
            self.append(skip, seq);
        }
        self.append(e, seq);
    }

    fn label(&mut self, e: usize, labels: &Labels) {
        for (id, name) in labels {
            self.elements[e].labels.push(name.clone());
            if let Some(id) = id {
                self.targets.insert(Target::Label(*id), e);
            }
        }
    }

    fn insert(&mut self, node: Node, labels: &Labels, span: Span) {
        match node {
            Node::Nothing => {}
            Node::Single(kind, text) => {
                let e = self.element(kind, text, span);
                self.label(e, labels);
                self.add(e);
            }
            Node::If(options) => {
                let e = self.element(Kind::Choice(Vec::new()), "IF".into(), span);
                let joint = self.joint(span);
                let options = self.else_last(options);
                options.iter().for_each(|&o| self.append(joint, o));
                self.elements[e].kind = Kind::Choice(options);
                self.label(e, labels);
                self.add(e);
                self.add(joint);
            }
            Node::Do(options, id) => {
                let e = self.element(Kind::Choice(Vec::new()), "DO".into(), span);
                let joint = self.joint(span);
                let options = self.else_last(options);
                options.iter().for_each(|&o| self.append(joint, o));
                self.elements[e].kind = Kind::Choice(options);
                self.add(joint);
                let behind = self.element(Kind::Break, "break".into(), span);
                self.targets.insert(Target::Loop(id), behind);
                self.label(e, labels);
                self.add(e);
                self.add(behind);
            }
            Node::Unless(body, escape) => {
                let e = self.element(Kind::Unless(body, escape), "unless".into(), span);
                let joint = self.joint(span);
                self.append(joint, body);
                self.append(joint, escape);
                self.guard_sequence(body, escape);
                self.label(e, labels);
                self.add(e);
                self.add(joint);
            }
        }
    }

    /// The joint behind a construct: SPIN gives it the line of what follows, because it has read on when it makes it.
    fn joint(&mut self, span: Span) -> usize {
        let joint = self.element(Kind::Joint, ".(goto)".into(), span);
        let behind = self.map.spelling(self.map.primary(span)).and_then(|(file, range)| {
            let text = self.map.text(file).get(range.end..)?;
            let blank = |t: &str| t.len() - t.trim_start().len();
            let mut skipped = blank(text);
            if text[skipped..].starts_with(';') {
                skipped += 1 + blank(&text[skipped + 1..]);
            }
            let at = (range.end + skipped).min(self.map.text(file).len());
            self.map.presumed(self.map.base(file) + at as u32).map(|(_, line)| line)
        });
        if let Some(line) = behind {
            self.elements[joint].line = line;
        }
        joint
    }

    fn else_last(&self, mut options: Vec<usize>) -> Vec<usize> {
        let is_else = |&s: &usize| self.sequences[s].first.is_some_and(|f| self.elements[f].kind == Kind::Else);
        if let Some(i) = options.iter().position(is_else) {
            let e = options.remove(i);
            options.push(e);
        }
        options
    }

    /// What follows the last element of a block is what follows the block.
    fn link_blocks(&mut self) {
        let (mut pending, mut seen) = (vec![0], HashSet::new());
        while let Some(s) = pending.pop() {
            let mut e = self.sequences[s].first;
            while let Some(i) = e.filter(|i| seen.insert(*i)) {
                match self.elements[i].kind.clone() {
                    Kind::Atomic(q) | Kind::Block(q) | Kind::DStep(q) => {
                        if let Some(last) = self.sequences[q].last {
                            self.elements[last].next = self.elements[i].next;
                        }
                        pending.push(q);
                    }
                    Kind::Choice(options) => pending.extend(options),
                    Kind::Unless(a, b) => pending.extend([a, b]),
                    _ => {}
                }
                e = self.elements[i].next;
            }
        }
    }

    /// Where one option of a selection is looked at by others, or one statement of an `atomic`, all of them count as such.
    fn mark_globals(&mut self) {
        for e in 0..self.elements.len() {
            let seqs = match &self.elements[e].kind {
                Kind::Atomic(q) | Kind::DStep(q) => vec![*q],
                Kind::Choice(options) => options.clone(),
                _ => continue,
            };
            let is_choice = matches!(self.elements[e].kind, Kind::Choice(_));
            let mut members = Vec::new();
            for q in seqs {
                match is_choice {
                    true => members.extend(self.sequences[q].first),
                    false => self.members(q, &mut members),
                }
            }
            if members.iter().any(|m| self.elements[*m].global) {
                members.iter().for_each(|m| self.elements[*m].global = true);
                self.elements[e].global |= !is_choice;
            }
        }
    }

    /// The elements of a sequence and of those inside it.
    fn members(&self, seq: usize, out: &mut Vec<usize>) {
        let Sequence { first, last, .. } = self.sequences[seq];
        let mut at = first;
        while let Some(e) = at.filter(|e| !out.contains(e)) {
            out.push(e);
            match &self.elements[e].kind {
                Kind::Atomic(q) | Kind::Block(q) | Kind::DStep(q) => self.members(*q, out),
                Kind::Choice(options) => options.iter().for_each(|o| self.members(*o, out)),
                Kind::Unless(a, b) => [*a, *b].iter().for_each(|q| self.members(*q, out)),
                _ => {}
            }
            if at == last {
                return;
            }
            at = self.elements[e].next;
        }
    }

    fn guard_sequence(&mut self, seq: usize, escape: usize) {
        let Sequence { first, extent, .. } = self.sequences[seq];
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
        if self.elements[e].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[e].escapes.clone() {
            self.guard_sequence(inner, escape);
        }
        self.elements[e].escapes.insert(0, escape);
        match self.elements[e].kind.clone() {
            Kind::Unless(body, _) => self.guard_sequence(body, escape),
            Kind::Choice(options) => options.iter().for_each(|&o| self.guard_sequence(o, escape)),
            Kind::DStep(s) => {
                if let Some(f) = self.sequences[s].first {
                    self.guard_element(f, escape);
                }
            }
            Kind::Atomic(s) | Kind::Block(s) => self.guard_sequence(s, escape),
            _ => {}
        }
    }

    fn make_atomic(&mut self, seq: usize, added: u8) {
        let Sequence { first, last, .. } = self.sequences[seq];
        self.walk_atomic(first, last, added);
        let Some(l) = last else { return };
        match self.elements[l].kind {
            Kind::Block(s) | Kind::Atomic(s) | Kind::Unless(s, _) => self.make_atomic(s, added),
            _ => self.elements[l].status = self.elements[l].status & !ATOM | LAST_ATOM,
        }
    }

    fn walk_atomic(&mut self, first: Option<usize>, last: Option<usize>, added: u8) {
        let mut e = first;
        while let Some(i) = e {
            self.elements[i].status |= ATOM | added;
            let inner = match self.elements[i].kind.clone() {
                Kind::Atomic(s) | Kind::Block(s) => {
                    self.elements[i].kind = Kind::Block(s);
                    vec![s]
                }
                Kind::DStep(s) if added != 0 => {
                    self.elements[i].kind = Kind::Block(s);
                    vec![s]
                }
                Kind::Choice(options) => options,
                Kind::Unless(a, b) => vec![a, b],
                _ => Vec::new(),
            };
            for s in inner {
                let Sequence { first, last, .. } = self.sequences[s];
                self.walk_atomic(first, last, added);
            }
            if Some(i) == last {
                break;
            }
            e = self.elements[i].next;
        }
    }

    /// In an option, the second and further of neighbouring `skip`s are taken out.
    fn drop_repeated_skips(&mut self, seq: usize) {
        let Sequence { first, last, extent } = self.sequences[seq];
        let (mut e, mut before, mut run) = (first, None::<usize>, 0);
        while let Some(i) = e {
            let (skip, print) = (self.elements[i].kind == Kind::Skip, self.elements[i].kind == Kind::Print);
            run = if (skip || print) && self.elements[i].labels.is_empty() { run + 1 } else { 0 };
            if run > 1 && !print && e != first && e != last && e != extent {
                let b = before.expect("not the first");
                self.elements[b].next = self.elements[i].next;
                self.elements[i].dropped = true;
            } else {
                before = e;
            }
            e = self.elements[i].next;
        }
    }

    fn statement(&mut self, s: &Stmt) {
        let labels = self.labels(s);
        if let Some((node, labels)) = self.lifted_unless(s) {
            self.insert(node, &labels, s.at.0);
            return;
        }
        let node = self.node(s);
        let span = line_span(s);
        self.insert(node, &labels, span);
    }

    fn labels(&self, s: &Stmt) -> Labels {
        let id = |l: &ast::Ident| match self.names.def(l) {
            Some(Def::Label(id)) => Some(id),
            _ => None,
        };
        s.labels.iter().map(|l| (id(l), l.name.clone())).collect()
    }

    /// `L: { body } unless escape` means `L: { { body } unless escape }`, and the same with `atomic` and `d_step`.
    fn lifted_unless(&mut self, s: &Stmt) -> Option<(Node, Labels)> {
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
        let Node::Single(Kind::Block(inner) | Kind::Atomic(inner) | Kind::DStep(inner), text) = self.node(body) else {
            unreachable!("the kinds named above")
        };
        let escape = self.as_sequence(escape);
        self.begin();
        self.insert(Node::Unless(inner, escape), &Labels::new(), s.at.0);
        let outer = self.end();
        Some((Node::Single(wrap(outer), text), labels))
    }

    fn as_sequence(&mut self, s: &Stmt) -> usize {
        let node = self.node(s);
        if let (Node::Single(Kind::Block(q), _), true) = (&node, s.labels.is_empty()) {
            return *q;
        }
        let labels = self.labels(s);
        self.begin();
        self.insert(node, &labels, line_span(s));
        self.end()
    }

    fn sequence(&mut self, s: &ast::Sequence) -> usize {
        self.begin();
        s.steps.iter().for_each(|s| self.statement(s));
        self.end()
    }

    /// Whether a statement takes a message from a rendezvous channel, as far as the declarations tell.
    fn is_handshake(&self, s: &Stmt) -> bool {
        let StmtKind::Receive { channel, copy: false, .. } = &s.kind else { return false };
        let mut var = match self.names.def(&channel.path[0].name) {
            Some(Def::Var(v)) => &self.names.vars[v.index()],
            _ => return false,
        };
        for segment in &channel.path[1..] {
            let Some(Def::Field(record, k)) = self.names.def(&segment.name) else { return false };
            var = &self.names.records[record.index()].fields[k as usize];
        }
        let buffers = |init: &Init| matches!(init, Init::Chan { capacity, .. } if *capacity > 0);
        match &var.init {
            Init::Chan { capacity, .. } => *capacity == 0,
            _ => !self.names.vars.iter().any(|v| buffers(&v.init)),
        }
    }

    /// A `d_step` that opens with a handshake or `else`: the process graphs have two elements more, for the step between
    /// the two and for the rest.
    fn guard_first(&mut self, q: &ast::Sequence) -> usize {
        self.begin();
        self.statement(&q.steps[0]);
        if q.steps.len() > 1 {
            self.lowered.push(self.elements.len());
            q.steps[1..].iter().for_each(|s| self.statement(s));
            // The rest as a `d_step` is told as the whole.
            self.lowered.push(self.elements.len());
        }
        let s = self.end();
        self.make_atomic(s, D_ATOM);
        s
    }

    fn options(&mut self, options: &[ast::Sequence]) -> Vec<usize> {
        let sequences: Vec<usize> = options.iter().map(|o| self.sequence(o)).collect();
        if !self.is_claim {
            sequences.iter().for_each(|&s| self.drop_repeated_skips(s));
        }
        sequences
    }

    fn enter_loop(&mut self) -> u32 {
        self.loops.push(self.loop_count);
        self.loop_count += 1;
        self.loop_count - 1
    }

    fn basic(&mut self, kind: Kind, text: String, span: Span) {
        self.insert(Node::Single(kind, text), &Labels::new(), span);
    }

    /// Jumps out of the innermost loop.
    fn leave(&self) -> Node {
        match self.loops.last() {
            Some(id) => Node::Single(Kind::Goto(Target::Loop(*id)), format!("goto :b{id}")),
            None => Node::Single(Kind::Goto(Target::Nowhere), "break".into()),
        }
    }

    fn node(&mut self, s: &Stmt) -> Node {
        let span = s.at.0;
        match &s.kind {
            StmtKind::Decl(d) => {
                for v in &d.vars {
                    if let Some(text) = self.declaration(v) {
                        self.is_global =
                            matches!(&v.init, Some(ast::Initializer::Expr(e)) if globals::expr(self.names, e));
                        self.basic(Kind::Basic, text, v.at.0);
                    }
                }
                Node::Nothing
            }
            StmtKind::Exclusive { .. } => Node::Nothing,
            StmtKind::If(options) => Node::If(self.options(options)),
            StmtKind::Do(options) => {
                let id = self.enter_loop();
                let options = self.options(options);
                self.loops.pop();
                Node::Do(options, id)
            }
            StmtKind::ForRange { var, from, to, body } => {
                let name = text::var(var, &text::told(self.names));
                let test = format!("(({name}<={}))", text::expr(to, &text::told(self.names)));
                let global =
                    [globals::var(self.names, var), globals::expr(self.names, from), globals::expr(self.names, to)];
                self.counting_loop(
                    &name,
                    &text::expr(from, &text::told(self.names)),
                    test,
                    Some((&[], body)),
                    global,
                    span,
                )
            }
            StmtKind::ForIn { var, container, body } => self.for_in(var, container, body, span),
            StmtKind::Select { var, from, to, options } => {
                let name = text::var(var, &text::told(self.names));
                if let (true, Some(lo), Some(hi)) = (*options, constant(from), constant(to)) {
                    let each = |b: &mut Self, n: i32| {
                        b.begin();
                        b.is_global = globals::var(b.names, var);
                        b.basic(Kind::Basic, format!("{name} = {n}"), span);
                        b.end()
                    };
                    return Node::If((lo..=hi).map(|n| each(self, n)).collect());
                }
                let test = format!("(({name}<{}))", text::expr(to, &text::told(self.names)));
                let global =
                    [globals::var(self.names, var), globals::expr(self.names, from), globals::expr(self.names, to)];
                self.counting_loop(&name, &text::expr(from, &text::told(self.names)), test, None, global, span)
            }
            StmtKind::Atomic(q) => {
                let q = self.sequence(q);
                self.make_atomic(q, 0);
                Node::Single(Kind::Atomic(q), "ATOMIC".into())
            }
            StmtKind::DStep(q) => {
                let text = format!("D_STEP{}", self.place(span).0);
                if q.steps.first().is_some_and(|f| self.is_handshake(f) || f.kind == StmtKind::Else) {
                    return Node::Single(Kind::DStep(self.guard_first(q)), text);
                }
                let q = self.sequence(q);
                self.make_atomic(q, D_ATOM);
                Node::Single(Kind::DStep(q), text)
            }
            StmtKind::Block(q) => Node::Single(Kind::Block(self.sequence(q)), "sub-sequence".into()),
            StmtKind::InlineCall { body, .. } => self.node(body),
            StmtKind::Unless(body, escape) => {
                let body = self.as_sequence(body);
                let escape = self.as_sequence(escape);
                Node::Unless(body, escape)
            }
            StmtKind::Goto(label) => {
                let target = match self.names.def(label) {
                    Some(Def::Label(id)) => Target::Label(id),
                    _ => Target::Nowhere,
                };
                Node::Single(Kind::Goto(target), format!("goto {}", label.name))
            }
            StmtKind::Break => self.leave(),
            simple => {
                self.is_global = globals::statement(self.names, simple);
                let text = text::statement(simple, &text::told(self.names)).expect("all with inner control are above");
                let (text, code) = text::with_fragments(text, &mut self.fragments);
                self.code = code;
                let kind = match simple {
                    StmtKind::Else => Kind::Else,
                    StmtKind::Printf { .. } | StmtKind::Printm(_) => Kind::Print,
                    StmtKind::Empty => Kind::Skip,
                    StmtKind::Expr(e) if constant(e) == Some(1) => Kind::Skip,
                    _ => Kind::Basic,
                };
                Node::Single(kind, text)
            }
        }
    }

    /// The text of a declaration in the middle of a body, which is a step.
    fn declaration(&self, d: &ast::Declarator) -> Option<String> {
        let Some(Def::Var(id)) = self.names.def(&d.name) else { return None };
        let var = &self.names.vars[id.index()];
        if var.at_head {
            return None;
        }
        let value = match &var.init {
            Init::Expr(e) => text::expr(e, &text::told(self.names)),
            Init::List(list) => list.first().copied().unwrap_or(0).to_string(),
            Init::Zero | Init::Chan { .. } => "0".into(),
        };
        let index = if var.array.is_some() { "[0]" } else { "" };
        Some(format!("{}{index} = {value}", var.name))
    }

    /// `x = from; do :: test -> head; body; x++ :: else -> break od`; without a body the way out is a free choice.
    #[allow(clippy::too_many_arguments)]
    fn counting_loop(
        &mut self,
        name: &str,
        from: &str,
        test: String,
        body: Option<(&[String], &ast::Sequence)>,
        [of_var, of_from, of_to]: [bool; 3],
        span: Span,
    ) -> Node {
        let id = self.enter_loop();
        self.is_global = of_var || of_from;
        self.basic(Kind::Basic, format!("{name} = {from}"), span);
        self.begin();
        self.is_global = of_var || of_to;
        self.basic(Kind::Basic, test, span);
        let endless = body.is_none();
        if let Some((head, body)) = body {
            for text in head {
                self.is_global = true;
                self.basic(Kind::Basic, text.clone(), span);
            }
            body.steps.iter().for_each(|s| self.statement(s));
        }
        self.is_global = of_var;
        self.basic(Kind::Basic, format!("{name} = ({name}+1)"), span);
        let turn = self.end();
        self.begin();
        let end =
            body.map_or(span, |(_, body)| Span { lo: body.at.0.hi.saturating_sub(1).max(body.at.0.lo), ..body.at.0 });
        if !endless {
            self.basic(Kind::Else, "else".into(), end);
        }
        let leave = self.leave();
        self.insert(leave, &Labels::new(), end);
        let way_out = self.end();
        self.loops.pop();
        Node::Do(vec![way_out, turn], id)
    }

    fn for_in(&mut self, var: &ast::VarRef, container: &ast::VarRef, body: &ast::Sequence, span: Span) -> Node {
        let (name, channel) = (text::var(var, &text::told(self.names)), text::var(container, &text::told(self.names)));
        if let Some(length) = self.array_length(container) {
            let test = format!("(({name}<={}))", i64::from(length) - 1);
            let global = [globals::var(self.names, var), false, false];
            return self.counting_loop(&name, "0", test, Some((&[], body)), global, span);
        }
        // SPIN counts in a variable of its own.
        let fields = self.fields_of(var).iter().map(|f| format!("{name}.{f}")).collect::<Vec<_>>().join(",");
        let head = [format!("{channel}?{fields}"), format!("{channel}!{fields}")];
        let test = format!("((_f0r_t3mp<len({channel})))");
        self.counting_loop("_f0r_t3mp", "0", test, Some((&head, body)), [false, false, true], span)
    }

    fn var_of(&self, v: &ast::VarRef) -> Option<&ferrospin_promela::names::Var> {
        let Some(Def::Var(id)) = v.path.first().and_then(|s| self.names.def(&s.name)) else { return None };
        let mut var = &self.names.vars[id.index()];
        for segment in &v.path[1..] {
            let Some(Def::Field(record, k)) = self.names.def(&segment.name) else { return None };
            var = &self.names.records[record.index()].fields[k as usize];
        }
        Some(var)
    }

    fn array_length(&self, v: &ast::VarRef) -> Option<u32> {
        if v.path.last().is_some_and(|s| s.index.is_some()) {
            return None;
        }
        self.var_of(v)?.array
    }

    fn fields_of(&self, v: &ast::VarRef) -> Vec<String> {
        match self.var_of(v).map(|v| v.ty) {
            Some(ferrospin_promela::names::Ty::Record(r)) => {
                self.names.records[r.index()].fields.iter().map(|f| f.name.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A constant expression of one literal.
fn constant(e: &ast::Expr) -> Option<i32> {
    match &e.kind {
        ast::ExprKind::Const(n, _) => Some(*n),
        ast::ExprKind::Unary(ast::UnaryOp::Minus, e) => Some(constant(e)?.wrapping_neg()),
        _ => None,
    }
}

/// Where SPIN sees a statement: an expression stands on the line of its last operand.
fn line_span(s: &Stmt) -> Span {
    match &s.kind {
        StmtKind::Expr(e) => last_operand(e),
        _ => s.at.0,
    }
}

fn last_operand(e: &ast::Expr) -> Span {
    match &e.kind {
        ast::ExprKind::Binary(_, _, b) => last_operand(b),
        ast::ExprKind::Unary(_, a) => last_operand(a),
        _ => e.at.0,
    }
}
