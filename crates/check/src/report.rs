//! What a check answers, as data and as text, whatever the subject.
//!
//! The data is the JSON report of the manual, field by field: scripts hold on to its names, so that a change of meaning
//! takes a new [`SCHEMA`]. A figure that a mode cannot know is `None` (JSON `null`), never made up.

/// A message of the front end, and a place in the text.
pub use ferrospin_source::report::{Location, Report as Message};

use crate::coverage::Coverage;
use ferrospin_source::printable::printable_line;
use ferrospin_trace::Explanation;
use serde::Serialize;

/// The version of the JSON report.
pub const SCHEMA: u32 = 1;

/// The answer about one property, or about all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Shown to hold: the search was complete, exact and soundly reduced.
    Holds,
    /// A counterexample was found.
    Violated,
    /// Neither, within the limits.
    Undecided,
    /// The model cannot be read, or the options cannot be met. Only for a whole report.
    Error,
}

impl Verdict {
    /// The exit code that tells it.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::Error => 2,
            Verdict::Undecided => 3,
        }
    }
}

/// What sort of property it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyKind {
    /// Assertions, invalid end states, run-time errors.
    Safety,
    /// An `ltl` block, or a formula given on the command line.
    Ltl,
    /// A claim that the model states as an automaton.
    Never,
    /// Acceptance cycles of the model's labels.
    Acceptance,
    /// Non-progress cycles.
    Progress,
}

/// What sort of violation it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// An assertion failed.
    Assertion,
    /// A condition that must hold in every state does not.
    Invariant,
    /// A state without moves in which some process may not stop.
    InvalidEndState,
    /// An accepting state is passed again and again.
    AcceptanceCycle,
    /// A cycle without progress.
    NonProgressCycle,
    /// A value does not fit the variable that it is assigned to.
    Overflow,
    /// No run executes it.
    Unreachable,
    /// An index out of bounds, a division by zero, too many processes, ...
    Runtime,
}

/// What closing a claim under stuttering has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Closure {
    /// The answer is that of the closed claim, and of the claim itself.
    Applied,
    /// The claim tells apart words that differ in repetitions only; the closed claim has no answer.
    Sensitive,
}

/// The first violation of a property.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Violation {
    /// What sort it is.
    pub kind: ErrorKind,
    /// One sentence.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// Number of steps of the counterexample.
    pub depth: Option<u64>,
}

impl Violation {
    /// A line of a report.
    fn text(&self) -> String {
        let mut text = String::from("    ");
        if let Some(Location { file, line, column }) = &self.location {
            text += &format!("{file}:{line}:{column}: ");
        }
        text += &self.message;
        if let Some(depth) = self.depth {
            text += &format!(", after {} {}", grouped(depth), if depth == 1 { "step" } else { "steps" });
        }
        text + "\n"
    }
}

/// A further violation, which differs from those before in place or message.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Further {
    /// What, and where.
    #[serde(flatten)]
    pub error: Violation,
    /// Why it is one.
    pub explanation: Option<Explanation>,
    /// The file its counterexample was written to.
    pub trail: Option<String>,
}

/// One round of an under-approximation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub iteration: u64,
    /// How many there will be, where that is known.
    pub iterations: Option<u64>,
    /// How many moves counted as visible.
    pub sensitive: u64,
    /// How many moves the property sees.
    pub visible: u64,
    /// `strict` or `weak`.
    pub proviso: &'static str,
    /// Whether a search that finds nothing is a proof.
    pub exact: bool,
    /// Distinct states stored.
    pub states: u64,
    /// Stored and matched.
    pub transitions: u64,
    /// Wall-clock seconds.
    pub elapsed_s: f64,
    /// `violation`, `none`, or `stopped` before the end.
    pub verdict: &'static str,
}

impl Iteration {
    fn text(&self) -> String {
        let Iteration { iteration, sensitive, visible, proviso, states, verdict, .. } = self;
        let of = self.iterations.map_or(String::new(), |n| format!("/{n}"));
        format!("under {iteration}{of}: S={sensitive}/{visible} proviso={proviso} states={states} verdict={verdict}")
    }
}

/// What is known about one property.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PropertyReport {
    /// `safety`, the name of an `ltl` block or claim, or the formula as given.
    pub name: String,
    /// What sort it is.
    pub kind: PropertyKind,
    /// The answer.
    pub verdict: Verdict,
    /// Whether every reachable state (of the reduced space) was visited.
    pub complete: bool,
    /// Whether the store forgets nothing.
    pub exact: bool,
    /// `none`, or the name of the reduction.
    pub reduction: String,
    /// What executed the model: `native`, `interp` or `gpu`.
    pub engine: String,
    /// How a graphics processor has searched, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuFigures>,
    /// What closing the claim under stuttering has shown, where that was asked for.
    pub closure: Option<Closure>,
    /// The name of the search, as on the command line.
    pub search: String,
    /// The name of the store, as on the command line.
    pub store: String,
    /// Number of workers.
    pub threads: u64,
    /// The other properties that the same search has answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_search: Vec<String>,
    /// The rounds of an under-approximation, where it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<Iteration>,
    /// Why the search ended before every state was visited.
    pub stopped: Option<String>,
    /// What else must be known to read the verdict rightly, in sentences.
    pub notes: Vec<String>,
    /// How the search went, for those who look at searches, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// How many violations were found.
    pub errors: u64,
    /// The first of them.
    pub error: Option<Violation>,
    /// Distinct states stored.
    pub states: Option<u64>,
    /// States that were reached again.
    pub states_matched: Option<u64>,
    /// Stored and matched, as SPIN counts them.
    pub transitions: Option<u64>,
    /// The longest path looked at.
    pub depth: Option<u64>,
    /// Bytes of the longest state.
    pub state_bytes: Option<u64>,
    /// Wall-clock seconds.
    pub elapsed_s: Option<f64>,
    /// The most memory in use.
    pub memory_bytes: Option<u64>,
    /// Bytes of the store for each state in it.
    pub store_bytes_per_state: Option<f64>,
    /// How likely it is that a state was left out; 0 for exact stores.
    pub omission_probability: Option<f64>,
    /// Parts of the formula that never happen though it speaks of what follows them: it holds for that reason alone. None where it has no
    /// such part; absent where that is not known.
    pub vacuous: Option<Vec<String>>,
    /// Why the first violation is one.
    pub explanation: Option<Explanation>,
    /// The file the counterexample was written to.
    pub trail: Option<String>,
    /// Further violations, where several were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Further>,
    /// The counterexample for people; as data it is in the file.
    #[serde(skip)]
    pub story: Option<String>,
}

impl PropertyReport {
    /// A property about which nothing is known yet.
    pub fn undecided(name: impl Into<String>, kind: PropertyKind) -> Self {
        Self {
            name: name.into(),
            kind,
            verdict: Verdict::Undecided,
            complete: false,
            exact: true,
            reduction: "none".into(),
            engine: "interp".into(),
            gpu: None,
            closure: None,
            search: "bfs".into(),
            store: "exact".into(),
            threads: 1,
            shared_search: Vec::new(),
            under: Vec::new(),
            stopped: None,
            notes: Vec::new(),
            remarks: Vec::new(),
            errors: 0,
            error: None,
            states: None,
            states_matched: None,
            transitions: None,
            depth: None,
            state_bytes: None,
            elapsed_s: None,
            memory_bytes: None,
            store_bytes_per_state: None,
            omission_probability: None,
            vacuous: None,
            explanation: None,
            trail: None,
            others: Vec::new(),
            story: None,
        }
    }
}

/// How a graphics processor has searched.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GpuFigures {
    /// Its name.
    pub device: String,
    /// Time in kernels of the search.
    pub search_s: f64,
    /// Time for a sample of the states on the CPU, while the device was opened.
    pub sampling_s: f64,
    /// Time for making, translating and loading the kernels.
    pub making_s: f64,
    /// The driver's share of that.
    pub translating_s: f64,
    /// Time for the way back to the initial state.
    pub back_s: f64,
    /// Time for passes over the states, to look for cycles.
    pub cycles_s: f64,
    /// Bits of a packed state.
    pub state_bits: u32,
    /// Slots of the table.
    pub slots: u64,
    /// States for each slot.
    pub load: f64,
    /// The largest level.
    pub level_max: u64,
    /// Fields that were wider than the sample had shown, each of which has begun the search again.
    pub widened: Vec<String>,
}

/// A statement that no run reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Unreached {
    #[serde(rename = "proctype")]
    pub group: String,
    pub line: u32,
}

/// The whole answer of `check`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of the program.
    pub ferrospin: &'static str,
    /// Version of this format.
    pub schema: u32,
    /// The model, as it was named.
    pub model: String,
    /// The answer about all properties together.
    pub verdict: Verdict,
    /// The answer about each.
    pub properties: Vec<PropertyReport>,
    /// Statements that no run reached.
    pub unreached: Vec<Unreached>,
    /// What was executed, where edges are counted.
    pub coverage: Option<Coverage>,
    /// What the front end said.
    pub diagnostics: Vec<Message>,
}

impl Report {
    /// The answer about a model: the worst verdict of its properties decides, violations first.
    pub fn new(model: impl Into<String>, verification: Verification, diagnostics: Vec<Message>) -> Self {
        let Verification { properties, unreached, coverage } = verification;
        let any = |verdict| properties.iter().any(|p| p.verdict == verdict);
        let verdict = if any(Verdict::Violated) {
            Verdict::Violated
        } else if any(Verdict::Undecided) {
            Verdict::Undecided
        } else {
            Verdict::Holds
        };
        Self { verdict, properties, unreached, coverage, ..Self::error(model, diagnostics) }
    }

    /// The answer when nothing could be checked.
    pub fn error(model: impl Into<String>, diagnostics: Vec<Message>) -> Self {
        Self {
            ferrospin: crate::VERSION,
            schema: SCHEMA,
            model: model.into(),
            verdict: Verdict::Error,
            properties: Vec::new(),
            unreached: Vec::new(),
            coverage: None,
            diagnostics,
        }
    }

    /// The report for people. `quiet` leaves out figures and what was not executed.
    pub fn text(&self, quiet: bool) -> String {
        self.text_as(Look { quiet, ..Look::default() })
    }

    /// The same with more or less of it.
    pub fn text_as(&self, look: Look) -> String {
        let quiet = look.quiet;
        let mut text = String::new();
        let widths = self.properties.iter().map(|p| p.title().chars().count());
        let width = widths.max().unwrap_or(0).min(TITLE_MAX);
        for property in &self.properties {
            property.write_text(&mut text, width, look);
        }
        if !quiet {
            for group in self.unreached.chunk_by(|a, b| a.group == b.group) {
                let lines: Vec<_> = group.iter().map(|u| u.line.to_string()).collect();
                let word = if lines.len() == 1 { "line" } else { "lines" };
                text += &format!("unreached in {}: {word} {}\n", group[0].group, lines.join(", "));
            }
            if let Some(coverage) = &self.coverage {
                text += &coverage.text(look.coverage);
            }
        }
        if self.properties.len() > 1 {
            text += &self.summary();
        }
        text
    }

    /// How many properties have which verdict.
    fn summary(&self) -> String {
        let count = |verdict| self.properties.iter().filter(|p| p.verdict == verdict).count();
        let part = |verdict, one: &str, several: &str| match count(verdict) {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {several}")),
        };
        let parts = [
            part(Verdict::Violated, "is violated", "are violated"),
            part(Verdict::Undecided, "is undecided", "are undecided"),
            part(Verdict::Holds, "holds", "hold"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("of {} properties {}\n", self.properties.len(), parts.join(", "))
    }
}

/// How much a report for people tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// No figures, and nothing of what was not executed.
    pub quiet: bool,
    /// Also how the searches went.
    pub verbose: bool,
    /// Also what was not executed so far, and that everything was.
    pub coverage: bool,
}

/// What a verification found: the part of a [`Report`] that is not about reading the model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verification {
    /// The answer about each property.
    pub properties: Vec<PropertyReport>,
    /// Statements that no run reached, grouped by process type.
    pub unreached: Vec<Unreached>,
    /// What was executed, where edges are counted.
    pub coverage: Option<Coverage>,
}

impl PropertyReport {
    fn title(&self) -> String {
        match self.kind {
            PropertyKind::Safety | PropertyKind::Acceptance | PropertyKind::Progress => self.name.clone(),
            PropertyKind::Ltl => format!("ltl {}", self.name),
            PropertyKind::Never => format!("never {}", self.name),
        }
    }

    fn write_text(&self, text: &mut String, width: usize, look: Look) {
        let Look { quiet, verbose, .. } = look;
        let verdict = match self.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Undecided => "undecided",
            Verdict::Error => "error",
        };
        let mut line = format!("{:width$}  {verdict:9}", self.title());
        if !quiet {
            let mut figures = Vec::new();
            let mut figure = |value: Option<u64>, unit: &str| {
                if let Some(value) = value {
                    figures.push(format!("{} {unit}", grouped(value)));
                }
            };
            figure(self.states, "states");
            figure(self.transitions, "transitions");
            if let Some(depth) = self.depth {
                figures.push(format!("depth {}", grouped(depth)));
            }
            if let Some(elapsed_s) = self.elapsed_s {
                figures.push(format!("{elapsed_s:.2} s"));
            }
            line += "  ";
            line += &figures.join(", ");
        }
        *text += line.trim_end();
        text.push('\n');
        if !quiet {
            *text += &self.means(verbose);
            for round in &self.under {
                *text += &format!("    {}\n", round.text());
            }
        }
        if let Some(error) = &self.error {
            *text += &error.text();
        }
        if let Some(story) = self.story.as_ref().filter(|_| !quiet) {
            *text += story;
        }
        if let Some(explanation) = self.explanation.as_ref().filter(|_| !quiet) {
            *text += &explanation.text("    ");
        }
        for part in self.vacuous.iter().flatten() {
            *text += &format!("    it holds for a poor reason: `{part}` never happens\n");
        }
        if self.errors > 1 {
            let when = if self.complete { "in all" } else { "before the search stopped" };
            *text += &format!("    {} violations {when}\n", grouped(self.errors));
        }
        if let Some(trail) = &self.trail {
            *text += &format!("    counterexample: {}\n", printable_line(trail));
        }
        for Further { error, trail, .. } in &self.others {
            *text += &error.text();
            if let Some(trail) = trail {
                *text += &format!("    counterexample: {}\n", printable_line(trail));
            }
        }
        if self.verdict == Verdict::Undecided {
            let why = self.stopped.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let missed = format!("not every state was visited{why}");
            for (missed, why) in [(!self.complete, missed), (!self.exact, "the store is lossy".into())] {
                if missed {
                    *text += &format!("    {why}\n");
                }
            }
            if self.complete && self.errors == 0 {
                *text += "    no violation was found\n";
            }
        }
        for note in self.notes.iter().chain(self.remarks.iter().filter(|_| verbose)) {
            *text += &format!("    {note}\n");
        }
    }

    /// What the answer took, where that was much, and for `verbose` how it was found: a line, or nothing where there are no figures.
    fn means(&self, verbose: bool) -> String {
        let Some(states) = self.states else { return String::new() };
        let mut parts = Vec::new();
        if verbose {
            parts.extend([self.search.clone(), format!("{} store", self.store)]);
        }
        // What little runs take is of no interest.
        if states >= STATES_MANY {
            if let Some(bytes) = self.store_bytes_per_state {
                parts.push(format!("{bytes:.1} bytes a state"));
            }
            if let Some(bytes) = self.memory_bytes {
                parts.push(format!("{} MiB at the peak", bytes.div_ceil(1 << 20)));
            }
            if let Some(s) = self.elapsed_s {
                parts.push(format!("{:.2} M states a second", states as f64 / s.max(1e-9) / 1e6));
            }
            parts.push(if self.threads == 1 { "1 worker".into() } else { format!("{} workers", self.threads) });
        }
        if self.engine != "native" && (verbose || self.engine == "gpu") {
            parts.push(self.engine.clone());
        }
        if verbose {
            parts.push(match self.reduction.as_str() {
                "none" => "no reduction".into(),
                reduction => format!("{reduction} reduction"),
            });
        }
        if parts.is_empty() { String::new() } else { format!("    {}\n", parts.join(", ")) }
    }
}

/// Widest column of titles: a formula may have any length, and formatting takes no width above 65,535.
const TITLE_MAX: usize = 60;

/// From this many states on a report says what the search took.
const STATES_MANY: u64 = 100_000;

/// A number with its thousands apart, as people read it.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn sample() -> Report {
        let safety = PropertyReport {
            verdict: Verdict::Holds,
            complete: true,
            states: Some(15779),
            states_matched: Some(42402),
            transitions: Some(58181),
            depth: Some(108),
            elapsed_s: Some(0.01),
            ..PropertyReport::undecided("safety", PropertyKind::Safety)
        };
        let live = PropertyReport {
            verdict: Verdict::Violated,
            complete: true,
            errors: 2,
            error: Some(Violation {
                kind: ErrorKind::AcceptanceCycle,
                message: "acceptance cycle".into(),
                location: Some(Location { file: "m.pml".into(), line: 3, column: 5 }),
                depth: Some(12),
            }),
            trail: Some("m.pml.trail.json".into()),
            ..PropertyReport::undecided("live", PropertyKind::Ltl)
        };
        let progress = PropertyReport::undecided("progress", PropertyKind::Progress);
        let unreached = [12, 14].map(|line| Unreached { group: "P".into(), line }).into();
        Report::new(
            "m.pml",
            Verification { properties: vec![safety, live, progress], unreached, coverage: None },
            Vec::new(),
        )
    }

    #[test]
    fn text() {
        expect![[r#"
            safety    holds      15,779 states, 58,181 transitions, depth 108, 0.01 s
            ltl live  violated
                m.pml:3:5: acceptance cycle, after 12 steps
                2 violations in all
                counterexample: m.pml.trail.json
            progress  undecided
                not every state was visited
            unreached in P: lines 12, 14
            of 3 properties 1 is violated, 1 is undecided, 1 holds
        "#]]
        .assert_eq(&sample().text(false));
    }

    #[test]
    fn json_has_the_fields_of_the_manual() {
        let json = serde_json::to_value(sample()).unwrap();
        let keys = |v: &serde_json::Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
        expect!["ferrospin schema model verdict properties unreached coverage diagnostics"].assert_eq(&keys(&json));
        expect!["name kind verdict complete exact reduction engine closure search store threads stopped notes errors error states states_matched transitions depth state_bytes elapsed_s memory_bytes store_bytes_per_state omission_probability vacuous explanation trail"]
            .assert_eq(&keys(&json["properties"][0]));
        expect!["kind message location depth"].assert_eq(&keys(&json["properties"][1]["error"]));
        assert_eq!(json["verdict"], "violated");
        assert_eq!(json["properties"][1]["error"]["kind"], "acceptance-cycle");
        assert!(json["properties"][0]["error"].is_null());
    }

    #[test]
    fn a_violation_weighs_more_than_a_limit() {
        let exit = |verdicts: &[Verdict]| {
            let properties = verdicts
                .iter()
                .map(|&verdict| PropertyReport { verdict, ..PropertyReport::undecided("p", PropertyKind::Ltl) })
                .collect();
            Report::new("m", Verification { properties, ..Verification::default() }, vec![]).verdict.exit_code()
        };
        assert_eq!(exit(&[Verdict::Holds, Verdict::Holds]), 0);
        assert_eq!(exit(&[Verdict::Undecided, Verdict::Violated]), 1);
        assert_eq!(exit(&[Verdict::Holds, Verdict::Undecided]), 3);
        assert_eq!(Report::error("m", vec![]).verdict.exit_code(), 2);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 18_206_919].map(grouped).join(" "), "0 999 1,000 18,206,919");
    }
}
