//! What the measurements have in common: what may be asked for, running a program and taking its time, means, and sections of
//! `docs/BENCHMARKS.md`.

use super::time::ChildTime;
use anyhow::Context;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these instances, by a part of their names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Runs of each program
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) runs: u32,
    /// Write the tables into docs/BENCHMARKS.md
    #[arg(long)]
    pub(crate) write: bool,
}

impl Args {
    /// Whether an instance is to be measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| name.contains(o.as_str()))
    }
}

/// The times of a run, in seconds, and what it printed.
pub(crate) struct Timed {
    pub(crate) user: f64,
    pub(crate) system: f64,
    pub(crate) wall: f64,
    pub(crate) said: String,
}

/// Runs a command and takes its time.
pub(crate) fn timed(command: &mut Command) -> anyhow::Result<Timed> {
    let (before, start) = (ChildTime::now()?, Instant::now());
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let wall = start.elapsed().as_secs_f64();
    let (user, system) = ChildTime::now()?.since_ms(before);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Ok(Timed { user: user / 1000.0, system: system / 1000.0, wall, said })
}

/// The program as a release build has made it.
pub(crate) fn ferrospin(root: &Path) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    Command::new(target.join("release/ferrospin"))
}

/// Ratios, summed up.
pub(crate) struct Ratios {
    logarithms: f64,
    count: u32,
    pub(crate) least: f64,
}

impl Ratios {
    pub(crate) fn new() -> Ratios {
        Ratios { logarithms: 0.0, count: 0, least: f64::INFINITY }
    }

    pub(crate) fn add(&mut self, ratio: f64) {
        self.logarithms += ratio.ln();
        self.count += 1;
        self.least = self.least.min(ratio);
    }

    /// The geometric mean.
    pub(crate) fn mean(&self) -> f64 {
        (self.logarithms / f64::from(self.count.max(1))).exp()
    }
}

/// Puts a text into the section of the benchmarks that has this heading, and leaves the rest as it is. A section that is not
/// there yet is added behind the heading of the level above that is named.
pub(crate) fn write_section(root: &Path, above: &str, heading: &str, text: &str) -> anyhow::Result<()> {
    let path = root.join("docs/BENCHMARKS.md");
    let old = std::fs::read_to_string(&path)?;
    std::fs::write(&path, with_section(&old, above, heading, text))?;
    Ok(())
}

fn with_section(old: &str, above: &str, heading: &str, text: &str) -> String {
    let level = heading.split(' ').next().unwrap_or_default();
    let new = format!("{heading}\n\n{}\n", text.trim());
    // A section ends where the next one of its level, or of the level above, begins.
    let end_of = |from: usize| {
        let next = |mark: &str| old[from..].find(&format!("\n{mark} ")).map(|at| from + at + 1);
        (1..=level.len()).filter_map(|n| next(&level[..n])).min().unwrap_or(old.len())
    };
    let line = |heading: &str| old.match_indices(heading).map(|(at, _)| at).find(|&at| is_line(old, at, heading));
    let (start, end) = match line(heading) {
        Some(at) => (at, end_of(at + heading.len())),
        None => {
            let above = line(above).map_or(old.len(), |at| at + above.len());
            // Behind whatever belongs to the heading above, and the sections below it.
            let mark = &level[..level.len() - 1];
            let end = old[above..].find(&format!("\n{mark} ")).map_or(old.len(), |at| above + at + 1);
            (end, end)
        }
    };
    let (before, after) = (old[..start].trim_end(), old[end..].trim_start());
    let gap = if after.is_empty() { "" } else { "\n" };
    format!("{before}\n\n{new}{gap}{after}")
}

/// Whether a heading that was found stands alone in its line.
fn is_line(text: &str, at: usize, heading: &str) -> bool {
    let (before, after) = (&text[..at], &text[at + heading.len()..]);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_replaced_or_added_and_the_rest_stays() {
        let old = "# T\n\n## A\n\nx\n\n### One\n\n1\n\n### Two\n\n2\n\n## B\n\ny\n";
        let one = with_section(old, "## A", "### One", "new");
        assert_eq!(one, "# T\n\n## A\n\nx\n\n### One\n\nnew\n\n### Two\n\n2\n\n## B\n\ny\n");
        let two = with_section(old, "## A", "### Two", "new");
        assert_eq!(two, "# T\n\n## A\n\nx\n\n### One\n\n1\n\n### Two\n\nnew\n\n## B\n\ny\n");
        let three = with_section(old, "## A", "### Three", "new");
        assert_eq!(three, "# T\n\n## A\n\nx\n\n### One\n\n1\n\n### Two\n\n2\n\n### Three\n\nnew\n\n## B\n\ny\n");
        let last = with_section(old, "## B", "### Four", "new");
        assert_eq!(last, format!("{old}\n### Four\n\nnew\n"));
    }

    #[test]
    fn the_mean_is_geometric() {
        let mut ratios = Ratios::new();
        [1.0, 4.0, 16.0].into_iter().for_each(|r| ratios.add(r));
        assert!((ratios.mean() - 4.0).abs() < 1e-9 && ratios.least == 1.0);
    }
}
