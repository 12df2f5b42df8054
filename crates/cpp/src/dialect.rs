//! What C asks of a preprocessor beyond Promela: a target, folders of system headers, and tokens instead of text.
//!
//! The predefined macros are those of GCC 12 for Linux on x86, so that headers of real systems take the paths they take
//! there. Headers are looked for as GCC does: beside the including file where the name is in quotes, then in the `-I`
//! folders, then in those of the system; `#include_next` goes on behind the folder where the including file was found.
//! What no folder has may still be one of a dozen headers of our own ([`HEADERS`]).

use super::token::{Interner, Symbol, sym};
use ferrospin_source::Span;
use std::sync::Arc;

/// A kind of machine, by the widths of its integers and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

impl Target {
    /// Definitions of the macros that are there before any text.
    pub(crate) fn macros(self) -> &'static str {
        match self {
            Target::Lp64 => include_str!("target/lp64.h"),
            Target::Ilp32 => include_str!("target/ilp32.h"),
        }
    }
}

/// What C needs to be told besides [`crate::Options`].
#[derive(Clone, Debug, Default)]
pub struct Dialect {
    /// The machine.
    pub target: Target,
    /// Folders of system headers, in the order they are searched.
    pub system_dirs: Vec<String>,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// An identifier or keyword.
    Name,
    /// A preprocessing number.
    Number,
    /// A string, prefix included.
    String,
    /// A character constant, prefix included.
    Char,
    /// An operator or bracket.
    Punct,
    /// A character that starts nothing, or a quote without its partner.
    Other,
    /// A `#pragma`; the text is what follows the word.
    Pragma,
}

/// A token of the preprocessed text.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its spelling, in [`Pieces::spellings`].
    pub text: Symbol,
    /// Where it came from.
    pub span: Span,
}

/// All tokens of a unit.
pub struct Pieces {
    /// In the order of the text.
    pub list: Vec<Piece>,
    /// End of the main file.
    pub end: Span,
    pub(crate) names: Interner,
}

impl Pieces {
    /// The spelling behind a number.
    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        self.names.text(symbol)
    }

    /// How many spellings there are; symbols are smaller.
    pub fn spellings(&self) -> usize {
        self.names.len()
    }

    /// The number of a spelling, made if need be.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.names.intern(text)
    }
}

/// Headers of our own, for systems that have none and for those that come with a compiler.
pub(crate) const HEADERS: [(&str, &str); 16] = [
    ("assert.h", include_str!("../headers/assert.h")),
    ("ctype.h", include_str!("../headers/ctype.h")),
    ("errno.h", include_str!("../headers/errno.h")),
    ("float.h", include_str!("../headers/float.h")),
    ("inttypes.h", include_str!("../headers/inttypes.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("math.h", include_str!("../headers/math.h")),
    ("stdalign.h", include_str!("../headers/stdalign.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdio.h", include_str!("../headers/stdio.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("stdnoreturn.h", include_str!("../headers/stdnoreturn.h")),
    ("string.h", include_str!("../headers/string.h")),
];

/// Whether a name is an operator of conditions in C, besides `defined`.
pub(crate) fn is_has_operator(name: Symbol) -> bool {
    matches!(
        name,
        sym::HAS_INCLUDE | sym::HAS_INCLUDE_NEXT | sym::HAS_ATTRIBUTE | sym::HAS_C_ATTRIBUTE | sym::HAS_BUILTIN
    )
}

/// Attributes that `__has_attribute` says are there: what GCC has on every target and real code asks for.
const ATTRIBUTES: &str = " access alias aligned alloc_align alloc_size always_inline artificial assume_aligned cleanup cold \
     common const constructor copy deprecated designated_init destructor error externally_visible fallthrough flatten \
     format format_arg gnu_inline hot ifunc leaf malloc may_alias mode naked no_icf no_instrument_function no_profile_instrument_function \
     no_reorder no_sanitize no_sanitize_address no_sanitize_thread no_sanitize_undefined no_split_stack no_stack_limit \
     no_stack_protector noclone nocommon noinit noinline noipa nonnull nonstring noplt noreturn nothrow optimize packed \
     patchable_function_entry persistent pure retain returns_nonnull returns_twice scalar_storage_order section sentinel \
     simd stack_protect symver target target_clones tls_model transparent_union unavailable uninitialized unused used \
     vector_size visibility warn_if_not_aligned warn_unused_result warning weak weakref zero_call_used_regs ";

/// Names with a prefix of builtins that are other compilers'.
const FOREIGN_BUILTINS: &str = " __builtin_addcb __builtin_addcs __builtin_addc __builtin_addcl __builtin_addcll \
     __builtin_assume __builtin_available __builtin_bitreverse8 __builtin_bitreverse16 __builtin_bitreverse32 \
     __builtin_bitreverse64 __builtin_canonicalize __builtin_debugtrap __builtin_nontemporal_load \
     __builtin_nontemporal_store __builtin_operator_delete __builtin_operator_new __builtin_readcyclecounter \
     __builtin_rotateleft8 __builtin_rotateleft16 __builtin_rotateleft32 __builtin_rotateleft64 \
     __builtin_rotateright32 __builtin_rotateright64 __builtin_subcl __builtin_unpredictable \
     __builtin_verbose_trap __builtin_stdc_rotate_left __builtin_counted_by_ref ";

/// What `__has_attribute`, `__has_c_attribute` and `__has_builtin` say of a name.
pub(crate) fn has(operator: Symbol, name: &str) -> u32 {
    let listed = |list: &str, name: &str| list.contains(&format!(" {name} "));
    let bare = name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name);
    match operator {
        sym::HAS_ATTRIBUTE => u32::from(listed(ATTRIBUTES, bare)),
        sym::HAS_C_ATTRIBUTE => match bare {
            "deprecated" | "fallthrough" => 201_910,
            "maybe_unused" => 202_106,
            "nodiscard" => 202_003,
            _ => 0,
        },
        _ => {
            let prefixes = ["__builtin_", "__atomic_", "__sync_"];
            u32::from(prefixes.iter().any(|p| name.starts_with(p)) && !listed(FOREIGN_BUILTINS, name))
        }
    }
}
