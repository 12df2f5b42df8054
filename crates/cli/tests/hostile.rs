//! Huge, hostile and unlucky: what a model says, how long its names are and when a signal comes must not matter to the
//! terminal, to other files, or to the exit code.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for one test, with a model `m.pml` in it.
fn folder(test: &str, model: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("m.pml"), model).unwrap();
    path
}

fn ferrospin(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
    command.args(args).current_dir(dir).stdin(Stdio::null()).output().unwrap()
}

/// Exit code and both outputs of a run.
fn run(dir: &Path, args: &str) -> (i32, String, String) {
    let output = ferrospin(dir, &args.split_whitespace().collect::<Vec<_>>());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

/// The first property of a report in JSON.
fn property(dir: &Path, args: &str) -> Value {
    let (_, stdout, _) = run(dir, args);
    let mut report: Value = serde_json::from_str(&stdout).unwrap();
    report["properties"][0].take()
}

fn notes(property: &Value) -> Vec<&str> {
    property["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect()
}

#[test]
fn long_names_are_told() {
    let (name, variable) = ("n".repeat(70_000), "v".repeat(70_000));
    let model = format!(
        "chan c{name} = [1] of {{ byte }}; byte {variable};
         proctype P{name}() {{ {variable} = 1; c{name}!2; assert({variable} == 2) }}
         init {{ run P{name}() }}
         ltl l{name} {{ [] ({variable} == 0) }}"
    );
    let dir = folder("long-names", &model);
    for (args, code) in [
        ("check m.pml", 1),
        ("check --quiet --safety m.pml", 1),
        ("replay m.pml", 0),
        ("replay --chart text m.pml", 0),
        ("replay --chart svg m.pml", 0),
        ("simulate --statements --globals --locals --messages --seed 1 m.pml", 1),
        ("simulate --chart text --seed 1 m.pml", 1),
        ("lint --show-types m.pml", 0),
        ("lint --suggest m.pml", 0),
        ("graph m.pml", 0),
        ("graph --layout m.pml", 0),
        ("graph --format dot m.pml", 0),
        ("graph --format svg m.pml", 0),
        ("graph --format ir m.pml", 0),
    ] {
        let (got, stdout, stderr) = run(&dir, args);
        assert_eq!(got, code, "{args}: {stderr:.2000}");
        assert!(!stderr.contains("panicked"), "{args}: {stderr:.2000}");
        let is_cut = ["svg", "chart", "--quiet", "suggest"].iter().any(|word| args.contains(word));
        assert!(stdout.contains(&name[..100]) || is_cut, "{args}: {stdout:.2000}");
    }
}

/// A file name of almost the greatest length, given by `#line`, which has none.
#[test]
fn long_file_names_are_told() {
    let file = "f".repeat(70_000);
    let model = format!("byte x;\n# 7 \"{file}\"\nactive proctype P() {{ x = 1;\n# 3 \"m.pml\"\nassert(x == 2) }}\n");
    let dir = folder("long-files", &model);
    for (args, code) in [("check m.pml", 1), ("replay m.pml", 0), ("simulate --statements --seed 1 m.pml", 1)] {
        let (got, stdout, stderr) = run(&dir, args);
        assert_eq!(got, code, "{args}: {stderr:.2000}");
        assert!(stdout.contains(&file[..100]), "{args}: {stdout:.2000}");
    }
}

/// Two toggles beside what a formula sees: only a reduction does without their orders.
const TOGGLES: &str = "byte x, seen; active [3] proctype P() { byte n; do :: n < 4 -> n++ :: n == 4 -> n = 0 od }
active proctype Q() { do :: x < 2 -> x++ :: x > 0 -> x = 0; seen = 1 od }
";

#[test]
fn fairness_is_left_out_where_no_cycle_is_looked_for() {
    let dir =
        folder("fair-safety", &format!("{TOGGLES}ltl bounded {{ [] (x < 3) }}\nltl often {{ [] <> (seen == 1) }}"));
    let check = |args: &str| property(&dir, &format!("check --threads 1 --no-trail --format json {args} m.pml"));
    let (fair, unfair) = (check("--fair --ltl bounded"), check("--ltl bounded"));
    let said =
        "fairness was left out: a safety property fails on a finite run, and every finite run can be continued fairly";
    assert_eq!(notes(&fair), [said]);
    assert_eq!((&fair["states"], &fair["reduction"]), (&unfair["states"], &unfair["reduction"]));
    assert_eq!(fair["reduction"], "stubborn");
    assert_eq!(fair["verdict"], "holds");
    let full = check("--fair --ltl bounded --por off");
    let transitions = |report: &Value| report["transitions"].as_u64().unwrap();
    assert!(transitions(&full) > 4 * transitions(&fair), "{} {}", full["transitions"], fair["transitions"]);
    // Where it matters it is kept: the formula holds with it only.
    let (fair, unfair) = (check("--fair --ltl often"), check("--ltl often"));
    assert_eq!((fair["verdict"].as_str(), unfair["verdict"].as_str()), (Some("holds"), Some("violated")));
    assert_eq!(notes(&fair), ["reduction is off: fairness asks about every move"]);
    // A violation of the one kind is found with it and without.
    let broken = check("--fair --ltl [](x<2)");
    assert_eq!((broken["verdict"].as_str(), &notes(&broken).last().unwrap()[..]), (Some("violated"), said));
    let (_, text, _) = run(&dir, "check --fair --ltl bounded --no-trail m.pml");
    assert!(text.contains(said), "{text}");
}

#[test]
fn counts_that_may_vary_are_said_to() {
    let dir = folder("counts-vary", TOGGLES);
    let check = |args: &str| property(&dir, &format!("check --safety --no-trail --format json {args} m.pml"));
    let may_vary = |args: &str| notes(&check(args)).iter().any(|n| n.contains("may differ from run to run"));
    for store in ["compact", "hash-compact", "bitstate"] {
        assert!(may_vary(&format!("--store {store} --threads 2")), "{store}");
        assert!(!may_vary(&format!("--store {store} --threads 1")), "{store}");
    }
    assert!(!may_vary("--store compact --threads 2 --por off"));
    for store in ["exact", "tree", "collapse"] {
        assert!(!may_vary(&format!("--store {store} --threads 2")), "{store}");
    }
    let (_, text, _) = run(&dir, "check --safety --no-trail --store compact --threads 2 m.pml");
    assert!(text.contains("may differ from run to run"), "{text}");
}

/// What a process does with signals, as Linux tells it.
#[cfg(target_os = "linux")]
mod signals {
    use super::*;
    use std::process::Child;

    const HUP: u64 = 1;
    const TERM: u64 = 1 << 14;

    /// The signals that a process catches, as bits from 0 for signal 1, once it catches the one asked for.
    fn caught(child: &mut Child, awaited: u64) -> u64 {
        let path = format!("/proc/{}/status", child.id());
        loop {
            let status = std::fs::read_to_string(&path).unwrap_or_default();
            let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap_or("0");
            let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
            if mask & awaited != 0 {
                return mask;
            }
            assert!(child.try_wait().unwrap().is_none(), "it ended before it caught a signal");
            std::thread::yield_now();
        }
    }

    /// Those signals that this process does not ignore. What is ignored is so in its children too, and means to stay so:
    /// a shell that runs the tests in the background, or `nohup`, has it ignored.
    fn heeded<const N: usize>(signals: [(&'static str, u32); N]) -> Vec<&'static str> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:")).unwrap();
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
        let (ignored, heeded): (Vec<_>, Vec<_>) = signals.into_iter().partition(|(_, n)| mask >> (n - 1) & 1 == 1);
        if !ignored.is_empty() {
            eprintln!("not tried, because this process ignores them: {ignored:?}");
        }
        assert!(!heeded.is_empty(), "all signals are ignored here");
        heeded.into_iter().map(|(name, _)| name).collect()
    }

    fn send(signal: &str, child: &Child) {
        let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
        assert!(sent.success());
    }

    /// Starts what stands behind `exec` in a shell, with both outputs kept.
    fn start(dir: &Path, before: &str, args: &str) -> Child {
        let line = format!("{before} exec '{}' {args}", env!("CARGO_BIN_EXE_ferrospin"));
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell.spawn().unwrap()
    }

    /// More states than any search can visit.
    const ENDLESS: &str = "int a, b; active proctype P() { do :: a < 1000000000 -> a++ :: b < 1000000000 -> b++ od }";

    #[test]
    fn a_hangup_ends_a_check_with_a_report() {
        let dir = folder("hangup", ENDLESS);
        for signal in heeded([("HUP", 1), ("TERM", 15), ("INT", 2)]) {
            // In the first moment: the handlers are there before anything else is.
            let mut child = start(&dir, "", "check --safety --memory-limit 4G --format json m.pml");
            caught(&mut child, TERM);
            send(signal, &child);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(3), "{signal}: {}", String::from_utf8_lossy(&output.stderr));
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["verdict"], "undecided", "{signal}");
            assert_eq!(report["properties"][0]["stopped"], "interrupted", "{signal}");
        }
    }

    /// Before the search as well: while the model is being read, and in the passes and compilers behind that.
    #[test]
    fn a_signal_ends_what_comes_before_the_search() {
        // A model that comes through a pipe and has no end, for as long as the pipe is open.
        for signal in heeded([("TERM", 15), ("INT", 2)]) {
            let mut child = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
                .args(["check", "--no-trail", "--format", "json", "-"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut pipe = child.stdin.take().unwrap();
            std::io::Write::write_all(&mut pipe, b"byte x; init { x = 1").unwrap();
            caught(&mut child, TERM);
            send(signal, &child);
            let output = child.wait_with_output().unwrap();
            drop(pipe);
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(3), "{signal}: {said}");
            let report: Value = serde_json::from_str(&said).unwrap();
            assert_eq!(report["verdict"], "undecided", "{signal}");
            assert!(said.contains("interrupted before it was known what to check"), "{said}");
        }
        // A huge program: wherever it is when the signal comes, the search behind it would not end.
        let statements: String = (0..60_000).map(|i| format!("a = a * {} + b; ", i % 7)).collect();
        let dir = folder("huge", &format!("{ENDLESS} active proctype Q() {{ {statements} }}"));
        let mut child = start(&dir, "", "check --safety --no-trail --memory-limit 4G --format json m.pml");
        caught(&mut child, TERM);
        send("TERM", &child);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("interrupted"), "{said}");
    }

    #[test]
    fn what_was_ignored_stays_ignored() {
        let dir = folder("nohup", ENDLESS);
        let mut child = start(&dir, "trap '' HUP;", "check --safety --memory-limit 4G m.pml");
        let mask = caught(&mut child, TERM);
        assert_eq!(mask & HUP, 0, "{mask:x}");
        send("TERM", &child);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
    }

    #[test]
    fn other_subcommands_end_at_once() {
        use std::os::unix::process::ExitStatusExt;
        let dir = folder("simulate-signal", ENDLESS);
        let mut child = start(&dir, "", "simulate --steps 0 m.pml >/dev/null");
        caught(&mut child, TERM);
        send("TERM", &child);
        let status = child.wait().unwrap();
        assert_eq!((status.signal(), status.code()), (Some(15), None));
    }
}

/// Characters that steer a terminal, but for the newline and the tab.
fn steering(text: &str) -> Option<char> {
    let steers = |c: &char| {
        let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}');
        bidi || c.is_control() && !matches!(c, '\n' | '\t')
    };
    text.chars().find(steers)
}

/// What it prints clears the screen and reverses the line; its name, its folder and its included file do the same.
const STEERING: &str = "#include \"i\x1b[2J.h\"
mtype = { a };
active proctype P() {
  byte x = 27;
  printf(\"\x1b[2J\x07\u{202e}\u{2066}\u{9b}31m%c[2J%c%c%c done\", x, 155, 7, 13);
  L: printf(\"%e \x1b]0;title\x07\\n\", a);
  assert(x == 1 /* \x1b[31m\u{202e} */)
}
";

#[test]
fn what_a_model_prints_cannot_steer_a_terminal() {
    let dir = folder("steering", "");
    let name = "m\x1b[31m\u{202e}\n\u{9b}.pml";
    std::fs::write(dir.join(name), STEERING).unwrap();
    std::fs::write(
        dir.join("i\x1b[2J.h"),
        "byte included;\nactive proctype I() { assert(included == 0); atomic { included = 1 } }\n",
    )
    .unwrap();
    let run = |args: &[&str]| {
        let output = ferrospin(&dir, &[args, &[name]].concat());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for (args, code) in [
        (&["check", "--color", "always"][..], 1),
        (&["check", "--format", "json"], 1),
        (&["check", "--trail", "\x1b[31m/no/such"], 2),
        (&["replay"], 0),
        (&["replay", "--format", "json"], 0),
        (&["replay", "--chart", "text"], 0),
        (&["replay", "--chart", "svg"], 0),
        (&["simulate", "--seed", "1", "--statements", "--globals", "--locals", "--messages"], 1),
        (&["simulate", "--seed", "1", "--format", "json"], 1),
        (&["simulate", "--seed", "1", "--chart", "text"], 1),
        (&["simulate", "--interactive"], 0),
        (&["graph"], 0),
        (&["graph", "--format", "dot"], 0),
        (&["graph", "--format", "svg"], 0),
        (&["graph", "--format", "ir"], 0),
        (&["graph", "--process", "\x1b[31m"], 2),
        (&["lint", "--show-types"], 0),
        (&["lint", "--format", "json"], 0),
        (&["lint", "-D\x1b[31m"], 2),
        (&["lint", "--\x1b[31m"], 2),
        (&["no\x1b[31m"], 2),
    ] {
        let (got, stdout, stderr) = run(args);
        assert_eq!(got, Some(code), "{args:?}: {stderr}");
        let ours = stderr.replace("\x1b[0m", "").replace("\x1b[1m", "");
        let ours = if args.contains(&"always") { "" } else { &ours };
        // Verdicts have colours of ours, where these were asked for.
        let report = stdout.replace("\x1b[1;31mviolated\x1b[0m", "violated");
        let report = if args.contains(&"always") { &report } else { &stdout };
        assert_eq!((steering(report), steering(ours)), (None, None), "{args:?}: {stdout:?} {stderr:?}");
    }
    // Also where the files are read later.
    for entry in std::fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            assert_eq!(steering(&std::fs::read_to_string(path).unwrap()), None);
        }
    }
    // It is shown, and those who want it get it.
    let (_, shown, _) = run(&["simulate", "--seed", "1"]);
    assert!(shown.contains("␛[2J␇���31m␛[2J�␇␍ done"), "{shown:?}");
    for command in [&["simulate", "--seed", "1"][..], &["replay"], &["check", "--no-trail"]] {
        let (_, raw, _) = run(&[command, &["--raw-output"]].concat());
        assert!(raw.contains("\x1b[2J\x07"), "{raw:?}");
    }
}

/// Data say the same whether they are escaped or not.
#[test]
fn trails_keep_what_was_printed() {
    let dir = folder("steering-data", "active proctype P() { printf(\"\x1b[2J\u{202e}\u{9b}\"); assert(false) }");
    assert_eq!(run(&dir, "check --quiet m.pml").0, 1);
    let trail: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("m.pml.trail.json")).unwrap()).unwrap();
    assert_eq!(trail["steps"][0]["events"][0]["text"], "\x1b[2J\u{202e}\u{9b}");
}

#[test]
fn includes_are_confined() {
    let dir = folder("include-root", "#include \"in.h\"\n#include \"sub/../in.h\"\nactive proctype P() { x = 1 }\n");
    let inside = dir.join("root");
    std::fs::create_dir_all(inside.join("sub")).unwrap();
    std::fs::write(inside.join("in.h"), "#ifndef IN\n#define IN\nbyte x;\n#endif\n").unwrap();
    std::fs::write(dir.join("secret.h"), "byte secret;\n").unwrap();
    let lint = |options: &str, text: &str| {
        std::fs::write(inside.join("m.pml"), text).unwrap();
        run(&dir, &format!("lint --quiet {options} root/m.pml"))
    };
    let absolute = dir.join("secret.h").display().to_string();
    let rest = "active proctype P() { secret = 1; assert(secret == 1) }\n";
    let mut outside =
        vec!["../secret.h".to_string(), "sub/../../secret.h".into(), absolute, "../none.h".into(), "/none.h".into()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.h", inside.join("link.h")).unwrap();
        outside.push("link.h".into());
    }
    for name in outside {
        let text = format!("#include \"{name}\"\n{rest}");
        let (code, stdout, _) = lint("--include-root root", &text);
        assert_eq!(code, 2, "{name}: {stdout}");
        assert!(stdout.contains("it is outside of `") && stdout.contains(&format!("#include \"{name}\"")), "{stdout}");
        if !name.contains("none") {
            assert_eq!(lint("", &text).0, 0, "{name}");
        }
    }
    // Neither do folders of `-I` lead outside.
    let (code, stdout, _) = lint("--include-root root -I .", &format!("#include \"secret.h\"\n{rest}"));
    assert!(code == 2 && stdout.contains("it is outside of `"), "{stdout}");
    let text = "#include \"in.h\"\n#include \"sub/../in.h\"\n#include \"sub/../../root/in.h\"\nactive proctype P() { x = 1; assert(x == 1) }\n";
    assert_eq!(lint("--include-root root", text).0, 0);
    assert_eq!(lint("--include-root ./root/sub/..", text).0, 0);
    let (code, _, stderr) = lint("--include-root nowhere", text);
    assert_eq!((code, &stderr[..]), (2, "error: cannot confine includes to `nowhere`: No such file or directory\n"));
    // What a formula needs is read as the model was.
    let (code, stdout, stderr) = run(&dir, "check --no-trail --quiet --include-root root -I root --ltl [](x<2) m.pml");
    assert_eq!(code, 0, "{stdout}{stderr}");
}

/// An included pipe, folder or device does not make the reader wait.
#[test]
fn only_files_are_included() {
    let dir = folder("include-kinds", "");
    for name in [".", "/dev/zero", "/dev/stdin"] {
        std::fs::write(dir.join("m.pml"), format!("#include \"{name}\"\nactive proctype P() {{ skip }}\n")).unwrap();
        let (code, stdout, _) = run(&dir, "lint --quiet m.pml");
        assert_eq!(code, 2, "{name}");
        assert!(stdout.contains("it is not a file") || stdout.contains("no such file"), "{name}: {stdout}");
    }
}

/// Trails come from files that may have been changed: whatever is in them, a replay ends with a report or an error message.
#[test]
fn broken_trails_are_told() {
    let model = "mtype = { go }; chan c = [1] of { mtype, byte }; chan r = [0] of { byte }; byte x;
        proctype P(byte id) { c!go(id); atomic { x++; r?_ } }
        active proctype S() { byte v; run P(3); do :: c?go(v) -> r!v :: x < 2 -> x++; run P(1) od }
        ltl l { [] <> (x == 0) }";
    let dir = folder("broken-trails", &format!("{model}\nltl s {{ [] (x < 2) }}"));
    assert_eq!(run(&dir, "check --quiet --trail t.json m.pml").0, 1);
    let front = ferrospin::front::read_path(&dir.join("m.pml"), &ferrospin::front::Options::default()).unwrap();
    let runnable = ferrospin::run::prepare(&front).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n as u64) as usize
    };
    let (mut replayed, mut refused) = (0, 0);
    let trails: Vec<Vec<u8>> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    assert!(trails.len() >= 2, "one trail for each formula");
    for round in 0..2000 {
        let mut bytes = trails[round % trails.len()].clone();
        for _ in 0..1 + round % 3 {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] ^= 1 << below(8),
                // Another number, where there is one.
                1 | 2 => {
                    let digits: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).collect();
                    let at = digits[below(digits.len())];
                    let other = ["0", "1", "7", "255", "4294967295", "null", "-1", "18446744073709551615"][below(8)];
                    bytes.splice(at..=at, other.bytes());
                }
                // Steps that are lost, repeated or changed in their order.
                _ => {
                    let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                    let (from, to) = (below(lines.len()), below(lines.len()));
                    match below(3) {
                        0 => _ = lines.remove(from),
                        1 => lines.swap(from, to),
                        _ => lines.insert(to, lines[from].clone()),
                    }
                    bytes = lines.join(&b'\n');
                }
            }
        }
        let told = ferrospin_trace::Trail::from_json(&String::from_utf8_lossy(&bytes))
            .map_err(|e| e.to_string())
            .and_then(|trail| {
                ferrospin::trails::defines(&trail);
                let subject = ferrospin::subject::Promela::new(&front, &runnable);
                let again = ferrospin::trails::replay(&subject, &trail).map_err(|why| why.to_string())?;
                // What was stored is told as well: by steps, as charts, for SPIN, and as data.
                for trail in [&trail, &again] {
                    ferrospin_trace::story::steps(trail, ferrospin_trace::story::Style::default());
                    ferrospin_trace::story::ending(trail);
                    let chart = ferrospin_trace::chart::Chart::new(trail);
                    ferrospin_trace::chart_text::draw(&chart);
                    ferrospin_trace::chart_svg::draw(&chart);
                    let _ = ferrospin_trace::spin::write(trail, Some(1));
                    assert!(ferrospin_trace::Trail::from_json(&trail.to_json()).is_ok());
                }
                Ok(())
            });
        match told {
            Ok(()) => replayed += 1,
            Err(why) => {
                assert!(!why.is_empty());
                refused += 1;
            }
        }
    }
    assert!(replayed > 100 && refused > 500, "{replayed} replayed, {refused} refused");
}

/// Numbers at the ends of their ranges, files that are none, and text that is no model: an answer or a sentence, at once.
#[test]
fn odd_arguments_and_files_are_answered() {
    let dir = folder("odd", "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(false) od }");
    std::fs::create_dir(dir.join("folder")).unwrap();
    for (name, bytes) in [
        ("empty.pml", &b""[..]),
        ("nul.pml", b"byte x;\0\0active proctype P() { x = 1 }"),
        ("bom.pml", b"\xef\xbb\xbfbyte x;\r\nactive proctype P() { x = 1;\r\nassert(x == 1) }\r\n"),
        ("latin.pml", b"/* caf\xe9 */ active proctype P() { printf(\"\xe9\\n\") }"),
    ] {
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    let most = u64::MAX;
    let check = "check --no-trail --quiet";
    for (args, code, said) in [
        (format!("{check} --threads {most} m.pml"), 2, "expected a number from 1 to 1024"),
        (format!("{check} --threads 1025 m.pml"), 2, "expected a number from 1 to 1024"),
        (format!("{check} --depth-limit {most} m.pml"), 1, "assertion violated"),
        (format!("{check} --depth-limit 0 m.pml"), 1, "assertion violated"),
        (format!("{check} --max-errors {most} m.pml"), 1, "assertion violated"),
        (format!("{check} --seed {most} --store bitstate m.pml"), 1, "assertion violated"),
        (format!("{check} --seed {most} --walk --depth-limit {most} m.pml"), 1, "assertion violated"),
        (format!("{check} --time-limit {most} m.pml"), 1, "assertion violated"),
        (format!("{check} --memory-limit 1 m.pml"), 3, "the memory limit was reached"),
        (format!("{check} --store bitstate --expect-states {most} --memory-limit 64M m.pml"), 1, "assertion violated"),
        (format!("{check} --store bitstate --expect-states 0 m.pml"), 1, "assertion violated"),
        (format!("{check} --store hash-compact --expect-states {most} m.pml"), 1, "assertion violated"),
        (format!("{check} --under A --under-budget 0 --ltl [](x<2) m.pml"), 1, "the formula fails"),
        (format!("simulate --steps {most} --seed {most} m.pml"), 1, "assertion violated"),
        ("check folder".into(), 2, "cannot read `folder`: Is a directory"),
        ("replay folder".into(), 2, "cannot read `folder.trail.json`"),
        ("check --resume folder m.pml".into(), 2, "it is no checkpoint file"),
        ("check --resume /dev/zero m.pml".into(), 2, "it is no checkpoint file"),
        ("check --checkpoint folder m.pml".into(), 2, "it is a folder"),
        ("check --checkpoint /dev/null m.pml".into(), 2, "it is not a file"),
        ("check empty.pml".into(), 2, "the model is empty"),
        ("simulate /dev/null".into(), 2, "the model is empty"),
        ("check -".into(), 2, "the model is empty"),
        ("check nul.pml".into(), 0, "holds"),
        ("check bom.pml".into(), 0, "holds"),
        ("simulate --seed 1 latin.pml".into(), 0, "\u{fffd}"),
    ] {
        let (got, stdout, stderr) = run(&dir, &args);
        assert_eq!(got, code, "{args}: {stdout}{stderr}");
        assert!((stdout.clone() + &stderr).contains(said), "{args}: {stdout}{stderr}");
        assert!(!stderr.contains("panicked"), "{args}: {stderr}");
    }
}

/// Who stops reading, and who has closed the outputs, gets the exit code all the same.
#[test]
fn closed_outputs_change_no_exit_code() {
    let dir = folder(
        "closed",
        "byte x; active proctype P() { do :: x < 200 -> x++; printf(\"%d\\n\", x) :: x == 200 -> assert(false) od }",
    );
    let shell = |line: &str| {
        let line = line.replace("ferrospin", &format!("'{}'", env!("CARGO_BIN_EXE_ferrospin")));
        let output = Command::new("sh").args(["-c", &line]).current_dir(&dir).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (line, code) in [
        ("ferrospin check m.pml >&-", 1),
        ("ferrospin check m.pml >&- 2>&-", 1),
        ("ferrospin replay m.pml 2>&-", 0),
        ("ferrospin simulate --seed 1 m.pml >&-", 1),
        ("(ferrospin simulate --seed 1 m.pml; echo $? >code) | exit 0; exit $(cat code)", 1),
        ("(ferrospin replay m.pml; echo $? >code) | exit 0; exit $(cat code)", 0),
    ] {
        let (got, stderr) = shell(line);
        assert_eq!(got, Some(code), "{line}: {stderr}");
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
    }
    if Path::new("/dev/full").exists() {
        let (got, stderr) = shell("ferrospin check m.pml >/dev/full");
        assert_eq!(
            (got, &stderr[..]),
            (Some(2), "error: cannot write to standard output: No space left on device (os error 28)\n")
        );
    } else {
        ferrospin_testkit::skip::skip("hostile: a full device", "there is no /dev/full");
    }
}
