/* skip, true, 1 and (1): always executable, each one step. */
active proctype P() { skip; true; 1; (1); (true) }
active proctype Q() { if :: skip :: skip -> skip fi }
