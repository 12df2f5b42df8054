//! Promela models as nets: groups of processes, each explored alone among surroundings that do whatever the others may do.
//!
//! A group is the processes that a line `ferrospin: group NAME = P, Q` in a comment names; every other process is a group of its
//! own. For each group a model is made that holds its processes and one more, the *surroundings*: that takes every message which the
//! group may send outside, and sends it every message which another group was seen to send. What others send is found by exploring all
//! groups until nothing new comes. A channel that keeps messages and that several groups use is a part of its own, whose states are
//! its contents; the groups hand their messages over to it. Two groups move together on a label; where more than two use a channel
//! the label names the pair. What a group sends itself in one step with a message to another is not told.
//!
//! What cannot be parted is refused: variables that several groups use, `timeout` and whatever else looks at all processes, `else` beside
//! messages, and messages inside an `atomic` behind its first statement.

use crate::behaviour::{self, Missing, Teller};
use crate::front::{self, Front};
use crate::run;
use crate::verify::{Hooks, Limits};
use ferrospin_interp::Interp;
use ferrospin_interp::describe::Describer;
use ferrospin_lts::operations::reachable;
use ferrospin_lts::{Builder, Edge, Graph, Label, State};
use ferrospin_promela::ast::{ChanInit, Init, Initializer, Program, Sequence, Shape, Stmt, StmtKind, Type, Unit};
use ferrospin_promela::print;
use ferrospin_system::{Failure, Machine, Move, NO_EDGE};
use ferrospin_trace::trail::Event;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a net.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name of the group, or of the channel.
    pub name: String,
    /// What it does; its table of labels is its alphabet.
    pub graph: Graph,
}

/// A model as a net.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The groups, and the channels between them that keep messages.
    pub parts: Vec<Part>,
    /// The labels that stay visible, by a line `ferrospin: observe LABEL, ...`.
    pub observed: Option<Vec<String>>,
}

/// The name of the process that stands for the surroundings.
const SURROUNDINGS: &str = "ferrospin_surroundings";
/// Different messages that may pass between groups.
const MESSAGES_MAX: usize = 4096;
/// States that the contents of a channel may have.
const CONTENTS_MAX: usize = 100_000;
/// Words by which a process looks at what is not its own.
const LOOKS_AROUND: [&str; 13] = [
    "timeout",
    "_pid",
    "_last",
    "_nr_pr",
    "np_",
    "enabled",
    "pc_value",
    "priority",
    "provided",
    "set_priority",
    "xr",
    "xs",
    "get_priority",
];
/// Words by which a process looks into a channel without taking a message.
const LOOKS_INTO: [&str; 5] = ["len", "empty", "nempty", "full", "nfull"];

fn refuse<T>(why: impl Into<String>) -> Result<T, Missing> {
    Err(Missing::Refused(why.into()))
}

/// The parts of a model.
pub fn parts(front: &Front, limits: &Limits, hooks: &Hooks) -> Result<Parts, Missing> {
    let marks = Marks::of(front)?;
    let net = Net::of(front, &marks)?;
    let mut seen: BTreeMap<(usize, String), Use> = BTreeMap::new();
    // What groups send makes others send more.
    loop {
        let before: usize = seen.values().map(|u| u.sent.len() + usize::from(u.receives)).sum();
        let mut graphs = Vec::new();
        for group in 0..net.groups.len() {
            graphs.push(net.explore(group, &mut seen, limits, hooks)?);
        }
        let after: usize = seen.values().map(|u| u.sent.len() + usize::from(u.receives)).sum();
        if after > MESSAGES_MAX {
            return refuse(format!("more than {MESSAGES_MAX} different messages pass between the groups"));
        }
        if before == after {
            return Ok(Parts { parts: net.joined(&graphs, &seen)?, observed: marks.observed });
        }
    }
}

/// What lines in comments say.
struct Marks {
    groups: Vec<(String, Vec<String>)>,
    observed: Option<Vec<String>>,
}

impl Marks {
    fn of(front: &Front) -> Result<Marks, Missing> {
        let mut marks = Marks { groups: Vec::new(), observed: None };
        for line in front.text_of_model().lines() {
            let Some((comment, rest)) = line.split_once("ferrospin:") else { continue };
            if !comment.trim_end().ends_with("//") && !comment.trim_end().ends_with("/*") && !comment.trim().is_empty()
            {
                continue;
            }
            let rest = rest.trim().trim_end_matches("*/").trim();
            let list = |text: &str| text.split(',').map(|w| w.trim().to_owned()).filter(|w| !w.is_empty()).collect();
            if let Some(text) = rest.strip_prefix("group ") {
                let Some((name, members)) = text.split_once('=') else {
                    return refuse(format!("`{}` is written `group NAME = PROCESS, ...`", line.trim()));
                };
                marks.groups.push((name.trim().to_owned(), list(members)));
            } else if let Some(text) = rest.strip_prefix("observe ") {
                marks.observed.get_or_insert_with(Vec::new).extend::<Vec<String>>(list(text));
            }
        }
        Ok(marks)
    }
}

/// A channel that all processes see.
struct Channel {
    /// The names of its elements: itself, or `q[0]`, ...
    elements: Vec<String>,
    name: String,
    fields: usize,
    /// How many messages it keeps; 0 for a handshake.
    capacity: usize,
    /// Why groups cannot share it.
    trouble: Option<&'static str>,
}

struct Group {
    name: String,
    /// The statements that start its processes.
    runs: Vec<String>,
    /// All words in the texts of its processes.
    words: BTreeSet<String>,
}

/// What a group does with an element of a channel.
#[derive(Clone, Default)]
struct Use {
    sent: BTreeSet<String>,
    receives: bool,
}

struct Net<'a> {
    front: &'a Front,
    groups: Vec<Group>,
    channels: Vec<Channel>,
    /// The model's text unit by unit, without what starts processes and states properties.
    units: Vec<String>,
}

impl<'a> Net<'a> {
    fn of(front: &'a Front, marks: &Marks) -> Result<Net<'a>, Missing> {
        let program = &front.reading.program;
        let mut net = Net { front, groups: Vec::new(), channels: Vec::new(), units: Vec::new() };
        let mut bodies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut plain = BTreeSet::new();
        for unit in &program.units {
            match unit {
                Unit::Init(_) | Unit::Never(_) | Unit::Ltl(_) => continue,
                Unit::Trace(_) => return refuse("a `trace` looks at all processes"),
                Unit::CCode(_) | Unit::CDecl(_) | Unit::CState(_) | Unit::CTrack(_) => {
                    return refuse("embedded C cannot be parted into groups");
                }
                Unit::Inline(inline) => {
                    let name = &inline.name.name;
                    return refuse(format!(
                        "`{name}` is an inline; write its text where it is used, or make it a macro"
                    ));
                }
                Unit::Proctype(proctype) => {
                    let mut proctype = proctype.clone();
                    proctype.active = None;
                    if else_beside_messages(&proctype.body) {
                        return refuse(format!(
                            "`{}` has `else` beside messages, or `unless` before them, which depends on all others",
                            proctype.name.name
                        ));
                    }
                    let text =
                        print::program(&Program { units: vec![Unit::Proctype(proctype.clone())], ident_count: 0 });
                    bodies.insert(proctype.name.name.to_string(), words(&text));
                    net.units.push(text);
                    continue;
                }
                Unit::Decl(decl) => {
                    for var in &decl.vars {
                        match &var.init {
                            Some(Initializer::Chan(init)) => {
                                net.channels.push(channel(&var.name.name, &var.shape, init)?)
                            }
                            _ => _ = plain.insert(var.name.name.to_string()),
                        }
                    }
                }
                Unit::Mtype(_) | Unit::Typedef(_) => {}
            }
            net.units.push(print::program(&Program { units: vec![unit.clone()], ident_count: 0 }));
        }
        net.group(marks, &bodies)?;
        let has = |signs: &[&str]| net.units.iter().any(|u| signs.iter().any(|s| u.contains(s)));
        let shares = |keeps: bool| net.channels.iter().any(|c| (c.capacity > 0 || !keeps) && net.is_shared(c));
        if shares(false) && has(&["?["]) || shares(true) && has(&["??", "!!", "?<"]) {
            return refuse(
                "some process polls, sorts, copies or picks messages, which groups cannot do on channels that they share",
            );
        }
        for name in plain {
            let users: Vec<&str> =
                net.groups.iter().filter(|g| g.words.contains(&name)).map(|g| g.name.as_str()).collect();
            if users.len() > 1 {
                return refuse(format!(
                    "`{name}` is used by the groups {}; put them together, or use messages",
                    users.join(", ")
                ));
            }
        }
        for channel in &net.channels {
            let users: Vec<&Group> = net.users(channel).map(|g| &net.groups[g]).collect();
            if users.len() < 2 {
                continue;
            }
            if let Some(trouble) = channel.trouble {
                return refuse(format!("groups cannot share the channel `{}`: {trouble}", channel.name));
            }
            let looks = users.iter().find(|g| LOOKS_INTO.iter().any(|w| g.words.contains(*w)));
            if let Some(group) = looks {
                return refuse(format!(
                    "the group `{}` looks into channels, and shares `{}` with others",
                    group.name, channel.name
                ));
            }
        }
        Ok(net)
    }

    /// Puts processes into groups.
    fn group(&mut self, marks: &Marks, bodies: &BTreeMap<String, BTreeSet<String>>) -> Result<(), Missing> {
        let instances = self.instances()?;
        let mut owner: Vec<Option<usize>> = vec![None; instances.len()];
        let mut names: Vec<String> = Vec::new();
        for (name, members) in &marks.groups {
            let number = names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            for member in members {
                let fitting = |i: &Instance| i.proctype == *member || i.label == *member;
                let found: Vec<usize> = (0..instances.len()).filter(|i| fitting(&instances[*i])).collect();
                if found.is_empty() {
                    let all: Vec<&str> = instances.iter().map(|i| i.label.as_str()).collect();
                    return refuse(format!(
                        "group `{name}`: no process `{member}` is started; there are: {}",
                        all.join(", ")
                    ));
                }
                for i in found {
                    if owner[i].replace(number).is_some_and(|other| other != number) {
                        return refuse(format!("`{}` is in two groups", instances[i].label));
                    }
                }
            }
        }
        for (i, instance) in instances.iter().enumerate() {
            if owner[i].is_none() {
                owner[i] = Some(names.len());
                names.push(instance.label.clone());
            }
        }
        for (number, name) in names.into_iter().enumerate() {
            let own = || instances.iter().zip(&owner).filter(|(_, o)| **o == Some(number)).map(|(i, _)| i);
            let mut all: BTreeSet<String> = own().flat_map(|i| words(&i.run)).collect();
            // Processes that they start are of the group, too.
            loop {
                let more: BTreeSet<String> = all.iter().filter_map(|w| bodies.get(w)).flatten().cloned().collect();
                let before = all.len();
                all.extend(more);
                if all.len() == before {
                    break;
                }
            }
            if let Some(word) = LOOKS_AROUND.iter().find(|w| all.contains(**w)) {
                return refuse(format!("the group `{name}` uses `{word}`, which depends on all processes"));
            }
            self.groups.push(Group { name, runs: own().map(|i| i.run.clone()).collect(), words: all });
        }
        if self.groups.len() < 2 {
            return refuse("there is one group only: nothing can be composed");
        }
        Ok(())
    }

    /// The processes that run from the beginning, and those that `init` starts if it does nothing else.
    fn instances(&self) -> Result<Vec<Instance>, Missing> {
        let mut found: Vec<(String, String)> = Vec::new();
        let runnable = run::prepare(self.front).map_err(|why| Missing::Refused(why.to_string()))?;
        let mut state = Vec::new();
        if Interp::new(runnable.model.clone()).initial(&mut state).is_err() {
            return refuse("the model fails before its first step");
        }
        for process in Describer::new(&runnable.model, &state).processes() {
            // `:init:` is told by its colons.
            if !process.name.starts_with(':') && process.name != "init" {
                found.push((process.name.clone(), format!("run {}()", process.name)));
            }
        }
        for unit in &self.front.reading.program.units {
            if let Unit::Init(init) = unit {
                found.extend(runs_of(init)?);
            }
        }
        let count = |name: &str| found.iter().filter(|(n, _)| n == name).count();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut instances = Vec::new();
        for (proctype, run) in &found {
            let mut label = run.trim_start_matches("run ").replace("()", "");
            let same = found.iter().filter(|(_, r)| r == run).count();
            if same > 1 || count(proctype) > 1 && label == *proctype {
                let number = numbers.entry(run.clone()).or_default();
                label = format!("{label}[{number}]");
                *number += 1;
            }
            instances.push(Instance { proctype: proctype.clone(), label, run: run.clone() });
        }
        Ok(instances)
    }

    fn users(&self, channel: &Channel) -> impl Iterator<Item = usize> {
        (0..self.groups.len()).filter(|g| self.groups[*g].words.contains(&channel.name))
    }

    fn is_shared(&self, channel: &Channel) -> bool {
        self.users(channel).count() > 1
    }

    /// The model of a group among its surroundings.
    fn text(&self, group: usize, seen: &BTreeMap<(usize, String), Use>) -> String {
        let mut text = String::new();
        let own = &self.groups[group];
        for unit in &self.units {
            let mut unit = unit.clone();
            for channel in self.channels.iter().filter(|c| c.capacity > 0 && self.is_shared(c)) {
                unit = handing_over(&unit, &channel.name);
            }
            text += &unit;
        }
        let mut options = String::new();
        for channel in self.channels.iter().filter(|c| own.words.contains(&c.name) && self.is_shared(c)) {
            for element in &channel.elements {
                options += &format!("  :: {element}?{}\n", vec!["_"; channel.fields].join(","));
                let mut messages = BTreeSet::new();
                for ((sender, of), used) in seen {
                    // What a channel keeps may come back to the process that has sent it.
                    if of == element && (*sender != group || channel.capacity > 0) {
                        messages.extend(&used.sent);
                    }
                }
                messages.into_iter().for_each(|m| options += &format!("  :: {element}!{m}\n"));
            }
        }
        let surroundings = if options.is_empty() { "  skip".to_owned() } else { format!("end:\n  do\n{options}  od") };
        text += &format!("proctype {SURROUNDINGS}() {{\n{surroundings}\n}}\ninit {{\n  atomic {{\n");
        own.runs.iter().for_each(|run| text += &format!("    {run};\n"));
        text + &format!("    run {SURROUNDINGS}()\n  }}\n}}\n")
    }

    /// The graph of a group. Labels tell what was done: `s q v`, `r q v` with the surroundings, `i q v` from hand to hand inside, `k q !v` and
    /// `k q ?v` with a channel that is the group's own.
    fn explore(
        &self,
        group: usize,
        seen: &mut BTreeMap<(usize, String), Use>,
        limits: &Limits,
        hooks: &Hooks,
    ) -> Result<Graph, Missing> {
        let name = &self.groups[group].name;
        let text = self.text(group, seen);
        let mut loader = crate::files::DiskLoader::default();
        let front = front::read_text(&format!("group {name}"), text.as_str(), &front::Options::default(), &mut loader);
        if front.unreadable {
            return refuse(format!("the group `{name}` does not stand alone:\n{}", front.text(false)));
        }
        let runnable = run::prepare(&front).map_err(|why| Missing::Refused(why.to_string()))?;
        let mut machine = Interp::new(runnable.model.clone());
        let mut teller_machine = Interp::new(runnable.model.clone());
        teller_machine.keep_log();
        let texts = run::Texts { front: &front, runnable: &runnable };
        let mut teller = GroupTeller { texts, machine: teller_machine, next: Vec::new(), trouble: None };
        let timer = behaviour::Timer::start(limits, hooks);
        let graph = behaviour::explore(&mut machine, &mut teller, &timer).map_err(|_| Missing::Limit(timer.why()))?;
        if let Some(why) = teller.trouble {
            return refuse(format!("the group `{name}`: {why}"));
        }
        for (_, label) in graph.labels().iter() {
            if let Some(done) = Done::of(label) {
                let used = seen.entry((group, done.channel.to_owned())).or_default();
                match done.role {
                    's' => _ = used.sent.insert(done.message.to_owned()),
                    'r' => used.receives = true,
                    _ => {}
                }
            }
        }
        Ok(graph)
    }

    /// The graphs with labels on which they move together, and the channels that keep messages.
    fn joined(&self, graphs: &[Graph], seen: &BTreeMap<(usize, String), Use>) -> Result<Vec<Part>, Missing> {
        let mut labels: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
        let mut parts: Vec<Part> = Vec::new();
        for channel in self.channels.iter().filter(|c| self.is_shared(c)) {
            for element in &channel.elements {
                let of = |role: fn(&Use) -> bool| -> Vec<usize> {
                    let used = |g: &usize| seen.get(&(*g, element.clone())).is_some_and(role);
                    (0..self.groups.len()).filter(used).collect()
                };
                let (senders, receivers) = (of(|u| !u.sent.is_empty()), of(|u| u.receives));
                let messages: BTreeSet<&String> =
                    senders.iter().flat_map(|g| &seen[&(*g, element.clone())].sent).collect();
                if channel.capacity == 0 {
                    self.handshakes(element, &senders, &receivers, &messages, graphs, &mut labels)?;
                } else {
                    parts.push(self.buffer(channel, element, &senders, &receivers, &messages, &mut labels)?);
                }
            }
        }
        for (group, graph) in graphs.iter().enumerate() {
            parts.push(Part { name: self.groups[group].name.clone(), graph: self.relabelled(group, graph, &labels) });
        }
        Ok(parts)
    }

    fn handshakes(
        &self,
        element: &str,
        senders: &[usize],
        receivers: &[usize],
        messages: &BTreeSet<&String>,
        graphs: &[Graph],
        labels: &mut BTreeMap<(usize, String), Vec<String>>,
    ) -> Result<(), Missing> {
        for (group, graph) in graphs.iter().enumerate() {
            let inside = format!("i {element} ");
            let is_open = senders.contains(&group) || receivers.contains(&group);
            let partners = senders.iter().chain(receivers).any(|g| *g != group);
            if is_open && partners && graph.labels().iter().any(|(_, text)| text.starts_with(&inside)) {
                let name = &self.groups[group].name;
                return refuse(format!(
                    "processes of the group `{name}` use `{element}` among themselves and with others"
                ));
            }
        }
        let pairs: Vec<(usize, usize)> =
            senders.iter().flat_map(|s| receivers.iter().filter(move |r| *r != s).map(move |r| (*s, *r))).collect();
        for (s, r) in &pairs {
            for message in messages {
                let pair = if pairs.len() > 1 {
                    format!(" {}>{}", self.groups[*s].name, self.groups[*r].name)
                } else {
                    String::new()
                };
                let text = format!("{element}.{message}{pair}");
                labels.entry((*s, format!("s {element} {message}"))).or_default().push(text.clone());
                labels.entry((*r, format!("r {element} {message}"))).or_default().push(text);
            }
        }
        Ok(())
    }

    /// The contents of a channel as a graph.
    fn buffer(
        &self,
        channel: &Channel,
        element: &str,
        senders: &[usize],
        receivers: &[usize],
        messages: &BTreeSet<&String>,
        labels: &mut BTreeMap<(usize, String), Vec<String>>,
    ) -> Result<Part, Missing> {
        let mut builder = Builder::new();
        let mut own = |groups: &[usize], sign: char, role: char, builder: &mut Builder| {
            let mut all: BTreeMap<&String, Vec<Label>> = BTreeMap::new();
            for group in groups {
                for message in messages {
                    let which = if groups.len() > 1 { format!(" {}", self.groups[*group].name) } else { String::new() };
                    let text = format!("{element}{sign}{message}{which}");
                    all.entry(message).or_default().push(builder.labels.add(&text));
                    labels.entry((*group, format!("{role} {element} {message}"))).or_default().push(text);
                }
            }
            all
        };
        let sends = own(senders, '!', 's', &mut builder);
        let takes = own(receivers, '?', 'r', &mut builder);
        let mut ids: BTreeMap<Vec<&String>, u32> = BTreeMap::from([(Vec::new(), 0)]);
        let mut queue: Vec<Vec<&String>> = vec![Vec::new()];
        let mut next = 0;
        while let Some(contents) = queue.get(next).cloned() {
            if queue.len() > CONTENTS_MAX {
                return refuse(format!("the channel `{element}` has more than {CONTENTS_MAX} contents"));
            }
            let mut visit = |contents: Vec<&'_ String>| -> State {
                let count = queue.len() as u32;
                let known: Vec<&String> =
                    contents.iter().map(|m| *messages.get(*m).expect("it is a message")).collect();
                let id = *ids.entry(known.clone()).or_insert(count);
                if id == count {
                    queue.push(known);
                }
                State(id)
            };
            if contents.len() < channel.capacity {
                for message in messages {
                    let target = visit(contents.iter().copied().chain([*message]).collect());
                    let all = sends.get(message).into_iter().flatten();
                    all.for_each(|label| builder.push(State(next as u32), Edge { label: *label, target }));
                }
            }
            if let Some((first, rest)) = contents.split_first() {
                let target = visit(rest.to_vec());
                let all = takes.get(first).into_iter().flatten();
                all.for_each(|label| builder.push(State(next as u32), Edge { label: *label, target }));
            }
            next += 1;
        }
        Ok(Part { name: format!("channel {element}"), graph: reachable(&builder.finish(next, State(0))) })
    }

    /// A graph whose open labels are those of the pairs; what has no partner is not done.
    fn relabelled(&self, group: usize, graph: &Graph, labels: &BTreeMap<(usize, String), Vec<String>>) -> Graph {
        let mut builder = Builder::new();
        // The alphabet holds what partners may ask for, whether it is ever done or not.
        for ((_, _), texts) in labels.iter().filter(|((g, _), _)| *g == group) {
            texts.iter().for_each(|text| _ = builder.labels.add(text));
        }
        let shared_buffer = |element: &str| {
            self.channels.iter().any(|c| c.capacity > 0 && self.is_shared(c) && c.elements.iter().any(|e| e == element))
        };
        let images: Vec<Vec<Label>> = graph
            .labels()
            .iter()
            .map(|(label, text)| match (label, Done::of(text)) {
                (Label::TAU, _) => vec![Label::TAU],
                (_, None) => vec![builder.labels.add(&format!("{text} ({})", self.groups[group].name))],
                // The messages of a channel that keeps them do not go from hand to hand.
                (_, Some(Done { role: 'i', channel, .. })) if shared_buffer(channel) => Vec::new(),
                (_, Some(Done { role: 'i', channel, message })) => {
                    vec![builder.labels.add(&format!("{channel}.{message}"))]
                }
                (_, Some(Done { role: 'k', channel, message })) => {
                    vec![builder.labels.add(&format!("{channel}{message}"))]
                }
                (_, Some(_)) => labels
                    .get(&(group, text.to_owned()))
                    .map_or(Vec::new(), |texts| texts.iter().map(|t| builder.labels.add(t)).collect()),
            })
            .collect();
        for (source, edge) in graph.all_edges() {
            for label in &images[edge.label.index()] {
                builder.push(source, Edge { label: *label, target: edge.target });
            }
        }
        reachable(&builder.finish(graph.state_count(), graph.initial()))
    }
}

/// A process that is started.
struct Instance {
    proctype: String,
    /// `P`, `P(1)`, or with its number among equal ones.
    label: String,
    /// The statement that starts it.
    run: String,
}

/// A message as the labels of groups tell it.
struct Done<'a> {
    role: char,
    channel: &'a str,
    message: &'a str,
}

impl<'a> Done<'a> {
    fn of(label: &'a str) -> Option<Done<'a>> {
        let (role, rest) = label.split_once(' ')?;
        let role = ["s", "r", "i", "k"].contains(&role).then(|| role.chars().next())??;
        let (channel, message) = rest.split_once(' ')?;
        Some(Done { role, channel, message })
    }
}

/// The words of a text.
fn words(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

fn channel(name: &str, shape: &Shape, init: &ChanInit) -> Result<Channel, Missing> {
    let number = |e| print::expr(e).parse::<usize>().ok();
    let mut trouble = None;
    let elements = match shape {
        Shape::Array(size) => match number(size) {
            Some(size) if size <= 256 => (0..size).map(|i| format!("{name}[{i}]")).collect(),
            _ => {
                trouble = Some("the size of the array is no plain number");
                Vec::new()
            }
        },
        _ => vec![name.to_owned()],
    };
    let capacity = number(&init.capacity).unwrap_or_else(|| {
        trouble = Some("its size is no plain number");
        0
    });
    if init.fields.iter().any(|(ty, _)| matches!(ty, Type::Named(_) | Type::Chan)) {
        trouble = Some("it carries records or channels");
    }
    Ok(Channel { elements, name: name.to_owned(), fields: init.fields.len(), capacity, trouble })
}

/// The declaration with size 0 for a channel.
fn handing_over(unit: &str, name: &str) -> String {
    let Some(start) = unit.find(&format!("chan {name}")).or_else(|| unit.find(&format!(", {name}"))) else {
        return unit.to_owned();
    };
    // Whatever stands between the name and its size belongs to the declarator: `q`, or `q[3]`.
    let Some((open, close)) = unit[start..].find("= [").and_then(|at| {
        let open = start + at + 3;
        unit[open..].find(']').map(|len| (open, open + len))
    }) else {
        return unit.to_owned();
    };
    format!("{}0{}", &unit[..open], &unit[close..])
}

/// What `init` starts, if it does nothing else.
fn runs_of(init: &Init) -> Result<Vec<(String, String)>, Missing> {
    let mut found = Vec::new();
    let mut rest: Vec<&Stmt> = init.body.steps.iter().rev().collect();
    while let Some(stmt) = rest.pop() {
        match &stmt.kind {
            StmtKind::Atomic(inner) | StmtKind::Block(inner) | StmtKind::DStep(inner) => {
                rest.extend(inner.steps.iter().rev())
            }
            StmtKind::Empty => {}
            _ => {
                let text = print::stmt(stmt);
                let text = text.trim().trim_end_matches(';').trim();
                let name = text.strip_prefix("run ").and_then(|r| r.split('(').next());
                let Some(name) = name else {
                    return refuse(format!(
                        "`init` does more than starting processes: `{}`",
                        text.lines().next().unwrap_or("")
                    ));
                };
                found.push((name.trim().to_owned(), text.to_owned()));
            }
        }
    }
    Ok(found)
}

/// Whether some selection has `else` beside an option that begins with a message.
fn else_beside_messages(sequence: &Sequence) -> bool {
    sequence.steps.iter().any(|stmt| match &stmt.kind {
        StmtKind::If(options) | StmtKind::Do(options) => {
            let first = |s: &Sequence| s.steps.first().map(|s| s.kind.clone());
            let has_else = options.iter().any(|o| matches!(first(o), Some(StmtKind::Else)));
            let is_message = |s: &Sequence| {
                matches!(
                    first(s),
                    Some(
                        StmtKind::Send { .. }
                            | StmtKind::Receive { .. }
                            | StmtKind::Atomic(_)
                            | StmtKind::If(_)
                            | StmtKind::Do(_)
                    )
                ) && has_message(s)
            };
            has_else && options.iter().any(is_message) || options.iter().any(else_beside_messages)
        }
        StmtKind::Atomic(s) | StmtKind::DStep(s) | StmtKind::Block(s) => else_beside_messages(s),
        StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => else_beside_messages(body),
        StmtKind::Unless(main, escape) => {
            let inner = |s: &Stmt| else_beside_messages(&Sequence { steps: vec![s.clone()], ..sequence.clone() });
            let has_escape = has_message(&Sequence { steps: vec![(**escape).clone()], ..sequence.clone() });
            has_escape || inner(main) || inner(escape)
        }
        _ => false,
    })
}

fn has_message(sequence: &Sequence) -> bool {
    sequence.steps.iter().any(|s| match &s.kind {
        StmtKind::Send { .. } | StmtKind::Receive { .. } => true,
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(has_message),
        StmtKind::Atomic(s) | StmtKind::DStep(s) | StmtKind::Block(s) => has_message(s),
        _ => false,
    })
}

struct GroupTeller<'a> {
    texts: run::Texts<'a>,
    machine: Interp,
    next: Vec<u8>,
    trouble: Option<String>,
}

impl Teller for GroupTeller<'_> {
    fn label(&mut self, state: &[u8], path: &[Move]) -> Option<String> {
        let mut told: Option<String> = None;
        let mut now = state.to_vec();
        let model = &self.texts.runnable.model;
        for (i, mv) in path.iter().filter(|m| m.edge != NO_EDGE).enumerate() {
            let step = self.machine.apply(&now, mv, &mut self.next);
            let log = self.machine.take_log();
            let after = if step.proceeds { &self.next[..] } else { &now[..] };
            for event in run::events(mv, &Describer::new(model, &now), &Describer::new(model, after), log) {
                // Only handshakes are open; what channels of the group keep is told, and concerns no other group.
                let (role, channel, message) = match event {
                    Event::Handshake { sender, receiver, channel, message } => {
                        let role = match (sender.name == SURROUNDINGS, receiver.name == SURROUNDINGS) {
                            (false, false) => 'i',
                            (false, true) => 's',
                            _ => 'r',
                        };
                        if told.is_some() || role != 'i' && i > 0 {
                            let why = format!(
                                "a message on `{channel}` stands inside an `atomic`, behind its first statement"
                            );
                            _ = self.trouble.get_or_insert(why);
                        }
                        (role, channel, message)
                    }
                    Event::Sent(m) => ('k', m.channel, format!("!{}", m.message)),
                    Event::Received(m) => ('k', m.channel, format!("?{}", m.message)),
                    _ => continue,
                };
                match &mut told {
                    None => told = Some(format!("{role} {channel} {message}")),
                    // In one step with a message to others the label is theirs, too.
                    Some(label) if label.starts_with(['s', 'r']) => {}
                    Some(label) => *label += &format!("; {channel}{message}"),
                }
            }
            if step.proceeds {
                now.clone_from(&self.next);
            }
        }
        told
    }

    fn failure(&mut self, failure: &Failure) -> String {
        format!("error: {}", run::failure_text(&self.texts, &self.texts.runnable.model, failure).0)
    }

    fn propositions(&mut self, _: &[u8]) -> Option<Vec<String>> {
        None
    }
}
