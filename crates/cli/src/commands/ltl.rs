//! `ferrospin ltl`: formulas and automata, and questions about them.
//!
//! What is asked about is a formula, a pattern that stands for one, or an automaton from a file ([`subject`]). It is
//! written as an automaton, or one of the questions is answered ([`questions`]).

mod pattern;
mod questions;
mod subject;

use super::ExitStatus;
use crate::output;
use clap::ValueEnum;
use ferrospin_ltl::{
    Automaton, Dialect, NeverOptions, degeneralise, dot, hoa, never, print, statistics, stutter_close,
};
use serde_json::json;
use subject::{Subject, Thing};

/// Translate formulas of linear temporal logic into automata, and answer questions about them
///
/// The automaton accepts the runs on which the formula holds; a never claim for `check` or for SPIN is made from the
/// negated formula (`--negate`).
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin ltl --negate '[] (p -> <> q)'          the never claim that looks for violations
  ferrospin ltl --format hoa 'G F p'               HOA v1, with marks on edges
  ferrospin ltl --format stats 'p U (q U r)'       its size and class
  ferrospin ltl --dialect spin-f 'p || q && <> r'  read as `spin -f` reads it
  ferrospin ltl --pattern response --scope after-until --p req --s ack --q up --r down
                                                   from each `up` until `down`: every `req` is answered
  ferrospin ltl '<> p' --equivalent 'true U p'     equal, or a word that tells them apart
  ferrospin ltl '[] (p -> X q)' --check-stutter    does repeating a state matter?
  ferrospin ltl '[] (p -> <> q)' --lasso 'p; q; (p)*'
                                                   does it hold on that run, and why?

Exit codes:
  0  done; the answer is yes
  1  the answer is no
  2  bad input or usage")]
pub(crate) struct Args {
    #[command(flatten)]
    subject: subject::SubjectArgs,

    /// What to write [default: never; text for patterns and answers]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Form>,

    /// Close the automaton under stuttering before it is written
    #[arg(long)]
    stutter_close: bool,

    #[command(flatten)]
    questions: questions::QuestionArgs,
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// A never claim in Promela
    Never,
    /// The Hanoi format
    Hoa,
    /// The language of Graphviz
    Dot,
    /// Size and class of the automaton
    Stats,
    /// The formula
    Formula,
    /// Sentences
    Text,
    /// One JSON object
    Json,
}

/// Reads what is asked about, and writes it or answers.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    if args.subject.list {
        output::print(&pattern::list())?;
        return Ok(0);
    }
    let Some(mut subject) = subject::read(&args.subject)? else { return Ok(2) };
    let question = args.questions.asked();
    if question || (subject.pattern.is_some() && args.format.is_none() && !args.stutter_close) {
        anyhow::ensure!(!args.stutter_close, "`--stutter-close` writes an automaton; it goes with no question");
        let json = match args.format {
            None | Some(Form::Text) => false,
            Some(Form::Json) => true,
            _ => anyhow::bail!("an answer is written with `--format text` or `--format json`"),
        };
        return match question {
            true => questions::answer(&args.questions, &mut subject, json),
            false => pattern::show(&mut subject, json).map(|()| 0),
        };
    }
    write(args, &mut subject)?;
    Ok(0)
}

/// Writes the automaton, or what `--format` asks for instead.
fn write(args: &Args, subject: &mut Subject) -> anyhow::Result<()> {
    let form = args.format.unwrap_or(Form::Never);
    match (form, subject.formula()) {
        (Form::Text, _) if subject.pattern.is_some() => return pattern::show(subject, false),
        (Form::Text, _) => anyhow::bail!("`--format text` is for patterns and answers"),
        (Form::Json, _) if subject.pattern.is_some() && !args.stutter_close => return pattern::show(subject, true),
        (Form::Formula, None) => anyhow::bail!("an automaton has no formula"),
        (Form::Formula, Some(f)) => {
            let text = print(&subject.formulas, f, &subject.atoms, subject.dialect);
            return output::print(&(text + "\n"));
        }
        _ => {}
    }
    let mut automaton = match (form, args.stutter_close) {
        (Form::Never, false) => subject.buchi()?,
        _ => subject.automaton()?,
    };
    let mut steady = subject.is_plainly_insensitive();
    if args.stutter_close {
        automaton = stutter_close(&automaton, &mut subject.labels)?;
        steady = true;
    }
    if form == Form::Never && !automaton.state_based {
        automaton = degeneralise(&automaton, &mut subject.labels);
    }
    let text = describe(form, &automaton, subject, steady)?;
    output::print(&text)
}

fn describe(form: Form, automaton: &Automaton, subject: &mut Subject, steady: bool) -> anyhow::Result<String> {
    let (labels, atoms, title) = (&mut subject.labels, &subject.atoms, &subject.title);
    Ok(match form {
        Form::Never => never(automaton, labels, atoms, title, NeverOptions::default()),
        Form::Hoa => hoa(automaton, labels, atoms, title, steady),
        Form::Dot => dot(automaton, labels, atoms, title),
        Form::Stats => format!("{}\n", statistics(automaton, labels)),
        Form::Json => {
            let facts = statistics(automaton, labels);
            let value = json!({
                "ferrospin": ferrospin::VERSION,
                "formula": title,
                "states": facts.states,
                "edges": facts.edges,
                "marks": facts.marks,
                "components": facts.components,
                "accepting_components": facts.accepting_components,
                "deterministic": facts.deterministic,
                "complete": facts.complete,
                "weak": facts.weak,
                "terminal": facts.terminal,
                "safety": facts.safety,
                "hoa": hoa(automaton, labels, atoms, title, steady),
            });
            serde_json::to_string_pretty(&value)? + "\n"
        }
        Form::Formula | Form::Text => unreachable!("written before"),
    })
}

/// `--dialect`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Reading {
    /// The literature's
    Project,
    /// That of `ltl` blocks
    SpinLtl,
    /// That of `spin -f`
    SpinF,
}

impl From<Reading> for Dialect {
    fn from(reading: Reading) -> Self {
        match reading {
            Reading::Project => Dialect::Project,
            Reading::SpinLtl => Dialect::SpinLtl,
            Reading::SpinF => Dialect::SpinF,
        }
    }
}

/// The formula or automaton in JSON and in sentences.
fn name(subject: &Subject) -> &'static str {
    match subject.thing {
        Thing::Formula(_) => "formula",
        Thing::Automaton(_) => "automaton",
    }
}
