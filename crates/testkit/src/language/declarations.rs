//! Types, variables, channels, inlines and macros.

use super::{Channel, Inline, Item, Place, Record, Type, Variable, Writer, block, group, line};

impl Type {
    /// Whether numbers are stored in it.
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Type::Mtype | Type::Fruit | Type::Chan | Type::Record(_))
    }

    /// Whether every byte can be stored in it.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Type::Byte | Type::Pid | Type::Short | Type::Int)
    }
}

impl Writer {
    pub(super) fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Bit => "bit".into(),
            Type::Bool => "bool".into(),
            Type::Byte => "byte".into(),
            Type::Pid => "pid".into(),
            Type::Short => "short".into(),
            Type::Int => "int".into(),
            Type::Unsigned(_) => "unsigned".into(),
            Type::Mtype => "mtype".into(),
            Type::Fruit => "mtype:fruit".into(),
            Type::Chan => "chan".into(),
            Type::Record(i) => self.records[i].name.clone(),
        }
    }

    pub(super) fn scalar_type(&mut self) -> Type {
        match self.r.below(11) {
            0 => Type::Bit,
            1 => Type::Bool,
            2..=4 => Type::Byte,
            5 => Type::Pid,
            6 => Type::Short,
            7 => Type::Int,
            8 => Type::Unsigned(1 + self.r.below(5)),
            9 if self.has_fruit => Type::Fruit,
            _ => Type::Mtype,
        }
    }

    /// The declaration of a variable, without what stands in front or behind.
    pub(super) fn declare(&mut self, v: &Variable, initial: Option<String>) -> String {
        let ty = self.type_name(v.ty);
        let shape = match (v.len, v.ty) {
            (0, Type::Unsigned(width)) => format!(" : {width}"),
            (0, _) => String::new(),
            (len, _) => format!("[{len}]"),
        };
        let initial = initial.map_or(String::new(), |e| format!(" = {e}"));
        format!("{ty} {}{shape}{initial}", v.name)
    }

    /// What a variable may start as, if it starts as anything but 0.
    pub(super) fn initial(&mut self, v: &Variable) -> Option<String> {
        if self.r.chance(60) {
            return None;
        }
        match v.ty {
            Type::Chan | Type::Record(_) => None,
            Type::Mtype => Some(self.one(&["red", "green"])),
            Type::Fruit => Some(self.one(&["apple", "pear"])),
            _ if v.len == 2 && self.r.chance(50) => Some("{1, 2}".into()),
            _ => Some(self.one(&["1", "2", "1 + 1", "true", "'b' - 'a'"])),
        }
    }

    /// A new variable of a scalar type, perhaps an array. Arrays of bits hold bytes in SPIN.
    pub(super) fn variable(&mut self, name: String) -> Variable {
        let mut ty = self.scalar_type();
        let len = if self.r.chance(25) { *self.r.pick(&[1, 2, 2, 4]) } else { 0 };
        if len > 0 && (matches!(ty, Type::Unsigned(_)) || self.comparable && matches!(ty, Type::Bit | Type::Bool)) {
            ty = Type::Byte;
        }
        Variable { name, ty, len }
    }

    pub(super) fn typedefs(&mut self, items: &mut Vec<Item>) {
        for i in 0..self.r.weighted(&[60, 25, 15]) {
            let name = format!("T{i}");
            let mut fields: Vec<Variable> = (0..1 + self.r.below(3)).map(|k| self.variable(format!("f{k}"))).collect();
            if i > 0 && self.r.chance(60) {
                let len = if self.r.chance(50) { 2 } else { 0 };
                fields.push(Variable { name: "sub".into(), ty: Type::Record(0), len });
            }
            let mut body = Vec::new();
            for f in &fields {
                let initial = if self.r.chance(20) && f.len == 0 { self.initial(f) } else { None };
                body.push(line(self.declare(f, initial)));
            }
            items.push(block(&format!("typedef {name} {{"), body));
            self.records.push(Record { name, fields });
        }
    }

    pub(super) fn variables(&mut self, items: &mut Vec<Item>) {
        // The first global is a number for all processes.
        items.push(line("byte g0;"));
        self.globals.push(Variable { name: "g0".into(), ty: Type::Byte, len: 0 });
        for i in 1..1 + self.r.below(4) {
            let v = self.variable(format!("g{i}"));
            let initial = self.initial(&v);
            // Only single numbers can be hidden.
            let hides = !self.comparable && v.len == 0 && v.ty == Type::Byte;
            let words: &[&str] = if hides { &["hidden ", "local ", "show "] } else { &["local ", "show "] };
            let word = if self.r.chance(15) { self.one(words) } else { String::new() };
            items.push(line(format!("{word}{};", self.declare(&v, initial))));
            self.globals.push(v);
        }
        if self.r.chance(15) {
            items.push(line("byte u1 = 2, u2[2], u3;"));
            self.globals.push(Variable { name: "u1".into(), ty: Type::Byte, len: 0 });
            self.globals.push(Variable { name: "u2".into(), ty: Type::Byte, len: 2 });
        }
        for i in 0..self.records.len() {
            let len = if self.r.chance(40) { 2 } else { 0 };
            let v = Variable { name: format!("s{i}"), ty: Type::Record(i), len };
            let declaration = self.declare(&v, None);
            items.push(line(format!("{declaration};")));
            self.globals.push(v);
        }
    }

    pub(super) fn channels(&mut self, items: &mut Vec<Item>) {
        // Who asks whether others can move does not get along with handshakes.
        let least = usize::from(self.features.priority || self.features.enabled);
        for i in 0..self.r.weighted(&[30, 45, 25]) {
            let capacity = least.max(self.r.below(3));
            let count = 1 + self.r.weighted(&[50, 35, 15]);
            let mut fields: Vec<Type> = (0..count).map(|_| self.scalar_type()).collect();
            if self.comparable && count == 1 && matches!(fields[0], Type::Bit | Type::Bool) {
                fields[0] = Type::Byte;
            }
            fields.iter_mut().filter(|t| matches!(t, Type::Unsigned(_))).for_each(|t| *t = Type::Byte);
            if i == 0
                && self.r.chance(35)
                && let Some(record) = (0..self.records.len()).rev().find(|r| self.fits_message(*r))
            {
                fields[0] = Type::Record(record);
                if self.r.chance(50) {
                    fields.truncate(1);
                }
            }
            let len = if self.r.chance(20) { 2 } else { 0 };
            self.declare_channel(items, format!("c{i}"), capacity, fields, len);
        }
        if !self.channels.is_empty() && self.r.chance(25) {
            let capacity = least.max(self.r.below(2));
            let fields = match self.r.below(3) {
                0 => vec![Type::Chan],
                1 => vec![Type::Byte, Type::Chan],
                _ => vec![Type::Chan, Type::Mtype],
            };
            self.declare_channel(items, "cc".into(), capacity, fields, 0);
            items.push(line(format!("chan h0 = {};", self.element_of_first())));
            self.globals.push(Variable { name: "h0".into(), ty: Type::Chan, len: 0 });
        }
        self.global_channels = self.channels.len();
    }

    /// Whether a record can be part of a message: `unsigned` fields and arrays of structures cannot.
    fn fits_message(&self, record: usize) -> bool {
        self.records[record].fields.iter().all(|f| match f.ty {
            Type::Unsigned(_) => false,
            Type::Record(i) => f.len == 0 && self.fits_message(i),
            _ => true,
        })
    }

    /// A record that can be a parameter: one without arrays.
    pub(super) fn record_parameter(&self) -> Option<usize> {
        (0..self.records.len()).find(|r| self.records[*r].fields.iter().all(|f| f.len == 0 && f.ty.is_number()))
    }

    fn declare_channel(&mut self, items: &mut Vec<Item>, name: String, capacity: usize, fields: Vec<Type>, len: usize) {
        let types: Vec<String> = fields.iter().map(|t| self.type_name(*t)).collect();
        let size = if len > 0 { format!("[{len}]") } else { String::new() };
        items.push(line(format!("chan {name}{size} = [{capacity}] of {{ {} }};", types.join(", "))));
        self.channels.push(Channel { name, capacity, fields, len });
    }

    /// The first channel, which all channel variables hold.
    fn element_of_first(&self) -> String {
        let first = &self.channels[0];
        if first.len == 0 { first.name.clone() } else { format!("{}[1]", first.name) }
    }

    pub(super) fn macros(&mut self, items: &mut Vec<Item>) {
        if self.r.chance(30) {
            items.push(line("#define LARGER(a, b) ((a) > (b) -> (a) : (b))"));
            self.macros.push(("LARGER", 2));
        }
        if self.r.chance(30) {
            items.push(line("#define NEXT(a) (((a) + 1) % 3)"));
            self.macros.push(("NEXT", 1));
        }
        if self.r.chance(25) {
            items.push(line("#define ADD(v, n) v = (v + n) % 3"));
            let inline = Inline { name: "ADD".into(), by_name: vec![true, false], returns: false, prompt: true };
            self.inlines.push(inline);
        }
        if self.r.chance(25) {
            items.push(line("#ifdef LIMIT\n#undef LIMIT\n#endif\n#define LIMIT 2\n#if LIMIT > 1\n#define LOW (g0 < LIMIT)\n#else\n#define LOW true\n#endif"));
            self.macros.push(("LOW", 0));
            self.macros.push(("LIMIT", 0));
        }
    }

    pub(super) fn inlines(&mut self, items: &mut Vec<Item>) {
        if self.r.chance(65) {
            return;
        }
        let mut inline = |items: &mut Vec<Item>, head: &str, lines: &[&str], by_name: &[bool], returns: bool| {
            let body = lines.iter().map(|l| line(*l)).collect();
            items.push(block(&format!("inline {head} {{"), body));
            let name = head.split('(').next().unwrap_or_default().to_string();
            self.inlines.push(Inline { name, by_name: by_name.to_vec(), returns, prompt: true });
        };
        inline(items, "bump(v, n)", &["v = (v + n) % 3"], &[true, false], false);
        inline(items, "twice(v)", &["bump(v, 1)", "byte w", "w = v", "bump(g0, w)"], &[true], false);
        inline(items, "value(v)", &["return (v + g0) % 3"], &[false], true);
        inline(items, "taken(v)", &["g0 = (g0 + 1) % 3", "return v"], &[false], true);
        if self.r.chance(50) {
            let prompt = self.r.chance(50);
            self.locals.push(Variable { name: "v".into(), ty: Type::Byte, len: 0 });
            let place = Place {
                depth: 1,
                in_loop: false,
                in_atomic: false,
                in_d_step: prompt,
                labels: false,
                at_escape: false,
            };
            let body = self.sequence(place, 3);
            self.locals.clear();
            items.push(group("inline mix(v) {", "", vec![body], "}", 1));
            self.inlines.push(Inline { name: "mix".into(), by_name: vec![true], returns: false, prompt });
        }
    }
}
