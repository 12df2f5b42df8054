//! How visited states are kept: every [`ferrospin_system::Store`].
