//! Process graphs, the waist between languages and executors.
//!
//! [`ir`] is the data, which a front end makes (for Promela, the package `ferrospin-lower`). Whatever needs to know the program reads the graphs,
//! never the tree. [`text`] prints and parses them, [`verify`] lists their rules, [`passes`] make them smaller,
//! [`facts`] tell partial-order reduction what depends on what.

pub mod code;
pub mod facts;
pub mod failure;
mod frames;
pub mod ir;
pub mod mutant;
pub mod observer;
pub mod passes;
pub mod sizes;
pub mod text;
pub mod verify;
