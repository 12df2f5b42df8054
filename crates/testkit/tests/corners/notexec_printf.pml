byte x;

active [2] proctype A() {
	printf("%d\n", x);
	x++;
	if
	:: printf("a")
	:: printf("b");
		x--
	fi
}
