mod same;
use ferrospin_testkit as testkit;
#[test]
fn folder() {
    let Ok(list) = std::env::var("NATIVE_FILES") else { return };
    let max: usize = std::env::var("NATIVE_MAX").ok().and_then(|v| v.parse().ok()).unwrap_or(20000);
    let (mut n, mut bad) = (0, 0);
    for path in list.split_whitespace() {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        match testkit::model(path, &text, &[]) {
            Err(e) => eprintln!("{path}: unreadable {}", e.lines().next().unwrap_or("")),
            Ok(model) => {
                n += 1;
                let t = std::time::Instant::now();
                let r = std::panic::catch_unwind(|| same::check_all(&model, max));
                match r {
                    Ok(Ok(_)) => {}
                    Ok(Err(e)) => {
                        bad += 1;
                        eprintln!("{path}: {e}")
                    }
                    Err(_) => {
                        bad += 1;
                        eprintln!("{path}: panic")
                    }
                }
                if t.elapsed().as_secs() > 5 {
                    eprintln!("{path} {:?}", t.elapsed());
                }
            }
        }
    }
    eprintln!("{n} models, {bad} bad");
}
#[test]
fn random() {
    let Ok(range) = std::env::var("NATIVE_SEEDS") else { return };
    let (a, b) = range.split_once("..").unwrap();
    let (mut n, mut bad, mut unread) = (0, 0, 0);
    for seed in a.parse::<u64>().unwrap()..b.parse::<u64>().unwrap() {
        let text = testkit::generate::generate(seed).text();
        match testkit::model("random.pml", &text, &[]) {
            Err(_) => unread += 1,
            Ok(model) => {
                n += 1;
                match std::panic::catch_unwind(|| same::check_all(&model, 2000)) {
                    Ok(Ok(_)) => {}
                    Ok(Err(e)) => {
                        bad += 1;
                        eprintln!("seed {seed}: {e}")
                    }
                    Err(_) => {
                        bad += 1;
                        eprintln!("seed {seed}: panic")
                    }
                }
            }
        }
    }
    eprintln!("{n} programs, {bad} bad, {unread} unreadable");
}
