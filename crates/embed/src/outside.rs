//! Embedded C as the system's compiler compiles it.
//!
//! Text and driver become a program of their own, which is run beside the checker and asked over two pipes: a request holds the number
//! of a fragment and the bytes of the state that C can reach, the answer holds those bytes again. A fragment that crashes or does not
//! end takes that program with it, not the checker; the fragment has failed then, and the program is started anew. What C does beyond
//! the bytes of the state is not checked. Nothing here starts anything: who may do that hands in a [`Compiler`].

use crate::code::{Messages, Slot};
use crate::text::{Member, NOW, Scope, Text, function};
use crate::{OBJECT_BYTES_MAX, cuts};
use ferrospin_lower::Scope as Lowered;
use ferrospin_lower::embedded::{Ask, Embedded, Fragment, Key, Object, Thing};
use ferrospin_model::code::{Code, Done, Site};
use ferrospin_promela::embedded::Kind;
use ferrospin_promela::names::{Names, VarId};
use ferrospin_source::{Diagnostic, Diagnostics, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// What can compile C.
pub trait Compiler: Debug + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe {
    /// Compiles a program, or says in a sentence why that fails. Folders are those in which headers are looked for.
    fn compile(&self, text: &str, folders: &[String], defines: &[String]) -> Result<Arc<dyn Compiled>, String>;
}

/// A compiled program.
pub trait Compiled: Debug + Send + Sync {
    /// How the compiler is called.
    fn compiler(&self) -> String;

    /// Starts the program.
    fn start(&self) -> Result<Box<dyn Peer>, String>;
}

/// A program that runs.
pub trait Peer: Debug + Send {
    /// Hands over a request and waits for the answer; says how the program ended, where there is none.
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, String>;
}

/// What is read or written in one go: a variable or object, and what it is called in the driver.
struct Item {
    thing: Thing,
    /// An expression of C: its address and size.
    place: (String, String),
}

/// Embedded C that was compiled.
pub(crate) struct Outside {
    compiled: Arc<dyn Compiled>,
    items: Vec<Thing>,
    /// For each fragment its key and, if it has one, what is said where its condition is false.
    fragments: Vec<(Key, String)>,
}

const HELLO: u8 = 0;
const RUN: u8 = 1;
const VALUE: u8 = 2;

/// What an answer begins with.
const FINE: u8 = 0;
const NOTED: u8 = 1;
const FAILED: u8 = 2;
const CONDITION: u8 = 3;

impl Outside {
    /// Compiles the embedded C of a model; gives what lowering must be told, too.
    pub(crate) fn build(
        map: &SourceMap,
        names: &Names,
        text: &Text,
        compiler: &dyn Compiler,
        folders: &[String],
        defines: &[String],
    ) -> Result<(Outside, Embedded), Diagnostics> {
        let mut said = Diagnostics::default();
        let mut refuse = |message: String| {
            let span = text.fragments.first().map_or(Span::NONE, |f| f.1);
            said.push(Diagnostic::error("embedded-c", span, message));
        };
        let (items, mut objects) = items(names, text);
        let program = text.text.clone() + &driver(names, text, &items);
        let started = compiler.compile(&program, folders, defines).and_then(|compiled| {
            let answer = compiled.start()?.ask(&[HELLO])?;
            Ok((compiled, answer))
        });
        let (compiled, answer) = match started {
            Ok(started) => started,
            Err(why) => {
                refuse(format!("embedded C cannot be compiled: {why}"));
                return Err(said);
            }
        };
        let mut rest = Reader(&answer);
        for item in &items {
            let bytes = rest.block().unwrap_or_default();
            match item.thing {
                Thing::Object(i) => {
                    objects[i as usize].size = bytes.len() as u32;
                    objects[i as usize].init = bytes.to_vec();
                }
                Thing::Var(v) => {
                    let (name, wanted) = (&names.vars[v.index()].name, names.bytes_of_var(&names.vars[v.index()]));
                    if bytes.len() as u64 != wanted {
                        refuse(format!("`{name}` has {} bytes in C and {wanted} in the state", bytes.len()));
                    }
                }
            }
        }
        let total: u64 = objects.iter().map(|o| u64::from(o.size)).sum();
        if total > OBJECT_BYTES_MAX {
            refuse(format!("embedded C has {total} bytes in the state, and {OBJECT_BYTES_MAX} is the limit"));
        }
        if objects.iter().any(|o| o.size == 0) {
            refuse("an object of the embedded C has no size that a state could have".into());
        }
        if said.has_errors() {
            return Err(said);
        }
        let mut lowering = Embedded::default();
        let mut fragments = Vec::new();
        for (code, (key, span)) in text.fragments.iter().enumerate() {
            let own = |t: &Thing| {
                let owner = match *t {
                    Thing::Var(v) => names.vars[v.index()].body,
                    Thing::Object(i) => objects[i as usize].body,
                };
                owner.is_none_or(|body| Some(body) == key.body)
            };
            let things: Vec<Thing> = items.iter().map(|i| i.thing).filter(own).collect();
            let (reads, writes) = match key.kind {
                Kind::Statement => (Vec::new(), things),
                Kind::Value => (things, Vec::new()),
            };
            let asks = [Ask::Pid, Ask::ProcessCount, Ask::ChannelCount];
            let asks = asks.into_iter().filter(|a| *a != Ask::Pid || key.body.is_some()).collect();
            let fragment = Fragment { code: code as u32, reads, writes, asks, may_fail: true };
            lowering.fragments.insert(key.clone(), fragment);
            let line = map.position(*span).map_or(0, |p| p.line);
            let wanted = key.precondition.as_deref().unwrap_or("").trim();
            fragments.push((key.clone(), format!("c_code line {line} precondition false: {wanted}")));
        }
        lowering.objects = objects;
        let items = items.into_iter().map(|i| i.thing).collect();
        Ok((Outside { compiled, items, fragments }, lowering))
    }

    /// What people should be told in each run.
    pub(crate) fn note(&self) -> String {
        format!(
            "the embedded C is compiled by `{}` and runs unchecked: what is not tracked is outside of states",
            self.compiled.compiler()
        )
    }

    /// What executors call, once the model stands.
    pub(crate) fn code(&self, names: &Names, lowering: &Embedded, lowered: &Lowered) -> Arc<dyn Code> {
        let mut slots: FxHashMap<Thing, (u32, Slot)> = FxHashMap::default();
        for (i, &thing) in self.items.iter().enumerate() {
            let Some((area, offset)) = lowered.place(thing) else { continue };
            let mut list = Vec::new();
            let len = match thing {
                Thing::Var(v) => {
                    let var = &names.vars[v.index()];
                    cuts(names, var, 0, &mut list);
                    names.bytes_of_var(var) as u32
                }
                Thing::Object(i) => lowering.objects[i as usize].size,
            };
            let slot = Slot { region: ferrospin_cvm::RegionId(0), area, offset, len, cuts: list };
            slots.insert(thing, (i as u32, slot));
        }
        let snippets = self.fragments.iter().map(|(key, false_condition)| {
            let f = &lowering.fragments[key];
            let things = f.reads.iter().chain(&f.writes);
            let slots = things.filter_map(|t| slots.get(t).cloned()).collect();
            Snippet { slots, asks: f.asks.clone(), false_condition: false_condition.clone() }
        });
        Arc::new(Runner {
            compiled: self.compiled.clone(),
            snippets: snippets.collect(),
            peer: Mutex::default(),
            messages: Mutex::default(),
        })
    }
}

/// Everything of the state that C can name, and the objects among it, sizes yet unknown.
fn items(names: &Names, text: &Text) -> (Vec<Item>, Vec<Object>) {
    let mut objects = Vec::new();
    let mut items = Vec::new();
    let mut members: Vec<(&(String, String), &Member)> = text.members.iter().collect();
    members.sort();
    for ((owner, name), member) in members {
        let place = if owner == NOW { format!("now.{name}") } else { format!("{owner}->{name}") };
        let thing = match member {
            Member::Var(v) => Thing::Var(VarId(v.0)),
            Member::State(i) => {
                objects.push(crate::text::object(&text.state[*i], names, 0));
                Thing::Object(objects.len() as u32 - 1)
            }
            Member::Pid | Member::ProcessCount | Member::ChannelCount => continue,
        };
        items.push(Item { thing, place: (format!("&{place}"), format!("sizeof({place})")) });
    }
    for (i, t) in text.tracked.iter().enumerate() {
        let name = t.address.trim().into();
        objects.push(Object { name, size: 0, body: None, init: Vec::new(), unmatched: t.unmatched, span: t.span });
        let place = (format!("{}()", function("where", i)), format!("{}()", function("size", i)));
        items.push(Item { thing: Thing::Object(objects.len() as u32 - 1), place });
    }
    (items, objects)
}

/// The part of the program that answers requests.
fn driver(names: &Names, text: &Text, items: &[Item]) -> String {
    let mut out = String::from(DRIVER_HEAD);
    for (i, body) in names.bodies.iter().enumerate() {
        let pointer = format!("P{}", body.name);
        if text.members.contains_key(&(pointer.clone(), "_pid".into())) {
            let _ = writeln!(
                out,
                "static struct __ferrospin_frame_{i} __ferrospin_own_{i}; struct __ferrospin_frame_{i} *{pointer} = &__ferrospin_own_{i};"
            );
        }
    }
    out += "static void __ferrospin_begin(void) {\n";
    for (i, s) in text.state.iter().enumerate() {
        if s.init.is_some() && s.scope != Scope::Hidden {
            let _ = writeln!(out, "\t{}();", function("first", i));
        }
    }
    out += "}\nstatic void __ferrospin_pid(unsigned char pid) {\n\t(void)pid;\n";
    for body in &names.bodies {
        let pointer = format!("P{}", body.name);
        if text.members.contains_key(&(pointer.clone(), "_pid".into())) {
            let _ = writeln!(out, "\t{pointer}->_pid = pid;");
        }
    }
    out += "}\nstatic void __ferrospin_items(void) {\n";
    for (i, item) in items.iter().enumerate() {
        let (address, size) = &item.place;
        let _ = writeln!(out, "\t__ferrospin_item({i}, (void *)({address}), (size_t)({size}));");
    }
    out += "}\nstatic int __ferrospin_condition(unsigned n) {\n\tswitch (n) {\n";
    for (i, (key, _)) in text.fragments.iter().enumerate() {
        if key.precondition.is_some() {
            let _ = writeln!(out, "\tcase {i}: return {}();", function("condition", i));
        }
    }
    out += "\t}\n\treturn 1;\n}\nstatic int __ferrospin_do(unsigned n) {\n\tswitch (n) {\n";
    for (i, (key, _)) in text.fragments.iter().enumerate() {
        let call = function("run", i);
        let _ = match key.kind {
            Kind::Statement => writeln!(out, "\tcase {i}: {call}(); return 0;"),
            // What is not zero stays so: it may be a condition.
            Kind::Value => writeln!(
                out,
                "\tcase {i}: {{ __typeof__({call}()) v = {call}(); int low = (int)(long long)v; return low ? low : v != 0; }}"
            ),
        };
    }
    out += "\t}\n\treturn 0;\n}\n";
    let _ = writeln!(out, "#define __FERROSPIN_ITEMS {}", items.len().max(1));
    out + DRIVER_TAIL
}

const DRIVER_HEAD: &str = r#"
#undef assert
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
struct __ferrospin_state now;
static void __ferrospin_item(unsigned, void *, size_t);
"#;

const DRIVER_TAIL: &str = r#"
static struct { unsigned char *at; size_t size; } __ferrospin_list[__FERROSPIN_ITEMS];
static unsigned __ferrospin_count;
static jmp_buf __ferrospin_back;
static char __ferrospin_said[512];
static char *__ferrospin_printed;
static size_t __ferrospin_printed_size;
static FILE *__ferrospin_in, *__ferrospin_out;

static void __ferrospin_item(unsigned n, void *at, size_t size) {
	__ferrospin_list[n].at = at;
	__ferrospin_list[n].size = size;
	__ferrospin_count = n + 1;
}
void uerror(const char *text) {
	if (!__ferrospin_said[0])
		snprintf(__ferrospin_said, sizeof __ferrospin_said, "%s", text);
}
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
	(void)file; (void)line; (void)function;
	snprintf(__ferrospin_said, sizeof __ferrospin_said, "assertion violated: %s", text);
	longjmp(__ferrospin_back, 1);
}
int Printf(const char *format, ...) {
	va_list list;
	int n;
	va_start(list, format);
	n = vprintf(format, list);
	va_end(list);
	return n;
}
static void __ferrospin_get(void *at, size_t size) {
	if (size && fread(at, 1, size, __ferrospin_in) != size)
		_exit(0);
}
static uint32_t __ferrospin_number(void) {
	unsigned char b[4];
	__ferrospin_get(b, 4);
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static void __ferrospin_put(const void *at, size_t size) { fwrite(at, 1, size, __ferrospin_out); }
static void __ferrospin_put_number(uint32_t n) {
	unsigned char b[4] = { n, n >> 8, n >> 16, n >> 24 };
	__ferrospin_put(b, 4);
}
int main(void) {
	static uint32_t which[__FERROSPIN_ITEMS];
	uint32_t i, n = 0, code, size;
	unsigned char op, asked[3];
	volatile unsigned char status;
	volatile int value;
	__ferrospin_in = fdopen(dup(0), "rb");
	__ferrospin_out = fdopen(dup(1), "wb");
	if (!__ferrospin_in || !__ferrospin_out || !freopen("/dev/null", "rb", stdin))
		return 1;
	dup2(2, 1);
	stdout = open_memstream(&__ferrospin_printed, &__ferrospin_printed_size);
	if (!stdout)
		return 1;
	__ferrospin_begin();
	__ferrospin_items();
	for (;;) {
		__ferrospin_number();
		__ferrospin_get(&op, 1);
		if (op == 0) {
			for (size = i = 0; i < __ferrospin_count; i++)
				size += 4 + __ferrospin_list[i].size;
			__ferrospin_put_number(size);
			for (i = 0; i < __ferrospin_count; i++) {
				__ferrospin_put_number(__ferrospin_list[i].size);
				__ferrospin_put(__ferrospin_list[i].at, __ferrospin_list[i].size);
			}
			fflush(__ferrospin_out);
			continue;
		}
		code = __ferrospin_number();
		__ferrospin_get(asked, 3);
		n = __ferrospin_number();
		for (size = i = 0; i < n && i < __FERROSPIN_ITEMS; i++) {
			which[i] = __ferrospin_number();
			__ferrospin_get(__ferrospin_list[which[i]].at, __ferrospin_list[which[i]].size);
			size += __ferrospin_list[which[i]].size;
		}
		__ferrospin_pid(asked[0]);
		now._nr_pr = asked[1];
		now._nr_qs = asked[2];
		__ferrospin_said[0] = 0;
		rewind(stdout);
		status = 0;
		value = 0;
		alarm(5);
		if (setjmp(__ferrospin_back))
			status = 2;
		else if (!__ferrospin_condition(code))
			status = 3;
		else {
			value = __ferrospin_do(code);
			status = __ferrospin_said[0] != 0;
		}
		alarm(0);
		fflush(stdout);
		n = strlen(__ferrospin_said);
		__ferrospin_put_number(1 + 4 + 4 + n + 4 + __ferrospin_printed_size + size);
		op = status;
		__ferrospin_put(&op, 1);
		__ferrospin_put_number(value);
		__ferrospin_put_number(n);
		__ferrospin_put(__ferrospin_said, n);
		__ferrospin_put_number(__ferrospin_printed_size);
		__ferrospin_put(__ferrospin_printed, __ferrospin_printed_size);
		for (n = 0; size; n++) {
			__ferrospin_put(__ferrospin_list[which[n]].at, __ferrospin_list[which[n]].size);
			size -= __ferrospin_list[which[n]].size;
		}
		fflush(__ferrospin_out);
	}
}
"#;

/// Takes an answer apart.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    /// A number of bytes, and those.
    fn block(&mut self) -> Option<&'a [u8]> {
        let n = self.number()?;
        self.take(n as usize)
    }
}

/// A fragment: what is handed over, each with its number in the driver.
#[derive(Debug)]
struct Snippet {
    slots: Vec<(u32, Slot)>,
    asks: Vec<Ask>,
    false_condition: String,
}

/// Runs fragments in the program. There is one for all workers.
#[derive(Debug)]
struct Runner {
    compiled: Arc<dyn Compiled>,
    snippets: Vec<Snippet>,
    peer: Mutex<Option<Box<dyn Peer>>>,
    messages: Mutex<Messages>,
}

/// What a fragment has left.
struct Ran {
    status: u8,
    value: i32,
    said: String,
    printed: Vec<u8>,
    bytes: Vec<u8>,
}

impl Ran {
    fn of(answer: &[u8]) -> Option<Ran> {
        let mut r = Reader(answer);
        let status = r.take(1)?[0];
        let value = r.number()? as i32;
        let said = String::from_utf8_lossy(r.block()?).into_owned();
        let printed = r.block()?.to_vec();
        Some(Ran { status, value, said, printed, bytes: r.0.to_vec() })
    }
}

impl Runner {
    fn ask(&self, op: u8, code: u32, fixed: &[u8], frame: &[u8], args: &[i32]) -> Result<Ran, String> {
        let s = &self.snippets[code as usize];
        let asked = |ask| s.asks.iter().position(|a| *a == ask).and_then(|i| args.get(i)).map_or(0, |v| *v as u8);
        let mut request = vec![op];
        request.extend(code.to_le_bytes());
        request.extend([asked(Ask::Pid), asked(Ask::ProcessCount), asked(Ask::ChannelCount)]);
        request.extend((s.slots.len() as u32).to_le_bytes());
        for (number, slot) in &s.slots {
            request.extend(number.to_le_bytes());
            request.extend(slot.of(fixed, frame));
        }
        let mut peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
        if peer.is_none() {
            *peer = Some(self.compiled.start()?);
        }
        let answer = peer.as_mut().map_or_else(|| Err("it is gone".into()), |p| p.ask(&request));
        let expected: usize = s.slots.iter().map(|(_, slot)| slot.len as usize).sum();
        match answer {
            Ok(answer) => match Ran::of(&answer).filter(|ran| ran.bytes.len() == expected) {
                Some(ran) => Ok(ran),
                None => {
                    *peer = None;
                    Err("the program of the embedded C has answered with something else".into())
                }
            },
            Err(why) => {
                // The next one begins anew.
                *peer = None;
                Err(why)
            }
        }
    }

    fn number(&self, message: String) -> u32 {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).number(message)
    }
}

impl Code for Runner {
    fn execute(&self, code: u32, site: &mut Site<'_>) -> Done {
        let ran = match self.ask(RUN, code, site.fixed, site.frame, site.args) {
            Ok(ran) => ran,
            Err(why) => return Done::Failed(self.number(why)),
        };
        if let Some(printed) = &mut site.printed {
            printed.extend_from_slice(&ran.printed);
        }
        let s = &self.snippets[code as usize];
        match ran.status {
            FINE | NOTED => {
                let mut rest = Reader(&ran.bytes);
                for (_, slot) in &s.slots {
                    let bytes = slot.of_mut(site);
                    bytes.copy_from_slice(rest.take(slot.len as usize).expect("the length was compared"));
                    slot.cut(bytes);
                }
                if ran.status == FINE { Done::Fine } else { Done::Noted(self.number(ran.said)) }
            }
            CONDITION => Done::Failed(self.number(s.false_condition.clone())),
            FAILED => Done::Failed(self.number(ran.said)),
            _ => Done::Failed(self.number("the program of the embedded C has answered with something else".into())),
        }
    }

    fn evaluate(&self, code: u32, fixed: &[u8], frame: &[u8], args: &[i32]) -> Result<i32, u32> {
        match self.ask(VALUE, code, fixed, frame, args) {
            Ok(ran) if ran.status == FINE => Ok(ran.value),
            Ok(ran) => Err(self.number(ran.said)),
            Err(why) => Err(self.number(why)),
        }
    }

    fn failure(&self, number: u32) -> String {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).text(number)
    }

    fn begin(&self) {
        *self.peer.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
