//! From a model to a [`Program`]: which functions there are, and the tables that lead to them.
//!
//! One function per location that has something to test, one per edge that does more than change the location: small
//! functions compile fast and need few registers. Everything else is data.

use crate::action::{has_effect, inside};
use crate::context::Code;
use crate::emit::{Emitter, Target};
use crate::executable::Taken;
use crate::plan::Plan;
use crate::program::{
    EdgeCode, Find, Finder, Grown, Growth, LocationCode, Memory, ProcessCode, Program, Receivers, TraceCode, marked,
};
use crate::{Effort, Refusal, check, ready};
use cranelift_codegen::Context as CompileContext;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use ferrospin_model::ir::{Action, Edge, EdgeId, Init, Location, LocationId, Model, ProcessId, ProcessKind};
use ferrospin_model::passes::GoOn;
use ferrospin_model::passes::walk::propositions_ask_timeout;
use std::sync::OnceLock;

/// A program in the making.
pub(crate) struct Build<'a> {
    plan: &'a Plan<'a>,
    module: JITModule,
    compile: CompileContext,
    scratch: FunctionBuilderContext,
    pub(crate) signature: Signature,
    /// Of functions that write moves.
    pub(crate) finding: Signature,
    pub(crate) target: Target,
    effort: Effort,
    /// Whether the caller still waits for the code.
    go_on: GoOn<'a>,
    /// Whether the function made last can fail, and whether it calls helper functions.
    fails: bool,
    calls: bool,
}

/// A function that is compiled but not yet placed in memory.
type Made = Option<FuncId>;

/// Functions of a location.
#[derive(Clone, Copy, Default)]
struct LocationMade {
    find: Made,
    fails: bool,
    test: Made,
    accepts: Made,
    somehow: Made,
    fits: Made,
}

/// Functions of an edge.
#[derive(Clone, Copy, Default)]
struct EdgeMade {
    apply: Made,
    offer: Made,
    take: Made,
    /// Its code calls helper functions.
    calls: bool,
}

/// Compiles a model.
pub(crate) fn build(model: &Model, effort: Effort, go_on: GoOn<'_>) -> Result<Program, Refusal> {
    check::check(model).map_err(Refusal::Model)?;
    let plan = Plan::new(model);
    let mut b = Build { go_on, ..Build::new(&plan, effort)? };
    let edges = model.edges.iter().map(|e| b.edge(e)).collect::<Result<Vec<_>, _>>()?;
    let growth = may_grow(&plan).then(|| Growth {
        model: model.clone(),
        taken: edges.iter().zip(&model.edges).map(|(made, e)| how_taken(&plan, made, e)).collect(),
        grown: OnceLock::new(),
    });
    let locations =
        (0..model.locations.len() as u32).map(|l| b.location(LocationId(l))).collect::<Result<Vec<_>, _>>()?;
    let processes =
        (0..model.processes.len() as u32).map(|p| b.process(ProcessId(p))).collect::<Result<Vec<_>, _>>()?;
    let init = b.model_init()?;
    let trace_edges = trace_edges(&plan);
    let named = if trace_edges.is_empty() { None } else { b.make(None, |m| m.fitting(&trace_edges, true))? };
    b.module.finalize_definitions().map_err(|e| Refusal::Code(e.to_string()))?;
    let mut program = b.finish(&locations, &edges, &processes, init, named, trace_edges.len());
    program.growth = growth;
    Ok(program)
}

/// Compiles once more, this time so that moves are taken while they are looked for.
pub(crate) fn grow(growth: &Growth) -> Result<Grown, Refusal> {
    let plan = Plan::new(&growth.model);
    let mut b = Build::new(&plan, Effort::Thorough)?;
    let mut made = Vec::with_capacity(growth.model.locations.len());
    for (i, l) in growth.model.locations.iter().enumerate() {
        let shakes = l.edges.iter().any(|e| may_offer(&plan, &growth.model.edge(*e).action));
        let wanted = plan.is_process(l.process) && !l.inside_d_step && !shakes;
        let id = LocationId(i as u32);
        b.fails = false;
        let find = match wanted {
            true => b.make_as(b.finding.clone(), Some(l.process), |m| m.growing(id, &growth.taken))?,
            false => None,
        };
        made.push((find, b.fails));
    }
    b.module.finalize_definitions().map_err(|e| Refusal::Code(e.to_string()))?;
    let finders = made.into_iter().zip(&growth.model.locations).map(|((find, fails), l)| Finder {
        find: find_code(&b.module, find),
        process: l.process.0,
        fails,
        provided: growth.model.process(l.process).provided.is_some(),
        marked: marked_bits(l),
    });
    let finders = finders.collect();
    Ok(Grown { finders, _memory: Memory::new(b.module) })
}

/// The code of a function that finds moves.
fn find_code(module: &JITModule, made: Made) -> Option<Find> {
    made.map(|id| {
        let pointer = module.get_finalized_function(id);
        // SAFETY: functions that find moves were defined with the signature that `Find` names.
        unsafe { std::mem::transmute::<*const u8, Find>(pointer) }
    })
}

fn trace_edges(plan: &Plan<'_>) -> Vec<EdgeId> {
    let of_trace = |e: &Edge| plan.is_trace(plan.model.location(e.from).process);
    let edges = plan.model.edges.iter().enumerate().filter(|(_, e)| of_trace(e));
    if plan.has_trace { edges.map(|(i, _)| EdgeId(i as u32)).collect() } else { Vec::new() }
}

impl<'a> Build<'a> {
    pub(crate) fn new(plan: &'a Plan<'a>, effort: Effort) -> Result<Self, Refusal> {
        let mut flags = settings::builder();
        let (opt_level, allocator) = match effort {
            Effort::Quick => ("none", "single_pass"),
            Effort::Thorough => ("speed", "backtracking"),
        };
        let options = [
            ("opt_level", opt_level),
            ("regalloc_algorithm", allocator),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("unwind_info", "false"),
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ];
        for (name, value) in options {
            flags.set(name, value).map_err(|e| Refusal::Platform(e.to_string()))?;
        }
        let isa = cranelift_native::builder()
            .map_err(|e| Refusal::Platform(e.into()))?
            .finish(settings::Flags::new(flags))
            .map_err(|e| Refusal::Platform(e.to_string()))?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let target = Target {
            pointer: module.target_config().pointer_type(),
            call_conv: module.target_config().default_call_conv,
        };
        let mut signature = module.make_signature();
        for ty in [target.pointer, target.pointer, target.pointer, types::I32, types::I32] {
            signature.params.push(AbiParam::new(ty));
        }
        signature.returns.push(AbiParam::new(types::I64));
        let mut finding = module.make_signature();
        for ty in [target.pointer, target.pointer, target.pointer, types::I32, target.pointer] {
            finding.params.push(AbiParam::new(ty));
        }
        finding.returns.push(AbiParam::new(target.pointer));
        let compile = module.make_context();
        let scratch = FunctionBuilderContext::new();
        Ok(Build {
            plan,
            module,
            compile,
            scratch,
            signature,
            finding,
            target,
            effort,
            go_on: &|| true,
            fails: false,
            calls: false,
        })
    }

    /// Defines a function of any signature; the one of functions that write moves is handed over, too.
    pub(crate) fn define(
        &mut self,
        signature: Signature,
        emit: impl FnOnce(&mut FunctionBuilder<'_>, Signature),
    ) -> Result<FuncId, Refusal> {
        let broken = |e: cranelift_module::ModuleError| Refusal::Code(format!("{e:?}"));
        let id = self.module.declare_anonymous_function(&signature).map_err(broken)?;
        self.compile.func.signature = signature;
        let mut b = FunctionBuilder::new(&mut self.compile.func, &mut self.scratch);
        emit(&mut b, self.finding.clone());
        b.seal_all_blocks();
        b.finalize(self.module.target_config());
        self.module.define_function(id, &mut self.compile).map_err(broken)?;
        self.module.clear_context(&mut self.compile);
        Ok(id)
    }

    /// The address of a function, and what keeps it valid.
    pub(crate) fn into_code(mut self, id: FuncId) -> Result<(*const u8, Memory), Refusal> {
        self.module.finalize_definitions().map_err(|e| Refusal::Code(e.to_string()))?;
        let code = self.module.get_finalized_function(id);
        Ok((code, Memory::new(self.module)))
    }

    fn make(
        &mut self,
        owner: Option<ProcessId>,
        emit: impl for<'f> FnOnce(Emitter<'a, 'f>) -> Emitter<'a, 'f>,
    ) -> Result<Made, Refusal> {
        self.make_as(self.signature.clone(), owner, emit)
    }

    fn make_as(
        &mut self,
        signature: Signature,
        owner: Option<ProcessId>,
        emit: impl for<'f> FnOnce(Emitter<'a, 'f>) -> Emitter<'a, 'f>,
    ) -> Result<Made, Refusal> {
        if !(self.go_on)() {
            return Err(Refusal::Stopped);
        }
        let broken = |e: cranelift_module::ModuleError| Refusal::Code(format!("{e:?}"));
        let id = self.module.declare_anonymous_function(&signature).map_err(broken)?;
        self.compile.func.signature = signature;
        let b = FunctionBuilder::new(&mut self.compile.func, &mut self.scratch);
        let made = emit(Emitter::new(b, self.plan, self.target, owner));
        (self.fails, self.calls) = (made.fails, made.calls);
        made.finish(self.module.target_config());
        self.module.define_function(id, &mut self.compile).map_err(broken)?;
        self.module.clear_context(&mut self.compile);
        Ok(Some(id))
    }

    fn location(&mut self, id: LocationId) -> Result<LocationMade, Refusal> {
        let plan = self.plan;
        let l = plan.model.location(id);
        let owner = Some(l.process);
        let mut made = LocationMade::default();
        if l.inside_d_step {
            return Ok(made);
        }
        let is_monitor = plan.is_monitor(l.process);
        let is_process = plan.is_process(l.process);
        let shakes = l.edges.iter().any(|e| may_offer(plan, &plan.model.edge(*e).action));
        let tells = plan.model.propositions == Some(id);
        if is_monitor || tells || is_process && shakes {
            made.test = self.make(owner, |m| m.location(id, is_monitor || tells))?;
        } else if is_process && (self.effort == Effort::Thorough || ready_made(plan, id).is_none()) {
            made.find = self.make_as(self.finding.clone(), owner, |m| m.finding(id))?;
            made.fails = self.fails;
        }
        if is_process && plan.has_rendezvous && l.edges.iter().any(|e| may_take(plan, plan.model.edge(*e))) {
            made.accepts = self.make(owner, |m| m.accepting(id))?;
        }
        if is_process && plan.has_enabled {
            made.somehow = self.make(owner, |m| m.somehow(id))?;
        }
        if plan.is_trace(l.process) && plan.has_trace && !l.edges.is_empty() {
            made.fits = self.make(None, |m| m.fitting(&l.edges, false))?;
        }
        Ok(made)
    }

    fn edge(&mut self, edge: &Edge) -> Result<EdgeMade, Refusal> {
        let plan = self.plan;
        let from = plan.model.location(edge.from);
        let owner = Some(from.process);
        let mut made = EdgeMade::default();
        let is_monitor = plan.is_monitor(from.process);
        if from.inside_d_step || !(is_monitor || plan.is_process(from.process)) {
            return Ok(made);
        }
        if has_effect(edge) && !always_rendezvous(plan, &edge.action) {
            made.apply = self.make(owner, |m| m.edge(edge, is_monitor))?;
            made.calls = self.calls;
        }
        if !is_monitor && may_shake(plan, &edge.action) {
            match &edge.action {
                Action::Send { .. } => made.offer = self.make(owner, |m| m.offering(edge))?,
                Action::Receive(_) => made.take = self.make(owner, |m| m.taking(edge))?,
                _ => {}
            }
        }
        Ok(made)
    }

    /// Code that starts a process of a type, and its `provided`.
    fn process(&mut self, id: ProcessId) -> Result<(Made, Made), Refusal> {
        let p = self.plan.model.process(id);
        let (mut init, mut provided) = (None, None);
        let born = self.plan.is_process(id) && !(p.params.is_empty() && p.init.is_empty());
        if born {
            init = self.make(Some(id), |m| m.init(&p.params, &p.init))?;
        } else if self.plan.is_monitor(id) {
            // A monitor has no channels of its own.
            let values: Vec<_> = p.init.iter().filter(|i| matches!(i.1, Init::Value(_))).cloned().collect();
            init = self.make(Some(id), |m| m.init(&[], &values))?;
        }
        if let (Some(e), true) = (&p.provided, self.plan.is_process(id)) {
            provided = self.make(Some(id), |m| m.condition(e))?;
        }
        Ok((init, provided))
    }

    fn model_init(&mut self) -> Result<Made, Refusal> {
        let init = &self.plan.model.init;
        if init.is_empty() { Ok(None) } else { self.make(None, |m| m.init(&[], init)) }
    }

    fn finish(
        self,
        locations: &[LocationMade],
        edges: &[EdgeMade],
        processes: &[(Made, Made)],
        init: Made,
        named: Made,
        named_count: usize,
    ) -> Program {
        let (plan, model) = (self.plan, self.plan.model);
        let code = |made: Made| -> Option<Code> {
            made.map(|id| {
                let pointer = self.module.get_finalized_function(id);
                // SAFETY: every function was defined with the signature that `Code` names.
                unsafe { std::mem::transmute::<*const u8, Code>(pointer) }
            })
        };
        let finders = locations.iter().zip(&model.locations).enumerate().map(|(i, (made, l))| Finder {
            find: find_code(&self.module, made.find)
                .or_else(|| ready_made(plan, LocationId(i as u32)).filter(|_| made.test.is_none())),
            process: l.process.0,
            fails: made.fails,
            provided: model.process(l.process).provided.is_some(),
            marked: marked_bits(l),
        });
        let finders = finders.collect();
        let receivers = model.locations.iter().zip(locations).map(|(l, made)| Receivers {
            process: l.process.0,
            channels: made.accepts.map_or(0, |_| received(plan, &l.edges)),
        });
        let receivers = receivers.collect();
        let mut edge_ids = Vec::new();
        let locations: Vec<LocationCode> = locations
            .iter()
            .zip(&model.locations)
            .map(|(made, l)| {
                let first = edge_ids.len() as u32;
                edge_ids.extend(l.edges.iter().map(|e| e.0));
                LocationCode {
                    process: l.process.0,
                    test: code(made.test),
                    edges: (first, l.edges.len() as u32),
                    accepts: code(made.accepts),
                    somehow: code(made.somehow),
                    fits: code(made.fits),
                    stops: l.edges.iter().any(|e| matches!(model.edge(*e).action, Action::End)),
                }
            })
            .collect();
        let edges = edges
            .iter()
            .zip(&model.edges)
            .map(|(made, e)| EdgeCode {
                apply: code(made.apply).or_else(|| ready_made_step(plan, e)),
                offer: code(made.offer),
                take: code(made.take),
                to: e.to.0,
                process: model.location(e.from).process.0,
                atomic: e.atomic,
                end: matches!(e.action, Action::End),
                only_goes: matches!(e.action, Action::Guard(_) | Action::Skip | Action::Else)
                    && e.then.is_empty()
                    && !e.atomic,
            })
            .collect();
        let stop = |p: usize| {
            let ends = |e: &&Edge| matches!(e.action, Action::End) && model.location(e.from).process.index() == p;
            model.edges.iter().find(ends).map(|e| e.from.0)
        };
        let processes = processes
            .iter()
            .enumerate()
            .map(|(i, (init, provided))| ProcessCode {
                frame_size: model.processes[i].frame_size,
                entry: model.processes[i].entry.0,
                priority: model.processes[i].priority,
                channels: plan.locals[i].clone(),
                init: code(*init),
                provided: code(*provided),
                stop: stop(i),
            })
            .collect();
        let automaton = |p: &&ferrospin_model::ir::Process| matches!(p.kind, ProcessKind::Trace | ProcessKind::NoTrace);
        let automaton = model.processes.iter().find(automaton);
        let trace = model.layout.trace.map(|at| TraceCode {
            at,
            entry: automaton.map_or(0, |p| p.entry.0),
            forbidden: automaton.is_some_and(|p| p.kind == ProcessKind::NoTrace),
            named: code(named),
            named_count,
        });
        // No process stands at a location that does not exist; its type is none of the model's.
        let mut process_of_byte = [u32::MAX; 256];
        for (known, l) in process_of_byte.iter_mut().zip(&model.locations) {
            *known = l.process.0;
        }
        let uses_provided = model.processes.iter().any(|p| p.provided.is_some());
        let is_drivable = !(plan.has_enabled || model.uses.priority || model.uses.foreign);
        Program {
            foreign: plan.model.code.clone(),
            is_hasty: is_drivable && !plan.has_rendezvous,
            is_drivable,
            process_of_byte,
            locations,
            finders,
            receivers,
            edges,
            edge_ids,
            processes,
            shapes: plan.shapes.clone(),
            globals: plan.globals.clone(),
            start: model.start.iter().map(|p| p.0).collect(),
            init: code(init),
            trace,
            last: model.layout.last,
            slot: model.layout.claim.map(|(p, at)| (p.0, at)),
            propositions: model.propositions.map(|l| l.0),
            asks_timeout: propositions_ask_timeout(model),
            location_size: model.layout.location_size,
            fixed_size: model.layout.fixed_size,
            uses_priority: model.uses.priority,
            uses_timeout: model.uses.timeout,
            uses_provided,
            growth: None,
            edges_max: model.locations.iter().map(|l| l.edges.len()).max().unwrap_or(0).max(named_count),
            fields_max: plan.fields_max,
            _memory: Memory::new(self.module),
        }
    }
}

/// Whether an action always is half of a handshake.
fn always_rendezvous(plan: &Plan<'_>, a: &Action) -> bool {
    shape_of(plan, a).is_some_and(|capacity| capacity == 0)
}

/// Whether an action may be half of a handshake.
fn may_shake(plan: &Plan<'_>, a: &Action) -> bool {
    matches!(a, Action::Send { .. } | Action::Receive(_))
        && plan.has_rendezvous
        && shape_of(plan, a).is_none_or(|capacity| capacity == 0)
}

/// Capacity of the channel an action uses, if that is certain.
fn shape_of(plan: &Plan<'_>, a: &Action) -> Option<u32> {
    let channel = match a {
        Action::Send { channel, .. } => channel,
        Action::Receive(r) => &r.channel,
        _ => return None,
    };
    let number = plan.fixed_channel(channel)?;
    Some(plan.shapes[plan.globals[number as usize - 1].shape as usize - 1].capacity)
}

/// Whether an edge may take a message on offer, or must refuse it.
fn may_take(plan: &Plan<'_>, edge: &Edge) -> bool {
    match &edge.action {
        Action::Receive(_) => may_shake(plan, &edge.action),
        Action::DStep(entry) => plan.edges(*entry).iter().any(|e| {
            let inner = &plan.model.edge(*e).action;
            matches!(inner, Action::Receive(_)) && may_shake(plan, inner)
        }),
        _ => false,
    }
}

/// The channels from which some of these edges receive, or the `d_step`s that they begin, by number modulo 64.
fn received(plan: &Plan<'_>, edges: &[EdgeId]) -> u64 {
    let channels = edges.iter().map(|e| match &plan.model.edge(*e).action {
        Action::Receive(r) => plan.fixed_channel(&r.channel).map_or(u64::MAX, |number| 1 << (number % 64)),
        Action::DStep(entry) => received(plan, plan.edges(*entry)),
        _ => 0,
    });
    channels.fold(0, |all, some| all | some)
}

/// Whether moves may be taken while they are computed: nothing else restricts them.
fn may_grow(plan: &Plan<'_>) -> bool {
    !(plan.model.uses.priority || plan.has_trace)
}

/// How an edge is taken while moves are looked for. One that changes the length of the state is taken later.
fn how_taken(plan: &Plan<'_>, made: &EdgeMade, edge: &Edge) -> Taken {
    let starts = |e: &Edge| std::iter::once(&e.action).chain(&e.then).any(|a| matches!(a, Action::Run { .. }));
    let starts_inside = |entry: LocationId| {
        inside(plan.model, entry).iter().any(|l| plan.edges(*l).iter().any(|e| starts(plan.model.edge(*e))))
    };
    match &edge.action {
        Action::End => Taken::Later,
        Action::DStep(entry) if starts_inside(*entry) => Taken::Later,
        a if starts(edge) || always_rendezvous(plan, a) => Taken::Later,
        _ if made.calls => Taken::WithCalls,
        _ => Taken::Now,
    }
}

/// Whether an action is a send that may need a partner.
fn may_offer(plan: &Plan<'_>, a: &Action) -> bool {
    matches!(a, Action::Send { .. }) && may_shake(plan, a)
}

/// A function that serves many locations: those with one edge that is always executable, and those that hold nothing
/// but the end of their process.
fn ready_made(plan: &Plan<'_>, id: LocationId) -> Option<Find> {
    let l = plan.model.location(id);
    if !plan.is_process(l.process) || l.inside_d_step {
        return None;
    }
    let [edge] = l.edges[..] else { return None };
    match &plan.model.edge(edge).action {
        Action::End => Some(ready::end),
        Action::Guard(_) | Action::Send { .. } | Action::Receive(_) | Action::DStep(_) => None,
        _ => Some(ready::always),
    }
}

/// A function that serves many edges: those that change nothing but the location.
fn ready_made_step(plan: &Plan<'_>, edge: &Edge) -> Option<Code> {
    let from = plan.model.location(edge.from);
    let moves = plan.is_monitor(from.process) || plan.is_process(from.process);
    if from.inside_d_step || !moves || has_effect(edge) || matches!(edge.action, Action::End) {
        return None;
    }
    let tells = plan.model.layout.last.is_some() && !plan.is_monitor(from.process);
    Some(match plan.model.layout.location_size {
        _ if tells => ready::arrive_and_tell,
        1 => ready::arrive::<u8>,
        2 => ready::arrive::<u16>,
        _ => ready::arrive::<u32>,
    })
}

fn marked_bits(l: &Location) -> u8 {
    let bit = |set: bool, bit: u8| if set { bit } else { 0 };
    bit(l.end, marked::END) | bit(l.accept, marked::ACCEPT) | bit(l.progress, marked::PROGRESS)
}
