//! Types, interned: two types are the same when their numbers are equal.
//!
//! Qualifiers and an alignment asked for by `aligned` lie beside the number ([`Qual`]), because they belong to a use of
//! a type and not to its kind. Sizes and alignments follow the System V ABI of x86 as GCC has it, for 64 and 32 bits.

use ferrospin_cpp::{Symbol, Target};
use ferrospin_source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Index of a [`Type`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// Index of a [`Record`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordId(pub u32);

/// Index of an [`Enum`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EnumId(pub u32);

/// A use of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Qual {
    /// The type.
    pub ty: TypeId,
    /// Sum of [`CONST`], [`VOLATILE`], [`RESTRICT`], [`ATOMIC`].
    pub quals: u8,
    /// Alignment asked for: its logarithm plus one, 0 for the type's own.
    pub align: u8,
}

/// `const`.
pub const CONST: u8 = 1;
/// `volatile`.
pub const VOLATILE: u8 = 2;
/// `restrict`.
pub const RESTRICT: u8 = 4;
/// `_Atomic`.
pub const ATOMIC: u8 = 8;

impl From<TypeId> for Qual {
    fn from(ty: TypeId) -> Qual {
        Qual { ty, quals: 0, align: 0 }
    }
}

/// Integer types, by rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

/// Floating types, by rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum FloatKind {
    Half,
    Float,
    Double,
    LongDouble,
    Quad,
}

/// Length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// That number of elements.
    Known(u64),
    /// `[]`.
    Unknown,
    /// Told when the program runs.
    Variable,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// What it returns.
    pub result: Qual,
    /// Parameters, adjusted.
    pub params: Arc<[Qual]>,
    /// Takes further arguments.
    pub variadic: bool,
    /// Parameters are told; otherwise any arguments are taken.
    pub prototyped: bool,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Complex(FloatKind),
    Enum(EnumId),
    Pointer(Qual),
    Array(Qual, Length),
    Vector(TypeId, u64),
    Function(Signature),
    Record(RecordId),
    /// `__builtin_va_list`.
    VaList,
    /// Of something that is not understood: fits everywhere, and no message is given about it.
    Unknown,
}

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// `union` rather than `struct`.
    pub is_union: bool,
    /// Its tag.
    pub tag: Option<Symbol>,
    /// Whether the members are told.
    pub complete: bool,
    /// Members in order.
    pub fields: Vec<Field>,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
    /// Arguments of such a type may be given as any member: `transparent_union`.
    pub transparent: bool,
    /// Where it is written.
    pub span: Span,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; none for an anonymous structure or a bit-field that is padding.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: Qual,
    /// Bytes from the start of the record; for bit-fields of the first byte that holds a bit of it.
    pub offset: u64,
    /// For bit-fields: the first bit from `offset`, and how many bits.
    pub bits: Option<(u32, u32)>,
    /// Where it is written.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// The integer type it has.
    pub underlying: IntKind,
    /// Whether the constants are told.
    pub complete: bool,
}

/// All types of a unit.
pub struct Types {
    target: Target,
    list: Vec<Type>,
    index: FxHashMap<Type, TypeId>,
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
}

macro_rules! fixed {
    ($($name:ident = $at:literal $ty:expr),* $(,)?) => {
        #[allow(missing_docs)]
        impl TypeId {
            $(pub const $name: TypeId = TypeId($at);)*
        }
        const FIXED: &[Type] = &[$($ty),*];
    };
}

fixed! {
    VOID = 0 Type::Void,
    UNKNOWN = 1 Type::Unknown,
    BOOL = 2 Type::Int(IntKind::Bool),
    CHAR = 3 Type::Int(IntKind::Char),
    SCHAR = 4 Type::Int(IntKind::SChar),
    UCHAR = 5 Type::Int(IntKind::UChar),
    SHORT = 6 Type::Int(IntKind::Short),
    USHORT = 7 Type::Int(IntKind::UShort),
    INT = 8 Type::Int(IntKind::Int),
    UINT = 9 Type::Int(IntKind::UInt),
    LONG = 10 Type::Int(IntKind::Long),
    ULONG = 11 Type::Int(IntKind::ULong),
    LONGLONG = 12 Type::Int(IntKind::LongLong),
    ULONGLONG = 13 Type::Int(IntKind::ULongLong),
    INT128 = 14 Type::Int(IntKind::Int128),
    UINT128 = 15 Type::Int(IntKind::UInt128),
    FLOAT = 16 Type::Float(FloatKind::Float),
    DOUBLE = 17 Type::Float(FloatKind::Double),
    LDOUBLE = 18 Type::Float(FloatKind::LongDouble),
    HALF = 19 Type::Float(FloatKind::Half),
    QUAD = 20 Type::Float(FloatKind::Quad),
    VALIST = 21 Type::VaList,
}

impl Types {
    pub(crate) fn new(target: Target) -> Types {
        let mut types =
            Types { target, list: Vec::new(), index: FxHashMap::default(), records: Vec::new(), enums: Vec::new() };
        for ty in FIXED {
            types.intern(ty.clone());
        }
        types
    }

    /// The machine.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The number of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// What a type is.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// The type of pointers to `to`.
    pub fn pointer(&mut self, to: impl Into<Qual>) -> TypeId {
        self.intern(Type::Pointer(to.into()))
    }

    /// `size_t`.
    pub fn size_t(&self) -> TypeId {
        if self.target == Target::Lp64 { TypeId::ULONG } else { TypeId::UINT }
    }

    /// `ptrdiff_t`.
    pub fn ptrdiff_t(&self) -> TypeId {
        if self.target == Target::Lp64 { TypeId::LONG } else { TypeId::INT }
    }

    /// `wchar_t`.
    pub fn wchar_t(&self) -> TypeId {
        if self.target == Target::Lp64 { TypeId::INT } else { TypeId::LONG }
    }

    /// Bytes of a pointer.
    pub fn pointer_size(&self) -> u64 {
        if self.target == Target::Lp64 { 8 } else { 4 }
    }

    /// Bytes of an integer.
    pub fn int_size(&self, kind: IntKind) -> u64 {
        use IntKind::*;
        match kind {
            Bool | Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 4,
            Long | ULong => self.pointer_size(),
            LongLong | ULongLong => 8,
            Int128 | UInt128 => 16,
        }
    }

    /// Whether an integer type has negative values.
    pub fn is_signed(kind: IntKind) -> bool {
        use IntKind::*;
        matches!(kind, Char | SChar | Short | Int | Long | LongLong | Int128)
    }

    /// The integer type behind a type, enumerations included.
    pub fn int_kind(&self, ty: TypeId) -> Option<IntKind> {
        match self.get(ty) {
            Type::Int(kind) => Some(*kind),
            Type::Enum(e) => Some(self.enums[e.0 as usize].underlying),
            _ => None,
        }
    }

    /// The floating type behind a type.
    pub fn float_kind(&self, ty: TypeId) -> Option<FloatKind> {
        match self.get(ty) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        }
    }

    /// Integers, enumerations.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        self.int_kind(ty).is_some()
    }

    /// Integers and floating types, complex ones included.
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Int(_) | Type::Enum(_) | Type::Float(_) | Type::Complex(_))
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: TypeId) -> Option<Qual> {
        match self.get(ty) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// The structure or union behind a type.
    pub fn record_of(&self, ty: TypeId) -> Option<RecordId> {
        match self.get(ty) {
            Type::Record(id) => Some(*id),
            _ => None,
        }
    }

    /// A structure or union.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The type of a function.
    pub fn signature(&self, ty: TypeId) -> Option<&Signature> {
        match self.get(ty) {
            Type::Function(signature) => Some(signature),
            _ => None,
        }
    }

    /// Bytes of an object of this type; `None` if that is not told. As GNU C, `void` and functions have 1.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        Some(match self.get(ty) {
            Type::Void | Type::Function(_) => 1,
            Type::Int(kind) => self.int_size(*kind),
            Type::Float(kind) => self.float_size(*kind),
            Type::Complex(kind) => 2 * self.float_size(*kind),
            Type::Enum(e) => {
                let e = &self.enums[e.0 as usize];
                if !e.complete {
                    return None;
                }
                self.int_size(e.underlying)
            }
            Type::Pointer(_) => self.pointer_size(),
            Type::Array(element, Length::Known(n)) => self.size(element.ty)?.checked_mul(*n)?,
            Type::Array(..) => return None,
            Type::Vector(element, n) => self.size(*element)?.checked_mul(*n)?,
            Type::Record(id) => {
                let record = self.record(*id);
                if !record.complete {
                    return None;
                }
                record.size
            }
            Type::VaList => {
                if self.target == Target::Lp64 {
                    24
                } else {
                    4
                }
            }
            Type::Unknown => return None,
        })
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Half => 2,
            FloatKind::Float => 4,
            FloatKind::Double => 8,
            FloatKind::LongDouble => {
                if self.target == Target::Lp64 {
                    16
                } else {
                    12
                }
            }
            FloatKind::Quad => 16,
        }
    }

    /// Alignment that `__alignof__` tells.
    pub fn align(&self, ty: TypeId) -> u64 {
        match self.get(ty) {
            Type::Float(FloatKind::LongDouble) | Type::Complex(FloatKind::LongDouble)
                if self.target == Target::Ilp32 =>
            {
                4
            }
            Type::Complex(kind) => self.float_size(*kind),
            Type::Array(element, _) => self.align_of(*element),
            Type::Record(id) => self.record(*id).align,
            Type::VaList => self.pointer_size(),
            Type::Vector(..) => self.size(ty).unwrap_or(1).next_power_of_two(),
            Type::Void | Type::Function(_) | Type::Unknown => 1,
            _ => self.size(ty).unwrap_or(1),
        }
    }

    /// Alignment of a use of a type.
    pub fn align_of(&self, q: Qual) -> u64 {
        if q.align > 0 { 1 << (q.align - 1) } else { self.align(q.ty) }
    }

    /// The least alignment of an object of this type, as `_Alignof` and members have it: with 32 bits, `double` and
    /// `long long` have 4 there.
    pub fn field_align(&self, q: Qual) -> u64 {
        let natural = self.align_of(q);
        if self.target == Target::Lp64 || q.align > 0 || q.quals & ATOMIC != 0 {
            return natural;
        }
        let mut ty = q.ty;
        while let Type::Array(element, _) = self.get(ty) {
            if element.align > 0 {
                return natural;
            }
            ty = element.ty;
        }
        match self.get(ty) {
            Type::Int(_) | Type::Enum(_) | Type::Float(FloatKind::Double) | Type::Complex(FloatKind::Double) => {
                natural.min(4)
            }
            _ => natural,
        }
    }

    /// Whether values may be of this type: not a function, not incomplete.
    pub fn is_complete(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            Type::Void => false,
            Type::Array(_, Length::Variable) => true,
            Type::Array(element, _) => self.size(ty).is_some() && self.is_complete(element.ty),
            Type::Unknown => true,
            _ => self.size(ty).is_some(),
        }
    }

    /// Whether the size is told only when the program runs.
    pub fn is_variable(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            Type::Array(_, Length::Variable) => true,
            Type::Array(element, _) => self.is_variable(element.ty),
            _ => false,
        }
    }

    /// Finds a member by name, also in anonymous members: the way there, by indices.
    pub fn find_field(&self, id: RecordId, name: Symbol) -> Option<Vec<u32>> {
        for (index, field) in self.record(id).fields.iter().enumerate() {
            if field.name == Some(name) {
                return Some(vec![index as u32]);
            }
            if field.name.is_none()
                && let Some(inner) = self.record_of(field.ty.ty)
                && let Some(mut path) = self.find_field(inner, name)
            {
                path.insert(0, index as u32);
                return Some(path);
            }
        }
        None
    }

    /// Whether two types are compatible, qualifiers aside.
    pub fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b || a == TypeId::UNKNOWN || b == TypeId::UNKNOWN {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                (x.quals & !RESTRICT) == (y.quals & !RESTRICT) && self.compatible(x.ty, y.ty)
            }
            (Type::Array(x, n), Type::Array(y, m)) => {
                let lengths = match (n, m) {
                    (Length::Known(n), Length::Known(m)) => n == m,
                    _ => true,
                };
                lengths && self.compatible(x.ty, y.ty)
            }
            (Type::Function(f), Type::Function(g)) => {
                if !self.compatible(f.result.ty, g.result.ty) {
                    return false;
                }
                if !f.prototyped || !g.prototyped {
                    return true;
                }
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && f.params.iter().zip(g.params.iter()).all(|(p, q)| self.compatible(p.ty, q.ty))
            }
            (Type::Enum(e), Type::Int(k)) | (Type::Int(k), Type::Enum(e)) => self.enums[e.0 as usize].underlying == *k,
            _ => false,
        }
    }

    /// The name of a type, as C writes it.
    pub fn show(&self, q: Qual, names: &dyn Fn(Symbol) -> Arc<str>) -> String {
        let mut text = String::new();
        let mut inner = String::new();
        self.declare(q, &mut inner, &mut text, names, 0);
        text
    }

    /// The declaration of `inner` with type `q`.
    fn declare(&self, q: Qual, inner: &mut String, out: &mut String, names: &dyn Fn(Symbol) -> Arc<str>, depth: usize) {
        let quals: String = [(CONST, "const "), (VOLATILE, "volatile "), (ATOMIC, "_Atomic ")]
            .iter()
            .filter(|(bit, _)| q.quals & bit != 0)
            .map(|(_, text)| *text)
            .collect();
        if depth > 20 {
            out.push_str("...");
            return;
        }
        let base = match self.get(q.ty) {
            Type::Pointer(to) => {
                let bracket = matches!(self.get(to.ty), Type::Array(..) | Type::Function(_));
                let mut text = format!("*{quals}{inner}");
                if bracket {
                    text = format!("({text})");
                }
                return self.declare(*to, &mut text, out, names, depth + 1);
            }
            Type::Array(element, length) => {
                let n = match length {
                    Length::Known(n) => n.to_string(),
                    Length::Unknown => String::new(),
                    Length::Variable => "*".to_string(),
                };
                let mut text = format!("{inner}[{n}]");
                return self.declare(*element, &mut text, out, names, depth + 1);
            }
            Type::Function(f) => {
                let mut params: Vec<String> = f
                    .params
                    .iter()
                    .map(|p| {
                        let mut text = String::new();
                        self.declare(*p, &mut String::new(), &mut text, names, depth + 1);
                        text
                    })
                    .collect();
                if f.variadic {
                    params.push("...".to_string());
                } else if params.is_empty() && f.prototyped {
                    params.push("void".to_string());
                }
                let mut text = format!("{inner}({})", params.join(", "));
                return self.declare(f.result, &mut text, out, names, depth + 1);
            }
            Type::Void => "void".to_string(),
            Type::Int(kind) => int_name(*kind).to_string(),
            Type::Float(kind) => float_name(*kind).to_string(),
            Type::Complex(kind) => format!("_Complex {}", float_name(*kind)),
            Type::Enum(e) => {
                let tag = self.enums[e.0 as usize].tag;
                format!("enum {}", tag.map_or("<anonymous>".into(), names))
            }
            Type::Record(id) => {
                let record = self.record(*id);
                let word = if record.is_union { "union" } else { "struct" };
                format!("{word} {}", record.tag.map_or("<anonymous>".into(), names))
            }
            Type::Vector(element, n) => {
                let mut text = String::new();
                self.declare((*element).into(), &mut String::new(), &mut text, names, depth + 1);
                format!("vector of {n} {text}")
            }
            Type::VaList => "va_list".to_string(),
            Type::Unknown => "<unknown>".to_string(),
        };
        out.push_str(&quals);
        out.push_str(&base);
        if !inner.is_empty() {
            out.push(' ');
            out.push_str(inner);
        }
    }
}

/// The name of an integer type.
pub fn int_name(kind: IntKind) -> &'static str {
    use IntKind::*;
    match kind {
        Bool => "_Bool",
        Char => "char",
        SChar => "signed char",
        UChar => "unsigned char",
        Short => "short",
        UShort => "unsigned short",
        Int => "int",
        UInt => "unsigned int",
        Long => "long",
        ULong => "unsigned long",
        LongLong => "long long",
        ULongLong => "unsigned long long",
        Int128 => "__int128",
        UInt128 => "unsigned __int128",
    }
}

fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Half => "_Float16",
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Quad => "_Float128",
    }
}
