//! Attributes: GNU's, C23's, and `asm` names of declarations. Those with a meaning for types, layouts and linkage are kept.

use super::{Parser, Res};
use crate::types::{FloatKind, IntKind, Qual, Type, TypeId};
use crate::word::Word;

/// What the attributes of a declaration ask for.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Attributes {
    pub(super) packed: bool,
    /// In bytes, 0 for none.
    pub(super) align: u64,
    pub(super) weak: bool,
    pub(super) transparent: bool,
    /// `mode`.
    pub(super) mode: Option<Mode>,
    /// `vector_size`, in bytes.
    pub(super) vector: Option<u64>,
}

/// A machine mode.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mode {
    /// An integer of that number of bytes.
    Int(u64),
    Float(FloatKind),
}

impl Attributes {
    pub(super) fn merge(&mut self, other: Attributes) {
        self.packed |= other.packed;
        self.align = self.align.max(other.align);
        self.weak |= other.weak;
        self.transparent |= other.transparent;
        self.mode = other.mode.or(self.mode);
        self.vector = other.vector.or(self.vector);
    }
}

impl Parser<'_> {
    /// Reads all attributes that stand here.
    pub(super) fn attributes(&mut self) -> Res<Attributes> {
        let mut all = Attributes::default();
        loop {
            match self.word() {
                Word::Attribute => {
                    self.at += 1;
                    self.expect(Word::LParen, "`((`")?;
                    self.expect(Word::LParen, "`((`")?;
                    self.attribute_list(Word::RParen, &mut all)?;
                    self.expect(Word::RParen, "`))`")?;
                    self.expect(Word::RParen, "`))`")?;
                }
                Word::LBracket if self.peek() == Word::LBracket => {
                    self.at += 2;
                    self.attribute_list(Word::RBracket, &mut all)?;
                    self.expect(Word::RBracket, "`]]`")?;
                    self.expect(Word::RBracket, "`]]`")?;
                }
                _ => return Ok(all),
            }
        }
    }

    /// Attributes, and an `asm` name among them.
    pub(super) fn attributes_and_asm(&mut self) -> Res<Attributes> {
        let mut all = self.attributes()?;
        while self.word() == Word::Asm {
            self.at += 1;
            if self.word() == Word::LParen {
                self.skip_balanced();
            }
            let more = self.attributes()?;
            all.merge(more);
        }
        Ok(all)
    }

    fn attribute_list(&mut self, close: Word, all: &mut Attributes) -> Res<()> {
        loop {
            if self.eat(Word::Comma) {
                continue;
            }
            if self.word() == close || self.word() == Word::End {
                return Ok(());
            }
            // A name, or a keyword as in `const`; a scope stands before some.
            let mut text = self.text();
            self.at += 1;
            while matches!(self.word(), Word::Colon | Word::Scope) {
                self.at += 1;
                if self.word() != Word::Colon {
                    text = self.text();
                    self.at += 1;
                }
            }
            let bare = text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(text);
            if self.word() != Word::LParen {
                match bare {
                    "packed" => all.packed = true,
                    "aligned" => all.align = all.align.max(16),
                    "weak" => all.weak = true,
                    "transparent_union" => all.transparent = true,
                    _ => {}
                }
                continue;
            }
            match bare {
                "aligned" | "vector_size" => {
                    self.at += 1;
                    let span = self.span();
                    let value = self.constant_expression()?;
                    self.expect(Word::RParen, "`)`")?;
                    if value <= 0 || value > 1 << 28 || !(value as u64).is_power_of_two() {
                        let message = format!("`{bare}` takes a power of two, not {value}");
                        return Err(self.error(span, "c-attribute", message));
                    }
                    if bare == "aligned" {
                        all.align = all.align.max(value as u64);
                    } else {
                        all.vector = Some(value as u64);
                    }
                }
                "mode" => {
                    let name = self.pieces.text(self.piece_at(self.at + 1).text).clone();
                    let mode = name.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(&name);
                    let word = self.unit.types.pointer_size();
                    all.mode = match mode {
                        "QI" | "byte" => Some(Mode::Int(1)),
                        "HI" => Some(Mode::Int(2)),
                        "SI" => Some(Mode::Int(4)),
                        "DI" => Some(Mode::Int(8)),
                        "TI" => Some(Mode::Int(16)),
                        "word" | "pointer" | "unwind_word" => Some(Mode::Int(word)),
                        "SF" => Some(Mode::Float(FloatKind::Float)),
                        "DF" => Some(Mode::Float(FloatKind::Double)),
                        "XF" => Some(Mode::Float(FloatKind::LongDouble)),
                        "TF" => Some(Mode::Float(FloatKind::Quad)),
                        _ => None,
                    };
                    self.skip_balanced();
                }
                _ => self.skip_balanced(),
            }
        }
    }

    /// The type with `mode` and `vector_size` applied.
    pub(super) fn apply_attributes(&mut self, q: Qual, attributes: &Attributes) -> Qual {
        let mut q = q;
        match attributes.mode {
            Some(Mode::Int(size)) => {
                let signed = self.unit.types.int_kind(q.ty).is_none_or(|k| {
                    crate::types::Types::is_signed(k) || matches!(self.unit.types.get(q.ty), Type::Enum(_))
                });
                use IntKind::*;
                let pairs = [(1, SChar, UChar), (2, Short, UShort), (4, Int, UInt), (16, Int128, UInt128)];
                let eight = if self.unit.types.pointer_size() == 8 { (Long, ULong) } else { (LongLong, ULongLong) };
                let (s, u) = pairs.iter().find(|p| p.0 == size).map_or(eight, |p| (p.1, p.2));
                q.ty = self.unit.types.intern(Type::Int(if signed { s } else { u }));
            }
            Some(Mode::Float(kind)) => {
                let complex = matches!(self.unit.types.get(q.ty), Type::Complex(_));
                q.ty = self.unit.types.intern(if complex { Type::Complex(kind) } else { Type::Float(kind) });
            }
            None => {}
        }
        if let Some(bytes) = attributes.vector {
            // The attribute belongs to the innermost type: `vector_size` of a pointer's target makes no pointer of vectors.
            let size = self.unit.types.size(q.ty).unwrap_or(1).max(1);
            if self.unit.types.is_arithmetic(q.ty) {
                q.ty = self.unit.types.intern(Type::Vector(q.ty, bytes / size));
            }
        }
        q
    }

    /// `_Alignas(...)`, after the word: bytes.
    pub(super) fn alignas(&mut self) -> Res<u64> {
        self.expect(Word::LParen, "`(`")?;
        let align = if self.starts_type() {
            let q = self.type_name()?;
            self.unit.types.field_align(q)
        } else {
            let span = self.span();
            let value = self.constant_expression()?;
            if !(0..=1 << 28).contains(&value) || (value > 0 && !(value as u64).is_power_of_two()) {
                return Err(self.error(span, "c-attribute", format!("an alignment is a power of two, not {value}")));
            }
            value as u64
        };
        self.expect(Word::RParen, "`)`")?;
        Ok(align)
    }
}

/// The logarithm plus one of an alignment, as [`Qual`] keeps it.
pub(super) fn align_log(bytes: u64) -> u8 {
    if bytes == 0 { 0 } else { bytes.trailing_zeros() as u8 + 1 }
}

/// Whether a type is not known, so that nothing is said about it.
pub(super) fn is_unknown(ty: TypeId) -> bool {
    ty == TypeId::UNKNOWN
}
