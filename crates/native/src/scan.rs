//! Where frames and channels stand in a state.
//!
//! Both follow from the types of the processes alone, and consecutive states mostly agree in these. So a scan keeps
//! what it found and only checks, process by process, that the location still belongs to the type it remembers; the
//! checks do not depend on one another, unlike the walk that finds the offsets anew. Where no process is ever started
//! by another the types never change, and the length of the state tells everything. The table of channels changes only
//! when types do.

use crate::context::Entry;
use crate::program::Program;

/// Where a process stands.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Offset of its frame.
    pub(crate) at: u32,
    /// Where the frame ends.
    pub(crate) end: u32,
    /// Its type.
    pub(crate) process: u32,
    /// Number of channels before its own.
    pub(crate) channels_before: u32,
}

/// What was found in the last state.
pub(crate) struct Scan {
    /// The processes; room for all there can be, so that the list never moves.
    pub(crate) frames: Vec<Frame>,
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
        let frames = Vec::with_capacity(PROCESS_MAX + 1);
        Scan { frames, channels, channel_count: program.globals.len() as u32 }
    }

    /// Number of processes.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.frames.len()
    }

    /// Finds the frames of a state. Afterwards every frame lies inside the state and has the size of its type.
    #[inline]
    pub(crate) fn state(&mut self, program: &Program, state: &[u8]) {
        let end = self.frames.last().map_or(program.fixed_size, |f| f.end);
        let known = if program.starts_none && end as usize == state.len() {
            return;
        } else {
            self.agreeing(program, state, self.frames.len())
        };
        if known == self.frames.len() && end as usize == state.len() {
            return;
        }
        self.walk(program, state, known);
    }

    #[cold]
    fn walk(&mut self, program: &Program, state: &[u8], known: usize) {
        self.truncate(known);
        let mut at = self.frames.last().map_or(program.fixed_size, |f| f.end);
        while (at as usize) < state.len() {
            self.push(program, program.location_at(state, at).process, at);
            at = self.frames[self.frames.len() - 1].end;
        }
        assert_eq!(at as usize, state.len(), "frames fill the state");
    }

    /// How many of the first `count` processes stand where they stood in the last state.
    #[inline]
    fn agreeing(&self, program: &Program, state: &[u8], count: usize) -> usize {
        for (i, f) in self.frames.iter().enumerate().take(count) {
            if f.end as usize > state.len() || program.process_at(state, f.at) != f.process {
                return i;
            }
        }
        count.min(self.frames.len())
    }

    /// The frame of one process, if the state is like the last one up to there; otherwise the whole state is scanned.
    #[inline]
    pub(crate) fn frame(&mut self, program: &Program, state: &[u8], pid: usize) -> Frame {
        if program.starts_none
            && let Some(f) = self.frames.get(pid)
            && f.end as usize <= state.len()
        {
            return *f;
        }
        if self.agreeing(program, state, pid + 1) <= pid {
            self.state(program, state);
        }
        self.frames[pid]
    }

    /// Adds a process whose frame starts at `at`.
    pub(crate) fn push(&mut self, program: &Program, process: u32, at: u32) {
        assert!(self.frames.len() < PROCESS_MAX, "too many processes");
        let p = &program.processes[process as usize];
        self.frames.push(Frame { at, end: at + p.frame_size, process, channels_before: self.channel_count });
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
        if let Some(f) = self.frames.get(count) {
            let (first, last) = (f.channels_before as usize + 1, self.channel_count as usize + 1);
            self.channels[first.min(256)..last.min(256)].fill(Entry::default());
            self.channel_count = f.channels_before;
        }
        self.frames.truncate(count);
    }
}
