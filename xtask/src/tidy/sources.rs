//! What the sources themselves must look like.
//!
//! Lines are looked at one by one, comments left out; a real parser would find the same in code that rustfmt has seen.

use super::{Finding, TextFile};

/// Words that must not stay in the code. Written in two parts, so that this file does not find itself.
const UNFINISHED: &[(&str, &str)] = &[("to", "do!"), ("unimple", "mented!"), ("#[ig", "nore"), ("db", "g!(")];

/// What only the façade and the tools may do.
const INPUT_OUTPUT: &[(&str, &str)] = &[
    ("std::", "fs"),
    ("std::", "net"),
    ("std::", "process"),
    ("std::", "env"),
    ("io::", "stdin"),
    ("io::", "stdout"),
    ("io::", "stderr"),
    ("print", "ln!"),
    ("static ", "mut"),
];

/// Packages outside the layers of the program.
const ABOVE: &[&str] = &["ferrospin", "cli", "testkit", "oracle", "xtask", "fuzz"];

fn rust(files: &[TextFile]) -> impl Iterator<Item = &TextFile> {
    files.iter().filter(|f| f.path.ends_with(".rs"))
}

/// The lines with their numbers from 1, without comments.
fn code(file: &TextFile) -> impl Iterator<Item = (usize, &str)> {
    let lines = file.text.lines().enumerate().map(|(index, line)| (index + 1, line.split("//").next().unwrap_or("")));
    lines.filter(|(_, line)| !line.trim().is_empty())
}

/// Every module opens with `//!`.
pub(super) fn module_headers(files: &[TextFile]) -> Vec<Finding> {
    // A script would begin with `#!`, and generated files with attributes: neither exists here.
    let bare = rust(files).filter(|f| !f.text.starts_with("//! "));
    bare.map(|f| f.finding("module-header", 1, "a module opens with `//!`, which says what it does")).collect()
}

/// No placeholders, no ignored tests.
pub(super) fn unfinished(files: &[TextFile]) -> Vec<Finding> {
    find(rust(files), "unfinished", UNFINISHED)
}

/// Nothing below the façade reads or prints. Tests may.
pub(super) fn input_output(files: &[TextFile]) -> Vec<Finding> {
    let below = rust(files).filter(|f| f.path.contains("/src/") && !ABOVE.contains(&f.package()));
    find(below, "input-output", INPUT_OUTPUT)
}

fn find<'a>(files: impl Iterator<Item = &'a TextFile>, rule: &'static str, patterns: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in code(file) {
            for (first, second) in patterns {
                let pattern = format!("{first}{second}");
                if line.contains(&pattern) {
                    findings.push(file.finding(rule, number, format!("`{pattern}` is not used here")));
                }
            }
        }
    }
    findings
}

/// `unsafe` only where it is allowed, and always with its reason.
pub(super) fn unsafe_code(files: &[TextFile]) -> Vec<Finding> {
    let keyword = ["un", "safe"].concat();
    let mut findings = Vec::new();
    for file in rust(files) {
        let lines: Vec<_> = file.text.lines().collect();
        for (number, line) in code(file) {
            // A function or function type that asks something of its callers does nothing by itself; a function says what it asks,
            // unless its trait does.
            let asks = [format!("{keyword} extern"), format!("{keyword} fn")].iter().any(|a| line.contains(a.as_str()));
            if !has_word(line, &keyword) {
                continue;
            }
            if asks && !line.contains(&format!("{keyword} {{")) {
                if is_function(line) && !is_of_trait(&lines, number - 1) && !has_reason(&lines, number - 1) {
                    findings.push(file.finding("unsafe", number, "say what callers must see to, under `# Safety`"));
                }
                continue;
            }
            let is_driver = file.path == "crates/gpu/src/driver.rs";
            if !matches!(file.package(), "store" | "native") && !is_driver {
                let text = "only `store`, `native` and the driver of `gpu` may be unsafe";
                findings.push(file.finding("unsafe", number, text));
            } else if !has_reason(&lines, number - 1) {
                findings.push(file.finding("unsafe", number, "say why it is sound, under `// SAFETY:`"));
            }
        }
    }
    findings
}

fn has_word(line: &str, word: &str) -> bool {
    let outside = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"');
    line.match_indices(word)
        .any(|(at, _)| outside(line[..at].chars().next_back()) && outside(line[at + word.len()..].chars().next()))
}

/// Whether a line begins a function with a body or a declaration, not a type of functions.
fn is_function(line: &str) -> bool {
    line.split("fn ").nth(1).is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'))
}

/// Whether a function stands in an implementation of a trait.
fn is_of_trait(lines: &[&str], index: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let around = lines[..index].iter().rev().find(|l| !l.trim().is_empty() && indent(l) < indent(lines[index]));
    around.is_some_and(|l| l.contains("impl") && l.contains(" for "))
}

/// Whether the comment right above a line (other lines of the same statement and attributes between) gives the reason.
fn has_reason(lines: &[&str], index: usize) -> bool {
    let mut in_comment = false;
    for line in lines[..=index].iter().rev().take(12) {
        let line = line.trim();
        if line.contains("SAFETY:") || line.contains("# Safety") {
            return true;
        }
        let comment = line.starts_with("//");
        if in_comment && !comment {
            return false;
        }
        in_comment |= comment;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn headers() {
        assert!(said(module_headers, "crates/store/src/a.rs", "use std::fmt;\n").contains("`//!`"));
        assert_eq!(said(module_headers, "crates/store/src/a.rs", "//! What it does.\n"), "");
    }

    #[test]
    fn placeholders() {
        let text = ["fn f() { to", "do!() }"].concat();
        assert!(said(unfinished, "crates/store/src/a.rs", &text).contains("[unfinished]"));
        let comment = ["// No to", "do!() here."].concat();
        assert_eq!(said(unfinished, "crates/store/src/a.rs", &comment), "");
    }

    #[test]
    fn unsafe_needs_its_place_and_its_reason() {
        let block = ["fn f() {\n    un", "safe { g() }\n}\n"].concat();
        let reasoned = block.replace("{\n", "{\n    // SAFETY: 1. `g` has no condition.\n");
        assert!(said(unsafe_code, "crates/search/src/a.rs", &reasoned).contains("only `store`"));
        assert!(said(unsafe_code, "crates/store/src/a.rs", &block).contains("SAFETY"));
        assert_eq!(said(unsafe_code, "crates/store/src/a.rs", &reasoned), "");
        assert_eq!(said(unsafe_code, "crates/gpu/src/driver.rs", &reasoned), "");
        let function = ["un", "safe fn f() {}\n"].concat();
        assert!(said(unsafe_code, "crates/store/src/a.rs", &function).contains("# Safety"));
        let told = format!("/// # Safety\n/// The table is whole.\n{function}");
        assert_eq!(said(unsafe_code, "crates/store/src/a.rs", &told), "");
        let of_trait = format!("impl A for B {{\n    {function}}}\n");
        assert_eq!(said(unsafe_code, "crates/store/src/a.rs", &of_trait), "");
        assert!(said(unsafe_code, "crates/gpu/src/search.rs", &reasoned).contains("the driver of `gpu`"));
        assert_eq!(said(unsafe_code, "crates/search/src/a.rs", "#![deny(unsafe_code)]\n"), "");
    }

    #[test]
    fn files_are_read_by_the_facade_only() {
        let text = ["use std::", "fs::read;\n"].concat();
        assert!(said(input_output, "crates/model/src/a.rs", &text).contains("[input-output]"));
        assert_eq!(said(input_output, "crates/ferrospin/src/a.rs", &text), "");
        assert_eq!(said(input_output, "crates/model/tests/a.rs", &text), "");
    }
}
