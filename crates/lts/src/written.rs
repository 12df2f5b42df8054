//! Formulas as lines that can be read again: one for each node, which refers to earlier ones by their numbers.
//!
//! ```text
//! true | prop "p" | not 3 | and 1 2 | diamond 2 "a" | weak 2 "a" | until 1 2 "a" | forever 1
//! ```
//!
//! Without a text the internal action is meant. The last line is the formula.

use crate::formula::{Formula, Node, NodeId, TextId};
use thiserror::Error;

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of the formula is none: `{text}`")]
pub struct BadLine {
    /// From 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

/// The lines of a formula.
pub fn write(formula: &Formula) -> Vec<String> {
    let text = |t: &TextId| format!(" \"{}\"", formula.texts[t.0 as usize]);
    let label = |l: &Option<TextId>| l.as_ref().map_or(String::new(), text);
    let line = |node: &Node| match node {
        Node::True => "true".to_owned(),
        Node::Proposition(p) => format!("prop{}", text(p)),
        Node::Not(f) => format!("not {}", f.0),
        Node::And(list) => list.iter().fold("and".to_owned(), |line, f| format!("{line} {}", f.0)),
        Node::Diamond(l, f) => format!("diamond {}{}", f.0, label(l)),
        Node::WeakDiamond(l, f) => format!("weak {}{}", f.0, label(l)),
        Node::Until { before, label: l, after } => format!("until {} {}{}", before.0, after.0, label(l)),
        Node::Forever(f) => format!("forever {}", f.0),
    };
    formula.nodes.iter().map(line).collect()
}

/// The formula of lines.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Formula, BadLine> {
    let mut formula = Formula { nodes: Vec::new(), texts: Vec::new() };
    for (i, line) in lines.into_iter().enumerate() {
        let bad = || BadLine { line: i + 1, text: line.to_owned() };
        let node = node(line, &mut formula).ok_or_else(bad)?;
        formula.nodes.push(node);
    }
    if formula.nodes.is_empty() { Err(BadLine { line: 1, text: String::new() }) } else { Ok(formula) }
}

fn node(line: &str, formula: &mut Formula) -> Option<Node> {
    let (head, text) = match line.split_once('"') {
        Some((head, rest)) => (head, Some(rest.strip_suffix('"')?)),
        None => (line, None),
    };
    let mut words = head.split_whitespace();
    let op = words.next()?;
    let earlier = |word: &str| word.parse().ok().filter(|n| (*n as usize) < formula.nodes.len()).map(NodeId);
    let operands: Vec<NodeId> = words.map(earlier).collect::<Option<_>>()?;
    let next = TextId(formula.texts.len() as u32);
    let label = text.map(|_| next);
    let node = match (op, &operands[..], label) {
        ("true", [], None) => Node::True,
        ("prop", [], Some(p)) => Node::Proposition(p),
        ("not", [f], None) => Node::Not(*f),
        ("and", list, None) => Node::And(list.to_vec()),
        ("diamond", [f], label) => Node::Diamond(label, *f),
        ("weak", [f], label) => Node::WeakDiamond(label, *f),
        ("until", [before, after], label) => Node::Until { before: *before, label, after: *after },
        ("forever", [f], None) => Node::Forever(*f),
        _ => return None,
    };
    formula.texts.extend(text.map(Box::from));
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_as_they_were_written() {
        let lines = [
            "true",
            "prop \"x=1\"",
            "not 1",
            "and 0 2",
            "diamond 3 \"a \"b\"\"",
            "weak 4",
            "until 0 5 \"c\"",
            "forever 6",
        ];
        let formula = read(lines).expect("they are good");
        assert_eq!(write(&formula), lines);
        for bad in ["", "true 0", "not 7", "prop", "and x", "diamond", "until 0", "forever 0 \"a\"", "prop \"x"] {
            assert!(read(["true", bad]).is_err(), "{bad}");
        }
        assert!(read([]).is_err());
    }
}
