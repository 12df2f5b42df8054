//! When processes behave alike: three notions, the last of which is a congruence (Luttik and Trcka, SPIN 2005, sections 3 and 4).
//!
//! - *Stuttering bisimilarity*: steps that keep the state of variables do not count. It keeps deadlock and CTL* without next.
//! - *Interaction-sensitive*: sending and receiving count, too, with channel and value.
//! - *Rooted*, and for all states: *stuttering congruence*. The first steps must be answered by exactly one.
//!
//! The first two are divergence-preserving branching bisimilarity on graphs whose states carry the values of all variables and in
//! which successful termination is a visible edge ([`crate::graph`]): the kernel of `lts` decides them, a formula tells apart what
//! differs, and both answers are judged there.

use crate::graph::{Actions, Explored, GraphError, View, explore_all};
use crate::resolve::renamed;
use crate::step::{Next, Values};
use crate::term::{Channel, Process, Program, Variable};
use ferrospin_lts::equivalence::{Classes, classes};
use ferrospin_lts::formula::Formula;
use ferrospin_lts::{Label, Notion, State, Watch, certify, distinguish, evaluate};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// What counts as alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alike {
    /// Stuttering bisimilar in one state.
    Stuttering,
    /// The same, sensitive to sending and receiving.
    Interaction,
    /// The same in all states, and the first steps are answered by one.
    Congruent,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Error {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("`{0}` is a truth value in one model and a number in the other")]
    Types(String),
    #[error(
        "all states of the variables are looked at, and `{0}` may be any number: give its values, as in `var {0}: 0..3 = 0`"
    )]
    Domain(String),
    #[error("stopped before the end")]
    Stopped,
}

impl From<ferrospin_lts::Stopped> for Error {
    fn from(_: ferrospin_lts::Stopped) -> Self {
        Error::Stopped
    }
}

/// What tells two processes apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The values of the global variables for which they differ.
    pub values: Values,
    /// What holds for the first and not for the second.
    pub why: Why,
}

/// In what way they differ.
#[derive(Clone, Debug)]
pub enum Why {
    /// The formula holds for the first only.
    Formula(Formula),
    /// One terminates at once; the first, if so.
    Terminates(bool),
    /// One has a first step that the other cannot answer at once; the first, if so.
    FirstStep(bool, String),
}

/// What a comparison found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// `None` where they are alike.
    pub difference: Option<Difference>,
    /// How many configurations there are.
    pub states: usize,
    /// How many states of variables were looked at.
    pub valuations: usize,
    /// Whether these were all that were asked for.
    pub complete: bool,
    /// The classes of configurations that show that they are alike; empty where they are not.
    pub class_of: Vec<u32>,
}

/// States of variables that are checked; of more, this number.
pub const VALUATIONS_MAX: usize = 4096;

/// Compares two processes of one program: in its initial state, or in all states where congruence is asked for.
pub fn compare(program: &Program, p: &Process, q: &Process, alike: Alike, watch: &dyn Watch) -> Result<Answer, Error> {
    let (valuations, complete, explored) = explored(program, p, q, alike, watch)?;
    let found = classes(&explored.graph, Notion::DivergenceBranching, watch)?;
    let mut answer = Answer {
        difference: None,
        states: explored.graph.state_count(),
        valuations: valuations.len(),
        complete,
        class_of: Vec::new(),
    };
    for (values, pair) in valuations.iter().zip(explored.roots.chunks_exact(2)) {
        let [s, t] = [pair[0], pair[1]];
        let why = match alike {
            Alike::Congruent => differ_at_first(&explored, &found.class_of, s, t),
            _ => differ(&explored, &found, s, t),
        };
        if let Some(why) = why {
            answer.difference = Some(Difference { values: values[..program.globals.len()].into(), why });
            return Ok(answer);
        }
    }
    let right = certify::is_right(&explored.graph, &found.class_of, Notion::DivergenceBranching, watch)?;
    assert!(right, "the classes are right");
    answer.class_of = found.class_of;
    Ok(answer)
}

/// All configurations of both processes, in all states of variables that are looked at.
fn explored(
    program: &Program,
    p: &Process,
    q: &Process,
    alike: Alike,
    watch: &dyn Watch,
) -> Result<(Vec<Values>, bool, Explored), Error> {
    let (valuations, complete) = match alike {
        Alike::Congruent => all_valuations(program)?,
        _ => (vec![crate::step::initial(program)], true),
    };
    let roots: Vec<Next> = valuations.iter().flat_map(|v| [(p.clone(), v.clone()), (q.clone(), v.clone())]).collect();
    let actions = if alike == Alike::Stuttering { Actions::None } else { Actions::Open };
    let observed = (0..program.globals.len() as u32).map(Variable).collect();
    let explored = explore_all(program, &roots, &View { actions, observed: Some(observed) }, watch)?;
    Ok((valuations, complete, explored))
}

/// Whether classes of configurations, as [`Answer::class_of`] has them, show that two processes are alike.
pub fn confirms(
    program: &Program,
    p: &Process,
    q: &Process,
    alike: Alike,
    class_of: &[u32],
    watch: &dyn Watch,
) -> Result<bool, Error> {
    let (_, _, explored) = explored(program, p, q, alike, watch)?;
    let count = explored.graph.state_count();
    if class_of.len() != count || class_of.iter().any(|c| *c as usize >= count) {
        return Ok(false);
    }
    let same = explored.roots.chunks_exact(2).all(|pair| match alike {
        Alike::Congruent => differ_at_first(&explored, class_of, pair[0], pair[1]).is_none(),
        _ => class_of[pair[0].index()] == class_of[pair[1].index()],
    });
    Ok(same && certify::is_right(&explored.graph, class_of, Notion::DivergenceBranching, watch)?)
}

fn differ(explored: &Explored, found: &Classes, s: State, t: State) -> Option<Why> {
    let formula = distinguish::formula(&explored.graph, found, s, t)?;
    assert!(evaluate::holds(&explored.graph, &formula, s), "the formula holds for the first");
    assert!(!evaluate::holds(&explored.graph, &formula, t), "the formula does not hold for the second");
    Some(Why::Formula(formula))
}

/// The root condition: both terminate or none, and every first step is answered by one first step.
fn differ_at_first(explored: &Explored, class_of: &[u32], s: State, t: State) -> Option<Why> {
    if s == t {
        return None;
    }
    let of_s = explored.terminating[s.index()];
    if of_s != explored.terminating[t.index()] {
        return Some(Why::Terminates(of_s));
    }
    let firsts = |state: State| {
        let edges = explored.graph.edges(state).iter();
        edges.map(|e| (e.label, class_of[e.target.index()])).collect::<Vec<(Label, u32)>>()
    };
    for (is_first, own, other) in [(true, firsts(s), firsts(t)), (false, firsts(t), firsts(s))] {
        if let Some((label, _)) = own.iter().find(|step| !other.contains(step)) {
            return Some(Why::FirstStep(is_first, explored.graph.labels().text(*label).to_owned()));
        }
    }
    None
}

/// All states of the global variables, by their ranges; where these are too many, some, spread over all of them.
fn all_valuations(program: &Program) -> Result<(Vec<Values>, bool), Error> {
    let mut ranges = Vec::new();
    for variable in &program.variables[..program.globals.len()] {
        ranges.push(variable.values().ok_or_else(|| Error::Domain(variable.name.clone()))?);
    }
    let sizes: Vec<u128> = ranges.iter().map(|r| (i64::from(*r.end()) - i64::from(*r.start()) + 1) as u128).collect();
    let total = sizes.iter().fold(1u128, |product, size| product.saturating_mul(*size));
    let count = total.min(VALUATIONS_MAX as u128);
    let nth = |n: u128| {
        // Numbers spread by a step that shares no factor with the powers of small primes.
        let mut rest = if total == count { n } else { n.wrapping_mul(1_000_003) % total };
        let mut values = vec![0; program.variables.len()];
        for (i, range) in ranges.iter().enumerate() {
            values[i] = range.start() + (rest % sizes[i]) as i32;
            rest /= sizes[i];
        }
        values.into()
    };
    Ok(((0..count).map(nth).collect(), total == count))
}

/// Two programs as one: variables and channels with the same name are the same. The process of the result is that of the first.
pub fn merged(a: &Program, b: &Program) -> Result<(Program, Process, Process), Error> {
    let mut whole =
        Program { variables: Vec::new(), globals: Vec::new(), channels: Vec::new(), process: a.process.clone() };
    let mut global: FxHashMap<&str, Variable> = FxHashMap::default();
    let mut images: [Vec<Variable>; 2] = [Vec::new(), Vec::new()];
    for (program, images) in [a, b].into_iter().zip(&mut images) {
        for (declared, value) in program.variables.iter().zip(&program.globals) {
            let next = Variable(whole.variables.len() as u32);
            let known = *global.entry(&declared.name).or_insert(next);
            if known == next {
                whole.variables.push(declared.clone());
                whole.globals.push(*value);
            } else {
                let other = &mut whole.variables[known.index()];
                if other.ty != declared.ty {
                    return Err(Error::Types(declared.name.clone()));
                }
                other.range = joined(other.range, declared.range);
            }
            images.push(known);
        }
    }
    let mut channels: FxHashMap<&str, Channel> = FxHashMap::default();
    let mut channel_images: [Vec<Channel>; 2] = [Vec::new(), Vec::new()];
    for (program, images) in [a, b].into_iter().zip(&mut channel_images) {
        for declared in &program.channels {
            let next = Channel(whole.channels.len() as u32);
            let known = *channels.entry(&declared.name).or_insert(next);
            if known == next {
                whole.channels.push(declared.clone());
            } else {
                let other = &mut whole.channels[known.index()];
                if other.ty != declared.ty {
                    return Err(Error::Types(declared.name.clone()));
                }
                other.range = joined(other.range, declared.range);
            }
            images.push(known);
        }
    }
    for (program, images) in [a, b].into_iter().zip(&mut images) {
        for local in &program.variables[program.globals.len()..] {
            images.push(Variable(whole.variables.len() as u32));
            whole.variables.push(local.clone());
        }
    }
    let image = |p: &Process, i: usize| {
        let (variables, channels) = (&images[i], &channel_images[i]);
        renamed(p, &|x| variables[x.index()], &|m| channels[m.index()])
    };
    let (p, q) = (image(&a.process, 0), image(&b.process, 1));
    whole.process = p.clone();
    Ok((whole, p, q))
}

/// The smallest range with both, where both have one.
fn joined(a: Option<(i32, i32)>, b: Option<(i32, i32)>) -> Option<(i32, i32)> {
    let ((a, b), (c, d)) = (a?, b?);
    Some((a.min(c), b.max(d)))
}

/// The initial values of the global variables that two programs share and disagree about.
pub fn disagreement(a: &Program, b: &Program) -> Option<String> {
    let of_b: FxHashMap<&str, i32> = b.variables.iter().zip(&b.globals).map(|(d, v)| (d.name.as_str(), *v)).collect();
    let mut pairs = a.variables.iter().zip(&a.globals);
    pairs.find(|(d, v)| of_b.get(d.name.as_str()).is_some_and(|other| other != *v)).map(|(d, _)| d.name.clone())
}
