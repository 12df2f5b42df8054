//! A protocol with its sessions as a model in Promela, for a cross-check by other means.
//!
//! Each session is a process whose events are atomic. A send adds the message to what the intruder knows: a flag for each atom, a list for
//! each form of ciphertext; a loop opens what can be opened. A receive guesses values for the variables that the message gives values to, and
//! goes back where the intruder cannot make the message of them; it may stop there for ever. A leak is a failed assertion. Everything is computed from
//! patterns: no code of the machine takes part. After the design of Khan, Mukund and Suresh (2005), with messages routed through the intruder.

use crate::protocol::{ClaimKind, Event, Kind, Origin, Pattern, Role};
use crate::world::{Atom, World};
use std::fmt::Write;
use thiserror::Error;

/// Why there is no translation.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Untranslatable {
    /// A role forwards what it cannot open.
    #[error("no translation to Promela: `{0}` receives a part that it cannot open")]
    Closed(String),
    /// Sessions are open.
    #[error("no translation to Promela: sessions of any role have no fixed process")]
    Open,
    /// Keys are lost.
    #[error("no translation to Promela: session keys are lost")]
    Lost,
    /// A key is a compound term.
    #[error("no translation to Promela: a key is no atom")]
    CompoundKey,
    /// Variables are untyped.
    #[error("no translation to Promela: variables have no types")]
    Untyped,
    /// More atoms than a byte has values.
    #[error("no translation to Promela: more than 250 names, keys and values")]
    TooLarge,
    /// Claims that are not about secrecy.
    #[error(
        "no translation to Promela: only leaks and secrecy of fresh values are, and `{0}` is neither: add `--secrecy both`"
    )]
    Claim(String),
}

/// The form of a compound term: what stands where, apart from the atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    Hole,
    Pair(Box<Form>, Box<Form>),
    Encrypted(Box<Form>, Box<Form>),
    Applied(usize, Box<Form>),
}

fn form(pattern: &Pattern) -> Form {
    let sub = |p: &Pattern| Box::new(form(p));
    match pattern {
        Pattern::Pair(a, b) => Form::Pair(sub(a), sub(b)),
        Pattern::Encrypted(a, b) => Form::Encrypted(sub(a), sub(b)),
        Pattern::Applied(f, a) => Form::Applied(*f, sub(a)),
        _ => Form::Hole,
    }
}

fn holes(form: &Form) -> usize {
    match form {
        Form::Hole => 1,
        Form::Pair(a, b) | Form::Encrypted(a, b) => holes(a) + holes(b),
        Form::Applied(_, a) => holes(a),
    }
}

/// The label of an event: what is awaited may never come.
fn label(number: usize, event: &Event) -> String {
    if event.is_send { format!("event{number}") } else { format!("end_event{number}") }
}

/// The writer of a model.
struct Writer<'a> {
    world: &'a World,
    /// Forms of ciphertexts and applications that are sent, and how many of each there may be.
    forms: Vec<(Form, usize)>,
    out: String,
}

/// Writes the model.
pub fn translate(world: &World) -> Result<String, Untranslatable> {
    let protocol = &world.protocol;
    if world.sessions.iter().any(Option::is_none) {
        return Err(Untranslatable::Open);
    }
    if !protocol.lost.is_empty() {
        return Err(Untranslatable::Lost);
    }
    if world.setup.untyped {
        return Err(Untranslatable::Untyped);
    }
    if world.atoms.len() > 250 {
        return Err(Untranslatable::TooLarge);
    }
    for role in &protocol.roles {
        if role.variables.iter().any(|v| v.kind == Kind::Opaque) {
            return Err(Untranslatable::Closed(role.name.clone()));
        }
    }
    if !protocol.has_atomic_keys() {
        return Err(Untranslatable::CompoundKey);
    }
    for claim in &world.setup.claims {
        let claim = &protocol.claims[*claim];
        if !matches!(claim.kind, ClaimKind::NoLeak | ClaimKind::Made { .. }) {
            return Err(Untranslatable::Claim(claim.name.clone()));
        }
    }
    let mut writer = Writer { world, forms: Vec::new(), out: String::new() };
    for part in world.sessions.iter().flatten() {
        let role = &protocol.roles[world.parts[*part].role];
        role.events.iter().filter(|e| e.is_send).for_each(|e| writer.collect(&e.message));
    }
    writer.model();
    Ok(writer.out)
}

impl Writer<'_> {
    fn collect(&mut self, pattern: &Pattern) {
        if matches!(pattern, Pattern::Encrypted(..) | Pattern::Applied(..)) {
            let form = form(pattern);
            match self.forms.iter_mut().find(|(f, _)| *f == form) {
                Some((_, count)) => *count += 1,
                None => self.forms.push((form, 1)),
            }
        }
        pattern.parts().into_iter().for_each(|p| self.collect(p));
    }

    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn model(&mut self) {
        let world = self.world;
        let (agents, atoms) = (world.agents.len(), world.atoms.len());
        self.line(&format!("/* {}, translated by Ferrospin.", world.protocol.name));
        self.line(&format!("   {} */", crate::tell::bound(world)));
        for atom in 0..atoms {
            self.line(&format!("/* {atom}: {} */", world.name(atom as u16)));
        }
        self.line(&format!("#define AGENTS {agents}"));
        self.line(&format!("#define INTRUDER {}", world.intruder));
        self.line("#define NONE 255");
        self.line("#define PK(a) (AGENTS + (a))");
        self.line("#define SK(a) (2 * AGENTS + (a))");
        self.line("#define INVERSE(k) ((k) >= AGENTS && (k) < 2 * AGENTS -> (k) + AGENTS : ((k) >= 2 * AGENTS && (k) < 3 * AGENTS -> (k) - AGENTS : (k)))");
        self.line(&format!("bool known[{atoms}];"));
        self.line(&format!("bool made[{atoms}];"));
        self.line("bool changed, leaked;");
        for family in 0..world.protocol.shared.len() {
            self.line(&format!("byte shared{family}[{}];", agents * agents));
        }
        for (number, (form, count)) in self.forms.clone().iter().enumerate() {
            self.line(&format!("byte f{number}_n;"));
            for hole in 0..holes(form) {
                self.line(&format!("byte f{number}_{hole}[{count}];"));
            }
        }
        for (number, part) in world.sessions.iter().flatten().enumerate() {
            let role = &world.protocol.roles[world.parts[*part].role];
            for (v, variable) in role.variables.iter().enumerate() {
                self.line(&format!("byte s{number}_{v} = NONE; /* {} */", variable.name));
            }
        }
        self.line("\ninline learn(a) {\n  if\n  :: !known[a] -> known[a] = true; changed = true;\n    if :: made[a] -> leaked = true :: else fi\n  :: else\n  fi\n}");
        for number in 0..self.forms.len() {
            self.adder(number);
        }
        self.opener();
        self.checks();
        for number in 0..world.sessions.len() {
            self.session(number);
        }
        self.start();
    }

    /// An inline that adds a ciphertext to its list.
    fn adder(&mut self, number: usize) {
        let (form, count) = self.forms[number].clone();
        let count_holes = holes(&form);
        let names: Vec<String> = (0..count_holes).map(|h| format!("h{h}")).collect();
        let has: Vec<String> = names.iter().map(String::clone).collect();
        let test = self.is_stored(number, &has);
        let mut text = format!("\ninline add{number}({}) {{\n  if\n  :: {test}\n  :: else ->\n", names.join(", "));
        for (h, name) in names.iter().enumerate() {
            let _ = writeln!(text, "    f{number}_{h}[f{number}_n] = {name};");
        }
        let _ = write!(text, "    f{number}_n++; changed = true;\n    assert(f{number}_n <= {count})\n  fi\n}}");
        self.line(&text);
    }

    /// Whether a ciphertext is in its list.
    fn is_stored(&self, number: usize, values: &[String]) -> String {
        let (_, count) = &self.forms[number];
        let entry = |i: usize| {
            let equal = values.iter().enumerate().map(|(h, v)| format!("f{number}_{h}[{i}] == {v}"));
            format!("(f{number}_n > {i} && {})", equal.collect::<Vec<_>>().join(" && "))
        };
        format!("({})", (0..*count).map(entry).collect::<Vec<_>>().join(" || "))
    }

    /// Statements that add the parts of a form, whose holes have these values from `at` on.
    fn learn_form(&self, form: &Form, values: &[String], at: &mut usize, out: &mut Vec<String>) {
        match form {
            Form::Hole => {
                out.push(format!("learn({})", values[*at]));
                *at += 1;
            }
            Form::Pair(a, b) => {
                self.learn_form(a, values, at, out);
                self.learn_form(b, values, at, out);
            }
            Form::Encrypted(..) | Form::Applied(..) => {
                let own = &values[*at..*at + holes(form)];
                let number =
                    self.forms.iter().position(|(f, _)| f == form).expect("every form that is sent is collected");
                out.push(format!("add{number}({})", own.join(", ")));
                *at += own.len();
            }
        }
    }

    /// An inline that opens all that can be opened.
    fn opener(&mut self) {
        let mut text = String::from("\ninline open_all() {\n  do\n  :: changed -> changed = false;\n");
        for (number, (form, count)) in self.forms.iter().enumerate() {
            let Form::Encrypted(body, _) = form else { continue };
            let key = holes(form) - 1;
            for i in 0..*count {
                let values: Vec<String> = (0..=key).map(|h| format!("f{number}_{h}[{i}]")).collect();
                let mut parts = Vec::new();
                self.learn_form(body, &values, &mut 0, &mut parts);
                let _ = writeln!(
                    text,
                    "    if :: f{number}_n > {i} && known[INVERSE({})] -> {} :: else fi;",
                    values[key],
                    parts.join("; ")
                );
            }
        }
        text += "  :: else -> break\n  od\n}";
        self.line(&text);
    }

    /// An inline with what must hold.
    fn checks(&mut self) {
        let world = self.world;
        let mut asserted = Vec::new();
        for claim in &world.setup.claims {
            match &world.protocol.claims[*claim].kind {
                ClaimKind::NoLeak => asserted.push("  assert(!leaked);".to_owned()),
                ClaimKind::Made { role, variable } => {
                    for (number, part) in world.sessions.iter().flatten().enumerate() {
                        if world.parts[*part].role != *role {
                            continue;
                        }
                        let atom = world.fresh(number, *role, *variable).expect("a fresh variable has an atom");
                        let own = &world.protocol.roles[*role];
                        let partners = own.variables.iter().enumerate().skip(1);
                        let honest = partners
                            .filter(|(_, v)| matches!(v.origin, Origin::Agent(_)))
                            .fold(String::new(), |text, (v, _)| text + &format!(" && s{number}_{v} < INTRUDER"));
                        asserted.push(format!("  assert(!(made[{atom}] && known[{atom}]{honest}));"));
                    }
                }
                _ => {}
            }
        }
        self.line(&format!("\ninline check() {{\n{}\n  skip\n}}", asserted.join("\n")));
    }

    /// The number of an atom that a pattern stands for.
    fn value(&self, session: usize, pattern: &Pattern) -> String {
        let agent = |p: &Pattern| self.value(session, p);
        match pattern {
            Pattern::Variable(v) => format!("s{session}_{v}"),
            Pattern::Constant(c) => self.world.constant(*c).to_string(),
            Pattern::Server(role) => self.world.servers[*role].map_or("NONE".into(), |a| a.to_string()),
            Pattern::Public(of) => format!("PK({})", agent(of)),
            Pattern::Private(of) => format!("SK({})", agent(of)),
            Pattern::Shared(family, a, b) => format!("shared{family}[{} * AGENTS + {}]", agent(a), agent(b)),
            _ => "NONE".into(),
        }
    }

    /// The values of the holes of a compound pattern.
    fn values(&self, session: usize, pattern: &Pattern, out: &mut Vec<String>) {
        match pattern {
            Pattern::Pair(..) | Pattern::Encrypted(..) | Pattern::Applied(..) => {
                pattern.parts().into_iter().for_each(|p| self.values(session, p, out));
            }
            _ => out.push(self.value(session, pattern)),
        }
    }

    /// Whether the intruder can make a message.
    fn makes(&self, session: usize, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Pair(a, b) => format!("{} && {}", self.makes(session, a), self.makes(session, b)),
            Pattern::Encrypted(..) | Pattern::Applied(..) => {
                let mut values = Vec::new();
                self.values(session, pattern, &mut values);
                let parts: Vec<String> = pattern.parts().into_iter().map(|p| self.makes(session, p)).collect();
                let built = format!("({})", parts.join(" && "));
                match self.forms.iter().position(|(f, _)| *f == form(pattern)) {
                    Some(number) => format!("({} || {built})", self.is_stored(number, &values)),
                    None => built,
                }
            }
            _ => format!("known[{}]", self.value(session, pattern)),
        }
    }

    fn session(&mut self, number: usize) {
        let world = self.world;
        let part = world.parts[world.sessions[number].expect("sessions are fixed")];
        let role: &Role = &world.protocol.roles[part.role];
        let mut bound = vec![false; role.variables.len()];
        bound[0] = true;
        let mut text = format!("\nproctype session{number}() /* {} by {} */ {{\n", role.name, world.agents[part.agent]);
        for (e, event) in role.events.iter().enumerate() {
            let _ = writeln!(text, "{}:\n  atomic {{ /* message {} */", label(e, event), event.label);
            let mut chosen = Vec::new();
            let is_first = !role.events[..e].iter().any(|e| e.is_send);
            for (v, variable) in role.variables.iter().enumerate() {
                let is_partner = matches!(variable.origin, Origin::Agent(_));
                let is_chosen = match event.is_send {
                    true => is_first && is_partner,
                    false => event.message.mentions(v),
                };
                if bound[v] || !is_chosen {
                    continue;
                }
                bound[v] = true;
                chosen.push(v);
                let fits = |a: &u16| {
                    let number = usize::from(*a);
                    world.kinds[number] == Some(variable.kind)
                        && (!is_partner || world.protocol.any_partner || number != part.agent)
                };
                let values: Vec<String> =
                    (0..world.atoms.len() as u16).filter(fits).map(|a| format!(":: s{number}_{v} = {a}")).collect();
                let _ = writeln!(text, "    if {} fi;", values.join(" "));
            }
            if event.is_send {
                let mut fresh = Vec::new();
                for (v, variable) in role.variables.iter().enumerate() {
                    if variable.origin == Origin::Fresh(e) {
                        let atom = world.fresh(number, part.role, v).expect("a fresh variable has an atom");
                        bound[v] = true;
                        fresh.push(atom);
                        let _ = writeln!(text, "    s{number}_{v} = {atom};");
                    }
                }
                let mut values = Vec::new();
                self.values(number, &event.message, &mut values);
                let mut parts = Vec::new();
                self.learn_form(&form(&event.message), &values, &mut 0, &mut parts);
                let _ = writeln!(text, "    d_step {{ {}; open_all() }};", parts.join("; "));
                fresh.iter().for_each(|atom| _ = writeln!(text, "    made[{atom}] = true;"));
            } else {
                let reset: String = chosen.iter().fold(String::new(), |t, v| t + &format!("s{number}_{v} = NONE; "));
                let guard = self.makes(number, &event.message);
                let back = if chosen.is_empty() {
                    String::new()
                } else {
                    format!("\n    :: else -> {reset}goto {}", label(e, event))
                };
                let _ = writeln!(text, "    if\n    :: {guard} -> skip{back}\n    fi;");
            }
            let _ = writeln!(text, "    check()\n  }}");
        }
        text += "  skip\n}";
        self.line(&text);
    }

    fn start(&mut self) {
        let world = self.world;
        let mut text = String::from("\ninit {\n  d_step {\n");
        for atom in 0..world.atoms.len() as u16 {
            let is_known = world.start.has(atom);
            let is_fresh = matches!(world.atoms[usize::from(atom)], Atom::Fresh { .. });
            if is_known {
                let _ = writeln!(text, "    known[{atom}] = true;");
            } else if !is_fresh {
                let _ = writeln!(text, "    made[{atom}] = true;");
            }
        }
        let agents = world.agents.len();
        for family in 0..world.protocol.shared.len() {
            for first in 0..agents {
                for second in 0..agents {
                    let atom = world.shared(family, first, second);
                    let _ = writeln!(text, "    shared{family}[{}] = {atom};", first * agents + second);
                }
            }
        }
        for (number, part) in world.sessions.iter().flatten().enumerate() {
            let _ = writeln!(text, "    s{number}_0 = {};", world.parts[*part].agent);
        }
        text += "    skip\n  };\n  atomic {\n";
        (0..world.sessions.len()).for_each(|number| _ = writeln!(text, "    run session{number}();"));
        text += "    skip\n  }\n}";
        self.line(&text);
    }
}
