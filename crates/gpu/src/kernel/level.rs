//! The search: levels, chunks, parts of chunks.
//!
//! A block takes first the chunk of a level that stands at its own place, then others in turn. Of a reduced search each part
//! of a chunk has two passes: in the first a state is expanded by one process where that may be enough, in the second by all
//! others where none of those successors is new (Bosnacki and Holzmann, "Improving Spin's partial-order reduction for breadth-first
//! search", 2005). A thread that finds a state new has put it into the table itself, behind its own state, so that on no cycle all
//! states put something off.

use super::beside::Beside;
use super::gate::{self, Gate};
use super::stage::{Staging, insert_stage, is_clear, remember_worst};
use super::{Plan, Sizing, abort, control::*, expand, holds, item_at, load_item, param, shared, stop, unpack};
use crate::Reason;
use crate::ample::Ample;
use crate::code::{Arg, Atomic, Builder, Cond, Math, Op, Program, Reg, Relation, Space, Special, Type};
use crate::lower::{Lower, OTHERS, Sink};

/// Registers of a reduced search.
struct Passes {
    /// Which pass it is.
    second: Reg,
    /// The thread from which on, and how many, take part in the second one.
    from: Reg,
    span: Reg,
    /// Whether the thread must expand its state by all others, and by which process it was expanded, plus one.
    needs: Reg,
    chosen: Reg,
    /// Processes that may be enough and were not tried yet, a bit each.
    left: Reg,
}

/// The kernel.
pub(crate) fn search(plan: &Plan<'_, '_>) -> Result<Program, Reason> {
    let Plan { layout, kind, sizes, checks, .. } = *plan;
    let sizing = Sizing { sizes, words: layout.words, origins: plan.ample.is_some() };
    let holds = holds(layout);
    let mut b = Builder::default();
    let thread = b.special(Special::Thread);
    let control = b.param(param::CONTROL);
    let began = b.special(Special::Clock);
    let lead = b.compare(Relation::Eq, false, thread, 0);
    let lead = Cond::When(b.flag(lead), true);
    let counted = b.label();
    b.jump_if(!lead, counted);
    for i in 0..4 {
        b.store(Type::Wide, Space::Shared, 0, shared::COUNTS + 8 * i, Arg::Const(0));
        b.store(Type::Wide, Space::Shared, 0, shared::TOTALS + 8 * i, Arg::Const(0));
    }
    b.place(counted);
    let gate = Gate::new(&mut b, control, lead);
    let low = b.load(Type::Wide, Space::Global, control, 8 * LOW);
    let high = b.load(Type::Wide, Space::Global, control, 8 * HIGH);
    let (low, high) = (b.copy(Type::Wide, low), b.copy(Type::Wide, high));
    // 0 in the first level of a launch, which may have been begun by another one.
    let fresh = b.copy(Type::Word, 0);
    let limit = b.copy(Type::Word, sizes.threads);
    let (left, first, most) = (b.reg(Type::Word), b.reg(Type::Wide), b.reg(Type::Word));
    let (level, chunk, part, meeting, leave) = (b.label(), b.label(), b.label(), b.label(), b.label());

    b.place(level);
    let size = b.wide(Math::Sub, high, low);
    let claim = gate::share(&mut b, size, sizes.threads);
    let claim = b.copy(Type::Word, claim);
    let shares = gate::first_shares(&mut b, claim.into());
    let shared_out = b.wide(Math::Add, low, shares);
    let no_more = b.compare_wide(Relation::Ge, shared_out, high);
    let all_shared = b.reg(Type::Flag);
    let begun = b.compare(Relation::Ne, false, fresh, 0);
    let no_more = b.both(no_more, begun);
    let no_more = b.flag(no_more);
    b.set(all_shared, no_more);
    b.jump_if(!begun, chunk);
    let block = b.special(Special::Block);
    let own = b.word(Math::Mul, block, claim);
    let own = b.widen(own);
    let own = b.wide(Math::Add, low, own);
    b.set(first, own);
    b.set(most, claim);
    let taken = b.label();
    b.jump(taken);

    b.place(chunk);
    let (claimed, none, give) = (b.label(), b.label(), b.label());
    b.jump_if(Cond::When(all_shared, true), meeting);
    b.jump_if(!lead, claimed);
    let aborted = b.load(Type::Wide, Space::Global, control, 8 * ABORT);
    let aborts = b.compare_wide(Relation::Ne, aborted, Arg::Const(0));
    b.jump_if(aborts, none);
    let now = b.special(Special::Clock);
    let took = b.wide(Math::Sub, now, began);
    let cycles = b.param(param::CYCLES);
    let late = b.compare_wide(Relation::Gt, took, cycles);
    b.jump_if(late, none);
    // As many as one part can take, so that no part is a rest.
    let asked = b.word(Math::Min, claim, limit);
    let asked = b.widen(asked);
    let got = b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * CURSOR, asked);
    b.store(Type::Wide, Space::Shared, 0, shared::BASE, got);
    b.jump(give);
    b.place(none);
    b.store(Type::Wide, Space::Shared, 0, shared::BASE, Arg::Const(u64::MAX));
    b.place(give);
    b.place(claimed);
    b.op(Op::Barrier);
    let base = b.load(Type::Wide, Space::Shared, 0, shared::BASE);
    b.set(first, base);
    let asked = b.word(Math::Min, claim, limit);
    b.set(most, asked);
    b.place(taken);
    let over = b.compare_wide(Relation::Ge, first, high);
    b.jump_if(over, meeting);
    let rest = b.wide(Math::Sub, high, first);
    let most = b.widen(most);
    let rest = b.wide(Math::Min, rest, most);
    let rest = b.half(rest, false);
    b.set(left, rest);

    // A part of the chunk, as large as the stage has been able to take.
    b.place(part);
    let take = b.word(Math::Min, left, limit);
    let take = b.copy(Type::Word, take);
    let passes = plan.ample.map(|_| {
        let zero = Arg::from(0);
        let [second, from, needs, chosen, left] = [(); 5].map(|()| b.copy(Type::Word, zero));
        Passes { second, from, span: b.copy(Type::Word, take), needs, chosen, left }
    });
    let (round, reset) = (b.label(), b.label());
    b.place(round);
    b.jump_if(!lead, reset);
    for place in [shared::STAGED, shared::NEW, shared::HELD, shared::STACK_OVER, shared::VIOLATIONS, shared::NEEDY] {
        b.store(Type::Word, Space::Shared, 0, place, 0);
    }
    (0..8).for_each(|i| b.store(Type::Word, Space::Shared, 0, shared::WORST + 4 * i, 0));
    if plan.ample.is_some() {
        (0..8).for_each(|i| b.store(Type::Word, Space::Shared, 0, shared::FRESH + 4 * i, 0));
    }
    b.place(reset);
    b.op(Op::Barrier);
    let inner = b.copy(Type::Word, 0);
    let origin = b.copy(Type::Word, thread);
    let only = (holds || plan.ample.is_some()).then(|| b.copy(Type::Word, 0));
    let inside = holds.then(|| b.copy(Type::Flag, 0));
    let beside = Beside::new(&mut b, layout, plan.automaton);
    let (idle, expanding, expanded) = (b.label(), b.label(), b.label());
    let mine = b.compare(Relation::Ge, false, thread, take);
    b.jump_if(mine, idle);
    if let Some(p) = &passes {
        let ready = b.label();
        let first_pass = b.compare(Relation::Eq, false, p.second, 0);
        b.jump_if(first_pass, ready);
        let none = b.compare(Relation::Eq, false, p.needs, 0);
        b.jump_if(none, idle);
        let above = b.word(Math::Sub, thread, p.from);
        let outside = b.compare(Relation::Ge, false, above, p.span);
        b.jump_if(outside, idle);
        b.place(ready);
    }
    let own = b.widen(thread);
    let own = b.wide(Math::Add, first, own);
    let queue = b.param(param::QUEUE);
    let mask = b.param(param::QUEUE_MASK);
    let at = item_at(&mut b, layout.words, queue, mask, own);
    let item = load_item(&mut b, layout.words, at);
    let mut sink = Staging { sizing: &sizing, control, origin, beside: beside.clone() };
    let mut lower = Lower::new(b, layout, checks);
    lower.reduced = plan.ample.is_some();
    let source = lower.source.clone();
    unpack(&mut lower.b, &item, &source);
    if let Some(beside) = &beside {
        // The automaton moves first; where it cannot, this is no run of it.
        let (broken, moved) = (lower.b.label(), lower.b.label());
        let at = beside.at(&mut lower.b, &source);
        let mark = lower.b.mark();
        lower.automaton_moves(&beside.automaton, at, beside.next, broken)?;
        let breaks = lower.b.goes_to(mark, broken);
        let b = &mut lower.b;
        if breaks {
            b.jump(moved);
            b.place(broken);
            b.store(Type::Wide, Space::Global, control, 8 * ABORT, Arg::Const(abort::NO_VALUE));
            b.set(beside.next, 0);
            b.place(moved);
        }
        let certain = beside.take_finals(b);
        let fine = b.label();
        b.jump_if(!certain, fine);
        sink.violation(b);
        b.place(fine);
        let nowhere = b.compare(Relation::Eq, false, beside.next, 0);
        b.jump_if(nowhere, expanded);
    }
    if let (Some(ample), Some(p)) = (plan.ample, &passes) {
        choose(&mut lower, ample, p, only);
    }
    lower.b.place(expanding);
    let moved = lower.moved;
    lower.b.set(moved, 0);
    expand(&mut lower, &mut sink, only)?;
    let acted = lower.b.label();
    lower.b.jump_if(Cond::When(moved, true), acted);
    if let Some(inside) = inside {
        // A process that is blocked inside `atomic` loses control.
        let free = lower.b.label();
        lower.b.jump_if(Cond::When(inside, false), free);
        sink.emit(&mut lower.b, &source);
        lower.b.jump(expanded);
        lower.b.place(free);
    }
    if let (Some(only), Some(p)) = (only, &passes) {
        // A process that cannot move is no choice: the next one, at last all.
        let all = lower.b.label();
        let done = lower.b.compare(Relation::Eq, false, only, 0);
        lower.b.jump_if(done, all);
        let others = lower.b.compare(Relation::Ge, false, only, OTHERS);
        lower.b.jump_if(others, expanded);
        next_candidate(&mut lower.b, p.left, only);
        lower.b.jump(expanding);
        lower.b.place(all);
    }
    if beside.is_some() {
        // A run that stops stays where it is for ever.
        sink.emit(&mut lower.b, &source);
        lower.b.jump(expanded);
    } else {
        let valid = lower.valid_end();
        lower.b.jump_if(valid, expanded);
        sink.violation(&mut lower.b);
        lower.b.jump(expanded);
    }
    lower.b.place(acted);
    if let (Some(p), Some(only)) = (&passes, only) {
        // Which process it was; a state inside `atomic` has forgotten that, and says nothing.
        let b = &mut lower.b;
        let known = b.label();
        if let Some(inside) = inside {
            b.jump_if(Cond::When(inside, true), known);
        }
        let second = b.compare(Relation::Ne, false, p.second, 0);
        b.jump_if(second, known);
        b.set(p.chosen, only);
        b.place(known);
    }
    lower.b.place(expanded);
    let mut b = lower.b;
    b.place(idle);
    if let (Some(only), Some(inside)) = (only, inside) {
        // States inside `atomic`, last in, first out.
        let out = b.label();
        b.op(Op::Barrier);
        let held = b.load(Type::Word, Space::Shared, 0, shared::HELD);
        let over = b.load(Type::Word, Space::Shared, 0, shared::STACK_OVER);
        let empty = b.compare(Relation::Eq, false, held, 0);
        b.jump_if(empty, out);
        let full = b.compare(Relation::Ne, false, over, 0);
        b.jump_if(full, out);
        let taken = b.word(Math::Min, held, sizes.threads);
        let sum = b.word(Math::Add, inner, taken);
        b.set(inner, sum);
        let endless = b.compare(Relation::Gt, false, inner, sizes.steps_max);
        let goes_on = b.label();
        b.jump_if(!endless, goes_on);
        b.store(Type::Wide, Space::Global, control, 8 * ABORT, Arg::Const(abort::ENDLESS));
        b.jump(out);
        b.place(goes_on);
        let (nothing, fetched) = (b.label(), b.label());
        let none = b.compare(Relation::Ge, false, thread, taken);
        b.jump_if(none, nothing);
        let below = b.word(Math::Sub, held, 1);
        let place = b.word(Math::Sub, below, thread);
        let at = b.word(Math::Mul, place, sizing.held_bytes());
        for (k, to) in source.iter().enumerate() {
            let word = b.load(Type::Word, Space::Shared, at, sizing.stack_at() + 4 * k as u32);
            b.set(*to, word);
        }
        let who = b.load(Type::Word, Space::Shared, at, sizing.stack_at() + 4 * source.len() as u32);
        let slot = b.word(Math::And, who, 255);
        b.set(only, slot);
        let from = b.word(Math::Shr, who, 8);
        b.set(origin, from);
        b.set(inside, 1);
        if let Some(beside) = &beside {
            beside.stay(&mut b, &source);
        }
        b.jump(fetched);
        b.place(nothing);
        b.set(only, 0);
        b.set(inside, 0);
        source.iter().for_each(|word| b.set(*word, 0));
        b.place(fetched);
        b.op(Op::Barrier);
        let kept = b.label();
        b.jump_if(!lead, kept);
        let rest = b.word(Math::Sub, held, taken);
        b.store(Type::Word, Space::Shared, 0, shared::HELD, rest);
        b.place(kept);
        b.op(Op::Barrier);
        if passes.is_some() {
            // What was left to choose among belongs to the state from the queue.
            b.jump_if(Cond::When(inside, false), idle);
        }
        let has = b.compare(Relation::Ne, false, only, 0);
        b.jump_if(has, expanding);
        b.jump(idle);
        b.place(out);
    }
    b.op(Op::Barrier);
    let staged = b.load(Type::Word, Space::Shared, 0, shared::STAGED);
    let over = b.load(Type::Word, Space::Shared, 0, shared::STACK_OVER);
    let violations = b.load(Type::Word, Space::Shared, 0, shared::VIOLATIONS);
    let stage_over = b.compare(Relation::Gt, false, staged, sizing.stage_len());
    let stack_over = b.compare(Relation::Ne, false, over, 0);
    let again = b.either(stage_over, stack_over);
    let fits = b.label();
    b.jump_if(!again, fits);
    // Once more with fewer states. All must have read what the first of them resets.
    b.op(Op::Barrier);
    let given_up = b.label();
    if let Some(p) = &passes {
        let first_pass = b.label();
        let is_first = b.compare(Relation::Eq, false, p.second, 0);
        b.jump_if(is_first, first_pass);
        let half = b.word(Math::Shr, p.span, 1);
        b.set(p.span, half);
        let some = b.compare(Relation::Ne, false, half, 0);
        b.jump_if(some, round);
        b.jump(given_up);
        b.place(first_pass);
    }
    let half = b.word(Math::Shr, take, 1);
    b.set(limit, half);
    let some = b.compare(Relation::Ne, false, half, 0);
    b.jump_if(some, part);
    b.set(limit, 1);
    b.place(given_up);
    let why = b.select(Type::Wide, stack_over, Arg::Const(abort::STACK), Arg::Const(abort::STAGE));
    b.store(Type::Wide, Space::Global, control, 8 * ABORT, why);
    b.set(all_shared, 0);
    b.jump(chunk);
    b.place(fits);

    let worst = b.label();
    let fine = b.compare(Relation::Eq, false, violations, 0);
    b.jump_if(fine, worst);
    remember_worst(&mut b, layout.words, thread, take.into(), first, control, worst);
    b.place(worst);
    insert_stage(&mut b, &sizing, kind, thread, staged, control, lead, low);
    let again = passes.as_ref().map(|p| next_pass(&mut b, p, thread, take));
    // Counts.
    let counted = b.label();
    b.jump_if(!lead, counted);
    let expanded = match &passes {
        None => take.into(),
        Some(p) => {
            let is_first = b.compare(Relation::Eq, false, p.second, 0);
            b.select(Type::Word, is_first, take, 0)
        }
    };
    for (i, count) in [(0, staged.into()), (1, inner.into()), (3, expanded)] {
        let place = shared::COUNTS + 8 * i;
        let sum = b.load(Type::Wide, Space::Shared, 0, place);
        let more = b.widen(count);
        let sum = b.wide(Math::Add, sum, more);
        b.store(Type::Wide, Space::Shared, 0, place, sum);
    }
    let found = b.compare(Relation::Eq, false, violations, 0);
    b.jump_if(found, counted);
    let more = b.widen(violations);
    b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * (PENDING + 2), more);
    b.place(counted);
    if let (Some(p), Some(needy)) = (&passes, again) {
        advance(&mut b, p, needy, take, round);
    }
    // The next part is smaller where the stage was nearly full, and larger where it was not.
    let (smaller, sized) = (b.label(), b.label());
    let tight = b.compare(Relation::Gt, false, staged, sizing.stage_len() / 8 * 7);
    b.jump_if(tight, smaller);
    let roomy = b.compare(Relation::Lt, false, staged, sizing.stage_len() / 8 * 5);
    let more = b.word(Math::Add, limit, sizes.threads.div_ceil(8));
    let more = b.word(Math::Min, more, sizes.threads);
    let whole = b.compare(Relation::Ge, false, take, limit);
    let grows = b.both(roomy, whole);
    let new = b.select(Type::Word, grows, more, limit);
    b.set(limit, new);
    b.jump(sized);
    b.place(smaller);
    let quarter = b.word(Math::Shr, limit, 2);
    let less = b.word(Math::Sub, limit, quarter);
    b.set(limit, less);
    b.place(sized);
    let rest = b.word(Math::Sub, left, take);
    b.set(left, rest);
    let step = b.widen(take);
    let next = b.wide(Math::Add, first, step);
    b.set(first, next);
    let more = b.compare(Relation::Ne, false, left, 0);
    b.jump_if(more, part);
    b.jump(chunk);

    // The level ends when all blocks are here.
    b.place(meeting);
    gate.pass(&mut b, &mut |b| gate::decide(b, control, (low, high), fresh, sizes.threads));
    let stop = gate.stop(&mut b);
    keep_counts(&mut b, stop, lead);
    let next = gate.high(&mut b);
    b.set(low, high);
    b.set(high, next);
    b.set(fresh, 1);
    let stops = b.compare_wide(Relation::Ne, stop, Arg::Const(0));
    b.jump_if(stops, leave);
    b.jump(level);
    b.place(leave);
    flush(&mut b, control, lead);
    b.op(Op::Return);
    let program = b.finish("search", param::COUNT, sizing.bytes(holds), sizes.threads, sizes.blocks_min);
    // Where each thread has loops of its own, translators do not bring the threads of a warp together again.
    Ok(Program { scattered: sizes.scattered || plan.ample.is_some() || plan.automaton.is_some(), ..program })
}

/// Finds the processes that may be enough, and begins with the first of them; in the second pass it is all but the chosen one.
fn choose(lower: &mut Lower<'_, '_>, ample: &Ample, p: &Passes, only: Option<Reg>) {
    let only = only.expect("a reduced search asks single processes");
    let (second, chosen) = (lower.b.label(), lower.b.label());
    let is_second = lower.b.compare(Relation::Ne, false, p.second, 0);
    lower.b.jump_if(is_second, second);
    let found = lower.candidates(ample);
    let b = &mut lower.b;
    b.set(p.left, found);
    next_candidate(b, p.left, only);
    b.jump(chosen);
    b.place(second);
    let others = b.word(Math::Add, p.chosen, OTHERS);
    b.set(only, others);
    b.place(chosen);
}

/// Takes the lowest bit of a set: its number plus one, 0 where there is none.
fn next_candidate(b: &mut Builder, left: Reg, only: Reg) {
    let end = b.label();
    b.set(only, 0);
    let none = b.compare(Relation::Eq, false, left, 0);
    b.jump_if(none, end);
    let lowest = b.reg(Type::Word);
    b.op(Op::Lowest { to: lowest, from: left.into() });
    let slot = b.word(Math::Add, lowest, 1);
    b.set(only, slot);
    let less = b.word(Math::Sub, left, 1);
    let rest = b.word(Math::And, left, less);
    b.set(left, rest);
    b.place(end);
}

/// Whether some thread of the block must expand its state by all other processes; behind the first pass each finds out.
fn next_pass(b: &mut Builder, p: &Passes, thread: Reg, take: Reg) -> Reg {
    let known = b.label();
    b.op(Op::Barrier);
    let second = b.compare(Relation::Ne, false, p.second, 0);
    b.jump_if(second, known);
    let beyond = b.compare(Relation::Ge, false, thread, take);
    b.jump_if(beyond, known);
    let reduced = b.compare(Relation::Ne, false, p.chosen, 0);
    b.jump_if(!reduced, known);
    let none_is_new = is_clear(b, shared::FRESH, thread);
    b.jump_if(!none_is_new, known);
    b.set(p.needs, 1);
    b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::NEEDY, 1);
    b.place(known);
    b.op(Op::Barrier);
    b.load(Type::Word, Space::Shared, 0, shared::NEEDY)
}

/// Goes on with the second pass, as long as threads are left that need it.
fn advance(b: &mut Builder, p: &Passes, needy: Reg, take: Reg, round: crate::code::Label) {
    let (second, done) = (b.label(), b.label());
    // All must have read what the first of them resets.
    b.op(Op::Barrier);
    let is_second = b.compare(Relation::Ne, false, p.second, 0);
    b.jump_if(is_second, second);
    let none = b.compare(Relation::Eq, false, needy, 0);
    b.jump_if(none, done);
    b.set(p.second, 1);
    b.set(p.from, 0);
    b.set(p.span, take);
    b.jump(round);
    b.place(second);
    let next = b.word(Math::Add, p.from, p.span);
    b.set(p.from, next);
    let more = b.compare(Relation::Lt, false, next, take);
    b.jump_if(more, round);
    b.place(done);
}

/// What the block has counted in a level counts unless the level is given up; where only time was over it waits.
fn keep_counts(b: &mut Builder, stop: Arg, lead: Cond) {
    let (done, drop) = (b.label(), b.label());
    b.jump_if(!lead, done);
    let late = b.compare_wide(Relation::Eq, stop, Arg::Const(stop::SLICE));
    b.jump_if(late, done);
    let aborted = b.compare_wide(Relation::Eq, stop, Arg::Const(stop::ABORTED));
    b.jump_if(aborted, drop);
    for i in [0, 1, 3] {
        let count = b.load(Type::Wide, Space::Shared, 0, shared::COUNTS + 8 * i);
        let total = b.load(Type::Wide, Space::Shared, 0, shared::TOTALS + 8 * i);
        let sum = b.wide(Math::Add, total, count);
        b.store(Type::Wide, Space::Shared, 0, shared::TOTALS + 8 * i, sum);
    }
    b.place(drop);
    (0..4).for_each(|i| b.store(Type::Wide, Space::Shared, 0, shared::COUNTS + 8 * i, Arg::Const(0)));
    b.place(done);
}

/// Adds what the block has counted to what all have.
fn flush(b: &mut Builder, control: Reg, lead: Cond) {
    let done = b.label();
    b.jump_if(!lead, done);
    for i in [0, 1, 3] {
        for (from, to) in [(shared::COUNTS, PENDING), (shared::TOTALS, TOTAL)] {
            let count = b.load(Type::Wide, Space::Shared, 0, from + 8 * i);
            b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * (to + i), count);
        }
    }
    b.place(done);
}
