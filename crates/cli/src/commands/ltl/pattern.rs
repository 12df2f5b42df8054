//! Patterns shown: what they say, their formulas, words that keep and break them.

use super::subject::Subject;
use crate::output;
use ferrospin_ltl::patterns::{Failure, Judgement, Pattern, Property, Role, Scope};
use ferrospin_ltl::{AtomId, Formula, Lasso, Stuttering, statistics, stuttering};
use serde_json::json;

/// Words of each kind.
const SAMPLES: usize = 2;

/// All patterns and scopes.
pub(super) fn list() -> String {
    let plain = |role: Role| role.to_string();
    let mut out = String::from("Patterns:\n");
    for pattern in Pattern::ALL {
        let said = Property::new(pattern, Scope::Globally).sentence(plain);
        let said = said.split_once(": ").map_or(&*said, |(_, said)| said);
        out +=
            &format!("  {:<21} {}\n", pattern.name(), said.replacen("at most 2 stretches", "at most K stretches", 1));
    }
    out += "\nScopes:\n";
    for scope in Scope::ALL {
        let said = Property::new(Pattern::Absence, scope).sentence(plain);
        let said = said.split_once(": ").map_or(&*said, |(said, _)| said);
        out += &format!("  {:<21} {said}\n", scope.name());
    }
    out + "\nAn interval contains the state that begins it, not the one that ends it.\n"
}

/// Shows a property.
pub(super) fn show(subject: &mut Subject, json: bool) -> anyhow::Result<()> {
    let (property, filled) = subject.pattern.clone().expect("a pattern was asked for");
    let formula = subject.formula().expect("a pattern has a formula");
    let sentence = property.sentence(|role| format!("`{}`", fills(subject, &filled, role)));
    let stutter = insensitive(subject, &property, &filled, formula)?;
    let automaton = subject.buchi()?;
    let facts = statistics(&automaton, &mut subject.labels);
    let samples = property.samples(SAMPLES);
    if json {
        let words = |holds: bool| -> Vec<String> {
            samples.iter().filter(|s| s.judgement.holds() == holds).map(|s| roles_word(&s.word)).collect()
        };
        let roles: serde_json::Map<String, serde_json::Value> =
            filled.iter().map(|&(role, f)| (role.to_string(), subject.show(f).into())).collect();
        return output::print_json(&json!({
            "ferrospin": ferrospin::VERSION,
            "pattern": property.pattern.name(),
            "scope": property.scope.name(),
            "roles": roles,
            "formula": subject.title,
            "sentence": sentence,
            "stuttering": stutter.word(),
            "states": facts.states,
            "edges": facts.edges,
            "satisfying": words(true),
            "violating": words(false),
        }));
    }
    let mut out = format!("{}\n\n{}\n", subject.title, capital(&sentence) + ".");
    out += &format!("Repeating states: {}.\n", stutter.sentence());
    out += &format!("Büchi automaton: {} states, {} edges.\n\n", facts.states, facts.edges);
    for sample in &samples {
        out += &match sample.judgement {
            Judgement::Fails(failure) => {
                format!("fails on  {}\n          {}\n", roles_word(&sample.word), why(&failure))
            }
            _ => format!("holds on  {}\n", roles_word(&sample.word)),
        };
    }
    output::print(&out)
}

/// Where a property fails and why, in terms of its roles.
pub(super) fn why(failure: &Failure) -> String {
    let interval = match failure.end {
        Some(end) => format!("in the interval from {} to {}", failure.start, end - 1),
        None => format!("in the interval from {} on", failure.start),
    };
    match failure.position {
        Some(at) => format!("{interval}: at {at}, {}", failure.reason),
        None => format!("{interval}: {}", failure.reason),
    }
}

/// What a property says about a word over the propositions of the formula.
pub(super) fn judge(subject: &Subject, word: &Lasso) -> Option<Judgement> {
    let (property, filled) = subject.pattern.as_ref()?;
    let holds = |role: Role, at: usize| {
        let f = filled.iter().find(|x| x.0 == role).expect("only roles of the property are asked for").1;
        let values = ferrospin_ltl::evaluate(&subject.formulas, f, word.shape(), |a, at| u64::from(word.holds(a, at)));
        values[at] & 1 == 1
    };
    Some(property.judge(word.shape(), holds))
}

/// Whether states may be repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeating {
    Harmless,
    HarmlessIfExclusive,
    Matters,
}

impl Repeating {
    fn word(self) -> &'static str {
        match self {
            Repeating::Harmless => "insensitive",
            Repeating::HarmlessIfExclusive => "insensitive if S and T exclude each other",
            Repeating::Matters => "sensitive",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Repeating::Harmless => "does not matter, partial-order reduction is sound",
            Repeating::HarmlessIfExclusive => "does not matter as long as S and T never hold together",
            Repeating::Matters => "matters, partial-order reduction is unsound",
        }
    }
}

fn insensitive(
    subject: &mut Subject,
    property: &Property,
    filled: &[(Role, Formula)],
    formula: Formula,
) -> anyhow::Result<Repeating> {
    let mut ask = |f: Formula| -> anyhow::Result<bool> {
        Ok(stuttering(&mut subject.formulas, f, &mut subject.labels)? == Stuttering::Insensitive)
    };
    if ask(formula)? {
        return Ok(Repeating::Harmless);
    }
    if !property.roles().contains(&Role::T) {
        return Ok(Repeating::Matters);
    }
    let formulas = &mut subject.formulas;
    let both: Vec<Formula> = filled.iter().filter(|x| matches!(x.0, Role::S | Role::T)).map(|x| x.1).collect();
    let together = formulas.and(&both);
    let apart = formulas.not(together);
    let exclusive = formulas.always(apart);
    let assumed = formulas.and(&[formula, exclusive]);
    let answer = stuttering(formulas, assumed, &mut subject.labels)?;
    Ok(if answer == Stuttering::Insensitive { Repeating::HarmlessIfExclusive } else { Repeating::Matters })
}

fn fills(subject: &Subject, filled: &[(Role, Formula)], role: Role) -> String {
    filled.iter().find(|x| x.0 == role).map_or_else(|| role.to_string(), |x| subject.show(x.1))
}

/// A word over roles as text. Names of roles are no formulas (R is an operator), so they are written as they are.
fn roles_word(word: &Lasso) -> String {
    let letter = |letter: &Vec<AtomId>| match &letter[..] {
        [] => "-".to_owned(),
        list => list.iter().map(|a| Role::ALL[a.0 as usize].to_string()).collect::<Vec<_>>().join(" && "),
    };
    let letters = |list: &[Vec<AtomId>]| list.iter().map(letter).collect::<Vec<_>>().join("; ");
    let stem = if word.stem.is_empty() { String::new() } else { letters(&word.stem) + "; " };
    format!("{stem}({})*", letters(&word.cycle))
}

fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
