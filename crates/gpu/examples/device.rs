//! Runs what only a device can show: `device FOLDER OUT [PART...]`, with the models of BEEM in the folder.
//!
//! Counts that are known, all tables, the way back from a ring, reduced searches, formulas, and blocks of several sizes. What is printed
//! is also written to a file. It ends with 1 where a count is wrong.

#[path = "../tests/same/formula.rs"]
mod formula;

use ferrospin_gpu::driver::Driver;
use ferrospin_gpu::table::Kind;
use ferrospin_gpu::{Automaton, Failed, Fault, Found, Memory, Options, Sizes, search};
use ferrospin_interp::Interp;
use ferrospin_lower::claim;
use std::io::Write;
use std::path::PathBuf;
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
    ("telephony.8", 1_051_746_064, 5_857_573_153),
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

struct Bench {
    folder: PathBuf,
    out: std::fs::File,
    began: Instant,
    wrong: u32,
}

impl Bench {
    fn say(&mut self, line: &str) {
        println!("{line}");
        let _ = writeln!(self.out, "{line}");
        let _ = self.out.flush();
    }

    /// Whether there is time for more.
    fn goes_on(&self) -> bool {
        self.began.elapsed() < Duration::from_secs(490)
    }

    fn read(&self, name: &str) -> String {
        let path = self.folder.join(format!("{name}.pm"));
        std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    }

    fn run(&mut self, name: &str, what: &str, options: &Options) -> Option<Found> {
        let model = Arc::new(ferrospin_testkit::model(name, &self.read(name), &[]).expect("it is a model"));
        self.run_model(name, what, &model, options)
    }

    fn run_model(
        &mut self,
        name: &str,
        what: &str,
        model: &Arc<ferrospin_model::ir::Model>,
        options: &Options,
    ) -> Option<Found> {
        if !self.goes_on() {
            self.say(&format!("{name} {what}: no time left"));
            return None;
        }
        let began = Instant::now();
        let found = Driver::open()
            .map_err(Failed::from)
            .and_then(|mut device| search(&mut device, model, &mut Interp::new(model.clone()), options, &mut |_| true));
        let whole = began.elapsed().as_secs_f64();
        match found {
            Err(why) => {
                self.wrong += 1;
                self.say(&format!("{name} {what}: FAILED {why}"));
                None
            }
            Ok(found) => {
                let f = &found.figures;
                let ms = |d: Duration| d.as_secs_f64() * 1e3;
                self.say(&format!(
                    "{name} {what}: {} states, {} transitions, depth {}, {} errors, {:?}, {} bits, {}, load {:.2}, search {:.2} ms, {:.0} M/s, making {:.2} s, back {:.1} ms, cycles {:.1} ms in {} rounds, whole {whole:.2} s, grown {}, widened {}",
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
        }
    }

    fn expect(&mut self, name: &str, found: Option<&Found>, states: u64, transitions: u64) {
        let ours = found.map(|f| (f.states, f.states + f.matched));
        if found.is_some() && ours != Some((states, transitions)) {
            self.wrong += 1;
            self.say(&format!("{name}: WRONG, {states} states and {transitions} transitions are known"));
        }
    }
}

fn all() -> Options {
    Options { errors_max: 0, ..Options::default() }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let out = std::fs::File::create(&arguments[1]).expect("the file can be written");
    let mut b = Bench { folder: PathBuf::from(&arguments[0]), out, began: Instant::now(), wrong: 0 };
    let asked = |part: &str| arguments.len() == 2 || arguments[2..].iter().any(|a| a == part);
    if asked("counts") {
        for (name, states, transitions) in KNOWN.iter().take(13) {
            for run in 0..3 {
                let found = b.run(name, &format!("run {run}"), &all());
                b.expect(name, found.as_ref(), *states, *transitions);
            }
        }
    }
    if asked("tables") {
        for (name, kind) in [
            ("at.5", Kind::Quotient64),
            ("at.5", Kind::Direct128),
            ("at.5", Kind::Arena),
            ("peterson.6", Kind::Quotient32),
            ("leader_filters.7", Kind::Arena),
        ] {
            let found = b.run(name, kind.name(), &Options { table: Some(kind), ..all() });
            let (_, states, transitions) = KNOWN.iter().find(|k| k.0 == name).expect("it is known");
            b.expect(name, found.as_ref(), *states, *transitions);
        }
        b.run("firewire_link.5", "arena", &all());
        let memory = Memory { slots: 1 << 24, queue: 1 << 12, bytes_max: (8 << 24) + (16 << 12), levels: 1 << 16 };
        let ring = b.run("bakery.8", "ring", &Options { memory: Some(memory), errors_max: 1, ..all() });
        let plain = b.run("bakery.8", "whole", &Options { errors_max: 1, ..all() });
        let length = |f: &Option<Found>| f.as_ref().and_then(|f| f.violation.as_ref()).map(|v| v.trail.len());
        if length(&ring).is_none() || length(&ring) != length(&plain) {
            b.wrong += 1;
            b.say(&format!("bakery.8: WRONG trails, {:?} and {:?}", length(&ring), length(&plain)));
        }
    }
    if asked("reduced") {
        for name in ["anderson.6", "at.5", "leader_filters.7", "phils.6", "mcs.5", "iprotocol.7", "bakery.7"] {
            b.run(name, "reduced", &Options { reduce: true, ..all() });
        }
    }
    if asked("formulas") {
        for (name, text) in FORMULAS {
            let Some((model, property)) = formula::read(&format!("{}\nltl p {{ {text} }}\n", b.read(name))) else {
                b.wrong += 1;
                b.say(&format!("{name}: the formula cannot be read"));
                continue;
            };
            let (with, claim) = claim::add(&model, &property).expect("it has an automaton");
            let automaton = Automaton::of(&with, claim).expect("it qualifies");
            let options = Options { automaton: Some(automaton), errors_max: 1, ..Options::default() };
            if let Some(found) = b.run_model(name, text, &Arc::new(with), &options) {
                let verdict = match &found.violation {
                    None => "holds".into(),
                    Some(v) if matches!(v.fault, Fault::Formula) => format!("fails behind {} steps", v.trail.len()),
                    Some(v) => {
                        let cycle = if let Fault::Cycle(c) = &v.fault { c.len() } else { 0 };
                        format!("fails, {} steps to a cycle of {cycle}", v.trail.len())
                    }
                };
                b.say(&format!("  {verdict}"));
            }
        }
    }
    if asked("sizes") {
        for name in ["bakery.7", "telephony.7", "szymanski.5", "at.5"] {
            for (threads, blocks_min, stage) in [
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
            ] {
                let sizes = Sizes { threads, blocks_min, stage, ..Sizes::default() };
                let options = Options { sizes, ..all() };
                b.run(name, &format!("threads {threads} blocks {blocks_min} stage {stage}"), &options);
            }
        }
    }
    if asked("large") {
        for (name, states, transitions) in KNOWN.iter().skip(13) {
            let found = b.run(name, "large", &all());
            b.expect(name, found.as_ref(), *states, *transitions);
        }
    }
    let wrong = b.wrong;
    b.say(&format!("{wrong} wrong, {:.0} s", b.began.elapsed().as_secs_f64()));
    std::process::exit(i32::from(wrong > 0));
}
