//! Small models that lead into the corners of the code generator: what is rare in real models and must be right all
//! the same.

mod same;

use ferrospin_model::ir::Action;
use ferrospin_native::{Effort, Native, Refusal};
use ferrospin_system::{AtomicExits, Control, Machine, Moves};
use ferrospin_testkit as testkit;
use std::cell::Cell;
use std::fmt::Write;

/// Compares, and expects that at least this many states are reached.
fn check(states_min: usize, text: &str) {
    let model = testkit::model("odd.pml", text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match same::check_all(&model, 5_000) {
        Ok(states) => assert!(states >= states_min, "only {states} states of\n{text}"),
        Err(e) => panic!("{e}\n{text}"),
    }
}

fn options(count: usize, option: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut s, i| {
        writeln!(s, ":: {}", option(i)).expect("a string grows");
        s
    })
}

#[test]
fn compilation_can_be_given_up() {
    let model =
        testkit::model("m.pml", "byte x; active proctype P() { do :: x++ :: x-- od }", &[]).expect("a good model");
    let left = Cell::new(1);
    let go_on = || left.replace(0) > 0;
    assert!(matches!(Native::compile_while(&model, &go_on), Err(Refusal::Stopped)));
    assert!(Native::compile_while(&model, &|| true).is_ok());
}

#[test]
fn more_edges_than_bits_in_a_word() {
    let guards = options(150, |i| format!("x % {} == {} -> x = x + {i}", i + 1, i / 2));
    check(20, &format!("byte x; active proctype P() {{ do {guards} :: else -> x = 1 od }}"));
    let failing = options(100, |i| format!("a[x + {i}] == 0 -> x = (x + 7) % 60"));
    check(20, &format!("byte x; byte a[70]; active proctype P() {{ do {failing} od }}"));
    let receives = options(90, |i| format!("c?{i} -> x = {i}"));
    check(
        50,
        &format!(
            "chan c = [0] of {{ byte }}; byte x, y;
         active proctype P() {{ do :: c!y -> y = y + 13 :: y++ od }}
         active proctype Q() {{ do {receives} od }}"
        ),
    );
    let named = options(80, |i| format!("c!{i}"));
    check(
        10,
        &format!(
            "chan c = [2] of {{ byte }}; byte y;
         trace {{ do {named} od }}
         active proctype P() {{ do :: c!y -> y = y + 3 :: c?_ od }}"
        ),
    );
}

#[test]
fn more_than_256_locations() {
    let steps: String = (0..300).map(|i| format!("x = (x + {i}) % 7;\n")).collect();
    check(300, &format!("byte x; active [2] proctype P() {{ {steps} }}"));
}

#[test]
fn channels_of_unforeseen_shape() {
    check(
        50,
        "
        chan a = [2] of { byte }; chan b = [1] of { byte, short }; chan r = [0] of { byte };
        chan v; byte n; int m; bool f;
        active proctype P() {
            do
            :: v = a :: v = b :: v = r
            :: v!n; n++ :: v!n,m :: v?n :: v?n,m :: v??n,3
            :: f = (len(v) > 0) :: f = nfull(v) :: f = empty(v)
            :: v?[n] -> m++ :: v??[2,m] -> m--
            od
        }
        active proctype Q() { do :: r?n :: r!3 :: v?n od }",
    );
}

#[test]
fn channels_that_die_and_numbers_that_come_back() {
    check(
        40,
        "
        chan keep; byte x;
        proctype Short() { chan own = [2] of { byte }; keep = own; own!1; x++ }
        proctype Long() { chan p = [1] of { byte, byte }; chan q = [3] of { short }; keep = q; q!300; p!1,2 }
        active proctype Main() {
            byte k;
            do
            :: k < 3 -> run Short(); k++
            :: k < 3 -> run Long(); k++
            :: keep?x
            :: keep!x
            :: keep?x,_
            :: len(keep) > 1 -> x = 0
            :: _nr_pr == 2 -> x = 7
            od
        }",
    );
}

#[test]
fn channels_in_messages() {
    check(
        30,
        "
        chan service = [2] of { chan, byte }; chan back = [1] of { byte };
        active [2] proctype Client() {
            chan reply = [1] of { byte }; byte v;
            do :: service!reply,_pid; reply?v; assert(v == _pid + 1) :: service!back,3 od
        }
        active proctype Server() { chan to; byte v; do :: service?to,v -> to!v + 1 :: back?v od }",
    );
}

#[test]
fn long_channels() {
    check(
        100,
        "
        chan wide = [40] of { int, short, byte }; chan deep = [300] of { bit }; byte n; int a; short b; byte c;
        active proctype P() {
            do
            :: n < 60 -> wide!n * 70000,n,n; n++
            :: wide?a,b,c
            :: wide??a,b,eval(c)
            :: n < 60 -> deep!!n & 1; n++
            :: deep?n
            :: deep?<n>
            :: len(deep) > 250 -> n = 0
            od
        }",
    );
}

#[test]
fn messages_too_long_and_too_short() {
    check(
        20,
        "
        chan one = [2] of { byte }; chan three = [2] of { byte, short, bit }; chan r = [0] of { byte, byte };
        chan v; byte x; short y; bit z;
        active proctype P() {
            do
            :: v = one :: v = three :: v = r
            :: v!x :: v!x,y,z :: v?x :: v?x,y,z :: v?x,y :: v!!x,y
            :: x++; y = y - 300
            od
        }
        active proctype Q() { do :: r?x :: r?x,y :: v?y,x,z od }",
    );
}

#[test]
fn sorted_and_random() {
    check(
        100,
        "
        chan q = [4] of { short, byte }; short a; byte b, k;
        active proctype P() {
            do
            :: k < 5 -> q!!a,b; k++ :: k < 5 -> a = a * -3 + 1; k++ :: b = b + 100
            :: q??a,b :: q??eval(a),b :: q??<a,eval(b)> :: q?<a,b> :: q?a,b
            :: q??[1,b] -> b++ :: q?[a,eval(b)] -> b--
            od
        }",
    );
}

#[test]
fn arithmetic() {
    check(
        50,
        "
        int x = 1; int y = 3; short s; unsigned u : 5; bit t; byte b;
        active proctype P() {
            do
            :: x = x * -2147483 + 7 :: x = -2147483647 - 1 :: y = y - 1
            :: x = x / y :: y = x % y :: x = x / -1 :: x = x % -1 :: s = x >> 3 :: s = x << y
            :: u = x :: t = x :: b = ~x :: b = -x :: x = (x > y -> x - y : y - x)
            :: x = !x + (x && y) + (x || y) + (x == y) + (x != y) + (x <= y) + (x >= y) + (x & y) + (x | y) + (x ^ y)
            :: (x / y > 2 || y > 3) && s != 0 -> s = s / u
            :: x != 0 && y / x > 0 -> y = 5
            od
        }",
    );
}

#[test]
fn indices() {
    check(
        20,
        "
        typedef R { byte a[3]; short b };
        R r[4]; byte i, j; short k; bool odd[2];
        active proctype P() {
            byte own[5];
            do
            :: i++ :: j = j + 1 :: k--
            :: r[i].a[j] = k :: own[j] = r[i % 4].a[j % 3] :: odd[own[i]] = !odd[k]
            :: r[own[i]].b > 0 -> k = r[k].b :: odd[i & 1] -> j = 0
            :: assert(own[j] != 3) :: printf(\"%d\", own[k])
            :: r[3].a[2] = own[0] + r[0].b
            od
        }",
    );
}

#[test]
fn processes_without_end() {
    check(200, "proctype P() { (false) } active proctype Main() { do :: run P() od }");
    check(
        100,
        "
        byte last;
        proctype P(byte n; chan c) { chan own = [1] of { byte }; c!n; own!n }
        active proctype Main() { chan c = [1] of { byte }; do :: last = run P(last, c) :: c?_ od }",
    );
    check(
        25,
        "
        proctype P() { chan a[9] = [1] of { byte }; (false) }
        active proctype Main() { do :: run P() od }",
    );
}

#[test]
fn births_inside_one_step() {
    let text = "
        byte x; byte pids[4];
        proctype P(byte a; short b) { byte c = 3; int d = _nr_pr; chan e = [2] of { byte }; x = a + b + c + d; e!x }
        active proctype Main() {
            byte i;
            d_step { i = 0; do :: i < 3 -> printf(\"run\"); i++; x = x + pids[0] + i :: else -> break od };
            atomic { pids[3] = run P(1, 2); x = 1; run P(x, pids[3]); x = 2 }
        }";
    check(5, text);
    // SPIN forbids `run` inside a `d_step`; the process graphs do not.
    let mut model = testkit::model("odd.pml", text, &[]).expect("a model");
    let run = model.edges.iter().find(|e| matches!(e.action, Action::Run { target: Some(_), .. }));
    let run = run.expect("a birth with a target").action.clone();
    for e in &mut model.edges {
        if matches!(e.action, Action::Print { .. }) {
            e.action = run.clone();
        }
    }
    let states = same::check_all(&model, 5_000).expect("the same");
    assert!(states > 5, "{states} states");
}

#[test]
fn d_steps() {
    check(
        10,
        "
        chan r = [0] of { byte }; chan q = [2] of { byte }; byte x, y;
        active proctype P() {
            do
            :: d_step { x < 3 -> x++; y = x }
            :: d_step { q?x -> y = 1 }
            :: d_step { r!1 }
            :: d_step { x == 200 -> r!1 }
            :: d_step { if :: x > 1 -> x = 0 :: q!x :: else -> y = 9 fi; q!y }
            :: d_step { x == 2 -> do :: true -> y++ od }
            :: d_step { x == 3 -> (y == 250) }
            :: d_step { do :: y > 0 -> y-- :: x > 0 -> x-- :: else -> break od; assert(y == 1) }
            od
        }
        active proctype Q() { do :: d_step { r?x -> y++ } :: r!2 :: r?y :: q!x od }",
    );
}

#[test]
fn unless_and_handshakes() {
    check(
        20,
        "
        chan r = [0] of { byte, bit }; chan e = [0] of { byte }; chan q = [1] of { byte }; byte x;
        active proctype P() {
            do
            :: { { r!x,1; r?x,_ } unless { e?x } } unless { q?x -> x = 9 }
            :: { x++; q!x } unless { (x > 2); x = 0 }
            od
        }
        active proctype Q() { bit b; do :: atomic { r?x,eval(b) -> r!x,b } :: e!3 :: q?x :: b = 1 - b od }
        active proctype R() { do :: r?2,_ :: e?x :: atomic { e!x; x = 1 } od }",
    );
}

#[test]
fn provided_enabled_and_priorities() {
    check(
        5,
        "
        byte x; byte a[3];
        active proctype P() provided (x != 1) { do :: x++ :: x > 3 -> x = 0 od }
        active proctype Q() provided (a[x] == 0) { do :: x = 2 :: a[0] = 1 - a[0] od }
        active proctype R() { do :: enabled(0) -> x = 1 :: pc_value(1) > 3 -> x = 0 :: enabled(x) && x < 5 -> x++ od }",
    );
    check(
        10,
        "
        byte x;
        active proctype P() priority 3 { do :: x < 9 -> x++ :: set_priority(_pid, x) :: set_priority(x, 1) od }
        active proctype Q() priority 2 { do :: x > 0 -> x-- :: set_priority(0, 5) :: x = get_priority(0) od }
        active proctype R() { do :: x = _priority :: x > 2 -> run S() od }
        proctype S() priority 4 { atomic { x++; x++ }; x = _last }",
    );
    check(
        3,
        "
        chan r = [0] of { byte }; byte x;
        active proctype P() { do :: r!x :: x++ od }
        active proctype Q() provided (10 / x > 2) { do :: r?x od }
        active proctype R() provided (x < 8) { do :: r?x -> x++ od }",
    );
}

/// Processes of different types take turns in the same place, each held back for a while.
#[test]
fn provided_of_processes_that_come_and_go() {
    check(
        10,
        "
        byte x;
        active proctype P() { do :: _nr_pr == 1 -> x = (x + 1) % 4; if :: run A() :: run B() :: run C() fi od }
        proctype A() provided (x != 1) { byte l; l = 1; x = (x + l) % 4 }
        proctype B() provided (x != 2) { byte l; l = 2; x = (x + l) % 4 }
        proctype C() { byte l; l = 3; x = (x + l) % 4 }",
    );
    check(
        3,
        "
        byte x; byte a[3];
        active proctype P() provided (a[x] < 2) { do :: x++ :: a[0] = 2 - a[0] od }
        active proctype Q() { do :: x = 0 od }",
    );
}

#[test]
fn deterministic_processes() {
    check(
        5,
        "byte x; active proctype M() { run D() } D_proctype D() { do :: x < 3 -> x++ :: x > 1 -> x = 0 :: x++ od }",
    );
}

#[test]
fn traces() {
    for kind in ["trace", "notrace"] {
        check(
            5,
            &format!(
                "chan a = [2] of {{ byte, byte }}; chan b = [0] of {{ byte }}; byte x;
             {kind} {{ do :: a!1,_; a?1,_ :: a!2,3 :: a!2,_; b!4 :: b?4 -> break od; b!1 }}
             active proctype P() {{ do :: a!x,3 :: a?x,_ :: b!x :: x = (x + 1) % 5 od }}
             active proctype Q() {{ do :: b?x :: b?eval(x) :: a??2,x od }}"
            ),
        );
    }
}

#[test]
fn remote_references_and_claims() {
    check(
        5,
        "
        byte n; bool stop; byte seen; byte i = 2;
        proctype P(byte k) { byte a[3]; here: a[k] = k; n++; there: (n > 2) }
        active proctype Main() { run P(0); run P(1); run P(4); (n == 2 || timeout); stop = 1 }
        never {
            do
            :: P[1]@here -> seen++
            :: P[n]:a[i] > 0 || P:k == 1 -> i++
            :: P@there && P[seen]:k == 0 -> assert(seen < 3)
            :: atomic { seen > 2 -> seen = 0; i = 0 }
            :: d_step { n > 1 -> i = 1; seen = i }
            :: np_ -> skip
            :: timeout -> break
            :: _last == 2 && enabled(0) -> skip
            :: else -> skip
            od
        }",
    );
}

#[test]
fn initial_values_that_fail() {
    check(0, "byte a[2]; byte i = 3; int x = a[i]; active proctype P() { skip }");
    check(0, "int z; active proctype P() { int y = 1 / z; skip }");
    check(
        1,
        "int z; proctype P(byte k) { int y = 1 / k; skip } active proctype M() { byte i; do :: run P(i) :: i++ od }",
    );
}

#[test]
fn embedded_c() {
    check(1, "int x; active proctype P() { x = 1; c_code { now.x = 2; }; x = 3 }");
    check(1, "int x; active proctype P() { do :: c_expr { now.x > 2 } -> x = 3 :: x++ od }");
}

#[test]
fn all_ways_through_an_atomic_are_found_in_one_go() {
    let ends = |inside: &str| {
        let text = format!("byte x, y; active proctype P() {{ do :: atomic {{ skip; {inside} }} od }}");
        check(1, &text);
        let model = testkit::model("ways.pml", &text, &[]).expect("it can be read");
        let mut native = Native::compile_with(&model, Effort::Thorough).expect("it can be compiled");
        let (mut first, mut state, mut moves) = (Vec::new(), Vec::new(), Moves::default());
        native.initial(&mut first).expect("there is one");
        native.moves(&first, Control::Free, &mut moves);
        let step = native.apply(&first, &moves.list[0], &mut state);
        let (mut out, mut ways) = (Vec::new(), AtomicExits::default());
        native.walk(&state, step.control, &mut out, &mut ways).then_some(ways.count)
    };
    let choice = "do :: x < 3 -> x++ :: break od; if :: y = x :: y = x + 3 fi; x = 0";
    assert_eq!(ends(choice), Some(8));
    assert_eq!(ends(&format!("{choice}; y == 9")), Some(8));
    // What fails, does not end, or changes the number of processes is left to others.
    assert_eq!(ends(&format!("{choice}; assert(y < 5)")), None);
    assert_eq!(ends("do :: x++ :: break od"), None);
    assert_eq!(ends("do :: x = 1 - x :: x = 0 od"), None);
    assert_eq!(ends("if :: x = 1 :: run P() fi"), None);
}
