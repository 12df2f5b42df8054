//! What was typed behind `spin`.
//!
//! SPIN looks at one argument after the other while they begin with `-`; most options ignore what follows their letter. The
//! first other argument is the model, and whatever stands behind it is ignored. Behind `-run`, `-search` and `-replay` all options
//! are the verifier's.

use crate::atoi;

/// What `spin` was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The model; `None` when none was named.
    pub file: Option<String>,
    /// `-a`, `-run`, `-search`: a verifier, not a simulation.
    pub analyze: bool,
    /// `-run`, `-search`, `-replay`: what it is made and called with.
    pub run: Option<VerifierCall>,
    /// `-D`, `-U` and words of `-E`, in order, for the preprocessor.
    pub preprocessor: Vec<String>,
    /// `-f` or `-F`.
    pub formula: Option<Formula>,
    /// `-N`: a file with a never claim.
    pub claim_file: Option<String>,
    /// `-t`, `-k`: follow a trail.
    pub trail: Option<Trail>,
    /// How a run is shown.
    pub view: View,
    /// `-n`: the seed.
    pub seed: Option<i64>,
    /// `-u`: stop after this many steps; 0 for never.
    pub steps_max: i64,
    /// `-i`
    pub interactive: bool,
    /// `-m`: sends to full channels are lost.
    pub lossy: bool,
    /// `-J`: escapes are tried from the outermost on.
    pub java: bool,
    /// `-O`
    pub old_scopes: bool,
    /// `-oN`, the digits.
    pub optimizations: Vec<char>,
    /// `-d`
    pub symbols: bool,
    /// `-I`
    pub inlined: bool,
    /// `-Z`: preprocess only.
    pub preprocess_only: bool,
    /// `-e`: the product of the claims.
    pub product: bool,
    /// `-L`: of that product, claims without accepting states accept nowhere.
    pub strict: bool,
    /// `-C`
    pub channels: bool,
    /// `-A`
    pub slice: bool,
}

/// How a run is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct View {
    /// `-g`
    pub globals: bool,
    /// `-l`
    pub locals: bool,
    /// `-p`
    pub statements: bool,
    /// `-r`
    pub receives: bool,
    /// `-s`
    pub sends: bool,
    /// `-v`
    pub verbose: bool,
    /// `-w`
    pub very_verbose: bool,
    /// `-c`
    pub columns: bool,
    /// `-B`: no final state.
    pub no_ending: bool,
    /// `-b`: no output of `printf`.
    pub no_print: bool,
    /// `-T`: `printf` starts at the left margin.
    pub flush_left: bool,
    /// `-X`: for graphical interfaces.
    pub xspin: bool,
    /// `-h`: the seed at the end.
    pub tell_seed: bool,
    /// `-jN`: the first steps are not shown.
    pub skip: i64,
    /// `-qN`: nothing of these channels.
    pub hidden: Vec<i64>,
}

/// Which trail to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trail {
    /// The n-th; 0 for the one without a number.
    Number(i64),
    /// That file.
    File(String),
}

/// Where a formula stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `-f`: it is the argument.
    Text(String),
    /// `-F`: the first line of a file.
    File(String),
}

/// What a verifier is made and called with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifierCall {
    /// `-D...` and so on, for the compiler.
    pub directives: Vec<String>,
    /// Files to be linked.
    pub links: Vec<String>,
    /// Its options.
    pub options: Vec<String>,
    /// `-replay`
    pub replay: bool,
}

/// Why nothing is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `-V`
    Version,
    /// An unknown option: the list of options, and code 1.
    Usage(String),
    /// A message on standard output, and code 1.
    Message(String),
    /// `-pp`: standard input, reformatted.
    PrettyPrint,
}

/// Options of `-run` that are directives, and whether they are options of the verifier too.
const SHORTHANDS: [(&str, &str, bool); 19] = [
    ("-bfspar", "-DBFS_PAR", false),
    ("-bfs", "-DBFS", false),
    ("-bcs", "-DBCS", false),
    ("-bitstate", "-DBITSTATE", false),
    ("-bit", "-DBITSTATE", false),
    ("-hc", "-DHC4", false),
    ("-collapse", "-DCOLLAPSE", false),
    ("-noclaim", "-DNOCLAIM", false),
    ("-noreduce", "-DNOREDUCE", false),
    ("-np", "-DNP", false),
    ("-permuted", "-DPERMUTED", false),
    ("-p_permute", "-DPERMUTED", true),
    ("-p_rotate", "-DPERMUTED", true),
    ("-p_reverse", "-DPERMUTED", true),
    ("-rhash", "-DPERMUTED", true),
    ("-safety", "-DSAFETY", false),
    ("-dfspar", "-DNCORE=4", false),
    ("-i", "-DREACH", true),
    ("-l", "-DNP", true),
];

impl VerifierCall {
    fn option(&mut self, option: &str) {
        if option.starts_with("-biterate") || option.starts_with("-swarm") {
            // One exhaustive search in place of many partial ones.
            return;
        }
        if let Some((_, directive, is_option)) = SHORTHANDS.iter().find(|(word, ..)| option.starts_with(word)) {
            self.directive(directive);
            if !is_option {
                return;
            }
        }
        self.options.push(option.to_string());
    }

    fn directive(&mut self, directive: &str) {
        if !self.directives.iter().any(|d| d.contains(directive)) {
            self.directives.push(directive.to_string());
        }
    }

    /// Fills in what SPIN chooses where nothing is said: cycles are looked for where there is a label to look for.
    pub fn finish(&mut self, has_accept: bool) {
        // SPIN looks for the letters anywhere among the options.
        let options: String = self.options.iter().map(|o| format!(" {o}")).collect();
        let has = |letters: &str| options.contains(letters);
        let compiled = |run: &VerifierCall, word: &str| run.directives.iter().any(|d| d.contains(word));
        let (mut a, mut l, f) = (has("-a"), has("-l"), has("-f"));
        if !l && !a && compiled(self, "-DNP") {
            self.option("-l");
            l = true;
        }
        if !a && !l && !compiled(self, "-DSAFETY") {
            if has_accept && !compiled(self, "-DBFS") && !compiled(self, "-DNOCLAIM") {
                self.option("-a");
                a = true;
            } else {
                self.directive("-DSAFETY");
            }
        }
        if (a || l) && !f {
            self.directive("-DNOFAIR");
        }
    }
}

/// Reads the arguments behind `spin`.
pub fn parse(args: &[String]) -> Result<Command, Stop> {
    let mut c = Command::default();
    let mut rest = args.iter();
    let mut pending: Option<String> = None;
    let mut used_optimizations = false;
    while let Some(arg) = pending.take().or_else(|| rest.next().cloned()) {
        let Some(option) = arg.strip_prefix('-') else {
            c.file = Some(arg);
            break;
        };
        let Some(letter) = option.chars().next() else { return Err(Stop::Usage(String::new())) };
        let behind = &option[letter.len_utf8()..];
        match letter {
            'A' => c.slice = true,
            'a' => c.analyze = true,
            'B' => c.view.no_ending = true,
            'b' => c.view.no_print = true,
            'C' => c.channels = true,
            'c' => c.view.columns = true,
            'D' | 'U' => c.preprocessor.push(arg.clone()),
            'd' => c.symbols = true,
            'E' => c.preprocessor.push(behind.into()),
            'e' => c.product = true,
            'F' => c.formula = rest.next().map(|f| Formula::File(f.clone())),
            'f' => c.formula = rest.next().map(|f| Formula::Text(f.clone())),
            'g' => c.view.globals = true,
            'h' => c.view.tell_seed = true,
            'I' => c.inlined = true,
            'i' => c.interactive = true,
            'J' => c.java = true,
            'j' => c.view.skip = atoi(behind),
            'k' => c.trail = rest.next().map(|f| Trail::File(f.clone())),
            'l' => c.view.locals = true,
            'L' => c.strict = true,
            'M' | 'W' | 'x' | 'Y' => {}
            'm' => c.lossy = true,
            'N' => c.claim_file = rest.next().cloned(),
            'n' => c.seed = Some(atoi(behind)),
            'O' => c.old_scopes = true,
            'o' => match behind.chars().next() {
                Some(digit @ '1'..='7') => {
                    used_optimizations |= digit <= '5';
                    c.optimizations.push(digit);
                }
                _ => return Err(Stop::Usage("spin: bad or missing parameter on -o\n".into())),
            },
            'P' => {}
            'p' if behind.starts_with('p') => return Err(Stop::PrettyPrint),
            'p' => c.view.statements = true,
            'q' => c.view.hidden.extend(behind.starts_with(|d: char| d.is_ascii_digit()).then(|| atoi(behind))),
            'r' | 's' if ["run", "search", "replay"].contains(&option) => {
                if c.run.is_some() {
                    let why = "cannot combine -x with -run -replay or -search";
                    return Err(Stop::Message(format!("spin: <stdin>:1, Error: {why}\n")));
                }
                let mut run = VerifierCall { replay: option == "replay", ..VerifierCall::default() };
                pending = verifier_options(&mut run, &mut rest);
                c.run = Some(run);
                c.analyze = true;
            }
            'r' => c.view.receives = true,
            'S' => c.analyze = true,
            's' if option == "simulate" => {}
            's' => c.view.sends = true,
            'T' => c.view.flush_left = true,
            't' => {
                let n = if behind.starts_with(|d: char| d.is_ascii_digit()) { atoi(behind) } else { 0 };
                if !matches!(c.trail, Some(Trail::File(_))) {
                    c.trail = Some(Trail::Number(n));
                }
            }
            'u' => c.steps_max = atoi(behind),
            'v' => c.view.verbose = true,
            'V' => return Err(Stop::Version),
            'w' => c.view.very_verbose = true,
            'X' => (c.view.xspin, c.view.flush_left) = (true, true),
            'Z' => c.preprocess_only = true,
            _ => return Err(Stop::Usage(String::new())),
        }
    }
    if used_optimizations && !c.analyze {
        c.optimizations.push('w');
    }
    if c.view.columns && !c.view.receives && !c.view.sends {
        (c.view.receives, c.view.sends) = (true, true);
    }
    Ok(c)
}

/// Options behind `-run`: those for the compiler are told from those for the verifier. Gives the argument behind them.
fn verifier_options(run: &mut VerifierCall, rest: &mut std::slice::Iter<'_, String>) -> Option<String> {
    while let Some(arg) = rest.next() {
        let Some(option) = arg.strip_prefix('-') else { return Some(arg.clone()) };
        match option.chars().next() {
            Some('D' | 'O' | 'U') => run.directive(arg),
            Some('W') => {}
            Some('l') if option == "ltl" => {
                run.options.push("-N".into());
                run.options.extend(rest.next().cloned());
            }
            Some('l') if option == "link" => run.links.extend(rest.next().cloned()),
            _ => run.option(arg),
        }
    }
    None
}

/// The list of options.
pub const USAGE: &str = "\
use: spin [-option] ... [-option] file
\tNote: file must always be the last argument
\t-A apply slicing algorithm
\t-a generate a verifier in pan.c
\t-B no final state details in simulations
\t-b don't execute printfs in simulation
\t-C print channel access info (combine with -g etc.)
\t-c columnated -s -r simulation output
\t-d produce symbol-table information
\t-Dyyy pass -Dyyy to the preprocessor
\t-Eyyy pass yyy to the preprocessor
\t-e compute synchronous product of multiple never claims (modified by -L)
\t-f \"..formula..\"  translate LTL into never claim
\t-F file  like -f, but with the LTL formula stored in a 1-line file
\t-g print all global variables
\t-h at end of run, print value of seed for random nr generator used
\t-i interactive (random simulation)
\t-I show result of inlining and preprocessing
\t-J reverse eval order of nested unlesses
\t-jN skip the first N steps in simulation trail
\t-k fname use the trailfile stored in file fname, see also -t
\t-L when using -e, use strict language intersection
\t-l print all local variables
\t-M generate msc-flow in tcl/tk format
\t-m lose msgs sent to full queues
\t-N fname use never claim stored in file fname
\t-nN seed for random nr generator
\t-O use old scope rules (pre 5.3.0)
\t-o1 .. -o7 optimizations of the verifier
\t-Pxxx use xxx for preprocessing
\t-p print all statements
\t-pp pretty-print (reformat) stdin, write stdout
\t-qN suppress io for queue N in printouts
\t-r print receive events
\t-replay  replay an error trail-file found earlier
\t-run  (or -search) generate a verifier, and compile and run it
\t      options before -search are interpreted by spin to parse the input
\t      options following a -search are used to compile and run the verifier pan
\t      among them: -bfs -bitstate -collapse -hc -i -l -a -link file.c
\t      -noclaim -noreduce -np -safety -ltl name, -D... and all options of pan
\t-s print send events
\t-T do not indent printf output
\t-t[N] follow [Nth] simulation trail, see also -k
\t-Uyyy pass -Uyyy to the preprocessor
\t-uN stop a simulation run after N steps
\t-v verbose, more warnings
\t-w very verbose (when combined with -l or -g)
\t-[XYZ] reserved for use by xspin interface
\t-V print version number and exit
";
