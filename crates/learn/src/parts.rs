//! Parts of a system and monitors over the same letters, and the breadth-first search of their composition.
//!
//! Parts move together on letters of their alphabets that they share, and alone on others and on internal steps. A monitor is
//! deterministic and moves with every letter of its alphabet; where it cannot, that is an error.

use ferrospin_lts::{Builder, Edge, Graph, Label, State, Stopped, Watch};
use rustc_hash::FxHashMap;

/// A letter: a number in [`Letters`].
pub(crate) type Letter = u16;

/// The internal step, which no alphabet holds.
const INTERNAL: Letter = Letter::MAX;

/// The texts of letters, sorted.
#[derive(Clone, Debug)]
pub(crate) struct Letters {
    texts: Vec<Box<str>>,
}

impl Letters {
    /// All labels of these graphs.
    pub(crate) fn of<'a>(graphs: impl Iterator<Item = &'a Graph>) -> Option<Letters> {
        let visible = graphs.flat_map(|g| g.labels().iter().filter(|(l, _)| *l != Label::TAU));
        let mut texts: Vec<Box<str>> = visible.map(|(_, text)| text.into()).collect();
        texts.sort_unstable();
        texts.dedup();
        (texts.len() < usize::from(INTERNAL)).then_some(Letters { texts })
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn text(&self, letter: Letter) -> &str {
        &self.texts[usize::from(letter)]
    }

    fn find(&self, text: &str) -> Letter {
        self.texts.binary_search_by(|t| (**t).cmp(text)).expect("all labels are letters") as Letter
    }
}

/// A set of letters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Alphabet(Vec<bool>);

impl Alphabet {
    pub(crate) fn empty(letters: &Letters) -> Self {
        Alphabet(vec![false; letters.len()])
    }

    fn of(graph: &Graph, letters: &Letters) -> Self {
        let mut all = Alphabet::empty(letters);
        for (_, text) in graph.labels().iter().filter(|(l, _)| *l != Label::TAU) {
            all.add(letters.find(text));
        }
        all
    }

    pub(crate) fn has(&self, letter: Letter) -> bool {
        self.0[usize::from(letter)]
    }

    pub(crate) fn add(&mut self, letter: Letter) {
        self.0[usize::from(letter)] = true;
    }

    pub(crate) fn with(&self, other: &Alphabet) -> Alphabet {
        Alphabet(self.0.iter().zip(&other.0).map(|(a, b)| *a || *b).collect())
    }

    pub(crate) fn within(&self, other: &Alphabet) -> Alphabet {
        Alphabet(self.0.iter().zip(&other.0).map(|(a, b)| *a && *b).collect())
    }

    pub(crate) fn letters(&self) -> impl Iterator<Item = Letter> {
        self.0.iter().enumerate().filter(|(_, has)| **has).map(|(letter, _)| letter as Letter)
    }

    /// How many letters there are in all, of the alphabet or not.
    pub(crate) fn size(&self) -> usize {
        self.0.len()
    }

    /// The letters of a word that it has.
    pub(crate) fn project(&self, word: &[Letter]) -> Vec<Letter> {
        word.iter().copied().filter(|l| self.has(*l)).collect()
    }
}

/// A part of a system.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) alphabet: Alphabet,
    initial: u32,
    /// By state: letter and target, sorted.
    edges: Vec<Vec<(Letter, u32)>>,
}

impl Part {
    pub(crate) fn of(graph: &Graph, letters: &Letters) -> Part {
        let letter = |label: Label| match label {
            Label::TAU => INTERNAL,
            _ => letters.find(graph.labels().text(label)),
        };
        let edges = graph.states().map(|s| {
            let mut own: Vec<(Letter, u32)> = graph.edges(s).iter().map(|e| (letter(e.label), e.target.0)).collect();
            own.sort_unstable();
            own
        });
        Part { alphabet: Alphabet::of(graph, letters), initial: graph.initial().0, edges: edges.collect() }
    }

    /// The part that can do this word and nothing else.
    pub(crate) fn chain(word: &[Letter], alphabet: &Alphabet) -> Part {
        let step = |(i, letter): (usize, &Letter)| vec![(*letter, i as u32 + 1)];
        let mut edges: Vec<Vec<(Letter, u32)>> = word.iter().enumerate().map(step).collect();
        edges.push(Vec::new());
        Part { alphabet: alphabet.clone(), initial: 0, edges }
    }

    fn targets(&self, state: u32, letter: Letter) -> &[(Letter, u32)] {
        let edges = &self.edges[state as usize];
        let start = edges.partition_point(|e| e.0 < letter);
        let len = edges[start..].partition_point(|e| e.0 == letter);
        &edges[start..start + len]
    }
}

/// A deterministic automaton whose missing edges are errors; the first state is the initial one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Monitor {
    pub(crate) alphabet: Alphabet,
    /// By state and letter.
    pub(crate) next: Vec<Vec<Option<u32>>>,
}

impl Monitor {
    /// A graph as a monitor; `None` where it is not deterministic.
    pub(crate) fn of(graph: &Graph, letters: &Letters) -> Option<Monitor> {
        let graph = ferrospin_lts::operations::reachable(graph);
        let mut next = vec![vec![None; letters.len()]; graph.state_count()];
        for (source, edge) in graph.all_edges() {
            if edge.label == Label::TAU {
                return None;
            }
            let slot: &mut Option<u32> =
                &mut next[source.index()][usize::from(letters.find(graph.labels().text(edge.label)))];
            if slot.replace(edge.target.0).is_some() {
                return None;
            }
        }
        Some(Monitor { alphabet: Alphabet::of(&graph, letters), next })
    }

    pub(crate) fn state_count(&self) -> usize {
        self.next.len()
    }

    /// As a part, without its errors.
    pub(crate) fn as_part(&self) -> Part {
        let edges = self.next.iter().map(|row| {
            let steps = row.iter().enumerate().filter_map(|(letter, target)| target.map(|t| (letter as Letter, t)));
            steps.collect()
        });
        Part { alphabet: self.alphabet.clone(), initial: 0, edges: edges.collect() }
    }

    /// As a graph whose table of labels is the alphabet, without its errors.
    pub(crate) fn as_graph(&self, letters: &Letters) -> Graph {
        let mut builder = Builder::new();
        for letter in self.alphabet.letters() {
            builder.labels.add(letters.text(letter));
        }
        for (state, row) in self.next.iter().enumerate() {
            for letter in self.alphabet.letters() {
                if let Some(target) = row[usize::from(letter)] {
                    let label = builder.labels.add(letters.text(letter));
                    builder.push(State(state as u32), Edge { label, target: State(target) });
                }
            }
        }
        builder.finish(self.next.len(), State(0))
    }

    pub(crate) fn step(&self, state: u32, letter: Letter) -> Option<u32> {
        if self.alphabet.has(letter) { self.next[state as usize][usize::from(letter)] } else { Some(state) }
    }
}

/// What a search of a composition found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// A shortest word that leads the monitor into its error, internal steps left out.
    pub(crate) word: Option<Vec<Letter>>,
    pub(crate) states: usize,
    pub(crate) transitions: usize,
}

/// Searches breadth first for an error of the monitor beside the composition of parts.
pub(crate) fn violation(parts: &[&Part], monitor: &Monitor, watch: &dyn Watch) -> Result<Found, Stopped> {
    let letters = monitor.alphabet.0.len();
    let mut start: Vec<u32> = parts.iter().map(|p| p.initial).collect();
    start.push(0);
    let mut ids: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut list = vec![start.clone()];
    let mut from: Vec<(u32, Letter)> = vec![(u32::MAX, INTERNAL)];
    ids.insert(start, 0);
    let mut found = Found::default();
    let word = |from: &[(u32, Letter)], at: u32, last: Letter| {
        let mut word = vec![last];
        let mut at = at;
        while at != u32::MAX {
            let (before, letter) = from[at as usize];
            word.extend((letter != INTERNAL).then_some(letter));
            at = before;
        }
        word.reverse();
        word
    };
    let mut next = 0;
    while let Some(now) = list.get(next as usize).cloned() {
        if next % 4096 == 4095 && !watch.go_on(list.len() as u64) {
            return Err(Stopped);
        }
        let mut visit = |target: Vec<u32>, letter: Letter, found: &mut Found| {
            found.transitions += 1;
            let id = list.len() as u32;
            if let std::collections::hash_map::Entry::Vacant(entry) = ids.entry(target) {
                list.push(entry.key().clone());
                entry.insert(id);
                from.push((next, letter));
            }
        };
        let (locals, state) = now.split_at(parts.len());
        let state = state[0];
        for letter in 0..letters as Letter {
            let mut takes = parts.iter().zip(locals).filter(|(p, _)| p.alphabet.has(letter)).peekable();
            if takes.peek().is_none() || takes.any(|(p, s)| p.targets(*s, letter).is_empty()) {
                continue;
            }
            let Some(state) = monitor.step(state, letter) else {
                found.word = Some(word(&from, next, letter));
                found.states = list.len();
                return Ok(found);
            };
            let mut targets = vec![now.clone()];
            targets[0][parts.len()] = state;
            for (i, part) in parts.iter().enumerate().filter(|(_, p)| p.alphabet.has(letter)) {
                let ways = part.targets(locals[i], letter);
                let each = |t: &Vec<u32>| {
                    let t = t.clone();
                    ways.iter().map(move |(_, to)| {
                        let mut t = t.clone();
                        t[i] = *to;
                        t
                    })
                };
                targets = targets.iter().flat_map(each).collect();
            }
            targets.into_iter().for_each(|t| visit(t, letter, &mut found));
        }
        for (i, part) in parts.iter().enumerate() {
            for (_, to) in part.targets(locals[i], INTERNAL) {
                let mut target = now.clone();
                target[i] = *to;
                visit(target, INTERNAL, &mut found);
            }
        }
        next += 1;
    }
    found.states = list.len();
    Ok(found)
}
