//! What must hold of a model before code is made of it.
//!
//! Generated code reads and writes memory without asking, apart from the index checks it contains. So everything it
//! takes for granted is checked here first: places lie inside their area whatever their indices are, channels lie
//! inside their area, numbers of locations, edges and process types exist. A lowered model always passes; one that
//! does not is refused, and the interpreter runs it. So is one in which claimed ends of channels are looked after.

use ferrospin_model::ir::{
    Action, Area, Call, Channel, EdgeId, Expr, Init, LocationId, Model, Pattern, Place, ProcessId, ProcessKind, Receive,
};

/// Largest area; offsets then fit the immediates of machine instructions.
const AREA_MAX: u64 = 1 << 30;

type Checked = Result<(), String>;

struct Check<'a> {
    model: &'a Model,
    /// Bytes of the frame of the process that evaluates; 0 for none.
    frame: u32,
}

/// Checks a model.
pub(crate) fn check(model: &Model) -> Checked {
    if model.uses.exclusive {
        return Err("generated code does not know who has claimed which end of a channel".into());
    }
    let mut c = Check { model, frame: 0 };
    let layout = &model.layout;
    if !matches!(layout.location_size, 1 | 2 | 4) {
        return Err(format!("locations take {} bytes", layout.location_size));
    }
    // No process stands at the location of propositions, which is the last one.
    let numbered = model.locations.len() as u64 - u64::from(model.propositions.is_some());
    if layout.location_size < 4 && numbered > 1 << (8 * layout.location_size) {
        return Err("locations do not fit their bytes".into());
    }
    for p in &model.processes {
        // Monitors and traces have no priority.
        let runs = matches!(p.kind, ProcessKind::Proctype | ProcessKind::Init);
        let header = layout.location_size + u32::from(model.uses.priority && runs);
        within(p.frame_size.max(header), u64::from(p.frame_size), "a frame")?;
        c.location(p.entry)?;
        channels(&p.channels, p.frame_size)?;
        c.frame = p.frame_size;
        p.params.iter().try_for_each(|place| c.place(place))?;
        c.init(&p.init, p.channels.len())?;
        p.provided.iter().try_for_each(|e| c.expr(e))?;
    }
    within(layout.fixed_size, AREA_MAX, "the fixed part")?;
    channels(&model.channels, layout.fixed_size)?;
    c.frame = 0;
    c.init(&model.init, model.channels.len())?;
    let fixed = u64::from(layout.fixed_size);
    layout.trace.map_or(Ok(()), |at| within(at + layout.location_size, fixed, "the trace"))?;
    layout.last.map_or(Ok(()), |at| within(at + 1, fixed, "_last"))?;
    if let Some((p, at)) = layout.claim {
        within(at + c.process(p)?, fixed, "the monitor")?;
    }
    model.start.iter().try_for_each(|p| c.process(*p).map(drop))?;
    for (i, l) in model.locations.iter().enumerate() {
        c.process(l.process)?;
        for e in &l.edges {
            c.edge(*e)?;
            if model.edge(*e).from.index() != i {
                return Err("an edge does not start where it is listed".into());
            }
        }
    }
    for e in &model.edges {
        c.location(e.from)?;
        let ends = e.to == LocationId::EXIT;
        if !ends {
            c.location(e.to)?;
            if model.location(e.to).process != model.location(e.from).process {
                return Err("an edge leads to another process type".into());
            }
        }
        let inside = model.location(e.from).inside_d_step;
        if let Action::DStep(entry) = &e.action {
            c.location(*entry)?;
            if model.location(*entry).process != model.location(e.from).process || !model.location(*entry).inside_d_step
            {
                return Err("a d_step of another process type".into());
            }
        }
        if ends && !inside && !matches!(e.action, Action::End) {
            return Err("an edge leads nowhere".into());
        }
        c.frame = c.process(model.location(e.from).process)?;
        c.action(&e.action, inside)?;
        for a in &e.then {
            if matches!(a, Action::End | Action::Else) {
                return Err("an end behind another action".into());
            }
            c.action(a, inside)?;
        }
    }
    Ok(())
}

fn within(end: u32, size: u64, what: &str) -> Checked {
    if u64::from(end) <= size.min(AREA_MAX) { Ok(()) } else { Err(format!("{what} is too long")) }
}

fn channels(list: &[Channel], size: u32) -> Checked {
    list.iter().try_for_each(|c| {
        let bytes = u64::from(c.capacity) * u64::from(c.message_size()) + u64::from(c.length_scalar().size());
        let end = if c.capacity == 0 { 0 } else { u64::from(c.offset) + bytes };
        if end <= u64::from(size) { Ok(()) } else { Err("a channel lies outside its area".into()) }
    })
}

impl Check<'_> {
    fn process(&self, id: ProcessId) -> Result<u32, String> {
        self.model.processes.get(id.index()).map(|p| p.frame_size).ok_or_else(|| "no such process type".into())
    }

    fn location(&self, id: LocationId) -> Checked {
        self.model.locations.get(id.index()).map(drop).ok_or_else(|| "no such location".into())
    }

    fn edge(&self, id: EdgeId) -> Checked {
        self.model.edges.get(id.index()).map(drop).ok_or_else(|| "no such edge".into())
    }

    fn init(&self, list: &[(Place, Init)], channels: usize) -> Checked {
        list.iter().try_for_each(|(place, init)| {
            self.place(place)?;
            match init {
                Init::Value(e) => self.expr(e),
                Init::Channel(n) if (*n as usize) < channels => Ok(()),
                Init::Channel(_) => Err("no such channel".into()),
            }
        })
    }

    fn place(&self, place: &Place) -> Checked {
        let size = match place.area {
            Area::Global => self.model.layout.fixed_size,
            Area::Local => self.frame,
        };
        self.place_in(place, size)
    }

    fn place_in(&self, place: &Place, size: u32) -> Checked {
        let mut end = u64::from(place.offset) + u64::from(place.scalar.size());
        for i in &place.indices {
            self.expr(&i.value)?;
            end = end.saturating_add(u64::from(i.len.saturating_sub(1)) * u64::from(i.stride));
        }
        if end <= u64::from(size) { Ok(()) } else { Err("a variable lies outside its area".into()) }
    }

    fn expr(&self, e: &Expr) -> Checked {
        match e {
            Expr::Load(place) => self.place(place),
            Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::Priority(a) => {
                self.expr(a)
            }
            Expr::Binary(_, a, b) => self.expr(a).and_then(|()| self.expr(b)),
            Expr::Cond(parts) => parts.iter().try_for_each(|e| self.expr(e)),
            Expr::Poll(r) => self.receive(r),
            Expr::Call(c) => self.call(c),
            Expr::AtLocation(p, pid, _) => {
                self.process(*p)?;
                pid.iter().try_for_each(|e| self.expr(e))
            }
            Expr::Remote(p, pid, place) => {
                pid.iter().try_for_each(|e| self.expr(e))?;
                if place.area == Area::Global {
                    return Err("a remote reference to a global".into());
                }
                self.place_in(place, self.process(*p)?)
            }
            Expr::Const(_)
            | Expr::Pid
            | Expr::Last
            | Expr::ProcessCount
            | Expr::ChannelCount
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Foreign => Ok(()),
        }
    }

    fn call(&self, c: &Call) -> Checked {
        c.args.iter().try_for_each(|e| self.expr(e))?;
        c.reads.iter().chain(&c.writes).try_for_each(|p| self.place(p))
    }

    fn receive(&self, r: &Receive) -> Checked {
        self.expr(&r.channel)?;
        r.fields.iter().try_for_each(|f| match f {
            Pattern::Match(e) => self.expr(e),
            Pattern::Bind(place) => self.place(place),
            Pattern::Any => Ok(()),
        })
    }

    fn action(&self, a: &Action, inside_d_step: bool) -> Checked {
        match a {
            Action::Guard(e) | Action::Assert(e) => self.expr(e),
            Action::Assign(place, e) => self.expr(e).and_then(|()| self.place(place)),
            Action::Send { channel, fields, .. } => {
                self.expr(channel)?;
                fields.iter().try_for_each(|e| self.expr(e))
            }
            Action::Receive(r) => self.receive(r),
            Action::Print { args, .. } => args.iter().try_for_each(|e| self.expr(e)),
            Action::Run { process, args, target, .. } => {
                self.process(*process)?;
                args.iter().try_for_each(|e| self.expr(e))?;
                target.iter().try_for_each(|place| self.place(place))
            }
            Action::SetPriority(a, b) => {
                if !self.model.uses.priority {
                    return Err("a priority is set in a model without priorities".into());
                }
                self.expr(a).and_then(|()| self.expr(b))
            }
            Action::End if inside_d_step => Err("an end inside a d_step".into()),
            Action::DStep(_) if inside_d_step => Err("a d_step inside a d_step".into()),
            Action::DStep(entry) => self.location(*entry),
            Action::Call(c) => self.call(c),
            Action::End | Action::Skip | Action::Else | Action::Foreign => Ok(()),
        }
    }
}
