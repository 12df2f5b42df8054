//! Random protocols: both intruders, merged and unmerged sessions agree; mutated texts are read or refused.

mod support;

use ferrospin_check::Options;
use ferrospin_check::report::{PropertyReport, Verdict};
use std::fmt::Write;
use support::{check, folder, plain, read};

/// A sequence of numbers that is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
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
fn protocol(random: &mut Random) -> String {
    let mut text = String::from("protocol R { role A, B; fresh A: nonce x, key k; fresh B: nonce y;\n");
    for message in 0..3 {
        let (from, to) = if message % 2 == 0 { ("A", "B") } else { ("B", "A") };
        let _ = writeln!(text, "  {from} -> {to} : {};", term(random, 2));
    }
    text + "}"
}

fn length(report: &PropertyReport) -> (Verdict, Option<u64>) {
    (report.verdict, report.error.as_ref().and_then(|e| e.depth))
}

#[test]
fn intruders_agree() {
    let mut random = Random(0x2005_1207);
    let (mut done, mut leaks) = (0, 0);
    while done < 300 {
        let text = protocol(&mut random);
        if read("r.proto", &text).1.is_none() {
            continue;
        }
        done += 1;
        let run = if done % 5 == 0 { " --run=A=2,B=1" } else { "" };
        let of = |settings: &str, options: &Options| {
            let settings = format!("--secrecy=generic{settings}{run}");
            let answers = check("r.proto", &text, &settings, options);
            length(&answers.unwrap_or_else(|why| panic!("{why}\n{text}"))[0])
        };
        let full = of(" --intruder=full", &plain());
        assert_ne!(full.0, Verdict::Undecided);
        assert_eq!(of("", &plain()), full, "the simple intruder\n{text}");
        assert_eq!(of(" --intruder=full", &Options::default()), full, "equal sessions merged\n{text}");
        leaks += usize::from(full.0 == Verdict::Violated);
    }
    assert!((30..270).contains(&leaks), "{leaks} of {done} leak");
}

/// A text with some of it deleted, doubled, exchanged or replaced.
fn mutated(random: &mut Random, text: &str) -> String {
    let words =
        ["{", "}", "(", ")", ",", ";", "->", "pk", "sk", "shared", "A", "B", "fresh", "secret", "\u{3b1}", "\"", "0"];
    let mut bytes: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len().max(1)).min(bytes.len());
        let len = random.below(12).min(bytes.len() - at);
        match random.below(4) {
            0 => drop(bytes.drain(at..at + len)),
            1 => {
                let copy = bytes[at..at + len].to_vec();
                bytes.splice(at..at, copy);
            }
            2 => {
                let word = words[random.below(words.len())].chars().collect::<Vec<_>>();
                bytes.splice(at..at + len, word);
            }
            _ => {
                let other = random.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
                if at < bytes.len() {
                    bytes.swap(at, other);
                }
            }
        }
    }
    bytes.into_iter().collect()
}

/// Every text is read or refused with a message; what is read has sessions that begin.
#[test]
fn mutated_texts() {
    let mut random = Random(0x5eed_0018);
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the library") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "proto") {
            texts.push(std::fs::read_to_string(path).expect("a protocol"));
        }
    }
    texts.sort();
    let (mut read_well, mut refused) = (0, 0);
    for i in 0..5000 {
        let text = mutated(&mut random, &texts[i % texts.len()]);
        let (_, protocol, said) = read("m.proto", &text);
        match protocol {
            None => {
                assert!(said.has_errors(), "{text}");
                refused += 1;
            }
            Some(protocol) => {
                read_well += 1;
                let Ok(setup) = support::settings("").setup(&protocol) else { continue };
                let Ok(world) = ferrospin_protocol::world::World::new(protocol, setup) else { continue };
                let claims = world.setup.claims.clone();
                let mut machine = ferrospin_protocol::machine::Executor::new(world.into(), claims, false);
                walk(&mut machine, &mut random);
            }
        }
    }
    assert!(read_well > 200 && refused > 200, "{read_well} read, {refused} refused");
}

/// A few random steps.
fn walk(machine: &mut ferrospin_protocol::machine::Executor, random: &mut Random) {
    use ferrospin_system::{Control, Machine, Moves};
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    machine.initial(&mut state).expect("an initial state");
    for _ in 0..6 {
        machine.moves(&state, Control::Free, &mut moves);
        if moves.list.is_empty() {
            return;
        }
        let mv = moves.list[random.below(moves.list.len())];
        machine.apply(&state, &mv, &mut next);
        std::mem::swap(&mut state, &mut next);
    }
}
