//! Embedded C of Promela models: `c_code`, `c_expr`, `c_decl`, `c_state`, `c_track`.
//!
//! ```text
//! fragments --text--> one unit of C --c--> typed tree --members--> automata --touch--> what lowering is told
//!                                                                      |
//!                                              lowered model --code--> what executors call
//! ```
//!
//! What `cvm` refuses the system's compiler can run, if that is allowed ([`outside`]).
//!
//! The model is not known to C, nor C to the model: the graphs hold numbers of fragments and what they touch, and
//! [`ferrospin_model::code::Code`] stands between. Nothing outside is run: what `cvm` cannot do is refused before the first step.

mod code;
mod members;
pub mod outside;
mod places;
mod text;
mod touch;

use code::{HEAP_BYTES, Machines, Slot, Snippet};
use ferrospin_c::tree::{ObjectId, Storage, Unit};
use ferrospin_c::types::Type;
use ferrospin_c::{Dialect, Loader, Options};
use ferrospin_cpp::Define;
use ferrospin_cvm::{Link, Machine, Memory, Program, RegionId, Returned, Stop};
use ferrospin_lower::Scope as Lowered;
use ferrospin_lower::embedded::{Ask, Embedded, Fragment, Object, Thing};
use ferrospin_model::code::Code;
use ferrospin_promela::Reading;
use ferrospin_promela::embedded::{Kind, embedded};
use ferrospin_promela::names::{Names, Ty, Var};
use ferrospin_source::{Diagnostic, Diagnostics, Severity, SourceMap, Span};
use members::Members;
use outside::{Compiler, Outside};
use places::Places;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};
use text::{Member, NOW, Scope, Text, function};
use touch::{Touch, Touches};

/// Most bytes of memory of C in a state.
const OBJECT_BYTES_MAX: u64 = 1 << 20;

/// Embedded C that was read and can be run.
pub struct Read {
    /// What lowering must be told.
    pub lowering: Embedded,
    /// What people should be told.
    pub notes: Vec<String>,
    /// Where the first fragment stands, if the system's compiler runs it.
    pub compiled: Option<Span>,
    way: Way,
}

/// How embedded C is run.
enum Way {
    /// In the machine of C, checked.
    Machine(Box<Checked>),
    /// By the system's compiler.
    Outside(Outside),
}

/// Embedded C for the machine of C.
struct Checked {
    program: Arc<Program>,
    places: Arc<Places>,
    /// What each thing of the state is in C.
    things: Vec<(Thing, ObjectId)>,
    snippets: Vec<(Option<Link>, Link, Kind)>,
    hidden: bool,
    /// Positions of the blocks of `malloc` and of the state of `rand` among the objects.
    heap: Option<u32>,
    seed: Option<u32>,
    asked: FxHashMap<Ask, ObjectId>,
}

/// Who may compile embedded C, and when.
#[derive(Clone, Debug, Default)]
pub enum AllowC {
    /// No one: nothing outside is run.
    #[default]
    Never,
    /// What the machine of C refuses is compiled.
    Refused(Arc<dyn Compiler>),
    /// All of it is compiled, to compare both ways.
    Always(Arc<dyn Compiler>),
}

/// Reads the embedded C of a model; `None` where it has none. Says why what is there cannot be run.
pub fn read(
    map: &SourceMap,
    name: &str,
    reading: &Reading,
    options: &Options,
    loader: &mut dyn Loader,
    allow: &AllowC,
) -> Result<Option<Read>, Diagnostics> {
    let found = embedded(&reading.program);
    if found.is_empty() {
        return Ok(None);
    }
    let refused = match allow {
        AllowC::Always(_) => Diagnostics::default(),
        _ => match checked(map, name, reading, options, loader, &found) {
            Ok(read) => return Ok(Some(read)),
            Err(said) => said,
        },
    };
    let (AllowC::Refused(compiler) | AllowC::Always(compiler)) = allow else { return Err(refused) };
    let mut text = Text::of(&reading.names, &found);
    let said = std::mem::take(&mut text.said);
    if said.has_errors() {
        return Err(said);
    }
    // Included files are looked for from the folder of the model.
    let own = name.rsplit_once('/').map_or(".", |(folder, _)| folder).to_string();
    let folders: Vec<String> = std::iter::once(own).chain(options.include_dirs.iter().cloned()).collect();
    let define = |d: &Define| match d {
        Define::Set(name, None) => format!("-D{name}"),
        Define::Set(name, Some(value)) => format!("-D{name}={value}"),
        Define::Unset(name) => format!("-U{name}"),
    };
    let defines: Vec<String> = options.defines.iter().map(define).collect();
    let (outside, lowering) = Outside::build(map, &reading.names, &text, &**compiler, &folders, &defines)?;
    let span = text.fragments.first().map_or(Span::NONE, |f| f.1);
    Ok(Some(Read { lowering, notes: vec![outside.note()], compiled: Some(span), way: Way::Outside(outside) }))
}

/// Reads embedded C for the machine of C.
fn checked(
    map: &SourceMap,
    name: &str,
    reading: &Reading,
    options: &Options,
    loader: &mut dyn Loader,
    found: &ferrospin_promela::embedded::Embedded,
) -> Result<Read, Diagnostics> {
    let mut text = Text::of(&reading.names, found);
    let mut said = std::mem::take(&mut text.said);
    let mut c = SourceMap::new();
    // Included files are looked for from the folder of the model.
    let file = c.add_file(name, text.text.as_str());
    let mut read = ferrospin_c::read(&mut c, file, options, &Dialect::default(), loader);
    let places = Places { model: map.clone(), c, text };
    let first = found.declarations.iter().chain(&found.definitions).map(|f| f.at.0).next();
    for d in read.diagnostics.iter().filter(|d| d.severity == Severity::Error && !d.lint) {
        let (span, header) = places.find(d.span);
        let shown = if span == Span::NONE { first.unwrap_or(Span::NONE) } else { span };
        let mut out = Diagnostic::error("embedded-c", shown, format!("in embedded C: {}", d.message));
        out.notes = d.notes.clone();
        if let Some(place) = header {
            out = out.note(format!("at {place}"));
        }
        said.push(out);
    }
    if said.has_errors() {
        said.sort(map);
        return Err(said);
    }
    let members = members::split(&mut read.unit, &places.text);
    let build = Builder { names: &reading.names, places, members, said, notes: Vec::new() };
    build.build(read.unit)
}

struct Builder<'a> {
    names: &'a Names,
    places: Places,
    members: Members,
    said: Diagnostics,
    notes: Vec<String>,
}

impl Builder<'_> {
    fn refuse(&mut self, span: Span, message: String, note: &str) {
        let d = Diagnostic::error("embedded-c", span, message);
        self.said.push(if note.is_empty() { d } else { d.note(note) });
    }

    fn refuse_at(&mut self, c: Span, or: Span, message: String, note: &str) {
        let (span, header) = self.places.find(c);
        let span = if span == Span::NONE { or } else { span };
        let message = header.map_or(message.clone(), |place| format!("{message} ({place})"));
        self.refuse(span, message, note);
    }

    fn stopped(&mut self, stop: &Stop) {
        let (span, _) = self.places.find(stop.span);
        self.refuse(span, format!("embedded C cannot begin: {}", stop.trouble), "");
    }

    fn build(mut self, unit: Unit) -> Result<Read, Diagnostics> {
        let program = match Program::new(vec![unit]) {
            Ok(program) => Arc::new(program),
            Err(why) => {
                self.refuse(Span::NONE, format!("in embedded C: {why}"), "");
                return Err(self.said);
            }
        };
        let mut machine = match code::machine(&program) {
            Ok(machine) => machine,
            Err(stop) => {
                self.stopped(&stop);
                return Err(self.said);
            }
        };
        let unit = &program.units[0];
        let mut things: Vec<(Thing, ObjectId)> = Vec::new();
        let mut objects: Vec<Object> = Vec::new();
        let mut asked = FxHashMap::default();
        // `c_state`: its size is that of a member.
        let mut of_state = FxHashMap::default();
        for i in 0..self.places.text.state.len() {
            let s = &self.places.text.state[i];
            if s.scope == Scope::Hidden {
                continue;
            }
            let size = member_size(unit, self.names, s).unwrap_or(0);
            of_state.insert(i, objects.len() as u32);
            let span = s.span;
            objects.push(text::object(s, self.names, size as u32));
            if size == 0 || size > u64::from(u32::MAX) {
                self.refuse(span, "this object has no size that a state could have".into(), "");
                continue;
            }
        }
        let mut made: Vec<(ObjectId, Member)> = self.members.of.iter().map(|(o, (_, m))| (*o, *m)).collect();
        made.sort_by_key(|(o, _)| o.0);
        for (object, member) in made {
            match member {
                Member::Var(v) => things.push((Thing::Var(v), object)),
                Member::State(i) => things.push((Thing::Object(of_state[&i]), object)),
                Member::Pid => drop(asked.insert(Ask::Pid, object)),
                Member::ProcessCount => drop(asked.insert(Ask::ProcessCount, object)),
                Member::ChannelCount => drop(asked.insert(Ask::ChannelCount, object)),
            }
        }
        self.first_values(&program, &mut machine, &of_state, &things, &mut objects);
        self.tracked(&program, &mut machine, &mut things, &mut objects);
        let touches = Touches::of(&program);
        let fragments: Vec<_> = self.places.text.fragments.clone();
        let mut all = Vec::new();
        let mut snippets = Vec::new();
        for (i, (key, span)) in fragments.iter().enumerate() {
            let find = |what| program.find(&function(what, i));
            // Directives of C can take away what stands behind a fragment.
            let (condition, Some(run)) = (find("condition"), find("run")) else {
                self.refuse(*span, "this fragment is not left where directives of C are done".into(), "");
                continue;
            };
            let roots: Vec<ObjectId> = condition.iter().chain([&run]).map(|l| l.object).collect();
            all.push(touches.all(&roots));
            snippets.push((condition, run, key.kind));
        }
        self.check_sizes(unit, &things, &asked, &objects);
        if self.said.has_errors() {
            self.said.sort(&self.places.model);
            return Err(self.said);
        }
        let mut extra = |used: bool, name: &str, size: u32, init: Vec<u8>| {
            used.then(|| {
                let (name, span) = (name.into(), Span::NONE);
                objects.push(Object { name, size, body: None, init, unmatched: false, span });
                objects.len() as u32 - 1
            })
        };
        let heap = extra(all.iter().any(|t| t.heap), "malloc", HEAP_BYTES, Vec::new());
        let seed = extra(all.iter().any(|t| t.seed), "rand", 4, Vec::new());
        if seed.is_some() {
            self.notes
                .push("embedded C calls `rand`, whose state is part of the model: a `select` has all values".into());
        }
        let context = Context { things: &things, objects: &objects, asked: &asked, heap, seed };
        let mut lowering = Embedded::default();
        for (i, ((key, span), touch)) in fragments.iter().zip(&all).enumerate() {
            let fragment = self.fragment(&program, &touches, &context, i, key, *span, touch);
            lowering.fragments.insert(key.clone(), fragment);
        }
        lowering.objects = objects;
        if self.said.has_errors() {
            self.said.sort(&self.places.model);
            return Err(self.said);
        }
        let hidden = self.places.text.state.iter().any(|s| s.scope == Scope::Hidden);
        if hidden {
            self.notes
                .push("`Hidden` objects are outside of states: what a check finds may depend on its order".into());
        }
        let (places, notes) = (Arc::new(self.places), self.notes);
        let way = Checked { program, places, things, snippets, hidden, heap, seed, asked };
        Ok(Read { lowering, notes, compiled: None, way: Way::Machine(Box::new(way)) })
    }

    /// Runs the first values of `c_state` and keeps the bytes.
    fn first_values(
        &mut self,
        program: &Arc<Program>,
        machine: &mut Machine,
        of_state: &FxHashMap<usize, u32>,
        things: &[(Thing, ObjectId)],
        objects: &mut [Object],
    ) {
        for (i, &object) in of_state {
            let Some(link) = program.find(&function("first", *i)) else { continue };
            if let Err(stop) = machine.call_plain(link) {
                self.stopped(&stop);
                continue;
            }
            if let Some((_, id)) = things.iter().find(|(t, _)| *t == Thing::Object(object)) {
                objects[object as usize].init = bytes_of(machine, *id);
            }
        }
    }

    /// Finds out which variables of C are tracked.
    fn tracked(
        &mut self,
        program: &Arc<Program>,
        machine: &mut Machine,
        things: &mut Vec<(Thing, ObjectId)>,
        objects: &mut Vec<Object>,
    ) {
        let unit = &program.units[0];
        let mut of_region: FxHashMap<RegionId, ObjectId> = FxHashMap::default();
        for (i, o) in unit.objects.iter().enumerate() {
            let id = ObjectId(i as u32);
            let is_variable = !matches!(unit.types.get(o.ty.ty), Type::Function(_));
            if o.storage == Storage::Static && is_variable && o.defined {
                of_region.insert(region(machine, id), id);
            }
        }
        for i in 0..self.places.text.tracked.len() {
            let t = &self.places.text.tracked[i];
            let (span, unmatched, address) = (t.span, t.unmatched, t.address.trim().to_string());
            let (Some(at), Some(size)) = (program.find(&function("where", i)), program.find(&function("size", i)))
            else {
                self.refuse(span, "this is not left where directives of C are done".into(), "");
                continue;
            };
            let (at, size) = match (machine.call_plain(at), machine.call_plain(size)) {
                (Ok(Returned::Int(at)), Ok(Returned::Int(size))) => (at as u64, size as u64),
                (Err(stop), _) | (_, Err(stop)) => {
                    self.stopped(&stop);
                    continue;
                }
                _ => continue,
            };
            let found = Memory::region_at(at).and_then(|r| of_region.get(&r)).copied();
            let Some(id) = found else {
                self.refuse(
                    span,
                    format!("`{address}` is not the address of a variable when all begins"),
                    "only variables of the embedded C can be tracked; with `c_state` an object is part of the state itself",
                );
                continue;
            };
            let whole = unit.types.size(unit.object(id).ty.ty).unwrap_or(0);
            if Memory::offset_at(at) != 0 || size != whole {
                let name = unit.object_name(id);
                let message =
                    format!("this tracks {size} bytes at `{address}`, and `{name}` has {whole}: track all of it");
                self.refuse(span, message, "");
                continue;
            }
            if things.iter().any(|(_, o)| *o == id) {
                let message = format!("`{}` is part of the state already", unit.object_name(id));
                self.refuse(span, message, "");
                continue;
            }
            let name = unit.object_name(id).into();
            things.push((Thing::Object(objects.len() as u32), id));
            let init = bytes_of(machine, id);
            objects.push(Object { name, size: size as u32, body: None, init, unmatched, span });
        }
    }

    /// What the state holds must look the same to C: a macro may have changed what a type is.
    fn check_sizes(
        &mut self,
        unit: &Unit,
        things: &[(Thing, ObjectId)],
        asked: &FxHashMap<Ask, ObjectId>,
        objects: &[Object],
    ) {
        let vars = things.iter().map(|&(thing, object)| match thing {
            Thing::Var(v) => (self.names.bytes_of_var(&self.names.vars[v.index()]), object),
            Thing::Object(i) => (objects[i as usize].size.into(), object),
        });
        let all: Vec<(u64, ObjectId)> = vars.chain(asked.values().map(|o| (1, *o))).collect();
        for (wanted, object) in all {
            let size = unit.types.size(unit.object(object).ty.ty).unwrap_or(0);
            if size != wanted {
                let name = unit.object_name(object);
                self.refuse(Span::NONE, format!("`{name}` has {size} bytes in C and {wanted} in the state"), "");
            }
        }
        let total: u64 = objects.iter().map(|o| u64::from(o.size)).sum();
        if total > OBJECT_BYTES_MAX {
            let span = objects[0].span;
            let message = format!("embedded C has {total} bytes in the state, and {OBJECT_BYTES_MAX} is the limit");
            self.refuse(span, message, "");
        }
    }

    /// What lowering is told of a fragment.
    #[allow(clippy::too_many_arguments)]
    fn fragment(
        &mut self,
        program: &Program,
        touches: &Touches<'_>,
        context: &Context<'_>,
        code: usize,
        key: &ferrospin_lower::embedded::Key,
        span: Span,
        touch: &Touch,
    ) -> Fragment {
        let unit = &program.units[0];
        for (what, at) in &touch.refused {
            let message = format!("embedded C cannot be run: {what}");
            self.refuse_at(*at, span, message, "");
        }
        let mut out = Fragment { code: code as u32, may_fail: touch.may_fail, ..Fragment::default() };
        let owner = |thing: Thing| match thing {
            Thing::Var(v) => self.names.vars[v.index()].body,
            Thing::Object(i) => context.objects[i as usize].body,
        };
        let direct: Vec<ObjectId> = touch.reads.iter().chain(touch.writes.keys()).copied().collect();
        let mut complaints: Vec<(Span, String, &str)> = Vec::new();
        for o in &direct {
            let at = touch.writes.get(o).copied().unwrap_or(Span::NONE);
            if let Some(name) = self.members.whole.get(o) {
                complaints.push((at, format!("`{name}` can be used for its members only"), ""));
            }
        }
        for &(thing, object) in context.things {
            let own = owner(thing).is_none_or(|body| Some(body) == key.body);
            let (reads, writes) = (touch.reads.contains(&object), touch.writes.get(&object));
            if !own && (reads || writes.is_some()) {
                let name = unit.object_name(object);
                let at = writes.copied().unwrap_or(Span::NONE);
                complaints.push((
                    at,
                    format!("`{name}` is a variable of another process type than the one that runs this"),
                    "",
                ));
                continue;
            }
            let through = touches.escaped.contains(&object) && own;
            if let (Some(at), Kind::Value) = (writes, key.kind) {
                let message = format!("`c_expr` must not change `{}`", unit.object_name(object));
                complaints.push((*at, message, "an expression may be evaluated any number of times: use `c_code`"));
            }
            let is_written = writes.is_some() || touch.writes_any && through;
            if is_written && key.kind == Kind::Statement {
                out.writes.push(thing);
            } else if reads || is_written || touch.reads_any && through {
                out.reads.push(thing);
            }
        }
        let state_backed =
            |o: &ObjectId| context.things.iter().any(|(_, t)| t == o) || context.asked.values().any(|a| a == o);
        let hidden = |o: &ObjectId| {
            self.places.text.state.iter().any(|s| s.scope == Scope::Hidden && s.name == unit.object_name(*o))
        };
        for (o, at) in &touch.writes {
            if context.asked.values().any(|a| a == o) {
                complaints.push((*at, format!("`{}` cannot be changed", unit.object_name(*o)), ""));
            } else if !state_backed(o) && !hidden(o) && !self.members.whole.contains_key(o) {
                let name = unit.object_name(*o);
                complaints.push((
                    *at,
                    format!("`{name}` is written here and is no part of the state"),
                    "track it (`c_track \"&x\" \"sizeof(x)\"`), or say that it is outside on purpose (`c_state \"int x\" \"Hidden\"`)",
                ));
            }
        }
        for (ask, object) in context.asked {
            if touch.reads.contains(object) || touch.reads_any && touches.escaped.contains(object) {
                out.asks.push(*ask);
            }
        }
        out.asks.sort();
        let any = touch.reads_any || touch.writes_any;
        for (used, thing) in [(touch.heap || any, context.heap), (touch.seed, context.seed)] {
            let Some(i) = thing.filter(|_| used) else { continue };
            match key.kind {
                Kind::Statement => out.writes.push(Thing::Object(i)),
                Kind::Value if Some(i) == context.heap && !touch.heap => out.reads.push(Thing::Object(i)),
                Kind::Value => {
                    complaints.push((Span::NONE, "`c_expr` must not call `malloc`, `free` or `rand`".into(), ""))
                }
            }
        }
        for (at, message, note) in complaints {
            self.refuse_at(at, span, message, note);
        }
        out
    }
}

/// What fragments are told apart by.
struct Context<'a> {
    things: &'a [(Thing, ObjectId)],
    objects: &'a [Object],
    asked: &'a FxHashMap<Ask, ObjectId>,
    heap: Option<u32>,
    seed: Option<u32>,
}

fn region(machine: &mut Machine, object: ObjectId) -> RegionId {
    machine.global(Link { unit: 0, object }).expect("all variables have regions")
}

fn bytes_of(machine: &mut Machine, object: ObjectId) -> Vec<u8> {
    let region = region(machine, object);
    machine.memory.bytes(region).to_vec()
}

/// Bytes of a `c_state`, as a member of what stands for the state.
fn member_size(unit: &Unit, names: &Names, s: &text::State) -> Option<u64> {
    let owner = match s.scope {
        Scope::Local(i) => format!("P{}", names.bodies[i].name),
        _ => NOW.to_string(),
    };
    let named = |o: &&ferrospin_c::tree::Object| o.name.is_some_and(|n| **unit.name(n) == *owner);
    let object = unit.objects.iter().find(named)?;
    let ty = unit.types.pointee(object.ty.ty).map_or(object.ty.ty, |q| q.ty);
    let record = unit.types.record(unit.types.record_of(ty)?);
    let field = record.fields.iter().find(|f| f.name.is_some_and(|n| **unit.name(n) == *s.name))?;
    unit.types.size(field.ty.ty)
}

/// Scalars of a variable that have fewer bits than bytes.
fn cuts(names: &Names, var: &Var, at: u32, out: &mut Vec<(u32, u32, u32)>) {
    let each = names.bytes_of(var.ty) as u32;
    for i in 0..var.array.unwrap_or(1) {
        let at = at + i * each;
        match var.ty {
            Ty::Bit | Ty::Bool => out.push((at, 1, 1)),
            Ty::Unsigned(n) if u32::from(n) < each * 8 => out.push((at, each, (1u32 << n) - 1)),
            Ty::Record(r) => {
                let mut offset = at;
                for f in &names.records[r.index()].fields {
                    cuts(names, f, offset, out);
                    offset += names.bytes_of_var(f) as u32;
                }
            }
            _ => {}
        }
    }
}

impl Read {
    /// What executors call, once the model stands.
    pub fn code(&self, names: &Names, lowered: &Lowered) -> Arc<dyn Code> {
        match &self.way {
            Way::Machine(checked) => checked.code(&self.lowering, names, lowered),
            Way::Outside(outside) => outside.code(names, &self.lowering, lowered),
        }
    }
}

impl Checked {
    fn code(&self, lowering: &Embedded, names: &Names, lowered: &Lowered) -> Arc<dyn Code> {
        let mut machine = code::machine(&self.program).expect("it could be started before");
        let mut slots = Vec::new();
        let mut number: FxHashMap<Thing, u32> = FxHashMap::default();
        for &(thing, object) in &self.things {
            let Some((area, offset)) = lowered.place(thing) else { continue };
            let mut list = Vec::new();
            let len = match thing {
                Thing::Var(v) => {
                    let var = &names.vars[v.index()];
                    cuts(names, var, 0, &mut list);
                    names.bytes_of_var(var) as u32
                }
                Thing::Object(i) => lowering.objects[i as usize].size,
            };
            number.insert(thing, slots.len() as u32);
            slots.push(Slot { region: region(&mut machine, object), area, offset, len, cuts: list });
        }
        // The blocks of `malloc` and the state of `rand` have no region of their own.
        let beside = |i: Option<u32>| {
            let (area, offset) = lowered.place(Thing::Object(i?))?;
            let len = lowering.objects[i? as usize].size;
            Some(Slot { region: RegionId(0), area, offset, len, cuts: Vec::new() })
        };
        let (heap, seed) = (beside(self.heap), beside(self.seed));
        let asked: FxHashMap<Ask, RegionId> =
            self.asked.iter().map(|(ask, o)| (*ask, region(&mut machine, *o))).collect();
        let mut snippets = Vec::new();
        for (i, (condition, run, _)) in self.snippets.iter().enumerate() {
            let (key, span) = &self.places.text.fragments[i];
            let fragment = &lowering.fragments[key];
            let numbers = |things: &[Thing]| things.iter().filter_map(|t| number.get(t).copied()).collect();
            let touches = |i: Option<u32>| {
                i.is_some_and(|i| fragment.reads.iter().chain(&fragment.writes).any(|t| *t == Thing::Object(i)))
            };
            let line = self.places.model.position(*span).map_or(0, |p| p.line);
            let wanted = key.precondition.as_deref().unwrap_or("").trim();
            snippets.push(Snippet {
                condition: *condition,
                run: *run,
                reads: numbers(&fragment.reads),
                writes: numbers(&fragment.writes),
                asks: fragment.asks.iter().map(|a| asked[a]).collect(),
                heap: heap.clone().filter(|_| touches(self.heap)),
                seed: seed.clone().filter(|_| touches(self.seed)),
                false_condition: format!("c_code line {line} precondition false: {wanted}"),
            });
        }
        let unit = &self.program.units[0];
        let hidden = |o: ObjectId| {
            self.places.text.state.iter().any(|s| s.scope == Scope::Hidden && s.name == unit.object_name(o))
        };
        let is_own = |o: ObjectId| self.things.iter().any(|(_, t)| *t == o);
        let constant: Vec<RegionId> = (0..unit.objects.len() as u32)
            .map(ObjectId)
            .filter(|&o| {
                let object = unit.object(o);
                let is_variable = !matches!(unit.types.get(object.ty.ty), Type::Function(_));
                let is_static = object.storage == Storage::Static && object.defined && is_variable;
                is_static && !hidden(o) && !is_own(o)
            })
            .map(|o| region(&mut machine, o))
            .collect();
        Arc::new(Machines {
            program: self.program.clone(),
            slots,
            snippets,
            constant,
            asked: asked.into_values().collect(),
            hidden: self.hidden,
            places: self.places.clone(),
            pool: Mutex::default(),
            messages: Mutex::default(),
        })
    }
}
