//! What several test files need.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use ferrospin_ltl::*;

/// Arena, propositions and labels together.
#[derive(Default)]
pub struct World {
    pub formulas: Formulas,
    pub atoms: Atoms,
    pub labels: Labels,
}

impl World {
    pub fn new() -> Self {
        Self::default()
    }

    /// A world whose first propositions are p, q and r.
    pub fn with_pqr() -> Self {
        let mut w = Self::default();
        for name in ["p", "q", "r"] {
            w.atoms.add(name, ferrospin_source::Span::NONE);
        }
        w
    }

    pub fn read(&mut self, text: &str) -> Formula {
        let (f, diagnostics) = parse(text, 1, Dialect::Project, &mut self.formulas, &mut self.atoms);
        f.unwrap_or_else(|| panic!("`{text}`: {:?}", diagnostics.iter().next()))
    }

    pub fn show(&self, f: Formula) -> String {
        print(&self.formulas, f, &self.atoms, Dialect::Project)
    }

    pub fn translate(&mut self, f: Formula, target: Target) -> Automaton {
        translate(&mut self.formulas, f, target, &mut self.labels).expect("a small formula")
    }

    /// Reads a never claim of the form that this crate writes.
    pub fn read_never(&mut self, text: &str) -> Automaton {
        let mut names: Vec<String> = Vec::new();
        let id = |names: &mut Vec<String>, name: &str| match names.iter().position(|n| n == name) {
            Some(i) => StateId(i as u32),
            None => {
                names.push(name.to_owned());
                StateId(names.len() as u32 - 1)
            }
        };
        let mut edges: Vec<(StateId, StateId, Label)> = Vec::new();
        let mut current = StateId(0);
        for line in text.lines() {
            let line = line.trim();
            if let Some(name) = line.strip_suffix(':') {
                current = id(&mut names, name);
            } else if line == "skip" {
                edges.push((current, current, Label::TRUE));
            } else if let Some((guard, target)) = line.strip_prefix(":: ").and_then(|l| l.split_once(" -> goto ")) {
                let f = parse(guard, 1, Dialect::SpinLtl, &mut self.formulas, &mut self.atoms).0.expect("a guard");
                let label = self.labels.of_formula(&self.formulas, f).expect("a Boolean guard");
                edges.push((current, id(&mut names, target), label));
            }
        }
        let mut a =
            Automaton { edges: vec![Vec::new(); names.len()], initial: StateId(0), mark_count: 1, state_based: true };
        for (from, target, label) in edges {
            let marks = u64::from(names[from.0 as usize].starts_with("accept"));
            a.edges[from.0 as usize].push(Edge { target, marks, label });
        }
        a.merge_edges(&mut self.labels);
        a
    }
}
