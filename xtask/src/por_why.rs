//! `por-why`: where a reduced search has to take moves of several processes.
//!
//! The moves that were taken together are counted by their statements, most frequent first: what stands there does not
//! accord, or the facts do not say that it does.

use anyhow::Context;
use ferrospin::reduction::{Keep, reduction_up_to_births};
use ferrospin::stack::with_big_stack;
use ferrospin_interp::Interp;
use ferrospin_model::ir::Model;
use ferrospin_model::passes::optimize;
use ferrospin_system::{Move, NO_PROCESS, Offer, Reduction, members};
use ferrospin_testkit::reduced::{Proviso, search};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of `por-why`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many groups of moves are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    shown: usize,
    /// Stop after this many states
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    states: usize,
    /// Print the graphs behind the passes too
    #[arg(long)]
    graphs: bool,
    /// The model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
}

/// Counts what is offered first.
struct Spy {
    inner: Box<dyn Reduction>,
    /// Process and edge of the moves taken together, and how often.
    taken: HashMap<Vec<(u8, u32)>, usize>,
    alone: usize,
}

impl Reduction for Spy {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        self.inner.offer(state, moves, out);
        let all: Vec<u32> = (0..moves.len() as u32).collect();
        let set = if out.is_empty() { all } else { members(out.words(0)).collect() };
        let mut list: Vec<(u8, u32)> =
            set.iter().map(|i| (moves[*i as usize].process, moves[*i as usize].edge)).collect();
        list.dedup();
        let mixed = set.iter().any(|i| moves[*i as usize].process != list[0].0);
        if mixed && list[0].0 != NO_PROCESS {
            *self.taken.entry(list).or_default() += 1;
        } else {
            self.alone += 1;
        }
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        self.inner.offer_more(state, moves, out);
    }

    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u64], out: &mut Vec<u64>) -> bool {
        self.inner.complete(state, moves, set, out)
    }

    fn another(&self) -> Box<dyn Reduction> {
        self.inner.another()
    }
}

/// Prints the groups.
pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let text = std::fs::read(&args.model).with_context(|| args.model.display().to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let name = args.model.to_string_lossy().into_owned();
    let plain = ferrospin_testkit::model(&name, &text, &[]).map_err(anyhow::Error::msg)?;
    let model: Arc<Model> = Arc::new(optimize(&plain).model);
    let printed = ferrospin_model::text::print(&model);
    if args.graphs {
        println!("{printed}");
    }
    let lines: BTreeMap<u32, &str> = printed
        .lines()
        .filter_map(|l| {
            let (number, rest) = l.trim().strip_prefix('E')?.split_once(' ')?;
            Some((number.parse().ok()?, rest))
        })
        .collect();
    let inner = match reduction_up_to_births(&model, Keep::Failures) {
        Ok((r, _)) => r,
        Err(reason) => {
            println!("no reduction: {reason}");
            return Ok(true);
        }
    };
    let mut spy = Spy { inner, taken: HashMap::new(), alone: 0 };
    let found =
        with_big_stack(|| search(&mut Interp::new(model.clone()), Some(&mut spy), Proviso::Completion, args.states));
    println!("{} states{}; one process alone: {}", found.states, if found.cut { " so far" } else { "" }, spy.alone);
    let mut groups: Vec<_> = spy.taken.into_iter().collect();
    groups.sort_by_key(|(moves, n)| (std::cmp::Reverse(*n), moves.clone()));
    for (moves, n) in groups.iter().take(args.shown) {
        println!("{n} times");
        for (process, edge) in moves {
            println!("    {process}: E{edge} {}", lines.get(edge).unwrap_or(&"?"));
        }
    }
    Ok(true)
}
