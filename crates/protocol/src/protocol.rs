//! What a protocol is once it has been read, whatever language it was written in: roles as sequences of events over patterns, and claims.

use ferrospin_source::Span;

/// A protocol.
#[derive(Clone, Debug, Default)]
pub struct Protocol {
    /// Its name.
    pub name: String,
    /// The roles; those that are servers are played by one fixed agent each.
    pub roles: Vec<Role>,
    /// Values that all agents have, the intruder too.
    pub constants: Vec<String>,
    /// One-way functions, which every agent can apply.
    pub functions: Vec<String>,
    /// Families of long-term keys of two agents.
    pub shared: Vec<SharedKeys>,
    /// Types of values besides agents, nonces and keys.
    pub types: Vec<String>,
    /// What must hold.
    pub claims: Vec<Claim>,
    /// Whether the text says what is secret: then the generic property is checked only where it is asked for.
    pub states_secrets: bool,
    /// What is not watched for leaks: role and variable.
    pub public: Vec<(usize, usize)>,
    /// Session keys that become known when a session is over: role and variable.
    pub lost: Vec<(usize, usize)>,
    /// Who plays, as the text says it.
    pub sessions: Option<Sessions>,
    /// Whether an agent may take part in a session with itself, and claims are about sessions in which some role is open still: the agent
    /// is any. So it is in Scyther.
    pub any_partner: bool,
}

/// A family of long-term keys of two agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedKeys {
    /// Its name.
    pub name: String,
    /// Whether the order of the agents does not matter.
    pub is_symmetric: bool,
}

/// What one agent does.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// Whether one fixed agent plays it.
    pub is_server: bool,
    /// Its variables; the first is the agent itself.
    pub variables: Vec<Variable>,
    /// Variables of [`Role::variables`] from here on occur in shapes only and have no value between events.
    pub kept: usize,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// A variable of a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where its value comes from.
    pub origin: Origin,
    /// What may be its value.
    pub kind: Kind,
}

/// Where the value of a variable comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is the agent that plays this role.
    Agent(usize),
    /// The role makes it, at this event.
    Fresh(usize),
    /// It is received.
    Received,
}

/// What may be the value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// An agent.
    Agent,
    /// A nonce.
    Nonce,
    /// A session key.
    Key,
    /// A value of one of [`Protocol::types`].
    Other(u8),
    /// Anything: what cannot be opened.
    Opaque,
}

/// Something that an agent does.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whether it is a send.
    pub is_send: bool,
    /// The role at the other end.
    pub peer: usize,
    /// The number of the message, as it is told.
    pub label: String,
    /// What is sent or received.
    pub message: Pattern,
    /// What variables that could not be opened before turn out to be.
    pub opens: Vec<(usize, Pattern)>,
    /// The forms of variables that cannot be opened: in which form the intruder forges them.
    pub shapes: Vec<(usize, Pattern)>,
    /// Where it stands in the text.
    pub span: Span,
}

/// A term with variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pattern {
    /// A variable of the role.
    Variable(usize),
    /// A constant.
    Constant(usize),
    /// The agent of a server.
    Server(usize),
    /// Two terms.
    Pair(Box<Pattern>, Box<Pattern>),
    /// A term encrypted or signed with a key.
    Encrypted(Box<Pattern>, Box<Pattern>),
    /// The public key of an agent.
    Public(Box<Pattern>),
    /// The private key of an agent.
    Private(Box<Pattern>),
    /// A long-term key of two agents, of one of [`Protocol::shared`].
    Shared(usize, Box<Pattern>, Box<Pattern>),
    /// A one-way function.
    Applied(usize, Box<Pattern>),
}

/// What must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// As reports name it.
    pub name: String,
    /// What.
    pub kind: ClaimKind,
    /// Where it stands in the text.
    pub span: Span,
}

/// What must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimKind {
    /// The intruder learns no value after it was made: the generic property of Khan, Mukund and Suresh.
    NoLeak,
    /// What this role makes for honest agents is not known to the intruder.
    Made {
        /// The role.
        role: usize,
        /// The variable.
        variable: usize,
    },
    /// What this role has at this point of a session with honest agents is not known to the intruder.
    Held {
        /// The role.
        role: usize,
        /// What, over variables of the role.
        value: Pattern,
        /// How many events come before.
        after: usize,
    },
    /// When the first role comes to this point with an honest agent in the other role, that agent plays this role with it and has the same values.
    Agree {
        /// Who relies on it.
        role: usize,
        /// Whom it is about.
        with: usize,
        /// What must be the same, over the variables of the first and of the second.
        values: Vec<(Pattern, Pattern)>,
        /// How many events of the second must have happened.
        since: usize,
        /// Whether each session of the first needs one of its own.
        injective: bool,
        /// How many events come before.
        after: usize,
    },
    /// When a role comes to this point with an honest agent in the other role, that agent has done something.
    Alive {
        /// Who relies on it.
        role: usize,
        /// Whom it is about.
        who: usize,
        /// How many events come before.
        after: usize,
    },
    /// When a role comes to this point among honest agents, each of them has run with the same set of agents: weak agreement as Scyther has it.
    WeakAgree {
        /// Who relies on it.
        role: usize,
        /// How many events come before.
        after: usize,
    },
    /// When a role comes to this point among honest agents, all messages that come before were exchanged with one session of each other role:
    /// non-injective agreement, or synchronisation if in order (Cremers, Mauw, de Vink, "Injective synchronisation", 2006).
    Exchanged {
        /// Who relies on it.
        role: usize,
        /// How many events come before.
        after: usize,
        /// The messages.
        exchanges: Vec<Exchange>,
        /// Whether each must be sent before it is received.
        ordered: bool,
    },
    /// No two sessions of a role with honest agents end with the same value.
    Fresh {
        /// The role.
        role: usize,
        /// The variable.
        variable: usize,
    },
}

/// A message that one role sends and another receives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Who sends it.
    pub sender: usize,
    /// At which of its events.
    pub sent: usize,
    /// Who receives it.
    pub receiver: usize,
    /// At which of its events.
    pub received: usize,
}

/// Who plays what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sessions {
    /// The honest agents, servers not among them.
    pub honest: Vec<String>,
    /// Which roles run, each played by an agent of the list; servers' agents are not named.
    pub run: Vec<(usize, Option<usize>)>,
    /// How many more sessions there may be, of any role.
    pub extra: usize,
}

impl Protocol {
    /// The role of this name.
    pub fn role(&self, name: &str) -> Option<usize> {
        self.roles.iter().position(|r| r.name == name)
    }

    /// The roles that are no servers.
    pub fn players(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.roles.len()).filter(|r| !self.roles[*r].is_server)
    }

    /// Whether all keys that messages are encrypted with are atoms.
    pub fn has_atomic_keys(&self) -> bool {
        fn is_atomic(role: &Role, pattern: &Pattern) -> bool {
            match pattern {
                Pattern::Pair(left, right) => is_atomic(role, left) && is_atomic(role, right),
                Pattern::Encrypted(body, key) => {
                    let atomic = match &**key {
                        Pattern::Variable(v) => role.variables[*v].kind != Kind::Opaque,
                        Pattern::Public(_) | Pattern::Private(_) | Pattern::Shared(..) | Pattern::Constant(_) => true,
                        _ => false,
                    };
                    atomic && is_atomic(role, body)
                }
                Pattern::Applied(_, argument) => is_atomic(role, argument),
                _ => true,
            }
        }
        self.roles.iter().all(|role| role.events.iter().all(|e| is_atomic(role, &e.message)))
    }
}

impl ClaimKind {
    /// Whether a claim is about a variable of a role, apart from messages.
    pub fn mentions(&self, of: usize, v: usize) -> bool {
        match self {
            ClaimKind::NoLeak | ClaimKind::Alive { .. } | ClaimKind::WeakAgree { .. } | ClaimKind::Exchanged { .. } => {
                false
            }
            ClaimKind::Made { role, variable } | ClaimKind::Fresh { role, variable } => (of, v) == (*role, *variable),
            ClaimKind::Held { role, value, .. } => of == *role && value.mentions(v),
            ClaimKind::Agree { role, with, values, .. } => {
                values.iter().any(|(a, b)| of == *role && a.mentions(v) || of == *with && b.mentions(v))
            }
        }
    }
}

impl Role {
    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables[..self.kept].iter().position(|v| v.name == name)
    }

    /// The variable that holds the agent of a role.
    pub fn agent(&self, role: usize) -> Option<usize> {
        self.variables[..self.kept].iter().position(|v| v.origin == Origin::Agent(role))
    }
}

impl Pattern {
    /// A pair.
    pub fn pair(left: Pattern, right: Pattern) -> Pattern {
        Pattern::Pair(Box::new(left), Box::new(right))
    }

    /// The parts of a term, one level below.
    pub fn parts(&self) -> Vec<&Pattern> {
        match self {
            Pattern::Variable(_) | Pattern::Constant(_) | Pattern::Server(_) => Vec::new(),
            Pattern::Pair(a, b) | Pattern::Encrypted(a, b) | Pattern::Shared(_, a, b) => vec![a, b],
            Pattern::Public(a) | Pattern::Private(a) | Pattern::Applied(_, a) => vec![a],
        }
    }

    /// Whether a variable occurs.
    pub fn mentions(&self, variable: usize) -> bool {
        *self == Pattern::Variable(variable) || self.parts().iter().any(|p| p.mentions(variable))
    }

    /// How often a variable occurs.
    pub fn count(&self, variable: usize) -> usize {
        let own = usize::from(*self == Pattern::Variable(variable));
        own + self.parts().iter().map(|p| p.count(variable)).sum::<usize>()
    }
}
