//! One text of C from all fragments of a model, and the way back from a place in it.
//!
//! The order is SPIN's: declarations, then what the state looks like to C (`now.x`, `Pname->x`), then definitions. Each fragment that
//! is run becomes a function. The structures that stand for the state exist for their members alone: [`crate::members`] makes
//! a variable of each member.

use ferrospin_lower::embedded::{Key, Object};
use ferrospin_promela::ast::{CFragment, CObject};
use ferrospin_promela::embedded::{Embedded, Kind};
use ferrospin_promela::names::{Body, BodyKind, Names, Ty, Var, VarId};
use ferrospin_source::{Diagnostic, Diagnostics, SourceMap, Span};
use std::collections::HashMap;
use std::fmt::Write;

/// What stands for the globals.
pub(crate) const NOW: &str = "now";

/// What C has without being told: the headers that SPIN's verifier includes, and its own functions.
const PRELUDE: &str = "\
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned char uchar;
typedef unsigned int uint;
int Printf(const char *, ...);
void uerror(const char *);
";

/// Where a stretch of the text came from.
struct Part {
    start: usize,
    end: usize,
    /// The fragment it belongs to.
    span: Span,
    /// Whether it is the last thing in the fragment that reads so, not the first.
    last: bool,
}

/// A member of a structure that stands for the state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Member {
    Var(VarId),
    /// A `c_state`, by position.
    State(usize),
    Pid,
    ProcessCount,
    ChannelCount,
}

/// `c_state`, taken apart.
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) init: Option<String>,
    pub(crate) scope: Scope,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    Global,
    Hidden,
    /// In the frames of a process type.
    Local(usize),
}

/// `c_track`, taken apart.
pub(crate) struct Track {
    pub(crate) unmatched: bool,
    pub(crate) address: String,
    pub(crate) span: Span,
}

/// A text of C.
pub(crate) struct Text {
    pub(crate) text: String,
    parts: Vec<Part>,
    /// Which members stand for what, by structure (`now`, or the pointer of a process type) and name.
    pub(crate) members: HashMap<(String, String), Member>,
    pub(crate) state: Vec<State>,
    pub(crate) tracked: Vec<Track>,
    /// What is run, in the order of their numbers.
    pub(crate) fragments: Vec<(Key, Span)>,
    pub(crate) said: Diagnostics,
}

/// Names of the functions that are made.
pub(crate) fn function(what: &str, number: usize) -> String {
    format!("__ferrospin_{what}_{number}")
}

impl Text {
    pub(crate) fn of(names: &Names, c: &Embedded) -> Text {
        let mut t = Text {
            text: PRELUDE.into(),
            parts: Vec::new(),
            members: HashMap::new(),
            state: Vec::new(),
            tracked: Vec::new(),
            fragments: Vec::new(),
            said: Diagnostics::default(),
        };
        for d in &c.declarations {
            t.fragment(d);
        }
        t.state = c.state.iter().map(|o| state(&mut t.said, names, o)).collect();
        t.structures(names, c);
        for (i, o) in c.state.iter().enumerate() {
            if t.state[i].scope != Scope::Hidden {
                continue;
            }
            let init = t.state[i].init.clone();
            t.string(o, 0);
            if init.is_some() {
                t.text += " = ";
                t.string(o, 2);
            }
            t.text += ";\n";
        }
        for d in &c.definitions {
            t.fragment(d);
        }
        t.functions(names, c);
        t.tracking(c);
        t
    }

    /// The place in the model of a place in the text.
    pub(crate) fn place(&self, map: &SourceMap, at: usize) -> Span {
        let i = self.parts.partition_point(|p| p.end <= at);
        let Some(part) = self.parts.get(i).filter(|p| p.start <= at) else { return Span::NONE };
        let text = &self.text[part.start..part.end];
        let (Some((file, range)), snippet) = (map.spelling(part.span), map.snippet(part.span)) else {
            return part.span;
        };
        // Where a macro stood in the fragment its text is another one, and only the whole is known.
        let found = if part.last { snippet.rfind(text) } else { snippet.find(text) };
        match found {
            Some(i) => {
                let lo = range.start + i + (at - part.start);
                map.span(file, lo, (lo + 1).min(range.end))
            }
            None => part.span,
        }
    }

    fn push(&mut self, text: &str, span: Span, last: bool) {
        let start = self.text.len();
        self.text += text;
        self.parts.push(Part { start, end: self.text.len(), span, last });
    }

    /// The text of a fragment; `\#` in front of a line means a directive of C.
    fn fragment(&mut self, c: &CFragment) {
        let lines: Vec<String> = c
            .text
            .split('\n')
            .map(|line| match line.trim_start().strip_prefix("\\#") {
                Some(rest) => format!("{} #{rest}", &line[..line.len() - rest.len() - 2]),
                None => line.to_string(),
            })
            .collect();
        self.push(&lines.join("\n"), c.at.0, true);
        self.text += "\n";
    }

    fn string(&mut self, o: &CObject, index: usize) {
        let text = o.strings.get(index).cloned().unwrap_or_default();
        self.push(&text, o.at.0, false);
    }

    /// What the state looks like.
    fn structures(&mut self, names: &Names, c: &Embedded) {
        self.text += "#pragma pack(push, 1)\n";
        for r in &names.records {
            let _ = write!(self.text, "struct {} {{ ", r.name);
            for f in &r.fields {
                declare(&mut self.text, names, f);
            }
            self.text += "};\n";
        }
        self.text += "struct __ferrospin_state { ";
        let globals: Vec<(usize, &Var)> = names.vars.iter().enumerate().filter(|(_, v)| v.body.is_none()).collect();
        for (i, v) in globals {
            if declare(&mut self.text, names, v) {
                self.members.insert((NOW.into(), v.name.to_string()), Member::Var(VarId(i as u32)));
            }
        }
        for (i, o) in c.state.iter().enumerate() {
            if self.state[i].scope == Scope::Global {
                self.string(o, 0);
                self.text += "; ";
                self.members.insert((NOW.into(), self.state[i].name.clone()), Member::State(i));
            }
        }
        self.text += "uchar _nr_pr; uchar _nr_qs; };\nextern struct __ferrospin_state now;\n";
        self.members.insert((NOW.into(), "_nr_pr".into()), Member::ProcessCount);
        self.members.insert((NOW.into(), "_nr_qs".into()), Member::ChannelCount);
        let all = || c.declarations.iter().chain(&c.definitions).chain(c.fragments.iter().map(|f| &f.c));
        for (i, body) in names.bodies.iter().enumerate() {
            let pointer = format!("P{}", body.name);
            let own = self.state.iter().any(|s| s.scope == Scope::Local(i));
            let named = |f: &CFragment| {
                mentions(&f.text, &pointer) || f.precondition.as_ref().is_some_and(|p| mentions(p, &pointer))
            };
            if !own && !all().any(named) {
                continue;
            }
            self.frame(names, body, i, &pointer, c);
        }
        self.text += "#pragma pack(pop)\n";
    }

    fn frame(&mut self, names: &Names, body: &Body, index: usize, pointer: &str, c: &Embedded) {
        let _ = write!(self.text, "struct __ferrospin_frame_{index} {{ ");
        let var = |v: &VarId| &names.vars[v.index()];
        for id in &body.vars {
            // Of two variables of one name C could not say which is meant.
            let alone = body.vars.iter().filter(|o| var(o).name == var(id).name).count() == 1;
            if alone && declare(&mut self.text, names, var(id)) {
                self.members.insert((pointer.into(), var(id).name.to_string()), Member::Var(*id));
            }
        }
        for (i, o) in c.state.iter().enumerate() {
            if self.state[i].scope == Scope::Local(index) {
                self.string(o, 0);
                self.text += "; ";
                self.members.insert((pointer.into(), self.state[i].name.clone()), Member::State(i));
            }
        }
        let _ = writeln!(self.text, "uchar _pid; }};\nextern struct __ferrospin_frame_{index} *{pointer};");
        self.members.insert((pointer.into(), "_pid".into()), Member::Pid);
    }

    /// A function for each fragment that is run, and for each first value.
    fn functions(&mut self, names: &Names, c: &Embedded) {
        let mut known = HashMap::new();
        for f in &c.fragments {
            let key = Key::new(names.body_of_unit(f.unit), f.kind, &f.c);
            if known.insert(key.clone(), ()).is_some() {
                continue;
            }
            let number = self.fragments.len();
            if let Some(p) = &f.c.precondition {
                let _ = write!(self.text, "int {}(void) {{ return ((", function("condition", number));
                self.push(p, f.c.at.0, false);
                self.text += "\n)) ? 1 : 0; }\n";
            }
            match f.kind {
                Kind::Statement => {
                    let _ = writeln!(self.text, "void {}(void) {{", function("run", number));
                    self.fragment(&f.c);
                    self.text += ";}\n";
                }
                Kind::Value => {
                    // `typeof` keeps what the value is; adding 0 makes a pointer of an array.
                    self.text += "__typeof__((";
                    self.fragment(&f.c);
                    let _ = write!(self.text, ") + 0) {}(void) {{ return (", function("run", number));
                    self.fragment(&f.c);
                    self.text += "); }\n";
                }
            }
            self.fragments.push((key, f.c.at.0));
        }
        for (i, o) in c.state.iter().enumerate() {
            let owner = match self.state[i].scope {
                Scope::Global => "now.".to_string(),
                Scope::Local(body) => format!("P{}->", names.bodies[body].name),
                Scope::Hidden => continue,
            };
            if self.state[i].init.is_some() {
                let _ = write!(self.text, "void {}(void) {{ {owner}{} = ", function("first", i), self.state[i].name);
                self.string(o, 2);
                self.text += "; }\n";
            }
        }
    }

    fn tracking(&mut self, c: &Embedded) {
        for (i, o) in c.tracked.iter().enumerate() {
            let unmatched = match o.strings.get(2).map(|s| s.trim()) {
                None | Some("" | "Matched") => false,
                Some("UnMatched" | "StackOnly") => true,
                Some(other) => {
                    let message = format!("`{other}` is neither `Matched` nor `UnMatched`");
                    self.said.push(Diagnostic::error("c-track", o.at.0, message));
                    false
                }
            };
            let _ = write!(self.text, "void *{}(void) {{ return (void *)(", function("where", i));
            self.string(o, 0);
            let _ =
                write!(self.text, "\n); }}\nunsigned long {}(void) {{ return (unsigned long)(", function("size", i));
            self.string(o, 1);
            self.text += "\n); }\n";
            let address = o.strings.first().cloned().unwrap_or_default();
            self.tracked.push(Track { unmatched, address, span: o.at.0 });
        }
    }
}

/// `c_state "T x" "Global"`, `"Hidden"` or `"Local P"`, with a first value or without.
fn state(said: &mut Diagnostics, names: &Names, o: &CObject) -> State {
    let declared = o.strings.first().map_or("", |s| s.as_str());
    let scope = o.strings.get(1).map_or("", |s| s.trim());
    let init = o.strings.get(2).cloned();
    let mut words = scope.split_whitespace();
    let scope = match (words.next(), words.next(), words.next()) {
        (Some("Global"), None, _) => Scope::Global,
        (Some("Hidden"), None, _) => Scope::Hidden,
        (Some("Local"), Some(name), None) => {
            let is = |b: &Body| *b.name == *name && matches!(b.kind, BodyKind::Proctype | BodyKind::Init);
            match names.bodies.iter().position(is) {
                Some(i) => Scope::Local(i),
                None => {
                    let message = format!("there is no process type `{name}`");
                    said.push(Diagnostic::error("c-state", o.at.0, message));
                    Scope::Global
                }
            }
        }
        _ => {
            let message =
                format!("`{scope}` is none of `Global`, `Hidden`, and `Local` with the name of a process type");
            said.push(Diagnostic::error("c-state", o.at.0, message));
            Scope::Global
        }
    };
    let name = declared_name(declared);
    if name.is_empty() {
        said.push(Diagnostic::error("c-state", o.at.0, format!("`{declared}` declares nothing")));
    }
    State { name, init, scope, span: o.at.0 }
}

/// The name that a declaration of one variable gives: the last one outside of brackets.
fn declared_name(text: &str) -> String {
    let outside = text.split('[').next().unwrap_or("");
    let end = outside.trim_end_matches(|c: char| !is_word(c));
    let start = end.rfind(|c: char| !is_word(c)).map_or(0, |i| i + 1);
    end[start..].to_string()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(i, _)| {
        let before = text[..i].chars().next_back().is_some_and(is_word);
        let behind = text[i + word.len()..].chars().next().is_some_and(is_word);
        !before && !behind
    })
}

/// Words that C does not take as names.
const KEYWORDS: &[&str] = &[
    "asm", "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "typeof", "union", "unsigned", "void", "volatile", "while",
    "errno", "assert", "uchar", "uint", "NULL", "stdin", "stdout", "stderr",
];

/// Declares a member; not one whose name C does not take.
fn declare(text: &mut String, names: &Names, v: &Var) -> bool {
    if KEYWORDS.contains(&&*v.name) {
        // It keeps its place in a record.
        let _ = write!(text, "uchar __ferrospin_hole_{}[{}]; ", v.name, names.bytes_of_var(v).max(1));
        return false;
    }
    let ty = match v.ty {
        Ty::Bit | Ty::Bool | Ty::Byte | Ty::Pid | Ty::Mtype(_) | Ty::Chan => "uchar".to_string(),
        Ty::Short => "short".into(),
        Ty::Int => "int".into(),
        Ty::Unsigned(n) if n <= 8 => "uchar".into(),
        Ty::Unsigned(n) if n <= 16 => "unsigned short".into(),
        Ty::Unsigned(_) => "unsigned int".into(),
        Ty::Record(r) => format!("struct {}", names.records[r.index()].name),
    };
    let _ = match v.array {
        Some(n) => write!(text, "{ty} {}[{n}]; ", v.name),
        None => write!(text, "{ty} {}; ", v.name),
    };
    true
}

/// What a `c_state` is to lowering, once its size is known.
pub(crate) fn object(state: &State, names: &Names, size: u32) -> Object {
    let (body, owner) = match state.scope {
        Scope::Local(i) => (names.body_of_unit(names.bodies[i].unit), format!("P{}->", names.bodies[i].name)),
        _ => (None, "now.".to_string()),
    };
    let name = format!("{owner}{}", state.name).into();
    Object { name, size, body, init: Vec::new(), unmatched: false, span: state.span }
}
