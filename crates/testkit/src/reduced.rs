//! Naive reduced searches: every proviso in its plainest form, everything kept in memory.
//!
//! They are what reductions are checked with: the sets that a reduction offers are taken under each proviso, and what is
//! found is compared with a search that takes all moves.

use ferrospin_interp::failure_kind;
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, Offer, Preselection, Reduction, members};
use std::collections::{BTreeSet, HashMap, HashSet};

/// When a reduced set of moves is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proviso {
    /// Always.
    None,
    /// Breadth first: some successor was not found at this level or before, or was complete before this level.
    Level,
    /// Breadth first: some successor is new, still waits, or is complete.
    Queue,
    /// A deliberate mistake. Breadth first: some successor is on another level, whatever was taken there.
    Elsewhere,
    /// Depth first: some successor is not on the stack.
    Stack,
    /// Depth first: there are successors, and none is on the stack.
    Strict,
    /// Depth first: every state leads to one at which enough is taken, looked after when a state is left (Lipton's
    /// movers and their completion, CONCUR 2005).
    Completion,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Stored states.
    pub states: usize,
    /// Steps between them.
    pub transitions: usize,
    /// States in which no process can move.
    pub ends: BTreeSet<Vec<u8>>,
    /// What failed: edge and category.
    pub failures: BTreeSet<(u32, &'static str)>,
    /// Something failed behind which there is no state, so that what comes behind others may be missing.
    pub fatal: bool,
    /// Whether the limit on states was reached.
    pub cut: bool,
}

impl Found {
    /// Whether another search found the same ends and failures. Behind a fatal failure only that there is one is asked.
    pub fn agrees(&self, other: &Found) -> bool {
        if self.fatal || other.fatal {
            return self.fatal == other.fatal || !self.failures.is_empty() && !other.failures.is_empty();
        }
        self.ends == other.ends && self.failures == other.failures
    }
}

/// What a breadth-first search knows of a state.
struct Seen {
    level: usize,
    waits: bool,
    /// Enough was taken at it, or behind it at states that were complete before.
    complete: bool,
}

struct Search<'a> {
    machine: &'a mut dyn Machine,
    reduction: Option<&'a mut dyn Reduction>,
    found: Found,
    offer: Offer,
    limit: usize,
}

/// Searches breadth first or depth first, as the proviso needs.
pub fn search<'a>(
    machine: &'a mut dyn Machine,
    reduction: Option<&'a mut dyn Reduction>,
    proviso: Proviso,
    limit: usize,
) -> Found {
    let mut s = Search { machine, reduction, found: Found::default(), offer: Offer::default(), limit };
    let mut first = Vec::new();
    if let Err(f) = s.machine.initial(&mut first) {
        s.found.failures.insert((f.edge, failure_kind(f.code).category()));
        s.found.fatal = true;
        return s.found;
    }
    match proviso {
        Proviso::None | Proviso::Level | Proviso::Queue | Proviso::Elsewhere => s.breadth_first(first, proviso),
        Proviso::Stack | Proviso::Strict | Proviso::Completion => s.depth_first(first, proviso),
    }
    s.found
}

impl Search<'_> {
    fn moves(&mut self, state: &[u8]) -> Vec<Move> {
        let mut moves = Moves::default();
        self.machine.moves(state, Control::Free, &mut moves);
        moves.failures.iter().for_each(|f| self.fail(*f));
        if moves.list.is_empty() {
            self.found.ends.insert(state.to_vec());
        }
        moves.list
    }

    fn fail(&mut self, f: Failure) {
        self.found.failures.insert((f.edge, failure_kind(f.code).category()));
    }

    /// The stored successors of a move, through whatever lies inside an `atomic`.
    fn successors(&mut self, state: &[u8], mv: &Move) -> Vec<Vec<u8>> {
        let mut out: Vec<Vec<u8>> = Vec::new();
        let mut passed: HashSet<(Vec<u8>, Control)> = HashSet::new();
        let mut work = vec![(state.to_vec(), *mv)];
        let mut moves = Moves::default();
        while let Some((from, mv)) = work.pop() {
            let mut next = Vec::new();
            let step = self.machine.apply(&from, &mv, &mut next);
            if let Some(f) = step.failure {
                self.fail(f);
                self.found.fatal |= !step.proceeds;
            }
            if !step.proceeds {
                continue;
            }
            match step.control {
                Control::Free => out.push(next),
                control => {
                    if !passed.insert((next.clone(), control)) {
                        continue;
                    }
                    self.machine.moves(&next, control, &mut moves);
                    moves.failures.iter().for_each(|f| self.fail(*f));
                    if moves.list.is_empty() && matches!(control, Control::Exclusive(_)) {
                        out.push(next);
                    } else {
                        work.extend(moves.list.iter().map(|m| (next.clone(), *m)));
                    }
                }
            }
        }
        out
    }

    fn all(&mut self, state: &[u8], moves: &[Move], set: &[u32]) -> Vec<Vec<u8>> {
        set.iter().flat_map(|i| self.successors(state, &moves[*i as usize])).collect()
    }

    /// Offered sets, each with whether it needs no proviso.
    fn sets(&mut self, state: &[u8], moves: &[Move]) -> Vec<(Vec<u32>, bool)> {
        let Some(r) = self.reduction.as_deref_mut() else { return Vec::new() };
        let mut out = Vec::new();
        r.offer(state, moves, &mut self.offer);
        out.extend((0..self.offer.len()).map(|i| (members(self.offer.words(i)).collect(), self.offer.is_free(i))));
        while self.offer.is_partial() {
            r.offer_more(state, moves, &mut self.offer);
            out.extend((0..self.offer.len()).map(|i| (members(self.offer.words(i)).collect(), self.offer.is_free(i))));
        }
        out
    }

    /// The set behind all that were refused: the best one, completed; or all moves.
    fn rest(&mut self, state: &[u8], moves: &[Move], best: Option<&[u32]>) -> Vec<u32> {
        let mut words = Vec::new();
        if let (Some(r), Some(best)) = (self.reduction.as_deref_mut(), best)
            && r.complete(state, moves, &words_of(best, moves.len()), &mut words)
        {
            let out: Vec<u32> = members(&words).collect();
            assert!(best.iter().all(|i| out.contains(i)), "a completed set holds the set");
            return out;
        }
        (0..moves.len() as u32).collect()
    }

    /// Successors of the first set that passes; beside them, what it has passed for. Nothing where it needs no proviso.
    fn choose<T>(
        &mut self,
        state: &[u8],
        moves: &[Move],
        passes: &dyn Fn(&[Vec<u8>]) -> Option<T>,
    ) -> (Vec<Vec<u8>>, Option<T>) {
        let sets = self.sets(state, moves);
        for (set, free) in &sets {
            assert!(!set.is_empty() && set.len() < moves.len(), "sets are neither empty nor all moves");
            // What fails while a refused set is tried has failed all the same.
            let next = self.all(state, moves, set);
            if *free {
                return (next, None);
            }
            if let Some(why) = passes(&next) {
                return (next, Some(why));
            }
        }
        let rest = self.rest(state, moves, sets.first().map(|(s, _)| s.as_slice()));
        (self.all(state, moves, &rest), None)
    }

    fn breadth_first(&mut self, first: Vec<u8>, proviso: Proviso) {
        let new = |level| Seen { level, waits: true, complete: false };
        let mut seen: HashMap<Vec<u8>, Seen> = HashMap::from([(first.clone(), new(0))]);
        let mut queue = std::collections::VecDeque::from([first]);
        while let Some(state) = queue.pop_front() {
            let moves = self.moves(&state);
            let entry = seen.get_mut(&state).expect("was queued");
            entry.waits = false;
            let level = entry.level;
            // Whether it passes only for the sake of a state that is complete.
            let passes = |next: &[Vec<u8>]| {
                let is_later = |n: &Vec<u8>| match (proviso, seen.get(n)) {
                    (Proviso::None, _) | (_, None) => true,
                    (Proviso::Level, Some(s)) => s.level > level,
                    (Proviso::Elsewhere, Some(s)) => s.level != level,
                    (_, Some(s)) => s.waits,
                };
                let is_complete = |n: &Vec<u8>| {
                    let s = &seen[n];
                    s.complete && (proviso == Proviso::Queue || s.level < level)
                };
                if next.iter().any(is_later) {
                    return Some(false);
                }
                next.iter().any(is_complete).then_some(true)
            };
            let (next, why) = self.choose(&state, &moves, &passes);
            seen.get_mut(&state).expect("was queued").complete = why != Some(false);
            self.found.transitions += next.len();
            for n in next {
                if !seen.contains_key(&n) {
                    seen.insert(n.clone(), new(level + 1));
                    queue.push_back(n);
                }
            }
            if seen.len() > self.limit {
                self.found.cut = true;
                break;
            }
        }
        self.found.states = seen.len();
    }

    fn depth_first(&mut self, first: Vec<u8>, proviso: Proviso) {
        struct Level {
            state: Vec<u8>,
            moves: Vec<Move>,
            /// The reduced set, as long as it is one.
            set: Option<Vec<u32>>,
            next: Vec<Vec<u8>>,
            enough: bool,
        }
        // On the stack, and whether enough is taken there.
        let mut seen: HashMap<Vec<u8>, (bool, bool)> = HashMap::new();
        let mut stack: Vec<Level> = Vec::new();
        let mut pending = Some(first);
        loop {
            if let Some(state) = pending.take() {
                seen.insert(state.clone(), (true, false));
                if seen.len() > self.limit {
                    self.found.cut = true;
                    break;
                }
                let moves = self.moves(&state);
                let sets = self.sets(&state, &moves);
                let mut level = Level { state, moves, set: None, next: Vec::new(), enough: true };
                let on_stack = |n: &Vec<u8>| seen.get(n).is_some_and(|s| s.0);
                let mut taken = false;
                for (set, free) in &sets {
                    let next = self.all(&level.state, &level.moves, set);
                    let passes = *free
                        || match proviso {
                            Proviso::Stack => !next.iter().all(on_stack),
                            Proviso::Strict => !next.is_empty() && !next.iter().any(on_stack),
                            _ => true,
                        };
                    if passes {
                        level.enough = *free || proviso != Proviso::Completion;
                        level.set = Some(set.clone());
                        level.next = next;
                        taken = true;
                        break;
                    }
                }
                if !taken {
                    let rest = match proviso {
                        Proviso::Strict => (0..level.moves.len() as u32).collect(),
                        _ => self.rest(&level.state, &level.moves, sets.first().map(|(s, _)| s.as_slice())),
                    };
                    level.next = self.all(&level.state, &level.moves, &rest);
                }
                self.found.transitions += level.next.len();
                level.next.reverse();
                if level.enough {
                    seen.get_mut(&level.state).expect("stored").1 = true;
                }
                stack.push(level);
            }
            let Some(level) = stack.last_mut() else { break };
            if let Some(n) = level.next.pop() {
                match seen.get(&n) {
                    None => pending = Some(n),
                    Some((_, enough)) => {
                        if *enough {
                            level.enough = true;
                            seen.get_mut(&level.state).expect("stored").1 = true;
                        }
                    }
                }
                continue;
            }
            if !level.enough {
                // Nothing it leads to is enough: now it must be itself.
                level.enough = true;
                let set = level.set.take().expect("only reduced sets are not enough");
                let (state, moves) = (level.state.clone(), level.moves.clone());
                seen.get_mut(&state).expect("stored").1 = true;
                let rest = self.rest(&state, &moves, Some(&set));
                let more: Vec<u32> = rest.into_iter().filter(|i| !set.contains(i)).collect();
                let mut next = self.all(&state, &moves, &more);
                self.found.transitions += next.len();
                next.reverse();
                stack.last_mut().expect("not empty").next = next;
                continue;
            }
            let done = stack.pop().expect("not empty");
            seen.get_mut(&done.state).expect("stored").0 = false;
            if let Some(below) = stack.last_mut() {
                below.enough = true;
                seen.get_mut(&below.state).expect("stored").1 = true;
            }
        }
        self.found.states = seen.len();
    }
}

/// A set of moves as words.
fn words_of(set: &[u32], count: usize) -> Vec<u64> {
    let mut words = vec![0; count.div_ceil(64)];
    set.iter().for_each(|i| words[*i as usize / 64] |= 1 << (i % 64));
    words
}

/// Sizes of the searches that were compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Without reduction.
    pub full: usize,
    /// For deadlocks only, and under each proviso of [`SAFETY`].
    pub reduced: [usize; 6],
}

/// Provisos under which failures and ends must stay.
pub const SAFETY: [Proviso; 5] = [Proviso::Level, Proviso::Queue, Proviso::Stack, Proviso::Completion, Proviso::Strict];

/// Compares reduced searches with one that takes all moves. `make` gives a reduction that keeps failures, or deadlocks
/// only. Nothing is compared where there are more states than the limit, or no reduction.
pub fn compare(
    machine: &mut dyn Machine,
    make: &mut dyn FnMut(bool) -> Option<Box<dyn Reduction>>,
    limit: usize,
) -> Result<Option<Sizes>, String> {
    compare_alike(machine, make, &|state| state.to_vec(), limit)
}

/// The same where of states in which no process can move only what `rest` leaves of them is compared.
pub fn compare_alike(
    machine: &mut dyn Machine,
    make: &mut dyn FnMut(bool) -> Option<Box<dyn Reduction>>,
    rest: &dyn Fn(&[u8]) -> Vec<u8>,
    limit: usize,
) -> Result<Option<Sizes>, String> {
    let left = |found: Found| Found { ends: found.ends.iter().map(|state| rest(state)).collect(), ..found };
    let all = left(search(machine, None, Proviso::None, limit));
    if all.cut {
        return Ok(None);
    }
    let mut sizes = Sizes { full: all.states, ..Sizes::default() };
    let told = |f: &Found| format!("{} states, {} ends, failures {:?}", f.states, f.ends.len(), f.failures);
    let Some(mut deadlocks) = make(false) else { return Ok(None) };
    let found = left(search(machine, Some(&mut *deadlocks), Proviso::None, limit));
    if found.ends != all.ends && !all.fatal {
        return Err(format!("deadlocks only: {}; all moves: {}", told(&found), told(&all)));
    }
    sizes.reduced[0] = found.states;
    for (i, proviso) in SAFETY.into_iter().enumerate() {
        let Some(mut failures) = make(true) else { return Ok(None) };
        let found = left(search(machine, Some(&mut *failures), proviso, limit));
        if !found.agrees(&all) {
            return Err(format!("{proviso:?}: {}; all moves: {}", told(&found), told(&all)));
        }
        sizes.reduced[i + 1] = found.states;
    }
    Ok(Some(sizes))
}

/// Checks offered sets by their definition: whoever takes only moves outside of a set, as long as he likes, neither
/// disables a move of the set nor changes where it leads. Looks at `count` states of a random walk, and at most at
/// `depth` steps outside.
pub fn check_sets(
    machine: &mut dyn Machine,
    reduction: &mut dyn Reduction,
    random: &mut crate::random::Random,
    count: usize,
    depth: usize,
) -> Result<usize, String> {
    let mut s =
        Search { machine, reduction: Some(reduction), found: Found::default(), offer: Offer::default(), limit: 0 };
    let mut first = Vec::new();
    if s.machine.initial(&mut first).is_err() {
        return Ok(0);
    }
    let (mut state, mut checked) = (first.clone(), 0);
    for _ in 0..count {
        let moves = s.moves(&state);
        for (set, _) in s.sets(&state, &moves) {
            checked += 1;
            let members: Vec<Move> = set.iter().map(|i| moves[*i as usize]).collect();
            s.check_set(&state, &members, depth)?;
        }
        let next = match moves.len() {
            0 => Vec::new(),
            n => s.successors(&state, &moves[random.below(n)]),
        };
        state = if next.is_empty() { first.clone() } else { next[random.below(next.len())].clone() };
    }
    Ok(checked)
}

/// Checks that what a reduction preselects for many states at once, again and again, is what a fresh one offers
/// first. Visits a number of states, and returns how many sets were compared.
pub fn check_glances(machine: &mut dyn Machine, reduction: &dyn Reduction, limit: usize) -> Result<usize, String> {
    /// States of a run, and after how many of them another reduction is asked, before it has learned anything.
    const RUN: usize = 50;
    const FEW: usize = 15;
    let mut s = Search { machine, reduction: None, found: Found::default(), offer: Offer::default(), limit: 0 };
    let mut states = vec![Vec::new()];
    if s.machine.initial(&mut states[0]).is_err() {
        return Ok(0);
    }
    let mut seen: HashSet<Vec<u8>> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < limit {
        for m in s.moves(&states[at]) {
            let next = s.successors(&states[at], &m);
            states.extend(next.into_iter().filter(|n| seen.insert(n.clone())));
        }
        at += 1;
    }
    states.retain(|state| !state.is_empty());
    states.sort_by_key(Vec::len);
    let mut offered = Vec::new();
    for some in states.chunks(FEW) {
        let mut naive = reduction.another();
        for state in some {
            naive.offer(state, &s.moves(state), &mut s.offer);
            let set = |offer: &Offer| (members(offer.words(0)).collect::<Vec<u32>>(), offer.is_free(0));
            offered.push((!s.offer.is_empty()).then(|| set(&s.offer)));
        }
    }
    let (mut sets, mut taught) = (0, reduction.another());
    for round in 0..4 {
        // What was learned first may stay: another one meets the states the other way round.
        if round == 2 {
            states.reverse();
            offered.reverse();
            taught = reduction.another();
        }
        let mut offered = offered.iter();
        for run in states.chunk_by(|a, b| a.len() == b.len()).flat_map(|alike| alike.chunks(RUN)) {
            let own: Vec<Vec<Move>> = run.iter().map(|state| s.moves(state)).collect();
            let ends: Vec<u32> = (0..run.len()).map(|i| own[..=i].iter().map(Vec::len).sum::<usize>() as u32).collect();
            let mut preselections = Vec::new();
            taught.preselect(&run.concat(), run[0].len(), &own.concat(), &ends, &mut preselections);
            if preselections.len() != run.len() {
                return Err(format!("{} preselections at {} states", preselections.len(), run.len()));
            }
            for ((state, preselected), first) in run.iter().zip(preselections).zip(&mut offered) {
                let Preselection { first: from, count, is_set, is_free, is_open } = preselected;
                if is_open {
                    continue;
                }
                let said = is_set.then(|| ((from..from + count).map(u32::from).collect::<Vec<u32>>(), is_free));
                if !is_set && preselected != Preselection::all(s.moves(state).len()) {
                    return Err(format!("{preselected:?} for all moves"));
                }
                if said != *first {
                    return Err(format!("{said:?} in advance, {first:?} offered, in {state:?}"));
                }
                sets += usize::from(said.is_some());
            }
        }
    }
    Ok(sets)
}

impl Search<'_> {
    fn check_set(&mut self, from: &[u8], members: &[Move], depth: usize) -> Result<(), String> {
        let mut seen: HashSet<Vec<u8>> = HashSet::from([from.to_vec()]);
        let mut layer = vec![from.to_vec()];
        let sorted = |mut v: Vec<Vec<u8>>| {
            v.sort();
            v.dedup();
            v
        };
        for _ in 0..depth {
            let mut next_layer = Vec::new();
            for state in &layer {
                let moves = self.moves(state);
                for u in moves.iter().filter(|m| !members.contains(m)) {
                    for next in self.successors(state, u) {
                        let there = self.moves(&next);
                        for t in members {
                            if !there.contains(t) {
                                return Err(format!("{u:?} disables {t:?} of a set of {state:?}"));
                            }
                        }
                        // All that `u` then a member gives, against a member then `u`.
                        for t in members {
                            let after = self.successors(state, t);
                            let one: Vec<_> =
                                self.successors(state, u).iter().flat_map(|n| self.successors(n, t)).collect();
                            let other: Vec<_> = after.iter().flat_map(|n| self.successors(n, u)).collect();
                            if sorted(one) != sorted(other) {
                                return Err(format!("{t:?} of a set of {state:?} does not commute with {u:?}"));
                            }
                        }
                        if seen.len() < 300 && seen.insert(next.clone()) {
                            next_layer.push(next);
                        }
                    }
                }
            }
            layer = next_layer;
        }
        Ok(())
    }
}

/// Whether there is a cycle through an accepting state among the states that a reduction leaves, under the strict
/// proviso; nothing when there are more states than the limit. What lies in `claim` is no part of the system: a set is
/// refused when the system part of a successor is on the stack (Siegel, "What's wrong with on-the-fly partial order
/// reduction", CAV 2019).
pub fn accepting_cycle<'a>(
    machine: &'a mut dyn Machine,
    reduction: Option<&'a mut dyn Reduction>,
    claim: std::ops::Range<usize>,
    weak: bool,
    limit: usize,
) -> Option<(bool, usize)> {
    let mut s = Search { machine, reduction, found: Found::default(), offer: Offer::default(), limit };
    let system = |state: &[u8]| [&state[..claim.start], &state[claim.end..]].concat();
    let mut first = Vec::new();
    s.machine.initial(&mut first).ok()?;
    let mut ids: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let mut accepting = Vec::new();
    let mut on_stack: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut stack: Vec<(usize, Vec<u8>, Vec<Vec<u8>>)> = Vec::new();
    let mut pending = Some(first);
    loop {
        if let Some(state) = pending.take() {
            let id = ids.len();
            ids.insert(state.clone(), id);
            if id > limit {
                return None;
            }
            edges.push(Vec::new());
            accepting.push(s.machine.labels(&state, Labels::ACCEPT).has(Labels::ACCEPT));
            let part = system(&state);
            *on_stack.entry(part.clone()).or_default() += 1;
            let moves = s.moves(&state);
            let mut chosen = None;
            for (set, _) in s.sets(&state, &moves) {
                let next = s.all(&state, &moves, &set);
                let closes = |n: &Vec<u8>| on_stack.contains_key(&system(n));
                if if weak { !next.iter().all(closes) } else { !next.iter().any(closes) } {
                    chosen = Some(next);
                    break;
                }
            }
            let everything: Vec<u32> = (0..moves.len() as u32).collect();
            let next = chosen.unwrap_or_else(|| s.all(&state, &moves, &everything));
            stack.push((id, part, next));
        }
        let Some((id, part, next)) = stack.last_mut() else { break };
        match next.pop() {
            Some(n) => match ids.get(&n) {
                Some(to) => edges[*id].push(*to),
                None => {
                    edges[*id].push(ids.len());
                    pending = Some(n);
                }
            },
            None => {
                let count = on_stack.get_mut(part).expect("was pushed");
                *count -= 1;
                if *count == 0 {
                    on_stack.remove(part);
                }
                stack.pop();
            }
        }
    }
    let states = ids.len();
    let cycles = (0..states).filter(|s| accepting[*s]).any(|s| comes_back(&edges, s));
    Some((cycles, states))
}

/// Whether a node can be reached from itself.
fn comes_back(edges: &[Vec<usize>], node: usize) -> bool {
    let (mut seen, mut work) = (vec![false; edges.len()], edges[node].clone());
    while let Some(n) = work.pop() {
        if n == node {
            return true;
        }
        if !std::mem::replace(&mut seen[n], true) {
            work.extend(&edges[n]);
        }
    }
    false
}
