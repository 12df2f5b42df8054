//! Formulas as text in SPIN's syntax.
//!
//! Every binary operator below another operator gets parentheses, so that all dialects read the text alike, and
//! reading it again gives the same formula. What a dialect has no spelling for is written with other operators.

use crate::{Atoms, Dialect, Formula, Formulas, Node};

enum Piece {
    Text(&'static str),
    Formula(Formula),
    /// A formula that needs parentheses if it has a binary operator on top.
    Operand(Formula),
}

/// Writes a formula. Texts of propositions are wrapped in parentheses, braces or quotation marks where needed.
pub fn print(formulas: &Formulas, f: Formula, atoms: &Atoms, dialect: Dialect) -> String {
    print_with(formulas, f, dialect, |id| atoms.spell(id, dialect))
}

/// Writes a formula whose propositions are spelled by `spell`; the spelling must be able to stand as an operand.
pub fn print_with(
    formulas: &Formulas,
    f: Formula,
    dialect: Dialect,
    mut spell: impl FnMut(crate::AtomId) -> String,
) -> String {
    let mut out = String::new();
    let mut stack = vec![Piece::Formula(f)];
    while let Some(piece) = stack.pop() {
        let f = match piece {
            Piece::Text(t) => {
                out.push_str(t);
                continue;
            }
            Piece::Operand(f) if is_binary(formulas.node(f), dialect) => {
                out.push('(');
                stack.push(Piece::Text(")"));
                f
            }
            Piece::Operand(f) | Piece::Formula(f) => f,
        };
        let mut pieces: Vec<Piece> = Vec::new();
        match formulas.node(f) {
            Node::True => out.push_str("true"),
            Node::False => out.push_str("false"),
            Node::Atom(id) => out.push_str(&spell(id)),
            Node::Not(g) => pieces.extend([Piece::Text("!"), Piece::Operand(g)]),
            Node::Next(g) => pieces.extend([Piece::Text("X "), Piece::Operand(g)]),
            Node::Eventually(g) => pieces.extend([Piece::Text("<>"), Piece::Operand(g)]),
            Node::Always(g) => pieces.extend([Piece::Text("[]"), Piece::Operand(g)]),
            Node::And(list) => infix(&mut pieces, " && ", list),
            Node::Or(list) => infix(&mut pieces, " || ", list),
            Node::Implies(g, h) => infix(&mut pieces, " -> ", &[g, h]),
            Node::Iff(g, h) => infix(&mut pieces, " <-> ", &[g, h]),
            Node::Xor(g, h) if dialect == Dialect::Project => infix(&mut pieces, " xor ", &[g, h]),
            Node::Xor(g, h) => {
                pieces.push(Piece::Text("!("));
                infix(&mut pieces, " <-> ", &[g, h]);
                pieces.push(Piece::Text(")"));
            }
            Node::Until(g, h) => infix(&mut pieces, " U ", &[g, h]),
            Node::Release(g, h) => infix(&mut pieces, " V ", &[g, h]),
            // `g W h` is `h V (g || h)`, and `g M h` is `h U (g && h)`.
            Node::WeakUntil(g, h) if dialect == Dialect::SpinF => rewritten(&mut pieces, h, " V (", g, " || ", h),
            Node::WeakUntil(g, h) => infix(&mut pieces, " W ", &[g, h]),
            Node::StrongRelease(g, h) if dialect == Dialect::Project => infix(&mut pieces, " M ", &[g, h]),
            Node::StrongRelease(g, h) => rewritten(&mut pieces, h, " U (", g, " && ", h),
        }
        stack.extend(pieces.into_iter().rev());
    }
    out
}

fn infix(pieces: &mut Vec<Piece>, op: &'static str, list: &[Formula]) {
    for (i, &f) in list.iter().enumerate() {
        if i > 0 {
            pieces.push(Piece::Text(op));
        }
        pieces.push(Piece::Operand(f));
    }
}

fn rewritten(pieces: &mut Vec<Piece>, a: Formula, op: &'static str, b: Formula, join: &'static str, c: Formula) {
    pieces.extend([Piece::Operand(a), Piece::Text(op), Piece::Operand(b), Piece::Text(join), Piece::Operand(c)]);
    pieces.push(Piece::Text(")"));
}

fn is_binary(node: Node<'_>, dialect: Dialect) -> bool {
    match node {
        Node::True | Node::False | Node::Atom(_) => false,
        Node::Not(_) | Node::Next(_) | Node::Eventually(_) | Node::Always(_) => false,
        Node::Xor(..) => dialect == Dialect::Project,
        _ => true,
    }
}
