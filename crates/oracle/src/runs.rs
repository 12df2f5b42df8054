//! Single runs: a random one, a counterexample that is replayed. And the text of a program printed and read again.

use crate::base::Base;
use crate::compare::{Stop, different};
use crate::ways;
use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::run;
use ferrospin::subject::Promela;
use ferrospin::trails;
use ferrospin::verify::{Files, Goal, verify_with};
use ferrospin_interp::failure_kind;
use ferrospin_promela::print;
use ferrospin_testkit::random::Random;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps of a random run.
const STEPS_MAX: usize = 60;

/// A random run fails only where the searches find a violation.
pub(crate) fn random(base: &Base, r: &mut Random) -> Result<(), Stop> {
    let runnable = run::prepare(&base.front).map_err(|why| different("simulate refused", why.to_string()))?;
    let failed = |why: String| {
        if base.unsafe_ { Ok(()) } else { Err(different("simulate fails", format!("a random run fails: {why}"))) }
    };
    let mut run = match run::Run::start(&base.front, &runnable) {
        Ok(run) => run,
        Err(f) => return failed(failure_kind(f.code).to_string()),
    };
    for _ in 0..STEPS_MAX {
        let moves = run.moves();
        if let Some(f) = moves.failures.first() {
            failed(failure_kind(f.code).to_string())?;
        }
        if moves.list.is_empty() {
            return if run.may_end() { Ok(()) } else { failed("invalid end state".into()) };
        }
        let mv = *r.pick(&moves.list);
        if let (_, Some(f)) = run.take(&mv, None) {
            failed(failure_kind(f.code).to_string())?;
        }
    }
    Ok(())
}

/// A violation is written as a trail, read, and replayed to the same steps.
pub(crate) fn replayed(base: &Base) -> Result<(), Stop> {
    let file = TempFile::new();
    let files = Files { trail: Some(file.0.clone()), ..Files::default() };
    let report = verify_with(&base.front, &ways::basic(Goal::Safety), &files)
        .map_err(|why| different("replay refused", format!("{why:?}")))?;
    if report.properties[0].trail.is_none() {
        return Err(different("replay no trail", "a violation without a trail".into()));
    }
    let wrong = |why: String| different("replay", format!("the counterexample cannot be replayed: {why}"));
    let trail = trails::load(&file.0).map_err(|why| wrong(why.to_string()))?;
    let runnable = run::prepare(&base.front).map_err(|why| wrong(why.to_string()))?;
    // A claim on an end of a channel is kept by a model of its own.
    if base.model.has_claimed_ends() {
        return Ok(());
    }
    let again = trails::replay(&Promela::new(&base.front, &runnable), &trail).map_err(|why| wrong(why.to_string()))?;
    if again.steps.len() != trail.steps.len() || again.values != trail.values {
        return Err(wrong("it takes other steps, or ends with other values".into()));
    }
    Ok(())
}

/// A printed program is read as an equal tree.
pub(crate) fn printed(base: &Base) -> Result<(), Stop> {
    let tree = &base.front.reading.program;
    let text = print::program(tree);
    let again = front::read_text("p.pml", text.as_str(), &front::Options::default(), &mut DiskLoader::default());
    if again.unreadable {
        let first = again.diagnostics.iter().find(|d| !d.lint).map_or(String::new(), |d| d.message.clone());
        return Err(different("print unreadable", format!("the printed program cannot be read: {first}\n{text}")));
    }
    if again.reading.program.units != tree.units {
        return Err(different("print differs", format!("the printed program reads as another tree:\n{text}")));
    }
    Ok(())
}

/// A file that goes away.
struct TempFile(PathBuf);

impl TempFile {
    fn new() -> TempFile {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        TempFile(std::env::temp_dir().join(format!("ferrospin-oracle-{}-{number}.json", std::process::id())))
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
