//! Random protocols: both intruders, merged and unmerged sessions agree, and SPIN's recorded verdicts on the translations; the checker of
//! attacks agrees with the machine on random runs; mutated texts are read or refused.

mod support;

use ferrospin_check::Options;
use ferrospin_check::report::{PropertyReport, Verdict};
use ferrospin_protocol::machine::Executor;
use ferrospin_protocol::protocol::ClaimKind;
use ferrospin_protocol::{checker, promela};
use ferrospin_system::{Control, Machine, Move, Moves};
use ferrospin_testkit::protocols::{Random, SEED, protocol, sum};
use support::{check, folder, plain, read};

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

/// SPIN's verdicts on the translations of 300 protocols, recorded by `cargo run -p xtask -- protocols-spin`: both intruders say the same.
#[test]
fn translations_have_the_verdicts_of_spin() {
    let mut random = Random(SEED);
    let mut recorded = include_str!("random-spin.tsv").lines().skip(1);
    let (mut done, mut leaks) = (0, 0);
    while done < 300 {
        let text = protocol(&mut random);
        if read("r.proto", &text).1.is_none() {
            continue;
        }
        let world = support::world("r.proto", &text, "--secrecy=generic").expect("sessions");
        let Ok(translation) = promela::translate(&world) else { continue };
        let row: Vec<&str> = recorded.next().expect("a recorded verdict").split('\t').collect();
        let hash = format!("{:016x}", sum(&translation));
        assert_eq!(row[1], hash, "the translation is no longer the one that was recorded: record it again\n{text}");
        for intruder in ["simple", "full"] {
            let answers = check("r.proto", &text, &format!("--secrecy=generic --intruder={intruder}"), &plain());
            let verdict = format!("{:?}", answers.expect("a report")[0].verdict).to_lowercase();
            assert_eq!(verdict, row[2], "{intruder}, protocol {done}\n{text}");
        }
        leaks += usize::from(row[2] == "violated");
        done += 1;
    }
    assert!((30..270).contains(&leaks) && recorded.next().is_none(), "{leaks} of {done} leak");
}

/// What the machine says of the last step of a run, the checker says, too, and the other way round.
#[test]
fn the_checker_agrees_on_random_runs() {
    let mut random = Random(0x5eed_0019);
    let (mut steps, mut violations) = (0, 0);
    for (name, text, runs) in samples() {
        for extra in ["", "--extra=2"] {
            let world =
                std::sync::Arc::new(support::world(&name, &text, extra).unwrap_or_else(|why| panic!("{name}: {why}")));
            for claim in 0..world.protocol.claims.len() {
                // These are judged when something becomes known, and by the machine only then.
                let kind = &world.protocol.claims[claim].kind;
                let is_secrecy = matches!(kind, ClaimKind::NoLeak | ClaimKind::Made { .. } | ClaimKind::Held { .. });
                let mut machine = Executor::new(world.clone(), vec![claim], false);
                for _ in 0..runs {
                    for (trail, failed) in run(&mut machine, &mut random) {
                        let played = machine.clone().played(&trail).expect("it was taken");
                        let judged = checker::check(&world, &with_terms(&machine, &trail), &played, claim);
                        let agree = if is_secrecy { !failed || judged.is_ok() } else { failed == judged.is_ok() };
                        let name_of_claim = &world.protocol.claims[claim].name;
                        assert!(
                            agree,
                            "{name} {extra} `{name_of_claim}`: machine {failed}, checker {judged:?}, {trail:?}"
                        );
                        (steps, violations) = (steps + 1, violations + usize::from(failed));
                    }
                }
            }
        }
    }
    assert!(steps > 2000 && violations > 50, "{violations} violations in {steps} steps");
}

/// The terms of a run: what the machine has met.
fn with_terms(machine: &Executor, trail: &[Move]) -> ferrospin_protocol::terms::Terms {
    let mut machine = machine.clone();
    machine.played(trail);
    machine.terms
}

/// The prefixes of a random run, and whether the claim failed at the end of each.
fn run(machine: &mut Executor, random: &mut Random) -> Vec<(Vec<Move>, bool)> {
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    machine.initial(&mut state).expect("an initial state");
    let (mut trail, mut found) = (Vec::new(), Vec::new());
    for _ in 0..12 {
        machine.moves(&state, Control::Free, &mut moves);
        if moves.list.is_empty() {
            break;
        }
        let mv = moves.list[random.below(moves.list.len())];
        let step = machine.apply(&state, &mv, &mut next);
        trail.push(mv);
        found.push((trail.clone(), step.failure.is_some()));
        std::mem::swap(&mut state, &mut next);
    }
    found
}

/// Protocols in both languages, and how many runs of each are looked at for a claim.
fn samples() -> Vec<(String, String, usize)> {
    let mut list: Vec<(String, String, usize)> =
        support::SCYTHER.iter().map(|(name, text)| (format!("{name}.spdl"), (*text).to_owned(), 25)).collect();
    for name in ["nspk", "reflection", "x509_three", "otway_rees", "andrew_rpc", "signed_key"] {
        let name = format!("{name}.proto");
        let text = support::text_of(&name);
        list.push((name, text, 4));
    }
    list
}

/// A text with some of it deleted, doubled, exchanged or replaced.
fn mutated(random: &mut Random, text: &str) -> String {
    let words = [
        "{", "}", "(", ")", ",", ";", "->", "pk", "sk", "shared", "A", "B", "fresh", "secret", "\u{3b1}", "\"", "0",
        "role", "send_1", "recv_!2", "claim", "var", "Ticket", "Niagree", "@", "macro", "/*",
    ];
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
            texts.push(("m.proto", std::fs::read_to_string(path).expect("a protocol")));
        }
    }
    texts.sort();
    let scyther: Vec<_> = support::SCYTHER.iter().map(|(_, text)| ("m.spdl", (*text).to_owned())).collect();
    // As many of one language as of the other.
    let texts: Vec<_> =
        texts.iter().enumerate().flat_map(|(i, t)| [t.clone(), scyther[i % scyther.len()].clone()]).collect();
    let (mut read_well, mut refused) = (0, 0);
    for i in 0..5000 {
        let (name, text) = &texts[i % texts.len()];
        let text = mutated(&mut random, text);
        let (_, protocol, said) = read(name, &text);
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
                let mut machine = Executor::new(world.into(), claims, false);
                walk(&mut machine, &mut random);
            }
        }
    }
    assert!(read_well > 200 && refused > 200, "{read_well} read, {refused} refused");
}

/// A few random steps.
fn walk(machine: &mut Executor, random: &mut Random) {
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
