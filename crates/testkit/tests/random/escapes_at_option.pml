/* Two escapes at the head of an option: the outer one goes first. */
byte g = 1;
active proctype P() {
    if
    :: { { g++ } unless { g < 2 } } unless { g = 5 }
    fi
}
