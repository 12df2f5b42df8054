//! What the subcommands about behaviour share: files that become labelled transition systems, limits, and the report.

use super::ExitStatus;
use super::progress::Watcher;
use crate::args::shared::{Format, OutputArgs};
use crate::args::units;
use crate::output;
use clap::ValueEnum;
use ferrospin::behaviour::{self, Labelling, Missing, Timer, View};
use ferrospin::groups::{self, Parts};
use ferrospin::languages::{self, LANGUAGES, Language};
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::verify::{Hooks, Limits, Refusal};
use ferrospin::{chi, front};
use ferrospin_chi::Program;
use ferrospin_lts::aut::{self, AutError};
use ferrospin_lts::{Graph, Notion, dot};
use ferrospin_source::{Diagnostic, SourceMap, render};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// What a graph shows of a model.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct ViewArgs {
    /// What the labels of steps tell
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Graph")]
    labels: Option<Labels>,

    /// Only labels that fit one of these stay visible, the others become internal; `*` stands for any text
    #[arg(long, value_name = "PATTERN,...", value_delimiter = ',', help_heading = "Graph")]
    observe: Vec<String>,

    /// What states carry: variables, whose values are told, and formulas about single states; labels then count for nothing
    /// unless they are asked for
    #[arg(long, value_name = "EXPRESSION,...", value_delimiter = ',', help_heading = "Graph")]
    props: Vec<String>,

    /// Tell valid ends from deadlocks: a valid end has a step `terminated`; always so where a model in chi takes part
    #[arg(long, help_heading = "Graph")]
    ends: bool,
}

/// `--labels`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Labels {
    /// Messages: `ch!1` into a channel, `ch?1` out of it, `ch.1` from hand to hand
    Messages,
    /// Every statement with its process
    Statements,
    /// Nothing: every step is internal
    None,
}

impl ViewArgs {
    /// Whether states carry propositions.
    pub(crate) fn is_valued(&self) -> bool {
        !self.props.is_empty()
    }

    pub(crate) fn view(&self, ends: bool) -> View {
        View {
            ends: ends || self.ends,
            labels: match self.labels {
                Some(Labels::Messages) => Labelling::Messages,
                Some(Labels::Statements) => Labelling::Statements,
                Some(Labels::None) => Labelling::Nothing,
                None if self.is_valued() => Labelling::Nothing,
                None => Labelling::Messages,
            },
            observed: self.observe.clone(),
            propositions: self.props.clone(),
        }
    }

    /// As certificates keep it.
    pub(crate) fn data(&self) -> Value {
        let labels = self.labels.and_then(|l| l.to_possible_value()).map(|v| v.get_name().to_owned());
        json!({ "labels": labels, "observe": self.observe, "props": self.props, "ends": self.ends })
    }

    /// What [`ViewArgs::data`] has kept.
    pub(crate) fn of_data(data: &Value) -> Option<ViewArgs> {
        let labels = match &data["labels"] {
            Value::Null => None,
            name => Some(Labels::from_str(name.as_str()?, false).ok()?),
        };
        let texts = |name: &str| -> Option<Vec<String>> {
            data[name].as_array()?.iter().map(|t| t.as_str().map(str::to_owned)).collect()
        };
        Some(ViewArgs { labels, observe: texts("observe")?, props: texts("props")?, ends: data["ends"].as_bool()? })
    }
}

/// When to give up.
#[derive(clap::Args, Debug)]
pub(crate) struct LimitArgs {
    /// Wall-clock time, such as `90s`, `10m` or `1h30m`
    #[arg(long, value_name = "DURATION", value_parser = units::duration, help_heading = "Limits")]
    time_limit: Option<Duration>,

    /// Memory, such as `512M` or `8G` [default: the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes, help_heading = "Limits")]
    memory_limit: Option<u64>,
}

impl LimitArgs {
    /// What they mean.
    pub(crate) fn limits(&self) -> Limits {
        Limits { time_max: self.time_limit, memory_max_bytes: self.memory_limit, ..Limits::default() }
    }
}

/// `--notion`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum NotionName {
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
}

impl NotionName {
    /// The notion asked for, or the one that suits.
    pub(crate) fn choose(asked: Option<NotionName>, valued: bool) -> Notion {
        match asked {
            Some(NotionName::Strong) => Notion::Strong,
            Some(NotionName::Branching) => Notion::Branching,
            Some(NotionName::Dpbranching) => Notion::DivergenceBranching,
            Some(NotionName::Weak) => Notion::Weak,
            Some(NotionName::Stuttering) => Notion::Stuttering,
            None if valued => Notion::Stuttering,
            None => Notion::DivergenceBranching,
        }
    }

    /// Its name on the command line.
    pub(crate) fn of(notion: Notion) -> &'static str {
        match notion {
            Notion::Strong => "strong",
            Notion::Branching => "branching",
            Notion::DivergenceBranching => "dpbranching",
            Notion::Weak => "weak",
            Notion::Stuttering => "stuttering",
        }
    }
}

/// The form of a graph that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Form {
    /// The format of Aldébaran, CADP and mCRL2
    Aut,
    /// The language of Graphviz
    Dot,
}

/// Why a subcommand has no answer.
pub(crate) enum Trouble {
    /// Bad input: what was said about it, and the same as data.
    Input(Vec<ferrospin::report::Message>),
    /// A limit or an interrupt.
    Limit(&'static str),
}

/// The name of the language whose models are explored by the interpreter of process graphs.
pub(super) const PROMELA: &str = "promela";

/// What reading needs.
pub(crate) struct Reading<'a> {
    pub(crate) options: &'a front::Options,
    pub(crate) view: &'a ViewArgs,
    pub(crate) limits: Limits,
    pub(crate) output: &'a OutputArgs,
    pub(crate) watcher: &'a Watcher,
    /// Valid ends are told from deadlocks even if nothing was said about them.
    pub(crate) ends: bool,
    /// The languages of files.
    pub(crate) languages: &'a [Language],
}

impl Reading<'_> {
    fn hooks(&self) -> &Hooks {
        &self.watcher.hooks
    }

    /// The graph of a file: an `.aut` file as it is, any other a model that is explored, in whatever language.
    pub(crate) fn graph(&self, path: &Path) -> Result<Graph, Trouble> {
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("aut")) {
            self.aut(path)
        } else if chi::is_chi(path) {
            let program = self.program(path)?;
            let timer = Timer::start(&self.limits, self.hooks());
            self.explored(path, chi::graph_within(&program, &self.view.view(true), &timer))
        } else {
            match languages::of(self.languages, None, path).ok().filter(|l| l.name != PROMELA) {
                Some(language) => self.subject(language, path),
                None => self.model(path),
            }
        }
    }

    /// The program of a file in chi.
    pub(crate) fn program(&self, path: &Path) -> Result<Program, Trouble> {
        let read = chi::read_path(path).map_err(|why| self.refuse(super::CANNOT_READ, &why.to_string()))?;
        if let Some(program) = read.program {
            return Ok(program);
        }
        if self.output.format == Format::Text {
            let colored = self.output.colored(&std::io::stderr());
            output::say(&render::list_to_string(&read.map, &read.said, colored));
        }
        Err(Trouble::Input(ferrospin::report::Message::list(&read.map, &read.said)))
    }

    /// The graph of a file that must be an `.aut` file.
    pub(crate) fn aut_graph(&self, path: &Path) -> Result<Graph, Trouble> {
        match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("aut")) {
            true => self.aut(path),
            false => {
                Err(self
                    .refuse("usage", &format!("`{}` is no .aut file; `translate --to aut` makes one", path.display())))
            }
        }
    }

    /// Says why there is no graph, for people.
    pub(crate) fn refuse(&self, code: &'static str, why: &str) -> Trouble {
        self.watcher.clear();
        if self.output.format == Format::Text {
            output::complain(why);
        }
        Trouble::Input(vec![ferrospin::report::message(code, why)])
    }

    fn aut(&self, path: &Path) -> Result<Graph, Trouble> {
        if self.view.is_valued() || self.view.labels.is_some() {
            let why = format!(
                "`{}` has its labels already, and its states carry nothing: leave out `--props` and `--labels`",
                path.display()
            );
            return Err(self.refuse("usage", &why));
        }
        let text = std::fs::read(path).map_err(|e| {
            let why = format!("cannot read `{}`: {}", path.display(), ferrospin::files::why(&e));
            self.refuse(super::CANNOT_READ, &why)
        })?;
        match aut::read(&text) {
            Ok(graph) => Ok(behaviour::visible(&graph, &self.view.observe)),
            Err(error) => {
                let (map, diagnostic) = diagnostic(path, text, &error);
                if self.output.format == Format::Text {
                    let colored = self.output.colored(&std::io::stderr());
                    output::say(&format!("{}\n", render::to_string(&map, &diagnostic, colored)));
                }
                let mut said = ferrospin_source::Diagnostics::default();
                said.push(diagnostic);
                Err(Trouble::Input(ferrospin::report::Message::list(&map, &said)))
            }
        }
    }

    fn model(&self, path: &Path) -> Result<Graph, Trouble> {
        let front = self.front(path)?;
        self.explored(path, behaviour::of_model(&front, &self.view.view(self.ends), &self.limits, self.hooks()))
    }

    /// A model in another language.
    fn subject(&self, language: &Language, path: &Path) -> Result<Graph, Trouble> {
        let loaded =
            (language.open)(path, self.options).map_err(|why| self.refuse(super::CANNOT_READ, &why.to_string()))?;
        if loaded.has_errors() {
            if self.output.format == Format::Text {
                output::say(&loaded.text(self.output.colored(&std::io::stderr())));
            }
            return Err(Trouble::Input(loaded.messages()));
        }
        let refused = |why: Refusal| self.refuse("refused", &format!("{}: {why}", path.display()));
        let subject = loaded.subject(None).map_err(refused)?;
        let view = self.view.view(self.ends);
        self.explored(path, behaviour::of_subject(&*subject, &view, &self.limits, self.hooks()))
    }

    /// A Promela model that can be run.
    pub(crate) fn front(&self, path: &Path) -> Result<front::Front, Trouble> {
        let front =
            front::read_path(path, self.options).map_err(|why| self.refuse(super::CANNOT_READ, &why.to_string()))?;
        if front.stops_check() {
            if self.output.format == Format::Text {
                output::say(&front.text(self.output.colored(&std::io::stderr())));
            }
            return Err(Trouble::Input(front.messages()));
        }
        Ok(front)
    }

    fn explored(&self, path: &Path, found: Result<Graph, Missing>) -> Result<Graph, Trouble> {
        match found {
            Ok(graph) => Ok(graph),
            Err(Missing::Refused(why)) => Err(self.refuse("refused", &format!("{}: {why}", path.display()))),
            Err(Missing::Limit(why)) => Err(Trouble::Limit(why)),
        }
    }
}

/// The groups of processes of a Promela model.
pub(crate) fn groups(path: &Path, limits: &Limits, output: &OutputArgs, watcher: &Watcher) -> Result<Parts, Trouble> {
    let (options, view) = (front::Options::default(), ViewArgs::default());
    let reading =
        Reading { options: &options, view: &view, limits: *limits, output, watcher, ends: false, languages: LANGUAGES };
    let front = reading.front(path)?;
    groups::parts(&front, limits, &watcher.hooks).map_err(|missing| match missing {
        Missing::Refused(why) => reading.refuse("refused", &format!("{}: {why}", path.display())),
        Missing::Limit(why) => Trouble::Limit(why),
    })
}

/// What is wrong with an AUT file, as it is said of models. Bytes that are no text are shown as question marks.
fn diagnostic(path: &Path, text: Vec<u8>, error: &AutError) -> (SourceMap, Diagnostic) {
    let text = String::from_utf8(text).unwrap_or_else(|bad| {
        let ascii = |b: &u8| if b.is_ascii() { *b as char } else { '?' };
        bad.as_bytes().iter().map(ascii).collect()
    });
    let mut map = SourceMap::new();
    let file = map.add_file(path.display().to_string(), text);
    let span = map.span(file, error.range.start, error.range.end);
    let note = "the format: `des (INITIAL, TRANSITIONS, STATES)`, then one `(FROM, \"LABEL\", TO)` on each line";
    (map, Diagnostic::error("aut", span, error.kind.to_string()).note(note))
}

/// Writes a graph to a file or to standard output; files that were read are never replaced.
pub(crate) fn write(graph: &Graph, form: Form, path: Option<&Path>, outputs: &Outputs<'_>) -> anyhow::Result<()> {
    let (text, kind) = match form {
        Form::Aut if graph.valuation().is_some() => {
            (aut::write(&ferrospin_lts::operations::propositions_as_labels(graph)), Kind::System)
        }
        Form::Aut => (aut::write(graph), Kind::System),
        Form::Dot => (dot::write(graph), Kind::SystemDot),
    };
    match path {
        None => output::print(&text),
        Some(path) => outputs.write(path, kind, &text).map_err(anyhow::Error::msg),
    }
}

/// The report as `check` gives it: what there is beside the one property goes into `more`.
pub(crate) fn report(
    name: &str,
    verdict: &str,
    property: Value,
    diagnostics: Vec<ferrospin::report::Message>,
) -> Value {
    let properties = if property.is_null() { json!([]) } else { json!([property]) };
    json!({
        "ferrospin": ferrospin::VERSION,
        "schema": 1,
        "model": name,
        "verdict": verdict,
        "properties": properties,
        "unreached": [],
        "diagnostics": diagnostics,
    })
}

/// Ends a subcommand that has no answer.
pub(crate) fn give_up(name: &str, kind: &str, trouble: Trouble, output: &OutputArgs) -> anyhow::Result<ExitStatus> {
    let (verdict, code, property, said) = match trouble {
        Trouble::Input(said) => ("error", 2, Value::Null, said),
        Trouble::Limit(why) => {
            if output.format == Format::Text {
                output::print(&format!("undecided: {why}\n"))?;
            }
            let property =
                json!({ "name": kind, "kind": kind, "verdict": "undecided", "complete": false, "stopped": why });
            ("undecided", 3, property, Vec::new())
        }
    };
    if output.format == Format::Json {
        output::print_json(&report(name, verdict, property, said))?;
    }
    Ok(code)
}

/// `1 state`, `2 states`
pub(crate) fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// `5 states, 7 edges`
pub(crate) fn size(states: usize, edges: usize) -> String {
    format!("{}, {}", counted(states, "state"), counted(edges, "transition"))
}
