//! The packed state: 32-bit words, in which every field has the bits that its values need; no field crosses a word.
//!
//! Which values are needed is learnt from a sample and bounded by interval analysis. Where both need the same number of bits
//! the field holds all that the analysis allows, and stores need no check. Values of a byte may lie on the circle: 255, 0, 1, 2
//! are a range of four. Variables that no edge writes take no bits; arrays that are indexed by constants alone are taken apart.
//! Fields are placed first fit, largest first, in some hundred random orders, until the state fits a form of slot.

use crate::automaton::Automaton;
use crate::intervals::{self, Intervals};
use crate::learn::{self, Key, Learnt, Seen};
use crate::places::{self, Uses, Var};
use crate::{Reason, Spot};
use ferrospin_model::ir::{Action, Channel, Init, LocationId, Model, ProcessId, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Index of a field.
pub(crate) type FieldId = usize;

/// Elements of one width.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) key: Key,
    /// How many elements.
    pub(crate) count: u32,
    /// Bits of an element.
    pub(crate) bits: u32,
    /// What is added to the bits of an element.
    pub(crate) low: i64,
    /// Modulo 256 then.
    pub(crate) circle: bool,
    /// Values that an element can have.
    pub(crate) values: intervals::Interval,
    /// The first word, the first bit in it, and elements in a word.
    pub(crate) word: usize,
    pub(crate) shift: u32,
    pub(crate) per_word: u32,
}

impl Field {
    /// One element without bits.
    fn new(key: Key) -> Field {
        Field { key, count: 1, bits: 0, low: 0, circle: false, values: (0, 0), word: 0, shift: 0, per_word: 1 }
    }

    pub(crate) fn mask(&self) -> u32 {
        if self.bits == 32 { u32::MAX } else { (1 << self.bits) - 1 }
    }

    /// How many words it touches.
    pub(crate) fn words(&self) -> usize {
        if self.bits == 0 { 0 } else { self.count.div_ceil(self.per_word) as usize }
    }

    /// Word and shift of an element.
    pub(crate) fn place(&self, element: u32) -> (usize, u32) {
        (self.word + (element / self.per_word) as usize, self.shift + element % self.per_word * self.bits)
    }

    /// The same in code: what stands behind a constant index outside has failed already, and is never reached.
    pub(crate) fn place_inside(&self, element: u32) -> (usize, u32) {
        self.place(element.min(self.count - 1))
    }

    /// The bits for a value, if it fits.
    pub(crate) fn raw(&self, value: i32) -> Option<u32> {
        let above = i64::from(value) - self.low;
        let above = if self.circle { above & 255 } else { above };
        (0..=i64::from(self.mask())).contains(&above).then_some(above as u32)
    }
}

/// Where the values of a variable are.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// They never change.
    Constant(Vec<i32>),
    /// Each element in a field of its own.
    Split(Vec<FieldId>),
    /// In one field.
    Array(FieldId),
}

/// A process of a certain number and type.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) process: ProcessId,
    pub(crate) locals: Vec<Home>,
    /// Codes of its locations.
    pub(crate) codes: std::ops::Range<u32>,
}

/// The process with a certain number.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The types that it may have.
    pub(crate) frames: Vec<Frame>,
    /// There may be none; its location has the code 0 then.
    pub(crate) absent: bool,
    pub(crate) codes: FxHashMap<LocationId, u32>,
    /// How many codes there are.
    pub(crate) count: u32,
    pub(crate) location: FieldId,
    /// Its fields.
    pub(crate) fields: std::ops::Range<FieldId>,
    /// How many channels come with it.
    pub(crate) channels: usize,
    /// The number of the first of them.
    pub(crate) first_channel: i32,
}

/// A channel, with its contents.
#[derive(Clone, Debug)]
pub(crate) struct Chan<'m> {
    pub(crate) decl: &'m Channel,
    /// The process with which it lives.
    pub(crate) slot: Option<usize>,
    pub(crate) length: FieldId,
    pub(crate) fields: Vec<FieldId>,
}

/// What is asked of a layout beside what was learnt: fields that were too narrow, and how often.
#[derive(Clone, Default, Debug)]
pub(crate) struct Wider {
    pub(crate) keys: FxHashMap<Key, u32>,
}

/// See the module.
pub(crate) struct Layout<'m> {
    pub(crate) model: &'m Model,
    pub(crate) intervals: Intervals<'m>,
    pub(crate) fields: Vec<Field>,
    pub(crate) globals: Vec<Home>,
    pub(crate) slots: Vec<Slot>,
    /// By number less one.
    pub(crate) channels: Vec<Chan<'m>>,
    /// The state of the automaton beside the processes.
    pub(crate) claim: Option<FieldId>,
    pub(crate) words: usize,
    pub(crate) bits: u32,
    /// Bits used in each word.
    pub(crate) used: Vec<u32>,
}

struct Making<'a, 'm> {
    model: &'m Model,
    learnt: &'a Learnt,
    wider: &'a Wider,
    intervals: Intervals<'m>,
    uses: Uses,
    fields: Vec<Field>,
}

fn bits_for(count: i64) -> u32 {
    64 - (count.max(1) as u64 - 1).leading_zeros()
}

/// The shortest arc of the circle that holds all bytes seen: where it begins, and its length.
fn arc(bytes: &[u64; 4]) -> (i64, i64) {
    let is = |v: usize| bytes[v / 64 % 4] >> (v % 64) & 1 == 1;
    let seen: Vec<usize> = (0..256).filter(|v| is(*v)).collect();
    let mut best = (0, 256);
    for (i, from) in seen.iter().enumerate() {
        let to = seen[(i + seen.len() - 1) % seen.len()];
        let len = (to + 256 - from) % 256 + 1;
        if len < best.1 {
            best = (*from, len);
        }
    }
    (best.0 as i64, best.1 as i64)
}

impl<'m> Making<'_, 'm> {
    fn field(&mut self, key: Key, count: u32, scalar: Scalar, known: intervals::Interval) -> FieldId {
        let field = self.width(key, scalar, known);
        self.fields.push(Field { count, ..field });
        self.fields.len() - 1
    }

    /// How wide a field must be for the values that were seen and what was asked for since.
    fn width(&self, key: Key, scalar: Scalar, known: intervals::Interval) -> Field {
        let seen = self.seen(key);
        let full = bits_for(known.1 - known.0 + 1);
        let field = |bits: u32, low: i64, circle: bool| {
            let values = match circle {
                true => (0, 255),
                false => (low.max(known.0), (low + (1_i64 << bits) - 1).min(known.1)),
            };
            Field { bits, low, circle, values, ..Field::new(key) }
        };
        let whole = field(full, known.0, false);
        let times = self.wider.keys.get(&key).copied().unwrap_or(0);
        let Some(seen) = seen else {
            // Never seen: nothing is there yet that could hold a value.
            return if times > 0 { whole } else { field(0, known.0.max(0).min(known.1), false) };
        };
        let (low, high) = (i64::from(seen.low), i64::from(seen.high));
        let mut bits = bits_for(high - low + 1);
        if times > 0 {
            bits = if full <= 8 { full } else { bits + 3 * times };
        }
        if scalar == Scalar::BYTE && high < 256 && low >= 0 {
            let (from, len) = arc(&seen.bytes);
            if bits_for(len) < bits_for(high - low + 1) && times == 0 {
                return field(bits_for(len), from - 256, true);
            }
        }
        if bits >= full {
            return whole;
        }
        // Room that is left over goes where 0 is, then upwards; what was too narrow grows on both sides.
        let low = match () {
            () if low >= 0 && high < 1 << bits => 0.max(known.0),
            () if times > 0 => known.0.max(low - (1 << (bits - 2))),
            () => low,
        };
        field(bits, low, false)
    }

    fn seen(&self, key: Key) -> Option<Seen> {
        let Key::Value(slot, var, None) = key else { return self.learnt.values.get(&key).copied() };
        let count = places::count(places::leaf(self.model, var));
        let of = |i| self.learnt.values.get(&Key::Value(slot, var, Some(i))).copied();
        (0..count).filter_map(of).reduce(|a, b| Seen {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            bytes: std::array::from_fn(|i| a.bytes[i] | b.bytes[i]),
        })
    }

    /// The home of a variable; `constant` gives the values of one that no edge writes.
    fn home(&mut self, slot: Option<usize>, var: Var, constant: Option<Vec<i32>>) -> Home {
        if let Some(values) = constant {
            return Home::Constant(values);
        }
        let leaf = places::leaf(self.model, var);
        let (count, scalar, known) = (places::count(leaf), leaf.scalar, self.intervals.var(var));
        if count > 1 && self.uses.indexed.contains(&var) {
            return Home::Array(self.field(Key::Value(slot, var, None), count, scalar, known));
        }
        let key = |i| Key::Value(slot, var, Some(i));
        Home::Split((0..count).map(|i| self.field(key(i), 1, scalar, known)).collect())
    }

    fn channel(&mut self, decl: &'m Channel, home: Option<(usize, ProcessId)>, number: usize) -> Chan<'m> {
        let mut chan = Chan { decl, slot: home.map(|h| h.0), length: 0, fields: Vec::new() };
        if decl.capacity > 0 {
            let known = (0, i64::from(decl.capacity));
            chan.length = self.field(Key::Length(home, number), 1, decl.length_scalar(), known);
            for (i, (scalar, _)) in decl.fields.iter().enumerate() {
                let known = self.intervals.message(home.map(|h| h.1), number, i).unwrap_or((0, 0));
                // Free places of a message are 0 whatever its values are.
                let id = self.field(Key::Message(home, number, i), decl.capacity, *scalar, known);
                chan.fields.push(id);
            }
        }
        chan
    }
}

/// Where the processes of a number may stand.
fn located(learnt: &Learnt, wider: &Wider, model: &Model, slot: usize) -> (Vec<LocationId>, bool) {
    let seen = &learnt.locations[slot];
    let types: FxHashSet<ProcessId> = seen.iter().flatten().map(|l| model.location(*l).process).collect();
    let widened = wider.keys.contains_key(&Key::Location(slot));
    let all = (0..model.locations.len() as u32).map(LocationId).filter(|l| {
        let at = model.location(*l);
        !at.inside_d_step && if widened { types.contains(&at.process) } else { seen.contains(&Some(*l)) }
    });
    let mut list: Vec<LocationId> = all.collect();
    list.sort_by_key(|l| (model.location(*l).process, *l));
    (list, widened || seen.contains(&None))
}

impl<'m> Layout<'m> {
    /// Finds a layout. `constants` is any state, in which variables that no edge writes have their values.
    pub(crate) fn new(
        model: &'m Model,
        learnt: &Learnt,
        wider: &Wider,
        constants: &[u8],
        automaton: Option<&Automaton>,
    ) -> Result<Layout<'m>, Reason> {
        let intervals = Intervals::of(model);
        let mut m = Making { model, learnt, wider, intervals, uses: Uses::of(model), fields: Vec::new() };
        let mut globals = Vec::new();
        for (number, leaf) in model.globals.iter().enumerate() {
            let var = Var { owner: None, leaf: number };
            let value = |i| learn::read(constants, places::offset(leaf, i), leaf.scalar);
            let constant = !m.uses.written.contains(&var);
            let constant = constant.then(|| (0..places::count(leaf)).map(value).collect());
            globals.push(m.home(None, var, constant));
        }
        let mut channels: Vec<Chan<'m>> =
            model.channels.iter().enumerate().map(|(i, c)| m.channel(c, None, i)).collect();
        let mut slots = Vec::new();
        let mut settled = true;
        for slot in 0..learnt.locations.len() {
            let (list, absent) = located(learnt, wider, model, slot);
            let mut codes = FxHashMap::default();
            let mut count = u32::from(absent);
            let first = m.fields.len();
            let mut frames: Vec<Frame> = Vec::new();
            for at in list {
                let process = model.location(at).process;
                match frames.last_mut() {
                    Some(frame) if frame.process == process => frame.codes.end = count + 1,
                    _ => frames.push(Frame { process, locals: Vec::new(), codes: count..count + 1 }),
                }
                codes.insert(at, count);
                count += 1;
            }
            let own = frames.first().map_or(0, |f| model.process(f.process).channels.len());
            let uniform = frames.iter().all(|f| model.process(f.process).channels.len() == own);
            if own > 0 && (frames.len() > 1 || !settled) || !uniform && learnt.locations.len() > slot + 1 {
                let later = learnt.locations[slot..].iter().flatten().flatten();
                if let Some(process) =
                    later.map(|l| model.location(*l).process).find(|p| !model.process(*p).channels.is_empty())
                {
                    let what = "a channel that is declared in a process whose number varies".into();
                    return Err(Reason { what, spot: Spot::Process(process) });
                }
            }
            settled &= uniform;
            let location = m.fields.len();
            let bits = bits_for(i64::from(count));
            let values = (0, i64::from(count) - 1);
            let key = Key::Location(slot);
            m.fields.push(Field { bits, values, ..Field::new(key) });
            let first_channel = channels.len() as i32 + 1;
            for frame in &mut frames {
                let p = model.process(frame.process);
                for number in 0..p.locals.len() {
                    let var = Var { owner: Some(frame.process), leaf: number };
                    frame.locals.push(m.home(Some(slot), var, None));
                }
                for (number, c) in p.channels.iter().enumerate() {
                    channels.push(m.channel(c, Some((slot, frame.process)), number));
                }
            }
            let fields = first..m.fields.len();
            slots.push(Slot { frames, absent, codes, count, location, fields, channels: own, first_channel });
        }
        let claim = automaton.map(|a| {
            let count = a.states.len() as i64;
            m.fields.push(Field { bits: bits_for(count), values: (0, count - 1), ..Field::new(Key::Claim) });
            m.fields.len() - 1
        });
        let Making { intervals, mut fields, .. } = m;
        let used = place(&mut fields);
        let bits = fields.iter().map(|f| f.bits * f.count).sum();
        let words = used.len().max(1);
        Ok(Layout { model, intervals, fields, globals, slots, channels, claim, words, bits, used })
    }

    /// Packs a state; where it does not fit, says in which field.
    pub(crate) fn pack(&self, state: &[u8]) -> Result<Vec<u32>, Key> {
        let mut words = vec![0; self.words];
        let mut misfit = None;
        let mut put = |field: &Field, element: u32, raw: u32| {
            if field.bits > 0 {
                let (word, shift) = field.place(element);
                words[word] |= raw << shift;
            }
        };
        let mut located = Vec::new();
        let mut filled: FxHashMap<FieldId, u32> = FxHashMap::default();
        let mut values: Vec<(Key, i32)> = Vec::new();
        learn::walk(self.model, state, &mut |slot, at| located.push((slot, at)), &mut |key, v| values.push((key, v)));
        for slot in located.len()..self.slots.len() {
            if !self.slots[slot].absent {
                misfit = Some(Key::Location(slot));
            }
        }
        for (slot, at) in &located {
            match self.slots.get(*slot).and_then(|s| s.codes.get(at).map(|c| (s, *c))) {
                Some((s, code)) => put(&self.fields[s.location], 0, code),
                None => misfit = Some(Key::Location(*slot)),
            }
        }
        if let Some(key) = misfit {
            return Err(key);
        }
        for (key, value) in values {
            let (id, element) = match key {
                Key::Value(slot, var, element) => {
                    let element = element.unwrap_or(0);
                    let home = match slot {
                        None => &self.globals[var.leaf],
                        Some(slot) => {
                            let of = |f: &&Frame| Some(f.process) == var.owner;
                            &self.slots[slot].frames.iter().find(of).expect("its location has a code").locals[var.leaf]
                        }
                    };
                    match home {
                        Home::Constant(_) => continue,
                        Home::Split(ids) => (ids[element as usize], 0),
                        Home::Array(id) => (*id, element),
                    }
                }
                Key::Length(home, number) => (self.chan(home, number).length, 0),
                Key::Message(home, number, field) => {
                    let id = self.chan(home, number).fields[field];
                    let at = filled.entry(id).or_insert(0);
                    *at += 1;
                    (id, *at - 1)
                }
                Key::Location(_) | Key::Claim => unreachable!("these are told apart"),
            };
            let field = &self.fields[id];
            match field.raw(value) {
                Some(raw) => put(field, element, raw),
                None => return Err(field.key),
            }
        }
        Ok(words)
    }

    /// Puts a state of the automaton into a packed state of the processes.
    pub(crate) fn with_claim(&self, words: &mut [u32], state: u32) {
        if let Some(field) = self.claim.map(|id| &self.fields[id]).filter(|f| f.bits > 0) {
            let (word, shift) = field.place(0);
            words[word] = words[word] & !(field.mask() << shift) | state << shift;
        }
    }

    fn chan(&self, home: Option<(usize, ProcessId)>, number: usize) -> &Chan<'m> {
        match home {
            None => &self.channels[number],
            Some((slot, _)) => &self.channels[self.slots[slot].first_channel as usize - 1 + number],
        }
    }

    /// What takes bits, the largest first.
    pub(crate) fn describe(&self) -> Vec<String> {
        let mut list: Vec<&Field> = self.fields.iter().filter(|f| f.bits > 0).collect();
        list.sort_by_key(|f| std::cmp::Reverse(f.bits * f.count));
        let line = |f: &&Field| {
            let range = if f.circle {
                format!("{} to {} modulo 256", f.low, f.low + i64::from(f.mask()))
            } else {
                format!("{} to {}", f.values.0, f.values.1)
            };
            format!("{} bits: {}, {} of {} bits, {range}", f.bits * f.count, self.name(f.key), f.count, f.bits)
        };
        list.iter().map(line).collect()
    }

    /// What a field holds, in words.
    pub(crate) fn name(&self, key: Key) -> String {
        let of = |slot: Option<usize>| slot.map_or(String::new(), |s| format!(" of process {s}"));
        match key {
            Key::Location(slot) => format!("the location of process {slot}"),
            Key::Claim => "the state of the formula's automaton".into(),
            Key::Value(slot, var, element) => {
                let leaf = places::leaf(self.model, var);
                let index = match element {
                    Some(i) if !leaf.dims.is_empty() => format!("[{i}]"),
                    _ => String::new(),
                };
                format!("`{}{index}`{}", leaf.name, of(slot))
            }
            Key::Length(home, number) => format!("the length of `{}`", self.chan(home, number).decl.name),
            Key::Message(home, number, field) => {
                format!("field {} of the messages in `{}`", field + 1, self.chan(home, number).decl.name)
            }
        }
    }
}

/// Orders that are tried.
const ORDERS: u64 = 300;

/// Places all fields; the bits used of each word. First into one or two words with one bit free in every second, which marks a
/// slot of a table as taken, then into four of this kind, then anyhow.
fn place(fields: &mut [Field]) -> Vec<u32> {
    let all: u32 = fields.iter().map(|f| f.bits * f.count).sum();
    for (words, room) in [(2, 31), (3, 32), (4, 31)] {
        let limit = if words == 3 { 86 } else { words / 2 * (32 + room) };
        for order in 0..if all <= limit { ORDERS } else { 0 } {
            if let Some(used) = attempt(fields, order, words as usize, room) {
                return used;
            }
        }
    }
    attempt(fields, 0, usize::MAX, 32).expect("there is room without limit")
}

/// Places in one order; `None` when it takes too many words.
fn attempt(fields: &mut [Field], order: u64, words_max: usize, odd_room: u32) -> Option<Vec<u32>> {
    let room = |word: usize| if word % 2 == 1 { odd_room } else { 32 };
    let mut used: Vec<u32> = Vec::new();
    let mut random = order.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut list: Vec<(u64, FieldId)> = Vec::new();
    for (id, f) in fields.iter_mut().enumerate().filter(|(_, f)| f.bits > 0) {
        if f.bits * f.count > 31 && f.count > 1 || f.bits > 31 {
            // Arrays of several words begin at a word of their own.
            let width = if words_max == usize::MAX { 32 } else { odd_room };
            f.per_word = width.checked_div(f.bits).filter(|n| *n > 0)?;
            (f.word, f.shift) = (used.len(), 0);
            let mut left = f.count;
            while left > 0 {
                used.push(left.min(f.per_word) * f.bits);
                left -= left.min(f.per_word);
            }
        } else {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // Between half and one and a half times its size.
            let size = u64::from(f.bits * f.count) << 16;
            list.push((if order == 0 { size } else { size / 2 + random % (size + 1) }, id));
        }
    }
    list.sort_by_key(|(size, id)| (std::cmp::Reverse(*size), *id));
    for (_, id) in list {
        let f = &mut fields[id];
        let need = f.bits * f.count;
        let at = used.iter().enumerate().position(|(i, u)| u + need <= room(i));
        let at = at.unwrap_or_else(|| {
            if need > room(used.len()) {
                used.push(0);
            }
            used.push(0);
            used.len() - 1
        });
        (f.word, f.shift, f.per_word) = (at, used[at], f.count);
        used[at] += need;
    }
    // In three words the last has what a quotient can leave out.
    let fits = used.len() <= words_max && (words_max != 3 || used.get(2).is_none_or(|u| *u <= 22));
    fits.then_some(used)
}

/// What keeps a model from the device, as far as the model alone tells: the first thing of each kind.
pub(crate) fn reasons(model: &Model) -> Vec<Reason> {
    use ferrospin_model::ir::{Expr, ProcessKind};
    use ferrospin_model::passes::walk::{self, Item};
    let mut list: Vec<Reason> = Vec::new();
    let mut say = |what: &str, spot: Spot| {
        if !list.iter().any(|r: &Reason| r.what == what) {
            list.push(Reason { what: what.into(), spot });
        }
    };
    let mut expr = |e: &Expr, spot: Spot| match e {
        Expr::Last => say("`_last`", spot),
        Expr::Enabled(_) => say("`enabled`", spot),
        Expr::PcValue(_) => say("`pc_value`", spot),
        Expr::Priority(_) => say("`_priority`", spot),
        Expr::Call(_) | Expr::Foreign => say("embedded C", spot),
        _ => {}
    };
    let runs = |kind| matches!(kind, ProcessKind::Proctype | ProcessKind::Init);
    for (id, edge) in model.edges.iter().enumerate() {
        if !runs(model.process(model.location(edge.from).process).kind) {
            continue;
        }
        let spot = Spot::Edge(ferrospin_model::ir::EdgeId(id as u32));
        for a in std::iter::once(&edge.action).chain(&edge.then) {
            walk::action(a, &mut |item| {
                if let Item::Expr(e) = item {
                    expr(e, spot);
                }
            });
        }
    }
    for (id, p) in (0..).map(ProcessId).zip(&model.processes).filter(|(_, p)| runs(p.kind)) {
        walk::birth(p, &mut |item| {
            if let Item::Expr(e) = item {
                expr(e, Spot::Process(id));
            }
        });
    }
    for (id, edge) in model.edges.iter().enumerate() {
        let spot = Spot::Edge(ferrospin_model::ir::EdgeId(id as u32));
        for a in std::iter::once(&edge.action).chain(&edge.then) {
            match a {
                Action::SetPriority(..) => say("`set_priority`", spot),
                Action::Call(_) | Action::Foreign => say("embedded C", spot),
                _ => {}
            }
        }
    }
    for (id, p) in (0..).map(ProcessId).zip(&model.processes) {
        if matches!(p.kind, ProcessKind::Trace | ProcessKind::NoTrace) {
            say("a `trace`", Spot::Process(id));
        }
        if !p.exclusive.is_empty() && model.uses.exclusive {
            say("`xr` and `xs`", Spot::Process(id));
        }
        let indexed = p.init.iter().any(|(place, _)| !place.indices.is_empty());
        if indexed || p.init.iter().any(|(_, i)| matches!(i, Init::Value(Expr::Foreign))) {
            say("an initial value at a computed index", Spot::Process(id));
        }
    }
    if model.uses.priority {
        let with = |p: &&(usize, &ferrospin_model::ir::Process)| p.1.priority > 1;
        let all: Vec<_> = model.processes.iter().enumerate().collect();
        let at = all.iter().find(with).map_or(0, |p| p.0);
        say("priorities", Spot::Process(ProcessId(at as u32)));
    }
    // States hold it even where all that asks for it is unreached: then no place is known.
    if model.layout.last.is_some() {
        say("`_last`", Spot::Process(ProcessId(0)));
    }
    if let Some((claim, _)) = model.layout.claim {
        say("a claim", Spot::Process(claim));
    }
    list
}
