//! Architectures in the XML of Fractal, as far as the literature's examples need it.
//!
//! ```xml
//! <definition name="C">
//!   <interface name="I1" role="server" signature="Work"/>
//!   <component name="A" definition="A"/>                    <!-- or with its own interfaces and components inside -->
//!   <binding client="this.I1" server="A.I1"/>
//!   <behaviour file="A.aut"/>                               <!-- of a primitive component; labels: `i`, `call i` -->
//! </definition>
//! ```
//!
//! A file holds one definition or several in one element. The last one is deployed: everything is bound as written, inside first, and
//! started. Elements that say nothing about behaviour (`content`, `controller`, ...) are passed over. The reader tells elements apart,
//! attributes, comments and the five entities; everything else of XML is refused where it stands.

use crate::architecture::{Architecture, Component, Control, Event};
use crate::file::{Deployment, Document, FileError};
use ferrospin_lts::{Graph, Label, aut};
use std::collections::BTreeMap;

/// An element.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    line: usize,
}

impl Element {
    fn attribute(&self, name: &str) -> Result<&str, FileError> {
        let missing = || self.wrong(&format!("`{}` needs the attribute `{name}`", self.name));
        self.attributes.get(name).map(String::as_str).ok_or_else(missing)
    }

    fn wrong(&self, why: &str) -> FileError {
        FileError::Xml { line: self.line, why: why.to_owned() }
    }
}

/// Elements may stand so deep inside one another.
const DEPTH_MAX: usize = 50;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong<T>(&self, why: &str) -> Result<T, FileError> {
        let line = 1 + self.text[..self.at].matches('\n').count();
        Err(FileError::Xml { line, why: why.to_owned() })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    /// Skips to behind what closes something.
    fn skip_behind(&mut self, close: &str) -> Result<(), FileError> {
        match self.rest().find(close) {
            Some(len) => {
                self.at += len + close.len();
                Ok(())
            }
            None => self.wrong(&format!("`{close}` is missing")),
        }
    }

    /// Blanks, comments, and what stands before the first element.
    fn skip_between(&mut self) -> Result<(), FileError> {
        loop {
            self.skip_blank();
            if self.eat("<!--") {
                self.skip_behind("-->")?;
            } else if self.eat("<?") {
                self.skip_behind("?>")?;
            } else if self.eat("<!DOCTYPE") {
                let end = self.rest().find(['>', '[']).unwrap_or(0);
                if self.rest()[end..].starts_with('[') {
                    return self.wrong("definitions inside a DOCTYPE are not read");
                }
                self.skip_behind(">")?;
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Result<String, FileError> {
        let is_name = |c: char| c.is_alphanumeric() || ['_', '-', '.', ':'].contains(&c);
        let len = self.rest().find(|c| !is_name(c)).unwrap_or(self.rest().len());
        if len == 0 {
            return self.wrong("a name is missing");
        }
        let name = self.rest()[..len].to_owned();
        self.at += len;
        Ok(name)
    }

    fn element(&mut self, depth: usize) -> Result<Element, FileError> {
        if depth > DEPTH_MAX {
            return self.wrong("elements stand too deep inside one another");
        }
        let line = 1 + self.text[..self.at].matches('\n').count();
        if !self.eat("<") {
            return self.wrong("an element is missing");
        }
        let mut element = Element { name: self.name()?, line, ..Element::default() };
        loop {
            self.skip_blank();
            if self.eat("/>") {
                return Ok(element);
            }
            if self.eat(">") {
                break;
            }
            let name = self.name()?;
            self.skip_blank();
            if !self.eat("=") {
                return self.wrong("`=` is missing behind the name of an attribute");
            }
            self.skip_blank();
            let quote = if self.eat("\"") { "\"" } else { "'" };
            if quote == "'" && !self.eat("'") {
                return self.wrong("the value of an attribute stands in quotes");
            }
            let start = self.at;
            self.skip_behind(quote)?;
            let value = self.text[start..self.at - 1].to_owned();
            if element.attributes.insert(name.clone(), unescaped(&value)).is_some() {
                return self.wrong(&format!("the attribute `{name}` is there twice"));
            }
        }
        loop {
            self.skip_between()?;
            if self.eat("</") {
                let name = self.name()?;
                self.skip_blank();
                if name != element.name || !self.eat(">") {
                    return self.wrong(&format!("`</{}>` is missing", element.name));
                }
                return Ok(element);
            }
            if self.rest().starts_with('<') {
                let child = self.element(depth + 1)?;
                element.children.push(child);
            } else if self.rest().is_empty() {
                return self.wrong(&format!("`</{}>` is missing", element.name));
            } else {
                return self.wrong("text means nothing here");
            }
        }
    }
}

fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
}

/// Reads a file; `load` gives the files that it names.
pub fn read(text: &str, load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Document, FileError> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_between()?;
    let root = reader.element(0)?;
    reader.skip_between()?;
    if !reader.rest().is_empty() {
        return reader.wrong("a file holds one element");
    }
    let definitions: Vec<&Element> = if root.name == "definition" {
        vec![&root]
    } else {
        root.children.iter().filter(|c| c.name == "definition").collect()
    };
    let Some(last) = definitions.last() else {
        return Err(root.wrong("no `definition` is there"));
    };
    let mut maker = Maker { architecture: Architecture::default(), bindings: BTreeMap::new(), load };
    for definition in &definitions {
        let name = definition.attribute("name")?;
        maker.component(name, definition)?;
    }
    let of = last.attribute("name")?.to_owned();
    let mut steps = Vec::new();
    maker.bind(&of, &of, "", &mut steps, 0);
    steps.push(Control::Start(of.clone()));
    let deployment = Deployment { name: "as bound".into(), of, replaced: BTreeMap::new(), steps };
    Ok(Document::Architecture(maker.architecture, vec![deployment]))
}

struct Maker<'a> {
    architecture: Architecture,
    /// The bindings of each kind: client and server, as written.
    bindings: BTreeMap<String, Vec<(String, String)>>,
    load: &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
}

impl Maker<'_> {
    fn component(&mut self, kind: &str, element: &Element) -> Result<(), FileError> {
        if self.architecture.components.contains_key(kind) {
            return Err(element.wrong(&format!("`{kind}` is defined twice")));
        }
        let mut component = Component::default();
        let mut bindings = Vec::new();
        for child in &element.children {
            match child.name.as_str() {
                "interface" => {
                    let (name, ty) = (child.attribute("name")?.to_owned(), child.attribute("signature")?.to_owned());
                    match child.attribute("role")? {
                        "server" => _ = component.provides.insert(name, ty),
                        "client" => _ = component.requires.insert(name, ty),
                        other => {
                            return Err(child.wrong(&format!("`{other}` is no role: there are `server` and `client`")));
                        }
                    }
                }
                "component" => {
                    let name = child.attribute("name")?;
                    let of = match child.attributes.get("definition") {
                        Some(definition) => definition.clone(),
                        None => {
                            let own = format!("{kind}.{name}");
                            self.component(&own, child)?;
                            own
                        }
                    };
                    if component.contains.insert(name.to_owned(), of).is_some() {
                        return Err(child.wrong(&format!("two components are called `{name}`")));
                    }
                }
                "binding" => {
                    bindings.push((child.attribute("client")?.to_owned(), child.attribute("server")?.to_owned()))
                }
                "behaviour" => {
                    let file = child.attribute("file")?;
                    let wrong = |why: String| FileError::Part { part: kind.to_owned(), why };
                    let bytes = (self.load)(file).map_err(wrong)?;
                    let graph = aut::read(&bytes).map_err(|e| wrong(format!("{file}:{e}")))?;
                    component.behaviour = behaviour(&graph)
                        .ok_or_else(|| wrong(format!("{file}: state 0 is where it begins, and no step is internal")))?;
                }
                _ => {}
            }
        }
        self.architecture.components.insert(kind.to_owned(), component);
        self.bindings.insert(kind.to_owned(), bindings);
        Ok(())
    }

    /// The control actions that bind everything in a component, inside first.
    fn bind(&self, kind: &str, path: &str, inside: &str, steps: &mut Vec<Control>, depth: usize) {
        let Some(component) = self.architecture.components.get(kind) else { return };
        if depth > DEPTH_MAX {
            return;
        }
        for (name, of) in &component.contains {
            let inner = format!("{inside}{name}");
            self.bind(of, &inner, &format!("{inner}/"), steps, depth + 1);
        }
        let end = |text: &str| match text.split_once('.') {
            Some(("this", interface)) => format!("{path}:{interface}"),
            _ => format!("{inside}{text}"),
        };
        for (client, server) in self.bindings.get(kind).into_iter().flatten() {
            steps.push(Control::Bind(end(client), end(server)));
        }
    }
}

fn behaviour(graph: &Graph) -> Option<Vec<(u32, Event, u32)>> {
    if graph.initial().0 != 0 {
        return None;
    }
    let event = |label: Label| {
        let text = graph.labels().text(label);
        (label != Label::TAU).then(|| match text.strip_prefix("call ") {
            Some(interface) => Event::Call(interface.to_owned()),
            None => Event::Called(text.to_owned()),
        })
    };
    graph.all_edges().map(|(source, edge)| Some((source.0, event(edge.label)?, edge.target.0))).collect()
}
