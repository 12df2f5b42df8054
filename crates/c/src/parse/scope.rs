//! What names mean: ordinary identifiers and tags, block by block.
//!
//! A table by symbol holds the innermost meaning; what a block hides is kept in a list and put back at its end.

use crate::tree::ObjectId;
use crate::types::{EnumId, Qual, RecordId, TypeId};
use ferrospin_cpp::Symbol;

/// The meaning of an ordinary identifier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding {
    Typedef(Qual),
    Object(ObjectId),
    /// A constant of an enumeration.
    Constant(i128, TypeId),
}

/// The meaning of a tag.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Copy)]
struct Entry<T> {
    meaning: T,
    depth: u32,
}

pub(crate) struct Scopes {
    names: Vec<Option<Entry<Binding>>>,
    tags: Vec<Option<Entry<Tag>>>,
    hidden_names: Vec<(Symbol, Option<Entry<Binding>>)>,
    hidden_tags: Vec<(Symbol, Option<Entry<Tag>>)>,
    /// Lengths of the lists when each block began.
    marks: Vec<(usize, usize)>,
}

impl Scopes {
    pub(crate) fn new(symbols: usize) -> Scopes {
        Scopes {
            names: vec![None; symbols],
            tags: vec![None; symbols],
            hidden_names: Vec::new(),
            hidden_tags: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// How many blocks are open; 0 is the file.
    pub(crate) fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub(crate) fn open(&mut self) {
        self.marks.push((self.hidden_names.len(), self.hidden_tags.len()));
    }

    pub(crate) fn close(&mut self) {
        let (names, tags) = self.marks.pop().expect("a block is open");
        for (symbol, before) in self.hidden_names.drain(names..).rev() {
            self.names[symbol.0 as usize] = before;
        }
        for (symbol, before) in self.hidden_tags.drain(tags..).rev() {
            self.tags[symbol.0 as usize] = before;
        }
    }

    /// Ends blocks until `depth` are open.
    pub(crate) fn close_to(&mut self, depth: u32) {
        while self.depth() > depth {
            self.close();
        }
    }

    pub(crate) fn name(&self, symbol: Symbol) -> Option<Binding> {
        self.names[symbol.0 as usize].map(|e| e.meaning)
    }

    /// The meaning given in the current block.
    pub(crate) fn own_name(&self, symbol: Symbol) -> Option<Binding> {
        self.names[symbol.0 as usize].filter(|e| e.depth == self.depth()).map(|e| e.meaning)
    }

    pub(crate) fn bind(&mut self, symbol: Symbol, meaning: Binding) {
        let entry = Entry { meaning, depth: self.depth() };
        let before = self.names[symbol.0 as usize].replace(entry);
        if !self.marks.is_empty() {
            self.hidden_names.push((symbol, before));
        }
    }

    pub(crate) fn tag(&self, symbol: Symbol) -> Option<Tag> {
        self.tags[symbol.0 as usize].map(|e| e.meaning)
    }

    pub(crate) fn own_tag(&self, symbol: Symbol) -> Option<Tag> {
        self.tags[symbol.0 as usize].filter(|e| e.depth == self.depth()).map(|e| e.meaning)
    }

    pub(crate) fn bind_tag(&mut self, symbol: Symbol, meaning: Tag) {
        let entry = Entry { meaning, depth: self.depth() };
        let before = self.tags[symbol.0 as usize].replace(entry);
        if !self.marks.is_empty() {
            self.hidden_tags.push((symbol, before));
        }
    }
}
