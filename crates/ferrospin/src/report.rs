//! What the subcommands answer, as data and as text: the report of a check is that of [`ferrospin_check::report`], the one of `lint` is here.

pub use ferrospin_check::report::*;

use crate::front::Front;
use crate::suggest::{NoSuggestions, Suggestion};
use ferrospin_promela::types::{ChannelType, Types};
use ferrospin_source::{Diagnostic, Severity, SourceMap, Span};
use serde::Serialize;

/// A message that is about no text, such as a file that cannot be opened.
pub fn message(code: &'static str, sentence: impl Into<String>) -> Message {
    Message::new(&SourceMap::new(), &Diagnostic::error(code, Span::NONE, sentence))
}

/// The whole answer of `lint`.
#[derive(Clone, Debug, Serialize)]
pub struct LintReport {
    /// Version of the program.
    pub ferrospin: &'static str,
    /// Version of this format.
    pub schema: u32,
    /// The model, as it was named.
    pub model: String,
    /// Whether the model can be read, and so be run.
    pub readable: bool,
    /// How many messages are of error level.
    pub errors: usize,
    /// How many are warnings.
    pub warnings: usize,
    /// The messages.
    pub diagnostics: Vec<Message>,
    /// What every channel carries, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<Channel>>,
    /// Statements that could be one step, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<Suggestion>>,
    /// Why nothing can be suggested, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_suggestions: Option<String>,
}

/// A channel and what it carries.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Channel {
    /// `server`, or `Agent.talk` for what belongs to a process type.
    pub name: String,
    /// Such as `rec a. chan{mtype,a}`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Where it is declared.
    pub location: Option<Location>,
}

fn channels(front: &Front, types: &Types) -> Vec<Channel> {
    let channel = |c: &ChannelType| Channel {
        name: c.name.clone(),
        ty: c.layout.clone(),
        location: front.map.position(c.span).map(|p| Location {
            file: p.file.to_string(),
            line: p.line,
            column: p.column,
        }),
    };
    types.channels().map(channel).collect()
}

impl LintReport {
    /// The answer about a model that was read.
    pub fn new(front: &Front, show_types: bool) -> Self {
        Self {
            ferrospin: crate::VERSION,
            schema: SCHEMA,
            model: front.name.clone(),
            readable: !front.unreadable,
            errors: front.count(Severity::Error),
            warnings: front.count(Severity::Warning),
            diagnostics: front.messages(),
            types: front.types.as_ref().filter(|_| show_types).map(|types| channels(front, types)),
            suggestions: None,
            no_suggestions: None,
        }
    }

    /// The same with what could be one step.
    #[must_use]
    pub fn with_suggestions(mut self, found: Result<Vec<Suggestion>, NoSuggestions>) -> Self {
        match found {
            Ok(list) => self.suggestions = Some(list),
            Err(why) => self.no_suggestions = Some(why.to_string()),
        }
        self
    }

    /// The answer about a model that could not even be opened.
    pub fn unreadable(model: impl Into<String>, why: Message) -> Self {
        Self {
            ferrospin: crate::VERSION,
            schema: SCHEMA,
            model: model.into(),
            readable: false,
            errors: 1,
            warnings: 0,
            diagnostics: vec![why],
            types: None,
            suggestions: None,
            no_suggestions: None,
        }
    }
}
