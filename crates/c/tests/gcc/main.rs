//! Layouts, types and constants as GCC has them, on random declarations and expressions.
//!
//! `answers.tsv` is recorded by `cargo run -p xtask -- c-record`, which needs gcc; this test does not. A line is: kind
//! (`lp64`, `ilp32`: a layout; `expr`), number, answer. The answer of a layout is size, alignment, and for each member its
//! offset or, for bit-fields, the bytes of the record when all bits of it are set; that of an expression is the number of
//! its type and its bytes.

mod generate;

use ferrospin_c::tree::{Const, Unit};
use ferrospin_c::types::{RecordId, TypeId};
use ferrospin_c::{Dialect, Loader, Options, Target, read};
use ferrospin_source::SourceMap;
use std::fmt::Write as _;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err("no files in this test".into())
    }
}

fn unit(text: &str, target: Target) -> Unit {
    let mut map = SourceMap::new();
    let file = map.add_file("random.c", text);
    let dialect = Dialect { target, system_dirs: Vec::new() };
    let reading = read(&mut map, file, &Options::default(), &dialect, &mut NoFiles);
    let said: Vec<String> = reading
        .diagnostics
        .iter()
        .filter(|d| !d.lint)
        .map(|d| format!("{:?}: {}", map.position(d.span).map(|p| p.line), d.message))
        .collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
    reading.unit
}

/// What our front end says of a layout, in the form of the record.
fn layout_answer(unit: &Unit, id: RecordId, layout: &generate::Layout) -> String {
    let record = unit.types.record(id);
    let mut out = format!("{} {}", record.size, record.align);
    for (name, _) in &layout.members {
        let field = record.fields.iter().find(|f| f.name.is_some_and(|n| **unit.name(n) == **name)).unwrap();
        match field.bits {
            None => write!(out, " {}", field.offset).unwrap(),
            Some((first, width)) => {
                let mut bytes = vec![0u8; record.size as usize];
                for bit in first..first + width {
                    bytes[field.offset as usize + bit as usize / 8] |= 1 << (bit % 8);
                }
                out.push(' ');
                // Zeros at both ends are left out; what is left is told with its place.
                let from = bytes.iter().position(|&b| b != 0).unwrap_or(0);
                let to = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
                write!(out, "{from}:").unwrap();
                for b in &bytes[from..to.max(from)] {
                    write!(out, "{b:02x}").unwrap();
                }
            }
        }
    }
    out
}

fn expression_answer(unit: &Unit, ty: TypeId, value: Option<Const>) -> String {
    let shown = unit.show_type(ty.into());
    let number = generate::RESULT_TYPES.iter().position(|t| *t == shown);
    let number = number.map_or(shown, |n| n.to_string());
    let size = unit.types.size(ty).unwrap() as usize;
    let bytes = match value {
        Some(Const::Int(v)) => v.to_le_bytes()[..size].to_vec(),
        Some(Const::Float(v)) if size == 4 => (v as f32).to_le_bytes().to_vec(),
        Some(Const::Float(v)) => v.to_le_bytes().to_vec(),
        _ => return format!("{number} not constant"),
    };
    let mut out = format!("{number} ");
    for b in bytes {
        write!(out, "{b:02x}").unwrap();
    }
    out
}

#[test]
fn layouts_types_and_constants_are_those_of_gcc() {
    let answers = include_str!("answers.tsv");
    let lines: Vec<Vec<&str>> = answers.lines().skip(1).map(|l| l.split('\t').collect()).collect();
    assert!(lines.len() >= 10_000, "the record is whole");
    let mut wrong = Vec::new();
    for (kind, target) in [("lp64", Target::Lp64), ("ilp32", Target::Ilp32)] {
        let numbers: Vec<(u64, &str)> =
            lines.iter().filter(|l| l[0] == kind).map(|l| (l[1].parse().unwrap(), l[2])).collect();
        let layouts: Vec<_> = numbers.iter().map(|&(n, _)| generate::layout(n)).collect();
        let text: String = layouts.iter().map(|l| format!("{}\n", l.text)).collect();
        let unit = unit(&text, target);
        for (index, record) in unit.types.records.iter().enumerate() {
            let Some(tag) = record.tag else { continue };
            let number: u64 = unit.name(tag)[1..].parse().unwrap();
            let at = numbers.iter().position(|&(n, _)| n == number).unwrap();
            assert_eq!(record.is_union, layouts[at].head == "union");
            let ours = layout_answer(&unit, RecordId(index as u32), &layouts[at]);
            if ours != numbers[at].1 {
                wrong.push(format!("{kind}: {}\n  gcc:  {}\n  ours: {ours}", layouts[at].text, numbers[at].1));
            }
        }
    }
    let numbers: Vec<(u64, &str)> =
        lines.iter().filter(|l| l[0] == "expr").map(|l| (l[1].parse().unwrap(), l[2])).collect();
    let text: String =
        numbers.iter().map(|&(n, _)| format!("__auto_type v{n} = {};\n", generate::expression(n))).collect();
    let unit = unit(&text, Target::Lp64);
    for object in &unit.objects {
        let number: u64 = unit.name(object.name.unwrap())[1..].parse().unwrap();
        let expected = numbers.iter().find(|n| n.0 == number).unwrap().1;
        let value = unit.expr(object.init.as_ref().unwrap()[0].value).value;
        let ours = expression_answer(&unit, object.ty.ty, value);
        if ours != expected {
            wrong.push(format!("{}\n  gcc:  {expected}\n  ours: {ours}", generate::expression(number)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
}
