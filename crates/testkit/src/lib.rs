//! What the tests share: reading models, plain runs, expectation files.

pub mod generate;
pub mod random;

use ferrospin_interp::Interp;
use ferrospin_model::ir::{Model, ProcessKind};
use ferrospin_promela::preprocess::{Define, Loader, Options};
use ferrospin_search::naive;
use ferrospin_source::SourceMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads included files from the folder of the including one.
pub struct FolderLoader;

impl Loader for FolderLoader {
    fn load(&mut self, includer: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        let path: PathBuf = Path::new(includer).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((String::from_utf8_lossy(&bytes).into(), path.display().to_string()))
    }
}

/// Reads and lowers a model; `Err` holds the diagnostics as text.
pub fn model(name: &str, text: &str, defines: &[&str]) -> Result<Model, String> {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let defines = defines
        .iter()
        .map(|d| {
            let d = d.trim_start_matches("-D");
            match d.split_once('=') {
                Some((n, v)) => Define::Set(n.into(), Some(v.into())),
                None => Define::Set(d.into(), None),
            }
        })
        .collect();
    let options = Options { defines, include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    let mut said = reading.diagnostics;
    if !said.has_errors() {
        let (model, more) = ferrospin_model::lower::lower(&map, &reading.program, &reading.names);
        said.extend(more);
        if !said.has_errors() {
            return Ok(model);
        }
    }
    Err(said
        .iter()
        .map(|d| {
            let line = map.position(d.span).map_or(0, |p| p.line);
            format!("{line}: {}: {}\n", d.code, d.message)
        })
        .collect())
}

/// A plain run: every reachable state, without reduction. With `claim` the first never claim runs beside.
pub fn plain(model: &Model, claim: bool, options: &naive::Options) -> naive::Outcome {
    let never = model.processes.iter().position(|p| p.kind == ProcessKind::Never);
    let model = match never {
        Some(i) if claim => model.with_claim(ferrospin_model::ir::ProcessId(i as u32)),
        _ => model.clone(),
    };
    let has_claim = model.layout.claim.is_some();
    let edges = model.edges.len();
    let mut machine = Interp::new(Arc::new(model));
    naive::search(&mut machine, &naive::Options { has_claim, ..options.clone() }, edges, &mut |_| true)
}
