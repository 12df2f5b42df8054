//! Diagnostics as data.
