//! `bench lint`: how long the front end takes, from the start of the program to its end.
//!
//! The requirement is about user time of a cold start, so that each run is a process of its own. One run is shorter than
//! the clock's tick: the time is that of many runs, divided.

use super::time::ChildTime;
use crate::temp::TempDir;
use anyhow::{Context, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Most user time that a lint of a model of 1,000 lines may take.
const LINT_USER_MAX_MS: f64 = 20.0;

/// Most processor time, user and system, that hostile input may take. Wall-clock time would also measure who else uses the
/// machine.
const HOSTILE_CPU_MAX_MS: f64 = 2000.0;

/// Builds the program, measures it and prints a table; true when all requirements are met.
pub(crate) fn run(root: &Path, runs: u32) -> anyhow::Result<bool> {
    ensure!(runs > 0, "at least one run is needed");
    let program = build(root)?;
    let dir = TempDir::new()?;
    let model = model(1000);
    let hostile_runs = 1;
    let cases = [
        ("start and end (`--version`)", None, runs, None),
        ("model of 1,000 lines", Some(model.clone()), runs, Some(Limit::User(LINT_USER_MAX_MS))),
        ("100,000 nested parentheses", Some(parentheses(100_000)), hostile_runs, Some(HOSTILE)),
        ("5 MB of processes", Some(repeated(&model, 5_000_000)), hostile_runs, Some(HOSTILE)),
        ("5 MB of one expression", Some(long_expression(5_000_000)), hostile_runs, Some(HOSTILE)),
        (
            "5 MB of opening parentheses",
            Some(format!("init {{ x = {} }}", "(".repeat(5_000_000))),
            hostile_runs,
            Some(HOSTILE),
        ),
        ("5 MB of noise", Some(noise(5_000_000)), hostile_runs, Some(HOSTILE)),
    ];
    println!("ferrospin {} lint, release build, mean over the runs\n", ferrospin::VERSION);
    println!("| input | runs | user ms | system ms | wall ms | exit code | required |");
    println!("|---|---:|---:|---:|---:|---:|---|");
    let mut passed = true;
    for (name, text, runs, limit) in cases {
        let path = dir.path().join("model.pml");
        let mut command = Command::new(&program);
        match text {
            None => command.arg("--version"),
            Some(text) => {
                std::fs::write(&path, text)?;
                command.arg("lint").arg(&path)
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (before, start) = (ChildTime::now()?, Instant::now());
        let mut code = None;
        for _ in 0..runs {
            code = command.status()?.code();
        }
        let wall_ms = start.elapsed().as_secs_f64() * 1000.0 / f64::from(runs);
        let (user_ms, system_ms) = ChildTime::now()?.since_ms(before);
        let (user_ms, system_ms) = (user_ms / f64::from(runs), system_ms / f64::from(runs));
        let (met, required) = match limit {
            None => (true, "-".into()),
            Some(Limit::User(max)) => (user_ms < max, format!("user < {max} ms")),
            Some(Limit::Cpu(max)) => (user_ms + system_ms < max, format!("user + system < {max} ms")),
        };
        // A crash has no exit code, and a lint that fails is none: the figures would mean nothing.
        let met = met && code.is_some_and(|code| code <= 2);
        passed &= met;
        let code = code.map_or("crash".into(), |code| code.to_string());
        let mark = if met { "" } else { " (MISSED)" };
        println!("| {name} | {runs} | {user_ms:.1} | {system_ms:.1} | {wall_ms:.1} | {code} | {required}{mark} |");
    }
    Ok(passed)
}

enum Limit {
    User(f64),
    Cpu(f64),
}

const HOSTILE: Limit = Limit::Cpu(HOSTILE_CPU_MAX_MS);

/// Builds the program in release mode and says where it is.
fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(["build", "--release", "-p", "ferrospin"]).current_dir(root).status()?;
    ensure!(status.success(), "the release build failed");
    // This program lies in `target/<profile>/`, whatever the target folder is called.
    let here = std::env::current_exe()?;
    let target = here.ancestors().nth(2).context("no target folder")?;
    Ok(target.join("release").join("ferrospin"))
}

/// A model of exactly `lines` lines that uses most of the language.
fn model(lines: usize) -> String {
    const HEAD: &str = "\
#define CAPACITY 4
#define BUSY(i) (load[i] > 0 && !stopped)
mtype = { request, grant, deny, release };
mtype:phase = { warming, running, cooling };
typedef Job { byte owner; short cost; bit urgent };
byte load[8];
bool stopped;
int granted;
chan requests = [CAPACITY] of { mtype, byte };
inline account(who, amount) { load[who % 8] = load[who % 8] + amount; granted++ }
ltl bounded { [] (granted >= 0) }
";
    let mut text = HEAD.to_owned();
    for i in 0.. {
        let process = process(i);
        if text.lines().count() + process.lines().count() > lines {
            break;
        }
        text += &process;
    }
    while text.lines().count() < lines {
        text += "/* A comment makes the number of lines even. */\n";
    }
    text
}

fn process(i: usize) -> String {
    format!(
        "\
active proctype Worker{i}(byte seed) priority 1 provided (!stopped)
{{
	mtype kind;
	mtype:phase now = warming;
	byte who, round;
	Job job;
	chan answer = [1] of {{ mtype, byte }};

	job.owner = _pid;
	for (round : 1 .. 3) {{
		job.cost = job.cost + round * {factor}
	}}
serve:
	do
	:: requests?kind(who) ->
		if
		:: kind == request && BUSY(who % 8) -> answer!deny(who)
		:: kind == request && !BUSY(who % 8) ->
			atomic {{ account(who, 1); answer!grant(who) }}
		:: kind == release -> d_step {{ account(who, 0); job.urgent = !job.urgent }}
		:: else -> goto serve
		fi
	:: nfull(requests) -> requests!request(_pid)
	:: answer??[deny, eval(_pid)] -> answer??deny(eval(_pid)); now = cooling
	:: now == cooling -> now = running; assert(job.cost < 1000 || job.urgent)
	:: timeout -> break
	od unless {{ stopped -> skip }};
	printf(\"%d ends in %e\\n\", _pid, now)
}}
",
        factor = i % 7 + 1
    )
}

/// As many processes as fill `bytes`.
fn repeated(model: &str, bytes: usize) -> String {
    let mut text = model.to_owned();
    for i in 10_000.. {
        if text.len() >= bytes {
            break;
        }
        text += &process(i);
    }
    text
}

fn parentheses(depth: usize) -> String {
    format!("byte x;\ninit {{ x = {}1{} }}\n", "(".repeat(depth), ")".repeat(depth))
}

fn long_expression(bytes: usize) -> String {
    format!("int x;\ninit {{ x = 1{} }}\n", " + x".repeat(bytes / 4))
}

/// Printable characters without any sense, always the same.
fn noise(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes);
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    while text.len() < bytes {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        let _ = write!(text, "{}", char::from(b' ' + (x >> 32) as u8 % 95));
        if x.is_multiple_of(61) {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::model;

    #[test]
    fn the_model_has_a_thousand_lines() {
        assert_eq!(model(1000).lines().count(), 1000);
    }
}
