//! Component architectures: the behaviour of an assembly with its controllers (Barros, Henrio, Madelaine, SPIN 2005).
//!
//! Every controller is a small automaton; all move together on the labels that they share:
//!
//! - *life cycle* of a component: `start(K)`, `stop(K)`, and those of the components around it; what its interfaces do only when started,
//!   bindings of its clients only when stopped;
//! - *required interface*: unbound, or bound to one of the server interfaces of its type at the same level; `ERR_UNBOUND(K.i)` takes the
//!   place of a call where it is not bound;
//! - *membrane* of a composite: for each interface a one-place forwarder between outside and inside;
//! - *behaviour* of a primitive component, as it is given;
//! - *deployment*: a list of control actions that ends in `OK`; no other control action happens.
//!
//! Labels: `K.i>L.j` is a call from a client to a server, `K:i` the inner side of an interface of the composite K, `K.i` alone a call
//! from outside. Inside an architecture `K` is a path: `C/A`.

use crate::net::{Part, Step};
use ferrospin_lts::{Builder, State};
use std::collections::BTreeMap;
use thiserror::Error;

/// A kind of component.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Component {
    /// Server interfaces with their types.
    pub provides: BTreeMap<String, String>,
    /// Client interfaces with their types.
    pub requires: BTreeMap<String, String>,
    /// The edges of a primitive one, from state 0: a server interface that is called, or a client interface that calls.
    pub behaviour: Vec<(u32, Event, u32)>,
    /// The components inside a composite one: name and kind.
    pub contains: BTreeMap<String, String>,
}

/// What a primitive component does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A server interface is called.
    Called(String),
    /// A client interface calls.
    Call(String),
}

/// Kinds of components by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Architecture {
    /// The kinds.
    pub components: BTreeMap<String, Component>,
}

/// A control action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// A component starts, with all inside.
    Start(String),
    /// It stops.
    Stop(String),
    /// A client is bound to a server.
    Bind(String, String),
    /// It is unbound.
    Unbind(String, String),
}

impl Control {
    /// The label.
    pub fn label(&self) -> String {
        match self {
            Control::Start(k) => format!("start({k})"),
            Control::Stop(k) => format!("stop({k})"),
            Control::Bind(client, server) => format!("bind({client},{server})"),
            Control::Unbind(client, server) => format!("unbind({client},{server})"),
        }
    }
}

/// The label with which a deployment ends.
pub const OK: &str = "OK";
/// Labels of control actions, as patterns.
pub const CONTROL: [&str; 4] = ["start(*", "stop(*", "bind(*", "unbind(*"];

/// What is wrong with an architecture.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Error {
    #[error("there is no component `{0}`")]
    NoComponent(String),
    #[error("component `{0}` contains itself")]
    Recursive(String),
    #[error("`{0}` has a behaviour and components inside: it can have one of them only")]
    Both(String),
    #[error("the behaviour of `{component}` uses `{interface}`, which it does not {kind}")]
    NoInterface { component: String, interface: String, kind: &'static str },
    #[error("the deployment does `{0}`, which is no control action here{1}")]
    NoAction(String, String),
    #[error("an architecture has at most 1,000 components")]
    TooMany,
}

/// An assembly with all its controllers.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// All automata.
    pub parts: Vec<Part>,
    /// Composites from the inside out, then the deployment with what is around it, then one after another.
    pub plan: Vec<Step>,
}

/// Builds the assembly of a component, some inside replaced by others, with a deployment if there is one.
pub fn assemble(
    architecture: &Architecture,
    root: &str,
    replaced: &BTreeMap<String, String>,
    deployment: Option<&[Control]>,
) -> Result<Assembly, Error> {
    let mut maker =
        Maker { architecture, replaced, parts: Vec::new(), control: Vec::new(), groups: Vec::new(), count: 0 };
    let level =
        Level { path: root.to_owned(), inside: String::new(), ancestors: Vec::new(), kinds: vec![root.to_owned()] };
    let kind = maker.kind(root)?;
    let outer = Links {
        incoming: kind.provides.keys().map(|i| (i.clone(), vec![format!("{root}.{i}")])).collect(),
        targets: kind.requires.keys().map(|i| (i.clone(), vec!["ext".to_owned()])).collect(),
    };
    let own = maker.component(&level, &outer)?;
    let mut plan = maker.groups;
    let top = plan.pop();
    let mut rest: Vec<String> = top.map_or(own, |step| step.of);
    if let Some(deployment) = deployment {
        let mut builder = Builder::new();
        maker.control.iter().for_each(|label| _ = builder.labels.add(label));
        for (i, action) in deployment.iter().enumerate() {
            let label = action.label();
            if !maker.control.contains(&label) {
                let hint = near(&label, &maker.control).map_or(String::new(), |l| format!("; there is `{l}`"));
                return Err(Error::NoAction(label, hint));
            }
            builder.add(State(i as u32), &label, State(i as u32 + 1));
        }
        let end = State(deployment.len() as u32);
        builder.add(end, OK, State(end.0 + 1));
        maker.parts.push(Part { name: "deployment".into(), graph: builder.finish(deployment.len() + 2, State(0)) });
        rest.insert(0, "deployment".into());
    }
    // One after another: what is outside composites first.
    let is_group = |name: &String| plan.iter().any(|s| s.name == *name);
    let (groups, simple): (Vec<String>, Vec<String>) = rest.into_iter().partition(is_group);
    let mut last = "outside".to_owned();
    plan.push(Step { name: last.clone(), of: simple });
    for group in groups {
        let name = format!("with {group}");
        plan.push(Step { name: name.clone(), of: vec![last, group] });
        last = name;
    }
    Ok(Assembly { parts: maker.parts, plan })
}

/// A label that shares its beginning and most of its letters.
fn near<'a>(label: &str, all: &'a [String]) -> Option<&'a String> {
    let common = |other: &str| label.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    all.iter().max_by_key(|l| common(l)).filter(|l| common(l) * 2 > label.len())
}

/// Where a component is.
struct Level {
    path: String,
    /// What stands before the names of components inside.
    inside: String,
    /// The paths of the components around it.
    ancestors: Vec<String>,
    kinds: Vec<String>,
}

/// What the surroundings of a component do with its interfaces.
struct Links {
    /// The labels that call a server interface.
    incoming: BTreeMap<String, Vec<String>>,
    /// The servers that a client interface may be bound to.
    targets: BTreeMap<String, Vec<String>>,
}

struct Maker<'a> {
    architecture: &'a Architecture,
    replaced: &'a BTreeMap<String, String>,
    parts: Vec<Part>,
    control: Vec<String>,
    groups: Vec<Step>,
    count: usize,
}

/// Edges of a small automaton by text of label.
#[derive(Default)]
struct Automaton {
    builder: Builder,
    states: u32,
}

impl Automaton {
    fn new(states: u32) -> Self {
        Automaton { builder: Builder::new(), states }
    }

    fn edge(&mut self, source: u32, label: &str, target: u32) {
        self.builder.add(State(source), label, State(target));
    }

    /// The label is of the alphabet, whether it is ever taken or not.
    fn knows(&mut self, label: &str) {
        self.builder.labels.add(label);
    }

    fn finish(self, name: String) -> Part {
        Part { name, graph: self.builder.finish(self.states as usize, State(0)) }
    }
}

impl Maker<'_> {
    fn kind(&self, name: &str) -> Result<Component, Error> {
        self.architecture.components.get(name).cloned().ok_or_else(|| Error::NoComponent(name.to_owned()))
    }

    /// Adds the automata of a component and of all inside; returns the names of what is to be composed for it.
    fn component(&mut self, level: &Level, links: &Links) -> Result<Vec<String>, Error> {
        self.count += 1;
        if self.count > 1000 {
            return Err(Error::TooMany);
        }
        let name = level.kinds.last().expect("its own kind");
        let kind = self.kind(name)?;
        if !kind.behaviour.is_empty() && !kind.contains.is_empty() {
            return Err(Error::Both(name.clone()));
        }
        let path = &level.path;
        let mut own = Vec::new();
        // What is called and what calls: the labels of its interfaces.
        let mut started: Vec<String> = links.incoming.values().flatten().cloned().collect();
        let mut stopped = Vec::new();
        let calls = |i: &str| -> Vec<String> { links.targets[i].iter().map(|t| format!("{path}.{i}>{t}")).collect() };
        for client in kind.requires.keys() {
            started.extend(calls(client));
            let may_call = !kind.contains.is_empty()
                || kind.behaviour.iter().any(|(_, event, _)| *event == Event::Call(client.clone()));
            let error = may_call.then(|| format!("ERR_UNBOUND({path}.{client})"));
            started.extend(error.clone());
            let point = format!("{path}.{client}");
            own.push(self.required(&point, &links.targets[client], error, &mut stopped));
        }
        if kind.contains.is_empty() {
            own.push(self.behaviour(path, name, &kind, links)?);
        } else {
            own.extend(self.inside(level, &kind, links, &mut stopped)?);
        }
        own.push(self.life_cycle(level, &started, &stopped));
        if !kind.contains.is_empty() {
            self.groups.push(Step { name: format!("({path})"), of: own });
            return Ok(vec![format!("({path})")]);
        }
        Ok(own)
    }

    fn push(&mut self, part: Part) -> String {
        let name = part.name.clone();
        self.parts.push(part);
        name
    }

    fn control(&mut self, label: String) -> String {
        if !self.control.contains(&label) {
            self.control.push(label.clone());
        }
        label
    }

    /// A required interface: unbound, or bound to one of its targets.
    fn required(
        &mut self,
        point: &str,
        targets: &[String],
        error: Option<String>,
        stopped: &mut Vec<String>,
    ) -> String {
        let mut automaton = Automaton::new(targets.len() as u32 + 1);
        for (i, target) in targets.iter().enumerate() {
            let bound = i as u32 + 1;
            let bind = self.control(Control::Bind(point.to_owned(), target.clone()).label());
            let unbind = self.control(Control::Unbind(point.to_owned(), target.clone()).label());
            automaton.edge(0, &bind, bound);
            automaton.edge(bound, &unbind, 0);
            automaton.edge(bound, &format!("{point}>{target}"), bound);
            stopped.extend([bind, unbind]);
        }
        if let Some(error) = error {
            automaton.edge(0, &error, 0);
        }
        self.push(automaton.finish(format!("required {point}")))
    }

    fn life_cycle(&mut self, level: &Level, started: &[String], stopped: &[String]) -> String {
        let mut automaton = Automaton::new(2);
        for path in level.ancestors.iter().chain([&level.path]) {
            let start = self.control(Control::Start(path.clone()).label());
            let stop = self.control(Control::Stop(path.clone()).label());
            for (label, target) in [(start, 1), (stop, 0)] {
                automaton.edge(0, &label, target);
                automaton.edge(1, &label, target);
            }
        }
        started.iter().for_each(|label| automaton.edge(1, label, 1));
        stopped.iter().for_each(|label| automaton.edge(0, label, 0));
        self.push(automaton.finish(format!("life cycle {}", level.path)))
    }

    fn behaviour(&mut self, path: &str, name: &str, kind: &Component, links: &Links) -> Result<String, Error> {
        let states = kind.behaviour.iter().map(|(s, _, t)| s.max(t) + 1).max().unwrap_or(1);
        let mut automaton = Automaton::new(states);
        let calls = |i: &str| -> Vec<String> { links.targets[i].iter().map(|t| format!("{path}.{i}>{t}")).collect() };
        links.incoming.values().flatten().for_each(|label| automaton.knows(label));
        kind.requires.keys().flat_map(|i| calls(i)).for_each(|label| automaton.knows(&label));
        let missing = |interface: &String, kind| Error::NoInterface {
            component: name.to_owned(),
            interface: interface.clone(),
            kind,
        };
        for (source, event, target) in &kind.behaviour {
            match event {
                Event::Called(i) => {
                    let labels = links.incoming.get(i).ok_or_else(|| missing(i, "provide"))?;
                    labels.iter().for_each(|label| automaton.edge(*source, label, *target));
                }
                Event::Call(i) => {
                    if !kind.requires.contains_key(i) {
                        return Err(missing(i, "require"));
                    }
                    calls(i).iter().for_each(|label| automaton.edge(*source, label, *target));
                    automaton.edge(*source, &format!("ERR_UNBOUND({path}.{i})"), *target);
                }
            }
        }
        Ok(self.push(automaton.finish(format!("behaviour {path}"))))
    }

    /// The components inside a composite, and its membrane.
    fn inside(
        &mut self,
        level: &Level,
        kind: &Component,
        links: &Links,
        stopped: &mut Vec<String>,
    ) -> Result<Vec<String>, Error> {
        let path = &level.path;
        let mut children = BTreeMap::new();
        for (child, default) in &kind.contains {
            let child_path = format!("{}{child}", level.inside);
            let name = self.replaced.get(&child_path).unwrap_or(default).clone();
            if level.kinds.contains(&name) {
                return Err(Error::Recursive(name));
            }
            children.insert(child_path, (self.kind(&name)?, name));
        }
        // Servers at this level: those of the components inside, and the inner sides of what the composite requires.
        let mut servers: Vec<(String, &String, &str)> = Vec::new();
        for (child, (kind, _)) in &children {
            servers.extend(kind.provides.iter().map(|(i, t)| (format!("{child}.{i}"), t, child.as_str())));
        }
        servers.extend(kind.requires.iter().map(|(i, t)| (format!("{path}:{i}"), t, "")));
        let targets = |of: &str, wanted: &String| -> Vec<String> {
            let fitting = servers.iter().filter(|(_, t, owner)| *t == wanted && (*owner != of || of.is_empty()));
            fitting.map(|(server, ..)| server.clone()).collect()
        };
        // Clients at this level, each with its targets.
        let mut clients: Vec<(String, Vec<String>)> = Vec::new();
        for (child, (kind, _)) in &children {
            clients.extend(kind.requires.iter().map(|(i, t)| (format!("{child}.{i}"), targets(child, t))));
        }
        for (i, t) in &kind.provides {
            let inner: Vec<String> =
                targets("", t).into_iter().filter(|s| !s.starts_with(&format!("{path}:"))).collect();
            clients.push((format!("{path}:{i}"), inner));
        }
        let callers = |server: &str| -> Vec<String> {
            let calling = clients.iter().filter(|(_, targets)| targets.iter().any(|t| t == server));
            calling.map(|(client, _)| format!("{client}>{server}")).collect()
        };
        let mut own = Vec::new();
        for (child, (child_kind, name)) in &children {
            let incoming = child_kind.provides.keys().map(|i| {
                let server = format!("{child}.{i}");
                let labels = callers(&server);
                // What no component inside can call is called from outside.
                (i.clone(), if labels.is_empty() { vec![server] } else { labels })
            });
            let of_client = |i: &String| {
                let client = format!("{child}.{i}");
                clients.iter().find(|(c, _)| *c == client).map_or(Vec::new(), |(_, targets)| targets.clone())
            };
            let child_links = Links {
                incoming: incoming.collect(),
                targets: child_kind.requires.keys().map(|i| (i.clone(), of_client(i))).collect(),
            };
            let mut ancestors = level.ancestors.clone();
            ancestors.push(path.clone());
            let mut kinds = level.kinds.clone();
            kinds.push(name.clone());
            let child_level = Level { path: child.clone(), inside: format!("{child}/"), ancestors, kinds };
            own.extend(self.component(&child_level, &child_links)?);
        }
        for i in kind.provides.keys() {
            let point = format!("{path}:{i}");
            let (_, inner) = clients.iter().find(|(c, _)| *c == point).expect("it was added");
            own.push(self.required(&point, inner, None, stopped));
            let mut forwarder = Automaton::new(2);
            links.incoming[i].iter().for_each(|label| forwarder.edge(0, label, 1));
            inner.iter().for_each(|target| forwarder.edge(1, &format!("{point}>{target}"), 0));
            own.push(self.push(forwarder.finish(format!("forwarder {path}.{i}"))));
        }
        for i in kind.requires.keys() {
            let mut forwarder = Automaton::new(2);
            callers(&format!("{path}:{i}")).iter().for_each(|label| forwarder.edge(0, label, 1));
            links.targets[i].iter().for_each(|target| forwarder.edge(1, &format!("{path}.{i}>{target}"), 0));
            forwarder.edge(1, &format!("ERR_UNBOUND({path}.{i})"), 0);
            own.push(self.push(forwarder.finish(format!("forwarder {path}.{i}"))));
        }
        Ok(own)
    }
}
