//! Ends of channels that are claimed with `xr` and `xs`.
//!
//! Reduction believes no claim: it finds out itself which process uses which end. The same knowledge proves claims: of each
//! process it is known which channels it may ever use, and how. Where no process that was met can use an end that
//! another one has claimed, all claims are kept; else a run must show it.

use super::object::Channels;
use super::value::{Constants, Known};
use crate::ir::{EdgeId, Model};
use crate::passes::walk::channel_uses;

/// What a process claims, and what it may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ends {
    claimed: Sides,
    used: Sides,
}

/// Channels by their ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sides {
    sends: Channels,
    receives: Channels,
}

impl Sides {
    fn meet(&self, other: &Sides) -> bool {
        self.sends.meets(&other.sends) || self.receives.meets(&other.receives)
    }
}

impl Ends {
    /// Those of a process with these edges.
    pub(super) fn new(model: &Model, constants: &Constants, known: Known<'_>, edges: &[EdgeId]) -> Ends {
        let mut ends = Ends::default();
        for claim in &model.process(known.process).exclusive {
            let (channels, _) = constants.channels(model, known, &claim.channel);
            let side = if claim.receives { &mut ends.claimed.receives } else { &mut ends.claimed.sends };
            side.add(&channels);
        }
        for id in edges {
            let edge = model.edge(*id);
            for action in std::iter::once(&edge.action).chain(&edge.then) {
                channel_uses(action, &mut |channel, which| {
                    let (channels, _) = constants.channels(model, known, channel);
                    if which.sends {
                        ends.used.sends.add(&channels);
                    }
                    if which.receives {
                        ends.used.receives.add(&channels);
                    }
                });
            }
        }
        ends
    }

    /// Whether the process has claimed an end of all these channels.
    pub fn are_claimed(&self, channels: &Channels, sends: bool) -> bool {
        let claimed = if sends { &self.claimed.sends } else { &self.claimed.receives };
        let mut all = *claimed;
        all.add(channels);
        all == *claimed
    }

    /// Whether one of two different processes may use what the other has claimed.
    pub fn may_clash(&self, other: &Ends) -> bool {
        self.claimed.meet(&other.used) || other.claimed.meet(&self.used)
    }
}
