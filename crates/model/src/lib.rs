//! Process graphs, the waist between languages and executors.
//!
//! [`ir`] is the data, which a front end makes (for Promela, the package `ferrospin-lower`). Whatever needs to know the program reads the graphs,
//! never the tree. [`text`] prints and parses them, [`verify`] lists their rules, [`passes`] make them smaller,
//! [`facts`] tell partial-order reduction what depends on what. [`sizes`] adds sizes without wrapping, [`frames`] finds the processes of a
//! state, [`failure`] names what can go wrong, [`observer`] are claims that only look, [`code`] stands for embedded C.
//!
//! What may be changed without fear: a pass or a fact may always do less. Doing more needs a condition with a name in [`mutant`], and a
//! small model on which the pass is wrong without it (`testkit/tests/mutants.rs`). A new action of [`ir`] is found by the compiler wherever
//! it must be handled, [`text`] and [`verify`] among them.

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
