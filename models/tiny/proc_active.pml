/* active proctypes start before anything else, in text order. */
byte order;

active proctype First() { assert(_pid == 0); order++ }
active proctype Second() { assert(_pid == 1); order++ }
init { assert(_pid == 2); order++ }
