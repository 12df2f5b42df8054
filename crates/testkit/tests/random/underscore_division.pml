byte z; init { _ = 1 / z; assert(z == 0) }
