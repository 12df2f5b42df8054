//! `ferrospin simulate`: one run of a model.

mod interactive;
mod random;
mod screen;

use super::ExitStatus;
use crate::args::shared::{Format, OutputArgs, OverwriteArg, RawArg};
use crate::args::source::Source;
use crate::output;
use ferrospin::check::run::{Moment, Run};
use ferrospin::front;
use ferrospin::languages::Loaded;
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::trails;
use ferrospin::verify::Subject;
use ferrospin_search::safety::{Fault, Violation};
use ferrospin_system::{Failure, Move};
use ferrospin_trace::trail::{self, Event, Step};
use ferrospin_trace::{Trail, chart, chart_svg, chart_text};
use random::Random;
use screen::Screen;
use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;

/// Run a model once: at random, by hand, or along a trail
///
/// Prints what the processes print, as SPIN does, and in the end the final state and the number of processes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin simulate model.pml                      a random run
  ferrospin simulate --seed 7 --statements model.pml
                                                    the run of seed 7, with each statement
  ferrospin simulate --interactive model.pml        choose each move by hand
  ferrospin simulate --trail model.pml.trail.json model.pml
                                                    along a counterexample
  ferrospin simulate --seed 7 --chart svg=run.svg model.pml
                                                    the run as a message sequence chart

Exit codes:
  0  the run came to its end
  1  an assertion failed, or another error happened in the run
  2  bad input or usage")]
pub(crate) struct Args<S: clap::Args> {
    #[command(flatten)]
    pub(crate) source: S,

    /// What the random choices follow from [default: taken from the clock, and printed]
    #[arg(long, value_name = "N", conflicts_with = "trail", help_heading = "Run")]
    seed: Option<u64>,

    /// Stop after N steps; 0 never stops
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Run")]
    steps: usize,

    /// Choose each move by hand
    #[arg(long, short, conflicts_with = "trail", help_heading = "Run")]
    interactive: bool,

    /// Follow a trail
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    trail: Option<PathBuf>,

    /// Show each statement
    #[arg(long, short, help_heading = "Output")]
    statements: bool,

    /// Show globals that change
    #[arg(long, short, help_heading = "Output")]
    globals: bool,

    /// Show locals that change
    #[arg(long, short, help_heading = "Output")]
    locals: bool,

    /// Show sends and receives
    #[arg(long, short, help_heading = "Output")]
    messages: bool,

    /// Start what processes print at the left margin, not under the process
    #[arg(long, short = 'T', help_heading = "Output")]
    flush_left: bool,

    /// Draw the run as a message sequence chart: `text` or `svg`, and where to
    #[arg(long, value_name = "KIND[=FILE]", help_heading = "Output")]
    chart: Option<ChartArg>,

    /// Write the run to FILE, for `replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    write_trail: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--chart`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChartArg {
    svg: bool,
    file: Option<PathBuf>,
}

impl FromStr for ChartArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, file) = match text.split_once('=') {
            Some((kind, file)) if !file.is_empty() => (kind, Some(PathBuf::from(file))),
            Some((kind, _)) => (kind, None),
            None => (text, None),
        };
        match kind {
            "text" => Ok(ChartArg { svg: false, file }),
            "svg" => Ok(ChartArg { svg: true, file }),
            _ => Err("expected `text` or `svg`, possibly with `=FILE`".into()),
        }
    }
}

impl ChartArg {
    /// Whether it goes to standard output.
    pub(crate) fn to_stdout(&self) -> bool {
        self.file.is_none()
    }

    fn kind(&self) -> Kind {
        if self.svg { Kind::Picture } else { Kind::Text }
    }

    /// Draws the chart to where it goes.
    pub(crate) fn draw(&self, trail: &Trail, outputs: &Outputs<'_>, raw: RawArg) -> anyhow::Result<()> {
        let chart = chart::Chart::new(trail);
        let text = if self.svg { chart_svg::draw(&chart) } else { chart_text::draw(&chart) };
        match &self.file {
            Some(path) => outputs.write(path, self.kind(), &raw.shown(&text)).map_err(anyhow::Error::msg),
            None => raw.print(&text),
        }
    }
}

/// Reads a model for a run; messages go to standard error. `None` means that it cannot be run, and that was said.
pub(crate) fn read<'s>(
    source: &'s dyn Source,
    options: &front::Options,
    wanted: &OutputArgs,
) -> anyhow::Result<Option<Box<dyn Loaded + 's>>> {
    let loaded = source.open(options).map_err(anyhow::Error::msg)?;
    // Lints are for `lint` and `check`; here they would only be in the way.
    if loaded.has_errors() {
        output::say_as_is(&loaded.text(wanted.colored(&std::io::stderr())));
    }
    Ok((!loaded.has_errors()).then_some(loaded))
}

/// A run with all that goes with it.
struct Session<'a> {
    subject: &'a dyn Subject,
    run: Run<'a>,
    trail: Trail,
    random: Random,
    screen: Screen,
    /// Standard output gets the listing, not data or a chart.
    listing: bool,
    /// Steps are kept, for data, a chart, or the way back.
    keeps_steps: bool,
    /// A failure ends the run; by hand one may go on.
    ends_at_failure: bool,
}

impl Session<'_> {
    /// Chooses a process, then one of its moves, each with equal chances.
    fn pick(&mut self, moves: &[Move]) -> Move {
        let mut processes: Vec<u8> = moves.iter().map(|m| m.process).collect();
        processes.dedup();
        let process = processes[self.random.below(processes.len())];
        let own: Vec<&Move> = moves.iter().filter(|m| m.process == process).collect();
        *own[self.random.below(own.len())]
    }

    /// Takes a move; says whether the run must stop.
    fn take(&mut self, mv: &Move) -> anyhow::Result<bool> {
        let input = self.run.reads_input(mv).then(read_character);
        self.take_with(mv, input)
    }

    fn take_with(&mut self, mv: &Move, input: Option<i32>) -> anyhow::Result<bool> {
        if mv.timeout && self.listing {
            self.screen.raw.print(&self.screen.timeout())?;
        }
        let before = self.run.now().clone();
        let (step, failure) = self.run.take(mv, input);
        if failure.is_some() && self.ends_at_failure {
            // The run ends in front of the statement that failed, as in SPIN.
            let depth = self.run.now().depth;
            self.run.go_back(Moment { depth, ..before });
        }
        if self.listing {
            self.screen.raw.print(&self.screen.step(self.run.now().depth, &step))?;
        }
        note_cuts(&step);
        if self.keeps_steps {
            self.trail.steps.push(step);
        }
        if let Some(failure) = &failure {
            self.fail(failure);
        }
        Ok(failure.is_some())
    }

    /// Says what went wrong and puts it into the trail.
    fn fail(&mut self, failure: &Failure) {
        let told = self.run.tell_failure(failure);
        let (message, location) = (told.detail, told.place);
        let place = location.as_ref().map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
        output::say(&format!("{place}{message}\n"));
        self.trail.violation = Some(trail::Violation { kind: told.category.into(), message, location });
    }
}

/// A character from standard input; -1 at its end, as in C.
fn read_character() -> i32 {
    let mut byte = [0];
    match std::io::stdin().lock().read(&mut byte) {
        Ok(1) => i32::from(byte[0]),
        _ => -1,
    }
}

/// Values that do not fit are cut silently in a search; who watches a run is told.
fn note_cuts(step: &Step) {
    let place = step.act.as_ref().and_then(|a| a.location.as_ref());
    let place = place.map_or(String::new(), |p| format!("{}:{}: ", p.file, p.line));
    for event in &step.events {
        if let Event::Cut { value, stored } = event {
            output::say(&format!("{place}the value {value} does not fit, {stored} is stored\n"));
        }
    }
}

/// Runs the model.
pub(crate) fn run<S: clap::Args>(args: &Args<S>, source: &dyn Source) -> anyhow::Result<ExitStatus> {
    let mut reading = source.reading();
    let guide = args.trail.as_deref().map(trails::load).transpose().map_err(anyhow::Error::msg)?;
    if let Some(guide) = &guide {
        trails::adopt(guide, &mut reading);
    }
    let Some(loaded) = read(source, &reading, &args.output)? else { return Ok(2) };
    let outputs = Outputs::beside(loaded.inputs(), args.overwrite.overwrite);
    simulate(args, &*loaded.subject(None)?, &outputs, guide.as_ref())
}

fn simulate<S: clap::Args>(
    args: &Args<S>,
    subject: &dyn Subject,
    outputs: &Outputs<'_>,
    guide: Option<&Trail>,
) -> anyhow::Result<ExitStatus> {
    if let Some(guide) = guide {
        trails::check_fit(&subject.identity(), guide)?;
    }
    let chart_takes_stdout = args.chart.as_ref().is_some_and(ChartArg::to_stdout);
    let listing = args.output.format == Format::Text && !chart_takes_stdout;
    let chart = args.chart.as_ref().and_then(|chart| Some((chart.file.as_ref()?, chart.kind())));
    // Before a long run rather than behind it.
    for (path, kind) in args.write_trail.as_ref().map(|path| (path, Kind::Trail)).into_iter().chain(chart) {
        outputs.check(path, kind).map_err(anyhow::Error::msg)?;
    }
    let mut run = match Run::start(subject) {
        Ok(run) => run,
        Err(failure) => {
            let violation = Violation { fault: Fault::Failure(failure), trail: Vec::new() };
            let told = subject.reference(None).tell(&violation);
            output::complain(&format!("{}, in an initial value", told.message));
            return Ok(1);
        }
    };
    run.allow_input();
    let seed = args.seed.unwrap_or_else(clock);
    let mut session = Session {
        subject,
        trail: run.trail(),
        run,
        random: Random::new(seed),
        screen: Screen {
            statements: args.statements || args.interactive,
            globals: args.globals,
            locals: args.locals,
            messages: args.messages,
            flush_left: args.flush_left,
            raw: args.output.raw,
        },
        listing,
        keeps_steps: args.interactive
            || args.chart.is_some()
            || args.write_trail.is_some()
            || args.output.format == Format::Json,
        ends_at_failure: !args.interactive,
    };
    match guide {
        Some(guide) => follow(&mut session, guide)?,
        None if args.interactive => interactive::run(&mut session)?,
        None => wander(&mut session, args.steps)?,
    }
    if listing {
        let locals = session.screen.locals;
        let ending = session.run.ending(locals).unwrap_or_else(|| session.screen.ending(&mut session.run));
        session.screen.raw.print(&ending)?;
    }
    if args.seed.is_none() && guide.is_none() && !args.interactive && !args.output.quiet {
        output::say(&format!("seed {seed}\n"));
    }
    let Session { mut run, mut trail, .. } = session;
    run.finish(&mut trail);
    if args.output.format == Format::Json {
        output::print_json_text(&trail.to_json())?;
    }
    if let Some(chart) = &args.chart {
        chart.draw(&trail, outputs, args.output.raw)?;
    }
    if let Some(path) = &args.write_trail {
        trails::save(outputs, &trail, path).map_err(anyhow::Error::msg)?;
    }
    Ok(u8::from(trail.violation.is_some()))
}

/// A random run.
fn wander(session: &mut Session<'_>, steps_max: usize) -> anyhow::Result<()> {
    loop {
        if steps_max > 0 && session.run.now().depth >= steps_max {
            if session.listing {
                output::print(&format!("-------------\ndepth-limit (--steps {steps_max}) reached\n"))?;
            }
            return Ok(());
        }
        let moves = session.run.moves();
        if let Some(failure) = moves.failures.first() {
            session.fail(failure);
            return Ok(());
        }
        if moves.list.is_empty() {
            // Where all processes have ended none waits.
            if session.listing && !session.run.standing().is_empty() {
                session.screen.raw.print(&session.screen.timeout())?;
            }
            return Ok(());
        }
        let mv = session.pick(&moves.list);
        if session.take(&mv)? {
            return Ok(());
        }
    }
}

/// A run along a trail.
fn follow(session: &mut Session<'_>, guide: &Trail) -> anyhow::Result<()> {
    for (i, (mv, input)) in trails::system_moves(guide).into_iter().enumerate() {
        if !session.run.moves().list.contains(&mv) {
            anyhow::bail!("step {} of the trail cannot be taken", i + 1);
        }
        session.take_with(&mv, input)?;
    }
    if session.listing {
        output::print(&format!("trail ends after {} steps\n", session.run.now().depth))?;
    }
    if session.trail.violation.is_none()
        && let Some(violation) = &guide.violation
    {
        output::say(&format!("{}\n", violation.message));
        session.trail.violation = Some(violation.clone());
    }
    Ok(())
}

/// A seed that is another one each time.
fn clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    now.as_nanos() as u64 % 1_000_000
}
