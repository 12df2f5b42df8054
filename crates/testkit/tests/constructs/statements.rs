//! Statements, labels and jumps.

use super::expressions::{first, is_computed};
use super::units::Home;
use super::{Around, Construct as C, Walk};
use ferrospin_promela::ast::{ChannelEnd, Expr, ExprKind, Sequence, Stmt, StmtKind, VarRef};

impl Walk {
    /// The body of a process or claim.
    pub(super) fn body(&mut self, body: &Sequence) {
        self.labels.clear();
        self.jumps.clear();
        self.sequence(body);
        for (to, from) in std::mem::take(&mut self.jumps) {
            let Some((_, at)) = self.labels.iter().find(|(name, _)| *name == to).cloned() else { continue };
            let entered = |kind| at.iter().any(|a| a.1 == kind && !from.contains(a));
            let left = |kind| from.iter().any(|a| a.1 == kind && !at.contains(a));
            let both = |kind| from.iter().any(|a| a.1 == kind && at.contains(a));
            for (kind, into, out) in [
                (Around::If, C::JumpIntoIf, C::JumpOutOfIf),
                (Around::Do, C::JumpIntoDo, C::JumpOutOfDo),
                (Around::Atomic, C::JumpIntoAtomic, C::JumpOutOfAtomic),
                (Around::DStep, C::JumpIntoDStep, C::JumpOutOfDStep),
                (Around::Unless, C::JumpIntoUnless, C::JumpOutOfUnless),
            ] {
                self.saw_if(entered(kind), into);
                self.saw_if(left(kind), out);
            }
            self.saw_if(both(Around::DStep), C::JumpInDStep);
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        sequence.steps.iter().for_each(|s| self.statement(s));
    }

    fn within(&mut self, kind: Around, walk: impl FnOnce(&mut Walk)) {
        self.numbers += 1;
        self.around.push((self.numbers, kind));
        walk(self);
        self.around.pop();
    }

    fn options(&mut self, kind: Around, options: &[Sequence]) {
        let polls = |s: &Sequence| {
            s.steps
                .first()
                .is_some_and(|s| matches!(&s.kind, StmtKind::Expr(e) if matches!(e.kind, ExprKind::Poll { .. })))
        };
        let falls = |s: &Sequence| s.steps.first().is_some_and(|s| s.kind == StmtKind::Else);
        self.saw_if(options.iter().any(polls) && options.iter().any(falls), C::ElseBesidePoll);
        for o in options {
            self.saw_if(o.steps.first().is_some_and(|s| !s.labels.is_empty()), C::LabelOnFirstOfOption);
            self.within(kind, |w| w.sequence(o));
        }
    }

    fn labels_of(&mut self, s: &Stmt) {
        for l in &s.labels {
            let name = l.name.to_string();
            self.saw_if(name.starts_with("end"), C::EndLabel);
            self.saw_if(name.starts_with("accept"), C::AcceptLabel);
            self.saw_if(name.starts_with("progress"), C::ProgressLabel);
            self.saw_if(self.inside(Around::Atomic), C::LabelInAtomic);
            self.saw_if(self.inside(Around::DStep), C::LabelInDStep);
            self.saw_if(self.inside(Around::Unless), C::LabelInUnless);
            let compound =
                matches!(s.kind, StmtKind::If(_) | StmtKind::Do(_) | StmtKind::Atomic(_) | StmtKind::DStep(_));
            self.saw_if(compound, C::LabelOnCompound);
            self.labels.push((name, self.around.clone()));
        }
    }

    /// A variable that is written.
    fn written(&mut self, v: &VarRef) {
        self.saw_if(is_computed(v), C::ComputedIndexWritten);
        self.reference(v);
    }

    fn statement(&mut self, s: &Stmt) {
        self.labels_of(s);
        let (in_atomic, in_d_step) = (self.inside(Around::Atomic), self.inside(Around::DStep));
        match &s.kind {
            StmtKind::Decl(d) => {
                self.saw(C::LocalDeclaration);
                self.declaration(d, Home::Body);
            }
            StmtKind::Exclusive { end, channels: _ } => self.saw(match end {
                ChannelEnd::Receive => C::ExclusiveReceive,
                ChannelEnd::Send => C::ExclusiveSend,
            }),
            StmtKind::Empty => self.saw(C::EmptyStatement),
            StmtKind::Expr(e) => {
                self.saw(C::ExpressionStatement);
                self.expression(e);
            }
            StmtKind::Assign(v, e) => {
                self.saw(C::Assignment);
                self.assigned(v, e);
            }
            StmtKind::Increment(v) => {
                self.saw(C::Increment);
                self.saw_if(first(v) == "_priority", C::PriorityIncremented);
                self.written(v);
            }
            StmtKind::Decrement(v) => {
                self.saw(C::Decrement);
                self.saw_if(first(v) == "_priority", C::PriorityDecremented);
                self.written(v);
            }
            StmtKind::Send { channel, sorted, args, call_form } => {
                self.saw(if *sorted { C::SortedSend } else { C::Send });
                self.saw_if(*call_form, C::SendAsCall);
                self.saw_if(args.iter().any(|a| matches!(a.kind, ExprKind::Binary(..))), C::ArithmeticInSend);
                self.channel(channel);
                args.iter().for_each(|e| self.expression(e));
            }
            StmtKind::Receive { channel, random, copy, args, call_form } => {
                self.saw(if *random { C::RandomReceive } else { C::Receive });
                self.saw_if(*copy, C::CopyReceive);
                self.saw_if(*call_form, C::ReceiveAsCall);
                self.channel(channel);
                args.iter().for_each(|a| self.pattern(a));
            }
            StmtKind::If(options) => {
                self.saw(C::If);
                self.options(Around::If, options);
            }
            StmtKind::Do(options) => {
                self.saw(C::Do);
                self.options(Around::Do, options);
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.saw(C::ForRange);
                self.saw_if(first(var) == "_priority", C::PriorityCounts);
                self.saw_if(in_atomic, C::ForInAtomic);
                self.saw_if(in_d_step, C::ForInDStep);
                self.written(var);
                [from, to].into_iter().for_each(|e| self.expression(e));
                self.within(Around::For, |w| w.sequence(body));
            }
            StmtKind::ForIn { var, container, body } => {
                self.saw(C::ForIn);
                self.written(var);
                self.reference(container);
                self.within(Around::For, |w| w.sequence(body));
            }
            StmtKind::Select { var, from, to, options } => {
                self.saw(if *options { C::SelectOptions } else { C::SelectLoop });
                self.saw_if(first(var) == "_priority", C::PrioritySelected);
                self.saw_if(in_atomic, C::SelectInAtomic);
                self.saw_if(in_d_step, C::SelectInDStep);
                self.written(var);
                [from, to].into_iter().for_each(|e| self.expression(e));
            }
            StmtKind::Atomic(body) => {
                self.saw(C::Atomic);
                self.saw_if(in_d_step, C::AtomicInDStep);
                self.within(Around::Atomic, |w| w.sequence(body));
            }
            StmtKind::DStep(body) => {
                self.saw(C::DStep);
                self.saw_if(in_d_step, C::DStepInDStep);
                self.within(Around::DStep, |w| w.sequence(body));
            }
            StmtKind::Block(body) => {
                self.saw(C::Block);
                self.within(Around::Block, |w| w.sequence(body));
            }
            StmtKind::Unless(body, escape) => {
                self.saw(C::Unless);
                self.saw_if(self.inside(Around::Unless), C::NestedUnless);
                self.within(Around::Unless, |w| w.statement(body));
                self.within(Around::Unless, |w| w.statement(escape));
            }
            StmtKind::Goto(label) => {
                self.saw(C::Goto);
                self.jumps.push((label.name.to_string(), self.around.clone()));
            }
            StmtKind::Break => self.saw(C::Break),
            StmtKind::Else => self.saw(C::Else),
            StmtKind::Assert(e) => {
                self.saw(C::Assert);
                self.expression(e);
            }
            StmtKind::Printf { format: _, args } => {
                self.saw(C::Printf);
                args.iter().for_each(|e| self.expression(e));
            }
            StmtKind::Printm(e) => {
                self.saw(C::Printm);
                self.expression(e);
            }
            StmtKind::SetPriority(p, n) => {
                self.saw(C::SetPriority);
                [p, n].into_iter().for_each(|e| self.expression(e));
            }
            StmtKind::CCode(_) => self.saw(C::CCodeStatement),
            StmtKind::InlineCall { name: _, args: _, written: _, target, body } => {
                self.saw(C::InlineCall);
                self.saw_if(in_atomic, C::InlineInAtomic);
                self.saw_if(in_d_step, C::InlineInDStep);
                self.saw_if(self.inside(Around::Inline), C::NestedInline);
                if let Some(v) = target {
                    self.saw_if(first(v) == "_priority", C::PriorityFromInline);
                    self.saw_if(first(v) == "_", C::DroppedInline);
                }
                self.within(Around::Inline, |w| w.statement(body));
            }
            StmtKind::Return { target, value } => {
                self.saw(C::Return);
                self.written(target);
                self.expression(value);
            }
        }
    }

    fn assigned(&mut self, v: &VarRef, e: &Expr) {
        let run = matches!(e.kind, ExprKind::Run { .. });
        match first(v) {
            "_priority" => self.saw(if run { C::PriorityFromRun } else { C::PriorityAssigned }),
            "_" => self.saw(if run { C::DroppedRun } else { C::DroppedValue }),
            _ => {}
        }
        self.written(v);
        self.expression(e);
    }
}
