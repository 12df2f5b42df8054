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

/// Protocols in Scyther's language.
pub(crate) const SCYTHER: [(&str, &str); 4] = [
    (
        "needham-schroeder",
        "protocol ns(I,R) {
  role I {
    fresh ni: Nonce; var nr: Nonce;
    send_1(I,R, {I,ni}pk(R)); recv_2(R,I, {ni,nr}pk(I)); claim(I,Running,R,ni,nr); send_3(I,R, {nr}pk(R));
    claim_i1(I,Secret,ni); claim_i2(I,Niagree); claim_i3(I,Nisynch); claim_i4(I,Alive); claim_i5(I,Weakagree);
  }
  role R {
    var ni: Nonce; fresh nr: Nonce;
    recv_1(I,R, {I,ni}pk(R)); send_2(R,I, {ni,nr}pk(I)); recv_3(I,R, {nr}pk(R));
    claim_r1(R,Secret,nr); claim_r2(R,Niagree); claim_r3(R,Nisynch); claim_r4(R,Weakagree); claim(R,Commit,I,ni,nr);
  }
}
",
    ),
    (
        "ticket",
        "usertype SessionKey;
hashfunction h;
macro m = h(n, I);
protocol ticket(I,R,S) {
  role I {
    fresh n: Nonce; var t: Ticket; var key: SessionKey;
    send_1(I,S, I,R,n); recv_2(S,I, {key, m, t}k(I,S)); send_3(I,R, t);
    claim_I1(I,Secret,key); claim_I2(I,Niagree);
  }
  role R {
    var key: SessionKey;
    recv_3(I,R, {key,I}k(R,S));
    claim_R1(R,Secret,key); claim_R2(R,Niagree); claim_R3(R,Nisynch); claim_R4(R,Alive);
  }
  role S {
    var n: Nonce; fresh key: SessionKey;
    recv_1(I,S, I,R,n); send_2(S,I, {key, m, {key,I}k(R,S)}k(I,S));
  }
}
",
    ),
    (
        "challenge",
        "protocol challenge(I,R) {
  role I {
    fresh n: Nonce; fresh text: Ticket; var other: Ticket;
    send_1(I,R, n,text); recv_2(R,I, {n,text,other}sk(R));
    claim(I,Alive); claim(I,Weakagree); claim(I,Nisynch);
  }
  role R {
    var n: Nonce; var text: Ticket; fresh other: Ticket;
    recv_1(I,R, n,text); send_2(R,I, {n,text,other}sk(R));
    claim(R,Niagree);
  }
}
",
    ),
    (
        "early",
        "protocol early(I,R) {
  role I { fresh n: Nonce; var m: Nonce; recv_1(R,I, m); send_!2(I,R, n); send_3(I,R, {m}sk(I)); claim_i(I,Nisynch); }
  role R { fresh m: Nonce; var n: Nonce; send_1(R,I, m); recv_!2(I,R, n); recv_3(I,R, {m}sk(I));
           claim_r1(R,Nisynch); claim_r2(R,Niagree); }
}
",
    ),
];

/// Where the library of protocols is.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/protocols")
}

/// Reads a protocol, in the language that the ending of its name tells.
pub(crate) fn read(name: &str, text: &str) -> (SourceMap, Option<Protocol>, Diagnostics) {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let read = if name.ends_with(".spdl") { ferrospin_protocol::spdl::read } else { ferrospin_protocol::read };
    let (protocol, said) = read(&map, file);
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
