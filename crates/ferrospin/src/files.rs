//! Reading models and what they include.
//!
//! Paths need not be UTF-8: the front end sees a displayed name, and [`DiskLoader`] remembers which path stands behind
//! it. Text need not be UTF-8 either: SPIN takes any byte in a comment or string, so foreign bytes become U+FFFD here,
//! and where they matter the lexer says so. A size limit keeps endless files from filling the memory.

use ferrospin_promela::preprocess::Loader;
use ferrospin_source::printable::printable_line;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The most bytes that one model with all its includes may have. A source map addresses four gigabytes; the front end
/// needs several times the size of the text, so that more is a mistake (such as a device) rather than a model.
pub const BYTES_MAX: u64 = 1 << 30;

/// The name under which `-` (standard input) appears in messages and reports.
pub const STDIN_NAME: &str = "<stdin>";

/// Why a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CannotRead {
    /// Standard input cannot.
    #[error("cannot read standard input: {0}")]
    StandardInput(NoText),
    /// The file with this name cannot.
    #[error("cannot read `{0}`: {1}")]
    File(String, NoText),
    /// The folder with this name, outside of which nothing is to be included, cannot be found.
    #[error("cannot confine includes to `{0}`: {1}")]
    Root(String, String),
}

/// Why something readable gives no text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoText {
    /// The system's reason.
    #[error("{0}")]
    System(String),
    /// It is longer than this.
    #[error("more than {0} bytes of source text")]
    TooLong(u64),
}

/// Reads the model at `path`, or standard input for `-`.
pub fn read_model(path: &Path) -> Result<(Arc<str>, String), CannotRead> {
    if path.as_os_str() == "-" {
        let text = read_text(io::stdin().lock(), BYTES_MAX).map_err(CannotRead::StandardInput)?;
        return Ok((text, STDIN_NAME.into()));
    }
    Ok((read_file(path, BYTES_MAX)?, shown(path)))
}

/// A path as messages and reports name it: on one line, whatever characters it has.
pub fn shown(path: &Path) -> String {
    printable_line(&path.display().to_string())
}

/// Reads a file of at most `limit` bytes.
fn read_file(path: &Path, limit: u64) -> Result<Arc<str>, CannotRead> {
    let opened = File::open(path).map_err(|e| NoText::System(why(&e)));
    opened.and_then(|file| read_text(file, limit)).map_err(|why| CannotRead::File(shown(path), why))
}

fn read_text(from: impl Read, limit: u64) -> Result<Arc<str>, NoText> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes).map_err(|e| NoText::System(why(&e)))?;
    if bytes.len() as u64 > limit {
        return Err(NoText::TooLong(limit));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into(),
    })
}

/// The system's sentence without the number it ends with, which tells users nothing.
pub fn why(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Gives included files from the disk: relative to the including file first, then to the `-I` directories in order.
#[derive(Clone, Debug, Default)]
pub struct DiskLoader {
    /// Displayed names whose path is not what the name spells.
    paths: FxHashMap<String, PathBuf>,
    /// The folder outside of which nothing is included, without links in its path.
    root: Option<PathBuf>,
    /// Files that were read.
    read: Vec<PathBuf>,
    bytes_read: u64,
}

impl DiskLoader {
    /// Confines includes to a folder.
    pub fn confine(&mut self, root: &Path) -> Result<(), CannotRead> {
        let real = root.canonicalize().map_err(|e| CannotRead::Root(shown(root), why(&e)))?;
        self.root = Some(real);
        Ok(())
    }

    /// Notes that a file was read without its help.
    pub(crate) fn note(&mut self, path: &Path) {
        self.read.push(path.to_owned());
    }

    /// The files that were read.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.read
    }

    /// Whether a file called `name`, as seen from a folder, may be included. A path is looked at before anything is asked
    /// about its file, so that the answer does not tell what there is outside; then links are followed.
    fn is_inside(&self, folder: &Path, name: &str) -> bool {
        let Some(root) = &self.root else { return true };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // A folder that is not there has no files.
        let Ok(mut spelled) = folder.canonicalize() else { return true };
        for part in Path::new(name).components() {
            match part {
                Component::ParentDir => _ = spelled.pop(),
                Component::CurDir => {}
                part => spelled.push(part),
            }
        }
        let is_below = |path: &Path| path.starts_with(root);
        is_below(&spelled) && folder.join(name).canonicalize().map_or(true, |real| is_below(&real))
    }

    /// Declares that `path` appears as the returned name.
    pub fn show(&mut self, path: &Path) -> String {
        let name = shown(path);
        if Path::new(&name) != path {
            self.paths.insert(name.clone(), path.to_owned());
        }
        name
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.paths.get(name).cloned().unwrap_or_else(|| PathBuf::from(name))
    }
}

impl Loader for DiskLoader {
    fn load(&mut self, includer: &str, name: &str, dirs: &[String]) -> Result<(Arc<str>, String), String> {
        // What comes from standard input includes relative to the current directory.
        let home = if includer == STDIN_NAME { PathBuf::new() } else { self.path_of(includer) };
        let beside = home.parent().unwrap_or(Path::new("")).to_owned();
        let folders: Vec<PathBuf> = std::iter::once(beside).chain(dirs.iter().map(|dir| self.path_of(dir))).collect();
        let (mut missing, mut outside) = (None, None);
        for folder in folders {
            let path = folder.join(name);
            if !self.is_inside(&folder, name) {
                outside.get_or_insert(path);
                continue;
            }
            if !path.exists() {
                missing.get_or_insert(path);
                continue;
            }
            // Who writes a model must not make its reader wait for a pipe.
            if !path.is_file() {
                return Err(format!("cannot read `{}`: it is not a file", shown(&path)));
            }
            let text = read_file(&path, BYTES_MAX.saturating_sub(self.bytes_read)).map_err(|why| why.to_string())?;
            self.bytes_read += text.len() as u64;
            self.note(&path);
            let shown = self.show(&path);
            return Ok((text, shown));
        }
        if let Some(path) = outside {
            let root = self.root.as_deref().map(shown).unwrap_or_default();
            return Err(format!(
                "cannot read `{}`: it is outside of `{root}`, to which includes are confined",
                shown(&path)
            ));
        }
        let first = missing.expect("the folder of the including file is always tried");
        Err(match dirs {
            [] => format!("cannot read `{}`: no such file", shown(&first)),
            dirs => format!("cannot read `{}`: no such file, nor in {}", shown(&first), dirs.join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_bytes_are_read() {
        let text = read_text(&b"/* caf\xe9 */ init { skip }"[..], 100).unwrap();
        assert_eq!(&*text, "/* caf\u{fffd} */ init { skip }");
    }

    #[test]
    fn endless_input_ends() {
        let said = read_text(io::repeat(b'('), 1000).unwrap_err();
        assert_eq!(said.to_string(), "more than 1000 bytes of source text");
    }

    #[test]
    fn a_missing_file_is_a_sentence() {
        let said = read_file(Path::new("no/such.pml"), 10).unwrap_err();
        assert_eq!(said.to_string(), "cannot read `no/such.pml`: No such file or directory");
    }

    #[test]
    fn includes_are_found_beside_the_includer_then_in_the_directories() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let tiny = models.join("tiny").display().to_string();
        let mut loader = DiskLoader::default();
        let beside = loader.load(&format!("{tiny}/pp_include.pml"), "pp_include.h", &[]).unwrap();
        let by_option = loader.load("-elsewhere-/m.pml", "pp_include.h", &[tiny]).unwrap();
        assert_eq!(beside, by_option);
        let said = loader.load("a/m.pml", "none.h", &["x".into(), "y".into()]).unwrap_err();
        assert_eq!(said, "cannot read `a/none.h`: no such file, nor in x, y");
    }
}
