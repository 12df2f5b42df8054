//! Formulas without `X` and claims: cycles that are found without reduction are found with it, and no others.

mod por_support;

use ferrospin::reduction::{Keep, Known, Selector, Weakening, reduction};
use ferrospin_interp::Interp;
use ferrospin_lower::claim;
use ferrospin_lower::lower_all;
use ferrospin_model::facts::Facts;
use ferrospin_model::ir::{Model, ProcessId, ProcessKind};
use ferrospin_promela::preprocess::Options;
use ferrospin_reduce::{Ample, Stubborn};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_source::SourceMap;
use ferrospin_system::Reduction;
use ferrospin_testkit::FolderLoader;
use ferrospin_testkit::generate::generate;
use ferrospin_testkit::random::Random;
use ferrospin_testkit::reduced::accepting_cycle;
use por_support::por_model;
use std::sync::Arc;

/// A model with the claim of its one formula beside it.
fn with_formula(text: &str) -> Option<Arc<Model>> {
    let mut map = SourceMap::new();
    let file = map.add_file("formula.pml", text);
    let options = Options { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    if reading.diagnostics.has_errors() {
        return None;
    }
    let (lowered, said) = lower_all(&map, &reading.program, &reading.names);
    if said.has_errors() {
        return None;
    }
    let (model, claim) = claim::add(&lowered.model, lowered.properties.first()?).ok()?;
    Some(Arc::new(model.with_claim(claim)))
}

/// A random formula without `X` over some propositions.
fn formula(random: &mut Random, atoms: &[&str], size: usize) -> String {
    let mut sub = |n: usize| formula(random, atoms, n);
    if size <= 1 {
        let atom = atoms[random.below(atoms.len())];
        return if random.chance(30) { format!("!({atom})") } else { format!("({atom})") };
    }
    match size % 3 {
        _ if size == 2 => {
            let inner = sub(1);
            format!("({} {inner})", ["[]", "<>"][random.below(2)])
        }
        _ => {
            let left = sub(size / 2);
            let right = sub(size - 1 - size / 2);
            match random.below(6) {
                0 => format!("({left} U {right})"),
                1 => format!("({left} && {right})"),
                2 => format!("({left} || {right})"),
                3 => format!("([] ({left} -> <> {right}))"),
                4 => format!("([] <> {left} || {right})"),
                _ => format!("(<> [] {left} && {right})"),
            }
        }
    }
}

fn frame(model: &Model) -> std::ops::Range<usize> {
    let (claim, at) = model.layout.claim.expect("a claim");
    at as usize..(at + model.process(claim).frame_size) as usize
}

/// Whether there is a violation, without reduction and with it; nothing for what is too large or cannot be reduced.
fn verdicts(
    model: &Arc<Model>,
    selector: Selector,
    weakening: Weakening,
    weak: bool,
) -> Option<((bool, usize), (bool, usize))> {
    let facts = Facts::new(model.clone());
    if facts.off().is_some() {
        return None;
    }
    let known = Arc::new(Known::new(facts));
    let mut reduction: Box<dyn Reduction> = match selector {
        Selector::Ample => Box::new(Ample::weakened(known, Keep::Visible, weakening)),
        Selector::Stubborn => Box::new(Stubborn::weakened(known, Keep::Visible, weakening)),
    };
    let mut machine = WithMonitor::new(Interp::new(model.clone()));
    let full = accepting_cycle(&mut machine, None, frame(model), false, 1500)?;
    Some((full, accepting_cycle(&mut machine, Some(&mut *reduction), frame(model), weak, 1500)?))
}

fn random_cases(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (String, Arc<Model>)> {
    seeds.filter_map(|seed| {
        let text = generate(seed).text();
        let mut random = Random::new(seed);
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let global = |n: usize| words.iter().find(|w| **w == format!("g{n}")).copied();
        let first = global(0)?;
        let second = global(1).unwrap_or(first);
        let atoms = [format!("{first} == 1"), format!("{second} > 0"), format!("{first} == {second}")];
        let atoms: Vec<&str> = atoms.iter().map(|a| a.as_str()).collect();
        let size = 2 + random.below(6);
        let text = format!("{text}\nltl p {{ {} }}", formula(&mut random, &atoms, size));
        Some((text.clone(), with_formula(&text)?))
    })
}

#[test]
fn random_formulas_keep_their_verdicts() {
    keep_their_verdicts(Selector::Stubborn);
}

#[test]
fn random_formulas_keep_their_verdicts_with_ample_sets() {
    keep_their_verdicts(Selector::Ample);
}

fn keep_their_verdicts(selector: Selector) {
    let (mut tally, mut sizes) = ([0, 0], [0, 0]);
    for (text, model) in random_cases(1..500) {
        let Some((full, reduced)) = verdicts(&model, selector, Weakening::default(), false) else { continue };
        assert_eq!(full.0, reduced.0, "{text}");
        tally[usize::from(full.0)] += 1;
        sizes[0] += full.1;
        sizes[1] += reduced.1;
    }
    assert!(tally.iter().all(|n| *n > 30), "{tally:?}");
    assert!(sizes[1] < sizes[0], "{sizes:?}: nothing was reduced");
}

/// Formulas on which a mistake shows: text, what is wrong.
const TRAPS: &[&str] = &[
    "byte v, w; active proctype C() { byte l; c0: l = 1; if :: l = 0; goto c0 :: l = 2 fi; w = 1 }
     active proctype V() { v = 1 } ltl p { [] (v == 1 -> <> (w == 1)) }",
    "bool p; active proctype B() { p = true } active proctype A() { byte x; do :: x = 0 od } ltl q { <> [] !p }",
    "byte a, b; active proctype A() { a = 1; a = 2 } active proctype B() { b = 1; b = 2 }
     ltl q { [] !(a == 1 && b == 1) }",
    "byte a, b; active proctype A() { a = 1 } active proctype B() { b = 1 } ltl q { (b == 0) U (a == 1) }",
    "active proctype A() { byte x; do :: x = 1; l: x = 0 od } active proctype B() { byte y; y = 1; m: y = 2 }
     ltl q { [] !(A@l && B@m) }",
];

#[test]
fn traps_keep_their_verdicts() {
    for text in TRAPS {
        let model = with_formula(text).expect("a model");
        for selector in [Selector::Ample, Selector::Stubborn] {
            let (full, reduced) = verdicts(&model, selector, Weakening::default(), false).expect("small");
            assert_eq!(full.0, reduced.0, "{text}");
        }
    }
}

#[test]
fn a_claim_by_hand_keeps_its_verdict() {
    let model = por_model("defect-claim.pml");
    let never = model.processes.iter().position(|p| p.kind == ProcessKind::Never).expect("a claim");
    let model = Arc::new(model.with_claim(ProcessId(never as u32)));
    for selector in [Selector::Ample, Selector::Stubborn] {
        assert_eq!(verdicts(&model, selector, Weakening::default(), false), Some(((true, 6), (true, 6))));
    }
    assert!(reduction(&model, Keep::Visible).is_ok());
}

fn is_found(selector: Selector, weakening: Weakening, weak: bool) -> bool {
    let traps = TRAPS.iter().map(|t| (t.to_string(), with_formula(t).expect("a model")));
    traps
        .chain(random_cases(1..300))
        .filter_map(|(_, model)| verdicts(&model, selector, weakening, weak))
        .any(|(full, reduced)| full.0 != reduced.0)
}

#[test]
fn invisible_is_everything() {
    for selector in [Selector::Ample, Selector::Stubborn] {
        assert!(is_found(selector, Weakening { no_visibility: true, ..Weakening::default() }, false));
    }
}

#[test]
fn a_weak_proviso_is_not_enough() {
    for selector in [Selector::Ample, Selector::Stubborn] {
        assert!(is_found(selector, Weakening::default(), true));
    }
}
