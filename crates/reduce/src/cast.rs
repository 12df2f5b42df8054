//! Who is there, recognised at a glance.
//!
//! Most states of a search hold the same processes: what differs is where they stand. A *cast* is such a list of processes,
//! with what never changes in them. Whether the last cast still fits is seen by comparing a few bytes; where it does, a
//! state is one bit for each process, its location, among the bits of all locations of all members. What others may
//! still do is a row of such bits, so that the question whether somebody may is answered word by word.

use crate::choices::{Choices, Fresh};
use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::listed::{Bases, PROCESSES_MAX, Ranks};
use crate::matrix::{Column, Matrix, Sight};
use crate::rows::{Goal, OBSERVED, Rows};
use crate::survey::Survey;
use ferrospin_system::{Glance, Move, members};
use std::collections::HashMap;

/// More casts than this are forgotten.
const CASTS_MAX: usize = 1 << 12;
/// A row that was not asked for yet, and the one without any bit. Behind it stands one with all of them.
const UNKNOWN: u32 = 0;
const EMPTY: u32 = 1;
/// Casts that are tried first, by the length of the state.
const RECENT: usize = 16;

/// A process of a cast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its type, and the same as the upper half of a word.
    process: u32,
    kind: u64,
    /// Its number among the known processes.
    pub(crate) who: u32,
    /// Offset of its frame.
    pub(crate) frame: u32,
    /// Where its locations begin among the bits.
    bit: u32,
    /// Where its edges begin.
    edges: u32,
    /// What one of its locations counts among all ways to stand.
    weight: u64,
}

/// Eight bytes of a state, of which some never change.
#[derive(Clone, Copy, Debug)]
struct Window {
    at: u32,
    mask: u64,
    value: u64,
}

impl Member {
    /// Where it stands, among the locations of its type; more than half a word where somebody else stands there.
    #[inline(always)]
    fn place<const SIZE: u32>(&self, spots: &[u64], state: &[u8]) -> u64 {
        let location = location(state, self.frame as usize, SIZE) as usize;
        spots.get(location).copied().unwrap_or(u64::MAX) ^ self.kind
    }

    /// Sees where it stands in the states of a run.
    #[inline(always)]
    fn stand<const SIZE: u32>(&self, spots: &[u64], states: &[u8], len: usize, out: &mut Survey) {
        let standings = out.standings.iter_mut().zip(&mut out.strange);
        for (state, (standing, strange)) in states.chunks_exact(len).zip(standings) {
            let place = self.place::<SIZE>(spots, state);
            *strange |= place >> 32;
            *standing = standing.wrapping_add(place.wrapping_mul(self.weight));
        }
    }
}

impl Window {
    #[inline(always)]
    fn piece(&self, state: &[u8]) -> u64 {
        u64::from_le_bytes(*state[self.at as usize..].first_chunk().expect("eight bytes"))
    }
}

/// See the module.
#[derive(Default)]
struct Cast {
    /// Bytes of a state.
    len: usize,
    members: Vec<Member>,
    /// What never changes, in pieces of eight bytes, and where a state is too short for that one by one.
    windows: Vec<Window>,
    bytes: Vec<(u32, u8)>,
    /// Words of a row.
    width: usize,
    /// What everybody standing at his first location counts: ways to stand are numbered through all casts.
    first: u64,
    /// All bits where there are too many ways to stand for a number, else none.
    blur: u64,
    /// By edge of each member, where the row begins of those for whose sake it cannot be taken alone.
    conflicts: Vec<u32>,
    /// By goal, where its row begins.
    rows: Vec<u32>,
    /// By member, where the row of what must not be postponed begins.
    observed: Vec<u32>,
    /// Rows. The first word belongs to none.
    words: Vec<u64>,
    /// Where the digits of each member begin, if there are enough.
    bases: Option<Bases>,
    /// Where many states have this cast: who is alone, at a glance.
    matrix: Option<Matrix>,
    uses: u32,
}

impl Cast {
    /// Takes note of bytes that never change.
    fn freeze(&mut self, state: &[u8], range: std::ops::Range<usize>) {
        for at in range {
            if state.len() < 8 {
                self.bytes.push((at as u32, state[at]));
                continue;
            }
            let start = (at / 8 * 8).min(state.len() - 8);
            if self.windows.last().is_none_or(|w| w.at != start as u32) {
                self.windows.push(Window { at: start as u32, mask: 0, value: 0 });
            }
            let window = self.windows.last_mut().expect("just made");
            window.mask |= 0xff << (8 * (at - start));
            window.value |= u64::from(state[at]) << (8 * (at - start));
        }
    }

    /// Whether the bytes that never change are those of a state of the right length.
    #[inline]
    fn is_frozen_alike(&self, state: &[u8]) -> bool {
        let same = |w: &Window| w.piece(state) & w.mask == w.value;
        self.windows.iter().all(same) && self.bytes.iter().all(|(at, b)| state[*at as usize] == *b)
    }

    /// Whether a row has a bit of `presence`.
    #[inline]
    fn overlaps(&self, row: u32, presence: &[u64]) -> bool {
        if self.width == 1 {
            return self.words[row as usize] & presence[0] != 0;
        }
        let words = &self.words[row as usize..row as usize + self.width];
        presence.iter().zip(words).fold(0, |all, (a, b)| all | a & b) != 0
    }
}

/// A cast that many states have.
#[derive(Clone, Copy)]
pub(crate) struct Likely<'a> {
    cast: &'a Cast,
    pub(crate) matrix: &'a Matrix,
    pub(crate) choices: &'a Choices,
    spots: &'a [u64],
    size: u32,
}

impl Likely<'_> {
    /// Where the digits of each process begin, if there are enough.
    pub(crate) fn bases(&self) -> Option<&Bases> {
        self.cast.bases.as_ref()
    }

    /// Sees where everybody stands in the states of a run, as far as they have this cast.
    pub(crate) fn stand(&self, states: &[u8], out: &mut Survey) {
        let len = self.cast.len;
        out.begin(states.len() / len, self.cast.first);
        for m in &self.cast.members {
            match self.size {
                1 => m.stand::<1>(self.spots, states, len, out),
                2 => m.stand::<2>(self.spots, states, len, out),
                _ => m.stand::<4>(self.spots, states, len, out),
            }
        }
        if self.cast.blur != 0 {
            out.standings.fill(self.cast.blur);
        }
        for w in &self.cast.windows {
            for (state, strange) in states.chunks_exact(len).zip(&mut out.strange) {
                *strange |= w.piece(state) & w.mask ^ w.value;
            }
        }
        for (at, byte) in &self.cast.bytes {
            for (state, strange) in states.chunks_exact(len).zip(&mut out.strange) {
                *strange |= u64::from(state[*at as usize] ^ byte);
            }
        }
    }

    /// Sees who is alone in a state, if it has this cast and all of its positions are known.
    #[inline(always)]
    pub(crate) fn look(&self, state: &[u8]) -> Option<Sight> {
        let (mut positions, mut strange) = ([0; PROCESSES_MAX], 0);
        let own = positions.get_mut(..self.cast.members.len())?;
        for (m, to) in self.cast.members.iter().zip(&mut *own) {
            let place = match self.size {
                1 => m.place::<1>(self.spots, state),
                2 => m.place::<2>(self.spots, state),
                _ => m.place::<4>(self.spots, state),
            };
            strange |= place >> 32;
            *to = m.bit.wrapping_add(place as u32);
        }
        if strange != 0 || !self.cast.is_frozen_alike(state) {
            return None;
        }
        self.matrix.look(own).ok()
    }
}

/// The state that is looked at, and all casts that were met.
pub(crate) struct Stage {
    casts: Vec<Cast>,
    by_key: HashMap<Vec<u8>, u32>,
    recent: [u32; RECENT],
    current: usize,
    /// Number of the first cast: those that were forgotten had others.
    first: u64,
    /// A bit for each process, unless they were not set yet.
    presence: Vec<u64>,
    is_marked: bool,
    /// By location, its process type, in the upper half, and its position there.
    spots: Vec<u64>,
    pub(crate) ranks: Ranks,
    key: Vec<u8>,
    /// By process, the bit of its location; and all locations as one number, if there is one that is large enough.
    positions: Vec<u32>,
    standing: u64,
    /// How many ways to stand all casts had so far, and what was chosen there.
    ways: u64,
    choices: Choices,
}

impl Stage {
    pub(crate) fn new(layout: &Layout) -> Self {
        Stage {
            casts: vec![Cast::default()],
            by_key: HashMap::new(),
            recent: [0; RECENT],
            current: 0,
            first: 0,
            presence: Vec::new(),
            is_marked: false,
            spots: layout.locations.iter().map(|l| u64::from(l.process) << 32 | u64::from(l.place)).collect(),
            ranks: Ranks::new(layout),
            key: Vec::new(),
            positions: Vec::new(),
            standing: 0,
            ways: 0,
            choices: Choices::new(),
        }
    }

    /// The processes.
    #[inline]
    pub(crate) fn members(&self) -> &[Member] {
        &self.casts[self.current].members
    }

    /// The number of the cast, and a bit for each process: together they say who stands where.
    #[inline]
    pub(crate) fn placed(&mut self) -> (u64, &[u64]) {
        if !self.is_marked {
            self.mark();
        }
        (self.first + self.current as u64, &self.presence)
    }

    /// Looks at a state.
    #[inline]
    pub(crate) fn read<F: Facts>(&mut self, layout: &Layout, rows: &mut Rows<F>, state: &[u8]) {
        match layout.location_size {
            1 => self.read_by::<1, F>(layout, rows, state),
            2 => self.read_by::<2, F>(layout, rows, state),
            _ => self.read_by::<4, F>(layout, rows, state),
        }
    }

    /// The same, where a location number has so many bytes.
    #[inline(always)]
    fn read_by<const SIZE: u32, F: Facts>(&mut self, layout: &Layout, rows: &mut Rows<F>, state: &[u8]) {
        let likely = self.recent[state.len() % RECENT] as usize;
        if self.fits::<SIZE>(likely, state) {
            self.current = likely;
        } else {
            self.search(layout, rows, state);
        }
        if self.members().len() as u32 > layout.crowd_max {
            rows.facts().crowded();
        }
    }

    /// Whether a state has this cast; notes where everybody stands.
    #[inline(always)]
    fn fits<const SIZE: u32>(&mut self, number: usize, state: &[u8]) -> bool {
        let cast = &self.casts[number];
        if cast.len != state.len() {
            return false;
        }
        if self.positions.len() != cast.members.len() {
            self.positions.resize(cast.members.len(), 0);
        }
        let spots = &self.spots[..];
        let mut standing = cast.first;
        for (m, to) in cast.members.iter().zip(&mut self.positions) {
            let place = m.place::<SIZE>(spots, state);
            if place >> 32 != 0 {
                return false;
            }
            *to = m.bit + place as u32;
            standing = standing.wrapping_add(place.wrapping_mul(m.weight));
        }
        self.standing = standing | cast.blur;
        self.is_marked = false;
        cast.is_frozen_alike(state)
    }

    /// The cast that states of this length are likely to have, if there is a matrix for it.
    pub(crate) fn likely(&self, layout: &Layout, len: usize) -> Option<Likely<'_>> {
        let cast = &self.casts[self.recent[len % RECENT] as usize];
        let fits = cast.len == len && cast.members.len() as u32 <= layout.crowd_max;
        let matrix = cast.matrix.as_ref().filter(|_| fits)?;
        Some(Likely { cast, matrix, choices: &self.choices, spots: &self.spots, size: layout.location_size })
    }

    /// Remembers what was chosen in the state, which was no matter of values.
    pub(crate) fn note_choice(&mut self, moves: &[Move], glance: Glance) {
        let cast = &self.casts[self.current];
        if let (Some(matrix), Some(bases)) = (&cast.matrix, &cast.bases)
            && !matrix.forgets
            && let Some(listed) = self.ranks.list(bases, moves)
        {
            self.choices.note((self.standing, listed, glance));
        }
    }

    /// Remembers some choices, in states of this length; of so many states so many were not remembered.
    pub(crate) fn note_choices(&mut self, len: usize, looks: usize, missed: usize, fresh: &[Fresh]) {
        if let Some(matrix) = &mut self.casts[self.recent[len % RECENT] as usize].matrix {
            fresh.iter().for_each(|choice| self.choices.note(*choice));
            matrix.note_misses(looks, missed);
        }
    }

    /// Forgets what was chosen.
    pub(crate) fn forget_choices(&mut self) {
        self.choices.clear();
    }

    /// Sets the bits of the locations where processes stand.
    fn mark(&mut self) {
        self.is_marked = true;
        self.presence.clear();
        self.presence.resize(self.casts[self.current].width, 0);
        for bit in &self.positions {
            self.presence[*bit as usize / 64] |= 1 << (bit % 64);
        }
    }

    /// Finds the cast of a state, or makes it.
    #[cold]
    fn search<F: Facts>(&mut self, layout: &Layout, rows: &mut Rows<F>, state: &[u8]) {
        let mut cast = Cast { len: state.len(), ..Cast::default() };
        self.key.clear();
        let (mut at, mut bit, mut edges) = (layout.fixed_size as usize, 0, 0);
        let mut ways = Some(1u64);
        while at < state.len() {
            let process = layout.locations[location(state, at, layout.location_size) as usize].process;
            let shape = &layout.processes[process as usize];
            self.key.extend(process.to_le_bytes());
            for &(start, end) in &shape.frozen {
                let range = at + start as usize..at + end as usize;
                cast.freeze(state, range.clone());
                self.key.extend_from_slice(&state[range]);
            }
            let weight = ways.unwrap_or(0);
            let kind = u64::from(process) << 32;
            cast.members.push(Member { process, kind, who: 0, frame: at as u32, bit, edges, weight });
            ways = ways.and_then(|ways| ways.checked_mul(u64::from(shape.locations)));
            bit += shape.locations;
            edges += shape.edges.len() as u32;
            at += shape.frame_size as usize;
        }
        let number = match self.by_key.get(&self.key) {
            Some(number) => *number,
            None => {
                if self.casts.len() >= CASTS_MAX {
                    self.casts.truncate(1);
                    self.by_key.clear();
                    self.recent = [0; RECENT];
                    self.first += CASTS_MAX as u64;
                }
                // A range without an end would step beyond the last of 255 processes.
                for (pid, m) in (0..=u8::MAX).zip(&mut cast.members) {
                    let size = layout.processes[m.process as usize].frame_size;
                    m.who = rows.find(m.process, pid, &state[m.frame as usize..(m.frame + size) as usize]);
                }
                cast.width = (bit as usize).div_ceil(64);
                let next = ways.and_then(|ways| self.ways.checked_add(ways));
                (cast.first, cast.blur) = (self.ways, if next.is_some() { 0 } else { u64::MAX });
                self.ways = next.unwrap_or(self.ways);
                cast.bases = self.ranks.bases(cast.members.iter().map(|m| m.process));
                cast.observed = vec![UNKNOWN; cast.members.len()];
                cast.conflicts = vec![UNKNOWN; edges as usize];
                cast.words = vec![0; EMPTY as usize + cast.width];
                cast.words.resize(EMPTY as usize + 2 * cast.width, u64::MAX);
                self.casts.push(cast);
                let number = self.casts.len() as u32 - 1;
                self.by_key.insert(self.key.clone(), number);
                number
            }
        };
        self.recent[state.len() % RECENT] = number;
        self.current = number as usize;
        let fits = match layout.location_size {
            1 => self.fits::<1>(self.current, state),
            2 => self.fits::<2>(self.current, state),
            _ => self.fits::<4>(self.current, state),
        };
        assert!(fits, "a cast is found by what it is");
    }

    /// Sees who is alone in the state, as far as that is seen at a glance; nothing where the cast is too rare for that.
    #[inline(always)]
    pub(crate) fn look<F: Facts>(
        &mut self,
        layout: &Layout,
        rows: &mut Rows<F>,
        state: &[u8],
        unseen: bool,
    ) -> Option<Sight> {
        loop {
            let Some(matrix) = &mut self.casts[self.current].matrix else {
                if !self.make_matrix(rows) {
                    return None;
                }
                continue;
            };
            match matrix.look(&self.positions) {
                Ok(sight) => return Some(sight),
                Err(unknown) => self.fill(layout, rows, state, unknown, unseen),
            }
        }
    }

    #[cold]
    fn make_matrix<F: Facts>(&mut self, rows: &mut Rows<F>) -> bool {
        let cast = &mut self.casts[self.current];
        cast.uses = cast.uses.saturating_add(1);
        if !Matrix::is_worth(cast.width, cast.members.len(), cast.uses) {
            return false;
        }
        let facts = rows.facts().clone();
        let layout = facts.layout();
        let mut positions = Vec::new();
        for (process, m) in cast.members.iter().enumerate() {
            let place = rows.places(OBSERVED, m.who);
            for (number, l) in (0..).zip(&layout.locations).filter(|(_, l)| l.process == m.process) {
                let (word, bit) = (l.place as usize / 64, l.place % 64);
                let observed = place.is_some_and(|p| rows.place_words[p + word] >> bit & 1 == 1);
                positions.push((process, observed, rows.is_private(layout, m.who, number)));
            }
        }
        cast.matrix = Some(Matrix::new(cast.width, positions.into_iter()));
        true
    }

    /// Fills the column of a position of the state.
    #[cold]
    fn fill<F: Facts>(&mut self, layout: &Layout, rows: &mut Rows<F>, state: &[u8], position: u32, unseen: bool) {
        let process = self.positions.iter().position(|p| *p == position).expect("somebody stands there");
        let who = self.members()[process].who as usize;
        let width = self.casts[self.current].width;
        let own = |row: &mut Vec<u64>| row[position as usize / 64] |= 1 << (position % 64);
        let mut column = Column { perhaps: vec![0; width], surely: vec![u64::MAX; width] };
        let mut some_can = false;
        for place in members(&layout.locations[self.location(layout, state, process)].leaving) {
            let edge = &rows.known[who].edges[place as usize];
            let mut goals: Vec<Goal> = edge.conjuncts.iter().map(|(_, goal)| *goal).collect();
            match edge.kind {
                // It is not executable, and stays so as long as something can be done.
                EdgeKind::Timeout => continue,
                EdgeKind::Unknown | EdgeKind::Either => own(&mut column.perhaps),
                EdgeKind::Rendezvous => goals = vec![edge.partners],
                EdgeKind::Plain => {
                    if unseen && edge.visible || edge.conjuncts.iter().any(|(test, _)| *test == Test::Youngest) {
                        own(&mut column.perhaps);
                    }
                    goals.push(edge.conflicts);
                    if !(unseen && edge.visible) {
                        some_can = true;
                        let row = self.row(rows, edge_conflicts(rows, who, place), process);
                        column.surely.iter_mut().zip(row).for_each(|(to, from)| *to &= from);
                    }
                }
            }
            for goal in goals {
                let row = self.row(rows, goal, process);
                column.perhaps.iter_mut().zip(row).for_each(|(to, from)| *to |= from);
            }
        }
        if !some_can {
            // Whatever it can do is no step of one process that nobody sees.
            column.surely.fill(0);
            own(&mut column.surely);
            own(&mut column.perhaps);
        }
        self.casts[self.current].matrix.as_mut().expect("there is one").fill(position, &column);
    }

    /// The row of a goal that belongs to a process.
    fn row<F: Facts>(&mut self, rows: &mut Rows<F>, goal: Goal, but: usize) -> &[u64] {
        let row = self.ask(rows, goal, but) as usize;
        let cast = &self.casts[self.current];
        &cast.words[row..row + cast.width]
    }

    /// The location of a process of the state.
    #[inline]
    pub(crate) fn location(&self, layout: &Layout, state: &[u8], process: usize) -> usize {
        location(state, self.members()[process].frame as usize, layout.location_size) as usize
    }

    /// Whether one of these moves, which are those of one process, cannot be taken alone: because of what somebody may
    /// still do, or because it never can. Nothing when that must be asked first, for the move with this index.
    #[inline]
    pub(crate) fn disturbs(&mut self, layout: &Layout, own: &[Move]) -> Result<bool, usize> {
        if !self.is_marked {
            self.mark();
        }
        let cast = &self.casts[self.current];
        let edges = cast.members[usize::from(own[0].process)].edges;
        let mut answer = false;
        for (i, m) in own.iter().enumerate() {
            match cast.conflicts[(edges + layout.places[m.edge as usize]) as usize] {
                UNKNOWN => return Err(i),
                row => answer |= cast.overlaps(row, &self.presence),
            }
        }
        Ok(answer)
    }

    /// Finds out who may disturb an edge of a process, given by its place; always, if it is `barred`.
    #[cold]
    pub(crate) fn ask_conflicts<F: Facts>(&mut self, rows: &mut Rows<F>, process: usize, place: u32, barred: bool) {
        let m = self.members()[process];
        let goal = rows.known[m.who as usize].edges[place as usize].conflicts;
        let row = if barred { EMPTY + self.casts[self.current].width as u32 } else { self.ask(rows, goal, process) };
        self.casts[self.current].conflicts[(m.edges + place) as usize] = row;
    }

    /// Whether a process other than `but` may still do something of a goal, which belongs to `but`.
    #[inline]
    pub(crate) fn meets<F: Facts>(&mut self, rows: &mut Rows<F>, goal: Goal, but: usize) -> bool {
        let row = self.casts[self.current].rows.get(goal as usize).copied().unwrap_or(UNKNOWN);
        let row = if row == UNKNOWN { self.ask(rows, goal, but) } else { row };
        if !self.is_marked {
            self.mark();
        }
        self.casts[self.current].overlaps(row, &self.presence)
    }

    /// Whether a process other than `but` may still do something that must not be postponed.
    #[inline]
    pub(crate) fn meets_observed<F: Facts>(&mut self, rows: &mut Rows<F>, but: usize) -> bool {
        let row = self.casts[self.current].observed[but];
        let row = if row == UNKNOWN { self.ask(rows, OBSERVED, but) } else { row };
        if !self.is_marked {
            self.mark();
        }
        self.casts[self.current].overlaps(row, &self.presence)
    }

    #[cold]
    fn ask<F: Facts>(&mut self, rows: &mut Rows<F>, goal: Goal, but: usize) -> u32 {
        let cast = &mut self.casts[self.current];
        if goal != OBSERVED && cast.rows.get(goal as usize).is_some_and(|row| *row != UNKNOWN) {
            return cast.rows[goal as usize];
        }
        let start = cast.words.len();
        cast.words.resize(start + cast.width, 0);
        for (_, m) in cast.members.iter().enumerate().filter(|(p, _)| *p != but) {
            let Some(place) = rows.places(goal, m.who) else { continue };
            for l in 0..rows.facts().layout().processes[m.process as usize].locations {
                if rows.place_words[place + l as usize / 64] >> (l % 64) & 1 == 1 {
                    let bit = m.bit + l;
                    cast.words[start + bit as usize / 64] |= 1 << (bit % 64);
                }
            }
        }
        let row = if cast.words[start..].iter().all(|w| *w == 0) { EMPTY } else { start as u32 };
        if row == EMPTY {
            cast.words.truncate(start);
        }
        if goal == OBSERVED {
            cast.observed[but] = row;
        } else {
            cast.rows.resize(cast.rows.len().max(goal as usize + 1), UNKNOWN);
            cast.rows[goal as usize] = row;
        }
        row
    }
}

fn edge_conflicts<F: Facts>(rows: &Rows<F>, who: usize, place: u32) -> Goal {
    rows.known[who].edges[place as usize].conflicts
}

/// Reads a location number.
#[inline]
fn location(state: &[u8], at: usize, size: u32) -> u32 {
    match size {
        1 => u32::from(state[at]),
        2 => u32::from(u16::from_le_bytes([state[at], state[at + 1]])),
        _ => u32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]),
    }
}
