//! Mutated models with embedded C, and C that is too deep, too long, or no text: all are answered, read or run.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::stack::with_big_stack;
use ferrospin::verify::{Engine, Limits, Options, verify};
use ferrospin_testkit::mutate::{models_in, mutate, tokens};
use ferrospin_testkit::random::Random;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::Duration;

/// Mutated models that are tried.
const MUTANTS: usize = 2000;

/// Pieces of C that are put into a model.
const PIECES: &[&str] = &[
    "now.",
    "->",
    "*p = 1;",
    "while (1) ;",
    "for (;;) ",
    "int a[2]; a[2] = 1;",
    "/ 0",
    "<< 99",
    "malloc(-1)",
    "free(&now)",
    "goto x;",
    "sizeof(",
    "(char *)-1",
    "\\#include <stdio.h>\n",
    "\\#define x y\n",
    "c_code { ",
    "c_expr { ",
    "c_track \"&x\" \"sizeof(x)\"\n",
    "c_state \"int q[9]\" \"Global\" \"\"\n",
    "uerror(\"!\");",
    "memcpy(&now, 0, 99);",
    "struct S { struct S *s; } s;",
    "return;",
    "}",
    "{",
    "\"",
    "'",
];

fn read(text: &str) -> Front {
    front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default())
}

/// Reads a model and looks at its first steps; says whether it was run.
fn exercise(text: &str) -> bool {
    let front = read(text);
    std::hint::black_box(front.text(false).len());
    if front.unreadable {
        return false;
    }
    let limits = Limits { depth_max: Some(20), time_max: Some(Duration::from_secs(2)), memory_max_bytes: None };
    let options = Options { engine: Engine::Interp, limits, ..Options::default() };
    match verify(&front, &options) {
        Ok(verified) => !verified.properties.is_empty(),
        Err(why) => why.why().is_empty(),
    }
}

#[test]
fn mutated_models_with_embedded_c_are_answered() {
    let mut models = models_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/c"));
    models.retain(|m| m.contains("c_"));
    assert!(models.len() >= 14, "the models with embedded C are missing");
    let tokens: Vec<&'static str> = tokens().into_iter().chain(PIECES.iter().copied()).collect();
    let random = &mut Random::new(25);
    let mut run = 0;
    with_big_stack(|| {
        for number in 0..MUTANTS {
            let text = match number % 2 {
                0 => mutate(random, &models, &tokens),
                // One piece of C somewhere: most of these can still be read.
                _ => {
                    let mut text = models[random.below(models.len())].clone();
                    let places: Vec<usize> = text.match_indices(['{', ';', '=', '(']).map(|(i, _)| i + 1).collect();
                    let piece: &&str = random.pick(PIECES);
                    text.insert_str(*random.pick(&places), piece);
                    text
                }
            };
            match catch_unwind(|| exercise(&text)) {
                Ok(was_run) => run += usize::from(was_run),
                Err(_) => panic!("mutant {number} panics:\n{text}"),
            }
        }
    });
    // Mutants that cannot be read show little.
    assert!(run > MUTANTS / 20, "{run} mutants of {MUTANTS} were run");
}

/// What is said of a model with a statement of C.
fn said(c: &str) -> String {
    let text = format!("byte x; active proctype P() {{ c_code {{ {c} }} }}");
    with_big_stack(|| {
        let front = read(&text);
        if front.unreadable {
            return front.text(false).lines().next().unwrap_or_default().to_string();
        }
        match verify(&front, &Options::default()) {
            Ok(v) => v.properties[0].error.as_ref().map_or("holds".into(), |e| e.message.clone()),
            Err(why) => why.why(),
        }
    })
}

#[test]
fn deep_long_and_foreign_c_is_answered() {
    let n = 10_000;
    let deep = said(&format!("now.x = {}1{};", "(".repeat(n), ")".repeat(n)));
    assert!(deep.contains("nested too deeply"), "{deep}");
    let blocks = said(&format!("{}{}", "{".repeat(n), "}".repeat(n)));
    assert!(blocks.contains("nested too deeply"), "{blocks}");
    assert_eq!(said(&format!("char *s = \"{}\"; now.x = s[3] == 'x';", "x".repeat(2_000_000))), "holds");
    let foreign = said(&String::from_utf8_lossy(b"now.x = \xff\xfe;"));
    assert!(foreign.contains("expected an expression"), "{foreign}");
    let zero = said("now.x = \0 1;");
    assert!(!zero.is_empty(), "{zero}");
}
