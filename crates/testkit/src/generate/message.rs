//! Sends and receives.

use super::{Channel, Generator};

impl Generator {
    pub(super) fn buffered(&self) -> Option<Channel> {
        self.channels.iter().find(|c| c.capacity > 0).cloned()
    }

    /// A rendezvous channel.
    pub(super) fn handshake(&self) -> Option<Channel> {
        self.channels.iter().find(|c| c.capacity == 0).cloned()
    }

    /// A channel, with an index where it is an array.
    pub(super) fn named(&mut self, c: &Channel) -> String {
        if !c.array {
            return c.name.clone();
        }
        let index = match self.r.below(3) {
            0 => "_pid & 1".into(),
            _ => self.r.below(2).to_string(),
        };
        format!("{}[{index}]", c.name)
    }

    pub(super) fn some_channel(&mut self) -> String {
        let c = self.channels[self.r.below(self.channels.len())].clone();
        self.named(&c)
    }

    /// A global channel, which outlives all processes.
    pub(super) fn plain_channel(&mut self) -> String {
        let c = self.channels[0].clone();
        self.named(&c)
    }

    pub(super) fn send(&mut self) -> String {
        let c = self.channels[self.r.below(self.channels.len())].clone();
        self.send_to(&c)
    }

    pub(super) fn send_to_buffered(&mut self) -> String {
        let c = self.buffered().expect("there is one");
        self.send_to(&c)
    }

    pub(super) fn send_to(&mut self, c: &Channel) -> String {
        let name = self.named(c);
        let values: Vec<String> = (0..c.fields).map(|_| self.plain_value()).collect();
        let op = if self.r.chance(15) { "!!" } else { "!" };
        if c.fields > 1 && self.r.chance(20) {
            return format!("{name}{op}{}({})", values[0], values[1..].join(","));
        }
        format!("{name}{op}{}", values.join(","))
    }

    /// A value without parentheses in front, which would read as another form of send.
    pub(super) fn plain_value(&mut self) -> String {
        if self.r.chance(60) { self.r.below(3).to_string() } else { self.variable() }
    }

    pub(super) fn receive(&mut self) -> String {
        let c = self.channels[self.r.below(self.channels.len())].clone();
        self.receive_from(&c)
    }

    pub(super) fn receive_from_buffered(&mut self) -> String {
        let c = self.buffered().expect("there is one");
        self.receive_from(&c)
    }

    pub(super) fn receive_from(&mut self, c: &Channel) -> String {
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
