//! `compare-front`: which models `spin -a` and ferrospin accept.
//!
//! A model that has an expectation file is compared once for each set of macros named there, others once without macros.

use crate::instances::{define_all, models, variants};
use crate::spin::{self, Answer};
use ferrospin::front::{self, Options};
use ferrospin::stack::with_big_stack;
use std::path::{Path, PathBuf};

/// Prints the comparison; true when there is no difference.
pub(crate) fn run(paths: &[PathBuf], only_differences: bool) -> anyhow::Result<bool> {
    println!("{}\nferrospin {}\n", spin::version()?, ferrospin::VERSION);
    let models = models(paths)?;
    let width = models.iter().map(|m| m.display().to_string().len()).max().unwrap_or(0).min(70);
    println!("{:width$}  {:8}  {:9}  why", "model", "spin", "ferrospin");
    let (mut both_accept, mut both_reject, mut unanswered, mut differ) = (0, 0, 0, 0);
    for model in &models {
        for defines in variants(model) {
            let theirs = spin::generate(model, &defines)?;
            let ours = read(model, &defines);
            let theirs_word = match &theirs {
                Answer::Accepts => "accepts",
                Answer::Rejects(_) => "rejects",
                Answer::Fails(_) => "fails",
            };
            let ours_word = if ours.is_ok() { "accepts" } else { "rejects" };
            let same = match (&theirs, &ours) {
                (Answer::Accepts, Ok(())) => {
                    both_accept += 1;
                    true
                }
                (Answer::Rejects(_), Err(_)) => {
                    both_reject += 1;
                    true
                }
                // A crash, or thinking for ever about a formula, is no answer that ours could differ from.
                (Answer::Fails(_), _) => {
                    unanswered += 1;
                    true
                }
                _ => {
                    differ += 1;
                    false
                }
            };
            if same && only_differences {
                continue;
            }
            let mut why = Vec::new();
            if let Answer::Rejects(text) | Answer::Fails(text) = &theirs {
                why.push(format!("spin: {text}"));
            }
            if let Err(text) = &ours {
                why.push(format!("ferrospin: {text}"));
            }
            let name = [vec![model.display().to_string()], defines].concat().join(" ");
            let mark = if same { "" } else { "  <-- differs" };
            println!(
                "{}",
                format!("{name:width$}  {theirs_word:8}  {ours_word:9}  {}{mark}", why.join("; ")).trim_end()
            );
        }
    }
    println!("\nboth accept {both_accept}, both reject {both_reject}, spin fails {unanswered}, differ {differ}");
    Ok(differ == 0)
}

/// Whether our front end accepts a model; the first error otherwise.
fn read(model: &Path, defines: &[String]) -> Result<(), String> {
    let options = Options { defines: define_all(defines), ..Options::default() };
    let work = || {
        let front = front::read_path(model, &options).map_err(|why| why.to_string())?;
        if !front.unreadable {
            return Ok(());
        }
        let first = front.messages().into_iter().find(|m| m.severity == "error");
        Err(first.map_or("no message".into(), |m| {
            let line = m.location.map_or(String::new(), |l| format!("line {}: ", l.line));
            format!("{line}{} [{}]", m.message, m.code)
        }))
    };
    std::panic::catch_unwind(|| with_big_stack(work)).unwrap_or_else(|_| Err("PANIC".into()))
}
