//! Prints the random program of a seed: `generate SEED`.

fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    print!("{}", ferrospin_testkit::generate::generate(seed).text());
}
