//! `under`: the experiments on under-approximation as a table (Brim, Černá, Moravec and Šimša 2005); `fuzz-under`: random
//! programs and formulas in every mode.
//!
//! The models are those of `crates/ferrospin/tests/data/under`, written after the paper's descriptions; each row is a
//! formula. Sizes are states of the product, as stored until the search ended: of one search, or of all rounds.

use crate::seeds::Seeds;
use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Define};
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::under::{Mode, Order, Start, Under};
use ferrospin::verify::{Engine, Goal, Goals, Options, Proviso, Selector, verify};
use ferrospin_testkit::bounded::is_small;
use ferrospin_testkit::formula::formula;
use ferrospin_testkit::generate::generate;
use std::path::Path;
use std::sync::Arc;

/// Options of `fuzz-under`.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    #[command(flatten)]
    seeds: Seeds,
    /// Leave out products with more states than this
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    states: u64,
}

/// Random programs and formulas without reduction, with both selectors, in every mode; true when all verdicts agree.
pub(crate) fn fuzz(args: &Fuzz) -> anyhow::Result<bool> {
    let (mut failed, mut verdicts) = (0, [0, 0]);
    for seed in args.seeds.all() {
        let text = generate(seed).text();
        let Some(formula) = formula(&text, seed) else { continue };
        let front =
            front::read_text("random.pml", text.as_str(), &front::Options::default(), &mut DiskLoader::default());
        if front.unreadable {
            continue;
        }
        let model = ferrospin_testkit::model("random.pml", &text, &[]);
        if model.is_ok_and(|model| !is_small(&Arc::new(model), args.states)) {
            continue;
        }
        let check = |options: Options| {
            let goals = Goals::Only(vec![Goal::Ltl(formula.clone())]);
            verify(&front, &Options { goals, engine: Engine::Interp, ..options })
                .ok()
                .map(|mut v| v.properties.remove(0))
        };
        let Some(full) = check(Options { partial_order: false, ..Options::default() }) else { continue };
        if full.states.is_none_or(|n| n > args.states) || full.verdict == Verdict::Undecided {
            continue;
        }
        verdicts[usize::from(full.verdict == Verdict::Violated)] += 1;
        let order = Order::Random(seed);
        let mut ways: Vec<(String, Options)> = [Selector::Ample, Selector::Stubborn]
            .map(|selector| (selector.name().into(), Options { selector, ..Options::default() }))
            .into();
        for mode in [Mode::Schedule, Mode::A, Mode::B] {
            for selector in [Selector::Ample, Selector::Stubborn] {
                let under = Some(Under { order, ..Under::new(mode) });
                let name = format!("{mode:?}, {}", selector.name());
                ways.push((name, Options { under, selector, ..Options::default() }));
            }
        }
        for (name, options) in ways {
            let found = check(options).map(|r| r.verdict);
            if found != Some(full.verdict) {
                failed += 1;
                println!("seed {seed}, {name}: {found:?} instead of {:?}\n{text}\nltl p {{ {formula} }}", full.verdict);
            }
        }
        let weak = check(Options { proviso: Proviso::Weak, ..Options::default() }).map(|r| r.verdict);
        if weak == Some(Verdict::Holds) && full.verdict == Verdict::Violated {
            failed += 1;
            println!("seed {seed}: the weak proviso says `holds`\n{text}\nltl p {{ {formula} }}");
        }
    }
    println!("{} formulas that hold, {} violated ones, {failed} failed", verdicts[0], verdicts[1]);
    Ok(failed == 0)
}

/// Model, formula, macros.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const ROWS: [Row; 10] = [
    ("token", "comes", &[("N", "8")]),
    ("token", "alone", &[("N", "6")]),
    ("peterson", "exclusion", &[("N", "3"), ("BROKEN", "1")]),
    ("peterson", "exclusion", &[("N", "3")]),
    ("peterson", "enters", &[("N", "3")]),
    ("philosophers", "eats", &[("N", "6")]),
    ("philosophers", "neighbours", &[("N", "6")]),
    ("lossy", "arrives", &[("N", "4"), ("WINDOW", "3")]),
    ("lossy", "order", &[("N", "4"), ("WINDOW", "2")]),
    ("trap", "p", &[]),
];

/// Prints the table; true when all searches of a row agree.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    println!("| model | verdict | all moves | strict | `schedule` | `A` | `B`, S = V first | first round / strict |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut good = true;
    for (model, formula, defines) in ROWS {
        let path = root.join(format!("crates/ferrospin/tests/data/under/{model}.pml"));
        let set = |(name, value): &(&str, &str)| Define::Set((*name).into(), Some((*value).into()));
        let options = front::Options { defines: defines.iter().map(set).collect(), ..front::Options::default() };
        let front = front::read_path(&path, &options).map_err(anyhow::Error::msg)?;
        let goals = Goals::Only(vec![Goal::Ltl(formula.into())]);
        let check = |options: Options| {
            let found = verify(&front, &Options { goals: goals.clone(), ..options });
            found.map(|mut v| v.properties.remove(0)).map_err(|refusal| anyhow::Error::msg(refusal.why()))
        };
        let under = |mode, start| {
            let under = Under { start, ..Under::new(mode) };
            check(Options { under: Some(under), ..Options::default() })
        };
        let full = check(Options { partial_order: false, ..Options::default() })?;
        let strict = check(Options::default())?;
        let rounds =
            [under(Mode::Schedule, Start::Empty)?, under(Mode::A, Start::Empty)?, under(Mode::B, Start::Visible)?];
        good &= rounds.iter().chain([&strict]).all(|r| r.verdict == full.verdict);
        let states = |r: &PropertyReport| r.states.unwrap_or(0);
        let all: Vec<String> = rounds
            .iter()
            .map(|r| format!("{} ({})", r.under.iter().map(|i| i.states).sum::<u64>(), r.under.len()))
            .collect();
        let first = rounds[0].under.first().map_or(0, |i| i.states);
        let macros: Vec<String> = defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
        println!(
            "| {model} {} `{formula}` | {} | {} | {} | {} | {:.2} % |",
            macros.join(" "),
            if full.verdict == Verdict::Violated { "violated" } else { "holds" },
            states(&full),
            states(&strict),
            all.join(" | "),
            first as f64 / states(&strict).max(1) as f64 * 100.0
        );
    }
    Ok(good)
}
