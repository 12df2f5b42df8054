/* Records inside records, arrays of records, arrays as fields. */
typedef Cell { byte v[2]; bit mark }
typedef Row { Cell cell[3]; byte sum }
Row row[2];

init {
	row[1].cell[2].v[0] = 8;
	row[1].cell[2].mark = 1;
	row[1].sum = row[1].cell[2].v[0] + row[1].cell[2].v[1] + row[0].sum;
	assert(row[1].sum == 8)
}
