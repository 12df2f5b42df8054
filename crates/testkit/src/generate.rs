//! Random Promela programs, small enough to be explored whole, and their shrinking.
//!
//! A program is a tree of text: [`Item::Line`] and [`Item::Group`]. The tree knows nothing of Promela beyond what may be
//! left out, so that shrinking is simple: drop a line, drop an option, replace a construct by what it holds. What is no
//! longer valid then is thrown away by whoever asks whether the smaller program still fails.
//!
//! Values are kept small (counting is modulo 2 to 4), so that state spaces are; everything else is allowed.

use crate::random::Random;

/// A piece of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A statement, declaration or whole line.
    Line(String),
    /// `open part separator part ... close`; each part is a sequence.
    Group {
        /// Text in front.
        open: String,
        /// Text in front of each part, such as `::`.
        mark: String,
        /// The parts.
        parts: Vec<Vec<Item>>,
        /// Text behind.
        close: String,
        /// Fewest parts that make sense.
        least: usize,
    },
}

/// A program with the seed it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its pieces.
    pub items: Vec<Item>,
}

impl Sample {
    /// The program as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        write_items(&self.items, 0, &mut out);
        out
    }

    /// All programs that lack one piece, largest pieces first.
    pub fn smaller(&self) -> Vec<Sample> {
        let mut out: Vec<Sample> = shrunk(&self.items).into_iter().map(|items| Sample { items }).collect();
        out.sort_by_key(|s| s.text().len());
        out
    }
}

/// The smallest program found by leaving out pieces while `fails` says that it still does.
pub fn shrink(sample: &Sample, fails: &mut dyn FnMut(&Sample) -> bool) -> Sample {
    let mut best = sample.clone();
    while let Some(next) = best.smaller().into_iter().find(|s| s != &best && fails(s)) {
        best = next;
    }
    best
}

fn write_items(items: &[Item], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for (i, item) in items.iter().enumerate() {
        let end = if i + 1 < items.len() { ";\n" } else { "\n" };
        match item {
            Item::Line(text) => {
                out.push_str(&format!("{indent}{text}{}", if depth == 0 { "\n" } else { end }));
            }
            Item::Group { open, mark, parts, close, .. } => {
                out.push_str(&format!("{indent}{open}\n"));
                for p in parts {
                    if !mark.is_empty() {
                        out.push_str(&format!("{indent}{mark}\n"));
                    }
                    write_items(p, depth + 1, out);
                }
                out.push_str(&format!("{indent}{close}{}", if depth == 0 { "\n" } else { end }));
            }
        }
    }
}

/// Sequences with one piece less.
fn shrunk(items: &[Item]) -> Vec<Vec<Item>> {
    let mut out = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let with = |middle: &[Item]| [&items[..i], middle, &items[i + 1..]].concat();
        if items.len() > 1 {
            out.push(with(&[]));
        }
        if let Item::Group { open, mark, parts, close, least } = item {
            let group = |parts: Vec<Vec<Item>>| Item::Group {
                open: open.clone(),
                mark: mark.clone(),
                parts,
                close: close.clone(),
                least: *least,
            };
            // Top-level groups are processes, whose contents cannot stand alone.
            if !open.contains("proctype") && !open.starts_with("init") && !open.starts_with("inline") {
                out.extend(parts.iter().map(|p| with(p)));
            }
            for (k, part) in parts.iter().enumerate() {
                if parts.len() > *least {
                    let mut fewer = parts.clone();
                    fewer.remove(k);
                    out.push(with(&[group(fewer)]));
                }
                for smaller in shrunk(part) {
                    let mut changed = parts.clone();
                    changed[k] = smaller;
                    out.push(with(&[group(changed)]));
                }
            }
        }
    }
    out
}

/// What may be used where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    in_d_step: bool,
    in_atomic: bool,
}

struct Generator {
    r: Random,
    /// Scalar globals that may be read and written.
    scalars: Vec<String>,
    /// Locals of the process at hand.
    locals: Vec<String>,
    /// Variables that hold a byte. Only they receive: a receive into a narrower variable makes SPIN put back another
    /// message when it backtracks, so that its counts are wrong.
    wide: Vec<String>,
    arrays: Vec<(String, usize)>,
    /// Name, capacity, number of fields.
    channels: Vec<(String, usize, usize)>,
    /// Process types with their number of parameters.
    children: Vec<(String, usize)>,
    inlines: Vec<String>,
    labels: Vec<String>,
    label_count: usize,
    uses_priority: bool,
    has_rendezvous: bool,
    remote: Vec<(String, String)>,
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
        labels: Vec::new(),
        label_count: 0,
        uses_priority: false,
        has_rendezvous: false,
        remote: Vec::new(),
    };
    Sample { items: g.program() }
}

impl Generator {
    fn program(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        let line = |items: &mut Vec<Item>, text: String| items.push(Item::Line(text));
        line(&mut items, "mtype = { red, green };".into());
        for i in 0..1 + self.r.below(3) {
            let (ty, width) = *self.r.pick(&[("bit", ""), ("bool", ""), ("byte", ""), ("unsigned", " : 2"), ("mtype", ""), ("short", "")]);
            let name = format!("g{i}");
            let init = if self.r.chance(30) && ty != "unsigned" { " = 1" } else { "" };
            line(&mut items, format!("{ty} {name}{width}{init};"));
            if ["byte", "short", "mtype"].contains(&ty) {
                self.wide.push(name.clone());
            }
            self.scalars.push(name);
        }
        if self.r.chance(40) {
            let n = 2 + self.r.below(2);
            line(&mut items, format!("{} a[{n}];", self.r.pick(&["byte", "bit", "short"])));
            self.arrays.push(("a".into(), n));
        }
        if self.r.chance(20) {
            line(&mut items, "typedef T { bit p; byte q[2] };".into());
            line(&mut items, "T t;".into());
            self.scalars.push("t.p".into());
            self.arrays.push(("t.q".into(), 2));
            self.wide.push("t.q[1]".into());
        }
        self.uses_priority = self.r.chance(8);
        for i in 0..self.r.below(3) {
            let capacity = if self.uses_priority { 1 + self.r.below(2) } else { self.r.below(3) };
            let fields = 1 + self.r.below(2);
            self.has_rendezvous |= capacity == 0;
            let types: Vec<&str> = (0..fields).map(|_| *self.r.pick(&["byte", "byte", "bool", "mtype"])).collect();
            // A channel of one bit holds a byte in SPIN: that known difference is left aside here.
            let types = if fields == 1 { "byte".to_string() } else { types.join(", ") };
            line(&mut items, format!("chan c{i} = [{capacity}] of {{ {types} }};"));
            self.channels.push((format!("c{i}"), capacity, fields));
        }
        if self.r.chance(25) {
            let target = self.scalars[0].clone();
            let body = vec![Item::Line(format!("{target} = (v + {target}) % 3")), Item::Line("skip".into())];
            let name = "step".to_string();
            items.push(Item::Group {
                open: format!("inline {name}(v) {{"),
                mark: String::new(),
                parts: vec![body],
                close: "}".into(),
                least: 1,
            });
            self.inlines.push(name);
        }
        let children = self.r.below(2);
        for i in 0..children {
            let params = self.r.below(2);
            let name = format!("C{i}");
            let head = format!("proctype {name}({})", if params == 1 { "byte arg" } else { "" });
            items.push(self.process(head, params == 1, 2));
            self.children.push((name, params));
        }
        let processes = 1 + self.r.below(2);
        for i in 0..processes {
            let count = if self.r.chance(20) { "[2] " } else { "" };
            let kind = if self.r.chance(3) { "D_proctype" } else { "proctype" };
            let priority =
                if self.uses_priority && self.r.chance(60) { format!(" priority {}", 1 + self.r.below(3)) } else { String::new() };
            let provided = if self.r.chance(8) { format!(" provided ({})", self.shared_condition()) } else { String::new() };
            items.push(self.process(format!("active {count}{kind} P{i}(){priority}{provided}"), false, 3));
        }
        if !self.children.is_empty() || self.r.chance(15) {
            self.locals.clear();
            self.wide.retain(|v| v != "x");
            let mut body = Vec::new();
            let runs = self.r.below(3);
            for _ in 0..runs {
                if let Some((name, params)) = self.children.first().cloned() {
                    let arg = if params == 1 { self.value() } else { String::new() };
                    body.push(Item::Line(format!("run {name}({arg})")));
                }
            }
            body.push(self.statement(Place { depth: 1, in_loop: false, in_d_step: false, in_atomic: false }));
            if self.r.chance(40) {
                body = vec![self.group("atomic {", "", vec![body], "}", 1)];
            }
            items.push(self.group("init {", "", vec![body], "}", 1));
        }
        items
    }

    fn group(&self, open: &str, mark: &str, parts: Vec<Vec<Item>>, close: &str, least: usize) -> Item {
        Item::Group { open: open.into(), mark: mark.into(), parts, close: close.into(), least }
    }

    fn process(&mut self, head: String, param: bool, depth: usize) -> Item {
        self.locals.clear();
        self.labels.clear();
        self.wide.retain(|v| v != "x");
        let mut body = Vec::new();
        if self.r.chance(60) {
            let init = if self.r.chance(30) { " = 1" } else { "" };
            let ty = *self.r.pick(&["byte", "bit", "short", "pid"]);
            body.push(Item::Line(format!("{ty} x{init}")));
            self.locals.push("x".into());
            if ty != "bit" {
                self.wide.push("x".into());
            }
        }
        if param {
            self.locals.push("arg".into());
        }
        let place = Place { depth, in_loop: false, in_d_step: false, in_atomic: false };
        let mut statements = self.sequence(place, 3);
        if self.r.chance(50) {
            let name = self.r.pick(&["L", "end", "L"]).to_string();
            self.label_count += 1;
            let label = format!("{name}{}", self.label_count);
            if let Some(Item::Line(first)) = statements.first_mut()
                && !first.contains(':')
                && !first.starts_with("byte")
            {
                *first = format!("{label}: {first}");
                if self.r.chance(60) {
                    statements.push(Item::Line(format!("goto {label}")));
                }
                if let Some(name) = head.split("proctype ").nth(1).and_then(|s| s.split('(').next()) {
                    self.remote.push((name.to_string(), label));
                }
            }
        }
        body.extend(statements);
        self.group(&format!("{head} {{"), "", vec![body], "}", 1)
    }

    fn sequence(&mut self, place: Place, most: usize) -> Vec<Item> {
        let n = 1 + self.r.below(most);
        (0..n).map(|_| self.statement(place)).collect()
    }

    fn options(&mut self, place: Place, with_else: bool) -> Vec<Vec<Item>> {
        let inner = Place { depth: place.depth - 1, ..place };
        let n = 1 + self.r.below(3);
        let mut parts: Vec<Vec<Item>> = (0..n)
            .map(|_| {
                let mut part = Vec::new();
                if self.r.chance(50) {
                    part.push(Item::Line(self.condition()));
                }
                part.extend(self.sequence(inner, 2));
                part
            })
            .collect();
        if with_else {
            let mut part = vec![Item::Line("else".into())];
            if self.r.chance(60) {
                part.extend(self.sequence(inner, 1));
            }
            parts.push(part);
        }
        parts
    }

    fn statement(&mut self, place: Place) -> Item {
        let compound = if place.depth > 0 { 1 } else { 0 };
        let channels = usize::from(!self.channels.is_empty());
        let free = usize::from(!place.in_d_step);
        let weights = [
            18,                                                 // 0 assignment
            8,                                                  // 1 condition
            4,                                                  // 2 skip
            14 * channels,                                      // 3 send
            14 * channels,                                      // 4 receive
            12 * compound,                                      // 5 if
            10 * compound * free,                               // 6 do
            5 * compound * free * usize::from(!place.in_atomic), // 7 atomic
            5 * compound * free,                                // 8 d_step
            4 * compound * free,                                // 9 unless
            3,                                                  // 10 assert
            2,                                                  // 11 printf
            4 * usize::from(place.in_loop),                     // 12 break
            3 * compound * free,                                // 13 block
            2 * free * usize::from(!self.locals.is_empty()),    // 14 for
            2 * usize::from(!self.locals.is_empty()) * free,    // 15 select
            3 * usize::from(!self.inlines.is_empty()) * free,   // 16 inline call
            2 * free,                                           // 17 timeout
            1 * free * usize::from(self.uses_priority),         // 18 set_priority
        ];
        let text = match self.r.weighted(&weights) {
            0 => self.assignment(),
            1 => self.condition(),
            2 => "skip".into(),
            3 => self.send(),
            4 => self.receive(),
            5 => {
                let with_else = self.r.chance(50) || place.in_d_step;
                let parts = self.options(place, with_else);
                return self.group("if", "::", parts, "fi", 1);
            }
            6 => {
                let with_else = self.r.chance(30);
                let mut parts = self.options(Place { in_loop: true, ..place }, with_else);
                if self.r.chance(50) {
                    let first = if self.r.chance(50) { "break".into() } else { self.condition() };
                    parts.insert(0, vec![Item::Line(first)]);
                    if let Some(Item::Line(t)) = parts[0].first()
                        && t != "break"
                    {
                        parts[0].push(Item::Line("break".into()));
                    }
                }
                return self.group("do", "::", parts, "od", 1);
            }
            7 => {
                let body = self.sequence(Place { depth: place.depth - 1, in_atomic: true, in_loop: place.in_loop, ..place }, 3);
                return self.group("atomic {", "", vec![body], "}", 1);
            }
            8 => {
                let inner = Place { depth: place.depth - 1, in_loop: false, in_d_step: true, in_atomic: false };
                let mut body = vec![Item::Line(if self.r.chance(50) { self.assignment() } else { self.condition() })];
                for _ in 0..self.r.below(3) {
                    body.push(if self.r.chance(70) { Item::Line(self.assignment()) } else { self.statement(inner) });
                }
                return self.group("d_step {", "", vec![body], "}", 1);
            }
            9 => {
                let inner = Place { depth: place.depth - 1, ..place };
                let body = self.sequence(inner, 3);
                let mut escape = vec![Item::Line(if self.r.chance(70) { self.condition() } else { self.simple_receive() })];
                if self.r.chance(50) {
                    escape.extend(self.sequence(inner, 1));
                }
                return self.group("{", "} unless {", vec![body, escape], "}", 2).unless();
            }
            10 => format!("assert({})", self.condition()),
            11 => format!("printf(\"%d\\n\", {})", self.value()),
            12 => "break".into(),
            13 => {
                let mut body = self.sequence(Place { depth: place.depth - 1, ..place }, 2);
                if self.r.chance(40) {
                    self.label_count += 1;
                    let value = self.value();
                    body.insert(0, Item::Line(format!("byte y{} = {value}", self.label_count)));
                }
                return self.group("{", "", vec![body], "}", 1);
            }
            14 => {
                let var = self.locals[0].clone();
                let open = format!("for ({var} : 0 .. {}) {{", self.r.below(3));
                let body = self.sequence(Place { depth: place.depth.saturating_sub(1), in_loop: true, ..place }, 2);
                return self.group(&open, "", vec![body], "}", 1);
            }
            15 => {
                let bound = if self.r.chance(30) { self.value() } else { self.r.below(3).to_string() };
                format!("select ({} : 0 .. {bound})", self.locals[0])
            }
            16 => {
                let value = self.value();
                format!("{}({value})", self.inlines[0])
            }
            17 => "timeout".into(),
            _ => format!("set_priority(_pid, {})", 1 + self.r.below(3)),
        };
        Item::Line(text)
    }

    fn variable(&mut self) -> String {
        if !self.arrays.is_empty() && self.r.chance(20) {
            let (name, n) = self.arrays[self.r.below(self.arrays.len())].clone();
            let index = match self.r.below(3) {
                0 if !self.locals.is_empty() => format!("{} % {n}", self.locals[0]),
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
            _ => self.r.pick(&["_pid", "red", "true", "1 - 0", "_nr_pr"]).to_string(),
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

    fn condition(&mut self) -> String {
        match self.r.below(14) {
            0..=5 => format!("{} {} {}", self.variable(), self.r.pick(&["==", "!=", "<", ">", "<=", ">="]), self.r.below(3)),
            6 => format!("({} && {})", self.shared_condition(), self.shared_condition()),
            7 => format!("({} || {})", self.shared_condition(), self.shared_condition()),
            8 => format!("!({})", self.shared_condition()),
            9 => "_nr_pr > 1".into(),
            10 if !self.channels.is_empty() => {
                let (name, ..) = self.channels[self.r.below(self.channels.len())].clone();
                match self.r.below(3) {
                    0 => format!("len({name}) {} {}", self.r.pick(&["==", "<", ">"]), self.r.below(2)),
                    1 => format!("{}({name})", self.r.pick(&["full", "empty", "nfull", "nempty"])),
                    _ => format!("len({name}) == 0"),
                }
            }
            11 => {
                let buffered: Vec<_> = self.channels.iter().filter(|c| c.1 > 0).cloned().collect();
                match buffered.first() {
                    Some((name, _, fields)) => {
                        let args = vec!["_"; fields - 1].join(",");
                        let first = self.r.below(3);
                        let op = self.r.pick(&["?", "??"]);
                        if args.is_empty() { format!("{name}{op}[{first}]") } else { format!("{name}{op}[{first},{args}]") }
                    }
                    None => self.shared_condition(),
                }
            }
            12 if !self.remote.is_empty() => {
                let (process, label) = self.remote[self.r.below(self.remote.len())].clone();
                format!("{process}@{label}")
            }
            _ => self.shared_condition(),
        }
    }

    fn send(&mut self) -> String {
        let (name, _, fields) = self.channels[self.r.below(self.channels.len())].clone();
        let values: Vec<String> = (0..fields).map(|_| self.plain_value()).collect();
        let op = if self.r.chance(15) { "!!" } else { "!" };
        if fields == 2 && self.r.chance(20) {
            return format!("{name}{op}{}({})", values[0], values[1]);
        }
        format!("{name}{op}{}", values.join(","))
    }

    /// A value without parentheses in front, which would read as another form of send.
    fn plain_value(&mut self) -> String {
        if self.r.chance(60) { self.r.below(3).to_string() } else { self.variable() }
    }

    fn simple_receive(&mut self) -> String {
        if self.channels.is_empty() { self.condition() } else { self.receive() }
    }

    fn receive(&mut self) -> String {
        let (name, capacity, fields) = self.channels[self.r.below(self.channels.len())].clone();
        let mut used = Vec::new();
        let args: Vec<String> = (0..fields)
            .map(|_| match self.r.below(6) {
                0 => self.r.below(3).to_string(),
                1 => "_".into(),
                2 => format!("eval({})", self.variable()),
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
        let op = if self.r.chance(20) { "??" } else { "?" };
        if capacity > 0 && self.r.chance(15) {
            return format!("{name}{op}<{}>", args.join(","));
        }
        format!("{name}{op}{}", args.join(","))
    }
}

impl Item {
    /// `{ body } unless { escape }` written as a group: the mark stands between its two parts only.
    fn unless(self) -> Item {
        match self {
            Item::Group { parts, .. } => {
                let mut parts = parts.into_iter();
                let (body, escape) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let inner = |open: &str, part, close: &str| Item::Group {
                    open: open.into(),
                    mark: String::new(),
                    parts: vec![part],
                    close: close.into(),
                    least: 1,
                };
                let text = |item: &Item| {
                    let mut out = String::new();
                    write_items(std::slice::from_ref(item), 1, &mut out);
                    out
                };
                let body = text(&inner("{", body, "}"));
                let escape = text(&inner("{", escape, "}"));
                Item::Line(format!("{} unless {}", body.trim(), escape.trim()))
            }
            line => line,
        }
    }
}
