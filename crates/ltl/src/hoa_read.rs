//! Automata in the Hanoi omega-automata format, version 1: reading.
//!
//! What a conjunction of `Inf` can express is read: aliases, several initial states, labels on states or edges or
//! implied by order, acceptance on states or edges, `Inf(!i)`, several automata in one text. `Fin`, disjunctions and
//! universal branching are refused with the reason. Whatever the bytes, reading ends with a value or a diagnostic.

use crate::automaton::{Automaton, Edge, StateId};
use crate::hoa_lex::{HoaToken, Spanned, hoa_lex};
use crate::label::{Label, Labels};
use crate::{AtomId, Atoms};
use ferrospin_source::{Diagnostic, Diagnostics, ExpansionId, Span};
use rustc_hash::FxHashMap;

const STATES_MAX: u32 = 1_000_000;
const ATOMS_MAX: u32 = 512;
/// Propositions with implied labels, which need an edge per letter.
const IMPLIED_ATOMS_MAX: usize = 16;
const NESTING_MAX: u32 = 200;

/// One automaton that was read.
#[derive(Clone, Debug)]
pub struct HoaAutomaton {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its propositions, in the order of the `AP` line.
    pub atoms: Vec<AtomId>,
    /// The automaton.
    pub automaton: Automaton,
}

/// Reads all automata of a text; `base` is the position of its first byte in the source map. Reading stops at the
/// first error, which is in the diagnostics.
pub fn read_hoa(text: &str, base: u32, atoms: &mut Atoms, labels: &mut Labels) -> (Vec<HoaAutomaton>, Diagnostics) {
    let tokens = hoa_lex(text);
    let mut reader = Reader { tokens: &tokens, at: 0, base, end: text.len(), labels, automata: Vec::new() };
    let mut diagnostics = Diagnostics::default();
    while reader.at < tokens.len() {
        if let Err(d) = reader.automaton(atoms) {
            diagnostics.push(*d);
            break;
        }
    }
    (reader.automata, diagnostics)
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

struct Reader<'a> {
    tokens: &'a [Spanned],
    at: usize,
    base: u32,
    end: usize,
    labels: &'a mut Labels,
    automata: Vec<HoaAutomaton>,
}

/// What the header says.
#[derive(Default)]
struct Header {
    name: Option<String>,
    states: Option<u32>,
    starts: Vec<u32>,
    atoms: Option<Vec<AtomId>>,
    aliases: FxHashMap<String, Label>,
    /// Acceptance sets of each mark, with whether the mark is the complement of the set; `None` accepts nothing.
    acceptance: Option<Option<Vec<(u32, bool)>>>,
}

/// A state as the body describes it.
#[derive(Default)]
struct State {
    defined: bool,
    label: Option<Label>,
    sets: Vec<u32>,
    edges: Vec<(Option<Label>, u32, Vec<u32>)>,
}

impl Reader<'_> {
    fn error<T>(&self, at: usize, message: impl Into<String>) -> Result<T> {
        let (lo, hi) = self.tokens.get(at).map_or((self.end, self.end), |t| (t.lo, t.hi));
        let span = Span { lo: self.base + lo as u32, hi: self.base + hi as u32, expansion: ExpansionId::NONE };
        Err(Box::new(Diagnostic::error("hoa-syntax", span, message)))
    }

    fn peek(&self) -> Option<&HoaToken> {
        self.tokens.get(self.at).map(|t| &t.token)
    }

    fn skip(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&HoaToken::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: char) -> Result<()> {
        if self.skip(symbol) { Ok(()) } else { self.error(self.at, format!("expected `{symbol}`")) }
    }

    fn number(&mut self, max: u32, what: &str) -> Result<u32> {
        match self.peek() {
            Some(&HoaToken::Number(n)) if n <= max => {
                self.at += 1;
                Ok(n)
            }
            Some(HoaToken::Number(_)) => self.error(self.at, format!("{what} must not exceed {max}")),
            _ => self.error(self.at, format!("expected {what}")),
        }
    }

    fn automaton(&mut self, atoms: &mut Atoms) -> Result<()> {
        let mut header = Header::default();
        match (self.peek(), self.tokens.get(self.at + 1).map(|t| &t.token)) {
            (Some(HoaToken::Header(h)), Some(HoaToken::Word(v))) if h == "HOA" => {
                if v != "v1" {
                    return self.error(self.at + 1, "only version `v1` is known");
                }
                self.at += 2;
            }
            _ => return self.error(self.at, "expected `HOA: v1`"),
        }
        loop {
            match self.peek().cloned() {
                Some(HoaToken::Header(name)) => {
                    self.at += 1;
                    self.header(&name, &mut header, atoms)?;
                }
                Some(HoaToken::Body) => break,
                Some(HoaToken::Abort) => {
                    self.at += 1;
                    return Ok(());
                }
                Some(HoaToken::Bad(why)) => return self.error(self.at, why),
                _ => return self.error(self.at, "expected a header line or `--BODY--`"),
            }
        }
        self.at += 1;
        let Some(acceptance) = header.acceptance.clone() else {
            return self.error(self.at - 1, "there is no `Acceptance:` line");
        };
        let Some(states) = self.body(&header)? else { return Ok(()) };
        let automaton = match acceptance {
            Some(marks) => self.build(&header, states, &marks)?,
            None => Automaton::empty(),
        };
        self.automata.push(HoaAutomaton { name: header.name, atoms: header.atoms.unwrap_or_default(), automaton });
        Ok(())
    }

    fn header(&mut self, name: &str, header: &mut Header, atoms: &mut Atoms) -> Result<()> {
        match name {
            "States" => {
                let n = self.number(STATES_MAX, "the number of states")?;
                header.states = Some(n);
            }
            "Start" => {
                let s = self.number(STATES_MAX, "a state")?;
                if self.peek() == Some(&HoaToken::Symbol('&')) {
                    return self.error(self.at, "universal branching is not supported");
                }
                header.starts.push(s);
            }
            "AP" => {
                if header.atoms.is_some() {
                    return self.error(self.at - 1, "a second `AP:` line");
                }
                let n = self.number(ATOMS_MAX, "the number of propositions")?;
                let mut list = Vec::new();
                for _ in 0..n {
                    let Some(HoaToken::Text(text)) = self.peek().cloned() else {
                        return self.error(self.at, "expected a proposition in quotation marks");
                    };
                    let t = &self.tokens[self.at];
                    let (lo, hi) = (self.base + t.lo as u32, self.base + t.hi as u32);
                    list.push(atoms.add(&text, Span { lo, hi, expansion: ExpansionId::NONE }));
                    self.at += 1;
                }
                header.atoms = Some(list);
            }
            "Alias" => {
                let Some(HoaToken::Alias(name)) = self.peek().cloned() else {
                    return self.error(self.at, "expected `@name`");
                };
                self.at += 1;
                let label = self.label(header, 0)?;
                header.aliases.insert(name, label);
            }
            "Acceptance" => {
                if header.acceptance.is_some() {
                    return self.error(self.at - 1, "a second `Acceptance:` line");
                }
                let sets = self.number(64, "the number of acceptance sets")?;
                let mut marks = Some(Vec::new());
                self.condition(sets, &mut marks, 0)?;
                if marks.as_ref().is_some_and(|list| list.len() > 64) {
                    return self.error(self.at - 1, "more than 64 different `Inf` are not supported");
                }
                header.acceptance = Some(marks);
            }
            "name" => {
                if let Some(HoaToken::Text(text)) = self.peek().cloned() {
                    header.name = Some(text);
                }
                self.skip_values();
            }
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return self
                    .error(self.at - 1, format!("the header `{name}:` may change the meaning and is not known"));
            }
            _ => self.skip_values(),
        }
        Ok(())
    }

    fn skip_values(&mut self) {
        while !matches!(
            self.peek(),
            None | Some(HoaToken::Header(_) | HoaToken::Body | HoaToken::Abort | HoaToken::Bad(_))
        ) {
            self.at += 1;
        }
    }

    /// Reads a conjunction of `Inf(i)` and `Inf(!i)`.
    fn condition(&mut self, sets: u32, marks: &mut Option<Vec<(u32, bool)>>, nesting: u32) -> Result<()> {
        if nesting > NESTING_MAX {
            return self.error(self.at, "the acceptance condition is nested too deeply");
        }
        loop {
            let at = self.at;
            match self.peek().cloned() {
                Some(HoaToken::Symbol('(')) => {
                    self.at += 1;
                    self.condition(sets, marks, nesting + 1)?;
                    self.expect(')')?;
                }
                Some(HoaToken::Word(word)) => {
                    self.at += 1;
                    match word.as_str() {
                        "t" => {}
                        "f" => *marks = None,
                        "Inf" => {
                            self.expect('(')?;
                            let negated = self.skip('!');
                            let set = self.number(sets.saturating_sub(1), "an acceptance set")?;
                            if set >= sets {
                                return self.error(self.at - 1, "there is no such acceptance set");
                            }
                            self.expect(')')?;
                            if let Some(list) = marks
                                && !list.contains(&(set, negated))
                            {
                                list.push((set, negated));
                            }
                        }
                        "Fin" => {
                            return self
                                .error(at, "acceptance with `Fin` is not supported, only conjunctions of `Inf`");
                        }
                        _ => return self.error(at, "expected `Inf(..)`, `t` or `f`"),
                    }
                }
                _ => return self.error(at, "expected an acceptance condition"),
            }
            if self.peek() == Some(&HoaToken::Symbol('|')) {
                return self.error(self.at, "acceptance with `|` is not supported, only conjunctions of `Inf`");
            }
            if !self.skip('&') {
                return Ok(());
            }
        }
    }

    /// Reads a label expression: `|` binds loosest, then `&`, then `!`.
    fn label(&mut self, header: &Header, nesting: u32) -> Result<Label> {
        if nesting > NESTING_MAX {
            return self.error(self.at, "the label is nested too deeply");
        }
        let mut sum = Label::FALSE;
        loop {
            let mut product = Label::TRUE;
            loop {
                let factor = self.label_factor(header, nesting)?;
                product = self.labels.and(product, factor);
                if !self.skip('&') {
                    break;
                }
            }
            sum = self.labels.or(sum, product);
            if !self.skip('|') {
                return Ok(sum);
            }
        }
    }

    fn label_factor(&mut self, header: &Header, nesting: u32) -> Result<Label> {
        let mut negated = false;
        while self.skip('!') {
            negated = !negated;
        }
        let at = self.at;
        let token = self.peek().cloned();
        self.at += 1;
        let label = match token {
            Some(HoaToken::Word(w)) if w == "t" => Label::TRUE,
            Some(HoaToken::Word(w)) if w == "f" => Label::FALSE,
            Some(HoaToken::Number(n)) => match header.atoms.as_ref().and_then(|list| list.get(n as usize)) {
                Some(&atom) => self.labels.literal(atom, true),
                None => return self.error(at, format!("there is no proposition {n}")),
            },
            Some(HoaToken::Alias(name)) => match header.aliases.get(&name) {
                Some(&label) => label,
                None => return self.error(at, format!("the alias `@{name}` is not defined")),
            },
            Some(HoaToken::Symbol('(')) => {
                let label = self.label(header, nesting + 1)?;
                self.expect(')')?;
                label
            }
            _ => return self.error(at, "expected a label"),
        };
        Ok(if negated { self.labels.not(label) } else { label })
    }

    fn sets(&mut self) -> Result<Vec<u32>> {
        let mut sets = Vec::new();
        if self.skip('{') {
            while !self.skip('}') {
                sets.push(self.number(63, "an acceptance set or `}`")?);
            }
        }
        Ok(sets)
    }

    fn bracketed_label(&mut self, header: &Header) -> Result<Option<Label>> {
        if !self.skip('[') {
            return Ok(None);
        }
        let label = self.label(header, 0)?;
        self.expect(']')?;
        Ok(Some(label))
    }

    /// Reads the states; `None` if the automaton was abandoned with `--ABORT--`.
    fn body(&mut self, header: &Header) -> Result<Option<Vec<State>>> {
        let mut states: Vec<State> = Vec::new();
        let state_max = header.states.map_or(STATES_MAX, |n| n.saturating_sub(1));
        let mut current: Option<usize> = None;
        let reach = |states: &mut Vec<State>, s: u32| {
            if states.len() <= s as usize {
                states.resize_with(s as usize + 1, State::default);
            }
        };
        loop {
            match self.peek().cloned() {
                Some(HoaToken::Header(h)) if h == "State" => {
                    self.at += 1;
                    let label = self.bracketed_label(header)?;
                    let s = self.number(state_max, "a state")?;
                    reach(&mut states, s);
                    if states[s as usize].defined {
                        return self.error(self.at - 1, format!("state {s} is defined twice"));
                    }
                    if let Some(HoaToken::Text(_)) = self.peek() {
                        self.at += 1;
                    }
                    let sets = self.sets()?;
                    states[s as usize] = State { defined: true, label, sets, edges: Vec::new() };
                    current = Some(s as usize);
                }
                Some(HoaToken::End) => {
                    self.at += 1;
                    for &s in &header.starts {
                        if s > state_max {
                            return self.error(self.at - 1, format!("the initial state {s} does not exist"));
                        }
                        reach(&mut states, s);
                    }
                    return Ok(Some(states));
                }
                Some(HoaToken::Abort) => {
                    self.at += 1;
                    return Ok(None);
                }
                Some(HoaToken::Symbol('[') | HoaToken::Number(_)) if current.is_some() => {
                    let label = self.bracketed_label(header)?;
                    let target = self.number(state_max, "a state")?;
                    if self.peek() == Some(&HoaToken::Symbol('&')) {
                        return self.error(self.at, "universal branching is not supported");
                    }
                    let sets = self.sets()?;
                    reach(&mut states, target);
                    if let Some(s) = current {
                        states[s].edges.push((label, target, sets));
                    }
                }
                Some(HoaToken::Bad(why)) => return self.error(self.at, why),
                _ => return self.error(self.at, "expected a state, an edge or `--END--`"),
            }
        }
    }

    fn build(&mut self, header: &Header, states: Vec<State>, marks: &[(u32, bool)]) -> Result<Automaton> {
        let no_atoms = Vec::new();
        let atoms = header.atoms.as_ref().unwrap_or(&no_atoms);
        let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(states.len() + 1);
        for (s, state) in states.iter().enumerate() {
            let implied = state.label.is_none() && state.edges.iter().any(|e| e.0.is_none());
            if implied && (atoms.len() > IMPLIED_ATOMS_MAX || state.edges.len() != 1 << atoms.len()) {
                let message = format!("state {s} has edges without labels: there must be one for each letter");
                return self.error(self.at - 1, message);
            }
            let mut out = Vec::with_capacity(state.edges.len());
            for (i, (label, target, sets)) in state.edges.iter().enumerate() {
                let label = match (label.or(state.label), implied) {
                    (Some(label), false) => label,
                    (None, true) => {
                        let cube: Vec<_> = atoms.iter().enumerate().map(|(j, &a)| (a, i >> j & 1 == 1)).collect();
                        self.labels.cube(&cube)
                    }
                    _ => return self.error(self.at - 1, format!("state {s} has edges with and without labels")),
                };
                let inside = |set: u32| state.sets.contains(&set) || sets.contains(&set);
                let bits = marks.iter().enumerate().filter(|(_, m)| inside(m.0) != m.1);
                let bits = bits.fold(0, |bits, (k, _)| bits | 1 << k);
                out.push(Edge { target: StateId(*target), marks: bits, label });
            }
            edges.push(out);
        }
        let initial = match header.starts[..] {
            [] => return Ok(Automaton::empty()),
            [s] => StateId(s),
            ref several => {
                // A state that no edge enters begins all that the initial states begin; its marks are never seen twice.
                let all = several.iter().flat_map(|&s| edges[s as usize].clone());
                let all: Vec<Edge> = all.map(|e| Edge { marks: 0, ..e }).collect();
                edges.push(all);
                StateId(edges.len() as u32 - 1)
            }
        };
        let mut a = Automaton { edges, initial, mark_count: marks.len() as u32, state_based: false };
        a.merge_edges(self.labels);
        a.restrict(|_| true);
        let uniform = |edges: &Vec<Edge>| edges.iter().all(|e| e.marks == edges[0].marks);
        a.state_based = a.mark_count == 1 && a.edges.iter().all(uniform);
        Ok(a)
    }
}
