/* `c_state ... "Global"` with and without a first value: a ring buffer with credits. */
c_decl { typedef struct Q { unsigned char buf[3]; int head, len; } Q; }
c_state "Q q" "Global"
c_state "int credit" "Global" "2"
byte got;
active proctype Prod() { byte i = 1; do :: i <= 3 -> c_expr { now.credit > 0 && now.q.len < 3 }; c_code { now.q.buf[(now.q.head + now.q.len) % 3] = PProd->i; now.q.len++; now.credit--; }; i++ :: else -> break od }
active proctype Cons() { byte k; do :: k < 3 -> c_expr { now.q.len > 0 }; c_code { now.got = now.q.buf[now.q.head]; now.q.head = (now.q.head + 1) % 3; now.q.len--; now.credit++; }; k++; assert(got == k) :: else -> break od }
