//! Process graphs as machine code.
