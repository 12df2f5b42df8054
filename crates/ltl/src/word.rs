//! Ultimately periodic words as text: `p; -; q && r; (p; !p && q)*`.
//!
//! Letters are separated by semicolons. A letter is a conjunction of literals; propositions that it does not name are
//! false, and `-` is the letter in which nothing holds. What repeats stands in `( .. )*` or, as Spot writes it, in
//! `cycle{ .. }`. Without such a part the last letter repeats for ever, as the last state of a run that ends does.

use crate::{AtomId, Atoms, Dialect, Flags, Formulas, Labels, Lasso, parse};
use ferrospin_source::{Diagnostic, Diagnostics, ExpansionId, Span};

/// Letters that one text may have.
const LETTERS_MAX: usize = 100_000;

/// Reads a word; `base` is the position of its first byte in the source map. Propositions that are new are added.
pub fn read_word(text: &str, base: u32, dialect: Dialect, atoms: &mut Atoms) -> (Option<Lasso>, Diagnostics) {
    let mut said = Diagnostics::default();
    match read(text, base, dialect, atoms, &mut said) {
        Ok(word) if !said.has_errors() => (Some(word), said),
        Ok(_) => (None, said),
        Err(error) => {
            said.push(*error);
            (None, said)
        }
    }
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

fn read(text: &str, base: u32, dialect: Dialect, atoms: &mut Atoms, said: &mut Diagnostics) -> Result<Lasso> {
    let error = |lo: usize, hi: usize, message: &str| {
        let span = Span { lo: base + lo as u32, hi: base + hi as u32, expansion: ExpansionId::NONE };
        Box::new(Diagnostic::error("ltl-word", span, message))
    };
    let (stem, cycle) = split(text).map_err(|at| error(at, text.len(), "this is no cycle: nothing opens it"))?;
    let mut letters = |range: std::ops::Range<usize>| -> Result<Vec<Vec<AtomId>>> {
        let mut list = Vec::new();
        let mut lo = range.start;
        for piece in text[range.clone()].split(';') {
            let hi = lo + piece.len();
            if list.len() >= LETTERS_MAX {
                return Err(error(lo, hi, "the word has too many letters"));
            }
            let trimmed = piece.trim();
            match trimmed {
                // A semicolon may also end a part.
                "" if hi == range.end => {}
                "" => {
                    return Err(error(lo, hi.max(lo + 1).min(text.len()), "a letter is missing; `-` is the empty one"));
                }
                "-" => list.push(Vec::new()),
                _ => match letter(piece, base + lo as u32, dialect, atoms, said) {
                    Some(letter) => list.push(letter),
                    None if said.has_errors() => {}
                    None => return Err(error(lo, hi, "a letter is a conjunction of propositions and their negations")),
                },
            }
            lo = hi + 1;
        }
        Ok(list)
    };
    let mut stem_letters = letters(stem)?;
    let cycle_letters = match cycle {
        Some(range) => letters(range)?,
        None => stem_letters.pop().into_iter().collect(),
    };
    if cycle_letters.is_empty() && !said.has_errors() {
        return Err(error(0, text.len(), "the word has no letter that could repeat"));
    }
    Ok(Lasso { stem: stem_letters, cycle: cycle_letters })
}

/// The ranges of stem and cycle; an error is the position of a closing part that nothing opens.
fn split(text: &str) -> std::result::Result<(std::ops::Range<usize>, Option<std::ops::Range<usize>>), usize> {
    let end = text.trim_end().len();
    let whole = &text[..end];
    let (inner_end, open, close) = if let Some(rest) = whole.strip_suffix('*').map(str::trim_end) {
        match rest.strip_suffix(')') {
            Some(inner) => (inner.len(), '(', ')'),
            None => return Err(end - 1),
        }
    } else if whole.contains("cycle") && whole.ends_with('}') {
        (end - 1, '{', '}')
    } else {
        return Ok((0..end, None));
    };
    let mut depth = 1usize;
    for (at, c) in whole[..inner_end].char_indices().rev() {
        if c == close {
            depth += 1;
        } else if c == open {
            depth -= 1;
        }
        if depth == 0 {
            let before = whole[..at].trim_end();
            let stem = if open == '{' { before.strip_suffix("cycle").ok_or(at)?.trim_end() } else { before };
            let stem_ends = stem.is_empty() || stem.ends_with(';');
            return if stem_ends { Ok((0..stem.len(), Some(at + 1..inner_end))) } else { Err(at) };
        }
    }
    Err(inner_end)
}

/// The propositions that a letter names as true; `None` if it is no conjunction of literals.
fn letter(text: &str, base: u32, dialect: Dialect, atoms: &mut Atoms, said: &mut Diagnostics) -> Option<Vec<AtomId>> {
    let (mut formulas, mut labels) = (Formulas::new(), Labels::new());
    let (f, diagnostics) = parse(text, base, dialect, &mut formulas, atoms);
    said.extend(diagnostics);
    let f = f.filter(|&f| formulas.is(f, Flags::BOOLEAN))?;
    let label = labels.of_formula(&formulas, f)?;
    match &labels.cover(label)[..] {
        [cube] => Some(cube.iter().filter(|l| l.1).map(|l| l.0).collect()),
        _ => None,
    }
}

/// Writes a word as [`read_word`] reads it.
pub fn print_word(word: &Lasso, atoms: &Atoms, dialect: Dialect) -> String {
    let letters = |list: &[Vec<AtomId>]| {
        let letter = |letter: &Vec<AtomId>| match &letter[..] {
            [] => "-".to_owned(),
            list => list.iter().map(|&a| atoms.spell(a, dialect)).collect::<Vec<_>>().join(" && "),
        };
        list.iter().map(letter).collect::<Vec<_>>().join("; ")
    };
    let stem = if word.stem.is_empty() { String::new() } else { letters(&word.stem) + "; " };
    format!("{stem}({})*", letters(&word.cycle))
}
