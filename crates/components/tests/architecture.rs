//! The reference values of the component architecture with a logger, and what controllers allow.

use ferrospin_components::architecture::{Architecture, Control, assemble};
use ferrospin_components::deployment::{Answers, look};
use ferrospin_components::file::{Deployment, Document, read};
use ferrospin_components::net::{Composition, Net, Plan, compose};
use ferrospin_lts::compare::compare;
use ferrospin_lts::operations::hide;
use ferrospin_lts::product::{by_alphabets, product};
use ferrospin_lts::{Graph, Notion, Unwatched, mu};
use std::collections::BTreeMap;

fn logger() -> (Architecture, Vec<Deployment>) {
    let text = std::fs::read_to_string("../../models/nets/logger.toml").expect("the model is there");
    match read(&text, &mut |name| Err(format!("no `{name}`"))) {
        Ok(Document::Architecture(architecture, deployments)) => (architecture, deployments),
        other => panic!("{other:?}"),
    }
}

/// The whole, with all labels visible.
fn whole(
    architecture: &Architecture,
    root: &str,
    replaced: &BTreeMap<String, String>,
    steps: Option<&[Control]>,
) -> Graph {
    let assembly = assemble(architecture, root, replaced, steps).expect("it is right");
    let parts: Vec<&Graph> = assembly.parts.iter().map(|p| &p.graph).collect();
    product(&parts, &by_alphabets(&parts), &Unwatched).expect("unwatched").graph
}

fn deployed(name: &str) -> (Graph, Answers) {
    let (architecture, deployments) = logger();
    let deployment = deployments.iter().find(|d| d.name == name).expect("it is in the model");
    let graph = whole(&architecture, &deployment.of, &deployment.replaced, Some(&deployment.steps));
    let answers = look(&graph);
    (graph, answers)
}

fn size(graph: &Graph) -> (usize, usize) {
    (graph.state_count(), graph.edge_count())
}

#[test]
fn reference_values() {
    let (architecture, _) = logger();
    assert_eq!(size(&whole(&architecture, "C", &BTreeMap::new(), None)), (3072, 28_544));
    let (graph, answers) = deployed("C");
    assert_eq!(size(&graph), (5, 4));
    assert!(answers.holds());
    let (graph, answers) = deployed("C, started too early");
    assert_eq!(size(&graph), (28, 56));
    assert!(answers.stuck.is_none());
    assert_eq!(answers.error_before.expect("C logs before it is bound").last().expect("a step"), "ERR_UNBOUND(C.log)");
    let (graph, answers) = deployed("System");
    assert_eq!((size(&graph), answers.running), ((29, 57), 12));
    assert!(answers.holds());
    let (graph, answers) = deployed("System with B2, whose log is forgotten");
    assert_eq!(size(&graph), (53, 125));
    assert!(answers.stuck.is_none());
    assert_eq!(answers.error_behind.expect("B2 logs").last().expect("a step"), "ERR_UNBOUND(C/B.log)");
    let (graph, answers) = deployed("System with B2, whose log is bound");
    assert_eq!((size(&graph), answers.running), ((54, 114), 24));
    assert!(answers.holds());
}

/// Composed level by level with all but errors hidden, the answers are those of the flat product.
#[test]
fn level_by_level() {
    let (architecture, deployments) = logger();
    for deployment in &deployments {
        let (composition, flat) = both(&architecture, deployment);
        let same = compare(&composition.graph, &flat, Notion::DivergenceBranching, &Unwatched).expect("unwatched");
        assert!(same.equivalent(), "{}", deployment.name);
    }
}

const OBSERVED: [&str; 2] = ["ERR_*", "OK"];

fn both(architecture: &Architecture, deployment: &Deployment) -> (Composition, Graph) {
    let flat = whole(architecture, &deployment.of, &deployment.replaced, Some(&deployment.steps));
    let flat = hide(&flat, |label| !OBSERVED.iter().any(|p| mu::fits(p, label)));
    (hierarchical(architecture, deployment), flat)
}

fn hierarchical(architecture: &Architecture, deployment: &Deployment) -> Composition {
    let steps = Some(&deployment.steps[..]);
    let assembly = assemble(architecture, &deployment.of, &deployment.replaced, steps).expect("it is right");
    let observed = Some(OBSERVED.map(str::to_owned).to_vec());
    let net = Net { parts: assembly.parts, observed, notion: Notion::DivergenceBranching };
    compose(&net, &Plan::Steps(assembly.plan), &Unwatched).expect("unwatched")
}

/// A number of copies of C, and one logger.
fn copies(n: usize) -> (Architecture, Deployment) {
    let (mut architecture, _) = logger();
    let mut steps = Vec::new();
    let system = architecture.components.get_mut("System").expect("it is in the model");
    system.contains.remove("C");
    for i in 0..n {
        let c = format!("C{i}");
        system.contains.insert(c.clone(), "C".into());
        let bind = |client: String, server: String| Control::Bind(client, server);
        steps.push(bind(format!("{c}/A.I_c"), format!("{c}/B.I_p")));
        steps.push(bind(format!("{c}/A.log"), format!("{c}:log")));
        steps.push(bind(format!("{c}:I1"), format!("{c}/A.I1")));
        steps.push(bind(format!("{c}.log"), "Logger.log".into()));
    }
    steps.push(Control::Start("System".into()));
    let deployment = Deployment { name: "copies".into(), of: "System".into(), replaced: BTreeMap::new(), steps };
    (architecture, deployment)
}

#[test]
fn six_copies() {
    for n in 1..=3 {
        let (architecture, deployment) = copies(n);
        let (composition, flat) = both(&architecture, &deployment);
        assert!(
            compare(&composition.graph, &flat, Notion::DivergenceBranching, &Unwatched)
                .expect("unwatched")
                .equivalent()
        );
        let flat = whole(&architecture, &deployment.of, &deployment.replaced, Some(&deployment.steps));
        // Copies do not wait for one another: 12 states each.
        assert_eq!(look(&flat).running, 12usize.pow(n as u32));
    }
    let (architecture, deployment) = copies(6);
    let composition = hierarchical(&architecture, &deployment);
    assert!(composition.peak() * 100 <= 12usize.pow(6), "{}", composition.peak());
    assert!(
        composition.graph.labels().iter().all(|(_, text)| !text.starts_with("ERR") || !used(&composition.graph, text))
    );
}

fn used(graph: &Graph, text: &str) -> bool {
    graph.labels().find(text).is_some_and(|l| graph.used_labels()[l.index()])
}

/// Whether the controller of C ever does the last of these labels behind the others, one after another.
fn can(labels: &[&str]) -> bool {
    let (architecture, _) = logger();
    let controller = whole(&architecture, "C", &BTreeMap::new(), None);
    ferrospin_lts::traces::has_trace(&controller, labels.iter().copied())
}

#[test]
fn controllers_refuse() {
    let bind = "bind(A.I_c,B.I_p)";
    assert!(can(&[bind]) && can(&["start(A)", "stop(A)", bind]));
    // Bindings of what is started.
    assert!(!can(&["start(A)", bind]));
    assert!(!can(&[bind, "start(C)", "unbind(A.I_c,B.I_p)"]));
    assert!(can(&[bind, "start(C)", "stop(C)", "unbind(A.I_c,B.I_p)"]));
    assert!(!can(&[bind, bind]));
    // Calls of what is stopped, or not bound.
    let inner = "bind(C:I1,A.I1)";
    assert!(!can(&["C.I1"]));
    assert!(can(&[inner, "start(C)", "C.I1", "C:I1>A.I1"]));
    assert!(!can(&["start(C)", "C.I1", "C:I1>A.I1"]));
    assert!(!can(&[inner, "start(C)", "stop(A)", "C.I1", "C:I1>A.I1"]));
    assert!(can(&[inner, "start(C)", "C.I1", "C:I1>A.I1", "ERR_UNBOUND(A.I_c)"]));
    assert!(!can(&[bind, inner, "start(C)", "C.I1", "C:I1>A.I1", "ERR_UNBOUND(A.I_c)"]));
    assert!(can(&[bind, inner, "start(C)", "C.I1", "C:I1>A.I1", "A.I_c>B.I_p"]));
    // The membrane holds one call.
    assert!(!can(&["start(C)", "C.I1", "C.I1"]));
}

#[test]
fn what_is_wrong_is_said() {
    let (architecture, _) = logger();
    let error = |steps: &[Control]| {
        assemble(&architecture, "C", &BTreeMap::new(), Some(steps)).expect_err("it is wrong").to_string()
    };
    let bind = |client: &str, server: &str| Control::Bind(client.into(), server.into());
    assert!(error(&[bind("A.I_c", "B.I_q")]).contains("there is `bind(A.I_c,B.I_p)`"));
    assert!(error(&[Control::Start("X".into())]).contains("`start(X)`"));
    // Types part what can be bound.
    assert!(error(&[bind("A.log", "B.I_p")]).contains("no control action"));
    let document =
        |text: &str| read(text, &mut |name| Err(format!("there is no `{name}`"))).expect_err("it is wrong").to_string();
    assert!(document("x = 1").contains("line 1"));
    assert!(document("").contains("neither"));
    assert!(document("[parts]\na = 'b.aut'").contains("there is no `b.aut`"));
    assert!(document("[parts]\na = ['0 1']").contains("`0 1` is no edge"));
    assert!(document("[components.A]\nbehaviour = ['0 1']").contains("`0 1` is no edge"));
    assert!(document("notion = 'x'\n[parts]").contains("`x` is no notion"));
    assert!(
        document("[components.A]\n[[deployments]]\nname='d'\nof='A'\nsteps=['go']")
            .contains("`go` is no control action")
    );
}

/// Stops at this many states.
struct Few(u64);

impl ferrospin_lts::Watch for Few {
    fn go_on(&self, states: u64) -> bool {
        states < self.0
    }
}

/// Nets with random changes are read or refused, and what is read is composed or refused.
#[test]
fn mutated_nets() {
    let texts = ["chiron3", "philosophers", "relay"]
        .map(|name| std::fs::read_to_string(format!("../../models/nets/{name}.toml")).expect("the model is there"));
    let mut seed = 27u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % bound as u64) as usize
    };
    let words =
        ["\"", "=", "[", "]", "0 ", " tau", "lock1", "parts", "steps", ",", "\n", "*", "9999999999", "{}", "'", "\0"];
    let mut composed = 0;
    for _ in 0..5000 {
        let mut mutated: Vec<char> = texts[below(texts.len())].chars().collect();
        for _ in 0..1 + below(4) {
            let at = below(mutated.len());
            let len = below(6).min(mutated.len() - at);
            mutated.splice(at..at + len, words[below(words.len())].chars());
        }
        let mutated: String = mutated.into_iter().collect();
        if let Ok(Document::Net(net, steps)) = read(&mutated, &mut |_| Err("none".into())) {
            let plan = steps.map_or(Plan::Auto, Plan::Steps);
            composed += usize::from(compose(&net, &plan, &Few(400)).is_ok());
        }
    }
    assert!(composed > 500, "{composed}");
}

/// Files with random changes are read or refused, and what is read is assembled or refused.
#[test]
fn mutated_files() {
    let text = std::fs::read_to_string("../../models/nets/logger.toml").expect("the model is there");
    let mut seed = 9u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % bound as u64) as usize
    };
    let words =
        ["\"", "=", "[", "]", "{", "C", "A", "Log", "call", "\n", "0", "9999999999", "{}", "'", "I1", "requires", "\0"];
    let mut assembled = 0;
    for _ in 0..5000 {
        let mut mutated: Vec<char> = text.chars().collect();
        for _ in 0..1 + below(4) {
            let at = below(mutated.len());
            let len = below(6).min(mutated.len() - at);
            mutated.splice(at..at + len, words[below(words.len())].chars());
        }
        let mutated: String = mutated.into_iter().collect();
        if let Ok(Document::Architecture(architecture, deployments)) = read(&mutated, &mut |_| Err("none".into())) {
            for d in &deployments {
                assembled += usize::from(assemble(&architecture, &d.of, &d.replaced, Some(&d.steps)).is_ok());
            }
        }
    }
    assert!(assembled > 500, "{assembled}");
}
