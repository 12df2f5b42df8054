/* Declarations of records, and assignments to _, are steps in an option, too, where neighbouring skips are not. */
typedef V { int id }
byte x;
active proctype P() {
    x = 1;
    do
    :: V a; V b; x = 2
    :: x == 2 -> skip; skip; skip; V c, d; _ = 3; _ = x; x = 3; break
    od
}
