//! Edges, put together: one round for the k-th edges of all locations of a process, and one for each way in which a partner
//! may take what is offered there.

use super::{Lower, Made, OTHERS, Sink, Val, Who};
use crate::code::{Cond, Label, Op, Reg, Relation, Type};
use crate::{Reason, Spot};
use ferrospin_model::ir::{Action, Edge, EdgeId, LocationId, Pattern, Receive};

/// What the rounds of one process share.
struct Turn {
    slot: usize,
    /// Set once this process has a move.
    moved: Reg,
    /// The escape that was taken, where there are some.
    escape: Option<Reg>,
    /// Set when looking for partners went wrong.
    broken: Reg,
}

/// Where the code of a round goes.
struct Round {
    emit: Label,
    hold: Label,
    end: Label,
    looking: Label,
    applying: Label,
    mark: usize,
}

impl Lower<'_, '_> {
    /// Code that finds all successors of the state in [`Lower::source`]; with `only`, a word, those of the process of slot
    /// `only` - 1, unless it is 0, or those of all others from [`OTHERS`] on. Sets [`Lower::moved`] if there is one.
    pub(crate) fn expand(&mut self, sink: &mut dyn Sink, only: Option<Reg>) -> Made<()> {
        let broken = self.b.reg(Type::Flag);
        for slot in (0..self.layout.slots.len()).rev() {
            let end = self.b.label();
            if let Some(only) = only {
                let all = self.b.compare(Relation::Eq, false, only, 0);
                let this = self.b.compare(Relation::Eq, false, only, slot as u32 + 1);
                let mut is = self.b.either(all, this);
                if self.reduced {
                    let others = self.b.compare(Relation::Ge, false, only, OTHERS);
                    let other = self.b.compare(Relation::Ne, false, only, OTHERS + slot as u32 + 1);
                    let one_of_them = self.b.both(others, other);
                    is = self.b.either(is, one_of_them);
                }
                self.b.jump_if(!is, end);
            }
            self.provided(slot, sink, end)?;
            let moved = self.b.copy(Type::Flag, 0);
            let escape = self.has_escapes(slot).then(|| self.b.copy(Type::Word, 0));
            let turn = Turn { slot, moved, escape, broken };
            let rounds = self.slot(slot).codes.keys().map(|l| self.layout.model.location(*l).edges.len()).max();
            for k in 0..rounds.unwrap_or(0) {
                self.alone(&turn, k, sink)?;
                self.handshakes(&turn, k, sink)?;
            }
            self.b.place(end);
        }
        Ok(())
    }

    fn has_escapes(&self, slot: usize) -> bool {
        let model = self.layout.model;
        let edges = |l: &LocationId| model.location(*l).edges.iter().any(|e| model.edge(*e).escape != 0);
        self.slot(slot).codes.keys().any(edges)
    }

    /// Goes to `end` where a `provided` does not let the process of a slot move.
    fn provided(&mut self, slot: usize, sink: &mut dyn Sink, end: Label) -> Made<()> {
        let model = self.layout.model;
        self.on_target = false;
        for frame in 0..self.slot(slot).frames.len() {
            let who = Who { slot, frame };
            let Some(e) = &model.process(self.process(who)).provided else { continue };
            let process = self.process(who);
            self.spot = Spot::Process(process);
            let codes = self.codes(slot, |l| model.location(l).process == process);
            let is = self.stands_in(slot, &codes);
            let (other, failed) = (self.b.label(), self.b.label());
            self.b.jump_if(!is, other);
            self.fail = failed;
            let mark = self.b.mark();
            let lets = self.cond(who, e)?;
            self.b.jump_if(!lets, end);
            let fails = self.b.goes_to(mark, failed);
            if fails {
                self.b.jump(other);
                self.b.place(failed);
                sink.fail(&mut self.b);
                self.b.jump(end);
            }
            self.b.place(other);
        }
        Ok(())
    }

    fn open(&mut self) -> Round {
        let mark = self.b.mark();
        for (to, from) in self.target.clone().into_iter().zip(self.source.clone()) {
            self.b.set(to, from);
        }
        self.misfits.clear();
        let b = &mut self.b;
        Round { emit: b.label(), hold: b.label(), end: b.label(), looking: b.label(), applying: b.label(), mark }
    }

    /// Hands on what a round has made; `holder` is the process that keeps control where one does.
    fn close(&mut self, round: &Round, holder: usize, broken: Option<Reg>, sink: &mut dyn Sink) -> bool {
        let goes = |me: &Self, label| me.b.goes_to(round.mark, label);
        let misfits = std::mem::take(&mut self.misfits);
        if !misfits.is_empty() {
            let (field, over) = (self.b.reg(Type::Word), self.b.label());
            for (id, label) in misfits {
                self.b.place(label);
                self.b.set(field, id as u32);
                self.b.jump(over);
            }
            self.b.place(over);
            sink.overflow(&mut self.b, field.into());
            self.b.jump(round.end);
        }
        let fails = goes(self, round.looking);
        if fails {
            self.b.place(round.looking);
            sink.fail(&mut self.b);
            if let Some(broken) = broken {
                self.b.set(broken, 1);
            }
            self.b.jump(round.end);
        }
        if goes(self, round.applying) {
            self.b.place(round.applying);
            sink.fail(&mut self.b);
            self.b.jump(round.end);
        }
        let is_soft = self.b.writes(round.mark, self.soft);
        let target = self.target.clone();
        let holds = goes(self, round.hold);
        if holds {
            self.b.place(round.hold);
            self.tell_soft(is_soft, sink);
            sink.hold(&mut self.b, &target, holder);
            self.b.jump(round.end);
        }
        if goes(self, round.emit) {
            self.b.place(round.emit);
            self.tell_soft(is_soft, sink);
            sink.emit(&mut self.b, &target);
        }
        if is_soft {
            self.b.insert(round.mark, Op::Move { to: self.soft, from: 0.into() });
        }
        self.b.place(round.end);
        fails
    }

    fn tell_soft(&mut self, is_soft: bool, sink: &mut dyn Sink) {
        if is_soft {
            let fine = self.b.label();
            self.b.jump_if(Cond::When(self.soft, false), fine);
            sink.fail(&mut self.b);
            self.b.place(fine);
        }
    }

    /// Goes from the location of a slot to a case for each code in a list, else to `end`.
    fn switch(&mut self, slot: usize, cases: &[(u32, Label)], end: Label) {
        let s = self.slot(slot);
        let at = self.raw(s.location, &super::value::Element::At(0));
        if cases.len() <= 2 || s.count as usize <= 1 {
            for (code, label) in cases {
                let is = self.b.compare(Relation::Eq, false, at, *code);
                self.b.jump_if(is, *label);
                if is == Cond::Known(true) {
                    return;
                }
            }
            self.b.jump(end);
            return;
        }
        let mut targets = vec![end; s.count as usize];
        cases.iter().for_each(|(code, label)| targets[*code as usize] = *label);
        let on = match at {
            crate::code::Arg::Reg(on) => on,
            constant => self.b.copy(Type::Word, constant),
        };
        self.b.op(Op::Switch { on, targets });
    }

    /// The k-th edges of all locations of a slot of which something holds.
    fn edges(&self, slot: usize, k: usize, holds: impl Fn(&Edge) -> bool) -> Vec<(u32, Who, EdgeId)> {
        let model = self.layout.model;
        let mut list = Vec::new();
        for (frame, f) in self.slot(slot).frames.iter().enumerate() {
            for (at, code) in self.slot(slot).codes.iter().filter(|(_, c)| f.codes.contains(c)) {
                if let Some(id) = model.location(*at).edges.get(k)
                    && holds(model.edge(*id))
                {
                    list.push((*code, Who { slot, frame }, *id));
                }
            }
        }
        list.sort_unstable_by_key(|e| e.0);
        list
    }

    /// Escapes must stand together, so that the number of the one taken is enough.
    fn check_escapes(&self, id: EdgeId) -> Made<()> {
        let model = self.layout.model;
        let at = model.location(model.edge(id).from);
        let numbers: Vec<u16> = at.edges.iter().map(|e| model.edge(*e).escape).collect();
        let changes = numbers.windows(2).filter(|w| w[0] != w[1]).count();
        let kinds: std::collections::BTreeSet<u16> = numbers.iter().copied().collect();
        if changes + 1 > kinds.len() { self.refuse("an `unless` whose escapes do not stand together") } else { Ok(()) }
    }

    /// What comes before the guard of an edge.
    fn preface(&mut self, turn: &Turn, edge: &Edge, end: Label) {
        if let Some(escape) = turn.escape {
            let none = self.b.compare(Relation::Eq, false, escape, 0);
            let same = self.b.compare(Relation::Eq, false, escape, u32::from(edge.escape));
            let may = self.b.either(none, same);
            self.b.jump_if(!may, end);
        }
    }

    /// A move was found.
    fn found(&mut self, turn: &Turn, edge: &Edge) {
        self.b.set(self.moved, 1);
        self.b.set(turn.moved, 1);
        if let Some(escape) = turn.escape
            && edge.escape != 0
        {
            self.b.set(escape, u32::from(edge.escape));
        }
    }

    /// The k-th edges that a process takes alone.
    fn alone(&mut self, turn: &Turn, k: usize, sink: &mut dyn Sink) -> Made<()> {
        let model = self.layout.model;
        let edges = self.edges(turn.slot, k, |_| true);
        if edges.is_empty() {
            return Ok(());
        }
        let round = self.open();
        self.on_target = false;
        let cases: Vec<(u32, Label)> = edges.iter().map(|e| (e.0, self.b.label())).collect();
        self.switch(turn.slot, &cases, round.end);
        for ((_, who, id), (_, label)) in edges.into_iter().zip(cases) {
            let edge = model.edge(id);
            self.spot = Spot::Edge(id);
            self.b.place(label);
            self.on_target = false;
            self.fail = round.looking;
            self.check_escapes(id)?;
            self.preface(turn, edge, round.end);
            if let Action::DStep(entry) = edge.action {
                self.on_target = true;
                let deterministic = model.process(self.process(who)).deterministic;
                self.d_step(who, entry, round.end, round.applying, &mut |me| {
                    me.twice(turn, deterministic, sink);
                    me.found(turn, edge);
                })?;
                edge.then.iter().try_for_each(|a| self.act(who, a))?;
            } else {
                let can = match &edge.action {
                    Action::Else if k == 0 => Cond::Known(true),
                    Action::Else => Cond::When(turn.moved, false),
                    Action::End => self.may_end(who),
                    action => self.executable(who, action)?,
                };
                self.offers(who, &edge.action)?;
                self.b.jump_if(!can, round.end);
                if can == Cond::Known(false) {
                    continue;
                }
                self.twice(turn, model.process(self.process(who)).deterministic, sink);
                self.found(turn, edge);
                self.on_target = true;
                self.fail = round.applying;
                std::iter::once(&edge.action).chain(&edge.then).try_for_each(|a| self.act(who, a))?;
            }
            if !matches!(edge.action, Action::End) {
                self.set_location(who.slot, edge.to);
            }
            let keeps = edge.atomic && !matches!(edge.action, Action::End);
            self.b.jump(if keeps { round.hold } else { round.emit });
        }
        self.close(&round, turn.slot, None, sink);
        Ok(())
    }

    /// A second move of a `D_proctype` is a failure.
    fn twice(&mut self, turn: &Turn, deterministic: bool, sink: &mut dyn Sink) {
        if deterministic {
            let fine = self.b.label();
            self.b.jump_if(Cond::When(turn.moved, false), fine);
            sink.fail(&mut self.b);
            self.b.place(fine);
        }
    }

    /// The message of a rendezvous is evaluated once, here, for what may go wrong.
    fn offers(&mut self, who: Who, action: &Action) -> Made<()> {
        let Action::Send { channel, fields, .. } = action else { return Ok(()) };
        self.with_channel(who, channel, &mut |me, c| {
            if me.layout.channels[c].decl.capacity == 0 {
                me.message(who, fields, c)?;
            }
            Ok(())
        })
    }

    /// Whether a number may mean a rendezvous channel.
    fn may_offer(&self, who: Who, edge: &Edge) -> bool {
        let Action::Send { channel, .. } = &edge.action else { return false };
        let (low, high) = self.layout.intervals.expr(self.process(who), channel);
        let is =
            |(i, c): (usize, &crate::layout::Chan<'_>)| c.decl.capacity == 0 && (low..=high).contains(&(i as i64 + 1));
        self.layout.channels.iter().enumerate().any(is)
    }

    /// All ways in which another process takes what the k-th edges offer.
    fn handshakes(&mut self, turn: &Turn, k: usize, sink: &mut dyn Sink) -> Made<()> {
        let model = self.layout.model;
        let all = self.edges(turn.slot, k, |e| matches!(e.action, Action::Send { .. }));
        let offers: Vec<_> = all.into_iter().filter(|(_, who, id)| self.may_offer(*who, model.edge(*id))).collect();
        if offers.is_empty() {
            return Ok(());
        }
        if let Some((_, who, _)) = offers.iter().find(|o| model.process(self.process(o.1)).deterministic) {
            let spot = Spot::Process(self.process(*who));
            return Err(Reason { what: "a rendezvous of a `D_proctype`".into(), spot });
        }
        self.b.set(turn.broken, 0);
        let mut may_break = false;
        for partner in (0..self.layout.slots.len()).rev().filter(|p| *p != turn.slot) {
            let takes = |e: &Edge| matches!(e.action, Action::Receive(_) | Action::DStep(_));
            let rounds =
                (0..).take_while(|j| self.slot(partner).codes.keys().any(|l| model.location(*l).edges.len() > *j));
            let rounds: Vec<usize> = rounds.filter(|j| !self.edges(partner, *j, takes).is_empty()).collect();
            if rounds.is_empty() {
                continue;
            }
            let skip = self.b.label();
            self.provided(partner, sink, skip)?;
            let escape = self.has_escapes(partner).then(|| self.b.copy(Type::Word, 0));
            for j in rounds {
                let round = self.open();
                if may_break {
                    self.b.jump_if(Cond::When(turn.broken, true), round.end);
                }
                self.on_target = false;
                let cases: Vec<(u32, Label)> = offers.iter().map(|e| (e.0, self.b.label())).collect();
                self.switch(turn.slot, &cases, round.end);
                for ((_, who, id), (_, label)) in offers.iter().zip(cases) {
                    self.b.place(label);
                    self.offer(turn, *who, *id, (partner, j, escape), &round)?;
                }
                may_break |= self.close(&round, partner, Some(turn.broken), sink);
            }
            self.b.place(skip);
        }
        Ok(())
    }

    /// One edge that offers a message, and the j-th edges of a partner that may take it.
    fn offer(
        &mut self,
        turn: &Turn,
        who: Who,
        id: EdgeId,
        (partner, j, escape): (usize, usize, Option<Reg>),
        round: &Round,
    ) -> Made<()> {
        let model = self.layout.model;
        let edge = model.edge(id);
        let Action::Send { channel, fields, .. } = &edge.action else { unreachable!("only sends offer") };
        self.spot = Spot::Edge(id);
        self.on_target = false;
        self.preface(turn, edge, round.end);
        // What goes wrong here has been told before.
        self.fail = round.end;
        self.with_channel(who, channel, &mut |me, c| {
            let decl = me.layout.channels[c].decl;
            if decl.capacity > 0 {
                me.b.jump(round.end);
                return Ok(());
            }
            me.fail = round.end;
            let message: Vec<Val> = me.message(who, fields, c)?.into_iter().map(|m| m.1).collect();
            let takes = |e: &Edge| matches!(e.action, Action::Receive(_) | Action::DStep(_));
            let takers = me.edges(partner, j, takes);
            let cases: Vec<(u32, Label)> = takers.iter().map(|e| (e.0, me.b.label())).collect();
            me.switch(partner, &cases, round.end);
            for ((_, other, taken), (_, label)) in takers.into_iter().zip(cases) {
                me.b.place(label);
                me.on_target = false;
                let take = model.edge(taken);
                if let Some(escape) = escape {
                    me.check_escapes(taken)?;
                    let none = me.b.compare(Relation::Eq, false, escape, 0);
                    let same = me.b.compare(Relation::Eq, false, escape, u32::from(take.escape));
                    let may = me.b.either(none, same);
                    me.b.jump_if(!may, round.end);
                }
                match &take.action {
                    Action::DStep(entry) => me.takes_inside(other, *entry, c, round)?,
                    Action::Receive(r) => {
                        me.fail = round.looking;
                        me.accepts(other, r, c, &message, round.end)?;
                        me.found(turn, edge);
                        if let Some(escape) = escape
                            && take.escape != 0
                        {
                            me.b.set(escape, u32::from(take.escape));
                        }
                        if fields.len() != decl.fields.len() || r.fields.len() != decl.fields.len() {
                            me.b.set(me.soft, 1);
                        }
                        me.on_target = true;
                        me.fail = round.applying;
                        me.set_location(who.slot, edge.to);
                        me.bind(other, r, &message)?;
                        me.set_location(other.slot, take.to);
                        me.b.jump(if take.atomic { round.hold } else { round.emit });
                    }
                    _ => unreachable!("only these take"),
                }
            }
            me.on_target = false;
            me.fail = round.end;
            Ok(())
        })
    }

    /// Goes to `end` unless a receive takes a message of a channel.
    fn accepts(&mut self, who: Who, r: &Receive, channel: usize, message: &[Val], end: Label) -> Made<()> {
        let number = self.eval(who, &r.channel)?;
        let other = self.b.compare(Relation::Ne, false, number.arg, channel as u32 + 1);
        self.b.jump_if(other, end);
        for (pattern, value) in r.fields.iter().zip(message) {
            if let Pattern::Match(e) = pattern {
                let wanted = self.eval(who, e)?;
                let differs = self.b.compare(Relation::Ne, false, wanted.arg, value.arg);
                self.b.jump_if(differs, end);
            }
        }
        Ok(())
    }

    /// A `d_step` that opens with a receive cannot take part in a handshake: that is an error.
    fn takes_inside(&mut self, who: Who, entry: LocationId, channel: usize, round: &Round) -> Made<()> {
        let model = self.layout.model;
        for id in &model.location(entry).edges {
            if let Action::Receive(r) = &model.edge(*id).action {
                let next = self.b.label();
                self.fail = next;
                let number = self.eval(who, &r.channel)?;
                let is = self.b.compare(Relation::Eq, false, number.arg, channel as u32 + 1);
                self.b.jump_if(is, round.looking);
                self.b.place(next);
            }
        }
        self.b.jump(round.end);
        Ok(())
    }

    /// Whether a state in which no process can move is a valid end.
    pub(crate) fn valid_end(&mut self) -> Cond {
        let model = self.layout.model;
        self.on_target = false;
        let mut all = Cond::Known(true);
        if self.checks.end_states {
            for slot in 0..self.layout.slots.len() {
                let mut codes = self.codes(slot, |l| model.location(l).end);
                if self.slot(slot).absent {
                    codes.insert(0, 0);
                }
                let here = self.stands_in(slot, &codes);
                all = self.b.both(all, here);
            }
            if self.checks.empty_channels {
                for channel in 0..self.layout.channels.len() {
                    let empty = self.test_length(ferrospin_model::ir::ChannelTest::Empty, channel);
                    all = self.b.both(all, empty);
                }
            }
        }
        all
    }
}
