//! Which messages of a form the intruder can send: found by matching what is known, never by making all messages and testing them.

use crate::knowledge::Knowledge;
use crate::protocol::{Event, Kind, Origin, Pattern, Role};
use crate::terms::{Term, TermId, Terms};
use crate::world::{Atom, VARIABLES_MAX, World};

/// A variable without value.
pub const NONE: TermId = TermId(u32::MAX);

/// Values of the variables of a role.
pub type Values = [TermId; VARIABLES_MAX];

/// What matching goes by.
pub struct Matcher<'a> {
    /// The protocol and its sessions.
    pub world: &'a World,
    /// The role whose variables are given values.
    pub role: &'a Role,
    /// The agent that plays it: no other role is this agent's.
    pub agent: usize,
    /// The forms of variables that cannot be opened.
    pub shapes: &'a [(usize, Pattern)],
    /// Variables whose value matters for nothing: one is enough for each.
    pub idle: &'a [bool],
}

/// The term of a pattern, if all its variables have values.
pub fn instance(world: &World, terms: &mut Terms, pattern: &Pattern, values: &Values) -> Option<TermId> {
    let mut part = |pattern| instance(world, terms, pattern, values);
    let agent = |term: TermId, terms: &Terms| match world.atoms[usize::from(terms.as_atom(term)?)] {
        Atom::Agent(agent) => Some(agent),
        _ => None,
    };
    Some(match pattern {
        Pattern::Variable(v) => (values[*v] != NONE).then_some(values[*v])?,
        Pattern::Constant(c) => terms.atom(world.constant(*c)),
        Pattern::Server(role) => terms.atom(world.servers[*role]? as u16),
        Pattern::Pair(left, right) => {
            let (left, right) = (part(left)?, part(right)?);
            terms.add(Term::Pair(left, right))
        }
        Pattern::Encrypted(body, key) => {
            let (body, key) = (part(body)?, part(key)?);
            terms.add(Term::Encrypted { body, key })
        }
        Pattern::Public(of) => {
            let of = part(of)?;
            terms.atom(world.public(agent(of, terms)?))
        }
        Pattern::Private(of) => {
            let of = part(of)?;
            terms.atom(world.private(agent(of, terms)?))
        }
        Pattern::Shared(family, first, second) => {
            let (first, second) = (part(first)?, part(second)?);
            terms.atom(world.shared(*family, agent(first, terms)?, agent(second, terms)?))
        }
        Pattern::Applied(function, argument) => {
            let argument = part(argument)?;
            terms.add(Term::Applied(*function as u8, argument))
        }
    })
}

impl Matcher<'_> {
    /// Whether a variable may have this value.
    fn takes(&self, terms: &Terms, variable: usize, value: TermId) -> bool {
        let kind = self.role.variables[variable].kind;
        // Forms keep their types.
        let is_free = self.world.setup.untyped && variable < self.role.kept;
        let atom = match terms.get(value) {
            Term::Atom(atom) => usize::from(atom),
            _ => return kind == Kind::Opaque || kind != Kind::Agent && is_free,
        };
        match kind {
            Kind::Opaque => true,
            Kind::Agent => {
                let is_form = variable >= self.role.kept;
                let is_free = is_form || self.world.protocol.any_partner;
                self.world.kinds[atom] == Some(Kind::Agent) && (is_free || atom != self.agent)
            }
            _ if is_free => true,
            kind => self.world.kinds[atom] == Some(kind),
        }
    }

    /// Adds all ways to give values to variables such that a pattern becomes this term.
    pub fn unify(&self, terms: &Terms, pattern: &Pattern, term: TermId, values: &Values, out: &mut Vec<Values>) {
        let both = |first: (&Pattern, TermId), second: (&Pattern, TermId), out: &mut Vec<Values>| {
            let mut half = Vec::new();
            self.unify(terms, first.0, first.1, values, &mut half);
            half.iter().for_each(|values| self.unify(terms, second.0, second.1, values, out));
        };
        let agent = |agent: usize| terms.atom(agent as u16);
        let atom = || terms.as_atom(term).map(|atom| self.world.atoms[usize::from(atom)]);
        let is_atom = |atom: u16| terms.atom(atom) == term;
        match (pattern, terms.get(term)) {
            (Pattern::Variable(v), _) if values[*v] == term => out.push(*values),
            (Pattern::Variable(v), _) if values[*v] == NONE && self.takes(terms, *v, term) => {
                let mut values = *values;
                values[*v] = term;
                out.push(values);
            }
            (Pattern::Constant(c), _) if is_atom(self.world.constant(*c)) => out.push(*values),
            (Pattern::Server(role), _) if self.world.servers[*role].is_some_and(|a| agent(a) == term) => {
                out.push(*values);
            }
            (Pattern::Pair(a, b), Term::Pair(x, y)) => both((a, x), (b, y), out),
            // Keys first: they are mostly known, and tell most messages apart.
            (Pattern::Encrypted(b, k), Term::Encrypted { body, key }) => both((k, key), (b, body), out),
            (Pattern::Applied(f, a), Term::Applied(g, x)) if *f == usize::from(g) => {
                self.unify(terms, a, x, values, out);
            }
            (Pattern::Public(of), Term::Atom(_)) => {
                if let Some(Atom::Public(a)) = atom() {
                    self.unify(terms, of, agent(a), values, out);
                }
            }
            (Pattern::Private(of), Term::Atom(_)) => {
                if let Some(Atom::Private(a)) = atom() {
                    self.unify(terms, of, agent(a), values, out);
                }
            }
            (Pattern::Shared(family, first, second), Term::Atom(_)) => {
                if let Some(Atom::Shared(f, a, b)) = atom()
                    && f == *family
                {
                    both((first, agent(a)), (second, agent(b)), out);
                    if self.world.protocol.shared[f].is_symmetric && a != b {
                        both((first, agent(b)), (second, agent(a)), out);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds all ways to give values to variables such that the intruder can make the pattern.
    pub fn make(
        &self,
        terms: &mut Terms,
        known: &Knowledge,
        pattern: &Pattern,
        values: &Values,
        out: &mut Vec<Values>,
    ) {
        if let Some(term) = instance(self.world, terms, pattern, values) {
            if known.makes(terms, term) {
                out.push(*values);
            }
            return;
        }
        match pattern {
            Pattern::Variable(v) => self.make_variable(terms, known, *v, values, out),
            Pattern::Constant(_) | Pattern::Server(_) => {}
            Pattern::Pair(left, right) => self.make_both(terms, known, [left, right], values, out),
            Pattern::Encrypted(body, key) => {
                known.store().iter().for_each(|term| self.unify(terms, pattern, *term, values, out));
                self.make_both(terms, known, [key, body], values, out);
            }
            Pattern::Applied(_, argument) => {
                known.store().iter().for_each(|term| self.unify(terms, pattern, *term, values, out));
                self.make(terms, known, argument, values, out);
            }
            Pattern::Public(_) | Pattern::Private(_) | Pattern::Shared(..) => {
                let atoms = (0..self.world.atoms.len() as u16).filter(|a| known.has(*a));
                atoms.for_each(|atom| self.unify(terms, pattern, terms.atom(atom), values, out));
            }
        }
    }

    fn make_both(
        &self,
        terms: &mut Terms,
        known: &Knowledge,
        [first, second]: [&Pattern; 2],
        values: &Values,
        out: &mut Vec<Values>,
    ) {
        let mut half = Vec::new();
        self.make(terms, known, first, values, &mut half);
        half.iter().for_each(|values| self.make(terms, known, second, values, out));
    }

    fn make_variable(
        &self,
        terms: &mut Terms,
        known: &Knowledge,
        variable: usize,
        values: &Values,
        out: &mut Vec<Values>,
    ) {
        let mut with = |value: TermId| {
            let mut values = *values;
            values[variable] = value;
            out.push(values);
        };
        let is_opaque = self.role.variables[variable].kind == Kind::Opaque;
        let shape = self.shapes.iter().find(|(v, _)| *v == variable);
        let is_idle = variable < self.role.kept && self.idle[variable];
        for atom in (0..self.world.atoms.len() as u16).filter(|a| known.has(*a)) {
            // Of atoms one is enough for what cannot be opened, where there is a form it should have, or nothing depends on it.
            let is_wanted = !is_opaque
                || self.world.atoms[usize::from(atom)] == Atom::Own(Kind::Nonce)
                || shape.is_none() && !is_idle && self.world.kinds[usize::from(atom)] == Some(Kind::Opaque);
            if is_wanted && self.takes(terms, variable, terms.atom(atom)) {
                with(terms.atom(atom));
            }
        }
        for term in known.store().iter().filter(|t| !is_idle && self.takes(terms, variable, **t)) {
            with(*term);
        }
        if let Some((_, shape)) = shape {
            let mut forged = Vec::new();
            self.make(terms, known, shape, values, &mut forged);
            for values in &forged {
                if let Some(term) = instance(self.world, terms, shape, values) {
                    with(term);
                }
            }
        }
    }

    /// All ways to receive a message, each once, in an order that depends on the terms only.
    pub fn receive(&self, terms: &mut Terms, known: &Knowledge, event: &Event, values: &Values) -> Vec<Values> {
        let mut found = Vec::new();
        self.make(terms, known, &event.message, values, &mut found);
        for (variable, pattern) in &event.opens {
            let before = std::mem::take(&mut found);
            before.iter().for_each(|values| self.unify(terms, pattern, values[*variable], values, &mut found));
        }
        found.iter_mut().for_each(|values| values[self.role.kept..].fill(NONE));
        self.sort(terms, &mut found);
        found
    }

    /// All ways to choose the agents of the roles that are open still.
    pub fn choose_partners(&self, terms: &Terms, values: &Values) -> Vec<Values> {
        let mut found = vec![*values];
        for (v, variable) in self.role.variables[..self.role.kept].iter().enumerate() {
            if !matches!(variable.origin, Origin::Agent(_)) || values[v] != NONE {
                continue;
            }
            let any = self.world.protocol.any_partner;
            let others = (0..self.world.agents.len()).filter(|a| any || *a != self.agent);
            found = others
                .flat_map(|agent| {
                    let agent = terms.atom(agent as u16);
                    found.iter().map(move |values| {
                        let mut values = *values;
                        values[v] = agent;
                        values
                    })
                })
                .collect();
        }
        self.sort(terms, &mut found);
        found
    }

    fn sort(&self, terms: &Terms, found: &mut Vec<Values>) {
        let key = |term: TermId| if term == NONE { &[][..] } else { terms.bytes(term) };
        if found.len() > 1 {
            found.sort_unstable_by(|a, b| a.iter().map(|t| key(*t)).cmp(b.iter().map(|t| key(*t))));
            found.dedup();
        }
    }
}
