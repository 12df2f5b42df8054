//! What steps do to the numbers of messages.
//!
//! Messages are of one *class* if they are in the same channel and have the same `mtype` constant as their first field; the others of
//! a channel are a class of their own. A step that may act on several channels, or take messages of several classes, is one *arc* for each.
//! A handshake is counted as one up for the sender and one down for the receiver, so that both are as frequent.

use crate::program::Program;
use crate::unfold::{Act, Unfolded};
use ferrospin_model::ir::{EdgeId, Show};

/// Messages that are counted together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    pub(crate) channel: usize,
    /// The `mtype` constant in front.
    pub(crate) first: Option<i32>,
    /// Not messages that are kept, but handshakes: their number may be below 0.
    pub(crate) handshake: bool,
}

/// Changes of classes, in the order of their numbers.
pub(crate) type Effect = Vec<(usize, i64)>;

/// A step with what it does.
#[derive(Clone, Debug)]
pub(crate) struct Arc {
    pub(crate) from: usize,
    pub(crate) to: Option<usize>,
    pub(crate) spawn: Option<usize>,
    pub(crate) edge: EdgeId,
    pub(crate) effect: Effect,
}

/// The sum of two effects.
pub(crate) fn sum(a: &[(usize, i64)], b: &[(usize, i64)]) -> Effect {
    let mut all: Effect = a.iter().chain(b).copied().collect();
    all.sort_unstable_by_key(|(class, _)| *class);
    let mut out: Effect = Vec::new();
    for (class, change) in all {
        match out.last_mut() {
            // A sum that is cut off makes a row of the program wrong, not an answer: what follows from it is judged.
            Some((last, total)) if *last == class => *total = total.saturating_add(change),
            _ => out.push((class, change)),
        }
    }
    out.retain(|(_, change)| *change != 0);
    out
}

/// The first field of a message of this channel, if messages are told apart by it.
pub(crate) fn distinguished(program: &Program<'_>, channel: usize, first: Option<i32>) -> Option<i32> {
    let (scalar, show) = *program.channels[channel].fields.first()?;
    matches!(show, Show::Mtype(_)).then_some(())?;
    first.map(|value| scalar.cut(value))
}

/// All classes that are ever sent, and the arcs.
pub(crate) fn arcs(program: &Program<'_>, unfolded: &Unfolded) -> (Vec<Class>, Vec<Arc>) {
    let mut classes: Vec<Class> = Vec::new();
    for act in unfolded.steps.iter().flat_map(|s| &s.acts) {
        for &channel in &act.channels {
            let handshake = program.channels[channel].capacity == 0;
            let class = match (handshake, act.sends) {
                (true, _) => Class { channel, first: None, handshake },
                (false, true) => Class { channel, first: distinguished(program, channel, act.first), handshake },
                (false, false) => continue,
            };
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
    }
    let mut arcs = Vec::new();
    for step in &unfolded.steps {
        let mut effects: Vec<Effect> = vec![Vec::new()];
        for act in &step.acts {
            let choices = choices(program, &classes, act);
            effects = effects.iter().flat_map(|e| choices.iter().map(|c| sum(e, c))).collect();
        }
        effects.sort_unstable();
        effects.dedup();
        let arc = |effect| Arc { from: step.from, to: step.to, spawn: step.spawn, edge: step.edge, effect };
        arcs.extend(effects.into_iter().map(arc));
    }
    (classes, arcs)
}

fn choices(program: &Program<'_>, classes: &[Class], act: &Act) -> Vec<Effect> {
    let mut found = Vec::new();
    for &channel in &act.channels {
        let first = distinguished(program, channel, act.first);
        for (i, class) in classes.iter().enumerate().filter(|(_, c)| c.channel == channel) {
            let fits = class.handshake
                || if act.sends {
                    class.first == first
                } else {
                    first.is_none() || class.first.is_none() || class.first == first
                };
            if fits {
                let change = match (act.sends, act.copy && !class.handshake) {
                    (true, _) => 1,
                    (false, false) => -1,
                    (false, true) => 0,
                };
                found.push(if change == 0 { Vec::new() } else { vec![(i, change)] });
            }
        }
    }
    found
}
