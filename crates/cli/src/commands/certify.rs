//! `ferrospin certify`: whether what was written as evidence shows what it says.

use super::ExitStatus;
use super::assume::read_parts;
use super::certificate::{self, Assumed, Certificate, Claim, Proof};
use super::compare::Relation;
use super::progress::Watcher;
use super::subject::{self, LimitArgs, NotionName, Reading, Trouble, ViewArgs};
use crate::args::shared::{Format, OutputArgs};
use crate::output;
use crate::signals::Signals;
use clap::ValueEnum;
use ferrospin::behaviour::Timer;
use ferrospin::languages::Language;
use ferrospin::{chi, front};
use ferrospin_chi::equivalence::{self, Alike};
use ferrospin_learn::{Rule, judge};
use ferrospin_lts::compare::{confirms, refutes};
use ferrospin_lts::operations::reachable;
use ferrospin_lts::traces::{has_trace, stuttering_difference};
use ferrospin_lts::{Graph, Notion, Stopped, aut, certify, evaluate, written};
use serde_json::json;
use std::path::PathBuf;

/// Check a certificate again
///
/// `compare` and `assume` write certificates with `--certificate`. The files that one names are read and explored anew, and the
/// evidence is judged from the definitions, by none of what has found it.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin compare --certificate same.json a.aut b.aut
  ferrospin certify same.json

Exit codes:
  0  the certificate shows what it says
  1  it does not
  2  bad input or usage
  3  undecided within the limits")]
pub(crate) struct Args {
    /// The certificate
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// What came of it: what is claimed, and whether that is shown.
struct Judged {
    claim: String,
    evidence: &'static str,
    right: bool,
}

/// Certifies.
pub(crate) fn run(args: &Args, languages: &[Language], signals: &Signals) -> anyhow::Result<ExitStatus> {
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let found = judged(args, languages, &watcher, &timer);
    watcher.clear();
    let name = args.file.display().to_string();
    let found = match found {
        Ok(found) => found,
        Err(trouble) => return subject::give_up(&name, "certificate", trouble, &args.output),
    };
    let verdict = if found.right { "holds" } else { "violated" };
    if args.output.format == Format::Json {
        let error = (!found.right).then(|| {
            json!({ "kind": "no-proof", "message": format!("the {} does not show it", found.evidence), "location": null, "depth": null })
        });
        let property = json!({
            "name": found.claim,
            "kind": "certificate",
            "verdict": verdict,
            "complete": true,
            "exact": true,
            "errors": u8::from(!found.right),
            "error": error,
            "evidence": { "kind": found.evidence, "file": name },
            "elapsed_s": timer.elapsed_s(),
        });
        output::print_json(&subject::report(&name, verdict, property, Vec::new()))?;
    } else {
        let said = if found.right { "shows" } else { "does NOT show" };
        output::print(&format!("{name}: the {} {said} that {}\n", found.evidence, found.claim))?;
    }
    Ok(u8::from(!found.right))
}

fn judged(args: &Args, languages: &[Language], watcher: &Watcher, timer: &Timer) -> Result<Judged, Trouble> {
    let none = front::Options::default();
    let plain = ViewArgs::default();
    let reading = |options, view, ends| Reading {
        options,
        view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher,
        ends,
        languages,
    };
    let outer = reading(&none, &plain, false);
    let text =
        ferrospin::files::read_model(&args.file).map_err(|why| outer.refuse(super::CANNOT_READ, &why.to_string()))?.0;
    let refuse = |why: &str| outer.refuse("certificate", &format!("{}: {why}", args.file.display()));
    match certificate::read(&text).map_err(|e| refuse(&e.to_string()))? {
        Certificate::Comparison(claim) => {
            let options = certificate::options(&claim.macros);
            let view = ViewArgs::of_data(&claim.view).ok_or_else(|| refuse("`view` is none"))?;
            let relation = Relation::from_str(&claim.relation, false)
                .map_err(|_| refuse(&format!("there is no notion `{}`", claim.relation)))?;
            let ends = claim.files.iter().any(|p| chi::is_chi(p));
            let right = comparison(&claim, relation, &reading(&options, &view, ends), timer, &refuse)?;
            let [a, b] = [&claim.files[0], &claim.files[1]].map(|p| p.display().to_string());
            let does = if claim.holds { "" } else { "not " };
            Ok(Judged {
                claim: format!("{a} and {b} are {does}related by {}", claim.relation),
                evidence: kind(&claim.proof),
                right,
            })
        }
        Certificate::Assumption(claim) => {
            let right = assumption(&claim, &args.limits, &outer, timer, &refuse)?;
            let does = if claim.proof.is_ok() { "keep" } else { "do not keep" };
            let evidence = if claim.proof.is_ok() { "assumption" } else { "trace" };
            Ok(Judged {
                claim: format!("{} parts {does} {}", claim.parts.len(), claim.property.display()),
                evidence,
                right,
            })
        }
    }
}

fn kind(proof: &Proof) -> &'static str {
    match proof {
        Proof::Partition(_) => "partition",
        Proof::Formula(_) => "formula",
        Proof::Trace { .. } => "trace",
        Proof::FirstStep { .. } => "first step",
        Proof::Again => "definition",
    }
}

fn comparison(
    claim: &Claim,
    relation: Relation,
    reading: &Reading<'_>,
    timer: &Timer,
    refuse: &dyn Fn(&str) -> Trouble,
) -> Result<bool, Trouble> {
    let stopped = |_: Stopped| Trouble::Limit(timer.why());
    if let Some(alike) = relation.alike() {
        return processes(claim, alike, reading, timer, refuse);
    }
    let (a, b) = (reading.graph(&claim.files[0])?, reading.graph(&claim.files[1])?);
    let (a, b) = (reachable(&a), reachable(&b));
    let (from, to) = match &claim.proof {
        Proof::Trace { of_first: false, .. } => (&b, &a),
        _ => (&a, &b),
    };
    let wrong_kind = || refuse(&format!("a {} shows nothing about `{}`", kind(&claim.proof), claim.relation));
    match (relation.bisimilarity(), &claim.proof) {
        (Some(name), Proof::Partition(class_of)) => {
            let notion = notion(name);
            Ok(claim.holds && confirms(&a, &b, class_of, notion, timer).map_err(stopped)?)
        }
        (name, Proof::Formula(lines)) => {
            let formula = written::read(lines.iter().map(String::as_str)).map_err(|e| refuse(&e.to_string()))?;
            let right = match (name, relation) {
                (Some(name), _) => refutes(&a, &b, &formula, notion(name)),
                (None, Relation::Simulation | Relation::WeakSimulation) => {
                    let holds = |graph: &Graph| evaluate::holds(graph, &formula, graph.initial());
                    is_positive(&formula) && holds(&a) && !holds(&b)
                }
                _ => return Err(wrong_kind()),
            };
            Ok(!claim.holds && right)
        }
        (None, Proof::Trace { lines, .. }) => Ok(!claim.holds
            && match relation {
                Relation::Traces | Relation::TraceInclusion => {
                    let is_asked = relation == Relation::Traces || std::ptr::eq(from, &a);
                    let labels = || lines.iter().map(String::as_str);
                    is_asked && has_trace(from, labels()) && !has_trace(to, labels())
                }
                Relation::StutteringTraces => stuttering_difference(&a, &b, timer).map_err(stopped)?.is_some(),
                _ => return Err(wrong_kind()),
            }),
        (None, Proof::Again) => {
            let found = match relation {
                Relation::TraceInclusion => certify::includes_traces(&a, &b, timer),
                Relation::Traces => match certify::includes_traces(&a, &b, timer) {
                    Ok(true) => certify::includes_traces(&b, &a, timer),
                    other => other,
                },
                Relation::Simulation => certify::simulates(&a, &b, false, timer),
                Relation::WeakSimulation => certify::simulates(&a, &b, true, timer),
                _ => stuttering_difference(&a, &b, timer).map(|found| found.is_none()),
            };
            Ok(claim.holds && found.map_err(stopped)?)
        }
        _ => Err(wrong_kind()),
    }
}

/// Formulas that a simulation keeps have no negation.
fn is_positive(formula: &ferrospin_lts::formula::Formula) -> bool {
    use ferrospin_lts::formula::Node;
    formula.nodes.iter().all(|n| !matches!(n, Node::Not(_) | Node::Forever(_)))
}

fn notion(name: NotionName) -> Notion {
    NotionName::choose(Some(name), false)
}

fn processes(
    claim: &Claim,
    alike: Alike,
    reading: &Reading<'_>,
    timer: &Timer,
    refuse: &dyn Fn(&str) -> Trouble,
) -> Result<bool, Trouble> {
    let (a, b) = (reading.program(&claim.files[0])?, reading.program(&claim.files[1])?);
    let trouble = |error: equivalence::Error| match error {
        equivalence::Error::Stopped => Trouble::Limit(timer.why()),
        other => refuse(&other.to_string()),
    };
    let (whole, p, q) = equivalence::merged(&a, &b).map_err(trouble)?;
    match &claim.proof {
        Proof::Partition(class_of) => {
            Ok(claim.holds && equivalence::confirms(&whole, &p, &q, alike, class_of, timer).map_err(trouble)?)
        }
        // First steps and the classes that they lead to are found again.
        Proof::FirstStep { .. } | Proof::Formula(_) => {
            let found = equivalence::compare(&whole, &p, &q, alike, timer).map_err(trouble)?;
            Ok(!claim.holds && found.difference.is_some())
        }
        other => Err(refuse(&format!("a {} shows nothing about `{}`", kind(other), claim.relation))),
    }
}

fn assumption(
    claim: &Assumed,
    limits: &LimitArgs,
    reading: &Reading<'_>,
    timer: &Timer,
    refuse: &dyn Fn(&str) -> Trouble,
) -> Result<bool, Trouble> {
    let stopped = |_: Stopped| Trouble::Limit(timer.why());
    let rule = match claim.rule.as_str() {
        "asym" => Rule::Asymmetric,
        "sym" => Rule::Symmetric,
        other => return Err(refuse(&format!("there is no rule `{other}`"))),
    };
    let parts = read_parts(&claim.parts, reading, limits)?;
    let parts: Vec<&Graph> = parts.iter().collect();
    let property = reading.aut_graph(&claim.property)?;
    if !judge::is_property(&property) {
        return Err(refuse("the property must be deterministic and without internal steps"));
    }
    match &claim.proof {
        Err(trace) => judge::refutes(&parts, &property, trace, timer).map_err(stopped),
        Ok(texts) => {
            let mut assumptions = Vec::new();
            for text in texts {
                let graph = aut::read(text.as_bytes()).map_err(|e| refuse(&format!("an assumption is none: {e}")))?;
                if !judge::is_property(&graph) {
                    return Err(refuse("an assumption must be deterministic and without internal steps"));
                }
                assumptions.push(graph);
            }
            let expected = if rule == Rule::Asymmetric { parts.len().saturating_sub(1) } else { parts.len() };
            if parts.len() < 2 || assumptions.len() != expected {
                return Err(refuse(&format!("{} parts need {expected} assumptions by this rule", parts.len())));
            }
            judge::proves(rule, &parts, &property, &assumptions, timer).map_err(stopped)
        }
    }
}
