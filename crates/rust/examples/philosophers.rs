//! Dining philosophers (Dijkstra, 1971). With `is_mended`, the last one takes the right fork first, and there is no deadlock.

use ferrospin_rust::{Encode, Model, Properties};

mod counting;

struct Philosophers {
    count: usize,
    is_mended: bool,
}

#[derive(Clone, Copy, PartialEq, Debug, Encode)]
#[encode(crate = ferrospin_rust)]
enum Mood {
    Thinks,
    HasOne,
    Eats,
}

#[derive(Clone, PartialEq, Debug, Encode)]
#[encode(crate = ferrospin_rust)]
struct State {
    moods: Vec<Mood>,
    /// Who holds each fork; fork n lies between philosophers n and n + 1.
    forks: Vec<Option<u8>>,
}

#[derive(Debug)]
enum Action {
    TakeFirst(usize),
    TakeSecond(usize),
    PutBack(usize),
}

impl Philosophers {
    /// The forks of a philosopher, in the order of taking.
    fn forks(&self, philosopher: usize) -> [usize; 2] {
        let (left, right) = ((philosopher + self.count - 1) % self.count, philosopher);
        if self.is_mended && philosopher == self.count - 1 { [right, left] } else { [left, right] }
    }
}

impl Model for Philosophers {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State { moods: vec![Mood::Thinks; self.count], forks: vec![None; self.count] }
    }

    fn actions(&self, s: &State, out: &mut Vec<Action>) {
        for p in 0..self.count {
            let [first, second] = self.forks(p);
            match s.moods[p] {
                Mood::Thinks if s.forks[first].is_none() => out.push(Action::TakeFirst(p)),
                Mood::HasOne if s.forks[second].is_none() => out.push(Action::TakeSecond(p)),
                Mood::Eats => out.push(Action::PutBack(p)),
                _ => {}
            }
        }
    }

    fn take(&self, s: &mut State, action: &Action) -> bool {
        match *action {
            Action::TakeFirst(p) => {
                s.forks[self.forks(p)[0]] = Some(p as u8);
                s.moods[p] = Mood::HasOne;
            }
            Action::TakeSecond(p) => {
                s.forks[self.forks(p)[1]] = Some(p as u8);
                s.moods[p] = Mood::Eats;
            }
            Action::PutBack(p) => {
                for fork in self.forks(p) {
                    s.forks[fork] = None;
                }
                s.moods[p] = Mood::Thinks;
            }
        }
        true
    }

    fn properties(&self, out: &mut Properties<Self>) {
        out.proposition("first_eats", |_, s| s.moods[0] == Mood::Eats);
        out.proposition("somebody_eats", |_, s| s.moods.contains(&Mood::Eats));
    }

    fn formulas(&self) -> Vec<(&'static str, &'static str)> {
        vec![("progress", "[]<> somebody_eats"), ("first_eats_again_and_again", "[]<> first_eats")]
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

    fn process_name(&self, process: usize) -> String {
        format!("philosopher {process}")
    }
}

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    let is_mended = std::env::args().nth(2).is_some();
    counting::report(Philosophers { count, is_mended });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let count = |count, is_mended| counting::count(Philosophers { count, is_mended });
        assert_eq!(count(3, false).1, 1, "all hold their first fork");
        assert_eq!(count(5, false).1, 1);
        assert_eq!(count(5, true).1, 0);
    }
}
