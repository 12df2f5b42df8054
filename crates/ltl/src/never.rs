//! Büchi automata as never claims in SPIN's syntax.
//!
//! Labels say what SPIN needs to know: the initial state comes first, names beginning with `accept` accept, and
//! `accept_all` is the state from which everything is accepted. Guards are the user's own expressions in a minimal sum.

use crate::automaton::{Automaton, StateId};
use crate::label::{Label, Labels};
use crate::{AtomId, Atoms, Dialect};
use std::fmt::Write;

/// How the claim is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NeverOptions {
    /// Ends a violation by `assert(!(guard))` on edges into `accept_all`, so that it is reported at once.
    pub assert: bool,
}

/// Writes a Büchi automaton as a never claim. Panics if acceptance does not belong to states.
pub fn never(a: &Automaton, labels: &mut Labels, atoms: &Atoms, title: &str, options: NeverOptions) -> String {
    assert!(a.state_based, "a never claim has accepting states");
    let name = |s: StateId| {
        if accepts_all(a, s) && (s != a.initial || a.state_count() == 1) {
            return "accept_all".to_owned();
        }
        match (a.accepting(s), s == a.initial) {
            (true, true) => "accept_init".to_owned(),
            (false, true) => "T0_init".to_owned(),
            (true, false) => format!("accept_S{}", s.0),
            (false, false) => format!("T0_S{}", s.0),
        }
    };
    // A comment must not end early.
    let title = title.replace("*/", "* /");
    let mut out = format!("never {{    /* {title} */\n");
    let mut order = vec![a.initial];
    order.extend(a.states().filter(|&s| s != a.initial));
    for s in order {
        writeln!(out, "{}:", name(s)).expect("writing to a string");
        if accepts_all(a, s) {
            out.push_str("\tskip\n");
        } else if a.out(s).is_empty() {
            out.push_str("\tfalse;\n");
        } else {
            out.push_str("\tdo\n");
            for e in a.out(s) {
                let guard = guard(labels, e.label, atoms);
                if options.assert && accepts_all(a, e.target) && e.target != s {
                    writeln!(out, "\t:: atomic {{ {guard} -> assert(!{guard}) }}").expect("writing to a string");
                } else {
                    writeln!(out, "\t:: {guard} -> goto {}", name(e.target)).expect("writing to a string");
                }
            }
            out.push_str("\tod;\n");
        }
    }
    out.push_str("}\n");
    out
}

/// Whether a state accepts and stays on every letter.
fn accepts_all(a: &Automaton, s: StateId) -> bool {
    matches!(a.out(s), [e] if e.target == s && e.label == Label::TRUE) && a.accepting(s)
}

/// A label as a parenthesised Promela expression.
pub fn guard(labels: &mut Labels, label: Label, atoms: &Atoms) -> String {
    let literal = |&(atom, value): &(AtomId, bool)| {
        let text = spell(atoms, atom);
        if value { text } else { format!("!{text}") }
    };
    let cubes: Vec<String> =
        labels.cover(label).iter().map(|cube| cube.iter().map(literal).collect::<Vec<_>>().join(" && ")).collect();
    match &cubes[..] {
        [] => "(0)".to_owned(),
        [cube] if cube.is_empty() => "(1)".to_owned(),
        [cube] => format!("({cube})"),
        _ => {
            let parts: Vec<String> =
                cubes.iter().map(|c| if c.contains(" && ") { format!("({c})") } else { c.clone() }).collect();
            format!("({})", parts.join(" || "))
        }
    }
}

/// The text of a proposition as an operand of Promela's `!` and `&&`.
fn spell(atoms: &Atoms, atom: AtomId) -> String {
    let spelled = atoms.spell(atom, Dialect::SpinLtl);
    // Braces and quotation marks are spellings of formulas, not of Promela.
    if spelled.starts_with(['{', '"']) { format!("({})", atoms.get(atom).text) } else { spelled }
}
