//! Sizes of the automata of the reference formulas beside those of other tools.
//!
//! `cargo run --release -p ferrospin-ltl --example sizes [SET]` prints totals per set, and for one set every formula
//! whose size differs from Spot's.

use ferrospin_ltl::{Atoms, Dialect, Formulas, Labels, Target, parse, print, simplify, translate};
use std::collections::BTreeMap;
use std::time::Instant;

type Sizes = BTreeMap<String, (usize, usize)>;

fn main() {
    let only = std::env::args().nth(1);
    let data = include_str!("../tests/data/sizes.tsv");
    let mut formulas: BTreeMap<(String, u32), (String, Sizes)> = BTreeMap::new();
    for line in data.lines().skip(1) {
        let c: Vec<&str> = line.split('\t').collect();
        let entry = formulas.entry((c[0].to_owned(), c[1].parse().unwrap())).or_default();
        entry.0 = c[2].to_owned();
        if let (Ok(s), Ok(e)) = (c[4].parse(), c[5].parse()) {
            entry.1.insert(c[3].to_owned(), (s, e));
        }
    }
    let mut totals: BTreeMap<String, Sizes> = BTreeMap::new();
    let mut slowest = (0.0, String::new());
    let start = Instant::now();
    for ((set, index), (text, mut sizes)) in formulas {
        if only.as_ref().is_some_and(|o| *o != set) {
            continue;
        }
        let (mut arena, mut atoms, mut labels) = (Formulas::new(), Atoms::new(), Labels::new());
        let f = parse(&text, 1, Dialect::Project, &mut arena, &mut atoms).0.expect("a formula");
        for (name, target) in [("ours-tgba", Target::Generalised), ("ours-ba", Target::Buchi)] {
            let start = Instant::now();
            let a = translate(&mut arena, f, target, &mut labels).expect("an automaton");
            let elapsed = start.elapsed().as_secs_f64();
            if elapsed > slowest.0 {
                slowest = (elapsed, format!("{set} {index} {name}"));
            }
            sizes.insert(name.to_owned(), (a.state_count(), a.edge_count()));
        }
        for (ours, spot) in [("ours-tgba", "spot-tgba"), ("ours-ba", "spot-ba")] {
            if sizes[ours] != sizes[spot] && only.is_some() {
                let g = simplify(&mut arena, f, &mut labels).expect("a formula");
                let draft = sizes[&spot.replace("spot", "draft")];
                println!("{set} {index} {ours} {:?} spot {:?} draft {draft:?}", sizes[ours], sizes[spot]);
                println!("    {text}\n    {}", print(&arena, g, &atoms, Dialect::Project));
            }
        }
        let literature = ["dwyer", "eh", "sb"].iter().any(|s| set.starts_with(s));
        for group in [Some(set.as_str()), Some("all"), literature.then_some("literature")].into_iter().flatten() {
            let total = totals.entry(group.to_owned()).or_default();
            for (tool, (s, e)) in &sizes {
                let t = total.entry(tool.clone()).or_default();
                *t = (t.0 + s, t.1 + e);
            }
        }
    }
    println!(
        "{:<12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "set", "ours-tgba", "draft-tgba", "spot-tgba", "ours-ba", "draft-ba", "spot-ba"
    );
    for (set, total) in &totals {
        print!("{set:<12}");
        for tool in ["ours-tgba", "draft-tgba", "spot-tgba", "ours-ba", "draft-ba", "spot-ba"] {
            let (s, e) = total[tool];
            print!(" {:>12}", format!("{s}/{e}"));
        }
        println!();
    }
    println!("{:.2} s in all; slowest {} with {:.3} s", start.elapsed().as_secs_f64(), slowest.1, slowest.0);
}
