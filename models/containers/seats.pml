// Three guests and a table with two seats: who wants to sit waits until there is room.
// ferrospin: containers

enum guest = { ida, joe, kim };

set of guest[2] table;

proctype Guest(guest me) {
  do
  :: table.insert(me) -> assert(table.find(me) && table.size() <= 2); table.erase(me)
  od
}

init {
  guest one;
  atomic { run Guest(ida); run Guest(joe); run Guest(kim) }
  atomic {
    table.find(ida) && table.find(joe) ->
    for (one in table) {
      assert(one != kim)
    }
  }
}
