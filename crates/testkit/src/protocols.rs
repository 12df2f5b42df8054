//! Random security protocols of two roles, as texts in Ferrospin's notation.

use std::fmt::Write;

/// A sequence of numbers that is the same every time.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// A term of at most this depth.
fn term(random: &mut Random, depth: usize) -> String {
    let atoms = ["A", "B", "x", "y", "k", "x", "y"];
    if depth == 0 || random.below(4) == 0 {
        return atoms[random.below(atoms.len())].into();
    }
    let inner = |random: &mut Random| term(random, depth - 1);
    match random.below(3) {
        0 => format!("({}, {})", inner(random), inner(random)),
        _ => {
            let keys = ["pk(A)", "pk(B)", "sk(A)", "sk(B)", "shared(A,B)", "k"];
            let (first, key) = (inner(random), keys[random.below(keys.len())]);
            match random.below(2) {
                0 => format!("{{{first}}}{key}"),
                _ => format!("{{{first}, {}}}{key}", inner(random)),
            }
        }
    }
}

/// A protocol of two roles and three messages; it may be one that cannot be run.
pub fn protocol(random: &mut Random) -> String {
    let mut text = String::from("protocol R { role A, B; fresh A: nonce x, key k; fresh B: nonce y;\n");
    for message in 0..3 {
        let (from, to) = if message % 2 == 0 { ("A", "B") } else { ("B", "A") };
        let _ = writeln!(text, "  {from} -> {to} : {};", term(random, 2));
    }
    text + "}"
}

/// Where the sequence of recorded protocols begins.
pub const SEED: u64 = 0x2005_1208;

/// A sum of a text, by which recorded results are told apart (FNV-1a).
pub fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
