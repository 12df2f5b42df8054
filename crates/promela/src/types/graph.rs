//! The graph of types: union-find over nodes, unification of rational trees, and the reasons behind every link.
//!
//! Two channel types are equal when their unfoldings are, so unification has no occurs check: classes are linked
//! *before* their children are compared, and a class met again counts as equal. That is how `A!A,0` gets the cyclic
//! type `rec a. chan{a,bit}`, and why unification ends (each link removes a class).
//!
//! Links form a forest beside the union-find (a proof forest, as in congruence closure: Nieuwenhuis and Oliveras,
//! 2005): the path between two nodes of a class is the list of reasons why they are equal. Every change is on a trail
//! and can be taken back, so that a statement that does not fit is reported and then leaves no trace: one mistake does
//! not cascade. Classes are joined by size without path compression: `find` costs O(log n).

use super::number::Entry;
pub(super) use super::shape::{Cause, Clash, Group, NodeId, Reason, Tuple, TupleId, TypeShape, Why};
use crate::names::RecordId;

const NONE: u32 = u32::MAX;

/// A list threaded through an arena, joined in constant time.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

impl List {
    const EMPTY: List = List { head: NONE, tail: NONE };
}

#[derive(Clone, Debug)]
struct Node {
    parent: NodeId,
    size: u32,
    shape: TypeShape,
    /// The node of the class that brought its shape.
    holder: NodeId,
    entries: List,
    waiting: List,
    /// First half-edge of the proof forest.
    edges: u32,
}

#[derive(Clone, Debug)]
struct Edge {
    to: NodeId,
    why: Why,
    next: u32,
}

#[derive(Clone, Debug)]
struct Link {
    child: NodeId,
    parent: NodeId,
    shape: TypeShape,
    holder: NodeId,
    entries: List,
    waiting: List,
    ends: (NodeId, NodeId),
}

/// A point to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// All types of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    tuples: Vec<Tuple>,
    entries: Vec<(Entry, u32)>,
    waiting: Vec<(u32, u32)>,
    edges: Vec<Edge>,
    trail: Vec<Link>,
}

impl Graph {
    /// A new class.
    pub(super) fn node(&mut self, shape: TypeShape) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent: id,
            size: 1,
            shape,
            holder: id,
            entries: List::EMPTY,
            waiting: List::EMPTY,
            edges: NONE,
        });
        id
    }

    /// A new channel of which nothing is known.
    pub(super) fn channel(&mut self) -> NodeId {
        let message = self.node(TypeShape::Unknown);
        self.node(TypeShape::Chan(message))
    }

    /// A new message.
    pub(super) fn tuple(&mut self, tuple: Tuple) -> NodeId {
        self.tuples.push(tuple);
        self.node(TypeShape::Tuple(TupleId(self.tuples.len() as u32 - 1)))
    }

    /// The fields of a message.
    pub(super) fn tuple_of(&self, id: TupleId) -> &Tuple {
        &self.tuples[id.0 as usize]
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The representative of a class.
    pub(super) fn find(&self, mut node: NodeId) -> NodeId {
        while self.nodes[node.index()].parent != node {
            node = self.nodes[node.index()].parent;
        }
        node
    }

    /// What is known of the class of a node.
    pub(super) fn shape(&self, node: NodeId) -> TypeShape {
        self.nodes[self.find(node).index()].shape
    }

    /// The message of a channel.
    pub(super) fn message(&self, channel: NodeId) -> Option<NodeId> {
        match self.shape(channel) {
            TypeShape::Chan(message) => Some(message),
            _ => None,
        }
    }

    /// The layout of a channel, once something is known of it.
    pub(super) fn layout(&self, channel: NodeId) -> Option<TupleId> {
        match self.shape(self.message(channel)?) {
            TypeShape::Tuple(tuple) => Some(tuple),
            _ => None,
        }
    }

    /// Records a numeric use of a node.
    pub(super) fn add_entry(&mut self, node: NodeId, entry: Entry) {
        let root = self.find(node).index();
        let id = self.entries.len() as u32;
        self.entries.push((entry, NONE));
        let list = self.nodes[root].entries;
        if list.head == NONE {
            self.nodes[root].entries = List { head: id, tail: id };
        } else {
            self.entries[list.tail as usize].1 = id;
            self.nodes[root].entries.tail = id;
        }
    }

    /// The numeric uses of the class of a node.
    pub(super) fn entries(&self, node: NodeId) -> impl Iterator<Item = &Entry> {
        let mut at = self.nodes[self.find(node).index()].entries.head;
        std::iter::from_fn(move || {
            let (entry, next) = self.entries.get(at as usize)?;
            at = *next;
            Some(entry)
        })
    }

    /// Lets `work` wait until the layout of `message` is known.
    pub(super) fn wait(&mut self, message: NodeId, work: u32) {
        let root = self.find(message).index();
        let id = self.waiting.len() as u32;
        self.waiting.push((work, NONE));
        let list = self.nodes[root].waiting;
        if list.head == NONE {
            self.nodes[root].waiting = List { head: id, tail: id };
        } else {
            self.waiting[list.tail as usize].1 = id;
            self.nodes[root].waiting.tail = id;
        }
    }

    /// What waits for the layout of `message`.
    pub(super) fn waiting(&self, message: NodeId) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.nodes[self.find(message).index()].waiting.head;
        std::iter::from_fn(move || {
            let (work, next) = *self.waiting.get(at as usize)?;
            at = next;
            Some(work)
        })
    }

    /// Calls `ready` with all that waits for the layout of `message`, which is now known.
    pub(super) fn release(&mut self, message: NodeId, mut ready: impl FnMut(u32)) {
        let root = self.find(message);
        let mut at = std::mem::replace(&mut self.nodes[root.index()].waiting, List::EMPTY).head;
        while let Some(&(work, next)) = self.waiting.get(at as usize) {
            ready(work);
            at = next;
        }
    }

    /// A point to return to.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Keeps all links made so far and calls `ready` with the work that waited for a layout which is now known.
    pub(super) fn commit(&mut self, mut ready: impl FnMut(u32)) {
        for i in 0..self.trail.len() {
            let root = self.find(self.trail[i].parent);
            if matches!(self.nodes[root.index()].shape, TypeShape::Tuple(_)) {
                self.release(root, &mut ready);
            }
        }
        self.trail.clear();
    }

    /// Takes back all links made since `mark`.
    pub(super) fn rollback(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            let Some(link) = self.trail.pop() else { break };
            let child = self.nodes[link.child.index()].clone();
            self.nodes[link.child.index()].parent = link.child;
            let parent = &mut self.nodes[link.parent.index()];
            parent.size -= child.size;
            parent.shape = link.shape;
            parent.holder = link.holder;
            parent.entries = link.entries;
            parent.waiting = link.waiting;
            if link.entries.tail != NONE {
                self.entries[link.entries.tail as usize].1 = NONE;
            }
            if link.waiting.tail != NONE {
                self.waiting[link.waiting.tail as usize].1 = NONE;
            }
            for end in [link.ends.1, link.ends.0] {
                let edge = self.edges.pop().expect("two half-edges per link");
                self.nodes[end.index()].edges = edge.next;
            }
        }
    }

    /// Makes two nodes equal, or says which parts cannot be. After a clash the caller takes back the links.
    pub(super) fn unify(&mut self, a: NodeId, b: NodeId, why: Why) -> Result<(), Clash> {
        let mut todo = vec![(a, b, why)];
        while let Some((a, b, why)) = todo.pop() {
            let (ra, rb) = (self.find(a), self.find(b));
            if ra == rb {
                continue;
            }
            let (na, nb) = (&self.nodes[ra.index()], &self.nodes[rb.index()]);
            let (ha, hb) = (na.holder, nb.holder);
            match (na.shape, nb.shape) {
                (TypeShape::Unknown, _) | (_, TypeShape::Unknown) => self.link(a, b, why),
                (TypeShape::Chan(x), TypeShape::Chan(y)) => {
                    self.link(a, b, why);
                    todo.push((x, y, Why::Parts(ha, hb)));
                }
                (TypeShape::Tuple(x), TypeShape::Tuple(y)) => {
                    let (tx, ty) = (self.tuple_of(x), self.tuple_of(y));
                    if tx.fields.len() != ty.fields.len() {
                        return Err(Clash::Arity(x, y));
                    }
                    if let Some((r, s)) = group_clash(tx, ty) {
                        return Err(Clash::Record(r, s));
                    }
                    // The first field is compared first, so that it is the one named in a message.
                    let parts = Why::Parts(ha, hb);
                    todo.extend(tx.fields.iter().zip(&ty.fields).rev().map(|(&x, &y)| (x, y, parts)));
                    self.link(a, b, why);
                }
                (x, y) if x == y => self.link(a, b, why),
                _ => return Err(Clash::Kind(a, b)),
            }
        }
        Ok(())
    }

    /// Joins two nodes of which the first is unknown, without a reason in the source text.
    pub(super) fn join_quietly(&mut self, unknown: NodeId, node: NodeId) {
        if self.find(unknown) != self.find(node) {
            self.link(unknown, node, Why::Parts(unknown, unknown));
            self.trail.clear();
        }
    }

    /// Joins the classes of two nodes, the smaller one into the larger one.
    fn link(&mut self, a: NodeId, b: NodeId, why: Why) {
        let (ra, rb) = (self.find(a), self.find(b));
        debug_assert_ne!(ra, rb);
        let (child, parent) =
            if self.nodes[ra.index()].size <= self.nodes[rb.index()].size { (ra, rb) } else { (rb, ra) };
        let below = self.nodes[child.index()].clone();
        let above = &mut self.nodes[parent.index()];
        self.trail.push(Link {
            child,
            parent,
            shape: above.shape,
            holder: above.holder,
            entries: above.entries,
            waiting: above.waiting,
            ends: (a, b),
        });
        above.size += below.size;
        // A declared layout is the better one to show and to compare with.
        let declared = |shape| match shape {
            TypeShape::Tuple(t) => self.tuples[t.0 as usize].declared,
            _ => true,
        };
        if above.shape == TypeShape::Unknown
            || below.shape != TypeShape::Unknown && declared(below.shape) && !declared(above.shape)
        {
            above.shape = below.shape;
            above.holder = below.holder;
        }
        let (old, new) = (above.entries, below.entries);
        above.entries = joined(old, new);
        if old.tail != NONE && new.head != NONE {
            self.entries[old.tail as usize].1 = new.head;
        }
        let (old, new) = (above.waiting, below.waiting);
        above.waiting = joined(old, new);
        if old.tail != NONE && new.head != NONE {
            self.waiting[old.tail as usize].1 = new.head;
        }
        self.nodes[child.index()].parent = parent;
        for (from, to) in [(a, b), (b, a)] {
            let next = std::mem::replace(&mut self.nodes[from.index()].edges, self.edges.len() as u32);
            self.edges.push(Edge { to, why, next });
        }
    }

    /// The reasons in the source text why two nodes of one class are equal, from `a` to `b`.
    pub(super) fn explain(&self, a: NodeId, b: NodeId) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        let mut todo = vec![(a, b)];
        // A chain of this many steps explains nothing, and derived links can lead to long ones.
        let mut budget = 64;
        while let Some((a, b)) = todo.pop() {
            let path = self.path(a, b);
            let mut parts = Vec::new();
            for why in path {
                match why {
                    Why::Source(reason) => {
                        if !reasons.iter().any(|r| r.span == reason.span && r.subject == reason.subject) {
                            reasons.push(reason);
                        }
                    }
                    Why::Parts(x, y) => parts.push((x, y)),
                }
            }
            budget -= 1;
            if budget == 0 {
                break;
            }
            todo.extend(parts.into_iter().rev());
        }
        reasons
    }

    /// The links on the only path of the forest between two nodes.
    fn path(&self, a: NodeId, b: NodeId) -> Vec<Why> {
        let mut from: rustc_hash::FxHashMap<NodeId, (NodeId, Why)> = rustc_hash::FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([a]);
        while let Some(node) = queue.pop_front() {
            if node == b {
                break;
            }
            let mut at = self.nodes[node.index()].edges;
            while let Some(edge) = self.edges.get(at as usize) {
                at = edge.next;
                if edge.to != a && !from.contains_key(&edge.to) {
                    from.insert(edge.to, (node, edge.why));
                    queue.push_back(edge.to);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = b;
        while node != a {
            let Some(&(before, why)) = from.get(&node) else { return Vec::new() };
            path.push(why);
            node = before;
        }
        path.reverse();
        path
    }
}

fn joined(old: List, new: List) -> List {
    match (old.head, new.head) {
        (NONE, _) => new,
        (_, NONE) => old,
        _ => List { head: old.head, tail: new.tail },
    }
}

/// Whether the same fields are said to be two different records.
pub(super) fn group_clash(a: &Tuple, b: &Tuple) -> Option<(RecordId, RecordId)> {
    a.groups.iter().find_map(|g| {
        let h = b.groups.iter().find(|h| h.at == g.at)?;
        (g.record != h.record).then_some((g.record, h.record))
    })
}
