//! `ferrospin explain`: what a code of a message means, and how to mend it.

use super::ExitStatus;
use crate::output;
use ferrospin::front::{CODES, Level};
use ferrospin_source::suggest::did_you_mean;

/// Explain the code of a message, such as `undeclared`
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin explain chan-arity        the code stands in brackets: error[chan-arity]
  ferrospin explain --list            all codes

Exit codes:
  0  the code was explained
  2  there is no such code")]
pub(crate) struct Args {
    /// The code
    #[arg(value_name = "CODE", required_unless_present = "list")]
    code: Option<String>,

    /// List all codes
    #[arg(long)]
    list: bool,
}

/// Errors, one a line: code, colon, text.
const ERRORS: &str = include_str!("explain.txt");

/// Codes of errors with their texts.
fn errors() -> impl Iterator<Item = (&'static str, &'static str)> {
    ERRORS.lines().filter_map(|line| line.split_once(": "))
}

/// Explains a code.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let mut codes: Vec<&str> = errors().map(|(code, _)| code).chain(CODES.iter().map(|info| info.code)).collect();
    codes.sort_unstable();
    codes.dedup();
    let Some(code) = &args.code else {
        output::print(&(codes.join("\n") + "\n"))?;
        return Ok(0);
    };
    let asked = code.trim_start_matches("error[").trim_start_matches("warning[").trim_end_matches(']');
    match text(asked) {
        Some(text) => output::print(&text)?,
        None => {
            let hint = did_you_mean(asked, codes).unwrap_or_else(|| "`ferrospin explain --list` lists them".into());
            anyhow::bail!("there is no message with the code `{asked}`; {hint}");
        }
    }
    Ok(0)
}

/// What is said of a code, as an error, as a lint, or as both.
fn text(code: &str) -> Option<String> {
    let mut out = String::new();
    if let Some((_, text)) = errors().find(|(known, _)| *known == code) {
        out +=
            &format!("{code}: an error; the model cannot be read, or the question not be asked\n\n{}\n", wrapped(text));
    }
    if let Some(info) = CODES.iter().find(|info| info.code == code) {
        let level = match info.level {
            Level::Error => "a lint of error level: it is shown, and the model can still be run",
            Level::Warning => "a warning",
            Level::Off => "a lint that is off by default",
        };
        let gap = if out.is_empty() { "" } else { "\n" };
        let about = format!("It finds {}.", info.description);
        out += &format!("{gap}{code}: {level}\n\n{}\n\n", wrapped(&about));
        out += &format!(
            "    --allow {code}                      silences it\n    --deny {code}                       makes it an error that stops `check`\n    /* ferrospin: allow({code}) */      the same in the model, for its line or, on a line of its own, for the whole model\n"
        );
    }
    (!out.is_empty()).then_some(out)
}

/// Lines of 100 characters at most.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + length >= 100 {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out += word;
        width += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Codes of errors in the sources of the front ends.
    fn codes_in(folder: &Path, out: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                codes_in(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for part in code.split("Diagnostic::error(").skip(1) {
                    if let Some(rest) = part.trim_start().strip_prefix('"') {
                        out.extend(rest.split('"').next().map(str::to_owned));
                    }
                }
            }
        }
    }

    #[test]
    fn every_code_is_explained() {
        let mut codes = BTreeSet::new();
        for package in ["cpp", "promela", "lower", "ltl", "check", "ferrospin", "chi", "embed", "components", "c"] {
            codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(package).join("src"), &mut codes);
        }
        assert!(codes.len() > 90, "{codes:?}");
        let missing: Vec<&String> = codes.iter().filter(|code| text(code).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(CODES.iter().all(|info| text(info.code).is_some()));
    }

    #[test]
    fn texts_are_wrapped() {
        assert!(errors().all(|(_, text)| wrapped(text).lines().all(|line| line.chars().count() <= 110)));
        assert_eq!(wrapped("a b"), "a b");
    }
}
