//! What a message sequence chart shows, apart from how it is drawn.
//!
//! One lane for each process that ever lives, one row for each event. A buffered message is sent in one row and received
//! in a later one; the two are matched by channel and contents, oldest first, which is what a channel does whether it is
//! read in order, at random or sorted. Processes that share variables instead of messages get a row for each step that reads or writes
//! one.

use crate::trail::{Act, Actor, Event, Message, Step, Trail};

/// A chart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chart {
    /// The lanes, from left to right.
    pub lanes: Vec<Lane>,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
    /// The row with which the part begins that repeats for ever; the number of rows when nothing is seen of it.
    pub cycle: Option<usize>,
    /// Below the rows: how the run ends.
    pub ending: Option<String>,
}

/// What stands where the part begins that repeats for ever.
pub(crate) const REPEATS: &str = "from here on it repeats for ever";

/// A process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Such as `P[1]`.
    pub title: String,
    /// The row in which it starts; `None` when it is there from the beginning.
    pub start: Option<usize>,
    /// The row in which it ends.
    pub end: Option<usize>,
}

/// Something that happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Number of the step, from 1.
    pub step: usize,
    /// In which lane.
    pub lane: usize,
    /// What.
    pub mark: Mark,
}

/// What happens in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A message goes from hand to hand.
    Handshake {
        /// The lane of the receiver.
        to: usize,
        /// Channel and fields.
        label: String,
    },
    /// A message goes into a channel.
    Send {
        /// Number of the message, from 1.
        message: usize,
        /// Channel and fields.
        label: String,
        /// The row in which it is received.
        received: Option<usize>,
    },
    /// A message comes out of a channel.
    Receive {
        /// Number of the message; 0 when it is not known who sent it.
        message: usize,
        /// Channel and fields.
        label: String,
        /// The row in which it was sent.
        sent: Option<usize>,
    },
    /// A line of `printf`.
    Print(String),
    /// What a process reads or writes.
    Act(String),
    /// A process starts another one, which is this lane.
    Start(usize),
    /// The process ends.
    End,
}

struct Builder {
    chart: Chart,
    /// The lane of each living process, by number.
    living: Vec<(u8, usize)>,
    /// Messages that were sent and not yet received: channel, contents, row, number.
    under_way: Vec<(String, String, usize, usize)>,
    messages: usize,
}

impl Chart {
    /// The chart of a run.
    pub fn new(trail: &Trail) -> Self {
        let mut b = Builder { chart: Chart::default(), living: Vec::new(), under_way: Vec::new(), messages: 0 };
        for actor in &trail.start {
            b.enter(actor, None);
        }
        let talks = |e: &Event| matches!(e, Event::Sent(_) | Event::Received(_) | Event::Handshake { .. });
        let speaks = trail.steps.iter().any(|s| s.events.iter().any(talks));
        for (i, step) in trail.steps.iter().enumerate() {
            if trail.loop_start == Some(i) {
                b.chart.cycle = Some(b.chart.rows.len());
            }
            let mover = step.act.as_ref().and_then(|a| a.process.as_ref());
            let rows = b.chart.rows.len();
            for event in &step.events {
                b.event(i + 1, mover, event);
            }
            if let (true, Some(actor), Some(label)) = (b.chart.rows.len() == rows, mover, act(step, speaks)) {
                let lane = b.lane(actor);
                b.push(i + 1, lane, Mark::Act(label));
            }
        }
        if trail.loop_start == Some(trail.steps.len()) {
            b.chart.cycle = Some(b.chart.rows.len());
        }
        b.chart.ending = trail.violation.as_ref().map(|v| v.message.clone());
        b.chart
    }
}

/// What a step does to shared variables: the values it gives them, else, where no messages are sent at all, its statement, which can
/// only wait for them.
fn act(step: &Step, speaks: bool) -> Option<String> {
    let shared = step.changes.iter().filter(|c| c.process.is_none());
    let written: Vec<String> = shared.map(|c| format!("{} = {}", c.name, c.after)).collect();
    let Act { statement, .. } = step.act.as_ref()?;
    let is_idle =
        |text: &str| matches!(text, "true" | "skip" | "1" | "else" | "fi" | "od") || text.starts_with("goto ");
    match written.as_slice() {
        [] if speaks || !step.changes.is_empty() || is_idle(statement) => None,
        [] => Some(statement.clone()),
        some => Some(some.join(", ")),
    }
}

impl Builder {
    fn enter(&mut self, actor: &Actor, row: Option<usize>) -> usize {
        let lane = self.chart.lanes.len();
        self.chart.lanes.push(Lane { title: actor.to_string(), start: row, end: None });
        self.living.retain(|(n, _)| *n != actor.number);
        self.living.push((actor.number, lane));
        lane
    }

    fn lane(&mut self, actor: &Actor) -> usize {
        match self.living.iter().find(|(n, _)| *n == actor.number) {
            Some(&(_, lane)) => lane,
            None => self.enter(actor, None),
        }
    }

    fn push(&mut self, step: usize, lane: usize, mark: Mark) {
        self.chart.rows.push(Row { step, lane, mark });
    }

    fn event(&mut self, step: usize, mover: Option<&Actor>, event: &Event) {
        let row = self.chart.rows.len();
        match event {
            Event::Printed { process, text } | Event::Acted { process, text } => {
                let lane = self.lane(process);
                for line in text.lines().filter(|l| !l.trim().is_empty()) {
                    self.push(step, lane, Mark::Print(line.trim().to_string()));
                }
            }
            Event::Sent(Message { process, channel, message }) => {
                let lane = self.lane(process);
                self.messages += 1;
                let label = format!("{channel}!{message}");
                self.under_way.push((channel.clone(), message.clone(), row, self.messages));
                self.push(step, lane, Mark::Send { message: self.messages, label, received: None });
            }
            Event::Received(Message { process, channel, message }) => {
                let lane = self.lane(process);
                let found = self.under_way.iter().position(|(c, m, ..)| c == channel && m == message);
                let origin = found.map(|i| self.under_way.remove(i));
                if let Some((_, _, sent, _)) = &origin
                    && let Mark::Send { received, .. } = &mut self.chart.rows[*sent].mark
                {
                    *received = Some(row);
                }
                let number = origin.as_ref().map_or(0, |o| o.3);
                let label = format!("{channel}?{message}");
                self.push(step, lane, Mark::Receive { message: number, label, sent: origin.map(|o| o.2) });
            }
            Event::Handshake { sender, receiver, channel, message } => {
                let (from, to) = (self.lane(sender), self.lane(receiver));
                self.push(step, from, Mark::Handshake { to, label: format!("{channel}!{message}") });
            }
            Event::Started { process } => {
                let parent = mover.map(|m| self.lane(m));
                let lane = self.enter(process, Some(row));
                self.push(step, parent.unwrap_or(lane), Mark::Start(lane));
            }
            Event::Ended { process } => {
                let lane = self.lane(process);
                self.chart.lanes[lane].end = Some(row);
                self.push(step, lane, Mark::End);
            }
            Event::Cut { .. } | Event::Becomes { .. } => {}
        }
    }
}
