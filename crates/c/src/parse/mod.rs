//! From preprocessed tokens to the typed tree, in one pass.
//!
//! Recursive descent, with precedence climbing for binary operators; names are looked up while reading, because C cannot
//! be read otherwise. A mistake is reported once and ends the declaration or the function it stands in ([`Lost`]);
//! reading goes on behind it. Depth is bounded, so that no input exhausts the stack.

mod attribute;
mod builtin;
mod declarator;
mod expr;
mod function;
mod init;
mod postfix;
mod primary;
mod record;
mod scope;
mod specifier;
mod stmt;
mod typing;
mod unit;

use crate::tree::{Expr, ExprId, ExprKind, Object, ObjectId, Stmt, StmtId, Str, StrId, Unit};
use crate::types::{Qual, TypeId, Types};
use crate::word::{Word, Words};
use ferrospin_cpp::{Piece, PieceKind, Pieces, Symbol, Target};
use ferrospin_source::{Diagnostic, Diagnostics, SourceMap, Span};
use rustc_hash::FxHashMap;
use scope::Scopes;
use std::sync::Arc;

/// What is being read cannot be used; a message was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost;

type Res<T> = Result<T, Lost>;

/// How deep declarators, expressions and statements may nest in the text.
const NEST_MAX: u32 = 256;
/// How deep a tree may be; chains of operators grow deep without nesting in the text.
const DEPTH_MAX: u16 = 1500;
/// Messages about one unit; later ones are dropped.
const MESSAGES_MAX: usize = 200;

/// The parser at work.
pub(crate) struct Parser<'a> {
    pub(crate) map: &'a SourceMap,
    pieces: &'a Pieces,
    words: Words,
    at: usize,
    end: Piece,
    pub(crate) unit: Unit,
    pub(crate) diagnostics: Diagnostics,
    scopes: Scopes,
    nest: u32,
    /// The function that is being read.
    function: Option<function::Frame>,
    strings: FxHashMap<Str, StrId>,
    /// `#pragma pack`: the bound in force and those pushed.
    pack: u64,
    pack_stack: Vec<u64>,
    /// Objects with linkage, by name.
    linked: FxHashMap<Symbol, ObjectId>,
    /// Names that were found to mean nothing, said once each.
    unknown: rustc_hash::FxHashSet<Symbol>,
    /// How many functions had errors.
    pub(crate) lost: u32,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(map: &'a SourceMap, pieces: &'a mut Pieces, target: Target) -> Parser<'a> {
        // Pragmas may stand anywhere, also within expressions; only `pack` has a meaning here.
        let mut list = std::mem::take(&mut pieces.list);
        list.retain(|p| p.kind != PieceKind::Pragma || pieces.text(p.text).trim_start().starts_with("pack"));
        pieces.list = list;
        let words = Words::new(pieces);
        for name in builtin::NAMES {
            pieces.intern(name);
        }
        let names: Vec<Arc<str>> = (0..pieces.spellings()).map(|i| pieces.text(Symbol(i as u32)).clone()).collect();
        let pieces: &'a Pieces = pieces;
        let end = Piece { kind: PieceKind::Other, text: Symbol(0), span: pieces.end };
        let count = names.len();
        let unit = Unit {
            types: Types::new(target),
            names,
            exprs: Vec::new(),
            stmts: Vec::new(),
            objects: Vec::new(),
            strings: Vec::new(),
            functions: Vec::new(),
            assembly: Vec::new(),
        };
        Parser {
            map,
            pieces,
            words,
            at: 0,
            end,
            unit,
            diagnostics: Diagnostics::default(),
            scopes: Scopes::new(count),
            nest: 0,
            function: None,
            strings: FxHashMap::default(),
            pack: 0,
            pack_stack: Vec::new(),
            linked: FxHashMap::default(),
            unknown: rustc_hash::FxHashSet::default(),
            lost: 0,
        }
    }

    // Tokens.

    fn piece_at(&self, at: usize) -> &Piece {
        self.pieces.list.get(at).unwrap_or(&self.end)
    }

    fn piece(&self) -> &Piece {
        self.piece_at(self.at)
    }

    fn word_at(&self, at: usize) -> Word {
        self.pieces.list.get(at).map_or(Word::End, |p| self.words.of(p))
    }

    fn word(&self) -> Word {
        self.word_at(self.at)
    }

    fn peek(&self) -> Word {
        self.word_at(self.at + 1)
    }

    fn span(&self) -> Span {
        self.piece().span
    }

    /// The place of the token before.
    fn last_span(&self) -> Span {
        self.piece_at(self.at.saturating_sub(1)).span
    }

    fn from(&self, start: Span) -> Span {
        let end = self.last_span();
        if start.expansion == end.expansion && start.lo <= end.hi && end.hi - start.lo < 1 << 20 {
            return Span { lo: start.lo, hi: end.hi, expansion: start.expansion };
        }
        start
    }

    fn symbol(&self) -> Symbol {
        self.piece().text
    }

    fn text(&self) -> &'a str {
        if self.at >= self.pieces.list.len() { "" } else { self.pieces.text(self.pieces.list[self.at].text) }
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    fn eat(&mut self, word: Word) -> bool {
        let there = self.word() == word;
        if there {
            self.at += 1;
        }
        there
    }

    fn expect(&mut self, word: Word, what: &str) -> Res<Span> {
        if self.word() == word {
            return Ok(self.bump());
        }
        Err(self.expected(what))
    }

    /// What stands here instead of what should.
    fn expected(&mut self, what: &str) -> Lost {
        let found = match self.word() {
            Word::End => "the end of the file".to_string(),
            Word::Str => "a string".to_string(),
            _ => format!("`{}`", self.text()),
        };
        self.error(self.span(), "c-syntax", format!("expected {what}, found {found}"))
    }

    /// Steps over brackets and what is in them; the current token opens them.
    fn skip_balanced(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.word() {
                Word::LParen | Word::LBrace | Word::LBracket => depth += 1,
                Word::RParen | Word::RBrace | Word::RBracket => depth = depth.saturating_sub(1),
                Word::End => return,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Steps over the pragmas that stand here and obeys those with a meaning.
    fn pragmas(&mut self) {
        loop {
            if self.word() != Word::Pragma {
                return;
            }
            let text = self.text();
            self.at += 1;
            self.pragma(text);
        }
    }

    fn pragma(&mut self, text: &str) {
        let Some(rest) = text.trim().strip_prefix("pack") else { return };
        let inner = rest.trim().trim_start_matches('(').trim_end_matches(')');
        if inner.trim().is_empty() {
            self.pack = 0;
        }
        for part in inner.split(',').map(str::trim) {
            match part {
                "push" => self.pack_stack.push(self.pack),
                "pop" => self.pack = self.pack_stack.pop().unwrap_or(0),
                _ => {
                    if let Ok(n) = part.parse::<u64>()
                        && (n.is_power_of_two() && n <= 16 || n == 0)
                    {
                        self.pack = n;
                    }
                }
            }
        }
    }

    // Messages.

    fn error(&mut self, span: Span, code: &'static str, message: impl Into<String>) -> Lost {
        self.say(Diagnostic::error(code, span, message))
    }

    fn say(&mut self, diagnostic: Diagnostic) -> Lost {
        if self.diagnostics.len() < MESSAGES_MAX {
            self.diagnostics.push(diagnostic);
        }
        Lost
    }

    fn show(&self, q: impl Into<Qual>) -> String {
        self.unit.show_type(q.into())
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.unit.name(symbol)
    }

    /// Runs `read` one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.nest >= NEST_MAX {
            let message = "this is nested too deeply";
            return Err(self.say(
                Diagnostic::error("c-limit", self.span(), message)
                    .label(format!("more than {NEST_MAX} levels of brackets and statements")),
            ));
        }
        self.nest += 1;
        let result = read(self);
        self.nest -= 1;
        result
    }

    // Nodes.

    fn expr(&self, id: ExprId) -> &Expr {
        self.unit.expr(id)
    }

    fn ty(&self, id: ExprId) -> TypeId {
        self.expr(id).ty.ty
    }

    /// Adds an expression over `operands`.
    fn add(&mut self, kind: ExprKind, ty: impl Into<Qual>, span: Span, operands: &[ExprId]) -> Res<ExprId> {
        let depth = operands.iter().map(|&o| self.expr(o).depth).max().unwrap_or(0) + 1;
        if depth > DEPTH_MAX {
            let label = format!("a tree of more than {DEPTH_MAX} operators");
            return Err(self.say(Diagnostic::error("c-limit", span, "this expression is too deep").label(label)));
        }
        let expr = Expr { kind, ty: ty.into(), lvalue: false, depth, value: None, span };
        self.unit.exprs.push(expr);
        Ok(ExprId(self.unit.exprs.len() as u32 - 1))
    }

    fn add_stmt(&mut self, stmt: Stmt) -> StmtId {
        self.unit.stmts.push(stmt);
        StmtId(self.unit.stmts.len() as u32 - 1)
    }

    fn add_object(&mut self, object: Object) -> ObjectId {
        self.unit.objects.push(object);
        ObjectId(self.unit.objects.len() as u32 - 1)
    }

    fn add_string(&mut self, string: Str) -> StrId {
        if let Some(&id) = self.strings.get(&string) {
            return id;
        }
        let id = StrId(self.unit.strings.len() as u32);
        self.unit.strings.push(string.clone());
        self.strings.insert(string, id);
        id
    }
}
