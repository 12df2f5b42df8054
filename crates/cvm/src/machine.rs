//! The interpreter: calls on an explicit stack, an edge at a time.

use crate::eval::{Number, binary, convert, load, store, unary, wrap};
use crate::link::{Link, Program};
use crate::memory::{Memory, RegionId, State};
use crate::{Stop, Trouble};
use ferrospin_c::flow::{Arg, Callee, Edge, Flow, Loc, Op, Param, Result as Target, Scalar, Value, ValueId};
use ferrospin_c::tree::{Base, Const, ExprKind, ObjectId, Storage, StrId};
use ferrospin_c::types::Type;
use ferrospin_source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Edges that one call from outside may take.
    pub steps: u64,
    /// Calls inside of one another.
    pub frames: usize,
    /// Bytes of all objects together.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 10_000_000, frames: 10_000, bytes: 64 << 20 }
    }
}

/// A call that is under way.
struct Frame<'p> {
    unit: u32,
    flow: &'p Flow,
    at: Loc,
    temps: Vec<Number>,
    slots: Vec<RegionId>,
    /// Where the caller's result goes.
    result: Sink,
}

/// Where a result goes.
#[derive(Clone, Copy)]
enum Sink {
    None,
    Temp(u32),
    Bytes(u64, u64),
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Nothing,
    Number(Number),
    Bytes(Vec<u8>),
}

/// An argument, evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Passed {
    Number(Number, Scalar),
    Bytes(Vec<u8>),
}

impl Passed {
    pub(crate) fn number(&self) -> Number {
        match self {
            Passed::Number(n, _) => *n,
            Passed::Bytes(_) => Number::Int(0),
        }
    }
}

/// A program with its memory.
pub struct Machine {
    program: Arc<Program>,
    /// All objects.
    pub memory: Memory,
    globals: FxHashMap<Link, RegionId>,
    /// The same by unit and number, where it was asked for.
    known: Vec<Vec<Option<RegionId>>>,
    strings: FxHashMap<(u32, StrId), RegionId>,
    functions: FxHashMap<RegionId, Link>,
    limits: Limits,
    /// What was printed.
    pub output: Vec<u8>,
    /// The state of `rand`.
    pub seed: u32,
    /// `uerror` and failed assertions do not end a run: the first one is kept in `complaint`.
    pub goes_on: bool,
    /// The first complaint since it was last taken.
    pub complaint: Option<Stop>,
    /// What variables without a name are called.
    unnamed: Arc<str>,
    /// The edge that is taken.
    here: (u32, Span),
    steps: u64,
}

/// What a call from outside gave.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Returned {
    /// Nothing, or an aggregate.
    Nothing,
    /// An integer or address.
    Int(i128),
    /// A floating value.
    Float(f64),
}

impl Machine {
    /// A machine whose variables have their first values.
    pub fn new(program: Arc<Program>, limits: Limits) -> Result<Machine, Stop> {
        let known = program.units.iter().map(|u| vec![None; u.objects.len()]).collect();
        let mut machine = Machine {
            program: program.clone(),
            known,
            goes_on: false,
            complaint: None,
            unnamed: "an intermediate result".into(),
            here: (0, Span::NONE),
            memory: Memory::new(limits.bytes),
            globals: FxHashMap::default(),
            strings: FxHashMap::default(),
            functions: FxHashMap::default(),
            limits,
            output: Vec::new(),
            seed: 1,
            steps: 0,
        };
        for (index, unit) in program.units.iter().enumerate() {
            for (number, object) in unit.objects.iter().enumerate() {
                let link = Link { unit: index as u32, object: ObjectId(number as u32) };
                let is_static = matches!(object.storage, Storage::Static | Storage::Thread);
                let is_function = matches!(unit.types.get(object.ty.ty), Type::Function(_));
                let whole = program.resolve(link) == Some(link);
                if is_static && !is_function && object.defined && whole {
                    machine.initialise(link).map_err(|t| Stop { trouble: t, unit: link.unit, span: object.span })?;
                }
            }
        }
        Ok(machine)
    }

    fn initialise(&mut self, link: Link) -> Result<(), Trouble> {
        let program = self.program.clone();
        let unit = &program.units[link.unit as usize];
        let object = unit.object(link.object);
        let region = self.global(link)?;
        for part in object.init.iter().flatten() {
            let at = Memory::address(region, part.offset);
            let expr = unit.expr(part.value);
            let whole = match expr.kind {
                ExprKind::Str(id) => {
                    let string = self.string(link.unit, id)?;
                    Some((string, self.memory.bytes(string).len() as u64))
                }
                ExprKind::Compound(id) => {
                    let from = self.global(Link { object: id, ..link })?;
                    Some((from, self.memory.bytes(from).len() as u64))
                }
                ExprKind::Load(inner) => match unit.expr(inner).kind {
                    ExprKind::Compound(id) => {
                        self.initialise(Link { object: id, ..link })?;
                        let from = self.global(Link { object: id, ..link })?;
                        Some((from, self.memory.bytes(from).len() as u64))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some((from, own)) = whole {
                let size = unit.types.size(part.ty.ty).unwrap_or(own).min(own);
                self.memory.copy(at, Memory::address(from, 0), size)?;
                continue;
            }
            let (Some(scalar), Some(value)) = (Scalar::of(&unit.types, part.ty.ty), expr.value) else {
                return Err(Trouble::Refused("an initial value that is not constant".into()));
            };
            let value = match value {
                Const::Int(v) => Number::Int(v),
                Const::Float(v) => Number::Float(v),
                Const::Address(Base::Object(id), offset) => {
                    let region = self.global(Link { object: id, ..link })?;
                    Number::Int(i128::from(Memory::address(region, 0).wrapping_add_signed(offset)))
                }
                Const::Address(Base::Str(id), offset) => {
                    let region = self.string(link.unit, id)?;
                    Number::Int(i128::from(Memory::address(region, 0).wrapping_add_signed(offset)))
                }
                Const::Address(Base::Label(_), _) => {
                    return Err(Trouble::Refused("the address of a label as a first value".into()));
                }
            };
            store(&mut self.memory, at, value, scalar, part.bits)?;
        }
        Ok(())
    }

    /// The region of a variable or function.
    pub fn global(&mut self, link: Link) -> Result<RegionId, Trouble> {
        if let Some(region) = self.known[link.unit as usize][link.object.0 as usize] {
            return Ok(region);
        }
        let region = self.find_global(link)?;
        self.known[link.unit as usize][link.object.0 as usize] = Some(region);
        Ok(region)
    }

    fn find_global(&mut self, link: Link) -> Result<RegionId, Trouble> {
        let program = self.program.clone();
        let named = &program.units[link.unit as usize];
        let link = program.resolve(link).unwrap_or(link);
        if let Some(&region) = self.globals.get(&link) {
            return Ok(region);
        }
        let unit = &program.units[link.unit as usize];
        let object = unit.object(link.object);
        let name = unit.object_name(link.object);
        let is_function = matches!(unit.types.get(object.ty.ty), Type::Function(_));
        let region = if is_function {
            let region = self.memory.allocate(1, State::Constant, &name.into())?;
            self.functions.insert(region, link);
            region
        } else {
            // Of what is only named, the streams and `errno` are there.
            let known = ["stdin", "stdout", "stderr", "errno"].contains(&name);
            if !object.defined && !known {
                return Err(Trouble::Undefined(named.object_name(link.object).to_string()));
            }
            let size = unit.types.size(object.ty.ty).unwrap_or(8);
            self.memory.allocate(size, State::Live, &name.into())?
        };
        self.globals.insert(link, region);
        Ok(region)
    }

    fn string(&mut self, unit: u32, id: StrId) -> Result<RegionId, Trouble> {
        if let Some(&region) = self.strings.get(&(unit, id)) {
            return Ok(region);
        }
        let program = self.program.clone();
        let string = &program.units[unit as usize].strings[id.0 as usize];
        let width = usize::from(string.width);
        let region = self.memory.allocate(
            (string.units.len() as u64 + 1) * width as u64,
            State::Constant,
            &"a string".into(),
        )?;
        let bytes = self.memory.bytes_mut(region);
        for (i, u) in string.units.iter().enumerate() {
            bytes[i * width..(i + 1) * width].copy_from_slice(&u.to_le_bytes()[..width]);
        }
        self.strings.insert((unit, id), region);
        Ok(region)
    }

    /// Calls a function by name with integers or addresses; gives what it returns as an integer.
    pub fn call(&mut self, name: &str, args: &[i128]) -> Result<i128, Stop> {
        let nowhere = |trouble| Stop { trouble, unit: 0, span: Span::NONE };
        let link = self.program.find(name).ok_or_else(|| nowhere(Trouble::Undefined(name.into())))?;
        let program = self.program.clone();
        let unit = &program.units[link.unit as usize];
        let signature = unit.types.signature(unit.object(link.object).ty.ty);
        let params = signature.map(|s| s.params.clone()).unwrap_or_default();
        let args: Vec<Passed> = args
            .iter()
            .enumerate()
            .map(|(i, &value)| {
                let long = Scalar::Int { bytes: 8, signed: true };
                let scalar = params.get(i).and_then(|p| Scalar::of(&unit.types, p.ty)).unwrap_or(long);
                Passed::Number(Number::Int(wrap(scalar, value)), scalar)
            })
            .collect();
        match self.run(link, args)? {
            Given::Number(n) => Ok(n.int()),
            _ => Ok(0),
        }
    }

    /// Calls a function without arguments.
    pub fn call_plain(&mut self, link: Link) -> Result<Returned, Stop> {
        Ok(match self.run(link, Vec::new())? {
            Given::Number(Number::Int(v)) => Returned::Int(v),
            Given::Number(Number::Float(v)) => Returned::Float(v),
            _ => Returned::Nothing,
        })
    }

    /// Gives all variables, functions and strings their regions, and no others later but those of calls and `malloc`. From here on
    /// addresses depend on nothing that ran before: `malloc` takes the first free one of `blocks` regions, with `bytes` in
    /// all, and what a call had is gone behind it.
    pub fn settle(&mut self, blocks: u32, bytes: u64) -> Result<(), Stop> {
        let program = self.program.clone();
        for (index, unit) in program.units.iter().enumerate() {
            let nowhere = |trouble| Stop { trouble, unit: index as u32, span: Span::NONE };
            for number in 0..unit.objects.len() {
                let link = Link { unit: index as u32, object: ObjectId(number as u32) };
                let object = unit.object(link.object);
                let is_static = matches!(object.storage, Storage::Static | Storage::Thread);
                if is_static && !matches!(self.global(link), Ok(_) | Err(Trouble::Undefined(_))) {
                    return Err(nowhere(Trouble::Memory(self.limits.bytes)));
                }
            }
            for number in 0..unit.strings.len() {
                self.string(index as u32, StrId(number as u32)).map_err(nowhere)?;
            }
        }
        self.memory.settle(blocks, bytes);
        Ok(())
    }

    fn run(&mut self, link: Link, args: Vec<Passed>) -> Result<Given, Stop> {
        self.steps = 0;
        let program = self.program.clone();
        let mut stack: Vec<Frame<'_>> = Vec::new();
        let result = self.run_frames(&program, &mut stack, link, args);
        let result = result.map_err(|(trouble, span)| {
            let unit = stack.last().map_or(link.unit, |f| f.unit);
            Stop { trouble, unit, span }
        });
        // After trouble the variables of all calls end too.
        for frame in stack {
            frame.slots.into_iter().for_each(|s| self.memory.end(s));
        }
        self.memory.unwind();
        result
    }

    fn run_frames<'p>(
        &mut self,
        program: &'p Program,
        stack: &mut Vec<Frame<'p>>,
        link: Link,
        args: Vec<Passed>,
    ) -> Result<Given, (Trouble, Span)> {
        let nowhere = |t: Trouble| (t, Span::NONE);
        if let Some(given) = self.enter(program, stack, link, args, Sink::None).map_err(nowhere)? {
            return Ok(given);
        }
        loop {
            let Some(frame) = stack.last() else { return Ok(Given::Nothing) };
            self.steps += 1;
            let out = frame.flow.out(frame.at);
            let edge = self.choose(frame, out).map_err(|t| (t, out[0].span))?;
            if self.steps > self.limits.steps {
                return Err((Trouble::Steps(self.limits.steps), edge.span));
            }
            self.here = (frame.unit, edge.span);
            if let Some(given) = self.take(program, stack, edge).map_err(|t| (t, edge.span))? {
                return Ok(given);
            }
        }
    }

    /// The edge that is taken.
    fn choose<'p>(&mut self, frame: &Frame<'p>, out: &'p [Edge]) -> Result<&'p Edge, Trouble> {
        if let [edge] = out {
            return Ok(edge);
        }
        let mut otherwise = None;
        for edge in out {
            let taken = match &edge.op {
                Op::Assume(value, _, truth) => self.eval(frame, *value)?.truth() == *truth,
                Op::Case(value, _, low, high) => {
                    let v = self.eval(frame, *value)?.int();
                    (*low..=*high).contains(&v)
                }
                Op::NoCase(_) => {
                    otherwise = Some(edge);
                    false
                }
                Op::Jump(value) => self.eval(frame, *value)?.address() == u64::from(edge.to.0) + 1,
                _ => true,
            };
            if taken {
                return Ok(edge);
            }
        }
        otherwise.ok_or_else(|| Trouble::Refused("a jump to an address that no label here has".into()))
    }

    /// Does what an edge says. When the outermost call ends, gives what it returned.
    fn take<'p>(
        &mut self,
        program: &'p Program,
        stack: &mut Vec<Frame<'p>>,
        edge: &'p Edge,
    ) -> Result<Option<Given>, Trouble> {
        let frame = stack.last_mut().expect("a call is under way");
        frame.at = edge.to;
        match &edge.op {
            Op::Skip | Op::Assume(..) | Op::Case(..) | Op::NoCase(_) | Op::Fence => {}
            Op::Jump(value) => {
                if self.eval(frame, *value)?.address() != u64::from(edge.to.0) + 1 {
                    return Err(Trouble::Refused("a jump to an address that no label here has".into()));
                }
            }
            Op::Enter(slot) => self.memory.bytes_mut(frame.slots[slot.0 as usize]).fill(0),
            Op::Set(temp, value) => {
                let value = self.eval(frame, *value)?;
                stack.last_mut().expect("still there").temps[temp.0 as usize] = value;
            }
            Op::Store(to, value, scalar, bits) => {
                let address = self.eval(frame, *to)?.address();
                let value = self.eval(frame, *value)?;
                store(&mut self.memory, address, value, *scalar, *bits)?;
            }
            Op::Copy(to, from, bytes) => {
                let to = self.eval(frame, *to)?.address();
                let from = self.eval(frame, *from)?.address();
                self.work(*bytes)?;
                self.memory.copy(to, from, *bytes)?;
            }
            Op::Zero(to, bytes) => {
                let to = self.eval(frame, *to)?.address();
                self.memory.write(to, *bytes)?.fill(0);
            }
            Op::Call(callee, args, result) => return self.start(program, stack, callee, args, *result),
            Op::Return(value) => return self.leave(stack, value.as_ref()),
            Op::Refused(what) => return Err(Trouble::Refused(what.clone())),
        }
        Ok(None)
    }

    /// Takes a complaint of the program: it ends the run, or is kept.
    pub(crate) fn complain(&mut self, trouble: Trouble) -> Result<Given, Trouble> {
        if !self.goes_on {
            return Err(trouble);
        }
        let (unit, span) = self.here;
        self.complaint.get_or_insert(Stop { trouble, unit, span });
        Ok(Given::Nothing)
    }

    /// Counts work that one edge does.
    pub(crate) fn work(&mut self, bytes: u64) -> Result<(), Trouble> {
        self.steps = self.steps.saturating_add(bytes / 16);
        if self.steps > self.limits.steps { Err(Trouble::Steps(self.limits.steps)) } else { Ok(()) }
    }

    fn start<'p>(
        &mut self,
        program: &'p Program,
        stack: &mut Vec<Frame<'p>>,
        callee: &Callee,
        args: &[Arg],
        result: Target,
    ) -> Result<Option<Given>, Trouble> {
        let frame = stack.last().expect("a call is under way");
        let unit = frame.unit;
        let link = match callee {
            Callee::Direct(object) => Link { unit, object: *object },
            Callee::Indirect(value) => {
                let address = self.eval(frame, *value)?.address();
                if address == 0 {
                    return Err(Trouble::Null);
                }
                let region = self.memory.region_of(address).filter(|_| Memory::offset_of(address) == 0);
                match region.and_then(|r| self.functions.get(&r)) {
                    Some(&link) => link,
                    None => return Err(Trouble::Wild(address)),
                }
            }
        };
        let mut passed = Vec::with_capacity(args.len());
        for arg in args {
            passed.push(match arg {
                Arg::Scalar(value, scalar) => Passed::Number(self.eval(frame, *value)?, *scalar),
                Arg::Bytes(address, size) => {
                    let address = self.eval(frame, *address)?.address();
                    Passed::Bytes(self.memory.read(address, *size)?.to_vec())
                }
            });
        }
        let sink = match result {
            Target::None => Sink::None,
            Target::Temp(temp, _) => Sink::Temp(temp.0),
            Target::Bytes(address, size) => Sink::Bytes(self.eval(frame, address)?.address(), size),
        };
        if let Some(given) = self.enter(program, stack, link, passed, sink)? {
            // A library function, which is done already.
            self.give(stack, sink, given)?;
        }
        Ok(None)
    }

    /// Starts a call. A library function is done at once, and gives its result.
    fn enter<'p>(
        &mut self,
        program: &'p Program,
        stack: &mut Vec<Frame<'p>>,
        link: Link,
        args: Vec<Passed>,
        result: Sink,
    ) -> Result<Option<Given>, Trouble> {
        let resolved = program.resolve(link).unwrap_or(link);
        let Some(flow) = program.flow(resolved) else {
            let name = program.units[link.unit as usize].object_name(link.object).to_string();
            return self.library(&name, &args).map(Some);
        };
        if stack.len() >= self.limits.frames {
            return Err(Trouble::Frames(self.limits.frames));
        }
        let unit = &program.units[resolved.unit as usize];
        let mut slots = Vec::with_capacity(flow.slots.len());
        for slot in &flow.slots {
            let named = slot.object.and_then(|o| unit.object(o).name);
            let what = named.map_or(&self.unnamed, |name| unit.name(name));
            match self.memory.allocate(slot.size, State::Live, what) {
                Ok(region) => slots.push(region),
                Err(trouble) => {
                    slots.into_iter().for_each(|s| self.memory.end(s));
                    return Err(trouble);
                }
            }
        }
        let zero = |s| if matches!(s, Scalar::F32 | Scalar::F64) { Number::Float(0.0) } else { Number::Int(0) };
        let mut temps: Vec<Number> = flow.temps.iter().map(|t| zero(t.scalar)).collect();
        for (param, arg) in flow.params.iter().zip(args) {
            // An old-style definition may have a narrower parameter than what was passed.
            match (param, arg) {
                (Param::Temp(temp), Passed::Number(value, scalar)) => {
                    temps[temp.0 as usize] = convert(value, scalar, flow.temps[temp.0 as usize].scalar);
                }
                (Param::Temp(_), Passed::Bytes(_)) => {}
                (Param::Slot(slot), Passed::Number(value, scalar)) => {
                    let room = self.memory.bytes_mut(slots[slot.0 as usize]);
                    let object = flow.slots[slot.0 as usize].object.expect("parameters are objects");
                    let own = Scalar::of(&unit.types, unit.object(object).ty.ty).unwrap_or(scalar);
                    let bytes = crate::eval::encode(convert(value, scalar, own), own);
                    let size = room.len().min(16);
                    room[..size].copy_from_slice(&bytes[..size]);
                }
                (Param::Slot(slot), Passed::Bytes(bytes)) => {
                    let room = self.memory.bytes_mut(slots[slot.0 as usize]);
                    let size = room.len().min(bytes.len());
                    room[..size].copy_from_slice(&bytes[..size]);
                }
            }
        }
        stack.push(Frame { unit: resolved.unit, flow, at: flow.entry, temps, slots, result });
        Ok(None)
    }

    fn leave(&mut self, stack: &mut Vec<Frame<'_>>, value: Option<&Arg>) -> Result<Option<Given>, Trouble> {
        let frame = stack.last().expect("a call is under way");
        let given = match value {
            None => Given::Nothing,
            Some(Arg::Scalar(value, _)) => Given::Number(self.eval(frame, *value)?),
            Some(Arg::Bytes(address, size)) => {
                let address = self.eval(frame, *address)?.address();
                Given::Bytes(self.memory.read(address, *size)?.to_vec())
            }
        };
        let frame = stack.pop().expect("a call is under way");
        frame.slots.into_iter().for_each(|s| self.memory.end(s));
        if stack.is_empty() {
            return Ok(Some(given));
        }
        self.give(stack, frame.result, given)?;
        Ok(None)
    }

    fn give(&mut self, stack: &mut [Frame<'_>], sink: Sink, given: Given) -> Result<(), Trouble> {
        match (sink, given) {
            (Sink::Temp(temp), Given::Number(n)) => {
                stack.last_mut().expect("the caller").temps[temp as usize] = n;
            }
            (Sink::Temp(temp), _) => stack.last_mut().expect("the caller").temps[temp as usize] = Number::Int(0),
            (Sink::Bytes(to, size), Given::Bytes(bytes)) => {
                let room = self.memory.write(to, size)?;
                let n = room.len().min(bytes.len());
                room[..n].copy_from_slice(&bytes[..n]);
            }
            _ => {}
        }
        Ok(())
    }

    fn eval(&mut self, frame: &Frame<'_>, id: ValueId) -> Result<Number, Trouble> {
        let region = |id: RegionId| Number::Int(i128::from(Memory::address(id, 0)));
        Ok(match frame.flow.value(id) {
            Value::Int(v, _) => Number::Int(*v),
            Value::Float(v, _) => Number::Float(*v),
            Value::Global(object) => region(self.global(Link { unit: frame.unit, object: *object })?),
            Value::Local(slot) => region(frame.slots[slot.0 as usize]),
            Value::Str(id) => region(self.string(frame.unit, *id)?),
            Value::Label(loc) => Number::Int(i128::from(loc.0) + 1),
            Value::Temp(temp) => frame.temps[temp.0 as usize],
            Value::Load(address, scalar, bits) => {
                let address = self.eval(frame, *address)?.address();
                load(&self.memory, address, *scalar, *bits)?
            }
            Value::Unary(op, a, scalar) => unary(*op, self.eval(frame, *a)?, *scalar),
            Value::Not(a, _) => Number::Int(i128::from(!self.eval(frame, *a)?.truth())),
            Value::Binary(op, a, b, scalar, _) => {
                let a = self.eval(frame, *a)?;
                let b = self.eval(frame, *b)?;
                binary(*op, a, b, *scalar)?
            }
            Value::Convert(a, from, to) => convert(self.eval(frame, *a)?, *from, *to),
            Value::Offset(a, b, size, _) => {
                let a = self.eval(frame, *a)?.address();
                let b = self.eval(frame, *b)?.int();
                let moved = (b as i64).wrapping_mul(*size);
                Number::Int(i128::from(a.wrapping_add_signed(moved)))
            }
            Value::Distance(a, b, size) => {
                let a = self.eval(frame, *a)?.address();
                let b = self.eval(frame, *b)?.address();
                if self.memory.region_of(a) != self.memory.region_of(b) {
                    return Err(Trouble::Difference);
                }
                let bytes = a.wrapping_sub(b) as i64;
                Number::Int(i128::from(bytes.checked_div(*size).unwrap_or(0)))
            }
            Value::Select(c, _, a, b) => {
                let chosen = if self.eval(frame, *c)?.truth() { a } else { b };
                self.eval(frame, *chosen)?
            }
        })
    }
}
