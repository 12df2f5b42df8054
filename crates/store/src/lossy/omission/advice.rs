//! Advice for the next run, from the figures of the last one.
//!
//! The first run has no estimate of the number of states. It yields one for the second, which tunes its filter; when the
//! number is known well, fingerprints in a table may be better. The two are compared by their predictions. Advice is
//! given as a number of states to expect, from which a store derives the rest, so that it stays good when the memory is
//! changed.

use super::coverage::{chance, count};
use super::{Coverage, LossyRun, Reliability, Scheme};

/// Which store to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A filter.
    Bitstate,
    /// Fingerprints.
    HashCompact,
    /// An exact store: it fits.
    Exact,
}

/// What to do next.
#[derive(Clone, PartialEq, Debug)]
pub struct Advice {
    /// Which store to use.
    pub store: Target,
    /// The expected number of states to give to it.
    pub expected_states: u64,
    /// Its memory.
    pub memory_bytes: u64,
    /// Its layout; none for an exact store.
    pub scheme: Option<Scheme>,
    /// States expected to be omitted.
    pub omitted_expected: f64,
    /// Chance that anything is omitted.
    pub any_omitted: f64,
    /// Memory that brings this chance below a hundredth, with the better of filter and table.
    pub memory_bytes_for_1_percent: Option<u64>,
    /// Memory that brings it below a thousandth.
    pub memory_bytes_for_0_1_percent: Option<u64>,
    /// The same in words.
    pub sentence: String,
}

/// Advises on the run after this one. `memory_bytes` is what that may use, `exact_bytes_per_state` what an exact store
/// needs, where that is known.
pub fn advise(run: &LossyRun, memory_bytes: u64, exact_bytes_per_state: Option<f64>) -> Advice {
    let coverage = Coverage::of(run);
    let states = coverage.states_estimated.max(1.0);
    let expected_states = states.ceil() as u64;
    if exact_bytes_per_state.is_some_and(|bytes| 1.1 * bytes * states <= memory_bytes as f64) && !run.overflow {
        return Advice {
            store: Target::Exact,
            expected_states,
            memory_bytes,
            scheme: None,
            omitted_expected: 0.0,
            any_omitted: 0.0,
            memory_bytes_for_1_percent: Some(memory_bytes),
            memory_bytes_for_0_1_percent: Some(memory_bytes),
            sentence: format!("an exact store has room for {} states here: use it", count(states)),
        };
    }
    let filter = Scheme::bitstate(memory_bytes, Some(expected_states), None);
    let table = Scheme::cells(memory_bytes, Some(expected_states), None);
    // Fingerprints need a good estimate of the number of states: a table that overflows loses all states that follow.
    let known = run.expected && !run.overflow && coverage.reliability != Reliability::Poor;
    let table_is_better = known && table.omitted(states) < filter.omitted(states);
    let (store, scheme) = if table_is_better { (Target::HashCompact, table) } else { (Target::Bitstate, filter) };
    let omitted_expected = scheme.omitted(states);
    let mut advice = Advice {
        store,
        expected_states,
        memory_bytes,
        scheme: Some(scheme),
        omitted_expected,
        any_omitted: -(-omitted_expected).exp_m1(),
        memory_bytes_for_1_percent: memory_for(expected_states, 0.01),
        memory_bytes_for_0_1_percent: memory_for(expected_states, 0.001),
        sentence: String::new(),
    };
    advice.sentence = sentence(&advice, run.overflow);
    advice
}

/// The smallest memory for which the chance of any omission is below `limit`, to one part in a hundred.
fn memory_for(states: u64, limit: f64) -> Option<u64> {
    let good = |bytes: u64| {
        let below = |scheme: Scheme| scheme.any_omitted(states as f64) < limit;
        below(Scheme::bitstate(bytes, Some(states), None)) || below(Scheme::cells(bytes, Some(states), None))
    };
    // Half a byte a state is hopeless for more than a few states, and 64 bytes a state are more than fingerprints can use.
    let (mut low, mut high) = (states / 2 + 64, 64 * states + 1024);
    if !good(high) {
        return None;
    }
    while high - low > high / 100 {
        let middle = low + (high - low) / 2;
        if good(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

fn sentence(advice: &Advice, overflow: bool) -> String {
    let name = if advice.store == Target::Bitstate { "bitstate" } else { "hash-compact" };
    let omitted = match advice.omitted_expected < 0.1 {
        true => format!("chance of any omitted state {}", chance(advice.any_omitted)),
        false => format!("about {} states omitted", count(advice.omitted_expected)),
    };
    let least = if overflow { "at least " } else { "" };
    let states = advice.expected_states;
    let mut text = format!("repeat with {name}, another seed and {least}{states} states expected: {omitted}");
    match advice.memory_bytes_for_1_percent {
        _ if advice.any_omitted < 0.01 => {}
        Some(bytes) => text.push_str(&format!("; {} would make it less than 1 %", size(bytes))),
        None => text.push_str("; no memory makes it less than 1 %"),
    }
    text
}

fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.0} kB", (b / 1e3).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(scheme: Scheme, stored: u64, expected: bool) -> LossyRun {
        LossyRun { scheme, stored, transitions: 4 * stored, expected, overflow: false }
    }

    #[test]
    fn the_loop_ends_with_what_is_best() {
        let memory = 42 << 20;
        let first = run(Scheme::bitstate(memory, None, None), 10_000_000, false);
        let second = advise(&first, memory, Some(30.0));
        assert_eq!(second.store, Target::Bitstate, "the number of states is not known yet");
        assert!(second.expected_states > 10_000_000);
        let table = advise(&run(second.scheme.unwrap(), second.expected_states, true), memory, None);
        let filter = Scheme::bitstate(memory, Some(second.expected_states), None);
        assert_eq!(table.store, Target::HashCompact);
        assert!(table.omitted_expected <= filter.omitted(second.expected_states as f64));
        assert!(table.sentence.contains("hash-compact"), "{}", table.sentence);
        // With few bits a state, a filter is better.
        let crowded = advise(&run(second.scheme.unwrap(), 80_000_000, true), memory, None);
        assert_eq!(crowded.store, Target::Bitstate);
    }

    #[test]
    fn what_a_filter_cannot_do_a_table_can() {
        // Enough states for two of them to have the same hash with a fair chance.
        let many = run(Scheme::bitstate(1 << 30, Some(300_000_000), None), 300_000_000, true);
        let advice = advise(&many, 1 << 30, None);
        assert_eq!(advice.store, Target::Bitstate);
        let memory = advice.memory_bytes_for_0_1_percent.unwrap();
        let states = advice.expected_states;
        assert!(Scheme::bitstate(memory, Some(states), None).any_omitted(states as f64) > 0.001);
        assert!(Scheme::cells(memory, Some(states), None).any_omitted(states as f64) < 0.001);
    }

    #[test]
    fn memory_that_would_do_does() {
        let memory = 4 << 20;
        let advice = advise(&run(Scheme::bitstate(memory, None, None), 5_000_000, false), memory, None);
        let states = advice.expected_states;
        let (some, more) = (advice.memory_bytes_for_1_percent.unwrap(), advice.memory_bytes_for_0_1_percent.unwrap());
        assert!(memory < some && some < more);
        let any = |bytes| {
            let (filter, table) =
                (Scheme::bitstate(bytes, Some(states), None), Scheme::cells(bytes, Some(states), None));
            filter.any_omitted(states as f64).min(table.any_omitted(states as f64))
        };
        assert!(any(some) < 0.01 && any(some * 9 / 10) > 0.01);
        assert!(any(more) < 0.001 && any(more * 9 / 10) > 0.001);
        assert!(advice.sentence.contains("would make it less than 1 %"), "{}", advice.sentence);
    }

    #[test]
    fn an_exact_store_that_fits_is_advised() {
        let advice = advise(&run(Scheme::bitstate(1 << 30, None, None), 1_000_000, false), 1 << 30, Some(40.0));
        assert_eq!(advice.store, Target::Exact);
        assert_eq!(advice.any_omitted, 0.0);
    }

    #[test]
    fn a_tree_or_an_overflow_is_not_trusted() {
        let scheme = Scheme::cells(1 << 20, Some(100_000), None);
        let mut tree = run(scheme, 100_000, true);
        assert_eq!(advise(&tree, 1 << 20, None).store, Target::HashCompact);
        tree.overflow = true;
        let advice = advise(&tree, 1 << 20, None);
        assert_eq!(advice.store, Target::Bitstate);
        assert!(advice.sentence.contains("at least"), "{}", advice.sentence);
    }
}
