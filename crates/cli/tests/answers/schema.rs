//! The JSON report is what `docs/report.schema.json` says: real reports of all sorts are compared with it.
//!
//! Of JSON Schema what the file uses is understood: `type`, `enum`, `required`, `properties`, `additionalProperties`, `items`, `$ref`.

use crate::{folder, run};
use serde_json::Value;
use std::path::Path;

/// What is wrong with a value, with the path to it.
fn wrong(schema: &Value, root: &Value, value: &Value, path: &str, out: &mut Vec<String>) {
    for key in schema.as_object().expect("a schema is an object").keys() {
        let known = [
            "type",
            "enum",
            "required",
            "properties",
            "additionalProperties",
            "items",
            "$ref",
            "$defs",
            "$schema",
            "$id",
            "title",
            "description",
        ];
        assert!(known.contains(&key.as_str()), "{path}: the test does not know `{key}`");
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/$defs/").expect("definitions of the same file");
        let definition = &root["$defs"][name];
        assert!(definition.is_object(), "{path}: there is no definition `{name}`");
        return wrong(definition, root, value, path, out);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let fits = |name: &&str| match *name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{path}: there is no type `{other}`"),
    };
    if !types.is_empty() && !types.iter().any(fits) {
        out.push(format!("{path}: {value} is none of {types:?}"));
    }
    if let Some(list) = schema["enum"].as_array()
        && !list.contains(value)
    {
        out.push(format!("{path}: {value} is none of {list:?}"));
    }
    if let Some(object) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                out.push(format!("{path}: `{name}` is missing"));
            }
        }
        for (name, inner) in object {
            match &schema["properties"][name] {
                Value::Null if schema["additionalProperties"] == Value::Bool(false) => {
                    out.push(format!("{path}: `{name}` is not in the schema"));
                }
                Value::Null => {}
                schema => wrong(schema, root, inner, &format!("{path}.{name}"), out),
            }
        }
    }
    if let (Some(list), Some(items)) = (value.as_array(), schema.get("items")) {
        list.iter().enumerate().for_each(|(i, v)| wrong(items, root, v, &format!("{path}[{i}]"), out));
    }
}

#[test]
fn reports_fit_the_schema() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("the schema")).expect("JSON");
    let dir = folder("schema");
    let models = [
        (
            "race",
            "byte n; active [2] proctype P() { n++; assert(n < 2) } ltl a { <> (n == 2) } ltl b { [] (n == 7 -> <> (n == 0)) }",
        ),
        ("stuck", "chan c = [1] of { byte }; active [2] proctype P() { byte x; c?x }"),
        (
            "cycle",
            "bool a; active proctype P() { progress: do :: a = !a od } active proctype Q() { skip } ltl f { <> [] a }",
        ),
        ("bad", "active proctype P() { x = 1 }"),
    ];
    let mut reports = 0;
    for (name, text) in models {
        let model = format!("{name}.pml");
        std::fs::write(dir.join(&model), text).expect("the folder can be written");
        for args in [
            &["--no-trail"][..],
            &["--overwrite"],
            &["--progress"],
            &["--por", "off", "--store", "bitstate", "--safety"],
            &["--under", "schedule"],
            &["--max-errors", "0", "--fair"],
            &["--walk", "--depth-limit", "5", "--time-limit", "100ms"],
            &["--ltl", "[] (nothing)"],
        ] {
            let limit = ["check", "--format", "json", "--threads", "1"];
            let all: Vec<&str> = limit.iter().chain(args).copied().chain([model.as_str()]).collect();
            let (_, said, why) = run(&dir, &all);
            // Contradictions of options are told before there is a report.
            if said.is_empty() {
                assert!(!why.is_empty(), "{all:?}");
                continue;
            }
            let report: Value = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{all:?}: {e}: {said}"));
            let mut list = Vec::new();
            wrong(&schema, &schema, &report, "report", &mut list);
            assert!(list.is_empty(), "{all:?}:\n{}", list.join("\n"));
            reports += 1;
        }
    }
    assert!(reports > 25, "{reports}");
}
