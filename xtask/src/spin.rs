//! Running a live SPIN.

use crate::temp::TempDir;
use anyhow::Context;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
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

/// The longest that SPIN may think about one model: formulas can take it very long.
const TIME_MAX: Duration = Duration::from_secs(60);

/// The version line of the installed SPIN.
pub(crate) fn version() -> anyhow::Result<String> {
    let output = Command::new("spin").arg("-V").output().context("cannot run `spin`: is it installed?")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs `spin -a` with the given macros on a model, in a folder of its own.
pub(crate) fn generate(model: &Path, defines: &[String]) -> anyhow::Result<Answer> {
    let dir = TempDir::new()?;
    let model = model.canonicalize()?;
    let mut child = Command::new("spin")
        .args(defines)
        .arg("-a")
        .arg(&model)
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run `spin`: is it installed?")?;
    let mut pipes: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().expect("piped")), Box::new(child.stderr.take().expect("piped"))];
    // The pipes are emptied beside the waiting, because a full pipe would stop SPIN.
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipes.iter_mut().for_each(|pipe| drop(pipe.read_to_end(&mut bytes)));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > TIME_MAX {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let said = reader.join().expect("reading does not panic");
    let complaint = || {
        let interesting = |line: &&str| line.contains("rror") || line.contains("saw");
        let line = said.lines().find(interesting).or(said.lines().next()).unwrap_or("no message");
        line.replace(&*model.to_string_lossy(), &model.file_name().unwrap_or_default().to_string_lossy())
    };
    Ok(match status {
        None => Answer::Fails(format!("no answer within {} s", TIME_MAX.as_secs())),
        // SPIN counts its errors in the exit code, and ends with 0 and no verifier when there is nothing to verify.
        Some(status) if status.success() && dir.path().join("pan.c").exists() => Answer::Accepts,
        Some(status) if status.code().is_some() => Answer::Rejects(complaint()),
        Some(status) => Answer::Fails(format!("crashed ({status})")),
    })
}
