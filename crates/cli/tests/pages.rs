//! The examples of manual pages are what the program says. `UPDATE_EXPECT=1` writes them anew.
//!
//! In a page a `promela` block is the model of the commands behind it, or, if a name stands behind the word, the file with that name; in a `console` block a line that starts with `$` is a
//! command, and what follows is what it prints. Times are written as `0.00 s`, because they differ from run to run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command prints, run in a folder that holds the model under the name that it uses.
fn run(folder: &Path, command: &str, model: &str) -> String {
    let words: Vec<String> = split(command);
    if !model.is_empty() {
        // Files with names are there already.
        if let Some(name) = words.iter().find(|w| w.ends_with(".pml")) {
            std::fs::write(folder.join(name), model).expect("the folder can be written");
        }
    }
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(&words).current_dir(folder).output().expect("it runs");
    let said = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    without_times(&said)
}

/// The text with every `1.23 s` written as `0.00 s`.
fn without_times(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_unit = |w: &&str| w.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let is_number = |w: &str| w.contains('.') && w.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_time = |i: usize| is_number(words[i]) && words.get(i + 1).is_some_and(is_unit);
    let shown: Vec<&str> = (0..words.len()).map(|i| if is_time(i) { "0.00" } else { words[i] }).collect();
    shown.join(" ")
}

/// The words of a command line with single quotes.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in command.split('\'').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Whether a block is a model, or a file with a name.
fn is_file(kind: &str) -> bool {
    kind == "promela" || kind.contains(' ')
}

fn check(page: &str, examples_min: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(page.trim_end_matches(".md"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (mut found, mut model, mut inside, mut examples) = (String::new(), String::new(), "", 0);
    let mut named = None;
    for line in text.lines() {
        let fence = line.strip_prefix("```");
        if let Some(kind) = fence {
            inside = if inside.is_empty() { kind } else { "" };
            if is_file(inside) {
                model.clear();
            } else if let Some(name) = named.take() {
                std::fs::write(folder.join(name), std::mem::take(&mut model)).expect("the folder can be written");
            }
            named = inside.split_once(' ').map(|(_, name)| name);
        } else if is_file(inside) {
            model += line;
            model.push('\n');
        }
        let command = line.strip_prefix("$ ferrospin ").filter(|_| inside == "console");
        // Inside an example only commands are kept; what they print is put behind them.
        if fence.is_some() || inside != "console" || command.is_some() {
            found += line;
            found.push('\n');
        }
        if let Some(command) = command {
            found += &run(&folder, command, &model);
            examples += 1;
        }
    }
    assert!(examples >= examples_min, "{examples} examples");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &found).expect("the page can be written");
    } else {
        assert!(text == found, "the page says:\n{text}\nnow:\n{found}");
    }
}

#[test]
fn suggestions() {
    check("suggestions.md", 1);
}

#[test]
fn under_approximation() {
    check("under.md", 4);
}

#[test]
fn comparison() {
    check("compare.md", 3);
}

#[test]
fn assumptions() {
    check("assume.md", 4);
}

#[test]
fn composition() {
    check("compose.md", 5);
}

#[test]
fn certificates() {
    check("certify.md", 3);
}

#[test]
fn chi() {
    check("chi.md", 5);
}

#[test]
fn bounds() {
    check("bound.md", 3);
}

#[test]
fn protocols() {
    check("protocols.md", 4);
}

#[test]
fn containers() {
    check("containers.md", 3);
}

#[test]
fn tutorial() {
    check("tutorial.md", 9);
}
