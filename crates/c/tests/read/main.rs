//! Reading C: what is accepted, what is said about mistakes, and that no input makes it panic or hang.

mod hostile;

use expect_test::{Expect, expect};
use ferrospin_c::{Dialect, Loader, Options, Reading, Target, read};
use ferrospin_source::{Severity, SourceMap};
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("`{name}` is not there"))
    }
}

pub(crate) fn run(text: &str, target: Target) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("a.c", text);
    let dialect = Dialect { target, system_dirs: Vec::new() };
    let reading = read(&mut map, file, &Options::default(), &dialect, &mut NoFiles);
    (map, reading)
}

fn check(text: &str, expected: Expect) {
    let (map, reading) = run(text, Target::Lp64);
    let mut out = String::new();
    for d in reading.diagnostics.iter() {
        let p = map.position(d.span).expect("messages have places");
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        writeln!(out, "{severity}[{}] {}:{}: {}", d.code, p.line, p.column, d.message).unwrap();
    }
    let bodies = reading.unit.functions.iter().filter(|f| f.body.is_some()).count();
    writeln!(out, "{} functions, {bodies} with bodies", reading.unit.functions.len()).unwrap();
    expected.assert_eq(&out);
}

/// What real code holds, in one file.
pub(crate) const RICH: &str = include_str!("rich.c");

#[test]
fn gnu_c_is_read() {
    check(
        RICH,
        expect![[r#"
        12 functions, 12 with bodies
    "#]],
    );
}

#[test]
fn rich_text_is_read_for_32_bits() {
    let (_, reading) = run(&RICH.replace("__int128", "long long"), Target::Ilp32);
    assert!(!reading.diagnostics.has_errors());
}

#[test]
fn own_headers_are_read() {
    let headers = [
        "assert.h",
        "ctype.h",
        "errno.h",
        "float.h",
        "inttypes.h",
        "limits.h",
        "math.h",
        "stdalign.h",
        "stdarg.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "stdnoreturn.h",
        "string.h",
    ];
    let text: String = headers.iter().map(|h| format!("#include <{h}>\n")).collect();
    let text = text + "int f(int n) { assert(n < INT_MAX); printf(\"%\" PRIu64, (uint64_t)n); return isalpha(n); }\n";
    for target in [Target::Lp64, Target::Ilp32] {
        let (map, reading) = run(&text, target);
        let said = reading.diagnostics.iter().next();
        assert!(said.is_none(), "{:?}", said.map(|d| (map.position(d.span), &d.message)));
        assert_eq!(reading.unit.functions.len(), 1);
    }
}

#[test]
fn a_mistake_loses_one_function() {
    check(
        "int f(void) { return 1; }\n\
         int g(void) { return 1 +; }\n\
         int h(void) { struct T { int a; } t; return t.b; }\n\
         int i(void) { return f(1); }\n\
         int j(void) { return k; }\n\
         foo_t x;\n\
         int l(void) { if (1) { return f(); }\n",
        expect![[r#"
            error[c-syntax] 2:25: expected an expression, found `;`
            error[c-type] 3:47: `struct T` has no member `b`
            error[c-type] 4:22: too many arguments: 0 expected, 1 given
            error[c-unknown-name] 5:22: `k` is not declared
            error[c-unknown-type] 6:1: unknown type name `foo_t`
            error[c-syntax] 8:1: expected `}`, found the end of the file
            6 functions, 1 with bodies
        "#]],
    );
}

#[test]
fn places_go_through_macros() {
    check(
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
         #define FIELD(p) (p)->none\n\
         struct T { int some; };\n\
         int f(struct T *p) { return MAX(1, FIELD(p)); }\n\
         int g(struct T *p) { return MAX(p->some, *p); }\n",
        expect![[r#"
            error[c-type] 4:36: `struct T` has no member `none`
            error[c-type] 5:34: `>` does not take `int` and `struct T`
            2 functions, 0 with bodies
        "#]],
    );
}

#[test]
fn types_are_checked() {
    check(
        "struct S { int a; } s; void v(void); int *p; double d;\n\
         void a(void) { s = 1; }\n\
         void b(void) { 1 = 2; }\n\
         void c(void) { const int k = 1; k = 2; }\n\
         void e(void) { *d; }\n\
         void f(void) { d % 2; }\n\
         void g(void) { p * p; }\n\
         void h(void) { switch (d) { } }\n\
         void i(void) { goto nowhere; }\n\
         void j(void) { break; }\n\
         void k(void) { int a; int a; }\n\
         void l(void) { struct Unknown u; }\n\
         void m(void) { d(); }\n\
         _Static_assert(sizeof(int) == 2, \"narrow\");\n\
         int q[-1];\n\
         int f(int);\n",
        expect![[r#"
            error[c-type] 2:16: a value of type `int` cannot be stored as `struct S`
            error[c-type] 3:18: nothing can be stored on the left side
            error[c-type] 4:35: the left side is `const`
            error[c-type] 5:16: `double` is no pointer
            error[c-type] 6:16: `%` does not take `double` and `int`
            error[c-type] 7:16: `*` does not take `int *` and `int *`
            error[c-type] 8:16: `switch` looks at an integer, not at `double`
            error[c-label] 9:21: there is no label `nowhere` in this function
            error[c-syntax] 10:16: `break` has nothing around it to leave
            error[c-redefined] 11:27: `a` is declared again
            error[c-type] 12:31: the variable has the incomplete type `struct Unknown`
            error[c-type] 13:17: `double` is no function
            error[c-static-assert] 14:1: static assertion failed: narrow
            error[c-type] 15:7: an array has a negative number of elements
            error[c-redefined] 16:5: `f` is declared with another type
            12 functions, 0 with bodies
        "#]],
    );
}
