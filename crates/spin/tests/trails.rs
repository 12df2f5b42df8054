//! Trails in both directions: SPIN's followed here, ours followed by SPIN, with the same end.
//!
//! `trails/NN.txt` holds a model of the folder `models`, a property and macros; a trail of SPIN's verifier and one of ours; and
//! what SPIN's `spin -t -g -l` printed at the end of each, as `xtask/record-trails.sh` has recorded it: where all processes stand and all
//! values.

mod common;

use common::Memory;
use std::path::{Path, PathBuf};

/// A recorded pair of trails.
#[derive(Default)]
struct Pair {
    model: String,
    property: String,
    defines: String,
    /// Whose, the trail, and its end.
    trails: [(&'static str, String, String); 2],
}

fn pair(text: &str) -> Pair {
    let mut lines = text.lines();
    let mut words = lines.next().expect("a head").splitn(3, ' ').map(str::to_string);
    let mut next = || words.next().unwrap_or_default();
    let mut pair = Pair { model: next(), property: next(), defines: next(), ..Pair::default() };
    pair.trails[0].0 = "spin";
    pair.trails[1].0 = "ours";
    for line in lines {
        for (who, trail, end) in &mut pair.trails {
            if let Some(steps) = line.strip_prefix(&format!("{who}|")) {
                steps.split_whitespace().for_each(|step| *trail += &format!("{step}\n"));
            } else if let Some(told) = line.strip_prefix(&format!("{who}>")) {
                *end += &format!("{told}\n");
            }
        }
    }
    pair
}

/// The end of a run, without the claims of formulas, which SPIN alone has, and without lines: a statement of an inline may stand on
/// another one here.
fn ending(out: &str) -> String {
    let from = out.find("#processes:").unwrap_or(out.len());
    let lines = out[from..].lines().filter(|l| !l.contains("_spin_nvr.tmp"));
    let place = |l: &str| match (l.find(".pml:"), l.find(" (state ")) {
        (Some(at), Some(behind)) if at < behind => format!("{}{}", &l[..at], &l[behind..]),
        _ => l.to_string(),
    };
    lines.map(|l| place(l) + "\n").collect()
}

#[test]
fn trails_end_where_spin_says_that_they_end() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join("tests/trails"))
        .expect("the trails are there")
        .map(|e| e.expect("a folder can be read").path())
        .collect();
    paths.sort();
    let mut differences = String::new();
    for path in &paths {
        let pair = pair(&std::fs::read_to_string(path).expect("a record can be read"));
        let text = std::fs::read_to_string(root.join("../../models").join(&pair.model)).expect("the model is there");
        let mut world = Memory::with(&pair.model, &text);
        for (who, trail, end) in &pair.trails {
            // Where all processes have ended, nothing is told of them.
            assert!(!trail.is_empty() && (end.is_empty() || end.contains(" created")), "{}: {who}", path.display());
            world.files.insert("a.trail".into(), trail.clone().into_bytes());
            let (code, out, err) = world.spin(&format!("{} -t -k a.trail -g -l {}", pair.defines, pair.model));
            let (told, expected) = (ending(&out), ending(end));
            if (code, err.as_str()) != (0, "") || told != expected {
                let Pair { model, property, defines, .. } = &pair;
                differences += &format!(
                    "{}: {model} {property} {defines}, trail of {who}: code {code}\n--- spin\n{expected}--- ours\n{told}\n",
                    path.display()
                );
            }
        }
        // What was found then is found now, and leaves a trail that can be followed.
        let search = match pair.property.strip_prefix("ltl:") {
            Some(name) => format!("-a -ltl {name}"),
            None => "-noclaim".into(),
        };
        world.spin(&format!("{} -run {search} {}", pair.defines, pair.model));
        let (code, out, _) = world.spin(&format!("{} -t {}", pair.defines, pair.model));
        if code != 0 || !out.contains("trail ends after") || out.contains("invalid statement") {
            differences += &format!("{}: our own trail cannot be followed\n{out}", path.display());
        }
    }
    assert!(differences.is_empty(), "{differences}");
    assert!(paths.len() >= 60, "{} pairs of trails", paths.len());
}
