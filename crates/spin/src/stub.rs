//! The `pan.c` that `spin -a` writes: it holds the model and what it is compiled with, and hands over to the engine.
//!
//! Any C compiler that has `#ifdef` and `#` makes a verifier of it in a moment. The engine is the program by which it was written;
//! where that is gone, `ferrospin` of the search path; `FERROSPIN` in the environment goes before both. The model goes to the
//! engine as an open file without a name, so that folders need not be writable.

use crate::pan::DIRECTIVES;

/// What a stub holds.
#[derive(Clone, Debug)]
pub struct Stub<'a> {
    /// The model as it was named.
    pub name: &'a str,
    /// Its text, preprocessed, with line markers.
    pub text: &'a str,
    /// The program that writes it.
    pub engine: &'a str,
    /// Options of `spin` that the verifier goes by, such as `-m` and `-o3`.
    pub options: &'a [String],
}

/// Files that stand beside `pan.c` and are empty here; callers delete them by name.
pub const COMPANIONS: [&str; 5] = ["pan.h", "pan.m", "pan.b", "pan.t", "pan.p"];

/// The text of `pan.c`.
pub fn text(stub: &Stub<'_>) -> String {
    let mut out = String::from(HEAD);
    out += &format!("static const char *const name = {};\n", literal(stub.name.as_bytes()));
    out += &format!("static const char *const engine = {};\n", literal(stub.engine.as_bytes()));
    out += "static const char *const options[] = {\n";
    for o in stub.options {
        out += &format!("\t{},\n", literal(o.as_bytes()));
    }
    out += "\t0\n};\nstatic const char *const directives[] = {\n";
    for d in DIRECTIVES {
        out += &format!("#ifdef {d}\n\t\"{d}=\" STRING({d}),\n#endif\n");
    }
    out += "\t0\n};\nstatic const char *const model[] = {\n";
    for line in stub.text.split_inclusive('\n') {
        // No compiler must take literals of more than 509 characters.
        for part in line.as_bytes().chunks(400) {
            out += &format!("\t{},\n", literal(part));
        }
    }
    out += "\t0\n};\n";
    out + TAIL
}

/// A literal of C in plain characters, whatever the bytes are.
fn literal(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &b in bytes {
        match b {
            b'\n' => out += "\\n",
            b'\t' => out += "\\t",
            b'"' => out += "\\\"",
            b'\\' => out += "\\\\",
            // A question mark could open a trigraph.
            b'?' => out += "\\?",
            b' '..=b'~' => out.push(char::from(b)),
            _ => out += &format!("\\{b:03o}"),
        }
    }
    out + "\""
}

const HEAD: &str = r#"/* A verifier made by Ferrospin: the model below, and a call of the engine that checks it. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

"#;

const TAIL: &str = r#"
static char *args[4096];

int
main(int argc, char **argv)
{
	FILE *file = tmpfile();
	char path[64];
	const char *chosen = getenv("FERROSPIN");
	int i, fd, n = 0;

	if (!file) {
		fprintf(stderr, "pan: cannot make a temporary file\n");
		return 1;
	}
	for (i = 0; model[i]; i++)
		fputs(model[i], file);
	if (fflush(file) != 0 || fseek(file, 0L, SEEK_SET) != 0 || (fd = dup(fileno(file))) < 0) {
		fprintf(stderr, "pan: cannot write a temporary file\n");
		return 1;
	}
	lseek(fd, 0, SEEK_SET);
	sprintf(path, "/dev/fd/%d", fd);
	args[n++] = (char *) engine;
	args[n++] = "spin";
	args[n++] = "--pan";
	args[n++] = "--model";
	args[n++] = path;
	args[n++] = "--name";
	args[n++] = (char *) name;
	for (i = 0; options[i] && n < 1000; i++) {
		args[n++] = "--spin";
		args[n++] = (char *) options[i];
	}
	for (i = 0; directives[i] && n < 2000; i++) {
		args[n++] = "--cc";
		args[n++] = (char *) directives[i];
	}
	args[n++] = "--";
	for (i = 1; i < argc && n < 4095; i++)
		args[n++] = argv[i];
	args[n] = 0;
	if (chosen && *chosen)
		execvp(chosen, args);
	execv(engine, args);
	execvp("ferrospin", args);
	fprintf(stderr, "pan: cannot find the engine `%s`; set FERROSPIN to where it is\n", engine);
	return 1;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_plain() {
        assert_eq!(literal(b"a\"b\\c\n\t??=\x01\xff"), r#""a\"b\\c\n\t\?\?=\001\377""#);
    }

    #[test]
    fn a_stub_holds_model_and_directives() {
        let options = ["-m".to_string()];
        let stub = Stub { name: "m.pml", text: "byte x;\ninit { x = 1 }\n", engine: "/e", options: &options };
        let text = text(&stub);
        for part in ["\"m.pml\"", "\"-m\"", "\tbyte x;\\n", "#ifdef SAFETY", "\"MA=\" STRING(MA)"] {
            assert!(text.contains(&part.replace('\t', "\t\"")) || text.contains(part), "{part}");
        }
        assert!(text.is_ascii());
    }
}
