//! Sets and queues through the program: the dispatcher's states are counted as an array, a set and a queue, natively and as plain
//! Promela, whose counts by SPIN 6.5.2 are recorded; models keep what they state.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(folder: &Path, command: &str) -> (i32, String) {
    let words = command.split_whitespace();
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(words).current_dir(folder).output().expect("it runs");
    let said = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    (out.status.code().expect("a code"), said)
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("containers").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// States of a model without any reduction.
fn states(folder: &Path, file: &str, options: &str) -> u64 {
    let (code, said) = run(folder, &format!("check --safety --plain --no-trail --format json {options} {file}"));
    assert_eq!(code, 0, "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    report["properties"][0]["states"].as_u64().expect("a number")
}

/// A dispatcher with whom `n` artists register, in one of three ways to keep who did.
fn dispatcher(kind: &str, n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("a{i}")).collect();
    let (head, value, body) = match kind {
        "array" => (
            format!("#define N {n}\nbyte list[N];\nbyte count;\n"),
            "byte",
            "  :: d_step { ev?x,1 -> do :: i < count && list[i] != x + 1 -> i++ :: else -> break od;
       if :: i == count -> list[count] = x + 1; count++ :: else fi; x = 0; i = 0 }
  :: d_step { ev?x,0 -> do :: i < count && list[i] != x + 1 -> i++ :: else -> break od;
       if
       :: i < count -> do :: i < count - 1 -> list[i] = list[i + 1]; i++ :: else -> break od; count--; list[count] = 0
       :: else
       fi; x = 0; i = 0 }
  :: count > N -> assert(false)
"
            .to_owned(),
        ),
        "set" => (
            format!(
                "// ferrospin: containers\nenum artist = {{ {} }};\nset s = [{n}] of {{ artist }};\n",
                names.join(", ")
            ),
            "artist",
            format!(
                "  :: d_step {{ ev?x,1 -> s.insert(x); x = a0 }}\n  :: d_step {{ ev?x,0 -> s.erase(x); x = a0 }}\n  \
                 :: s.size() > {n} -> assert(false)\n"
            ),
        ),
        _ => (
            format!(
                "// ferrospin: containers\nenum artist = {{ {} }};\nqueue q = [{n}] of {{ artist }};\n",
                names.join(", ")
            ),
            "artist",
            format!(
                "  :: d_step {{ ev?x,1 -> q.push(x); x = a0 }}\n  :: q.pop()\n  :: q.size() > {n} -> assert(false)\n"
            ),
        ),
    };
    let artists: Vec<String> = (0..n)
        .map(|i| {
            let me = if kind == "array" { i.to_string() } else { format!("a{i}") };
            let leave = if kind == "queue" { String::new() } else { format!(" :: ev!{me},0") };
            format!("active proctype A{i}() {{ do :: ev!{me},1{leave} od }}\n")
        })
        .collect();
    let locals = if kind == "array" { "byte x, i;" } else { "artist x;" };
    format!(
        "{head}chan ev = [0] of {{ {value}, bit }};\nactive proctype Dispatcher() {{\n  {locals}\n  do\n{body}  od\n}}\n{}",
        artists.concat()
    )
}

/// 2^n, or the number of lists without repetition.
fn formula(kind: &str, n: u64) -> u64 {
    match kind {
        "set" => 1 << n,
        _ => (0..=n).map(|i| (n - i + 1..=n).product::<u64>()).sum(),
    }
}

#[test]
fn dispatchers_have_the_states_of_the_formulas() {
    let folder = folder("dispatchers");
    let mut rows = 0;
    for row in include_str!("containers.tsv").lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (kind, n, recorded) = (fields[0], fields[1], fields[2].parse::<u64>().expect("a number"));
        let (file, plain) = (format!("{kind}{n}.pml"), format!("{kind}{n}_plain.pml"));
        let n: usize = n.parse().expect("a number");
        std::fs::write(folder.join(&file), dispatcher(kind, n)).expect("it can be written");
        let (code, said) = run(&folder, &format!("translate --to promela --quiet --overwrite -o {plain} {file}"));
        assert_eq!(code, 0, "{said}");
        let text = std::fs::read_to_string(folder.join(&plain)).expect("it was written");
        assert!(!text.contains("containers") && !text.contains("s.insert"), "{text}");
        let expected = formula(kind, n as u64);
        assert_eq!(recorded, expected, "SPIN: {kind} {n}");
        assert_eq!(states(&folder, &file, ""), expected, "{kind} {n}");
        assert_eq!(states(&folder, &plain, ""), expected, "{kind} {n}, translated");
        if n < 6 {
            assert_eq!(states(&folder, &file, "--engine interp"), expected, "{kind} {n}, interpreted");
        }
        rows += 1;
    }
    assert_eq!(rows, 24);
}

#[test]
fn messages_point_to_what_was_written() {
    let folder = folder("messages");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("it can be written");
    write(
        "front.pml",
        "// ferrospin: containers\nenum e = { a, b };\nqueue of e[2] q;\ne x;\ninit {\n  x = q.front()\n}\n",
    );
    let (code, said) = run(&folder, "check --no-trail front.pml");
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("front.pml:6:") && said.contains("outside the array") && said.contains("q.front()"),
        "{said}"
    );
    write(
        "seats.pml",
        "// ferrospin: containers\nenum e = { a, b };\nset of e[1] s;\ninit {\n  s.insert(a);\n  s.insert(b)\n}\n",
    );
    let (code, said) = run(&folder, "check --no-trail seats.pml");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("invalid end state") && said.contains("s.insert(b)"), "{said}");
    write("large.pml", "// ferrospin: containers\nenum e = { a, b };\nqueue of e[3] q;\ninit { skip }\n");
    let (code, said) = run(&folder, "check --no-trail --format json large.pml");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, report["verdict"].as_str()), (2, Some("error")));
    assert_eq!(report["diagnostics"][0]["code"], "container");
    assert_eq!(report["diagnostics"][0]["location"]["line"], 3);
}

#[test]
fn models_keep_what_they_state() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (code, said) = run(&models, "test containers");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains('3'), "{said}");
    // Nothing is said of the style of what was put in the place of an operation.
    for name in ["dispatcher", "lift", "seats"] {
        let (code, said) = run(&models, &format!("lint containers/{name}.pml"));
        assert_eq!(code, 0, "{said}");
        assert!(!said.contains("bool-number") && !said.contains("narrowing"), "{said}");
    }
    // What the model itself writes is judged.
    let folder = folder("lints");
    for (action, code) in [("bool f = 1; x = f; s.insert(a)", "bool-number"), ("x = 1; s.erase(x)", "mtype-arith")] {
        let text =
            format!("// ferrospin: containers\nenum e = {{ a, b }};\nset of e[2] s;\nbyte x;\ninit {{ {action} }}\n");
        std::fs::write(folder.join("m.pml"), text).expect("it can be written");
        let (_, said) = run(&folder, "lint m.pml");
        assert!(said.contains(code) && said.contains("m.pml:5:"), "{said}");
    }
}
