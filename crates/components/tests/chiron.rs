//! The Chiron family: artists register with a dispatcher, which tells each of them of an event. Peaks of its composition.

use ferrospin_components::net::{Composition, Net, Part, Plan, Step, compose};
use ferrospin_lts::compare::compare;
use ferrospin_lts::equivalence::minimise;
use ferrospin_lts::operations::hide;
use ferrospin_lts::traces::not_included;
use ferrospin_lts::{Builder, Edge, Graph, Label, Notion, State, Unwatched};

struct Automaton(Builder);

impl Automaton {
    fn new() -> Self {
        Automaton(Builder::new())
    }

    fn edge(&mut self, source: u32, label: &str, target: u32) {
        self.0.add(State(source), label, State(target));
    }

    fn part(self, name: String) -> Part {
        let states = self.0.states_named() as usize;
        Part { name, graph: self.0.finish(states, State(0)) }
    }
}

/// The parts for a number of artists, and the plan: modules, then one after another, the last first.
fn chiron(n: u32, lock: bool, observed: &[&str]) -> (Net, Vec<Step>) {
    let mut parts = Vec::new();
    let mut steps = Vec::new();
    let mut coordinator = Automaton::new();
    for i in 0..n {
        let mut artist = Automaton::new();
        let (reg, unreg) = (format!("reg{i}"), format!("unreg{i}"));
        if lock {
            let lock = format!("lock{i}");
            for (s, label, t) in [(0, &lock, 1), (1, &reg, 2), (2, &lock, 3), (3, &unreg, 0)] {
                artist.edge(s, label, t);
            }
            (0..4).for_each(|s| artist.edge(s, &format!("n{i}"), s));
            coordinator.edge(0, &lock, i + 1);
        } else {
            artist.edge(0, &reg, 1);
            artist.edge(1, &unreg, 0);
            (0..2).for_each(|s| artist.edge(s, &format!("n{i}"), s));
            coordinator.edge(0, &reg, i + 1);
            coordinator.edge(0, &unreg, i + 1);
        }
        coordinator.edge(i + 1, &format!("rel{i}"), 0);
        let mut wrapper = Automaton::new();
        for (s, label, t) in [(0, "reg", 1), (1, "set", 2), (0, "unreg", 3), (3, "clr", 2), (2, "rel", 0)] {
            wrapper.edge(s, &format!("{label}{i}"), t);
        }
        let mut value = Automaton::new();
        for (s, label, t) in [(0, "set", 1), (1, "set", 1), (0, "clr", 0), (1, "clr", 0), (0, "skip", 0), (1, "n", 1)] {
            value.edge(s, &format!("{label}{i}"), t);
        }
        let names = [format!("artist{i}"), format!("wrapper{i}"), format!("value{i}")];
        let automata = [artist, wrapper, value];
        parts.extend(automata.into_iter().zip(&names).map(|(a, name)| a.part(name.clone())));
        steps.push(Step { name: format!("module{i}"), of: names.to_vec() });
    }
    let at = |i: u32| n + 1 + i;
    coordinator.edge(0, "ev", at(0));
    for i in 0..n {
        coordinator.edge(at(i), &format!("n{i}"), at(i + 1));
        coordinator.edge(at(i), &format!("skip{i}"), at(i + 1));
    }
    coordinator.edge(at(n), "done", 0);
    parts.push(coordinator.part("coordinator".into()));
    let mut last = "coordinator".to_owned();
    for i in (0..n).rev() {
        let name = format!("with{i}");
        steps.push(Step { name: name.clone(), of: vec![last, format!("module{i}")] });
        last = name;
    }
    let observed = Some(observed.iter().map(|o| (*o).to_owned()).collect());
    (Net { parts, observed, notion: Notion::Branching }, steps)
}

/// The system with one dispatcher that keeps a set.
fn flat(n: u32) -> Graph {
    let mut builder = Builder::new();
    let at = |set: u32, place: u32| State(set * (n + 2) + place);
    for set in 0..1 << n {
        for i in 0..n {
            let label = if set >> i & 1 == 0 { "reg" } else { "unreg" };
            builder.add(at(set, 0), &format!("{label}{i}"), at(set ^ 1 << i, 0));
            let target = at(set, i + 2);
            if set >> i & 1 == 1 {
                builder.add(at(set, i + 1), &format!("n{i}"), target);
            } else {
                builder.push(at(set, i + 1), Edge { label: Label::TAU, target });
            }
        }
        builder.add(at(set, 0), "ev", at(set, 1));
        builder.add(at(set, n + 1), "done", at(set, 0));
    }
    builder.finish((1 << n) * (n as usize + 2), State(0))
}

fn composed(n: u32, lock: bool, observed: &[&str], auto: bool) -> Composition {
    let (net, steps) = chiron(n, lock, observed);
    let plan = if auto { Plan::Auto } else { Plan::Steps(steps) };
    compose(&net, &plan, &Unwatched).expect("unwatched")
}

const SEEN: &[&str] = &["ev", "done", "n0"];
const SEEN_REG: &[&str] = &["ev", "done", "n0", "reg0", "unreg0"];

fn same_as_flat(composition: &Composition, n: u32, observed: &[&str]) -> bool {
    let flat = hide(&flat(n), |label| !observed.contains(&label));
    compare(&composition.graph, &flat, Notion::Branching, &Unwatched).expect("unwatched").equivalent()
}

/// Peaks grow by four states with each artist. The prototype of the literature had 50, 130, 210, 290, 370 for two to six artists and 1,370
/// for fourteen.
#[test]
fn peaks_of_the_form_with_locks() {
    for (n, theirs) in [(2, 50), (3, 130), (4, 210), (5, 290), (6, 370), (14, 1370)] {
        let found = composed(n, true, SEEN, false);
        assert_eq!(found.peak(), 4 * n as usize + 6);
        assert!(found.peak() <= theirs);
        assert_eq!(found.graph.state_count(), 3);
        if n <= 6 {
            assert!(same_as_flat(&found, n, SEEN), "{n}");
        }
    }
}

/// The prototype had 30, 54, 78, 102, 126, and 438.
#[test]
fn peaks_of_the_form_with_three_parties() {
    for (n, theirs) in [(2, 30), (3, 54), (4, 78), (5, 102), (6, 126), (14, 438)] {
        let found = composed(n, false, SEEN_REG, false);
        assert_eq!(found.peak(), 4 * n as usize + 6);
        assert!(found.peak() <= theirs);
        assert_eq!((found.graph.state_count(), found.graph.edge_count()), (5, 7));
        if n <= 6 {
            assert!(same_as_flat(&found, n, SEEN_REG), "{n}");
        }
    }
}

#[test]
fn fifty_artists() {
    let found = composed(50, true, SEEN, false);
    assert_eq!(found.graph.state_count(), 3);
    assert_eq!(found.peak(), 206);
}

/// A plan that is chosen is no worse.
#[test]
fn automatic_plans() {
    for n in [2, 4, 6, 14] {
        let (auto, written) = (composed(n, true, SEEN, true), composed(n, true, SEEN, false));
        assert!(auto.peak() <= written.peak(), "{n}: {} {}", auto.peak(), written.peak());
        assert_eq!(auto.graph.state_count(), 3);
    }
}

/// With the trigger visible the lock takes choices away too early. No trace tells that: only a formula about what is possible does.
#[test]
fn a_visible_trigger_is_refused() {
    for n in 1..4 {
        let found = composed(n, true, SEEN_REG, false);
        let flat = hide(&flat(n), |label| !SEEN_REG.contains(&label));
        let comparison = compare(&found.graph, &flat, Notion::Weak, &Unwatched).expect("unwatched");
        let formula = comparison.formula.expect("they differ").to_string();
        assert!(formula.contains("ev") || formula.contains("reg0"), "{formula}");
        for (a, b) in [(&found.graph, &flat), (&flat, &found.graph)] {
            assert_eq!(not_included(a, b, &Unwatched).expect("unwatched"), None);
        }
    }
}

#[test]
fn sizes_of_the_flat_form() {
    for (n, states) in [(2, 16), (3, 40), (4, 96), (5, 224), (6, 512)] {
        let flat = flat(n);
        assert_eq!(flat.state_count(), states);
        let hidden = hide(&flat, |label| !SEEN.contains(&label));
        assert_eq!(minimise(&hidden, Notion::Branching, &Unwatched).expect("unwatched").state_count(), 3);
    }
}
