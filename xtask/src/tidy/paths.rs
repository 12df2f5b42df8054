//! Paths of one machine, and links that lead nowhere.

use super::{Finding, TextFile};

/// Folders that exist on one machine only. Written in two parts, so that this file does not find itself.
const FOLDERS: &[(&str, &str)] = &[("/ho", "me/"), ("/wo", "rk/"), ("/ro", "ot/"), ("/Us", "ers/"), ("/tm", "p/")];

/// The source that every package in a lock file comes from.
const PUBLIC_REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Looks for absolute paths and for registries.
pub(super) fn machine_paths(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            for (first, second) in FOLDERS {
                if has_absolute(line, &format!("{first}{second}")) {
                    let text = format!("a path of one machine: `{first}{second}`");
                    findings.push(file.finding("machine-path", index + 1, text));
                }
            }
            let source = line.strip_prefix("source = ").map(|s| s.trim_matches('"'));
            if file.path.ends_with("Cargo.lock") && source.is_some_and(|s| s != PUBLIC_REGISTRY) {
                findings.push(file.finding(
                    "machine-path",
                    index + 1,
                    "a package that is not from the public registry",
                ));
            }
        }
        if file.path.starts_with(".cargo/") {
            findings.push(file.finding("machine-path", 0, "Cargo's settings are for each machine to choose"));
        }
    }
    findings
}

/// Whether `folder` stands in `line` as the beginning of a path rather than in the middle of one.
fn has_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '/' | '}' | ')'))
    })
}

/// Looks for relative links in documents whose target is not tracked.
pub(super) fn links(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.path.ends_with(".md")) {
        let mut fenced = false;
        for (index, line) in file.text.lines().enumerate() {
            fenced ^= line.trim_start().starts_with("```");
            for (at, _) in line.match_indices("](") {
                // In code, such as a formula, brackets are no links.
                if fenced || line[..at].matches('`').count() % 2 == 1 {
                    continue;
                }
                let Some(target) = line[at + 2..].split(')').next() else { continue };
                let target = target.split('#').next().unwrap_or("");
                if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let path = resolve(&file.path, target);
                if !files.iter().any(|f| f.path == path || f.path.starts_with(&format!("{path}/"))) {
                    findings.push(file.finding("links", index + 1, format!("`{target}` leads nowhere")));
                }
            }
        }
    }
    findings
}

/// The path that `target` means in a document at `from`.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<_> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn machine_paths_are_found() {
        let path = ["see /ho", "me/me/model.pml"].concat();
        assert!(said(machine_paths, "README.md", &path).starts_with("README.md:1: a path of one machine"));
        let inner = ["see docs/wo", "rk/model.pml"].concat();
        assert_eq!(said(machine_paths, "README.md", &inner), "");
    }

    #[test]
    fn foreign_registries_are_found() {
        let lock = format!("source = \"{PUBLIC_REGISTRY}\"\nsource = \"registry+https://mirror.example/index\"\n");
        assert!(said(machine_paths, "Cargo.lock", &lock).starts_with("Cargo.lock:2:"));
        assert!(said(machine_paths, ".cargo/config.toml", "[source]").contains("settings"));
    }

    #[test]
    fn code_has_no_links() {
        assert_eq!(said(links, "docs/a.md", "the formula `[](p -> q)`\n```\n[](x)\n```\n"), "");
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "[a](../docs/a.md#top) [b](b.md) [c](https://example.org/) [d](#d)";
        assert_eq!(said(links, "docs/a.md", text), "docs/a.md:1: `b.md` leads nowhere [links]");
    }
}
