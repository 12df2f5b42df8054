//! Checkpoint files: a breadth-first search, level by level, so that it can go on after its process has died.
//!
//! A file is a head, which says what is being searched, and then a record for each level, only ever appended to. A record
//! carries its length and a hash of its bytes: what a dying process left half written does not fit its hash, and is cut
//! off when the search goes on. Any store and any number of workers can go on with it.
//!
//! The hash finds accidents, not intentions: who changes a file can compute it anew. So every level that is read is checked by an
//! [`Audit`] before any of it reaches a store or an executor. An earlier checkpoint stays as it is until the one that
//! replaces it is whole; that one grows beside it, under the name with `.new` behind it.

use crate::files::{self, shown};
use crate::memory;
use crate::outputs::{CannotWrite, Kind, Outputs, Target};
use crate::trails;
use ferrospin_check::storage::{Head, LevelWriter, Opened, Storage, StorageError};
use ferrospin_search::checkpoint::{Audit, LevelRecord};
use ferrospin_system::{Machine, StateHash};
use ferrospin_trace::Trail;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

const MAGIC: &[u8; 24] = b"ferrospin checkpoint 3\0\0";
/// Data are forced to the disk this often; a process that is killed loses nothing either way, a power cut does.
const SYNC: Duration = Duration::from_secs(10);
/// No level is longer: what says so is not a record.
const RECORD_MAX_BYTES: u64 = 1 << 40;

/// A file that is being written.
pub(crate) struct Writer {
    file: File,
    next_depth: u64,
    synced: Instant,
    broken: Option<String>,
    /// An earlier checkpoint that is kept until this one is whole.
    replaces: Option<Replaces>,
}

/// What becomes of an earlier checkpoint.
struct Replaces {
    /// Where it is, and where the new one grows meanwhile.
    path: PathBuf,
    beside: PathBuf,
    /// What the new one is about: of two that are about the same, the one that has come further is kept.
    head: Head,
}

/// The name under which a checkpoint grows beside an earlier one.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Why a search cannot be kept in a file, or not be gone on with.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum CheckpointError {
    /// What is in the place of the file stays.
    #[error(transparent)]
    Kept(#[from] CannotWrite),
    /// A checkpoint that was to replace another one.
    #[error(
        "`{beside}` is there already: a search that was to replace `{path}` has not come to its end; \
         go on with it by `--resume '{beside}'`, or remove it"
    )]
    LeftOver { beside: String, path: String },
    /// The system's reason.
    #[error("cannot write the checkpoint `{0}`: {1}")]
    Write(String, String),
    /// What was read is no search to go on with.
    #[error("cannot go on with the checkpoint `{0}`: {1}")]
    Read(String, Unusable),
}

/// Why a file is no search to go on with.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum Unusable {
    #[error("it is no checkpoint file")]
    NoCheckpoint,
    #[error("it is no checkpoint file of this version")]
    OtherVersion,
    #[error("its head cannot be read")]
    Head,
    /// What its search is about is not what is searched now in this respect.
    #[error("it is about another {0}")]
    Other(&'static str),
    /// A level, and what is wrong with it.
    #[error("level {0} is damaged or forged: {1}")]
    Forged(u64, String),
    /// The system's reason.
    #[error("{0}")]
    System(String),
}

fn cannot_write(path: &Path, why: &io::Error) -> CheckpointError {
    CheckpointError::Write(shown(path), files::why(why))
}

impl Writer {
    /// Begins a file with these bytes: beside an earlier checkpoint, if there is one.
    fn begin(outputs: &Outputs<'_>, path: &Path, head: &Head, bytes: &[u8]) -> Result<Writer, CheckpointError> {
        let target = outputs.target(path, Kind::Checkpoint)?;
        let beside = beside(path);
        if beside.symlink_metadata().is_ok_and(|left| left.len() > 0) {
            let (beside, path) = (shown(&beside), shown(path));
            return Err(CheckpointError::LeftOver { beside, path });
        }
        let make = || -> io::Result<Writer> {
            // An empty one has nothing to be kept.
            let _ = std::fs::remove_file(&beside);
            let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
            file.write_all(bytes)?;
            let mut writer = Writer { file, next_depth: 0, synced: Instant::now(), broken: None, replaces: None };
            match target {
                Target::New => std::fs::rename(&beside, path)?,
                Target::Ours => {
                    let (path, beside, head) = (path.into(), beside.clone(), head.clone());
                    writer.replaces = Some(Replaces { path, beside, head });
                }
                Target::Stream => return Err(io::Error::other("it is not a file")),
            }
            Ok(writer)
        };
        make().map_err(|why| {
            let _ = std::fs::remove_file(&beside);
            cannot_write(path, &why)
        })
    }

    /// Begins a file.
    pub(crate) fn create(outputs: &Outputs<'_>, path: &Path, head: &Head) -> Result<Writer, CheckpointError> {
        let text = serde_json::to_vec(head).map_err(|why| cannot_write(path, &io::Error::other(why)))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&text);
        Writer::begin(outputs, path, head, &bytes)
    }

    /// Goes on with a file behind its last whole record.
    pub(crate) fn append(path: &Path, reader: &Reader) -> Result<Writer, CheckpointError> {
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().write(true).open(path)?;
            file.set_len(reader.whole_bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|why| cannot_write(path, &why))?;
        let next_depth = reader.levels;
        Ok(Writer { file, next_depth, synced: Instant::now(), broken: None, replaces: None })
    }

    /// Goes on in another file with what was read from one.
    pub(crate) fn copy(
        outputs: &Outputs<'_>,
        from: &Path,
        to: &Path,
        head: &Head,
        reader: &Reader,
    ) -> Result<Writer, CheckpointError> {
        let mut writer = Writer::begin(outputs, to, head, &[])?;
        let copied = File::open(from).and_then(|from| io::copy(&mut from.take(reader.whole_bytes), &mut writer.file));
        copied.map_err(|why| {
            writer.take_back();
            cannot_write(to, &why)
        })?;
        writer.next_depth = reader.levels;
        Ok(writer)
    }

    /// The search has ended, by itself or by a limit: replaces the earlier checkpoint, and says in a sentence what was not done.
    fn replace_earlier(&mut self) -> Option<String> {
        let broken = self.broken.clone();
        let Some(Replaces { path, beside, head }) = self.replaces.take() else { return broken };
        let (name, new) = (shown(&path), shown(&beside));
        if let Some(why) = broken {
            return Some(format!("{why}; `{name}` is as it was before, `{new}` has what could be written"));
        }
        let replace = || -> io::Result<bool> {
            self.file.sync_all()?;
            let before = Reader::open(&path, &head).map_or(0, |earlier| earlier.count() as u64);
            let goes_further = self.next_depth >= before;
            if goes_further {
                std::fs::rename(&beside, &path)?
            } else {
                std::fs::remove_file(&beside)?
            }
            Ok(goes_further)
        };
        match replace() {
            Ok(true) => None,
            Ok(false) => Some(format!("`{name}` was kept as it was: it goes further than this search has come")),
            Err(why) => Some(format!("{}; it is in `{new}`", cannot_write(&path, &why))),
        }
    }

    /// There was no search: what is beside an earlier checkpoint goes away again.
    fn take_back(&mut self) {
        if let Some(Replaces { beside, .. }) = self.replaces.take() {
            let _ = std::fs::remove_file(beside);
        }
    }

    fn write(&mut self, record: &LevelRecord) -> io::Result<()> {
        let bytes = record.encode();
        let mut head = Vec::with_capacity(16);
        head.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        head.extend_from_slice(&StateHash::new(2).of(&bytes).to_le_bytes());
        self.file.write_all(&head)?;
        self.file.write_all(&bytes)?;
        if self.synced.elapsed() > SYNC {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

/// A file that is read.
pub(crate) struct Reader {
    input: BufReader<File>,
    /// How far the file is whole, as far as it was read.
    whole_bytes: u64,
    /// Levels read, and to be read at most.
    levels: u64,
    levels_max: u64,
}

impl Reader {
    /// Opens a file that must be about `head`.
    pub(crate) fn open(path: &Path, head: &Head) -> Result<Reader, CheckpointError> {
        let wrong = |why| CheckpointError::Read(shown(path), why);
        let system = |why: io::Error| wrong(Unusable::System(files::why(&why)));
        // Opening a pipe would wait for a writer.
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Err(wrong(Unusable::NoCheckpoint));
        }
        let file = File::open(path).map_err(system)?;
        let mut input = BufReader::new(file);
        let mut start = [0; 28];
        input.read_exact(&mut start).map_err(|_| wrong(Unusable::NoCheckpoint))?;
        if &start[..24] != MAGIC {
            return Err(wrong(Unusable::OtherVersion));
        }
        let len = u32::from_le_bytes(start[24..].try_into().expect("four bytes"));
        let mut text = Vec::new();
        input.by_ref().take(u64::from(len)).read_to_end(&mut text).map_err(system)?;
        let kept: Head = serde_json::from_slice(&text).map_err(|_| wrong(Unusable::Head))?;
        if let Some(what) = kept.difference(head) {
            return Err(wrong(Unusable::Other(what)));
        }
        Ok(Reader { input, whole_bytes: 28 + u64::from(len), levels: 0, levels_max: u64::MAX })
    }

    /// Reads no more than this many levels.
    pub(crate) fn up_to(self, levels_max: u64) -> Reader {
        Reader { levels_max, ..self }
    }

    /// Reads all levels and checks them; false when that was stopped before.
    pub(crate) fn audit(
        &mut self,
        path: &Path,
        machine: &mut dyn Machine,
        edges: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, CheckpointError> {
        let mut audit = Audit::new(edges);
        while let Some(record) = self.read() {
            match audit.check(machine, &record, go_on) {
                Ok(true) => {}
                Ok(false) => {
                    self.levels -= 1;
                    return Ok(false);
                }
                Err(why) => {
                    let why = Unusable::Forged(record.depth, why.to_string());
                    return Err(CheckpointError::Read(shown(path), why));
                }
            }
        }
        Ok(true)
    }

    /// How many levels were read.
    pub(crate) fn levels(&self) -> u64 {
        self.levels
    }

    fn read(&mut self) -> Option<LevelRecord> {
        if self.levels >= self.levels_max {
            return None;
        }
        let mut head = [0; 16];
        self.input.read_exact(&mut head).ok()?;
        let len = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
        let hash = u64::from_le_bytes(head[8..].try_into().expect("eight bytes"));
        // A file may be longer than what it takes on the disk.
        if len > RECORD_MAX_BYTES.min(memory::available_bytes().unwrap_or(u64::MAX)) {
            return None;
        }
        let mut bytes = Vec::new();
        self.input.by_ref().take(len).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 != len || StateHash::new(2).of(&bytes) != hash {
            return None;
        }
        let record = LevelRecord::decode(&bytes).filter(|r| r.depth == self.levels)?;
        self.whole_bytes += 16 + len;
        self.levels += 1;
        Some(record)
    }
}

impl Iterator for Reader {
    type Item = LevelRecord;

    fn next(&mut self) -> Option<LevelRecord> {
        self.read()
    }
}

impl LevelWriter for Writer {
    fn level(&mut self, record: &LevelRecord) {
        if record.depth < self.next_depth || self.broken.is_some() {
            return;
        }
        self.next_depth = record.depth + 1;
        if let Err(why) = self.write(record) {
            // The search itself is fine; only its file is not.
            self.broken = Some(format!("the checkpoint could not be written: {why}"));
        }
    }

    fn finish(&mut self) -> Option<String> {
        self.replace_earlier()
    }

    fn discard(&mut self) {
        self.take_back();
    }
}

/// Which files a check writes, and which it goes on with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Files {
    /// Where a counterexample goes; `None` for nowhere.
    pub trail: Option<PathBuf>,
    /// Files that others have written may be replaced by what is written.
    pub overwrite: bool,
    /// Where a breadth-first search for safety is kept, level by level.
    pub checkpoint: Option<PathBuf>,
    /// Where the search to go on with was kept.
    pub resume: Option<PathBuf>,
}

/// Keeps searches and counterexamples in files.
pub(crate) struct FileStorage<'a> {
    pub(crate) outputs: Outputs<'a>,
    pub(crate) files: &'a Files,
}

impl Storage for FileStorage<'_> {
    fn keeps_search(&self) -> bool {
        self.files.checkpoint.is_some() || self.files.resume.is_some()
    }

    fn open(
        &self,
        head: &Head,
        machine: &mut dyn Machine,
        edges: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Opened, StorageError> {
        self.open_files(head, machine, edges, go_on).map_err(|why| StorageError(why.to_string()))
    }

    fn put_trail(&self, trail: &Trail, property: &str, first: bool) -> Option<Result<String, StorageError>> {
        let path = self.files.trail.as_ref()?;
        let path = if first { path.clone() } else { with_property(path, property) };
        let saved = trails::save(&self.outputs, trail, &path).map(|()| path.display().to_string());
        Some(saved.map_err(|why| StorageError(why.to_string())))
    }
}

impl FileStorage<'_> {
    fn open_files(
        &self,
        head: &Head,
        machine: &mut dyn Machine,
        edges: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Opened, CheckpointError> {
        let opened = |reader: Option<Reader>, writer: Option<Writer>| Opened {
            levels: reader.map(|r| Box::new(r) as Box<dyn Iterator<Item = LevelRecord>>),
            writer: writer.map(|w| Box::new(w) as Box<dyn LevelWriter>),
        };
        let Some(from) = &self.files.resume else {
            let Some(to) = &self.files.checkpoint else { return Ok(Opened::default()) };
            return Ok(opened(None, Some(Writer::create(&self.outputs, to, head)?)));
        };
        let mut whole = Reader::open(from, head)?;
        let is_whole = whole.audit(from, machine, edges, go_on)?;
        let reader = Reader::open(from, head)?.up_to(whole.levels());
        if !is_whole {
            // It is time to stop: what was read so far is reported, and the file stays as it is.
            return Ok(opened(Some(reader), None));
        }
        // The file that is gone on with goes on growing, unless another one was asked for.
        let is_other = |to: &&PathBuf| to.canonicalize().ok() != from.canonicalize().ok();
        let writer = match self.files.checkpoint.as_ref().filter(is_other) {
            Some(to) => Writer::copy(&self.outputs, from, to, head, &whole)?,
            None => Writer::append(from, &whole)?,
        };
        Ok(opened(Some(reader), Some(writer)))
    }
}

/// `m.pml.trail.json` with the name of a property in it: `m.pml.live.trail.json`.
fn with_property(path: &Path, property: &str) -> PathBuf {
    let text = path.display().to_string();
    let stem = text.strip_suffix(".trail.json").or(text.strip_suffix(".json")).unwrap_or(&text);
    let safe: String = property.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    PathBuf::from(format!("{stem}.{safe}.trail.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_trails_carry_the_name_of_their_property() {
        let name = |path: &str| with_property(Path::new(path), "[] p").display().to_string();
        assert_eq!(name("m.pml.trail.json"), "m.pml.___p.trail.json");
        assert_eq!(name("x.json"), "x.___p.trail.json");
    }
}
