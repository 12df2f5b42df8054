//! Faulty encodings are found, and the field is named.

use expect_test::{Expect, expect};
use ferrospin_rust::{Decoder, Encode, Encoder, Model, self_check};
use std::collections::HashSet;

/// A set whose bytes follow the order of the hash table.
#[derive(Clone, PartialEq, Debug, Default)]
struct Unsorted(HashSet<u8>);

impl Encode for Unsorted {
    fn encode(&self, out: &mut Encoder) {
        out.length(self.0.len());
        self.0.iter().for_each(|item| out.value(item));
    }

    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        Unsorted((0..length).map(|_| u8::decode(input)).collect())
    }
}

/// A number of which the upper half is forgotten.
#[derive(Clone, PartialEq, Debug, Default)]
struct Halved(u16);

impl Encode for Halved {
    fn encode(&self, out: &mut Encoder) {
        out.value(&(self.0 as u8));
    }

    fn decode(input: &mut Decoder<'_>) -> Self {
        Halved(u8::decode(input).into())
    }
}

#[derive(Clone, PartialEq, Debug, Default, Encode)]
#[encode(crate = ferrospin_rust)]
struct Server<S> {
    step: u16,
    seen: S,
}

#[derive(Clone, PartialEq, Debug, Default, Encode)]
#[encode(crate = ferrospin_rust)]
struct State<S> {
    servers: [Server<S>; 2],
}

/// Counts to 400, and lets the second server see every number.
struct Counter<S>(fn(&mut S, u16), std::marker::PhantomData<fn(S)>);

impl<S: Encode + Clone + PartialEq + std::fmt::Debug + Default + Send + 'static> Model for Counter<S> {
    type State = State<S>;
    type Action = ();

    fn initial(&self) -> State<S> {
        State::default()
    }

    fn actions(&self, state: &State<S>, out: &mut Vec<()>) {
        if state.servers[1].step < 400 {
            out.push(());
        }
    }

    fn take(&self, state: &mut State<S>, (): &()) -> bool {
        let server = &mut state.servers[1];
        server.step += 1;
        (self.0)(&mut server.seen, server.step);
        true
    }
}

fn check<S>(see: fn(&mut S, u16), expected: Expect)
where
    S: Encode + Clone + PartialEq + std::fmt::Debug + Default + Send + 'static,
{
    let answer = match self_check(&Counter(see, std::marker::PhantomData), 1000) {
        Ok(states) => format!("{states} states"),
        Err(flaw) => format!("{:?} at {}", flaw.kind, flaw.field.unwrap_or_default()),
    };
    expected.assert_eq(&answer);
}

#[test]
fn an_order_of_a_hash_table_is_found() {
    check::<Unsorted>(|set, n| _ = set.0.insert(n as u8), expect!["Unstable at servers[1].seen"]);
}

#[test]
fn a_loss_is_found() {
    check::<Halved>(|half, n| half.0 = n, expect!["Lossy at "]);
}

#[test]
fn sorted_sets_are_fine() {
    check::<HashSet<u8>>(|set, n| _ = set.insert(n as u8), expect!["401 states"]);
}
