//! The operational semantics against a second reading of its rules.

use ferrospin_chi::graph::{Actions, View, explore};
use ferrospin_chi::step::Action;
use ferrospin_chi::term::{Process, Program, make};
use ferrospin_lts::compare::compare;
use ferrospin_lts::{Builder, Graph, Notion, Proposition, State, Unwatched, Valuation};
use ferrospin_testkit::chi::{Kind, X, Y, tables, term, twin};
use ferrospin_testkit::random::Random;
use rustc_hash::FxHashMap;

/// The graph by the twin, in the form of [`explore`].
fn by_twin(program: &Program, process: &Process) -> Graph {
    let mut ids: FxHashMap<(Process, twin::State), u32> = FxHashMap::default();
    let mut queue = vec![(process.clone(), vec![0; program.variables.len()])];
    ids.insert(queue[0].clone(), 0);
    let mut builder = Builder::new();
    let (mut next, mut ends) = (0, Vec::new());
    while next < queue.len() {
        let (p, sigma) = queue[next].clone();
        let source = State(next as u32);
        next += 1;
        if twin::ends(&p, &sigma) {
            ends.push(source);
        }
        for (action, p, sigma) in twin::steps(&p, &sigma) {
            let name = |m: ferrospin_chi::term::Channel| ["a", "b"][m.index()];
            let label = match action {
                Action::Send(m, d) => format!("{}!{d}", name(m)),
                // The channels carry 0 and 1.
                Action::Receive(_, 2) => continue,
                Action::Receive(m, d) => format!("{}?{d}", name(m)),
                _ => "tau".into(),
            };
            let count = queue.len() as u32;
            let target = *ids.entry((p.clone(), sigma.clone())).or_insert(count);
            if target == count {
                queue.push((p, sigma));
            }
            builder.add(source, &label, State(target));
        }
    }
    let sink = State(next as u32);
    ends.into_iter().for_each(|source| builder.add(source, "terminated", sink));
    let mut valuation = Valuation::default();
    let mut classes: FxHashMap<Vec<Proposition>, u32> = FxHashMap::default();
    let mut held: Vec<Vec<String>> =
        queue.iter().map(|(_, sigma)| vec![format!("x={}", sigma[0]), format!("y={}", sigma[1])]).collect();
    held.push(vec!["terminated".into()]);
    for texts in held {
        let mut set: Vec<Proposition> = Vec::new();
        for text in texts {
            let known = valuation.propositions.iter().position(|p| **p == *text);
            set.push(Proposition(known.unwrap_or_else(|| {
                valuation.propositions.push(text.as_str().into());
                valuation.propositions.len() - 1
            }) as u32));
        }
        set.sort_unstable();
        let count = valuation.classes.len() as u32;
        let class = *classes.entry(set.clone()).or_insert(count);
        if class == count {
            valuation.classes.push(set);
        }
        valuation.class_of.push(class);
    }
    builder.set_valuation(valuation);
    builder.finish(next + 1, State(0))
}

#[test]
fn semantics_as_its_twin() {
    let mut random = Random::new(3);
    let view = View { actions: Actions::Open, observed: Some(vec![X, Y]) };
    let mut states = 0;
    for round in 0..600 {
        let process = term(&mut random, 4, Kind { variables: &[X, Y], all: true });
        let program = Program { process: process.clone(), ..tables() };
        let ours = explore(&program, &view, &Unwatched).expect("all values are known");
        let theirs = by_twin(&program, &process);
        states += theirs.state_count();
        let found = compare(&ours, &theirs, Notion::Strong, &Unwatched).expect("unwatched");
        assert!(found.equivalent(), "{round}: {}", ferrospin_chi::print::process(&program, &process));
    }
    assert!(states > 2_500, "{states}");
}

/// The steps of a term are printed as a program reads.
#[test]
fn printed_terms_read_as_the_same() {
    let mut random = Random::new(4);
    for _ in 0..500 {
        let kind = Kind { variables: &[X, Y], all: true };
        let process = make::enc(term(&mut random, 4, kind));
        let mut program = tables();
        program.variables.truncate(2);
        program.process = process;
        let text = ferrospin_chi::print::program(&program);
        let mut map = ferrospin_source::SourceMap::new();
        let file = map.add_file("random.chi", text.as_str());
        let (again, said) = ferrospin_chi::read(&map, file);
        let said = ferrospin_source::render::list_to_string(&map, &said, false);
        let again = again.unwrap_or_else(|| panic!("{text}\n{said}"));
        // Scopes have variables of their own now, so that the first texts differ; the second reading does not.
        let view = View { actions: Actions::Messages, observed: Some(vec![X, Y]) };
        let [a, b] = [&program, &again].map(|p| explore(p, &view, &Unwatched).expect("it is closed"));
        assert!(compare(&a, &b, Notion::Strong, &Unwatched).expect("unwatched").equivalent(), "{text}");
    }
}
