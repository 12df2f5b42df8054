//! Places, values and conditions.

use super::{Type, Variable, Writer};

/// Operators between numbers that do not fail.
const OPERATORS: [&str; 14] = ["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];

impl Writer {
    /// An index into an array of this length.
    pub(super) fn index(&mut self, len: usize) -> String {
        if self.index_depth > 1 {
            return self.r.below(len).to_string();
        }
        self.index_depth += 1;
        let text = match self.r.below(8) {
            0..=2 => self.r.below(len).to_string(),
            3 if len > 1 => format!("_pid & {}", len - 1),
            4 if len > 1 => format!("{} % {len}", self.unsigned_place()),
            5 if self.wild(25) => self.number_place().0,
            6 if len > 1 => format!("({} + 1) & {}", self.number_place().0, len - 1),
            _ if len > 1 => format!("{} & {}", self.number_place().0, len - 1),
            _ => "0".into(),
        };
        self.index_depth -= 1;
        text
    }

    /// A variable that is never negative.
    fn unsigned_place(&mut self) -> String {
        let (text, ty) = self.number_place();
        if matches!(ty, Type::Short | Type::Int) && !self.wild(20) { "g0".into() } else { text }
    }

    /// A variable with its indices and fields.
    fn resolve(&mut self, v: &Variable) -> (String, Type) {
        let mut text = v.name.clone();
        if v.len > 0 {
            text += &format!("[{}]", self.index(v.len));
        }
        let Type::Record(i) = v.ty else { return (text, v.ty) };
        let field = self.records[i].fields[self.r.below(self.records[i].fields.len())].clone();
        let (rest, ty) = self.resolve(&field);
        (format!("{text}.{rest}"), ty)
    }

    /// A variable of which `fits` is true; `g0` where none is found.
    pub(super) fn place_where(&mut self, fits: impl Fn(Type) -> bool) -> (String, Type) {
        for _ in 0..6 {
            let all = self.globals.len() + self.locals.len();
            let at = self.r.below(all);
            let v = if at < self.globals.len() { &self.globals[at] } else { &self.locals[at - self.globals.len()] };
            let (text, ty) = self.resolve(&v.clone());
            if fits(ty) && !(self.comparable && indexes_itself(&text)) {
                return (text, ty);
            }
        }
        ("g0".into(), Type::Byte)
    }

    pub(super) fn number_place(&mut self) -> (String, Type) {
        self.place_where(Type::is_number)
    }

    /// A variable of exactly that type, if there is one.
    pub(super) fn place_of(&mut self, ty: Type) -> Option<String> {
        let (text, found) = self.place_where(|t| t == ty);
        (found == ty).then_some(text)
    }

    /// A variable that holds a record of that type, if there is one.
    pub(super) fn record_of(&mut self, record: usize) -> Option<String> {
        let all: Vec<Variable> = self.globals.iter().chain(&self.locals).cloned().collect();
        let v = all.into_iter().rev().find(|v| v.ty == Type::Record(record))?;
        Some(if v.len > 0 { format!("{}[{}]", v.name, self.index(v.len)) } else { v.name })
    }

    /// A value to be stored in a variable of that type.
    pub(super) fn value_for(&mut self, ty: Type) -> String {
        match ty {
            Type::Mtype if self.r.chance(60) => self.one(&["red", "green", "blue"]),
            Type::Fruit if self.r.chance(60) => self.one(&["apple", "pear"]),
            Type::Mtype | Type::Fruit => self.place_of(ty).unwrap_or_else(|| match ty {
                Type::Fruit => "apple".into(),
                _ => "red".into(),
            }),
            Type::Bit | Type::Bool if self.r.chance(50) => format!("({})", self.condition(0, false)),
            Type::Chan => self.some_handle(),
            _ => self.value(1),
        }
    }

    pub(super) fn constant(&mut self) -> String {
        match self.r.below(14) {
            0 => "true".into(),
            1 => "false".into(),
            2 => "'a'".into(),
            3 => "-1".into(),
            4 => "257".into(),
            _ => self.r.below(3).to_string(),
        }
    }

    /// A number; what has operators stands in parentheses.
    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return if self.r.chance(45) { self.constant() } else { self.number_place().0 };
        }
        match self.r.below(16) {
            0..=2 => self.constant(),
            3..=6 => self.number_place().0,
            7 | 8 => format!("({} {} {})", self.value(depth - 1), self.r.pick(&OPERATORS), self.value(depth - 1)),
            9 => format!("({} % {})", self.value(depth - 1), 2 + self.r.below(3)),
            10 => match self.r.below(5) {
                0 if self.wild(30) => format!("({} / {})", self.value(0), self.value(0)),
                0 => format!("({} / {})", self.value(0), 1 + self.r.below(3)),
                1 => format!("({} << {})", self.value(0), self.r.below(3)),
                2 => format!("({} >> {})", self.value(0), self.r.below(3)),
                3 => format!("(~{} & 3)", self.number_place().0),
                _ => format!("(-{})", self.number_place().0),
            },
            11 => format!("({} -> {} : {})", self.condition(0, false), self.value(depth - 1), self.value(0)),
            12 => format!("(!{})", self.number_place().0),
            13 => self.macro_value().unwrap_or_else(|| self.constant()),
            _ => self.own_value(),
        }
    }

    /// What the system says of itself.
    fn own_value(&mut self) -> String {
        match self.r.below(6) {
            0 if !self.features.never && !self.features.ltl => "_nr_pr".into(),
            1 if self.features.last => "_last".into(),
            2 if self.features.priority => self.one(&["_priority", "get_priority(_pid)", "get_priority(0)"]),
            3 if !self.comparable => format!("(pc_value({}) & 1)", self.r.below(2)),
            4 if !self.channels.is_empty() => format!("len({})", self.some_channel()),
            _ => "_pid".into(),
        }
    }

    fn macro_value(&mut self) -> Option<String> {
        if self.macros.is_empty() {
            return None;
        }
        let (name, count) = *self.r.pick(&self.macros);
        let args: Vec<String> = (0..count).map(|_| self.value(0)).collect();
        Some(if count == 0 { name.into() } else { format!("{name}({})", args.join(", ")) })
    }

    /// A comparison of globals, which a claim may make.
    pub(super) fn shared_condition(&mut self) -> String {
        let locals = std::mem::take(&mut self.locals);
        let deep = std::mem::replace(&mut self.index_depth, 2);
        let text = self.comparison();
        self.index_depth = deep;
        self.locals = locals;
        text
    }

    fn comparison(&mut self) -> String {
        let (place, ty) = self.place_where(|t| t != Type::Chan);
        let order = *self.r.pick(&["==", "!=", "<", ">", "<=", ">="]);
        match ty {
            Type::Mtype => format!("{place} {} {}", self.one(&["==", "!="]), self.one(&["red", "green", "blue"])),
            Type::Fruit => format!("{place} {} {}", self.one(&["==", "!="]), self.one(&["apple", "pear"])),
            _ => format!("{place} {order} {}", self.r.below(3)),
        }
    }

    /// A condition; `guard` says that it stands as a statement where it may block.
    pub(super) fn condition(&mut self, depth: usize, guard: bool) -> String {
        match self.r.below(22) {
            0..=5 => self.comparison(),
            6 => format!("{} {} {}", self.value(1), self.one(&["==", "!=", "<", ">="]), self.value(1)),
            7 if depth > 0 => format!("({} && {})", self.condition(depth - 1, guard), self.condition(0, guard)),
            8 if depth > 0 => format!("({} || {})", self.condition(depth - 1, guard), self.condition(0, guard)),
            9 => format!("!({})", self.shared_condition()),
            10 | 11 if !self.channels.is_empty() => {
                let name = self.some_channel();
                match self.r.below(3) {
                    // Elsewhere than in a guard these tests are refused.
                    1 | 2 if !guard => format!("len({name}) > 0"),
                    0 => format!("len({name}) {} {}", self.one(&["==", "<", ">"]), self.r.below(2)),
                    _ => format!("{}({name})", self.one(&["full", "empty", "nfull", "nempty"])),
                }
            }
            12 | 13 => self.poll().unwrap_or_else(|| self.comparison()),
            14 if guard && !self.remote_labels.is_empty() => self.remote_label(),
            15 if guard && !self.remote_variables.is_empty() && !self.runs_anywhere => self.remote_variable(),
            16 if self.features.last => format!("_last {} {}", self.one(&["==", "!="]), self.r.below(3)),
            17 if self.features.priority => format!("get_priority(_pid) > {}", 1 + self.r.below(2)),
            18 if guard => self.one(&["timeout", "(timeout || g0 > 0)", "!timeout"]),
            19 if self.macros.iter().any(|m| m.0 == "LOW") => "LOW".into(),
            20 => self.value(1),
            _ => self.shared_condition(),
        }
    }

    pub(super) fn remote_label(&mut self) -> String {
        let (process, pid, label) = self.remote_labels[self.r.below(self.remote_labels.len())].clone();
        if self.runs_anywhere || self.r.chance(50) {
            format!("{process}@{label}")
        } else {
            format!("{process}[{pid}]@{label}")
        }
    }

    pub(super) fn remote_variable(&mut self) -> String {
        let (process, pid, x) = self.remote_variables[self.r.below(self.remote_variables.len())].clone();
        let pid = if self.r.chance(20) { String::new() } else { format!("[{pid}]") };
        format!("{process}{pid}:{x} {} {}", self.one(&["==", "<"]), self.r.below(3))
    }
}

/// Whether the index of a place reads the variable that the place belongs to: SPIN undoes an assignment to it in another place.
fn indexes_itself(place: &str) -> bool {
    let Some((name, index)) = place.split_once('[') else { return false };
    let name = name.split('.').next().unwrap_or(name);
    index.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}
