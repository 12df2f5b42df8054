//! `ferrospin test`, and what one begins with: `new`, `explain`, `man`.

use crate::{folder, run, without_times};
use expect_test::expect;
use serde_json::Value;
use std::path::Path;

#[test]
fn expectations_are_checked() {
    let dir = folder("test");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("the folder can be written");
    write(
        "held.pml",
        "/* expect: -DN=2 safety holds 4 states */\n/* expect: safety holds */\nbyte x; active proctype P() { x = 1; assert(x) }\n#ifdef N\nactive proctype Q() { skip }\n#endif\n",
    );
    write(
        "marked.pml",
        "byte x; active proctype P() { x = 1 }\n/* expect: violated */\nltl zero { [] (x == 0) }\nltl once { <> (x == 1) }\n",
    );
    write("missed.pml", "byte x; active proctype P() { x = 1; assert(x == 2) }\n");
    write(
        "missed.expect",
        "safety holds\nsafety violated assertion\nsafety violated runtime   # not so\nltl p holds\n",
    );
    std::fs::create_dir_all(dir.join("below")).expect("a folder");
    write("below/table.pml", "active proctype P() { skip }\n");
    write(
        "below/table.expect.tsv",
        "defines\tproperty\tverdict\terror\tstates\ttransitions\tdepth\tnote\n-\tsafety\tholds\t-\t900000\t-\t-\t-\n-\tsafety\tholds\t-\t2\t2\t-\t-\n",
    );
    let (code, said, why) = run(&dir, &["test", "--junit", "r.xml", "--sarif", "r.sarif"]);
    let said: String = without_times(&said).lines().map(|l| l.trim_end().to_owned() + "\n").collect();
    expect![[r#"
        FAIL  below/table.pml                              1 of 2 expectations, 0.00 s
              safety: expected 2 states, found 3 (below/table.expect.tsv:3)
        FAIL  held.pml                                     1 of 2 expectations, 0.00 s
              -DN=2 safety: expected 4 states, found 10 (held.pml:1)
        ok    marked.pml                                   3 expectations, 0.00 s
        FAIL  missed.pml                                   3 of 4 expectations, 0.00 s
              safety: expected holds, found violated (assertion violated) (missed.expect:1)
              safety: expected a violation of the sort `runtime`, found `assertion` (missed.expect:3)
              ltl p: expected holds, but it was refused: `p` is neither the name of an ltl block nor a formula: variable `p` is not declared (missed.expect:4)
        11 expectations of 4 models: 5 met, 5 missed, 1 left out (`--all` runs them), 0.00 s
    "#]]
    .assert_eq(&said);
    assert_eq!((code, why.as_str()), (Some(1), ""));
    let junit = std::fs::read_to_string(dir.join("r.xml")).expect("JUnit");
    assert!(
        junit.contains("failures=\"5\"") && junit.contains("<skipped message=\"900000 states are stated\"/>"),
        "{junit}"
    );
    let sarif = std::fs::read_to_string(dir.join("r.sarif")).expect("SARIF");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(5));
    // Written again over what was written before, and over nothing else.
    assert_eq!(run(&dir, &["test", "--quiet", "--junit", "r.xml", "marked.pml"]).0, Some(0));
    let (code, _, why) = run(&dir, &["test", "--junit", "held.pml", "marked.pml"]);
    assert!(code == Some(2) && why.contains("held.pml"), "{why}");
}

/// Claims of protocols are expected by their names, with the sessions they are about.
#[test]
fn claims_of_protocols_are_expected() {
    let dir = folder("test-protocols");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/protocols/nspk.proto");
    std::fs::copy(models, dir.join("p.proto")).expect("a protocol");
    let rows = [
        "-\tsecret x\tholds\t-\t83\t137\t-\t-",
        "-\tsecret y\tholds\t-\t-\t-\t-\t-",
        "--run=A=2,B=1\tsecret x\tholds\t-\t83\t-\t-\t-",
        "-\tsecret z\tholds\t-\t-\t-\t-\t-",
    ];
    let head = "defines\tproperty\tverdict\terror\tstates\ttransitions\tdepth\tnote";
    std::fs::write(dir.join("p.expect.tsv"), format!("{head}\n{}\n", rows.join("\n"))).expect("a table");
    let (code, said, _) = run(&dir, &["test"]);
    let said: String = without_times(&said).lines().map(|l| l.trim_end().to_owned() + "\n").collect();
    expect![[r#"
        FAIL  p.proto                                      3 of 4 expectations, 0.00 s
              secret y: expected holds, found violated (`secret y` is violated: I knows y.beta, made by beta for honest agents) (p.expect.tsv:3)
              --run=A=2,B=1 secret x: expected 83 states, found 1384 (p.expect.tsv:4)
              secret z: there is no property `secret z` (p.expect.tsv:5)
        4 expectations of 1 model: 1 met, 3 missed, 0.00 s
    "#]].assert_eq(&said);
    assert_eq!(code, Some(1));
    std::fs::write(dir.join("p.expect.tsv"), format!("{head}\nrun\tsecret x\tholds\t-\t-\t-\t-\t-\n"))
        .expect("a table");
    let (code, said, _) = run(&dir, &["test"]);
    assert!(code == Some(2) && said.contains("`run` is neither a macro nor an option"), "{said}");
}

#[test]
fn what_cannot_be_read_is_bad() {
    let dir = folder("test-bad");
    std::fs::write(dir.join("a.pml"), "/* expect: safety hold */ active proctype P() { skip }").expect("a file");
    std::fs::write(dir.join("b.pml"), "active proctype P() { skp }").expect("a file");
    let (code, said, _) = run(&dir, &["test", "."]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("BAD   a.pml:1: `hold` is neither") && said.contains("BAD   b.pml:1:23: "), "{said}");
    let (code, said, why) = run(&dir, &["test", "nowhere"]);
    assert!(code == Some(2) && why.contains("cannot read `nowhere`"), "{said}{why}");
    let (code, _, why) = run(&folder("test-empty"), &["test"]);
    assert!(code == Some(2) && why.contains("there is no model here"), "{why}");
}

/// The model of `new` does what it says of itself, and is not overwritten.
#[test]
fn a_new_model_is_as_expected() {
    let dir = folder("new");
    let (code, said, why) = run(&dir, &["new", "lock"]);
    assert_eq!(code, Some(0), "{said}{why}");
    let (code, said, why) = run(&dir, &["test", "lock.pml"]);
    assert!(code == Some(0) && said.contains("4 met"), "{said}{why}");
    assert_eq!(run(&dir, &["lint", "lock.pml"]).0, Some(0));
    let (code, _, why) = run(&dir, &["new", "lock.pml"]);
    assert!(code == Some(2) && why.contains("lock.pml"), "{why}");
    assert_eq!(run(&dir, &["new", "lock.c"]).0, Some(2));
}

#[test]
fn codes_and_commands_have_pages() {
    let dir = folder("pages");
    let (_, list, _) = run(&dir, &["explain", "--list"]);
    for code in list.lines() {
        let (status, said, why) = run(&dir, &["explain", code]);
        assert!(status == Some(0) && said.starts_with(code), "{code}: {said}{why}");
    }
    assert!(list.lines().count() > 140, "{list}");
    for command in ["check", "test", "simulate", "new"] {
        let (status, page, _) = run(&dir, &["man", command]);
        let head = format!(".TH \"FERROSPIN\\-{}\" 1", command.to_uppercase());
        assert!(status == Some(0) && page.starts_with(&head) && page.contains("\n.SH SYNOPSIS\n"), "{page}");
    }
    let (_, page, _) = run(&dir, &["man"]);
    assert!(page.contains(".B check\n") && page.contains(".B test\n"), "{page}");
}
