//! The order in which bodies are solved, and copies of the types of a process for each `run`.
//!
//! Without `poly` all bodies are solved together, and a process type has one type for all its instances. With `poly`
//! the strongly connected components of the run graph are solved callees first (Tarjan, 1972); a `run` of a process
//! outside its own component then gets a fresh copy of the parameter types, as a `let` does in Hindley-Milner typing.
//! What can be reached from global variables is shared by all and is not copied.

use super::graph::{NodeId, Tuple, TypeShape};
use super::infer::{Checker, Place};
use crate::ast::{Expr, ExprKind, Program, Unit};
use crate::lints::walk;
use crate::names::{BodyId, Def, Names, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Positions of units with statements or formulas, in groups that are to be solved one after the other.
pub(super) fn groups(program: &Program, names: &Names, poly: bool) -> Vec<Vec<usize>> {
    let units = 0..program.units.len();
    if !poly {
        return vec![units.collect()];
    }
    let mut runs: Vec<Vec<usize>> = vec![Vec::new(); program.units.len()];
    for unit in units {
        walk::unit_exprs(&program.units[unit], &mut |e: &Expr| {
            if let ExprKind::Run { name, .. } = &e.kind
                && let Some(Def::Body(body)) = names.def(name)
                && let Some(body) = names.bodies.get(body.index())
            {
                runs[unit].push(body.unit);
            }
        });
    }
    let mut components = components(&runs);
    // Claims and formulas look at what the processes do, so they come last.
    components.sort_by_key(|units| {
        units.iter().any(|&u| matches!(program.units[u], Unit::Never(_) | Unit::Ltl(_) | Unit::Trace(_)))
    });
    components
}

/// Strongly connected components, callees before callers.
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    struct Search<'a> {
        edges: &'a [Vec<usize>],
        index: Vec<Option<usize>>,
        low: Vec<usize>,
        stack: Vec<usize>,
        on_stack: Vec<bool>,
        next: usize,
        found: Vec<Vec<usize>>,
    }
    impl Search<'_> {
        fn visit(&mut self, v: usize) {
            self.index[v] = Some(self.next);
            self.low[v] = self.next;
            self.next += 1;
            self.stack.push(v);
            self.on_stack[v] = true;
            for &w in &self.edges[v] {
                match self.index[w] {
                    None => {
                        self.visit(w);
                        self.low[v] = self.low[v].min(self.low[w]);
                    }
                    Some(i) if self.on_stack[w] => self.low[v] = self.low[v].min(i),
                    Some(_) => {}
                }
            }
            if Some(self.low[v]) == self.index[v] {
                let from = self.stack.iter().rposition(|&w| w == v).expect("on the stack");
                let mut component = self.stack.split_off(from);
                for &w in &component {
                    self.on_stack[w] = false;
                }
                component.sort_unstable();
                self.found.push(component);
            }
        }
    }
    let n = edges.len();
    let mut search = Search {
        edges,
        index: vec![None; n],
        low: vec![0; n],
        stack: Vec::new(),
        on_stack: vec![false; n],
        next: 0,
        found: Vec::new(),
    };
    for v in 0..n {
        if search.index[v].is_none() {
            search.visit(v);
        }
    }
    search.found
}

impl Checker<'_> {
    /// The nodes of the channel parameters of a process as one `run` of it sees them.
    pub(super) fn parameters(&mut self, body: BodyId) -> Vec<Option<NodeId>> {
        let params = self.names.bodies[body.index()].param_count as usize;
        let nodes: Vec<Option<NodeId>> = (0..params)
            .map(|i| {
                let (var, declared) = self.parameter(body, i)?;
                (declared.ty == Ty::Chan).then(|| self.channel_of(&Place { var, path: Vec::new() }))
            })
            .collect();
        if !self.options.poly || !self.settled[body.index()] {
            return nodes;
        }
        let shared = self.shared();
        let mut copies = FxHashMap::default();
        nodes.into_iter().map(|n| n.map(|n| self.copy(n, &shared, &mut copies))).collect()
    }

    /// Representatives of all that can be reached from global variables.
    fn shared(&mut self) -> FxHashSet<NodeId> {
        let globals: Vec<VarId> = (0..self.names.vars.len() as u32)
            .map(VarId)
            .filter(|v| self.names.vars[v.index()].body.is_none() && self.names.vars[v.index()].ty == Ty::Chan)
            .collect();
        let mut todo: Vec<NodeId> =
            globals.into_iter().map(|var| self.channel_of(&Place { var, path: Vec::new() })).collect();
        let mut shared = FxHashSet::default();
        while let Some(node) = todo.pop() {
            if shared.insert(self.graph.find(node)) {
                match self.graph.shape(node) {
                    TypeShape::Chan(message) => todo.push(message),
                    TypeShape::Tuple(id) => todo.extend(&self.graph.tuple_of(id).fields),
                    _ => {}
                }
            }
        }
        shared
    }

    fn copy(&mut self, node: NodeId, shared: &FxHashSet<NodeId>, copies: &mut FxHashMap<NodeId, NodeId>) -> NodeId {
        let root = self.graph.find(node);
        if shared.contains(&root) {
            return root;
        }
        if let Some(&copy) = copies.get(&root) {
            return copy;
        }
        // The copy is known before its parts are copied, because types may be cyclic.
        match self.graph.shape(root) {
            TypeShape::Chan(message) => {
                let copy = self.graph.channel();
                copies.insert(root, copy);
                let message = self.copy(message, shared, copies);
                let own = self.graph.message(copy).expect("a channel");
                self.graph.join_quietly(own, message);
                copy
            }
            TypeShape::Tuple(id) => {
                let Tuple { fields, groups, span, channel, declared } = self.graph.tuple_of(id).clone();
                let fresh: Vec<NodeId> = fields.iter().map(|_| self.graph.node(TypeShape::Unknown)).collect();
                let channel = copies.get(&self.graph.find(channel)).copied().unwrap_or(channel);
                let copy = self.graph.tuple(Tuple { fields: fresh.clone(), groups, span, channel, declared });
                copies.insert(root, copy);
                for (field, fresh) in fields.into_iter().zip(fresh) {
                    let field = self.copy(field, shared, copies);
                    self.graph.join_quietly(fresh, field);
                }
                copy
            }
            shape => {
                let copy = self.graph.node(shape);
                copies.insert(root, copy);
                let entries: Vec<_> = self.graph.entries(root).copied().collect();
                for entry in entries {
                    self.graph.add_entry(copy, entry);
                }
                copy
            }
        }
    }
}
