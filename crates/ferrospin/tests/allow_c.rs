//! Embedded C that another program runs: what it is asked, what becomes of its answers, and that without the option none is asked.
//!
//! The compiler here is none: it hands out a program that understands one model and does in Rust what its C says.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, AllowC, Front};
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::verify::{Engine, Options, verify};
use ferrospin_embed::outside::{Compiled, Compiler, Peer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the program does with `now.x`: gives the status of the answer, what is said, and the value.
type Does = fn(code: u32, x: &mut u8) -> (u8, &'static str, i32);

#[derive(Debug)]
struct Fake {
    does: Does,
    compiled: Arc<AtomicU32>,
    started: Arc<AtomicU32>,
}

#[derive(Debug)]
struct Program(Does, Arc<AtomicU32>);

#[derive(Debug)]
struct Process(Does);

impl Compiler for Fake {
    fn compile(&self, text: &str, _: &[String], _: &[String]) -> Result<Arc<dyn Compiled>, String> {
        assert!(text.contains("struct __ferrospin_state now;") && text.contains("int main(void)"), "{text}");
        self.compiled.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(Program(self.does, self.started.clone())))
    }
}

impl Compiled for Program {
    fn compiler(&self) -> String {
        "fake".into()
    }

    fn start(&self) -> Result<Box<dyn Peer>, String> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Process(self.0)))
    }
}

impl Peer for Process {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        // The only thing that C can name is `now.x`, a byte.
        if request == [0] {
            return Ok([&1u32.to_le_bytes()[..], &[0]].concat());
        }
        let number = |at: usize| u32::from_le_bytes(request[at..at + 4].try_into().expect("four bytes"));
        let (code, count, item) = (number(1), number(8), number(12));
        assert_eq!((count, item, request.len()), (1, 0, 17), "{request:?}");
        assert!(request[0] == 1 || request[0] == 2, "{request:?}");
        let mut x = request[16];
        let (status, said, value) = (self.0)(code, &mut x);
        if status > 3 {
            return Err(said.into());
        }
        let mut out = vec![status];
        out.extend(value.to_le_bytes());
        out.extend((said.len() as u32).to_le_bytes());
        out.extend(said.as_bytes());
        out.extend(2u32.to_le_bytes());
        out.extend(b"hi");
        out.push(x);
        Ok(out)
    }
}

struct Counts(Arc<AtomicU32>, Arc<AtomicU32>);

fn read(text: &str, does: Does, allow: fn(Arc<dyn Compiler>) -> AllowC) -> (Front, Counts) {
    let counts = Counts(Arc::default(), Arc::default());
    let fake = Fake { does, compiled: counts.0.clone(), started: counts.1.clone() };
    let options = front::Options { allow_c: allow(Arc::new(fake)), ..front::Options::default() };
    let front = front::read_text("m.pml", text, &options, &mut DiskLoader::default());
    assert!(!front.unreadable, "{}", front.text(false));
    (front, counts)
}

fn check(front: &Front, engine: Engine) -> PropertyReport {
    // Who cannot look into C must take it for dependent on everything: only without a reduction are counts the same.
    let options = Options { engine, partial_order: false, optimize: false, ..Options::default() };
    let verified = verify(front, &options).unwrap_or_else(|why| panic!("{}", why.why()));
    verified.properties.into_iter().next().expect("one property")
}

/// Fragment 0 adds 1, fragment 1 is `now.x < 3`. No machine of C can run `system`.
const COUNTER: &str = "byte x;\nactive [2] proctype P() {\n\
                       do :: c_expr { now.x < 3 } -> c_code { now.x++; system(\"true\"); } :: else -> break od;\n\
                       assert(x == 3 || x == 4)\n}\n";

fn counter(code: u32, x: &mut u8) -> (u8, &'static str, i32) {
    // Fragments are numbered in the order of the text.
    if code == 0 {
        return (0, "", i32::from(*x < 3));
    }
    *x += 1;
    (0, "", 0)
}

#[test]
fn answers_become_part_of_the_state() {
    // The same in Promela, with the same steps.
    let twin = COUNTER.replace("c_expr { now.x < 3 }", "x < 3").replace("c_code { now.x++; system(\"true\"); }", "x++");
    let options = front::Options::default();
    let twin = front::read_text("m.pml", twin.as_str(), &options, &mut DiskLoader::default());
    let (front, counts) = read(COUNTER, counter, AllowC::Refused);
    for engine in [Engine::Native, Engine::Interp] {
        let (report, expected) = (check(&front, engine), check(&twin, engine));
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!((report.states, report.transitions), (expected.states, expected.transitions), "{engine:?}");
        assert!(report.notes.iter().any(|n| n.contains("compiled by `fake`")), "{:?}", report.notes);
    }
    assert!(front.text(false).contains("warning[compiled-c]"), "{}", front.text(false));
    assert_eq!(counts.0.load(Ordering::Relaxed), 1, "it is compiled once");
}

/// Checks how a fragment ends that answers so.
fn ends(does: Does, message: &str, depth: u64) {
    let (front, _) = read("byte x;\nactive proctype P() { x = 1; c_code { system(\"\"); } }\n", does, AllowC::Refused);
    for engine in [Engine::Native, Engine::Interp] {
        let error = check(&front, engine).error.unwrap_or_else(|| panic!("{message}"));
        assert_eq!((error.message.as_str(), error.depth), (message, Some(depth)), "{engine:?}");
    }
}

#[test]
fn failures_outside_are_errors_of_the_model() {
    ends(|_, _| (1, "told by uerror", 0), "told by uerror", 2);
    ends(|_, _| (2, "assertion violated: x", 0), "assertion violated: x", 2);
    ends(|_, _| (9, "ended by signal 11", 0), "ended by signal 11", 2);
}

#[test]
fn nothing_is_compiled_unless_it_must_and_may_be() {
    let harmless = "byte x;\nactive proctype P() { c_code { now.x = 1; } }\n";
    for (text, allow, compiled) in [
        (harmless, AllowC::Refused as fn(Arc<dyn Compiler>) -> AllowC, 0),
        (harmless, AllowC::Always, 1),
        (COUNTER, |_| AllowC::Never, 0),
    ] {
        let (front, counts) = read(text, |_, _| (0, "", 0), allow);
        let refused = verify(&front, &Options::default()).err().map(|why| why.why());
        assert_eq!(counts.0.load(Ordering::Relaxed), compiled, "{text}");
        assert_eq!(counts.1.load(Ordering::Relaxed) > 0, compiled > 0, "{text}");
        assert_eq!(refused.is_some_and(|why| why.contains("`--allow-c`")), text == COUNTER, "{text}");
    }
}
