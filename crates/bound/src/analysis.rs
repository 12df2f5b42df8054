//! The test and its refinement: weights, suspects, variables that are told apart.
//!
//! All channels are asked for together first, because one certificate then serves all; where that fails, each alone. A suspect is looked at again
//! with the variables that decide on the ways through its loops. What is left has no such variable, or too many values of it.

use crate::check::{Certificate, Potential, Weight, Wrong, shown_bound};
use crate::effects::{Arc, Class, arcs};
use crate::gain::{Cycle, Gains, gains};
use crate::program::{Channel, Program, Refusal, Variable, actions, takes_part};
use crate::solve::{Solved, weights};
use crate::unfold::{Failed, Unfolded, unfold};
use crate::values::reads;
use ferrospin_lp::{Integer, Rational};
use ferrospin_model::ir::{Action, Area, EdgeId, Expr, Model, ProcessId, Show};

/// When to give up. What a limit ends is unknown, never bounded.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Places of all processes together.
    pub nodes_max: usize,
    /// Loops that are looked at for one question.
    pub cycles_max: usize,
    /// Suspects that are looked at again; 0 for none.
    pub rounds_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { nodes_max: 20_000, cycles_max: 1000, rounds_max: 100 }
    }
}

/// A loop of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The type of the process.
    pub process: ProcessId,
    /// Its edges in their order; those of processes that it starts are not among them.
    pub edges: Vec<EdgeId>,
    /// How often it is repeated while the others are, too.
    pub times: Rational,
    /// What one round does: names of channels, with the first field where it tells messages apart, and how many more there are.
    pub effect: Vec<(String, i64)>,
}

/// Loops that may together let a channel grow for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspect {
    /// The loops.
    pub loops: Vec<Loop>,
}

/// A suspect that was looked at again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The suspect.
    pub suspect: Suspect,
    /// Variables whose values are told apart from here on, with their process types.
    pub variables: Vec<(ProcessId, String)>,
    /// Variables that have too many values for that.
    pub too_many: Vec<(ProcessId, String)>,
    /// How often the first loop can be repeated without anything in between, now that they are.
    pub repeats_max: Option<u64>,
}

/// What is known about a channel.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It never holds more messages than this, whatever its capacity.
    Bounded {
        /// How many.
        bound: Integer,
        /// What shows it.
        certificate: Certificate,
    },
    /// These loops could not be excluded.
    Suspect(Suspect),
    /// A limit was reached.
    Limit,
    /// It seems to be bounded, but the certificate was refused: a mistake in the search for it.
    Unconfirmed(Wrong),
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// All channels.
    pub channels: Vec<Channel>,
    /// Positions of channels that keep messages, with what is known about them.
    pub answers: Vec<(usize, Answer)>,
    /// Suspects that were looked at again, in their order.
    pub rounds: Vec<Round>,
    /// Places of all processes, at the end.
    pub places: usize,
    /// Steps between them.
    pub steps: usize,
    /// Kinds of messages that are counted.
    pub classes: usize,
}

impl Analysis {
    /// Whether every channel is bounded.
    pub fn is_bounded(&self) -> bool {
        self.answers.iter().all(|(_, a)| matches!(a, Answer::Bounded { .. }))
    }
}

/// Analyses a model. `go_on` is asked now and then.
pub fn analyse(model: &Model, limits: &Limits, go_on: &dyn Fn() -> bool) -> Result<Analysis, Refusal> {
    let program = Program::new(model)?;
    let mut me = Analysing {
        program: &program,
        limits,
        go_on,
        tracked: vec![Vec::new(); model.processes.len()],
        refused: Vec::new(),
        view: View {
            unfolded: Unfolded { nodes: Vec::new(), steps: Vec::new() },
            classes: Vec::new(),
            arcs: Vec::new(),
        },
        cycles: Vec::new(),
        rounds: Vec::new(),
    };
    me.begin()?;
    let kept: Vec<usize> = (0..program.channels.len()).filter(|c| program.channels[*c].capacity > 0).collect();
    let is_bounded = me.ask(&kept)?;
    if !is_bounded {
        for channel in &kept {
            me.ask(&[*channel])?;
        }
    }
    let answers = kept.iter().map(|channel| (*channel, me.answer(*channel))).collect();
    let (places, steps, classes) = (me.view.unfolded.nodes.len(), me.view.arcs.len(), me.view.classes.len());
    let rounds = me.rounds;
    Ok(Analysis { answers, rounds, places, steps, classes, channels: program.channels.clone() })
}

/// A model unfolded.
struct View {
    unfolded: Unfolded,
    classes: Vec<Class>,
    arcs: Vec<Arc>,
}

struct Analysing<'a> {
    program: &'a Program<'a>,
    limits: &'a Limits,
    go_on: &'a dyn Fn() -> bool,
    /// Variables of each process type that are told apart.
    tracked: Vec<Vec<Variable>>,
    /// Variables with too many values.
    refused: Vec<(ProcessId, Variable)>,
    view: View,
    /// Loops of the view that were found.
    cycles: Vec<Cycle>,
    rounds: Vec<Round>,
}

impl Analysing<'_> {
    /// The first view: variables that decide which channel is meant are told apart, as far as that can be.
    fn begin(&mut self) -> Result<(), Refusal> {
        let model = self.program.model;
        let mut wanted: Vec<(ProcessId, Variable)> = Vec::new();
        for p in (0..model.processes.len() as u32).map(ProcessId).filter(|p| takes_part(model, *p)) {
            let locals = &model.process(p).locals;
            let channels = (0..locals.len()).filter(|i| locals[*i].show == Show::Channel);
            wanted.extend(channels.filter_map(|i| Some((p, self.program.variable_at(p, Area::Local, i)?))));
        }
        let holds_channels = wanted.len();
        for i in 0..model.edges.len() as u32 {
            let process = model.location(model.edge(EdgeId(i)).from).process;
            if !takes_part(model, process) {
                continue;
            }
            for action in actions(model, EdgeId(i)) {
                match action {
                    Action::Run { args, .. } => args.iter().for_each(|e| self.add(process, e, &mut wanted)),
                    Action::Send { channel, .. } => self.add(process, channel, &mut wanted),
                    Action::Receive(r) => self.add(process, &r.channel, &mut wanted),
                    _ => {}
                }
            }
        }
        self.close(&mut wanted);
        for end in [wanted.len(), holds_channels] {
            if self.try_with(&wanted[..end])? {
                return Ok(());
            }
        }
        // Without any values there is a place for each location, and for each place to go on behind a `d_step`.
        let unlimited = usize::MAX;
        self.view = self.built(&self.tracked, unlimited)?.expect("there is no limit");
        Ok(())
    }

    /// Adds the variables that an expression reads.
    fn add(&self, process: ProcessId, e: &Expr, wanted: &mut Vec<(ProcessId, Variable)>) {
        let mut places = Vec::new();
        reads(e, &mut places);
        for place in places {
            if let Some(variable) = self.program.variable(process, place) {
                let entry = (process, variable);
                if !wanted.contains(&entry) {
                    wanted.push(entry);
                }
            }
        }
    }

    /// Adds what assignments to these variables read.
    fn close(&self, wanted: &mut Vec<(ProcessId, Variable)>) {
        let model = self.program.model;
        let mut next = 0;
        while next < wanted.len() {
            let (process, variable) = wanted[next].clone();
            next += 1;
            for i in 0..model.edges.len() as u32 {
                if model.location(model.edge(EdgeId(i)).from).process != process {
                    continue;
                }
                for action in actions(model, EdgeId(i)) {
                    if let Action::Assign(place, e) = action
                        && self.program.variable(process, place).as_ref() == Some(&variable)
                    {
                        self.add(process, e, wanted);
                    }
                }
            }
        }
    }

    fn built(&self, tracked: &[Vec<Variable>], nodes_max: usize) -> Result<Option<View>, Refusal> {
        match unfold(self.program, tracked, nodes_max) {
            Ok(unfolded) => {
                let (classes, arcs) = arcs(self.program, &unfolded);
                Ok(Some(View { unfolded, classes, arcs }))
            }
            Err(Failed::Many) => Ok(None),
            Err(Failed::Refused(refusal)) => Err(refusal),
        }
    }

    /// Tells more variables apart, unless there are too many places then.
    fn try_with(&mut self, more: &[(ProcessId, Variable)]) -> Result<bool, Refusal> {
        let mut tracked = self.tracked.clone();
        for (process, variable) in more {
            if !tracked[process.index()].contains(variable) {
                tracked[process.index()].push(variable.clone());
            }
        }
        let Some(view) = self.built(&tracked, self.limits.nodes_max)? else { return Ok(false) };
        self.view = view;
        self.tracked = tracked;
        self.cycles.clear();
        Ok(true)
    }

    fn solve(&mut self, channels: &[usize]) -> Solved {
        let View { unfolded, classes, arcs } = &self.view;
        let wanted: Vec<bool> = classes.iter().map(|c| !c.handshake && channels.contains(&c.channel)).collect();
        weights(classes, unfolded.nodes.len(), arcs, &wanted, &mut self.cycles, self.limits.cycles_max, self.go_on)
    }

    /// Whether these channels are bounded together; suspects are looked at again as long as that helps.
    fn ask(&mut self, channels: &[usize]) -> Result<bool, Refusal> {
        loop {
            match self.solve(channels) {
                Solved::Bounded { .. } => return Ok(true),
                Solved::Nothing => return Ok(false),
                Solved::Suspect(found) => {
                    if self.rounds.len() >= self.limits.rounds_max || !self.refine(&found)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Tells the variables apart that decide on the ways through a suspect's loops. False if there are none any more.
    fn refine(&mut self, found: &[(usize, Rational)]) -> Result<bool, Refusal> {
        let model = self.program.model;
        let suspect = self.suspect(found);
        let mut wanted: Vec<(ProcessId, Variable)> = Vec::new();
        for (cycle, _) in found {
            for arc in &self.cycles[*cycle].arcs {
                // What the other ways from the same place ask decides, too: behind `else` it must not hold.
                let location = model.location(model.edge(self.view.arcs[*arc].edge).from);
                for action in location.edges.iter().flat_map(|e| actions(model, *e)) {
                    if let Action::Guard(e) = action {
                        self.add(location.process, e, &mut wanted);
                    }
                }
            }
        }
        self.close(&mut wanted);
        wanted.retain(|(p, v)| !self.tracked[p.index()].contains(v) && !self.refused.contains(&(*p, v.clone())));
        if wanted.is_empty() {
            return Ok(false);
        }
        let mut together = wanted.clone();
        let mut too_many = Vec::new();
        if !self.try_with(&wanted)? {
            together.clear();
            for entry in wanted {
                if self.try_with(std::slice::from_ref(&entry))? {
                    together.push(entry);
                } else {
                    too_many.push((entry.0, entry.1.name.to_string()));
                    self.refused.push(entry);
                }
            }
        }
        let repeats_max = self.repeats(&suspect.loops[0]);
        let variables = together.iter().map(|(p, v)| (*p, v.name.to_string())).collect();
        let helps = !together.is_empty();
        self.rounds.push(Round { suspect, variables, too_many, repeats_max });
        Ok(helps)
    }

    fn suspect(&self, found: &[(usize, Rational)]) -> Suspect {
        let model = self.program.model;
        let told = |(cycle, times): &(usize, Rational)| {
            let cycle = &self.cycles[*cycle];
            let edges: Vec<EdgeId> = cycle.arcs.iter().map(|a| self.view.arcs[*a].edge).collect();
            let process = model.location(model.edge(edges[0]).from).process;
            let effect = cycle.effect.iter().filter(|(c, _)| !self.view.classes[*c].handshake);
            let effect = effect.map(|(c, change)| (self.class_name(*c), *change)).collect();
            Loop { process, edges, times: times.clone(), effect }
        };
        Suspect { loops: found.iter().map(told).collect() }
    }

    fn class_name(&self, class: usize) -> String {
        let Class { channel, first, .. } = &self.view.classes[class];
        let name = &self.program.channels[*channel].name;
        let list = match self.program.channels[*channel].fields.first() {
            Some((_, Show::Mtype(list))) => self.program.model.mtypes.get(*list as usize),
            _ => None,
        };
        let constant = |value: i32| list.and_then(|l| l.iter().find(|(v, _)| i32::from(*v) == value)).map(|(_, n)| n);
        match first.and_then(constant) {
            Some(first) => format!("{name}!{first}"),
            None => name.to_string(),
        }
    }

    /// How often a loop can be repeated without anything in between; `None` if for ever, or not known.
    fn repeats(&self, suspect: &Loop) -> Option<u64> {
        let model = self.program.model;
        let sends = |e: &EdgeId| actions(model, *e).any(|a| matches!(a, Action::Send { .. }));
        let counted = suspect.edges.iter().find(|e| sends(e)).unwrap_or(&suspect.edges[0]);
        let inside = self.view.arcs.iter().filter(|a| suspect.edges.contains(&a.edge)).map(|a| Arc {
            spawn: None,
            effect: if a.edge == *counted { vec![(0, 1)] } else { Vec::new() },
            ..a.clone()
        });
        let inside: Vec<Arc> = inside.collect();
        match gains(self.view.unfolded.nodes.len(), &inside, &[1], self.go_on) {
            Gains::Found(gains) => gains.into_iter().max().and_then(|g| u64::try_from(g).ok()),
            _ => None,
        }
    }

    fn answer(&mut self, channel: usize) -> Answer {
        let (weights, gains) = match self.solve(&[channel]) {
            Solved::Bounded { weights, gains } => (weights, gains),
            Solved::Suspect(found) => return Answer::Suspect(self.suspect(&found)),
            Solved::Nothing => return Answer::Limit,
        };
        let number = |value: i128| Rational::from(Integer::from(value));
        let View { unfolded, classes, .. } = &self.view;
        let weight = |(c, w): (&Class, &i128)| Weight {
            channel: c.channel,
            first: c.first,
            handshake: c.handshake,
            weight: number(*w),
        };
        let potential = |(n, g): (&crate::unfold::Node, &i128)| Potential {
            at: n.at,
            back: n.back,
            values: n.values.to_vec(),
            value: number(*g),
        };
        let certificate = Certificate {
            weights: classes.iter().zip(&weights).map(weight).collect(),
            tracked: self.tracked.iter().map(|list| list.iter().map(|v| (v.area, v.leaf)).collect()).collect(),
            potentials: unfolded.nodes.iter().zip(&gains).map(potential).collect(),
        };
        // Nothing is said before the certificate was judged.
        match shown_bound(self.program.model, &certificate, channel) {
            Ok(bound) => Answer::Bounded { bound, certificate },
            Err(why) => Answer::Unconfirmed(why),
        }
    }
}
