//! Learning a tree from a sample of states.
//!
//! The size of a tree-compressed store is the number of different values summed over the nodes, so that what is correlated
//! is to be joined early and independence left to the root. From a sample: bytes are divided into two halves such that both
//! take few values, by moving single ones from several starts, and then also exchanging two, as long as that helps. A half
//! that fits is a leaf; of others, bytes are merged into leaves, and these joined from the bottom, always the two parts with
//! the fewest joint values. Same sample, same tree.
//!
//! Cost: some thousand passes over the sample, each counting different sums of hashes in a table; some ten milliseconds in
//! all.

use crate::tree::key::LEAF_BITS;
use crate::tree::plan::{PART_BITS, Plan, bits};
use std::collections::BTreeMap;

/// Varying bytes up to which all pairs are tried; above, only those near each other.
const ALL_PAIRS_MAX: usize = 40;
/// How far apart bytes or words may be beyond that.
const NEAR: usize = 6;
/// Parts beyond which neighbours are merged without comparing: the time would grow with the cube of their number.
const PARTS_MAX: usize = 192;
/// Varying bytes up to which each goes its own way; above, words of four go together.
const BYTES_MAX: usize = 96;
/// States that are learnt from at most, and those that the first attempts are made with.
const STATES_MAX: usize = 4096;
const STATES_FEW: usize = 2048;
/// How many times as many states as the sample has values are counted for.
const SCALE: f64 = 512.0;
/// Passes that may be spent on the division into halves, times states, by the first attempts and then: some 20 ms each.
const PASSES_STATES: usize = 4 << 20;

/// A part of the state: words, or bytes on their way to words.
struct Part {
    /// Bytes of a word; items of a tree.
    members: Vec<usize>,
    /// For each state of the sample a hash of its bytes: sums of hashes are hashes of joint values.
    hashes: Vec<u64>,
    distinct: usize,
    height: usize,
}

impl Part {
    /// Merges another part into this one; `distinct` is the number of their joint values.
    fn absorb(&mut self, other: Part, distinct: usize) {
        if self.hashes.is_empty() {
            self.hashes = other.hashes;
        } else if !other.hashes.is_empty() {
            self.hashes.iter_mut().zip(&other.hashes).for_each(|(a, b)| *a = a.wrapping_add(*b));
        }
        self.members.extend(other.members);
        self.height = self.height.max(other.height) + 1;
        self.distinct = distinct;
    }
}

/// Counts different sums: an open table whose entries carry the number of the count, so that it is never cleared.
struct Counter {
    table: Vec<u64>,
    /// How often each entry was met, up to four times.
    times: Vec<u8>,
    /// The number of the count, in the low 24 bits of entries.
    round: u64,
}

impl Counter {
    const ROUND_BITS: u32 = 24;

    fn new(states: usize) -> Counter {
        let entries = (states * 4).next_power_of_two().max(64);
        Counter { table: vec![0; entries], times: vec![0; entries], round: 0 }
    }

    /// How many came for the first, the second, the third and the fourth time, but for a chance of 2^-40 for any two to be
    /// taken for one.
    #[inline(always)]
    fn census(&mut self, hashes: impl Iterator<Item = u64>) -> [usize; 4] {
        self.round += 1;
        if self.round >> Counter::ROUND_BITS != 0 {
            self.table.fill(0);
            self.round = 1;
        }
        let mask = self.table.len() - 1;
        let times = &mut self.times[..=mask];
        let table = &mut self.table[..=mask];
        let mut counts = [0; 5];
        for hash in hashes {
            let spread = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let entry = spread << Counter::ROUND_BITS | self.round;
            let mut place = (spread >> 40) as usize & mask;
            let before = loop {
                if table[place] == entry {
                    break times[place];
                }
                if table[place] & ((1 << Counter::ROUND_BITS) - 1) != self.round {
                    table[place] = entry;
                    break 0;
                }
                place = (place + 1) & mask;
            };
            times[place] = (before + 1).min(4);
            counts[usize::from(before)] += 1;
        }
        let [first, second, third, fourth, _] = counts;
        [first, second, third, fourth]
    }

    /// How many different ones there are.
    fn count(&mut self, hashes: impl Iterator<Item = u64>) -> usize {
        self.census(hashes)[0]
    }

    /// How many values there are in all. Two estimates, of which one is too small where some values are much more frequent than
    /// others (Chao, "Nonparametric estimation of the number of classes in a population", 1984: by how many were met once and
    /// twice), and the other too large where they are not (Heaps' law: `D` different ones in a sample of `n` become
    /// `D * (N / n)^b` in `N` states, where `b` comes from how many half of the sample would have shown; each value is missing
    /// there with a chance of one half for each time it was met). What is between them has the right order.
    fn estimate(&mut self, hashes: impl Iterator<Item = u64>) -> u64 {
        let [first, second, third, fourth] = self.census(hashes).map(|count| count as f64);
        let (once, twice) = (first - second, second - third);
        let least = first + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        let missing = once / 2.0 + twice / 4.0 + (third - fourth) / 8.0;
        let exponent = (first / (first - missing).max(0.5)).log2();
        (least * first * SCALE.powf(exponent)).sqrt() as u64
    }

    fn joint(&mut self, a: &Part, b: &Part) -> usize {
        match (a.distinct, b.distinct) {
            (1, other) | (other, 1) => other,
            _ => self.count(a.hashes.iter().zip(&b.hashes).map(|(a, b)| a.wrapping_add(*b))),
        }
    }
}

fn byte_hash(at: usize, value: u8) -> u64 {
    let mut x = (at as u64 + 1) << 8 | u64::from(value);
    x = (x ^ 0x5851_F42D_4C95_7F2D).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ (x >> 32)).wrapping_mul(0x9E6C_63D0_876A_68EF);
    x ^ (x >> 29)
}

/// The tree for states like these, which have several lengths perhaps. Behind the end of a state nothing varies.
pub(crate) fn plan(sample: &[&[u8]]) -> Plan {
    let template = sample.iter().max_by_key(|state| state.len()).map_or_else(Vec::new, |state| state.to_vec());
    let varying = varying(sample, &template);
    let sample = thin(sample);
    let len = template.len();
    assert!(len >= 2, "both halves of the root must have something");
    let mut counter = Counter::new(sample.len());
    let mut parts = parts(len, &sample, &mut counter);
    let sides = divide(&mut parts, &mut counter);
    let (left, right): (Vec<_>, Vec<_>) = parts.into_iter().zip(sides).partition(|&(_, side)| side);
    let fits = |a: &Part, b: &Part| bits(&a.members, &varying) + bits(&b.members, &varying) <= PART_BITS;
    let mut members: Vec<Vec<usize>> = Vec::new();
    let halves = [left, right].map(|half| {
        let half: Vec<Part> = half.into_iter().map(|(part, _)| part).collect();
        let bits: usize = half.iter().map(|part| bits(&part.members, &varying)).sum();
        let mut leaves =
            if bits <= LEAF_BITS { whole(half) } else { merge(half, 0, &mut counter, fits, &mut |_, _| {}) };
        for leaf in &mut leaves {
            let item = members.len();
            members.push(std::mem::replace(&mut leaf.members, vec![item]));
            leaf.height = 0;
        }
        leaves
    });
    let mut nodes = Vec::new();
    let halves = halves.map(|half| join(half, members.len(), &mut nodes, &mut counter));
    Plan { template, varying, members, nodes, halves }
}

/// By byte, the bits that are not the same in all states, and those below them: values that are rare are mostly among the small
/// ones.
fn varying(sample: &[&[u8]], template: &[u8]) -> Vec<u8> {
    let mut varying = vec![0u8; template.len()];
    for state in sample {
        varying.iter_mut().zip(template).zip(*state).for_each(|((bits, a), b)| *bits |= a ^ b);
    }
    varying.iter().map(|bits| u8::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0)).collect()
}

/// As many as can be learnt from in a short time: all of rare lengths, and of the others equally many.
fn thin<'a>(sample: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut by_len: BTreeMap<usize, Vec<&[u8]>> = BTreeMap::new();
    sample.iter().for_each(|state| by_len.entry(state.len()).or_default().push(state));
    let mut counts: Vec<usize> = by_len.values().map(Vec::len).collect();
    counts.sort_unstable();
    let mut left = STATES_MAX;
    let mut each = usize::MAX;
    for (at, &count) in counts.iter().enumerate() {
        each = left / (counts.len() - at);
        if count > each {
            break;
        }
        left -= count;
        each = usize::MAX;
    }
    let take = |states: Vec<&'a [u8]>| {
        let count = states.len().min(each);
        let step = states.len() as f64 / count.max(1) as f64;
        (0..count).map(|at| states[(at as f64 * step) as usize]).collect::<Vec<_>>()
    };
    by_len.into_values().flat_map(take).collect()
}

/// All parts as one.
fn whole(parts: Vec<Part>) -> Vec<Part> {
    let mut parts = parts.into_iter();
    let Some(mut all) = parts.next() else { return Vec::new() };
    parts.for_each(|part| all.absorb(part, 0));
    vec![all]
}

/// The bytes, or words of up to four that take few values together where these are many.
fn parts(len: usize, sample: &[&[u8]], counter: &mut Counter) -> Vec<Part> {
    let mut constant = Vec::new();
    let mut parts = Vec::new();
    for at in 0..len {
        let hashes: Vec<u64> =
            sample.iter().map(|state| state.get(at).map_or(0, |&value| byte_hash(at, value))).collect();
        if hashes.iter().all(|&hash| hash == hashes[0]) {
            constant.push(at);
            continue;
        }
        let distinct = counter.count(hashes.iter().copied());
        parts.push(Part { members: vec![at], hashes, distinct, height: 0 });
    }
    let mut parts = gather(parts, counter);
    if parts.len() > BYTES_MAX {
        let fits = |a: &Part, b: &Part| a.members.len() + b.members.len() <= 4;
        parts = merge(parts, 0, counter, fits, &mut |_, _| {});
    }
    // Bytes that never changed come last; they may still change later, so they are kept like all others.
    for chunk in constant.chunks(4) {
        parts.push(Part { members: chunk.to_vec(), hashes: Vec::new(), distinct: 1, height: 0 });
    }
    if parts.len() == 1 {
        // Both halves of the root must have something.
        let second = parts[0].members.split_off(1);
        parts.push(Part { members: second, hashes: Vec::new(), distinct: 1, height: 0 });
    }
    parts
}

/// Puts bytes that follow from another one with it: as long as some of them were elsewhere, moving one would change nothing.
fn gather(mut parts: Vec<Part>, counter: &mut Counter) -> Vec<Part> {
    parts.sort_by_key(|part| std::cmp::Reverse(part.distinct));
    let mut groups: Vec<Part> = Vec::new();
    for part in parts {
        let follows = |group: &&mut Part| {
            // Most do not, and a few states show it.
            let step = group.hashes.len() / 256 + 1;
            let few = |which: &Part| which.hashes.iter().copied().step_by(step).collect::<Vec<u64>>();
            let (own, other) = (few(group), few(&part));
            let apart = counter.count(own.iter().copied());
            counter.count(own.iter().zip(&other).map(|(a, b)| a.wrapping_add(*b))) == apart
                && counter.joint(group, &part) == group.distinct
        };
        match groups.iter_mut().find(follows) {
            Some(group) => {
                let distinct = group.distinct;
                group.absorb(part, distinct);
            }
            None => groups.push(part),
        }
    }
    groups.sort_by_key(|group| group.members[0]);
    groups
}

/// Merges parts, always two with the fewest joint values among those that may be, until `target` are left or none may be.
fn merge(
    mut parts: Vec<Part>,
    target: usize,
    counter: &mut Counter,
    may: impl Fn(&Part, &Part) -> bool,
    merged: &mut dyn FnMut(&Part, &Part),
) -> Vec<Part> {
    while parts.len() > PARTS_MAX.max(target) {
        let before = parts.len();
        let mut fewer: Vec<Part> = Vec::new();
        let mut single = false;
        for part in parts {
            match fewer.last_mut() {
                Some(last) if single && may(last, &part) => {
                    merged(last, &part);
                    let distinct = counter.joint(last, &part);
                    last.absorb(part, distinct);
                    single = false;
                }
                _ => {
                    fewer.push(part);
                    single = true;
                }
            }
        }
        parts = fewer;
        if parts.len() == before {
            break;
        }
    }
    let near = if parts.len() <= ALL_PAIRS_MAX { usize::MAX } else { NEAR };
    // Joint values of parts by position; a part that was merged away is empty.
    let count = parts.len();
    let mut joint = vec![0usize; count * count];
    let close = |a: usize, b: usize| a.abs_diff(b) <= near;
    let mut alive: Vec<bool> = vec![true; count];
    for a in 0..count {
        for b in a + 1..count {
            if close(a, b) && may(&parts[a], &parts[b]) {
                joint[a * count + b] = counter.joint(&parts[a], &parts[b]);
            }
        }
    }
    let mut left = count;
    let mut near_factor = 1;
    while left > target.max(1) {
        let mut best = None;
        for a in 0..count {
            for b in a + 1..count {
                let value = joint[a * count + b];
                if alive[a] && alive[b] && value > 0 && may(&parts[a], &parts[b]) {
                    let size = parts[a].members.len() + parts[b].members.len();
                    best = best.min(Some((value, size, a, b))).or(Some((value, size, a, b)));
                }
            }
        }
        let Some((distinct, _, a, b)) = best else {
            // Nothing near is left: look farther, unless everything was looked at.
            if near == usize::MAX || near.saturating_mul(near_factor) >= count {
                break;
            }
            near_factor *= 2;
            for a in 0..count {
                for b in a + 1..count {
                    let due = alive[a] && alive[b] && joint[a * count + b] == 0;
                    if due && a.abs_diff(b) <= near * near_factor && may(&parts[a], &parts[b]) {
                        joint[a * count + b] = counter.joint(&parts[a], &parts[b]);
                    }
                }
            }
            continue;
        };
        merged(&parts[a], &parts[b]);
        let gone =
            std::mem::replace(&mut parts[b], Part { members: Vec::new(), hashes: Vec::new(), distinct: 0, height: 0 });
        parts[a].absorb(gone, distinct);
        alive[b] = false;
        left -= 1;
        for other in 0..count {
            let (low, high) = (a.min(other), a.max(other));
            if other != a && alive[other] {
                let seen = joint[low * count + high] > 0 || joint[other.min(b) * count + other.max(b)] > 0;
                let due = (seen || close(a, other)) && may(&parts[a], &parts[other]);
                joint[low * count + high] = if due { counter.joint(&parts[a], &parts[other]) } else { 0 };
            }
        }
    }
    parts.into_iter().zip(alive).filter(|&(_, alive)| alive).map(|(part, _)| part).collect()
}

/// Divides the words into two halves, true and false, such that both take few values.
fn divide(words: &mut [Part], counter: &mut Counter) -> Vec<bool> {
    let count = words.len();
    let states = words.iter().map(|word| word.hashes.len()).max().unwrap_or(0);
    let varying: Vec<usize> = (0..count).filter(|&word| !words[word].hashes.is_empty()).collect();
    // A few states, and single words, are enough to find out which of several starts is a good one.
    let step = states.div_ceil(STATES_FEW).max(1);
    let few: Vec<Vec<u64>> = words.iter().map(|word| word.hashes.iter().copied().step_by(step).collect()).collect();
    let mut passes_left = PASSES_STATES / states.div_ceil(step).max(1);
    let mut best: Option<(u64, Vec<bool>)> = None;
    // Neighbours together; every second one; and two that follow no rule.
    for start in 0..4u32 {
        let mut side: Vec<bool> = vec![false; count];
        for (at, &word) in varying.iter().enumerate() {
            side[word] = match start {
                0 => at < varying.len() / 2,
                1 => at % 2 == 0,
                _ => byte_hash(at, 0) >> (20 + start) & 1 == 0,
            };
        }
        let few: Vec<&[u64]> = few.iter().map(Vec::as_slice).collect();
        let cost = improve(&mut side, &few, step == 1, counter, &mut passes_left);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, side));
        }
    }
    if let Some((_, side)) = best.as_mut().filter(|_| step > 1) {
        let mut passes_left = PASSES_STATES / states.max(1);
        let all: Vec<&[u64]> = words.iter().map(|word| &word.hashes[..]).collect();
        improve(side, &all, true, counter, &mut passes_left);
    }
    let mut side = best.map_or_else(|| vec![false; count], |(_, side)| side);
    // What never changed goes where there is less, so that leaves are few.
    let bytes = |side: &[bool], which: bool| -> usize {
        varying.iter().filter(|&&word| side[word] == which).map(|&word| words[word].members.len()).sum()
    };
    let mut loads = [bytes(&side, false), bytes(&side, true)];
    for word in 0..count {
        if words[word].hashes.is_empty() {
            side[word] = loads[1] < loads[0];
            loads[usize::from(side[word])] += words[word].members.len();
        }
    }
    if side.iter().all(|&which| which == side[0]) {
        let last = count - 1;
        side[last] = !side[last];
    }
    side
}

/// Moves single words from one half to the other, and exchanges two (with `swaps`), as long as that makes it better; how
/// many values the halves have then. For each word there are the hashes of its values, none where it does not vary.
fn improve(side: &mut [bool], words: &[&[u64]], swaps: bool, counter: &mut Counter, passes_left: &mut usize) -> u64 {
    let varying: Vec<usize> = (0..words.len()).filter(|&word| !words[word].is_empty()).collect();
    let states = varying.first().map_or(0, |&word| words[word].len());
    let mut sums = [vec![0u64; states], vec![0u64; states]];
    let shift = |sums: &mut [u64], word: usize, sign: u64| {
        sums.iter_mut().zip(words[word]).for_each(|(sum, hash)| *sum = sum.wrapping_add(hash.wrapping_mul(sign)));
    };
    varying.iter().for_each(|&word| shift(&mut sums[usize::from(side[word])], word, 1));
    let mut cost: u64 = sums.iter().map(|sums| counter.estimate(sums.iter().copied())).sum();
    // What makes it better is done at once: to look for the best would take many times as long. Two words change places
    // only when no single one can be moved.
    let mut swapping = false;
    loop {
        let mut improved = false;
        let moves = varying.iter().map(|&word| (word, None)).filter(|_| !swapping);
        let pairs = varying.iter().flat_map(|&a| varying.iter().map(move |&b| (a, Some(b)))).filter(|_| swapping);
        for (a, b) in moves.chain(pairs) {
            if *passes_left < 2 || b.is_some_and(|b| !side[a] || side[b]) {
                continue;
            }
            let from = usize::from(side[a]);
            let (own, other) = (sums[from].iter().zip(words[a]), sums[1 - from].iter().zip(words[a]));
            let less = match b {
                None => counter.estimate(own.map(|(sum, a)| sum.wrapping_sub(*a))),
                Some(b) => {
                    counter.estimate(own.zip(words[b]).map(|((sum, a), b)| sum.wrapping_sub(*a).wrapping_add(*b)))
                }
            };
            *passes_left -= 1;
            if less >= cost {
                continue;
            }
            let more = match b {
                None => counter.estimate(other.map(|(sum, a)| sum.wrapping_add(*a))),
                Some(b) => {
                    counter.estimate(other.zip(words[b]).map(|((sum, a), b)| sum.wrapping_add(*a).wrapping_sub(*b)))
                }
            };
            *passes_left -= 1;
            if less + more < cost {
                cost = less + more;
                for word in [Some(a), b].into_iter().flatten() {
                    let from = usize::from(side[word]);
                    shift(&mut sums[from], word, 1u64.wrapping_neg());
                    shift(&mut sums[1 - from], word, 1);
                    side[word] = !side[word];
                }
                improved = true;
            }
        }
        if !improved && (swapping || !swaps) {
            return cost;
        }
        swapping = !improved;
    }
}

/// Joins the leaves of a half; pushes the nodes, and says which item is on top.
fn join(half: Vec<Part>, leaf_count: usize, nodes: &mut Vec<[u32; 2]>, counter: &mut Counter) -> u32 {
    let count = half.len();
    let height_max = 2 * (usize::BITS - count.leading_zeros()) as usize;
    // The item that stands for a part, by its first member.
    let mut items: std::collections::HashMap<usize, u32> =
        half.iter().map(|part| (part.members[0], part.members[0] as u32)).collect();
    let mut top = half[0].members[0] as u32;
    let may = |a: &Part, b: &Part| a.height.max(b.height) < height_max;
    let mut joined = |a: &Part, b: &Part| {
        nodes.push([items[&a.members[0]], items[&b.members[0]]]);
        top = (leaf_count + nodes.len() - 1) as u32;
        items.insert(a.members[0], top);
    };
    let mut parts = merge(half, 1, counter, may, &mut joined);
    // The rest is too high to be joined by that rule: lowest first.
    while parts.len() > 1 {
        parts.sort_by_key(|part| std::cmp::Reverse(part.height));
        let (Some(b), Some(mut a)) = (parts.pop(), parts.pop()) else { break };
        joined(&a, &b);
        a.height = a.height.max(b.height) + 1;
        parts.push(a);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::key::Key;
    use crate::tree::pairs::Pair;
    use crate::tree::shape::{Coverage, Scratch, TreeShape};
    use std::collections::HashMap;

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 33
    }

    /// Interns the items of a state with a map; the root.
    fn root(shape: &TreeShape, state: &[u8], known: &mut HashMap<(Key, usize), u32>) -> Pair {
        let keys = shape.keys(state);
        let mut values = vec![0; shape.items()];
        for item in 0..shape.items() {
            let next = known.len() as u32;
            let key = (shape.key(item, &keys, &values), shape.key_words(item));
            values[item] = *known.entry(key).or_insert(next);
        }
        let [left, right] = shape.halves.map(|half| values[half as usize]);
        Pair { left, right, shape: 1 }
    }

    #[test]
    fn any_sample_gives_a_tree_from_which_states_come_back() {
        let mut seed = 5;
        for len in (2..70).chain([130, 300, 2500]) {
            let states = if cfg!(miri) {
                3
            } else if len > 1000 {
                20
            } else {
                120
            };
            let sample: Vec<u8> = (0..states * len)
                .map(|at| if at % len % 5 == 4 { 9 } else { (random(&mut seed) % (1 + (at % len % 7) as u64)) as u8 })
                .collect();
            let plan = plan(&sample.chunks(len).collect::<Vec<_>>());
            let shapes = [Coverage::Varying, Coverage::All].map(|coverage| plan.shape(len, coverage));
            let mut known = HashMap::new();
            let (mut scratches, mut out) = ([Scratch::default(), Scratch::default()], Vec::new());
            // States of the sample, and others in which also the bytes differ that never did.
            let others: Vec<u8> = (0..states * len).map(|_| random(&mut seed) as u8).collect();
            for state in sample.chunks(len).chain(others.chunks(len)) {
                let which = usize::from(!shapes[0].fits(state));
                let (shape, scratch) = (&shapes[which], &mut scratches[which]);
                let root = root(shape, state, &mut known);
                let by_number: HashMap<u32, Key> = known.iter().map(|(&(key, _), &number)| (number, key)).collect();
                out.clear();
                shape.restore(root, scratch, &mut out, |_, number| by_number[&number]);
                assert_eq!(out, state, "{len}");
            }
        }
    }

    #[test]
    fn what_belongs_together_is_joined() {
        // Eight processes of four bytes that follow from one value each, the bytes of a process far apart.
        let (processes, states) = (8, 2000);
        let mut seed = 9;
        let mut sample = Vec::new();
        for _ in 0..states {
            let values: Vec<u8> = (0..processes).map(|_| (random(&mut seed) % 6) as u8).collect();
            for byte in 0..4u8 {
                sample.extend(values.iter().map(|value| value.wrapping_mul(3 + byte)));
            }
        }
        let states: Vec<&[u8]> = sample.chunks(processes * 4).collect();
        let plan = plan(&states);
        assert_eq!(plan.members.len(), 2);
        for leaf in &plan.members {
            assert_eq!(leaf.len(), processes * 2);
            let whole = |byte: &usize| (0..4).all(|row| leaf.contains(&(row * processes + byte % processes)));
            assert!(leaf.iter().all(whole), "{leaf:?}");
        }
        // All states of eight processes with six values each would be 1.7 million; the tree keeps far fewer parts.
        let shape = plan.shape(processes * 4, Coverage::Varying);
        assert_eq!((shape.leaves.len(), shape.nodes.len()), (2, 0));
    }
}
