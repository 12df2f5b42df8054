//! Automata in the Hanoi omega-automata format, version 1 (Babiak et al., 2015): writing.

use crate::automaton::Automaton;
use crate::classify::statistics;
use crate::dot::mark_set;
use crate::label::{Label, Labels};
use crate::scc::Components;
use crate::{AtomId, Atoms};
use std::fmt::Write;

/// Writes an automaton. `stutter_invariant` says whether that was proved of its language.
pub fn hoa(a: &Automaton, labels: &mut Labels, atoms: &Atoms, name: &str, stutter_invariant: bool) -> String {
    let quote = |s: &str| format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\""));
    let mut used: Vec<AtomId> = a.edges.iter().flatten().flat_map(|e| labels.support(e.label)).collect();
    used.sort_unstable();
    used.dedup();
    let facts = statistics(a, labels);
    let mut out = String::from("HOA: v1\n");
    let names: String = used.iter().map(|&atom| format!(" {}", quote(&atoms.get(atom).text))).collect();
    let acceptance: Vec<String> = (0..a.mark_count).map(|i| format!("Inf({i})")).collect();
    let (acc_name, formula) = match a.mark_count {
        0 => ("all".to_owned(), "t".to_owned()),
        1 => ("Buchi".to_owned(), "Inf(0)".to_owned()),
        n => (format!("generalized-Buchi {n}"), acceptance.join("&")),
    };
    // The format calls an automaton weak only if each component has all its edges inside the set, or none.
    let components = Components::new(a);
    let strict = a.states().all(|s| {
        let c = components.of[s.0 as usize];
        let mut inner = a.out(s).iter().filter(|e| c != u32::MAX && components.inner(s, e.target));
        inner.all(|e| e.marks == if components.accepting(c as usize) { a.all_marks() } else { 0 })
    });
    let mut properties = vec!["trans-labels", "explicit-labels"];
    properties.push(if a.state_based { "state-acc" } else { "trans-acc" });
    let optional = [
        (facts.deterministic, "deterministic"),
        (facts.complete, "complete"),
        (facts.weak, "inherently-weak"),
        (facts.weak && strict, "weak"),
        (facts.terminal && strict, "terminal"),
        (stutter_invariant, "stutter-invariant"),
    ];
    properties.extend(optional.iter().filter(|p| p.0).map(|p| p.1));
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string");
    line(format!("name: {}", quote(name)));
    line(format!("States: {}", a.state_count()));
    line(format!("Start: {}", a.initial.0));
    line(format!("AP: {}{names}", used.len()));
    line(format!("acc-name: {acc_name}"));
    line(format!("Acceptance: {} {formula}", a.mark_count));
    line(format!("properties: {}", properties.join(" ")));
    line(format!("tool: \"ferrospin\" \"{}\"", env!("CARGO_PKG_VERSION")));
    line("--BODY--".to_owned());
    for s in a.states() {
        let accepting = a.state_based && a.mark_count > 0 && a.accepting(s);
        line(format!("State: {}{}", s.0, if accepting { " {0}" } else { "" }));
        for e in a.out(s) {
            let marks = if a.state_based || e.marks == 0 { String::new() } else { format!(" {}", mark_set(e.marks)) };
            line(format!("[{}] {}{marks}", label_text(labels, e.label, &used), e.target.0));
        }
    }
    line("--END--".to_owned());
    out
}

fn label_text(labels: &mut Labels, label: Label, used: &[AtomId]) -> String {
    let literal = |&(atom, value): &(AtomId, bool)| {
        let index = used.binary_search(&atom).expect("all propositions are listed");
        if value { index.to_string() } else { format!("!{index}") }
    };
    let cube = |cube: &crate::Cube| match &cube[..] {
        [] => "t".to_owned(),
        list => list.iter().map(literal).collect::<Vec<_>>().join("&"),
    };
    labels.cover(label).iter().map(cube).collect::<Vec<_>>().join(" | ")
}
