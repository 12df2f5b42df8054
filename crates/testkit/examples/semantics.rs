//! Compares plain runs with a table of expected counts: `semantics FOLDER [PATTERN]`.

use ferrospin_search::naive::{Fault, Options};

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("folder");
    let pattern = args.next().unwrap_or_default();
    let table = std::fs::read_to_string(format!("{folder}/expected.tsv")).expect("table");
    let (mut same, mut differ) = (0, 0);
    for line in table.lines().skip(1) {
        let c: Vec<&str> = line.split('\t').collect();
        let (file, run, errors, error, states, transitions, atomic, note) =
            (c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[9]);
        if !file.contains(&pattern) {
            continue;
        }
        let text = std::fs::read_to_string(format!("{folder}/{file}")).expect("model");
        let liveness =
            run.rsplit(';').next().unwrap_or_default().split_whitespace().any(|w| w == "-a" || w == "-l" || w == "-f");
        let model = match ferrospin_testkit::model(file, &text, &[]) {
            Ok(m) => m,
            Err(e) => {
                if errors == "-" {
                    same += 1;
                } else {
                    differ += 1;
                    println!("{file}: refused: {}", e.lines().next().unwrap_or_default());
                }
                continue;
            }
        };
        if errors == "-" {
            differ += 1;
            println!("{file}: accepted, but: {error}");
            continue;
        }
        let options = Options {
            errors_max: 0,
            states_max: 3_000_000,
            ignored: run.ends_with("-A").then(|| ferrospin_model::failure::FailureKind::Assertion.number()),
            ignore_end_states: run.ends_with("-E") || liveness,
            nothing_pending: run.ends_with("-q"),
            ..Options::default()
        };
        let out = ferrospin_testkit::plain(&model, !run.contains("NOCLAIM"), &options);
        let ours = format!("{} {} {}", out.states, out.transitions(), out.atomic_steps);
        let first = out.violations.first().map(|v| match v.fault {
            Fault::InvalidEndState => "invalid end state".to_string(),
            Fault::Failure(f) => ferrospin_interp::failure_kind(f.code).to_string(),
        });
        let theirs = format!("{states} {transitions} {atomic}");
        if ours == theirs && (errors == "0") == (out.errors == 0) {
            same += 1;
        } else {
            differ += 1;
            println!(
                "{file} [{run}] spin {theirs} ({errors} {error}) ours {ours} ({} {first:?}) -- {note}",
                out.errors
            );
        }
    }
    println!("{same} same, {differ} differ");
}
