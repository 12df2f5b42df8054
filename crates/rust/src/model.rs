//! What a model written in Rust says of itself.

use crate::Encode;
use std::fmt;

/// A system with states and actions.
///
/// A model must be deterministic: for equal states the same actions in the same order, and the same successors. It may not
/// look at anything but itself and the state.
pub trait Model: Send + Sync + Sized + 'static {
    /// A state. `PartialEq` and the encoding must agree on which states are equal.
    type State: Encode + Clone + PartialEq + fmt::Debug + Send;
    /// Something that can happen. Its `Debug` form is what counterexamples show.
    type Action: fmt::Debug + Send;

    /// Where every run begins.
    fn initial(&self) -> Self::State;

    /// Adds what can happen in a state.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// Makes an action happen: turns the state into its successor. False when the action turns out to be impossible; the
    /// state may have been changed then, it is thrown away.
    fn take(&self, state: &mut Self::State, action: &Self::Action) -> bool;

    /// What must hold, and the propositions that formulas speak about.
    fn properties(&self, out: &mut Properties<Self>) {
        let _ = out;
    }

    /// Formulas of linear temporal logic that must hold, by name, over the names of the properties.
    fn formulas(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Whether it is fine that nothing can happen any more. By default it is; a model without this freedom answers with
    /// what an orderly end is, and every other end is a deadlock.
    fn may_end(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }

    /// How many processes there are, at most 255: those that weak fairness and the columns of charts speak about.
    fn process_count(&self) -> usize {
        1
    }

    /// The process that an action belongs to.
    fn process(&self, action: &Self::Action) -> usize {
        let _ = action;
        0
    }

    /// What a process is called; its number stands behind it: `process[1]`.
    fn process_name(&self, process: usize) -> String {
        let _ = process;
        "process".into()
    }

    /// The messages that an action of this state sends and receives, for sequence charts. Without any, a chart shows the action
    /// itself.
    fn events(&self, state: &Self::State, action: &Self::Action) -> Vec<Event> {
        let _ = (state, action);
        Vec::new()
    }
}

/// What an action does with messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A message goes on its way.
    Sent {
        /// On which channel; a message is received on the channel on which it was sent.
        channel: String,
        /// Its contents.
        message: String,
    },
    /// A message arrives.
    Received {
        /// On which channel.
        channel: String,
        /// Its contents.
        message: String,
    },
    /// A message goes from one process to another in one step.
    Passed {
        /// The process that receives it.
        to: usize,
        /// On which channel.
        channel: String,
        /// Its contents.
        message: String,
    },
}

/// What a property asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// That it holds in every reachable state.
    Always,
    /// Nothing; formulas may use it.
    Proposition,
}

/// A condition on states, with a name.
pub struct Property<M: Model> {
    /// Its name, in reports and in formulas.
    pub name: &'static str,
    /// What is asked for.
    pub kind: PropertyKind,
    /// Whether it holds.
    pub holds: fn(&M, &M::State) -> bool,
}

impl<M: Model> Clone for Property<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for Property<M> {}

impl<M: Model> fmt::Debug for Property<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Property").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Takes the properties of a model.
#[derive(Clone, Debug)]
pub struct Properties<M: Model>(Vec<Property<M>>);

impl<M: Model> Properties<M> {
    /// The properties of a model.
    pub fn of(model: &M) -> Self {
        let mut properties = Properties(Vec::new());
        model.properties(&mut properties);
        properties
    }

    /// Adds a condition that must hold in every reachable state. Formulas may use it too.
    pub fn always(&mut self, name: &'static str, holds: fn(&M, &M::State) -> bool) {
        self.0.push(Property { name, kind: PropertyKind::Always, holds });
    }

    /// Adds a condition that formulas speak about.
    pub fn proposition(&mut self, name: &'static str, holds: fn(&M, &M::State) -> bool) {
        self.0.push(Property { name, kind: PropertyKind::Proposition, holds });
    }

    /// All of them, in the order in which they were added.
    pub fn list(&self) -> &[Property<M>] {
        &self.0
    }
}
