//! What `spin` and `pan` reach of the outside: files, streams, signals, the clock.

pub use ferrospin::verify::Engine as ExecutorKind;
use ferrospin::verify::Hooks;

/// The outside.
pub trait World {
    /// The bytes of a file; `None` where it cannot be read.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// Writes a file; false where that fails.
    fn write(&mut self, path: &str, text: &str, mode: Mode) -> bool;
    /// Removes a file, if it is there.
    fn remove(&mut self, path: &str);
    /// Whether the first file is newer than the second.
    fn is_newer(&mut self, first: &str, second: &str) -> bool;
    /// Prints to standard output.
    fn out(&mut self, text: &str);
    /// Prints to standard error.
    fn err(&mut self, text: &str);
    /// A line of standard input with its end; `None` behind the last one.
    fn line(&mut self) -> Option<String>;
    /// A character of standard input, -1 at its end.
    fn character(&mut self) -> i32;
    /// The clock, in seconds.
    fn now(&mut self) -> i64;
    /// The program that is run, by its path.
    fn engine(&mut self) -> String;
    /// Who may interrupt a search.
    fn hooks(&mut self) -> Hooks;
    /// What executes models: machine code, unless the models are too small to be worth it.
    fn executor(&mut self) -> ExecutorKind {
        ExecutorKind::Native
    }
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// As text.
    Text,
    /// So that only reading is allowed.
    ReadOnly,
    /// So that it can be executed.
    Program,
}
