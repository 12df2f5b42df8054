//! Systems composed part by part.
//!
//! A [`net`] is parts that move together on the labels they share; composing it step by step, hiding and minimising after each, keeps
//! what is built small. An [`architecture`] is components with interfaces, bindings and a life cycle: its controllers are parts of a
//! net, and a [`deployment`] is looked at before anything is deployed. [`mod@file`] reads both from TOML; it is the only module that knows
//! the format.

pub mod architecture;
pub mod deployment;
pub mod file;
pub mod fractal;
pub mod net;
