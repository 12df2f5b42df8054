//! One expectation for all back ends: searches, stores, engines and numbers of workers agree with the recorded counts.
//!
//! Every small instance runs with every store; orders, engines and numbers of workers take turns, so that all pairs come
//! up many times. `cargo run -p xtask -- matrix` runs all combinations on instances up to a million states.

use ferrospin::front::{self, Define};
use ferrospin::report::Verdict;
use ferrospin::verify::{Engine, Goal, Goals, Limits, Options, Search, Store, verify};
use ferrospin_testkit::expectations;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;

/// Instances with more states are left to the chore.
const STATES_MAX: u64 = 4000;

const STORES: [Store; 7] =
    [Store::Exact, Store::Tree, Store::Compact, Store::Collapse, Store::HashCompact, Store::Bitstate, Store::Automaton];

fn define(option: &str) -> Define {
    let option = option.strip_prefix("-D").expect("a definition");
    let (name, value) = option.split_once('=').unwrap_or((option, "1"));
    Define::Set(name.into(), Some(value.into()))
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
        self_check: NonZeroU64::new(20),
        errors_max: None,
        limits: Limits { memory_max_bytes: Some(64 << 20), ..Limits::default() },
        ..Options::default()
    }
}

#[test]
fn all_back_ends_give_the_recorded_counts() {
    let mut list = expectations::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")).expect("models");
    list.retain(|row| row.plain_counts().is_some_and(|(states, _)| states <= STATES_MAX));
    assert!(list.len() > 100, "the models are there");
    let mut wrong = Vec::new();
    for (i, row) in list.iter().enumerate() {
        let recorded = row.plain_counts().expect("others are left out");
        let defines = row.defines.iter().map(|d| define(d)).collect();
        let front = front::read_path(&row.model, &front::Options { defines, ..Default::default() })
            .expect("the model can be read");
        for (j, store) in STORES.into_iter().enumerate() {
            let turn = i + j;
            let search = [Search::BreadthFirst, Search::DepthFirst][turn % 2];
            let threads = [1, 2, 4][turn % 3];
            let engine = if turn % 5 == 0 { Engine::Interp } else { Engine::Native };
            let options = options(search, store, engine, threads);
            let what = format!("{} {search:?} {store:?} {engine:?} {threads}", row.name());
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
            let right = if lossy { counts.0 <= recorded.0 && counts.1 <= recorded.1 } else { counts == recorded };
            if !right || report.verdict != expected {
                wrong.push(format!("{what}: {:?} {counts:?}, not {recorded:?}", report.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
