//! GNU C's builtins.
//!
//! Those with fixed types are declared by a text that is read before the unit ([`PRELUDE`]); the others have rules of
//! their own here. A builtin that is not understood gives a value of unknown type, about which nothing more is said; it
//! cannot be run.

use super::scope::Binding;
use super::{Parser, Res};
use crate::tree::{Builtin, Const, ExprId, ExprKind, ObjectId};
use crate::types::{FloatKind, Qual, Signature, Type, TypeId};
use crate::word::Word;
use ferrospin_cpp::Symbol;
use ferrospin_source::Span;

/// Builtins with fixed types, by signature: result, then parameters; a `.` at the end takes more.
/// `v` void, `i` int, `u` unsigned, `l` long, `m` unsigned long, `q` long long, `w` unsigned long long, `z` size_t,
/// `d` double, `f` float, `e` long double, `p` void *, `k` const void *, `s` char *, `c` const char *, `b` _Bool,
/// `h` unsigned short, `a` va_list, `o` double *, `j` int *, `g` float *.
const PRELUDE: &[(&str, &str)] = &[
    ("ppkz", "memcpy memmove mempcpy"),
    ("ppiz", "memset"),
    ("ikkz", "memcmp bcmp"),
    ("pkiz", "memchr"),
    ("vpz", "bzero"),
    ("zc", "strlen"),
    ("zcz", "strnlen"),
    ("icc", "strcmp strcasecmp"),
    ("iccz", "strncmp strncasecmp"),
    ("ssc", "strcpy strcat stpcpy"),
    ("sscz", "strncpy strncat stpncpy"),
    ("sci", "strchr strrchr index rindex"),
    ("scc", "strstr strpbrk"),
    ("zcc", "strspn strcspn"),
    ("sc", "strdup"),
    ("scz", "strndup"),
    ("ppkzz", "__memcpy_chk __memmove_chk __mempcpy_chk"),
    ("ppizz", "__memset_chk"),
    ("sscz", "__strcpy_chk __strcat_chk __stpcpy_chk"),
    ("ssczz", "__strncpy_chk __strncat_chk __stpncpy_chk"),
    ("isizc.", "__sprintf_chk"),
    ("iszizc.", "__snprintf_chk"),
    ("isizca", "__vsprintf_chk"),
    ("iszizca", "__vsnprintf_chk"),
    ("ic.", "printf"),
    ("ipc.", "fprintf"),
    ("isc.", "sprintf"),
    ("iszc.", "snprintf"),
    ("isca", "vsprintf"),
    ("iszca", "vsnprintf"),
    ("ica", "vprintf"),
    ("ic", "puts"),
    (
        "ii",
        "putchar abs isalnum isalpha isdigit islower isupper isspace isxdigit isprint ispunct iscntrl isgraph isblank tolower toupper toascii",
    ),
    ("icp", "fputs"),
    ("pz", "malloc alloca"),
    ("pzz", "calloc aligned_alloc alloca_with_align"),
    ("ppz", "realloc"),
    ("vp", "free"),
    ("v", "abort trap"),
    ("vi", "exit _exit"),
    ("ll", "labs"),
    ("qq", "llabs"),
    ("iu", "clz ctz popcount parity"),
    ("im", "clzl ctzl popcountl parityl"),
    ("iw", "clzll ctzll popcountll parityll"),
    ("ii", "ffs clrsb"),
    ("il", "ffsl clrsbl"),
    ("iq", "ffsll clrsbll"),
    ("hh", "bswap16"),
    ("uu", "bswap32"),
    ("pu", "frame_address return_address"),
    ("pp", "extract_return_addr"),
    ("d", "huge_val inf"),
    ("f", "huge_valf inff"),
    ("e", "huge_vall infl"),
    ("dc", "nan nans"),
    ("fc", "nanf nansf"),
    ("ec", "nanl nansl"),
    (
        "dd",
        "fabs sqrt floor ceil trunc rint round nearbyint exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh cbrt erf tgamma lgamma logb",
    ),
    (
        "ff",
        "fabsf sqrtf floorf ceilf truncf rintf roundf nearbyintf expf exp2f logf log2f log10f sinf cosf tanf cbrtf logbf",
    ),
    ("ee", "fabsl sqrtl floorl ceill truncl rintl roundl nearbyintl expl logl sinl cosl tanl cbrtl logbl"),
    ("ddd", "pow fmod atan2 copysign fmin fmax hypot remainder nextafter fdim"),
    ("fff", "powf fmodf atan2f copysignf fminf fmaxf hypotf remainderf nextafterf fdimf"),
    ("eee", "powl fmodl atan2l copysignl fminl fmaxl hypotl remainderl nextafterl fdiml"),
    ("dddd", "fma"),
    ("ffff", "fmaf"),
    ("dddj", "remquo"),
    ("ddi", "ldexp scalbn powi"),
    ("ffi", "ldexpf scalbnf powif"),
    ("eei", "ldexpl scalbnl powil"),
    ("ddj", "frexp"),
    ("ddo", "modf"),
    ("ffg", "modff"),
    ("id", "ilogb"),
    ("if", "ilogbf signbitf"),
    ("ie", "ilogbl signbitl"),
    ("ld", "lround lrint"),
    ("lf", "lroundf lrintf"),
    ("qd", "llround llrint"),
    ("v", "cpu_init"),
    ("ic", "cpu_supports cpu_is"),
    ("v", "ia32_pause ia32_mfence ia32_lfence ia32_sfence"),
    ("w", "ia32_rdtsc"),
    ("v", "unwind_init"),
];

/// Names of builtins that must have numbers before the unit is read.
pub(super) const NAMES: &[&str] = &["__int128_t", "__uint128_t", "__builtin_expect"];

impl Parser<'_> {
    /// Makes the types known that GNU C has without a declaration.
    pub(super) fn predeclare(&mut self) {
        for (name, ty) in [("__int128_t", TypeId::INT128), ("__uint128_t", TypeId::UINT128)] {
            let found = self.unit.names.iter().position(|n| **n == *name);
            if let Some(index) = found {
                self.scopes.bind(Symbol(index as u32), Binding::Typedef(ty.into()));
            }
        }
    }

    /// The type of a builtin with fixed types.
    fn fixed_builtin(&mut self, name: &str) -> Option<TypeId> {
        let (letters, _) = PRELUDE.iter().find(|(_, names)| names.split(' ').any(|n| n == name))?;
        let variadic = letters.ends_with('.');
        let mut types: Vec<Qual> = letters.trim_end_matches('.').chars().map(|c| self.letter(c)).collect();
        let result = types.remove(0);
        let signature = Signature { result, params: types.into(), variadic, prototyped: true };
        Some(self.unit.types.intern(Type::Function(signature)))
    }

    fn letter(&mut self, letter: char) -> Qual {
        let pointed =
            |p: &mut Self, ty: TypeId, quals: u8| -> Qual { p.unit.types.pointer(Qual { ty, quals, align: 0 }).into() };
        match letter {
            'v' => TypeId::VOID.into(),
            'u' => TypeId::UINT.into(),
            'l' => TypeId::LONG.into(),
            'm' => TypeId::ULONG.into(),
            'q' => TypeId::LONGLONG.into(),
            'w' => TypeId::ULONGLONG.into(),
            'z' => self.unit.types.size_t().into(),
            'd' => TypeId::DOUBLE.into(),
            'f' => TypeId::FLOAT.into(),
            'e' => TypeId::LDOUBLE.into(),
            'b' => TypeId::BOOL.into(),
            'h' => TypeId::USHORT.into(),
            'a' => TypeId::VALIST.into(),
            'p' => pointed(self, TypeId::VOID, 0),
            'k' => pointed(self, TypeId::VOID, crate::types::CONST),
            's' => pointed(self, TypeId::CHAR, 0),
            'c' => pointed(self, TypeId::CHAR, crate::types::CONST),
            'o' => pointed(self, TypeId::DOUBLE, 0),
            'j' => pointed(self, TypeId::INT, 0),
            'g' => pointed(self, TypeId::FLOAT, 0),
            _ => TypeId::INT.into(),
        }
    }

    /// A name that is called and has no declaration (or is a declared builtin): a builtin or an implicit function.
    pub(super) fn builtin_or_function(&mut self, name: Symbol, span: Span, known: Option<ObjectId>) -> Res<ExprId> {
        let text = self.unit.name(name).clone();
        let is_builtin = ["__builtin_", "__atomic_", "__sync_"].iter().any(|p| text.starts_with(p));
        if !is_builtin {
            return self.implicit_function(name, span);
        }
        if let Some(id) = known {
            let q = self.unit.object(id).ty;
            return self.add(ExprKind::Object(id), q, span, &[]);
        }
        if let Some(rest) = text.strip_prefix("__builtin_") {
            if let Some(done) = self.special(rest, name, span)? {
                return Ok(done);
            }
            if let Some(ty) = self.fixed_builtin(rest) {
                let id = self.declare_linked(crate::tree::Object {
                    name: Some(name),
                    ty: ty.into(),
                    storage: crate::tree::Storage::Static,
                    linkage: crate::tree::Linkage::External,
                    defined: false,
                    weak: false,
                    align: 0,
                    init: None,
                    span,
                })?;
                return self.add(ExprKind::Object(id), ty, span, &[]);
            }
        } else {
            return self.atomic(&text, name, span);
        }
        self.at += 1;
        let args = self.nested(Self::arguments)?;
        self.unknown_builtin(name, args, span)
    }

    fn unknown_builtin(&mut self, name: Symbol, args: Vec<ExprId>, span: Span) -> Res<ExprId> {
        let whole = self.from(span);
        self.add(ExprKind::Builtin(Builtin::Other(name), args.clone().into()), TypeId::UNKNOWN, whole, &args)
    }

    fn builtin_args(&mut self) -> Res<Vec<ExprId>> {
        self.at += 1;
        let args = self.nested(Self::arguments)?;
        args.into_iter().map(|a| self.rvalue_or_void(a)).collect()
    }

    /// A builtin whose operands have no fixed types; `None` if it is not one. The parenthesis comes next.
    fn special(&mut self, rest: &str, name: Symbol, span: Span) -> Res<Option<ExprId>> {
        let e = match rest {
            "offsetof" => self.offset_of(span)?,
            "va_arg" => {
                self.at += 1;
                let list = self.assignment()?;
                self.expect(Word::Comma, "`,`")?;
                let q = self.type_name()?;
                self.expect(Word::RParen, "`)`")?;
                self.add(ExprKind::VaArg(list), Qual { quals: 0, ..q }, self.from(span), &[list])?
            }
            "va_start" | "va_end" | "va_copy" => {
                self.at += 1;
                let args = self.nested(Self::arguments)?;
                let what = match rest {
                    "va_start" => Builtin::VaStart,
                    "va_end" => Builtin::VaEnd,
                    _ => Builtin::VaCopy,
                };
                self.add(ExprKind::Builtin(what, args.clone().into()), TypeId::VOID, self.from(span), &args)?
            }
            "types_compatible_p" => {
                self.at += 1;
                let a = self.type_name()?;
                self.expect(Word::Comma, "`,`")?;
                let b = self.type_name()?;
                self.expect(Word::RParen, "`)`")?;
                // Enumerations are not compatible with one another here, nor qualifiers counted.
                let same = self.unit.types.compatible(a.ty, b.ty);
                self.int_const(i128::from(same), TypeId::INT, self.from(span))?
            }
            "choose_expr" => {
                self.at += 1;
                let c = self.constant_expression()?;
                self.expect(Word::Comma, "`,`")?;
                let a = self.assignment()?;
                self.expect(Word::Comma, "`,`")?;
                let b = self.assignment()?;
                self.expect(Word::RParen, "`)`")?;
                if c != 0 { a } else { b }
            }
            "constant_p" => {
                self.at += 1;
                let e = self.nested(Self::expression)?;
                self.expect(Word::RParen, "`)`")?;
                let e = self.rvalue_or_void(e)?;
                let known = match self.value(e) {
                    Some(Const::Address(crate::tree::Base::Str(_), 0)) => true,
                    Some(Const::Address(..)) | None => false,
                    Some(_) => true,
                };
                self.int_const(i128::from(known), TypeId::INT, self.from(span))?
            }
            "expect" | "expect_with_probability" | "assume_aligned" => {
                let args = self.builtin_args()?;
                let Some(&first) = args.first() else { return Err(self.expected("an argument")) };
                let first = if rest == "assume_aligned" { first } else { self.convert(first, TypeId::LONG)? };
                let (value, ty) = (self.value(first), self.ty(first));
                let mut operands = args;
                operands[0] = first;
                let kind = ExprKind::Builtin(Builtin::Expect, operands.clone().into());
                let e = self.add(kind, ty, self.from(span), &operands)?;
                self.with_value(e, value)
            }
            "object_size" | "dynamic_object_size" => {
                let args = self.builtin_args()?;
                let kind = args.get(1).and_then(|&a| self.int_value(a)).unwrap_or(0);
                let value = if kind & 2 == 0 { -1 } else { 0 };
                let ty = self.unit.types.size_t();
                self.int_const(value, ty, self.from(span))?
            }
            "classify_type" => {
                let args = self.builtin_args()?;
                let ty = args.first().map_or(TypeId::VOID, |&a| self.ty(a));
                let class = match self.unit.types.get(ty) {
                    Type::Void => 0,
                    Type::Int(_) | Type::Enum(_) => 1,
                    Type::Pointer(_) => 5,
                    Type::Float(_) => 8,
                    Type::Complex(_) => 9,
                    Type::Record(id) if self.unit.types.record(*id).is_union => 13,
                    Type::Record(_) => 12,
                    _ => -1,
                };
                self.int_const(class, TypeId::INT, self.from(span))?
            }
            "unreachable" | "prefetch" | "__clear_cache" => {
                let args = self.builtin_args()?;
                let what = if rest == "unreachable" { Builtin::Unreachable } else { Builtin::VaEnd };
                self.add(ExprKind::Builtin(what, args.clone().into()), TypeId::VOID, self.from(span), &args)?
            }
            "add_overflow" | "sub_overflow" | "mul_overflow" => {
                let args = self.builtin_args()?;
                let what = match rest {
                    "add_overflow" => Builtin::AddOverflow,
                    "sub_overflow" => Builtin::SubOverflow,
                    _ => Builtin::MulOverflow,
                };
                self.add(ExprKind::Builtin(what, args.clone().into()), TypeId::BOOL, self.from(span), &args)?
            }
            "va_arg_pack" | "va_arg_pack_len" => {
                self.builtin_args()?;
                self.int_const(0, TypeId::INT, self.from(span))?
            }
            "isnan" | "isinf" | "isinf_sign" | "isfinite" | "isnormal" | "signbit" | "isgreater" | "isless"
            | "isgreaterequal" | "islessequal" | "islessgreater" | "isunordered" | "fpclassify" | "issignaling" => {
                let args = self.builtin_args()?;
                self.float_test(rest, name, args, span)?
            }
            "complex" => {
                let args = self.builtin_args()?;
                let ty = args.first().map_or(TypeId::DOUBLE, |&a| self.ty(a));
                let kind = self.unit.types.float_kind(ty).unwrap_or(FloatKind::Double);
                let ty = self.unit.types.intern(Type::Complex(kind));
                self.add(ExprKind::Builtin(Builtin::Other(name), args.clone().into()), ty, self.from(span), &args)?
            }
            "bswap16" | "bswap32" | "bswap64" => {
                let args = self.builtin_args()?;
                let (ty, bytes) = match rest {
                    "bswap16" => (TypeId::USHORT, 2),
                    "bswap32" => (TypeId::UINT, 4),
                    _ if self.unit.types.pointer_size() == 8 => (TypeId::ULONG, 8),
                    _ => (TypeId::ULONGLONG, 8),
                };
                let Some(&a) = args.first() else { return Err(self.expected("an argument")) };
                let a = self.convert(a, ty)?;
                let value = self.int_value(a).map(|v| {
                    let swapped = (v as u64).swap_bytes() >> (64 - 8 * bytes);
                    Const::Int(i128::from(swapped))
                });
                let kind = ExprKind::Builtin(Builtin::Other(name), [a].into());
                let e = self.add(kind, ty, self.from(span), &[a])?;
                self.with_value(e, value)
            }
            "inf" | "huge_val" | "inff" | "huge_valf" | "infl" | "huge_vall" => {
                self.builtin_args()?;
                let ty = match rest.as_bytes()[rest.len() - 1] {
                    b'f' if rest != "inf" => TypeId::FLOAT,
                    b'l' if rest != "huge_val" => TypeId::LDOUBLE,
                    _ => TypeId::DOUBLE,
                };
                self.float_const(f64::INFINITY, ty, span)?
            }
            "nan" | "nanf" | "nanl" | "nans" | "nansf" | "nansl" => {
                self.builtin_args()?;
                let ty = match rest.as_bytes()[rest.len() - 1] {
                    b'f' => TypeId::FLOAT,
                    b'l' => TypeId::LDOUBLE,
                    _ => TypeId::DOUBLE,
                };
                self.float_const(f64::NAN, ty, span)?
            }
            "clz" | "clzl" | "clzll" | "ctz" | "ctzl" | "ctzll" | "popcount" | "popcountl" | "popcountll" | "ffs"
            | "ffsl" | "ffsll" | "parity" | "parityl" | "parityll" => self.count_bits(rest, name, span)?,
            "strlen" if self.peek() == Word::Str && self.word_at(self.at + 2) == Word::RParen => {
                let args = self.builtin_args()?;
                let ty = self.unit.types.size_t();
                match self.value(args[0]) {
                    Some(Const::Address(crate::tree::Base::Str(id), 0)) => {
                        let units = &self.unit.strings[id.0 as usize].units;
                        let length = units.iter().position(|&u| u == 0).unwrap_or(units.len());
                        self.int_const(length as i128, ty, self.from(span))?
                    }
                    _ => return Err(self.expected("a string")),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(e))
    }

    fn float_const(&mut self, value: f64, ty: TypeId, span: Span) -> Res<ExprId> {
        let e = self.add(ExprKind::Const, ty, self.from(span), &[])?;
        Ok(self.with_value(e, Some(Const::Float(value))))
    }

    fn float_test(&mut self, rest: &str, name: Symbol, args: Vec<ExprId>, span: Span) -> Res<ExprId> {
        let known: Option<Vec<f64>> = args
            .iter()
            .map(|&a| match self.value(a) {
                Some(Const::Float(v)) => Some(v),
                _ => None,
            })
            .collect();
        let value = known.and_then(|v| {
            let x = *v.first()?;
            let y = v.get(1).copied();
            Some(match rest {
                "isnan" => x.is_nan(),
                "isinf" => x.is_infinite(),
                "isfinite" => x.is_finite(),
                "isnormal" => x.is_normal(),
                "signbit" => x.is_sign_negative(),
                "isgreater" => x > y?,
                "isgreaterequal" => x >= y?,
                "isless" => x < y?,
                "islessequal" => x <= y?,
                "islessgreater" => x < y? || x > y?,
                "isunordered" => x.is_nan() || y?.is_nan(),
                _ => return None,
            })
        });
        let kind = ExprKind::Builtin(Builtin::Other(name), args.clone().into());
        let e = self.add(kind, TypeId::INT, self.from(span), &args)?;
        Ok(self.with_value(e, value.map(|v| Const::Int(i128::from(v)))))
    }

    fn count_bits(&mut self, rest: &str, name: Symbol, span: Span) -> Res<ExprId> {
        let args = self.builtin_args()?;
        let Some(&a) = args.first() else { return Err(self.expected("an argument")) };
        let longs = rest.len() - rest.trim_end_matches('l').len();
        let base = rest.trim_end_matches('l');
        let ty = match (longs, base == "ffs") {
            (0, false) => TypeId::UINT,
            (1, false) => TypeId::ULONG,
            (_, false) => TypeId::ULONGLONG,
            (0, true) => TypeId::INT,
            (1, true) => TypeId::LONG,
            (_, true) => TypeId::LONGLONG,
        };
        let a = self.convert(a, ty)?;
        let bits = self.unit.types.size(ty).unwrap_or(4) * 8;
        let value = self.int_value(a).and_then(|v| {
            let v = (v as u64) & (u64::MAX >> (64 - bits));
            Some(match base {
                "clz" if v == 0 => return None,
                "ctz" if v == 0 => return None,
                "clz" => i128::from(v.leading_zeros()) - (64 - i128::from(bits)),
                "ctz" => i128::from(v.trailing_zeros()),
                "popcount" => i128::from(v.count_ones()),
                "parity" => i128::from(v.count_ones() % 2),
                _ if v == 0 => 0,
                _ => i128::from(v.trailing_zeros()) + 1,
            })
        });
        let e = self.add(ExprKind::Builtin(Builtin::Other(name), [a].into()), TypeId::INT, self.from(span), &[a])?;
        Ok(self.with_value(e, value.map(Const::Int)))
    }

    /// `__builtin_offsetof(type, member.member[index])`.
    fn offset_of(&mut self, span: Span) -> Res<ExprId> {
        self.at += 1;
        let q = self.type_name()?;
        self.expect(Word::Comma, "`,`")?;
        // The members of an object at address 0.
        let zero = self.int_const(0, TypeId::INT, span)?;
        let pointer = self.unit.types.pointer(q);
        let zero = self.convert(zero, pointer)?;
        let mut e = self.dereference(zero, span)?;
        let (name, at) = (self.symbol(), self.span());
        self.expect(Word::Ident, "a member's name")?;
        e = self.member(e, name, at)?;
        e = self.postfix(e)?;
        self.expect(Word::RParen, "`)`")?;
        let size = self.unit.types.size_t();
        let whole = self.from(span);
        match self.address_value(e) {
            Some(Const::Int(v)) => self.int_const(v, size, whole),
            _ => {
                let address = self.unit.types.pointer(self.expr(e).ty);
                let e = self.add(ExprKind::Address(e), address, whole, &[e])?;
                self.convert(e, size)
            }
        }
    }

    /// `__atomic_*` and `__sync_*`: the type is that of the object pointed to, or `_Bool`, or nothing.
    fn atomic(&mut self, text: &str, name: Symbol, span: Span) -> Res<ExprId> {
        let args = self.builtin_args()?;
        let target = args.first().and_then(|&a| self.unit.types.pointee(self.ty(a))).map(|q| q.ty);
        let rest = text.trim_start_matches("__atomic_").trim_start_matches("__sync_");
        let sized = rest.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('_') && text.starts_with("__atomic_");
        let ty = match rest {
            "store_n" | "clear" | "load" | "store" | "exchange" | "thread_fence" | "signal_fence" | "synchronize"
            | "lock_release" => TypeId::VOID,
            "compare_exchange_n"
            | "compare_exchange"
            | "test_and_set"
            | "bool_compare_and_swap"
            | "is_lock_free"
            | "always_lock_free" => TypeId::BOOL,
            _ if sized => TypeId::UNKNOWN,
            _ => target.unwrap_or(TypeId::UNKNOWN),
        };
        // Values are converted to the type of the object.
        let mut given = Vec::with_capacity(args.len());
        for (index, a) in args.into_iter().enumerate() {
            let is_value = match rest {
                "store_n" | "exchange_n" => index == 1,
                "compare_exchange_n" => index == 2,
                "load_n" | "load" | "store" | "exchange" | "compare_exchange" => false,
                "bool_compare_and_swap" | "val_compare_and_swap" => index == 1 || index == 2,
                _ => index == 1 && (rest.contains("fetch") || rest == "lock_test_and_set"),
            };
            let a = match target {
                Some(t) if is_value && self.unit.types.record_of(t).is_none() && t != TypeId::VOID => {
                    if self.unit.types.pointee(t).is_some() && rest.contains("fetch") {
                        let index = self.unit.types.ptrdiff_t();
                        self.convert(a, index)?
                    } else {
                        self.convert(a, t)?
                    }
                }
                _ => a,
            };
            given.push(a);
        }
        let whole = self.from(span);
        let kind = ExprKind::Builtin(Builtin::Atomic(name), given.clone().into());
        let e = self.add(kind, ty, whole, &given)?;
        let value = (rest == "always_lock_free").then_some(Const::Int(1));
        Ok(self.with_value(e, value))
    }
}
