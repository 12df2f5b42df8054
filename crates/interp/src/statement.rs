//! What an edge does, in words of Promela.
//!
//! People see the source text of a statement where there is one for each edge. The statements of a macro, an `inline` or
//! a `for` share one text, that of the call or head; then this form tells them apart.

use ferrospin_model::ir::{Action, Area, Binary, ChannelTest, Expr, Model, Pattern, Place, ProcessId, Unary, leaf_at};

/// Prints actions of one process type.
pub struct Statements<'a> {
    /// The model.
    pub model: &'a Model,
    /// The process type.
    pub process: ProcessId,
}

impl Statements<'_> {
    /// An action.
    pub fn action(&self, action: &Action) -> String {
        match action {
            Action::Guard(e) => self.expr(e),
            Action::Skip => "skip".into(),
            Action::Else => "else".into(),
            Action::Assign(place, e) => format!("{} = {}", self.place(place), self.expr(e)),
            Action::Send { channel, sorted, fields } => {
                let sign = if *sorted { "!!" } else { "!" };
                let field = |e: &Expr| if *e == Expr::Foreign { "_".into() } else { self.expr(e) };
                let fields: Vec<String> = fields.iter().map(field).collect();
                format!("{}{sign}{}", self.expr(channel), fields.join(","))
            }
            Action::Receive(r) => {
                let sign = if r.random { "??" } else { "?" };
                let fields: Vec<String> = r.fields.iter().map(|p| self.pattern(p)).collect();
                let fields = fields.join(",");
                let fields = if r.copy { format!("<{fields}>") } else { fields };
                format!("{}{sign}{fields}", self.expr(&r.channel))
            }
            Action::Assert(e) => format!("assert({})", self.expr(e)),
            Action::Print { .. } => "printf".into(),
            Action::Run { process, args, .. } => {
                format!("run {}({})", self.model.process(*process).name, self.list(args))
            }
            Action::SetPriority(p, n) => format!("set_priority({}, {})", self.expr(p), self.expr(n)),
            Action::End => "end".into(),
            Action::DStep(_) => "d_step".into(),
            Action::Call(_) | Action::Foreign => "c_code".into(),
        }
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(",")
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Match(Expr::Const(n)) => n.to_string(),
            Pattern::Match(e) => format!("eval({})", self.expr(e)),
            Pattern::Bind(place) => self.place(place),
            Pattern::Any => "_".into(),
        }
    }

    /// A variable with its indices.
    fn place(&self, place: &Place) -> String {
        let leaves = match place.area {
            Area::Global => &self.model.globals,
            Area::Local => &self.model.process(self.process).locals,
        };
        let Some(leaf) = leaf_at(leaves, place).map(|i| &leaves[i]) else { return "?".into() };
        // Indices that are constant have become part of the offset.
        let mut rest = place.offset - leaf.offset;
        let mut dynamic = place.indices.iter().peekable();
        let mut indices = leaf.dims.iter().map(|(_, stride)| match dynamic.next_if(|i| i.stride == *stride) {
            Some(i) => self.expr(&i.value),
            None => {
                let constant = rest / stride;
                rest %= stride;
                constant.to_string()
            }
        });
        let mut out = String::new();
        let mut parts = leaf.name.split("[]").peekable();
        while let Some(part) = parts.next() {
            out += part;
            if parts.peek().is_some() {
                out += &format!("[{}]", indices.next().unwrap_or_default());
            }
        }
        out + &indices.map(|i| format!("[{i}]")).collect::<String>()
    }

    /// An expression; what is inside another one has parentheses.
    fn expr(&self, e: &Expr) -> String {
        let inner = |e: &Expr| match e {
            Expr::Binary(..) | Expr::Cond(_) => format!("({})", self.expr(e)),
            e => self.expr(e),
        };
        match e {
            Expr::Const(n) => n.to_string(),
            Expr::Load(place) => self.place(place),
            Expr::Unary(op, a) => {
                let sign = match op {
                    Unary::Minus => "-",
                    Unary::Complement => "~",
                    Unary::Not => "!",
                };
                format!("{sign}{}", inner(a))
            }
            Expr::Binary(op, a, b) => format!("{} {} {}", inner(a), sign(*op), inner(b)),
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                format!("{} -> {} : {}", inner(c), inner(a), inner(b))
            }
            Expr::Channel(test, c) => {
                let name = match test {
                    ChannelTest::Len => "len",
                    ChannelTest::Full => "full",
                    ChannelTest::Empty => "empty",
                    ChannelTest::NotFull => "nfull",
                    ChannelTest::NotEmpty => "nempty",
                };
                format!("{name}({})", self.expr(c))
            }
            Expr::Poll(r) => {
                let fields: Vec<String> = r.fields.iter().map(|p| self.pattern(p)).collect();
                format!("{}?[{}]", self.expr(&r.channel), fields.join(","))
            }
            Expr::Pid => "_pid".into(),
            Expr::Last => "_last".into(),
            Expr::ProcessCount => "_nr_pr".into(),
            Expr::ChannelCount => "_nr_qs".into(),
            Expr::Timeout => "timeout".into(),
            Expr::NonProgress => "np_".into(),
            Expr::Enabled(p) => format!("enabled({})", self.expr(p)),
            Expr::PcValue(p) => format!("pc_value({})", self.expr(p)),
            Expr::Priority(p) => format!("get_priority({})", self.expr(p)),
            Expr::AtLocation(process, pid, location) => {
                let label = self.model.locations.get(location.index()).and_then(|l| l.labels.first());
                let label = label.map_or("?", |l| l);
                format!("{}@{label}", self.remote(*process, pid.as_deref()))
            }
            Expr::Remote(process, pid, place) => {
                let other = Statements { model: self.model, process: *process };
                format!("{}:{}", self.remote(*process, pid.as_deref()), other.place(place))
            }
            Expr::Call(_) | Expr::Foreign => "c_expr".into(),
        }
    }

    fn remote(&self, process: ProcessId, pid: Option<&Expr>) -> String {
        let pid = pid.map_or(String::new(), |p| format!("[{}]", self.expr(p)));
        format!("{}{pid}", self.model.process(process).name)
    }
}

fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::BitAnd => "&",
        Binary::BitXor => "^",
        Binary::BitOr => "|",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}
