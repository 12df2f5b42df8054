//! The end of a simulation, in the form SPIN gives it.

use crate::run::{Moment, Texts};
use ferrospin_interp::describe::{Content, Describer, Value};
use ferrospin_model::ir::{Model, Show};

/// The end of a run: the processes that are left, the globals, where each process stands, and how many processes there were.
pub(crate) fn ending(texts: &Texts<'_>, model: &Model, now: &Moment, locals: bool) -> String {
    let mut out = String::new();
    let described = Describer::new(model, &now.state);
    let processes = described.processes();
    if !processes.is_empty() {
        out += &format!("#processes: {}\n", processes.len());
        let values = described.values();
        out += &spin_values(&described, &values, None);
        for p in processes.iter().rev() {
            let location = model.location(p.location);
            let place = texts.place(location.span).map_or("-".into(), |p| format!("{}:{}", p.file, p.line));
            let name = if p.name == "init" { ":init:" } else { &p.name };
            let state = texts.runnable.numbers().locations[p.location.index()];
            let end = if p.may_stop { " <valid end state>" } else { "" };
            let depth = now.depth;
            out += &format!("{depth:3}:\tproc {:2} ({name}:{}) {place} (state {state}){end}\n", p.number, p.priority);
            if locals {
                out += &spin_values(&described, &values, Some(p.number));
            }
        }
    }
    let created = now.created;
    out += &format!("{created} process{} created\n", if created == 1 { "" } else { "es" });
    out
}

/// Values as SPIN lists them in the end: truth values are numbers, a channel shows what is in it.
fn spin_values(described: &Describer<'_>, values: &[Value], process: Option<usize>) -> String {
    let mut out = String::new();
    let prefix = process.map_or(String::new(), |p| {
        let name = described.process_name(p);
        format!("{}({p}):", if name == "init" { ":init:" } else { &name })
    });
    let text = |value: i32, show: Show| match show {
        Show::Mtype(_) => described.text(value, show),
        _ => value.to_string(),
    };
    for v in values.iter().filter(|v| v.process == process) {
        match v.content {
            Content::Scalar(number, Show::Channel) => {
                let held = values.iter().find_map(|v| match &v.content {
                    Content::Messages(n, messages) if *n == number => Some(messages),
                    _ => None,
                });
                let Some(messages) = held else { continue };
                let list = messages.iter().map(|m| {
                    let fields: Vec<String> = m.iter().map(|(v, show)| text(*v, *show)).collect();
                    format!("[{}]", fields.join(","))
                });
                out += &format!("\t\tqueue {number} ({prefix}{}): {}\n", v.name, list.collect::<String>());
            }
            Content::Scalar(number, show) => out += &format!("\t\t{prefix}{} = {}\n", v.name, text(number, show)),
            Content::Messages(..) => {}
        }
    }
    out
}
