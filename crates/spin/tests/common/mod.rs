//! A world in memory.
#![allow(dead_code)]

use ferrospin::verify::Hooks;
use ferrospin_spin::world::{ExecutorKind, Mode, World};
use std::collections::{BTreeMap, VecDeque};

/// Files, streams and input, all in memory.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) input: VecDeque<String>,
}

impl Memory {
    /// A world with one file.
    pub(crate) fn with(name: &str, text: &str) -> Memory {
        let mut memory = Memory::default();
        memory.files.insert(name.into(), text.into());
        memory
    }

    /// Runs `spin` with a line of arguments; gives code, standard output and standard error.
    pub(crate) fn spin(&mut self, line: &str) -> (u8, String, String) {
        let args: Vec<String> = words(line);
        self.run(&args)
    }

    /// Runs `pan` of a model, compiled with directives.
    pub(crate) fn pan(&mut self, model: &str, directives: &str, line: &str) -> (u8, String, String) {
        let mut args: Vec<String> = ["--pan", "--model", model, "--name", model].map(String::from).to_vec();
        for d in directives.split_whitespace() {
            let d = d.strip_prefix("-D").unwrap_or(d);
            args.extend(["--cc".to_string(), d.to_string()]);
        }
        args.push("--".into());
        args.extend(words(line));
        self.run(&args)
    }

    /// Runs the program with these arguments.
    pub(crate) fn run(&mut self, args: &[String]) -> (u8, String, String) {
        let code = ferrospin::stack::with_big_stack(|| ferrospin_spin::program::run(args, self));
        (code, std::mem::take(&mut self.out), std::mem::take(&mut self.err))
    }

    /// A file as text.
    pub(crate) fn text(&self, name: &str) -> String {
        self.files.get(name).map(|b| String::from_utf8_lossy(b).into_owned()).unwrap_or_default()
    }
}

/// Words of a line; single quotes keep blanks.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}

impl World for Memory {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.get(path).cloned()
    }

    fn write(&mut self, path: &str, text: &str, _: Mode) -> bool {
        self.files.insert(path.into(), text.into());
        true
    }

    fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    fn is_newer(&mut self, _: &str, _: &str) -> bool {
        false
    }

    fn out(&mut self, text: &str) {
        self.out += text;
    }

    fn err(&mut self, text: &str) {
        self.err += text;
    }

    fn line(&mut self) -> Option<String> {
        self.input.pop_front()
    }

    fn character(&mut self) -> i32 {
        -1
    }

    fn now(&mut self) -> i64 {
        1
    }

    fn engine(&mut self) -> String {
        "/usr/bin/ferrospin".into()
    }

    fn executor(&mut self) -> ExecutorKind {
        ExecutorKind::Interp
    }

    fn hooks(&mut self) -> Hooks {
        Hooks::default()
    }
}
