//! The program as users meet it: arguments, exit codes, standard output and standard error.

use expect_test::{Expect, expect};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn ferrospin() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
    command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS");
    command
}

fn run(args: &[&str]) -> Output {
    ferrospin().args(args).output().unwrap()
}

/// The exit code and both outputs of a run, as one text.
fn shown(output: &Output) -> String {
    let code = output.status.code().map_or("killed".into(), |code| code.to_string());
    let mut text = format!("exit code {code}\n");
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            text += &format!("--- {name}\n{}", String::from_utf8_lossy(bytes));
        }
    }
    text
}

fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&shown(&run(args)));
}

/// Runs with a model on standard input.
fn run_on(args: &[&str], model: &str) -> Output {
    let mut child =
        ferrospin().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(model.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// A folder of its own for one test, empty.
fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn json(output: &Output) -> Value {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
}

const GOOD: &str = "active proctype P() { byte x; x = 1; assert(x == 1) }\n";
const BROKEN: &str = "active proctype P() { byte x; x = }\n";

#[test]
fn version() {
    check(
        &["--version"],
        expect![[r#"
        exit code 0
        --- stdout
        ferrospin 0.1.0
    "#]],
    );
}

#[test]
fn help() {
    check(
        &["--help"],
        expect![[r#"
            exit code 0
            --- stdout
            A model checker for concurrent systems written in Promela.

            Ferrospin reads models of communicating processes in Promela, the language of SPIN, finds mistakes
            in their text, and checks whether every possible run keeps what the model states.

            Usage: ferrospin <COMMAND>

            Commands:
              check        Check whether every run of a model keeps what the model states
              simulate     Run a model once: at random, by hand, or along a trail
              spin         Behave as SPIN's `spin` does, with its options (also when called by that name)
              replay       Show a counterexample step by step
              lint         Look for type and usage errors, without a search
              ltl          Translate formulas of linear temporal logic into automata, and answer questions about
                           them
              graph        Draw the process graphs of a model
              compare      Compare the behaviour of two systems
              minimise     Make the smallest system that behaves like this one
              translate    Write a system in another form
              assume       Prove a safety property part by part, by assumptions that are learned
              bound        Ask whether channels can grow for ever
              compose      Build a system part by part
              certify      Check a certificate again
              completions  Print a script that makes a shell complete subcommands and options
              test         Check models against the expectations they state
              explain      Explain the code of a message, such as `undeclared`
              man          Print a manual page, for `man`
              new          Write a commented model to start from
              help         Print this message or the help of the given subcommand(s)

            Options:
              -h, --help
                      Print help (see a summary with '-h')

              -V, --version
                      Print version

            Examples:
              ferrospin check model.pml              check all that the model states
              ferrospin lint model.pml               look for mistakes, without a search
              ferrospin check --help                 all options, with examples

            Exit codes:
              0  all properties hold
              1  some property is violated
              2  bad input or usage
              3  undecided within the limits
        "#]],
    );
}

#[test]
fn help_of_check() {
    check(
        &["check", "-h"],
        expect![[r#"
            exit code 0
            --- stdout
            Check whether every run of a model keeps what the model states

            Usage: ferrospin check [OPTIONS] <MODEL>

            Arguments:
              <MODEL>  The model; `-` reads standard input

            Options:
              -h, --help  Print help (see more with '--help')

            Preprocessor:
              -D <NAME[=VALUE]>         Define a macro; without a value it is 1
              -U <NAME>                 Undefine a macro
              -I <DIR>                  Look for included files in DIR too
                  --include-root <DIR>  Refuse to include files outside of DIR

            Semantics:
                  --lossy-channels  A send to a full channel can be executed, and its message is lost (SPIN's
                                    `-m`)
                  --allow-c         Embedded C that cannot be run here is compiled by the system's compiler
                                    (`CC`, `cc`) and run, unchecked

            Lints:
                  --allow <CODE>  Silence a lint; `all` means every one (repeatable)
                  --deny <CODE>   Make a lint an error that stops a check; `all` means every one (repeatable)
                  --strict-pid    A `pid` is no number
                  --lax-bool      Truth values may be used as numbers
                  --poly          A process type may be run with channels of different layouts

            Input:
                  --kind <KIND>  The language of the file [default: told by its ending]

            Security protocols:
                  --run <SESSIONS>   The sessions that run, such as `A=2,B=1` or `A(a)=2,B(b)` [default: those
                                     of the file, or one of each role]
                  --extra <N>        Up to N more sessions, of any role by any agent
                  --sessions <N>     All ways to run up to N sessions, beside one of each server
                  --intruder <HOW>   How the intruder opens messages: `full`, or `simple` where that is sound
                                     [default: chosen by the claims]
                  --secrecy <WHICH>  Which secrecy is checked: `generic` (nothing leaks later than it was made),
                                     `claim`, or `both` [default: both]
                  --watch <WHICH>    Which values are watched for leaks: `all` or `nonces` [default: all]
                  --untyped          A variable takes any atom and any ciphertext, whatever its type

            Properties:
                  --safety                  Check only assertions, invalid end states and run-time errors; leave
                                            out claims and ltl blocks
                  --ltl <NAME|FORMULA>      Check that ltl block or that formula (repeatable)
                  --acceptance              Look for acceptance cycles of the model's labels
                  --progress                Look for non-progress cycles
                  --check <LIST>            Further checks: values that an assignment cuts, statements that no
                                            run executes [possible values: overflow, unreachable]
                  --fair                    Weak fairness: a process that could move for ever does move
                  --ignore-assert           Failed assertions are no violations (SPIN's `pan -A`)
                  --ignore-end-states       Invalid end states are no violations (SPIN's `pan -E`)
                  --require-empty-channels  A valid end state also has empty channels (SPIN's `pan -q`)

            Search:
                  --search <ORDER>         Order of the search; the shortest counterexample comes from `bfs`
                                           [default: chosen by the program] [possible values: dfs, bfs]
                  --store <STORE>          How visited states are kept [default: chosen by the program]
                                           [possible values: exact, arena, tree, compact, collapse,
                                           hash-compact, bitstate, automaton]
                  --emptiness <SEARCH>     How cycles are looked for, by formulas, claims, acceptance and
                                           progress [default: auto] [possible values: auto, ndfs, couvreur,
                                           tau03, weak, testing, cndfs, ufscc]
                  --stutter-close[=<HOW>]  Close claims that may depend on stuttering, so that they can be
                                           reduced; `auto` (the default when only the name is given) checks the
                                           claim as it is where the closure has no answer, `report` says so
                                           instead [default: off] [possible values: off, auto, report]
                  --por <HOW>              Partial-order reduction, wherever it is sound; `on` leaves the choice
                                           of sets to the program [default: on] [possible values: off, on,
                                           ample, stubborn]
                  --por-proviso <RULE>     When a reduced set of moves is enough, for experiments: what a rule
                                           does not prove is not said to hold [default: auto] [possible values:
                                           auto, strict, weak, complete, level, queue, visited, none]
                  --no-optimize            No statement merging, no dead-value resetting
                  --plain                  No reduction, no statement merging, no dead-value resetting, exact
                                           store: the state count is that of SPIN's `spin -a -o1 -o2 -o3` and
                                           `cc -DNOREDUCE`
                  --threads <N>            Number of workers [default: all cores]
                  --shorten                Make a counterexample of a depth-first search as short as a
                                           breadth-first search finds it
                  --swarm <N>              Many differently seeded searches with a lossy store, each with its
                                           share of the memory; never says "holds"
                  --walk                   Random walks of `--depth-limit` steps (10,000 without) until the time
                                           limit or a violation; never says "holds"
                  --seed <N>               Seed of lossy stores, swarm and random walks [default: 0]
                  --bits <K>               Bits a state for `--store bitstate` [default: from memory and
                                           expected states, or 3]
                  --fingerprint <BITS>     Bits of a fingerprint for `--store hash-compact`, 4 to 64 [default:
                                           64]
                  --expect-states <N>      How many states are expected: lossy stores choose their parameters by
                                           it
                  --engine <ENGINE>        What executes the model [default: native] [possible values: native,
                                           interp, gpu, auto]
                  --self-check[=<N>]       Compare one state of N with the plain model, by the reference
                                           executor: a difference is an internal error, never a verdict [N, when
                                           only the name is given: 1000]

            Under-approximation:
                  --under <MODE>           Look for violations of formulas with a reduction that is too strong
                                           on purpose, and weaken it until it is exact [possible values:
                                           schedule, A, B]
                  --under-step <N|half>    How many moves become sensitive from round to round in `A` and `B`: a
                                           number, or `half` of those that are left [default: 1]
                  --under-order <ORDER>    Which moves become sensitive first: `file`, `dist` (nearest to the
                                           start of their process) or `random:SEED` [default: file]
                  --under-start <WHAT>     What is sensitive in the first round of `A` and `B` [default: empty]
                                           [possible values: empty, visible]
                  --under-max-iter <N>     Most rounds; then it is undecided
                  --under-budget <STATES>  No round begins when this many states were stored in all; then it is
                                           undecided

            Limits:
                  --max-errors <N>         Stop at the N-th violation that differs from those before in place or
                                           message, each with its own counterexample; 0 never stops and counts
                                           them all [default: 1]
                  --depth-limit <N>        Longest path to look at
                  --time-limit <DURATION>  Wall-clock time, such as `90s`, `10m` or `1h30m`
                  --memory-limit <SIZE>    Memory, such as `512M` or `8G` [default: the machine's memory]
                  --on-full <WHAT>         What to do when the memory limit is reached: stop with what is known,
                                           or go on with a lossy store and say so [default: stop] [possible
                                           values: stop, bitstate]
                  --checkpoint <FILE>      Keep a breadth-first search for safety in this file, level by level,
                                           so that `--resume` can go on with it
                  --resume <FILE>          Go on with the search of this checkpoint file

            Output:
                  --steps <all|changes|N>           Which steps of a counterexample are shown: `all`, those with
                                                    `changes`, or a number of them [default: 40]
              -v, --verbose                         Also tell how the searches went
                  --coverage <FILE.lcov|FILE.html>  Write what was executed to FILE, as `lcov` tracefile or
                                                    page, by its ending; looks at all moves
                  --advice <WHEN>                   What is asked beside the searches: whether `--fair` helps,
                                                    whether a formula holds only because its left side never
                                                    happens, what no run executes [default: auto] [possible
                                                    values: auto, full, none]
                  --trail <FILE>                    Where a counterexample goes [default: MODEL.trail.json]
                  --no-trail                        Write no counterexample
                  --overwrite                       Replace output files also where Ferrospin has not written
                                                    them; never the model, or what it includes
                  --format <FORMAT>                 How to print what was found [default: text] [possible
                                                    values: text, json]
              -q, --quiet                           Print only what cannot be left out
                  --color <WHEN>                    When to use colours [default: auto] [possible values: auto,
                                                    always, never]
                  --raw-output                      Send escape and other control characters of the model as
                                                    they are, instead of showing them

            Examples:
              ferrospin check model.pml                         all that the model states
              ferrospin check --safety -D N=5 model.pml         assertions and deadlocks only, with a macro set
              ferrospin check --ltl live --fair model.pml       one ltl block, under weak fairness
              ferrospin check --ltl '[] (req -> <> ack)' model.pml
                                                                a formula that the model does not have
              ferrospin check --search bfs model.pml            the shortest counterexample
              ferrospin check --store bitstate --memory-limit 8G model.pml
                                                                a state space that does not fit exactly
              ferrospin check --format json model.pml           for scripts

            Exit codes:
              0  all properties hold
              1  some property is violated
              2  bad input or usage
              3  undecided within the limits
        "#]],
    );
}

#[test]
fn help_of_lint() {
    check(
        &["lint", "-h"],
        expect![[r#"
            exit code 0
            --- stdout
            Look for type and usage errors, without a search

            Usage: ferrospin lint [OPTIONS] <MODEL>

            Arguments:
              <MODEL>  The model; `-` reads standard input

            Options:
                  --show-types        Print the inferred type of every channel
                  --suggest           Name statements in a row that could be `atomic` or `d_step` without
                                      changing any verdict
                  --why-not <ENGINE>  Tell what keeps the model from an engine [possible values: gpu]
              -h, --help              Print help (see more with '--help')

            Preprocessor:
              -D <NAME[=VALUE]>         Define a macro; without a value it is 1
              -U <NAME>                 Undefine a macro
              -I <DIR>                  Look for included files in DIR too
                  --include-root <DIR>  Refuse to include files outside of DIR

            Semantics:
                  --lossy-channels  A send to a full channel can be executed, and its message is lost (SPIN's
                                    `-m`)
                  --allow-c         Embedded C that cannot be run here is compiled by the system's compiler
                                    (`CC`, `cc`) and run, unchecked

            Lints:
                  --allow <CODE>  Silence a lint; `all` means every one (repeatable)
                  --deny <CODE>   Make a lint an error that stops a check; `all` means every one (repeatable)
                  --strict-pid    A `pid` is no number
                  --lax-bool      Truth values may be used as numbers
                  --poly          A process type may be run with channels of different layouts

            Output:
                  --format <FORMAT>  How to print what was found [default: text] [possible values: text, json]
              -q, --quiet            Print only what cannot be left out
                  --color <WHEN>     When to use colours [default: auto] [possible values: auto, always, never]
                  --raw-output       Send escape and other control characters of the model as they are, instead
                                     of showing them

            Examples:
              ferrospin lint model.pml                       all messages, with the source lines they are about
              ferrospin lint --show-types model.pml          also the inferred layout of every channel
              ferrospin lint --suggest model.pml             also statements that could be one step
              ferrospin lint --allow unused-label model.pml  without one sort of message
              ferrospin lint --format json model.pml         for editors and scripts

            In a model, `/* ferrospin: allow(unused-label) */` does the same as --allow: for the whole model
            when the comment has its line to itself, otherwise for its own line.

            Exit codes:
              0  nothing of error level
              1  lints of error level, in a model that can still be run
              2  the model cannot be read, or bad usage
        "#]],
    );
}

#[test]
fn usage_errors() {
    check(
        &[],
        expect![[r#"
            exit code 2
            --- stderr
            A model checker for concurrent systems written in Promela

            Usage: ferrospin <COMMAND>

            Commands:
              check        Check whether every run of a model keeps what the model states
              simulate     Run a model once: at random, by hand, or along a trail
              spin         Behave as SPIN's `spin` does, with its options (also when called by that name)
              replay       Show a counterexample step by step
              lint         Look for type and usage errors, without a search
              ltl          Translate formulas of linear temporal logic into automata, and answer questions about
                           them
              graph        Draw the process graphs of a model
              compare      Compare the behaviour of two systems
              minimise     Make the smallest system that behaves like this one
              translate    Write a system in another form
              assume       Prove a safety property part by part, by assumptions that are learned
              bound        Ask whether channels can grow for ever
              compose      Build a system part by part
              certify      Check a certificate again
              completions  Print a script that makes a shell complete subcommands and options
              test         Check models against the expectations they state
              explain      Explain the code of a message, such as `undeclared`
              man          Print a manual page, for `man`
              new          Write a commented model to start from
              help         Print this message or the help of the given subcommand(s)

            Options:
              -h, --help     Print help (see more with '--help')
              -V, --version  Print version

            Examples:
              ferrospin check model.pml              check all that the model states
              ferrospin lint model.pml               look for mistakes, without a search
              ferrospin check --help                 all options, with examples
        "#]],
    );
    check(
        &["chekc", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: unrecognized subcommand 'chekc'

          tip: a similar subcommand exists: 'check'

        Usage: ferrospin <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check"],
        expect![[r#"
        exit code 2
        --- stderr
        error: the following required arguments were not provided:
          <MODEL>

        Usage: ferrospin check <MODEL>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check", "--serach", "bfs", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: unexpected argument '--serach' found

          tip: a similar argument exists: '--search'

        Usage: ferrospin check --search <ORDER> <MODEL>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check", "--store", "exactly", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value 'exactly' for '--store <STORE>'
          [possible values: exact, arena, tree, compact, collapse, hash-compact, bitstate, automaton]

          tip: a similar value exists: 'exact'

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check", "--time-limit", "soon", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value 'soon' for '--time-limit <DURATION>': expected a duration such as `90s`, `10m` or `1h30m`

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check", "-D", "3x=1", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value '3x=1' for '-D <NAME[=VALUE]>': `3x` is not a name of a macro

        For more information, try '--help'.
    "#]],
    );
    check(
        &["check", "--plain", "--por", "on", "m.pml"],
        expect![[r#"
            exit code 2
            --- stderr
            error: `--plain` means no reduction: leave out `--por`, or leave out `--plain`
        "#]],
    );
    check(
        &["check", "--safety", "--ltl", "p", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: the argument '--safety' cannot be used with '--ltl <NAME|FORMULA>'

        Usage: ferrospin check --safety <MODEL>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn models_that_cannot_be_opened() {
    check(
        &["lint", "no-such.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: cannot read `no-such.pml`: No such file or directory
    "#]],
    );
    check(
        &["check", "no-such.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: cannot read `no-such.pml`: No such file or directory
    "#]],
    );
    check(
        &["lint", "models"],
        expect![[r#"
        exit code 2
        --- stderr
        error: cannot read `models`: Is a directory
    "#]],
    );
    let report = json(&run(&["check", "--format", "json", "no-such.pml"]));
    assert_eq!((&report["verdict"], &report["model"]), (&"error".into(), &"no-such.pml".into()));
    let said = &report["diagnostics"][0];
    assert_eq!((&said["code"], &said["location"]), (&"cannot-read".into(), &Value::Null));
    let report = json(&run(&["lint", "--format", "json", "no-such.pml"]));
    assert_eq!((&report["readable"], &report["errors"]), (&false.into(), &1.into()));
}

#[test]
fn a_good_model_has_nothing_to_lint() {
    check(
        &["lint", "models/peterson.pml"],
        expect![[r#"
        exit code 0
        --- stdout
        models/peterson.pml: 0 errors, 0 warnings
    "#]],
    );
    let output = run(&["lint", "--quiet", "models/tiny/assert.pml"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
}

#[test]
fn a_broken_model_stops_everything() {
    let output = run_on(&["lint", "-"], BROKEN);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("<stdin>:1:") && text.contains("error"), "{text}");

    let output = run_on(&["check", "--quiet", "-"], BROKEN);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("<stdin>:1:"), "errors are shown even when quiet");
}

#[test]
fn json_of_a_broken_model() {
    let output = run_on(&["check", "--format", "json", "-"], BROKEN);
    assert_eq!(output.status.code(), Some(2));
    let report = json(&output);
    expect!["ferrospin schema model verdict properties unreached coverage diagnostics"].assert_eq(&keys(&report));
    assert_eq!(report["schema"], 1);
    assert_eq!(report["model"], "<stdin>");
    assert_eq!(report["verdict"], "error");
    let said = &report["diagnostics"][0];
    assert_eq!(said["severity"], "error");
    assert_eq!(said["location"]["line"], 1);
    for key in ["code", "message"] {
        assert!(said[key].is_string(), "{said}");
    }
    expect!["file line column"].assert_eq(&keys(&said["location"]));
}

/// A model that SPIN accepts, with a lint of error level and with warnings.
const DOUBTFUL: &str = "\
mtype = { ack, nak };
chan c = [2] of { mtype, byte };
active proctype P() { c!ack }
active proctype Q() { c?ack,_ }
";

#[test]
fn lints() {
    expect![[r#"
        exit code 1
        --- stdout
        warning[unused-mtype]: mtype constant `nak` is never used
         --> <stdin>:1:16
          |
        1 | mtype = { ack, nak };
          |                ^^^

        error[chan-arity]: `c` is used with 1 field {mtype} here, but its messages have 2 fields: chan{mtype,byte}
         --> <stdin>:3:23
          |
        2 | chan c = [2] of { mtype, byte };
          |      - the layout is declared here
        3 | active proctype P() { c!ack }
          |                       ^^^^^ 1 field, not 2 fields

        <stdin>: 1 error, 1 warning
    "#]]
    .assert_eq(&shown(&run_on(&["lint", "-"], DOUBTFUL)));
    expect![[r#"
        exit code 0
        --- stdout
        warning[unused-mtype]: mtype constant `nak` is never used
         --> <stdin>:1:16
          |
        1 | mtype = { ack, nak };
          |                ^^^

        c : chan{mtype,byte}
        <stdin>: 0 errors, 1 warning
    "#]]
    .assert_eq(&shown(&run_on(&["lint", "--allow", "chan-arity", "--show-types", "-"], DOUBTFUL)));
}

#[test]
fn levels_decide_the_exit_code() {
    let lint = |args: &[&str]| run_on(&[&["lint", "-"], args].concat(), DOUBTFUL).status.code();
    assert_eq!(lint(&[]), Some(1));
    assert_eq!(lint(&["--allow", "chan-arity"]), Some(0));
    assert_eq!(lint(&["--allow", "all"]), Some(0));
    assert_eq!(lint(&["--allow", "chan-arity", "--deny", "unused-mtype"]), Some(1), "the model can still be run");
    check(
        &["lint", "--deny", "chan-arty", "m.pml"],
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value 'chan-arty' for '--deny <CODE>': there is no lint of that name; did you mean `chan-arity`?

        For more information, try '--help'.
    "#]],
    );
    let silenced = format!("/* ferrospin: allow(chan-arity, unused-mtype) */\n{DOUBTFUL}");
    assert_eq!(run_on(&["lint", "-"], &silenced).status.code(), Some(0));
}

#[test]
fn denied_lints_stop_a_check() {
    let output = run_on(&["check", "--deny", "unused-mtype", "--format", "json", "-"], DOUBTFUL);
    assert_eq!(output.status.code(), Some(2));
    let report = json(&output);
    assert_eq!(report["verdict"], "error");
    let codes: Vec<_> = report["diagnostics"].as_array().unwrap().iter().map(|d| d["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["unused-mtype", "chan-arity"]);
}

#[test]
fn json_of_lint() {
    let report = json(&run_on(&["lint", "--format", "json", "--show-types", "-"], DOUBTFUL));
    expect!["ferrospin schema model readable errors warnings diagnostics types"].assert_eq(&keys(&report));
    assert_eq!(report["readable"], true);
    assert_eq!((&report["errors"], &report["warnings"]), (&1.into(), &1.into()));
    assert_eq!(report["types"][0]["name"], "c");
    assert_eq!(report["types"][0]["type"], "chan{mtype,byte}");
}

#[test]
fn standard_input_is_a_model() {
    assert_eq!(run_on(&["lint", "-"], GOOD).status.code(), Some(0));
}

#[test]
fn macros_come_from_the_command_line_in_order() {
    let model = "#if defined(A) && A == 2\n#error two\n#endif\n";
    let code = |args: &[&str]| run_on(&[&["lint", "-"], args].concat(), &format!("{model}{GOOD}")).status.code();
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["-DA=2"]), Some(2));
    assert_eq!(code(&["-D", "A=1", "-D", "A=2"]), Some(2));
    assert_eq!(code(&["-DA=2", "-UA"]), Some(0));
    assert_eq!(code(&["-UA", "-DA=2"]), Some(2));
}

#[test]
fn includes_are_relative_to_the_model_or_in_given_folders() {
    let folder = folder("includes");
    std::fs::create_dir(folder.join("lib")).unwrap();
    std::fs::write(folder.join("lib/shared.h"), "byte shared = 1;\n").unwrap();
    let model = folder.join("m.pml");
    std::fs::write(&model, "#include \"shared.h\"\ninit { shared = 2; assert(shared == 2) }\n").unwrap();
    let lint = |dirs: &[&Path]| {
        let mut command = ferrospin();
        command.arg("lint").arg(&model);
        for dir in dirs {
            command.arg("-I").arg(dir);
        }
        command.output().unwrap().status.code()
    };
    assert_eq!(lint(&[]), Some(2));
    assert_eq!(lint(&[&folder.join("lib")]), Some(0));
    std::fs::copy(folder.join("lib/shared.h"), folder.join("shared.h")).unwrap();
    assert_eq!(lint(&[]), Some(0));
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("foreign").join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("h.h"), "byte shared = 1;\n").unwrap();
    let model = folder.join(OsStr::from_bytes(b"mod\xe8le.pml"));
    std::fs::write(&model, "#include \"h.h\"\ninit { shared = 2; assert(shared == 2) }\n").unwrap();
    let output = ferrospin().arg("lint").arg(&model).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

#[cfg(unix)]
#[test]
fn a_reader_may_stop_reading() {
    // The pipe is closed before the program writes: it must neither panic nor change its answer.
    let mut child =
        ferrospin().args(["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{}", shown(&output));
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("check") && script.contains("memory-limit"), "{shell}");
    }
    assert_eq!(run(&["completions", "vi"]).status.code(), Some(2));
}

#[test]
fn colours_only_when_wanted() {
    let colored = |when: &str| run_on(&["lint", "--color", when, "-"], BROKEN).stdout.contains(&0x1b);
    assert!(colored("always"));
    assert!(!colored("never"));
    assert!(!colored("auto"), "a pipe is no terminal");
}

#[test]
fn the_readme_tells_the_truth() {
    let readme = include_str!("../../../README.md");
    let output = run(&["check", "models/peterson.pml", "--no-trail"]);
    assert_eq!(output.status.code(), Some(0), "the first command succeeds");
    let text = String::from_utf8(output.stdout).unwrap();
    for line in text.lines() {
        // The last figure of a line is the time, which differs from run to run.
        let figures =
            line.rsplit_once(", ").filter(|(_, time)| time.ends_with(" s")).map_or(line, |(figures, _)| figures);
        assert!(readme.contains(figures), "README.md shows another output than:\n{text}");
    }
    let violations = [
        ("peterson.svg", ["models/peterson.pml", "--safety", "-DBROKEN"].as_slice()),
        ("nspk.svg", ["models/protocols/nspk.proto", "--secrecy", "generic"].as_slice()),
    ];
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, asked) in violations {
        let (trail, picture) = (dir.join(format!("{name}.trail.json")), dir.join(format!("readme-{name}")));
        let (trail, chart) = (trail.to_str().unwrap(), format!("svg={}", picture.display()));
        let args = [["check", "--threads", "1", "--trail", trail].as_slice(), asked].concat();
        assert_eq!(run(&args).status.code(), Some(1), "{name}");
        assert_eq!(run(&["replay", "--chart", &chart, asked[0], trail]).status.code(), Some(0), "{name}");
        let drawn = std::fs::read_to_string(&picture).unwrap();
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&shown, &drawn).unwrap();
        }
        let is_same = std::fs::read_to_string(&shown).is_ok_and(|svg| svg == drawn);
        assert!(is_same && readme.contains(name), "docs/{name} is the run as it is drawn now");
    }
}

/// With more processes in a state than were thought of, the order of births is looked at after all.
#[test]
fn large_families_are_searched_again() {
    let family = |n: u32| {
        format!(
            "proctype f(byte n) {{ if :: n > 100 -> run f(n - 1); run f(n - 1) :: n > 0 && n <= 100 -> run f(n - 1)
                :: n == 0 fi }} init {{ run f({n}) }}"
        )
    };
    for (n, again) in [(2, false), (8, true)] {
        for order in ["bfs", "dfs"] {
            let output = run_on(&["check", "--search", order, "-"], &family(n));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(0), "{text}");
            assert_eq!(text.contains("searched again"), again, "{n} {order}: {text}");
        }
    }
}

/// What is compared is told; a share of none makes no sense.
#[test]
fn the_self_check_says_what_it_did() {
    let output = run(&["check", "models/peterson.pml", "--safety", "--no-trail", "--self-check=1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let note = text.lines().find(|line| line.contains("self-check")).expect("a note");
    let number =
        |word: &str| note.split_whitespace().zip(note.split_whitespace().skip(1)).find(|(_, w)| w.contains(word));
    for word in ["states", "steps"] {
        let (count, _) = number(word).unwrap_or_else(|| panic!("no {word} in {note}"));
        assert!(count.parse::<u64>().unwrap() > 40, "{note}");
    }
    assert!(note.ends_with("no difference"), "{note}");
    assert_eq!(run(&["check", "--self-check=0", "models/peterson.pml"]).status.code(), Some(2));
}
