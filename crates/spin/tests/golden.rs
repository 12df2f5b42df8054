//! What SPIN has printed beside what is printed here.
//!
//! `golden/MODEL.txt` holds SPIN's calls, exit codes, both streams and trails, as `xtask/record-spin.sh` has recorded them; models lie
//! beside them or in the folder `models`. Trails are SPIN's own. Codes, standard error and first lines must be equal everywhere, all
//! other lines but for the numbers of reports; where a line may differ, [`KNOWN`] says in which call, and why.

mod common;

use common::Memory;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Why a call prints something else than SPIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// A formula and an assertion fail, and the other one is found first.
    OtherErrorFirst,
    /// SPIN goes on behind an index out of range; here the run ends there.
    EndsAtIndex,
    /// SPIN misses an error: breadth first with handshakes, as it warns itself.
    SpinMisses,
    /// The claim of a formula is another automaton here, and trails have no lines of it.
    ClaimOfFormula,
    /// A statement of nothing but arguments of an inline, and the block of an inline, stand on the line of the call.
    LineOfArguments,
    /// SPIN does not run embedded C in `spin -t`, and says so.
    SpinSkipsC,
    /// SPIN leaves out variables that nothing reads.
    WriteOnly,
    /// Paths of that length are others.
    DepthLimit,
    /// Shortest trails are found at once, not one shorter than the other.
    ShortestAtOnce,
    /// Marks of `pan -d` where formulas name labels, and where statements are merged.
    TableMarks,
    /// SPIN tells more of the use of channels.
    UseOfChannels,
    /// Statements inside a `d_step` that follow a selection are told where they stand, not in front of it.
    InsideDStep,
    /// A trace does not see a send whose message is lost.
    TraceOfLoss,
}

/// Calls that print something else than SPIN: model or `*`, words with which the call begins, reason.
const KNOWN: &[(&str, &str, Reason)] = &[
    ("*", "./pan -m30", Reason::DepthLimit),
    ("*", "./pan -i -n", Reason::ShortestAtOnce),
    ("*", "./pan -d", Reason::TableMarks),
    ("bad_index", "./pan -A -q", Reason::EndsAtIndex),
    ("bad_index", "./pan -E -c0", Reason::EndsAtIndex),
    ("bad_index", "spin -o3 -run -hc -c0 -e", Reason::EndsAtIndex),
    ("bad_index", "./pan -", Reason::WriteOnly),
    ("channels", "spin -C", Reason::UseOfChannels),
    ("dekker", "./pan -a -N expect_fail_alternate", Reason::ClaimOfFormula),
    ("dekker", "spin -run -ltl expect_fail_alternate", Reason::ClaimOfFormula),
    ("hyman", "./pan -a", Reason::OtherErrorFirst),
    ("hyman", "spin -run hyman", Reason::OtherErrorFirst),
    ("hyman", "spin -search -bitstate", Reason::OtherErrorFirst),
    ("hyman", "spin -t -X", Reason::ClaimOfFormula),
    ("hyman", "./pan -", Reason::ClaimOfFormula),
    ("locals", "spin -t9", Reason::SpinSkipsC),
    ("loops", "spin -k", Reason::LineOfArguments),
    ("loops", "spin -t -p -g", Reason::LineOfArguments),
    ("loops", "spin -t -p -w", Reason::LineOfArguments),
    ("loops", "spin -t -X", Reason::LineOfArguments),
    ("ltl_safe", "spin -t -X", Reason::ClaimOfFormula),
    ("ltl_safe", "./pan -", Reason::ClaimOfFormula),
    ("needham_schroeder", "./pan -a", Reason::OtherErrorFirst),
    ("needham_schroeder", "spin -run needham", Reason::OtherErrorFirst),
    ("needham_schroeder", "spin -search -bitstate", Reason::OtherErrorFirst),
    ("needham_schroeder", "spin -t -", Reason::InsideDStep),
    ("needham_schroeder", "./pan -", Reason::ClaimOfFormula),
    ("printf_assert", "spin -t", Reason::SpinSkipsC),
    ("printf_assert", "spin -k", Reason::SpinSkipsC),
    ("river_crossing", "spin -t", Reason::LineOfArguments),
    ("river_crossing", "spin -k", Reason::LineOfArguments),
    ("river_crossing", "./pan -", Reason::ClaimOfFormula),
    ("rv_deadlock", "./pan", Reason::SpinMisses),
    ("szymanski", "./pan -a -N expect_fail_first_come", Reason::ClaimOfFormula),
    ("test_then_set", "spin -t -X", Reason::ClaimOfFormula),
    ("test_then_set", "./pan -", Reason::ClaimOfFormula),
    ("test_then_set", "spin -o3 -run -hc -c0 -e", Reason::ClaimOfFormula),
    ("token_ring", "./pan -a -N in_turn_fails", Reason::ClaimOfFormula),
    ("token_ring", "spin -run -ltl in_turn_fails", Reason::ClaimOfFormula),
    ("traced", "./pan -E", Reason::TraceOfLoss),
];

/// A recorded call.
#[derive(Default, Debug)]
struct Call {
    words: String,
    code: u8,
    out: String,
    err: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The calls of a record.
fn calls(text: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("@ ") {
            calls.push(Call { words: words.into(), ..Call::default() });
            continue;
        }
        let call = calls.last_mut().expect("a record begins with a call");
        if let Some(code) = line.strip_prefix("code ") {
            call.code = code.parse().expect("a code is a number");
        } else if let Some(line) = line.strip_prefix("o|") {
            call.out += &format!("{line}\n");
        } else if let Some(line) = line.strip_prefix("e|") {
            call.err += &format!("{line}\n");
        } else if line == "ox" {
            call.out.pop();
        } else if line == "ex" {
            call.err.pop();
        }
    }
    calls
}

/// Numbers become `N`, blanks one blank, so that what is left is the form.
fn form(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let in_word = out.ends_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if c.is_ascii_digit() && !in_word {
            while chars.next_if(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | '+')).is_some() {}
            out.push('N');
        } else if c == ' ' || c == '\t' {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A report in the form in which SPIN's and ours are compared: numbers are left out, and so are lines that depend on how much memory or
/// time something has taken, and what SPIN says of the claims that it makes of formulas.
fn report(out: &str, all_errors: bool) -> (Vec<String>, BTreeSet<String>) {
    let (mut lines, mut errors) = (Vec::new(), BTreeSet::new());
    let mut in_claim = false;
    for line in out.lines() {
        let dropped = [
            "Depth=",
            "pan: rate",
            "MA stats:",
            "Minimized Automaton:",
            "pan: reducing",
            "collapse counts",
            "         \tstate-vector as stored",
        ];
        let depends = line.contains("other (proc and chan stacks)")
            || line.contains("rvs succeeded")
            || line.ends_with(" lost messages");
        if dropped.iter().any(|d| line.starts_with(d)) || depends {
            continue;
        }
        if let Some(rest) = line.strip_prefix("unreached in ") {
            in_claim = rest.starts_with("claim");
        } else if !line.starts_with('\t') {
            in_claim = false;
        }
        if in_claim {
            continue;
        }
        let is_error = line.starts_with("pan:") && !line.starts_with("pan: elapsed");
        if all_errors && is_error {
            if !line.starts_with("pan: wrote") {
                errors.insert(form(line).trim_start_matches("pan:N: ").to_string());
            }
            continue;
        }
        if line.contains("errors: ") {
            let none = line.ends_with("errors: 0");
            lines.push(format!("{} {}", form(line), if none { "none" } else { "some" }));
            continue;
        }
        // What was not reached is told with SPIN's own numbers.
        if line.contains(", state ") || line.starts_with("\t(") {
            lines.push(line.to_string());
            continue;
        }
        let line = line.split(" (compression:").next().expect("there is a first part");
        let line = line.replace(" (less than 1k)", "").replace("visited+matched", "stored+matched");
        let visited = line.find(" (").filter(|_| line.contains("visited)"));
        lines.push(form(&visited.map_or(line.clone(), |at| line[..at].to_string())));
    }
    (lines, errors)
}

/// What differs between two texts, line by line; nothing where they are equal.
fn difference(spin: &[String], ours: &[String]) -> Option<String> {
    if spin == ours {
        return None;
    }
    let at = spin.iter().zip(ours).position(|(a, b)| a != b).unwrap_or(spin.len().min(ours.len()));
    let show = |lines: &[String]| lines.iter().skip(at).take(4).map(|l| format!("      {l}\n")).collect::<String>();
    Some(format!("    line {}\n    spin:\n{}    ours:\n{}", at + 1, show(spin), show(ours)))
}

fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_string).collect()
}

/// Lines of a run without what SPIN says of the claims that it makes of formulas.
fn without_claims(text: &str) -> Vec<String> {
    let mut lines = lines(text);
    let mut in_claim = false;
    lines.retain(|l| {
        let of_claim = l.contains("_spin_nvr.tmp") || l.starts_with("Never claim moves") || l.contains("\tproc  - (");
        let text_of_it = in_claim && l.starts_with("spin: text of failed assertion");
        in_claim = l.contains("_spin_nvr.tmp") && l.contains("Error");
        !of_claim && !text_of_it
    });
    lines
}

/// Runs the calls of a record; gives how many there were, and what differs.
fn compare(name: &str, record: &str, model: &str) -> (usize, Vec<String>) {
    let mut world = Memory::with(name, model);
    let (mut directives, mut count, mut differences) = (String::new(), 0, Vec::new());
    for call in calls(record) {
        let words = call.words.as_str();
        if let Some(flags) = words.strip_prefix("cc ") {
            directives = flags.split(' ').filter(|f| f.starts_with("-D")).collect::<Vec<_>>().join(" ");
            world.files.retain(|name, _| !name.ends_with(".trail"));
            continue;
        }
        if let Some(rest) = words.strip_prefix("trail ") {
            let file = rest.split(' ').next().expect("a trail has a name");
            world.files.insert(file.into(), call.out.into_bytes());
            continue;
        }
        let is_pan = words.starts_with("./pan");
        let (code, out, err) = match words.strip_prefix("./pan") {
            Some(options) => world.pan(name, &directives, options),
            None => world.spin(words.strip_prefix("spin ").expect("calls are of spin or pan")),
        };
        count += 1;
        let mut differ = |what: &str, text: String| differences.push(format!("  {name}: {words}: {what}\n{text}"));
        if code != call.code {
            differ("code", format!("    {} and {code}\n", call.code));
        }
        if let Some(text) = difference(&lines(&call.err), &lines(&err)) {
            differ("standard error", text);
        }
        let has = |word: &str| words.split(' ').any(|w| w == word);
        if is_pan && has("-d") {
            let table = |out: &str| {
                let mut in_claim = false;
                let kept = |l: &&str| {
                    in_claim = l.starts_with("claim ") || in_claim && l.starts_with('\t');
                    !in_claim && !l.starts_with("pan: ")
                };
                out.lines().filter(kept).map(form).collect::<Vec<_>>()
            };
            if let Some(text) = difference(&table(&call.out), &table(&out)) {
                differ("table", text);
            }
        } else if is_pan || has("-run") || has("-search") {
            let all = has("-c0") || has("-e");
            let (spin, ours) = (report(&call.out, all), report(&out, all));
            if let Some(text) = difference(&spin.0, &ours.0) {
                differ("report", text);
            }
            if spin.1 != ours.1 {
                differ("errors", format!("    {:?}\n    {:?}\n", spin.1, ours.1));
            }
        } else if let Some(text) = match model.contains("ltl ") {
            true => difference(&without_claims(&call.out), &without_claims(&out)),
            false => difference(&lines(&call.out), &lines(&out)),
        } {
            differ("output", text);
        }
    }
    (count, differences)
}

#[test]
fn spin_and_pan_print_what_spin_has_printed() {
    let (mut records, mut count, mut differences) = (0, 0, Vec::new());
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the records are there")
        .map(|e| e.expect("a folder can be read").path())
        .collect();
    paths.sort();
    for path in paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let record = std::fs::read_to_string(&path).expect("a record can be read");
        let name = path.with_extension("pml").file_name().expect("it has a name").to_string_lossy().into_owned();
        let beside = folder().join(&name);
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(&name);
        let model = std::fs::read_to_string(if beside.exists() { beside } else { models }).expect("its model is there");
        let (calls, differ) = compare(&name, &record, &model);
        (records, count) = (records + 1, count + calls);
        differences.extend(differ);
    }
    assert!(records >= 40 && count >= 1000, "{records} records, {count} calls");
    let known = |d: &String| {
        let head = d.lines().next().unwrap_or_default().trim_start();
        let (model, rest) = head.split_once(".pml: ").expect("a model and a call");
        let exact = [": code", ": standard error"].iter().any(|w| rest.ends_with(w));
        let found = KNOWN.iter().position(|(m, words, _)| (*m == model || *m == "*") && rest.starts_with(words));
        found.filter(|_| !exact)
    };
    let found: BTreeSet<Option<usize>> = differences.iter().map(known).collect();
    let new: Vec<&String> = differences.iter().filter(|d| known(d).is_none()).collect();
    assert!(new.is_empty(), "{} differences\n{}", new.len(), new.into_iter().cloned().collect::<String>());
    let gone: Vec<_> = (0..KNOWN.len()).filter(|i| !found.contains(&Some(*i))).map(|i| KNOWN[i]).collect();
    assert!(gone.is_empty(), "these are equal now: {gone:?}");
}
