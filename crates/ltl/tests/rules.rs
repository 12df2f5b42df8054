//! The rewriting rules, one by one: both sides are equivalent, and the traps beside them are not.

mod support;

use ferrospin_ltl::*;
use support::World;

/// Each line is `left = right`; both sides must be equivalent. Conditions such as `f => g` are built in by
/// substitution: f is written as `f && g`, a purely eventual formula as `<>e`, a universal one as `[]u`.
const EQUIVALENT: &str = "
<>(f U g) = <>g
<>(f M g) = <>(f && g)
[](f V g) = []g
[](f W g) = [](f || g)
f U <>e = <>e
f V []u = []u
X []<>f = []<>f
<>g && (f W g) = f U g
<>f && (f V g) = f M g
[]f || (f U g) = f W g
[]g || (f M g) = f V g
f U (g || []f) = f W g
f V (g && <>f) = f M g
f U (g && f) = g M f
f W (g && f) = g V f
f V (g || f) = g W f
f M (g || f) = g U f
<>X f = X <>f
[]X f = X []f
X f U X g = X (f U g)
X f W X g = X (f W g)
X f M X g = X (f M g)
f && X []f = []f
f || X <>f = <>f
f && (g || X (g V f)) = g V f
f && (g || X (g M f)) = g M f
f || (g && X (g U f)) = g U f
(f U g) && (h U g) = (f && h) U g
(f U g) && (h W g) = (f && h) U g
(f W g) && (h W g) = (f && h) W g
(f U g) || (f U h) = f U (g || h)
(f W g) || (f U h) = f W (g || h)
(f V g) && (f V h) = f V (g && h)
(f M g) && (f V h) = f M (g && h)
(f V g) || (h V g) = (f || h) V g
(f V g) || (h M g) = (f || h) V g
<>[]f && <>[]g = <>[](f && g)
[]<>f || []<>g = []<>(f || g)
[]<>(f || X g) = []<>(f || g)
[]<>(f || <>g) = []<>(f || g)
[]<>(f && <>e) = []<>f && []<>e
[](f && <>e) = []f && []<>e
<>[](f || <>g) = <>[]f || []<>g
<>[](f && X g) = <>[](f && g)
<>[](f && []g) = <>[](f && g)
<>(f && []<>q) = <>f && []<>q
<>(f || []<>q) = <>f || []<>q
f U (g && []<>q) = (f U g) && []<>q
f U (g || []<>q) = (f U g) || []<>q
f W (g || []<>q) = (f W g) || []<>q
f M (g && []<>q) = (f M g) && []<>q
f W <>e = []f || <>e
f M []u = <>f && []u
[]u U g = g || ([]u && <>g)
<>e V g = []g || (g && <>e)
[]u W g = []u || g
<>e M g = <>e && g
(f && g) U g = g
(f && g) W g = g
(f && g) U (g U h) = g U h
(f && g) W (g W h) = g W h
f V (f && g) = f && g
f M (f && g) = f && g
f U ((f && g) U h) = f U h
f W ((f && g) U h) = f W h
f W ((f && g) W h) = f W h
((f && h) U g) U h = g U h
((f && h) W g) U h = g U h
((f && h) U g) W h = g W h
((f && h) W g) W h = g W h
(f || (g && h)) U h = f U h
(f U (g && h)) U h = (f U (g && h)) || h
(f U (g && h)) W h = (f U (g && h)) || h
(f && (g || h)) V h = f V h
(f && (g || h)) M h = f M h
((f || h) V g) V h = g V h
f U (!f || g) = <>(!f || g)
f W (!f || g) = true
f U ((!f || g) && <>e) = <>((!f || g) && <>e)
[]f || <>((!f || g) && <>e) = f W ((!f || g) && <>e)
f M (!f && g) = false
f V (!f && g) = [](!f && g)
f V ((!f && g) || []u) = []((!f && g) || []u)
<>f && []((!f && g) || []u) = f M ((!f && g) || []u)
<>[]f || []<>g = <>([]f || []<>g)
";

/// Look right and are wrong.
const DIFFERENT: &str = "
(f V g) V (g && h) = f V (g && h)
(f && g) V (g M h) = (f && g) V h
[]u V g = g && ([]u || []g)
<>[]p = true
";

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|l| l.split_once(" = "))
}

#[test]
fn both_sides_of_each_rule_are_equivalent() {
    for (left, right) in pairs(EQUIVALENT) {
        let mut w = World::new();
        let (f, g) = (w.read(left), w.read(right));
        assert_eq!(distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap(), None, "{left} = {right}");
        // The proof above used the rules; this one does not.
        for (f, g) in [(f, g), (g, f)] {
            let not_g = w.formulas.not(g);
            let a = translate_plainly(&mut w.formulas, f, &mut w.labels).unwrap();
            let b = translate_plainly(&mut w.formulas, not_g, &mut w.labels).unwrap();
            assert!(is_empty(&product(&a, &b, &mut w.labels, 100_000).unwrap()), "{left} = {right}");
        }
    }
}

#[test]
fn traps_are_told_apart() {
    for (left, right) in pairs(DIFFERENT) {
        let mut w = World::new();
        let (f, g) = (w.read(left), w.read(right));
        let word = distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap();
        let word = word.unwrap_or_else(|| panic!("{left} = {right} holds"));
        assert_ne!(word.satisfies(&w.formulas, f), word.satisfies(&w.formulas, g));
    }
}
