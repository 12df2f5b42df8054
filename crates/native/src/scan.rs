//! Where frames and channels stand in a state.
//!
//! Both follow from the types of the processes alone, and consecutive states mostly agree in these. So a scan keeps
//! what it found and only checks, process by process, that the location still belongs to the type it remembers; the
//! checks do not depend on one another, unlike the walk that finds the offsets anew. The table of channels changes
//! only when types do.

use crate::context::Entry;
use crate::program::Program;

/// What was found in the last state.
pub(crate) struct Scan {
    /// Offsets of the frames; room for all processes there can be, so that it never moves.
    pub(crate) frames: Vec<u32>,
    /// Types of the processes.
    types: Vec<u32>,
    /// Where each frame ends.
    ends: Vec<u32>,
    /// Number of channels before each process.
    channels_before: Vec<u32>,
    /// Channels by number.
    pub(crate) channels: Vec<Entry>,
    pub(crate) channel_count: u32,
}

/// Processes are numbered with a byte, and one number means none.
pub(crate) const PROCESS_MAX: usize = 255;

impl Scan {
    pub(crate) fn new(program: &Program) -> Self {
        let mut channels = vec![Entry::default(); 256];
        for (i, e) in program.globals.iter().enumerate().take(255) {
            channels[i + 1] = *e;
        }
        Scan {
            frames: Vec::with_capacity(PROCESS_MAX + 1),
            types: Vec::with_capacity(PROCESS_MAX + 1),
            ends: Vec::with_capacity(PROCESS_MAX + 1),
            channels_before: Vec::with_capacity(PROCESS_MAX + 1),
            channels,
            channel_count: program.globals.len() as u32,
        }
    }

    /// Number of processes.
    pub(crate) fn count(&self) -> usize {
        self.frames.len()
    }

    /// Finds the frames of a state. Afterwards every frame lies inside the state and has the size of its type.
    pub(crate) fn state(&mut self, program: &Program, state: &[u8]) {
        let known = self.agreeing(program, state, self.frames.len());
        if known < self.frames.len() {
            self.truncate(known);
        }
        let mut at = known.checked_sub(1).map_or(program.fixed_size, |last| self.ends[last]);
        while (at as usize) < state.len() {
            let process = program.location_at(state, at).process;
            self.push(program, process, at);
            at = self.ends[self.ends.len() - 1];
        }
        assert_eq!(at as usize, state.len(), "frames fill the state");
    }

    /// How many of the first `count` processes stand where they stood in the last state.
    fn agreeing(&self, program: &Program, state: &[u8], count: usize) -> usize {
        let same = |((&at, &process), &end): ((&u32, &u32), &u32)| {
            end as usize <= state.len() && program.location_at(state, at).process == process
        };
        let frames = self.frames.iter().zip(&self.types).zip(&self.ends);
        frames.take(count).position(|f| !same(f)).unwrap_or(count.min(self.frames.len()))
    }

    /// Offset of the frame of one process and its end, if the state is like the last one up to there; otherwise the
    /// whole state is scanned.
    pub(crate) fn frame(&mut self, program: &Program, state: &[u8], pid: usize) -> (u32, u32) {
        if self.agreeing(program, state, pid + 1) <= pid {
            self.state(program, state);
        }
        (self.frames[pid], self.ends[pid])
    }

    /// Adds a process whose frame starts at `at`.
    pub(crate) fn push(&mut self, program: &Program, process: u32, at: u32) {
        assert!(self.frames.len() < PROCESS_MAX, "too many processes");
        let p = &program.processes[process as usize];
        self.frames.push(at);
        self.types.push(process);
        self.ends.push(at + p.frame_size);
        self.channels_before.push(self.channel_count);
        for e in &p.channels {
            self.channel_count += 1;
            // A state cannot hold more channels than a byte can number; what is beyond is not reachable by number.
            if let Some(slot) = self.channels.get_mut(self.channel_count as usize) {
                *slot = Entry { offset: at + e.offset, shape: e.shape };
            }
        }
    }

    /// Forgets the processes from number `count` on.
    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some(&before) = self.channels_before.get(count) {
            let (first, last) = ((before as usize + 1).min(256), (self.channel_count as usize + 1).min(256));
            self.channels[first..last].fill(Entry::default());
            self.channel_count = before;
        }
        self.frames.truncate(count);
        self.types.truncate(count);
        self.ends.truncate(count);
        self.channels_before.truncate(count);
    }
}
