//! Endless and hostile input.

use super::*;

/// The first message of error level.
fn first_error(input: &str, files: Vec<(&'static str, String)>) -> String {
    let (_, _, diagnostics) = run(input, &Options::default(), files);
    diagnostics.iter().find(|d| d.severity == Severity::Error).map_or("none".to_string(), |d| d.message.clone())
}

/// A chain of macros, each of which uses the one before as `body` does with `?`; the last one is used.
fn chain(body: &str, length: usize, first: &str) -> String {
    let mut text = format!("#define A0 {first}\n");
    for i in 1..=length {
        writeln!(text, "#define A{i} {}", body.replace('?', &format!("A{}", i - 1))).unwrap();
    }
    text + &format!("A{length}\n")
}

#[test]
fn endless_expansion_is_an_error() {
    expect!["macro expansion does not seem to end"].assert_eq(&first_error(&chain("? ?", 60, ""), Vec::new()));
    let long = "some_quite_long_name_here ".repeat(40);
    expect!["the expanded text is too long"].assert_eq(&first_error(&chain("? ?", 60, &long), Vec::new()));
    let calls = "#define F(x) x x\n".to_string() + &"F(".repeat(60) + "y" + &")".repeat(60) + "\n";
    expect!["macro calls are nested too deeply"].assert_eq(&first_error(&calls, Vec::new()));
    let strings =
        "#define S(x) #x\n#define T(x) S(x)\n".to_string() + &"T(".repeat(60) + "\"y\"" + &")".repeat(60) + "\n";
    expect!["the string made by `#` is too long"].assert_eq(&first_error(&strings, Vec::new()));
    let mut paste = "#define P(a, b) a ## b\n".to_string();
    for i in 1..60 {
        writeln!(paste, "#define Q{i}(x) P(x, x)").unwrap();
    }
    paste += &((1..60).map(|i| format!("Q{i}(")).collect::<String>() + "x" + &")".repeat(59) + "\n");
    expect!["the token made by `##` is too long"].assert_eq(&first_error(&paste, Vec::new()));
}

#[test]
fn endless_inclusion_is_an_error() {
    let itself = vec![("f", "#include \"f\"\n".to_string())];
    expect!["`f` includes itself without end"].assert_eq(&first_error("#include \"f\"\n", itself));
    let fork = "#if __INCLUDE_LEVEL__ < 150\n#include \"f\"\n#include \"f\"\n#endif\n".to_string();
    expect!["too many files are included"].assert_eq(&first_error("#include \"f\"\n", vec![("f", fork)]));
}

#[test]
fn deep_input_does_not_overflow() {
    let n = 100_000;
    let (open, close) = ("(".repeat(n), ")".repeat(n));
    let fine = |input: String| assert_eq!(first_error(&input, Vec::new()), "none");
    fine(format!("#define F(x) x\nF({open}{close})\n"));
    fine(format!("#if {open}1{close}\n#endif\n"));
    fine(format!("#if {}1\n#endif\n", "!-~".repeat(n)));
    fine(format!("#if {}1{}\n#endif\n", "1 ? ".repeat(n), " : 0".repeat(n)));
    fine("#if 0\n".repeat(n) + &"#endif\n".repeat(n));
    fine(format!("#define F(x) x\n{}{}\n", "F(".repeat(1000), ")".repeat(1000)));
    fine(chain("?", n, "x"));
    let calls = format!("#define F(x) x\n{}{close}\n", "F(".repeat(n));
    expect!["macro calls are nested too deeply"].assert_eq(&first_error(&calls, Vec::new()));
}

#[test]
fn too_many_expansions_lose_only_detail() {
    let input = format!("#define N n\n{}", "N N N N N N N N N N N N N N N N\n".repeat(70_000));
    let (map, expanded, diagnostics) = run(&input, &Options::default(), Vec::new());
    assert!(diagnostics.is_empty());
    let last = expanded.text.rfind('n').expect("printed");
    let span = expanded.span(last, last + 1);
    assert_eq!(map.position(span).map(|p| (p.line, p.column)), Some((70_001, 31)));
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "#",
        "##",
        "define ",
        "include ",
        "if ",
        "endif",
        "elif ",
        "else",
        "F(",
        "(",
        ")",
        ",",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "\n",
        "\\\n",
        "\\",
        " ",
        "x",
        "F",
        "A",
        "#define F(a,...) a ## #a ",
        "#define A F",
        "__VA_ARGS__",
        "\0",
        "é",
        "\u{feff}",
        "\r\n",
        "1..",
        "0x",
        "'\\",
        "defined ",
        "?",
        ":",
        "%:",
        "<",
        "line 3",
        "\u{2028}",
    ];
    let mut seed = 1u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..30 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += pieces[(seed >> 33) as usize % pieces.len()];
        }
        let _ = run(&text, &Options::default(), vec![("x", "F(\n#if\n".to_string())]);
    }
}
