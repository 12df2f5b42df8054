//! Kinds of files: what a file that can be checked, simulated and replayed is written in.
//!
//! A language is a row: its name, the endings of its files, and a function that reads one. Everything behind that goes by
//! [`Subject`], so that a further language is added in [`LANGUAGES`] and nowhere else.

use crate::front::{self, Front};
use crate::protocols;
use crate::report::Message;
use crate::run::{self, CannotRun, Runnable};
use crate::subject::Promela;
use ferrospin_check::options::Options;
use ferrospin_check::{Refusal, Subject};
use ferrospin_source::suggest::did_you_mean;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use thiserror::Error;

/// A language of files.
#[derive(Clone, Copy)]
pub struct Language {
    /// Its name, for `--kind`.
    pub name: &'static str,
    /// The endings of its files, without dots.
    pub endings: &'static [&'static str],
    /// Reads a file. Mistakes in it are messages.
    pub open: fn(&Path, &front::Options) -> Opened,
}

/// A file that was read, or why it cannot be opened.
pub type Opened = Result<Box<dyn Loaded>, CannotOpen>;

/// Why a file cannot be opened, in a sentence that names it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct CannotOpen(pub String);

/// A file that was read.
pub trait Loaded {
    /// The model, as messages name it.
    fn name(&self) -> &str;

    /// What was said of its text, as data.
    fn messages(&self) -> Vec<Message> {
        Vec::new()
    }

    /// The same as text, with an empty line after each message.
    fn text(&self, colored: bool) -> String {
        let _ = colored;
        String::new()
    }

    /// Whether mistakes keep it from being run.
    fn has_errors(&self) -> bool {
        false
    }

    /// The files it was read from.
    fn inputs(&self) -> &[PathBuf];

    /// The subject; `options` are those of a check, where it is to be checked.
    fn subject(&self, options: Option<&Options>) -> Result<Box<dyn Subject + '_>, Refusal>;
}

/// All languages; files with other endings are of the first one.
pub const LANGUAGES: &[Language] = &[
    Language { name: "promela", endings: &["pml"], open: open_promela },
    Language { name: "chi", endings: &["chi"], open: open_chi },
    Language { name: "protocol", endings: &["proto", "spdl"], open: protocols::open },
];

/// There is no language of that name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no kind of files `{name}`{hint}; known are {known}")]
pub struct UnknownKind {
    name: String,
    hint: String,
    known: String,
}

/// The language of a file: the one that was asked for, or the one that its ending tells.
pub fn of<'l>(languages: &'l [Language], asked: Option<&str>, path: &Path) -> Result<&'l Language, UnknownKind> {
    if let Some(name) = asked {
        let names = || languages.iter().map(|l| l.name);
        return languages.iter().find(|l| l.name == name).ok_or_else(|| UnknownKind {
            name: name.into(),
            hint: did_you_mean(name, names()).map_or(String::new(), |hint| format!(", {hint}")),
            known: names().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "),
        });
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let found = languages.iter().find(|l| l.endings.contains(&ending.as_str()));
    Ok(found.or(languages.first()).expect("there is a language"))
}

struct PromelaFile {
    front: Front,
    runnable: OnceLock<Result<Runnable, CannotRun>>,
}

/// Settings are for languages that have sessions.
fn refuse_settings(options: &front::Options) -> Result<(), CannotOpen> {
    let refuse = |s: &front::Setting| CannotOpen(format!("`--{}` is an option of security protocols", s.name));
    options.settings.first().map_or(Ok(()), |setting| Err(refuse(setting)))
}

fn open_promela(path: &Path, options: &front::Options) -> Opened {
    refuse_settings(options)?;
    let front = front::read_path(path, options).map_err(|why| CannotOpen(why.to_string()))?;
    Ok(Box::new(PromelaFile { front, runnable: OnceLock::new() }))
}

/// A model in chi is translated to Promela.
fn open_chi(path: &Path, options: &front::Options) -> Opened {
    refuse_settings(options)?;
    let front = front::read_chi(path, options).map_err(|why| CannotOpen(why.to_string()))?;
    Ok(Box::new(PromelaFile { front, runnable: OnceLock::new() }))
}

impl Loaded for PromelaFile {
    fn name(&self) -> &str {
        &self.front.name
    }

    fn messages(&self) -> Vec<Message> {
        self.front.messages()
    }

    fn text(&self, colored: bool) -> String {
        self.front.text(colored)
    }

    fn has_errors(&self) -> bool {
        self.front.stops_check()
    }

    fn inputs(&self) -> &[PathBuf] {
        self.front.loader.files()
    }

    fn subject(&self, options: Option<&Options>) -> Result<Box<dyn Subject + '_>, Refusal> {
        let runnable = self.runnable.get_or_init(|| run::prepare(&self.front));
        let runnable = runnable.as_ref().map_err(|why| Refusal::from(why.clone()))?;
        Ok(Box::new(Promela::checked(&self.front, runnable, options)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_the_language() {
        let name = |asked, path: &str| of(LANGUAGES, asked, Path::new(path)).map(|l| l.name);
        assert_eq!(name(None, "m.pml"), Ok("promela"));
        assert_eq!(name(None, "m.PML"), Ok("promela"));
        assert_eq!(name(None, "-"), Ok("promela"), "the first language takes what no ending claims");
        assert_eq!(name(Some("promela"), "m.txt"), Ok("promela"));
        let said = name(Some("promla"), "m.pml").unwrap_err().to_string();
        assert_eq!(
            said,
            "there is no kind of files `promla`, did you mean `promela`?; known are `promela`, `chi`, `protocol`"
        );
    }
}
