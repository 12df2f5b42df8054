//! Models as labelled transition systems.
//!
//! [`explore`] is the seam: it makes a graph of any machine, by what a [`Teller`] says of states and steps. [`of_model`] does so for
//! a Promela model with the interpreter, without reduction and merging, so that the graph is what the model means; [`of_subject`] for
//! whatever can be checked.

mod subjects;

pub use subjects::of_subject;

use crate::front::Front;
use crate::liveness;
use crate::memory;
use crate::run::{self, Runnable, Texts};
use crate::verify::{Hooks, Limits, Options};
use crate::watch::Watch;
use ferrospin_interp::Interp;
use ferrospin_interp::describe::Describer;
use ferrospin_lower::claim::Property;
use ferrospin_lts::{Builder, Edge, Graph, Label, State, Stopped, Valuing};
use ferrospin_model::ir::EdgeId;
use ferrospin_search::expand::{Expander, Sink};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_system::{Failure, Labels, Machine, Move, NO_EDGE};
use ferrospin_trace::trail::Event;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// What the graph shows of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// What the labels tell.
    pub labels: Labelling,
    /// Labels that stay visible, where `*` stands for any text; none means all.
    pub observed: Vec<String>,
    /// What states carry: variables, whose values are told, and formulas without temporal operators.
    pub propositions: Vec<String>,
    /// Whether valid ends are told from deadlocks: by an edge with the label [`TERMINATED`].
    pub ends: bool,
}

/// What the labels of a graph tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Labelling {
    /// Messages: `ch!1` into a channel, `ch?1` out of it, `ch.1` from hand to hand. Other steps are internal.
    #[default]
    Messages,
    /// Every statement with its process.
    Statements,
    /// Nothing: every step is internal.
    Nothing,
}

/// Why there is no graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Missing {
    /// What was asked for cannot be done; a sentence says why.
    #[error("{0}")]
    Refused(String),
    /// A limit, or an interrupt.
    #[error("{0}")]
    Limit(&'static str),
}

/// Says what a graph shows of states and steps.
pub trait Teller {
    /// The label of a step from a stored state to the next, `None` for an internal one. The path has more than one move where states
    /// lie between.
    fn label(&mut self, state: &[u8], path: &[Move]) -> Option<String>;

    /// The label of a failure.
    fn failure(&mut self, failure: &Failure) -> String;

    /// Which propositions hold in a state, in any order; `None` where states carry none. New ones may come at any time.
    fn propositions(&mut self, state: &[u8]) -> Option<Vec<String>>;

    /// Whether a run may end in a state and that is told: by an edge to a state of its own. By default it is not.
    fn may_end(&mut self, state: &[u8]) -> bool {
        let _ = state;
        false
    }
}

/// The proposition that holds behind a failure.
pub const ERROR: &str = ferrospin_chi::graph::ERROR;
/// The label of the edge from a state in which a run may end, and what holds behind it.
pub const TERMINATED: &str = ferrospin_chi::graph::TERMINATED;

/// Explores a machine. What fails leads to a state of its own, behind which nothing happens.
pub fn explore(
    machine: &mut dyn Machine,
    teller: &mut dyn Teller,
    watch: &dyn ferrospin_lts::Watch,
) -> Result<Graph, Stopped> {
    let mut explorer =
        Explorer { teller, ids: FxHashMap::default(), queue: Vec::new(), now: Vec::new(), found: Vec::new() };
    let mut drawing = Drawing::default();
    let mut state = Vec::new();
    if let Err(failure) = machine.initial(&mut state) {
        explorer.found.push(Found::Failed(explorer.teller.failure(&failure)));
        explorer.queue.push(Vec::new());
        drawing.add(&mut explorer, 0, None, false);
        return Ok(drawing.finish(1));
    }
    explorer.visit(&state);
    let mut expander = Expander::default();
    let mut next = 0;
    while next < explorer.queue.len() {
        if next % 4096 == 4095 && !watch.go_on(explorer.queue.len() as u64) {
            return Err(Stopped);
        }
        explorer.now = std::mem::take(&mut explorer.queue[next]);
        let now = std::mem::take(&mut explorer.now);
        let held = explorer.teller.propositions(&now);
        let ends = explorer.teller.may_end(&now);
        explorer.now = now;
        let now = explorer.now.clone();
        expander.expand(machine, &now, &mut explorer);
        drawing.add(&mut explorer, next as u32, held, ends);
        next += 1;
    }
    Ok(drawing.finish(next))
}

/// What was found from one state.
enum Found {
    Step(Option<String>, u32),
    Failed(String),
}

struct Explorer<'a> {
    teller: &'a mut dyn Teller,
    ids: FxHashMap<Box<[u8]>, u32>,
    queue: Vec<Vec<u8>>,
    now: Vec<u8>,
    found: Vec<Found>,
}

impl Explorer<'_> {
    fn visit(&mut self, state: &[u8]) -> u32 {
        if let Some(id) = self.ids.get(state) {
            return *id;
        }
        let id = self.queue.len() as u32;
        self.ids.insert(state.into(), id);
        self.queue.push(state.to_vec());
        id
    }
}

impl Sink for Explorer<'_> {
    fn arrive(&mut self, state: &[u8], path: &[Move]) {
        let label = self.teller.label(&self.now, path);
        let target = self.visit(state);
        self.found.push(Found::Step(label, target));
    }

    fn fail(&mut self, failure: Failure, _: &[Move]) {
        self.found.push(Found::Failed(self.teller.failure(&failure)));
    }

    fn inner_step(&mut self) {}
}

/// The graph as it grows. The state behind failures gets the last number.
#[derive(Default)]
struct Drawing {
    builder: Builder,
    failures: Vec<(State, Label)>,
    /// States that may be the last.
    ends: Vec<State>,
    carried: Valuing,
    is_valued: bool,
}

impl Drawing {
    fn add(&mut self, explorer: &mut Explorer<'_>, state: u32, held: Option<Vec<String>>, ends: bool) {
        for found in explorer.found.drain(..) {
            match found {
                Found::Step(label, target) => {
                    let label = label.map_or(Label::TAU, |text| self.builder.labels.add(&text));
                    self.builder.push(State(state), Edge { label, target: State(target) });
                }
                Found::Failed(text) => self.failures.push((State(state), self.builder.labels.add(&text))),
            }
        }
        if ends {
            self.builder.labels.add(TERMINATED);
            self.ends.push(State(state));
        }
        if let Some(held) = held {
            self.is_valued = true;
            self.carried.add(held);
        }
    }

    fn finish(mut self, states: usize) -> Graph {
        let mut states = states;
        let end = self.builder.labels.find(TERMINATED);
        let ends = std::mem::take(&mut self.ends).into_iter().map(|s| (s, end.unwrap_or(Label::TAU))).collect();
        for (sources, held) in [(ends, TERMINATED), (std::mem::take(&mut self.failures), ERROR)] {
            let sources: Vec<(State, Label)> = sources;
            if sources.is_empty() {
                continue;
            }
            for (state, label) in sources {
                self.builder.push(state, Edge { label, target: State(states as u32) });
            }
            if self.is_valued {
                self.carried.add([held.to_owned()]);
            }
            states += 1;
        }
        if self.is_valued {
            self.builder.set_valuation(self.carried.finish());
        }
        self.builder.finish(states, State(0))
    }
}

/// The graph of a Promela model.
pub fn of_model(front: &Front, view: &View, limits: &Limits, hooks: &Hooks) -> Result<Graph, Missing> {
    let runnable = run::prepare(front).map_err(|why| Missing::Refused(why.to_string()))?;
    if runnable.model.lacks_code() || front.embedded.is_err() {
        return Err(Missing::Refused(run::cannot_run(front)));
    }
    let mut teller = PromelaTeller::new(front, &runnable, view)?;
    let mut machine = Interp::new(runnable.model.clone());
    let timer = Timer::start(limits, hooks);
    let graph = explore(&mut machine, &mut teller, &timer).map_err(|Stopped| Missing::Limit(timer.why()))?;
    match teller.trouble {
        Some(why) => Err(Missing::Refused(why)),
        None => Ok(visible(&graph, &view.observed)),
    }
}

/// The graph in which only observed labels are visible; failures always are.
pub fn visible(graph: &Graph, observed: &[String]) -> Graph {
    if observed.is_empty() {
        return graph.clone();
    }
    let kept = |text: &str| {
        text == TERMINATED || text.starts_with("error: ") || observed.iter().any(|p| ferrospin_lts::mu::fits(p, text))
    };
    ferrospin_lts::operations::project(graph, kept)
}

/// A proposition that was asked for.
enum Asked {
    /// The value of what has this name.
    Value(String),
    /// Whether a formula holds.
    Formula(String, Property),
}

struct PromelaTeller<'a> {
    runnable: &'a Runnable,
    texts: Texts<'a>,
    labels: Labelling,
    ends: bool,
    asked: Vec<Asked>,
    machine: Interp,
    next: Vec<u8>,
    trouble: Option<String>,
}

impl<'a> PromelaTeller<'a> {
    fn new(front: &'a Front, runnable: &'a Runnable, view: &View) -> Result<Self, Missing> {
        let mut machine = Interp::new(runnable.model.clone());
        machine.keep_log();
        let mut initial = Vec::new();
        let values = match machine.initial(&mut initial) {
            Ok(()) => Describer::new(&runnable.model, &initial).values(),
            Err(_) => Vec::new(),
        };
        let mut asked = Vec::new();
        for text in &view.propositions {
            let shown = values.iter().filter(|v| v.full_name == *text || is_element(&v.full_name, text));
            let names: Vec<String> = shown.map(|v| v.full_name.clone()).collect();
            if names.is_empty() {
                let property =
                    liveness::state_formula(front, runnable, text).map_err(|why| Missing::Refused(why.to_string()))?;
                asked.push(Asked::Formula(text.clone(), property));
            }
            asked.extend(names.into_iter().map(Asked::Value));
        }
        let texts = Texts { front, runnable };
        Ok(PromelaTeller {
            runnable,
            texts,
            labels: view.labels,
            ends: view.ends,
            asked,
            machine,
            next: Vec::new(),
            trouble: None,
        })
    }

    fn messages(&mut self, state: &[u8], mv: &Move) -> Vec<String> {
        let step = self.machine.apply(state, mv, &mut self.next);
        let log = self.machine.take_log();
        if log.is_empty() {
            return Vec::new();
        }
        let model = &self.runnable.model;
        let after = if step.proceeds { &self.next[..] } else { state };
        let events = run::events(mv, &Describer::new(model, state), &Describer::new(model, after), log);
        let tell = |event| match event {
            Event::Sent(m) => Some(format!("{}!{}", m.channel, m.message)),
            Event::Received(m) => Some(format!("{}?{}", m.channel, m.message)),
            Event::Handshake { channel, message, .. } => Some(format!("{channel}.{message}")),
            _ => None,
        };
        events.into_iter().filter_map(tell).collect()
    }

    fn statement(&self, state: &[u8], mv: &Move) -> String {
        let describer = Describer::new(&self.runnable.model, state);
        let told = |process: u8, edge: u32| {
            let name = describer.process_name(usize::from(process));
            format!("{name}[{process}]: {}", self.texts.statement(self.runnable.model.edge(EdgeId(edge))))
        };
        let own = told(mv.process, mv.edge);
        if mv.partner_edge == NO_EDGE { own } else { format!("{own}, {}", told(mv.partner, mv.partner_edge)) }
    }
}

/// Whether a name is an element or a field of another: `a[1]` or `a.x` of `a`.
fn is_element(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole).is_some_and(|rest| rest.starts_with(['[', '.']))
}

impl Teller for PromelaTeller<'_> {
    fn label(&mut self, state: &[u8], path: &[Move]) -> Option<String> {
        if self.labels == Labelling::Nothing {
            return None;
        }
        let mut told = Vec::new();
        let mut now = state.to_vec();
        let mut moves = path.iter().filter(|m| m.edge != NO_EDGE).peekable();
        while let Some(mv) = moves.next() {
            match self.labels {
                Labelling::Messages => told.extend(self.messages(&now, mv)),
                _ => {
                    told.push(self.statement(&now, mv));
                    self.machine.apply(&now, mv, &mut self.next);
                    self.machine.take_log();
                }
            }
            if moves.peek().is_some() {
                now.clone_from(&self.next);
            }
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn failure(&mut self, failure: &Failure) -> String {
        format!("error: {}", run::failure_text(&self.texts, &self.runnable.model, failure).0)
    }

    fn propositions(&mut self, state: &[u8]) -> Option<Vec<String>> {
        if self.asked.is_empty() {
            return None;
        }
        let mut held = Vec::new();
        let wants_values = self.asked.iter().any(|a| matches!(a, Asked::Value(_)));
        let values = if wants_values { Describer::new(&self.runnable.model, state).values() } else { Vec::new() };
        for asked in &self.asked {
            match asked {
                Asked::Value(name) => {
                    // A process that has ended, or not begun, has no variables.
                    if let Some(value) = values.iter().find(|v| v.full_name == *name) {
                        held.push(format!("{name}={}", value.text));
                    }
                }
                Asked::Formula(text, property) => match liveness::holds(&mut self.machine, property, state) {
                    Ok(true) => held.push(text.clone()),
                    Ok(false) => {}
                    Err(why) => {
                        _ = self.trouble.get_or_insert_with(|| format!("`{text}` has no value in some state: {why}"))
                    }
                },
            }
        }
        Some(held)
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.ends && self.machine.labels(state, Labels::END).has(Labels::END)
    }
}

/// Ends what takes too long, by the limits and interrupts of a check.
pub struct Timer {
    watch: Watch,
    started: Instant,
    held_before: u64,
}

impl Timer {
    /// Starts the clock.
    pub fn start(limits: &Limits, hooks: &Hooks) -> Timer {
        let options = Options { limits: *limits, hooks: hooks.clone(), ..Options::default() };
        Timer { watch: Watch::start(&options), started: Instant::now(), held_before: memory::held_bytes().unwrap_or(0) }
    }

    /// Time since the start.
    pub fn elapsed_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Whether it has ended something.
    pub fn has_stopped(&self) -> bool {
        self.watch.why().is_some()
    }

    /// Why it has ended something.
    pub fn why(&self) -> &'static str {
        self.watch.why().unwrap_or("stopped")
    }
}

impl ferrospin_lts::Watch for Timer {
    fn go_on(&self, states: u64) -> bool {
        let memory_bytes = memory::held_bytes().unwrap_or(0).saturating_sub(self.held_before);
        self.watch.go_on(&Progress { states, memory_bytes, ..Progress::default() })
    }
}
