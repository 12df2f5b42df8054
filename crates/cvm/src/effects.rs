//! What functions of the library do with memory: to say what code may touch without running it.

/// What happens to what a parameter points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// The parameter is only a value.
    Value,
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both.
    Both,
}

/// What a function does besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// What happens to its parameters; later ones are read, as those of `printf` are.
    pub params: &'static [Use],
    /// The blocks of `malloc` change.
    pub heap: bool,
    /// The state of `rand` changes.
    pub seed: bool,
    /// It may fail whatever it is given.
    pub fails: bool,
}

use Use::{Both, Read, Value, Write};

/// What a function of the library does; `None` where there is none of that name.
pub fn effects(name: &str) -> Option<Effects> {
    let bare = name.strip_prefix("__builtin_").unwrap_or(name);
    let of = |params: &'static [Use]| Some(Effects { params, fails: true, ..Effects::default() });
    match bare {
        "memcpy" | "memmove" | "mempcpy" => of(&[Write, Read, Value]),
        "memset" => of(&[Write, Value, Value]),
        "memcmp" | "bcmp" | "memchr" | "strnlen" => of(&[Read, Read, Value]),
        "strlen" | "strcmp" | "strncmp" | "strchr" | "strrchr" | "strstr" => of(&[Read, Read, Value]),
        "strcpy" | "strncpy" => of(&[Write, Read, Value]),
        "strcat" => of(&[Both, Read]),
        "abs" | "labs" | "llabs" | "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper" | "islower"
        | "isxdigit" | "isprint" | "ispunct" | "iscntrl" | "isgraph" | "isblank" | "toupper" | "tolower" => {
            Some(Effects { params: &[Value, Value], ..Effects::default() })
        }
        "malloc" | "calloc" => Some(Effects { params: &[Value, Value], heap: true, fails: true, ..Effects::default() }),
        "realloc" => Some(Effects { params: &[Both, Value], heap: true, fails: true, ..Effects::default() }),
        "free" => Some(Effects { params: &[Both], heap: true, fails: true, ..Effects::default() }),
        "printf" | "Printf" | "puts" | "fputs" | "uerror" | "__ferrospin_assert_failed" | "__assert_fail" => of(&[]),
        "fprintf" => of(&[Value]),
        "putchar" | "fflush" | "abort" | "trap" | "exit" | "_exit" => of(&[Value]),
        "sprintf" => of(&[Write]),
        "snprintf" => of(&[Write, Value]),
        "rand" => Some(Effects { params: &[], seed: true, ..Effects::default() }),
        "srand" => Some(Effects { params: &[Value], seed: true, ..Effects::default() }),
        "time" | "gettimeofday" | "clock" => of(&[Write, Value]),
        _ => None,
    }
}
