//! Whole programs under partial-order reduction: compared, checked, counted.
//!
//! Who calls gives the reduction, for a model and whether failures must be kept or deadlocks only.

use crate::alike::rest;
use crate::commute::check_facts;
use crate::random::Random;
use crate::reduced::{Proviso, Sizes, check_sets, compare, compare_alike, search};
use ferrospin_interp::Interp;
use ferrospin_model::facts::Facts;
use ferrospin_model::ir::Model;
use ferrospin_model::passes::optimize;
use ferrospin_system::Reduction;
use std::sync::Arc;

/// Makes a reduction.
pub type Make<'a> = dyn Fn(&Arc<Model>, bool) -> Option<Box<dyn Reduction>> + 'a;

/// Sizes of the searches of a program at plain grain; what went wrong where they disagree, at either grain. `make` gives
/// reductions that keep all states in which no process can move, `make_alike` those that keep one of several that are alike.
pub fn judge(text: &str, limit: usize, make: &Make<'_>, make_alike: &Make<'_>) -> Result<Option<Sizes>, String> {
    let Ok(model) = crate::model("random.pml", text, &[]) else { return Ok(None) };
    if model.lacks_code() {
        return Ok(None);
    }
    let plain = Arc::new(model);
    let optimized = Arc::new(optimize(&plain).model);
    let sizes = |model: &Arc<Model>| {
        let mut machine = Interp::new(model.clone());
        let births = Facts::up_to_creation(model.clone()).creation();
        if births.processes_unseen {
            let rest = |state: &[u8]| rest(model, births, state);
            compare_alike(&mut machine, &mut |failures| make_alike(model, failures), &rest, limit)
                .map_err(|why| format!("up to births: {why}"))?;
        }
        compare(&mut machine, &mut |failures| make(model, failures), limit)
    };
    sizes(&optimized).map_err(|why| format!("optimized: {why}"))?;
    sizes(&plain)
}

/// Checks the facts of a model at a number of states of a random walk, and the sets at a tenth of them; says how many claims
/// and sets were checked, or why there is no reduction.
pub fn check(name: &str, text: &str, states: usize, make: &Make<'_>) -> Result<String, String> {
    let model = Arc::new(crate::model(name, text, &[])?);
    let facts = Facts::new(model.clone());
    if let Some(reason) = facts.off() {
        return Ok(format!("no reduction: {reason}"));
    }
    let mut machine = Interp::new(model.clone());
    let mut random = Random::new(1);
    let claims = check_facts(&mut machine, &facts, &mut random, states)?;
    let mut reduction = make(&model, true).ok_or("no reduction")?;
    let sets = check_sets(&mut machine, &mut *reduction, &mut random, states / 10, 5)?;
    Ok(format!("{claims} claims and {sets} sets"))
}

/// States of a model behind the passes: all moves, deadlocks only, by levels, depth first with completion, depth first
/// with the strict proviso. Nothing above the limit, or where there is no reduction.
pub fn sizes(name: &str, text: &str, limit: usize, make: &Make<'_>) -> Result<[Option<usize>; 5], String> {
    let model = Arc::new(optimize(&crate::model(name, text, &[])?).model);
    let run = |failures: Option<bool>, proviso| {
        let mut machine = Interp::new(model.clone());
        let found = match failures {
            None => search(&mut machine, None, proviso, limit),
            Some(failures) => search(&mut machine, Some(&mut *make(&model, failures)?), proviso, limit),
        };
        (!found.cut).then_some(found.states)
    };
    Ok([
        run(None, Proviso::None),
        run(Some(false), Proviso::None),
        run(Some(true), Proviso::Level),
        run(Some(true), Proviso::Completion),
        run(Some(true), Proviso::Strict),
    ])
}
