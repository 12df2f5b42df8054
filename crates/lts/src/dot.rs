//! Graphs as pictures, in the language of Graphviz.

use crate::graph::{Graph, Label};
use std::fmt::Write;

/// A graph as text for `dot`. Internal edges are dashed; states show what holds in them.
pub fn write(graph: &Graph) -> String {
    let mut out = String::from("digraph lts {\n  node [shape=circle, fontname=\"monospace\"];\n");
    out += "  edge [fontname=\"monospace\"];\n  start [shape=point];\n";
    let _ = writeln!(out, "  start -> {};", graph.initial().0);
    for state in graph.states() {
        match graph.valuation() {
            None => _ = writeln!(out, "  {};", state.0),
            Some(valuation) => {
                let text = quoted(&format!("{}\n{}", state.0, valuation.class_text(graph.class(state))));
                let _ = writeln!(out, "  {} [label={text}, shape=box];", state.0);
            }
        }
    }
    for (source, edge) in graph.all_edges() {
        let style = if edge.label == Label::TAU { ", style=dashed" } else { "" };
        let text = quoted(graph.labels().text(edge.label));
        let _ = writeln!(out, "  {} -> {} [label={text}{style}];", source.0, edge.target.0);
    }
    out += "}\n";
    out
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
