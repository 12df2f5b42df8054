//! Files that are written, and never over something else by mistake.
//!
//! A file that is there already is replaced only if it is empty, or if its first bytes show that it is an earlier one of
//! the same [`Kind`]; the model and what it includes are never replaced. Text is written to a new file beside and renamed, so
//! that there is either the old file or the whole new one, and never half of it. Links are not followed: whoever may put a
//! link into a folder must not choose what is overwritten. Pipes and devices are simply written to.

use crate::files::{shown, why};
use crate::front::Front;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A run, in our format.
    Trail,
    /// A run, in SPIN's format.
    SpinTrail,
    /// A chart or a process graph as SVG.
    Picture,
    /// A process graph in the language of Graphviz.
    Dot,
    /// A chart, a process graph or a layout as text.
    Text,
    /// A search that can be gone on with.
    Checkpoint,
    /// A labelled transition system in the AUT format.
    System,
    /// One in the language of Graphviz.
    SystemDot,
    /// How a net was composed, in the language of Graphviz.
    Plan,
    /// A formula or trace that tells two systems apart.
    Evidence,
    /// A model in Promela that was translated from another language.
    Translation,
    /// What `certify` reads.
    Certificate,
    /// What was executed.
    Coverage,
    /// What `test` has found.
    Results,
    /// A model to start from.
    Start,
}

/// How files with formulas and traces begin.
pub const EVIDENCE_HEAD: &str = "// what tells two systems apart: ";
/// How pictures of plans begin.
pub const PLAN_HEAD: &str = "digraph plan {\n";
/// How certificates begin.
pub const CERTIFICATE_HEAD: &str = "{\n  \"certificate\": ";

/// Bytes from which the kind of a file is told.
const HEAD_BYTES: u64 = 4096;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Trail => "trail",
            Kind::SpinTrail => "trail in SPIN's format",
            Kind::Picture => "picture",
            Kind::Dot => "graph",
            Kind::Text => "text",
            Kind::Checkpoint => "checkpoint",
            Kind::System | Kind::SystemDot => "transition system",
            Kind::Plan => "plan",
            Kind::Evidence => "formula or trace",
            Kind::Translation => "translation",
            Kind::Certificate => "certificate",
            Kind::Coverage => "list of what was executed",
            Kind::Results => "list of test results",
            Kind::Start => "model to start from",
        }
    }

    /// Whether a file that begins like this is one that was written here.
    fn is_ours(self, head: &[u8]) -> bool {
        let text = String::from_utf8_lossy(head);
        match self {
            Kind::Trail => text.starts_with("{\n  \"ferrospin\": \"") && text.contains("\"fingerprint\": \""),
            Kind::SpinTrail => {
                let is_line = |l: &str| l.split(':').count() == 3 && l.split(':').all(|n| n.parse::<i64>().is_ok());
                // The last line of the head may be cut.
                text.lines().next().is_some_and(is_line)
                    && text.rsplit_once('\n').is_some_and(|(whole, _)| whole.lines().all(is_line))
            }
            Kind::Picture => {
                text.starts_with("<svg ") && (text.contains(".d_step {") || text.contains("text.label { paint-order"))
            }
            Kind::Dot => text.starts_with("digraph model {\n  node [shape=box"),
            Kind::Text => is_our_text(&text),
            Kind::Checkpoint => head.starts_with(b"ferrospin checkpoint "),
            Kind::System => is_our_system(&text),
            Kind::SystemDot => text.starts_with("digraph lts {\n  node [shape=circle"),
            Kind::Plan => text.starts_with(PLAN_HEAD),
            Kind::Evidence => text.starts_with(EVIDENCE_HEAD),
            Kind::Translation => text.starts_with("/* Translated from "),
            Kind::Certificate => text.starts_with(CERTIFICATE_HEAD),
            Kind::Coverage => {
                text.starts_with("TN:ferrospin\n") || text.starts_with("<!DOCTYPE html>\n<!-- ferrospin: coverage -->")
            }
            Kind::Results => {
                text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ferrospin\"")
                    || text.starts_with("{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\"")
            }
            // Whoever has begun with it has changed it.
            Kind::Start => false,
        }
    }
}

/// Whether a text begins as ours do: a layout, a process graph, a model in text form, or the heads of a chart's lanes over
/// its first row.
fn is_our_text(text: &str) -> bool {
    let mut lines = text.lines();
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let is_title = ["proctype ", "init", "never", "trace", "notrace"].iter().any(|word| first.starts_with(word));
    let row = second.trim_start().split_once("  ").map_or("", |(number, _)| number);
    let is_row = !row.is_empty() && row.bytes().all(|b| b.is_ascii_digit());
    first == "offset  size  name: type"
        || is_title && !first.contains(['(', '{', ';']) && second.starts_with("  ")
        || first.starts_with("layout ")
        || first.starts_with("     ") && is_row
}

/// Whether a text begins as the AUT files that are written here: one blank behind each comma, every label in quotes.
fn is_our_system(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let inner = |line: &str, head: &str| line.strip_prefix(head).and_then(|l| l.strip_suffix(')')).map(str::to_owned);
    let mut lines = text.split_inclusive('\n').filter_map(|l| l.strip_suffix('\n'));
    let first = lines.next().and_then(|l| inner(l, "des ("));
    let is_edge = |line: &str| {
        let Some(inner) = inner(line, "(") else { return false };
        let (source, rest) = inner.split_once(", \"").unwrap_or_default();
        is_number(source) && rest.rsplit_once("\", ").is_some_and(|(_, target)| is_number(target))
    };
    first.is_some_and(|f| f.split(", ").count() == 3 && f.split(", ").all(is_number)) && lines.all(is_edge)
}

/// What may be written, and where.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<'a> {
    /// Files that were read.
    inputs: &'a [PathBuf],
    /// Files of others may be replaced, but for those that were read.
    overwrite: bool,
}

/// Why a file with this name is not written.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CannotWrite {
    /// What is there stays.
    #[error("`{0}` is not written: {1}")]
    Kept(String, Kept),
    /// The system's reason.
    #[error("cannot write `{0}`: {1}")]
    System(String, String),
}

/// Why what is in the place of a file stays there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Kept {
    #[error("the model was read from it")]
    Input,
    #[error("it is a link; name the file itself")]
    Link,
    #[error("it is a folder")]
    Folder,
    #[error("it is not a file")]
    NoFile,
    #[error("it is there already, and may only be read")]
    ReadOnly,
    /// It is not of this kind.
    #[error(
        "it is there already, and is no {0} that was written by Ferrospin; name another file, remove it, or use `--overwrite`"
    )]
    Foreign(&'static str),
}

/// What stands where something is to be written.
pub(crate) enum Target {
    /// Nothing.
    New,
    /// A file that may be replaced.
    Ours,
    /// A pipe or a device.
    Stream,
}

impl<'a> Outputs<'a> {
    /// What may be written beside a model that was read.
    pub fn of(front: &'a Front, overwrite: bool) -> Outputs<'a> {
        Outputs::beside(front.loader.files(), overwrite)
    }

    /// What may be written beside files that were read.
    pub fn beside(inputs: &'a [PathBuf], overwrite: bool) -> Outputs<'a> {
        Outputs { inputs, overwrite }
    }

    /// Why a file must not be written, if so.
    pub fn check(&self, path: &Path, kind: Kind) -> Result<(), CannotWrite> {
        self.target(path, kind).map(|_| ())
    }

    pub(crate) fn target(&self, path: &Path, kind: Kind) -> Result<Target, CannotWrite> {
        let refuse = |why| Err(CannotWrite::Kept(shown(path), why));
        let meta = match fs::symlink_metadata(path) {
            Ok(meta) => meta,
            // Whether it can be made is seen when it is.
            Err(_) => return Ok(Target::New),
        };
        let real = path.canonicalize().ok();
        if real.is_some() && self.inputs.iter().any(|input| input.canonicalize().ok() == real) {
            return refuse(Kept::Input);
        }
        let led_to = fs::metadata(path).ok();
        if led_to.as_ref().is_some_and(|meta| is_stream(meta.file_type())) {
            return Ok(Target::Stream);
        }
        if meta.is_symlink() {
            return refuse(Kept::Link);
        }
        if meta.is_dir() {
            return refuse(Kept::Folder);
        }
        if !meta.is_file() {
            return refuse(Kept::NoFile);
        }
        if meta.len() == 0 {
            return Ok(Target::Ours);
        }
        if meta.permissions().readonly() {
            return refuse(Kept::ReadOnly);
        }
        let mut head = Vec::new();
        let is_read = File::open(path).and_then(|f| f.take(HEAD_BYTES).read_to_end(&mut head)).is_ok();
        if self.overwrite || is_read && kind.is_ours(&head) {
            return Ok(Target::Ours);
        }
        refuse(Kept::Foreign(kind.name()))
    }

    /// Writes a file. What was there before stays as it is until all is written.
    pub fn write(&self, path: &Path, kind: Kind, text: &str) -> Result<(), CannotWrite> {
        let target = self.target(path, kind)?;
        let write = || match target {
            Target::Stream => OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes()),
            Target::New | Target::Ours => replace(path, text.as_bytes()),
        };
        write().map_err(|e| CannotWrite::System(shown(path), why(&e)))
    }
}

/// Whether writing to it replaces nothing.
fn is_stream(kind: FileType) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        kind.is_char_device() || kind.is_fifo() || kind.is_socket()
    }
    #[cfg(not(unix))]
    {
        !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
    }
}

/// Writes beside and renames.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (beside, mut file) = beside(path)?;
    let mut write = || {
        file.write_all(bytes)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        fs::rename(&beside, path)
    };
    let written = write();
    if written.is_err() {
        // There is nothing more to be done about it.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the same folder. Its name does not grow with the other one's, which may be as long as names can be.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut number = 0;
    loop {
        let beside = folder.join(format!(".ferrospin-{}-{number}.new", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_here_is_known_again() {
        let chart = "     A[0]\n  1  | q!1\n";
        let ours = [
            (Kind::Trail, "{\n  \"ferrospin\": \"0.1.0\",\n  \"fingerprint\": \"1\""),
            (Kind::SpinTrail, "-2:1:-2\n0:1:3\n1:0:"),
            (Kind::Picture, "<svg xmlns=\"\">\n<style>\n.d_step { fill: red }"),
            (Kind::Dot, "digraph model {\n  node [shape=box, style"),
            (Kind::Text, "offset  size  name: type\n     0"),
            (Kind::Text, "proctype P\n  0 line 3\n"),
            (Kind::Text, chart),
            (Kind::Checkpoint, "ferrospin checkpoint 3\0\0"),
            (Kind::System, "des (0, 2, 2)\n(0, \"a, b\", 1)\n(1, \"tau\", 0)\n(1, \"cut"),
            (Kind::SystemDot, "digraph lts {\n  node [shape=circle, fontname"),
            (Kind::Evidence, "// what tells two systems apart: a formula"),
            (Kind::Translation, "/* Translated from chi. */\nint x"),
            (Kind::Certificate, "{\n  \"certificate\": 1,"),
        ];
        for (kind, text) in ours {
            assert!(kind.is_ours(text.as_bytes()), "{kind:?} {text}");
            for (other, _) in ours.iter().filter(|(other, _)| *other != kind) {
                assert!(!other.is_ours(text.as_bytes()), "{other:?} {text}");
            }
        }
        for text in [
            "active proctype P() {\n  skip\n}\n",
            "proctype P() {\n  skip }",
            "init {\n  skip\n}",
            "1:2\n",
            "{}",
            "<svg>",
            "never {\n  do",
            "des (0,2,2)\n(0,\"a\",1)\n",
            "des (0, 2, 2)\n(0, a, 1)\n",
        ] {
            for (kind, _) in ours {
                assert!(!kind.is_ours(text.as_bytes()), "{kind:?} {text}");
            }
        }
    }
}
