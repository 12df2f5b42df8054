//! The library of protocols keeps its known results: a table beside each says for every claim what is known of it.

mod support;

use expect_test::expect_file;
use ferrospin_check::Options;
use support::{folder, plain, text_of};

/// Larger counts are those of `ferrospin test --all`; only verdicts are compared here.
const STATES_MAX: u64 = 60_000;

/// The count that a row has.
fn recorded(row: &str) -> u64 {
    row.split('\t').nth(4).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The table of a protocol as it is found, with the counts of plain runs; options, claims and notes are those of the one that is there.
fn table(name: &str) -> String {
    let (text, old) = (text_of(name), text_of(&name.replace(".proto", ".expect.tsv")));
    let mut rows = old.lines();
    let mut new = format!("{}\n", rows.next().expect("the names of the columns"));
    let mut last = (String::new(), Vec::new());
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let [settings, claim, .., note] = cells[..] else { panic!("{name}: {row}") };
        if last.0 != settings {
            let typed = if settings == "-" { "" } else { settings };
            let is_large = old.lines().any(|row| row.starts_with(settings) && recorded(row) > STATES_MAX);
            let options = if is_large { Options::default() } else { plain() };
            let answers = support::check(name, &text, typed, &options);
            last = (settings.to_owned(), answers.unwrap_or_else(|why| panic!("{name}: {why}")));
        }
        let found = last.1.iter().find(|p| p.name == claim).unwrap_or_else(|| panic!("{name}: no claim `{claim}`"));
        let verdict = format!("{:?}", found.verdict).to_lowercase();
        // How far a search has come when it stops depends on its order.
        let figure = |n: Option<u64>| n.filter(|_| found.error.is_none()).map_or("-".to_owned(), |n| n.to_string());
        let (mut states, mut transitions) = (figure(found.states), figure(found.transitions));
        if recorded(row) > STATES_MAX {
            let cells: Vec<&str> = row.split('\t').collect();
            (states, transitions) = (cells[4].to_owned(), cells[5].to_owned());
        }
        let depth = found.error.as_ref().and_then(|e| e.depth).map_or("-".to_owned(), |d| d.to_string());
        let error = if found.error.is_some() { "invariant" } else { "-" };
        new += &format!("{settings}\t{claim}\t{verdict}\t{error}\t{states}\t{transitions}\t{depth}\t{note}\n");
    }
    new
}

#[test]
fn known_results() {
    let entries = std::fs::read_dir(folder()).expect("the library");
    let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|n| n.ends_with(".proto")).collect();
    names.sort();
    assert!(names.len() >= 25, "{} protocols", names.len());
    for name in &names {
        let file = folder().join(name.replace(".proto", ".expect.tsv"));
        expect_file![file].assert_eq(&table(name));
    }
}
