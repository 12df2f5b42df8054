//! What `pan` was compiled with and called with.
//!
//! SPIN's directives decide which options are legal; here they are data. Those that only choose how much memory something
//! takes have no effect.

use crate::atoi;

/// Names of directives that change something here. A stub passes those of them that its compiler has defined.
pub const DIRECTIVES: [&str; 47] = [
    "SAFETY",
    "NOCLAIM",
    "NP",
    "NOFAIR",
    "NFAIR",
    "NOREDUCE",
    "XUSAFE",
    "NOBOUNDCHECK",
    "BFS",
    "BFS_PAR",
    "BITSTATE",
    "HC",
    "HC0",
    "HC1",
    "HC2",
    "HC3",
    "HC4",
    "COLLAPSE",
    "MA",
    "REACH",
    "BCS",
    "MEMLIM",
    "MEMCNT",
    "VECTORSZ",
    "NCORE",
    "SEPQS",
    "JOINPROCS",
    "SPACE",
    "HASH64",
    "NO_RESIZE",
    "NOCOMP",
    "COMP",
    "SC",
    "T_RAND",
    "P_RAND",
    "REVERSE",
    "T_REVERSE",
    "PERMUTED",
    "PUTPID",
    "PEG",
    "VAR_RANGES",
    "CHECK",
    "SDUMP",
    "PRINTF",
    "TRIX",
    "FERROSPIN_PLAIN",
    "FERROSPIN_ALLOW_C",
];

/// What `pan` was compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Compiled {
    pub safety: bool,
    pub no_claim: bool,
    pub non_progress: bool,
    pub no_fair: bool,
    pub no_reduce: bool,
    pub bfs: bool,
    pub bitstate: bool,
    /// The n of `-DHCn`.
    pub hash_compact: Option<u32>,
    pub collapse: bool,
    /// The n of `-DMA=n`.
    pub automaton: Option<u64>,
    pub reach: bool,
    pub bcs: bool,
    pub permuted: bool,
    pub t_reverse: bool,
    pub t_rand: bool,
    pub p_rand: bool,
    pub reverse: bool,
    pub memory_max_mb: Option<u64>,
    pub boundaries_unchecked: bool,
}

impl Compiled {
    /// What directives mean, each `NAME` or `NAME=VALUE`.
    pub fn new<'a>(directives: impl IntoIterator<Item = &'a str>) -> Compiled {
        let mut c = Compiled::default();
        for d in directives {
            let (name, value) = d.split_once('=').unwrap_or((d, ""));
            match name {
                "SAFETY" => c.safety = true,
                "NOCLAIM" => c.no_claim = true,
                "NP" => c.non_progress = true,
                "NOFAIR" => c.no_fair = true,
                "NOREDUCE" => c.no_reduce = true,
                "NOBOUNDCHECK" => c.boundaries_unchecked = true,
                "BFS" | "BFS_PAR" => (c.bfs, c.safety) = (true, true),
                "BITSTATE" => c.bitstate = true,
                "HC" => c.hash_compact = Some(atoi(value).clamp(0, 4) as u32),
                "HC0" | "HC1" | "HC2" | "HC3" | "HC4" => c.hash_compact = Some(atoi(&name[2..]) as u32),
                "COLLAPSE" => c.collapse = true,
                "MA" => c.automaton = Some(atoi(value).max(0) as u64),
                "REACH" => c.reach = true,
                "BCS" => c.bcs = true,
                "PERMUTED" => c.permuted = true,
                "T_REVERSE" => c.t_reverse = true,
                "T_RAND" => c.t_rand = true,
                "P_RAND" => c.p_rand = true,
                "REVERSE" => c.reverse = true,
                "MEMLIM" => c.memory_max_mb = Some(atoi(value).max(0) as u64),
                "MEMCNT" => c.memory_max_mb = Some(1u64.checked_shl(atoi(value).max(0) as u32).unwrap_or(0) >> 20),
                _ => {}
            }
        }
        // As in pan.c: a search for non-progress cycles needs no claim of the model.
        c.no_claim &= !c.non_progress;
        c
    }

    /// Why no compiler makes a verifier of these directives.
    pub fn clash(&self) -> Option<&'static str> {
        let clashes = [
            (self.safety && self.non_progress, "cannot combine -DNP and -DBFS or -DSAFETY"),
            (self.hash_compact.is_some() && self.bitstate, "cannot combine -DHC and -DBITSTATE"),
            (self.automaton.is_some() && self.bitstate, "cannot combine -DMA and -DBITSTATE"),
            (self.automaton == Some(0), "usage: -DMA=N with N > 0 and N < VECTORSZ"),
            (self.collapse && self.bitstate, "cannot combine -DBITSTATE and -DCOLLAPSE"),
            (self.bfs && self.bcs, "cannot combine -DBCS and -DBFS"),
        ];
        clashes.iter().find(|(is_so, _)| *is_so).map(|(_, why)| *why)
    }
}

/// What is known of a model before its verifier's options are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Names of the claims, in the order of the text.
    pub claims: Vec<String>,
    /// There are accept labels, in processes or claims.
    pub accepts: bool,
    /// There are rendezvous channels.
    pub rendezvous: bool,
    /// There is an `unless`.
    pub unless: bool,
    /// Processes have priorities, beside which SPIN does not reduce.
    pub priorities: bool,
}

/// What `pan` was called with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Options {
    /// `-a` or `-l`: look for cycles.
    pub cycles: bool,
    /// `-f`
    pub fair: bool,
    /// `-A`
    pub ignore_assert: bool,
    /// `-E`
    pub ignore_ends: bool,
    /// `-q`
    pub empty_channels: bool,
    /// `-b`: the depth limit is an error.
    pub bounded: bool,
    /// `-cN`; 0 for never.
    pub stop_at: u64,
    /// `-e`: a trail for every error.
    pub every_error: bool,
    /// `-i` or `-I`: the shortest one.
    pub shortest: bool,
    /// `-mN`
    pub depth_max: u64,
    /// `-wN`
    pub table_bits: i64,
    /// `-kN`
    pub hashes: u32,
    /// `-hN`
    pub hash: u64,
    /// `-RSn`
    pub seed: u64,
    /// `-n`: no list of unreached states.
    pub no_unreached: bool,
    /// `-N`
    pub claim: Option<Claim>,
    /// `-QN`, in minutes.
    pub minutes: Option<u64>,
    /// `-tSUF`
    pub suffix: Option<String>,
    /// `-T`
    pub read_only: bool,
    /// `-x`
    pub exclusive: bool,
    /// `-v`
    pub verbose: bool,
    /// `-d`
    pub tables: bool,
    /// `-D`
    pub dot: bool,
    /// `-X`: messages on standard output.
    pub merged_streams: bool,
    /// `-L`
    pub switches_max: i64,
    /// What follows a trail.
    pub replay: Option<Replay>,
    /// `-t_reverse`
    pub reversed: bool,
}

/// Which claim is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Claim {
    Name(String),
    Number(i64),
}

/// `-r`, `-C`, `-S`, `-g`, `-PN`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Replay {
    pub columns: bool,
    pub silent: bool,
    pub only: Option<i64>,
    pub number: i64,
    pub file: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cycles: false,
            fair: false,
            ignore_assert: false,
            ignore_ends: false,
            empty_channels: false,
            bounded: false,
            stop_at: 1,
            every_error: false,
            shortest: false,
            depth_max: 10_000,
            table_bits: 24,
            hashes: 3,
            hash: 0,
            seed: 12345,
            no_unreached: false,
            claim: None,
            minutes: None,
            suffix: None,
            read_only: false,
            exclusive: false,
            verbose: false,
            tables: false,
            dot: false,
            merged_streams: false,
            switches_max: 0,
            replay: None,
            reversed: false,
        }
    }
}

/// What came of reading the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// What was asked for; `None` where the program ends at once.
    pub options: Option<Options>,
    /// What goes to standard output.
    pub out: String,
    /// What goes to standard error.
    pub err: String,
    /// The exit code where the program ends.
    pub code: u8,
}

struct Reader<'a> {
    compiled: &'a Compiled,
    facts: &'a Facts,
    options: Options,
    out: String,
    err: String,
}

/// Reads the arguments behind `pan`.
pub fn parse(args: &[String], compiled: &Compiled, facts: &Facts) -> Parsed {
    let options = Options { hashes: 3, ..Options::default() };
    let mut r = Reader { compiled, facts, options, out: String::new(), err: String::new() };
    let mut at = 0;
    while let Some(option) = args.get(at).and_then(|a| a.strip_prefix('-')) {
        let next = args.get(at + 1).map(String::as_str).filter(|a| !a.starts_with('-'));
        match r.option(option, next) {
            Taken::One => at += 1,
            Taken::Two => at += 2,
            Taken::Usage => {
                let usage = usage(compiled, facts);
                r.say(&usage);
                return r.end(1);
            }
            Taken::End(code) => return r.end(code),
        }
    }
    r.settle()
}

enum Taken {
    One,
    Two,
    Usage,
    End(u8),
}

impl Reader<'_> {
    fn say(&mut self, text: &str) {
        if self.options.merged_streams { self.out += text } else { self.err += text }
    }

    fn end(self, code: u8) -> Parsed {
        Parsed { options: None, out: self.out, err: self.err, code }
    }

    fn option(&mut self, option: &str, next: Option<&str>) -> Taken {
        let Some(letter) = option.chars().next() else {
            self.say("saw option -\n");
            return Taken::Usage;
        };
        let (c, behind) = (self.compiled, &option[letter.len_utf8()..]);
        let digits = behind.starts_with(|d: char| d.is_ascii_digit());
        let o = &mut self.options;
        match letter {
            'a' if c.non_progress => self.say("warning: -a is disabled by -DNP, ignored\n"),
            'a' if !c.safety => o.cycles = true,
            'A' => o.ignore_assert = true,
            'b' => o.bounded = true,
            'c' => o.stop_at = atoi(behind).max(0) as u64,
            'D' => (o.dot, o.tables) = (true, true),
            'd' => o.tables = true,
            'e' => (o.every_error, o.stop_at) = (true, 0),
            'E' => o.ignore_ends = true,
            'f' if !c.safety && !c.no_fair => o.fair = true,
            'h' if option.starts_with("hash") => {}
            'h' if digits => o.hash = atoi(behind) as u64 % 500,
            'h' => return Taken::Usage,
            'i' if option.starts_with("i_reverse") => {}
            'i' | 'I' => (o.shortest, o.every_error) = (true, true),
            'J' | 'Y' | 'z' | 'u' => {}
            'k' if c.bitstate => o.hashes = atoi(behind).clamp(0, 100) as u32,
            'L' if c.bcs => o.switches_max = atoi(behind).min(255),
            'l' if !c.safety && c.non_progress => o.cycles = true,
            'l' if !c.safety => {
                self.say("error: -l not available (compile with -DNP)");
                return Taken::Usage;
            }
            'M' | 'G' if c.bitstate => {}
            'M' | 'G' => self.err += "-M and -G affect only -DBITSTATE\n",
            'm' => o.depth_max = atoi(behind).max(0) as u64,
            'N' if !c.no_claim => return self.claim(behind, next),
            'N' => {}
            'n' => o.no_unreached = true,
            'P' if o.replay.is_none() && digits => {
                if !matches!(atoi(behind), 0 | 1) {
                    self.say("pan: bad option -P[01], ignored\n");
                }
            }
            'P' => return self.replay(next, |r| r.only = Some(atoi(behind)), ""),
            'p' => return self.permutation(option),
            'Q' => o.minutes = Some(atoi(behind).max(0) as u64),
            'q' => o.empty_channels = true,
            'R' if behind.starts_with('S') => o.seed = atoi(&behind[1..]) as u64,
            'R' if c.bitstate => {}
            'R' => return Taken::Usage,
            'r' if option.starts_with("rhash") && c.permuted => {}
            'r' if option.starts_with("rhash") => {
                self.say("option -rhash requires compilation with -DPERMUTED\n");
                return Taken::End(1);
            }
            'r' => return self.replay(next, |_| {}, behind),
            'C' => return self.replay(next, |r| r.columns = true, behind),
            'S' => return self.replay(next, |r| r.silent = true, behind),
            'g' => return self.replay(next, |_| {}, behind),
            'T' if digits => o.reversed = atoi(behind) != 0,
            'T' => o.read_only = true,
            't' if option.starts_with("t_reverse") => o.reversed = true,
            't' if !behind.is_empty() => o.suffix = Some(behind.into()),
            't' => {}
            'V' => {
                self.out += &format!("Generated by {}\nCompiled as: cc -o pan pan.c\n", crate::VERSION);
                return Taken::End(2);
            }
            'v' => o.verbose = true,
            'w' => o.table_bits = atoi(behind),
            'X' => o.merged_streams = true,
            'x' => o.exclusive = true,
            other => {
                self.say(&format!("saw option -{other}\n"));
                return Taken::Usage;
            }
        }
        Taken::One
    }

    fn claim(&mut self, behind: &str, next: Option<&str>) -> Taken {
        let word = behind.chars().next();
        if self.facts.claims.len() > 1 {
            let o = &mut self.options;
            return match (word, next) {
                (Some('0'..='9'), _) => {
                    o.claim = Some(Claim::Number(atoi(behind)));
                    Taken::One
                }
                (Some(c), _) if c.is_ascii_alphabetic() => {
                    o.claim = Some(Claim::Name(behind.into()));
                    Taken::One
                }
                (_, Some(name)) => {
                    o.claim = Some(Claim::Name(name.into()));
                    Taken::Two
                }
                _ => Taken::One,
            };
        }
        let what = if self.facts.claims.is_empty() { "no claims" } else { "only one claim" };
        self.err += &format!("warning: {what} defined, -N ignored\n");
        if !word.is_some_and(|c| c.is_ascii_digit()) && next.is_some() { Taken::Two } else { Taken::One }
    }

    fn replay(&mut self, next: Option<&str>, set: impl FnOnce(&mut Replay), number: &str) -> Taken {
        let replay = self.options.replay.get_or_insert_default();
        set(replay);
        if number.starts_with(|d: char| d.is_ascii_digit()) {
            replay.number = atoi(number);
            return Taken::One;
        }
        match next {
            Some(file) => {
                replay.file = Some(file.into());
                Taken::Two
            }
            None => Taken::One,
        }
    }

    fn permutation(&mut self, option: &str) -> Taken {
        let words = ["p_permute", "p_rotate", "p_randrot", "p_reverse"];
        let known = words.iter().any(|w| option.starts_with(w));
        if self.compiled.bfs || self.compiled.permuted && (known || option.starts_with("p_normal")) {
            if self.compiled.bfs {
                self.say(&format!("invalid option '-{option}' -- ignored\n"));
            }
            return Taken::One;
        }
        if known {
            self.say(&format!("option -{option} required compilation with -DPERMUTED\n"));
            return Taken::End(1);
        }
        self.say(&format!("invalid option '-{option}' -- ignored\n"));
        Taken::One
    }

    /// What is left to say when all options are read.
    fn settle(mut self) -> Parsed {
        let (c, f) = (self.compiled, self.facts);
        let has_claim = (!f.claims.is_empty() && !c.no_claim) || c.non_progress;
        if !c.safety {
            if self.options.fair && !self.options.cycles {
                self.say("error: -f requires the use of -a or -l\n");
                let usage = usage(c, f);
                self.say(&usage);
                return self.end(1);
            }
            if !f.accepts && !c.non_progress && self.options.cycles {
                self.say("warning: no accept labels are defined, so option -a has no effect (ignored)\n");
                self.options.cycles = false;
            }
        }
        if self.options.shortest && self.options.read_only {
            self.options.read_only = false;
            self.say("warning: -T ignored when -i or -I is used\n");
        }
        if c.bitstate && self.options.hashes == 0 {
            self.options.hashes = 1;
            self.say("warning: using -k1 as minimal usable value\n");
        }
        if self.options.shortest && self.options.cycles {
            self.say("warning: -i or -I work for safety properties only\n");
        }
        if self.options.depth_max == 0 || self.options.table_bits <= 1 {
            let usage = usage(c, f);
            self.say(&usage);
            return self.end(1);
        }
        if f.rendezvous && !c.no_reduce && self.options.cycles && self.options.fair {
            self.say("error: p.o. reduction not compatible with fairness (-f) in models\n");
            self.say("       with rendezvous operations: recompile with -DNOREDUCE\n");
            return self.end(1);
        }
        if f.rendezvous && !c.no_reduce && f.unless {
            self.say("warning: use of a rendezvous stmnts in the escape\n");
            self.say("\tof an unless clause, if present, could make p.o. reduction\n");
            self.say("\tinvalid (use -DNOREDUCE to avoid this)\n");
            if c.bfs {
                self.say("\t(this type of rv is also not compatible with -DBFS)\n");
            }
        }
        if f.rendezvous && c.bfs && !self.options.ignore_ends {
            self.say("warning: use of rendezvous with BFS does not preserve all invalid endstates\n");
        }
        if self.options.shortest && !c.reach && !c.bitstate && !self.options.cycles {
            self.say("warning: -i and -I need -DREACH to work accurately\n");
        }
        let replays = self.options.replay.is_some();
        if has_claim && (f.accepts || c.non_progress) && !self.options.tables && !replays {
            if !c.bfs && !self.options.cycles {
                let text = if c.non_progress {
                    "warning: non-progress claim requires -l flag to fully verify\n"
                } else {
                    "warning: never claim + accept labels requires -a flag to fully verify\n"
                };
                self.say(text);
            } else if c.bfs && self.options.verbose {
                self.say("warning: verification in BFS mode is restricted to safety properties\n");
            }
        }
        Parsed { options: Some(self.options), out: self.out, err: self.err, code: 0 }
    }
}

/// The list of options.
pub fn usage(c: &Compiled, f: &Facts) -> String {
    let mut out = format!("{}\nValid Options are:\n", crate::VERSION);
    let mut line = |text: &str| out += &format!("\t{text}\n");
    match (c.safety, c.non_progress) {
        (true, _) => line("-a,-l,-f  -> are disabled by -DSAFETY"),
        (false, true) => line("-a  -> is disabled by -DNP (-DNP compiles for -l only)"),
        (false, false) => line("-a  find acceptance cycles"),
    }
    line("-A  ignore assert() violations");
    line("-b  consider it an error to exceed the depth-limit");
    line("-cN stop at Nth error (defaults to -c1)");
    line("-D  print state tables in dot-format and stop");
    line("-d  print state tables and stop");
    line("-e  create trails for all errors");
    line("-E  ignore invalid end states");
    if !c.no_fair {
        line("-f  add weak fairness (to -a or -l)");
    }
    line("-hN use different hash-seed N:0..499 (defaults to -h0)");
    line("-hash generate a random hash-polynomial for -h0 (see also -rhash)");
    line("      using a seed set with -RSn (default 12345)");
    line("-i  search for shortest path to error");
    line("-I  like -i, but approximate and faster");
    line("-J  reverse eval order of nested unlesses");
    if c.bitstate {
        line("-kN set N bits per state (defaults to 3)");
    }
    if c.bcs {
        line("-LN set scheduling restriction to N (default 0)");
    }
    match (c.safety, c.non_progress) {
        (true, _) => {}
        (false, true) => line("-l  find non-progress cycles"),
        (false, false) => line("-l  find non-progress cycles -> disabled, requires compilation with -DNP"),
    }
    if c.bitstate {
        line("-MN use N Megabytes for bitstate hash array");
        line("-GN use N Gigabytes for bitstate hash array");
    }
    line("-mN max depth N steps (default=10k)");
    if f.claims.len() > 1 {
        line("-N cn -- use the claim named cn");
        line("-Nn   -- use claim number n");
    }
    line("-n  no listing of unreached states");
    if c.permuted {
        line("-p_permute randomize order in which processes are scheduled (see also -rhash)");
        line("-p_reverse reverse order in which processes are scheduled (see also -rhash)");
        line("-p_rotateN rotate by N the process scheduling order (see also -rhash)");
    }
    line("-QN set time-limit on execution of N minutes");
    line("-q  require empty chans in valid end states");
    line("-r  read and execute trail - can add -v,-n,-PN,-g,-C");
    line("-r trailfilename  read and execute trail in file");
    line("-rN read and execute N-th error trail");
    line("-C  read and execute trail - columnated output (can add -v,-n)");
    line("-r -PN read and execute trail - restrict trail output to proc N");
    line("-g  read and execute trail + msc gui support");
    line("-S  silent replay: only user defined printfs show");
    line("-RSn use randomization seed n");
    line("-rhash use random hash-polynomial and randomly choose -p_rotateN, -p_permute, or p_reverse");
    if c.bitstate {
        line("-Rn run n times n: [1..100] using n  different hash functions");
    }
    line("-T  create trail files in read-only mode");
    line("-t_reverse  reverse order in which transitions are explored");
    line("-tsuf replace .trail with .suf on trailfiles");
    line("-V  print SPIN version number");
    line("-v  verbose -- filenames in unreached state listing");
    line("-wN hashtable of 2^N entries (defaults to -w24)");
    line("-x  do not overwrite an existing trail file");
    out += "\n\toptions -r, -C, -PN, -g, and -S can optionally be followed by\n";
    out += "\ta filename argument, as in '-r filename', naming the trailfile\n";
    out
}
