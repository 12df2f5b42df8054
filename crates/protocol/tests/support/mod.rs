//! Protocols read and checked, for all tests.
#![allow(dead_code)]

use ferrospin_check::report::PropertyReport;
use ferrospin_check::storage::Nowhere;
use ferrospin_check::{Options, Refusal};
use ferrospin_protocol::options::Settings;
use ferrospin_protocol::protocol::Protocol;
use ferrospin_protocol::subject::{Places, System};
use ferrospin_protocol::world::World;
use ferrospin_source::{Diagnostics, SourceMap, render};
use std::path::{Path, PathBuf};

/// Where the library of protocols is.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/protocols")
}

/// Reads a protocol, in the language that the ending of its name tells.
pub(crate) fn read(name: &str, text: &str) -> (SourceMap, Option<Protocol>, Diagnostics) {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let (protocol, said) = ferrospin_protocol::read(&map, file);
    (map, protocol, said)
}

/// What is said about a text.
pub(crate) fn said(name: &str, text: &str) -> String {
    let (map, _, said) = read(name, text);
    said.iter().map(|d| render::to_string(&map, d, false) + "\n").collect()
}

/// Options as trails keep them, such as `--run=A=2,B=1 --secrecy=generic`.
pub(crate) fn settings(typed: &str) -> Settings {
    let mut settings = Settings::default();
    for setting in typed.split_whitespace() {
        let (name, value) = setting.strip_prefix("--").and_then(|s| s.split_once('=')).expect("a setting");
        settings.set(name, value).expect("a setting that can be read");
    }
    settings
}

/// A protocol with its sessions, or why it cannot be run.
pub(crate) fn world(name: &str, text: &str, typed: &str) -> Result<World, String> {
    let (_, protocol, _) = read(name, text);
    let protocol = protocol.unwrap_or_else(|| panic!("{}", said(name, text)));
    let setup = settings(typed).setup(&protocol).map_err(|why| why.to_string())?;
    World::new(protocol, setup).map_err(|why| why.to_string())
}

/// The answers about all claims.
pub(crate) fn check(name: &str, text: &str, typed: &str, options: &Options) -> Result<Vec<PropertyReport>, String> {
    let (map, ..) = read(name, text);
    let world = world(name, text, typed)?;
    let places = Places::of(&world.protocol, &map);
    let system = System::new(name.into(), world, places, Vec::new());
    let verification = ferrospin_check::check(&system, options, &Nowhere);
    verification.map(|v| v.properties).map_err(|why: Refusal| why.to_string())
}

/// A protocol of the library.
pub(crate) fn text_of(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("a protocol of the library")
}

/// Without merging equal sessions.
pub(crate) fn plain() -> Options {
    Options { partial_order: false, ..Options::default() }
}
