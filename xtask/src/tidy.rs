//! `tidy`: the conventions of the project as checks.
//!
//! | rule | what it checks |
//! |---|---|
//! | `dependencies` | a crate uses only what its row in the table of `docs/ARCHITECTURE.md` names; that table is the one enforced |
//! | `features` | no Cargo feature: every variant is in the one binary |
//! | `input-output` | nothing below the façade reads files, prints, or starts programs |
//! | `machine-path` | no path of one machine, no package registry but the public one |
//! | `module-header` | every module opens with `//!` |
//! | `unfinished` | no placeholder macros, no ignored tests |
//! | `unsafe` | only in `store`, `native` and `gpu`'s driver, each time under `// SAFETY:` |
//! | `vocabulary` | the words of Promela do not occur in `system`, `store`, `search`, `reduce` and `check` |
//! | `plain-words` | no pronouns for persons where things are meant |
//! | `models` | every model has an expectation file, and every expectation file a model |
//! | `links` | links of the documents lead to files |
//!
//! Only files that git tracks are read, so that work in progress does not matter.

mod dependencies;
mod models;
mod paths;
mod sources;
mod words;

use anyhow::{Context, ensure};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A place that breaks a rule.
#[derive(Debug)]
struct Finding {
    rule: &'static str,
    path: String,
    /// From 1; 0 for the file as a whole.
    line: usize,
    text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: ", self.path)?,
            line => write!(f, "{}:{line}: ", self.path)?,
        }
        write!(f, "{} [{}]", self.text, self.rule)
    }
}

/// A tracked text file.
struct TextFile {
    /// Relative to the root, with `/`.
    path: String,
    text: String,
}

impl TextFile {
    fn finding(&self, rule: &'static str, line: usize, text: impl Into<String>) -> Finding {
        Finding { rule, path: self.path.clone(), line, text: text.into() }
    }

    /// The folder under `crates/` it lies in, or `xtask` and so on for others.
    fn package(&self) -> &str {
        let rest = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        rest.split('/').next().unwrap_or(rest)
    }
}

/// Prints all findings; true when there are none.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    let findings = check(&tracked_files(root)?);
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: nothing found"),
        n => println!("tidy: {n} found"),
    }
    Ok(findings.is_empty())
}

fn check(files: &[TextFile]) -> Vec<Finding> {
    let rules = [
        dependencies::check,
        dependencies::table,
        paths::machine_paths,
        paths::links,
        sources::module_headers,
        sources::unfinished,
        sources::unsafe_code,
        sources::input_output,
        words::vocabulary,
        words::figures,
        models::check,
    ];
    rules.iter().flat_map(|rule| rule(files)).collect()
}

/// All text files that git tracks; where there is no git (an unpacked archive), all that are there.
fn tracked_files(root: &Path) -> anyhow::Result<Vec<TextFile>> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    let paths: Vec<PathBuf> = match listed {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8(output.stdout).context("names of tracked files are UTF-8")?;
            names.split_terminator('\0').map(PathBuf::from).collect()
        }
        _ => {
            let mut paths = Vec::new();
            walk(root, Path::new(""), &mut paths)?;
            paths
        }
    };
    ensure!(!paths.is_empty(), "no files under {}", root.display());
    let mut files = Vec::new();
    for path in paths {
        // A file that is tracked and deleted at the moment, or one that is not text, has nothing to be looked at.
        let Ok(bytes) = std::fs::read(root.join(&path)) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        files.push(TextFile { path: path.to_string_lossy().replace('\\', "/"), text });
    }
    Ok(files)
}

fn walk(root: &Path, dir: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(dir))? {
        let entry = entry?;
        let path = dir.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if entry.file_name() != "target" && entry.file_name() != ".git" {
            walk(root, &path, paths)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let findings = check(&tracked_files(crate::root()).unwrap());
        let lines: Vec<_> = findings.iter().map(Finding::to_string).collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
    }

    /// What a rule says about one file, as text; for the tests of the rules.
    pub(super) fn said(rule: fn(&[TextFile]) -> Vec<Finding>, path: &str, text: &str) -> String {
        let file = TextFile { path: path.into(), text: text.into() };
        let lines: Vec<_> = rule(&[file]).iter().map(Finding::to_string).collect();
        lines.join("\n")
    }
}
