//! Formulas that tell graphs apart: Hennessy-Milner logic with the modalities that suit each notion of equivalence.
//!
//! | notion | modality | text |
//! |---|---|---|
//! | strong | some edge with this label leads to φ | `<"a"> φ` |
//! | weak | some internal steps, the label, internal steps again, then φ | `<<"a">> φ`, `<<tau>> φ` |
//! | branching, stuttering | internal steps through ψ, then the label leads to φ; or then φ holds | `E(ψ U <"a"> φ)`, `E(ψ U φ)` |
//! | with divergence | internal steps for ever, ψ all the way | `EG ψ` |
//!
//! A formula is a list of nodes that refer to earlier ones, so that what occurs often is kept and looked at once.

use std::fmt::{self, Write};

/// A node of a formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A text of a formula: a label or a proposition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextId(pub u32);

/// One node. `None` as a label is the internal action.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Holds everywhere.
    True,
    /// Holds where the proposition does.
    Proposition(TextId),
    /// Holds where the other does not.
    Not(NodeId),
    /// Holds where all do.
    And(Vec<NodeId>),
    /// Some edge with the label leads to where the other holds.
    Diamond(Option<TextId>, NodeId),
    /// The same, internal steps before and behind not counted; for the internal action, none or some internal steps.
    WeakDiamond(Option<TextId>, NodeId),
    /// Internal steps through states where `before` holds lead to one where it holds and an edge with the label leads to `after`; for
    /// the internal action, to one where `after` holds.
    Until {
        /// Holds all the way.
        before: NodeId,
        /// The label at the end.
        label: Option<TextId>,
        /// Holds at the end.
        after: NodeId,
    },
    /// Internal steps go on for ever through states where the other holds.
    Forever(NodeId),
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The nodes, each behind those that it refers to. The last is the formula.
    pub nodes: Vec<Node>,
    /// Labels and propositions.
    pub texts: Vec<Box<str>>,
}

impl Formula {
    /// The node that is the formula.
    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The nodes that one refers to.
    pub fn children(&self, node: NodeId) -> Vec<NodeId> {
        match &self.nodes[node.0 as usize] {
            Node::True | Node::Proposition(_) => Vec::new(),
            Node::Not(f) | Node::Diamond(_, f) | Node::WeakDiamond(_, f) | Node::Forever(f) => vec![*f],
            Node::And(list) => list.clone(),
            Node::Until { before, after, .. } => vec![*before, *after],
        }
    }
}

/// Formulas with at most this many nodes are printed on one line.
const SHORT: u64 = 60;
/// Equations of longer ones are nested so deep at most.
const DEEP: u32 = 12;

/// Short formulas on one line; long ones as equations: `X3 = ...`, the formula itself last.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.nodes.len());
        let mut uses = vec![0u32; self.nodes.len()];
        for i in 0..self.nodes.len() {
            let mut size = 1u64;
            for child in self.children(NodeId(i as u32)) {
                size = size.saturating_add(sizes[child.0 as usize]);
                uses[child.0 as usize] += 1;
            }
            sizes.push(size);
        }
        let short = sizes.last().is_some_and(|s| *s <= SHORT);
        let mut heights = vec![0u32; self.nodes.len()];
        let mut named = vec![false; self.nodes.len()];
        for i in 0..self.nodes.len() {
            let children = self.children(NodeId(i as u32));
            let height = children.iter().map(|c| heights[c.0 as usize] + 1).max().unwrap_or(0);
            named[i] = !short && !children.is_empty() && (uses[i] > 1 && sizes[i] > 3 || height >= DEEP);
            heights[i] = if named[i] { 0 } else { height };
        }
        let root = self.root();
        named[root.0 as usize] = false;
        let printer = Printer { formula: self, named: &named };
        for (i, is_named) in named.iter().enumerate() {
            if *is_named {
                let mut line = format!("X{i} = ");
                printer.node(NodeId(i as u32), true, &mut line)?;
                writeln!(f, "{line}")?;
            }
        }
        let mut line = String::new();
        printer.node(root, true, &mut line)?;
        f.write_str(&line)
    }
}

struct Printer<'a> {
    formula: &'a Formula,
    named: &'a [bool],
}

impl Printer<'_> {
    fn label(&self, label: Option<TextId>) -> String {
        label.map_or("tau".into(), |text| format!("\"{}\"", self.formula.texts[text.0 as usize]))
    }

    fn is_true(&self, node: NodeId) -> bool {
        self.formula.nodes[node.0 as usize] == Node::True
    }

    /// An operand of `<a>`, `!`, ...
    fn operand(&self, node: NodeId, out: &mut String) -> fmt::Result {
        let is_list = matches!(self.formula.nodes[node.0 as usize], Node::And(_)) && !self.named[node.0 as usize];
        if !is_list {
            return self.node(node, false, out);
        }
        out.push('(');
        self.node(node, false, out)?;
        out.push(')');
        Ok(())
    }

    fn node(&self, node: NodeId, define: bool, out: &mut String) -> fmt::Result {
        if self.named[node.0 as usize] && !define {
            return write!(out, "X{}", node.0);
        }
        match &self.formula.nodes[node.0 as usize] {
            Node::True => out.push_str("true"),
            Node::Proposition(text) => out.push_str(&self.formula.texts[text.0 as usize]),
            Node::Not(f) => {
                out.push('!');
                self.operand(*f, out)?;
            }
            Node::And(list) => {
                for (i, f) in list.iter().enumerate() {
                    out.push_str(if i > 0 { " && " } else { "" });
                    self.operand(*f, out)?;
                }
            }
            Node::Diamond(label, f) => {
                write!(out, "<{}> ", self.label(*label))?;
                self.operand(*f, out)?;
            }
            Node::WeakDiamond(label, f) => {
                write!(out, "<<{}>> ", self.label(*label))?;
                self.operand(*f, out)?;
            }
            Node::Until { before, label, after } => {
                let anywhere = self.is_true(*before);
                if anywhere {
                    out.push_str("EF ");
                } else {
                    out.push_str("E(");
                    self.operand(*before, out)?;
                    out.push_str(" U ");
                }
                if label.is_some() {
                    write!(out, "<{}> ", self.label(*label))?;
                }
                self.operand(*after, out)?;
                out.push_str(if anywhere { "" } else { ")" });
            }
            Node::Forever(f) => {
                out.push_str("EG ");
                self.operand(*f, out)?;
            }
        }
        Ok(())
    }
}
