//! The front end as every subcommand uses it: read, infer types, lint, apply levels.
//!
//! Types and lints are looked for only in a model that can be read, because a broken tree makes them guess.

pub use ferrospin_embed::AllowC;
pub use ferrospin_promela::lints::{CODES, Level};
pub use ferrospin_promela::preprocess::{Define, Loader};
pub use ferrospin_promela::types::Options as TypeOptions;

use crate::files::{self, CannotRead, DiskLoader};
use crate::report::Message;
use ferrospin_promela::types::{self, Types};
use ferrospin_promela::{self as promela, Reading, containers, lints, preprocess};
use ferrospin_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span, render};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Messages that are shown as text. As data, all of them are given.
const SHOWN_MAX: usize = 100;

/// What steers the reading of a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D` and `-U`, in order.
    pub defines: Vec<Define>,
    /// `-I`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// `--include-root`: nothing outside of that folder is included.
    pub include_root: Option<PathBuf>,
    /// Lints that are silenced.
    pub allow: Vec<String>,
    /// Lints that become errors.
    pub deny: Vec<String>,
    /// `--lossy-channels`: a send to a full channel loses its message.
    pub lossy_channels: bool,
    /// `--allow-c`: who compiles embedded C, and when.
    pub allow_c: AllowC,
    /// How strict the rules of types are.
    pub types: TypeOptions,
    /// Options of other languages than Promela.
    pub settings: Vec<Setting>,
}

/// An option of a language, by its name on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its name, without dashes.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// As trails keep it.
    pub fn text(&self) -> String {
        format!("--{}={}", self.name, self.value)
    }

    /// Reads what [`Setting::text`] has written.
    pub fn read(text: &str) -> Option<Setting> {
        let (name, value) = text.strip_prefix("--")?.split_once('=')?;
        Some(Setting { name: name.into(), value: value.into() })
    }
}

/// A model that has been read, and all that is known about its text.
pub struct Front {
    /// The model, as messages name it.
    pub name: String,
    /// The `-D` and `-U` it was read with.
    pub defines: Vec<Define>,
    /// Whether a send to a full channel loses its message.
    pub lossy_channels: bool,
    /// What gave it its included files.
    pub loader: DiskLoader,
    /// All source text.
    pub map: SourceMap,
    /// The tree and what its names mean. Its diagnostics are in `diagnostics`, levels applied.
    pub reading: Reading,
    /// The embedded C, or why it cannot be run; nothing where there is none, or the model is unreadable.
    pub embedded: Result<Option<ferrospin_embed::Read>, Diagnostics>,
    /// What channels carry; `None` when the model is unreadable.
    pub types: Option<Types>,
    /// Errors and lints, in source order.
    pub diagnostics: Diagnostics,
    /// Whether the model has errors other than lints, denied or not: it must not be run.
    pub unreadable: bool,
    /// What statements are called, by their lines, where the text was translated from another language.
    pub statements: FxHashMap<u32, String>,
}

impl Front {
    /// Whether a check must not go on: the model is unreadable, or has a denied lint.
    pub fn stops_check(&self) -> bool {
        self.unreadable || self.diagnostics.has_errors()
    }

    /// What of the semantics was chosen, and what the embedded C means.
    pub fn semantics(&self) -> ferrospin_lower::Options<'_> {
        let embedded = self.embedded.as_ref().ok().and_then(|e| e.as_ref()).map(|e| &e.lowering);
        ferrospin_lower::Options { lossy_channels: self.lossy_channels, embedded }
    }

    /// Why the embedded C cannot be run, in a sentence; `None` where it can.
    pub fn embedded_refusal(&self) -> Option<String> {
        let said = self.embedded.as_ref().err()?;
        let first = said.iter().next()?;
        let place = self.map.position(self.map.primary(first.span));
        let place = place.map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
        let notes: String = first.notes.iter().map(|n| format!("; {n}")).collect();
        let more = match said.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        Some(format!("{place}{}{notes}{more}", first.message))
    }

    /// What must be known of the embedded C to read a verdict rightly, in sentences.
    pub fn embedded_notes(&self) -> &[String] {
        self.embedded.as_ref().ok().and_then(|e| e.as_ref()).map_or(&[], |e| &e.notes)
    }

    /// The text of the model's own file, as it was read.
    pub fn text_of_model(&self) -> &str {
        // It is the first that was read.
        self.map.text(FileId(0))
    }

    /// How many messages are of that severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity == severity).count()
    }

    /// The messages as data.
    pub fn messages(&self) -> Vec<Message> {
        Message::list(&self.map, &self.diagnostics)
    }

    /// The messages as text, with an empty line after each.
    pub fn text(&self, colored: bool) -> String {
        let mut text = String::new();
        for diagnostic in self.diagnostics.iter().take(SHOWN_MAX) {
            text += &render::to_string(&self.map, diagnostic, colored);
            text.push('\n');
        }
        match self.diagnostics.len().saturating_sub(SHOWN_MAX) {
            0 => {}
            1 => text += "and 1 more message\n\n",
            left_out => text += &format!("and {left_out} more messages\n\n"),
        }
        text
    }

    /// The model in plain Promela: without macros, includes, sets and queues.
    pub fn plain_text(&self) -> String {
        promela::print::program(&self.reading.program)
    }

    /// The inferred type of every channel, one line each.
    pub fn types_text(&self) -> String {
        self.types.as_ref().map_or(String::new(), Types::show)
    }

    /// One line that counts the messages.
    pub fn summary(&self) -> String {
        let count = |severity, word: &str| match self.count(severity) {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        };
        format!("{}: {}, {}\n", self.name, count(Severity::Error, "error"), count(Severity::Warning, "warning"))
    }
}

/// Reads the model at `path` (`-` for standard input).
pub fn read_path(path: &Path, options: &Options) -> Result<Front, CannotRead> {
    if crate::chi::is_chi(path) {
        return read_chi(path, options);
    }
    let mut loader = DiskLoader::default();
    if let Some(root) = &options.include_root {
        loader.confine(root)?;
    }
    let (text, name) = files::read_model(path)?;
    if name != files::STDIN_NAME {
        loader.note(path);
    }
    loader.show(path);
    let include_dirs = options.include_dirs.iter().map(|dir| loader.show(dir)).collect();
    let front = read(name, text, include_dirs, options, &mut loader);
    Ok(Front { loader, ..front })
}

/// Reads the model in chi at `path`, and translates it.
pub fn read_chi(path: &Path, options: &Options) -> Result<Front, CannotRead> {
    let front = crate::chi::front(crate::chi::read_path(path)?, options);
    let mut loader = DiskLoader::default();
    loader.note(path);
    Ok(Front { loader, ..front })
}

/// Reads a model from memory; whatever it includes comes from `loader`.
pub fn read_text(name: &str, text: impl Into<Arc<str>>, options: &Options, loader: &mut dyn Loader) -> Front {
    let include_dirs = options.include_dirs.iter().map(|dir| files::shown(dir)).collect();
    read(name.into(), text.into(), include_dirs, options, loader)
}

/// Without what is said of the style of text that stands for an operation of a container.
fn of_model(said: Diagnostics, replaced: &[Span]) -> Diagnostics {
    if replaced.is_empty() {
        return said;
    }
    let mut kept = Diagnostics::default();
    let is_of_text = |d: &Diagnostic| d.lint && containers::OF_REPLACED.contains(&d.code) && replaced.contains(&d.span);
    said.iter().filter(|d| !is_of_text(d)).for_each(|d| kept.push(d.clone()));
    kept
}

fn read(name: String, text: Arc<str>, include_dirs: Vec<String>, options: &Options, loader: &mut dyn Loader) -> Front {
    let mut map = SourceMap::new();
    let file = map.add_file(name.as_str(), text);
    let preprocessing = preprocess::Options { defines: options.defines.clone(), include_dirs };
    let mut reading = promela::read(&mut map, file, &preprocessing, loader);
    let mut diagnostics = std::mem::take(&mut reading.diagnostics);
    let mut inferred = None;
    let mut embedded = Ok(None);
    let unreadable = diagnostics.has_errors();
    if !unreadable {
        let (types, said) = types::infer(&map, &reading.program, &reading.names, &options.types);
        inferred = Some(types);
        diagnostics.extend(said);
        diagnostics.extend(lints::check(&map, &reading.program, &reading.names));
        diagnostics = of_model(diagnostics, &reading.replaced);
        embedded = ferrospin_embed::read(&map, &name, &reading, &preprocessing, loader, &options.allow_c);
    }
    let mut diagnostics = lints::apply_levels(&map, &diagnostics, &options.allow, &options.deny, &reading.pragmas);
    // This cannot be silenced.
    if let Ok(Some(read)) = &embedded
        && let Some(span) = read.compiled
    {
        let message = format!("{} (`--allow-c`)", read.notes.join("; "));
        diagnostics.push(Diagnostic::lint(Severity::Warning, "compiled-c", span, message));
    }
    diagnostics.sort(&map);
    let (defines, loader) = (options.defines.clone(), DiskLoader::default());
    Front {
        name,
        defines,
        lossy_channels: options.lossy_channels,
        loader,
        map,
        reading,
        embedded,
        types: inferred,
        diagnostics,
        unreadable,
        statements: FxHashMap::default(),
    }
}
