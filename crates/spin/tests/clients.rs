//! The rules by which programs read SPIN's output, applied to ours. Each rule is the one that the program's source has.

mod common;

use common::Memory;
use std::collections::BTreeSet;

const HOLDS: &str = "byte x;\nactive proctype P() {\n\tx = 1;\n\tx == 1\n}\n";
const FAILS: &str =
    "byte n;\nactive proctype P() {\n\tdo\n\t:: n < 5 -> n++; assert(n < 4)\n\t:: else -> break\n\tod\n}\n";
const STUCK: &str = "chan c = [0] of { byte };\nactive proctype P() {\n\tc!1\n}\nactive proctype Q() {\n\tbyte v;\n\tskip;\n\tv == 1;\n\tc?v\n}\n";
const CYCLE: &str = "bool p;\nactive proctype P() { do :: p = !p od }\nltl live { <>[] p }\n";

/// Code, standard output and standard error of `spin -run`.
fn run(model: &str, options: &str) -> (String, String, Memory) {
    let mut world = Memory::with("m.pml", model);
    let (code, out, err) = world.spin(&format!("-run {options} m.pml"));
    assert_eq!(code, 0, "`spin -run` ends with 0 whatever it finds");
    (out, err, world)
}

/// Gomela: whatever is on standard error, or "error" in the first line, makes a model "not executable".
#[test]
fn gomela() {
    for (model, errors) in [(HOLDS, 0), (FAILS, 1), (STUCK, 1)] {
        let mut world = Memory::with("m.pml", model);
        let (_, out, err) = world.spin("-run -DVECTORSZ=4508 -m10000000 -w26 m.pml -f");
        assert_eq!(err, "");
        assert!(!out.lines().next().expect("a first line").contains("error"), "{out}");
        assert!(out.contains(&format!("errors: {errors}\n")), "{out}");
    }
    // Blocked processes: the third field from the right of each line without "valid end state".
    let (_, _, mut world) = run(STUCK, "");
    let (_, out, _) = world.spin("-t m.pml");
    let rest = out.split("#processes:").nth(1).expect("the end of the run");
    let blocked: Vec<&str> = rest
        .lines()
        .filter(|l| l.contains("proc") && !l.contains("processes") && !l.contains("valid end state"))
        .filter_map(|l| l.split(' ').rev().nth(2))
        .collect();
    assert_eq!(blocked, ["m.pml:8", "m.pml:3"], "{out}");
}

/// Gamma: the first line that is not about depth or tables decides.
#[test]
fn gamma() {
    let verdict = |out: &str| {
        let noise = ["max search depth", "Depth=", "resizing hashtable"];
        let line = out.lines().find(|l| !noise.iter().any(|n| l.contains(n))).unwrap_or_default();
        line.contains("violated") || line.contains("acceptance cycle")
    };
    assert!(verdict(&run(FAILS, "").0));
    assert!(verdict(&run(CYCLE, "-a").0));
    assert!(!verdict(&run(HOLDS, "").0));
}

/// KIELER: `.*wrote (.*)\.pml\.trail*`; the trail is a file.
#[test]
fn kieler() {
    let (out, _, world) = run(FAILS, "");
    let line = out.lines().find(|l| l.contains("wrote ")).expect("a trail is written");
    let name = line.split("wrote ").nth(1).and_then(|n| n.split(".pml.trail").next());
    assert_eq!(name, Some("m"));
    assert!(world.files.contains_key("m.pml.trail"));
}

/// bpmn_cwp_verify: `unreached in (proctype (\w+)|init)`, then `F:L, state N, "text"`.
#[test]
fn bpmn() {
    let model = "byte x;\nactive proctype P() {\n\tif\n\t:: x == 1 -> x = 2; x = 3\n\t:: x == 0 -> skip\n\tfi\n}\ninit { skip }\n";
    let (out, _, _) = run(model, "");
    let mut lines = out.lines().skip_while(|l| *l != "unreached in proctype P");
    assert_eq!(lines.next(), Some("unreached in proctype P"));
    let (place, rest) = lines.next().and_then(|l| l.trim().split_once(", state ")).expect("a state");
    assert_eq!(place, "m.pml:4");
    let (state, text) = rest.split_once(", ").expect("a number and a text");
    assert!(state.parse::<u32>().is_ok() && text == "\"x = 2\"", "{rest}");
    assert!(out.contains("unreached in init\n\t(0 of 2 states)\n"), "{out}");
    let (code, out, _) = Memory::with("m.pml", "active proctype P() { x = 1 }\n").spin("-a m.pml");
    let first = out.lines().next().unwrap_or_default();
    assert!(code == 1 && first.starts_with("spin: m.pml:1, Error: "), "{out}");
}

/// Kivi: `s.startsWith("pan:1:")`; Promela_sketcher: the ninth character from "errors:" on; ByMC: the statistics.
#[test]
fn kivi_sketcher_bymc() {
    let (out, _, _) = run(FAILS, "");
    assert_eq!(out.lines().filter(|l| l.starts_with("pan:1:")).count(), 1, "{out}");
    let digit = |out: &str| out[out.find("errors:").expect("there is the line")..].chars().nth(8);
    assert_eq!((digit(&out), digit(&run(HOLDS, "").0)), (Some('1'), Some('0')));
    let figure = |key: &str| {
        let line = out.lines().find(|l| l.contains(key)).unwrap_or_else(|| panic!("{key}"));
        line.trim().split([' ', '\t']).next().and_then(|n| n.parse::<f64>().ok())
    };
    for key in ["states, stored", "states, matched", "transitions (=", "atomic steps", "total actual memory usage"] {
        assert!(figure(key).is_some(), "{key}: {out}");
    }
    let vector =
        out.split("State-vector ").nth(1).and_then(|r| r.split(' ').next()).and_then(|n| n.parse::<u32>().ok());
    assert!(vector.is_some());
    let elapsed =
        out.split("pan: elapsed time ").nth(1).and_then(|r| r.split(' ').next()).and_then(|n| n.parse::<f64>().ok());
    assert!(elapsed.is_some());
}

/// iSpin asks for the version, jSpin and the promela-plugin read step lines: `N:\tproc  P (NAME:1) FILE:LINE (state S)\t[TEXT]`,
/// and values `\t\tNAME = VALUE`.
#[test]
fn interfaces() {
    let (_, out, _) = Memory::default().spin("-V");
    let version =
        out.strip_prefix("Spin Version ").and_then(|v| v.split('.').next()).and_then(|v| v.parse::<u32>().ok());
    assert!(version.is_some_and(|v| v >= 6), "{out}");
    let (_, _, mut world) = run(FAILS, "");
    let (_, out, _) = world.spin("-t -p -g -l -X -r -s m.pml");
    let mut steps = 0;
    for line in out.lines().filter(|l| l.contains("\tproc ") && l.contains('[')) {
        let (head, text) = line.split_once("\t[").expect("a statement");
        let (number, rest) = head.split_once(":\tproc ").expect("a number");
        assert!(number.trim().parse::<u32>().is_ok() && text.ends_with(']'), "{line}");
        let (process, place) = rest.trim().split_once(" (P:1) ").expect("a process");
        assert!(process.parse::<u32>().is_ok() && place.starts_with("m.pml:4 (state "), "{line}");
        steps += 1;
    }
    assert!(steps >= 7, "{out}");
    assert!(out.contains("\t\tn = 3\n"), "{out}");
    assert!(out.ends_with("Exit-Status 0\n"), "{out}");
}

/// RTEMS: `-DTEST_GEN -run -E -c0 -e`, then `-T -tN` for each trail: one test for each way in which the events may come.
#[test]
fn rtems() {
    let model = "byte order[4]; byte n;\n\
                 inline event(what) { atomic { printf(\"@@@ %d CALL %d\\n\", _pid, what); order[n] = what; n++ } }\n\
                 active proctype A() { event(1); event(2) }\nactive proctype B() { event(3); event(4) }\n\
                 active proctype Check() { n == 4;\n#ifdef TEST_GEN\n\tassert(false)\n#endif\n}\n";
    let mut world = Memory::with("chains.pml", model);
    let (code, out, err) = world.spin("-DTEST_GEN -run -E -c0 -e chains.pml");
    assert_eq!((code, err.as_str()), (0, ""));
    let trails: Vec<String> = world.files.keys().filter(|n| n.ends_with(".trail")).cloned().collect();
    assert_eq!(trails.len(), 6, "{out}");
    assert!(out.contains("errors: 6\n") && !out.contains("not completed"), "{out}");
    assert!(world.files.contains_key("pan"), "it is deleted by the caller");
    let scenarios: BTreeSet<String> = (1..=6)
        .map(|i| {
            let (code, out, _) = world.spin(&format!("-DTEST_GEN -T -t{i} chains.pml"));
            assert_eq!(code, 0);
            out.lines().filter(|l| l.starts_with("@@@ ")).map(|l| l.rsplit(' ').next().unwrap_or_default()).collect()
        })
        .collect();
    let all: BTreeSet<String> = ["1234", "1324", "1342", "3124", "3142", "3412"].map(String::from).into();
    assert_eq!(scenarios, all);
}
