//! `simulate`, `replay` and the counterexamples of `check`, as users meet them.
//!
//! What SPIN prints for the deterministic models was recorded with `spin -n1 -T`, so that no SPIN is needed here.

use expect_test::{Expect, expect};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A model with buffered messages, a handshake, a process started later, and an assertion that can fail.
const ACKED: &str = r#"mtype = { req, ack };
chan q = [2] of { mtype, byte };
chan r = [0] of { mtype };
byte turn; bool flag[2];
proctype P(byte id) {
  byte n;
  do
  :: n < 2 -> q!req(n); n++; flag[id] = true
  :: n == 2 -> break
  od;
  r?ack;
  assert(turn == 0)
}
active proctype S() {
  byte v;
  run P(1);
  do
  :: q?req(v) -> turn = v
  :: v == 1 -> printf("ready with %d\n", v); r!ack; break
  od
}
"#;

fn semantics() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/tests/semantics")
}

/// A folder of its own for one test, with a model `m.pml` in it.
fn folder(test: &str, model: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulate").join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("m.pml"), model).unwrap();
    path
}

fn run_with(dir: &Path, args: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(args.split_whitespace())
        .current_dir(dir)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input closes it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn shown(output: &Output) -> String {
    let mut text = format!("exit code {}\n", output.status.code().unwrap());
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            text += &format!("--- {name}\n{}", String::from_utf8_lossy(bytes));
        }
    }
    text
}

fn check(dir: &Path, args: &str, expected: Expect) {
    expected.assert_eq(&shown(&run_with(dir, args, "")));
}

fn check_input(dir: &Path, args: &str, input: &str, expected: Expect) {
    expected.assert_eq(&shown(&run_with(dir, args, input)));
}

/// Runs `check` on the model of a folder, which has a mistake.
fn find(dir: &Path) {
    let output = run_with(dir, "check --safety -q m.pml", "");
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
}

fn json(dir: &Path, args: &str) -> Value {
    let output = run_with(dir, args, "");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", shown(&output)))
}

#[test]
fn deterministic_runs_print_what_spin_prints() {
    let names = [
        "sim_assert",
        "sim_blocked",
        "sim_chan",
        "sim_for",
        "sim_hello",
        "sim_inline",
        "sim_loop",
        "sim_mtype",
        "sim_run",
        "sim_rv",
        "sim_timeout",
        "sim_typedef",
        "sim_unless",
        "sim_unless_nested",
        "sim_values",
    ];
    for name in names {
        for seed in 1..4 {
            let output = run_with(&semantics(), &format!("simulate -q -T --seed {seed} {name}.pml"), "");
            let recorded = std::fs::read_to_string(semantics().join(format!("sim/{name}.txt"))).unwrap();
            // Messages about mistakes are ours, and go to standard error.
            let expected: String =
                recorded.lines().filter(|l| !l.starts_with("spin:")).map(|l| format!("{l}\n")).collect();
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}, seed {seed}");
        }
    }
}

#[test]
fn differences_from_spins_simulator() {
    // A bad index ends the run; SPIN drops the write and goes on.
    check(
        &semantics(),
        "simulate -q -T --seed 1 sim_index.pml",
        expect![[r#"
        exit code 1
        --- stdout
        #processes: 1
        		a[0] = 0
        		a[1] = 0
        		a[2] = 0
        		i = 3
          1:	proc  0 (:init::1) sim_index.pml:3 (state 1)
        1 process created
        --- stderr
        sim_index.pml:3:8: index 3 is outside the array of 3
    "#]],
    );
    // A sorted send compares before it cuts, as in the verifier.
    check(
        &semantics(),
        "simulate -q -T --seed 1 sim_sorted.pml",
        expect![[r#"
        exit code 0
        --- stdout
        3
        1 process created
    "#]],
    );
    check(
        &semantics(),
        "simulate -q -T --seed 1 sim_values.pml",
        expect![[r#"
        exit code 0
        --- stdout
        44 -25536 1 -2147483648
        -3 -1 -4
        1 process created
        --- stderr
        sim_values.pml:3: the value 300 does not fit, 44 is stored
        sim_values.pml:3: the value 40000 does not fit, -25536 is stored
        sim_values.pml:3: the value 3 does not fit, 1 is stored
    "#]],
    );
    check(
        &semantics(),
        "simulate -q -T --seed 1 sim_assert.pml",
        expect![[r#"
        exit code 1
        --- stdout
        before
        #processes: 1
        		x = 1
          3:	proc  0 (:init::1) sim_assert.pml:3 (state 3)
        1 process created
        --- stderr
        sim_assert.pml:3:35: assertion violated: assert(x == 2)
    "#]],
    );
}

#[test]
fn what_is_printed_stands_under_its_process() {
    check(
        &semantics(),
        "simulate -q --seed 1 sim_rv.pml",
        expect![[r#"
        exit code 0
        --- stdout
                  got 1
                  got 2
                  got 3
        2 processes created
    "#]],
    );
}

#[test]
fn statements_values_and_messages() {
    let dir = folder("statements", ACKED);
    check(
        &dir,
        "simulate -q --seed 3 --statements --globals --locals --messages m.pml",
        expect![[r#"
        exit code 1
        --- stdout
          1:	S[0] m.pml:16	[run P(1)]
          1:	P[1] starts
        		P[1].id = 1
          2:	P[1] m.pml:8	[n < 2]
          3: P[1] sends req,0 to q
          3:	P[1] m.pml:8	[q!req(n)]
        		q = [req,0]
          4:	P[1] m.pml:8	[n++]
        		P[1].n = 1
          5:	P[1] m.pml:8	[flag[id] = true]
        		flag[1] = true
          6: S[0] receives req,0 from q
          6:	S[0] m.pml:18	[q?req(v)]
        		q = empty
          7:	P[1] m.pml:8	[n < 2]
          8:	S[0] m.pml:18	[turn = v]
          9: P[1] sends req,1 to q
          9:	P[1] m.pml:8	[q!req(n)]
        		q = [req,1]
         10:	P[1] m.pml:8	[n++]
        		P[1].n = 2
         11: S[0] receives req,1 from q
         11:	S[0] m.pml:18	[q?req(v)]
        		q = empty
        		S[0].v = 1
         12:	S[0] m.pml:18	[turn = v]
        		turn = 1
         13:	S[0] m.pml:19	[v == 1]
         14:	P[1] m.pml:8	[flag[id] = true]
              ready with 1
         15:	S[0] m.pml:19	[printf("ready with %d\n", v)]
         16:	P[1] m.pml:9	[n == 2]
         17: S[0] passes ack to P[1] on r
         17:	S[0] m.pml:19	[r!ack]
         17:	P[1] m.pml:11	[r?ack]
         18:	P[1] m.pml:12	[assert(turn == 0)]
        #processes: 2
        		queue 1 (q): 
        		turn = 1
        		flag[0] = 0
        		flag[1] = 1
         18:	proc  1 (P:1) m.pml:12 (state 11)
        		P(1):id = 1
        		P(1):n = 2
         18:	proc  0 (S:1) m.pml:21 (state 11) <valid end state>
        		S(0):v = 1
        2 processes created
        --- stderr
        m.pml:12:3: assertion violated: assert(turn == 0)
    "#]],
    );
}

#[test]
fn a_seed_is_a_run() {
    let dir = folder("seed", ACKED);
    let run = |seed: u64| run_with(&dir, &format!("simulate -q -s --seed {seed} m.pml"), "").stdout;
    assert_eq!(run(1), run(1));
    assert!((2..20).any(|seed| run(seed) != run(1)));
    let output = run_with(&dir, "simulate m.pml", "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("seed "), "{}", shown(&output));
}

#[test]
fn steps_are_limited() {
    let dir = folder("steps", "byte x; active proctype A() { do :: x = 1 - x od }\n");
    check(
        &dir,
        "simulate -q --seed 1 --steps 5 m.pml",
        expect![[r#"
        exit code 0
        --- stdout
        -------------
        depth-limit (--steps 5) reached
        #processes: 1
        		x = 1
          5:	proc  0 (A:1) m.pml:1 (state 2)
        1 process created
    "#]],
    );
}

#[test]
fn characters_come_from_standard_input() {
    let model =
        "chan STDIN;\ninit { int c; do :: STDIN?c -> if :: c == -1 -> break :: else -> printf(\"%c\", c) fi od }\n";
    let dir = folder("stdin", model);
    check_input(
        &dir,
        "simulate -q -T --seed 1 m.pml",
        "abc",
        expect![[r#"
        exit code 0
        --- stdout
        abc1 process created
    "#]],
    );
}

#[test]
fn by_hand() {
    let dir = folder("interactive", ACKED);
    let typed = "1\n1\nshow\nb\njump 2\nr2\nback 9\n?\nx\n77\nq\n";
    check_input(
        &dir,
        "simulate --interactive --seed 3 m.pml",
        typed,
        expect![[r#"
            exit code 0
            --- stdout
            type a number to choose a move, ? for help
              1  S[0]  m.pml:16  run P(1)  {P[1].id = 1, P[1] starts}
            >   1:	S[0] m.pml:16	[run P(1)]
              1:	P[1] starts
              1  P[1]  m.pml:8  n < 2
            >   2:	P[1] m.pml:8	[n < 2]
              1  P[1]  m.pml:8  q!req(n)  {q: empty -> [req,0]}
            > S[0]  m.pml:17  do :: q?req(v) -> turn = v :: v == 1 -> printf("ready with %d\n", v); r…
            P[1]  m.pml:8  q!req(n)
                turn = 0
                flag[0] = false
                flag[1] = false
                q = empty
                S[0].v = 0
                P[1].id = 1
                P[1].n = 0
            last step:
              2  P[1]      line 8  n < 2
            > at step 1
              1  P[1]  m.pml:8  n < 2
            >   2:	P[1] m.pml:8	[n < 2]
            at step 2
              1  P[1]  m.pml:8  q!req(n)  {q: empty -> [req,0]}
            >   3:	P[1] m.pml:8	[q!req(n)]
              4:	S[0] m.pml:18	[q?req(v)]
              1  S[0]  m.pml:18  turn = v
              2  P[1]  m.pml:8  n++  {P[1].n: 0 -> 1}
            > at step 0
              1  S[0]  m.pml:16  run P(1)  {P[1].id = 1, P[1] starts}
            > N      take move N of the list
              r [N]  take N moves at random, 1 without a number
              u [N]  undo N steps, 1 without a number (also `b`)
              g N    go to step N: back, or forward again along what was taken before (also `j`)
              w EXPR watch a variable or a proposition: it is told after each step, and whenever it changes; `w` alone lists what is watched, `w -` ends it
              s      show the state
              l      list the moves again
              ?      this help
              q      end the run
            Whole words (`random`, `undo`, `go`, `watch`, `show`, `list`, `quit`) are understood, too.
            > there is no move `x`; ? for help
            > there is no move `77`; ? for help
            > #processes: 1
            		queue 1 (q): 
            		turn = 0
            		flag[0] = 0
            		flag[1] = 0
              0:	proc  0 (S:1) m.pml:16 (state 1)
            1 process created
        "#]],
    );
}

#[test]
fn charts() {
    let dir = folder("charts", ACKED);
    check(
        &dir,
        "simulate -q --seed 3 --chart text m.pml",
        expect![[r#"
            exit code 1
            --- stdout
                 S[0]
              1  |-------run------>P[1]
              3  |                 | q!req,0 (1)
              5  |                 | flag[1] = true
              6  | q?req,0 (1)     |
              9  |                 | q!req,1 (2)
             11  | q?req,1 (2)     |
             12  | turn = 1        |
             15  | "ready with 1"  |
             17  |------r!ack----->|
                 assertion violated: assert(turn == 0)
            --- stderr
            m.pml:12:3: assertion violated: assert(turn == 0)
        "#]],
    );
    let output = run_with(&dir, "simulate -q --seed 3 --chart svg=run.svg m.pml", "");
    assert!(!output.stdout.is_empty(), "the listing is still printed");
    let svg = std::fs::read_to_string(dir.join("run.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("url(#blue)").count(), 2, "two buffered messages are received");
    assert_eq!(svg.matches("url(#green)").count(), 1, "one handshake");
    check(
        &dir,
        "simulate -q --seed 3 --chart png m.pml",
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value 'png' for '--chart <KIND[=FILE]>': expected `text` or `svg`, possibly with `=FILE`

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_run_as_data() {
    let dir = folder("data", ACKED);
    let run = json(&dir, "simulate -q --seed 3 --format json m.pml");
    let keys: Vec<_> = run.as_object().unwrap().keys().map(String::as_str).collect();
    expect!["ferrospin schema model fingerprint options property violation loop_start start steps standing values"]
        .assert_eq(&keys.join(" "));
    expect![[r#"
        {
          "move": {
            "process": 1,
            "edge": 6
          },
          "act": {
            "process": {
              "number": 1,
              "name": "P"
            },
            "location": {
              "file": "m.pml",
              "line": 8,
              "column": 25
            },
            "statement": "n++",
            "spin": 2
          },
          "changes": [
            {
              "process": 1,
              "name": "P[1].n",
              "before": "0",
              "after": "1"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&run["steps"][3]).unwrap());
}

#[test]
fn a_counterexample_is_told_and_written() {
    let dir = folder("told", ACKED);
    let output = run_with(&dir, "check --safety m.pml", "");
    let text = String::from_utf8_lossy(&output.stdout);
    // The first line has times.
    let behind = format!("behind the first line\n{}", text.split_once('\n').unwrap().1);
    expect![[r#"
        behind the first line
            m.pml:12:3: assertion violated, after 18 steps
              1  S[0]  line 16  run P(1)                      P[1].id = 1
                 P[1] starts
              2  P[1]  line 8   n < 2
              3  P[1]  line 8   q!req(n)                      q: empty -> [req,0]
              4  P[1]  line 8   n++                           P[1].n: 0 -> 1
              5  P[1]  line 8   flag[id] = true               flag[1]: false -> true
              6  P[1]  line 8   n < 2
              7  P[1]  line 8   q!req(n)                      q: [req,0] -> [req,0] [req,1]
              8  P[1]  line 8   n++                           P[1].n: 1 -> 2
              9  P[1]  line 8   flag[id] = true
             10  P[1]  line 9   n == 2
             11  S[0]  line 18  q?req(v)                      q: [req,0] [req,1] -> [req,1]
             12  S[0]  line 18  turn = v
             13  S[0]  line 18  q?req(v)                      q: [req,1] -> empty, S[0].v: 0 -> 1
             14  S[0]  line 18  turn = v                      turn: 0 -> 1
             15  S[0]  line 19  v == 1
             16  S[0]  line 19  printf("ready with %d\n", v)
                 | ready with 1
             17  S[0]  line 19  r!ack
                 P[1]  line 11  r?ack
             18  P[1]  line 12  assert(turn == 0)
                 ! assertion violated
            why: turn = 1
            counterexample: m.pml.trail.json
    "#]]
    .assert_eq(&behind);
    assert!(dir.join("m.pml.trail.json").exists());
    std::fs::remove_file(dir.join("m.pml.trail.json")).unwrap();
    let report = json(&dir, "check --safety --format json --trail other.json m.pml");
    assert_eq!(report["properties"][0]["trail"], "other.json");
    assert!(dir.join("other.json").exists());
    let report = json(&dir, "check --safety --format json --no-trail m.pml");
    assert!(report["properties"][0]["trail"].is_null());
    assert!(!dir.join("m.pml.trail.json").exists());
}

#[test]
fn a_trail_that_cannot_be_written_loses_nothing() {
    let dir = folder("unwritable", ACKED);
    let name = format!("{}.json", "n".repeat(300));
    let output = run_with(&dir, &format!("check --safety --trail {name} m.pml"), "");
    assert_eq!(output.status.code(), Some(1));
    let text = shown(&output);
    assert!(text.contains("cannot write `nnn") && text.contains("assertion violated"), "{text}");
}

#[test]
fn a_trail_without_a_folder_is_refused_before_the_search() {
    let dir = folder("no_folder", ACKED);
    let output = run_with(&dir, "check --safety --trail no/such/folder.json m.pml", "");
    assert_eq!(output.status.code(), Some(2));
    let text = shown(&output);
    assert!(text.contains("cannot write `no/such/folder.json`: there is no folder `no/such`"), "{text}");
}

#[test]
fn replay_shows_each_step() {
    let dir = folder("replay", ACKED);
    find(&dir);
    check(
        &dir,
        "replay m.pml",
        expect![[r#"
            exit code 0
            --- stdout
              1  S[0]  line 16  run P(1)                      P[1].id = 1
                 P[1] starts
              2  P[1]  line 8   n < 2
              3  P[1]  line 8   q!req(n)                      q: empty -> [req,0]
              4  P[1]  line 8   n++                           P[1].n: 0 -> 1
              5  P[1]  line 8   flag[id] = true               flag[1]: false -> true
              6  P[1]  line 8   n < 2
              7  P[1]  line 8   q!req(n)                      q: [req,0] -> [req,0] [req,1]
              8  P[1]  line 8   n++                           P[1].n: 1 -> 2
              9  P[1]  line 8   flag[id] = true
             10  P[1]  line 9   n == 2
             11  S[0]  line 18  q?req(v)                      q: [req,0] [req,1] -> [req,1]
             12  S[0]  line 18  turn = v
             13  S[0]  line 18  q?req(v)                      q: [req,1] -> empty, S[0].v: 0 -> 1
             14  S[0]  line 18  turn = v                      turn: 0 -> 1
             15  S[0]  line 19  v == 1
             16  S[0]  line 19  printf("ready with %d\n", v)
                 | ready with 1
             17  S[0]  line 19  r!ack
                 P[1]  line 11  r?ack
             18  P[1]  line 12  assert(turn == 0)
                 ! assertion violated
            m.pml:12:3: assertion violated, after 18 steps
            why: turn = 1
                S[0] at m.pml:21: end of the process  (it may stop here)
                P[1] at m.pml:13: end of the process  (it may stop here)
                turn = 1
                flag[0] = false
                flag[1] = true
                q = empty
                S[0].v = 1
                P[1].id = 1
                P[1].n = 2
        "#]],
    );
    check(
        &dir,
        "replay --chart text m.pml",
        expect![[r#"
            exit code 0
            --- stdout
                 S[0]
              1  |-------run------>P[1]
              3  |                 | q!req,0 (1)
              5  |                 | flag[1] = true
              7  |                 | q!req,1 (2)
             11  | q?req,0 (1)     |
             13  | q?req,1 (2)     |
             14  | turn = 1        |
             16  | "ready with 1"  |
             17  |------r!ack----->|
                 assertion violated
        "#]],
    );
    let again = json(&dir, "replay --format json m.pml");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("m.pml.trail.json")).unwrap()).unwrap();
    assert_eq!(again, written);
}

#[test]
fn a_deadlock_at_once_has_no_steps() {
    let dir = folder("initial", "byte x;\nactive proctype A() { x == 1 }\n");
    find(&dir);
    check(
        &dir,
        "replay m.pml",
        expect![[r#"
            exit code 0
            --- stdout
            m.pml:2:23: invalid end state: no process can move, and not all are at an end, after 0 steps
            why nothing can move:
              A[0] at m.pml:2: x == 1: it is false: x = 0; no process can change that
                A[0] at m.pml:2: x == 1
                x = 0
        "#]],
    );
}

#[test]
fn a_trail_knows_how_its_model_was_read() {
    let dir = folder("defines", "#ifndef N\n#define N 1\n#endif\nactive [N] proctype A() { assert(_pid < 2) }\n");
    assert_eq!(run_with(&dir, "check -q --safety -DN=3 m.pml", "").status.code(), Some(1));
    assert_eq!(run_with(&dir, "replay m.pml", "").status.code(), Some(0));
    check(
        &dir,
        "replay -DN=4 m.pml",
        expect![[r#"
        exit code 2
        --- stderr
        error: `m.pml.trail.json` cannot be replayed: the trail does not fit `m.pml`: it was made from `m.pml` with -DN=3 by version 0.1.0; the model has changed since, or was read with other options
    "#]],
    );
}

#[test]
fn a_trail_of_another_model_is_recognised() {
    let dir = folder("other", ACKED);
    find(&dir);
    let commented = format!("/* a comment changes nothing */ {ACKED}");
    std::fs::write(dir.join("m.pml"), commented).unwrap();
    assert_eq!(run_with(&dir, "replay m.pml", "").status.code(), Some(0));
    std::fs::write(dir.join("m.pml"), ACKED.replace("n < 2", "n < 1")).unwrap();
    check(
        &dir,
        "replay m.pml",
        expect![[r#"
        exit code 2
        --- stderr
        error: `m.pml.trail.json` cannot be replayed: the trail does not fit `m.pml`: it was made from `m.pml` by version 0.1.0; the model has changed since, or was read with other options
    "#]],
    );
    check(
        &dir,
        "simulate --trail m.pml.trail.json m.pml",
        expect![[r#"
        exit code 2
        --- stderr
        error: the trail does not fit `m.pml`: it was made from `m.pml` by version 0.1.0; the model has changed since, or was read with other options
    "#]],
    );
    std::fs::write(dir.join("n.pml"), "init { skip }\n").unwrap();
    check(
        &dir,
        "replay n.pml m.pml.trail.json",
        expect![[r#"
        exit code 2
        --- stderr
        error: `m.pml.trail.json` cannot be replayed: the trail does not fit `n.pml`: it was made from `m.pml` by version 0.1.0; that is another model
    "#]],
    );
    std::fs::write(dir.join("bad.json"), "{\"schema\": 99}").unwrap();
    check(
        &dir,
        "replay m.pml bad.json",
        expect![[r#"
        exit code 2
        --- stderr
        error: cannot read `bad.json` as a trail: it has version 99 of the trail format, this program reads version 1
    "#]],
    );
    std::fs::write(dir.join("bad.json"), "no").unwrap();
    check(
        &dir,
        "replay m.pml bad.json",
        expect![[r#"
        exit code 2
        --- stderr
        error: cannot read `bad.json` as a trail: it is not JSON: expected ident at line 1 column 2
    "#]],
    );
    check(
        &dir,
        "replay n.pml",
        expect![[r#"
        exit code 2
        --- stderr
        error: cannot read `n.pml.trail.json`: No such file or directory
    "#]],
    );
}

#[test]
fn a_simulation_along_a_trail() {
    let dir = folder("guided", ACKED);
    find(&dir);
    check(
        &dir,
        "simulate --trail m.pml.trail.json m.pml",
        expect![[r#"
        exit code 1
        --- stdout
              ready with 1
        trail ends after 18 steps
        #processes: 2
        		queue 1 (q): 
        		turn = 1
        		flag[0] = 0
        		flag[1] = 1
         18:	proc  1 (P:1) m.pml:12 (state 11)
         18:	proc  0 (S:1) m.pml:21 (state 11) <valid end state>
        2 processes created
        --- stderr
        m.pml:12:3: assertion violated: assert(turn == 0)
    "#]],
    );
}

#[test]
fn a_simulation_can_be_replayed() {
    let dir = folder("recorded", ACKED);
    run_with(&dir, "simulate -q --seed 3 --write-trail run.json m.pml", "");
    let run = json(&dir, "simulate -q --seed 3 --format json m.pml");
    let again = json(&dir, "replay --format json m.pml run.json");
    assert_eq!(run["steps"], again["steps"]);
}

#[test]
fn spin_reads_our_trails() {
    // Replayed once with `spin -t -p m.pml`, which reports the same assertion behind the same steps.
    let dir = folder("spin", ACKED);
    find(&dir);
    run_with(&dir, "replay -q --spin-trail m.pml.trail m.pml", "");
    expect![[r#"
        0:0:12
        1:1:0
        2:1:1
        3:1:2
        4:1:3
        5:1:0
        6:1:1
        7:1:2
        8:1:3
        9:1:4
        10:0:13
        11:0:14
        12:0:13
        13:0:14
        14:0:15
        15:0:16
        16:0:17
        17:1:9
        18:1:10
    "#]]
    .assert_eq(&std::fs::read_to_string(dir.join("m.pml.trail")).unwrap());
}
