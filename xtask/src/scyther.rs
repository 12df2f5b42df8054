//! Scyther's library of protocols: what Scyther has recorded of it beside what a check finds, as a table.
//!
//! The folder is a checkout of Scyther's repository. What it recorded lies in its regression tests, by default within five runs. Sessions
//! are one of each role, then with one and two more of any role, as far as the time for a file goes. Notes on differences are those of the
//! table that is there; a difference without a note fails.

use anyhow::{Context, Result};
use ferrospin::front::{self, Setting};
use ferrospin::languages::Loaded;
use ferrospin::protocols;
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::verify::{Files, Hooks, Limits, Options, verify_loaded};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Which protocols.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A checkout of Scyther's repository
    dir: PathBuf,
    /// Where the table goes, and where the notes come from
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Seconds for each file
    #[arg(long, value_name = "N", default_value_t = 8)]
    seconds: u64,
    /// Only files whose name has this in it
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// What was found about a claim.
#[derive(Clone, PartialEq, Debug)]
enum Found {
    Attack { events: u64, more: u32 },
    None { more: u32 },
    Unfinished,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    let recorded = recorded(&args.dir)?;
    let notes = notes(&args.out);
    let mut files = Vec::new();
    walk(&args.dir, &mut files)?;
    files.sort();
    let mut table = String::from("file\tclaim\tscyther\tferrospin\tagrees\tnote\n");
    let (mut read, mut refused, mut rows, mut open) = (0, 0, 0, 0);
    let started = Instant::now();
    for path in &files {
        let name = path.strip_prefix(&args.dir)?.display().to_string();
        if args.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let theirs = recorded.get(&name.replace('/', "-"));
        if !name.starts_with("gui/Protocols/") && theirs.is_none() {
            continue;
        }
        let file = protocols::read_path(path, &front::Options::default()).map_err(anyhow::Error::msg)?;
        if file.has_errors() {
            refused += 1;
            let first = file.messages().into_iter().next().context("a message")?;
            let place = first.location.map_or(String::new(), |l| format!(" ({}:{})", l.line, l.column));
            writeln!(table, "{name}\t-\t-\trefused: {}{place}\t-\t-", first.message)?;
            continue;
        }
        read += 1;
        let Some(theirs) = theirs else {
            writeln!(table, "{name}\t-\t-\tread\t-\t-")?;
            continue;
        };
        let ours = check(path, args.seconds)?;
        for (claim, verdict) in theirs {
            let found = ours.get(claim);
            let text = match found {
                None => "no such claim".to_owned(),
                Some(Found::Attack { events, more }) => format!("attack of {events} events, {}", sessions(*more)),
                Some(Found::None { more }) => format!("none, {}", sessions(*more)),
                Some(Found::Unfinished) => "none found, unfinished".to_owned(),
            };
            let agrees = matches!(found, Some(Found::Attack { .. })) == (verdict == "attack") && found.is_some();
            let note = notes.get(&(name.clone(), claim.clone())).map_or("-", String::as_str);
            rows += 1;
            open += usize::from(!agrees && note == "-");
            let word = if agrees { "yes" } else { "no" };
            writeln!(table, "{name}\t{claim}\t{verdict}\t{text}\t{word}\t{note}")?;
        }
        println!("{name}");
    }
    std::fs::write(&args.out, table)?;
    let took = started.elapsed().as_secs();
    println!("{read} files read, {refused} refused; {rows} claims, {open} differences without a note; {took} s");
    Ok(open == 0)
}

fn sessions(more: u32) -> String {
    if more == 0 { "one of each role".into() } else { format!("one of each role and {more} more") }
}

/// All `.spdl` files below a folder.
fn walk(dir: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "spdl") {
            out.push(path);
        }
    }
    Ok(())
}

/// What Scyther has said, by file and claim.
fn recorded(dir: &Path) -> Result<BTreeMap<String, Vec<(String, String)>>> {
    let dir = dir.join("src/regression-tests/results");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(&dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(file) = name.strip_prefix("test-").and_then(|n| n.strip_suffix(".out")) else { continue };
        let file = file.split(" --").next().unwrap_or(file).to_owned();
        let mut claims = Vec::new();
        for line in std::fs::read_to_string(&path)?.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let ["claim", _, claim, _, verdict, why, ..] = cells[..] else { continue };
            let verdict = match (verdict, why) {
                ("Fail", _) => "attack",
                (_, why) if why.contains("proof") => "proof",
                (_, why) if why.contains("does not occur") => "does not occur",
                _ => "none within bounds",
            };
            claims.push((claim.to_owned(), verdict.to_owned()));
        }
        found.insert(file, claims);
    }
    Ok(found)
}

/// The notes of the table that is there.
fn notes(path: &Path) -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let note = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, claim, .., note] = cells[..] else { return None };
        Some(((file.to_owned(), claim.to_owned()), note.to_owned()))
    };
    text.lines().skip(1).filter_map(note).collect()
}

/// What a check finds, by claim.
fn check(path: &Path, seconds: u64) -> Result<BTreeMap<String, Found>> {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(seconds);
    for more in 0..3 {
        let settings = vec![Setting { name: "extra".into(), value: more.to_string() }];
        let options = front::Options { settings, ..front::Options::default() };
        let file = protocols::read_path(path, &options).map_err(anyhow::Error::msg)?;
        let limits = Limits {
            time_max: Some(Duration::from_secs(seconds.div_ceil(2))),
            memory_max_bytes: Some(3 << 30),
            ..Limits::default()
        };
        let hooks = Hooks { deadline: Some(end), ..Hooks::default() };
        let options = Options { limits, hooks, ..Options::default() };
        let verification = verify_loaded(&file, &options, &Files::default());
        let verification = verification.map_err(|why| anyhow::anyhow!("{}: {}", path.display(), why.why()))?;
        for report in &verification.properties {
            // A claim about several roles is one for each of them here.
            let name = report.name.split(" of ").next().unwrap_or(&report.name).to_owned();
            let now = judged(report, more);
            let old = found.get(&name);
            let is_better = match (old, &now) {
                (None, _) | (Some(Found::Unfinished), _) => true,
                (Some(Found::Attack { .. }), _) => false,
                (Some(Found::None { .. }), Found::Attack { .. }) => true,
                (Some(Found::None { more: before }), now) => *now != Found::Unfinished || *before == more,
            };
            if is_better {
                found.insert(name, now);
            }
        }
        if Instant::now() > end {
            break;
        }
    }
    Ok(found)
}

fn judged(report: &PropertyReport, more: u32) -> Found {
    match (report.verdict, &report.error) {
        (Verdict::Violated, Some(error)) => Found::Attack { events: error.depth.unwrap_or(0), more },
        (Verdict::Holds, _) => Found::None { more },
        _ => Found::Unfinished,
    }
}
