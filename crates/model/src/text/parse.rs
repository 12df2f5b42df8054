//! Reads a model from its text: declarations, processes, locations.

use super::ParseError;
use super::lex::{Result, Words};
use super::parse_action::{action, expr, place};
use crate::ir::{
    Area, Channel, Edge, EdgeId, Exclusive, Init, Layout, Leaf, Location, LocationId, Model, Place, Process, ProcessId,
    ProcessKind, Scalar, Show, Uses,
};
use ferrospin_source::Span;

/// Reads the text form of a model. Indices are not looked at: [`crate::verify`] does that.
pub fn parse(text: &str) -> std::result::Result<Model, ParseError> {
    let mut reader = Reader {
        model: Model {
            globals: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            processes: Vec::new(),
            start: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            mtypes: Vec::new(),
            propositions: None,
            layout: Layout::default(),
            uses: Uses::default(),
            unmatched: Vec::new(),
            code: None,
        },
        edges: Vec::new(),
        section: Section::Globals,
    };
    let mut lines = 0;
    for (i, line) in text.lines().enumerate() {
        lines = i as u32 + 1;
        let line = if line.trim_start().starts_with('#') { "" } else { line };
        let mut w = Words::new(line, lines);
        if !w.is_done() {
            reader.line(&mut w)?;
            w.finish()?;
        }
    }
    let numbered = reader.edges.len();
    for (i, e) in reader.edges.into_iter().enumerate() {
        let missing =
            || ParseError { line: lines, column: 1, message: format!("E{i} is missing: there are {numbered} edges") };
        reader.model.edges.push(e.ok_or_else(missing)?);
    }
    Ok(reader.model)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Globals,
    Process,
    Location,
}

struct Reader {
    model: Model,
    edges: Vec<Option<Edge>>,
    section: Section,
}

/// More edges than this are taken for a slip of the pen.
const EDGES_MAX: u32 = 10_000_000;

impl Reader {
    fn line(&mut self, w: &mut Words<'_>) -> Result<()> {
        let word = w.word();
        match (self.section, word) {
            (_, "process") => self.process(w),
            (_, "location") => self.location(w),
            (Section::Location, _) => self.edge(w),
            (_, "var" | "channel" | "init") => self.variable(w),
            (Section::Process, "param" | "provided" | "xr" | "xs") => self.head_of_process(w),
            (Section::Globals, "layout") => self.layout(w),
            (Section::Globals, "uses") => self.uses(w),
            (Section::Globals, "mtype") => self.mtype(w),
            (Section::Globals, "start") => {
                w.expect("start")?;
                while !w.is_done() {
                    self.model.start.push(ProcessId(w.index('P')?));
                }
                Ok(())
            }
            _ => w.error("expected a declaration, a process or a location"),
        }
    }

    fn layout(&mut self, w: &mut Words<'_>) -> Result<()> {
        w.expect("layout")?;
        let layout = &mut self.model.layout;
        w.expect("location")?;
        layout.location_size = w.number()?;
        w.expect("fixed")?;
        layout.fixed_size = w.number()?;
        layout.trace = w.named("trace")?;
        layout.last = w.named("last")?;
        if w.take("claim") {
            layout.claim = Some((ProcessId(w.index('P')?), w.number()?));
        }
        if w.take("propositions") {
            self.model.propositions = Some(LocationId(w.index('L')?));
        }
        Ok(())
    }

    fn uses(&mut self, w: &mut Words<'_>) -> Result<()> {
        w.expect("uses")?;
        let u = &mut self.model.uses;
        while !w.is_done() {
            let flag = match w.word() {
                "last" => &mut u.last,
                "priority" => &mut u.priority,
                "timeout" => &mut u.timeout,
                "rendezvous" => &mut u.rendezvous,
                "enabled" => &mut u.enabled,
                "foreign" => &mut u.foreign,
                "provided" => &mut u.provided,
                "exclusive" => &mut u.exclusive,
                _ => return w.error("expected something a model can make use of"),
            };
            *flag = true;
            let word = w.word();
            w.expect(word)?;
        }
        Ok(())
    }

    fn mtype(&mut self, w: &mut Words<'_>) -> Result<()> {
        w.expect("mtype")?;
        let mut list = Vec::new();
        while !w.is_done() {
            list.push((w.number()?, w.string()?));
        }
        self.model.mtypes.push(list);
        Ok(())
    }

    /// A variable, a channel or an initial value, of the model or of the process at hand.
    fn variable(&mut self, w: &mut Words<'_>) -> Result<()> {
        let m = &mut self.model;
        let (leaves, channels, init, area) = match m.processes.last_mut() {
            Some(p) => (&mut p.locals, &mut p.channels, &mut p.init, Area::Local),
            None => (&mut m.globals, &mut m.channels, &mut m.init, Area::Global),
        };
        if w.take("var") {
            let place = bare(w)?;
            if place.area != area {
                return w.error("this variable is declared in the wrong area");
            }
            let mut dims = Vec::new();
            while w.sign("[") {
                let len = w.number()?;
                w.expect_sign("*")?;
                dims.push((len, w.number()?));
                w.expect_sign("]")?;
            }
            let (show, name) = (show(w)?, w.string()?);
            leaves.push(Leaf { name, offset: place.offset, dims, scalar: place.scalar, show, span: Span::NONE });
        } else if w.take("channel") {
            let name = w.string()?;
            w.expect("capacity")?;
            let capacity = w.number()?;
            w.expect("at")?;
            let offset = w.number()?;
            w.expect("of")?;
            let fields = w.list(|w| Ok((scalar(w)?, show(w)?)))?;
            channels.push(Channel { name, capacity, fields, offset });
        } else {
            w.expect("init")?;
            let place = place(w)?;
            w.expect_sign("=")?;
            let value = match w.named("channel")? {
                Some(n) => Init::Channel(n),
                None => Init::Value(expr(w)?),
            };
            init.push((place, value));
        }
        Ok(())
    }

    fn head_of_process(&mut self, w: &mut Words<'_>) -> Result<()> {
        let p = self.model.processes.last_mut().expect("a process is open");
        if w.take("param") {
            p.params.push(place(w)?);
        } else if w.take("xr") {
            p.exclusive.push(Exclusive { channel: expr(w)?, receives: true });
        } else if w.take("xs") {
            p.exclusive.push(Exclusive { channel: expr(w)?, receives: false });
        } else {
            w.expect("provided")?;
            p.provided = Some(expr(w)?);
        }
        Ok(())
    }

    fn process(&mut self, w: &mut Words<'_>) -> Result<()> {
        if self.section == Section::Location {
            return w.error("processes stand in front of locations");
        }
        self.section = Section::Process;
        w.expect("process")?;
        next_index(w, 'P', self.model.processes.len())?;
        let name = w.string()?;
        let kind = match w.word() {
            "proctype" => ProcessKind::Proctype,
            "init" => ProcessKind::Init,
            "never" => ProcessKind::Never,
            "trace" => ProcessKind::Trace,
            "notrace" => ProcessKind::NoTrace,
            _ => return w.error("expected `proctype`, `init`, `never`, `trace` or `notrace`"),
        };
        let word = w.word();
        w.expect(word)?;
        w.expect("entry")?;
        let entry = location(w)?;
        w.expect("priority")?;
        let priority = w.number()?;
        w.expect("frame")?;
        let frame_size = w.number()?;
        let deterministic = w.take("deterministic");
        self.model.processes.push(Process {
            name,
            kind,
            entry,
            locals: Vec::new(),
            params: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            provided: None,
            exclusive: Vec::new(),
            priority,
            deterministic,
            frame_size,
            span: Span::NONE,
        });
        Ok(())
    }

    fn location(&mut self, w: &mut Words<'_>) -> Result<()> {
        self.section = Section::Location;
        w.expect("location")?;
        next_index(w, 'L', self.model.locations.len())?;
        let process = ProcessId(w.index('P')?);
        let (end, accept, progress, inside_d_step) =
            (w.take("end"), w.take("accept"), w.take("progress"), w.take("inside"));
        let mut labels = Vec::new();
        while !w.is_done() {
            labels.push(w.string()?);
        }
        let (edges, span) = (Vec::new(), Span::NONE);
        self.model.locations.push(Location { process, edges, end, accept, progress, inside_d_step, labels, span });
        Ok(())
    }

    fn edge(&mut self, w: &mut Words<'_>) -> Result<()> {
        if !w.word().starts_with('E') {
            return w.error("expected an edge or a location");
        }
        let from = LocationId(self.model.locations.len() as u32 - 1);
        let Ok(id) = w.index('E').map(|i| i.min(EDGES_MAX)) else { return w.error("expected `E` and a number") };
        if self.edges.len() <= id as usize {
            self.edges.resize(id as usize + 1, None);
        }
        if self.edges[id as usize].is_some() {
            return w.error(format!("there already is an edge E{id}"));
        }
        w.expect_sign("->")?;
        let to = location(w)?;
        let atomic = w.take("atomic");
        let escape = w.named("escape")?.unwrap_or(0);
        w.expect_sign(":")?;
        let first = action(w)?;
        let mut then = Vec::new();
        while w.sign(";") {
            then.push(action(w)?);
        }
        self.model.locations[from.index()].edges.push(EdgeId(id));
        self.edges[id as usize] = Some(Edge { from, to, action: first, then, atomic, escape, span: Span::NONE });
        Ok(())
    }
}

/// An index that must be the next one.
fn next_index(w: &mut Words<'_>, letter: char, next: usize) -> Result<()> {
    if w.word() != format!("{letter}{next}") {
        return w.error(format!("expected `{letter}{next}`"));
    }
    w.index(letter).map(|_| ())
}

pub(super) fn location(w: &mut Words<'_>) -> Result<LocationId> {
    if w.take("exit") { Ok(LocationId::EXIT) } else { w.index('L').map(LocationId) }
}

fn show(w: &mut Words<'_>) -> Result<Show> {
    Ok(match w.word() {
        _ if w.take("number") => Show::Number,
        _ if w.take("bool") => Show::Bool,
        _ if w.take("channel") => Show::Channel,
        _ => match w.named("mtype")? {
            Some(list) => Show::Mtype(list),
            None => return w.error("expected `number`, `bool`, `channel` or `mtype`"),
        },
    })
}

pub(super) fn scalar(w: &mut Words<'_>) -> Result<Scalar> {
    if w.take("i16") {
        return Ok(Scalar::Short);
    }
    if w.take("i32") {
        return Ok(Scalar::Int);
    }
    match w.word().strip_prefix('u').and_then(|n| n.parse::<u8>().ok()) {
        Some(n @ 1..=31) => {
            w.index('u')?;
            Ok(Scalar::Unsigned(n))
        }
        _ => w.error("expected `u1` to `u31`, `i16` or `i32`"),
    }
}

/// A place without indices; a name is skipped.
pub(super) fn bare(w: &mut Words<'_>) -> Result<Place> {
    let area = match w.peek() {
        Some('@') => Area::Global,
        Some('%') => Area::Local,
        _ => return w.error("expected a place"),
    };
    w.expect_sign(if area == Area::Global { "@" } else { "%" })?;
    let offset = w.number()?;
    w.expect_sign(".")?;
    let scalar = scalar(w)?;
    w.skip_name()?;
    Ok(Place { area, offset, indices: Vec::new(), scalar })
}
