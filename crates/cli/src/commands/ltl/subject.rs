//! What a run of `ferrospin ltl` is about: a formula, a pattern, or an automaton from a file.

use super::Reading;
use crate::output;
use anyhow::{Context, bail, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ferrospin_ltl::patterns::{Intervals, Pattern, Property, Role, Scope};
use ferrospin_ltl::{
    Atoms, Automaton, Dialect, Flags, Formula, Formulas, Labels, Target, degeneralise, parse, print, read_hoa,
    translate,
};
use ferrospin_source::{Diagnostics, SourceMap, render};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest `--bound`: formulas of more stretches are beyond the translation.
const BOUND_MAX: i64 = 30;

/// Which formula or automaton.
#[derive(clap::Args, Debug)]
pub(super) struct SubjectArgs {
    /// The formula, such as `[] (p -> <> q)`
    #[arg(
        value_name = "FORMULA",
        allow_hyphen_values = true,
        required_unless_present_any = ["hoa", "pattern", "list"],
        conflicts_with_all = ["hoa", "pattern", "list"]
    )]
    formula: Option<String>,

    /// Whose rules of precedence to read formulas by
    #[arg(long, value_enum, value_name = "DIALECT", default_value_t = Reading::Project)]
    dialect: Reading,

    /// An automaton in the Hanoi format instead of a formula; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pattern", "negate", "list"])]
    hoa: Option<PathBuf>,

    /// The negation of the formula
    #[arg(long)]
    negate: bool,

    /// A pattern instead of a formula; `--list` shows them
    #[arg(
        long,
        value_name = "PATTERN",
        value_parser = named(Pattern::ALL.map(|p| (p.name(), p))),
        hide_possible_values = true,
        help_heading = "Patterns"
    )]
    pattern: Option<Pattern>,

    /// When the pattern applies: globally, before R, after Q, between Q and R, after Q until R
    /// [default: globally]
    #[arg(
        long,
        value_name = "SCOPE",
        value_parser = named(Scope::ALL.map(|s| (s.name(), s))),
        help_heading = "Patterns"
    )]
    scope: Option<Scope>,

    /// What stands for P [default: p]
    #[arg(long, value_name = "EXPRESSION", help_heading = "Patterns")]
    p: Option<String>,

    /// What stands for S [default: s]
    #[arg(long, value_name = "EXPRESSION", help_heading = "Patterns")]
    s: Option<String>,

    /// What stands for T, in chains [default: t]
    #[arg(long, value_name = "EXPRESSION", help_heading = "Patterns")]
    t: Option<String>,

    /// What stands for Z, in constrained chains [default: z]
    #[arg(long, value_name = "EXPRESSION", help_heading = "Patterns")]
    z: Option<String>,

    /// What begins the scope [default: q]
    #[arg(long, value_name = "EXPRESSION", help_heading = "Patterns")]
    q: Option<String>,

    /// What ends the scope [default: r]
    #[arg(long, value_name = "EXPRESSION", help_heading = "Patterns")]
    r: Option<String>,

    /// In how many stretches P may hold (bounded-existence) [default: 2]
    #[arg(
        long,
        value_name = "K",
        value_parser = clap::value_parser!(u32).range(0..=BOUND_MAX),
        help_heading = "Patterns"
    )]
    bound: Option<u32>,

    /// S must not coincide with P (response, precedence)
    #[arg(long, help_heading = "Patterns")]
    strict: bool,

    /// Which Q opens an interval: `every` one, or only the first since the last R (`outermost`)
    /// [default: every]
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = named([("every", Intervals::Every), ("outermost", Intervals::Outermost)]),
        help_heading = "Patterns"
    )]
    intervals: Option<Intervals>,

    /// List the patterns and scopes
    #[arg(long, exclusive = true, help_heading = "Patterns")]
    pub(super) list: bool,
}

/// A parser of names that stand for values.
fn named<T: Clone + Send + Sync + 'static, const N: usize>(
    list: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = list.clone().map(|(name, _)| name);
    PossibleValuesParser::new(names).map(move |typed| {
        let found = list.iter().find(|(name, _)| *name == typed);
        found.expect("clap has checked the name").1.clone()
    })
}

/// A formula, or an automaton that comes from none.
pub(super) enum Thing {
    Formula(Formula),
    Automaton(Automaton),
}

/// What the run is about, and what it is made of.
pub(super) struct Subject {
    pub(super) formulas: Formulas,
    pub(super) atoms: Atoms,
    pub(super) labels: Labels,
    pub(super) dialect: Dialect,
    pub(super) thing: Thing,
    /// The formula as typed, or the name of the automaton.
    pub(super) title: String,
    /// The pattern, and what fills its roles.
    pub(super) pattern: Option<(Property, Vec<(Role, Formula)>)>,
}

impl Subject {
    /// The formula, unless an automaton was read.
    pub(super) fn formula(&self) -> Option<Formula> {
        match self.thing {
            Thing::Formula(f) => Some(f),
            Thing::Automaton(_) => None,
        }
    }

    /// A generalised automaton.
    pub(super) fn automaton(&mut self) -> anyhow::Result<Automaton> {
        self.translate(Target::Generalised)
    }

    /// An automaton with accepting states.
    pub(super) fn buchi(&mut self) -> anyhow::Result<Automaton> {
        self.translate(Target::Buchi)
    }

    fn translate(&mut self, target: Target) -> anyhow::Result<Automaton> {
        match &self.thing {
            Thing::Formula(f) => Ok(translate(&mut self.formulas, *f, target, &mut self.labels)?),
            Thing::Automaton(a) if target == Target::Buchi && !a.state_based => Ok(degeneralise(a, &mut self.labels)),
            Thing::Automaton(a) => Ok(a.clone()),
        }
    }

    /// Whether its shape alone shows that stuttering does not matter.
    pub(super) fn is_plainly_insensitive(&self) -> bool {
        self.formula().is_some_and(|f| self.formulas.is(f, Flags::X_FREE))
    }

    /// Reads a further text; what is wrong with it is said. `None` if it cannot be used.
    pub(super) fn read<T>(
        &mut self,
        name: &str,
        text: &str,
        read: impl FnOnce(&mut Self, u32) -> (Option<T>, Diagnostics),
    ) -> Option<T> {
        let mut map = SourceMap::new();
        let file = map.add_file(name, text);
        let (value, said) = read(self, map.base(file));
        output::say(&render::list_to_string(&map, &said, false));
        value.filter(|_| !said.has_errors())
    }

    /// Reads a further formula.
    pub(super) fn read_formula(&mut self, name: &str, text: &str) -> Option<Formula> {
        self.read(name, text, |this, base| parse(text, base, this.dialect, &mut this.formulas, &mut this.atoms))
    }

    /// A formula as text.
    pub(super) fn show(&self, f: Formula) -> String {
        print(&self.formulas, f, &self.atoms, self.dialect)
    }
}

impl SubjectArgs {
    /// What fills the roles.
    fn roles(&self) -> [(Role, &Option<String>); 6] {
        let typed = [&self.p, &self.s, &self.t, &self.z, &self.q, &self.r];
        std::array::from_fn(|i| (Role::ALL[i], typed[i]))
    }

    /// An option that says something about a pattern. (clap does not ask for `--pattern` where a formula excludes it.)
    fn about_pattern(&self) -> Option<String> {
        let role = self.roles().into_iter().find(|r| r.1.is_some()).map(|r| option(r.0));
        let others = [
            (self.scope.is_some(), "--scope"),
            (self.bound.is_some(), "--bound"),
            (self.strict, "--strict"),
            (self.intervals.is_some(), "--intervals"),
        ];
        role.or_else(|| others.iter().find(|o| o.0).map(|o| o.1.to_owned()))
    }
}

/// The option that fills a role.
fn option(role: Role) -> String {
    format!("--{}", role.to_string().to_lowercase())
}

/// Reads what was typed; `None` if it is wrong, which has been said.
pub(super) fn read(args: &SubjectArgs) -> anyhow::Result<Option<Subject>> {
    if let (None, Some(option)) = (args.pattern, args.about_pattern()) {
        bail!("`{option}` goes with `--pattern`");
    }
    let mut subject = Subject {
        formulas: Formulas::new(),
        atoms: Atoms::default(),
        labels: Labels::new(),
        dialect: args.dialect.into(),
        thing: Thing::Formula(Formulas::TRUE),
        title: String::new(),
        pattern: None,
    };
    if let Some(path) = &args.hoa {
        return automaton(path, subject);
    }
    let formula = match (&args.formula, args.pattern) {
        (Some(text), _) => {
            subject.title.clone_from(text);
            subject.read_formula("<formula>", text)
        }
        (None, Some(pattern)) => pattern_formula(args, pattern, &mut subject)?,
        (None, None) => unreachable!("clap asks for one of them"),
    };
    let Some(mut formula) = formula else { return Ok(None) };
    if args.negate {
        formula = subject.formulas.not(formula);
        // The negation of a pattern is a formula like any other.
        subject.pattern = None;
        subject.title = if args.formula.is_some() { format!("!({})", subject.title) } else { subject.show(formula) };
    }
    subject.thing = Thing::Formula(formula);
    Ok(Some(subject))
}

fn automaton(path: &Path, mut subject: Subject) -> anyhow::Result<Option<Subject>> {
    let (name, text) = if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        ("<stdin>".to_owned(), text)
    } else {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
        (name, text)
    };
    let read = subject.read(&name, &text, |this, base| {
        let (list, said) = read_hoa(&text, base, &mut this.atoms, &mut this.labels);
        (Some(list), said)
    });
    let Some(mut list) = read else { return Ok(None) };
    ensure!(list.len() == 1, "`{name}` holds {} automata, and one is expected", list.len());
    let read = list.remove(0);
    subject.title = read.name.unwrap_or(name);
    subject.thing = Thing::Automaton(read.automaton);
    Ok(Some(subject))
}

fn pattern_formula(args: &SubjectArgs, pattern: Pattern, subject: &mut Subject) -> anyhow::Result<Option<Formula>> {
    let pattern = match (args.strict, pattern.strict()) {
        (false, _) => pattern,
        (true, Some(strict)) => strict,
        (true, None) => bail!("`--strict` is for `response` and `precedence`"),
    };
    let (scope, intervals) = (args.scope.unwrap_or(Scope::Globally), args.intervals.unwrap_or_default());
    let property = Property { intervals, bound: args.bound.unwrap_or(2), ..Property::new(pattern, scope) };
    ensure!(args.bound.is_none() || pattern == Pattern::BoundedExistence, "`--bound` is for `bounded-existence`");
    ensure!(
        args.intervals.is_none() || matches!(scope, Scope::Between | Scope::AfterUntil),
        "`--intervals` is for the scopes `between` and `after-until`"
    );
    let roles = property.roles();
    let mut filled = Vec::new();
    for (role, typed) in args.roles() {
        let option = option(role);
        if !roles.contains(&role) {
            ensure!(
                typed.is_none(),
                "`{option}` has no place in `{}` with the scope `{}`",
                pattern.name(),
                scope.name()
            );
            continue;
        }
        let text = typed.clone().unwrap_or_else(|| role.to_string().to_lowercase());
        let Some(f) = subject.read_formula(&format!("<{option}>"), &text) else { return Ok(None) };
        let boolean = subject.formulas.is(f, Flags::BOOLEAN);
        ensure!(boolean, "`{option}` takes an expression about one state, without temporal operators");
        filled.push((role, f));
    }
    let state = |role: Role| filled.iter().find(|x| x.0 == role).map_or(Formulas::FALSE, |x| x.1);
    let formula = property.formula(&mut subject.formulas, state);
    subject.title = subject.show(formula);
    subject.pattern = Some((property, filled));
    Ok(Some(formula))
}
