//! Random formulas without `X`, as text, over the globals of a random program.

use crate::random::Random;

/// A formula for a program of [`crate::generate`]; nothing where it has no globals.
pub fn formula(text: &str, seed: u64) -> Option<String> {
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let global = |n: usize| words.iter().find(|w| **w == format!("g{n}")).copied();
    let first = global(0)?;
    let second = global(1).unwrap_or(first);
    let atoms = [format!("({first} == 1)"), format!("({second} > 0)"), format!("({first} == {second})")];
    let mut random = Random::new(seed.wrapping_mul(977) + 3);
    let size = 2 + random.below(6);
    Some(make(&mut random, &atoms, size))
}

fn make(random: &mut Random, atoms: &[String], size: usize) -> String {
    if size <= 1 {
        let atom = &atoms[random.below(atoms.len())];
        return if random.chance(30) { format!("!{atom}") } else { atom.clone() };
    }
    let (a, b) = (make(random, atoms, size / 2), make(random, atoms, size - 1 - size / 2));
    match random.below(8) {
        0 => format!("({a} U {b})"),
        1 => format!("({a} && {b})"),
        2 => format!("({a} || {b})"),
        3 => format!("([] ({a} -> <> {b}))"),
        4 => format!("([] <> {a})"),
        5 => format!("(<> [] {a})"),
        6 => format!("([] {a})"),
        _ => format!("(<> {a})"),
    }
}
