//! Every micro-model of Promela's semantics, against the counts that SPIN 6.5.2 gave for it.
//!
//! `semantics/expected.tsv` holds SPIN's answers. Where Ferrospin deliberately differs, [`DIFFERENT`] says how and why;
//! `docs/spin-differences.md` tells users. Nothing else may differ.

use ferrospin_search::naive::{Options, Outcome};
use std::path::Path;

/// How a row of the table is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ours {
    /// The model is accepted and violates something, with these numbers of states and transitions.
    Violated(u64, u64),
    /// The model is accepted and violates nothing.
    Holds(u64, u64),
}

/// File, part of the options (empty for any), what Ferrospin answers, why.
const DIFFERENT: &[(&str, &str, Ours, &str)] = &[
    ("atomic_endless", "", Ours::Holds(1, 1), "a loop that never leaves its atomic is cut when it comes back"),
    ("buf_bit_field", "", Ours::Violated(8, 8), "the field of a channel of one bit holds a bit"),
    ("chan_dangling", "", Ours::Violated(6, 6), "a channel that died with its process is noticed"),
    ("chan_uninit_recv", "", Ours::Violated(1, 1), "no channel: the branch ends, the search goes on"),
    ("chan_uninit_send", "", Ours::Violated(3, 3), "no channel: the branch ends, the search goes on"),
    ("count_skip_loop", "", Ours::Holds(2, 5), "an endless skip is a fine loop"),
    ("data_bit_array", "", Ours::Violated(8, 8), "elements of bit arrays hold bits"),
    ("data_div_zero", "", Ours::Violated(2, 2), "division by zero is an error, not a crash"),
    ("data_index", "", Ours::Violated(2, 2), "a bad index ends the branch, with -A too"),
    ("data_index_read", "", Ours::Violated(4, 4), "a bad index ends the branch"),
    ("data_literal", "", Ours::Holds(4, 4), "-2147483648 is that number"),
    ("decl_hidden", "", Ours::Holds(7, 7), "hidden variables are part of the state"),
    ("dstep_block_sel", "", Ours::Violated(1, 1), "the search goes on behind a blocked d_step"),
    ("never_nr_pr", "", Ours::Holds(5, 6), "_nr_pr does not count the claim"),
    ("remote_wrong_type", "", Ours::Holds(40, 82), "a remote reference names a process type, and it is compared"),
    ("rv_trunc", "", Ours::Violated(7, 7), "the field of a channel of one bit holds a bit"),
    ("sim_index", "", Ours::Violated(1, 1), "a bad index ends the branch"),
    ("stdin_read", "", Ours::Violated(1, 1), "no channel: the branch ends, the search goes on"),
    ("trace_nondet", "", Ours::Violated(3, 3), "the search goes on"),
];

struct Row<'a> {
    name: &'a str,
    run: &'a str,
    errors: &'a str,
    states: &'a str,
    transitions: &'a str,
    atomic_steps: &'a str,
    note: &'a str,
}

impl<'a> Row<'a> {
    fn new(line: &'a str) -> Self {
        let c: Vec<&str> = line.split('\t').collect();
        Row {
            name: c[0].trim_end_matches(".pml"),
            run: c[1],
            errors: c[2],
            states: c[4],
            transitions: c[5],
            atomic_steps: c[6],
            note: c[9],
        }
    }

    fn pan(&self) -> &'a str {
        self.run.rsplit(';').next().unwrap_or_default()
    }

    fn pan_has(&self, option: &str) -> bool {
        self.pan().split_whitespace().any(|w| w == option)
    }

    /// Rows about cycles, formulas, other option sets than the plain one: not for a plain search. (`-J` changes nothing; the
    /// rows about cycles and formulas are looked at in `crates/cli/tests/semantics_cycles.rs`.)
    fn is_plain(&self) -> bool {
        self.run.replace(" -J ", " ").starts_with("spin -a -o1 -o2 -o3 ;")
            && !["-a", "-l", "-f"].iter().any(|o| self.pan_has(o))
            && (!self.name.starts_with("ltl_") || self.run.contains("NOCLAIM"))
    }
}

fn run(row: &Row<'_>, text: &str) -> Result<Outcome, String> {
    let model = ferrospin_testkit::model(row.name, text, &[])?;
    let options = Options {
        errors_max: 0,
        states_max: 1_000_000,
        ignored: row.pan_has("-A").then(|| ferrospin_model::failure::FailureKind::Assertion.number()),
        ignore_end_states: row.pan_has("-E"),
        nothing_pending: row.pan_has("-q"),
        ..Options::default()
    };
    Ok(ferrospin_testkit::plain(&model, !row.run.contains("NOCLAIM"), &options))
}

#[test]
fn counts_are_those_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let table = read("expected.tsv");
    let mut wrong = Vec::new();
    let mut compared = 0;
    let mut differences_used = vec![false; DIFFERENT.len()];
    for row in table.lines().skip(1).map(Row::new).filter(Row::is_plain) {
        let text = read(&format!("{}.pml", row.name));
        let ours = run(&row, &text);
        let difference = DIFFERENT.iter().position(|d| d.0 == row.name && row.run.contains(d.1));
        let expected = match difference {
            Some(i) => {
                differences_used[i] = true;
                match DIFFERENT[i].2 {
                    Ours::Holds(s, t) => format!("holds {s} {t}"),
                    Ours::Violated(s, t) => format!("violated {s} {t}"),
                }
            }
            None if row.errors == "-" => "refused".to_string(),
            None if row.note.starts_with("stopped") => "violated".to_string(),
            None => {
                let verdict = if row.errors == "0" { "holds" } else { "violated" };
                format!("{verdict} {} {} {}", row.states, row.transitions, row.atomic_steps)
            }
        };
        let got = match &ours {
            Err(_) => "refused".to_string(),
            Ok(o) => {
                let verdict = if o.errors == 0 { "holds" } else { "violated" };
                format!("{verdict} {} {} {}", o.states, o.transitions(), o.atomic_steps)
            }
        };
        compared += 1;
        if got != expected && !got.starts_with(&format!("{expected} ")) {
            let why = ours.err().unwrap_or_default();
            wrong.push(format!("{} [{}]: expected {expected}, got {got} {why}", row.name, row.run));
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 280, "only {compared} rows were compared");
    for (d, used) in DIFFERENT.iter().zip(differences_used) {
        assert!(used, "the difference {} ({}) is about no row", d.0, d.3);
    }
}
