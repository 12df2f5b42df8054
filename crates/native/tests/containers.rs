//! Sets and queues: random sequences of operations by the interpreter, by machine code, and on sets and lists of Rust.

use ferrospin_interp::Interp;
use ferrospin_interp::describe::Describer;
use ferrospin_model::ir::EdgeId;
use ferrospin_native::{Effort, Native};
use ferrospin_system::{Control, Machine, Moves};
use ferrospin_testkit as testkit;
use ferrospin_testkit::random::Random;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// An operation. Values are numbers from 0; `None` is the variable.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Choose(usize),
    Insert(Option<usize>),
    Erase(Option<usize>),
    Clear,
    Push(Option<usize>),
    Pop,
    Look(Option<usize>),
    Front,
}

/// A model that does any of the operations again and again.
fn model(values: usize, room: [usize; 2]) -> (String, Vec<Operation>) {
    let values_of = || (0..values).map(Some).chain([None]);
    let mut operations: Vec<Operation> = (0..values).map(Operation::Choose).collect();
    operations.extend(values_of().map(Operation::Insert));
    operations.extend(values_of().map(Operation::Erase));
    operations.extend(values_of().map(Operation::Push));
    operations.extend(values_of().map(Operation::Look));
    operations.extend([Operation::Clear, Operation::Pop, Operation::Front]);
    let name = |v: Option<usize>| v.map_or("v".to_owned(), |v| format!("m{v}"));
    let options: Vec<String> = operations
        .iter()
        .map(|operation| match *operation {
            Operation::Choose(v) => format!("  :: v = m{v}\n"),
            Operation::Insert(v) => format!("  :: s.insert({})\n", name(v)),
            Operation::Erase(v) => format!("  :: s.erase({})\n", name(v)),
            Operation::Clear => "  :: s.clear()\n".into(),
            Operation::Push(v) => format!("  :: q.push({})\n", name(v)),
            Operation::Pop => "  :: q.pop()\n".into(),
            Operation::Look(v) => {
                let v = name(v);
                format!("  :: seen = s.find({v}) + 2 * s.empty() + 4 * q.empty() + 10 * s.size() + 100 * q.size() + 1000 * (q.find({v}) + 1)\n")
            }
            Operation::Front => "  :: d_step { !q.empty() -> v = q.front() }\n".into(),
        })
        .collect();
    let members: Vec<String> = (0..values).map(|v| name(Some(v))).collect();
    let text = format!(
        "// ferrospin: containers\nenum value = {{ {} }};\nset of value[{}] s;\nqueue of value[{}] q;\nshort seen;\nvalue v;\n\
         active proctype P() {{\n  do\n{}  od\n}}\n",
        members.join(", "),
        room[0],
        room[1],
        options.concat()
    );
    (text, operations)
}

/// The same by what Rust has.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Twin {
    set: BTreeSet<usize>,
    queue: Vec<usize>,
    variable: usize,
    seen: usize,
}

impl Twin {
    /// Whether the operation can be executed, and does it.
    fn does(&mut self, operation: Operation, room: [usize; 2]) -> bool {
        let variable = self.variable;
        let of = |v: Option<usize>| v.unwrap_or(variable);
        match operation {
            Operation::Choose(v) => self.variable = v,
            Operation::Insert(v) => {
                if !self.set.contains(&of(v)) && self.set.len() == room[0] {
                    return false;
                }
                self.set.insert(of(v));
            }
            Operation::Erase(v) => _ = self.set.remove(&of(v)),
            Operation::Clear => self.set.clear(),
            Operation::Push(v) => {
                if !self.queue.contains(&of(v)) {
                    if self.queue.len() == room[1] {
                        return false;
                    }
                    self.queue.push(of(v));
                }
            }
            Operation::Pop => {
                if self.queue.is_empty() {
                    return false;
                }
                self.queue.remove(0);
            }
            Operation::Look(v) => {
                let place = self.queue.iter().position(|w| *w == of(v)).map_or(0, |p| p + 1);
                self.seen = usize::from(self.set.contains(&of(v)))
                    + 2 * usize::from(self.set.is_empty())
                    + 4 * usize::from(self.queue.is_empty())
                    + 10 * self.set.len()
                    + 100 * self.queue.len()
                    + 1000 * place;
            }
            Operation::Front => match self.queue.first() {
                Some(v) => self.variable = *v,
                None => return false,
            },
        }
        true
    }

    /// As values are told.
    fn told(&self, values: usize, room: usize) -> HashMap<String, String> {
        let mask: u32 = self.set.iter().map(|v| 1 << v).sum();
        let mut told = HashMap::from([
            ("s".to_owned(), mask.to_string()),
            ("v".to_owned(), format!("m{}", self.variable)),
            ("seen".to_owned(), self.seen.to_string()),
        ]);
        assert!(mask < 1 << values);
        for i in 0..room {
            told.insert(format!("q[{i}]"), self.queue.get(i).map_or("0".to_owned(), |v| format!("m{v}")));
        }
        told
    }
}

#[test]
fn ten_thousand_random_sequences() {
    let mut random = Random::new(13);
    let (mut steps, mut blocked) = (0, 0);
    for shape in 0..20 {
        let values = 1 + shape % 7;
        let room = [1 + random.below(values), 1 + random.below(values)];
        let (text, operations) = model(values, room);
        let model = Arc::new(testkit::model("containers.pml", &text, &[]).expect("it can be read"));
        let mut interp = Interp::new(model.clone());
        let mut native = Native::compile_with(&model, Effort::Quick).expect("it is compiled");
        let (mut moves, mut theirs) = (Moves::default(), Moves::default());
        let (mut first, mut next, mut also) = (Vec::new(), Vec::new(), Vec::new());
        interp.initial(&mut first).expect("it begins");
        interp.moves(&first, Control::Free, &mut moves);
        let place = model.edge(EdgeId(moves.list[0].edge)).from;
        let edges = model.location(place).edges.clone();
        assert_eq!(edges.len(), operations.len(), "{text}");
        // Equal contents are equal bytes, different ones are different.
        let mut bytes: HashMap<Twin, Vec<u8>> = HashMap::new();
        for _ in 0..500 {
            let (mut state, mut twin) = (first.clone(), Twin::default());
            for _ in 0..14 {
                interp.moves(&state, Control::Free, &mut moves);
                native.moves(&state, Control::Free, &mut theirs);
                assert_eq!(moves.list, theirs.list);
                let at = random.below(operations.len());
                let mut after = twin.clone();
                let can = after.does(operations[at], room);
                let found = moves.list.iter().find(|mv| edges[at] == EdgeId(mv.edge));
                assert_eq!(found.is_some(), can, "{:?} of {twin:?}", operations[at]);
                let Some(mv) = found else {
                    blocked += 1;
                    continue;
                };
                let step = interp.apply(&state, mv, &mut next);
                assert_eq!(step, native.apply(&state, mv, &mut also));
                assert!(step.failure.is_none() && next == also);
                let values_told: HashMap<String, String> =
                    Describer::new(&model, &next).values().into_iter().map(|v| (v.full_name, v.text)).collect();
                for (name, value) in after.told(values, room[1]) {
                    assert_eq!(values_told.get(&name), Some(&value), "{name} behind {:?} of {twin:?}", operations[at]);
                }
                assert_eq!(bytes.entry(after.clone()).or_insert_with(|| next.clone()), &next);
                twin = after;
                std::mem::swap(&mut state, &mut next);
                steps += 1;
            }
        }
    }
    assert!(steps > 50_000 && blocked > 5_000, "{steps} steps, {blocked} blocked");
}
