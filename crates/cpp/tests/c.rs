//! What C asks of the preprocessor beyond Promela.

use expect_test::{Expect, expect};
use ferrospin_cpp::{Dialect, Loader, Options, PieceKind, Target, tokens};
use ferrospin_source::SourceMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Files by name; nothing else is found.
struct Files(&'static [(&'static str, &'static str)]);

impl Loader for Files {
    fn load(&mut self, includer: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        let folder = includer.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let path = format!("{folder}{name}");
        let found = self.0.iter().find(|(n, _)| *n == path);
        found.map(|(_, text)| ((*text).into(), path)).ok_or_else(|| "no such file".to_string())
    }
}

fn check_for(target: Target, input: &str, files: &'static [(&'static str, &'static str)], expected: Expect) {
    let mut map = SourceMap::new();
    let file = map.add_file("src/a.c", input);
    let options = Options { include_dirs: vec!["inc".into()], ..Options::default() };
    let dialect = Dialect { target, system_dirs: vec!["sys".into(), "usr".into()] };
    let (pieces, diagnostics) = tokens(&mut map, file, &options, &dialect, &mut Files(files));
    let mut out = String::new();
    for piece in &pieces.list {
        let mark = if piece.kind == PieceKind::Pragma { "#pragma " } else { "" };
        write!(out, "{mark}{} ", pieces.text(piece.text)).unwrap();
    }
    for d in diagnostics.iter() {
        write!(out, "\n{}: {}", d.message, d.label).unwrap();
    }
    expected.assert_eq(out.trim_end());
}

fn check(input: &str, files: &'static [(&'static str, &'static str)], expected: Expect) {
    check_for(Target::Lp64, input, files, expected);
}

#[test]
fn headers_are_searched_as_gcc_does() {
    let files: &[(&str, &str)] = &[
        ("src/h.h", "beside"),
        ("inc/h.h", "first\n#include_next <h.h>"),
        ("sys/h.h", "second\n#include_next <h.h>"),
        ("usr/h.h", "third"),
        ("usr/limits.h", "system\n#include_next <limits.h>\nCHAR_BIT"),
    ];
    check(
        "#include \"h.h\"\n#include <h.h>\n#include <limits.h>",
        files,
        expect!["beside first second third system 8"],
    );
    check(
        "#include <none.h>",
        &[],
        expect![[r#"

        cannot include `none.h`: no such file in inc, sys, usr"#]],
    );
}

#[test]
fn conditions_ask_what_is_there() {
    check(
        "#if __has_include(<stddef.h>) && !__has_include(\"x.h\") && __has_attribute(__packed__)\nyes\n#endif\n\
         #if defined __has_builtin && __has_builtin(__builtin_clz) && !__has_builtin(clz)\nyes\n#endif\n\
         #ifdef __has_c_attribute\n#if __has_c_attribute(fallthrough) == 201910L\nyes\n#endif\n#endif\n\
         #if 0\n#elifdef __GNUC__\nyes\n#endif",
        &[],
        expect!["yes yes yes yes"],
    );
}

#[test]
fn targets_have_their_macros() {
    let input = "__SIZEOF_LONG__ __SIZE_TYPE__ __STDC_VERSION__ __GNUC__";
    check(input, &[], expect!["8 long unsigned int 201710L 12"]);
    check_for(Target::Ilp32, input, &[], expect!["4 unsigned int 201710L 12"]);
}

#[test]
fn pragmas_are_tokens_and_prefixes_belong_to_strings() {
    check(
        "#define P _Pragma(\"pack(push, 1)\")\nP int a;\n#pragma pack(pop)\n#define L 1\nL\"x\" L'y' u8\"z\" L \"w\"\n\
         #pragma push_macro(\"L\")\n#undef L\n#define L 2\nL\n#pragma pop_macro(\"L\")\nL",
        &[],
        expect![[r#"#pragma pack(push, 1) int a ; #pragma pack (pop) L"x" L'y' u8"z" 1 "w" 2 1"#]],
    );
}
