//! Running a live SPIN: its parser alone ([`generate`]), or a whole verification ([`verify`]).

use crate::temp::TempDir;
use anyhow::Context;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What `spin -a` made of a model.
pub(crate) enum Answer {
    /// It wrote a verifier.
    Accepts,
    /// It did not; the first line that says why.
    Rejects(String),
    /// It crashed or did not end.
    Fails(String),
}

/// What a verification with SPIN gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verification {
    /// The verifier ran to an end of its own.
    Ran(Counts),
    /// SPIN, the C compiler or the verifier would not have the model; who, and the first line that says why.
    Refused(&'static str, String),
    /// It took too long, too much memory, or too deep a stack.
    TooBig(&'static str),
}

/// What a verifier counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Counts {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) atomic_steps: u64,
    pub(crate) errors: u64,
    /// The first error, or nothing.
    pub(crate) first_error: String,
    /// False after an error that stops SPIN in the middle of the search: then only the verdict means something.
    pub(crate) complete: bool,
}

/// How a verification is to be done.
pub(crate) struct Plan<'a> {
    /// Macros, as `-DNAME=VALUE`.
    pub(crate) defines: &'a [String],
    /// Whether the never claim takes part.
    pub(crate) claim: bool,
    /// Whether the text needs the C preprocessor; it costs more than all of SPIN.
    pub(crate) preprocess: bool,
    /// The longest that the verifier may run.
    pub(crate) time_max: Duration,
    /// Longest stack of the search.
    pub(crate) depth_max: u64,
    /// Base 2 logarithm of the slots of the hash table.
    pub(crate) slots_log2: u32,
    /// Optimised code for long searches, quick compilation for short ones.
    pub(crate) optimise: bool,
}

/// The longest that SPIN may think about one model: formulas can take it very long.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(60);
/// Address space of a verifier, in kilobytes.
const MEMORY_MAX_KB: u64 = 6_000_000;

/// The version line of the installed SPIN.
pub(crate) fn version() -> anyhow::Result<String> {
    let output = Command::new("spin").arg("-V").output().context("cannot run `spin`: is it installed?")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a command to its end; `None` for the status when it had to be stopped. What it printed comes with it.
fn run(command: &mut Command, time_max: Duration) -> anyhow::Result<(Option<ExitStatus>, String)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{name}`: is it installed?"))?;
    let (mut out, mut err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    // The pipes are emptied beside the waiting, because a full pipe would stop the child.
    let err_reader = std::thread::spawn(move || read_ends(&mut err));
    let out_reader = std::thread::spawn(move || read_ends(&mut out));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > time_max {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let said = out_reader.join().expect("reading does not panic") + &err_reader.join().expect("reading does not panic");
    Ok((status, said))
}

/// All that a pipe says, the middle left out where it is long: a verifier may report millions of errors.
fn read_ends(pipe: &mut dyn Read) -> String {
    const KEPT: usize = 1 << 16;
    let mut bytes = Vec::new();
    let mut block = [0; 1 << 12];
    while let Ok(n) = pipe.read(&mut block)
        && n > 0
    {
        bytes.extend_from_slice(&block[..n]);
        if bytes.len() > 4 * KEPT {
            let end = bytes.len() - KEPT;
            bytes.drain(KEPT..end);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The C compiler that is there: for short runs the one that compiles fastest.
pub(crate) fn compiler(optimise: bool) -> &'static [&'static str] {
    static QUICK: OnceLock<bool> = OnceLock::new();
    let exists = || Command::new("tcc").arg("-v").output().is_ok();
    match optimise {
        true => &["cc", "-O1", "-w"],
        false if *QUICK.get_or_init(exists) => &["tcc", "-w"],
        false => &["cc", "-O0", "-w"],
    }
}

/// The line of an output that says why something was refused.
fn complaint(said: &str) -> String {
    let interesting = |line: &&str| line.contains("rror") || line.contains("saw");
    said.lines().find(interesting).or(said.lines().find(|l| !l.is_empty())).unwrap_or("no message").to_owned()
}

/// A plain exhaustive verification of the model `name` in `folder`, which is written to.
pub(crate) fn verify(folder: &Path, name: &str, plan: &Plan<'_>) -> anyhow::Result<Verification> {
    let _ = std::fs::remove_file(folder.join("pan.c"));
    let mut spin = Command::new("spin");
    spin.args(["-a", "-o1", "-o2", "-o3"]).args(plan.defines);
    if !plan.preprocess {
        spin.arg("-Pcat");
    }
    let (status, said) = run(spin.arg(name).current_dir(folder), TIME_MAX)?;
    match status {
        None => return Ok(Verification::TooBig("spin: time")),
        Some(s) if !s.success() || !folder.join("pan.c").exists() => {
            return Ok(Verification::Refused("spin", complaint(&said)));
        }
        Some(_) => {}
    }
    let compiler = compiler(plan.optimise);
    let mut cc = Command::new(compiler[0]);
    cc.args(&compiler[1..]).args(["-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=16384", "-o", "pan", "pan.c"]);
    if !plan.claim {
        cc.arg("-DNOCLAIM");
    }
    if std::fs::read_to_string(folder.join("pan.h"))?.contains("#define HAS_PRIORITY") {
        // What SPIN takes for padding, and leaves out of the state, is then the priority and bits beside it.
        cc.arg("-DNOCOMP");
    }
    let (status, said) = run(cc.current_dir(folder), TIME_MAX)?;
    match status {
        None => return Ok(Verification::TooBig("cc: time")),
        Some(s) if !s.success() => return Ok(Verification::Refused("cc", complaint(&said))),
        Some(_) => {}
    }
    let limited = format!("ulimit -v {MEMORY_MAX_KB}; exec ./pan -n -c0 -m{} -w{}", plan.depth_max, plan.slots_log2);
    let (status, said) = run(Command::new("sh").args(["-c", &limited]).current_dir(folder), plan.time_max)?;
    if status.is_none() {
        return Ok(Verification::TooBig("pan: time"));
    }
    if said.contains("max search depth too small") {
        return Ok(Verification::TooBig("pan: depth"));
    }
    if said.contains("out of memory") || said.contains("VECTORSZ") {
        return Ok(Verification::TooBig("pan: memory"));
    }
    Ok(counts(&said).map_or_else(|| Verification::Refused("pan", complaint(&said)), Verification::Ran))
}

/// Reads the report of a verifier.
fn counts(said: &str) -> Option<Counts> {
    let before = |mark: &str| {
        let line = said.lines().find(|l| l.contains(mark))?;
        let number = line.split(mark).next()?.split_whitespace().last()?;
        number.parse::<f64>().ok().map(|n| n as u64)
    };
    let errors = said.lines().find_map(|l| l.split("errors: ").nth(1))?.trim().parse().ok()?;
    let first = said.lines().find(|l| l.starts_with("pan:1: ")).unwrap_or_default();
    Some(Counts {
        states: before(" states, stored")?,
        transitions: before(" transitions (")?,
        atomic_steps: before(" atomic steps")?,
        errors,
        first_error: first.trim_start_matches("pan:1: ").to_owned(),
        complete: !said.contains("Search not completed"),
    })
}

/// Runs `spin -a` with the given macros on a model, in a folder of its own.
pub(crate) fn generate(model: &Path, defines: &[String]) -> anyhow::Result<Answer> {
    let dir = TempDir::new()?;
    let model = model.canonicalize()?;
    let mut spin = Command::new("spin");
    let (status, said) = run(spin.args(defines).arg("-a").arg(&model).current_dir(dir.path()), TIME_MAX)?;
    let why = || {
        complaint(&said).replace(&*model.to_string_lossy(), &model.file_name().unwrap_or_default().to_string_lossy())
    };
    Ok(match status {
        None => Answer::Fails(format!("no answer within {} s", TIME_MAX.as_secs())),
        // SPIN counts its errors in the exit code, and ends with 0 and no verifier when there is nothing to verify.
        Some(status) if status.success() && dir.path().join("pan.c").exists() => Answer::Accepts,
        Some(status) if status.code().is_some() => Answer::Rejects(why()),
        Some(status) => Answer::Fails(format!("crashed ({status})")),
    })
}
