byte a[2];
active proctype C() { byte i = 1; a[i]++; assert(a[1] == 0) }
