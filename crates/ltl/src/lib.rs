//! Linear temporal logic: formulas and automata.
//!
//! - [`Formulas`] is the arena of formulas; [`parse`] reads text into it, and a caller with an expression tree of its own
//!   calls the constructors with propositions given by index. [`print()`] writes what [`parse`] reads.
//! - [`evaluate`] and [`Lasso::satisfies`] decide formulas on ultimately periodic words, straight from the definition;
//!   [`explain`] says why. [`read_word`] and [`print_word`] are the text form of words.
//! - [`translate`] gives an [`Automaton`] that accepts the words on which a formula holds: generalised, or with
//!   accepting states. Labels of edges live in [`Labels`].
//! - [`never()`], [`hoa()`], [`dot()`] and [`statistics`] show automata; [`read_hoa`] reads them.
//! - [`patterns`] has formulas for what is asked for most often, such as "S responds to P between Q and R".
//! - [`distinguish`] compares two formulas, [`stuttering`] asks whether repeating letters matters; both answer with words.
//!   [`not_included`] and [`stuttering_automaton`] do the same for automata that come from no formula.
//! - For products with a system: [`Automaton::steps`] and the marks of edges, [`Automaton::strength`] and
//!   [`Automaton::acceptances`] for shorter ways, [`translate_guarded`] for marks that the product sets itself,
//!   [`StutterClosure`] for claims that may notice repetitions, [`rejection`] for why a run is not accepted.
//!
//! ```
//! use ferrospin_ltl::{AtomId, Formulas, Labels, Target, translate};
//!
//! // [](p -> <>q), with propositions known by their index only.
//! let (mut formulas, mut labels) = (Formulas::new(), Labels::new());
//! let (p, q) = (formulas.atom(AtomId(0)), formulas.atom(AtomId(1)));
//! let later = formulas.eventually(q);
//! let response = formulas.implies(p, later);
//! let f = formulas.always(response);
//! let violation = formulas.not(f);
//! let claim = translate(&mut formulas, violation, Target::Buchi, &mut labels).unwrap();
//! assert_eq!((claim.state_count(), claim.edge_count()), (2, 3));
//! ```
//!
//! Propositions are opaque: this crate keeps their text and depends on nothing of the language they are written in.

mod atoms;
mod automaton;
mod bad_prefixes;
mod classify;
mod closure;
mod degeneralise;
mod dot;
mod explain;
mod formula;
mod guarded;
mod hoa;
mod hoa_lex;
mod hoa_read;
mod implication;
mod inclusion;
mod label;
mod lasso;
mod lex;
mod never;
mod nnf;
mod operand;
mod parse;
mod parse_messages;
pub mod patterns;
mod print;
mod product;
mod prune;
pub mod random;
mod redundant;
mod rejection;
mod scc;
mod simplify;
mod simplify_and;
mod simplify_until;
mod simulation;
mod strength;
mod stutter;
mod tableau;
mod testing;
mod translate;
mod wdba;
mod witness;
mod word;

pub use atoms::{Atom, Atoms};
pub use automaton::{Automaton, Edge, Marks, StateId};
pub use bad_prefixes::BadPrefixes;
pub use classify::{Statistics, statistics};
pub use closure::{ClaimVerdict, ClosureStep, Letter, StutterClosure, stutter_close};
pub use degeneralise::degeneralise;
pub use dot::dot;
pub use explain::{Fact, Reason, explain};
pub use formula::{AtomId, Flags, Formula, Formulas, Node, Op};
pub use guarded::{Guarded, translate_guarded};
pub use hoa::hoa;
pub use hoa_read::{HoaAutomaton, read_hoa};
pub use inclusion::{not_included, stuttering_automaton};
pub use label::{Cube, Label, Labels};
pub use lasso::{Lasso, LassoShape, evaluate};
pub use never::{NeverOptions, guard, never};
pub use parse::{DEPTH_MAX, Dialect, parse};
pub use print::{print, print_with};
pub use product::{accepts, accepts_from, is_empty, product};
pub use rejection::{Rejection, rejection};
pub use simulation::reduce;
pub use strength::{Acceptance, Strength};
pub use stutter::{Stuttering, stuttering};
pub use testing::{TESTING_ATOMS_MAX, Testing};
pub use translate::{Target, TranslateError, simplify, translate, translate_plainly};
pub use witness::{AcceptingRun, accepting_run, distinguish, word};
pub use word::{print_word, read_word};
