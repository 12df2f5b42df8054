/* printf with every conversion: %d %u %x %o %c %e %%. */
mtype = { hello };
mtype m = hello;
byte b = 65;

init {
	printf("plain\n");
	printf("%d %u %x %o %c %e 100%%\n", -1, b, b, b, b, m);
	printf("tab\t\"quoted\" back\\slash\n")
}
