//! The pattern library against the meaning of its patterns and scopes, and against published tables.

mod support;

use expect_test::{Expect, expect};
use ferrospin_ltl::patterns::{Intervals, Judgement, Pattern, Property, Role, Scope};
use ferrospin_ltl::random::Random;
use ferrospin_ltl::*;
use support::World;

/// How many words of one length and shape are looked at in the exhaustive comparison.
const WORDS_MAX: usize = 1 << 15;
/// The longest words of the exhaustive comparison.
const LENGTH_MAX: usize = 6;

/// All properties: patterns in scopes, and the outermost form where it is another property.
fn properties() -> Vec<Property> {
    let mut list = Vec::new();
    for pattern in Pattern::ALL {
        for scope in Scope::ALL {
            list.push(Property::new(pattern, scope));
            if matches!(scope, Scope::Between | Scope::AfterUntil) {
                list.push(Property { intervals: Intervals::Outermost, ..Property::new(pattern, scope) });
            }
        }
    }
    list
}

fn name(property: &Property) -> String {
    let mode = if property.intervals == Intervals::Outermost { ", outermost" } else { "" };
    format!("{} {}{mode}", property.pattern.name(), property.scope.name())
}

/// A world in which the propositions are the roles in small letters, in the order of [`Role::ALL`].
fn world() -> World {
    let mut w = World::new();
    for role in Role::ALL {
        w.atoms.add(&role.to_string().to_lowercase(), ferrospin_source::Span::NONE);
    }
    w
}

fn formula(w: &mut World, property: &Property) -> Formula {
    let roles = Role::ALL.map(|role| w.formulas.atom(AtomId(role as u32)));
    property.formula(&mut w.formulas, |role| roles[role as usize])
}

/// 64 words of one shape: for each role and position, in which of them it holds.
type Block = [[u64; 16]; 6];

/// Compares a formula with the meaning of a property on 64 words, of which the first `count` matter.
fn compare(
    w: &World,
    f: Formula,
    property: &Property,
    shape: LassoShape,
    block: &Block,
    count: usize,
) -> Result<(), Lasso> {
    let values = evaluate(&w.formulas, f, shape, |a, at| block[a.0 as usize][at]);
    for lane in 0..count {
        let expected = property.judge(shape, |role, at| block[role as usize][at] >> lane & 1 == 1).holds();
        if (values[0] >> lane & 1 == 1) != expected {
            return Err(Lasso::sample(shape.positions, shape.cycle, 6, |a, at| {
                block[a.0 as usize][at] >> lane & 1 == 1
            }));
        }
    }
    Ok(())
}

/// Compares on all short words over the roles of the property; returns how many there were.
fn compare_all(w: &World, f: Formula, property: &Property) -> Result<usize, Lasso> {
    let roles = property.roles();
    let mut words = 0;
    for length in 1..=LENGTH_MAX {
        let count = 1usize << (roles.len() * length);
        if count > WORDS_MAX {
            break;
        }
        for stem in 0..length {
            let shape = LassoShape::new(stem, length - stem);
            for first in (0..count).step_by(64) {
                let mut block: Block = [[0; 16]; 6];
                for lane in 0..64.min(count - first) {
                    for (i, &role) in roles.iter().enumerate() {
                        for (at, row) in block[role as usize][..length].iter_mut().enumerate() {
                            let bit = (first + lane) >> (at * roles.len() + i) & 1;
                            *row |= (bit as u64) << lane;
                        }
                    }
                }
                compare(w, f, property, shape, &block, 64.min(count - first))?;
                words += 64.min(count - first);
            }
        }
    }
    Ok(words)
}

/// Compares on random words in three densities, 64 at a time.
fn compare_random(
    w: &World,
    f: Formula,
    property: &Property,
    blocks: usize,
    random: &mut Random,
) -> Result<usize, Lasso> {
    for round in 0..blocks {
        let shape = LassoShape::new(random.below(6), 1 + random.below(3));
        let mut block: Block = [[0; 16]; 6];
        for at in 0..shape.positions {
            for row in &mut block {
                row[at] = match round % 3 {
                    0 => random.bits(),
                    1 => random.bits() & random.bits(),
                    _ => random.bits() & random.bits() & random.bits(),
                };
            }
        }
        compare(w, f, property, shape, &block, 64)?;
    }
    Ok(64 * blocks)
}

#[test]
fn formulas_mean_what_they_say() {
    let mut random = Random::new(65);
    let (mut count, mut words) = (0, 0);
    for property in properties() {
        let mut w = world();
        let f = formula(&mut w, &property);
        let fails = |word: Lasso| -> usize {
            let shown = print_word(&word, &w.atoms, Dialect::Project);
            panic!("{}: {} on {shown}", name(&property), w.show(f))
        };
        words += compare_all(&w, f, &property).unwrap_or_else(fails);
        words += compare_random(&w, f, &property, 60, &mut random).unwrap_or_else(fails);
        count += 1;
    }
    assert_eq!(count, 65 + 26);
    assert!(words > 5_000_000, "{words} words");
}

/// The bound can be any number, zero included.
#[test]
fn bounds() {
    for bound in [0, 1, 3, 4] {
        for scope in Scope::ALL {
            let property = Property { bound, ..Property::new(Pattern::BoundedExistence, scope) };
            let mut w = world();
            let f = formula(&mut w, &property);
            assert!(compare_all(&w, f, &property).unwrap() > 500);
            let mut random = Random::new(u64::from(bound));
            compare_random(&w, f, &property, 100, &mut random).unwrap();
        }
    }
}

/// The lines of a table that was checked by others in the same way say the same, for all words.
#[test]
fn the_table_is_the_construction() {
    let mut lines = 0;
    for line in include_str!("data/patterns.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let pattern = Pattern::ALL.into_iter().find(|p| p.name() == columns[0]).expect("a pattern");
        let scope = Scope::ALL.into_iter().find(|s| s.name() == columns[1]).expect("a scope");
        let mut w = world();
        let (f, g) = (formula(&mut w, &Property::new(pattern, scope)), w.read(columns[2]));
        let different = distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap();
        assert_eq!(different, None, "{line} and {}", w.show(f));
        lines += 1;
    }
    assert_eq!(lines, 65);
}

/// Outermost intervals make a difference for exactly these patterns.
#[test]
fn where_nesting_matters() {
    for pattern in Pattern::ALL {
        for scope in [Scope::Between, Scope::AfterUntil] {
            let every = Property::new(pattern, scope);
            let outermost = Property { intervals: Intervals::Outermost, ..every };
            let mut w = world();
            let (f, g) = (formula(&mut w, &every), formula(&mut w, &outermost));
            let different = distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap().is_some();
            let expected = matches!(
                pattern,
                Pattern::Existence
                    | Pattern::Precedence
                    | Pattern::StrictPrecedence
                    | Pattern::PrecedenceChain21
                    | Pattern::PrecedenceChain12
            );
            assert_eq!(different, expected, "{} {}", pattern.name(), scope.name());
        }
    }
}

/// What the formulas look like.
#[test]
fn texts() {
    let check = |pattern, expected: Expect| {
        let mut out = String::new();
        for scope in Scope::ALL {
            let mut w = world();
            let f = formula(&mut w, &Property::new(pattern, scope));
            out += &format!("{}: {}\n", scope.name(), w.show(f));
        }
        expected.assert_eq(&out);
    };
    check(
        Pattern::Absence,
        expect![[r#"
        globally: []!p
        before: <>r -> (!p U r)
        after: [](q -> []!p)
        between: []((q && !r && <>r) -> (!p U r))
        after-until: []((q && !r) -> (!p W r))
    "#]],
    );
    check(
        Pattern::Existence,
        expect![[r#"
        globally: <>p
        before: <>r -> (r || (!r U (p && !r)))
        after: !q W (q && <>p)
        between: []((q && !r && <>r) -> (!r U (p && !r)))
        after-until: []((q && !r) -> (!r U (p && !r)))
    "#]],
    );
    check(
        Pattern::Precedence,
        expect![[r#"
        globally: !p W s
        before: <>r -> (!p U (s || r))
        after: !q W (q && (!p W s))
        between: []((q && !r && <>r) -> (!p U (s || r)))
        after-until: []((q && !r) -> (!p W (s || r)))
    "#]],
    );
    check(
        Pattern::Response,
        expect![[r#"
        globally: [](p -> <>s)
        before: <>r -> ((p -> (!r U (s && !r))) U r)
        after: [](q -> [](p -> <>s))
        between: []((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))
        after-until: []((q && !r) -> ((p -> (!r U (s && !r))) W r))
    "#]],
    );
    check(
        Pattern::ConstrainedChain,
        expect![[r#"
        globally: [](p -> <>(s && !z && X (!z U t)))
        before: <>r -> ((p -> (!r U (s && !z && !r && X (!r && ((!z && !r) U (t && !r)))))) U r)
        after: [](q -> [](p -> <>(s && !z && X (!z U t))))
        between: []((q && !r && <>r) -> ((p -> (!r U (s && !z && !r && X (!r && ((!z && !r) U (t && !r)))))) U r))
        after-until: []((q && !r) -> ((p -> (!r U (s && !z && !r && X (!r && ((!z && !r) U (t && !r)))))) W r))
    "#]],
    );
}

#[test]
fn sentences() {
    let property = Property::new(Pattern::Response, Scope::Between);
    let said = property.sentence(|role| format!("`{}`", role.to_string().to_lowercase()));
    expect!["from every `q` until just before the next `r`, if there is one: whenever `p` holds, `s` holds at the same time or later"].assert_eq(&said);
}

/// Formulas as they were published: each is told from the right one by a word, and direct evaluation of the published
/// formula and the meaning of the property differ on that word.
#[test]
fn published_errors() {
    use Pattern::*;
    use Scope::*;
    let mut out = String::new();
    for (pattern, scope, published) in [
        // The P of the very position of R is outside.
        (Absence, Before, "<>r -> !(!r U p)"),
        (Absence, Between, "[](q && !r && <>r -> !(!r U p))"),
        (Absence, AfterUntil, "[](q && !r -> !(!r U p))"),
        // An R in the first position leaves nothing to check.
        (Existence, Before, "!r W (p && !r)"),
        (Existence, Before, "<>r -> (!r U (p && !r))"),
        // Any later Q would do.
        (Precedence, After, "[]!q || <>(q && (!p W s))"),
        // Missing parentheses.
        (PrecedenceChain21, After, "[]!q || (!q U (q && <>p -> (!p U (s && !p && X(!p U t)))))"),
        // T with R, and P after R.
        (ResponseChain21, Before, "<>r -> ((s && X(!r U t) -> X(!r U (t && <>p))) U r)"),
        (ResponseChain21, Between, "[](q && <>r -> (s && X(!r U t) -> X(!r U (t && <>p))) U r)"),
        (ResponseChain12, Before, "<>r -> (p -> (!r U (s && !r && X(!r U t)))) U r"),
        (ResponseChain12, Between, "[](q && <>r -> (p -> (!r U (s && !r && X(!r U t)))) U r)"),
        (ConstrainedChain, Before, "<>r -> (p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U r"),
        // A lost <>.
        (ResponseChain12, After, "[](q -> [](p -> (s && X<>t)))"),
        (ConstrainedChain, After, "[](q -> [](p -> (s && !z && X(!z U t))))"),
    ] {
        let property = Property::new(pattern, scope);
        let mut w = world();
        let (f, g) = (formula(&mut w, &property), w.read(published));
        let word = distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap().expect("they differ");
        let judged = property.judge(word.shape(), |role, at| word.holds(AtomId(role as u32), at)).holds();
        assert_eq!(word.satisfies(&w.formulas, f), judged);
        assert_ne!(word.satisfies(&w.formulas, g), judged);
        // The comparison with the meaning finds the error, too.
        let mut random = Random::new(14);
        let found = compare_all(&w, g, &property).and_then(|_| compare_random(&w, g, &property, 300, &mut random));
        assert!(found.is_err(), "{published}");
        let verdict = if judged { "holds" } else { "fails" };
        out += &format!("{} {verdict} on {}\n", name(&property), print_word(&word, &w.atoms, Dialect::Project));
    }
    expect![[r#"
        absence before holds on p && r; (-)*
        absence between holds on q; p && r; (-)*
        absence after-until holds on q; p && r; (-)*
        existence before holds on r; (-)*
        existence before holds on r; (-)*
        precedence after fails on p && q; q; (-)*
        precedence-chain-2-1 after fails on -; p && q; (-)*
        response-chain-2-1 before holds on s; t && r; (-)*
        response-chain-2-1 between holds on s && q; t && r; (-)*
        response-chain-1-2 before fails on p && s; t && r; (-)*
        response-chain-1-2 between fails on p && s && q; t && r; (-)*
        constrained-chain before fails on p && s; t && r; (-)*
        response-chain-1-2 after holds on p && q; (-; s; p && t)*
        constrained-chain after holds on p && q; (-; s; p && t)*
    "#]]
    .assert_eq(&out);
}

/// The suites of the case study: letters are states, `-` one in which nothing holds; the last position repeats.
#[test]
fn suites() {
    fn run(text: &str) -> Lasso {
        let mut letters: Vec<Vec<AtomId>> = Vec::new();
        let mut group = None;
        for c in text.chars() {
            let id = match c {
                ' ' => continue,
                '(' => {
                    group = Some(Vec::new());
                    continue;
                }
                ')' => {
                    letters.push(group.take().expect("an open group"));
                    continue;
                }
                '-' => None,
                _ => {
                    Some(AtomId(Role::ALL.iter().position(|r| r.to_string() == c.to_string()).expect("a role") as u32))
                }
            };
            match &mut group {
                Some(list) => {
                    list.extend(id);
                    list.sort_unstable();
                }
                None => letters.push(id.into_iter().collect()),
            }
        }
        Lasso { stem: letters, cycle: vec![Vec::new()] }
    }
    let check = |property: Property, valid: &[&str], invalid: &[&str]| {
        let mut w = world();
        let f = formula(&mut w, &property);
        for (list, expected) in [(valid, true), (invalid, false)] {
            for text in list {
                let word = run(text);
                assert_eq!(word.satisfies(&w.formulas, f), expected, "{} on {text}", name(&property));
                let judged = property.judge(word.shape(), |role, at| word.holds(AtomId(role as u32), at));
                assert_eq!(judged.holds(), expected, "{} on {text}: {judged:?}", name(&property));
            }
        }
    };
    check(
        Property::new(Pattern::Absence, Scope::Before),
        &["R---", "(RP)--", "R--P", "----R", "---(RP)", "--R--", "--(RP)--", "--R-P-R", "----", "-P-P-"],
        &["-P--R", "-P-R-"],
    );
    let nested = "Q S Q P R";
    let between = Property::new(Pattern::StrictPrecedence, Scope::Between);
    let invalid =
        ["Q P R", "Q P S R", "Q (PS) R", "Q R Q P R", "Q Q P R", "Q P Q R", "Q S P R Q R Q P R"].map(|s| s.to_owned());
    let invalid: Vec<&str> = invalid.iter().map(String::as_str).collect();
    let valid = [
        "P R",
        "(QRP)",
        "Q P",
        "----",
        "R P Q",
        "Q S R",
        "Q (RP)",
        "Q R P",
        "Q R P Q R",
        "Q Q R P R",
        "Q S P R",
        "(QS) P R",
        "Q S P R Q S P R Q P",
    ];
    check(between, &valid, &[&invalid[..], &[nested]].concat());
    check(Property { intervals: Intervals::Outermost, ..between }, &[&valid[..], &[nested]].concat(), &invalid);
    check(Property::new(Pattern::Existence, Scope::Between), &[], &["-Q-P-Q-R-"]);
    let outermost = Property { intervals: Intervals::Outermost, ..Property::new(Pattern::Existence, Scope::Between) };
    check(outermost, &["-Q-P-Q-R-"], &[]);
    check(Property::new(Pattern::Precedence, Scope::After), &[], &["-Q-P-Q-S-"]);
    check(Property::new(Pattern::Response, Scope::Globally), &["--(SP)--"], &[]);
    check(Property::new(Pattern::StrictResponse, Scope::Globally), &[], &["--(SP)--"]);
}

/// Failures name the interval and the position.
#[test]
fn failures() {
    let judge = |pattern, scope, letters: &[&[Role]], cycle| {
        let shape = LassoShape { positions: letters.len(), cycle };
        Property::new(pattern, scope).judge(shape, |role, at| letters[at].contains(&role))
    };
    let Judgement::Fails(failure) = judge(
        Pattern::Response,
        Scope::Between,
        &[&[Role::P], &[Role::Q], &[Role::P, Role::S], &[Role::P], &[Role::R, Role::S], &[]],
        5,
    ) else {
        panic!("it fails")
    };
    assert_eq!((failure.start, failure.end, failure.position), (1, Some(4), Some(3)));
    assert_eq!(failure.reason, "P has no S at the same or a later position");
    assert_eq!(judge(Pattern::Response, Scope::Between, &[&[Role::P], &[Role::Q]], 1), Judgement::Vacuous);
    assert_eq!(judge(Pattern::Response, Scope::After, &[&[Role::Q], &[Role::P], &[Role::S]], 0), Judgement::Holds);
}

/// Which properties notice repeated letters, in general and when S and T exclude each other.
#[test]
fn stuttering_of_patterns() {
    let mut sensitive = Vec::new();
    for property in properties() {
        let mut w = world();
        let f = formula(&mut w, &property);
        if stuttering(&mut w.formulas, f, &mut w.labels).unwrap() != Stuttering::Insensitive {
            sensitive.push(property);
            let exclusive = w.read("[]!(s && t)");
            let assumed = w.formulas.and(&[f, exclusive]);
            let answer = stuttering(&mut w.formulas, assumed, &mut w.labels).unwrap();
            assert_eq!(answer, Stuttering::Insensitive, "{} where S and T exclude each other", name(&property));
        }
    }
    let chains: Vec<Property> = properties().into_iter().filter(|p| p.pattern.roles().len() > 2).collect();
    assert_eq!(sensitive, chains);
}

/// The collection that came with an older model checker and is used as a benchmark since: 55 formulas with anonymous
/// propositions, in the order of the patterns. A row is right if some way of naming its propositions gives our formula.
/// The rows below are not.
#[test]
fn a_published_collection() {
    use Pattern::*;
    let order = [
        Absence,
        Existence,
        BoundedExistence,
        Universality,
        Precedence,
        Response,
        PrecedenceChain21,
        PrecedenceChain12,
        ResponseChain21,
        ResponseChain12,
        ConstrainedChain,
    ];
    let mut published: Vec<&str> = vec![""; 55];
    for line in include_str!("data/sizes.tsv").lines().filter(|l| l.starts_with("dwyer\t")) {
        let columns: Vec<&str> = line.split('\t').collect();
        published[columns[1].parse::<usize>().unwrap() - 1] = columns[2];
    }
    let mut wrong = Vec::new();
    for (row, text) in published.iter().enumerate() {
        let property = Property::new(order[row / 5], Scope::ALL[row % 5]);
        let roles = property.roles();
        let matches = permutations(&roles).into_iter().any(|named| {
            let mut w = World::new();
            for i in 0..roles.len() {
                w.atoms.add(&format!("p{i}"), ferrospin_source::Span::NONE);
            }
            let g = w.read(text);
            let atoms: Vec<Formula> = (0..named.len() as u32).map(|i| w.formulas.atom(AtomId(i))).collect();
            let state = |role| named.iter().position(|&r| r == role).map_or(Formulas::FALSE, |i| atoms[i]);
            let f = property.formula(&mut w.formulas, state);
            // Most ways are refuted by a random word; the others by automata.
            let mut random = Random::new(row as u64);
            let differs = (0..200).any(|_| {
                let word = random.lasso(5, 3, named.len() as u32, 35);
                word.satisfies(&w.formulas, f) != word.satisfies(&w.formulas, g)
            });
            !differs && distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap().is_none()
        });
        if !matches {
            wrong.push(name(&property));
        }
    }
    let text: Vec<String> = wrong.iter().map(|n| format!("{n}\n")).collect();
    expect![[r#"
        existence before
        precedence after
        precedence-chain-2-1 after
        response-chain-2-1 before
        response-chain-2-1 between
        response-chain-2-1 after-until
        response-chain-1-2 before
        response-chain-1-2 after
        response-chain-1-2 between
        response-chain-1-2 after-until
        constrained-chain before
        constrained-chain after
        constrained-chain between
        constrained-chain after-until
    "#]]
    .assert_eq(&text.concat());
}

fn permutations(roles: &[Role]) -> Vec<Vec<Role>> {
    if roles.is_empty() {
        return vec![Vec::new()];
    }
    let mut list = Vec::new();
    for i in 0..roles.len() {
        let rest = [&roles[..i], &roles[i + 1..]].concat();
        for mut tail in permutations(&rest) {
            tail.insert(0, roles[i]);
            list.push(tail);
        }
    }
    list
}

/// Samples show what they claim, and every property has some of both kinds.
#[test]
fn samples_are_true() {
    for property in properties() {
        let mut w = world();
        let f = formula(&mut w, &property);
        let samples = property.samples(2);
        for sample in &samples {
            assert_eq!(sample.word.satisfies(&w.formulas, f), sample.judgement.holds(), "{}", name(&property));
        }
        let failing = samples.iter().filter(|s| !s.judgement.holds()).count();
        // Only one word keeps absence or universality of P in the whole run, and only one breaks existence.
        let one = |patterns: &[Pattern]| property.scope == Scope::Globally && patterns.contains(&property.pattern);
        let holding_count = if one(&[Pattern::Absence, Pattern::Universality]) { 1 } else { 2 };
        let failing_count = if one(&[Pattern::Existence]) { 1 } else { 2 };
        assert_eq!((samples.len() - failing, failing), (holding_count, failing_count), "{}", name(&property));
    }
}
