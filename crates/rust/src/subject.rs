//! A model as a subject of checks.

use crate::checked::{Checked, Sampled};
use crate::reference::Teller;
use crate::self_check::{Flaw, self_check};
use crate::{Executor, Model, Properties, Property};
use ferrospin_check::options::Options;
use ferrospin_check::refusal::Refusal;
use ferrospin_check::report::{PropertyKind, Report, Verification};
use ferrospin_check::storage::Nowhere;
use ferrospin_check::subject::{
    BoxMachine, Executors, Fault, Identity, NoProposition, Purpose, Reference, SelfCheck, Stated, Subject,
};
use ferrospin_system::StateHash;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};

/// States that a fingerprint looks at, and that a self-check looks at before a search.
const FINGERPRINT_STATES: usize = 100;
const SELF_CHECK_STATES: usize = 1000;

/// A model as a subject of checks.
pub struct System<M: Model> {
    model: Arc<M>,
    properties: Properties<M>,
    fingerprint: OnceLock<u64>,
}

impl<M: Model> System<M> {
    /// The subject of a model.
    pub fn new(model: M) -> Self {
        let properties = Properties::of(&model);
        System { model: Arc::new(model), properties, fingerprint: OnceLock::new() }
    }

    /// What the model is called: its type, without where that is defined.
    pub fn name() -> &'static str {
        let whole = std::any::type_name::<M>();
        let plain = whole.split('<').next().unwrap_or(whole);
        plain.rsplit("::").next().unwrap_or(plain)
    }

    /// Depends on the names of the model, and on its first states and actions, breadth first: a model has no text.
    fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let model = &*self.model;
            let mut text = format!("{} {:?}", Self::name(), model.formulas());
            self.properties.list().iter().for_each(|p| text += &format!(" {} {:?}", p.name, p.kind));
            let mut queue = VecDeque::from([model.initial()]);
            let mut actions = Vec::new();
            for _ in 0..FINGERPRINT_STATES {
                let Some(state) = queue.pop_front() else { break };
                text += &format!("\n{state:?}");
                actions.clear();
                model.actions(&state, &mut actions);
                for action in &actions {
                    text += &format!(" {action:?}");
                    let mut next = state.clone();
                    if queue.len() < FINGERPRINT_STATES && model.take(&mut next, action) {
                        queue.push_back(next);
                    }
                }
            }
            StateHash::new(3).of(text.as_bytes())
        })
    }

    /// The property with this number.
    fn property(&self, number: u32) -> Property<M> {
        self.properties.list()[number as usize]
    }
}

impl<M: Model> Subject for System<M> {
    fn identity(&self) -> Identity {
        let fingerprint = format!("{:016x}", self.fingerprint());
        Identity { name: Self::name().into(), fingerprint, options: Vec::new() }
    }

    fn properties(&self) -> Vec<Stated> {
        let formulas = self.model.formulas().into_iter();
        let stated = |(name, formula): (&str, &str)| Stated {
            name: name.into(),
            kind: PropertyKind::Ltl,
            formula: Some(formula.into()),
        };
        std::iter::once(Stated::safety()).chain(formulas.map(stated)).collect()
    }

    fn executors(&self, purpose: &Purpose, options: &Options) -> Result<Box<dyn Executors + '_>, Refusal> {
        let mut executor = Executor::new(self.model.clone());
        if let Purpose::Labels(numbers) = purpose {
            executor = executor.with_propositions(numbers.iter().map(|n| self.property(*n)).collect());
        }
        let check = match options.self_check {
            None => None,
            Some(share) => {
                let states = self_check(&*self.model, SELF_CHECK_STATES).map_err(|flaw| refuse(&flaw))?;
                Some(Arc::new(Sampled::new(share, states as u64)))
            }
        };
        Ok(Box::new(Workers { executor: Mutex::new(executor), check, fingerprint: self.fingerprint() }))
    }

    fn reference(&self, _: Option<&Fault>) -> Box<dyn Reference + '_> {
        Box::new(Teller::new(self.model.clone(), &self.properties))
    }

    fn proposition(&self, text: &str) -> Result<u32, NoProposition> {
        let list = self.properties.list();
        if let Some(number) = list.iter().position(|p| p.name == text) {
            return Ok(number as u32);
        }
        let known = list.iter().map(|p| p.name.to_owned()).collect();
        Err(NoProposition::Unknown { text: text.into(), known })
    }
}

/// What is said of a faulty encoding.
fn refuse(flaw: &Flaw) -> Refusal {
    Refusal::Refused(format!("the encoding of states is faulty: {flaw}"))
}

/// Executors of a model for all workers of a search.
struct Workers<M: Model> {
    executor: Mutex<Executor<M>>,
    check: Option<Arc<Sampled>>,
    fingerprint: u64,
}

impl<M: Model> Executors for Workers<M> {
    fn engine(&self) -> &'static str {
        "rust"
    }

    fn machine(&self) -> BoxMachine {
        let executor = self.executor.lock().expect("cloning does not panic").clone();
        match &self.check {
            Some(check) => Box::new(Checked { executor, check: check.clone() }),
            None => Box::new(executor),
        }
    }

    fn edges(&self) -> usize {
        0
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn self_check(&self) -> Option<Arc<dyn SelfCheck>> {
        self.check.as_ref().map(|check| check.clone() as _)
    }
}

impl SelfCheck for Sampled {
    fn is_over(&self) -> bool {
        Sampled::is_over(self)
    }

    fn result(&self) -> Result<String, Refusal> {
        match self.flaw() {
            Some(flaw) => Err(refuse(&flaw)),
            None => Ok(format!("self-check: {} states encoded and decoded, no difference", self.states())),
        }
    }
}

/// Checks a model and writes no file.
pub fn check<M: Model>(model: M, options: &Options) -> Result<Report, Refusal> {
    let system = System::new(model);
    let verification: Verification = ferrospin_check::check(&system, options, &Nowhere)?;
    Ok(Report::new(System::<M>::name(), verification, Vec::new()))
}
