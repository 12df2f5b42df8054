//! Nothing is overwritten by mistake: not the model, not what it includes, not the files of others, not through links; and
//! what is replaced is replaced as a whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MODEL: &str = "#include \"i.h\"\nactive proctype P() { x = 1; printf(\"%d\\n\", x); assert(x == 0) }\n";

fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overwriting").join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("m.pml"), MODEL).unwrap();
    fs::write(path.join("i.h"), "byte x;\n").unwrap();
    path
}

/// Exit code and both outputs, as one text.
fn run(dir: &Path, args: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
    let output = command.args(args.split_whitespace()).current_dir(dir).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("an exit code"), text.into_owned())
}

/// All that can be written, `FILE` where the path goes, and the exit code when it is.
const WRITING: [(&str, i32); 11] = [
    ("check --trail FILE m.pml", 1),
    ("check --no-trail --safety --search bfs --checkpoint FILE m.pml", 1),
    ("simulate --seed 1 --write-trail FILE m.pml", 1),
    ("simulate --seed 1 --chart svg=FILE m.pml", 1),
    ("simulate --seed 1 --chart text=FILE m.pml", 1),
    ("replay --chart svg=FILE m.pml", 0),
    ("replay --spin-trail FILE m.pml", 0),
    ("graph -o FILE m.pml", 0),
    ("graph --layout -o FILE m.pml", 0),
    ("graph --format dot -o FILE m.pml", 0),
    ("graph --format ir -o FILE m.pml", 0),
];

/// A folder with a trail in it, for replays.
fn with_trail(test: &str) -> PathBuf {
    let dir = folder(test);
    assert_eq!(run(&dir, "check --quiet m.pml").0, 1);
    dir
}

/// Runs what must not write `file`, which must stay as it is.
fn refused(dir: &Path, file: &str, why: &str) {
    let before = fs::read(dir.join(file)).ok();
    for (args, _) in WRITING {
        let (code, said) = run(dir, &args.replace("FILE", file));
        assert_eq!(code, 2, "{args}: {said}");
        assert!(said.contains(why), "{args}: {said}");
        assert_eq!(fs::read(dir.join(file)).ok(), before, "{args}");
    }
}

#[test]
fn the_model_is_never_overwritten() {
    let dir = with_trail("model");
    for file in ["m.pml", "./m.pml", "i.h"] {
        refused(&dir, file, "is not written: the model was read from it");
        let (code, said) = run(&dir, &format!("check --overwrite --trail {file} m.pml"));
        assert!(code == 2 && said.contains("the model was read from it"), "{said}");
    }
    assert_eq!(fs::read_to_string(dir.join("m.pml")).unwrap(), MODEL);
    // The place that is chosen without a word is looked at as well.
    fs::write(dir.join("m.pml.trail.json"), "{ \"important\": true }\n").unwrap();
    let (code, said) = run(&dir, "check m.pml");
    assert!(code == 2 && said.contains("is no trail that was written by Ferrospin"), "{said}");
    assert_eq!(run(&dir, "check --no-trail m.pml").0, 1);
}

#[test]
fn files_of_others_stay() {
    let dir = with_trail("foreign");
    fs::write(dir.join("notes.txt"), "keep this\n").unwrap();
    refused(&dir, "notes.txt", "it is there already, and is no ");
    fs::create_dir(dir.join("sub")).unwrap();
    refused(&dir, "sub", "it is a folder");
    // Those who mean it say so.
    for (args, code) in WRITING {
        fs::write(dir.join("notes.txt"), "keep this\n").unwrap();
        let (got, said) = run(&dir, &format!("{} --overwrite", args.replace("FILE", "notes.txt")));
        assert_eq!(got, code, "{args}: {said}");
        assert_ne!(fs::read(dir.join("notes.txt")).unwrap(), b"keep this\n", "{args}");
    }
}

#[test]
fn our_own_files_are_replaced() {
    let dir = with_trail("own");
    for (i, (args, code)) in WRITING.into_iter().enumerate() {
        let file = dir.join(format!("out{i}"));
        let args = args.replace("FILE", &format!("out{i}"));
        fs::write(&file, "").unwrap();
        let mut texts = Vec::new();
        for _ in 0..3 {
            let (got, said) = run(&dir, &args);
            assert_eq!(got, code, "{args}: {said}");
            texts.push(fs::read(&file).unwrap());
        }
        // Which worker has made a level is in a checkpoint as well.
        let is_same = args.contains("--checkpoint") || texts.windows(2).all(|w| w[0] == w[1]);
        assert!(!texts[0].is_empty() && is_same, "{args}");
    }
    let mut left: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    left.retain(|name| !name.starts_with("out"));
    left.sort();
    assert_eq!(left, ["i.h", "m.pml", "m.pml.trail.json"], "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let dir = with_trail("links");
    fs::write(dir.join("precious"), "").unwrap();
    symlink("precious", dir.join("link")).unwrap();
    symlink("nowhere", dir.join("dangling")).unwrap();
    symlink("m.pml", dir.join("to-model")).unwrap();
    refused(&dir, "link", "it is a link; name the file itself");
    refused(&dir, "dangling", "it is a link; name the file itself");
    refused(&dir, "to-model", "the model was read from it");
    assert!(!dir.join("nowhere").exists());
    // A further name of the same file is no link that can be seen: that name is replaced, the other one stays.
    fs::copy(dir.join("m.pml.trail.json"), dir.join("one.json")).unwrap();
    fs::hard_link(dir.join("one.json"), dir.join("two.json")).unwrap();
    fs::write(dir.join("one.json"), fs::read_to_string(dir.join("one.json")).unwrap() + "\n").unwrap();
    assert_eq!(run(&dir, "check --quiet --trail two.json m.pml").0, 1);
    assert!(fs::read(dir.join("one.json")).unwrap().len() > fs::read(dir.join("two.json")).unwrap().len());
    // A file that may only be read was made so on purpose.
    let mut permissions = fs::metadata(dir.join("two.json")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(dir.join("two.json"), permissions).unwrap();
    let (code, said) = run(&dir, "check --quiet --trail two.json m.pml");
    assert!(code == 2 && said.contains("may only be read"), "{said}");
    // Devices hold nothing that could be lost.
    assert_eq!(run(&dir, "check --quiet --trail /dev/null m.pml").0, 1);
    let (code, said) = run(&dir, "simulate --seed 1 --quiet --chart text=/dev/stdout m.pml");
    assert!(code == 1 && said.contains("P[0]"), "{said}");
}

/// A disk that is full: what was there before stays, and the verdict is told.
#[cfg(unix)]
#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let dir = with_trail("full");
    let long: String = (0..400).map(|_| "x = 1 - x; ").collect();
    fs::write(dir.join("long.pml"), format!("byte x; active proctype P() {{ {long} assert(false) }}")).unwrap();
    let limited = |args: &str| {
        let line = format!("ulimit -f 1; exec '{}' {args}", env!("CARGO_BIN_EXE_ferrospin"));
        let output = Command::new("sh").args(["-c", &line]).current_dir(&dir).stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.code(), text.into_owned())
    };
    let before = fs::read(dir.join("m.pml.trail.json")).unwrap();
    let (code, said) = limited("check --no-optimize --trail m.pml.trail.json long.pml");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("cannot write `m.pml.trail.json`: File too large"), "{said}");
    assert_eq!(fs::read(dir.join("m.pml.trail.json")).unwrap(), before);
    let (code, said) = limited("graph --format svg -o new.svg long.pml");
    assert!(code == Some(2) && said.contains("cannot write `new.svg`: File too large"), "{said}");
    let (code, said) = limited("check --no-optimize --no-trail --safety --checkpoint new.checkpoint long.pml");
    assert!(code == Some(1) && said.contains("the checkpoint could not be written: File too large"), "{said}");
    assert!(!dir.join("new.svg").exists());
    let hidden = |name: &str| name.starts_with(".ferrospin");
    assert!(!fs::read_dir(&dir).unwrap().any(|e| hidden(&e.unwrap().file_name().to_string_lossy())));
}
