//! Plans: how states of any length are cut into leaves and joined in a tree.
//!
//! Processes come and go at the end of a state, so that states of two lengths have the same variables at the same places as
//! far as the shorter one goes. So there is one tree over all places, learnt from states of all lengths ([`crate::learn`]), and
//! the shape of a length is what is left of it when the places beyond are taken away. Parts of states that differ in length
//! are then the same parts. Places beyond the longest state that was learnt from are joined to the half that has fewer.

use crate::key::LEAF_BYTES;
use crate::shape::Shape;

/// Bytes of a leaf at most, where a half has several: the longer they are, the fewer lookups, and the more memory.
pub(crate) const PART_BYTES: usize = 32;

/// A tree over places, from its leaves (lists of bytes), its nodes (pairs of items; leaves are numbered first) and its halves.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Length of the longest states it knows.
    pub(crate) len: usize,
    pub(crate) members: Vec<Vec<usize>>,
    pub(crate) nodes: Vec<[u32; 2]>,
    pub(crate) halves: [u32; 2],
}

/// A part of a tree.
enum Branch {
    Leaf(Vec<usize>),
    Node(Box<[Branch; 2]>),
}

impl Branch {
    fn join(first: Option<Branch>, second: Option<Branch>) -> Option<Branch> {
        match (first, second) {
            (Some(first), Some(second)) => Some(Branch::Node(Box::new([first, second]))),
            (one, None) | (None, one) => one,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Branch::Leaf(members) => members.len(),
            Branch::Node(children) => children.iter().map(Branch::bytes).sum(),
        }
    }

    /// Pushes the bytes of its leaves, leaf by leaf.
    fn leaves(self, out: &mut Vec<Vec<usize>>) {
        match self {
            Branch::Leaf(members) => out.push(members),
            Branch::Node(children) => children.into_iter().for_each(|child| child.leaves(out)),
        }
    }

    /// One leaf where that is possible.
    fn simplified(self) -> Branch {
        if self.bytes() > LEAF_BYTES {
            return self;
        }
        let mut leaves = Vec::new();
        self.leaves(&mut leaves);
        Branch::Leaf(leaves.concat())
    }

    /// Pushes its nodes, children before parents, and says its number; leaves are numbered as they come.
    fn number(&self, leaf: &mut u32, leaf_count: usize, nodes: &mut Vec<[u32; 2]>) -> u32 {
        match self {
            Branch::Leaf(_) => {
                *leaf += 1;
                *leaf - 1
            }
            Branch::Node(children) => {
                let node = children.each_ref().map(|child| child.number(leaf, leaf_count, nodes));
                nodes.push(node);
                (leaf_count + nodes.len() - 1) as u32
            }
        }
    }

    fn leaf_count(&self) -> usize {
        match self {
            Branch::Leaf(_) => 1,
            Branch::Node(children) => children.iter().map(Branch::leaf_count).sum(),
        }
    }
}

impl Plan {
    /// What is left of an item when states have so many bytes.
    fn branch(&self, item: u32, len: usize) -> Option<Branch> {
        match self.members.get(item as usize) {
            Some(members) => {
                let members: Vec<usize> = members.iter().copied().filter(|&byte| byte < len).collect();
                (!members.is_empty()).then_some(Branch::Leaf(members))
            }
            None => {
                let [first, second] = self.nodes[item as usize - self.members.len()];
                Branch::join(self.branch(first, len), self.branch(second, len))
            }
        }
    }

    /// The shape of states of so many bytes, two at least.
    pub(crate) fn shape(&self, len: usize) -> Shape {
        assert!(len >= 2, "both halves of the root must have something");
        let mut halves = self.halves.map(|half| self.branch(half, len));
        let beyond: Vec<usize> = (self.len..len).collect();
        for members in beyond.chunks(PART_BYTES) {
            let bytes = halves.each_ref().map(|half| half.as_ref().map_or(0, Branch::bytes));
            let side = usize::from(bytes[1] < bytes[0]);
            halves[side] = Branch::join(halves[side].take(), Some(Branch::Leaf(members.to_vec())));
        }
        let halves = match halves {
            [Some(left), Some(right)] => [left, right],
            [one, None] | [None, one] => match one.expect("a state has bytes").simplified() {
                Branch::Node(children) => *children,
                Branch::Leaf(mut members) => {
                    let right = members.split_off(members.len() / 2);
                    [members, right].map(Branch::Leaf)
                }
            },
        };
        let halves = halves.map(Branch::simplified);
        let leaf_count = halves.iter().map(Branch::leaf_count).sum();
        let (mut leaf, mut nodes, mut members) = (0, Vec::new(), Vec::new());
        let tops = halves.each_ref().map(|half| half.number(&mut leaf, leaf_count, &mut nodes));
        halves.into_iter().for_each(|half| half.leaves(&mut members));
        Shape::new(len, &members, nodes, tops)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes of all lengths are trees over all bytes: [`Shape::new`] looks at that.
    #[test]
    fn a_plan_has_a_shape_for_every_length() {
        let plan = Plan {
            len: 120,
            members: vec![(0..30).collect(), (60..90).collect(), (30..60).collect(), (90..120).collect()],
            nodes: vec![[0, 1], [2, 3]],
            halves: [4, 5],
        };
        let count = |len| {
            let shape = plan.shape(len);
            (shape.leaves.len(), shape.nodes.len())
        };
        for len in 2..300 {
            plan.shape(len);
        }
        assert_eq!([10, 60, 70, 71, 101, 120].map(count), [(2, 0), (2, 0), (2, 0), (3, 1), (4, 2), (4, 2)]);
        assert_eq!([121, 184, 185].map(count), [(5, 3), (6, 4), (7, 5)]);
    }
}
