//! Questions about a formula or an automaton, and their answers.

use super::pattern;
use super::subject::{Subject, Thing};
use crate::commands::ExitStatus;
use crate::output;
use ferrospin_ltl::patterns::Judgement;
use ferrospin_ltl::random::Random;
use ferrospin_ltl::{
    AtomId, Formula, Lasso, Rejection, Stuttering, Target, accepting_run, distinguish, explain, not_included,
    print_word, product, read_word, rejection, stuttering, stuttering_automaton, translate, word,
};
use serde_json::{Value, json};

/// States of a product that is searched for a word.
const PRODUCT_MAX: usize = 1_000_000;

/// The questions; one at a time.
#[derive(clap::Args, Debug)]
#[group(multiple = true)]
pub(super) struct QuestionArgs {
    /// Does it make no difference how often states are repeated? If it does, two words show it
    #[arg(long, help_heading = "Questions", conflicts_with_all = ["equivalent", "lasso", "random_lasso"])]
    check_stutter: bool,

    /// Is it equivalent to FORMULA? If not, a word tells them apart
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Questions", conflicts_with_all = ["lasso", "random_lasso"])]
    equivalent: Option<String>,

    /// Does it hold on this word, and why? States are separated by `;`, each names what holds in it (`-`: nothing), and
    /// `( .. )*` at the end repeats; otherwise the last state does
    #[arg(
        long,
        value_name = "WORD",
        allow_hyphen_values = true,
        help_heading = "Questions",
        conflicts_with = "random_lasso"
    )]
    lasso: Option<String>,

    /// The same for a random word
    #[arg(long, help_heading = "Questions")]
    random_lasso: bool,

    /// Which random word
    #[arg(long, value_name = "N", default_value_t = 1, requires = "random_lasso", help_heading = "Questions")]
    seed: u64,
}

impl QuestionArgs {
    /// Whether there is a question.
    pub(super) fn asked(&self) -> bool {
        self.check_stutter || self.equivalent.is_some() || self.lasso.is_some() || self.random_lasso
    }
}

/// An answer: yes or no, the sentences and the members of the JSON object that explain it.
struct Answer {
    yes: bool,
    text: String,
    members: Vec<(&'static str, Value)>,
}

/// Answers the question that was asked.
pub(super) fn answer(args: &QuestionArgs, subject: &mut Subject, json: bool) -> anyhow::Result<ExitStatus> {
    let (question, answer) = if args.check_stutter {
        ("stuttering", Some(stutter(subject)?))
    } else if let Some(text) = &args.equivalent {
        ("equivalence", equivalence(subject, text)?)
    } else {
        let word = match &args.lasso {
            Some(text) => read(subject, text),
            None => Some(random_word(subject, args.seed)?),
        };
        ("word", word.map(|word| on_word(subject, &word)))
    };
    let Some(answer) = answer else { return Ok(2) };
    if json {
        let mut object = serde_json::Map::new();
        object.insert("ferrospin".into(), ferrospin::VERSION.into());
        object.insert(super::name(subject).into(), subject.title.clone().into());
        object.insert("question".into(), question.into());
        object.insert("answer".into(), answer.yes.into());
        object.extend(answer.members.into_iter().map(|(key, value)| (key.to_owned(), value)));
        output::print_json(&object)?;
    } else {
        output::print(&answer.text)?;
    }
    Ok(u8::from(!answer.yes))
}

fn show_word(subject: &Subject, word: &Lasso) -> String {
    print_word(word, &subject.atoms, subject.dialect)
}

fn json_word(subject: &Subject, word: &Lasso) -> Value {
    let letters = |list: &[Vec<AtomId>]| -> Value {
        let letter = |l: &Vec<AtomId>| l.iter().map(|&a| subject.atoms.get(a).text.clone()).collect::<Vec<_>>();
        list.iter().map(letter).collect::<Vec<_>>().into()
    };
    json!({ "text": show_word(subject, word), "stem": letters(&word.stem), "cycle": letters(&word.cycle) })
}

fn stutter(subject: &mut Subject) -> anyhow::Result<Answer> {
    let found = match &subject.thing {
        Thing::Formula(f) => stuttering(&mut subject.formulas, *f, &mut subject.labels)?,
        Thing::Automaton(a) => stuttering_automaton(a, &mut subject.labels)?,
    };
    Ok(match found {
        Stuttering::Insensitive => Answer {
            yes: true,
            text: "insensitive to stuttering: how often a state is repeated makes no difference\n".to_owned(),
            members: Vec::new(),
        },
        Stuttering::Sensitive { holds, fails } => {
            let (holds, fails) = (holds.shortened(), fails.shortened());
            let (yes, no) = match subject.thing {
                Thing::Formula(_) => ("holds on", "fails on"),
                Thing::Automaton(_) => ("accepts", "rejects"),
            };
            let (h, f) = (show_word(subject, &holds), show_word(subject, &fails));
            Answer {
                yes: false,
                text: format!(
                    "sensitive to stuttering: two words differ in repeated states only\n  {yes}  {h}\n  {no}  {f}\n"
                ),
                members: vec![("holds", json_word(subject, &holds)), ("fails", json_word(subject, &fails))],
            }
        }
    })
}

fn equivalence(subject: &mut Subject, text: &str) -> anyhow::Result<Option<Answer>> {
    let Some(other) = subject.read_formula("<--equivalent>", text) else { return Ok(None) };
    let found = match &subject.thing {
        Thing::Formula(f) => distinguish(&mut subject.formulas, *f, other, &mut subject.labels)?,
        Thing::Automaton(_) => automaton_and_formula(subject, other)?,
    };
    let Some(word) = found.map(Lasso::shortened) else {
        return Ok(Some(Answer { yes: true, text: "equivalent\n".to_owned(), members: Vec::new() }));
    };
    let shown = show_word(subject, &word);
    let second = word.satisfies(&subject.formulas, other);
    let which = if second { "second" } else { "first" };
    Ok(Some(Answer {
        yes: false,
        text: format!("not equivalent: only the {which} holds on\n  {shown}\n"),
        members: vec![("only", which.into()), ("word", json_word(subject, &word))],
    }))
}

/// A word that exactly one of the automaton and the formula accepts.
fn automaton_and_formula(subject: &mut Subject, other: Formula) -> anyhow::Result<Option<Lasso>> {
    let a = subject.automaton()?;
    let (formulas, labels) = (&mut subject.formulas, &mut subject.labels);
    let negation = formulas.not(other);
    let no = translate(formulas, negation, Target::Generalised, labels)?;
    anyhow::ensure!(a.mark_count + no.mark_count <= 64, "the two have more than 64 marks together");
    let both = product(&a, &no, labels, PRODUCT_MAX)
        .ok_or_else(|| anyhow::anyhow!("the product has more than {PRODUCT_MAX} states"))?;
    if let Some(run) = accepting_run(&both) {
        return Ok(Some(word(&both, &run, labels)));
    }
    let yes = translate(formulas, other, Target::Generalised, labels)?;
    Ok(not_included(&yes, &a, labels)?)
}

fn read(subject: &mut Subject, text: &str) -> Option<Lasso> {
    subject.read("<--lasso>", text, |this, base| read_word(text, base, this.dialect, &mut this.atoms))
}

fn random_word(subject: &mut Subject, seed: u64) -> anyhow::Result<Lasso> {
    let atoms = subject.atoms.len() as u32;
    let mut random = Random::new(seed);
    Ok(random.lasso(5, 4, atoms, 50))
}

fn on_word(subject: &Subject, word: &Lasso) -> Answer {
    match &subject.thing {
        Thing::Formula(f) => formula_on_word(subject, *f, word),
        Thing::Automaton(a) => {
            let reason = match rejection(a, &subject.labels, word) {
                None => None,
                Some(Rejection::Stuck(at)) => Some(format!("no run can read the state at {at}")),
                Some(Rejection::Missing(marks)) => {
                    let list: Vec<String> =
                        (0..64).filter(|i| marks >> i & 1 == 1).map(|i: u32| i.to_string()).collect();
                    Some(format!("no run sees mark {} again and again", list.join(" and ")))
                }
            };
            let verdict = reason.as_ref().map_or("accepts".to_owned(), |why| format!("rejects: {why}"));
            Answer {
                yes: reason.is_none(),
                text: format!("{}\n{verdict}\n", show_word(subject, word)),
                members: vec![("word", json_word(subject, word)), ("reason", reason.into())],
            }
        }
    }
}

fn formula_on_word(subject: &Subject, f: Formula, word: &Lasso) -> Answer {
    let facts = explain(&subject.formulas, f, word);
    let mut text = format!("{}\n", show_word(subject, word));
    let mut list = Vec::new();
    for fact in &facts {
        let said = fact.text(&subject.formulas, &subject.atoms, subject.dialect);
        text += &format!("{}{said}\n", "  ".repeat(fact.depth));
        list.push(json!({
            "depth": fact.depth,
            "formula": subject.show(fact.formula),
            "position": fact.position,
            "holds": fact.holds,
            "text": said,
        }));
    }
    let mut members = vec![("word", json_word(subject, word)), ("facts", list.into())];
    if let Some(judgement) = pattern::judge(subject, word) {
        let said = match judgement {
            Judgement::Vacuous => "the pattern asks for nothing on this word".to_owned(),
            Judgement::Holds => "the pattern holds in every interval".to_owned(),
            Judgement::Fails(failure) => format!("the pattern fails {}", pattern::why(&failure)),
        };
        text += &format!("{said}\n");
        members.push(("pattern", said.into()));
    }
    Answer { yes: facts[0].holds, text, members }
}
