//! Random C functions over integers, structures, arrays and pointers, without undefined behaviour.
//!
//! Arithmetic wraps (`-fwrapv`), divisors are positive constants, counts of shifts and indices are masked, loops are
//! bounded. The functions change what they are given; what they leave behind is hashed in C too.

use std::fmt::Write as _;

/// A small generator of random numbers (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// How many functions a file has.
pub(crate) const PER_FILE: u64 = 250;

const HEAD: &str = "typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long long u64;
typedef struct Inner { short x; u8 y[3]; } Inner;
typedef struct S { signed char a; u16 b; int c : 7; u32 d : 13; long long e; int f[4]; Inner g; Inner h[2]; _Bool t; u64 w : 40; } S;
typedef union U { u32 all; u16 half[2]; u8 byte[4]; } U;
enum { LOW = 3, HIGH = 200 };
static S s0; static int p0[8]; static u64 sum;
static void add(u64 v) { int i; for (i = 0; i < 8; i++) { sum ^= (u8)(v >> (8 * i)); sum *= 1099511628211ull; } }
static void add_all(const S *s) {
  int i;
  add(s->a); add(s->b); add(s->c); add(s->d); add(s->e); add(s->t); add(s->w);
  for (i = 0; i < 4; i++) add(s->f[i]);
  add(s->g.x); for (i = 0; i < 3; i++) add(s->g.y[i]);
  for (i = 0; i < 2; i++) { add(s->h[i].x); add(s->h[i].y[0] + 256u * s->h[i].y[1] + 65536u * s->h[i].y[2]); }
  for (i = 0; i < 8; i++) add(p0[i]);
}
static void reset(void) {
  static const S start = { .a = -3, .b = 60000, .c = -12, .d = 4711, .e = -123456789012ll, .f = { 1, -2, 3 }, .g = { 7, { 1, 2, 3 } }, .h[1] = { -9, { 250 } }, .w = 0xfedcba9876ull };
  int i; s0 = start; sum = 14695981039346656037ull;
  for (i = 0; i < 8; i++) p0[i] = i * i * 1000003 - 77;
}
static int fold(int n, int v) { return n <= 0 ? v : fold(n - 1, v * 31 + n); }
static Inner twist(Inner i, int by) { i.x += by; i.y[1] ^= (u8)by; return i; }
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int (*const table[2])(int, int) = { plus, minus };
static int *at(int *p, unsigned i) { return p + (i & 7); }
";

/// The text of a file of functions.
pub(crate) fn file(number: u64) -> String {
    let mut out = HEAD.to_string();
    for n in number * PER_FILE..(number + 1) * PER_FILE {
        function(n, &mut out);
    }
    out
}

fn function(n: u64, out: &mut String) {
    let mut g = Body { random: Random::new(n + 1), out: String::new(), loops: 0, depth: 0 };
    let statements = 3 + g.random.below(6);
    for _ in 0..statements {
        g.statement();
    }
    let last = g.expression(3);
    writeln!(
        out,
        "static long long f{n}(int x, unsigned y, long long z, S *s, int *p) {{\n  \
         int k = x; u8 c = 5; double r = 1.5; float q = 0.25f; S l = *s; int a[4] = {{ 1, [2] = x }}; U u = {{ 7 }}; int i, j, m;\n{}  \
         add_all(&l); add(k + c); add((long long)r); add((int)q); add(u.all); for (i = 0; i < 4; i++) add(a[i]);\n  return {last};\n}}\n\
         unsigned long long run{n}(void) {{ reset(); add(f{n}({}, {}u, {}ll, &s0, p0)); add_all(&s0); return sum; }}",
        g.out,
        n as i64 % 1000 - 500,
        n * 7919 % 4_000_000_000,
        (n as i64 - 1000) * 1_000_000_007,
    )
    .expect("strings take all text");
}

struct Body {
    random: Random,
    out: String,
    loops: usize,
    depth: usize,
}

impl Body {
    fn place(&mut self) -> String {
        match self.random.below(16) {
            0 => "k".into(),
            1 => "x".into(),
            2 => "y".into(),
            3 => "z".into(),
            4 => "c".into(),
            5 => format!("s->{}", self.random.pick(&["a", "b", "c", "d", "e", "t", "w", "g.x"])),
            6 => format!("l.{}", self.random.pick(&["a", "b", "c", "d", "e", "t", "w", "g.x"])),
            7 => format!("s->f[{} & 3]", self.expression(1)),
            8 => format!("l.g.y[{}]", self.random.below(3)),
            9 => format!("s->h[{} & 1].y[{}]", self.expression(1), self.random.below(3)),
            10 => format!("p[{} & 7]", self.expression(1)),
            11 => format!("a[{} & 3]", self.expression(1)),
            12 => format!("*at(p, {})", self.expression(1)),
            13 => self.random.pick(&["u.all", "u.half[1]", "u.byte[2]", "u.half[0]"]).into(),
            14 => format!("(&l)->h[1].{}", self.random.pick(&["x", "y[2]"])),
            _ => format!("*(p + ({} & 7))", self.expression(1)),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(6) == 0 {
            return match self.random.below(4) {
                0 => format!("{}", self.random.next() as i64 % 1000 - 300),
                1 => self.random.pick(&["LOW", "HIGH", "'z'", "0x7fffffff", "-1", "3u", "5ll", "0xffffu"]).into(),
                _ if depth == 0 => {
                    self.random.pick(&["x", "y", "z", "k", "c", "s->b", "l.c", "p[3]", "(u64)s->w"]).into()
                }
                _ => {
                    // GCC computes with bit-fields wider than `int` in their own width.
                    let place = self.place();
                    if place.ends_with('w') { format!("(u64){place}") } else { place }
                }
            };
        }
        let d = depth - 1;
        match self.random.below(16) {
            0 => format!("({} / {})", self.expression(d), 1 + self.random.below(90)),
            1 => format!("({} % {})", self.expression(d), 1 + self.random.below(90)),
            2 => format!(
                "((int)({}) {} ({} & 31))",
                self.expression(d),
                self.random.pick(&["<<", ">>"]),
                self.expression(d)
            ),
            3 => format!(
                "((u64)({}) {} ({} & 63))",
                self.expression(d),
                self.random.pick(&["<<", ">>"]),
                self.expression(d)
            ),
            4 => format!(
                "(({})({}))",
                self.random.pick(&["u8", "signed char", "short", "u16", "int", "u32", "long long", "u64", "_Bool"]),
                self.expression(d)
            ),
            5 => format!("({} ? {} : {})", self.expression(d), self.expression(d), self.expression(d)),
            6 => format!("({} {} {})", self.expression(d), self.random.pick(&["&&", "||"]), self.expression(d)),
            7 => format!("({}({}))", self.random.pick(&["-", "~", "!", "+"]), self.expression(d)),
            8 => format!("fold({} & 7, {})", self.expression(d), self.expression(d)),
            9 => format!("table[{} & 1]({}, {})", self.expression(d), self.expression(d), self.expression(d)),
            10 => format!("twist(s->g, {}).{}", self.expression(d), self.random.pick(&["x", "y[1]"])),
            11 => "(int)sizeof(S)".into(),
            _ => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="]);
                format!("({} {op} {})", self.expression(d), self.expression(d))
            }
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..=self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn inside(&mut self, count: usize) {
        self.depth += 1;
        for _ in 0..count {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        if self.depth > 2 {
            return self.simple();
        }
        match self.random.below(10) {
            0 => {
                let c = self.expression(2);
                self.line(&format!("if ({c}) {{"));
                self.inside(2);
                self.line("} else {");
                self.inside(1);
                self.line("}");
            }
            1 if self.loops < 2 => {
                let v = ["i", "j"][self.loops];
                let n = 1 + self.random.below(6);
                self.loops += 1;
                self.line(&format!("for ({v} = 0; {v} < {n}; {v}++) {{"));
                self.inside(2);
                let c = self.expression(1);
                let word = self.random.pick(&["break", "continue"]);
                self.line(&format!("  if ({c} > 1000) {word};"));
                self.line("}");
                self.loops -= 1;
            }
            2 if self.loops == 0 => {
                self.loops = 2;
                self.line("m = 4; do {");
                self.inside(2);
                let c = self.expression(1);
                self.line(&format!("}} while (--m && {c});"));
                self.loops = 0;
            }
            3 => {
                let e = self.expression(2);
                self.line(&format!("switch ((int)({e}) & 7) {{"));
                self.line("case 0: case 3:");
                self.inside(1);
                self.line("case 5 ... 6:");
                self.inside(1);
                self.line("  break;");
                self.line("default:");
                self.inside(1);
                self.line("}");
            }
            _ => self.simple(),
        }
    }

    fn simple(&mut self) {
        let text = match self.random.below(12) {
            0 => format!("({})++;", self.place()),
            1 => format!("--({});", self.place()),
            2 => "l = *s;".to_string(),
            3 => format!("s->g = twist(l.g, {});", self.expression(2)),
            4 => format!("l.h[{} & 1] = s->g;", self.expression(1)),
            5 => format!(
                "r = r * {} + {};",
                self.random.pick(&["0.5", "-1.25", "2"]),
                self.random.pick(&["k % 100", "c", "0.75"])
            ),
            6 => format!("q = (float)(({}) % 1000) / 3 - q / 7;", self.expression(1)),
            7 => "if (r > 1e6 || r < -1e6) r = 1;".to_string(),
            8 => {
                let (place, op) = (self.place(), self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]));
                format!("{place} {op} {};", self.expression(2))
            }
            _ => {
                let place = self.place();
                format!("{place} = {};", self.expression(3))
            }
        };
        self.line(&text);
    }
}
