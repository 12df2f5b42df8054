proctype Q() { byte y; L: y = 1 } init { run Q(); _ = Q[1]:y; _ = Q[1]@L; skip }
