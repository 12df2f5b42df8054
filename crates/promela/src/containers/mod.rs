//! Sets and queues: an extension of the language, on where a comment says `ferrospin: containers`.
//!
//! ```text
//! enum artist = { a1, a2, a3 };   set s = [3] of { artist };   queue of artist[2] q;
//! s.insert(a1)  s.erase(v)  s.clear()  s.find(v)  s.empty()  s.size()  for (v in s) { ... }
//! q.push(v)     q.pop()     q.front()  q.find(v)  q.empty()  q.size()
//! ```
//!
//! The idea is Cheng's ("Crafting a Promela Front-End with Abstract Data Types", SPIN 2005): whoever models says what is meant, and the
//! representation with the fewest states is chosen for him. Here it is chosen by rewriting: operations are replaced in the expanded text by
//! plain Promela, as macros are, and point to where they are written. Everything behind, executors, reductions and pictures, sees bits.
//! What an operation becomes is in [`operations`]; names are followed by blocks, so that a container may be local.

mod operations;
mod tokens;

use ferrospin_cpp::{Expanded, Segment};
use ferrospin_source::{Diagnostic, Diagnostics, Span};
use operations::{Container, Enumeration, Kind, iteration};
use rustc_hash::FxHashMap;
use tokens::{Kind as Sort, Token, tokens};

/// Members that an enumeration may have: bits of a number that is never negative.
pub const MEMBERS_MAX: usize = 30;

/// The code of its diagnostics.
const CODE: &str = "container";

/// Whether a text asks for the extension, in a comment of its own line.
pub fn is_asked_for(text: &str) -> bool {
    text.lines().any(|line| {
        let Some((front, rest)) = line.split_once("ferrospin:") else { return false };
        let front = front.trim();
        (front.ends_with("//") || front.ends_with("/*") || front == "*" || front.is_empty())
            && rest.trim().trim_end_matches("*/").trim() == "containers"
    })
}

/// Codes of lints that the text of operations brings about, whatever the model does.
pub const OF_REPLACED: [&str; 3] = ["bool-number", "narrowing", "ltl-precedence"];

/// Replaces enumerations, sets and queues by plain Promela; says where operations stood.
pub fn rewrite(expanded: &Expanded) -> (Expanded, Diagnostics, Vec<Span>) {
    let tokens = tokens(&expanded.text);
    let mut rewriter = Rewriter {
        from: expanded,
        tokens,
        copied: 0,
        out: Expanded { pragmas: expanded.pragmas.clone(), ..Expanded::default() },
        said: Diagnostics::default(),
        enumerations: Vec::new(),
        scopes: vec![FxHashMap::default()],
        blocks: Vec::new(),
        parentheses: 0,
        declaring: None,
        replaced: Vec::new(),
    };
    let mut at = 0;
    while at < rewriter.tokens.len() {
        at = rewriter.step(at);
    }
    rewriter.copy(expanded.text.len());
    let end = expanded.segments.last().map_or(Span::NONE, |s| s.span);
    rewriter.out.segments.push(Segment { start: rewriter.out.text.len() as u32, span: end, linear: false });
    (rewriter.out, rewriter.said, rewriter.replaced)
}

/// A block that is open.
struct Block {
    /// It is a `d_step`.
    is_step: bool,
    /// What replaces its closing brace.
    closing: Option<String>,
}

struct Rewriter<'a> {
    from: &'a Expanded,
    tokens: Vec<Token>,
    /// As far as the text was taken over or replaced.
    copied: usize,
    out: Expanded,
    said: Diagnostics,
    enumerations: Vec<Enumeration>,
    scopes: Vec<FxHashMap<String, Container>>,
    blocks: Vec<Block>,
    parentheses: usize,
    /// Variables of this enumeration are being declared.
    declaring: Option<usize>,
    /// Where operations stood.
    replaced: Vec<Span>,
}

impl<'a> Rewriter<'a> {
    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| &self.from.text[t.lo..t.hi])
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == Sort::Name)
    }

    /// Where these tokens come from, the second one included.
    fn span(&self, first: usize, last: usize) -> Span {
        let last = last.min(self.tokens.len() - 1).max(first);
        let (a, b) = (self.tokens[first], self.tokens[last]);
        let (from, to) = (self.from.span(a.lo, a.hi), self.from.span(b.lo, b.hi));
        match from.expansion == to.expansion && to.hi >= from.lo {
            true => Span { hi: to.hi, ..from },
            false => from,
        }
    }

    fn complain(&mut self, first: usize, last: usize, message: impl Into<String>) {
        let span = self.span(first, last);
        self.said.push(Diagnostic::error(CODE, span, message));
    }

    /// Takes the text over up to an offset.
    fn copy(&mut self, to: usize) {
        let segments = &self.from.segments;
        while self.copied < to {
            let lo = self.copied;
            let next = segments.partition_point(|s| s.start as usize <= lo);
            let hi = segments.get(next).map_or(to, |s| to.min(s.start as usize));
            if let Some(s) = next.checked_sub(1).map(|i| segments[i]) {
                let mut span = s.span;
                span.lo += if s.linear { lo as u32 - s.start } else { 0 };
                self.out.segments.push(Segment { start: self.out.text.len() as u32, span, linear: s.linear });
            }
            self.out.text += &self.from.text[lo..hi];
            self.copied = hi;
        }
    }

    /// Puts a text in the place of tokens, the second one included.
    fn replace(&mut self, first: usize, last: usize, text: &str) {
        let span = self.span(first, last);
        self.replaced.push(span);
        self.copy(self.tokens[first].lo);
        self.out.segments.push(Segment { start: self.out.text.len() as u32, span, linear: false });
        self.out.text += text;
        self.copied = self.tokens[last.min(self.tokens.len() - 1)].hi;
    }

    fn container(&self, name: &str) -> Option<Container> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    fn enumeration(&self, name: &str) -> Option<usize> {
        self.enumerations.iter().position(|e| e.name == name)
    }

    /// Looks at a token, and says which is next.
    fn step(&mut self, at: usize) -> usize {
        let word = self.text(at);
        match word {
            "{" => {
                let is_step = at > 0 && self.text(at - 1) == "d_step";
                self.open(Block { is_step, closing: None });
            }
            "}" => {
                self.declaring = None;
                if self.scopes.len() > 1 {
                    self.scopes.pop();
                }
                if let Some(closing) = self.blocks.pop().and_then(|b| b.closing) {
                    self.replace(at, at, &closing);
                }
            }
            "(" => self.parentheses += 1,
            ")" => self.parentheses = self.parentheses.saturating_sub(1),
            ";" | "->" => self.declaring = None,
            "," if self.parentheses == 0 && self.declaring.is_some() => return self.declarator(at + 1),
            "enum" if self.is_name(at + 1) => return self.enumerate(at),
            "set" if self.is_name(at + 1) => return self.declare(at, Kind::Set),
            "queue" if self.is_name(at + 1) => return self.declare(at, Kind::Queue),
            "for" if self.text(at + 1) == "(" && self.text(at + 3) == "in" => return self.iterate(at),
            _ if self.is_name(at) && (at == 0 || self.text(at - 1) != ".") => return self.name(at),
            _ => {}
        }
        at + 1
    }

    fn open(&mut self, block: Block) {
        self.blocks.push(block);
        self.scopes.push(FxHashMap::default());
    }

    /// `enum NAME = { MEMBER, ... }`
    fn enumerate(&mut self, at: usize) -> usize {
        let name = self.text(at + 1);
        let open = at + 2 + usize::from(self.text(at + 2) == "=");
        if self.text(open) != "{" {
            self.complain(at, at + 1, "an enumeration is written `enum NAME = { MEMBER, ... }`");
            return at + 2;
        }
        let (mut members, mut next) = (Vec::new(), open + 1);
        loop {
            if !self.is_name(next) {
                self.complain(at, next, "an enumeration is written `enum NAME = { MEMBER, ... }`");
                return next;
            }
            members.push(self.text(next).to_owned());
            match self.text(next + 1) {
                "," => next += 2,
                "}" => break,
                _ => {
                    self.complain(next, next + 1, "expected `,` or `}` in an enumeration");
                    return next + 1;
                }
            }
        }
        if !self.blocks.is_empty() {
            self.complain(at, at + 1, "an enumeration stands outside of processes");
        } else if self.enumeration(name).is_some() {
            self.complain(at + 1, at + 1, format!("there is an enumeration `{name}` already"));
        } else if members.len() > MEMBERS_MAX {
            self.complain(
                at,
                at + 1,
                format!("an enumeration has at most {MEMBERS_MAX} members; this one has {}", members.len()),
            );
        }
        self.replace(at, next + 1, &format!("mtype:{name} = {{ {} }}", members.join(", ")));
        self.enumerations.push(Enumeration { name: name.to_owned(), members });
        next + 2
    }

    /// `set NAME = [N] of { ENUM }`, or `set of ENUM[N] NAME, ...`
    fn declare(&mut self, at: usize, kind: Kind) -> usize {
        let form =
            format!("a {0} is declared as `{0} NAME = [ROOM] of {{ ENUM }}` or `{0} of ENUM[ROOM] NAME`", kind.word());
        let is_prefix = self.text(at + 1) == "of";
        let signs: &[(usize, &str)] = if is_prefix {
            &[(3, "["), (5, "]")]
        } else {
            &[(2, "="), (3, "["), (5, "]"), (6, "of"), (7, "{"), (9, "}")]
        };
        if let Some((wrong, _)) = signs.iter().find(|(i, sign)| self.text(at + i) != *sign) {
            self.complain(at, at + wrong, form);
            return at + 1;
        }
        let (of, room) = if is_prefix { (at + 2, at + 4) } else { (at + 8, at + 4) };
        let Some(number) = self.enumeration(self.text(of)) else {
            let names: Vec<&str> = self.enumerations.iter().map(|e| e.name.as_str()).collect();
            let hint = ferrospin_source::suggest::did_you_mean(self.text(of), names);
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            let what = format!(
                "`{}` is no enumeration that was declared{hint}: only these have finitely many values",
                self.text(of)
            );
            self.complain(of, of, what);
            return of + 1;
        };
        let size = self.enumerations[number].members.len();
        let room = match self.text(room).parse::<usize>() {
            Ok(0) => Err(format!("a {} has room for one value at least", kind.word())),
            Ok(n) if n > size => Err(format!(
                "a {} with room for {n} is larger than its enumeration: `{}` has {size} values, and none is held twice",
                kind.word(),
                self.enumerations[number].name
            )),
            Ok(n) => Ok(n),
            Err(_) => Err("the room is a number".to_owned()),
        };
        let (first, mut last) = if is_prefix { (at + 6, at + 6) } else { (at + 1, at + 9) };
        let mut names = vec![first];
        while is_prefix && self.text(last + 1) == "," {
            last += 2;
            names.push(last);
        }
        let room = match room {
            Ok(room) => room,
            Err(why) => {
                self.complain(at + 4, at + 4, why);
                1
            }
        };
        let container = Container { kind, room, of: number };
        let mut texts = Vec::new();
        for at in names {
            let name = self.text(at);
            if !self.is_name(at) {
                self.complain(at, at, "expected a name");
                return at + 1;
            }
            if self.parentheses > 0 {
                self.complain(at, at, format!("a {} cannot be a parameter", kind.word()));
            }
            texts.push(container.declaration(name, &self.enumerations[number]));
            self.scopes.last_mut().expect("there is a scope").insert(name.to_owned(), container);
        }
        self.replace(at, last, &texts.join("; "));
        last + 1
    }

    /// A name: a type of variables, a container, or something else.
    fn name(&mut self, at: usize) -> usize {
        let name = self.text(at);
        if let Some(number) = self.enumeration(name) {
            self.replace(at, at, &format!("mtype:{name}"));
            // Not parameters, whose values are arguments, and not fields of channels.
            if self.is_name(at + 1) && self.parentheses == 0 {
                self.declaring = Some(number);
                return self.declarator(at + 1);
            }
            return at + 1;
        }
        let is_operation = self.text(at + 1) == "." && self.is_name(at + 2) && self.text(at + 3) == "(";
        let Some(container) = self.container(name) else {
            if is_operation {
                self.complain(at, at + 2, format!("`{name}` is no set and no queue here"));
                return at + 3;
            }
            return at + 1;
        };
        if !is_operation {
            let word = container.kind.word();
            self.complain(
                at,
                at,
                format!("`{name}` is a {word}: it is used by its operations only, as in `{name}.size()`"),
            );
            return at + 1;
        }
        match self.operation(at, container) {
            Some((text, last)) => {
                self.replace(at, last, &text);
                last + 1
            }
            None => at + 4,
        }
    }

    /// A variable of an enumeration: it begins with the first member, unless something else is said.
    fn declarator(&mut self, at: usize) -> usize {
        let Some(number) = self.declaring else { return at };
        let mut last = at;
        if self.text(at + 1) == "[" {
            while last < self.tokens.len() && self.text(last) != "]" {
                last += 1;
            }
        }
        if last >= self.tokens.len() || !self.is_name(at) {
            self.declaring = None;
            return at;
        }
        if self.text(last + 1) == "=" {
            return last + 1;
        }
        self.copy(self.tokens[last].hi);
        let first = format!(" = {}", self.enumerations[number].members[0]);
        let span = self.span(at, last);
        self.out.segments.push(Segment { start: self.out.text.len() as u32, span, linear: false });
        self.out.text += &first;
        if self.text(last + 1) != "," {
            self.declaring = None;
        }
        last + 1
    }

    /// The plain text of an operation whose name stands at `at`, and its last token.
    fn operation(&mut self, at: usize, container: Container) -> Option<(String, usize)> {
        let (name, operation) = (self.text(at), self.text(at + 2));
        let Some((_, arguments, is_statement)) = container.kind.operations().iter().find(|o| o.0 == operation) else {
            self.complain(at + 2, at + 2, container.kind.unknown(operation));
            return None;
        };
        let (v, last) = self.argument(at + 4)?;
        let of = &self.enumerations[container.of];
        let foreign = self.enumerations.iter().find(|e| e.name != of.name && e.members.contains(&v));
        if let Some(foreign) = foreign {
            let why = format!("`{v}` is a value of `{}`; `{name}` holds values of `{}`", foreign.name, of.name);
            self.complain(at + 4, last - 1, why);
            return None;
        }
        if v.is_empty() != (*arguments == 0) {
            let wanted = if *arguments == 0 { "takes no argument" } else { "takes a value" };
            self.complain(at, last, format!("`{name}.{operation}` {wanted}"));
            return None;
        }
        let before = if at == 0 { "" } else { self.text(at - 1) };
        let inside =
            ["=", "(", "[", ",", "+", "-", "*", "/", "%", "!", "?", "&", "|", "^", "~", "<", ">", "&&", "||", "=="];
        if *is_statement && (inside.contains(&before) || ["!=", "<=", ">=", "<<", ">>", "!!"].contains(&before)) {
            self.complain(at, last, format!("`{name}.{operation}` is a statement, and has no value"));
            return None;
        }
        let is_inside = self.blocks.iter().any(|b| b.is_step);
        let v = if v.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') { v } else { format!("({v})") };
        Some((container.operation(name, operation, &v, &self.enumerations[container.of], is_inside), last))
    }

    /// What stands between parentheses, rewritten, and the token that closes them.
    fn argument(&mut self, first: usize) -> Option<(String, usize)> {
        let (mut at, mut depth, mut text) = (first, 0usize, String::new());
        loop {
            match self.text(at) {
                "" | ";" | "{" | "}" => {
                    self.complain(first - 1, first - 1, "this parenthesis is not closed");
                    return None;
                }
                ")" if depth == 0 => return Some((text.trim().to_owned(), at)),
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                name if self.is_name(at) && self.text(at + 1) == "." && self.text(at - 1) != "." => {
                    if let Some(container) = self.container(name) {
                        let (inner, last) = self.operation(at, container)?;
                        text += &inner;
                        at = last + 1;
                        continue;
                    }
                }
                _ => {}
            }
            if !text.is_empty() && self.is_name(at) {
                text.push(' ');
            }
            text += self.text(at);
            at += 1;
        }
    }

    /// `for (V in SET) {`
    fn iterate(&mut self, at: usize) -> usize {
        let (v, name) = (self.text(at + 2), self.text(at + 4));
        let Some(container) = self.container(name) else { return at + 1 };
        if container.kind == Kind::Queue {
            self.complain(at + 4, at + 4, format!("`{name}` is a queue: only sets are gone through by `for`"));
            return at + 5;
        }
        if self.text(at + 5) != ")" || self.text(at + 6) != "{" || !self.is_name(at + 2) {
            self.complain(at, at + 5, "a set is gone through by `for (V in SET) { ... }`");
            return at + 5;
        }
        let (head, closing) = iteration(v, name, &self.enumerations[container.of]);
        self.replace(at, at + 6, &head);
        self.open(Block { is_step: false, closing: Some(closing) });
        at + 7
    }
}
