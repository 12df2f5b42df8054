//! Memory of the device: tables and queues to begin with, their growth, and levels that the host keeps.

use super::attempt::Attempt;
use super::{Failed, TooLarge};
use crate::device::{Address, Trouble};
use crate::kernel::{control, fill_param, item_words};
use crate::layout::Layout;
use crate::learn::Key;
use crate::table::Kind;

/// Bytes of a state in the queue.
pub(super) fn item_bytes(layout: &Layout<'_>) -> u64 {
    8 * item_words(layout.words).max(1) as u64
}

/// The tables that hold states of a layout, the best first, with the number of the highest bit.
pub(super) fn kinds(layout: &Layout<'_>) -> Vec<(Kind, u32)> {
    let used = |w: usize| layout.used.get(w).copied().unwrap_or(0);
    let top = (0..layout.words).filter(|w| used(*w) > 0).map(|w| 32 * w as u32 + used(w)).max().unwrap_or(0);
    let mut list = Vec::new();
    if layout.words <= 2 && used(1) <= 31 {
        list.push((Kind::Direct64, top));
    }
    if layout.words <= 3 {
        list.push((Kind::Quotient64, top));
    }
    if layout.words <= 4 && used(1) <= 31 && used(3) <= 31 {
        list.push((Kind::Direct128, top));
    }
    if top <= 54 {
        list.push((Kind::Quotient32, top));
    }
    list.push((Kind::Arena, top));
    list
}

pub(super) fn power_below(n: u64) -> u64 {
    if n == 0 { 0 } else { 1 << (63 - n.leading_zeros()) }
}

impl Attempt<'_, '_> {
    pub(super) fn refill(&mut self, to: u64) -> Result<bool, Trouble> {
        let table = self.table.expect("it is allocated");
        self.device.clear(table, self.slots * self.kind.slot_bytes())?;
        let mut params = vec![0; fill_param::COUNT as usize];
        params[fill_param::CONTROL as usize] = self.control_at().0;
        params[fill_param::TABLE as usize] = self.table_at();
        params[fill_param::MASK as usize] = self.kind.mask(self.slots);
        params[fill_param::QUEUE as usize] = self.queue_at();
        params[fill_param::QUEUE_MASK as usize] = self.queue_len - 1;
        params[fill_param::TO as usize] = to;
        let blocks = self.device.blocks(self.fill)?;
        let blocks = u64::from(blocks).min(to.div_ceil(u64::from(self.sizes.threads))).max(1) as u32;
        self.took += self.device.launch(self.fill, blocks, &params)?;
        let mut why = [0];
        self.device.read(Address(self.control_at().0 + 8 * u64::from(control::ABORT)), &mut why)?;
        Ok(why[0] == 0)
    }

    /// Puts the states of the prologue that fit into queue and table.
    pub(super) fn seed(&mut self) -> Result<Option<Vec<Key>>, Trouble> {
        let states = &self.prologue.states;
        let mut packed = Vec::new();
        for (number, state) in states.iter().enumerate().rev() {
            match self.layout.pack(state) {
                Ok(words) => packed.push(words),
                // What the search begins with must fit. What does not is never reached again; so nothing before it may fit.
                Err(key) => {
                    let fits = |state: &Vec<u8>| self.layout.pack(state).is_ok();
                    if packed.is_empty() || states[..number].iter().any(fits) {
                        return Ok(Some(vec![key]));
                    }
                    break;
                }
            }
        }
        packed.reverse();
        packed.iter_mut().for_each(|words| self.layout.with_claim(words, 0));
        self.seeded = states.len() - packed.len();
        let count = packed.len() as u64;
        let items: Vec<u64> = packed
            .iter()
            .flat_map(|words| {
                words.chunks(2).map(|c| u64::from(c[0]) | u64::from(c.get(1).copied().unwrap_or(0)) << 32)
            })
            .collect();
        let queue = self.queue.expect("it is allocated");
        self.device.write(queue, &items)?;
        let bounds = self.bounds.expect("it is allocated");
        self.device.write(bounds, &(0..=count).collect::<Vec<u64>>())?;
        let mut words = vec![0; control::COUNT as usize];
        words[control::CURSOR as usize] = count - 1;
        words[control::LOW as usize] = count - 1;
        words[control::HIGH as usize] = count;
        words[control::TAIL as usize] = count;
        words[control::LEVEL as usize] = count - 1;
        words[control::WORST as usize] = u64::MAX;
        self.set(0, &words)?;
        self.refill(count)?;
        Ok(None)
    }

    pub(super) fn grow(&mut self, high: u64, table: bool, queue: bool) -> Result<bool, Trouble> {
        let bytes_max = self.options.memory.map_or(0, |m| m.bytes_max);
        if high > self.queue_len {
            return Ok(false);
        }
        let (item, slot) = (self.item_bytes(), self.kind.slot_bytes());
        let total = self.device.free_bytes()? + self.memory_bytes();
        let total = if bytes_max == 0 { total } else { total.min(bytes_max) };
        // Half of all is for the table: without it there is no search, without the whole queue there is no way back.
        let table_max = power_below(total / 2);
        let mut refilled = false;
        for factor in if table { &[8, 4, 2][..] } else { &[] } {
            let bytes = self.slots * slot * factor;
            if refilled || bytes > table_max || bytes > self.device.free_bytes()? / 16 * 15 {
                continue;
            }
            let Ok(new) = self.device.allocate(bytes) else { continue };
            let old = self.table.replace(new).expect("it is allocated");
            self.device.free(old);
            self.slots *= factor;
            refilled = true;
        }
        let kept = if self.slots * slot < table_max { table_max } else { 0 };
        let mut grown = false;
        for factor in if queue { &[8, 4, 2][..] } else { &[] } {
            let bytes = self.queue_len * item * factor;
            let beside = self.slots * slot + self.queue_len * item;
            let fits = bytes_max == 0 || bytes + beside <= bytes_max;
            if grown || !fits || bytes > (self.device.free_bytes()? / 16 * 15).saturating_sub(kept) {
                continue;
            }
            let Ok(new) = self.device.allocate(bytes) else { continue };
            let old = self.queue.replace(new).expect("it is allocated");
            self.device.copy(old, new, high * item)?;
            self.device.free(old);
            self.queue_len *= factor;
            grown = true;
        }
        if refilled {
            self.refill(high)?;
        }
        self.grown += u32::from(grown) + u32::from(refilled);
        Ok(grown || refilled)
    }

    /// Goes on after the table, or the queue, was full: whether that is possible. Where the queue cannot grow it becomes a
    /// ring, in which the way back is lost.
    pub(super) fn make_room(&mut self, high: u64, table: bool) -> Result<bool, Trouble> {
        if high > self.queue_len {
            return Ok(false);
        }
        if self.kind == Kind::Arena {
            // The table points into the queue, which must stay whole; either may have been too small.
            return Ok(self.can_grow && self.grow(high, true, true)? && self.refill(high)?);
        }
        let grown = self.can_grow && self.grow(high, table, !table)?;
        if table {
            return Ok(grown);
        }
        let becomes_ring = !grown && self.can_grow;
        self.can_grow &= grown;
        Ok((grown || becomes_ring) && self.refill(high)?)
    }

    /// Takes the states of a level, which are the last ones in the queue, to the host.
    pub(super) fn spill(&mut self, low: u64, high: u64) -> Result<(), Failed> {
        let words = self.item_bytes() / 8;
        let count = ((high - low) * words) as usize;
        let mut items = Vec::new();
        items.try_reserve_exact(count).map_err(|_| TooLarge::NoWay)?;
        items.resize(count, 0);
        let from = low & (self.queue_len - 1);
        let straight = (high - low).min(self.queue_len - from);
        let (first, second) = items.split_at_mut((straight * words) as usize);
        let queue = self.queue_at();
        self.device.read(Address(queue + from * 8 * words), first)?;
        if !second.is_empty() {
            self.device.read(Address(queue), second)?;
        }
        self.spilled.get_or_insert_default().push(items);
        Ok(())
    }
}
