//! Process graphs, the waist between languages and executors.
//!
//! [`ir`] is the data; [`lower`] makes it from a Promela tree. Whatever needs to know the program reads the graphs,
//! never the tree.

pub mod ir;
pub mod lower;
