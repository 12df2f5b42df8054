//! Security protocols against the intruder of Dolev and Yao.
//!
//! - reading: [`mod@read`] reads the notation into a [`protocol`], [`spdl`] does Scyther's language, `project` cuts what each role must do out of it;
//! - running: a [`world`] is a protocol with its sessions, a [`state`] is where they stand, [`terms`] are messages, [`knowledge`] is what
//!   the intruder can make of them, [`matching`] how a message is received; [`machine`] is the system that searches run;
//! - telling: [`subject`] makes it one of `check`, [`checker`] judges an attack without the machine, [`mod@promela`] writes a model.

pub mod checker;
mod claims;
mod exchanges;
pub mod knowledge;
pub mod machine;
pub mod matching;
mod names;
pub mod options;
mod parse;
mod project;
pub mod promela;
pub mod protocol;
mod read;
mod reference;
pub mod spdl;
pub mod state;
pub mod subject;
mod syntax;
mod tell;
pub mod terms;
pub mod world;

pub use read::read;
