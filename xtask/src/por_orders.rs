//! `por-orders`: what breadth-first and depth-first reductions leave of the examples that come with SPIN.
//!
//! The experiment of Bošnački and Holzmann ("Improving Spin's partial-order reduction for breadth-first search", SPIN 2005),
//! with SPIN's own counts beside ours. All searches are the naive ones of `ferrospin-testkit`, behind the passes.

use anyhow::Context;
use ferrospin::reduction::{Keep, reduction_up_to_births};
use ferrospin::stack::with_big_stack;
use ferrospin_interp::Interp;
use ferrospin_model::passes::optimize;
use ferrospin_testkit::reduced::{Proviso, search};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of `por-orders`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the examples that come with SPIN
    #[arg(long, value_name = "DIR")]
    examples: PathBuf,
    /// Leave out searches of more states than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    states: usize,
}

/// Prints the table; true when no search by queue or depth first is larger than SPIN's.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    println!(
        "| example | all moves | by levels | by queue | depth first, stack | completion | SPIN, all | new | queue | stack |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut good = true;
    let recorded = std::fs::read_to_string(root.join("docs/reduction-orders.tsv"))?;
    for line in recorded.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, n, new, queue, stack, all] = fields[..] else { anyhow::bail!("six columns: {line}") };
        let path = args.examples.join(name);
        let text = std::fs::read(&path).with_context(|| name.to_string())?;
        let text = with_n(&String::from_utf8_lossy(&text), n);
        let plain = ferrospin_testkit::model(&path.to_string_lossy(), &text, &[]).map_err(anyhow::Error::msg)?;
        let model = Arc::new(optimize(&plain).model);
        let states = |proviso: Option<Proviso>| {
            let mut machine = Interp::new(model.clone());
            let found = match proviso {
                None => search(&mut machine, None, Proviso::None, args.states),
                Some(proviso) => {
                    let (mut reduction, known) = reduction_up_to_births(&model, Keep::Failures).ok()?;
                    let found = search(&mut machine, Some(&mut *reduction), proviso, args.states);
                    assert!(!known.is_crowded(), "{name} starts few processes");
                    found
                }
            };
            (!found.cut).then_some(found.states)
        };
        let ours = with_big_stack(|| {
            [None, Some(Proviso::Level), Some(Proviso::Queue), Some(Proviso::Stack), Some(Proviso::Completion)]
                .map(states)
        });
        let fits = |ours: Option<usize>, theirs: &str| match (ours, theirs.parse::<usize>()) {
            (Some(a), Ok(b)) => a <= b,
            _ => true,
        };
        good &= fits(ours[2], queue) && fits(ours[3], stack) && fits(ours[4], stack);
        let shown: Vec<String> = ours.iter().map(|n| n.map_or("-".into(), |n| n.to_string())).collect();
        let name = if n == "-" { name.to_string() } else { format!("{name}, N = {n}") };
        println!("| {name} | {} | {all} | {new} | {queue} | {stack} |", shown.join(" | "));
    }
    Ok(good)
}

/// The text with another value of the macro `N`.
fn with_n(text: &str, n: &str) -> String {
    let line = |l: &str| match l.strip_prefix("#define N") {
        Some(rest) if n != "-" && rest.starts_with(char::is_whitespace) => format!("#define N {n}\n"),
        _ => format!("{l}\n"),
    };
    text.lines().map(line).collect()
}
