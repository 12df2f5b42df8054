//! A run by hand: the user chooses each move.
//!
//! Commands come one a line from standard input, so that a terminal, a pipe and a test are the same. The end of the
//! input ends the run.

use super::Session;
use crate::output;
use ferrospin::check::run::Moment;
use ferrospin_system::Move;
use ferrospin_trace::story;
use ferrospin_trace::trail::Act;
use std::io::BufRead;

const HELP: &str = "\
  N      take move N of the list
  r [N]  take N moves at random, 1 without a number
  b [N]  go back N steps, 1 without a number
  j N    jump to step N: back, or forward again along what was taken before
  s      show the state
  l      list the moves again
  ?      this help
  q      end the run
Whole words (`random`, `back`, `jump`, `show`, `list`, `quit`) are understood, too.
";

/// Runs until the user ends it.
pub(super) fn run(session: &mut Session<'_>) -> anyhow::Result<()> {
    let mut past: Vec<Moment> = Vec::new();
    // Steps taken back stay known, so that `j` can go forward again.
    let mut future: Vec<(Move, Option<i32>)> = Vec::new();
    output::print("type a number to choose a move, ? for help\n")?;
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
            "b" | "back" => {
                let to = past.len().saturating_sub(number.unwrap_or(1));
                back(session, &mut past, &mut future, to);
                output::print(&format!("at step {}\n", past.len()))?;
                list = offer(session)?;
            }
            "j" | "jump" => {
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
    }
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
    for (i, mv) in moves.list.iter().enumerate() {
        let acts: Vec<String> = session.run.acts(mv).iter().map(about).collect();
        let mut line = format!("{:3}  {}", i + 1, acts.join("  with  "));
        if mv.timeout {
            line += "  (timeout)";
        }
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
    Ok(moves.list)
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
