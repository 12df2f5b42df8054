//! `ferrospin translate`: the same system in another form.

use super::ExitStatus;
use super::progress::Watcher;
use super::subject::{self, Form, LimitArgs, Reading, Trouble, ViewArgs};
use crate::args::protocols::ProtocolArgs;
use crate::args::shared::{Format, ModelArgs, OutputArgs, OverwriteArg};
use crate::output;
use crate::signals::Signals;
use anyhow::ensure;
use clap::ValueEnum;
use ferrospin::behaviour::{self, Missing, Timer};
use ferrospin::chi;
use ferrospin::front;
use ferrospin::languages::{self, Language, Loaded};
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::protocols;
use ferrospin::verify::Subject;
use std::path::PathBuf;

/// Write a system in another form
///
/// The file is a labelled transition system (.aut), or a model in whatever language `check` takes, which is explored in full.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin translate --to aut -o model.aut model.pml        messages are the labels
  ferrospin translate --to aut --labels statements model.pml every statement is a label
  ferrospin translate --to dot system.aut                    a picture, by Graphviz
  ferrospin translate --to promela -o model.pml model.chi    from chi, compared with the model before it is written
  ferrospin translate --to promela -o plain.pml model.pml    sets, queues, macros and includes replaced
  ferrospin translate --to promela --steps model.chi         every law that was used, looked at
  ferrospin translate --to promela --secrecy generic nspk.proto
                                                             a security protocol with its sessions

Exit codes:
  0  done
  2  bad input or usage
  3  not done within the limits")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// The form of the result
    #[arg(long, value_enum, value_name = "FORM")]
    to: Target,

    /// With `--to promela`: look at each use of a law on the way, too, and tell of it
    #[arg(long)]
    steps: bool,

    /// Write the result to FILE instead of standard output
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    protocol: ProtocolArgs,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--to`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// The format of Aldébaran, CADP and mCRL2
    Aut,
    /// The language of Graphviz
    Dot,
    /// Plain Promela: from a model with sets and queues, in chi, or of a security protocol
    Promela,
}

/// Write the model as a labelled transition system
///
/// It is explored in full; `ferrospin compare`, `minimise`, `compose` and `assume` read what is written.
#[derive(clap::Args, Debug)]
pub(crate) struct OwnArgs {
    /// The form of the result
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Aut)]
    to: Form,

    /// Write the result to FILE instead of standard output
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Translates a model that is part of the program.
pub(crate) fn run_own(args: &OwnArgs, model: &dyn Subject, signals: &Signals) -> anyhow::Result<ExitStatus> {
    ensure!(args.output.format == Format::Text, "a translation has no report: leave out `--format json`");
    let watcher = Watcher::new(signals, !args.output.quiet);
    let found = behaviour::of_subject(model, &args.view.view(false), &args.limits.limits(), &watcher.hooks);
    watcher.clear();
    let name = model.identity().name;
    match found {
        Ok(graph) => subject::write(
            &graph,
            args.to,
            args.output_file.as_deref(),
            &Outputs::beside(&[], args.overwrite.overwrite),
        )
        .map(|()| 0),
        Err(Missing::Refused(why)) => anyhow::bail!("{name}: {why}"),
        Err(Missing::Limit(why)) => subject::give_up(&name, "translation", Trouble::Limit(why), &args.output),
    }
}

/// Translates.
pub(crate) fn run(args: &Args, languages: &[Language], signals: &Signals) -> anyhow::Result<ExitStatus> {
    ensure!(args.output.format == Format::Text, "a translation has no report: leave out `--format json`");
    ensure!(!args.steps || args.to == Target::Promela, "`--steps` is about translations from chi: add `--to promela`");
    let options = front::Options { settings: args.protocol.settings(), ..args.model.options() };
    ensure!(
        options.settings.is_empty() || protocols::is_protocol(&args.model.path),
        "`--{}` is an option of security protocols",
        options.settings[0].name
    );
    let watcher = Watcher::new(signals, !args.output.quiet);
    let reading = Reading {
        options: &options,
        view: &args.view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher: &watcher,
        ends: false,
        languages,
    };
    let inputs = [args.model.path.clone()];
    let outputs = Outputs::beside(&inputs, args.overwrite.overwrite);
    let name = args.model.path.display().to_string();
    let form = match args.to {
        Target::Aut => Form::Aut,
        Target::Dot => Form::Dot,
        Target::Promela => {
            let found = promela(args, &reading);
            watcher.clear();
            return match found {
                Ok((text, said)) => {
                    match &args.output_file {
                        None => output::print(&text)?,
                        Some(path) => outputs.write(path, Kind::Translation, &text).map_err(anyhow::Error::msg)?,
                    }
                    if !args.output.quiet {
                        output::say(&said);
                    }
                    Ok(0)
                }
                Err(trouble) => subject::give_up(&name, "translation", trouble, &args.output),
            };
        }
    };
    let found = reading.graph(&args.model.path);
    watcher.clear();
    match found {
        Ok(graph) => subject::write(&graph, form, args.output_file.as_deref(), &outputs).map(|()| 0),
        Err(trouble) => subject::give_up(&name, "translation", trouble, &args.output),
    }
}

/// The translation of a model in chi, and what was checked of it.
fn promela(args: &Args, reading: &Reading<'_>) -> Result<(String, String), Trouble> {
    if protocols::is_protocol(&args.model.path) {
        let refused = |why: String| reading.refuse("refused", &format!("{}: {why}", args.model.path.display()));
        let file = protocols::read_path(&args.model.path, reading.options).map_err(refused)?;
        if file.has_errors() {
            output::say_as_is(&file.text(args.output.colored(&std::io::stderr())));
            return Err(refused("the protocol has errors".into()));
        }
        let world = file.world().map_err(|why| refused(why.to_string()))?;
        let text = protocols::promela(&world).map_err(|why| refused(why.to_string()))?;
        return Ok((text, String::new()));
    }
    let own = languages::of(reading.languages, None, &args.model.path).is_ok_and(|l| l.name == subject::PROMELA);
    if own {
        return Ok((reading.front(&args.model.path)?.plain_text(), String::new()));
    }
    if !chi::is_chi(&args.model.path) {
        let path = args.model.path.display();
        return Err(reading.refuse("usage", &format!("`{path}` has no translation to Promela")));
    }
    let program = reading.program(&args.model.path)?;
    let timer = Timer::start(&args.limits.limits(), &reading.watcher.hooks);
    let refused =
        |why: &dyn std::fmt::Display| reading.refuse("refused", &format!("{}: {why}", args.model.path.display()));
    let translation = chi::promela(&program).map_err(|e| refused(&e))?;
    let mut said = String::new();
    let trouble = |error: chi::Unproved| match error {
        chi::Unproved::Limit => Trouble::Limit(timer.why()),
        other => refused(&other),
    };
    if args.steps {
        for step in chi::steps(&translation, &timer).map_err(trouble)? {
            said += &format!("{step}\n");
        }
    }
    let proof =
        chi::prove(&program, &translation, &args.limits.limits(), &reading.watcher.hooks, &timer).map_err(trouble)?;
    said += &format!("{}: {proof}\n", args.model.path.display());
    for (own, name) in &translation.names {
        said += &format!("`{own}` is called `{name}`\n");
    }
    Ok((translation.text, said))
}
