//! Models that a task is to go over, and the macros they are recorded with.

use ferrospin::front::Define;
use ferrospin_testkit::expectations;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All models of the given files and folders.
pub(crate) fn models(paths: &[PathBuf]) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        found.extend(expectations::models(path)?);
    }
    found.sort();
    Ok(found)
}

/// The sets of macros named in the expectations of a model; always the empty one.
pub(crate) fn variants(model: &Path) -> BTreeSet<Vec<String>> {
    expectations::beside(model).into_iter().map(|row| row.defines).chain([Vec::new()]).collect()
}

/// States of a plain run with these macros, where they are recorded.
pub(crate) fn plain_states(model: &Path, defines: &[String]) -> Option<u64> {
    let rows = expectations::beside(model);
    rows.iter().filter(|row| row.defines == defines).find_map(|row| row.plain_counts()).map(|(states, _)| states)
}

/// Macros given as `-DNAME[=VALUE]`, as the front end takes them.
pub(crate) fn define_all(options: &[String]) -> Vec<Define> {
    let define = |option: &String| {
        let text = option.strip_prefix("-D")?;
        Some(match text.split_once('=') {
            Some((name, value)) => Define::Set(name.into(), Some(value.into())),
            None => Define::Set(text.into(), None),
        })
    };
    options.iter().filter_map(define).collect()
}
