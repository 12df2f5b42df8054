//! Product sizes that the literature has (Couvreur, Duret-Lutz and Poitrenaud, SPIN 2005, tables 2 and 3), which are SPIN's too.

use std::path::Path;
use std::process::Command;

/// Verdict and stored states of the first property.
fn check(model: &str, options: &[&str]) -> (String, u64) {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(model);
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(["check", "--no-trail", "--quiet", "--format", "json", "--threads", "1", "--plain"])
        .args(options)
        .arg(model)
        .output()
        .expect("the program runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = &report["properties"][0];
    (of["verdict"].as_str().unwrap_or_default().into(), of["states"].as_u64().unwrap_or(0))
}

fn holds(states: u64) -> (String, u64) {
    ("holds".into(), states)
}

#[test]
fn leader_election_by_echo_with_extinction() {
    let model = "echo_election.pml";
    assert_eq!(check(model, &["--ltl", "zero_leads"]), holds(47_887));
    assert_eq!(check(model, &["--ltl", "zero_again"]), holds(289_812));
    assert_eq!(check(model, &["--ltl", "zero_follows"]), holds(289_812));
    for violated in ["never_again", "three_leads", "only_zero"] {
        assert_eq!(check(model, &["--ltl", violated]).0, "violated", "{violated}");
    }
}

#[test]
fn clients_and_servers() {
    let model = "clients_servers.pml";
    for search in ["couvreur", "ndfs", "tau03"] {
        assert_eq!(check(model, &["--ltl", "answered", "--emptiness", search]), holds(783), "{search}");
    }
    // Fairness as marks needs no further states, as copies it does.
    for search in ["couvreur", "tau03"] {
        assert_eq!(check(model, &["--ltl", "answered", "--fair", "--emptiness", search]), holds(783), "{search}");
    }
    let (verdict, states) = check(model, &["--ltl", "answered", "--fair", "--emptiness", "ndfs"]);
    assert!(verdict == "holds" && states >= 2_000, "{states}");
    assert_eq!(check(model, &["-DSERVERS=3", "--ltl", "answered"]).0, "violated");
    assert_eq!(check(model, &["-DSERVERS=3", "--ltl", "answered", "--fair"]).0, "holds");
}
