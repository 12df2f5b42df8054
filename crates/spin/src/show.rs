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
    /// The numbers SPIN gives to channels: it makes them when they are first used.
    channels: HashMap<i32, i32>,
    /// The head of the columns is due.
    head_due: bool,
    /// Where processes stand for SPIN, if not where they stand here: an index out of range does not stop it, and with `-X` it ends
    /// in front of an assertion that fails.
    pub(crate) places: HashMap<usize, usize>,
    /// Labels that formulas name, which SPIN shows as variables.
    labels: Vec<std::sync::Arc<str>>,
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
        Screen {
            view,
            elements,
            guided,
            shift: 0,
            changed: HashMap::new(),
            channels: HashMap::new(),
            head_due: true,
            places: HashMap::new(),
            labels: Vec::new(),
        }
    }

    /// The same, where formulas name labels.
    pub fn with_labels(self, labels: Vec<std::sync::Arc<str>>) -> Self {
        Screen { labels, ..self }
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

    /// Gives a channel its number, if it has none.
    fn give(&mut self, channel: i32) {
        let next = self.channels.len() as i32 + 1;
        if channel > 0 {
            self.channels.entry(channel).or_insert(next);
        }
    }

    /// The number SPIN gives to a channel.
    fn number(&self, channel: i32) -> i32 {
        self.channels.get(&channel).copied().unwrap_or(channel)
    }

    /// Notes which channels a statement uses.
    pub fn touch(&mut self, run: &Run<'_>, text: &str, process: usize) {
        let values = run.describe().values();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for name in text.split(|c: char| !word(c)).filter(|w| w.starts_with(|c: char| !c.is_ascii_digit())) {
            let local = values.iter().any(|v| v.process == Some(process) && base(&v.name) == name);
            let owner = local.then_some(process);
            for v in values.iter().filter(|v| v.process == owner && base(&v.name) == name) {
                if let Content::Scalar(number, Show::Channel) = v.content
                    && v.text == v.full_name
                {
                    self.give(number);
                }
            }
        }
    }

    /// A process that starts.
    pub fn starts(&mut self, run: &Run<'_>, number: usize, by: Option<&Who>, depth: i64, world: &mut dyn World) {
        let who = self.who(run, number);
        for v in run.describe().values() {
            if let (Some(n), Content::Scalar(channel, Show::Channel)) = (v.process, &v.content)
                && n == number
                && v.text == v.full_name
            {
                self.give(*channel);
            }
        }
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
        let sends = verb.starts_with("Sen");
        if !self.shows(depth) || !(if sends { self.view.sends } else { self.view.receives }) {
            return;
        }
        let queue = self.number(run_before.number(channel));
        if self.view.hidden.contains(&i64::from(queue)) {
            return;
        }
        let fields: Vec<String> = fields.split(',').map(|f| run_before.plain(f, |n| self.number(n))).collect();
        let test = verb.starts_with('[');
        let fields = match test && self.view.columns {
            // So SPIN shows what stays in the channel.
            true => format!("[{}]", fields.join(",[")),
            false => fields.join(","),
        };
        let name = written(&side.element.text, channel);
        if self.view.columns {
            if self.head_due {
                self.head_due = false;
                world.out(&steps::columns(live));
            }
            world.out(&steps::column(queue, usize::from(side.who.number.unwrap_or(0)), &name, sends, &fields));
        } else if self.view.xspin {
            let text = steps::message_for_xspin(
                depth,
                &side.who,
                side.element,
                sends,
                &fields,
                queue,
                (self.view.statements, test),
            );
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
                self.changed.insert(symbol(v), depth);
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
                let late = self.changed.get(&symbol(v)).is_none_or(|at| *at < depth);
                let told = number > 0 && self.channels.contains_key(&number) && !described.is_rendezvous(number);
                let Some(messages) = held.filter(|_| told) else { continue };
                if self.view.xspin && self.view.statements && late && !final_state {
                    continue;
                }
                let list = messages.iter().map(|m| {
                    let field = |(v, show): &(i32, Show)| match show {
                        Show::Channel => self.number(*v).to_string(),
                        show => plain(&described, *v, *show),
                    };
                    format!("[{}]", m.iter().map(field).collect::<Vec<_>>().join(","))
                });
                let queue = self.number(number);
                out += &format!("\t\tqueue {queue} ({prefix}{}): {}\n", v.name, list.collect::<String>());
                continue;
            }
            let is_field = v.name.contains('.');
            let at = self.changed.get(&symbol(v)).copied().unwrap_or(0);
            let hidden = match (is_field, process) {
                // The fields of a record are told with the record.
                (true, Some(_)) => false,
                (true, None) => changed_only && depth > 0 && self.view.skip != depth,
                (false, _) => changed_only && at < depth && self.view.skip != depth,
            };
            // SPIN counts the claim where it names fields of a process.
            let prefix = match process.filter(|_| is_field && self.shift == 1) {
                Some(p) => format!("{}({}):", self.who(run, p).name, p + 1),
                None => prefix.clone(),
            };
            if !hidden {
                out += &format!("\t\t{prefix}{} = {}\n", v.name, plain(&described, number, show));
            }
        }
        if process.is_none() && !changed_only {
            self.labels.iter().for_each(|l| out += &format!("\t\t{l} = 0\n"));
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
        // A claim of a formula, which is not known here, is a process of SPIN's.
        if !processes.is_empty() || claim.is_some() || self.shift == 1 {
            world.out(&format!("#processes: {}\n", processes.len()));
            world.out(&self.values(run, None, depth, true));
            for p in processes.iter().rev() {
                let process = run.runnable().model.location(p.location).process;
                let body = &self.elements.bodies[process.index()];
                let state = run.runnable().numbers().locations[p.location.index()];
                let who = self.who(run, p.number);
                let place = self.places.get(&p.number).and_then(|e| body.elements.get(*e));
                match place.or_else(|| body.of_lowered(state)) {
                    Some(e) => world.out(&steps::standing(depth, &who, body, e, told_end)),
                    None => world.out(&format!("{depth:3}:\t{who}\n")),
                }
                if self.view.locals {
                    world.out(&self.values(run, Some(p.number), depth, true));
                }
            }
            if let Some((body, e)) = claim {
                let who = Who { number: None, name: body.name.to_string(), priority: 1 };
                if self.view.xspin {
                    world.out(&format!("MSC: ~G line {}\n", e.line));
                }
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
                    let verb = if sender.element.text.contains("?<") { "[Recv]" } else { "Recv" };
                    self.message(sender, verb, &m.channel, &m.message, names, live, depth, world);
                }
                _ => {}
            }
        }
    }
}

impl Screen<'_> {
    /// A poll that holds shows the message it has seen.
    pub fn poll(&mut self, run: &Run<'_>, side: &Side<'_>, process: usize, depth: i64, world: &mut dyn World) {
        let text = side.element.text.clone();
        let Some((channel, pattern)) =
            text.strip_prefix('(').and_then(|t| t.strip_suffix("])")).and_then(|t| t.split_once("?["))
        else {
            return;
        };
        if self.view.columns {
            return;
        }
        let (name, anywhere) = match channel.strip_suffix('?') {
            Some(name) => (name, true),
            None => (channel, false),
        };
        let described = run.describe();
        let values = described.values();
        let of = |owner: Option<usize>| values.iter().find(|v| v.process == owner && v.name == name);
        let Some(Content::Scalar(number, Show::Channel)) = of(Some(process)).or_else(|| of(None)).map(|v| &v.content)
        else {
            return;
        };
        let messages = values.iter().find_map(|v| match &v.content {
            Content::Messages(n, messages) if n == number => Some(messages),
            _ => None,
        });
        let fits = |fields: &[String]| {
            pattern.split(',').zip(fields).all(|(p, f)| {
                let constant = p.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                let named = f.starts_with(|c: char| c.is_ascii_alphabetic()) && !values.iter().any(|v| v.name == *p);
                !(constant || named && p != "_" && !p.starts_with("eval(")) || p == f
            })
        };
        let told = |m: &Vec<(i32, Show)>| m.iter().map(|(v, s)| plain(&described, *v, *s)).collect::<Vec<_>>();
        let list: Vec<Vec<String>> = messages.map_or(Vec::new(), |m| m.iter().map(told).collect());
        let seen = if anywhere { list.iter().find(|m| fits(m)) } else { list.first() };
        let Some(fields) = seen.map(|m| m.join(",")) else { return };
        let channel = described.channel_name(*number);
        let names = Names::of(run);
        self.message(side, "[Recv]", &channel, &fields, &names, 0, depth, world);
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
        // A constant of an `mtype` may be called so, too.
        if !run.runnable().model.mtypes.iter().flatten().any(|(_, name)| &**name == "none") {
            channels.insert("none".into(), 0);
        }
        Names { channels }
    }

    /// The number of a channel.
    pub fn number(&self, name: &str) -> i32 {
        self.channels.get(name).copied().unwrap_or(0)
    }

    /// A field of a message: truth values and channels are numbers.
    fn plain(&self, field: &str, number: impl Fn(i32) -> i32) -> String {
        match field {
            "true" => "1".into(),
            "false" => "0".into(),
            name => self.channels.get(name).map_or_else(|| name.to_string(), |n| number(*n).to_string()),
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

/// What SPIN keeps the time of a change for: a scalar, a field, or an array as a whole.
fn symbol(v: &Value) -> String {
    match v.name.contains('.') {
        true => v.full_name.clone(),
        false => v.full_name[..v.full_name.rfind(&v.name).unwrap_or(0)].to_string() + base(&v.name),
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
