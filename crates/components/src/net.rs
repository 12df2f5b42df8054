//! Nets: parts that move together on the labels they share, composed step by step.
//!
//! Each step makes the product of some parts, hides what only they have and is not observed, and minimises; the result is a part again.
//! What counts is the *peak*, the largest product on the way, and that depends on the order (Cheng, SPIN 2005). A plan is written down
//! or chosen: the automatic one joins the two parts whose product is smallest for the labels that it closes.

use ferrospin_lts::equivalence::minimise;
use ferrospin_lts::mu::fits;
use ferrospin_lts::operations::hide;
use ferrospin_lts::product::{by_alphabets, product};
use ferrospin_lts::{Graph, Label, Notion, Stopped, Watch};
use std::collections::BTreeMap;
use thiserror::Error;

/// A part: its alphabet is the table of labels of its graph.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// What it does.
    pub graph: Graph,
}

/// Parts, and what is seen of them.
#[derive(Clone, Debug)]
pub struct Net {
    /// The parts.
    pub parts: Vec<Part>,
    /// Patterns of labels that stay visible, where `*` stands for any text; `None` leaves all visible.
    pub observed: Option<Vec<String>>,
    /// The notion that minimising keeps.
    pub notion: Notion,
}

/// In which order parts are composed.
#[derive(Clone, Debug)]
pub enum Plan {
    /// All at once, and minimised at the end.
    Flat,
    /// Two at a time, as it seems best.
    Auto,
    /// As written; what is left at the end is composed at once.
    Steps(Vec<Step>),
}

/// A step of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The name of the result.
    pub name: String,
    /// What is composed: parts, and results of earlier steps.
    pub of: Vec<String>,
}

/// What a step made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The name of the result.
    pub name: String,
    /// What was composed.
    pub of: Vec<String>,
    /// How many labels were hidden.
    pub hidden: usize,
    /// How many labels others share with the result.
    pub interface: usize,
    /// States and transitions of the product.
    pub product: [usize; 2],
    /// States and transitions of the minimised product.
    pub minimised: [usize; 2],
}

/// A composed net.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The minimised whole.
    pub graph: Graph,
    /// All steps.
    pub steps: Vec<Made>,
}

impl Composition {
    /// The states of the largest product on the way.
    pub fn peak(&self) -> usize {
        self.steps.iter().map(|s| s.product[0]).max().unwrap_or(0)
    }
}

/// Why a net was not composed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A plan names what is not there.
    #[error("step `{step}` composes `{name}`, which is no part, or was composed before")]
    Missing {
        /// The step.
        step: String,
        /// What it names.
        name: String,
    },
    /// Two parts or steps have one name.
    #[error("there are two parts or steps with the name `{0}`")]
    Twice(String),
    /// There is nothing to compose.
    #[error("the net has no parts")]
    Empty,
    /// The watch said no.
    #[error("stopped before the end")]
    Stopped,
}

impl From<Stopped> for Error {
    fn from(_: Stopped) -> Self {
        Error::Stopped
    }
}

/// Composes a net.
pub fn compose(net: &Net, plan: &Plan, watch: &dyn Watch) -> Result<Composition, Error> {
    let mut table = Table { net, watch, parts: BTreeMap::new(), steps: Vec::new() };
    for part in &net.parts {
        table.add(&part.name, part.graph.clone())?;
    }
    match plan {
        Plan::Flat => {}
        Plan::Steps(steps) => {
            for step in steps {
                table.make(&step.name, &step.of)?;
            }
        }
        Plan::Auto => {
            while table.parts.len() > 1 {
                let (a, b) = table.best_pair();
                let name = format!("step {}", table.steps.len() + 1);
                table.make(&name, &[a, b])?;
            }
        }
    }
    if table.parts.len() > 1 || table.steps.is_empty() {
        let all: Vec<String> = table.parts.keys().cloned().collect();
        if all.is_empty() {
            return Err(Error::Empty);
        }
        table.make("the whole", &all)?;
    }
    let (_, graph) = table.parts.pop_first().expect("one part is left");
    Ok(Composition { graph, steps: table.steps })
}

struct Table<'a> {
    net: &'a Net,
    watch: &'a dyn Watch,
    parts: BTreeMap<String, Graph>,
    steps: Vec<Made>,
}

fn alphabet(graph: &Graph) -> impl Iterator<Item = &str> {
    graph.labels().iter().filter(|(l, _)| *l != Label::TAU).map(|(_, text)| text)
}

impl Table<'_> {
    fn add(&mut self, name: &str, graph: Graph) -> Result<(), Error> {
        match self.parts.insert(name.to_owned(), graph) {
            None => Ok(()),
            Some(_) => Err(Error::Twice(name.to_owned())),
        }
    }

    fn observed(&self, label: &str) -> bool {
        self.net.observed.as_ref().is_none_or(|patterns| patterns.iter().any(|p| fits(p, label)))
    }

    fn make(&mut self, name: &str, of: &[String]) -> Result<(), Error> {
        let mut taken = Vec::new();
        for part in of {
            let missing = || Error::Missing { step: name.to_owned(), name: part.clone() };
            taken.push(self.parts.remove(part).ok_or_else(missing)?);
        }
        let graphs: Vec<&Graph> = taken.iter().collect();
        let whole = product(&graphs, &by_alphabets(&graphs), self.watch)?.graph;
        drop(taken);
        let shared = |text: &str| self.parts.values().any(|g| g.labels().find(text).is_some());
        let (mut hidden, mut interface) = (0, 0);
        let visible = hide(&whole, |text| {
            let outside = shared(text);
            interface += usize::from(outside);
            let hides = !outside && !self.observed(text);
            hidden += usize::from(hides);
            hides
        });
        let small = minimise(&visible, self.net.notion, self.watch)?;
        self.steps.push(Made {
            name: name.to_owned(),
            of: of.to_vec(),
            hidden,
            interface,
            product: [whole.state_count(), whole.edge_count()],
            minimised: [small.state_count(), small.edge_count()],
        });
        self.add(name, small)
    }

    /// The two parts to be joined next.
    fn best_pair(&self) -> (String, String) {
        let mut owners: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for (name, graph) in &self.parts {
            alphabet(graph).for_each(|text| owners.entry(text).or_default().push(name));
        }
        // For each pair that shares labels, how many it closes.
        let mut pairs: BTreeMap<(&String, &String), usize> = BTreeMap::new();
        for (text, owners) in &owners {
            for (i, a) in owners.iter().enumerate() {
                for b in &owners[i + 1..] {
                    *pairs.entry((a, b)).or_default() += usize::from(owners.len() == 2 && !self.observed(text));
                }
            }
        }
        let size = |name: &String| self.parts[name].state_count() as f64;
        let cost = |pair: &(&String, &String), closed: usize| size(pair.0) * size(pair.1) / (1 + closed) as f64;
        let costs = pairs.into_iter().map(|(pair, closed)| (cost(&pair, closed), pair));
        let best = costs.min_by(|a, b| a.0.total_cmp(&b.0));
        let (a, b) = best.map_or_else(
            || {
                // Nothing is shared: the two smallest.
                let mut names: Vec<&String> = self.parts.keys().collect();
                names.sort_by(|a, b| size(a).total_cmp(&size(b)));
                (names[0], names[1])
            },
            |(_, pair)| pair,
        );
        (a.clone(), b.clone())
    }
}
