//! Interval analysis: which values a variable or a field of a message can have at all.
//!
//! Flow-insensitive: the values of all assignments are joined until nothing changes; what still grows after some rounds gets
//! the range of its type (Cousot and Cousot, 1977). All elements of an array share one interval. What is known here needs no
//! check when the search runs.

use crate::places::{self, Var};
use ferrospin_model::ir::{
    Action, Binary, Channel, Expr, Init, Model, Pattern, Place, ProcessId, Receive, Scalar, Unary,
};
use rustc_hash::FxHashMap;

/// Values from the first to the second.
pub(crate) type Interval = (i64, i64);

/// Whatever 32 bits hold.
pub(crate) const ALL: Interval = (i32::MIN as i64, i32::MAX as i64);
/// Rounds before what still grows is given up.
const ROUNDS: usize = 12;

/// The range of a scalar.
pub(crate) fn declared(scalar: Scalar) -> Interval {
    match scalar {
        Scalar::Unsigned(n) => (0, (1 << n) - 1),
        Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::Int => ALL,
    }
}

pub(crate) fn within(inner: Interval, outer: Interval) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// What is left of values when they are stored.
pub(crate) fn cut(scalar: Scalar, values: Interval) -> Interval {
    if within(values, declared(scalar)) {
        return values;
    }
    if values.0 == values.1 {
        let v = i64::from(scalar.cut(values.0 as i32));
        return (v, v);
    }
    declared(scalar)
}

fn join(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The values of an operation on two operands.
pub(crate) fn binary(op: Binary, a: Interval, b: Interval) -> Interval {
    if a.0 == a.1
        && b.0 == b.1
        && let Some(v) = op.apply(a.0 as i32, b.0 as i32)
    {
        return (i64::from(v), i64::from(v));
    }
    let ends = |f: fn(i64, i64) -> i64| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (all.into_iter().min().expect("four"), all.into_iter().max().expect("four"))
    };
    let found = match op {
        Binary::Add => (a.0 + b.0, a.1 + b.1),
        Binary::Sub => (a.0 - b.1, a.1 - b.0),
        Binary::Mul => ends(|x, y| x * y),
        Binary::Div if b.0 > 0 => ends(|x, y| x / y),
        Binary::Rem if b.0 > 0 && a.0 >= 0 => (0, a.1.min(b.1 - 1)),
        Binary::Rem if b.0 > 0 => (1 - b.1, b.1 - 1),
        Binary::BitAnd if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        Binary::BitAnd if b.0 >= 0 => (0, b.1),
        Binary::BitAnd if a.0 >= 0 => (0, a.1),
        Binary::BitOr | Binary::BitXor if a.0 >= 0 && b.0 >= 0 => {
            (0, ((a.1.max(b.1) + 1) as u64).next_power_of_two() as i64 - 1)
        }
        Binary::Shr if a.0 >= 0 && b.0 >= 0 && b.1 < 32 => (a.0 >> b.1, a.1 >> b.0),
        Binary::Shl if a.0 >= 0 && b.0 >= 0 && b.1 < 31 => (a.0 << b.0, a.1 << b.1),
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne | Binary::And | Binary::Or => {
            (0, 1)
        }
        _ => ALL,
    };
    if within(found, ALL) { found } else { ALL }
}

/// The values of an operation on one operand.
pub(crate) fn unary(op: Unary, a: Interval) -> Interval {
    let found = match op {
        Unary::Minus => (-a.1, -a.0),
        Unary::Complement => (!a.1, !a.0),
        Unary::Not => (0, 1),
    };
    if within(found, ALL) { found } else { ALL }
}

/// What is known of a model.
pub(crate) struct Intervals<'m> {
    model: &'m Model,
    vars: FxHashMap<Var, Interval>,
    /// By owner of the channel, its number there, and the field.
    messages: FxHashMap<(Option<ProcessId>, usize, usize), Interval>,
    changed: bool,
    widens: bool,
}

impl<'m> Intervals<'m> {
    pub(crate) fn of(model: &'m Model) -> Self {
        let mut me = Intervals {
            model,
            vars: FxHashMap::default(),
            messages: FxHashMap::default(),
            changed: true,
            widens: false,
        };
        let mut round = 0;
        while me.changed {
            me.changed = false;
            me.widens = round >= ROUNDS;
            me.round();
            round += 1;
        }
        me
    }

    /// The values of a variable; it may be read before anything is stored.
    pub(crate) fn var(&self, var: Var) -> Interval {
        self.vars.get(&var).copied().unwrap_or((0, 0))
    }

    /// The values of a field of the messages of a channel.
    pub(crate) fn message(&self, owner: Option<ProcessId>, channel: usize, field: usize) -> Option<Interval> {
        self.messages.get(&(owner, channel, field)).copied()
    }

    fn grow(&mut self, var: Var, values: Interval) {
        let scalar = places::leaf(self.model, var).scalar;
        let values = cut(scalar, values);
        let new = self.vars.get(&var).map_or(values, |old| join(*old, values));
        if self.vars.get(&var) != Some(&new) {
            self.changed = true;
            self.vars.insert(var, if self.widens { declared(scalar) } else { new });
        }
    }

    fn store(&mut self, process: ProcessId, place: &Place, values: Interval) {
        if let Some(e) = places::element(self.model, process, place) {
            self.grow(e.var, cut(place.scalar, values));
        }
    }

    /// All channels that a number may mean.
    fn channels(&self, process: ProcessId, number: &Expr) -> Vec<(Option<ProcessId>, usize, &'m Channel)> {
        let (low, high) = self.expr(process, number);
        let globals = self.model.channels.len() as i64;
        let mut list: Vec<_> = (0..self.model.channels.len())
            .filter(|i| (low..=high).contains(&(*i as i64 + 1)))
            .map(|i| (None, i, &self.model.channels[i]))
            .collect();
        if high > globals {
            for (owner, p) in (0..).map(ProcessId).zip(&self.model.processes) {
                list.extend(p.channels.iter().enumerate().map(|(i, c)| (Some(owner), i, c)));
            }
        }
        list
    }

    fn round(&mut self) {
        let model = self.model;
        let no_process = ProcessId(u32::MAX);
        for (number, leaf) in model.globals.iter().enumerate() {
            let is_set = |p: &Place| p.offset == leaf.offset && leaf.dims.is_empty();
            if !model.init.iter().any(|(p, _)| is_set(p)) {
                self.grow(Var { owner: None, leaf: number }, (0, 0));
            }
        }
        for (place, init) in &model.init {
            let values = self.initial(no_process, init, 0);
            self.store(no_process, place, values);
        }
        for (id, p) in (0..).map(ProcessId).zip(&model.processes) {
            for (number, leaf) in p.locals.iter().enumerate() {
                let is_set = |p: &Place| p.offset == leaf.offset && leaf.dims.is_empty();
                if !p.init.iter().map(|i| &i.0).any(is_set) {
                    self.grow(Var { owner: Some(id), leaf: number }, (0, 0));
                }
            }
            for (place, init) in &p.init {
                let values = self.initial(id, init, 255);
                self.store(id, place, values);
            }
        }
        places::actions(model, &mut |process, action| self.action(process, action));
    }

    fn initial(&self, process: ProcessId, init: &Init, more: i64) -> Interval {
        match init {
            Init::Value(e) => self.expr(process, e),
            Init::Channel(n) if more == 0 => (i64::from(*n) + 1, i64::from(*n) + 1),
            Init::Channel(_) => (1, more),
        }
    }

    fn action(&mut self, process: ProcessId, action: &Action) {
        match action {
            Action::Assign(place, e) => {
                let values = self.expr(process, e);
                self.store(process, place, values);
            }
            Action::Send { channel, fields, .. } => {
                for (owner, number, decl) in self.channels(process, channel) {
                    for (i, (scalar, _)) in decl.fields.iter().enumerate() {
                        let values = fields.get(i).map_or((0, 0), |e| self.expr(process, e));
                        let values = cut(*scalar, values);
                        let key = (owner, number, i);
                        let new = self.messages.get(&key).map_or(values, |old| join(*old, values));
                        if self.messages.get(&key) != Some(&new) {
                            self.changed = true;
                            self.messages.insert(key, if self.widens { declared(*scalar) } else { new });
                        }
                    }
                }
            }
            Action::Receive(r) => self.receive(process, r),
            Action::Run { process: child, args, target, .. } => {
                for (place, e) in self.model.process(*child).params.iter().zip(args) {
                    let values = self.expr(process, e);
                    self.store(*child, place, values);
                }
                if let Some(place) = target {
                    self.store(process, place, (0, 254));
                }
            }
            _ => {}
        }
    }

    fn receive(&mut self, process: ProcessId, r: &Receive) {
        for (i, pattern) in r.fields.iter().enumerate() {
            let Pattern::Bind(place) = pattern else { continue };
            for (owner, number, decl) in self.channels(process, &r.channel) {
                if i < decl.fields.len()
                    && let Some(values) = self.message(owner, number, i)
                {
                    self.store(process, place, values);
                }
            }
        }
    }

    /// The values of an expression, as a process of this type means it.
    pub(crate) fn expr(&self, process: ProcessId, e: &Expr) -> Interval {
        match e {
            Expr::Const(v) => (i64::from(*v), i64::from(*v)),
            Expr::Load(place) => places::element(self.model, process, place).map_or(ALL, |e| self.var(e.var)),
            Expr::Unary(op, a) => unary(*op, self.expr(process, a)),
            Expr::Binary(op, a, b) => binary(*op, self.expr(process, a), self.expr(process, b)),
            Expr::Cond(parts) => join(self.expr(process, &parts[1]), self.expr(process, &parts[2])),
            Expr::Channel(ferrospin_model::ir::ChannelTest::Len, channel) => {
                let of = |c: &(Option<ProcessId>, usize, &Channel)| i64::from(c.2.capacity);
                (0, self.channels(process, channel).iter().map(of).max().unwrap_or(0))
            }
            Expr::Channel(..) | Expr::Poll(_) | Expr::Timeout | Expr::NonProgress | Expr::AtLocation(..) => (0, 1),
            Expr::Enabled(_) => (0, 1),
            Expr::Pid => (0, 254),
            Expr::Last | Expr::ProcessCount | Expr::ChannelCount | Expr::Priority(_) => (0, 255),
            Expr::Remote(other, _, place) => {
                places::element(self.model, *other, place).map_or(ALL, |e| join((0, 0), self.var(e.var)))
            }
            Expr::PcValue(_) | Expr::Call(_) | Expr::Foreign => ALL,
        }
    }
}
