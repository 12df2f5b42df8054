//! Command lines that are nonsense: answered, never a panic.

mod common;

use common::{Memory, words};

const LINES: [&str; 24] = [
    "-a m.pml",
    "-run -safety m.pml",
    "-search -bfs -n m.pml",
    "-run -a -f -m100 m.pml",
    "-run -np -l m.pml",
    "-run -DSAFETY -DNOREDUCE -c0 -e m.pml",
    "-run -ltl p m.pml",
    "-t -p -g -l -r -s m.pml",
    "-t2 -c -T -B m.pml",
    "-k m.pml.trail -p -w -v m.pml",
    "-n3 -p -u20 m.pml",
    "-i -p m.pml",
    "-f '[] (p -> <> q)'",
    "-F formula",
    "-N claim m.pml",
    "-d -C -I m.pml",
    "-o1 -o2 -o3 -a m.pml",
    "-m -J -O -DX=3 -UX -E-Idir m.pml",
    "-X -Y -Z m.pml",
    "--pan --model m.pml --name m.pml --cc SAFETY -- -m10 -n -w20",
    "--pan --model m.pml --name m.pml --cc BITSTATE --cc NP -- -l -k2 -Q1",
    "--pan --model m.pml --name m.pml --cc MA=20 -- -a -N p -tq -x -T",
    "--pan --model m.pml --name m.pml -- -d -D -r1 -C -S x",
    "-V -h -q1 -j3 -b",
];

const MODEL: &str = "byte n; chan c = [1] of { byte };\nactive proctype P() { byte x; do :: n < 3 -> n++; c!n; c?x :: else -> break od; \
                     assert(n < 3) }\nltl p { [] (n < 3) }\n";

/// Numbers that are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

fn mutate(random: &mut Random) -> Vec<String> {
    let mut args = words(LINES[random.below(LINES.len())]);
    for _ in 0..=random.below(3) {
        let other = words(LINES[random.below(LINES.len())]);
        let at = random.below(args.len() + 1);
        match random.below(6) {
            0 if at < args.len() => _ = args.remove(at),
            1 => args.insert(at, other[random.below(other.len())].clone()),
            2 if at < args.len() => args[at] = other[random.below(other.len())].clone(),
            3 if at < args.len() => args[at].push(['9', '-', 'x', ' ', '=', 'é', '\u{0}'][random.below(7)]),
            4 if at < args.len() => args[at] = args[at].chars().take(random.below(3)).collect(),
            _ => args.insert(at, format!("-{}", (b' ' + random.below(95) as u8) as char)),
        }
    }
    args
}

#[test]
fn every_command_line_is_answered() {
    let mut random = Random(25);
    let mut answered = 0;
    for _ in 0..1000 {
        let args = mutate(&mut random);
        let mut world = Memory::with("m.pml", MODEL);
        world.files.insert("m.pml.trail".into(), b"-4:-4:-4\n1:0:0\n2:0:1\n3:7:99\n-1:-1:-1\n4:0:2\n".to_vec());
        world.files.insert("m.pml2.trail".into(), b"-2:9:-2\n1:0:0\nnonsense".to_vec());
        world.files.insert("formula".into(), b"<> p\n".to_vec());
        world.files.insert("claim".into(), b"never { do :: true od }\n".to_vec());
        world.input.extend(["1\n".to_string(), "x\n".to_string(), "q\n".to_string()]);
        let (code, out, err) = world.run(&args);
        answered += usize::from(code > 0 || !out.is_empty() || !err.is_empty() || world.files.contains_key("pan.c"));
    }
    // A run that prints nothing is an answer, too, but not the usual one.
    assert!(answered > 800, "{answered}");
}
