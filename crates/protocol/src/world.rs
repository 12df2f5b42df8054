//! A protocol with its sessions: the atoms there are, who plays what, what the intruder has at the beginning.
//!
//! Fresh values are named by the session that makes them, never by a counter, so that the order in which sessions move does not split
//! states.

use crate::knowledge::Knowledge;
use crate::options::{Setup, Unusable};
use crate::protocol::{ClaimKind, Event, Exchange, Kind, Origin, Protocol};
use crate::terms::ATOMS_MAX;

/// What an atom is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// An agent, by its number.
    Agent(usize),
    /// The public key of an agent.
    Public(usize),
    /// The private key of an agent.
    Private(usize),
    /// A long-term key: family and agents.
    Shared(usize, usize, usize),
    /// A constant.
    Constant(usize),
    /// What a role makes in a session.
    Fresh {
        /// The session.
        session: usize,
        /// The role.
        role: usize,
        /// The variable of the role.
        variable: usize,
    },
    /// A value that the intruder makes.
    Own(Kind),
}

/// A role played by an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The role.
    pub role: usize,
    /// The agent.
    pub agent: usize,
}

/// Variables that a role may have.
pub const VARIABLES_MAX: usize = 40;
/// Events that a role may have.
pub const EVENTS_MAX: usize = 100;

/// See the module.
#[derive(Debug)]
pub struct World {
    /// The protocol.
    pub protocol: Protocol,
    /// How it is run.
    pub setup: Setup,
    /// The names of the agents: honest ones, servers, then the intruder.
    pub agents: Vec<String>,
    /// The intruder among them.
    pub intruder: usize,
    /// The agent of each role that is a server.
    pub servers: Vec<Option<usize>>,
    /// The atoms.
    pub atoms: Vec<Atom>,
    /// What a variable takes that has an atom as its value.
    pub kinds: Vec<Option<Kind>>,
    /// The key that opens what an atom closes, by atom.
    pub inverses: Vec<u16>,
    /// All parts that a session without a fixed one may take.
    pub parts: Vec<Part>,
    /// The parts of the sessions, by number among `parts`; `None` for one that takes any.
    pub sessions: Vec<Option<usize>>,
    /// By role: messages that it receives of which a claim says that they were sent before, in the order of its events.
    pub ordered: Vec<Vec<Exchange>>,
    /// By role and variable: whether its value matters for nothing.
    pub idle: Vec<Vec<bool>>,
    /// What the intruder has at the beginning.
    pub start: Knowledge,
    /// The atoms that the intruder does not have at the beginning: the others take no place in states.
    pub learnable: Vec<u16>,
    /// Where the atoms of a kind begin.
    public: Vec<u16>,
    private: Vec<u16>,
    shared: Vec<Vec<u16>>,
    constants: Vec<u16>,
    /// By session, role and variable.
    fresh: Vec<Vec<Vec<Option<u16>>>>,
}

impl World {
    /// A protocol with its sessions, if they are not too many for the encoding of states.
    pub fn new(protocol: Protocol, setup: Setup) -> Result<World, Unusable> {
        let mut agents = setup.sessions.honest.clone();
        let mut servers = Vec::new();
        for role in &protocol.roles {
            servers.push(role.is_server.then_some(agents.len()));
            if role.is_server {
                agents.push(unused(&agents, &role.name.to_lowercase()));
            }
        }
        let players = setup.sessions.honest.len();
        let intruder = agents.len();
        agents.push(unused(&agents, "I"));
        let mut parts = Vec::new();
        for (role, server) in servers.iter().enumerate() {
            match server {
                Some(agent) => parts.push(Part { role, agent: *agent }),
                None => parts.extend((0..players).map(|agent| Part { role, agent })),
            }
        }
        // The number of a part takes a byte of a state.
        if parts.len() > 250 {
            return Err(Unusable::TooLarge(format!("{} ways to give roles to agents", parts.len())));
        }
        let part = |(role, agent): &(usize, Option<usize>)| {
            let agent = servers[*role].or(*agent)?;
            parts.iter().position(|p| *p == Part { role: *role, agent })
        };
        let mut sessions: Vec<Option<usize>> = setup.sessions.run.iter().map(part).collect();
        sessions.extend(std::iter::repeat_n(None, setup.sessions.extra));
        let mut world = World {
            ordered: Vec::new(),
            idle: Vec::new(),
            start: Knowledge::default(),
            atoms: Vec::new(),
            kinds: Vec::new(),
            inverses: Vec::new(),
            learnable: Vec::new(),
            public: Vec::new(),
            private: Vec::new(),
            shared: Vec::new(),
            constants: Vec::new(),
            fresh: Vec::new(),
            protocol,
            setup,
            agents,
            intruder,
            servers,
            parts,
            sessions,
        };
        world.look_at_claims();
        world.make_atoms();
        if world.atoms.len() > ATOMS_MAX {
            return Err(Unusable::TooLarge(format!("{} names, keys and fresh values", world.atoms.len())));
        }
        let known: Vec<u16> = (0..world.atoms.len() as u16).filter(|a| world.is_known_first(*a)).collect();
        world.start = Knowledge::of(world.atoms.len(), known);
        world.learnable = (0..world.atoms.len() as u16).filter(|a| !world.start.has(*a)).collect();
        Ok(world)
    }

    /// What the claims that are checked look at.
    fn look_at_claims(&mut self) {
        let protocol = &self.protocol;
        let checked: Vec<&ClaimKind> = self.setup.claims.iter().map(|c| &protocol.claims[*c].kind).collect();
        let exchanges = |only_ordered: bool| {
            checked.iter().flat_map(move |claim| match claim {
                ClaimKind::Exchanged { exchanges, ordered, .. } if *ordered || !only_ordered => exchanges.as_slice(),
                _ => &[],
            })
        };
        for (number, role) in protocol.roles.iter().enumerate() {
            let mut ordered: Vec<Exchange> = exchanges(true).filter(|e| e.receiver == number).copied().collect();
            ordered.sort_by_key(|e| e.received);
            ordered.dedup();
            let is_idle = |v: usize| {
                let variable = &role.variables[v];
                let closed = variable.kind == Kind::Opaque && variable.origin == Origin::Received;
                let formed = |e: &Event| e.shapes.iter().chain(&e.opens).any(|(w, p)| *w == v || p.mentions(v));
                let claimed = checked.iter().any(|claim| claim.mentions(number, v))
                    || exchanges(false).any(|e| {
                        e.sender == number && role.events[e.sent].message.mentions(v)
                            || e.receiver == number && role.events[e.received].message.mentions(v)
                    });
                let uses: usize = role.events.iter().map(|e| e.message.count(v)).sum();
                closed && uses == 1 && !claimed && !role.events.iter().any(formed)
            };
            self.idle.push((0..role.kept).map(is_idle).collect());
            self.ordered.push(ordered);
        }
    }

    fn atom(&mut self, atom: Atom, kind: Option<Kind>) -> u16 {
        let number = self.atoms.len() as u16;
        self.atoms.push(atom);
        self.kinds.push(kind);
        self.inverses.push(number);
        number
    }

    fn make_atoms(&mut self) {
        let agents = self.agents.len();
        for agent in 0..agents {
            self.atom(Atom::Agent(agent), Some(Kind::Agent));
        }
        self.public = (0..agents).map(|a| self.atom(Atom::Public(a), None)).collect();
        self.private = (0..agents).map(|a| self.atom(Atom::Private(a), None)).collect();
        for agent in 0..agents {
            let (public, private) = (self.public[agent], self.private[agent]);
            self.inverses[usize::from(public)] = private;
            self.inverses[usize::from(private)] = public;
        }
        for family in 0..self.protocol.shared.len() {
            let mut keys = vec![0; agents * agents];
            for first in 0..agents {
                for second in 0..agents {
                    let is_same = self.protocol.shared[family].is_symmetric && second < first;
                    keys[first * agents + second] = match is_same {
                        true => keys[second * agents + first],
                        false => self.atom(Atom::Shared(family, first, second), None),
                    };
                }
            }
            self.shared.push(keys);
        }
        self.constants = (0..self.protocol.constants.len()).map(|c| self.atom(Atom::Constant(c), None)).collect();
        let others = (0..self.protocol.types.len()).map(|t| Kind::Other(t as u8));
        for kind in [Kind::Nonce, Kind::Key].into_iter().chain(others) {
            self.atom(Atom::Own(kind), Some(kind));
        }
        for session in 0..self.sessions.len() {
            let roles: Vec<usize> = match self.sessions[session] {
                Some(part) => vec![self.parts[part].role],
                None => (0..self.protocol.roles.len()).collect(),
            };
            let mut by_role = vec![Vec::new(); self.protocol.roles.len()];
            for role in roles {
                let variables: Vec<_> =
                    self.protocol.roles[role].variables.iter().map(|v| (v.origin, v.kind)).collect();
                for (variable, (origin, kind)) in variables.into_iter().enumerate() {
                    let is_fresh = matches!(origin, Origin::Fresh(_));
                    let atom = is_fresh.then(|| self.atom(Atom::Fresh { session, role, variable }, Some(kind)));
                    by_role[role].push(atom);
                }
            }
            self.fresh.push(by_role);
        }
    }

    fn is_known_first(&self, atom: u16) -> bool {
        match self.atoms[usize::from(atom)] {
            Atom::Agent(_) | Atom::Public(_) | Atom::Constant(_) | Atom::Own(_) => true,
            Atom::Private(agent) => agent == self.intruder,
            Atom::Shared(_, a, b) => a == self.intruder || b == self.intruder,
            Atom::Fresh { .. } => false,
        }
    }

    /// The atom of a public key.
    pub fn public(&self, agent: usize) -> u16 {
        self.public[agent]
    }

    /// The atom of a private key.
    pub fn private(&self, agent: usize) -> u16 {
        self.private[agent]
    }

    /// The atom of a long-term key.
    pub fn shared(&self, family: usize, first: usize, second: usize) -> u16 {
        self.shared[family][first * self.agents.len() + second]
    }

    /// The atom of a constant.
    pub fn constant(&self, constant: usize) -> u16 {
        self.constants[constant]
    }

    /// The atom that a role makes in a session.
    pub fn fresh(&self, session: usize, role: usize, variable: usize) -> Option<u16> {
        self.fresh[session][role].get(variable).copied().flatten()
    }

    /// The name of an atom.
    pub fn name(&self, atom: u16) -> String {
        match self.atoms[usize::from(atom)] {
            Atom::Agent(agent) => self.agents[agent].clone(),
            Atom::Public(agent) => format!("pk({})", self.agents[agent]),
            Atom::Private(agent) => format!("sk({})", self.agents[agent]),
            Atom::Shared(family, a, b) => {
                format!("{}({},{})", self.protocol.shared[family].name, self.agents[a], self.agents[b])
            }
            Atom::Constant(constant) => self.protocol.constants[constant].clone(),
            Atom::Fresh { session, role, variable } => {
                let name = &self.protocol.roles[role].variables[variable].name;
                format!("{name}.{}", letter(session))
            }
            Atom::Own(Kind::Nonce) => "nonce.I".into(),
            Atom::Own(Kind::Key) => "key.I".into(),
            Atom::Own(Kind::Other(t)) => format!("{}.I", self.protocol.types[usize::from(t)]),
            Atom::Own(_) => "own.I".into(),
        }
    }
}

/// A name that is not in use yet.
fn unused(taken: &[String], name: &str) -> String {
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.push('\'');
    }
    name
}

/// The prefix of a session, as attacks are told.
pub fn letter(session: usize) -> String {
    const LETTERS: [&str; 24] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
        "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
    ];
    LETTERS.get(session).map_or_else(|| format!("s{session}"), |l| (*l).to_owned())
}
