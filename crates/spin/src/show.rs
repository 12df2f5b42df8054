//! What a step prints: messages, the statement, variables that have changed, and in the end the location of each process.

use crate::command::View;
use crate::elements::{Body, Element, Elements};
use crate::steps::{self, Who};
use crate::world::World;
use ferrospin::run::Run;
use ferrospin_interp::describe::{Content, Value};
use ferrospin_model::ir::Show;
use ferrospin_trace::trail::{Event, Step};
use std::collections::HashMap;

/// Shows a run.
pub struct Screen<'a> {
    /// What is shown.
    pub view: &'a View,
    /// The statements.
    pub elements: &'a Elements,
    /// A trail is followed, so that processes are those of the trail.
    pub guided: bool,
    /// 1 where a claim is process 0 of the run, else 0.
    pub shift: i64,
    /// The step at which a variable was last changed.
    changed: HashMap<String, i64>,
    /// The head of the columns is due.
    head_due: bool,
}

/// One side of a step.
pub struct Side<'e> {
    /// Who moves.
    pub who: Who,
    /// The type it has.
    pub body: &'e Body,
    /// What it executes.
    pub element: &'e Element,
}

impl<'a> Screen<'a> {
    /// A screen on which nothing was shown yet.
    pub fn new(view: &'a View, elements: &'a Elements, guided: bool) -> Self {
        Screen { view, elements, guided, shift: 0, changed: HashMap::new(), head_due: true }
    }

    /// Whether steps of this number are shown.
    pub fn shows(&self, depth: i64) -> bool {
        depth >= self.view.skip
    }

    /// Statements are shown.
    pub fn talks(&self) -> bool {
        self.view.statements || self.view.verbose
    }

    /// A process of a state, as lines name it.
    pub fn who(&self, run: &Run<'_>, number: usize) -> Who {
        let described = run.describe();
        let process = described.processes().into_iter().find(|p| p.number == number);
        let (name, priority) = process.map_or(("?".into(), 1), |p| (p.name, p.priority));
        let name = if name == "init" { ":init:".into() } else { name };
        Who { number: Some(number as u8), name, priority: priority.clamp(0, 255) as u8 }
    }

    /// A process that starts.
    pub fn starts(&mut self, run: &Run<'_>, number: usize, by: Option<&Who>, depth: i64, world: &mut dyn World) {
        let who = self.who(run, number);
        let priority =
            if run.runnable().model.uses.priority { format!(" priority {}", who.priority) } else { String::new() };
        if by.is_some() && self.talks() {
            world.out(&format!("Starting {} with pid {}{priority}\n", who.name, number as i64 + self.shift));
        }
        if self.view.columns {
            self.head_due = true;
            world.out(&format!("proc {number} = {}\n", who.name));
        } else if !self.guided && self.view.statements {
            let priority = if who.priority > 1 { format!(" priority {}", who.priority) } else { String::new() };
            match by {
                Some(by) => world.out(&format!("{depth:3}:\t{by}creates proc {number:2} ({}){priority}\n", who.name)),
                None => {
                    world.out(&format!("  0:\tproc  - (:root:) creates proc {number:2} ({}){priority}\n", who.name))
                }
            }
        }
    }

    /// What was printed by a process.
    pub fn printed(&self, process: usize, text: &str, depth: i64, world: &mut dyn World) {
        if self.view.no_print || self.guided && !self.shows(depth) {
            return;
        }
        if !self.view.flush_left {
            let deeper = if self.guided { self.shift.max(0) as usize } else { 0 };
            world.out(&steps::indent(process + deeper));
        }
        world.out(text);
    }

    /// A message as it is sent or received.
    #[allow(clippy::too_many_arguments)]
    pub fn message(
        &mut self,
        side: &Side<'_>,
        verb: &str,
        channel: &str,
        fields: &str,
        run_before: &Names,
        live: usize,
        depth: i64,
        world: &mut dyn World,
    ) {
        let sends = verb != "Recv";
        if !self.shows(depth) || !(if sends { self.view.sends } else { self.view.receives }) {
            return;
        }
        let queue = run_before.number(channel);
        if self.view.hidden.contains(&i64::from(queue)) {
            return;
        }
        let fields: Vec<String> = fields.split(',').map(|f| run_before.plain(f)).collect();
        let fields = fields.join(",");
        let name = written(&side.element.text, channel);
        if self.view.columns {
            if self.head_due {
                self.head_due = false;
                world.out(&steps::columns(live));
            }
            world.out(&steps::column(queue, usize::from(side.who.number.unwrap_or(0)), &name, sends, &fields));
        } else if self.view.xspin {
            let text =
                steps::message_for_xspin(depth, &side.who, side.element, sends, &fields, queue, self.view.statements);
            world.out(&text);
        } else {
            world.out(&steps::message(depth, &side.who, side.element, verb, &fields, queue, &name));
        }
    }

    /// The line of a statement.
    pub fn statement(&self, side: &Side<'_>, depth: i64, text: &str, world: &mut dyn World) {
        if self.talks() && self.shows(depth) {
            let line = steps::statement(depth, &side.who, side.body, side.element, text, !self.view.xspin);
            world.out(&format!("{line}\n"));
        }
    }

    /// Notes which variables a step has changed.
    pub fn note(&mut self, before: &[Value], after: &[Value], side: &Side<'_>, process: usize, depth: i64) {
        let old: HashMap<&str, &Content> = before.iter().map(|v| (v.full_name.as_str(), &v.content)).collect();
        let assigned = assigned(&side.element.text);
        for v in after {
            let is_assigned = v.process == Some(process) && assigned.contains(&v.name.as_str());
            let is_new = v.process.is_some() && !old.contains_key(v.full_name.as_str());
            if is_new || is_assigned || old.get(v.full_name.as_str()).is_some_and(|c| **c != v.content) {
                self.changed.insert(v.full_name.clone(), depth);
            }
        }
    }

    /// Variables behind a step.
    pub fn variables(&self, run: &Run<'_>, process: usize, depth: i64, world: &mut dyn World) {
        if !self.talks() || !self.shows(depth) {
            return;
        }
        if self.view.globals {
            world.out(&self.values(run, None, depth, false));
        }
        if self.view.locals {
            world.out(&self.values(run, Some(process), depth, false));
        }
        if self.view.xspin {
            world.out("\n");
        }
    }

    /// The variables of a process, or the globals: those that have changed at this step, or all of them in the end.
    fn values(&self, run: &Run<'_>, process: Option<usize>, depth: i64, final_state: bool) -> String {
        let described = run.describe();
        let all = described.values();
        let own: Vec<&Value> = all.iter().filter(|v| v.process == process).collect();
        let changed_only = self.view.statements && !self.view.very_verbose && !final_state;
        let prefix = process.map_or(String::new(), |p| {
            let who = self.who(run, p);
            format!("{}({p}):", who.name)
        });
        let mut groups: Vec<Vec<&Value>> = Vec::new();
        for v in own {
            match groups.last_mut() {
                Some(group) if base(&group[0].name) == base(&v.name) => group.push(v),
                _ => groups.push(vec![v]),
            }
        }
        // SPIN keeps the locals of a process with the last one first.
        if process.is_some() {
            groups.reverse();
        }
        let mut out = String::new();
        for v in groups.into_iter().flatten() {
            let Content::Scalar(number, show) = v.content else { continue };
            if show == Show::Channel {
                let held = all.iter().find_map(|v| match &v.content {
                    Content::Messages(n, messages) if *n == number => Some(messages),
                    _ => None,
                });
                let late = self.changed.get(&v.full_name).is_none_or(|at| *at < depth);
                let Some(messages) = held.filter(|_| number > 0 && !described.is_rendezvous(number)) else { continue };
                if self.view.xspin && self.view.statements && late && !final_state {
                    continue;
                }
                let list = messages.iter().map(|m| {
                    let fields: Vec<String> = m.iter().map(|(v, show)| plain(&described, *v, *show)).collect();
                    format!("[{}]", fields.join(","))
                });
                out += &format!("\t\tqueue {number} ({prefix}{}): {}\n", v.name, list.collect::<String>());
                continue;
            }
            let is_field = v.name.contains('.');
            let at = self.changed.get(&v.full_name).copied().unwrap_or(0);
            let hidden = match (is_field, process) {
                // The fields of a record are told with the record.
                (true, Some(_)) => false,
                (true, None) => changed_only && depth > 0 && self.view.skip != depth,
                (false, _) => changed_only && at < depth && self.view.skip != depth,
            };
            if !hidden {
                out += &format!("\t\t{prefix}{} = {}\n", v.name, plain(&described, number, show));
            }
        }
        out
    }

    /// The end of a run.
    pub fn ending(&self, run: &Run<'_>, claim: Option<(&Body, &Element)>, depth: i64, world: &mut dyn World) {
        if self.view.columns && !self.view.no_ending {
            world.out("-------------\nfinal state:\n-------------\n");
        }
        if self.view.no_ending {
            return;
        }
        let described = run.describe();
        let processes = described.processes();
        let told_end = !self.view.xspin;
        if !processes.is_empty() || claim.is_some() {
            world.out(&format!("#processes: {}\n", processes.len()));
            world.out(&self.values(run, None, depth, true));
            for p in processes.iter().rev() {
                let process = run.runnable().model.location(p.location).process;
                let body = &self.elements.bodies[process.index()];
                let state = run.runnable().numbers().locations[p.location.index()];
                let who = self.who(run, p.number);
                match body.of_lowered(state) {
                    Some(e) => world.out(&steps::standing(depth, &who, body, e, told_end)),
                    None => world.out(&format!("{depth:3}:\t{who}\n")),
                }
                if self.view.locals {
                    world.out(&self.values(run, Some(p.number), depth, true));
                }
            }
            if let Some((body, e)) = claim {
                let who = Who { number: None, name: body.name.to_string(), priority: 1 };
                world.out(&steps::standing(depth, &who, body, e, told_end));
            }
        }
        let created = run.now().created;
        let many = self.view.xspin || created as i64 + self.shift != 1;
        world.out(&format!("{created} process{} created\n", if many { "es" } else { "" }));
    }

    /// Messages and printed text of a step, in order.
    #[allow(clippy::too_many_arguments)]
    pub fn events(
        &mut self,
        step: &Step,
        names: &Names,
        sender: &Side<'_>,
        live: usize,
        depth: i64,
        world: &mut dyn World,
    ) {
        for event in &step.events {
            match event {
                Event::Printed { process, text } => self.printed(usize::from(process.number), text, depth, world),
                Event::Sent(m) => {
                    self.message(sender, "Send", &m.channel, &m.message, names, live, depth, world);
                }
                Event::Received(m) => {
                    self.message(sender, "Recv", &m.channel, &m.message, names, live, depth, world);
                }
                _ => {}
            }
        }
    }
}

/// Channels by name, and values as SPIN prints them.
pub struct Names {
    channels: HashMap<String, i32>,
}

impl Names {
    /// The channels of a state.
    pub fn of(run: &Run<'_>) -> Names {
        let described = run.describe();
        let mut channels = HashMap::new();
        for v in described.values() {
            if let Content::Messages(number, _) = v.content {
                channels.entry(described.channel_name(number)).or_insert(number);
            }
            if let Content::Scalar(number, Show::Channel) = v.content {
                channels.entry(v.text).or_insert(number);
            }
        }
        channels.insert("none".into(), 0);
        Names { channels }
    }

    /// The number of a channel.
    pub fn number(&self, name: &str) -> i32 {
        self.channels.get(name).copied().unwrap_or(0)
    }

    /// A field of a message: truth values and channels are numbers.
    fn plain(&self, field: &str) -> String {
        match field {
            "true" => "1".into(),
            "false" => "0".into(),
            name => self.channels.get(name).map_or_else(|| name.to_string(), i32::to_string),
        }
    }
}

/// A value as SPIN prints it.
fn plain(described: &ferrospin_interp::describe::Describer<'_>, value: i32, show: Show) -> String {
    match show {
        Show::Mtype(_) => described.text(value, show),
        _ => value.to_string(),
    }
}

/// The variable that a name belongs to.
fn base(name: &str) -> &str {
    &name[..name.find(['.', '[']).unwrap_or(name.len())]
}

/// The channel as the statement has it; an index is the one that was used.
fn written(text: &str, channel: &str) -> String {
    let name = text[..text.find(['!', '?']).unwrap_or(text.len())].trim_start_matches('(');
    let used = channel.rsplit('.').next().unwrap_or(channel);
    if name.contains('[') && base(used) == base(name) { used.to_string() } else { name.to_string() }
}

/// The variables a statement sets, as far as its text names them plainly.
fn assigned(text: &str) -> Vec<&str> {
    if let Some((target, _)) = text.split_once(" = ") {
        return vec![target];
    }
    match text.split_once('?') {
        Some((_, fields)) if !text.starts_with('(') => {
            fields.trim_start_matches('?').trim_matches(|c| c == '<' || c == '>').split(',').collect()
        }
        _ => Vec::new(),
    }
}
