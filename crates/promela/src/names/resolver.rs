//! The state of a resolution and the walk over the units of a model.
//!
//! Units are visited in text order, because Promela declares before use; only process types are known everywhere
//! (`run` may name a later one). Checks that need the whole model (arities, priorities with rendezvous) are noted on
//! the way and made at the end.

use super::exprs::Place;
use super::scope::Body as OpenBody;
use super::{BodyId, Builtin, Def, LabelId, MtypeId, Names, RecordId, Var, VarId};
use crate::ast::{At, Expr, Ident, Program};
use ferrospin_source::{Diagnostic, Diagnostics, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is known of a variable beside its [`Var`] entry; same index.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    /// The number SPIN finds when the variable stands in an array bound; `None` where it finds none and crashes.
    pub(super) bound: Option<i32>,
    /// Whether the initialiser is a plain constant, as `active [n]` asks for.
    pub(super) constant: bool,
    /// The `mtype` list of the constants assigned so far; fixed by the declaration or by the first assignment.
    pub(super) list: Option<MtypeId>,
    /// Whether an inline has a parameter of this name, which makes SPIN allow a second declaration.
    pub(super) shadowed: bool,
}

/// A name at top level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Global {
    pub(super) def: Def,
    pub(super) at: Span,
}

/// Facts about the whole model, each with the first place that shows it.
#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    pub(super) rendezvous: Option<Span>,
    pub(super) enabled: Option<Span>,
    pub(super) priority: Option<Span>,
    pub(super) exclusive: Option<Span>,
    pub(super) trace: Option<Span>,
    /// Most fields of any channel.
    pub(super) fields_max: u32,
    /// Sends with their number of fields, to be compared with `fields_max`.
    pub(super) sends: Vec<(u32, Span, Arc<str>)>,
}

/// What follows from the fields of a structure type, found when it is defined: types nest, and walking them anew at
/// each use could take exponential time.
#[derive(Clone, Debug)]
pub(super) struct RecordFacts {
    /// How many message fields it takes.
    pub(super) spread: u32,
    /// Whether an array is somewhere inside.
    pub(super) array: bool,
    /// Why it cannot be part of a message, with the field that is to blame.
    pub(super) unfit: Option<(&'static str, Arc<str>, Span)>,
}

/// A channel as `xr` and `xs` know it: all variables of a structure type share their claims.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ClaimKey {
    Var(VarId),
    Field(RecordId, u32),
}

/// What is known behind the last unit of a model: all that a formula there may ask for.
#[derive(Clone, Default, Debug)]
pub(super) struct Scope {
    extras: Vec<Extra>,
    globals: FxHashMap<Arc<str>, Global>,
    proctypes: FxHashMap<Arc<str>, BodyId>,
    facts: Facts,
    labels: FxHashMap<(BodyId, Arc<str>), LabelId>,
    facts_of: Vec<RecordFacts>,
}

/// The resolver.
pub(super) struct Resolver<'a> {
    pub(super) map: &'a SourceMap,
    pub(super) program: &'a Program,
    pub(super) names: Names,
    pub(super) extras: Vec<Extra>,
    pub(super) globals: FxHashMap<Arc<str>, Global>,
    pub(super) records: FxHashMap<Arc<str>, RecordId>,
    pub(super) mtypes: FxHashMap<Arc<str>, MtypeId>,
    /// All process types, also later ones.
    pub(super) proctypes: FxHashMap<Arc<str>, BodyId>,
    /// The body being visited.
    pub(super) open: Option<OpenBody>,
    pub(super) facts: Facts,
    pub(super) runs: Vec<super::exprs::RunCall>,
    /// Channels claimed by `xr` and `xs`, with the claiming body.
    pub(super) claims: FxHashMap<(ClaimKey, bool), (BodyId, Span)>,
    /// The latest label of each name in a body.
    pub(super) labels: FxHashMap<(BodyId, Arc<str>), LabelId>,
    /// What is known of the structure types; same index.
    pub(super) facts_of: Vec<RecordFacts>,
    /// Inside a `typedef`: its fields so far, with what they mean in an array bound. Nothing else is visible there.
    pub(super) fields: Option<FxHashMap<Arc<str>, Option<i32>>>,
    /// Names before the one being declared in its list, with their places and what they mean in an array bound.
    pub(super) list: FxHashMap<Arc<str>, (Span, Option<i32>)>,
    /// Globals whose declaration was an error.
    pub(super) bad: FxHashSet<Arc<str>>,
    said: Diagnostics,
    said_at: FxHashSet<(&'static str, u32, u32, String)>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(map: &'a SourceMap, program: &'a Program) -> Self {
        let mut names = Names { uses: vec![None; program.ident_count as usize], ..Names::default() };
        names.mtypes.push(super::Mtype { name: "".into(), constants: Vec::new() });
        let mut globals = FxHashMap::default();
        for (name, builtin) in [
            ("_", Builtin::Underscore),
            ("_pid", Builtin::Pid),
            ("_last", Builtin::Last),
            ("_nr_pr", Builtin::ProcessCount),
            ("_priority", Builtin::Priority),
        ] {
            globals.insert(name.into(), Global { def: Def::Builtin(builtin), at: Span::NONE });
        }
        Resolver {
            map,
            program,
            names,
            extras: Vec::new(),
            globals,
            records: FxHashMap::default(),
            mtypes: FxHashMap::default(),
            proctypes: FxHashMap::default(),
            open: None,
            facts: Facts::default(),
            runs: Vec::new(),
            claims: FxHashMap::default(),
            labels: FxHashMap::default(),
            facts_of: Vec::new(),
            fields: None,
            list: FxHashMap::default(),
            bad: FxHashSet::default(),
            said: Diagnostics::default(),
            said_at: FxHashSet::default(),
        }
    }

    /// A resolver that stands behind the last unit of a program.
    pub(super) fn behind(map: &'a SourceMap, program: &'a Program, names: &Names, ident_count: u32) -> Self {
        let Scope { extras, globals, proctypes, facts, labels, facts_of } = Scope::clone(&names.scope);
        let mut names = names.clone();
        names.uses.resize(ident_count as usize, None);
        Resolver { names, extras, globals, proctypes, facts, labels, facts_of, ..Resolver::new(map, program) }
    }

    pub(super) fn run(mut self) -> (Names, Diagnostics) {
        self.units();
        self.said.sort(self.map);
        let Resolver { mut names, extras, globals, proctypes, facts, labels, facts_of, said, .. } = self;
        names.scope = Arc::new(Scope { extras, globals, proctypes, facts, labels, facts_of });
        (names, said)
    }

    /// Resolves a formula behind the program.
    pub(super) fn run_formula(mut self, formula: &Expr) -> (Names, Diagnostics) {
        self.condition(formula, Place::FORMULA);
        self.everywhere();
        self.said.sort(self.map);
        (self.names, self.said)
    }

    /// Reports an error, unless the same was said of the same text before: the arguments of an inline are read at the
    /// call and again wherever the body uses them.
    pub(super) fn error(&mut self, d: Diagnostic) {
        let at = self.map.primary(d.span);
        if self.said_at.insert((d.code, at.lo, at.hi, d.message.clone())) {
            self.said.push(d);
        }
    }

    /// Whether it is still worth while to look for similar names: after many errors they are not read, and the search
    /// takes time.
    pub(super) fn can_guess(&self) -> bool {
        self.said.len() < 100
    }

    /// Records what an identifier means.
    pub(super) fn define(&mut self, ident: &Ident, def: Def) {
        if let Some(slot) = self.names.uses.get_mut(ident.id.0 as usize) {
            *slot = Some(def);
        }
    }

    /// Adds a variable.
    pub(super) fn add_var(&mut self, var: Var, extra: Extra) -> VarId {
        let id = VarId(self.names.vars.len() as u32);
        if let (Some(body), Some(open)) = (var.body, &self.open) {
            debug_assert_eq!(body, open.id);
        }
        if let Some(body) = var.body {
            self.names.bodies[body.index()].vars.push(id);
        }
        self.names.vars.push(var);
        self.extras.push(extra);
        id
    }

    pub(super) fn var(&self, id: VarId) -> &Var {
        &self.names.vars[id.index()]
    }

    /// What a name means here: the innermost visible local, or a global.
    pub(super) fn lookup(&self, name: &str) -> Option<Def> {
        if self.fields.is_some() {
            return self.globals.get(name).map(|g| g.def).filter(|d| matches!(d, Def::MtypeConst(..)));
        }
        if let Some(open) = &self.open
            && let Some(def) = open.find(name)
        {
            return Some(def);
        }
        self.globals.get(name).map(|g| g.def)
    }

    /// Where a definition stands, for "declared here".
    pub(super) fn place(&self, def: Def, name: &str) -> Option<Span> {
        let at = match def {
            Def::Var(v) => self.var(v).at,
            Def::Label(l) => self.names.labels[l.index()].at,
            Def::Body(b) => self.names.bodies[b.index()].at,
            Def::Record(r) => self.names.records[r.index()].at,
            Def::Field(r, i) => self.names.records[r.index()].fields[i as usize].at,
            Def::MtypeConst(..) | Def::Inline | Def::Mtype(_) | Def::Builtin(_) => At(self.globals.get(name)?.at),
        };
        at.0.is_some().then_some(at.0)
    }

    /// The list of a name, made on first mention.
    pub(super) fn mtype_list(&mut self, name: Option<&Ident>) -> MtypeId {
        let Some(name) = name else { return MtypeId(0) };
        let next = MtypeId(self.names.mtypes.len() as u32);
        let id = *self.mtypes.entry(name.name.clone()).or_insert(next);
        if id == next {
            self.names.mtypes.push(super::Mtype { name: name.name.clone(), constants: Vec::new() });
        }
        self.define(name, Def::Mtype(id));
        id
    }
}
