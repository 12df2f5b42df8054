//! Embedded C, as far as lowering looks at it: what each fragment touches, and the memory beside the variables that is part of
//! the state. What the C means was found out before, and what it does stands behind [`ferrospin_model::code::Code`].

use crate::Lowering;
use crate::variables::{AreaBuilder, field_offset, scalar, size_of};
use ferrospin_model::ir::{Area, Call, Expr, Index, Init, Leaf, Place, Scalar, Show};
use ferrospin_promela::ast::CFragment;
use ferrospin_promela::embedded::Kind;
use ferrospin_promela::names::{BodyId, Ty, Var, VarId};
use ferrospin_source::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Memory of C that is part of the state.
#[derive(Clone, Debug)]
pub struct Object {
    /// What people read.
    pub name: Arc<str>,
    /// Bytes.
    pub size: u32,
    /// The process type in whose frames it lies; `None` for one that is there once.
    pub body: Option<BodyId>,
    /// Its first bytes.
    pub init: Vec<u8>,
    /// It is restored, but two states that differ in it alone are one.
    pub unmatched: bool,
    /// Where it is declared.
    pub span: Span,
}

/// Something of the state that C can touch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Thing {
    /// A variable, whole.
    Var(VarId),
    /// An object, by position.
    Object(u32),
}

/// Something that C can ask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ask {
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_nr_qs`
    ChannelCount,
}

/// Which fragment. The same text in the same process type means the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The process type it stands in, or none.
    pub body: Option<BodyId>,
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// Its precondition.
    pub precondition: Option<String>,
}

impl Key {
    /// The key of a fragment.
    pub fn new(body: Option<BodyId>, kind: Kind, c: &CFragment) -> Key {
        Key { body, kind, text: c.text.clone(), precondition: c.precondition.clone() }
    }
}

/// What a fragment touches.
#[derive(Clone, Debug, Default)]
pub struct Fragment {
    /// Its number as code.
    pub code: u32,
    /// What it may read.
    pub reads: Vec<Thing>,
    /// What it may write.
    pub writes: Vec<Thing>,
    /// What it asks.
    pub asks: Vec<Ask>,
    /// Whether it may fail.
    pub may_fail: bool,
}

/// All embedded C of a model.
#[derive(Clone, Debug, Default)]
pub struct Embedded {
    /// Memory beside the variables.
    pub objects: Vec<Object>,
    /// What is run.
    pub fragments: HashMap<Key, Fragment>,
}

impl Lowering<'_> {
    /// Lays out the objects of a process type, or those that are there once.
    pub(super) fn lay_out_objects(&mut self, area: Area, b: &mut AreaBuilder, body: Option<BodyId>) {
        let Some(embedded) = self.options.embedded else { return };
        self.placed.resize(embedded.objects.len(), (Area::Global, 0));
        for (i, o) in embedded.objects.iter().enumerate().filter(|(_, o)| o.body == body) {
            let offset = b.cursor.take(u64::from(o.size));
            self.placed[i] = (area, offset);
            b.leaves.push(Leaf {
                name: o.name.clone(),
                offset,
                dims: vec![(o.size, 1)],
                scalar: Scalar::BYTE,
                show: Show::Number,
                span: o.span,
            });
            for (k, &byte) in o.init.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                let place = Place { area, offset: offset + k as u32, indices: Vec::new(), scalar: Scalar::BYTE };
                b.init.push((place, Init::Value(Expr::Const(byte.into()))));
            }
        }
    }

    /// A fragment as something that is run; `None` where nothing says what it means.
    pub(super) fn foreign(&mut self, kind: Kind, c: &CFragment) -> Option<Box<Call>> {
        self.model.uses.foreign = true;
        let key = Key::new(self.body, kind, c);
        let fragment = self.options.embedded?.fragments.get(&key)?;
        let places = |things: &[Thing]| things.iter().flat_map(|t| self.whole(*t)).collect();
        let ask = |a: &Ask| match a {
            Ask::Pid => Expr::Pid,
            Ask::ProcessCount => Expr::ProcessCount,
            Ask::ChannelCount => Expr::ChannelCount,
        };
        Some(Box::new(Call {
            code: fragment.code,
            args: fragment.asks.iter().map(ask).collect(),
            reads: places(&fragment.reads),
            writes: places(&fragment.writes),
            may_fail: fragment.may_fail,
        }))
    }

    /// All of a variable or object.
    fn whole(&self, thing: Thing) -> Vec<Place> {
        let mut out = Vec::new();
        match thing {
            Thing::Var(id) => {
                let (area, offset) = self.offsets[&id];
                self.whole_var(area, offset, &self.names.vars[id.index()], &[], &mut out);
            }
            Thing::Object(i) => {
                let (area, offset) = self.placed[i as usize];
                let size = self.options.embedded.map_or(0, |e| e.objects[i as usize].size);
                let indices = vec![Index { value: Expr::Foreign, len: size, stride: 1 }];
                out.push(Place { area, offset, indices, scalar: Scalar::BYTE });
            }
        }
        out
    }

    fn whole_var(&self, area: Area, offset: u32, var: &Var, outer: &[(u32, u32)], out: &mut Vec<Place>) {
        let mut dims = outer.to_vec();
        dims.extend(var.array.map(|n| (n, size_of(self.names, var.ty))));
        if let Ty::Record(r) = var.ty {
            for (i, f) in self.names.records[r.index()].fields.iter().enumerate() {
                let at = offset + field_offset(self.names, r, i as u32);
                self.whole_var(area, at, f, &dims, out);
            }
            return;
        }
        let (scalar, _) = scalar(var.ty).expect("not a record");
        let indices = dims.iter().map(|&(len, stride)| Index { value: Expr::Foreign, len, stride }).collect();
        out.push(Place { area, offset, indices, scalar });
    }
}
