//! Options of security protocols: which sessions run, and against whom.

use ferrospin::front::Setting;

/// See the module. Whether values can be read is for the language to say, which knows the roles.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Security protocols")]
pub(crate) struct ProtocolArgs {
    /// The sessions that run, such as `A=2,B=1` or `A(a)=2,B(b)` [default: those of the file, or one of each role]
    #[arg(long, value_name = "SESSIONS")]
    run: Option<String>,

    /// Up to N more sessions, of any role by any agent
    #[arg(long, value_name = "N")]
    extra: Option<u32>,

    /// All ways to run up to N sessions, beside one of each server
    #[arg(long, value_name = "N", conflicts_with_all = ["run", "extra"])]
    sessions: Option<u32>,

    /// How the intruder opens messages: `full`, or `simple` where that is sound [default: chosen by the claims]
    #[arg(long, value_name = "HOW")]
    intruder: Option<String>,

    /// Which secrecy is checked: `generic` (nothing leaks later than it was made), `claim`, or `both` [default: both]
    #[arg(long, value_name = "WHICH")]
    secrecy: Option<String>,

    /// Which values are watched for leaks: `all` or `nonces` [default: all]
    #[arg(long, value_name = "WHICH")]
    watch: Option<String>,

    /// A variable takes any atom and any ciphertext, whatever its type
    #[arg(long)]
    untyped: bool,
}

impl ProtocolArgs {
    /// What was asked for, by name.
    pub(crate) fn settings(&self) -> Vec<Setting> {
        let number = |n: &Option<u32>| n.map(|n| n.to_string());
        let untyped = self.untyped.then(|| "yes".to_owned());
        let all = [
            ("run", self.run.clone()),
            ("extra", number(&self.extra)),
            ("sessions", number(&self.sessions)),
            ("intruder", self.intruder.clone()),
            ("secrecy", self.secrecy.clone()),
            ("watch", self.watch.clone()),
            ("untyped", untyped),
        ];
        let given = all.into_iter().filter_map(|(name, value)| Some(Setting { name: name.into(), value: value? }));
        given.collect()
    }
}
