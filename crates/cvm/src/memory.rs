//! Memory as regions with checked accesses.

use crate::Trouble;

/// Index of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(pub u32);

/// Bits of an address that are the offset.
const OFFSET_BITS: u32 = 48;
/// Regions that addresses can tell apart.
const REGIONS_MAX: usize = 0xffff;

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
    what: String,
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
}

impl Memory {
    /// Memory without regions, and how many bytes it may have.
    pub(crate) fn new(bytes_max: u64) -> Memory {
        Memory { bytes_max, ..Memory::default() }
    }

    /// A new region, all zero.
    pub(crate) fn allocate(&mut self, size: u64, state: State, what: &str) -> Result<RegionId, Trouble> {
        if size > self.bytes_max || self.total + size > self.bytes_max {
            return Err(Trouble::Memory(self.bytes_max));
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
            region.what.clear();
            region.what.push_str(what);
            return Ok(id);
        }
        if full {
            return Err(Trouble::Memory(self.bytes_max));
        }
        self.regions.push(Region { bytes: vec![0; size as usize], state, what: what.to_string() });
        Ok(RegionId(self.regions.len() as u32 - 1))
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
            return Err(Trouble::Dead(region.what.clone()));
        }
        let size = region.bytes.len() as u64;
        if offset.checked_add(bytes).is_none_or(|end| end > size) {
            // A step below the start of an object looks like the end of the address space of the one before.
            let signed = (offset << 16) as i64 >> 16;
            return Err(Trouble::OutOfBounds { what: region.what.clone(), offset: signed, bytes, size });
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
            return Err(Trouble::Constant(region.what.clone()));
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
                let (what, size) = (self.regions[region].what.clone(), self.regions[region].bytes.len() as u64);
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
