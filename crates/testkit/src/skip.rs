//! Tests that skip themselves, for want of something on the machine, are counted.
//!
//! A skipped test counts as passed for the test harness, which also keeps its output to itself. So the test reports here, and
//! `.ci/run` prints what was reported: nothing is skipped silently.

use std::io::Write;

/// Names the file to which reports are appended, one line each; without it there are none.
pub const VARIABLE: &str = "FERROSPIN_SKIPPED";

/// Reports that a test, or a part of it, is skipped.
pub fn skip(test: &str, reason: &str) {
    if let Some(path) = std::env::var_os(VARIABLE) {
        report(path.as_ref(), test, reason);
    }
}

fn report(path: &std::path::Path, test: &str, reason: &str) {
    let mut file = std::fs::File::options().append(true).create(true).open(path).expect("reports can be written");
    // One write, so that lines of tests that run at the same time do not mix.
    file.write_all(format!("{test}: {reason}\n").as_bytes()).expect("reports can be written");
}

#[cfg(test)]
mod tests {
    use super::report;

    #[test]
    fn reports_are_lines() {
        let path = std::env::temp_dir().join(format!("ferrospin-skipped-{}", std::process::id()));
        report(&path, "a", "no device");
        report(&path, "b", "no `/dev/full`");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a: no device\nb: no `/dev/full`\n");
        std::fs::remove_file(&path).unwrap();
    }
}
