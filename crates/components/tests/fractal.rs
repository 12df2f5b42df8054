//! Architectures in XML: the literature's example has the values that the TOML form has; whatever a file holds is read or refused.

use ferrospin_components::architecture::assemble;
use ferrospin_components::deployment::look;
use ferrospin_components::file::Document;
use ferrospin_components::fractal::read;
use ferrospin_lts::product::{by_alphabets, product};
use ferrospin_lts::{Graph, Unwatched};

fn example() -> String {
    std::fs::read_to_string("../../models/nets/logger.xml").expect("the model is there")
}

fn load(file: &str) -> Result<Vec<u8>, String> {
    std::fs::read(format!("../../models/nets/{file}")).map_err(|e| e.to_string())
}

#[test]
fn the_example() {
    let Ok(Document::Architecture(architecture, deployments)) = read(&example(), &mut load) else {
        panic!("it is right")
    };
    let [deployment] = &deployments[..] else { panic!("there is one deployment") };
    let assembly =
        assemble(&architecture, &deployment.of, &deployment.replaced, Some(&deployment.steps)).expect("it is right");
    let parts: Vec<&Graph> = assembly.parts.iter().map(|p| &p.graph).collect();
    let graph = product(&parts, &by_alphabets(&parts), &Unwatched).expect("unwatched").graph;
    let answers = look(&graph);
    assert_eq!((graph.state_count(), graph.edge_count(), answers.running), (29, 57, 12));
    assert!(answers.holds());
}

#[test]
fn what_is_wrong_is_said() {
    let cases = [
        ("", "line 1: an element is missing"),
        ("<definition>", "`</definition>` is missing"),
        ("<definition/>", "needs the attribute `name`"),
        ("<a/>", "no `definition` is there"),
        ("<definition name=C/>", "stands in quotes"),
        ("<definition name='C'>text</definition>", "text means nothing here"),
        ("<definition name='C'/><definition/>", "one element"),
        (
            "<definition name='C'>\n<interface name='i' role='both' signature='T'/></definition>",
            "line 2: `both` is no role",
        ),
        ("<definition name='C'><behaviour file='none.aut'/></definition>", "none.aut"),
        ("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "inside a DOCTYPE"),
    ];
    for (text, expected) in cases {
        let error = read(text, &mut |file| Err(format!("cannot read {file}"))).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn mutated_and_cut_files() {
    let text = example();
    (0..text.len()).filter(|i| text.is_char_boundary(*i)).for_each(|i| _ = read(&text[..i], &mut load));
    let mut seed = 11u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % bound as u64) as usize
    };
    let words =
        ["<", "/>", ">", "\"", "'", "=", "name", "<!--", "-->", "this.", "&amp;", "definition", "component", "\0", "é"];
    let mut assembled = 0;
    for _ in 0..2000 {
        let mut mutated: Vec<char> = text.chars().collect();
        for _ in 0..1 + below(3) {
            let at = below(mutated.len());
            let len = below(6).min(mutated.len() - at);
            mutated.splice(at..at + len, words[below(words.len())].chars());
        }
        let mutated: String = mutated.into_iter().collect();
        if let Ok(Document::Architecture(architecture, deployments)) = read(&mutated, &mut load) {
            for d in &deployments {
                assembled += usize::from(assemble(&architecture, &d.of, &d.replaced, Some(&d.steps)).is_ok());
            }
        }
    }
    assert!(assembled > 50, "{assembled}");
    let deep = "<a>".repeat(100_000);
    assert!(read(&deep, &mut load).is_err());
}
