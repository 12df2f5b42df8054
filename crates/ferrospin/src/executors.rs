//! The axis of executors: machine code or the interpreter, under a self-check or not. A model is compiled once for all workers.

use crate::self_check::{SelfCheck, watched};
use crate::verify::{Engine, Options};
use ferrospin_interp::Interp;
use ferrospin_model::ir::Model;
use ferrospin_native::Native;
use ferrospin_search::BoxMachine;
use ferrospin_search::monitor::WithMonitor;
use ferrospin_system::Monitored;
use std::sync::{Arc, Mutex};

/// Makes an executor for each worker, under a self-check where there is one.
pub(crate) struct Maker {
    executor: Executor,
    check: Option<Arc<SelfCheck>>,
}

enum Executor {
    Native(Box<Mutex<Native>>),
    Interp(Arc<Model>),
}

impl Maker {
    /// Compiles the model. Where there is no machine code, the interpreter does the work; so it does where the time is over, and the
    /// search ends at its first look at the clock.
    pub(crate) fn new(model: &Arc<Model>, options: &Options, check: Option<Arc<SelfCheck>>) -> Maker {
        let native = (options.engine != Engine::Interp)
            .then(|| Native::compile_while(model, &|| options.over().is_none()).ok())
            .flatten();
        let executor =
            native.map_or_else(|| Executor::Interp(model.clone()), |n| Executor::Native(Box::new(Mutex::new(n))));
        Maker { executor, check }
    }

    /// The self-check, if there is one.
    pub(crate) fn check(&self) -> Option<&Arc<SelfCheck>> {
        self.check.as_ref()
    }

    /// What executes the model.
    pub(crate) fn name(&self) -> &'static str {
        match self.executor {
            Executor::Native(_) => "native",
            Executor::Interp(_) => "interp",
        }
    }

    /// An executor for one more worker.
    pub(crate) fn machine(&self) -> BoxMachine {
        self.checked_by(self.check.as_ref())
    }

    /// The same without a self-check.
    pub(crate) fn unchecked(&self) -> BoxMachine {
        self.checked_by(None)
    }

    fn checked_by(&self, check: Option<&Arc<SelfCheck>>) -> BoxMachine {
        match &self.executor {
            Executor::Native(native) => beside(native.lock().expect("cloning does not panic").clone(), check),
            Executor::Interp(model) => beside(Interp::new(model.clone()), check),
        }
    }
}

/// An executor with the claim that moves beside its processes, if there is one.
fn beside(machine: impl Monitored + Send + 'static, check: Option<&Arc<SelfCheck>>) -> BoxMachine {
    match machine.has_monitor() {
        true => watched(WithMonitor::new(machine), check),
        false => watched(machine, check),
    }
}
