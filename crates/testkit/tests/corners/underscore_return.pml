byte g = 9; inline f(x) { g2 = x; return x + 2 } byte g2;
init { _ = f(3); assert(g == 9 && g2 == 3) }
