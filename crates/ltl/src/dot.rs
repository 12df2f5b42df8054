//! Automata as pictures for Graphviz.

use crate::automaton::Automaton;
use crate::label::Labels;
use crate::never::guard;
use crate::{Atoms, Marks};
use std::fmt::Write;

/// Writes an automaton in the language of `dot`.
pub fn dot(a: &Automaton, labels: &mut Labels, atoms: &Atoms, title: &str) -> String {
    let quote = |s: &str| s.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::from("digraph automaton {\n");
    writeln!(out, "  label=\"{}\"; rankdir=LR; node [shape=circle];", quote(title)).expect("writing to a string");
    writeln!(out, "  init [shape=point]; init -> {};", a.initial.0).expect("writing to a string");
    for s in a.states() {
        let shape = if a.state_based && a.accepting(s) { " [shape=doublecircle]" } else { "" };
        writeln!(out, "  {}{shape};", s.0).expect("writing to a string");
        for e in a.out(s) {
            let guard = guard(labels, e.label, atoms);
            let marks = if a.state_based || e.marks == 0 { String::new() } else { format!("\\n{}", mark_set(e.marks)) };
            writeln!(out, "  {} -> {} [label=\"{}{marks}\"];", s.0, e.target.0, quote(&guard))
                .expect("writing to a string");
        }
    }
    out.push_str("}\n");
    out
}

/// A set of marks as in HOA: `{0 2}`.
pub(crate) fn mark_set(marks: Marks) -> String {
    let list: Vec<String> = (0..64).filter(|i| marks >> i & 1 == 1).map(|i: u32| i.to_string()).collect();
    format!("{{{}}}", list.join(" "))
}
