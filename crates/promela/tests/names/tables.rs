//! What the tables hold of correct models, and what is accepted or refused on purpose.

use super::*;

/// Models that `spin -a` lets pass, though they cannot mean anything, or fail when the verifier is compiled.
#[test]
fn stricter_than_spin() {
    check(
        "proctype Q() { skip }\ninit { int x; x = run Q() + 1 }",
        expect![[r#"
        2:19: error[run-place]: `run` cannot be part of a larger expression
    "#]],
    );
    check(
        "chan c = [1] of { int };\nactive proctype P() { c?[_pid]; c?_pid }",
        expect![[r#"
        2:35: error[read-only]: `_pid` cannot be changed
    "#]],
    );
    check(
        "int a[3];\nactive proctype P() { a[_] = 1 }",
        expect![[r#"
        2:25: error[read-underscore]: `_` is write-only and has no value to read
    "#]],
    );
    check(
        "active proctype P() { int count; skip }\nnever { P:cuont > 0 }",
        expect![[r#"
        2:11: error[undeclared]: process type `P` has no variable `cuont`
          1:17: `P` is defined here
          help: did you mean `count`?
    "#]],
    );
    check(
        "active proctype P() { { int y; y = 1 } }\nnever { P:y > 0 }",
        expect![[r#"
        2:11: error[undeclared]: process type `P` has no variable `y`
          1:17: `P` is defined here
    "#]],
    );
    check(
        "active proctype P() { skip }\nnever a { skip }\nnever b { skip }\nnever a { skip }",
        expect![[r#"
        4:7: error[redeclared]: claim `a`: the name is taken
          2:7: first declared here
    "#]],
    );
    check(
        "int a;\nmtype = { a };\nactive proctype P() { skip }",
        expect![[r#"
        2:11: error[redeclared]: `a` is declared already
          1:5: first declared here
    "#]],
    );
    check(
        "typedef T { int x }\nT t = [1] of { int };\nactive proctype P() { skip }",
        expect![[r#"
        2:7: error[chan-initialiser]: `t` is no channel
          2:3: declared with another type
    "#]],
    );
    check(
        "chan c = [0] of { int };\nactive proctype P() priority 3 { c!1 }\nactive proctype Q() { c?1 }",
        expect![[r#"
        2:21: error[priority-rendezvous]: priorities cannot be combined with rendezvous channels
          1:10: a rendezvous channel
    "#]],
    );
}

/// What is accepted, though it looks doubtful.
#[test]
fn accepted() {
    for input in [
        // A variable of one option is known in the next, and behind the selection.
        "active proctype P() { if :: int x; skip :: x = 1 fi; x = 2 }",
        // Sibling blocks may use one name; a block before the declaration may too.
        "active proctype P() { { int x; x = 1 }; { byte x; x = 2 }; int x; x = 3 }",
        // A label may have the name of a variable of another block.
        "active proctype P() { { int x; skip }; x: skip }",
        "active proctype P() { { skip; x: skip }; int x; x = 1 }",
        // Equal labels in different blocks.
        "active proctype P() { { skip; L: skip }; L: skip; goto L }",
        "inline f(a) { skip; L: skip; goto L }\nactive proctype P() { f(1); f(2) }",
        "inline f(a) { goto a }\nactive proctype P() { L: skip; f(L) }",
        // Labels that open an option, a loop, or a loop inside an atomic.
        "int x;\nactive proctype P() { if :: L: x = 1; x = 2 fi; goto L }",
        "int x;\nactive proctype P() { atomic { L: do :: x = 1 :: break od }; goto L }",
        "int x;\nactive proctype P() { L: { x = 1 } unless { x == 2 }; goto L }",
        "int x;\nactive proctype P() { x = 1; end: goto end }",
        // Jumps inside a `d_step`.
        "int x;\nactive proctype P() { d_step { x = 1; if :: x == 1 -> goto N :: else fi; x = 2; N: x = 3 } }",
        "int x;\nactive proctype P() { d_step { x = 1; do :: x = 2; break :: x = 3 od } }",
        "int x;\nproctype Q() { int y; skip }\nactive proctype P() { d_step { x = Q:y; x = 3 } }",
        // The end of a loop inside an atomic, a block, or one step before a `d_step`.
        "int x;\nactive proctype P() { atomic { do :: x -> break od; d_step { x = 1; x = 2 } } }",
        "int x;\nactive proctype P() { do :: x -> break od; { d_step { x = 1; x = 2 } } }",
        "int x;\nactive proctype P() { do :: x -> break od; skip; d_step { x = 1; x = 2 } }",
        // In a `typedef` a bound may name an earlier field.
        "typedef T { int n = 3; byte b[n] }\nactive proctype P() { skip }",
        // A bound may name an earlier variable of its list.
        "int n = 3, a[n];\nactive proctype P() { int m = 2, b[m]; b[1] = a[2] }",
        // `else` beside a receive, and away from any selection.
        "int x;\nchan c = [1] of { int };\nactive proctype P() { if :: c?x :: else fi; else }",
        // A scalar is its own first element; an array may stand in the head of a `for`.
        "int x;\nactive proctype P() { x[0] = 1; x = x[0] }",
        "int i, a[3];\nactive proctype P() { for (i : 0 .. a) { skip } }",
        "int a[3];\nactive proctype P() { a[a[1] + 0] = 1 }",
        // Channels: aliases, comparisons, fewer and more fields than declared.
        "int x;\nchan c = [1] of { int };\nactive proctype P() { x = c; c == 2; c = x }",
        "int x;\nchan c = [1] of { int };\nactive proctype P() { c?1,2,3; c?[1,2,3] }",
        "int x;\nactive proctype P() { len(x) > 0; x?[1] }",
        "int x;\nchan c = [1] of { int, int };\nactive proctype P() { c?_,_; c?eval(x),x; d_step { c?x,x } }",
        // Structures in messages and parameters.
        "typedef T { int a; int b }\nproctype P(T t) { skip }\ninit { T q; run P(q); run P(1, 2) }",
        "typedef T { int x }\nT x;\nchan c = [1] of { T };\nactive proctype P() { c!x; c?x; c?[x] }",
        // Lists of initial values may be shorter or longer than the array.
        "int a[3] = { 1, 2 };\nint b[2] = { 1, 2, 3 };\nactive proctype P() { skip }",
        // A global that gives its name to a parameter of an inline may be declared again.
        "int i;\ninline f(i) { i++ }\nactive proctype P() { int i; byte k; f(k); i = 2 }",
        // A local may have the name of a later process type.
        "active proctype P() { int Q; Q = 1 }\nactive proctype Q() { skip }",
        "active proctype P() { Q: skip; goto Q }\nactive proctype Q() { skip }",
        // Numbers and expressions fit any `mtype` parameter.
        "mtype = { a };\nproctype P(mtype t) { skip }\ninit { run P(a); run P(1); run P(a + 1) }",
        "mtype:k x;\nactive proctype P() { skip }",
        "mtype = { a };\nmtype:k = { c };\nactive proctype P() { mtype x = c; x = a }",
        // Claims may wait, poll and even assign.
        "int x;\nactive proctype P() { skip }\nnever { x = 1; do :: timeout :: np_ od }",
        "chan c = [1] of { int };\nactive proctype P() { skip }\nnever { c?[1]; len(c) > 0; full(c) }",
        "int a;\nactive proctype P() { skip }\nltl a { [] (a == 0) }",
        "chan c = [1] of { int };\nint x;\nactive proctype P() { c!1 }\ntrace { c?_; c!_; c?x; c!2,3 }",
        // Two `init`s are two processes.
        "init { skip }\ninit { skip }",
        "active [0] proctype P() { skip }\ninit { skip }",
        "proctype P() priority 300 { skip }\ninit { run P() priority 0 }",
        "active proctype P() { _ = 1; _priority = 3 }",
        "chan c = [1] of { int };\nactive [2] proctype P() { xr c; xs c; skip }",
    ] {
        assert_eq!(messages(input), "", "{input}");
    }
}

fn ty(names: &Names, ty: Ty) -> String {
    match ty {
        Ty::Unsigned(n) => format!("unsigned:{n}"),
        Ty::Mtype(m) => format!("mtype:{}", names.mtypes[m.index()].name),
        Ty::Record(r) => names.records[r.index()].name.to_string(),
        _ => format!("{ty:?}").to_lowercase(),
    }
}

fn var(names: &Names, v: &Var) -> String {
    let mut s = format!("{} {}", ty(names, v.ty), v.name);
    if let Some(n) = v.array {
        write!(s, "[{n}]").unwrap();
    }
    match &v.init {
        Init::Zero => {}
        Init::Expr(_) => s.push_str(" = expression"),
        Init::List(l) => write!(s, " = {l:?}").unwrap(),
        Init::Chan { capacity, fields } => {
            let fields: Vec<_> = fields.iter().map(|f| ty(names, *f)).collect();
            write!(s, " = [{capacity}] of {{ {} }}", fields.join(", ")).unwrap();
        }
    }
    if let Some(p) = v.param {
        write!(s, ", parameter {p}").unwrap();
    }
    if v.block > 0 {
        write!(s, ", block {} at depth {}", v.block, v.depth).unwrap();
    }
    if !v.at_head {
        s.push_str(", a step");
    }
    s
}

fn tables(input: &str, expected: Expect) {
    assert_eq!(messages(input), "");
    let (_, reading) = reading(input);
    let names = &reading.names;
    let mut out = String::new();
    for m in names.mtypes.iter().filter(|m| !m.constants.is_empty()) {
        let constants: Vec<_> = m.constants.iter().map(|(n, v)| format!("{n}={v}")).collect();
        writeln!(out, "mtype:{} {}", m.name, constants.join(" ")).unwrap();
    }
    for r in &names.records {
        let fields: Vec<_> = r.fields.iter().map(|f| var(names, f)).collect();
        writeln!(out, "typedef {}: {}", r.name, fields.join("; ")).unwrap();
    }
    for v in names.vars.iter().filter(|v| v.body.is_none()) {
        writeln!(out, "{}", var(names, v)).unwrap();
    }
    for (i, b) in names.bodies.iter().enumerate() {
        writeln!(out, "{:?} {} active {} parameters {}", b.kind, b.name, b.active, b.param_count).unwrap();
        for v in &b.vars {
            writeln!(out, "  {}", var(names, &names.vars[v.index()])).unwrap();
        }
        let labels: Vec<_> = names.labels.iter().filter(|l| l.body.index() == i).map(|l| &*l.name).collect();
        if !labels.is_empty() {
            writeln!(out, "  labels {}", labels.join(" ")).unwrap();
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn table_of_types() {
    tables(
        "mtype = { a, b, c };\nmtype = { d };\nmtype:k = { e, f };\n\
         typedef In { short w; mtype:k m }\ntypedef Out { In i[2]; unsigned u : 5; chan q }\n\
         byte n = 4;\nint z;\nbool flags[n];\nshort eights[z];\npid ps[2 * 3 - 1] = { 1, 2 };\nOut o;\n\
         chan cs[3] = [7] of { mtype, byte, In };\n\
         active [2] proctype P() { skip }",
        expect![[r#"
            mtype: c=1 b=2 a=3 d=4
            mtype:k f=1 e=2
            typedef In: short w; mtype:k m
            typedef Out: In i[2]; unsigned:5 u; chan q
            byte n = expression
            int z
            bool flags[4]
            short eights[8]
            pid ps[5] = [1, 2]
            Out o
            chan cs[3] = [7] of { mtype:, byte, In }
            Proctype P active 2 parameters 0
        "#]],
    );
}

#[test]
fn table_of_locals() {
    tables(
        "int g;\ninline f(x) { byte t = x; g = t }\n\
         active proctype P(byte a, b; chan c) {\n  int top = a;\n  chan q = [0] of { int };\n  xr q;\n  bit later;\n\
         L: g = 1;\n  int middle;\n  if :: int inoption = 2; skip :: else fi;\n  { short inner; f(inner) }\n  f(3);\n\
         M: { { byte deep; deep = 1 } }\n}\ninit { run P(1, 2, 0) }\nnever { accept: true }",
        expect![[r#"
            int g
            Proctype P active 1 parameters 3
              byte a, parameter 0
              byte b, parameter 1
              chan c, parameter 2
              int top = expression
              chan q = [0] of { int }
              bit later
              int middle, a step
              int inoption = expression, a step
              short inner, block 1 at depth 1, a step
              byte t = expression, block 2 at depth 2, a step
              byte t = expression, block 3 at depth 1, a step
              byte deep, block 5 at depth 2, a step
              labels L M
            Init init active 1 parameters 0
            Never never_0 active 0 parameters 0
              labels accept
        "#]],
    );
}

/// What the names of a line mean, for those that are resolved.
#[test]
fn meanings() {
    let input = "mtype = { red };\ntypedef T { int f }\nT t;\nint x;\n\
                 proctype Q() { L: int1: skip }\n\
                 active proctype P() { goto E; t.f = red; x = _pid; run Q(); Q@L; E: skip }";
    let (_, reading) = reading(input);
    assert_eq!(reading.diagnostics.len(), 0, "{}", messages(input));
    let mut kinds = std::collections::BTreeMap::new();
    for id in 0..reading.program.ident_count {
        let kind = match reading.names.def_of(ferrospin_promela::ast::IdentId(id)) {
            Some(Def::Var(_)) => "variable",
            Some(Def::Field(..)) => "field",
            Some(Def::MtypeConst(..)) => "constant",
            Some(Def::Mtype(_)) => "list",
            Some(Def::Record(_)) => "type",
            Some(Def::Body(_)) => "body",
            Some(Def::Inline) => "inline",
            Some(Def::Label(_)) => "label",
            Some(Def::Builtin(_)) => "builtin",
            None => "nothing",
        };
        *kinds.entry(kind).or_insert(0) += 1;
    }
    expect![[r#"
        {
            "body": 4,
            "builtin": 1,
            "constant": 2,
            "field": 2,
            "label": 5,
            "type": 2,
            "variable": 4,
        }
    "#]]
    .assert_debug_eq(&kinds);
}

/// The deepest nesting that the parser lets pass fits, whatever the stack of the caller.
#[test]
fn deep_nesting() {
    let deepest = |make: &dyn Fn(usize) -> String| {
        let mut depths = (1..=40).rev().map(|n| reading(&make(50 * n)).1);
        depths.find(|r| r.diagnostics.is_empty()).expect("some nesting is accepted").names
    };
    let blocks = |n| format!("active proctype P() {{ {} skip {} }}", "{ skip; ".repeat(n), "}".repeat(n));
    assert_eq!(deepest(&blocks).bodies.len(), 1);
    let parens = |n| format!("int x;\nactive proctype P() {{ x = {}x{} }}", "-(".repeat(n), ")".repeat(n));
    assert_eq!(deepest(&parens).vars.len(), 1);
}
