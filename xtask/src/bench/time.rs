//! Processor time of child processes, from `/proc` (Linux).

use anyhow::Context;

/// Processor time of all children that have ended so far, in clock ticks of a hundredth of a second. The kernel adds up
/// finer than that, so that a sum over many children is exact to a tick.
#[derive(Clone, Copy)]
pub(crate) struct ChildTime {
    user: u64,
    system: u64,
}

/// Linux gives times in `/proc` in this unit on every machine, whatever its timer does.
const TICK_MS: f64 = 10.0;

impl ChildTime {
    pub(crate) fn now() -> anyhow::Result<Self> {
        let stat = std::fs::read_to_string("/proc/self/stat").context("cannot read times: this needs Linux")?;
        Self::parse(&stat).context("`/proc/self/stat` has an unknown form")
    }

    /// Fields 16 and 17 of `proc(5)`; the second field, the name, may hold anything, and ends with the last `)`.
    fn parse(stat: &str) -> Option<Self> {
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
        Some(Self { user: fields.next()?.parse().ok()?, system: fields.next()?.parse().ok()? })
    }

    /// User and system time since `earlier`, in milliseconds.
    pub(crate) fn since_ms(self, earlier: Self) -> (f64, f64) {
        ((self.user - earlier.user) as f64 * TICK_MS, (self.system - earlier.system) as f64 * TICK_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::ChildTime;

    #[test]
    fn the_right_fields_are_read() {
        let stat = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 110 120 130 140 20 0";
        let earlier = ChildTime { user: 30, system: 40 };
        assert_eq!(ChildTime::parse(stat).unwrap().since_ms(earlier), (1000.0, 1000.0));
    }
}
