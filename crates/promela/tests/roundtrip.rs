//! Printing a tree and reading the text again gives the same tree, for every model of the project.

use ferrospin_promela::ast::Program;
use ferrospin_promela::preprocess::{Loader, Options, preprocess};
use ferrospin_promela::{containers, parse, print};
use ferrospin_source::{Diagnostics, SourceMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Includes come from the folder of the including file.
struct Folder(PathBuf);

impl Loader for Folder {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        let text = std::fs::read_to_string(self.0.join(name)).map_err(|e| e.to_string())?;
        Ok((text.into(), name.to_string()))
    }
}

fn read(name: &str, text: &str, folder: &Path) -> (Program, Diagnostics) {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let (expanded, mut said) = preprocess(&mut map, file, &Options::default(), &mut Folder(folder.to_path_buf()));
    let expanded = if containers::is_asked_for(text) { containers::rewrite(&expanded).0 } else { expanded };
    let (program, more) = parse::parse(&mut map, &expanded);
    said.extend(more);
    (program, said)
}

fn errors(said: &Diagnostics) -> Vec<&str> {
    said.iter().filter(|d| !d.lint).map(|d| d.message.as_str()).collect()
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "pml") {
            found.push(path);
        }
    }
}

#[test]
fn every_model_survives_printing() {
    let mut found = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), &mut found);
    found.sort();
    assert!(found.len() > 30, "the models are not where they should be");
    for path in found {
        let name = path.display().to_string();
        let folder = path.parent().expect("a file has a folder");
        let text = std::fs::read_to_string(&path).expect("models are readable");
        let (tree, said) = read(&name, &text, folder);
        assert!(errors(&said).is_empty(), "{name}: {:?}", errors(&said));
        survives(&name, &tree);
    }
}

fn survives(name: &str, tree: &Program) {
    let printed = print::program(tree);
    let (again, said) = read("printed", &printed, Path::new("."));
    assert!(errors(&said).is_empty(), "{name}: {:?}\n{printed}", errors(&said));
    assert!(again == *tree, "{name}: the tree changed\n{printed}");
    assert_eq!(print::program(&again), printed, "{name}: printing is not stable");
}

#[test]
fn awkward_texts_survive_printing() {
    // Each is a body; the head declares what they use.
    let bodies = [
        "x = - - 1; x = -(-x); x = ! !x; x = ~~x; x = x - -1",
        "x = (x + 1) * 2; x = x + 1 * 2; x = x - (x - 1); x = x - x - 1; x = (x < 1) == (x < 2)",
        "x = (x -> 1 : (y -> 2 : 3)); x = 1 + (x -> 1 : 2)",
        "q! !x,y; q!!x,y; q!(x)(y); q!x(y); q! (!x)(y)",
        "q?x,y; q?x(y); q?(x,y); q?x,(y); q??<x,y>; q?<x(y)>; q?-1,eval(x - 1); q?[x,y] && q??[_,1]",
        "select (x : 1 .. 3); select (x : (1) .. 3); select (x : 1 .. 60); select (x :\n 1 .. 3)",
        "printf(\"a \\\" b\"); x = '\\n'; x = '\\''; x = 'a'; x = 4294967295",
        "L: M: x = 1; N: ; x = 2; end:",
        "L: x = 1 unless M: y = 2; { x = 1 } unless { y == 2; skip }; do :: break od unless x",
        "if :: x -> skip :: else fi; do :: x = 1; break :: timeout -> skip; skip :: else -> break od",
        "double((x + 1)); double(x + 1); double( x  +\n1 ); x = next(y); sum(x, - 1); atomic { sum(x, (1)) }",
        "for (x : 1 .. y + 1) { skip } ; for (x in a) { y = a[x] }; d_step { x++; y-- }",
        "byte z = 3, w; int b[2] = 1; T t; t.f = 1; t.g[x].h = t.f; xr q; xs q",
        "assert x > 1; assert(full(q) || x && nempty(q)); (empty(q) && x)",
        "c_code { int k = 0; /* x */ } ; c_expr { now.x > 1 } -> c_code [x > 0] { \"}\" '}'; }",
        "run P(1, 2) priority 3; x = run P(x, y); set_priority(_pid, 2); x = get_priority(x)",
        "(P@l && P[1]@l) || P[x + 1]:v == 2; enabled(1) && pc_value(0) == x && np_",
    ];
    let head = "byte x, y, a[3]; chan q = [2] of { byte, byte };\nmtype = { red, green }; mtype:m = { one };\n\
        typedef U { byte h }\ntypedef T { byte f; U g[2] }\n\
        proctype P(byte i, j) { byte v; l: skip }\n\
        inline double(n) { x = n * 2\n\n   y  =  n }\ninline next(n) { return n + 1 }\ninline sum(s, n) { s = s - n; double(s - n) }\n";
    for body in bodies {
        let text = format!("{head}active proctype Q() {{ {body} }}\n");
        let (tree, said) = read("text", &text, Path::new("."));
        assert!(errors(&said).is_empty(), "{body}: {:?}", errors(&said));
        survives(body, &tree);
    }
    let units = [
        "ltl a { [] (x -> <> y) } ltl { x U (y V x W y) <-> !x && (x || y) } init { skip }",
        "ltl { (x U y) U x && x U (y U x) } ltl { [] <> x U y } ltl { always (x implies eventually y) } init { skip }",
        "never n { T0: if :: !(x) -> goto T0 fi } trace { do :: q!1,2 od } D_proctype D() { skip }",
        "active [2] proctype A() priority 3 provided (x > 1) { skip } init priority 2 { skip }",
        "unsigned u : 5; hidden int h; show byte s; local byte l; chan c[2] = [3] of { mtype:m, U, chan }; int b[3] = { 1, 2, red };",
        "c_decl { int k; } c_state \"int k\" \"Global\" \"1\" c_track \"&k\" \"4\" \"Matched\" c_code { int j; }",
    ];
    for unit in units {
        let text = format!("{head}{unit}\n");
        let (tree, said) = read("text", &text, Path::new("."));
        assert!(errors(&said).is_empty(), "{unit}: {:?}", errors(&said));
        survives(unit, &tree);
    }
}
