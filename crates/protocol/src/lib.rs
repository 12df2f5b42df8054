//! Security protocols against the intruder of Dolev and Yao.

pub mod checker;
mod claims;
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
