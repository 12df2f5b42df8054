byte a[2];
init { byte i = 5; _ = a[i]; assert(a[0] == 0) }
