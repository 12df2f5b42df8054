//! `ferrospin compare`: whether two systems behave the same.

use super::ExitStatus;
use super::certificate::{Claim, Proof, macros};
use super::progress::Watcher;
use super::subject::{self, LimitArgs, NotionName, Reading, Trouble, ViewArgs};
use crate::args::shared::{Format, ModelArgs, OutputArgs, OverwriteArg};
use crate::output;
use crate::signals::Signals;
use clap::ValueEnum;
use ferrospin::behaviour::Timer;
use ferrospin::chi;
use ferrospin::languages::Language;
use ferrospin::outputs::{EVIDENCE_HEAD, Kind, Outputs};
use ferrospin_chi::equivalence::{self, Alike, Why};
use ferrospin_chi::graph::{GraphError, value_text};
use ferrospin_lts::compare::compare;
use ferrospin_lts::formula::Formula;
use ferrospin_lts::operations::reachable;
use ferrospin_lts::simulation::{Steps, not_simulated};
use ferrospin_lts::traces::{TraceEnd, has_trace, not_included, stuttering_difference};
use ferrospin_lts::{Graph, Stopped, evaluate, written};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Compare the behaviour of two systems
///
/// Each file is a labelled transition system (.aut), or a model in whatever language `check` takes, which is explored in full. A "no" comes with a
/// formula that holds in the first system and not in the second.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin compare spec.aut impl.aut                divergence-preserving branching bisimilarity
  ferrospin compare --notion strong a.aut b.aut      internal steps count too
  ferrospin compare --observe 'in.*,out.*' spec.pml impl.pml
                                                     two models, by the messages on two channels
  ferrospin compare --props 'turn,x > 3' old.pml new.pml
                                                     by variables: the same formulas of LTL without next hold
  ferrospin compare --notion stuttering-congruence a.chi b.chi
                                                     may one stand for the other in every model?

Exit codes:
  0  equivalent
  1  not equivalent
  2  bad input or usage
  3  undecided within the limits")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// The system to compare it with
    #[arg(value_name = "OTHER")]
    other: PathBuf,

    /// What counts as the same [default: dpbranching; stuttering with `--props`]
    #[arg(long, value_enum, value_name = "NOTION")]
    notion: Option<Relation>,

    /// Write the formula or trace of a "no" to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    formula: Option<PathBuf>,

    /// Write the evidence to FILE, for `ferrospin certify`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    certificate: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--notion`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Relation {
    /// Bisimilarity: internal steps count like others
    Strong,
    /// Branching bisimilarity: internal steps that decide nothing do not count
    Branching,
    /// The same, and what can go on internally for ever is different from what cannot
    Dpbranching,
    /// Weak bisimilarity
    Weak,
    /// Stuttering equivalence of what states carry: keeps formulas of LTL and CTL* without next
    Stuttering,
    /// The same traces of visible labels
    Traces,
    /// The same stuttering traces of what states carry: keeps formulas of LTL without next
    StutteringTraces,
    /// Every trace of the first is one of the second
    TraceInclusion,
    /// The second can answer every step of the first, internal ones too
    Simulation,
    /// The same, where internal steps may be left out and added
    WeakSimulation,
    /// For two models in chi: stuttering equivalence of all global variables in which sending and receiving count, too
    InteractionStuttering,
    /// For two models in chi: the same for all values of the variables, first steps answered by one step; it is kept by every
    /// operator of the language
    StutteringCongruence,
}

impl Relation {
    /// As a notion of bisimilarity, if it is one.
    pub(super) fn bisimilarity(self) -> Option<NotionName> {
        Some(match self {
            Relation::Strong => NotionName::Strong,
            Relation::Branching => NotionName::Branching,
            Relation::Dpbranching => NotionName::Dpbranching,
            Relation::Weak => NotionName::Weak,
            Relation::Stuttering => NotionName::Stuttering,
            _ => return None,
        })
    }

    /// As a relation of models in chi, if it is one.
    pub(super) fn alike(self) -> Option<Alike> {
        match self {
            Relation::InteractionStuttering => Some(Alike::Interaction),
            Relation::StutteringCongruence => Some(Alike::Congruent),
            _ => None,
        }
    }
}

/// What a comparison found.
struct Found {
    /// The name of the relation on the command line.
    relation: String,
    /// In words: what the systems are, or are not.
    claim: String,
    states: [usize; 2],
    edges: [usize; 2],
    classes: Option<usize>,
    /// What tells the systems apart.
    evidence: Option<Evidence>,
    /// What a certificate holds.
    proof: Proof,
    /// What an answer leaves open.
    caveat: Option<String>,
}

/// What tells two systems apart.
struct Evidence {
    /// `formula` or `trace`.
    kind: &'static str,
    text: String,
    /// It is one of the first system and not of the second.
    of_first: bool,
    /// Where it is one.
    formula: Option<Formula>,
}

impl Evidence {
    fn lines(&self) -> Vec<String> {
        self.text.lines().map(str::to_owned).collect()
    }
}

/// Characters of a formula that are shown; longer ones can be written to a file.
const SHOWN_MAX: usize = 2000;

/// Compares.
pub(crate) fn run(args: &Args, languages: &[Language], signals: &Signals) -> anyhow::Result<ExitStatus> {
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let name = args.model.path.display().to_string();
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let found = answer(args, languages, &watcher, &timer);
    watcher.clear();
    let found = match found {
        Ok(found) => found,
        Err(trouble) => return subject::give_up(&name, "equivalence", trouble, &args.output),
    };
    let inputs = [args.model.path.clone(), args.other.clone()];
    let outputs = Outputs::beside(&inputs, args.overwrite.overwrite);
    if let (Some(path), Some(evidence)) = (&args.formula, &found.evidence) {
        let [of, not_of] = found.sides(&inputs, evidence);
        let text = format!(
            "{EVIDENCE_HEAD}a {} of {} and not of {}\n{}\n",
            evidence.kind,
            of.display(),
            not_of.display(),
            evidence.text
        );
        outputs.write(path, Kind::Evidence, &text).map_err(anyhow::Error::msg)?;
    }
    if let Some(path) = &args.certificate {
        let claim = Claim {
            relation: found.relation.clone(),
            files: inputs.to_vec(),
            macros: macros(&args.model.options()),
            view: args.view.data(),
            holds: found.evidence.is_none(),
            proof: found.proof.clone(),
        };
        claim.write(path, &outputs)?;
    }
    match args.output.format {
        Format::Text => output::print(&text(args, &found))?,
        Format::Json => output::print_json(&data(args, &found, &timer))?,
    }
    Ok(u8::from(found.evidence.is_some()))
}

impl Found {
    /// The system that has the evidence, and the other.
    fn sides<'a>(&self, paths: &'a [PathBuf; 2], evidence: &Evidence) -> [&'a PathBuf; 2] {
        if evidence.of_first { [&paths[0], &paths[1]] } else { [&paths[1], &paths[0]] }
    }
}

fn answer(args: &Args, languages: &[Language], watcher: &Watcher, timer: &Timer) -> Result<Found, Trouble> {
    let reading = Reading {
        options: &args.model.options(),
        view: &args.view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher,
        ends: chi::is_chi(&args.model.path) || chi::is_chi(&args.other),
        languages,
    };
    if let Some(alike) = args.notion.and_then(Relation::alike) {
        return compare_processes(args, alike, &reading, timer);
    }
    let a = reading.graph(&args.model.path)?;
    let b = reading.graph(&args.other)?;
    let stopped = |_: Stopped| Trouble::Limit(timer.why());
    let coarser = args.notion.filter(|r| r.bisimilarity().is_none());
    if let Some(relation) = coarser {
        return relate(relation, &reachable(&a), &reachable(&b), timer).map_err(stopped);
    }
    let notion = NotionName::choose(args.notion.and_then(Relation::bisimilarity), args.view.is_valued());
    let found = compare(&a, &b, notion, timer).map_err(stopped)?;
    let evidence = |f: Formula| Evidence { kind: "formula", text: f.to_string(), of_first: true, formula: Some(f) };
    let proof = match &found.formula {
        Some(formula) => Proof::Formula(written::write(formula)),
        None => Proof::Partition(found.class_of),
    };
    Ok(Found {
        proof,
        caveat: None,
        relation: NotionName::of(notion).into(),
        claim: notion.adjective().into(),
        states: found.states,
        edges: found.edges,
        classes: Some(found.classes),
        evidence: found.formula.map(evidence),
    })
}

/// Two models in chi, by relations of the language.
fn compare_processes(args: &Args, alike: Alike, reading: &Reading<'_>, timer: &Timer) -> Result<Found, Trouble> {
    let paths = [&args.model.path, &args.other];
    if let Some(other) = paths.iter().find(|p| !chi::is_chi(p)) {
        let why = format!("this notion is one of processes in chi, and `{}` is no .chi file", other.display());
        return Err(reading.refuse("usage", &why));
    }
    let (a, b) = (reading.program(paths[0])?, reading.program(paths[1])?);
    let trouble = |error: equivalence::Error| match error {
        equivalence::Error::Stopped | equivalence::Error::Graph(GraphError::Stopped) => Trouble::Limit(timer.why()),
        other => reading.refuse("refused", &other.to_string()),
    };
    if alike == Alike::Interaction
        && let Some(name) = equivalence::disagreement(&a, &b)
    {
        return Err(reading.refuse("refused", &format!("`{name}` begins with another value in the second model")));
    }
    let (whole, p, q) = equivalence::merged(&a, &b).map_err(trouble)?;
    let found = equivalence::compare(&whole, &p, &q, alike, timer).map_err(trouble)?;
    let (mut proof, mut evidence) = (Proof::Partition(found.class_of), None);
    if let Some(difference) = found.difference {
        let pairs = whole.variables.iter().zip(&difference.values);
        let values: Vec<String> = pairs.map(|(d, v)| format!("{} = {}", d.name, value_text(d.ty, *v))).collect();
        let head = if values.is_empty() { String::new() } else { format!("with {}: ", values.join(", ")) };
        let (kind, text, of_first) = match difference.why {
            Why::Formula(formula) => {
                proof = Proof::Formula(written::write(&formula));
                ("formula", formula.to_string(), true)
            }
            Why::Terminates(is_first) => ("step", format!("{head}it may end at once"), is_first),
            Why::FirstStep(is_first, label) => {
                ("step", format!("{head}a first step `{label}` that no single step answers"), is_first)
            }
        };
        if kind == "step" {
            proof = Proof::FirstStep { values: difference.values.to_vec(), text: text.clone() };
        }
        evidence = Some(Evidence { kind, text, of_first, formula: None });
    }
    let caveat = (!found.complete && evidence.is_none())
        .then(|| format!("not refuted: {} states of the variables were looked at, spread over all", found.valuations));
    let name = |r: Relation| r.to_possible_value().expect("it has a name").get_name().to_owned();
    Ok(Found {
        relation: args.notion.map_or(String::new(), name),
        claim: if alike == Alike::Congruent {
            "stuttering congruent"
        } else {
            "stuttering equivalent, interaction told"
        }
        .into(),
        states: [found.states, found.states],
        edges: [0, 0],
        classes: None,
        evidence,
        proof,
        caveat,
    })
}

/// The relations that are coarser than bisimilarities. What tells systems apart is checked here.
fn relate(relation: Relation, a: &Graph, b: &Graph, timer: &Timer) -> Result<Found, Stopped> {
    let trace = |from: &Graph, to: &Graph, of_first| -> Result<Option<Evidence>, Stopped> {
        let Some(trace) = not_included(from, to, timer)? else { return Ok(None) };
        let labels = || trace.iter().map(String::as_str);
        assert!(has_trace(from, labels()) && !has_trace(to, labels()), "the trace is one of one system only");
        Ok(Some(Evidence { kind: "trace", text: trace.join("\n"), of_first, formula: None }))
    };
    let simulation = |steps| -> Result<Option<Evidence>, Stopped> {
        let Some(formula) = not_simulated(a, b, steps, timer)? else { return Ok(None) };
        let holds = |graph: &Graph| evaluate::holds(graph, &formula, graph.initial());
        assert!(holds(a) && !holds(b), "the formula holds in the first system only");
        Ok(Some(Evidence { kind: "formula", text: formula.to_string(), of_first: true, formula: Some(formula) }))
    };
    let (claim, evidence): (&str, Option<Evidence>) = match relation {
        Relation::Traces => {
            let first = trace(a, b, true)?;
            ("equal in their traces", if first.is_some() { first } else { trace(b, a, false)? })
        }
        Relation::TraceInclusion => ("such that the second has all traces of the first", trace(a, b, true)?),
        Relation::Simulation => ("such that the second simulates the first", simulation(Steps::Strong)?),
        Relation::WeakSimulation => ("such that the second weakly simulates the first", simulation(Steps::Weak)?),
        _ => {
            let found = stuttering_difference(a, b, timer)?.map(|found| {
                let mut lines = found.classes;
                lines.extend(match found.end {
                    TraceEnd::Beginning => None,
                    TraceEnd::Stays => Some("(so for ever)".to_owned()),
                    TraceEnd::Ends => Some("(the end)".to_owned()),
                });
                Evidence { kind: "trace", text: lines.join("\n"), of_first: found.of_first, formula: None }
            });
            ("equal in their stuttering traces", found)
        }
    };
    let proof = match &evidence {
        Some(Evidence { formula: Some(formula), .. }) => Proof::Formula(written::write(formula)),
        Some(found) => Proof::Trace { lines: found.lines(), of_first: found.of_first },
        None => Proof::Again,
    };
    Ok(Found {
        proof,
        caveat: None,
        relation: relation.to_possible_value().expect("it has a name").get_name().into(),
        claim: claim.into(),
        states: [a.state_count(), b.state_count()],
        edges: [a.edge_count(), b.edge_count()],
        classes: None,
        evidence,
    })
}

fn text(args: &Args, found: &Found) -> String {
    let paths = [&args.model.path, &args.other];
    let mut out = String::new();
    if !args.output.quiet {
        match found.edges {
            [0, 0] if found.classes.is_none() && found.states[0] == found.states[1] => {
                out += &format!("{} of both together\n", subject::counted(found.states[0], "configuration"));
            }
            _ => {
                for (i, path) in paths.into_iter().enumerate() {
                    out += &format!("{}: {}\n", path.display(), subject::size(found.states[i], found.edges[i]));
                }
            }
        }
    }
    let preorder = ["trace-inclusion", "simulation", "weak-simulation"].contains(&found.relation.as_str());
    let (yes, no) = if preorder { ("related", "not related") } else { ("equivalent", "not equivalent") };
    let Some(evidence) = &found.evidence else {
        let classes = found
            .classes
            .map_or(String::new(), |n| format!(", {n} {} in both together", if n == 1 { "class" } else { "classes" }));
        let caveat = found.caveat.as_ref().map_or(String::new(), |c| format!("{c}\n"));
        return out + &format!("{yes}: {}{classes}\n{caveat}", found.claim);
    };
    out += &format!("{no}: not {}\n", found.claim);
    if !args.output.quiet {
        let (of, not_of) = if evidence.of_first { (paths[0], paths[1]) } else { (paths[1], paths[0]) };
        let what = match evidence.kind {
            "formula" => format!("a formula that holds in {} and not in {}", of.display(), not_of.display()),
            "trace" => format!("a trace of {} that {} does not have", of.display(), not_of.display()),
            _ => format!("what {} does and {} does not", of.display(), not_of.display()),
        };
        out += &format!("{what}:\n");
        if evidence.text.len() <= SHOWN_MAX {
            evidence.text.lines().for_each(|line| out += &format!("  {line}\n"));
        } else {
            out += &format!("  {} characters long: `--formula FILE` writes it\n", evidence.text.len());
        }
    }
    out
}

fn data(args: &Args, found: &Found, timer: &Timer) -> Value {
    let verdict = if found.evidence.is_some() { "violated" } else { "holds" };
    let error = found.evidence.as_ref().map(|_| {
        let message = format!("not {}", found.claim);
        json!({ "kind": "not-equivalent", "message": message, "location": null, "depth": null })
    });
    let evidence = found.evidence.as_ref().map(|evidence| {
        let file = args.formula.as_ref().map(|p| p.display().to_string());
        let of = if evidence.of_first { &args.model.path } else { &args.other };
        json!({ "kind": evidence.kind, "file": file, "text": evidence.text, "holds_in": of.display().to_string() })
    });
    let property = json!({
        "name": "equivalence",
        "kind": "equivalence",
        "verdict": verdict,
        "complete": found.caveat.is_none(),
        "exact": true,
        "reduction": "none",
        "assumes": found.caveat.iter().collect::<Vec<_>>(),
        "certificate": args.certificate.as_ref().map(|p| p.display().to_string()),
        "errors": u8::from(found.evidence.is_some()),
        "error": error,
        "evidence": evidence,
        "figures": {
            "notion": found.relation,
            "other": args.other.display().to_string(),
            "states": found.states,
            "transitions": found.edges,
            "classes": found.classes,
        },
        "elapsed_s": timer.elapsed_s(),
    });
    subject::report(&args.model.path.display().to_string(), verdict, property, Vec::new())
}
