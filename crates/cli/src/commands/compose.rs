//! `ferrospin compose`: systems built part by part, and deployments of components looked at.

use super::ExitStatus;
use super::progress::Watcher;
use super::subject::{self, Form, LimitArgs, NotionName, Trouble};
use crate::args::shared::{Format, OutputArgs, OverwriteArg};
use crate::output;
use crate::signals::Signals;
use clap::ValueEnum;
use ferrospin::behaviour::Timer;
use ferrospin::outputs::{Kind, Outputs, PLAN_HEAD};
use ferrospin_components::architecture::{Architecture, Assembly, assemble};
use ferrospin_components::deployment::{Answers, look};
use ferrospin_components::file::{self, Deployment, Document};
use ferrospin_components::fractal;
use ferrospin_components::net::{self, Composition, Net, Part, Plan, Step};
use ferrospin_lts::product::{by_alphabets, product};
use ferrospin_lts::{Graph, Notion, Stopped, Watch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Build a system part by part
///
/// The file holds groups of processes (.pml), an architecture in the XML of Fractal (.xml), or (.toml) a net, parts that move together on the labels they share, or an architecture of components with
/// deployments. A net is composed step by step: what only the parts of a step have is hidden, and the result minimised. Of a
/// deployment it is said whether it ends, and whether something is called that is not bound.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin compose net.toml                   as its plan says; without one, as it seems best
  ferrospin compose --plan flat net.toml       all at once, to compare
  ferrospin compose -o whole.aut net.toml      the result as a labelled transition system
  ferrospin compose architecture.toml          every deployment that is written down
  ferrospin compose --observe 'done.*' model.pml
                                               the processes of a model, group by group
  ferrospin compose --deployment System architecture.toml

Exit codes:
  0  composed; all deployments are right
  1  some deployment is not right
  2  bad input or usage
  3  undecided within the limits")]
pub(crate) struct Args {
    /// The net or architecture
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// In which order parts are composed [default: as written, or else auto]
    #[arg(long, value_enum, value_name = "PLAN")]
    plan: Option<PlanName>,

    /// Labels that stay visible, in place of those that the file names; `*` stands for any text
    #[arg(long, value_name = "PATTERN,...", value_delimiter = ',')]
    observe: Vec<String>,

    /// Only this deployment (repeatable)
    #[arg(long, value_name = "NAME")]
    deployment: Vec<String>,

    /// The form of the composed net
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Aut, help_heading = "Output")]
    to: Form,

    /// Write the composed net to FILE
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Write the steps with their sizes to FILE, in the language of Graphviz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    picture: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--plan`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PlanName {
    /// As the file says
    Written,
    /// Two parts at a time, the smallest product for what it closes first
    Auto,
    /// All at once
    Flat,
}

/// What an architecture's deployment comes to.
struct Deployed {
    name: String,
    of: String,
    answers: Answers,
    /// States and transitions of the whole, or of what is left of it after composing level by level.
    size: [usize; 2],
    steps: Vec<net::Made>,
}

/// Composes.
pub(crate) fn run(args: &Args, signals: &Signals) -> anyhow::Result<ExitStatus> {
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let refuse = |code: &'static str, why: &str| {
        watcher.clear();
        if args.output.format == Format::Text {
            output::complain(why);
        }
        Trouble::Input(vec![ferrospin::report::message(code, why)])
    };
    let name = args.file.display().to_string();
    let give_up = |trouble| subject::give_up(&name, "composition", trouble, &args.output);
    let is_model = args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("pml"));
    let document = if is_model {
        match groups(args, &watcher) {
            Ok(net) => Document::Net(net, None),
            Err(trouble) => return give_up(trouble),
        }
    } else {
        match read(&args.file) {
            Ok(document) => document,
            Err((code, why)) => return give_up(refuse(code, &why)),
        }
    };
    match document {
        Document::Net(mut net, written) => {
            if !args.observe.is_empty() {
                net.observed = Some(args.observe.clone());
            }
            if !args.deployment.is_empty() {
                return give_up(refuse("usage", "a net has no deployments: leave out `--deployment`"));
            }
            let plan = match (args.plan, written) {
                (Some(PlanName::Flat), _) => Plan::Flat,
                (Some(PlanName::Auto), _) | (None, None) => Plan::Auto,
                (_, Some(steps)) => Plan::Steps(steps),
                (Some(PlanName::Written), None) => {
                    return give_up(refuse("usage", "no plan is written down: leave out `--plan written`"));
                }
            };
            match net::compose(&net, &plan, &timer) {
                Ok(found) => finish_net(args, &net, &found, &watcher, &timer),
                Err(net::Error::Stopped) => give_up(Trouble::Limit(timer.why())),
                Err(error) => give_up(refuse("net", &format!("{name}: {error}"))),
            }
        }
        Document::Architecture(architecture, deployments) => {
            if args.output_file.is_some() || args.picture.is_some() {
                let why = "an architecture is looked at, not written: leave out `-o` and `--picture`";
                return give_up(refuse("usage", why));
            }
            for wanted in &args.deployment {
                if !deployments.iter().any(|d| d.name == *wanted) {
                    let names: Vec<&str> = deployments.iter().map(|d| d.name.as_str()).collect();
                    let why = format!("{name}: there is no deployment `{wanted}`; there are: {}", names.join(", "));
                    return give_up(refuse("usage", &why));
                }
            }
            if deployments.is_empty() {
                return give_up(refuse("usage", &format!("{name}: no deployment is written down")));
            }
            let chosen = |d: &&Deployment| args.deployment.is_empty() || args.deployment.contains(&d.name);
            let mut found = Vec::new();
            for deployment in deployments.iter().filter(chosen) {
                match deploy(args, &architecture, deployment, &timer) {
                    Ok(deployed) => found.push(deployed),
                    Err(Failed::Wrong(why)) => {
                        return give_up(refuse(
                            "architecture",
                            &format!("{name}: deployment `{}`: {why}", deployment.name),
                        ));
                    }
                    Err(Failed::Stopped) => return give_up(Trouble::Limit(timer.why())),
                }
            }
            finish_architecture(args, &found, &watcher, &timer)
        }
    }
}

/// The groups of a Promela model as a net.
fn groups(args: &Args, watcher: &Watcher) -> Result<Net, Trouble> {
    let found = subject::groups(&args.file, &args.limits.limits(), &args.output, watcher)?;
    let parts = found.parts.into_iter().map(|p| Part { name: p.name, graph: p.graph }).collect();
    Ok(Net { parts, observed: found.observed, notion: Notion::DivergenceBranching })
}

fn read(path: &Path) -> Result<Document, (&'static str, String)> {
    let (text, name) = ferrospin::files::read_model(path).map_err(|why| (super::CANNOT_READ, why.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut load = |file: &str| {
        std::fs::read(folder.join(file)).map_err(|e| format!("cannot read `{file}`: {}", ferrospin::files::why(&e)))
    };
    let is_xml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xml") || e.eq_ignore_ascii_case("fractal"));
    let read = if is_xml { fractal::read } else { file::read };
    read(&text, &mut load).map_err(|e| (if is_xml { "xml" } else { "toml" }, format!("{name}: {e}")))
}

fn finish_net(
    args: &Args,
    net: &Net,
    found: &Composition,
    watcher: &Watcher,
    timer: &Timer,
) -> anyhow::Result<ExitStatus> {
    watcher.clear();
    let name = args.file.display().to_string();
    let inputs = [args.file.clone()];
    let outputs = Outputs::beside(&inputs, args.overwrite.overwrite);
    if let Some(path) = &args.picture {
        outputs.write(path, Kind::Plan, &picture(&net.parts, &found.steps)).map_err(anyhow::Error::msg)?;
    }
    if let Some(path) = &args.output_file {
        subject::write(&found.graph, args.to, Some(path), &outputs)?;
    }
    let size = [found.graph.state_count(), found.graph.edge_count()];
    if args.output.format == Format::Json {
        let property = json!({
            "name": "composition",
            "kind": "composition",
            "verdict": "holds",
            "complete": true,
            "exact": true,
            "figures": {
                "notion": NotionName::of(net.notion),
                "states": size[0],
                "transitions": size[1],
                "peak": found.peak(),
                "steps": steps_data(&found.steps),
            },
            "elapsed_s": timer.elapsed_s(),
        });
        output::print_json(&subject::report(&name, "holds", property, Vec::new()))?;
        return Ok(0);
    }
    let mut text = String::new();
    if !args.output.quiet {
        text += &steps_text(&found.steps);
    }
    text += &format!("{name}: {}, peak {}\n", subject::size(size[0], size[1]), subject::counted(found.peak(), "state"));
    output::print(&text)?;
    Ok(0)
}

fn steps_text(steps: &[net::Made]) -> String {
    let line = |s: &net::Made| {
        let of = if s.of.len() > 4 { format!("{} parts", s.of.len()) } else { s.of.join(" + ") };
        let hidden = subject::counted(s.hidden, "label");
        let (product, small) =
            (subject::size(s.product[0], s.product[1]), subject::size(s.minimised[0], s.minimised[1]));
        format!("{}: {of}: {product}; {hidden} hidden, minimised: {small}\n", s.name)
    };
    steps.iter().map(line).collect()
}

/// The tree of steps: boxes are parts, ellipses are what steps made, with the states of the product and what is left of them.
fn picture(parts: &[Part], steps: &[net::Made]) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = format!("{PLAN_HEAD}  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for part in parts {
        let states = subject::counted(part.graph.state_count(), "state");
        text += &format!("  {} [label={}];\n", quoted(&part.name), quoted(&format!("{}: {states}", part.name)));
    }
    let peak = steps.iter().map(|s| s.product[0]).max();
    for step in steps {
        let label = format!("{}: {} -> {}", step.name, subject::counted(step.product[0], "state"), step.minimised[0]);
        let weight = if Some(step.product[0]) == peak { ", style=bold" } else { "" };
        text += &format!("  {} [shape=ellipse, label={}{weight}];\n", quoted(&step.name), quoted(&label));
        for part in &step.of {
            text += &format!("  {} -> {};\n", quoted(part), quoted(&step.name));
        }
    }
    text + "}\n"
}

fn steps_data(steps: &[net::Made]) -> Vec<Value> {
    let step = |s: &net::Made| {
        json!({ "name": s.name, "of": s.of, "hidden": s.hidden, "interface": s.interface, "states": s.product[0],
                "transitions": s.product[1], "minimised_states": s.minimised[0], "minimised_transitions": s.minimised[1] })
    };
    steps.iter().map(step).collect()
}

/// Assemblies of up to this many states are made as a whole, unless a plan was given.
const WHOLE_MAX: u64 = 200_000;

/// Also stops at this many states.
struct Bounded<'a>(&'a Timer, u64);

impl Watch for Bounded<'_> {
    fn go_on(&self, states: u64) -> bool {
        states <= self.1 && self.0.go_on(states)
    }
}

enum Failed {
    Wrong(String),
    Stopped,
}

impl From<Stopped> for Failed {
    fn from(_: Stopped) -> Self {
        Failed::Stopped
    }
}

fn deploy(
    args: &Args,
    architecture: &Architecture,
    deployment: &Deployment,
    timer: &Timer,
) -> Result<Deployed, Failed> {
    let Deployment { name, of, replaced, steps } = deployment;
    for kind in replaced.values() {
        if !architecture.components.contains_key(kind) {
            return Err(Failed::Wrong(format!("there is no component `{kind}`")));
        }
    }
    let Assembly { parts, plan } =
        assemble(architecture, of, replaced, Some(steps)).map_err(|e| Failed::Wrong(e.to_string()))?;
    let deployed = |graph: &Graph, steps| Deployed {
        name: name.clone(),
        of: of.clone(),
        answers: look(graph),
        size: [graph.state_count(), graph.edge_count()],
        steps,
    };
    if matches!(args.plan, None | Some(PlanName::Flat)) {
        let max = if args.plan.is_none() { WHOLE_MAX } else { u64::MAX };
        let graphs: Vec<&Graph> = parts.iter().map(|p| &p.graph).collect();
        match product(&graphs, &by_alphabets(&graphs), &Bounded(timer, max)) {
            Ok(whole) => return Ok(deployed(&whole.graph, Vec::new())),
            Err(Stopped) if timer.has_stopped() => return Err(Failed::Stopped),
            Err(Stopped) => {}
        }
    }
    let observed = Some(vec!["ERR_*".into(), ferrospin_components::architecture::OK.into()]);
    let plan = if args.plan == Some(PlanName::Auto) { Plan::Auto } else { Plan::Steps(own_steps(plan)) };
    let net = Net { parts, observed, notion: Notion::DivergenceBranching };
    match net::compose(&net, &plan, timer) {
        Ok(found) => Ok(deployed(&found.graph, found.steps)),
        Err(net::Error::Stopped) => Err(Failed::Stopped),
        Err(error) => Err(Failed::Wrong(error.to_string())),
    }
}

/// The steps that compose something.
fn own_steps(plan: Vec<Step>) -> Vec<Step> {
    plan.into_iter().filter(|s| !s.of.is_empty()).collect()
}

/// The questions, and where the answer is no, the trace.
fn questions(answers: &Answers) -> [(&'static str, &'static str, &Option<Vec<String>>); 3] {
    [
        ("it can always end", "it cannot end any more behind", &answers.stuck),
        ("no error comes before its end", "an error comes before its end", &answers.error_before),
        ("no error comes behind it", "an error comes behind it", &answers.error_behind),
    ]
}

fn finish_architecture(
    args: &Args,
    found: &[Deployed],
    watcher: &Watcher,
    timer: &Timer,
) -> anyhow::Result<ExitStatus> {
    watcher.clear();
    let holds = found.iter().all(|d| d.answers.holds());
    let name = args.file.display().to_string();
    if args.output.format == Format::Json {
        let property = |d: &Deployed| {
            let wrong = questions(&d.answers).into_iter().find_map(|(_, no, trace)| trace.as_ref().map(|t| (no, t)));
            let error = wrong.map(|(no, trace)| {
                json!({ "kind": "deployment", "message": format!("{no}: {}", trace.join(" ")), "location": null,
                        "depth": trace.len() })
            });
            json!({
                "name": d.name,
                "kind": "deployment",
                "verdict": if d.answers.holds() { "holds" } else { "violated" },
                "complete": true,
                "exact": true,
                "errors": u8::from(!d.answers.holds()),
                "error": error,
                "evidence": wrong.map(|(_, trace)| json!({ "kind": "trail", "file": null, "text": trace })),
                "figures": { "component": d.of, "states": d.size[0], "transitions": d.size[1],
                             "running_states": d.steps.is_empty().then_some(d.answers.running), "steps": steps_data(&d.steps) },
            })
        };
        let properties: Vec<Value> = found.iter().map(property).collect();
        let mut report = subject::report(&name, if holds { "holds" } else { "violated" }, Value::Null, Vec::new());
        report["properties"] = Value::Array(properties);
        report["elapsed_s"] = json!(timer.elapsed_s());
        output::print_json(&report)?;
        return Ok(u8::from(!holds));
    }
    let mut text = String::new();
    for d in found {
        let verdict = if d.answers.holds() { "right" } else { "not right" };
        text +=
            &format!("{}: {verdict} ({} with its deployment: {})\n", d.name, d.of, subject::size(d.size[0], d.size[1]));
        if args.output.quiet {
            continue;
        }
        steps_text(&d.steps).lines().for_each(|line| text += &format!("    {line}\n"));
        for (yes, no, trace) in questions(&d.answers) {
            match trace {
                None => text += &format!("  {yes}\n"),
                Some(trace) => {
                    text += &format!("  {no}:\n");
                    trace.iter().for_each(|label| text += &format!("    {label}\n"));
                }
            }
        }
    }
    output::print(&text)?;
    Ok(u8::from(!holds))
}
