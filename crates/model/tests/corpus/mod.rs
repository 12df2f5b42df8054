//! The models that the tests run over: all of `models/`, the micro-models of the semantics, random ones.

use ferrospin_model::ir::Model;
use std::path::{Path, PathBuf};

/// Every model that can be lowered, with its name.
pub(crate) fn models() -> Vec<(String, Model)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["models", "models/tiny", "crates/testkit/tests/semantics"];
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| std::fs::read_dir(root.join(f)).unwrap_or_else(|e| panic!("{f}: {e}")))
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "pml"))
        .collect();
    paths.sort();
    let mut list = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        if let Ok(model) = ferrospin_testkit::model(&path.display().to_string(), &text, &[]) {
            list.push((name, model));
        }
    }
    assert!(list.len() > 250, "only {} models were found", list.len());
    list
}

/// A model from its text.
#[allow(dead_code)]
pub(crate) fn model(text: &str) -> Model {
    ferrospin_testkit::model("m.pml", text, &[]).unwrap()
}
