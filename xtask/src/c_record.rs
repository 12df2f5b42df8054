//! Records what GCC says of random declarations and constant expressions of C.
//!
//! Nothing is run: GCC compiles constants into a section of an object file, whose bytes are read with `objcopy` and `nm`,
//! so that 32-bit answers need no 32-bit system.

#[path = "../../crates/c/tests/gcc/generate.rs"]
mod generate;

use crate::temp::TempDir;
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to record.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layouts for 64 bits
    #[arg(long, default_value_t = 4500)]
    lp64: u64,
    /// Layouts for 32 bits
    #[arg(long, default_value_t = 2500)]
    ilp32: u64,
    /// Constant expressions
    #[arg(long, default_value_t = 3500)]
    expressions: u64,
    /// Where to write
    #[arg(long, default_value = "crates/c/tests/gcc/answers.tsv")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    let temp = TempDir::new()?;
    let mut out = String::from("kind\tnumber\tanswer\n");
    record_layouts(temp.path(), "lp64", "-m64", 1..=args.lp64, &mut out)?;
    record_layouts(temp.path(), "ilp32", "-m32", 100_001..=100_000 + args.ilp32, &mut out)?;
    record_expressions(temp.path(), args.expressions, &mut out)?;
    std::fs::write(&args.out, &out)?;
    println!("{} lines", out.lines().count() - 1);
    Ok(true)
}

fn record_layouts(
    dir: &Path,
    kind: &str,
    flag: &str,
    numbers: std::ops::RangeInclusive<u64>,
    out: &mut String,
) -> Result<()> {
    let layouts: Vec<_> = numbers.map(|n| (n, generate::layout(n))).collect();
    let mut text = String::from("#define D __attribute__((section(\".answers\"), aligned(16)))\n");
    for (n, layout) in &layouts {
        let head = layout.head;
        let mut items = format!("sizeof({head} S{n}), _Alignof({head} S{n})");
        writeln!(text, "{}", layout.text)?;
        for (index, (name, is_field)) in layout.members.iter().enumerate() {
            if *is_field {
                writeln!(text, "D {head} S{n} f{n}_{index} = {{ .{name} = -1 }};")?;
            } else {
                write!(items, ", __builtin_offsetof({head} S{n}, {name})")?;
            }
        }
        writeln!(text, "D unsigned r{n}[] = {{ {items} }};")?;
    }
    let data = compile(dir, kind, flag, &text)?;
    for (n, layout) in &layouts {
        let at = data.symbols[&format!("r{n}")];
        let word =
            |i: usize| u32::from_le_bytes(data.bytes[at + 4 * i..at + 4 * i + 4].try_into().expect("four bytes"));
        let mut answer = format!("{} {}", word(0), word(1));
        let mut next = 2;
        for (index, (_, is_field)) in layout.members.iter().enumerate() {
            if !is_field {
                write!(answer, " {}", word(next))?;
                next += 1;
                continue;
            }
            let at = data.symbols[&format!("f{n}_{index}")];
            let bytes = &data.bytes[at..at + word(0) as usize];
            let from = bytes.iter().position(|&b| b != 0).unwrap_or(0);
            let to = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
            write!(answer, " {from}:")?;
            for b in &bytes[from..to.max(from)] {
                write!(answer, "{b:02x}")?;
            }
        }
        writeln!(out, "{kind}\t{n}\t{answer}")?;
    }
    Ok(())
}

fn record_expressions(dir: &Path, count: u64, out: &mut String) -> Result<()> {
    let types: Vec<String> = generate::RESULT_TYPES.iter().enumerate().map(|(i, t)| format!("{t}: {i}")).collect();
    let mut text = String::from("#define D __attribute__((section(\".answers\"), aligned(16)))\n");
    for n in 1..=count {
        let e = generate::expression(n);
        writeln!(text, "D __auto_type v{n} = {e};")?;
        writeln!(text, "D int t{n}[] = {{ _Generic(({e}), {}), sizeof({e}) }};", types.join(", "))?;
    }
    let data = compile(dir, "expr", "-m64", &text)?;
    for n in 1..=count {
        let at = data.symbols[&format!("t{n}")];
        let size = data.bytes[at + 4] as usize;
        let mut answer = format!("{} ", data.bytes[at]);
        let at = data.symbols[&format!("v{n}")];
        for b in &data.bytes[at..at + size] {
            write!(answer, "{b:02x}")?;
        }
        writeln!(out, "expr\t{n}\t{answer}")?;
    }
    Ok(())
}

struct Data {
    bytes: Vec<u8>,
    symbols: HashMap<String, usize>,
}

fn compile(dir: &Path, name: &str, flag: &str, text: &str) -> Result<Data> {
    let path = |ending: &str| dir.join(format!("{name}.{ending}"));
    std::fs::write(path("c"), text)?;
    run_command(Command::new("gcc").args(["-w", "-c", flag, "-o"]).arg(path("o")).arg(path("c")))?;
    run_command(
        Command::new("objcopy").args(["-O", "binary", "--only-section=.answers"]).arg(path("o")).arg(path("bin")),
    )?;
    let listed = run_command(Command::new("nm").arg(path("o")))?;
    let mut symbols = HashMap::new();
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [address, _, name] = words[..] {
            symbols.insert(name.to_string(), usize::from_str_radix(address, 16)?);
        }
    }
    Ok(Data { bytes: std::fs::read(path("bin"))?, symbols })
}

fn run_command(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} failed:\n{}", said.lines().take(20).collect::<Vec<_>>().join("\n"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
