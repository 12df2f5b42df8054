//! Process graphs, the waist between languages and executors.
//!
//! [`ir`] is the data; [`lower`] makes it from a Promela tree. Whatever needs to know the program reads the graphs,
//! never the tree. [`text`] prints and parses them, [`verify`] lists their rules, [`passes`] make them smaller,
//! [`facts`] tell partial-order reduction what depends on what.

pub mod claim;
pub mod facts;
mod frames;
pub mod ir;
pub mod lower;
pub mod mutant;
pub mod passes;
pub mod text;
pub mod verify;
