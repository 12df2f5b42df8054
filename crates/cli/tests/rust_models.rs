//! Models written in Rust: the counts of the peer `stateright`, every store and order, formulas under fairness, checkpoints, trails,
//! replay, charts, and the programs that `main_of` makes of them.

// Each example is a program, with the modules that it needs.
#![allow(clippy::duplicate_mod)]

#[allow(dead_code)]
#[path = "../examples/linearizable_register.rs"]
mod linearizable_register;
#[allow(dead_code)]
#[path = "../examples/paxos.rs"]
mod paxos;
#[allow(dead_code)]
#[path = "../examples/philosophers.rs"]
mod philosophers;
#[allow(dead_code)]
#[path = "../examples/single_copy_register.rs"]
mod single_copy_register;
#[allow(dead_code)]
#[path = "../examples/two_phase_commit.rs"]
mod two_phase_commit;

use expect_test::{Expect, expect};
use ferrospin::report::{PropertyReport, Report, Verdict};
use ferrospin::rust::{self, Decoder, Encode, Encoder, Model, System};
use ferrospin::verify::{Emptiness, Files, Goal, Goals, Options, Refusal, Search, Store};
use ferrospin::{check, trails};
use philosophers::{Manners, Philosophers};
use std::collections::HashSet;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use two_phase_commit::TwoPhaseCommit;

/// A folder for one test, gone behind it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("ferrospin-rust-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn safety(options: Options) -> Options {
    Options { goals: Goals::Only(vec![Goal::Safety]), ..options }
}

fn ltl(formula: &str, options: Options) -> Options {
    Options { goals: Goals::Only(vec![Goal::Ltl(formula.into())]), ..options }
}

/// The only property of a report.
fn only<M: Model>(model: M, options: &Options) -> PropertyReport {
    let Report { mut properties, .. } = rust::check(model, options).expect("it can be checked");
    assert_eq!(properties.len(), 1);
    properties.remove(0)
}

fn states<M: Model>(model: M, options: Options) -> u64 {
    only(model, &safety(options)).states.expect("a search counts")
}

#[test]
fn counts_are_those_of_the_peer() {
    let all = Options { errors_max: None, ..Options::default() };
    assert_eq!(states(TwoPhaseCommit { managers: 3 }, all.clone()), 288);
    assert_eq!(states(TwoPhaseCommit { managers: 5 }, all.clone()), 8_832);
    let paxos = paxos::actors::Register { server: paxos::Paxos { servers: 3 }, servers: 3, clients: 2 };
    assert_eq!(states(paxos, all.clone()), 16_668);
    let abd = linearizable_register::Abd { servers: 2 };
    let register = linearizable_register::actors::Register { server: abd, servers: 2, clients: 2 };
    assert_eq!(states(register, all.clone()), 544);
    let single = |servers| single_copy_register::actors::Register {
        server: single_copy_register::SingleCopy,
        servers,
        clients: 2,
    };
    assert_eq!(states(single(1), all.clone()), 93);
    let two = only(single(2), &safety(all));
    assert_eq!(
        (two.verdict, two.error.expect("one is told").message.as_str()),
        (Verdict::Violated, "`linearizable` does not hold")
    );
}

#[test]
fn every_store_and_order_counts_the_same() {
    let two = NonZeroUsize::new(2).expect("not 0");
    for store in [Store::Exact, Store::Tree, Store::Compact, Store::Collapse, Store::Automaton] {
        for (search, threads) in [(Search::BreadthFirst, two), (Search::DepthFirst, NonZeroUsize::MIN)] {
            let (store, search) = (Some(store), Some(search));
            let options = safety(Options { store, search, threads, ..Options::default() });
            let report = only(TwoPhaseCommit { managers: 4 }, &options);
            assert_eq!((report.verdict, report.states), (Verdict::Holds, Some(1_568)), "{store:?} {search:?}");
        }
    }
    for store in [Store::Bitstate, Store::HashCompact] {
        let mut options = safety(Options { store: Some(store), ..Options::default() });
        options.limits.memory_max_bytes = Some(64 << 20);
        let report = only(TwoPhaseCommit { managers: 4 }, &options);
        assert_eq!(report.verdict, Verdict::Undecided, "a lossy store proves nothing");
        assert!((1_500..=1_568).contains(&report.states.expect("counted")), "{:?}", report.states);
    }
    let swarm = Options { swarm: Some(two), ..Options::default() };
    assert_eq!(only(TwoPhaseCommit { managers: 3 }, &swarm).verdict, Verdict::Undecided);
    let mut walk = Options { walk: true, ..Options::default() };
    walk.limits.depth_max = Some(100);
    let deadlock = only(Philosophers { count: 3, manners: Manners::LeftFirst }, &walk);
    assert_eq!(deadlock.verdict, Verdict::Violated, "random walks come to the deadlock of three");
}

/// What a property comes to, by every algorithm that can decide it.
fn formula(count: usize, manners: Manners, formula: &str, fair: bool, expected: Verdict) {
    use Emptiness::{Auto, Cndfs, Ndfs, Tau03, Testing, Ufscc};
    for emptiness in [Auto, Ndfs, Tau03, Ufscc, Cndfs, Testing] {
        if fair && matches!(emptiness, Cndfs | Testing) {
            continue;
        }
        let options = ltl(formula, Options { fair, emptiness, ..Options::default() });
        let report = only(Philosophers { count, manners }, &options);
        assert_eq!(report.verdict, expected, "{count} {manners:?} {formula} {fair} {emptiness:?}");
    }
}

#[test]
fn formulas_hold_and_fail_under_weak_fairness() {
    use Verdict::{Holds, Violated};
    formula(3, Manners::LeftFirst, "dinner_goes_on", true, Violated);
    formula(3, Manners::Ordered, "dinner_goes_on", true, Holds);
    formula(3, Manners::Ordered, "dinner_goes_on", false, Holds);
    formula(3, Manners::Ordered, "first_does_not_starve", true, Violated);
    formula(4, Manners::InTurns, "first_does_not_starve", true, Holds);
    // Typed formulas, with literals and nesting.
    // Only with four can two others go on for ever beside one who eats.
    formula(4, Manners::Ordered, "[] (first_eats -> <> !first_eats)", true, Holds);
    formula(4, Manners::Ordered, "[] (first_eats -> <> !first_eats)", false, Violated);
    formula(3, Manners::Ordered, "[] (first_eats -> <> !first_eats)", false, Holds);
    formula(3, Manners::Ordered, "!first_eats U one_eats", false, Holds);
}

/// What holds on all runs fails on some when it is negated, or on all.
#[test]
fn a_formula_and_its_negation_do_not_both_hold() {
    for text in [
        "<> first_eats",
        "[]<> first_eats",
        "<>[] !first_eats",
        "[] (first_eats -> X first_eats)",
        "one_eats W first_eats",
    ] {
        let verdict = |text: &str| {
            only(Philosophers { count: 3, manners: Manners::Ordered }, &ltl(text, Options::default())).verdict
        };
        let both = (verdict(text), verdict(&format!("!({text})")));
        assert_ne!(both, (Verdict::Holds, Verdict::Holds), "{text}");
    }
}

#[test]
fn mistakes_in_formulas_are_shown() {
    let said = |text: &str, expected: Expect| {
        let model = Philosophers { count: 3, manners: Manners::Ordered };
        match rust::check(model, &ltl(text, Options::default())) {
            Err(Refusal::Formula(bad)) => expected.assert_eq(bad.text(false)),
            other => panic!("{other:?}"),
        }
    };
    said(
        "[] frst_eats",
        expect![[r#"
            error[unknown-proposition]: there is no proposition `frst_eats`; the model has `forks_are_held_by_one`, `first_eats`, `one_eats`
             --> <formula>:1:4
              |
            1 | [] frst_eats
              |    ^^^^^^^^^

        "#]],
    );
    said(
        "[] (first_eats",
        expect![[r#"
            error[ltl-unbalanced]: this `(` is never closed
             --> <formula>:1:4
              |
            1 | [] (first_eats
              |    ^

        "#]],
    );
}

/// Runs a program of a model in a folder; its exit code.
fn program<M: Model>(model: M, arguments: &[&str]) -> u8 {
    ferrospin_cli::run_model(model, std::iter::once("program").chain(arguments.iter().copied()))
}

#[test]
fn a_starving_philosopher_is_replayed_and_drawn() {
    let folder = Folder::new();
    let (trail, chart) = (folder.file("starve.trail.json"), folder.file("starve.svg"));
    let model = || Philosophers { count: 3, manners: Manners::Ordered };
    let check = ["check", "--ltl", "first_does_not_starve", "--fair", "--quiet", "--threads", "1", "--trail", &trail];
    assert_eq!(program(model(), &check), 1);
    let stored = trails::load(trail.as_ref()).expect("it was written");
    assert!(stored.loop_start.is_some_and(|start| start < stored.steps.len()), "a lasso with a cycle");
    let cycle = &stored.steps[stored.loop_start.expect("there is one")..];
    assert!(cycle.iter().all(|s| !s.act.as_ref().expect("each step acts").statement.contains("TakeSecond(0)")));
    let subject = System::new(model());
    let again = trails::replay(&subject, &stored).expect("it can be replayed");
    assert_eq!((again.steps, again.values), (stored.steps.clone(), stored.values.clone()));
    assert_eq!(program(model(), &["replay", &trail, "--quiet", "--chart", &format!("svg={chart}")]), 0);
    let drawn = std::fs::read_to_string(&chart).expect("a picture was written");
    assert!(drawn.starts_with("<svg") && drawn.contains("philosopher[2]") && drawn.contains("TakeFirst"));
    // It does not fit another model.
    assert_eq!(program(Philosophers { count: 4, manners: Manners::Ordered }, &["replay", &trail]), 2);
    assert_eq!(program(model(), &["simulate", "--trail", &trail, "--quiet"]), 1, "it is a violation");
}

#[test]
fn messages_are_drawn_as_arrows() {
    let folder = Folder::new();
    let (run, chart) = (folder.file("run.json"), folder.file("run.txt"));
    let model =
        || single_copy_register::actors::Register { server: single_copy_register::SingleCopy, servers: 1, clients: 1 };
    let simulate = ["simulate", "--seed", "1", "--write-trail", &run, "--quiet", "--chart", &format!("text={chart}")];
    assert_eq!(program(model(), &simulate), 0);
    let drawn = std::fs::read_to_string(&chart).expect("a chart was written");
    expect![[r#"
        chart
             server[0]                 client[1]
          1  | 1->0?Put(1, 'A')        |
          1  | 0->1!PutOk(1) (1)       |
          2  |                         | 0->1?PutOk(1) (1)
          2  |                         | 1->0!Get(2) (2)
          3  | 1->0?Get(2) (2)         |
          3  | 0->1!GetOk(2, 'A') (3)  |
          4  |                         | 0->1?GetOk(2, 'A') (3)
    "#]]
    .assert_eq(&format!("chart\n{drawn}"));
}

#[test]
fn a_search_goes_on_from_a_checkpoint() {
    let folder = Folder::new();
    let kept: PathBuf = folder.file("search.checkpoint").into();
    let model = || TwoPhaseCommit { managers: 5 };
    let mut options = safety(Options::default());
    options.limits.depth_max = Some(6);
    let files = Files { checkpoint: Some(kept.clone()), ..Files::default() };
    let first = rust::check_with(model(), &options, &files).expect("it can be checked").properties.remove(0);
    assert_eq!(first.verdict, Verdict::Undecided);
    options.limits.depth_max = None;
    let files = Files { resume: Some(kept.clone()), ..Files::default() };
    let then = rust::check_with(model(), &options, &files).expect("it goes on").properties.remove(0);
    assert_eq!((then.verdict, then.states), (Verdict::Holds, Some(8_832)));
    let other = rust::check_with(TwoPhaseCommit { managers: 4 }, &options, &files);
    assert!(other.expect_err("another model").why().contains("it is about another model"));
}

#[test]
fn a_library_call_and_the_program_say_the_same() {
    let folder = Folder::new();
    let trail = folder.file("deadlock.json");
    let model = || Philosophers { count: 3, manners: Manners::LeftFirst };
    let files = Files { trail: Some(trail.clone().into()), ..Files::default() };
    let report = rust::check_with(model(), &safety(Options::default()), &files).expect("it can be checked");
    assert_eq!(report.verdict, Verdict::Violated);
    let error = report.properties[0].error.as_ref().expect("it is told");
    assert_eq!(
        (error.message.as_str(), error.depth),
        ("nothing can happen any more, and the model may not end here", Some(3))
    );
    expect![[r#"
        story
              1  philosopher[0]    TakeFirst(0)  moods: [Thinks, Thinks, Thinks] -> [HasOne, Thinks, Thinks], forks[2]: Fork { holder: None, last: None } -> Fork { holder: Some(0), last: None }
              2  philosopher[1]    TakeFirst(1)  moods: [HasOne, Thinks, Thinks] -> [HasOne, HasOne, Thinks], forks[0]: Fork { holder: None, last: None } -> Fork { holder: Some(1), last: None }
              3  philosopher[2]    TakeFirst(2)  moods: [HasOne, HasOne, Thinks] -> [HasOne, HasOne, HasOne], forks[1]: Fork { holder: None, last: None } -> Fork { holder: Some(2), last: None }
    "#]].assert_eq(&format!("story\n{}", report.properties[0].story.as_ref().expect("told step by step")));
    assert_eq!(program(model(), &["check", "--safety", "--quiet", "--no-trail"]), 1);
    assert_eq!(program(model(), &["replay", "--quiet", &trail]), 0);
    assert_eq!(program(TwoPhaseCommit { managers: 3 }, &["check", "--quiet", "--no-trail"]), 0);
    assert_eq!(program(model(), &["check", "--frobnicate"]), 2);
    assert_eq!(program(model(), &["check", "--acceptance", "--quiet"]), 2, "a model has no such labels");
    let mut options = Options { goals: Goals::Only(vec![Goal::Safety]), ..Options::default() };
    options.limits.time_max = Some(std::time::Duration::ZERO);
    let none = rust::check(TwoPhaseCommit { managers: 9 }, &options).expect("it can be checked");
    assert_eq!(none.verdict, Verdict::Undecided);
}

/// A set whose bytes follow the order of the hash table.
#[derive(Clone, PartialEq, Debug, Default)]
struct Unsorted(HashSet<u16>);

impl Encode for Unsorted {
    fn encode(&self, out: &mut Encoder) {
        out.length(self.0.len());
        self.0.iter().for_each(|item| out.value(item));
    }

    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        Unsorted((0..length).map(|_| u16::decode(input)).collect())
    }
}

/// Counts far beyond what a self-check looks at beforehand, and only then fills a set.
struct Late;

#[derive(Clone, PartialEq, Debug, Default, Encode)]
struct Server {
    step: u16,
    seen: Unsorted,
}

impl Model for Late {
    type State = Server;
    type Action = u16;

    fn initial(&self) -> Server {
        Server::default()
    }

    fn actions(&self, s: &Server, out: &mut Vec<u16>) {
        if s.step < 3000 {
            out.push(s.step);
        }
    }

    fn take(&self, s: &mut Server, action: &u16) -> bool {
        s.step += 1;
        if s.step > 2500 {
            s.seen.0.insert(*action);
        }
        true
    }
}

#[test]
fn an_order_of_a_hash_table_is_named_during_a_search() {
    let each = NonZeroU64::MIN;
    let refusal = rust::check(Late, &safety(Options { self_check: Some(each), ..Options::default() }));
    let why = refusal.expect_err("the encoding is faulty").why();
    assert!(why.contains("field `seen` has more than one encoding"), "{why}");
    let fine = only(TwoPhaseCommit { managers: 3 }, &safety(Options { self_check: Some(each), ..Options::default() }));
    assert_eq!(fine.verdict, Verdict::Holds);
    assert!(fine.notes.iter().any(|n| n.starts_with("self-check: 864 states")), "{:?}", fine.notes);
}

#[test]
fn a_subject_is_no_more_than_twelve_methods() {
    let source = include_str!("../../check/src/subject.rs");
    let trait_text = source.split("pub trait Subject: Sync {").nth(1).and_then(|rest| rest.split("\n}\n").next());
    let methods = trait_text.expect("the trait is there").matches("\n    fn ").count();
    assert!((1..=12).contains(&methods), "{methods}");
    let _: &dyn check::Subject = &System::new(TwoPhaseCommit { managers: 3 });
}

/// A model in Rust becomes a graph for the other subcommands: as many states and steps as the literature has.
#[test]
fn a_model_is_written_as_a_graph() {
    let folder = Folder::new();
    let (whole, small) = (folder.file("two.aut"), folder.file("small.aut"));
    assert_eq!(program(TwoPhaseCommit { managers: 3 }, &["translate", "--labels", "statements", "-o", &whole]), 0);
    let text = std::fs::read_to_string(&whole).expect("it was written");
    assert!(text.starts_with("des (0, 1145, 288)\n"), "{}", text.lines().next().expect("a line"));
    let minimise = ["ferrospin", "minimise", "--quiet", "--notion", "strong", "-o", &small, &whole];
    assert_eq!(ferrospin_cli::run(ferrospin::languages::LANGUAGES, minimise), 0);
    let compare = ["ferrospin", "compare", "--quiet", "--notion", "strong", &small, &whole];
    assert_eq!(ferrospin_cli::run(ferrospin::languages::LANGUAGES, compare), 0);
    let philosophers = |name: &str, manners| {
        let file = folder.file(name);
        let model = Philosophers { count: 3, manners };
        assert_eq!(program(model, &["translate", "--labels", "statements", "-o", &file]), 0);
        file
    };
    let unknown = ["translate", "--props", "no_such", "-o", &small];
    assert_eq!(program(TwoPhaseCommit { managers: 3 }, &unknown), 2);
    let (rude, ordered) = (philosophers("rude.aut", Manners::LeftFirst), philosophers("ordered.aut", Manners::Ordered));
    let formula = folder.file("formula.txt");
    let compare = ["ferrospin", "compare", "--quiet", "--formula", &formula, &rude, &ordered];
    assert_eq!(ferrospin_cli::run(ferrospin::languages::LANGUAGES, compare), 1);
    assert!(std::fs::read_to_string(&formula).expect("it was written").contains("formula of"));
}
