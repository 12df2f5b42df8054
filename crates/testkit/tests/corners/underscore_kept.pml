init { _ = _last; _ = _pid; _ = _nr_pr; _ = timeout }
