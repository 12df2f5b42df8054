//! Programs as PTX text, the assembly language that drivers of NVIDIA's processors translate.

use crate::code::{Address, Arg, Atomic, Label, Logic, Math, Op, Program, Reg, Relation, Space, Special, Type};
use std::fmt::Write;

/// What the device must be able to do: its compute capability times ten, and words for it.
pub fn needs(program: &Program) -> (i32, &'static str) {
    if uses_pairs(program) { (90, "9.0") } else { (70, "7.0") }
}

fn uses_pairs(program: &Program) -> bool {
    program.ops.iter().any(|op| matches!(op, Op::SwapPair { .. }))
}

struct Printer<'a> {
    program: &'a Program,
    /// The number of each register among those of its type.
    numbers: Vec<u32>,
    out: String,
}

/// The text of a program.
pub fn print(program: &Program) -> String {
    let mut counts = [0; 3];
    let number = |ty: &Type| {
        counts[*ty as usize] += 1;
        counts[*ty as usize] - 1
    };
    let numbers = program.types.iter().map(number).collect();
    let mut p = Printer { program, numbers, out: String::new() };
    let pairs = uses_pairs(program);
    let (version, target) = if pairs { ("8.4", "sm_90") } else { ("7.0", "sm_70") };
    let _ = writeln!(p.out, ".version {version}\n.target {target}\n.address_size 64");
    if program.shared_bytes > 0 {
        let _ = writeln!(p.out, ".extern .shared .align 16 .b8 block[];");
    }
    let params: Vec<String> = (0..program.params).map(|i| format!(".param .u64 p{i}")).collect();
    let _ = writeln!(p.out, ".visible .entry {}({})", program.name, params.join(", "));
    let _ = writeln!(p.out, ".maxntid {}, 1, 1\n.minnctapersm {}\n{{", program.threads, program.blocks_min);
    for (ty, name) in [(Type::Flag, ".pred %p"), (Type::Word, ".b32 %r"), (Type::Wide, ".b64 %w")] {
        if counts[ty as usize] > 0 {
            let _ = writeln!(p.out, ".reg {name}<{}>;", counts[ty as usize]);
        }
    }
    if program.shared_bytes > 0 {
        let _ = writeln!(p.out, ".reg .b32 %base, %place;\n\tmov.u32 %base, block;");
    }
    if pairs {
        let _ = writeln!(p.out, ".reg .b128 %qc, %qn, %qo;");
    }
    let mut tables = 0;
    for op in &program.ops {
        p.op(op, &mut tables);
    }
    p.out.push_str("}\n");
    p.out
}

impl Printer<'_> {
    fn ty(&self, reg: Reg) -> Type {
        self.program.types[reg.0 as usize]
    }

    fn reg(&self, reg: Reg) -> String {
        let letter = match self.ty(reg) {
            Type::Flag => 'p',
            Type::Word => 'r',
            Type::Wide => 'w',
        };
        format!("%{letter}{}", self.numbers[reg.0 as usize])
    }

    /// An operand of a type.
    fn arg(&self, arg: Arg, ty: Type) -> String {
        match arg {
            Arg::Reg(reg) => self.reg(reg),
            Arg::Const(v) if ty == Type::Wide => format!("{v:#x}"),
            Arg::Const(v) => (v as u32 as i32).to_string(),
        }
    }

    /// An address; the memory of a block does not begin at 0.
    fn at(&mut self, at: &Address) -> String {
        let base = match (at.base, at.space) {
            (Arg::Reg(reg), Space::Global) => self.reg(reg),
            (Arg::Reg(reg), Space::Shared) => {
                let reg = self.reg(reg);
                self.line(&format!("add.u32 %place, {reg}, %base"));
                "%place".into()
            }
            (Arg::Const(v), Space::Shared) => return format!("[block+{}]", v + u64::from(at.offset)),
            (Arg::Const(v), _) => return format!("[{}]", v + u64::from(at.offset)),
        };
        if at.offset == 0 { format!("[{base}]") } else { format!("[{base}+{}]", at.offset) }
    }

    fn line(&mut self, text: &str) {
        self.out.push('\t');
        self.out.push_str(text);
        self.out.push_str(";\n");
    }

    fn op(&mut self, op: &Op, tables: &mut u32) {
        let text = match op {
            Op::Label(Label(l)) => {
                let _ = writeln!(self.out, "L{l}:");
                return;
            }
            Op::Move { to, from } => {
                let ty = self.ty(*to);
                let kind = ["pred", "b32", "b64"][ty as usize];
                match (ty, from) {
                    (Type::Flag, Arg::Const(v)) => format!("mov.pred {}, {}", self.reg(*to), -((*v != 0) as i32)),
                    _ => format!("mov.{kind} {}, {}", self.reg(*to), self.arg(*from, ty)),
                }
            }
            Op::Math { op, to, a, b } => {
                let ty = self.ty(*to);
                let shifts = matches!(op, Math::Shl | Math::Shr | Math::Sar);
                let n = if ty == Type::Wide { 64 } else { 32 };
                let name = match op {
                    Math::Add => format!("add.u{n}"),
                    Math::Sub => format!("sub.u{n}"),
                    Math::Mul => format!("mul.lo.u{n}"),
                    Math::And => format!("and.b{n}"),
                    Math::Or => format!("or.b{n}"),
                    Math::Xor => format!("xor.b{n}"),
                    Math::Shl => format!("shl.b{n}"),
                    Math::Shr => format!("shr.u{n}"),
                    Math::Sar => format!("shr.s{n}"),
                    Math::Div => format!("div.s{n}"),
                    Math::Rem => format!("rem.s{n}"),
                    Math::Min => format!("min.u{n}"),
                };
                let second = if shifts { Type::Word } else { ty };
                format!("{name} {}, {}, {}", self.reg(*to), self.arg(*a, ty), self.arg(*b, second))
            }
            Op::Count { to, from } => format!("popc.b32 {}, {}", self.reg(*to), self.arg(*from, Type::Word)),
            Op::Lowest { to, from } => {
                let to = self.reg(*to);
                let from = self.arg(*from, Type::Word);
                self.line(&format!("brev.b32 {to}, {from}"));
                format!("clz.b32 {to}, {to}")
            }
            Op::Widen { to, from } => format!("cvt.u64.u32 {}, {}", self.reg(*to), self.arg(*from, Type::Word)),
            Op::Half { to, from, upper: false } => {
                format!("cvt.u32.u64 {}, {}", self.reg(*to), self.arg(*from, Type::Wide))
            }
            Op::Half { to, from, upper: true } => {
                let (to, from) = (self.reg(*to), self.arg(*from, Type::Wide));
                format!("{{ .reg .b32 %low; mov.b64 {{%low, {to}}}, {from}; }}")
            }
            Op::Join { to, low, high } => {
                let (low, high) = (self.arg(*low, Type::Word), self.arg(*high, Type::Word));
                format!("mov.b64 {}, {{{low}, {high}}}", self.reg(*to))
            }
            Op::Compare { op, wide, signed, to, a, b } => {
                let ty = if *wide { Type::Wide } else { Type::Word };
                let kind = match (wide, signed) {
                    (true, _) => "u64",
                    (false, true) => "s32",
                    (false, false) => "u32",
                };
                let name = match op {
                    Relation::Eq => "eq",
                    Relation::Ne => "ne",
                    Relation::Lt => "lt",
                    Relation::Le => "le",
                    Relation::Gt => "gt",
                    Relation::Ge => "ge",
                };
                format!("setp.{name}.{kind} {}, {}, {}", self.reg(*to), self.arg(*a, ty), self.arg(*b, ty))
            }
            Op::Logic { op, to, a, b } => {
                let name = match op {
                    Logic::And => "and",
                    Logic::Or => "or",
                    Logic::Xor => "xor",
                };
                format!("{name}.pred {}, {}, {}", self.reg(*to), self.reg(*a), self.reg(*b))
            }
            Op::Not { to, from } => format!("not.pred {}, {}", self.reg(*to), self.reg(*from)),
            Op::Select { to, when, yes, no } => {
                let ty = self.ty(*to);
                let kind = if ty == Type::Wide { "b64" } else { "b32" };
                let (yes, no) = (self.arg(*yes, ty), self.arg(*no, ty));
                format!("selp.{kind} {}, {yes}, {no}, {}", self.reg(*to), self.reg(*when))
            }
            Op::Load { to, at } => {
                let kind = if self.ty(*to) == Type::Wide { "u64" } else { "u32" };
                let name = if at.space == Space::Global { "ld.relaxed.gpu.global" } else { "ld.shared" };
                let place = self.at(at);
                format!("{name}.{kind} {}, {place}", self.reg(*to))
            }
            Op::Store { at, from, wide } => {
                let (kind, ty) = if *wide { ("u64", Type::Wide) } else { ("u32", Type::Word) };
                let space = if at.space == Space::Global { "global" } else { "shared" };
                let (value, place) = (self.arg(*from, ty), self.at(at));
                format!("st.{space}.{kind} {place}, {value}")
            }
            Op::Atomic { op, to, at, value } => {
                let ty = self.ty(*to);
                let n = if ty == Type::Wide { 64 } else { 32 };
                let name = match op {
                    Atomic::Add => format!("add.u{n}"),
                    Atomic::Min => format!("min.u{n}"),
                    Atomic::Or => format!("or.b{n}"),
                };
                let (value, place) = (self.arg(*value, ty), self.at(at));
                format!("{}.{name} {}, {place}, {value}", atom(at.space), self.reg(*to))
            }
            Op::Swap { to, at, expected, new } => {
                let ty = self.ty(*to);
                let n = if ty == Type::Wide { 64 } else { 32 };
                let (expected, new) = (self.arg(*expected, ty), self.arg(*new, ty));
                let place = self.at(at);
                format!("{}.cas.b{n} {}, {place}, {expected}, {new}", atom(at.space), self.reg(*to))
            }
            Op::SwapPair { to, at, new } => {
                let [a, b] = new.map(|n| self.arg(n, Type::Wide));
                self.line("mov.b128 %qc, {0, 0}");
                self.line(&format!("mov.b128 %qn, {{{a}, {b}}}"));
                let place = self.at(at);
                self.line(&format!("atom.relaxed.gpu.global.cas.b128 %qo, {place}, %qc, %qn"));
                format!("mov.b128 {{{}, {}}}, %qo", self.reg(to[0]), self.reg(to[1]))
            }
            Op::Param { to, index } => format!("ld.param.u64 {}, [p{index}]", self.reg(*to)),
            Op::Special { to, what } => match what {
                Special::Thread => format!("mov.u32 {}, %tid.x", self.reg(*to)),
                Special::Block => format!("mov.u32 {}, %ctaid.x", self.reg(*to)),
                Special::Blocks => format!("mov.u32 {}, %nctaid.x", self.reg(*to)),
                Special::Clock => format!("mov.u64 {}, %clock64", self.reg(*to)),
            },
            Op::Jump(Label(l)) => format!("bra L{l}"),
            Op::JumpIf { when, is, to } => {
                let not = if *is { "" } else { "!" };
                format!("@{not}{} bra L{}", self.reg(*when), to.0)
            }
            Op::Switch { on, targets } => {
                let names: Vec<String> = targets.iter().map(|l| format!("L{}", l.0)).collect();
                *tables += 1;
                let _ = writeln!(self.out, "T{tables}: .branchtargets {};", names.join(", "));
                format!("brx.idx {}, T{tables}", self.reg(*on))
            }
            // The plain form has undefined effects where only a part of a warp comes to it.
            Op::Barrier if self.program.scattered => "barrier.sync 0".into(),
            Op::Barrier => "bar.sync 0".into(),
            Op::Fence => "fence.acq_rel.gpu".into(),
            Op::Pause => "nanosleep.u32 40".into(),
            Op::Return => "ret".into(),
        };
        if text.ends_with('}') && text.starts_with('{') {
            let _ = writeln!(self.out, "\t{text}");
        } else {
            self.line(&text);
        }
    }
}

fn atom(space: Space) -> &'static str {
    if space == Space::Global { "atom.relaxed.gpu.global" } else { "atom.shared" }
}
