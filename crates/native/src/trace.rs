//! `trace` and `notrace`: the automaton hears of an event.
//!
//! Which channels it names and which of its edges fit is generated code; what follows from it happens here.

use crate::context::{Context, Fault, RawFailure};
use crate::partners::bits;
use ferrospin_system::NO_PROCESS;

/// Tells the automaton of an event whose message stands in the context.
pub(crate) fn event(c: &mut Context, channel: i32, send: bool) {
    let program = c.program();
    let Some(trace) = program.trace else { return };
    let Some(named) = trace.named else { return };
    c.event_send = u32::from(send);
    let no_process = i32::from(NO_PROCESS);
    let base = c.base;
    // SAFETY: the code reads globals only; the context describes the state that is being made.
    let any = unsafe { named(&raw mut *c, base, base, no_process, channel) };
    // One bit per edge of the automaton; with more than 64 the words stand in the context.
    if any == 0 && bits(c, 0, trace.named_count).next().is_none() {
        return;
    }
    // SAFETY: the trace lies in the fixed part of the state.
    let here = unsafe { c.location(trace.at) } as usize;
    let location = &program.locations[here];
    let first = match location.fits {
        // SAFETY: as above.
        Some(fits) => unsafe { fits(&raw mut *c, base, base, no_process, channel) as u64 },
        None => 0,
    };
    let mut fitting = bits(c, first, location.edges.1 as usize);
    let (next, choice) = (fitting.next(), fitting.next().is_some());
    if choice {
        c.note(RawFailure::new(Fault::TraceChoice));
    }
    let to = match next {
        Some(i) => {
            let to = program.edges[program.edge_ids[location.edges.0 as usize + i] as usize].to;
            if trace.forbidden && program.locations[to as usize].stops {
                c.note(RawFailure::new(Fault::NoTraceMatched));
            }
            Some(to)
        }
        // A `notrace` that cannot match any more is switched off, at its closing brace.
        None if trace.forbidden => program.processes[location.process as usize].stop,
        None => {
            c.note(RawFailure::new(Fault::TraceMismatch));
            None
        }
    };
    if let Some(to) = to {
        // SAFETY: as above; the state is being made.
        unsafe { c.set_location(trace.at, to) };
    }
}
