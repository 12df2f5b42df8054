//! The driver of NVIDIA's processors, `libcuda.so.1`, opened while the program runs: no toolkit, no header, no link.
//!
//! The functions are those of the driver's C interface, written down by hand. Everything unsafe of this package is here. A
//! [`Driver`] gives back what it took when it is dropped, however far it came.

use crate::code::Program;
use crate::device::{Address, Device, Kernel, Trouble};
use crate::ptx;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The library, by its name on Linux.
const LIBRARY: &CStr = c"libcuda.so.1";
/// `RTLD_NOW`.
const NOW: c_int = 2;

const OUT_OF_MEMORY: i32 = 2;
const NO_DEVICE: i32 = 100;
const NOT_READY: i32 = 600;
/// How long a kernel may run: each of them ends by itself much sooner.
const PATIENCE: Duration = Duration::from_secs(120);

// Attributes of devices and kernels, options of the translator.
const MULTIPROCESSORS: c_int = 16;
const MAJOR: c_int = 75;
const MINOR: c_int = 76;
const COOPERATIVE: c_int = 95;
const SHARED_BYTES_MAX: c_int = 8;
const ERROR_LOG: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;

type Pointer = *mut c_void;

/// Whether the context is kept for later searches of this process.
static IS_KEPT: AtomicBool = AtomicBool::new(false);

// SAFETY: these are functions of the C library, which every Rust program on Linux is linked with.
unsafe extern "C" {
    fn dlopen(name: *const c_char, how: c_int) -> Pointer;
    fn dlsym(library: Pointer, name: *const c_char) -> Pointer;
}

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($arg:ty),*);)*) => {
        /// The functions of the driver.
        #[derive(Clone, Copy)]
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> c_int,)*
        }

        impl Functions {
            /// Opens the library.
            fn open() -> Result<Functions, Trouble> {
                // SAFETY: 1. The name is a string that ends in 0. 2. Initialisers of the driver may run in any thread.
                let library = unsafe { dlopen(LIBRARY.as_ptr(), NOW) };
                if library.is_null() {
                    return Err(Trouble::NoDriver("`libcuda.so.1` is not found".into()));
                }
                Ok(Functions {
                    $($name: {
                        let symbol = CString::new($symbol).expect("no 0 inside");
                        // SAFETY: 1. The library is open and stays open. 2. The name ends in 0.
                        let found = unsafe { dlsym(library, symbol.as_ptr()) };
                        if found.is_null() {
                            return Err(Trouble::OldDriver($symbol.into()));
                        }
                        // SAFETY: 1. The symbol is the function of this name, whose type is that of the C interface.
                        unsafe { std::mem::transmute::<Pointer, unsafe extern "C" fn($($arg),*) -> c_int>(found) }
                    },)*
                })
            }
        }
    };
}

functions! {
    init = "cuInit"(c_uint);
    device_get = "cuDeviceGet"(*mut c_int, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    context_retain = "cuDevicePrimaryCtxRetain"(*mut Pointer, c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2"(c_int);
    context_set = "cuCtxSetCurrent"(Pointer);
    module_load = "cuModuleLoadDataEx"(*mut Pointer, *const c_void, c_uint, *mut c_int, *mut Pointer);
    module_unload = "cuModuleUnload"(Pointer);
    module_function = "cuModuleGetFunction"(*mut Pointer, Pointer, *const c_char);
    function_set = "cuFuncSetAttribute"(Pointer, c_int, c_int);
    occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor"(*mut c_int, Pointer, c_int, usize);
    memory_info = "cuMemGetInfo_v2"(*mut usize, *mut usize);
    allocate = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    clear = "cuMemsetD8_v2"(u64, u8, usize);
    write = "cuMemcpyHtoD_v2"(u64, *const c_void, usize);
    read = "cuMemcpyDtoH_v2"(*mut c_void, u64, usize);
    copy = "cuMemcpyDtoD_v2"(u64, u64, usize);
    launch = "cuLaunchCooperativeKernel"(
        Pointer, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Pointer, *mut Pointer
    );
    event_create = "cuEventCreate"(*mut Pointer, c_uint);
    event_record = "cuEventRecord"(Pointer, Pointer);
    event_query = "cuEventQuery"(Pointer);
    event_elapsed = "cuEventElapsedTime"(*mut f32, Pointer, Pointer);
    event_destroy = "cuEventDestroy_v2"(Pointer);
    error_text = "cuGetErrorString"(c_int, *mut *const c_char);
}

struct Loaded {
    module: Pointer,
    function: Pointer,
    threads: u32,
    shared_bytes: u32,
}

/// A graphics processor.
pub struct Driver {
    functions: Functions,
    device: c_int,
    context: Pointer,
    retained: bool,
    name: String,
    /// Compute capability.
    capability: (i32, i32),
    multiprocessors: u32,
    events: [Pointer; 2],
    loaded: Vec<Loaded>,
    allocated: Vec<u64>,
    patience: Duration,
    /// A kernel did not end: whatever waits for it would wait for ever.
    hangs: bool,
}

/// A processor on its way from the thread that has opened it to the one that uses it.
struct Carried(Driver);

// SAFETY: 1. What a driver has given out (contexts, modules, events) may be used by any thread in which the context is current.
// 2. The thread that opened it has ended when it arrives, and it arrives once.
unsafe impl Send for Carried {}

impl Carried {
    fn arrive(self) -> Result<Driver, Trouble> {
        self.0.enter()?;
        Ok(self.0)
    }
}

impl Driver {
    /// Opens the driver and the first device. Its context stays until the process ends: to make one takes a quarter of a second
    /// and to destroy it a tenth, and the next search of the process needs it again.
    pub fn open() -> Result<Driver, Trouble> {
        let driver = Driver::with(Functions::open()?)?;
        if !IS_KEPT.swap(true, Ordering::Relaxed) {
            let mut context = std::ptr::null_mut();
            // SAFETY: 1. The pointer is to a pointer. 2. The device is one. 3. It counts the users of the context, no more.
            let code = unsafe { (driver.functions.context_retain)(&mut context, driver.device) };
            driver.check("cuDevicePrimaryCtxRetain", code)?;
        }
        Ok(driver)
    }

    /// Opens them while something else is made here: both take some tenths of a second.
    pub fn open_beside<T>(work: impl FnOnce() -> T) -> (Result<Driver, Trouble>, T) {
        std::thread::scope(|scope| {
            let opening = std::thread::Builder::new().spawn_scoped(scope, || Driver::open().map(Carried));
            let made = work();
            let opened = match opening.map(|thread| thread.join()) {
                Ok(Ok(opened)) => opened.and_then(Carried::arrive),
                // There is no thread to be had, or it has ended early.
                _ => Driver::open(),
            };
            (opened, made)
        })
    }

    fn with(functions: Functions) -> Result<Driver, Trouble> {
        let mut me = Driver {
            functions,
            device: 0,
            context: std::ptr::null_mut(),
            retained: false,
            name: String::new(),
            capability: (0, 0),
            multiprocessors: 0,
            events: [std::ptr::null_mut(); 2],
            loaded: Vec::new(),
            allocated: Vec::new(),
            patience: PATIENCE,
            hangs: false,
        };
        let f = functions;
        // SAFETY: 1. The one argument must be 0.
        me.check("cuInit", unsafe { (f.init)(0) })?;
        // SAFETY: 1. The pointer is to an integer.
        let code = unsafe { (f.device_get)(&mut me.device, 0) };
        me.check("cuDeviceGet", code)?;
        let mut name = [0_u8; 128];
        // SAFETY: 1. There are as many bytes as is said. 2. The device is one.
        let code = unsafe { (f.device_name)(name.as_mut_ptr().cast(), name.len() as c_int, me.device) };
        me.check("cuDeviceGetName", code)?;
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        me.name = String::from_utf8_lossy(&name[..end]).into_owned();
        me.capability = (me.attribute(MAJOR)?, me.attribute(MINOR)?);
        me.multiprocessors = me.attribute(MULTIPROCESSORS)? as u32;
        if me.capability < (7, 0) || me.attribute(COOPERATIVE)? == 0 {
            return Err(me.too_old("7.0"));
        }
        // SAFETY: 1. The pointer is to a pointer. 2. The device is one.
        let code = unsafe { (f.context_retain)(&mut me.context, me.device) };
        me.check("cuDevicePrimaryCtxRetain", code)?;
        me.retained = true;
        me.enter()?;
        for i in 0..2 {
            // SAFETY: 1. The pointer is to a pointer. 2. A context is current.
            let code = unsafe { (f.event_create)(&mut me.events[i], 0) };
            me.check("cuEventCreate", code)?;
        }
        Ok(me)
    }

    /// Makes the context that of this thread.
    fn enter(&self) -> Result<(), Trouble> {
        // SAFETY: 1. The context was given by the driver, and is retained.
        self.check("cuCtxSetCurrent", unsafe { (self.functions.context_set)(self.context) })
    }

    fn too_old(&self, needs: &'static str) -> Trouble {
        let (major, minor) = self.capability;
        Trouble::OldDevice { name: self.name.clone(), major, minor, needs }
    }

    fn attribute(&self, which: c_int) -> Result<i32, Trouble> {
        let mut value = 0;
        // SAFETY: 1. The pointer is to an integer. 2. The device is one.
        let code = unsafe { (self.functions.device_attribute)(&mut value, which, self.device) };
        self.check("cuDeviceGetAttribute", code)?;
        Ok(value)
    }

    fn check(&self, call: &str, code: c_int) -> Result<(), Trouble> {
        match code {
            0 => Ok(()),
            NO_DEVICE => Err(Trouble::NoDevice),
            code => Err(Trouble::Failed { call: call.into(), code, text: self.text(code) }),
        }
    }

    /// Waits until an event that was recorded has happened.
    fn wait(&mut self, event: Pointer) -> Result<(), Trouble> {
        let began = Instant::now();
        loop {
            // SAFETY: 1. The event was created, and recorded.
            let code = unsafe { (self.functions.event_query)(event) };
            if code != NOT_READY {
                return self.check("cuEventQuery", code);
            }
            let waited = began.elapsed();
            if waited >= self.patience {
                self.hangs = true;
                return Err(Trouble::Hangs { seconds: self.patience.as_secs() });
            }
            // What is short is waited for without sleep.
            if waited > Duration::from_millis(20) {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    }

    fn text(&self, code: c_int) -> String {
        let mut text = std::ptr::null();
        // SAFETY: 1. The pointer is to a pointer.
        let found = unsafe { (self.functions.error_text)(code, &mut text) };
        if found != 0 || text.is_null() {
            return "the driver does not say why".into();
        }
        // SAFETY: 1. The driver's texts are constants that end in 0.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

impl Device for Driver {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn free_bytes(&mut self) -> Result<u64, Trouble> {
        let (mut free, mut all) = (0, 0);
        // SAFETY: 1. Both pointers are to sizes. 2. A context is current.
        self.check("cuMemGetInfo", unsafe { (self.functions.memory_info)(&mut free, &mut all) })?;
        Ok(free as u64)
    }

    fn load(&mut self, program: &Program) -> Result<Kernel, Trouble> {
        let (needed, words) = ptx::needs(program);
        if 10 * self.capability.0 + self.capability.1 < needed {
            return Err(self.too_old(words));
        }
        let text = CString::new(ptx::print(program)).expect("no 0 inside");
        let mut log = vec![0_u8; 4096];
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
        let mut values = [log.as_mut_ptr().cast(), log.len() as Pointer];
        let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
        let f = self.functions;
        // SAFETY: 1. The text ends in 0. 2. There are two options and two values, of the types that they ask for, and the log
        // has as many bytes as is said. 3. A context is current.
        let code =
            unsafe { (f.module_load)(&mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr()) };
        if code != 0 {
            let end = log.iter().position(|b| *b == 0).unwrap_or(log.len());
            let log = String::from_utf8_lossy(&log[..end]).trim().to_string();
            let text = if log.is_empty() { self.text(code) } else { log };
            return Err(Trouble::Failed { call: "cuModuleLoadDataEx".into(), code, text });
        }
        let at = self.loaded.len();
        self.loaded.push(Loaded { module, function, threads: program.threads, shared_bytes: program.shared_bytes });
        let name = CString::new(program.name).expect("no 0 inside");
        // SAFETY: 1. The pointer is to a pointer. 2. The module is loaded. 3. The name ends in 0.
        let code = unsafe { (f.module_function)(&mut function, module, name.as_ptr()) };
        self.check("cuModuleGetFunction", code)?;
        self.loaded[at].function = function;
        // SAFETY: 1. The function was found in a module that is loaded.
        let code = unsafe { (f.function_set)(function, SHARED_BYTES_MAX, program.shared_bytes as c_int) };
        self.check("cuFuncSetAttribute", code)?;
        Ok(Kernel(at))
    }

    fn unload(&mut self) {
        if self.hangs {
            return;
        }
        for loaded in self.loaded.drain(..) {
            // SAFETY: 1. The module is loaded, and nothing runs. Its answer is of no use here.
            unsafe { (self.functions.module_unload)(loaded.module) };
        }
    }

    fn blocks(&mut self, kernel: Kernel) -> Result<u32, Trouble> {
        let k = &self.loaded[kernel.0];
        let mut count = 0;
        // SAFETY: 1. The pointer is to an integer. 2. The function belongs to a module that is loaded.
        let code =
            unsafe { (self.functions.occupancy)(&mut count, k.function, k.threads as c_int, k.shared_bytes as usize) };
        self.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", code)?;
        if count <= 0 {
            let text = "not one block fits a multiprocessor".into();
            return Err(Trouble::Failed { call: "the kernel".into(), code: count, text });
        }
        Ok(count as u32 * self.multiprocessors)
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, Trouble> {
        let mut at = 0;
        // SAFETY: 1. The pointer is to an address. 2. A context is current.
        match unsafe { (self.functions.allocate)(&mut at, bytes as usize) } {
            OUT_OF_MEMORY => return Err(Trouble::OutOfMemory { bytes }),
            code => self.check("cuMemAlloc", code)?,
        }
        self.allocated.push(at);
        Ok(Address(at))
    }

    fn free(&mut self, at: Address) {
        if self.hangs {
            return;
        }
        if let Some(i) = self.allocated.iter().position(|a| *a == at.0) {
            self.allocated.swap_remove(i);
            // SAFETY: 1. It is allocated, and no longer listed. The driver's answer is of no use here.
            unsafe { (self.functions.free)(at.0) };
        }
    }

    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), Trouble> {
        // SAFETY: 1. The range lies in an allocation: the search clears what it has allocated.
        self.check("cuMemsetD8", unsafe { (self.functions.clear)(at.0, 0, bytes as usize) })
    }

    fn write(&mut self, at: Address, from: &[u64]) -> Result<(), Trouble> {
        let bytes = std::mem::size_of_val(from);
        // SAFETY: 1. There are as many bytes to read as is said. 2. The driver checks that the range can be written.
        self.check("cuMemcpyHtoD", unsafe { (self.functions.write)(at.0, from.as_ptr().cast(), bytes) })
    }

    fn read(&mut self, at: Address, to: &mut [u64]) -> Result<(), Trouble> {
        let bytes = std::mem::size_of_val(to);
        // SAFETY: 1. There are as many bytes to write as is said, and any bytes are numbers. 2. The driver checks the range.
        self.check("cuMemcpyDtoH", unsafe { (self.functions.read)(to.as_mut_ptr().cast(), at.0, bytes) })
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), Trouble> {
        // SAFETY: 1. Both are addresses of the device; the driver checks the ranges.
        self.check("cuMemcpyDtoD", unsafe { (self.functions.copy)(to.0, from.0, bytes as usize) })
    }

    fn launch(&mut self, kernel: Kernel, blocks: u32, params: &[u64]) -> Result<Duration, Trouble> {
        let k = &self.loaded[kernel.0];
        let f = self.functions;
        let (threads, shared, function) = (k.threads, k.shared_bytes, k.function);
        let [start, end] = self.events;
        let none = std::ptr::null_mut();
        let mut pointers: Vec<Pointer> = params.iter().map(|p| std::ptr::from_ref(p).cast_mut().cast()).collect();
        // SAFETY: 1. The events were created.
        self.check("cuEventRecord", unsafe { (f.event_record)(start, none) })?;
        // SAFETY: 1. The function belongs to a module that is loaded. 2. There is a pointer to 8 bytes for each of its
        // parameters, all of which are 8 bytes, and the driver reads them before it returns.
        let code = unsafe { (f.launch)(function, blocks, 1, 1, threads, 1, 1, shared, none, pointers.as_mut_ptr()) };
        self.check("cuLaunchCooperativeKernel", code)?;
        // SAFETY: 1. The events were created.
        self.check("cuEventRecord", unsafe { (f.event_record)(end, none) })?;
        self.wait(end)?;
        let mut milliseconds = 0.0;
        // SAFETY: 1. The pointer is to a number. 2. Both events were recorded and have happened.
        self.check("cuEventElapsedTime", unsafe { (f.event_elapsed)(&mut milliseconds, start, end) })?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.hangs {
            // The end of the process gives all of it back.
            return;
        }
        self.unload();
        for at in self.allocated.drain(..) {
            // SAFETY: 1. It is allocated.
            unsafe { (self.functions.free)(at) };
        }
        for event in self.events.into_iter().filter(|e| !e.is_null()) {
            // SAFETY: 1. The event was created.
            unsafe { (self.functions.event_destroy)(event) };
        }
        if self.retained {
            // SAFETY: 1. The context was retained, once.
            unsafe { (self.functions.context_release)(self.device) };
        }
    }
}

#[cfg(test)]
mod tests {
    //! The driver against a library that is not one, and whose n-th call fails.

    use super::*;
    use crate::code::{Builder, Op};
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    #[derive(Default)]
    struct Fake {
        calls: u32,
        fails_at: u32,
        handles: usize,
        /// Contexts, modules, events and memory that were not given back.
        live: BTreeSet<usize>,
        mistakes: Vec<&'static str>,
        /// Kernels never end.
        hangs: bool,
    }

    thread_local! {
        static FAKE: RefCell<Fake> = RefCell::new(Fake::default());
    }

    /// Counts a call; whether it works.
    fn works() -> bool {
        FAKE.with_borrow_mut(|f| {
            f.calls += 1;
            f.calls != f.fails_at
        })
    }

    /// Gives something out, unless the call fails.
    fn give(to: &mut dyn FnMut(usize)) -> c_int {
        if !works() {
            return 999;
        }
        FAKE.with_borrow_mut(|f| {
            f.handles += 256;
            f.live.insert(f.handles);
            to(f.handles);
        });
        0
    }

    fn take(handle: usize) -> c_int {
        FAKE.with_borrow_mut(|f| {
            if !f.live.remove(&handle) {
                f.mistakes.push("something is given back that was not had");
            }
        });
        0
    }

    fn plain() -> c_int {
        if works() { 0 } else { 999 }
    }

    extern "C" fn init(_: c_uint) -> c_int {
        plain()
    }
    extern "C" fn device_get(to: *mut c_int, _: c_int) -> c_int {
        // SAFETY: 1. The driver gives a pointer to an integer.
        unsafe { *to = 0 };
        plain()
    }
    extern "C" fn device_name(to: *mut c_char, _: c_int, _: c_int) -> c_int {
        // SAFETY: 1. The driver gives a pointer to more bytes than these.
        unsafe { to.copy_from(c"fake".as_ptr(), 5) };
        plain()
    }
    extern "C" fn device_attribute(to: *mut c_int, _: c_int, _: c_int) -> c_int {
        // SAFETY: 1. The driver gives a pointer to an integer.
        unsafe { *to = 9 };
        plain()
    }
    extern "C" fn context_retain(to: *mut Pointer, _: c_int) -> c_int {
        // SAFETY: 1. The driver gives a pointer to a pointer.
        unsafe { *to = std::ptr::null_mut() };
        if plain() != 0 {
            return 999;
        }
        FAKE.with_borrow_mut(|f| f.live.insert(1));
        0
    }
    extern "C" fn context_release(_: c_int) -> c_int {
        take(1)
    }
    extern "C" fn context_set(_: Pointer) -> c_int {
        plain()
    }
    extern "C" fn give_pointer(to: *mut Pointer) -> c_int {
        // SAFETY: 1. The driver gives a pointer to a pointer.
        give(&mut |handle| unsafe { *to = std::ptr::without_provenance_mut(handle) })
    }
    extern "C" fn module_load(to: *mut Pointer, _: *const c_void, _: c_uint, _: *mut c_int, _: *mut Pointer) -> c_int {
        give_pointer(to)
    }
    extern "C" fn take_pointer(handle: Pointer) -> c_int {
        take(handle.addr())
    }
    extern "C" fn module_function(to: *mut Pointer, _: Pointer, _: *const c_char) -> c_int {
        // SAFETY: 1. The driver gives a pointer to a pointer.
        unsafe { *to = std::ptr::null_mut() };
        plain()
    }
    extern "C" fn function_set(_: Pointer, _: c_int, _: c_int) -> c_int {
        plain()
    }
    extern "C" fn occupancy(to: *mut c_int, _: Pointer, _: c_int, _: usize) -> c_int {
        // SAFETY: 1. The driver gives a pointer to an integer.
        unsafe { *to = 2 };
        plain()
    }
    extern "C" fn memory_info(free: *mut usize, all: *mut usize) -> c_int {
        // SAFETY: 1. The driver gives pointers to sizes.
        unsafe { (*free, *all) = (1 << 34, 1 << 34) };
        plain()
    }
    extern "C" fn allocate(to: *mut u64, _: usize) -> c_int {
        // SAFETY: 1. The driver gives a pointer to an address.
        give(&mut |handle| unsafe { *to = handle as u64 })
    }
    extern "C" fn free(at: u64) -> c_int {
        take(at as usize)
    }
    extern "C" fn clear(_: u64, _: u8, _: usize) -> c_int {
        plain()
    }
    extern "C" fn write(_: u64, _: *const c_void, _: usize) -> c_int {
        plain()
    }
    extern "C" fn read(to: *mut c_void, _: u64, bytes: usize) -> c_int {
        // SAFETY: 1. The driver gives a pointer to this many bytes.
        unsafe { to.write_bytes(0, bytes) };
        plain()
    }
    extern "C" fn copy(_: u64, _: u64, _: usize) -> c_int {
        plain()
    }
    #[allow(clippy::too_many_arguments)]
    extern "C" fn launch(
        _: Pointer,
        _: c_uint,
        _: c_uint,
        _: c_uint,
        _: c_uint,
        _: c_uint,
        _: c_uint,
        _: c_uint,
        _: Pointer,
        _: *mut Pointer,
    ) -> c_int {
        plain()
    }
    extern "C" fn event_create(to: *mut Pointer, _: c_uint) -> c_int {
        give_pointer(to)
    }
    extern "C" fn event_record(_: Pointer, _: Pointer) -> c_int {
        plain()
    }
    extern "C" fn event_query(_: Pointer) -> c_int {
        if FAKE.with_borrow(|f| f.hangs) { NOT_READY } else { plain() }
    }
    extern "C" fn event_elapsed(to: *mut f32, _: Pointer, _: Pointer) -> c_int {
        // SAFETY: 1. The driver gives a pointer to a number.
        unsafe { *to = 1.0 };
        plain()
    }
    extern "C" fn error_text(_: c_int, to: *mut *const c_char) -> c_int {
        // SAFETY: 1. The driver gives a pointer to a pointer.
        unsafe { *to = c"it was told to fail".as_ptr() };
        0
    }

    fn library() -> Functions {
        Functions {
            init,
            device_get,
            device_name,
            device_attribute,
            context_retain,
            context_release,
            context_set,
            module_load,
            module_unload: take_pointer,
            module_function,
            function_set,
            occupancy,
            memory_info,
            allocate,
            free,
            clear,
            write,
            read,
            copy,
            launch,
            event_create,
            event_record,
            event_query,
            event_elapsed,
            event_destroy: take_pointer,
            error_text,
        }
    }

    /// Everything that a search does with a device.
    fn use_all() -> Result<(), Trouble> {
        let mut driver = Driver::with(library())?;
        driver.free_bytes()?;
        let mut b = Builder::default();
        b.op(Op::Return);
        let kernel = driver.load(&b.finish("nothing", 0, 0, 32, 1))?;
        let blocks = driver.blocks(kernel)?;
        let (a, b) = (driver.allocate(64)?, driver.allocate(64)?);
        driver.clear(a, 64)?;
        driver.write(a, &[1, 2])?;
        driver.copy(a, b, 16)?;
        driver.launch(kernel, blocks, &[])?;
        driver.read(b, &mut [0, 0])?;
        driver.free(a);
        Ok(())
    }

    #[test]
    fn whatever_call_fails_everything_is_given_back_and_said() {
        let mut sentences = BTreeSet::new();
        for n in 0..100 {
            FAKE.set(Fake { fails_at: n, ..Fake::default() });
            let result = use_all();
            let fake = FAKE.take();
            assert!(fake.live.is_empty(), "call {n} fails: {:?} are not given back", fake.live);
            assert_eq!(fake.mistakes, Vec::<&str>::new(), "call {n} fails");
            assert_eq!(result.is_err(), n > 0 && n <= fake.calls, "call {n} of {}", fake.calls);
            sentences.extend(result.err().map(|t| t.to_string()));
        }
        assert!(sentences.len() > 15 && sentences.iter().all(|s| s.contains("it was told to fail")), "{sentences:?}");
    }

    #[test]
    fn a_kernel_that_does_not_end_is_given_up() {
        FAKE.set(Fake { hangs: true, ..Fake::default() });
        let mut driver = Driver::with(library()).expect("nothing fails");
        driver.patience = Duration::ZERO;
        let mut b = Builder::default();
        b.op(Op::Return);
        let kernel = driver.load(&b.finish("nothing", 0, 0, 32, 1)).expect("nothing fails");
        let result = driver.launch(kernel, 1, &[]);
        assert_eq!(result, Err(Trouble::Hangs { seconds: 0 }));
        drop(driver);
        // Nothing that would wait for the kernel was called.
        assert!(!FAKE.take().live.is_empty());
    }

    #[test]
    fn a_search_ends_whatever_call_fails() {
        let text = "active [2] proctype P() { byte x; do :: x < 3 -> x++ :: else -> break od }";
        let model = std::sync::Arc::new(ferrospin_testkit::model("m.pml", text, &[]).expect("it is a model"));
        for n in 0..60 {
            FAKE.set(Fake { fails_at: n, ..Fake::default() });
            let mut machine = ferrospin_interp::Interp::new(model.clone());
            let result = Driver::with(library()).map_err(crate::Failed::from).and_then(|mut driver| {
                crate::search(&mut driver, &model, &mut machine, &crate::Options::default(), &mut |_| true)
            });
            assert!(result.is_err(), "kernels that do nothing find nothing");
            assert!(FAKE.take().live.is_empty(), "call {n} fails");
        }
    }
}
