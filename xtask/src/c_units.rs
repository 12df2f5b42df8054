//! Reads real units of C and says what became of each: errors, and whether its tokens are those of `gcc -E`.
//!
//! The list has a line for each unit: the name of the source, the folder that its compiler runs in, the file, and the options that
//! matter to the preprocessor, with tabs between them.

use anyhow::{Context, Result, bail};
use ferrospin::files::DiskLoader;
use ferrospin_c::{Define, Dialect, Options, read};
use ferrospin_cpp::{PieceKind, Pieces, tokens};
use ferrospin_source::{Severity, SourceMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which units.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The list
    list: PathBuf,
    /// Where the table goes
    #[arg(long)]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    let list = std::fs::read_to_string(&args.list)?;
    let system = system_dirs()?;
    let mut out = String::from("source\tunit\ttokens\tfunctions\terrors\ttokens_equal\n");
    let (mut failed, mut unequal, mut count) = (0, 0, 0);
    for line in list.lines() {
        let [source, folder, unit, flags] = line.split('\t').collect::<Vec<_>>()[..] else {
            bail!("four columns are expected: {line}");
        };
        count += 1;
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let folder = Path::new(folder);
        let options = options(folder, &flags);
        let dialect = Dialect { system_dirs: system.clone(), ..Dialect::default() };
        let path = folder.join(unit);
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut map = SourceMap::new();
        let file = map.add_file(path.display().to_string(), text.as_str());
        let reading = read(&mut map, file, &options, &dialect, &mut DiskLoader::default());
        let errors: Vec<_> = reading.diagnostics.iter().filter(|d| !d.lint && d.severity == Severity::Error).collect();
        for d in errors.iter().take(3) {
            let place = map.position(map.primary(d.span)).map_or(String::new(), |p| format!("{}:{}", p.file, p.line));
            println!("{source} {unit}: {place}: {}", d.message);
        }
        let mut map = SourceMap::new();
        let file = map.add_file(path.display().to_string(), text.as_str());
        let (own, _) = tokens(&mut map, file, &options, &dialect, &mut DiskLoader::default());
        let gcc = Command::new("gcc").arg("-E").arg("-P").args(&flags).arg(unit).current_dir(folder).output()?;
        let expanded = String::from_utf8_lossy(&gcc.stdout).into_owned();
        let mut map = SourceMap::new();
        let file = map.add_file("expanded.i", expanded.as_str());
        let (theirs, _) = tokens(&mut map, file, &Options::default(), &Dialect::default(), &mut DiskLoader::default());
        let equal = gcc.status.success() && spellings(&own).eq(spellings(&theirs));
        failed += usize::from(!errors.is_empty());
        unequal += usize::from(!equal);
        let functions = reading.unit.functions.len();
        let equal = if equal { "yes" } else { "no" };
        writeln!(out, "{source}\t{unit}\t{}\t{functions}\t{}\t{equal}", own.list.len(), errors.len())?;
    }
    std::fs::write(&args.out, out)?;
    println!("{count} units, {failed} with errors, {unequal} with other tokens");
    Ok(failed + unequal == 0)
}

/// What stands in the text; pragmas are written differently.
fn spellings(pieces: &Pieces) -> impl Iterator<Item = &str> {
    pieces.list.iter().filter(|p| p.kind != PieceKind::Pragma).map(|p| &**pieces.text(p.text))
}

fn options(folder: &Path, flags: &[&str]) -> Options {
    let mut options = Options::default();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let mut value = |prefix: &str| match flag.strip_prefix(prefix) {
            Some("") => rest.next().copied(),
            other => other,
        };
        if let Some(dir) = value("-I") {
            options.include_dirs.push(folder.join(dir).display().to_string());
        } else if let Some(text) = value("-D") {
            let (name, body) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v.to_string())));
            options.defines.push(Define::Set(name.into(), body));
        } else if let Some(name) = value("-U") {
            options.defines.push(Define::Unset(name.into()));
        }
    }
    options
}

/// The folders in which the system's compiler looks for headers.
fn system_dirs() -> Result<Vec<String>> {
    let output = Command::new("gcc").args(["-E", "-v", "-x", "c", "/dev/null"]).output().context("gcc")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let list = said.split("#include <...> search starts here:").nth(1).unwrap_or("");
    Ok(list
        .lines()
        .take_while(|l| !l.starts_with("End of"))
        .map(|l| l.trim().to_string())
        .filter(|l| !l.is_empty())
        .collect())
}
