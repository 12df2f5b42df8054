//! Hostile input: nesting, size, foreign bytes, mutations.

use super::{RICH, run};
use ferrospin_c::Target;

fn first_message(text: &str) -> String {
    let (_, reading) = run(text, Target::Lp64);
    reading.diagnostics.iter().find(|d| !d.lint).map_or("nothing".to_string(), |d| d.message.clone())
}

#[test]
fn deep_nesting_is_answered() {
    let n = 10_000;
    let parentheses = format!("int f(int a) {{ return {}a{}; }}", "(".repeat(n), ")".repeat(n));
    assert_eq!(first_message(&parentheses), "this is nested too deeply");
    let blocks = format!("void f(void) {{ {}{} }}", "{".repeat(n), "}".repeat(n));
    assert_eq!(first_message(&blocks), "this is nested too deeply");
    let declarator = format!("int {}a{};", "(".repeat(n), ")".repeat(n));
    assert_eq!(first_message(&declarator), "this is nested too deeply");
    let pointers = format!("int {}a;", "*".repeat(n));
    assert_eq!(first_message(&pointers), "too many pointers");
    let structs = format!("{}int a;{}", "struct {".repeat(n), "} b;".repeat(n));
    assert_eq!(first_message(&structs), "this is nested too deeply");
    let initialiser = format!("int a[] = {}1{};", "{".repeat(n), "}".repeat(n));
    assert_eq!(first_message(&initialiser), "this is nested too deeply");
    let unary = format!("int f(int a) {{ return {}a; }}", "-".repeat(n).replace("--", "- -"));
    assert_eq!(first_message(&unary), "this is nested too deeply");
    let sum = format!("int f(int a) {{ return {}a; }}", "a + ".repeat(n));
    assert_eq!(first_message(&sum), "this expression is too deep");
    let chain = format!("int f(int a) {{ {} return 0; }}", "if (a) a = 1; else ".repeat(n));
    assert_eq!(first_message(&chain), "nothing");
    let labels: String = (0..n).map(|i| format!("case {i}: ")).collect();
    assert_eq!(first_message(&format!("int f(int a) {{ switch (a) {{ {labels} return 1; }} return 0; }}")), "nothing");
    let ifs = format!("void f(int a) {{ {} ; }}", "if (a) ".repeat(n));
    assert_eq!(first_message(&ifs), "this is nested too deeply");
}

#[test]
fn long_lines_and_foreign_bytes_are_answered() {
    let long = format!("int a[] = {{ {} }};", "1,".repeat(1_000_000));
    assert_eq!(first_message(&long), "nothing");
    let string = format!("char *s = \"{}\";", "x".repeat(20_000_000));
    assert_eq!(first_message(&string), "nothing");
    let foreign = String::from_utf8_lossy(b"int a = \xff\xfe; char *s = \"\xc3\x28\";\n\0 int b;").into_owned();
    assert_eq!(first_message(&foreign), "expected an expression, found `\u{fffd}`");
    assert_eq!(first_message("int a[1 << 30][1 << 30][1 << 30];"), "this array is too large");
    assert_eq!(first_message("int a[] = { [0 ... 2000000000] = 1 };"), "this initialiser has too many parts");
    assert_eq!(first_message("typedef struct { char c[1ull << 61]; } T; T t[2];"), "this array is too large");
}

#[test]
fn mutated_files_are_answered() {
    let mut seed = 1u64;
    let mut next = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    // Pieces that are likely to matter are put in, taken out and doubled.
    let words: Vec<&str> = RICH.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut lost = 0;
    for _ in 0..5000 {
        let mut list = words.clone();
        let from = next(list.len());
        let to = (from + 400).min(list.len());
        // A part of the file keeps this fast, and cut ends are mistakes themselves.
        list = list[from..to].to_vec();
        for _ in 0..1 + next(4) {
            let at = next(list.len());
            match next(4) {
                0 => _ = list.remove(at),
                1 => list.insert(at, words[next(words.len())]),
                2 => list
                    .insert(at, ["(", ")", "{", "}", "[", "]", ";", "*", "sizeof ", "typedef ", "= ", ": "][next(12)]),
                _ => {
                    let other = next(list.len());
                    list.swap(at, other);
                }
            }
            if list.is_empty() {
                break;
            }
        }
        let (map, reading) = run(&list.concat(), Target::Lp64);
        for d in reading.diagnostics.iter() {
            assert!(map.position(d.span).is_some(), "messages have places: {}", d.message);
        }
        lost += usize::from(reading.diagnostics.has_errors());
    }
    assert!(lost > 2500, "mutations are mistakes: {lost}");
}
