//! Sets and queues: what they become, what is said of mistakes, and random changes.

use expect_test::{Expect, expect};
use ferrospin_promela::{Reading, preprocess, print, read};
use ferrospin_source::{SourceMap, render};
use std::sync::Arc;

struct NoFiles;

impl preprocess::Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("there is no `{name}`"))
    }
}

fn read_text(text: &str) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml", text);
    let reading = read(&mut map, file, &preprocess::Options::default(), &mut NoFiles);
    (map, reading)
}

const HEAD: &str = "// ferrospin: containers\nenum artist = { a1, a2, a3 };\n";

/// The model in plain Promela, or what is wrong with it.
fn check(text: &str, expected: Expect) {
    let (map, reading) = read_text(&format!("{HEAD}{text}"));
    let found = if reading.diagnostics.is_empty() {
        print::program(&reading.program)
    } else {
        reading.diagnostics.iter().map(|d| render::to_string(&map, d, false) + "\n").collect()
    };
    expected.assert_eq(&found);
}

#[test]
fn sets() {
    check(
        "set s = [3] of { artist };
active proctype P() {
  artist x, y = a3;
  do
  :: s.insert(a2)
  :: s.erase(x) -> s.clear()
  :: s.find(y) && s.size() > 1 -> break
  od
}",
        expect![[r#"
            mtype:artist = { a1, a2, a3 };

            unsigned s : 3;

            active proctype P() {
            	mtype:artist x = a1, y = a3;
            	do
            	:: s = s | 2
            	:: s = s & ~((x == a1) * 1 + (x == a2) * 2 + (x == a3) * 4);
            		s = 0
            	:: (s & (y == a1) * 1 + (y == a2) * 2 + (y == a3) * 4) != 0 && ((s & 1) != 0) + ((s & 2) != 0) + ((s & 4) != 0) > 1 ->
            		break
            	od
            }
        "#]],
    );
}

#[test]
fn sets_with_less_room() {
    check(
        "set of artist[1] s, t;\ninit { s.insert(a1); d_step { t.insert(a2); skip } }",
        expect![[r#"
        mtype:artist = { a1, a2, a3 };

        unsigned s : 3;
        unsigned t : 3;

        init {
        	d_step {
        		(s & 1) != 0 || ((s & 1) != 0) + ((s & 2) != 0) + ((s & 4) != 0) < 1;
        		s = s | 1
        	};
        	d_step {
        		{
        			(t & 2) != 0 || ((t & 1) != 0) + ((t & 2) != 0) + ((t & 4) != 0) < 1;
        			t = t | 2
        		};
        		skip
        	}
        }
    "#]],
    );
}

#[test]
fn queues() {
    check(
        "queue q = [2] of { artist };
chan c = [0] of { artist, bit };
active proctype P() {
  artist x;
  do
  :: c?x,1 -> q.push(x)
  :: q.pop()
  :: x == q.front() && q.find(a3) == 1 && !q.empty() -> c!q.front(),0
  :: q.size() == 2 -> break
  od
}",
        expect![[r#"
            mtype:artist = { a1, a2, a3 };

            mtype:artist q[2];
            chan c = [0] of { mtype:artist, bit };

            active proctype P() {
            	mtype:artist x = a1;
            	do
            	:: c?x, 1 ->
            		d_step {
            			q[0] == x || q[1] == x || q[1] == 0;
            			if
            			:: q[0] == x || q[1] == x ->
            				skip
            			:: else ->
            				q[(q[0] != 0) + (q[1] != 0)] = x
            			fi
            		}
            	:: d_step {
            			q[0] != 0;
            			q[0] = q[1];
            			q[1] = 0
            		}
            	:: x == q[(q[0] == 0) * 2] && (q[0] == a3) * 1 + (q[1] == a3) * 2 - 1 == 1 && !(q[0] == 0) ->
            		c!q[(q[0] == 0) * 2], 0
            	:: (q[0] != 0) + (q[1] != 0) == 2 ->
            		break
            	od
            }
        "#]],
    );
}

#[test]
fn iteration() {
    check(
        "init { set s = [3] of { artist }; artist v; s.insert(a1);
  for (v in s) { s.erase(v); printf(\"%d\", s.size()) }
}",
        expect![[r#"
            mtype:artist = { a1, a2, a3 };

            init {
            	unsigned s : 3;
            	mtype:artist v = a1;
            	s = s | 1;
            	{
            		v = ((s & 1) != 0 -> a1 : ((s & 2) != 0 -> a2 : ((s & 4) != 0 -> a3 : 0)));
            		do
            		:: v != 0 ->
            			{
            				s = s & ~((v == a1) * 1 + (v == a2) * 2 + (v == a3) * 4);
            				printf("%d", ((s & 1) != 0) + ((s & 2) != 0) + ((s & 4) != 0))
            			};
            			v = (v == a1 -> ((s & 2) != 0 -> a2 : ((s & 4) != 0 -> a3 : 0)) : (v == a2 -> ((s & 4) != 0 -> a3 : 0) : (v == a3 -> 0 : 0)))
            		:: else ->
            			v = a1;
            			break
            		od
            	}
            }
        "#]],
    );
}

#[test]
fn formulas() {
    check(
        "set s = [3] of { artist };\nltl p { [] (s.find(a1) -> <> s.empty()) }\ninit { s.insert(a1) }",
        expect![[r#"
        mtype:artist = { a1, a2, a3 };

        unsigned s : 3;

        init {
        	s = s | 1
        }

        ltl p { [] ((s & 1) != 0 -> <> (s == 0)) }
    "#]],
    );
}

#[test]
fn mistakes() {
    check(
        "queue q = [4] of { artist };\ninit { skip }",
        expect![[r#"
        error[container]: a queue with room for 4 is larger than its enumeration: `artist` has 3 values, and none is held twice
         --> m.pml:3:12
          |
        3 | queue q = [4] of { artist };
          |            ^

    "#]],
    );
    check(
        "set s = [2] of { byte };\ninit { skip }",
        expect![[r#"
        error[container]: `byte` is no enumeration that was declared: only these have finitely many values
         --> m.pml:3:18
          |
        3 | set s = [2] of { byte };
          |                  ^^^^

    "#]],
    );
    check(
        "set s = [2] of { artist };\ninit { s.push(a1) }",
        expect![[r#"
        error[container]: a set has no operation `push`: there are `insert`, `erase`, `clear`, `find`, `empty`, `size`
         --> m.pml:4:10
          |
        4 | init { s.push(a1) }
          |          ^^^^

    "#]],
    );
    check(
        "set s = [2] of { artist };\ninit { s.instert(a1); s.size(a1) }",
        expect![[r#"
        error[container]: a set has no operation `instert`: there are `insert`, `erase`, `clear`, `find`, `empty`, `size`; did you mean `insert`?
         --> m.pml:4:10
          |
        4 | init { s.instert(a1); s.size(a1) }
          |          ^^^^^^^

        error[container]: `s.size` takes no argument
         --> m.pml:4:23
          |
        4 | init { s.instert(a1); s.size(a1) }
          |                       ^^^^^^^^^^

    "#]],
    );
    check(
        "queue q = [2] of { artist };\ninit { artist v; for (v in q) { skip } }",
        expect![[r#"
        error[container]: `q` is a queue: only sets are gone through by `for`
         --> m.pml:4:28
          |
        4 | init { artist v; for (v in q) { skip } }
          |                            ^

    "#]],
    );
    check(
        "set s = [2] of { artist };\ninit { byte n = s.insert(a1); s = 3 }",
        expect![[r#"
        error[container]: `s.insert` is a statement, and has no value
         --> m.pml:4:17
          |
        4 | init { byte n = s.insert(a1); s = 3 }
          |                 ^^^^^^^^^^^^

        error[container]: `s` is a set: it is used by its operations only, as in `s.size()`
         --> m.pml:4:31
          |
        4 | init { byte n = s.insert(a1); s = 3 }
          |                               ^

    "#]],
    );
    check(
        "enum colour = { red, blue };\nset s = [2] of { artist };\ninit { s.insert(red) }",
        expect![[r#"
        error[container]: `red` is a value of `colour`; `s` holds values of `artist`
         --> m.pml:5:17
          |
        5 | init { s.insert(red) }
          |                 ^^^

    "#]],
    );
    check(
        "init { set s = [2] of { artist }; skip }\nactive proctype P() { s.insert(a1) }",
        expect![[r#"
        error[container]: `s` is no set and no queue here
         --> m.pml:4:23
          |
        4 | active proctype P() { s.insert(a1) }
          |                       ^^^^^^^^

    "#]],
    );
}

/// Without the comment the words mean nothing.
#[test]
fn off_unless_asked_for() {
    let (_, reading) = read_text("byte set, queue; byte enum;\ninit { set = 1; queue = 2; enum = 3 }");
    assert!(reading.diagnostics.is_empty());
    let (_, reading) = read_text("enum artist = { a1 };\ninit { skip }");
    assert!(reading.diagnostics.has_errors());
}

/// Texts with random changes are read or refused.
#[test]
fn mutated_texts() {
    let text = format!(
        "{HEAD}set s = [2] of {{ artist }}; queue of artist[3] q;\n#define PUT(x) q.push(x)\nactive proctype P() {{ artist v, w = a2;\n do :: s.insert(v) :: \
         PUT(w) -> q.pop() :: for (v in s) {{ s.erase(v) }} :: atomic {{ s.find(q.front()) -> s.clear() }} od }}\n"
    );
    let mut seed = 30u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % bound as u64) as usize
    };
    let words = [
        "s", "q.", "(", ")", "{", "}", "enum ", "set ", "queue ", " of ", "[", "]", "9", ",", ";", "\n", "\"", "é",
        "'", "c_code {", "for (", "in",
    ];
    let mut right = 0;
    for _ in 0..5000 {
        let mut mutated: Vec<char> = text.chars().collect();
        for _ in 0..1 + below(3) {
            let at = HEAD.len() - 30 + below(mutated.len() - HEAD.len() + 30);
            let len = below(5).min(mutated.len() - at);
            mutated.splice(at..at + len, words[below(words.len())].chars());
        }
        let (map, reading) = read_text(&mutated.into_iter().collect::<String>());
        reading.diagnostics.iter().for_each(|d| assert!(!render::to_string(&map, d, false).is_empty()));
        right += usize::from(!reading.diagnostics.has_errors());
    }
    assert!(right > 20, "{right}");
}
