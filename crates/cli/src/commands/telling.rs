//! What `check` tells beside its verdicts: how much of a counterexample, what was executed, in which colours.

use clap::ValueEnum;
use ferrospin::check::coverage::{Coverage, EdgeCoverage};
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::report::{Report, Verdict};
use ferrospin::verify::{Beside, Steps};
use ferrospin_source::printable::printable_line;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `--advice`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Advice {
    /// What a small time allows
    Auto,
    /// All of it, however long that takes
    Full,
    /// Nothing
    None,
}

impl From<Advice> for Beside {
    fn from(advice: Advice) -> Beside {
        match advice {
            Advice::Auto => Beside::Small,
            Advice::Full => Beside::Full,
            Advice::None => Beside::Nothing,
        }
    }
}

/// `--steps`
pub(super) fn steps(text: &str) -> Result<Steps, String> {
    match text {
        "all" => Ok(Steps::All),
        "changes" => Ok(Steps::Changes),
        number => match number.parse() {
            Ok(n) if n > 0 => Ok(Steps::AtMost(n)),
            _ => Err("expected `all`, `changes` or a number of steps".into()),
        },
    }
}

/// `--coverage`: the form is told by the ending.
pub(super) fn coverage_file(text: &str) -> Result<PathBuf, String> {
    match Path::new(text).extension().and_then(|e| e.to_str()) {
        Some("lcov" | "info" | "html") => Ok(text.into()),
        _ => Err("expected a file that ends with `.lcov` or `.html`".into()),
    }
}

/// Writes what was executed.
pub(super) fn write_coverage(report: &Report, path: &Path, outputs: &Outputs<'_>) -> anyhow::Result<()> {
    let Some(coverage) = &report.coverage else {
        anyhow::bail!("`--coverage`: what was executed is counted by searches for safety, of models with statements");
    };
    let is_page = path.extension().is_some_and(|e| e == "html");
    let text = if is_page { page(&report.model, coverage) } else { lcov(coverage) };
    outputs.write(path, Kind::Coverage, &text).map_err(anyhow::Error::msg)
}

/// Files with their lines, and on each line the edges that begin there.
fn by_file(coverage: &Coverage) -> BTreeMap<&str, BTreeMap<u32, Vec<&EdgeCoverage>>> {
    let mut files: BTreeMap<&str, BTreeMap<u32, Vec<&EdgeCoverage>>> = BTreeMap::new();
    for e in &coverage.edges {
        if let Some(at) = &e.location {
            files.entry(&at.file).or_default().entry(at.line).or_default().push(e);
        }
    }
    files
}

/// The tracefile format of LCOV: lines, and each statement of a line as a branch. How often something was executed is not counted.
fn lcov(coverage: &Coverage) -> String {
    let mut out = String::from("TN:ferrospin\n");
    for (file, lines) in by_file(coverage) {
        out += &format!("SF:{}\n", printable_line(file));
        let (mut branches, mut hit) = (0, 0);
        for (line, edges) in &lines {
            for (number, e) in edges.iter().enumerate() {
                let taken = if e.executed { "1" } else { "0" };
                out += &format!("BRDA:{line},0,{number},{taken}\n");
                branches += 1;
                hit += u32::from(e.executed);
            }
        }
        out += &format!("BRF:{branches}\nBRH:{hit}\n");
        let is_hit = |edges: &Vec<&EdgeCoverage>| edges.iter().any(|e| e.executed);
        for (line, edges) in &lines {
            out += &format!("DA:{line},{}\n", u32::from(is_hit(edges)));
        }
        out += &format!("LF:{}\nLH:{}\n", lines.len(), lines.values().filter(|e| is_hit(e)).count());
        out += "end_of_record\n";
    }
    out
}

/// A page with the text of the files, where they can be read, and what was not executed marked.
fn page(model: &str, coverage: &Coverage) -> String {
    let escape =
        |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut out = format!(
        "<!DOCTYPE html>\n<!-- ferrospin: coverage -->\n<html><head><meta charset=\"utf-8\"><title>{name}</title>\n<style>\n\
         body {{ font-family: sans-serif }} table {{ border-collapse: collapse; font-family: monospace; white-space: pre }}\n\
         td {{ padding: 0 0.6em }} .no {{ background: #fecaca }} .part {{ background: #fef3c7 }} .yes {{ background: #dcfce7 }}\n\
         </style></head><body>\n<h1>{name}</h1>\n<p>{} of {} statements executed.{}</p>\n",
        coverage.executed,
        coverage.statements,
        coverage.open.as_ref().map_or(String::new(), |why| format!(" Not every run was looked at: {}.", escape(why))),
        name = escape(model),
    );
    for (file, lines) in by_file(coverage) {
        out += &format!("<h2>{}</h2>\n<table>\n", escape(file));
        let text = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let last = lines.keys().last().copied().unwrap_or(0).max(text.lines().count() as u32);
        let mut source = text.lines();
        for line in 1..=last {
            let said = source.next().unwrap_or_default();
            let edges = lines.get(&line).map(Vec::as_slice).unwrap_or_default();
            let class = match (edges.iter().any(|e| e.executed), edges.iter().all(|e| e.executed)) {
                _ if edges.is_empty() => "",
                (false, _) => "no",
                (_, false) => "part",
                _ => "yes",
            };
            let missed: Vec<&str> = edges.iter().filter(|e| !e.executed).map(|e| &*e.statement).collect();
            let title = if missed.is_empty() {
                String::new()
            } else {
                format!(" title=\"never: {}\"", escape(&missed.join("; ")))
            };
            out += &format!("<tr class=\"{class}\"{title}><td>{line}</td><td>{}</td></tr>\n", escape(said));
        }
        out += "</table>\n";
    }
    out + "</body></html>\n"
}

/// The text of a report with its verdicts in colours. Colours are added last, because what the model says must not be able to.
pub(super) fn colored(text: &str, report: &Report) -> String {
    let mut left = report.properties.iter();
    let mut next = left.next();
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let Some(property) = next.filter(|_| !line.starts_with("    ")) else {
            out += line;
            continue;
        };
        let (word, color) = match property.verdict {
            Verdict::Holds => ("  holds", "32"),
            Verdict::Violated => ("  violated", "1;31"),
            Verdict::Undecided => ("  undecided", "33"),
            Verdict::Error => ("  error", "1;31"),
        };
        match line.find(word) {
            Some(at) => {
                let (before, behind) = line.split_at(at);
                out += &format!("{before}  \u{1b}[{color}m{}\u{1b}[0m{}", word.trim_start(), &behind[word.len()..]);
                next = left.next();
            }
            None => out += line,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use ferrospin::report::{Location, PropertyKind, PropertyReport, Verification};

    fn sample() -> Coverage {
        let edge = |line, executed| EdgeCoverage {
            process: "P".into(),
            statement: format!("x < {line}"),
            location: Some(Location { file: "no such file".into(), line, column: 1 }),
            end: None,
            executed,
        };
        let edges = vec![edge(2, true), edge(2, false), edge(3, false)];
        Coverage { exact: true, open: None, statements: 3, executed: 1, never: Vec::new(), edges }
    }

    #[test]
    fn tracefile() {
        expect![[r#"
            TN:ferrospin
            SF:no such file
            BRDA:2,0,0,1
            BRDA:2,0,1,0
            BRDA:3,0,0,0
            BRF:3
            BRH:1
            DA:2,1
            DA:3,0
            LF:2
            LH:1
            end_of_record
        "#]]
        .assert_eq(&lcov(&sample()));
    }

    #[test]
    fn page_is_escaped() {
        let page = page("<m>", &sample());
        assert!(
            page.contains("<h1>&lt;m&gt;</h1>")
                && page.contains("<tr class=\"part\" title=\"never: x &lt; 2\"><td>2</td>")
        );
        assert!(page.contains("<tr class=\"no\" title=\"never: x &lt; 3\"><td>3</td>"));
    }

    #[test]
    fn colours_are_of_verdicts_only() {
        let property =
            |name: &str, verdict| PropertyReport { verdict, ..PropertyReport::undecided(name, PropertyKind::Ltl) };
        let properties = vec![property("  holds", Verdict::Violated), property("p", Verdict::Holds)];
        let report = Report::new("m", Verification { properties, ..Verification::default() }, Vec::new());
        let text = colored(&report.text(true), &report);
        expect!["ltl   holds  [1;31mviolated[0m\nltl p        [32mholds[0m\nof 2 properties 1 is violated, 1 holds\n"]
            .assert_eq(&text.replace('\u{1b}', ""));
    }
}
