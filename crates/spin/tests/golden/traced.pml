mtype = { a, b };
chan q = [1] of { mtype };
active proctype P() { do :: q!a; q!b od }
active proctype R() { do :: q?_ od }
trace { do :: q!a; q!b od }
