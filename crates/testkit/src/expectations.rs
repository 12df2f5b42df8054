//! Models and the expectations recorded beside them: `peterson.pml`, `peterson.expect.tsv`.
//!
//! A table has a row for each set of macros and property; `CONTRIBUTING.md` names its columns. Everything that walks over
//! the models reads them here.

use std::io::Result;
use std::path::{Path, PathBuf};

/// How the name of a table ends.
const SUFFIX: &str = "expect.tsv";

/// A row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The file of the model.
    pub model: PathBuf,
    /// Macros, as `-DNAME=VALUE`.
    pub defines: Vec<String>,
    /// `safety`, `ltl:NAME`, ...
    pub property: String,
    /// `holds`, `violated` or `error`.
    pub verdict: String,
    /// Distinct states of a plain run, where they are known.
    pub states: Option<u64>,
    /// Transitions of a plain run, where they are known.
    pub transitions: Option<u64>,
    /// What else there is to say.
    pub note: String,
}

impl Expectation {
    fn read(model: &Path, row: &str) -> Option<Self> {
        let cells: Vec<&str> = row.split('\t').collect();
        let [defines, property, verdict, _error, states, transitions, _depth, note] = cells[..] else { return None };
        Some(Self {
            model: model.to_owned(),
            defines: defines.split_whitespace().filter(|d| *d != "-").map(str::to_owned).collect(),
            property: property.into(),
            verdict: verdict.into(),
            states: states.parse().ok(),
            transitions: transitions.parse().ok(),
            note: note.into(),
        })
    }

    /// Whether the model holds embedded C, which is not run.
    pub fn foreign(&self) -> bool {
        self.note.contains("embedded C")
    }

    /// States and transitions of a plain run, where the row is about one that can be done.
    pub fn plain_counts(&self) -> Option<(u64, u64)> {
        let wanted = self.property == "safety" && !self.foreign();
        self.states.zip(self.transitions).filter(|_| wanted)
    }

    /// The model and its macros, as messages name them.
    pub fn name(&self) -> String {
        [vec![self.model.display().to_string()], self.defines.clone()].concat().join(" ")
    }
}

/// All `.pml` files in a folder and below it, sorted; a path of a file is taken as it is.
pub fn models(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    let mut found = Vec::new();
    for path in entries.iter().filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "pml")) {
        found.extend(models(path)?);
    }
    Ok(found)
}

/// The rows recorded beside a model; none where there is no table.
pub fn beside(model: &Path) -> Vec<Expectation> {
    let table = std::fs::read_to_string(model.with_extension(SUFFIX)).unwrap_or_default();
    table.lines().skip(1).filter(|row| !row.starts_with('#')).filter_map(|row| Expectation::read(model, row)).collect()
}

/// All rows recorded in a folder and below it.
pub fn all(folder: &Path) -> Result<Vec<Expectation>> {
    Ok(models(folder)?.iter().flat_map(|model| beside(model)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let row = "-DN=2 -DM\tsafety\tviolated\tassertion\t10\t20\t-\tno reason";
        let read = Expectation::read(Path::new("m.pml"), row).expect("eight columns");
        assert_eq!(read.name(), "m.pml -DN=2 -DM");
        assert_eq!((read.plain_counts(), read.verdict.as_str()), (Some((10, 20)), "violated"));
        assert!(Expectation::read(Path::new("m.pml"), "-\tsafety").is_none());
        let foreign = Expectation { note: "embedded C".into(), ..read.clone() };
        assert_eq!(foreign.plain_counts(), None);
        assert_eq!(Expectation { property: "ltl:p".into(), ..read }.plain_counts(), None);
    }
}
