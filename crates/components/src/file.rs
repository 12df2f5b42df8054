//! Nets and architectures as TOML.
//!
//! ```toml
//! observe = ["ev", "done"]            # a net: what stays visible; nothing said: everything
//! notion = "branching"                # what minimising keeps; nothing said: dpbranching
//! [parts]
//! server = "server.aut"               # a file beside this one
//! client = ["0 call 1", "1 done 0"]   # or edges, from state 0
//! [[steps]]                           # a plan; nothing said: an automatic one
//! name = "both"
//! of = ["server", "client"]
//! ```
//!
//! ```toml
//! [components.A]                      # an architecture: kinds of components
//! provides = { work = "Work" }        # server interfaces with their types
//! requires = { log = "Log" }          # client interfaces with their types
//! behaviour = ["0 work 1", "1 call log 0"]
//! [components.C]
//! contains = { A = "A" }
//! [[deployments]]
//! name = "plain"
//! of = "C"
//! replace = { A = "A2" }
//! steps = ["bind A.log C:log", "start C"]
//! ```

use crate::architecture::{Architecture, Component, Control, Event};
use crate::net::{Net, Part, Step};
use ferrospin_lts::{Builder, Graph, Notion, State, aut};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Document {
    /// A net, and the plan that is written down.
    Net(Net, Option<Vec<Step>>),
    /// An architecture and its deployments.
    Architecture(Architecture, Vec<Deployment>),
}

/// A deployment to be looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deployment {
    /// Its name.
    pub name: String,
    /// Which component is deployed.
    pub of: String,
    /// Components inside it that others take the place of: path and kind.
    pub replaced: BTreeMap<String, String>,
    /// The control actions.
    pub steps: Vec<Control>,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum FileError {
    #[error("{0}")]
    Toml(String),
    #[error("line {line}: {why}")]
    Xml { line: usize, why: String },
    #[error("neither `parts` of a net nor `components` of an architecture are there; one of them must be")]
    Neither,
    #[error("`parts` of a net and `components` of an architecture cannot be in one file")]
    Both,
    #[error("part `{part}`: `{text}` is no edge; one is written `FROM LABEL TO`, with numbers of states")]
    Edge { part: String, text: String },
    #[error("part `{part}`: {why}")]
    Part { part: String, why: String },
    #[error(
        "component `{component}`: `{text}` is no edge; one is written `FROM INTERFACE TO` or `FROM call INTERFACE TO`"
    )]
    Behaviour { component: String, text: String },
    #[error(
        "deployment `{deployment}`: `{text}` is no control action; there are `start K`, `stop K`, `bind K.i L.j`, `unbind K.i L.j`"
    )]
    Control { deployment: String, text: String },
    #[error("`{0}` is no notion: there are strong, branching, dpbranching and weak")]
    Notion(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    observe: Option<Vec<String>>,
    notion: Option<String>,
    parts: Option<BTreeMap<String, PartText>>,
    steps: Option<Vec<StepText>>,
    components: Option<BTreeMap<String, ComponentText>>,
    #[serde(default)]
    deployments: Vec<DeploymentText>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PartText {
    File(String),
    Edges(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText {
    name: String,
    of: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentText {
    #[serde(default)]
    provides: BTreeMap<String, String>,
    #[serde(default)]
    requires: BTreeMap<String, String>,
    #[serde(default)]
    behaviour: Vec<String>,
    #[serde(default)]
    contains: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeploymentText {
    name: String,
    of: String,
    #[serde(default)]
    replace: BTreeMap<String, String>,
    steps: Vec<String>,
}

/// States of parts that are written as edges are numbered up to this.
const STATE_MAX: u32 = 1_000_000;

/// Reads a file; `load` gives the files that it names.
pub fn read(text: &str, load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Document, FileError> {
    let text: Text = toml::from_str(text).map_err(|e| FileError::Toml(e.to_string().trim_end().to_owned()))?;
    match (text.parts, text.components) {
        (None, None) => Err(FileError::Neither),
        (Some(_), Some(_)) => Err(FileError::Both),
        (Some(parts), None) => {
            let parts: Result<Vec<Part>, FileError> =
                parts.into_iter().map(|(name, part)| read_part(name, part, load)).collect();
            let notion = match text.notion.as_deref() {
                None | Some("dpbranching") => Notion::DivergenceBranching,
                Some("branching") => Notion::Branching,
                Some("strong") => Notion::Strong,
                Some("weak") => Notion::Weak,
                Some(other) => return Err(FileError::Notion(other.to_owned())),
            };
            let steps = text.steps.map(|steps| steps.into_iter().map(|s| Step { name: s.name, of: s.of }).collect());
            Ok(Document::Net(Net { parts: parts?, observed: text.observe, notion }, steps))
        }
        (None, Some(components)) => {
            let mut architecture = Architecture::default();
            for (name, component) in components {
                let behaviour: Result<Vec<_>, FileError> =
                    component.behaviour.iter().map(|text| read_behaviour(&name, text)).collect();
                let (provides, requires, contains) = (component.provides, component.requires, component.contains);
                let component = Component { provides, requires, behaviour: behaviour?, contains };
                architecture.components.insert(name, component);
            }
            let deployments: Result<Vec<_>, FileError> = text.deployments.into_iter().map(read_deployment).collect();
            Ok(Document::Architecture(architecture, deployments?))
        }
    }
}

fn read_part(
    name: String,
    part: PartText,
    load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Part, FileError> {
    let graph = match part {
        PartText::File(path) => {
            let why = |why: String| FileError::Part { part: name.clone(), why };
            let bytes = load(&path).map_err(why)?;
            aut::read(&bytes).map_err(|e| why(format!("{path}:{e}")))?
        }
        PartText::Edges(edges) => read_edges(&name, &edges)?,
    };
    Ok(Part { name, graph })
}

fn read_edges(part: &str, edges: &[String]) -> Result<Graph, FileError> {
    let mut builder = Builder::new();
    for text in edges {
        let state = |word: &str| word.parse().ok().filter(|s| *s <= STATE_MAX).map(State);
        let words: Option<(State, &str, State)> =
            text.trim().split_once(char::is_whitespace).and_then(|(source, rest)| {
                let (label, target) = rest.trim().rsplit_once(char::is_whitespace)?;
                Some((state(source)?, label.trim(), state(target)?))
            });
        let Some((source, label, target)) = words else {
            return Err(FileError::Edge { part: part.to_owned(), text: text.clone() });
        };
        builder.add(source, if label == "i" { "tau" } else { label }, target);
    }
    let states = builder.states_named().max(1) as usize;
    Ok(builder.finish(states, State(0)))
}

fn read_behaviour(component: &str, text: &str) -> Result<(u32, Event, u32), FileError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wrong = || FileError::Behaviour { component: component.to_owned(), text: text.to_owned() };
    let state = |word: &str| word.parse().ok().filter(|s| *s <= STATE_MAX).ok_or_else(wrong);
    match words[..] {
        [source, "call", interface, target] => Ok((state(source)?, Event::Call(interface.to_owned()), state(target)?)),
        [source, interface, target] => Ok((state(source)?, Event::Called(interface.to_owned()), state(target)?)),
        _ => Err(wrong()),
    }
}

fn read_deployment(text: DeploymentText) -> Result<Deployment, FileError> {
    let control = |step: &String| {
        let words: Vec<&str> = step.split_whitespace().collect();
        match words[..] {
            ["start", k] => Ok(Control::Start(k.to_owned())),
            ["stop", k] => Ok(Control::Stop(k.to_owned())),
            ["bind", client, server] => Ok(Control::Bind(client.to_owned(), server.to_owned())),
            ["unbind", client, server] => Ok(Control::Unbind(client.to_owned(), server.to_owned())),
            _ => Err(FileError::Control { deployment: text.name.clone(), text: step.clone() }),
        }
    };
    let steps: Result<Vec<Control>, FileError> = text.steps.iter().map(control).collect();
    Ok(Deployment { steps: steps?, name: text.name, of: text.of, replaced: text.replace })
}
