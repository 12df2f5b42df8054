//! Certificates: what was claimed and what shows it, as `certify` reads it again.
//!
//! A certificate names the files that it is about and how they were read; it holds no copy of them. Who certifies explores them anew.

use anyhow::{Context, anyhow, bail};
use ferrospin::front::{self, Define};
use ferrospin::outputs::{Kind, Outputs};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u64 = 1;

/// What shows an answer about two systems.
#[derive(Clone, Debug)]
pub(super) enum Proof {
    /// The class of each state of both; equivalent states are of one class.
    Partition(Vec<u32>),
    /// A formula of the first system only, as lines.
    Formula(Vec<String>),
    /// A trace of one system only; of the first, if so.
    Trace { lines: Vec<String>, of_first: bool },
    /// Values of the variables for which first steps differ, and what is said of it.
    FirstStep { values: Vec<i32>, text: String },
    /// Nothing: the answer is found again from the definition.
    Again,
}

/// An answer about two systems.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The name of the notion.
    pub(super) relation: String,
    /// Both files.
    pub(super) files: Vec<PathBuf>,
    /// How Promela was read: `-DNAME=VALUE`, `-UNAME`, `-IDIR`.
    pub(super) macros: Vec<String>,
    /// What was looked at.
    pub(super) view: Value,
    /// Whether the relation holds.
    pub(super) holds: bool,
    /// What shows it.
    pub(super) proof: Proof,
}

/// An answer about parts that keep a property together.
#[derive(Clone, Debug)]
pub(super) struct Assumed {
    /// `asym` or `sym`.
    pub(super) rule: String,
    /// The parts.
    pub(super) parts: Vec<PathBuf>,
    /// The property.
    pub(super) property: PathBuf,
    /// What shows it: assumptions as texts in the AUT format, or a trace.
    pub(super) proof: Result<Vec<String>, Vec<String>>,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub(super) enum Certificate {
    Comparison(Claim),
    Assumption(Assumed),
}

/// How a model was read, as texts.
pub(super) fn macros(options: &front::Options) -> Vec<String> {
    let define = |d: &Define| match d {
        Define::Set(name, Some(value)) => format!("-D{name}={value}"),
        Define::Set(name, None) => format!("-D{name}"),
        Define::Unset(name) => format!("-U{name}"),
    };
    let dirs = options.include_dirs.iter().map(|d| format!("-I{}", d.display()));
    options.defines.iter().map(define).chain(dirs).collect()
}

/// What [`macros`] has kept.
pub(super) fn options(macros: &[String]) -> front::Options {
    let mut options = front::Options::default();
    for text in macros {
        if let Some(rest) = text.strip_prefix("-D") {
            let (name, value) = rest.split_once('=').map_or((rest, None), |(n, v)| (n, Some(v.to_owned())));
            options.defines.push(Define::Set(name.to_owned(), value));
        } else if let Some(name) = text.strip_prefix("-U") {
            options.defines.push(Define::Unset(name.to_owned()));
        } else if let Some(dir) = text.strip_prefix("-I") {
            options.include_dirs.push(dir.into());
        }
    }
    options
}

fn paths(list: &[PathBuf]) -> Vec<String> {
    list.iter().map(|p| p.display().to_string()).collect()
}

fn write(path: &Path, kind: &str, body: Value, outputs: &Outputs<'_>) -> anyhow::Result<()> {
    let mut whole = json!({ "certificate": VERSION, "ferrospin": ferrospin::VERSION, "kind": kind });
    if let (Some(whole), Value::Object(body)) = (whole.as_object_mut(), body) {
        whole.extend(body);
    }
    let text = serde_json::to_string_pretty(&whole)? + "\n";
    outputs.write(path, Kind::Certificate, &text).map_err(anyhow::Error::msg)
}

impl Claim {
    /// Writes the certificate.
    pub(super) fn write(&self, path: &Path, outputs: &Outputs<'_>) -> anyhow::Result<()> {
        let proof = match &self.proof {
            // One text keeps a million classes on one line.
            Proof::Partition(classes) => {
                let numbers: Vec<String> = classes.iter().map(u32::to_string).collect();
                json!({ "kind": "partition", "class_of": numbers.join(" ") })
            }
            Proof::Formula(lines) => json!({ "kind": "formula", "lines": lines }),
            Proof::Trace { lines, of_first } => json!({ "kind": "trace", "lines": lines, "of_first": of_first }),
            Proof::FirstStep { values, text } => json!({ "kind": "first-step", "values": values, "text": text }),
            Proof::Again => json!({ "kind": "again" }),
        };
        let body = json!({ "relation": self.relation, "files": paths(&self.files), "macros": self.macros, "view": self.view,
                           "holds": self.holds, "proof": proof });
        write(path, "comparison", body, outputs)
    }
}

impl Assumed {
    /// Writes the certificate.
    pub(super) fn write(&self, path: &Path, outputs: &Outputs<'_>) -> anyhow::Result<()> {
        let proof = match &self.proof {
            Ok(assumptions) => json!({ "kind": "assumptions", "texts": assumptions }),
            Err(trace) => json!({ "kind": "trace", "lines": trace }),
        };
        let body = json!({ "rule": self.rule, "parts": paths(&self.parts), "property": self.property.display().to_string(),
                           "proof": proof });
        write(path, "assumption", body, outputs)
    }
}

fn texts(value: &Value, name: &str) -> anyhow::Result<Vec<String>> {
    let list = value[name].as_array().with_context(|| format!("`{name}` is no list"))?;
    list.iter()
        .map(|t| t.as_str().map(str::to_owned).with_context(|| format!("`{name}` holds what is no text")))
        .collect()
}

fn text(value: &Value, name: &str) -> anyhow::Result<String> {
    value[name].as_str().map(str::to_owned).with_context(|| format!("`{name}` is no text"))
}

fn truth(value: &Value, name: &str) -> anyhow::Result<bool> {
    value[name].as_bool().with_context(|| format!("`{name}` is neither true nor false"))
}

/// Reads a certificate.
pub(super) fn read(source: &str) -> anyhow::Result<Certificate> {
    let whole: Value = serde_json::from_str(source).map_err(|e| anyhow!("no certificate: {e}"))?;
    match whole["certificate"].as_u64() {
        Some(VERSION) => {}
        Some(other) => bail!("a certificate of version {other}; this program reads version {VERSION}"),
        None => bail!("no certificate: there is no `certificate` with the version"),
    }
    let proof = &whole["proof"];
    let proof_kind = text(proof, "kind")?;
    match text(&whole, "kind")?.as_str() {
        "comparison" => {
            let proof = match proof_kind.as_str() {
                "partition" => {
                    let classes = text(proof, "class_of")?;
                    let number = |word: &str| word.parse().map_err(|_| anyhow!("`{word}` is no number of a class"));
                    Proof::Partition(classes.split_whitespace().map(number).collect::<anyhow::Result<_>>()?)
                }
                "formula" => Proof::Formula(texts(proof, "lines")?),
                "trace" => Proof::Trace { lines: texts(proof, "lines")?, of_first: truth(proof, "of_first")? },
                "first-step" => {
                    let list = proof["values"].as_array().context("`values` is no list")?;
                    let number =
                        |v: &Value| v.as_i64().and_then(|n| i32::try_from(n).ok()).context("a value is no number");
                    let values = list.iter().map(number).collect::<anyhow::Result<_>>()?;
                    Proof::FirstStep { values, text: text(proof, "text")? }
                }
                "again" => Proof::Again,
                other => bail!("`{other}` is no kind of proof of a comparison"),
            };
            let files: Vec<PathBuf> = texts(&whole, "files")?.into_iter().map(PathBuf::from).collect();
            if files.len() != 2 {
                bail!("a comparison is about two files, and here are {}", files.len());
            }
            Ok(Certificate::Comparison(Claim {
                relation: text(&whole, "relation")?,
                files,
                macros: texts(&whole, "macros")?,
                view: whole["view"].clone(),
                holds: truth(&whole, "holds")?,
                proof,
            }))
        }
        "assumption" => Ok(Certificate::Assumption(Assumed {
            rule: text(&whole, "rule")?,
            parts: texts(&whole, "parts")?.into_iter().map(PathBuf::from).collect(),
            property: text(&whole, "property")?.into(),
            proof: match proof_kind.as_str() {
                "assumptions" => Ok(texts(proof, "texts")?),
                "trace" => Err(texts(proof, "lines")?),
                other => bail!("`{other}` is no kind of proof of an assumption"),
            },
        })),
        other => bail!("`{other}` is no kind of certificate; there are `comparison` and `assumption`"),
    }
}
