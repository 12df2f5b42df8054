//! SPIN's trails: lines of `step:process:statement`.
//!
//! Lines with negative steps speak of the run: `-2:n:-2` says that the n-th process type runs as the claim and is process 0, so
//! that all others are one higher; `-4:-4:-4` that statements are merged; `-1:-1:-1` that a cycle begins; `-5` to `-8` that the
//! search was permuted.

/// A line of a trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// A process executes a statement.
    Step(Step),
    /// The claim is this process type.
    Claim(i64),
    /// Statements are merged.
    Merged,
    /// A cycle begins.
    Cycle,
    /// The search was permuted: such a trail is followed by the verifier only.
    Permuted,
}

/// A process executes a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its number.
    pub depth: i64,
    /// The process, as the trail counts.
    pub process: i64,
    /// The number of the statement.
    pub number: i64,
}

/// Reads a trail, up to the first line that is none.
pub fn read(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut parts = line.trim().split(':').map(|n| n.trim().parse::<i64>().ok());
        let (Some(Some(depth)), Some(Some(process)), Some(Some(number))) = (parts.next(), parts.next(), parts.next())
        else {
            break;
        };
        lines.push(match depth {
            -1 => Line::Cycle,
            -2 => Line::Claim(process),
            -4 => Line::Merged,
            -8..=-5 => Line::Permuted,
            _ => Line::Step(Step { depth, process, number }),
        });
    }
    lines
}

/// Writes a trail.
pub fn write(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        match line {
            Line::Step(s) => out += &format!("{}:{}:{}\n", s.depth, s.process, s.number),
            Line::Claim(n) => out += &format!("-2:{n}:-2\n"),
            Line::Merged => out += "-4:-4:-4\n",
            Line::Cycle => out += "-1:-1:-1\n",
            Line::Permuted => out += "-5:0:0\n",
        }
    }
    out
}

/// Names under which the trail of a model is looked for, in this order. `number` is 0 for a trail without one.
pub fn names(model: &str, number: i64) -> Vec<String> {
    let digits = if number == 0 { String::new() } else { number.to_string() };
    let mut names = Vec::new();
    let mut both = |stem: &str| {
        names.push(format!("{stem}{digits}.trail"));
        names.push(format!("{stem}{digits}.tra"));
    };
    both(model);
    if let Some(dot) = model.find('.').filter(|dot| *dot > 0) {
        both(&model[..dot]);
    }
    // The verifier leaves the folder of the model out of the name.
    if let Some((_, base)) = model.rsplit_once('/') {
        names.push(format!("{base}{digits}.trail"));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written() {
        let text = "-2:2:-2\n-4:-4:-4\n1:0:25\n-1:-1:-1\n2:1:0\n";
        let lines = read(text);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[2], Line::Step(Step { depth: 1, process: 0, number: 25 }));
        assert_eq!(write(&lines), text);
        assert_eq!(read("1:2:3\nnonsense\n4:5:6\n").len(), 1);
        assert_eq!(read("99999999999999999999999:1:1"), []);
    }

    #[test]
    fn trails_are_looked_for_in_both_folders() {
        assert_eq!(names("m.pml", 2), ["m.pml2.trail", "m.pml2.tra", "m2.trail", "m2.tra"]);
        assert_eq!(names("sub/q", 0), ["sub/q.trail", "sub/q.tra", "q.trail"]);
    }
}
