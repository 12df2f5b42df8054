//! "Did you mean": the candidate nearest to a misspelt name.
//!
//! The distance is that of Damerau (1964) restricted to adjacent swaps: insertions, deletions, substitutions and swaps
//! of neighbours cost one each. A candidate is offered only when at most about a third of the name is wrong; a bad
//! guess is worse than none.

/// The candidate closest to `name`, or `None` when none is close enough. Case counts little: a candidate that differs
/// in case alone always wins. Among equals the first candidate wins.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0 | 1 => 0,
        2..=5 => 1,
        6..=8 => 2,
        n => (n / 3).min(4),
    };
    let mut best: Option<(&str, usize)> = None;
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        let d = if candidate.eq_ignore_ascii_case(name) { 0 } else { distance_within(name, candidate, limit) };
        if d <= limit && best.is_none_or(|(_, b)| d < b) {
            best = Some((candidate, d));
        }
    }
    best.map(|(c, _)| c)
}

/// The sentence that offers the closest candidate, such as "did you mean `turn`?".
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    closest(name, candidates).map(|c| format!("did you mean `{c}`?"))
}

/// Edit distance with swaps of neighbours.
pub fn distance(a: &str, b: &str) -> usize {
    distance_within(a, b, usize::MAX)
}

/// Edit distance; anything above `limit` when the distance is above it. The cost is the product of the lengths, so names
/// whose lengths alone differ by more than the limit are dropped first.
fn distance_within(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return a.len().abs_diff(b.len());
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            let mut d = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                d = d.min(before[j - 1] + 1);
            }
            row.push(d);
        }
        if row.iter().all(|&d| d > limit) {
            return limit.saturating_add(1);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("trun", "turn"), 1);
        assert_eq!(distance("größe", "grösse"), 2);
    }

    #[test]
    fn nearest_candidate_wins() {
        let names = ["turn", "flag", "ncrit", "count_down"];
        assert_eq!(closest("trun", names), Some("turn"));
        assert_eq!(closest("Flag", names), Some("flag"));
        assert_eq!(closest("FLAG", names), Some("flag"));
        assert_eq!(closest("count_dwon", names), Some("count_down"));
        assert_eq!(closest("turn", names), None);
        assert_eq!(closest("x", names), None);
        assert_eq!(closest("banana", names), None);
        assert_eq!(did_you_mean("ncirt", names).as_deref(), Some("did you mean `ncrit`?"));
    }
}
