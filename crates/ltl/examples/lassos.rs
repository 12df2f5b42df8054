//! Compares automata of random formulas with the direct evaluation of the formulas on random words, and with the
//! automata of their negations.
//!
//! `cargo run --release -p ferrospin-ltl --example lassos [FORMULAS] [WORDS] [SEED]`

use ferrospin_ltl::random::Random;
use ferrospin_ltl::{
    Atoms, Automaton, Dialect, Formulas, Labels, Target, accepts, is_empty, print, product, simplify, translate,
    translate_plainly,
};
use std::process::ExitCode;

/// States of a product.
const PRODUCT_MAX: usize = 1_000_000;

fn main() -> ExitCode {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    let (count, words, seed) =
        (args.first().copied().unwrap_or(5000), args.get(1).copied().unwrap_or(20), args.get(2).copied().unwrap_or(1));
    let mut random = Random::new(seed);
    let (mut compared, mut products, mut accepted) = (0u64, 0u64, 0u64);
    for _ in 0..count {
        let (mut formulas, mut labels, mut atoms) = (Formulas::new(), Labels::new(), Atoms::new());
        for name in ["p", "q", "r"] {
            atoms.add(name, ferrospin_source::Span::NONE);
        }
        let size = 3 + random.below(12);
        let f = random.formula(&mut formulas, size, 3);
        let not_f = formulas.not(f);
        let g = simplify(&mut formulas, f, &mut labels).expect("a small formula");
        let mut make = |f, target| translate(&mut formulas, f, target, &mut labels).expect("a small formula");
        let (generalised, buchi) = (make(f, Target::Generalised), make(f, Target::Buchi));
        let (no_generalised, no_buchi) = (make(not_f, Target::Generalised), make(not_f, Target::Buchi));
        let plain = translate_plainly(&mut formulas, f, &mut labels).expect("a small formula");
        let show = |f| print(&formulas, f, &atoms, Dialect::Project);
        let pairs: [(&Automaton, &Automaton); 4] = [
            (&generalised, &no_generalised),
            (&generalised, &no_buchi),
            (&buchi, &no_generalised),
            (&plain, &no_buchi),
        ];
        for (a, b) in pairs {
            if !is_empty(&product(a, b, &mut labels, PRODUCT_MAX).expect("a small product")) {
                println!("the automata of {} and of its negation share a word", show(f));
                return ExitCode::FAILURE;
            }
            products += 1;
        }
        for _ in 0..words {
            let percent = [25, 50, 75][random.below(3)];
            let word = random.lasso(4, 4, 3, percent);
            let expected = word.satisfies(&formulas, f);
            if word.satisfies(&formulas, g) != expected {
                println!("rewriting differs: {} became {} on {word:?}", show(f), show(g));
                return ExitCode::FAILURE;
            }
            let automata = [
                ("plain", &plain, expected),
                ("generalised", &generalised, expected),
                ("Büchi", &buchi, expected),
                ("negated, generalised", &no_generalised, !expected),
                ("negated, Büchi", &no_buchi, !expected),
            ];
            for (name, a, expected) in automata {
                if accepts(a, &labels, &word) != expected {
                    println!("{name} differs: {} is {expected} on {word:?}\n{a:#?}", show(f));
                    return ExitCode::FAILURE;
                }
            }
            accepted += u64::from(expected);
            compared += 1;
        }
    }
    println!(
        "{count} formulas, {compared} words ({accepted} of them accepted), each on 5 automata; {products} products with \
         automata of negations: no difference"
    );
    ExitCode::SUCCESS
}
