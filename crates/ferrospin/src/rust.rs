//! Models written in Rust: see [`ferrospin_rust`], all of which is here too.

pub use ferrospin_rust::*;

use crate::report::Report;
use crate::verify::{Files, Options, Refusal, verify_subject};

/// Checks a model. Memory is limited by what the system has, and no file is written.
pub fn check<M: Model>(model: M, options: &Options) -> Result<Report, Refusal> {
    check_with(model, options, &Files::default())
}

/// The same with files.
pub fn check_with<M: Model>(model: M, options: &Options, files: &Files) -> Result<Report, Refusal> {
    let verification = verify_subject(&System::new(model), options, &[], files)?;
    Ok(Report::new(System::<M>::name(), verification, Vec::new()))
}
