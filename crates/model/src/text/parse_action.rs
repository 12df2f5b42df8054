//! Reads actions, expressions and places.

use super::lex::{Result, Words};
use super::parse::{bare, location};
use super::{BINARY, TESTS};
use crate::ir::{Action, Call, Expr, Index, Pattern, Place, ProcessId, Receive, Unary};

pub(super) fn place(w: &mut Words<'_>) -> Result<Place> {
    let mut place = bare(w)?;
    while w.sign("[") {
        let value = expr(w)?;
        w.expect_sign(":")?;
        let len = w.number()?;
        w.expect_sign("*")?;
        place.indices.push(Index { value, len, stride: w.number()? });
        w.expect_sign("]")?;
    }
    Ok(place)
}

pub(super) fn expr(w: &mut Words<'_>) -> Result<Expr> {
    w.enter()?;
    let e = expr_inside(w)?;
    w.leave();
    Ok(e)
}

fn expr_inside(w: &mut Words<'_>) -> Result<Expr> {
    match w.peek() {
        Some('@' | '%') => return place(w).map(|p| Expr::Load(Box::new(p))),
        Some('-' | '0'..='9') => return w.number().map(Expr::Const),
        Some('(') => return binary(w),
        _ => {}
    }
    for (word, e) in [
        ("_pid", Expr::Pid),
        ("_last", Expr::Last),
        ("_nr_pr", Expr::ProcessCount),
        ("_nr_qs", Expr::ChannelCount),
        ("timeout", Expr::Timeout),
        ("np_", Expr::NonProgress),
        ("foreign", Expr::Foreign),
    ] {
        if w.take(word) {
            return Ok(e);
        }
    }
    if w.take("call") {
        return call(w).map(|c| Expr::Call(Box::new(c)));
    }
    let word = w.word();
    let unary = match word {
        "neg" => Some(Unary::Minus),
        "compl" => Some(Unary::Complement),
        "not" => Some(Unary::Not),
        _ => None,
    };
    let test = TESTS.iter().find(|(_, name)| *name == word).map(|t| t.0);
    match (unary, test, word) {
        (Some(op), _, _) => Ok(Expr::Unary(op, boxed(w)?)),
        (_, Some(test), _) => Ok(Expr::Channel(test, boxed(w)?)),
        (_, _, "enabled") => Ok(Expr::Enabled(boxed(w)?)),
        (_, _, "pc_value") => Ok(Expr::PcValue(boxed(w)?)),
        (_, _, "priority") => Ok(Expr::Priority(boxed(w)?)),
        (_, _, "cond") => {
            w.expect("cond")?;
            let parts: [Expr; 3] = match w.list(expr)?.try_into() {
                Ok(parts) => parts,
                Err(_) => return w.error("`cond` has three parts"),
            };
            Ok(Expr::Cond(Box::new(parts)))
        }
        (_, _, "poll") => {
            w.expect("poll")?;
            w.expect_sign("(")?;
            let r = receive(w)?;
            w.expect_sign(")")?;
            Ok(Expr::Poll(Box::new(r)))
        }
        (_, _, "at") => {
            w.expect("at")?;
            let (process, at, pid) = remote(w, location)?;
            Ok(Expr::AtLocation(process, pid, at))
        }
        (_, _, "remote") => {
            w.expect("remote")?;
            let (process, place, pid) = remote(w, place)?;
            Ok(Expr::Remote(process, pid, Box::new(place)))
        }
        _ => w.error("expected an expression"),
    }
}

/// A process type, something of it, and possibly a number: in parentheses.
fn remote<T>(
    w: &mut Words<'_>,
    thing: impl Fn(&mut Words<'_>) -> Result<T>,
) -> Result<(ProcessId, T, Option<Box<Expr>>)> {
    w.expect_sign("(")?;
    let process = ProcessId(w.index('P')?);
    w.expect_sign(",")?;
    let thing = thing(w)?;
    let pid = if w.sign(",") { Some(Box::new(expr(w)?)) } else { None };
    w.expect_sign(")")?;
    Ok((process, thing, pid))
}

/// A word, then one operand in parentheses.
fn boxed(w: &mut Words<'_>) -> Result<Box<Expr>> {
    let word = w.word();
    w.expect(word)?;
    w.expect_sign("(")?;
    let e = expr(w)?;
    w.expect_sign(")")?;
    Ok(Box::new(e))
}

fn binary(w: &mut Words<'_>) -> Result<Expr> {
    w.expect_sign("(")?;
    let a = expr(w)?;
    // Of two operators that begin alike, the longer one is meant.
    let mut found = None;
    for len in [2, 1] {
        found = found.or_else(|| BINARY.iter().filter(|(_, s)| s.len() == len).find(|(_, s)| w.sign(s)).map(|o| o.0));
    }
    let Some(op) = found else { return w.error("expected an operator") };
    let b = expr(w)?;
    w.expect_sign(")")?;
    Ok(Expr::Binary(op, Box::new(a), Box::new(b)))
}

fn receive(w: &mut Words<'_>) -> Result<Receive> {
    let (random, copy) = (w.take("random"), w.take("copy"));
    let channel = expr(w)?;
    w.expect_sign("?")?;
    let fields = w.list(|w| {
        Ok(match () {
            () if w.sign("=") => Pattern::Match(expr(w)?),
            () if w.sign("->") => Pattern::Bind(place(w)?),
            () if w.take("_") => Pattern::Any,
            () => return w.error("expected `=` and an expression, `->` and a place, or `_`"),
        })
    })?;
    Ok(Receive { channel, random, copy, fields })
}

fn call(w: &mut Words<'_>) -> Result<Call> {
    let code = w.number()?;
    let may_fail = w.take("fails");
    let args = w.list(expr)?;
    let mut places = |word| if w.take(word) { w.list(place) } else { w.error("expected `reads` and `writes`") };
    Ok(Call { code, may_fail, args, reads: places("reads")?, writes: places("writes")? })
}

pub(super) fn action(w: &mut Words<'_>) -> Result<Action> {
    for (word, action) in
        [("skip", Action::Skip), ("else", Action::Else), ("end", Action::End), ("foreign", Action::Foreign)]
    {
        if w.take(word) {
            return Ok(action);
        }
    }
    Ok(match w.word() {
        _ if w.take("call") => Action::Call(Box::new(call(w)?)),
        _ if w.take("guard") => Action::Guard(expr(w)?),
        _ if w.take("assert") => Action::Assert(expr(w)?),
        _ if w.take("receive") => Action::Receive(receive(w)?),
        _ if w.take("d_step") => Action::DStep(location(w)?),
        _ if w.take("assign") => {
            let place = place(w)?;
            w.expect_sign("=")?;
            Action::Assign(place, expr(w)?)
        }
        _ if w.take("send") => {
            let sorted = w.take("sorted");
            let channel = expr(w)?;
            w.expect_sign("!")?;
            Action::Send { channel, sorted, fields: w.list(expr)? }
        }
        _ if w.take("print") => {
            let mtype = w.named("mtype")?;
            Action::Print { mtype, format: w.string()?, args: w.list(expr)? }
        }
        _ if w.take("run") => {
            let process = ProcessId(w.index('P')?);
            let args = w.list(expr)?;
            let priority = w.named("priority")?.unwrap_or(0);
            let target = if w.sign("->") { Some(place(w)?) } else { None };
            Action::Run { process, args, priority, target }
        }
        _ if w.take("set_priority") => {
            let p = expr(w)?;
            w.expect_sign("=")?;
            Action::SetPriority(p, expr(w)?)
        }
        _ => return w.error("expected an action"),
    })
}
