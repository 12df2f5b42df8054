//! Prints the program of a seed over the whole language: `language SEED`.

fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    print!("{}", ferrospin_testkit::language::generate(seed).text());
}
