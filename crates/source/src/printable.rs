//! Text that cannot steer a terminal.
//!
//! Names, strings and what a model prints come from whoever wrote the model. Sent as they are, escape sequences among them
//! could recolour, overwrite or hide what a report says, and controls of writing direction could reorder it (Boucher and
//! Anderson, "Trojan Source", 2021). So such characters are *shown*: an escape character as `␛`, one that has no picture as `�`.
//! One function decides for diagnostics, reports, simulations, replays, graphs and trails.

use std::borrow::Cow;
use std::fmt::Write;

/// What stands for a character that could move the cursor, reorder or hide text; `None` for one that is only shown. Newlines
/// and tabs are such characters as well: whoever lays text out lets them pass.
pub fn picture(c: char) -> Option<char> {
    match c {
        ' '..='~' => None,
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32),
        '\x7f' => Some('\u{2421}'),
        // C1 controls; the soft hyphen; marks, embeddings, overrides and isolates of direction; what has no width; separators of
        // lines; annotations; tags.
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some('\u{fffd}'),
        _ => None,
    }
}

fn needs_picture(c: char) -> bool {
    !matches!(c, '\n' | '\t') && picture(c).is_some()
}

/// A text of several lines as it may go to a terminal: newlines and tabs stay, everything else that is no more than shown
/// has a picture.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(needs_picture) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if needs_picture(c) { picture(c).unwrap_or(c) } else { c };
    Cow::Owned(text.chars().map(shown).collect())
}

/// A name as it may stand in a line of text: newlines and tabs have pictures, too.
pub fn printable_line(name: &str) -> String {
    name.chars().map(|c| picture(c).unwrap_or(c)).collect()
}

/// JSON that means the same and may go to a terminal: such characters can stand in strings only, where they are escaped.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(needs_picture) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if needs_picture(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown() {
        assert_eq!(printable("a\x1b[31mb\x07\r\n\tc\x7f"), "a␛[31mb␇␍\n\tc␡");
        assert_eq!(printable("\u{9b}2J \u{202e}abc\u{2066} \u{200b}\u{feff}\u{e0041}\u{61c}"), "�2J �abc� ����");
        assert_eq!(printable_line("a\nb\t\x1b.pml"), "a␊b␉␛.pml");
        assert!(matches!(printable("plain: ä → 漢字 🦀\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_says_the_same() {
        assert_eq!(
            printable_json("{\n\t\"a\u{9b}\": \"\u{202e}\u{e0041}\x7f\"}"),
            "{\n\t\"a\\u009b\": \"\\u202e\\udb40\\udc41\\u007f\"}"
        );
        assert!(matches!(printable_json("{}\n"), Cow::Borrowed(_)));
    }
}
