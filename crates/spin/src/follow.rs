//! `spin -t`: a run along a trail.
//!
//! Trails of SPIN's verifier hold one line for several statements where these were merged, and lines of a claim. Lines of a claim
//! are skipped, unless it is a `never` of the model. Behind a line, and in front of one that does not fit, the statements of the
//! same process are taken that leave no choice: those are the merged ones.

use crate::command::{Command, Trail};
use crate::elements::{Body, Element, Kind};
use crate::engine::Engine;
use crate::inner::{self, Inner};
use crate::reading::Model;
use crate::replay::{self, Stand, Verifier};
use crate::show::{Names, Screen, Side};
use crate::steps;
use crate::trail::{self, Line, Step};
use crate::world::World;
use ferrospin::run::{self, Run, Runnable};
use ferrospin_interp::failure_kind;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, EdgeId};
use ferrospin_promela::names::BodyKind;
use ferrospin_system::{Failure, Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::trail::Event;

/// Statements of one process that may be taken between two lines of a trail.
const MERGED_MAX: usize = 1 << 12;

/// A run under way.
struct Follower<'a> {
    model: &'a Model,
    runnable: &'a Runnable,
    /// The same with each `d_step` taken apart.
    unfolded: &'a Runnable,
    run: Run<'a>,
    screen: Screen<'a>,
    /// Where the claim stands.
    claim: Option<(&'a Body, usize)>,
    last_claim_line: Option<u32>,
    failed: bool,
    /// Set where the verifier shows the trail.
    verifier: Option<Verifier<'a>>,
}

/// Follows the trail that a command names; gives the exit code.
pub fn follow(command: &Command, model: &Model, world: &mut dyn World) -> u8 {
    let name = &model.front.name;
    let candidates = match &command.trail {
        Some(Trail::File(file)) => {
            let mut names = vec![file.clone()];
            names.push(file.strip_suffix("il").map_or_else(|| file.clone(), str::to_string));
            names
        }
        Some(Trail::Number(n)) => trail::names(name, *n),
        None => trail::names(name, 0),
    };
    let Some((found, bytes)) = candidates.iter().find_map(|c| world.read(c).map(|b| (c.clone(), b))) else {
        world.out(&model.formulas_told());
        world.out("spin: cannot find trail file\n");
        return 1;
    };
    if !command.view.xspin && world.is_newer(name, &found) {
        world.out(&format!("spin: warning, \"{name}\" is newer than {found}\n"));
    }
    let lines = trail::read(&String::from_utf8_lossy(&bytes));
    let runnable = match run::prepare(&model.front) {
        Ok(runnable) => runnable,
        Err(why) => {
            world.out(&steps::error(name, 1, &why.to_string()));
            return 1;
        }
    };
    let run = match Run::start(&model.front, &runnable) {
        Ok(run) => run,
        Err(failure) => {
            world.out(&steps::error(name, 1, &failure_kind(failure.code).to_string()));
            return 1;
        }
    };
    let screen = Screen::new(&command.view, &model.elements, true).with_labels(model.labels_of_formulas());
    let unfolded = inner::unfolded(&runnable);
    let mut f = Follower {
        model,
        runnable: &runnable,
        unfolded: &unfolded,
        run,
        screen,
        claim: None,
        last_claim_line: None,
        failed: false,
        verifier: None,
    };
    for p in f.run.describe().processes() {
        f.screen.starts(&f.run, p.number, None, 0, world);
    }
    world.out(&model.formulas_told());
    let code = f.lines(&lines, command, world);
    if command.view.xspin {
        world.out("Exit-Status 0\n");
    }
    code
}

impl<'a> Follower<'a> {
    fn lines(&mut self, lines: &[Line], command: &Command, world: &mut dyn World) -> u8 {
        let (mut depth, mut at, mut merged) = (0, 0, false);
        while let Some(line) = lines.get(at) {
            at += 1;
            match line {
                Line::Claim(n) => self.start_claim(*n, world),
                Line::Merged => merged = true,
                Line::Cycle => {
                    depth = -1;
                    self.cycle(world);
                }
                Line::Permuted => {
                    world.out("spin: used search permutation, replay with ./pan -r\n");
                    return 0;
                }
                Line::Step(step) => {
                    depth = step.depth;
                    if command.steps_max > 0 && depth >= command.steps_max {
                        world.out(&format!("-------------\ndepth-limit (-u{} steps) reached\n", command.steps_max));
                        break;
                    }
                    let next = lines[at..].iter().find_map(|l| match l {
                        Line::Step(s) => Some(s),
                        _ => None,
                    });
                    match self.line(step, next, merged, world) {
                        Taken::One => {}
                        // The line behind it was the other half of a handshake.
                        Taken::Two => {
                            depth = next.map_or(depth, |n| n.depth);
                            at += lines[at..].iter().position(|l| matches!(l, Line::Step(_))).map_or(0, |i| i + 1);
                        }
                        Taken::Lost => {
                            self.ending(depth, world);
                            return 0;
                        }
                    }
                    // For an interface the run ends where an assertion fails.
                    if self.failed && command.view.xspin {
                        self.ending(depth, world);
                        return 0;
                    }
                }
            }
        }
        if self.verifier.is_none() {
            world.out(&format!("spin: trail ends after {depth} steps\n"));
        }
        self.ending(depth, world);
        0
    }

    fn ending(&mut self, depth: i64, world: &mut dyn World) {
        let claim = self.claim.map(|(body, e)| (body, &body.elements[e]));
        if let Some(verifier) = &self.verifier {
            verifier.ending(&self.run, claim, &self.screen, depth, world);
            return;
        }
        self.screen.ending(&self.run, claim, depth, world);
    }

    /// SPIN writes this under the process that the marker names, which is -1.
    fn cycle(&self, world: &mut dyn World) {
        world.out(if self.screen.view.flush_left { "" } else { "  " });
        world.out("<<<<<START OF CYCLE>>>>>\n");
    }

    fn start_claim(&mut self, number: i64, world: &mut dyn World) {
        let v = self.screen.view;
        if v.globals || v.locals || v.statements || v.receives || v.sends || v.verbose || v.very_verbose {
            world.out(&format!("starting claim {number}\n"));
        }
        self.screen.shift = 1;
        let body = usize::try_from(number).ok().and_then(|n| self.model.elements.bodies.get(n));
        self.claim = body.filter(|b| b.kind == BodyKind::Never).map(|b| (b, b.entry()));
    }

    /// A line of the trail.
    fn line(&mut self, step: &Step, next: Option<&Step>, merged: bool, world: &mut dyn World) -> Taken {
        if self.screen.shift == 1 && step.process == 0 {
            self.claim_moves(step, world);
            return Taken::One;
        }
        let Some((body, element)) = self.model.elements.of_number(step.number.clamp(0, i64::from(u32::MAX)) as u32)
        else {
            let process = step.process - self.screen.shift;
            world.out(&format!("{:3}: proc {process}, no matching stmnt {}\n", step.depth, step.number));
            return Taken::Lost;
        };
        let Ok(process) = usize::try_from(step.process - self.screen.shift) else { return Taken::One };
        if process >= self.run.describe().processes().len() {
            if element.kind != Kind::Stop {
                world.out(&format!("{:3}:\tproc  {} (?) ", step.depth, step.process));
                return Taken::Lost;
            }
            return Taken::One;
        }
        let stand = self.stand(process, step.process);
        let mut tries = 0;
        let found = loop {
            if let Some(found) = self.fitting(process, step, next) {
                break Some(found);
            }
            tries += 1;
            match self.forced(process).filter(|_| tries < MERGED_MAX) {
                Some(mv) => self.pass(&mv, step.depth, world),
                None => break None,
            }
        };
        let Some((mv, both)) = found else {
            world.out(&format!("{:3}: error: invalid statement\n", step.depth));
            return Taken::One;
        };
        if element.kind == Kind::Stop {
            if self.screen.view.statements {
                world.out(&format!("{:3}: proc {process} terminates\n", step.depth));
            }
            self.run.take(&mv, None);
            self.tell(stand, element, step.depth, world);
            return Taken::One;
        }
        if both {
            let depths = (step.depth, next.map_or(step.depth, |n| n.depth));
            let partner = next.and_then(|n| self.stand(usize::from(mv.partner), n.process));
            self.handshake(&mv, depths, world);
            self.tell(stand, element, depths.0, world);
            let own = self.side(mv.partner, mv.partner_edge);
            if merged && let Some(own) = &own {
                self.merged(usize::from(mv.partner), own.body, own.element, depths.1, world);
            }
            if let Some(own) = own {
                self.tell(partner, own.element, depths.1, world);
            }
            return Taken::Two;
        }
        self.take(&mv, step.depth, world);
        if merged {
            self.merged(process, body, element, step.depth, world);
        }
        self.tell(stand, element, step.depth, world);
        Taken::One
    }

    /// Where a process stands, if the verifier shows the trail; `number` is its number there.
    fn stand(&self, process: usize, number: i64) -> Option<Stand<'a>> {
        self.verifier.as_ref()?;
        let described = self.run.describe();
        let p = described.processes().into_iter().find(|p| p.number == process)?;
        let ty = self.runnable.model.location(p.location).process;
        let body = &self.model.elements.bodies[ty.index()];
        let at = body.of_lowered(self.runnable.numbers().locations[p.location.index()])?;
        Some(Stand { process: number, body, at })
    }

    /// The line of a step, if the verifier shows the trail and nothing has failed.
    fn tell(&self, stand: Option<Stand<'a>>, element: &Element, depth: i64, world: &mut dyn World) {
        if let (Some(verifier), Some(stand)) = (&self.verifier, stand)
            && !verifier.failed
        {
            verifier.step(&stand, element, depth, &self.run, world);
        }
    }

    /// The move of a process that executes a statement; with a partner, the one that the next line names.
    fn fitting(&mut self, process: usize, step: &Step, next: Option<&Step>) -> Option<(Move, bool)> {
        let numbers = &self.runnable.numbers().edges;
        let number = |edge: u32| {
            (edge != NO_EDGE)
                .then(|| self.model.elements.of_edge(*numbers.get(edge as usize)?))
                .flatten()
                .map(|e| e.1.number)
        };
        let moves = self.run.moves().list;
        let fits =
            |mv: &&Move| usize::from(mv.process) == process && number(mv.edge).map(i64::from) == Some(step.number);
        let list: Vec<Move> = moves.iter().filter(fits).copied().collect();
        let partner = |mv: &&Move| {
            next.is_some_and(|n| {
                i64::from(mv.partner) + self.screen.shift == n.process
                    && number(mv.partner_edge).map(i64::from) == Some(n.number)
            })
        };
        if let Some(mv) = list.iter().filter(|m| m.partner != NO_PROCESS).find(partner) {
            return Some((*mv, true));
        }
        list.first().map(|mv| (*mv, mv.partner != NO_PROCESS))
    }

    /// The only move of a process, if it has just one and needs no other for it.
    fn forced(&mut self, process: usize) -> Option<Move> {
        let moves = self.run.moves().list;
        let mut own = moves.iter().filter(|m| usize::from(m.process) == process && m.edge != NO_EDGE);
        let mv = own.next().copied()?;
        let is_end = matches!(self.runnable.model.edge(EdgeId(mv.edge)).action, Action::End);
        (own.next().is_none() && mv.partner == NO_PROCESS && !is_end).then_some(mv)
    }

    /// Statements that the verifier has executed with the one before.
    fn merged(&mut self, process: usize, body: &Body, element: &Element, depth: i64, world: &mut dyn World) {
        let Some(until) = body.merged_until(element) else { return };
        for _ in 0..MERGED_MAX {
            if self.state_of(process) == Some(until) {
                return;
            }
            let Some(mv) = self.forced(process) else { return };
            self.pass(&mv, depth, world);
        }
    }

    /// Takes a move that the trail does not name. Joints and jumps are not shown then.
    fn pass(&mut self, mv: &Move, depth: i64, world: &mut dyn World) {
        let side = self.side(mv.process, mv.edge);
        if side.is_some_and(|s| matches!(s.element.kind, Kind::Joint | Kind::Break | Kind::Goto(_))) {
            self.run.take(mv, None);
        } else {
            self.take(mv, depth, world);
        }
    }

    /// The state a process is in.
    fn state_of(&self, process: usize) -> Option<u32> {
        let described = self.run.describe();
        let p = described.processes().into_iter().find(|p| p.number == process)?;
        let location = self.runnable.numbers().locations[p.location.index()];
        let ty = self.runnable.model.location(p.location).process;
        self.model.elements.bodies[ty.index()].of_lowered(location).map(|e| e.state)
    }

    fn side(&self, process: u8, edge: u32) -> Option<Side<'a>> {
        let number = *self.runnable.numbers().edges.get(edge as usize)?;
        let (body, element) = self.model.elements.of_edge(number)?;
        Some(Side { who: self.screen.who(&self.run, usize::from(process)), body, element })
    }

    /// Takes a move of one process and shows it.
    fn take(&mut self, mv: &Move, depth: i64, world: &mut dyn World) {
        let Some(side) = self.side(mv.process, mv.edge) else {
            self.run.take(mv, None);
            return;
        };
        if matches!(self.runnable.model.edge(EdgeId(mv.edge)).action, Action::DStep(_)) {
            self.take_d_step(mv, &side, depth, world);
            return;
        }
        let process = usize::from(mv.process);
        self.screen.touch(&self.run, &side.element.text, process);
        self.screen.poll(&self.run, &side, process, depth, world);
        let names = Names::of(&self.run);
        let live = self.run.describe().processes().len();
        let before = self.run.describe().values();
        let stood = self.stand(process, 0).map(|s| s.at.state as usize - 1);
        let (step, failure) = self.run.take(mv, None);
        self.screen.events(&step, &names, &side, live, depth, world);
        self.births(&step, Some(&side), depth, world);
        self.screen.places.remove(&process);
        if let Some(failure) = failure {
            let kind = failure_kind(failure.code);
            self.fail(&failure, &side, depth, world);
            let at = side.element.state as usize - 1;
            if let Some(stood) = stood {
                self.screen.places.insert(process, stood);
                return;
            }
            if self.failed && self.screen.view.xspin {
                self.screen.places.insert(process, at);
                return;
            }
            if let (FailureKind::Index { .. }, Some(behind)) = (&kind, side.body.behind(at)) {
                self.screen.places.insert(process, behind);
            }
        }
        self.screen.statement(&side, depth, &side.element.text, world);
        self.screen.note(&before, &self.run.describe().values(), &side, process, depth);
        self.screen.variables(&self.run, process, depth, world);
    }

    /// Takes a `d_step` and shows each of its statements.
    fn take_d_step(&mut self, mv: &Move, side: &Side<'a>, depth: i64, world: &mut dyn World) {
        let (process, body) = (usize::from(mv.process), side.body);
        let Ok(run) = Run::start(&self.model.front, self.unfolded) else { return };
        let mut inner = Inner::enter(run, self.run.now().clone(), mv);
        let first = match &side.element.kind {
            Kind::DStep(q) => body.sequences[*q].first,
            _ => None,
        };
        let mut names = Names::of(&inner.run);
        let mut before = inner.run.describe().values();
        let (mut at, mut is_first) = (None, true);
        while let Some(inside) = inner.step() {
            let Some(own) = self.side(mv.process, inside.edge) else { continue };
            self.screen.touch(&inner.run, &own.element.text, process);
            let live = inner.run.describe().processes().len();
            let (list, next) = inner::passed(body, at);
            self.joints(&list, &own, depth, world);
            self.screen.events(&inside.step, &names, &own, live, depth, world);
            if let Some(failure) = &inside.failure {
                self.fail(failure, &own, depth, world);
            }
            // A selection is told as such, not by the option that was taken.
            let (place, text) = match (is_first, next) {
                (true, _) => (side.element, first.map_or(&side.element.text, |f| &body.elements[f].text)),
                (false, Some(e)) => (&body.elements[e], &body.elements[e].text),
                (false, None) => (own.element, &own.element.text),
            };
            let told = Side { who: own.who.clone(), body, element: place };
            self.screen.statement(&told, depth, text, world);
            let after = inner.run.describe().values();
            self.screen.note(&before, &after, &own, process, depth);
            self.screen.variables(&inner.run, process, depth, world);
            (before, is_first) = (after, false);
            names = Names::of(&inner.run);
            at = own.element.next;
        }
        let (list, _) = inner::passed(body, at);
        self.joints(&list, side, depth, world);
        self.run.take(mv, None);
    }

    /// Joints that are passed inside a `d_step`.
    fn joints(&self, list: &[usize], of: &Side<'a>, depth: i64, world: &mut dyn World) {
        for e in list {
            let joint = Side { who: of.who.clone(), body: of.body, element: &of.body.elements[*e] };
            self.screen.statement(&joint, depth, &joint.element.text, world);
        }
    }

    /// Takes a handshake: two lines.
    fn handshake(&mut self, mv: &Move, (first, second): (i64, i64), world: &mut dyn World) {
        let (Some(sender), Some(receiver)) = (self.side(mv.process, mv.edge), self.side(mv.partner, mv.partner_edge))
        else {
            self.run.take(mv, None);
            return;
        };
        self.screen.touch(&self.run, &sender.element.text, usize::from(mv.process));
        self.screen.touch(&self.run, &receiver.element.text, usize::from(mv.partner));
        let names = Names::of(&self.run);
        let live = self.run.describe().processes().len();
        let before = self.run.describe().values();
        let between = self.run.now().clone();
        let (step, failure) = self.run.take(mv, None);
        let after = self.run.now().clone();
        let message = step.events.iter().find_map(|e| match e {
            Event::Handshake { channel, message, .. } => Some((channel.clone(), message.clone())),
            _ => None,
        });
        let tell = |screen: &mut Screen<'a>, side: &Side<'_>, verb: &str, depth: i64, world: &mut dyn World| {
            if let Some((channel, fields)) = &message {
                screen.message(side, verb, channel, fields, &names, live, depth, world);
            }
            screen.statement(side, depth, &side.element.text, world);
        };
        self.run.go_back(between);
        tell(&mut self.screen, &sender, "Sent", first, world);
        self.screen.variables(&self.run, usize::from(mv.process), first, world);
        self.run.go_back(after);
        if let Some(failure) = failure {
            self.fail(&failure, &sender, first, world);
        }
        tell(&mut self.screen, &receiver, "Recv", second, world);
        self.screen.note(&before, &self.run.describe().values(), &receiver, usize::from(mv.partner), second);
        self.screen.variables(&self.run, usize::from(mv.partner), second, world);
    }

    fn births(
        &mut self,
        step: &ferrospin_trace::trail::Step,
        by: Option<&Side<'_>>,
        depth: i64,
        world: &mut dyn World,
    ) {
        for event in &step.events {
            if let Event::Started { process } = event {
                let number = usize::from(process.number);
                self.screen.starts(&self.run, number, by.map(|s| &s.who), depth, world);
            }
        }
    }

    fn fail(&mut self, failure: &Failure, side: &Side<'_>, depth: i64, world: &mut dyn World) {
        let kind = failure_kind(failure.code);
        self.failed |= kind == FailureKind::Assertion;
        match &mut self.verifier {
            Some(verifier) => verifier.fail(failure, &self.run, depth, world),
            None => {
                let code = self.runnable.model.code.as_ref();
                let told = match (&kind, code) {
                    (FailureKind::Called(n), Some(code)) => {
                        steps::error(&side.element.file, side.element.line, &code.failure(*n))
                    }
                    _ => mistake(&kind, side),
                };
                world.out(&told);
            }
        }
    }

    /// A line of the claim: what a formula's claim did is known to SPIN only.
    fn claim_moves(&mut self, step: &Step, world: &mut dyn World) {
        let Some((body, at)) = self.claim else { return };
        let found = self.model.elements.of_number(step.number.clamp(0, i64::from(u32::MAX)) as u32);
        let Some((_, element)) = found.filter(|(b, _)| std::ptr::eq(*b, body)) else { return };
        let index = element.state as usize - 1;
        let stand = Stand { process: 0, body, at: &body.elements[at] };
        let line = stand.at.line;
        if self.verifier.is_some() && self.last_claim_line != Some(line) {
            world.out(&format!("MSC: ~G {line}\n"));
            self.last_claim_line = Some(line);
        }
        if let Some(behind) = body.behind(index) {
            self.claim = Some((body, behind));
        }
        if self.verifier.is_some() {
            self.tell(Some(stand), element, step.depth, world);
            return;
        }
        if self.last_claim_line != Some(element.line) {
            self.last_claim_line = Some(element.line);
            world.out(&format!("Never claim moves to line {}\t[{}]\n", element.line, element.text));
        }
    }
}

/// What SPIN says of a mistake in a run.
pub(crate) fn mistake(kind: &FailureKind, side: &Side<'_>) -> String {
    let (file, line, text) = (&side.element.file, side.element.line, &side.element.text);
    match kind {
        FailureKind::Assertion => {
            steps::error(file, line, "assertion violated") + &format!("spin: text of failed assertion: {text}\n")
        }
        FailureKind::Index { index, len } => {
            let head = text.split('[').next().unwrap_or_default();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name = &head[head.rfind(|c| !word(c)).map_or(0, |i| i + 1)..];
            let what = format!("indexing array '{name}'");
            format!("spin: indexing {name}[{index}] - size is {len}\n") + &steps::error(file, line, &what)
        }
        kind => steps::error(file, line, &kind.to_string()),
    }
}

enum Taken {
    One,
    Two,
    Lost,
}

/// `pan -r`: a trail, as the verifier shows it; gives the exit code.
pub(crate) fn replay(
    options: &crate::pan::Options,
    engine: &Engine<'_>,
    runnable: &Runnable,
    world: &mut dyn World,
) -> u8 {
    let model = engine.model;
    let bytes = match replay::trail_of(options, model, world) {
        Ok(bytes) => bytes,
        Err(why) => {
            world.out(&why);
            return 1;
        }
    };
    // Of all that a simulation shows, only what the model prints.
    let view = crate::command::View { flush_left: true, no_ending: true, ..Default::default() };
    let command = Command { view, ..Command::default() };
    let Ok(run) = Run::start(&model.front, runnable) else { return 1 };
    let screen = Screen::new(&command.view, &model.elements, true);
    let unfolded = &inner::unfolded(runnable);
    let mut f = Follower {
        model,
        runnable,
        unfolded,
        run,
        screen,
        claim: None,
        last_claim_line: None,
        failed: false,
        verifier: Some(Verifier::new(engine, options)),
    };
    let lines = trail::read(&String::from_utf8_lossy(&bytes));
    f.lines(&lines, &command, world)
}
