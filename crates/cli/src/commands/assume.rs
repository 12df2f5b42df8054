//! `ferrospin assume`: a property of parts that run together, proved by what one part needs of the others.

use super::ExitStatus;
use super::certificate::Assumed;
use super::progress::Watcher;
use super::subject::{self, Form, LimitArgs, Reading, Trouble, ViewArgs};
use crate::args::shared::{Format, OutputArgs, OverwriteArg};
use crate::output;
use crate::signals::Signals;
use clap::ValueEnum;
use ferrospin::behaviour::Timer;
use ferrospin::front;
use ferrospin::outputs::Outputs;
use ferrospin_learn::{Error, Options, Report, Rule, Verdict, judge, monolithic, prove};
use ferrospin_lts::Graph;
use ferrospin_lts::operations::with_whole_alphabet;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Prove a safety property part by part, by assumptions that are learned
///
/// Parts are labelled transition systems (.aut) that move together on the labels they share, or the groups of processes of one model
/// (.pml), as `compose` makes them. The composition is never built: an
/// automaton is learned that says what the first part needs of the others. Deadlocks are not looked at.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin assume --property order.aut input.aut output.aut
                                            what must the output do for the input to be right?
  ferrospin assume --property order.aut --save-assumption a.aut input.aut output.aut
  ferrospin assume --property order.aut --reuse a.aut input.aut output2.aut
                                            another output: is it as right as the one before?

Exit codes:
  0  the property holds
  1  the property is violated
  2  bad input or usage
  3  undecided within the limits")]
pub(crate) struct Args {
    /// The parts, or one model; the assumption is about what the first part needs
    #[arg(value_name = "PART", required = true, num_args = 1..)]
    parts: Vec<PathBuf>,

    /// The property: a deterministic system (.aut); what it cannot do is an error
    #[arg(long, value_name = "FILE")]
    property: PathBuf,

    /// How assumptions make a proof
    #[arg(long, value_enum, value_name = "RULE", default_value_t = RuleName::Asym)]
    rule: RuleName,

    /// Begin with the labels of the property, and add others as they are needed
    #[arg(long, conflicts_with = "reuse")]
    alphabet_refine: bool,

    /// Write the assumption to FILE (.aut); with several, the second and later ones get numbers
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    save_assumption: Option<PathBuf>,

    /// Write the evidence to FILE, for `ferrospin certify`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    certificate: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    /// Try the assumption in FILE (.aut) first; nothing is learned where it does
    #[arg(long, value_name = "FILE")]
    reuse: Option<PathBuf>,

    /// Build the composition, too, and compare
    #[arg(long)]
    compare_monolithic: bool,

    /// Ask at most this many questions
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_queries: Option<usize>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--rule`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum RuleName {
    /// The first part keeps the property under the assumption, and the others keep the assumption
    Asym,
    /// An assumption for each part; no word outside all of them breaks the property
    Sym,
}

/// What came of it.
struct Answer {
    report: Report,
    reused: bool,
    /// States and transitions of the composition, where it was built.
    whole: Option<(usize, usize)>,
}

/// Proves.
pub(crate) fn run(args: &Args, signals: &Signals) -> anyhow::Result<ExitStatus> {
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let found = answer(args, &watcher, &timer);
    watcher.clear();
    let found = match found {
        Ok(found) => found,
        Err(trouble) => return subject::give_up(&name(args), "assume", trouble, &args.output),
    };
    let inputs: Vec<PathBuf> = args.parts.iter().chain([&args.property]).chain(&args.reuse).cloned().collect();
    let outputs = Outputs::beside(&inputs, args.overwrite.overwrite);
    if let (Some(path), Verdict::Proved(assumptions)) = (&args.save_assumption, &found.report.verdict) {
        for (i, assumption) in assumptions.iter().enumerate() {
            let path = if i == 0 { path.clone() } else { numbered(path, i + 1) };
            subject::write(&with_whole_alphabet(assumption), Form::Aut, Some(&path), &outputs)?;
        }
    }
    if let Some(path) = &args.certificate {
        let text = |a: &Graph| ferrospin_lts::aut::write(&with_whole_alphabet(a));
        let proof = match &found.report.verdict {
            Verdict::Proved(assumptions) => Ok(assumptions.iter().map(text).collect()),
            Verdict::Violated(trace) => Err(trace.clone()),
        };
        let rule = if args.rule == RuleName::Asym { "asym" } else { "sym" };
        let (parts, property) = (args.parts.clone(), args.property.clone());
        Assumed { rule: rule.into(), parts, property, proof }.write(path, &outputs)?;
    }
    match args.output.format {
        Format::Text => output::print(&text(args, &found))?,
        Format::Json => output::print_json(&data(args, &found, &timer))?,
    }
    Ok(u8::from(matches!(found.report.verdict, Verdict::Violated(_))))
}

fn name(args: &Args) -> String {
    args.parts[0].display().to_string()
}

/// `a.aut`, `a.2.aut`
fn numbered(path: &std::path::Path, number: usize) -> PathBuf {
    path.with_extension(format!("{number}.{}", path.extension().map_or("aut".into(), |e| e.to_string_lossy())))
}

fn answer(args: &Args, watcher: &Watcher, timer: &Timer) -> Result<Answer, Trouble> {
    let reading = Reading {
        options: &front::Options::default(),
        view: &ViewArgs::default(),
        limits: args.limits.limits(),
        output: &args.output,
        watcher,
        ends: false,
        languages: ferrospin::languages::LANGUAGES,
    };
    let parts = read_parts(&args.parts, &reading, &args.limits)?;
    let parts: Vec<&Graph> = parts.iter().collect();
    let property = reading.aut_graph(&args.property)?;
    let rule = match args.rule {
        RuleName::Asym => Rule::Asymmetric,
        RuleName::Sym => Rule::Symmetric,
    };
    let options = Options { rule, refine: args.alphabet_refine, queries_max: args.max_queries };
    let trouble = |error: Error| match error {
        Error::Stopped(why) => Trouble::Limit(if timer.has_stopped() { timer.why() } else { why }),
        other => reading.refuse("usage", &other.to_string()),
    };
    let stopped = |_| Trouble::Limit(timer.why());
    if let Some(path) = &args.reuse {
        let assumption = reading.aut_graph(path)?;
        if parts.len() != 2 || rule != Rule::Asymmetric {
            return Err(reading.refuse("usage", "an assumption can be used again for two parts and the rule `asym`"));
        }
        // A property that is none must be refused here, too.
        let none = Options { queries_max: Some(0), ..options };
        if let Err(error @ (Error::Property | Error::Letter(_) | Error::Letters)) =
            prove(&parts, &property, &none, timer)
        {
            return Err(trouble(error));
        }
        if judge::proves(rule, &parts, &property, std::slice::from_ref(&assumption), timer).map_err(stopped)? {
            let verdict = Verdict::Proved(vec![assumption]);
            let report = Report { verdict, rounds: Vec::new(), queries: 0, states_max: 0, refinements: 0 };
            return Ok(Answer { report, reused: true, whole: None });
        }
    }
    let report = prove(&parts, &property, &options, timer).map_err(trouble)?;
    let right = match &report.verdict {
        Verdict::Proved(assumptions) => judge::proves(rule, &parts, &property, assumptions, timer).map_err(stopped)?,
        Verdict::Violated(trace) => judge::refutes(&parts, &property, trace, timer).map_err(stopped)?,
    };
    assert!(right, "what was learned is confirmed");
    let mut whole = None;
    if args.compare_monolithic {
        let (trace, states, transitions) = monolithic(&parts, &property, timer).map_err(trouble)?;
        assert_eq!(trace.is_some(), matches!(report.verdict, Verdict::Violated(_)), "the composition agrees");
        whole = Some((states, transitions));
    }
    Ok(Answer { report, reused: false, whole })
}

/// The parts of a proof: files, or the groups of one model.
pub(super) fn read_parts(paths: &[PathBuf], reading: &Reading<'_>, limits: &LimitArgs) -> Result<Vec<Graph>, Trouble> {
    if let [path] = paths {
        if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pml")) {
            return Err(reading.refuse("usage", "a proof needs two parts, or one model (.pml) with groups"));
        }
        let found = subject::groups(path, &limits.limits(), reading.output, reading.watcher)?;
        return Ok(found.parts.into_iter().map(|p| p.graph).collect());
    }
    paths.iter().map(|path| reading.aut_graph(path)).collect()
}

fn text(args: &Args, found: &Answer) -> String {
    let report = &found.report;
    let mut out = String::new();
    if !args.output.quiet {
        for (i, round) in report.rounds.iter().enumerate() {
            let size = subject::size(round.checked_states, round.checked_transitions);
            let states = subject::counted(round.states, "state");
            out += &format!("conjecture {}: {states}, with its part {size}\n", i + 1);
        }
        if found.reused {
            out += "the assumption does: nothing was learned\n";
        } else {
            out += &format!(
                "{} questions, largest composition {}\n",
                report.queries,
                subject::counted(report.states_max, "state")
            );
        }
        if let Some((states, transitions)) = found.whole {
            out += &format!("the whole system with the property: {}\n", subject::size(states, transitions));
        }
    }
    match &report.verdict {
        Verdict::Proved(assumptions) => {
            out += &format!("{} holds\n", args.property.display());
            if !args.output.quiet && args.save_assumption.is_none() && !found.reused {
                for (i, assumption) in assumptions.iter().enumerate() {
                    let which = if assumptions.len() > 1 { format!(" {}", i + 1) } else { String::new() };
                    out += &format!("assumption{which}:\n{}", ferrospin_lts::aut::write(assumption));
                }
            }
        }
        Verdict::Violated(trace) => {
            out += &format!("{} is violated by:\n", args.property.display());
            trace.iter().for_each(|label| out += &format!("  {label}\n"));
        }
    }
    out
}

fn data(args: &Args, found: &Answer, timer: &Timer) -> Value {
    let report = &found.report;
    let (verdict, error, evidence) = match &report.verdict {
        Verdict::Proved(assumptions) => {
            let file = args.save_assumption.as_ref().map(|p| p.display().to_string());
            let texts: Vec<String> = assumptions.iter().map(ferrospin_lts::aut::write).collect();
            ("holds", Value::Null, json!({ "kind": "assumption", "file": file, "text": texts }))
        }
        Verdict::Violated(trace) => {
            let message = format!("violated by {}", trace.join(" "));
            let error = json!({ "kind": "safety", "message": message, "location": null, "depth": trace.len() });
            ("violated", error, json!({ "kind": "trail", "file": null, "text": trace }))
        }
    };
    let rounds: Vec<Value> = report
        .rounds
        .iter()
        .map(|r| {
            json!({ "states": r.states, "checked_states": r.checked_states,
                    "checked_transitions": r.checked_transitions, "queries": r.queries })
        })
        .collect();
    let property = json!({
        "name": args.property.display().to_string(),
        "kind": "safety",
        "verdict": verdict,
        "complete": true,
        "exact": true,
        "reduction": "none",
        "errors": u8::from(verdict == "violated"),
        "error": error,
        "evidence": evidence,
        "figures": {
            "parts": args.parts.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
            "rule": if args.rule == RuleName::Asym { "asym" } else { "sym" },
            "reused": found.reused,
            "rounds": rounds,
            "queries": report.queries,
            "refinements": report.refinements,
            "largest_states": report.states_max,
            "monolithic": found.whole.map(|(states, transitions)| json!({ "states": states, "transitions": transitions })),
        },
        "elapsed_s": timer.elapsed_s(),
    });
    subject::report(&name(args), verdict, property, Vec::new())
}
