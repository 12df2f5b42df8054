//! Process graphs as machine code.
//!
//! [`Native`] is an executor like the interpreter, and gives the interpreter's results bit for bit: the same states, the
//! same moves in the same order, the same failures. The model is compiled once with Cranelift: per location a function
//! that finds its executable edges, per edge a function that changes a copy of the state. What is rare is a helper
//! function; `docs/native.md` lists which.
//!
//! The code map: [`check`] refuses models the code could not trust, [`plan`] finds what is known before, [`emit`],
//! [`expr`], [`channel`], [`rendezvous`], [`action`] and [`executable`] generate, [`build`] puts the functions into a
//! [`program`], [`machine`] runs it with the help of [`scan`], [`runtime`], [`partners`], [`commit`] and [`trace`];
//! [`context`] is what both sides share.
//!
//! Nothing reads or writes outside a state, whatever the model does: places and channels are checked to lie inside
//! their areas when the model is compiled, indices and lengths where they are used, and frames when a state is scanned.

mod action;
mod build;
mod channel;
mod check;
mod commit;
mod context;
mod drive;
mod emit;
mod executable;
mod expand;
mod expr;
mod find;
mod kept;
mod machine;
mod monitor;
mod partners;
mod plan;
mod program;
mod ready;
mod rendezvous;
mod run_on;
mod runtime;
mod scan;
mod trace;
mod walk;

use context::Context;
use ferrospin_model::ir::Model;
use ferrospin_model::passes::GoOn;
use ferrospin_system::{Move, StateRun};
use program::Program;
use std::sync::Arc;
use thiserror::Error;

/// Why there is no machine code for a model. The interpreter runs it all the same.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// The code generator does not support this machine.
    #[error("no machine code for this platform: {0}")]
    Platform(String),
    /// The model breaks a rule that generated code relies on.
    #[error("no machine code for this model: {0}")]
    Model(String),
    /// The code generator gave up.
    #[error("code generation failed: {0}")]
    Code(String),
    /// The caller did.
    #[error("there was no time to make machine code")]
    Stopped,
}

/// How much time compilation may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Without optimisation and with a simple register allocator: a third of the time, and code that is slower by a
    /// tenth.
    Quick,
    /// With both.
    Thorough,
}

/// States per edge that are expanded before code is made that takes moves while it looks for them: making it takes
/// about as long.
const PATIENCE: usize = 400;

/// States with the same processes that are expanded in a row before code is made for them.
const DRIVER_PATIENCE: u32 = 4000;

/// So often code is made for states with the same processes; where it must be thrown away again and again it is not worth
/// it.
const DRIVERS_MAX: u32 = 16;

/// Models with more edges are compiled quickly unless the caller says otherwise.
const EDGES_THOROUGH: usize = 200;

/// A compiled model with its scratch memory. A clone shares the code and has scratch memory of its own.
pub struct Native {
    program: Arc<Program>,
    context: Box<Context>,
    /// Moves of a process that goes on alone.
    system: Vec<Move>,
    /// Memory for the moves of a run.
    run: StateRun,
    /// How many states are expanded before code is made that does it faster.
    patience: usize,
    lane: expand::Lane,
    /// Lanes for other processes.
    parked: Vec<expand::Lane>,
    spare: commit::Spare,
    walk: walk::Walk,
    /// States with the same processes that are expanded in a row before code is made for them.
    driver_patience: u32,
    /// How many more times code may be made for states with the same processes.
    drivers_left: u32,
}

// SAFETY: the raw pointers of the context point into memory that the context itself owns, or are only valid, and only
// used, during a call of one of the machine's functions.
unsafe impl Send for Native {}

impl Native {
    /// Compiles a model, with an effort that suits its size.
    pub fn compile(model: &Model) -> Result<Native, Refusal> {
        Native::compile_while(model, &|| true)
    }

    /// The same as long as `go_on` says yes, which is asked before each function.
    pub fn compile_while(model: &Model, go_on: GoOn<'_>) -> Result<Native, Refusal> {
        let small = model.edges.len() <= EDGES_THOROUGH;
        let effort = if small { Effort::Thorough } else { Effort::Quick };
        Ok(Native::new(Arc::new(build::build(model, effort, go_on)?)))
    }

    /// Compiles a model. What is only worth it for large state spaces is made soon with [`Effort::Thorough`].
    pub fn compile_with(model: &Model, effort: Effort) -> Result<Native, Refusal> {
        let mut native = Native::new(Arc::new(build::build(model, effort, &|| true)?));
        if effort == Effort::Thorough {
            native.patience = 0;
            native.driver_patience = 2;
        }
        Ok(native)
    }

    fn new(program: Arc<Program>) -> Native {
        let context = Context::boxed(&program);
        let patience = PATIENCE * program.edges.len();
        Native {
            program,
            context,
            system: Vec::new(),
            run: StateRun::default(),
            patience,
            lane: Default::default(),
            parked: Vec::new(),
            spare: Default::default(),
            walk: Default::default(),
            driver_patience: DRIVER_PATIENCE,
            drivers_left: DRIVERS_MAX,
        }
    }
}

impl Clone for Native {
    fn clone(&self) -> Native {
        Native::new(Arc::clone(&self.program))
    }
}
