//! Random models in chi against their translations.

use ferrospin_oracle::chi::judge;
use ferrospin_testkit::chi::model;

#[test]
fn translations_mean_the_same() {
    let (mut models, mut states, mut holds, mut violated, mut deadlocks) = (0, 0, 0, 0, 0);
    for seed in 0..250 {
        match judge(&model(seed), 20, seed) {
            Err(why) => panic!("{seed}: {why}"),
            Ok(None) => {}
            Ok(Some(judged)) => {
                models += 1;
                states += judged.states;
                holds += judged.holds;
                violated += judged.violated;
                deadlocks += usize::from(judged.deadlocks);
            }
        }
    }
    println!("{models} models, {states} states, {holds} hold, {violated} do not, {deadlocks} deadlocks");
    assert!(
        models >= 200 && deadlocks >= 20 && models - deadlocks >= 20,
        "{models} models, {deadlocks} with deadlocks"
    );
    assert!(holds > 200 && violated > 200, "{holds} hold, {violated} do not");
}
