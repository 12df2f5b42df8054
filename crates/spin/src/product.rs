//! `spin -e`: the synchronous product of the `never` claims of a model, as one claim.
//!
//! A state of the product is a state of each claim; a transition is one of each, with the conjunction of their guards. That every
//! claim accepts again and again is told by copies of the product, one for each claim: a copy is left where its claim accepts
//! (Choueka's construction, 1974). A claim that ends accepts from there on. Where some claims have accepting states, one without
//! accepts everywhere, unless `-L` is given.

use crate::elements::{Body, Kind};
use std::collections::HashSet;
use std::fmt::Write as _;

/// States of the product that are written.
const STATES_MAX: usize = 1 << 14;

/// A claim as an automaton over guards.
struct Claim<'a> {
    body: &'a Body,
    entry: usize,
    /// It has a state that accepts.
    accepts: bool,
}

impl Claim<'_> {
    /// Guards and the states behind them; a guard that always holds is empty.
    fn steps(&self, at: usize) -> Vec<(String, usize)> {
        let body = self.body;
        if body.elements[at].kind == Kind::Stop {
            return vec![(String::new(), at)];
        }
        let options = body.transitions(at);
        let guard = |e: usize| match body.elements[e].kind {
            Kind::Skip | Kind::Goto(_) | Kind::Joint | Kind::Break => String::new(),
            _ => body.elements[e].text.clone(),
        };
        let others: Vec<String> =
            options.iter().filter(|e| body.elements[**e].kind != Kind::Else).map(|e| guard(*e)).collect();
        let mut steps = Vec::new();
        for &e in &options {
            let Some(to) = body.behind(e) else {
                steps.push((guard(e), e));
                continue;
            };
            if body.elements[e].kind != Kind::Else {
                steps.push((guard(e), to));
            } else if !others.iter().any(String::is_empty) {
                let any = others.iter().cloned().reduce(|a, b| format!("({a}||{b})")).unwrap_or_default();
                steps.push((format!("(!({any}))"), to));
            }
        }
        steps
    }

    fn is_accepting(&self, at: usize) -> bool {
        let e = &self.body.elements[at];
        e.kind == Kind::Stop || e.labels.iter().any(|l| l.starts_with("accept"))
    }

    fn is_end(&self, at: usize) -> bool {
        self.body.elements[at].labels.iter().any(|l| l.starts_with("end"))
    }
}

/// The product of several claims, or why there is none; `strict` is `-L`.
pub fn product(bodies: &[&Body], strict: bool) -> Result<String, &'static str> {
    // SPIN has the last claim first.
    let claims: Vec<Claim<'_>> = bodies
        .iter()
        .rev()
        .map(|body| {
            let labelled = body.elements.iter().any(|e| e.labels.iter().any(|l| l.starts_with("accept")));
            Claim { body, entry: body.entry(), accepts: labelled || ends(body) }
        })
        .collect();
    let any = claims.iter().any(|c| c.accepts);
    let all_steps = |state: &[usize]| -> Vec<(String, Vec<usize>)> {
        let mut list = vec![(String::new(), Vec::new())];
        for (claim, at) in claims.iter().zip(state) {
            let steps = claim.steps(*at);
            let joined = |(guard, to): &(String, Vec<usize>)| {
                let (guard, to) = (guard.clone(), to.clone());
                steps
                    .iter()
                    .map(move |(more, next)| {
                        let both = if guard.is_empty() || more.is_empty() { "" } else { " && " };
                        let to: Vec<usize> = to.iter().copied().chain([*next]).collect();
                        (format!("{more}{both}{guard}"), to)
                    })
                    .collect::<Vec<_>>()
            };
            list = list.iter().flat_map(joined).collect();
        }
        list.reverse();
        list
    };
    let first: Vec<usize> = claims.iter().map(|c| c.entry).collect();
    let (mut order, mut open, mut seen) = (Vec::new(), vec![first.clone()], HashSet::from([first]));
    while let Some(state) = open.pop() {
        for (_, to) in all_steps(&state) {
            if seen.insert(to.clone()) {
                open.push(to);
            }
        }
        order.push(state);
        if order.len() > STATES_MAX {
            return Err("the product has too many states");
        }
    }
    let name = |state: &[usize], copy: usize| {
        let parts: String = state.iter().map(|s| format!("_{}", s + 1)).collect();
        format!("P{parts}_U{copy}")
    };
    let (mut out, mut labels) = (String::from("never Product {\n"), 0);
    for copy in 0..claims.len() {
        writeln!(out, "/* ============= U{copy} ============= */").expect("strings take all text");
        for state in &order {
            let accepts = |i: usize| claims[i].is_accepting(state[i]) || !strict && any && !claims[i].accepts;
            if claims.iter().zip(state).all(|(c, at)| c.is_end(*at)) {
                writeln!(out, "end{labels}:").expect("strings take all text");
                labels += 1;
            }
            if copy == 0 && accepts(0) {
                writeln!(out, "accept_{}_{labels}:", claims[0].body.name).expect("strings take all text");
                labels += 1;
            }
            let target = if accepts(copy) { (copy + 1) % claims.len() } else { copy };
            writeln!(out, "{}:\n\tdo", name(state, copy)).expect("strings take all text");
            for (guard, to) in all_steps(state) {
                let guard = if guard.is_empty() { "true" } else { &guard };
                writeln!(out, "\t:: {guard} -> goto {}", name(&to, target)).expect("strings take all text");
            }
            out += "\tod;\n";
        }
    }
    Ok(out + "}\n")
}

/// Whether the closing brace of a claim can be reached.
fn ends(body: &Body) -> bool {
    let (mut open, mut seen) = (vec![body.entry()], HashSet::new());
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            if body.elements[at].kind == Kind::Stop {
                return true;
            }
            open.extend(body.transitions(at).into_iter().filter_map(|e| body.behind(e)));
        }
    }
    false
}
