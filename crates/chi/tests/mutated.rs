//! Texts in chi with random changes: each is read or refused with a place, and what is read is explored, printed and translated, or
//! refused, within a limit.

use ferrospin_chi::graph::{Actions, View, explore};
use ferrospin_chi::promela::translate;
use ferrospin_chi::{print, read};
use ferrospin_lts::Watch;
use ferrospin_source::{SourceMap, render};
use ferrospin_testkit::mutate::mutate;
use ferrospin_testkit::random::Random;
use std::path::Path;

/// Stops at this many states.
struct Few(u64);

impl Watch for Few {
    fn go_on(&self, states: u64) -> bool {
        states < self.0
    }
}

/// Words and signs of the language, and some that are none.
const TOKENS: &str = "var chan proc model delta eps skip enc true false bool int and or not x y last put get Place 0 1 2 .. : :-> := = != \
    < > <= >= + - * / % ( ) { } [ ] [] || |[ ]| | , ; ! ? -1 2147483647 -2147483648 99999999999999999999 // /* */ \u{0} é \" '";

#[test]
fn mutated_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/chi");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let models: Vec<String> = paths.iter().map(|p| std::fs::read_to_string(p).expect("a model")).collect();
    assert!(models.len() >= 5, "{}", models.len());
    let tokens: Vec<&str> = TOKENS.split_whitespace().collect();
    let random = &mut Random::new(16);
    let (mut meant, mut translated) = (0, 0);
    for _ in 0..5000 {
        let text = mutate(random, &models, &tokens);
        let mut map = SourceMap::new();
        let file = map.add_file("m.chi", text.as_str());
        let (program, said) = read(&map, file);
        let Some(program) = program else {
            let shown = render::list_to_string(&map, &said, false);
            assert!(shown.contains("m.chi:"), "no place for:\n{text}\n{shown}");
            continue;
        };
        meant += 1;
        print::program(&program);
        _ = explore(&program, &View { actions: Actions::All, observed: None }, &Few(300));
        translated += usize::from(translate(&program).is_ok());
    }
    assert!(meant > 150 && translated > 150, "{meant} {translated}");
}
