//! Several different violations, values that are cut, and statements that no run executes.

use crate::{folder, run};
use serde_json::Value;

fn check(name: &str, model: &str, args: &[&str]) -> (Option<i32>, Value) {
    let dir = folder(name);
    std::fs::write(dir.join("m.pml"), model).expect("the folder can be written");
    let mut all = vec!["check", "--format", "json", "--threads", "1"];
    all.extend(args);
    all.push("m.pml");
    let (code, said, complaint) = run(&dir, &all);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|why| panic!("{why}: {said}{complaint}"));
    for trail in report["properties"].as_array().expect("properties") {
        let others = trail["others"].as_array().cloned().unwrap_or_default();
        for file in std::iter::once(trail).chain(&others).filter_map(|of| of["trail"].as_str()) {
            let (code, said, _) = run(&dir, &["replay", "m.pml", file]);
            assert_eq!(code, Some(0), "{file}: {said}");
        }
    }
    (code, report)
}

/// Lines of all violations of a property.
fn lines(property: &Value) -> Vec<u64> {
    let others = property["others"].as_array().cloned().unwrap_or_default();
    let places = std::iter::once(&property["error"]).chain(&others).filter_map(|of| of["location"]["line"].as_u64());
    let mut lines: Vec<u64> = places.collect();
    lines.sort_unstable();
    lines
}

const MANY: &str = "byte n; chan c = [0] of { byte };
active proctype P() {
    do
    :: n < 40 -> n++;
       assert(n != 7);
    :: n > 3 -> assert(n % 2 == 0)
    :: n > 5 -> c!1
    :: n == 38 -> assert(false)
    :: n == 20 -> c!2
    od
}
";

#[test]
fn violations_are_different_ones() {
    for search in ["bfs", "dfs"] {
        for (wanted, least) in [("2", 2), ("4", 4), ("9", 5)] {
            let (code, report) = check("several", MANY, &["--max-errors", wanted, "--search", search]);
            let safety = &report["properties"][0];
            let lines = lines(safety);
            assert_eq!((code, lines.len()), (Some(1), least), "{wanted} {search}: {safety}");
            assert!(lines.windows(2).all(|w| w[0] < w[1]), "{wanted} {search}: {lines:?}");
            let others = safety["others"].as_array().expect("others");
            assert!(others.iter().all(|other| other["trail"].is_string()), "{wanted} {search}: {safety}");
        }
    }
    let (_, all) = check("several_all", MANY, &["--max-errors", "0"]);
    assert!(all["properties"][0]["errors"].as_u64() > Some(20) && all["properties"][0]["complete"] == true, "{all}");
}

#[test]
fn values_that_are_cut_are_told_on_demand() {
    let model = "byte b = 250; short s = 32000; bit on; int i = 2000000;
active proctype P() {
    b = b + 5;
    on = 1;
    s = s + i;
    atomic { b = b - 200; d_step { on = b; b = 300 - b } }
    i = i * 2;
    b = s
}
";
    let (code, report) = check("cut", model, &[]);
    assert_eq!((code, report["properties"].as_array().map(Vec::len)), (Some(0), Some(1)), "{report}");
    let (code, report) = check("cut", model, &["--check", "overflow", "--max-errors", "9"]);
    let overflow = &report["properties"][1];
    assert_eq!(
        (code, &overflow["name"], &overflow["error"]["kind"]),
        (Some(1), &"overflow".into(), &"overflow".into())
    );
    assert_eq!(lines(overflow), [5, 6, 8], "{overflow}");
    let fits = "byte b; active proctype P() { do :: b < 255 -> b++ :: b > 0 -> b-- od }\n";
    let (code, report) = check("fits", fits, &["--check", "overflow"]);
    assert_eq!((code, &report["properties"][1]["verdict"]), (Some(0), &"holds".into()), "{report}");
}

#[test]
fn statements_that_no_run_executes_are_told_on_demand() {
    let model = "byte n;
active proctype P() {
    do
    :: n < 2 -> n++
    :: n > 2 ->
       n = 0
    od
}
active proctype Q() { end: n > 5; assert(false) }
";
    let (code, report) = check("unreachable", model, &["--ignore-end-states"]);
    assert_eq!((code, report["properties"].as_array().map(Vec::len)), (Some(0), Some(1)), "{report}");
    let (code, report) = check("unreachable", model, &["--ignore-end-states", "--check", "unreachable"]);
    let found = &report["properties"][1];
    assert_eq!(
        (code, &found["name"], &found["error"]["kind"]),
        (Some(1), &"unreachable".into(), &"unreachable".into())
    );
    assert!([5, 6].iter().all(|line| lines(found).contains(line)) && !lines(found).contains(&4), "{found}");
    let all = "byte n; active proctype P() { do :: n < 2 -> n++ :: n > 1 -> n = 0 od }\n";
    let (code, report) = check("reached", all, &["--check", "overflow,unreachable"]);
    let verdicts: Vec<_> = (0..3).map(|i| report["properties"][i]["verdict"].as_str()).collect();
    assert_eq!((code, verdicts), (Some(0), vec![Some("holds"); 3]), "{report}");
}
