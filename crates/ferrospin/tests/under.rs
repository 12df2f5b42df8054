//! Under-approximation: violations are real, and nothing is said to hold before the last round has proved it.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Define, Front};
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::under::{Mode, Order, Start, Step, Under};
use ferrospin::verify::{Emptiness, Goal, Goals, Options, Proviso, verify};
use ferrospin_testkit::formula::formula;
use ferrospin_testkit::generate::generate;

fn read(text: &str, defines: &[(&str, &str)]) -> Front {
    let defines = defines.iter().map(|(name, value)| Define::Set((*name).into(), Some((*value).into()))).collect();
    let options = front::Options { defines, ..front::Options::default() };
    front::read_text("model.pml", text, &options, &mut DiskLoader::default())
}

fn model(name: &str, defines: &[(&str, &str)]) -> Front {
    read(&std::fs::read_to_string(format!("tests/data/under/{name}.pml")).expect("a model"), defines)
}

fn answer(front: &Front, formula: &str, options: Options) -> Option<PropertyReport> {
    let options = Options { goals: Goals::Only(vec![Goal::Ltl(formula.into())]), ..options };
    Some(verify(front, &options).ok()?.properties.remove(0))
}

fn check(front: &Front, formula: &str, options: Options) -> PropertyReport {
    answer(front, formula, options).expect("a verdict")
}

fn under(mode: Mode) -> Options {
    Options { under: Some(Under::new(mode)), ..Options::default() }
}

fn plain() -> Options {
    Options { partial_order: false, ..Options::default() }
}

const MODES: [Mode; 3] = [Mode::Schedule, Mode::A, Mode::B];

#[test]
fn the_weak_proviso_alone_proves_nothing() {
    let trap = model("trap", &[]);
    assert_eq!(check(&trap, "p", plain()).verdict, Verdict::Violated);
    assert_eq!(check(&trap, "p", Options::default()).verdict, Verdict::Violated);
    let weak = check(&trap, "p", Options { proviso: Proviso::Weak, ..Options::default() });
    assert_eq!(weak.verdict, Verdict::Undecided, "{weak:?}");
    assert!(weak.notes.iter().any(|n| n.contains("no violation in this under-approximation")), "{:?}", weak.notes);
    for mode in MODES {
        let found = check(&trap, "p", under(mode));
        assert_eq!(found.verdict, Verdict::Violated, "{mode:?}");
        // With nothing sensitive the weak proviso loses it; the strict one need not.
        assert!(found.under.len() > 1 || mode == Mode::A, "{mode:?}");
    }
}

#[test]
fn a_token_that_never_comes_is_found_in_a_hundredth_of_the_states() {
    let ring = model("token", &[("N", "8")]);
    let strict = check(&ring, "comes", Options::default());
    let found = check(&ring, "comes", under(Mode::Schedule));
    assert_eq!((strict.verdict, found.verdict), (Verdict::Violated, Verdict::Violated));
    assert_eq!(found.under.len(), 1, "the first round finds it");
    let states = |r: &PropertyReport| r.states.expect("a count");
    assert!(states(&found) * 100 <= states(&strict), "{} against {}", states(&found), states(&strict));
}

#[test]
fn what_holds_is_proved_by_the_last_round() {
    let ring = model("token", &[("N", "4")]);
    let strict = check(&ring, "alone", Options { emptiness: Emptiness::Couvreur, ..Options::default() });
    let states = |r: &PropertyReport| r.states.expect("a count");
    for mode in MODES {
        let found = check(&ring, "alone", under(mode));
        assert_eq!(found.verdict, Verdict::Holds, "{mode:?}");
        assert!(found.under.iter().rev().skip(1).all(|r| !r.exact) && found.under.last().expect("some").exact);
        let all: u64 = found.under.iter().map(|r| r.states).sum();
        match mode {
            Mode::Schedule => {
                assert_eq!(found.under.len(), 3);
                assert!(all <= 3 * states(&strict), "{all} against {}", states(&strict));
            }
            Mode::A => assert_eq!(states(&found), states(&strict)),
            // Every cycle that is cut costs reduction.
            Mode::B => assert!(states(&found) > found.under[0].states, "{:?}", found.under),
        }
    }
}

#[test]
fn a_broken_lock_is_found_early() {
    let lock = model("peterson", &[("N", "3"), ("BROKEN", "1")]);
    assert_eq!(check(&lock, "exclusion", plain()).verdict, Verdict::Violated);
    for mode in MODES {
        assert_eq!(check(&lock, "exclusion", under(mode)).verdict, Verdict::Violated, "{mode:?}");
    }
}

#[test]
fn limits_leave_it_undecided() {
    let ring = model("token", &[("N", "3")]);
    let limited = |under: Under| check(&ring, "alone", Options { under: Some(under), ..Options::default() });
    let few = limited(Under { rounds_max: Some(2), ..Under::new(Mode::Schedule) });
    assert_eq!((few.verdict, few.under.len()), (Verdict::Undecided, 2));
    let small = limited(Under { states_max: Some(10), ..Under::new(Mode::Schedule) });
    assert_eq!(small.verdict, Verdict::Undecided);
    assert!(small.under.len() < 3);
    let starts =
        limited(Under { start: Start::Visible, step: Step::Half, order: Order::Random(3), ..Under::new(Mode::B) });
    assert_eq!(starts.verdict, Verdict::Holds);
}

#[test]
fn rounds_are_data() {
    let ring = model("token", &[("N", "3")]);
    let json = serde_json::to_value(check(&ring, "alone", under(Mode::Schedule))).expect("data");
    let rounds = json["under"].as_array().expect("a list");
    let told: Vec<_> = rounds.iter().map(|r| (&r["proviso"], &r["sensitive"], &r["exact"], &r["verdict"])).collect();
    assert_eq!(told.len(), 3);
    assert_eq!((told[0].0.as_str(), told[0].1.as_u64(), told[0].2.as_bool()), (Some("weak"), Some(0), Some(false)));
    assert_eq!(
        (told[2].0.as_str(), told[2].2.as_bool(), told[2].3.as_str()),
        (Some("strict"), Some(true), Some("none"))
    );
    let plain = serde_json::to_value(check(&ring, "alone", Options::default())).expect("data");
    assert!(plain.get("under").is_none(), "only where it was asked for");
}

#[test]
fn what_cannot_be_reduced_has_one_exact_round() {
    let counts = read("byte x; active proctype P() { x = 1; x = 2 } ltl p { X (x == 1) }", &[]);
    let found = check(&counts, "p", under(Mode::Schedule));
    assert_eq!(found.verdict, check(&counts, "p", plain()).verdict);
    assert!(found.notes.iter().any(|n| n.starts_with("reduction is off")), "{:?}", found.notes);
    let front = read("byte x; active proctype P() { x = 1 } ltl p { <> (x == 1) }", &[]);
    let fair = Options { fair: true, ..under(Mode::A) };
    assert!(answer(&front, "p", fair).is_none(), "fairness and under-approximation do not go together");
}

#[test]
fn random_programs_and_formulas() {
    let mut compared = [0, 0];
    for seed in 1..=100 {
        let text = generate(seed).text();
        let Some(formula) = &formula(&text, seed) else { continue };
        let front = read(&text, &[]);
        if front.unreadable {
            continue;
        }
        let Some(full) = answer(&front, formula, plain()) else { continue };
        if full.states.is_none_or(|n| n > 1500) || full.verdict == Verdict::Undecided {
            continue;
        }
        compared[usize::from(full.verdict == Verdict::Violated)] += 1;
        for mode in MODES {
            let found = check(&front, formula, under(mode));
            assert_eq!(found.verdict, full.verdict, "{mode:?} {formula}\n{text}");
        }
        let weak = check(&front, formula, Options { proviso: Proviso::Weak, ..Options::default() });
        assert!(weak.verdict == full.verdict || weak.verdict == Verdict::Undecided, "{formula}\n{text}");
    }
    assert!(compared.iter().all(|n| *n > 5), "{compared:?}");
}
