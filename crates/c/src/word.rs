//! Keywords and operators of C and GNU C, as the parser sees preprocessed tokens.
//!
//! Every spelling has a number from the preprocessor, so that what a token is takes one look into a table.

use ferrospin_cpp::{Piece, PieceKind, Pieces};

macro_rules! words {
    ($($name:ident $($text:literal)|+),* $(,)?) => {
        /// A keyword or operator, or a kind of token that has no fixed spelling.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Word {
            /// An identifier.
            Ident,
            /// A number.
            Number,
            /// A character constant.
            Char,
            /// A string.
            Str,
            /// A `#pragma`.
            Pragma,
            /// Something that starts nothing in C.
            Other,
            /// The end of the unit.
            End,
            $($name),*
        }

        const WORDS: &[(&str, Word)] = &[$($(($text, Word::$name)),+),*];
    };
}

words! {
    // Types.
    Void "void", Char_ "char", Short "short", Int "int", Long "long", Float "float", Double "double",
    Signed "signed" | "__signed__" | "__signed", Unsigned "unsigned", Bool "_Bool",
    Complex "_Complex" | "__complex__" | "__complex", Imaginary "_Imaginary",
    Int128 "__int128", Float16 "_Float16" | "__fp16" | "__bf16", Float32 "_Float32", Float64 "_Float64", Float32x "_Float32x",
    Float64x "_Float64x", Float128 "_Float128" | "__float128", Float80 "__float80",
    VaList "__builtin_va_list",
    Struct "struct", Union "union", Enum "enum",
    Typeof "typeof" | "__typeof__" | "__typeof" | "typeof_unqual", AutoType "__auto_type",
    Atomic "_Atomic",
    // Qualifiers, storage classes.
    Const "const" | "__const" | "__const__", Volatile "volatile" | "__volatile__" | "__volatile",
    Restrict "restrict" | "__restrict" | "__restrict__",
    Typedef "typedef", Extern "extern", Static "static", Auto "auto", Register "register",
    Inline "inline" | "__inline" | "__inline__", Noreturn "_Noreturn", Thread "_Thread_local" | "__thread",
    Alignas "_Alignas", Extension "__extension__", Attribute "__attribute__" | "__attribute",
    // Statements.
    If "if", Else "else", While "while", Do "do", For "for", Switch "switch", Case "case", Default "default",
    Break "break", Continue "continue", Return "return", Goto "goto",
    Asm "asm" | "__asm__" | "__asm", Label_ "__label__", StaticAssert "_Static_assert",
    // Expressions.
    Sizeof "sizeof", Alignof "_Alignof" | "__alignof__" | "__alignof", Generic "_Generic",
    Real "__real__" | "__real", Imag "__imag__" | "__imag",
    Function "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__",
    // Operators.
    LParen "(", RParen ")", LBrace "{" | "<%", RBrace "}" | "%>", LBracket "[" | "<:", RBracket "]" | ":>",
    Semi ";", Comma ",", Dot ".", Arrow "->", Ellipsis "...", Colon ":", Scope "::", Query "?", Hash "#" | "##",
    Plus "+", Minus "-", Star "*", Slash "/", Percent "%", Amp "&", Bar "|", Caret "^", Tilde "~", Bang "!",
    Shl "<<", Shr ">>", Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=", AndAnd "&&", OrOr "||",
    Inc "++", Dec "--", Assign "=", AddAssign "+=", SubAssign "-=", MulAssign "*=", DivAssign "/=",
    RemAssign "%=", ShlAssign "<<=", ShrAssign ">>=", AndAssign "&=", OrAssign "|=", XorAssign "^=",
}

/// By symbol, what a name or an operator is.
pub(crate) struct Words(Vec<Word>);

impl Words {
    pub(crate) fn new(pieces: &mut Pieces) -> Words {
        let symbols: Vec<_> = WORDS.iter().map(|&(text, word)| (pieces.intern(text), word)).collect();
        let mut table = vec![Word::Ident; pieces.spellings()];
        for (symbol, word) in symbols {
            table[symbol.0 as usize] = word;
        }
        Words(table)
    }

    pub(crate) fn of(&self, piece: &Piece) -> Word {
        match piece.kind {
            PieceKind::Name | PieceKind::Punct => self.0.get(piece.text.0 as usize).copied().unwrap_or(Word::Ident),
            PieceKind::Number => Word::Number,
            PieceKind::String => Word::Str,
            PieceKind::Char => Word::Char,
            PieceKind::Other => Word::Other,
            PieceKind::Pragma => Word::Pragma,
        }
    }
}
