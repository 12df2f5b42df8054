//! Bad prefixes: the finite words after which a formula fails, whatever follows.
//!
//! A safety formula fails on a run exactly when some prefix of it is bad (Alpern and Schneider, 1985; Kupferman and Vardi, 2001).
//! Where the automaton of the negation is terminal, that is the case: its subsets, of which those with a state that accepts whatever
//! follows are bad, are a deterministic automaton of the bad prefixes. A subset from which every letter leads to a bad one
//! is bad itself, so that a prefix is told as soon as it is bad, and equal states are merged: `[] p` has a single state.

use crate::automaton::Automaton;
use crate::label::{Label, Labels};
use crate::strength::{Acceptance, Strength};
use crate::wdba::powerset;

/// Where the letters of a state lead: classes of states, `None` the bad ones.
type Signature = Vec<(Option<usize>, Label)>;

/// A complete deterministic automaton of finite words; it begins in its first state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadPrefixes {
    /// The edges of each state: letters, and the state they lead to; `None` where the word is bad.
    pub edges: Vec<Vec<(Label, Option<usize>)>>,
}

impl BadPrefixes {
    /// The bad prefixes of the formula whose negation `negation` is the automaton of. `None` where the formula is no
    /// safety formula as far as that automaton tells, where it fails before anything is read, and where more than `states_max`
    /// states were needed.
    pub fn of(negation: &Automaton, labels: &mut Labels, states_max: usize) -> Option<BadPrefixes> {
        if negation.strength(labels) != Strength::Terminal {
            return None;
        }
        let kinds = negation.acceptances(labels);
        let (subsets, members) = powerset(negation, labels)?;
        let is_bad = |set: &Vec<crate::StateId>| set.iter().any(|s| kinds[s.0 as usize] == Acceptance::All);
        let mut bad: Vec<bool> = members.iter().map(is_bad).collect();
        while let Some(doomed) =
            subsets.states().position(|s| !bad[s.0 as usize] && leads_to(&subsets, s, &bad, labels))
        {
            bad[doomed] = true;
        }
        if bad[0] {
            return None;
        }
        // From here on all bad states are one.
        let (mut class, mut count) = (vec![0_usize; bad.len()], 1);
        let signature = |s: usize, class: &[usize], labels: &mut Labels| {
            let mut out = Signature::new();
            for e in &subsets.edges[s] {
                let t = e.target.0 as usize;
                let to = (!bad[t]).then(|| class[t]);
                match out.iter_mut().find(|(known, _)| *known == to) {
                    Some((_, label)) => *label = labels.or(*label, e.label),
                    None => out.push((to, e.label)),
                }
            }
            out.sort_unstable();
            out
        };
        loop {
            let mut known: Vec<(usize, Signature)> = Vec::new();
            let mut finer = class.clone();
            for s in (0..bad.len()).filter(|s| !bad[*s]) {
                let own = (class[s], signature(s, &class, labels));
                finer[s] = known.iter().position(|k| *k == own).unwrap_or(known.len());
                if finer[s] == known.len() {
                    known.push(own);
                }
            }
            class = finer;
            if known.len() == count {
                break;
            }
            count = known.len();
            if count > states_max {
                return None;
            }
        }
        // Classes are numbered by their first member, which for the initial one is the first of all.
        let first = |c: usize| (0..bad.len()).find(|s| !bad[*s] && class[*s] == c).expect("no class is empty");
        let mut edges: Vec<Vec<(Label, Option<usize>)>> = Vec::new();
        for c in 0..count {
            let out = signature(first(c), &class, labels);
            edges.push(out.into_iter().map(|(to, label)| (label, to)).collect());
        }
        Some(BadPrefixes { edges })
    }
}

/// Whether every letter leads from a state to a bad one.
fn leads_to(a: &Automaton, s: crate::StateId, bad: &[bool], labels: &mut Labels) -> bool {
    let to = a.out(s).iter().filter(|e| bad[e.target.0 as usize]);
    to.fold(Label::FALSE, |all, e| labels.or(all, e.label)) == Label::TRUE
}
