//! Promela as a subject of checks: what [`ferrospin_check`] needs of a model that has been read and lowered.

use crate::executors::Maker;
use crate::front::{Define, Front};
use crate::gpu;
use crate::liveness::{Asked, holds, state_formula};
use crate::overflow;
use crate::prepare::{Notices, Prepared, prepare};
use crate::reduction::{self, Keep, Known, Selector};
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport, Verdict};
use crate::run::{self, Runnable, Texts, change};
use crate::safety;
use crate::self_check::SelfCheck;
use crate::together;
use crate::trails;
use crate::verify::{Engine, OVERFLOW, Options, Proviso, Refusal};
use ferrospin_check::explain::Spoken;
use ferrospin_check::run::Moment;
use ferrospin_check::subject::{
    Answer, EdgePlace, Executors, Identity, NoProposition, NoReduction, Outcome, Purpose, Reference, Stated,
    StatementPlace, Subject, Task, Told, search_safety,
};
use ferrospin_interp::Interp;
use ferrospin_interp::describe::{self, Describer};
use ferrospin_interp::failure_kind;
use ferrospin_interp::input::reads_input;
use ferrospin_interp::waits;
use ferrospin_lower::claim::Property;
use ferrospin_ltl::{AtomId, Formulas};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, Area, EdgeId, Expr, LocationId, Model, ProcessId, ProcessKind, leaf_at};
use ferrospin_model::passes;
use ferrospin_search::BoxMachine;
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::safety::{Fault, Violation};
use ferrospin_system::{
    Control, Failure, FailureCode, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS, Reduction, StateHash, Step,
};
use ferrospin_trace::explanation::{Need, Waiting};
use ferrospin_trace::trail::{self, Act, Actor, Binding, Standing};
use std::sync::{Arc, Mutex, OnceLock};

/// See the module.
pub struct Promela<'a> {
    front: &'a Front,
    runnable: &'a Runnable,
    asked: Option<Asked<'a>>,
    /// Formulas about single states that were asked for, by number.
    propositions: Arc<Mutex<Vec<Property>>>,
}

impl<'a> Promela<'a> {
    /// A model for runs.
    pub fn new(front: &'a Front, runnable: &'a Runnable) -> Self {
        Promela { front, runnable, asked: None, propositions: Arc::default() }
    }

    /// A model for a check: formulas are read, and what cannot be checked is refused.
    pub fn asked(front: &'a Front, runnable: &'a Runnable, options: &Options) -> Result<Self, Refusal> {
        Promela::checked(front, runnable, Some(options))
    }

    /// A model for runs, or for a check with these options.
    pub(crate) fn checked(
        front: &'a Front,
        runnable: &'a Runnable,
        options: Option<&Options>,
    ) -> Result<Self, Refusal> {
        if runnable.model.lacks_code() || front.embedded.is_err() {
            return Err(Refusal::Refused(run::cannot_run(front)));
        }
        let asked = options.map(|options| Asked::read(front, runnable, options)).transpose()?;
        Ok(Promela { asked, ..Promela::new(front, runnable) })
    }

    /// The interpreter on the process graphs as they were lowered, without merging or any other optimisation.
    pub(crate) fn interpreter(&self) -> Box<dyn Reference + 'a> {
        Box::new(self.interpreter_of(self.runnable.model.clone()))
    }

    fn reference_of(&self, model: &Arc<Model>) -> Box<dyn Reference + 'a> {
        Box::new(self.interpreter_of(model.clone()))
    }

    fn interpreter_of(&self, model: Arc<Model>) -> Interpreter<'a> {
        let mut machine = WithMonitor::new(Interp::new(model.clone()));
        machine.system_mut().keep_log();
        let texts = Texts { front: self.front, runnable: self.runnable };
        let propositions = self.propositions.clone();
        Interpreter { texts, model, machine, allow_input: false, marks_cuts: false, propositions }
    }

    fn executors_of(&self, model: &Arc<Model>, options: &Options, births: bool) -> Graphs<'a> {
        let prepared = prepare(model, options, Notices::Failures);
        let plain = prepared.plain.clone();
        let again = move |passes| Prepared::by(&plain, passes);
        let check = options.self_check.map(|share| SelfCheck::new(share, prepared.clone(), again));
        let maker = Maker::new(&prepared.model, options, check);
        Graphs::new(self.front, prepared, maker, if births { Kept::Births } else { Kept::Failures })
    }

    /// Searches a form of the model for what can go wrong: on a device where that was asked for and is possible.
    pub(crate) fn search(&self, model: &Arc<Model>, task: &Task<'_>) -> Result<(PropertyReport, Outcome), Refusal> {
        let lossy = task.options.swarm.is_some() || task.options.walk;
        if task.options.engine == Engine::Gpu && !lossy {
            let on_device = gpu::on_device(self.front, model, task, &mut *self.reference_of(model));
            return on_device.or_else(|why| {
                let options = Options { engine: Engine::Native, ..task.options.clone() };
                let (mut report, outcome) = self.safety(model, &task.with(&options))?;
                report.notes.insert(0, format!("searched on the CPU: {why}"));
                Ok((report, outcome))
            });
        }
        if task.options.engine == Engine::Auto && !lossy {
            return gpu::handing_over(
                (model, task.options),
                |options| self.safety(model, &task.with(options)),
                |(report, _)| gpu::is_decided(report),
                || gpu::on_device(self.front, model, task, &mut *self.reference_of(model)).ok(),
            );
        }
        self.safety(model, task)
    }

    /// A search for safety, and others where it leaves something open.
    fn safety(&self, model: &Arc<Model>, task: &Task<'_>) -> Result<(PropertyReport, Outcome), Refusal> {
        let options = task.options;
        let reference = &mut *self.reference_of(model);
        if options.swarm.is_some() || options.walk {
            return search_safety(&self.executors_of(model, options, false), reference, task);
        }
        // A checkpoint is of one search; there must be no second one.
        let kept = task.storage.keeps_search();
        let births = !kept && !model.has_claimed_ends();
        let mut graphs = self.executors_of(model, options, births);
        let (mut report, mut outcome) = search_safety(&graphs, reference, task)?;
        if graphs.is_crowded() && report.verdict != Verdict::Violated {
            graphs = self.executors_of(model, options, false);
            (report, outcome) = search_safety(&graphs, reference, task)?;
            let note = "searched again: with that many processes, the order in which they are started may matter";
            report.notes.push(note.into());
        }
        if graphs.may_clash() && report.verdict != Verdict::Violated {
            return self.claimed_ends(model, task, kept, (report, outcome));
        }
        Ok((report, outcome))
    }

    /// Looks for a use of an end of a channel that another process has claimed, after a search in which that could not be ruled
    /// out. It must see all orders, because whether a process is still alive is no part of any dependence.
    fn claimed_ends(
        &self,
        model: &Arc<Model>,
        task: &Task<'_>,
        kept: bool,
        (mut report, outcome): (PropertyReport, Outcome),
    ) -> Result<(PropertyReport, Outcome), Refusal> {
        if kept {
            report.notes.push("whether `xr` and `xs` are kept was not checked: this search has a checkpoint".into());
            return Ok((report, outcome));
        }
        let options = Options {
            partial_order: false,
            optimize: false,
            engine: Engine::Interp,
            search: None,
            proviso: Proviso::Auto,
            errors_max: Some(1),
            ..task.options.clone()
        };
        let model = Arc::new(model.with_claimed_ends());
        let graphs = self.executors_of(&model, &options, false);
        let (mut again, found) = search_safety(&graphs, &mut *self.reference_of(&model), &task.with(&options))?;
        let how = "all moves were taken once more, by the interpreter, to see whether `xr` and `xs` are kept";
        match again.verdict {
            Verdict::Violated => {
                again.notes.push(how.into());
                return Ok((again, found));
            }
            Verdict::Undecided | Verdict::Error => {
                report
                    .notes
                    .push("whether `xr` and `xs` are kept is not known: the search for that was stopped".into());
                report.verdict = Verdict::Undecided;
            }
            Verdict::Holds => report.notes.push(format!("{how}: they are")),
        }
        Ok((report, outcome))
    }
}

impl Promela<'_> {
    /// The statement of an edge, for a list of what was executed.
    fn statement_of(&self, edge: EdgeId) -> Option<StatementPlace> {
        let (map, model) = (&self.front.map, &self.runnable.model);
        let e = model.edge(edge);
        let location =
            |p: ferrospin_source::Position| Location { file: p.file.to_string(), line: p.line, column: p.column };
        let span = map.primary(e.span);
        let (from, to) = (map.position_of(span.lo)?, map.position_of(span.hi)?);
        let process = model.location(e.from).process;
        let is_way = |other: &EdgeId| model.edge(*other).escape == e.escape && model.edge(*other).action != Action::End;
        let leads_to = (e.to != LocationId::EXIT).then(|| model.location(e.to).labels.iter().map(|l| l.to_string()));
        Some(StatementPlace {
            text: Texts { front: self.front, runnable: self.runnable }.statement(e),
            is_assertion: matches!(e.action, Action::Assert(_)),
            is_branch: model.location(e.from).edges.iter().filter(|other| is_way(other)).count() > 1,
            leads_to: leads_to.into_iter().flatten().collect(),
            channel: match &e.action {
                Action::Send { channel, .. } => Some(channel_name(model, process, channel)),
                Action::Receive(receive) => Some(channel_name(model, process, &receive.channel)),
                _ => None,
            },
            ..StatementPlace::at(location(from), location(to))
        })
    }
}

/// The variable that names a channel; empty where the channel may be one of several.
fn channel_name(model: &Model, process: ProcessId, channel: &Expr) -> String {
    let Expr::Load(place) = channel else { return String::new() };
    let leaves = match place.area {
        Area::Global => &model.globals,
        Area::Local => &model.process(process).locals,
    };
    let leaf = leaf_at(leaves, place).map(|i| leaves[i].name.to_string());
    // A local may hold a channel that was handed over.
    leaf.filter(|_| place.area == Area::Global).unwrap_or_default()
}

impl Subject for Promela<'_> {
    fn identity(&self) -> Identity {
        let option = |d: &Define| match d {
            Define::Set(name, Some(value)) => format!("-D{name}={value}"),
            Define::Set(name, None) => format!("-D{name}"),
            Define::Unset(name) => format!("-U{name}"),
        };
        let lossy = self.front.lossy_channels.then(|| trails::LOSSY.to_string());
        Identity {
            name: self.front.name.clone(),
            fingerprint: self.runnable.fingerprint().into(),
            options: self.front.defines.iter().map(option).chain(lossy).collect(),
        }
    }

    fn properties(&self) -> Vec<Stated> {
        let mut stated = vec![Stated::safety()];
        let claims = self.runnable.model.processes.iter().filter(|p| p.kind == ProcessKind::Never);
        stated.extend(claims.map(|p| Stated { name: p.name.to_string(), kind: PropertyKind::Never, formula: None }));
        let mut unnamed = 0;
        for unit in &self.front.reading.program.units {
            if let ferrospin_promela::ast::Unit::Ltl(l) = unit {
                let name = l.name.as_ref().map_or_else(
                    || {
                        unnamed += 1;
                        format!("ltl_{}", unnamed - 1)
                    },
                    |n| n.name.to_string(),
                );
                stated.push(Stated { name, kind: PropertyKind::Ltl, formula: None });
            }
        }
        stated
    }

    fn executors(&self, purpose: &Purpose, options: &Options) -> Result<Box<dyn Executors + '_>, Refusal> {
        match purpose {
            Purpose::Safety => Ok(Box::new(self.executors_of(&self.runnable.model, options, false))),
            Purpose::Labels(_) => {
                Err(Refusal::Refused("formulas over Promela models become claims, not labels of states".into()))
            }
        }
    }

    fn reference(&self, about: Option<&Fault>) -> Box<dyn Reference + '_> {
        if let Some(Fault::Failure(f)) = about
            && is_cut(f)
        {
            let model = Arc::new(overflow::checked(&self.runnable.model));
            return Box::new(Interpreter { marks_cuts: true, ..self.interpreter_of(model) });
        }
        let model = match about {
            Some(Fault::Failure(f)) if matches!(failure_kind(f.code), FailureKind::Exclusive { .. }) => {
                Arc::new(self.runnable.model.with_claimed_ends())
            }
            _ => self.runnable.model.clone(),
        };
        Box::new(self.interpreter_of(model))
    }

    fn proposition(&self, text: &str) -> Result<u32, NoProposition> {
        let property =
            state_formula(self.front, self.runnable, text).map_err(|why| NoProposition::Unreadable(why.to_string()))?;
        let mut known = self.propositions.lock().expect("nothing panics here");
        known.push(property);
        Ok(known.len() as u32 - 1)
    }

    fn edges(&self) -> Vec<EdgePlace> {
        let model = &self.runnable.model;
        let place = |e: u32| {
            let edge = model.edge(EdgeId(e));
            let location = model.location(edge.from);
            let process = model.process(location.process);
            let is_run = matches!(process.kind, ProcessKind::Proctype | ProcessKind::Init);
            EdgePlace {
                statement: is_run.then(|| self.statement_of(EdgeId(e))).flatten(),
                group: is_run.then(|| (location.process.0, process.name.clone())),
                line: self.front.map.position(edge.span).map(|p| p.line),
                is_inner: location.inside_d_step,
            }
        };
        (0..model.edges.len() as u32).map(place).collect()
    }

    fn answer_together(&self, properties: &[Stated], task: &Task<'_>) -> Result<Vec<Option<Answer>>, Refusal> {
        match &self.asked {
            Some(asked) => {
                let reference = &mut *self.reference_of(&self.runnable.model);
                together::answer((self.front, &self.runnable.model, asked), properties, task, reference)
            }
            None => Ok(properties.iter().map(|_| None).collect()),
        }
    }

    fn formula(&self, property: &Stated) -> Option<Spoken> {
        let (about, _) = self.asked.as_ref()?.formula(&property.name).filter(|_| property.kind == PropertyKind::Ltl)?;
        let texts: Vec<String> = about.texts.iter().map(|text| text.to_string()).collect();
        let mut known = self.propositions.lock().expect("nothing panics here");
        let first = known.len() as u32;
        for atom in 0..about.atoms.len() as u32 {
            let mut alone = Property { formulas: Formulas::new(), ..about.clone() };
            alone.formula = alone.formulas.atom(AtomId(atom));
            known.push(alone);
        }
        let texts = Some(texts).filter(|texts| texts.len() == about.atoms.len())?;
        let propositions = (first..known.len() as u32).collect();
        let place = Texts { front: self.front, runnable: self.runnable }.place(about.span);
        Some(Spoken { formulas: about.formulas.clone(), formula: about.formula, texts, propositions, place })
    }

    fn answer_formula(&self, property: &Stated, about: &Spoken, task: &Task<'_>) -> Option<Result<Answer, Refusal>> {
        let asked = self.asked.as_ref()?;
        let (like, _) = asked.formula(&property.name)?;
        let instead = Property { formulas: about.formulas.clone(), formula: about.formula, ..like.clone() };
        let answer = asked.check_instead(task.options, &property.name, &instead)?;
        Some(answer.map(Answer::from))
    }

    /// Formulas were read when the subject was made.
    fn examine(&self, _: &Stated) -> Result<(), Refusal> {
        Ok(())
    }

    fn answer(&self, property: &Stated, task: &Task<'_>) -> Result<Answer, Refusal> {
        if property.kind != PropertyKind::Safety {
            if !self.runnable.model.unmatched.is_empty() {
                let why =
                    "a model with memory that is tracked as `UnMatched` can be checked for safety only: `--safety`";
                return Err(Refusal::Refused(why.into()));
            }
            let asked = self.asked.as_ref().expect("a model that is checked was asked for");
            return Ok(asked.check(task.options, &property.name, property.kind)?.into());
        }
        if property.name == OVERFLOW {
            return self.overflow(task);
        }
        let (report, outcome) = self.search(&self.runnable.model, task)?;
        Ok(safety::answer(report, outcome))
    }
}

impl Promela<'_> {
    /// Searches for values that an assignment cuts.
    fn overflow(&self, task: &Task<'_>) -> Result<Answer, Refusal> {
        let options = Options { only_assertions: true, engine: cpu(task.options.engine), ..task.options.clone() };
        let model = Arc::new(overflow::checked(&self.runnable.model));
        let (mut report, mut outcome) = self.safety(&model, &task.with(&options))?;
        report.name = OVERFLOW.into();
        for found in &mut outcome.violations {
            if let Fault::Failure(f) = found.fault {
                found.fault = Fault::Failure(marked(f));
            }
        }
        if let Some(found) = outcome.violations.first() {
            report.error = Some(safety::violation(&mut *self.reference(Some(&found.fault)), found));
        }
        Ok(safety::answer(report, outcome))
    }
}

/// The engine of the CPU that is meant.
fn cpu(engine: Engine) -> Engine {
    if engine == Engine::Interp { Engine::Interp } else { Engine::Native }
}

/// Whether a failure is that of an assignment that cuts a value.
fn is_cut(failure: &Failure) -> bool {
    failure.code.number == FailureKind::Assertion.number() && failure.code.operands[0] == overflow::MARK
}

/// The failure of an assertion in front of an assignment.
fn marked(failure: Failure) -> Failure {
    match failure.code.number == FailureKind::Assertion.number() {
        true => Failure { code: FailureCode { operands: [overflow::MARK, 0], ..failure.code }, ..failure },
        false => failure,
    }
}

/// What a reduced search must keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Failures; states that differ in numbers of processes alone may be taken for one another.
    Births,
    /// Failures.
    Failures,
    /// Those, and what the claim beside the processes looks at.
    Visible,
    /// Every step.
    Steps,
}

/// Executors of process graphs behind passes.
pub(crate) struct Graphs<'a> {
    front: &'a Front,
    prepared: Prepared,
    maker: Maker,
    kept: Kept,
    /// What the executors tell of states.
    propositions: Vec<Expr>,
    known: OnceLock<Result<Arc<Known>, NoReduction>>,
}

impl<'a> Graphs<'a> {
    pub(crate) fn new(front: &'a Front, prepared: Prepared, maker: Maker, kept: Kept) -> Graphs<'a> {
        Graphs { front, prepared, maker, kept, propositions: Vec::new(), known: OnceLock::new() }
    }

    /// The same with executors that tell propositions.
    pub(crate) fn telling(self, propositions: Vec<Expr>) -> Graphs<'a> {
        Graphs { propositions, ..self }
    }

    fn known(&self) -> &Result<Arc<Known>, NoReduction> {
        self.known.get_or_init(|| {
            let model = &self.prepared.model;
            let known = match self.kept {
                Kept::Births => Known::up_to_creation(model),
                Kept::Failures | Kept::Visible => Known::exact(model),
                Kept::Steps => {
                    return Err(NoReduction(
                        "the property may depend on stuttering (`--stutter-close` closes it)".into(),
                    ));
                }
            };
            known.map(Arc::new).map_err(|reason| NoReduction(reason.to_string()))
        })
    }

    fn asks(&self, question: impl Fn(&Known) -> bool) -> bool {
        self.known.get().is_some_and(|known| known.as_ref().is_ok_and(|k| question(k)))
    }

    /// There were too many processes to take those for alike that differ in their number.
    fn is_crowded(&self) -> bool {
        self.asks(Known::is_crowded)
    }

    /// Some process may use an end of a channel that another process has claimed.
    fn may_clash(&self) -> bool {
        self.asks(Known::may_clash)
    }
}

impl Executors for Graphs<'_> {
    fn engine(&self) -> &'static str {
        self.maker.name()
    }

    fn machine(&self) -> BoxMachine {
        self.maker.machine()
    }

    fn unchecked(&self) -> BoxMachine {
        self.maker.unchecked()
    }

    fn edges(&self) -> usize {
        self.prepared.plain.edges.len()
    }

    fn assertion(&self) -> Option<u16> {
        Some(FailureKind::Assertion.number())
    }

    fn ends_count(&self) -> bool {
        self.prepared.plain.layout.claim.is_none()
    }

    fn unmatched(&self) -> &[(u32, u32)] {
        &self.prepared.plain.unmatched
    }

    fn fingerprint(&self) -> u64 {
        StateHash::new(1).of(ferrospin_model::text::print(&self.prepared.model).as_bytes())
    }

    fn reduction(&self, selector: Selector, trial: bool) -> Option<Result<Box<dyn Reduction>, NoReduction>> {
        let reduction = |known: &Arc<Known>| {
            let known = if trial { Arc::new(known.afresh()) } else { known.clone() };
            reduction::by(known, if self.kept == Kept::Visible { Keep::Visible } else { Keep::Failures }, selector)
        };
        Some(self.known().as_ref().map(reduction).map_err(NoReduction::clone))
    }

    fn plain_violation(&self, found: &Violation) -> Violation {
        self.prepared.plain_violation(found)
    }

    fn plain(&self) -> Option<Box<dyn Executors + '_>> {
        let plain = &self.prepared.plain;
        if !self.prepared.is_merged() || self.prepared.model.layout != plain.layout {
            return None;
        }
        let prepared = Prepared::by(plain, passes::Passes::default());
        let told = match &self.propositions[..] {
            [] => plain.clone(),
            some => Arc::new(plain.with_propositions(some.iter().cloned())),
        };
        let engine = if self.maker.name() == "interp" { Engine::Interp } else { Engine::Native };
        let maker = Maker::new(&told, &Options { engine, ..Options::default() }, None);
        Some(Box::new(Graphs::new(self.front, prepared, maker, Kept::Steps)))
    }

    fn plain_taken(&self, taken: &[bool]) -> Vec<bool> {
        self.prepared.plain_taken(taken)
    }

    fn self_check(&self) -> Option<Arc<dyn ferrospin_check::subject::SelfCheck>> {
        self.maker.check().map(|check| check.told(self.front) as _)
    }
}

/// The reference interpreter, which tells its steps.
struct Interpreter<'a> {
    texts: Texts<'a>,
    model: Arc<Model>,
    machine: WithMonitor<Interp>,
    allow_input: bool,
    /// All assertions are in front of assignments.
    marks_cuts: bool,
    propositions: Arc<Mutex<Vec<Property>>>,
}

impl Interpreter<'_> {
    /// Where the youngest process stands that may not stop, after a trail.
    fn stuck(&mut self, trail: &[Move]) -> Option<LocationId> {
        let (mut state, mut next) = (Vec::new(), Vec::new());
        self.machine.initial(&mut state).ok()?;
        for mv in trail {
            self.machine.apply(&state, mv, &mut next);
            std::mem::swap(&mut state, &mut next);
        }
        self.machine.system_mut().take_log();
        self.machine.system_mut().stuck(&state)
    }

    fn act(&self, old: &Describer<'_>, process: u8, edge: u32) -> Option<Act> {
        let e = (edge != NO_EDGE).then(|| self.model.edge(EdgeId(edge)))?;
        let actor = || Actor { number: process, name: old.process_name(usize::from(process)) };
        Some(Act {
            process: (process != NO_PROCESS).then(actor),
            location: self.texts.place(e.span),
            statement: self.texts.statement(e),
            spin: self.texts.runnable.numbers().edges.get(edge as usize).copied(),
        })
    }
}

impl Reference for Interpreter<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.machine.moves(state, control, out);
        if self.allow_input {
            self.machine.system().allow_input(out);
        }
    }

    fn take(&mut self, before: &[u8], mv: &Move, input: Option<i32>, next: &mut Vec<u8>) -> (Step, trail::Step) {
        let mut result = match input {
            Some(value) => self.machine.system_mut().apply_input(before, mv, value, next),
            None => self.machine.apply(before, mv, next),
        };
        if self.marks_cuts {
            result.failure = result.failure.map(marked);
        }
        let log = self.machine.system_mut().take_log();
        let model = &self.model;
        let old = Describer::new(model, before);
        let after = if result.proceeds { &**next } else { before };
        let step = trail::Step {
            mv: trail::MoveRecord { input, ..trail::MoveRecord::from(*mv) },
            act: self.act(&old, mv.process, mv.edge),
            partner: self.act(&old, mv.partner, mv.partner_edge),
            claim: self.act(&old, NO_PROCESS, mv.property),
            atomic: matches!(result.control, Control::Exclusive(_)),
            changes: describe::changes(model, before, after).into_iter().map(change).collect(),
            failure: result.failure.map(|f| run::kind_text(&self.model, failure_kind(f.code))),
            events: run::events(mv, &old, &Describer::new(model, after), log),
        };
        (result, step)
    }

    fn acts(&mut self, state: &[u8], mv: &Move) -> Vec<Act> {
        let described = Describer::new(&self.model, state);
        let both = [self.act(&described, mv.process, mv.edge), self.act(&described, mv.partner, mv.partner_edge)];
        both.into_iter().flatten().collect()
    }

    fn standing(&mut self, state: &[u8]) -> Vec<Standing> {
        let standing = |p: describe::Standing| {
            let location = self.model.location(p.location);
            let ended = location.edges.iter().all(|e| matches!(self.model.edge(*e).action, Action::End));
            Standing {
                process: Actor { number: p.number as u8, name: p.name },
                location: self.texts.place(location.span),
                statement: if ended { "end of the process".into() } else { self.texts.source(location.span) },
                may_stop: p.may_stop,
            }
        };
        Describer::new(&self.model, state).processes().into_iter().map(standing).collect()
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.machine.labels(state, Labels::END) == Labels::END
    }

    fn values(&mut self, state: &[u8]) -> Vec<Binding> {
        let values = Describer::new(&self.model, state).values();
        let values = values.into_iter().filter(|v| !describe::holds_own_channel(v));
        values.map(|v| Binding { name: v.full_name, value: v.text }).collect()
    }

    fn labels(&mut self, state: &[u8], propositions: &[u32]) -> u64 {
        let known = self.propositions.lock().expect("nothing panics here");
        // What cannot be evaluated does not hold.
        let mut holds =
            |p: &u32| known.get(*p as usize).is_some_and(|p| holds(self.machine.system_mut(), p, state) == Ok(true));
        propositions.iter().map(&mut holds).enumerate().fold(0, |bits, (i, holds)| bits | u64::from(holds) << i)
    }

    fn tell(&mut self, violation: &Violation) -> Told {
        match violation.fault {
            Fault::InvalidEndState => {
                let message = String::from("invalid end state: no process can move, and not all are at an end");
                let stuck = self.stuck(&violation.trail);
                Told {
                    kind: ErrorKind::InvalidEndState,
                    category: "invalid-end-state",
                    detail: message.clone(),
                    message,
                    place: stuck.and_then(|l| self.texts.place(self.model.location(l).span)),
                }
            }
            Fault::Failure(f) if is_cut(&f) => {
                let (_, place) = run::failure_text(&self.texts, &self.model, &f);
                let statement = self.texts.statement(self.model.edge(EdgeId(f.edge)));
                let message = String::from("the value does not fit the variable and is cut");
                let detail = format!("{message}: {statement}");
                Told { kind: ErrorKind::Overflow, category: "overflow", message, detail, place }
            }
            Fault::Failure(f) => {
                let (detail, place) = run::failure_text(&self.texts, &self.model, &f);
                let what = failure_kind(f.code);
                let is_assertion = what == FailureKind::Assertion;
                let kind = if is_assertion { ErrorKind::Assertion } else { ErrorKind::Runtime };
                let message = run::kind_text(&self.model, what);
                Told { kind, category: what.category(), message, detail, place }
            }
        }
    }

    fn reads(&mut self, state: &[u8], failure: &Failure) -> Vec<Binding> {
        if failure.edge == NO_EDGE
            || usize::from(failure.process) >= Describer::new(&self.model, state).processes().len()
        {
            return Vec::new();
        }
        let read = waits::values_read(&self.model, state, usize::from(failure.process), EdgeId(failure.edge));
        read.into_iter().map(|(name, value)| Binding { name, value }).collect()
    }

    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        let described = Describer::new(&self.model, state);
        let actor = |number: usize| Actor { number: number as u8, name: described.process_name(number) };
        let standing = described.processes();
        let need = |n: waits::Need| {
            let edge = self.model.edge(n.edge);
            Need {
                statement: self.texts.statement(edge),
                location: self.texts.place(edge.span),
                why: n.why,
                freed_by: n.freed_by.into_iter().map(actor).collect(),
            }
        };
        let waiting = |(number, needs): (usize, Vec<waits::Need>)| Waiting {
            process: actor(number),
            location: self.texts.place(self.model.location(standing[number].location).span),
            may_stop: standing[number].may_stop,
            needs: needs.into_iter().map(need).collect(),
        };
        waits::waits(&self.model, state).into_iter().enumerate().map(waiting).collect()
    }

    fn allow_input(&mut self) {
        self.allow_input = true;
    }

    fn reads_input(&self, mv: &Move) -> bool {
        self.allow_input && mv.edge != NO_EDGE && reads_input(&self.model, EdgeId(mv.edge))
    }

    fn ending(&mut self, now: &Moment, locals: bool) -> Option<String> {
        Some(crate::ending::ending(&self.texts, &self.model, now, locals))
    }
}
