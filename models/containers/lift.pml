// A lift serves floors in the order in which they were called for. No floor stands in the queue twice, so that it never is too short.
// ferrospin: containers

enum floor = { ground, first, second };

queue calls = [3] of { floor };
floor at;

active [2] proctype Person() {
  floor wish;
  do
  :: if
     :: wish = ground
     :: wish = first
     :: wish = second
     fi;
     calls.push(wish)
  od
}

active proctype Lift() {
  do
  :: d_step { !calls.empty() -> at = calls.front(); calls.pop() }
  od
}

ltl room { [] (calls.size() <= 3) }
ltl expect_fail_reached { [] !(at == second) }
