//! Every construct of Promela, and whether the generator of programs over the whole language writes it.
//!
//! The table below is tied to the syntax tree by matches without a wildcard, so that a construct that is added to the
//! language does not compile here before a row says whether the generator writes it, or why not. What stands in
//! the table as written must occur in programs that are accepted.

mod constructs;

use constructs::{Construct, TABLE, Walk};
use ferrospin_promela::preprocess::Options;
use ferrospin_source::SourceMap;
use ferrospin_testkit::{FolderLoader, language};

/// Programs that are looked at.
const SEEDS: u64 = 4_000;
/// How often what is written must occur at least.
const LEAST: u64 = 2;

/// Reads a program and counts what occurs in it; false when it is refused.
fn count(text: &str, walk: &mut Walk) -> bool {
    let mut map = SourceMap::new();
    let file = map.add_file("random.pml", text);
    let options = Options { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    if reading.diagnostics.has_errors() {
        return false;
    }
    let (_, said) = ferrospin_lower::lower(&map, &reading.program, &reading.names);
    if said.has_errors() {
        return false;
    }
    walk.text(text);
    walk.program(&reading.program);
    true
}

#[test]
fn every_construct_is_written_or_listed_with_a_reason() {
    let mut walk = Walk::default();
    let accepted = (0..SEEDS).filter(|seed| count(&language::generate(*seed).text(), &mut walk)).count() as u64;
    assert!(accepted > SEEDS * 6 / 10, "only {accepted} of {SEEDS} programs are accepted");
    let mut wrong = Vec::new();
    for (construct, reason) in TABLE {
        let times = walk.times(*construct);
        match reason {
            None if times < LEAST => wrong.push(format!("{construct:?} is listed as written and occurs {times} times")),
            Some(why) if times > 0 => {
                wrong.push(format!("{construct:?} occurs {times} times, and is not written: {why}"))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_program_of_a_seed_stays_the_same() {
    assert_eq!(language::generate(17).text(), language::generate(17).text());
    assert_ne!(language::generate(17).text(), language::comparable(17).text());
}

#[test]
fn counting_sees_what_is_there() {
    let text = "byte a[2]; chan c = [1] of { byte };
        active proctype P() { byte i; do :: L: a[i] = a[i] + 1 :: c?[1] -> c?a[i] :: else -> break od; goto L }";
    let mut walk = Walk::default();
    assert!(count(text, &mut walk));
    for there in [
        Construct::LabelOnFirstOfOption,
        Construct::ComputedIndexWritten,
        Construct::ComputedIndexInReceive,
        Construct::JumpIntoDo,
        Construct::ElseBesidePoll,
    ] {
        assert_eq!(walk.times(there), 1, "{there:?}");
    }
    assert_eq!(walk.times(Construct::JumpOutOfAtomic), 0);
}
