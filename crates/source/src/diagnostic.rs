//! Messages about source text.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The model cannot be read, or a lint of error level.
    Error,
    /// Likely a mistake; work goes on.
    Warning,
}

/// A further place that explains the message.
#[derive(Clone, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// A change that would mend the input.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// What to replace.
    pub span: Span,
    /// By what.
    pub replacement: String,
    /// The sentence that offers it, such as "did you mean `turn`?".
    pub text: String,
}

/// One message.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Short stable name, in kebab-case, by which `--allow` and `--deny` know it.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// Where; `Span::NONE` when there is no place.
    pub span: Span,
    /// A few words under the caret; may be empty.
    pub label: String,
    /// Further places.
    pub labels: Vec<Label>,
    /// Sentences that explain or advise.
    pub notes: Vec<String>,
    /// Ways to mend it.
    pub suggestions: Vec<Suggestion>,
    /// Whether this is a lint: the model can still be run, whatever the severity.
    pub lint: bool,
}

impl Diagnostic {
    /// An error: the model cannot be read.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            label: String::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            suggestions: Vec::new(),
            lint: false,
        }
    }

    /// A lint of the given severity: what SPIN accepts and we find wrong or doubtful.
    pub fn lint(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity, lint: true, ..Self::error(code, span, message) }
    }

    /// Puts words under the caret.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a sentence.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Offers a replacement.
    pub fn suggest(mut self, span: Span, replacement: impl Into<String>, text: impl Into<String>) -> Self {
        self.suggestions.push(Suggestion { span, replacement: replacement.into(), text: text.into() });
        self
    }
}

/// A growing list of messages.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, d: Diagnostic) {
        self.list.push(d);
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    /// Whether something makes the model unreadable.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| !d.lint && d.severity == Severity::Error)
    }

    /// All messages.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Keeps those for which `keep` says so.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(keep);
    }

    /// Sorts into source order of the places the messages point at.
    pub fn sort(&mut self, map: &crate::SourceMap) {
        self.list.sort_by_key(|d| (map.primary(d.span).lo, d.severity));
    }
}
