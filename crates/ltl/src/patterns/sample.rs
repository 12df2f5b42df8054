//! Words that show what a property means.

use super::{Judgement, Pattern, Property, Role};
use crate::random::Random;
use crate::{AtomId, Lasso};

/// Random words among which the simplest are chosen.
const TRIES: usize = 5_000;

/// A word on which a property holds or fails; proposition i is the i-th of [`Role::ALL`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The word.
    pub word: Lasso,
    /// What the property says about it; never vacuous.
    pub judgement: Judgement,
}

impl Property {
    /// Some of the simplest words on which the property holds although something was asked for, and some on which it
    /// fails: at most `count` of each, the former first.
    pub fn samples(&self, count: usize) -> Vec<Sample> {
        let roles = self.roles();
        let mut random = Random::new(1);
        // Stretches take room, must not be too rare, and must not be cut short by the end of the scope.
        let bounded = self.pattern == Pattern::BoundedExistence;
        let (stem_max, percent) = if bounded { (2 * self.bound as usize + 3, 50) } else { (5, 20) };
        let mut found: Vec<(bool, usize, usize, Sample)> = Vec::new();
        for _ in 0..TRIES {
            let mut word = random.lasso(stem_max, 1, Role::ALL.len() as u32, percent);
            // Whatever goes on for ever does nothing, unless that is what is asked for.
            if random.chance(80) {
                word.cycle[0].clear();
            }
            for letter in word.stem.iter_mut().chain(&mut word.cycle) {
                letter.retain(|&a| roles.contains(&role(a)));
                letter.retain(|&a| !bounded || role(a) == Role::P || random.chance(25));
            }
            // Often the scope opens at the beginning and closes at the end.
            let last = word.stem.len().saturating_sub(1);
            for (r, at) in [(Role::Q, 0), (Role::R, last)] {
                if last > 0 && roles.contains(&r) && random.chance(50) {
                    word.stem[at].push(AtomId(r as u32));
                    word.stem[at].sort_unstable();
                    word.stem[at].dedup();
                }
            }
            let word = word.shortened();
            let holds = |r: Role, at: usize| word.letter(at).iter().any(|&a| role(a) == r);
            let judgement = self.judge(word.shape(), holds);
            if judgement == Judgement::Vacuous {
                continue;
            }
            // A sample that holds should show all that takes part.
            let letters = || word.stem.iter().chain(&word.cycle);
            let shown = |r: &&Role| letters().flatten().any(|&a| role(a) == **r);
            let missing = if judgement.holds() { roles.len() - roles.iter().filter(shown).count() } else { 0 };
            let size = word.stem.len() + letters().map(Vec::len).sum::<usize>();
            found.push((!judgement.holds(), missing, size, Sample { word, judgement }));
        }
        found.sort_by_key(|sample| (sample.0, sample.1, sample.2));
        let mut chosen: Vec<Sample> = Vec::new();
        for (.., sample) in found {
            let same_kind = chosen.iter().filter(|s| s.judgement.holds() == sample.judgement.holds()).count();
            if same_kind < count && !chosen.contains(&sample) {
                chosen.push(sample);
            }
        }
        chosen
    }
}

fn role(atom: AtomId) -> Role {
    Role::ALL[atom.0 as usize]
}
