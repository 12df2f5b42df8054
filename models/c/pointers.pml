/* A list of nodes in tracked memory: pointers are part of states. */
c_decl { typedef struct N { int key; struct N *next; } N; }
c_code { N pool[4]; N *head; int used; void push(int k) { N *p = &pool[used++]; p->key = k; p->next = head; head = p; } int total(void) { int s = 0; N *p; for (p = head; p; p = p->next) s = s * 10 + p->key; return s; } }
c_track "pool" "4*sizeof(N)"
c_track "&head" "sizeof(N*)"
c_track "&used" "sizeof(int)"
short t;
active [2] proctype P() { c_code { push(PP->_pid + 1); }; c_code { push(PP->_pid + 3); now.t = total(); } }
