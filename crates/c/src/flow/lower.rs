//! From typed statements to locations and edges.

use super::promote::{promote, shorten};
use super::{Arg, Edge, Flow, Loc, Op, Scalar, Slot, SlotInfo, Temp, TempInfo, Value, ValueId};
use crate::tree::{Asm, ExprId, ExprKind, ObjectId, Stmt, StmtId, Storage, Unit};
use crate::types::TypeId;
use ferrospin_source::Span;
use rustc_hash::FxHashMap;

/// Instructions that only order memory accesses, or wait.
const BARRIERS: [&str; 9] =
    ["", "mfence", "lfence", "sfence", "pause", "rep; nop", "rep;nop", "nop", "lock; addl $0,0(%%rsp)"];

pub(super) struct Lowering<'a> {
    pub(super) unit: &'a Unit,
    pub(super) flow: Flow,
    /// Where the next edge starts.
    pub(super) at: Loc,
    pub(super) span: Span,
    slots: FxHashMap<ObjectId, Slot>,
    labels: Vec<Loc>,
    /// Labels whose address is taken.
    pub(super) addressed: Vec<Loc>,
    jumps: Vec<(Loc, ValueId, Span)>,
    breaks: Vec<Loc>,
    continues: Vec<Loc>,
    switches: Vec<Switch>,
    pub(super) effects: FxHashMap<ExprId, bool>,
}

/// A `switch` whose body is being lowered.
struct Switch {
    cases: Vec<(i128, i128, Loc)>,
    default: Option<Loc>,
}

/// The automaton of a function.
pub(super) fn lower(unit: &Unit, index: usize) -> Option<Flow> {
    let function = &unit.functions[index];
    let body = function.body?;
    let flow = Flow {
        object: function.object,
        params: Vec::new(),
        slots: Vec::new(),
        temps: Vec::new(),
        locations: 2,
        entry: Loc(0),
        exit: Loc(1),
        edges: Vec::new(),
        values: Vec::new(),
        first: Vec::new(),
    };
    let mut l = Lowering {
        unit,
        flow,
        at: Loc(0),
        span: function.span,
        slots: FxHashMap::default(),
        labels: Vec::new(),
        addressed: Vec::new(),
        jumps: Vec::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        switches: Vec::new(),
        effects: FxHashMap::default(),
    };
    for _ in &function.labels {
        let loc = l.location();
        l.labels.push(loc);
    }
    let mut params = Vec::with_capacity(function.params.len());
    for &p in &function.params {
        let slot = l.slot(p);
        params.push(slot);
    }
    l.statement(body);
    // What falls off the end returns nothing; of `main` it returns 0.
    let is_main = unit.object_name(function.object) == "main";
    let result = unit.types.signature(unit.object(function.object).ty.ty).map(|s| s.result.ty);
    let value = match result.and_then(|ty| Scalar::of(&unit.types, ty)) {
        Some(scalar) if is_main => Some(Arg::Scalar(l.int(0, scalar), scalar)),
        _ => None,
    };
    let exit = l.flow.exit;
    l.edge_to(exit, Op::Return(value));
    l.finish_jumps();
    let declared: Vec<Option<Scalar>> =
        l.flow.slots.iter().map(|s| Scalar::of(&unit.types, unit.object(s.object?).ty.ty)).collect();
    promote(&mut l.flow, &params, unit.types.pointer_size(), |slot| declared[slot.0 as usize]);
    shorten(&mut l.flow.edges, &mut l.flow.entry, l.flow.locations, &l.addressed);
    Some(finish(l.flow))
}

/// Drops what cannot be reached, and sorts edges by where they start.
fn finish(mut flow: Flow) -> Flow {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); flow.locations as usize];
    for (i, e) in flow.edges.iter().enumerate() {
        out[e.from.0 as usize].push(i);
    }
    let mut number: Vec<Option<u32>> = vec![None; flow.locations as usize];
    let mut order = vec![flow.entry, flow.exit];
    number[flow.entry.0 as usize] = Some(0);
    number[flow.exit.0 as usize] = Some(1);
    let mut next = 0;
    while let Some(&loc) = order.get(next) {
        next += 1;
        for &e in &out[loc.0 as usize] {
            let to = flow.edges[e].to;
            if number[to.0 as usize].is_none() {
                number[to.0 as usize] = Some(order.len() as u32);
                order.push(to);
            }
        }
    }
    let renumbered = |loc: Loc| number[loc.0 as usize].map(Loc);
    let mut edges: Vec<Edge> = flow
        .edges
        .drain(..)
        .filter_map(|e| Some(Edge { from: renumbered(e.from)?, to: renumbered(e.to)?, ..e }))
        .collect();
    edges.sort_by_key(|e| e.from);
    for value in &mut flow.values {
        if let Value::Label(loc) = value {
            // A label that is not reached is never jumped to; any number does.
            *loc = renumbered(*loc).unwrap_or(flow.exit);
        }
    }
    flow.locations = order.len() as u32;
    flow.entry = Loc(0);
    flow.exit = Loc(1);
    flow.first = vec![0; flow.locations as usize + 1];
    for e in &edges {
        flow.first[e.from.0 as usize + 1] += 1;
    }
    for i in 1..flow.first.len() {
        flow.first[i] += flow.first[i - 1];
    }
    flow.edges = edges;
    flow
}

impl Lowering<'_> {
    pub(super) fn location(&mut self) -> Loc {
        self.flow.locations += 1;
        Loc(self.flow.locations - 1)
    }

    /// Adds an edge from here to `to`.
    pub(super) fn edge_to(&mut self, to: Loc, op: Op) {
        self.flow.edges.push(Edge { from: self.at, to, op, span: self.span });
    }

    /// Adds an edge and goes on behind it.
    pub(super) fn emit(&mut self, op: Op) {
        let to = self.location();
        self.edge_to(to, op);
        self.at = to;
    }

    /// Goes to `to` by doing nothing, and on from there.
    pub(super) fn go(&mut self, to: Loc) {
        self.edge_to(to, Op::Skip);
        self.at = to;
    }

    pub(super) fn add(&mut self, value: Value) -> ValueId {
        self.flow.values.push(value);
        ValueId(self.flow.values.len() as u32 - 1)
    }

    pub(super) fn int(&mut self, value: i128, scalar: Scalar) -> ValueId {
        self.add(Value::Int(value, scalar))
    }

    pub(super) fn temp(&mut self, scalar: Scalar) -> Temp {
        self.flow.temps.push(TempInfo { scalar, object: None });
        Temp(self.flow.temps.len() as u32 - 1)
    }

    /// Memory for an object of the call.
    pub(super) fn slot(&mut self, object: ObjectId) -> Slot {
        if let Some(&slot) = self.slots.get(&object) {
            return slot;
        }
        let ty = self.unit.object(object).ty.ty;
        let size = match self.unit.types.size(ty) {
            Some(size) => size,
            None => {
                self.refuse("an array whose length is told when the program runs");
                0
            }
        };
        let slot = self.new_slot(Some(object), size);
        self.slots.insert(object, slot);
        slot
    }

    pub(super) fn new_slot(&mut self, object: Option<ObjectId>, size: u64) -> Slot {
        self.flow.slots.push(SlotInfo { object, size });
        Slot(self.flow.slots.len() as u32 - 1)
    }

    pub(super) fn refuse(&mut self, what: &str) {
        self.emit(Op::Refused(what.to_string()));
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        Scalar::of(&self.unit.types, ty)
    }

    /// The location of a label whose address is taken.
    pub(super) fn label_address(&mut self, label: crate::tree::LabelId) -> Loc {
        let loc = self.labels[label.0 as usize];
        if !self.addressed.contains(&loc) {
            self.addressed.push(loc);
        }
        loc
    }

    /// Edges of computed jumps, to every label whose address is taken.
    fn finish_jumps(&mut self) {
        for (from, value, span) in std::mem::take(&mut self.jumps) {
            (self.at, self.span) = (from, span);
            if self.addressed.is_empty() {
                let exit = self.flow.exit;
                self.edge_to(exit, Op::Refused("a jump to an address that no label here has".to_string()));
            }
            for to in self.addressed.clone() {
                self.edge_to(to, Op::Jump(value));
            }
        }
    }

    /// Leaves a place from which nothing goes on.
    fn leave(&mut self) {
        self.at = self.location();
    }

    pub(super) fn statement(&mut self, id: StmtId) {
        let unit = self.unit;
        match unit.stmt(id) {
            Stmt::Empty => {}
            Stmt::Expr(e) => {
                self.span = unit.expr(*e).span;
                self.effect(*e);
            }
            Stmt::Block(list) => list.iter().for_each(|&s| self.statement(s)),
            Stmt::Declare(objects) => objects.iter().for_each(|&o| self.declare(o)),
            Stmt::If(..) => self.if_chain(id),
            Stmt::While(c, body) => {
                let (head, inside, end) = (self.location(), self.location(), self.location());
                self.go(head);
                self.branch(*c, inside, end);
                self.at = inside;
                self.loop_body(*body, head, end);
                self.edge_to(head, Op::Skip);
                self.at = end;
            }
            Stmt::DoWhile(body, c) => {
                let (head, test, end) = (self.location(), self.location(), self.location());
                self.go(head);
                self.loop_body(*body, test, end);
                self.go(test);
                self.branch(*c, head, end);
                self.at = end;
            }
            Stmt::For(first, c, step, body) => {
                if let Some(first) = first {
                    self.statement(*first);
                }
                let (head, inside, next, end) = (self.location(), self.location(), self.location(), self.location());
                self.go(head);
                match c {
                    Some(c) => self.branch(*c, inside, end),
                    None => self.edge_to(inside, Op::Skip),
                }
                self.at = inside;
                self.loop_body(*body, next, end);
                self.go(next);
                if let Some(step) = step {
                    self.span = unit.expr(*step).span;
                    self.effect(*step);
                }
                self.edge_to(head, Op::Skip);
                self.at = end;
            }
            Stmt::Switch(e, body) => self.switch(*e, *body),
            Stmt::Case(..) | Stmt::Default(_) => self.cases(id),
            Stmt::Label(label, inner) => {
                let loc = self.labels[label.0 as usize];
                self.go(loc);
                self.statement(*inner);
            }
            Stmt::Goto(label) => {
                let loc = self.labels[label.0 as usize];
                self.edge_to(loc, Op::Skip);
                self.leave();
            }
            Stmt::GotoAddress(e) => {
                self.span = unit.expr(*e).span;
                let value = self.value(*e);
                self.jumps.push((self.at, value, self.span));
                self.leave();
            }
            Stmt::Break => {
                if let Some(&to) = self.breaks.last() {
                    self.edge_to(to, Op::Skip);
                }
                self.leave();
            }
            Stmt::Continue => {
                if let Some(&to) = self.continues.last() {
                    self.edge_to(to, Op::Skip);
                }
                self.leave();
            }
            Stmt::Return(e) => {
                let value = e.and_then(|e| {
                    self.span = unit.expr(e).span;
                    self.argument(e)
                });
                let exit = self.flow.exit;
                self.edge_to(exit, Op::Return(value));
                self.leave();
            }
            Stmt::Asm(asm) => self.assembly(asm),
        }
    }

    fn assembly(&mut self, asm: &Asm) {
        let text = asm.template.trim_matches(|c: char| c.is_whitespace() || c == ';');
        let known = BARRIERS.contains(&text) && asm.labels.is_empty();
        // An empty text with operands keeps a compiler from looking through values; it changes none that we keep.
        if known {
            self.emit(Op::Fence);
        } else {
            self.refuse(&format!("inline assembly: {text}"));
        }
    }

    fn loop_body(&mut self, body: StmtId, next: Loc, end: Loc) {
        self.breaks.push(end);
        self.continues.push(next);
        self.statement(body);
        self.breaks.pop();
        self.continues.pop();
    }

    /// Chains of `else if` are lowered in turn.
    fn if_chain(&mut self, id: StmtId) {
        let end = self.location();
        let mut at = Some(id);
        while let Some(id) = at {
            let Stmt::If(c, then, otherwise) = *self.unit.stmt(id) else {
                self.statement(id);
                break;
            };
            let (yes, no) = (self.location(), self.location());
            self.branch(c, yes, no);
            self.at = yes;
            self.statement(then);
            self.edge_to(end, Op::Skip);
            self.at = no;
            at = otherwise;
        }
        self.go(end);
    }

    fn switch(&mut self, e: ExprId, body: StmtId) {
        self.span = self.unit.expr(e).span;
        let span = self.span;
        let Some(scalar) = self.scalar(self.unit.expr(e).ty.ty) else {
            self.refuse("a switch over this type");
            return;
        };
        let value = self.value(e);
        let value = self.kept(value);
        let (head, end) = (self.at, self.location());
        self.switches.push(Switch { cases: Vec::new(), default: None });
        self.breaks.push(end);
        // What stands before the first `case` is not reached.
        self.leave();
        self.statement(body);
        self.edge_to(end, Op::Skip);
        self.breaks.pop();
        let switch = self.switches.pop().expect("it was pushed");
        (self.at, self.span) = (head, span);
        for (low, high, to) in switch.cases {
            self.edge_to(to, Op::Case(value, scalar, low, high));
        }
        self.edge_to(switch.default.unwrap_or(end), Op::NoCase(value));
        self.at = end;
    }

    fn cases(&mut self, id: StmtId) {
        let here = self.location();
        self.go(here);
        let mut at = id;
        loop {
            let inner = match *self.unit.stmt(at) {
                Stmt::Case(low, high, inner) => {
                    if let Some(switch) = self.switches.last_mut() {
                        switch.cases.push((low, high, here));
                    }
                    inner
                }
                Stmt::Default(inner) => {
                    if let Some(switch) = self.switches.last_mut() {
                        switch.default = Some(here);
                    }
                    inner
                }
                _ => break,
            };
            at = inner;
        }
        self.statement(at);
    }

    /// An object of a block begins to live.
    pub(super) fn declare(&mut self, id: ObjectId) {
        let object = self.unit.object(id);
        if object.storage != Storage::Automatic {
            return;
        }
        self.span = object.span;
        let slot = self.slot(id);
        self.emit(Op::Enter(slot));
        let address = self.add(Value::Local(slot));
        self.initialise(id, address);
    }

    /// Stores the initial value of an object, all zero before, at an address.
    pub(super) fn initialise(&mut self, id: ObjectId, address: ValueId) {
        let unit = self.unit;
        for part in unit.object(id).init.iter().flatten() {
            self.span = unit.expr(part.value).span;
            let at = self.moved(address, part.offset as i64);
            match self.scalar(part.ty.ty) {
                Some(scalar) => {
                    let value = self.value(part.value);
                    self.emit(Op::Store(at, value, scalar, part.bits));
                }
                None => {
                    let bytes = unit.types.size(part.ty.ty).unwrap_or(0);
                    let own = unit.types.size(unit.expr(part.value).ty.ty).unwrap_or(0);
                    let from = match unit.expr(part.value).kind {
                        ExprKind::Str(_) | ExprKind::Compound(_) => self.address(part.value),
                        _ => self.record(part.value),
                    };
                    self.emit(Op::Copy(at, from, bytes.min(own)));
                }
            }
        }
    }
}
