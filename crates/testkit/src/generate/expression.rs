//! Values, conditions and assignments.

use super::Generator;

impl Generator {
    pub(super) fn variable(&mut self) -> String {
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

    pub(super) fn value(&mut self) -> String {
        match self.r.below(10) {
            9 => self.odd_value(),
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

    /// Operators of bits, negative numbers, and numbers that do not fit.
    fn odd_value(&mut self) -> String {
        let v = self.variable();
        match self.r.below(9) {
            0 => format!("{v} ^ 1"),
            1 => format!("~{v} & 3"),
            2 => format!("({v} << 1) & 3"),
            3 => format!("{v} >> 1"),
            4 => "-1".into(),
            5 => "257".into(),
            6 => format!("-{v}"),
            7 => format!("{v} | 2"),
            _ => format!("({v} * 3) / 2 & 3"),
        }
    }

    pub(super) fn assignment(&mut self) -> String {
        let target = self.variable();
        if target == "f" {
            // Constants of another list of `mtype` are refused.
            return format!("f = {}", self.r.pick(&["apple", "pear"]));
        }
        match self.r.below(8) {
            0 if self.atomic_depth == 0 && self.r.chance(40) => format!("{target}++"),
            1 if self.atomic_depth == 0 && self.r.chance(40) => format!("{target}--"),
            2..=4 => format!("{target} = ({target} + {}) % {}", 1 + self.r.below(2), 2 + self.r.below(3)),
            _ => format!("{target} = {}", self.value()),
        }
    }

    pub(super) fn shared_condition(&mut self) -> String {
        let v = self.scalars[self.r.below(self.scalars.len())].clone();
        format!("{v} {} {}", self.r.pick(&["==", "!=", "<", ">="]), self.r.below(3))
    }

    pub(super) fn remote_label(&mut self) -> String {
        let (process, label) = self.remote_labels[self.r.below(self.remote_labels.len())].clone();
        format!("{process}@{label}")
    }

    pub(super) fn remote_variable(&mut self) -> String {
        let (process, pid, x) = self.remote_variables[self.r.below(self.remote_variables.len())].clone();
        format!("{process}[{pid}]:{x} {} {}", self.r.pick(&["==", "<"]), self.r.below(3))
    }

    pub(super) fn condition(&mut self) -> String {
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
                    let first = match self.r.below(4) {
                        0 => format!("eval({})", self.variable()),
                        1 => "_".into(),
                        _ => self.r.below(3).to_string(),
                    };
                    let args = [vec![first], vec!["_".into(); c.fields - 1]].concat();
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
}
