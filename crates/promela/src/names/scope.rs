//! Blocks of a body and the names in them.
//!
//! A block is a pair of braces: options of `if` and `do` are no blocks, so a variable declared in one option is known
//! in the next. A name is found when its block encloses the place of use (or is the same), the innermost first.
//! Labels share the table, because SPIN keeps one table of symbols and refuses a label with the name of a variable.

use super::{BodyId, BodyKind, Def, LabelId, VarId};
use crate::ast::IdentId;
use ferrospin_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A symbol of a body. SPIN makes one when a name is first read, so its block may be outside the one it is used in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    pub(super) block: u32,
    pub(super) kind: SymbolKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SymbolKind {
    Var(VarId),
    Label,
}

/// A label that stands before a statement.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) name: Arc<str>,
    pub(super) id: LabelId,
    /// Block of its symbol.
    pub(super) block: u32,
    pub(super) jump: super::labels::Zone,
    /// The label of the `goto` behind it, when the statement is nothing but a jump.
    pub(super) onward: Option<IdentId>,
}

/// Marks that agree in this are one label, defined twice.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct MarkKey {
    pub(super) name: Arc<str>,
    /// Block of its symbol.
    pub(super) block: u32,
    /// The inline it comes from.
    pub(super) inline: Option<Arc<str>>,
}

/// A `goto` to be resolved at the end of the body.
#[derive(Clone, Debug)]
pub(super) struct Goto {
    pub(super) name: Arc<str>,
    pub(super) id: IdentId,
    pub(super) at: Span,
    pub(super) block: u32,
    pub(super) jump: super::labels::Zone,
}

/// A loop around the place of the walk.
#[derive(Default)]
pub(super) struct Loop {
    /// Its `break`s, each with the `d_step` it stands in.
    pub(super) breaks: Vec<(Span, super::labels::Zone)>,
    /// Whether it is complete, but still the target of a `break` in the escape behind it.
    pub(super) kept: bool,
}

/// A body being visited.
pub(super) struct Body {
    pub(super) id: BodyId,
    pub(super) kind: BodyKind,
    /// Enclosing block of each block; block 0 is the top.
    parents: Vec<u32>,
    pub(super) block: u32,
    pub(super) depth: u32,
    /// The symbols of the open blocks, innermost last.
    symbols: FxHashMap<Arc<str>, Vec<Symbol>>,
    /// Their names in the order they were added.
    added: Vec<Arc<str>>,
    /// Names reported as undeclared: once per body is enough.
    pub(super) unknown: FxHashSet<Arc<str>>,
    /// Whether no statement was seen yet, so that initialisers run at birth.
    pub(super) at_head: bool,
    pub(super) loops: Vec<Loop>,
    pub(super) marks: Vec<Mark>,
    /// The marks that count as the same label.
    pub(super) marked: FxHashMap<MarkKey, LabelId>,
    /// The innermost inline that is being expanded.
    pub(super) inline: Option<Arc<str>>,
    pub(super) gotos: Vec<Goto>,
    pub(super) zone: super::labels::Zone,
    pub(super) zones: u32,
}

impl Body {
    pub(super) fn new(id: BodyId, kind: BodyKind) -> Self {
        Body {
            id,
            kind,
            parents: vec![0],
            block: 0,
            depth: 0,
            symbols: FxHashMap::default(),
            added: Vec::new(),
            unknown: FxHashSet::default(),
            at_head: true,
            loops: Vec::new(),
            marks: Vec::new(),
            marked: FxHashMap::default(),
            inline: None,
            gotos: Vec::new(),
            zone: super::labels::Zone::default(),
            zones: 0,
        }
    }

    /// Opens a block and returns what [`Body::leave`] needs.
    pub(super) fn enter(&mut self) -> (u32, usize) {
        let outer = self.block;
        self.parents.push(outer);
        self.block = self.parents.len() as u32 - 1;
        self.depth += 1;
        (outer, self.added.len())
    }

    /// Closes a block: its names are forgotten.
    pub(super) fn leave(&mut self, (outer, mark): (u32, usize)) {
        self.block = outer;
        self.depth -= 1;
        for name in self.added.drain(mark..) {
            if let Some(list) = self.symbols.get_mut(&name) {
                list.pop();
            }
        }
    }

    /// Whether `outer` is `inner` or encloses it.
    pub(super) fn encloses(&self, outer: u32, mut inner: u32) -> bool {
        // A block is numbered after the ones around it.
        while inner > outer {
            inner = self.parents[inner as usize];
        }
        inner == outer
    }

    /// The symbol a name means here.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name)?.last().copied()
    }

    pub(super) fn add(&mut self, name: &Arc<str>, kind: SymbolKind) -> Symbol {
        let symbol = Symbol { block: self.block, kind };
        self.symbols.entry(name.clone()).or_default().push(symbol);
        self.added.push(name.clone());
        symbol
    }

    /// The variable a name means here.
    pub(super) fn find(&self, name: &str) -> Option<Def> {
        match self.symbol(name)?.kind {
            SymbolKind::Var(v) => Some(Def::Var(v)),
            SymbolKind::Label => None,
        }
    }

    /// Names of the variables visible here, for suggestions.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Arc<str>> {
        let is_var = |list: &[Symbol]| list.iter().any(|s| matches!(s.kind, SymbolKind::Var(_)));
        self.symbols.iter().filter(move |(_, list)| is_var(list)).map(|(name, _)| name)
    }
}
