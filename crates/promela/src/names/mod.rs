//! What names mean: scopes, declarations, labels, constants.
//!
//! SPIN's rules: a name is declared before it is used; a block may not reuse a name of an enclosing block or of a
//! global; sibling blocks may; labels belong to the whole process; `mtype` constants, process types, inlines and
//! typedefs are global. All variables of all blocks of a process exist from its birth.

mod channels;
mod checks;
mod consts;
mod decls;
mod exprs;
mod flow;
mod inits;
mod labels;
mod landing;
mod loops;
mod refs;
mod resolver;
mod scope;
mod sizes;
mod stmts;
mod types;
mod units;

pub(crate) use labels::has_meaning;
pub use sizes::{AREA_BYTES_MAX, MESSAGE_FIELDS_MAX};

use crate::ast::{self, At, Ident, IdentId, Program};
use crate::parse::LoneFormula;
use ferrospin_source::suggest::closest as suggest;
use ferrospin_source::{Diagnostics, SourceMap};
use std::sync::Arc;

ferrospin_source::typed_index! {
    /// Index into [`Names::vars`].
    VarId
    /// Index into [`Names::records`].
    RecordId
    /// Index into [`Names::bodies`].
    BodyId
    /// Index into [`Names::mtypes`].
    MtypeId
    /// Index into [`Names::labels`].
    LabelId
}

/// What an identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// A variable, global or local, or a parameter; at its declaration and at its uses.
    Var(VarId),
    /// A field of a record, by position.
    Field(RecordId, u32),
    /// An `mtype` constant with its value.
    MtypeConst(MtypeId, u8),
    /// The name of an `mtype` list.
    Mtype(MtypeId),
    /// A `typedef`.
    Record(RecordId),
    /// A process type, `init`, claim or trace.
    Body(BodyId),
    /// An inline.
    Inline,
    /// A label.
    Label(LabelId),
    /// A predefined variable.
    Builtin(Builtin),
}

/// Predefined variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `_`: write-only.
    Underscore,
    /// `_pid`
    Pid,
    /// `_last`
    Last,
    /// `_nr_pr`
    ProcessCount,
    /// `_nr_qs`
    ChannelCount,
    /// `_priority`
    Priority,
}

/// The type of a variable or field, resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Ty {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `pid`
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned : n`, 1 to 31 bits.
    Unsigned(u8),
    /// `mtype`, of a named list or of the unnamed one.
    Mtype(MtypeId),
    /// `chan`
    Chan,
    /// A `typedef`.
    Record(RecordId),
}

/// A variable or a field.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name as written.
    pub name: Arc<str>,
    /// Where it is declared.
    pub at: At,
    /// The process it belongs to; `None` for globals.
    pub body: Option<BodyId>,
    /// Nesting of its block: 0 for globals, parameters and the top of a body.
    pub depth: u32,
    /// A number that tells apart the blocks of one body; 0 for the top.
    pub block: u32,
    /// Its type.
    pub ty: Ty,
    /// Number of elements when it is an array.
    pub array: Option<u32>,
    /// Position among the parameters.
    pub param: Option<u32>,
    /// What it starts as.
    pub init: Init,
    /// `hidden`, `show`, `local`.
    pub visibility: Option<ast::Visibility>,
    /// Whether the declaration stands at the head of a body, before any statement and outside any inner block, so
    /// that its initialiser runs at birth and is no step (always so for globals and parameters).
    pub at_head: bool,
}

impl Var {
    /// Whether it starts as zero for want of an initialiser.
    fn init_is_zero(&self) -> bool {
        matches!(self.init, Init::Zero)
    }
}

/// What a variable starts as, resolved as far as constants go.
#[derive(Clone, Debug)]
pub enum Init {
    /// Zero.
    Zero,
    /// An expression; evaluated at birth (or, in mid-body, as a step).
    Expr(ast::Expr),
    /// A list for an array.
    List(Vec<i32>),
    /// A new channel, or one per element of an array.
    Chan {
        /// Number of messages it holds.
        capacity: u32,
        /// Types of the fields, typedefs not spread.
        fields: Vec<Ty>,
    },
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub at: At,
    /// Its fields in order (`body` is `None`, `at_head` is true).
    pub fields: Vec<Var>,
    /// Bytes of a value in a state, without the contents of channels; never wraps.
    pub bytes: u64,
    /// Bytes of the contents of the channels in its fields; never wraps.
    pub channel_bytes: u64,
}

/// A list of `mtype` constants. Index 0 is the unnamed list, present even when empty.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// Its name; empty for the unnamed one.
    pub name: Arc<str>,
    /// The constants with their values, in order of value.
    pub constants: Vec<(Arc<str>, u8)>,
}

/// What kind of body it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyKind {
    /// `proctype`
    Proctype,
    /// `init`
    Init,
    /// `never`
    Never,
    /// `trace`
    Trace,
    /// `notrace`
    NoTrace,
}

/// A process type, `init`, claim or trace.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name; `init` for init, `never_0` and so on for unnamed claims, `trace` and `notrace` for those.
    pub name: Arc<str>,
    /// What it is.
    pub kind: BodyKind,
    /// Position of the unit in [`Program::units`].
    pub unit: usize,
    /// Its variables: parameters first, then locals in text order.
    pub vars: Vec<VarId>,
    /// How many of them are parameters.
    pub param_count: u32,
    /// How many instances start with the system.
    pub active: u32,
    /// Where its name stands.
    pub at: At,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: Arc<str>,
    /// The body it stands in.
    pub body: BodyId,
    /// Where it is defined.
    pub at: At,
}

/// All that is known of names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    uses: Vec<Option<Def>>,
    /// Variables: globals in text order come first.
    pub vars: Vec<Var>,
    /// Typedefs in text order.
    pub records: Vec<Record>,
    /// `mtype` lists.
    pub mtypes: Vec<Mtype>,
    /// Bodies in text order.
    pub bodies: Vec<Body>,
    /// Labels.
    pub labels: Vec<Label>,
    /// What is known behind the last unit.
    scope: Arc<resolver::Scope>,
}

impl Names {
    /// What an identifier stands for; `None` where that was an error, and for names that are never looked up
    /// (parameters of inlines, names of formulas).
    pub fn def(&self, ident: &Ident) -> Option<Def> {
        self.def_of(ident.id)
    }

    /// The same by number.
    pub fn def_of(&self, id: IdentId) -> Option<Def> {
        self.uses.get(id.0 as usize).copied().flatten()
    }

    /// The body of a unit.
    pub fn body_of_unit(&self, unit: usize) -> Option<BodyId> {
        // Bodies stand in the order of their units.
        self.bodies.binary_search_by_key(&unit, |b| b.unit).ok().map(|i| BodyId(i as u32))
    }
}

/// Resolves all names of a program.
///
/// What `spin -a` refuses beyond syntax is an error here. Nesting is bounded by the parser, but a small stack (a test
/// thread in a debug build) would not hold it, so the work is done on a thread of its own.
pub fn resolve(map: &SourceMap, program: &Program) -> (Names, Diagnostics) {
    on_large_stack(|| resolver::Resolver::new(map, program).run())
}

/// Resolves the names of a formula that stands behind a program whose own names are resolved. Gives those of both.
pub fn resolve_formula(
    map: &SourceMap,
    program: &Program,
    names: &Names,
    formula: &LoneFormula,
) -> (Names, Diagnostics) {
    on_large_stack(|| resolver::Resolver::behind(map, program, names, formula.ident_count).run_formula(&formula.expr))
}

fn on_large_stack<T: Send>(work: impl Fn() -> T + Send + Sync) -> T {
    const STACK_BYTES: usize = 256 << 20;
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, &work) {
        Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => work(),
    })
}
