//! How bad embedded C ends, by both engines, and what is refused, with which words.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::report::PropertyReport;
use ferrospin::verify::{Engine, Options, verify};

fn read(text: &str) -> Front {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    assert!(!front.unreadable, "{}", front.text(false));
    front
}

fn check(front: &Front, options: &Options) -> PropertyReport {
    let verified = verify(front, options).unwrap_or_else(|why| panic!("{}", why.why()));
    verified.properties.into_iter().next().expect("one property")
}

/// Checks a model with a process of this body: by both engines it must end with these words after the given number of steps.
fn ends(declarations: &str, body: &str, message: &str, depth: u64) {
    let front = read(&format!("{declarations}\nactive proctype P() {{ int x; byte i;\n{body}\n}}"));
    for engine in [Engine::Native, Engine::Interp] {
        let report = check(&front, &Options { engine, ..Options::default() });
        let error = report.error.unwrap_or_else(|| panic!("{body} has no error"));
        assert_eq!((error.message.as_str(), error.depth), (message, Some(depth)), "{body} {engine:?}");
    }
}

const ARRAY: &str = "byte a[4]; byte n = 4; byte behind;";

#[test]
fn bad_addresses_are_errors_of_the_model() {
    let at = ", in embedded C at m.pml:3";
    let bounds = |offset| format!("1 bytes at offset {offset} of `now.a`, which has 4{at}");
    ends(ARRAY, "c_code { now.a[now.n] = 1; }", &bounds(4), 1);
    ends(ARRAY, "c_code { now.a[7] = 1; }", &bounds(7), 1);
    ends(ARRAY, "c_expr { now.a[now.n] == 0 }", &bounds(4), 0);
    let wild = |address| format!("access at {address}, which is no address of an object{at}");
    ends(ARRAY, "c_code { now.a[now.n - 5] = 1; }", &wild("0xffffffffffff"), 1);
    ends(ARRAY, "c_code { int *p = (int *)0x123456789abcL; PP->x = *p; }", &wild("0x123456789abc"), 1);
    ends(ARRAY, "c_code { int *p = 0; *p = 1; }", &format!("access through a null pointer{at}"), 1);
    let string = format!("store to `a string`, which cannot be changed{at}");
    ends(ARRAY, "c_code { char *s = \"text\"; s[0] = 'x'; }", &string, 1);
}

#[test]
fn bad_operations_and_endless_code_are_errors_of_the_model() {
    let at = ", in embedded C at m.pml:3";
    let division = format!("division by zero, or its result does not fit{at}");
    ends(ARRAY, "c_code { PP->x = 5 / (now.n - 4); }", &division, 1);
    ends(ARRAY, "assert(c_expr { 1 / (now.n - 4) })", &division, 1);
    ends(ARRAY, "c_code { PP->x = 1 << (now.n * 8); }", &format!("shift by 32 of a value of 32 bits{at}"), 1);
    ends(ARRAY, "c_code { while (1) ; }", &format!("more than 10000000 steps{at}"), 1);
    let deep = "more than 10000 calls inside of one another, in embedded C at m.pml:1";
    ends("c_code { int deep(int n) { return deep(n + 1) + 1; } }", "c_code { PP->x = deep(0); }", deep, 1);
    ends(ARRAY, "c_code { abort(); }", &format!("`abort` is called{at}"), 1);
    ends(ARRAY, "c_code { exit(3); }", &format!("`exit(3)` is called{at}"), 1);
}

#[test]
fn what_c_reports_itself_is_an_error_of_the_model() {
    ends(ARRAY, "c_code { uerror(\"bad\"); }; x = 1; assert(x == 1)", "bad", 1);
    let assertion = "assertion violated: now.n == 5, in embedded C at m.pml:3";
    ends(ARRAY, "c_code { assert(now.n == 5); }", assertion, 1);
    ends(ARRAY, "c_code [now.n < 4] { now.n = 0; }", "c_code line 3 precondition false: now.n < 4", 1);
}

#[test]
fn bad_use_of_allocated_memory_is_an_error_of_the_model() {
    let at = ", in embedded C at m.pml:3";
    let freed = format!("access to `freed memory`, which does not live any more{at}");
    ends("", "c_code { int *p = malloc(4); free(p); *p = 1; }", &freed, 1);
    let twice = format!("`free` of something that was not allocated, or twice{at}");
    ends("", "c_code { int *p = malloc(4); free(p); free(p); }", &twice, 1);
    let bounds = format!("4 bytes at offset 4 of `allocated memory`, which has 4{at}");
    ends("", "c_code { int *p = malloc(4); p[1] = 1; }", &bounds, 1);
    ends("", "c_code { malloc(5000); }", &format!("the heap of 4096 bytes is full{at}"), 1);
}

/// Checks that a model is refused with these words.
fn refused(text: &str, words: &str) {
    let front = read(text);
    let said = match verify(&front, &Options::default()) {
        Err(why) => why.why(),
        Ok(v) => format!("not refused: {:?}", v.properties[0].verdict),
    };
    assert!(
        said.starts_with("the embedded C of the model cannot be run")
            && said.contains("`--allow-c`")
            && said.contains(words),
        "{text}\n{said}"
    );
}

#[test]
fn what_cannot_be_run_is_refused_with_its_place() {
    let body = |c: &str| format!("byte x; active proctype P() {{ c_code {{ {c} }} }}");
    refused(
        &body("system(\"echo hello\");"),
        "m.pml:1:40: embedded C cannot be run: `system`, which is not defined here",
    );
    refused(&body("putrail();"), "`putrail`, which is not defined here");
    refused(&body("undeclared++;"), "in embedded C: `undeclared` is not declared");
    refused(&body("int y = ;"), "m.pml:1:48: in embedded C: expected an expression, found `;`");
    refused(&body("long double d = 1; d = d * d;"), "embedded C cannot be run: a value of this type");
    refused(&body("asm(\"hlt\");"), "inline assembly: hlt");
    refused(&body("int k = 2; int a[k]; a[0] = 1;"), "an array whose length is told when the program runs");
}

#[test]
fn what_leaves_the_state_is_refused() {
    let untracked = "`n` is written here and is no part of the state";
    refused("c_code { int n; }\nactive proctype P() { c_code { n = 1; } }", untracked);
    refused("active proctype P() { c_code { static int n; n++; } }", untracked);
    let other = "`PQ->x` is a variable of another process type than the one that runs this";
    refused("active proctype Q() { byte x; x = 1 } active proctype P() { c_code { PQ->x = 1; } }", other);
    refused("byte x; active proctype P() { c_code { memset(&now, 0, 1); } }", "`now` can be used for its members only");
    refused("active proctype P() { c_code { now._nr_pr = 3; } }", "`now._nr_pr` cannot be changed");
    let changes = "byte x; c_code { int f(void) { return now.x = 1; } } active proctype P() { c_expr { f() } }";
    refused(changes, "`c_expr` must not change `now.x`");
}

#[test]
fn objects_that_cannot_be_are_refused() {
    let skip = "active proctype P() { skip }";
    refused(&format!("c_state \"int x\" \"Globl\"\n{skip}"), "`Globl` is none of `Global`, `Hidden`, and `Local`");
    refused(&format!("c_state \"int x\" \"Local Q\"\n{skip}"), "there is no process type `Q`");
    refused(
        &format!("c_code {{ int n[2]; }}\nc_track \"n\" \"4\"\n{skip}"),
        "this tracks 4 bytes at `n`, and `n` has 8",
    );
    refused(&format!("c_code {{ int *n; }}\nc_track \"n\" \"4\"\n{skip}"), "`n` is not the address of a variable");
    refused(&format!("c_decl {{\n\\#include \"nowhere.h\"\n}}\n{skip}"), "nowhere.h");
}
