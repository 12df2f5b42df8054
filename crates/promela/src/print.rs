//! The tree as text, in one canonical layout.
//!
//! Reading the text again gives an equal tree. Statements are separated by written semicolons; no line breaks inside
//! a statement except in blocks, so that the rule of implied semicolons changes nothing. Parentheses appear only where
//! precedence asks for them or where two signs would melt into one.

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

/// How tightly an expression binds; larger is tighter. The numbers are those of the parser's table.
const UNARY: u8 = 13;
const ATOM: u8 = 14;

fn strength(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Binary(op, ..) => binary(*op).1,
        ExprKind::TemporalBinary(op, ..) => temporal_binary(*op).1,
        ExprKind::Unary(..) | ExprKind::TemporalUnary(..) => UNARY,
        _ => ATOM,
    }
}

fn binary(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 2),
        BinaryOp::And => ("&&", 3),
        BinaryOp::BitOr => ("|", 5),
        BinaryOp::BitXor => ("^", 6),
        BinaryOp::BitAnd => ("&", 7),
        BinaryOp::Eq => ("==", 8),
        BinaryOp::Ne => ("!=", 8),
        BinaryOp::Gt => (">", 9),
        BinaryOp::Lt => ("<", 9),
        BinaryOp::Ge => (">=", 9),
        BinaryOp::Le => ("<=", 9),
        BinaryOp::Shl => ("<<", 10),
        BinaryOp::Shr => (">>", 10),
        BinaryOp::Add => ("+", 11),
        BinaryOp::Sub => ("-", 11),
        BinaryOp::Mul => ("*", 12),
        BinaryOp::Div => ("/", 12),
        BinaryOp::Rem => ("%", 12),
    }
}

fn temporal_binary(op: TemporalBinary) -> (&'static str, u8) {
    match op {
        TemporalBinary::Implies => ("->", 1),
        TemporalBinary::Equivalent => ("<->", 1),
        TemporalBinary::Until => ("U", 4),
        TemporalBinary::Release => ("V", 4),
        TemporalBinary::WeakUntil => ("W", 4),
    }
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push('\t');
        }
    }

    fn list<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
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

    fn priority(&mut self, priority: Option<&Priority>) {
        if let Some(p) = priority {
            self.push("priority ");
            self.expr(&p.value, 0);
            self.push(" ");
        }
    }

    fn fragment(&mut self, word: &str, c: &CFragment) {
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
    fn string(&mut self, s: &str) {
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

    fn decl(&mut self, d: &VarDecl) {
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

    /// `{`, statements, `}`
    fn block(&mut self, body: &Sequence) {
        self.push("{");
        self.indent += 1;
        for (i, s) in body.steps.iter().enumerate() {
            self.line();
            self.stmt(s);
            if i + 1 < body.steps.len() {
                self.push(";");
            }
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn options(&mut self, open: &str, close: &str, options: &[Sequence]) {
        self.push(open);
        for option in options {
            self.line();
            self.push(":: ");
            self.indent += 1;
            for (i, s) in option.steps.iter().enumerate() {
                if i > 0 {
                    self.line();
                }
                self.stmt(s);
                if i + 1 < option.steps.len() {
                    let guard =
                        i == 0 && matches!(s.kind, StmtKind::Expr(_) | StmtKind::Else | StmtKind::Receive { .. });
                    self.push(if guard { " ->" } else { ";" });
                }
            }
            self.indent -= 1;
        }
        self.line();
        self.push(close);
    }

    fn stmt(&mut self, s: &Stmt) {
        for (i, label) in s.labels.iter().enumerate() {
            if i > 0 {
                self.push(" ");
            }
            let _ = write!(self.out, "{}:", label.name);
        }
        if !s.labels.is_empty() && s.kind != StmtKind::Empty {
            self.push(" ");
        }
        match &s.kind {
            StmtKind::Decl(d) => self.decl(d),
            StmtKind::Exclusive { end, channels } => {
                self.push(if *end == ChannelEnd::Receive { "xr " } else { "xs " });
                self.list(channels, |p, c| p.var(c));
            }
            StmtKind::Empty => {}
            StmtKind::Expr(e) => self.expr(e, 0),
            StmtKind::Assign(v, e) | StmtKind::Return { target: v, value: e } => {
                if matches!(s.kind, StmtKind::Return { .. }) {
                    self.push("return ");
                } else {
                    self.var(v);
                    self.push(" = ");
                }
                self.expr(e, 0);
            }
            StmtKind::Increment(v) => {
                self.var(v);
                self.push("++");
            }
            StmtKind::Decrement(v) => {
                self.var(v);
                self.push("--");
            }
            StmtKind::Send { channel, sorted, args, call_form } => self.send(channel, *sorted, args, *call_form),
            StmtKind::Receive { channel, random, copy, args, call_form } => {
                self.var(channel);
                self.push(if *random { "??" } else { "?" });
                self.push(if *copy { "<" } else { "" });
                self.pattern(args, *call_form);
                self.push(if *copy { ">" } else { "" });
            }
            StmtKind::If(options) => self.options("if", "fi", options),
            StmtKind::Do(options) => self.options("do", "od", options),
            StmtKind::ForRange { var, from, to, body } => {
                self.push("for (");
                self.range(var, from, to);
                self.push(") ");
                self.block(body);
            }
            StmtKind::ForIn { var, container, body } => {
                self.push("for (");
                self.var(var);
                self.push(" in ");
                self.var(container);
                self.push(") ");
                self.block(body);
            }
            StmtKind::Select { var, from, to, options } => self.select(var, from, to, *options),
            StmtKind::Atomic(body) => {
                self.push("atomic ");
                self.block(body);
            }
            StmtKind::DStep(body) => {
                self.push("d_step ");
                self.block(body);
            }
            StmtKind::Block(body) => self.block(body),
            StmtKind::Unless(body, escape) => {
                self.stmt(body);
                self.push(" unless ");
                self.stmt(escape);
            }
            StmtKind::Goto(label) => {
                let _ = write!(self.out, "goto {}", label.name);
            }
            StmtKind::Break => self.push("break"),
            StmtKind::Else => self.push("else"),
            StmtKind::Assert(e) => {
                self.push("assert(");
                self.expr(e, 0);
                self.push(")");
            }
            StmtKind::Printf { format, args } => {
                self.push("printf(");
                self.string(format);
                for a in args {
                    self.push(", ");
                    self.expr(a, 0);
                }
                self.push(")");
            }
            StmtKind::Printm(e) => {
                self.push("printm(");
                self.expr(e, 0);
                self.push(")");
            }
            StmtKind::SetPriority(a, b) => {
                self.push("set_priority(");
                self.expr(a, 0);
                self.push(", ");
                self.expr(b, 0);
                self.push(")");
            }
            StmtKind::CCode(c) => self.fragment("c_code", c),
            StmtKind::InlineCall { name, written, target, .. } => {
                if let Some(target) = target {
                    self.var(target);
                    self.push(" = ");
                }
                let _ = write!(self.out, "{}(", name.name);
                self.list(written, |p, arg| p.push(arg));
                self.push(")");
            }
        }
    }

    fn send(&mut self, channel: &VarRef, sorted: bool, args: &[Expr], call_form: bool) {
        self.var(channel);
        self.push(if sorted { "!!" } else { "!" });
        let before = self.out.len();
        match args {
            [first, rest @ ..] if call_form => {
                self.expr(first, 0);
                self.push("(");
                self.list(rest, |p, e| p.expr(e, 0));
                self.push(")");
            }
            _ => self.list(args, |p, e| p.expr(e, 0)),
        }
        // `c!!x` would be another statement.
        if self.out[before..].starts_with('!') {
            self.out.insert(before, ' ');
        }
    }

    fn pattern(&mut self, args: &[RecvArg], call_form: bool) {
        match args {
            [first, rest @ ..] if call_form && !rest.is_empty() => {
                self.recv_arg(first);
                self.push("(");
                self.list(rest, Self::recv_arg);
                self.push(")");
            }
            _ => self.list(args, Self::recv_arg),
        }
    }

    fn recv_arg(&mut self, a: &RecvArg) {
        match a {
            RecvArg::Ref(v) => self.var(v),
            RecvArg::Const(e) => self.expr(e, 0),
            RecvArg::Eval(e) => {
                self.push("eval(");
                self.expr(e, 0);
                self.push(")");
            }
        }
    }

    fn range(&mut self, var: &VarRef, from: &Expr, to: &Expr) {
        self.var(var);
        self.push(" : ");
        self.expr(from, 0);
        self.push(" .. ");
        self.expr(to, 0);
    }

    /// Parentheses around a bound keep SPIN's lexer from spelling the values out.
    fn select(&mut self, var: &VarRef, from: &Expr, to: &Expr, options: bool) {
        let digits = |e: &Expr| matches!(e.kind, ExprKind::Const(n, Spelling::Number) if n >= 0);
        self.push("select (");
        if options || !digits(from) || !digits(to) {
            self.range(var, from, to);
        } else {
            self.var(var);
            self.push(" : (");
            self.expr(from, 0);
            self.push(") .. ");
            self.expr(to, 0);
        }
        self.push(")");
    }

    fn var(&mut self, v: &VarRef) {
        for (i, segment) in v.path.iter().enumerate() {
            if i > 0 {
                self.push(".");
            }
            self.segment(segment);
        }
    }

    fn segment(&mut self, s: &Segment) {
        self.push(&s.name.name);
        if let Some(index) = &s.index {
            self.push("[");
            self.expr(index, 0);
            self.push("]");
        }
    }

    /// An expression in a place that asks for at least the given strength.
    fn expr(&mut self, e: &Expr, min: u8) {
        let parens = strength(e) < min;
        if parens {
            self.push("(");
        }
        self.bare(e);
        if parens {
            self.push(")");
        }
    }

    fn bare(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(n, spelling) => self.constant(*n, *spelling),
            ExprKind::Ref(v) => self.var(v),
            ExprKind::Unary(op, inner) => {
                let sign = match op {
                    UnaryOp::Minus => '-',
                    UnaryOp::Complement => '~',
                    UnaryOp::Not => '!',
                };
                self.out.push(sign);
                // Two equal signs would become another token.
                let again = matches!(&inner.kind, ExprKind::Unary(o, _) if o == op && *op != UnaryOp::Complement);
                self.expr(inner, if again { ATOM } else { UNARY });
            }
            ExprKind::Binary(op, a, b) => {
                let (sign, s) = binary(*op);
                self.infix(sign, s, a, b);
            }
            ExprKind::TemporalBinary(op, a, b) => {
                let (sign, s) = temporal_binary(*op);
                self.infix(sign, s, a, b);
            }
            ExprKind::TemporalUnary(op, inner) => {
                self.push(match op {
                    TemporalUnary::Always => "[] ",
                    TemporalUnary::Eventually => "<> ",
                    TemporalUnary::Next => "X ",
                });
                self.expr(inner, UNARY);
            }
            ExprKind::Cond(c, a, b) => {
                self.push("(");
                self.expr(c, 0);
                self.push(" -> ");
                self.expr(a, 0);
                self.push(" : ");
                self.expr(b, 0);
                self.push(")");
            }
            ExprKind::Run { name, args, priority } => {
                let _ = write!(self.out, "run {}(", name.name);
                self.list(args, |p, e| p.expr(e, 0));
                self.push(")");
                if let Some(p) = priority {
                    self.push(" priority ");
                    self.expr(&p.value, 0);
                }
            }
            ExprKind::Len(v) => self.call("len", v),
            ExprKind::Probe(Probe::Full, v) => self.call("full", v),
            ExprKind::Probe(Probe::Empty, v) => self.call("empty", v),
            ExprKind::Probe(Probe::NotFull, v) => self.call("nfull", v),
            ExprKind::Probe(Probe::NotEmpty, v) => self.call("nempty", v),
            ExprKind::Poll { channel, random, args } => {
                self.var(channel);
                self.push(if *random { "??[" } else { "?[" });
                self.list(args, Self::recv_arg);
                self.push("]");
            }
            ExprKind::Enabled(e) => self.function("enabled", e),
            ExprKind::PcValue(e) => self.function("pc_value", e),
            ExprKind::GetPriority(e) => self.function("get_priority", e),
            ExprKind::Timeout => self.push("timeout"),
            ExprKind::NonProgress => self.push("np_"),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote(proctype, pid.as_deref());
                let _ = write!(self.out, "@{}", label.name);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                self.remote(proctype, pid.as_deref());
                self.push(":");
                self.segment(var);
            }
            ExprKind::CExpr(c) => self.fragment("c_expr", c),
        }
    }

    fn infix(&mut self, sign: &str, strength: u8, a: &Expr, b: &Expr) {
        // A chain of the same strength leans to the left.
        self.expr(a, strength);
        let _ = write!(self.out, " {sign} ");
        self.expr(b, strength + 1);
    }

    fn remote(&mut self, proctype: &Ident, pid: Option<&Expr>) {
        self.push(&proctype.name);
        if let Some(e) = pid {
            self.push("[");
            self.expr(e, 0);
            self.push("]");
        }
    }

    fn call(&mut self, word: &str, v: &VarRef) {
        let _ = write!(self.out, "{word}(");
        self.var(v);
        self.push(")");
    }

    fn function(&mut self, word: &str, e: &Expr) {
        let _ = write!(self.out, "{word}(");
        self.expr(e, 0);
        self.push(")");
    }

    fn constant(&mut self, n: i32, spelling: Spelling) {
        match spelling {
            Spelling::Skip => self.push("skip"),
            Spelling::Word => self.push(if n == 0 { "false" } else { "true" }),
            Spelling::Character => {
                let c = n as u8;
                match c {
                    b'\n' => self.push("'\\n'"),
                    b'\r' => self.push("'\\r'"),
                    b'\t' => self.push("'\\t'"),
                    0x0c => self.push("'\\f'"),
                    b'\\' | b'\'' => {
                        let _ = write!(self.out, "'\\{}'", c as char);
                    }
                    _ => {
                        let _ = write!(self.out, "'{}'", c as char);
                    }
                }
            }
            // A negative literal was a number beyond 31 bits; written so, it is read back as the same.
            Spelling::Number => {
                let _ = write!(self.out, "{}", n as u32);
            }
        }
    }
}
