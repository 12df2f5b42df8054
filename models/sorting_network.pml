/*
 * A sorting network of processes: odd-even transposition.
 * N. Habermann, "Parallel neighbor-sort", 1972; that it is enough to try
 * zeros and ones is the 0-1 principle (D. E. Knuth, 1973).
 *
 * N numbers travel on N wires through COLUMNS columns of comparators.  Each
 * comparator is a process with two input and two output channels, which
 * sends the smaller number up and the larger one down, and then dies.
 *
 * Checked
 *   assertions         the output is in order, and has the sum of the input
 *   ltl sorts          at last the output is complete and in order
 *   ltl in_order       what has come out so far is in order
 *   ltl expect_fail_input_sorted
 *                      the input is in order: false
 *   ltl expect_fail_one_comparator
 *                      never two comparators work at the same time: false
 *   -DCOLUMNS=...      with a column less than N, some input is not sorted
 *
 * Macros
 *   N         number of wires (default 3)
 *   VALUES    inputs are 0 .. VALUES-1 (default 2, see above)
 *   COLUMNS   number of columns (default N)
 *   The states grow by a factor of several hundred with each wire.
 */

#ifndef N
#define N 3
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifndef COLUMNS
#define COLUMNS N
#endif

#define WIRES ((COLUMNS + 1) * N)

chan wire[WIRES] = [1] of { byte };    /* wire c*N+i: row i, before column c */
byte input[N], output[N];
byte received;
byte working;

proctype Comparator(chan upper_in, lower_in, upper_out, lower_out)
{
	byte x, y;

	if                              /* whichever comes first */
	:: upper_in?x -> lower_in?y
	:: lower_in?y -> upper_in?x
	fi;
	working++;
	if
	:: x <= y -> upper_out!x; lower_out!y
	:: x > y  -> upper_out!y; lower_out!x
	fi;
	working--
}

init {
	byte row, col, value;
	chan cur[N];           /* the wire on which each row is at present */

	/* build the network */
	atomic {
		for (row : 0 .. N-1) { cur[row] = wire[row] }
		for (col : 0 .. COLUMNS-1) {
			row = col % 2;
			do
			:: row + 1 < N ->
				run Comparator(cur[row], cur[row+1],
					wire[(col+1)*N + row], wire[(col+1)*N + row+1]);
				cur[row] = wire[(col+1)*N + row];
				cur[row+1] = wire[(col+1)*N + row+1];
				row = row + 2
			:: else -> row = 0; break
			od
		}
		col = 0
	}

	/* feed it with any input */
	for (row : 0 .. N-1) {
		select (value : 0 .. VALUES-1);
		atomic {
			input[row] = value;
			wire[row]!value
		}
	}

	/* collect, and compare */
	for (row : 0 .. N-1) {
		cur[row]?output[row];
		received++;
		assert(row == 0 || output[row-1] <= output[row])
	}
	value = 0;
	d_step {
		for (row : 0 .. N-1) { value = value + input[row] - output[row] }
		assert(value == 0)
	}
}

ltl sorts { <> (received == N && output[0] <= output[1] && output[1] <= output[N-1]) }

ltl in_order { [] (received >= 2 -> output[0] <= output[1]) }

ltl expect_fail_input_sorted { [] (input[0] <= input[1] || received == 0) }

ltl expect_fail_one_comparator { [] (working <= 1) }
