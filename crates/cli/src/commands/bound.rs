//! `ferrospin bound`: whether channels can grow for ever.

use super::ExitStatus;
use super::progress::Watcher;
use super::subject::{self, LimitArgs, Reading, Trouble, ViewArgs};
use crate::args::shared::{Format, ModelArgs, OutputArgs};
use crate::output;
use crate::signals::Signals;
use ferrospin::behaviour::Timer;
use ferrospin::front::Front;
use ferrospin::growth::{self, Growth};
use ferrospin::run;
use ferrospin_bound::{Analysis, Answer, Limits, Loop, Refusal, Round, Suspect, analyse};
use ferrospin_lp::Rational;
use ferrospin_lts::Watch;
use ferrospin_model::ir::{EdgeId, Model, ProcessId};
use ferrospin_source::Span;
use serde_json::{Value, json};

/// Ask whether channels can grow for ever
///
/// Without a search: sends and receives on the loops of each process are weighed against each other, for channels of any capacity. A
/// channel that is bounded never holds more messages than the bound that is printed, which is a good capacity for it.
/// What is not shown to be bounded comes with the loops that could not be excluded, or, where a short search finds one, with a run that
/// makes it grow.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin bound model.pml              every channel, with its bound
  ferrospin bound --no-refine model.pml  loops alone, whatever ends them

Exit codes:
  0  every channel is bounded
  1  some channel grows for ever (said only when it is shown)
  2  bad input or usage
  3  not known")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// Do not look at suspects again
    #[arg(long)]
    no_refine: bool,

    /// Look at this many places of processes
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Limits")]
    places_max: usize,

    /// Look for runs that make a channel grow in this many states; 0 for none
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Limits")]
    states_max: usize,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// What the model is, for telling, and what is known of channels that are not bounded.
struct Told<'a> {
    front: &'a Front,
    model: &'a Model,
    growths: Vec<Growth>,
}

/// Analyses.
pub(crate) fn run(args: &Args, signals: &Signals) -> anyhow::Result<ExitStatus> {
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let name = args.model.path.display().to_string();
    let (options, view) = (args.model.options(), ViewArgs::default());
    let reading = Reading {
        options: &options,
        view: &view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher: &watcher,
        ends: false,
        languages: ferrospin::languages::LANGUAGES,
    };
    let give_up = |trouble| {
        watcher.clear();
        subject::give_up(&name, "bound", trouble, &args.output)
    };
    let front = match reading.front(&args.model.path) {
        Ok(front) => front,
        Err(trouble) => return give_up(trouble),
    };
    let runnable = match run::prepare(&front) {
        Ok(runnable) => runnable,
        Err(why) => return give_up(reading.refuse("refused", &why.to_string())),
    };
    let rounds_max = if args.no_refine { 0 } else { Limits::default().rounds_max };
    let limits = Limits { nodes_max: args.places_max, rounds_max, ..Limits::default() };
    let found = analyse(&runnable.model, &limits, &|| timer.go_on(0));
    let mut told = Told { front: &front, model: &runnable.model, growths: Vec::new() };
    let analysis = match found {
        Ok(analysis) => analysis,
        Err(refusal) => {
            watcher.clear();
            return not_understood(args, &told, &refusal);
        }
    };
    let is_open = |(channel, answer): &(usize, Answer)| {
        let is_global = analysis.channels[*channel].owner.is_none();
        (is_global && matches!(answer, Answer::Suspect(_))).then_some(*channel)
    };
    let open: Vec<usize> = analysis.answers.iter().filter_map(is_open).collect();
    if args.states_max > 0 && !open.is_empty() {
        told.growths = growth::grows(&front, &runnable, &open, args.states_max, &|| timer.go_on(0));
    }
    watcher.clear();
    if timer.has_stopped() {
        return give_up(Trouble::Limit(timer.why()));
    }
    match args.output.format {
        Format::Text => output::print(&told.text(args, &name, &analysis))?,
        Format::Json => output::print_json(&told.data(&name, &analysis, &timer))?,
    }
    Ok(match told.verdict(&analysis) {
        "bounded" => 0,
        "grows" => 1,
        _ => 3,
    })
}

/// A model with something in it that the test does not understand: nothing is known, and the place is told.
fn not_understood(args: &Args, told: &Told<'_>, refusal: &Refusal) -> anyhow::Result<ExitStatus> {
    let name = args.model.path.display().to_string();
    let line = told.line(refusal.span);
    if args.output.format == Format::Json {
        let property = json!({ "name": "bound", "kind": "bound", "verdict": "undecided", "complete": false,
                               "stopped": refusal.why, "location": { "file": name, "line": line } });
        output::print_json(&subject::report(&name, "undecided", property, Vec::new()))?;
    } else {
        output::print(&format!("unknown: line {line}: {}\n", refusal.why))?;
    }
    Ok(3)
}

impl Told<'_> {
    fn verdict(&self, analysis: &Analysis) -> &'static str {
        match (analysis.is_bounded(), self.growths.is_empty()) {
            (true, _) => "bounded",
            (false, false) => "grows",
            (false, true) => "unknown",
        }
    }

    fn growth(&self, channel: usize) -> Option<&Growth> {
        self.growths.iter().find(|g| g.channel == channel)
    }

    fn line(&self, span: Span) -> u32 {
        self.front.map.position(span).map_or(0, |p| p.line)
    }

    fn process(&self, process: ProcessId) -> &str {
        &self.model.process(process).name
    }

    /// `left, lines 12 to 17`
    fn place(&self, lap: &Loop) -> String {
        let lines = self.lines(&lap.edges);
        let [first, last] = [lines.iter().min(), lines.iter().max()].map(|l| l.copied().unwrap_or(0));
        let lines = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
        format!("{}, {lines}", self.process(lap.process))
    }

    fn lines(&self, edges: &[EdgeId]) -> Vec<u32> {
        edges.iter().map(|e| self.line(self.model.edge(*e).span)).filter(|l| *l > 0).collect()
    }

    fn suspect(&self, suspect: &Suspect, text: &mut String) {
        for lap in &suspect.loops {
            let change = |(name, n): &(String, i64)| format!("{name} {n:+}");
            let effect: Vec<String> = lap.effect.iter().map(change).collect();
            let effect = if effect.is_empty() { "no message is kept or taken".into() } else { effect.join(", ") };
            let times = if lap.times == Rational::ONE { String::new() } else { format!(" ({} times)", lap.times) };
            *text += &format!("    the loop of {}{times}: {effect} in each round\n", self.place(lap));
        }
    }

    fn round(&self, number: usize, round: &Round) -> String {
        let mut text = format!("suspect {number}:\n");
        self.suspect(&round.suspect, &mut text);
        let names = |list: &[(ProcessId, String)]| {
            let names: Vec<String> = list.iter().map(|(p, n)| format!("`{n}` of {}", self.process(*p))).collect();
            names.join(", ")
        };
        if !round.too_many.is_empty() {
            text += &format!("  too many values: {}\n", names(&round.too_many));
        }
        if !round.variables.is_empty() {
            let often = match round.repeats_max {
                Some(1) => "the first loop is gone through at most once in a row".into(),
                Some(n) => format!("the first loop is gone through at most {n} times in a row"),
                None => "the first loop can still be repeated".to_owned(),
            };
            text += &format!("  by the values of {}: {often}\n", names(&round.variables));
        }
        text
    }

    fn text(&self, args: &Args, name: &str, analysis: &Analysis) -> String {
        let mut text = String::new();
        if !args.output.quiet {
            for (i, round) in analysis.rounds.iter().enumerate() {
                text += &self.round(i + 1, round);
            }
        }
        for (position, answer) in &analysis.answers {
            let channel = &analysis.channels[*position];
            if let Some(growth) = self.growth(*position) {
                let (before, more) = (subject::counted(growth.before, "step"), growth.more);
                text += &format!("{}: grows for ever; after {before} each round adds {more}:\n", channel.name);
                growth.round.iter().for_each(|line| text += &format!("    {line}\n"));
                continue;
            }
            let (title, room) = (&channel.name, channel.capacity);
            match answer {
                Answer::Bounded { bound, .. } => {
                    let all = if channel.owner.is_some() { " in all of them together" } else { "" };
                    let advice = match bound.to_i64().map(|b| b.cmp(&i64::from(room))) {
                        Some(std::cmp::Ordering::Equal) => String::new(),
                        Some(std::cmp::Ordering::Less) => format!(", and {bound} would do"),
                        _ => ", so that a send may have to wait".to_owned(),
                    };
                    text += &format!("{title}: bounded, at most {bound}{all}; its capacity is {room}{advice}\n");
                }
                Answer::Suspect(suspect) => {
                    text += &format!("{title}: unknown; not excluded:\n");
                    self.suspect(suspect, &mut text);
                }
                Answer::Limit => text += &format!("{title}: unknown; the limits of the test were reached\n"),
                Answer::Unconfirmed(why) => {
                    text += &format!("{title}: unknown; the certificate was refused: {why}\n");
                }
            }
        }
        let verdict = self.verdict(analysis);
        let places = subject::counted(analysis.places, "place");
        text += &format!("{name}: {verdict} ({places} of processes, {} steps)\n", analysis.steps);
        text
    }

    fn suspect_data(&self, suspect: &Suspect) -> Value {
        let one = |lap: &Loop| {
            let effect: serde_json::Map<String, Value> =
                lap.effect.iter().map(|(n, c)| (n.clone(), json!(c))).collect();
            json!({ "process": self.process(lap.process), "lines": self.lines(&lap.edges), "times": lap.times.to_string(),
                    "effect": effect })
        };
        suspect.loops.iter().map(one).collect()
    }

    fn data(&self, name: &str, analysis: &Analysis, timer: &Timer) -> Value {
        let names = |list: &[(ProcessId, String)]| -> Value {
            list.iter().map(|(p, n)| json!({ "process": self.process(*p), "variable": n })).collect()
        };
        let round = |r: &Round| {
            json!({ "suspect": self.suspect_data(&r.suspect), "variables": names(&r.variables),
                    "too_many_values": names(&r.too_many), "repeats_max": r.repeats_max })
        };
        let rounds: Vec<Value> = analysis.rounds.iter().map(round).collect();
        let property = |(position, answer): &(usize, Answer)| {
            let channel = &analysis.channels[*position];
            let growth = self.growth(*position);
            let (bound, suspect, evidence) = match answer {
                Answer::Bounded { bound, certificate } => {
                    let kind = json!({ "kind": "certificate", "file": null, "weights": certificate.weights.len(),
                                       "potentials": certificate.potentials.len() });
                    (bound.to_i64(), Value::Null, kind)
                }
                Answer::Suspect(suspect) => (None, self.suspect_data(suspect), Value::Null),
                Answer::Limit | Answer::Unconfirmed(_) => (None, Value::Null, Value::Null),
            };
            let holds = matches!(answer, Answer::Bounded { .. });
            let location = json!({ "file": name, "line": self.line(channel.span) });
            let error = growth.map(|g| {
                let message =
                    format!("`{}` grows for ever: after {} steps each round adds {}", channel.name, g.before, g.more);
                json!({ "kind": "growth", "message": message, "location": location, "depth": g.before })
            });
            let evidence = growth.map_or(evidence, |g| json!({ "kind": "trail", "file": null, "text": g.round }));
            json!({
                "name": channel.name.as_ref(),
                "kind": "bound",
                "verdict": if holds { "holds" } else if growth.is_some() { "violated" } else { "undecided" },
                "complete": holds,
                "exact": true,
                "errors": u8::from(growth.is_some()),
                "error": error,
                "evidence": evidence,
                "location": location,
                "figures": { "bound": bound, "capacity": channel.capacity, "suspect": suspect },
            })
        };
        let properties: Vec<Value> = analysis.answers.iter().map(property).collect();
        let verdict = match self.verdict(analysis) {
            "bounded" => "holds",
            "grows" => "violated",
            _ => "undecided",
        };
        let mut report = subject::report(name, verdict, Value::Null, Vec::new());
        report["properties"] = Value::Array(properties);
        report["figures"] = json!({ "rounds": rounds, "places": analysis.places, "steps": analysis.steps,
                                    "classes": analysis.classes });
        report["elapsed_s"] = json!(timer.elapsed_s());
        report
    }
}
