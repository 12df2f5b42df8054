//! Scyther's language, in its common fragment: roles with `fresh` and `var`, `send`, `recv` and claims, hash functions, `pk`, `sk`, `k` and
//! further secret functions of two agents, user types, macros. What lies outside is refused with its name, at its place.
//!
//! Claims are named as Scyther prints them, `Secret_I1`. `Empty`, `Running` and `Reachable` claim nothing. Messages whose label has a `!` are
//! no part of `Niagree` and `Nisynch`.

use crate::protocol::{Claim, ClaimKind, Event, Exchange, Kind, Origin, Pattern, Protocol, Role, SharedKeys, Variable};
use crate::read::too_large;
use ferrospin_source::lex::{Cursor, Failed, Kind as TokenKind, Lexicon, Parsed};
use ferrospin_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

const LEXICON: Lexicon = Lexicon {
    line_comments: &["//", "#"],
    continues_word: |c| c.is_alphanumeric() || c == '_' || c == '\'',
    marks: &["{", "}", "(", ")", ",", ";", ":", "=", "@", "!", "-", "^", ".", "*"],
    has_texts: true,
    ..Lexicon::C_LIKE
};

/// What a global name stands for.
#[derive(Clone, Debug)]
enum Global {
    Constant(usize),
    Function(usize),
    Shared(usize),
    /// A term, where the role it is used in gives the names their meaning.
    Macro(Term),
    /// An agent, or something that only claims without content mention.
    Other,
}

/// A term as it is written.
#[derive(Clone, Debug)]
struct Term {
    kind: TermKind,
    span: Span,
}

#[derive(Clone, Debug)]
enum TermKind {
    Name(String),
    List(Vec<Term>),
    Encrypted(Box<Term>, Box<Term>),
    Call(String, Vec<Term>),
}

/// A claim as it is written.
struct Stated {
    role: usize,
    label: String,
    kind: String,
    arguments: Vec<Term>,
    after: usize,
    span: Span,
}

#[derive(Default)]
struct Reader {
    protocol: Protocol,
    globals: FxHashMap<String, Global>,
    stated: Vec<Stated>,
    has_protocol: bool,
}

/// Reads a file; `None` where it has errors.
pub fn read(map: &SourceMap, file: FileId) -> (Option<Protocol>, Diagnostics) {
    let text = map.text(file).clone();
    let mut c = Cursor::new(map, file, &text, &LEXICON);
    let mut reader = Reader::default();
    reader.protocol.shared.push(SharedKeys { name: "k".into(), is_symmetric: false });
    reader.protocol.any_partner = true;
    while !c.is_at_end() {
        if reader.item(&mut c).is_err() {
            break;
        }
    }
    if !reader.has_protocol && !c.said.has_errors() {
        c.say(Diagnostic::error("no-protocol", c.peek().span, "there is no protocol"));
    }
    let mut said = std::mem::take(&mut c.said);
    if !said.has_errors() {
        reader.finish(&mut said);
    }
    said.sort(map);
    (Some(reader.protocol).filter(|_| !said.has_errors()), said)
}

fn refuse(c: &mut Cursor<'_>, span: Span, what: &str) -> Failed {
    c.say(Diagnostic::error("unsupported", span, format!("{what} is outside of the fragment that is read")));
    Failed
}

fn names(c: &mut Cursor<'_>) -> Parsed<Vec<String>> {
    let mut list = vec![c.word("a name")?.text.to_owned()];
    while c.eat(",").is_some() {
        list.push(c.word("a name")?.text.to_owned());
    }
    Ok(list)
}

fn end(c: &mut Cursor<'_>) -> Parsed<()> {
    c.expect(";", "at the end").map(drop)
}

fn list(c: &mut Cursor<'_>) -> Parsed<Vec<Term>> {
    let mut list = vec![term(c)?];
    while c.eat(",").is_some() {
        list.push(term(c)?);
    }
    Ok(list)
}

fn joined(mut list: Vec<Term>) -> Term {
    match list.len() {
        1 => list.remove(0),
        _ => Term { span: list[0].span, kind: TermKind::List(list) },
    }
}

fn term(c: &mut Cursor<'_>) -> Parsed<Term> {
    c.deeper(|c| {
        let span = c.peek().span;
        if c.eat("{").is_some() {
            let body = joined(list(c)?);
            c.expect("}", "behind what is encrypted")?;
            let key = simple(c)?;
            return Ok(Term { kind: TermKind::Encrypted(Box::new(body), Box::new(key)), span });
        }
        simple(c)
    })
}

fn simple(c: &mut Cursor<'_>) -> Parsed<Term> {
    c.deeper(|c| {
        let span = c.peek().span;
        if c.eat("(").is_some() {
            let inner = joined(list(c)?);
            c.expect(")", "")?;
            return Ok(inner);
        }
        if c.at("{") {
            return term(c);
        }
        let name = c.word("a term")?.text.to_owned();
        if c.eat("(").is_none() {
            return Ok(Term { kind: TermKind::Name(name), span });
        }
        let arguments = list(c)?;
        c.expect(")", "")?;
        Ok(Term { kind: TermKind::Call(name, arguments), span })
    })
}

impl Reader {
    fn item(&mut self, c: &mut Cursor<'_>) -> Parsed<()> {
        let first = c.peek();
        match first.text {
            "usertype" => {
                c.bump();
                names(c)?;
                end(c)
            }
            "hashfunction" => {
                c.bump();
                names(c)?.into_iter().for_each(|name| self.function(name));
                end(c)
            }
            "const" | "fresh" | "secret" => {
                c.bump();
                let names = names(c)?;
                let kind = if c.eat(":").is_some() { c.word("a type")?.text } else { "Nonce" };
                for name in names {
                    self.global(name, first.text, kind);
                }
                end(c)
            }
            "macro" => {
                c.bump();
                let name = c.word("the name of a macro")?.text.to_owned();
                c.expect("=", "behind the name")?;
                let body = joined(list(c)?);
                self.globals.insert(name, Global::Macro(body));
                end(c)
            }
            "untrusted" | "compromised" => {
                c.bump();
                c.skip_to(&[";"]);
                end(c)
            }
            ";" => {
                c.bump();
                Ok(())
            }
            "protocol" => self.protocol(c),
            _ if first.kind == TokenKind::Word => Err(refuse(c, first.span, &format!("`{}`", first.text))),
            _ => Err(c.unexpected("`protocol` or a declaration", "")),
        }
    }

    fn function(&mut self, name: String) {
        self.globals.insert(name.clone(), Global::Function(self.protocol.functions.len()));
        self.protocol.functions.push(name);
    }

    fn global(&mut self, name: String, word: &str, kind: &str) {
        match kind {
            "Function" if word == "secret" => {
                self.globals.insert(name.clone(), Global::Shared(self.protocol.shared.len()));
                self.protocol.shared.push(SharedKeys { name, is_symmetric: false });
            }
            "Function" => self.function(name),
            "Agent" => drop(self.globals.insert(name, Global::Other)),
            _ if word == "secret" => drop(self.globals.insert(name, Global::Other)),
            _ => {
                self.globals.insert(name.clone(), Global::Constant(self.protocol.constants.len()));
                self.protocol.constants.push(name);
            }
        }
    }

    fn protocol(&mut self, c: &mut Cursor<'_>) -> Parsed<()> {
        let place = c.bump().span;
        let mut name = String::new();
        while !c.at("(") && !c.is_at_end() {
            name += c.bump().text;
        }
        if let Some(helper) = name.strip_prefix('@') {
            // Such a protocol says that the order of the agents of a key does not matter.
            if !helper.starts_with("keysymm") {
                return Err(refuse(c, place, &format!("the helper protocol `{name}`")));
            }
            self.protocol.shared[0].is_symmetric = true;
            c.skip_to(&["{"]);
            c.expect("{", "")?;
            c.skip_to(&[]);
            return c.expect("}", "").map(drop);
        }
        if self.has_protocol {
            return Err(refuse(c, place, "a second protocol"));
        }
        (self.has_protocol, self.protocol.name) = (true, name);
        let roles = c.list(["(", ",", ")"], |c| Ok(c.word("the name of a role")?.text.to_owned()))?;
        for (number, name) in roles.iter().enumerate() {
            let own = Variable { name: name.clone(), origin: Origin::Agent(number), kind: Kind::Agent };
            let others = roles.iter().enumerate().filter(|(other, _)| *other != number);
            let others = others.map(|(other, name)| Variable {
                name: name.clone(),
                origin: Origin::Agent(other),
                kind: Kind::Agent,
            });
            let variables = std::iter::once(own).chain(others).collect();
            self.protocol.roles.push(Role { name: name.clone(), variables, ..Role::default() });
        }
        c.expect("{", "behind the roles")?;
        while c.eat("}").is_none() {
            if c.eat("role").is_some() {
                self.role(c)?;
            } else {
                let token = c.peek();
                if c.is_at_end() {
                    return Err(c.unexpected("`role` or `}`", ""));
                }
                // Declarations here have no meaning: roles declare what they use.
                if !["fresh", "var", "const", ";"].contains(&token.text) {
                    return Err(refuse(c, token.span, &format!("`{}`", token.text)));
                }
                c.skip_to(&[";"]);
                end(c)?;
            }
        }
        c.eat(";");
        Ok(())
    }

    fn role(&mut self, c: &mut Cursor<'_>) -> Parsed<()> {
        let token = c.word("the name of a role")?;
        let Some(number) = self.protocol.role(token.text) else {
            c.say(Diagnostic::error("unknown-name", token.span, format!("there is no role `{}`", token.text)));
            return Err(Failed);
        };
        c.expect("{", "behind the name")?;
        while c.eat("}").is_none() {
            let token = c.peek();
            let word = token.text;
            match word.split('_').next().unwrap_or(word) {
                "fresh" | "const" | "var" if ["fresh", "const", "var"].contains(&word) => {
                    c.bump();
                    self.declare(c, number, word != "var")?;
                }
                "send" | "recv" | "read" => self.event(c, number)?,
                "claim" => self.claim(c, number)?,
                _ if c.is_at_end() || token.kind != TokenKind::Word => {
                    return Err(c.unexpected("an event, a declaration or `}`", ""));
                }
                _ => return Err(refuse(c, token.span, &format!("`{word}`"))),
            }
        }
        c.eat(";");
        Ok(())
    }

    fn declare(&mut self, c: &mut Cursor<'_>, role: usize, is_fresh: bool) -> Parsed<()> {
        let names = names(c)?;
        let kind = if c.eat(":").is_some() { c.word("a type")?.text } else { "Ticket" };
        let kind = match kind {
            "Nonce" => Kind::Nonce,
            "SessionKey" => Kind::Key,
            "Ticket" => Kind::Opaque,
            "Agent" => Kind::Agent,
            other => {
                let known = self.protocol.types.iter().position(|t| t == other);
                let number = known.unwrap_or_else(|| {
                    self.protocol.types.push(other.into());
                    self.protocol.types.len() - 1
                });
                Kind::Other(number.min(250) as u8)
            }
        };
        let origin = if is_fresh { Origin::Fresh(usize::MAX) } else { Origin::Received };
        let variables = names.into_iter().map(|name| Variable { name, origin, kind });
        self.protocol.roles[role].variables.extend(variables);
        end(c)
    }

    fn event(&mut self, c: &mut Cursor<'_>, number: usize) -> Parsed<()> {
        let token = c.bump();
        let (word, label) = token.text.split_once('_').unwrap_or((token.text, ""));
        let is_send = word == "send";
        let mut label = label.to_owned();
        while !c.at("(") && !c.is_at_end() {
            label += c.bump().text;
        }
        let arguments = c.list(["(", ",", ")"], term)?;
        let span = token.span;
        end(c)?;
        let agents: Vec<Option<usize>> = arguments.iter().take(2).map(|t| self.role_of(t)).collect();
        let [Some(from), Some(to)] = agents[..] else {
            c.say(Diagnostic::error("syntax", span, "a message has a sender and a receiver, which are roles"));
            return Err(Failed);
        };
        if arguments.len() < 3 {
            return Err(refuse(c, span, "a message without content"));
        }
        let content = joined(arguments.into_iter().skip(2).collect());
        let message = self.pattern(c, number, &content)?;
        let peer = if is_send { to } else { from };
        let own = if is_send { from } else { to };
        if own != number {
            return Err(refuse(c, span, "an event of another role"));
        }
        let (opens, shapes) = (Vec::new(), Vec::new());
        self.protocol.roles[number].events.push(Event { is_send, peer, label, message, opens, shapes, span });
        Ok(())
    }

    fn role_of(&self, term: &Term) -> Option<usize> {
        match &term.kind {
            TermKind::Name(name) => self.protocol.role(name),
            _ => None,
        }
    }

    fn claim(&mut self, c: &mut Cursor<'_>, number: usize) -> Parsed<()> {
        let token = c.bump();
        let given = token.text.split_once('_').map_or("", |(_, label)| label);
        let own = self.stated.iter().filter(|s| s.role == number).count() + 1;
        let label = if given.is_empty() { format!("{}{own}", self.protocol.roles[number].name) } else { given.into() };
        let mut arguments = c.list(["(", ",", ")"], term)?;
        end(c)?;
        let kind = match arguments.get(1).map(|t| &t.kind) {
            Some(TermKind::Name(kind)) => kind.clone(),
            _ => return Err(refuse(c, token.span, "a claim without a kind")),
        };
        arguments.drain(..2);
        let after = self.protocol.roles[number].events.len();
        self.stated.push(Stated { role: number, label, kind, arguments, after, span: token.span });
        Ok(())
    }

    /// A term over the variables of a role.
    fn pattern(&self, c: &mut Cursor<'_>, role: usize, term: &Term) -> Parsed<Pattern> {
        match self.resolved(role, term, 0) {
            Ok(pattern) => Ok(pattern),
            Err((span, what)) => {
                c.say(Diagnostic::error("unsupported", span, what));
                Err(Failed)
            }
        }
    }

    fn resolved(&self, role: usize, term: &Term, depth: usize) -> Result<Pattern, (Span, String)> {
        let own = &self.protocol.roles[role];
        let agent = |t: &Term| match self.resolved(role, t, depth) {
            Ok(Pattern::Variable(v)) if own.variables[v].kind == Kind::Agent => Ok(Box::new(Pattern::Variable(v))),
            Ok(_) => {
                Err((t.span, "a key of something that is no agent is outside of the fragment that is read".into()))
            }
            Err(why) => Err(why),
        };
        match &term.kind {
            TermKind::Name(name) => {
                if let Some(v) = own.variables.iter().position(|v| v.name == *name) {
                    return Ok(Pattern::Variable(v));
                }
                match self.globals.get(name) {
                    Some(Global::Constant(constant)) => Ok(Pattern::Constant(*constant)),
                    Some(Global::Macro(body)) if depth < 20 => self.resolved(role, body, depth + 1),
                    Some(_) => Err((term.span, format!("`{name}` as a term is outside of the fragment that is read"))),
                    None => Err((term.span, format!("there is no `{name}` in this role"))),
                }
            }
            TermKind::List(list) => {
                let parts: Result<Vec<Pattern>, _> = list.iter().map(|t| self.resolved(role, t, depth)).collect();
                let joined = parts?.into_iter().rev().reduce(|rest, first| Pattern::pair(first, rest));
                joined.ok_or((term.span, "an empty list".into()))
            }
            TermKind::Encrypted(body, key) => {
                let (body, key) = (self.resolved(role, body, depth)?, self.resolved(role, key, depth)?);
                Ok(Pattern::Encrypted(Box::new(body), Box::new(key)))
            }
            TermKind::Call(name, arguments) => {
                let family = match self.globals.get(name) {
                    Some(Global::Shared(family)) => Some(*family),
                    Some(_) => None,
                    None => (name == "k").then_some(0),
                };
                match (family, name.as_str(), arguments.as_slice(), self.globals.get(name)) {
                    (Some(family), _, [a, b], _) => Ok(Pattern::Shared(family, agent(a)?, agent(b)?)),
                    (None, "pk", [a], None) => Ok(Pattern::Public(agent(a)?)),
                    (None, "sk", [a], None) => Ok(Pattern::Private(agent(a)?)),
                    (None, _, arguments, Some(Global::Function(function))) => {
                        let list = Term { kind: TermKind::List(arguments.to_vec()), span: term.span };
                        Ok(Pattern::Applied(*function, Box::new(self.resolved(role, &list, depth)?)))
                    }
                    _ => Err((
                        term.span,
                        format!("`{name}` with these arguments is outside of the fragment that is read"),
                    )),
                }
            }
        }
    }

    /// Fresh values are made where they are first sent; claims are resolved when all roles are known.
    fn finish(&mut self, said: &mut Diagnostics) {
        for role in &mut self.protocol.roles {
            role.kept = role.variables.len();
            for (v, variable) in role.variables.iter_mut().enumerate() {
                if matches!(variable.origin, Origin::Fresh(_)) {
                    let first = role.events.iter().position(|e| e.is_send && e.message.mentions(v));
                    variable.origin = Origin::Fresh(first.unwrap_or(usize::MAX));
                }
            }
            said.extend(too_large(role, Span::NONE));
        }
        self.protocol.states_secrets = true;
        for number in 0..self.stated.len() {
            match self.claims_of(&self.stated[number]) {
                Ok(claims) => claims.into_iter().for_each(|mut claim| {
                    while self.protocol.claims.iter().any(|c| c.name == claim.name) {
                        claim.name.push('\'');
                    }
                    self.protocol.claims.push(claim);
                }),
                Err((span, what)) => said.push(Diagnostic::error("unsupported", span, what)),
            }
        }
        if self.protocol.roles.iter().all(|role| role.events.is_empty()) {
            said.push(Diagnostic::error("no-messages", Span::NONE, "the protocol has no messages"));
        }
    }

    fn claims_of(&self, stated: &Stated) -> Result<Vec<Claim>, (Span, String)> {
        let (role, after) = (stated.role, stated.after);
        let roles = &self.protocol.roles;
        let named = |what: &str, kind| Claim {
            name: format!("{}_{}{what}", stated.kind, stated.label),
            kind,
            span: stated.span,
        };
        let others = || (0..roles.len()).filter(|r| *r != role && !roles[*r].events.is_empty());
        Ok(match stated.kind.as_str() {
            "Secret" | "SKR" => {
                let list = Term { kind: TermKind::List(stated.arguments.clone()), span: stated.span };
                let value = self.resolved(role, &list, 0)?;
                vec![named("", ClaimKind::Held { role, value, after })]
            }
            "Alive" => others()
                .map(|who| named(&format!(" of {}", roles[who].name), ClaimKind::Alive { role, who, after }))
                .collect(),
            "Weakagree" => vec![named("", ClaimKind::WeakAgree { role, after })],
            "Niagree" | "Nisynch" => {
                let (exchanges, ordered) = (self.exchanges(role, after), stated.kind == "Nisynch");
                vec![named("", ClaimKind::Exchanged { role, after, exchanges, ordered })]
            }
            "Commit" => {
                let with = stated.arguments.first().and_then(|t| self.role_of(t));
                let Some(with) = with else { return Err((stated.span, "`Commit` names no role".into())) };
                let is_running = |s: &&Stated| s.role == with && s.kind == "Running";
                let Some(running) = self.stated.iter().find(is_running) else {
                    return Err((
                        stated.span,
                        "`Commit` without a `Running` before it is outside of the fragment".into(),
                    ));
                };
                let of = |s: &Stated| {
                    let list =
                        Term { kind: TermKind::List(s.arguments.get(1..).unwrap_or_default().to_vec()), span: s.span };
                    self.resolved(s.role, &list, 0)
                };
                let values = vec![(of(stated)?, of(running)?)];
                let kind = ClaimKind::Agree { role, with, values, since: running.after + 1, injective: false, after };
                vec![named("", kind)]
            }
            "Empty" | "Running" | "Reachable" => Vec::new(),
            other => return Err((stated.span, format!("the claim `{other}` is outside of the fragment that is read"))),
        })
    }

    /// The messages that come before a point of a role: received there, or by a role that has sent such a message afterwards.
    fn exchanges(&self, role: usize, after: usize) -> Vec<Exchange> {
        let roles = &self.protocol.roles;
        let sent = |e: &Event| roles[e.peer].events.iter().position(|s| s.is_send && s.label == e.label);
        let mut before: Vec<usize> = vec![0; roles.len()];
        before[role] = after;
        loop {
            let mut next = before.clone();
            for (role, count) in roles.iter().zip(&before) {
                for event in role.events[..*count].iter().filter(|e| !e.is_send) {
                    next[event.peer] = next[event.peer].max(sent(event).map_or(0, |sent| sent + 1));
                }
            }
            if next == before {
                break;
            }
            before = next;
        }
        let mut exchanges = Vec::new();
        for (receiver, role) in roles.iter().enumerate() {
            for (received, event) in role.events[..before[receiver]].iter().enumerate() {
                if let (false, false, Some(sent)) = (event.is_send, event.label.starts_with('!'), sent(event)) {
                    exchanges.push(Exchange { sender: event.peer, sent, receiver, received });
                }
            }
        }
        exchanges
    }
}
