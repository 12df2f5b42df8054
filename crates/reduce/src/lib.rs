//! Partial-order reduction: stubborn sets, offered as a [`ferrospin_system::Reduction`].
