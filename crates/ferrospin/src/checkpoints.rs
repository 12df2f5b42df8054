//! Checkpoint files: a breadth-first search, level by level, so that it can go on after its process has died.
//!
//! A file is a head, which says what is being searched, and then a record for each level, only ever appended to. A record
//! carries its length and a hash of its bytes: what a dying process left half written does not fit its hash, and is cut
//! off when the search goes on. Any store and any number of workers can go on with it.

use crate::watch::Watch;
use ferrospin_model::ir::Model;
use ferrospin_search::checkpoint::LevelRecord;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_system::StateHash;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const MAGIC: &[u8; 24] = b"ferrospin checkpoint 3\0\0";
/// Data are forced to the disk this often; a process that is killed loses nothing either way, a power cut does.
const SYNC: Duration = Duration::from_secs(10);
/// No level is longer: whoever says so is not a record.
const RECORD_MAX_BYTES: u64 = 1 << 40;

/// What is being searched: must be the same when the search goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    version: String,
    /// Hash of the process graphs, layout included.
    model: u64,
    reduction: String,
    ignore_assert: bool,
    ignore_end_states: bool,
    require_empty_channels: bool,
}

impl Head {
    pub(crate) fn new(model: &Model, reduction: &str, options: &crate::verify::Options) -> Head {
        let text = ferrospin_model::text::print(model);
        Head {
            version: crate::VERSION.into(),
            model: StateHash::new(1).of(text.as_bytes()),
            reduction: reduction.into(),
            ignore_assert: options.ignore_assert,
            ignore_end_states: options.ignore_end_states,
            require_empty_channels: options.require_empty_channels,
        }
    }

    /// In which respect two heads differ.
    fn difference(&self, other: &Head) -> Option<&'static str> {
        let fields = [
            (self.version != other.version, "version of the program"),
            (self.model != other.model, "model (its text, macros, or statement merging)"),
            (self.reduction != other.reduction, "reduction"),
            (self.ignore_assert != other.ignore_assert, "`--ignore-assert`"),
            (self.ignore_end_states != other.ignore_end_states, "`--ignore-end-states`"),
            (self.require_empty_channels != other.require_empty_channels, "`--require-empty-channels`"),
        ];
        fields.into_iter().find_map(|(differs, what)| differs.then_some(what))
    }
}

/// A file that is being written.
pub(crate) struct Writer {
    file: File,
    next_depth: u64,
    synced: Instant,
    broken: Option<String>,
}

impl Writer {
    /// Begins a file.
    pub(crate) fn create(path: &Path, head: &Head) -> Result<Writer, String> {
        let make = || -> io::Result<File> {
            let mut file = File::create(path)?;
            let head = serde_json::to_vec(head).map_err(io::Error::other)?;
            file.write_all(MAGIC)?;
            file.write_all(&(head.len() as u32).to_le_bytes())?;
            file.write_all(&head)?;
            Ok(file)
        };
        let file = make().map_err(|why| format!("cannot write the checkpoint `{}`: {why}", path.display()))?;
        Ok(Writer { file, next_depth: 0, synced: Instant::now(), broken: None })
    }

    /// Goes on with a file behind its last whole record.
    pub(crate) fn append(path: &Path, reader: &Reader) -> Result<Writer, String> {
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().write(true).open(path)?;
            file.set_len(reader.whole_bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|why| format!("cannot write the checkpoint `{}`: {why}", path.display()))?;
        Ok(Writer { file, next_depth: reader.levels, synced: Instant::now(), broken: None })
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
    /// Levels read.
    levels: u64,
}

impl Reader {
    /// Opens a file that must be about `head`.
    pub(crate) fn open(path: &Path, head: &Head) -> Result<Reader, String> {
        let wrong = |why: &str| format!("cannot go on with the checkpoint `{}`: {why}", path.display());
        let file = File::open(path).map_err(|why| wrong(&why.to_string()))?;
        let mut input = BufReader::new(file);
        let mut start = [0; 28];
        input.read_exact(&mut start).map_err(|_| wrong("it is no checkpoint file"))?;
        if &start[..24] != MAGIC {
            return Err(wrong("it is no checkpoint file of this version"));
        }
        let len = u32::from_le_bytes(start[24..].try_into().expect("four bytes"));
        let mut text = Vec::new();
        input.by_ref().take(u64::from(len)).read_to_end(&mut text).map_err(|why| wrong(&why.to_string()))?;
        let kept: Head = serde_json::from_slice(&text).map_err(|_| wrong("its head cannot be read"))?;
        if let Some(what) = kept.difference(head) {
            return Err(wrong(&format!("it is about another {what}")));
        }
        Ok(Reader { input, whole_bytes: 28 + u64::from(len), levels: 0 })
    }

    fn read(&mut self) -> Option<LevelRecord> {
        let mut head = [0; 16];
        self.input.read_exact(&mut head).ok()?;
        let len = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
        let hash = u64::from_le_bytes(head[8..].try_into().expect("eight bytes"));
        if len > RECORD_MAX_BYTES {
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

/// Watches over a search that is kept in a file.
pub(crate) struct Keeping<'a> {
    pub(crate) watch: &'a Watch,
    pub(crate) writer: Option<Mutex<Writer>>,
}

impl Keeping<'_> {
    /// Why the file could not be written, if it could not.
    pub(crate) fn broken(&self) -> Option<String> {
        self.writer.as_ref()?.lock().ok()?.broken.clone()
    }
}

impl Observer for Keeping<'_> {
    fn go_on(&self, progress: &Progress) -> bool {
        self.watch.go_on(progress)
    }

    fn wants_levels(&self) -> bool {
        self.writer.is_some()
    }

    fn level(&self, record: &LevelRecord) -> bool {
        let Some(writer) = &self.writer else { return true };
        let mut writer = writer.lock().expect("one worker at a time ends a level");
        if record.depth < writer.next_depth || writer.broken.is_some() {
            return true;
        }
        writer.next_depth = record.depth + 1;
        if let Err(why) = writer.write(record) {
            // The search itself is fine; only its file is not.
            writer.broken = Some(format!("the checkpoint could not be written: {why}"));
        }
        true
    }
}
