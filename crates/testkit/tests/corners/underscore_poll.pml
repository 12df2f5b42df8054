chan c = [1] of {byte};
init { _ = c?[1]; _ = full(c); _ = empty(c); c!1; c?_ }
