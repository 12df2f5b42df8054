//! Which variable a place of the model lies in, and which element of it.

use ferrospin_model::ir::{Action, Area, Expr, Index, Leaf, Model, Place, ProcessId};
use ferrospin_model::passes::walk::{self, Item};
use rustc_hash::FxHashSet;

/// A variable: a global, or a local of a process type; its number among them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Var {
    pub(crate) owner: Option<ProcessId>,
    pub(crate) leaf: usize,
}

/// Where in a variable: element `first`, plus the value of each index times its stride in elements.
pub(crate) struct Element<'a> {
    pub(crate) var: Var,
    pub(crate) first: u32,
    pub(crate) indices: Vec<(&'a Index, u32)>,
}

/// How many elements a leaf has.
pub(crate) fn count(leaf: &Leaf) -> u32 {
    leaf.dims.iter().map(|d| d.0).product()
}

/// The offset in bytes of an element.
pub(crate) fn offset(leaf: &Leaf, element: u32) -> u32 {
    let (mut rest, mut at) = (element, leaf.offset);
    let mut below = count(leaf);
    for (len, stride) in &leaf.dims {
        below /= len;
        at += rest / below * stride;
        rest %= below;
    }
    at
}

/// The leaves of an area.
pub(crate) fn leaves(model: &Model, owner: Option<ProcessId>) -> &[Leaf] {
    owner.map_or(&model.globals, |p| &model.process(p).locals)
}

/// The leaf behind a variable.
pub(crate) fn leaf(model: &Model, var: Var) -> &Leaf {
    &leaves(model, var.owner)[var.leaf]
}

/// Finds the variable of a place, as a process of type `process` means it; `None` for one that no leaf describes.
pub(crate) fn element<'a>(model: &Model, process: ProcessId, place: &'a Place) -> Option<Element<'a>> {
    let owner = (place.area == Area::Local).then_some(process);
    for (number, leaf) in leaves(model, owner).iter().enumerate() {
        if leaf.scalar.size() != place.scalar.size() || place.offset < leaf.offset {
            continue;
        }
        let mut rest = place.offset - leaf.offset;
        let mut below = count(leaf);
        let (mut first, mut fits, mut strides) = (0, true, Vec::new());
        for (len, stride) in &leaf.dims {
            below /= len;
            fits &= rest / stride < *len;
            first += rest / stride * below;
            rest %= stride;
            strides.push((*stride, below));
        }
        if !fits || rest != 0 {
            continue;
        }
        let of = |i: &'a Index| strides.iter().find(|s| s.0 == i.stride).map(|s| (i, s.1));
        let indices = place.indices.iter().map(of).collect::<Option<Vec<_>>>()?;
        return Some(Element { var: Var { owner, leaf: number }, first, indices });
    }
    None
}

/// Visits all actions of edges, with the type of the process.
pub(crate) fn actions<'a>(model: &'a Model, f: &mut dyn FnMut(ProcessId, &'a Action)) {
    for edge in &model.edges {
        let process = model.location(edge.from).process;
        std::iter::once(&edge.action).chain(&edge.then).for_each(|a| f(process, a));
    }
}

/// What is known of all variables from the text alone.
#[derive(Default)]
pub(crate) struct Uses {
    /// Some edge stores to it.
    pub(crate) written: FxHashSet<Var>,
    /// Some index into it is computed.
    pub(crate) indexed: FxHashSet<Var>,
}

impl Uses {
    /// Looks through a model.
    pub(crate) fn of(model: &Model) -> Self {
        let mut uses = Uses::default();
        let mut item = |process: ProcessId, item: Item<'_>| {
            let (process, place, writes) = match item {
                Item::Read(p) => (process, p, false),
                Item::Write(p) => (process, p, true),
                Item::Remote(other, p) => (other, p, false),
                Item::Expr(_) => return,
            };
            // What no leaf describes is refused when code is made for it.
            let Some(element) = element(model, process, place) else { return };
            if writes {
                uses.written.insert(element.var);
            }
            if element.indices.iter().any(|(i, _)| !matches!(i.value, Expr::Const(_))) {
                uses.indexed.insert(element.var);
            }
        };
        actions(model, &mut |process, action| walk::action(action, &mut |i| item(process, i)));
        for (number, p) in (0..).map(ProcessId).zip(&model.processes) {
            p.provided.iter().for_each(|e| walk::expr(e, &mut |i| item(number, i)));
        }
        uses
    }
}
