//! Which crate may use which.

use super::{Finding, TextFile};

/// The crates and what each may use. `ANY` is for the façade and for what stands outside the program. The table of
/// `docs/ARCHITECTURE.md` says the same: see [`table`].
const ALLOWED: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("cpp", &["source"]),
    ("promela", &["source", "cpp"]),
    ("c", &["source", "cpp"]),
    ("cvm", &["source", "c"]),
    ("ltl", &["source"]),
    ("model", &["source"]),
    ("lower", &["source", "promela", "ltl", "model"]),
    ("embed", &["source", "cpp", "c", "cvm", "promela", "model", "lower"]),
    ("system", &[]),
    ("interp", &["system", "model"]),
    ("native", &["system", "model"]),
    ("gpu", &["system", "model"]),
    ("store", &["system"]),
    ("reduce", &["system"]),
    ("search", &["system"]),
    ("trace", &["system"]),
    ("check", &["source", "system", "store", "reduce", "search", "trace", "ltl"]),
    ("lts", &[]),
    ("rust", &["system", "check", "trace", "rust-macro"]),
    ("rust-macro", &[]),
    ("protocol", &["source", "system", "check", "trace"]),
    ("chi", &["source", "lts"]),
    ("lp", &[]),
    ("bound", &["source", "model", "lp"]),
    ("learn", &["lts"]),
    ("components", &["lts"]),
    ("ferrospin", ANY),
    ("spin", &["ferrospin", "source", "promela", "ltl", "model", "system", "interp", "trace", "lower"]),
    ("cli", ANY),
    ("testkit", ANY),
    ("oracle", ANY),
    ("xtask", ANY),
    ("fuzz", &["ferrospin"]),
];

const ANY: &[&str] = &["*"];

/// Reads the manifests of all crates.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    let manifests = files.iter().filter(|f| f.path.ends_with("/Cargo.toml"));
    manifests.flat_map(check_manifest).collect()
}

/// The document that has the table.
const DOCUMENT: &str = "docs/ARCHITECTURE.md";

/// The table of the document is the one that is enforced.
pub(super) fn table(files: &[TextFile]) -> Vec<Finding> {
    let Some(file) = files.iter().find(|f| f.path == DOCUMENT) else { return Vec::new() };
    let mut findings = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [folders, .., uses] = cells[..] else { continue };
        let quoted = |f: &str| f.strip_prefix('`').and_then(|f| f.strip_suffix('`')).is_some();
        if cells.len() != 3 || !folders.split(", ").all(quoted) {
            continue;
        }
        let folders: Vec<&str> = folders.split(", ").map(|f| f.trim_matches('`')).collect();
        for (_, allowed) in ALLOWED.iter().filter(|(name, _)| folders.contains(name)) {
            // Packages of one row may use each other.
            let mut enforced: Vec<&str> = allowed.iter().copied().filter(|name| !folders.contains(name)).collect();
            let mut written: Vec<&str> = match uses {
                "-" => Vec::new(),
                "all" | "any" => ANY.to_vec(),
                names => names.split(", ").map(|name| name.trim_matches('`')).collect(),
            };
            enforced.sort_unstable();
            written.sort_unstable();
            if enforced != written {
                let text =
                    format!("`{}` may use {enforced:?} by the rule, {written:?} by this row", folders.join(", "));
                findings.push(file.finding("dependencies", number, text));
            }
        }
        named.extend(folders);
    }
    let missing = ALLOWED.iter().filter(|(name, _)| *name != "fuzz" && !named.contains(name));
    findings
        .extend(missing.map(|(name, _)| file.finding("dependencies", 0, format!("`{name}` has no row in the table"))));
    findings
}

fn check_manifest(file: &TextFile) -> Vec<Finding> {
    let package = file.package();
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package) else {
        let text = format!("`{package}` has no row in the table of dependencies");
        return vec![file.finding("dependencies", 0, text)];
    };
    let mut findings = Vec::new();
    let mut section = Section::Other;
    for (index, line) in file.text.lines().enumerate() {
        let line = line.trim();
        let (name, in_section) = if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            if header == "features" {
                findings.push(file.finding("features", index + 1, "Cargo features are not used here"));
            }
            section = Section::of(header);
            // `[dependencies.name]` names a dependency in the header itself.
            let named = header.rsplit_once("dependencies.").map(|(_, name)| name);
            (named.unwrap_or(""), section)
        } else {
            (line.split(['=', '.']).next().unwrap_or("").trim(), section)
        };
        if in_section == Section::Other {
            continue;
        }
        let used = match name.strip_prefix("ferrospin-") {
            Some(folder) => folder,
            None if name == "ferrospin" => name,
            None => {
                if name.starts_with("cranelift") && package != "native" {
                    findings.push(file.finding("dependencies", index + 1, "only `native` may use Cranelift"));
                }
                continue;
            }
        };
        if in_section == Section::Development {
            continue;
        }
        if used == "testkit" && !matches!(package, "oracle" | "xtask") || used == "oracle" && package != "xtask" {
            findings.push(file.finding("dependencies", index + 1, format!("`{used}` is for tests only")));
        } else if !allowed.contains(&used) && *allowed != ANY {
            let text = format!("`{package}` may not use `{used}`");
            findings.push(file.finding("dependencies", index + 1, text));
        }
    }
    findings
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Normal,
    Development,
    Other,
}

impl Section {
    fn of(header: &str) -> Self {
        let is = |name: &str| {
            let table = header.rsplit_once(&format!("{name}.")).map_or(header, |(before, _)| before);
            header == name
                || header.ends_with(&format!(".{name}"))
                || header.starts_with(&format!("{name}."))
                || (table != header && table.ends_with('.'))
        };
        if is("dev-dependencies") {
            Section::Development
        } else if is("dependencies") || is("build-dependencies") {
            Section::Normal
        } else {
            Section::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::{ALLOWED, check, table};

    #[test]
    fn a_forbidden_dependency_is_found() {
        let manifest = "[package]\nname = \"ferrospin-search\"\n[dependencies]\nferrospin-model.workspace = true\n";
        assert_eq!(
            said(check, "crates/search/Cargo.toml", manifest),
            "crates/search/Cargo.toml:4: `search` may not use `model` [dependencies]"
        );
    }

    #[test]
    fn other_ways_to_write_it_are_found() {
        for manifest in [
            "[dependencies.ferrospin-model]\nworkspace = true\n",
            "[build-dependencies]\nferrospin-model = { path = \"../model\" }\n",
            "[target.'cfg(unix)'.dependencies]\nferrospin-model.workspace = true\n",
            "[target.'cfg(unix)'.dependencies.ferrospin-model]\nworkspace = true\n",
        ] {
            let said = said(check, "crates/store/Cargo.toml", manifest);
            assert!(said.contains("`store` may not use `model`"), "{manifest}: {said}");
        }
    }

    #[test]
    fn the_table_of_the_document_is_compared() {
        let row = |name: &str, uses: &[&str]| match uses {
            ["*"] => format!("| `{name}` | what it does | all |\n"),
            [] => format!("| `{name}` | what it does | - |\n"),
            uses => format!("| `{name}` | what it does | {} |\n", uses.join(", ")),
        };
        let all: String = ALLOWED.iter().map(|(name, uses)| row(name, uses)).collect();
        assert_eq!(said(table, "docs/ARCHITECTURE.md", &all), "");
        let wrong = all.replace(&row("search", &["system"]), &row("search", &["system", "store"]));
        assert!(said(table, "docs/ARCHITECTURE.md", &wrong).contains("`search` may use [\"system\"] by the rule"));
        let fewer = all.replace(&row("store", &["system"]), "");
        assert!(said(table, "docs/ARCHITECTURE.md", &fewer).contains("`store` has no row"));
    }

    #[test]
    fn tests_may_use_more() {
        let manifest = "[dependencies]\nferrospin-system.workspace = true\nthiserror.workspace = true\n\
                        [dev-dependencies]\nferrospin-testkit.workspace = true\n";
        assert_eq!(said(check, "crates/search/Cargo.toml", manifest), "");
    }

    #[test]
    fn unknown_crates_features_and_cranelift_are_found() {
        assert!(said(check, "crates/helpers/Cargo.toml", "").contains("`helpers` has no row"));
        assert!(said(check, "crates/store/Cargo.toml", "[features]\nfast = []\n").contains("[features]"));
        let manifest = "[dependencies]\ncranelift-jit = \"0.135\"\n";
        assert!(said(check, "crates/interp/Cargo.toml", manifest).contains("only `native`"));
    }
}
