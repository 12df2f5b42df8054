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

/// An earlier checkpoint stays until the one that replaces it is whole.
#[test]
fn an_earlier_checkpoint_is_kept() {
    let folder = folder("earlier");
    let file = folder.join("one.checkpoint");
    let beside = folder.join("one.checkpoint.new");
    let (_, _) = (std::fs::remove_file(&file), std::fs::remove_file(&beside));
    // With one worker the files of two searches are equal.
    let keep = ["--threads", "1", "--checkpoint", text(&file)];
    let whole = counts(&mut check(&keep)).expect("a report");
    let bytes = std::fs::read(&file).expect("the checkpoint");
    // One that is killed leaves both.
    let mut child = check(&keep).stdout(Stdio::null()).spawn().expect("the program runs");
    let size = || std::fs::metadata(&beside).map_or(0, |m| m.len());
    while size() < 1 << 12 && child.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    let _ = child.kill();
    child.wait().expect("a child");
    assert!(std::fs::read(&file).expect("the checkpoint") == bytes, "it was changed");
    // Unless it was quicker than the kill: then it has replaced the earlier one by its equal.
    if beside.exists() {
        let said = counts(&mut check(&keep)).expect_err("refused");
        assert!(said.contains("one.checkpoint.new` is there already"), "{said}");
        assert_eq!(counts(&mut check(&["--resume", text(&beside)])), Ok(whole.clone()));
        std::fs::remove_file(&beside).expect("a file");
    }
    // One that was stopped before it came so far does not replace it, one that comes to its end does, as does another search.
    let mut stopped = check(&[&keep[..], &["--depth-limit", "5"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&stopped.output().expect("a run").stdout).expect("JSON");
    let notes = report["properties"][0]["notes"].to_string();
    assert!(notes.contains("was kept as it was: it goes further"), "{notes}");
    assert!(std::fs::read(&file).expect("the checkpoint") == bytes, "it was changed");
    assert_eq!(counts(&mut check(&keep)), Ok(whole.clone()));
    assert!(std::fs::read(&file).expect("the checkpoint") == bytes, "it is another one");
    counts(&mut check(&[&keep[..], &["--ignore-assert", "--depth-limit", "5"]].concat())).expect("a report");
    assert!(std::fs::read(&file).expect("the checkpoint").len() < bytes.len());
    assert!(!beside.exists());
    // Going on in another file leaves the first one as it is.
    let torn = folder.join("torn.checkpoint");
    std::fs::write(&torn, &bytes[..bytes.len() / 2]).expect("a file");
    assert_eq!(
        counts(&mut check(&["--threads", "1", "--resume", text(&torn), "--checkpoint", text(&beside)])),
        Ok(whole)
    );
    assert_eq!(std::fs::read(&torn).expect("a file").len(), bytes.len() / 2);
    assert!(std::fs::read(&beside).expect("a file") == bytes);
}

/// Where the records of a checkpoint begin and how long they are: behind the head, each with its length and hash before it.
fn records(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut at = 28 + u32::from_le_bytes(bytes[24..28].try_into().expect("four bytes")) as usize;
    let mut list = Vec::new();
    while at < bytes.len() {
        let len = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize;
        list.push(at + 16..at + 16 + len);
        at += 16 + len;
    }
    list
}

/// Who forges a record computes its hash anew: neither a panic nor a false step may come of it.
#[test]
fn forged_records_are_refused() {
    let folder = folder("forged");
    let file = folder.join("whole.checkpoint");
    let _ = std::fs::remove_file(&file);
    let search = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
        command.args(["check", "models/peterson.pml", "--safety", "--no-trail", "--format", "json"]);
        command.args(options).current_dir(root()).output().expect("the program runs")
    };
    for (mode, options) in
        [&["--plain"][..], &["--store", "tree"], &["--store", "compact", "--threads", "1"]].iter().enumerate()
    {
        let file = folder.join(format!("{mode}.checkpoint"));
        let _ = std::fs::remove_file(&file);
        search(&[options, &["--checkpoint", text(&file)][..]].concat());
        let bytes = std::fs::read(&file).expect("the checkpoint");
        let places = records(&bytes);
        let forged = folder.join(format!("{mode}.forged"));
        let mut random = 0x2545_f491_4f6c_dd1d_u64 + mode as u64;
        let mut below = |n: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % n as u64) as usize
        };
        let (mut refused, mut cut) = (0, 0);
        for round in 0..60 {
            let place = places[below(places.len())].clone();
            let mut record = bytes[place.clone()].to_vec();
            let at = below(record.len());
            match round % 5 {
                0 => record[at] ^= 1 << below(8),
                1 => record[at] = [0, 1, 127, 128, 255][below(5)],
                // A whole word: lengths, counters, places.
                2 | 3 => {
                    let at = at / 8 * 8;
                    let word = [u64::MAX, 1 << 63, 1 << 40, 1 << 20, 0, 300][below(6)];
                    record[at..].iter_mut().zip(word.to_le_bytes()).for_each(|(to, from)| *to = from);
                }
                _ => _ = record.drain(at..(at + 1 + below(9)).min(record.len())),
            }
            let mut all = bytes[..place.start - 16].to_vec();
            all.extend((record.len() as u64).to_le_bytes());
            all.extend(ferrospin_system::StateHash::new(2).of(&record).to_le_bytes());
            all.extend(&record);
            all.extend(&bytes[place.end..]);
            std::fs::write(&forged, &all).expect("a file");
            let output = search(&[options, &["--resume", text(&forged)][..]].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                matches!(output.status.code(), Some(0 | 2)),
                "mode {mode}, round {round}: {:?} {said}",
                output.status
            );
            assert!(said.is_empty(), "{said}");
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            match report["verdict"].as_str() {
                // What cannot be read at all is cut off, as what a dying process leaves; counters may lie.
                Some("holds") => cut += 1,
                _ => {
                    let why = report["diagnostics"].to_string();
                    assert!(why.contains("is damaged or forged"), "{why}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 12 && cut > 4, "{refused} refused, {cut} cut");
    }
}
