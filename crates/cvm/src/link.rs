//! Many units as one program: functions and variables by name.

use ferrospin_c::flow::Flow;
use ferrospin_c::tree::{Linkage, ObjectId, Unit};
use ferrospin_c::types::Type;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why units do not make a program.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LinkError {
    /// Two units define a name.
    #[error("`{0}` is defined twice")]
    Twice(String),
}

/// Where a function or variable is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    /// The unit.
    pub unit: u32,
    /// The object in it.
    pub object: ObjectId,
}

/// Units, linked.
pub struct Program {
    /// The units.
    pub units: Vec<Unit>,
    /// Automata by unit and number of the object.
    pub(crate) flows: Vec<FxHashMap<ObjectId, Flow>>,
    /// Definitions with external linkage.
    external: FxHashMap<Arc<str>, Link>,
}

impl Program {
    /// Links units.
    pub fn new(units: Vec<Unit>) -> Result<Program, LinkError> {
        let mut flows = Vec::with_capacity(units.len());
        let mut external: FxHashMap<Arc<str>, Link> = FxHashMap::default();
        let mut weak: FxHashMap<Arc<str>, bool> = FxHashMap::default();
        for (index, unit) in units.iter().enumerate() {
            let numbered = unit.functions.iter().enumerate();
            flows.push(
                numbered
                    .filter_map(|(i, f)| Flow::of(unit, i).map(|flow| (f.object, flow)))
                    .collect::<FxHashMap<_, _>>(),
            );
            for (number, object) in unit.objects.iter().enumerate() {
                let is_function = matches!(unit.types.get(object.ty.ty), Type::Function(_));
                let id = ObjectId(number as u32);
                let has_body = flows[index].contains_key(&id);
                if object.linkage != Linkage::External || !object.defined || (is_function && !has_body) {
                    continue;
                }
                let name = unit.name(object.name.expect("linked objects have names")).clone();
                let link = Link { unit: index as u32, object: id };
                // A variable without a value may be defined by several units, and a weak name by another one.
                let soft = object.weak || (!is_function && object.init.is_none());
                match weak.get(&name) {
                    Some(false) if soft => {}
                    Some(false) => return Err(LinkError::Twice(name.to_string())),
                    _ => {
                        weak.insert(name.clone(), soft);
                        external.insert(name, link);
                    }
                }
            }
        }
        Ok(Program { units, flows, external })
    }

    /// The definition that a name of a unit means, if there is one.
    pub fn resolve(&self, link: Link) -> Option<Link> {
        let unit = &self.units[link.unit as usize];
        let object = unit.object(link.object);
        match object.linkage {
            Linkage::External => self.external.get(unit.name(object.name?)).copied(),
            _ => Some(link),
        }
    }

    /// The definition with external linkage of a name.
    pub fn find(&self, name: &str) -> Option<Link> {
        self.external.get(name).copied()
    }

    /// The automaton of a function.
    pub fn flow(&self, link: Link) -> Option<&Flow> {
        self.flows[link.unit as usize].get(&link.object)
    }

    /// All automata.
    pub fn all_flows(&self) -> impl Iterator<Item = (u32, &Flow)> {
        self.flows.iter().enumerate().flat_map(|(u, flows)| flows.values().map(move |f| (u as u32, f)))
    }
}
