//! What a run of a Promela model is, and what can be said of it: the model as it was lowered, places, statements, failures.
//!
//! A [`Run`] is that of any subject, of which more can be said; the interpreter that takes it is in [`crate::subject`].

use crate::front::Front;
use crate::subject::Promela;
pub use ferrospin_check::run::Moment;
use ferrospin_interp::describe::{self, Describer};
use ferrospin_interp::failure_kind;
use ferrospin_interp::log::Entry;
use ferrospin_interp::statement::Statements;
use ferrospin_lower::claim::Property;
use ferrospin_lower::{Numbers, Scope, lower_with};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, Edge, EdgeId, Model};
use ferrospin_source::{ExpansionKind, Span};
use ferrospin_system::{Failure, Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::trail::{Actor, Change, Event, Message, Place};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// What is said of a model whose embedded C cannot be run.
pub fn cannot_run(front: &Front) -> String {
    let why = front.embedded_refusal().unwrap_or_else(|| "nothing says what it means".into());
    format!(
        "the embedded C of the model cannot be run here (`lint` and `graph` understand it; `--allow-c` lets the system's compiler run it, \
         unchecked): {why}"
    )
}

/// A model ready to be run.
#[derive(Clone)]
pub struct Runnable {
    /// The process graphs that are run.
    pub model: Arc<Model>,
    lowered: Arc<Lowered>,
}

/// What lowering has given.
struct Lowered {
    plain: Arc<Model>,
    numbers: Numbers,
    properties: Vec<Property>,
    scope: Scope,
    fingerprint: OnceLock<String>,
    shared: OnceLock<HashSet<Span>>,
}

impl Runnable {
    /// The same with other process graphs, whose edges have the same numbers.
    pub fn with(&self, model: Arc<Model>) -> Runnable {
        Runnable { model, lowered: self.lowered.clone() }
    }

    /// The numbers SPIN gives to edges and locations.
    pub fn numbers(&self) -> &Numbers {
        &self.lowered.numbers
    }

    /// The `ltl` blocks, in text order.
    pub fn properties(&self) -> &[Property] {
        &self.lowered.properties
    }

    /// What formulas are lowered in, and the model that this is the scope of.
    pub(crate) fn scope(&self) -> (&Scope, &Model) {
        (&self.lowered.scope, &self.lowered.plain)
    }

    /// What makes a trail fit: see [`fingerprint`].
    pub fn fingerprint(&self) -> &str {
        self.lowered.fingerprint.get_or_init(|| fingerprint(&self.lowered.plain))
    }

    /// Spans that several edges with different actions have: of macros, inlines and loops.
    fn shared(&self) -> &HashSet<Span> {
        self.lowered.shared.get_or_init(|| shared_spans(&self.lowered.plain))
    }
}

/// Why a model that can be read cannot be run: the first reason, with its place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{message}", .place.as_ref().map_or(String::new(), |(file, line)| format!("{file}:{line}: ")))]
pub struct CannotRun {
    /// The file, as messages name it, and the line.
    pub place: Option<(String, u32)>,
    /// What there cannot be run.
    pub message: String,
}

impl From<CannotRun> for ferrospin_check::Refusal {
    fn from(why: CannotRun) -> ferrospin_check::Refusal {
        ferrospin_check::Refusal::Refused(why.to_string())
    }
}

/// Lowers a model that was read without errors. This is done once in a run.
pub fn prepare(front: &Front) -> Result<Runnable, CannotRun> {
    assert!(!front.unreadable, "a model with errors must not be run");
    let (lowered, said) = lower_with(&front.map, &front.reading.program, &front.reading.names, front.semantics());
    if let Some(d) = said.iter().next() {
        let place = front.map.position(d.span).map(|p| (p.file.to_string(), p.line));
        return Err(CannotRun { place, message: d.message.clone() });
    }
    let ferrospin_lower::Lowered { model, numbers, properties, scope } = lowered;
    let mut model = model;
    if let Ok(Some(embedded)) = &front.embedded {
        model.code = Some(embedded.code(&front.reading.names, &scope));
    }
    let plain = Arc::new(model);
    let (fingerprint, shared) = (OnceLock::new(), OnceLock::new());
    let lowered = Lowered { plain: plain.clone(), numbers, properties, scope, fingerprint, shared };
    Ok(Runnable { model: plain, lowered: Arc::new(lowered) })
}

/// Spans whose text does not tell which edge is meant.
fn shared_spans(model: &Model) -> HashSet<Span> {
    let mut seen: HashMap<Span, &Action> = HashMap::new();
    let mut shared = HashSet::new();
    for edge in model.edges.iter().filter(|e| e.action != Action::Skip) {
        if *seen.entry(edge.span).or_insert(&edge.action) != &edge.action {
            shared.insert(edge.span);
        }
    }
    shared
}

/// A number that is the same for models in which the same moves mean the same. Comments and layout do not matter.
pub fn fingerprint(model: &Model) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    let mut add = |text: String| text.bytes().chain([0]).for_each(|b| hash.add(b));
    let leaf = |l: &ferrospin_model::ir::Leaf| format!("{:?}", (&l.name, l.offset, &l.dims, l.scalar));
    model.globals.iter().for_each(|l| add(leaf(l)));
    add(format!("{:?}", (&model.channels, &model.init, &model.start, &model.mtypes)));
    for p in &model.processes {
        p.locals.iter().for_each(|l| add(leaf(l)));
        add(format!("{:?}", (&p.name, p.kind, p.entry, &p.params, &p.channels)));
        add(format!("{:?}", (&p.init, &p.provided, p.priority, p.deterministic)));
    }
    for e in &model.edges {
        add(format!("{:?}", (e.from, e.to, &e.action, &e.then, e.atomic, e.escape)));
    }
    format!("{:016x}", hash.0)
}

/// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits): short, and the same for ever.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// A run of a model: one of a subject, of which more can be said.
pub struct Run<'a> {
    run: ferrospin_check::run::Run<'a>,
    texts: Texts<'a>,
}

impl<'a> Run<'a> {
    /// Starts a run.
    pub fn start(front: &'a Front, runnable: &'a Runnable) -> Result<Self, Failure> {
        let subject = Promela::new(front, runnable);
        let run = ferrospin_check::run::Run::over(subject.interpreter(), ferrospin_check::Subject::identity(&subject))?;
        Ok(Run { run, texts: Texts { front, runnable } })
    }

    /// Places and statements.
    pub fn texts(&self) -> &Texts<'a> {
        &self.texts
    }

    /// The model.
    pub fn runnable(&self) -> &'a Runnable {
        self.texts.runnable
    }

    /// The state for people.
    pub fn describe(&self) -> Describer<'_> {
        Describer::new(&self.texts.runnable.model, &self.run.now().state)
    }
}

impl<'a> std::ops::Deref for Run<'a> {
    type Target = ferrospin_check::run::Run<'a>;

    fn deref(&self) -> &Self::Target {
        &self.run
    }
}

impl std::ops::DerefMut for Run<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.run
    }
}

/// What can be said about places and statements, without a state.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The model as it was read.
    pub front: &'a Front,
    /// The model as it runs.
    pub runnable: &'a Runnable,
}

/// Statements longer than this are cut.
const STATEMENT_MAX: usize = 72;

impl Texts<'_> {
    /// File, line and column of a span.
    pub fn place(&self, span: Span) -> Option<Place> {
        let p = self.front.map.position(span)?;
        Some(Place { file: p.file.to_string(), line: p.line, column: p.column })
    }

    /// The statement behind an edge.
    pub fn statement(&self, edge: &Edge) -> String {
        if let Some(text) = self.translated(edge.span) {
            return shorten(text);
        }
        match &edge.action {
            Action::End => "end of the process".into(),
            Action::Skip => match self.snippet(edge.span) {
                // The joint behind a selection or repetition has the text of the whole.
                text if starts(&text, "if") => "fi".into(),
                text if ["do", "for", "select"].iter().any(|w| starts(&text, w)) => "od".into(),
                text => shorten(&text),
            },
            Action::Guard(_) if self.is_loss(edge) => {
                shorten(&format!("{} (the message is lost)", self.source(edge.span)))
            }
            action if self.runnable.shared().contains(&edge.span) => {
                let model = &self.runnable.model;
                let done = Statements { model, process: model.location(edge.from).process }.action(action);
                shorten(&format!("{}: {done}", self.source(edge.span)))
            }
            _ => self.source(edge.span),
        }
    }

    /// Whether an edge is what a send does when its channel is full: it stands beside that send.
    fn is_loss(&self, edge: &Edge) -> bool {
        let model = &self.runnable.model;
        self.front.lossy_channels
            && model.location(edge.from).edges.iter().any(|&e| {
                let other = model.edge(e);
                other.span == edge.span && matches!(other.action, Action::Send { .. })
            })
    }

    /// What a statement is in the language that the model was translated from.
    fn translated(&self, span: Span) -> Option<&str> {
        if self.front.statements.is_empty() {
            return None;
        }
        let line = self.front.map.position(span)?.line;
        self.front.statements.get(&line).map(String::as_str)
    }

    /// The text of a span on one line; text that a macro stands for is shown behind its use.
    pub fn source(&self, span: Span) -> String {
        let spelled = self.snippet(span);
        let is_macro = self.front.map.expansion(span.expansion).is_some_and(|e| e.kind == ExpansionKind::Macro);
        if is_macro {
            let used = self.snippet(self.front.map.primary(span));
            return shorten(&format!("{used}: {spelled}"));
        }
        // Of a loop or block only the head is worth a line.
        for word in ["for", "d_step", "atomic", "do", "if"] {
            if starts(&spelled, word) {
                let end = if word == "for" { spelled.find('{').unwrap_or(spelled.len()) } else { spelled.len() };
                return shorten(spelled[..end].trim_end());
            }
        }
        shorten(&spelled)
    }

    fn snippet(&self, span: Span) -> String {
        self.front.map.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn starts(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= STATEMENT_MAX {
        return text.to_string();
    }
    text.chars().take(STATEMENT_MAX - 1).chain(['…']).collect()
}

pub(crate) fn change(c: describe::Change) -> Change {
    Change { process: c.process.map(|p| p as u8), name: c.name, before: c.before, after: c.after }
}

/// What happened in a step, with names.
pub(crate) fn events(mv: &Move, old: &Describer<'_>, new: &Describer<'_>, log: Vec<Entry>) -> Vec<Event> {
    // The numbers of processes mean the same before and behind a step, except for those that start or end in it.
    let actor = |number: usize| {
        let name = Some(new.process_name(number)).filter(|n| !n.is_empty());
        Actor { number: number as u8, name: name.unwrap_or_else(|| old.process_name(number)) }
    };
    let mover = actor(usize::from(mv.process));
    let handshake = mv.partner != NO_PROCESS;
    let channel = |number: i32| old.channel_name(number);
    let mut out = Vec::new();
    for entry in log {
        out.push(match entry {
            Entry::Printed(text) => Event::Printed { process: mover.clone(), text },
            Entry::Sent { channel: c, message } if handshake => Event::Handshake {
                sender: mover.clone(),
                receiver: actor(usize::from(mv.partner)),
                channel: channel(c),
                message: old.message_text(c, &message),
            },
            Entry::Received { .. } if handshake => continue,
            Entry::Sent { channel: c, message } => Event::Sent(Message {
                process: mover.clone(),
                channel: channel(c),
                message: old.message_text(c, &message),
            }),
            Entry::Received { channel: c, message } => Event::Received(Message {
                process: mover.clone(),
                channel: channel(c),
                message: old.message_text(c, &message),
            }),
            Entry::Started(number) => Event::Started { process: actor(number) },
            Entry::Ended(number) => {
                Event::Ended { process: Actor { number: number as u8, name: old.process_name(number) } }
            }
            Entry::Cut { value, scalar } => Event::Cut { value, stored: scalar.cut(value) },
        });
    }
    out
}

/// A failure in a sentence.
pub(crate) fn kind_text(model: &Model, kind: FailureKind) -> String {
    match (kind, &model.code) {
        (FailureKind::Called(number), Some(code)) => code.failure(number),
        _ => kind.to_string(),
    }
}

/// A failure in a sentence with its place.
pub fn failure_text(texts: &Texts<'_>, model: &Model, failure: &Failure) -> (String, Option<Place>) {
    let edge = (failure.edge != NO_EDGE).then(|| model.edge(EdgeId(failure.edge)));
    let message = match (failure_kind(failure.code), edge) {
        (FailureKind::Assertion, Some(e)) => format!("assertion violated: {}", texts.statement(e)),
        (kind, _) => kind_text(model, kind),
    };
    (message, edge.and_then(|e| texts.place(e.span)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::DiskLoader;
    use crate::front;
    use expect_test::{Expect, expect};

    /// Reads a model and takes its first moves, oldest process first.
    fn check(model: &str, steps: usize, expected: Expect) {
        let front = front::read_text("m.pml", model, &front::Options::default(), &mut DiskLoader::default());
        assert!(!front.unreadable, "{}", front.text(false));
        let runnable = prepare(&front).unwrap();
        let mut run = Run::start(&front, &runnable).unwrap();
        let mut text = String::from("steps\n");
        for i in 0..steps {
            let mv = *run.moves().list.last().expect("some process can move");
            text += &ferrospin_trace::story::step(i + 1, &run.take(&mv, None).0);
        }
        text += "values\n";
        for v in run.values() {
            text += &format!("  {} = {}\n", v.name, v.value);
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn records_and_arrays() {
        let model = "typedef In { byte x; bool ok[2] }\ntypedef R { In in[2]; short n }\nR r[2];\nint a[3] = 7;\n\
                     init { r[1].in[0].ok[1] = true; a[2] = -1; r[0].n = 5 }\n";
        check(
            model,
            3,
            expect![[r#"
            steps
              1  init[0]   line 5  r[1].in[0].ok[1] = true   r[1].in[0].ok[1]: false -> true
              2  init[0]   line 5  a[2] = -1                 a[2]: 7 -> -1
              3  init[0]   line 5  r[0].n = 5                r[0].n: 0 -> 5
            values
              r[0].in[0].x = 0
              r[0].in[0].ok[0] = false
              r[0].in[0].ok[1] = false
              r[0].in[1].x = 0
              r[0].in[1].ok[0] = false
              r[0].in[1].ok[1] = false
              r[0].n = 5
              r[1].in[0].x = 0
              r[1].in[0].ok[0] = false
              r[1].in[0].ok[1] = true
              r[1].in[1].x = 0
              r[1].in[1].ok[0] = false
              r[1].in[1].ok[1] = false
              r[1].n = 0
              a[0] = 7
              a[1] = 7
              a[2] = -1
        "#]],
        );
    }

    #[test]
    fn channels_and_names() {
        let model = "mtype = { red, green };\nmtype light = green;\nchan q[2] = [2] of { mtype, chan, bool };\n\
                     active proctype P() { chan own = [1] of { byte }; chan other; own!3; q[1]!red(own, true); \
                     q[1]!green(own, false); q[1]?light(other, _) }\n";
        check(
            model,
            4,
            expect![[r#"
            steps
              1  P[0]      line 4  own!3                     P[0].own: empty -> [3]
              2  P[0]      line 4  q[1]!red(own, true)       q[1]: empty -> [red,P[0].own,true]
              3  P[0]      line 4  q[1]!green(own, false)    q[1]: [red,P[0].own,true] -> [red,P[0].own,true] [green,P[0].own,false]
              4  P[0]      line 4  q[1]?light(other, _)      light: green -> red, q[1]: [red,P[0].own,true] [green,P[0].own,false] -> [green,P[0].own,false], P[0].other: none -> P[0].own
            values
              light = red
              q[0] = empty
              q[1] = [green,P[0].own,false]
              P[0].other = P[0].own
              P[0].own = [3]
        "#]],
        );
    }

    #[test]
    fn macros_inlines_and_loops() {
        let model = "#define incr(v) v = v + 1; v = v * 2\nbyte x, i;\n\
                     inline twice(n) { n++; n++ }\n\
                     init { incr(x); twice(x); for (i : 1 .. 2) { x-- } skip; d_step { x = 0; i = 0 } if :: x == 0 :: else fi }\n";
        check(
            model,
            15,
            expect![[r#"
                steps
                  1  init[0]   line 4  incr(x): x = x + 1        x: 0 -> 1
                  2  init[0]   line 4  incr(x): x = x * 2        x: 1 -> 2
                  3  init[0]   line 4  twice(x)                  x: 2 -> 3
                  4  init[0]   line 4  twice(x)                  x: 3 -> 4
                  5  init[0]   line 4  for (i : 1 .. 2): i = 1   i: 0 -> 1
                  6  init[0]   line 4  for (i : 1 .. 2): i <= 2
                  7  init[0]   line 4  x--                       x: 4 -> 3
                  8  init[0]   line 4  for (i : 1 .. 2): i = i + 1  i: 1 -> 2
                  9  init[0]   line 4  for (i : 1 .. 2): i <= 2
                 10  init[0]   line 4  x--                       x: 3 -> 2
                 11  init[0]   line 4  for (i : 1 .. 2): i = i + 1  i: 2 -> 3
                 12  init[0]   line 4  for (i : 1 .. 2): else
                 13  init[0]   line 4  skip
                 14  init[0]   line 4  d_step { x = 0; i = 0 }   x: 2 -> 0, i: 3 -> 0
                 15  init[0]   line 4  x == 0
                values
                  x = 0
                  i = 0
            "#]],
        );
    }

    #[test]
    fn a_fingerprint_is_of_what_happens() {
        let print = |model: &str| {
            let front = front::read_text("m.pml", model, &front::Options::default(), &mut DiskLoader::default());
            prepare(&front).unwrap().fingerprint().to_string()
        };
        let plain = print("byte x; init { x = 1 }");
        assert_eq!(plain, print("/* so */ byte x;\ninit {\n  x = 1\n}\n"));
        assert_ne!(plain, print("byte x; init { x = 2 }"));
        assert_ne!(plain, print("byte y; init { y = 1 }"));
    }
}
