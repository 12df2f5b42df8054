/* mtype names are numbered downwards inside one declaration; a later one goes on above. */
mtype = { red, amber, green };
mtype { blue }
mtype light = red;

active proctype Light() {
	light = green;
	assert(red == 3 && amber == 2 && green == 1 && blue == 4);
	light = blue;
	assert(light == blue)
}
