//! Trails.
