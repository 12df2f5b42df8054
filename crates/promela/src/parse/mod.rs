//! The parser: from expanded text to the tree.
//!
//! Recursive descent with one token of lookahead, which is read as late as possible: what a token is depends on what
//! the parser has done before (open parentheses, declared names, the head of a `for`). `lexer` makes raw tokens,
//! `filter` adds and drops semicolons, `unit`, `decl`, `stmt`, `expr` and `inline` follow the grammar,
//! `report` and its helpers word the messages and find the place to go on after one.
//!
//! Every nesting in the input is bounded by [`NESTING_MAX`], so that neither the parser nor what walks the tree
//! afterwards runs out of stack. The parser itself runs on a thread with room for that depth.

mod constant;
mod decl;
mod expr;
mod filter;
mod fragments;
mod inline;
mod lexer;
mod message;
mod mistakes_decl;
mod mistakes_expr;
mod mistakes_stmt;
mod report;
mod scan;
mod select;
mod stmt;
mod tokens;
mod unit;

use crate::ast::{At, Expr, Ident, IdentId, Program, Unit};
use crate::preprocess::Expanded;
use ferrospin_source::{Diagnostics, SourceMap, Span};
use lexer::Lexer;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tokens::{Tok, Token};

/// How deep expressions and statements may nest. A chain of operators counts one for each; a statement counts
/// four, because walking one takes more stack.
pub const NESTING_MAX: u32 = 2_000;

/// What one level of statements counts towards [`NESTING_MAX`].
const STATEMENT_WEIGHT: u32 = 4;

/// Stack of the parser's thread: enough for the nesting above in an unoptimised build.
const STACK_BYTES: usize = 256 << 20;

/// After this many errors the rest of the text is not read.
const ERRORS_MAX: usize = 100;

/// Parses expanded text.
pub fn parse(map: &mut SourceMap, text: &Expanded) -> (Program, Diagnostics) {
    on_large_stack(|| {
        let mut p = Parser::new(map, text, 0);
        let units = p.program();
        (Program { units, ident_count: p.ident_count }, p.lx.said)
    })
}

/// A formula on its own.
pub struct LoneFormula {
    /// The formula.
    pub expr: Expr,
    /// How many identifiers it and the program have.
    pub ident_count: u32,
}

/// Parses a formula given on its own, such as one of the command line, as if it stood in an `ltl` block at the end of
/// the program. Its identifiers are numbered after those of the program.
pub fn parse_formula(map: &mut SourceMap, text: &Expanded, program: &Program) -> (Option<LoneFormula>, Diagnostics) {
    on_large_stack(|| {
        let mut p = Parser::new(map, text, program.ident_count);
        p.learn(&program.units);
        p.lx.ltl_mode = true;
        let taken = |word: &str| {
            let is_variable = |u: &Unit| matches!(u, Unit::Decl(d) if d.vars.iter().any(|v| &*v.name.name == word));
            let known = &p.lx.known;
            program.units.iter().any(is_variable) || known.mtypes.contains_key(word) || known.proctypes.contains(word)
        };
        p.lx.operators = tokens::LTL_LETTERS.iter().filter(|(word, _)| !taken(word)).copied().collect();
        let expr = p.lone_formula();
        (expr.map(|expr| LoneFormula { expr, ident_count: p.ident_count }), p.lx.said)
    })
}

/// Where the system gives no thread with such a stack, one with less has to do, and at last this one.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // Only a thread that did start takes the work out.
    let work = std::sync::Mutex::new(Some(work));
    let run = || {
        let taken = work.lock().expect("nothing panics while it is held").take();
        taken.expect("the work is done once")()
    };
    std::thread::scope(|scope| {
        for bytes in [STACK_BYTES, STACK_BYTES / 4] {
            if let Ok(thread) =
                std::thread::Builder::new().name("parser".into()).stack_size(bytes).spawn_scoped(scope, run)
            {
                return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        }
        run()
    })
}

/// A message has been given and what was to be read is not there.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    lx: Lexer<'a>,
    ahead: Option<Token>,
    /// The last token taken.
    prev: Token,
    ident_count: u32,
    words: FxHashMap<&'a str, Arc<str>>,
    /// Open statements and expressions.
    depth: u32,
    /// Height of the expression read last.
    height: u32,
    /// The constructs around the current statement: `if`, `do` or `{`.
    open: Vec<Tok>,
    /// Open braces of the part at top level that is being read.
    braces: usize,
    /// Loops around the current statement.
    loops: u32,
    /// Inside a process, claim or `init`.
    in_body: bool,
    in_trace: bool,
    in_params: bool,
    /// Tokens of the inline argument that is being read.
    record: Option<Vec<Token>>,
    /// `mtype` lists by name, each constant with its place in the list.
    mtype_lists: FxHashMap<Arc<str>, i32>,
    /// Position in the text of the token the last error was about.
    failed_at: Option<(u32, usize)>,
    errors: usize,
}

impl<'a> Parser<'a> {
    fn new(map: &'a mut SourceMap, text: &'a Expanded, ident_count: u32) -> Self {
        Parser {
            lx: Lexer::new(map, text),
            ahead: None,
            prev: Token { tok: Tok::Eof, value: 0, span: Span::NONE, lo: 0, hi: 0, implied: false },
            ident_count,
            words: FxHashMap::default(),
            depth: 0,
            height: 0,
            open: Vec::new(),
            braces: 0,
            loops: 0,
            in_body: false,
            in_trace: false,
            in_params: false,
            record: None,
            mtype_lists: FxHashMap::default(),
            failed_at: None,
            errors: 0,
        }
    }

    /// Takes over the names of a program that has been read.
    fn learn(&mut self, units: &[Unit]) {
        for unit in units {
            match unit {
                Unit::Mtype(m) => self.declare_mtypes(m.name.as_ref(), &m.constants),
                Unit::Typedef(t) => {
                    self.lx.known.typedefs.insert(t.name.name.clone());
                }
                Unit::Proctype(p) => {
                    self.lx.known.proctypes.insert(p.name.name.clone());
                }
                Unit::Decl(d) if d.vars.iter().any(|v| &*v.name.name == "not") => {
                    self.lx.known.not_is_variable = true;
                }
                _ => {}
            }
        }
    }

    fn peek(&mut self) -> Tok {
        self.peek_token().tok
    }

    fn peek_token(&mut self) -> Token {
        if let Some(t) = self.ahead {
            return t;
        }
        let t = self.lx.next();
        self.ahead = Some(t);
        if self.lx.inlined_tokens > inline::TOKENS_MAX && !self.lx.exhausted {
            self.inline_overflow();
        }
        t
    }

    fn bump(&mut self) -> Token {
        let t = self.peek_token();
        self.ahead = None;
        self.prev = t;
        if let Some(record) = &mut self.record {
            record.push(t);
        }
        t
    }

    fn at(&mut self, tok: Tok) -> bool {
        self.peek() == tok
    }

    /// Takes the token if it is the given one.
    fn eat(&mut self, tok: Tok) -> bool {
        let yes = self.at(tok);
        if yes {
            self.bump();
        }
        yes
    }

    fn expect(&mut self, tok: Tok, context: &str) -> Parsed<Token> {
        if self.at(tok) { Ok(self.bump()) } else { Err(self.unexpected(&report::describe_kind(tok), context)) }
    }

    /// Takes `(`; from here on line breaks do not end statements.
    fn l_paren(&mut self, context: &str) -> Parsed<Token> {
        let t = self.expect(Tok::LParen, context)?;
        self.lx.parens += 1;
        Ok(t)
    }

    fn r_paren(&mut self, context: &str) -> Parsed<Token> {
        let t = self.expect(Tok::RParen, context)?;
        self.lx.parens = self.lx.parens.saturating_sub(1);
        Ok(t)
    }

    fn intern(&mut self, word: &'a str) -> Arc<str> {
        self.words.entry(word).or_insert_with(|| word.into()).clone()
    }

    fn ident_of(&mut self, t: Token) -> Ident {
        let name = self.intern(self.lx.token_text(&t));
        let id = IdentId(self.ident_count);
        self.ident_count += 1;
        Ident { name, at: At(t.span), id }
    }

    /// A name that has not been declared as a type, process, inline or constant.
    fn name(&mut self, what: &str) -> Parsed<Ident> {
        if self.at(Tok::Name) {
            let t = self.bump();
            return Ok(self.ident_of(t));
        }
        Err(self.not_a_name(what))
    }

    fn join(&self, a: Span, b: Span) -> Span {
        self.lx.map.join(a, b)
    }

    /// From a place to the last token taken.
    fn since(&self, from: Span) -> At {
        At(self.join(from, self.prev.span))
    }

    /// Runs `work` one level of expressions deeper, or gives up.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.deeper_by(1, work)
    }

    /// Runs `work` one level of statements deeper, or gives up.
    fn deeper_statement<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.deeper_by(STATEMENT_WEIGHT, work)
    }

    fn deeper_by<T>(&mut self, weight: u32, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth + weight > NESTING_MAX {
            return Err(self.too_deep());
        }
        self.depth += weight;
        let result = work(self);
        self.depth -= weight;
        result
    }

    /// Makes the expression read last one higher than its highest part, or gives up.
    fn grow(&mut self, height: u32) -> Parsed<()> {
        self.height = height + 1;
        if self.depth + self.height > NESTING_MAX { Err(self.too_deep()) } else { Ok(()) }
    }
}
