//! Models written in Rust.
//!
//! A [`Model`] is a type with states, actions and properties; [`Executor`] makes it a machine that every search can run.
//! States become bytes by [`Encode`], which can be derived.
//!
//! ```
//! use ferrospin_rust::{Encode, Model, Properties};
//!
//! /// Two processes that add one to a counter, reading and writing it in separate steps.
//! struct LostUpdate;
//!
//! #[derive(Clone, PartialEq, Debug, Default, Encode)]
//! #[encode(crate = ferrospin_rust)]
//! struct State {
//!     counter: u8,
//!     /// What each process has read.
//!     read: [Option<u8>; 2],
//!     done: [bool; 2],
//! }
//!
//! #[derive(Debug)]
//! enum Action {
//!     Read(usize),
//!     Write(usize),
//! }
//!
//! impl Model for LostUpdate {
//!     type State = State;
//!     type Action = Action;
//!
//!     fn initial(&self) -> State {
//!         State::default()
//!     }
//!
//!     fn actions(&self, state: &State, out: &mut Vec<Action>) {
//!         for p in 0..2 {
//!             match state.read[p] {
//!                 None if !state.done[p] => out.push(Action::Read(p)),
//!                 Some(_) => out.push(Action::Write(p)),
//!                 None => {}
//!             }
//!         }
//!     }
//!
//!     fn take(&self, state: &mut State, action: &Action) -> bool {
//!         match *action {
//!             Action::Read(p) => state.read[p] = Some(state.counter),
//!             Action::Write(p) => {
//!                 state.counter = state.read[p].take().expect("it has read") + 1;
//!                 state.done[p] = true;
//!             }
//!         }
//!         true
//!     }
//!
//!     fn properties(&self, out: &mut Properties<Self>) {
//!         out.always("nothing is lost", |_, s| s.done != [true; 2] || s.counter == 2);
//!     }
//! }
//! # use ferrospin_system::{Machine, Moves, Control};
//! # let mut machine = ferrospin_rust::Executor::new(std::sync::Arc::new(LostUpdate));
//! # let (mut state, mut moves) = (Vec::new(), Moves::default());
//! # machine.initial(&mut state).unwrap();
//! # machine.moves(&state, Control::Free, &mut moves);
//! # assert_eq!(moves.list.len(), 2);
//! ```

mod checked;
mod encode;
mod fields;
mod machine;
mod model;
mod reference;
mod self_check;
mod subject;

pub use encode::{Decoder, Encode, Encoder};
pub use ferrospin_rust_macro::Encode;
pub use machine::Executor;
pub use model::{Event, Model, Properties, Property, PropertyKind};
pub use self_check::{Flaw, FlawKind, self_check};
pub use subject::{System, check};
