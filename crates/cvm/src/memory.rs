//! Memory as regions with checked accesses.

use crate::Trouble;
use std::sync::Arc;

/// Index of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(pub u32);

/// Bits of an address that are the offset.
const OFFSET_BITS: u32 = 48;
/// Regions that addresses can tell apart.
const REGIONS_MAX: usize = 0xffff;

/// Bytes in front of a block where the heap is written down.
const BLOCK_HEAD: u64 = 6;

/// What may be done with a region from now on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Read and written.
    Full,
    /// Read.
    Read,
    /// Nothing.
    None,
}

/// What may be done with a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Read and written.
    Live,
    /// Read only.
    Constant,
    /// Allocated by `malloc`.
    Heap,
    /// Gone.
    Dead,
}

#[derive(Clone, Debug)]
struct Region {
    bytes: Vec<u8>,
    state: State,
    what: Arc<str>,
}

/// All regions.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// Regions of ended calls, to be used again.
    spare: Vec<RegionId>,
    /// Bytes of all live regions.
    total: u64,
    pub(crate) bytes_max: u64,
    heap: Option<Heap>,
}

/// Regions that `malloc` gives, where their numbers must not depend on what was allocated before.
#[derive(Clone, Debug)]
struct Heap {
    first: usize,
    /// Behind the last one.
    end: usize,
    bytes_max: u64,
    /// Bytes of those that live.
    total: u64,
    /// What those that live are called, and the others.
    live: Arc<str>,
    freed: Arc<str>,
}

impl Memory {
    /// Memory without regions, and how many bytes it may have.
    pub(crate) fn new(bytes_max: u64) -> Memory {
        Memory { bytes_max, ..Memory::default() }
    }

    /// A new region, all zero.
    pub(crate) fn allocate(&mut self, size: u64, state: State, what: &Arc<str>) -> Result<RegionId, Trouble> {
        if size > self.bytes_max || self.total + size > self.bytes_max {
            return Err(Trouble::Memory(self.bytes_max));
        }
        if state == State::Heap && self.heap.is_some() {
            return self.allocate_block(size);
        }
        self.total += size;
        let full = self.regions.len() >= REGIONS_MAX;
        // Regions of ended calls stay marked as dead while there are numbers enough.
        if (full || self.spare.len() > REGIONS_MAX / 2)
            && let Some(id) = self.spare.pop()
        {
            let region = &mut self.regions[id.0 as usize];
            region.bytes.clear();
            region.bytes.resize(size as usize, 0);
            region.state = state;
            region.what = what.clone();
            return Ok(id);
        }
        if full {
            return Err(Trouble::Memory(self.bytes_max));
        }
        self.regions.push(Region { bytes: vec![0; size as usize], state, what: what.clone() });
        Ok(RegionId(self.regions.len() as u32 - 1))
    }

    /// The first free block of the heap.
    fn allocate_block(&mut self, size: u64) -> Result<RegionId, Trouble> {
        let heap = self.heap.as_mut().expect("there is one");
        let free = (heap.first..heap.end).find(|&i| self.regions[i].state == State::Dead);
        match free {
            Some(i) if heap.total + size + BLOCK_HEAD <= heap.bytes_max => {
                heap.total += size + BLOCK_HEAD;
                let region = &mut self.regions[i];
                region.bytes.clear();
                region.bytes.resize(size as usize, 0);
                region.state = State::Heap;
                region.what = heap.live.clone();
                Ok(RegionId(i as u32))
            }
            _ => Err(Trouble::Heap(heap.bytes_max)),
        }
    }

    /// Fixes the numbers of the regions that are there, and reserves those that `malloc` gives.
    pub(crate) fn settle(&mut self, blocks: u32, bytes_max: u64) {
        let first = self.regions.len();
        for _ in 0..blocks {
            self.regions.push(Region { bytes: Vec::new(), state: State::Dead, what: "freed memory".into() });
        }
        let (end, live, freed) = (self.regions.len(), "allocated memory".into(), "freed memory".into());
        self.heap = Some(Heap { first, end, bytes_max, total: 0, live, freed });
    }

    /// Forgets the regions of calls, where numbers are fixed.
    pub(crate) fn unwind(&mut self) {
        if let Some(heap) = &self.heap {
            self.regions.truncate(heap.end);
            self.spare.clear();
        }
    }

    /// Writes the heap down: each block with its number, its length and its bytes, zeros behind. What is equal has equal bytes.
    pub fn save_heap(&self, mut to: &mut [u8]) {
        let Some(heap) = &self.heap else { return };
        for i in heap.first..heap.end {
            let region = &self.regions[i];
            if region.state != State::Heap {
                continue;
            }
            let (head, rest) = to.split_at_mut(BLOCK_HEAD as usize);
            head[..2].copy_from_slice(&((i - heap.first + 1) as u16).to_le_bytes());
            head[2..].copy_from_slice(&(region.bytes.len() as u32).to_le_bytes());
            let (bytes, rest) = rest.split_at_mut(region.bytes.len());
            bytes.copy_from_slice(&region.bytes);
            to = rest;
        }
        to.fill(0);
    }

    /// Makes the heap as it was written down.
    pub fn load_heap(&mut self, mut from: &[u8]) {
        let Some(heap) = &mut self.heap else { return };
        for region in &mut self.regions[heap.first..heap.end] {
            region.state = State::Dead;
            region.what = heap.freed.clone();
            region.bytes.clear();
        }
        heap.total = 0;
        while let Some((head, rest)) = from.split_at_checked(BLOCK_HEAD as usize) {
            let number = usize::from(u16::from_le_bytes([head[0], head[1]]));
            if number == 0 {
                break;
            }
            let size = u32::from_le_bytes([head[2], head[3], head[4], head[5]]) as usize;
            let number = heap.first + number - 1;
            let (Some(bytes), true) = (rest.get(..size), number < heap.end) else { break };
            let region = &mut self.regions[number];
            region.state = State::Heap;
            region.what = heap.live.clone();
            region.bytes.clear();
            region.bytes.extend_from_slice(bytes);
            heap.total += size as u64 + BLOCK_HEAD;
            from = &rest[size..];
        }
    }

    /// Whether a region may be read and written, only read, or is as if it were gone.
    pub fn set_access(&mut self, id: RegionId, access: Access) {
        self.regions[id.0 as usize].state = match access {
            Access::Full => State::Live,
            Access::Read => State::Constant,
            Access::None => State::Dead,
        };
    }

    /// Ends the life of a region.
    pub(crate) fn end(&mut self, id: RegionId) {
        let region = &mut self.regions[id.0 as usize];
        if region.state != State::Dead {
            self.total -= region.bytes.len() as u64;
            region.state = State::Dead;
            region.bytes = Vec::new();
            self.spare.push(id);
        }
    }

    /// The bytes of a region.
    pub fn bytes(&self, id: RegionId) -> &[u8] {
        &self.regions[id.0 as usize].bytes
    }

    /// The bytes of a region, to be changed from outside.
    pub fn bytes_mut(&mut self, id: RegionId) -> &mut [u8] {
        &mut self.regions[id.0 as usize].bytes
    }

    /// The address of a byte of a region.
    pub fn address(id: RegionId, offset: u64) -> u64 {
        (u64::from(id.0) + 1) << OFFSET_BITS | offset
    }

    /// The region of an address, if it is one.
    pub fn region_at(address: u64) -> Option<RegionId> {
        (address >> OFFSET_BITS).checked_sub(1).map(|number| RegionId(number as u32))
    }

    /// The offset of an address in its region.
    pub fn offset_at(address: u64) -> u64 {
        Self::offset_of(address)
    }

    /// The region of an address, if it has one.
    pub(crate) fn region_of(&self, address: u64) -> Option<RegionId> {
        let number = (address >> OFFSET_BITS).checked_sub(1)?;
        (number < self.regions.len() as u64).then_some(RegionId(number as u32))
    }

    /// Offset part of an address.
    pub(crate) fn offset_of(address: u64) -> u64 {
        address & ((1 << OFFSET_BITS) - 1)
    }

    fn find(&self, address: u64, bytes: u64) -> Result<(usize, usize), Trouble> {
        let offset = Self::offset_of(address);
        let Some(id) = self.region_of(address) else {
            return Err(if address < 4096 { Trouble::Null } else { Trouble::Wild(address) });
        };
        let region = &self.regions[id.0 as usize];
        if region.state == State::Dead {
            return Err(Trouble::Dead(region.what.to_string()));
        }
        let size = region.bytes.len() as u64;
        if offset.checked_add(bytes).is_none_or(|end| end > size) {
            // A step below the start of an object looks like the end of the address space of the one before.
            let signed = (offset << 16) as i64 >> 16;
            return Err(Trouble::OutOfBounds { what: region.what.to_string(), offset: signed, bytes, size });
        }
        Ok((id.0 as usize, offset as usize))
    }

    /// Bytes to read.
    pub fn read(&self, address: u64, bytes: u64) -> Result<&[u8], Trouble> {
        if bytes == 0 {
            return Ok(&[]);
        }
        let (region, offset) = self.find(address, bytes)?;
        Ok(&self.regions[region].bytes[offset..offset + bytes as usize])
    }

    /// Bytes to write.
    pub fn write(&mut self, address: u64, bytes: u64) -> Result<&mut [u8], Trouble> {
        if bytes == 0 {
            return Ok(&mut []);
        }
        let (region, offset) = self.find(address, bytes)?;
        let region = &mut self.regions[region];
        if region.state == State::Constant {
            return Err(Trouble::Constant(region.what.to_string()));
        }
        Ok(&mut region.bytes[offset..offset + bytes as usize])
    }

    /// Copies bytes, which may overlap.
    pub(crate) fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Trouble> {
        let data = self.read(from, bytes)?.to_vec();
        self.write(to, bytes)?.copy_from_slice(&data);
        Ok(())
    }

    /// The bytes of a string up to its zero.
    pub(crate) fn string(&self, address: u64) -> Result<Vec<u8>, Trouble> {
        let (region, offset) = self.find(address, 1)?;
        let rest = &self.regions[region].bytes[offset..];
        match rest.iter().position(|&b| b == 0) {
            Some(n) => Ok(rest[..n].to_vec()),
            None => {
                let (what, size) = (self.regions[region].what.to_string(), self.regions[region].bytes.len() as u64);
                Err(Trouble::OutOfBounds { what, offset: size as i64, bytes: 1, size })
            }
        }
    }

    /// Frees a region that `malloc` gave.
    pub(crate) fn free(&mut self, address: u64) -> Result<(), Trouble> {
        if address == 0 {
            return Ok(());
        }
        match self.region_of(address) {
            Some(id) if Self::offset_of(address) == 0 && self.regions[id.0 as usize].state == State::Heap => {
                if let Some(heap) = &mut self.heap {
                    let region = &mut self.regions[id.0 as usize];
                    heap.total -= region.bytes.len() as u64 + BLOCK_HEAD;
                    region.state = State::Dead;
                    region.what = heap.freed.clone();
                    region.bytes.clear();
                    return Ok(());
                }
                self.end(id);
                // Its number is not used again, so that later accesses are found.
                self.spare.pop();
                Ok(())
            }
            _ => Err(Trouble::BadFree),
        }
    }

    /// Bytes of a region that `malloc` gave.
    pub(crate) fn heap_size(&self, address: u64) -> Option<u64> {
        let id = self.region_of(address)?;
        let region = &self.regions[id.0 as usize];
        (region.state == State::Heap && Self::offset_of(address) == 0).then_some(region.bytes.len() as u64)
    }
}
