//! `spin`: what each of its options does.

use crate::command::{self, Command, Formula, Stop, USAGE, VerifierCall};
use crate::engine::Engine;
use crate::pan::Compiled;
use crate::reading::{Model, Source};
use crate::stub::{self, Stub};
use crate::world::{Mode, World};
use crate::{CLAIM_FILE, VERSION, follow, formula, wander};
use ferrospin::front::AllowC;
use ferrospin_promela::names::BodyKind;

/// Runs `spin` with these arguments; gives the exit code.
pub fn run(args: &[String], world: &mut dyn World) -> u8 {
    if args.first().is_some_and(|a| a == "--pan") {
        return pan(&args[1..], world);
    }
    match command::parse(args) {
        Ok(command) => command_run(command, world),
        Err(Stop::Version) => {
            world.out(&format!("{VERSION}\n"));
            0
        }
        Err(Stop::Usage(first)) => {
            world.out(&first);
            world.out(USAGE);
            1
        }
        Err(Stop::Message(text)) => {
            world.out(&text);
            1
        }
        Err(Stop::PrettyPrint) => pretty_print(world),
    }
}

/// `-pp`: standard input, reformatted.
fn pretty_print(world: &mut dyn World) -> u8 {
    let mut text = String::new();
    while let Some(line) = world.line() {
        text += &line;
    }
    let source = Source { name: "<stdin>".into(), text, ..Source::default() };
    match source.read(world) {
        Ok(model) => {
            world.out(&ferrospin_promela::print::program(&model.front.reading.program));
            0
        }
        Err(why) => {
            world.out(&why);
            1
        }
    }
}

fn command_run(mut command: Command, world: &mut dyn World) -> u8 {
    if command.optimizations.contains(&'w') {
        world.out("spin: warning -o[1..5] option ignored in simulations\n");
    }
    if let Some(Formula::File(file)) = &command.formula {
        let Some(bytes) = world.read(file) else {
            world.out(&format!("spin: cannot open {file}\n"));
            return 1;
        };
        let text = String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().to_string();
        command.formula = Some(Formula::Text(text));
    }
    let claim = match &command.formula {
        Some(Formula::Text(text)) => match formula::never_of(text) {
            Ok(claim) => Some(claim),
            Err(why) => {
                world.out(&format!("tl_spin: {why}\ntl_spin: {text}\n"));
                return 1;
            }
        },
        _ => None,
    };
    let Some(name) = command.file.clone() else {
        return match claim {
            Some(claim) => {
                world.out(&claim);
                0
            }
            None => {
                world.out(&format!("{VERSION}\n"));
                world.err("spin: error, no filename specified\n");
                1
            }
        };
    };
    let mut source = match Source::open(&command, &name, world) {
        Ok(source) => source,
        Err((out, err)) => {
            world.err(&err);
            world.out(&out);
            return 1;
        }
    };
    if let Some(claim) = claim {
        source.text += &format!("\n{claim}");
    }
    if command.preprocess_only {
        let text = source.preprocessed(world);
        return u8::from(!world.write("pan.pre", &text, Mode::Text));
    }
    if let Some(run) = &command.run {
        let directives: Vec<String> = run.directives.iter().map(|d| d.trim_start_matches("-D").to_string()).collect();
        source.options.allow_c = allow_c(&directives);
    }
    let model = match source.read(world) {
        Ok(model) => model,
        Err(why) => {
            world.out(&why);
            return 1;
        }
    };
    act(&command, &source, &model, world)
}

fn act(command: &Command, source: &Source, model: &Model, world: &mut dyn World) -> u8 {
    if command.inlined {
        world.out(&ferrospin_promela::print::program(&model.front.reading.program));
        return 0;
    }
    if command.product {
        return product(command, model, world);
    }
    if let Some(run) = &command.run {
        return verify(command, run, model, source, world);
    }
    if command.trail.is_some() && !command.analyze && !command.symbols && !command.channels && !command.slice {
        return follow::follow(command, model, world);
    }
    let analysed = command.symbols || command.channels || command.slice || command.analyze;
    if !analysed {
        return wander::wander(command, model, world);
    }
    world.out(&model.formulas_told());
    if command.symbols {
        world.out(&crate::symbols::table(model));
    } else if command.channels {
        world.out(&crate::symbols::channels(model, command.view.globals));
    } else if command.slice {
        world.out(&crate::symbols::redundancies(model));
    } else {
        return generate(command, source, model, world);
    }
    0
}

/// `-e`: of one claim SPIN writes nothing.
fn product(command: &Command, model: &Model, world: &mut dyn World) -> u8 {
    world.out(&model.formulas_told());
    let claims: Vec<_> = model.elements.bodies.iter().filter(|b| b.kind == BodyKind::Never).collect();
    if claims.len() < 2 {
        return 0;
    }
    match crate::product::product(&claims, command.strict) {
        Ok(text) => {
            world.out(&text);
            0
        }
        Err(why) => {
            world.out(&format!("spin: {why}\n"));
            1
        }
    }
}

/// Options that a verifier goes by.
fn kept(command: &Command) -> Vec<String> {
    let mut options: Vec<String> = command.optimizations.iter().map(|n| format!("-o{n}")).collect();
    options.extend(command.lossy.then(|| "-m".to_string()));
    options.extend(command.java.then(|| "-J".to_string()));
    options
}

/// `-a`
fn generate(command: &Command, source: &Source, model: &Model, world: &mut dyn World) -> u8 {
    let (text, engine) = (source.preprocessed(world), world.engine());
    let options = kept(command);
    let stub = stub::text(&Stub { name: &source.name, text: &text, engine: &engine, options: &options });
    if !world.write("pan.c", &stub, Mode::Text) {
        world.out("spin: cannot create pan.c\n");
        return 1;
    }
    for name in stub::COMPANIONS {
        world.write(name, "", Mode::Text);
    }
    write_claims(model, world);
    world.out(&model.claims_told());
    if command.view.xspin {
        world.out("Exit-Status 0\n");
    }
    0
}

/// The claims of `ltl` blocks, where SPIN leaves them.
fn write_claims(model: &Model, world: &mut dyn World) {
    let blocks = model.blocks();
    if !blocks.is_empty() {
        let claims: String = blocks.iter().filter_map(|b| formula::claim_of(b).ok()).collect();
        world.write(CLAIM_FILE, &claims, Mode::Text);
    }
}

/// `-run`, `-search`, `-replay`
fn verify(command: &Command, run: &VerifierCall, model: &Model, source: &Source, world: &mut dyn World) -> u8 {
    let mut run = run.clone();
    if run.replay {
        return follow::follow(command, model, world);
    }
    run.finish(model.has_accept());
    let directives: Vec<String> =
        run.directives.iter().filter_map(|d| d.strip_prefix("-D")).map(str::to_string).collect();
    if let Some(why) = Compiled::new(directives.iter().map(String::as_str)).clash() {
        world.err(&format!("pan.c: error: #error {why}\n"));
        world.out(&model.formulas_told());
        return 1;
    }
    let options = kept(command);
    // Callers delete the program behind the run, and may call it again.
    let script = script(source, &directives, &options, world);
    world.write("pan", &script, Mode::Program);
    let engine = Engine { model, directives: &directives, options: &options };
    engine.run(&run.options, world);
    // SPIN keeps what it says itself until the verifier has ended.
    world.out(&model.formulas_told());
    world.out(&model.claims_told());
    0
}

/// A `pan` for those who call it behind `-run`.
fn script(source: &Source, directives: &[String], options: &[String], world: &mut dyn World) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let mut call = format!("exec {} spin --pan --name {}", quoted(&world.engine()), quoted(&source.name));
    for d in directives {
        call += &format!(" --cc {}", quoted(d));
    }
    for o in options {
        call += &format!(" --spin {}", quoted(o));
    }
    let mut mark = String::from("END_OF_MODEL");
    let text = source.preprocessed(world);
    while text.lines().any(|l| l == mark) {
        mark.push('_');
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("#!/bin/sh\n{call} --model /dev/fd/3 -- \"$@\" 3<<'{mark}'\n{text}{end}{mark}\n")
}

/// With `-DFERROSPIN_ALLOW_C`, embedded C that cannot be run here is compiled.
fn allow_c(directives: &[String]) -> AllowC {
    match directives.iter().any(|d| d.split('=').next() == Some("FERROSPIN_ALLOW_C")) {
        true => ferrospin::compiler::allowed(),
        false => AllowC::Never,
    }
}

/// `--pan`: the engine behind a stub.
fn pan(args: &[String], world: &mut dyn World) -> u8 {
    let (mut file, mut name, mut directives, mut options) = (None, None, Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            break;
        }
        let Some(value) = rest.next().cloned() else { break };
        match arg.as_str() {
            "--model" => file = Some(value),
            "--name" => name = Some(value),
            "--cc" => directives.push(value),
            "--spin" => options.push(value),
            _ => {}
        }
    }
    let args: Vec<String> = rest.cloned().collect();
    let Some(bytes) = file.as_ref().and_then(|f| world.read(f)) else {
        world.err("pan: the model cannot be read\n");
        return 1;
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lossy_channels = options.iter().any(|o| o == "-m");
    let allow_c = allow_c(&directives);
    let options_of_front = ferrospin::front::Options { lossy_channels, allow_c, ..Default::default() };
    let source = Source { name: name.unwrap_or_else(|| "model".into()), text, options: options_of_front };
    let compiled = Compiled::new(directives.iter().map(String::as_str));
    if let Some(why) = compiled.clash() {
        world.err(&format!("pan: {why}\n"));
        return 1;
    }
    match source.read(world) {
        Ok(model) => Engine { model: &model, directives: &directives, options: &options }.run(&args, world),
        Err(why) => {
            world.out(&why);
            1
        }
    }
}
