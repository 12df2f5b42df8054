//! Macros and what they become.

use super::*;

#[test]
fn object_like_macros() {
    check(
        "#define N 3\n#define M N + 1\nbyte a[M]; N.N\n",
        expect![[r#"


        byte a[3 + 1]; 3 . 3
    "#]],
    );
    check(
        "#define EMPTY\nx EMPTY y EMPTY;\nEMPTY\nz\n",
        expect![[r#"

        x       y      ;

        z
    "#]],
    );
    check(
        "#define A B\n#define B A\nA B\n#undef A\nA B\n",
        expect![[r#"


        A B

        A A
    "#]],
    );
    check(
        "#define ready (x == 1)\nready -> ready_2; /* ready */ \"ready\" 'r' // ready\n",
        expect![[r#"

        (x == 1) -> ready_2;             "ready" 'r'
    "#]],
    );
}

#[test]
fn function_like_macros() {
    check(
        "#define MAX(a, b) ((a) > (b) -> (a) : (b))\nx = MAX(MAX(1, 2), f(3, 4));\n",
        expect![[r#"

        x = ((((1) > (2) -> (1) : (2))) > (f(3, 4)) -> (((1) > (2) -> (1) : (2))) : (f(3, 4)));
    "#]],
    );
    check(
        "#define f(x) x\nf f (1) f\n(2) f[3]\nf\n",
        expect![[r#"

        f 1 2
            f[3]
        f
    "#]],
    );
    check(
        "#define g() y\ng() g( ) g\n#define h(x) [x]\nh() h( ) h((,))\n",
        expect![[r#"

        y y g

        [] [] [(,)]
    "#]],
    );
    check(
        "#define f(x) x*g\n#define g(x) f(x)\nf(2)(9)\n#define ME(x) ME(x) y\nME(ME(3))\n",
        expect![[r#"


        2*9*g

        ME(ME(3) y) y
    "#]],
    );
    check(
        "#define id(x) x\n#define LP (\n#define RP )\nid(id LP 1 RP)\nid LP 2 RP\n",
        expect![[r#"



        id ( 1 )
        id ( 2 )
    "#]],
    );
}

#[test]
fn examples_of_the_c_standard() {
    check(
        "#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
",
        expect![[r#"














            f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
            f(2 * (2 +(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))
               ^m(0,1);
            int i[] = { 1, 23, 4, 5,      };
            char c[2][6] = { "hello", "" };
        "#]],
    );
    check(
        "#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW \"hello\"
#define LOW LOW \", world\"
debug(1, 2);
fputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
#define t(x,y,z) x ## y ## z
t(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,)|
",
        expect![[r#"








            printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
            fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s);
            "vers2.h"
            "hello";
            "hello" ", world"

            123 45 67 89 10 11 12 |
        "#]],
    );
}

#[test]
fn stringify_and_paste() {
    check(
        "#define S(x) #x\nS( a  \"b\\n\" 'c'\n d ) S() S(1 + /* c */ 2) S(\\)\n",
        expect![[r#"

        "a \"b\\n\" 'c' d"
         "" "1 + 2" ""
    "#]],
    );
    check(
        "#define P(a, b) a ## b\nP(x, y) P(, z) P(z, )| P(1, N) P(-, >) P(x, P(y, z))\n",
        expect![[r#"

        xy z z| 1N -> xP(y, z)
    "#]],
    );
    check(
        "#define CAT a ## b ## c\nCAT # x ## y\n",
        expect![[r#"

        abc # x ## y
    "#]],
    );
    check(
        "#define P(a, b) a ## b\nP(+, x) P(/, /)\n",
        expect![[r#"

        + x / /
        error[macro-paste] m:2:3: pasting `+` and `x` does not give a valid token
        error[macro-paste] m:2:11: pasting `/` and `/` does not give a valid token
    "#]],
    );
}

#[test]
fn variadic_macros() {
    check(
        "#define log(f, ...) printf(f, __VA_ARGS__)
#define gnu(f, a...) printf(f, ## a)
#define sole(...) f(x, ## __VA_ARGS__)
#define all(a...) [a]
log(\"a\", 1, 2)
gnu(\"b\") gnu(\"b\",) gnu(\"b\", (1, 2), 3)
sole() sole(1) all() all(1, 2)
",
        expect![[r#"




            printf("a", 1, 2)
            printf("b") printf("b",) printf("b", (1, 2), 3)
            f(x) f(x,1) [] [1, 2]
        "#]],
    );
}

#[test]
fn newlines_are_those_of_gcc() {
    check(
        "a\n\n\nb /* x\n\n */ c\nd \\\n e\nf\\\ng\n",
        expect![[r#"
        a


        b

            c
        d
         e
        fg
    "#]],
    );
    check(
        "#define F(a, b) a + b\nx F(1,\n  2) y z\nF(1,\n2)y\nF(\n\n1,2)\nF(1,2)F(3,\n4)F(5,6)\n",
        expect![[r#"

        x 1 + 2
             y z
        1 + 2
          y
        1 + 2


        1 + 2 3 + 4
         5 + 6
    "#]],
    );
    check(
        "#define F(a, b) a + b\nF(\n#define Q 3\nQ,\n#ifdef Q\n4\n#endif\n) w\n",
        expect![[r#"

        3 + 4





          w
    "#]],
    );
    check(
        "a\r\n#define N 1\r\nN\r\n\tb \\\r\n c\r\n",
        expect![[r#"
        a

        1
        	b
         c
    "#]],
    );
    check(
        "a // x\r#define N 1\rN\r\tb \\\r c\r",
        expect![[r#"
        a

        1
        	b
         c
    "#]],
    );
}

#[test]
fn spaces_keep_tokens_apart() {
    check(
        "#define M -x\n#define E\n-M M-M +M -E- x E=E= <E< 1E. N E. :E: !E= !M\n",
        expect![[r#"


        - -x -x- -x +-x - - x  = = < < 1E. N  . : : ! = !-x
    "#]],
    );
    check(
        "#define I(x) x\nI(x)I(5) I(x)5 I(1)I(x) I(.)I(.) I(&)& I(->)* I(/)/ x\n#define M !x\nc!M c!!x\n",
        expect![[r#"

            x 5 x 5 1 x . . & & -> * / / x

            c!!x c!!x
        "#]],
    );
}

#[test]
fn preprocessing_numbers() {
    check(
        "#define N 4\nfor (i : 1..N) for (i : 1 .. N) a[0..N2] 1..N-1 x..N 0x1N 1.5 .5N 1e+N\n",
        expect![[r#"

        for (i : 1..N) for (i : 1 .. 4) a[0..N2] 1..N-1 x.. 4 0x1N 1.5 .5N 1e+N
        warning[macro-in-number] m:2:10: macro `N` is not expanded here
          put spaces around the dots -> 1 .. N
        warning[macro-in-number] m:2:42: macro `N` is not expanded here
          put spaces around the dots -> 1 .. N
    "#]],
    );
    check(
        "#define N 4\n#define R 0..N\nfor (i : R) R\n",
        expect![[r#"


        for (i : 0..N) 0..N
        warning[macro-in-number] m:3:10: macro `N` is not expanded here
          put spaces around the dots -> 0 .. N
    "#]],
    );
}
