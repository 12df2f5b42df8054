//! What `spin` and `pan` answer, on small models.

mod common;

use common::Memory;
use ferrospin_model::ir::Action;
use ferrospin_spin::elements::Kind;

const MODEL: &str = "mtype = { ping, pong };\nbyte n;\nchan c = [2] of { mtype, byte };\nactive proctype A() {\n\tbyte i;\n\tdo\n\t\
                     :: i < 3 -> c!ping,i; i++\n\t:: else -> break\n\tod\n}\nactive proctype B() {\n\tbyte x; mtype m;\n\tdo\n\t\
                     :: c?m,x; n++; assert(n < 3)\n\tod\n}\n";

#[test]
fn version_usage_and_missing_files() {
    let mut w = Memory::default();
    assert_eq!(w.spin("-V"), (0, "Spin Version 6.5.2 -- 6 December 2019\n".into(), String::new()));
    let (code, out, err) = w.spin("-G m.pml");
    assert!((code, err.as_str()) == (1, "") && out.starts_with("use: spin [-option] ... [-option] file\n"), "{out}");
    let (code, out, err) = w.spin("-a");
    assert_eq!((code, out.lines().count()), (1, 1));
    assert_eq!(err, "spin: error, no filename specified\n");
    let (code, out, _) = w.spin("-a nofile");
    assert_eq!(code, 1);
    assert!(out.starts_with("spin: preprocessing failed"), "{out}");
    let (code, out, err) = Memory::with("m.pml", MODEL).spin("-t m.pml");
    assert_eq!((code, out.as_str(), err.as_str()), (1, "spin: cannot find trail file\n", ""));
}

#[test]
fn a_generated_verifier_holds_the_model() {
    let mut w =
        Memory::with("m.pml", "#define N 2\n#include \"a.h\"\nbyte x = N; ltl p { [] (x < 3) }\ninit { x = y }\n");
    w.files.insert("a.h".into(), "byte y = 7;\n".into());
    let (code, out, err) = w.spin("-a m.pml");
    assert_eq!((code, out.as_str(), err.as_str()), (0, "ltl p: [] ((x<3))\n", ""));
    let stub = w.text("pan.c");
    for part in ["byte x = 2;", "byte y = 7;", "# 1 \\\"a.h\\\"", "/usr/bin/ferrospin", "\"m.pml\""] {
        assert!(stub.contains(part), "{part} in {stub}");
    }
    assert!(["pan.h", "pan.m", "pan.b", "pan.t", "pan.p"].iter().all(|f| w.files[*f].is_empty()));
    assert!(w.text("_spin_nvr.tmp").starts_with("never p {    /* !([] ((x<3))) */\n"));
}

#[test]
fn an_error_is_found_and_replayed() {
    let mut w = Memory::with("m.pml", MODEL);
    let (code, out, err) = w.spin("-run m.pml");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("pan:1: assertion violated (n<3) (at depth "), "{out}");
    assert!(out.contains("pan: wrote m.pml.trail\n\n(Spin Version 6.5.2"), "{out}");
    assert!(out.contains(", errors: 1\n"), "{out}");
    assert!(w.files.contains_key("pan") && w.text("pan").starts_with("#!/bin/sh\n"));
    let (code, out, err) = w.spin("-t -p -g m.pml");
    assert_eq!((code, err.as_str()), (0, ""));
    let error = "spin: m.pml:14, Error: assertion violated\nspin: text of failed assertion: assert((n<3))\n";
    assert!(out.contains(error), "{out}");
    assert!(out.ends_with("2 processes created\n"), "{out}");
}

#[test]
fn illegal_options_are_answered_as_by_pan() {
    let mut w = Memory::with("m.pml", MODEL);
    for (directives, option, first) in [
        ("", "-Z", "saw option -Z\n"),
        ("-DSAFETY", "-a", "saw option -a\n"),
        ("", "-l", "error: -l not available (compile with -DNP)"),
        ("", "-f", "error: -f requires the use of -a or -l\n"),
    ] {
        let (code, out, err) = w.pan("m.pml", directives, option);
        assert!(code == 1 && out.is_empty() && err.starts_with(first), "{option}: {code} {out} {err}");
        assert!(err.contains("Valid Options are:\n"), "{err}");
    }
    let (code, out, err) = w.pan("m.pml", "", "-X -Z");
    assert!(code == 1 && err.is_empty() && out.starts_with("saw option -Z\n"), "{out} {err}");
}

/// The numbers of statements are those of the process graphs.
#[test]
fn elements_are_counted_as_the_process_graphs_count_them() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut count = 0;
    for entry in std::fs::read_dir(root).expect("the models are there") {
        let path = entry.expect("a folder can be read").path();
        if path.extension().is_none_or(|e| e != "pml") {
            continue;
        }
        let name = path.display().to_string();
        let front = ferrospin::front::read_path(&path, &Default::default()).expect("it can be read");
        let runnable = match ferrospin::run::prepare(&front) {
            Ok(runnable) => runnable,
            Err(_) => continue,
        };
        let reading = &front.reading;
        let elements = ferrospin_spin::elements::Elements::new(&front.map, &reading.program, &reading.names);
        for (edge, number) in runnable.model.edges.iter().zip(&runnable.numbers().edges) {
            let (body, element) = elements.of_edge(*number).unwrap_or_else(|| panic!("{name}: {number}"));
            let process = runnable.model.location(edge.from).process;
            assert!(std::ptr::eq(body, &elements.bodies[process.index()]), "{name}: {number}");
            // What an edge does tells what the statement is.
            let is = |kind: &Kind| element.kind == *kind;
            match &edge.action {
                Action::End => assert!(is(&Kind::Stop), "{name}: `{}`", element.text),
                Action::Else => assert!(is(&Kind::Else), "{name}: `{}`", element.text),
                Action::Assert(_) => assert!(element.text.starts_with("assert("), "{name}: `{}`", element.text),
                Action::Send { .. } => assert!(element.text.contains('!'), "{name}: `{}`", element.text),
                Action::Receive(_) => assert!(element.text.contains('?'), "{name}: `{}`", element.text),
                Action::Print { .. } => assert!(is(&Kind::Print), "{name}: `{}`", element.text),
                _ => {}
            }
        }
        count += 1;
    }
    assert!(count > 40, "{count}");
}

/// `spin -d` of SPIN 6.5.2 for this model.
#[test]
fn the_table_of_names_is_spins() {
    let model = "typedef R { byte a[2]; chan c; short s };\nR r; unsigned u : 5 = 3;\nchan q[2] = [3] of { byte, R, mtype };\n\
                 byte arr[2] = { 4, 5 };\nmtype:z = { aa, bb };\nmtype:z v = bb;\nhidden int h = 2 + 3;\n\
                 proctype A(byte x; chan y) { byte i; { byte j; i = 1 }; do :: { byte k; k = 2; break } od; L: skip }\n\
                 init { int loc; run A(1, q[0]); end: skip }\nnever { do :: true od }\n";
    let (code, out, err) = Memory::with("m.pml", model).spin("-d m.pml");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let expected = "byte  \tR.a[2]\t0\t<:struct-field:>\t<array>\t{scope _}\nchan  \tR.c\t0\t<:struct-field:>\t<variable>\t0\t\t{scope _}\n\
                    short \tR.s\t0\t<:struct-field:>\t<variable>\t{scope _}\nstruct\tr\tR\t<:global:>\t<variable>\t{scope _}\n\
                    unsigned \tu\t3\t<:global:>\t<variable>\t{scope _}\n\
                    chan  \tq[2]\t3\t<:global:>\t<array>\t3\tbyte  \tstruct R\tmtype \t{scope _}\n\
                    byte  \tarr[2]\t0\t<:global:>\t<array>\t{scope _}\nmtype \taa\t2\t<:global:>\t<constant>\t{scope _}\n\
                    mtype \tbb\t1\t<:global:>\t<constant>\t{scope _}\nmtype \tv\t1\t<:global:>\t<constant>\t{scope _}\n\
                    int   \th\t5\t<:global:>\t<variable>\t{scope _}\nproctype\tA\t0\t<:global:>\t<variable>\t{scope _}\n\
                    byte  \tx\t0\t<A>\t<parameter 1>\t{scope _}\nchan  \ty\t0\t<A>\t<parameter 2>\t0\t\t{scope _}\n\
                    byte  \ti\t0\t<A>\t<variable>\t{scope _5_}\nbyte  \tj\t0\t<A>\t<variable>\t{scope _5_1_}\n\
                    byte  \tk\t0\t<A>\t<variable>\t{scope _5_2_}\nint   \tloc\t0\t<:init:>\t<variable>\t{scope _6_}\n\
                    label\tend\t2\t<:init:>\t{scope _6_}\nlabel\tL\t11\t<A>\t{scope _5_}\n";
    assert_eq!(out, expected);
}

/// `spin -e` of SPIN 6.5.2 for two claims.
#[test]
fn the_product_of_claims_is_spins() {
    let model = "byte x;\nactive proctype P() { do :: x = 1 - x od }\n\
                 never a { T: do :: x == 0 :: x == 1 -> break od; accept: do :: true od }\n\
                 never b { do :: x < 2 :: else -> break od; accept_b: do :: x > 2 od }\n";
    let product = "never Product {\n/* ============= U0 ============= */\nP_4_4_U0:\n\tdo\n\
                   \t:: ((x==1)) && (!(((x<2)))) -> goto P_8_8_U0\n\t:: ((x==0)) && (!(((x<2)))) -> goto P_8_4_U0\n\
                   \t:: ((x==1)) && ((x<2)) -> goto P_4_8_U0\n\t:: ((x==0)) && ((x<2)) -> goto P_4_4_U0\n\tod;\n\
                   P_4_8_U0:\n\tdo\n\t:: (!(((x<2)))) -> goto P_8_8_U0\n\t:: ((x<2)) -> goto P_4_8_U0\n\tod;\n\
                   accept_b_0:\nP_8_4_U0:\n\tdo\n\t:: ((x==1)) && ((x>2)) -> goto P_8_8_U1\n\
                   \t:: ((x==0)) && ((x>2)) -> goto P_8_4_U1\n\tod;\n\
                   accept_b_1:\nP_8_8_U0:\n\tdo\n\t:: ((x>2)) -> goto P_8_8_U1\n\tod;\n\
                   /* ============= U1 ============= */\nP_4_4_U1:\n\tdo\n\
                   \t:: ((x==1)) && (!(((x<2)))) -> goto P_8_8_U1\n\t:: ((x==0)) && (!(((x<2)))) -> goto P_8_4_U1\n\
                   \t:: ((x==1)) && ((x<2)) -> goto P_4_8_U1\n\t:: ((x==0)) && ((x<2)) -> goto P_4_4_U1\n\tod;\n\
                   P_4_8_U1:\n\tdo\n\t:: (!(((x<2)))) -> goto P_8_8_U0\n\t:: ((x<2)) -> goto P_4_8_U0\n\tod;\n\
                   P_8_4_U1:\n\tdo\n\t:: ((x==1)) && ((x>2)) -> goto P_8_8_U1\n\
                   \t:: ((x==0)) && ((x>2)) -> goto P_8_4_U1\n\tod;\n\
                   P_8_8_U1:\n\tdo\n\t:: ((x>2)) -> goto P_8_8_U0\n\tod;\n}\n";
    let (code, out, err) = Memory::with("m.pml", model).spin("-e m.pml");
    assert_eq!((code, out.as_str(), err.as_str()), (0, product, ""));
    // The product is a claim itself: no run is accepted, because `x > 2` never holds.
    let own = model.split("never a").next().unwrap_or_default().to_string() + &out;
    let (_, told, _) = Memory::with("m.pml", &own).spin("-run -a m.pml");
    assert!(told.contains("errors: 0\n"), "{told}");
    // Of one claim SPIN writes nothing.
    let (code, out, _) = Memory::with("m.pml", model.split("never b").next().unwrap_or_default()).spin("-e m.pml");
    assert_eq!((code, out.as_str()), (0, ""));
}

/// `spin -A` has a line for each lint about what is not needed.
#[test]
fn what_is_not_needed_is_told() {
    let told = |model: &str| Memory::with("m.pml", model).spin("-A m.pml").1;
    assert_eq!(
        told("byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n"),
        "spin: no redundancies found (for given property)\n"
    );
    assert_eq!(
        told("byte x, y;\nactive proctype P() { x = 1 }\n"),
        "spin: m.pml:1, redundant: `x` is written, but never read\nspin: m.pml:1, redundant: variable `y` is never used\n"
    );
}

/// `pan -b`: a trail leads to where the depth limit was reached.
#[test]
fn the_depth_limit_has_a_trail() {
    let mut world =
        Memory::with("m.pml", "byte n;\nactive proctype P() { do :: n < 200 -> n++ :: else -> break od }\n");
    let (code, out, _) = world.pan("m.pml", "-DSAFETY", "-m30 -b");
    assert!(code == 0 && out.contains("pan:1: depth limit reached (at depth 30)\npan: wrote m.pml.trail\n"), "{out}");
    let (code, out, _) = world.spin("-t m.pml");
    assert!(code == 0 && out.contains("spin: trail ends after 30 steps"), "{out}");
}
