//! Random security protocols: what a check finds, what SPIN finds in the translation to Promela, and what Ferrospin finds in it.

use crate::spin::{self, Plan, Verification};
use crate::temp::TempDir;
use anyhow::{Result, bail};
use ferrospin::front::Setting;
use ferrospin::languages::Loaded;
use ferrospin::report::Verdict;
use ferrospin::verify::{Files, Options, verify_loaded};
use ferrospin::{front, protocols};
use ferrospin_testkit::protocols::{Random, SEED, protocol, sum};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// How many, and where the table goes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many protocols
    #[arg(long, value_name = "N", default_value_t = 300)]
    count: usize,
    /// Where the table goes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    println!("{}", spin::version()?);
    let mut random = Random(SEED);
    let mut table = String::from("protocol\ttranslation\tspin\n");
    let folder = TempDir::new()?;
    let (mut done, mut differ, mut leaks) = (0, 0, 0);
    while done < args.count {
        let text = protocol(&mut random);
        let setting = Setting { name: "secrecy".into(), value: "generic".into() };
        let file =
            protocols::read_text("r.proto".into(), text.as_str().into(), &[setting]).map_err(anyhow::Error::msg)?;
        let Some(promela) = file.world().ok().and_then(|world| protocols::promela(&world).ok()) else { continue };
        let own = violated(&file)?;
        let path = folder.path().join("m.pml");
        std::fs::write(&path, &promela)?;
        let model = (ferrospin::languages::LANGUAGES[0].open)(&path, &front::Options::default())?;
        let ours = violated(&*model)?;
        let plan = Plan {
            defines: &[],
            claim: false,
            preprocess: true,
            time_max: Duration::from_secs(60),
            depth_max: 1_000_000,
            slots_log2: 20,
            optimise: false,
        };
        let theirs = match spin::verify(folder.path(), "m.pml", &plan)? {
            Verification::Ran(counts) => counts.errors > 0,
            Verification::Refused(who, why) => bail!("{who} refuses protocol {done}: {why}\n{text}"),
            Verification::TooBig(why) => bail!("{why}: protocol {done}\n{text}"),
        };
        if (own, ours) != (theirs, theirs) {
            differ += 1;
            println!("{done}: the protocol {own}, its translation {ours}, SPIN {theirs}\n{text}");
        }
        let hash = sum(&promela);
        let verdict = if theirs { "violated" } else { "holds" };
        writeln!(table, "{done}\t{hash:016x}\t{verdict}")?;
        leaks += usize::from(theirs);
        done += 1;
    }
    std::fs::write(&args.out, table)?;
    println!("{done} protocols, {leaks} of them leak, {differ} differ");
    Ok(differ == 0)
}

/// Whether something is violated.
fn violated(loaded: &dyn Loaded) -> Result<bool> {
    let verification = verify_loaded(loaded, &Options::default(), &Files::default());
    let verification = verification.map_err(|why| anyhow::anyhow!("{}", why.why()))?;
    match verification.properties.iter().map(|p| p.verdict).find(|v| *v != Verdict::Holds) {
        None => Ok(false),
        Some(Verdict::Violated) => Ok(true),
        Some(_) => bail!("undecided"),
    }
}
