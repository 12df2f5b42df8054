//! Reading a model, and saying what is wrong with it in SPIN's form.

use crate::command::Command;
use crate::elements::{Elements, Kind};
use crate::pan::Facts;
use crate::text;
use crate::world::World;
use ferrospin::front::{self, Define, Front, Loader};
use ferrospin_promela::ast::{self, Unit};
use ferrospin_promela::names::{BodyKind, Init};
use ferrospin_promela::preprocess;
use ferrospin_source::{SourceMap, Span};
use std::path::PathBuf;
use std::sync::Arc;

/// A model that was read, with SPIN's numbers.
pub struct Model {
    /// What was read.
    pub front: Front,
    /// SPIN's elements.
    pub elements: Elements,
}

/// Where the text of a model comes from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The name it has in messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Macros and folders.
    pub options: front::Options,
}

impl Source {
    /// The model that a command names; `Err` is what goes to both streams.
    pub fn open(command: &Command, name: &str, world: &mut dyn World) -> Result<Source, (String, String)> {
        let mut options = front::Options { lossy_channels: command.lossy, ..front::Options::default() };
        let mut words = command.preprocessor.iter();
        while let Some(word) = words.next() {
            // `-I DIR` comes as two words of `-E`.
            let (letters, rest) = word.split_at(word.char_indices().nth(2).map_or(word.len(), |(i, _)| i));
            match letters {
                "-D" => options.defines.push(define(rest)),
                "-U" => options.defines.push(Define::Unset(rest.into())),
                "-I" if rest.is_empty() => options.include_dirs.extend(words.next().map(PathBuf::from)),
                "-I" => options.include_dirs.push(PathBuf::from(rest)),
                _ => {}
            }
        }
        let Some(bytes) = world.read(name) else {
            let err = format!("cc1: fatal error: {name}: No such file or directory\ncompilation terminated.\n");
            let extra: String = command.preprocessor.iter().map(|w| format!(" {w}")).collect();
            let out = format!("spin: preprocessing failed gcc -std=gnu99 -E -x c{extra} \"{name}\" > \"pan.pre\"\n");
            return Err((out, err));
        };
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(claim) = &command.claim_file {
            text += &format!("\n#include \"{claim}\"\n");
        }
        Ok(Source { name: name.into(), text, options })
    }

    /// Reads the model; `Err` is what SPIN prints of a model with errors.
    pub fn read(&self, world: &mut dyn World) -> Result<Model, String> {
        let mut files = Files { world, bytes: 0 };
        let front = front::read_text(&self.name, self.text.as_str(), &self.options, &mut files);
        if front.unreadable {
            return Err(complaints(&front));
        }
        let elements = Elements::new(&front.map, &front.reading.program, &front.reading.names);
        Ok(Model { front, elements })
    }

    /// The text behind the preprocessor, with markers of lines.
    pub fn preprocessed(&self, world: &mut dyn World) -> String {
        let mut map = SourceMap::new();
        let file = map.add_file(self.name.as_str(), self.text.as_str());
        let include_dirs = self.options.include_dirs.iter().map(|d| d.display().to_string()).collect();
        let options = preprocess::Options { defines: self.options.defines.clone(), include_dirs };
        let (expanded, _) = preprocess::preprocess(&mut map, file, &options, &mut Files { world, bytes: 0 });
        let mut out = String::with_capacity(expanded.text.len());
        let (mut at, mut expected) = (0, (None::<Arc<str>>, 0));
        for line in expanded.text.split_inclusive('\n') {
            if let Some(first) = line.find(|c: char| !c.is_whitespace()) {
                let span: Span = expanded.span(at + first, at + first + 1);
                if let Some((file, number)) = map.presumed(map.primary(span).lo)
                    && expected != (Some(file.clone()), number)
                {
                    out += &format!("# {number} \"{file}\"\n");
                    expected = (Some(file.clone()), number);
                }
            }
            out += line;
            expected.1 += 1;
            at += line.len();
        }
        out
    }
}

/// `NAME` or `NAME=VALUE`
fn define(text: &str) -> Define {
    match text.split_once('=') {
        Some((name, value)) => Define::Set(name.into(), Some(value.into())),
        None => Define::Set(text.into(), None),
    }
}

/// Included files through the world.
struct Files<'a> {
    world: &'a mut dyn World,
    bytes: u64,
}

impl Loader for Files<'_> {
    fn load(&mut self, includer: &str, name: &str, dirs: &[String]) -> Result<(Arc<str>, String), String> {
        let folder = includer.rsplit_once('/').map(|(folder, _)| folder.to_string());
        let beside = match (&folder, name.starts_with('/')) {
            (Some(folder), false) => format!("{folder}/{name}"),
            _ => name.to_string(),
        };
        for path in std::iter::once(beside).chain(dirs.iter().map(|dir| format!("{dir}/{name}"))) {
            if let Some(bytes) = self.world.read(&path) {
                self.bytes += bytes.len() as u64;
                if self.bytes > ferrospin::files::BYTES_MAX {
                    return Err("too much included text".into());
                }
                return Ok((String::from_utf8_lossy(&bytes).into(), path));
            }
        }
        Err(format!("cannot find `{name}`"))
    }
}

/// What SPIN prints of a model with errors.
fn complaints(front: &Front) -> String {
    let mut out = String::new();
    for d in front.diagnostics.iter().filter(|d| d.severity == ferrospin_source::Severity::Error) {
        let (file, line) = place(front, d.span);
        let message = d.message.replace('\n', " ");
        let syntax = if d.code.contains("syntax") || d.code.contains("expected") { "syntax error\t" } else { "" };
        out += &crate::steps::error(&file, line, &format!("{syntax}{message}"));
    }
    out
}

pub(crate) fn place(front: &Front, span: Span) -> (String, u32) {
    match front.map.position(span) {
        Some(p) => (p.file.to_string(), p.line),
        None => (front.name.clone(), 1),
    }
}

/// An `ltl` block: its name and formula.
pub struct Block<'a> {
    /// Its name; unnamed ones are counted.
    pub name: String,
    /// The formula.
    pub formula: &'a ast::Expr,
}

impl Model {
    /// The `ltl` blocks.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let mut unnamed = 0;
        let mut blocks = Vec::new();
        for unit in &self.front.reading.program.units {
            if let Unit::Ltl(l) = unit {
                let name = l.name.as_ref().map_or_else(
                    || {
                        unnamed += 1;
                        format!("ltl_{}", unnamed - 1)
                    },
                    |n| n.name.to_string(),
                );
                blocks.push(Block { name, formula: &l.formula });
            }
        }
        blocks
    }

    /// The labels that `ltl` blocks name, in the order of the text.
    pub fn labels_of_formulas(&self) -> Vec<Arc<str>> {
        let mut labels = Vec::new();
        self.blocks().iter().for_each(|b| labels_of(b.formula, &mut labels));
        labels
    }

    /// What SPIN says of the formulas while it reads them.
    pub fn formulas_told(&self) -> String {
        let constants = text::told(&self.front.reading.names);
        let told = |b: &Block<'_>| text::formula(b.formula, &constants);
        self.blocks().iter().map(|b| format!("ltl {}: {}\n", b.name, told(b))).collect()
    }

    /// What SPIN says of a model with several claims.
    pub fn claims_told(&self) -> String {
        let claims = self.claims();
        let (Some(first), true) = (claims.first(), claims.len() > 1) else { return String::new() };
        let list: Vec<&str> = claims.iter().rev().map(String::as_str).collect();
        format!(
            "  the model contains {} never claims: {}\n  only one claim is used in a verification run\n  \
             choose which one with ./pan -a -N name (defaults to -N {first})\n  \
             or use e.g.: spin -search -ltl {first} {}\n",
            claims.len(),
            list.join(", "),
            self.front.name
        )
    }

    /// The names of all claims: `never` first, as SPIN reads them.
    pub fn claims(&self) -> Vec<String> {
        let names = &self.front.reading.names;
        let never = names.bodies.iter().filter(|b| b.kind == BodyKind::Never).map(|b| b.name.to_string());
        never.chain(self.blocks().into_iter().map(|b| b.name)).collect()
    }

    /// What options of a verifier depend on.
    pub fn facts(&self) -> Facts {
        let elements = || self.elements.bodies.iter().flat_map(|b| &b.elements);
        let names = &self.front.reading.names;
        let fields = names.records.iter().flat_map(|r| &r.fields);
        Facts {
            claims: self.claims(),
            accepts: elements().any(|e| e.labels.iter().any(|l| l.starts_with("accept"))) || !self.blocks().is_empty(),
            rendezvous: names.vars.iter().chain(fields).any(|v| matches!(v.init, Init::Chan { capacity: 0, .. })),
            priorities: false,
            unless: elements().any(|e| matches!(e.kind, Kind::Unless(..))),
        }
    }

    /// Whether SPIN looks for acceptance cycles where nothing is said.
    pub fn has_accept(&self) -> bool {
        let accepts = |l: &Arc<str>| l.starts_with("accept") && !l.starts_with("accept_all");
        let labelled = self.elements.bodies.iter().flat_map(|b| &b.elements).any(|e| e.labels.iter().any(accepts));
        labelled || self.blocks().iter().any(|b| crate::formula::claim_of(b).is_ok_and(|c| accepts_cycles(&c)))
    }
}

/// The labels that a formula names.
fn labels_of(e: &ast::Expr, labels: &mut Vec<Arc<str>>) {
    use ast::ExprKind::{Binary, Cond, RemoteLabel, TemporalBinary, TemporalUnary, Unary};
    match &e.kind {
        RemoteLabel { label, .. } if !labels.contains(&label.name) => labels.push(label.name.clone()),
        Unary(_, a) | TemporalUnary(_, a) => labels_of(a, labels),
        Binary(_, a, b) => [a, b].into_iter().for_each(|e| labels_of(e, labels)),
        TemporalBinary(_, a, b) => [a, b].into_iter().for_each(|e| labels_of(e, labels)),
        Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| labels_of(e, labels)),
        _ => {}
    }
}

/// Whether a claim accepts other than by its end.
fn accepts_cycles(claim: &str) -> bool {
    claim.lines().any(|l| l.starts_with("accept_") && l != "accept_all:")
}
