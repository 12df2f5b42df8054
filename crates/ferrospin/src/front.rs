//! The front end as every subcommand uses it: read, infer types, lint, apply levels.
//!
//! Types and lints are looked for only in a model that can be read, because a broken tree makes them guess.

use crate::files::{self, DiskLoader};
use crate::levels::{Judged, Level, Levels};
use crate::report::{Location, Message};
use ferrospin_promela::preprocess;
pub use ferrospin_promela::preprocess::{Define, Loader};
use ferrospin_promela::{self as promela, Reading};
use ferrospin_source::{Diagnostics, Severity, SourceMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What steers the reading of a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D` and `-U`, in order.
    pub defines: Vec<Define>,
    /// `-I`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// `--allow` and `--deny`, in order.
    pub levels: Vec<(String, Level)>,
}

/// A model that has been read, and all that is known about its text.
pub struct Front {
    /// The model, as messages name it.
    pub name: String,
    /// All source text.
    pub map: SourceMap,
    /// The tree and what its names mean.
    pub reading: Reading,
    /// Errors and lints, in source order, levels applied.
    pub judged: Judged,
}

impl Front {
    /// The messages as data.
    pub fn messages(&self) -> Vec<Message> {
        let message = |d: &ferrospin_source::Diagnostic| Message {
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: d.code,
            message: d.message.clone(),
            location: self.map.position(d.span).map(|p| Location {
                file: p.file.to_string(),
                line: p.line,
                column: p.column,
            }),
        };
        self.judged.diagnostics.iter().map(message).collect()
    }

    /// The messages as text.
    pub fn text(&self, _colored: bool) -> String {
        let mut text = String::new();
        for m in self.messages() {
            if let Some(location) = &m.location {
                text += &format!("{location}: ");
            }
            text += &format!("{}[{}]: {}\n", m.severity, m.code, m.message);
        }
        text
    }

    /// The inferred types as text, one line each.
    pub fn types_text(&self) -> String {
        String::new()
    }

    /// One line that counts the messages.
    pub fn summary(&self) -> String {
        let Judged { errors, warnings, .. } = self.judged;
        let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        format!("{}: {}, {}\n", self.name, count(errors, "error"), count(warnings, "warning"))
    }
}

/// Reads the model at `path` (`-` for standard input), or says in a sentence why it cannot be opened.
pub fn read_path(path: &Path, options: &Options) -> Result<Front, String> {
    let mut loader = DiskLoader::default();
    let (text, name) = files::read_model(path)?;
    loader.show(path);
    let include_dirs = options.include_dirs.iter().map(|dir| loader.show(dir)).collect();
    Ok(read_text_with(name, text, include_dirs, options, &mut loader))
}

/// Reads a model from memory; whatever it includes comes from `loader`.
pub fn read_text(name: &str, text: impl Into<Arc<str>>, options: &Options, loader: &mut dyn Loader) -> Front {
    let include_dirs = options.include_dirs.iter().map(|dir| dir.display().to_string()).collect();
    read_text_with(name.into(), text.into(), include_dirs, options, loader)
}

fn read_text_with(
    name: String,
    text: Arc<str>,
    include_dirs: Vec<String>,
    options: &Options,
    loader: &mut dyn Loader,
) -> Front {
    let mut map = SourceMap::new();
    let file = map.add_file(name.as_str(), text);
    let preprocessing = preprocess::Options { defines: options.defines.clone(), include_dirs };
    let mut reading = promela::read(&mut map, file, &preprocessing, loader);
    let mut diagnostics = std::mem::take(&mut reading.diagnostics);
    if !diagnostics.has_errors() {
        diagnostics.extend(lint(&map, &reading));
        diagnostics.sort(&map);
    }
    let judged = Levels::new(&reading.pragmas, &options.levels).apply(diagnostics);
    Front { name, map, reading, judged }
}

/// Infers types and looks for what users would rather know.
fn lint(_map: &SourceMap, _reading: &Reading) -> Diagnostics {
    Diagnostics::default()
}
