//! Where the members of structures and unions lie: GCC's rules for x86 Linux.
//!
//! A bit-field goes right behind what came before it unless it would then span more units of its type than the type has
//! (`PCC_BITFIELD_TYPE_MATTERS`); one without a name does not raise the alignment of the record. `packed` makes members
//! start at the next byte and bit-fields at the next bit; `#pragma pack(n)` bounds alignments.

use crate::types::{Field, Types};

/// A member before it has a place.
pub(crate) struct Member {
    /// All but `offset` and the first bit is told.
    pub(crate) field: Field,
    /// `packed` on the member itself.
    pub(crate) packed: bool,
    /// `aligned` or `_Alignas` on the member, in bytes; 0 for none.
    pub(crate) align: u64,
}

/// What is asked for the record as a whole.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wish {
    pub(crate) is_union: bool,
    pub(crate) packed: bool,
    /// `aligned`, in bytes; 0 for none.
    pub(crate) align: u64,
    /// `#pragma pack`, in bytes; 0 for none.
    pub(crate) pack: u64,
}

/// Sizes are kept below this, so that bits can be counted.
pub(crate) const SIZE_MAX: u64 = 1 << 60;

/// Members with their places, size and alignment of the record; `None` if it is too large.
pub(crate) fn lay_out(types: &Types, wish: Wish, members: Vec<Member>) -> Option<(Vec<Field>, u64, u64)> {
    let mut fields = Vec::with_capacity(members.len());
    let mut align = 1u64;
    // The next free bit, and for unions the end of the longest member.
    let (mut at, mut end) = (0u64, 0u64);
    for member in members {
        let Member { mut field, packed, align: asked } = member;
        // An array without length takes no room.
        let size = types.size(field.ty.ty).unwrap_or(0);
        if size >= SIZE_MAX / 16 {
            return None;
        }
        let packed = packed || wish.packed;
        let own = types.field_align(field.ty);
        // `#pragma pack` also bounds what `aligned` asks for.
        let bounded = |align: u64| if wish.pack > 0 { align.min(wish.pack) } else { align };
        if wish.is_union {
            at = 0;
        }
        match field.bits {
            None => {
                let needed = bounded(if packed { asked.max(1) } else { own.max(asked) });
                at = round_up(at, needed * 8);
                field.offset = at / 8;
                at += size * 8;
                align = align.max(needed);
            }
            Some((_, 0)) => {
                // An unnamed field of no width ends the unit; its type's alignment is obeyed even in packed records.
                at = round_up(at, own.max(asked) * 8);
                align = align.max(asked);
                field.offset = at / 8;
            }
            Some((_, width)) => {
                if asked > 0 {
                    at = round_up(at, bounded(asked) * 8);
                }
                let unit = own * 8;
                let spans = (at % unit + u64::from(width)).div_ceil(unit);
                // With `#pragma pack` fields cross units as packed ones do.
                let may_cross = packed || wish.pack > 0;
                if !may_cross && spans > size * 8 / unit {
                    at = round_up(at, unit);
                }
                field.offset = at / 8;
                field.bits = Some(((at % 8) as u32, width));
                at += u64::from(width);
                if field.name.is_some() {
                    // The bound counts here, and `packed` only without it.
                    align = align.max(if wish.pack == 0 && packed { 1 } else { bounded(own) });
                }
                align = align.max(bounded(asked));
            }
        }
        end = end.max(at);
        if end >= SIZE_MAX {
            return None;
        }
        fields.push(field);
    }
    let align = align.max(wish.align.max(1));
    let size = round_up(end.div_ceil(8), align);
    Some((fields, size, align))
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to) * to
}
