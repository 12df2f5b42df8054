//! `ferrospin graph` as users meet it.

use std::path::Path;
use std::process::Command;

/// Exit code, standard output, standard error.
fn graph(args: &[&str]) -> (i32, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output =
        Command::new(env!("CARGO_BIN_EXE_ferrospin")).current_dir(root).arg("graph").args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_list() {
    let (code, out, _) = graph(&["models/tiny/assert.pml"]);
    assert_eq!(code, 0);
    assert!(out.contains("  L0 · line "), "{out}");
}

#[test]
fn every_form_of_every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for name in ["peterson", "alternating_bit", "lossy_unless", "elevator"] {
        let path = folder.join(format!("{name}.pml")).display().to_string();
        for (form, start, end) in [("svg", "<svg ", "</svg>\n"), ("dot", "digraph ", "}\n"), ("ir", "layout ", "\n")] {
            let (code, out, said) = graph(&["--format", form, &path]);
            assert_eq!((code, said.as_str()), (0, ""), "{name} {form}");
            assert!(out.starts_with(start) && out.ends_with(end), "{name} {form}:\n{out}");
            assert!(!out.contains("NaN") && !out.contains("inf\""), "{name} {form}:\n{out}");
        }
    }
}

#[test]
fn the_layout() {
    let (_, out, _) = graph(&["--layout", "models/peterson.pml"]);
    assert!(out.starts_with("offset  size  name: type\n     0     4  -- fixed part --\n"), "{out}");
}

#[test]
fn an_unknown_process() {
    let (code, _, said) = graph(&["--process", "Q", "models/peterson.pml"]);
    assert_eq!(code, 2);
    assert!(said.starts_with("error: there is no process type `Q`"), "{said}");
}
