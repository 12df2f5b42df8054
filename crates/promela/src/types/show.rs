//! Types as text: the smallest recursive type that a node stands for.
//!
//! The graph below a node is an automaton (a node is a state, the position of a child is a letter, the constructor is
//! the output). It is minimised by partition refinement and then printed depth first, with `rec a.` exactly where a
//! path leads back. Equal types print equally, however they were spelled: `rec a. chan{chan{a,bit},bit}` and
//! `chan{rec a. chan{a,bit},bit}` both come out as `rec a. chan{a,bit}`.

use super::graph::{Graph, NodeId, TypeShape};
use super::number::{Range, Role};
use crate::names::{MtypeId, Names, Ty};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// More than this many constructors are cut off: a type that shares much can be exponentially long as text.
const CONSTRUCTORS_MAX: usize = 200;

/// The name of a type as it is written.
pub(crate) fn type_name(names: &Names, ty: Ty) -> String {
    match ty {
        Ty::Bit => "bit".into(),
        Ty::Bool => "bool".into(),
        Ty::Byte => "byte".into(),
        Ty::Pid => "pid".into(),
        Ty::Short => "short".into(),
        Ty::Int => "int".into(),
        Ty::Unsigned(n) => format!("unsigned:{n}"),
        Ty::Mtype(id) => mtype_name(names, id),
        Ty::Chan => "chan".into(),
        Ty::Record(id) => names.records.get(id.index()).map_or_else(|| "record".into(), |r| r.name.to_string()),
    }
}

/// `mtype` or `mtype:name`.
pub(crate) fn mtype_name(names: &Names, id: MtypeId) -> String {
    match names.mtypes.get(id.index()) {
        Some(list) if !list.name.is_empty() => format!("mtype:{}", list.name),
        _ => "mtype".into(),
    }
}

/// The text of the type of a node.
pub(super) fn show(graph: &Graph, names: &Names, node: NodeId) -> String {
    let automaton = Automaton::below(graph, names, &[node]);
    let mut printer = Printer { automaton: &automaton, tokens: Vec::new(), path: Vec::new(), left: CONSTRUCTORS_MAX };
    printer.visit(automaton.state_of(graph, node));
    name_binders(&printer.tokens)
}

/// The text of the fields of a message, without the `chan` around them.
pub(super) fn show_fields(graph: &Graph, names: &Names, fields: &[NodeId]) -> String {
    let shown: Vec<_> = fields.iter().map(|&f| show(graph, names, f)).collect();
    format!("{{{}}}", shown.join(","))
}

/// The type name of a class of numbers.
fn number_name(graph: &Graph, names: &Names, node: NodeId) -> String {
    let mut declared: Option<(Ty, Range)> = None;
    let mut received: Option<(Ty, Range)> = None;
    let mut sent: Option<(Range, bool)> = None;
    for entry in graph.entries(node) {
        match entry.role {
            // Of several types the widest is shown for what is declared, the narrowest for what receives.
            Role::Declared(ty) if declared.is_none_or(|(_, r)| !r.contains(entry.range)) => {
                declared = Some((ty, entry.range));
            }
            Role::Received(ty) if received.is_none_or(|(_, r)| !entry.range.contains(r)) => {
                received = Some((ty, entry.range));
            }
            Role::Sent | Role::Matched => {
                let (range, truth) = sent.unwrap_or((entry.range, true));
                sent = Some((range.hull(entry.range), truth && entry.truth));
            }
            _ => {}
        }
    }
    match (declared, sent, received) {
        (Some((ty, _)), _, _) => type_name(names, ty),
        (None, Some((_, true)), _) => "bool".into(),
        (None, Some((range, false)), _) => range.name().into(),
        (None, None, Some((ty, _))) => type_name(names, ty),
        (None, None, None) => "int".into(),
    }
}

/// The minimal automaton of some types.
struct Automaton {
    /// State of each representative.
    states: FxHashMap<NodeId, usize>,
    /// Output and successors of each state.
    table: Vec<(Output, Vec<usize>)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Output {
    Text(String),
    Chan,
    /// Fields that open and close a record: position, text, length.
    Tuple(Vec<(u32, String, u32)>),
}

impl Automaton {
    fn below(graph: &Graph, names: &Names, roots: &[NodeId]) -> Automaton {
        let mut order: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut nodes: Vec<(Output, Vec<NodeId>)> = Vec::new();
        let mut todo: Vec<NodeId> = roots.iter().map(|&r| graph.find(r)).collect();
        while let Some(node) = todo.pop() {
            if order.contains_key(&node) {
                continue;
            }
            order.insert(node, nodes.len());
            let (output, children) = match graph.shape(node) {
                TypeShape::Unknown => (Output::Text(unknown_name(graph, node)), Vec::new()),
                TypeShape::Chan(message) => (Output::Chan, vec![graph.find(message)]),
                TypeShape::Tuple(id) => {
                    let tuple = graph.tuple_of(id);
                    let groups =
                        tuple.groups.iter().map(|g| (g.at, type_name(names, Ty::Record(g.record)), g.len)).collect();
                    (Output::Tuple(groups), tuple.fields.iter().map(|&f| graph.find(f)).collect())
                }
                TypeShape::Number => (Output::Text(number_name(graph, names, node)), Vec::new()),
                TypeShape::Mtype(id) => (Output::Text(mtype_name(names, id)), Vec::new()),
                TypeShape::Pid => (Output::Text("pid".into()), Vec::new()),
                TypeShape::Record(id) => (Output::Text(type_name(names, Ty::Record(id))), Vec::new()),
            };
            todo.extend(&children);
            nodes.push((output, children));
        }
        let children: Vec<Vec<usize>> = nodes.iter().map(|(_, c)| c.iter().map(|n| order[n]).collect()).collect();
        // Blocks start as equal outputs and are split by the blocks of their children until nothing changes.
        let mut seen = FxHashMap::default();
        let mut block: Vec<usize> = nodes
            .iter()
            .map(|(output, children)| {
                let next = seen.len();
                *seen.entry((output.clone(), children.len())).or_insert(next)
            })
            .collect();
        let mut count = seen.len();
        loop {
            let mut seen = FxHashMap::default();
            let split: Vec<usize> = (0..nodes.len())
                .map(|i| {
                    let key = (block[i], children[i].iter().map(|&c| block[c]).collect::<Vec<_>>());
                    let next = seen.len();
                    *seen.entry(key).or_insert(next)
                })
                .collect();
            let refined = seen.len();
            block = split;
            if refined == count {
                break;
            }
            count = refined;
        }
        let mut table: Vec<Option<(Output, Vec<usize>)>> = vec![None; count];
        for (i, (output, _)) in nodes.into_iter().enumerate() {
            table[block[i]].get_or_insert_with(|| (output, children[i].iter().map(|&c| block[c]).collect()));
        }
        let table = table.into_iter().map(|row| row.expect("every block has a node")).collect();
        let states = order.into_iter().map(|(node, i)| (node, block[i])).collect();
        Automaton { states, table }
    }

    fn state_of(&self, graph: &Graph, node: NodeId) -> usize {
        self.states[&graph.find(node)]
    }
}

/// A field of which only numbers are known shows them; one of which nothing is known is a blank.
fn unknown_name(graph: &Graph, node: NodeId) -> String {
    match graph.entries(node).next() {
        Some(_) => "bit".into(),
        None => "_".into(),
    }
}

enum Token {
    Text(String),
    /// Binds the state if something refers to it.
    Bind(usize, bool),
    Refer(usize),
}

struct Printer<'a> {
    automaton: &'a Automaton,
    tokens: Vec<Token>,
    /// States on the way from the root, each with the place of its binder.
    path: Vec<(usize, usize)>,
    left: usize,
}

impl Printer<'_> {
    fn text(&mut self, text: impl Into<String>) {
        self.tokens.push(Token::Text(text.into()));
    }

    fn visit(&mut self, state: usize) {
        if let Some(&(_, bind)) = self.path.iter().find(|(s, _)| *s == state) {
            self.tokens[bind] = Token::Bind(bind, true);
            self.tokens.push(Token::Refer(bind));
            return;
        }
        if self.left == 0 {
            self.text("...");
            return;
        }
        self.left -= 1;
        let automaton = self.automaton;
        let (output, children) = &automaton.table[state];
        match output {
            Output::Text(text) => self.text(text.clone()),
            Output::Chan => {
                let bind = self.tokens.len();
                self.tokens.push(Token::Bind(bind, false));
                self.path.push((state, bind));
                self.text("chan");
                let message = children[0];
                // A channel of which nothing is known is just a channel.
                if matches!(automaton.table[message].0, Output::Tuple(_)) {
                    self.visit(message);
                }
                self.path.pop();
            }
            Output::Tuple(groups) => {
                self.text("{");
                for (i, &child) in children.iter().enumerate() {
                    let i = i as u32;
                    if i > 0 {
                        self.text(",");
                    }
                    for (_, name, _) in groups.iter().filter(|(at, _, _)| *at == i) {
                        self.text(format!("{name}{{"));
                    }
                    self.visit(child);
                    for _ in groups.iter().filter(|(at, _, len)| at + len == i + 1) {
                        self.text("}");
                    }
                }
                self.text("}");
            }
        }
    }
}

/// Gives the binders that are referred to the names a, b, c in order of appearance.
fn name_binders(tokens: &[Token]) -> String {
    let mut names: FxHashMap<usize, String> = FxHashMap::default();
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Text(t) => text.push_str(t),
            Token::Bind(at, true) => {
                let name = binder_name(names.len());
                let _ = write!(text, "rec {name}. ");
                names.insert(*at, name);
            }
            Token::Bind(_, false) => {}
            Token::Refer(at) => text.push_str(&names[at]),
        }
    }
    text
}

fn binder_name(n: usize) -> String {
    let letter = char::from(b'a' + (n % 26) as u8);
    if n < 26 { letter.to_string() } else { format!("{letter}{}", n / 26) }
}
