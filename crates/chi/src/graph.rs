//! Configurations as labelled transition systems.
//!
//! States carry the values of the observed variables. A configuration that terminates successfully has an edge to a state of its own
//! in which [`TERMINATED`] holds: what ends well is told from what ends, and by any notion that does not count internal steps a state
//! may get there later, as the literature's termination condition says. What fails leads to a state in which [`ERROR`] holds.

use crate::step::{Action, Next, initial, receive, steps, terminates};
use crate::term::{Channel, Process, Program, Term, Type, Variable};
use ferrospin_lts::{Builder, Edge, Graph, Label, State, Valuing, Watch};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// What holds in the state behind successful termination, and the label of the edge to it.
pub const TERMINATED: &str = "terminated";
/// What holds in the state behind an error, and the label of the edge to it.
pub const ERROR: &str = "error";

/// Operators visited between two checks of the limits.
const WORK: u64 = 1 << 14;

/// Which actions are labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actions {
    /// None: all steps are internal.
    None,
    /// What others may take part in: sending and receiving.
    Open,
    /// Sending and receiving, and what was agreed inside.
    Messages,
    /// All, assignments too.
    All,
}

/// What a graph shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Which actions are labels.
    pub actions: Actions,
    /// Whose values states carry; `None` where they carry nothing.
    pub observed: Option<Vec<Variable>>,
}

/// Why there is no graph.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GraphError {
    /// A value from outside may be any number.
    #[error(
        "what comes into `{0}` from outside is not known: put `enc( )` around, or give its values, as in `chan {0}: 0..3`"
    )]
    Open(String),
    /// The watch said no.
    #[error("stopped before the end")]
    Stopped,
}

/// A graph of several configurations of one program.
pub struct Explored {
    /// The graph; its initial state is the first configuration.
    pub graph: Graph,
    /// The states of the configurations asked for.
    pub roots: Vec<State>,
    /// Which states terminate.
    pub terminating: Vec<bool>,
}

/// The graph of a program from its initial state.
pub fn explore(program: &Program, view: &View, watch: &dyn Watch) -> Result<Graph, GraphError> {
    let root = (program.process.clone(), initial(program));
    Ok(explore_all(program, &[root], view, watch)?.graph)
}

/// The graph of several configurations. The tables of the program are used, its process is not.
pub fn explore_all(program: &Program, roots: &[Next], view: &View, watch: &dyn Watch) -> Result<Explored, GraphError> {
    let mut explorer = Explorer {
        program,
        view,
        ids: FxHashMap::default(),
        queue: Vec::new(),
        builder: Builder::new(),
        open: Vec::new(),
    };
    let roots: Vec<State> = roots.iter().map(|root| explorer.visit(root.clone())).collect();
    let mut carried = Valuing::default();
    let mut terminating = Vec::new();
    let (mut ends, mut faults) = (Vec::new(), Vec::new());
    let (mut work, mut asked) = (0, 0);
    let mut next = 0;
    while next < explorer.queue.len() {
        // The cost of a state grows with its process.
        work += u64::from(explorer.queue[next].0.size());
        if work >= asked + WORK {
            asked = work;
            if !watch.go_on(explorer.queue.len() as u64) {
                return Err(GraphError::Stopped);
            }
        }
        let now = State(next as u32);
        let (process, values) = explorer.queue[next].clone();
        next += 1;
        terminating.push(terminates(&process, &values));
        if terminating[now.index()] {
            ends.push(now);
        }
        if let Some(observed) = &view.observed {
            // Truth values as numbers, which is how Promela shows them.
            let text = |x: &Variable| format!("{}={}", program.variables[x.index()].name, values[x.index()]);
            carried.add(observed.iter().map(text));
        }
        explorer.expand(now, &process, &values, &mut faults)?;
    }
    let mut states = next;
    for (sources, text) in [(ends, TERMINATED), (faults, ERROR)] {
        if sources.is_empty() {
            continue;
        }
        let sink = State(states as u32);
        states += 1;
        terminating.push(false);
        let label = explorer.builder.labels.add(text);
        sources.into_iter().for_each(|source| explorer.builder.push(source, Edge { label, target: sink }));
        if view.observed.is_some() {
            carried.add([text.to_owned()]);
        }
    }
    let mut builder = explorer.builder;
    if view.observed.is_some() {
        builder.set_valuation(carried.finish());
    }
    let initial = roots.first().copied().unwrap_or(State(0));
    Ok(Explored { graph: builder.finish(states, initial), roots, terminating })
}

struct Explorer<'a> {
    program: &'a Program,
    view: &'a View,
    ids: FxHashMap<Next, State>,
    queue: Vec<Next>,
    builder: Builder,
    /// For each process, the channels on which it may receive from outside.
    open: Vec<Channel>,
}

impl Explorer<'_> {
    fn visit(&mut self, configuration: Next) -> State {
        if let Some(id) = self.ids.get(&configuration) {
            return *id;
        }
        let id = State(u32::try_from(self.queue.len()).expect("fewer states than memory has bytes"));
        self.ids.insert(configuration.clone(), id);
        self.queue.push(configuration);
        id
    }

    fn expand(
        &mut self,
        now: State,
        process: &Process,
        values: &[i32],
        faults: &mut Vec<State>,
    ) -> Result<(), GraphError> {
        let mut found = Vec::new();
        steps(process, values, &mut found);
        self.open.clear();
        open_channels(process, &mut self.open);
        self.open.sort_unstable();
        self.open.dedup();
        for m in std::mem::take(&mut self.open) {
            let channel = &self.program.channels[m.index()];
            let range = channel.values().ok_or_else(|| GraphError::Open(channel.name.clone()))?;
            for d in range {
                let mut taken = Vec::new();
                receive(process, values, m, d, &mut taken);
                found.extend(taken.into_iter().map(|next| (Action::Receive(m, d), next)));
            }
        }
        for (action, next) in found {
            if action == Action::Fault {
                faults.push(now);
                continue;
            }
            let label = match self.text(action) {
                Some(text) => self.builder.labels.add(&text),
                None => Label::TAU,
            };
            let target = self.visit(next);
            self.builder.push(now, Edge { label, target });
        }
        Ok(())
    }

    fn text(&self, action: Action) -> Option<String> {
        let message = |m: Channel, sign: char, d: i32| {
            let channel = &self.program.channels[m.index()];
            format!("{}{sign}{}", channel.name, value_text(channel.ty, d))
        };
        match action {
            _ if self.view.actions == Actions::None => None,
            Action::Send(m, d) => Some(message(m, '!', d)),
            Action::Receive(m, d) => Some(message(m, '?', d)),
            _ if self.view.actions == Actions::Open => None,
            Action::Communicate(m, d) => Some(message(m, '.', d)),
            Action::Assign(x, d) if self.view.actions == Actions::All => {
                let variable = &self.program.variables[x.index()];
                Some(format!("{} := {}", variable.name, value_text(variable.ty, d)))
            }
            Action::Assign(..) | Action::Internal | Action::Fault => None,
        }
    }
}

/// A value as it is written.
pub fn value_text(ty: Type, value: i32) -> String {
    match ty {
        Type::Bool => (value != 0).to_string(),
        Type::Int => value.to_string(),
    }
}

/// The channels on which a process may receive now from outside; guards may still forbid it.
fn open_channels(process: &Process, found: &mut Vec<Channel>) {
    match process.term() {
        Term::Receive(m, _) => found.push(*m),
        Term::Guard(_, p) | Term::Repeat(p) | Term::Scope(_, p) => open_channels(p, found),
        Term::Sequence(p, q) => {
            open_channels(p, found);
            if may_end(p) {
                open_channels(q, found);
            }
        }
        Term::Choice(p, q) | Term::Parallel(p, q) => {
            open_channels(p, found);
            open_channels(q, found);
        }
        _ => {}
    }
}

/// Whether a process terminates at once in some state.
pub(crate) fn may_end(process: &Process) -> bool {
    match process.term() {
        Term::Epsilon | Term::Repeat(_) => true,
        Term::Delta | Term::Skip | Term::Assign(..) | Term::Send(..) | Term::Receive(..) => false,
        Term::Guard(_, p) | Term::Scope(_, p) | Term::Encapsulate(p) => may_end(p),
        Term::Sequence(p, q) | Term::Parallel(p, q) => may_end(p) && may_end(q),
        Term::Choice(p, q) => may_end(p) || may_end(q),
    }
}
