/* String literals occur only in printf; percent signs and escapes. */
init {
	printf("");
	printf("two words\n");
	printf("a \"quoted\" part, a \\ and 50%%\n");
	printf("MSC: name of a column\n")
}
