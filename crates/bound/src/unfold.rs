//! Where processes may stand: locations with the values of the variables that are told apart, each process for itself.
//!
//! What depends on others may happen; a guard that is known to be false ends a way. The same process type started with other arguments is
//! other places, as long as variables with its parameters are told apart: this is how instances that share a text keep their channels
//! apart.

use crate::program::{Program, Refusal, Variable, actions, stores};
use crate::values::{Scope, Values, always, position};
use ferrospin_model::ir::{Action, Area, EdgeId, Expr, Init, LocationId, Pattern, ProcessId, Receive};
use rustc_hash::FxHashMap;

/// A place where a process may stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) at: LocationId,
    /// Inside a `d_step`: where it goes on behind it.
    pub(crate) back: Option<LocationId>,
    pub(crate) values: Values,
}

/// What is done to channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Act {
    pub(crate) sends: bool,
    /// The message stays.
    pub(crate) copy: bool,
    pub(crate) channels: Vec<usize>,
    /// The first field, where the text fixes it.
    pub(crate) first: Option<i32>,
}

/// A step of a process.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) from: usize,
    /// `None` where the process ends.
    pub(crate) to: Option<usize>,
    /// Where the process that it starts begins.
    pub(crate) spawn: Option<usize>,
    pub(crate) edge: EdgeId,
    pub(crate) acts: Vec<Act>,
}

/// All places and steps.
pub(crate) struct Unfolded {
    pub(crate) nodes: Vec<Node>,
    pub(crate) steps: Vec<Step>,
}

/// Why there is none.
pub(crate) enum Failed {
    Refused(Refusal),
    /// There are more places than that.
    Many,
}

struct Unfolding<'a> {
    program: &'a Program<'a>,
    tracked: &'a [Vec<Variable>],
    ids: FxHashMap<Node, usize>,
    nodes: Vec<Node>,
    nodes_max: usize,
}

/// Unfolds; `tracked` holds the variables of each process type that are told apart.
pub(crate) fn unfold(program: &Program<'_>, tracked: &[Vec<Variable>], nodes_max: usize) -> Result<Unfolded, Failed> {
    let mut me = Unfolding { program, tracked, ids: FxHashMap::default(), nodes: Vec::new(), nodes_max };
    for process in &program.model.start {
        let node = me.entry(*process, &[]);
        me.id(node)?;
    }
    let (mut steps, mut next) = (Vec::new(), 0);
    while next < me.nodes.len() {
        me.expand(next, &mut steps)?;
        next += 1;
    }
    Ok(Unfolded { nodes: me.nodes, steps })
}

impl Unfolding<'_> {
    fn id(&mut self, node: Node) -> Result<usize, Failed> {
        if let Some(id) = self.ids.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= self.nodes_max {
            return Err(Failed::Many);
        }
        let id = self.nodes.len();
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        Ok(id)
    }

    /// Where a process of a type begins.
    fn entry(&self, process: ProcessId, args: &[Option<i32>]) -> Node {
        let kind = self.program.model.process(process);
        let tracked = &self.tracked[process.index()];
        let begin = |v: &Variable| if v.area == Area::Global { self.program.initial(v.offset) } else { Some(0) };
        let mut values: Values = tracked.iter().map(begin).collect();
        for (place, value) in kind.params.iter().zip(args) {
            if let Some(i) = position(self.program, process, tracked, place) {
                values[i] = value.map(|v| tracked[i].scalar.cut(v));
            }
        }
        for (place, init) in &kind.init {
            let value = match init {
                Init::Value(e) => Scope { program: self.program, process, tracked, values: &values }.value(e),
                Init::Channel(_) => None,
            };
            if let Some(i) = position(self.program, process, tracked, place) {
                values[i] = value.map(|v| tracked[i].scalar.cut(v));
            }
        }
        Node { at: kind.entry, back: None, values }
    }

    fn expand(&mut self, from: usize, steps: &mut Vec<Step>) -> Result<(), Failed> {
        let program = self.program;
        let model = program.model;
        let node = self.nodes[from].clone();
        let location = model.location(node.at);
        let process = location.process;
        let tracked = &self.tracked[process.index()];
        let mut taken = false;
        for &id in &location.edges {
            let edge = model.edge(id);
            if edge.action == Action::Else && taken {
                continue;
            }
            taken |= always(&Scope { program, process, tracked, values: &node.values }, &edge.action);
            let mut values = node.values.clone();
            let (mut acts, mut spawn, mut inside, mut ends, mut possible) = (Vec::new(), None, None, false, true);
            for action in actions(model, id) {
                let before = values.clone();
                let scope = Scope { program, process, tracked, values: &before };
                match action {
                    Action::Guard(e) => {
                        possible &= scope.value(e) != Some(0);
                        scope.assume(e, &mut values);
                    }
                    Action::Assign(place, e) => {
                        if let Some(i) = position(program, process, tracked, place) {
                            values[i] = scope.value(e).map(|v| tracked[i].scalar.cut(v));
                        }
                    }
                    Action::Send { channel, fields, .. } => acts.push(Act {
                        sends: true,
                        copy: false,
                        channels: scope.channels(channel),
                        first: constant(fields.first()),
                    }),
                    Action::Receive(r) => {
                        acts.push(Act {
                            sends: false,
                            copy: r.copy,
                            channels: scope.channels(&r.channel),
                            first: asked(r),
                        });
                        forget(program, process, tracked, action, &mut values);
                    }
                    Action::Run { process: child, args, .. } => {
                        let args: Vec<Option<i32>> = args.iter().map(|e| scope.value(e)).collect();
                        if spawn.is_some() {
                            let why = "a step that starts two processes";
                            return Err(Failed::Refused(Refusal { why, span: edge.span }));
                        }
                        spawn = Some(self.id(self.entry(*child, &args))?);
                        forget(program, process, tracked, action, &mut values);
                    }
                    Action::DStep(entry) => {
                        if node.back.is_some() || !edge.then.is_empty() {
                            let why = "a `d_step` inside another";
                            return Err(Failed::Refused(Refusal { why, span: edge.span }));
                        }
                        inside = Some(*entry);
                    }
                    Action::End => ends = true,
                    Action::Skip
                    | Action::Else
                    | Action::Assert(_)
                    | Action::Print { .. }
                    | Action::SetPriority(..)
                    | Action::Call(_)
                    | Action::Foreign => {}
                }
            }
            // No channel to act on: the step fails.
            if !possible || acts.iter().any(|a| a.channels.is_empty()) {
                continue;
            }
            let target = match (inside, edge.to == LocationId::EXIT) {
                (Some(entry), _) => Some(Node { at: entry, back: Some(edge.to), values }),
                (None, false) => Some(Node { at: edge.to, back: node.back, values }),
                (None, true) if ends => None,
                (None, true) => match node.back {
                    Some(at) => Some(Node { at, back: None, values }),
                    None => {
                        let why = "an edge that leads nowhere";
                        return Err(Failed::Refused(Refusal { why, span: edge.span }));
                    }
                },
            };
            let to = match target {
                Some(node) => Some(self.id(node)?),
                None => None,
            };
            steps.push(Step { from, to, spawn, edge: id, acts });
        }
        Ok(())
    }
}

/// What an action stores is any value.
fn forget(
    program: &Program<'_>,
    process: ProcessId,
    tracked: &[Variable],
    action: &Action,
    values: &mut [Option<i32>],
) {
    for place in stores(action) {
        if let Some(i) = position(program, process, tracked, place) {
            values[i] = None;
        }
    }
}

fn constant(field: Option<&Expr>) -> Option<i32> {
    match field {
        Some(Expr::Const(value)) => Some(*value),
        _ => None,
    }
}

/// The first field that a receive asks for, where the text fixes it.
fn asked(receive: &Receive) -> Option<i32> {
    match receive.fields.first() {
        Some(Pattern::Match(e)) => constant(Some(e)),
        _ => None,
    }
}
