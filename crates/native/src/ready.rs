//! Functions that serve many locations and edges, so that they need not be compiled.
//!
//! They are called like generated code. Safety, for all of them: the context is the machine's own and describes the state;
//! the frame is that of a process which stands at a location that has this function, or whose edge has it.

use crate::context::Context;
use ferrospin_system::Move;

/// Writes the move of the only edge of a location, which is always executable.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn always(
    context: *mut Context,
    base: *mut u8,
    frame: *mut u8,
    pid: i32,
    out: *mut Move,
) -> *mut Move {
    // SAFETY: see the module.
    let c = unsafe { &*context };
    // SAFETY: the frame is one of the state's.
    let at = unsafe { frame.offset_from(base) } as u32;
    let program = c.program();
    // SAFETY: as above.
    let here = unsafe { c.location(at) };
    let edge = program.edge_ids[program.locations[here as usize].edges.0 as usize];
    // SAFETY: the machine has made room for a move per edge.
    unsafe {
        out.write(Move::single(pid as u8, edge));
        out.add(1)
    }
}

/// Writes the end of a process, which it reaches when it is the youngest.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn end(
    context: *mut Context,
    base: *mut u8,
    frame: *mut u8,
    pid: i32,
    out: *mut Move,
) -> *mut Move {
    // SAFETY: see the module.
    let youngest = unsafe { (*context).process_count } == pid as u32 + 1;
    // SAFETY: as for `always`.
    let next = unsafe { always(context, base, frame, pid, out) };
    if youngest { next } else { out }
}

/// Changes the location, a number of this many bytes, and nothing else.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn arrive<T: LocationNumber>(
    _: *mut Context,
    _: *mut u8,
    frame: *mut u8,
    _: i32,
    to: i32,
) -> i64 {
    // SAFETY: a frame starts with its location, a number of that size.
    unsafe { frame.cast::<T>().write_unaligned(T::of(to)) };
    0
}

/// Changes the location and `_last`.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn arrive_and_tell(
    context: *mut Context,
    base: *mut u8,
    frame: *mut u8,
    pid: i32,
    to: i32,
) -> i64 {
    // SAFETY: see the module; the frame is one of the state's.
    let (c, at) = unsafe { (&mut *context, frame.offset_from(base) as u32) };
    // SAFETY: as above; the state is being made.
    unsafe { c.set_location(at, to as u32) };
    if let Some(last) = c.program().last {
        c.set_last(last, pid as u8);
    }
    0
}

/// How locations are numbered.
pub(crate) trait LocationNumber {
    /// The number, lowest byte first.
    fn of(location: i32) -> Self;
}

macro_rules! location_number {
    ($($t:ty)*) => { $(
        impl LocationNumber for $t {
            fn of(location: i32) -> Self {
                (location as $t).to_le()
            }
        }
    )* };
}

location_number!(u8 u16 u32);
