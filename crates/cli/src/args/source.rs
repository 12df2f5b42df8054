//! Where the model of a subcommand comes from: a file, or the program itself.

use crate::args::protocols::ProtocolArgs;
use crate::args::shared::ModelArgs;
use ferrospin::front;
use ferrospin::languages::{self, Language, Loaded};
use std::path::PathBuf;

/// A model that can be checked, simulated and replayed.
pub(crate) trait Source: Sync {
    /// What it is called before it was read.
    fn name(&self) -> String;

    /// How it is to be read.
    fn reading(&self) -> front::Options;

    /// Reads it, or says in a sentence why that is impossible.
    fn open(&self, options: &front::Options) -> Result<Box<dyn Loaded + '_>, String>;

    /// Where its trail is, if no place is given.
    fn default_trail(&self) -> PathBuf {
        PathBuf::from(self.name() + ".trail.json")
    }
}

/// A file that names the model.
#[derive(clap::Args, Debug)]
pub(crate) struct FileArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// The language of the file [default: told by its ending]
    #[arg(long, value_name = "KIND", help_heading = "Input")]
    kind: Option<String>,

    #[command(flatten)]
    protocol: ProtocolArgs,
}

impl FileArgs {
    /// The file as a source, in one of these languages.
    pub(crate) fn source<'a>(&'a self, languages: &'a [Language]) -> FileSource<'a> {
        FileSource { args: self, languages }
    }
}

/// See [`FileArgs`].
pub(crate) struct FileSource<'a> {
    args: &'a FileArgs,
    languages: &'a [Language],
}

impl Source for FileSource<'_> {
    fn name(&self) -> String {
        self.args.model.path.display().to_string()
    }

    fn reading(&self) -> front::Options {
        front::Options { settings: self.args.protocol.settings(), ..self.args.model.options() }
    }

    fn open(&self, options: &front::Options) -> Result<Box<dyn Loaded + '_>, String> {
        let path = &self.args.model.path;
        let language = languages::of(self.languages, self.args.kind.as_deref(), path).map_err(|e| e.to_string())?;
        (language.open)(path, options).map_err(|e| e.to_string())
    }

    fn default_trail(&self) -> PathBuf {
        let path = &self.args.model.path;
        let mut path = if path.as_os_str() == "-" { "stdin".into() } else { path.as_os_str().to_owned() };
        path.push(".trail.json");
        path.into()
    }
}

/// No arguments: the model is part of the program.
#[derive(clap::Args, Debug)]
pub(crate) struct NoFile {}
