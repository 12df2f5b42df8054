//! Runs what only a device can show: `device FOLDER N` makes the N-th of the searches, `device FOLDER` says how many there are. The
//! models of BEEM lie in the folder.
//!
//! Reduced searches, formulas, all tables, the way back from a ring, counts that are known, and blocks of several sizes; each in
//! a process of its own, so that one that hangs costs little. It ends with 1 where something is wrong.

#[path = "../tests/same/formula.rs"]
mod formula;

use ferrospin_gpu::driver::Driver;
use ferrospin_gpu::table::Kind;
use ferrospin_gpu::{Automaton, Failed, Fault, Found, Memory, Options, Sizes, search};
use ferrospin_interp::Interp;
use ferrospin_lower::claim;
use ferrospin_model::ir::Model;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// States and transitions of models, as `pan` and earlier runs count them, with the states of the prologue.
const KNOWN: [(&str, u64, u64); 16] = [
    ("anderson.6", 18_206_919, 86_996_325),
    ("at.5", 31_999_442, 125_231_183),
    ("bakery.7", 29_047_471, 100_691_445),
    ("elevator2.3", 7_667_712, 55_377_921),
    ("fischer.6", 8_321_730, 33_454_194),
    ("lamport.8", 62_669_317, 269_192_486),
    ("leader_filters.7", 26_302_351, 91_692_859),
    ("mcs.5", 60_556_521, 278_302_282),
    ("phils.6", 14_348_906, 143_489_056),
    ("szymanski.5", 79_518_740, 375_297_914),
    ("telephony.7", 21_960_310, 114_070_473),
    ("peterson.6", 174_495_861, 747_072_151),
    ("iprotocol.7", 201_227_330, 719_545_992),
    ("at.7", 819_243_818, 3_711_324_747),
    ("lann.7", 1_827_177_190, 11_901_545_803),
    ("telephony.8", 1_051_746_066, 5_857_573_153),
];

/// Formulas of models.
const FORMULAS: [(&str, &str); 8] = [
    ("at.5", "[]<> (x == 0)"),
    ("at.5", "([]<> (x == 1)) -> ([]<> (y == 0))"),
    ("anderson.6", "([]<> (next == 1)) -> ([]<> (next == 2))"),
    ("lamport.8", "([]<> (x == 0)) -> ([]<> (y == 0))"),
    ("mcs.5", "([]<> (tail == 0)) -> ([]<> (tail == 255))"),
    ("elevator2.3", "[] ((req[0] == 1) -> <> (p == 0))"),
    ("phils.6", "([]<> (fork[0] == 1)) -> ([]<> (fork[0] == 0))"),
    ("szymanski.5", "[] !(w[0] == 1 && w[1] == 1 && a[0] == 1)"),
];

/// What one process runs: the part, the model, and what about it.
struct Task {
    part: &'static str,
    name: &'static str,
    number: usize,
}

/// Blocks: threads, blocks of a multiprocessor, places in the stage.
const SIZES: [(u32, u32, u32); 10] = [
    (256, 5, 8),
    (256, 4, 8),
    (256, 6, 8),
    (256, 8, 8),
    (256, 3, 8),
    (128, 10, 8),
    (128, 8, 8),
    (128, 16, 8),
    (256, 5, 6),
    (256, 4, 12),
];

const TABLES: [(&str, Kind); 6] = [
    ("at.5", Kind::Quotient64),
    ("at.5", Kind::Direct128),
    ("at.5", Kind::Arena),
    ("peterson.6", Kind::Quotient32),
    ("leader_filters.7", Kind::Arena),
    ("firewire_link.5", Kind::Arena),
];

const REDUCED: [&str; 7] = ["anderson.6", "at.5", "leader_filters.7", "phils.6", "mcs.5", "iprotocol.7", "bakery.7"];

fn tasks() -> Vec<Task> {
    let mut list = Vec::new();
    let mut add = |part, name, number| list.push(Task { part, name, number });
    REDUCED.iter().for_each(|name| add("reduced", name, 0));
    (0..FORMULAS.len()).for_each(|i| add("formulas", FORMULAS[i].0, i));
    (0..TABLES.len()).for_each(|i| add("tables", TABLES[i].0, i));
    (0..2).for_each(|i| add("ring", "bakery.8", i));
    for (name, ..) in KNOWN.iter().take(13) {
        (0..4).for_each(|run| add("counts", name, run));
    }
    for name in ["telephony.7", "szymanski.5"] {
        (0..SIZES.len()).for_each(|i| add("sizes", name, i));
    }
    KNOWN.iter().skip(13).for_each(|k| add("counts", k.0, 0));
    ["driving_phils.5", "lamport_nonatomic.5"].iter().for_each(|name| add("large", name, 0));
    list
}

fn say(line: &str) {
    println!("{line}");
    let _ = std::io::stdout().flush();
}

fn read(folder: &Path, name: &str) -> String {
    let path = folder.join(format!("{name}.pm"));
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

fn all() -> Options {
    Options { errors_max: 0, ..Options::default() }
}

/// One search, told in a line.
fn run(name: &str, what: &str, model: &Arc<Model>, options: &Options) -> Option<Found> {
    let began = Instant::now();
    let found = Driver::open()
        .map_err(Failed::from)
        .and_then(|mut device| search(&mut device, model, &mut Interp::new(model.clone()), options, &mut |_| true));
    let whole = began.elapsed().as_secs_f64();
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            say(&format!("{name} {what}: FAILED {why}"));
            return None;
        }
    };
    let f = &found.figures;
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    say(&format!(
        "{name} {what}: {} states, {} transitions, depth {}, {} errors, {:?}, {} bits, {}, load {:.2}, search {:.2} ms, {:.0} M/s, \
         making {:.2} s, back {:.1} ms, cycles {:.1} ms in {} rounds, whole {whole:.2} s, grown {}, widened {}",
        found.states,
        found.states + found.matched,
        found.depth,
        found.errors,
        found.ended,
        f.bits,
        f.table.name(),
        found.states as f64 / f.slots as f64,
        ms(f.search),
        found.states as f64 / f.search.as_secs_f64().max(1e-9) / 1e6,
        f.making.as_secs_f64(),
        ms(f.back),
        ms(f.cycles),
        f.rounds,
        f.grown,
        f.widened.len(),
    ));
    Some(found)
}

/// Whether counts are those that are known.
fn is_known(name: &str, found: &Found) -> bool {
    let Some((_, states, transitions)) = KNOWN.iter().find(|k| k.0 == name) else { return true };
    let same = (found.states, found.states + found.matched) == (*states, *transitions);
    if !same {
        say(&format!("{name}: WRONG, {states} states and {transitions} transitions are known"));
    }
    same
}

fn check(folder: &Path, task: &Task) -> bool {
    let Task { part, name, number } = *task;
    if part == "formulas" {
        return formula(folder, name, FORMULAS[number].1);
    }
    let model = Arc::new(ferrospin_testkit::model(name, &read(folder, name), &[]).expect("it is a model"));
    let (what, options) = match part {
        "reduced" => ("reduced".into(), Options { reduce: true, ..all() }),
        "tables" => (TABLES[number].1.name().into(), Options { table: Some(TABLES[number].1), ..all() }),
        "ring" => {
            // The table has room for all; the queue has not.
            let memory = Memory { slots: 1 << 26, queue: 1 << 23, bytes_max: (8 << 26) + (16 << 23), levels: 1 << 16 };
            let memory = (number == 0).then_some(memory);
            (["ring", "whole"][number].into(), Options { memory, errors_max: 1, ..all() })
        }
        "sizes" => {
            let (threads, blocks_min, stage) = SIZES[number];
            let sizes = Sizes { threads, blocks_min, stage, scattered: false, ..Sizes::default() };
            (format!("threads {threads} blocks {blocks_min} stage {stage}"), Options { sizes, ..all() })
        }
        _ => {
            // The last two runs of four have barriers for whole warps.
            let sizes = Sizes { scattered: number < 2, ..Sizes::default() };
            let form = if number < 2 { "scattered" } else { "aligned" };
            (format!("run {number} {form}"), Options { sizes, ..all() })
        }
    };
    let Some(found) = run(name, &what, &model, &options) else { return false };
    if part == "ring" {
        let steps = found.violation.as_ref().map(|v| v.trail.len());
        say(&format!("  {steps:?} steps to the violation"));
        return steps == Some(53);
    }
    part == "reduced" || is_known(name, &found)
}

fn formula(folder: &Path, name: &str, text: &str) -> bool {
    let Some((model, property)) = formula::read(&format!("{}\nltl p {{ {text} }}\n", read(folder, name))) else {
        say(&format!("{name}: the formula cannot be read"));
        return false;
    };
    let (with, claim) = claim::add(&model, &property).expect("it has an automaton");
    let automaton = Automaton::of(&with, claim).expect("it qualifies");
    let options = Options { automaton: Some(automaton), errors_max: 1, ..Options::default() };
    let model = Arc::new(with);
    let Some(found) = run(name, text, &model, &options) else { return false };
    let Some(v) = &found.violation else {
        say("  it holds");
        return true;
    };
    let cycle = if let Fault::Cycle(c) = &v.fault { c.len() } else { 0 };
    let confirmed = formula::confirm(&model, &property, v);
    say(&format!("  it fails, {} steps to a cycle of {cycle}: {confirmed:?}", v.trail.len()));
    confirmed.is_ok()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tasks = tasks();
    let Some(number) = arguments.get(1).and_then(|n| n.parse::<usize>().ok()) else {
        println!("{}", tasks.len());
        return;
    };
    let right = check(Path::new(&arguments[0]), &tasks[number]);
    std::process::exit(i32::from(!right));
}
