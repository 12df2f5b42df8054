//! Where frames and channels stand in a state.
//!
//! Both follow from the types of the processes alone, and consecutive states mostly agree in these. So a scan keeps
//! what it found and only checks, process by process, that the location still belongs to the type it remembers; the
//! checks do not depend on one another, unlike the walk that finds the offsets anew. The table of channels changes only
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
    /// Where the last frame ends, and with it the state.
    pub(crate) end: usize,
    /// Another number whenever the frames change.
    pub(crate) generation: u64,
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
        Scan {
            frames,
            channels,
            channel_count: program.globals.len() as u32,
            end: program.fixed_size as usize,
            generation: 0,
        }
    }

    /// Number of processes.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.frames.len()
    }

    /// Finds the frames of a state. Afterwards every frame lies inside the state and has the size of its type.
    #[inline]
    pub(crate) fn state(&mut self, program: &Program, state: &[u8]) {
        let same = self.end == state.len() && self.agrees(program, state);
        if !same {
            self.walk(program, state);
        }
    }

    /// Whether every process is of the type it was in the last state. All are looked at, whatever the first ones say,
    /// so that there is nothing to mispredict.
    #[inline]
    pub(crate) fn agrees(&self, program: &Program, state: &[u8]) -> bool {
        let mut differ = 0;
        if program.location_size == 1 {
            for f in &self.frames {
                differ |= program.process_of_byte[usize::from(state[f.at as usize])] ^ f.process;
            }
        } else {
            for f in &self.frames {
                differ |= program.type_at(state, f.at) ^ f.process;
            }
        }
        differ == 0
    }

    /// Finds the frames one after the other, from the first that is not what it was.
    #[inline(never)]
    fn walk(&mut self, program: &Program, state: &[u8]) {
        let stays = |f: &Frame| f.end as usize <= state.len() && program.type_at(state, f.at) == f.process;
        let known = self.frames.iter().position(|f| !stays(f)).unwrap_or(self.frames.len());
        self.truncate(known);
        let mut at = self.frames.last().map_or(program.fixed_size, |f| f.end);
        while (at as usize) < state.len() {
            self.push(program, program.location_at(state, at).process, at);
            at = self.frames[self.frames.len() - 1].end;
        }
        assert_eq!(at as usize, state.len(), "frames fill the state");
    }

    /// Adds a process whose frame starts at `at`.
    pub(crate) fn push(&mut self, program: &Program, process: u32, at: u32) {
        assert!(self.frames.len() < PROCESS_MAX, "too many processes");
        let p = &program.processes[process as usize];
        self.generation += 1;
        self.frames.push(Frame { at, end: at + p.frame_size, process, channels_before: self.channel_count });
        self.end = (at + p.frame_size) as usize;
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
            self.generation += 1;
            let (first, last) = (f.channels_before as usize + 1, self.channel_count as usize + 1);
            self.channels[first.min(256)..last.min(256)].fill(Entry::default());
            self.channel_count = f.channels_before;
            self.end = f.at as usize;
        }
        self.frames.truncate(count);
    }
}
