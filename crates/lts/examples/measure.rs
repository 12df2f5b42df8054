//! Times of the processor and memory of reading and refinement on generated graphs: `measure [chain|product|read] ...`.

use ferrospin_lts::equivalence::classes;
use ferrospin_lts::{Builder, Edge, Graph, Label, Notion, State, Unwatched, aut};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|w| w == name);
    let chain = |label: &str, n: u32| {
        let mut builder = Builder::new();
        (0..n - 1).for_each(|s| builder.add(State(s), label, State(s + 1)));
        builder.finish(n as usize, State(0))
    };
    if wanted("chain") {
        all("chain of a", &chain("a", 1_000_000));
        all("chain of tau", &chain("tau", 1_000_000));
        let mut builder = Builder::new();
        (0..999_999).for_each(|s| builder.add(State(s), if s % 2 == 0 { "a" } else { "tau" }, State(s + 1)));
        all("chain of a and tau", &builder.finish(1_000_000, State(0)));
    }
    if wanted("product") {
        all("product", &product(false));
        all("product with tau", &product(true));
    }
    if wanted("read") {
        let mut graph = String::new();
        let mut lines = 0;
        while graph.len() < 200_000_000 {
            for _ in 0..1000 {
                graph += &format!("({lines}, \"label {}\", {})\n", lines % 37, (lines * 7) % 9_000_000);
                lines += 1;
            }
        }
        let text = format!("des (0, {lines}, 10000000)\n{graph}");
        drop(graph);
        let clock = Clock::start();
        let graph = aut::read(text.as_bytes()).expect("it is well formed");
        let seconds = clock.seconds();
        let mb = text.len() as f64 / 1e6;
        println!("read {mb:.0} MB, {} edges: {seconds:.2} s, {:.0} MB/s", graph.edge_count(), mb / seconds);
        let clock = Clock::start();
        println!("written: {} bytes, {:.2} s", aut::write(&graph).len(), clock.seconds());
    }
}

/// Five components of 16 states each, 1,048,576 states and 5,242,880 edges; they differ in where their cycles go on.
fn product(internal: bool) -> Graph {
    let mut builder = Builder::new();
    let labels: Vec<Label> = (0..5).map(|i| builder.labels.add(&format!("step{i}"))).collect();
    let special = builder.labels.add("special");
    for state in 0..1u32 << 20 {
        for (i, label) in labels.iter().enumerate() {
            let local = state >> (4 * i) & 15;
            let next = if local == 15 { 0 } else { local + 1 };
            let target = state & !(15 << (4 * i)) | next << (4 * i);
            let label = match local {
                15 => *label,
                7 if i == 0 => special,
                _ if internal && local % 3 == 1 => Label::TAU,
                _ => labels[0],
            };
            builder.push(State(state), Edge { label, target: State(target) });
        }
    }
    builder.finish(1 << 20, State(0))
}

fn all(name: &str, graph: &Graph) {
    for notion in Notion::ALL {
        let clock = Clock::start();
        let found = classes(graph, notion, &Unwatched).expect("unwatched");
        println!("{name}: {notion:?}: {} classes, {:.2} s, peak {}", found.count, clock.seconds(), peak());
    }
}

/// Time of the processor, where the system tells; else time of the wall. Everything here is one thread.
struct Clock {
    wall: Instant,
    processor_ns: Option<u64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), processor_ns: Clock::processor_ns() }
    }

    fn processor_ns() -> Option<u64> {
        std::fs::read_to_string("/proc/self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
    }

    fn seconds(&self) -> f64 {
        match (self.processor_ns, Clock::processor_ns()) {
            (Some(before), Some(now)) => (now - before) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// The largest memory so far, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|l| l.strip_prefix("VmHWM:")).map_or("-".into(), |l| l.trim().to_owned())
}
