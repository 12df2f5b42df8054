//! Reading `.proto` files: from text to a [`Protocol`].

use crate::names::Names;
use crate::parse::parse;
use crate::project::{Knowing, lines, project};
use crate::protocol::{Claim, ClaimKind, Origin, Pattern, Protocol, Role, Sessions};
use crate::syntax::{File, Name, Statement};
use crate::world::{EVENTS_MAX, VARIABLES_MAX};
use ferrospin_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

/// Sessions that a file may ask for.
const SESSIONS_MAX: u32 = 64;

/// Reads a file; `None` where it has errors.
pub fn read(map: &SourceMap, file: FileId) -> (Option<Protocol>, Diagnostics) {
    let (file, mut said) = parse(map, file);
    if said.has_errors() {
        return (None, said);
    }
    let protocol = resolve(&file, &mut said);
    said.sort(map);
    (protocol.filter(|_| !said.has_errors()), said)
}

fn resolve(file: &File, said: &mut Diagnostics) -> Option<Protocol> {
    let names = Names::of(file, said);
    let lines = lines(file, &names, said);
    let mut first = Vec::new();
    for (role, term) in &file.knows {
        if let (Some(role), Some(term)) = (names.role(role, said), names.term(term, said)) {
            if (names.roles.len()..names.roles.len() + names.values.len()).any(|v| term.mentions(v)) {
                let message = "what a role has at the beginning is made of no fresh values";
                said.push(Diagnostic::error("fresh", file.knows[first.len()].1.span, message));
            }
            first.push((role, term));
        }
    }
    if said.has_errors() {
        return None;
    }
    let place = file.name.as_ref().map_or(Span::NONE, |n| n.span);
    if lines.is_empty() {
        said.push(Diagnostic::error("no-messages", place, "the protocol has no messages"));
        return None;
    }
    let roles: Vec<Role> = (0..names.roles.len()).map(|role| project(&names, role, &lines, &first, said)).collect();
    for (role, (name, _)) in roles.iter().zip(&file.roles) {
        if role.events.is_empty() && !said.has_errors() {
            let message = format!("the role `{}` takes part in no message", role.name);
            said.push(Diagnostic::error("idle-role", name.span, message));
        }
        said.extend(too_large(role, name.span));
    }
    let mut protocol = Protocol {
        name: file.name.as_ref().map_or_else(String::new, |n| n.text.clone()),
        roles,
        constants: names.constants.clone(),
        functions: names.functions.clone(),
        shared: names.shared.clone(),
        types: names.types.clone(),
        ..Protocol::default()
    };
    if said.has_errors() {
        return None;
    }
    let mut outsider = Knowing::new(&names, None);
    lines.iter().for_each(|line| outsider.learn(&line.term));
    let reads = |value: usize| outsider.makes(&Pattern::Variable(names.variable(value)));
    claims(file, &names, reads, place, &mut protocol, said);
    sessions(file, &names, &mut protocol, said);
    Some(protocol)
}

/// Says where a role is more than the encoding of states takes.
pub(crate) fn too_large(role: &Role, span: Span) -> Diagnostics {
    let mut said = Diagnostics::default();
    if role.variables.len() > VARIABLES_MAX || role.events.len() > EVENTS_MAX {
        let message = format!(
            "the role `{}` has {} variables and {} events; {VARIABLES_MAX} and {EVENTS_MAX} are possible",
            role.name,
            role.variables.len(),
            role.events.len()
        );
        said.push(Diagnostic::error("too-large", span, message));
    }
    said
}

/// The claims: those of the file, the generic one, and where the file has no claim of secrecy, one for each value that is not sent open.
fn claims(
    file: &File,
    names: &Names,
    reads: impl Fn(usize) -> bool,
    place: Span,
    protocol: &mut Protocol,
    said: &mut Diagnostics,
) {
    let mut list = vec![Claim { name: "no leak".into(), kind: ClaimKind::NoLeak, span: place }];
    let mut has_secrets = false;
    let roles = &protocol.roles;
    let variable = |role: usize, value: &Name, said: &mut Diagnostics| {
        let found = roles[role].variable(&value.text);
        if found.is_none() {
            let message = format!("`{}` is not known to {}", value.text, roles[role].name);
            said.push(Diagnostic::error("not-known", value.span, message));
        }
        found
    };
    let joined = |values: &[Name]| values.iter().map(|v| v.text.as_str()).collect::<Vec<_>>().join(", ");
    for statement in &file.statements {
        match statement {
            Statement::Secret { values, roles: for_roles, span } => {
                has_secrets = true;
                for value in values {
                    let Some(number) = names.value(value, said) else { continue };
                    if for_roles.is_empty() {
                        let role = names.values[number].role;
                        let Some(v) = variable(role, value, said) else { continue };
                        let kind = ClaimKind::Made { role, variable: v };
                        list.push(Claim { name: format!("secret {}", value.text), kind, span: *span });
                    }
                    for name in for_roles {
                        let Some(role) = names.role(name, said) else { continue };
                        let Some(v) = variable(role, value, said) else { continue };
                        let after = roles[role].events.len();
                        let kind = ClaimKind::Held { role, value: Pattern::Variable(v), after };
                        list.push(Claim {
                            name: format!("secret {} for {}", value.text, name.text),
                            kind,
                            span: *span,
                        });
                    }
                }
            }
            Statement::Agree { role: name, with: other, values, injective, span } => {
                let (Some(role), Some(with)) = (names.role(name, said), names.role(other, said)) else { continue };
                if role == with {
                    said.push(Diagnostic::error("self", other.span, "a role agrees with another one"));
                    continue;
                }
                let both = |value: &Name, said: &mut Diagnostics| {
                    names.value(value, said)?;
                    let (own, other) = (variable(role, value, said)?, variable(with, value, said)?);
                    Some((Pattern::Variable(own), Pattern::Variable(other)))
                };
                let numbers: Vec<_> = values.iter().map(|v| both(v, said)).collect();
                let Some(numbers) = numbers.into_iter().collect::<Option<Vec<_>>>() else { continue };
                let mut text = if *injective { "agree injective ".to_owned() } else { "agree ".to_owned() };
                text += &format!("{} with {}", name.text, other.text);
                if !values.is_empty() {
                    text += &format!(" on {}", joined(values));
                }
                let after = roles[role].events.len();
                let kind = ClaimKind::Agree { role, with, values: numbers, since: 1, injective: *injective, after };
                list.push(Claim { name: text, kind, span: *span });
            }
            Statement::Alive { who: other, role: name, span } => {
                let (Some(role), Some(who)) = (names.role(name, said), names.role(other, said)) else { continue };
                let after = roles[role].events.len();
                let kind = ClaimKind::Alive { role, who, after };
                list.push(Claim { name: format!("alive {} for {}", other.text, name.text), kind, span: *span });
            }
            Statement::Unique { value, role: name, span } => {
                let (Some(_), Some(role)) = (names.value(value, said), names.role(name, said)) else { continue };
                let Some(v) = variable(role, value, said) else { continue };
                let kind = ClaimKind::Fresh { role, variable: v };
                list.push(Claim { name: format!("fresh {} for {}", value.text, name.text), kind, span: *span });
            }
            Statement::Public(values) => {
                for value in values {
                    let Some(number) = names.value(value, said) else { continue };
                    let role = names.values[number].role;
                    if let Some(v) = variable(role, value, said) {
                        protocol.public.push((role, v));
                    }
                }
            }
            Statement::Lose(value) => {
                if names.value(value, said).is_some() {
                    // A server is never over: it forgets the key when it has handed it out.
                    let holders = roles.iter().enumerate().filter(|(_, role)| !role.is_server);
                    protocol.lost.extend(holders.filter_map(|(r, role)| Some((r, role.variable(&value.text)?))));
                }
            }
        }
    }
    let makers = roles.iter().enumerate().filter(|_| !has_secrets);
    for (number, role) in makers {
        for (v, variable) in role.variables[..role.kept].iter().enumerate() {
            let is_open = names.values.iter().position(|value| value.name == variable.name).is_some_and(&reads);
            if matches!(variable.origin, Origin::Fresh(_)) && !is_open && !protocol.public.contains(&(number, v)) {
                let kind = ClaimKind::Made { role: number, variable: v };
                list.push(Claim { name: format!("secret {}", variable.name), kind, span: place });
            }
        }
    }
    let mut unique: Vec<Claim> = Vec::new();
    for claim in list {
        if !unique.iter().any(|c| c.name == claim.name) {
            unique.push(claim);
        }
    }
    protocol.states_secrets = has_secrets;
    protocol.claims = unique;
}

/// The block `session`.
fn sessions(file: &File, names: &Names, protocol: &mut Protocol, said: &mut Diagnostics) {
    let Some(session) = &file.session else { return };
    let mut sessions = Sessions { extra: session.extra.min(SESSIONS_MAX) as usize, ..Sessions::default() };
    for agent in &session.honest {
        if sessions.honest.contains(&agent.text) {
            let message = format!("the agent `{}` is named twice", agent.text);
            said.push(Diagnostic::error("twice", agent.span, message));
        }
        sessions.honest.push(agent.text.clone());
    }
    let place = file.name.as_ref().map_or(Span::NONE, |n| n.span);
    if sessions.honest.is_empty() {
        said.push(Diagnostic::error("no-agents", place, "the block `session` names no agents: `honest a, b;`"));
        return;
    }
    if sessions.honest.len() * names.roles.len() > 200 {
        said.push(Diagnostic::error("too-large", place, "more than 200 ways to give roles to agents"));
        return;
    }
    let mut total = session.extra;
    for (role, agent, count) in &session.run {
        let Some(number) = names.role(role, said) else { continue };
        let place = sessions.honest.iter().position(|a| *a == agent.text);
        if place.is_none() && !names.roles[number].1 {
            let message = format!("there is no honest agent `{}`", agent.text);
            said.push(Diagnostic::error("unknown-name", agent.span, message));
            continue;
        }
        let agent = place.filter(|_| !names.roles[number].1);
        total = total.saturating_add(*count);
        let count = (*count).min(SESSIONS_MAX) as usize;
        sessions.run.extend(std::iter::repeat_n((number, agent), count));
    }
    if total > SESSIONS_MAX {
        let message = format!("{total} sessions; at most {SESSIONS_MAX} can be run");
        said.push(Diagnostic::error("too-large", place, message));
    }
    // Servers answer whoever asks: one session each where none is named.
    if session.run.is_empty() && session.extra > 0 {
        let servers = (0..names.roles.len()).filter(|r| names.roles[*r].1);
        sessions.run.extend(servers.map(|r| (r, None)));
    }
    protocol.sessions = Some(sessions);
}
