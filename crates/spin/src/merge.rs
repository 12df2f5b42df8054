//! Which statements SPIN's verifier executes as one.
//!
//! A statement that cannot block, has no alternative and touches nothing that other processes see is executed together with what
//! stands in front of it. A trail then has one line for all of them. This is `FSM_MERGER` of SPIN's sources.

use crate::elements::{ATOM, Body, Element, Kind, LAST_ATOM};
use std::collections::HashSet;

/// What a statement does, as far as merging asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// May block.
    Blocks,
    /// A send, which may block and may be a handshake.
    Sends,
    /// Never blocks.
    Free,
    /// Is no plain statement, or one that must stand alone.
    Alone,
}

fn sort(e: &Element) -> Sort {
    match e.kind {
        Kind::Skip => Sort::Blocks,
        Kind::Print | Kind::Goto(_) | Kind::Joint => Sort::Free,
        // SPIN keeps a label there.
        Kind::Break => Sort::Alone,
        Kind::Basic => {
            let text = &e.text;
            if text.starts_with('(') {
                // A process that starts may interfere.
                if text.contains("run ") { Sort::Alone } else { Sort::Blocks }
            } else if text.starts_with("assert(") || text.contains(" = ") {
                Sort::Free
            } else if text.starts_with("set_priority(") || text.starts_with('{') {
                Sort::Alone
            } else {
                match text.find(['!', '?']) {
                    Some(i) if text.as_bytes()[i] == b'!' => Sort::Sends,
                    _ => Sort::Blocks,
                }
            }
        }
        _ => Sort::Alone,
    }
}

impl Body {
    /// Whether an element is executed with what stands in front of it.
    fn is_eligible(&self, e: usize) -> bool {
        let element = &self.elements[e];
        sort(element) == Sort::Free
            && element.escapes.is_empty()
            && element.labels.is_empty()
            && (element.status & (ATOM | LAST_ATOM) != 0 || !element.global)
    }

    /// The state up to which statements are merged behind one that is.
    fn chain(&self, e: usize) -> Option<usize> {
        let (mut at, mut seen) = (e, HashSet::new());
        while self.is_eligible(at) && seen.insert(at) {
            let Some(next) = self.behind(at) else { break };
            at = next;
        }
        (at != e).then_some(at)
    }

    /// The state in which the verifier is behind a statement and all that is merged with it.
    pub fn merged_until(&self, element: &Element) -> Option<u32> {
        let e = element.state as usize - 1;
        let next = self.behind(e)?;
        let end = if self.is_eligible(e) {
            // A single one ends where it would end anyway.
            self.chain(e)?
        } else {
            let fills = matches!(sort(element), Sort::Blocks | Sort::Sends)
                && element.escapes.is_empty()
                && (element.status & (ATOM | LAST_ATOM) != 0 || !element.global);
            if !fills {
                return None;
            }
            self.chain(next)?
        };
        Some(self.elements[end].state)
    }
}
