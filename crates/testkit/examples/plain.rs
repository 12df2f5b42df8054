//! One plain run: `plain FILE [-DNAME=VALUE ...]` prints states, transitions, errors and the first error.

use ferrospin_search::naive::{Fault, Options};

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("file");
    let rest: Vec<String> = args.collect();
    let defines: Vec<&str> = rest.iter().filter(|a| a.starts_with("-D")).map(String::as_str).collect();
    let claim = rest.iter().any(|a| a == "--claim");
    let text = String::from_utf8_lossy(&std::fs::read(&file).expect("model")).into_owned();
    match ferrospin_testkit::model(&file, &text, &defines) {
        Err(e) => println!("refused: {e}"),
        Ok(model) => {
            let options = Options { errors_max: 0, states_max: 5_000_000, ..Options::default() };
            let out = ferrospin_testkit::plain(&model, claim, &options);
            let first = out.violations.first().map(|v| match v.fault {
                Fault::InvalidEndState => "invalid end state".to_string(),
                Fault::Failure(f) => {
                    let kind = ferrospin_interp::failure_kind(f.code);
                    format!("{} ({kind})", kind.category())
                }
            });
            println!(
                "{} {} {} {} | {} | {:?}",
                out.states,
                out.transitions(),
                out.atomic_steps,
                out.errors,
                first.unwrap_or_else(|| "none".into()),
                out.stopped
            );
        }
    }
}
