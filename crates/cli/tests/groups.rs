//! Groups of Promela processes through the program: composed group by group they are the whole model, and what cannot be parted is
//! refused. The oracle is the exploration of the whole model by `compare`.

use ferrospin_testkit::random::Random;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(folder: &Path, command: &str, code: i32) -> String {
    let words = command.split_whitespace();
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(words).current_dir(folder).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    assert_eq!(out.status.code(), Some(code), "{command}: {text}");
    text
}

/// A folder of its own that holds these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("groups").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    folder
}

/// A line of an AUT file, its label without the groups that are named behind it.
fn without_pair(line: &str) -> String {
    match line.split('"').collect::<Vec<_>>()[..] {
        [source, label, target] => {
            format!("{source}\"{}\"{target}", label.split(' ').next().expect("the first word"))
        }
        _ => line.to_owned(),
    }
}

/// The model composed group by group, by each plan, is the model as a whole, as far as these labels show.
fn check_composed(name: &str, model: &str, observed: &str) {
    let folder = folder(name, &[("m.pml", model)]);
    for plan in ["auto", "flat"] {
        let command = format!(
            "compose --quiet --overwrite --observe {observed} --plan {plan} -o {plan}.aut --time-limit 60s m.pml"
        );
        run(&folder, &command, 0);
        // Where several pairs of groups use a channel, labels name the pair, which the model as a whole does not tell.
        let composed = std::fs::read_to_string(folder.join(format!("{plan}.aut"))).expect("it was written");
        let plain: String = composed.lines().map(|line| without_pair(line) + "\n").collect();
        std::fs::write(folder.join("plain.aut"), plain).expect("the folder can be written");
        run(&folder, &format!("compare --quiet --observe {observed} plain.aut m.pml"), 0);
    }
}

const LIFT: &str = "
// ferrospin: group lift = Lift, Door
// ferrospin: observe call.*, open.*
mtype = { up, shut };
chan call = [0] of { byte };
chan open = [0] of { byte };
chan move = [0] of { mtype };
chan queue = [2] of { byte };
active proctype Person() { do :: call!1 :: call!2 od }
active proctype Desk() { byte floor; do :: call?floor -> queue!floor od }
active proctype Lift() { byte floor; do :: queue?floor -> move!up; open!floor; move!shut od }
active proctype Door() { do :: move?up -> move?shut od }
active proctype Visitor() { byte floor; do :: open?floor od }
";

#[test]
fn composed_groups_are_the_model() {
    check_composed("lift", LIFT, "call.*,open.*");
    // Three that share one channel; a group that ends; a message that no process takes.
    check_composed(
        "shared",
        "chan c = [0] of { bit }; chan d = [1] of { bit };
         active [2] proctype P() { do :: c!0 -> d!1 :: c!1 od }
         active proctype Q() { bit x; do :: c?x :: d?x od }
         active proctype R() { c!1; d!0; d!0 }",
        "c.*,d.*",
    );
    check_composed(
        "started",
        "chan c = [0] of { byte };
         proctype P(byte n) { do :: c!n od }
         proctype Q() { byte x; do :: c?x -> if :: x > 1 -> break :: else fi od; end: 0 }
         init { atomic { run P(1); run P(2); run Q() } }",
        "c.*",
    );
}

/// A random process: it sends and receives along a line of jumps, with a variable that decides.
fn process(random: &mut Random, name: &str, channels: &[&str]) -> String {
    let mut text = format!("active proctype {name}() {{ byte x;\n");
    let labels = 2 + random.below(2);
    for i in 0..labels {
        text += &format!("L{i}: if\n");
        for _ in 0..1 + random.below(2) {
            let (channel, to) = (random.pick(channels), random.below(labels));
            let act = match random.below(3) {
                0 => format!("{channel}?x"),
                1 => format!("{channel}!{}", random.below(2)),
                _ => format!("{channel}!x"),
            };
            let more = *random.pick(&["", "x = 1 - x;", "skip;"]);
            text += &format!("  :: {act}; {more} goto L{to}\n");
        }
        text += "  fi;\n";
    }
    text + "}\n"
}

#[test]
fn random_groups() {
    let random = &mut Random::new(27);
    let (mut grouped, mut composed) = (0, 0);
    for i in 0..60 {
        let mut model = String::new();
        let has_group = random.chance(50);
        if has_group {
            model += "// ferrospin: group both = A, B\n";
        }
        let capacity = |random: &mut Random| *random.pick(&[0, 0, 1]);
        for channel in ["c", "d", "e"] {
            model += &format!("chan {channel} = [{}] of {{ byte }};\n", capacity(random));
        }
        for name in ["A", "B", "C"] {
            model += &process(random, name, &["c", "d", "e"]);
        }
        let name = format!("random{i}");
        let mut parts = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
        parts.args(["compose", "m.pml"]);
        if parts.current_dir(folder(&name, &[("m.pml", &model)])).output().expect("it runs").status.success() {
            grouped += usize::from(has_group);
            composed += 1;
            check_composed(&name, &model, "c.*,d.*,c!*,d!*,c?*,d?*");
        }
    }
    assert!(grouped > 10 && composed > 40, "{grouped} {composed}");
}

#[test]
fn what_cannot_be_parted() {
    let two = |body: &str| format!("byte n; chan c = [1] of {{ bit }};\nactive [2] proctype P() {{ bit x; {body} }}");
    for (name, model, expected) in [
        ("variable", two("n++"), "`n` is used by the groups"),
        ("timeout", two("c!0; timeout"), "uses `timeout`"),
        ("look", two("c!0; len(c) > 0"), "looks into channels"),
        ("poll", two("if :: c?[0] :: c!1 fi"), "polls, sorts, copies or picks"),
        ("else", two("if :: c!1 :: else fi"), "`else` beside messages"),
        ("one", "active proctype P() { skip }".into(), "one group only"),
        ("unknown", "// ferrospin: group a = Q\nactive [2] proctype P() { skip }".into(), "no process `Q` is started"),
        ("mark", "// ferrospin: group a\nactive [2] proctype P() { skip }".into(), "is written `group NAME"),
        ("inline", "inline f() { skip }\nactive [2] proctype P() { f() }".into(), "is an inline"),
        ("c", "c_decl { int x; }\nactive [2] proctype P() { skip }".into(), "embedded C"),
        ("broken", "active [2] proctype P() { x = 1 }".into(), "x"),
    ] {
        let folder = folder(name, &[("m.pml", &model)]);
        let said = run(&folder, "compose m.pml", 2);
        assert!(said.contains(expected), "{name}: {said}");
        let report: Value = serde_json::from_str(&run(&folder, "compose --format json m.pml", 2)).expect("JSON");
        assert_eq!(report["verdict"], "error");
    }
}

/// The assumption that one group makes of the others, and evidence that is read again.
#[test]
fn assumptions_of_groups() {
    let order = "des (0, 4, 3)\n(0, \"call.1\", 1)\n(0, \"call.2\", 2)\n(1, \"open.1\", 0)\n(2, \"open.2\", 0)\n";
    let model = "
        chan call = [0] of { byte }; chan open = [0] of { byte }; chan done = [0] of { bit };
        active proctype Person() { do :: call!1; done?0 :: call!2; done?0 od }
        active proctype Lift() { byte floor; do :: call?floor -> open!floor; done!0 od }
        active proctype Visitor() { byte floor; do :: open?floor od }";
    let wrong = model.replace("open!floor", "if :: open!1 :: open!floor fi");
    let folder = folder("assume", &[("order.aut", order), ("m.pml", model), ("wrong.pml", &wrong)]);
    for rule in ["asym", "sym"] {
        let command = format!("assume --quiet --overwrite --rule {rule} --property order.aut --certificate c.json");
        run(&folder, &format!("{command} m.pml"), 0);
        let said = run(&folder, "certify c.json", 0);
        assert!(said.contains("the assumption shows that 1 parts keep order.aut"), "{said}");
        let said = run(&folder, &format!("{command} wrong.pml"), 1);
        assert!(said.contains("call.2\n  open.1"), "{said}");
        run(&folder, "certify c.json", 0);
        // The same evidence says nothing about the model that is right.
        let certificate = std::fs::read_to_string(folder.join("c.json")).expect("it was written");
        std::fs::write(folder.join("forged.json"), certificate.replace("wrong.pml", "m.pml")).expect("a file");
        run(&folder, "certify forged.json", 1);
    }
}
