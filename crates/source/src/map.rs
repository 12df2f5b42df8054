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

#[derive(Clone)]
struct File {
    name: Arc<str>,
    text: Arc<str>,
    base: u32,
    /// Offset of the first byte of each line.
    lines: Vec<u32>,
    /// How many characters begin before each block of [`BLOCK_BYTES`]: columns are found in no time in lines of any length.
    characters: Vec<u32>,
    /// `#line` directives: from this line index (0-based) on, the presumed number and name. Sorted by line index.
    presumed: Vec<(u32, u32, Option<Arc<str>>)>,
}

/// Bytes of a block.
const BLOCK_BYTES: usize = 1024;

/// How many characters begin in these bytes: those that do not go on with one.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u32
}

impl File {
    /// How many characters begin before a byte.
    fn characters_before(&self, offset: usize) -> u32 {
        let block = offset / BLOCK_BYTES;
        self.characters[block] + characters(&self.text.as_bytes()[block * BLOCK_BYTES..offset])
    }

    /// Number and file name, if another one, under which a line (from 0) appears.
    fn presumed_line(&self, index: usize) -> (u32, Option<&Arc<str>>) {
        match self.presumed.partition_point(|p| p.0 as usize <= index).checked_sub(1) {
            Some(i) => {
                let (from, line, name) = &self.presumed[i];
                (line.saturating_add(index as u32 - from), name.as_ref())
            }
            None => (index as u32 + 1, None),
        }
    }
}

/// All source text of one run.
#[derive(Clone, Default)]
pub struct SourceMap {
    files: Vec<File>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its index. A carriage return that stands alone ends a line, as in a C compiler: the text
    /// is kept with a newline in its place. Panics when all files together exceed 4 GiB.
    pub fn add_file(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        let text = end_lines(text.into());
        // Position 0 is kept free so that `Span::NONE` is never a real place.
        let base = self.files.last().map_or(1, |f| f.base + f.text.len() as u32 + 1);
        assert!(base as u64 + (text.len() as u64) < u64::from(u32::MAX), "source text exceeds 4 GiB");
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        let mut before = vec![0];
        before.extend(text.as_bytes().chunks(BLOCK_BYTES).scan(0, |all, block| {
            *all += characters(block);
            Some(*all)
        }));
        self.files.push(File { name: name.into(), text, base, lines, characters: before, presumed: Vec::new() });
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
        // A file that is read twice records its directives twice.
        let at = f.presumed.partition_point(|p| p.0 < index);
        let name = name.or_else(|| at.checked_sub(1).and_then(|i| f.presumed[i].2.clone()));
        if f.presumed.get(at).is_some_and(|p| p.0 == index) {
            f.presumed[at] = (index, line, name);
        } else {
            f.presumed.insert(at, (index, line, name));
        }
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
        let column = f.characters_before(offset) - f.characters_before(start) + 1;
        let (line, name) = f.presumed_line(index);
        let file = name.unwrap_or(&f.name).clone();
        Some(Position { file, line, column })
    }

    /// File name and line of a byte position, `#line` applied. Unlike [`Self::position_of`] it costs the same however
    /// long the line is.
    pub fn presumed(&self, pos: u32) -> Option<(&Arc<str>, u32)> {
        let f = &self.files[self.file_of(pos)?.0 as usize];
        let index = f.lines.partition_point(|&l| l <= pos - f.base) - 1;
        let (line, name) = f.presumed_line(index);
        Some((name.unwrap_or(&f.name), line))
    }

    /// The line (from 0, not counting `#line`) that holds a byte offset of a file.
    pub fn line_index(&self, file: FileId, offset: usize) -> usize {
        self.files[file.0 as usize].lines.partition_point(|&l| l as usize <= offset) - 1
    }

    /// The bytes of a line (from 0) of a file, without its newline.
    pub fn line_range(&self, file: FileId, index: usize) -> std::ops::Range<usize> {
        let f = &self.files[file.0 as usize];
        let start = f.lines[index] as usize;
        let end = f.lines.get(index + 1).map_or(f.text.len(), |&next| next as usize - 1);
        start..end
    }

    /// Number under which a line (from 0) of a file appears, `#line` applied.
    pub fn line_number(&self, file: FileId, index: usize) -> u32 {
        self.files[file.0 as usize].presumed_line(index).0
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

/// The text with newlines for lone carriage returns; every other character keeps its place.
fn end_lines(text: Arc<str>) -> Arc<str> {
    let bytes = text.as_bytes();
    let is_alone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !(0..bytes.len()).any(is_alone) {
        return text;
    }
    text.char_indices().map(|(at, c)| if is_alone(at) { '\n' } else { c }).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(map: &SourceMap, pos: u32) -> String {
        map.position_of(pos).map_or("nowhere".to_string(), |p| format!("{}:{}:{}", p.file, p.line, p.column))
    }

    #[test]
    fn positions_count_characters_and_obey_line_directives() {
        let mut map = SourceMap::new();
        let a = map.add_file("a", "one\ntwo ä x\nthree\nfour\n");
        let b = map.add_file("b", "x");
        assert_eq!(at(&map, 0), "nowhere");
        assert_eq!(at(&map, map.base(a)), "a:1:1");
        assert_eq!(at(&map, map.base(a) + 11), "a:2:7");
        assert_eq!(at(&map, map.base(b) + 1), "b:1:2");
        map.set_presumed(a, 13, 40, Some("c".into()));
        map.set_presumed(a, 19, 7, None);
        map.set_presumed(a, 13, 41, Some("c".into()));
        assert_eq!(at(&map, map.base(a) + 4), "a:2:1");
        assert_eq!(at(&map, map.base(a) + 13), "c:41:1");
        assert_eq!(at(&map, map.base(a) + 19), "c:7:1");
        assert_eq!(at(&map, map.base(a) + 24), "c:8:1");
    }

    #[test]
    fn columns_of_long_lines_are_right() {
        let mut map = SourceMap::new();
        let text = "x\n".to_string() + &"ä€x".repeat(1000);
        let file = map.add_file("long", text.as_str());
        for (column, (offset, _)) in text.char_indices().skip(2).enumerate() {
            let expected = format!("long:2:{}", column + 1);
            assert_eq!(at(&map, map.base(file) + offset as u32), expected);
        }
        assert_eq!(at(&map, map.base(file) + text.len() as u32), "long:2:3001");
    }

    #[test]
    fn lone_carriage_returns_end_lines() {
        let mut map = SourceMap::new();
        let dos = map.add_file("dos", "a\r\nb\r\n");
        let mac = map.add_file("mac", "ä\rb\r\r\nc\r");
        assert_eq!(&**map.text(dos), "a\r\nb\r\n");
        assert_eq!(&**map.text(mac), "ä\nb\n\r\nc\n");
        assert_eq!(at(&map, map.base(mac) + 3), "mac:2:1");
        assert_eq!(at(&map, map.base(mac) + 7), "mac:4:1");
    }

    #[test]
    fn spans_join_in_the_common_expansion() {
        let mut map = SourceMap::new();
        let f = map.add_file("f", "#define M a + b\nM * c\n");
        let use_ = map.span(f, 16, 17);
        let id = map.add_expansion(Expansion { kind: ExpansionKind::Macro, name: "M".into(), call_site: use_ });
        let a = Span { expansion: id, ..map.span(f, 10, 11) };
        let b = Span { expansion: id, ..map.span(f, 14, 15) };
        let c = map.span(f, 20, 21);
        assert_eq!(map.snippet(map.join(a, b)), "a + b");
        assert_eq!(map.snippet(map.join(a, c)), "M * c");
        assert_eq!(map.snippet(map.join(c, a)), "M * c");
        assert_eq!(map.join(Span::NONE, a), a);
        assert_eq!(map.snippet(map.primary(a)), "M");
        assert_eq!(map.backtrace(a).count(), 1);
    }
}
