//! What the search asks of a device: memory, kernels, launches. The driver of a graphics processor gives it, and the
//! emulator.

use crate::code::Program;
use std::time::Duration;
use thiserror::Error;

/// A place in the memory of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address(pub u64);

/// A kernel that was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(pub usize);

/// Why a device does not do what it is asked.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Trouble {
    /// There is no driver.
    #[error("there is no driver for a graphics processor: {0}")]
    NoDriver(String),
    /// The driver lacks a function.
    #[error("the driver of the graphics processor is too old: it has no `{0}`")]
    OldDriver(String),
    /// There is a driver and no device.
    #[error("there is a driver, but no graphics processor")]
    NoDevice,
    /// It cannot do what is needed.
    #[error("the graphics processor `{name}` is too old: it has compute capability {major}.{minor}, {needs} is needed")]
    OldDevice {
        /// Its name.
        name: String,
        /// What it has.
        major: i32,
        /// What it has.
        minor: i32,
        /// What is needed.
        needs: &'static str,
    },
    /// It is in use by others, or has not enough memory.
    #[error("the graphics processor has no {bytes} bytes of memory left")]
    OutOfMemory {
        /// How much was asked for.
        bytes: u64,
    },
    /// A kernel does not end.
    #[error("the graphics processor did not answer for {seconds} s")]
    Hangs {
        /// How long it was waited for.
        seconds: u64,
    },
    /// A call failed.
    #[error("{call} failed: {text} ({code})")]
    Failed {
        /// Which.
        call: String,
        /// What the driver says.
        code: i32,
        /// What that means.
        text: String,
    },
}

/// A device.
pub trait Device {
    /// What it is called.
    fn name(&self) -> String;

    /// Memory that can be allocated.
    fn free_bytes(&mut self) -> Result<u64, Trouble>;

    /// Makes a kernel ready.
    fn load(&mut self, program: &Program) -> Result<Kernel, Trouble>;

    /// Forgets all kernels.
    fn unload(&mut self);

    /// How many blocks of a kernel can run at once.
    fn blocks(&mut self, kernel: Kernel) -> Result<u32, Trouble>;

    /// Memory of this size, a multiple of 16, at an address that is one too.
    fn allocate(&mut self, bytes: u64) -> Result<Address, Trouble>;

    /// Gives memory back.
    fn free(&mut self, at: Address);

    /// Sets memory to zero; `bytes` is a multiple of 8.
    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), Trouble>;

    /// Writes memory.
    fn write(&mut self, at: Address, from: &[u64]) -> Result<(), Trouble>;

    /// Reads memory.
    fn read(&mut self, at: Address, to: &mut [u64]) -> Result<(), Trouble>;

    /// Copies memory that does not overlap.
    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), Trouble>;

    /// Runs a kernel to its end; all its blocks run at once. Says how long the device took.
    fn launch(&mut self, kernel: Kernel, blocks: u32, params: &[u64]) -> Result<Duration, Trouble>;
}
