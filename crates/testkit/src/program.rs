//! A program as a tree of text, and its shrinking.
//!
//! The tree knows nothing of Promela beyond what may be left out, so that shrinking is simple: drop a line, drop an
//! option, replace a construct by what it holds. What is no longer valid then is thrown away by whoever asks whether
//! the smaller program still fails.

/// A piece of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A statement, declaration or whole line.
    Line(String),
    /// `open mark part mark part ... close`; each part is a sequence. A mark that closes a brace stands only between parts.
    Group {
        /// Text in front.
        open: String,
        /// Text in front of each part, such as `::`.
        mark: String,
        /// The parts.
        parts: Vec<Vec<Item>>,
        /// Text behind.
        close: String,
        /// Fewest parts that make sense.
        least: usize,
    },
}

/// A program with the seed it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its pieces.
    pub items: Vec<Item>,
}

impl Sample {
    /// The program as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        write_items(&self.items, 0, &mut out);
        out
    }

    /// All programs that lack one piece, largest pieces first.
    pub fn smaller(&self) -> Vec<Sample> {
        let mut out: Vec<Sample> = shrunk(&self.items).into_iter().map(|items| Sample { items }).collect();
        out.sort_by_key(|s| s.text().len());
        out
    }
}

/// The smallest program found by leaving out pieces while `fails` says that it still does.
pub fn shrink(sample: &Sample, fails: &mut dyn FnMut(&Sample) -> bool) -> Sample {
    let mut best = sample.clone();
    while let Some(next) = best.smaller().into_iter().find(|s| s != &best && fails(s)) {
        best = next;
    }
    best
}

fn write_items(items: &[Item], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for (i, item) in items.iter().enumerate() {
        let end = if i + 1 < items.len() { ";\n" } else { "\n" };
        match item {
            Item::Line(text) => {
                out.push_str(&format!("{indent}{text}{}", if depth == 0 { "\n" } else { end }));
            }
            Item::Group { open, mark, parts, close, .. } => {
                out.push_str(&format!("{indent}{open}\n"));
                for (k, p) in parts.iter().enumerate() {
                    if !mark.is_empty() && (k > 0 || !mark.starts_with('}')) {
                        out.push_str(&format!("{indent}{mark}\n"));
                    }
                    write_items(p, depth + 1, out);
                }
                out.push_str(&format!("{indent}{close}{}", if depth == 0 { "\n" } else { end }));
            }
        }
    }
}

/// What opens a unit of a program.
const UNITS: [&str; 6] = ["proctype", "init {", "inline", "never", "trace {", "typedef"];

/// Sequences with one piece less.
fn shrunk(items: &[Item]) -> Vec<Vec<Item>> {
    let mut out = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let with = |middle: &[Item]| [&items[..i], middle, &items[i + 1..]].concat();
        if items.len() > 1 {
            out.push(with(&[]));
        }
        if let Item::Group { open, mark, parts, close, least } = item {
            let group = |parts: Vec<Vec<Item>>| Item::Group {
                open: open.clone(),
                mark: mark.clone(),
                parts,
                close: close.clone(),
                least: *least,
            };
            // Top-level groups are processes, whose contents cannot stand alone.
            if !UNITS.iter().any(|u| open.contains(u)) {
                out.extend(parts.iter().map(|p| with(p)));
            }
            for (k, part) in parts.iter().enumerate() {
                if parts.len() > *least {
                    let mut fewer = parts.clone();
                    fewer.remove(k);
                    out.push(with(&[group(fewer)]));
                }
                for smaller in shrunk(part) {
                    let mut changed = parts.clone();
                    changed[k] = smaller;
                    out.push(with(&[group(changed)]));
                }
            }
        }
    }
    out
}
