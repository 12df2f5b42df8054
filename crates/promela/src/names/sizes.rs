//! How many bytes variables take in a state, counted in 64 bits; what is too large is refused where it is declared.
//!
//! A state is copied with every move, and offsets into it have 32 bits. So there is a maximum, far above what can be
//! explored and far below what could wrap: each process and the globals may take [`AREA_BYTES_MAX`], and so may the globals
//! together with the processes that start with the system. With 255 processes a state then stays below 2 GiB.

use super::resolver::Resolver;
use super::{Body, BodyKind, Init, Names, Ty, Var, VarId};
use ferrospin_source::{Diagnostic, Span};

/// The most bytes that the globals, or the variables of one process, may take with the contents of their channels.
pub const AREA_BYTES_MAX: u64 = 4 << 20;

/// The most fields that a message may have, those of structures counted one by one.
pub const MESSAGE_FIELDS_MAX: u32 = 1024;

impl Ty {
    /// Bytes of a value in a state; `None` for structures.
    pub fn scalar_bytes(self) -> Option<u64> {
        Some(match self {
            Ty::Bit | Ty::Bool | Ty::Byte | Ty::Pid | Ty::Mtype(_) | Ty::Chan | Ty::Unsigned(..=8) => 1,
            Ty::Short | Ty::Unsigned(9..=16) => 2,
            Ty::Int | Ty::Unsigned(_) => 4,
            Ty::Record(_) => return None,
        })
    }
}

impl Names {
    /// Bytes of one value of a type. No sum wraps: one that is too large stays at the largest number.
    pub fn bytes_of(&self, ty: Ty) -> u64 {
        match ty {
            Ty::Record(r) => self.records[r.index()].bytes,
            _ => ty.scalar_bytes().expect("not a structure"),
        }
    }

    /// Bytes of a variable or field with all its elements, without the contents of its channels.
    pub fn bytes_of_var(&self, var: &Var) -> u64 {
        self.bytes_of(var.ty).saturating_mul(u64::from(var.array.unwrap_or(1)))
    }

    /// Bytes that the contents of the channels of a variable or field take.
    pub(super) fn channel_bytes(&self, var: &Var) -> u64 {
        let one = match (&var.init, var.ty) {
            (Init::Chan { capacity, fields }, Ty::Chan) => {
                let message = fields.iter().map(|&ty| self.bytes_of(ty)).fold(0, u64::saturating_add);
                let length = if *capacity < 256 { 1 } else { 4 };
                message.saturating_mul(u64::from(*capacity)).saturating_add(length)
            }
            (_, Ty::Record(r)) => self.records[r.index()].channel_bytes,
            _ => 0,
        };
        one.saturating_mul(u64::from(var.array.unwrap_or(1)))
    }
}

/// An error about something that would take this many bytes.
fn too_large(at: Span, message: String, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error("too-large", at, message).label(label).note(format!(
        "the globals, and each process, may take {} MiB of a state; states are copied with every step",
        AREA_BYTES_MAX >> 20
    ))
}

/// A number of bytes for people.
fn bytes(count: u64) -> String {
    match count {
        u64::MAX => "more than 2^64 bytes".into(),
        1 => "1 byte".into(),
        n => format!("{n} bytes"),
    }
}

impl Resolver<'_> {
    /// Refuses variables that make a state too large, each area once.
    pub(super) fn sizes(&mut self) {
        let ids = |r: &Self, of: &dyn Fn(&Var) -> bool| -> Vec<VarId> {
            (0..r.names.vars.len() as u32).map(VarId).filter(|v| of(r.var(*v))).collect()
        };
        let globals = ids(self, &|v| v.body.is_none());
        let mut fits = true;
        let mut all = self.area("the globals", &globals, &mut fits);
        for body in 0..self.names.bodies.len() {
            let Body { name, kind, vars, active, at, .. } = self.names.bodies[body].clone();
            let what = match kind {
                BodyKind::Proctype => format!("the variables of `{name}`"),
                _ => format!("the variables of {name}"),
            };
            let frame = self.area(&what, &vars, &mut fits);
            let started = u64::from(active.min(255));
            all = all.saturating_add(frame.saturating_mul(started));
            if fits && all > AREA_BYTES_MAX {
                let message = format!("the state that the model starts with would take {}", bytes(all));
                self.error(too_large(at.0, message, format!("{started} of these take {}", bytes(frame * started))));
                fits = false;
            }
        }
    }

    /// What variables of an area take together.
    fn area(&mut self, what: &str, vars: &[VarId], fits: &mut bool) -> u64 {
        let (mut all, mut fits_here) = (0u64, true);
        for &id in vars {
            let var = self.var(id);
            let own = self.names.bytes_of_var(var).saturating_add(self.names.channel_bytes(var));
            all = all.saturating_add(own);
            if fits_here && all > AREA_BYTES_MAX {
                (fits_here, *fits) = (false, false);
                let (name, at) = (var.name.clone(), var.at.0);
                let message = if own > AREA_BYTES_MAX {
                    format!("`{name}` would take {} of every state", bytes(own))
                } else {
                    format!("with `{name}`, {what} would take {} of every state", bytes(all))
                };
                self.error(too_large(at, message, "too large"));
            }
        }
        all
    }

    /// Refuses messages with too many fields, however few of them a channel holds.
    pub(super) fn message_fields(&mut self, count: u32, at: Span) {
        if count > MESSAGE_FIELDS_MAX {
            self.error(
                Diagnostic::error("too-large", at, format!("a message cannot have {count} fields")).label(format!(
                    "at most {MESSAGE_FIELDS_MAX} are possible, those of structures counted one by one"
                )),
            );
        }
    }
}
