//! Running C: what is given, what is printed, and how bad programs end.

use expect_test::{Expect, expect};
use ferrospin_c::{Dialect, Loader, Options, read};
use ferrospin_cvm::{Limits, LinkError, Machine, Program};
use ferrospin_source::SourceMap;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, _: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err("no files in this test".into())
    }
}

fn program(map: &mut SourceMap, texts: &[&str]) -> Result<Program, LinkError> {
    let units = texts.iter().map(|text| {
        let file = map.add_file("a.c", *text);
        let reading = read(map, file, &Options::default(), &Dialect::default(), &mut NoFiles);
        let said: Vec<_> = reading.diagnostics.iter().filter(|d| !d.lint).map(|d| d.message.clone()).collect();
        assert!(said.is_empty(), "{said:?}");
        reading.unit
    });
    let program = Program::new(units.collect())?;
    for (_, flow) in program.all_flows() {
        flow.verify().expect("automata keep their invariants");
    }
    Ok(program)
}

/// Runs `main` of some units: what is printed, then what is returned or why it ended, with the place.
fn check_units(texts: &[&str], expected: Expect) {
    let mut map = SourceMap::new();
    let program = program(&mut map, texts).expect("the names are unique");
    let limits = Limits { steps: 200_000, frames: 1000, bytes: 1 << 20 };
    let mut machine = Machine::new(std::sync::Arc::new(program), limits).expect("first values are constants");
    let result = machine.call("main", &[]);
    let text = String::from_utf8_lossy(&machine.output).into_owned();
    expected.assert_eq(&match result {
        Ok(value) => format!("{text}-> {value}"),
        Err(stop) => {
            let place = map.position(stop.span).map_or("nowhere".into(), |p| format!("{}:{}", p.line, p.column));
            format!("{text}{place}: {}", stop.trouble)
        }
    });
}

fn check(text: &str, expected: Expect) {
    check_units(&[text], expected);
}

/// The body of `main` behind the usual headers.
fn body(text: &str, expected: Expect) {
    let headers = ["stdio", "stdlib", "string", "ctype", "assert"].map(|h| format!("#include <{h}.h>\n")).concat();
    check(&format!("{headers}int main(void) {{\n{text}\nreturn 0; }}"), expected);
}

#[test]
fn values_and_control() {
    check(
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n\
         int main(void) { int s = 0; for (int i = 0; i < 10; i++) { if (i == 7) continue; s += fib(i); }\n\
         goto out; s = 0; out: return s; }",
        expect!["-> 75"],
    );
    check(
        "int main(void) { static void *t[] = { 0 }; int n = 0; void *l[2]; l[0] = &&a; l[1] = &&b; goto *l[1];\n\
         a: n += 100; b: n += 1; return n + (t[0] == 0); }",
        expect!["-> 2"],
    );
    check(
        "int f(int a, int b) { return a * 10 + b; }\n\
         int main(void) { int x = 1; int r = f(x++, x++) + ({ int y = x; y * 100; }); r += x ?: 5; return r + (x += 2, x); }",
        expect!["-> 320"],
    );
    check(
        "int main(void) { unsigned char c = 250; c += 10; signed char d = (signed char)200; unsigned u = 0; u--;\n\
         __int128 w = (__int128)u << 64; _Bool b = 0.5; return c + d + (int)(u >> 28) + (int)(w >> 90) + b; }",
        expect!["-> 27"],
    );
    check(
        "int x; int main(void) { int r, old = __sync_fetch_and_add(&x, 5); _Bool o = __builtin_add_overflow(2147483647, 1, &r);\n\
         int e = 5; _Bool s = __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5); return old + x * 10 + o * 100 + (r < 0) * 1000 + s * 10000; }",
        expect!["-> 11190"],
    );
}

#[test]
fn the_library() {
    body(
        r#"char b[40]; int n = snprintf(b, 8, "%05d|%-4x|%s", -42, 255, "text");
           printf("%s %d\n", b, n);
           printf("%c%%%5.2f|%e|%g|%g|%+d|%#o|%lu|%hhd|%.3s|%*d\n", 'x', 3.14159, 12345.678, 0.0001, 1e20, 7, 8, 99ul, 300, "abcdef", 4, 5);
           strcpy(b, "ab"); strcat(b, "cd"); printf("%d %d %d %s\n", strcmp(b, "abce"), strncmp(b, "abxx", 2), (int)strlen(b), strchr(b, 'c'));
           memset(b, 'z', 3); memmove(b + 1, b, 4); printf("%s %d\n", b, memcmp("a", "b", 1));
           printf("%d%d%d %c\n", !!isalpha('q'), !!isdigit('q'), !!isspace(' '), toupper('q'));
           int *p = malloc(8); p[1] = 7; p = realloc(p, 16); printf("%d\n", p[1]); free(p);"#,
        expect![[r#"
            -0042|f 15
            x% 3.14|1.234568e+04|0.0001|1e+20|+7|010|99|44|abc|   5
            -1 0 4 cd
            zzzzd|f -1
            101 Q
            7
            -> 0"#]],
    );
}

#[test]
fn units_are_linked() {
    check_units(
        &[
            "extern int shared; int twice(int); static int own = 1; int main(void) { return twice(shared) + own; }",
            "int shared = 20; static int own = 5; int twice(int x) { return 2 * x + own; }",
        ],
        expect!["-> 46"],
    );
    let mut map = SourceMap::new();
    let error = program(&mut map, &["int f(void) { return 1; }", "int f(void) { return 2; }"]).err();
    assert_eq!(error, Some(LinkError::Twice("f".into())));
}

#[test]
fn bad_programs_end_with_a_sentence() {
    body("int a[3]; int i = 3; a[i] = 1;", expect!["7:22: 4 bytes at offset 12 of `a`, which has 12"]);
    body(
        "int a[3]; int *p = a; p--; return *p;",
        expect!["7:35: access at 0xfffffffffffc, which is no address of an object"],
    );
    body("int *p = 0; *p = 1;", expect!["7:13: access through a null pointer"]);
    body(
        "int *p = (int *)123456789; return *p;",
        expect!["7:35: access at 0x75bcd15, which is no address of an object"],
    );
    body(
        "int *p = malloc(4); free(p); return *p;",
        expect!["7:37: access to `allocated memory`, which does not live any more"],
    );
    body(
        "int *p = malloc(4); free(p); free(p);",
        expect!["7:30: `free` of something that was not allocated, or twice"],
    );
    body("int *p; { int x = 1; p = &x; } return *p + p[5];", expect!["7:39: 4 bytes at offset 20 of `x`, which has 4"]);
    body("char *s = \"abc\"; s[0] = 'x';", expect!["7:18: store to `a string`, which cannot be changed"]);
    body("char b[2]; strcpy(b, \"abc\");", expect!["7:12: 4 bytes at offset 0 of `b`, which has 2"]);
    body("int z = 0; return 1 / z;", expect!["7:19: division by zero, or its result does not fit"]);
    body("int z = 40; return 1 << z;", expect!["7:20: shift by 40 of a value of 32 bits"]);
    body("int a, b; return &a - &b;", expect!["7:18: difference of pointers to different objects"]);
    body("while (1) ;", expect!["7:8: more than 200000 steps"]);
    body(
        "extern int system(const char *); return system(\"rm -r /\");",
        expect!["7:41: call of `system`, which is not defined here"],
    );
    body("assert(1 == 2);", expect!["7:1: assertion violated: 1 == 2"]);
    body("exit(3);", expect!["7:1: `exit(3)` is called"]);
    body("__asm__(\"hlt\");", expect!["6:1: not run here: inline assembly: hlt"]);
    body("void *p = malloc(1ul << 40); return p != 0;", expect!["7:11: more than 1048576 bytes of memory"]);
    body("memset(malloc(8), 0, 1ul << 60);", expect!["7:1: more than 200000 steps"]);
    body("void (*f)(void) = (void (*)(void))8; f();", expect!["7:38: access at 0x8, which is no address of an object"]);
    check(
        "int f(int n) { return f(n + 1); } int main(void) { return f(0); }",
        expect!["1:23: more than 1000 calls inside of one another"],
    );
    check(
        "int *keep; int f(void) { int x = 3; keep = &x; return 0; } int main(void) { f(); return *keep; }",
        expect!["1:89: access to `x`, which does not live any more"],
    );
}

#[test]
fn automata_have_a_text() {
    let mut map = SourceMap::new();
    let text = "struct S { int a : 3; char b[4]; } s;\n\
                int f(int x, int *p) { while (x > 0 && *p) { x--; p++; } switch (x) { case 1: return 2; case 5 ... 9: x = s.a++; default: ; }\n\
                s.b[x] = x ? f(x, p) : 0; __sync_synchronize(); return s.b[1]; }";
    let program = program(&mut map, &[text]).expect("the names are unique");
    let (unit, flow) = program.all_flows().next().expect("there is a function");
    expect![[r#"
        f: 25 locations
          0 -> 2: if (x > 0)
          0 -> 3: if not (x > 0)
          2 -> 4: if *i32p
          2 -> 3: if not *i32p
          3 -> 5: t4 = x
          4 -> 6: t0 = x
          5 -> 7: if t4 is 1
          5 -> 8: if t4 is 5 to 9
          5 -> 9: if t4 is none of these
          6 -> 10: t1 = (t0 - 1)
          7 -> 1: return 2
          8 -> 11: t5 = *i32[0+3]&s
          9 -> 12: t7 = ((&s + 1 * 1) + 1 * i64(x))
          10 -> 13: x = t1
          11 -> 14: t6 = (t5 + 1)
          12 -> 15: if x
          12 -> 16: if not x
          13 -> 17: t2 = p
          14 -> 18: *i32[0+3]&s = t6
          15 -> 19: t9 = f(x, p)
          16 -> 20: t8 = 0
          17 -> 21: t3 = (t2 + 4 * 1)
          18 -> 9: x = t5
          19 -> 20: t8 = t9
          20 -> 22: t10 = i8(t8)
          21 -> 0: p = t3
          22 -> 23: *i8t7 = t10
          23 -> 24: fence
          24 -> 1: return i32(*i8(&s + 1 * 2))
    "#]]
    .assert_eq(&flow.text(&program.units[unit as usize]));
}
