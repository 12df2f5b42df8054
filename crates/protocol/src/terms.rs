//! Ground terms, shared and numbered, and their form as bytes.
//!
//! Atoms are the values that nothing is made of: names of agents, keys, fresh values, constants. What is made of others is a pair, an
//! encryption or a one-way function; equal terms have equal numbers. The bytes of a term are its prefix form, so that they mean the same
//! in every table, and states made of them can be compared, stored and sent.

use rustc_hash::FxHashMap;

ferrospin_source::typed_index! {
    /// A term of a table.
    TermId
}

/// A term, over the numbers of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A value that nothing is made of, by its number.
    Atom(u16),
    /// Two terms.
    Pair(TermId, TermId),
    /// A term encrypted or signed.
    Encrypted {
        /// What.
        body: TermId,
        /// With which key.
        key: TermId,
    },
    /// A one-way function of a term.
    Applied(u8, TermId),
}

/// Atoms below this number take one byte.
const SHORT: u16 = 0xE0;
pub(crate) const PAIR: u8 = 0xF0;
pub(crate) const ENCRYPTED: u8 = 0xF1;
pub(crate) const APPLIED: u8 = 0xF2;
/// In the bytes of a state: a variable without value.
pub const UNBOUND: u8 = 0xFF;

/// Atoms that a table may have.
pub const ATOMS_MAX: usize = 0x1000;

/// Terms with their numbers. The first numbers are those of the atoms.
#[derive(Clone, Debug)]
pub struct Terms {
    list: Vec<Term>,
    bytes: Vec<Box<[u8]>>,
    numbers: FxHashMap<Term, TermId>,
    by_bytes: FxHashMap<Box<[u8]>, TermId>,
}

impl Terms {
    /// A table of atoms.
    ///
    /// # Panics
    /// Panics when there are more than [`ATOMS_MAX`].
    pub fn new(atoms: usize) -> Self {
        assert!(atoms <= ATOMS_MAX, "at most {ATOMS_MAX} atoms");
        let (numbers, by_bytes) = (FxHashMap::default(), FxHashMap::default());
        let mut terms = Terms { list: Vec::new(), bytes: Vec::new(), numbers, by_bytes };
        for atom in 0..atoms {
            terms.add(Term::Atom(atom as u16));
        }
        terms
    }

    /// The term with this number.
    #[inline]
    pub fn get(&self, id: TermId) -> Term {
        self.list[id.index()]
    }

    /// The bytes of a term.
    #[inline]
    pub fn bytes(&self, id: TermId) -> &[u8] {
        &self.bytes[id.index()]
    }

    /// The number of a term.
    #[inline]
    pub fn add(&mut self, term: Term) -> TermId {
        if let Some(id) = self.numbers.get(&term) {
            return *id;
        }
        let mut bytes = Vec::new();
        match term {
            Term::Atom(n) if n < SHORT => bytes.push(n as u8),
            Term::Atom(n) => bytes.extend([SHORT as u8 | (n >> 8) as u8, n as u8]),
            Term::Pair(left, right) => {
                bytes.push(PAIR);
                bytes.extend_from_slice(self.bytes(left));
                bytes.extend_from_slice(self.bytes(right));
            }
            Term::Encrypted { body, key } => {
                bytes.push(ENCRYPTED);
                bytes.extend_from_slice(self.bytes(body));
                bytes.extend_from_slice(self.bytes(key));
            }
            Term::Applied(function, argument) => {
                bytes.extend([APPLIED, function]);
                bytes.extend_from_slice(self.bytes(argument));
            }
        }
        let id = TermId(self.list.len() as u32);
        self.list.push(term);
        self.by_bytes.insert(bytes.clone().into(), id);
        self.bytes.push(bytes.into());
        self.numbers.insert(term, id);
        id
    }

    /// The term of an atom.
    #[inline]
    pub fn atom(&self, atom: u16) -> TermId {
        debug_assert!(self.list[usize::from(atom)] == Term::Atom(atom));
        TermId(u32::from(atom))
    }

    /// The atom that a term is.
    #[inline]
    pub fn as_atom(&self, id: TermId) -> Option<u16> {
        match self.get(id) {
            Term::Atom(atom) => Some(atom),
            _ => None,
        }
    }

    /// Reads the term with which some bytes begin, and how many bytes it takes.
    pub fn read(&mut self, bytes: &[u8]) -> (TermId, usize) {
        let len = length(bytes);
        if let Some(id) = self.by_bytes.get(&bytes[..len]) {
            return (*id, len);
        }
        let (term, _) = match bytes[0] {
            PAIR => {
                let (left, first) = self.read(&bytes[1..]);
                let (right, second) = self.read(&bytes[1 + first..]);
                (Term::Pair(left, right), first + second)
            }
            ENCRYPTED => {
                let (body, first) = self.read(&bytes[1..]);
                let (key, second) = self.read(&bytes[1 + first..]);
                (Term::Encrypted { body, key }, first + second)
            }
            APPLIED => {
                let (argument, len) = self.read(&bytes[2..]);
                (Term::Applied(bytes[1], argument), len)
            }
            _ => unreachable!("every atom is in the table"),
        };
        (self.add(term), len)
    }
}

/// How many bytes the first term takes.
fn length(bytes: &[u8]) -> usize {
    let (mut at, mut open) = (0, 1);
    while open > 0 {
        match bytes[at] {
            PAIR | ENCRYPTED => open += 1,
            APPLIED => at += 1,
            short if u16::from(short) < SHORT => open -= 1,
            _ => {
                at += 1;
                open -= 1;
            }
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let mut terms = Terms::new(300);
        let (small, large) = (terms.atom(7), terms.atom(290));
        let pair = terms.add(Term::Pair(small, large));
        let hash = terms.add(Term::Applied(3, pair));
        let all = terms.add(Term::Encrypted { body: hash, key: large });
        let bytes = [terms.bytes(all), &[1, 2]].concat();
        assert_eq!(terms.read(&bytes), (all, bytes.len() - 2));
        let mut other = Terms::new(300);
        let (read, len) = other.read(&bytes);
        assert_eq!((len, other.bytes(read)), (bytes.len() - 2, terms.bytes(all)));
        assert_eq!(terms.add(Term::Pair(small, large)), pair, "equal terms have equal numbers");
    }
}
