//! Sizes of the automata of 248 reference formulas beside those of other tools, which were measured once.
//!
//! `cargo run --release -p ferrospin-ltl --example sizes [SET]` prints totals per set, time-outs and times; for one set
//! also every formula whose size differs from Spot's.

use ferrospin_ltl::{Atoms, Dialect, Formulas, Labels, Target, parse, print, simplify, translate};
use std::collections::BTreeMap;
use std::time::Instant;

/// The columns: tools, the automaton that each makes, and where its numbers come from.
const TOOLS: [(&str, &str); 6] = [
    ("ours-tgba", "generalised"),
    ("spot-tgba", "Spot"),
    ("ours-ba", "Büchi"),
    ("spot-ba", "Spot"),
    ("ltl2ba", "ltl2ba"),
    ("spin", "SPIN"),
];

/// States, edges, and how many formulas a tool did not finish.
#[derive(Clone, Copy, Default)]
struct Total {
    states: usize,
    edges: usize,
    timeouts: usize,
}

/// One formula: its text, and the size that each tool needs, or `None` for a time-out.
type Reference = (String, BTreeMap<String, Option<(usize, usize)>>);

fn main() {
    let only = std::env::args().nth(1);
    let mut totals: BTreeMap<String, (usize, BTreeMap<String, Total>)> = BTreeMap::new();
    let mut slowest = (0.0, String::new());
    let start = Instant::now();
    for ((set, index), (text, mut sizes)) in reference() {
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
            sizes.insert(name.to_owned(), Some((a.state_count(), a.edge_count())));
        }
        for (ours, spot) in [("ours-tgba", "spot-tgba"), ("ours-ba", "spot-ba")] {
            if let (Some(a), Some(b)) = (sizes[ours], sizes[spot])
                && a != b
                && only.is_some()
            {
                let g = simplify(&mut arena, f, &mut labels).expect("a formula");
                println!("{set} {index} {ours} {a:?}, Spot {b:?}\n    {text}");
                println!("    {}", print(&arena, g, &atoms, Dialect::Project));
            }
        }
        let literature = ["dwyer", "eh", "sb"].iter().any(|s| set.starts_with(s));
        for group in [Some(set.as_str()), Some("all"), literature.then_some("literature")].into_iter().flatten() {
            let (count, tools) = totals.entry(group.to_owned()).or_default();
            *count += 1;
            for (tool, size) in &sizes {
                let total = tools.entry(tool.clone()).or_default();
                match size {
                    Some((states, edges)) => (total.states, total.edges) = (total.states + states, total.edges + edges),
                    None => total.timeouts += 1,
                }
            }
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    print_table(&totals);
    println!("\nStates/edges; +n: n formulas that the tool did not finish, which count nothing.");
    println!("Ours: {elapsed:.2} s in all, no time-out; slowest {} with {:.3} s.", slowest.1, slowest.0);
    theta(8);
}

/// The recorded numbers.
fn reference() -> BTreeMap<(String, u32), Reference> {
    let mut formulas: BTreeMap<(String, u32), Reference> = BTreeMap::new();
    for line in include_str!("../tests/data/sizes.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let entry = formulas.entry((columns[0].to_owned(), columns[1].parse().expect("a number"))).or_default();
        entry.0 = columns[2].to_owned();
        let size = columns[4].parse().ok().zip(columns[5].parse().ok());
        entry.1.insert(columns[3].to_owned(), size);
    }
    formulas
}

fn print_table(totals: &BTreeMap<String, (usize, BTreeMap<String, Total>)>) {
    print!("{:<12} {:>8}", "set", "formulas");
    TOOLS.iter().for_each(|(_, title)| print!(" {title:>14}"));
    println!();
    for (set, (count, tools)) in totals {
        print!("{set:<12} {count:>8}");
        for (tool, _) in TOOLS {
            let total = tools[tool];
            let timeouts = if total.timeouts == 0 { String::new() } else { format!(" +{}", total.timeouts) };
            print!(" {:>14}", format!("{}/{}{timeouts}", total.states, total.edges));
        }
        println!();
    }
}

/// The formula that other translators do not finish: n fairness conditions and a response.
fn theta(n: usize) {
    let premise: Vec<String> = (1..=n).map(|i| format!("[]<>p{i}")).collect();
    let text = format!("!(({}) -> [](q -> <>r))", premise.join(" && "));
    let (mut arena, mut atoms, mut labels) = (Formulas::new(), Atoms::new(), Labels::new());
    let start = Instant::now();
    let f = parse(&text, 1, Dialect::Project, &mut arena, &mut atoms).0.expect("a formula");
    let tgba = translate(&mut arena, f, Target::Generalised, &mut labels).expect("an automaton");
    let buchi = translate(&mut arena, f, Target::Buchi, &mut labels).expect("an automaton");
    println!(
        "The eighth theta formula: generalised {}/{}, Büchi {}/{}, both in {:.3} s.",
        tgba.state_count(),
        tgba.edge_count(),
        buchi.state_count(),
        buchi.edge_count(),
        start.elapsed().as_secs_f64()
    );
}
