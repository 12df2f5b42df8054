//! Reference figures of the literature's small example, toggles, and random systems against the composition as a whole.

use ferrospin_learn::{Options, Report, Rule, Verdict, judge, monolithic, prove};
use ferrospin_lts::equivalence::minimise;
use ferrospin_lts::{Builder, Edge, Graph, Label, Notion, State, Unwatched};

const ASYM: Options = Options { rule: Rule::Asymmetric, refine: false, queries_max: None };
const SYM: Options = Options { rule: Rule::Symmetric, ..ASYM };
const REFINE: Options = Options { refine: true, ..ASYM };

/// Edges as text: `0 a 1, 1 b 0`.
fn graph(text: &str) -> Graph {
    let mut builder = Builder::new();
    for edge in text.split(',') {
        let [source, label, target] = edge.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{edge}") };
        let state = |text: &str| State(text.parse().expect("a number"));
        builder.add(state(source), label, state(target));
    }
    let states = builder.states_named() as usize;
    builder.finish(states, State(0))
}

fn input() -> Graph {
    graph("0 in 1, 1 send 2, 2 ack 0")
}

fn output() -> Graph {
    graph("0 send 1, 1 out 2, 2 ack 0")
}

fn order() -> Graph {
    graph("0 in 1, 1 out 0")
}

/// Proves, and lets the answer be judged.
fn run(parts: &[&Graph], property: &Graph, options: &Options) -> Report {
    let report = prove(parts, property, options, &Unwatched).expect("no limits");
    match &report.verdict {
        Verdict::Proved(assumptions) => {
            assert!(judge::proves(options.rule, parts, property, assumptions, &Unwatched).expect("unwatched"));
        }
        Verdict::Violated(trace) => assert!(judge::refutes(parts, property, trace, &Unwatched).expect("unwatched")),
    }
    report
}

fn figures(report: &Report) -> String {
    let conjectures = report.rounds.len();
    let (queries, states) = (report.queries, report.rounds.last().map_or(0, |r| r.states));
    match &report.verdict {
        Verdict::Proved(_) => format!("proved: {conjectures} conjectures, {queries} queries, {states} states"),
        Verdict::Violated(trace) => format!("violated: {}", trace.join(".")),
    }
}

#[test]
fn input_output_order() {
    let (input, output, order) = (input(), output(), order());
    let expected = "proved: 2 conjectures, 10 queries, 2 states";
    assert_eq!(figures(&run(&[&input, &output], &order, &ASYM)), expected);
    assert_eq!(figures(&run(&[&output, &input], &order, &ASYM)), expected);
    assert_eq!(figures(&run(&[&input, &output], &order, &SYM)), "proved: 14 conjectures, 272 queries, 7 states");
    // An output that may leave `out` out.
    let faulty = graph("0 send 1, 1 out 2, 1 tau 2, 2 ack 0");
    for options in [ASYM, SYM, REFINE] {
        assert_eq!(figures(&run(&[&input, &faulty], &order, &options)), "violated: in.send.ack.in");
    }
    assert!(figures(&run(&[&input, &output], &order, &REFINE)).starts_with("proved"));
}

/// A part with a number of switches of its own beside it.
fn with_toggles(part: &Graph, name: &str, count: u32) -> Graph {
    let mut builder = Builder::with_labels(part.labels().clone());
    let shift = 1 << count;
    for toggles in 0..shift {
        let at = |s: State, t: u32| State(s.0 * shift + t);
        part.all_edges()
            .for_each(|(s, e)| builder.push(at(s, toggles), Edge { label: e.label, target: at(e.target, toggles) }));
        for state in part.states() {
            for i in 0..count {
                builder.add(at(state, toggles), &format!("{name}{i}"), at(state, toggles ^ 1 << i));
            }
        }
    }
    builder.finish(part.state_count() << count, State(part.initial().0 * shift))
}

#[test]
fn toggles_stay_apart() {
    for (count, largest, whole) in [(4, 64, 1024), (6, 256, 16_384), (8, 1024, 262_144)] {
        let (input, output) = (with_toggles(&input(), "x", count), with_toggles(&output(), "y", count));
        let report = prove(&[&input, &output], &order(), &ASYM, &Unwatched).expect("no limits");
        assert!(matches!(report.verdict, Verdict::Proved(_)));
        assert!(report.states_max <= largest, "{}", report.states_max);
        if count < 8 {
            let (trace, states, _) = monolithic(&[&input, &output], &order(), &Unwatched).expect("no limits");
            assert_eq!((trace, states), (None, whole));
        }
    }
}

/// A repeatable source of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }
}

/// A random part with four states and these letters, all of which are in its alphabet.
fn part(random: &mut Random, letters: &[&str]) -> Graph {
    let mut builder = Builder::new();
    letters.iter().for_each(|l| _ = builder.labels.add(l));
    for _ in 0..3 + random.below(6) {
        let label = Label(random.below(letters.len() + 1) as u32);
        let (source, target) = (State(random.below(4) as u32), State(random.below(4) as u32));
        builder.push(source, Edge { label, target });
    }
    builder.finish(4, State(0))
}

/// A random property with three states over these letters.
fn property(random: &mut Random, letters: &[&str]) -> Graph {
    let mut builder = Builder::new();
    letters.iter().for_each(|l| _ = builder.labels.add(l));
    for source in 0..3 {
        for label in 1..=letters.len() as u32 {
            if random.below(100) < 80 {
                builder.push(State(source), Edge { label: Label(label), target: State(random.below(3) as u32) });
            }
        }
    }
    builder.finish(3, State(0))
}

#[test]
fn pairs_agree_with_the_whole() {
    let mut random = Random(77);
    let mut counts = [0; 2];
    for _ in 0..2000 {
        let (a, b) = (part(&mut random, &["a", "b", "c"]), part(&mut random, &["b", "c", "d"]));
        let property = property(&mut random, &["a", "b", "d"]);
        let (trace, ..) = monolithic(&[&a, &b], &property, &Unwatched).expect("no limits");
        for options in [ASYM, SYM, REFINE] {
            let report = run(&[&a, &b], &property, &options);
            let proved = matches!(report.verdict, Verdict::Proved(_));
            assert_eq!(proved, trace.is_none(), "{options:?}");
            if let Verdict::Proved(assumptions) = &report.verdict {
                for assumption in assumptions {
                    // No smaller deterministic automaton has the language of the assumption.
                    let small = minimise(assumption, Notion::Strong, &Unwatched).expect("unwatched");
                    assert_eq!(small.state_count(), assumption.state_count());
                }
            }
        }
        counts[usize::from(trace.is_some())] += 1;
    }
    assert!(counts.iter().all(|c| *c > 400), "{counts:?}");
}

#[test]
fn triples_agree_with_the_whole() {
    let mut random = Random(78);
    let mut counts = [0; 2];
    for _ in 0..500 {
        let parts =
            [part(&mut random, &["a", "b"]), part(&mut random, &["b", "c"]), part(&mut random, &["c", "d", "a"])];
        let parts: Vec<&Graph> = parts.iter().collect();
        let property = property(&mut random, &["a", "c", "d"]);
        let (trace, ..) = monolithic(&parts, &property, &Unwatched).expect("no limits");
        for options in [ASYM, SYM, REFINE] {
            let report = run(&parts, &property, &options);
            assert_eq!(matches!(report.verdict, Verdict::Proved(_)), trace.is_none(), "{options:?}");
        }
        counts[usize::from(trace.is_some())] += 1;
    }
    assert!(counts.iter().all(|c| *c > 100), "{counts:?}");
}

#[test]
fn what_cannot_be_asked() {
    let (input, output) = (input(), output());
    let error =
        |property: &Graph| prove(&[&input, &output], property, &ASYM, &Unwatched).expect_err("it cannot").to_string();
    assert_eq!(error(&graph("0 in 1, 0 in 2")), "the property must be deterministic and without internal steps");
    assert_eq!(error(&graph("0 tau 1")), "the property must be deterministic and without internal steps");
    assert_eq!(error(&graph("0 other 0")), "the property speaks of `other`, which no part does");
    let few = Options { queries_max: Some(5), ..ASYM };
    let stopped = prove(&[&input, &output], &order(), &few, &Unwatched).expect_err("five are not enough").to_string();
    assert_eq!(stopped, "the limit on questions was reached");
}
