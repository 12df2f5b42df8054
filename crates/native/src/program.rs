//! A compiled model: machine code and the tables that lead to it. Immutable, shared by all machines of a model.

use crate::context::{Code, Context, Entry};
use crate::executable::Taken;
use cranelift_jit::JITModule;
use ferrospin_model::code::Code as Foreign;
use ferrospin_model::ir::{Model, Scalar};
use ferrospin_system::Move;
use std::mem::ManuallyDrop;
use std::sync::{Arc, OnceLock};

/// Writes the moves of a process that stands at a location: context, state, frame, number of the process, and where the
/// first move goes; answers where the one behind the last would go.
pub(crate) type Find = unsafe extern "C" fn(*mut Context, *mut u8, *mut u8, i32, *mut Move) -> *mut Move;

/// How the moves at a location are found. Kept apart from [`LocationCode`], so that the table stays in the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finder {
    /// Writes the moves; without it, [`LocationCode::test`] tells which edges are executable.
    pub(crate) find: Option<Find>,
    /// Type of the process.
    pub(crate) process: u32,
    /// A failure is possible.
    pub(crate) fails: bool,
    /// The process type has a condition under which it moves.
    pub(crate) provided: bool,
    /// Bits of [`marked`].
    pub(crate) marked: u8,
}

/// Bits that say what a location is worth to properties.
pub(crate) mod marked {
    pub(crate) const END: u8 = 1;
    pub(crate) const ACCEPT: u8 = 2;
    pub(crate) const PROGRESS: u8 = 4;
}

/// How a channel keeps its messages. Channels of the same shape share code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChannelLayout {
    pub(crate) capacity: u32,
    pub(crate) fields: Vec<Scalar>,
    /// Offset of each field in a message.
    pub(crate) offsets: Vec<u32>,
    /// Bytes of a message.
    pub(crate) message_size: u32,
    /// How the number of messages is kept.
    pub(crate) length: Scalar,
}

impl ChannelLayout {
    /// Offset of the first message behind the start of the channel.
    pub(crate) fn first(&self) -> u32 {
        self.length.size()
    }

    /// Bytes of all messages.
    pub(crate) fn messages_size(&self) -> u32 {
        self.capacity * self.message_size
    }
}

/// A location.
#[derive(Debug)]
pub(crate) struct LocationCode {
    pub(crate) process: u32,
    /// Which edges are executable; only for the monitor and where handshakes are possible.
    pub(crate) test: Option<Code>,
    /// Its edges, a range of [`Program::edge_ids`].
    pub(crate) edges: (u32, u32),
    /// Which of its receives take the message on offer; without code, none.
    pub(crate) accepts: Option<Code>,
    /// Whether some edge is executable: `enabled(p)`.
    pub(crate) somehow: Option<Code>,
    /// Which edges of a `trace` fit the event.
    pub(crate) fits: Option<Code>,
    /// Some edge ends the process.
    pub(crate) stops: bool,
}

/// Which channels a location receives from by a handshake, as far as that is known before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receivers {
    /// The process type.
    pub(crate) process: u32,
    /// By channel number modulo 64; more bits than need be where a channel is not known.
    pub(crate) channels: u64,
}

/// An edge.
#[derive(Debug)]
pub(crate) struct EdgeCode {
    /// Does it, for a process or the monitor, and then goes to the location in its last argument.
    pub(crate) apply: Option<Code>,
    /// Puts the message of a rendezvous into the context.
    pub(crate) offer: Option<Code>,
    /// Takes the message of a rendezvous from the context.
    pub(crate) take: Option<Code>,
    pub(crate) to: u32,
    pub(crate) process: u32,
    pub(crate) atomic: bool,
    /// It ends the process.
    pub(crate) end: bool,
    /// It changes nothing but the location of its process, and is followed by others' steps.
    pub(crate) only_goes: bool,
}

/// A process type.
#[derive(Debug)]
pub(crate) struct ProcessCode {
    pub(crate) frame_size: u32,
    pub(crate) entry: u32,
    pub(crate) priority: u8,
    /// Its channels, offsets in the frame.
    pub(crate) channels: Vec<Entry>,
    /// Stores arguments and initial values.
    pub(crate) init: Option<Code>,
    pub(crate) provided: Option<Code>,
    /// The location of its closing brace, where it has one.
    pub(crate) stop: Option<u32>,
}

/// The automaton of a `trace` or `notrace`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraceCode {
    /// Offset of its location.
    pub(crate) at: u32,
    pub(crate) entry: u32,
    pub(crate) forbidden: bool,
    /// Whether it names a channel for a kind of event.
    pub(crate) named: Option<Code>,
    /// How many edges `named` tests.
    pub(crate) named_count: usize,
}

/// Machine code that is freed when the program is.
pub(crate) struct Memory(ManuallyDrop<JITModule>);

impl Memory {
    pub(crate) fn new(module: JITModule) -> Self {
        Memory(ManuallyDrop::new(module))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the module is taken once, here. Its code is reached only through the tables of the program that
        // owns this, and a machine keeps its program alive while it runs.
        unsafe { ManuallyDrop::take(&mut self.0).free_memory() };
    }
}

/// Code that takes moves while it looks for them.
pub(crate) struct Grown {
    /// By location: writes the moves, and the successors where the context says.
    pub(crate) finders: Vec<Finder>,
    /// Keeps the code alive.
    pub(crate) _memory: Memory,
}

/// What [`Grown`] is made of.
pub(crate) struct Growth {
    pub(crate) model: Model,
    /// By edge.
    pub(crate) taken: Vec<Taken>,
    /// Made once, by the machine that first needs it; `None` inside when the code generator gave up.
    pub(crate) grown: OnceLock<Option<Grown>>,
}

/// See the module.
pub(crate) struct Program {
    /// What the numbers of foreign code mean.
    pub(crate) foreign: Option<Arc<dyn Foreign>>,
    pub(crate) locations: Vec<LocationCode>,
    /// By location.
    pub(crate) finders: Vec<Finder>,
    /// By location, who may take messages there.
    pub(crate) receivers: Vec<Receivers>,
    /// Type of the process at each of the first locations.
    pub(crate) process_of_byte: [u32; 256],
    pub(crate) edges: Vec<EdgeCode>,
    pub(crate) edge_ids: Vec<u32>,
    pub(crate) processes: Vec<ProcessCode>,
    pub(crate) shapes: Vec<ChannelLayout>,
    /// The global channels.
    pub(crate) globals: Vec<Entry>,
    pub(crate) start: Vec<u32>,
    /// Moves may be looked for before it is known whether the processes are still of the types they were: no process
    /// looks at others but through its own code, so that nothing worse than wrong moves can come of it.
    pub(crate) is_hasty: bool,
    /// The same, but for handshakes, which look at the types of others.
    pub(crate) is_drivable: bool,
    /// Stores the initial values of globals.
    pub(crate) init: Option<Code>,
    pub(crate) trace: Option<TraceCode>,
    /// Offset of `_last`.
    pub(crate) last: Option<u32>,
    /// The location whose edges are the propositions that are told as labels; no monitor moves then.
    pub(crate) propositions: Option<u32>,
    /// Some proposition asks for `timeout`.
    pub(crate) asks_timeout: bool,
    /// Type of the process whose frame lies in the fixed part, and the offset of that frame: it moves beside the others, or a search
    /// uses the place for an automaton.
    pub(crate) slot: Option<(u32, u32)>,
    pub(crate) location_size: u32,
    pub(crate) fixed_size: u32,
    pub(crate) uses_priority: bool,
    pub(crate) uses_timeout: bool,
    /// Some process type has a condition under which it moves.
    pub(crate) uses_provided: bool,
    /// Code that takes moves while it looks for them, made when it is worth it.
    pub(crate) growth: Option<Growth>,
    /// Most edges of a location.
    pub(crate) edges_max: usize,
    /// Most fields of a message or arguments of a process.
    pub(crate) fields_max: usize,
    /// Keeps the code alive.
    pub(crate) _memory: Memory,
}

// SAFETY: nothing changes after compilation. The raw pointers inside are code addresses and the module's book-keeping,
// which is only used again to free the memory.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    /// Reads a location number.
    #[inline]
    pub(crate) fn read_location(&self, state: &[u8], at: u32) -> u32 {
        let i = at as usize;
        match self.location_size {
            1 => u32::from(state[i]),
            2 => u32::from(u16::from_le_bytes([state[i], state[i + 1]])),
            _ => u32::from_le_bytes([state[i], state[i + 1], state[i + 2], state[i + 3]]),
        }
    }

    /// Writes a location number.
    pub(crate) fn write_location(&self, state: &mut [u8], at: u32, location: u32) {
        let (i, n) = (at as usize, self.location_size as usize);
        match n {
            1 => state[i] = location as u8,
            _ => state[i..i + n].copy_from_slice(&location.to_le_bytes()[..n]),
        }
    }

    /// The location a frame at `at` stands at.
    #[inline]
    pub(crate) fn location_at(&self, state: &[u8], at: u32) -> &LocationCode {
        &self.locations[self.read_location(state, at) as usize]
    }

    /// Type of the process whose frame would stand at `at`; none of the model's where no location has that number.
    #[inline]
    pub(crate) fn type_at(&self, state: &[u8], at: u32) -> u32 {
        self.finders.get(self.read_location(state, at) as usize).map_or(u32::MAX, |f| f.process)
    }

    /// The shape of a channel table entry.
    pub(crate) fn shape(&self, entry: Entry) -> &ChannelLayout {
        &self.shapes[entry.shape as usize - 1]
    }
}
