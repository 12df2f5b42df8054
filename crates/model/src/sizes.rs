//! Where things stand, one behind the other: offsets of 32 bits out of sizes of 64.
//!
//! A front end refuses what is too large, so that a sum which does not fit is a bug, and is never cut to one that does.

/// A number of bytes as the process graphs keep it.
///
/// # Panics
/// Panics when it does not fit.
pub fn in_state(bytes: u64) -> u32 {
    u32::try_from(bytes).expect("what is too large was refused at its declaration")
}

/// Hands out places, one behind the other.
#[derive(Default, Debug)]
pub struct Cursor {
    bytes: u64,
}

impl Cursor {
    /// Begins behind this many bytes.
    pub fn behind(bytes: u32) -> Cursor {
        Cursor { bytes: u64::from(bytes) }
    }

    /// The offset of the next thing, which takes this many bytes.
    pub fn take(&mut self, bytes: u64) -> u32 {
        let at = in_state(self.bytes);
        self.bytes = self.bytes.saturating_add(bytes);
        at
    }

    /// How many bytes were handed out.
    pub fn bytes(&self) -> u32 {
        in_state(self.bytes)
    }
}
