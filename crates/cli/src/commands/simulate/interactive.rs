//! A run by hand: the user chooses each move.
//!
//! Moves are listed process by process, each with what it would change.
//! Commands come one a line from standard input, so that a terminal, a pipe and a test are the same. The end of the
//! input ends the run.

use super::Session;
use crate::output;
use ferrospin::check::run::Moment;
use ferrospin_system::Move;
use ferrospin_trace::story;
use ferrospin_trace::trail::{Act, Event};
use std::io::BufRead;

const HELP: &str = "\
  N      take move N of the list
  r [N]  take N moves at random, 1 without a number
  u [N]  undo N steps, 1 without a number (also `b`)
  g N    go to step N: back, or forward again along what was taken before (also `j`)
  w EXPR watch a variable or a proposition: it is told after each step, and whenever it changes; `w` alone lists what is watched, `w -` ends it
  s      show the state
  l      list the moves again
  ?      this help
  q      end the run
Whole words (`random`, `undo`, `go`, `watch`, `show`, `list`, `quit`) are understood, too.
";

/// Runs until the user ends it.
pub(super) fn run(session: &mut Session<'_>) -> anyhow::Result<()> {
    let mut past: Vec<Moment> = Vec::new();
    // Steps taken back stay known, so that `j` can go forward again.
    let mut future: Vec<(Move, Option<i32>)> = Vec::new();
    output::print("type a number to choose a move, ? for help\n")?;
    let mut watches: Vec<Watch> = Vec::new();
    let mut list = offer(session)?;
    let mut line = String::new();
    loop {
        output::print("> ")?;
        line.clear();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            output::print("\n")?;
            return Ok(());
        }
        let mut words = line.split_whitespace();
        let (Some(word), argument) = (words.next(), words.next()) else { continue };
        // `r5` and `j3` are as good as `r 5` and `j 3`.
        let letters = word.find(|c: char| c.is_ascii_digit()).filter(|i| *i > 0 && argument.is_none());
        let (command, argument) = match letters {
            Some(i) => (&word[..i], Some(&word[i..])),
            None => (word, argument),
        };
        if matches!(command, "w" | "watch") {
            let text = line.trim_start()[command.len()..].trim();
            watch(session, &mut watches, text)?;
            continue;
        }
        let number = argument.map(str::parse::<usize>);
        if matches!(number, Some(Err(_))) {
            output::print("expected a number; ? for help\n")?;
            continue;
        }
        let number = number.and_then(Result::ok);
        match command {
            "q" | "quit" => return Ok(()),
            "?" | "h" | "help" => output::print(HELP)?,
            "s" | "show" => {
                let shown = state(session);
                session.screen.raw.print(&shown)?;
            }
            "l" | "list" => list = offer(session)?,
            "u" | "undo" | "b" | "back" => {
                let to = past.len().saturating_sub(number.unwrap_or(1));
                back(session, &mut past, &mut future, to);
                output::print(&format!("at step {}\n", past.len()))?;
                list = offer(session)?;
            }
            "g" | "go" | "j" | "jump" => {
                let to = number.unwrap_or(0);
                if to < past.len() {
                    back(session, &mut past, &mut future, to);
                }
                while past.len() < to
                    && let Some((mv, input)) = future.pop()
                {
                    past.push(session.run.now().clone());
                    session.take_with(&mv, input)?;
                }
                output::print(&format!("at step {}\n", past.len()))?;
                list = offer(session)?;
            }
            "r" | "random" => {
                for _ in 0..number.unwrap_or(1) {
                    let moves = session.run.moves().list;
                    if moves.is_empty() {
                        break;
                    }
                    let mv = session.pick(&moves);
                    past.push(session.run.now().clone());
                    future.clear();
                    if session.take(&mv)? {
                        break;
                    }
                }
                list = offer(session)?;
            }
            word => match word.parse::<usize>().ok().and_then(|n| list.get(n.wrapping_sub(1)).copied()) {
                Some(mv) => {
                    past.push(session.run.now().clone());
                    future.clear();
                    session.take(&mv)?;
                    list = offer(session)?;
                }
                None => output::print(&format!("there is no move `{word}`; ? for help\n"))?,
            },
        }
        tell_changed(session, &mut watches)?;
    }
}

/// Something whose value is told whenever it changes.
struct Watch {
    text: String,
    what: Watched,
    last: String,
}

enum Watched {
    /// A variable, by its name with that of its process.
    Value,
    /// A proposition, by its number.
    Proposition(u32),
}

/// The value of what is watched.
fn value(session: &mut Session<'_>, text: &str, what: &Watched) -> String {
    match what {
        Watched::Proposition(number) => (session.run.labels(&[*number]) & 1 == 1).to_string(),
        Watched::Value => {
            let found = session.run.values().into_iter().find(|v| v.name == text);
            found.map_or_else(|| "not there".into(), |v| v.value)
        }
    }
}

/// Begins or ends to watch.
fn watch(session: &mut Session<'_>, watches: &mut Vec<Watch>, text: &str) -> anyhow::Result<()> {
    match text {
        "-" => watches.clear(),
        "" => {
            let list: String = watches.iter().map(|w| format!("{} = {}\n", w.text, w.last)).collect();
            return session.screen.raw.print(if list.is_empty() { "nothing is watched\n" } else { &list });
        }
        text => {
            let is_value = session.run.values().iter().any(|v| v.name == text);
            let what = match (is_value, session.subject.proposition(text)) {
                (true, _) => Watched::Value,
                (false, Ok(number)) => Watched::Proposition(number),
                (false, Err(why)) => return session.screen.raw.print(&format!("{}\n", why.to_string().trim_end())),
            };
            let last = value(session, text, &what);
            session.screen.raw.print(&format!("{text} = {last}\n"))?;
            watches.push(Watch { text: text.to_owned(), what, last });
        }
    }
    Ok(())
}

/// Tells what has changed of what is watched.
fn tell_changed(session: &mut Session<'_>, watches: &mut [Watch]) -> anyhow::Result<()> {
    for w in watches {
        let now = value(session, &w.text, &w.what);
        if now != w.last {
            session.screen.raw.print(&format!("{}: {} -> {now}\n", w.text, w.last))?;
            w.last = now;
        }
    }
    Ok(())
}

/// What a move changes and sends, in a few words.
fn effect(session: &mut Session<'_>, mv: &Move) -> String {
    if session.run.reads_input(mv) {
        return String::new();
    }
    let before = session.run.now().clone();
    let (step, failure) = session.run.take(mv, None);
    session.run.go_back(before);
    let changes = step.changes.iter().map(|c| c.to_string());
    let printed = step.events.iter().filter_map(|e| match e {
        Event::Printed { text, .. } => Some(format!("prints {:?}", text.trim())),
        Event::Started { process } => Some(format!("{process} starts")),
        _ => None,
    });
    let fails = failure.map(|_| "fails".to_string());
    let all: Vec<String> = changes.chain(printed).chain(fails).collect();
    if all.is_empty() { String::new() } else { format!("  {{{}}}", all.join(", ")) }
}

fn back(session: &mut Session<'_>, past: &mut Vec<Moment>, future: &mut Vec<(Move, Option<i32>)>, to: usize) {
    session.trail.violation = None;
    while past.len() > to {
        let moment = past.pop().expect("longer than where we go");
        session.run.go_back(moment);
        if let Some(step) = session.trail.steps.pop() {
            future.push((step.mv.into(), step.mv.input));
        }
    }
}

/// Lists the moves.
fn offer(session: &mut Session<'_>) -> anyhow::Result<Vec<Move>> {
    let moves = session.run.moves();
    let mut out = String::new();
    let about = |act: &Act| {
        let place = act.location.as_ref().map_or(String::new(), |p| format!("{}:{}", p.file, p.line));
        let process = act.process.as_ref().map_or("claim".into(), ToString::to_string);
        format!("{process}  {place}  {}", act.statement)
    };
    let mut list = moves.list.clone();
    list.sort_by_key(|mv| mv.process);
    for (i, mv) in list.iter().enumerate() {
        let acts: Vec<String> = session.run.acts(mv).iter().map(about).collect();
        let mut line = format!("{:3}  {}", i + 1, acts.join("  with  "));
        if mv.timeout {
            line += "  (timeout)";
        }
        line += &effect(session, mv);
        out += &format!("{line}\n");
    }
    for failure in &moves.failures {
        let told = session.run.tell_failure(failure);
        let (message, place) = (told.detail, told.place);
        let place = place.map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
        out += &format!("  !  {place}{message}\n");
    }
    if moves.list.is_empty() {
        out += if session.run.standing().is_empty() { "all processes have ended\n" } else { "no process can move\n" };
    }
    session.screen.raw.print(&out)?;
    Ok(list)
}

/// The whole state.
fn state(session: &mut Session<'_>) -> String {
    let mut out = String::new();
    for s in session.run.standing() {
        let place = s.location.map_or(String::new(), |p| format!("{}:{}", p.file, p.line));
        out += &format!("{}  {place}  {}\n", s.process, s.statement);
    }
    for v in session.run.values() {
        out += &format!("    {} = {}\n", v.name, v.value);
    }
    if let Some(last) = session.trail.steps.last() {
        out += &format!("last step:\n{}", story::step(session.trail.steps.len(), last));
    }
    out
}
