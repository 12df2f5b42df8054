//! Sends, receives and polls.

use super::{Channel, Type, Writer};

impl Writer {
    /// A channel, with an index where it is an array.
    pub(super) fn element(&mut self, c: &Channel) -> String {
        if c.len == 0 { c.name.clone() } else { format!("{}[{}]", c.name, self.index(c.len)) }
    }

    pub(super) fn some_channel(&mut self) -> String {
        let c = self.r.pick(&self.channels).clone();
        self.element(&c)
    }

    /// A channel with the messages of the first one, by its own name or as a variable holds it.
    pub(super) fn some_handle(&mut self) -> String {
        if self.wild(50) || self.r.chance(40) {
            // A variable may hold a channel that died, or none.
            let (text, ty) = self.place_where(|t| t == Type::Chan);
            if ty == Type::Chan {
                return text;
            }
        }
        let first = self.channels[0].clone();
        self.element(&first)
    }

    /// A channel to send to or receive from, and what its messages are.
    fn chosen(&mut self, buffered: bool) -> Option<(String, Channel)> {
        let fit: Vec<Channel> = self.channels.iter().filter(|c| !buffered || c.capacity > 0).cloned().collect();
        if fit.is_empty() {
            return None;
        }
        let c = self.r.pick(&fit).clone();
        let first = c.name == self.channels[0].name;
        let name = if first && self.r.chance(25) { self.some_handle() } else { self.element(&c) };
        Some((name, c))
    }

    /// The values of a message.
    fn values(&mut self, c: &Channel) -> Vec<String> {
        c.fields.clone().into_iter().map(|ty| self.sent(ty)).collect()
    }

    fn sent(&mut self, ty: Type) -> String {
        let text = match ty {
            Type::Record(i) => return self.record_of(i).unwrap_or_else(|| "0".into()),
            Type::Chan => return self.some_handle(),
            _ if self.r.chance(30) => self.r.below(3).to_string(),
            _ => self.value_for(ty),
        };
        // Parentheses in front would read as another form of send.
        if text.starts_with('(') { format!("0 + {text}") } else { text }
    }

    pub(super) fn send(&mut self, buffered: bool) -> Option<String> {
        let (name, c) = self.chosen(buffered)?;
        let values = self.values(&c);
        let op = if self.r.chance(15) { "!!" } else { "!" };
        if values.len() > 1 && self.r.chance(20) && !values[0].contains(['(', ' ']) {
            return Some(format!("{name}{op}{}({})", values[0], values[1..].join(",")));
        }
        Some(format!("{name}{op}{}", values.join(",")))
    }

    /// What stands for a field in a receive; `taken` are the variables that the receive fills already.
    fn pattern(&mut self, ty: Type, taken: &mut Vec<String>, polls: bool) -> String {
        match ty {
            Type::Record(i) => {
                // A whole record, or all of its fields left alone.
                let place = self.record_of(i).filter(|_| !polls);
                let clashes = |p: &String| taken.iter().any(|t| base(t) == base(p));
                let place = place.filter(|p| !(self.comparable && clashes(p))).unwrap_or_else(|| "_".into());
                if self.comparable {
                    taken.push(place.clone());
                }
                return place;
            }
            Type::Chan if self.r.chance(70) && !polls => {
                if let Some(place) = self.place_of(Type::Chan) {
                    return place;
                }
                return "_".into();
            }
            Type::Chan => return "_".into(),
            _ => {}
        }
        match self.r.below(10) {
            0 | 1 => match ty {
                Type::Mtype => self.one(&["red", "green"]),
                Type::Fruit => "apple".into(),
                _ => self.r.below(3).to_string(),
            },
            2 => "_".into(),
            3 | 4 => format!("eval({})", self.watched(ty, taken)),
            5 if self.features.priority && ty.is_number() && !polls => "_priority".into(),
            _ if polls => self.r.below(3).to_string(),
            _ => {
                let narrow = !self.comparable && self.r.chance(30);
                let (place, found) =
                    self.place_where(|t| t == ty || ty.is_number() && (t.is_wide() || narrow && t.is_number()));
                let fits = found == ty || ty.is_number() && found.is_number();
                // SPIN puts back what the variables hold, so that what is filled must not be looked at elsewhere.
                let twice = taken.iter().any(|t| base(t) == base(&place)) || self.comparable && place.contains('[');
                if !fits || twice || self.comparable && found != ty && ty.is_wide() && found != Type::Int {
                    return "_".into();
                }
                taken.push(place.clone());
                place
            }
        }
    }

    /// What `eval` looks at.
    fn watched(&mut self, ty: Type, taken: &[String]) -> String {
        if self.comparable && !taken.is_empty() {
            return "_pid".into();
        }
        match ty {
            Type::Mtype | Type::Fruit => self.value_for(ty),
            _ if self.r.chance(20) => "_pid".into(),
            _ => self.value(1),
        }
    }

    fn patterns(&mut self, c: &Channel, polls: bool) -> Vec<String> {
        let mut taken = Vec::new();
        let list: Vec<String> = c.fields.clone().into_iter().map(|ty| self.pattern(ty, &mut taken, polls)).collect();
        if self.comparable && !taken.is_empty() {
            return list.into_iter().map(|p| if p.starts_with("eval(") { "_".into() } else { p }).collect();
        }
        list
    }

    pub(super) fn receive(&mut self, buffered: bool) -> Option<String> {
        let (name, c) = self.chosen(buffered)?;
        let list = self.patterns(&c, false);
        // A receive that changes the index of its own channel goes wrong in SPIN.
        if self.comparable && name.contains(['g', 'x']) && name.contains('[') {
            return None;
        }
        let op = if self.r.chance(20) { "??" } else { "?" };
        if c.capacity > 0 && self.r.chance(15) {
            return Some(format!("{name}{op}<{}>", list.join(",")));
        }
        if list.len() > 1 && self.r.chance(10) && !list[0].contains('(') {
            return Some(format!("{name}{op}{}({})", list[0], list[1..].join(",")));
        }
        Some(format!("{name}{op}{}", list.join(",")))
    }

    pub(super) fn poll(&mut self) -> Option<String> {
        let (name, c) = self.chosen(true)?;
        if c.fields.iter().any(|t| matches!(t, Type::Record(_))) {
            return None;
        }
        let list = self.patterns(&c, true);
        Some(format!("{name}{}[{}]", self.one(&["?", "??"]), list.join(",")))
    }
}

/// The variable that a place belongs to.
fn base(place: &str) -> &str {
    place.split(['[', '.']).next().unwrap_or(place)
}
