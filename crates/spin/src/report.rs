//! The report of `pan`, line by line.

use crate::pan::{Compiled, Facts, Options};

/// What a search gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// It came to its end.
    pub complete: bool,
    /// The claim that ran beside.
    pub claim: Option<String>,
    /// `Some(true)` for a `notrace`, `Some(false)` for a `trace`.
    pub trace: Option<bool>,
    /// Bytes of the longest state.
    pub state_bytes: u64,
    /// The longest path.
    pub depth: u64,
    /// Violations.
    pub errors: u64,
    /// Distinct states.
    pub stored: u64,
    /// States visited in a search for cycles, where that is more.
    pub visited: Option<u64>,
    /// Arrivals at known states.
    pub matched: u64,
    /// Steps inside `atomic`.
    pub atomic_steps: u64,
    /// Bytes that states take.
    pub store_bytes: u64,
    /// All memory in use.
    pub memory_bytes: u64,
    /// Wall-clock seconds.
    pub elapsed_s: f64,
}

/// The report up to the lists of unreached states.
pub fn head(figures: &Figures, c: &Compiled, o: &Options, facts: &Facts) -> String {
    let f = figures;
    let mut out = format!("\n({})\n", crate::VERSION);
    let mut line = |text: &str| {
        out += text;
        out.push('\n');
    };
    if !f.complete {
        line("Warning: Search not completed");
    }
    let features = [
        (c.bfs, "Breadth-First Search"),
        (!c.no_reduce && !facts.priorities, "Partial Order Reduction"),
        (c.permuted, "Process Scheduling Permutation"),
        (c.reverse, "Reverse Depth-First Search Order"),
        (o.reversed, "Reverse Transition Ordering"),
        (c.t_rand, "Randomized Transition Ordering"),
        (c.p_rand, "Randomized Process Ordering"),
    ];
    for (_, text) in features.iter().filter(|(is_on, _)| *is_on) {
        line(&format!("\t+ {text}"));
    }
    if c.bcs {
        line(&format!("\t+ Scheduling Restriction (-L{})", o.switches_max));
    }
    if c.collapse {
        line("\t+ Compression");
    }
    if let Some(n) = c.automaton {
        line(&format!("\t+ Graph Encoding (-DMA={n})"));
    }
    line("");
    match c.hash_compact {
        _ if c.bitstate => line("Bit statespace search for:"),
        Some(n) => line(&format!("Hash-Compact {n} search for:")),
        None => line("Full statespace search for:"),
    }
    match f.trace {
        Some(true) => line("\tnotrace assertion  \t+"),
        Some(false) => line("\ttrace assertion    \t+"),
        None => {}
    }
    let asserts = match (&f.claim, o.ignore_assert) {
        (_, true) => "- (disabled by -A flag)",
        (Some(_), false) => "+ (if within scope of claim)",
        (None, false) => "+",
    };
    match &f.claim {
        Some(name) => line(&format!("\tnever claim         \t+ ({name})")),
        None if c.no_claim => line("\tnever claim         \t- (not selected)"),
        None => line("\tnever claim         \t- (none specified)"),
    }
    line(&format!("\tassertion violations\t{asserts}"));
    let cycles = match (o.cycles, o.fair) {
        (false, _) => "- (not selected)",
        (true, true) => "+ (fairness enabled)",
        (true, false) => "+ (fairness disabled)",
    };
    match (c.safety, c.non_progress) {
        (true, _) => line("\tcycle checks       \t- (disabled by -DSAFETY)"),
        (false, true) => line(&format!("\tnon-progress cycles \t{cycles}")),
        (false, false) => line(&format!("\tacceptance   cycles \t{cycles}")),
    }
    line(match (&f.claim, o.ignore_ends) {
        (Some(_), false) => "\tinvalid end states\t- (disabled by never claim)",
        (_, true) if f.claim.is_some() => "\tinvalid end states\t- (disabled by -E flag)",
        (None, true) => "\tinvalid end states\t- (disabled by -E flag)",
        _ => "\tinvalid end states\t+",
    });
    line("");
    line(&format!("State-vector {} byte, depth reached {}, errors: {}", f.state_bytes, f.depth, f.errors));
    let visited = f.visited.filter(|v| *v > f.stored);
    match visited {
        Some(v) => line(&format!("{} states, stored ({} visited)", count(f.stored), general(v as f64, 6).trim_start())),
        None => line(&format!("{} states, stored", count(f.stored))),
    }
    if c.bfs {
        let nominal = format!("{:>8}", general(f.stored as f64, 6));
        if facts.rendezvous {
            line(&format!("\t{nominal} nominal states (- rv and atomic)"));
        } else {
            line(&format!("\t{nominal} nominal states (stored-atomic)"));
        }
    }
    line(&format!("{} states, matched", count(f.matched)));
    let word = if visited.is_some() { "visited" } else { "stored" };
    line(&format!("{} transitions (= {word}+matched)", count(visited.unwrap_or(f.stored) + f.matched)));
    line(&format!("{} atomic steps", count(f.atomic_steps)));
    if c.bitstate {
        line("");
        let bits = (f.store_bytes as f64 * 8.0) / f.stored.max(1) as f64;
        line(&format!("hash factor: {:>4} (best if > 100.)", general(bits, 6)));
        line("");
        line(&format!("bits set per state: {} (-k{})", o.hashes, o.hashes));
    } else if c.automaton.is_none() {
        line(&format!("hash conflicts: {} (resolved)", count(0)));
    }
    line("");
    line("Stats on memory usage (in Megabytes):");
    let megabytes = |bytes: f64| format!("{:9.3}", bytes / 1_048_576.0);
    let equivalent = f.stored as f64 * (f.state_bytes as f64 + STATE_OVERHEAD_BYTES);
    let actual = f.store_bytes as f64;
    line(&format!("{}\tequivalent memory usage for states (stored*(State-vector + overhead))", megabytes(equivalent)));
    if c.bitstate {
        line(&format!("{}\tmemory used for hash array (-w{})", megabytes(actual), o.table_bits.max(27)));
    } else {
        let less = actual > 0.0 && actual < equivalent && f.stored > COMPRESSION_TOLD_FROM;
        if less {
            let percent = 100.0 * actual / equivalent;
            line(&format!("{}\tactual memory usage for states (compression: {percent:.2}%)", megabytes(actual)));
            let each = actual / f.stored.max(1) as f64;
            line(&format!("         \tstate-vector as stored = {each:.0} byte + 0 byte overhead"));
        } else {
            line(&format!("{}\tactual memory usage for states", megabytes(actual)));
        }
        if c.automaton.is_none() || c.collapse {
            // The tables grow with the states and are counted with them.
            line(&format!("{}\tmemory used for hash table (-w{})", megabytes(0.0), o.table_bits));
        }
    }
    if c.bitstate && !c.no_reduce && !facts.priorities {
        line(&format!("{}\tmemory used for bit stack", megabytes(0.0)));
    }
    if !c.bfs {
        let rest = (f.memory_bytes.saturating_sub(f.store_bytes) as f64).min(16.0 * o.depth_max as f64);
        line(&format!("{}\tmemory used for DFS stack (-m{})", megabytes(rest), o.depth_max));
    }
    line(&format!("{}\ttotal actual memory usage", megabytes(f.memory_bytes as f64)));
    line("");
    line("");
    if c.collapse {
        line("nr of templates: [ 0:globals 1:chans 2:procs ]");
        line("collapse counts: [ ]");
    }
    out
}

/// What SPIN keeps beside each state.
const STATE_OVERHEAD_BYTES: f64 = 40.0;

/// Of fewer states, what the store has set aside says nothing about compression.
const COMPRESSION_TOLD_FROM: u64 = 10_000;

/// The end of the report.
pub fn tail(figures: &Figures) -> String {
    let mut out = format!("\npan: elapsed time {} seconds\n", general(round(figures.elapsed_s), 3));
    if round(figures.elapsed_s) > 0.01 {
        let rate = figures.stored as f64 / figures.elapsed_s;
        out += &format!("pan: rate {:>9} states/second\n", general(rate, 8));
    }
    out
}

/// SPIN's clock has a hundred ticks a second.
fn round(seconds: f64) -> f64 {
    (seconds * 100.0).floor() / 100.0
}

/// A line of progress, every million states.
pub fn progress(depth: u64, states: u64, transitions: u64, memory_bytes: u64, elapsed_s: f64) -> String {
    let rate = states as f64 / elapsed_s.max(0.01);
    format!(
        "Depth= {depth:>7} States= {:>8} Transitions= {:>8} Memory= {:9.3}\tt= {:>8} R= {:>7}\n",
        general(states as f64, 3),
        general(transitions as f64, 3),
        memory_bytes as f64 / 1_048_576.0,
        general(elapsed_s, 3),
        general(rate, 1)
    )
}

/// `%9.8g`
fn count(n: u64) -> String {
    format!("{:>9}", general(n as f64, 8))
}

/// A number as C's `%.Ng` prints it.
pub fn general(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    let digits = digits.max(1);
    let scientific = format!("{:.*e}", digits - 1, value);
    let (mantissa, exponent) = scientific.split_once('e').expect("the form has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn numbers_are_printed_as_in_c() {
        let cases = [
            (0.0, 8, "0"),
            (19.0, 8, "19"),
            (99_999_999.0, 8, "99999999"),
            (123_456_789.0, 8, "1.2345679e+08"),
            (7.06409e6, 6, "7.06409e+06"),
            (0.01, 3, "0.01"),
            (1234.5, 3, "1.23e+03"),
            (0.00001, 3, "1e-05"),
            (5e6, 1, "5e+06"),
        ];
        for (value, digits, text) in cases {
            assert_eq!(general(value, digits), text);
        }
    }
}
