//! Random declarations and constant expressions of C, the same ones for a number everywhere.
//!
//! The test reads them with the front end; `xtask c-record` gives them to GCC and records what it says. Only the answers
//! are kept as data.

use std::fmt::Write as _;

/// A small generator of random numbers (xorshift64*, Vigna 2016).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A declaration of a structure or union.
pub(crate) struct Layout {
    /// Its text, with the name `S` and its number.
    pub(crate) text: String,
    /// Names of the members that are asked for, and whether each is a bit-field.
    pub(crate) members: Vec<(String, bool)>,
    /// `union` rather than `struct`.
    pub(crate) head: &'static str,
}

const SCALARS: [&str; 18] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
    "void *",
    "enum { X%, Y% = 3 }",
    "int (*)[3]",
];

const FIELD_TYPES: [(&str, usize); 11] = [
    ("_Bool", 1),
    ("char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long", 32),
    ("unsigned long", 32),
    ("long long", 64),
    ("unsigned long long", 64),
];

/// The layout with a number.
pub(crate) fn layout(number: u64) -> Layout {
    let mut random = Random::new(number);
    let mut counter = 0;
    let mut members = Vec::new();
    let pack = if random.one_in(12) { [1, 2, 4, 8][random.below(4)] } else { 0 };
    let (body, is_union) = record(&mut random, number, &mut counter, 0, Some(&mut members));
    let head = if is_union { "union" } else { "struct" };
    let tail = record_attributes(&mut random);
    let mut text = format!("{head} S{number} {{ {body}}}{tail};");
    if pack > 0 {
        text = format!("_Pragma(\"pack(push, {pack})\")\n{text}\n_Pragma(\"pack(pop)\")");
    }
    Layout { text, members, head }
}

fn record_attributes(random: &mut Random) -> String {
    match random.below(14) {
        0 | 1 => " __attribute__((packed))".into(),
        2 => format!(" __attribute__((aligned({})))", 1 << random.below(6)),
        3 => format!(" __attribute__((packed, aligned({})))", 1 << random.below(5)),
        _ => String::new(),
    }
}

fn record(
    random: &mut Random,
    number: u64,
    counter: &mut u32,
    depth: u32,
    mut members: Option<&mut Vec<(String, bool)>>,
) -> (String, bool) {
    let is_union = random.one_in(6);
    let mut body = String::new();
    for _ in 0..1 + random.below(6) {
        *counter += 1;
        let name = format!("m{counter}");
        let attribute = match random.below(24) {
            0 => " __attribute__((packed))".to_string(),
            1 => format!(" __attribute__((aligned({})))", 1 << random.below(5)),
            _ => String::new(),
        };
        let mut asked = Some(false);
        match random.below(10) {
            0..=3 => {
                let scalar = random.pick(&SCALARS).replace('%', &format!("{number}_{counter}"));
                match scalar.strip_suffix("(*)[3]") {
                    Some(base) => _ = write!(body, "{base}(*{name})[3]{attribute}; "),
                    None if random.one_in(4) => {
                        _ = write!(body, "{scalar} {name}[{}]{attribute}; ", 1 + random.below(5));
                    }
                    None => _ = write!(body, "{scalar} {name}{attribute}; "),
                }
            }
            4..=7 => {
                let (ty, width) = FIELD_TYPES[random.below(FIELD_TYPES.len())];
                let width = 1 + random.below(width);
                match random.below(9) {
                    0 if ty != "_Bool" => {
                        _ = write!(body, "{ty} : 0; ");
                        asked = None;
                    }
                    1 => {
                        _ = write!(body, "{ty} : {width}; ");
                        asked = None;
                    }
                    _ => {
                        _ = write!(body, "{ty} {name} : {width}{attribute}; ");
                        asked = Some(true);
                    }
                }
            }
            _ if depth < 2 => {
                let (inner, inner_union) = record(random, number, counter, depth + 1, None);
                let head = if inner_union { "union" } else { "struct" };
                let tail = record_attributes(random);
                _ = write!(body, "{head} {{ {inner}}}{tail} {name}; ");
            }
            _ => _ = write!(body, "char {name}; "),
        }
        if let (Some(is_field), Some(members)) = (asked, members.as_deref_mut()) {
            members.push((name, is_field));
        }
    }
    (body, is_union)
}

/// The constant expression with a number.
pub(crate) fn expression(number: u64) -> String {
    let mut random = Random::new(number ^ 0x5555_0000);
    let depth = 1 + random.below(4);
    arithmetic(&mut random, depth)
}

const INT_TYPES: [&str; 12] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

fn literal(random: &mut Random) -> String {
    let value = match random.below(5) {
        0 => random.next() % 4,
        1 => random.next() % 300,
        2 => random.next() % 70_000,
        3 => random.next() & 0xffff_ffff,
        _ => random.next(),
    };
    let suffix = random.pick(&["", "", "", "u", "l", "ul", "ll", "ull"]);
    match random.below(6) {
        0 => format!("0x{value:x}{suffix}"),
        1 => format!("0{value:o}{suffix}"),
        2 => random.pick(&["'a'", "'\\xff'", "'\\n'", "L'x'", "u'y'", "'ab'"]).to_string(),
        _ => format!("{value}{suffix}"),
    }
}

/// An integer expression.
fn integer(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return literal(random);
    }
    let d = depth - 1;
    match random.below(12) {
        0 => format!("({})({})", random.pick(&INT_TYPES), integer(random, d)),
        1 => format!("({}({}))", random.pick(&["-", "~", "!", "+"]), integer(random, d)),
        2 => format!("({} ? {} : {})", integer(random, d), integer(random, d), integer(random, d)),
        3 => {
            let op = random.pick(&["<<", ">>"]);
            format!("({} {op} {})", integer(random, d), random.below(31))
        }
        4 => {
            let op = random.pick(&["/", "%"]);
            format!("({} {op} {})", integer(random, d), 1 + random.below(1000))
        }
        5 => format!("sizeof({})", integer(random, d)),
        6 => format!("({})({} % 100)", random.pick(&INT_TYPES), 1 + random.below(1000)),
        _ => {
            let op = random.pick(&["+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
            format!("({} {op} {})", integer(random, d), integer(random, d))
        }
    }
}

fn arithmetic(random: &mut Random, depth: usize) -> String {
    if depth == 0 || !random.one_in(4) {
        return integer(random, depth);
    }
    let d = depth - 1;
    match random.below(7) {
        0 => random.pick(&["1.5", "2.25f", "1e10", "0x1.8p3", ".125f", "3.", "1e-3", "0.1f", "0.1"]).to_string(),
        1 => format!("({})({})", random.pick(&["float", "double"]), arithmetic(random, d)),
        2 => format!("(-{})", arithmetic(random, d).replace("--", "- -")),
        3 => format!("({} ? {} : {})", integer(random, d), arithmetic(random, d), arithmetic(random, d)),
        _ => {
            let op = random.pick(&["+", "-", "*", "<", ">", "<=", "==", "!="]);
            format!("({} {op} {})", arithmetic(random, d), arithmetic(random, d))
        }
    }
}

/// Types that an expression may have, by the number that records carry.
pub(crate) const RESULT_TYPES: [&str; 14] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
];
