//! Models in chi: read, explored, and translated to Promela, so that every question about Promela models can be asked of them.

use crate::behaviour::{self, Labelling, Missing, Timer, View};
use crate::files::{self, CannotRead};
use crate::front::{self, Front};
use crate::verify::{Hooks, Limits};
use ferrospin_chi::equivalence::{self, Alike, Answer};
use ferrospin_chi::graph::{Actions, GraphError, explore};
use ferrospin_chi::normal::Refused;
use ferrospin_chi::promela::{Translation, translate};
use ferrospin_chi::term::{Program, Variable};
use ferrospin_lts::compare::compare;
use ferrospin_lts::{Graph, Notion, Watch};
use ferrospin_source::{Diagnostics, FileId, SourceMap};
use std::path::Path;
use std::sync::Arc;

/// The end of the names of files in chi.
pub const EXTENSION: &str = "chi";

/// Whether a file is one in chi, by its name.
pub fn is_chi(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(EXTENSION))
}

/// A file that was read.
pub struct Chi {
    /// As messages name it.
    pub name: String,
    /// Its text.
    pub map: SourceMap,
    file: FileId,
    /// What was said about it.
    pub said: Diagnostics,
    /// What it means; `None` where it has errors.
    pub program: Option<Program>,
}

/// Reads a file.
pub fn read_path(path: &Path) -> Result<Chi, CannotRead> {
    let (text, name) = files::read_model(path)?;
    Ok(read_text(name, text))
}

/// Reads a model from memory.
pub fn read_text(name: String, text: Arc<str>) -> Chi {
    let mut map = SourceMap::new();
    let file = map.add_file(name.as_str(), text);
    let (program, said) = ferrospin_chi::read(&map, file);
    Chi { name, map, file, said, program }
}

impl Chi {
    /// The text.
    pub fn text(&self) -> &str {
        self.map.text(self.file)
    }
}

/// The graph of a program.
pub fn graph(
    program: &Program,
    view: &View,
    watch: &dyn Watch,
    why: impl Fn() -> &'static str,
) -> Result<Graph, Missing> {
    let actions = match view.labels {
        Labelling::Messages => Actions::Messages,
        Labelling::Statements => Actions::All,
        Labelling::Nothing => Actions::None,
    };
    let mut observed = Vec::new();
    for name in &view.propositions {
        let globals = &program.variables[..program.globals.len()];
        let Some(place) = globals.iter().position(|d| d.name == *name) else {
            let all: Vec<&str> = globals.iter().map(|d| d.name.as_str()).collect();
            let why = format!("`{name}` is no variable of the model; there are: {}", all.join(", "));
            return Err(Missing::Refused(why));
        };
        observed.push(Variable(place as u32));
    }
    let observed = (!view.propositions.is_empty()).then_some(observed);
    let shown = ferrospin_chi::graph::View { actions, observed };
    match explore(program, &shown, watch) {
        Ok(graph) => Ok(crate::behaviour::visible(&graph, &view.observed)),
        Err(GraphError::Stopped) => Err(Missing::Limit(why())),
        Err(error) => Err(Missing::Refused(error.to_string())),
    }
}

/// The graph of a program within the limits of a check.
pub fn graph_within(program: &Program, view: &View, timer: &Timer) -> Result<Graph, Missing> {
    graph(program, view, timer, || timer.why())
}

/// The name under which the translation of a file appears in messages.
fn translated_name(name: &str) -> String {
    format!("{name} (as Promela)")
}

/// A model in chi as the front end gives it: translated to Promela, statements told as they are in chi. What is wrong with the text
/// in chi is in the diagnostics, at places of that text.
pub fn front(chi: Chi, options: &front::Options) -> Front {
    let mut loader = files::DiskLoader::default();
    let translation = match &chi.program {
        None => return unreadable(chi, options),
        Some(program) => translate(program),
    };
    match translation {
        Err(refused) => refused_front(chi, &refused, options),
        Ok(translation) => {
            let name = translated_name(&chi.name);
            let plain = front::Options { defines: Vec::new(), ..options.clone() };
            let mut front = front::read_text(&name, translation.text.as_str(), &plain, &mut loader);
            front.name = chi.name;
            front.statements = translation.lines.into_iter().collect();
            // Lints speak about the translation, which is not the user's text.
            front.diagnostics.retain(|d| !d.lint);
            front
        }
    }
}

fn refused_front(mut chi: Chi, refused: &Refused, options: &front::Options) -> Front {
    let model = chi.text().find("model").unwrap_or(0);
    let span = chi.map.span(chi.file, model, model + "model".len());
    chi.said.push(ferrospin_source::Diagnostic::error("no-translation", span, refused.to_string()));
    unreadable(chi, options)
}

fn unreadable(chi: Chi, options: &front::Options) -> Front {
    let mut loader = files::DiskLoader::default();
    let empty = front::read_text(&chi.name, "", options, &mut loader);
    Front { name: chi.name, map: chi.map, diagnostics: chi.said, unreadable: true, ..empty }
}

/// Translates a program that has a translation.
pub fn promela(program: &Program) -> Result<Translation, Refused> {
    translate(program)
}

/// Why a translation is not handed out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unproved {
    /// A limit was reached.
    #[error("a limit was reached")]
    Limit,
    /// The model cannot be explored.
    #[error("{0}")]
    Refused(String),
    /// The translation does not behave as the model; this should not be, and it is never written.
    #[error("the translation behaves differently, which is a mistake in this program: {0}")]
    Wrong(String),
}

impl From<Missing> for Unproved {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Limit(_) => Unproved::Limit,
            Missing::Refused(why) => Unproved::Refused(why),
        }
    }
}

/// Shows that a translation behaves as its model does: both are explored, and must be stuttering equivalent over the global variables,
/// valid ends told from deadlocks. Says so in words.
pub fn prove(
    program: &Program,
    translation: &Translation,
    limits: &Limits,
    hooks: &Hooks,
    watch: &dyn Watch,
) -> Result<String, Unproved> {
    let globals = || program.variables[..program.globals.len()].iter().map(|d| d.name.clone());
    let view = |propositions| View { labels: Labelling::Nothing, propositions, ends: true, ..View::default() };
    let own = graph(program, &view(globals().collect()), watch, || "stopped")?;
    let mut loader = files::DiskLoader::default();
    let front = front::read_text("translation", translation.text.as_str(), &front::Options::default(), &mut loader);
    if front.unreadable {
        return Err(Unproved::Wrong(front.text(false)));
    }
    let name =
        |own: String| translation.names.iter().find(|(chi, _)| *chi == own).map_or(own, |(_, name)| name.clone());
    let theirs = behaviour::of_model(&front, &view(globals().map(name).collect()), limits, hooks)?;
    // Variables that were renamed carry their own names again.
    let theirs = ferrospin_lts::operations::rename_propositions(&theirs, |text| {
        let (variable, value) = text.split_once('=').unwrap_or((text, ""));
        let own = translation.names.iter().find(|(_, name)| name == variable);
        own.map_or_else(|| text.to_owned(), |(own, _)| format!("{own}={value}"))
    });
    let found = compare(&own, &theirs, Notion::Stuttering, watch).map_err(|_| Unproved::Limit)?;
    match found.formula {
        Some(formula) => Err(Unproved::Wrong(formula.to_string())),
        None => Ok(format!(
            "{} states in chi, {} in Promela, stuttering equivalent over all global variables",
            own.state_count(),
            theirs.state_count()
        )),
    }
}

/// Looks at each use of a law: whether both sides are stuttering congruent, for all values of the variables where these are known. The
/// variables of scopes around count as global ones. One line for each.
pub fn steps(translation: &Translation, watch: &dyn Watch) -> Result<Vec<String>, Unproved> {
    let normal = &translation.normal;
    let mut program = normal.program.clone();
    program.globals.resize(program.variables.len(), 0);
    let mut lines = Vec::new();
    for rewrite in &normal.rewrites {
        let size = rewrite.before.size();
        let judged = if ferrospin_chi::normal::is_law(rewrite) {
            match equivalence::compare(&program, &rewrite.before, &rewrite.after, Alike::Congruent, watch) {
                Ok(Answer { difference: Some(difference), .. }) => {
                    return Err(Unproved::Wrong(format!("{}: {:?}", rewrite.law, difference.why)));
                }
                Ok(answer) if answer.complete => format!("congruent in {} states of the variables", answer.valuations),
                Ok(answer) => format!("not refuted in {} states of the variables", answer.valuations),
                Err(equivalence::Error::Stopped | equivalence::Error::Graph(GraphError::Stopped)) => {
                    return Err(Unproved::Limit);
                }
                Err(error) => format!("looked at in the whole model only: {error}"),
            }
        } else {
            "looked at in the whole model only".to_owned()
        };
        lines.push(format!("{}: {size} operators, {judged}", rewrite.law));
    }
    Ok(lines)
}
