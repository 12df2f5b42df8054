//! `spin` without `-a` or `-t`: one run at random, or by hand.
//!
//! Lines are SPIN's; which moves a seed chooses is not.

use crate::command::Command;
use crate::elements::{ATOM, D_ATOM, Kind};
use crate::follow::mistake;
use crate::inner::{self, Inner};
use crate::reading::Model;
use crate::show::{Names, Screen, Side};
use crate::steps;
use crate::world::World;
use ferrospin::run::{self, Run, Runnable};
use ferrospin_interp::failure_kind;
use ferrospin_model::ir::{Action, EdgeId};
use ferrospin_system::{Control, Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::trail::Event;
use std::collections::{HashMap, VecDeque};

/// A run under way.
struct Wanderer<'a> {
    model: &'a Model,
    runnable: &'a Runnable,
    run: Run<'a>,
    screen: Screen<'a>,
    random: Random,
    /// The same with each `d_step` taken apart.
    unfolded: &'a Runnable,
    /// Joints that processes have in front of them: SPIN takes a step for each.
    joints: HashMap<u8, VecDeque<usize>>,
    /// Steps so far.
    depth: i64,
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
            world.out(&steps::error(name, 1, &why.to_string()));
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
    let screen = Screen::new(&command.view, &model.elements, false).with_labels(model.labels_of_formulas());
    let unfolded = inner::unfolded(&runnable);
    let mut w = Wanderer {
        model,
        runnable: &runnable,
        run,
        screen,
        random: Random(seed),
        unfolded: &unfolded,
        joints: HashMap::new(),
        depth: 0,
    };
    w.run.allow_input();
    for p in w.run.describe().processes() {
        w.screen.starts(&w.run, p.number, None, 0, world);
    }
    world.out(&model.formulas_told());
    if kinds(ferrospin_promela::names::BodyKind::Never) {
        world.out("warning: never claim not used in random simulation\n");
    }
    if kinds(ferrospin_promela::names::BodyKind::Trace) || kinds(ferrospin_promela::names::BodyKind::NoTrace) {
        world.out("warning: trace assertion not used in random simulation\n");
    }
    let code = w.go(command, world);
    if command.view.tell_seed && w.depth > 0 {
        world.out(&format!("seed used: {seed}\n"));
    }
    code
}

impl<'a> Wanderer<'a> {
    fn go(&mut self, command: &Command, world: &mut dyn World) -> u8 {
        loop {
            let depth = self.depth;
            if command.steps_max > 0 && depth >= command.steps_max {
                world.out(&format!("-------------\ndepth-limit (-u{} steps) reached\n", command.steps_max));
                break;
            }
            if world.hooks().interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
            let moves = self.run.moves();
            let free = matches!(self.run.now().control, Control::Free);
            if free && self.passes_joint(&moves.list, world) {
                continue;
            }
            if moves.list.is_empty() {
                if !self.run.describe().processes().is_empty() && self.screen.shows(depth) {
                    self.timeout(world);
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
                self.timeout(world);
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
        self.screen.ending(&self.run, None, self.depth, world);
    }

    fn timeout(&self, world: &mut dyn World) {
        let indent = if self.screen.view.flush_left { String::new() } else { steps::indent(0) };
        world.out(&format!("{indent}timeout\n"));
    }

    /// Lets a process pass a joint, if it is its turn; says whether one did.
    fn passes_joint(&mut self, moves: &[Move], world: &mut dyn World) -> bool {
        let alive = self.run.describe().processes().len();
        self.joints.retain(|p, list| usize::from(*p) < alive && !list.is_empty());
        let mut waiting: Vec<u8> = self.joints.keys().copied().collect();
        waiting.sort_unstable();
        if waiting.is_empty() {
            return false;
        }
        let own = |m: &&Move| !m.timeout && !waiting.contains(&m.process);
        let mut others: Vec<u8> = moves.iter().filter(own).map(|m| m.process).collect();
        others.dedup();
        let turn = self.random.below(waiting.len() + others.len());
        let Some(&process) = waiting.get(turn) else { return false };
        let Some(joint) = self.joints.get_mut(&process).and_then(VecDeque::pop_front) else { return false };
        let described = self.run.describe();
        let Some(at) = described.processes().into_iter().find(|p| p.number == usize::from(process)) else {
            return true;
        };
        let body = &self.model.elements.bodies[self.runnable.model.location(at.location).process.index()];
        self.depth += 1;
        let who = self.screen.who(&self.run, usize::from(process));
        let side = Side { who, body, element: &body.elements[joint] };
        self.screen.statement(&side, self.depth, &side.element.text, world);
        self.screen.variables(&self.run, usize::from(process), self.depth, world);
        true
    }

    /// The joints behind a statement. Inside `atomic` they take no step.
    fn meets_joints(&mut self, process: u8, side: &Side<'_>) {
        if matches!(side.element.kind, Kind::Goto(_)) || side.element.status & (ATOM | D_ATOM) != 0 {
            return;
        }
        let (mut list, mut at) = (VecDeque::new(), side.element.next);
        while let Some(e) = at.filter(|e| !list.contains(e)) {
            match side.body.elements[e].kind {
                Kind::Joint => at = side.body.elements[e].next,
                // Behind a jump all that does nothing is passed at once.
                Kind::Goto(_) => at = None,
                _ => break,
            }
            list.push_back(e);
        }
        self.joints.insert(process, list);
    }

    /// Chooses a process, then one of its moves.
    fn pick(&mut self, moves: &[Move]) -> Move {
        let free: Vec<u8> = moves.iter().map(|m| m.process).filter(|p| !self.joints.contains_key(p)).collect();
        let mut processes: Vec<u8> = if free.is_empty() { moves.iter().map(|m| m.process).collect() } else { free };
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
        if mv.edge != NO_EDGE && matches!(self.runnable.model.edge(EdgeId(mv.edge)).action, Action::DStep(_)) {
            return self.take_d_step(mv, &side, world);
        }
        let process = usize::from(mv.process);
        self.screen.touch(&self.run, &side.element.text, process);
        let receiver = if mv.partner == NO_PROCESS { None } else { self.side(mv.partner, mv.partner_edge) };
        if let Some(receiver) = &receiver {
            self.screen.touch(&self.run, &receiver.element.text, usize::from(mv.partner));
        }
        let names = Names::of(&self.run);
        let live = self.run.describe().processes().len();
        let values = self.run.describe().values();
        if !ends {
            self.depth += 1;
            self.screen.poll(&self.run, &side, process, self.depth, world);
        }
        let (step, failure) = self.run.take(mv, input);
        let depth = self.depth;
        if ends {
            let view = self.screen.view;
            if view.statements {
                let indent = if view.flush_left { String::new() } else { steps::indent(process) };
                world.out(&format!("{depth:3}:\t{}{indent}terminates\n", side.who));
            }
            return false;
        }
        if let Some(failure) = failure {
            // The run ends in front of the statement that failed.
            world.out(&mistake(&failure_kind(failure.code), &side));
            self.run.go_back(before);
            return true;
        }
        self.screen.events(&step, &names, &side, live, depth, world);
        for event in &step.events {
            if let Event::Started { process } = event {
                self.screen.starts(&self.run, usize::from(process.number), Some(&side.who), depth, world);
            }
        }
        self.screen.statement(&side, depth, &side.element.text, world);
        let mut last = process;
        match receiver {
            Some(receiver) => {
                self.screen.statement(&receiver, depth, &receiver.element.text, world);
                for event in &step.events {
                    if let Event::Handshake { channel, message, .. } = event {
                        self.screen.message(&side, "Sent", channel, message, &names, live, depth, world);
                        self.screen.message(&receiver, "Recv", channel, message, &names, live, depth, world);
                    }
                }
                last = usize::from(mv.partner);
                self.screen.note(&values, &self.run.describe().values(), &receiver, last, depth);
                self.joints.remove(&mv.process);
                self.joints.remove(&mv.partner);
            }
            None => self.meets_joints(mv.process, &side),
        }
        self.screen.note(&values, &self.run.describe().values(), &side, process, depth);
        self.screen.variables(&self.run, last, depth, world);
        false
    }

    /// Takes a `d_step`: only its last statement is told, but variables behind each.
    fn take_d_step(&mut self, mv: &Move, side: &Side<'a>, world: &mut dyn World) -> bool {
        let process = usize::from(mv.process);
        let Ok(run) = Run::start(&self.model.front, self.unfolded) else { return true };
        let mut inner = Inner::enter(run, self.run.now().clone(), mv);
        let mut before = inner.run.describe().values();
        let mut names = Names::of(&inner.run);
        while let Some(inside) = inner.step() {
            let Some(own) = self.side(mv.process, inside.edge) else { continue };
            if matches!(own.element.kind, Kind::Joint | Kind::Goto(_) | Kind::Break) {
                continue;
            }
            self.screen.touch(&inner.run, &own.element.text, process);
            self.depth += 1;
            let live = inner.run.describe().processes().len();
            self.screen.events(&inside.step, &names, &own, live, self.depth, world);
            if let Some(failure) = &inside.failure {
                world.out(&mistake(&failure_kind(failure.code), &own));
                return true;
            }
            if inside.is_last {
                self.screen.statement(&own, self.depth, &own.element.text, world);
            }
            let after = inner.run.describe().values();
            self.screen.note(&before, &after, &own, process, self.depth);
            self.screen.variables(&inner.run, process, self.depth, world);
            before = after;
            names = Names::of(&inner.run);
        }
        let (_, failure) = self.run.take(mv, None);
        if let Some(failure) = failure {
            world.out(&mistake(&failure_kind(failure.code), side));
            return true;
        }
        self.meets_joints(mv.process, side);
        false
    }
}
