//! Type inference: what every channel carries, and what does not fit.
//!
//! Promela leaves the message layout of a `chan` variable or parameter unstated; it is inferred here for the whole
//! model, after Donaldson and Gay, "ETCH: An Enhanced Type Checking Tool for Promela" (SPIN 2005). Every channel is a
//! node of a graph; assignments, arguments of `run` and messages unify nodes ([`graph`]). Numeric message fields are
//! not unified but collect what is declared, sent and received, and are compared at the end ([`fields`]), which keeps
//! subtyping out of unification. Control flow is ignored: one node per variable for the whole model, except for the
//! small pass that finds channels used before they are set ([`uninit`]).
//!
//! All that is said here is a lint: SPIN runs these models. A layout that is declared, or that most uses agree on, is
//! taken for granted, so that the odd statement out gets the blame ([`message`]).

mod clash;
mod expr;
mod fields;
mod fit;
mod graph;
mod infer;
mod message;
pub(crate) mod number;
mod poly;
mod printf;
mod shape;
pub(crate) mod show;
mod stmt;
mod uninit;

use crate::ast::Program;
use crate::names::{Names, VarId};
use ferrospin_source::{Diagnostics, SourceMap, Span};
use graph::{Graph, NodeId};
use std::fmt::Write;

/// How strict the rules are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A `pid` is no number: symmetry detection needs that.
    pub strict_pid: bool,
    /// Truth values may be used as numbers.
    pub lax_bool: bool,
    /// A process type may be run with channels of different layouts.
    pub poly: bool,
}

/// What was inferred.
#[derive(Clone, Debug)]
pub struct Types {
    graph: Graph,
    channels: Vec<(ChannelType, NodeId)>,
}

/// A channel variable, parameter or record field, and what it carries.
#[derive(Clone, Debug)]
pub struct ChannelType {
    /// The variable.
    pub var: VarId,
    /// Fields that lead from the variable to the channel; empty unless the variable is a record.
    pub path: Vec<u32>,
    /// Name for people: `server`, `Agent.talk`, `Agent.box.reply`.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The type, such as `rec a. chan{mtype,a}`; just `chan` when nothing is known of its messages.
    pub layout: String,
}

impl Types {
    /// All channels in order of declaration.
    pub fn channels(&self) -> impl Iterator<Item = &ChannelType> {
        self.channels.iter().map(|(channel, _)| channel)
    }

    /// What a channel variable carries.
    pub fn layout(&self, var: VarId) -> Option<&str> {
        self.channels().find(|c| c.var == var && c.path.is_empty()).map(|c| c.layout.as_str())
    }

    /// Whether the values of two channel variables can flow into one another, so that they may be the same channel. This
    /// is the whole truth only where nothing of error level was found: what does not fit is left out.
    pub fn may_alias(&self, a: VarId, b: VarId) -> bool {
        let node = |var| self.channels.iter().find(|(c, _)| c.var == var && c.path.is_empty()).map(|&(_, node)| node);
        node(a).zip(node(b)).is_some_and(|(a, b)| self.graph.find(a) == self.graph.find(b))
    }

    /// The inferred layout of every channel, one per line.
    pub fn show(&self) -> String {
        // A longer name pushes its layout to the right: formatting takes no width above 65,535.
        let width = self.channels().map(|c| c.name.chars().count()).max().unwrap_or(0).min(40);
        let mut text = String::new();
        for channel in self.channels() {
            let _ = writeln!(text, "{:width$} : {}", channel.name, channel.layout);
        }
        text
    }
}

/// Infers the types of a model and says what does not fit.
pub fn infer(map: &SourceMap, program: &Program, names: &Names, options: &Options) -> (Types, Diagnostics) {
    let mut checker = infer::Checker::new(map, names, *options);
    checker.run(program);
    uninit::check(map, program, names, &mut checker.said);
    checker.finish()
}
