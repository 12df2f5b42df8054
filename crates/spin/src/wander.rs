//! `spin` without `-a` or `-t`: one run at random, or by hand.
//!
//! Lines are SPIN's; which moves a seed chooses is not.

use crate::command::Command;
use crate::elements::Kind;
use crate::reading::Model;
use crate::show::{Names, Screen, Side};
use crate::steps;
use crate::world::World;
use ferrospin::run::{self, Moment, Run, Runnable};
use ferrospin_interp::failure_kind;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, EdgeId};
use ferrospin_system::{Control, Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::trail::Event;

/// A run under way.
struct Wanderer<'a> {
    model: &'a Model,
    runnable: &'a Runnable,
    run: Run<'a>,
    screen: Screen<'a>,
    random: Random,
}

/// The numbers of SPIN: Park and Miller, "Random number generators: good ones are hard to find" (1988).
struct Random(i64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = 16807 * (self.0 % 127_773) - 2836 * (self.0 / 127_773);
        if self.0 <= 0 {
            self.0 += 2_147_483_647;
        }
        self.0 as usize % n
    }
}

/// What came of asking for a choice.
enum Chosen {
    Move(Move),
    Quit,
    Nothing,
}

/// Runs the model once; gives the exit code.
pub fn wander(command: &Command, model: &Model, world: &mut dyn World) -> u8 {
    let name = &model.front.name;
    let runnable = match run::prepare(&model.front) {
        Ok(runnable) => runnable,
        Err(why) => {
            world.out(&steps::error(name, 1, &why));
            return 1;
        }
    };
    if runnable.model.uses.foreign {
        world.out("spin: warning: c_code fragments remain uninterpreted\n");
        world.out("      in random simulations with spin; use ./pan -r instead\n");
        return 1;
    }
    let run = match Run::start(&model.front, &runnable) {
        Ok(run) => run,
        Err(failure) => {
            world.out(&steps::error(name, 1, &failure_kind(failure.code).to_string()));
            return 1;
        }
    };
    let kinds = |kind| model.elements.bodies.iter().any(|b| b.kind == kind);
    let seed = command.seed.unwrap_or_else(|| world.now());
    let screen = Screen::new(&command.view, &model.elements, false);
    let mut w = Wanderer { model, runnable: &runnable, run, screen, random: Random(seed) };
    w.run.allow_input();
    for p in w.run.describe().processes() {
        w.screen.starts(&w.run, p.number, None, 0, world);
    }
    if kinds(ferrospin_promela::names::BodyKind::Never) {
        world.out("warning: never claim not used in random simulation\n");
    }
    if kinds(ferrospin_promela::names::BodyKind::Trace) || kinds(ferrospin_promela::names::BodyKind::NoTrace) {
        world.out("warning: trace assertion not used in random simulation\n");
    }
    let code = w.go(command, world);
    if command.view.tell_seed && w.run.now().depth > 0 {
        world.out(&format!("seed used: {seed}\n"));
    }
    code
}

impl<'a> Wanderer<'a> {
    fn go(&mut self, command: &Command, world: &mut dyn World) -> u8 {
        loop {
            let depth = self.run.now().depth as i64;
            if command.steps_max > 0 && depth >= command.steps_max {
                world.out(&format!("-------------\ndepth-limit (-u{} steps) reached\n", command.steps_max));
                break;
            }
            if world.hooks().interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
            let moves = self.run.moves();
            if moves.list.is_empty() {
                if !self.run.describe().processes().is_empty() {
                    let indent = if command.view.flush_left { String::new() } else { steps::indent(0) };
                    if self.screen.shows(depth) {
                        world.out(&format!("{indent}timeout\n"));
                    }
                }
                break;
            }
            let mv = if command.interactive && depth + 1 >= command.view.skip {
                match self.ask(&moves.list, world) {
                    Chosen::Move(mv) => mv,
                    Chosen::Quit => return 0,
                    Chosen::Nothing => {
                        world.out("no executable choices\n");
                        return 0;
                    }
                }
            } else {
                self.pick(&moves.list)
            };
            if mv.timeout {
                let indent = if command.view.flush_left { String::new() } else { steps::indent(0) };
                world.out(&format!("{indent}timeout\n"));
            }
            if self.take(&mv, world) {
                self.ending(world);
                return 1;
            }
        }
        self.ending(world);
        0
    }

    fn ending(&self, world: &mut dyn World) {
        self.screen.ending(&self.run, None, self.run.now().depth as i64, world);
    }

    /// Chooses a process, then one of its moves.
    fn pick(&mut self, moves: &[Move]) -> Move {
        let mut processes: Vec<u8> = moves.iter().map(|m| m.process).collect();
        processes.dedup();
        let process = processes[self.random.below(processes.len())];
        let own: Vec<&Move> = moves.iter().filter(|m| m.process == process).collect();
        *own[self.random.below(own.len())]
    }

    /// Lets the user choose. A process that has control is not asked about.
    fn ask(&mut self, moves: &[Move], world: &mut dyn World) -> Chosen {
        if moves.is_empty() {
            return Chosen::Nothing;
        }
        if let (Control::Exclusive(_), [only]) = (self.run.now().control, moves) {
            return Chosen::Move(*only);
        }
        loop {
            world.out("Select a statement\n");
            let mut lines = Vec::new();
            for mv in moves {
                let Some(side) = self.side(mv.process, mv.edge) else {
                    lines.push(format!("proc {:2} ends", mv.process));
                    continue;
                };
                let at = self.standing(mv.process).unwrap_or_else(|| steps::place(side.body, side.element, true));
                lines.push(format!("{}{at} [{}]", side.who, side.element.text));
            }
            for (i, line) in lines.iter().enumerate() {
                world.out(&format!("\tchoice {}: {line}\n", i + 1));
            }
            world.out(&format!("Select [1-{}]: ", moves.len()));
            if let [only] = moves {
                world.out("1\n");
                return Chosen::Move(*only);
            }
            let Some(line) = world.line() else {
                world.out("\tno input\n");
                return Chosen::Quit;
            };
            let word = line.trim();
            if word.starts_with('q') {
                return Chosen::Quit;
            }
            match word.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).and_then(|i| moves.get(i)) {
                Some(mv) => return Chosen::Move(*mv),
                None => world.out("\tchoice is outside range\n"),
            }
        }
    }

    /// Where a process stands, as choices tell it.
    fn standing(&self, process: u8) -> Option<String> {
        let described = self.run.describe();
        let p = described.processes().into_iter().find(|p| p.number == usize::from(process))?;
        let ty = self.runnable.model.location(p.location).process;
        let body = &self.model.elements.bodies[ty.index()];
        let e = body.of_lowered(self.runnable.numbers().locations[p.location.index()])?;
        Some(steps::place(body, e, true))
    }

    fn side(&self, process: u8, edge: u32) -> Option<Side<'a>> {
        let number = *self.runnable.numbers().edges.get(edge as usize)?;
        let (body, element) = self.model.elements.of_edge(number)?;
        Some(Side { who: self.screen.who(&self.run, usize::from(process)), body, element })
    }

    /// Takes a move and shows it; says whether the run has failed.
    fn take(&mut self, mv: &Move, world: &mut dyn World) -> bool {
        let before = self.run.now().clone();
        let input = self.run.reads_input(mv).then(|| world.character());
        let Some(side) = self.side(mv.process, mv.edge) else {
            self.run.take(mv, input);
            return false;
        };
        let ends = mv.edge != NO_EDGE && matches!(self.runnable.model.edge(EdgeId(mv.edge)).action, Action::End);
        let names = Names::of(&self.run);
        let live = self.run.describe().processes().len();
        let values = self.run.describe().values();
        let receiver = if mv.partner == NO_PROCESS { None } else { self.side(mv.partner, mv.partner_edge) };
        let (step, failure) = self.run.take(mv, input);
        let depth = self.run.now().depth as i64;
        let view = self.screen.view;
        if ends {
            if view.statements {
                let indent = if view.flush_left { String::new() } else { steps::indent(usize::from(mv.process)) };
                world.out(&format!("{depth:3}:\t{}{indent}terminates\n", side.who));
            }
            return false;
        }
        if let Some(failure) = failure {
            // The run ends in front of the statement that failed.
            self.fail(&failure_kind(failure.code), &side, world);
            self.run.go_back(Moment { depth: depth as usize, ..before });
            return true;
        }
        self.screen.events(&step, &names, &side, live, depth, world);
        for event in &step.events {
            if let Event::Started { process } = event {
                self.screen.starts(&self.run, usize::from(process.number), Some(&side.who), depth, world);
            }
        }
        let text = match &side.element.kind {
            Kind::DStep(q) => side.body.sequences[*q].first.map_or("", |f| side.body.elements[f].text.as_str()),
            _ => &side.element.text,
        };
        self.screen.statement(&side, depth, text, world);
        let mut last = usize::from(mv.process);
        if let Some(receiver) = receiver {
            self.screen.statement(&receiver, depth, &receiver.element.text, world);
            for event in &step.events {
                if let Event::Handshake { channel, message, .. } = event {
                    self.screen.message(&side, "Sent", channel, message, &names, live, depth, world);
                    self.screen.message(&receiver, "Recv", channel, message, &names, live, depth, world);
                }
            }
            last = usize::from(mv.partner);
            self.screen.note(&values, &self.run.describe().values(), &receiver, last, depth);
        }
        self.screen.note(&values, &self.run.describe().values(), &side, usize::from(mv.process), depth);
        self.screen.variables(&self.run, last, depth, world);
        false
    }

    fn fail(&self, kind: &FailureKind, side: &Side<'_>, world: &mut dyn World) {
        let (file, line) = (&side.element.file, side.element.line);
        match kind {
            FailureKind::Assertion => {
                world.out(&steps::error(file, line, "assertion violated"));
                world.out(&format!("spin: text of failed assertion: {}\n", side.element.text));
            }
            kind => world.out(&steps::error(file, line, &kind.to_string())),
        }
    }
}
