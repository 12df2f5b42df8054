//! `typedef` and `mtype` at top level.

use super::decls::Site;
use super::resolver::{Global, RecordFacts, Resolver};
use super::{Def, Record, RecordId, Ty, Var};
use crate::ast::{MtypeDecl, Typedef};
use ferrospin_source::Diagnostic;
use rustc_hash::FxHashMap;

impl Resolver<'_> {
    /// `typedef T { ... }`
    pub(super) fn typedef(&mut self, t: &Typedef) {
        let id = RecordId(self.names.records.len() as u32);
        let twin = self.records.get(&t.name.name).copied();
        if let Some(old) = twin {
            let there = self.names.records[old.index()].at.0;
            self.error(
                Diagnostic::error("redeclared", t.name.at.0, format!("type `{}` is defined twice", t.name.name))
                    .label("defined again")
                    .also(there, "first defined here"),
            );
        }
        self.define(&t.name, Def::Record(id));
        let mut fields: Vec<Var> = Vec::new();
        self.fields = Some(FxHashMap::default());
        for decl in &t.fields {
            let ty = self.ty(&decl.ty);
            for d in &decl.vars {
                let Some((var, extra)) = self.declarator(decl, d, ty, Site::Field) else { continue };
                if let Some(known) = &mut self.fields {
                    known.insert(var.name.clone(), extra.bound);
                }
                if let Some(old) = fields.iter().find(|f| f.name == var.name) {
                    let there = old.at.0;
                    self.error(
                        Diagnostic::error(
                            "redeclared",
                            d.name.at.0,
                            format!("field `{}` is declared already", var.name),
                        )
                        .label("declared again")
                        .also(there, "first declared here"),
                    );
                    continue;
                }
                self.define(&d.name, Def::Field(id, fields.len() as u32));
                fields.push(var);
            }
        }
        self.fields = None;
        let facts = self.record_facts(&fields);
        self.facts_of.push(facts);
        let bytes = fields.iter().map(|f| self.names.bytes_of_var(f)).fold(0, u64::saturating_add);
        let channel_bytes = fields.iter().map(|f| self.names.channel_bytes(f)).fold(0, u64::saturating_add);
        self.names.records.push(Record { name: t.name.name.clone(), at: t.name.at, fields, bytes, channel_bytes });
        if twin.is_none() {
            self.records.insert(t.name.name.clone(), id);
        }
    }

    /// `mtype = { a, b, c }`: the last name of a list is the smallest, later lists go on above.
    pub(super) fn mtype(&mut self, m: &MtypeDecl) {
        let list = self.mtype_list(m.name.as_ref());
        let base = self.names.mtypes[list.index()].constants.len();
        let count = m.constants.len();
        if base + count > 255 {
            self.error(
                Diagnostic::error("mtype-size", m.at.0, format!("an `mtype` can have 255 names, not {}", base + count))
                    .label("too many names"),
            );
            return;
        }
        for (i, c) in m.constants.iter().enumerate() {
            let value = (base + count - i) as u8;
            match self.globals.get(&c.name) {
                Some(old) => {
                    let there = old.at;
                    let mut d = Diagnostic::error("redeclared", c.at.0, format!("`{}` is declared already", c.name))
                        .label("declared again");
                    if there.is_some() {
                        d = d.also(there, "first declared here");
                    }
                    self.error(d);
                }
                None => {
                    let def = Def::MtypeConst(list, value);
                    self.define(c, def);
                    self.globals.insert(c.name.clone(), Global { def, at: c.at.0 });
                }
            }
        }
        let new = m.constants.iter().rev().enumerate().map(|(i, c)| (c.name.clone(), (base + i + 1) as u8));
        self.names.mtypes[list.index()].constants.extend(new);
    }

    fn record_facts(&self, fields: &[Var]) -> RecordFacts {
        let mut facts = RecordFacts { spread: 0, array: false, unfit: None };
        for f in fields {
            let fields = self.spread(f.ty).saturating_mul(f.array.unwrap_or(1));
            facts.spread = facts.spread.saturating_add(fields);
            facts.array |= f.array.is_some();
            let unfit = match f.ty {
                Ty::Record(_) if f.array.is_some() => Some(("an array of structures", f.name.clone(), f.at.0)),
                Ty::Record(r) => {
                    let inner = &self.facts_of[r.index()];
                    facts.array |= inner.array;
                    inner.unfit.clone()
                }
                Ty::Unsigned(_) => Some(("an `unsigned` field", f.name.clone(), f.at.0)),
                _ => None,
            };
            facts.unfit = facts.unfit.or(unfit);
        }
        facts
    }
}
