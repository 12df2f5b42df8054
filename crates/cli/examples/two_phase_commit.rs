//! Two-phase commit (Gray and Lamport, "Consensus on Transaction Commit", 2006): a transaction manager and resource
//! managers that all commit or all abort.

use ferrospin::rust::{Encode, Model, Properties};

/// Number of resource managers, at most 32.
pub(crate) struct TwoPhaseCommit {
    pub(crate) managers: u32,
}

/// Sets of resource managers are bit sets.
pub(crate) type Managers = u32;

#[derive(Clone, Copy, PartialEq, Debug, Encode)]
pub(crate) enum Decision {
    Open,
    Commit,
    Abort,
}

#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) struct State {
    /// Resource managers that work, and those that have committed or aborted; the others are prepared.
    working: Managers,
    committed: Managers,
    aborted: Managers,
    /// What the transaction manager has decided; its message is on its way from then on.
    decision: Decision,
    /// Those that have sent "prepared", and those of which the transaction manager has received it.
    sent: Managers,
    received: Managers,
}

#[derive(Debug)]
pub(crate) enum Action {
    Receive(u32),
    Commit,
    Abort,
    Prepare(u32),
    ChooseToAbort(u32),
    LearnCommit(u32),
    LearnAbort(u32),
}

fn has(set: Managers, manager: u32) -> bool {
    set >> manager & 1 == 1
}

impl TwoPhaseCommit {
    fn all(&self) -> Managers {
        Managers::MAX >> (32 - self.managers)
    }
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        let working = self.all();
        State { working, committed: 0, aborted: 0, decision: Decision::Open, sent: 0, received: 0 }
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        let is_open = s.decision == Decision::Open;
        if is_open && s.received == self.all() {
            out.push(Action::Commit);
        }
        if is_open {
            out.push(Action::Abort);
        }
        for manager in 0..self.managers {
            if is_open && has(s.sent, manager) {
                out.push(Action::Receive(manager));
            }
            if has(s.working, manager) {
                out.push(Action::Prepare(manager));
                out.push(Action::ChooseToAbort(manager));
            }
            match s.decision {
                Decision::Open => {}
                Decision::Commit => out.push(Action::LearnCommit(manager)),
                Decision::Abort => out.push(Action::LearnAbort(manager)),
            }
        }
    }

    fn take(&self, s: &mut State, action: &Action) -> bool {
        match *action {
            Action::Receive(m) => s.received |= 1 << m,
            Action::Commit => s.decision = Decision::Commit,
            Action::Abort => s.decision = Decision::Abort,
            Action::Prepare(m) => {
                s.working &= !(1 << m);
                s.sent |= 1 << m;
            }
            Action::ChooseToAbort(m) | Action::LearnAbort(m) => {
                s.working &= !(1 << m);
                s.committed &= !(1 << m);
                s.aborted |= 1 << m;
            }
            Action::LearnCommit(m) => {
                s.working &= !(1 << m);
                s.aborted &= !(1 << m);
                s.committed |= 1 << m;
            }
        }
        true
    }

    fn properties(&self, out: &mut Properties<Self>) {
        out.always("consistent", |_, s| s.committed == 0 || s.aborted == 0);
        out.proposition("all_committed", |m, s| s.committed == m.all());
        out.proposition("all_aborted", |m, s| s.aborted == m.all());
    }

    /// Process 0 is the transaction manager.
    fn process_count(&self) -> usize {
        self.managers as usize + 1
    }

    fn process(&self, action: &Action) -> usize {
        match *action {
            Action::Receive(_) | Action::Commit | Action::Abort => 0,
            Action::Prepare(m) | Action::ChooseToAbort(m) | Action::LearnCommit(m) | Action::LearnAbort(m) => {
                m as usize + 1
            }
        }
    }

    fn process_name(&self, process: usize) -> String {
        if process == 0 { "transaction".into() } else { "resource".into() }
    }
}

fn main() -> std::process::ExitCode {
    let managers = std::env::var("MANAGERS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    ferrospin_cli::main_of(TwoPhaseCommit { managers })
}
