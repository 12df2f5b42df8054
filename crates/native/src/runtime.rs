//! Helper functions that generated code calls.
//!
//! All have the form `extern "C" fn(context, ...) -> i64`; a negative answer means that a failure was raised, where a
//! failure is possible. They do what is rare, or what does not depend on the edge: births, sorted sends, random
//! receives, channels of an unforeseen shape, handshakes, questions about other processes.
//!
//! Safety, for all of them: the context is the one the machine passed to the generated function, and nothing else
//! refers to it meanwhile; `base` and the frames describe the state that is being read or made; lists handed over on
//! the stack are as long as their count says.

use crate::context::{Context, Entry, Fault, PATTERN_FAILED, PATTERN_MATCH, RawFailure, RawPattern};
use crate::program::{ChannelLayout, Program, marked};
use crate::scan::PROCESS_MAX;
use ferrospin_model::code::{Done, Site};
use ferrospin_model::ir::{ChannelTest, Scalar};

/// Bits of the flags of [`arrived`] and [`receive`].
const RANDOM: i32 = 1;
const POLL: i32 = 2;
const COPY: i32 = 4;

impl Context {
    /// The compiled model.
    pub(crate) fn program<'a>(&self) -> &'a Program {
        // SAFETY: the machine owns its program as long as its context, and a program does not change.
        unsafe { &*self.program }
    }

    /// A place in the state.
    ///
    /// # Safety
    /// The context describes a state, and the offset is at most its length.
    pub(crate) unsafe fn byte(&self, at: u32) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.base.add(at as usize) }
    }

    /// Reads a scalar of the state.
    ///
    /// # Safety
    /// The context describes a state, in which the scalar lies, as is checked of variables and channels when a model is compiled.
    pub(crate) unsafe fn read(&self, at: u32, scalar: Scalar) -> i32 {
        // SAFETY: as the caller promises.
        unsafe {
            let p = self.byte(at);
            match (scalar, scalar.size()) {
                (Scalar::Short, _) => i32::from(i16::from_le(p.cast::<i16>().read_unaligned())),
                (_, 1) => i32::from(*p),
                (_, 2) => i32::from(u16::from_le(p.cast::<u16>().read_unaligned())),
                _ => i32::from_le(p.cast::<i32>().read_unaligned()),
            }
        }
    }

    /// Writes a scalar of the state.
    ///
    /// # Safety
    /// As for [`Context::read`]; the state is one that is being made.
    unsafe fn write(&mut self, at: u32, scalar: Scalar, value: i32) {
        let bytes = scalar.cut(value).to_le_bytes();
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.byte(at), scalar.size() as usize) };
    }

    /// Reads a location number.
    ///
    /// # Safety
    /// The context describes a state, and a frame stands there, or the trace or the monitor.
    pub(crate) unsafe fn location(&self, at: u32) -> u32 {
        let scalar = match self.program().location_size {
            1 => Scalar::Unsigned(8),
            2 => Scalar::Unsigned(16),
            _ => Scalar::Int,
        };
        // SAFETY: frames begin with a location.
        unsafe { self.read(at, scalar) as u32 }
    }

    /// Writes a location number.
    ///
    /// # Safety
    /// As for [`Context::location`]; the state is one that is being made.
    pub(crate) unsafe fn set_location(&mut self, at: u32, location: u32) {
        let n = self.program().location_size as usize;
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(location.to_le_bytes().as_ptr(), self.byte(at), n) };
    }

    fn frame(&self, pid: i32) -> Option<u32> {
        usize::try_from(pid).ok().and_then(|p| self.scan.frames.get(p)).map(|f| f.at)
    }

    /// The channel with a number; raises a failure if there is none.
    fn channel(&mut self, number: i32) -> Option<Entry> {
        let entry = usize::try_from(number).ok().and_then(|n| self.scan.channels.get(n)).copied();
        match entry {
            Some(e) if e.shape != 0 => Some(e),
            _ => {
                let fault = if number <= 0 { Fault::NoChannel } else { Fault::DeadChannel };
                self.raise(RawFailure::new(fault));
                None
            }
        }
    }

    /// Messages in a channel.
    ///
    /// # Safety
    /// The channel is one of the state that the context describes, and of this shape.
    unsafe fn len(&self, e: Entry, shape: &ChannelLayout) -> u32 {
        // SAFETY: channels lie inside the state.
        if shape.capacity == 0 { 0 } else { unsafe { self.read(e.offset, shape.length) as u32 } }
    }

    /// A field of a message.
    ///
    /// # Safety
    /// As for [`Context::len`], and the message is below the capacity.
    unsafe fn field(&self, e: Entry, shape: &ChannelLayout, message: u32, field: usize) -> i32 {
        let at = e.offset + shape.first() + message * shape.message_size + shape.offsets[field];
        // SAFETY: channels lie inside the state.
        unsafe { self.read(at, shape.fields[field]) }
    }

    /// The first message that fits, or a failure.
    ///
    /// # Safety
    /// The channel is one of the state that the context describes.
    unsafe fn matching(&self, e: Entry, random: bool, patterns: &[RawPattern]) -> Result<Option<u32>, RawFailure> {
        let shape = self.program().shape(e);
        // SAFETY: as the caller promises.
        let len = unsafe { self.len(e, shape) }.min(shape.capacity);
        let tried = if random { len } else { len.min(1) };
        'messages: for message in 0..tried {
            for (i, p) in patterns.iter().enumerate().take(shape.fields.len()) {
                if i64::from(p.kind) == PATTERN_FAILED {
                    return Err(p.failure);
                }
                // SAFETY: as the caller promises; the count is the number of messages.
                if i64::from(p.kind) == PATTERN_MATCH && p.value != unsafe { self.field(e, shape, message, i) } {
                    continue 'messages;
                }
            }
            return Ok(Some(message));
        }
        Ok(None)
    }
}

/// Whether no process stands at a `progress` label: `np_`.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn non_progress(context: *mut Context) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &*context };
    let program = c.program();
    let progress = |at: u32| {
        // SAFETY: the frame is one of the state's.
        let at = unsafe { c.location(at) };
        program.finders.get(at as usize).is_some_and(|f| f.marked & marked::PROGRESS != 0)
    };
    i64::from(!c.scan.frames.iter().any(|f| progress(f.at)))
}

/// `enabled(p)`
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn enabled(context: *mut Context, pid: i32) -> i64 {
    // SAFETY: see the module; the borrow ends before the call.
    let c = unsafe { &*context };
    let Some(at) = c.frame(pid) else { return 0 };
    // SAFETY: the frame is one of the state's.
    let (here, base, frame) = unsafe { (c.location(at), c.base, c.byte(at)) };
    let location = &c.program().locations[here as usize];
    assert_eq!(location.process, c.scan.frames[pid as usize].process, "a process stays what it is");
    let code = location.somehow.expect("compiled where `enabled` is used");
    // SAFETY: the frame is that of a process at this location.
    unsafe { code(context, base, frame, pid, 0) }
}

/// `pc_value(p)`
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn pc_value(context: *mut Context, pid: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &*context };
    // SAFETY: the frame is one of the state's.
    c.frame(pid).map_or(0, |at| i64::from(unsafe { c.location(at) }))
}

/// `get_priority(p)`
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn priority(context: *mut Context, pid: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &*context };
    match c.frame(pid) {
        Some(at) if c.program().uses_priority => {
            // SAFETY: where priorities are used, one stands behind the location of each frame.
            i64::from(unsafe { c.read(at + c.program().location_size, Scalar::BYTE) })
        }
        Some(_) => 1,
        None => 0,
    }
}

/// `set_priority(p, n)`
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn set_priority(context: *mut Context, pid: i32, value: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &mut *context };
    if let Some(at) = c.frame(pid) {
        // SAFETY: priorities are set only where they are used, and then one stands behind the location of each frame.
        unsafe { c.write(at + c.program().location_size, Scalar::BYTE, value) };
    }
    0
}

/// Offset of the frame of a process, if it is of that type.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn instance(context: *mut Context, process: i32, pid: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &*context };
    let frame = usize::try_from(pid).ok().and_then(|p| c.scan.frames.get(p));
    frame.filter(|f| f.process == process as u32).map_or(-1, |f| i64::from(f.at))
}

/// Offset of the frame of the oldest process of a type.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn first_instance(context: *mut Context, process: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &*context };
    c.scan.frames.iter().find(|f| f.process == process as u32).map_or(-1, |f| i64::from(f.at))
}

/// Number of fields of a channel.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn field_count(context: *mut Context, number: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &mut *context };
    c.channel(number).map_or(-1, |e| c.program().shape(e).fields.len() as i64)
}

/// `len(q)` and its like.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn channel_test(context: *mut Context, number: i32, test: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &mut *context };
    let Some(e) = c.channel(number) else { return -1 };
    let shape = c.program().shape(e);
    // SAFETY: the channel is one of the state's.
    let len = unsafe { c.len(e, shape) };
    let full = shape.capacity > 0 && len >= shape.capacity;
    const TESTS: [ChannelTest; 5] =
        [ChannelTest::Len, ChannelTest::Full, ChannelTest::Empty, ChannelTest::NotFull, ChannelTest::NotEmpty];
    match TESTS.into_iter().find(|t| *t as i32 == test).expect("a test") {
        ChannelTest::Len => i64::from(len as i32),
        ChannelTest::Full => i64::from(full),
        ChannelTest::NotFull => i64::from(!full),
        ChannelTest::Empty => i64::from(len == 0),
        ChannelTest::NotEmpty => i64::from(len != 0),
    }
}

/// Whether a send can be executed: 0 no, 1 yes, 2 if a partner takes the message.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn can_send(context: *mut Context, number: i32) -> i64 {
    // SAFETY: see the module.
    let c = unsafe { &mut *context };
    let Some(e) = c.channel(number) else { return -1 };
    let shape = c.program().shape(e);
    // SAFETY: the channel is one of the state's.
    if shape.capacity == 0 { 2 } else { i64::from(unsafe { c.len(e, shape) } < shape.capacity) }
}

/// Whether a message fits a receive.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn arrived(
    context: *mut Context,
    number: i32,
    flags: i32,
    patterns: *const RawPattern,
    count: i32,
) -> i64 {
    // SAFETY: see the module.
    let (c, patterns) = unsafe { (&mut *context, std::slice::from_raw_parts(patterns, count as usize)) };
    let Some(e) = c.channel(number) else { return -1 };
    if c.program().shape(e).capacity == 0 {
        if flags & POLL == 0 {
            return 0;
        }
        c.raise(RawFailure::new(Fault::PollRendezvous));
        return -1;
    }
    // SAFETY: the channel is one of the state's.
    match unsafe { c.matching(e, flags & RANDOM != 0, patterns) } {
        Ok(found) => i64::from(found.is_some()),
        Err(failure) => {
            c.raise(failure);
            -1
        }
    }
}

/// Sends; the fields are not yet cut.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn send(
    context: *mut Context,
    number: i32,
    sorted: i32,
    given: i32,
    fields: *const i32,
) -> i64 {
    // SAFETY: see the module.
    let (c, fields) = unsafe { (&mut *context, std::slice::from_raw_parts(fields, given as usize)) };
    let Some(e) = c.channel(number) else { return -1 };
    let shape = c.program().shape(e);
    let (n, size) = (shape.fields.len(), shape.message_size);
    // SAFETY: the channel is one of the state's.
    let len = unsafe { c.len(e, shape) };
    if shape.capacity == 0 || len >= shape.capacity {
        c.raise(RawFailure::new(Fault::Broken));
        return -1;
    }
    if fields.len() != n {
        c.note(RawFailure::arity(fields.len(), n));
    }
    let key = |i: usize| fields.get(i).copied().unwrap_or(0);
    let mut slot = len;
    if sorted != 0 {
        // The place is found with the values before they are cut, as SPIN does it.
        // SAFETY: the count is the number of messages.
        let greater = |m: &u32| (0..n).map(|f| unsafe { c.field(e, shape, *m, f) }).gt((0..n).map(key));
        slot = (0..len).find(greater).unwrap_or(len);
    }
    let at = e.offset + shape.first() + slot * size;
    // SAFETY: `slot <= len < capacity`, so that one message more than lies behind `at` stays inside the channel.
    unsafe { std::ptr::copy(c.byte(at), c.byte(at + size), ((len - slot) * size) as usize) };
    for (i, scalar) in shape.fields.iter().enumerate() {
        // SAFETY: the message lies inside the channel.
        unsafe { c.write(at + shape.offsets[i], *scalar, key(i)) };
        c.message_list[i] = scalar.cut(key(i));
    }
    // SAFETY: the channel begins with its length.
    unsafe { c.write(e.offset, shape.length, len as i32 + 1) };
    c.message_len = n as u32;
    crate::trace::event(c, number, true);
    0
}

/// Receives: writes the message to `out`, takes it out of the channel, and answers with the number of its fields.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn receive(
    context: *mut Context,
    number: i32,
    flags: i32,
    patterns: *const RawPattern,
    count: i32,
    out: *mut i32,
) -> i64 {
    // SAFETY: see the module.
    let (c, patterns) = unsafe { (&mut *context, std::slice::from_raw_parts(patterns, count as usize)) };
    let Some(e) = c.channel(number) else { return -1 };
    let shape = c.program().shape(e);
    // SAFETY: the channel is one of the state's.
    let slot = match unsafe { c.matching(e, flags & RANDOM != 0, patterns) } {
        Ok(Some(slot)) => slot,
        Ok(None) => {
            c.raise(RawFailure::new(Fault::Broken));
            return -1;
        }
        Err(failure) => {
            c.raise(failure);
            return -1;
        }
    };
    let n = shape.fields.len();
    for i in 0..n {
        // SAFETY: the list has room for the longest message of the model.
        unsafe { *out.add(i) = c.field(e, shape, slot, i) };
    }
    if patterns.len() != n {
        c.note(RawFailure::arity(patterns.len(), n));
    }
    if flags & COPY == 0 {
        // SAFETY: the channel is one of the state's.
        let (size, len) = (shape.message_size, unsafe { c.len(e, shape) }.min(shape.capacity));
        let at = e.offset + shape.first() + slot * size;
        let behind = (len - slot - 1) * size;
        // SAFETY: `slot < len <= capacity`; all of it lies inside the channel.
        unsafe {
            std::ptr::copy(c.byte(at + size), c.byte(at), behind as usize);
            std::ptr::write_bytes(c.byte(at + behind), 0, size as usize);
        }
        // SAFETY: the channel begins with its length.
        unsafe { c.write(e.offset, shape.length, len as i32 - 1) };
    }
    n as i64
}

/// Tells the `trace` of a receive.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn event(
    context: *mut Context,
    number: i32,
    send: i32,
    message: *const i32,
    count: i32,
) -> i64 {
    // SAFETY: see the module.
    let (c, message) = unsafe { (&mut *context, std::slice::from_raw_parts(message, count as usize)) };
    c.message_list[..message.len()].copy_from_slice(message);
    c.message_len = count as u32;
    crate::trace::event(c, number, send != 0);
    0
}

/// Moves `total` bytes of messages down by one message and clears the last.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn shift(_: *mut Context, at: *mut u8, size: i32, total: i32) -> i64 {
    let (size, total) = (size as usize, total as usize);
    // SAFETY: `total` bytes from `at` are the messages of a channel.
    unsafe {
        std::ptr::copy(at.add(size), at, total - size);
        std::ptr::write_bytes(at.add(total - size), 0, size);
    }
    0
}

/// Puts a message, not yet cut, into the context.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn offer(
    context: *mut Context,
    number: i32,
    noting: i32,
    given: i32,
    fields: *const i32,
) -> i64 {
    // SAFETY: see the module.
    let (c, fields) = unsafe { (&mut *context, std::slice::from_raw_parts(fields, given as usize)) };
    let Some(e) = c.channel(number) else { return -1 };
    let shape = c.program().shape(e);
    if noting != 0 && fields.len() != shape.fields.len() {
        c.note(RawFailure::arity(fields.len(), shape.fields.len()));
    }
    for (i, scalar) in shape.fields.iter().enumerate() {
        c.message_list[i] = scalar.cut(fields.get(i).copied().unwrap_or(0));
    }
    c.message_len = shape.fields.len() as u32;
    0
}

/// Starts a process and answers with its number.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn birth(
    context: *mut Context,
    process: i32,
    priority: i32,
    args: *const i32,
    count: i32,
) -> i64 {
    // SAFETY: see the module.
    let (c, args) = unsafe { (&mut *context, std::slice::from_raw_parts(args, count as usize)) };
    let program = c.program();
    let p = &program.processes[process as usize];
    let pid = c.scan.count();
    if pid >= PROCESS_MAX {
        c.raise(RawFailure::new(Fault::TooManyProcesses));
        return -1;
    }
    let before = c.scan.channel_count;
    if before as usize + p.channels.len() > 255 {
        c.raise(RawFailure::new(Fault::TooManyChannels));
        return -1;
    }
    // SAFETY: while a successor is being made, `out` is its vector, and only the context refers to it.
    let out = unsafe { &mut *c.out };
    let at = out.len() as u32;
    out.resize(out.len() + p.frame_size as usize, 0);
    program.write_location(out, at, p.entry);
    if program.uses_priority {
        out[(at + program.location_size) as usize] = priority as u8;
    }
    c.base = out.as_mut_ptr();
    c.scan.push(program, process as u32, at);
    c.process_count = c.scan.count() as u32;
    c.channel_count = c.scan.channel_count;
    c.channels_before = before;
    c.args_list.fill(0);
    let taken = args.len().min(c.args_list.len());
    c.args_list[..taken].copy_from_slice(&args[..taken]);
    // SAFETY: the frame begins where the state ended.
    let (base, frame) = unsafe { (c.base, c.byte(at)) };
    let Some(init) = p.init else { return pid as i64 };
    // SAFETY: the frame is new and of this type; it lies inside the state.
    let answer = unsafe { init(context, base, frame, pid as i32, 0) };
    if answer < 0 { -1 } else { pid as i64 }
}

/// The value of foreign code, 32 bits. `seen` says how many bytes of the frame are there.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn evaluate(
    context: *mut Context,
    base: *mut u8,
    frame: *mut u8,
    code: i32,
    seen: i32,
    args: *const i32,
    count: i32,
) -> i64 {
    // SAFETY: see the module; nothing changes while the code runs.
    let (c, args, fixed, frame) = unsafe {
        let c = &mut *context;
        let fixed = std::slice::from_raw_parts(base, c.program().fixed_size as usize);
        let frame = std::slice::from_raw_parts(frame, seen as usize);
        (c, std::slice::from_raw_parts(args, count as usize), fixed, frame)
    };
    let Some(foreign) = &c.program().foreign else {
        c.raise(RawFailure::new(Fault::Foreign));
        return -1;
    };
    match foreign.evaluate(code as u32, fixed, frame, args) {
        Ok(value) => i64::from(value as u32),
        Err(number) => {
            c.raise(RawFailure::called(number));
            -1
        }
    }
}

/// Runs foreign code.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn execute(
    context: *mut Context,
    base: *mut u8,
    frame: *mut u8,
    code: i32,
    seen: i32,
    args: *const i32,
    count: i32,
) -> i64 {
    // SAFETY: see the module. The frame lies behind the fixed part, or, that of a monitor, at its end: what is handed over does
    // not overlap.
    let (c, args, fixed, frame) = unsafe {
        let c = &mut *context;
        let before = (frame as usize).saturating_sub(base as usize);
        let fixed = std::slice::from_raw_parts_mut(base, before.min(c.program().fixed_size as usize));
        let frame = std::slice::from_raw_parts_mut(frame, seen as usize);
        (c, std::slice::from_raw_parts(args, count as usize), fixed, frame)
    };
    let Some(foreign) = &c.program().foreign else {
        c.raise(RawFailure::new(Fault::Foreign));
        return -1;
    };
    match foreign.execute(code as u32, &mut Site { fixed, frame, args, printed: None }) {
        Done::Fine => 0,
        Done::Noted(number) => {
            c.note(RawFailure::called(number));
            0
        }
        Done::Failed(number) => {
            c.raise(RawFailure::called(number));
            -1
        }
    }
}
