//! A further language takes one row of the table of languages: counters, read from a `.count` file, get searches, stores, formulas,
//! fairness, trails, replay and charts.
// Short methods stand on one line, so that the whole language can be seen at once.
#![cfg_attr(rustfmt, rustfmt_skip)]
use ferrospin::check::subject::{BoxMachine, Executors, Fault, Identity, NoProposition, Purpose, Reference, Stated};
use ferrospin::check::subject::{Subject, Told, Violation};
use ferrospin::front::Options as Reading;
use ferrospin::languages::{CannotOpen, LANGUAGES, Language, Loaded, Opened};
use ferrospin::report::{ErrorKind, PropertyKind};
use ferrospin::verify::{Options, Refusal};
use ferrospin_system::{Control, Failure, FailureCode, Labels, Machine, Move, Moves, NO_EDGE, StateHash, Step};
use ferrospin_trace::trail::{self, Act, Actor, Binding, Change, Event, MoveRecord, Standing};
use std::path::{Path, PathBuf};

/// Counters that go round: `NAME LIMIT` makes one, `forbid NAME VALUE` and `ltl FORMULA` are properties.
#[derive(Clone, Default)]
struct Count {
    path: Vec<PathBuf>,
    counters: Vec<(String, u8)>,
    forbidden: Vec<(usize, u8)>,
    formula: String,
    labels: Vec<u32>,
}

fn open(path: &Path, _: &Reading) -> Opened { read(path).map(|count| Box::new(count) as _).map_err(CannotOpen) }
fn read(path: &Path) -> Result<Count, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut count = Count { path: vec![path.into()], ..Count::default() };
    for line in text.lines() {
        let find = |name: &str| count.counters.iter().position(|c| c.0 == name).ok_or(format!("no counter `{name}`"));
        let number = |text: &str| text.parse().map_err(|e| format!("{line}: {e}"));
        match *line.split_whitespace().collect::<Vec<_>>() {
            ["forbid", name, value] => count.forbidden.push((find(name)?, number(value)?)),
            ["ltl", ref formula @ ..] => count.formula = formula.join(" "),
            [name, limit] => count.counters.push((name.into(), number(limit)?)),
            _ => return Err(format!("`{line}` is no line of a counter file")),
        }
    }
    Ok(count)
}
impl Loaded for Count {
    fn name(&self) -> &str { self.path[0].to_str().unwrap_or("counters") }
    fn inputs(&self) -> &[PathBuf] { &self.path }
    fn subject(&self, _: Option<&Options>) -> Result<Box<dyn Subject + '_>, Refusal> { Ok(Box::new(self)) }
}
impl Machine for Count {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> { *out = vec![0; self.counters.len()]; Ok(()) }
    fn moves(&mut self, state: &[u8], _: Control, out: &mut Moves) {
        out.clear();
        out.list.extend((0..state.len()).map(|p| Move::single(p as u8, p as u32)));
        let hit = (0u16..).zip(&self.forbidden).filter(|(_, (p, value))| state[*p] == *value);
        out.failures.extend(hit.map(|(i, _)| Failure { code: FailureCode::new(i), edge: NO_EDGE, process: 0 }));
    }
    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        *out = state.to_vec();
        let (at, limit) = (usize::from(mv.process), self.counters[usize::from(mv.process)].1);
        out[at] = if state[at] >= limit { 0 } else { state[at] + 1 };
        Step { control: Control::Free, failure: None, proceeds: true }
    }
    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        let label = |(i, p): (usize, &u32)| Labels::proposition(i).when(state[*p as usize] == 0);
        self.labels.iter().enumerate().map(label).fold(Labels::END, |all, l| all | l) & asked
    }
    ferrospin_system::one_by_one!();
}
impl Executors for Count {
    fn engine(&self) -> &'static str { "count" }
    fn machine(&self) -> BoxMachine { Box::new(self.clone()) }
    fn edges(&self) -> usize { self.counters.len() }
    fn fingerprint(&self) -> u64 { StateHash::new(0).of(format!("{:?} {:?}", self.counters, self.forbidden).as_bytes()) }
}
impl Subject for Count {
    fn identity(&self) -> Identity {
        Identity { name: self.name().into(), fingerprint: Executors::fingerprint(self).to_string(), options: vec![] }
    }
    fn properties(&self) -> Vec<Stated> {
        let formula = Some(self.formula.clone());
        vec![Stated::safety(), Stated { name: "ltl".into(), kind: PropertyKind::Ltl, formula }]
    }
    fn executors(&self, purpose: &Purpose, _: &Options) -> Result<Box<dyn Executors + '_>, Refusal> {
        let labels = if let Purpose::Labels(labels) = purpose { labels.clone() } else { Vec::new() };
        Ok(Box::new(Count { labels, ..self.clone() }))
    }
    fn reference(&self, _: Option<&Fault>) -> Box<dyn Reference + '_> { Box::new(self.clone()) }
    fn proposition(&self, text: &str) -> Result<u32, NoProposition> {
        let found = self.counters.iter().position(|c| text == format!("{}_is_0", c.0));
        found.map(|i| i as u32).ok_or_else(|| NoProposition::Unreadable(format!("`{text}` is not `COUNTER_is_0`")))
    }
}
impl Reference for Count {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> { Machine::initial(self, out) }
    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) { Machine::moves(self, state, control, out); }
    fn take(&mut self, state: &[u8], mv: &Move, _: Option<i32>, out: &mut Vec<u8>) -> (Step, trail::Step) {
        let (act, result) = (self.acts(state, mv).pop(), self.apply(state, mv, out));
        let at = usize::from(mv.process);
        let (name, before, after) = (self.counters[at].0.clone(), Some(state[at].to_string()), out[at].to_string());
        let step = trail::Step {
            events: vec![Event::Acted { process: actor(self, at), text: format!("to {after}") }],
            changes: vec![Change { process: None, name, before, after }],
            ..trail::Step::of(MoveRecord::from(*mv), act)
        };
        (result, step)
    }
    fn acts(&mut self, _: &[u8], mv: &Move) -> Vec<Act> {
        vec![Act { process: Some(actor(self, mv.process.into())), location: None, statement: "count".into(), spin: None }]
    }
    fn standing(&mut self, state: &[u8]) -> Vec<Standing> {
        let one = |p| Standing { process: actor(self, p), location: None, statement: String::new(), may_stop: true };
        (0..state.len()).map(one).collect()
    }
    fn values(&mut self, state: &[u8]) -> Vec<Binding> {
        let all = self.counters.iter().zip(state);
        all.map(|((name, _), value)| Binding { name: name.clone(), value: value.to_string() }).collect()
    }
    fn labels(&mut self, state: &[u8], propositions: &[u32]) -> u64 {
        propositions.iter().enumerate().fold(0, |bits, (i, p)| bits | u64::from(state[*p as usize] == 0) << i)
    }
    fn tell(&mut self, _: &Violation) -> Told {
        let message = String::from("a counter has a forbidden value");
        Told { kind: ErrorKind::Invariant, category: "invariant", detail: message.clone(), message, place: None }
    }
}

fn actor(count: &Count, process: usize) -> Actor { Actor { number: process as u8, name: count.counters[process].0.clone() } }

#[test]
fn a_row_is_enough() {
    let folder = std::env::temp_dir().join(format!("ferrospin-toy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let languages = [LANGUAGES, &[Language { name: "count", endings: &["count"], open }]].concat();
    let run = |subcommand: &str, text: &str, options: &str| {
        let file = folder.join("model.count").display().to_string();
        std::fs::write(&file, text).unwrap();
        let options = options.split_whitespace();
        ferrospin_cli::run(&languages, ["ferrospin", subcommand, &file, "--quiet"].into_iter().chain(options))
    };
    let fine = "x 3\ny 200\nltl []<> x_is_0\n";
    assert_eq!(run("check", fine, "--no-trail"), 1, "x may rest for ever");
    assert_eq!(run("check", fine, "--fair --store tree --search dfs"), 0);
    assert_eq!(run("check", fine, "--kind promela"), 2);
    let bad = "x 3\ny 200\nforbid y 150\nltl []<> x_is_0\n";
    assert_eq!(run("check", bad, "--safety --threads 2"), 1);
    assert_eq!(run("replay", bad, "--chart text=/dev/null"), 0);
    assert_eq!(run("replay", fine, ""), 2, "the trail is of another model");
    assert_eq!(run("simulate", fine, "--steps 50 --seed 3"), 0);
    assert_eq!(run("check", "x\n", ""), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}
