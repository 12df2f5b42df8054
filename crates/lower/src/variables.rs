//! Where variables stand in the state: records spread, arrays with their strides, channels behind the variables.

use crate::Lowering;
use crate::mutant::Guard;
use ferrospin_model::ir::{Area, Channel, Expr, Index, Init, Leaf, Place, Scalar, Show};
use ferrospin_model::sizes::{Cursor, in_state};
use ferrospin_promela::ast;
use ferrospin_promela::names::{self, Def, Names, RecordId, Ty, Var, VarId};
use ferrospin_source::Span;
use std::sync::Arc;

/// An area of the state while it is being laid out.
#[derive(Default)]
pub(super) struct AreaBuilder {
    pub(super) cursor: Cursor,
    pub(super) leaves: Vec<Leaf>,
    pub(super) channels: Vec<Channel>,
    pub(super) init: Vec<(Place, Init)>,
}

impl AreaBuilder {
    /// A local scalar that the program does not name.
    pub(super) fn hidden(&mut self, name: String, scalar: Scalar, span: Span) -> Place {
        let offset = self.cursor.take(u64::from(scalar.size()));
        let leaf = Leaf { name: name.into(), offset, dims: Vec::new(), scalar, show: Show::Number, span };
        self.leaves.push(leaf);
        Place { area: Area::Local, offset, indices: Vec::new(), scalar }
    }
}

/// How a scalar type is kept and shown; `None` for records.
pub(super) fn scalar(ty: Ty) -> Option<(Scalar, Show)> {
    Some(match ty {
        Ty::Bit => (Scalar::Unsigned(1), Show::Number),
        Ty::Bool => (Scalar::Unsigned(1), Show::Bool),
        Ty::Byte | Ty::Pid => (Scalar::BYTE, Show::Number),
        Ty::Short => (Scalar::Short, Show::Number),
        Ty::Int => (Scalar::Int, Show::Number),
        Ty::Unsigned(n) => (Scalar::Unsigned(n), Show::Number),
        Ty::Mtype(id) => (Scalar::BYTE, Show::Mtype(id.0)),
        Ty::Chan => (Scalar::BYTE, Show::Channel),
        Ty::Record(_) => return None,
    })
}

/// Bytes of one value of a type.
pub(super) fn size_of(names: &Names, ty: Ty) -> u32 {
    in_state(names.bytes_of(ty))
}

/// Offset of a field in its record.
pub(super) fn field_offset(names: &Names, record: RecordId, field: u32) -> u32 {
    let mut cursor = Cursor::default();
    names.records[record.index()].fields[..field as usize].iter().for_each(|f| {
        cursor.take(names.bytes_of_var(f));
    });
    cursor.bytes()
}

/// Types of the leaves of a message field, records spread and their arrays unrolled.
pub(super) fn spread(names: &Names, ty: Ty, out: &mut Vec<(Scalar, Show)>) {
    match ty {
        Ty::Record(r) => {
            for f in &names.records[r.index()].fields {
                for _ in 0..f.array.unwrap_or(1) {
                    spread(names, f.ty, out);
                }
            }
        }
        _ => out.push(scalar(ty).expect("not a record")),
    }
}

impl Lowering<'_> {
    /// Lays out a variable, its leaves, the channels it creates and what it starts as.
    pub(super) fn lay_out(&mut self, area: Area, b: &mut AreaBuilder, id: VarId) {
        let var = self.names.vars[id.index()].clone();
        let offset = b.cursor.take(self.names.bytes_of_var(&var));
        self.offsets.insert(id, (area, offset));
        let name = if var.block == 0 { var.name.clone() } else { self.block_name(&var) };
        self.leaves(b, &var, name, offset, &[]);
        if var.param.is_none() && (var.at_head || self.mutant.lacks(Guard::InitialAtHead)) {
            self.initial(area, b, &var, offset);
        } else if var.param.is_none() && matches!(var.ty, Ty::Record(_)) {
            // Fields of a record declared in mid-body are set at birth.
            self.initial(area, b, &var, offset);
        }
    }

    /// Variables of different blocks may share a name; people then see the line of the declaration with it.
    fn block_name(&self, var: &Var) -> Arc<str> {
        let twice = self.names.vars.iter().filter(|v| v.name == var.name && v.body == var.body).count() > 1;
        match self.map.position(var.at.0) {
            Some(p) if twice => format!("{}@{}", var.name, p.line).into(),
            _ => var.name.clone(),
        }
    }

    fn leaves(&self, b: &mut AreaBuilder, var: &Var, name: Arc<str>, offset: u32, outer: &[(u32, u32)]) {
        let mut dims = outer.to_vec();
        if let Some(n) = var.array {
            dims.push((n, size_of(self.names, var.ty)));
        }
        match var.ty {
            Ty::Record(r) => {
                let record = &self.names.records[r.index()];
                let mark = if var.array.is_some() { "[]" } else { "" };
                for (i, f) in record.fields.iter().enumerate() {
                    let at = offset + field_offset(self.names, r, i as u32);
                    self.leaves(b, f, format!("{name}{mark}.{}", f.name).into(), at, &dims);
                }
            }
            ty => {
                let (scalar, show) = scalar(ty).expect("not a record");
                b.leaves.push(Leaf { name, offset, dims, scalar, show, span: var.at.0 });
            }
        }
    }

    /// Whether all elements and fields start as zero.
    fn starts_as_zero(&self, var: &Var) -> bool {
        match var.ty {
            Ty::Record(r) => self.names.records[r.index()].fields.iter().all(|f| self.starts_as_zero(f)),
            _ => matches!(var.init, names::Init::Zero),
        }
    }

    /// What a variable at `offset` starts as, element by element.
    fn initial(&mut self, area: Area, b: &mut AreaBuilder, var: &Var, offset: u32) {
        // Arrays may have millions of elements, and mostly there is nothing to say of any.
        if self.starts_as_zero(var) {
            return;
        }
        let size = size_of(self.names, var.ty);
        for i in 0..var.array.unwrap_or(1) {
            let at = offset + i * size;
            if let Ty::Record(r) = var.ty {
                for (k, f) in self.names.records[r.index()].fields.clone().iter().enumerate() {
                    let at = at + field_offset(self.names, r, k as u32);
                    self.initial(area, b, f, at);
                }
                continue;
            }
            let (scalar, _) = scalar(var.ty).expect("not a record");
            let place = Place { area, offset: at, indices: Vec::new(), scalar };
            match &var.init {
                names::Init::Zero => {}
                names::Init::Expr(e) => {
                    let value = self.expr(e);
                    if value != Expr::Const(0) {
                        b.init.push((place, Init::Value(value)));
                    }
                }
                names::Init::List(list) => {
                    // A list that is too short goes on with its last value, as in SPIN.
                    if let Some(&v) = list.get(i as usize).or(list.last()) {
                        b.init.push((place, Init::Value(Expr::Const(v))));
                    }
                }
                names::Init::Chan { capacity, fields } => {
                    let mut spread_fields = Vec::new();
                    fields.iter().for_each(|&t| spread(self.names, t, &mut spread_fields));
                    let name: Arc<str> =
                        if var.array.is_some() { format!("{}[{i}]", var.name).into() } else { var.name.clone() };
                    b.init.push((place, Init::Channel(b.channels.len() as u32)));
                    b.channels.push(Channel { name, capacity: *capacity, fields: spread_fields, offset: 0 });
                }
            }
        }
    }

    /// A hidden local that counts the turns of a `for` over a channel, one per scope.
    pub(super) fn hidden_counter(&mut self, scope: u32, container: &ast::VarRef) -> Place {
        let capacity = match self.var_of(container).map(|v| v.init.clone()) {
            Some(names::Init::Chan { capacity, .. }) => capacity,
            _ => 0,
        };
        let scalar = if capacity > 255 { Scalar::Short } else { Scalar::BYTE };
        if let Some(p) = self.counters.get(&scope) {
            return p.clone();
        }
        let place = self.frame.hidden(format!("for_{scope}"), scalar, container.at.0);
        self.counters.insert(scope, place.clone());
        place
    }

    /// The variable or field a reference ends at.
    pub(super) fn var_of(&self, r: &ast::VarRef) -> Option<&Var> {
        match self.names.def(&r.path.last()?.name)? {
            Def::Var(v) => Some(&self.names.vars[v.index()]),
            Def::Field(rec, i) => Some(&self.names.records[rec.index()].fields[i as usize]),
            _ => None,
        }
    }

    /// Length of the array a reference names as a whole.
    pub(super) fn array_len(&self, r: &ast::VarRef) -> Option<u32> {
        if r.path.last()?.index.is_some() {
            return None;
        }
        self.var_of(r)?.array
    }

    /// The step a declaration in mid-body is; nothing for those at the head, whose initialisers run at birth.
    pub(super) fn declaration_step(&mut self, d: &ast::Declarator) -> Option<ferrospin_model::ir::Action> {
        use ferrospin_model::ir::Action;
        let Some(Def::Var(id)) = self.names.def(&d.name) else { return None };
        let var = self.names.vars[id.index()].clone();
        if var.at_head {
            return None;
        }
        let Some((scalar, _)) = scalar(var.ty) else { return Some(Action::NOTHING) };
        let (area, offset) = self.offsets[&id];
        // Of an array only the first element is set, as SPIN does it; the others keep what they hold.
        let place = Place { area, offset, indices: Vec::new(), scalar };
        let value = match &var.init {
            names::Init::Expr(e) => self.expr(e),
            names::Init::List(list) => Expr::Const(list.first().copied().unwrap_or(0)),
            names::Init::Zero | names::Init::Chan { .. } => Expr::Const(0),
        };
        Some(Action::Assign(place, value))
    }

    /// The place that a reference to a variable means.
    pub(super) fn place(&mut self, r: &ast::VarRef) -> Place {
        let first = self.leaf_places(r).into_iter().next();
        first.unwrap_or_else(|| panic!("`{}` is a variable: all else was refused", r.path[0].name.name))
    }

    /// The places of all leaves of what a reference means: one for a scalar, several for a record.
    pub(super) fn leaf_places(&mut self, r: &ast::VarRef) -> Vec<Place> {
        let Some(Def::Var(id)) = r.path.first().and_then(|s| self.names.def(&s.name)) else { return Vec::new() };
        let Some(&(area, mut offset)) = self.offsets.get(&id) else { return Vec::new() };
        let mut var = self.names.vars[id.index()].clone();
        let mut indices = Vec::new();
        for (i, segment) in r.path.iter().enumerate() {
            if i > 0 {
                let Some(Def::Field(rec, k)) = self.names.def(&segment.name) else { return Vec::new() };
                offset += field_offset(self.names, rec, k);
                var = self.names.records[rec.index()].fields[k as usize].clone();
            }
            if let Some(len) = var.array {
                let stride = size_of(self.names, var.ty);
                let value = segment.index.as_ref().map_or(Expr::Const(0), |e| self.expr(e));
                match value {
                    Expr::Const(c) if c >= 0 && ((c as u32) < len || self.mutant.lacks(Guard::IndexInside)) => {
                        offset += c as u32 * stride
                    }
                    value => indices.push(Index { value, len, stride }),
                }
            }
        }
        let mut out = Vec::new();
        self.spread_place(area, offset, &indices, var.ty, &mut out);
        out
    }

    fn spread_place(&self, area: Area, offset: u32, indices: &[Index], ty: Ty, out: &mut Vec<Place>) {
        match ty {
            Ty::Record(r) => {
                for (i, f) in self.names.records[r.index()].fields.iter().enumerate() {
                    let base = offset + field_offset(self.names, r, i as u32);
                    for k in 0..f.array.unwrap_or(1) {
                        self.spread_place(area, base + k * size_of(self.names, f.ty), indices, f.ty, out);
                    }
                }
            }
            _ => {
                let scalar = scalar(ty).expect("not a record").0;
                out.push(Place { area, offset, indices: indices.to_vec(), scalar });
            }
        }
    }
}
