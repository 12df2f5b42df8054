//! Security protocols as a language of files: `.proto` and `.spdl`, with the sessions that options ask for.

use crate::files;
use crate::front;
use crate::languages::{CannotOpen, Loaded, Opened};
use crate::report::Message;
use ferrospin_check::options::Options;
use ferrospin_check::{Refusal, Subject};
use ferrospin_protocol::options::Settings;
use ferrospin_protocol::protocol::Protocol;
use ferrospin_protocol::subject::{Places, System};
use ferrospin_protocol::world::World;
use ferrospin_source::{Diagnostics, SourceMap, render};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use ferrospin_protocol::promela::{Untranslatable, translate as promela};

/// The ends of the names of files with protocols: our own language, and Scyther's.
pub const EXTENSIONS: [&str; 2] = ["proto", "spdl"];

/// Whether a file is a protocol, by its name.
pub fn is_protocol(path: &Path) -> bool {
    path.extension().is_some_and(|e| EXTENSIONS.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// A file that was read.
pub struct ProtocolFile {
    name: String,
    paths: Vec<PathBuf>,
    map: SourceMap,
    said: Diagnostics,
    /// What it means; `None` where it has errors.
    pub protocol: Option<Protocol>,
    settings: Settings,
    /// The settings as they were typed.
    typed: Vec<String>,
}

/// Reads a file, or says in a sentence why it cannot be opened.
pub fn read_path(path: &Path, options: &front::Options) -> Result<ProtocolFile, String> {
    let (text, name) = files::read_model(path).map_err(|why| why.to_string())?;
    let mut file = read_text(name, text, &options.settings)?;
    if file.name != files::STDIN_NAME {
        file.paths.push(path.to_owned());
    }
    Ok(file)
}

/// Reads a protocol from memory, or says in a sentence which setting cannot be met.
pub fn read_text(name: String, text: Arc<str>, typed: &[front::Setting]) -> Result<ProtocolFile, String> {
    let mut map = SourceMap::new();
    let file = map.add_file(name.as_str(), text);
    let is_spdl = Path::new(name.as_str()).extension().is_some_and(|e| e.eq_ignore_ascii_case("spdl"));
    let read = if is_spdl { ferrospin_protocol::spdl::read } else { ferrospin_protocol::read };
    let (protocol, said) = read(&map, file);
    let mut settings = Settings::default();
    for setting in typed {
        settings.set(&setting.name, &setting.value).map_err(|why| why.to_string())?;
    }
    let typed = typed.iter().map(front::Setting::text).collect();
    Ok(ProtocolFile { name, paths: Vec::new(), map, said, protocol, settings, typed })
}

/// Opens a file as a language does.
pub(crate) fn open(path: &Path, options: &front::Options) -> Opened {
    Ok(Box::new(read_path(path, options).map_err(CannotOpen)?))
}

impl ProtocolFile {
    /// The protocol with its sessions.
    pub fn world(&self) -> Result<World, Refusal> {
        let refused = |why: &dyn std::fmt::Display| Refusal::Refused(why.to_string());
        let Some(protocol) = &self.protocol else { return Err(refused(&"the protocol has errors")) };
        let setup = self.settings.setup(protocol).map_err(|why| refused(&why))?;
        World::new(protocol.clone(), setup).map_err(|why| refused(&why))
    }
}

impl Loaded for ProtocolFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn messages(&self) -> Vec<Message> {
        Message::list(&self.map, &self.said)
    }

    fn text(&self, colored: bool) -> String {
        self.said.iter().map(|d| render::to_string(&self.map, d, colored) + "\n").collect()
    }

    fn has_errors(&self) -> bool {
        self.said.has_errors()
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.paths
    }

    fn subject(&self, _: Option<&Options>) -> Result<Box<dyn Subject + '_>, Refusal> {
        let world = self.world()?;
        let places = Places::of(&world.protocol, &self.map);
        Ok(Box::new(System::new(self.name.clone(), world, places, self.typed.clone())))
    }
}
