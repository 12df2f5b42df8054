/* Artists register with a dispatcher, which tells those that are registered of every event (after Chiron, in Cheng, "Crafting a Promela
   Front-End with Abstract Data Types", SPIN 2005). Who is registered is a set: in which order they came makes no difference.

   ferrospin: containers */

enum artist = { ann, bea, cleo, dora };

set registered = [4] of { artist };
chan ask = [0] of { artist, bit };
chan tell = [0] of { artist };

active proctype Dispatcher() {
  artist who;
  do
  :: ask?who,1 -> registered.insert(who)
  :: ask?who,0 -> registered.erase(who)
  :: !registered.empty() ->
       for (who in registered) {
         tell!who
       }
  od
}

proctype Artist(artist me) {
  do
  :: ask!me,1
  :: ask!me,0
  :: tell?eval(me)
  od
}

init {
  atomic { run Artist(ann); run Artist(bea); run Artist(cleo); run Artist(dora) }
}

ltl kept { [] (registered.size() <= 4) }
