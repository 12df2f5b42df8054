//! What diagnostics look like.

use super::*;
use crate::{Expansion, ExpansionId};
use expect_test::{Expect, expect};

const MODEL: &str = "#define INC(v) v = v + step
byte turn;

inline enter(i) {
\tturn = i;
\tassert(trun == i)
}

active proctype P() {
\tINC(turn);
\tenter(1)
}
";

fn file() -> (SourceMap, crate::FileId) {
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml", MODEL);
    (map, file)
}

/// The `n`-th place (from 0) of `text` in the model.
fn find(map: &SourceMap, file: crate::FileId, text: &str, n: usize) -> Span {
    let (at, _) = map.text(file).match_indices(text).nth(n).expect("the text is there");
    map.span(file, at, at + text.len())
}

fn check(map: &SourceMap, d: &Diagnostic, expected: Expect) {
    expected.assert_eq(&to_string(map, d, false));
}

#[test]
fn label_notes_and_suggestion() {
    let (map, f) = file();
    let at = find(&map, f, "trun", 0);
    let d = Diagnostic::error("unknown-name", at, "unknown name `trun`")
        .label("not declared")
        .also(find(&map, f, "turn", 0), "a similar name is declared here")
        .note("names are looked up in the proctype first")
        .suggest(at, "turn", "did you mean `turn`?");
    check(
        &map,
        &d,
        expect![[r#"
            error[unknown-name]: unknown name `trun`
             --> m.pml:6:9
              |
            2 | byte turn;
              |      ---- a similar name is declared here
            ...
            6 |     assert(trun == i)
              |            ^^^^ not declared
              |
              = note: names are looked up in the proctype first
            help: did you mean `turn`?
              |
            6 -     assert(trun == i)
            6 +     assert(turn == i)
              |
        "#]],
    );
}

#[test]
fn macro_expansion() {
    let (mut map, f) = file();
    let call_site = find(&map, f, "INC(turn)", 0);
    let id = map.add_expansion(Expansion { kind: ExpansionKind::Macro, name: "INC".into(), call_site });
    let at = Span { expansion: id, ..find(&map, f, "step", 0) };
    let d = Diagnostic::error("unknown-name", at, "unknown name `step`").label("not declared");
    check(
        &map,
        &d,
        expect![[r#"
            error[unknown-name]: unknown name `step`
              --> m.pml:10:2
               |
            10 |     INC(turn);
               |     ^^^^^^^^^ not declared
               |
              ::: m.pml:1:24
               |
             1 | #define INC(v) v = v + step
               |                        ---- in the expansion of macro `INC`
        "#]],
    );
}

#[test]
fn inline_call() {
    let (mut map, f) = file();
    let call_site = find(&map, f, "enter(1)", 0);
    let id = map.add_expansion(Expansion { kind: ExpansionKind::Inline, name: "enter".into(), call_site });
    let at = Span { expansion: id, ..find(&map, f, "trun", 0) };
    let d = Diagnostic::error("unknown-name", at, "unknown name `trun`").suggest(at, "turn", "did you mean `turn`?");
    check(
        &map,
        &d,
        expect![[r#"
            error[unknown-name]: unknown name `trun`
              --> m.pml:6:9
               |
             6 |     assert(trun == i)
               |            ^^^^
            ...
            11 |     enter(1)
               |     -------- in this call of inline `enter`
               |
            help: did you mean `turn`?
               |
             6 -     assert(trun == i)
             6 +     assert(turn == i)
               |
        "#]],
    );
}

#[test]
fn far_places_and_other_files() {
    let mut map = SourceMap::new();
    let a = map.add_file("a.pml", format!("byte x;\n{}byte x;\n", "\n".repeat(30)));
    let b = map.add_file("b.pml", "bit x;\n");
    let d = Diagnostic::lint(Severity::Warning, "redeclared", map.span(a, 43, 44), "`x` is declared twice")
        .also(map.span(a, 5, 6), "first here")
        .also(map.span(b, 4, 5), "and here");
    check(
        &map,
        &d,
        expect![[r#"
            warning[redeclared]: `x` is declared twice
              --> a.pml:32:6
               |
            32 | byte x;
               |      ^
               |
              ::: a.pml:1:6
               |
             1 | byte x;
               |      - first here
               |
              ::: b.pml:1:5
               |
             1 | bit x;
               |     - and here
        "#]],
    );
}

#[test]
fn several_lines() {
    let (map, f) = file();
    let short = map.join(find(&map, f, "turn = i", 0), find(&map, f, "assert", 0));
    let d = Diagnostic::error("x", short, "two lines").label("all of this");
    check(
        &map,
        &d,
        expect![[r#"
            error[x]: two lines
             --> m.pml:5:2
              |
            5 | /     turn = i;
            6 | |     assert(trun == i)
              | |__________^ all of this
        "#]],
    );
    let long = map.span(f, 0, MODEL.len());
    check(
        &map,
        &Diagnostic::error("x", long, "the whole model"),
        expect![[r#"
            error[x]: the whole model
             --> m.pml:1:1
              |
            1 | #define INC(v) v = v + step
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn line_directives_are_respected() {
    let mut map = SourceMap::new();
    let f = map.add_file("m.pml", "a\nb\nc\n");
    map.set_presumed(f, 2, 70, Some("gen.pml".into()));
    let d = Diagnostic::error("x", map.span(f, 4, 5), "here").also(map.span(f, 0, 1), "there");
    check(
        &map,
        &d,
        expect![[r#"
            error[x]: here
              --> gen.pml:71:1
               |
            71 | c
               | ^
               |
              ::: m.pml:1:1
               |
             1 | a
               | - there
        "#]],
    );
}

#[test]
fn no_place_and_end_of_file() {
    let (map, f) = file();
    check(
        &map,
        &Diagnostic::error("x", Span::NONE, "nothing to show").note("really"),
        expect![[r#"
        error[x]: nothing to show
         |
         = note: really
    "#]],
    );
    let end = map.span(f, MODEL.len(), MODEL.len());
    check(
        &map,
        &Diagnostic::error("x", end, "unexpected end").label("expected `}`"),
        expect![[r#"
            error[x]: unexpected end
              --> m.pml:12:2
               |
            12 | }
               |  ^ expected `}`
        "#]],
    );
    let mut map = SourceMap::new();
    let f = map.add_file("empty.pml", "");
    check(
        &map,
        &Diagnostic::error("x", map.span(f, 0, 0), "no process"),
        expect![[r#"
            error[x]: no process
             --> empty.pml:1:1
              |
            1 |
              | ^
        "#]],
    );
}

#[test]
fn long_lines_are_cut() {
    let mut map = SourceMap::new();
    let f = map.add_file("m.pml", format!("{}bad{} far\n", "x = 1; ".repeat(50_000), "; y = 2".repeat(50_000)));
    let at = find(&map, f, "bad", 0);
    let d = Diagnostic::error("x", at, "here").label("this").also(find(&map, f, "far", 0), "and that");
    check(
        &map,
        &d,
        expect![[r#"
            error[x]: here
             --> m.pml:1:350001
              |
            1 | ... 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; bad; y = 2; y = 2; y = 2; y = 2; y = 2; y = 2; y = 2; y = 2; y = 2; y ...
              |                                                                ^^^ this
              |
              = note: and that (at m.pml:1:700005)
        "#]],
    );
}

#[test]
fn control_characters_do_not_get_through() {
    let mut map = SourceMap::new();
    let f = map.add_file("\x1b[2Jm.pml", "a\x1b[31m \u{9b}\u{202e} \0 é bad\r\n");
    let d = Diagnostic::error("x", find(&map, f, "bad", 0), "un\x1bknown \u{9b}")
        .label("\x07")
        .note("\x1b[0m")
        .suggest(find(&map, f, "bad", 0), "g\x1bood", "use \x1b");
    check(
        &map,
        &d,
        expect![[r#"
            error[x]: un␛known �
             --> ␛[2Jm.pml:1:15
              |
            1 | a␛[31m �� ␀ é bad
              |               ^^^ ␇
              |
              = note: ␛[0m
              = help: use ␛
        "#]],
    );
    let colored = to_string(&map, &d, true);
    assert!(!colored.contains("\x1b[31m \u{9b}") && !colored.contains("\x1b[2J"));
}

#[test]
fn deep_expansions_are_shortened() {
    let mut map = SourceMap::new();
    let f = map.add_file("m.pml", "A\n");
    let mut span = map.span(f, 0, 1);
    for i in 0..20 {
        let name = format!("M{i}").into();
        let id = map.add_expansion(Expansion { kind: ExpansionKind::Macro, name, call_site: span });
        span = Span { expansion: id, ..span };
    }
    check(
        &map,
        &Diagnostic::error("x", span, "deep"),
        expect![[r#"
            error[x]: deep
             --> m.pml:1:1
              |
            1 | A
              | ^
              | |
              | in the expansion of macro `M19`
              | in the expansion of macro `M18`
              | in the expansion of macro `M17`
              | in the expansion of macro `M16`
              | in the expansion of macro `M15`
              | in the expansion of macro `M0`
              |
              = note: 14 further expansions in between are not shown
        "#]],
    );
    assert_ne!(span.expansion, ExpansionId::NONE);
}

#[test]
fn spans_inside_characters_do_not_panic() {
    let mut map = SourceMap::new();
    let f = map.add_file("m.pml", "äöü\nß");
    let end = map.text(f).len();
    for lo in 0..=end {
        for hi in lo..=end + 3 {
            let d = Diagnostic::error("x", map.span(f, lo, hi), "m").suggest(map.span(f, lo, hi), "r", "s");
            assert!(to_string(&map, &d, false).contains("m.pml:"));
        }
    }
}
