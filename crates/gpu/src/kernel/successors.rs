//! All successors of one state by one thread, those through `atomic` too: for kernels that have no stage.

use super::beside::{self, Beside};
use super::{abort, control, expand, holds, item_words, items, misfit, unpack};
use crate::Reason;
use crate::code::{Arg, Builder, Cond, Math, Reg, Relation, Space, Type};
use crate::layout::Layout;
use crate::lower::{Lower, Sink};

/// States inside `atomic` that a thread keeps.
const STACK: u64 = 64;

/// Bytes of memory that each thread needs for them.
pub(crate) fn stack_bytes(words: usize) -> u64 {
    STACK * 8 * (item_words(words) as u64 + 1)
}

/// The states inside `atomic` that a thread has still to expand.
pub(super) struct Stack {
    depth: Reg,
    base: Reg,
    only: Reg,
    words: usize,
}

impl Stack {
    /// The stack of the thread with a number among all; the memory is what a parameter says. None where no edge keeps control.
    pub(super) fn new(b: &mut Builder, layout: &Layout<'_>, number: Reg, param: u32) -> Option<Stack> {
        holds(layout).then(|| {
            let memory = b.param(param);
            let offset = b.wide(Math::Mul, number, Arg::Const(stack_bytes(layout.words)));
            let base = b.wide(Math::Add, memory, offset);
            let (depth, only) = (b.copy(Type::Word, 0), b.copy(Type::Word, 0));
            Stack { depth, base: b.copy(Type::Wide, base), only, words: layout.words }
        })
    }

    fn entry_bytes(&self) -> u32 {
        8 * (item_words(self.words) as u32 + 1)
    }

    fn push(&self, b: &mut Builder, control: Reg, state: &[Reg], slot: usize) {
        let (full, end) = (b.label(), b.label());
        let over = b.compare(Relation::Ge, false, self.depth, STACK as u32);
        b.jump_if(over, full);
        let at = b.word(Math::Mul, self.depth, self.entry_bytes());
        let at = b.widen(at);
        let at = b.wide(Math::Add, at, self.base);
        for (k, part) in items(b, state).into_iter().enumerate() {
            b.store(Type::Wide, Space::Global, at, 8 * (k as u32 + 1), part);
        }
        b.store(Type::Wide, Space::Global, at, 0, Arg::Const(slot as u64 + 1));
        let more = b.word(Math::Add, self.depth, 1);
        b.set(self.depth, more);
        b.jump(end);
        b.place(full);
        b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::STACK));
        b.place(end);
    }
}

/// What becomes of a stored successor.
pub(super) type Each<'a> = dyn FnMut(&mut Builder, &[Reg]) + 'a;

/// Hands stored successors on.
pub(super) struct Walk<'a> {
    pub(super) control: Reg,
    pub(super) stack: Option<&'a Stack>,
    pub(super) beside: Option<&'a Beside>,
    pub(super) each: &'a mut Each<'a>,
}

impl Sink for Walk<'_> {
    fn emit(&mut self, b: &mut Builder, state: &[Reg]) {
        beside::each(self.beside, b, state, self.each);
    }

    fn hold(&mut self, b: &mut Builder, state: &[Reg], slot: usize) {
        let (stack, control) = (self.stack.expect("some edge keeps control"), self.control);
        beside::each(self.beside, b, state, &mut |b, state| stack.push(b, control, state, slot));
    }

    fn fail(&mut self, _: &mut Builder) {}

    fn overflow(&mut self, b: &mut Builder, field: Arg) {
        misfit(b, self.control, field);
    }
}

impl Walk<'_> {
    /// Code that hands on all successors of an item.
    pub(super) fn expand(&mut self, mut lower: Lower<'_, '_>, item: &[Reg]) -> Result<Builder, Reason> {
        let source = lower.source.clone();
        unpack(&mut lower.b, item, &source);
        let done = lower.b.label();
        if let Some(beside) = self.beside {
            // That it has no value somewhere would have ended the search.
            let at = beside.at(&mut lower.b, &source);
            lower.automaton_moves(&beside.automaton, at, beside.next, done)?;
            beside.take_finals(&mut lower.b);
            let nowhere = lower.b.compare(Relation::Eq, false, beside.next, 0);
            lower.b.jump_if(nowhere, done);
        }
        let only = self.stack.map(|s| s.only);
        if let Some(only) = only {
            lower.b.set(only, 0);
        }
        let expanding = lower.b.label();
        lower.b.place(expanding);
        let moved = lower.moved;
        lower.b.set(moved, 0);
        expand(&mut lower, self, only)?;
        let mut b = lower.b;
        let out = b.label();
        if only.is_some() || self.beside.is_some() {
            b.jump_if(Cond::When(moved, true), out);
            // A process that is blocked inside `atomic` loses control; with an automaton a run that stops stays where it is.
            if let (Some(only), None) = (only, self.beside) {
                let free = b.compare(Relation::Eq, false, only, 0);
                b.jump_if(free, out);
            }
            self.emit(&mut b, &source);
        }
        b.place(out);
        if let Some(Stack { depth, base, only, .. }) = self.stack {
            let (depth, base, only) = (*depth, *base, *only);
            let empty = b.compare(Relation::Eq, false, depth, 0);
            b.jump_if(empty, done);
            let less = b.word(Math::Sub, depth, 1);
            b.set(depth, less);
            let at = b.word(Math::Mul, depth, 8 * (item.len() as u32 + 1));
            let at = b.widen(at);
            let at = b.wide(Math::Add, at, base);
            let who = b.load(Type::Wide, Space::Global, at, 0);
            let who = b.half(who, false);
            b.set(only, who);
            let held: Vec<Reg> =
                (0..item.len() as u32).map(|k| b.load(Type::Wide, Space::Global, at, 8 * (k + 1))).collect();
            unpack(&mut b, &held, &source);
            if let Some(beside) = self.beside {
                beside.stay(&mut b, &source);
            }
            b.jump(expanding);
        }
        b.place(done);
        Ok(b)
    }
}
