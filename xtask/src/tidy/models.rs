//! Models and their expectations.

use super::{Finding, TextFile};

/// The columns of an expectation file.
const COLUMNS: &str = "defines\tproperty\tverdict\terror\tstates\ttransitions\tdepth\tnote";

/// The endings of models that have expectations.
const MODELS: [&str; 2] = [".pml", ".proto"];

/// Every model has an expectation file, every expectation file a model, and the columns it should have.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    let exists = |path: &str| files.iter().any(|f| f.path == path);
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.path.starts_with("models/")) {
        let stem = MODELS.iter().find_map(|ending| file.path.strip_suffix(ending));
        if let Some(stem) = stem {
            let expected = format!("{stem}.expect.tsv");
            if !exists(&expected) {
                findings.push(file.finding("models", 0, format!("the model has no `{expected}`")));
            }
        }
        if let Some(stem) = file.path.strip_suffix(".expect.tsv") {
            if !MODELS.iter().any(|ending| exists(&format!("{stem}{ending}"))) {
                findings.push(file.finding("models", 0, "the expectations have no model"));
            }
            findings.extend(check_rows(file));
        }
    }
    findings
}

fn check_rows(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut lines = file.text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    if lines.next().is_none_or(|(_, head)| head != COLUMNS) {
        findings.push(file.finding("models", 1, "the first line does not name the columns"));
    }
    let columns = COLUMNS.split('\t').count();
    let mut rows = 0;
    for (index, line) in lines {
        rows += 1;
        let cells: Vec<_> = line.split('\t').collect();
        if cells.len() != columns {
            findings.push(file.finding("models", index + 1, format!("{} columns, not {columns}", cells.len())));
        } else if !["holds", "violated", "error"].contains(&cells[2]) {
            findings.push(file.finding("models", index + 1, format!("`{}` is no verdict", cells[2])));
        }
    }
    if rows == 0 {
        findings.push(file.finding("models", 0, "nothing is expected"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn models_without_expectations_are_found() {
        assert!(said(check, "models/a.pml", "init { skip }").contains("no `models/a.expect.tsv`"));
    }

    #[test]
    fn bad_expectations_are_found() {
        let found = said(check, "models/a.expect.tsv", &format!("{COLUMNS}\n-\tsafety\tfine\t-\t1\t1\t-\t-\n-\tx\n"));
        for part in ["no model", "`fine` is no verdict", "2 columns, not 8"] {
            assert!(found.contains(part), "{found}");
        }
    }
}
