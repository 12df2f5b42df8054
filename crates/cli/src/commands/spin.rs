//! `ferrospin spin`, also under the name `spin`: SPIN's command line.
//!
//! All of it is in the crate `spin`; here are files, streams and signals. Nothing of our own goes to standard error.

use super::ExitStatus;
use crate::signals::Signals;
use ferrospin::verify::Hooks;
use ferrospin_spin::world::{Mode, World};
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Behave as SPIN's `spin` does, with its options (also when called by that name)
///
/// `spin -a` writes a `pan.c` that any C compiler makes a verifier of, `-run` and `-search` verify at once, `-t` follows trails,
/// and without those a model is simulated. Reports, step lines, trails, streams and exit codes are SPIN's.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// SPIN's options, and the model
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

/// The arguments behind `spin`, where the program is called by that name or with that word.
pub(crate) fn arguments(args: &[std::ffi::OsString]) -> Option<Vec<String>> {
    let text = |a: &std::ffi::OsString| a.to_string_lossy().into_owned();
    let called = args.first().and_then(|a| Path::new(a).file_name()).is_some_and(|n| n == "spin");
    if called {
        return Some(args[1..].iter().map(text).collect());
    }
    (args.get(1).is_some_and(|a| a == "spin")).then(|| args[2..].iter().map(text).collect())
}

/// Runs it.
pub(crate) fn run(args: &Args, signals: &Signals) -> ExitStatus {
    run_with(&args.arguments, signals)
}

/// Runs it with the arguments as they were typed.
pub(crate) fn run_with(args: &[String], signals: &Signals) -> ExitStatus {
    if !args.iter().any(|a| ["--pan", "-run", "-search"].contains(&a.as_str())) {
        // Only a verification has something to report when it is interrupted.
        signals.release();
    }
    ferrospin_spin::program::run(args, &mut Outside { interrupt: signals })
}

/// Files, streams and signals.
struct Outside<'a> {
    interrupt: &'a Signals,
}

impl World for Outside<'_> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).ok()?;
        file.take(ferrospin::files::BYTES_MAX).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn write(&mut self, path: &str, text: &str, mode: Mode) -> bool {
        if mode != Mode::Text {
            // A file that may not be written, or is being executed, makes way for a new one.
            let _ = std::fs::remove_file(path);
        }
        if std::fs::write(path, text).is_err() {
            return false;
        }
        set_mode(path, mode);
        true
    }

    fn remove(&mut self, path: &str) {
        let _ = std::fs::remove_file(path);
    }

    fn is_newer(&mut self, first: &str, second: &str) -> bool {
        let modified = |path: &str| std::fs::metadata(path).and_then(|m| m.modified()).ok();
        match (modified(first), modified(second)) {
            // As `stat` tells it: whole seconds.
            (Some(a), Some(b)) => seconds(a) >= seconds(b) && seconds(a) != seconds(b),
            _ => false,
        }
    }

    fn out(&mut self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        // Whoever reads may stop reading.
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }

    fn err(&mut self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    fn line(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        match std::io::stdin().lock().read_until(b'\n', &mut bytes) {
            Ok(n) if n > 0 => Some(String::from_utf8_lossy(&bytes).into_owned()),
            _ => None,
        }
    }

    fn character(&mut self) -> i32 {
        let mut byte = [0];
        match std::io::stdin().lock().read(&mut byte) {
            Ok(1) => i32::from(byte[0]),
            _ => -1,
        }
    }

    fn now(&mut self) -> i64 {
        seconds(std::time::SystemTime::now())
    }

    fn engine(&mut self) -> String {
        std::env::current_exe().map_or_else(|_| "ferrospin".into(), |path| path.display().to_string())
    }

    fn hooks(&mut self) -> Hooks {
        Hooks { interrupt: Arc::clone(&self.interrupt.interrupt), ..Hooks::default() }
    }
}

fn seconds(time: std::time::SystemTime) -> i64 {
    time.duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_secs() as i64)
}

#[cfg(unix)]
fn set_mode(path: &str, mode: Mode) {
    use std::os::unix::fs::PermissionsExt;
    let bits = match mode {
        Mode::Text => return,
        Mode::ReadOnly => 0o444,
        Mode::Program => 0o755,
    };
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits));
}

#[cfg(not(unix))]
fn set_mode(_path: &str, _mode: Mode) {}
