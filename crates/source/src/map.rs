//! Files, spans and the table of expansions.
//!
//! All files share one address space: a file occupies the range `base .. base + len + 1`, so that a position is one
//! `u32`. A span also names the expansion its text came through: text written in the body of a macro keeps the
//! position where it is *spelled*, and its [`ExpansionId`] leads to the place of *use*. Expansions form a tree whose
//! root is [`ExpansionId::NONE`].

use std::fmt;
use std::sync::Arc;

/// A half-open range of source text together with the expansion it came through.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte, in the address space of the [`SourceMap`].
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// How the text got to where it is used.
    pub expansion: ExpansionId,
}

impl Span {
    /// A span that points nowhere, for nodes that have no text.
    pub const NONE: Span = Span { lo: 0, hi: 0, expansion: ExpansionId::NONE };

    /// Whether the span points at real text.
    pub fn is_some(self) -> bool {
        self.hi != 0
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)?;
        if self.expansion != ExpansionId::NONE {
            write!(f, "^{}", self.expansion.0)?;
        }
        Ok(())
    }
}

/// Index of an [`Expansion`]; zero means text that stands where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// The root: no expansion.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// One use of a macro or of an `inline`.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// What was expanded.
    pub kind: ExpansionKind,
    /// Name of the macro or inline.
    pub name: Arc<str>,
    /// Where it was used.
    pub call_site: Span,
}

/// What kind of text an expansion inserts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpansionKind {
    /// A preprocessor macro: messages point at the use and show the body.
    Macro,
    /// An `inline`: messages point into the body and name the call.
    Inline,
}

/// Index of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A place for people: file name, line and column, both from 1; columns count characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// Name of the file, as `#line` directives make it appear.
    pub file: Arc<str>,
    /// Line from 1, as `#line` directives make it appear.
    pub line: u32,
    /// Column from 1, in characters.
    pub column: u32,
}

struct File {
    name: Arc<str>,
    text: Arc<str>,
    base: u32,
    /// Offset of the first byte of each line.
    lines: Vec<u32>,
    /// `#line` directives: from this line index (0-based) on, the presumed number and name.
    presumed: Vec<(u32, u32, Option<Arc<str>>)>,
}

/// All source text of one run.
#[derive(Default)]
pub struct SourceMap {
    files: Vec<File>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its index. Panics when all files together exceed 4 GiB.
    pub fn add_file(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        let text: Arc<str> = text.into();
        // Position 0 is kept free so that `Span::NONE` is never a real place.
        let base = self.files.last().map_or(1, |f| f.base + f.text.len() as u32 + 1);
        assert!(base as u64 + (text.len() as u64) < u64::from(u32::MAX), "source text exceeds 4 GiB");
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(File { name: name.into(), text, base, lines, presumed: Vec::new() });
        FileId(self.files.len() as u32 - 1)
    }

    /// Text of a file.
    pub fn text(&self, file: FileId) -> &Arc<str> {
        &self.files[file.0 as usize].text
    }

    /// Name of a file, as it was added.
    pub fn name(&self, file: FileId) -> &Arc<str> {
        &self.files[file.0 as usize].name
    }

    /// First position of a file.
    pub fn base(&self, file: FileId) -> u32 {
        self.files[file.0 as usize].base
    }

    /// A span inside a file, from byte offsets, without expansion.
    pub fn span(&self, file: FileId, lo: usize, hi: usize) -> Span {
        let base = self.base(file);
        Span { lo: base + lo as u32, hi: base + hi as u32, expansion: ExpansionId::NONE }
    }

    /// Records a `#line` directive: the line that holds byte `offset` appears as `line` of `name`.
    pub fn set_presumed(&mut self, file: FileId, offset: usize, line: u32, name: Option<Arc<str>>) {
        let f = &mut self.files[file.0 as usize];
        let index = f.lines.partition_point(|&l| l as usize <= offset) as u32 - 1;
        f.presumed.push((index, line, name));
    }

    /// Adds an expansion and returns its index.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// The expansion behind an index; `None` for the root.
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        (id.0 as usize).checked_sub(1).map(|i| &self.expansions[i])
    }

    /// How many expansions are recorded.
    pub fn expansion_count(&self) -> usize {
        self.expansions.len()
    }

    /// The file that holds a position.
    pub fn file_of(&self, pos: u32) -> Option<FileId> {
        let i = self.files.partition_point(|f| f.base <= pos);
        (i > 0 && pos != 0).then(|| FileId(i as u32 - 1))
    }

    /// File, and byte range in it, where the text of a span is spelled.
    pub fn spelling(&self, span: Span) -> Option<(FileId, std::ops::Range<usize>)> {
        if !span.is_some() {
            return None;
        }
        let id = self.file_of(span.lo)?;
        let f = &self.files[id.0 as usize];
        let lo = (span.lo - f.base) as usize;
        let hi = ((span.hi - f.base) as usize).clamp(lo, f.text.len().max(lo));
        Some((id, lo..hi))
    }

    /// The spelled text of a span.
    pub fn snippet(&self, span: Span) -> &str {
        match self.spelling(span) {
            Some((id, range)) => self.files[id.0 as usize].text.get(range).unwrap_or(""),
            None => "",
        }
    }

    /// The span a message about `span` points at: macros are left outwards to their use, inlines are not.
    pub fn primary(&self, mut span: Span) -> Span {
        while let Some(e) = self.expansion(span.expansion) {
            if e.kind == ExpansionKind::Inline {
                break;
            }
            span = e.call_site;
        }
        span
    }

    /// Line and column of the place a message about `span` points at.
    pub fn position(&self, span: Span) -> Option<Position> {
        let span = self.primary(span);
        self.position_of(span.lo)
    }

    /// Line and column of a byte position, `#line` applied.
    pub fn position_of(&self, pos: u32) -> Option<Position> {
        let id = self.file_of(pos)?;
        let f = &self.files[id.0 as usize];
        let offset = ((pos - f.base) as usize).min(f.text.len());
        let index = f.lines.partition_point(|&l| l as usize <= offset) - 1;
        let start = f.lines[index] as usize;
        let column = f.text.get(start..offset).map_or(offset - start, |s| s.chars().count()) as u32 + 1;
        let mut file = f.name.clone();
        let mut line = index as u32 + 1;
        for (from, presumed, name) in &f.presumed {
            if *from as usize <= index {
                line = presumed + (index as u32 - from);
                if let Some(n) = name {
                    file = n.clone();
                }
            }
        }
        Some(Position { file, line, column })
    }

    /// The smallest span that covers both, in their innermost common expansion.
    pub fn join(&self, a: Span, b: Span) -> Span {
        if !a.is_some() {
            return b;
        }
        if !b.is_some() {
            return a;
        }
        let (mut a, mut b) = (a, b);
        // Expansions are numbered after the ones they stand in, so the larger index is never an ancestor.
        while a.expansion != b.expansion {
            if a.expansion > b.expansion {
                a = self.expansion(a.expansion).expect("not the root").call_site;
            } else {
                b = self.expansion(b.expansion).expect("not the root").call_site;
            }
        }
        if self.file_of(a.lo) != self.file_of(b.lo) {
            return a;
        }
        Span { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi), expansion: a.expansion }
    }

    /// The chain of expansions around a span, innermost first.
    pub fn backtrace(&self, span: Span) -> impl Iterator<Item = &Expansion> {
        let mut id = span.expansion;
        std::iter::from_fn(move || {
            let e = self.expansion(id)?;
            id = e.call_site.expansion;
            Some(e)
        })
    }
}
