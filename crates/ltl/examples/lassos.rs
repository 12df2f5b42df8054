//! Compares automata with the direct evaluation of their formulas on random words.
//!
//! `cargo run --release -p ferrospin-ltl --example lassos [FORMULAS] [WORDS] [SEED]`

use ferrospin_ltl::random::Random;
use ferrospin_ltl::{Atoms, Dialect, Formulas, Labels, Target, accepts, print, simplify, translate, translate_plainly};

fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    let (count, words, seed) =
        (args.first().copied().unwrap_or(1000), args.get(1).copied().unwrap_or(100), args.get(2).copied().unwrap_or(1));
    let mut random = Random::new(seed);
    let mut compared = 0u64;
    for _ in 0..count {
        let (mut formulas, mut labels, mut atoms) = (Formulas::new(), Labels::new(), Atoms::new());
        for name in ["p", "q", "r"] {
            atoms.add(name, ferrospin_source::Span::NONE);
        }
        let size = 3 + random.below(12);
        let f = random.formula(&mut formulas, size, 3);
        let g = simplify(&mut formulas, f, &mut labels).expect("a small formula");
        let automata = [
            ("plain", translate_plainly(&mut formulas, f, &mut labels)),
            ("generalised", translate(&mut formulas, f, Target::Generalised, &mut labels)),
            ("buchi", translate(&mut formulas, f, Target::Buchi, &mut labels)),
        ];
        for _ in 0..words {
            let percent = [25, 50, 75][random.below(3)];
            let word = random.lasso(4, 4, 3, percent);
            let expected = word.satisfies(&formulas, f);
            if word.satisfies(&formulas, g) != expected {
                let show = |f| print(&formulas, f, &atoms, Dialect::Project);
                println!("rewriting differs: {} became {} on {word:?}", show(f), show(g));
                std::process::exit(1);
            }
            for (name, a) in &automata {
                let a = a.as_ref().expect("an automaton");
                if accepts(a, &labels, &word) != expected {
                    println!(
                        "{name} differs: {} is {expected} on {word:?}",
                        print(&formulas, f, &atoms, Dialect::Project)
                    );
                    println!("{a:#?}");
                    std::process::exit(1);
                }
                compared += 1;
            }
        }
    }
    println!("{compared} comparisons, no difference");
}
