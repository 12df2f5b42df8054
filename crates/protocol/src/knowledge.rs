//! What the intruder knows, in canonical form.
//!
//! Knowledge is closed under analysis (both parts of a pair, the body of an encryption whose inverse key can be made) and kept as its
//! atoms and those compound terms that cannot be made of the rest; then equal knowledge has equal form. Whether a term can be made is
//! decided by recursion, because the terms that can be made are infinite in number.
//!
//! [`Intruder::Simple`] opens a message with the atoms of its own time only (Khan, Mukund, Suresh, "Generic Verification of Security
//! Protocols", SPIN 2005): a ciphertext whose key arrives later stays closed. That keeps whether there is a leak at all, as long as all
//! atoms are watched and keys are atoms; see [`crate::options::Setup`].

use crate::terms::{Term, TermId, Terms};

/// How messages are opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Intruder {
    /// With all that is known, whenever it becomes known.
    #[default]
    Full,
    /// With what is known when a message is seen.
    Simple,
}

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Knowledge {
    /// Known atoms, a bit each.
    atoms: Vec<u64>,
    /// Compound terms that cannot be made of the rest, by their bytes.
    store: Vec<TermId>,
}

/// The keys that open what others close: by atom.
pub type Inverses = [u16];

impl Knowledge {
    /// Knowledge of some atoms, among this many.
    pub fn of(count: usize, known: impl IntoIterator<Item = u16>) -> Self {
        let mut knowledge = Knowledge { atoms: vec![0; count.div_ceil(64)], store: Vec::new() };
        known.into_iter().for_each(|atom| knowledge.set(atom));
        knowledge
    }

    /// Takes over another knowledge and keeps the memory.
    pub fn copy_from(&mut self, other: &Knowledge) {
        self.atoms.clone_from(&other.atoms);
        self.store.clone_from(&other.store);
    }

    /// Whether an atom is known.
    #[inline]
    pub fn has(&self, atom: u16) -> bool {
        self.atoms[usize::from(atom) / 64] >> (atom % 64) & 1 == 1
    }

    /// Adds an atom and nothing that follows from it.
    pub fn set(&mut self, atom: u16) {
        self.atoms[usize::from(atom) / 64] |= 1 << (atom % 64);
    }

    /// The compound terms that are kept.
    pub fn store(&self) -> &[TermId] {
        &self.store
    }

    /// Puts back a compound term that was kept.
    pub fn keep(&mut self, term: TermId) {
        self.store.push(term);
    }

    /// Whether a term can be made.
    pub fn makes(&self, terms: &Terms, term: TermId) -> bool {
        match terms.get(term) {
            Term::Atom(atom) => self.has(atom),
            _ if self.store.contains(&term) => true,
            whole => self.makes_parts(terms, whole),
        }
    }

    fn makes_parts(&self, terms: &Terms, whole: Term) -> bool {
        match whole {
            Term::Atom(_) => false,
            Term::Pair(left, right) => self.makes(terms, left) && self.makes(terms, right),
            Term::Encrypted { body, key } => self.makes(terms, body) && self.makes(terms, key),
            Term::Applied(_, argument) => self.makes(terms, argument),
        }
    }

    /// Whether what was closed with a key can be opened.
    fn opens(&self, terms: &Terms, inverses: &Inverses, key: TermId) -> bool {
        match terms.get(key) {
            Term::Atom(atom) => self.has(inverses[usize::from(atom)]),
            _ => self.makes(terms, key),
        }
    }

    /// Learns a message. Adds the atoms that were not known before to `new`.
    pub fn learn(
        &mut self,
        terms: &Terms,
        inverses: &Inverses,
        intruder: Intruder,
        message: TermId,
        new: &mut Vec<u16>,
    ) {
        let mut open = vec![message];
        // The ciphertexts of this message: the simple intruder looks at these only.
        let mut own = Vec::new();
        loop {
            let mut has_learnt = false;
            while let Some(term) = open.pop() {
                match terms.get(term) {
                    Term::Atom(atom) if self.has(atom) => {}
                    Term::Atom(atom) => {
                        self.set(atom);
                        new.push(atom);
                        has_learnt = true;
                    }
                    Term::Pair(left, right) => open.extend([left, right]),
                    _ if own.contains(&term) => {}
                    _ => {
                        own.push(term);
                        has_learnt = true;
                        if !self.store.contains(&term) {
                            self.store.push(term);
                        }
                    }
                }
            }
            if !has_learnt {
                break;
            }
            let looked_at = if intruder == Intruder::Simple { &own } else { &self.store };
            for &term in looked_at {
                if let Term::Encrypted { body, key } = terms.get(term)
                    && self.opens(terms, inverses, key)
                {
                    open.push(body);
                }
            }
        }
        self.reduce(terms);
    }

    /// Brings the kept terms into canonical form: what can be made of smaller ones is dropped.
    fn reduce(&mut self, terms: &Terms) {
        let store = std::mem::take(&mut self.store);
        self.store.clone_from(&store);
        let mut kept: Vec<TermId> = store.into_iter().filter(|t| !self.makes_parts(terms, terms.get(*t))).collect();
        kept.sort_unstable_by(|a, b| terms.bytes(*a).cmp(terms.bytes(*b)));
        self.store = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Atoms: a key pair (0, 1), a symmetric key (2), values (3, 4).
    const INVERSES: [u16; 5] = [1, 0, 2, 3, 4];

    fn check(messages: &[fn(&mut Terms) -> TermId], intruder: Intruder, atoms: &[u16], kept: usize) {
        let mut terms = Terms::new(5);
        let mut knowledge = Knowledge::of(5, [0]);
        let mut new = Vec::new();
        for message in messages {
            let message = message(&mut terms);
            knowledge.learn(&terms, &INVERSES, intruder, message, &mut new);
        }
        new.sort_unstable();
        assert_eq!((new.as_slice(), knowledge.store().len()), (atoms, kept));
    }

    fn sealed(terms: &mut Terms, body: u16, key: u16) -> TermId {
        let (body, key) = (terms.atom(body), terms.atom(key));
        terms.add(Term::Encrypted { body, key })
    }

    #[test]
    fn late_keys_tell_the_intruders_apart() {
        let closed = |terms: &mut Terms| sealed(terms, 3, 2);
        let key = |terms: &mut Terms| terms.atom(2);
        check(&[closed, key], Intruder::Full, &[2, 3], 0);
        check(&[closed, key], Intruder::Simple, &[2], 1);
        check(&[key, closed], Intruder::Simple, &[2, 3], 0);
    }

    #[test]
    fn signatures_are_opened_and_kept() {
        check(&[|terms| sealed(terms, 3, 1)], Intruder::Full, &[3], 1);
        check(&[|terms| sealed(terms, 3, 0)], Intruder::Full, &[], 1);
    }

    #[test]
    fn a_key_inside_its_own_ciphertext_stays_there() {
        check(&[|terms| sealed(terms, 2, 2)], Intruder::Full, &[], 1);
    }

    #[test]
    fn what_can_be_made_is_dropped() {
        let nested = |terms: &mut Terms| {
            let (inner, key) = (sealed(terms, 3, 2), terms.atom(0));
            terms.add(Term::Encrypted { body: inner, key })
        };
        check(&[nested], Intruder::Full, &[], 1);
        // The inner one makes the outer one.
        check(&[nested, |terms| sealed(terms, 3, 2)], Intruder::Full, &[], 1);
    }
}
