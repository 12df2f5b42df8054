//! Tokens and messages of a toy language.

use super::{Cursor, Kind, Lexicon, Parsed, Token};
use crate::{FileId, SourceMap, render};
use expect_test::{Expect, expect};

const TOY: Lexicon = Lexicon { marks: &["->", "-", "(", ")", ",", ";", "{", "}"], has_texts: true, ..Lexicon::C_LIKE };

fn with_cursor<T>(text: &str, read: impl FnOnce(&mut Cursor<'_>) -> T) -> (T, String) {
    let mut map = SourceMap::new();
    let file: FileId = map.add_file("toy", text);
    let text = map.text(file).clone();
    let mut cursor = Cursor::new(&map, file, &text, &TOY);
    let result = read(&mut cursor);
    let said: Vec<String> = cursor.said.iter().map(|d| format!("{}: {}", place(&map, d.span), d.message)).collect();
    (result, said.join("\n"))
}

fn place(map: &SourceMap, span: crate::Span) -> String {
    map.position(span).map_or("nowhere".into(), |p| format!("{}:{}", p.line, p.column))
}

fn tokens(text: &str) -> String {
    let (list, said) = with_cursor(text, |cursor| {
        let mut list = Vec::new();
        while !cursor.is_at_end() {
            let Token { kind, text, .. } = cursor.bump();
            list.push(format!("{kind:?} {text}"));
        }
        list.join("\n")
    });
    format!("{list}\n{said}")
}

/// A tree of words: `a(b, c(d))`; its height.
fn tree(c: &mut Cursor<'_>) -> Parsed<u32> {
    c.deeper(|c| {
        c.word("a word")?;
        let below = if c.at("(") { c.list(["(", ",", ")"], tree)? } else { Vec::new() };
        Ok(1 + below.into_iter().max().unwrap_or(0))
    })
}

fn statements(text: &str) -> String {
    let (heights, said) = with_cursor(text, |c| {
        let mut heights = Vec::new();
        while !c.is_at_end() {
            match tree(c).and_then(|height| c.expect(";", "behind the tree").map(|_| height)) {
                Ok(height) => heights.push(height),
                Err(_) => {
                    c.skip_to(&[";"]);
                    c.bump();
                }
            }
        }
        heights
    });
    format!("{heights:?}\n{said}")
}

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn tokens_of_all_kinds() {
    check(
        &tokens("a->b_1 - 12x /* - */ \"t \\\" t\"// end\n{"),
        &expect![[r#"
            Word a
            Mark ->
            Word b_1
            Mark -
            Number 12
            Word x
            Text "t \" t"
            Mark {
        "#]],
    );
}

#[test]
fn what_is_no_token_is_told_once() {
    check(
        &tokens("a $ §§% b\u{202e}\n\"open\n/* c"),
        &expect![[r#"
            Word a
            Word b
            Text "open
            1:3: unknown character `$`
            1:5: 3 characters that mean nothing here
            1:10: unknown character `�`
            2:1: this text is never closed
            3:1: this comment is never closed"#]],
    );
}

#[test]
fn reading_goes_on_after_a_mistake() {
    check(
        &statements("a; b(c, d(e)); b(c d); { a; } ) x; y(; z"),
        &expect![[r#"
            [1, 3]
            1:20: expected `,` or `)`, found `d`
            1:24: expected a word, found `{`
            1:38: expected a word, found `;`
            1:41: expected `;` behind the tree, found the end of the file"#]],
    );
}

#[test]
fn nesting_and_errors_are_bounded() {
    let deep = format!("{}a{};", "a(".repeat(100_000), ")".repeat(100_000));
    check(
        &statements(&deep),
        &expect![[r#"
            []
            1:201: nested more than 100 levels deep"#]],
    );
    let many = statements(&"(;".repeat(100_000));
    assert_eq!(many.lines().count(), 52);
    assert!(many.ends_with("too many errors; the rest is not read"), "{many}");
}

#[test]
fn numbers_have_values() {
    let (number, said) =
        with_cursor("12 99999999999", |c| (c.number("a number").map(|n| n.0), c.number("a number").is_ok()));
    assert_eq!(number, (Ok(12), false));
    assert_eq!(said, "1:4: this number is too large");
}

#[test]
fn the_end_of_an_empty_file_has_a_place() {
    let mut map = SourceMap::new();
    let file = map.add_file("toy", "// nothing\n");
    let text = map.text(file).clone();
    let mut cursor = Cursor::new(&map, file, &text, &TOY);
    assert_eq!(cursor.peek().kind, Kind::End);
    cursor.unexpected("a protocol", "");
    let shown = render::to_string(&map, cursor.said.iter().next().expect("a message"), false);
    assert!(shown.contains("expected a protocol, found the end of the file"), "{shown}");
    assert!(shown.contains("toy:1"), "{shown}");
}
