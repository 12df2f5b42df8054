//! Visits everything an action or expression mentions.

use crate::ir::{Action, Call, ChannelTest, Ends, Expr, Init, Model, Pattern, Place, Process, ProcessId, Receive};

/// Something that is mentioned.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// An expression, inner ones too.
    Expr(&'a Expr),
    /// A place whose value is read.
    Read(&'a Place),
    /// A place that is stored to.
    Write(&'a Place),
    /// A place of another process whose value is read.
    Remote(ProcessId, &'a Place),
}

/// Visits an expression.
pub fn expr<'a>(e: &'a Expr, f: &mut dyn FnMut(Item<'a>)) {
    f(Item::Expr(e));
    match e {
        Expr::Load(p) => {
            f(Item::Read(p));
            indices(p, f);
        }
        Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::Priority(a) => expr(a, f),
        Expr::Binary(_, a, b) => {
            expr(a, f);
            expr(b, f);
        }
        Expr::Cond(parts) => parts.iter().for_each(|e| expr(e, f)),
        Expr::Poll(r) => receive(r, false, f),
        Expr::Call(c) => call(c, f),
        Expr::AtLocation(_, pid, _) => pid.iter().for_each(|e| expr(e, f)),
        Expr::Remote(process, pid, place) => {
            pid.iter().for_each(|e| expr(e, f));
            f(Item::Remote(*process, place));
            indices(place, f);
        }
        Expr::Const(_)
        | Expr::Pid
        | Expr::Last
        | Expr::ProcessCount
        | Expr::ChannelCount
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Foreign => {}
    }
}

fn indices<'a>(p: &'a Place, f: &mut dyn FnMut(Item<'a>)) {
    p.indices.iter().for_each(|i| expr(&i.value, f));
}

fn store<'a>(p: &'a Place, f: &mut dyn FnMut(Item<'a>)) {
    indices(p, f);
    f(Item::Write(p));
}

/// Visits a receive; a poll stores nothing.
fn receive<'a>(r: &'a Receive, stores: bool, f: &mut dyn FnMut(Item<'a>)) {
    expr(&r.channel, f);
    for field in &r.fields {
        match field {
            Pattern::Match(e) => expr(e, f),
            Pattern::Bind(p) if stores => store(p, f),
            Pattern::Bind(p) => indices(p, f),
            Pattern::Any => {}
        }
    }
}

/// Visits an action; what happens inside a `d_step` is not visited.
pub fn action<'a>(a: &'a Action, f: &mut dyn FnMut(Item<'a>)) {
    match a {
        Action::Guard(e) | Action::Assert(e) => expr(e, f),
        Action::Assign(p, e) => {
            expr(e, f);
            store(p, f);
        }
        Action::Send { channel, fields, .. } => {
            expr(channel, f);
            fields.iter().for_each(|e| expr(e, f));
        }
        Action::Receive(r) => receive(r, true, f),
        Action::Print { args, .. } => args.iter().for_each(|e| expr(e, f)),
        Action::Run { args, target, .. } => {
            args.iter().for_each(|e| expr(e, f));
            target.iter().for_each(|p| store(p, f));
        }
        Action::SetPriority(p, n) => {
            expr(p, f);
            expr(n, f);
        }
        Action::Call(c) => call(c, f),
        Action::Skip | Action::Else | Action::End | Action::DStep(_) | Action::Foreign => {}
    }
}

/// Visits foreign code. What it may write it may also leave as it is, so that those places count as read.
fn call<'a>(c: &'a Call, f: &mut dyn FnMut(Item<'a>)) {
    c.args.iter().for_each(|e| expr(e, f));
    c.reads.iter().chain(&c.writes).for_each(|p| f(Item::Read(p)));
    c.writes.iter().for_each(|p| f(Item::Write(p)));
}

/// Visits the channels that an action uses, and which of their ends count as used: a caller that asks for more than whether it
/// can go on itself stands at both. What happens inside a `d_step` is not visited.
pub fn channel_uses<'a>(a: &'a Action, f: &mut dyn FnMut(&'a Expr, Ends)) {
    let (send, receive) = (Ends { sends: true, receives: false }, Ends { sends: false, receives: true });
    let both = Ends { sends: true, receives: true };
    match a {
        Action::Send { channel, .. } => f(channel, send),
        Action::Receive(r) => f(&r.channel, receive),
        _ => {}
    }
    action(a, &mut |item| match item {
        Item::Expr(Expr::Channel(test, channel)) => f(
            channel,
            match test {
                ChannelTest::NotFull => send,
                ChannelTest::NotEmpty => receive,
                ChannelTest::Len | ChannelTest::Full | ChannelTest::Empty => both,
            },
        ),
        Item::Expr(Expr::Poll(r)) => f(&r.channel, both),
        _ => {}
    });
}

/// Whether a proposition of a model asks for `timeout`.
pub fn propositions_ask_timeout(model: &Model) -> bool {
    let edges = model.propositions.iter().flat_map(|at| &model.location(*at).edges);
    let mut asks = false;
    edges.for_each(|e| action(&model.edge(*e).action, &mut |item| asks |= matches!(item, Item::Expr(Expr::Timeout))));
    asks
}

/// Whether it depends on `enabled(p)` that an action can be executed. The answer to `enabled(p)` does not count such
/// edges: it would depend on itself.
pub fn asks_enabled(model: &Model, a: &Action) -> bool {
    let asks = |e: &Expr| {
        let mut found = false;
        expr(e, &mut |item| found |= matches!(item, Item::Expr(Expr::Enabled(_))));
        found
    };
    match a {
        Action::Guard(e) => asks(e),
        Action::Send { channel, .. } => asks(channel),
        Action::Receive(r) => asks(&r.channel) || r.fields.iter().any(|f| matches!(f, Pattern::Match(e) if asks(e))),
        Action::DStep(entry) => {
            model.location(*entry).edges.iter().any(|e| asks_enabled(model, &model.edge(*e).action))
        }
        _ => false,
    }
}

/// Visits what happens at the birth of a process, and what others ask of it.
pub fn birth<'a>(p: &'a Process, f: &mut dyn FnMut(Item<'a>)) {
    p.params.iter().for_each(|p| store(p, f));
    init(&p.init, f);
    p.asked().for_each(|e| expr(e, f));
}

/// Visits initial values.
pub fn init<'a>(list: &'a [(Place, Init)], f: &mut dyn FnMut(Item<'a>)) {
    for (place, value) in list {
        if let Init::Value(e) = value {
            expr(e, f);
        }
        store(place, f);
    }
}
