//! What a run of a protocol may be asked for: sessions, intruder, types, watch.

use crate::knowledge::Intruder;
use crate::protocol::{ClaimKind, Protocol, Sessions};
use thiserror::Error;

/// The options of protocols, by name, in the order of [`Settings::set`].
pub const NAMES: [&str; 7] = ["run", "extra", "sessions", "intruder", "secrecy", "watch", "untyped"];

/// Options as they were typed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    run: Option<String>,
    extra: Option<usize>,
    sessions: Option<usize>,
    intruder: Option<Intruder>,
    secrecy: Option<Secrecy>,
    nonces_only: bool,
    untyped: bool,
}

/// Which secrecy is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Secrecy {
    Generic,
    Claim,
    Both,
}

/// Why options cannot be met.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unusable {
    /// There is no such option.
    #[error("protocols have no option `{0}`")]
    Unknown(String),
    /// A value cannot be read.
    #[error("`--{name} {value}`: expected {expected}")]
    Value {
        /// The option.
        name: String,
        /// What was typed.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// There is no such role.
    #[error("`--run`: the protocol has no role `{name}`; its roles are {known}")]
    NoRole {
        /// What was typed.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// There is no such agent.
    #[error("`--run`: there is no honest agent `{name}`; there are {known}")]
    NoAgent {
        /// What was typed.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The simplified intruder would not be sound.
    #[error("`--intruder simple` is not sound here: {0}; leave it out")]
    Unsound(&'static str),
    /// More than the encoding of states takes.
    #[error("{0}: ask for fewer sessions")]
    TooLarge(String),
    /// Nothing would run.
    #[error("no session runs: give `--run`, `--extra` or `--sessions`")]
    Nothing,
}

/// Sessions that a run may have.
const SESSIONS_MAX: usize = 64;

impl Settings {
    /// Sets an option by its name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Unusable> {
        let bad = |expected| Unusable::Value { name: name.into(), value: value.into(), expected };
        let count = || match value.parse() {
            Ok(n) if n <= SESSIONS_MAX => Ok(n),
            _ => Err(bad("a number of sessions up to 64")),
        };
        match name {
            "run" => self.run = Some(value.into()),
            "extra" => self.extra = Some(count()?),
            "sessions" => self.sessions = Some(count()?),
            "intruder" => {
                self.intruder = Some(match value {
                    "full" => Intruder::Full,
                    "simple" => Intruder::Simple,
                    _ => return Err(bad("`full` or `simple`")),
                });
            }
            "secrecy" => {
                self.secrecy = Some(match value {
                    "generic" => Secrecy::Generic,
                    "claim" => Secrecy::Claim,
                    "both" => Secrecy::Both,
                    _ => return Err(bad("`generic`, `claim` or `both`")),
                });
            }
            "watch" => {
                self.nonces_only = match value {
                    "all" => false,
                    "nonces" => true,
                    _ => return Err(bad("`all` or `nonces`")),
                };
            }
            "untyped" => {
                self.untyped = match value {
                    "" | "yes" => true,
                    "no" => false,
                    _ => return Err(bad("`yes` or `no`")),
                };
            }
            _ => return Err(Unusable::Unknown(name.into())),
        }
        Ok(())
    }

    /// What they mean for a protocol.
    pub fn setup(&self, protocol: &Protocol) -> Result<Setup, Unusable> {
        let sessions = self.sessions(protocol)?;
        if sessions.run.is_empty() && sessions.extra == 0 {
            return Err(Unusable::Nothing);
        }
        if sessions.run.len() + sessions.extra > SESSIONS_MAX {
            return Err(Unusable::TooLarge(format!("more than {SESSIONS_MAX} sessions")));
        }
        let secrecy = self.secrecy.unwrap_or(Secrecy::Both);
        let claims: Vec<usize> = (0..protocol.claims.len())
            .filter(|c| match protocol.claims[*c].kind {
                ClaimKind::NoLeak if protocol.states_secrets => self.secrecy.is_some_and(|s| s != Secrecy::Claim),
                ClaimKind::NoLeak => secrecy != Secrecy::Claim,
                ClaimKind::Made { .. } | ClaimKind::Held { .. } => secrecy != Secrecy::Generic,
                _ => self.secrecy.is_none() || secrecy == Secrecy::Both,
            })
            .collect();
        let only_leaks = claims.iter().all(|c| protocol.claims[*c].kind == ClaimKind::NoLeak);
        let why = if !only_leaks {
            Some("claims ask for what the intruder has, and it keeps only whether there is a leak")
        } else if self.nonces_only || !protocol.public.is_empty() {
            Some("it needs all atoms watched, keys too, and some are not")
        } else if !protocol.has_atomic_keys() {
            Some("some keys are no atoms")
        } else if !protocol.lost.is_empty() {
            Some("session keys are lost")
        } else if self.untyped {
            Some("without types, keys need not be atoms")
        } else {
            None
        };
        let intruder = match (self.intruder, why) {
            (Some(Intruder::Simple), Some(why)) => return Err(Unusable::Unsound(why)),
            (Some(asked), _) => asked,
            (None, Some(_)) => Intruder::Full,
            (None, None) => Intruder::Simple,
        };
        let note = (self.nonces_only && self.intruder.is_none())
            .then(|| "the full intruder is used, because keys are not watched".to_owned());
        let setup = Setup {
            sessions,
            intruder,
            nonces_only: self.nonces_only,
            untyped: self.untyped,
            claims,
            symmetric: false,
            note,
        };
        Ok(setup)
    }

    fn sessions(&self, protocol: &Protocol) -> Result<Sessions, Unusable> {
        let mut sessions = protocol.sessions.clone().unwrap_or_else(|| standard(protocol));
        if let Some(n) = self.sessions {
            (sessions.run, sessions.extra) = (servers(protocol), n);
        }
        if let Some(text) = &self.run {
            let usual = sessions.clone();
            sessions.run.clear();
            for entry in split(text) {
                self.entry(protocol, &usual, entry, &mut sessions)?;
            }
        }
        if let Some(n) = self.extra {
            sessions.extra = n;
        }
        Ok(sessions)
    }

    /// Reads `A=2`, `A(a)` or `A(a)=2`.
    fn entry(
        &self,
        protocol: &Protocol,
        usual: &Sessions,
        entry: &str,
        sessions: &mut Sessions,
    ) -> Result<(), Unusable> {
        let expected = "roles with numbers or agents, such as `A=2,B=1` or `A(a),B(b)=2`";
        let bad = || Unusable::Value { name: "run".into(), value: entry.into(), expected };
        let (who, count) = match entry.split_once('=') {
            Some((who, count)) => (who.trim(), count.trim().parse().map_err(|_| bad())?),
            None => (entry.trim(), 1),
        };
        let (role, agent) = match who.split_once('(') {
            Some((role, rest)) => (role.trim(), Some(rest.strip_suffix(')').ok_or_else(bad)?.trim())),
            None => (who, None),
        };
        let listed = |names: Vec<&str>| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        let number = protocol.role(role).ok_or_else(|| Unusable::NoRole {
            name: role.into(),
            known: listed(protocol.roles.iter().map(|r| r.name.as_str()).collect()),
        })?;
        if count > SESSIONS_MAX || sessions.run.len() + count > SESSIONS_MAX {
            return Err(Unusable::TooLarge(format!("more than {SESSIONS_MAX} sessions")));
        }
        let agent = match agent {
            _ if protocol.roles[number].is_server => None,
            Some(name) => Some(sessions.honest.iter().position(|a| a == name).ok_or_else(|| Unusable::NoAgent {
                name: name.into(),
                known: listed(sessions.honest.iter().map(String::as_str).collect()),
            })?),
            None => {
                let used = usual.run.iter().find(|(r, a)| *r == number && a.is_some()).and_then(|(_, a)| *a);
                let place = protocol.players().position(|r| r == number).unwrap_or(0);
                Some(used.unwrap_or(place % sessions.honest.len().max(1)))
            }
        };
        sessions.run.extend(std::iter::repeat_n((number, agent), count));
        Ok(())
    }
}

/// The entries of a list, parted by commas.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|e| !e.is_empty())
}

/// One session of each role, each played by an agent of its own.
fn standard(protocol: &Protocol) -> Sessions {
    let players: Vec<usize> = protocol.players().collect();
    let letters = "abcdefgh";
    let name = |i: usize| letters.get(i..=i).map_or(format!("a{i}"), str::to_owned);
    let honest = (0..players.len()).map(name).collect();
    let role = |r| (r, players.iter().position(|p| *p == r));
    Sessions { honest, run: (0..protocol.roles.len()).map(role).collect(), extra: 0 }
}

/// One session of each server.
fn servers(protocol: &Protocol) -> Vec<(usize, Option<usize>)> {
    (0..protocol.roles.len()).filter(|r| protocol.roles[*r].is_server).map(|r| (r, None)).collect()
}

/// What a run is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Who plays what.
    pub sessions: Sessions,
    /// How the intruder opens messages. [`Intruder::Simple`] where it is sound: no claim but the generic one, all atoms watched, atomic keys.
    pub intruder: Intruder,
    /// Leaks of keys do not count.
    pub nonces_only: bool,
    /// A variable takes any atom and any ciphertext.
    pub untyped: bool,
    /// The claims that are checked, by number.
    pub claims: Vec<usize>,
    /// Of equal sessions that have not begun only the first may begin.
    pub symmetric: bool,
    /// What was changed, in a sentence.
    pub note: Option<String>,
}
