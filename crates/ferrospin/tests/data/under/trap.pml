/*
 * With the weak proviso alone the violation is lost: C goes round and round in a loop that it may leave, and V waits
 * until it has left.
 */
byte v, w;

active proctype V() { v = 1 }

active proctype C() {
    byte l;
c0: l = 1;
    if
    :: l = 0; goto c0
    :: l = 2
    fi;
    w = 1
}

ltl p { [] (v == 1 -> <> (w == 1)) }
