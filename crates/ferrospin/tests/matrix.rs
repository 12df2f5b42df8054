//! One expectation for all back ends: searches, stores, engines and numbers of workers agree with the recorded counts.
//!
//! Every small instance runs with every store; orders, engines and numbers of workers take turns, so that all pairs come
//! up many times. `cargo run -p xtask -- matrix` runs all combinations on instances up to a million states.

use ferrospin::front::{self, Define};
use ferrospin::report::Verdict;
use ferrospin::verify::{Engine, Goal, Goals, Limits, Options, Search, Store, verify};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Instances with more states are left to the chore.
const STATES_MAX: u64 = 4000;

const STORES: [Store; 7] =
    [Store::Exact, Store::Tree, Store::Compact, Store::Collapse, Store::HashCompact, Store::Bitstate, Store::Automaton];

struct Row {
    model: PathBuf,
    defines: Vec<Define>,
    verdict: String,
    states: u64,
    transitions: u64,
}

fn rows(folder: &Path, out: &mut Vec<Row>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("models").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rows(&path, out);
            continue;
        }
        let Some(stem) = path.to_string_lossy().strip_suffix(".expect.tsv").map(String::from) else { continue };
        let table = std::fs::read_to_string(&path).expect("a table");
        for line in table.lines().skip(1) {
            let fields: Vec<_> = line.split('\t').collect();
            let (Ok(states), Ok(transitions)) = (fields[4].parse(), fields[5].parse()) else { continue };
            if fields[1] != "safety" || states > STATES_MAX || fields[7].contains("embedded C") {
                continue;
            }
            let define = |d: &str| {
                let d = d.strip_prefix("-D").expect("a definition");
                let (name, value) = d.split_once('=').unwrap_or((d, "1"));
                Define::Set(name.into(), Some(value.into()))
            };
            out.push(Row {
                model: format!("{stem}.pml").into(),
                defines: fields[0].split_whitespace().filter(|d| *d != "-").map(define).collect(),
                verdict: fields[2].into(),
                states,
                transitions,
            });
        }
    }
}

fn options(search: Search, store: Store, engine: Engine, threads: usize) -> Options {
    Options {
        goals: Goals::Only(vec![Goal::Safety]),
        search: Some(search),
        store: Some(store),
        partial_order: false,
        optimize: false,
        threads: NonZeroUsize::new(threads).expect("not zero"),
        engine,
        errors_max: None,
        limits: Limits { memory_max_bytes: Some(64 << 20), ..Limits::default() },
        ..Options::default()
    }
}

#[test]
fn all_back_ends_give_the_recorded_counts() {
    let mut list = Vec::new();
    rows(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), &mut list);
    assert!(list.len() > 100, "the models are there");
    let mut wrong = Vec::new();
    for (i, row) in list.iter().enumerate() {
        let front =
            front::read_path(&row.model, &front::Options { defines: row.defines.clone(), ..Default::default() })
                .expect("the model can be read");
        for (j, store) in STORES.into_iter().enumerate() {
            let turn = i + j;
            let search = [Search::BreadthFirst, Search::DepthFirst][turn % 2];
            let threads = [1, 2, 4][turn % 3];
            let engine = if turn % 5 == 0 { Engine::Interp } else { Engine::Native };
            let options = options(search, store, engine, threads);
            let what = format!("{} {:?} {search:?} {store:?} {engine:?} {threads}", row.model.display(), row.defines);
            let report = match verify(&front, &options) {
                Ok(v) => v.properties.into_iter().next().expect("one property"),
                Err(why) => {
                    wrong.push(format!("{what}: {why:?}"));
                    continue;
                }
            };
            let lossy = matches!(store, Store::HashCompact | Store::Bitstate);
            let violated = row.verdict == "violated";
            let expected = match (violated, lossy) {
                (true, _) => Verdict::Violated,
                (false, true) => Verdict::Undecided,
                (false, false) => Verdict::Holds,
            };
            let counts = (report.states.unwrap(), report.transitions.unwrap());
            let right = if lossy {
                counts.0 <= row.states && counts.1 <= row.transitions
            } else {
                counts == (row.states, row.transitions)
            };
            if !right || report.verdict != expected {
                wrong.push(format!("{what}: {:?} {counts:?}, not {:?}", report.verdict, (row.states, row.transitions)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
