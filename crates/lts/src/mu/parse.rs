//! Reading formulas of the mu-calculus.

use super::{Action, Mu, MuId, MuNode};
use thiserror::Error;

/// What is wrong with a formula, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{column}: {what}")]
pub struct MuError {
    /// In characters, from 1.
    pub column: usize,
    /// In a sentence.
    pub what: String,
}

/// A formula as it is written.
enum Tree {
    Constant(bool),
    Proposition(String),
    Variable(String, usize),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Diamond(Action, Box<Tree>),
    Box(Action, Box<Tree>),
    Fixpoint { least: bool, name: String, of: Box<Tree>, column: usize },
}

/// Brackets, negations and the like may be so deep.
const DEPTH_MAX: usize = 500;

/// Reads a formula.
pub fn parse(text: &str) -> Result<Mu, MuError> {
    let mut parser = Parser { text: text.chars().collect(), at: 0, depth: 0 };
    let tree = parser.formula()?;
    parser.skip();
    if parser.at < parser.text.len() {
        return Err(parser.error("expected the end of the formula"));
    }
    let mut builder = Builder { nodes: Vec::new(), scope: Vec::new() };
    let root = builder.build(&tree, true)?;
    Ok(Mu { nodes: builder.nodes, root })
}

/// `E(f U g)` or, on all ways, `A(f U g)`. A way may end, and must have reached g by then.
fn until(all: bool, f: Tree, g: Tree, column: usize) -> Tree {
    let x = || Box::new(Tree::Variable(HIDDEN.into(), column));
    let some = |f| Tree::Diamond(Action::Any, Box::new(f));
    let next = match all {
        false => Tree::Diamond(Action::Any, x()),
        true => Tree::And(Box::new(some(Tree::Constant(true))), Box::new(Tree::Box(Action::Any, x()))),
    };
    let go_on = Tree::And(Box::new(f), Box::new(next));
    let of = Box::new(Tree::Or(Box::new(g), Box::new(go_on)));
    Tree::Fixpoint { least: true, name: HIDDEN.into(), of, column }
}

/// `EG f` or `AG f`. A way may end.
fn globally(all: bool, f: Tree, column: usize) -> Tree {
    let x = || Box::new(Tree::Variable(HIDDEN.into(), column));
    let end = Tree::Box(Action::Any, Box::new(Tree::Constant(false)));
    let next = match all {
        false => Tree::Or(Box::new(Tree::Diamond(Action::Any, x())), Box::new(end)),
        true => Tree::Box(Action::Any, x()),
    };
    let of = Box::new(Tree::And(Box::new(f), Box::new(next)));
    Tree::Fixpoint { least: false, name: HIDDEN.into(), of, column }
}

/// A variable that has no name in the text. It never stands inside another's operand, because operands come with their own scope
/// closed.
const HIDDEN: &str = "";

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn error(&self, what: impl Into<String>) -> MuError {
        MuError { column: self.at + 1, what: what.into() }
    }

    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn takes(&mut self, token: &str) -> bool {
        self.skip();
        let is_here = token.chars().enumerate().all(|(i, c)| self.text.get(self.at + i) == Some(&c));
        if is_here {
            self.at += token.chars().count();
        }
        is_here
    }

    fn expect(&mut self, token: &str) -> Result<(), MuError> {
        if self.takes(token) { Ok(()) } else { Err(self.error(format!("expected `{token}`"))) }
    }

    fn word(&mut self) -> Option<String> {
        self.skip();
        let start = self.at;
        let is_part = |c: &char, first: bool| c.is_alphabetic() || *c == '_' || !first && c.is_ascii_digit();
        while self.text.get(self.at).is_some_and(|c| is_part(c, self.at == start)) {
            self.at += 1;
        }
        (self.at > start).then(|| self.text[start..self.at].iter().collect())
    }

    /// The text up to a closing character.
    fn until(&mut self, close: char) -> Result<String, MuError> {
        let start = self.at;
        match self.text[start..].iter().position(|c| *c == close) {
            Some(len) => {
                self.at = start + len + 1;
                Ok(self.text[start..start + len].iter().collect())
            }
            None => Err(MuError { column: start, what: format!("there is no closing `{close}`") }),
        }
    }

    fn formula(&mut self) -> Result<Tree, MuError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(format!("more than {DEPTH_MAX} levels of nesting")));
        }
        let mut left = self.disjunction()?;
        if self.takes("->") {
            let right = self.formula()?;
            left = Tree::Or(Box::new(Tree::Not(Box::new(left))), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn disjunction(&mut self) -> Result<Tree, MuError> {
        let mut left = self.conjunction()?;
        while self.takes("||") {
            left = Tree::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Tree, MuError> {
        let mut left = self.unary()?;
        while self.takes("&&") {
            left = Tree::And(Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, MuError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(format!("more than {DEPTH_MAX} levels of nesting")));
        }
        let tree = self.prefix()?;
        self.depth -= 1;
        Ok(tree)
    }

    fn boxed(&mut self) -> Result<Box<Tree>, MuError> {
        Ok(Box::new(self.unary()?))
    }

    fn prefix(&mut self) -> Result<Tree, MuError> {
        if self.takes("!") {
            return Ok(Tree::Not(self.boxed()?));
        }
        if self.takes("(") {
            let tree = self.formula()?;
            self.expect(")")?;
            return Ok(tree);
        }
        if self.takes("<") {
            let action = self.action()?;
            self.expect(">")?;
            return Ok(Tree::Diamond(action, self.boxed()?));
        }
        if self.takes("[") {
            let action = self.action()?;
            self.expect("]")?;
            return Ok(Tree::Box(action, self.boxed()?));
        }
        if self.takes("{") {
            return Ok(Tree::Proposition(self.until('}')?.trim().into()));
        }
        self.skip();
        let column = self.at + 1;
        let Some(word) = self.word() else { return Err(self.error("expected a formula")) };
        Ok(match &*word {
            "true" => Tree::Constant(true),
            "false" => Tree::Constant(false),
            "deadlock" => Tree::Box(Action::Any, Box::new(Tree::Constant(false))),
            "mu" | "nu" => {
                let Some(name) = self.word() else { return Err(self.error("expected the name of a variable")) };
                self.expect(".")?;
                self.depth += 1;
                let of = Box::new(self.formula()?);
                self.depth -= 1;
                Tree::Fixpoint { least: word == "mu", name, of, column }
            }
            "EF" | "AF" => until(word == "AF", Tree::Constant(true), self.unary()?, column),
            "EG" | "AG" => globally(word == "AG", self.unary()?, column),
            "E" | "A" => {
                self.expect("(")?;
                let before = self.formula()?;
                self.expect("U")?;
                let after = self.formula()?;
                self.expect(")")?;
                until(word == "A", before, after, column)
            }
            _ => Tree::Variable(word, column),
        })
    }

    fn action(&mut self) -> Result<Action, MuError> {
        let mut left = self.action_and()?;
        while self.takes("||") {
            left = Action::Or(Box::new(left), Box::new(self.action_and()?));
        }
        Ok(left)
    }

    fn action_and(&mut self) -> Result<Action, MuError> {
        let mut left = self.action_prefix()?;
        while self.takes("&&") {
            left = Action::And(Box::new(left), Box::new(self.action_prefix()?));
        }
        Ok(left)
    }

    fn action_prefix(&mut self) -> Result<Action, MuError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(format!("more than {DEPTH_MAX} levels of nesting")));
        }
        let action = if self.takes("!") {
            Action::Not(Box::new(self.action_prefix()?))
        } else if self.takes("(") {
            let action = self.action()?;
            self.expect(")")?;
            action
        } else if self.takes("\"") {
            Action::Pattern(self.until('"')?)
        } else {
            match self.word().as_deref() {
                Some("true") => Action::Any,
                Some("false") => Action::Not(Box::new(Action::Any)),
                Some("tau") => Action::Internal,
                _ => return Err(self.error("expected a label in quotes, `tau`, `true`, `!` or `(`")),
            }
        };
        self.depth -= 1;
        Ok(action)
    }
}

struct Scope {
    name: String,
    /// Whether it stands under an even number of negations.
    positive: bool,
    /// With these taken into account.
    least: bool,
    column: usize,
    /// Places of its variables, which get its number when it has one.
    variables: Vec<usize>,
}

struct Builder {
    nodes: Vec<MuNode>,
    scope: Vec<Scope>,
}

impl Builder {
    fn add(&mut self, node: MuNode) -> MuId {
        self.nodes.push(node);
        MuId(self.nodes.len() as u32 - 1)
    }

    /// A node for a formula or, if not `positive`, for its negation.
    fn build(&mut self, tree: &Tree, positive: bool) -> Result<MuId, MuError> {
        Ok(match tree {
            Tree::Constant(value) => self.add(MuNode::Constant(*value == positive)),
            Tree::Proposition(text) => self.add(MuNode::Proposition(text.clone(), positive)),
            Tree::Not(f) => self.build(f, !positive)?,
            Tree::And(f, g) | Tree::Or(f, g) => {
                let is_and = matches!(tree, Tree::And(..)) == positive;
                let (f, g) = (self.build(f, positive)?, self.build(g, positive)?);
                self.add(if is_and { MuNode::And(f, g) } else { MuNode::Or(f, g) })
            }
            Tree::Diamond(action, f) | Tree::Box(action, f) => {
                let some = matches!(tree, Tree::Diamond(..)) == positive;
                let f = self.build(f, positive)?;
                self.add(if some { MuNode::Diamond(action.clone(), f) } else { MuNode::Box(action.clone(), f) })
            }
            Tree::Variable(name, column) => self.variable(name, *column, positive)?,
            Tree::Fixpoint { least, name, of, column } => {
                let least = *least == positive;
                let scope = Scope { name: name.clone(), positive, least, column: *column, variables: Vec::new() };
                self.scope.push(scope);
                let of = self.build(of, positive)?;
                let id = self.add(MuNode::Fixpoint { least, of });
                for place in self.scope.pop().expect("it was pushed").variables {
                    self.nodes[place] = MuNode::Variable(id);
                }
                id
            }
        })
    }

    fn variable(&mut self, name: &str, column: usize, positive: bool) -> Result<MuId, MuError> {
        let place = self.nodes.len();
        let error = |column: usize, what: String| Err(MuError { column, what });
        let Some(i) = self.scope.iter().rposition(|s| s.name == name) else {
            return error(
                column,
                format!("`{name}` is no variable of a fixpoint around it; a proposition stands in braces"),
            );
        };
        if self.scope[i].positive != positive {
            return error(column, format!("`{name}` is under an odd number of negations"));
        }
        if let Some(between) = self.scope[i + 1..].iter().find(|s| s.least != self.scope[i].least) {
            let what = "a least and a greatest fixpoint depend on one another here: such formulas are not understood";
            return error(between.column, what.into());
        }
        self.scope[i].variables.push(place);
        Ok(self.add(MuNode::Variable(MuId(0))))
    }
}
