//! Pretty-printing.
