//! Formulas as typed on the command line: read and lowered in the scope of a model that has been read and lowered already.

use crate::front::Front;
use crate::report::Location;
use crate::run::Runnable;
use crate::verify::{BadFormula, Refusal};
use ferrospin_lower::claim::Property;
use ferrospin_model::ir::Uses;
use ferrospin_promela as promela;
use ferrospin_promela::ast::Unit;
use ferrospin_source::suggest::closest;

/// What a formula is called where a message points into it.
pub(crate) const NAME: &str = "<formula>";

/// A formula as typed.
pub(crate) struct Typed {
    /// The formula; its name is its text.
    pub(crate) property: Property,
    /// What the model and the formula make use of.
    pub(crate) uses: Uses,
    /// Where it begins.
    pub(crate) location: Option<Location>,
}

impl Typed {
    /// Reads a formula in the scope of a model.
    pub(crate) fn read(front: &Front, runnable: &Runnable, text: &str) -> Result<Typed, Refusal> {
        let mut map = front.map.clone();
        let file = map.add_file(NAME, text);
        let read = promela::read_formula(&mut map, file, &front.reading);
        let formula =
            read.map_err(|said| Refusal::Formula(BadFormula::new(text, &map, &said, unnamed(front, text))))?;
        let (scope, model) = runnable.scope();
        let lowered = scope.formula(model, &map, &formula.names, text, &formula.expr).map_err(|what| {
            Refusal::Refused(format!(
                "`{text}` asks about {what}, which the model does not keep: make it an `ltl` block of the model"
            ))
        })?;
        if lowered.foreign {
            return Err(Refusal::Refused(format!("`{text}` holds embedded C, which is read but not run")));
        }
        let place = map.position(formula.expr.at.0);
        let location = place.map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column });
        Ok(Typed { property: lowered.property, uses: lowered.uses, location })
    }
}

/// What is said of a lone word, which may be meant as the name of a block.
fn unnamed(front: &Front, word: &str) -> Option<String> {
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let name = |unit: &'_ Unit| match unit {
        Unit::Ltl(l) => l.name.as_ref().map(|n| n.name.clone()),
        Unit::Never(n) => n.name.as_ref().map(|n| n.name.clone()),
        _ => None,
    };
    let names: Vec<_> = front.reading.program.units.iter().filter_map(name).collect();
    Some(match closest(word, names.iter().map(|n| &**n)) {
        Some(near) => format!("there is no `ltl` block of this name either; there is `{near}`"),
        None => "there is no `ltl` block of this name either".into(),
    })
}

#[cfg(test)]
mod tests {
    use crate::files::DiskLoader;
    use crate::front::{self, Front};
    use crate::report::Verdict;
    use crate::verify::{Goal, Goals, Options, Refusal, verify};
    use expect_test::{Expect, expect};

    const MODEL: &str = "#define done (turn == 2)
        #define standing(p) (P[p]@crit)
        mtype = { red, green }; mtype light = red;
        byte turn; byte request[2]; chan c = [2] of { byte };
        active [2] proctype P() {
            byte x;
            do :: turn == _pid -> request[_pid] = 1; crit: request[_pid] = 0; turn = 1 - turn; again: goto next; next: skip od
        }
        ltl goes { []<> (turn == 1) }";

    fn read(text: &str) -> Front {
        let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
        assert!(!front.unreadable, "{}", front.text(false));
        front
    }

    fn asked(front: &Front, formula: &str) -> Result<Verdict, Refusal> {
        let goals = Goals::Only(vec![Goal::Ltl(formula.into())]);
        verify(front, &Options { goals, ..Options::default() }).map(|v| v.properties[0].verdict)
    }

    /// What is said of a formula that cannot be checked.
    fn refused(formula: &str, expected: Expect) {
        match asked(&read(MODEL), formula).expect_err("a mistake") {
            Refusal::Formula(bad) => expected.assert_eq(bad.text(false)),
            refusal => expected.assert_eq(&refusal.why()),
        }
    }

    #[test]
    fn mistakes_are_shown_in_the_formula() {
        refused(
            "[] (requst[0] == 0)",
            expect![[r#"
            error[undeclared]: variable `requst` is not declared
             --> <formula>:1:5
              |
            1 | [] (requst[0] == 0)
              |     ^^^^^^ not declared
              |
            help: did you mean `request`?
              |
            1 | [] (request[0] == 0)
              |         +

        "#]],
        );
        refused(
            "[] (turn -> )",
            expect![[r#"
            error[syntax]: expected an expression, found `)`
             --> <formula>:1:13
              |
            1 | [] (turn -> )
              |             ^

        "#]],
        );
        refused(
            "P[0]@crt",
            expect![[r#"
            error[unknown-label]: process type `P` has no label `crt`
             --> <formula>:1:6
              |
            1 | P[0]@crt
              |      ^^^ not defined there
              |
             ::: m.pml:5:29
              |
            5 |         active [2] proctype P() {
              |                             - `P` is defined here
              |
            help: did you mean `crit`?
              |
            1 | P[0]@crit
              |        +

        "#]],
        );
        refused(
            "turn } ltl q { turn",
            expect![[r#"
            error[syntax]: expected the end of the formula, found `}`
             --> <formula>:1:6
              |
            1 | turn } ltl q { turn
              |      ^

        "#]],
        );
        refused(
            "[] done(1) && undone",
            expect![[r#"
            error[syntax]: expected the end of the formula, found `(`
             --> <formula>:1:8
              |
            1 | [] done(1) && undone
              |        ^

        "#]],
        );
        refused(
            "",
            expect![[r#"
            error[syntax]: expected an expression, found the end of the file
             --> <formula>:1:1
              |
            1 |
              | ^

        "#]],
        );
    }

    #[test]
    fn a_lone_word_may_be_meant_as_a_name() {
        refused(
            "goez",
            expect![[r#"
            error[undeclared]: variable `goez` is not declared
             --> <formula>:1:1
              |
            1 | goez
              | ^^^^ not declared
              |
              = note: there is no `ltl` block of this name either; there is `goes`

        "#]],
        );
        refused(
            "nothing_like_it",
            expect![[r#"
            error[undeclared]: variable `nothing_like_it` is not declared
             --> <formula>:1:1
              |
            1 | nothing_like_it
              | ^^^^^^^^^^^^^^^ not declared
              |
              = note: there is no `ltl` block of this name either

        "#]],
        );
    }

    #[test]
    fn what_the_model_does_not_keep_is_told() {
        refused(
            "[] (_last == 0)",
            expect![
                "`[] (_last == 0)` asks about `_last`, which the model does not keep: make it an `ltl` block of the model"
            ],
        );
        refused(
            "[] (get_priority(0) == 1)",
            expect![
                "`[] (get_priority(0) == 1)` asks about priorities, which the model does not keep: make it an `ltl` block of the model"
            ],
        );
        refused(
            "<> P[0]@again",
            expect![
                "`<> P[0]@again` asks about the label `again` of a jump, which the model does not keep: make it an `ltl` block of the model"
            ],
        );
        refused("[] c_expr { 1 }", expect!["`[] c_expr { 1 }` holds embedded C, which is read but not run"]);
        refused(
            "#include \"x.h\"",
            expect![[r#"
            error[include-not-found]: cannot include `x.h`
             --> <formula>:1:10
              |
            1 | #include "x.h"
              |          ^^^^^ files are included in models only

            error[syntax]: expected an expression, found the end of the file
             --> <formula>:1:15
              |
            1 | #include "x.h"
              |               ^

        "#]],
        );
    }

    /// A formula as typed has the verdict that it has as a block behind the model.
    #[test]
    fn a_typed_formula_is_a_block_behind_the_model() {
        let formulas = [
            "[]<> (turn == 1)",
            "<> done",
            "[] !done",
            "<> standing(0)",
            "[] (standing(0) -> request[0] == 1)",
            "[] !timeout",
            "[] (light == red)",
            "[] (P[0]:x == 0)",
            "X (turn == 0)",
            "[] (len(c) == 0)",
            "[] (request[0] == 0 -> <> (request[0] == 1))",
            "turn == 0\n-> turn == 0",
            "<> enabled(0)",
            "always (turn < 2) /* so */ // and so",
            "eventually done",
        ];
        let front = read(MODEL);
        for formula in formulas {
            let block = read(&format!("{MODEL}\nltl typed {{ {formula}\n}}"));
            assert_eq!(asked(&front, formula), asked(&block, "typed"), "{formula}");
        }
    }

    /// The literature's letters are operators, unless the model has such a name.
    #[test]
    fn letters_are_operators() {
        let front = read(MODEL);
        for (letters, signs) in [
            ("G (turn < 2)", "[] (turn < 2)"),
            ("F G (turn == 1)", "<> [] (turn == 1)"),
            ("G F (turn == 1)", "[] <> (turn == 1)"),
            ("done R (turn < 2)", "done V (turn < 2)"),
            ("(turn == 1) M (turn < 2)", "(turn < 2) U ((turn == 1) && (turn < 2))"),
            ("(turn == 1) M (turn == 0)", "(turn == 0) U ((turn == 1) && (turn == 0))"),
            ("G (turn == 0 -> F (turn == 1))", "[] (turn == 0 -> <> (turn == 1))"),
        ] {
            let verdict = asked(&front, letters);
            assert!(verdict.is_ok(), "{letters}: {verdict:?}");
            assert_eq!(verdict, asked(&front, signs), "{letters}");
        }
        let named = read("byte G = 1; bool F; active proctype P() { F = true }");
        assert_eq!(asked(&named, "[] (G == 1)"), Ok(Verdict::Holds));
        assert_eq!(asked(&named, "<> F"), Ok(Verdict::Holds));
    }

    /// The model is read once: what it was read from need not be there any more.
    #[test]
    fn a_model_is_read_once() {
        let folder = std::env::temp_dir().join(format!("ferrospin-formula-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("part.h"), "#define done (turn == 2)\nbyte turn;").expect("a file");
        let model = "#include \"part.h\"\nactive proctype P() { do :: turn < 2 -> turn++ :: else -> turn = 0 od }";
        std::fs::write(folder.join("m.pml"), model).expect("a file");
        let front = front::read_path(&folder.join("m.pml"), &front::Options::default()).expect("it can be read");
        std::fs::remove_dir_all(&folder).expect("it can be removed");
        let goals = ["[]<> done", "[] !done", "<>[] done"].map(|f| Goal::Ltl(f.into())).to_vec();
        let found = verify(&front, &Options { goals: Goals::Only(goals), ..Options::default() }).expect("verdicts");
        let verdicts: Vec<Verdict> = found.properties.iter().map(|p| p.verdict).collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Violated, Verdict::Violated]);
        // A violation is told as a run, which was confirmed.
        assert!(found.properties[1].story.is_some() && found.properties[2].story.is_some());
    }
}
