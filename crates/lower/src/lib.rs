//! From a Promela tree to process graphs.
//!
//! Three steps, each in its file: where variables stand ([`variables`]), statements as linked elements
//! ([`elements`]), elements as locations and edges ([`graph`], [`marks`]); [`expr`] does expressions and simple statements, [`target`]
//! what they store to, [`formula`] the `ltl` blocks, which [`claim`] turns into claims.
//! The result follows SPIN's rules of what is a step to the letter, so that state counts agree: the recorded runs in
//! `testkit/tests/recorded` say whether a change keeps them. [`scope`] reads formulas typed elsewhere in the scope of a model, [`embedded`]
//! places embedded C. Where a condition keeps a count or a verdict right, it has a name in [`mutant`] and a model that needs it.

pub mod claim;
mod elements;
pub mod embedded;
mod expr;
mod formula;
mod graph;
mod marks;
pub mod mutant;
mod scope;
mod target;
mod variables;

use crate::claim::Property;
use crate::mutant::Mutant;
use elements::Target;
use embedded::Embedded;
use ferrospin_model::ir::{
    Area, Exclusive, Expr, Init, Layout, LocationId, Model, Place, Process, ProcessId, ProcessKind, Uses,
};
use ferrospin_model::sizes::Cursor;
use ferrospin_promela::ast::{Program, Unit};
use ferrospin_promela::names::{BodyId, BodyKind, LabelId, Names, VarId};
use ferrospin_source::{Diagnostic, Diagnostics, SourceMap};
pub use graph::Numbers;
use graph::{Fault, Grapher};
pub use scope::{Formula, Scope, Unkept};
use std::collections::{HashMap, HashSet};
use variables::AreaBuilder;

/// What is known while lowering.
struct Lowering<'a> {
    map: &'a SourceMap,
    names: &'a Names,
    options: Options<'a>,
    mutant: Mutant,
    model: Model,
    /// The process type that is being lowered.
    body: Option<BodyId>,
    /// Where the objects of embedded C stand.
    placed: Vec<(Area, u32)>,
    offsets: HashMap<VarId, (Area, u32)>,
    process_of: HashMap<BodyId, ProcessId>,
    /// Frame of the process that is being lowered.
    frame: AreaBuilder,
    /// Counters of `for` over channels, by scope, of the process that is being lowered.
    counters: HashMap<u32, Place>,
    /// A local for values on their way, of the process that is being lowered.
    spare: Option<Place>,
    /// What the process at hand claims.
    exclusive: Vec<Exclusive>,
    /// Labels whose location is still to be filled into [`Expr::AtLocation`].
    holes: Vec<LabelId>,
    labels: HashMap<LabelId, LocationId>,
    numbers: Numbers,
    properties: Vec<Property>,
    /// Labels that remote references name.
    remote: HashSet<LabelId>,
    /// Whether `timeout` is false to hand-written claims; whether anything else mentions it.
    timeout_hidden: bool,
    timeout_outside_claims: bool,
    /// Labels of jumps, at which no process ever stands.
    passed: HashSet<LabelId>,
}

/// What of the semantics can be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// A send to a full channel can be executed, and its message is lost. Handshakes are as ever.
    pub lossy_channels: bool,
    /// What the embedded C of the model means; without it, it cannot be run.
    pub embedded: Option<&'a Embedded>,
}

/// Lowers a program that was read without errors.
pub fn lower(map: &SourceMap, program: &Program, names: &Names) -> (Model, Diagnostics) {
    let (lowered, diagnostics) = lower_all(map, program, names);
    (lowered.model, diagnostics)
}

/// All that lowering gives.
pub struct Lowered {
    /// The process graphs.
    pub model: Model,
    /// The numbers that SPIN's trails use.
    pub numbers: Numbers,
    /// The `ltl` blocks, in text order.
    pub properties: Vec<Property>,
    /// What a formula can be lowered in later.
    pub scope: Scope,
}

/// Lowers a program that was read without errors, its formulas included.
///
/// Where a remote reference names a label, that label is a control point even on a `goto`. Which labels those are is
/// known when all expressions are lowered, so that such programs are lowered twice.
pub fn lower_all(map: &SourceMap, program: &Program, names: &Names) -> (Lowered, Diagnostics) {
    lower_with(map, program, names, Options::default())
}

/// The same with what can be chosen.
pub fn lower_with(map: &SourceMap, program: &Program, names: &Names, options: Options<'_>) -> (Lowered, Diagnostics) {
    lower_twice(map, program, names, options, Mutant::NONE)
}

/// The same with a condition that may be missing; for tests.
pub fn lower_mutated(map: &SourceMap, program: &Program, names: &Names, mutant: Mutant) -> (Lowered, Diagnostics) {
    lower_twice(map, program, names, Options::default(), mutant)
}

fn lower_twice(
    map: &SourceMap,
    program: &Program,
    names: &Names,
    options: Options<'_>,
    mutant: Mutant,
) -> (Lowered, Diagnostics) {
    let (lowered, found, diagnostics) = lower_once(map, program, names, options, Found::default(), mutant);
    if found == Found::default() {
        return (lowered, diagnostics);
    }
    let (lowered, _, diagnostics) = lower_once(map, program, names, options, found, mutant);
    (lowered, diagnostics)
}

/// What is known only when everything is lowered, and asks for a second pass.
#[derive(Default, PartialEq)]
struct Found {
    /// The labels that remote references name.
    remote: HashSet<LabelId>,
    /// Only hand-written claims mention `timeout`: to these it is false everywhere, as in SPIN.
    timeout_hidden: bool,
}

/// One pass; also says what asks for a second one.
fn lower_once(
    map: &SourceMap,
    program: &Program,
    names: &Names,
    options: Options<'_>,
    known: Found,
    mutant: Mutant,
) -> (Lowered, Found, Diagnostics) {
    let Found { remote, timeout_hidden } = known;
    let mut l = Lowering { options, mutant, remote, timeout_hidden, ..Lowering::new(map, names) };
    l.model.mtypes =
        names.mtypes.iter().map(|m| m.constants.iter().map(|(name, value)| (*value, name.clone())).collect()).collect();
    let mut diagnostics = Diagnostics::default();
    l.model.uses = uses(program);
    for (i, _) in names.bodies.iter().enumerate() {
        l.process_of.insert(BodyId(i as u32), ProcessId(i as u32));
    }
    let mut globals = AreaBuilder::default();
    for (i, v) in names.vars.iter().enumerate() {
        if v.body.is_none() {
            l.lay_out(Area::Global, &mut globals, VarId(i as u32));
        }
    }
    l.lay_out_objects(Area::Global, &mut globals, None);
    // Frames are laid out before any body is lowered, because bodies may refer to locals of others.
    let mut frames = Vec::new();
    for (i, body) in names.bodies.iter().enumerate() {
        l.body = Some(BodyId(i as u32));
        let mut frame = AreaBuilder::default();
        for &v in &body.vars {
            l.lay_out(Area::Local, &mut frame, v);
        }
        l.lay_out_objects(Area::Local, &mut frame, l.body);
        frames.push(frame);
    }
    for (i, frame) in frames.into_iter().enumerate() {
        let id = ProcessId(i as u32);
        for fault in l.process(program, BodyId(i as u32), id, frame) {
            diagnostics.push(match fault {
                Fault::JumpLoop(span) => Diagnostic::error("jump-loop", span, "this jump leads back to itself")
                    .note("no statement is ever executed on the way; put a `skip` in front of the `goto`"),
                Fault::TwoElse(span) => {
                    Diagnostic::error("two-else", span, "two `else` can be chosen at this point")
                        .note("a selection that opens an option shares its guards with the outer one; only one of them may have an `else`")
                }
            });
        }
    }
    l.body = None;
    l.formulas(program);
    let heads = l.finish(globals);
    debug_assert!(
        diagnostics.iter().next().is_some() || ferrospin_model::verify::verify(&l.model) == Ok(()),
        "lowering keeps the rules"
    );
    let timeout_hidden = l.model.uses.timeout && !l.timeout_outside_claims;
    let found = Found { remote: l.holes.iter().copied().collect(), timeout_hidden };
    let Lowering { model, numbers, properties, offsets, process_of, labels, passed, placed, .. } = l;
    let mut model = model;
    let objects: Vec<(Area, u32)> =
        placed.into_iter().map(|(area, offset)| (area, heads.behind(area, offset))).collect();
    let known = options.embedded.map_or(&[][..], |e| &e.objects);
    for (o, &(_, at)) in known.iter().zip(&objects).filter(|(o, _)| o.unmatched) {
        model.unmatched.push((at, at + o.size));
    }
    let scope = Scope { offsets, objects, process_of, labels, passed, heads };
    (Lowered { model, numbers, properties, scope }, found, diagnostics)
}

impl<'a> Lowering<'a> {
    fn new(map: &'a SourceMap, names: &'a Names) -> Self {
        Lowering {
            map,
            names,
            options: Options::default(),
            mutant: Mutant::NONE,
            model: Model {
                globals: Vec::new(),
                channels: Vec::new(),
                init: Vec::new(),
                processes: Vec::new(),
                start: Vec::new(),
                locations: Vec::new(),
                edges: Vec::new(),
                mtypes: Vec::new(),
                propositions: None,
                layout: Layout::default(),
                uses: Uses::default(),
                unmatched: Vec::new(),
                code: None,
            },
            body: None,
            placed: Vec::new(),
            offsets: HashMap::new(),
            process_of: HashMap::new(),
            frame: AreaBuilder::default(),
            counters: HashMap::new(),
            spare: None,
            exclusive: Vec::new(),
            holes: Vec::new(),
            labels: HashMap::new(),
            numbers: Numbers::default(),
            properties: Vec::new(),
            remote: HashSet::new(),
            timeout_hidden: false,
            timeout_outside_claims: false,
            passed: HashSet::new(),
        }
    }

    /// Whether a hand-written claim is being lowered.
    fn in_claim(&self) -> bool {
        self.body.is_some_and(|b| matches!(self.names.bodies[b.index()].kind, BodyKind::Never))
    }

    fn process(&mut self, program: &Program, body: BodyId, id: ProcessId, frame: AreaBuilder) -> Vec<Fault> {
        self.body = Some(body);
        let info = &self.names.bodies[body.index()];
        let unit = &program.units[info.unit];
        let kind = match info.kind {
            BodyKind::Proctype => ProcessKind::Proctype,
            BodyKind::Init => ProcessKind::Init,
            BodyKind::Never => ProcessKind::Never,
            BodyKind::Trace => ProcessKind::Trace,
            BodyKind::NoTrace => ProcessKind::NoTrace,
        };
        let (sequence, priority, provided, deterministic) = match unit {
            Unit::Proctype(p) => (&p.body, p.priority.as_ref(), p.provided.as_ref(), p.deterministic),
            Unit::Init(i) => (&i.body, i.priority.as_ref(), None, false),
            Unit::Never(n) => (&n.body, None, None, false),
            Unit::Trace(t) => (&t.body, None, None, false),
            _ => unreachable!("bodies belong to these units"),
        };
        self.frame = frame;
        self.counters.clear();
        self.spare = None;
        let claim = matches!(kind, ProcessKind::Never);
        let (mut elements, seq) = self.elements(sequence, claim);
        elements.lossy = self.options.lossy_channels && matches!(kind, ProcessKind::Proctype | ProcessKind::Init);
        self.passed.extend(&elements.passed);
        let (entry, labels, faults) = Grapher::build(elements, seq, &mut self.model, id, kind, &mut self.numbers);
        for (target, location) in labels {
            if let Target::Label(l) = target {
                self.labels.insert(l, location);
            }
        }
        let params = info.vars[..info.param_count as usize].iter().flat_map(|v| self.param_places(*v)).collect();
        let priority = priority.map_or(1, |p| self.constant(&p.value).clamp(0, 255) as u8);
        let provided = provided.map(|e| self.expr(e));
        self.model.uses.provided |= provided.is_some();
        let frame = std::mem::take(&mut self.frame);
        let name = info.name.clone();
        let (active, span) = (info.active, info.at.0);
        self.model.processes.push(Process {
            name,
            kind,
            entry,
            locals: frame.leaves,
            params,
            channels: frame.channels,
            init: frame.init,
            provided,
            exclusive: std::mem::take(&mut self.exclusive),
            priority,
            deterministic,
            frame_size: frame.cursor.bytes(),
            span,
        });
        if matches!(kind, ProcessKind::Proctype | ProcessKind::Init) {
            self.model.start.extend(std::iter::repeat_n(id, active as usize));
        }
        faults
    }

    fn param_places(&mut self, v: VarId) -> Vec<Place> {
        let (area, offset) = self.offsets[&v];
        let var = &self.names.vars[v.index()];
        let mut leaves = Vec::new();
        let mut at = offset;
        variables::spread(self.names, var.ty, &mut leaves);
        leaves
            .into_iter()
            .map(|(scalar, _)| {
                let p = Place { area, offset: at, indices: Vec::new(), scalar };
                at += scalar.size();
                p
            })
            .collect()
    }

    /// Gives everything its final offset: the trace and `_last` in front of the globals, channel contents behind
    /// them; in a frame the location and the priority in front of the locals, channel contents behind.
    fn finish(&mut self, globals: AreaBuilder) -> Heads {
        let m = &mut self.model;
        // Room for the claims of formulas, which are added later, so that they never move anything.
        let location_size = Model::location_size_for(m.locations.len() + crate::claim::LOCATIONS_MAX);
        let mut heads = Cursor::default();
        let mut reserve = |wanted: bool, size: u32| wanted.then(|| heads.take(u64::from(size)));
        let traced = m.processes.iter().any(|p| matches!(p.kind, ProcessKind::Trace | ProcessKind::NoTrace));
        let trace = reserve(traced, location_size);
        let last = reserve(m.uses.last, 1);
        let frame_head = location_size + u32::from(m.uses.priority);
        m.globals = globals.leaves;
        m.channels = globals.channels;
        m.init = globals.init;
        let head = heads.bytes();
        heads.take(u64::from(globals.cursor.bytes()));
        for c in &mut m.channels {
            c.offset = heads.take(c.bytes());
            m.uses.rendezvous |= c.capacity == 0;
        }
        m.layout = Layout { location_size, trace, last, claim: None, fixed_size: heads.bytes() };
        m.globals.iter_mut().for_each(|l| l.offset += head);
        for p in &mut m.processes {
            p.locals.iter_mut().for_each(|l| l.offset += frame_head);
            let mut frame = Cursor::behind(frame_head);
            frame.take(u64::from(p.frame_size));
            for c in &mut p.channels {
                c.offset = frame.take(c.bytes());
                m.uses.rendezvous |= c.capacity == 0;
            }
            p.frame_size = frame.bytes();
        }
        let heads = Heads { global: head, frame: frame_head };
        let fix = Fixer { heads, holes: &self.holes, labels: &self.labels };
        m.init.iter_mut().for_each(|i| fix.init(i));
        for p in &mut m.processes {
            p.params.iter_mut().for_each(|p| fix.place(p));
            p.init.iter_mut().for_each(|i| fix.init(i));
            p.provided.iter_mut().for_each(|e| fix.expr(e));
            p.exclusive.iter_mut().for_each(|e| fix.expr(&mut e.channel));
        }
        for e in &mut m.edges {
            std::iter::once(&mut e.action).chain(&mut e.then).for_each(|a| fix.action(a));
        }
        self.properties.iter_mut().flat_map(|p| &mut p.atoms).for_each(|e| fix.expr(e));
        heads
    }
}

/// What stands in front of the variables.
#[derive(Clone, Copy)]
struct Heads {
    global: u32,
    frame: u32,
}

impl Heads {
    fn behind(self, area: Area, offset: u32) -> u32 {
        offset
            + match area {
                Area::Global => self.global,
                Area::Local => self.frame,
            }
    }
}

/// Moves places behind the heads of their areas and fills in the locations of labels.
struct Fixer<'a> {
    heads: Heads,
    holes: &'a [LabelId],
    labels: &'a HashMap<LabelId, LocationId>,
}

impl Fixer<'_> {
    fn place(&self, p: &mut Place) {
        p.offset = self.heads.behind(p.area, p.offset);
        p.indices.iter_mut().for_each(|i| self.expr(&mut i.value));
    }

    fn init(&self, (place, init): &mut (Place, Init)) {
        self.place(place);
        if let Init::Value(e) = init {
            self.expr(e);
        }
    }

    fn receive(&self, r: &mut ferrospin_model::ir::Receive) {
        use ferrospin_model::ir::Pattern;
        self.expr(&mut r.channel);
        for f in &mut r.fields {
            match f {
                Pattern::Match(e) => self.expr(e),
                Pattern::Bind(p) => self.place(p),
                Pattern::Any => {}
            }
        }
    }

    fn expr(&self, e: &mut Expr) {
        match e {
            Expr::Load(p) => self.place(p),
            Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::Priority(a) => {
                self.expr(a);
            }
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(parts) => parts.iter_mut().for_each(|e| self.expr(e)),
            Expr::Poll(r) => self.receive(r),
            Expr::Call(c) => self.call(c),
            Expr::AtLocation(_, pid, hole) => {
                pid.iter_mut().for_each(|p| self.expr(p));
                let label = self.holes[hole.index()];
                *hole = self.labels.get(&label).copied().unwrap_or(LocationId::EXIT);
            }
            Expr::Remote(_, pid, place) => {
                pid.iter_mut().for_each(|p| self.expr(p));
                self.place(place);
            }
            _ => {}
        }
    }

    fn call(&self, c: &mut ferrospin_model::ir::Call) {
        c.args.iter_mut().for_each(|e| self.expr(e));
        c.reads.iter_mut().chain(&mut c.writes).for_each(|p| self.place(p));
    }

    fn action(&self, a: &mut ferrospin_model::ir::Action) {
        use ferrospin_model::ir::Action;
        match a {
            Action::Guard(e) | Action::Assert(e) => self.expr(e),
            Action::Assign(p, e) => {
                self.place(p);
                self.expr(e);
            }
            Action::Send { channel, fields, .. } => {
                self.expr(channel);
                fields.iter_mut().for_each(|e| self.expr(e));
            }
            Action::Receive(r) => self.receive(r),
            Action::Print { args, .. } => args.iter_mut().for_each(|e| self.expr(e)),
            Action::Run { args, target, .. } => {
                args.iter_mut().for_each(|e| self.expr(e));
                target.iter_mut().for_each(|p| self.place(p));
            }
            Action::SetPriority(p, n) => {
                self.expr(p);
                self.expr(n);
            }
            Action::Call(c) => self.call(c),
            Action::Skip | Action::Else | Action::End | Action::DStep(_) | Action::Foreign => {}
        }
    }
}

/// Priorities given in heads; those set by statements are found while lowering.
fn uses(program: &Program) -> Uses {
    let mut uses = Uses::default();
    for u in &program.units {
        uses.priority |= match u {
            Unit::Proctype(p) => p.priority.is_some(),
            Unit::Init(i) => i.priority.is_some(),
            _ => false,
        };
    }
    uses
}
