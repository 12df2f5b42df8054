//! The machine behind the fragments: [`Code`] over `cvm`.
//!
//! Each worker takes a machine of C from a pool, copies what the fragment may touch from the state into its regions, runs it, and
//! copies back what it may have written. All else that belongs to the state is out of reach meanwhile, so that an analysis
//! that had missed something would end in an error, not in a wrong answer.

use crate::places::Places;
use ferrospin_cvm::{Access, Limits, Link, Machine, Program, RegionId, Returned, Stop, Trouble};
use ferrospin_model::code::{Code, Done, Site};
use ferrospin_model::ir::Area;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks that `malloc` can give.
pub(crate) const BLOCKS: u32 = 256;
/// Bytes of the state that they take.
pub(crate) const HEAP_BYTES: u32 = 4096;
/// Different messages that are kept; behind them one stands for all.
const MESSAGES_MAX: usize = 1 << 16;

/// Something of the state, and the region where C finds it.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) region: RegionId,
    pub(crate) area: Area,
    pub(crate) offset: u32,
    pub(crate) len: u32,
    /// Scalars that have fewer bits than bytes: where, how many bytes, and the bits that stay.
    pub(crate) cuts: Vec<(u32, u32, u32)>,
}

/// A fragment that can be run.
#[derive(Clone, Debug)]
pub(crate) struct Snippet {
    pub(crate) condition: Option<Link>,
    pub(crate) run: Link,
    /// What it reads and does not write.
    pub(crate) reads: Vec<u32>,
    pub(crate) writes: Vec<u32>,
    /// Regions of what it asks, in the order of the values that are handed over.
    pub(crate) asks: Vec<RegionId>,
    pub(crate) heap: Option<Slot>,
    pub(crate) seed: Option<Slot>,
    /// What is said when its condition is false.
    pub(crate) false_condition: String,
}

/// All embedded C of a model.
pub(crate) struct Machines {
    pub(crate) program: Arc<Program>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) snippets: Vec<Snippet>,
    /// Regions that hold what others may look at, beside the slots: nothing writes them once all has begun.
    pub(crate) constant: Vec<RegionId>,
    /// Regions of what is asked.
    pub(crate) asked: Vec<RegionId>,
    /// Some memory is neither stored nor restored: there is one machine for all.
    pub(crate) hidden: bool,
    pub(crate) places: Arc<Places>,
    pub(crate) pool: Mutex<Vec<Machine>>,
    pub(crate) messages: Mutex<Messages>,
}

/// Failures by number.
#[derive(Default, Debug)]
pub(crate) struct Messages {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Messages {
    /// The number of a message.
    pub(crate) fn number(&mut self, message: String) -> u32 {
        if let Some(&n) = self.numbers.get(&message) {
            return n;
        }
        let n = self.list.len().min(MESSAGES_MAX) as u32;
        if self.list.len() < MESSAGES_MAX {
            self.list.push(message.clone());
            self.numbers.insert(message, n);
        }
        n
    }

    /// The message of a number.
    pub(crate) fn text(&self, number: u32) -> String {
        self.list.get(number as usize).cloned().unwrap_or_else(|| "embedded C fails".into())
    }
}

impl std::fmt::Debug for Machines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "embedded C of {} fragments", self.snippets.len())
    }
}

/// A machine in which all has its first value and nothing of the state is in reach.
pub(crate) fn machine(program: &Arc<Program>) -> Result<Machine, Stop> {
    let mut machine = Machine::new(program.clone(), Limits::default())?;
    machine.settle(BLOCKS, u64::from(HEAP_BYTES))?;
    machine.goes_on = true;
    Ok(machine)
}

/// What a fragment gave.
struct Ran {
    returned: Returned,
    /// What it has complained about.
    complaint: Option<Stop>,
}

enum Ended {
    Stop(Stop),
    Condition,
}

impl Machines {
    fn fresh(&self) -> Machine {
        // The same was done when the model was read.
        let mut machine = machine(&self.program).expect("it could be started before");
        for slot in &self.slots {
            machine.memory.set_access(slot.region, Access::None);
        }
        for region in self.constant.iter().chain(&self.asked) {
            machine.memory.set_access(*region, Access::Read);
        }
        machine
    }

    /// Runs `work` with a machine that no other worker has meanwhile.
    fn with<T>(&self, work: impl FnOnce(&mut Machine) -> T) -> T {
        let pool = || self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if self.hidden {
            let mut pool = pool();
            if pool.is_empty() {
                pool.push(self.fresh());
            }
            return work(&mut pool[0]);
        }
        let taken = pool().pop();
        let mut machine = taken.unwrap_or_else(|| self.fresh());
        let answer = work(&mut machine);
        pool().push(machine);
        answer
    }

    fn number(&self, message: String) -> u32 {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).number(message)
    }

    fn words(&self, stop: &Stop) -> String {
        match &stop.trouble {
            Trouble::Told(text) => text.clone(),
            Trouble::Assertion(text) => format!("assertion violated: {text}{}", self.places.at(stop.span)),
            trouble => format!("{trouble}{}", self.places.at(stop.span)),
        }
    }

    fn load(&self, m: &mut Machine, s: &Snippet, fixed: &[u8], frame: &[u8], args: &[i32], writable: bool) {
        let lists = [(&s.reads, Access::Read), (&s.writes, if writable { Access::Full } else { Access::Read })];
        for (list, access) in lists {
            for &i in list {
                let slot = &self.slots[i as usize];
                m.memory.set_access(slot.region, access);
                m.memory.bytes_mut(slot.region).copy_from_slice(slot.of(fixed, frame));
            }
        }
        for (region, value) in s.asks.iter().zip(args) {
            m.memory.bytes_mut(*region)[0] = *value as u8;
        }
        if let Some(slot) = &s.heap {
            m.memory.load_heap(slot.of(fixed, frame));
        }
        if let Some(slot) = &s.seed {
            let bytes = slot.of(fixed, frame);
            // States begin with zeros, and `rand` with 1.
            m.seed = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) ^ 1;
        }
        m.complaint = None;
        m.output.clear();
    }

    /// Out of reach again.
    fn unload(&self, m: &mut Machine, s: &Snippet) {
        for &i in s.reads.iter().chain(&s.writes) {
            m.memory.set_access(self.slots[i as usize].region, Access::None);
        }
    }

    fn run(&self, m: &mut Machine, s: &Snippet) -> Result<Ran, Ended> {
        if let Some(condition) = s.condition
            && m.call_plain(condition).map_err(Ended::Stop)? == Returned::Int(0)
        {
            return Err(Ended::Condition);
        }
        let returned = m.call_plain(s.run).map_err(Ended::Stop)?;
        Ok(Ran { returned, complaint: m.complaint.take() })
    }

    fn failed(&self, s: &Snippet, ended: &Ended) -> u32 {
        match ended {
            Ended::Stop(stop) => self.number(self.words(stop)),
            Ended::Condition => self.number(s.false_condition.clone()),
        }
    }
}

impl Slot {
    pub(crate) fn of<'a>(&self, fixed: &'a [u8], frame: &'a [u8]) -> &'a [u8] {
        let bytes = match self.area {
            Area::Global => fixed,
            Area::Local => frame,
        };
        &bytes[self.offset as usize..][..self.len as usize]
    }

    pub(crate) fn of_mut<'a>(&self, site: &'a mut Site<'_>) -> &'a mut [u8] {
        let bytes = match self.area {
            Area::Global => &mut *site.fixed,
            Area::Local => &mut *site.frame,
        };
        &mut bytes[self.offset as usize..][..self.len as usize]
    }

    /// Cuts what has fewer bits than bytes.
    pub(crate) fn cut(&self, bytes: &mut [u8]) {
        for &(at, size, mask) in &self.cuts {
            let scalar = &mut bytes[at as usize..][..size as usize];
            scalar.iter_mut().zip(mask.to_le_bytes()).for_each(|(b, m)| *b &= m);
        }
    }
}

impl Code for Machines {
    fn execute(&self, code: u32, site: &mut Site<'_>) -> Done {
        let s = &self.snippets[code as usize];
        self.with(|m| {
            self.load(m, s, site.fixed, site.frame, site.args, true);
            let ran = self.run(m, s);
            if let Some(printed) = &mut site.printed {
                printed.extend_from_slice(&m.output);
            }
            let ran = match ran {
                Ok(ran) => ran,
                Err(ended) => {
                    self.unload(m, s);
                    return Done::Failed(self.failed(s, &ended));
                }
            };
            for &i in &s.writes {
                let slot = &self.slots[i as usize];
                let bytes = slot.of_mut(site);
                bytes.copy_from_slice(m.memory.bytes(slot.region));
                slot.cut(bytes);
            }
            self.unload(m, s);
            if let Some(slot) = &s.heap {
                m.memory.save_heap(slot.of_mut(site));
            }
            if let Some(slot) = &s.seed {
                slot.of_mut(site).copy_from_slice(&(m.seed ^ 1).to_le_bytes());
            }
            match ran.complaint {
                None => Done::Fine,
                Some(stop) => Done::Noted(self.number(self.words(&stop))),
            }
        })
    }

    fn evaluate(&self, code: u32, fixed: &[u8], frame: &[u8], args: &[i32]) -> Result<i32, u32> {
        let s = &self.snippets[code as usize];
        self.with(|m| {
            self.load(m, s, fixed, frame, args, false);
            let ran = self.run(m, s);
            self.unload(m, s);
            match ran {
                Ok(Ran { complaint: Some(stop), .. }) => Err(self.number(self.words(&stop))),
                Ok(ran) => Ok(value(ran.returned)),
                Err(ended) => Err(self.failed(s, &ended)),
            }
        })
    }

    fn failure(&self, number: u32) -> String {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).text(number)
    }

    fn begin(&self) {
        if self.hidden {
            self.pool.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

/// A value as a number of 32 bits. What is not zero stays so: it may be a condition.
fn value(returned: Returned) -> i32 {
    let (low, truth) = match returned {
        Returned::Nothing => (0, false),
        Returned::Int(v) => (v as i32, v != 0),
        Returned::Float(v) => (v as i32, v != 0.0),
    };
    if low == 0 { i32::from(truth) } else { low }
}
