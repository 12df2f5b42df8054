//! Process configurations: the processes of a state, recognised by comparing a few bytes.
//!
//! Most states of a search hold the same processes and differ in where these stand. A *configuration* is such a list of
//! processes, with the bytes that never change in them. If the last configuration still fits, the placement of a state is one
//! bit for each process, its location, among the bits of all locations of all members. What the others may still do is a row
//! of such bits, so that whether some process may do it is answered word by word.

use crate::fact_rows::{FactRows, Goal, OBSERVED};
use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::fast::batch::BatchSelection;
use crate::fast::enabled_key::{Bases, EdgeRanks, PROCESSES_MAX};
use crate::fast::interference::{CandidateMask, Column, InterferenceMatrix};
use crate::fast::selection_cache::{Selection, SelectionCache};
use ferrospin_system::{Move, Preselection, members};
use std::collections::HashMap;

/// Above this number all configurations are dropped.
const CONFIGURATIONS_MAX: usize = 1 << 12;
/// A row that was not computed yet, and the one without any bit. Behind it stands one with all bits.
const UNKNOWN: u32 = 0;
const EMPTY: u32 = 1;
/// Entries of the table of configurations that are tried first, by the length of the state.
const LIKELY: usize = 16;

/// A process of a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its type, and the same as the upper half of a word.
    process: u32,
    kind: u64,
    /// Its number among the process instances.
    pub(crate) instance: u32,
    /// Offset of its frame.
    pub(crate) frame: u32,
    /// Where its locations begin among the bits.
    bit: u32,
    /// Where its edges begin.
    edges: u32,
    /// The weight of one of its locations in the placement number.
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
    /// Where it stands, among the locations of its type; more than half a word where another process type stands there.
    #[inline(always)]
    fn place<const SIZE: u32>(&self, places: &[u64], state: &[u8]) -> u64 {
        let location = location(state, self.frame as usize, SIZE) as usize;
        places.get(location).copied().unwrap_or(u64::MAX) ^ self.kind
    }

    /// Adds its location to the placements of a run.
    #[inline(always)]
    fn stand<const SIZE: u32>(&self, places: &[u64], states: &[u8], len: usize, out: &mut BatchSelection) {
        let placements = out.placements.iter_mut().zip(&mut out.mismatch);
        for (state, (placement, mismatch)) in states.chunks_exact(len).zip(placements) {
            let place = self.place::<SIZE>(places, state);
            *mismatch |= place >> 32;
            *placement = placement.wrapping_add(place.wrapping_mul(self.weight));
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
struct Configuration {
    /// Bytes of a state.
    len: usize,
    members: Vec<Member>,
    /// What never changes, in pieces of eight bytes, and where a state is too short for that one by one.
    windows: Vec<Window>,
    bytes: Vec<(u32, u8)>,
    /// Words of a row.
    width: usize,
    /// The placement number of all processes at their first location; numbers are unique among all configurations.
    first: u64,
    /// All bits where there are too many placements for a number, else none.
    no_placement: u64,
    /// By edge of each member, where the row begins of the positions that interfere with it.
    conflicts: Vec<u32>,
    /// By goal, where its row begins.
    rows: Vec<u32>,
    /// By member, where the row of what must not be postponed begins.
    observed: Vec<u32>,
    /// Rows. The first word belongs to none.
    words: Vec<u64>,
    /// Where the digits of each member begin, if there are enough.
    bases: Option<Bases>,
    /// The interference matrix, if many states have this configuration.
    matrix: Option<InterferenceMatrix>,
    uses: u32,
}

impl Configuration {
    /// Adds bytes that never change.
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

/// A configuration of many states, with what is needed to select for them.
#[derive(Clone, Copy)]
pub(crate) struct LikelyConfiguration<'a> {
    configuration: &'a Configuration,
    pub(crate) matrix: &'a InterferenceMatrix,
    pub(crate) selections: &'a SelectionCache,
    places: &'a [u64],
    size: u32,
}

impl LikelyConfiguration<'_> {
    /// Where the digits of each process begin, if there are enough.
    pub(crate) fn bases(&self) -> Option<&Bases> {
        self.configuration.bases.as_ref()
    }

    /// Computes the placements of the states of a run, as far as they have this configuration.
    pub(crate) fn stand(&self, states: &[u8], out: &mut BatchSelection) {
        let len = self.configuration.len;
        out.begin(states.len() / len, self.configuration.first);
        for m in &self.configuration.members {
            match self.size {
                1 => m.stand::<1>(self.places, states, len, out),
                2 => m.stand::<2>(self.places, states, len, out),
                _ => m.stand::<4>(self.places, states, len, out),
            }
        }
        if self.configuration.no_placement != 0 {
            out.placements.fill(self.configuration.no_placement);
        }
        for w in &self.configuration.windows {
            for (state, mismatch) in states.chunks_exact(len).zip(&mut out.mismatch) {
                *mismatch |= w.piece(state) & w.mask ^ w.value;
            }
        }
        for (at, byte) in &self.configuration.bytes {
            for (state, mismatch) in states.chunks_exact(len).zip(&mut out.mismatch) {
                *mismatch |= u64::from(state[*at as usize] ^ byte);
            }
        }
    }

    /// The candidates of a state, if it has this configuration and the columns of its positions are filled.
    #[inline(always)]
    pub(crate) fn look(&self, state: &[u8]) -> Option<CandidateMask> {
        let (mut positions, mut mismatch) = ([0; PROCESSES_MAX], 0);
        let own = positions.get_mut(..self.configuration.members.len())?;
        for (m, to) in self.configuration.members.iter().zip(&mut *own) {
            let place = match self.size {
                1 => m.place::<1>(self.places, state),
                2 => m.place::<2>(self.places, state),
                _ => m.place::<4>(self.places, state),
            };
            mismatch |= place >> 32;
            *to = m.bit.wrapping_add(place as u32);
        }
        if mismatch != 0 || !self.configuration.is_frozen_alike(state) {
            return None;
        }
        self.matrix.look(own).ok()
    }
}

/// The state that was read last, and all configurations so far.
pub(crate) struct Configurations {
    configurations: Vec<Configuration>,
    by_key: HashMap<Vec<u8>, u32>,
    likely: [u32; LIKELY],
    current: usize,
    /// Number of the first configuration: dropped ones had lower numbers.
    first: u64,
    /// A bit for each process, unless they were not set yet.
    presence: Vec<u64>,
    is_marked: bool,
    /// By location, its process type, in the upper half, and its position there.
    places: Vec<u64>,
    pub(crate) ranks: EdgeRanks,
    key: Vec<u8>,
    /// By process, the bit of its location; and all locations as one number, if there is one that is large enough.
    positions: Vec<u32>,
    placement: u64,
    /// Number of placements of all configurations so far, and the selections there.
    ways: u64,
    selections: SelectionCache,
}

impl Configurations {
    pub(crate) fn new(layout: &Layout) -> Self {
        Configurations {
            configurations: vec![Configuration::default()],
            by_key: HashMap::new(),
            likely: [0; LIKELY],
            current: 0,
            first: 0,
            presence: Vec::new(),
            is_marked: false,
            places: layout.locations.iter().map(|l| u64::from(l.process) << 32 | u64::from(l.place)).collect(),
            ranks: EdgeRanks::new(layout),
            key: Vec::new(),
            positions: Vec::new(),
            placement: 0,
            ways: 0,
            selections: SelectionCache::new(),
        }
    }

    /// The processes.
    #[inline]
    pub(crate) fn members(&self) -> &[Member] {
        &self.configurations[self.current].members
    }

    /// The number of the configuration, and a bit for each process: together they are the placement.
    #[inline]
    pub(crate) fn placement_key(&mut self) -> (u64, &[u64]) {
        if !self.is_marked {
            self.mark();
        }
        (self.first + self.current as u64, &self.presence)
    }

    /// Reads a state.
    #[inline]
    pub(crate) fn read<F: Facts>(&mut self, layout: &Layout, rows: &mut FactRows<F>, state: &[u8]) {
        match layout.location_size {
            1 => self.read_by::<1, F>(layout, rows, state),
            2 => self.read_by::<2, F>(layout, rows, state),
            _ => self.read_by::<4, F>(layout, rows, state),
        }
    }

    /// The same, where a location number has `SIZE` bytes.
    #[inline(always)]
    fn read_by<const SIZE: u32, F: Facts>(&mut self, layout: &Layout, rows: &mut FactRows<F>, state: &[u8]) {
        let likely = self.likely[state.len() % LIKELY] as usize;
        if self.fits::<SIZE>(likely, state) {
            self.current = likely;
        } else {
            self.search(layout, rows, state);
        }
        if self.members().len() as u32 > layout.crowd_max {
            rows.facts().crowded();
        }
    }

    /// Whether a state has this configuration; computes its placement.
    #[inline(always)]
    fn fits<const SIZE: u32>(&mut self, number: usize, state: &[u8]) -> bool {
        let configuration = &self.configurations[number];
        if configuration.len != state.len() {
            return false;
        }
        if self.positions.len() != configuration.members.len() {
            self.positions.resize(configuration.members.len(), 0);
        }
        let places = &self.places[..];
        let mut placement = configuration.first;
        for (m, to) in configuration.members.iter().zip(&mut self.positions) {
            let place = m.place::<SIZE>(places, state);
            if place >> 32 != 0 {
                return false;
            }
            *to = m.bit + place as u32;
            placement = placement.wrapping_add(place.wrapping_mul(m.weight));
        }
        self.placement = placement | configuration.no_placement;
        self.is_marked = false;
        configuration.is_frozen_alike(state)
    }

    /// The configuration that states of this length are likely to have, if there is a matrix for it.
    pub(crate) fn likely(&self, layout: &Layout, len: usize) -> Option<LikelyConfiguration<'_>> {
        let configuration = &self.configurations[self.likely[len % LIKELY] as usize];
        let fits = configuration.len == len && configuration.members.len() as u32 <= layout.crowd_max;
        let matrix = configuration.matrix.as_ref().filter(|_| fits)?;
        Some(LikelyConfiguration {
            configuration,
            matrix,
            selections: &self.selections,
            places: &self.places,
            size: layout.location_size,
        })
    }

    /// Caches a selection that did not depend on values.
    pub(crate) fn note_selection(&mut self, moves: &[Move], selected: Preselection) {
        let configuration = &self.configurations[self.current];
        if let (Some(matrix), Some(bases)) = (&configuration.matrix, &configuration.bases)
            && !matrix.bypassed
            && let Some(listed) = self.ranks.list(bases, moves)
        {
            self.selections.note((self.placement, listed, selected));
        }
    }

    /// Caches selections for states of this length; `missed` of `looks` lookups had no entry.
    pub(crate) fn note_selections(&mut self, len: usize, looks: usize, missed: usize, new_selections: &[Selection]) {
        if let Some(matrix) = &mut self.configurations[self.likely[len % LIKELY] as usize].matrix {
            new_selections.iter().for_each(|selection| self.selections.note(*selection));
            matrix.note_misses(looks, missed);
        }
    }

    /// Drops all selections.
    pub(crate) fn clear_selections(&mut self) {
        self.selections.clear();
    }

    /// Sets the bits of the locations where processes stand.
    fn mark(&mut self) {
        self.is_marked = true;
        self.presence.clear();
        self.presence.resize(self.configurations[self.current].width, 0);
        for bit in &self.positions {
            self.presence[*bit as usize / 64] |= 1 << (bit % 64);
        }
    }

    /// Finds the configuration of a state, or makes it.
    #[cold]
    fn search<F: Facts>(&mut self, layout: &Layout, rows: &mut FactRows<F>, state: &[u8]) {
        let mut configuration = Configuration { len: state.len(), ..Configuration::default() };
        self.key.clear();
        let (mut at, mut bit, mut edges) = (layout.fixed_size as usize, 0, 0);
        let mut ways = Some(1u64);
        while at < state.len() {
            let process = layout.locations[location(state, at, layout.location_size) as usize].process;
            let shape = &layout.processes[process as usize];
            self.key.extend(process.to_le_bytes());
            for &(start, end) in &shape.frozen {
                let range = at + start as usize..at + end as usize;
                configuration.freeze(state, range.clone());
                self.key.extend_from_slice(&state[range]);
            }
            let weight = ways.unwrap_or(0);
            let kind = u64::from(process) << 32;
            configuration.members.push(Member { process, kind, instance: 0, frame: at as u32, bit, edges, weight });
            ways = ways.and_then(|ways| ways.checked_mul(u64::from(shape.locations)));
            bit += shape.locations;
            edges += shape.edges.len() as u32;
            at += shape.frame_size as usize;
        }
        let number = match self.by_key.get(&self.key) {
            Some(number) => *number,
            None => {
                if self.configurations.len() >= CONFIGURATIONS_MAX {
                    self.configurations.truncate(1);
                    self.by_key.clear();
                    self.likely = [0; LIKELY];
                    self.first += CONFIGURATIONS_MAX as u64;
                }
                // A range without an end would step beyond the last of 255 processes.
                for (pid, m) in (0..=u8::MAX).zip(&mut configuration.members) {
                    let size = layout.processes[m.process as usize].frame_size;
                    m.instance = rows.find(m.process, pid, &state[m.frame as usize..(m.frame + size) as usize]);
                }
                configuration.width = (bit as usize).div_ceil(64);
                let next = ways.and_then(|ways| self.ways.checked_add(ways));
                (configuration.first, configuration.no_placement) =
                    (self.ways, if next.is_some() { 0 } else { u64::MAX });
                self.ways = next.unwrap_or(self.ways);
                configuration.bases = self.ranks.bases(configuration.members.iter().map(|m| m.process));
                configuration.observed = vec![UNKNOWN; configuration.members.len()];
                configuration.conflicts = vec![UNKNOWN; edges as usize];
                configuration.words = vec![0; EMPTY as usize + configuration.width];
                configuration.words.resize(EMPTY as usize + 2 * configuration.width, u64::MAX);
                self.configurations.push(configuration);
                let number = self.configurations.len() as u32 - 1;
                self.by_key.insert(self.key.clone(), number);
                number
            }
        };
        self.likely[state.len() % LIKELY] = number;
        self.current = number as usize;
        let fits = match layout.location_size {
            1 => self.fits::<1>(self.current, state),
            2 => self.fits::<2>(self.current, state),
            _ => self.fits::<4>(self.current, state),
        };
        assert!(fits, "a configuration is found by what it is");
    }

    /// The candidates of the state by the interference matrix; `None` where the configuration is too rare for one.
    #[inline(always)]
    pub(crate) fn look<F: Facts>(
        &mut self,
        layout: &Layout,
        rows: &mut FactRows<F>,
        state: &[u8],
        unseen: bool,
    ) -> Option<CandidateMask> {
        loop {
            let Some(matrix) = &mut self.configurations[self.current].matrix else {
                if !self.make_matrix(rows) {
                    return None;
                }
                continue;
            };
            match matrix.look(&self.positions) {
                Ok(mask) => return Some(mask),
                Err(unknown) => self.fill(layout, rows, state, unknown, unseen),
            }
        }
    }

    #[cold]
    fn make_matrix<F: Facts>(&mut self, rows: &mut FactRows<F>) -> bool {
        let configuration = &mut self.configurations[self.current];
        configuration.uses = configuration.uses.saturating_add(1);
        if !InterferenceMatrix::is_worth(configuration.width, configuration.members.len(), configuration.uses) {
            return false;
        }
        let facts = rows.facts().clone();
        let layout = facts.layout();
        let mut positions = Vec::new();
        for (process, m) in configuration.members.iter().enumerate() {
            let place = rows.places(OBSERVED, m.instance);
            for (number, l) in (0..).zip(&layout.locations).filter(|(_, l)| l.process == m.process) {
                let (word, bit) = (l.place as usize / 64, l.place % 64);
                let observed = place.is_some_and(|p| rows.place_words[p + word] >> bit & 1 == 1);
                positions.push((process, observed, rows.is_private(layout, m.instance, number)));
            }
        }
        configuration.matrix = Some(InterferenceMatrix::new(configuration.width, positions.into_iter()));
        true
    }

    /// Fills the column of a position of the state.
    #[cold]
    fn fill<F: Facts>(&mut self, layout: &Layout, rows: &mut FactRows<F>, state: &[u8], position: u32, unseen: bool) {
        let process = self.positions.iter().position(|p| *p == position).expect("a process stands there");
        let instance = self.members()[process].instance as usize;
        let width = self.configurations[self.current].width;
        let own = |row: &mut Vec<u64>| row[position as usize / 64] |= 1 << (position % 64);
        let mut column = Column { perhaps: vec![0; width], surely: vec![u64::MAX; width] };
        let mut some_can = false;
        for place in members(&layout.locations[self.location(layout, state, process)].leaving) {
            let edge = &rows.instances[instance].edges[place as usize];
            let mut goals: Vec<Goal> = edge.conjuncts.iter().map(|(_, goal)| *goal).collect();
            match edge.kind {
                // It is not executable, and stays so as long as something can be done.
                EdgeKind::Timeout => continue,
                EdgeKind::Unknown | EdgeKind::Either => own(&mut column.perhaps),
                EdgeKind::Handshake => goals = vec![edge.partners],
                EdgeKind::Plain => {
                    if unseen && edge.visible || edge.conjuncts.iter().any(|(test, _)| *test == Test::Youngest) {
                        own(&mut column.perhaps);
                    }
                    goals.push(edge.conflicts);
                    if !(unseen && edge.visible) {
                        some_can = true;
                        let row = self.row(rows, edge_conflicts(rows, instance, place), process);
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
            // No edge is an invisible step of one process.
            column.surely.fill(0);
            own(&mut column.surely);
            own(&mut column.perhaps);
        }
        self.configurations[self.current].matrix.as_mut().expect("there is one").fill(position, &column);
    }

    /// The row of a goal that belongs to a process.
    fn row<F: Facts>(&mut self, rows: &mut FactRows<F>, goal: Goal, but: usize) -> &[u64] {
        let row = self.ask(rows, goal, but) as usize;
        let configuration = &self.configurations[self.current];
        &configuration.words[row..row + configuration.width]
    }

    /// The location of a process of the state.
    #[inline]
    pub(crate) fn location(&self, layout: &Layout, state: &[u8], process: usize) -> usize {
        location(state, self.members()[process].frame as usize, layout.location_size) as usize
    }

    /// Whether one of these moves, which are those of one process, interferes with what others may
    /// still do, or can never be in an ample set. The index of a move for which that must be computed first is an error.
    #[inline]
    pub(crate) fn interferes(&mut self, layout: &Layout, own: &[Move]) -> Result<bool, usize> {
        if !self.is_marked {
            self.mark();
        }
        let configuration = &self.configurations[self.current];
        let edges = configuration.members[usize::from(own[0].process)].edges;
        let mut answer = false;
        for (i, m) in own.iter().enumerate() {
            match configuration.conflicts[(edges + layout.places[m.edge as usize]) as usize] {
                UNKNOWN => return Err(i),
                row => answer |= configuration.overlaps(row, &self.presence),
            }
        }
        Ok(answer)
    }

    /// Computes the positions that interfere with an edge of a process, given by its place: all of them if it is `barred`.
    #[cold]
    pub(crate) fn find_conflicts<F: Facts>(
        &mut self,
        rows: &mut FactRows<F>,
        process: usize,
        place: u32,
        barred: bool,
    ) {
        let m = self.members()[process];
        let goal = rows.instances[m.instance as usize].edges[place as usize].conflicts;
        let row =
            if barred { EMPTY + self.configurations[self.current].width as u32 } else { self.ask(rows, goal, process) };
        self.configurations[self.current].conflicts[(m.edges + place) as usize] = row;
    }

    /// Whether a process other than `but` may still do something of a goal, which belongs to `but`.
    #[inline]
    pub(crate) fn others_reach<F: Facts>(&mut self, rows: &mut FactRows<F>, goal: Goal, but: usize) -> bool {
        let row = self.configurations[self.current].rows.get(goal as usize).copied().unwrap_or(UNKNOWN);
        let row = if row == UNKNOWN { self.ask(rows, goal, but) } else { row };
        if !self.is_marked {
            self.mark();
        }
        self.configurations[self.current].overlaps(row, &self.presence)
    }

    /// Whether a process other than `but` may still do something that must not be postponed.
    #[inline]
    pub(crate) fn others_reach_observed<F: Facts>(&mut self, rows: &mut FactRows<F>, but: usize) -> bool {
        let row = self.configurations[self.current].observed[but];
        let row = if row == UNKNOWN { self.ask(rows, OBSERVED, but) } else { row };
        if !self.is_marked {
            self.mark();
        }
        self.configurations[self.current].overlaps(row, &self.presence)
    }

    #[cold]
    fn ask<F: Facts>(&mut self, rows: &mut FactRows<F>, goal: Goal, but: usize) -> u32 {
        let configuration = &mut self.configurations[self.current];
        if goal != OBSERVED && configuration.rows.get(goal as usize).is_some_and(|row| *row != UNKNOWN) {
            return configuration.rows[goal as usize];
        }
        let start = configuration.words.len();
        configuration.words.resize(start + configuration.width, 0);
        for (_, m) in configuration.members.iter().enumerate().filter(|(p, _)| *p != but) {
            let Some(place) = rows.places(goal, m.instance) else { continue };
            for l in 0..rows.facts().layout().processes[m.process as usize].locations {
                if rows.place_words[place + l as usize / 64] >> (l % 64) & 1 == 1 {
                    let bit = m.bit + l;
                    configuration.words[start + bit as usize / 64] |= 1 << (bit % 64);
                }
            }
        }
        let row = if configuration.words[start..].iter().all(|w| *w == 0) { EMPTY } else { start as u32 };
        if row == EMPTY {
            configuration.words.truncate(start);
        }
        if goal == OBSERVED {
            configuration.observed[but] = row;
        } else {
            configuration.rows.resize(configuration.rows.len().max(goal as usize + 1), UNKNOWN);
            configuration.rows[goal as usize] = row;
        }
        row
    }
}

fn edge_conflicts<F: Facts>(rows: &FactRows<F>, instance: usize, place: u32) -> Goal {
    rows.instances[instance].edges[place as usize].conflicts
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
