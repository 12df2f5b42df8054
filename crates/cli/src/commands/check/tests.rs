//! What options of `check` mean.

use super::*;
use crate::args::source::FileArgs;
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    args: Args<FileArgs>,
}

fn program(typed: &str) -> Result<Program, String> {
    let typed = std::iter::once("check").chain(typed.split_whitespace()).chain(["m.pml"]);
    Program::try_parse_from(typed).map_err(|e| e.to_string())
}

fn options(typed: &str) -> Result<Options, String> {
    program(typed)?.args.options()
}

fn trail(typed: &str) -> Option<PathBuf> {
    let args = program(typed).unwrap().args;
    args.files(args.source.source(&[]).default_trail()).trail
}

#[test]
fn defaults() {
    let options = options("").unwrap();
    assert_eq!(options.goals, Goals::Everything);
    assert!(options.partial_order && options.optimize && !options.fair);
    assert_eq!((options.search, options.store, options.engine), (None, None, Engine::Native));
    assert_eq!((options.errors_max, options.limits), (Some(1), Limits::default()));
    assert_eq!(trail(""), Some("m.pml.trail.json".into()));
    assert!(options.probe && options.self_check.is_none());
}

#[test]
fn plain_switches_all_reductions_off() {
    let options = options("--plain").unwrap();
    assert_eq!((options.store, options.partial_order, options.optimize), (Some(verify::Store::Exact), false, false));
    assert!(!options.probe);
}

#[test]
fn contradictions_are_refused() {
    for typed in [
        "--plain --store tree",
        "--plain --por on",
        "--plain --por ample",
        "--por off --por-proviso weak",
        "--por off --under schedule",
        "--under A --por-proviso weak",
        "--under A --fair",
        "--under A --under-step 0",
        "--under A --under-order any",
        "--under-step 2",
        "--por-proviso level --search dfs",
        "--por-proviso strict --search bfs",
        "--safety --ltl p",
        "--safety --fair",
        "--trail x --no-trail",
        "--threads 0",
        "--threads 1025",
        "--threads 18446744073709551616",
    ] {
        assert!(options(typed).is_err(), "{typed}");
    }
    assert!(options("--plain --store exact --por off").is_ok());
}

#[test]
fn reductions_have_names() {
    let por = |typed: &str| options(typed).map(|o| (o.partial_order, o.selector)).unwrap();
    assert!(!por("--por off").0);
    let scout = |typed: &str| options(typed).map(|o| o.scout).unwrap();
    assert_eq!((scout(""), scout("--por on")), (verify::SCOUT, 0));
    assert_eq!(por("--por on"), (true, verify::Selector::Stubborn));
    assert_eq!(por("--por auto"), (true, verify::Selector::Stubborn));
    assert_eq!(por("--por stubborn"), (true, verify::Selector::Stubborn));
    assert_eq!(por("--por ample"), (true, verify::Selector::Ample));
    assert_eq!(options("--por-proviso stack").unwrap().proviso, verify::Proviso::Weak);
}

#[test]
fn under_approximation_has_choices() {
    assert_eq!(options("--under schedule").unwrap().under, Some(Under::new(Mode::Schedule)));
    let typed = "--under B --under-step half --under-order random:7 --under-start visible --under-max-iter 9";
    let expected = Under {
        step: Step::Half,
        order: Order::Random(7),
        start: Start::Visible,
        rounds_max: Some(9),
        ..Under::new(Mode::B)
    };
    assert_eq!(options(typed).unwrap().under, Some(expected));
}

#[test]
fn goals_add_up() {
    let goals = options("--ltl p --ltl !q --progress").unwrap().goals;
    assert_eq!(goals, Goals::Only(vec![Goal::Ltl("p".into()), Goal::Ltl("!q".into()), Goal::Progress]));
    assert_eq!(options("--safety").unwrap().goals, Goals::Only(vec![Goal::Safety]));
    assert_eq!(options("--max-errors 0").unwrap().errors_max, None);
    assert_eq!(trail("--no-trail"), None);
}

#[test]
fn limits_have_units() {
    let limits = options("--time-limit 10m --memory-limit 8G --depth-limit 7").unwrap().limits;
    let expected =
        Limits { depth_max: Some(7), time_max: Some(Duration::from_secs(600)), memory_max_bytes: Some(8 << 30) };
    assert_eq!(limits, expected);
}
