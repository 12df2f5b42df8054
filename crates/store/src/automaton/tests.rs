//! Tests of the automaton: against a set, and against a minimisation as textbooks have it.

use super::language::{Caution, Language};
use super::nodes::{ACCEPT, Edge};
use super::*;
use crate::memory::zeroed_lines::mix;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A repeatable sequence of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % n
    }
}

/// Words of a few lengths over a small alphabet, so that much is shared; some letters are neighbours and some are not.
fn random_words(random: &mut Random) -> Vec<Vec<u8>> {
    let letters = 2 + random.below(4);
    let alphabet = [0, 1, 2, 7, 254, 255];
    let longest = 1 + random.below(6);
    let one_length = random.below(2) == 0;
    let word = |random: &mut Random| {
        let len = if one_length { longest } else { random.below(longest + 1) };
        (0..len).map(|_| alphabet[random.below(letters) as usize]).collect()
    };
    let count = 1 + random.below(60);
    (0..count).map(|_| word(random)).collect()
}

/// Number of states of the minimal automaton for words with their length in front, without the first, the accepting and the
/// rejecting one: a tree of the words, and then Moore's refinement (1956).
fn minimal_nodes(words: &HashSet<Vec<u8>>) -> usize {
    // Nodes are the beginnings of words: the length, and how far one has come.
    let mut edges: BTreeMap<(usize, &[u8]), BTreeSet<u8>> = BTreeMap::new();
    for word in words {
        for end in 0..word.len() {
            edges.entry((word.len(), &word[..end])).or_default().insert(word[end]);
        }
        edges.entry((word.len(), word)).or_default();
    }
    let mut class: BTreeMap<(usize, &[u8]), usize> =
        edges.keys().map(|node| (*node, usize::from(node.0 == node.1.len()))).collect();
    let mut classes = class.values().collect::<HashSet<_>>().len();
    loop {
        let mut numbers = HashMap::new();
        let mut refined = BTreeMap::new();
        for (node, bytes) in &edges {
            let below = |byte: &u8| {
                let longer: Vec<u8> = node.1.iter().chain([byte]).copied().collect();
                (*byte, class[&(node.0, &longer[..])])
            };
            let signature = (class[node], bytes.iter().map(below).collect::<Vec<_>>());
            let next = numbers.len();
            refined.insert(*node, *numbers.entry(signature).or_insert(next));
        }
        if numbers.len() == classes {
            return classes - usize::from(!words.is_empty());
        }
        (class, classes) = (refined, numbers.len());
    }
}

/// Counts what is there once more, and compares.
fn check_structure(language: &Language) {
    let all = language.nodes.all();
    let mut references: HashMap<u32, u32> = HashMap::new();
    for root in language.roots.values() {
        *references.entry(*root).or_default() += 1;
    }
    let mut different: HashSet<Vec<(u8, u8, u32)>> = HashSet::new();
    for node in &all {
        let edges: Vec<Edge> = language.nodes.edges_of(*node).collect();
        assert!(!edges.is_empty());
        for edge in &edges {
            *references.entry(edge.child).or_default() += 1;
        }
        for pair in edges.windows(2) {
            assert!(pair[0].high < pair[1].low, "ranges are sorted");
            assert!(pair[0].high + 1 < pair[1].low || pair[0].child != pair[1].child, "ranges are as long as can be");
        }
        assert!(different.insert(edges.iter().map(|e| (e.low, e.high, e.child)).collect()), "no two nodes are equal");
    }
    references.remove(&ACCEPT);
    assert_eq!(references.len(), all.len(), "all that is referred to is there, and the other way round");
    for node in all {
        assert_eq!(language.nodes.references(node), references[&node]);
    }
}

/// Inserts words one by one and looks at everything on the way.
fn check(words: &[Vec<u8>], caution: Option<Caution>) -> Language {
    let mut language = Language::new(u64::MAX);
    let mut set = HashSet::new();
    for word in words {
        let found = match caution {
            None => language.insert(word),
            Some(caution) => language.insert_with(word, caution),
        };
        let new = set.insert(word.clone());
        assert_eq!(found, if new { Found::New(0) } else { Found::Seen(0) });
        assert!(language.contains(word));
    }
    assert_eq!(language.size().states, set.len() as u64);
    assert_eq!(count_words(&language), set.len() as u64, "nothing else is accepted");
    language
}

/// Number of words an automaton accepts.
fn count_words(language: &Language) -> u64 {
    fn below(language: &Language, node: u32, known: &mut HashMap<u32, u64>) -> u64 {
        if node == ACCEPT {
            return 1;
        }
        if let Some(count) = known.get(&node) {
            return *count;
        }
        let edges: Vec<Edge> = language.nodes.edges_of(node).collect();
        let count = edges
            .iter()
            .map(|edge| (u64::from(edge.high) - u64::from(edge.low) + 1) * below(language, edge.child, known))
            .sum();
        known.insert(node, count);
        count
    }
    let mut known = HashMap::new();
    language.roots.values().map(|root| below(language, *root, &mut known)).sum()
}

#[test]
fn equal_to_a_set_and_minimal() {
    let mut random = Random(1);
    for _ in 0..1000 {
        let words = random_words(&mut random);
        let language = check(&words, None);
        check_structure(&language);
        let set: HashSet<Vec<u8>> = words.into_iter().collect();
        assert_eq!(language.size().nodes, minimal_nodes(&set) as u64, "{set:?}");
    }
}

#[test]
fn order_does_not_matter() {
    let mut random = Random(2);
    for _ in 0..100 {
        let mut words = random_words(&mut random);
        let size = check(&words, None).size();
        words.reverse();
        assert_eq!(check(&words, None).size(), size);
        words.sort();
        assert_eq!(check(&words, None).size(), size);
    }
}

/// A node with one reference below a shared one is on several paths.
#[test]
fn all_ancestors_must_have_one_reference() {
    let words: Vec<Vec<u8>> = ["axp", "cxp", "axq"].map(|word| word.as_bytes().to_vec()).into();
    let language = check(&words, None);
    assert!(!language.contains(b"cxq"));
    let careless = std::panic::catch_unwind(|| check(&words, Some(Caution { ancestors: false, ranges: true })));
    assert!(careless.is_err(), "looking at the node alone is caught");
}

/// A range of several bytes is one reference and several paths.
#[test]
fn all_ranges_must_have_one_byte() {
    let words: Vec<Vec<u8>> = ["axp", "bxp", "axq"].map(|word| word.as_bytes().to_vec()).into();
    let language = check(&words, None);
    assert!(!language.contains(b"bxq"));
    let careless = std::panic::catch_unwind(|| check(&words, Some(Caution { ancestors: true, ranges: false })));
    assert!(careless.is_err(), "looking at references alone is caught");
}

#[test]
fn regular_sets_are_small() {
    let mut language = Language::new(u64::MAX);
    // All words of three bytes below 40, in an order without any order.
    for i in 0..64_000u64 {
        let i = i * 48_271 % 64_000;
        let word = [(i % 40) as u8, (i / 40 % 40) as u8, (i / 1600) as u8];
        assert_eq!(language.insert(&word), Found::New(0));
    }
    assert_eq!(language.size(), Size { states: 64_000, nodes: 3, edges: 3 });
    check_structure(&language);
}

#[test]
fn many_states_grow_the_tables() {
    let mut random = Random(3);
    let mut language = Language::new(u64::MAX);
    let mut set = HashSet::new();
    for _ in 0..20_000 {
        let word: Vec<u8> = (0..8).map(|i| random.below(if i == 3 { 256 } else { 5 }) as u8).collect();
        assert_eq!(language.insert(&word), if set.insert(word) { Found::New(0) } else { Found::Seen(0) });
    }
    check_structure(&language);
    assert!(language.size().nodes > 5000);
    assert_eq!(count_words(&language), set.len() as u64);
    for _ in 0..20_000 {
        let word: Vec<u8> = (0..8).map(|i| random.below(if i == 3 { 256 } else { 5 }) as u8).collect();
        assert_eq!(language.contains(&word), set.contains(&word));
    }
}

#[test]
fn memory_ends_without_harm() {
    let limit = 400 << 10;
    let automaton = Automaton::new(Options { memory_limit_bytes: Some(limit) });
    let mut handle = automaton.handle();
    let mut random = Random(4);
    let mut stored = HashSet::new();
    let refused = loop {
        let word: Vec<u8> = (0..20).map(|_| random.below(256) as u8).collect();
        match handle.put(&word, 0) {
            Found::Full => break word,
            found => assert_eq!(found, Found::New(0)),
        }
        assert!(automaton.memory_bytes() <= limit + size_of::<Automaton>() as u64, "{}", automaton.memory_bytes());
        stored.insert(word);
    };
    assert_eq!(handle.find(&refused, 0), None);
    assert!(stored.len() > 500, "{}", stored.len());
    assert!(stored.iter().all(|word| handle.find(word, 0) == Some(0) && handle.put(word, 0) == Found::Seen(0)));
    check_structure(&automaton.lock());
}

#[test]
fn workers_take_turns() {
    let automaton = Automaton::new(Options { memory_limit_bytes: None });
    let fresh: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut handle = automaton.handle();
                    (0..2000u32).filter(|i| handle.put(&(i * i).to_le_bytes(), 0) == Found::New(0)).count()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(fresh, 2000);
    assert_eq!(automaton.size().states, 2000);
}
