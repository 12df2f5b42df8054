//! Angluin's L* (1987), with counterexamples taken apart as Rivest and Schapire do (1993).
//!
//! The language is closed under prefixes: a word with a rejected beginning is rejected without a question. Rows of the words that are
//! kept stay distinct, so that the table is always consistent.

use crate::parts::{Alphabet, Letter, Monitor};
use ferrospin_lts::Stopped;
use rustc_hash::FxHashMap;

/// A table that is filled by asking.
pub(crate) struct Table {
    pub(crate) alphabet: Alphabet,
    letters: Vec<Letter>,
    /// Words that lead to the states, the empty one first.
    words: Vec<Vec<Letter>>,
    suffixes: Vec<Vec<Letter>>,
    known: FxHashMap<Vec<Letter>, bool>,
    /// How often was asked.
    pub(crate) queries: usize,
}

/// Whether a word belongs to the language.
pub(crate) type Member<'a> = dyn FnMut(&[Letter]) -> Result<bool, Stopped> + 'a;

impl Table {
    pub(crate) fn new(alphabet: Alphabet) -> Self {
        let letters = alphabet.letters().collect();
        Table {
            alphabet,
            letters,
            words: vec![Vec::new()],
            suffixes: vec![Vec::new()],
            known: FxHashMap::default(),
            queries: 0,
        }
    }

    pub(crate) fn member(&mut self, word: &[Letter], ask: &mut Member<'_>) -> Result<bool, Stopped> {
        for end in 0..=word.len() {
            match self.known.get(&word[..end]) {
                Some(false) => return Ok(false),
                Some(true) if end == word.len() => return Ok(true),
                _ => {}
            }
        }
        let answer = ask(word)?;
        self.queries += 1;
        self.known.insert(word.to_vec(), answer);
        Ok(answer)
    }

    fn row(&mut self, word: &[Letter], ask: &mut Member<'_>) -> Result<Vec<bool>, Stopped> {
        let mut row = Vec::with_capacity(self.suffixes.len());
        for i in 0..self.suffixes.len() {
            let whole: Vec<Letter> = word.iter().chain(&self.suffixes[i]).copied().collect();
            row.push(self.member(&whole, ask)?);
        }
        Ok(row)
    }

    /// Makes the table closed, and the next conjecture: where each state leads. A state whose own word is rejected is no state of
    /// the conjecture. Returns it, and for each word of the table its state. `None` when the empty word is rejected.
    pub(crate) fn conjecture(&mut self, ask: &mut Member<'_>) -> Result<Option<Conjecture>, Stopped> {
        let mut rows: Vec<Vec<bool>> = Vec::new();
        let mut index: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        for i in 0..self.words.len() {
            let word = self.words[i].clone();
            let row = self.row(&word, ask)?;
            index.insert(row.clone(), i);
            rows.push(row);
        }
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut i = 0;
        while i < self.words.len() {
            let mut targets = Vec::new();
            for letter in self.letters.clone() {
                let mut word = self.words[i].clone();
                word.push(letter);
                let row = self.row(&word, ask)?;
                let target = match index.get(&row) {
                    Some(target) => *target,
                    None => {
                        index.insert(row.clone(), self.words.len());
                        rows.push(row);
                        self.words.push(word);
                        self.words.len() - 1
                    }
                };
                targets.push(target);
            }
            next.push(targets);
            i += 1;
        }
        if !rows[0][0] {
            return Ok(None);
        }
        // States keep the order of their words; the rejecting one, if any, is left out.
        let mut number = vec![None; rows.len()];
        for (count, (i, _)) in rows.iter().enumerate().filter(|(_, row)| row[0]).enumerate() {
            number[i] = Some(count as u32);
        }
        let mut monitor = Monitor { alphabet: self.alphabet.clone(), next: Vec::new() };
        for (i, targets) in next.iter().enumerate().filter(|(i, _)| number[*i].is_some()) {
            let mut row = vec![None; self.alphabet_size()];
            for (letter, target) in self.letters.iter().zip(targets) {
                row[usize::from(*letter)] = number[*target];
            }
            debug_assert_eq!(number[i], Some(monitor.next.len() as u32));
            monitor.next.push(row);
        }
        Ok(Some(Conjecture { monitor, next }))
    }

    fn alphabet_size(&self) -> usize {
        self.alphabet.size()
    }

    /// Learns from a word about which conjecture and language differ: finds a suffix that tells two words of the table apart.
    pub(crate) fn learn(
        &mut self,
        conjecture: &Conjecture,
        word: &[Letter],
        ask: &mut Member<'_>,
    ) -> Result<(), Stopped> {
        let place = |letter: Letter, letters: &[Letter]| letters.binary_search(&letter).expect("it is of the alphabet");
        let mut state = 0;
        let mut before = self.member(word, ask)?;
        for i in 0..word.len() {
            let after_state = conjecture.next[state][place(word[i], &self.letters)];
            let whole: Vec<Letter> = self.words[after_state].iter().chain(&word[i + 1..]).copied().collect();
            let after = self.member(&whole, ask)?;
            if before != after {
                let suffix = word[i + 1..].to_vec();
                assert!(!self.suffixes.contains(&suffix), "the suffix tells rows apart that were equal");
                self.suffixes.push(suffix);
                return Ok(());
            }
            before = after;
            state = after_state;
        }
        unreachable!("conjecture and language differ about the word");
    }
}

/// What a table conjectures.
pub(crate) struct Conjecture {
    /// The automaton.
    pub(crate) monitor: Monitor,
    /// By word of the table and letter: the word that stands for where it leads.
    next: Vec<Vec<usize>>,
}
