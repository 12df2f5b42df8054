//! Terms and messages in words.

use crate::knowledge::Knowledge;
use crate::protocol::Event;
use crate::state::Session;
use crate::terms::{Term, TermId, Terms};
use crate::world::{World, letter};

/// A term in the notation of the language.
pub(crate) fn term(world: &World, terms: &Terms, id: TermId) -> String {
    match terms.get(id) {
        Term::Atom(atom) => world.name(atom),
        Term::Pair(..) => {
            let (mut parts, mut rest) = (Vec::new(), id);
            while let Term::Pair(left, right) = terms.get(rest) {
                parts.push(part(world, terms, left));
                rest = right;
            }
            parts.push(part(world, terms, rest));
            parts.join(", ")
        }
        Term::Encrypted { body, key } => {
            let key = match terms.get(key) {
                Term::Pair(..) => format!("({})", term(world, terms, key)),
                _ => term(world, terms, key),
            };
            format!("{{{}}}{key}", term(world, terms, body))
        }
        Term::Applied(function, argument) => {
            format!("{}({})", world.protocol.functions[usize::from(function)], term(world, terms, argument))
        }
    }
}

/// A part of a list: a list inside of it keeps its parentheses.
fn part(world: &World, terms: &Terms, id: TermId) -> String {
    match terms.get(id) {
        Term::Pair(..) => format!("({})", term(world, terms, id)),
        _ => term(world, terms, id),
    }
}

/// The agent at the other end of an event, as the session sees it.
pub(crate) fn peer(world: &World, terms: &Terms, session: &Session, event: &Event) -> Option<usize> {
    if let Some(server) = world.servers[event.peer] {
        return Some(server);
    }
    let value = session.values[session.role(world)?.agent(event.peer)?];
    (value != crate::matching::NONE).then(|| terms.as_atom(value).map(usize::from))?
}

/// An event in Alice-and-Bob notation, with the session in front: `alpha.1  a -> I(b) : ...`. What goes over the network is heard, and
/// sent, by the intruder: `I(b)` is the intruder in the place of b.
pub(crate) fn event(
    world: &World,
    terms: &Terms,
    number: usize,
    session: &Session,
    event: &Event,
    message: TermId,
) -> String {
    let own = session.part(world).map_or("?", |part| world.agents[part.agent].as_str());
    let intruder = &world.agents[world.intruder];
    let other = match peer(world, terms, session, event) {
        Some(agent) if agent == world.intruder => intruder.clone(),
        Some(agent) => format!("{intruder}({})", world.agents[agent]),
        None => intruder.clone(),
    };
    let (from, to) = if event.is_send { (own, other.as_str()) } else { (other.as_str(), own) };
    format!("{}.{}  {from} -> {to} : {}", letter(number), event.label, term(world, terms, message))
}

/// What the intruder makes of a message that it hears.
pub(crate) fn hears(world: &World, terms: &Terms, known: &Knowledge, message: TermId, new: &[u16]) -> String {
    let mut keys = Vec::new();
    let mut closed = Vec::new();
    let mut open = vec![message];
    while let Some(part) = open.pop() {
        match terms.get(part) {
            Term::Atom(_) => {}
            Term::Pair(left, right) => open.extend([right, left]),
            Term::Encrypted { body, key } => {
                let opener = match terms.get(key) {
                    Term::Atom(atom) => terms.atom(world.inverses[usize::from(atom)]),
                    _ => key,
                };
                if known.makes(terms, opener) {
                    keys.push(term(world, terms, opener));
                    open.push(body);
                } else {
                    closed.push(term(world, terms, part));
                }
            }
            Term::Applied(..) => closed.push(term(world, terms, part)),
        }
    }
    let mut said = Vec::new();
    keys.dedup();
    if !keys.is_empty() {
        said.push(format!("opens with {}", keys.join(", ")));
    }
    if !new.is_empty() {
        let names: Vec<_> = new.iter().map(|atom| world.name(*atom)).collect();
        said.push(format!("learns {}", names.join(", ")));
    }
    if !closed.is_empty() {
        closed.dedup();
        said.push(format!("keeps {}", closed.join(" and ")));
    }
    if said.is_empty() { "learns nothing new".into() } else { said.join(", ") }
}

/// How the intruder makes a message that it sends.
pub(crate) fn makes(world: &World, terms: &Terms, known: &Knowledge, message: TermId) -> String {
    let (mut replayed, mut atoms) = (Vec::new(), Vec::new());
    let mut is_whole = true;
    let mut open = vec![message];
    while let Some(part) = open.pop() {
        if known.store().contains(&part) {
            replayed.push(term(world, terms, part));
            continue;
        }
        match terms.get(part) {
            Term::Atom(atom) => atoms.push(world.name(atom)),
            Term::Pair(left, right) => open.extend([right, left]),
            Term::Encrypted { body, key } => {
                is_whole = false;
                open.extend([key, body]);
            }
            Term::Applied(_, argument) => {
                is_whole = false;
                open.push(argument);
            }
        }
    }
    let once = |list: Vec<String>| {
        let mut seen: Vec<String> = Vec::new();
        list.into_iter().for_each(|name| {
            if !seen.contains(&name) {
                seen.push(name)
            }
        });
        seen.join(", ")
    };
    match (replayed.is_empty(), atoms.is_empty()) {
        (false, true) => format!("replays {}", once(replayed)),
        (false, false) => format!("replays {} with {}", once(replayed), once(atoms)),
        (true, _) if is_whole => format!("sends {}", once(atoms)),
        (true, _) => format!("forges it of {}", once(atoms)),
    }
}

/// The bound of a run, as verdicts say it.
pub(crate) fn bound(world: &World) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for part in world.sessions.iter().flatten() {
        let part = &world.parts[*part];
        let name = format!("{}({})", world.protocol.roles[part.role].name, world.agents[part.agent]);
        match counts.iter_mut().find(|(n, _)| *n == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let mut list: Vec<String> = counts.into_iter().map(|(name, count)| format!("{count} {name}")).collect();
    match world.sessions.iter().filter(|s| s.is_none()).count() {
        0 => {}
        n => list.push(format!("up to {n} more of any role by any agent")),
    }
    let types = if world.setup.untyped { "untyped" } else { "typed" };
    format!("sessions: {}; {types}", list.join(", "))
}
