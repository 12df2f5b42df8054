byte a[2]; byte i = 1;
init { d_step { _ = a[i]; i++; _ = a[i]; i = 0 } }
