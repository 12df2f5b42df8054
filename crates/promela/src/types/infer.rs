//! The state of an inference run: nodes of variables, places, and the order of work.

use super::graph::{Graph, Group, NodeId, Reason, Tuple, TypeShape};
use super::message::{Message, Misfit};
use super::number::{Entry, Range, Role};
use super::{ChannelType, Options, Types, show};
use crate::ast::{Expr, Program, Unit, VarRef};
use crate::lints::{Said, constant, error, warning};
use crate::names::{BodyId, Builtin, Def, Init, MtypeId, Names, RecordId, Ty, Var, VarId};
use ferrospin_source::{Diagnostics, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// A record with more fields than this is one field of a message rather than spread.
const SPREAD_MAX: usize = 256;

/// The type of an expression.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// Embedded C, or a name that means nothing: fits everywhere.
    Unknown,
    /// A number.
    Number {
        range: Range,
        /// Whether the value is known.
        constant: bool,
    },
    /// A truth value.
    Bool,
    /// A constant of a list.
    Mtype(MtypeId),
    /// A process number, where these are no numbers.
    Pid,
    /// A channel.
    Chan(NodeId),
    /// A record.
    Record(RecordId, Place),
}

impl Type {
    /// The literal 0, which also stands for "no channel" and "no mtype value".
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Type::Number { range: Range { lo: 0, hi: 0 }, .. })
    }
}

/// A variable, or a field of one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    pub(super) var: VarId,
    pub(super) path: Vec<u32>,
}

/// The fields of a record, spread: the path to each and its type.
pub(super) type Spread = Rc<[(Vec<u32>, Ty)]>;

/// An inference run.
pub(super) struct Checker<'a> {
    pub(super) map: &'a SourceMap,
    pub(super) names: &'a Names,
    pub(super) options: Options,
    pub(super) graph: Graph,
    pub(super) said: Said<'a>,
    /// Sends, receives and polls.
    pub(super) messages: Vec<Message>,
    /// Messages whose channel has a known layout.
    pub(super) ready: BinaryHeap<Reverse<u32>>,
    /// How many messages were dealt with, and which.
    pub(super) solved: Vec<bool>,
    /// What does not fit.
    pub(super) misfits: Vec<Misfit>,
    /// How many clashes were explained.
    pub(super) explained: usize,
    /// With `poly`: bodies whose types are settled.
    pub(super) settled: Vec<bool>,
    nodes: FxHashMap<Place, NodeId>,
    spreads: FxHashMap<RecordId, Option<Spread>>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(map: &'a SourceMap, names: &'a Names, options: Options) -> Self {
        Self {
            map,
            names,
            options,
            graph: Graph::default(),
            said: Said::new(map),
            messages: Vec::new(),
            ready: BinaryHeap::new(),
            solved: Vec::new(),
            misfits: Vec::new(),
            explained: 0,
            settled: vec![false; names.bodies.len()],
            nodes: FxHashMap::default(),
            spreads: FxHashMap::default(),
        }
    }

    /// Collects and solves the constraints of a whole model.
    pub(super) fn run(&mut self, program: &Program) {
        for unit in &program.units {
            if let Unit::Decl(decl) = unit {
                self.declaration(decl);
            }
        }
        for group in super::poly::groups(program, self.names, self.options.poly) {
            for &unit in &group {
                self.unit(&program.units[unit]);
            }
            self.solve();
            self.settle(&group);
        }
        self.report_misfits();
        self.check_fields();
    }

    /// Marks the bodies of a group as settled.
    fn settle(&mut self, units: &[usize]) {
        for (settled, body) in self.settled.iter_mut().zip(&self.names.bodies) {
            *settled |= units.contains(&body.unit);
        }
    }

    /// The result.
    pub(super) fn finish(mut self) -> (Types, Diagnostics) {
        let mut channels = Vec::new();
        for (i, var) in self.names.vars.iter().enumerate() {
            let id = VarId(i as u32);
            let prefix = match var.body {
                Some(body) => format!("{}.{}", self.names.bodies[body.index()].name, var.name),
                None => var.name.to_string(),
            };
            match var.ty {
                Ty::Chan => channels.push((id, Vec::new(), prefix, var.at.0)),
                Ty::Record(record) => {
                    for (path, ty) in self.spread(record).iter().flat_map(|s| s.iter()) {
                        let known: Option<&(VarId, Vec<u32>, String, Span)> = channels.last();
                        // Elements of an array in a record share one node.
                        if *ty == Ty::Chan && known.is_none_or(|(v, p, ..)| (*v, p) != (id, path)) {
                            let name = self.path_name(&prefix, record, path);
                            channels.push((id, path.clone(), name, var.at.0));
                        }
                    }
                }
                _ => {}
            }
        }
        // Channels of one class have one text.
        let mut shown: FxHashMap<NodeId, String> = FxHashMap::default();
        let channels = channels
            .into_iter()
            .map(|(var, path, name, span)| {
                let node = self.channel_of(&Place { var, path: path.clone() });
                let layout = shown
                    .entry(self.graph.find(node))
                    .or_insert_with(|| show::show(&self.graph, self.names, node))
                    .clone();
                (ChannelType { var, path, name, span, layout }, node)
            })
            .collect();
        (Types { graph: self.graph, channels }, self.said.finish())
    }

    fn path_name(&self, prefix: &str, mut record: RecordId, path: &[u32]) -> String {
        let mut name = prefix.to_owned();
        for &field in path {
            let Some(var) = self.field(record, field) else { break };
            name.push('.');
            name.push_str(&var.name);
            if let Ty::Record(inner) = var.ty {
                record = inner;
            }
        }
        name
    }

    fn field(&self, record: RecordId, field: u32) -> Option<&'a Var> {
        self.names.records.get(record.index())?.fields.get(field as usize)
    }

    /// The declaration of a place.
    fn var_of(&self, place: &Place) -> &'a Var {
        let names = self.names;
        let mut var = &names.vars[place.var.index()];
        for &field in &place.path {
            let Ty::Record(record) = var.ty else { break };
            let Some(next) = self.field(record, field) else { break };
            var = next;
        }
        var
    }

    /// The node of a channel; elements of an array share one.
    pub(super) fn channel_of(&mut self, place: &Place) -> NodeId {
        if let Some(&node) = self.nodes.get(place) {
            return node;
        }
        let node = self.graph.channel();
        self.nodes.insert(place.clone(), node);
        let var = self.var_of(place);
        if let Init::Chan { fields, .. } = &var.init {
            let span = var.at.0;
            let mut spread = Vec::new();
            let mut groups = Vec::new();
            for &ty in fields {
                self.declared_field(ty, span, &mut spread, &mut groups);
            }
            let tuple = self.graph.tuple(Tuple { fields: spread, groups, span, channel: node, declared: true });
            let message = self.graph.message(node).expect("a channel");
            // The message of a new channel is unknown, so this cannot clash.
            let reason = Reason { span, cause: super::graph::Cause::Assigned, subject: span, object: span };
            let _ = self.graph.unify(message, tuple, super::graph::Why::Source(reason));
            self.graph.commit(|_| ());
        }
        node
    }

    fn declared_field(&mut self, ty: Ty, span: Span, fields: &mut Vec<NodeId>, groups: &mut Vec<Group>) {
        if let Ty::Record(record) = ty
            && let Some(spread) = self.spread(record)
        {
            groups.push(Group { at: fields.len() as u32, len: spread.len() as u32, record });
            for (_, ty) in spread.iter() {
                self.declared_field(*ty, span, fields, groups);
            }
            return;
        }
        let node = match ty {
            Ty::Chan => self.graph.channel(),
            Ty::Mtype(id) => self.graph.node(TypeShape::Mtype(id)),
            Ty::Record(id) => self.graph.node(TypeShape::Record(id)),
            Ty::Pid if self.options.strict_pid => self.graph.node(TypeShape::Pid),
            _ => {
                let range = Range::of_type(ty).unwrap_or(Range::INT);
                let role = Role::Declared(ty);
                self.number_node(Entry { role, range, truth: ty == Ty::Bool, constant: false, span })
            }
        };
        fields.push(node);
    }

    /// A new node for a number in a message.
    pub(super) fn number_node(&mut self, entry: Entry) -> NodeId {
        // Zero also stands for "no channel" and "no value", so that it alone says nothing of the kind.
        let zero = entry.constant && entry.range == Range::of(0) && !entry.truth;
        let node = self.graph.node(if zero { TypeShape::Unknown } else { TypeShape::Number });
        self.graph.add_entry(node, entry);
        node
    }

    /// The fields of a record in the order in which SPIN sends them; `None` when there are too many.
    pub(super) fn spread(&mut self, record: RecordId) -> Option<Spread> {
        if let Some(known) = self.spreads.get(&record) {
            return known.clone();
        }
        let mut fields = Vec::new();
        let fits = self.spread_into(record, &mut Vec::new(), &mut fields);
        let spread = (fits && !fields.is_empty()).then(|| fields.into());
        self.spreads.insert(record, spread.clone());
        spread
    }

    fn spread_into(&self, record: RecordId, path: &mut Vec<u32>, fields: &mut Vec<(Vec<u32>, Ty)>) -> bool {
        let Some(definition) = self.names.records.get(record.index()) else { return false };
        if path.len() > 16 {
            return false;
        }
        for (i, var) in definition.fields.iter().enumerate() {
            path.push(i as u32);
            for _ in 0..var.array.unwrap_or(1) {
                let fits = match var.ty {
                    Ty::Record(inner) => self.spread_into(inner, path, fields),
                    ty => {
                        fields.push((path.clone(), ty));
                        true
                    }
                };
                if !fits || fields.len() > SPREAD_MAX {
                    return false;
                }
            }
            path.pop();
        }
        true
    }

    /// The type of a reference, and of the indices in it.
    pub(super) fn place(&mut self, reference: &VarRef) -> Type {
        let names = self.names;
        let mut found: Option<(Place, &'a Var)> = None;
        let mut known = true;
        for (i, segment) in reference.path.iter().enumerate() {
            let def = names.def(&segment.name);
            found = match (def, found.take()) {
                (Some(Def::Var(id)), None) if i == 0 => {
                    names.vars.get(id.index()).map(|var| (Place { var: id, path: Vec::new() }, var))
                }
                (Some(Def::Field(record, field)), Some((mut place, _))) => {
                    place.path.push(field);
                    self.field(record, field).map(|var| (place, var))
                }
                (Some(Def::MtypeConst(id, _)), None) if i == 0 => return Type::Mtype(id),
                (Some(Def::Builtin(builtin)), None) if i == 0 => return self.builtin(builtin),
                _ => None,
            };
            known &= found.is_some();
            if let Some(index) = &segment.index {
                let bound = found.as_ref().filter(|_| known).and_then(|(_, var)| var.array.map(|n| (n, &var.name)));
                self.index(index, bound.map(|(n, name)| (n, &**name)));
            }
        }
        match found {
            Some((place, var)) if known => self.type_of(var.ty, place),
            _ => Type::Unknown,
        }
    }

    /// The type of a place declared with `ty`.
    pub(super) fn type_of(&mut self, ty: Ty, place: Place) -> Type {
        match ty {
            Ty::Bool => Type::Bool,
            Ty::Mtype(id) => Type::Mtype(id),
            Ty::Chan => Type::Chan(self.channel_of(&place)),
            Ty::Record(record) => Type::Record(record, place),
            Ty::Pid => self.pid(),
            _ => Type::Number { range: Range::of_type(ty).unwrap_or(Range::INT), constant: false },
        }
    }

    /// The type of process numbers.
    pub(super) fn pid(&self) -> Type {
        if self.options.strict_pid { Type::Pid } else { Type::Number { range: Range::BYTE, constant: false } }
    }

    fn builtin(&self, builtin: Builtin) -> Type {
        match builtin {
            Builtin::Underscore => Type::Unknown,
            Builtin::Pid | Builtin::Last => self.pid(),
            Builtin::ProcessCount | Builtin::ChannelCount | Builtin::Priority => {
                Type::Number { range: Range::BYTE, constant: false }
            }
        }
    }

    /// Checks an index against the size of the array.
    fn index(&mut self, index: &Expr, bound: Option<(u32, &str)>) {
        let ty = self.expr(index);
        let span = index.at.0;
        match ty {
            Type::Mtype(_) | Type::Chan(_) | Type::Record(..) => {
                let kind = self.type_text(&ty);
                let message = format!("an index should be a number, not `{kind}`");
                self.said.push(warning("index", span, message).label(format!("`{kind}`")));
            }
            _ => {}
        }
        let (Some((size, name)), Some(value)) = (bound, constant::value(index)) else { return };
        if value < 0 || value >= i64::from(size) {
            let last = size.saturating_sub(1);
            let elements = format!("`{name}` has {size} element{}, 0 to {last}", if size == 1 { "" } else { "s" });
            let message = format!("index {value} is outside the array `{name}`");
            self.said.push(error("index", span, message).label(elements));
        }
    }

    /// The type of an expression as text.
    pub(super) fn type_text(&self, ty: &Type) -> String {
        match ty {
            Type::Unknown => "_".into(),
            Type::Number { range, .. } => range.name().into(),
            Type::Bool => "bool".into(),
            Type::Mtype(id) => show::mtype_name(self.names, *id),
            Type::Pid => "pid".into(),
            Type::Chan(node) => show::show(&self.graph, self.names, *node),
            Type::Record(id, _) => show::type_name(self.names, Ty::Record(*id)),
        }
    }

    /// The parameter of a process type at a position.
    pub(super) fn parameter(&self, body: BodyId, position: usize) -> Option<(VarId, &'a Var)> {
        let names = self.names;
        let id = *names.bodies[body.index()].vars.get(position)?;
        Some((id, &names.vars[id.index()]))
    }
}
