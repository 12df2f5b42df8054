//! What a lossy run covered: estimates from its figures.

use super::Scheme;

/// A finished run with a lossy store. A run that was cut off (by depth, time or memory other than the store's own) has no
/// coverage to speak of: it must not be judged by this.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossyRun {
    /// The store's layout.
    pub scheme: Scheme,
    /// States found new.
    pub stored: u64,
    /// Transitions, for the reliability of the figures.
    pub transitions: u64,
    /// Whether the number of states was known beforehand, at least roughly.
    pub expected: bool,
    /// Whether the table was full for some state.
    pub overflow: bool,
}

/// How far the figures can be trusted: states lost *behind* omitted ones are not in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reliability {
    /// Three transitions a state and more: most states can be reached in several ways.
    Good,
    /// In between.
    Fair,
    /// Less than 1.5 transitions a state: like a tree, so that a whole branch is lost with one state.
    Poor,
}

impl Reliability {
    /// The word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Reliability::Good => "good",
            Reliability::Fair => "fair",
            Reliability::Poor => "poor",
        }
    }
}

/// What a run covered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coverage {
    /// States stored.
    pub stored: u64,
    /// Number of states, as estimated from the run.
    pub states_estimated: f64,
    /// States expected to be omitted.
    pub omitted_expected: f64,
    /// Chance that anything was omitted.
    pub any_omitted: f64,
    /// Chance that a given state was omitted, on average over all states.
    pub state_omitted: f64,
    /// Chance that one more state would be omitted at the end of the run: no state had a larger one.
    pub state_omitted_last: f64,
    /// Transitions a state.
    pub connectivity: f64,
    /// What `connectivity` says of the other figures.
    pub reliability: Reliability,
}

impl Coverage {
    /// Judges a run.
    pub fn of(run: &LossyRun) -> Coverage {
        let stored = run.stored as f64;
        let states_estimated = run.scheme.visited(stored).max(stored);
        let omitted_expected = (states_estimated - stored).max(0.0);
        // The difference of two large numbers has no small digits: where few are omitted the prediction has them.
        let omitted_expected = match omitted_expected < 1e-3 * stored {
            true => run.scheme.omitted(states_estimated),
            false => omitted_expected,
        };
        let connectivity = run.transitions as f64 / stored.max(1.0);
        Coverage {
            stored: run.stored,
            states_estimated,
            omitted_expected,
            any_omitted: -(-omitted_expected).exp_m1(),
            state_omitted: omitted_expected / states_estimated.max(1.0),
            state_omitted_last: run.scheme.false_positive(stored),
            connectivity,
            reliability: match connectivity {
                c if c >= 3.0 => Reliability::Good,
                c if c >= 1.5 => Reliability::Fair,
                _ => Reliability::Poor,
            },
        }
    }

    /// The omission in words: the chance where it is small, the number otherwise.
    pub fn sentence(&self) -> String {
        match self.omitted_expected < 0.1 {
            true => format!("chance of any omitted state {}", chance(self.any_omitted)),
            false => format!("about {} states omitted", count(self.omitted_expected)),
        }
    }
}

/// Chance that a given state was omitted by every one of several runs with independent seeds.
pub fn combined(runs: &[Coverage]) -> f64 {
    runs.iter().map(|run| run.state_omitted).product()
}

/// A chance for people.
pub fn chance(p: f64) -> String {
    match p {
        p if p >= 0.001 => format!("{:.2} %", 100.0 * p),
        p if p > 0.0 => format!("{p:.1e}"),
        _ => "0".into(),
    }
}

/// An expected number for people.
pub fn count(n: f64) -> String {
    match n {
        n if n < 10.0 => format!("{n:.1}"),
        n if n < 1e6 => format!("{n:.0}"),
        n => format!("{n:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(scheme: Scheme, stored: u64, transitions: u64) -> Coverage {
        Coverage::of(&LossyRun { scheme, stored, transitions, expected: false, overflow: false })
    }

    #[test]
    fn a_sparse_filter_is_nearly_sure() {
        let coverage = run(Scheme::bitstate(1 << 30, Some(1_000_000), None), 1_000_000, 3_600_000);
        assert!(coverage.any_omitted < 1e-6);
        assert_eq!(coverage.reliability, Reliability::Good);
        assert!((coverage.states_estimated - 1e6).abs() < 1.0);
        assert!(coverage.sentence().starts_with("chance"), "{}", coverage.sentence());
    }

    #[test]
    fn a_crowded_filter_says_how_many() {
        let scheme = Scheme::bitstate(1_000_000, None, None);
        let stored = 1e6 - scheme.omitted(1e6);
        let coverage = run(scheme, stored as u64, 1_000_000);
        assert!((coverage.states_estimated / 1e6 - 1.0).abs() < 1e-3, "{coverage:?}");
        assert!((coverage.omitted_expected / scheme.omitted(1e6) - 1.0).abs() < 0.01, "{coverage:?}");
        assert!(coverage.state_omitted_last > coverage.state_omitted);
        assert_eq!(coverage.reliability, Reliability::Poor);
        assert!(coverage.sentence().starts_with("about 8"), "{}", coverage.sentence());
        assert_eq!(combined(&[coverage, coverage]), coverage.state_omitted * coverage.state_omitted);
    }

    #[test]
    fn an_empty_run_has_figures() {
        let coverage = run(Scheme::bitstate(1000, None, None), 0, 0);
        assert_eq!((coverage.any_omitted, coverage.state_omitted), (0.0, 0.0));
    }
}
