//! Whether a certificate shows a bound: judged step by step, in exact numbers, by nothing of what has found it.
//!
//! A certificate gives a weight to every kind of message and a potential to every place where a process may stand. It is right if no
//! weight of messages that are kept and no potential is negative, if every process begins at a place that has one, and if for each place
//! whatever a process can do next leads to a place that has one, so that weights and potentials together never become more. Then a channel
//! never holds more than the potentials of the beginning, divided by the smallest weight of its messages.
//!
//! Expressions are evaluated here as ranges of numbers, not as known values; only what the model says about variables and channels
//! ([`Program`]) is shared with the search for certificates.

use crate::effects::distinguished;
use crate::program::{Program, actions, stores};
use ferrospin_lp::{Integer, Rational};
use ferrospin_model::ir::{
    Action, Area, Binary, EdgeId, Expr, Init, LocationId, Model, Pattern, Place, ProcessId, Scalar, Unary, leaf_at,
};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// The weight of messages of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weight {
    /// Their channel.
    pub channel: usize,
    /// The `mtype` constant in front, where messages are told apart by it.
    pub first: Option<i32>,
    /// Handshakes on a channel that keeps nothing: what the sender gains, the receiver loses.
    pub handshake: bool,
    /// The weight.
    pub weight: Rational,
}

/// The potential of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Potential {
    /// The location.
    pub at: LocationId,
    /// Inside a `d_step`: where it goes on behind it.
    pub back: Option<LocationId>,
    /// Values of the variables that are told apart; `None` is any.
    pub values: Vec<Option<i32>>,
    /// The potential.
    pub value: Rational,
}

/// What shows that a channel is bounded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Weights of all kinds of messages.
    pub weights: Vec<Weight>,
    /// Of each process type the variables that are told apart, by area and position.
    pub tracked: Vec<Vec<(Area, usize)>>,
    /// Potentials of all places.
    pub potentials: Vec<Potential>,
}

/// Why a certificate shows nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Wrong {
    #[error("the model is not one that can be judged: {0}")]
    Refused(String),
    #[error("a weight or potential is negative")]
    Negative,
    #[error("a message of the channel weighs nothing")]
    Weightless,
    #[error("a variable is told apart that others may store to")]
    Shared,
    #[error("a process can come to a place without potential")]
    NoPotential,
    #[error("a message without weight can be sent")]
    NoWeight,
    #[error("the edge {} makes more of what is weighed", .0.0)]
    Gains(EdgeId),
}

/// The bound of a channel that a certificate shows.
pub fn shown_bound(model: &Model, certificate: &Certificate, channel: usize) -> Result<Integer, Wrong> {
    let program = Program::new(model).map_err(|r| Wrong::Refused(r.to_string()))?;
    Judge::new(&program, certificate)?.bound(channel)
}

type Values = Vec<Option<i32>>;
/// The least and the greatest value.
type Range = (i64, i64);
const ANY: Range = (i32::MIN as i64, i32::MAX as i64);

struct Judge<'a> {
    program: &'a Program<'a>,
    certificate: &'a Certificate,
    places: FxHashMap<(LocationId, Option<LocationId>), Vec<usize>>,
    exact: FxHashMap<(LocationId, Option<LocationId>, Values), usize>,
}

/// What a process can do next.
struct Next {
    gain: Rational,
    edge: EdgeId,
}

impl<'a> Judge<'a> {
    fn new(program: &'a Program<'a>, certificate: &'a Certificate) -> Result<Judge<'a>, Wrong> {
        let mut judge = Judge { program, certificate, places: FxHashMap::default(), exact: FxHashMap::default() };
        for (i, p) in certificate.potentials.iter().enumerate() {
            judge.places.entry((p.at, p.back)).or_default().push(i);
            judge.exact.insert((p.at, p.back, p.values.clone()), i);
        }
        Ok(judge)
    }

    fn bound(&self, channel: usize) -> Result<Integer, Wrong> {
        let Certificate { weights, tracked, potentials } = self.certificate;
        let is_negative = |w: &Weight| !w.handshake && w.weight.signum() < 0;
        if weights.iter().any(is_negative) || potentials.iter().any(|p| p.value.signum() < 0) {
            return Err(Wrong::Negative);
        }
        for (p, list) in tracked.iter().enumerate() {
            let own = |(area, leaf): &(Area, usize)| {
                self.program.leaves(ProcessId(p as u32), *area).len() > *leaf
                    && self.program.variable_at(ProcessId(p as u32), *area, *leaf).is_some()
            };
            if !list.iter().all(own) {
                return Err(Wrong::Shared);
            }
        }
        let mut total = Rational::ZERO;
        for process in &self.program.model.start {
            total = total.add(&self.begins(*process, &[])?);
        }
        for potential in potentials {
            self.place(potential)?;
        }
        let own = weights.iter().filter(|w| w.channel == channel && !w.handshake).map(|w| &w.weight);
        match own.min() {
            // Nothing is ever sent to it: a send without weight was refused above.
            None => Ok(Integer::ZERO),
            Some(least) if least.signum() > 0 => Ok(total.div(least).floor()),
            Some(_) => Err(Wrong::Weightless),
        }
    }

    /// The potential with which a process begins.
    fn begins(&self, process: ProcessId, args: &[Range]) -> Result<Rational, Wrong> {
        let kind = self.program.model.process(process);
        let tracked = self.tracked(process);
        let begin = |(area, leaf): &(Area, usize)| match area {
            Area::Global => self.program.initial(self.program.model.globals[*leaf].offset),
            Area::Local => Some(0),
        };
        let mut values: Values = tracked.iter().map(begin).collect();
        for (place, range) in kind.params.iter().zip(args) {
            self.store(process, place, *range, &mut values);
        }
        for (place, init) in &kind.init {
            let range = match init {
                Init::Value(e) => self.range(process, e, &values),
                Init::Channel(_) => ANY,
            };
            self.store(process, place, range, &mut values);
        }
        self.potential(kind.entry, None, &values)
    }

    fn tracked(&self, process: ProcessId) -> &[(Area, usize)] {
        self.certificate.tracked.get(process.index()).map_or(&[], |list| list)
    }

    /// The position of a place among the variables that are told apart.
    fn slot(&self, process: ProcessId, place: &Place) -> Option<usize> {
        let leaf = leaf_at(self.program.leaves(process, place.area), place)?;
        self.tracked(process).iter().position(|t| *t == (place.area, leaf))
    }

    fn store(&self, process: ProcessId, place: &Place, range: Range, values: &mut Values) {
        if let Some(i) = self.slot(process, place) {
            values[i] = single(range).map(|v| place.scalar.cut(v));
        }
    }

    /// The potential of a place that covers these values.
    fn potential(&self, at: LocationId, back: Option<LocationId>, values: &Values) -> Result<Rational, Wrong> {
        let found = |i: &usize| self.certificate.potentials[*i].value.clone();
        if let Some(i) = self.exact.get(&(at, back, values.clone())) {
            return Ok(found(i));
        }
        let covers = |i: &&usize| {
            let known = &self.certificate.potentials[**i].values;
            known.len() == values.len() && known.iter().zip(values).all(|(k, v)| k.is_none() || k == v)
        };
        self.places.get(&(at, back)).into_iter().flatten().find(covers).map(found).ok_or(Wrong::NoPotential)
    }

    /// Judges all that a process can do at a place.
    fn place(&self, from: &Potential) -> Result<(), Wrong> {
        let model = self.program.model;
        let location = model.location(from.at);
        let process = location.process;
        if from.values.len() != self.tracked(process).len() {
            return Err(Wrong::NoPotential);
        }
        for (i, id) in location.edges.iter().enumerate() {
            let edge = model.edge(*id);
            if edge.action == Action::Else {
                let before = location.edges[..i].iter().map(|e| &model.edge(*e).action);
                if before.into_iter().any(|a| self.cannot_block(process, a, &from.values)) {
                    continue;
                }
            }
            if let Some(next) = self.step(process, from, *id)?
                && next.gain > from.value
            {
                return Err(Wrong::Gains(next.edge));
            }
        }
        Ok(())
    }

    fn cannot_block(&self, process: ProcessId, action: &Action, values: &Values) -> bool {
        match action {
            Action::Guard(e) => {
                let (least, most) = self.range(process, e, values);
                least > 0 || most < 0
            }
            Action::Skip | Action::Assign(..) | Action::Assert(_) | Action::Print { .. } => true,
            _ => false,
        }
    }

    /// The most that is weighed behind a step, if it can be taken.
    fn step(&self, process: ProcessId, from: &Potential, id: EdgeId) -> Result<Option<Next>, Wrong> {
        let edge = self.program.model.edge(id);
        let mut values = from.values.clone();
        let mut gain = Rational::ZERO;
        let (mut inside, mut ends) = (None, false);
        for action in actions(self.program.model, id) {
            match action {
                Action::Guard(e) => {
                    if self.range(process, e, &values) == (0, 0) {
                        return Ok(None);
                    }
                    self.narrow(process, e, &mut values);
                }
                Action::Assign(place, e) => {
                    let range = self.range(process, e, &values);
                    self.store(process, place, range, &mut values);
                }
                Action::Send { channel, fields, .. } => {
                    let first = if let Some(Expr::Const(value)) = fields.first() { Some(*value) } else { None };
                    let Some(most) = self.sent(process, channel, first, &values)? else { return Ok(None) };
                    gain = gain.add(&most);
                }
                Action::Receive(r) => {
                    let first = match r.fields.first() {
                        Some(Pattern::Match(Expr::Const(value))) => Some(*value),
                        _ => None,
                    };
                    let Some(most) = self.received(process, &r.channel, first, r.copy, &values) else {
                        return Ok(None);
                    };
                    gain = gain.add(&most);
                }
                Action::Run { process: child, args, .. } => {
                    let args: Vec<Range> = args.iter().map(|e| self.range(process, e, &values)).collect();
                    gain = gain.add(&self.begins(*child, &args)?);
                }
                Action::DStep(entry) if from.back.is_none() && edge.then.is_empty() => inside = Some(*entry),
                Action::DStep(_) => return Err(Wrong::NoPotential),
                Action::End => ends = true,
                _ => {}
            }
            if !matches!(action, Action::Assign(..)) {
                for place in stores(action) {
                    self.store(process, place, ANY, &mut values);
                }
            }
        }
        let behind = match (inside, edge.to == LocationId::EXIT, from.back) {
            (Some(entry), ..) => self.potential(entry, Some(edge.to), &values)?,
            (None, false, back) => self.potential(edge.to, back, &values)?,
            (None, true, _) if ends => Rational::ZERO,
            (None, true, Some(back)) => self.potential(back, None, &values)?,
            (None, true, None) => return Err(Wrong::NoPotential),
        };
        Ok(Some(Next { gain: gain.add(&behind), edge: id }))
    }

    fn weights_of(&self, channel: usize) -> impl Iterator<Item = &Weight> {
        self.certificate.weights.iter().filter(move |w| w.channel == channel)
    }

    /// The most that a message adds, whichever channel it goes to.
    fn sent(
        &self,
        process: ProcessId,
        e: &Expr,
        first: Option<i32>,
        values: &Values,
    ) -> Result<Option<Rational>, Wrong> {
        let mut most: Option<Rational> = None;
        for channel in self.channels(process, e, values) {
            let handshake = self.program.channels[channel].capacity == 0;
            let first = if handshake { None } else { distinguished(self.program, channel, first) };
            let own = self.weights_of(channel).find(|w| w.handshake == handshake && w.first == first);
            let weight = own.ok_or(Wrong::NoWeight)?.weight.clone();
            most = Some(most.map_or(weight.clone(), |m| m.max(weight)));
        }
        Ok(most)
    }

    /// The most that is there behind taking a message, whichever it is: the least weight is taken away.
    fn received(
        &self,
        process: ProcessId,
        e: &Expr,
        first: Option<i32>,
        copy: bool,
        values: &Values,
    ) -> Option<Rational> {
        let mut most: Option<Rational> = None;
        for channel in self.channels(process, e, values) {
            let first = distinguished(self.program, channel, first);
            let fits = |w: &&Weight| w.handshake || first.is_none() || w.first.is_none() || w.first == first;
            for w in self.weights_of(channel).filter(fits) {
                let change = if copy && !w.handshake { Rational::ZERO } else { w.weight.neg() };
                most = Some(most.map_or(change.clone(), |m| m.max(change)));
            }
        }
        most
    }

    fn channels(&self, process: ProcessId, e: &Expr, values: &Values) -> Vec<usize> {
        let (globals, all) = (self.program.model.channels.len(), self.program.channels.len());
        match single(self.range(process, e, values)) {
            Some(number) if number <= 0 => Vec::new(),
            Some(number) if number as usize <= globals => vec![number as usize - 1],
            Some(_) => (globals..all).collect(),
            None => {
                let found = self.program.sources.of(self.program.model, process, e);
                let local = found.iter().any(|c| *c >= globals);
                (0..all).filter(|c| if *c < globals { found.contains(c) } else { local }).collect()
            }
        }
    }

    /// What a condition that holds says about variables of any value.
    fn narrow(&self, process: ProcessId, e: &Expr, values: &mut Values) {
        match e {
            Expr::Binary(Binary::And, a, b) => {
                self.narrow(process, a, values);
                self.narrow(process, b, values);
            }
            Expr::Binary(Binary::Eq, a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    if let Expr::Load(place) = &**one
                        && let Some(i) = self.slot(process, place)
                        && values[i].is_none()
                    {
                        values[i] = single(self.range(process, other, values));
                    }
                }
            }
            _ => {}
        }
    }

    /// A range that holds every value that an expression may have.
    fn range(&self, process: ProcessId, e: &Expr, values: &Values) -> Range {
        let of = |e: &Expr| self.range(process, e, values);
        match e {
            Expr::Const(value) => (i64::from(*value), i64::from(*value)),
            Expr::Load(place) => self.load(process, place, values),
            Expr::Unary(Unary::Not, a) => match of(a) {
                (0, 0) => (1, 1),
                (least, most) if least > 0 || most < 0 => (0, 0),
                _ => (0, 1),
            },
            Expr::Unary(Unary::Complement, a) => {
                let (least, most) = of(a);
                (-most - 1, -least - 1)
            }
            Expr::Unary(Unary::Minus, a) => match of(a) {
                // The least number is its own negative.
                (least, most) if least == ANY.0 => {
                    if most == ANY.0 {
                        (least, most)
                    } else {
                        ANY
                    }
                }
                (least, most) => (-most, -least),
            },
            Expr::Binary(op, a, b) => binary(*op, of(a), of(b)),
            Expr::Cond(parts) => {
                let (then, other) = (of(&parts[1]), of(&parts[2]));
                match of(&parts[0]) {
                    (0, 0) => other,
                    (least, most) if least > 0 || most < 0 => then,
                    _ => (then.0.min(other.0), then.1.max(other.1)),
                }
            }
            _ => ANY,
        }
    }

    fn load(&self, process: ProcessId, place: &Place, values: &Values) -> Range {
        let any = all(place.scalar);
        if let Some(i) = self.slot(process, place) {
            return values[i].map_or(any, |v| (i64::from(v), i64::from(v)));
        }
        let leaf = leaf_at(self.program.leaves(process, place.area), place);
        if place.area != Area::Global || !leaf.is_some_and(|l| self.program.frozen[l]) {
            return any;
        }
        let mut offset = place.offset;
        for index in &place.indices {
            match single(self.range(process, &index.value, values)) {
                Some(value) if value >= 0 && (value as u32) < index.len => offset += value as u32 * index.stride,
                _ => return any,
            }
        }
        self.program.initial(offset).map_or(any, |v| (i64::from(v), i64::from(v)))
    }
}

fn single((least, most): Range) -> Option<i32> {
    if least == most { i32::try_from(least).ok() } else { None }
}

/// All values that a variable can have.
fn all(scalar: Scalar) -> Range {
    match scalar {
        Scalar::Unsigned(bits) => (0, (1 << bits) - 1),
        Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::Int => ANY,
    }
}

/// What leaves 32 bits wraps around, and can be anything.
fn fitting((least, most): Range) -> Range {
    if least < ANY.0 || most > ANY.1 { ANY } else { (least, most) }
}

fn binary(op: Binary, a: Range, b: Range) -> Range {
    let decided = |yes: bool, no: bool| {
        if yes {
            (1, 1)
        } else if no {
            (0, 0)
        } else {
            (0, 1)
        }
    };
    let holds = |r: Range| r.0 > 0 || r.1 < 0;
    if let (Some(x), Some(y)) = (single(a), single(b)) {
        return op.apply(x, y).map_or(ANY, |v| (i64::from(v), i64::from(v)));
    }
    match op {
        Binary::Lt => decided(a.1 < b.0, a.0 >= b.1),
        Binary::Le => decided(a.1 <= b.0, a.0 > b.1),
        Binary::Gt => decided(a.0 > b.1, a.1 <= b.0),
        Binary::Ge => decided(a.0 >= b.1, a.1 < b.0),
        Binary::Eq => decided(false, a.1 < b.0 || b.1 < a.0),
        Binary::Ne => decided(a.1 < b.0 || b.1 < a.0, false),
        Binary::And => decided(holds(a) && holds(b), a == (0, 0) || b == (0, 0)),
        Binary::Or => decided(holds(a) || holds(b), a == (0, 0) && b == (0, 0)),
        Binary::Add => fitting((a.0 + b.0, a.1 + b.1)),
        Binary::Sub => fitting((a.0 - b.1, a.1 - b.0)),
        _ => ANY,
    }
}
