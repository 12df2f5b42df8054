//! The macros that a text leaves defined, and further text in which they are used.

use super::define::Definition;
use super::state::Preprocessor;
use super::token::Interner;
use super::{Expanded, Loader, Options};
use ferrospin_source::{Diagnostics, FileId, SourceMap};
use std::sync::Arc;

/// The macros that are defined behind a text.
#[derive(Clone)]
pub struct Macros {
    names: Interner,
    definitions: Vec<Option<Definition>>,
}

impl Preprocessor<'_> {
    /// What is defined.
    pub(super) fn into_macros(self) -> Macros {
        Macros { names: self.names, definitions: self.macros }
    }
}

impl Macros {
    /// Expands the macros in a further text, which includes no files.
    pub fn expand(&self, map: &mut SourceMap, file: FileId) -> (Expanded, Diagnostics) {
        let (options, mut loader) = (Options::default(), NoFiles);
        let mut preprocessor = Preprocessor::new(map, &options, &mut loader, None);
        (preprocessor.names, preprocessor.macros) = (self.names.clone(), self.definitions.clone());
        let (expanded, diagnostics, _) = preprocessor.run_text(file);
        (expanded, diagnostics)
    }
}

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err("files are included in models only".into())
    }
}
