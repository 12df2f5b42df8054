//! Plans: how states of any length are cut into leaves and joined in a tree.
//!
//! Processes come and go at the end of a state, so that states of two lengths have the same variables at the same places as
//! far as the shorter one extends. So there is one tree over all places, learnt from states of all lengths ([`crate::tree::learn`]), and
//! the shape of a length is what is left of it when the places beyond are taken away. Parts of states that differ in length
//! are then the same parts. Places beyond the longest state that was learnt from are joined to the half that has fewer.
//!
//! There are two shapes of a length: one of the bits that have been seen to vary, and one of all bits for the few states that
//! do not fit the first.

use crate::tree::key::LEAF_BITS;
use crate::tree::shape::{Coverage, Pattern, TreeShape};

/// Bits of a leaf at most, where a half has several: the longer they are, the fewer lookups, and the more memory.
pub(crate) const PART_BITS: usize = 256;

/// A tree over places, from its leaves (lists of bytes), its nodes (pairs of items; leaves are numbered first) and its halves.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The longest state of the sample.
    pub(crate) template: Vec<u8>,
    /// By byte, the bits of it that vary.
    pub(crate) varying: Vec<u8>,
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

    /// The leaf of these bytes, or several where that would be too long.
    fn of(members: Vec<usize>, masks: &[u8]) -> Branch {
        if members.len() == 1 || bits(&members, masks) <= LEAF_BITS {
            return Branch::Leaf(members);
        }
        let (first, second) = members.split_at(members.len() / 2);
        Branch::Node(Box::new([first, second].map(|members| Branch::of(members.to_vec(), masks))))
    }

    /// Pushes the bytes of its leaves, leaf by leaf.
    fn leaves(self, out: &mut Vec<Vec<usize>>) {
        match self {
            Branch::Leaf(members) => out.push(members),
            Branch::Node(children) => children.into_iter().for_each(|child| child.leaves(out)),
        }
    }

    /// All its bytes.
    fn bytes(self) -> Vec<usize> {
        let mut leaves = Vec::new();
        self.leaves(&mut leaves);
        leaves.concat()
    }

    fn bits(&self, masks: &[u8]) -> usize {
        match self {
            Branch::Leaf(members) => bits(members, masks),
            Branch::Node(children) => children.iter().map(|child| child.bits(masks)).sum(),
        }
    }

    /// One leaf where that is possible.
    fn simplified(self, masks: &[u8]) -> Branch {
        if self.bits(masks) > LEAF_BITS { self } else { Branch::Leaf(self.bytes()) }
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

/// How many bits of these bytes the masks name.
pub(crate) fn bits(members: &[usize], masks: &[u8]) -> usize {
    members.iter().map(|&byte| masks[byte].count_ones() as usize).sum()
}

impl Plan {
    /// What is left of an item for states of `len` bytes. A leaf of which something is left keeps its other bytes, so that
    /// it is the same leaf for states of all lengths.
    fn branch(&self, item: u32, len: usize, masks: &[u8]) -> Option<Branch> {
        match self.members.get(item as usize) {
            Some(members) => {
                let members: Vec<usize> = members.iter().copied().filter(|&byte| masks[byte] != 0).collect();
                if members.iter().all(|&byte| byte >= len) {
                    return None;
                }
                let (here, beyond): (Vec<usize>, Vec<usize>) = members.iter().partition(|&&byte| byte < len);
                let whole = Branch::of(members, masks);
                // Where there are several, none may be empty.
                if matches!(whole, Branch::Leaf(_)) || beyond.is_empty() {
                    Some(whole)
                } else {
                    Some(Branch::of(here, masks))
                }
            }
            None => {
                let [first, second] = self.nodes[item as usize - self.members.len()];
                Branch::join(self.branch(first, len, masks), self.branch(second, len, masks))
            }
        }
    }

    /// The shape of states of `len` bytes, two at least.
    pub(crate) fn shape(&self, len: usize, coverage: Coverage) -> TreeShape {
        assert!(len >= 2, "both halves of the root must have something");
        let mut masks = match coverage {
            Coverage::Varying => self.varying.clone(),
            Coverage::All => vec![0xff; self.varying.len()],
        };
        // Nothing was learnt of bytes beyond the longest state.
        masks.resize(masks.len().max(len), 0xff);
        let Some(halves) = self.halves(len, &masks) else { return self.shape(len, Coverage::All) };
        let halves = halves.map(|half| half.simplified(&masks));
        let leaf_count = halves.iter().map(Branch::leaf_count).sum();
        let (mut leaf, mut nodes, mut members) = (0, Vec::new(), Vec::new());
        let tops = halves.each_ref().map(|half| half.number(&mut leaf, leaf_count, &mut nodes));
        halves.into_iter().for_each(|half| half.leaves(&mut members));
        TreeShape::new(len, Pattern { coverage, members, masks, template: &self.template, nodes, halves: tops })
    }

    /// The halves of states of `len` bytes; `None` when too little varies for two.
    fn halves(&self, len: usize, masks: &[u8]) -> Option<[Branch; 2]> {
        let mut halves = self.halves.map(|half| self.branch(half, len, masks));
        let beyond: Vec<usize> = (self.varying.len()..len).collect();
        for members in beyond.chunks(PART_BITS / 8) {
            let bits = halves.each_ref().map(|half| half.as_ref().map_or(0, |half| half.bits(masks)));
            let side = usize::from(bits[1] < bits[0]);
            halves[side] = Branch::join(halves[side].take(), Some(Branch::Leaf(members.to_vec())));
        }
        match halves {
            [Some(left), Some(right)] => Some([left, right]),
            [one, None] | [None, one] => match one? {
                Branch::Node(children) => Some(*children),
                Branch::Leaf(mut members) => {
                    members.retain(|&byte| byte < len);
                    let right = members.split_off(members.len() / 2);
                    (!members.is_empty()).then(|| [members, right].map(Branch::Leaf))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(varying: Vec<u8>) -> Plan {
        Plan {
            template: vec![7; 120],
            varying,
            members: vec![(0..30).collect(), (60..90).collect(), (30..60).collect(), (90..120).collect()],
            nodes: vec![[0, 1], [2, 3]],
            halves: [4, 5],
        }
    }

    /// Shapes of all lengths are trees over all bytes: [`TreeShape::new`] looks at that.
    #[test]
    fn a_plan_has_a_shape_for_every_length() {
        let all = plan(vec![0xff; 120]);
        let count = |len| {
            let shape = all.shape(len, Coverage::All);
            (shape.leaves.len(), shape.nodes.len())
        };
        assert_eq!([10, 60, 70, 101, 120].map(count), [(2, 0), (2, 0), (3, 1), (4, 2), (4, 2)]);
        assert_eq!([121, 184, 185].map(count), [(5, 3), (6, 4), (7, 5)]);
        // Nothing varies at some places, and at all of some lengths.
        for varying in [vec![0xff; 120], vec![3; 120], (0..120).map(|at| if at % 7 == 5 { 0xf0 } else { 0 }).collect()]
        {
            let plan = plan(varying);
            for len in 2..300 {
                assert_eq!(plan.shape(len, Coverage::All).coverage, Coverage::All);
                let varying = plan.shape(len, Coverage::Varying);
                assert!(varying.fits(&[vec![7; len.min(120)], vec![9; len.saturating_sub(120)]].concat()));
            }
        }
        let few = plan(vec![3; 120]).shape(120, Coverage::Varying);
        assert_eq!((few.leaves.len(), few.nodes.len(), few.coverage), (2, 0, Coverage::Varying));
    }

    /// A leaf too long for all bits is several.
    #[test]
    fn long_leaves_are_cut() {
        let mut plan = plan(vec![1; 120]);
        (plan.members, plan.nodes, plan.halves) = (vec![(0..100).collect(), (100..120).collect()], Vec::new(), [0, 1]);
        for len in 2..150 {
            plan.shape(len, Coverage::Varying);
            plan.shape(len, Coverage::All);
        }
        assert_eq!(plan.shape(120, Coverage::Varying).leaves.len(), 2);
        assert_eq!(plan.shape(120, Coverage::All).leaves.len(), 5);
    }
}
