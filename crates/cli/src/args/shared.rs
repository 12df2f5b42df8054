//! Arguments that several subcommands share.

use crate::output;
use clap::{ArgAction, ArgMatches, Command, FromArgMatches, ValueEnum};
use ferrospin::front;
use ferrospin::front::Define;
use ferrospin_source::printable::printable;
use ferrospin_source::suggest::did_you_mean;
use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The model and how to read it.
#[derive(clap::Args, Debug)]
pub(crate) struct ModelArgs {
    /// The model; `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub(crate) path: PathBuf,

    #[command(flatten)]
    macros: Macros,

    /// Look for included files in DIR too
    #[arg(short = 'I', value_name = "DIR", help_heading = "Preprocessor")]
    include_dirs: Vec<PathBuf>,

    /// Refuse to include files outside of DIR
    #[arg(long, value_name = "DIR", help_heading = "Preprocessor")]
    include_root: Option<PathBuf>,

    /// A send to a full channel can be executed, and its message is lost (SPIN's `-m`)
    #[arg(long, help_heading = "Semantics")]
    lossy_channels: bool,

    /// Embedded C that cannot be run here is compiled by the system's compiler (`CC`, `cc`) and run, unchecked
    #[arg(long, help_heading = "Semantics")]
    allow_c: bool,

    /// Silence a lint; `all` means every one (repeatable)
    #[arg(long, value_name = "CODE", value_parser = lint_code, help_heading = "Lints")]
    allow: Vec<String>,

    /// Make a lint an error that stops a check; `all` means every one (repeatable)
    #[arg(long, value_name = "CODE", value_parser = lint_code, help_heading = "Lints")]
    deny: Vec<String>,

    /// A `pid` is no number
    #[arg(long, help_heading = "Lints")]
    strict_pid: bool,

    /// Truth values may be used as numbers
    #[arg(long, help_heading = "Lints")]
    lax_bool: bool,

    /// A process type may be run with channels of different layouts
    #[arg(long, help_heading = "Lints")]
    poly: bool,
}

impl ModelArgs {
    /// What they mean to the front end.
    pub(crate) fn options(&self) -> front::Options {
        front::Options {
            defines: self.macros.0.clone(),
            include_dirs: self.include_dirs.clone(),
            include_root: self.include_root.clone(),
            allow: self.allow.clone(),
            deny: self.deny.clone(),
            lossy_channels: self.lossy_channels,
            allow_c: if self.allow_c { ferrospin::compiler::allowed() } else { front::AllowC::Never },
            settings: Vec::new(),
            types: front::TypeOptions { strict_pid: self.strict_pid, lax_bool: self.lax_bool, poly: self.poly },
        }
    }
}

/// `-D` and `-U`. Their order matters, which clap's derived arguments do not keep.
#[derive(Debug, Clone)]
struct Macros(Vec<Define>);

impl clap::Args for Macros {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str, short| {
            clap::Arg::new(name).short(short).action(ArgAction::Append).help_heading("Preprocessor")
        };
        command
            .arg(
                option("D", 'D')
                    .value_name("NAME[=VALUE]")
                    .value_parser(define)
                    .help("Define a macro; without a value it is 1"),
            )
            .arg(option("U", 'U').value_name("NAME").value_parser(undefine).help("Undefine a macro"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Macros {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(in_order(matches, &["D", "U"])))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of several options, in the order in which they were typed.
fn in_order<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, ids: &[&str]) -> Vec<T> {
    let mut found = Vec::new();
    for id in ids {
        if let (Some(indices), Some(values)) = (matches.indices_of(id), matches.get_many::<T>(id)) {
            found.extend(indices.zip(values.cloned()));
        }
    }
    found.sort_by_key(|&(index, _)| index);
    found.into_iter().map(|(_, value)| value).collect()
}

fn lint_code(code: &str) -> Result<String, String> {
    let codes = || front::CODES.iter().map(|info| info.code);
    if code == "all" || codes().any(|known| known == code) {
        return Ok(code.to_owned());
    }
    let hint = did_you_mean(code, codes()).map_or(String::new(), |hint| format!("; {hint}"));
    Err(format!("there is no lint of that name{hint}"))
}

fn define(text: &str) -> Result<Define, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    // Parameters, as in `F(x)=x+1`, are for the preprocessor to read.
    macro_name(name.split('(').next().unwrap_or(name))?;
    Ok(Define::Set(name.to_owned(), value))
}

fn undefine(text: &str) -> Result<Define, String> {
    macro_name(text)?;
    Ok(Define::Unset(text.to_owned()))
}

fn macro_name(name: &str) -> Result<(), String> {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(())
    } else {
        Err(format!("`{name}` is not a name of a macro"))
    }
}

/// How to print.
#[derive(clap::Args, Debug)]
pub(crate) struct OutputArgs {
    /// How to print what was found
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,

    /// Print only what cannot be left out
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, help_heading = "Output")]
    color: Color,

    #[command(flatten)]
    pub(crate) raw: RawArg,
}

/// Whether files of others may be replaced.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct OverwriteArg {
    /// Replace output files also where Ferrospin has not written them; never the model, or what it includes
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
}

/// Whether text of the model may steer the terminal.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct RawArg {
    /// Send escape and other control characters of the model as they are, instead of showing them
    #[arg(long, help_heading = "Output")]
    raw_output: bool,
}

impl RawArg {
    /// The text as it goes out.
    pub(crate) fn shown(self, text: &str) -> Cow<'_, str> {
        if self.raw_output { Cow::Borrowed(text) } else { printable(text) }
    }

    /// Writes text to standard output.
    pub(crate) fn print(self, text: &str) -> anyhow::Result<()> {
        output::print_as_is(&self.shown(text))
    }
}

impl OutputArgs {
    /// Whether text that goes to `stream` gets colours.
    pub(crate) fn colored(&self, stream: &impl IsTerminal) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                // Conventions of terminals: https://no-color.org, and `dumb` for those that know no colours.
                let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
                stream.is_terminal() && unset("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        }
    }
}

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON object on standard output, and nothing else there
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Even into a pipe
    Always,
    /// Not at all
    Never,
}
