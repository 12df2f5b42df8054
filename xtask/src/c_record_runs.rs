//! Records what random C functions, compiled by GCC, leave behind.

#[path = "../../crates/cvm/tests/random/generate.rs"]
mod generate;

use crate::temp::TempDir;
use anyhow::{Result, bail};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// What to record.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files of functions
    #[arg(long, default_value_t = 8)]
    files: u64,
    /// Where to write
    #[arg(long, default_value = "crates/cvm/tests/random/answers.tsv")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    let temp = TempDir::new()?;
    let mut out = String::from("hash\n");
    for number in 0..args.files {
        let mut text = generate::file(number);
        text.push_str("extern int printf(const char *, ...);\nint main(void) {\n");
        for n in number * generate::PER_FILE..(number + 1) * generate::PER_FILE {
            writeln!(text, "  printf(\"%016llx\\n\", run{n}());")?;
        }
        text.push_str("  return 0;\n}\n");
        let (source, program) = (temp.path().join("a.c"), temp.path().join("a.out"));
        std::fs::write(&source, &text)?;
        let flags = ["-w", "-O1", "-fwrapv", "-fno-strict-aliasing", "-o"];
        let made = Command::new("gcc").args(flags).arg(&program).arg(&source).output()?;
        if !made.status.success() {
            bail!("gcc failed:\n{}", String::from_utf8_lossy(&made.stderr));
        }
        out.push_str(&String::from_utf8(Command::new(&program).output()?.stdout)?);
    }
    std::fs::write(&args.out, &out)?;
    println!("{} functions", out.lines().count() - 1);
    Ok(true)
}
