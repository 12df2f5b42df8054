//! Random Promela programs, small enough to be explored whole.
//!
//! How often a statement is chosen stands in [`STATEMENTS`], how often a program has some feature in [`Chances`]. Values
//! are kept small (counting is modulo 2 to 4), so that state spaces are. Left out is only what SPIN is known to get
//! wrong (`docs/spin-differences.md`), so that its counts can be trusted on what is here:
//!
//! - a receive into a variable narrower than the field, after which SPIN puts back another message, and into one that
//!   the index of the channel depends on, after which SPIN puts it back into another channel;
//! - inside a `d_step`, anything behind the first statement that may block, except as a guard beside an `else`;
//! - arrays of bits and channels of one bit, which hold bytes in SPIN; `hidden` variables;
//! - `_nr_pr` beside a claim, which SPIN counts as a process;
//! - references `P[i]` where process i might be of another type than `P`;
//! - local bits beside priorities, which are missing in SPIN's states, and priorities of processes that do not exist;
//! - `eval` of a variable that the same receive changes, traces over rendezvous channels, `enabled` outside claims;
//! - `active D_proctype`, which SPIN takes for an ordinary one;
//! - messages of a wrong number of fields, and claims over runs that end.

pub use crate::program::{Item, Sample, shrink};
use crate::random::Random;

/// Statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Assignment,
    Condition,
    Skip,
    Send,
    Receive,
    If,
    Do,
    Atomic,
    DStep,
    Unless,
    Assert,
    Print,
    Break,
    Goto,
    Label,
    Block,
    Declaration,
    For,
    ForIn,
    Select,
    Inline,
    Timeout,
    SetPriority,
    Run,
    TypedefMessage,
    ChannelMessage,
}

/// Every statement with its weight.
const STATEMENTS: [(Kind, usize); 26] = [
    (Kind::Assignment, 18),
    (Kind::Condition, 8),
    (Kind::Skip, 3),
    (Kind::Send, 14),
    (Kind::Receive, 14),
    (Kind::If, 12),
    (Kind::Do, 9),
    (Kind::Atomic, 6),
    (Kind::DStep, 5),
    (Kind::Unless, 5),
    (Kind::Assert, 3),
    (Kind::Print, 1),
    (Kind::Break, 4),
    (Kind::Goto, 4),
    (Kind::Label, 5),
    (Kind::Block, 3),
    (Kind::Declaration, 2),
    (Kind::For, 2),
    (Kind::ForIn, 3),
    (Kind::Select, 3),
    (Kind::Inline, 4),
    (Kind::Timeout, 3),
    (Kind::SetPriority, 5),
    (Kind::Run, 2),
    (Kind::TypedefMessage, 5),
    (Kind::ChannelMessage, 6),
];

/// How many programs in a hundred have a feature.
struct Chances {
    array: usize,
    record: usize,
    priority: usize,
    claim: usize,
    trace: usize,
    inline: usize,
    record_channel: usize,
    channel_channel: usize,
    channel_array: usize,
    enabled: usize,
    last: usize,
    provided: usize,
    copies: usize,
    deterministic: usize,
    local_channel: usize,
}

const CHANCES: Chances = Chances {
    array: 35,
    record: 15,
    priority: 8,
    claim: 12,
    trace: 8,
    inline: 25,
    record_channel: 12,
    channel_channel: 12,
    channel_array: 15,
    enabled: 12,
    last: 8,
    provided: 8,
    copies: 20,
    deterministic: 8,
    local_channel: 12,
};

/// What may be used where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    in_d_step: bool,
    /// Whether a label may stand here: not in front of what opens an `atomic`, an option or an escape.
    label: bool,
}

#[derive(Clone, Debug)]
struct Channel {
    name: String,
    capacity: usize,
    fields: usize,
    /// Whether the name is an array of two.
    array: bool,
}

struct Generator {
    r: Random,
    /// Scalar globals that may be read and written.
    scalars: Vec<String>,
    /// Locals of the process at hand.
    locals: Vec<String>,
    /// Variables that hold a byte: only they receive.
    wide: Vec<String>,
    arrays: Vec<(String, usize)>,
    channels: Vec<Channel>,
    /// Process types, and whether they have the parameters `byte arg; chan via`.
    children: Vec<(String, bool)>,
    /// Name, and whether it returns a value.
    inlines: Vec<(String, bool)>,
    /// Labels of the process at hand that are not placed yet, and all of them.
    labels_open: Vec<String>,
    labels: Vec<String>,
    names: usize,
    uses_priority: bool,
    has_claim: bool,
    has_rendezvous: bool,
    has_records: bool,
    has_channel_channel: bool,
    uses_enabled: bool,
    uses_last: bool,
    /// The channel variable of the process at hand.
    handle: Option<&'static str>,
    /// Whether `run` stands outside `init`, so that numbers of processes may change their type.
    runs_anywhere: bool,
    /// Labels and variables of active processes: type, number, what.
    remote_labels: Vec<(String, String)>,
    remote_variables: Vec<(String, usize, String)>,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Sample {
    let mut g = Generator {
        r: Random::new(seed),
        scalars: Vec::new(),
        locals: Vec::new(),
        wide: Vec::new(),
        arrays: Vec::new(),
        channels: Vec::new(),
        children: Vec::new(),
        inlines: Vec::new(),
        labels_open: Vec::new(),
        labels: Vec::new(),
        names: 0,
        uses_priority: false,
        has_claim: false,
        has_rendezvous: false,
        has_records: false,
        has_channel_channel: false,
        uses_enabled: false,
        uses_last: false,
        handle: None,
        runs_anywhere: false,
        remote_labels: Vec::new(),
        remote_variables: Vec::new(),
    };
    Sample { items: g.program() }
}

fn group(open: &str, mark: &str, parts: Vec<Vec<Item>>, close: &str, least: usize) -> Item {
    Item::Group { open: open.into(), mark: mark.into(), parts, close: close.into(), least }
}

fn line(text: impl Into<String>) -> Item {
    Item::Line(text.into())
}

impl Generator {
    fn program(&mut self) -> Vec<Item> {
        let mut items = vec![line("mtype = { red, green };")];
        self.uses_priority = self.r.chance(CHANCES.priority);
        self.has_claim = self.r.chance(CHANCES.claim);
        self.uses_enabled = self.r.chance(CHANCES.enabled);
        self.uses_last = self.r.chance(CHANCES.last);
        self.variables(&mut items);
        self.channels(&mut items);
        if self.r.chance(CHANCES.inline) {
            self.inlines(&mut items);
        }
        self.runs_anywhere = self.r.chance(15) && !self.has_claim;
        if self.r.below(2) == 1 {
            let params = self.r.chance(50) && !self.channels.is_empty();
            let kind = if self.r.chance(CHANCES.deterministic) { "D_proctype" } else { "proctype" };
            let head = format!("{kind} C({})", if params { "byte arg; chan via" } else { "" });
            let priority = if self.uses_priority && self.r.chance(30) { " priority 2" } else { "" };
            items.push(self.process(format!("{head}{priority}"), params, 2));
            self.children.push(("C".into(), params));
        }
        let mut pid = 0;
        if self.has_claim {
            // Somebody can always move: what a claim does alone, SPIN counts by the order of its search.
            items.push(line("bit tick;"));
            let turn = group("do", "::", vec![vec![line("tick = 1 - tick")]], "od", 1);
            items.push(group("active proctype I() {", "", vec![vec![turn]], "}", 1));
            pid = 1;
        }
        for i in 0..1 + self.r.below(2) {
            let two = self.r.chance(CHANCES.copies);
            let mut head = format!("active {}proctype P{i}()", if two { "[2] " } else { "" });
            if self.uses_priority && self.r.chance(60) {
                head.push_str(&format!(" priority {}", 1 + self.r.below(3)));
            }
            if self.r.chance(CHANCES.provided) {
                head.push_str(&format!(" provided ({})", self.shared_condition()));
            }
            items.push(self.process(head, false, 3));
            let found: Vec<String> = self.locals.clone();
            self.remote_variables.extend(found.into_iter().map(|x| (format!("P{i}"), pid, x)));
            pid += if two { 2 } else { 1 };
        }
        if !self.children.is_empty() || self.r.chance(15) {
            items.push(self.init());
        }
        if self.has_claim {
            items.push(self.claim());
        } else if self.r.chance(CHANCES.trace) && !self.channels.is_empty() {
            items.push(self.trace());
        }
        items
    }

    fn variables(&mut self, items: &mut Vec<Item>) {
        for i in 0..1 + self.r.below(3) {
            let (ty, width) = *self.r.pick(&[
                ("bit", ""),
                ("bool", ""),
                ("byte", ""),
                ("byte", ""),
                ("unsigned", " : 2"),
                ("unsigned", " : 3"),
                ("mtype", ""),
                ("short", ""),
                ("int", ""),
                ("local byte", ""),
                ("show byte", ""),
            ]);
            let name = format!("g{i}");
            let init = if self.r.chance(30) { " = 1" } else { "" };
            items.push(line(format!("{ty} {name}{width}{init};")));
            if !["bit", "bool", "unsigned"].contains(&ty) {
                self.wide.push(name.clone());
            }
            self.scalars.push(name);
        }
        if self.r.chance(CHANCES.array) {
            let n = 2 + self.r.below(2);
            items.push(line(format!("{} a[{n}];", self.r.pick(&["byte", "short", "mtype"]))));
            self.arrays.push(("a".into(), n));
        }
        if self.r.chance(CHANCES.record) {
            items.push(line("typedef T { bit p; byte q[2] };"));
            items.push(line("T t;"));
            self.scalars.push("t.p".into());
            self.arrays.push(("t.q".into(), 2));
            self.wide.push("t.q[1]".into());
        }
    }

    fn channels(&mut self, items: &mut Vec<Item>) {
        let least = usize::from(self.uses_priority || self.uses_enabled);
        for i in 0..self.r.below(3) {
            let capacity = least.max(self.r.below(3));
            let fields = 1 + self.r.weighted(&[5, 4, 1]);
            self.has_rendezvous |= capacity == 0;
            let first = self.r.pick(&["byte", "mtype", "pid"]).to_string();
            let rest = (1..fields).map(|_| self.r.pick(&["byte", "bool", "mtype"]).to_string());
            let types: Vec<String> = [first].into_iter().chain(rest).collect();
            let array = self.r.chance(CHANCES.channel_array);
            let name = format!("c{i}");
            let size = if array { "[2]" } else { "" };
            items.push(line(format!("chan {name}{size} = [{capacity}] of {{ {} }};", types.join(", "))));
            self.channels.push(Channel { name, capacity, fields, array });
        }
        if self.r.chance(CHANCES.record_channel) {
            self.has_records = true;
            items.push(line("typedef M { byte u; bool v };"));
            items.push(line("M m;"));
            let capacity = least.max(self.r.below(3));
            self.has_rendezvous |= capacity == 0;
            items.push(line(format!("chan cm = [{capacity}] of {{ M }};")));
            self.scalars.push("m.u".into());
            self.channels.push(Channel { name: "cm".into(), capacity, fields: 2, array: false });
        }
        if self.r.chance(CHANCES.channel_channel) && !self.channels.is_empty() {
            self.has_channel_channel = true;
            let capacity = least.max(self.r.below(2));
            self.has_rendezvous |= capacity == 0;
            items.push(line(format!("chan cc = [{capacity}] of {{ chan }};")));
        }
    }

    fn inlines(&mut self, items: &mut Vec<Item>) {
        let target = self.scalars[0].clone();
        if self.r.chance(60) {
            let mut body = vec![line(format!("{target} = (v + {target}) % 3")), line("skip")];
            if self.r.chance(30) {
                body.insert(0, line("byte w = v"));
            }
            items.push(group("inline step(v) {", "", vec![body], "}", 1));
            self.inlines.push(("step".into(), false));
        } else {
            let mut body = vec![line(format!("return (v + {target}) % 3"))];
            if self.r.chance(50) {
                body.insert(0, line(format!("{target} = v")));
            }
            items.push(group("inline value(v) {", "", vec![body], "}", 1));
            self.inlines.push(("value".into(), true));
        }
    }

    fn init(&mut self) -> Item {
        self.enter();
        let mut body = Vec::new();
        for _ in 0..self.r.below(3) {
            if !self.children.is_empty() {
                body.push(line(self.run()));
            }
        }
        body.push(self.statement(Place { depth: 1, in_loop: false, in_d_step: false, label: false }));
        if self.r.chance(40) {
            body = vec![group("atomic {", "", vec![body], "}", 1)];
        }
        group("init {", "", vec![body], "}", 1)
    }

    fn run(&mut self) -> String {
        let (name, params) = self.children[0].clone();
        let args = if params { format!("{}, {}", self.value(), self.plain_channel()) } else { String::new() };
        let priority = if self.uses_priority && self.r.chance(30) { " priority 3" } else { "" };
        let target = if self.locals.is_empty() || self.r.chance(60) { String::new() } else { "x = ".into() };
        format!("{target}run {name}({args}){priority}")
    }

    /// A claim: conditions on what everybody sees.
    fn claim(&mut self) -> Item {
        self.enter();
        let mut body = Vec::new();
        for i in 0..1 + self.r.below(2) {
            let mut parts = Vec::new();
            for _ in 0..1 + self.r.below(3) {
                let mut part = vec![line(if self.r.chance(40) { "true".into() } else { self.claim_condition() })];
                match self.r.below(6) {
                    0 => part.push(line("break")),
                    1 => part.push(line(self.claim_condition())),
                    2 => part.push(line("goto accept_all")),
                    _ => {}
                }
                if self.r.chance(10) {
                    part[0] = line(format!("assert({})", self.shared_condition()));
                }
                if self.r.chance(8) {
                    part = vec![group("atomic {", "", vec![vec![line(self.claim_condition()), line("skip")]], "}", 1)];
                }
                parts.push(part);
            }
            if self.r.chance(30) {
                parts.push(vec![line("else")]);
            }
            let (open, close) = if self.r.chance(75) { ("do", "od") } else { ("if", "fi") };
            let _ = i;
            body.push(group(open, "::", parts, close, 1));
        }
        body.push(line("accept_all: true"));
        if self.r.chance(70) {
            body.push(line("goto accept_all"));
        }
        group("never {", "", vec![body], "}", 1)
    }

    fn claim_condition(&mut self) -> String {
        match self.r.below(5) {
            0 if !self.remote_variables.is_empty() && !self.runs_anywhere => self.remote_variable(),
            1 if !self.remote_labels.is_empty() => self.remote_label(),
            2 if self.uses_enabled && !self.has_rendezvous => format!("enabled({})", self.r.below(3)),
            _ => self.shared_condition(),
        }
    }

    fn trace(&mut self) -> Item {
        self.enter();
        let named: Vec<Channel> = self.channels.iter().filter(|c| !c.array && c.capacity > 0).cloned().collect();
        // SPIN takes a rendezvous that is only offered for an event.
        let Some(c) = named.first().cloned() else { return line("") };
        let both = self.r.chance(50);
        let event = |g: &mut Self, send: bool| {
            let mut any = false;
            let args: Vec<String> = (0..c.fields)
                .map(|_| {
                    // Behind a field that is not looked at none is looked at.
                    any |= g.r.chance(60);
                    if any { "_".into() } else { g.r.below(3).to_string() }
                })
                .collect();
            format!("{}{}{}", c.name, if send { "!" } else { "?" }, args.join(","))
        };
        let mut body = Vec::new();
        if self.r.chance(60) {
            let mut parts = vec![vec![line(event(self, true))]];
            if both {
                let second = event(self, false);
                if self.r.chance(50) { parts[0].push(line(second)) } else { parts.push(vec![line(second)]) }
            }
            body.push(group("do", "::", parts, "od", 1));
        } else {
            for _ in 0..1 + self.r.below(2) {
                let send = self.r.chance(70);
                body.push(line(event(self, send)));
            }
        }
        let open = if self.r.chance(65) { "trace {" } else { "notrace {" };
        group(open, "", vec![body], "}", 1)
    }

    /// Forgets what belongs to the last process.
    fn enter(&mut self) {
        self.locals.clear();
        self.labels.clear();
        self.labels_open.clear();
        self.handle = None;
        self.wide.retain(|v| v != "x" && v != "arg");
        self.channels.retain(|c| c.name != "lc");
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn process(&mut self, head: String, params: bool, depth: usize) -> Item {
        self.enter();
        let mut body = Vec::new();
        if self.r.chance(60) {
            let init = if self.r.chance(30) { " = 1" } else { "" };
            let narrow = if self.uses_priority { "byte" } else { "bit" };
            let ty = *self.r.pick(&["byte", narrow, "short", "pid", "byte"]);
            body.push(line(format!("{ty} x{init}")));
            self.locals.push("x".into());
            if ty != "bit" {
                self.wide.push("x".into());
            }
        }
        if self.has_channel_channel && self.r.chance(60) {
            body.push(line(format!("chan h = {}", self.plain_channel())));
            self.handle = Some("h");
        }
        if self.r.chance(CHANCES.local_channel) {
            let capacity = 1 + self.r.below(2);
            body.push(line(format!("chan lc = [{capacity}] of {{ byte }}")));
            self.channels.push(Channel { name: "lc".into(), capacity, fields: 1, array: false });
        }
        if params {
            self.locals.push("arg".into());
            self.handle = Some("via");
        }
        for _ in 0..self.r.weighted(&[5, 4, 1]) {
            let stem = *self.r.pick(&["L", "L", "end", "progress", "accept"]);
            let label = self.fresh(stem);
            self.labels.push(label.clone());
            self.labels_open.push(label);
        }
        let place = Place { depth, in_loop: false, in_d_step: false, label: true };
        let mut statements = self.sequence(place, 3);
        while let Some(label) = self.labels_open.pop() {
            if self.r.chance(50) {
                statements.push(line(format!("{label}: skip")));
                continue;
            }
            match statements.first_mut() {
                Some(Item::Line(first)) if !first.contains(':') && !first.starts_with("byte ") => {
                    *first = format!("{label}: {first}");
                    statements.push(line(format!("goto {label}")));
                }
                _ => statements.push(line(format!("{label}: skip"))),
            }
        }
        if head.starts_with("active")
            && let Some(name) = head.split("proctype ").nth(1).and_then(|s| s.split('(').next())
        {
            let name = name.to_string();
            self.remote_labels.extend(self.labels.iter().map(|l| (name.clone(), l.clone())));
        }
        body.extend(statements);
        group(&format!("{head} {{"), "", vec![body], "}", 1)
    }

    fn sequence(&mut self, place: Place, most: usize) -> Vec<Item> {
        let n = 1 + self.r.below(most);
        (0..n).map(|i| self.statement(Place { label: place.label || i > 0, ..place })).collect()
    }

    fn options(&mut self, place: Place, with_else: bool) -> Vec<Vec<Item>> {
        let inner = Place { depth: place.depth - 1, label: false, ..place };
        let n = 1 + self.r.below(3);
        let mut parts: Vec<Vec<Item>> = (0..n)
            .map(|_| {
                let mut part = Vec::new();
                if place.in_d_step || self.r.chance(50) {
                    part.push(line(self.condition()));
                    if place.in_d_step && self.r.chance(40) {
                        return part;
                    }
                }
                part.extend(self.sequence(inner, 2));
                part
            })
            .collect();
        if with_else {
            let mut part = vec![line("else")];
            if self.r.chance(60) {
                part.extend(self.sequence(inner, 1));
            }
            parts.push(part);
        }
        parts
    }

    /// Whether a statement can stand here.
    fn fits(&self, kind: Kind, place: Place) -> bool {
        let compound = place.depth > 0;
        let free = !place.in_d_step;
        match kind {
            Kind::Assignment | Kind::Skip | Kind::Assert | Kind::Print => true,
            Kind::Condition | Kind::Timeout => free,
            Kind::Send | Kind::Receive => free && !self.channels.is_empty(),
            Kind::If => compound,
            Kind::Do | Kind::Atomic | Kind::DStep | Kind::Unless | Kind::Block => compound && free,
            Kind::Break => place.in_loop && free,
            Kind::Goto => free && !self.labels.is_empty(),
            Kind::Label => free && place.label && !self.labels_open.is_empty(),
            Kind::Declaration => free,
            Kind::For | Kind::Select => free && !self.locals.is_empty(),
            Kind::ForIn => {
                free && self.locals.first().is_some_and(|x| x == "x")
                    && (!self.arrays.is_empty() || self.wide.iter().any(|v| v == "x") && self.loop_channel().is_some())
            }
            Kind::Inline => free && !self.inlines.is_empty(),
            Kind::SetPriority => free && self.uses_priority,
            Kind::Run => free && self.runs_anywhere && !self.children.is_empty(),
            Kind::TypedefMessage => free && self.has_records,
            Kind::ChannelMessage => free && self.handle.is_some(),
        }
    }

    fn loop_channel(&self) -> Option<String> {
        self.channels.iter().find(|c| c.capacity > 0 && c.fields == 1 && !c.array).map(|c| c.name.clone())
    }

    fn statement(&mut self, place: Place) -> Item {
        let weights: Vec<usize> = STATEMENTS.iter().map(|(k, w)| if self.fits(*k, place) { *w } else { 0 }).collect();
        let kind = STATEMENTS[self.r.weighted(&weights)].0;
        let inner = Place { depth: place.depth.saturating_sub(1), label: false, ..place };
        let text = match kind {
            Kind::Assignment => self.assignment(),
            Kind::Condition => self.condition(),
            Kind::Skip => "skip".into(),
            Kind::Send => self.send(),
            Kind::Receive => self.receive(),
            Kind::If => {
                let with_else = self.r.chance(50) || place.in_d_step;
                return group("if", "::", self.options(place, with_else), "fi", 1);
            }
            Kind::Do => {
                let with_else = self.r.chance(30);
                let mut parts = self.options(Place { in_loop: true, ..place }, with_else);
                if self.r.chance(50) {
                    let part = if self.r.chance(50) { vec![] } else { vec![line(self.condition())] };
                    parts.insert(0, [part, vec![line("break")]].concat());
                }
                return group("do", "::", parts, "od", 1);
            }
            Kind::Atomic => {
                let body = self.sequence(inner, 3);
                return group("atomic {", "", vec![body], "}", 1);
            }
            Kind::DStep => {
                let place = Place { in_loop: false, in_d_step: true, ..inner };
                let first = match self.r.below(6) {
                    0..=2 => self.assignment(),
                    3 if self.buffered().is_some() => {
                        if self.r.chance(50) {
                            self.send_to_buffered()
                        } else {
                            self.receive_from_buffered()
                        }
                    }
                    _ => self.condition(),
                };
                let mut body = vec![line(first)];
                for _ in 0..self.r.below(3) {
                    body.push(if self.r.chance(60) { line(self.assignment()) } else { self.statement(place) });
                }
                return group("d_step {", "", vec![body], "}", 1);
            }
            Kind::Unless => {
                let body = self.sequence(inner, 3);
                let first = match self.r.below(10) {
                    0..=5 => line(self.condition()),
                    6..=7 if !self.channels.is_empty() => line(self.receive()),
                    8 if inner.depth > 0 => self.statement(inner),
                    _ => line(self.shared_condition()),
                };
                let mut escape = vec![first];
                if self.r.chance(50) {
                    escape.extend(self.sequence(Place { label: true, ..inner }, 1));
                }
                return group("{", "} unless {", vec![body, escape], "}", 2);
            }
            Kind::Assert => format!("assert({})", self.condition()),
            Kind::Print => format!("printf(\"%d\\n\", {})", self.value()),
            Kind::Break => "break".into(),
            Kind::Goto => format!("goto {}", self.r.pick(&self.labels)),
            Kind::Label => {
                let label = self.labels_open.pop().expect("there is one");
                let statement = match self.r.below(5) {
                    0..=1 => self.assignment(),
                    2..=3 => self.condition(),
                    _ => format!("goto {}", self.r.pick(&self.labels)),
                };
                format!("{label}: {statement}")
            }
            Kind::Block => {
                let mut body = self.sequence(Place { label: place.label, ..inner }, 2);
                if self.r.chance(40) {
                    body.insert(0, line(self.declaration()));
                }
                return group("{", "", vec![body], "}", 1);
            }
            Kind::Declaration => self.declaration(),
            Kind::For => {
                let open = format!("for ({} : 0 .. {}) {{", self.locals[0], self.r.below(3));
                let body = self.sequence(Place { in_loop: true, ..inner }, 2);
                return group(&open, "", vec![body], "}", 1);
            }
            Kind::ForIn => {
                let channel = if self.wide.iter().any(|v| v == "x") { self.loop_channel() } else { None };
                let over = match (channel, self.arrays.first()) {
                    (Some(c), Some(_)) if self.r.chance(50) => c,
                    (_, Some((a, _))) if !a.contains('.') => a.clone(),
                    (Some(c), _) => c,
                    _ => return line("skip"),
                };
                let body = self.sequence(Place { in_loop: true, ..inner }, 1);
                return group(&format!("for (x in {over}) {{"), "", vec![body], "}", 1);
            }
            Kind::Select => {
                let low = if self.r.chance(20) { self.plain_value() } else { self.r.below(2).to_string() };
                let high = if self.r.chance(30) { self.value() } else { (1 + self.r.below(2)).to_string() };
                format!("select ({} : {low} .. {high})", self.locals[0])
            }
            Kind::Inline => {
                let value = self.value();
                match self.inlines[0].clone() {
                    (name, false) => format!("{name}({value})"),
                    (name, true) => format!("{} = {name}({value})", self.variable()),
                }
            }
            Kind::Timeout => match self.r.below(5) {
                0 => format!("timeout && {}", self.shared_condition()),
                1 => format!("!timeout || {}", self.shared_condition()),
                2 => format!("(timeout || {})", self.shared_condition()),
                _ => "timeout".into(),
            },
            Kind::SetPriority => format!("set_priority({}, {})", self.r.pick(&["_pid", "0"]), 1 + self.r.below(3)),
            Kind::Run => {
                let run = self.run();
                return group("atomic {", "", vec![vec![line("_nr_pr < 4"), line(run)]], "}", 1);
            }
            Kind::TypedefMessage => self
                .r
                .pick(&["cm!m", "cm?m", "cm??m", "cm!m.u,1", "cm?eval(m.u),_", "cm!!m", "m.v = 1 - m.v"])
                .to_string(),
            Kind::ChannelMessage => {
                let h = self.handle.expect("there is one");
                match self.r.below(6) {
                    0 | 1 if self.has_channel_channel => format!("cc!{}", self.plain_channel()),
                    2 | 3 if self.has_channel_channel => format!("cc?{h}"),
                    4 => format!("{h}!{}", vec![self.r.below(3).to_string(); self.channels[0].fields].join(",")),
                    5 => format!("{h}?{}", vec!["_"; self.channels[0].fields].join(",")),
                    0 => format!("len({h}) == 0"),
                    _ => format!("{h} = {}", self.plain_channel()),
                }
            }
        };
        line(text)
    }

    fn declaration(&mut self) -> String {
        let name = self.fresh("y");
        match self.r.below(5) {
            0 => format!("byte {name}"),
            1 => format!("byte {name}[2]"),
            2 if !self.uses_priority => format!("bit {name} = {}", self.plain_value()),
            _ => format!("byte {name} = {}", self.value()),
        }
    }

    fn variable(&mut self) -> String {
        if !self.arrays.is_empty() && self.r.chance(20) {
            let (name, n) = self.arrays[self.r.below(self.arrays.len())].clone();
            let index = match self.r.below(3) {
                0 if !self.locals.is_empty() => format!("{} & 1", self.locals[0]),
                1 => format!("{} & 1", self.scalars[0]),
                _ => self.r.below(n).to_string(),
            };
            return format!("{name}[{index}]");
        }
        let all: Vec<String> = self.scalars.iter().chain(&self.locals).cloned().collect();
        self.r.pick(&all).clone()
    }

    fn value(&mut self) -> String {
        match self.r.below(9) {
            0..=2 => self.r.below(3).to_string(),
            3..=5 => self.variable(),
            6 => format!("({} + {}) % {}", self.variable(), self.r.below(3), 2 + self.r.below(3)),
            7 => format!("({} -> {} : {})", self.condition(), self.r.below(3), self.variable()),
            _ => {
                let count = if self.has_claim { "0" } else { "_nr_pr" };
                let last = if self.uses_last { "_last" } else { "2" };
                self.r.pick(&["_pid", "red", "true", "1 - 0", count, last]).to_string()
            }
        }
    }

    fn assignment(&mut self) -> String {
        let target = self.variable();
        match self.r.below(8) {
            0 if self.r.chance(40) => format!("{target}++"),
            1 if self.r.chance(40) => format!("{target}--"),
            2..=4 => format!("{target} = ({target} + {}) % {}", 1 + self.r.below(2), 2 + self.r.below(3)),
            _ => format!("{target} = {}", self.value()),
        }
    }

    fn shared_condition(&mut self) -> String {
        let v = self.scalars[self.r.below(self.scalars.len())].clone();
        format!("{v} {} {}", self.r.pick(&["==", "!=", "<", ">="]), self.r.below(3))
    }

    fn remote_label(&mut self) -> String {
        let (process, label) = self.remote_labels[self.r.below(self.remote_labels.len())].clone();
        format!("{process}@{label}")
    }

    fn remote_variable(&mut self) -> String {
        let (process, pid, x) = self.remote_variables[self.r.below(self.remote_variables.len())].clone();
        format!("{process}[{pid}]:{x} {} {}", self.r.pick(&["==", "<"]), self.r.below(3))
    }

    fn condition(&mut self) -> String {
        match self.r.below(18) {
            0..=5 => {
                format!("{} {} {}", self.variable(), self.r.pick(&["==", "!=", "<", ">", "<=", ">="]), self.r.below(3))
            }
            6 => format!("({} && {})", self.shared_condition(), self.shared_condition()),
            7 => format!("({} || {})", self.shared_condition(), self.shared_condition()),
            8 => format!("!({})", self.shared_condition()),
            9 if !self.has_claim => "_nr_pr > 1".into(),
            10 if !self.channels.is_empty() => {
                let name = self.some_channel();
                match self.r.below(3) {
                    0 => format!("len({name}) {} {}", self.r.pick(&["==", "<", ">"]), self.r.below(2)),
                    1 => format!("{}({name})", self.r.pick(&["full", "empty", "nfull", "nempty"])),
                    _ => format!("len({name}) == 0"),
                }
            }
            11 => match self.buffered() {
                Some(c) => {
                    let args = [vec![self.r.below(3).to_string()], vec!["_".into(); c.fields - 1]].concat();
                    format!("{}{}[{}]", self.named(&c), self.r.pick(&["?", "??"]), args.join(","))
                }
                None => self.shared_condition(),
            },
            12 if !self.remote_labels.is_empty() => self.remote_label(),
            13 if !self.remote_variables.is_empty() && !self.runs_anywhere => self.remote_variable(),
            15 if self.uses_last => format!("_last {} {}", self.r.pick(&["==", "!="]), self.r.below(3)),
            16 if self.uses_priority => format!("get_priority(_pid) > {}", 1 + self.r.below(2)),
            _ => self.shared_condition(),
        }
    }

    fn buffered(&self) -> Option<Channel> {
        self.channels.iter().find(|c| c.capacity > 0).cloned()
    }

    /// A channel, with an index where it is an array.
    fn named(&mut self, c: &Channel) -> String {
        if !c.array {
            return c.name.clone();
        }
        let index = match self.r.below(3) {
            0 => "_pid & 1".into(),
            _ => self.r.below(2).to_string(),
        };
        format!("{}[{index}]", c.name)
    }

    fn some_channel(&mut self) -> String {
        let c = self.channels[self.r.below(self.channels.len())].clone();
        self.named(&c)
    }

    /// A global channel, which outlives everybody.
    fn plain_channel(&mut self) -> String {
        let c = self.channels[0].clone();
        self.named(&c)
    }

    fn send(&mut self) -> String {
        let c = self.channels[self.r.below(self.channels.len())].clone();
        self.send_to(&c)
    }

    fn send_to_buffered(&mut self) -> String {
        let c = self.buffered().expect("there is one");
        self.send_to(&c)
    }

    fn send_to(&mut self, c: &Channel) -> String {
        let name = self.named(c);
        let values: Vec<String> = (0..c.fields).map(|_| self.plain_value()).collect();
        let op = if self.r.chance(15) { "!!" } else { "!" };
        if c.fields > 1 && self.r.chance(20) {
            return format!("{name}{op}{}({})", values[0], values[1..].join(","));
        }
        format!("{name}{op}{}", values.join(","))
    }

    /// A value without parentheses in front, which would read as another form of send.
    fn plain_value(&mut self) -> String {
        if self.r.chance(60) { self.r.below(3).to_string() } else { self.variable() }
    }

    fn receive(&mut self) -> String {
        let c = self.channels[self.r.below(self.channels.len())].clone();
        self.receive_from(&c)
    }

    fn receive_from_buffered(&mut self) -> String {
        let c = self.buffered().expect("there is one");
        self.receive_from(&c)
    }

    fn receive_from(&mut self, c: &Channel) -> String {
        let name = self.named(c);
        let mut used = Vec::new();
        let args: Vec<String> = (0..c.fields)
            .map(|_| match self.r.below(6) {
                0 => self.r.below(3).to_string(),
                1 => "_".into(),
                2 => format!("eval({})", if self.r.chance(20) { "_pid".into() } else { self.variable() }),
                _ => {
                    let v = if self.wide.is_empty() { "_".into() } else { self.r.pick(&self.wide).clone() };
                    if used.contains(&v) {
                        "_".into()
                    } else {
                        used.push(v.clone());
                        v
                    }
                }
            })
            .collect();
        // Where a variable is received, SPIN puts back what `eval` gives afterwards.
        let kept =
            |a: String| if !used.is_empty() && a.starts_with("eval(") && a != "eval(_pid)" { "_".into() } else { a };
        let args: Vec<String> = args.into_iter().map(kept).collect();
        let op = if self.r.chance(20) { "??" } else { "?" };
        if c.capacity > 0 && self.r.chance(15) {
            return format!("{name}{op}<{}>", args.join(","));
        }
        format!("{name}{op}{}", args.join(","))
    }
}
