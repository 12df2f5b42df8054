//! The compiled model gives what the interpreter gives, on every model of the repository.

mod same;

use ferrospin_testkit as testkit;
use std::path::{Path, PathBuf};

/// How many states of each model are compared.
const STATES_MAX: usize = 20_000;

fn models(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder of models").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, out);
        } else if path.extension().is_some_and(|e| e == "pml") {
            out.push(path);
        }
    }
}

/// Compares all models below a folder; those that do not read are not this test's business.
fn compare(folder: &str) {
    let mut list = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), &mut list);
    let mut compared = 0;
    let mut different = Vec::new();
    for path in &list {
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("a model")).into_owned();
        let Ok(model) = testkit::model(&path.display().to_string(), &text, &[]) else { continue };
        compared += 1;
        if let Err(e) = same::check_all(&model, STATES_MAX) {
            different.push(format!("{}: {e}", path.display()));
        }
    }
    assert!(different.is_empty(), "{} of {compared} differ:\n{}", different.len(), different.join("\n\n"));
    assert!(compared * 10 > list.len() * 8, "only {compared} of {} models can be read", list.len());
}

#[test]
fn models_of_the_repository() {
    compare("models");
}
