//! The check of a model that has been read: the one place where Promela meets the searches, and where files come in.
//!
//! What may be asked for is [`Options`]; which files are written is [`Files`].

use crate::checkpoints::FileStorage;
pub use crate::checkpoints::Files;
use crate::front::Front;
use crate::languages::Loaded;
use crate::memory;
use crate::outputs::{Kind, Outputs};
use crate::report::Verification;
use crate::run;
use crate::subject::Promela;
pub use ferrospin_check::options::*;
pub use ferrospin_check::watch::{Hear, Hooks, Meter};
pub use ferrospin_check::{BadFormula, Refusal, Subject};

/// Checks a model that has been read without errors, and writes no file.
pub fn verify(front: &Front, options: &Options) -> Result<Verification, Refusal> {
    verify_with(front, options, &Files::default())
}

/// The same with files.
pub fn verify_with(front: &Front, options: &Options, files: &Files) -> Result<Verification, Refusal> {
    assert!(!front.unreadable, "a model with errors must not be run");
    // Before a long search rather than behind it.
    let outputs = Outputs::of(front, files.overwrite);
    let storage = FileStorage::new(outputs, files)?;
    let runnable = run::prepare(front)?;
    let subject = Promela::asked(front, &runnable, options)?;
    let mut verified = ferrospin_check::check(&subject, &measured(options), &storage)?;
    for property in &mut verified.properties {
        property.notes.extend(front.embedded_notes().iter().cloned());
    }
    Ok(verified)
}

/// Checks a file that was read without errors.
pub fn verify_loaded(loaded: &dyn Loaded, options: &Options, files: &Files) -> Result<Verification, Refusal> {
    // Before a long search rather than behind it.
    let storage = FileStorage::new(Outputs::beside(loaded.inputs(), files.overwrite), files)?;
    let subject = loaded.subject(Some(options))?;
    ferrospin_check::check(&*subject, &measured(options), &storage)
}

/// Checks any subject; its text, if there is any, was read from `inputs`.
pub fn verify_subject(
    subject: &dyn Subject,
    options: &Options,
    inputs: &[std::path::PathBuf],
    files: &Files,
) -> Result<Verification, Refusal> {
    let storage = FileStorage::new(Outputs::beside(inputs, files.overwrite), files)?;
    ferrospin_check::check(subject, &measured(options), &storage)
}

/// The options with memory measured as the system tells it.
pub(crate) fn measured(options: &Options) -> Options {
    let mut options = options.clone();
    options.hooks.meter = memory::METER;
    options
}

impl FileStorage<'_> {
    /// Files that may be written as asked.
    fn new<'a>(outputs: Outputs<'a>, files: &'a Files) -> Result<FileStorage<'a>, Refusal> {
        for (path, kind) in [(&files.trail, Kind::Trail), (&files.checkpoint, Kind::Checkpoint)] {
            path.as_ref()
                .map_or(Ok(()), |path| outputs.check(path, kind))
                .map_err(|why| Refusal::Refused(why.to_string()))?;
            // The folder of a file that is to be made is looked at now, not behind a long search.
            let folder = path.as_ref().and_then(|path| path.parent()).filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                let (file, folder) =
                    (crate::files::shown(path.as_deref().unwrap_or(folder)), crate::files::shown(folder));
                return Err(Refusal::Refused(format!("cannot write `{file}`: there is no folder `{folder}`")));
            }
        }
        Ok(FileStorage { outputs, files })
    }
}
