//! Members of the structures that stand for the state become variables of their own: `now.x` a variable `now.x`, and `Pname->x`
//! one `Pname->x`. So an index outside of an array of the model is one outside of an object, and what a function touches can be
//! told variable by variable.

use crate::text::{Member, NOW, Text};
use ferrospin_c::tree::{Base, Const, ExprId, ExprKind, Linkage, Object, ObjectId, Storage, Unit};
use ferrospin_c::types::RecordId;
use ferrospin_cpp::Symbol;
use rustc_hash::FxHashMap;

/// The variables that were made, and what they stand for.
pub(crate) struct Members {
    pub(crate) of: FxHashMap<ObjectId, (String, Member)>,
    /// What stands for the whole: must not be used itself.
    pub(crate) whole: FxHashMap<ObjectId, String>,
}

/// Makes variables of members.
pub(crate) fn split(unit: &mut Unit, text: &Text) -> Members {
    let mut whole = FxHashMap::default();
    for (i, object) in unit.objects.iter().enumerate() {
        let Some(name) = object.name else { continue };
        let name = unit.name(name).to_string();
        if object.linkage == Linkage::External && text.members.keys().any(|(owner, _)| *owner == name) {
            whole.insert(ObjectId(i as u32), name);
        }
    }
    let mut made: FxHashMap<(ObjectId, u32), ObjectId> = FxHashMap::default();
    let mut of = FxHashMap::default();
    for i in 0..unit.exprs.len() {
        let id = ExprId(i as u32);
        if let Some(Const::Address(Base::Object(o), _)) = unit.expr(id).value
            && whole.contains_key(&o)
        {
            // An address within the structure is found again from the members.
            unit.exprs[i].value = None;
        }
        let ExprKind::Member(base, record, field) = unit.expr(id).kind else { continue };
        let Some(owner) = owner(unit, base).filter(|o| whole.contains_key(o)) else { continue };
        let Some(name) = field_name(unit, record, field) else { continue };
        let pointer = &whole[&owner];
        let Some(&member) = text.members.get(&(pointer.clone(), name.clone())) else { continue };
        let object = *made.entry((owner, field)).or_insert_with(|| {
            let shown = if pointer == NOW { format!("now.{name}") } else { format!("{pointer}->{name}") };
            unit.names.push(shown.clone().into());
            unit.objects.push(Object {
                name: Some(Symbol(unit.names.len() as u32 - 1)),
                ty: unit.types.record(record).fields[field as usize].ty,
                storage: Storage::Static,
                linkage: Linkage::Internal,
                defined: true,
                weak: false,
                align: 0,
                init: None,
                span: unit.objects[owner.0 as usize].span,
            });
            let id = ObjectId(unit.objects.len() as u32 - 1);
            of.insert(id, (shown, member));
            id
        });
        unit.exprs[i].kind = ExprKind::Object(object);
    }
    Members { of, whole }
}

/// The variable a member is asked of: `now`, or the pointer that is followed.
fn owner(unit: &Unit, base: ExprId) -> Option<ObjectId> {
    match unit.expr(base).kind {
        ExprKind::Object(o) => Some(o),
        ExprKind::Deref(pointer) => match unit.expr(pointer).kind {
            ExprKind::Load(variable) => match unit.expr(variable).kind {
                ExprKind::Object(o) => Some(o),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn field_name(unit: &Unit, record: RecordId, field: u32) -> Option<String> {
    let name = unit.types.record(record).fields.get(field as usize)?.name?;
    Some(unit.name(name).to_string())
}
