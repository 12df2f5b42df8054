//! From places in the text of C to places in the model.

use crate::text::Text;
use ferrospin_source::{SourceMap, Span};

/// Both texts.
pub(crate) struct Places {
    pub(crate) model: SourceMap,
    pub(crate) c: SourceMap,
    pub(crate) text: Text,
}

impl Places {
    /// The place in the model of a place in C, and what file and line it has where it is in a header.
    pub(crate) fn find(&self, span: Span) -> (Span, Option<String>) {
        let primary = self.c.primary(span);
        match self.c.spelling(primary) {
            Some((file, range)) if self.c.base(file) == self.c.base(self.main()) => {
                (self.text.place(&self.model, range.start), None)
            }
            Some(_) => (Span::NONE, self.c.position(primary).map(|p| format!("{}:{}", p.file, p.line))),
            None => (Span::NONE, None),
        }
    }

    /// A place as a few words behind a message.
    pub(crate) fn at(&self, span: Span) -> String {
        match self.find(span) {
            (at, _) if at != Span::NONE => {
                self.model.position(at).map_or(String::new(), |p| format!(", in embedded C at {}:{}", p.file, p.line))
            }
            (_, Some(place)) => format!(", in embedded C at {place}"),
            _ => String::new(),
        }
    }

    fn main(&self) -> ferrospin_source::FileId {
        self.c.file_of(0).or(self.c.file_of(1)).expect("there is a text")
    }
}
