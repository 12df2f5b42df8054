//! The form that has a translation: `enc(|[ s | p1 || ... || pn ]|)`, where the `pi` are sequential and guards stand before atoms.
//!
//! Every step is an instance of a law of [`crate::rules`], or renames channels that an inner encapsulation keeps to itself; the
//! instances are kept, so that they can be looked at. What has no such form is refused, with what to do.

use crate::graph::may_end;
use crate::resolve::renamed;
use crate::rules::{self, Asks, Pieces, named, never_ends_at_once};
use crate::term::{Channel, Declared, Process, Program, Term, Type, Variable, make};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use thiserror::Error;

/// Why a model has no translation.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Refused {
    #[error("the model is not closed: sending and receiving need partners inside; write `model {{ enc( ... ) }}`")]
    Open,
    #[error(
        "`||` stands under {0}, where Promela has no parallel processes: write it behind a step instead, as in `p; (q || r)`"
    )]
    Parallel(&'static str),
    #[error(
        "`{0}` may end before it did anything, and stands where something else can be chosen instead; Promela has no such choice: write `skip` in place of the empty case, if the decision may be taken early"
    )]
    OptionalEnd(String),
    #[error(
        "`{0}` may end at any time, and `||` or a scope in a repetition cannot be moved over it: put a step behind the repetition"
    )]
    MayEnd(String),
    #[error("`{0}` is repeated, and a round of it may end at any time: put a step behind the repetition in it")]
    RoundEnd(String),
    #[error("the model becomes too large: more than {MAX} operators")]
    TooLarge,
}

/// Operators that a model in normal form may have.
const MAX: u32 = 200_000;

/// One step on the way.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The name of the law.
    pub law: &'static str,
    /// What was there.
    pub before: Process,
    /// What took its place.
    pub after: Process,
}

/// The law by which inner encapsulations go.
pub const ENCAPSULATION: &str = "encapsulated channels renamed";

/// A model in normal form.
#[derive(Clone, Debug)]
pub struct Normal {
    /// The model; its process is `enc(|[ s | p1 || ... || pn ]|)`.
    pub program: Program,
    /// The variables of the scope.
    pub scope: Vec<(Variable, i32)>,
    /// The sequential processes.
    pub parts: Vec<Process>,
    /// The way there.
    pub rewrites: Vec<Rewrite>,
}

/// Brings a model into normal form.
pub fn normal(program: &Program) -> Result<Normal, Refused> {
    let mut maker = Maker { program: program.clone(), rewrites: Vec::new(), budget: MAX };
    let mut top = program.process.clone();
    // A scope around the encapsulation is as good as one inside.
    let mut around: Vec<(Variable, i32)> = Vec::new();
    while let Term::Scope(s, p) = top.term() {
        around.extend(s.iter());
        top = p.clone();
    }
    let inner = match top.term() {
        Term::Encapsulate(p) => p.clone(),
        _ if !has_channels(&top) => top.clone(),
        _ => return Err(Refused::Open),
    };
    let inner = maker.normal(&inner)?;
    let (mut scope, body) = match inner.term() {
        Term::Scope(s, p) => (s.to_vec(), p.clone()),
        _ => (Vec::new(), inner),
    };
    scope.extend(around);
    let mut parts = Vec::new();
    let mut rest = vec![body.clone()];
    while let Some(p) = rest.pop() {
        match p.term() {
            Term::Parallel(a, b) => rest.extend([b.clone(), a.clone()]),
            Term::Epsilon => {}
            _ => parts.push(p),
        }
    }
    let whole = if scope.is_empty() { body } else { make::scope(scope.clone(), body) };
    maker.program.process = make::enc(whole);
    Ok(Normal { program: maker.program, scope, parts, rewrites: maker.rewrites })
}

fn has_channels(p: &Process) -> bool {
    matches!(p.term(), Term::Send(..) | Term::Receive(..)) || p.parts().any(has_channels)
}

fn is_parallel(p: &Process) -> bool {
    matches!(p.term(), Term::Parallel(..))
}

struct Maker {
    program: Program,
    rewrites: Vec<Rewrite>,
    budget: u32,
}

impl Maker {
    /// Rewrites by a law, whose left side is the process.
    fn by(&mut self, name: &'static str, before: Process, fill: impl FnOnce(&mut Pieces)) -> Result<Process, Refused> {
        let law = named(name);
        let mut pieces = Pieces {
            p: make::eps(),
            q: make::eps(),
            r: make::eps(),
            b: make::truth(true),
            c: make::truth(true),
            s: Vec::new(),
            t: Vec::new(),
            w: Variable(0),
        };
        fill(&mut pieces);
        if law.asks == Asks::Bar {
            for p in [&pieces.p, &pieces.q, &pieces.r] {
                // Pieces that the law does not have are `eps`.
                if !matches!(p.term(), Term::Epsilon) && !never_ends_at_once(p) {
                    return Err(Refused::MayEnd(crate::print::process(&self.program, p)));
                }
            }
        }
        let (left, after) = (law.sides)(&pieces);
        assert_eq!(left, before, "the law `{name}` is about this");
        self.budget = self.budget.checked_sub(1).filter(|_| after.size() < MAX).ok_or(Refused::TooLarge)?;
        self.rewrites.push(Rewrite { law: name, before, after: after.clone() });
        Ok(after)
    }

    /// The normal form: at most one scope, outside; parallel processes under nothing but that.
    fn normal(&mut self, p: &Process) -> Result<Process, Refused> {
        match p.term() {
            Term::Delta | Term::Epsilon | Term::Skip | Term::Assign(..) | Term::Send(..) | Term::Receive(..) => {
                Ok(p.clone())
            }
            Term::Guard(b, inner) => {
                let inner = self.normal(inner)?;
                self.guarded(b, inner)
            }
            Term::Sequence(first, rest) => {
                let (first, rest) = (self.normal(first)?, self.normal(rest)?);
                self.sequence(first, rest)
            }
            Term::Choice(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                self.choice(a, b)
            }
            Term::Parallel(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                self.parallel(a, b)
            }
            Term::Repeat(inner) => {
                let inner = self.normal(inner)?;
                self.repeat(inner)
            }
            Term::Scope(s, inner) => {
                let inner = self.normal(inner)?;
                let whole = make::scope(s.to_vec(), inner.clone());
                self.merge(whole)
            }
            Term::Encapsulate(inner) => {
                let inner = self.normal(inner)?;
                Ok(self.keep_to_itself(inner))
            }
        }
    }

    /// A scope right inside another is one.
    fn merge(&mut self, p: Process) -> Result<Process, Refused> {
        if let Term::Scope(s, inner) = p.term()
            && let Term::Scope(t, body) = inner.term()
        {
            let (s, t, body) = (s.to_vec(), t.to_vec(), body.clone());
            return self.by("scope in a scope", p, |x| (x.s, x.t, x.p) = (s, t, body));
        }
        Ok(p)
    }

    /// A scope around what `inside` makes of its body.
    fn under(
        &mut self,
        p: Process,
        inside: impl FnOnce(&mut Self, Process) -> Result<Process, Refused>,
    ) -> Result<Process, Refused> {
        let Term::Scope(s, body) = p.term() else { unreachable!("laws about scopes make scopes") };
        let (s, body) = (s.to_vec(), body.clone());
        let body = inside(self, body)?;
        self.merge(make::scope(s, body))
    }

    fn guarded(&mut self, b: &Arc<crate::term::Expression>, p: Process) -> Result<Process, Refused> {
        let before = make::guard(b.clone(), p.clone());
        let own = b.clone();
        if **b == crate::term::Expression::Value(1, Type::Bool) {
            return self.by("guard that is true", before, |x| x.p = p);
        }
        match p.term() {
            Term::Scope(s, inner) => {
                let (s, inner) = (s.to_vec(), inner.clone());
                let moved = self.by("scope over guard", before, |x| (x.b, x.s, x.p) = (own.clone(), s, inner))?;
                self.under(moved, |m, body| {
                    let Term::Guard(_, inner) = body.term() else { unreachable!("the law makes a guard") };
                    m.guarded(&own, inner.clone())
                })
            }
            Term::Guard(c, inner) => {
                let (c, inner) = (c.clone(), inner.clone());
                self.by("guard in a guard", before, |x| (x.b, x.c, x.p) = (own, c, inner))
            }
            Term::Sequence(first, rest) => {
                let (first, rest) = (first.clone(), rest.clone());
                let (f, r) = (first.clone(), rest.clone());
                self.by("guard into a sequence", before, |x| (x.b, x.p, x.q) = (own, f, r))?;
                let first = self.guarded(b, first)?;
                self.sequence(first, rest)
            }
            Term::Choice(first, second) => {
                let (first, second) = (first.clone(), second.clone());
                let (f, s) = (first.clone(), second.clone());
                self.by("guard into a choice", before, |x| (x.b, x.p, x.q) = (own, f, s))?;
                let (first, second) = (self.guarded(b, first)?, self.guarded(b, second)?);
                Ok(make::choice(first, second))
            }
            Term::Repeat(inner) => {
                let inner = inner.clone();
                let body = inner.clone();
                self.by("guard into a repetition", before, |x| (x.b, x.p) = (own, body))?;
                let once = self.guarded(b, inner.clone())?;
                let once = self.sequence(once, make::repeat(inner))?;
                Ok(make::choice(once, make::guard(b.clone(), make::eps())))
            }
            Term::Parallel(..) => Err(Refused::Parallel("a guard")),
            _ => Ok(before),
        }
    }

    fn sequence(&mut self, first: Process, rest: Process) -> Result<Process, Refused> {
        let before = make::sequence(first.clone(), rest.clone());
        match (first.term(), rest.term()) {
            (Term::Epsilon, _) => self.by("empty first", before, |x| x.p = rest),
            (_, Term::Epsilon) => self.by("empty last", before, |x| x.p = first),
            (Term::Delta, _) => self.by("nothing behind deadlock", before, |x| x.p = rest),
            (Term::Scope(s, p), _) => {
                let (s, p) = (s.to_vec(), p.clone());
                let moved = self.by("scope over the first of a sequence", before, |x| {
                    (x.s, x.p, x.q) = (s, p.clone(), rest.clone())
                })?;
                self.under(moved, |m, _| m.sequence(p, rest))
            }
            (_, Term::Scope(s, p)) => {
                let (s, p) = (s.to_vec(), p.clone());
                let moved = self.by("scope over the second of a sequence", before, |x| {
                    (x.s, x.p, x.q) = (s, p.clone(), first.clone())
                })?;
                self.under(moved, |m, _| m.sequence(first, p))
            }
            (_, Term::Parallel(q, r)) => {
                let (w, q, r) = (self.fresh(), q.clone(), r.clone());
                let whole = self.by("parallel behind", before, |x| (x.w, x.p, x.q, x.r) = (w, first, q, r))?;
                self.counted(whole)
            }
            (Term::Parallel(p, q), _) => {
                let (w, p, q) = (self.fresh(), p.clone(), q.clone());
                let whole = self.by("parallel before", before, |x| (x.w, x.p, x.q, x.r) = (w, p, q, rest))?;
                self.counted(whole)
            }
            (Term::Sequence(p, q), _) => {
                let (p, q) = (p.clone(), q.clone());
                let (a, b, c) = (p.clone(), q.clone(), rest.clone());
                self.by("sequences group to the right", before, |x| (x.p, x.q, x.r) = (a, b, c))?;
                let rest = self.sequence(q, rest)?;
                self.sequence(p, rest)
            }
            (Term::Choice(p, q), _) if may_end(&first) => {
                let (p, q) = (p.clone(), q.clone());
                let (a, b, c) = (p.clone(), q.clone(), rest.clone());
                self.by("choice before a sequence", before, |x| (x.p, x.q, x.r) = (a, b, c))?;
                let (p, q) = (self.sequence(p, rest.clone())?, self.sequence(q, rest)?);
                self.choice(p, q)
            }
            (Term::Guard(b, p), _) if matches!(p.term(), Term::Epsilon) => {
                let b = b.clone();
                let own = b.clone();
                let body = rest.clone();
                self.by("guarded end", before, |x| (x.b, x.p) = (own, body))?;
                self.guarded(&b, rest)
            }
            _ => Ok(before),
        }
    }

    /// What the laws about nested parallel processes made, in normal form again.
    fn counted(&mut self, whole: Process) -> Result<Process, Refused> {
        self.under(whole, |m, body| m.normal(&body))
    }

    fn choice(&mut self, a: Process, b: Process) -> Result<Process, Refused> {
        let before = make::choice(a.clone(), b.clone());
        if let Term::Scope(s, p) = a.term() {
            let (s, p) = (s.to_vec(), p.clone());
            let moved =
                self.by("scope over the left of a choice", before, |x| (x.s, x.p, x.q) = (s, p.clone(), b.clone()))?;
            return self.under(moved, |m, _| m.choice(p, b));
        }
        if let Term::Scope(s, p) = b.term() {
            let (s, p) = (s.to_vec(), p.clone());
            let moved =
                self.by("scope over the right of a choice", before, |x| (x.s, x.p, x.q) = (s, p.clone(), a.clone()))?;
            return self.under(moved, |m, _| m.choice(a, p));
        }
        if is_parallel(&a) || is_parallel(&b) { Err(Refused::Parallel("a choice")) } else { Ok(before) }
    }

    fn parallel(&mut self, a: Process, b: Process) -> Result<Process, Refused> {
        let before = make::parallel(a.clone(), b.clone());
        if let Term::Scope(s, p) = a.term() {
            let (s, p) = (s.to_vec(), p.clone());
            let moved =
                self.by("scope over the left of a parallel", before, |x| (x.s, x.p, x.q) = (s, p.clone(), b.clone()))?;
            return self.under(moved, |m, _| m.parallel(p, b));
        }
        if let Term::Scope(s, p) = b.term() {
            let (s, p) = (s.to_vec(), p.clone());
            let moved =
                self.by("scope over the right of a parallel", before, |x| (x.s, x.p, x.q) = (s, p.clone(), a.clone()))?;
            return self.under(moved, |m, _| m.parallel(a, p));
        }
        match (a.term(), b.term()) {
            (Term::Epsilon, _) => self.by("empty beside, left", before, |x| x.p = b),
            (_, Term::Epsilon) => self.by("empty beside, right", before, |x| x.p = a),
            _ => Ok(before),
        }
    }

    fn repeat(&mut self, p: Process) -> Result<Process, Refused> {
        let before = make::repeat(p.clone());
        match p.term() {
            Term::Scope(s, inner) => {
                if is_parallel(inner) {
                    return Err(Refused::Parallel("a repetition"));
                }
                let (s, inner) = (s.to_vec(), inner.clone());
                let moved = self.by("scope over repetition", before, |x| (x.s, x.p) = (s, inner))?;
                self.under(moved, |m, body| m.normal(&body))
            }
            Term::Parallel(..) => Err(Refused::Parallel("a repetition")),
            Term::Repeat(inner) => {
                let inner = inner.clone();
                self.by("repetition of a repetition", before, |x| x.p = inner)
            }
            _ if may_end(&p) => Err(Refused::OptionalEnd(crate::print::process(&self.program, &p))),
            _ => Ok(before),
        }
    }

    /// A counter that occurs nowhere.
    fn fresh(&mut self) -> Variable {
        let taken: FxHashSet<&str> = self.program.variables.iter().map(|d| d.name.as_str()).collect();
        let name = (1..).map(|n| format!("done{n}")).find(|n| !taken.contains(n.as_str())).expect("numbers do not end");
        self.program.variables.push(Declared { name, ty: Type::Int, range: Some((0, 2)) });
        Variable(self.program.variables.len() as u32 - 1)
    }

    /// Gives the channels of an encapsulated process to it alone. All of a model is encapsulated, so nothing else blocks them.
    fn keep_to_itself(&mut self, p: Process) -> Process {
        let mut own: FxHashMap<Channel, Channel> = FxHashMap::default();
        let mut used = FxHashSet::default();
        channels(&p, &mut used);
        let mut used: Vec<Channel> = used.into_iter().collect();
        used.sort_unstable();
        let mut taken: FxHashSet<String> = self.program.channels.iter().map(|d| d.name.clone()).collect();
        taken.extend(self.program.variables.iter().map(|d| d.name.clone()));
        for m in used {
            let old = self.program.channels[m.index()].clone();
            let name =
                (1..).map(|n| format!("{}_{n}", old.name)).find(|n| !taken.contains(n)).expect("numbers do not end");
            taken.insert(name.clone());
            self.program.channels.push(Declared { name, ..old });
            own.insert(m, Channel(self.program.channels.len() as u32 - 1));
        }
        let after = renamed(&p, &|x| x, &|m| own[&m]);
        self.rewrites.push(Rewrite { law: ENCAPSULATION, before: make::enc(p), after: after.clone() });
        after
    }
}

fn channels(p: &Process, found: &mut FxHashSet<Channel>) {
    if let Term::Send(m, _) | Term::Receive(m, _) = p.term() {
        found.insert(*m);
    }
    p.parts().for_each(|q| channels(q, found));
}

/// Whether a rewrite is an instance of a law, to be looked at alone.
pub fn is_law(rewrite: &Rewrite) -> bool {
    rules::all().iter().any(|l| l.name == rewrite.law)
}
