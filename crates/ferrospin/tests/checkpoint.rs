//! Searches that are kept in a file go on after their process has died, and end with the same counts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn check(options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
    command
        .args(["check", "models/anderson.pml", "-DN=4", "--safety", "--plain", "--no-trail", "--format", "json"])
        .args(options)
        .current_dir(root());
    command
}

/// States, transitions, depth and verdict of the safety property; or what was said instead.
fn counts(command: &mut Command) -> Result<(u64, u64, u64, String), String> {
    let output = command.output().expect("the program runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let p = &report["properties"][0];
    match (p["states"].as_u64(), p["transitions"].as_u64(), p["depth"].as_u64(), p["verdict"].as_str()) {
        (Some(states), Some(transitions), Some(depth), Some(verdict)) => {
            Ok((states, transitions, depth, verdict.into()))
        }
        _ => Err(report["diagnostics"].to_string()),
    }
}

/// As recorded beside the model; the depth is that of a search without a file.
const EXPECTED: (u64, u64) = (43_714, 147_923);

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of ordinary letters")
}

#[test]
fn a_killed_search_goes_on() {
    let folder = folder("killed");
    let whole = counts(&mut check(&["--threads", "2"])).expect("a report");
    assert_eq!((whole.0, whole.1), EXPECTED);
    for (i, threads) in ["1", "2", "4"].into_iter().enumerate() {
        let file = folder.join(format!("{i}.checkpoint"));
        let _ = std::fs::remove_file(&file);
        let mut child = check(&["--checkpoint", text(&file), "--threads", threads])
            .stdout(Stdio::null())
            .spawn()
            .expect("the program runs");
        // Killed as soon as some levels are in the file, wherever it is then; `kill` is SIGKILL.
        let size = || std::fs::metadata(&file).map_or(0, |m| m.len());
        while size() < 1 << (12 + 4 * i) && child.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().expect("a child");
        assert_eq!(counts(&mut check(&["--resume", text(&file), "--threads", "2"])), Ok(whole.clone()), "{threads}");
        // The file is whole now: going on with it once more changes nothing.
        assert_eq!(counts(&mut check(&["--resume", text(&file), "--store", "exact"])), Ok(whole.clone()));
    }
}

#[test]
fn torn_and_damaged_files_lose_only_their_end() {
    let folder = folder("torn");
    let file = folder.join("whole.checkpoint");
    let whole = counts(&mut check(&["--checkpoint", text(&file)])).expect("a report");
    let bytes = std::fs::read(&file).expect("the checkpoint");
    let torn = folder.join("torn.checkpoint");
    for cut in [400, 1000, 5000, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&torn, &bytes[..cut]).expect("a file");
        assert_eq!(counts(&mut check(&["--resume", text(&torn)])), Ok(whole.clone()), "cut at {cut}");
        let mut damaged = bytes.clone();
        damaged[cut] ^= 0x40;
        std::fs::write(&torn, &damaged).expect("a file");
        assert_eq!(counts(&mut check(&["--resume", text(&torn)])), Ok(whole.clone()), "damaged at {cut}");
    }
}

/// A reduced search asks which states are on later levels, and which are complete: whoever goes on must know it of states
/// that were stored before.
#[test]
fn a_reduced_search_goes_on() {
    let folder = folder("reduced");
    let file = folder.join("whole.checkpoint");
    let check = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
        let model = "crates/ferrospin/tests/data/por/peterson-n.pml";
        command.args(["check", model, "--safety", "--no-trail", "--format", "json"]).args(options).current_dir(root());
        counts(&mut command)
    };
    let whole = check(&["--checkpoint", text(&file)]).expect("a report");
    assert_eq!(check(&[]), Ok(whole.clone()));
    let bytes = std::fs::read(&file).expect("the checkpoint");
    let torn = folder.join("torn.checkpoint");
    for part in 1..8 {
        std::fs::write(&torn, &bytes[..bytes.len() * part / 8]).expect("a file");
        assert_eq!(check(&["--resume", text(&torn)]), Ok(whole.clone()), "cut at {part} eighths");
    }
}

#[test]
fn a_file_about_something_else_is_refused() {
    let folder = folder("other");
    let file = folder.join("one.checkpoint");
    counts(&mut check(&["--checkpoint", text(&file)])).expect("a report");
    let refused = |options: &[&str], why: &str| {
        let said = counts(&mut check(options)).expect_err("refused");
        assert!(said.contains(why), "{said}");
    };
    refused(&["--resume", text(&file), "-DSLOTS=2"], "another model");
    refused(&["--resume", text(&file), "--ignore-assert"], "`--ignore-assert`");
    let other = folder.join("no.checkpoint");
    std::fs::write(&other, "this is no checkpoint, but long enough for one").expect("a file");
    refused(&["--resume", text(&other)], "no checkpoint file");
}

#[test]
fn an_interrupted_search_reports_what_it_has() {
    let mut command = check(&["--time-limit", "1ms"]);
    let (states, _, _, verdict) = counts(&mut command).expect("a report");
    assert!(states < EXPECTED.0 && verdict == "undecided", "{states} {verdict}");
    assert_eq!(command.status().expect("the program runs").code(), Some(3));
    let (states, _, _, verdict) = counts(&mut check(&["--memory-limit", "3M"])).expect("a report");
    assert!(states < EXPECTED.0 && verdict == "undecided", "{states} {verdict}");
}
