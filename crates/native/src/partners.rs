//! The search for partners of a rendezvous, a helper function that calls generated code for each process.
//!
//! Safety: as in [`crate::runtime`].

use crate::context::{Code, Context, REDO, RawFailure};
use ferrospin_system::{Move, NO_EDGE};

/// Writes the moves of a process at a location where a handshake may begin. All are still to be taken, and there is a
/// place for the successor of each.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn shaking(
    context: *mut Context,
    base: *mut u8,
    frame: *mut u8,
    pid: i32,
    out: *mut Move,
) -> *mut Move {
    // SAFETY: see the module; the borrow is given up around every call of generated code.
    let c = unsafe { &mut *context };
    let program = c.program();
    // SAFETY: the frame is one of the state's.
    let here = unsafe { c.location(frame.offset_from(base) as u32) };
    let location = &program.locations[here as usize];
    let Some(test) = location.test else { return out };
    // SAFETY: the frame is that of a process at this location.
    let mask = unsafe { test(context, base, frame, pid, 0) } as u64;
    // SAFETY: as above.
    let c = unsafe { &mut *context };
    let mut found = std::mem::take(&mut c.handshakes);
    let mut next = out;
    if c.slot != c.slots.as_mut_ptr() || !c.failures.is_empty() {
        c.slow_path |= REDO;
        c.failures.clear();
    } else {
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        let set = bits(c, mask, count);
        let mut write = |mv: Move| {
            // SAFETY: the machine has made room for this many moves and successors.
            unsafe {
                next.write(Move { stutter: true, timeout: true, ..mv });
                (next, c.dest) = (next.add(1), c.dest.add(c.room));
            }
            c.slow_path |= 1;
        };
        let mut rest = &found[..];
        for i in set {
            let edge = program.edge_ids[first + i];
            let own = rest.iter().take_while(|h| h.edge == edge).count();
            if own == 0 {
                write(Move::single(pid as u8, edge));
            }
            rest[..own].iter().for_each(|h| write(*h));
            rest = &rest[own..];
        }
    }
    found.clear();
    c.handshakes = found;
    next
}

/// Whether `provided` lets a process move: calls its code.
pub(crate) fn provided(context: *mut Context, code: Code, pid: usize) -> Result<bool, RawFailure> {
    // SAFETY: the machine calls this with its own context, which describes a scanned state; the borrow ends at once.
    let (base, frame) = unsafe { ((*context).base, (*context).byte((&(*context).scan.frames)[pid].at)) };
    // SAFETY: the frame is that of a process whose type has this condition.
    let answer = unsafe { code(context, base, frame, pid as i32, 0) };
    if answer >= 0 {
        return Ok(answer != 0);
    }
    // SAFETY: the slot holds the failure that was raised.
    Err(unsafe { *(*context).slot })
}

/// All ways in which another process takes the message on offer, youngest first; answers whether there is one.
///
/// # Safety
/// See the module.
pub(crate) unsafe extern "C" fn handshakes(context: *mut Context, pid: i32, edge: i32) -> i64 {
    // SAFETY: see the module; the borrow is given up around every call of generated code.
    let c = unsafe { &mut *context };
    let program = c.program();
    let (base, number, timeout) = (c.base, c.number, c.timeout != 0);
    c.drain(pid as u8);
    let before = c.handshakes.len();
    let mut failure = None;
    for partner in (0..c.scan.count()).rev().filter(|p| *p != pid as usize) {
        // SAFETY: as above.
        let c = unsafe { &mut *context };
        let frame = &c.scan.frames[partner];
        let at = frame.at;
        // SAFETY: the frame lies inside the state, whatever its type turns out to be.
        let here = unsafe { c.location(at) } as usize;
        let Some(receivers) = program.receivers.get(here).filter(|r| r.process == frame.process) else {
            // The processes are not those of the last scan; code that has not made sure of that before looks again.
            c.slow_path |= REDO;
            return 0;
        };
        if receivers.channels >> (number as u32 % 64) & 1 == 0 && !program.uses_provided {
            continue;
        }
        let location = &program.locations[here];
        if let Some(code) = program.processes[location.process as usize].provided {
            match provided(context, code, partner) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(mut failure) => {
                    // SAFETY: as above.
                    let c = unsafe { &mut *context };
                    let first = (location.edges.1 > 0).then(|| program.edge_ids[location.edges.0 as usize]);
                    failure.edge = first.unwrap_or(NO_EDGE);
                    c.failures.push((failure, partner as u8));
                    continue;
                }
            }
        }
        let Some(accepts) = location.accepts else { continue };
        // SAFETY: as above.
        let c = unsafe { &mut *context };
        c.raise(RawFailure::default());
        // SAFETY: the frame is that of a process at this location.
        let first = unsafe { accepts(context, base, base.add(at as usize), partner as i32, number) } as u64;
        // SAFETY: as above.
        let c = unsafe { &mut *context };
        for i in bits(c, first, location.edges.1 as usize) {
            c.handshakes.push(Move {
                process: pid as u8,
                edge: edge as u32,
                partner: partner as u8,
                partner_edge: program.edge_ids[location.edges.0 as usize + i],
                property: NO_EDGE,
                timeout,
                stutter: false,
            });
        }
        // SAFETY: the slot always points to a failure.
        let raised = unsafe { *c.slot };
        if raised.code != 0 {
            failure = Some(raised);
            break;
        }
    }
    // SAFETY: as above.
    let c = unsafe { &mut *context };
    if let Some(mut f) = failure {
        f.edge = edge as u32;
        c.failures.push((f, pid as u8));
    }
    i64::from(c.handshakes.len() > before)
}

/// The bits that a function that tests edges has set.
pub(crate) struct Bits {
    /// What is left of the word in hand, and its first bit.
    left: u64,
    base: usize,
    /// The words behind it; none for up to 64 edges, which nearly all locations have.
    others: std::vec::IntoIter<u64>,
}

/// The bits a function that tests `count` edges has set.
#[inline(always)]
pub(crate) fn bits(c: &Context, first: u64, count: usize) -> Bits {
    let (left, others) = if count <= 64 { (first, Vec::new()) } else { many(c, count) };
    Bits { left, base: 0, others: others.into_iter() }
}

/// The first word, and the others.
#[cold]
fn many(c: &Context, count: usize) -> (u64, Vec<u64>) {
    (c.masks_list[0], c.masks_list[1..count.div_ceil(64)].to_vec())
}

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.left = self.others.next()?;
            self.base += 64;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(self.base + bit)
    }
}
