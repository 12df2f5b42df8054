//! The state of the preprocessor while it runs, and its main loop.

use super::define::Definition;
use super::dialect::is_has_operator;
use super::expand::{Call, Context};
use super::lex::Cursor;
use super::macros::Macros;
use super::output::Printer;
use super::reader::around;
use super::token::{Interner, Kind, Symbol, Token, sym};
use super::{Define, Dialect, Expanded, Loader, Options, Piece, PieceKind, Pieces, limits};
use ferrospin_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// An open `#if`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditional {
    /// The directive that opened it.
    pub(super) span: Span,
    /// `#else` was seen, here.
    pub(super) otherwise: Option<Span>,
    /// Some branch was taken, or none may be because all around is skipped.
    pub(super) taken: bool,
    /// Text was already being skipped when it opened.
    pub(super) within_skipped: bool,
}

/// A file that is being read.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) file: FileId,
    pub(super) base: u32,
    pub(super) cursor: Cursor,
    pub(super) conditionals: Vec<Conditional>,
    /// In C, how many folders of the search come before the one behind where the file was found.
    pub(super) next_dir: usize,
}

/// What the reader is after, which decides how newlines and directives are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Ordinary text.
    Text,
    /// The arguments of a macro call, which may span lines.
    Arguments,
}

/// The preprocessor at work.
pub(super) struct Preprocessor<'a> {
    pub(super) map: &'a mut SourceMap,
    pub(super) options: &'a Options,
    pub(super) loader: &'a mut dyn Loader,
    /// Set for C, which also wants tokens instead of text.
    pub(super) dialect: Option<&'a Dialect>,
    /// The tokens of a C unit.
    pub(super) pieces: Vec<Piece>,
    /// `#pragma push_macro`: earlier definitions by name.
    pub(super) pushed_macros: FxHashMap<Symbol, Vec<Option<Definition>>>,
    pub(super) diagnostics: Diagnostics,
    pub(super) names: Interner,
    /// Macros by symbol.
    pub(super) macros: Vec<Option<Definition>>,
    /// By symbol, how many contexts on the stack came from that macro.
    pub(super) disabled: Vec<u32>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) contexts: Vec<Context>,
    pub(super) calls: Vec<Call>,
    pub(super) printer: Printer,
    pub(super) mode: Mode,
    /// In a group that a conditional leaves out.
    pub(super) skipping: bool,
    /// Evaluating a condition: `defined` has its meaning.
    pub(super) in_condition: bool,
    /// Line of the token last read from a file.
    pub(super) line: u32,
    /// Line of the macro use that the text being read came from.
    pub(super) use_line: u32,
    /// A limit was passed: nothing more is read.
    pub(super) stopped: bool,
    pub(super) steps: usize,
    pub(super) live_tokens: usize,
    pub(super) input_bytes: usize,
    pub(super) include_count: usize,
    pub(super) counter: u32,
    /// Files with `#pragma once`, and files to be included but once.
    pub(super) once: FxHashSet<String>,
    /// Files by display name.
    pub(super) included: FxHashMap<String, FileId>,
    /// Numbers that were already found to swallow a macro.
    pub(super) warned_numbers: FxHashSet<u32>,
    /// Positions of the `allow` and `deny` words that are recorded.
    pub(super) seen_pragmas: FxHashSet<u32>,
    /// End of the main file, where the end of the text points.
    end: u32,
}

impl<'a> Preprocessor<'a> {
    pub(super) fn new(
        map: &'a mut SourceMap,
        options: &'a Options,
        loader: &'a mut dyn Loader,
        dialect: Option<&'a Dialect>,
    ) -> Self {
        Self {
            map,
            options,
            loader,
            dialect,
            pieces: Vec::new(),
            pushed_macros: FxHashMap::default(),
            diagnostics: Diagnostics::default(),
            names: Interner::new(),
            macros: Vec::new(),
            disabled: Vec::new(),
            buffers: Vec::new(),
            contexts: Vec::new(),
            calls: Vec::new(),
            printer: Printer::default(),
            mode: Mode::Text,
            skipping: false,
            in_condition: false,
            line: 1,
            use_line: 1,
            stopped: false,
            steps: 0,
            live_tokens: 0,
            input_bytes: 0,
            include_count: 0,
            counter: 0,
            once: FxHashSet::default(),
            included: FxHashMap::default(),
            warned_numbers: FxHashSet::default(),
            seen_pragmas: FxHashSet::default(),
            end: 0,
        }
    }

    /// Preprocesses `file`, after the macros of the command line.
    pub(super) fn run(mut self, file: FileId) -> (Expanded, Diagnostics, Macros) {
        self.define_builtins();
        if let Some(commands) = self.command_line() {
            self.open(commands);
            self.pump();
        }
        self.run_text(file)
    }

    /// Preprocesses `file` with what is defined.
    pub(super) fn run_text(mut self, file: FileId) -> (Expanded, Diagnostics, Macros) {
        self.end = self.map.base(file) + self.map.text(file).len() as u32;
        self.open(file);
        self.pump();
        let end = Token { lo: self.end, hi: self.end, ..Token::bare(Kind::Eof) };
        self.printer.end(end);
        let expanded = std::mem::take(&mut self.printer.out);
        let diagnostics = std::mem::take(&mut self.diagnostics);
        (expanded, diagnostics, self.into_macros())
    }

    /// Preprocesses a C unit.
    pub(super) fn run_c(mut self, file: FileId) -> (Pieces, Diagnostics) {
        let dialect = self.dialect.expect("C has a dialect");
        self.define_builtins();
        let predefined = self.map.add_file("<built-in>", dialect.target.macros());
        self.open(predefined);
        self.pump();
        if let Some(commands) = self.command_line() {
            self.open(commands);
            self.pump();
        }
        self.open(file);
        self.pump();
        let end = self.map.base(file) + self.map.text(file).len() as u32;
        let end = Token { lo: end, hi: end, ..Token::bare(Kind::Eof) }.span();
        self.pragma_operators();
        (Pieces { list: self.pieces, end, names: self.names }, self.diagnostics)
    }

    /// Turns `_Pragma("text")` into the token that `#pragma text` gives.
    fn pragma_operators(&mut self) {
        let operator = self.names.intern("_Pragma");
        if !self.pieces.iter().any(|p| p.text == operator) {
            return;
        }
        let mut out: Vec<Piece> = Vec::with_capacity(self.pieces.len());
        for &piece in &self.pieces {
            out.push(piece);
            let [.., word, open, text, close] = out[..] else { continue };
            let is_operator = word.text == operator && word.kind == PieceKind::Name;
            if is_operator && open.text == sym::OPEN && close.text == sym::CLOSE && text.kind == PieceKind::String {
                let quoted = self.names.text(text.text);
                let inner =
                    quoted.trim_start_matches('L').trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\");
                let text = self.names.intern(inner.trim());
                out.truncate(out.len() - 4);
                out.push(Piece { kind: PieceKind::Pragma, text, span: word.span });
            }
        }
        self.pieces = out;
    }

    /// Moves a token to the list of a C unit.
    pub(super) fn put_piece(&mut self, token: Token) {
        let kind = match token.kind {
            Kind::Name => PieceKind::Name,
            Kind::Number => PieceKind::Number,
            Kind::String => PieceKind::String,
            Kind::Char => PieceKind::Char,
            Kind::Punct => PieceKind::Punct,
            Kind::Other => PieceKind::Other,
            Kind::Param | Kind::Padding | Kind::Eof => return,
        };
        self.pieces.push(Piece { kind, text: token.text, span: token.span() });
        if self.pieces.len() > limits::PIECES_MAX {
            self.stop(token.span(), "the expanded text is too long", "more than 16 million tokens");
        }
    }

    /// The macros of the command line, as a file of directives.
    fn command_line(&mut self) -> Option<FileId> {
        let mut text = String::new();
        for define in &self.options.defines {
            // A newline would end the directive and start another.
            let one_line = |s: &str| s.lines().next().unwrap_or("").to_string();
            match define {
                Define::Set(name, Some(value)) => {
                    text += &format!("#define {} {}\n", one_line(name), one_line(value));
                }
                Define::Set(name, None) => match one_line(name).split_once('=') {
                    Some((name, value)) => text += &format!("#define {name} {value}\n"),
                    None => text += &format!("#define {} 1\n", one_line(name)),
                },
                Define::Unset(name) => text += &format!("#undef {}\n", one_line(name)),
            }
        }
        (!text.is_empty()).then(|| self.map.add_file("<command line>", text))
    }

    /// Moves all tokens to the output.
    fn pump(&mut self) {
        loop {
            let token = self.next(0);
            if token.kind == Kind::Eof {
                return;
            }
            if self.dialect.is_some() {
                self.put_piece(token);
                continue;
            }
            if token.kind == Kind::Number {
                self.check_number(token);
            }
            let direct = self.contexts.is_empty();
            let line = if direct { self.line } else { self.use_line };
            let around = if direct { around(&self.buffers) } else { None };
            self.printer.put(token, line, &self.names, around);
            if self.printer.out.text.len() > limits::OUTPUT_BYTES_MAX {
                let span = token.span();
                self.stop(span, "the expanded text is too long", "more than 64 MiB");
            }
        }
    }

    /// Starts reading a file.
    pub(super) fn open(&mut self, file: FileId) {
        let text = self.map.text(file).clone();
        self.input_bytes += text.len();
        let base = self.map.base(file);
        self.buffers.push(Buffer {
            file,
            base,
            cursor: Cursor::of(text, self.dialect.is_some()),
            conditionals: Vec::new(),
            next_dir: 0,
        });
        self.printer.enter(1);
    }

    /// Adds a message, unless there are too many.
    pub(super) fn say(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < limits::MESSAGES_MAX || (self.stopped && !self.diagnostics.has_errors()) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Adds a message about text that may be read more than once.
    pub(super) fn say_once(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.iter().any(|d| d.span == diagnostic.span && d.code == diagnostic.code) {
            self.say(diagnostic);
        }
    }

    /// Gives up because a limit is passed.
    pub(super) fn stop(&mut self, span: Span, message: &str, bound: &str) {
        if !self.stopped {
            self.stopped = true;
            self.diagnostics.push(
                Diagnostic::error("preprocessor-limit", span, message)
                    .label(bound)
                    .note("the rest of the model is not read"),
            );
        }
    }

    /// The definition of a name, if it is a macro.
    pub(super) fn definition(&self, name: Symbol) -> Option<&Definition> {
        self.macros.get(name.0 as usize)?.as_ref()
    }

    /// Whether `#ifdef` holds for a name.
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        self.definition(name).is_some() || (self.dialect.is_some() && is_has_operator(name))
    }

    /// A place for something about `name` in a table by symbol.
    pub(super) fn set_definition(&mut self, name: Symbol, definition: Option<Definition>) {
        if self.macros.len() <= name.0 as usize {
            self.macros.resize_with(self.names.len(), || None);
        }
        self.macros[name.0 as usize] = definition;
    }
}
