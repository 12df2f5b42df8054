//! Reading a state.

use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Channel, Location, LocationId, Model, ProcessId, ProcessKind, Scalar};
use ferrospin_system::Labels;

/// Reads a scalar.
pub(crate) fn read(bytes: &[u8], offset: u32, scalar: Scalar) -> i32 {
    let i = offset as usize;
    match (scalar, scalar.size()) {
        (Scalar::Short, _) => i32::from(i16::from_le_bytes([bytes[i], bytes[i + 1]])),
        (_, 1) => i32::from(bytes[i]),
        (_, 2) => i32::from(u16::from_le_bytes([bytes[i], bytes[i + 1]])),
        _ => i32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]),
    }
}

/// Writes a scalar, cut to what it can hold.
pub(crate) fn write(bytes: &mut [u8], offset: u32, scalar: Scalar, value: i32) {
    let i = offset as usize;
    let n = scalar.size() as usize;
    bytes[i..i + n].copy_from_slice(&scalar.cut(value).to_le_bytes()[..n]);
}

/// Reads a location number.
pub(crate) fn read_location(bytes: &[u8], offset: u32, size: u32) -> LocationId {
    let i = offset as usize;
    let mut n = [0; 4];
    n[..size as usize].copy_from_slice(&bytes[i..i + size as usize]);
    LocationId(u32::from_le_bytes(n))
}

/// Writes a location number.
pub(crate) fn write_location(bytes: &mut [u8], offset: u32, size: u32, location: LocationId) {
    let i = offset as usize;
    bytes[i..i + size as usize].copy_from_slice(&location.0.to_le_bytes()[..size as usize]);
}

/// Offsets of the frames of a state, oldest process first.
pub(crate) fn frames(model: &Model, state: &[u8], out: &mut Vec<u32>) {
    out.clear();
    out.extend(model.frames(state).map(|(at, _)| at));
}

/// A state with what is needed to read it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The model.
    pub model: &'a Model,
    /// The state.
    pub bytes: &'a [u8],
    /// Offsets of the frames.
    pub frames: &'a [u32],
    /// The value of `timeout`.
    pub timeout: bool,
}

impl<'a> View<'a> {
    /// Number of processes.
    pub fn process_count(&self) -> usize {
        self.frames.len()
    }

    /// Where a process stands.
    pub fn location(&self, pid: usize) -> LocationId {
        read_location(self.bytes, self.frames[pid], self.model.layout.location_size)
    }

    /// The type of a process.
    pub fn process(&self, pid: usize) -> ProcessId {
        self.model.location(self.location(pid)).process
    }

    /// Priority of a process; 1 where the model has none.
    pub fn priority(&self, pid: usize) -> i32 {
        if self.model.uses.priority {
            i32::from(self.bytes[(self.frames[pid] + self.model.layout.location_size) as usize])
        } else {
            1
        }
    }

    /// Where the claim stands.
    pub fn claim(&self) -> Option<LocationId> {
        let (_, at) = self.model.layout.claim?;
        Some(read_location(self.bytes, at, self.model.layout.location_size))
    }

    /// Number of channels.
    pub fn channel_count(&self) -> usize {
        let local = |pid| self.model.process(self.process(pid)).channels.len();
        self.model.channels.len() + (0..self.process_count()).map(local).sum::<usize>()
    }

    /// The channel with a number, and where its contents stand.
    pub fn channel(&self, number: i32) -> Result<(&'a Channel, u32), FailureKind> {
        if number <= 0 {
            return Err(FailureKind::NoChannel);
        }
        let mut i = number as usize - 1;
        let globals = &self.model.channels;
        if let Some(c) = globals.get(i) {
            return Ok((c, c.offset));
        }
        i -= globals.len();
        for (pid, &at) in self.frames.iter().enumerate() {
            let channels = &self.model.process(self.process(pid)).channels;
            if let Some(c) = channels.get(i) {
                return Ok((c, at + c.offset));
            }
            i -= channels.len();
        }
        Err(FailureKind::DeadChannel)
    }

    /// Number of messages in a channel.
    pub fn len(&self, channel: &Channel, at: u32) -> u32 {
        if channel.capacity == 0 { 0 } else { read(self.bytes, at, channel.length_scalar()) as u32 }
    }

    /// A field of a message.
    pub fn field(&self, channel: &Channel, at: u32, message: u32, field: usize) -> i32 {
        let start = at + channel.length_scalar().size() + message * channel.message_size();
        let before: u32 = channel.fields[..field].iter().map(|f| f.0.size()).sum();
        read(self.bytes, start + before, channel.fields[field].0)
    }

    fn locations(&self) -> impl Iterator<Item = &'a Location> {
        let me = *self;
        (0..me.process_count()).map(move |p| me.model.location(me.location(p)))
    }

    /// Whether some process stands at a `progress` label.
    pub fn progress(&self) -> bool {
        self.locations().any(|l| l.progress)
    }

    /// Which labels the state has: see [`ferrospin_system::Machine::labels`].
    pub fn labels(&self, asked: Labels) -> Labels {
        let m = self.model;
        let trace_end = m.layout.trace.is_none_or(|at| {
            let l = m.location(read_location(self.bytes, at, m.layout.location_size));
            l.end || m.process(l.process).kind == ProcessKind::NoTrace
        });
        let filled = |channels: &[Channel], base: u32| channels.iter().any(|c| self.len(c, base + c.offset) > 0);
        let pending = || {
            let local = |p| filled(&m.process(self.process(p)).channels, self.frames[p]);
            filled(&m.channels, 0) || (0..self.process_count()).any(local)
        };
        // Like SPIN, a trace is not evaluated once all processes have ended.
        let end = self.locations().all(|l| l.end) && (trace_end || self.process_count() == 0);
        let accept = self.locations().any(|l| l.accept);
        let always = Labels::END.when(end) | Labels::ACCEPT.when(accept) | Labels::PROGRESS.when(self.progress());
        asked & (always | Labels::PENDING.when(asked.has(Labels::PENDING) && pending()))
    }
}
