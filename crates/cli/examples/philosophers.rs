//! Dining philosophers (Dijkstra, 1971): a deadlock, a cure for it that lets one philosopher starve, and a cure for that.

use ferrospin::rust::{Encode, Model, Properties};

/// In what order forks are taken, and when.
#[derive(Clone, Copy, PartialEq, Debug)]
// The tutorial tries all of them.
#[allow(dead_code)]
pub(crate) enum Manners {
    /// The left fork first: all may hold one and wait for ever.
    LeftFirst,
    /// The last philosopher takes the right fork first: one always eats, but perhaps never a certain one.
    Ordered,
    /// Besides, a fork is left to the neighbour after each use: all eat again and again.
    InTurns,
}

pub(crate) struct Philosophers {
    pub(crate) count: usize,
    pub(crate) manners: Manners,
}

#[derive(Clone, Copy, PartialEq, Debug, Encode)]
pub(crate) enum Mood {
    Thinks,
    HasOne,
    Eats,
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Encode)]
pub(crate) struct Fork {
    holder: Option<u8>,
    /// The philosopher who has used it last, where that matters.
    last: Option<u8>,
}

#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) struct State {
    moods: Vec<Mood>,
    /// Fork n lies between philosophers n and n + 1.
    forks: Vec<Fork>,
}

#[derive(Debug)]
pub(crate) enum Action {
    TakeFirst(usize),
    TakeSecond(usize),
    PutBack(usize),
}

impl Philosophers {
    /// The forks of a philosopher, in the order of taking.
    fn forks(&self, philosopher: usize) -> [usize; 2] {
        let (left, right) = ((philosopher + self.count - 1) % self.count, philosopher);
        let is_last = philosopher == self.count - 1;
        if is_last && self.manners != Manners::LeftFirst { [right, left] } else { [left, right] }
    }
}

impl Model for Philosophers {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State { moods: vec![Mood::Thinks; self.count], forks: vec![Fork::default(); self.count] }
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        for p in 0..self.count {
            let is_free = |fork: usize| s.forks[fork].holder.is_none() && s.forks[fork].last != Some(p as u8);
            let [first, second] = self.forks(p);
            match s.moods[p] {
                Mood::Thinks if is_free(first) => out.push(Action::TakeFirst(p)),
                Mood::HasOne if is_free(second) => out.push(Action::TakeSecond(p)),
                Mood::Eats => out.push(Action::PutBack(p)),
                _ => {}
            }
        }
    }

    fn take(&self, s: &mut State, action: &Action) -> bool {
        match *action {
            Action::TakeFirst(p) => {
                s.forks[self.forks(p)[0]].holder = Some(p as u8);
                s.moods[p] = Mood::HasOne;
            }
            Action::TakeSecond(p) => {
                s.forks[self.forks(p)[1]].holder = Some(p as u8);
                s.moods[p] = Mood::Eats;
            }
            Action::PutBack(p) => {
                let last = (self.manners == Manners::InTurns).then_some(p as u8);
                for fork in self.forks(p) {
                    s.forks[fork] = Fork { holder: None, last };
                }
                s.moods[p] = Mood::Thinks;
            }
        }
        true
    }

    fn properties(&self, out: &mut Properties<Self>) {
        out.always("forks_are_held_by_one", |_, s| {
            let held = s.forks.iter().filter(|f| f.holder.is_some()).count();
            let hands = |mood: &Mood| match mood {
                Mood::Thinks => 0,
                Mood::HasOne => 1,
                Mood::Eats => 2,
            };
            held == s.moods.iter().map(hands).sum::<usize>()
        });
        out.proposition("first_eats", |_, s| s.moods[0] == Mood::Eats);
        out.proposition("one_eats", |_, s| s.moods.contains(&Mood::Eats));
    }

    fn formulas(&self) -> Vec<(&'static str, &'static str)> {
        vec![("dinner_goes_on", "[]<> one_eats"), ("first_does_not_starve", "[]<> first_eats")]
    }

    /// Dinner never ends.
    fn may_end(&self, _: &State) -> bool {
        false
    }

    fn process_count(&self) -> usize {
        self.count
    }

    fn process(&self, action: &Action) -> usize {
        let (Action::TakeFirst(p) | Action::TakeSecond(p) | Action::PutBack(p)) = *action;
        p
    }

    fn process_name(&self, _: usize) -> String {
        "philosopher".into()
    }
}

fn main() -> std::process::ExitCode {
    ferrospin_cli::main_of(Philosophers { count: 4, manners: Manners::LeftFirst })
}
