byte n; proctype C() { n++ } init { _ = run C(); _nr_pr == 1; assert(n == 1) }
