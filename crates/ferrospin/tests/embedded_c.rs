//! Embedded C: the models of `models/c` with the counts that SPIN has, by both engines, any number of workers and with the
//! reduction; how bad C ends; what is refused, and with which words.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::run::{self, Run};
use ferrospin::verify::{Engine, Goal, Goals, Options, Search, Store, verify};
use ferrospin_testkit::expectations;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;

fn read(text: &str) -> Front {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    assert!(!front.unreadable, "{}", front.text(false));
    front
}

fn plain(engine: Engine, threads: usize) -> Options {
    Options {
        goals: Goals::Only(vec![Goal::Safety]),
        partial_order: false,
        optimize: false,
        threads: NonZeroUsize::new(threads).expect("not zero"),
        engine,
        errors_max: None,
        ..Options::default()
    }
}

fn check(front: &Front, options: &Options) -> PropertyReport {
    let verified = verify(front, options).unwrap_or_else(|why| panic!("{}", why.why()));
    verified.properties.into_iter().next().expect("one property")
}

/// States that SPIN has with its reduction, by the note of a row.
fn reduced_states(note: &str) -> Option<u64> {
    note.split_once("; ")?.1.split(' ').next()?.parse().ok()
}

/// Where SPIN's reduction takes C for local that is not, or has no way to know: its counts are below what is sound.
const UNSOUND: [&str; 3] = ["locals", "track_matched", "state_local"];

#[test]
fn counts_are_those_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/c");
    let rows = expectations::all(&folder).expect("models");
    assert_eq!(rows.len(), 15, "the models are there");
    for row in rows {
        let front = front::read_path(&row.model, &front::Options::default()).expect("it can be read");
        let goal = match row.property.strip_prefix("ltl:") {
            Some(name) => Goal::Ltl(name.into()),
            None => Goal::Safety,
        };
        let goals = Goals::Only(vec![goal]);
        let expected = if row.verdict == "violated" { Verdict::Violated } else { Verdict::Holds };
        for (engine, threads) in [(Engine::Native, 1), (Engine::Native, 2), (Engine::Interp, 1), (Engine::Interp, 2)] {
            let options = Options { goals: goals.clone(), ..plain(engine, threads) };
            let report = check(&front, &options);
            let what = format!("{} {engine:?} {threads}", row.name());
            assert_eq!((report.states, report.transitions), (row.states, row.transitions), "{what}");
            assert_eq!(report.verdict, expected, "{what}");
        }
        let report = check(&front, &Options { goals, errors_max: None, ..Options::default() });
        assert_eq!(report.verdict, expected, "{} reduced", row.name());
        assert!(report.states <= row.states, "{}: {:?} states reduced", row.name(), report.states);
        let name = row.model.file_stem().and_then(|n| n.to_str()).expect("a name");
        if let Some(most) = reduced_states(&row.note)
            && !UNSOUND.contains(&name)
            // Memory that is not compared is searched without reduction.
            && name != "track_unmatched"
        {
            assert!(report.states <= Some(most), "{}: {:?} states, SPIN has {most}", row.name(), report.states);
        }
    }
}

/// All stores keep what C has in the state, and passes and executors agree step by step.
#[test]
fn stores_and_self_checks_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/c");
    for name in ["pointers", "state_global", "channels_mixed", "track_matched"] {
        let row = &expectations::beside(&folder.join(format!("{name}.pml")))[0];
        let front = front::read_path(&row.model, &front::Options::default()).expect("it can be read");
        for store in [Store::Exact, Store::Tree, Store::Compact, Store::Collapse, Store::Automaton] {
            for search in [Search::BreadthFirst, Search::DepthFirst] {
                let report = check(
                    &front,
                    &Options {
                        store: Some(store),
                        search: Some(search),
                        self_check: NonZeroU64::new(2),
                        ..plain(Engine::Native, 2)
                    },
                );
                assert_eq!(
                    (report.states, report.transitions),
                    (row.states, row.transitions),
                    "{name} {store:?} {search:?}"
                );
            }
        }
        check(&front, &Options { self_check: NonZeroU64::new(1), ..Options::default() });
    }
}

#[test]
fn allocated_memory_is_part_of_the_state() {
    // What was freed can be had again: the loop has few states, and comes back to the first.
    let front = read(
        "c_code { char *p; } c_track \"&p\" \"sizeof(p)\"
         active proctype P() { do :: c_code { p = malloc(100); p[7] = 1; }; c_code { free(p); p = 0; } od }",
    );
    for engine in [Engine::Native, Engine::Interp] {
        let report = check(&front, &plain(engine, 1));
        assert_eq!((report.verdict, report.states), (Verdict::Holds, Some(2)));
    }
    // Two lists of two processes: which blocks they have depends on the order, what they hold does not.
    let front = read(
        "c_decl { typedef struct N { struct N *next; int n; } N; }
         c_code { N *list[2]; void put(int i, int n) { N *m = malloc(sizeof(N)); m->n = n; m->next = list[i]; list[i] = m; }
                  int sum(int i) { int s = 0; for (N *m = list[i]; m; m = m->next) s = s * 10 + m->n; return s; } }
         c_track \"list\" \"sizeof(list)\"
         active [2] proctype P() { c_code { put(PP->_pid, 1); }; c_code { put(PP->_pid, 2); }; assert(c_expr { sum(PP->_pid) == 21 }) }",
    );
    let report = check(&front, &plain(Engine::Native, 1));
    assert_eq!((report.verdict, report.errors), (Verdict::Holds, 0));
}

#[test]
fn rand_has_a_state_of_its_own() {
    let front = read(
        "int x; int y;
         active proctype P() { if :: c_code { now.x = rand(); } :: c_code { now.y = rand(); } fi;
           c_code { if (now.x) now.y = rand(); else now.x = rand(); }; assert(x != y) }",
    );
    let report = check(&front, &plain(Engine::Native, 1));
    // Both ways give the same two numbers, in one order or the other.
    assert_eq!((report.verdict, report.states), (Verdict::Holds, Some(9)));
    assert!(verify(&front, &plain(Engine::Native, 1)).is_ok());
}

/// What is neither called nor looked at does not matter.
#[test]
fn functions_that_are_not_called_may_do_anything() {
    let front = read(
        "c_code { void shell(void) { system(\"true\"); } int n; void count(void) { n++; } }
         byte x; active proctype P() { c_code { now.x = 1; }; assert(x == 1) }",
    );
    assert_eq!(check(&front, &Options::default()).verdict, Verdict::Holds);
}

#[test]
fn values_keep_their_width_and_their_truth() {
    let front = read(
        "bit b; bool t; unsigned u : 3; short s; byte seen; typedef R { bit b[2]; unsigned v : 9 }; R r[2]; int big;
         active proctype P() {
           c_code { now.b = 6; now.t = 3; now.u = 13; now.s = 70000; now.r[1].b[1] = 3; now.r[1].v = 1023; };
           assert(b == 0 && t && u == 5 && s == 4464 && r[1].b[1] == 1 && r[1].v == 511 && r[0].v == 0);
           c_expr { 0.25 }; c_expr { 4294967296L }; big = c_expr { 1 << 20 } + 1; assert(big == 1048577);
           if :: c_expr { 0.0 } -> assert(false) :: c_expr { &now.s } -> seen = c_expr { now.r[1].v == 511 } fi;
           assert(seen == 1)
         }",
    );
    for engine in [Engine::Native, Engine::Interp] {
        assert_eq!(check(&front, &plain(engine, 1)).verdict, Verdict::Holds);
    }
}

#[test]
fn what_is_printed_is_told_where_one_run_is_told() {
    let front =
        read("byte n = 3; active proctype P() { c_code { Printf(\"n=%d\\n\", now.n); printf(\"%s\\n\", \"end\"); } }");
    let runnable = run::prepare(&front).expect("it can be run");
    let mut run = Run::start(&front, &runnable).expect("it begins");
    let mv = run.moves().list[0];
    let (step, failure) = run.take(&mv, None);
    assert_eq!(failure, None);
    assert!(format!("{step:?}").contains("n=3\\nend"), "{step:?}");
}
