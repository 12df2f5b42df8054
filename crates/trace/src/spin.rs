//! SPIN's trail format, so that `spin -t` can replay what was found here.
//!
//! Each line is `step:process:statement`. Statements are numbered through the whole model in the order in which SPIN
//! makes them while it parses. A handshake is two lines. Lines with negative steps speak of the run: `-2:n:-2` says that
//! the n-th process type runs as the claim (processes are then counted from 1), `-1:-1:-1` that a cycle begins, and
//! `-4:-4:-4` that statements are merged, which is never so here: every step has its own line.

use crate::trail::{Act, Trail};
use thiserror::Error;

/// Why SPIN's format cannot hold a trail.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotForSpin {
    /// SPIN's number of a statement is not known.
    #[error("the number that SPIN gives to `{0}` is not known")]
    Number(String),
    /// The run has read from standard input.
    #[error("SPIN's trails cannot hold what was read from standard input")]
    Input,
}

/// The trail in SPIN's format, or in a sentence why there is none. `claim` is the number of the claim's process type,
/// if the run has one.
pub fn write(trail: &Trail, claim: Option<u32>) -> Result<String, NotForSpin> {
    let mut out = String::new();
    if let Some(n) = claim {
        out += &format!("-2:{n}:-2\n");
    }
    let shift = u32::from(claim.is_some());
    let mut depth = 0;
    let mut line = |out: &mut String, act: &Act| -> Result<(), NotForSpin> {
        let number = act.spin.ok_or_else(|| NotForSpin::Number(act.statement.clone()))?;
        let process = act.process.as_ref().map_or(0, |p| u32::from(p.number) + shift);
        *out += &format!("{depth}:{process}:{number}\n");
        depth += 1;
        Ok(())
    };
    for (i, step) in trail.steps.iter().enumerate() {
        if trail.loop_start == Some(i) {
            out += "-1:-1:-1\n";
        }
        if step.mv.input.is_some() {
            return Err(NotForSpin::Input);
        }
        if let Some(act) = step.claim.as_ref().filter(|_| claim.is_some()) {
            line(&mut out, act)?;
        }
        for act in step.act.iter().chain(&step.partner) {
            line(&mut out, act)?;
        }
    }
    Ok(out)
}
