//! A protocol with its sessions as a subject of checks.
//!
//! Each claim is a property of its own. One search checks them all; where it finds nothing, that is the answer about each, and where it
//! finds a violation, the claims that it did not violate get searches of their own. A verdict says the sessions it holds for.

use crate::checker;
use crate::machine::Executor;
use crate::options::Setup;
use crate::protocol::{ClaimKind, Protocol};
use crate::reference::Teller;
use crate::tell;
use crate::world::World;
use ferrospin_check::options::{Options, Search};
use ferrospin_check::report::{PropertyKind, PropertyReport, Verdict};
use ferrospin_check::subject::{
    Answer, BoxMachine, Executors, Fault, Identity, NoProposition, Outcome, Purpose, Reference, Stated, Subject, Task,
    Violation, search_safety,
};
use ferrospin_check::{Refusal, safety};
use ferrospin_source::{SourceMap, Span};
use ferrospin_system::StateHash;
use ferrospin_trace::trail::Place;
use std::sync::{Arc, Mutex};

/// Where events and claims stand in the text.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By role and event.
    pub(crate) events: Vec<Vec<Option<Place>>>,
    /// By claim.
    pub(crate) claims: Vec<Option<Place>>,
}

impl Places {
    /// The places of a protocol that was read from this text.
    pub fn of(protocol: &Protocol, map: &SourceMap) -> Places {
        let place = |span: Span| {
            let position = map.position(span).filter(|_| span.is_some())?;
            Some(Place { file: position.file.to_string(), line: position.line, column: position.column })
        };
        Places {
            events: protocol.roles.iter().map(|r| r.events.iter().map(|e| place(e.span)).collect()).collect(),
            claims: protocol.claims.iter().map(|c| place(c.span)).collect(),
        }
    }
}

/// What the search for violations of all claims has shown.
#[derive(Clone, Default)]
enum All {
    /// It was not run yet.
    #[default]
    Open,
    /// There is none.
    Holds(Box<PropertyReport>),
    /// There is some.
    Violated,
}

/// See the module.
pub struct System {
    name: String,
    world: Arc<World>,
    places: Places,
    options: Vec<String>,
    /// What the search for violations of all claims has shown.
    all: Mutex<All>,
}

impl System {
    /// A protocol with its sessions; `options` are those it is run with, as they were typed.
    pub fn new(name: String, world: World, places: Places, options: Vec<String>) -> System {
        System { name, world: Arc::new(world), places, options, all: Mutex::default() }
    }

    fn setup(&self) -> &Setup {
        &self.world.setup
    }

    fn fingerprint(&self) -> u64 {
        let told: Vec<_> = self
            .world
            .protocol
            .roles
            .iter()
            .map(|r| {
                (
                    &r.name,
                    &r.variables,
                    r.events.iter().map(|e| (e.is_send, &e.message, &e.opens, &e.shapes)).collect::<Vec<_>>(),
                )
            })
            .collect();
        let claims: Vec<_> = self.world.protocol.claims.iter().map(|c| &c.kind).collect();
        let setup = Setup { claims: Vec::new(), note: None, ..self.setup().clone() };
        StateHash::new(5).of(format!("{told:?} {claims:?} {setup:?} {}", self.world.protocol.any_partner).as_bytes())
    }

    /// The claims that a property is about.
    fn claims(&self, property: &str) -> Vec<usize> {
        let named = self.world.protocol.claims.iter().position(|c| c.name == property);
        named.map_or_else(|| self.setup().claims.clone(), |claim| vec![claim])
    }

    fn workers(&self, claims: Vec<usize>, options: &Options) -> Workers {
        let executor = Executor::new(self.world.clone(), claims, options.partial_order);
        Workers { executor: Mutex::new(executor), fingerprint: self.fingerprint() }
    }

    /// One search for violations of some claims.
    fn search(&self, claims: Vec<usize>, task: &Task<'_>) -> Result<(PropertyReport, Outcome), Refusal> {
        let mut options = task.options.clone();
        // The shortest attack is wanted, unless an order was asked for; and agents may stop at any time.
        options.probe = false;
        options.search = options.search.or(Some(Search::BreadthFirst));
        let workers = self.workers(claims.clone(), &options);
        let mut reference = self.teller(claims);
        let (mut report, outcome) = search_safety(&workers, &mut reference, &task.with(&options))?;
        if options.partial_order && report.reduction == "none" && self.has_equal_sessions() {
            report.reduction = "symmetry".into();
        }
        // The attack that is told has been read by a checker that shares only the terms with the search.
        if let Some(violation) = outcome.violations.first() {
            self.confirm(violation)?;
        }
        Ok((report, outcome))
    }

    fn confirm(&self, violation: &Violation) -> Result<(), Refusal> {
        let Fault::Failure(failure) = &violation.fault else { return Ok(()) };
        let mut executor = Executor::new(self.world.clone(), Vec::new(), false);
        let Some(steps) = executor.played(&violation.trail) else { return Ok(()) };
        checker::check(&self.world, &executor.terms, &steps, usize::from(failure.code.number))
            .map_err(|flaw| Refusal::Refused(flaw.to_string()))
    }

    fn has_equal_sessions(&self) -> bool {
        let fixed: Vec<_> = self.world.sessions.iter().flatten().collect();
        (1..fixed.len()).any(|i| fixed[..i].contains(&fixed[i]))
    }

    fn teller(&self, claims: Vec<usize>) -> Teller<'_> {
        Teller { executor: Executor::new(self.world.clone(), claims, false), places: &self.places }
    }

    /// What a verdict depends on, in sentences.
    fn assumptions(&self, property: &PropertyReport) -> Vec<String> {
        let mut said = Vec::new();
        let bound = tell::bound(&self.world);
        said.push(match property.verdict {
            Verdict::Holds => format!("no attack within the bound, which is no proof beyond it: {bound}"),
            _ => bound,
        });
        if property.verdict == Verdict::Holds && self.has_closed_parts() {
            said.push(
                "parts that a role cannot open: the intruder sends what it has seen, and what has their form".into(),
            );
        }
        said.extend(self.setup().note.clone());
        said
    }

    fn has_closed_parts(&self) -> bool {
        let roles = &self.world.protocol.roles;
        roles.iter().any(|r| r.variables[..r.kept].iter().any(|v| v.kind == crate::protocol::Kind::Opaque))
    }
}

impl Subject for System {
    fn identity(&self) -> Identity {
        let fingerprint = format!("{:016x}", self.fingerprint());
        Identity { name: self.name.clone(), fingerprint, options: self.options.clone() }
    }

    fn properties(&self) -> Vec<Stated> {
        let claims = self.setup().claims.iter().map(|c| &self.world.protocol.claims[*c]);
        let stated = |name: &String| Stated { name: name.clone(), kind: PropertyKind::Safety, formula: None };
        let list: Vec<Stated> = claims.map(|claim| stated(&claim.name)).collect();
        if list.is_empty() { vec![Stated::safety()] } else { list }
    }

    fn executors(&self, _: &Purpose, options: &Options) -> Result<Box<dyn Executors + '_>, Refusal> {
        Ok(Box::new(self.workers(self.setup().claims.clone(), options)))
    }

    fn reference(&self, about: Option<&Fault>) -> Box<dyn Reference + '_> {
        let claims = match about {
            Some(Fault::Failure(failure)) => vec![usize::from(failure.code.number)],
            _ => self.setup().claims.clone(),
        };
        Box::new(self.teller(claims))
    }

    fn proposition(&self, text: &str) -> Result<u32, NoProposition> {
        Err(NoProposition::Unknown { text: text.into(), known: Vec::new() })
    }

    fn answer(&self, property: &Stated, task: &Task<'_>) -> Result<Answer, Refusal> {
        if property.kind != PropertyKind::Safety {
            return Err(Refusal::Refused("protocols have claims and no formulas".into()));
        }
        let claims = self.claims(&property.name);
        let finish = |mut report: PropertyReport| {
            report.name.clone_from(&property.name);
            report.notes.extend(self.assumptions(&report));
            report
        };
        let known = self.all.lock().expect("searches do not panic").clone();
        if let All::Holds(report) = known {
            return Ok(Answer { report: finish(*report), finding: None, others: Vec::new(), taken: None });
        }
        let is_one = claims.len() == 1 && self.setup().claims.len() > 1;
        if is_one && matches!(known, All::Open) && task.options.errors_max == Some(1) {
            let (report, outcome) = self.search(self.setup().claims.clone(), task)?;
            let is_it = |fault: &Fault| matches!(fault, Fault::Failure(f) if claims == [usize::from(f.code.number)]);
            let found = match report.verdict {
                Verdict::Holds => All::Holds(Box::new(report.clone())),
                Verdict::Violated => All::Violated,
                _ => All::Open,
            };
            *self.all.lock().expect("searches do not panic") = found;
            if report.verdict != Verdict::Violated || outcome.violations.first().is_some_and(|v| is_it(&v.fault)) {
                return Ok(safety::answer(finish(report), outcome));
            }
        }
        let (report, outcome) = self.search(claims, task)?;
        Ok(safety::answer(finish(report), outcome))
    }

    fn examine(&self, property: &Stated) -> Result<(), Refusal> {
        match property.kind {
            PropertyKind::Safety => Ok(()),
            _ => Err(Refusal::Refused("protocols have claims and no formulas".into())),
        }
    }
}

/// Whether a claim is about what the intruder knows.
pub fn is_secrecy(kind: &ClaimKind) -> bool {
    matches!(kind, ClaimKind::NoLeak | ClaimKind::Made { .. } | ClaimKind::Held { .. })
}

/// Executors for all workers of a search.
struct Workers {
    executor: Mutex<Executor>,
    fingerprint: u64,
}

impl Executors for Workers {
    fn engine(&self) -> &'static str {
        "protocol"
    }

    fn machine(&self) -> BoxMachine {
        Box::new(self.executor.lock().expect("cloning does not panic").clone())
    }

    fn edges(&self) -> usize {
        0
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
