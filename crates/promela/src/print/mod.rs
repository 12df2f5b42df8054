//! The tree as text, in one canonical layout.
//!
//! Reading the text again gives an equal tree. Statements are separated by written semicolons; no line breaks inside
//! a statement except in blocks, so that the rule of implied semicolons changes nothing. Parentheses appear only where
//! precedence asks for them or where two signs would melt into one.

mod expr;
mod stmt;

use crate::ast::*;
use std::fmt::Write;

/// A whole model.
pub fn program(program: &Program) -> String {
    let mut p = Printer::default();
    for (i, unit) in program.units.iter().enumerate() {
        // Declarations stand together, everything else is set apart.
        let small = |u: &Unit| matches!(u, Unit::Decl(_) | Unit::CState(_) | Unit::CTrack(_) | Unit::Ltl(_));
        if i > 0 && !(small(unit) && small(&program.units[i - 1])) {
            p.out.push('\n');
        }
        p.unit(unit);
        p.out.push('\n');
    }
    p.out
}

/// A single expression.
pub fn expr(e: &Expr) -> String {
    let mut p = Printer::default();
    p.expr(e, 0);
    p.out
}

/// A single statement, on several lines where it has blocks.
pub fn stmt(s: &Stmt) -> String {
    let mut p = Printer::default();
    p.stmt(s);
    p.out
}

/// A type as written.
pub fn ty(t: &Type) -> String {
    match t {
        Type::Bit => "bit".into(),
        Type::Bool => "bool".into(),
        Type::Byte => "byte".into(),
        Type::Pid => "pid".into(),
        Type::Short => "short".into(),
        Type::Int => "int".into(),
        Type::Unsigned => "unsigned".into(),
        Type::Chan => "chan".into(),
        Type::Mtype(None) => "mtype".into(),
        Type::Mtype(Some(name)) => format!("mtype:{}", name.name),
        Type::Named(name) => name.name.to_string(),
    }
}

/// A reference to a variable.
pub fn var(v: &VarRef) -> String {
    let mut p = Printer::default();
    p.var(v);
    p.out
}

#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push('\t');
        }
    }

    pub(super) fn list<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Decl(d) => {
                self.decl(d);
                self.push(";");
            }
            Unit::Mtype(m) => {
                self.push("mtype");
                if let Some(name) = &m.name {
                    let _ = write!(self.out, ":{}", name.name);
                }
                self.push(" = { ");
                self.list(&m.constants, |p, c| p.push(&c.name));
                self.push(" };");
            }
            Unit::Typedef(t) => {
                let _ = write!(self.out, "typedef {} {{", t.name.name);
                self.indent += 1;
                for field in &t.fields {
                    self.line();
                    self.decl(field);
                    self.push(";");
                }
                self.indent -= 1;
                self.push("\n}");
            }
            Unit::Proctype(p) => self.proctype(p),
            Unit::Init(i) => {
                self.push("init ");
                self.priority(i.priority.as_ref());
                self.block(&i.body);
            }
            Unit::Never(n) => {
                self.push("never ");
                if let Some(name) = &n.name {
                    let _ = write!(self.out, "{} ", name.name);
                }
                self.block(&n.body);
            }
            Unit::Ltl(l) => {
                self.push("ltl ");
                if let Some(name) = &l.name {
                    let _ = write!(self.out, "{} ", name.name);
                }
                self.push("{ ");
                self.expr(&l.formula, 0);
                self.push(" }");
            }
            Unit::Trace(t) => {
                self.push(if t.negated { "notrace " } else { "trace " });
                self.block(&t.body);
            }
            Unit::Inline(i) => {
                let _ = write!(self.out, "inline {}(", i.name.name);
                self.list(&i.params, |p, name| p.push(&name.name));
                let _ = write!(self.out, ") {}", i.body);
            }
            Unit::CCode(c) => self.fragment("c_code", c),
            Unit::CDecl(c) => self.fragment("c_decl", c),
            Unit::CState(c) => self.object("c_state", c),
            Unit::CTrack(c) => self.object("c_track", c),
        }
    }

    fn proctype(&mut self, p: &Proctype) {
        if let Some(active) = &p.active {
            self.push("active ");
            if let Some(count) = &active.count {
                self.push("[");
                self.expr(count, 0);
                self.push("] ");
            }
        }
        let _ = write!(self.out, "{} {}(", if p.deterministic { "D_proctype" } else { "proctype" }, p.name.name);
        for (i, param) in p.params.iter().enumerate() {
            if i > 0 {
                self.push("; ");
            }
            self.decl(param);
        }
        self.push(") ");
        self.priority(p.priority.as_ref());
        if let Some(e) = &p.provided {
            self.push("provided (");
            self.expr(e, 0);
            self.push(") ");
        }
        self.block(&p.body);
    }

    pub(super) fn priority(&mut self, priority: Option<&Priority>) {
        if let Some(p) = priority {
            self.push("priority ");
            self.expr(&p.value, 0);
            self.push(" ");
        }
    }

    pub(super) fn fragment(&mut self, word: &str, c: &CFragment) {
        self.push(word);
        if let Some(pre) = &c.precondition {
            let _ = write!(self.out, " [{pre}]");
        }
        let _ = write!(self.out, " {{{}}}", c.text);
    }

    fn object(&mut self, word: &str, c: &CObject) {
        self.push(word);
        for s in &c.strings {
            self.push(" ");
            self.string(s);
        }
    }

    /// A string in double quotes, or between dollars where a bare quote stands in it.
    pub(super) fn string(&mut self, s: &str) {
        let mut bare = false;
        let mut chars = s.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                '"' => bare = true,
                _ => {}
            }
        }
        let quote = if bare { '$' } else { '"' };
        let _ = write!(self.out, "{quote}{s}{quote}");
    }

    pub(super) fn decl(&mut self, d: &VarDecl) {
        match d.visibility {
            Some(Visibility::Hidden) => self.push("hidden "),
            Some(Visibility::Show) => self.push("show "),
            Some(Visibility::Local) => self.push("local "),
            None => {}
        }
        self.push(&ty(&d.ty));
        self.push(" ");
        self.list(&d.vars, Self::declarator);
    }

    fn declarator(&mut self, v: &Declarator) {
        self.push(&v.name.name);
        match &v.shape {
            Shape::Scalar => {}
            Shape::Width(n) => {
                let _ = write!(self.out, " : {n}");
            }
            Shape::Array(bound) => {
                self.push("[");
                self.expr(bound, 0);
                self.push("]");
            }
        }
        match &v.init {
            None => {}
            Some(Initializer::Expr(e)) => {
                self.push(" = ");
                self.expr(e, 0);
            }
            Some(Initializer::List(list, _)) => {
                self.push(" = { ");
                self.list(list, |p, e| p.expr(e, 0));
                self.push(" }");
            }
            Some(Initializer::Chan(c)) => {
                self.push(" = [");
                self.expr(&c.capacity, 0);
                self.push("] of { ");
                self.list(&c.fields, |p, (t, _)| p.push(&ty(t)));
                self.push(" }");
            }
        }
    }
}
