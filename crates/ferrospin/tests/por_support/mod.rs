//! Models that the tests of reduction share; each of them uses its part.

#![allow(dead_code)]

use ferrospin_model::ir::Model;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model of `tests/data/por`.
pub(crate) fn por_model(file: &str) -> Arc<Model> {
    let path = Path::new("tests/data/por").join(file);
    let text = std::fs::read_to_string(&path).expect("a model");
    Arc::new(ferrospin_testkit::model(&path.to_string_lossy(), &text, &[]).expect("a good model"))
}

/// All models of the project that can be run.
pub(crate) fn models() -> Vec<(String, Model)> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in ["../../models", "../../models/tiny", "tests/data/por"] {
        let entries = std::fs::read_dir(folder).expect("models").flatten().map(|e| e.path());
        paths.extend(entries.filter(|p| p.extension().is_some_and(|e| e == "pml")));
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).ok()?;
        let name = path.to_string_lossy().into_owned();
        let model = ferrospin_testkit::model(&name, &text, &[]).ok()?;
        (!model.uses.foreign).then_some((name, model))
    };
    paths.into_iter().filter_map(read).collect()
}

/// Models on which one mistake or another shows.
pub(crate) const TRAPS: &[(&str, &str)] = &[
    ("pid", "init { run f() } active proctype f() { assert(_pid == 1) }"),
    ("ignoring", "byte g; active proctype B() { assert(g == 1) } active proctype A() { byte x; do :: x = 1 - x od }"),
    ("ignoring, later", "byte g; active proctype A() { g = 1; do :: skip od } active proctype B() { assert(g == 0) }"),
    ("ignoring, two", "byte g; active proctype A() { do :: skip od } active proctype B() { do :: skip od }
        active proctype C() { g = 1; assert(g == 0) }"),
    ("a guard of own values and of others'", "byte g, h; active proctype A() { byte x, y; if :: x = 0 :: x = 1 fi;
        do :: x == 1 && g == 1 && h == 0 -> break :: y < 3 -> y++ od; assert(y == 3) }
        active proctype B() { byte z; do :: z < 9 -> z++; g = 1; h = 1; g = 0; h = 0 :: else -> break od }"),
    ("equal priorities", "byte g; active [2] proctype P() priority 2 { byte x; g = _priority; x = 1; assert(g == 2) }
        active proctype Q() priority 2 { byte y; y = 2; g = 0 }"),
    ("a step that leads back to the first state", "byte g; active proctype Q() { g = 1; assert(g == 0) }
        active proctype P() { end: goto end }"),
    ("round and round inside an atomic", "local byte g0; mtype a[3]; active proctype P0() { short x; atomic { do :: a[x & 1] = 1 od } }
        active proctype P1() { g0 = (g0 + 1) % 2 } init { assert(g0 != 1) }"),
    ("timeout", "byte n; active proctype A() { byte x; x = 1; n++; n == 3 } active proctype B() { n++; n == 3 }
        active proctype C() { timeout; assert(n == 2); n++ }"),
    ("timeout in a choice", "byte n; active proctype A() { if :: timeout -> n = 1 :: n == 2 -> skip fi }
        active proctype B() { n = 2; n = 0 }"),
    ("remote", "active proctype A() { byte x; x = 1; l: x = 2; x = 3 } active proctype B() { end: A@l -> assert(false) }"),
    ("rendezvous", "chan c = [0] of { byte }; chan d = [0] of { byte }; byte x;
        active proctype A() { c!1; d!2 } active proctype B() { if :: c?1 :: d?2 fi } active proctype C() { c?x; d?x }"),
    ("rendezvous and values", "chan c = [0] of { byte }; byte g;
        active proctype A() { c!g } active proctype B() { c?1 } active proctype C() { g = 1; g = 2 }
        active proctype D() { end: c?eval(g) }"),
    ("rendezvous in atomic", "chan c = [0] of { byte }; byte g; active proctype A() { atomic { g = 1; c!1; g = 2 } }
        active proctype B() { byte x; atomic { c?x; g = 3 } } active proctype C() { assert(g != 3) }"),
    ("either kind of channel", "chan a = [0] of { byte }; chan b = [1] of { byte }; byte x;
        active proctype A() { chan c; if :: c = a :: c = b fi; c!1 } active proctype E() { b!2 }
        active proctype R() { b?x; assert(x == 2) } active proctype S() { end: a?_ }"),
    ("room that is asked for", "chan c = [2] of { byte }; byte g; active proctype A() { byte n;
        do :: n < 3 -> atomic { nfull(c) -> n++; c!n; c!n; g++ } :: n == 3 -> break od }
        active proctype B() { byte x; do :: c?x; assert(g < 2 || x > 1) od }"),
    ("flag of its own", "byte g, h;
        active proctype A() { bit x; do :: x -> g = 1; break :: atomic { !x -> x = 1; h = 1 } od }
        active proctype C() { h = 2 } active proctype B() { assert(g == 0) }"),
    ("timeout and an index", "byte a[2], i, n; active proctype A() { do :: timeout && a[i] == 0 -> a[i] = 1; n++ :: n == 1 -> break od }
        active proctype B() { i = 1; i = 0; i = 2 }"),
    ("sorted", "chan c = [3] of { byte }; byte x; active proctype A() { c!!2 } active proctype B() { c!!1 }
        active proctype C() { c?x; assert(x == 1) }"),
    ("sorted and received", "chan c = [3] of { byte }; byte x; active proctype A() { c!!3; c!!1 }
        active proctype C() { c?x; assert(x == 3) }"),
    ("matching", "chan c = [2] of { byte }; byte x; active proctype A() { c!1; c!2 } active proctype B() { c?2; x = 1 }
        active proctype C() { end: c?1; assert(x == 0) }"),
    ("random receive", "chan c = [2] of { byte }; active proctype A() { c!1; c!2 } active proctype B() { c??2 }
        active proctype C() { end: c??1; assert(len(c) == 1) }"),
    ("peek", "chan c = [2] of { byte }; byte x; active proctype A() { c!1; c!2 } active proctype B() { c?<x>; assert(x == 1) }
        active proctype C() { end: c?_ }"),
    ("poll", "chan c = [2] of { byte }; byte x; active proctype A() { c!1 } active proctype B() { if :: c?[1] -> x = 1 :: empty(c) fi }
        active proctype C() { c?_; assert(x == 0) }"),
    ("full", "chan c = [1] of { byte }; byte x; active proctype A() { c!1; c!2 } active proctype B() { full(c); x = 1 }
        active proctype C() { c?_; c?_; assert(x == 1) }"),
    ("else", "byte g; active proctype A() { if :: g == 1 -> skip :: g == 2 -> skip :: else -> assert(g == 0) fi }
        active proctype B() { g = 1; g = 3 }"),
    ("else and channels", "chan c = [1] of { byte }; byte x; active proctype A() { if :: c?_ :: else -> x = 1 fi }
        active proctype B() { c!1; assert(x == 0) }"),
    ("unless", "byte g; active proctype A() { byte x; { x = 1; x = 2; assert(g == 0) } unless { g == 1 } }
        active proctype B() { g = 1; g = 2 }"),
    ("provided", "byte g; active proctype A() provided (g == 0) { byte x; x = 1; assert(g == 0); x = 2 }
        active proctype B() { g = 1; g = 0; g = 2 }"),
    ("atomic that blocks", "byte g; active proctype A() { byte x; atomic { x = 1; g == 1; x = 2 } assert(g == 1) }
        active proctype B() { g = 1; g = 2 }"),
    ("atomic and channels", "chan c = [1] of { byte }; byte g; active proctype A() { byte x; atomic { x = 1; c!1; g = 1 } }
        active proctype B() { c?_; assert(g == 0) } active proctype C() { c!2 }"),
    ("d_step", "byte g, h; active proctype A() { d_step { g == 0 -> g = 1; h = g + 1 } }
        active proctype B() { d_step { if :: g == 1 -> h = 5 :: else -> h = 7 fi } assert(h != 5) }"),
    ("elements", "byte a[3]; active [3] proctype P() { a[_pid] = 1; a[(_pid + 1) % 3]++; assert(a[0] < 2) }"),
    ("index", "byte a[2], i; active proctype A() { a[i] = 1 } active proctype B() { i = 1 } active proctype C() { assert(a[1] == 0) }"),
    ("bad index", "byte a[2], i; active proctype A() { do :: a[i] == 1 -> break :: a[i] == 0 -> break od } active proctype B() { i = 2; i = 0 }"),
    ("division", "byte g = 1; active proctype A() { byte x; x = 4 / g } active proctype B() { g = 0; g = 1 }"),
    ("lock", "bool l; byte in; active [3] proctype P() { do :: atomic { !l -> l = true } in++; assert(in == 1); in--; l = false od }"),
    ("broken lock", "bool l; byte in; active [2] proctype P() { do :: !l -> l = true; in++; assert(in == 1); in--; l = false od }"),
    ("run in a loop", "byte n; proctype P(byte x) { n = n + x; assert(n < 4) } init { byte i; do :: i < 3 -> run P(i); i++ :: else -> break od }"),
    ("channels of processes", "chan back = [2] of { chan }; proctype P() { chan own = [1] of { byte }; byte x; back!own; own?x; assert(x == 1) }
        init { chan c; run P(); run P(); back?c; c!1; back?c; c!2 }"),
    ("passed channels", "chan q[2] = [1] of { byte }; proctype P(chan in; chan out) { byte x; in?x; out!x + 1 }
        init { byte x; atomic { run P(q[0], q[1]) } q[0]!1; q[1]?x; assert(x == 2) }"),
    ("deterministic", "byte g; D_proctype P() { if :: g == 0 -> skip :: g < 2 -> skip fi } init { run P(); g = 1; g = 2 }"),
    ("trace", "chan p = [1] of { byte }; chan q = [1] of { byte }; trace { q!1; p!1 } active proctype A() { p!1 } active proctype B() { q!1 }"),
    ("counting", "byte n; active [3] proctype P() { n++; n = n + 2 } active proctype M() { n == 9; assert(false) }"),
    ("wrapping", "byte n = 254; active [2] proctype P() { n++ } active proctype M() { n < 5; assert(false) }"),
    ("same constant", "byte x; active [2] proctype P() { x = 1 } active proctype M() { x == 1; x = 2; x == 1; assert(false) }"),
];
