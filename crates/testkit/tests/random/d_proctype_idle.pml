/* A choice between statements that do nothing is a choice. */
D_proctype P() { do :: break :: goto L od; L: skip }
init { run P() }
