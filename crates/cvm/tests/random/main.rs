//! Random C functions leave the bytes that compiled code leaves.
//!
//! `answers.tsv` holds what functions compiled by GCC returned: a hash over all that they changed. It is recorded by
//! `cargo run -p xtask -- c-record-runs`, which needs gcc; this test does not.

mod generate;

use ferrospin_c::{Dialect, Loader, Options, read};
use ferrospin_cvm::{Limits, Machine, Program};
use ferrospin_source::SourceMap;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err("no files in this test".into())
    }
}

#[test]
fn functions_do_what_compiled_ones_do() {
    let answers: Vec<u64> =
        include_str!("answers.tsv").lines().skip(1).map(|l| u64::from_str_radix(l, 16).unwrap()).collect();
    assert!(answers.len() >= 2000, "the record is whole");
    let mut wrong = Vec::new();
    for (number, answers) in answers.chunks(generate::PER_FILE as usize).enumerate() {
        let text = generate::file(number as u64);
        let mut map = SourceMap::new();
        let file = map.add_file("random.c", text.as_str());
        let reading = read(&mut map, file, &Options::default(), &Dialect::default(), &mut NoFiles);
        let said: Vec<&str> = reading.diagnostics.iter().map(|d| &*d.message).collect();
        assert!(said.is_empty(), "{said:?}");
        let program = Program::new(vec![reading.unit]).expect("the names are unique");
        for (_, flow) in program.all_flows() {
            flow.verify().expect("automata keep their invariants");
        }
        let mut machine =
            Machine::new(std::sync::Arc::new(program), Limits::default()).expect("first values are constants");
        for (i, &expected) in answers.iter().enumerate() {
            let n = number as u64 * generate::PER_FILE + i as u64;
            match machine.call(&format!("run{n}"), &[]) {
                Ok(given) if given as u64 == expected => {}
                other => wrong.push(format!("run{n}: {other:x?}, compiled code gave {expected:x}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}
