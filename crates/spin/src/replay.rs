//! `pan -r`, `-C`, `-S`: a trail as the verifier itself shows it.
//!
//! The run is that of `spin -t`; the lines are others. A step has the state in which its process was, statements that were merged
//! are not told, and in the end stand all variables with their types, and the statements that each process could take.

use crate::elements::{Body, Element};
use crate::engine::Engine;
use crate::pan::{Options, Replay};
use crate::reading::Model;
use crate::show::Screen;
use crate::world::World;
use ferrospin::run::Run;
use ferrospin_interp::describe::{Content, Describer, Value};
use ferrospin_model::ir::Show;
use ferrospin_promela::ast::{Unit, Visibility};
use ferrospin_promela::names::{Ty, Var};
use ferrospin_system::Failure;

/// How `pan` shows a trail.
pub(crate) struct Verifier<'a> {
    /// The verifier, which names errors.
    pub(crate) engine: &'a Engine<'a>,
    wanted: Replay,
    verbose: bool,
    /// `-n`: no lines of steps.
    brief: bool,
    /// An error was met: the trail ends there.
    pub(crate) failed: bool,
}

/// Where a process stands in front of a step.
pub(crate) struct Stand<'e> {
    pub(crate) process: i64,
    pub(crate) body: &'e Body,
    pub(crate) at: &'e Element,
}

impl<'a> Verifier<'a> {
    /// As the options of `pan` say.
    pub(crate) fn new(engine: &'a Engine<'a>, options: &Options) -> Self {
        let wanted = options.replay.clone().unwrap_or_default();
        Verifier { engine, wanted, verbose: options.verbose, brief: options.no_unreached, failed: false }
    }

    /// A step that was taken.
    pub(crate) fn step(&self, stand: &Stand<'_>, element: &Element, depth: i64, run: &Run<'_>, world: &mut dyn World) {
        let Stand { process, body, at } = stand;
        if self.wanted.only.is_some_and(|only| only >= 0 && only != *process) {
            return;
        }
        let (name, text) = (&body.name, statement(element));
        // A process that has ended has no place for SPIN.
        let ended = element.kind == crate::elements::Kind::Stop;
        let (file, line, state) =
            if ended { ("-".into(), 0, 0) } else { (at.file.replace('"', ""), at.line, at.state) };
        let place = format!("{file}:{line}");
        if self.verbose {
            let (id, tr) = (element.number, element.number + 3);
            world.out(&format!(
                "{depth:3}: proc {process:2} ({name})  {place} (state {state}) trans {{{id},{tr}}} [{text}]\n"
            ));
            self.variables(run, world);
        } else if self.brief {
        } else if self.wanted.columns {
            let tabs = "\t\t".repeat((*process).clamp(0, 255) as usize);
            world.out(&format!("{depth}: {tabs}{name}({process}):[{text}]\n"));
        } else if !self.wanted.silent {
            world.out(&format!("{depth:3}:\tproc {process:2} ({name}) {place} (state {state})\t[{text}]\n"));
        }
    }

    /// An error ends the trail.
    pub(crate) fn fail(&mut self, failure: &Failure, run: &Run<'_>, depth: i64, world: &mut dyn World) {
        let what = self.engine.failure(failure, run.runnable());
        world.out(&format!("pan:1: {what} (at depth {depth})\n"));
        self.failed = true;
    }

    /// The end of a trail.
    pub(crate) fn ending(
        &self,
        run: &Run<'_>,
        claim: Option<(&Body, &Element)>,
        screen: &Screen<'_>,
        depth: i64,
        world: &mut dyn World,
    ) {
        let shift = screen.shift;
        world.out(&format!("spin: trail ends after {depth} steps\n"));
        let described = run.describe();
        let processes = described.processes();
        let elements = &self.engine.model.elements;
        let mut stands: Vec<Stand<'_>> = claim.map(|(body, at)| Stand { process: 0, body, at }).into_iter().collect();
        for p in &processes {
            let ty = run.runnable().model.location(p.location).process;
            let body = &elements.bodies[ty.index()];
            let place = screen.places.get(&p.number).and_then(|e| body.elements.get(*e));
            let here = || body.of_lowered(run.runnable().numbers().locations[p.location.index()]);
            if let Some(at) = place.or_else(here) {
                stands.push(Stand { process: p.number as i64 + shift, body, at });
            }
        }
        let depth = depth.max(0);
        if let Some(only) = self.wanted.only.filter(|only| *only >= 0) {
            stands.iter().filter(|s| s.process == only).for_each(|s| world.out(&standing(s, depth)));
            return;
        }
        world.out(&format!("#processes {}:\n", stands.len()));
        stands.iter().for_each(|s| world.out(&standing(s, depth)));
        self.variables(run, world);
    }

    /// All variables.
    fn variables(&self, run: &Run<'_>, world: &mut dyn World) {
        let described = run.describe();
        let values = described.values();
        let model = self.engine.model;
        let names = &model.front.reading.names;
        // Constants of an `mtype` stand among the variables, in the order of the text.
        let mut entries: Vec<(u32, String)> = Vec::new();
        for unit in &model.front.reading.program.units {
            let Unit::Mtype(m) = unit else { continue };
            for c in &m.constants {
                if let Some(ferrospin_promela::names::Def::MtypeConst(_, n)) = names.def(c) {
                    entries.push((c.at.0.lo, format!("\tmtype  {}:\t{n}\n", c.name)));
                }
            }
        }
        for var in names.vars.iter().filter(|v| v.body.is_none() && v.visibility != Some(Visibility::Hidden)) {
            entries.push((var.at.0.lo, self.variable(var, None, &values, &described)));
        }
        entries.sort_by_key(|(at, _)| *at);
        world.out("global vars:\n");
        entries.iter().for_each(|(_, text)| world.out(text));
        let shift =
            i64::from(model.elements.bodies.iter().any(|b| b.kind == ferrospin_promela::names::BodyKind::Never));
        for p in described.processes() {
            let ty = run.runnable().model.location(p.location).process;
            let own = &names.bodies[ty.index()].vars;
            if !own.is_empty() {
                let name = &model.elements.bodies[ty.index()].name;
                world.out(&format!("local vars proc {} ({name}):\n", p.number as i64 + shift));
            }
            for id in own {
                world.out(&self.variable(&names.vars[id.index()], Some(p.number), &values, &described));
            }
        }
    }

    /// A variable: a line for each scalar in it.
    fn variable(&self, var: &Var, process: Option<usize>, values: &[Value], described: &Describer<'_>) -> String {
        let base = |name: &str| name[..name.find(['.', '[']).unwrap_or(name.len())].to_string();
        let mut out = match var.ty {
            Ty::Record(_) => format!("\t(struct {})\n", var.name),
            _ => String::new(),
        };
        for v in values.iter().filter(|v| v.process == process && base(&v.name) == *var.name) {
            let Content::Scalar(number, show) = v.content else { continue };
            let last = v.name.rsplit('.').next().unwrap_or(&v.name);
            if show == Show::Channel {
                out += &channel(last, number, values, described);
                continue;
            }
            let ty = self.type_of(var, &v.name);
            out += &format!("\t{} {last}:\t{number}\n", word(ty));
        }
        out
    }

    /// The type of a scalar inside a variable.
    fn type_of(&self, var: &Var, name: &str) -> Ty {
        let records = &self.engine.model.front.reading.names.records;
        let mut ty = var.ty;
        for field in name.split('.').skip(1) {
            let Ty::Record(r) = ty else { break };
            let plain = &field[..field.find('[').unwrap_or(field.len())];
            let Some(f) = records[r.index()].fields.iter().find(|f| *f.name == *plain) else { break };
            ty = f.ty;
        }
        ty
    }
}

/// The line of a channel, with its messages.
fn channel(name: &str, number: i32, values: &[Value], described: &Describer<'_>) -> String {
    let messages = values.iter().find_map(|v| match &v.content {
        Content::Messages(n, messages) if *n == number => Some(messages.as_slice()),
        _ => None,
    });
    let messages = messages.filter(|_| !described.is_rendezvous(number)).unwrap_or_default();
    let mut out = format!("\tchan {name} (={number}):\tlen {}:\t", messages.len());
    for m in messages {
        out += " [";
        for (value, show) in m {
            match show {
                Show::Mtype(_) => out += &described.text(*value, *show),
                _ => out += &format!("{value},"),
            }
        }
        out += "],";
    }
    out + "\n"
}

/// A type, as wide as SPIN writes it.
fn word(ty: Ty) -> &'static str {
    match ty {
        Ty::Bit | Ty::Bool => "bit   ",
        Ty::Byte | Ty::Pid => "byte  ",
        Ty::Short => "short ",
        Ty::Int => "int   ",
        Ty::Unsigned(_) => "unsigned ",
        Ty::Mtype(_) => "mtype ",
        Ty::Chan => "chan  ",
        Ty::Record(_) => "struct",
    }
}

/// A statement, as the verifier has it.
fn statement(e: &Element) -> String {
    match &e.code {
        Some(code) => code.replace("\\n", "\n"),
        None => e.text.clone(),
    }
}

/// Where a process stands in the end, and what it could do.
fn standing(stand: &Stand<'_>, depth: i64) -> String {
    let Stand { process, body, at } = stand;
    let invalid = if body.is_end(at) { "" } else { " (invalid end state)" };
    let file = at.file.replace('"', "");
    let mut out =
        format!("{depth:3}:\tproc {process} ({})  {file}:{} (state {:2}){invalid}\n", body.name, at.line, at.state);
    for t in body.transitions(at.state as usize - 1) {
        out += &format!("\t\t{}\n", statement(&body.elements[t]).replace('\n', "\\n"));
    }
    out
}

/// The trail of a verifier, and whether it can be read.
pub(crate) fn trail_of(options: &Options, model: &Model, world: &mut dyn World) -> Result<Vec<u8>, String> {
    let wanted = options.replay.clone().unwrap_or_default();
    if let Some(file) = &wanted.file {
        return world.read(file).ok_or_else(|| format!("pan: cannot find {file}\n"));
    }
    let names = crate::trail::names(&model.front.name, wanted.number);
    let found = names.iter().filter(|n| n.ends_with(".trail")).find_map(|n| world.read(n));
    found.ok_or_else(|| "error: there are 0 trail files:\npan: rm or mv all except one\n".into())
}
