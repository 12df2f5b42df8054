//! `pan`: a verification and its report.

use crate::elements::{Elements, Kind};
use crate::pan::{self, Claim, Compiled, Facts, Options};
use crate::reading::Model;
use crate::report::{self, Figures};
use crate::table::Row;
use crate::text;
use crate::trail::{self, Line, Step};
use crate::world::{Mode, World};
use ferrospin::pan::{Answer, Cycles, Ended, Found, Question};
use ferrospin::run::{self, Run, Runnable};
use ferrospin::verify::{self, Limits, Search, Store};
use ferrospin_interp::failure_kind;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Action, EdgeId, ProcessKind};
use ferrospin_promela::ast::{self, StmtKind};
use ferrospin_promela::names::{BodyKind, Def};
use ferrospin_source::Span;
use ferrospin_system::{Failure, NO_EDGE};
use ferrospin_trace::Trail;
use std::collections::HashSet;
use std::time::Duration;

/// A verifier: a model and what it was compiled with.
pub struct Engine<'a> {
    /// The model.
    pub model: &'a Model,
    /// Directives, `NAME` or `NAME=VALUE`.
    pub directives: &'a [String],
    /// Options of `spin` that it was made with, such as `-o3`.
    pub options: &'a [String],
}

impl Engine<'_> {
    /// Runs it; gives the exit code.
    pub fn run(&self, args: &[String], world: &mut dyn World) -> u8 {
        let compiled = Compiled::new(self.directives.iter().map(String::as_str));
        let mut facts = self.model.facts();
        let parsed = pan::parse(args, &compiled, &facts);
        world.err(&parsed.err);
        world.out(&parsed.out);
        let Some(options) = parsed.options else { return parsed.code };
        let runnable = match run::prepare(&self.model.front) {
            Ok(runnable) => runnable,
            Err(why) => {
                world.err(&format!("pan: error: {why}\n"));
                return 1;
            }
        };
        facts.priorities = runnable.model.uses.priority;
        let claim = match self.claim(&options, &compiled, &facts) {
            Ok(claim) => claim,
            Err(why) => {
                world.out(&format!("pan: error: {why}\n"));
                return 1;
            }
        };
        if options.tables {
            world.out(&self.model.elements.tables(options.dot));
            world.out(&report::tail(&Figures::default()));
            return 0;
        }
        if let Some(name) = claim.as_ref().filter(|_| facts.claims.len() > 1 && !compiled.bfs) {
            world.out(&format!("pan: ltl formula {name}\n"));
        }
        if options.replay.is_some() {
            return crate::follow::replay(&options, self, &runnable, world);
        }
        if claim.is_some() && !compiled.no_reduce && !compiled.bfs && self.model.blocks().is_empty() {
            world.out("warning: for p.o. reduction to be valid the never claim must be stutter-invariant\n");
            world.out("(never claims generated from LTL formulae are stutter-invariant)\n");
        }
        let question = Question {
            claim: claim.clone(),
            cycles: match (options.cycles, compiled.non_progress) {
                (false, _) => None,
                (true, true) => Some(Cycles::NonProgress),
                (true, false) => Some(Cycles::Acceptance),
            },
            every_error: options.every_error && !options.shortest && options.stop_at == 0,
        };
        let wanted = self.wanted(&options, &compiled, world);
        let answer = match ferrospin::pan::search(&self.model.front, &runnable, &question, &wanted) {
            Ok(answer) => answer,
            Err(why) => {
                world.out(&format!("pan: error: {}\n", why.why()));
                return 1;
            }
        };
        self.tell(&answer, &options, &compiled, &facts, claim, &runnable, world);
        0
    }

    /// The claim that runs beside.
    fn claim(&self, o: &Options, c: &Compiled, facts: &Facts) -> Result<Option<String>, String> {
        if c.no_claim || c.non_progress || facts.claims.is_empty() {
            return Ok(None);
        }
        Ok(match &o.claim {
            None => facts.claims.first().cloned(),
            Some(Claim::Name(name)) => match facts.claims.iter().find(|c| *c == name) {
                Some(name) => Some(name.clone()),
                None => return Err(format!("cannot find claim '{name}'")),
            },
            Some(Claim::Number(n)) => match usize::try_from(*n).ok().and_then(|n| facts.claims.get(n)) {
                Some(name) => Some(name.clone()),
                None => return Err(format!("cannot find claim '{n}'")),
            },
        })
    }

    /// What the options mean for a search here.
    fn wanted(&self, o: &Options, c: &Compiled, world: &mut dyn World) -> verify::Options {
        let plain = ['1', '2', '3'].iter().all(|n| self.options.iter().any(|o| *o == format!("-o{n}")));
        let mut hooks = world.hooks();
        hooks.progress = None;
        verify::Options {
            search: Some(if c.bfs || o.shortest { Search::BreadthFirst } else { Search::DepthFirst }),
            store: Some(match (c.bitstate, c.hash_compact, c.automaton, c.collapse) {
                (true, ..) => Store::Bitstate,
                (_, Some(_), ..) => Store::HashCompact,
                (_, _, Some(_), _) => Store::Automaton,
                (.., true) => Store::Collapse,
                _ => Store::Exact,
            }),
            partial_order: !c.no_reduce,
            optimize: !plain,
            fair: o.fair,
            engine: world.executor(),
            errors_max: (o.stop_at > 0).then_some(o.stop_at),
            trails_max: if o.every_error { TRAILS_MAX } else { verify::VIOLATIONS_KEPT },
            ignore_assert: o.ignore_assert,
            ignore_end_states: o.ignore_ends || c.non_progress,
            nothing_pending: o.empty_channels,
            limits: Limits {
                depth_max: (!c.bfs && !o.shortest).then_some(o.depth_max),
                time_max: o.minutes.map(|m| Duration::from_secs(60 * m)),
                memory_max_bytes: c.memory_max_mb.map(|mb| mb.saturating_mul(1 << 20).max(1 << 24)),
            },
            lossy: verify::Lossy { seed: o.hash, bits: c.bitstate.then_some(o.hashes), ..verify::Lossy::default() },
            hooks,
            ..verify::Options::default()
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn tell(
        &self,
        answer: &Answer,
        o: &Options,
        c: &Compiled,
        facts: &Facts,
        claim: Option<String>,
        runnable: &Runnable,
        world: &mut dyn World,
    ) {
        if answer.cut {
            world.out("error: max search depth too small\n");
        }
        let mut last = String::new();
        let mut errors = answer.errors;
        for (i, finding) in answer.findings.iter().enumerate() {
            let what = self.what(&finding.found, runnable, claim.as_deref());
            let lines = self.lines(&finding.trail, runnable);
            let steps = lines.iter().filter(|l| matches!(l, Line::Step(_))).count();
            let depth = match finding.found {
                Found::Failure(_) | Found::FormulaFails => steps.saturating_sub(1),
                Found::InvalidEndState => steps,
                Found::Cycle(_) => finding.trail.loop_start.unwrap_or(steps),
            };
            if what != last {
                world.out(&format!("pan:{}: {what} (at depth {depth})\n", i + 1));
                last = what;
            }
            let is_last = o.stop_at > 0 && i as u64 + 1 == o.stop_at;
            if o.every_error || is_last {
                self.write(&lines, if o.every_error && !o.shortest { Some(i + 1) } else { None }, o, world);
            }
        }
        if answer.cut && o.bounded && answer.findings.is_empty() {
            errors += 1;
            world.out(&format!("pan:1: depth limit reached (at depth {})\n", o.depth_max));
            if let Some(lines) = self.deep_run(o.depth_max, runnable) {
                self.write(&lines, o.every_error.then_some(1), o, world);
            }
        }
        match answer.stopped {
            Some(Ended::Memory) if c.memory_max_mb.is_some() => world.out("pan: reached -DMEMLIM bound\n"),
            Some(Ended::Memory) => world.out("pan: out of memory\n"),
            Some(Ended::Interrupted) => world.out("Interrupted\n"),
            _ => {}
        }
        let traces = runnable.model.processes.iter().find_map(|p| match p.kind {
            ProcessKind::Trace => Some(false),
            ProcessKind::NoTrace => Some(true),
            _ => None,
        });
        // A search that counts all errors goes on behind each.
        let ended = answer.stopped.is_some() && !(o.stop_at == 0 && answer.stopped == Some(Ended::Errors));
        let complete = !(ended || answer.cut && o.bounded) && (errors == 0 || o.stop_at != 1);
        let figures = Figures {
            complete,
            claim: if c.non_progress { Some(":np_:".into()) } else { claim },
            trace: traces,
            state_bytes: answer.state_bytes,
            depth: answer.depth,
            errors,
            stored: answer.states,
            visited: None,
            matched: answer.matched,
            atomic_steps: answer.atomic_steps,
            store_bytes: answer.store_bytes,
            memory_bytes: answer.memory_bytes,
            elapsed_s: answer.elapsed_s,
        };
        world.out(&report::head(&figures, c, o, facts));
        if (complete || o.verbose) && !o.no_unreached && !answer.taken.is_empty() {
            world.out(&unreached(&self.model.elements, runnable, &answer.taken));
        }
        world.out(&report::tail(&figures));
        for note in self.model.front.embedded_notes() {
            world.out(&format!("ferrospin: {note}\n"));
        }
    }

    /// What SPIN calls an error.
    fn what(&self, found: &Found, runnable: &Runnable, claim: Option<&str>) -> String {
        match found {
            Found::InvalidEndState => "invalid end state".into(),
            Found::Cycle(Cycles::Acceptance) => "acceptance cycle".into(),
            Found::Cycle(Cycles::NonProgress) => "non-progress cycle".into(),
            Found::FormulaFails => {
                let formula = self.model.blocks().into_iter().find(|b| Some(b.name.as_str()) == claim);
                let text = formula.map_or(String::new(), |b| match &b.formula.kind {
                    ast::ExprKind::TemporalUnary(ast::TemporalUnary::Always, inner) => self.condition(inner),
                    _ => text::formula(b.formula, &text::told(&self.model.front.reading.names)),
                });
                format!("assertion violated  !( !({text}))")
            }
            Found::Failure(f) => self.failure(f, runnable),
        }
    }

    pub(crate) fn failure(&self, f: &Failure, runnable: &Runnable) -> String {
        match failure_kind(f.code) {
            FailureKind::Called(number) if runnable.model.code.is_some() => {
                runnable.model.code.as_ref().map_or(String::new(), |code| code.failure(number))
            }
            FailureKind::Assertion => {
                let span = (f.edge != NO_EDGE).then(|| runnable.model.edge(EdgeId(f.edge)).span);
                let condition = span.and_then(|span| self.assertion(span));
                format!("assertion violated {}", condition.unwrap_or_default())
            }
            FailureKind::Index { .. } => "assertion violated - invalid array index".into(),
            FailureKind::ClaimEnd => "end state in claim reached".into(),
            FailureKind::BlockedDStep => "block in d_step seq".into(),
            FailureKind::TooManyProcesses => "too many processes".into(),
            FailureKind::TooManyChannels => "too many queues".into(),
            FailureKind::NoChannel => "sending to an uninitialized channel".into(),
            FailureKind::Exclusive { receives: true } => "xr chan assertion violated".into(),
            FailureKind::Exclusive { receives: false } => "xs chan assertion violated".into(),
            FailureKind::TraceMismatch | FailureKind::TraceChoice => "event_trace error (no matching event)".into(),
            FailureKind::NoTraceMatched => "event_trace error (all events matched)".into(),
            FailureKind::Nondeterminism => "non-determinism in D_proctype".into(),
            kind => kind.to_string(),
        }
    }

    /// The text of a failed assertion, as the verifier has it.
    fn assertion(&self, span: Span) -> Option<String> {
        let mut found = None;
        for unit in &self.model.front.reading.program.units {
            let body = match unit {
                ast::Unit::Proctype(p) => &p.body,
                ast::Unit::Init(p) => &p.body,
                ast::Unit::Never(p) => &p.body,
                _ => continue,
            };
            each_statement(body, &mut |s| {
                if let StmtKind::Assert(e) = &s.kind
                    && s.at.0 == span
                {
                    found = Some(self.condition(e));
                }
            });
        }
        found
    }

    fn condition(&self, e: &ast::Expr) -> String {
        let names = &self.model.front.reading.names;
        text::condition(e, &|v| match (v.path.len(), names.def(&v.path[0].name)) {
            (1, Some(Def::MtypeConst(_, n))) => Some(i32::from(n)),
            _ => None,
        })
    }

    /// A trail in SPIN's form.
    fn lines(&self, trail: &Trail, runnable: &Runnable) -> Vec<Line> {
        let mut lines = Vec::new();
        let claim = trail.steps.iter().find_map(|s| s.claim.as_ref().map(|_| s.mv.claim)).flatten();
        let body = claim.and_then(|edge| {
            let number = *runnable.numbers().edges.get(edge as usize)?;
            let (body, _) = self.model.elements.of_edge(number)?;
            self.model.elements.bodies.iter().position(|b| std::ptr::eq(b, body))
        });
        // The claim of a formula has no place in the text of the model.
        let shift = i64::from(body.is_some());
        if let Some(n) = body {
            lines.push(Line::Claim(n as i64));
        }
        let mut depth = 0;
        let mut push = |lines: &mut Vec<Line>, process: i64, edge: Option<u32>| {
            let number = edge.and_then(|e| runnable.numbers().edges.get(e as usize));
            if let Some((_, element)) = number.and_then(|n| self.model.elements.of_edge(*n)) {
                depth += 1;
                lines.push(Line::Step(Step { depth, process, number: i64::from(element.number) }));
            }
        };
        for (i, step) in trail.steps.iter().enumerate() {
            if trail.loop_start == Some(i) {
                lines.push(Line::Cycle);
            }
            if shift == 1 {
                push(&mut lines, 0, step.mv.claim);
            }
            if let Some(process) = step.mv.process {
                push(&mut lines, i64::from(process) + shift, step.mv.edge);
            }
            if let Some(partner) = step.mv.partner {
                push(&mut lines, i64::from(partner) + shift, step.mv.partner_edge);
            }
        }
        lines
    }

    /// Some run that is as long as the limit: the search keeps none of those that it gives up.
    fn deep_run(&self, depth_max: u64, runnable: &Runnable) -> Option<Vec<Line>> {
        let mut seed = 1u64;
        for _ in 0..DEEP_RUNS {
            let mut run = Run::start(&self.model.front, runnable).ok()?;
            let (mut lines, mut depth) = (Vec::new(), 0);
            while (depth as u64) < depth_max {
                let moves = run.moves().list;
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let Some(mv) = moves.get((seed >> 33) as usize % moves.len().max(1)).copied() else { break };
                for (process, edge) in [(mv.process, mv.edge), (mv.partner, mv.partner_edge)] {
                    let number = runnable.numbers().edges.get(edge as usize);
                    if let Some((_, element)) = number.and_then(|n| self.model.elements.of_edge(*n)) {
                        depth += 1;
                        let (process, number) = (i64::from(process), i64::from(element.number));
                        lines.push(Line::Step(Step { depth, process, number }));
                    }
                }
                if run.take(&mv, None).1.is_some() {
                    break;
                }
            }
            if depth as u64 >= depth_max {
                return Some(lines);
            }
        }
        None
    }

    fn write(&self, lines: &[Line], number: Option<usize>, o: &Options, world: &mut dyn World) {
        let name = &self.model.front.name;
        let base = name.rsplit('/').next().unwrap_or(name);
        let digits = number.map_or(String::new(), |n| n.to_string());
        let path = format!("{base}{digits}.{}", o.suffix.as_deref().unwrap_or("trail"));
        if o.exclusive && world.read(&path).is_some() {
            world.out(&format!("pan: cannot create {path}\n"));
            return;
        }
        let mode = if o.read_only { Mode::ReadOnly } else { Mode::Text };
        if world.write(&path, &trail::write(lines), mode) {
            world.out(&format!("pan: wrote {path}\n"));
        } else {
            world.out(&format!("pan: cannot create {path}\n"));
        }
    }
}

/// Runs that are tried in search of one that is long enough.
const DEEP_RUNS: usize = 64;

/// With `-e`, the number of errors that get a trail.
const TRAILS_MAX: usize = 100_000;

/// Calls a function for each statement of a sequence, inner ones too.
fn each_statement(sequence: &ast::Sequence, of: &mut dyn FnMut(&ast::Stmt)) {
    for s in &sequence.steps {
        each_inner(s, of);
    }
}

fn each_inner(s: &ast::Stmt, of: &mut dyn FnMut(&ast::Stmt)) {
    of(s);
    match &s.kind {
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| each_statement(o, of)),
        StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => each_statement(body, of),
        StmtKind::Atomic(q) | StmtKind::DStep(q) | StmtKind::Block(q) => each_statement(q, of),
        StmtKind::Unless(a, b) => {
            each_inner(a, of);
            each_inner(b, of);
        }
        StmtKind::InlineCall { body, .. } => each_inner(body, of),
        _ => {}
    }
}

/// The lists of states that were not reached.
fn unreached(elements: &Elements, runnable: &Runnable, taken: &[bool]) -> String {
    let model = &runnable.model;
    let numbers = runnable.numbers();
    let mut reached: Vec<HashSet<u32>> = elements.bodies.iter().map(|_| HashSet::new()).collect();
    let mut started: HashSet<usize> = model.start.iter().map(|p| p.index()).collect();
    let arrive = |reached: &mut Vec<HashSet<u32>>, location: ferrospin_model::ir::LocationId| {
        let Some(l) = model.locations.get(location.index()) else { return };
        let Some(body) = elements.bodies.get(l.process.index()) else { return };
        if let Some(e) = numbers.locations.get(location.index()).and_then(|s| body.of_lowered(*s)) {
            reached[l.process.index()].insert(e.state);
        }
    };
    for (i, edge) in model.edges.iter().enumerate() {
        if !taken.get(i).copied().unwrap_or(false) {
            continue;
        }
        for action in std::iter::once(&edge.action).chain(&edge.then) {
            if let Action::Run { process, .. } = action {
                started.insert(process.index());
            }
        }
        arrive(&mut reached, edge.to);
        // The closing brace is reached, and so left.
        if matches!(edge.action, Action::End) {
            arrive(&mut reached, edge.from);
        }
    }
    for process in started {
        arrive(&mut reached, model.processes[process].entry);
    }
    if let Some((claim, _)) = model.layout.claim {
        arrive(&mut reached, model.process(claim).entry);
    }
    let told = |(i, b): (usize, &crate::elements::Body)| match b.kind {
        // What a claim has reached is known only where it is part of the product.
        BodyKind::Never => format!("unreached in claim {}\n\t(0 of {} states)\n", b.name, b.elements.len()),
        _ => b.unreached(&reached[i]),
    };
    elements.bodies.iter().enumerate().map(told).collect()
}

impl Elements {
    /// The tables of `pan -d`.
    pub fn tables(&self, dot: bool) -> String {
        let mut out = String::new();
        for body in &self.bodies {
            let head = match body.kind {
                BodyKind::Proctype => format!("proctype {}", body.name),
                BodyKind::Init => "init".to_string(),
                BodyKind::Never => format!("claim {}", body.name),
                // So SPIN calls them.
                BodyKind::Trace => "notrace assertion".to_string(),
                BodyKind::NoTrace => "trace assertion".to_string(),
            };
            if dot {
                out += &format!(
                    "digraph p_{} {{\nsize=\"8,10\";\n  GT [shape=box,style=dotted,label=\"{}\"];\n",
                    body.name.trim_matches(':'),
                    body.name
                );
                for Row { from, element, to, .. } in body.edges() {
                    out += &format!(
                        "  S{from} -> S{to}  [color=black,style=bold,label=\"{}\"];\n",
                        body.elements[element].text.replace('"', "'")
                    );
                }
                out += "}\n";
                continue;
            }
            out += &format!("{head}\n");
            for Row { from, element, to, origin, global } in body.edges() {
                let e = &body.elements[element];
                let origin = origin.map_or(String::new(), |o| format!(" org {o:3}"));
                let source = &body.elements[from as usize - 1];
                let has = |prefix: &str| source.labels.iter().any(|l| l.starts_with(prefix));
                let flag = |is_so: bool, letter: char| if is_so { letter } else { '-' };
                let atomic = match e.kind {
                    Kind::DStep(_) => 'D',
                    _ => flag(e.status & crate::elements::ATOM != 0, 'A'),
                };
                out += &format!(
                    "\tstate {from:3} -(tr {:3})-> state {to:3}  [id {:3} tp {:3}{origin}] [{}{}{}{}{}] {}:{} => {}\n",
                    e.number + 3,
                    e.number,
                    if e.kind == Kind::Stop { 3500 } else { 2 },
                    atomic,
                    flag(has("accept"), 'a'),
                    flag(has("end") || e.kind == Kind::Stop, 'e'),
                    flag(has("progress"), 'p'),
                    if global { 'G' } else { 'L' },
                    e.file.replace('"', ""),
                    source.line,
                    crate::table::shown(&e.text)
                );
            }
        }
        if !dot {
            out += "\nTransition Type: A=atomic; D=d_step; L=local; G=global\n";
            out += "Source-State Labels: p=progress; e=end; a=accept;\n";
            out += "Note: statement merging was used. Only the first\n";
            out += "      stmnt executed in each merge sequence is shown\n";
            out += "      (use spin -a -o3 to disable statement merging)\n";
        }
        out
    }
}
