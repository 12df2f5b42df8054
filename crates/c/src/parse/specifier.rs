//! Declaration specifiers and type names.

use super::attribute::{Attributes, align_log, is_unknown};
use super::scope::Binding;
use super::{Parser, Res};
use crate::types::{ATOMIC, CONST, FloatKind, IntKind, Qual, RESTRICT, Type, TypeId, VOLATILE};
use crate::word::Word;
use ferrospin_source::Span;

/// What stands before the declarators of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specifiers {
    pub(super) ty: Qual,
    pub(super) typedef: bool,
    pub(super) external: bool,
    pub(super) internal: bool,
    pub(super) thread: bool,
    pub(super) inline: bool,
    /// `__auto_type`: the type is that of the value.
    pub(super) auto: bool,
    /// `_Alignas` and `aligned`, in bytes.
    pub(super) align: u64,
    pub(super) attributes: Attributes,
    pub(super) span: Span,
}

/// The words for arithmetic types that were seen.
#[derive(Default)]
struct Words {
    void: bool,
    char_: bool,
    short: bool,
    int: bool,
    long: u8,
    signed: bool,
    unsigned: bool,
    float: Option<FloatKind>,
    bool_: bool,
    complex: bool,
    int128: bool,
    any: bool,
}

impl Parser<'_> {
    /// Whether a type name or a declaration starts here.
    pub(super) fn starts_type(&self) -> bool {
        self.starts_type_at(self.at)
    }

    /// Whether a declaration with specifiers starts here, perhaps with an attribute.
    pub(super) fn starts_declaration_word(&self) -> bool {
        self.starts_type() || (self.word() == Word::LBracket && self.peek() == Word::LBracket)
    }

    pub(super) fn starts_type_at(&self, at: usize) -> bool {
        use Word::*;
        match self.word_at(at) {
            Void | Char_ | Short | Int | Long | Float | Double | Signed | Unsigned | Bool | Complex | Imaginary
            | Int128 | Float16 | Float32 | Float64 | Float32x | Float64x | Float128 | Float80 | VaList | Struct
            | Union | Enum | Typeof | AutoType | Atomic | Const | Volatile | Restrict | Typedef | Extern | Static
            | Auto | Register | Inline | Noreturn | Thread | Alignas | Attribute => true,
            Extension => self.starts_type_at(at + 1),
            Ident => matches!(self.scopes.name(self.piece_at(at).text), Some(Binding::Typedef(_))),
            _ => false,
        }
    }

    /// Reads specifiers. Without any type they mean `int`.
    pub(super) fn specifiers(&mut self) -> Res<Specifiers> {
        let span = self.span();
        let mut s = Specifiers {
            ty: TypeId::INT.into(),
            typedef: false,
            external: false,
            internal: false,
            thread: false,
            inline: false,
            auto: false,
            align: 0,
            attributes: Attributes::default(),
            span,
        };
        let mut words = Words::default();
        let mut quals = 0;
        let mut given: Option<Qual> = None;
        loop {
            let free = given.is_none() && !words.any && !s.auto;
            use Word::*;
            match self.word() {
                Typedef => s.typedef = true,
                Extern => s.external = true,
                Static => s.internal = true,
                Thread => s.thread = true,
                Inline => s.inline = true,
                Auto | Register | Noreturn | Extension | Imaginary => {}
                Const => quals |= CONST,
                Volatile => quals |= VOLATILE,
                Restrict => quals |= RESTRICT,
                Void => (words.void, words.any) = (true, true),
                Char_ => (words.char_, words.any) = (true, true),
                Short => (words.short, words.any) = (true, true),
                Int => (words.int, words.any) = (true, true),
                Long => (words.long, words.any) = (words.long + 1, true),
                Signed => (words.signed, words.any) = (true, true),
                Unsigned => (words.unsigned, words.any) = (true, true),
                Bool => (words.bool_, words.any) = (true, true),
                Int128 => (words.int128, words.any) = (true, true),
                Complex => (words.complex, words.any) = (true, true),
                Float | Float32 => (words.float, words.any) = (Some(FloatKind::Float), true),
                Double | Float64 | Float32x => (words.float, words.any) = (Some(FloatKind::Double), true),
                Float64x | Float80 => (words.float, words.any) = (Some(FloatKind::LongDouble), true),
                Float128 => (words.float, words.any) = (Some(FloatKind::Quad), true),
                Float16 => (words.float, words.any) = (Some(FloatKind::Half), true),
                Attribute => {
                    let more = self.attributes()?;
                    s.attributes.merge(more);
                    continue;
                }
                LBracket if self.peek() == LBracket => {
                    let more = self.attributes()?;
                    s.attributes.merge(more);
                    continue;
                }
                Alignas => {
                    self.at += 1;
                    let align = self.alignas()?;
                    s.align = s.align.max(align);
                    continue;
                }
                VaList if free => given = Some(TypeId::VALIST.into()),
                AutoType => s.auto = true,
                Struct | Union if free => {
                    given = Some(self.record()?.into());
                    continue;
                }
                Enum if free => {
                    given = Some(self.enumeration()?.into());
                    continue;
                }
                Typeof if free => {
                    given = Some(self.typeof_specifier()?);
                    continue;
                }
                Atomic => {
                    self.at += 1;
                    quals |= ATOMIC;
                    if self.word() == LParen && free {
                        self.at += 1;
                        given = Some(self.type_name()?);
                        self.expect(RParen, "`)`")?;
                    }
                    continue;
                }
                Ident if free => match self.scopes.name(self.symbol()) {
                    Some(Binding::Typedef(q)) => given = Some(q),
                    _ => break,
                },
                _ => break,
            }
            self.at += 1;
        }
        s.span = self.from(span);
        let base = match given {
            Some(q) => q,
            None => self.arithmetic_type(&words, s.span)?.into(),
        };
        let base = self.apply_attributes(base, &s.attributes);
        s.ty = self.qualified(base, quals);
        // A type that is only a tag has its attributes itself; `record` took those that stand behind its braces.
        s.align = s.align.max(s.attributes.align);
        Ok(s)
    }

    fn arithmetic_type(&mut self, w: &Words, span: Span) -> Res<TypeId> {
        if let Some(kind) = w.float {
            let kind = if kind == FloatKind::Double && w.long > 0 { FloatKind::LongDouble } else { kind };
            return Ok(self.unit.types.intern(if w.complex { Type::Complex(kind) } else { Type::Float(kind) }));
        }
        if w.complex {
            return Ok(self.unit.types.intern(Type::Complex(FloatKind::Double)));
        }
        if w.signed && w.unsigned {
            return Err(self.error(span, "c-type", "both `signed` and `unsigned` are given"));
        }
        use IntKind::*;
        let (s, u) = match () {
            () if w.void => return Ok(TypeId::VOID),
            () if w.bool_ => (Bool, Bool),
            () if w.char_ => (if w.signed { SChar } else { Char }, UChar),
            () if w.short => (Short, UShort),
            () if w.int128 => (Int128, UInt128),
            () => match w.long {
                0 => (Int, UInt),
                1 => (Long, ULong),
                _ => (LongLong, ULongLong),
            },
        };
        Ok(self.unit.types.intern(Type::Int(if w.unsigned { u } else { s })))
    }

    /// A type with further qualifiers; those of an array belong to its elements.
    pub(super) fn qualified(&mut self, q: Qual, quals: u8) -> Qual {
        if quals == 0 {
            return q;
        }
        if let Type::Array(element, length) = *self.unit.types.get(q.ty) {
            let element = self.qualified(element, quals);
            return Qual { ty: self.unit.types.intern(Type::Array(element, length)), ..q };
        }
        Qual { quals: q.quals | quals, ..q }
    }

    fn typeof_specifier(&mut self) -> Res<Qual> {
        let unqualified = self.text() == "typeof_unqual";
        self.at += 1;
        self.expect(Word::LParen, "`(`")?;
        let q = if self.starts_type() {
            self.type_name()?
        } else {
            let e = self.nested(Self::expression)?;
            self.expr(e).ty
        };
        self.expect(Word::RParen, "`)`")?;
        Ok(if unqualified { Qual { quals: 0, ..q } } else { q })
    }

    /// A type name: specifiers and a declarator without a name.
    pub(super) fn type_name(&mut self) -> Res<Qual> {
        self.nested(|p| {
            let s = p.specifiers()?;
            let d = p.declarator(s.ty, true)?;
            let mut q = d.ty;
            if s.attributes.align > 0 {
                q.align = align_log(s.attributes.align);
            }
            Ok(q)
        })
    }

    /// Whether an object can have this type; says so if not.
    pub(super) fn check_complete(&mut self, q: Qual, span: Span, what: &str) -> Res<()> {
        if is_unknown(q.ty) || self.unit.types.is_complete(q.ty) {
            return Ok(());
        }
        let shown = self.show(q);
        Err(self.error(span, "c-type", format!("{what} has the incomplete type `{shown}`")))
    }
}
