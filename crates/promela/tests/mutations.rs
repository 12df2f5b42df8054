//! Random single edits of messages and `run` arguments in models that pass channels around: nearly all that change a
//! layout must be found without running the model.

use ferrospin_promela::ast::{Expr, ExprKind, Program, RecvArg, Sequence, Spelling, Stmt, StmtKind, Unit};
use ferrospin_promela::names::{self, Def, Names, Ty};
use ferrospin_promela::preprocess::{self, Loader};
use ferrospin_promela::{read, types};
use ferrospin_source::{Severity, SourceMap};
use std::sync::Arc;

const MODELS: [&str; 10] = [
    "mtype = { ask, yes, no }; chan server = [2] of { mtype, chan };
     active [2] proctype Client() { chan me = [0] of { mtype, chan }; chan who; server!ask(me); if :: me?yes(who) :: me?no(who) fi }
     active proctype Server() { chan c; do :: server?ask(c) -> if :: c!yes(server) :: c!no(server) fi od }",
    "mtype = { put, get }; chan store = [1] of { mtype, byte, chan };
     proctype User(byte id; chan s) { chan back = [1] of { byte }; byte v; s!put(id, back); back?v; s!get(v, back); back?v }
     init { byte n, k; chan b; run User(1, store); run User(2, store); do :: store?put(n, b) -> k = n; b!k :: store?get(n, b) -> b!k od }",
    "chan pool = [3] of { chan }; chan w[3] = [1] of { int, bool };
     proctype Worker(chan mine) { int job; bool last; do :: mine?job,last -> if :: last -> break :: else fi od }
     init { byte i; chan c; for (i in w) { run Worker(w[i]); pool!w[i] } pool?c; c!70000,false; c!1,true; pool!c }",
    "mtype = { token }; chan ring[3] = [1] of { mtype, byte };
     proctype Node(chan from, to; byte id) { byte n; do :: from?token(n) -> n++; to!token(n) od }
     init { run Node(ring[0], ring[1], 0); run Node(ring[1], ring[2], 1); run Node(ring[2], ring[0], 2); ring[0]!token(0) }",
    "mtype = { req, ack, nak }; typedef Head { mtype kind; byte seq }; chan net = [2] of { Head, chan };
     proctype Peer(chan to) { Head h; chan back = [1] of { mtype, byte }; byte s; h.kind = req; h.seq = 3; to!h,back; if :: back?ack(s) :: back?nak(s) fi }
     init { Head h; chan b; run Peer(net); net?h,b; if :: b!ack(h.seq) :: b!nak(h.seq) fi }",
    "chan start = [0] of { chan, chan };
     proctype Left(chan s) { chan a = [1] of { byte }; chan b = [1] of { bool, byte }; bool t; byte v; s!a,b; a!4; b?t,v }
     proctype Right(chan s) { chan a, b; byte v; s?a,b; a?v; b!true,v }
     init { run Left(start); run Right(start) }",
    "mtype = { open, data, close }; chan line = [2] of { mtype, int }; chan ctl = [1] of { chan };
     proctype Tx(chan out) { int n; out!open(0); do :: n < 3 -> out!data(n); n++ :: else -> break od; out!close(n) }
     proctype Rx(chan c) { chan in; int n; c?in; in?open(_); do :: in?data(n) :: in?close(n) -> break od }
     init { ctl!line; run Tx(line); run Rx(ctl) }",
    "mtype = { lock, unlock, granted }; chan mutex = [0] of { mtype, chan };
     proctype Owner(chan m; byte turns) { chan me = [0] of { mtype }; do :: turns > 0 -> m!lock(me); me?granted; m!unlock(me); turns-- :: else -> break od }
     active proctype Mutex() { chan c, o; end: do :: mutex?lock(c) -> c!granted; mutex?unlock(o) od }
     init { run Owner(mutex, 2); run Owner(mutex, 3) }",
    "mtype = { elect, chosen }; chan q[3] = [3] of { mtype, byte }; chan boss = [1] of { chan, byte };
     proctype P(chan in, out; byte me) { byte n; out!elect(me); do :: in?elect(n) -> if :: n > me -> out!elect(n) :: n == me -> out!chosen(me); boss!out,me; break :: else fi :: in?chosen(n) -> out!chosen(n); break od }
     init { chan w; byte n; run P(q[0], q[1], 1); run P(q[1], q[2], 2); run P(q[2], q[0], 3); boss?w,n; w!chosen(n) }",
    "mtype = { job, stop }; chan factory = [1] of { chan };
     proctype Maker(chan f) { chan c = [1] of { mtype, byte, bool }; f!c; byte i; do :: i < 2 -> c!job(i, true); i++ :: else -> break od; c!stop(0, false) }
     proctype Taker(chan f) { chan c; byte v; bool more; f?c; do :: c?job(v, more) :: c?stop(v, more) -> break od }
     init { run Maker(factory); run Taker(factory) }",
];

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("no file `{name}`"))
    }
}

/// A fixed sequence of numbers (a linear congruence; Knuth's constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Edit {
    DropField(usize),
    SwapFields(usize),
    NumberForName(usize),
    DropRunArgument(usize),
}

/// Roughly what a value is: edits that exchange values of one kind change no layout.
fn kind(names: &Names, e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Ref(r) => match names.def(&r.path[r.path.len() - 1].name) {
            Some(Def::MtypeConst(..)) => 1,
            Some(Def::Var(v)) => ty_kind(names.vars[v.index()].ty),
            Some(Def::Field(r, f)) => ty_kind(names.records[r.index()].fields[f as usize].ty),
            _ => 0,
        },
        _ => 2,
    }
}

fn ty_kind(ty: Ty) -> u8 {
    match ty {
        Ty::Mtype(_) => 1,
        Ty::Chan => 3,
        Ty::Record(_) => 4,
        _ => 2,
    }
}

fn arg_kind(names: &Names, arg: &RecvArg) -> u8 {
    match arg {
        RecvArg::Ref(r) => kind(names, &Expr { kind: ExprKind::Ref(r.clone()), at: r.at }),
        RecvArg::Eval(e) | RecvArg::Const(e) => kind(names, e),
    }
}

/// Walks all statements with messages or `run` and lets `f` see them.
fn stmts(sequence: &mut Sequence, f: &mut dyn FnMut(&mut StmtKind)) {
    for Stmt { kind, .. } in &mut sequence.steps {
        f(kind);
        match kind {
            StmtKind::If(options) | StmtKind::Do(options) => options.iter_mut().for_each(|o| stmts(o, f)),
            StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => stmts(body, f),
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => stmts(body, f),
            _ => {}
        }
    }
}

fn each(program: &mut Program, f: &mut dyn FnMut(&mut StmtKind)) {
    for unit in &mut program.units {
        match unit {
            Unit::Proctype(p) => stmts(&mut p.body, f),
            Unit::Init(i) => stmts(&mut i.body, f),
            _ => {}
        }
    }
}

/// The edits that change a layout, by number of the statement.
fn edits(program: &mut Program, names: &Names) -> Vec<(usize, Edit)> {
    let mut found = Vec::new();
    let mut at = 0;
    each(program, &mut |stmt| {
        let mut fields = |kinds: &[u8], constants: &[bool]| {
            for i in 0..kinds.len() {
                if kinds.len() > 1 {
                    found.push((at, Edit::DropField(i)));
                }
                // A blank field fits anything, so that it can be exchanged with anything.
                if i + 1 < kinds.len() && kinds[i] != kinds[i + 1] && kinds[i] != 0 && kinds[i + 1] != 0 {
                    found.push((at, Edit::SwapFields(i)));
                }
                if constants[i] {
                    found.push((at, Edit::NumberForName(i)));
                }
            }
        };
        let constant = |e: &Expr| kind(names, e) == 1;
        match stmt {
            StmtKind::Send { args, .. } => fields(
                &args.iter().map(|e| kind(names, e)).collect::<Vec<_>>(),
                &args.iter().map(constant).collect::<Vec<_>>(),
            ),
            StmtKind::Receive { args, .. } => fields(
                &args.iter().map(|a| arg_kind(names, a)).collect::<Vec<_>>(),
                &args.iter().map(|a| arg_kind(names, a) == 1).collect::<Vec<_>>(),
            ),
            StmtKind::Expr(Expr { kind: ExprKind::Run { args, .. }, .. }) => {
                found.extend((0..args.len()).map(|i| (at, Edit::DropRunArgument(i))));
            }
            _ => {}
        }
        at += 1;
    });
    found
}

fn apply(program: &mut Program, target: usize, edit: Edit, number: i32) {
    let mut at = 0;
    each(program, &mut |stmt| {
        let here = at == target;
        at += 1;
        if !here {
            return;
        }
        let number = |e: &Expr| Expr { kind: ExprKind::Const(number, Spelling::Number), at: e.at };
        match (stmt, edit) {
            (StmtKind::Send { args, .. }, Edit::DropField(i)) => drop(args.remove(i)),
            (StmtKind::Send { args, .. }, Edit::SwapFields(i)) => args.swap(i, i + 1),
            (StmtKind::Send { args, .. }, Edit::NumberForName(i)) => args[i] = number(&args[i]),
            (StmtKind::Receive { args, .. }, Edit::DropField(i)) => drop(args.remove(i)),
            (StmtKind::Receive { args, .. }, Edit::SwapFields(i)) => args.swap(i, i + 1),
            (StmtKind::Receive { args, .. }, Edit::NumberForName(i)) => {
                let at = match &args[i] {
                    RecvArg::Ref(r) => r.at,
                    RecvArg::Eval(e) | RecvArg::Const(e) => e.at,
                };
                args[i] = RecvArg::Const(number(&Expr { kind: ExprKind::Timeout, at }));
            }
            (StmtKind::Expr(Expr { kind: ExprKind::Run { args, .. }, .. }), Edit::DropRunArgument(i)) => {
                drop(args.remove(i));
            }
            (_, edit) => panic!("{edit:?} does not apply"),
        }
    });
}

#[test]
fn edits_that_change_a_layout_are_found() {
    let mut numbers = Numbers(2005);
    let mut missed = Vec::new();
    for round in 0..200 {
        let text = MODELS[round % MODELS.len()];
        let mut map = SourceMap::new();
        let file = map.add_file("m.pml", text);
        let reading = read(&mut map, file, &preprocess::Options::default(), &mut NoFiles);
        assert!(!reading.diagnostics.has_errors(), "model {} is not read", round % MODELS.len());
        let mut program = reading.program;
        let errors = |program: &Program| {
            let (names, said) = names::resolve(&map, program);
            let (_, lints) = types::infer(&map, program, &names, &types::Options::default());
            said.has_errors() || lints.iter().any(|d| d.severity == Severity::Error)
        };
        assert!(!errors(&program), "model {} is not clean", round % MODELS.len());
        let possible = edits(&mut program, &reading.names);
        let (target, edit) = possible[numbers.below(possible.len())];
        apply(&mut program, target, edit, 1 + numbers.below(3) as i32);
        if !errors(&program) {
            missed.push((round % MODELS.len(), target, edit));
        }
    }
    assert!(missed.is_empty(), "{} of 200 edits were missed: {missed:?}", missed.len());
}
