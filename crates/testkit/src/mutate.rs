//! Models with a few edits: for what must answer any input, however odd.

use crate::random::Random;
use std::path::Path;

const TOKENS: &str = "
    active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan D_proctype d_step do else empty
    enabled eval false fi for full get_priority goto hidden if in init inline int len local ltl mtype nempty never nfull
    notrace np_ od of pc_value pid printf printm priority proctype provided return run select set_priority short show
    skip STDIN timeout trace true typedef unless unsigned xr xs _ _pid _last _nr_pr _nr_qs _priority
    always eventually until weakuntil stronguntil release next implies equivalent not U W V X
    a b c x y P Q L end accept progress main 0 1 2 255 256 4294967296 99999999999999999999 'a' '\\n' \"s\" \"%d %e\\n\"
    ( ) [ ] { } ; : :: , . .. -> <-> => @ = == != < > <= >= << >> + - * / % & | ^ ~ ! !! ? ?? ++ -- && || /\\ \\/ [] <>
    ?[ ??[ ?< ??< // /* */ # ## #define #undef #include #if #ifdef #ifndef #elif #else #endif #error #line defined
    __VA_ARGS__ ... \\ \" ' ` $ é 漢 \u{0} \u{7f}
";

/// Numbers that make a search long, and numbers at and beyond the ends of ranges.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "5",
    "8",
    "12",
    "20",
    "30",
    "40",
    "63",
    "127",
    "254",
    "255",
    "256",
    "32767",
    "65535",
    "1000000",
    "1073741823",
    "2147483647",
    "4294967295",
    "99999999999999999999",
];

/// The most that one edit adds: models stay small enough that a great number of them can be tried.
const REPEATED_CHARS_MAX: usize = 200_000;

/// Words and signs of Promela, and some that are none.
pub fn tokens() -> Vec<&'static str> {
    TOKENS.split_whitespace().collect()
}

/// The texts of all models in a folder and in those below it, in the order of their names.
///
/// # Panics
/// Panics when the folder cannot be read.
pub fn models_in(dir: &Path) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>())
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    paths.sort();
    let mut models = Vec::new();
    for path in paths {
        if path.is_dir() {
            models.append(&mut models_in(&path));
        } else if path.extension().is_some_and(|e| e == "pml") {
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            models.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    models
}

/// Splits into words, runs of white space and single other characters.
fn pieces(text: &str) -> Vec<String> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut last = 2;
    for c in text.chars() {
        match pieces.last_mut() {
            Some(piece) if class(c) == last && last != 2 => piece.push(c),
            _ => pieces.push(c.into()),
        }
        last = class(c);
    }
    pieces
}

/// One of the models with one to four edits: pieces that go, come twice, change their places or come from another model.
pub fn mutate(random: &mut Random, models: &[String], tokens: &[&str]) -> String {
    let mut text = pieces(random.pick(models).as_str());
    for _ in 0..=random.below(4) {
        if text.is_empty() {
            break;
        }
        let at = random.below(text.len());
        let end = (at + 1 + random.below(12)).min(text.len());
        match random.below(8) {
            0 => drop(text.drain(at..end)),
            1 => {
                let copy = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, copy);
            }
            2 => text[at] = (*random.pick(tokens)).to_owned(),
            3 => text.insert(at, (*random.pick(tokens)).to_owned()),
            4 => {
                let other = random.below(text.len());
                text.swap(at, other);
            }
            5 => text.truncate(at),
            6 => {
                let other = pieces(random.pick(models).as_str());
                let from = random.below(other.len().max(1));
                let to = (from + random.below(60)).min(other.len());
                text.splice(at..at, other[from..to].to_vec());
            }
            _ => text[at] = char::from(random.next() as u8).to_string(),
        }
    }
    text.concat()
}

/// One of the models with edits that mostly leave it a model, but one that asks for much: other numbers, pieces that come
/// a thousand times, and few of the edits of [`mutate`].
pub fn inflate(random: &mut Random, models: &[String], tokens: &[&str]) -> String {
    let mut text =
        if random.chance(15) { pieces(&mutate(random, models, tokens)) } else { pieces(random.pick(models).as_str()) };
    for _ in 0..=random.below(3) {
        let is_number = |piece: &&String| piece.bytes().all(|b| b.is_ascii_digit());
        let numbers: Vec<usize> = (0..text.len()).filter(|i| is_number(&&text[*i])).collect();
        if random.chance(75) && !numbers.is_empty() {
            text[*random.pick(&numbers)] = (*random.pick(&NUMBERS)).to_owned();
        } else if !text.is_empty() {
            // Mostly whole statements, so that the rest can still be read.
            let ends: Vec<usize> = (0..text.len()).filter(|i| text[*i] == ";").collect();
            let (from, to) = if random.chance(70) && ends.len() > 1 {
                let first = random.below(ends.len() - 1);
                (ends[first] + 1, ends[first + 1] + 1)
            } else {
                let at = random.below(text.len());
                (at, (at + 1 + random.below(12)).min(text.len()))
            };
            let copy = text[from..to].concat();
            let times = (1_usize << random.below(12)).min(REPEATED_CHARS_MAX / copy.len().max(1));
            text.insert(to, copy.repeat(times));
        }
    }
    text.concat()
}
