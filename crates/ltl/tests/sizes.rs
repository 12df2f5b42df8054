//! Sizes of the automata of 248 formulas from the literature, with what other tools need recorded beside them.

mod support;

use expect_test::expect;
use ferrospin_ltl::Target;
use std::collections::BTreeMap;
use std::fmt::Write;
use support::World;

/// A formula, and how many states each tool needs for it.
type Reference<'a> = (&'a str, BTreeMap<&'a str, usize>);

#[test]
fn totals_stay_small() {
    let mut formulas: BTreeMap<(&str, u32), Reference<'_>> = BTreeMap::new();
    for line in include_str!("data/sizes.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let entry = formulas.entry((columns[0], columns[1].parse().unwrap())).or_default();
        entry.0 = columns[2];
        if let Ok(states) = columns[4].parse() {
            entry.1.insert(columns[3], states);
        }
    }
    assert_eq!(formulas.len(), 248);
    let mut totals: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for ((set, index), (text, others)) in formulas {
        let mut w = World::new();
        let f = w.read(text);
        let (t, b) = (w.translate(f, Target::Generalised), w.translate(f, Target::Buchi));
        if let Some(&other) = others.get("ltl2ba") {
            assert!(b.state_count() <= other, "{set} {index}: {} states, ltl2ba has {other}", b.state_count());
        }
        let literature = ["dwyer", "eh", "sb"].iter().any(|s| set.starts_with(s));
        for group in [Some(set), Some("all"), literature.then_some("literature")].into_iter().flatten() {
            let total = totals.entry(group).or_default();
            let sizes = [t.state_count(), t.edge_count(), b.state_count(), b.edge_count()];
            total.iter_mut().zip(sizes).for_each(|(sum, n)| *sum += n);
        }
    }
    let mut out = String::new();
    for (set, [ts, te, bs, be]) in totals {
        writeln!(out, "{set}: generalised {ts}/{te}, Büchi {bs}/{be}").unwrap();
    }
    expect![[r#"
        all: generalised 1130/9304, Büchi 1226/9071
        dwyer: generalised 207/588, Büchi 213/617
        dwyer-neg: generalised 218/514, Büchi 221/531
        eh: generalised 34/99, Büchi 43/100
        eh-neg: generalised 47/113, Büchi 51/130
        gfand: generalised 8/510, Büchi 44/200
        gfand-neg: generalised 44/80, Büchi 44/80
        literature: generalised 654/1594, Büchi 693/1693
        sb: generalised 73/140, Büchi 83/160
        sb-neg: generalised 75/140, Büchi 82/155
        theta: generalised 12/138, Büchi 33/116
        theta-neg: generalised 45/90, Büchi 45/90
        uleft: generalised 256/6529, Büchi 256/6529
        uleft-neg: generalised 37/121, Büchi 37/121
        uright: generalised 37/121, Büchi 37/121
        uright-neg: generalised 37/121, Büchi 37/121
    "#]]
    .assert_eq(&out);
}
